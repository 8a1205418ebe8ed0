"""Any column of labels as integer codes.

A column is an integer array, a sequence of strings, a pandas Series or Categorical, or an Arrow array;
`as_coded` reads each in the cheapest way. Neither pandas nor Arrow is imported: their objects are recognised
by what they offer.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count
from threading import RLock
from typing import Any, cast

import numpy as np

from ..core import Label, as_label, missing_message, shown, unlisted_message

MAX_LABELS = 5_000
"""A table of 5,000² counts takes 200 MB; more labels than that are ids or texts, not classes."""
BLOCK_ROWS = 1 << 16  # rows at a time: what is made of them stays in the processor's cache
THREAD_FROM = 1 << 20  # rows from which a second thread pays for its start
INTEGERS = (int, np.integer, np.bool_)


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
        self.closed, self.lock = closed, RLock()

    def __missing__(self, label: Hashable) -> int:
        if self.closed or as_label(label) is None:
            raise KeyError(label)
        if len(self) >= MAX_LABELS:
            raise ValueError(
                f"more than {MAX_LABELS} distinct labels, {shown(label)} among them: are they ids or texts?"
            )
        with self.lock:
            return self.setdefault(label, len(self))


@dataclass(frozen=True)
class Coded:
    """A label column as integers.

    Attributes
    ----------
    codes : (n,) positions in `values`, or the labels themselves if `values` is None.
    values : label of each code; an `Interner` maps labels to codes, and may still learn from other columns.
    argument : the caller's name of the column, for messages.

    >>> Coded(np.array([1, 0]), ("a", "b"), "gold").labels()
    {0: 'a', 1: 'b'}
    """

    codes: np.ndarray
    values: Sequence[Label] | Interner | None
    argument: str

    def __len__(self) -> int:
        return len(self.codes)

    def labels(self, codes: Iterable[int] | None = None) -> dict[int, Label]:
        """Code → label, of the codes given or of all that occur."""
        codes = np.unique(self.codes).tolist() if codes is None else codes
        values = tuple(self.values) if isinstance(self.values, Interner) else self.values
        return {code: code if values is None else values[code] for code in codes}


def as_coded(column: Any, argument: str, interner: Interner) -> Coded:
    """Read a label column in the cheapest way its type allows.

    Parameters
    ----------
    column : one-dimensional integer array (read as it is), pandas Series, Index or Categorical, Arrow array
        (their dictionary codes are read), or any sequence of strings or integers (each looked up in
        `interner`). Booleans are the labels 0 and 1.
    argument : the caller's name of the column, for error messages.
    interner : shared by the columns of one call, so that equal labels get equal codes.

    Raises
    ------
    ValueError : the column is not one-dimensional, holds a missing value, is neither integers nor strings, or
        holds a label that a closed interner does not have.

    >>> as_coded(["a", "b"], "gold", Interner()).codes.tolist()
    [0, 1]
    """
    if isinstance(column, str) or not (hasattr(column, "__array__") or isinstance(column, Iterable)):
        what = "a string" if isinstance(column, str) else repr(column)
        raise ValueError(f"{argument} is {what}: a column with one label per sample is needed")
    if type(column).__module__.partition(".")[0] == "pyarrow":
        return _from_arrow(column, argument)
    if hasattr(column, "dtype"):
        column = getattr(column, "cat", column)
        if hasattr(column, "codes") and hasattr(column, "categories"):
            return _from_dictionary(np.asarray(column.codes), column.categories.tolist(), argument)
        plain_integers = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu"
        if hasattr(column, "factorize") and not plain_integers:
            codes, values = column.factorize()
            return _from_dictionary(np.asarray(codes), values.tolist(), argument)
    return _from_array(_array(column, argument), argument, interner)


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
    labels = tuple(as_label(value) for value in values)
    for code in (code for code, label in enumerate(labels) if label is None):
        where = codes == code
        if where.any():
            raise ValueError(missing_message(argument, int(where.argmax()), values[code]))
    return Coded(codes, cast("tuple[Label, ...]", labels), argument)  # no code points at None


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
    array = array.view(np.uint8) if array.dtype == bool else array
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    kind = array.dtype.kind
    if kind in "iu":
        return Coded(array, None, argument)
    if kind not in "OUT":
        missing = np.isnan(array) if kind == "f" else np.zeros(1, bool)
        nan = f"; {argument}[{missing.argmax()}] is nan" if missing.any() else ""
        raise ValueError(f"{argument} has dtype {array.dtype}: labels are integers or strings{nan}")
    try:
        fixed_width = kind == "U" and array.dtype.itemsize and array.flags.c_contiguous
        codes = string_codes(array, interner) if fixed_width else _look_up(array, interner)
    except (KeyError, TypeError):
        raise _unknown(array, argument, interner) from None
    return Coded(codes, interner, argument)


def _look_up(array: np.ndarray, interner: Interner) -> np.ndarray:
    codes = np.empty(len(array), np.int16)  # MAX_LABELS fits
    for start in range(0, len(array), BLOCK_ROWS):
        block = array[start : start + BLOCK_ROWS].tolist()
        found = map(interner.__getitem__, block)
        codes[start : start + len(block)] = np.fromiter(found, np.int16, len(block))
    return codes


def _unknown(array: np.ndarray, argument: str, interner: Interner) -> ValueError:
    for index, value in enumerate(array):
        label = as_label(value)
        if label is None:
            return ValueError(missing_message(argument, index, value))
        if interner.closed and value not in interner:
            return ValueError(unlisted_message(argument, index, label, interner))
    raise AssertionError("a look-up failed for a value that is listed")  # pragma: no cover


def in_spans(work: Callable[[int, int], Any], n: int) -> list[Any]:
    """work(start, stop) of consecutive spans of n rows, one for each processor that this process may use.

    numpy releases the interpreter lock in most of what is done with a block; few rows are one span.

    >>> in_spans(lambda start, stop: (start, stop), 5)
    [(0, 5)]
    """
    workers = _processors() if n >= THREAD_FROM else 1
    edges = np.linspace(0, n, workers + 1).astype(int).tolist()
    if workers == 1:
        return [work(0, n)]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(work, edges[:-1], edges[1:]))


def _processors() -> int:
    """Processors this process may use (a container's limit, not the machine's)."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def string_codes(array: np.ndarray, interner: Interner) -> np.ndarray:
    """(n,) codes of a contiguous numpy array of fixed-width strings; KeyError as `Interner`.

    Making Python strings of ten million array strings, only to look them up, takes several times as long as
    all the counting. So strings are found by a hash (`KnownStrings`); what is not found is learnt.

    >>> string_codes(np.array(["b", "a", "b"]), Interner(["a"])).tolist()
    [1, 0, 1]
    """
    codes = np.empty(len(array), np.int16)
    known = [KnownStrings.of(interner, array.dtype)]

    def fill(start: int, stop: int) -> None:
        for at in range(start, stop, BLOCK_ROWS):
            block = array[at : min(at + BLOCK_ROWS, stop)]
            found, codes[at : at + len(block)] = known[0].look_up(block)
            while not found.all():
                with interner.lock:
                    for label in sorted(set(block[~found].tolist())):
                        interner[label]
                    known[0] = KnownStrings.of(interner, array.dtype)
                found, codes[at : at + len(block)] = known[0].look_up(block)

    in_spans(fill, len(array))
    return codes


@dataclass(frozen=True)
class KnownStrings:
    """Labels of one width, found by a hash of a few characters that tell them apart, and compared in full.

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
        numbers = np.array([codes[label] for label in fitting], np.int16)
        return cls(strings, numbers, columns, factors, bits, slots)

    def look_up(self, strings: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(n,) whether each string is a known label, and its code if it is."""
        if not len(self.strings):
            return np.zeros(len(strings), bool), np.zeros(len(strings), np.int16)
        place = self.slots[_hash(_characters(strings), self.columns, self.factors, self.bits)]
        return self.strings[place] == strings, self.codes[place]


def _characters(strings: np.ndarray) -> np.ndarray:
    """(n, width) code points, without a copy."""
    return strings.view(np.uint32).reshape(len(strings), strings.dtype.itemsize // 4)


def _telling_columns(words: np.ndarray) -> list[int]:
    """Character columns that together tell all rows apart, chosen greedily: a few do, even for thousands."""
    group, columns = np.zeros(len(words), np.int64), []
    while group.max(initial=0) + 1 < len(words):
        numbered = (group << 21 | words[:, column] for column in range(words.shape[1]))
        options = [np.unique(option, return_inverse=True)[1] for option in numbered]
        best = int(np.argmax([option.max() for option in options]))
        columns.append(best)
        group = options[best]
    return columns or [0]


def _hash(words: np.ndarray, columns: list[int], factors: np.ndarray, bits: int) -> np.ndarray:
    total = words[:, columns[0]] * factors[0]
    for column, factor in zip(columns[1:], factors[1:], strict=True):
        total += words[:, column] * factor
    return (total >> np.uint64(64 - bits)).astype(np.intp)
