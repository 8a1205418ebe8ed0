"""Counting in blocks, in an array, sorted or compacted: always the same counts."""

import tracemalloc
from collections import Counter

import numpy as np
import pandas as pd
import pytest

from helpers.metrics import Outcome


def counted(*columns):
    """A dictionary-based count, the slow and obvious way."""
    return Counter(zip(*(np.asarray(column).tolist() for column in columns), strict=True))


def named(table):
    """Entries of a table by label."""
    rows = table.to_rows()
    return {tuple(table.labels[place] for place in row[:-1]): row[-1] for row in rows}


def in_small_batches(gold, predicted, labels, size=100_000):
    batches = [slice(at, at + size) for at in range(0, len(gold), size)]
    first, *rest = (Outcome.from_columns(gold[batch], predicted[batch], labels=labels) for batch in batches)
    for table in rest:
        first = first + table
    return first


@pytest.fixture
def large(rng):
    return rng.integers(0, 30, (2, (1 << 20) + 12_345))


@pytest.mark.parametrize("kind", ["int64", "uint8", "strings", "categorical", "weighted"])
def test_batches_add_up_to_the_whole(large, kind):
    names = np.array([f"r{code:02}" for code in range(30)])
    make = {"strings": names.__getitem__, "categorical": lambda c: pd.Categorical.from_codes(c, names)}
    gold, predicted = (
        make.get(kind, lambda c: c.astype("u1" if kind == "uint8" else "i8"))(c) for c in large
    )
    labels = names if kind in make else range(30)
    weight = np.full(len(gold), 0.5) if kind == "weighted" else None
    whole = Outcome.from_columns(gold, predicted, labels=labels, sample_weight=weight)
    assert np.array_equal(
        whole.table() / (0.5 if kind == "weighted" else 1), in_small_batches(*large, range(30)).table()
    )


def test_the_first_offending_row_is_named_in_whichever_block_it_is(large):
    names = np.array([f"r{code:02}" for code in range(30)])
    gold = names[large[0]]
    gold[[10_000, 900_000]] = "x"
    for column in (gold, np.where(gold == "x", 99, large[0])):
        with pytest.raises(ValueError, match=r"^gold\[10000\] is ('x'|99), "):
            Outcome.from_columns(column, column, labels=names if column is gold else range(30))


@pytest.mark.parametrize(
    ("dtype", "low", "span"),
    [(np.int64, -7, 3), (np.int64, -(10**12), 300), (np.int64, 10**12, 10**9), (np.int64, 0, 5_000)]
    + [(np.uint64, 0, 3), (np.uint64, 7, 300), (np.uint64, 10**12, 10**9)],
)
def test_any_spread_of_integers_is_counted_like_a_dictionary(rng, low, span, dtype):
    values = np.unique(low + rng.integers(0, span, 400)).astype(dtype)
    gold, predicted = rng.choice(values, (2, 70_000))
    assert named(Outcome.from_columns(gold, predicted)) == counted(gold, predicted)


@pytest.mark.parametrize("labels", [2, 60, 900])
def test_three_columns_are_counted_like_a_dictionary(rng, labels):
    columns = rng.integers(0, labels, (3, 70_000))
    assert named(Outcome.from_columns(*columns[:2], paired=columns[2])) == counted(*columns)
    texts = [[f"label {code}" for code in column[:5000]] for column in columns]
    assert named(Outcome.from_columns(*texts[:2], paired=texts[2])) == counted(*texts)


@pytest.mark.parametrize("labels", [5, 2_000])
def test_weights_are_summed(rng, labels):
    gold, predicted = rng.integers(0, labels, (2, 90_000))
    weight = rng.integers(0, 5, 90_000) / 4  # quarters add up exactly
    expected = Counter()
    for pair, share in zip(zip(gold.tolist(), predicted.tolist(), strict=True), weight.tolist(), strict=True):
        expected[pair] += share
    table = Outcome.from_columns(gold, predicted, labels=range(labels), sample_weight=weight)
    assert named(table) == {pair: share for pair, share in expected.items() if share}


def test_counting_needs_little_memory_beside_the_columns(rng):
    gold, predicted = rng.integers(0, 42, (2, 5_000_000))
    labels = list(range(42))
    tracemalloc.start()
    table = Outcome.from_columns(gold, predicted, labels=labels)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert table.n == 5_000_000
    assert peak < 0.5 * (gold.nbytes + predicted.nbytes)
