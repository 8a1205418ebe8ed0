"""Tables of label sets and counts of labels: what they hold, that they add up, and that they come back."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics import Outcome

PROPERTY = settings(max_examples=60)
KINDS = {
    "sets": Outcome.from_sets,
    "counts": lambda *matrices: Outcome.from_sets(*matrices).per_class(),
}


def pair(rng, n=60, n_labels=7, share=0.2):
    return rng.random((n, n_labels)) < share, rng.random((n, n_labels)) < share


@pytest.mark.parametrize("made", KINDS.values(), ids=KINDS)
@PROPERTY
@given(st.integers(0, 40), st.integers(1, 6), st.floats(0, 1), st.integers(0, 10**6), st.data())
def test_any_split_and_any_order_give_the_same_outcome(made, n, n_labels, share, seed, data):
    rng = np.random.default_rng(seed)
    truth, predicted = pair(rng, n, n_labels, share)
    whole = made(truth, predicted)
    cuts = sorted(data.draw(st.lists(st.integers(0, n), max_size=4)))
    pieces = [made(truth[p], predicted[p]) for p in np.split(rng.permutation(n), cuts)]
    assert sum(pieces) == whole
    assert whole.n == n
    assert type(whole).merged(pieces) == whole


def test_pairs_of_sets_are_counted_once_each(rng):
    truth, predicted = pair(rng, 400, 3, 0.4)
    found = {
        (tuple(gold), tuple(guess)): count
        for gold, guess, count in Outcome.from_sets(truth, predicted).to_rows()
    }
    expected = {}
    for gold, guess in zip(truth, predicted, strict=True):
        key = (tuple(np.flatnonzero(gold).tolist()), tuple(np.flatnonzero(guess).tolist()))
        expected[key] = expected.get(key, 0) + 1
    assert found == expected
    assert list(found) == sorted(found)


def test_columns_beyond_one_byte_sort_and_group_as_numbers(rng):
    columns = rng.integers(0, 70_000, 300)
    truth = sp.csr_array((np.ones(300, bool), columns, np.arange(301)), shape=(300, 70_000))
    rows = Outcome.from_sets(truth, truth).to_rows()
    assert [gold[0] for gold, _, _ in rows] == np.unique(columns).tolist()


def test_rows_come_back(rng):
    sets = Outcome.from_sets(*pair(rng), labels="abcdefg", decision="score>0")
    assert Outcome.from_rows(sets.to_rows(), "abcdefg", decision="score>0") == sets


@pytest.mark.parametrize(
    "row", [[[0], [3], 1], [[-1], [0], 1], [[0, 0], [1], 1], [[0], [1], -1], [[0], [1]], [[0], [1], [2], 1]]
)
def test_rows_that_are_none_are_named(row):
    with pytest.raises(ValueError, match=r"rows\[1\] is"):
        Outcome.from_rows([[[0], [1], 2], row], ["a", "b", "c"], decision="given")


@pytest.mark.parametrize("made", KINDS.values(), ids=KINDS)
def test_what_does_not_belong_together_does_not_add_up(made):
    one = made([[1, 0]], [[1, 0]], ["a", "b"], "score>0")
    with pytest.raises(ValueError, match="decided by score>0 and by score>0.5 do not add up"):
        one + made([[1, 0]], [[1, 0]], ["a", "b"], "score>0.5")
    with pytest.raises(ValueError, match="label 1 is 'b' and 'c'"):
        one + made([[1, 0]], [[1, 0]], ["a", "c"], "score>0")
    with pytest.raises(TypeError):
        one + 1
    assert one != made([[1, 0]], [[1, 0]], ["a", "b"], "given")
    assert one != made([[1, 0]], [[0, 0]], ["a", "b"], "score>0")
    assert one != "outcome"


@pytest.mark.parametrize("made", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize(
    ("truth", "predicted", "labels", "message"),
    [
        ([[1, 0]], [[1, 0, 0]], None, r"predicted has shape \(1, 3\), but truth has \(1, 2\)"),
        ([[1, 0]], [[1, 0]] * 2, None, r"predicted has shape \(2, 2\), but truth has \(1, 2\)"),
        ([[1, 3]], [[1, 0]], None, r"truth\[0, 1\] is 3"),
        ([[1, 0]], [[1, 0.5]], None, r"predicted\[0, 1\] is 0.5"),
        ([[1, 0]], [[1, 0]], ["a"], "labels names 1 labels, but truth has 2 columns"),
    ],
)
def test_matrices_have_to_fit(made, truth, predicted, labels, message):
    with pytest.raises(ValueError, match=message):
        made(truth, predicted, labels)


@pytest.mark.parametrize("times", [1, 3])  # every pair once, or each several times: drawn in two ways
def test_replicates_are_draws_with_replacement(times, rng):
    sets = Outcome.from_sets(np.eye(60), np.eye(60))
    drawn = sum([sets] * times).resample(rng, 4000).counts
    assert drawn.dtype.kind == "i"
    assert (drawn.sum(axis=1) == 60 * times).all()
    assert drawn.mean(axis=0) == pytest.approx(np.full(60, times), abs=0.13 * times)  # 5 standard errors
    assert drawn.var(axis=0) == pytest.approx(np.full(60, times * 59 / 60), rel=0.2)
    pairs = np.cov(drawn[:, :2].T)[0, 1]  # one more of one pair is one less of the others
    assert pairs == pytest.approx(-times / 60, abs=0.08 * times)


def test_replicates_of_counts_are_products_with_the_sets(rng):
    truth, predicted = pair(rng)
    sets = Outcome.from_sets(truth, predicted)
    drawn = sets.resample(rng, 3)
    for replicate, counts in enumerate(drawn.counts):
        dense = [matrix.toarray().astype(int) for matrix in sets.roles.values()]
        found = drawn.per_class()
        assert found.gold[replicate].tolist() == (counts @ dense[0]).tolist()
        assert found.predicted[replicate].tolist() == (counts @ dense[1]).tolist()
        assert found.correct[replicate].tolist() == (counts @ (dense[0] * dense[1])).tolist()
