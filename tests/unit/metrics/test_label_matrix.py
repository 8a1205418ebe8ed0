"""Label sets as a 0/1 matrix and scores of labels in blocks: every form the same, each fault with its place,
and the order of labels that of a full stable sort."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from helpers.metrics import as_label_matrix, multilabel
from helpers.metrics.counting import as_score_matrix
from helpers.metrics.multilabel import _best_of, _score_blocks

TRUTH = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]])
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def top_k(scores, k):
    """Labels of the k highest scores of each row, and these scores, block by block."""
    blocks = [_best_of(block, k) for _, block in _score_blocks(as_score_matrix(scores))]
    return [np.concatenate(parts) for parts in zip(*blocks, strict=True)]


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, int, np.float32, float])
def test_dense_and_sparse_values_of_any_type_and_format(kind):
    values = TRUTH.astype(kind)
    sparse = [make(values).asformat(form) for make in (sp.csr_array, sp.csr_matrix) for form in FORMATS]
    for form in (values, *sparse):
        matrix = as_label_matrix(form)
        assert matrix.toarray().astype(int).tolist() == TRUTH.tolist()
        assert (type(matrix), matrix.dtype, matrix.has_sorted_indices) == (sp.csr_array, bool, True)


def test_a_cell_that_is_stored_twice_counts_as_the_sum():
    twice = (np.array([0, 0]), np.array([1, 1]))
    with pytest.raises(ValueError, match=r"truth\[0, 1\] is 2"):
        as_label_matrix(sp.coo_array((np.array([1, 1]), twice), shape=(1, 2)))
    halves = sp.coo_array((np.array([0.5, 0.5]), twice), shape=(1, 2))
    assert as_label_matrix(halves).toarray().tolist() == [[False, True]] and halves.nnz == 2  # as it was
    scores = sp.coo_array((np.array([1.0, 1, 1.5]), (np.zeros(3, int), np.array([0, 0, 1]))), shape=(1, 3))
    assert top_k(scores, 2)[0].tolist() == [[0, 1]]


WRONG = TRUTH.astype(float)
WRONG[3, [1, 3]] = 0.5, 7


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (WRONG, r"^truth\[3, 1\] is 0.5: a label is there \(1\) or not \(0\)$"),
        (sp.csc_matrix(WRONG), r"^truth\[3, 1\] is 0.5: a label"),
        (sp.csr_array(WRONG * np.nan), r"^truth\[0, 0\] is nan"),
        ([[0, 1], [0, -1]], r"truth\[1, 1\] is -1"),
        ([1, 0], r"truth has shape \(2,\): instances × labels"),
        (sp.csr_array((2, 0)), r"truth has shape \(2, 0\): .* at least one label"),
        (np.zeros((2, 2, 2)), "truth has shape"),
        ([["1", "0"]], "truth holds <U1: numbers are needed"),
        (sp.csr_array(np.array([[1j]])), "truth holds complex128"),
        ([[1, 0], [1]], "truth is no matrix"),
    ],
)
def test_what_is_no_label_matrix_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        as_label_matrix(values)
    if not message.startswith(("^", r"truth\[")):
        with pytest.raises(ValueError, match=message.replace("truth", "scores")):
            top_k(values, 1)


VALUES = [-np.inf, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, np.inf]  # few values: nearly every row has ties
tied = st.tuples(st.integers(0, 6), st.integers(1, 9)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.sampled_from(VALUES))
)


@settings(max_examples=300)
@given(tied, st.data(), st.sampled_from([1, 7, 30, 1 << 21]), st.sampled_from(["f2", "f4", "f8"]))
@example(np.zeros((2, 5)), None, 1, "f8")
def test_the_order_is_that_of_a_full_stable_sort(scores, data, block, kind):
    scores = scores.astype(kind)
    k = data.draw(st.integers(1, scores.shape[1])) if data else 2
    expected = np.argsort(-scores.astype(float), axis=1, kind="stable")[:, :k]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multilabel, "BLOCK_ENTRIES", block)
        for form in (scores, sp.csr_array(scores), sp.coo_matrix(scores)) if kind != "f2" else (scores,):
            labels, best = top_k(form, k)
            assert labels.tolist() == expected.tolist()
            assert np.array_equal(best, np.take_along_axis(scores, expected, axis=1))
            assert best.dtype == scores.dtype


@pytest.mark.parametrize(("kind", "lowest"), [(bool, 0), (np.uint8, 0), (np.int8, -128), (int, 0)])
def test_integers_do_not_wrap_around(kind, lowest):
    """−scores of unsigned integers, and of the smallest integer, are not what one means by them."""
    labels, best = top_k(np.array([[lowest, 1, 0, 1]]).astype(kind), 4)
    assert labels.tolist() == ([[1, 3, 2, 0]] if lowest else [[1, 3, 0, 2]]) and best.dtype == float


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csc_matrix, np.float32])
def test_nan_is_named_with_its_place(make, monkeypatch):
    scores = np.zeros((5, 4))
    scores[3, 2] = scores[4, 1] = np.nan
    monkeypatch.setattr(multilabel, "BLOCK_ENTRIES", 8)  # the fault is not in the first block
    with pytest.raises(ValueError, match=r"^scores\[3, 2\] is nan: every score has to be a number"):
        top_k(make(scores), 2)
