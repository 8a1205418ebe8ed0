"""Ranking measures: the document's examples, scikit-learn, exact sums over batches, intervals, rows."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from helpers.metrics import RankingOutcome, as_label_matrix, checked_ks
from helpers.metrics.multilabel import _names_at

GOLDEN = Path(__file__).parents[2] / "golden" / "multilabel.json"
EXAMPLES = json.loads(GOLDEN.read_text())["worked_examples"]
PROPERTY = settings(max_examples=100)


def outcome_of(truth, scores, depth):
    order = np.argsort(-np.asarray(scores), axis=1, kind="stable")
    return RankingOutcome.from_top(as_label_matrix(truth), order[:, :depth])


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_worked_examples_of_the_document(example):
    """It prints 1.52 for a DCG of 1 / log2(3) + 1 / log2(4) + 1 / log2(5), which is 1.56."""
    found = outcome_of([example["truth"]], [example["scores"]], 5).scores([3, 5])
    assert {name: found[name] for name in example["values"]} == pytest.approx(example["values"], abs=5e-7)
    if "dcg_printed" in example:
        assert abs(example["dcg"] - example["dcg_printed"]) > 0.04
        assert example["dcg"] == pytest.approx(1 / np.log2(3) + 1 / 2 + 1 / np.log2(5), abs=5e-7)


def by_hand(truth, scores, ks):
    """Means over the instances, one instance at a time."""
    order = np.argsort(-scores, axis=1, kind="stable")
    rows = []
    for gold, ranks in zip(truth, order, strict=True):
        relevant, row = gold.sum(), []
        for k in ks:
            hits, best = gold[ranks[:k]], min(k, relevant)
            dcg = sum(hit / np.log2(rank + 2) for rank, hit in enumerate(hits))
            ideal = sum(1 / np.log2(rank + 2) for rank in range(best))
            row.append([hits.sum() / k, *(np.array([hits.sum(), hits.sum(), dcg]) / [relevant, best, ideal]
                        if relevant else [0, 0, 0])])  # fmt: skip
        rows.append(np.array(row).T.ravel())
    return dict(zip(_names_at(ks), np.mean(rows, axis=0), strict=True))


@pytest.mark.parametrize(("n", "n_labels", "share"), [(80, 40, 0.05), (1000, 1000, 0.5)])
def test_ndcg_is_that_of_scikit_learn(n, n_labels, share):
    """The larger one is a check that LibMultiLabel once had."""
    rng, ks = np.random.default_rng(42), [1, 3, n_labels // 2]
    truth, scores = rng.random((n, n_labels)) < share, rng.random((n, n_labels))
    outcome = outcome_of(truth, scores, n_labels // 2)
    assert (outcome.without_labels > 0) == (share < 0.1)
    expected = [ndcg_score(truth, scores, k=k, ignore_ties=True) for k in ks]
    assert [outcome.scores(ks)[f"NDCG@{k}"] for k in ks] == pytest.approx(expected, abs=1e-12)


@PROPERTY
@given(st.integers(1, 300), st.integers(1, 300))
def test_a_perfect_ranking_has_exactly_one(depth, relevant):
    ks, ranks = sorted({1, depth, (depth + 1) // 2}), list(range(1, min(depth, relevant) + 1))
    found = RankingOutcome.from_rows([[relevant, ranks, 1]], depth, range(300)).scores(ks)
    for k in ks:
        expected = {"P": min(1, relevant / k), "R": min(1, k / relevant), "RP": 1, "NDCG": 1}
        assert {name: found[f"{name}@{k}"] for name in expected} == expected


@PROPERTY
@given(st.integers(1, 40), st.integers(1, 12), st.floats(0, 1), st.integers(0, 10**6), st.data())
def test_any_split_and_any_order_give_the_same_outcome(n, n_labels, share, seed, data):
    rng = np.random.default_rng(seed)
    truth, scores = rng.random((n, n_labels)) < share, rng.integers(0, 4, (n, n_labels))
    depth = data.draw(st.integers(1, n_labels))
    whole = outcome_of(truth, scores, depth)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=4)))
    pieces = np.split(rng.permutation(n), cuts)  # some of them empty
    split = sum(outcome_of(truth[piece], scores[piece], depth) for piece in pieces)
    assert split == whole
    assert split.n == n
    ks = sorted({1, depth})
    assert whole.scores(ks) == pytest.approx(by_hand(truth, scores, ks), abs=1e-12)


def test_rows_come_back(rng):
    outcome = outcome_of(rng.random((200, 90)) < 0.1, rng.random((200, 90)), 70)
    assert RankingOutcome.from_rows(outcome.to_rows(), 70, outcome.labels) == outcome
    assert RankingOutcome.from_rows([[1, [1], 0]], 1, "ab").n == 0


def small(n=1, n_labels=2, depth=1):
    return outcome_of(np.eye(n, n_labels), np.zeros((n, n_labels)), depth)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: checked_ks([], 5), r"ks is \[\]: a list"),
        (lambda: checked_ks("1,3", 5), "ks is '1,3': a list of whole numbers"),
        (lambda: checked_ks([1, 0], 5), r"ks\[1\] is 0: different whole numbers from 1 to 5"),
        (lambda: checked_ks([1.5], 5), r"ks\[0\] is 1.5"),
        (lambda: checked_ks([np.int64(4), True], 5), r"ks\[1\] is True"),
        (lambda: checked_ks(["1"], 5, argument="depth"), "depth is '1': "),
        (lambda: checked_ks([1, 3, 1], 5), r"ks\[2\] is 1: "),
        (lambda: checked_ks([1, 6], 5), r"ks\[1\] is 6: different"),
        (lambda: small().scores([2]), r"ks\[0\] is 2: different whole numbers from 1 to 1"),
        (lambda: small(0).scores([1]), "no instances"),
        (lambda: small() + small(depth=2), "depth 1 and by depth 2 do not add up"),
        (lambda: small() + small(n_labels=3), "of 2 and of 3 labels do not add up"),
        (lambda: RankingOutcome.from_rows([[1, [1], 2], [1, [1, 2], 5]], 3, "abcd"), r"rows\[1\] is"),
        (lambda: RankingOutcome.from_rows([[3, [1, 1], 5]], 3, "abcd"), r"rows\[0\] is"),
        (lambda: RankingOutcome.from_rows([[3, [4], 5]], 3, "abcd"), r"rows\[0\] is"),
        (lambda: RankingOutcome.from_rows([[3, [0], 5]], 3, "abcd"), r"rows\[0\] is"),
        (lambda: RankingOutcome.from_rows([[9, [1], 5]], 3, "abcd"), r"rows\[0\] is"),
        (lambda: RankingOutcome.from_rows([[1, [1], -1]], 3, "abcd"), r"rows\[0\] is"),
    ],
)
def test_what_has_no_scores_does_not_add_up_or_is_no_row(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    assert (small(0).n, small(0).to_rows()) == (0, [])


def test_intervals_are_those_of_resampled_instances(rng):
    """A bootstrap mean of n values has the standard deviation s / √n, and is nearly normal for large n."""
    outcome, ks = outcome_of(rng.random((2000, 12)) < 0.15, rng.random((2000, 12)), 3), [1, 3]
    found, means = outcome.intervals(ks, rng, 10_000), outcome.scores(ks)
    errors = np.sqrt(outcome.counts @ (outcome.values(ks) - [*means.values()]) ** 2) / 2000
    for (name, interval), error in zip(found.items(), errors, strict=True):
        # an interval of 90 % would end 0.3 errors further in: half of it is the limit
        ends = means[name] - 1.96 * error, means[name] + 1.96 * error
        assert (interval.low, interval.high) == pytest.approx(ends, abs=0.15 * error)
        assert interval.value == pytest.approx(means[name], abs=1e-12)
