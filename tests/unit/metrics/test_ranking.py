"""Outcomes of rankings: exact sums over batches, scikit-learn as oracle, intervals, and the way to rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import dcg_score, ndcg_score

from helpers.metrics import RankingOutcome
from helpers.metrics.label_matrix import as_label_matrix
from helpers.metrics.label_scores import top_k
from helpers.metrics.ranking import dcg_at, names_at, ranking_values

PROPERTY = settings(max_examples=60)


def outcome_of(truth, scores, depth):
    return RankingOutcome.from_top(as_label_matrix(truth), top_k(scores, depth)[0])


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


@pytest.fixture(scope="module")
def thousand():
    """A check that LibMultiLabel once had, on rng(42), 1000 × 1000."""
    rng = np.random.default_rng(42)
    return rng.integers(0, 2, (1000, 1000)), rng.random((1000, 1000))


def test_dcg_and_ndcg_of_a_large_matrix_are_those_of_scikit_learn(thousand):
    truth, scores = thousand
    ks = [1, 251, 501, 751]
    outcome = outcome_of(truth, scores, 751)
    found = outcome.scores(ks)
    gains = outcome.counts @ dcg_at(outcome.hits, ks) / 1000
    for place, k in enumerate(ks):
        assert found[f"NDCG@{k}"] == pytest.approx(
            ndcg_score(truth, scores, k=k, ignore_ties=True), abs=1e-12
        )
        assert gains[place] == pytest.approx(dcg_score(truth, scores, k=k, ignore_ties=True), rel=1e-12)


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


def test_a_table_answers_for_every_k_up_to_its_depth(rng):
    truth, scores = rng.random((60, 9)) < 0.3, rng.random((60, 9))
    deep = outcome_of(truth, scores, 9)
    for k in range(1, 10):
        assert deep.scores([k]) == pytest.approx(outcome_of(truth, scores, k).scores([k]), abs=1e-14)
    with pytest.raises(ValueError, match=r"ks\[0\] is 4, but the hits are those of the first 3 ranks"):
        outcome_of(truth, scores, 3).scores([4])


def test_instances_without_labels_count_as_zero():
    outcome = outcome_of([[1, 0], [0, 0], [0, 0]], np.zeros((3, 2)), 2)
    assert outcome.without_labels == 2
    assert outcome.scores([1]) == pytest.approx({"P@1": 1 / 3, "R@1": 1 / 3, "RP@1": 1 / 3, "NDCG@1": 1 / 3})


def test_rows_come_back(rng):
    outcome = outcome_of(rng.random((200, 90)) < 0.1, rng.random((200, 90)), 70)
    assert RankingOutcome.from_rows(outcome.to_rows(), 70, outcome.labels) == outcome


@pytest.mark.parametrize(
    "row", [[1, [1, 2], 5], [3, [1, 1], 5], [3, [4], 5], [3, [0], 5], [9, [1], 5], [1, [1], -1]]
)
def test_rows_that_are_none_are_named(row):
    with pytest.raises(ValueError, match=r"rows\[1\] is"):
        RankingOutcome.from_rows([[1, [1], 2], row], 3, ["a", "b", "c", "d"])


def test_different_depths_and_labels_do_not_add_up():
    one = outcome_of([[1, 0]], np.zeros((1, 2)), 1)
    with pytest.raises(ValueError, match="depth 1 and 2 do not add up"):
        one + outcome_of([[1, 0]], np.zeros((1, 2)), 2)
    with pytest.raises(ValueError, match="of 2 and of 3 labels do not add up"):
        one + outcome_of([[1, 0, 0]], np.zeros((1, 3)), 1)
    with pytest.raises(TypeError):
        one + 1


def test_an_outcome_of_nothing_has_no_scores():
    empty = outcome_of(np.zeros((0, 3)), np.zeros((0, 3)), 2)
    assert (empty.n, empty.to_rows()) == (0, [])
    with pytest.raises(ValueError, match="no instances"):
        empty.scores([1])


def test_intervals_are_those_of_resampled_instances(rng):
    """A bootstrap mean of n values has the standard deviation s / √n, and is nearly normal for large n."""
    truth, scores, ks = rng.random((2000, 12)) < 0.15, rng.random((2000, 12)), [1, 3]
    hits = np.take_along_axis(truth, top_k(scores, 3)[0], axis=1)
    values = ranking_values(hits, truth.sum(axis=1), ks).reshape(2000, -1)
    found = outcome_of(truth, scores, 3).intervals(ks, rng, 10_000)
    assert list(found) == names_at(ks)
    for interval, mean, spread in zip(found.values(), values.mean(axis=0), values.std(axis=0), strict=True):
        error = spread / np.sqrt(2000)
        assert interval.value == pytest.approx(mean, abs=1e-12)
        # an interval of 90 % would end 0.3 errors further in: half of it is the limit
        assert (interval.low, interval.high) == pytest.approx((mean - 1.96 * error, mean + 1.96 * error),
                                                              abs=0.15 * error)  # fmt: skip


def test_replicates_have_scores_of_their_own(rng):
    outcome = outcome_of(rng.random((50, 5)) < 0.4, rng.random((50, 5)), 2)
    replicates = outcome.resample(rng, 7)
    assert replicates.counts.shape == (7, len(outcome.relevant))
    assert replicates.n.tolist() == [50] * 7
    assert replicates.scores([2])["R@2"].shape == (7,)
    assert replicates.without_labels.shape == (7,)


def test_signatures_say_how_it_was_counted():
    outcome = outcome_of(np.eye(3), np.eye(3), 2)
    assert outcome.signature("NDCG@2") == "NDCG@2|ties:index|without_labels:0|n:3|labels_n:3|v:0.1"
