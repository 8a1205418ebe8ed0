"""How sure is a score, given this test set? Bootstrap intervals and paired bootstrap tests from counts.

The table is resampled, not the data (`Outcome.resample`), so ten thousand replicates take a second. The
generator is passed in; equal seeds give equal results. What varies is the test set: how much the score of
*another training run* would differ is not in it (`significance`).
Source of test and interval: the percentile bootstrap (Efron & Tibshirani 1993, ch. 13 and 15); p is the
interval turned around, so that the two never disagree.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .outcome import scalar

TAIL = (1 - 0.95) / 2  # outside of an interval, on each side
BLOCK_ENTRIES = 2_000_000  # replicates are drawn in blocks of about this many numbers (16 MB)


Statistic = Callable[[Any], Any]


@dataclass(frozen=True)
class Interval:
    """A value on the test set and the ends of its 95 % interval; floats, or arrays of one shape.

    Of a test the value is the score of the first system minus that of the second, and p is two-sided.
    """

    value: Any
    low: Any
    high: Any
    p: Any = None

    def named(self, names: Sequence[str]) -> dict[str, Interval]:
        """Intervals of several values by name, floats.

        >>> Interval(np.array([0.5]), np.array([0.25]), np.array([0.75])).named(["f1"])["f1"].low
        0.25
        """
        ends = zip(self.value.tolist(), self.low.tolist(), self.high.tolist(), strict=True)
        return {name: Interval(*each) for name, each in zip(names, ends, strict=True)}


def _replicates_of(table: Any, statistic: Statistic, rng: np.random.Generator, replicates: int) -> np.ndarray:
    """The statistic on bootstrap replicates of the table, as of `bootstrap_intervals`; (replicates, ...).

    >>> from helpers.metrics import Outcome, average
    >>> table = Outcome.from_columns(["a", "b"], ["a", "a"])
    >>> _replicates_of(table, lambda t: average(t, "micro"), np.random.default_rng(0), 4).tolist()
    [0.5, 0.5, 0.0, 0.0]
    """
    if not isinstance(rng, np.random.Generator):
        raise TypeError("rng has to be a numpy.random.Generator, e.g. numpy.random.default_rng(1)")
    if replicates < 1 or replicates != int(replicates):
        raise ValueError(f"replicates is {replicates}: at least 1 is needed")
    block = max(1, BLOCK_ENTRIES // table.replicate_entries)
    sizes = [min(block, replicates - done) for done in range(0, replicates, block)]
    blocks = []
    for size in sizes:
        values = np.asarray(statistic(table.resample(rng, size)), dtype=float)
        if values.shape[:1] != (size,):
            wrong = f"statistic gives shape {values.shape}"
            raise ValueError(f"{wrong}: it has to keep the axis of replicates, ({size}, …)")
        blocks.append(values)
    return np.concatenate(blocks)


def bootstrap_intervals(
    table: Any, statistic: Statistic, rng: np.random.Generator, replicates: int = 10_000
) -> Interval:
    """Percentile bootstrap interval, of 95 %, of any statistic of an outcome.

    Parameters
    ----------
    table : an outcome of whole samples (weights cannot be resampled: ValueError): it has `counts` (..., K),
        `resample(rng, replicates)`, and `replicate_entries`, how many numbers a replicate takes.
    statistic : table → number or array; it is given tables with a leading axis of replicates and has to keep
        that axis, as all metrics here do.
    rng : the generator to draw from.

    For a macro average pass `classes_of=table` to `averages`, `official_macro` or `direction_scores`: a class
    with one sample is absent from a third of the replicates (e^−1), and an average over another set of
    classes is another quantity.

    Replicates in which the statistic is undefined (nan) are left out of the percentiles.

    >>> from helpers.metrics import Outcome, average
    >>> table = Outcome.from_columns(["a"] * 90 + ["b"] * 10, ["a"] * 100)
    >>> interval = bootstrap_intervals(table, lambda t: average(t, "micro"), np.random.default_rng(1))
    >>> interval.value, bool(interval.low < 0.9 < interval.high)
    (0.9, True)
    """
    ends = _ends(_replicates_of(table, statistic, rng, replicates))
    return Interval(scalar(np.asarray(statistic(table), dtype=float)), *ends)


def paired_bootstrap(
    first: Any, second: Any, statistic: Statistic, rng: np.random.Generator, replicates: int = 10_000
) -> Interval:
    """Do two systems differ on the same samples? statistic(first) − statistic(second), interval, p-value.

    p belongs to the interval: it is 1 − c for the widest percentile interval, of confidence c, that leaves
    out 0. So p < .05 where the 95 % interval leaves out 0, and only there. (The shifted bootstrap, which
    counts |δ* − δ| ≥ |δ|, belongs to another interval, and may say p < .05 beside one that holds 0.) p is
    never below 1 / (1 + replicates), and 1 where the systems are equal on every sample.

    Parameters
    ----------
    first, second : of the same kinds of samples, each as often: an outcome, and `outcome.of("second")`; or
        two `FactSample` of the same units.
    statistic : outcome → number or array. The rest as in `bootstrap_intervals`.

    Raises ValueError where the two are not of the same samples.

    >>> from helpers.metrics import Outcome, average
    >>> outcome = Outcome.from_columns(["a"] * 50, ["a"] * 50, second=["a"] * 30 + ["b"] * 20)
    >>> systems, rng = (outcome, outcome.of("second")), np.random.default_rng(1)
    >>> test = paired_bootstrap(*systems, lambda t: average(t, "micro"), rng, 999)
    >>> test.value, round(test.p, 3)
    (0.4, 0.001)
    """
    units = [(outcome.counts, outcome.roles.get("facts")) for outcome in (first, second)]
    if not all(np.array_equal(*pair) for pair in zip(*units, strict=True)):
        raise ValueError("the two are not of the same samples, or units and facts: they cannot be paired")

    def difference(table: Any) -> np.ndarray:
        return np.asarray(statistic(table), dtype=float) - statistic(replace(second, counts=table.counts))

    return _test(difference(first), _replicates_of(first, difference, rng, replicates))


def unpaired_bootstrap(
    first: Any, second: Any, statistic: Statistic, rng: np.random.Generator, replicates: int = 10_000
) -> Interval:
    """As `paired_bootstrap`, for two outcomes that nobody can pair: each is drawn by itself.

    Of two systems on the same samples the interval is too wide where they err on the same ones, as they
    mostly do: p < .05 still holds then, p ≥ .05 says little.

    >>> from helpers.metrics import Outcome, average
    >>> columns = (["a"] * n + ["b"] * (50 - n) for n in (50, 30))
    >>> systems = [Outcome.from_columns(["a"] * 50, column) for column in columns]
    >>> rng = np.random.default_rng(1)
    >>> test = unpaired_bootstrap(*systems, lambda t: average(t, "micro"), rng, 999)
    >>> test.value, round(test.p, 3)
    (0.4, 0.001)
    """
    drawn = [_replicates_of(system, statistic, rng, replicates) for system in (first, second)]
    values = [np.asarray(statistic(system), dtype=float) for system in (first, second)]
    return _test(values[0] - values[1], drawn[0] - drawn[1])


def _test(delta: np.ndarray, drawn: np.ndarray) -> Interval:
    """From a difference and its replicates."""
    p = np.where(np.isnan(delta), np.nan, 2 * np.minimum(_tail(drawn), _tail(-drawn)))
    p = np.clip(p, 1 / (1 + (~np.isnan(drawn)).sum(0)), 1)
    return Interval(scalar(delta), *_ends(drawn), scalar(p))


def _tail(drawn: np.ndarray) -> np.ndarray:
    """The largest t whose quantile, interpolated as numpy does, is not above 0; missing values left out.

    >>> [_tail(np.array(drawn)).item() for drawn in ([-1, 1, 3], [-3, -1, 1], [1, 2], [-2, -1])]
    [0.25, 0.75, 0.0, 1.0]
    """
    # differences of sums of fractions that are equal on paper differ in the last bit
    ordered = np.sort(np.where(np.abs(drawn) < 1e-12, 0, drawn), axis=0)
    known = (~np.isnan(ordered)).sum(0)
    below = (ordered <= 0).sum(0)
    left, right = (
        np.take_along_axis(ordered, np.minimum(rank, len(ordered) - 1)[np.newaxis], 0)[0]
        for rank in (below - 1, below)
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        inside = (below - 1 - left / (right - left)) / (known - 1)
    return np.select([below == 0, below == known], [0.0, 1.0], inside)


def _ends(values: np.ndarray) -> tuple[Any, Any]:
    """The ends of the percentile interval of replicates."""
    with warnings.catch_warnings(action="ignore", category=RuntimeWarning):  # nan everywhere: nan it is
        low, high = np.nanquantile(values, [TAIL, 1 - TAIL], axis=0)
    return scalar(low), scalar(high)
