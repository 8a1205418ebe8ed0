"""The one pass over the data: from label columns to how often each combination of labels occurs.

A column is an array of integers, a sequence of strings, a pandas Series or Categorical, or an Arrow array.
Neither pandas nor Arrow is imported: their objects are recognised by what they offer. Each column becomes
small integer codes, the codes are counted block by block, and everything else works on the few entries that
occur.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core import Label, as_label, missing_message, shown, unlisted_message

MAX_LABELS = 5_000
"""A table of 5,000² counts takes 200 MB; more labels than that are ids or texts, not classes."""
BLOCK_ROWS = 1 << 16  # rows at a time: what is made of them stays in the processor's cache
COUNTED_IN_AN_ARRAY = 1 << 22  # combinations; more are counted by sorting
INTEGERS = (int, np.integer, np.bool_)
Contingency = tuple[np.ndarray, np.ndarray]
"""A contingency table as its entries (K, m), a row of codes each, and their counts (..., K)."""


class Codes(NamedTuple):
    """A label column: (n,) integers, each a position in `values`; no `values`: the labels themselves."""

    codes: np.ndarray
    values: Sequence[Any] | None


def count_columns(
    columns: Mapping[str, Any], labels: Iterable[Label] | None, weight: Any = None, counts: Any = None
) -> tuple[np.ndarray, np.ndarray, tuple[Label, ...]]:
    """Count the rows of named label columns.

    Arguments and errors are those of `counts.Confusion.from_arrays`.

    Returns
    -------
    entries (K, m), positions into the label list; counts (K,); the label list.

    >>> entries, counts, labels = count_columns({"gold": ["b", "a"], "predicted": ["b", "b"]}, labels=None)
    >>> entries.tolist(), counts.tolist(), labels
    ([[1, 1], [0, 1]], [1, 1], ('a', 'b'))
    """
    if counts is not None and weight is not None:
        raise ValueError("sample_weight and counts are both given: a row is weighed or counted")
    listed = None if labels is None else checked_labels(labels)
    coded = {
        argument: small_codes(encoded(column, argument), argument) for argument, column in columns.items()
    }
    n = _common_length({argument: len(column.codes) for argument, column in coded.items()})
    weight = _checked_weight(weight, n) if counts is None else _checked_counts(counts, n)
    sizes = [len(column.values or ()) for column in coded.values()]
    entries, found = joint_counts([column.codes for column in coded.values()], sizes, weight)
    names = [_names(column, entry, listed) for column, entry in zip(coded.values(), entries.T, strict=True)]
    final = listed or _sorted_labels(names)
    positions = {label: position for position, label in enumerate(final)}
    for index, (argument, column) in enumerate(coded.items()):
        _check_listed(argument, column.codes, names[index], final)
        entries[:, index] = [positions[names[index][code]] for code in entries[:, index].tolist()]
    return entries, found if counts is None else found.astype(np.int64), final


def _common_length(lengths: Mapping[str, int]) -> int:
    (first, n), *others = lengths.items()
    if not n:
        raise ValueError(f"{first} is empty: no samples to count")
    for argument, length in others:
        if length != n:
            raise ValueError(f"{first} has {n} samples, {argument} has {length}")
    return n


def encoded(column: Any, argument: str) -> Codes:
    """Read a label column in the cheapest way its type allows.

    Parameters
    ----------
    column : one-dimensional integer array (read as it is), pandas Series, Index or Categorical, Arrow array
        (their dictionary codes are read), or any sequence of strings or integers. Booleans are the labels 0
        and 1.
    argument : the caller's name of the column, for error messages.

    Raises
    ------
    ValueError : the column is not one-dimensional, holds a missing value, is neither integers nor strings, or
        holds more than `MAX_LABELS` different strings.

    >>> column = encoded(["b", "a", "b"], "gold")
    >>> column.codes.tolist(), column.values
    ([0, 1, 0], ['b', 'a'])
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
    if not hasattr(column, "__array__"):
        return _looked_up(column if isinstance(column, list) else list(column), argument)
    array = _array(column, argument)
    kind = array.dtype.kind
    if kind in "iub":
        return Codes(array.view(np.uint8) if kind == "b" else array, None)
    if kind not in "OUT":
        missing = np.isnan(array) if kind == "f" else np.zeros(1, bool)
        nan = f"; {argument}[{missing.argmax()}] is nan" if missing.any() else ""
        raise ValueError(f"{argument} has dtype {array.dtype}: labels are integers or strings{nan}")
    return _looked_up(array, argument)


def _from_arrow(column: Any, argument: str) -> Codes:
    if hasattr(column, "chunks"):
        is_dictionary = hasattr(column.type, "value_type")
        column = (
            column.unify_dictionaries() if is_dictionary else column.dictionary_encode()
        ).combine_chunks()
    if not hasattr(column, "indices"):
        column = column.dictionary_encode()
    indices = column.indices
    if indices.null_count:
        indices = indices.cast("int64").fill_null(-1)
    return _from_dictionary(np.from_dlpack(indices), column.dictionary.to_pylist(), argument)


def _from_dictionary(codes: np.ndarray, values: list, argument: str) -> Codes:
    if len(codes) and codes.min() < 0:
        raise ValueError(missing_message(argument, int(codes.argmin()), None))
    labels = [as_label(value) for value in values]
    for code in (code for code, label in enumerate(labels) if label is None):
        where = codes == code
        if where.any():
            raise ValueError(missing_message(argument, int(where.argmax()), values[code]))
    return Codes(codes, labels)


def _array(column: Any, argument: str) -> np.ndarray:
    """The column as an array of one dimension, in the machine's byte order."""
    if np.ma.is_masked(column):
        raise ValueError(missing_message(argument, int(np.ma.getmaskarray(column).argmax()), np.ma.masked))
    array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError(f"{argument} has shape {array.shape}: one label per sample is needed, shape (n,)")
    return array if array.dtype.isnative else array.astype(array.dtype.newbyteorder("="))


def _looked_up(column: np.ndarray | list, argument: str) -> Codes:
    """Python strings and integers: one look-up a row in a dictionary that numbers what is new to it."""
    numbered: defaultdict[Any, int] = defaultdict()
    numbered.default_factory = numbered.__len__
    codes = np.empty(len(column), np.int32)
    for start in range(0, len(column), BLOCK_ROWS):
        rows = column[start : start + BLOCK_ROWS]
        block = rows if isinstance(rows, list) else rows.tolist()
        # by type and not by value: 1.0 and True would be found under 1
        if not all(issubclass(kind, (str, *INTEGERS)) for kind in set(map(type, block))):
            odd = next(index for index, value in enumerate(block) if as_label(value) is None)
            raise ValueError(missing_message(argument, start + odd, block[odd]))
        codes[start : start + len(block)] = np.fromiter(
            map(numbered.__getitem__, block), np.int32, len(block)
        )
        if len(numbered) > MAX_LABELS:
            named = shown([*numbered][MAX_LABELS])
            raise ValueError(
                f"more than {MAX_LABELS} distinct labels, {named} among them: are they ids or texts?"
            )
    return Codes(codes, [as_label(value) for value in numbered])


def small_codes(column: Codes, argument: str) -> Codes:
    """The same column with codes from 0 that an array can count: integers of any size and sign among them.

    >>> small_codes(Codes(np.array([-5, 10**12, -5]), None), "gold")
    Codes(codes=array([0, 1, 0]), values=[-5, 1000000000000])
    """
    codes, values = column
    if not len(codes):
        return Codes(codes, values or [])
    low, high = (int(codes.min()), int(codes.max())) if values is None else (0, len(values) - 1)
    if low >= 0 and high < COUNTED_IN_AN_ARRAY >> 4:
        return Codes(codes, values if values is not None else range(high + 1))
    kinds, codes = np.unique(codes, return_inverse=True)
    if len(kinds) > MAX_LABELS:
        raise ValueError(
            f"{argument} has {len(kinds)} distinct labels: "
            f"more than {MAX_LABELS} are ids or texts, not classes"
        )
    return Codes(codes, [values[kind] if values is not None else kind for kind in kinds.tolist()])


def joint_counts(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray | None = None
) -> Contingency:
    """Count the distinct rows of some columns of codes, block by block; memory for one block only.

    Parameters
    ----------
    columns : m integer arrays of n rows, codes from 0 to below `sizes`.
    weight : (n,) weight of each row; None counts each row once.

    Returns
    -------
    entries : (K, m) codes, sorted, one row for each combination that occurs, with weight 0 too.
    counts : (K,) int64, or float64 when weighted.

    >>> entries, counts = joint_counts([np.array([0, 0, 1]), np.array([1, 1, 0])], [2, 2])
    >>> entries.tolist(), counts.tolist()
    ([[0, 1], [1, 0]], [2, 1])
    """
    size, n = math.prod(sizes), len(columns[0])
    if size > COUNTED_IN_AN_ARRAY:
        kinds, place = np.unique(_packed(columns, sizes, slice(None)), return_inverse=True)
        return _unpacked(kinds, sizes), np.bincount(place, weight)
    occurs = np.zeros(size, np.int64)
    sums = occurs if weight is None else np.zeros(size)
    step = max(BLOCK_ROWS, size)  # adding up tables stays the smaller part of the work
    for start in range(0, n, step):
        rows = slice(start, start + step)
        packed = _packed(columns, sizes, rows)
        occurs += np.bincount(packed, minlength=size)
        if weight is not None:
            sums += np.bincount(packed, weight[rows], size)
    kinds = np.flatnonzero(occurs)
    return _unpacked(kinds, sizes), sums[kinds]


def _packed(columns: Sequence[np.ndarray], sizes: Sequence[int], rows: slice) -> np.ndarray:
    """The codes of each row as one integer."""
    packed = columns[0][rows].astype(np.intp)
    for codes, size in zip(columns[1:], sizes[1:], strict=True):
        packed *= size
        packed += codes[rows].astype(np.intp, copy=False)
    return packed


def _unpacked(packed: np.ndarray, sizes: Sequence[int]) -> np.ndarray:
    return np.stack(np.unravel_index(packed, sizes), axis=1)


def _names(column: Codes, codes: np.ndarray, listed: tuple[Label, ...] | None) -> dict[int, Label]:
    """Label of each code that occurs; an integer is a position where strings are listed."""
    assert column.values is not None
    names = {code: column.values[code] for code in np.unique(codes).tolist()}
    if listed is None or not isinstance(listed[0], str):
        return names
    return {
        code: listed[label] if isinstance(label, int) and 0 <= label < len(listed) else label
        for code, label in names.items()
    }


def _check_listed(
    argument: str, codes: np.ndarray, names: Mapping[int, Label], labels: tuple[Label, ...]
) -> None:
    if strange := [code for code, label in names.items() if label not in labels]:
        index = int(np.isin(codes, strange).argmax())
        raise ValueError(unlisted_message(argument, index, names[codes[index].item()], labels))


def _sorted_labels(names: Sequence[Mapping[int, Label]]) -> tuple[Label, ...]:
    labels = {label for column in names for label in column.values()}
    if len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError(f"labels mix strings and integers: {sorted(map(repr, labels))[:5]} …")
    if len(labels) > MAX_LABELS:
        raise ValueError(
            f"{len(labels)} distinct labels: more than {MAX_LABELS} are ids or texts, not classes"
        )
    return tuple(sorted(labels))


def checked_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    """A label list as a tuple of strings or of integers; ValueError says what is wrong with it.

    >>> checked_labels(np.array([3, 1]))
    (3, 1)
    """
    if isinstance(labels, str):
        raise ValueError(f"labels is {shown(labels)}: a list of labels is needed")
    listed = distinct_labels(list(labels))
    if not listed:
        raise ValueError("labels is empty")
    if len(listed) > MAX_LABELS:
        raise ValueError(f"labels holds {len(listed)} labels: more than {MAX_LABELS} are ids or texts")
    if len({isinstance(label, str) for label in listed}) > 1:
        raise ValueError("labels mixes strings and integers")
    return listed


def distinct_labels(given: Sequence[Any]) -> tuple[Label, ...]:
    """A list of labels as a tuple; ValueError names what is no label, or stands there twice.

    >>> distinct_labels(["a", 1, "a"])
    Traceback (most recent call last):
    ValueError: labels holds 'a' twice
    """
    seen: dict[Label, None] = {}
    for index, value in enumerate(given):
        label = as_label(value)
        if label is None:
            raise ValueError(f"labels[{index}] is {shown(value)}: labels are strings or integers")
        if label in seen:
            raise ValueError(f"labels holds {shown(label)} twice")
        seen[label] = None
    return tuple(seen)


def check_total(counts: np.ndarray) -> None:
    """ValueError for counts of which one is negative, or whose sum is not below 2^53: int64 sums could wrap.

    >>> check_total(np.array([2**62, 2**62]))
    Traceback (most recent call last):
    ValueError: counts add up to 9.22e+18: less than 2^53 is expected
    """
    if (counts < 0).any():
        raise ValueError("counts holds a negative number")
    total = counts.sum(dtype=float)
    if not total < 2.0**53:
        raise ValueError(f"counts add up to {total:.3g}: less than 2^53 is expected")


def _checked_counts(counts: Any, n: int) -> np.ndarray:
    """How often each row occurs, as floats: below 2^53 they add up exactly."""
    counts = np.asarray(counts)
    if counts.shape != (n,) or counts.dtype.kind not in "iu":
        shape = f"shape {counts.shape} and dtype {counts.dtype}"
        raise ValueError(f"counts has {shape}: a whole number for each of {n} rows is needed")
    check_total(counts)
    return counts.astype(float)


def _checked_weight(weight: Any, n: int) -> np.ndarray | None:
    if weight is None:
        return None
    try:
        weight = np.asarray(weight, dtype=float)
    except (TypeError, ValueError):
        raise ValueError("sample_weight holds something that is no number") from None
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}, gold has {n} samples")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        first = int(bad.argmax())
        raise ValueError(f"sample_weight[{first}] is {weight[first]}: weights are finite and not negative")
    return weight
