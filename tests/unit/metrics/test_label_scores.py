"""Matrices of scores: the best labels, the predicted labels, and the walk in blocks."""

import numpy as np
import pytest
import scipy.sparse as sp

from helpers.metrics import label_matrix
from helpers.metrics.label_scores import RankedLabels, ScoreMatrix, as_scores, iter_blocks


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("threshold", [-1.5, -0.5, 0, 0.5, 3])
def test_a_score_above_the_threshold_is_predicted_and_one_equal_to_it_is_not(
    make, threshold, rng, monkeypatch
):
    scores = rng.choice([-np.inf, -1, -0.5, 0, 0.5, 1], (40, 7))
    for block in (1, 20, 1 << 21):
        monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", block)
        found = ScoreMatrix(make(scores)).decide(threshold)
        assert found.toarray().tolist() == (scores > threshold).tolist()
        assert found.dtype == bool


def test_cells_that_are_stored_twice_add_up_before_they_are_decided():
    twice = sp.csr_array((np.array([1.0, -3, 0.25]), np.array([1, 1, 0]), np.array([0, 3])), shape=(1, 2))
    assert ScoreMatrix(twice).decide(0).toarray().tolist() == [[True, False]]
    assert twice.nnz == 3  # as it was


def test_a_label_that_was_never_reached_is_not_ranked():
    scores = np.array([[-np.inf, 0.5, -np.inf], [-np.inf, -np.inf, -np.inf]])
    for form in (scores, sp.csr_array(scores)):
        assert ScoreMatrix(form).top(3).tolist() == [[1, -1, -1], [-1, -1, -1]]


def test_the_decision_is_named_with_its_threshold():
    assert ScoreMatrix(np.zeros((1, 1))).decision(0.0) == "score>0"
    assert ScoreMatrix(np.zeros((1, 1))).decision(0.1234567) == "score>0.1234567"


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        (np.zeros((3, 4)), r"scores has shape \(3, 4\), but truth has \(3, 5\)"),
        (sp.csr_array((2, 5)), r"scores has shape \(2, 5\), but truth has \(3, 5\)"),
        (RankedLabels([[0]] * 2), r"scores has shape \(2, 5\), but truth has \(3, 5\)"),
        (RankedLabels([[0]] * 3, n_labels=4), r"scores has shape \(3, 4\), but truth has \(3, 5\)"),
        ("scores", "scores holds <U6"),
    ],
)
def test_shapes_have_to_agree(scores, message):
    with pytest.raises(ValueError, match=message):
        as_scores(scores, 5, 3)


def test_lists_take_the_number_of_labels_from_the_truth():
    assert as_scores(RankedLabels([[0]] * 3), 5, 3).n_labels == 5


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, lambda s: RankedLabels.from_matrix(s, 3)])
@pytest.mark.parametrize("block", [1, 40, 1 << 21])
def test_parts_are_the_whole_in_order(make, block, rng, monkeypatch):
    monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", block)
    truth, scores = sp.csr_array(rng.random((30, 6)) < 0.3), rng.random((30, 6))
    found = list(iter_blocks(truth, as_scores(make(scores), 6, 30)))
    assert np.vstack([gold.toarray() for gold, _ in found]).tolist() == truth.toarray().tolist()
    top = np.vstack([part.top(3) for _, part in found])
    assert top.tolist() == ScoreMatrix(scores).top(3).tolist()
    assert len(found) == {1: 30, 40: 15, 1 << 21: 1}[block]  # a row counts as 16 cells at least


def test_no_rows_are_one_empty_part():
    ((gold, part),) = iter_blocks(sp.csr_array((0, 3), dtype=bool), as_scores(np.zeros((0, 3)), 3, 0))
    assert (gold.shape, len(part), part.top(2).shape, part.decide(0).shape) == ((0, 3), 0, (0, 2), (0, 3))


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_faults_are_named_by_their_row_in_the_whole(make, monkeypatch):
    monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", 64)  # four rows a block
    scores = np.zeros((30, 6))
    scores[17, 2] = np.nan
    with pytest.raises(ValueError, match=r"scores\[17, 2\] is nan"):
        list(iter_blocks(sp.csr_array((30, 6), dtype=bool), as_scores(make(scores), 6, 30)))
    lists = RankedLabels(np.where(np.arange(30) == 17, 6, 0)[:, None])
    with pytest.raises(ValueError, match=r"labels\[17, 0\] is 6"):
        list(iter_blocks(sp.csr_array((30, 6), dtype=bool), as_scores(lists, 6, 30)))
