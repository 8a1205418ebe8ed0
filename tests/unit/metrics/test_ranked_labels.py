"""Lists of the best labels: what they answer, and which lists are none."""

import numpy as np
import pytest
import scipy.sparse as sp

from helpers.metrics.label_scores import RankedLabels

LISTS = [[2, 0, -1], [1, 2, 0], [-1, -1, -1]]
SCORES = [[0.9, 0.1, np.nan], [0.5, 0.5, -2], [0, 0, 0]]


def test_the_first_labels_of_each_list():
    assert RankedLabels(LISTS).top(2).tolist() == [[2, 0], [1, 2], [-1, -1]]
    with pytest.raises(ValueError, match="k is 4, but the lists hold 3 labels"):
        RankedLabels(LISTS).top(4)


@pytest.mark.parametrize(
    ("threshold", "predicted"),
    [(0.5, [[2], [], []]), (0, [[0, 2], [1, 2], []]), (-3, [[0, 2], [0, 1, 2], []])],
)
def test_listed_labels_above_the_threshold_are_predicted(threshold, predicted):
    lists = RankedLabels(LISTS, SCORES, 4)
    lists.check()
    found = lists.decide(threshold)
    assert found.shape == (3, 4)
    assert [np.flatnonzero(row).tolist() for row in found.toarray()] == predicted
    assert found.has_sorted_indices


def test_without_scores_nothing_is_decided():
    with pytest.raises(ValueError, match="no scores, so no label is decided: no F-measure"):
        RankedLabels(LISTS, n_labels=3).decide(0)


def test_the_decision_says_how_long_the_lists_are():
    assert RankedLabels(LISTS, SCORES).decision(0.5) == "top3,score>0.5"


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_lists_of_a_matrix_are_in_its_order(make):
    lists = RankedLabels.from_matrix(make(np.array([[0.0, 2, -np.inf, 2]])), 4)
    assert lists.labels.tolist() == [[1, 3, 0, -1]]
    assert lists.scores.tolist() == [[2, 2, 0, -np.inf]]
    assert lists.n_labels == 4
    lists.check()


def test_some_of_the_rows():
    part = RankedLabels(LISTS, SCORES, 3).rows(slice(1, 2))
    assert (len(part), part.labels.tolist(), part.scores.tolist()) == (1, [[1, 2, 0]], [[0.5, 0.5, -2]])
    assert RankedLabels(LISTS).rows(slice(0, 1)).scores is None


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([[0, 3]], None, r"labels\[10, 1\] is 3: columns of the truth are 0 … 2, and −1 is no label"),
        ([[0, 1], [-2, 1]], None, r"labels\[11, 0\] is -2"),
        ([[0, 1, 2], [2, 1, 2]], None, r"labels\[11\] holds the label 2 twice"),
        ([[0, 1]], [[0.5, np.nan]], r"scores\[10, 1\] is nan: every score has to be a number"),
        ([[0, 1]], [[0.5, 0.75]], r"scores\[10, 1\] is 0.75, higher than the score before"),
        ([[0, -1, 1]], [[0.5, 0, 0.75]], r"scores\[10, 2\] is 0.75, higher than the score before"),
    ],
)
def test_lists_that_are_no_rankings_are_named_with_their_place(labels, scores, message):
    with pytest.raises(ValueError, match=message):
        RankedLabels(labels, scores, 3).check(first_row=10)


def test_empty_places_may_repeat_and_hold_any_score():
    RankedLabels([[0, -1, -1]], [[0.5, 9, np.nan]], 3).check()
    RankedLabels(np.zeros((0, 2), int), np.zeros((0, 2)), 3).check()
    RankedLabels(np.array([[0, 2]], np.uint8), np.array([[2, 1]]), 3).check()


@pytest.mark.parametrize(
    ("labels", "scores", "message"),
    [
        ([[0.0, 1.0]], None, "labels holds float64: columns of the truth are needed, as integers"),
        ([[True, False]], None, "labels holds bool"),
        ([0, 1], None, r"labels has shape \(2,\)"),
        ([[0, 1]], [[0.5]], r"scores has shape \(1, 1\), but labels has \(1, 2\)"),
        ([[0, 1]], [["a", "b"]], "scores holds <U1"),
    ],
)
def test_lists_have_integers_and_scores_of_their_shape(labels, scores, message):
    with pytest.raises(ValueError, match=message):
        RankedLabels(labels, scores)
