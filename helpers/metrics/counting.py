"""The one pass over the data: from label columns to how often each combination of labels occurs.

Everything else works on the small result. Every message about bad columns comes from here or from `columns`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..core import Label, as_label, shown, unlisted_message
from .columns import BLOCK_ROWS, MAX_LABELS, Coded, Interner, as_coded, in_spans

DENSE_BITS = 18  # up to 2^18 combinations are counted in an array, more by sorting
Contingency = tuple[np.ndarray, np.ndarray]
"""A contingency table as its entries (K, m), a row of codes each, and their counts (..., K)."""


class CodeRangeError(Exception):
    """A code is negative, or the combined codes do not fit into 62 bits: see `compact_codes`."""


def joint_counts(columns: Sequence[np.ndarray], weight: np.ndarray | None = None) -> Contingency:
    """Count the distinct rows of some columns of codes, block by block; memory for one block only.

    Parameters
    ----------
    columns : m integer arrays of n rows. weight : (n,) weight of each row; None counts each row once.

    Returns
    -------
    entries : (K, m) codes, one row for each combination that occurs; the same combination may stand more than
        once, its counts are to be added.
    counts : (K,) int64, or float64 when weighted.

    Raises
    ------
    CodeRangeError : a column has to be made `compact_codes` first.

    >>> entries, counts = joint_counts([np.array([0, 0, 1]), np.array([1, 1, 0])])
    >>> entries.tolist(), counts.tolist()
    ([[0, 1], [1, 0]], [2, 1])
    """

    def count(start: int, stop: int) -> Contingency:
        dense: dict[int, np.ndarray] = {}
        parts: list[Contingency] = []
        bits, at = 1, start
        while at < stop:
            # no fewer rows than the table has entries: adding up tables stays the smaller part of the work
            step = max(BLOCK_ROWS, 1 << min(bits * len(columns), DENSE_BITS))
            rows = slice(at, min(at + step, stop))
            at = rows.stop
            block = [column[rows] for column in columns]
            bits = max(bits, _bits(block))
            if bits * len(block) > 62:
                raise CodeRangeError
            # the codes of a row side by side in one integer, `bits` bits each
            packed = block[0].astype(np.intp)
            for codes in block[1:]:
                packed <<= bits
                packed |= codes.astype(np.intp, copy=False)
            share = None if weight is None else weight[rows]
            if bits * len(block) > DENSE_BITS:
                packed, counts = _count_sorted(packed, share)
                parts.append((_unpack(packed, bits, len(block)), counts))
                continue
            size = 1 << bits * len(block)
            table = np.bincount(packed, minlength=size)[None]
            if share is not None:
                table = np.stack([table[0], np.bincount(packed, share, size)])
            if bits in dense:
                dense[bits] += table
            else:
                dense[bits] = table
        for bits, table in dense.items():
            occurs = np.flatnonzero(table[0])  # not the sums of weights: a sample of weight 0 occurs
            parts.append((_unpack(occurs, bits, len(columns)), table[-1][occurs]))
        return _joined(parts)

    return _joined(in_spans(count, len(columns[0])))


def _joined(parts: Sequence[Contingency]) -> Contingency:
    entries, counts = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return entries, counts


def _bits(block: Sequence[np.ndarray]) -> int:
    # One OR over a block bounds all its codes: no bit above the highest of the OR is set in any of them,
    # and its sign is negative if one of them is. That is a third of the work of a minimum and a maximum.
    seen = 0
    for codes in block:
        seen |= int(np.bitwise_or.reduce(codes))
    if seen < 0:
        raise CodeRangeError
    return seen.bit_length()


def _unpack(packed: np.ndarray, bits: int, m: int) -> np.ndarray:
    return np.stack([packed >> bits * place & (1 << bits) - 1 for place in reversed(range(m))], axis=1)


def _count_sorted(packed: np.ndarray, weight: np.ndarray | None) -> Contingency:
    if weight is None:
        return np.unique(packed, return_counts=True)
    values, inverse = np.unique(packed, return_inverse=True)
    return values, np.bincount(inverse, weight)


def compact_codes(column: Coded) -> Coded:
    """A column of label integers of any size or sign as small codes, the label integers being their values.

    >>> compact_codes(Coded(np.array([-5, 7, -5]), None, "gold")).codes.tolist()
    [0, 12, 0]
    """
    if column.values is not None:
        return column
    low, high = int(column.codes.min()), int(column.codes.max())
    if high - low < 1 << DENSE_BITS:
        wide = column.codes if column.codes.dtype == np.uint64 else column.codes.astype(np.int64)
        codes = (wide - wide.dtype.type(low)).astype(np.intp)
        return replace(column, codes=codes, values=range(low, high + 1))
    values, codes = np.unique(column.codes, return_inverse=True)
    return replace(column, codes=codes, values=tuple(values.tolist()))


def count_columns(
    columns: Mapping[str, Any], labels: Iterable[Label] | None, weight: Any = None, counts: Any = None
) -> tuple[np.ndarray, np.ndarray, tuple[Label, ...]]:
    """Count the rows of named label columns.

    Arguments and errors are those of `counts.Confusion.from_arrays`.

    Returns
    -------
    entries (K, m), positions into the label list; counts (K,); the label list.

    >>> entries, counts, labels = count_columns({"gold": ["b", "a"], "predicted": ["b", "b"]}, labels=None)
    >>> sorted(zip(entries.tolist(), counts.tolist())), labels
    ([([0, 1], 1), ([1, 1], 1)], ('a', 'b'))
    """
    if counts is not None and weight is not None:
        raise ValueError("sample_weight and counts are both given: a row is weighed or counted")
    listed = None if labels is None else checked_labels(labels)
    interner = Interner(listed or (), closed=listed is not None)
    coded = [as_coded(column, argument, interner) for argument, column in columns.items()]
    first = coded[0]
    if not len(first):
        raise ValueError(f"{first.argument} is empty: no samples to count")
    for column in coded[1:]:
        if len(column) != len(first):
            lengths = f"{first.argument} has {len(first)} samples, {column.argument} has {len(column)}"
            raise ValueError(lengths)
    weight = _checked_weight(weight, len(first)) if counts is None else _checked_counts(counts, len(first))
    try:
        entries, found = joint_counts([column.codes for column in coded], weight)
    except CodeRangeError:
        coded = [compact_codes(column) for column in coded]
        entries, found = joint_counts([column.codes for column in coded], weight)
    names = [_names(column, entries[:, place], listed) for place, column in enumerate(coded)]
    final = listed or _sorted_labels(names)
    place_of = {label: index for index, label in enumerate(final)}
    for place, (column, name) in enumerate(zip(coded, names, strict=True)):
        strange = [code for code, label in name.items() if label not in place_of]
        if strange:
            index = int(np.isin(column.codes, strange).argmax())
            label = name[column.codes[index].item()]
            raise ValueError(unlisted_message(column.argument, index, label, final))
        codes, inverse = np.unique(entries[:, place], return_inverse=True)
        entries[:, place] = np.array([place_of[name[code]] for code in codes.tolist()], np.intp)[inverse]
    return entries, found if counts is None else found.astype(np.int64), final


def _names(column: Coded, codes: np.ndarray, listed: tuple[Label, ...] | None) -> dict[int, Label]:
    """Label of each code that occurs; an integer is a position where strings are listed."""
    labels = column.labels(np.unique(codes).tolist())
    if listed is None or not isinstance(listed[0], str):
        return labels
    return {
        code: listed[label] if isinstance(label, int) and 0 <= label < len(listed) else label
        for code, label in labels.items()
    }


def _sorted_labels(names: Sequence[dict[int, Label]]) -> tuple[Label, ...]:
    found = {label for name in names for label in name.values()}
    if len({isinstance(label, str) for label in found}) > 1:
        raise ValueError(f"labels mix strings and integers: {sorted(map(repr, found))[:5]} …")
    if len(found) > MAX_LABELS:
        raise ValueError(
            f"{len(found)} distinct labels: more than {MAX_LABELS} are ids or texts, not classes"
        )
    return tuple(sorted(found))


def checked_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """A label list as a tuple of strings or of integers; ValueError says what is wrong with it.

    >>> checked_labels(np.array([3, 1]))
    (3, 1)
    """
    if isinstance(labels, str):
        raise ValueError(f"labels is {shown(labels)}: a list of labels is needed")
    listed = distinct_labels(list(labels))
    if not listed:
        raise ValueError("labels is empty")
    if len(listed) > MAX_LABELS:
        raise ValueError(f"labels holds {len(listed)} labels: more than {MAX_LABELS} are ids or texts")
    if len({isinstance(label, str) for label in listed}) > 1:
        raise ValueError("labels mixes strings and integers")
    return listed


def distinct_labels(given: Sequence[Any]) -> tuple[Label, ...]:
    """A list of labels as a tuple; ValueError names what is no label, or stands there twice.

    >>> distinct_labels(["a", 1, "a"])
    Traceback (most recent call last):
    ValueError: labels holds 'a' twice
    """
    seen: dict[Label, None] = {}
    for index, value in enumerate(given):
        label = as_label(value)
        if label is None:
            raise ValueError(f"labels[{index}] is {shown(value)}: labels are strings or integers")
        if label in seen:
            raise ValueError(f"labels holds {shown(label)} twice")
        seen[label] = None
    return tuple(seen)


def check_total(counts: np.ndarray) -> None:
    """ValueError for counts of which one is negative, or whose sum is not below 2^53: int64 sums could wrap.

    >>> check_total(np.array([2**62, 2**62]))
    Traceback (most recent call last):
    ValueError: counts add up to 9.22e+18: less than 2^53 is expected
    """
    if (counts < 0).any():
        raise ValueError("counts holds a negative number")
    total = counts.sum(dtype=float)
    if not total < 2.0**53:
        raise ValueError(f"counts add up to {total:.3g}: less than 2^53 is expected")


def _checked_counts(counts: Any, n: int) -> np.ndarray:
    """How often each row occurs, as floats: below 2^53 they add up exactly."""
    counts = np.asarray(counts)
    if counts.shape != (n,) or counts.dtype.kind not in "iu":
        shape = f"shape {counts.shape} and dtype {counts.dtype}"
        raise ValueError(f"counts has {shape}: a whole number for each of {n} rows is needed")
    check_total(counts)
    return counts.astype(float)


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
