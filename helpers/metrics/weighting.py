"""Class-weighting schemes: class counts in, class weights out.

A scheme is one function (support, total) → unnormalised weights; `class_weights` normalises them. The score
of a class plays no part, so that every scheme averages every score. A function that is registered under a
name (`register_scheme`) is a scheme of every report, command, table and figure.

Source of the framework, its schemes and desiderata: Harbecke et al. 2022, Sections 2.2–2.3, Table 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import did_you_mean
from .scores import ratio

Weighting = Callable[[np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Power:
    """The family n^α: 1 is *weighted*, 3/4 *dodrans*, 0 *macro*; D1 and D2 hold for 0 ≤ α ≤ 1.

    >>> Power(0.5)(np.array([4, 9]), 13)
    array([2., 3.])
    """

    alpha: float

    def __call__(self, support: np.ndarray, total: np.ndarray) -> np.ndarray:
        """Unnormalised weights; `total` plays no part."""
        with np.errstate(divide="ignore"):  # 0^α = ∞ for α < 0; `class_weights` leaves empty classes out
            return np.power(support, self.alpha, dtype=float)

    def __str__(self) -> str:
        return f"n^{self.alpha:g}"


def power(alpha: float) -> Power:
    """The scheme with weights n_i^α, α a finite number; also to be had by name, e.g. 'n^0.5'.

    >>> class_weights([1, 3], power(1)).tolist()
    [0.25, 0.75]
    """
    if not np.isfinite(alpha):
        raise ValueError(f"alpha is {alpha}: it has to be a finite number")
    return Power(float(alpha))


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


_WEIGHTINGS: dict[str, Weighting] = {
    "weighted": Power(1),
    "dodrans": Power(0.75),
    "entropy": _entropy,
    "macro": Power(0),
}
SCHEMES = ("micro", *_WEIGHTINGS)
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
    >>> unregister_scheme("root")
    """
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"scheme name {name!r}: letters, digits and underscores are needed")
    if name in SCHEMES:
        raise ValueError(f"scheme {name!r} is one of {', '.join(SCHEMES)}: choose another name")
    if not callable(weighting):
        raise ValueError(f"scheme {name!r} is {weighting!r}: a function (support, total) is needed")
    _WEIGHTINGS[name] = weighting
    return weighting


def unregister_scheme(name: str) -> None:
    """Forget a registered scheme; ValueError for a name that is none, or one of `SCHEMES`.

    >>> unregister_scheme("root")
    Traceback (most recent call last):
    ValueError: 'root' is no registered scheme
    """
    if name in SCHEMES or name not in _WEIGHTINGS:
        raise ValueError(f"{name!r} is no registered scheme")
    del _WEIGHTINGS[name]


def scheme_names(schemes: Sequence[str | Weighting] | None = None) -> tuple[str, ...]:
    """The names of all schemes, 'micro' first and then as registered; or of those given.

    Raises ValueError for an unknown scheme, no scheme, and where two have the same name.

    >>> scheme_names(), scheme_names(["micro", "n^0.5", max])
    (('micro', 'weighted', 'dodrans', 'entropy', 'macro'), ('micro', 'n^0.5', 'max'))
    """
    if schemes is None:
        return ("micro", *_WEIGHTINGS)
    if isinstance(schemes, str) or not len(schemes):
        raise ValueError(f"schemes is {schemes!r}: a list of schemes is needed")
    names = ["micro" if scheme == "micro" else _resolve(scheme)[0] for scheme in schemes]
    for index, name in enumerate(names):
        if name in names[:index]:
            raise ValueError(f"two schemes are named {name!r}: give each function a name of its own")
    return tuple(names)


def _resolve(scheme: str | Weighting) -> tuple[str, Weighting]:
    """Name and function of a scheme given by name, as 'n^α' or as a function.

    Raises ValueError for 'micro', which has no class weights, and for an unknown name (the nearest is named).

    >>> _resolve("n^0.5")
    ('n^0.5', Power(alpha=0.5))
    """
    if callable(scheme):
        return str(scheme) if isinstance(scheme, Power) else getattr(scheme, "__name__", "user"), scheme
    if not isinstance(scheme, str):
        raise ValueError(f"unknown scheme {scheme!r}: give a name or a function")
    if scheme in _WEIGHTINGS:
        return scheme, _WEIGHTINGS[scheme]
    if re.fullmatch(r"n\^-?\d+(\.\d+)?", scheme):
        return scheme, power(float(scheme[2:]))
    if scheme == "micro":
        raise ValueError("micro has no class weights: it is one score over all samples")
    known, hint = ", ".join(scheme_names()), did_you_mean(scheme, scheme_names())
    raise ValueError(f"unknown scheme {scheme!r}: known are {known}, 'n^ALPHA' or a function{hint}")


def class_weights(
    support: Any, scheme: str | Weighting, total: Any = None, evaluated: Any = None
) -> np.ndarray:
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
    classes are all 0 (entropy of a single class), they weigh the same.

    Raises
    ------
    ValueError : a negative count, a total smaller than a class, a scheme that gives negative, infinite or
        missing weights.

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
    raw = np.broadcast_to(weighting(support, total), support.shape)
    evaluated = support > 0 if evaluated is None else np.broadcast_to(evaluated, support.shape)
    raw = np.where(evaluated, raw, 0.0)
    if not np.isfinite(raw).all() or (raw < 0).any():
        raise ValueError(f"scheme {name} gives weights that are negative, infinite or missing: {raw}")
    raw = np.where(raw.sum(-1, keepdims=True) > 0, raw, evaluated)
    return ratio(raw, raw.sum(-1, keepdims=True), undefined=0.0)


def desiderata(support: Any, scheme: str | Weighting, total: Any = None) -> dict[str, bool]:
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
