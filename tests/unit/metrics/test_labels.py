"""What a label is, and the messages about columns that hold something else."""

import threading

import numpy as np
import pytest

from helpers.metrics.columns import MAX_LABELS, Interner, as_coded


def test_codes_follow_the_order_of_first_sight():
    interner = Interner()
    assert [interner[label] for label in ["b", "a", "b", 7]] == [0, 1, 0, 2]
    assert list(interner) == ["b", "a", 7]


def test_a_closed_list_learns_nothing():
    interner = Interner(["a"], closed=True)
    with pytest.raises(KeyError):
        interner["b"]
    assert dict(interner) == {"a": 0}


@pytest.mark.parametrize("value", [None, 1.5, float("nan"), b"a", ("a",)])
def test_only_strings_and_integers_are_labels(value):
    with pytest.raises(KeyError):
        Interner()[value]


def test_too_many_labels_are_refused_before_the_memory_is_gone():
    interner = Interner(range(MAX_LABELS))
    with pytest.raises(ValueError, match=f"more than {MAX_LABELS} distinct labels"):
        interner["one more"]


def test_threads_that_learn_together_agree():
    interner, labels = Interner(), [str(number) for number in range(2000)]
    threads = [threading.Thread(target=lambda: [interner[label] for label in labels]) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(interner.values()) == list(range(2000))


@pytest.mark.parametrize("strange", [None, float("nan"), 2.5, ["a"], "c"])
def test_the_first_offending_row_is_named(strange):
    data = np.array(["a", "b", "a", None, strange], dtype=object)
    data[3], data[4] = strange, None
    with pytest.raises(ValueError, match=r"^predicted\[3\] is ") as caught:
        as_coded(data, "predicted", Interner(["a", "b"], closed=True))
    assert repr(strange) in str(caught.value)
