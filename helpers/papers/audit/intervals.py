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
from dataclasses import dataclass
from itertools import product
from math import ceil, floor, inf, isinf, log2

import numpy as np
from scipy.optimize import brentq, minimize_scalar
from scipy.special import entr
from scipy.stats import t as student

from ...metrics import cohens_d
from ...reporting import Cell, Range


def overlap(first: Range, second: Range) -> bool:
    """Do two closed intervals share a value?

    >>> overlap((0, 1), (1, 2)), overlap((0, 1), (1.1, 2))
    (True, False)
    """
    return first[0] <= second[1] and second[0] <= first[1]


def exactly(value: float) -> Range:
    """The interval of one value.

    >>> exactly(2.5)
    (2.5, 2.5)
    """
    return value, value


def corners(function: Callable[..., float], *arguments: Range) -> Range:
    """Lowest and highest value at the corners of the box.

    This is the exact range if `function` is monotonic in each argument while the others stay fixed: moving
    one argument to one of its two ends then never lowers the maximum, so that it is reached with every
    argument at an end (and likewise the minimum). The direction may differ from place to place.

    >>> corners(lambda a, b: a - b, (1, 2), (0, 5))
    (-4, 2)
    """
    values = [function(*corner) for corner in product(*arguments)]
    return min(values), max(values)


def difference(a: Range, b: Range) -> Range:
    """a − b; exact, as it rises with a and falls with b.

    >>> difference((1, 2), (0, 1))
    (0, 2)
    """
    return a[0] - b[1], a[1] - b[0]


def magnitude(a: Range) -> Range:
    """|a|; exact: zero is the minimum where the interval holds it, else an end is.

    >>> magnitude((-3, -2)), magnitude((-1, 2))
    ((2, 3), (0.0, 2))
    """
    ends = sorted((abs(a[0]), abs(a[1])))
    return (0.0, ends[1]) if a[0] <= 0 <= a[1] else (ends[0], ends[1])


def effect_size(mean_a: Range, sd_a: Range, mean_b: Range, sd_b: Range) -> Range:
    """Cohen's d = √2 (μ_a − μ_b) / √(σ_a² + σ_b²) (Harbecke et al. 2022, Eq. 4).

    Exact by `corners`: d rises with μ_a, falls with μ_b, and for fixed means moves in one direction with each
    σ.

    >>> low, high = effect_size((72.45, 72.55), (0.25, 0.35), (71.45, 71.55), (0.35, 0.45))
    >>> round(low, 2), round(high, 2)
    (2.23, 3.62)
    """
    return corners(cohens_d, mean_a, sd_a, mean_b, sd_b)


def welch_df(sd_a: Range, sd_b: Range, runs: int) -> Range:
    """Degrees of freedom of Welch's test for two samples of `runs` values each.

    With r = σ_a / σ_b they are (n−1) (1 + r²)² / (1 + r⁴), which rises up to r = 1 and falls from there.
    Exact: the extremes are at the ends of r's interval, or at r = 1 (2n − 2) if that lies inside. Standard
    deviations must be above 0.

    >>> low, high = welch_df((0.35, 0.45), (0.25, 0.35), 5)
    >>> round(low, 2), high
    (6.25, 8.0)
    """
    ratio = (sd_a[0] / sd_b[1], sd_a[1] / sd_b[0])
    low, high = corners(lambda r: (runs - 1) * (1 + r**2) ** 2 / (1 + r**4), ratio)
    return low, (2.0 * (runs - 1) if ratio[0] <= 1 <= ratio[1] else high)


GRID = 2001
"""Ratios of the standard deviations that `welch_p` looks at before it refines the best."""


def welch_p(gain: Range, sd_a: Range, sd_b: Range, runs: int, effect: Range = (0.0, inf)) -> Range | None:
    """Two-sided p-value of Welch's test from the difference of the means and the standard deviations.

    Exact, found numerically. With s = √(σ_a² + σ_b²), |t| = |μ_a − μ_b| √n / s = |d| √(n/2), and the degrees
    of freedom depend on r = σ_a / σ_b alone (`welch_df`). For a given r, s lies between the sides of the box,
    so the possible |d| = √2 |μ_a − μ_b| / s fill one interval, and p falls as |d| grows. So the range is that
    of p at its two ends over all r: one variable, searched on a grid that holds the kinks, and then beside
    the best.

    `runs` : n of each model. `effect` : what |d| is known to be, e.g. as printed. None if the box excludes
    it. Standard deviations must be above 0.

    >>> low, high = welch_p((17.1, 17.3), (0.75, 0.85), (0.55, 0.65), 5)
    >>> f"{low:.2e} {high:.2e}"
    '2.92e-10 3.32e-09'
    >>> welch_p((17.1, 17.3), (0.75, 0.85), (0.55, 0.65), 5, effect=(40, 41))
    """
    gain, effect = magnitude(gain), magnitude(effect)
    (a_low, a_high), (b_low, b_high) = sd_a, sd_b

    def effects(r: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        least = np.maximum(b_low, a_low / r) * np.sqrt(1 + r**2)
        most = np.minimum(b_high, a_high / r) * np.sqrt(1 + r**2)
        return np.maximum(2**0.5 * gain[0] / most, effect[0]), np.minimum(2**0.5 * gain[1] / least, effect[1])

    def p_of(r: np.ndarray) -> np.ndarray:
        """(2, …) the smallest and the largest p for each ratio, nan where none is possible."""
        low, high = effects(r)
        df = (runs - 1) * (1 + r**2) ** 2 / (1 + r**4)
        found = 2 * student.sf(np.stack([high, low]) * (runs / 2) ** 0.5, df)
        return np.where(low <= high, found, np.nan)

    kinks = [one for one in (a_low / b_low, a_high / b_high, 1.0) if a_low / b_high <= one <= a_high / b_low]
    ratios = np.sort([*np.geomspace(a_low / b_high, a_high / b_low, GRID), *kinks])
    found = p_of(ratios)
    if np.isnan(found).all():
        return None
    return tuple(_refined(p_of, ratios, found, end) for end in (0, 1))


def _refined(p_of: Callable[..., np.ndarray], ratios: np.ndarray, found: np.ndarray, end: int) -> float:
    """The smallest (end 0) or largest (end 1) p, searched between the neighbours of the best ratio."""
    sign = -1.0 if end else 1.0
    values = sign * found[end]
    best = int(np.nanargmin(values))
    ends = ratios[max(best - 1, 0)], ratios[min(best + 1, len(ratios) - 1)]
    beside = minimize_scalar(
        lambda r: float(np.nan_to_num(sign * p_of(np.asarray(r))[end], nan=2.0)),
        bounds=ends,
        method="bounded",
    )
    return sign * min(float(values[best]), float(beside.fun))


def two_sided_p(effect: Range, df: Range, runs: int) -> Range:
    """Two-sided p-value of Welch's test from Cohen's d and the degrees of freedom; t = d √(n/2) for n runs
    each.

    Exact by `corners` where effect and df are free of each other: p falls as |t| grows, and as df grows
    (heavier tails with fewer degrees of freedom). Where both come from the same standard deviations,
    `welch_p` knows more.

    >>> low, high = two_sided_p((24.15, 24.25), (8.0, 8.0), 5)
    >>> f"{low:.2e} {high:.2e}"
    '2.35e-10 2.43e-10'
    """
    return corners(lambda d, f: float(2 * student.sf(d * (runs / 2) ** 0.5, f)), magnitude(effect), df)


def negative_share(perplexity: Range, without: Range) -> list[Range]:
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


def whole_numbers(interval: Range) -> tuple[int, int]:
    """Smallest and largest whole number in the interval (the first exceeds the second if there is none).

    >>> whole_numbers((1.2, 3.9)), whole_numbers((1.2, 1.9))
    ((2, 3), (2, 1))
    """
    return ceil(interval[0]), floor(interval[1])


def nearest_share(percent: float, n: int) -> float:
    """The multiple of 100/n per cent that is nearest to `percent`.

    >>> round(nearest_share(3.27, 2263), 4)
    3.27
    """
    return 100 * round(percent * n / 100) / n


def common_denominator(shares: list[tuple[float, Range]], largest: int) -> tuple[int, int, int]:
    """The sample count n ≤ `largest` that makes most of the printed shares whole multiples of 1/n.

    Parameters
    ----------
    shares : (printed value, what rounds to it) in per cent.
    largest : the largest n that is tried.

    Returns
    -------
    n, how many shares it fits, and how many the next best n fits. Raises ValueError if two n tie.

    >>> shares = [(k * 100 / 97, (k * 100 / 97 - 0.005, k * 100 / 97 + 0.005)) for k in (10, 31, 55, 80)]
    >>> common_denominator(shares, 150)
    (97, 4, 0)
    """
    fits = [
        sum(low <= nearest_share(p, n) <= high for p, (low, high) in shares) for n in range(1, largest + 1)
    ]
    order = np.argsort(fits, kind="stable")[::-1]
    best, second = fits[order[0]], fits[order[1]]
    if best == second:
        raise ValueError(
            f"sample counts {order[0] + 1} and {order[1] + 1} both fit {best} of {len(shares)} shares"
        )
    return int(order[0]) + 1, best, second


def immobile_pairs(share: Range, both_correct: int, n: int) -> np.ndarray:
    """All (k, m) with k/m in `share` (fractions) that a predictive immobility rate can come from.

    m predictions on the better set are correct, k of them are the same on the paired set. A pair cannot be
    both unmoved and correct twice, as paired gold labels differ, so k + both_correct ≤ m ≤ n (Lyu et al.
    2021, Eqs. 2–3, without Other).

    >>> immobile_pairs((0.0020, 0.0030), 1985, 2263)[[0, -1]].tolist()
    [[4, 1989], [6, 2263]]
    """
    m = np.arange(max(both_correct, 1), n + 1)
    low = np.ceil(m * share[0]).astype(int)
    high = np.minimum(np.floor(m * share[1]).astype(int), m - both_correct)
    width = np.maximum(high - low + 1, 0)
    first = np.repeat(np.cumsum(width) - width, width)
    k = np.repeat(low, width) + np.arange(width.sum()) - first
    return np.stack([k, np.repeat(m, width)], axis=1)


ABOVE_ZERO: Range = (0.0, inf)
BELOW_ZERO: Range = (-inf, 0.0)
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
    place: Cell | tuple[str, str],
    claim: str,
    published: str,
    claimed: Range | None,
    derived: Range | None,
    inputs: Iterable[object] = (),
    note: str = "",
) -> Check:
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
        inside = claimed[0] <= low and high <= claimed[1]
        if verdict == CONSISTENT and isinf(claimed[1] - claimed[0]) and not inside:
            note = "; ".join(filter(None, (note, "rounding leaves it open")))
    return Check(paper, item, claim, published, low, high, verdict, "; ".join(map(str, inputs)), note)


def compare(
    cell: Cell, claim: str, derived: Range | None, inputs: Iterable[object] = (), note: str = ""
) -> Check:
    """Judge a printed number against its derivation.

    >>> compare(Cell("R", "Table V", "pd", "0.27", "percent"), "PD = |A - B|", (0.26, 0.28)).verdict
    'consistent'
    """
    return check(cell, claim, cell.printed, cell.interval, derived, inputs, note)
