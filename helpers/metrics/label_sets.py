"""The outcome of a multi-label classifier: label by label, and by the pairs of label sets that occur.

`LabelCounts` is all that F-measures need: it has the fields of a `Confusion` that `averages` reads.
`LabelSets` also keeps how labels occur together, which a bootstrap needs. Both add up, exactly, and hold no
text and no ids.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import Label
from .counts import Summable, draw, scalar
from .label_matrix import as_label_matrix, check_same_labels, label_names


@dataclass(frozen=True, eq=False)
class LabelCounts(Summable):
    """How often is each label gold, predicted, and both?

    Attributes
    ----------
    correct, predicted, gold : (..., L) numbers of instances: true positives, TP + FP, TP + FN. Leading axes
        are replicates.
    n : number of instances; (...) for replicates.
    labels : the L labels.
    decision : how it was decided that a label is predicted, e.g. 'score>0', 'argmax', 'given'.

    >>> counts = LabelCounts.from_matrices([[1, 1], [0, 1]], [[1, 0], [1, 1]])
    >>> counts.correct.tolist(), counts.predicted.tolist(), counts.gold.tolist()
    ([1, 1], [2, 1], [1, 2])
    >>> (counts + counts).n
    4
    """

    correct: np.ndarray
    predicted: np.ndarray
    gold: np.ndarray
    n: Any
    labels: tuple[Label, ...]
    decision: str = "given"

    @classmethod
    def from_matrices(
        cls, truth: Any, predicted: Any, labels: Iterable[Label] | None = None, decision: str = "given"
    ) -> LabelCounts:
        """Count gold and predicted label sets.

        Parameters
        ----------
        truth, predicted : (n, L) 0/1 matrices; see `as_label_matrix`.
        labels : names of the columns; None: 0 … L−1. decision : carried into every signature.

        Raises
        ------
        ValueError : shapes that differ, values other than 0 and 1, names that do not fit.

        >>> LabelCounts.from_matrices([[1, 0]], [[1, 1]], labels=["a", "b"]).predicted.tolist()
        [1, 1]
        """
        gold, guess = label_matrices(truth, predicted)
        n, n_labels = gold.shape
        correct, guessed, there = (
            np.bincount(matrix.indices, minlength=n_labels) for matrix in (gold.multiply(guess), guess, gold)
        )
        return cls(correct, guessed, there, n, label_names(labels, n_labels), decision)

    def _plus(self, other: LabelCounts) -> LabelCounts:
        check_addable(self, other)
        names = ("correct", "predicted", "gold", "n")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in names})

    def _state(self) -> tuple:
        counts = (np.asarray(count).tolist() for count in (self.correct, self.predicted, self.gold, self.n))
        return self.labels, self.decision, *counts


def label_matrices(truth: Any, predicted: Any) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array]:
    """Gold and predicted label sets as label matrices; ValueError where they are none or their shapes differ.

    >>> gold, predicted = label_matrices([[1, 0]], [[1, 1]])
    >>> predicted.nnz
    2
    """
    gold, guess = as_label_matrix(truth), as_label_matrix(predicted, "predicted")
    if gold.shape != guess.shape:
        raise ValueError(f"predicted has shape {guess.shape}, but truth has {gold.shape}")
    return gold, guess


def check_addable(first: Any, second: Any) -> None:
    """ValueError unless two outcomes have the same labels, and were decided in the same way.

    >>> one, other = (LabelCounts.from_matrices([[1]], [[1]], decision=d) for d in ("argmax", "score>0"))
    >>> check_addable(one, other)
    Traceback (most recent call last):
    ValueError: outcomes decided by argmax and by score>0 do not add up
    """
    check_same_labels(first.labels, second.labels)
    if first.decision != second.decision:
        raise ValueError(f"outcomes decided by {first.decision} and by {second.decision} do not add up")


@dataclass(frozen=True, eq=False)
class LabelSets(Summable):
    """How often was this label set predicted for that gold set?

    Attributes
    ----------
    gold, predicted : (C, L) label matrices: the pairs of sets that occur, sorted, none twice.
    counts : (..., C) number of instances of each pair; leading axes are replicates.
    labels, decision : as in `LabelCounts`.

    >>> sets = LabelSets.from_matrices([[1, 1], [1, 1], [0, 1]], [[1, 0], [1, 0], [0, 0]])
    >>> sets.to_rows()
    [[[0, 1], [0], 2], [[1], [], 1]]
    >>> (sets + sets).label_counts().gold.tolist()
    [4, 6]
    """

    gold: scipy.sparse.csr_array
    predicted: scipy.sparse.csr_array
    counts: np.ndarray
    labels: tuple[Label, ...]
    decision: str = "given"

    @classmethod
    def from_matrices(
        cls, truth: Any, predicted: Any, labels: Iterable[Label] | None = None, decision: str = "given"
    ) -> LabelSets:
        """Count pairs of sets; arguments and errors as `LabelCounts.from_matrices`.

        >>> LabelSets.from_matrices([[1, 0]] * 3, [[1, 1]] * 3).to_rows()
        [[[0], [0, 1], 3]]
        """
        gold, guess = label_matrices(truth, predicted)
        names = label_names(labels, gold.shape[1])
        return cls(*_grouped(gold, guess, np.ones(gold.shape[0], np.int64)), names, decision)

    @classmethod
    def merged(cls, outcomes: Sequence[LabelSets]) -> LabelSets:
        """The sum of one outcome or more; ValueError if labels or decisions differ.

        >>> one = LabelSets.from_matrices([[1, 0]], [[1, 1]])
        >>> LabelSets.merged([one, one, one]).n
        3
        """
        first = outcomes[0]
        for other in outcomes[1:]:
            check_addable(first, other)
        gold = scipy.sparse.vstack([outcome.gold for outcome in outcomes], format="csr")
        predicted = scipy.sparse.vstack([outcome.predicted for outcome in outcomes], format="csr")
        counts = np.concatenate([outcome.counts for outcome in outcomes], axis=-1)
        return cls(*_grouped(gold, predicted, counts), first.labels, first.decision)

    def _state(self) -> tuple:
        return self.labels, self.decision, self.to_rows()

    @property
    def n(self) -> Any:
        """Number of instances; shape (...)."""
        return scalar(self.counts.sum(-1))

    @property
    def without_prediction(self) -> Any:
        """Number of instances for which no label is predicted; shape (...).

        >>> LabelSets.from_matrices([[1, 0]] * 3, [[1, 1], [0, 0], [0, 0]]).without_prediction
        2
        """
        return scalar(self.counts[..., self.predicted.sum(axis=1) == 0].sum(-1))

    def label_counts(self, counts: np.ndarray | None = None) -> LabelCounts:
        """What the F-measures need; (..., L) for replicates.

        counts : (..., C), those of replicates of this table, which have the same pairs; None: its own.

        >>> LabelSets.from_matrices([[1, 0]] * 3, [[1, 1]] * 3).label_counts().predicted.tolist()
        [3, 3]
        """
        counts = self.counts if counts is None else counts
        correct, predicted, gold = np.split(counts @ self._indicators, 3, axis=-1)
        return LabelCounts(correct, predicted, gold, scalar(counts.sum(-1)), self.labels, self.decision)

    @cached_property
    def _indicators(self) -> scipy.sparse.csr_array:
        """(C, 3·L) which labels of a pair are in both sets, predicted, gold; made once for all replicates."""
        both = self.gold.multiply(self.predicted)
        return scipy.sparse.hstack([both, self.predicted, self.gold], format="csr", dtype=np.int64)

    def resample(self, rng: np.random.Generator, replicates: int) -> LabelSets:
        """Bootstrap replicates: n *instances* drawn with replacement; counts has shape (replicates, C).

        The labels of an instance stay together, so replicates keep how labels occur with each other. See
        `Confusion.resample`.

        >>> sets = LabelSets.from_matrices([[1, 0]] * 3, [[1, 1]] * 3)
        >>> sets.resample(np.random.default_rng(0), 2).label_counts().gold.tolist()
        [[3, 0], [3, 0]]
        """
        return replace(self, counts=_drawn(self.counts, rng, replicates))

    def to_rows(self) -> list[list[Any]]:
        """Each pair as [gold columns, predicted columns, count], sorted."""
        rows = zip(_lists(self.gold), _lists(self.predicted), self.counts.tolist(), strict=True)
        return [list(row) for row in rows]

    @classmethod
    def from_rows(
        cls, rows: Sequence[Sequence[Any]], labels: Sequence[Label], decision: str = "given"
    ) -> LabelSets:
        """The inverse of `to_rows`; ValueError names the first row with a column outside the labels or twice.

        >>> LabelSets.from_rows([[[0], [0, 1], 3]], ["a", "b"]).label_counts().correct.tolist()
        [3, 0]
        """
        for index, (*sets, count) in enumerate(rows):
            fits = all(len(set(one)) == len(one) and set(one) <= set(range(len(labels))) for one in sets)
            if len(sets) != 2 or not fits or not count >= 0:
                needed = f"two lists of columns below {len(labels)} and a count"
                raise ValueError(f"rows[{index}] is {rows[index]}: {needed}")
        gold, predicted = (_from_lists([row[place] for row in rows], len(labels)) for place in (0, 1))
        counts = np.array([row[2] for row in rows], dtype=np.int64)
        return cls(*_grouped(gold, predicted, counts), tuple(labels), decision)


def _drawn(counts: np.ndarray, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """(replicates, C) as `counts.draw`. Where most pairs occur once, drawing the instances themselves is
    several times as fast as drawing a binomial number for each pair."""
    n, pairs = int(counts.sum()), len(counts)
    if not 0 < n <= 2 * pairs:
        return draw(counts, rng, replicates)
    instances = np.repeat(np.arange(pairs), counts)
    drawn = instances[rng.integers(0, n, (replicates, n))] + pairs * np.arange(replicates)[:, None]
    return np.bincount(drawn.ravel(), minlength=replicates * pairs).reshape(replicates, pairs)


def _grouped(
    gold: scipy.sparse.csr_array, predicted: scipy.sparse.csr_array, counts: np.ndarray
) -> tuple[scipy.sparse.csr_array, scipy.sparse.csr_array, np.ndarray]:
    """The same pairs of sets sorted, each once."""
    keys = list(zip(_keys(gold), _keys(predicted), strict=True))
    place = {key: index for index, key in enumerate(sorted(set(keys)))}
    pair = np.array([place[key] for key in keys], dtype=np.intp)
    order = np.argsort(pair, kind="stable")
    starts = np.searchsorted(pair[order], np.arange(len(place)))
    counts = np.add.reduceat(counts[..., order], starts, axis=-1) if len(starts) else counts
    return gold[order[starts]], predicted[order[starts]], counts


def _keys(matrix: scipy.sparse.csr_array) -> list[bytes]:
    """The columns of each row as bytes, which sort like the columns and are exact keys."""
    buffer = matrix.indices.astype(">i4").tobytes()
    return [buffer[4 * start : 4 * stop] for start, stop in pairwise(matrix.indptr.tolist())]


def _lists(matrix: scipy.sparse.csr_array) -> list[list[int]]:
    columns = matrix.indices.tolist()
    return [columns[start:stop] for start, stop in pairwise(matrix.indptr.tolist())]


def _from_lists(lists: Sequence[Sequence[int]], n_labels: int) -> scipy.sparse.csr_array:
    indices = np.array([column for one in lists for column in sorted(one)], dtype=np.int32)
    indptr = np.cumsum([0, *map(len, lists)])
    return scipy.sparse.csr_array(
        (np.ones(len(indices), bool), indices, indptr), shape=(len(lists), n_labels)
    )
