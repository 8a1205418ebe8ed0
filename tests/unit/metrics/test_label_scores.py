"""Matrices of scores in dense blocks of rows: the same in every form, and each fault with its place."""

import numpy as np
import pytest
import scipy.sparse as sp

from helpers.metrics import label_matrix
from helpers.metrics.label_scores import as_score_matrix, score_blocks


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.coo_array])
@pytest.mark.parametrize("block", [1, 40, 1 << 21])
def test_blocks_are_the_whole_in_order(make, block, rng, monkeypatch):
    monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", block)
    scores = rng.random((30, 6))
    found = list(score_blocks(as_score_matrix(make(scores))))
    assert np.vstack([part for _, part in found]).tolist() == scores.tolist()
    assert len(found) == {1: 30, 40: 5, 1 << 21: 1}[block]


def test_cells_that_are_stored_twice_add_up():
    twice = sp.csr_array((np.array([1.0, -3, 0.25]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    ((_, block),) = score_blocks(as_score_matrix(twice))
    assert block.tolist() == [[0.25, -2]] and twice.nnz == 3  # as it was


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_faults_are_named_by_their_row_in_the_whole(make, monkeypatch):
    monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", 24)  # four rows a block
    scores = np.zeros((30, 6))
    scores[17, 2] = np.nan
    with pytest.raises(ValueError, match=r"scores\[17, 2\] is nan"):
        list(score_blocks(make(scores)))
