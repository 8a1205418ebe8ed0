"""Range arithmetic for the audit: what can a formula give when its inputs are known only as printed?

Every function returns an *enclosure*: whatever the true inputs are, as long as they round to the printed
ones, the true result lies in the returned interval. (Up to floating-point rounding, some 10^-14 of the value,
while the inputs are known to three or four digits.) The reason is given with each function. An enclosure may
be wider than the exact range. This module knows no paper; it does not judge.

What the audit says about one printed claim, and how it decides.

A claim is an interval of values that would be printed, or stated, like this; the derivation is an interval
that is sure to hold the true value. If the two share no value, rounding cannot explain the claim.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import product
from math import inf, isinf, log2
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import entr

from ...reporting import Cell, Range

Known = Cell | Range | float
"""A printed number, of which its interval is meant, an interval, or a value that is known exactly."""


def _ends(known: Known) -> Range:
    """Lowest and highest value.

    >>> _ends(2.5), _ends((1, 2))
    ((2.5, 2.5), (1, 2))
    """
    if isinstance(known, Cell):
        return known.interval
    return known if isinstance(known, tuple) else (known, known)


def overlap(first: Known, second: Known) -> bool:
    """Do two closed intervals share a value?

    >>> overlap((0, 1), (1, 2)), overlap((0, 1), (1.1, 2))
    (True, False)
    """
    (low, high), (least, most) = _ends(first), _ends(second)
    return low <= most and least <= high


def corners(function: Callable[..., float], *arguments: Known) -> Range:
    """Lowest and highest value at the corners of the box.

    This is the exact range if `function` is monotonic in each argument while the others stay fixed: moving
    one argument to one of its two ends then never lowers the maximum, so that it is reached with every
    argument at an end (and likewise the minimum). The direction may differ from place to place.

    >>> corners(lambda a, b: a - b, (1, 2), (0, 5))
    (-4, 2)
    """
    values = [function(*corner) for corner in product(*map(_ends, arguments))]
    return min(values), max(values)


def difference(a: Known, b: Known) -> Range:
    """a − b; exact, as it rises with a and falls with b.

    >>> difference((1, 2), (0, 1))
    (0, 2)
    """
    (a_low, a_high), (b_low, b_high) = _ends(a), _ends(b)
    return a_low - b_high, a_high - b_low


def magnitude(a: Known) -> Range:
    """|a|; exact: zero is the minimum where the interval holds it, else an end is.

    >>> magnitude((-3, -2)), magnitude((-1, 2))
    ((2, 3), (0.0, 2))
    """
    low, high = _ends(a)
    least, most = sorted((abs(low), abs(high)))
    return (0.0, most) if low <= 0 <= high else (least, most)


def negative_share(perplexity: Known, without: Known) -> list[Range]:
    """Shares q of the negative class that link perplexities with (P) and without (P₊) it.

    The entropy splits: log₂ P = h(q) + (1 − q) log₂ P₊ with h the binary entropy. The right side f(q) rises
    from log₂ P₊ at q = 0 to log₂(1 + P₊) at q = 1/(1 + P₊) and falls to 0 at q = 1, so there are up to two
    branches. On each, q moves in one direction with P and with P₊; out of range it stays at the branch's end;
    hence `corners` encloses. An empty list means that no q fits.

    >>> [(round(low, 3), round(high, 3)) for low, high in negative_share((1.265, 1.275), (7.835, 7.845))]
    [(0.961, 0.963)]
    >>> negative_share((9.0, 9.1), (7.0, 7.1))
    []
    """
    perplexity, without = _ends(perplexity), _ends(without)
    if perplexity[0] > 1 + without[1]:
        return []
    branches = [corners(lambda p, w: _share(p, w, upper=True), perplexity, without)]
    if perplexity[1] >= without[0]:
        branches.insert(0, corners(lambda p, w: _share(p, w, upper=False), perplexity, without))
    return branches


def _share(perplexity: float, without: float, upper: bool) -> float:
    peak = 1 / (1 + without)
    start, end = (peak, 1.0) if upper else (peak, 0.0)

    def excess(q: float) -> float:
        return float(entr(q) + entr(1 - q)) / np.log(2) + (1 - q) * log2(without) - log2(perplexity)

    if excess(start) <= 0:
        return start
    return end if excess(end) >= 0 else float(brentq(excess, *sorted((start, end))))


ABOVE_ZERO: Range = (0.0, inf)
BELOW_ZERO: Range = (-inf, 0.0)
CONSISTENT, INCONSISTENT, NOT_DERIVABLE = "consistent", "inconsistent", "not derivable"


Where = Cell | tuple[str, str]
"""The cell, or (paper, item), that a claim belongs to."""


@dataclass
class Audit:
    """The claims of the papers, judged one after the other.

    published : the printed numbers, as `load_published` gives them. rows : a row a claim, see `audit_claims`.
    """

    published: pd.DataFrame
    rows: list[dict[str, Any]] = field(default_factory=list)

    def cell(self, metric: str, item: str = "Table 1", paper: str = "W", **where: str) -> Cell:
        """One printed number; ValueError if there is none."""
        return Cell.find(self.published, paper=paper, item=item, metric=metric, **where)

    def check(
        self,
        where: Where,
        claim: str,
        published: str,
        claimed: Known | None,
        derived: Known | None,
        inputs: Iterable[object] = (),
        note: str = "",
        holds: bool | None = None,
    ) -> None:
        """Judge a claim: *consistent* if the intervals share a value, *inconsistent* if not, *not derivable*
        if either is missing. The note tells when a claimed inequality holds for some of the derived values
        only.

        claimed : the values that would be published like this; None if the paper prints nothing to hold
        against it. derived : the enclosure; None if the inputs are not printed. inputs : the printed numbers
        that the derivation used. holds : of a claim that is no interval, whether it is so.

        >>> audit = Audit(pd.DataFrame())
        >>> for claimed in ((2.75, 2.85), (3.75, 3.85)):
        ...     audit.check(("W", "Table 3"), "d", "", claimed, (2.23, 3.62))
        >>> [row["verdict"] for row in audit.rows]
        ['consistent', 'inconsistent']
        """
        low, high = (None, None) if derived is None else _ends(derived)
        if claimed is not None and derived is not None:
            (least, most), holds = _ends(claimed), overlap(claimed, derived)
            inside = least <= low and high <= most
            if holds and isinf(most - least) and not inside:
                note = "; ".join(filter(None, (note, "rounding leaves it open")))
        verdict = {None: NOT_DERIVABLE, True: CONSISTENT, False: INCONSISTENT}[holds]
        paper, item = (where.paper, where.item) if isinstance(where, Cell) else where
        row = {"paper": paper, "item": item, "claim": claim, "published": published}
        row |= {"derived_low": low, "derived_high": high, "verdict": verdict}
        self.rows.append(row | {"inputs": "; ".join(map(str, inputs)), "note": note})

    def compare(
        self, cell: Cell, claim: str, derived: Known | None, inputs: Iterable[object] = (), note: str = ""
    ) -> None:
        """Judge a printed number against its derivation."""
        self.check(cell, claim, cell.printed, cell, derived, inputs, note)

    def ordered(
        self, where: Where, claim: str, smaller: Known, larger: Known, inputs: Iterable[object]
    ) -> None:
        """Judge 'this is smaller than that': larger − smaller is above 0."""
        self.check(where, claim, "> 0", ABOVE_ZERO, difference(larger, smaller), inputs)
