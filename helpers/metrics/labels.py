"""What a label is, and a column of labels as integer codes.

A label is a string or an integer, and never missing. `columns.as_coded` makes a `Coded` column from whatever
the caller has. This module does not decide which labels are scored.
"""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np

Label = str | int

SKIPPED = "(skipped)"
"""Predicted 'label' of a sample without an answer: a miss of its gold class, a false alarm of none."""

MAX_LABELS = 5_000
"""A table of 5,000² counts takes 200 MB; more labels than that are ids or texts, not classes."""


class Interner(dict):
    """Codes for labels in order of first sight; `closed` when the label list is fixed.

    Looking a label up gives its code; a label seen for the first time gets the next free code, or a
    `KeyError` when closed. Every distinct value is checked once, so a column of ten million strings costs ten
    million dictionary look-ups and no more.

    >>> interner = Interner()
    >>> [interner[label] for label in ("b", "a", "b")]
    [0, 1, 0]
    """

    def __init__(self, labels: Iterable[Label] = (), closed: bool = False) -> None:
        super().__init__((label, code) for code, label in enumerate(labels))
        self.closed = closed
        self._lock = Lock()

    def __missing__(self, label: Hashable) -> int:
        if self.closed or as_label(label) is None:
            raise KeyError(label)
        if len(self) >= MAX_LABELS:
            raise ValueError(
                f"more than {MAX_LABELS} distinct labels, {label!r} among them: are they ids or texts?"
            )
        with self._lock:
            return self.setdefault(label, len(self))


@dataclass(frozen=True)
class Coded:
    """A label column readable as codes, piece by piece.

    `data` holds integer codes if `values` is a sequence, label integers if `values` is None, and Python
    objects if `values` is an `Interner`, which then maps them to codes.

    >>> Coded(np.array([1, 0]), ("a", "b"), "gold").codes(0, 2).tolist()
    [1, 0]
    """

    data: np.ndarray
    values: Sequence[Label] | Interner | None
    argument: str

    def __len__(self) -> int:
        return len(self.data)

    @property
    def parallel(self) -> bool:
        """Whether pieces are read outside the interpreter lock, so that threads pay."""
        return not isinstance(self.values, Interner)

    def codes(self, start: int, stop: int) -> np.ndarray:
        """Integer codes of the rows start … stop−1."""
        piece = self.data[start:stop]
        if not isinstance(self.values, Interner):
            return piece
        try:
            return np.fromiter(map(self.values.__getitem__, piece.tolist()), np.intp, len(piece))
        except (KeyError, TypeError):
            raise self._unknown(start) from None

    def _unknown(self, start: int) -> ValueError:
        for index in range(start, len(self)):
            value = self.data[index]
            if as_label(value) is None:
                return ValueError(missing_message(self.argument, index, value))
            if value not in self.values:
                return ValueError(unlisted_message(self.argument, index, as_label(value), self.values))
        raise AssertionError("a look-up failed for a value that is listed")  # pragma: no cover


def as_label(value: Any) -> Label | None:
    """A value as a label, None if it is none: strings and integers are labels, True and False are 1 and 0.

    >>> as_label(np.int8(3)), as_label(True), as_label("NA"), as_label(float("nan"))
    (3, 1, 'NA', None)
    """
    if isinstance(value, str):
        return str(value)
    return int(value) if isinstance(value, int | np.integer | np.bool_) else None


def missing_message(argument: str, index: int, value: Any) -> str:
    """Say that `argument[index]` holds no label.

    >>> missing_message("gold", 3, float("nan"))
    'gold[3] is nan: labels are strings or integers, and none may be missing'
    """
    return f"{argument}[{index}] is {value!r}: labels are strings or integers, and none may be missing"


def unlisted_message(argument: str, index: int | None, value: Label, labels: Iterable[Label]) -> str:
    """Say that `argument[index]`, or `argument` itself, is not in the label list, and which listed label is
    nearest.

    >>> unlisted_message("predicted", 0, "per:titel", ["per:age", "per:title"])
    "predicted[0] is 'per:titel', which is not in labels (2 labels); did you mean 'per:title'?"
    """
    known = [str(label) for label in labels]
    near = difflib.get_close_matches(str(value), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    place = argument if index is None else f"{argument}[{index}]"
    return f"{place} is {value!r}, which is not in labels ({len(known)} labels){hint}"
