"""The K labels with the best scores of each instance, in an order that is always the same.

Scores descend; among equal scores the label with the lower index comes first. That is the order of
`numpy.argsort(-scores, kind="stable")`, found without sorting all labels. LibMultiLabel takes the K labels
from `numpy.argpartition`, which breaks ties as it happens to: at the K-th place its metrics are not defined
by the scores alone. Nothing is scored here (`ranking` does that).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from .label_matrix import as_numbers, check_axes, columns_of, row_blocks, sparse_blocks


def top_k(scores: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels with the k highest scores of each row, best first, and these scores.

    Time O(n·L + n·k·log k); memory for a block of rows beside the result. −∞ is a score like any other here:
    the lowest.

    Parameters
    ----------
    scores : (n, L) dense or sparse. What a sparse matrix does not store is 0: it ranks below the positive
        scores and above the negative ones. Decision values, most of them negative, must not be thinned out
        that way; `label_scores.RankedLabels` holds the best of them.
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
    n, n_labels = matrix.shape
    check_k(k, n_labels)
    labels = np.empty((n, k), np.intp)
    best = np.empty((n, k), matrix.dtype if matrix.dtype.kind == "f" else float)
    for rows in sparse_blocks(matrix, k) if issparse(matrix) else row_blocks(n, n_labels):
        check_numbers(matrix[rows], rows.start)
        labels[rows], best[rows] = _best(matrix[rows], k)
    return labels, best


def as_score_matrix(scores: Any) -> np.ndarray | csr_array:
    """Scores as a dense array or a `csr_array` of numbers; ValueError for anything else.

    >>> as_score_matrix([[1, 2]]).shape
    (1, 2)
    """
    matrix = csr_array(scores) if issparse(scores) else as_numbers(scores, "scores")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"scores holds {matrix.dtype}: numbers are needed")
    check_axes(matrix, "scores")
    return matrix


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


def check_numbers(block: np.ndarray | csr_array, first_row: int = 0) -> None:
    """ValueError for the first nan of a block of scores, whose first row is `first_row` of the whole.

    >>> check_numbers(np.array([[0.5, np.nan]]), first_row=7)
    Traceback (most recent call last):
    ValueError: scores[7, 1] is nan: every score has to be a number (−inf: never reached)
    """
    values = block.data if issparse(block) else block
    if values.dtype.kind != "f" or not values.size or not np.isnan(values.min()):
        return
    if issparse(block):
        at = int(np.isnan(values).argmax())
        row, column = int(np.searchsorted(block.indptr, at, "right")) - 1, block.indices[at]
    else:
        row, column = np.argwhere(np.isnan(values))[0]
    place = f"scores[{first_row + row}, {column}]"
    raise ValueError(f"{place} is nan: every score has to be a number (−inf: never reached)")


def _best(block: np.ndarray | csr_array, k: int) -> tuple[np.ndarray, np.ndarray]:
    if issparse(block):
        columns, scores = _candidates(block, k)
        places, best = _best_of_dense(scores, k)
        return np.take_along_axis(columns, places, axis=1), best
    return _best_of_dense(block if block.dtype.kind == "f" else block.astype(float), k)


def _best_of_dense(block: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
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


def _candidates(block: csr_array, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, C) columns and scores among which the k best of each row are: what is stored, in rising order of
    columns, then the first columns that are not stored, whose score is 0. Empty places hold −∞; they are
    never needed, since each row has k candidates or more, and a stored −∞ stands further left."""
    block = block.copy()
    block.sum_duplicates()
    block.eliminate_zeros()  # a stored 0 is like one that is not stored: no two places tie out of order
    filled = np.diff(block.indptr)
    there = np.arange(filled.max(initial=0)) < filled[:, None]
    columns, scores = np.zeros(there.shape, np.intp), np.full(there.shape, -np.inf)
    columns[there], scores[there] = block.indices, block.data
    free, zeros = _first_free(columns, there, np.count_nonzero(scores > 0, axis=1) < k, k, block.shape[1])
    return np.hstack([columns, free]), np.hstack([scores, zeros])


def _first_free(
    columns: np.ndarray, there: np.ndarray, wanted: np.ndarray, k: int, n_labels: int
) -> tuple[np.ndarray, np.ndarray]:
    """(rows, k) first columns that the rows do not store, and their scores: 0, and −∞ where there are none or
    where the row does not want any."""
    span = min(n_labels, there.shape[1] + k)  # a row of w stored columns leaves k of the first w + k free
    stored = np.zeros((np.count_nonzero(wanted), span + 1), bool)
    near = np.where(there[wanted], np.minimum(columns[wanted], span), span)
    np.put_along_axis(stored, near, True, axis=1)
    free = np.argsort(stored[:, :span], axis=1, kind="stable")[:, :k]
    scores = np.full((len(columns), free.shape[1]), -np.inf)
    scores[wanted] = np.where(np.take_along_axis(stored, free, axis=1), -np.inf, 0.0)
    places = np.zeros(scores.shape, np.intp)
    places[wanted] = free
    return places, scores
