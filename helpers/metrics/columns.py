"""Any column of labels as codes, without copying the column.

A column may be an integer array, a numpy or Python sequence of strings, a pandas Series or Categorical, or an
Arrow array: `as_coded` finds the cheapest way to read each. Neither pandas nor Arrow is imported; their
objects are recognised by what they offer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .labels import Coded, Interner, missing_message
from .strings import StringColumn


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
    coded = _categories(column, argument)
    if coded is not None:
        return coded
    array = column if isinstance(column, np.ndarray) else _array(column)
    if array.ndim != 1:
        raise ValueError(f"{argument} has shape {array.shape}: one label per sample is needed, shape (n,)")
    if array.dtype == bool:
        array = array.view(np.uint8)
    if array.dtype.kind in "iu":
        return Coded(array, None, argument)
    if array.dtype.kind not in "OUT":
        raise ValueError(
            f"{argument} has dtype {array.dtype}: labels are integers or strings"
            + _first_nan(array, argument)
        )
    if array.dtype.kind == "U" and array.dtype.isnative and array.dtype.itemsize and array.flags.c_contiguous:
        return StringColumn(array, interner, argument)
    return Coded(array, interner, argument)


def _array(column: Any) -> np.ndarray:
    """A list becomes an object array: `np.array(["a", nan])` would turn the missing value into the label
    'nan'."""
    if hasattr(column, "__array__"):
        return np.asarray(column)
    values = column if isinstance(column, Sequence) else list(column)
    if all(type(value) is int for value in values):
        return np.array(values, dtype=np.int64)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def _first_nan(array: np.ndarray, argument: str) -> str:
    if array.dtype.kind != "f" or not np.isnan(array).any():
        return ""
    return f"; {argument}[{int(np.isnan(array).argmax())}] is nan"


def _categories(column: Any, argument: str) -> Coded | None:
    """Codes and categories of pandas and Arrow columns; None for everything else."""
    column = getattr(column, "cat", column)
    if hasattr(column, "codes") and hasattr(column, "categories"):
        return _from_dictionary(np.asarray(column.codes), column.categories.tolist(), argument)
    if type(column).__module__.partition(".")[0] == "pyarrow":
        return _from_arrow(column, argument)
    if hasattr(column, "factorize") and getattr(column.dtype, "kind", "O") not in "iu":
        codes, values = column.factorize()
        return _from_dictionary(np.asarray(codes), values.tolist(), argument)
    return None


def _from_arrow(column: Any, argument: str) -> Coded:
    if hasattr(column, "chunks"):
        column = (
            column.unify_dictionaries() if hasattr(column.type, "value_type") else column.dictionary_encode()
        )
        column = column.combine_chunks()
    if not hasattr(column, "indices"):
        column = column.dictionary_encode()
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return _from_dictionary(codes, column.dictionary.to_pylist(), argument)


def _from_dictionary(codes: np.ndarray, values: list, argument: str) -> Coded:
    if len(codes) and codes.min() < 0:
        raise ValueError(missing_message(argument, int(codes.argmin()), None))
    odd = next((value for value in values if not isinstance(value, str | int)), None)
    if odd is not None:
        index = int((codes == values.index(odd)).argmax())
        raise ValueError(missing_message(argument, index, odd))
    return Coded(codes, tuple(values), argument)
