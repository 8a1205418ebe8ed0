"""SCut.fbr: the thresholding rule of LibMultiLabel until July 2023.

SCut takes, in each of three folds, the cut with the highest F of the label (0 unless a cut is better than 0),
and averages the three. Where that F does not exceed fbr, the label is too rare for its cut to be trusted: the
fold's threshold becomes the highest score. fbr is chosen by a second cross-validation around the first.

Sources: Yang 2001 and Lewis et al. 2004, SCutFBR.1; Fan & Lin 2007, "A Study on Threshold Selection for
Multi-label Classification".
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .cuts import Counts, cuts_of, last_best
from .label_problems import LabelProblems, cross_validation_folds

FBR = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
"""The values of fbr to choose from."""


class Orders(NamedTuple):
    """The random orders of the documents that one label needs: for the outer folds, the inner folds of each,
    and the folds of the final thresholds."""

    outer: np.ndarray
    inner: list[np.ndarray]
    final: np.ndarray


def draw_orders(random: np.random.RandomState, n: int) -> Orders:
    """The orders for one label, drawn one after the other as LibMultiLabel draws them.

    >>> [len(order) for order in draw_orders(np.random.RandomState(1), 7).inner]
    [5, 5, 4]
    """
    outer = random.permutation(n)
    inner = [random.permutation(len(training)) for training, _ in cross_validation_folds(outer)]
    return Orders(outer, inner, random.permutation(n))


def scut_fbr(problems: LabelProblems, piece: tuple[int, Orders]) -> float:
    """The threshold of one label; its weights, trained on all documents, are kept.

    The fbr with the highest F summed over the outer folds wins, the last of several; 0.1 if all are 0.

    >>> from .liblinear import parse_options
    >>> problems = LabelProblems(np.eye(9)[:, :2], np.array([[1]] * 4 + [[0]] * 5), parse_options("-s 2"))
    >>> round(scut_fbr(problems, (0, draw_orders(np.random.RandomState(0), 9))), 3)
    0.0
    """
    label, orders = piece
    positive = problems.positive(label)
    total = np.zeros(len(FBR))
    for (training, validation), order in zip(cross_validation_folds(orders.outer), orders.inner, strict=True):
        thresholds = _thresholds(problems, label, training[order])
        scores = problems.decide(problems.train(label, training), validation)
        total += [_f1(scores + threshold > 0, positive[validation]) for threshold in thresholds]
    best = last_best(total) if total.any() else 0
    problems.keep(label)
    return float(_thresholds(problems, label, orders.final)[best])


def _thresholds(problems: LabelProblems, label: int, order: np.ndarray) -> np.ndarray:
    """The threshold for each fbr, from the documents in this order."""
    positive = problems.positive(label)
    total = np.zeros(len(FBR))
    for training, validation in cross_validation_folds(order):
        scores = problems.decide(problems.train(label, training), validation)
        cut, f1 = _scut(scores, positive[validation])
        total += [-cut if f1 > fbr else -scores.max() for fbr in FBR]
    return total / 3


def _scut(scores: np.ndarray, positive: np.ndarray) -> tuple[float, float]:
    """The score to exceed, and the label's F with it: less than the cut's where it parts equal scores."""
    cuts = cuts_of(scores, positive)
    f1 = cuts.counts.f1()
    best, plain = last_best(f1), _f1(scores > 0, positive)
    if not f1[best] > plain:
        return 0.0, plain
    threshold = cuts.threshold(best)
    return threshold, _f1(scores > threshold, positive)


def _f1(predicted: np.ndarray, positive: np.ndarray) -> float:
    tp = int((predicted & positive).sum())
    return float(Counts(tp, int(predicted.sum()) - tp, int(positive.sum()) - tp).f1())
