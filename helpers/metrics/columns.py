"""Any column of labels as codes, without copying the column.

A column may be an integer array, a numpy or Python sequence of strings, a pandas Series or Categorical, or an
Arrow array: `as_coded` finds the cheapest way to read each. Neither pandas nor Arrow is imported; their
objects are recognised by what they offer. Booleans are the labels 0 and 1.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from .labels import Coded, Interner, as_label, missing_message
from .strings import StringColumn

INTEGERS = (int, np.integer, np.bool_)


def as_coded(column: Any, argument: str, interner: Interner) -> Coded:
    """Read a label column in the cheapest way its type allows.

    Parameters
    ----------
    column : one-dimensional integer array (read as it is), pandas Series, Index or Categorical, Arrow array
        (their dictionary codes are read), or any sequence of strings or integers (each looked up in
        `interner`).
    argument : the caller's name of the column, for error messages.
    interner : shared by the columns of one call, so that equal labels get equal codes.

    Raises
    ------
    ValueError : the column is not one-dimensional, holds a missing value, or is neither integers nor strings.

    >>> as_coded(["a", "b"], "gold", Interner()).codes(0, 2)
    array([0, 1])
    """
    if isinstance(column, str) or not (hasattr(column, "__array__") or isinstance(column, Iterable)):
        what = "a string" if isinstance(column, str) else repr(column)
        raise ValueError(f"{argument} is {what}: a column with one label per sample is needed")
    coded = _categories(column, argument)
    return _from_array(_array(column, argument), argument, interner) if coded is None else coded


def _categories(column: Any, argument: str) -> Coded | None:
    """Codes and categories of pandas and Arrow columns; None for everything else."""
    if type(column).__module__.partition(".")[0] == "pyarrow":
        return _from_arrow(column, argument)
    if not hasattr(column, "dtype"):
        return None
    column = getattr(column, "cat", column)
    if hasattr(column, "codes") and hasattr(column, "categories"):
        return _from_dictionary(np.asarray(column.codes), column.categories.tolist(), argument)
    plain_integers = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu"
    if hasattr(column, "factorize") and not plain_integers:
        codes, values = column.factorize()
        return _from_dictionary(np.asarray(codes), values.tolist(), argument)
    return None


def _from_arrow(column: Any, argument: str) -> Coded:
    if hasattr(column, "chunks"):
        encoded = hasattr(column.type, "value_type")
        column = (column.unify_dictionaries() if encoded else column.dictionary_encode()).combine_chunks()
    if not hasattr(column, "indices"):
        column = column.dictionary_encode()
    indices = column.indices
    if indices.null_count:
        indices = indices.cast("int64").fill_null(-1)
    return _from_dictionary(indices.to_numpy(zero_copy_only=False), column.dictionary.to_pylist(), argument)


def _from_dictionary(codes: np.ndarray, values: list, argument: str) -> Coded:
    if len(codes) and codes.min() < 0:
        raise ValueError(missing_message(argument, int(codes.argmin()), None))
    labels = [as_label(value) for value in values]
    for code in (code for code, label in enumerate(labels) if label is None):
        where = codes == code
        if where.any():
            raise ValueError(missing_message(argument, int(where.argmax()), values[code]))
    return Coded(codes, tuple(labels), argument)


def _array(column: Any, argument: str) -> np.ndarray:
    """The column as an array; objects stay objects: `np.array(["a", nan])` would hold the label 'nan'."""
    if np.ma.is_masked(column):
        raise ValueError(missing_message(argument, int(np.ma.getmaskarray(column).argmax()), np.ma.masked))
    array = np.asarray(column) if hasattr(column, "__array__") else np.fromiter(column, dtype=object)
    if array.ndim != 1:
        raise ValueError(f"{argument} has shape {array.shape}: one label per sample is needed, shape (n,)")
    return _integers(array, argument) if array.dtype == object and len(array) else array


def _integers(array: np.ndarray, argument: str) -> np.ndarray:
    """An object array of integers as an integer array; any other as it is."""
    if not isinstance(array[0], INTEGERS):
        return array
    odd = next((index for index, value in enumerate(array) if not isinstance(value, INTEGERS)), None)
    if odd is not None and not isinstance(array[odd], str):
        raise ValueError(missing_message(argument, odd, array[odd]))
    for dtype in (np.int64, np.uint64):
        try:
            return array.astype(dtype) if odd is None else array
        except OverflowError:
            continue
    return array


def _from_array(array: np.ndarray, argument: str, interner: Interner) -> Coded:
    if array.dtype == bool:
        array = array.view(np.uint8)
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if array.dtype.kind in "iu":
        return Coded(array, None, argument)
    if array.dtype.kind not in "OUT":
        nan = f"; {argument}[{np.isnan(array).argmax()}] is nan" if _has_nan(array) else ""
        raise ValueError(f"{argument} has dtype {array.dtype}: labels are integers or strings{nan}")
    if array.dtype.kind == "U" and array.dtype.itemsize and array.flags.c_contiguous:
        return StringColumn(array, interner, argument)
    return Coded(array, interner, argument)


def _has_nan(array: np.ndarray) -> bool:
    return array.dtype.kind == "f" and bool(np.isnan(array).any())
