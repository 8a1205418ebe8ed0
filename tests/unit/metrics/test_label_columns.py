"""Names and positions of columns: what fits, and what is refused with its place."""

import pytest

from helpers.metrics.label_matrix import checked_columns, label_names
from helpers.metrics.scores import check_same_labels


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["a"], "labels names 1 labels, but truth has 2 columns"),
        (["a", None], r"labels\[1\] is None: labels are strings or integers"),
        (["a", 0.5], r"labels\[1\] is 0.5"),
        (["a", "a"], "labels holds 'a' twice"),
    ],
)
def test_names_that_do_not_fit_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        label_names(labels, 2)


def test_the_same_labels_in_another_order_are_other_labels():
    check_same_labels(("a", "b"), ("a", "b"))
    with pytest.raises(ValueError, match="label 0 is 'a' and 'b'"):
        check_same_labels(("a", "b"), ("b", "a"))
    with pytest.raises(ValueError, match="outcomes of 2 and of 3 labels"):
        check_same_labels((0, 1), (0, 1, 2))


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([0, 3], r"columns\[1\] is 3, but truth has 3 columns"),
        ([-1], r"columns\[0\] is -1"),
        ([1, 1], "columns holds a column twice"),
        ([], "a list of columns is needed"),
        ([0.0, 1.0], "type float64: a list of columns is needed"),
        ([True, False, True], "type bool"),
        ([[0, 1]], r"columns has shape \(1, 2\)"),
        (1, r"columns has shape \(\)"),
    ],
)
def test_columns_are_different_positions(columns, message):
    with pytest.raises(ValueError, match=message):
        checked_columns(columns, 3)
