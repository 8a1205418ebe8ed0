"""Any column of labels as codes, without copying the column.

A column may be an integer array, a numpy or Python sequence of strings, a pandas Series or Categorical, or an
Arrow array: `as_coded` finds the cheapest way to read each. Neither pandas nor Arrow is imported; their
objects are recognised by what they offer. Booleans are the labels 0 and 1.

Fixed-width numpy string columns as codes, a piece at a time.

Making Python strings of ten million array strings, only to look them up, takes longer than all the counting.
Here a few character columns that tell the known labels apart are hashed into a small table, and every string
is then compared in full with the label found there: what is unknown is learnt, and a count can never be
wrong.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import count
from threading import Lock
from typing import Any

import numpy as np

from helpers.core import Label, as_label, missing_message, unlisted_message

MAX_LABELS = 5_000
"""A table of 5,000² counts takes 200 MB; more labels than that are ids or texts, not classes."""


class Interner(dict):
    """Codes for labels in order of first sight; `closed` when the label list is fixed.

    Looking a label up gives its code; a label seen for the first time gets the next free code, or a
    `KeyError` when closed. Every distinct value is checked once, so a column of ten million strings costs ten
    million dictionary look-ups and no more.

    >>> interner = Interner()
    >>> [interner[label] for label in ("b", "a", "b")]
    [0, 1, 0]
    """

    def __init__(self, labels: Iterable[Label] = (), closed: bool = False) -> None:
        super().__init__((label, code) for code, label in enumerate(labels))
        self.closed = closed
        self._lock = Lock()

    def __missing__(self, label: Hashable) -> int:
        if self.closed or as_label(label) is None:
            raise KeyError(label)
        if len(self) >= MAX_LABELS:
            raise ValueError(
                f"more than {MAX_LABELS} distinct labels, {label!r} among them: are they ids or texts?"
            )
        with self._lock:
            return self.setdefault(label, len(self))


@dataclass(frozen=True)
class Coded:
    """A label column readable as codes, piece by piece.

    `data` holds integer codes if `values` is a sequence, label integers if `values` is None, and Python
    objects if `values` is an `Interner`, which then maps them to codes.

    >>> Coded(np.array([1, 0]), ("a", "b"), "gold").codes(0, 2).tolist()
    [1, 0]
    """

    data: np.ndarray
    values: Sequence[Label] | Interner | None
    argument: str

    def __len__(self) -> int:
        return len(self.data)

    @property
    def parallel(self) -> bool:
        """Whether pieces are read outside the interpreter lock, so that threads pay."""
        return not isinstance(self.values, Interner)

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
            value = self.data[index]
            if as_label(value) is None:
                return ValueError(missing_message(self.argument, index, value))
            if value not in self.values:
                return ValueError(unlisted_message(self.argument, index, as_label(value), self.values))
        raise AssertionError("a look-up failed for a value that is listed")  # pragma: no cover


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
    return _from_dictionary(np.from_dlpack(indices), column.dictionary.to_pylist(), argument)


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


@dataclass(frozen=True)
class KnownStrings:
    """Labels of one width, found by a hash of some of their characters.

    Attributes
    ----------
    strings, codes : (C,) the labels and their codes.
    columns, factors : character columns that are hashed, and the odd 64-bit number each is multiplied by.
    bits : the hash is the top `bits` bits of the sum. slots : (2^bits,) hash → position in `strings`, 0 if
        empty.

    >>> known = KnownStrings.of({"apple": 0, "apply": 1}, np.dtype("U5"))
    >>> found, codes = known.look_up(np.array(["apply", "apple", "ample"]))
    >>> found.tolist(), codes[found].tolist()
    ([True, True, False], [1, 0])
    """

    strings: np.ndarray
    codes: np.ndarray
    columns: list[int]
    factors: np.ndarray
    bits: int
    slots: np.ndarray

    @classmethod
    def of(cls, codes: Mapping[str, int], dtype: np.dtype) -> KnownStrings:
        """The labels that fit into `dtype`, with a hash table in which no two of them share a slot."""
        # numpy drops NULs at the end of its strings, so no element equals a label that ends with one
        texts = [label for label in codes if isinstance(label, str) and not label.endswith("\0")]
        fitting = [label for label in texts if len(label) <= dtype.itemsize // 4]
        strings = np.array(fitting, dtype)
        words = _characters(strings)
        columns = _telling_columns(words)
        rng = np.random.default_rng(0)
        for bits in (b for b in count(10) for _ in range(4)):
            factors = rng.integers(0, 2**63, len(columns), dtype=np.uint64) * np.uint64(2) + np.uint64(1)
            keys = _hash(words, columns, factors, bits)
            if len(np.unique(keys)) == len(keys):
                break
        slots = np.zeros(1 << bits, np.intp)
        slots[keys] = np.arange(len(keys))
        return cls(
            strings, np.array([codes[label] for label in fitting], np.intp), columns, factors, bits, slots
        )

    def look_up(self, piece: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) whether each string is a known label, and its code if it is."""
        if not len(self.strings):
            return np.zeros(len(piece), bool), np.zeros(len(piece), np.intp)
        place = self.slots[_hash(_characters(piece), self.columns, self.factors, self.bits)]
        return self.strings[place] == piece, self.codes[place]


@dataclass(frozen=True)
class StringColumn(Coded):
    """A `Coded` column over a contiguous numpy array of fixed-width strings; `values` is an `Interner`.

    >>> from helpers.metrics import Interner
    >>> column = StringColumn(np.array(["b", "a", "b"]), Interner(["a"]), "gold")
    >>> column.codes(0, 3).tolist()
    [1, 0, 1]
    """

    known: list[KnownStrings] = field(default_factory=list)  # one entry: all labels so far
    lock: Lock = field(default_factory=Lock)

    @property
    def parallel(self) -> bool:
        """Pieces are read outside the interpreter lock, so threads pay."""
        return True

    def codes(self, start: int, stop: int) -> np.ndarray:
        """Integer codes of the rows start … stop−1; ValueError as `Coded.codes`."""
        piece = self.data[start:stop]
        if not self.known:
            self._learn(start, piece[:1])
        found, codes = self.known[0].look_up(piece)
        while not found.all():
            self._learn(start, piece[~found])
            found, codes = self.known[0].look_up(piece)
        return codes

    def _learn(self, start: int, strange: np.ndarray) -> None:
        with self.lock:
            try:
                for label in sorted(set(strange.tolist())):
                    self.values[label]
            except KeyError:
                raise self._unknown(start) from None
            self.known[:] = [KnownStrings.of(self.values, self.data.dtype)]


def _characters(strings: np.ndarray) -> np.ndarray:
    """(n, width) code points, without a copy."""
    return strings.view(np.uint32).reshape(len(strings), strings.dtype.itemsize // 4)


def _telling_columns(words: np.ndarray) -> list[int]:
    """Character columns that together tell all rows apart, chosen greedily: a few do, even for thousands of
    labels."""
    group, columns = np.zeros(len(words), np.int64), []
    while group.max(initial=0) + 1 < len(words):
        options = [
            np.unique(group << 21 | words[:, column], return_inverse=True)[1]
            for column in range(words.shape[1])
        ]
        best = int(np.argmax([option.max() for option in options]))
        columns.append(best)
        group = options[best]
    return columns or [0]


def _hash(words: np.ndarray, columns: list[int], factors: np.ndarray, bits: int) -> np.ndarray:
    total = words[:, columns[0]] * factors[0]
    for column, factor in zip(columns[1:], factors[1:], strict=True):
        total += words[:, column] * factor
    return (total >> np.uint64(64 - bits)).astype(np.intp)
