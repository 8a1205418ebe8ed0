"""How many runs, or how many test samples, does a difference need to be seen?

Power is the probability that a test of level `level` finds a difference that is there. A difference that was
significant once has, at that very size, a power near one half: plan with what would matter, not with what was
seen.
"""

from __future__ import annotations

from bisect import bisect_left
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np
import scipy

LEVEL = 0.05
MOST_RUNS = 100_000


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
    df, shift = 2 * runs - 2, abs(difference) / (sd * sqrt(2 / runs))
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


def accuracy_samples(discordant: float, difference: float, power: float = 0.8) -> int:
    """Samples that McNemar's test of two accuracies on one test set needs.

    n = (z_.975 √d + z_{power} √(d − δ²))² / δ², d the share of samples on which exactly one system is
    right (`discordant`), δ the difference of the accuracies. Source: Connor 1987.

    Raises ValueError for a δ of 0, and one that is larger than d.

    >>> accuracy_samples(0.1, 0.01)
    7847
    """
    _check(difference, power)
    if not abs(difference) <= discordant <= 1:
        raise ValueError(f"discordant is {discordant:g}: from the difference, {abs(difference):g}, to 1")
    z = NormalDist().inv_cdf
    root = z(1 - LEVEL / 2) * sqrt(discordant) + z(power) * sqrt(discordant - difference**2)
    return ceil(root**2 / difference**2)


def _check(difference: float, power: float = 0.5) -> None:
    if not abs(difference) > 0:
        raise ValueError(f"difference is {difference:g}: another number than 0 is needed")
    if not LEVEL < power < 1:
        raise ValueError(f"power is {power:g}: it has to lie between {LEVEL:g} and 1, e.g. 0.8")
