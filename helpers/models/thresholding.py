"""One-vs-rest with a decision threshold chosen for each label by cross-validation.

Two rules: *micromacro-freq* (LibMultiLabel since July 2023) and *SCut.fbr* (before; `scut_fbr`). Both train
on folds, move a cut through the sorted validation scores, and add the negative of the chosen cut to the
decision values of a model that is trained on all documents. The weights are those of one-vs-rest.

Source: Lin & Lin 2023, "On the Thresholding Strategy for Infrequent Labels in Multi-label Classification",
Section 4.3.
"""

from __future__ import annotations

from contextlib import closing
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from .cuts import Counts, Cuts, cuts_of, last_best
from .label_problems import LabelProblems, cross_validation_folds
from .liblinear import Options
from .linear import LinearClassifier
from .scut_fbr import draw_orders, scut_fbr

_LEAST = {"micromacro-freq": 3, "scut-fbr": 5}
"""Documents below which a fold, with SCut.fbr one of its own folds, would be empty."""


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

    def __init__(
        self,
        options: str = "",
        n_jobs: int | None = None,
        progress: bool = False,
        rule: str = "micromacro-freq",
        random_state: Any = None,
    ) -> None:
        super().__init__(options, n_jobs, progress)
        self.rule = rule
        self.random_state = random_state

    def _train(self, X: Any, targets: sparse.csc_array, options: Options) -> None:
        rules = {"micromacro-freq": self._micromacro, "scut-fbr": self._scut}
        if self.rule not in rules:
            raise ValueError(f"rule is {self.rule!r}: give one of {', '.join(rules)}")
        problems = LabelProblems(X, targets, options)
        if problems.n < _LEAST[self.rule]:
            needed = f"rule {self.rule} needs {_LEAST[self.rule]} at least for its folds"
            raise ValueError(f"X has {problems.n} rows; {needed}")
        self.thresholds_ = np.zeros(problems.count)
        rules[self.rule](problems, check_random_state(self.random_state))
        self._set_weights(problems.weights, options)

    def _micromacro(self, problems: LabelProblems, random: np.random.RandomState) -> None:
        order = np.flip(np.argsort(problems.supports(), kind="stable"))
        pieces = ((label, random.permutation(problems.n)) for label in order)
        pooled = Counts(0, 0, 0)
        with closing(problems.each_in_turn(_cuts_of_folds, pieces, self.n_jobs, self._title())) as results:
            for rank, (label, folds) in enumerate(zip(order, results, strict=True), start=1):
                places = [last_best(_macro_and_micro(fold.counts, pooled, rank)) for fold in folds]
                chosen = list(zip(folds, places, strict=True))
                self.thresholds_[label] = -np.mean([fold.threshold(place) for fold, place in chosen])
                for fold, place in chosen:
                    pooled = pooled.plus(fold.counts.at(place))

    def _scut(self, problems: LabelProblems, random: np.random.RandomState) -> None:
        pieces = ((label, draw_orders(random, problems.n)) for label in range(problems.count))
        self.thresholds_[:] = problems.each(scut_fbr, pieces, self.n_jobs, self._title())


def _cuts_of_folds(problems: LabelProblems, piece: tuple[int, np.ndarray]) -> list[Cuts]:
    """The cuts of each fold; the weights of the label, trained on all documents, are kept."""
    label, order = piece
    positive = problems.positive(label)
    folds = []
    for training, validation in cross_validation_folds(order):
        scores = problems.decide(problems.train(label, training), validation)
        folds.append(cuts_of(scores, positive[validation]))
    problems.keep(label)
    return folds


def _macro_and_micro(counts: Counts, pooled: Counts, rank: int) -> np.ndarray:
    """What each cut adds to macro-F, the others being fixed, plus micro-F with the labels before it."""
    return counts.f1() / rank + counts.plus(pooled).f1()
