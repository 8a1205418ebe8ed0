"""Speed and memory against what people use today, which gives the same numbers: `make bench`."""

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import torch
from pyarrow import csv as arrow_csv
from sklearn import metrics
from sklearn.utils import resample
from torchmetrics.functional.classification import multiclass_f1_score

from helpers.evaluation import score_file
from helpers.metrics import FactRanking, Outcome, averages, bootstrap_intervals, evaluate
from helpers.metrics.multilabel import averages as label_averages
from tests.benchmarks.counting_peers import CLASSES, NAMES, duckdb_counts, predictions
from tests.benchmarks.table import peak_bytes, timed

pytestmark = pytest.mark.cheap
MILLIONS = 10
EXACT = 1e-12
FLOAT32 = 1e-6  # torchmetrics computes in float32
PACKAGES = ("numpy", "scipy", "scikit-learn", "torchmetrics", "torch", "pyarrow", "duckdb")
SKLEARN, TORCHMETRICS = "scikit-learn: classification_report", "torchmetrics: three averages of F1"
COPYING = "copying the two arrays"
COLUMNS = {
    "integer codes": lambda codes: codes,
    "numpy strings": lambda codes: NAMES[codes],
    "Python strings": lambda codes: NAMES.astype(object)[codes],
    "pandas categories": lambda codes: pd.Series(pd.Categorical.from_codes(codes, NAMES)),
}
SCORES = {"precision": "precision", "recall": "recall", "f1": "f1-score"}


@pytest.fixture(scope="module")
def codes():
    return predictions(1_000_000 * MILLIONS, 0)


def largest_gap(ours, theirs: dict) -> float:
    """Largest difference of any score that both reports hold: averages, and every class."""
    rows = {f"{scheme} avg": ours.schemes[scheme] for scheme in ("macro", "weighted")}
    rows |= {str(label): scores for label, scores in ours.per_class.items()}
    gaps = [
        abs(row[ours] - theirs[name][peer]) for name, row in rows.items() for ours, peer in SCORES.items()
    ]
    return max(*gaps, abs(ours.schemes["micro"]["f1"] - theirs["accuracy"]))


def f1_by_torchmetrics(gold, predicted) -> dict[str, float]:
    gold, predicted = map(torch.from_numpy, (gold, predicted))
    names = ("micro", "macro", "weighted")
    return {name: float(multiclass_f1_score(predicted, gold, CLASSES, average=name)) for name in names}


@pytest.mark.parametrize(
    ("kind", "peer", "at_least"),
    [
        ("integer codes", SKLEARN, 50),
        ("integer codes", TORCHMETRICS, 40),
        ("integer codes", COPYING, 1 / 6),
        ("numpy strings", SKLEARN, 5),
        ("Python strings", SKLEARN, 15),
        ("pandas categories", SKLEARN, 20),
    ],
)
def test_count_and_report(kind, peer, at_least, codes, record, cheap):
    """Every scheme and every class, under scikit-learn's label rule."""
    text = kind != "integer codes"  # of which scikit-learn counts a million in up to 40 s
    n = (200_000 if cheap else 1_000_000) if text else len(codes[0])
    columns = [COLUMNS[kind](column[:n]) for column in codes]
    calls = {
        SKLEARN: lambda: metrics.classification_report(*columns, output_dict=True, zero_division=0.0),
        TORCHMETRICS: lambda: f1_by_torchmetrics(*columns),
        COPYING: lambda: [column.copy() for column in columns],
    }
    times = 7 if peer == COPYING else 1 if cheap or text else 3
    ours, report = timed(lambda: evaluate(Outcome.from_columns(*columns), labels="observed"), 7)
    theirs, reference = timed(calls[peer], times)
    if peer == SKLEARN:
        assert largest_gap(report, reference) <= EXACT
    if peer == TORCHMETRICS:
        assert all(abs(report.schemes[name]["f1"] - value) <= FLOAT32 for name, value in reference.items())
    record(f"count and report, {n / 1e6:g} M {kind}, s", ours, peer, theirs, at_least)


@pytest.mark.parametrize("ids", [False, True], ids=["", "with ids"])
def test_csv_against_duckdb(ids, codes, record, cheap, tmp_path):
    """Reading, checking (every byte, every cell, that ids are unique), counting and scoring a file."""
    path, millions = tmp_path / "predictions.csv", 1 if cheap else MILLIONS
    n = 1_000_000 * millions
    numbers = pa.array(np.random.default_rng(1).permutation(n) + 10_000_000)
    table = {"id": numbers.cast(pa.string())} if ids else {}
    for name, column in zip(("gold", "predicted"), codes, strict=True):
        table[name] = pa.DictionaryArray.from_arrays(column[:n], pa.array(NAMES)).cast(pa.string())
    arrow_csv.write_csv(pa.table(table), path)
    types = dict.fromkeys(table, "VARCHAR")
    read = f"read_csv('{path}', auto_detect=false, all_varchar=true, header=true, delim=',', columns={types})"

    def theirs() -> tuple[int, int, int | None]:
        distinct = f"SELECT count(DISTINCT id) FROM {read}"
        return *duckdb_counts(read), duckdb.sql(distinct).fetchall()[0][0] if ids else None

    report, counted = score_file(path), theirs()
    assert counted == (n, round(report.accuracy * n), n if ids else None) and report.n == n
    # in turn, so that a busy machine slows both
    pairs = [(timed(lambda: score_file(path))[0], timed(theirs)[0]) for _ in range(3)]
    path.unlink()
    what = f"CSV{' with ids' if ids else ''} to report, {millions} million rows, s"
    peer = f"DuckDB: {'two queries' if ids else 'one query'}"
    ours, others = np.median(pairs, axis=0)
    record(what, ours, peer, others, 1 / 1.5)


def test_bootstrap_of_the_tacred_test_set(record, cheap):
    """10,000 replicates of five schemes within 2 s; the peer resamples the data and scores three of them."""
    gold, predicted = predictions(15_509, seed=1)
    table, rng, positive = Outcome.from_columns(gold, predicted), np.random.default_rng(1), range(1, CLASSES)

    def f1(*sample) -> dict[str, float]:
        chosen = {"labels": [*positive], "zero_division": 0}
        return {
            name: metrics.f1_score(*sample, average=name, **chosen) for name in ("micro", "weighted", "macro")
        }

    def theirs() -> None:
        for seed in range(20):
            f1(*resample(gold, predicted, random_state=seed))

    def scores(counts):
        return averages(counts, negative=0)

    ours, _ = timed(lambda: bootstrap_intervals(table, scores, rng, 10_000), 3)
    assert ours <= (4 if cheap else 2)
    expected = f1(gold, predicted)["weighted"]
    assert abs(evaluate(table, negative=0).schemes["weighted"]["f1"] - expected) <= EXACT
    peer = "scikit-learn: resampling the data, three schemes"
    record("bootstrap replicate, s", ours / 10_000, peer, timed(theirs)[0] / 20, 100)


def test_memory_of_counting(codes, record):
    """Peak memory, the input included, at most 1.5 times the input."""
    size = sum(column.nbytes for column in codes)
    peak, _ = peak_bytes(lambda: Outcome.from_columns(*codes))
    what = f"peak memory of counting {MILLIONS} M integer codes, bytes"
    record(what, size + peak, "1.5 × the input", 1.5 * size, 1)


def test_facts_of_many_pairs(record, cheap):
    """Scores and true facts of 53 labels, the negative one first."""
    n, rng = 50_000 if cheap else 200_000, np.random.default_rng(7)
    gold = rng.random((n, 53)) < 0.01
    scores = (rng.random((n, 53)) + 0.3 * gold).astype(np.float32)
    labels = ["NA", *(f"relation {number}" for number in range(1, 53))]

    def scored() -> None:
        ranking = FactRanking.from_matrix(scores, gold, labels, negative=labels[0])
        label_averages(ranking.counts_until(ranking.measures()["rank"]), ["macro"])

    def curve() -> None:
        metrics.precision_recall_curve(gold[:, 1:].ravel(), scores[:, 1:].ravel())

    what = f"held-out scores of {n:,} entity pairs × 52 relations, s"
    record(what, timed(scored, 3)[0], "scikit-learn, the curve alone", timed(curve, 3)[0], 0.5)
