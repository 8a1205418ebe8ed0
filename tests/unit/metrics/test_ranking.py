"""Ranking measures: the document's examples, scikit-learn, exact sums over batches, intervals, rows."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import dcg_score, ndcg_score

from helpers.metrics import RankingOutcome, as_label_matrix, names_at, ranking_values, top_k
from helpers.metrics.ranking import checked_ks, dcg_at

GOLDEN = Path(__file__).parents[2] / "golden" / "multilabel.json"
EXAMPLES = json.loads(GOLDEN.read_text())["worked_examples"]
PROPERTY = settings(max_examples=100)
hit_lists = arrays(bool, st.tuples(st.integers(1, 5), st.integers(1, 12)))


def outcome_of(truth, scores, depth):
    return RankingOutcome.from_top(as_label_matrix(truth), top_k(scores, depth)[0])


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_worked_examples_of_the_document(example):
    """It prints 1.52 for a DCG of 1 / log2(3) + 1 / log2(4) + 1 / log2(5), which is 1.56."""
    outcome = outcome_of([example["truth"]], [example["scores"]], 5)
    found = outcome.scores([3, 5])
    assert {name: found[name] for name in example["values"]} == pytest.approx(example["values"], abs=5e-7)
    if "dcg" in example:
        assert dcg_at(outcome.hits, [5])[0, 0] == pytest.approx(example["dcg"], abs=5e-7)
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
    return dict(zip(names_at(ks), np.mean(rows, axis=0), strict=True))


@pytest.mark.parametrize("size", [(80, 40, 0.05), (1000, 1000, 0.5)])
def test_dcg_and_ndcg_are_those_of_scikit_learn(size):
    """The larger one is a check that LibMultiLabel once had."""
    rng, (n, n_labels, share) = np.random.default_rng(42), size
    truth, scores, ks = rng.random((n, n_labels)) < share, rng.random((n, n_labels)), [1, 3, n_labels // 2]
    outcome = outcome_of(truth, scores, n_labels // 2)
    assert (outcome.without_labels > 0) == (share < 0.1)
    found, gains = outcome.scores(ks), outcome.counts @ dcg_at(outcome.hits, ks) / n
    for k, gain in zip(ks, gains, strict=True):
        assert found[f"NDCG@{k}"] == pytest.approx(
            ndcg_score(truth, scores, k=k, ignore_ties=True), abs=1e-12
        )
        assert gain == pytest.approx(dcg_score(truth, scores, k=k, ignore_ties=True), rel=1e-12)


@PROPERTY
@given(st.integers(1, 300), st.integers(1, 300))
def test_a_perfect_ranking_has_exactly_one(depth, relevant):
    ks = sorted({1, depth, min(depth, relevant), (depth + 1) // 2})
    p, r, rp, ndcg = ranking_values([np.arange(depth) < relevant], [relevant], ks)[0]
    assert (rp == 1).all() and (ndcg == 1).all()
    assert p.tolist() == [min(1, relevant / k) for k in ks] and r.tolist() == [
        min(1, k / relevant) for k in ks
    ]


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


def small(n=1, n_labels=2, depth=1):
    return outcome_of(np.eye(n, n_labels), np.zeros((n, n_labels)), depth)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: checked_ks([], 5), "ks is empty"),
        (lambda: checked_ks("1,3", 5), "ks is '1,3': a list of whole numbers"),
        (lambda: checked_ks([1, 0], 5), r"ks\[1\] is 0: it has to be a whole number, 1 or more"),
        (lambda: checked_ks([1.5], 5), r"ks\[0\] is 1.5"),
        (lambda: checked_ks([1, 3, 1], 5), "ks holds 1 twice"),
        (lambda: checked_ks([1, 6], 5), r"ks\[1\] is 6, but there are 5 labels"),
        (lambda: small().scores([2]), r"ks\[0\] is 2, but the hits are those of the first 1 ranks"),
        (lambda: small(0).scores([1]), "no instances"),
        (lambda: small() + small(depth=2), "depth 1 and 2 do not add up"),
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
