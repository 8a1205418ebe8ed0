"""The fast path for fixed-width strings can be slower or faster, never different."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics.columns import Interner, KnownStrings, StringColumn

texts = st.lists(st.text(max_size=6).filter(lambda text: not text.endswith("\0")), min_size=1, max_size=60)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(texts)
def test_codes_are_those_of_a_dictionary(values):
    values = ["x", *values]  # an array of empty strings only has width 0 and takes the other path
    column = StringColumn(np.array(values), Interner(), "gold")
    codes = column.codes(0, len(values))
    names = list(column.values)
    assert [names[code] for code in codes] == values
    assert len(names) == len(set(values))


def test_a_known_neighbour_is_not_taken_for_an_unknown_string():
    known = KnownStrings.of({f"relation:{number}": number for number in range(3000)}, np.dtype("U16"))
    strange = np.array([f"relatiom:{number}" for number in range(3000)], "U16")
    assert not known.look_up(strange)[0].any()
    found, codes = known.look_up(np.array([f"relation:{number}" for number in range(3000)], "U16"))
    assert found.all()
    assert codes.tolist() == list(range(3000))


def test_labels_learnt_in_a_later_piece_keep_the_earlier_codes():
    column = StringColumn(np.array(["b", "a", "c", "b"]), Interner(), "gold")
    codes = column.codes(0, 2).tolist() + column.codes(2, 4).tolist()
    assert [list(column.values)[code] for code in codes] == ["b", "a", "c", "b"]


def test_a_label_longer_than_the_column_is_no_match():
    column = StringColumn(
        np.array(["per", "org"]), Interner(["per:title", "per", "org"], closed=True), "gold"
    )
    assert column.codes(0, 2).tolist() == [1, 2]


def test_the_first_unknown_string_is_named():
    column = StringColumn(np.array(["a", "zz", "y", "a"]), Interner(["a", "b"], closed=True), "predicted")
    with pytest.raises(ValueError, match=r"^predicted\[1\] is 'zz', which is not in labels \(2 labels\)"):
        column.codes(0, 4)
