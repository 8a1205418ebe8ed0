"""What a linear classifier is to learn, in one form: a sparse 0/1 matrix with a column a label.

Callers give label sets as a matrix or classes as a list; whatever is neither is refused with its place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.preprocessing import LabelBinarizer
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import assert_all_finite, column_or_1d


def as_array(y: Any) -> np.ndarray:
    """y as an array, or ValueError for rows of unequal length, such as lists of labels.

    >>> as_array([[1, 0], [1]])
    Traceback (most recent call last):
    ValueError: y has rows of unequal length: give a 0/1 matrix with a column a label
    """
    try:
        return np.asarray(y)
    except ValueError:
        raise ValueError("y has rows of unequal length: give a 0/1 matrix with a column a label") from None


def indicator(y: np.ndarray | sparse.sparray) -> sparse.csc_array:
    """(n, L) sparse 0/1, or ValueError with the first other value, row by row.

    >>> indicator(np.array([[1, 0], [0, 2]]))
    Traceback (most recent call last):
    ValueError: Unknown label type: y[1, 1] is 2; labels are 0 or 1
    """
    if y.dtype.kind not in "biuf":
        y = _as_numbers(y)
    table = sparse.csr_array(y, copy=True)
    table.sum_duplicates()
    odd = ~np.isin(table.data, (0, 1))
    if odd.any():
        place = int(odd.argmax())
        row, column = int(np.searchsorted(table.indptr, place, side="right")) - 1, table.indices[place]
        value = table.data[place].item()
        raise ValueError(f"Unknown label type: y[{row}, {column}] is {value!r}; labels are 0 or 1")
    table.eliminate_zeros()
    return sparse.csc_array(table, dtype=np.float64)


def _as_numbers(y: np.ndarray) -> np.ndarray:
    """A table of Python's own numbers, as data frames give it."""
    try:
        return y.astype(np.float64, casting="unsafe" if y.dtype == object else "safe")
    except (TypeError, ValueError):
        message = f"Unknown label type: y holds {y.dtype} and no numbers; labels are 0 or 1"
        raise ValueError(message) from None


def binarised(y: Any) -> tuple[sparse.csc_array, np.ndarray]:
    """(n, L) sparse 0/1 with a column a class, (n, 1) for two, and the classes.

    >>> targets, classes = binarised(["b", "a", "b"])
    >>> targets.toarray()[:, 0].tolist(), classes.tolist()
    ([1.0, 0.0, 1.0], ['a', 'b'])
    """
    y = column_or_1d(y.toarray() if sparse.issparse(y) else y, warn=True)
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    binarizer = LabelBinarizer(sparse_output=True)
    targets = sparse.csc_array(binarizer.fit_transform(y), dtype=np.float64)
    targets.eliminate_zeros()
    if len(binarizer.classes_) < 2:
        only = binarizer.classes_.tolist()[0]
        raise ValueError(f"y has one class, {only!r}: a classifier needs two at least")
    return targets, binarizer.classes_


def only_labels(targets: sparse.csc_array) -> np.ndarray:
    """(n,) the one label of each document; ValueError with the row of one that has none or several.

    >>> only_labels(sparse.csc_array([[0, 1], [1, 0]])).tolist()
    [1, 0]
    """
    each = targets.sum(axis=1)
    odd = each != 1
    if odd.any():
        row = int(odd.argmax())
        raise ValueError(f"y[{row}] has {int(each[row])} labels; this technique needs exactly one a document")
    return targets.tocsr().indices
