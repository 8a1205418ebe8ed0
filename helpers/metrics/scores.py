"""Counts of single classes, and the scores that are functions of them.

A class score is a function of the four counts and gives nan where it is undefined (0/0); what an undefined
score counts as is decided in one place, by `averaging.Policy`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import Label, unknown_name


@dataclass(frozen=True, eq=False)
class ClassCounts:
    """Counts of each class against all others: what every score is a function of.

    Attributes
    ----------
    correct, predicted, gold : (..., L) how often each label is right, predicted, gold: TP, TP + FP, TP + FN.
        Leading axes are replicates.
    n : number of samples (sum of weights); (...) for replicates. labels : the L labels.
    direction, decision : as in `Outcome`.

    >>> counts = ClassCounts(np.array([3]), np.array([4]), np.array([5]), 15, ("a",))
    >>> counts.tp.item(), counts.fp.item(), counts.fn.item(), counts.tn.item()
    (3, 1, 2, 9)
    """

    correct: np.ndarray
    predicted: np.ndarray
    gold: np.ndarray
    n: Any
    labels: tuple[Label, ...] = ()
    direction: str = "kept"
    decision: str | None = None

    @property
    def tp(self) -> np.ndarray:
        """(..., L) gold and predicted."""
        return self.correct

    @property
    def fp(self) -> np.ndarray:
        """(..., L) predicted, not gold."""
        return self.predicted - self.correct

    @property
    def fn(self) -> np.ndarray:
        """(..., L) gold, not predicted."""
        return self.gold - self.correct

    @property
    def tn(self) -> np.ndarray:
        """(..., L) neither gold nor predicted."""
        return np.asarray(self.n)[..., None] - self.gold - self.predicted + self.correct

    def per_class(self) -> ClassCounts:
        """These counts: what takes an outcome takes them, too."""
        return self

    def pooled(self, chosen: np.ndarray) -> ClassCounts:
        """(..., 1) the counts of the chosen labels added up, as if of one class: micro is the score of it."""
        columns = (np.asarray(counts)[..., chosen] for counts in (self.correct, self.predicted, self.gold))
        correct, predicted, gold = (column.sum(-1, keepdims=True) for column in columns)
        return ClassCounts(correct, predicted, gold, self.n * int(chosen.sum()))


ClassScore = Callable[[ClassCounts], np.ndarray]
Score = str | ClassScore
"""A name, 'fβ', or a function of the four counts; see `resolve_score`."""


def ratio(part: Any, whole: Any, undefined: float = np.nan, low: float = 0.0) -> np.ndarray:
    """part / whole, and `undefined` where whole is 0; shapes broadcast.

    Raises ValueError where it is outside [low, 1] by more than rounding: then the counts are not those of
    samples, or too large to be added.

    >>> ratio([1, 0], [2, 0]).tolist(), ratio(0, 0, undefined=0.0).item()
    ([0.5, nan], 0.0)
    >>> ratio(4, 2)
    Traceback (most recent call last):
    ValueError: a score is 2, which is not in [0, 1]: the counts are not those of samples, or too large to add
    """
    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    shares = np.full(np.broadcast_shapes(part.shape, whole.shape), undefined)
    np.divide(part, whole, out=shares, where=whole != 0)
    wrong = (shares < low - 1e-9) | (shares > 1 + 1e-9)
    if wrong.any():
        outside = f"a score is {shares[wrong].flat[0]:.6g}, which is not in [{low:g}, 1]"
        raise ValueError(f"{outside}: the counts are not those of samples, or too large to add")
    return shares


def f_beta(beta: float) -> ClassScore:
    """F_β = (1+β²)·TP / ((1+β²)·TP + β²·FN + FP) (Harbecke et al. 2022, Eq. 1); undefined if all are 0.

    The denominator is β² · gold + predicted. β > 1 stresses recall, β < 1 precision. Raises ValueError unless
    β is finite and positive.

    >>> f_beta(2)(ClassCounts(*map(np.array, (3, 4, 5, 15)))).round(4).item()
    0.625
    """
    if not (np.isfinite(beta) and beta > 0):
        raise ValueError(f"beta is {beta:g}: it has to be a finite positive number")
    square = beta * beta

    def score(c: ClassCounts) -> np.ndarray:
        return ratio((1 + square) * c.correct, square * c.gold + c.predicted)

    return score


def f_of_means(precision: Any, recall: Any, score: str = "f1") -> np.ndarray | None:
    """(1+β²)·P·R / (β²·P + R) of averages P and R, 0 where both are 0: another number than the mean of Fs.

    score : 'fβ'; of a score with another name there is none.

    >>> f_of_means(0.5, 1.0).round(4).item(), f_of_means(0, 0).item(), f_of_means(1, 1, "mcc")
    (0.6667, 0.0, None)
    """
    beta = _beta_of(score)
    if beta is None:
        return None
    square, precision = beta * beta, np.asarray(precision)
    return ratio((1 + square) * precision * recall, square * precision + recall, undefined=0.0)


def _mcc(c: ClassCounts) -> np.ndarray:
    # as floats: the product of four counts overflows integers
    tp, fp, fn, tn = (np.asarray(count, dtype=float) for count in (c.tp, c.fp, c.fn, c.tn))
    roots = np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))
    return ratio(tp * tn - fp * fn, roots, low=-1.0)


CLASS_SCORES: dict[str, ClassScore] = {
    "precision": lambda c: ratio(c.correct, c.predicted),
    "recall": lambda c: ratio(c.correct, c.gold),
    "f1": lambda c: ratio(2 * c.correct, c.gold + c.predicted),
    "accuracy": lambda c: ratio(c.tp + c.tn, np.asarray(c.n)[..., None]),
    "jaccard": lambda c: ratio(c.correct, c.gold + c.predicted - c.correct),
    "specificity": lambda c: ratio(c.tn, c.tn + c.fp),
    "mcc": _mcc,
}
"""Name → class score, undefined where its denominator is 0.

precision: TP / (TP + FP) · recall: TP / (TP + FN) · f1: see `f_beta` · accuracy, of the one-vs-rest question:
(TP + TN) / n · jaccard, also called IoU: TP / (TP + FP + FN) · specificity: TN / (TN + FP) · mcc, Matthews
correlation, from −1 to 1: (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN))."""


def resolve_score(score: Score) -> tuple[str, ClassScore]:
    """Name and function of a class score given by name, as 'fβ' (e.g. 'f0.5') or as a function of the counts.

    Raises ValueError for an unknown name and says the nearest.

    >>> resolve_score("f2")[0]
    'f2'
    """
    if callable(score):
        return getattr(score, "__name__", "user"), score
    if score in CLASS_SCORES:
        return score, CLASS_SCORES[score]
    if (beta := _beta_of(score)) is not None:
        return f"f{beta:g}", f_beta(beta)
    raise unknown_name("class score", score, [*CLASS_SCORES, "fBETA or a function"], CLASS_SCORES)


def _beta_of(score: str) -> float | None:
    """β of a score named 'fβ'; None for another name."""
    matched = re.fullmatch(r"f(\d+(\.\d+)?)", score)
    return float(matched[1]) if matched else None
