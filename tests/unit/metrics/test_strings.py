"""The fast path for fixed-width strings can be slower or faster, never different."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics.columns import Interner, KnownStrings, as_coded, string_codes

texts = st.lists(st.text(max_size=6).filter(lambda text: not text.endswith("\0")), min_size=1, max_size=60)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(texts)
def test_codes_are_those_of_a_dictionary(values):
    values = ["x", *values]  # an array of empty strings only has width 0 and takes the other path
    interner = Interner()
    codes = string_codes(np.array(values), interner)
    names = list(interner)
    assert [names[code] for code in codes] == values
    assert len(names) == len(set(values))


def test_a_known_neighbour_is_not_taken_for_an_unknown_string():
    known = KnownStrings.of({f"relation:{number}": number for number in range(3000)}, np.dtype("U16"))
    strange = np.array([f"relatiom:{number}" for number in range(3000)], "U16")
    assert not known.look_up(strange)[0].any()
    found, codes = known.look_up(np.array([f"relation:{number}" for number in range(3000)], "U16"))
    assert found.all()
    assert codes.tolist() == list(range(3000))


def test_labels_learnt_in_a_later_block_keep_the_earlier_codes(monkeypatch):
    monkeypatch.setattr("helpers.metrics.columns.BLOCK_ROWS", 2)
    interner = Interner()
    codes = string_codes(np.array(["b", "a", "c", "b"]), interner).tolist()
    assert [list(interner)[code] for code in codes] == ["b", "a", "c", "b"]
    assert codes[0] == codes[3]


def test_a_label_longer_than_the_column_is_no_match():
    interner = Interner(["per:title", "per", "org"], closed=True)
    assert string_codes(np.array(["per", "org"]), interner).tolist() == [1, 2]


def test_the_first_unknown_string_is_named():
    with pytest.raises(ValueError, match=r"^predicted\[1\] is 'zz', which is not in labels \(2 labels\)"):
        as_coded(np.array(["a", "zz", "y", "a"]), "predicted", Interner(["a", "b"], closed=True))
