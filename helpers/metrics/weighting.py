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

from ..core import unknown_name

Weighting = Callable[[np.ndarray, np.ndarray], np.ndarray]
Schemes = Sequence[str | Weighting] | None
"""Names, 'n^α' or functions; None: all of `scheme_names`."""


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


def _resolve(scheme: str | Weighting) -> tuple[str, Weighting]:
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
    raw = np.where(raw.sum(-1, keepdims=True) > 0, raw, evaluated)
    return raw / np.maximum(raw.sum(-1, keepdims=True), np.finfo(float).tiny)


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
