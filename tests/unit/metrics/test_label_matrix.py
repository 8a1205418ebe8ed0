"""Label sets as a sparse 0/1 matrix: every form gives the same one, and nothing else passes."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics import label_matrix
from helpers.metrics.label_matrix import (
    as_label_matrix,
    columns_of,
    row_blocks,
)

PROPERTY = settings(max_examples=100)
TRUTH = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 0, 0]])
FORMATS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def entries(matrix):
    return matrix.toarray().astype(int).tolist()


@pytest.mark.parametrize("kind", [bool, np.int8, np.uint8, int, np.float32, float])
def test_dense_values_of_any_type(kind):
    found = as_label_matrix(TRUTH.astype(kind))
    assert entries(found) == TRUTH.tolist()
    assert (type(found), found.dtype) == (sp.csr_array, bool)


@pytest.mark.parametrize("kind", [bool, int, np.float32])
@pytest.mark.parametrize("form", FORMATS)
def test_every_sparse_format(form, kind):
    for container in (sp.csr_array, sp.csr_matrix):
        found = as_label_matrix(container(TRUTH.astype(kind)).asformat(form))
        assert entries(found) == TRUTH.tolist()
        assert found.has_sorted_indices
        assert (type(found), found.dtype) == (sp.csr_array, bool)


def test_a_cell_that_is_stored_twice_counts_as_the_sum():
    twice = (np.array([0, 0]), np.array([1, 1]))
    with pytest.raises(ValueError, match=r"truth\[0, 1\] is 2"):
        as_label_matrix(sp.coo_array((np.array([1, 1]), twice), shape=(1, 2)))
    halves = sp.coo_array((np.array([0.5, 0.5]), twice), shape=(1, 2))
    assert entries(as_label_matrix(halves)) == [[0, 1]]


@pytest.mark.parametrize("odd", [2.0, -1.0, 0.5, np.nan, np.inf])
def test_other_values_are_named_with_their_place(odd):
    wrong = TRUTH.astype(float)
    wrong[3, 1] = odd
    wrong[3, 3] = 7
    message = rf"^gold\[3, 1\] is {odd}: a label is there \(1\) or not \(0\)$"
    for values in (wrong, sp.csr_array(wrong), sp.csc_matrix(wrong)):
        with pytest.raises(ValueError, match=message):
            as_label_matrix(values, "gold")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, 0], r"truth has shape \(2,\): instances × labels"),
        (np.zeros((2, 0)), r"truth has shape \(2, 0\): .* at least one label"),
        (sp.csr_array((2, 0)), r"truth has shape \(2, 0\)"),
        (np.zeros((2, 2, 2)), "truth has shape"),
        (3, r"truth has shape \(\)"),
        ([["1", "0"]], "truth holds <U1: numbers are needed"),
        ([[1, None]], "truth holds object: numbers are needed"),
        (np.array([[1j]]), "truth holds complex128"),
        (sp.csr_array(np.array([[1j]])), "truth holds complex128"),
        ([[1, 0], [1]], "truth is no matrix"),
    ],
)
def test_what_is_no_matrix_of_numbers_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        as_label_matrix(values)


@PROPERTY
@given(st.integers(0, 60), st.integers(0, 40), st.integers(1, 50))
def test_blocks_cover_the_rows_once_and_stay_small(n, width, cells):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_matrix, "BLOCK_ENTRIES", cells)
        blocks = list(row_blocks(n, width))
    assert [row for block in blocks for row in range(block.start, block.stop)] == list(range(n))
    assert all((block.stop - block.start) * width <= max(cells, width) for block in blocks)


def test_columns_of_a_mask_are_those_of_nonzero(rng):
    mask = rng.random((13, 7)) < 0.3
    for block in (mask, np.asfortranarray(mask), mask[:, ::2], mask[:0]):
        assert columns_of(block).tolist() == np.nonzero(block)[1].tolist()
