"""Do two models differ, and by how much? Tests and effect sizes over the runs of each model.

And how many runs does a difference need to be seen?

Scores of several seeds go in, in any unit. Every standard deviation is the *sample* SD (ddof = 1): with
ddof = 0 the published p-values of Table 4 come out half as large again (0.0077 in place of 0.005).
Source: Harbecke et al. 2022, Section 2.4 (Welch's test, Cohen's d of Eq. 4, Sawilowsky's words).

Power is the probability that a test of level .05 finds a difference that is there. A difference that was
significant once has, at that very size, a power near one half: plan with what would matter, not with what was
seen.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import namedtuple
from collections.abc import Sequence
from math import sqrt

import numpy as np
import scipy  # scipy loads scipy.stats when it is first asked for: importing this module stays quick

from .bootstrap import TAIL

FEW_RUNS, MOST_RUNS = 5, 100_000
LEVEL = 0.05

_WORDS = ("huge", "very large", "large", "medium", "small", "very small")
SAWILOWSKY = tuple(zip((2.0, 1.2, 0.8, 0.5, 0.2, 0.01), _WORDS, strict=True))
"""The smallest |d| of each word."""


WelchTest = namedtuple("WelchTest", "t df p")
"""Welch's t, its degrees of freedom, and the two-sided p-value; all nan where undefined."""


def welch_from_summary(
    mean_a: float, sd_a: float, n_a: int, mean_b: float, sd_b: float, n_b: int
) -> WelchTest:
    """Welch's t-test for unequal variances, from means, sample SDs (ddof = 1) and numbers of runs.

    t = (μ_a − μ_b) / √(s_a²/n_a + s_b²/n_b), degrees of freedom after Welch and Satterthwaite; for equal n
    and SDs 2n − 2.

    Undefined (nan): fewer than two runs, or both SDs 0 with equal means. Both SDs 0 with different means: t =
    ±inf, p = 0.

    Raises
    ------
    ValueError : a negative SD or number of runs. Below `FEW_RUNS` a p-value and an effect size say little.

    >>> test = welch_from_summary(72.5, 0.3, 5, 71.5, 0.4, 5)
    >>> round(test.t, 3), round(test.df, 2), round(test.p, 5)
    (4.472, 7.42, 0.00251)
    """
    for name, value in {"sd_a": sd_a, "n_a": n_a, "sd_b": sd_b, "n_b": n_b}.items():
        if not value >= 0:
            raise ValueError(f"{name} is {value}: it cannot be negative or missing")
    if min(n_a, n_b) < 2:
        return WelchTest(np.nan, np.nan, np.nan)
    if sd_a == sd_b == 0:
        t = np.sign(mean_a - mean_b) * np.inf if mean_a != mean_b else np.nan
        return WelchTest(float(t), np.nan, 0.0 if mean_a != mean_b else np.nan)
    result = scipy.stats.ttest_ind_from_stats(mean_a, sd_a, n_a, mean_b, sd_b, n_b, equal_var=False)
    a, b = sd_a**2 / n_a, sd_b**2 / n_b
    df = (a + b) ** 2 / (a**2 / (n_a - 1) + b**2 / (n_b - 1))
    return WelchTest(float(result.statistic), float(df), float(result.pvalue))


def mean_and_sd(scores: Sequence[float]) -> tuple[float, float, int]:
    """Mean, sample SD (ddof = 1; 0 for a single run, which has none) and number of runs.

    Raises ValueError for no run and for a missing score.

    >>> mean_and_sd([1.0, 2.0, 3.0])
    (2.0, 1.0, 3)
    """
    values = np.asarray(scores, dtype=float)
    if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
        raise ValueError(f"scores has to be a list of at least one finite number, not {scores!r}")
    spread = values.std(ddof=1) if np.ptp(values) else 0.0  # rounding gives equal scores an SD of 1e-17
    mean = values.mean() if np.ptp(values) else values[0]
    return float(mean), float(spread), len(values)


def cohens_d(
    mean_a: float, sd_a: float, mean_b: float, sd_b: float, n_a: int | None = None, n_b: int | None = None
) -> float:
    """Cohen's d: the difference of the means by the pooled sample SD.

    For equal numbers of runs √2 · (μ_a − μ_b) / √(s_a² + s_b²) (Eq. 4), linked to Welch's t of n runs each by
    t = d · √(n/2). With n_a and n_b the pooled variance is ((n_a − 1)·s_a² + (n_b − 1)·s_b²) / (n_a + n_b −
    2), which is the same for n_a = n_b.

    Both SDs 0: ±inf, or nan for equal means. Raises ValueError for a negative SD.

    >>> round(cohens_d(72.5, 0.3, 71.5, 0.4), 3), round(cohens_d(72.5, 0.3, 71.5, 0.4, 5, 3), 3)
    (2.828, 2.97)
    """
    if not (sd_a >= 0 and sd_b >= 0):
        raise ValueError(f"SDs are {sd_a} and {sd_b}: they cannot be negative or missing")
    if n_a is not None and n_b is not None and n_a != n_b:
        share = (n_a - 1) / (n_a + n_b - 2)
        sd_a, sd_b = np.sqrt(2 * share) * sd_a, np.sqrt(2 * (1 - share)) * sd_b
    spread, difference = np.hypot(sd_a, sd_b), mean_a - mean_b
    if spread == 0:
        return float(np.sign(difference) * np.inf) if difference else float("nan")
    return float(np.sqrt(2) * difference / spread)


def _cohens_d_interval(d: float, n_a: int, n_b: int) -> tuple[float, float]:
    """The 95 % interval of Cohen's d from the noncentral t distribution: wide for a few runs.

    With equal variances t = d / √(1/n_a + 1/n_b) is noncentral t with n_a + n_b − 2 degrees of freedom and
    noncentrality δ / √(1/n_a + 1/n_b); the ends are the δ under which t is its upper or lower quantile.
    Undefined (nan, nan): an infinite or missing d, fewer than three runs in all. Source: Steiger and Fouladi
    1997; Cumming and Finch 2001.

    >>> [round(end, 2) for end in _cohens_d_interval(2.828, 5, 5)]
    [0.95, 4.63]
    """
    df = n_a + n_b - 2
    if not np.isfinite(d) or min(n_a, n_b) < 1 or df < 1:
        return float("nan"), float("nan")
    scale = np.sqrt(1 / n_a + 1 / n_b)
    # of |d|, where the inverse is exact to more places
    ends = [scale * scipy.special.nctdtrinc(df, share, abs(d) / scale) for share in (1 - TAIL, TAIL)]
    low, high = ends if d >= 0 else (-ends[1], -ends[0])
    return float(low), float(high)


def run_test(a: Sequence[float], b: Sequence[float]) -> dict[str, float]:
    """Welch's test and Cohen's d with its 95 % interval between the scores of two models' runs.

    Returns difference (mean a − mean b), t, df, p, d, d_low, d_high; all but the first are nan where one
    model has a single run. Raises as `mean_and_sd`.

    >>> test = run_test([72.2, 72.5, 72.8, 72.1, 72.9], [71.1, 71.5, 71.9, 71.2, 71.8])
    >>> {name: round(test[name], 4) for name in ("difference", "p", "d", "d_low")}
    {'difference': 1.0, 'p': 0.0021, 'd': 2.8284, 'd_low': 0.9499}
    """
    (mean_a, sd_a, n_a), (mean_b, sd_b, n_b) = mean_and_sd(a), mean_and_sd(b)
    test = welch_from_summary(mean_a, sd_a, n_a, mean_b, sd_b, n_b)
    d = cohens_d(mean_a, sd_a, mean_b, sd_b, n_a, n_b) if min(n_a, n_b) > 1 else float("nan")
    low, high = _cohens_d_interval(d, n_a, n_b)
    return {"difference": mean_a - mean_b, **test._asdict(), "d": d, "d_low": low, "d_high": high}


def sawilowsky(d: float) -> str:
    """Sawilowsky's (2009) word for |d|, e.g. 'very large' from 1.2 on: the table `SAWILOWSKY`.

    Below .01: 'negligible' (the rules have no word for it); nan: 'undefined'.

    >>> sawilowsky(-1.8), sawilowsky(2.0)
    ('very large', 'huge')
    """
    if np.isnan(d):
        return "undefined"
    return next((word for least, word in SAWILOWSKY if abs(d) >= least), "negligible")


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down correction for m tests: in rising order, max over j ≤ i of (m − j + 1)·p_j, at most 1.

    Missing p-values stay missing and are not counted. Raises ValueError for a value outside [0, 1].

    >>> [round(p, 3) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    p, known = _known(p_values)
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    p[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return p.tolist()


def _benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's (1995) correction, for the false discovery rate: min over j ≥ i of m·p_j / j.

    Where Holm guards against one false alarm among all tests, this bounds their expected share among those
    that are called significant. Missing p-values stay missing and are not counted. Raises ValueError for a
    value outside [0, 1].

    >>> [round(p, 3) for p in _benjamini_hochberg([0.01, 0.04, 0.03])]
    [0.03, 0.04, 0.04]
    """
    p, known = _known(p_values)
    if len(known):
        p[known] = scipy.stats.false_discovery_control(p[known])
    return p.tolist()


def _known(p_values: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """The p-values, and the places of those that are not missing."""
    p = np.array(p_values, dtype=float)
    if ((p < 0) | (p > 1)).any():
        raise ValueError(f"p_values has to hold numbers between 0 and 1, not {list(p_values)}")
    return p, np.flatnonzero(~np.isnan(p))


CORRECTIONS = {"holm": holm, "bh": _benjamini_hochberg}
"""Name of a correction for several tests → its function."""


def runs_power(difference: float, sd: float, runs: int) -> float:
    """Power of the two-sided t test between two models of `runs` runs each, whose scores have this SD.

    t has 2k − 2 degrees of freedom and the noncentrality δ / (σ √(2/k)); power is the probability that |t| is
    above the critical value. Equal SDs are taken, for which Welch's test has these degrees of freedom.
    Undefined: fewer than two runs, ValueError; so is an SD that is not above 0. Source: Cohen 1988, ch. 2.

    >>> [round(runs_power(1, 1, k), 2) for k in (5, 10, 17)]
    [0.29, 0.56, 0.81]
    """
    _check(difference)
    if not sd > 0:
        raise ValueError(f"sd is {sd:g}: it has to be above 0")
    if runs < 2:
        raise ValueError(f"runs is {runs}: a model needs at least 2")
    df, shift = 2 * runs - 2, min(abs(difference) / (sd * sqrt(2 / runs)), 1e4)  # scipy has nan of 1e11
    critical = scipy.stats.t.ppf(1 - LEVEL / 2, df)
    right = scipy.stats.nct.sf(critical, df, shift)
    wrong = scipy.stats.nct.cdf(-critical, df, shift)  # scipy has nan where it is as good as 0
    return float(min(np.nansum([right, wrong]), 1.0))


def runs_needed(difference: float, sd: float, power: float = 0.8) -> int:
    """The smallest number of runs of each model with which `runs_power` reaches `power`.

    Raises ValueError for a power outside (.05, 1), and where more than 100,000 runs would be needed.

    >>> runs_needed(1, 1), runs_needed(0.5, 1), runs_needed(3, 1)
    (17, 64, 4)
    """
    _check(difference, power)
    counts = range(2, MOST_RUNS + 1)
    runs = 2 + bisect_left(counts, power, key=lambda runs: runs_power(difference, sd, runs))
    if runs > MOST_RUNS:
        raise ValueError(f"a difference of {difference:g} at SD {sd:g} needs more than {MOST_RUNS:,} runs")
    return runs


def _check(difference: float, power: float = 0.5) -> None:
    if not abs(difference) > 0:
        raise ValueError(f"difference is {difference:g}: another number than 0 is needed")
    if not LEVEL < power < 1:
        raise ValueError(f"power is {power:g}: it has to lie between {LEVEL:g} and 1, e.g. 0.8")
