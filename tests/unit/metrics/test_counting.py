"""The checks on the way from columns to a table, each with its message."""

import numpy as np
import pytest

from helpers.metrics import Outcome

BAD_COLUMNS = {
    "unequal": (["a", "b"], ["a"], None, "gold has 2 samples, predicted has 1"),
    "empty": ([], [], None, "gold is empty"),
    "empty array": (np.array([], dtype=int), np.array([], dtype=int), None, "gold is empty"),
    "unlisted": (["a", "b"], ["a", "per:titel"], ["a", "b", "per:title"],
                 r"predicted\[1\] is 'per:titel', .* not in labels \(3 labels\); did you mean 'per:title'\?"),
    "first of several": (["b", "x", "y", "x"], ["b"] * 4, ["a", "b"], r"gold\[1\] is 'x'"),
    "unlisted integer": ([1, 2, 7], [1, 1, 1], [1, 2], r"gold\[2\] is 7, .* not in labels \(2 labels\)"),
    "position too large": ([0, 1, 2], [0, 0, 0], ["a", "b"], r"gold\[2\] is 2"),
    "position negative": ([0, 1, 1], [0, -1, 0], ["a", "b"], r"predicted\[1\] is -1"),
    "position huge": (np.array([0, 2**64 - 1], "u8"), [0, 0], ["a", "b"], rf"gold\[1\] is {2**64 - 1}"),
    "unlisted category": (["a", "b"], np.array(["a", "c"], object), ["a", "b"], r"predicted\[1\] is 'c'"),
    "text and integers": (["1", "2"], [1, 2], None, "labels mix strings and integers"),
    "too many": (np.arange(5001), np.arange(5001), None, "5001 distinct labels: more than 5000"),
    "too many texts": (list(map(str, range(5001))), ["1"] * 5001, None, "more than 5000 distinct labels"),
}  # fmt: skip


@pytest.mark.parametrize("case", BAD_COLUMNS)
def test_bad_columns_are_named(case):
    gold, predicted, labels, message = BAD_COLUMNS[case]
    with pytest.raises(ValueError, match=message):
        Outcome.from_columns(gold, predicted, labels=labels)
    with pytest.raises(ValueError, match=message):
        Outcome.from_columns(gold, predicted, paired=predicted, labels=labels)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([], "labels is empty"),
        (["a", "b", "a"], "labels holds 'a' twice"),
        ([0, 1, 0], "labels holds 0 twice"),
        (["a", 1], "labels mixes strings and integers"),
        (["a", None], r"labels\[1\] is None"),
        (["a", float("nan")], r"labels\[1\] is nan"),
        ([0.0, 1.0], r"labels\[0\] is 0.0"),
        ("ab", "labels is 'ab'"),
    ],
)
def test_bad_label_lists_are_named(labels, message):
    gold = ["a", "a"] if isinstance(labels, str) or "a" in labels else [0, 0]
    with pytest.raises(ValueError, match=message):
        Outcome.from_columns(gold, gold, labels=labels)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1.0, -2.0], r"sample_weight\[1\] is -2.0"),
        ([np.nan, 1.0], r"sample_weight\[0\] is nan"),
        ([1.0, np.inf], r"sample_weight\[1\] is inf"),
        ([1.0], r"sample_weight has shape \(1,\), gold has 2 samples"),
        ([[1.0], [1.0]], r"sample_weight has shape \(2, 1\)"),
        (["heavy", 1.0], "sample_weight"),
    ],
)
def test_bad_weights_are_named(weight, message):
    with pytest.raises(ValueError, match=message):
        Outcome.from_columns(["a", "b"], ["a", "a"], sample_weight=weight)


def test_a_sample_of_weight_zero_keeps_its_labels():
    table = Outcome.from_columns(["a", "b"], ["a", "c"], sample_weight=[1, 0])
    assert table.labels == ("a", "b", "c")
    with pytest.raises(ValueError, match=r"gold\[1\] is 7"):
        Outcome.from_columns([0, 7], [0, 0], labels=["a", "b"], sample_weight=[1, 0])
