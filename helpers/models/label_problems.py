"""The binary problems of a set of labels on shared documents: which documents have a label, training one.

`LabelProblems` is what the processes share. A technique is a function (problems, piece) → result that one of
them calls; `cross_validation_folds` makes the folds of the techniques with an inner search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse

from .liblinear import Options, Rows
from .workers import cores, map_in_order, shared_table

Work = Callable[["LabelProblems", Any], Any]

ALONE = 3_000_000
"""Stored features times problems below which further processes would cost more than they save."""
FOLDS = 3
"""Folds of every inner cross-validation (LibMultiLabel's number)."""


class LabelProblems:
    """Documents and their labels, ready to be trained on label by label.

    Parameters
    ----------
    features : (n, d), sparse or dense. targets : (n, L) sparse 0/1. options : from `parse_options`.

    Attributes: `n` documents, `count` labels, `width` weights a label, `options`; `weights`, (L, width), what
    `keep` has found so far, also in other processes.

    >>> from .liblinear import parse_options
    >>> problems = LabelProblems(np.eye(2), sparse.csc_array([[1, 0], [0, 1]]), parse_options("-s 2"))
    >>> problems.positive(1).tolist(), problems.train(1).round(2).tolist()
    ([False, True], [-0.67, 0.67])
    """

    def __init__(self, features: Any, targets: sparse.sparray, options: Options) -> None:
        self._rows, self._targets = Rows(features, options), sparse.csc_array(targets)
        self.n, self.count = self._targets.shape
        self.width, self.options = self._rows.width, options
        self.weights = shared_table(self.count, self.width)

    def positive(self, label: int) -> np.ndarray:
        """(n,) bool: the documents that have the label."""
        found = np.zeros(self.n, dtype=bool)
        start, end = self._targets.indptr[label : label + 2]
        found[self._targets.indices[start:end]] = True
        return found

    def supports(self) -> np.ndarray:
        """(L,) number of documents with each label."""
        return np.diff(self._targets.indptr)

    def train(self, label: int, rows: np.ndarray | None = None, cost: float = 1.0) -> np.ndarray:
        """(width,) weights of a label; `rows` and `cost` as in `Rows.train`."""
        return self._rows.train(self.positive(label), rows, cost)

    def keep(self, label: int, cost: float = 1.0) -> None:
        """Train a label on all documents; its weights go to `weights`."""
        self.weights[label] = self.train(label, cost=cost)

    def decide(self, weights: np.ndarray, rows: np.ndarray) -> np.ndarray:
        """(m,) or (m, L) decision values of m documents, without any threshold."""
        return self._rows.decide(weights, rows)

    def each(self, work: Work, pieces: Iterable, jobs: int | None, title: str | None) -> list[Any]:
        """`work(self, piece)` for each of L pieces, in order; `jobs` None: as `-m` says, else all cores."""
        return list(self.each_in_turn(work, pieces, jobs, title))

    def each_in_turn(
        self, work: Work, pieces: Iterable, jobs: int | None, title: str | None
    ) -> Iterator[Any]:
        """As `each`, one result after another, while others are under way."""
        jobs = jobs or self.options.jobs or cores()
        small = self._rows.stored * self.count < ALONE
        return map_in_order(work, self, pieces, self.count, 1 if small else jobs, title)


def cross_validation_folds(order: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(training rows, validation rows) of each fold, from the documents in a random order.

    Fold f holds the places int(f·n/3) to int((f+1)·n/3) of that order, as in LibMultiLabel.

    >>> [validation.tolist() for _, validation in cross_validation_folds(np.arange(4))]
    [[0], [1], [2, 3]]
    """
    bounds = [int(fold * len(order) / FOLDS) for fold in range(FOLDS + 1)]
    return [
        (np.concatenate([order[:start], order[end:]]), order[start:end])
        for start, end in zip(bounds[:-1], bounds[1:], strict=True)
    ]
