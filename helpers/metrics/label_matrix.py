"""Labels of instances: their sets as a sparse 0/1 matrix, their scores in blocks, and which score best.

Rows are instances, columns are labels. Label sets, whatever a caller has (dense or any sparse format, bool or
numbers), become one checked `csr_array`; scores are worked on in dense blocks of rows, so a sparse matrix of
them is never whole in memory.

The order of labels is always the same: scores descend, and among equal scores the label with the lower index
comes first, as in `numpy.argsort(-scores, kind="stable")`. LibMultiLabel takes the K labels from
`numpy.argpartition`, which breaks ties as it happens to: at the K-th place its metrics are not defined by the
scores alone.
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
    matrix = scipy.sparse.csr_array(as_score_matrix(values, argument))
    if not matrix.has_canonical_format or not matrix.data.all():
        matrix = matrix.copy()  # the caller's arrays stay as they are
        matrix.sum_duplicates()
        matrix.eliminate_zeros()
    wrong = np.flatnonzero(matrix.data != 1)
    if len(wrong):
        row, column = np.searchsorted(matrix.indptr, wrong[0], "right") - 1, matrix.indices[wrong[0]]
        value = matrix.data[wrong[0]].item()
        raise ValueError(f"{argument}[{row}, {column}] is {value}: a label is there (1) or not (0)")
    return matrix.astype(bool)


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


def as_score_matrix(values: Any, argument: str = "scores") -> np.ndarray | scipy.sparse.csr_array:
    """A matrix of bool, integers or floats, dense or a `csr_array`; ValueError for what is none.

    What a sparse matrix does not store is 0: it ranks below the positive scores and above the negative ones.
    Decision values, most of them negative, must not be thinned out that way. −∞ is a score like any other
    here: the lowest.

    >>> as_score_matrix([["1"]])
    Traceback (most recent call last):
    ValueError: scores holds <U1: numbers are needed
    >>> as_score_matrix(np.zeros(3))
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
