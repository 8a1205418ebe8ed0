"""Summing, drawing and placing of entries."""

import numpy as np
import pytest

from helpers.metrics.outcome import Outcome, draw, positions, summed


def test_positions_name_a_label_that_is_not_there():
    assert positions(["b", "a"], ("a", "b")).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"inverse\[1\] is 'c', which is not in labels"):
        positions(["a", "c"], ("a", "b"), "inverse")


def test_counts_of_equal_codes_are_summed_for_each_replicate():
    assert summed(np.array([[1, 2, 3], [4, 5, 6]]), np.array([2, 1, 2]), 4).tolist() == [
        [0, 2, 4, 0],
        [0, 5, 10, 0],
    ]


def test_equal_kinds_are_sorted_and_counted_once_in_each_replicate():
    roles = {"gold": np.array([1, 0, 1]), "predicted": np.array([0, 1, 0])}
    outcome = Outcome(roles, np.array([[1, 2, 3], [4, 5, 6]]), ("a", "b")).grouped()
    assert [codes.tolist() for codes in outcome.roles.values()] == [[0, 1], [1, 0]]
    assert outcome.counts.tolist() == [[2, 4], [5, 10]]
    assert outcome.table().tolist() == [[[0, 2], [4, 0]], [[0, 5], [10, 0]]]


def test_draws_keep_the_number_of_samples_and_leave_empty_entries_empty(rng):
    drawn = draw(np.array([5, 0, 95]), rng, 1000)
    assert (drawn.sum(1) == 100).all()
    assert not drawn[:, 1].any()
    assert abs(drawn[:, 0].mean() - 5) < 0.5  # standard error 0.07; the next integer is 1 away
