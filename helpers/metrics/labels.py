"""Label columns of any kind as integer codes, without copying the column.

A column of labels may be an integer array, a numpy or Python sequence of strings, a pandas Series or Categorical, or an
Arrow array: `as_coded` finds the cheapest way to read each as small integers. Neither pandas nor Arrow is imported; their
objects are recognised by what they offer. This module does not decide which labels are scored.
"""

from __future__ import annotations

import difflib
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Label = str | int


class Interner(dict):
    """Codes for labels in order of first sight; `closed` when the label list is fixed.

    Looking a label up gives its code; a label seen for the first time gets the next free code, or a `KeyError` when
    closed. Every distinct value is checked once, so a column of ten million strings costs ten million dictionary look-ups
    and no more.

    >>> interner = Interner()
    >>> [interner[label] for label in ("b", "a", "b")]
    [0, 1, 0]
    """

    def __init__(self, labels: Iterable[Label] = (), closed: bool = False) -> None:
        super().__init__((label, code) for code, label in enumerate(labels))
        self.closed = closed

    def __missing__(self, label: Hashable) -> int:
        if self.closed or not isinstance(label, str | int | np.integer):
            raise KeyError(label)
        code = self[label] = len(self)
        return code


@dataclass(frozen=True)
class Coded:
    """A label column readable as codes, piece by piece.

    `data` holds integer codes if `values` is a sequence, label integers if `values` is None, and Python objects if `values`
    is an `Interner`, which then maps them to codes.
    """

    data: np.ndarray
    values: Sequence[Label] | Interner | None
    argument: str

    def __len__(self) -> int:
        return len(self.data)

    def codes(self, start: int, stop: int) -> np.ndarray:
        """Integer codes of the rows start … stop−1."""
        piece = self.data[start:stop]
        if not isinstance(self.values, Interner):
            return piece
        try:
            return np.fromiter(map(self.values.__getitem__, piece.tolist()), np.intp, len(piece))
        except (KeyError, TypeError):
            raise self._unknown(start) from None

    def _unknown(self, start: int) -> ValueError:
        for index in range(start, len(self)):
            value = self.data[index].item() if hasattr(self.data[index], "item") else self.data[index]
            if not isinstance(value, str | int):
                return ValueError(missing_message(self.argument, index, value))
            if value not in self.values:
                return ValueError(unlisted_message(self.argument, index, value, self.values))
        raise AssertionError("a look-up failed for a value that is listed")  # pragma: no cover


def missing_message(argument: str, index: int, value: Any) -> str:
    """Say that `argument[index]` holds no label.

    >>> missing_message("gold", 3, float("nan"))
    'gold[3] is nan: a label is a string or an integer; fill or drop missing values first'
    """
    return f"{argument}[{index}] is {value!r}: a label is a string or an integer; fill or drop missing values first"


def unlisted_message(argument: str, index: int | None, value: Label, labels: Iterable[Label]) -> str:
    """Say that `argument[index]`, or `argument` itself, is not in the label list, and which listed label is nearest.

    >>> unlisted_message("predicted", 0, "per:titel", ["per:age", "per:title"])
    "predicted[0] is 'per:titel', which is not in labels (2 labels); did you mean 'per:title'?"
    """
    known = [str(label) for label in labels]
    near = difflib.get_close_matches(str(value), known, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    place = argument if index is None else f"{argument}[{index}]"
    return f"{place} is {value!r}, which is not in labels ({len(known)} labels){hint}"


def as_coded(column: Any, argument: str, interner: Interner) -> Coded:
    """Read a label column in the cheapest way its type allows.

    Parameters
    ----------
    column : one-dimensional integer array (read as it is), pandas Series, Index or Categorical, Arrow array (their
        dictionary codes are read), or any sequence of strings or integers (each looked up in `interner`).
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
        raise ValueError(f"{argument} has dtype {array.dtype}: labels are integers or strings" + _first_nan(array, argument))
    return Coded(array, interner, argument)


def _array(column: Any) -> np.ndarray:
    """A list becomes an object array: `np.array(["a", nan])` would turn the missing value into the label 'nan'."""
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
        column = column.unify_dictionaries() if hasattr(column.type, "value_type") else column.dictionary_encode()
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
