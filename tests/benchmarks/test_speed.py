"""Speed and memory against what people use today, in one run: `make bench`.

Each test asserts the ratio that the README claims, and that both sides give the same numbers. The rows go to
results/tables/benchmarks.csv when all have passed. The cheap ones run in continuous integration, with less
text.
"""

from __future__ import annotations

import time
import tracemalloc

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

from helpers.evaluation.score import score_file
from helpers.metrics import FactRanking, Outcome, fact_scores
from helpers.metrics.averaging import averages, evaluate
from helpers.metrics.bootstrap import bootstrap_intervals
from helpers.metrics.multilabel import averages as label_averages
from tests.benchmarks.counting_peers import CLASSES, predictions
from tests.benchmarks.table import seconds

pytestmark = pytest.mark.cheap
MILLIONS = 10
EXACT = 1e-12
FLOAT32 = 1e-6  # torchmetrics computes in float32
PACKAGES = ("numpy", "scipy", "scikit-learn", "torchmetrics", "torch", "pyarrow", "duckdb")
SKLEARN, TORCHMETRICS = "scikit-learn: classification_report", "torchmetrics: three averages of F1"
COPYING = "copying the two arrays"
CLAIMS = 11
STRINGS = {"numpy strings": 5, "Python strings": 15, "pandas categories": 20}
"""How many times as fast as scikit-learn columns of each kind are counted."""
SCORES = {"precision": "precision", "recall": "recall", "f1": "f1-score"}


@pytest.fixture(scope="module")
def codes():
    return predictions(1_000_000 * MILLIONS, 0)


@pytest.fixture(scope="module")
def names():
    return np.array([f"org:relation_number_{number}" for number in range(CLASSES)])


def full_report(gold, predicted):
    """Count and score: every scheme and every class, under scikit-learn's label rule."""
    return evaluate(Outcome.from_columns(gold, predicted), labels="observed")


def sklearn_report(gold, predicted) -> dict:
    return metrics.classification_report(gold, predicted, output_dict=True, zero_division=0.0)


def largest_gap(ours, theirs: dict) -> float:
    """Largest difference of any score that both reports hold: averages, and every class."""
    rows = {f"{scheme} avg": ours.schemes[scheme] for scheme in ("macro", "weighted")}
    rows |= {str(label): scores for label, scores in ours.per_class.items()}
    gaps = [
        abs(row[ours] - theirs[name][peer]) for name, row in rows.items() for ours, peer in SCORES.items()
    ]
    return max(*gaps, abs(ours.schemes["micro"]["f1"] - theirs["accuracy"]))


@pytest.mark.parametrize(("peer", "at_least"), [(SKLEARN, 50), (TORCHMETRICS, 40), (COPYING, 1 / 6)])
def test_integer_codes(peer, at_least, codes, rows, cheap):
    gold, predicted = map(torch.from_numpy, codes)
    calls = {
        SKLEARN: lambda: sklearn_report(*codes),
        TORCHMETRICS: lambda: {
            name: float(multiclass_f1_score(predicted, gold, CLASSES, average=name))
            for name in ("micro", "macro", "weighted")
        },
        COPYING: lambda: [column.copy() for column in codes],
    }
    ours, theirs = full_report(*codes), calls[peer]()
    if peer == SKLEARN:
        assert largest_gap(ours, theirs) <= EXACT
    if peer == TORCHMETRICS:
        assert all(abs(ours.schemes[name]["f1"] - value) <= FLOAT32 for name, value in theirs.items())
    taken = seconds(lambda: full_report(*codes), 7)
    times = 7 if peer == COPYING else 1 if cheap else 3
    what = f"count and report, {MILLIONS} M integer codes, s"
    rows.record(what, taken, peer, seconds(calls[peer], times), at_least)


@pytest.mark.parametrize("kind", STRINGS)
def test_strings_against_scikit_learn(kind, codes, names, rows, cheap):
    make = {
        "numpy strings": lambda column: names[column],
        "Python strings": lambda column: names.astype(object)[column],
        "pandas categories": lambda column: pd.Series(pd.Categorical.from_codes(column, names)),
    }[kind]
    few = 200_000 if cheap else 1_000_000  # the peer takes up to 40 s for each million
    gold, predicted = (make(column[:few]) for column in codes)
    ours = seconds(lambda: full_report(gold, predicted), 3)
    started = time.perf_counter()
    reference = sklearn_report(gold, predicted)
    theirs = time.perf_counter() - started
    assert largest_gap(full_report(gold, predicted), reference) <= EXACT
    rows.record(f"count and report, {few / 1e6:g} M {kind}, s", ours, SKLEARN, theirs, STRINGS[kind])


def write_csv(path, columns, names, ids: bool):
    """A prediction file of gold and predicted classes by name; `ids` adds distinct ones, shuffled."""
    named = [pa.DictionaryArray.from_arrays(column, names).cast(pa.string()) for column in columns]
    table = dict(zip(("gold", "predicted"), named, strict=True))
    if ids:
        numbers = np.random.default_rng(1).permutation(len(columns[0])) + 10_000_000
        table = {"id": pa.array(numbers).cast(pa.string())} | table
    arrow_csv.write_csv(pa.table(table), path)
    return path


def duckdb_counts(path, ids: bool):
    """What DuckDB takes for the same: how often each pair of labels occurs; with ids, how many differ."""
    types = dict.fromkeys((["id"] if ids else []) + ["gold", "predicted"], "VARCHAR")
    read = f"read_csv('{path}', auto_detect=false, all_varchar=true, header=true, delim=',', columns={types})"
    with duckdb.connect() as connection:
        counts = connection.sql(f"SELECT gold, predicted, count(*) FROM {read} GROUP BY ALL").fetchall()
        if not ids:
            return counts, None
        return counts, connection.sql(f"SELECT count(*), count(DISTINCT id) FROM {read}").fetchall()[0]


@pytest.mark.parametrize("ids", [False, True], ids=["", "with ids"])
def test_csv_against_duckdb(ids, codes, names, rows, cheap, tmp_path):
    """Reading, checking (every byte, every cell, that ids are unique), counting and scoring a file."""
    millions = 1 if cheap else MILLIONS
    columns = [column[: 1_000_000 * millions] for column in codes]
    path = write_csv(tmp_path / "predictions.csv", columns, names, ids)
    report, (counts, distinct) = score_file(path), duckdb_counts(path, ids)
    correct = sum(count for gold, predicted, count in counts if gold == predicted)
    assert report.n == len(columns[0]) and abs(report.accuracy - correct / report.n) <= EXACT
    assert distinct == ((report.n, report.n) if ids else None)
    # in turn, so that a busy machine slows both
    pairs = [
        (seconds(lambda: score_file(path), 1), seconds(lambda: duckdb_counts(path, ids), 1)) for _ in range(3)
    ]
    path.unlink()
    what = f"CSV{' with ids' if ids else ''} to report, {millions} million rows, s"
    ours, theirs = np.median(pairs, axis=0).tolist()
    rows.record(what, ours, f"DuckDB: {'two queries' if ids else 'one query'}", theirs, 1 / 1.5)


def test_bootstrap_of_the_tacred_test_set(rows, cheap):
    """10,000 replicates of five schemes within 2 s; the peer resamples the data and scores three of them."""
    gold, predicted = predictions(15_509, seed=1)
    table, rng, positive = Outcome.from_columns(gold, predicted), np.random.default_rng(1), range(1, CLASSES)

    def f1(sample, average):
        return metrics.f1_score(*sample, labels=[*positive], average=average, zero_division=0)

    def theirs() -> None:
        for seed in range(20):
            sample = resample(gold, predicted, random_state=seed)
            for average in ("micro", "weighted", "macro"):
                f1(sample, average)

    score = {"negative": 0}
    ours = seconds(
        lambda: bootstrap_intervals(table, lambda counts: averages(counts, **score), rng, 10_000), 3
    )
    assert ours <= (4 if cheap else 2)
    expected = f1((gold, predicted), "weighted")
    assert abs(evaluate(table, negative=0).schemes["weighted"]["f1"] - expected) <= EXACT
    peer = "scikit-learn: resampling the data, three schemes"
    rows.record("bootstrap replicate, s", ours / 10_000, peer, seconds(theirs, 1) / 20, 100)


def test_memory_of_counting(codes, rows):
    """Peak memory, the input included, at most 1.5 times the input."""
    size = sum(column.nbytes for column in codes)
    tracemalloc.start()
    Outcome.from_columns(*codes)
    peak = size + tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    what = f"peak memory of counting {MILLIONS} M integer codes, bytes"
    rows.record(what, peak, "1.5 × the input", 1.5 * size, 1)


def bags(n: int, n_labels: int = 53):
    """Scores and true facts of n entity pairs, the negative class first, and the labels."""
    rng = np.random.default_rng(7)
    gold = rng.random((n, n_labels)) < 0.01
    scores = (rng.random((n, n_labels)) + 0.3 * gold).astype(np.float32)
    return scores, gold, ["NA", *(f"relation {number}" for number in range(1, n_labels))]


def test_facts_of_many_pairs(rows, cheap):
    n = 50_000 if cheap else 200_000
    (scores, gold, labels), limit = bags(n), 2.0 * n / 200_000

    def scored() -> None:
        ranking = FactRanking.from_matrix(scores, gold, labels, negative=labels[0])
        label_averages(ranking.counts_at(fact_scores(ranking)["threshold"]), ["macro"])

    ours = seconds(scored, 3)
    rows.record(f"held-out scores of {n:,} entity pairs × 52 relations, s", ours, "the limit", limit, 1)
