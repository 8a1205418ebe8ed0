"""The one pass over the data: how often does each combination of labels occur?

Everything else in this room works on the small result. The pass reads the columns piece by piece, so it needs
memory for one piece only, and pieces of a large column are counted by several threads (numpy releases the
interpreter lock).

From label columns to entries: reads the columns, checks them, counts them, and gives the codes their labels.

It is the way from what a user has to what `counts` keeps; every message about bad columns comes from here or
from `columns`.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.sparse import coo_array

from helpers.core import Label, as_label, unlisted_message

from .columns import MAX_LABELS, Coded, Interner, as_coded

PIECE = 1 << 18  # rows at a time: threads seldom wait for the interpreter, memory stays small
ONES = np.ones(PIECE, np.int64)
DENSE_BITS = 18  # up to 2^18 combinations are tallied in an array, more by sorting
THREAD_FROM = 1 << 20  # rows from which a second thread pays for its start
Contingency = tuple[np.ndarray, np.ndarray]


class CodeRangeError(Exception):
    """A code is negative, or the combined codes do not fit into 62 bits: see `compact_codes`."""


def joint_counts(columns: Sequence[Coded], weight: np.ndarray | None = None) -> Contingency:
    """Count the distinct rows of some label columns.

    Parameters
    ----------
    columns : m columns of n rows.
    weight : (n,) weight of each row; None counts each row once.

    Returns
    -------
    entries : (K, m) codes, one row for each combination that occurs; the same combination may stand more than
        once, its counts are to be added.
    counts : (K,) int64, or float64 when weighted.

    Raises
    ------
    CodeRangeError : a column has to be made `compact_codes` first.

    >>> from helpers.metrics import as_coded
    >>> from helpers.metrics import Interner
    >>> a, b = (as_coded(np.array(column), "x", Interner()) for column in ([0, 0, 1], [1, 1, 0]))
    >>> entries, counts = joint_counts([a, b])
    >>> entries.tolist(), counts.tolist()
    ([[0, 1], [1, 0]], [2, 1])
    """
    n = len(columns[0])
    spans = _spans(n, _processors() if all(column.parallel for column in columns) else 1)
    if len(spans) == 1:
        return _count_span(columns, weight, *spans[0])
    with ThreadPoolExecutor(len(spans)) as pool:
        tallies = list(pool.map(lambda span: _count_span(columns, weight, *span), spans))
    entries, counts = (np.concatenate(parts) for parts in zip(*tallies, strict=True))
    return entries, counts


def _processors() -> int:
    """Processors this process may use (a container's limit, not the machine's)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _spans(n: int, workers: int) -> list[tuple[int, int]]:
    workers = workers if n >= THREAD_FROM else 1
    edges = np.linspace(0, n, workers + 1).astype(int).tolist()
    return list(pairwise(edges))


def _count_span(columns: Sequence[Coded], weight: np.ndarray | None, start: int, stop: int) -> Contingency:
    """Tallies of the rows start … stop−1; codes of one piece are packed side by side, `bits` bits each."""
    dense: dict[int, np.ndarray] = {}
    parts: list[tuple[int, np.ndarray, np.ndarray]] = []
    bits = 0
    for at in range(start, stop, PIECE):
        end = min(at + PIECE, stop)
        pieces = [column.codes(at, end) for column in columns]
        piece_weight = None if weight is None else weight[at:end]
        tally = _count_as_before(pieces, bits, piece_weight)
        if tally is None:
            bits = _bits(pieces)
            if bits * len(pieces) > DENSE_BITS:
                parts.append((bits, *_count_sorted(_pack(pieces, bits), piece_weight)))
                continue
            tally = _count_dense(pieces, bits, piece_weight)
        dense[bits] = dense[bits] + tally if bits in dense else tally
    for bits, tally in dense.items():
        occurs = np.flatnonzero(tally[0])  # not the sums of weights: a sample of weight 0 occurs
        parts.append((bits, occurs, tally[-1][occurs]))
    entries = [_unpack(packed, bits, len(columns)) for bits, packed, _ in parts]
    return np.concatenate(entries), np.concatenate([counts for _, _, counts in parts])


def _count_as_before(pieces: Sequence[np.ndarray], bits: int, weight: np.ndarray | None) -> np.ndarray | None:
    """The tally if two columns fit the width of the piece before, None if they do not or it is not known.

    Labels hardly ever get wider on the way, and the sparse matrix refuses a code that is too large: so the
    pass over the codes that `_bits` takes is saved for all pieces but the first.
    """
    if not bits or len(pieces) != 2 or 2 * bits > DENSE_BITS:
        return None
    try:
        return _count_dense(pieces, bits, weight)
    except ValueError:
        return None


def _bits(pieces: Sequence[np.ndarray]) -> int:
    # One OR over a piece bounds all its codes: no bit above the highest of the OR is set in any of them,
    # and its sign is negative if one of them is. That is a third of the work of a minimum and a maximum.
    seen = 0
    for piece in pieces:
        seen |= int(np.bitwise_or.reduce(piece))
    bits = max(seen.bit_length(), 1)
    if seen < 0 or bits * len(pieces) > 62:
        raise CodeRangeError
    return bits


def _count_dense(pieces: Sequence[np.ndarray], bits: int, weight: np.ndarray | None) -> np.ndarray:
    """(1, 2^(m·bits)) how often each combination occurs; a second row has its sum of weights."""
    # A sparse matrix in coordinates adds up what falls on one place when it is made dense: that is the count,
    # in compiled code that holds no interpreter lock (numpy.bincount holds it, so threads would queue).
    rows = pieces[0] if len(pieces) == 2 else _pack(pieces[:-1], bits)
    shape = (1 << bits * (len(pieces) - 1), 1 << bits)
    addends = [ONES[: len(rows)]] + ([] if weight is None else [weight])
    tables = [coo_array((one, (rows, pieces[-1])), shape=shape).toarray() for one in addends]
    return np.array(tables).reshape(len(tables), -1)


def _pack(pieces: Sequence[np.ndarray], bits: int) -> np.ndarray:
    packed = pieces[0].astype(np.intp)
    for piece in pieces[1:]:
        packed <<= bits
        packed |= piece.astype(np.intp, copy=False)
    return packed


def _unpack(packed: np.ndarray, bits: int, m: int) -> np.ndarray:
    return np.stack([packed >> bits * place & (1 << bits) - 1 for place in reversed(range(m))], axis=1)


def _count_sorted(packed: np.ndarray, weight: np.ndarray | None) -> Contingency:
    if weight is None:
        return np.unique(packed, return_counts=True)
    values, inverse = np.unique(packed, return_inverse=True)
    return values, np.bincount(inverse, weight)


def compact_codes(column: Coded) -> Coded:
    """A column of label integers of any size or sign as small codes, the label integers being their values.

    >>> compact_codes(Coded(np.array([-5, 7, -5]), None, "gold")).data.tolist()
    [0, 12, 0]
    """
    if column.values is not None:
        return column
    low, high = int(column.data.min()), int(column.data.max())
    if high - low < 1 << DENSE_BITS:
        wide = column.data if column.data.dtype == np.uint64 else column.data.astype(np.int64)
        return replace(
            column, data=(wide - wide.dtype.type(low)).astype(np.intp), values=range(low, high + 1)
        )
    values, codes = np.unique(column.data, return_inverse=True)
    return replace(column, data=codes, values=tuple(values.tolist()))


def count_columns(columns: Mapping[str, Any], labels: Iterable[Label] | None, weight: Any = None) -> tuple:
    """Count the rows of named label columns.

    Arguments and errors are those of `counts.Confusion.from_arrays`.

    Returns
    -------
    entries (K, m), positions into the label list; counts (K,); the label list.

    >>> entries, counts, labels = count_columns({"gold": ["b", "a"], "predicted": ["b", "b"]}, labels=None)
    >>> sorted(zip(entries.tolist(), counts.tolist())), labels
    ([([0, 1], 1), ([1, 1], 1)], ('a', 'b'))
    """
    listed = None if labels is None else checked_labels(labels)
    interner = Interner(listed or (), closed=listed is not None)
    coded = [as_coded(column, argument, interner) for argument, column in columns.items()]
    _check_lengths(coded)
    coded, entries, counts = _count(coded, _checked_weight(weight, len(coded[0])))
    names = [_names(column, entries[:, place], listed) for place, column in enumerate(coded)]
    final = listed or _sorted_labels(names)
    place_of = {label: index for index, label in enumerate(final)}
    for place, (column, name) in enumerate(zip(coded, names, strict=True)):
        _check_listed(column, name, place_of, final)
        codes, inverse = np.unique(entries[:, place], return_inverse=True)
        entries[:, place] = np.array([place_of[name[code]] for code in codes.tolist()], np.intp)[inverse]
    return entries, counts, final


def _count(coded: list[Coded], weight: np.ndarray | None) -> tuple[list[Coded], *Contingency]:
    try:
        return coded, *joint_counts(coded, weight)
    except CodeRangeError:
        coded = [compact_codes(column) for column in coded]
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
