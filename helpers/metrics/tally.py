"""The one pass over the data: how often does each combination of labels occur?

Everything else in this room works on the small result. The pass reads the columns piece by piece, so it needs
memory for one piece only, and pieces of a large column are counted by several threads (numpy releases the
interpreter lock).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise

import numpy as np
from scipy.sparse import coo_array

from .labels import Coded

PIECE = 1 << 18  # rows at a time: threads seldom wait for the interpreter, memory stays small
ONES = np.ones(PIECE, np.int64)
DENSE_BITS = 18  # up to 2^18 combinations are tallied in an array, more by sorting
THREAD_FROM = 1 << 20  # rows from which a second thread pays for its start

Tally = tuple[np.ndarray, np.ndarray]


class TooWide(Exception):
    """A code is negative, or the combined codes do not fit into 62 bits: see `narrow`."""


def joint_counts(columns: Sequence[Coded], weight: np.ndarray | None = None) -> Tally:
    """Count the distinct rows of some label columns.

    Parameters
    ----------
    columns : m columns of n rows.
    weight : (n,) weight of each row; None counts each row once.

    Returns
    -------
    cells : (K, m) codes, one row for each combination that occurs; the same combination may stand more than
        once, its counts are to be added.
    counts : (K,) int64, or float64 when weighted.

    Raises
    ------
    TooWide : a column has to be made `narrow` first.

    >>> from helpers.metrics.columns import as_coded
    >>> from helpers.metrics.labels import Interner
    >>> a, b = (as_coded(np.array(column), "x", Interner()) for column in ([0, 0, 1], [1, 1, 0]))
    >>> cells, counts = joint_counts([a, b])
    >>> cells.tolist(), counts.tolist()
    ([[0, 1], [1, 0]], [2, 1])
    """
    n = len(columns[0])
    spans = _spans(n, _processors() if all(column.parallel for column in columns) else 1)
    if len(spans) == 1:
        return _count_span(columns, weight, *spans[0])
    with ThreadPoolExecutor(len(spans)) as pool:
        tallies = list(pool.map(lambda span: _count_span(columns, weight, *span), spans))
    cells, counts = (np.concatenate(parts) for parts in zip(*tallies, strict=True))
    return cells, counts


def _processors() -> int:
    """Processors this process may use (a container's limit, not the machine's)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _spans(n: int, workers: int) -> list[tuple[int, int]]:
    workers = workers if n >= THREAD_FROM else 1
    edges = np.linspace(0, n, workers + 1).astype(int).tolist()
    return list(pairwise(edges))


def _count_span(columns: Sequence[Coded], weight: np.ndarray | None, start: int, stop: int) -> Tally:
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
    cells = [_unpack(packed, bits, len(columns)) for bits, packed, _ in parts]
    return np.concatenate(cells), np.concatenate([counts for _, _, counts in parts])


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
        raise TooWide
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


def _count_sorted(packed: np.ndarray, weight: np.ndarray | None) -> Tally:
    if weight is None:
        return np.unique(packed, return_counts=True)
    values, inverse = np.unique(packed, return_inverse=True)
    return values, np.bincount(inverse, weight)


def narrow(column: Coded) -> Coded:
    """A column of label integers of any size or sign as small codes, the label integers being their values.

    >>> narrow(Coded(np.array([-5, 7, -5]), None, "gold")).data.tolist()
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
