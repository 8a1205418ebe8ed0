"""The score of one class, from its one-vs-rest counts.

A class score is a function of the four counts and gives nan where it is undefined (0/0); what an undefined
score counts as is decided in one place, by `averaging.Policy`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ..core import did_you_mean


class BinaryCounts(NamedTuple):
    """Counts of one class against all others; arrays of one shape.

    tp: gold and predicted · fp: predicted, not gold · fn: gold, not predicted · tn: neither.
    """

    tp: np.ndarray
    fp: np.ndarray
    fn: np.ndarray
    tn: np.ndarray


ClassScore = Callable[[BinaryCounts], np.ndarray]


def ratio(part: Any, whole: Any, undefined: float = np.nan) -> np.ndarray:
    """part / whole, and `undefined` where whole is 0; shapes broadcast.

    >>> ratio([1, 0], [2, 0]).tolist(), ratio(0, 0, undefined=0.0).item()
    ([0.5, nan], 0.0)
    """
    part, whole = np.asarray(part, dtype=float), np.asarray(whole, dtype=float)
    out = np.full(np.broadcast_shapes(part.shape, whole.shape), undefined)
    return np.divide(part, whole, out=out, where=whole != 0)


ROUNDING = 1e-9
"""How far a sum of fractions may leave its range by rounding alone."""


def in_range(values: Any, name: str, low: float = 0.0, high: float = 1.0) -> Any:
    """The values, all of them nan or in [low, high] but for rounding: a last check before a score is given.

    Raises ValueError that names the score: its counts are not those of samples, or too large to be added.

    >>> in_range(0.5, "PPR")
    0.5
    >>> in_range([0.5, 2.0], "micro")
    Traceback (most recent call last):
    ValueError: micro is 2, which is not in [0, 1]: the counts are not those of samples, or too large to add
    """
    found = np.asarray(values)
    wrong = (found < low - ROUNDING) | (found > high + ROUNDING)
    if wrong.any():
        odd = f"{name} is {found[wrong].flat[0]:.6g}, which is not in [{low:g}, {high:g}]"
        raise ValueError(f"{odd}: the counts are not those of samples, or too large to add")
    return values


def precision(c: BinaryCounts) -> np.ndarray:
    """TP / (TP + FP); undefined for a class that is never predicted.

    >>> precision(BinaryCounts(*map(np.array, (3, 1, 0, 0)))).item()
    0.75
    """
    return ratio(c.tp, c.tp + c.fp)


def recall(c: BinaryCounts) -> np.ndarray:
    """TP / (TP + FN); undefined for a class without gold samples.

    >>> recall(BinaryCounts(*map(np.array, (3, 0, 1, 0)))).item()
    0.75
    """
    return ratio(c.tp, c.tp + c.fn)


def f_beta(beta: float = 1.0) -> ClassScore:
    """F_β = (1+β²)·TP / ((1+β²)·TP + β²·FN + FP) (Harbecke et al. 2022, Eq. 1); undefined if all are 0.

    β > 1 stresses recall, β < 1 precision. Raises ValueError unless β is finite and positive.

    >>> f_beta(2)(BinaryCounts(*map(np.array, (3, 1, 2, 9)))).round(4).item()
    0.625
    """
    if not (np.isfinite(beta) and beta > 0):
        raise ValueError(f"beta is {beta}: it has to be a finite positive number")
    square = beta * beta

    def score(c: BinaryCounts) -> np.ndarray:
        hits = (1 + square) * c.tp
        return ratio(hits, hits + square * c.fn + c.fp)

    return score


def accuracy(c: BinaryCounts) -> np.ndarray:
    """(TP + TN) / n of the one-vs-rest question; undefined without samples.

    >>> accuracy(BinaryCounts(*map(np.array, (3, 1, 2, 4)))).item()
    0.7
    """
    return ratio(c.tp + c.tn, c.tp + c.fp + c.fn + c.tn)


def jaccard(c: BinaryCounts) -> np.ndarray:
    """TP / (TP + FP + FN), also called IoU; undefined if all three are 0.

    >>> jaccard(BinaryCounts(*map(np.array, (3, 1, 2, 4)))).item()
    0.5
    """
    return ratio(c.tp, c.tp + c.fp + c.fn)


def specificity(c: BinaryCounts) -> np.ndarray:
    """TN / (TN + FP); undefined if every sample is of the class.

    >>> specificity(BinaryCounts(*map(np.array, (3, 1, 2, 4)))).item()
    0.8
    """
    return ratio(c.tn, c.tn + c.fp)


def mcc(c: BinaryCounts) -> np.ndarray:
    """Matthews correlation (TP·TN − FP·FN) / √((TP+FP)(TP+FN)(TN+FP)(TN+FN)); undefined if a factor is 0.

    >>> mcc(BinaryCounts(*map(np.array, (3, 1, 2, 4)))).round(4).item()
    0.4082
    """
    tp, fp, fn, tn = (np.asarray(n, dtype=float) for n in c)  # the product of four counts overflows integers
    return ratio(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


CLASS_SCORES: dict[str, ClassScore] = {
    "precision": precision,
    "recall": recall,
    "f1": f_beta(1.0),
    "accuracy": accuracy,
    "jaccard": jaccard,
    "specificity": specificity,
    "mcc": mcc,
}


LOWEST = {"mcc": -1.0}
"""The smallest value of a score in `CLASS_SCORES` that does not begin at 0; all end at 1."""


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
    if beta := beta_of(score):
        return f"f{beta:g}", f_beta(beta)
    known, hint = ", ".join(CLASS_SCORES), did_you_mean(score, CLASS_SCORES)
    raise ValueError(f"unknown class score {score!r}: known are {known}, 'fBETA' or a function{hint}")


def beta_of(score: str) -> float | None:
    """β of a score named 'fβ'; None for another name.

    Raises ValueError for β = 0, as `f_beta`.

    >>> beta_of("f0.5"), beta_of("mcc")
    (0.5, None)
    """
    found = re.fullmatch(r"f(\d+(\.\d+)?)", score)
    if found and not float(found[1]):
        raise ValueError(f"score is {score!r}: beta has to be a finite positive number")
    return float(found[1]) if found else None
