"""Counts of single classes; class scores, and class weights, that are functions of them.

A class score is a function of the four counts and gives nan where it is undefined (0/0); what an undefined
score counts as is decided in one place, by `averaging.Policy`.

A weighting scheme is one function (support, total) → unnormalised weights; `class_weights` normalises them.
The score of a class plays no part, so that every scheme averages every score. A function that is registered
under a name (`register_scheme`) is a scheme of every report, command, table and figure. Source of the
framework, its schemes and desiderata: Harbecke et al. 2022, Sections 2.2–2.3, Table 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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


def _f_beta(beta: float) -> ClassScore:
    """F_β = (1+β²)·TP / ((1+β²)·TP + β²·FN + FP) (Harbecke et al. 2022, Eq. 1); undefined if all are 0.

    The denominator is β² · gold + predicted. β > 1 stresses recall, β < 1 precision. Raises ValueError unless
    β² is finite and positive.

    >>> _f_beta(2)(ClassCounts(*map(np.array, (3, 4, 5, 15)))).round(4).item()
    0.625
    """
    if not 0 < beta * beta < np.inf:
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

precision: TP / (TP + FP) · recall: TP / (TP + FN) · f1: F_β, β = 1 · accuracy, of the one-vs-rest question:
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
        return f"f{beta:g}", _f_beta(beta)
    raise unknown_name("class score", score, [*CLASS_SCORES, "fBETA or a function"], CLASS_SCORES)


def _beta_of(score: str) -> float | None:
    """β of a score named 'fβ'; None for another name."""
    matched = re.fullmatch(r"f(\d+(\.\d+)?)", score)
    return float(matched[1]) if matched else None


Weighting = Callable[[np.ndarray, np.ndarray], np.ndarray]
Scheme = str | Weighting
"""A name, 'n^α', or a function."""
Schemes = Sequence[Scheme] | None
"""None: all of `scheme_names`."""


@dataclass(frozen=True)
class _Power:
    """A member of the family, by α: comparable, and to be sent to other processes."""

    alpha: float

    def __call__(self, support: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Unnormalised weights; `total` plays no part."""
        with np.errstate(divide="ignore"):  # 0^α = ∞ for α < 0; `class_weights` leaves empty classes out
            return np.power(support, self.alpha, dtype=float)

    @property
    def __name__(self) -> str:
        return f"n^{self.alpha:g}"


def power(alpha: float) -> Weighting:
    """The family n^α: 1 is *weighted*, 3/4 *dodrans*, 0 *macro*; D1 and D2 hold for 0 ≤ α ≤ 1.

    Also to be had by name, e.g. 'n^0.5'.

    >>> power(0.5)(np.array([4, 9]), 13), power(0.5).__name__
    (array([2., 3.]), 'n^0.5')
    """
    return _Power(float(alpha))


def _entropy(support: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Unnormalised weights −n_i · log(n_i / N) (Eqs. 2–3): a class's share of the entropy; 0 for no sample.

    Not monotonic: a class with more than 1/e of the samples loses weight as it grows (D1 does not hold
    there). With the negative class in N few positive classes are that large.

    >>> _entropy(np.array([0, 5, 10]), 10).round(3).tolist()
    [0.0, 3.466, 0.0]
    """
    seen = np.greater(support, 0)  # 0 · log 0 counts as 0
    total, own = (np.log(np.where(seen, counts, 1)) for counts in (total, support))
    return np.maximum(support * total - support * own, 0.0)  # rounding of summed weights


def _micro(support: np.ndarray, total: np.ndarray) -> np.ndarray:
    raise ValueError("micro has no class weights: it is one score over all samples")


_WEIGHTINGS: dict[str, Weighting] = {
    "micro": _micro,
    "weighted": _Power(1),
    "dodrans": _Power(0.75),
    "entropy": _entropy,
    "macro": _Power(0),
}
SCHEMES = tuple(_WEIGHTINGS)
"""The five schemes of the paper's Table 2, from instances to classes; `scheme_names` has all."""


def register_scheme(name: str, weighting: Weighting) -> Weighting:
    """Make a scheme known under a name: from now on it is in every report, behind those known before.

    Parameters
    ----------
    name : letters, digits and underscores, as a variable of Python. A name of one's own is given anew, so
        that a notebook cell can be run twice; the names of `SCHEMES` stay what they are.
    weighting : function (support, total) → unnormalised weights; see `class_weights`.

    Returns
    -------
    The function. Raises ValueError for another name, one of `SCHEMES`, and for what is no function.

    >>> root = register_scheme("root", lambda support, total: support**0.5)
    >>> scheme_names(), class_weights([9, 1], "root").tolist()
    (('micro', 'weighted', 'dodrans', 'entropy', 'macro', 'root'), [0.75, 0.25])
    >>> _ = _WEIGHTINGS.pop("root")
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"scheme name {name!r}: letters, digits and underscores are needed")
    if name in SCHEMES:
        raise ValueError(f"scheme {name!r} is one of {', '.join(SCHEMES)}: choose another name")
    if not callable(weighting):
        raise ValueError(f"scheme {name!r} is {weighting!r}: a function (support, total) is needed")
    _WEIGHTINGS[name] = weighting
    return weighting


def scheme_names(schemes: Schemes = None) -> tuple[str, ...]:
    """The names of all schemes, 'micro' first and then as registered; or of those given.

    Raises ValueError for an unknown scheme, no scheme, and where two have the same name.

    >>> scheme_names(), scheme_names(["micro", "n^0.5", max])
    (('micro', 'weighted', 'dodrans', 'entropy', 'macro'), ('micro', 'n^0.5', 'max'))
    """
    if schemes is None:
        return tuple(_WEIGHTINGS)
    if isinstance(schemes, str) or not len(schemes):
        raise ValueError(f"schemes is {schemes!r}: a list of schemes is needed")
    names = [_resolve(scheme)[0] for scheme in schemes]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ValueError(f"two schemes are named {name!r}: give each function a name of its own")
    return tuple(names)


def _resolve(scheme: Scheme) -> tuple[str, Weighting]:
    """Name and function of a scheme given by name, as 'n^α' or as a function.

    >>> _resolve("n^0.5")
    ('n^0.5', _Power(alpha=0.5))
    """
    if callable(scheme):
        return getattr(scheme, "__name__", "user"), scheme
    if not isinstance(scheme, str):
        raise ValueError(f"unknown scheme {scheme!r}: give a name or a function")
    if scheme in _WEIGHTINGS:
        return scheme, _WEIGHTINGS[scheme]
    if re.fullmatch(r"n\^-?\d+(\.\d+)?", scheme):
        return scheme, power(float(scheme[2:]))
    raise unknown_name("scheme", scheme, [*_WEIGHTINGS, "n^ALPHA or a function"], _WEIGHTINGS)


def class_weights(support: Any, scheme: Scheme, total: Any = None, evaluated: Any = None) -> np.ndarray:
    """Normalised class weights w_i with Σ w_i = 1 (D0).

    Parameters
    ----------
    support : (..., C) class counts n_i; leading axes are replicates.
    scheme : name, 'n^α', or a function (support, total) → unnormalised weights of the same shape.
    total : (...) N in the entropy weights; None: Σ n_i. Pass the number of all samples to count the negative
        class.
    evaluated : (..., C) bool, classes that take part; None: those with n_i > 0 (the paper's rule). A class
        that is evaluated without support weighs as the scheme says: nothing, except under macro.

    Returns
    -------
    (..., C) weights; all 0 where no class is evaluated. Where the unnormalised weights of the evaluated
    classes are all 0 (entropy of a single class), those with support weigh the same; if none has any, all.

    Raises
    ------
    ValueError : a negative count, a total smaller than a class, a scheme that gives negative, infinite or
        missing weights, micro, which has none.

    >>> class_weights([16, 1, 0], "dodrans").round(4).tolist()
    [0.8889, 0.1111, 0.0]
    >>> class_weights([4], "entropy").tolist()
    [1.0]
    """
    support = np.asarray(support)
    total = support.sum(-1, keepdims=True) if total is None else np.asarray(total)[..., None]
    if (support < 0).any() or (support > total * (1 + 1e-9)).any():
        raise ValueError("support has to be class counts: not negative, and none above the total")
    name, weighting = _resolve(scheme)
    evaluated = support > 0 if evaluated is None else np.broadcast_to(evaluated, support.shape)
    raw = np.where(evaluated, weighting(support, total), 0.0)
    if not np.isfinite(raw).all() or (raw < 0).any():
        raise ValueError(f"scheme {name} gives weights that are negative, infinite or missing: {raw}")
    seen = evaluated & (support > 0)
    alike = np.where(seen.any(-1, keepdims=True), seen, evaluated)
    raw = np.where(raw.sum(-1, keepdims=True) > 0, raw, alike)
    return raw / np.maximum(raw.sum(-1, keepdims=True), np.finfo(float).tiny)


def desiderata(support: Any, scheme: Scheme, total: Any = None) -> dict[str, bool]:
    """Does a scheme keep the desiderata on these class counts? Checked on every pair of classes with n > 0.

    D0: Σ w_i = 1 · D1: n_i ≥ n_j ⇒ w_i ≥ w_j · D2: n_i ≥ n_j ⇒ w_i / n_i ≤ w_j / n_j (Section 2.2), up to a
    relative 1e-9 for rounding. Arguments as in `class_weights`, support of shape (C,).

    >>> desiderata([100, 10, 1], "dodrans")
    {'D0': True, 'D1': True, 'D2': True}
    >>> desiderata([100, 10, 1], "entropy")
    {'D0': True, 'D1': False, 'D2': True}
    """
    support = np.asarray(support)
    weights, n = class_weights(support, scheme, total)[support > 0], support[support > 0]
    ordered, shares = n[:, None] >= n, weights / n

    def holds(left: np.ndarray, right: np.ndarray) -> bool:
        return bool((left >= right * (1 - 1e-9))[ordered].all())

    return {
        "D0": bool(np.isclose(weights.sum(), 1.0, rtol=1e-9)),
        "D1": holds(weights[:, None], weights[None, :]),
        "D2": holds(shares[None, :], shares[:, None]),
    }
