"""The outcome of a classifier as a small table of counts.

`Confusion`: how often was gold g predicted as p? `PairedOutcomes`: how often was gold g predicted as p, and
as q on the paired sentence (or by a second system)? Every score of relation classification is a function of
one of them. They hold no text and no ids, add up (`a + b`) over batches, processes or machines, and are
resampled in place of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from ..core import Label, unlisted_message
from .counting import Contingency, check_total, count_columns


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


def dense(entries: np.ndarray, counts: np.ndarray, size: int) -> np.ndarray:
    """(..., size, size) table of the counts (..., K) of the entries (K, 2).

    >>> dense(np.array([[0, 1], [0, 1]]), np.array([1, 2]), 2).tolist()
    [[0, 3], [0, 0]]
    """
    table = np.zeros((size * size, *counts.shape[:-1]), counts.dtype)
    np.add.at(table, entries[:, 0] * size + entries[:, 1], np.moveaxis(counts, -1, 0))
    return np.moveaxis(table, 0, -1).reshape(*counts.shape[:-1], size, size)


def sum_duplicates(entries: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The same table with sorted entries, each once.

    >>> entries, counts = sum_duplicates(np.array([[1, 0], [1, 0]]), np.array([2, 3]))
    >>> entries.tolist(), counts.tolist()
    ([[1, 0]], [5])
    """
    unique, inverse = np.unique(entries, axis=0, return_inverse=True)
    summed = np.zeros((len(unique), *counts.shape[:-1]), counts.dtype)
    np.add.at(summed, inverse.reshape(-1), np.moveaxis(counts, -1, 0))
    return unique, np.moveaxis(summed, 0, -1)


def split_rows(rows: Sequence[Sequence[float]], m: int, labels: Sequence[Label]) -> Contingency:
    """Rows of m positions into `labels` and a count as entries (K, m) and counts (K,): undoes `to_rows`.

    Raises ValueError for a label that is listed twice, for a row of another length, with a position outside
    the labels, or with a count that is negative or missing (the message names the row), and for a sum that no
    float holds exactly.

    >>> entries, counts = split_rows([[0, 1, 5]], 2, ["a", "b"])
    >>> entries.tolist(), counts.tolist()
    ([[0, 1]], [5])
    """
    if len(set(labels)) < len(labels):
        raise ValueError("labels holds a label twice")
    for index, row in enumerate(rows):
        places = [isinstance(place, int | np.integer) and 0 <= place < len(labels) for place in row[:m]]
        if len(row) != m + 1 or not all(places) or not row[m] >= 0:
            needed = f"{m} positions below {len(labels)} and a count are needed"
            raise ValueError(f"rows[{index}] is {row}: {needed}")
    entries = np.array([row[:m] for row in rows], dtype=np.intp).reshape(-1, m)
    whole = all(isinstance(row[m], int | np.integer) for row in rows)
    if whole and sum(row[m] for row in rows) >= 2**53:
        raise ValueError("rows add up to 2^53 or more")
    return entries, np.array([row[m] for row in rows], dtype=np.int64 if whole else float)


def draw(counts: np.ndarray, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(replicates, K) draws of n = Σ counts samples from K entries of probability counts / n.

    Raises ValueError for an empty table and for one of weights.

    >>> draw(np.array([3, 0]), np.random.default_rng(0), 2).tolist()
    [[3, 0], [3, 0]]
    """
    check_total(counts)
    if not counts.sum():
        raise ValueError("no samples: an empty table cannot be resampled")
    if counts.dtype.kind not in "iu":
        weights = "a table of sample weights cannot be resampled"
        raise ValueError(f"{weights}: the bootstrap draws samples, not weights")
    return rng.multinomial(counts.sum(), counts / counts.sum(), size=replicates)


def scalar(value: np.ndarray) -> Any:
    """A Python number for a single value, the array for replicates.

    >>> scalar(np.array(3))
    3
    """
    return value.item() if value.ndim == 0 else value


class Counted(Protocol):
    """What averages read of an outcome: how often each label is gold, predicted, and both; (..., L) each.

    >>> counted: Counted = Confusion.from_arrays(["a", "b"], ["a", "a"])
    >>> counted.gold.tolist(), counted.predicted.tolist(), counted.correct.tolist()
    ([1, 1], [2, 0], [1, 0])
    """

    @property
    def gold(self) -> np.ndarray: ...  # noqa: D102
    @property
    def predicted(self) -> np.ndarray: ...  # noqa: D102
    @property
    def correct(self) -> np.ndarray: ...  # noqa: D102
    @property
    def n(self) -> Any: ...  # noqa: D102
    @property
    def labels(self) -> tuple[Label, ...]: ...  # noqa: D102


class Resampled(Protocol):
    """What a bootstrap draws again: counts (..., K), and how replicates of them are made.

    >>> table: Resampled = Confusion.from_arrays(["a", "b"], ["a", "a"])
    >>> table.resample(np.random.default_rng(0), 3).counts.shape
    (3, 2, 2)
    """

    @property
    def counts(self) -> np.ndarray: ...  # noqa: D102
    @property
    def labels(self) -> tuple[Label, ...]: ...  # noqa: D102
    def resample(self, rng: np.random.Generator, replicates: int) -> Any: ...  # noqa: D102


class Summable:
    """What outcomes share: `a + b` and `sum(outcomes)`, and equality of what they count.

    A class gives `_plus(other)`, or `merged(outcomes)` for many at once, and `_state()`, which is compared.

    >>> one = Confusion.from_arrays(["a"], ["a"])
    >>> sum([one, one, one]).n, one + one == one
    (3, False)
    """

    def _state(self) -> tuple:
        raise NotImplementedError

    @classmethod
    def merged(cls, outcomes: Any) -> Any:
        """The sum of one outcome or more."""
        raise NotImplementedError

    def __add__(self, other: Any) -> Any:
        return self._plus(other) if type(other) is type(self) else NotImplemented

    def __radd__(self, other: object) -> Any:
        return self if other == 0 else NotImplemented  # so that sum(outcomes) works

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def _plus(self, other: Any) -> Any:
        return self.merged([self, other])


def union_labels(first: tuple[Label, ...], second: tuple[Label, ...]) -> tuple[Label, ...]:
    """The labels of both: in the order of the list that holds them all, else sorted.

    >>> union_labels(("b", "a"), ("a",)), union_labels(("b",), ("a",))
    (('b', 'a'), ('a', 'b'))
    """
    for listed, others in ((first, second), (second, first)):
        if set(others) <= set(listed):
            return listed
    if len({isinstance(label, str) for label in first + second}) > 1:
        raise ValueError("tables with string labels and with integer labels do not add up")
    return tuple(sorted({*first, *second}))


def reindex(counts: np.ndarray, labels: Sequence[Label], wider: Sequence[Label]) -> np.ndarray:
    """The table (..., L, L) over `labels` as one over `wider`, which holds them all; (..., W, W).

    >>> reindex(np.array([[3]]), ["b"], ["a", "b"]).tolist()
    [[0, 0], [0, 3]]
    """
    place = positions(labels, wider)
    table = np.zeros((*counts.shape[:-2], len(wider), len(wider)), counts.dtype)
    table[..., place[:, None], place] = counts
    return table


@dataclass(frozen=True, eq=False)
class Confusion(Summable):
    """How often was gold g predicted as p?

    Attributes
    ----------
    counts : (..., L, L) non-negative numbers, rows gold, columns predicted. Leading axes are replicates: each
        metric then gives one score for each replicate.
    labels : the L labels, in the order of rows and columns.
    direction : 'kept' or 'dropped'; carried into every signature.

    >>> table = Confusion.from_arrays(gold=["a", "a", "b"], predicted=["a", "b", "b"])
    >>> table.labels, table.counts.tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
    >>> (table + table).n
    6
    """

    counts: np.ndarray
    labels: tuple[Label, ...]
    direction: str = "kept"

    @classmethod
    def from_arrays(
        cls,
        gold: Any,
        predicted: Any,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        counts: Any = None,
    ) -> Confusion:
        """Count gold × predicted in one pass.

        Parameters
        ----------
        gold, predicted : (n,) columns of labels: integers of any size, strings, pandas or Arrow columns.
        labels : the label list, which fixes rows and columns. Integer columns are positions in a list of
            strings, and labels themselves in a list of integers. None: the labels that occur, sorted.
        sample_weight : (n,) non-negative weight of each sample; counts are then sums of weights (float64).
        counts : (n,) how often each row occurs, where an engine has counted already (`count_rows` of
            helpers.data); None: once. They add up to less than 2^53.

        Raises
        ------
        ValueError : columns of different length or without samples, a missing value, a label not in the list,
            a bad weight; the message names the argument, the first offending index and its value.

        >>> Confusion.from_arrays([0, 1, 1], [0, 1, 0], labels=["no_relation", "per:title"]).labels
        ('no_relation', 'per:title')
        """
        columns = {"gold": gold, "predicted": predicted}
        entries, found, labels = count_columns(columns, labels, sample_weight, counts)
        return cls(dense(entries, found, len(labels)), labels)

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[float]], labels: Sequence[Label]) -> Confusion:
        """The inverse of `to_rows`.

        >>> Confusion.from_rows([[0, 1, 5]], ["a", "b"]).counts.tolist()
        [[0, 5], [0, 0]]
        """
        entries, counts = split_rows(rows, 2, labels)
        return cls(dense(entries, counts, len(labels)), tuple(labels))

    def to_rows(self) -> list[list[float]]:
        """Non-zero counts as [gold, predicted, count], positions into `labels`, sorted.

        >>> Confusion.from_arrays(["a", "a"], ["b", "b"]).to_rows()
        [[0, 1, 2]]
        """
        return [[*entry, self.counts[tuple(entry)].item()] for entry in np.argwhere(self.counts).tolist()]

    @property
    def n(self) -> Any:
        """Number of samples (sum of weights), the negative class included; shape (...)."""
        return scalar(self.counts.sum((-2, -1)))

    @property
    def gold(self) -> np.ndarray:
        """(..., L) how often each label is gold: its support."""
        return self.counts.sum(-1)

    @property
    def predicted(self) -> np.ndarray:
        """(..., L) how often each label is predicted."""
        return self.counts.sum(-2)

    @property
    def correct(self) -> np.ndarray:
        """(..., L) how often each label is predicted where it is gold: its true positives."""
        return np.diagonal(self.counts, axis1=-2, axis2=-1)

    def _plus(self, other: Confusion) -> Confusion:
        if self.direction != other.direction:
            raise ValueError("tables with and without direction do not add up")
        labels = union_labels(self.labels, other.labels)
        counts = [reindex(table.counts, table.labels, labels) for table in (self, other)]
        return replace(self, counts=counts[0] + counts[1], labels=labels)

    def _state(self) -> tuple:
        return self.labels, self.direction, self.counts.tolist()

    def restrict(self, labels: Iterable[Label]) -> Confusion:
        """Keep the samples whose *gold* label is in `labels`, whatever they were predicted as.

        To leave classes out of an average but keep the mistakes they take part in, name the averaged labels
        in `evaluate` instead.

        >>> Confusion.from_arrays(["a", "b"], ["b", "b"]).restrict(["a"]).counts.tolist()
        [[0, 1], [0, 0]]
        """
        keep = np.isin(np.arange(len(self.labels)), positions(labels, self.labels))
        return replace(self, counts=np.where(keep[:, None], self.counts, 0))

    def relabel(
        self, new_label: Mapping | Callable[[Label], Label], direction: str | None = None
    ) -> Confusion:
        """Merge labels: the same samples with `new_label(label)` in place of each label.

        Parameters
        ----------
        new_label : a function, or a mapping (labels that it does not hold stay as they are).
        direction : 'dropped' if this takes the direction of relations away.

        >>> table = Confusion.from_arrays(["r(e1,e2)"], ["r(e2,e1)"])
        >>> table.relabel(lambda label: label[0], "dropped").counts.tolist()
        [[1]]
        """
        rename = new_label if callable(new_label) else lambda label: new_label.get(label, label)
        renamed = [rename(label) for label in self.labels]
        labels = tuple(dict.fromkeys(renamed))
        merge = np.equal.outer(positions(renamed, labels), np.arange(len(labels))).astype(self.counts.dtype)
        return Confusion(merge.T @ self.counts @ merge, labels, direction or self.direction)

    def resample(self, rng: np.random.Generator, replicates: int) -> Confusion:
        """Bootstrap replicates: n samples drawn with replacement; counts has shape (replicates, L, L).

        Drawing n samples with replacement and counting them is one draw from the multinomial distribution
        over the entries, so the data are not needed. Raises ValueError as `draw`.

        >>> replicates = Confusion.from_arrays(["a", "b"], ["a", "a"]).resample(np.random.default_rng(0), 3)
        >>> replicates.counts.shape, replicates.n.tolist()
        ((3, 2, 2), [2, 2, 2])
        """
        filled = np.nonzero(self.counts)
        drawn = draw(self.counts[filled], rng, replicates)
        counts = np.zeros((replicates, *self.counts.shape), np.int64)
        everywhere: tuple[Any, ...] = (slice(None), *filled)
        counts[everywhere] = drawn
        return replace(self, counts=counts)


@dataclass(frozen=True, eq=False)
class PairedOutcomes(Summable):
    """How often was gold g predicted as p, and as q on the paired sentence (or by a second system)?

    Attributes
    ----------
    entries : (K, 3) positions into `labels`: gold, predicted, predicted on the paired sentence; sorted, none
        twice.
    counts : (..., K) how often each occurs; leading axes are replicates.
    labels : the L labels.

    >>> outcomes = PairedOutcomes.from_arrays(["a", "a"], ["a", "b"], ["b", "b"])
    >>> outcomes.to_rows()
    [[0, 0, 1, 1], [0, 1, 1, 1]]
    """

    entries: np.ndarray
    counts: np.ndarray
    labels: tuple[Label, ...]

    @classmethod
    def from_arrays(
        cls,
        gold: Any,
        predicted: Any,
        predicted_paired: Any,
        labels: Iterable[Label] | None = None,
        counts: Any = None,
    ) -> PairedOutcomes:
        """Count gold × predicted × predicted_paired in one pass; arguments as `Confusion.from_arrays`.

        >>> PairedOutcomes.from_arrays([1, 0], [1, 1], [0, 0], labels=[0, 1]).n
        2
        """
        columns = {"gold": gold, "predicted": predicted, "predicted_paired": predicted_paired}
        entries, found, labels = count_columns(columns, labels, None, counts)
        return cls(*sum_duplicates(entries, found), labels)

    @classmethod
    def from_rows(cls, rows: Sequence[Sequence[float]], labels: Sequence[Label]) -> PairedOutcomes:
        """The inverse of `to_rows`.

        >>> PairedOutcomes.from_rows([[0, 0, 1, 7]], ["a", "b"]).counts.tolist()
        [7]
        """
        return cls(*sum_duplicates(*split_rows(rows, 3, labels)), tuple(labels))

    def to_rows(self) -> list[list[float]]:
        """Non-zero counts as [gold, predicted, predicted_paired, count], positions into `labels`, sorted.

        >>> PairedOutcomes.from_arrays(["a"], ["a"], ["a"]).to_rows()
        [[0, 0, 0, 1]]
        """
        rows = zip(self.entries.tolist(), self.counts.tolist(), strict=True)
        return [[*entry, count] for entry, count in rows if count]

    @property
    def n(self) -> Any:
        """Number of samples; shape (...)."""
        return scalar(self.counts.sum(-1))

    @property
    def original(self) -> Confusion:
        """Gold × predicted: the outcome on the original samples, or of the first system."""
        return Confusion(dense(self.entries[:, :2], self.counts, len(self.labels)), self.labels)

    def paired(self, inverse: Mapping[Label, Label] | None = None) -> Confusion:
        """Gold × predicted on the paired samples, whose gold label is `inverse[gold]`.

        Without `inverse` the gold labels stay: the outcome of the second of two systems. Raises ValueError if
        an inverse is not one of the labels.

        >>> outcomes = PairedOutcomes.from_arrays(["a"], ["a"], ["b"], labels=["a", "b"])
        >>> outcomes.paired({"a": "b", "b": "a"}).counts.tolist()
        [[0, 0], [0, 1]]
        """
        golds = [(inverse or {}).get(label, label) for label in self.labels]
        turned = positions(golds, self.labels, "inverse")
        entries = np.stack([turned[self.entries[:, 0]], self.entries[:, 2]], axis=1)
        return Confusion(dense(entries, self.counts, len(self.labels)), self.labels)

    def _plus(self, other: PairedOutcomes) -> PairedOutcomes:
        labels = union_labels(self.labels, other.labels)
        placed = [positions(table.labels, labels)[table.entries] for table in (self, other)]
        entries, counts = np.concatenate(placed), np.concatenate([self.counts, other.counts], axis=-1)
        return PairedOutcomes(*sum_duplicates(entries, counts), labels)

    def _state(self) -> tuple:
        return self.labels, self.to_rows()

    def restrict(self, labels: Iterable[Label]) -> PairedOutcomes:
        """Keep the samples whose *gold* label is in `labels`.

        >>> PairedOutcomes.from_arrays(["a", "b"], ["b", "b"], ["b", "b"]).restrict(["a"]).n
        1
        """
        keep = np.isin(self.entries[:, 0], positions(labels, self.labels))
        return replace(self, entries=self.entries[keep], counts=self.counts[..., keep])

    def resample(self, rng: np.random.Generator, replicates: int) -> PairedOutcomes:
        """Bootstrap replicates; counts has shape (replicates, K). See `Confusion.resample`.

        >>> outcomes = PairedOutcomes.from_arrays(["a"], ["a"], ["b"])
        >>> outcomes.resample(np.random.default_rng(0), 2).counts.tolist()
        [[1], [1]]
        """
        return replace(self, counts=draw(self.counts, rng, replicates))


def leaked(confusion: Confusion, negative: Label) -> Confusion:
    """The outcome if every sample of the negative class had been predicted as it: its false alarms vanish.

    This is what RECENT's released evaluation does (Lyu and Chen 2021): it looks up the answer of its second
    step in files that hold positive gold samples only, so a false alarm of the first step counts as negative.

    Parameters
    ----------
    confusion : counts (..., L, L), of any system. negative : the negative class.

    Returns
    -------
    The same table, in the row of `negative` all samples in the column of `negative`. Recall of every positive
    class stays, its precision can only rise, so no scheme falls.

    Raises ValueError if `negative` is none of the labels.

    >>> table = Confusion.from_arrays(gold=["NA", "NA", "a"], predicted=["a", "NA", "NA"])
    >>> leaked(table, "NA").counts.tolist()
    [[2, 0], [1, 0]]
    """
    row = positions([negative], confusion.labels, "negative")[0]
    counts = confusion.counts.copy()
    counts[..., row, :] = 0
    counts[..., row, row] = confusion.gold[..., row]
    return replace(confusion, counts=counts)
