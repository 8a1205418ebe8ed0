"""What makes the parts of a document collection sound: ids, labels, texts and features (`documents`).

Each check names the argument, the position and the value of the first fault. Nothing is repaired, but that
features are brought into canonical form.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array


def label_tuples(labels: Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """The labels of each document as a tuple.

    Raises ValueError where a document has one string in place of a list: its letters are no labels.

    >>> label_tuples([["a", "b"], []])
    (('a', 'b'), ())
    """
    labels = tuple(labels)
    for position, row in enumerate(labels):
        if isinstance(row, str):
            raise ValueError(f"labels[{position}] is the string {row!r}; a list of labels is needed")
    return tuple(map(tuple, labels))


def canonical_features(features: Any) -> csr_array:
    """A dense or sparse matrix as n × d float64 rows: columns sorted, what is given twice added up.

    Raises ValueError for a value that is NaN or infinite.

    >>> canonical_features([[0, 2], [1, 0]]).indices
    array([1, 0], dtype=int32)
    """
    matrix = csr_array(features, dtype=np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()  # the caller's matrix stays as it is
        matrix.sum_duplicates()
    if not np.isfinite(matrix.data).all():
        place = int(np.flatnonzero(~np.isfinite(matrix.data))[0])
        row = int(np.searchsorted(matrix.indptr, place, side="right")) - 1
        raise ValueError(f"features[{row}, {matrix.indices[place]}] is {matrix.data[place]}, not finite")
    return matrix


def check_ids(ids: Sequence[str]) -> None:
    """Raises ValueError for an id that is no string, is empty, or occurred before; or if there is none.

    >>> check_ids(["a", "b", "a"])
    Traceback (most recent call last):
    ValueError: ids[2] is 'a', as ids[0] is
    """
    if not ids:
        raise ValueError("ids is empty: there are no documents")
    for position, identifier in enumerate(ids):
        if not isinstance(identifier, str) or not identifier:
            raise ValueError(f"ids[{position}] is {identifier!r}; a string that is not empty is needed")
    check_distinct(ids, "ids")


def check_lengths(ids: int, **lengths: int) -> None:
    """Raises ValueError for a part whose length is not the number of ids.

    >>> check_lengths(2, labels=3)
    Traceback (most recent call last):
    ValueError: labels has length 3, ids has 2
    """
    for name, length in lengths.items():
        if length != ids:
            raise ValueError(f"{name} has length {length}, ids has {ids}")


def check_distinct(names: Sequence[str], argument: str) -> None:
    """Raises ValueError for a name that occurred before; the message gives both positions.

    >>> check_distinct(["a", "b"], "labels")
    """
    first: dict[str, int] = {}
    for position, name in enumerate(names):
        if first.setdefault(name, position) != position:
            raise ValueError(f"{argument}[{position}] is {name!r}, as {argument}[{first[name]}] is")


def check_labels(ids: Sequence[str], labels: Sequence[tuple[str, ...]]) -> None:
    """Raises ValueError for a label that is no string or blank, or that a document has twice.

    >>> check_labels(["7"], [("a", "a")])
    Traceback (most recent call last):
    ValueError: labels[0], of document '7', has the label 'a' twice
    """
    for position, row in enumerate(labels):
        place = f"labels[{position}], of document {ids[position]!r},"
        for label in row:
            if not isinstance(label, str) or not label.strip():
                raise ValueError(f"{place} has the label {label!r}; a string that is not blank is needed")
        if len(set(row)) != len(row):
            twice = next(label for number, label in enumerate(row) if label in row[:number])
            raise ValueError(f"{place} has the label {twice!r} twice")


def check_texts(ids: Sequence[str], texts: Sequence[str]) -> None:
    """Raises ValueError for a text that is no string, empty, or of blanks only.

    >>> check_texts(["7"], ["Rain."])
    """
    for position, text in enumerate(texts):
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"texts[{position}], of document {ids[position]!r}, is empty: {text!r}")
