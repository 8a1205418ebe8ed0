"""One-vs-rest with a higher cost on missed positives, chosen by cross-validation for each label or for all.

The cost of an error on a positive document is a·C, with a = (2 − t)/t for t = 7/7, 6/7, …, 1/7. The document
speaks of pairs (C, t); LibMultiLabel's code keeps C and searches t only, as is usual here; `c_factors` adds
the pairs. The splits are the same for every pair unless asked for (Section 3.8).

Source: LibMultiLabel implementation document 2024, Sections 3.3, 3.5 and 3.8; Parambath et al. 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from ...core import unknown_name
from .base import LinearClassifier
from .liblinear import Options
from .problems import LabelProblems, cross_validation_folds
from .thresholding import counts_of, f1_of

COSTS = (1.0, 1.33, 1.8, 2.5, 3.67, 6.0, 13.0)
"""(2 − t)/t for t = 7/7 … 1/7, rounded as in LibMultiLabel."""
Pair = tuple[float, float]
"""Factor on C, and cost of the positive documents."""
_Piece = tuple[int, tuple[Pair, ...], list[np.ndarray]]
"""A label, the pairs to try, and the order of the documents for each pair."""


_SPLITS = ("same", "different")
"""Of the cross-validations: one split for all costs, or one drawn for each (Section 3.8)."""


class CostSensitive(LinearClassifier):
    """One-vs-rest with the cost that gives each label its highest F in three-fold cross-validation.

    Parameters
    ----------
    options, n_jobs, progress : as in `LinearClassifier`.
    random_state : of the folds: None, a number or a `numpy.random.RandomState`. With a number the folds are
        those that LibMultiLabel draws after `numpy.random.seed` of it.
    c_factors : factors on the C of the options that are tried with every cost: the grid of pairs (C, t) of
        Section 3.3. The default, C alone, is LibMultiLabel's.
    splits : one of `_SPLITS`.

    F is counted over the predictions of all three folds; of several pairs with the same F the first wins:
    lower factors of C as listed, then lower costs. Problems: 7 · 3 · L for each factor of C on two thirds of
    the documents, and L on all. Raises ValueError for factors that are not positive, and for other splits.

    Attributes: those of `LinearClassifier`; `costs_`, `c_factors_`, (L,) the chosen costs and factors of C.

    >>> X, y = np.eye(6)[:, :3] + 0.1, np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    >>> CostSensitive("-s 2", random_state=1).fit(X, y).costs_.shape
    (2,)
    >>> CostSensitive("-s 2", random_state=1, c_factors=(0.5, 1, 2)).fit(X, y).c_factors_.shape
    (2,)
    """

    pooled = False
    """Whether one pair is chosen for all labels."""

    def __init__(
        self,
        options: str = "",
        n_jobs: int | None = None,
        progress: bool = False,
        random_state: Any = None,
        c_factors: Sequence[float] = (1.0,),
        splits: str = "same",
    ) -> None:
        super().__init__(options, n_jobs, progress)
        self.random_state, self.c_factors, self.splits = random_state, c_factors, splits

    def _grid(self) -> tuple[Pair, ...]:
        """The pairs (factor of C, cost) that are tried."""
        if self.splits not in _SPLITS:
            raise unknown_name("splits", self.splits, _SPLITS)
        factors = tuple(map(float, self.c_factors))
        if not factors or not all(0 < factor < np.inf for factor in factors):
            raise ValueError(f"c_factors is {self.c_factors!r}: give positive numbers, at least one")
        return tuple((factor, cost) for factor in factors for cost in COSTS)

    def _orders(self, random: np.random.RandomState, n: int, grid: Sequence[Pair]) -> list[np.ndarray]:
        """An order of the documents for each pair, of which its folds are made."""
        if self.splits == "same":
            return [random.permutation(n)] * len(grid)
        return [random.permutation(n) for _ in grid]

    def _train(self, X: Any, targets: sparse.csc_array, options: Options) -> None:
        grid, problems = self._grid(), LabelProblems(X, targets, options)
        random, labels = check_random_state(self.random_state), range(problems.count)
        drawn = (self._orders(random, problems.n, grid) for _ in labels)
        orders = [next(drawn)] * problems.count if self.pooled else drawn
        pieces = ((label, grid, own) for label, own in zip(labels, orders, strict=True))
        counts = problems.each(_counts_of_label, pieces, self.n_jobs, self._title())
        if self.pooled:
            counts = [np.sum(counts, axis=0)] * problems.count
        pairs = [grid[int(np.argmax(f1_of(own)))] for own in counts]
        problems.each(_kept, zip(labels, pairs, strict=True), self.n_jobs, self._title())
        self._set_weights(problems.weights, options)
        self.c_factors_, self.costs_ = (np.array(column) for column in zip(*pairs, strict=True))
        self.thresholds_ = np.zeros(problems.count)


class CostSensitiveMicro(CostSensitive):
    """One-vs-rest with one cost for all labels: that with the highest micro-F in three-fold cross-validation.

    The folds are the same for all labels. Otherwise as `CostSensitive`; `costs_` holds one value.

    >>> X, y = np.eye(6)[:, :3] + 0.1, np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    >>> len(set(CostSensitiveMicro("-s 2", random_state=1).fit(X, y).costs_.tolist()))
    1
    """

    pooled = True


def _counts_of_label(problems: LabelProblems, piece: _Piece) -> np.ndarray:
    """(3, pairs) counts of the cross-validated predictions, one for each pair of the grid."""
    label, grid, orders = piece
    positive, predicted = problems.positive(label), np.zeros((len(grid), problems.n), dtype=bool)
    solved: dict[tuple, np.ndarray] = {}
    for number, ((factor, cost), order) in enumerate(zip(grid, orders, strict=True)):
        for fold, (training, validation) in enumerate(cross_validation_folds(order)):
            # the cost is that of positive documents: without any, it changes nothing
            pair = (factor, cost if positive[training].any() else 1.0)
            problem = (id(order), fold, *pair)
            if problem not in solved:
                solved[problem] = problems.train(label, training, pair[1], factor)
            predicted[number, validation] = problems.decide(solved[problem], validation) > 0
    return counts_of(predicted, positive)


def _kept(problems: LabelProblems, piece: tuple[int, Pair]) -> None:
    label, (factor, cost) = piece
    problems.keep(label, cost, factor)
