"""What a label is, and the messages about columns that hold something else."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics import Outcome, counting
from helpers.metrics.counting import MAX_LABELS, encoded

texts = st.lists(st.text(max_size=6).filter(lambda text: not text.endswith("\0")), min_size=1, max_size=60)


def decoded(column):
    codes, values = encoded(column, "gold")
    return [values[code] for code in codes]


@settings(max_examples=60)
@given(texts)
def test_every_text_is_found_again(values):
    assert decoded(values) == decoded(np.array(values)) == values


def test_labels_of_a_later_block_keep_the_earlier_codes(monkeypatch):
    monkeypatch.setattr(counting, "BLOCK_ROWS", 2)
    assert encoded(np.array(["b", "a", "c", "b"]), "gold")[0].tolist() == [0, 1, 2, 0]


@pytest.mark.parametrize("value", [None, 1.5, float("nan"), b"a", ("a",), ["a"], 1.0])
def test_only_strings_and_integers_are_labels(value):
    column = [1, 0, value, value]
    with pytest.raises(ValueError, match=r"^gold\[2\] is ") as caught:
        encoded(column, "gold")
    assert repr(value) in str(caught.value)


def test_too_many_labels_are_refused_before_the_memory_is_gone(monkeypatch):
    monkeypatch.setattr(counting, "BLOCK_ROWS", 100)
    endless = np.array([f"text {number}" for number in range(MAX_LABELS + 100)])
    with pytest.raises(ValueError, match=f"more than {MAX_LABELS} distinct labels, 'text 5000' among them"):
        encoded(endless, "gold")


@pytest.mark.parametrize("make", [list, lambda values: np.array(values, dtype=object)])
def test_the_first_row_that_is_not_listed_is_named(make):
    with pytest.raises(ValueError, match=r"^predicted\[1\] is 'zz', which is not in labels \(2 labels\)"):
        Outcome.from_columns(["a"] * 4, make(["a", "zz", "y", "a"]), labels=["a", "b"])
