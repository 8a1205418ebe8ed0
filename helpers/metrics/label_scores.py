"""Scores of labels: which labels are best, and which are predicted?

The order is always the same: scores descend, and among equal scores the label with the lower index comes
first, as in `numpy.argsort(-scores, kind="stable")`. LibMultiLabel takes the K labels from
`numpy.argpartition`, which breaks ties as it happens to: at the K-th place its metrics are not defined by the
scores alone. Scores are worked on in dense blocks of rows, so a sparse matrix is never whole in memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from .label_matrix import as_numbers, columns_of, row_blocks


def top_k(scores: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels with the k highest scores of each row, best first, and these scores.

    Time O(n·L + n·k·log k); memory for a block of rows beside the result. −∞ is a score like any other here:
    the lowest.

    Parameters
    ----------
    scores : (n, L) dense or sparse. What a sparse matrix does not store is 0: it ranks below the positive
        scores and above the negative ones. Decision values, most of them negative, must not be thinned out
        that way.
    k : 1 … L.

    Returns
    -------
    labels (n, k) column indices; scores (n, k) of the type of the scores (float64 for bool and integers).

    Raises
    ------
    ValueError : k is no integer from 1 to L; two axes are needed; nan, with its row and column.

    >>> labels, best = top_k([[0.2, 0.7, 0.2, 0.2]], 3)
    >>> labels.tolist(), best.tolist()
    ([[1, 0, 2]], [[0.7, 0.2, 0.2]])
    """
    matrix = as_score_matrix(scores)
    check_k(k, matrix.shape[1])
    blocks = [best_of(block, k) for _, block in score_blocks(matrix)]
    return np.concatenate([labels for labels, _ in blocks]), np.concatenate([best for _, best in blocks])


def as_score_matrix(scores: Any) -> np.ndarray | scipy.sparse.csr_array:
    """Scores as a dense array or a `csr_array` of numbers; ValueError for anything else.

    >>> as_score_matrix([[1, 2]]).shape
    (1, 2)
    """
    return as_numbers(scores, "scores")


def check_k(k: Any, most: int, name: str = "k", limit: str = "there are {} labels") -> None:
    """ValueError unless k is an integer from 1 to the largest that is possible; it says what limits it.

    >>> check_k(5, 3)
    Traceback (most recent call last):
    ValueError: k is 5, but there are 3 labels
    """
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
        raise ValueError(f"{name} is {k!r}: it has to be a whole number, 1 or more")
    if k > most:
        raise ValueError(f"{name} is {k}, but {limit.format(most)}")


def score_blocks(matrix: np.ndarray | scipy.sparse.csr_array) -> Iterator[tuple[slice, np.ndarray]]:
    """Consecutive rows of a score matrix as dense floats; one empty block if there is no row.

    Raises ValueError for the first nan, with its row and column.

    >>> [(rows.stop, block.tolist()) for rows, block in score_blocks(np.eye(2))]
    [(2, [[1.0, 0.0], [0.0, 1.0]])]
    """
    for rows in row_blocks(*matrix.shape) if matrix.shape[0] else [slice(0, 0)]:
        block = matrix[rows].toarray() if scipy.sparse.issparse(matrix) else matrix[rows]
        block = block if block.dtype.kind == "f" else block.astype(float)
        if block.size and np.isnan(block.min()):
            row, column = np.argwhere(np.isnan(block))[0]
            named = f"scores[{rows.start + row}, {column}]"
            raise ValueError(f"{named} is nan: every score has to be a number (−inf: never reached)")
        yield rows, block


def best_of(block: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, k) labels and scores of the k best of each row of a dense block, best first.

    >>> best_of(np.array([[0.5, 0.75]]), 1)
    (array([[1]]), array([[0.75]]))
    """
    columns = _chosen_columns(block, k)
    scores = np.take_along_axis(block, columns, axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(scores, order, axis=1)


def _chosen_columns(block: np.ndarray, k: int) -> np.ndarray:
    """(rows, k) columns of the k best, in rising order: all above the k-th best score, then from the left."""
    if k == block.shape[1]:
        return np.broadcast_to(np.arange(k), block.shape)
    kth = np.partition(block, -k, axis=1)[:, -k, None]
    chosen = block >= kth
    if np.count_nonzero(chosen) > k * len(block):  # scores tie at the k-th place
        tied = np.flatnonzero(np.count_nonzero(chosen, axis=1) > k)
        equal = block[tied] == kth[tied]
        above = np.count_nonzero(chosen[tied], axis=1) - np.count_nonzero(equal, axis=1)
        surplus = equal & (equal.cumsum(axis=1) > (k - above)[:, None])
        chosen[tied] &= ~surplus
    return columns_of(chosen).reshape(-1, k)
