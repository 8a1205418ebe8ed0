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

from ..core import Label, did_you_mean


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
        correct, predicted, gold = (
            np.asarray(counts)[..., chosen].sum(-1, keepdims=True)
            for counts in (self.correct, self.predicted, self.gold)
        )
        return ClassCounts(correct, predicted, gold, self.n * int(chosen.sum()))


ClassScore = Callable[[ClassCounts], np.ndarray]


def ratio(part: Any, whole: Any, undefined: float = np.nan) -> np.ndarray:
    """part / whole, and `undefined` where whole is 0; shapes broadcast.

    >>> ratio([1, 0], [2, 0]).tolist(), ratio(0, 0, undefined=0.0).item()
    ([0.5, nan], 0.0)
    """
    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), undefined)
    return np.divide(part, whole, out=out, where=whole != 0)


def f_of_means(precision: Any, recall: Any, beta: float = 1.0) -> np.ndarray:
    """(1+β²)·P·R / (β²·P + R) of averages P and R, 0 where both are 0: another number than the mean of Fs.

    >>> f_of_means(0.5, 1.0).round(4).item(), f_of_means(0, 0).item()
    (0.6667, 0.0)
    """
    square, precision = beta * beta, np.asarray(precision)
    return ratio((1 + square) * precision * recall, square * precision + recall, undefined=0.0)


def in_range(values: Any, name: str, low: float = 0.0) -> Any:
    """The values, all of them nan or in [low, 1] but for rounding: a last check before a score is given.

    Raises ValueError that names the score: its counts are not those of samples, or too large to be added.

    >>> in_range(0.5, "PPR")
    0.5
    >>> in_range([0.5, 2.0], "micro")
    Traceback (most recent call last):
    ValueError: micro is 2, which is not in [0, 1]: the counts are not those of samples, or too large to add
    """
    numbers = np.asarray(values)
    wrong = (numbers < low - 1e-9) | (numbers > 1 + 1e-9)
    if wrong.any():
        odd = f"{name} is {numbers[wrong].flat[0]:.6g}, which is not in [{low:g}, 1]"
        raise ValueError(f"{odd}: the counts are not those of samples, or too large to add")
    return values


def _precision(c: ClassCounts) -> np.ndarray:
    """TP / (TP + FP); undefined for a class that is never predicted.

    >>> _precision(ClassCounts(*map(np.array, (3, 4, 3, 4)))).item()
    0.75
    """
    return ratio(c.correct, c.predicted)


def _recall(c: ClassCounts) -> np.ndarray:
    """TP / (TP + FN); undefined for a class without gold samples.

    >>> _recall(ClassCounts(*map(np.array, (3, 3, 4, 4)))).item()
    0.75
    """
    return ratio(c.correct, c.gold)


def f_beta(beta: float = 1.0) -> ClassScore:
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


def _accuracy(c: ClassCounts) -> np.ndarray:
    """(TP + TN) / n of the one-vs-rest question; undefined without samples.

    >>> _accuracy(ClassCounts(*map(np.array, (3, 4, 5, 10)))).item()
    0.7
    """
    return ratio(c.tp + c.tn, np.asarray(c.n)[..., None])


def _jaccard(c: ClassCounts) -> np.ndarray:
    """TP / (TP + FP + FN), also called IoU; undefined if all three are 0.

    >>> _jaccard(ClassCounts(*map(np.array, (3, 4, 5, 10)))).item()
    0.5
    """
    return ratio(c.correct, c.gold + c.predicted - c.correct)


def _specificity(c: ClassCounts) -> np.ndarray:
    """TN / (TN + FP); undefined if every sample is of the class.

    >>> _specificity(ClassCounts(*map(np.array, (3, 4, 5, 10)))).item()
    0.8
    """
    return ratio(c.tn, c.tn + c.fp)


def _mcc(c: ClassCounts) -> np.ndarray:
    """Matthews correlation (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); undefined if a factor is 0.

    >>> _mcc(ClassCounts(*map(np.array, (3, 4, 5, 10)))).round(4).item()
    0.4082
    """
    # as floats: the product of four counts overflows integers
    tp, fp, fn, tn = (np.asarray(count, dtype=float) for count in (c.tp, c.fp, c.fn, c.tn))
    return ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


CLASS_SCORES: dict[str, ClassScore] = {
    "precision": _precision,
    "recall": _recall,
    "f1": f_beta(1.0),
    "accuracy": _accuracy,
    "jaccard": _jaccard,
    "specificity": _specificity,
    "mcc": _mcc,
}


LOWEST = {"mcc": -1.0}  # the smallest value of a score that does not begin at 0; all end at 1


def resolve_score(score: str | ClassScore) -> tuple[str, ClassScore]:
    """Name and function of a class score given by name, as 'fβ' (e.g. 'f0.5') or as a function of the counts.

    Raises ValueError for an unknown name and says the nearest.

    >>> resolve_score("f2")[0]
    'f2'
    """
    if callable(score):
        return getattr(score, "__name__", "user"), score
    if score in CLASS_SCORES:
        return score, CLASS_SCORES[score]
    if (beta := beta_of(score)) is not None:
        return f"f{beta:g}", f_beta(beta)
    known, hint = ", ".join(CLASS_SCORES), did_you_mean(score, CLASS_SCORES)
    raise ValueError(f"unknown class score {score!r}: known are {known}, 'fBETA' or a function{hint}")


def beta_of(score: str) -> float | None:
    """β of a score named 'fβ'; None for another name.

    >>> beta_of("f0.5"), beta_of("mcc")
    (0.5, None)
    """
    matched = re.fullmatch(r"f(\d+(\.\d+)?)", score)
    return float(matched[1]) if matched else None
