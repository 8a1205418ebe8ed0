"""The order of labels: that of a full stable sort, whatever ties, in every form of scores."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers.metrics import label_matrix
from helpers.metrics.label_scores import as_score_matrix, top_k

PROPERTY = settings(max_examples=300)
VALUES = [-np.inf, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, np.inf]  # few values: nearly every row has ties
shapes = st.tuples(st.integers(0, 6), st.integers(1, 9))
tied = shapes.flatmap(lambda shape: arrays(np.float64, shape, elements=st.sampled_from(VALUES)))


def sorted_in_full(scores, k):
    return np.argsort(-np.asarray(scores, dtype=float), axis=1, kind="stable")[:, :k]


@PROPERTY
@given(tied, st.data(), st.sampled_from([1, 7, 30, 1 << 21]), st.sampled_from(["f2", "f4", "f8"]))
@example(np.zeros((2, 5)), None, 1, "f8")
def test_the_order_is_that_of_a_full_stable_sort(scores, data, block, kind):
    scores = scores.astype(kind)
    k = data.draw(st.integers(1, scores.shape[1])) if data else 2
    expected = sorted_in_full(scores, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_matrix, "BLOCK_ENTRIES", block)
        for form in (scores, sp.csr_array(scores), sp.coo_matrix(scores)) if kind != "f2" else (scores,):
            labels, best = top_k(form, k)
            assert labels.tolist() == expected.tolist()
            assert np.array_equal(best, np.take_along_axis(scores, expected, axis=1))
            assert best.dtype == scores.dtype


@pytest.mark.parametrize("kind", [bool, np.uint8, np.int8, int])
def test_integers_do_not_wrap_around(kind):
    """−scores of unsigned integers, and of the smallest integer, are not what one means by them."""
    scores = np.array([[0, 1, 0, 1]]).astype(kind)
    if kind is np.int8:
        scores[0, 0] = -128
    labels, best = top_k(scores, 4)
    assert labels.tolist() == ([[1, 3, 2, 0]] if kind is np.int8 else [[1, 3, 0, 2]])
    assert best.dtype == float


def test_a_cell_that_is_stored_twice_counts_as_the_sum():
    twice = sp.coo_array((np.array([1.0, 1, 1.5]), (np.zeros(3, int), np.array([0, 0, 1]))), shape=(1, 3))
    assert top_k(twice, 2)[0].tolist() == [[0, 1]]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_matrix, np.float32])
def test_nan_is_named_with_its_place(make, monkeypatch):
    scores = np.zeros((5, 4))
    scores[3, 2] = scores[4, 1] = np.nan
    monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", 8)  # the fault is not in the first block
    with pytest.raises(ValueError, match=r"^scores\[3, 2\] is nan: every score has to be a number"):
        top_k(make(scores), 2)


@pytest.mark.parametrize("k", [0, -1, 2.0, True, "1", None, np.nan])
def test_k_is_a_whole_number(k):
    with pytest.raises(ValueError, match=f"k is {k!r}: it has to be a whole number, 1 or more"):
        top_k(np.zeros((2, 3)), k)


def test_k_is_at_most_the_number_of_labels():
    with pytest.raises(ValueError, match="k is 4, but there are 3 labels"):
        top_k(np.zeros((2, 3)), 4)
    assert top_k(np.zeros((2, 3)), np.int64(3))[0].shape == (2, 3)


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ([0.5, 1], r"scores has shape \(2,\)"),
        ([["a"]], "scores holds <U1"),
        (sp.csr_array(np.array([[1j]])), "scores holds complex128"),
    ],
)
def test_scores_are_a_matrix_of_numbers(scores, message):
    with pytest.raises(ValueError, match=message):
        as_score_matrix(scores)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_memory_is_that_of_a_block(form, rng):
    """A full sort of the indices would take 64 MB, argpartition the same."""
    scores = form(np.where(rng.random((2000, 4000)) < 0.01, rng.random((2000, 4000)), 0).astype(np.float32))
    tracemalloc.start()
    top_k(scores, 5)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32e6
