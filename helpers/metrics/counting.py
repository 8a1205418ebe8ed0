"""From label columns to cells: reads the columns, checks them, counts them, and gives the codes their labels.

It is the way from what a user has to what `counts` keeps; every message about bad columns comes from here or
from `columns`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .columns import as_coded
from .labels import MAX_LABELS, Coded, Interner, Label, as_label, unlisted_message
from .tally import Tally, TooWide, joint_counts, narrow


def count_columns(columns: Mapping[str, Any], labels: Iterable[Label] | None, weight: Any = None) -> tuple:
    """Count the rows of named label columns.

    Arguments and errors are those of `counts.Confusion.from_arrays`.

    Returns
    -------
    cells (K, m), positions into the label list; counts (K,); the label list.

    >>> cells, counts, labels = count_columns({"gold": ["b", "a"], "predicted": ["b", "b"]}, labels=None)
    >>> sorted(zip(cells.tolist(), counts.tolist())), labels
    ([([0, 1], 1), ([1, 1], 1)], ('a', 'b'))
    """
    listed = None if labels is None else checked_labels(labels)
    interner = Interner(listed or (), closed=listed is not None)
    coded = [as_coded(column, argument, interner) for argument, column in columns.items()]
    _check_lengths(coded)
    coded, cells, counts = _count(coded, _checked_weight(weight, len(coded[0])))
    names = [_names(column, cells[:, place], listed) for place, column in enumerate(coded)]
    final = listed or _sorted_labels(names)
    place_of = {label: index for index, label in enumerate(final)}
    for place, (column, name) in enumerate(zip(coded, names, strict=True)):
        _check_listed(column, name, place_of, final)
        codes, inverse = np.unique(cells[:, place], return_inverse=True)
        cells[:, place] = np.array([place_of[name[code]] for code in codes.tolist()], np.intp)[inverse]
    return cells, counts, final


def _count(coded: list[Coded], weight: np.ndarray | None) -> tuple[list[Coded], *Tally]:
    try:
        return coded, *joint_counts(coded, weight)
    except TooWide:
        coded = [narrow(column) for column in coded]
        return coded, *joint_counts(coded, weight)


def _names(column: Coded, codes: np.ndarray, listed: tuple | None) -> dict[int, Label]:
    """Label of each code that occurs; an integer is a position where strings are listed."""
    values = tuple(column.values) if isinstance(column.values, Interner) else column.values
    labels = {code: code if values is None else values[code] for code in np.unique(codes).tolist()}
    if listed is None or not isinstance(listed[0], str):
        return labels
    return {
        code: listed[label] if isinstance(label, int) and 0 <= label < len(listed) else label
        for code, label in labels.items()
    }


def _sorted_labels(names: Sequence[dict]) -> tuple[Label, ...]:
    found = {label for name in names for label in name.values()}
    if len({isinstance(label, str) for label in found}) > 1:
        raise ValueError(f"labels mix strings and integers: {sorted(map(repr, found))[:5]} …")
    if len(found) > MAX_LABELS:
        raise ValueError(
            f"{len(found)} distinct labels: more than {MAX_LABELS} are ids or texts, not classes"
        )
    return tuple(sorted(found))


def _check_listed(column: Coded, names: dict[int, Label], place_of: dict, listed: tuple) -> None:
    strange = [code for code, label in names.items() if label not in place_of]
    if strange:
        index = int(np.isin(column.data, strange).argmax())
        label = names[column.data[index].item()]
        raise ValueError(unlisted_message(column.argument, index, label, listed))


def checked_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """A label list as a tuple of strings or of integers; ValueError says what is wrong with it.

    >>> checked_labels(np.array([3, 1]))
    (3, 1)
    """
    if isinstance(labels, str):
        raise ValueError(f"labels is {labels!r}: a list of labels is needed")
    given = list(labels)
    listed = tuple(as_label(label) for label in given)
    for index, label in enumerate(listed):
        if label is None:
            raise ValueError(f"labels[{index}] is {given[index]!r}: labels are strings or integers")
    if not listed:
        raise ValueError("labels is empty")
    if len(listed) > MAX_LABELS:
        raise ValueError(f"labels holds {len(listed)} labels: more than {MAX_LABELS} are ids or texts")
    if len(set(listed)) < len(listed):
        twice = next(label for index, label in enumerate(listed) if label in listed[:index])
        raise ValueError(f"labels holds {twice!r} twice")
    if len({isinstance(label, str) for label in listed}) > 1:
        raise ValueError("labels mixes strings and integers")
    return listed


def _check_lengths(coded: Sequence[Coded]) -> None:
    first = coded[0]
    if not len(first):
        raise ValueError(f"{first.argument} is empty: no samples to count")
    for column in coded[1:]:
        if len(column) != len(first):
            lengths = f"{first.argument} has {len(first)} samples, {column.argument} has {len(column)}"
            raise ValueError(lengths)


def _checked_weight(weight: Any, n: int) -> np.ndarray | None:
    if weight is None:
        return None
    try:
        weight = np.asarray(weight, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("sample_weight holds something that is no number") from None
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}, gold has {n} samples")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        first = int(bad.argmax())
        raise ValueError(f"sample_weight[{first}] is {weight[first]}: weights are finite and not negative")
    return weight
