"""The columns of multi-label matrices: their names, and which columns others stand for.

Names are strings or integers, as the labels of a confusion table are; there may be many thousands of them.
What the matrices hold is checked in `label_matrix`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .labels import Label, as_label


def label_names(labels: Iterable[Label] | None, n_labels: int) -> tuple[Label, ...]:
    """The names of the columns: those given, or 0 … L−1.

    Unlike the classes of a confusion table they may be many thousands. Raises ValueError unless there is one
    name, a string or an integer, for each column, and none twice.

    >>> label_names(None, 3), label_names(["a", "b"], 2)
    ((0, 1, 2), ('a', 'b'))
    """
    if labels is None:
        return tuple(range(n_labels))
    given = list(labels)
    names = tuple(map(as_label, given))
    if len(names) != n_labels:
        raise ValueError(f"labels names {len(names)} labels, but truth has {n_labels} columns")
    seen: set[Label] = set()
    for index, name in enumerate(names):
        if name is None:
            raise ValueError(f"labels[{index}] is {given[index]!r}: labels are strings or integers")
        if name in seen:
            raise ValueError(f"labels holds {name!r} twice")
        seen.add(name)
    return names


def check_same_labels(first: tuple[Label, ...], second: tuple[Label, ...]) -> None:
    """ValueError unless both outcomes have the same labels in the same order: Macro-F1 divides by their
    number, so a label more or less is another measure.

    >>> check_same_labels(("a", "b"), ("a", "c"))
    Traceback (most recent call last):
    ValueError: outcomes of different labels do not add up: label 1 is 'b' and 'c'
    """
    if first is second or first == second:
        return
    if len(first) != len(second):
        raise ValueError(f"outcomes of {len(first)} and of {len(second)} labels do not add up")
    place = next(i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b)
    differ = f"label {place} is {first[place]!r} and {second[place]!r}"
    raise ValueError(f"outcomes of different labels do not add up: {differ}")


def checked_columns(columns: Any, n_labels: int) -> np.ndarray:
    """Columns of the truth as indices; ValueError unless they are different integers from 0 to L−1.

    >>> checked_columns([2, 0], 3).tolist()
    [2, 0]
    >>> checked_columns([2, 3], 3)
    Traceback (most recent call last):
    ValueError: columns[1] is 3, but truth has 3 columns
    """
    given = np.asarray(columns)
    if given.ndim != 1 or not given.size or given.dtype.kind not in "iu":
        raise ValueError(
            f"columns has shape {given.shape} and type {given.dtype}: a list of columns is needed"
        )
    odd = (given < 0) | (given >= n_labels)
    if odd.any():
        index = int(odd.argmax())
        raise ValueError(f"columns[{index}] is {given[index]}, but truth has {n_labels} columns")
    if len(np.unique(given)) < len(given):
        raise ValueError("columns holds a column twice")
    return given.astype(np.intp)
