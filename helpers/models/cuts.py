"""Where to cut through the scores of one label: every cut of a fold, its counts, the threshold it stands for.

No model is trained here; the rules that choose a cut are in `thresholding` and `scut_fbr`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Counts(NamedTuple):
    """True positives, false positives, false negatives; numbers or arrays of one shape."""

    tp: Any
    fp: Any
    fn: Any

    def f1(self) -> Any:
        """2TP / (2TP + FP + FN), 0 for 0/0.

        >>> Counts(1, 1, 0).f1().round(3).item(), Counts(0, 0, 0).f1().item()
        (0.667, 0.0)
        """
        hits, whole = 2.0 * np.asarray(self.tp), 2.0 * np.asarray(self.tp) + self.fp + self.fn
        return np.divide(hits, whole, out=np.zeros(np.shape(whole)), where=whole > 0)

    def plus(self, other: Counts) -> Counts:
        """Sums, count by count.

        >>> Counts(1, 2, 3).plus(Counts(1, 1, 1))
        Counts(tp=2, fp=3, fn=4)
        """
        return Counts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))

    def at(self, place: int) -> Counts:
        """The counts of one place.

        >>> Counts(np.array([1, 0]), np.array([1, 0]), np.array([0, 1])).at(1)
        Counts(tp=0, fp=0, fn=1)
        """
        return Counts(*(int(count[place]) for count in self))


class Cuts(NamedTuple):
    """The validation scores of a fold from low to high, and the counts for each place of the cut.

    Place k (0 … n): the k lowest documents do not get the label, the others do.
    """

    scores: np.ndarray
    counts: Counts

    def threshold(self, place: int) -> float:
        """The score to exceed: between the neighbours of the cut, or just beyond the ends.

        >>> cuts_of(np.array([0.2, 0.6]), np.array([False, True])).threshold(1)
        0.4
        """
        if place == 0:
            return float(np.nextafter(self.scores[0], -np.inf))
        if place == len(self.scores):
            return float(np.nextafter(self.scores[-1], np.inf))
        return float((self.scores[place - 1] + self.scores[place]) / 2)


def cuts_of(scores: np.ndarray, positive: np.ndarray) -> Cuts:
    """All cuts through n scores; `positive` (n,) says which documents have the label.

    >>> cuts_of(np.array([0.2, 0.6]), np.array([False, True])).counts.fp.tolist()
    [1, 0, 0]
    """
    order = np.argsort(scores, kind="stable")
    below = np.concatenate([[0], np.cumsum(positive[order])])
    total, places = int(below[-1]), np.arange(len(scores) + 1)
    tp = total - below
    return Cuts(scores[order], Counts(tp, len(scores) - places - tp, below))


def last_best(values: np.ndarray) -> int:
    """Place of the largest value, the last of several.

    >>> last_best(np.array([1.0, 3.0, 3.0]))
    2
    """
    return len(values) - 1 - int(np.argmax(values[::-1]))
