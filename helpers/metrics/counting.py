"""The one pass over the data: from label columns to how often each combination of labels occurs.

Each column becomes small integer codes: integers are taken as they are, categories and Arrow's dictionaries
bring their codes, and all other labels are numbered by a dictionary. The codes are counted block by block
with `numpy.bincount`, and everything else works on the few combinations that occur. Neither pandas nor Arrow
is imported: their objects are recognised by what they offer.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..core import Label, as_label, shown, unlisted_message

MAX_LABELS = 5_000
"""A table of 5,000² counts takes 200 MB; more labels than that are ids or texts, not classes."""
BLOCK_ROWS = 1 << 16  # rows at a time: what is made of them stays in the processor's cache
COUNTED_IN_AN_ARRAY = 1 << 22  # combinations; more are counted by sorting
LARGEST_CODE = 1 << 18
INTEGERS = (int, np.integer, np.bool_)


def count_columns(
    columns: Mapping[str, Any], labels: Iterable[Label] | None, weight: Any = None, counts: Any = None
) -> tuple[np.ndarray, np.ndarray, tuple[Label, ...]]:
    """Count the rows of named label columns.

    Arguments and errors are those of `outcome.Outcome.from_columns`.

    Returns
    -------
    entries (K, m), positions into the label list, each combination once; counts (K,); the label list.

    >>> entries, counts, labels = count_columns({"gold": ["b", "a"], "predicted": ["b", "b"]}, labels=None)
    >>> entries.tolist(), counts.tolist(), labels
    ([[1, 1], [0, 1]], [1, 1], ('a', 'b'))
    """
    if counts is not None and weight is not None:
        raise ValueError("sample_weight and counts are both given: a row is weighed or counted")
    listed = None if labels is None else checked_labels(labels)
    coded = {argument: _encoded(column, argument) for argument, column in columns.items()}
    (first, n), *others = ((argument, len(codes)) for argument, (codes, _) in coded.items())
    if not n:
        raise ValueError(f"{first} is empty: no samples to count")
    for argument, length in others:
        if length != n:
            raise ValueError(f"{first} has {n} samples, {argument} has {length}")
    if weight is not None:
        weight = _checked_weight(weight, n)
    elif counts is not None:
        weight = _checked_counts(counts, n)
    sizes = [len(values) for _, values in coded.values()]
    entries, sums = _joint_counts([codes for codes, _ in coded.values()], sizes, weight)
    names = [_names(values, entries[:, m], listed) for m, (_, values) in enumerate(coded.values())]
    final = listed or _sorted_labels({label for column in names for label in column.values()})
    position = {label: index for index, label in enumerate(final)}
    for m, (argument, (codes, _)) in enumerate(coded.items()):
        if strange := [code for code, label in names[m].items() if label not in position]:
            index = int(np.isin(codes, strange).argmax())
            raise ValueError(unlisted_message(argument, index, names[m][codes[index].item()], final))
        entries[:, m] = [position[names[m][code]] for code in entries[:, m].tolist()]
    return entries, sums if counts is None else sums.astype(np.int64), final


def _encoded(column: Any, argument: str) -> tuple[np.ndarray, Sequence[Any]]:
    """A label column as codes (n,) from 0, and the label of each code.

    Parameters
    ----------
    column : one-dimensional array of integers, pandas Series, Index or Categorical, Arrow array, tensor, or
        any sequence of strings or integers. Booleans are the labels 0 and 1.
    argument : the caller's name of the column, for error messages.

    Raises
    ------
    ValueError : the column is not one-dimensional, holds a missing value, is neither integers nor strings, or
        holds more than `MAX_LABELS` different strings.

    >>> codes, values = _encoded(["b", "a", "b"], "gold")
    >>> codes.tolist(), values
    ([0, 1, 0], ['b', 'a'])
    """
    if isinstance(column, str) or not (hasattr(column, "__array__") or isinstance(column, Iterable)):
        what = "a string" if isinstance(column, str) else repr(column)
        raise ValueError(f"{argument} is {what}: a column with one label per sample is needed")
    if type(column).__module__.partition(".")[0] == "pyarrow":
        chunks = column if hasattr(column, "chunks") else _chunked(column)
        dictionary = chunks.dictionary_encode().unify_dictionaries().combine_chunks()
        indices = dictionary.indices
        indices = indices.cast("int64").fill_null(-1) if indices.null_count else indices
        # not np.asarray, for which pyarrow loads pandas
        return _from_dictionary(np.from_dlpack(indices), dictionary.dictionary.to_pylist(), argument)
    categories = getattr(column, "cat", column)
    if hasattr(categories, "categories"):
        return _from_dictionary(np.asarray(categories.codes), categories.categories.tolist(), argument)
    if not hasattr(column, "__array__"):
        return _numbered(column if isinstance(column, list) else list(column), argument)
    if np.ma.is_masked(column):
        raise _missing(argument, int(np.ma.getmaskarray(column).argmax()), np.ma.masked)
    array = np.asarray(column)
    if array.ndim != 1:
        raise ValueError(f"{argument} has shape {array.shape}: one label per sample is needed, shape (n,)")
    if array.dtype.kind in "iub":
        return _integers(array, argument)
    if array.dtype.kind in "OUT":
        return _numbered(array, argument)
    index = int(np.isnan(array).argmax()) if array.dtype.kind == "f" else 0
    of_kind = f"{argument} has dtype {array.dtype}: labels are integers or strings"
    raise ValueError(of_kind + (f"; {argument}[{index}] is {array[index]}" if len(array) else ""))


def _chunked(column: Any) -> Any:
    import pyarrow as pa

    return pa.chunked_array([column])


def _missing(argument: str, index: int, value: object) -> ValueError:
    """The error for `argument[index]`, which holds no label.

    >>> _missing("gold", 3, float("nan"))
    ValueError('gold[3] is nan: labels are strings or integers, and none may be missing')
    """
    none = "labels are strings or integers, and none may be missing"
    return ValueError(f"{argument}[{index}] is {shown(value)}: {none}")


def _from_dictionary(codes: np.ndarray, values: list, argument: str) -> tuple[np.ndarray, Sequence[Any]]:
    labels = [as_label(value) for value in values]
    missing = [-1, *(code for code, label in enumerate(labels) if label is None)]
    if len(codes) and (codes.min() < 0 or len(missing) > 1) and (where := np.isin(codes, missing)).any():
        index = int(where.argmax())
        value = None if codes[index] < 0 else values[codes[index]]
        raise _missing(argument, index, value)
    return codes, labels


def _integers(array: np.ndarray, argument: str) -> tuple[np.ndarray, Sequence[Any]]:
    """Integers of any size and sign: small ones are codes already."""
    if array.dtype.kind == "b":
        array = array.view(np.uint8)
    if not len(array) or array.min() >= 0 and array.max() < LARGEST_CODE:
        return array, range(int(array.max(initial=0)) + 1)
    kinds, codes = np.unique(array, return_inverse=True)
    if len(kinds) > MAX_LABELS:
        many = f"{argument} has {len(kinds)} distinct labels"
        raise ValueError(f"{many}: more than {MAX_LABELS} are ids or texts, not classes")
    return codes, kinds.tolist()


def _numbered(column: np.ndarray | list, argument: str) -> tuple[np.ndarray, Sequence[Any]]:
    """Python strings and integers: a dictionary numbers what is new to it."""
    number: defaultdict[Any, int] = defaultdict()
    number.default_factory = number.__len__
    codes = np.empty(len(column), np.int32)
    for start in range(0, len(column), BLOCK_ROWS):
        rows = column[start : start + BLOCK_ROWS]
        block = rows if isinstance(rows, list) else rows.tolist()
        # by type and not by value: 1.0 and True would be found under 1
        if not all(issubclass(kind, (str, *INTEGERS)) for kind in set(map(type, block))):
            index = next(index for index, value in enumerate(block) if as_label(value) is None)
            raise _missing(argument, start + index, block[index])
        codes[start : start + len(block)] = np.fromiter(map(number.__getitem__, block), np.int32, len(block))
        if len(number) > MAX_LABELS:
            many = f"more than {MAX_LABELS} distinct labels, {shown([*number][MAX_LABELS])} among them"
            raise ValueError(f"{many}: are they ids or texts?")
    return codes, [as_label(value) for value in number]


def _joint_counts(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Count the distinct rows of some columns of codes, block by block; memory for one block only.

    Parameters
    ----------
    columns : m integer arrays of n rows, codes from 0 to below `sizes`.
    weight : (n,) weight of each row; None counts each row once.

    Returns
    -------
    entries : (K, m) codes, sorted, one row for each combination that occurs, with weight 0 too.
    counts : (K,) int64, or float64 when weighted.

    >>> entries, counts = _joint_counts([np.array([0, 0, 1]), np.array([1, 1, 0])], [2, 2])
    >>> entries.tolist(), counts.tolist()
    ([[0, 1], [1, 0]], [2, 1])
    """

    def packed(rows: slice) -> np.ndarray:  # a row of codes as one integer
        whole = columns[0][rows].astype(np.intp)
        for codes, size in zip(columns[1:], sizes[1:], strict=True):
            whole *= size
            whole += codes[rows].astype(np.intp, copy=False)
        return whole

    size, n = math.prod(sizes), len(columns[0])
    if size > COUNTED_IN_AN_ARRAY:
        kinds, inverse = np.unique(packed(slice(None)), return_inverse=True)
        sums = np.bincount(inverse, weight)
    else:
        occurs, sums = np.zeros(size, np.int64), np.zeros(size, np.int64 if weight is None else float)
        step = max(BLOCK_ROWS, size)  # adding up tables stays the smaller part of the work
        for rows in (slice(start, start + step) for start in range(0, n, step)):
            codes = packed(rows)
            occurs += np.bincount(codes, minlength=size)
            if weight is not None:
                sums += np.bincount(codes, weight[rows], size)
        kinds = np.flatnonzero(occurs)
        sums = (occurs if weight is None else sums)[kinds]
    return np.stack(np.unravel_index(kinds, sizes), axis=1), sums


def _names(values: Sequence[Any], codes: np.ndarray, listed: tuple[Label, ...] | None) -> dict[int, Label]:
    """Label of each code that occurs; an integer is a position where strings are listed."""
    names = {code: values[code] for code in np.unique(codes).tolist()}
    if listed is None or not isinstance(listed[0], str):
        return names
    return {
        code: listed[label] if isinstance(label, int) and 0 <= label < len(listed) else label
        for code, label in names.items()
    }


def _sorted_labels(labels: set[Label]) -> tuple[Label, ...]:
    if len({isinstance(label, str) for label in labels}) > 1:
        raise ValueError(f"labels mix strings and integers: {sorted(map(repr, labels))[:5]} …")
    if len(labels) > MAX_LABELS:
        many = f"{len(labels)} distinct labels: more than {MAX_LABELS}"
        raise ValueError(f"{many} are ids or texts, not classes")
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


def _checked_weight(weight: Any, n: int) -> np.ndarray:
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
