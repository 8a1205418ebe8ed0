"""Tables of counts as cells: rows of positions into a label list, (K, m), and how often each occurs, (...,
K).

Cells become dense tables, are merged, read from rows and resampled here; where they come from is `counting`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .labels import Label, unlisted_message
from .tally import Tally


def positions(labels: Iterable[Label], listed: Sequence[Label], argument: str = "labels") -> np.ndarray:
    """Where each label stands in `listed`; ValueError names the first that does not.

    >>> positions(["b"], ("a", "b")).tolist()
    [1]
    """
    place = {label: index for index, label in enumerate(listed)}
    found = []
    for index, label in enumerate(labels):
        if label not in place:
            raise ValueError(unlisted_message(argument, index, label, listed))
        found.append(place[label])
    return np.array(found, dtype=np.intp)


def dense(cells: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    """(..., size, size) table of the counts (..., K) of the cells (K, 2).

    >>> dense(np.array([[0, 1], [0, 1]]), np.array([1, 2]), 2).tolist()
    [[0, 3], [0, 0]]
    """
    table = np.zeros((size * size, *counts.shape[:-1]), counts.dtype)
    np.add.at(table, cells[:, 0] * size + cells[:, 1], np.moveaxis(counts, -1, 0))
    return np.moveaxis(table, 0, -1).reshape(*counts.shape[:-1], size, size)


def merged(cells: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same table with sorted cells, each once.

    >>> cells, counts = merged(np.array([[1, 0], [1, 0]]), np.array([2, 3]))
    >>> cells.tolist(), counts.tolist()
    ([[1, 0]], [5])
    """
    unique, inverse = np.unique(cells, axis=0, return_inverse=True)
    merged = np.zeros((len(unique), *counts.shape[:-1]), counts.dtype)
    np.add.at(merged, inverse.reshape(-1), np.moveaxis(counts, -1, 0))
    return unique, np.moveaxis(merged, 0, -1)


def split_rows(rows: Sequence[Sequence[float]], m: int, labels: Sequence[Label]) -> Tally:
    """Rows of m positions into `labels` and a count, as cells (K, m) and counts (K,): the inverse of
    `to_rows`.

    Raises ValueError for a label that is listed twice and for a row of another length, with a position
    outside the labels, or with a count that is negative or missing; the message names the row.

    >>> cells, counts = split_rows([[0, 1, 5]], 2, ["a", "b"])
    >>> cells.tolist(), counts.tolist()
    ([[0, 1]], [5])
    """
    if len(set(labels)) < len(labels):
        raise ValueError("labels holds a label twice")
    for index, row in enumerate(rows):
        places = [isinstance(place, int | np.integer) and 0 <= place < len(labels) for place in row[:m]]
        if len(row) != m + 1 or not all(places) or not row[m] >= 0:
            raise ValueError(
                f"rows[{index}] is {row}: {m} positions below {len(labels)} and a count are needed"
            )
    cells = np.array([row[:m] for row in rows], dtype=np.intp).reshape(-1, m)
    whole = all(isinstance(row[m], int | np.integer) for row in rows)
    return cells, np.array([row[m] for row in rows], dtype=np.int64 if whole else float)


def draw(counts: np.ndarray, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(replicates, K) draws of n = Σ counts samples from cells with probabilities counts / n; ValueError for
    weights.

    >>> draw(np.array([3, 0]), np.random.default_rng(0), 2).tolist()
    [[3, 0], [3, 0]]
    """
    if not counts.sum():
        raise ValueError("no samples: an empty table cannot be resampled")
    if not np.issubdtype(counts.dtype, np.integer):
        raise ValueError(
            "a table of sample weights cannot be resampled: the bootstrap draws samples, not weights"
        )
    return rng.multinomial(counts.sum(), counts / counts.sum(), size=replicates)


def scalar(value: np.ndarray) -> Any:
    """A Python number for a single value, the array for replicates.

    >>> scalar(np.array(3))
    3
    """
    return value.item() if value.ndim == 0 else value


def united(first: tuple[Label, ...], second: tuple[Label, ...]) -> tuple[Label, ...]:
    """The labels of both: in the order of the list that holds them all, else sorted.

    >>> united(("b", "a"), ("a",)), united(("b",), ("a",))
    (('b', 'a'), ('a', 'b'))
    """
    for listed, others in ((first, second), (second, first)):
        if set(others) <= set(listed):
            return listed
    if len({isinstance(label, str) for label in first + second}) > 1:
        raise ValueError("tables with string labels and with integer labels do not add up")
    return tuple(sorted({*first, *second}))


def aligned(counts: np.ndarray, labels: Sequence[Label], wider: Sequence[Label]) -> np.ndarray:
    """The table (..., L, L) over `labels` as one over `wider`, which holds them all; (..., W, W).

    >>> aligned(np.array([[3]]), ["b"], ["a", "b"]).tolist()
    [[0, 0], [0, 3]]
    """
    place = positions(labels, wider)
    table = np.zeros((*counts.shape[:-2], len(wider), len(wider)), counts.dtype)
    table[..., place[:, None], place] = counts
    return table
