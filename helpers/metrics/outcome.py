"""What happened on a test set, as a small table: the kinds of samples that occur, and how often each does.

A kind of sample is its gold label (or set of labels), what was predicted for it, and, where there is one,
what was predicted for its paired sentence or by a second system. Every score of single labels and of label
sets is a function of such a table. Tables hold no text and no ids, add up (`a + b`) over batches, processes
or machines, and are resampled in place of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import Label, unlisted_message
from .counting import as_label_matrix, checked_labels, count_columns
from .scores import ClassCounts, ratio

RIGHT = {"predicted": "right", "second": "right_second"}
"""A role that predicts → the role that says what of it is right."""


def positions(labels: Iterable[Label], listed: Sequence[Label], argument: str = "labels") -> np.ndarray:
    """Where each label stands in `listed`; ValueError names the first that does not.

    >>> positions(["b"], ("a", "b")).tolist()
    [1]
    """
    position = {label: index for index, label in enumerate(listed)}
    labels = list(labels)
    for index, label in enumerate(labels):
        if label not in position:
            raise ValueError(unlisted_message(argument, index, label, listed))
    return np.array([position[label] for label in labels], dtype=np.intp)


def _draw(counts: np.ndarray, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(replicates, K) draws of n = Σ counts samples from K kinds of probability counts / n.

    Raises ValueError for an empty table and for one of weights.

    >>> _draw(np.array([3, 0]), np.random.default_rng(0), 2).tolist()
    [[3, 0], [3, 0]]
    """
    _check_total(counts)
    if not counts.sum():
        raise ValueError("no samples: an empty table cannot be resampled")
    if counts.dtype.kind not in "iu":
        weights = "a table of sample weights cannot be resampled"
        raise ValueError(f"{weights}: the bootstrap draws samples, not weights")
    return rng.multinomial(counts.sum(), counts / counts.sum(), size=replicates)


def _check_total(counts: np.ndarray) -> None:
    """ValueError for counts of which one is negative, or whose sum is not below 2^53: int64 sums could wrap.

    >>> _check_total(np.array([2**62, 2**62]))
    Traceback (most recent call last):
    ValueError: counts add up to 9.22e+18: less than 2^53 is expected
    """
    if (counts < 0).any():
        raise ValueError("counts holds a negative number")
    total = counts.sum(dtype=float)
    if not total < 2.0**53:
        raise ValueError(f"counts add up to {total:.3g}: less than 2^53 is expected")


def scalar(value: np.ndarray) -> Any:
    """A Python number for a single value, the array for replicates.

    >>> scalar(np.array(3))
    3
    """
    return value.item() if value.ndim == 0 else value


def check_same(first: Any, second: Any) -> None:
    """ValueError unless two outcomes treat direction, and decide label sets, in one way; of label sets also
    unless both have the same labels in order: Macro-F1 divides by their number.

    >>> check_same(*(Outcome.from_sets([[1]], [[1]], decision=name) for name in ("argmax", "score>0")))
    Traceback (most recent call last):
    ValueError: outcomes decided by argmax and by score>0 do not add up
    """
    if first.direction != second.direction:
        raise ValueError("tables with and without direction do not add up")
    if first.decision != second.decision:
        raise ValueError(f"outcomes decided by {first.decision} and by {second.decision} do not add up")
    if first.decision is not None and first.labels != second.labels:
        pairs = enumerate(zip_longest(first.labels, second.labels))
        index, (a, b) = next((index, pair) for index, pair in pairs if pair[0] != pair[1])
        sizes = f"{len(first.labels)} and of {len(second.labels)}"
        raise ValueError(f"outcomes of {sizes} labels do not add up: label {index} is {a!r} and {b!r}")


def _union_labels(first: tuple[Label, ...], second: tuple[Label, ...]) -> tuple[Label, ...]:
    """The labels of both: in the order of the list that holds them all, else sorted.

    >>> _union_labels(("b", "a"), ("a",)), _union_labels(("b",), ("a",))
    (('b', 'a'), ('a', 'b'))
    """
    for listed, others in ((first, second), (second, first)):
        if set(others) <= set(listed):
            return listed
    if len({isinstance(label, str) for label in first + second}) > 1:
        raise ValueError("tables with string labels and with integer labels do not add up")
    return tuple(sorted({*first, *second}))


@dataclass(frozen=True, eq=False)
class Outcome:
    """Kinds of samples × how often each occurs.

    Attributes
    ----------
    roles : name → what the samples of each kind have in this role: 'gold', 'predicted'; 'paired', predicted
        for the paired sentence; 'second', predicted by a second system. Of single labels (K,) positions into
        `labels`; of label sets (K, L) sparse, how often each label is in the set. The role 'right' says which
        predicted labels are right where that is not what gold and predicted have in common, 'right_second'
        which of the second system's.
    counts : (..., K) how many samples are of each kind. Leading axes are replicates: every score then gives
        one value for each.
    labels : the L labels.
    direction : 'kept' or 'dropped', of single labels. decision : of label sets, how it was decided that a
        label is predicted, e.g. 'score>0', 'argmax', 'given'; None: single labels. Both are carried into
        every signature.

    >>> table = Outcome.from_columns(gold=["a", "a", "b"], predicted=["a", "b", "b"])
    >>> table.labels, table.to_rows()
    (('a', 'b'), [[0, 0, 1], [0, 1, 1], [1, 1, 1]])
    >>> (table + table).n
    6
    """

    roles: Mapping[str, Any]
    counts: np.ndarray
    labels: tuple[Label, ...]
    direction: str = "kept"
    decision: str | None = None

    @classmethod
    def from_columns(
        cls,
        gold: Any,
        predicted: Any,
        *,
        labels: Iterable[Label] | None = None,
        sample_weight: Any = None,
        counts: Any = None,
        **roles: Any,
    ) -> Outcome:
        """Count the rows of columns of single labels in one pass.

        Parameters
        ----------
        gold, predicted : (n,) columns of labels: integers of any size, strings, pandas or Arrow columns,
            tensors.
        labels : the label list, which fixes their order. Integer columns are positions in a list of strings,
            and labels themselves in a list of integers. None: the labels that occur, sorted.
        sample_weight : (n,) non-negative weight of each sample; counts are then sums of weights (float64).
        counts : (n,) how often each row occurs, where an engine has counted already (`count_rows` of
            helpers.data); None: once. They add up to less than 2^53.
        roles : further columns by role, e.g. `paired` or `second`.

        Raises
        ------
        ValueError : columns of different length or without samples, a missing value, a label not in the list,
            a bad weight; the message names the argument, the first offending index and its value.

        >>> Outcome.from_columns([0, 1, 1], [0, 1, 0], labels=["no_relation", "per:title"]).labels
        ('no_relation', 'per:title')
        >>> Outcome.from_columns(["a", "a"], ["a", "b"], second=["b", "b"]).to_rows()
        [[0, 0, 1, 1], [0, 1, 1, 1]]
        """
        columns = {"gold": gold, "predicted": predicted} | roles
        kinds, sums, labels = count_columns(columns, labels, sample_weight, counts)
        if counts is not None:
            _check_total(np.asarray(counts))
        return cls(dict(zip(columns, kinds, strict=True)), sums, labels)

    @classmethod
    def from_sets(
        cls,
        gold: Any,
        predicted: Any,
        labels: Iterable[Label] | None = None,
        decision: str = "given",
        **roles: Any,
    ) -> Outcome:
        """Count pairs of label sets.

        Parameters
        ----------
        gold, predicted : (n, L) 0/1 matrices; see `as_label_matrix`.
        labels : names of the columns; None: 0 … L−1. decision : carried into every signature.
        roles : further matrices by role, e.g. `second`.

        Raises ValueError for shapes that differ, values other than 0 and 1, names that do not fit.

        >>> Outcome.from_sets([[1, 0]] * 3, [[1, 1]] * 3).to_rows()
        [[[0], [0, 1], 3]]
        """
        sets = {"gold": as_label_matrix(gold)}
        shape = sets["gold"].shape
        for role, matrix in {"predicted": predicted, **roles}.items():
            sets[role] = as_label_matrix(matrix, role)
            if sets[role].shape != shape:
                raise ValueError(f"{role} has shape {sets[role].shape}, but truth has {shape}")
        once = np.ones(shape[0], np.int64)
        names = checked_labels(range(shape[1]) if labels is None else labels, shape[1])
        return cls(sets, once, names, decision=decision).grouped()

    @classmethod
    def from_rows(
        cls,
        rows: Sequence[Sequence[Any]],
        labels: Sequence[Label],
        roles: Sequence[str] = ("gold", "predicted"),
        decision: str | None = None,
    ) -> Outcome:
        """The inverse of `to_rows`; of label sets if `decision` is given.

        Raises ValueError for a label that is listed twice, a row of another length, with a position outside
        the labels or twice in a set, or with a count that is negative or missing (the message names the row),
        and for a sum that no float holds exactly.

        >>> Outcome.from_rows([[0, 1, 5]], ["a", "b"]).table().tolist()
        [[0, 5], [0, 0]]
        """
        if len(set(labels)) < len(labels):
            raise ValueError("labels holds a label twice")
        sets, m = decision is not None, len(roles)
        for index, row in enumerate(rows):
            lists = [entry if sets else [entry] for entry in row[:m]]
            codes = [code for entry in lists for code in entry]
            fits = all(isinstance(code, int | np.integer) and 0 <= code < len(labels) for code in codes)
            fits = fits and all(len(set(entry)) == len(entry) for entry in lists)
            if len(row) != m + 1 or not fits or not row[m] >= 0:
                what = f"{m} {'lists of ' if sets else ''}positions below {len(labels)} and a count"
                raise ValueError(f"rows[{index}] is {row}: {what} are needed")
        columns = [[row[role] for row in rows] for role in range(m)]
        made = [_matrix(column, len(labels)) if sets else np.array(column, np.intp) for column in columns]
        counts = np.array([row[m] for row in rows], dtype=None if rows else np.int64)
        if not counts.sum(dtype=float) < 2.0**53:
            raise ValueError("rows add up to 2^53 or more")
        return cls(dict(zip(roles, made, strict=True)), counts, tuple(labels), decision=decision).grouped()

    def to_rows(self) -> list[list[Any]]:
        """Each kind that occurs as [gold, predicted, …, count], positions into `labels`, or lists of them for
        sets; sorted.

        >>> Outcome.from_columns(["a", "a"], ["b", "b"]).to_rows()
        [[0, 1, 2]]
        """
        rows = zip(*map(_lists, self.roles.values()), np.moveaxis(self.counts, -1, 0).tolist(), strict=True)
        return [list(row) for row in rows if row[-1]]

    @classmethod
    def merged(cls, outcomes: Sequence[Any]) -> Any:
        """The sum of one outcome or more; ValueError if roles, direction, decision or labels of sets differ.

        >>> table = Outcome.from_columns(["a"], ["a"])
        >>> Outcome.merged([table, table, Outcome.from_columns(["b"], ["a"])]).to_rows()
        [[0, 0, 2], [1, 0, 1]]
        """
        first, labels = outcomes[0], outcomes[0].labels
        for other in outcomes[1:]:
            if first.roles.keys() != other.roles.keys():
                names = (", ".join(outcome.roles) for outcome in (first, other))
                raise ValueError(f"tables of {' and of '.join(names)} do not add up")
            check_same(first, other)
            if first.decision is None:
                labels = _union_labels(labels, other.labels)
        roles = {}
        for role in first.roles:
            columns = [outcome.roles[role] for outcome in outcomes]
            if first.decision is None:
                columns = [positions(outcome.labels, labels)[outcome.roles[role]] for outcome in outcomes]
            is_sparse = scipy.sparse.issparse(columns[0])
            roles[role] = scipy.sparse.vstack(columns, format="csr") if is_sparse else np.concatenate(columns)
        counts = np.concatenate([outcome.counts for outcome in outcomes], axis=-1)
        return replace(first, roles=roles, counts=counts, labels=labels).grouped()

    def __add__(self, other: Any) -> Any:
        return self.merged([self, other]) if type(other) is type(self) else NotImplemented

    def __radd__(self, other: object) -> Any:
        return self if other == 0 else NotImplemented  # so that sum(outcomes) works

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._state() == other._state()

    __hash__ = None  # type: ignore[assignment]

    def _state(self) -> tuple:
        return self.labels, self.direction, self.decision, [*self.roles], self.to_rows()

    def grouped(self) -> Outcome:
        """The same samples with sorted kinds, each once."""
        codes = np.stack([_codes(column) for column in self.roles.values()])
        order = np.lexsort(codes[::-1])
        begins = np.diff(codes[:, order], prepend=-1).any(axis=0)  # where another kind begins
        kind = np.empty_like(order)
        kind[order] = np.cumsum(begins) - 1
        first = order[begins]
        roles = {role: column[first] for role, column in self.roles.items()}
        return replace(self, roles=roles, counts=_summed(self.counts, kind, len(first)))

    @property
    def n(self) -> Any:
        """Number of samples (sum of weights), the negative class included; shape (...)."""
        return scalar(self.counts.sum(-1))

    @property
    def without_prediction(self) -> Any:
        """Number of instances with label sets for which no label is predicted; shape (...).

        >>> Outcome.from_sets([[1, 0]] * 3, [[1, 1], [0, 0], [0, 0]]).without_prediction
        2
        """
        return scalar(self.counts[..., self.roles["predicted"].sum(axis=1) == 0].sum(-1))

    @property
    def accuracy(self) -> Any:
        """Share of the samples of single labels whose prediction is right; (...), nan of no sample.

        >>> Outcome.from_columns(["a", "b"], ["a", "a"]).accuracy
        0.5
        """
        right = self.counts[..., self.roles["gold"] == self.roles["predicted"]].sum(-1)
        return scalar(ratio(right, self.n))

    def per_class(self, predicted: str = "predicted") -> ClassCounts:
        """How often each label is gold, predicted (by this role), and both; (..., L) for replicates.

        >>> Outcome.from_columns(["a", "b"], ["a", "a"]).per_class().predicted.tolist()
        [2, 0]
        """
        truth, guess, size = self.roles["gold"], self.roles[predicted], len(self.labels)
        if self.decision is None:
            hit = truth == guess
            correct = _summed(self.counts[..., hit], truth[hit], size)
            guessed, there = (_summed(self.counts, codes, size) for codes in (guess, truth))
        else:
            right = self.roles.get(RIGHT.get(predicted, ""))
            right = truth.multiply(guess) if right is None else right
            # row by row in memory: sums do not depend on how replicates are blocked
            columns = scipy.sparse.hstack([right, guess, truth], format="csr")
            correct, guessed, there = np.split(np.ascontiguousarray(self.counts @ columns), 3, axis=-1)
        return ClassCounts(correct, guessed, there, self.n, self.labels, self.direction, self.decision)

    def table(self) -> np.ndarray:
        """(..., L, L) contingency table of single labels, rows gold, columns predicted.

        >>> Outcome.from_columns(["a", "a", "b"], ["a", "b", "b"]).table().tolist()
        [[1, 1], [0, 1]]
        """
        size = len(self.labels)
        cells = _summed(self.counts, self.roles["gold"] * size + self.roles["predicted"], size * size)
        return cells.reshape(*self.counts.shape[:-1], size, size)

    def of(self, role: str, inverse: Mapping[Label, Label] | None = None) -> Outcome:
        """Gold × what another role predicts, in place of predicted: the outcome of the second system, or on
        the paired sentences, whose gold label is `inverse[gold]`.

        Kinds stay as they are, so that a draw of them is one of both. Raises ValueError if an inverse is not
        one of the labels.

        >>> outcome = Outcome.from_columns(["a"], ["a"], paired=["b"], labels=["a", "b"])
        >>> outcome.of("paired", {"a": "b", "b": "a"}).to_rows()
        [[1, 1, 1]]
        """
        gold = self.roles["gold"]
        if inverse is not None:
            turned = [inverse.get(label, label) for label in self.labels]
            gold = positions(turned, self.labels, "inverse")[gold]
        roles = {"gold": gold, "predicted": self.roles[role]}
        if (right := RIGHT.get(role, "")) in self.roles:
            roles["right"] = self.roles[right]
        return replace(self, roles=roles)

    def relabel(self, new_label: Callable[[Label], Label], direction: str | None = None) -> Outcome:
        """Merge single labels: the same samples with `new_label(label)` in place of each label.

        Parameters
        ----------
        direction : 'dropped' if this takes the direction of relations away.

        >>> table = Outcome.from_columns(["r(e1,e2)"], ["r(e2,e1)"])
        >>> table.relabel(lambda label: label[0], "dropped").to_rows()
        [[0, 0, 1]]
        """
        renamed = [new_label(label) for label in self.labels]
        labels = tuple(dict.fromkeys(renamed))
        moved = positions(renamed, labels)
        roles = {role: moved[codes] for role, codes in self.roles.items()}
        return replace(self, roles=roles, labels=labels, direction=direction or self.direction).grouped()

    def with_labels(self, more: Iterable[Label]) -> Outcome:
        """The same samples of single labels, with labels behind the others that need not occur.

        >>> Outcome.from_columns(["b"], ["b"]).with_labels(["a", "b"]).labels
        ('b', 'a')
        """
        return replace(self, labels=tuple(dict.fromkeys([*self.labels, *more])))

    def leaked(self, negative: Label) -> Outcome:
        """The outcome of single labels if every sample of the negative class had been predicted as it.

        This is what RECENT's released evaluation does (Lyu and Chen 2021): it looks up the answer of its
        second step in files that hold positive gold samples only, so a false alarm of the first step counts
        as negative. Recall of every positive class stays, its precision can only rise, so no scheme falls.

        Raises ValueError if `negative` is none of the labels.

        >>> table = Outcome.from_columns(gold=["NA", "NA", "a"], predicted=["a", "NA", "a"])
        >>> table.leaked("NA").table().tolist()
        [[2, 0], [0, 1]]
        """
        code, gold = positions([negative], self.labels, "negative")[0], self.roles["gold"]
        predicted = np.where(gold == code, code, self.roles["predicted"])
        return replace(self, roles={"gold": gold, "predicted": predicted}).grouped()

    def resample(self, rng: np.random.Generator, replicates: int) -> Any:
        """Bootstrap replicates: n samples drawn with replacement; counts has shape (replicates, K).

        Drawing n samples with replacement and counting them is one draw from the multinomial distribution
        over the kinds, so the data are not needed. The labels of a set stay together. Raises ValueError as
        `_draw`.

        >>> table, rng = Outcome.from_columns(list("aab"), list("abb")), np.random.default_rng(7)
        >>> table.resample(rng, 2).counts.tolist()
        [[1, 2, 0], [2, 0, 1]]
        >>> sets = Outcome.from_sets(np.eye(3), np.eye(3))
        >>> [sum([sets] * k).resample(np.random.default_rng(7), 1).counts.tolist() for k in (1, 2, 3)]
        [[[0, 1, 2]], [[0, 2, 4]], [[3, 5, 1]]]
        """
        n, kinds, is_sets = self.n, self.counts.shape[-1], scipy.sparse.issparse(self.roles.get("gold"))
        if not is_sets or "right" in self.roles or not 0 < n <= 2 * kinds:
            return replace(self, counts=_draw(self.counts, rng, replicates))
        # where most sets occur once, drawing samples is several times as fast as a binomial number a kind
        samples = np.repeat(np.arange(kinds), self.counts)
        drawn = samples[rng.integers(0, n, (replicates, n))] + kinds * np.arange(replicates)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=replicates * kinds).reshape(replicates, kinds)
        return replace(self, counts=counts)

    @property
    def replicate_entries(self) -> int:
        """How many numbers a replicate takes while it is scored."""
        samples = 0 if self.decision is None else int(np.sum(self.n))
        return self.counts.shape[-1] + samples + 8 * len(self.labels)


def _summed(counts: np.ndarray, codes: np.ndarray, size: int) -> np.ndarray:
    """(..., size) counts (..., K) of the kinds of each code added up."""
    if counts.ndim == 1:  # several times as fast as a product
        sums = np.zeros(size, np.result_type(counts, np.int64))  # a narrow kind of integer would wrap
        np.add.at(sums, codes, counts)
        return sums
    ones, ends = np.ones(len(codes), np.int64), np.arange(len(codes) + 1)
    indicators = scipy.sparse.csr_array((ones, codes, ends), shape=(len(codes), size))
    return np.ascontiguousarray(counts @ indicators)  # row by row: sums do not depend on the block


def _lists(column: Any) -> list[Any]:
    """The positions of each kind in one role; of label sets a list of them, each as often as it is there; of
    rows of bits the places, from 1, of those that are set."""
    if isinstance(column, np.ndarray):
        return column.tolist() if column.ndim == 1 else [(np.flatnonzero(row) + 1).tolist() for row in column]
    times = column.data.astype(np.intp)
    columns = np.repeat(column.indices, times).tolist()
    ends = np.append(0, np.cumsum(times))[column.indptr]
    return [columns[start:stop] for start, stop in pairwise(ends.tolist())]


def _matrix(sets: Sequence[Sequence[int]], n_labels: int) -> scipy.sparse.csr_array:
    indices = np.array([column for columns in sets for column in sorted(columns)], dtype=np.int32)
    ends = np.cumsum([0, *map(len, sets)])
    return scipy.sparse.csr_array((np.ones(len(indices), bool), indices, ends), shape=(len(sets), n_labels))


def _codes(column: Any) -> np.ndarray:
    """A number for each kind of one role, equal for equal ones, in their order: of sets that of their
    columns, each as often as it is in the set; of rows of bits that of the bits."""
    if isinstance(column, np.ndarray):
        if column.ndim == 1:
            return column
        packed = np.packbits(column, axis=1)
        return np.unique(packed.view(f"S{packed.shape[1]}"), return_inverse=True)[1].reshape(-1)
    buffer = column.indices.astype(">i4").tobytes()  # bytes that sort like the columns
    keys: list[Any] = [buffer[4 * start : 4 * stop] for start, stop in pairwise(column.indptr.tolist())]
    if (column.data != 1).any():
        keys = list(zip(keys, map(tuple, _lists(column)), strict=True))
    code = {key: index for index, key in enumerate(sorted(set(keys)))}
    return np.array([code[key] for key in keys], dtype=np.intp)
