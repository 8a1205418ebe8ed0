"""What the audit says about one printed claim, and how it decides.

A claim is an interval of values that would be printed, or stated, like this; the derivation is an interval
that is sure to hold the true value. If the two share no value, rounding cannot explain the claim.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf

from ..published import Cell, Interval
from .intervals import overlap, within

CONSISTENT, INCONSISTENT, NOT_DERIVABLE = "consistent", "inconsistent", "not derivable"


@dataclass(frozen=True)
class Check:
    """One line of the audit: a claim, what other printed numbers imply, and the verdict.

    `derived_low` and `derived_high` are in the unit of the claim, None where nothing can be derived; `inputs`
    names the printed numbers that the derivation used.
    """

    paper: str
    item: str
    claim: str
    published: str
    derived_low: float | None
    derived_high: float | None
    verdict: str
    inputs: str
    note: str


def check(
    place: Cell | tuple[str, str], claim: str, published: str, claimed: Interval | None, derived: Interval |
    None, inputs: tuple[object, ...] = (), note: str = "",
) -> Check:  # fmt: skip
    """Judge a claim.

    Parameters
    ----------
    place : the cell, or (paper, item), that the claim belongs to.
    claimed : the values that would be published like this; None if the paper prints nothing to hold against
        it.
    derived : the enclosure; None if the inputs are not printed.

    Returns
    -------
    A `Check` that is *consistent* if the intervals share a value, *inconsistent* if not, *not derivable* if
    either is missing. The note tells when a claimed inequality holds for some of the derived values only.

    >>> check(("W", "Table 3"), "d", "2.8", (2.75, 2.85), (2.23, 3.62)).verdict
    'consistent'
    >>> check(("W", "Table 3"), "d", "3.8", (3.75, 3.85), (2.23, 3.62)).verdict
    'inconsistent'
    """
    paper, item = (place.paper, place.item) if isinstance(place, Cell) else place
    low, high = derived or (None, None)
    verdict = NOT_DERIVABLE
    if claimed and derived:
        verdict = CONSISTENT if overlap(claimed, derived) else INCONSISTENT
        if verdict == CONSISTENT and isinf(claimed[1] - claimed[0]) and not within(derived, claimed):
            note = "; ".join(filter(None, (note, "rounding leaves it open")))
    return Check(paper, item, claim, published, low, high, verdict, "; ".join(map(str, inputs)), note)


def compare(
    cell: Cell, claim: str, derived: Interval | None, inputs: tuple[object, ...] = (), note: str = ""
) -> Check:
    """Judge a printed number against its derivation.

    >>> compare(Cell("R", "Table V", "pd", "0.27", "percent"), "PD = |A - B|", (0.26, 0.28)).verdict
    'consistent'
    """
    return check(cell, claim, cell.printed, cell.interval, derived, inputs, note)
