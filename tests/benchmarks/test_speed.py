"""Speed and memory against what people use today, in one run: `make bench`.

Each test asserts the ratio that the README claims, and that both sides give the same numbers. The rows go to
results/tables/benchmarks.csv when all have passed. The cheap ones run in continuous integration, with less
text.
"""

from __future__ import annotations

import time

import numpy as np
import pandas as pd
import pytest
import torch
from sklearn.metrics import f1_score
from sklearn.utils import resample

from helpers.evaluation.score import score_file
from helpers.metrics import Outcome
from helpers.metrics.averaging import averages, evaluate
from helpers.metrics.bootstrap import bootstrap_intervals
from tests.benchmarks import peers
from tests.support import FACT_RELATIONS, golden_facts

MILLIONS = 10
CODES = f"count and report, {MILLIONS} M integer codes, s"
EXACT = 1e-12
FLOAT32 = 1e-6  # torchmetrics computes in float32
PACKAGES = ("numpy", "scipy", "scikit-learn", "torchmetrics", "torch", "pyarrow", "duckdb")
SKLEARN = "scikit-learn: classification_report"
CLAIMS = 12
AT_LEAST = {"numpy strings": 5, "Python strings": 15, "pandas categories": 20}
"""How many times as fast as scikit-learn columns of each kind are counted."""


@pytest.fixture(scope="module")
def codes():
    return peers.predictions(1_000_000 * MILLIONS)


@pytest.fixture(scope="module")
def millions(cheap):
    """Of rows of text, of which the peers, or writing the file, take long."""
    return 1 if cheap else MILLIONS


@pytest.fixture(scope="module")
def names():
    return np.array([f"org:relation_number_{number}" for number in range(peers.CLASSES)])


@pytest.mark.cheap
def test_integer_codes_against_scikit_learn(codes, rows):
    ours = peers.seconds(lambda: peers.full_report(*codes), 7)
    theirs = peers.seconds(lambda: peers.sklearn_report(*codes), 1 if rows.cheap else 3)
    assert peers.largest_gap(peers.full_report(*codes), peers.sklearn_report(*codes)) <= EXACT
    rows.record(CODES, ours, SKLEARN, theirs, 50)


@pytest.mark.cheap
def test_integer_codes_against_torchmetrics(codes, rows):
    tensors = [torch.from_numpy(column) for column in codes]
    ours = peers.seconds(lambda: peers.full_report(*codes), 7)
    theirs = peers.seconds(lambda: peers.torchmetrics_averages(*tensors), 1 if rows.cheap else 3)
    report, averaged = peers.full_report(*codes), peers.torchmetrics_averages(*tensors)
    assert all(abs(report.schemes[name]["f1"] - value) <= FLOAT32 for name, value in averaged.items())
    rows.record(CODES, ours, "torchmetrics: three averages of F1", theirs, 40)


@pytest.mark.cheap
def test_integer_codes_against_copying(codes, rows):
    ours = peers.seconds(lambda: peers.full_report(*codes), 7)
    copying = peers.seconds(lambda: [column.copy() for column in codes], 7)
    rows.record(CODES, ours, "copying the two arrays", copying, 1 / 6)


@pytest.mark.cheap
@pytest.mark.parametrize("kind", AT_LEAST)
def test_strings_against_scikit_learn(kind, codes, names, rows):
    make = {
        "numpy strings": lambda column: names[column],
        "Python strings": lambda column: names.astype(object)[column],
        "pandas categories": lambda column: pd.Series(pd.Categorical.from_codes(column, names)),
    }[kind]
    few = 200_000 if rows.cheap else 1_000_000  # the peer takes up to 40 s for each million
    gold, predicted = (make(column[:few]) for column in codes)
    ours = peers.seconds(lambda: peers.full_report(gold, predicted), 3)
    started = time.perf_counter()
    reference = peers.sklearn_report(gold, predicted)
    theirs = time.perf_counter() - started
    assert peers.largest_gap(peers.full_report(gold, predicted), reference) <= EXACT
    rows.record(f"count and report, {few / 1e6:g} M {kind}, s", ours, SKLEARN, theirs, AT_LEAST[kind])


@pytest.mark.cheap
@pytest.mark.parametrize("ids", [False, True], ids=["", "with ids"])
def test_csv_against_duckdb(ids, codes, millions, names, rows, tmp_path):
    """Reading, checking (every byte, every cell, that ids are unique), counting and scoring a file."""
    columns = [column[: 1_000_000 * millions] for column in codes]
    path = peers.write_csv(tmp_path / "predictions.csv", columns, names, ids)
    report, (counts, distinct) = score_file(path), peers.duckdb_counts(path, ids)
    correct = sum(count for gold, predicted, count in counts if gold == predicted)
    assert report.n == len(columns[0]) and abs(report.accuracy - correct / report.n) <= EXACT
    assert distinct == ((report.n, report.n) if ids else None)
    ours, theirs = peers.in_turn(lambda: score_file(path), lambda: peers.duckdb_counts(path, ids), 3)
    path.unlink()
    what = f"CSV{' with ids' if ids else ''} to report, {millions} million rows, s"
    rows.record(what, ours, f"DuckDB: {'two queries' if ids else 'one query'}", theirs, 1 / 1.5)


@pytest.mark.cheap
def test_bootstrap_of_the_tacred_test_set(rows):
    """10,000 replicates of five schemes within 2 s; the peer resamples the data and scores three of them."""
    gold, predicted = peers.predictions(15_509, seed=1)
    table, rng = Outcome.from_columns(gold, predicted), np.random.default_rng(1)
    positive = list(range(1, peers.CLASSES))

    def ours() -> None:
        bootstrap_intervals(table, lambda replicates: averages(replicates, negative=0), rng, 10_000)

    def theirs() -> None:
        for seed in range(20):
            sample = resample(gold, predicted, random_state=seed)
            for average in ("micro", "weighted", "macro"):
                f1_score(*sample, labels=positive, average=average, zero_division=0)

    taken = peers.seconds(ours, 3)
    assert taken <= (4 if rows.cheap else 2)
    expected = f1_score(gold, predicted, labels=positive, average="weighted")
    assert abs(evaluate(table, negative=0).schemes["weighted"]["f1"] - expected) <= EXACT
    peer = "scikit-learn: resampling the data, three schemes"
    rows.record("bootstrap replicate, s", taken / 10_000, peer, peers.seconds(theirs, 1) / 20, 100)


@pytest.mark.cheap
def test_memory_of_counting(codes, rows):
    """Peak memory, the input included, at most 1.5 times the input."""
    size = sum(column.nbytes for column in codes)
    peak = size + peers.peak_bytes(lambda: Outcome.from_columns(*codes))
    what = f"peak memory of counting {MILLIONS} M integer codes, bytes"
    rows.record(what, peak, "1.5 × the input", 1.5 * size, 1)


@pytest.mark.cheap
def test_facts_against_the_published_form(rows):
    n = 2_000 if rows.cheap else 20_000
    scores, gold = golden_facts()  # of the published evaluation, run on them
    expected = (0.297982, 0.352941, 0.283333, 0.15, 0.12, 0.093333)
    assert peers.facts_one_by_one(scores, gold, list(FACT_RELATIONS)) == pytest.approx(expected, abs=5e-7)
    bags = peers.bags(n)
    ours = peers.seconds(lambda: peers.facts_at_once(*bags), 5)
    theirs = peers.seconds(lambda: peers.facts_one_by_one(*bags), 1)
    assert peers.facts_at_once(*bags) == pytest.approx(peers.facts_one_by_one(*bags), abs=EXACT)
    title = f"held-out scores of {n:,} entity pairs × 52 relations, s"
    rows.record(title, ours, "OpenNRE's form: one fact after the other", theirs, 20)


@pytest.mark.cheap
def test_facts_of_many_pairs(rows):
    n = 50_000 if rows.cheap else 200_000
    bags, limit = peers.bags(n), 2.0 * n / 200_000
    ours = peers.seconds(lambda: peers.facts_at_once(*bags), 3)
    rows.record(f"held-out scores of {n:,} entity pairs × 52 relations, s", ours, "the limit", limit, 1)
