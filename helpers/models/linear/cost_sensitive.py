"""One-vs-rest with a higher cost on missed positives, chosen by cross-validation for each label or for all.

The cost of an error on a positive document is a·C, with a = (2 − t)/t for t = 7/7, 6/7, …, 1/7. The document
speaks of pairs (C, t); LibMultiLabel's code, and this one, keep C and search t only.

Source: LibMultiLabel implementation document 2024, cost-sensitive training; Parambath et al. 2014.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from .base import LinearClassifier
from .liblinear import Options
from .problems import LabelProblems, cross_validation_folds
from .thresholding import Counts

COSTS = (1.0, 1.33, 1.8, 2.5, 3.67, 6.0, 13.0)
"""(2 − t)/t for t = 7/7 … 1/7, rounded as in LibMultiLabel."""


class CostSensitive(LinearClassifier):
    """One-vs-rest with the cost that gives each label its highest F in three-fold cross-validation.

    Parameters
    ----------
    options, n_jobs, progress : as in `LinearClassifier`.
    random_state : of the folds: None, a number or a `numpy.random.RandomState`. With a number the folds are
        those that LibMultiLabel draws after `numpy.random.seed` of it.

    F is counted over the predictions of all three folds; of several costs with the same F the lowest wins.
    Problems: 7 · 3 · L on two thirds of the documents, and L on all.

    Attributes: those of `LinearClassifier`, and `costs_`, (L,) the chosen factors.

    >>> X, y = np.eye(6)[:, :3] + 0.1, np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    >>> CostSensitive("-s 2", random_state=1).fit(X, y).costs_.shape
    (2,)
    """

    def __init__(
        self, options: str = "", n_jobs: int | None = None, progress: bool = False, random_state: Any = None
    ) -> None:
        super().__init__(options, n_jobs, progress)
        self.random_state = random_state

    def _train(self, X: Any, targets: sparse.csc_array, options: Options) -> None:
        problems = LabelProblems(X, targets, options)
        random = check_random_state(self.random_state)
        pieces = ((label, random.permutation(problems.n)) for label in range(problems.count))
        self.costs_ = np.array(problems.each(_best_cost, pieces, self.n_jobs, self._title()))
        self._set_weights(problems.weights, options)
        self.thresholds_ = np.zeros(problems.count)


class CostSensitiveMicro(CostSensitive):
    """One-vs-rest with one cost for all labels: that with the highest micro-F in three-fold cross-validation.

    The folds are the same for all labels and costs. Otherwise as `CostSensitive`; `costs_` holds one value.

    >>> X, y = np.eye(6)[:, :3] + 0.1, np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    >>> len(set(CostSensitiveMicro("-s 2", random_state=1).fit(X, y).costs_.tolist()))
    1
    """

    def _train(self, X: Any, targets: sparse.csc_array, options: Options) -> None:
        problems = LabelProblems(X, targets, options)
        order, labels = check_random_state(self.random_state).permutation(problems.n), range(problems.count)
        pieces = ((label, order) for label in labels)
        counts = problems.each(_counts_of_label, pieces, self.n_jobs, self._title())
        pooled = Counts(*np.sum([tuple(count) for count in counts], axis=0))
        cost = COSTS[int(np.argmax(pooled.f1()))]
        problems.each(_kept, ((label, cost) for label in labels), self.n_jobs, self._title())
        self._set_weights(problems.weights, options)
        self.costs_, self.thresholds_ = np.full(problems.count, cost), np.zeros(problems.count)


def _best_cost(problems: LabelProblems, piece: tuple[int, np.ndarray]) -> float:
    """The best cost of a label, the first of several; the weights on all documents with it are kept."""
    cost = COSTS[int(np.argmax(_counts_of_label(problems, piece).f1()))]
    problems.keep(piece[0], cost)
    return cost


def _counts_of_label(problems: LabelProblems, piece: tuple[int, np.ndarray]) -> Counts:
    """(7,) counts of the cross-validated predictions, one for each cost."""
    label, order = piece
    positive = problems.positive(label)
    predicted = np.zeros((len(COSTS), problems.n), dtype=bool)
    for training, validation in cross_validation_folds(order):
        # The cost is that of positive documents: without any, it changes nothing.
        costs = COSTS if positive[training].any() else COSTS[:1]
        weights = np.stack([problems.train(label, training, cost) for cost in costs], axis=1)
        predicted[:, validation] = (problems.decide(weights, validation) > 0).T
    tp = (predicted & positive).sum(axis=1)
    return Counts(tp, predicted.sum(axis=1) - tp, positive.sum() - tp)


def _kept(problems: LabelProblems, piece: tuple[int, float]) -> None:
    problems.keep(*piece)
