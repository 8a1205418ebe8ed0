"""Label sets of instances as a sparse 0/1 matrix: rows are instances, columns are labels.

Whatever a caller has (dense or any sparse format, bool or numbers) becomes one checked `csr_array`. Scores
are no label sets: see `label_scores`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, cast

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import Label
from .counting import distinct_labels

BLOCK_ENTRIES = 1 << 21  # rows × columns that are worked on at a time: 16 MB of scores


def as_label_matrix(values: Any, argument: str = "truth") -> scipy.sparse.csr_array:
    """A 0/1 matrix as a boolean `csr_array` with sorted columns, no stored zero and no entry stored twice.

    Parameters
    ----------
    values : (n, L) dense (anything that `numpy.asarray` takes) or sparse in any format, `csr_matrix` and
        `csr_array` alike; bool, or numbers that are 0 or 1. It is never changed. n may be 0 (an empty batch),
        L may not. An entry that a sparse format stores twice counts as the sum, as in scipy.
    argument : how messages call it.

    Raises
    ------
    ValueError : not two axes, no columns, no numbers, or a value other than 0 and 1; the message names the
        row, the column and the value.

    >>> as_label_matrix([[0, 1], [1, 1]]).indices.tolist()
    [1, 0, 1]
    >>> as_label_matrix([[0, 1], [2, 1]])
    Traceback (most recent call last):
    ValueError: truth[1, 0] is 2: a label is there (1) or not (0)
    """
    matrix = as_numbers(values, argument)
    if isinstance(matrix, np.ndarray):
        others = np.argwhere((matrix != 0) & (matrix != 1))
        if len(others):
            row, column = others[0]
            raise ValueError(_no_label(argument, row, column, matrix[row, column]))
        return from_mask(matrix != 0)
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()  # the caller's arrays stay as they are
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    wrong = np.flatnonzero(matrix.data != 1)
    if len(wrong):
        row = int(np.searchsorted(matrix.indptr, wrong[0], "right")) - 1
        raise ValueError(_no_label(argument, row, matrix.indices[wrong[0]], matrix.data[wrong[0]]))
    return _boolean(matrix.indices, matrix.indptr, matrix.shape)


def as_numbers(values: Any, argument: str) -> np.ndarray | scipy.sparse.csr_array:
    """A matrix of bool, integers or floats, dense or a `csr_array`; ValueError for what is none.

    >>> as_numbers([["1"]], "truth")
    Traceback (most recent call last):
    ValueError: truth holds <U1: numbers are needed
    >>> as_numbers(np.zeros(3), "scores")
    Traceback (most recent call last):
    ValueError: scores has shape (3,): instances × labels are needed, and at least one label
    """
    try:
        is_sparse = scipy.sparse.issparse(values)
        matrix = scipy.sparse.csr_array(cast(Any, values)) if is_sparse else np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{argument} is no matrix: {error}") from None
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{argument} holds {matrix.dtype}: numbers are needed")
    if matrix.ndim != 2 or not matrix.shape[1]:
        needed = "instances × labels are needed, and at least one label"
        raise ValueError(f"{argument} has shape {matrix.shape}: {needed}")
    return matrix


def _no_label(argument: str, row: int, column: int, value: np.generic) -> str:
    return f"{argument}[{row}, {column}] is {value.item()}: a label is there (1) or not (0)"


def from_mask(mask: np.ndarray) -> scipy.sparse.csr_array:
    """The label matrix of a dense boolean one.

    >>> from_mask(np.eye(2) > 0).toarray().astype(int).tolist()
    [[1, 0], [0, 1]]
    """
    indptr = np.r_[0, np.count_nonzero(mask, axis=1)].cumsum()
    return _boolean(columns_of(mask).astype(np.int32), indptr, mask.shape)


def columns_of(block: np.ndarray) -> np.ndarray:
    """The column of each True, row by row: `numpy.nonzero(block)[1]`, several times as fast.

    >>> columns_of(np.array([[True, False, True], [False, True, False]])).tolist()
    [0, 2, 1]
    """
    return np.flatnonzero(block) % block.shape[1]


def _boolean(indices: np.ndarray, indptr: np.ndarray, shape: tuple[int, int]) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array((np.ones(len(indices), bool), indices, indptr), shape=shape)


def widened(matrix: scipy.sparse.csr_array, columns: np.ndarray, n_labels: int) -> scipy.sparse.csr_array:
    """The label matrix with its column j moved to columns[j] of n_labels; the other columns are empty.

    >>> widened(as_label_matrix([[1, 1]]), np.array([2, 0]), 4).toarray().tolist()
    [[True, False, True, False]]
    """
    moved = _boolean(columns[matrix.indices], matrix.indptr, (matrix.shape[0], n_labels))
    moved.sort_indices()
    return moved


def row_blocks(n: int, width: int) -> Iterator[slice]:
    """Consecutive slices of n rows with about `BLOCK_ENTRIES` entries each, `width` a row.

    >>> list(row_blocks(3, BLOCK_ENTRIES // 2))
    [slice(0, 2, None), slice(2, 3, None)]
    """
    step = max(1, BLOCK_ENTRIES // max(1, width))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


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
    if len(given) != n_labels:
        raise ValueError(f"labels names {len(given)} labels, but truth has {n_labels} columns")
    return distinct_labels(given)


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
        kind = f"shape {given.shape} and type {given.dtype}"
        raise ValueError(f"columns has {kind}: a list of columns is needed")
    odd = (given < 0) | (given >= n_labels)
    if odd.any():
        index = int(odd.argmax())
        raise ValueError(f"columns[{index}] is {given[index]}, but truth has {n_labels} columns")
    if len(np.unique(given)) < len(given):
        raise ValueError("columns holds a column twice")
    return given.astype(np.intp)
