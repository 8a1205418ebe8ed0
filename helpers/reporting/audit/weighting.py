"""Paper W, Tables 3 and 4 (Harbecke et al. 2022): effect sizes and p-values from means and standard
deviations.

Five runs a model; means, standard deviations and d are printed with one decimal, p with one or two digits.
The standard deviations are taken as those of samples (ddof = 1), the tests as Welch's, as Section 2.4 says.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import pandas as pd

from ...metrics.significance import SAWILOWSKY, sawilowsky
from ...metrics.weighting import SCHEMES
from ..published import Cell, Interval, find_cell
from .intervals import (
    ABOVE_ZERO,
    BELOW_ZERO,
    difference,
    effect_size,
    magnitude,
    overlap,
    sds_given_effect,
    two_sided_p,
    welch_df,
)
from .verdicts import CONSISTENT, INCONSISTENT, Check, check, compare

TABLES = {"Table 3": "RECENT", "Table 4": "BERT_EM"}
"""Which model PTR is compared with."""


@dataclass(frozen=True)
class Comparison:
    """One column of Table 3 or 4: PTR against the other model under one scheme.

    `mean` and `sd` hold PTR's cell and the other's; `runs` is the number of runs of each model.
    """

    scheme: str
    mean: tuple[Cell, Cell]
    sd: tuple[Cell, Cell]
    p: Cell
    d: Cell
    runs: int

    @property
    def gain(self) -> Interval:
        """Difference of the means, PTR − other, in points."""
        return difference(self.mean[0].interval, self.mean[1].interval)

    @property
    def df(self) -> Interval:
        """Degrees of freedom of Welch's test."""
        return welch_df(self.sd[0].interval, self.sd[1].interval, self.runs)

    @property
    def effect(self) -> Interval:
        """Cohen's d from means and SDs."""
        ptr, other = zip(self.mean, self.sd, strict=True)
        return effect_size(*(cell.interval for cell in (*ptr, *other)))


def comparisons(published: pd.DataFrame, item: str) -> list[Comparison]:
    """The five columns of Table 3 or Table 4.

    >>> from helpers.reporting.published import load_published
    >>> comparisons(load_published(), "Table 3")[0].d.printed
    '2.8'
    """
    get = partial(find_cell, published, paper="W", item=item, metric="f1")
    runs = int(find_cell(published, paper="W", item="Section 3", metric="runs").value)
    models, test = ("PTR", TABLES[item]), f"PTR - {TABLES[item]}"

    def column(scheme: str) -> Comparison:
        mean, sd = (tuple(get(model=m, scheme=scheme, statistic=s) for m in models) for s in ("mean", "sd"))
        p, d = (get(model=test, scheme=scheme, statistic=s) for s in ("p", "d"))
        return Comparison(scheme, mean, sd, p, d, runs)

    return [column(scheme) for scheme in SCHEMES]


def tests_and_effects(column: Comparison) -> Iterator[Check]:
    """d from means and SDs; p from means and SDs, from the printed d and SDs, and from all together."""
    inputs = (*column.mean, *column.sd)
    yield compare(column.d, f"{column.scheme}: d from means and SDs (Eq. 4)", column.effect, inputs)
    p = two_sided_p(column.effect, column.df, column.runs)
    yield compare(column.p, f"{column.scheme}: p from means and SDs", p, inputs)
    p = two_sided_p(column.d.interval, column.df, column.runs)
    most = 2.0 * (column.runs - 1)
    least_p = two_sided_p(column.d.interval, (most, most), column.runs)[0]
    note = f"with equal SDs ({most:g} degrees of freedom, the most possible) p is at least {least_p:.2g}"
    yield compare(column.p, f"{column.scheme}: p from the printed d and SDs", p, (column.d, *column.sd), note)
    yield joint_p(column)


def joint_p(column: Comparison) -> Check:
    """p from means, SDs and the printed d together: d narrows the SDs, they narrow the degrees of freedom."""
    claim = f"{column.scheme}: p from means, SDs and the printed d together"
    inputs = (*column.mean, *column.sd, column.d)
    if not overlap(column.d.interval, column.effect):
        return compare(column.p, claim, None, inputs, "means and SDs exclude the printed d")
    sds = sds_given_effect(column.gain, column.d.interval, *(cell.interval for cell in column.sd))
    df = welch_df(*sds, column.runs)
    p = two_sided_p(column.d.interval, df, column.runs)
    return compare(column.p, claim, p, inputs, f"degrees of freedom {df[0]:.2f} to {df[1]:.2f}")


def captions(published: pd.DataFrame, item: str, columns: list[Comparison]) -> Iterator[Check]:
    """What a caption says of every column: d's sign tells the better model, p < alpha, Sawilowsky's word."""
    place = ("W", f"{item} caption")
    alpha = find_cell(published, paper="W", item=place[1], metric="alpha")
    words = find_cell(published, paper="W", item=place[1], metric="effect_size")
    for column in columns:
        sign, better = (ABOVE_ZERO, "PTR") if column.d.value > 0 else (BELOW_ZERO, TABLES[item])
        claim = f"{column.scheme}: {better} is better, as the sign of d says"
        yield check(place, claim, column.d.printed, sign, column.gain, column.mean)
        below = (0.0, alpha.value)
        claim = f"{column.scheme}: p is below alpha"
        yield check(place, claim, f"< {alpha.printed}", below, column.p.interval, (column.p,))
        yield named_effect(place, column, words)


def named_effect(place: tuple[str, str], column: Comparison, words: Cell) -> Check:
    """Is the word for |d| one of the words in the text ('large or huge')?"""
    effect = magnitude(column.d.interval)
    possible = effect_words(effect)
    verdict = CONSISTENT if possible & set(words.printed.split(" or ")) else INCONSISTENT
    note = f"Sawilowsky's word is {' or '.join(sorted(possible))}"
    claim = f"{column.scheme}: the effect is {words.printed}"
    return Check(*place, claim, words.printed, *effect, verdict, str(column.d), note)


def effect_words(effect: Interval) -> set[str]:
    """All of Sawilowsky's words for the effect sizes in an interval: at its ends and at the thresholds
    inside.

    >>> sorted(effect_words((1.9, 2.1)))
    ['huge', 'very large']
    """
    inside = (least for least, _ in SAWILOWSKY if effect[0] <= least <= effect[1])
    return {sawilowsky(value) for value in (*effect, *inside)}


def audit_weighting(published: pd.DataFrame) -> list[Check]:
    """All checks of paper W's Tables 3 and 4 and of their captions, in order.

    >>> from helpers.reporting.published import load_published
    >>> [one.claim for one in audit_weighting(load_published()) if one.verdict == "inconsistent"][-1]
    'macro: p from means, SDs and the printed d together'
    """
    tables = {item: comparisons(published, item) for item in TABLES}
    checks = [one for columns in tables.values() for column in columns for one in tests_and_effects(column)]
    return checks + [one for item, columns in tables.items() for one in captions(published, item, columns)]
