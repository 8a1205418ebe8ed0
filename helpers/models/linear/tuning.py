"""One-vs-rest with what cross-validation chooses for each label: a decision threshold, or the cost of errors.

*micromacro-freq* (LibMultiLabel since July 2023) and *SCut.fbr* (before) train on folds, move a cut through
the sorted validation scores, and add the negative of the chosen cut to the decision values of a model that is
trained on all documents. The weights are those of one-vs-rest.

Cost-sensitive training puts a higher cost on missed positives. The cost of an error on a positive document is
a·C, with a = (2 − t)/t for t = 7/7, 6/7, …, 1/7. The document speaks of pairs (C, t); LibMultiLabel's code
keeps C and searches t only, as is usual here; `c_factors` adds the pairs. The splits are the same for every
pair unless asked for (Section 3.8).

Sources: Lin & Lin 2023, "On the Thresholding Strategy for Infrequent Labels in Multi-label Classification",
Section 4.3; of SCut.fbr Yang 2001, Lewis et al. 2004 (SCutFBR.1), Fan & Lin 2007, "A Study on Threshold
Selection for Multi-label Classification"; of costs LibMultiLabel implementation document 2024, Sections 3.3,
3.5 and 3.8, and Parambath et al. 2014.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from ...core import check_known
from .base import LinearClassifier, parameters
from .liblinear import LabelProblems


def _folds(order: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(training rows, validation rows) of the three folds of the documents in a random order.

    Fold f holds the places int(f·n/3) to int((f+1)·n/3) of that order, as in LibMultiLabel.

    >>> [validation.tolist() for _, validation in _folds(np.arange(4))]
    [[0], [1], [2, 3]]
    """
    bounds = [int(fold * len(order) / 3) for fold in range(4)]
    return [
        (np.concatenate([order[:start], order[end:]]), order[start:end])
        for start, end in zip(bounds[:-1], bounds[1:], strict=True)
    ]


def _validated(
    problems: LabelProblems, label: int, order: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """The decision values of each fold's validation documents, and which of them have the label."""
    positive = problems.positive(label)
    for training, validation in _folds(order):
        yield problems.decide(problems.solve(label, training), validation), positive[validation]


def _f1_of(counts: np.ndarray) -> np.ndarray:
    """2TP / (2TP + FP + FN), 0 for 0/0, of counts (3, …): true positives, false positives, false negatives.

    >>> _f1_of(np.array([[1, 0], [1, 0], [0, 0]])).round(3).tolist()
    [0.667, 0.0]
    """
    tp, fp, fn = counts
    whole = 2.0 * tp + fp + fn
    return np.divide(2.0 * tp, whole, out=np.zeros(np.shape(whole)), where=tp > 0)


def _counts_of(predicted: np.ndarray, positive: np.ndarray) -> np.ndarray:
    """(3, …) counts of predictions (…, n) of documents of which `positive` (n,) have the label.

    >>> _counts_of(np.array([True, False]), np.array([True, True])).tolist()
    [1, 0, 1]
    """
    tp = (predicted & positive).sum(axis=-1)
    return np.array([tp, predicted.sum(axis=-1) - tp, positive.sum() - tp])


class _Cuts(NamedTuple):
    """All cuts through the n validation scores of a fold: scores to exceed (n + 1,), counts (3, n + 1).

    Place k (0 … n): the k documents with the lowest scores do not get the label, the others do. The score to
    exceed lies between the neighbours of the cut, or just beyond the ends.
    """

    thresholds: np.ndarray
    counts: np.ndarray


def _threshold_candidates(scores: np.ndarray, positive: np.ndarray) -> _Cuts:
    """All cuts through n scores; `positive` (n,) says which documents have the label.

    >>> cuts = _threshold_candidates(np.array([0.2, 0.6]), np.array([False, True]))
    >>> cuts.counts.tolist(), cuts.thresholds.round(3).tolist()
    ([[1, 1, 0], [1, 0, 0], [0, 0, 1]], [0.2, 0.4, 0.6])
    """
    order = np.argsort(scores, kind="stable")
    below = np.concatenate([[0], np.cumsum(positive[order])])
    tp, predicted = below[-1] - below, len(scores) - np.arange(len(scores) + 1)
    ordered = scores[order]
    ends = np.nextafter(ordered[[0, -1]], [-np.inf, np.inf])
    thresholds = np.concatenate([ends[:1], (ordered[:-1] + ordered[1:]) / 2, ends[1:]])
    return _Cuts(thresholds, np.stack([tp, predicted - tp, below]))


def _last_best(values: np.ndarray) -> int:
    """Place of the largest value, the last of several.

    >>> _last_best(np.array([1.0, 3.0, 3.0]))
    2
    """
    return len(values) - 1 - int(np.argmax(values[::-1]))


FBR = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""The values of fbr to choose from."""


_Orders = tuple[np.ndarray, list[np.ndarray], np.ndarray]
"""The random orders of the documents that one label needs: for the outer folds, the inner folds of each, and
the folds of the final thresholds."""


def _draw_orders(random: np.random.RandomState, n: int) -> _Orders:
    """The orders for one label, drawn one after the other as LibMultiLabel draws them.

    >>> [len(order) for order in _draw_orders(np.random.RandomState(1), 7)[1]]
    [5, 5, 4]
    """
    outer = random.permutation(n)
    inner = [random.permutation(len(training)) for training, _ in _folds(outer)]
    return outer, inner, random.permutation(n)


def _scut_fbr(problems: LabelProblems, piece: tuple[int, _Orders]) -> float:
    """The threshold of one label; its weights, trained on all documents, are kept.

    The fbr with the highest F summed over the outer folds wins, the last of several; 0.1 if all are 0.

    >>> from helpers.models.linear import parse_options
    >>> problems = LabelProblems(np.eye(9)[:, :2], np.array([[1]] * 4 + [[0]] * 5), parse_options("-s 2"))
    >>> round(_scut_fbr(problems, (0, _draw_orders(np.random.RandomState(0), 9))), 3)
    0.0
    """
    label, (outer, inner, final) = piece
    positive = problems.positive(label)
    total = np.zeros(len(FBR))
    for (training, validation), order in zip(_folds(outer), inner, strict=True):
        thresholds = _thresholds(problems, label, training[order])
        scores = problems.decide(problems.solve(label, training), validation)
        total += _f1_of(_counts_of(scores + thresholds[:, None] > 0, positive[validation]))
    best = _last_best(total) if total.any() else 0
    problems.keep(label)
    return float(_thresholds(problems, label, final)[best])


def _thresholds(problems: LabelProblems, label: int, order: np.ndarray) -> np.ndarray:
    """The threshold for each fbr, from the documents in this order."""
    total = np.zeros(len(FBR))
    for scores, positive in _validated(problems, label, order):
        cut, f1 = _scut(scores, positive)
        total += [-cut if f1 > fbr else -scores.max() for fbr in FBR]
    return total / 3


def _scut(scores: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    """The score to exceed, and the label's F with it: less than the cut's where it parts equal scores."""
    cuts = _threshold_candidates(scores, positive)
    f1 = _f1_of(cuts.counts)
    best, plain = _last_best(f1), _f1_of(_counts_of(scores > 0, positive))
    threshold = float(cuts.thresholds[best]) if f1[best] > plain else 0.0
    return threshold, float(_f1_of(_counts_of(scores > threshold, positive)))


_LEAST = {"micromacro-freq": 3, "scut-fbr": 5}
"""Documents below which a fold, with SCut.fbr one of its own folds, would be empty."""


@parameters
class Thresholding(LinearClassifier):
    """One-vs-rest with a threshold for each label, found by three-fold cross-validation.

    Parameters
    ----------
    options, n_jobs, progress : as in `LinearClassifier`.
    rule : 'micromacro-freq' or 'scut-fbr'.
    random_state : of the folds: None, a number or a `numpy.random.RandomState`. With a number the folds are
        those that LibMultiLabel draws after `numpy.random.seed` of it.

    micromacro-freq goes through the labels from frequent to rare. In each fold the cut maximises F/k +
    micro-F, where F is that of the label, k counts the labels so far, and micro-F pools the label with the
    best cuts of the labels before it; of several cuts the highest wins. The three thresholds are averaged.
    SCut.fbr maximises the label's F; where that does not exceed fbr, the threshold becomes the highest score.
    fbr is chosen for each label by another cross-validation around it. Problems: 4 L and 16 L.

    Raises ValueError for an unknown rule, and for fewer documents than its folds need: 3 and 5.

    >>> X, y = np.eye(6)[:, :3] + 0.1, np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    >>> Thresholding("-s 2", random_state=1).fit(X, y).thresholds_.shape
    (2,)
    """

    rule: str = "micromacro-freq"
    random_state: Any = None

    def _solve(self, problems: LabelProblems) -> None:
        if self.rule not in _LEAST:
            raise ValueError(f"rule is {self.rule!r}: give one of {', '.join(_LEAST)}")
        if problems.n < _LEAST[self.rule]:
            needed = f"rule {self.rule} needs {_LEAST[self.rule]} at least for its folds"
            raise ValueError(f"X has {problems.n} rows; {needed}")
        random = check_random_state(self.random_state)
        if self.rule == "scut-fbr":
            pieces = ((label, _draw_orders(random, problems.n)) for label in range(problems.count))
            self.thresholds_[:] = [*problems.each(partial(_scut_fbr, problems), pieces)]
        else:
            self._micromacro(problems, random)

    def _micromacro(self, problems: LabelProblems, random: np.random.RandomState) -> None:
        order = np.flip(np.argsort(np.diff(problems.targets.indptr), kind="stable"))
        pieces = ((label, random.permutation(problems.n)) for label in order)
        pooled = np.zeros((3, 1), int)
        with closing(problems.each(partial(_cuts_of_folds, problems), pieces)) as results:
            for rank, (label, folds) in enumerate(zip(order, results, strict=True), start=1):
                # what a cut adds to macro-F, the others being fixed, plus micro-F with the labels before it
                worth = [_f1_of(fold.counts) / rank + _f1_of(fold.counts + pooled) for fold in folds]
                chosen = list(zip(folds, map(_last_best, worth), strict=True))
                self.thresholds_[label] = -np.mean([fold.thresholds[index] for fold, index in chosen])
                pooled += sum(fold.counts[:, index, None] for fold, index in chosen)


def _cuts_of_folds(problems: LabelProblems, piece: tuple[int, np.ndarray]) -> list[_Cuts]:
    """The cuts of each fold; the weights of the label, trained on all documents, are kept."""
    label, order = piece
    folds = [_threshold_candidates(*fold) for fold in _validated(problems, label, order)]
    problems.keep(label)
    return folds


COSTS = (1.0, 1.33, 1.8, 2.5, 3.67, 6.0, 13.0)
"""(2 − t)/t for t = 7/7 … 1/7, rounded as in LibMultiLabel."""
Pair = tuple[float, float]
"""Factor on C, and cost of the positive documents."""


_SPLITS = ("same", "different")
"""Of the cross-validations: one split for all costs, or one drawn for each (Section 3.8)."""


@parameters
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

    random_state: Any = None
    c_factors: Sequence[float] = (1.0,)
    splits: str = "same"

    pooled = False
    """Whether one pair is chosen for all labels."""

    def _grid(self) -> tuple[Pair, ...]:
        """The pairs (factor of C, cost) that are tried."""
        check_known("splits", self.splits, _SPLITS)
        factors = tuple(map(float, self.c_factors))
        if not factors or not all(0 < factor < np.inf for factor in factors):
            raise ValueError(f"c_factors is {self.c_factors!r}: give positive numbers, at least one")
        return tuple((factor, cost) for factor in factors for cost in COSTS)

    def _orders(self, random: np.random.RandomState, n: int, grid: Sequence[Pair]) -> list[np.ndarray]:
        """An order of the documents for each pair, of which its folds are made."""
        if self.splits == "same":
            return [random.permutation(n)] * len(grid)
        return [random.permutation(n) for _ in grid]

    def _solve(self, problems: LabelProblems) -> None:
        grid = self._grid()
        random, labels = check_random_state(self.random_state), range(problems.count)
        drawn = (self._orders(random, problems.n, grid) for _ in labels)
        orders = [next(drawn)] * problems.count if self.pooled else drawn
        counts = [*problems.each(partial(_counts_of_label, problems, grid), zip(labels, orders, strict=True))]
        if self.pooled:
            counts = [np.sum(counts, axis=0)] * problems.count
        pairs = [grid[int(np.argmax(_f1_of(own)))] for own in counts]
        list(problems.each(lambda label: problems.keep(label, *pairs[label]), labels))
        self.c_factors_, self.costs_ = (np.array(column) for column in zip(*pairs, strict=True))


class CostSensitiveMicro(CostSensitive):
    """One-vs-rest with one cost for all labels: that with the highest micro-F in three-fold cross-validation.

    The folds are the same for all labels. Otherwise as `CostSensitive`; `costs_` holds one value.

    >>> X, y = np.eye(6)[:, :3] + 0.1, np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 0]])
    >>> len(set(CostSensitiveMicro("-s 2", random_state=1).fit(X, y).costs_.tolist()))
    1
    """

    pooled = True


def _counts_of_label(
    problems: LabelProblems, grid: Sequence[Pair], piece: tuple[int, list[np.ndarray]]
) -> np.ndarray:
    """(3, pairs) counts of a label's cross-validated predictions, one for each pair of the grid; the piece is
    the label, and the order of the documents for each pair."""
    label, orders = piece
    positive, predicted = problems.positive(label), np.zeros((len(grid), problems.n), dtype=bool)
    for number, (pair, order) in enumerate(zip(grid, orders, strict=True)):
        for training, validation in _folds(order):
            weights = problems.solve(label, training, *pair)
            predicted[number, validation] = problems.decide(weights, validation) > 0
    return _counts_of(predicted, positive)
