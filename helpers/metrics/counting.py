"""The one pass over the data: from label columns, or matrices of labels, to what can be counted.

Each column becomes small integer codes: integers are taken as they are, categories and Arrow's dictionaries
bring their codes, and all other labels are numbered by a dictionary. The codes are counted block by block
with `numpy.bincount`, and everything else works on the few combinations that occur. Neither pandas nor Arrow
is imported: their objects are recognised by what they offer.

Of multi-label data rows are instances and columns are labels. Label sets, whatever a caller has (dense or any
sparse format, bool or numbers), become one checked `csr_array`.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import Label, shown, unlisted_message

MAX_LABELS = 5_000
"""A table of 5,000² counts takes 200 MB; more labels than that are ids or texts, not classes."""
BLOCK_ROWS = 1 << 16  # rows at a time: what is made of them stays in the processor's cache
BLOCK_KINDS = 1 << 22  # combinations that are counted in an array; more are counted by sorting
BLOCK_CODES = 1 << 18  # integers below are codes as they are; others are numbered
INTEGERS = (int, np.integer, np.bool_)


def count_columns(
    columns: Mapping[str, Any], labels: Iterable[Label] | None, weight: Any = None, counts: Any = None
) -> tuple[tuple[np.ndarray, ...], np.ndarray, tuple[Label, ...]]:
    """Count the rows of named label columns.

    Arguments and errors are those of `outcome.Outcome.from_columns`.

    Returns
    -------
    (K,) positions into the label list for each column: the combinations that occur, sorted, each once; counts
    (K,); the label list.

    >>> kinds, counts, labels = count_columns({"gold": ["b", "a"], "predicted": ["b", "b"]}, labels=None)
    >>> [column.tolist() for column in kinds], counts.tolist(), labels
    ([[0, 1], [1, 1]], [1, 1], ('a', 'b'))
    """
    listed = None if labels is None else checked_labels(labels)
    coded = [_encoded(column, argument) for argument, column in columns.items()]
    if listed and isinstance(listed[0], str):  # an integer is a position in a list of strings
        by_position = dict(enumerate(listed))
        coded = [(codes, [by_position.get(name, name) for name in names]) for codes, names in coded]
    first, n = next(iter(columns)), len(coded[0][0])
    if not n:
        raise ValueError(f"{first} is empty: no samples to count")
    for argument, (codes, _) in zip(columns, coded, strict=True):
        if len(codes) != n:
            raise ValueError(f"{first} has {n} samples, {argument} has {len(codes)}")
    if weight is not None or counts is not None:
        weight = _checked_weight(weight, counts, n)
    kinds, sums = _joint_counts([codes for codes, _ in coded], [len(names) for _, names in coded], weight)
    labelled = [
        [names[code] for code in codes.tolist()] for codes, (_, names) in zip(kinds, coded, strict=True)
    ]
    final = listed or tuple(sorted(checked_labels(set().union(*labelled))))
    position = {label: index for index, label in enumerate(final)}
    placed = [np.array([position.get(label, -1) for label in column]) for column in labelled]
    for argument, places, kind, (codes, names) in zip(columns, placed, kinds, coded, strict=True):
        if (places == -1).any():
            index = int(np.isin(codes, kind[places == -1]).argmax())
            raise ValueError(unlisted_message(argument, index, names[codes[index]], final))
    # once more, of the few: in the order of the labels, and two codes may have been one label
    kinds, sums = _joint_counts(placed, [len(final)] * len(placed), sums)
    return kinds, sums if weight is not None and counts is None else sums.astype(np.int64), final


def _encoded(column: Any, argument: str) -> tuple[np.ndarray, Sequence[Any]]:
    """A label column as codes (n,) from 0, and the label of each code; errors as of `Outcome.from_columns`.

    column : one-dimensional array of integers, pandas Series, Index or Categorical, Arrow array, tensor, or
    any sequence of strings or integers; booleans are the labels 0 and 1. argument : its name in messages.

    >>> codes, values = _encoded(["b", "a", "b"], "gold")
    >>> codes.tolist(), values
    ([0, 1, 0], ['b', 'a'])
    """
    if isinstance(column, str) or not (hasattr(column, "__array__") or isinstance(column, Iterable)):
        what = "a string" if isinstance(column, str) else repr(column)
        raise ValueError(f"{argument} is {what}: a column with one label per sample is needed")
    if type(column).__module__.startswith("pyarrow"):
        import pyarrow as pa

        chunks = column if hasattr(column, "chunks") else pa.chunked_array([column])
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
    if array.dtype.kind in "OUT":
        return _numbered(array, argument)
    if array.dtype.kind not in "iub":
        index = int(np.isnan(array).argmax()) if array.dtype.kind == "f" else 0
        of_kind = f"{argument} has dtype {array.dtype}: labels are integers or strings"
        raise ValueError(of_kind + (f"; {argument}[{index}] is {array[index]}" if len(array) else ""))
    array = array.view(np.uint8) if array.dtype.kind == "b" else array
    if len(array) and (array.min() < 0 or array.max() >= BLOCK_CODES):
        return _numbered(array, argument)
    return array, range(int(array.max(initial=0)) + 1)  # these are codes already


def _from_dictionary(codes: np.ndarray, values: list, argument: str) -> tuple[np.ndarray, Sequence[Any]]:
    labels = [_as_label(value) for value in values]
    missing = [-1, *(code for code, label in enumerate(labels) if label is None)]
    if len(codes) and (codes.min() < 0 or len(missing) > 1) and (where := np.isin(codes, missing)).any():
        index = int(where.argmax())
        raise _missing(argument, index, None if codes[index] < 0 else values[codes[index]])
    return codes, labels


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
            index = next(index for index, value in enumerate(block) if _as_label(value) is None)
            raise _missing(argument, start + index, block[index])
        codes[start : start + len(block)] = np.fromiter(map(number.__getitem__, block), np.int32, len(block))
        if len(number) > MAX_LABELS:
            many = f"more than {MAX_LABELS} distinct labels, {shown([*number][MAX_LABELS])} among them"
            raise ValueError(f"{many}: are they ids or texts?")
    return codes, [str(value) if isinstance(value, str) else int(value) for value in number]


def _missing(argument: str, index: int, value: object) -> ValueError:
    """The error for `argument[index]`, which holds no label.

    >>> _missing("gold", 3, float("nan"))
    ValueError('gold[3] is nan: labels are strings or integers, and none may be missing')
    """
    none = "labels are strings or integers, and none may be missing"
    return ValueError(f"{argument}[{index}] is {shown(value)}: {none}")


def _joint_counts(
    columns: Sequence[np.ndarray], sizes: Sequence[int], weight: np.ndarray | None = None
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Count the distinct rows of some columns of codes, block by block; memory for one block only.

    Parameters
    ----------
    columns : m integer arrays of n rows, codes from 0 to below `sizes`.
    weight : (n,) weight of each row; None counts each row once.

    Returns
    -------
    m columns (K,) of codes, sorted, one row for each combination that occurs, with weight 0 too; counts (K,)
    int64, or float64 when weighted.

    >>> kinds, counts = _joint_counts([np.array([0, 0, 1]), np.array([1, 1, 0])], [2, 2])
    >>> [codes.tolist() for codes in kinds], counts.tolist()
    ([[0, 1], [1, 0]], [2, 1])
    """
    size, n = math.prod(sizes), len(columns[0])
    if size > BLOCK_KINDS:
        codes = np.ravel_multi_index([column.astype(np.intp) for column in columns], sizes)
        kinds, inverse = np.unique(codes, return_inverse=True)
        return np.unravel_index(kinds, sizes), np.bincount(inverse, weight)
    occurs, sums = np.zeros(size, np.int64), np.zeros(size, np.int64 if weight is None else float)
    step = max(BLOCK_ROWS, size)  # adding up tables stays the smaller part of the work
    for rows in (slice(start, start + step) for start in range(0, n, step)):
        codes = columns[0][rows].astype(np.intp)  # packed twice as fast as by ravel_multi_index
        for column, of_column in zip(columns[1:], sizes[1:], strict=True):
            codes *= of_column
            codes += column[rows].astype(np.intp, copy=False)
        occurs += np.bincount(codes, minlength=size)
        if weight is not None:
            sums += np.bincount(codes, weight[rows], size)
    kinds = np.flatnonzero(occurs)
    return np.unravel_index(kinds, sizes), (occurs if weight is None else sums)[kinds]


def _as_label(value: object) -> Label | None:
    """A value as a label, None if it is none: strings and integers are labels, True and False are 1 and 0.

    >>> _as_label(np.int8(3)), _as_label(True), _as_label("NA"), _as_label(float("nan"))
    (3, 1, 'NA', None)
    """
    if isinstance(value, str):
        return str(value)
    return int(value) if isinstance(value, INTEGERS) else None


def checked_labels(labels: Iterable[Label], n_columns: int | None = None) -> tuple[Label, ...]:
    """A label list as a tuple of strings or of integers; ValueError says what is wrong with it.

    n_columns : of a matrix, which they name; there may be many thousands then, strings beside integers.

    >>> checked_labels(np.array([3, 1])), checked_labels(["a", 1], 2)
    ((3, 1), ('a', 1))
    """
    if isinstance(labels, str) and n_columns is None:
        raise ValueError(f"labels is {shown(labels)}: a list of labels is needed")
    seen: dict[Label, None] = {}
    for index, value in enumerate(labels):
        label = _as_label(value)
        if label is None:
            raise ValueError(f"labels[{index}] is {shown(value)}: labels are strings or integers")
        if label in seen:
            raise ValueError(f"labels holds {shown(label)} twice")
        seen[label] = None
    if n_columns is not None and len(seen) != n_columns:
        raise ValueError(f"labels names {len(seen)} labels, but truth has {n_columns} columns")
    if not seen:
        raise ValueError("labels is empty")
    if n_columns is None and len(seen) > MAX_LABELS:
        many = f"there are {len(seen)} distinct labels"
        raise ValueError(f"{many}: more than {MAX_LABELS} are ids or texts, not classes")
    if n_columns is None and len({isinstance(label, str) for label in seen}) > 1:
        raise ValueError(f"labels mix strings and integers: {sorted(map(repr, seen))[:5]} …")
    return tuple(seen)


def _checked_weight(weight: Any, counts: Any, n: int) -> np.ndarray:
    """The weight of each row: `sample_weight`, or how often it occurs, exact in floats."""
    if counts is not None:
        if weight is not None:
            raise ValueError("sample_weight and counts are both given: a row is weighed or counted")
        counts = np.asarray(counts)
        if counts.shape != (n,) or counts.dtype.kind not in "iu":
            shape = f"shape {counts.shape} and dtype {counts.dtype}"
            raise ValueError(f"counts has {shape}: a whole number for each of {n} rows is needed")
        return counts.astype(float)
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
