"""From label columns to a table of cells: the steps between `labels` and `counts`.

A table is kept as cells (K, m), positions into the label list, and counts (..., K). This module gives codes
their labels, checks what comes in, and turns cells into dense tables and bootstrap replicates.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from .columns import as_coded
from .labels import MAX_LABELS, Coded, Interner, Label, unlisted_message
from .tally import joint_counts


def positions(labels: Iterable[Label], listed: Sequence[Label], argument: str = "labels") -> np.ndarray:
    """Where each label stands in `listed`; ValueError names the first that does not.

    >>> positions(["b"], ("a", "b")).tolist()
    [1]
    """
    place = {label: index for index, label in enumerate(listed)}
    found = []
    for index, label in enumerate(labels):
        if label not in place:
            raise ValueError(unlisted_message(argument, index, label, listed))
        found.append(place[label])
    return np.array(found, dtype=np.intp)


def count_columns(columns: Mapping[str, Any], labels: Iterable[Label] | None, weight: Any = None) -> tuple:
    """Count the rows of named label columns: cells (K, m) as positions into the label list, counts (K,), the
    label list.

    Arguments and errors are those of `counts.Confusion.from_arrays`.

    >>> cells, counts, labels = count_columns({"gold": ["b", "a"], "predicted": ["b", "b"]}, labels=None)
    >>> cells.tolist(), counts.tolist(), labels
    ([[1, 1], [0, 1]], [1, 1], ('a', 'b'))
    """
    listed = None if labels is None else _checked_labels(labels)
    interner = Interner(listed or (), closed=listed is not None)
    coded = [as_coded(column, argument, interner) for argument, column in columns.items()]
    _check_lengths(coded)
    cells, counts = joint_counts(coded, _checked_weight(weight, len(coded[0])))
    names = [_names(column, cells[:, place], interner, listed) for place, column in enumerate(coded)]
    final = listed or _sorted_labels(names)
    if len(final) > MAX_LABELS:
        raise ValueError(
            f"{len(final)} distinct labels: more than {MAX_LABELS} are ids or texts, not classes"
        )
    place_of = {label: index for index, label in enumerate(final)}
    for place, (column, name) in enumerate(zip(coded, names, strict=True)):
        _check_listed(column, name, place_of, final)
        cells[:, place] = np.vectorize(lambda code, n=name: place_of[n[code]], otypes=[np.intp])(
            cells[:, place]
        )
    return cells, counts, final


def _names(
    column: Coded, codes: np.ndarray, interner: Interner, listed: tuple | None
) -> dict[int, Label | None]:
    """Label of each code that occurs; None for a position outside the label list."""
    occurring = np.unique(codes).tolist()
    if column.values is not None:
        values = tuple(interner) if column.values is interner else column.values
        return {code: values[code] for code in occurring}
    if listed and isinstance(listed[0], str):
        return {code: listed[code] if 0 <= code < len(listed) else None for code in occurring}
    return {code: code for code in occurring}


def _sorted_labels(names: Sequence[dict]) -> tuple[Label, ...]:
    found = {label for name in names for label in name.values()}
    if len({isinstance(label, str) for label in found}) > 1:
        raise ValueError(f"labels mix strings and integers: {sorted(map(repr, found))[:5]} …")
    return tuple(sorted(found))


def _check_listed(column: Coded, names: dict, place_of: dict, listed: tuple) -> None:
    strange = [code for code, label in names.items() if label not in place_of]
    if not strange:
        return
    index = int(np.isin(column.data, strange).argmax())
    code = column.data[index].item()
    raise ValueError(
        unlisted_message(column.argument, index, names[code] if names[code] is not None else code, listed)
    )


def _checked_labels(labels: Iterable[Label]) -> tuple[Label, ...]:
    listed = tuple(label.item() if isinstance(label, np.generic) else label for label in labels)
    twice = next((label for index, label in enumerate(listed) if label in listed[:index]), None)
    if not listed or twice is not None:
        raise ValueError("labels is empty" if not listed else f"labels holds {twice!r} twice")
    if len({isinstance(label, str) for label in listed}) > 1:
        raise ValueError("labels mixes strings and integers")
    return listed


def _check_lengths(coded: Sequence[Coded]) -> None:
    first = coded[0]
    if not len(first):
        raise ValueError(f"{first.argument} is empty: no samples to count")
    for column in coded[1:]:
        if len(column) != len(first):
            raise ValueError(
                f"{first.argument} has {len(first)} samples, {column.argument} has {len(column)}"
            )


def _checked_weight(weight: Any, n: int) -> np.ndarray | None:
    if weight is None:
        return None
    weight = np.asarray(weight, dtype=float)
    if weight.shape != (n,):
        raise ValueError(f"sample_weight has shape {weight.shape}, gold has {n} samples")
    bad = ~(np.isfinite(weight) & (weight >= 0))
    if bad.any():
        raise ValueError(
            f"sample_weight[{bad.argmax()}] is {weight[bad.argmax()]}: weights are finite and not negative"
        )
    return weight


def dense(cells: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    """(..., size, size) table of the counts (..., K) of the cells (K, 2).

    >>> dense(np.array([[0, 1], [0, 1]]), np.array([1, 2]), 2).tolist()
    [[0, 3], [0, 0]]
    """
    table = np.zeros((size * size, *counts.shape[:-1]), counts.dtype)
    np.add.at(table, cells[:, 0] * size + cells[:, 1], np.moveaxis(counts, -1, 0))
    return np.moveaxis(table, 0, -1).reshape(*counts.shape[:-1], size, size)


def merged(cells: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same table with sorted cells, each once.

    >>> cells, counts = merged(np.array([[1, 0], [1, 0]]), np.array([2, 3]))
    >>> cells.tolist(), counts.tolist()
    ([[1, 0]], [5])
    """
    unique, inverse = np.unique(cells, axis=0, return_inverse=True)
    merged = np.zeros((len(unique), *counts.shape[:-1]), counts.dtype)
    np.add.at(merged, inverse.reshape(-1), np.moveaxis(counts, -1, 0))
    return unique, np.moveaxis(merged, 0, -1)


def split_rows(rows: Sequence[Sequence[float]], m: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of m positions and a count as cells (K, m) and counts (K,).

    >>> cells, counts = split_rows([[0, 1, 5]], 2)
    >>> cells.tolist(), counts.tolist()
    ([[0, 1]], [5])
    """
    table = np.array(rows).reshape(-1, m + 1)
    return table[:, :m].astype(np.intp), table[:, m]


def draw(counts: np.ndarray, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(replicates, K) draws of n = Σ counts samples from cells with probabilities counts / n; ValueError for
    weights.

    >>> draw(np.array([3, 0]), np.random.default_rng(0), 2).tolist()
    [[3, 0], [3, 0]]
    """
    if not np.issubdtype(counts.dtype, np.integer):
        raise ValueError(
            "a table of sample weights cannot be resampled: the bootstrap draws samples, not weights"
        )
    return rng.multinomial(counts.sum(), counts / counts.sum(), size=replicates)


def scalar(value: np.ndarray) -> Any:
    """A Python number for a single value, the array for replicates.

    >>> scalar(np.array(3))
    3
    """
    return value.item() if value.ndim == 0 else value
