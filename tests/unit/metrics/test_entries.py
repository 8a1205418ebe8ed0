"""Summing, drawing and placing of entries."""

import numpy as np
import pytest

from helpers.metrics.counts import dense, draw, positions, split_rows, sum_duplicates


def test_positions_name_a_label_that_is_not_there():
    assert positions(["b", "a"], ("a", "b")).tolist() == [1, 0]
    with pytest.raises(ValueError, match=r"inverse\[1\] is 'c', which is not in labels"):
        positions(["a", "c"], ("a", "b"), "inverse")


def test_duplicates_are_summed_and_sorted_for_each_replicate():
    entries, counts = sum_duplicates(np.array([[1, 0], [0, 1], [1, 0]]), np.array([[1, 2, 3], [4, 5, 6]]))
    assert entries.tolist() == [[0, 1], [1, 0]]
    assert counts.tolist() == [[2, 4], [5, 10]]


def test_a_dense_table_has_the_counts_in_place_for_each_replicate():
    table = dense(np.array([[0, 1], [1, 1], [0, 1]]), np.array([[1, 2, 3], [4, 5, 6]]), 2)
    assert table.tolist() == [[[0, 4], [0, 2]], [[0, 10], [0, 5]]]


def test_rows_come_apart_into_entries_and_counts():
    entries, counts = split_rows([[0, 1, 2, 5], [1, 1, 1, 3]], 3, ["a", "b", "c"])
    assert (entries.tolist(), counts.tolist()) == ([[0, 1, 2], [1, 1, 1]], [5, 3])


def test_draws_keep_the_number_of_samples_and_leave_empty_entries_empty(rng):
    drawn = draw(np.array([5, 0, 95]), rng, 1000)
    assert (drawn.sum(1) == 100).all()
    assert not drawn[:, 1].any()
    assert abs(drawn[:, 0].mean() - 5) < 0.5  # standard error 0.07; the next integer is 1 away


@pytest.mark.parametrize("counts", [np.array([0.5, 1.5]), np.array([1.0, 2.0])])
def test_weights_are_not_drawn(counts, rng):
    with pytest.raises(ValueError, match="sample weights cannot be resampled"):
        draw(counts, rng, 3)
