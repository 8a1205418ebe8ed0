"""Paper W, Tables 3 and 4 (Harbecke et al. 2022): effect sizes and p-values; what Section 3.1 makes of them.

Five runs a model; means, standard deviations and d are printed with one decimal, p with one or two digits.
The standard deviations are taken as those of samples (ddof = 1), the tests as Welch's, as Section 2.4 says.
Claims without a number or an order in them ('similar results', 'much closer') are taken as the order they
imply, where there is one, and left alone otherwise.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from math import inf

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.stats import t as student
from scipy.stats import ttest_ind

from ...metrics import SAWILOWSKY, SCHEMES, cohens_d, sawilowsky
from ...reporting import Cell, Range
from .intervals import ABOVE_ZERO, BELOW_ZERO, Audit, corners, difference, magnitude

COMPARED_WITH = {"Table 3": "RECENT", "Table 4": "BERT_EM"}
"""Which model PTR is compared with."""
_SECTION_3_1 = ("W", "Section 3.1")
GRID = 2001
"""Ratios of the standard deviations that `_welch_p` looks at before it refines the best."""


@dataclass(frozen=True)
class _Comparison:
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
    def gain(self) -> Range:
        """Difference of the means, PTR − other, in points."""
        return difference(*self.mean)

    @property
    def df(self) -> Range:
        """Degrees of freedom of Welch's test."""
        return _welch_df(*(cell.interval for cell in self.sd), self.runs)

    @property
    def effect(self) -> Range:
        """Cohen's d = √2 (μ_a − μ_b) / √(σ_a² + σ_b²) (Eq. 4) from means and SDs; exact by `corners`: d rises
        with μ_a, falls with μ_b, and for fixed means moves in one direction with each σ."""
        (mean_a, mean_b), (sd_a, sd_b) = self.mean, self.sd
        return corners(cohens_d, mean_a, sd_a, mean_b, sd_b)

    @property
    def words(self) -> str:
        """Sawilowsky's words for all sizes that the effect can have."""
        return " or ".join(sorted(_effect_words(magnitude(self.effect))))


def _welch_df(sd_a: Range, sd_b: Range, runs: int) -> Range:
    """Degrees of freedom of Welch's test for two samples of `runs` values each.

    With r = σ_a / σ_b they are (n−1) (1 + r²)² / (1 + r⁴), which rises up to r = 1 and falls from there.
    Exact: the extremes are at the ends of r's interval, or at r = 1 (2n − 2) if that lies inside. Standard
    deviations must be above 0.

    >>> low, high = _welch_df((0.35, 0.45), (0.25, 0.35), 5)
    >>> round(low, 2), high
    (6.25, 8.0)
    """
    ratio = (sd_a[0] / sd_b[1], sd_a[1] / sd_b[0])
    low, high = corners(lambda r: (runs - 1) * (1 + r**2) ** 2 / (1 + r**4), ratio)
    return low, (2.0 * (runs - 1) if ratio[0] <= 1 <= ratio[1] else high)


class WeightingTables(dict[str, list[_Comparison]]):
    """Table 3 and Table 4: their columns, one for each scheme.

    >>> from helpers.reporting import load_published
    >>> WeightingTables(load_published())["Table 3"][0].d.printed
    '2.8'
    """

    def __init__(self, published: pd.DataFrame) -> None:
        super().__init__({item: _columns(published, item) for item in COMPARED_WITH})

    def judge(self, audit: Audit) -> None:
        """All checks of both tables, of their captions, and of Section 3.1, in order."""
        for column in itertools.chain(*self.values()):
            _tests_and_effects(audit, column)
        for item, columns in self.items():
            _captions(audit, item, columns)
        _order_of_scores(audit, self)
        words = audit.cell("effect_size", "Section 3.1")
        for column in self["Table 4"]:
            _named_effect(audit, _SECTION_3_1, column, words)
        for part, columns in itertools.product((_in_between, _smaller_fall), self.values()):
            part(audit, columns)
        _weighted_like_micro(audit, self)


def _columns(published: pd.DataFrame, item: str) -> list[_Comparison]:
    get = partial(Cell.find, published, paper="W", item=item, metric="f1")
    runs = int(Cell.find(published, paper="W", item="Section 3", metric="runs").value)
    models, test = ("PTR", COMPARED_WITH[item]), f"PTR - {COMPARED_WITH[item]}"

    def column(scheme: str) -> _Comparison:
        mean, sd = (tuple(get(model=m, scheme=scheme, statistic=s) for m in models) for s in ("mean", "sd"))
        p, d = (get(model=test, scheme=scheme, statistic=s) for s in ("p", "d"))
        return _Comparison(scheme, mean, sd, p, d, runs)

    return [column(scheme) for scheme in SCHEMES]


def _tests_and_effects(audit: Audit, column: _Comparison) -> None:
    """d from means and SDs; p from means and SDs, from the printed d and SDs, and from all together."""
    inputs = (*column.mean, *column.sd)
    audit.compare(column.d, f"{column.scheme}: d from means and SDs (Eq. 4)", column.effect, inputs)
    sds = [cell.interval for cell in column.sd]
    p = _welch_p(column.gain, *sds, column.runs)
    audit.compare(column.p, f"{column.scheme}: p from means and SDs", p, inputs)
    p = _two_sided_p(column.d.interval, column.df, column.runs)
    most = 2.0 * (column.runs - 1)
    least_p = _two_sided_p(column.d.interval, (most, most), column.runs)[0]
    note = f"with equal SDs ({most:g} degrees of freedom, the most possible) p is at least {least_p:.2g}"
    audit.compare(column.p, f"{column.scheme}: p from the printed d and SDs", p, (column.d, *column.sd), note)
    p = _welch_p(column.gain, *sds, column.runs, column.d.interval)
    note = "" if p else "means and SDs exclude the printed d"
    claim = f"{column.scheme}: p from means, SDs and the printed d together"
    audit.compare(column.p, claim, p, (*inputs, column.d), note)


def _two_sided_p(effect: Range, df: Range, runs: int) -> Range:
    """Two-sided p-value of Welch's test from Cohen's d and the degrees of freedom; t = d √(n/2) for n runs
    each.

    Exact by `corners` where effect and df are free of each other: p falls as |t| grows, and as df grows
    (heavier tails with fewer degrees of freedom). Where both come from the same standard deviations,
    `welch_p` knows more.

    >>> low, high = _two_sided_p((24.15, 24.25), (8.0, 8.0), 5)
    >>> f"{low:.2e} {high:.2e}"
    '2.35e-10 2.43e-10'
    """
    return corners(lambda d, f: float(2 * student.sf(d * (runs / 2) ** 0.5, f)), magnitude(effect), df)


def _welch_p(gain: Range, sd_a: Range, sd_b: Range, runs: int, effect: Range = (0.0, inf)) -> Range | None:
    """Two-sided p-value of Welch's test from the difference of the means and the standard deviations.

    Exact, found numerically. With s = √(σ_a² + σ_b²), |t| = |μ_a − μ_b| √n / s = |d| √(n/2), and the degrees
    of freedom depend on r = σ_a / σ_b alone (`welch_df`). For a given r, s lies between the sides of the box,
    so the possible |d| = √2 |μ_a − μ_b| / s fill one interval, and p falls as |d| grows. So the range is that
    of p at its two ends over all r: one variable, searched on a grid that holds the kinks, and then beside
    the best.

    `runs` : n of each model. `effect` : what |d| is known to be, e.g. as printed. None if the box excludes
    it. Standard deviations must be above 0.

    >>> low, high = _welch_p((17.1, 17.3), (0.75, 0.85), (0.55, 0.65), 5)
    >>> f"{low:.2e} {high:.2e}"
    '2.92e-10 3.32e-09'
    >>> _welch_p((17.1, 17.3), (0.75, 0.85), (0.55, 0.65), 5, effect=(40, 41))
    """
    gain, effect = magnitude(gain), magnitude(effect)
    (a_low, a_high), (b_low, b_high) = sd_a, sd_b

    def p_of(r: np.ndarray) -> np.ndarray:
        """(2, …) the smallest and the largest p for each ratio, nan where none is possible."""
        least = np.maximum(b_low, a_low / r) * np.sqrt(1 + r**2)
        most = np.minimum(b_high, a_high / r) * np.sqrt(1 + r**2)
        low = np.maximum(2**0.5 * gain[0] / most, effect[0])
        high = np.minimum(2**0.5 * gain[1] / least, effect[1])
        df = (runs - 1) * (1 + r**2) ** 2 / (1 + r**4)
        tails = 2 * student.sf(np.stack([high, low]) * (runs / 2) ** 0.5, df)
        return np.where(low <= high, tails, np.nan)

    lowest, highest = a_low / b_high, a_high / b_low
    kinks = [ratio for ratio in (a_low / b_low, a_high / b_high, 1.0) if lowest <= ratio <= highest]
    ratios = np.sort([*np.geomspace(lowest, highest, GRID), *kinks])
    p_values = p_of(ratios)
    if np.isnan(p_values).all():
        return None
    return tuple(_refined(p_of, ratios, p_values, end) for end in (0, 1))


def _refined(p_of: Callable[..., np.ndarray], ratios: np.ndarray, p_values: np.ndarray, end: int) -> float:
    """The smallest (end 0) or largest (end 1) p, searched between the neighbours of the best ratio."""
    sign = -1.0 if end else 1.0
    values = sign * p_values[end]
    best = int(np.nanargmin(values))
    ends = ratios[max(best - 1, 0)], ratios[min(best + 1, len(ratios) - 1)]
    beside = minimize_scalar(lambda r: np.nan_to_num(sign * p_of(r)[end], nan=2.0), bounds=ends)
    return sign * min(float(values[best]), float(beside.fun))


def _captions(audit: Audit, item: str, columns: list[_Comparison]) -> None:
    """What a caption says of every column: d's sign tells the better model, p < alpha, Sawilowsky's word."""
    caption = ("W", f"{item} caption")
    alpha, words = (audit.cell(metric, caption[1]) for metric in ("alpha", "effect_size"))
    for column in columns:
        sign, better = (ABOVE_ZERO, "PTR") if column.d.value > 0 else (BELOW_ZERO, COMPARED_WITH[item])
        claim = f"{column.scheme}: {better} is better, as the sign of d says"
        audit.check(caption, claim, column.d.printed, sign, column.gain, column.mean)
        below = (0.0, alpha.value)
        claim = f"{column.scheme}: p is below alpha"
        audit.check(caption, claim, f"< {alpha.printed}", below, column.p, (column.p,))
        _named_effect(audit, caption, column, words)


def _named_effect(audit: Audit, where: tuple[str, str], column: _Comparison, words: Cell) -> None:
    """Is the word for |d| one of the words in the text ('large or huge')?"""
    effect = magnitude(column.d)
    possible = _effect_words(effect)
    is_one = bool(possible & set(words.printed.split(" or ")))
    note = f"Sawilowsky's word is {' or '.join(sorted(possible))}"
    claim = f"{column.scheme}: the effect is {words.printed}"
    audit.check(where, claim, words.printed, None, effect, (column.d,), note, is_one)


def _effect_words(effect: Range) -> set[str]:
    """All of Sawilowsky's words for the effect sizes in an interval: at its ends and at the thresholds
    inside.

    >>> sorted(_effect_words((1.9, 2.1)))
    ['huge', 'very large']
    """
    inside = (least for least, _ in SAWILOWSKY if effect[0] <= least <= effect[1])
    return {sawilowsky(value) for value in (*effect, *inside)}


def _order_of_scores(audit: Audit, tables: Mapping[str, list[_Comparison]]) -> None:
    """In Table 3 the difference between the models is smallest for micro and largest for macro; in Table 4
    BERT_EM is better except under macro, where the effect is by far the largest."""
    micro, *others, macro = tables["Table 3"]
    for column in (*others, macro):
        claim = f"Table 3: the difference is smaller for micro than for {column.scheme}"
        audit.ordered(_SECTION_3_1, claim, micro.gain, column.gain, (*micro.mean, *column.mean))
    for column in others:
        claim = f"Table 3: the difference is larger for macro than for {column.scheme}"
        audit.ordered(_SECTION_3_1, claim, column.gain, macro.gain, (*column.mean, *macro.mean))
    restated = audit.cell("f1", "Section 3.1", statistic="d")
    audit.compare(restated, "Table 3: effect size of macro, restated", macro.d.value, (macro.d,))
    *others, macro = tables["Table 4"]
    for column in others:
        claim = f"Table 4: BERT_EM is better under {column.scheme}"
        audit.check(_SECTION_3_1, claim, "< 0", BELOW_ZERO, column.gain, column.mean)
        claim = f"Table 4: the effect size of macro is larger than that of {column.scheme}"
        audit.ordered(_SECTION_3_1, claim, magnitude(column.d), magnitude(macro.d), (column.d, macro.d))
    audit.check(_SECTION_3_1, "Table 4: PTR is better under macro", "> 0", ABOVE_ZERO, macro.gain, macro.mean)


def _in_between(audit: Audit, columns: list[_Comparison]) -> None:
    """'The scores of our proposed schemes are in between the existing measures': weighted and macro."""
    means = {column.scheme: column.mean for column in columns}
    for model in (0, 1):
        weighted, *proposed, macro = (means[name][model] for name in SCHEMES[1:])
        for score in proposed:
            claim = f"{score.item}: {score.name} lies between weighted and macro"
            published = f"{macro.printed} to {weighted.printed}"
            claimed = (macro.interval[0], weighted.interval[1])
            audit.check(_SECTION_3_1, claim, published, claimed, score, (weighted, score, macro))


def _smaller_fall(audit: Audit, columns: list[_Comparison]) -> None:
    """PTR's scores decrease less when classes are weighted more equally: from micro to macro."""
    micro, macro = columns[0].mean, columns[-1].mean
    claim = f"{micro[0].item}: PTR falls less from micro to macro than the other model"
    audit.ordered(_SECTION_3_1, claim, *map(difference, micro, macro), (*micro, *macro))


def _weighted_like_micro(audit: Audit, tables: Mapping[str, list[_Comparison]]) -> None:
    """'Weighted produces similar results to micro except for RECENT': its gap is the largest of the four."""
    means = ((micro.mean, weighted.mean) for micro, weighted, *_ in tables.values())
    pairs = [pair for both in means for pair in zip(*both, strict=True)]
    gaps = {weighted: magnitude(difference(micro, weighted)) for micro, weighted in pairs}
    (recent,) = (gaps.pop(cell) for cell in list(gaps) if cell.name.startswith("RECENT"))
    largest = tuple(map(max, *gaps.values()))
    claim = "the gap between micro and weighted is largest for RECENT"
    audit.ordered(_SECTION_3_1, claim, largest, recent, [cell for pair in pairs for cell in pair])


def simulated_experiments(runs: int, experiments: int, seed: int) -> pd.DataFrame:
    """Two models with a known difference, `runs` runs each, many times: what Welch's test finds.

    Returns a row for each true d from 0 to 4: true_d, significant (share with p < .05), estimated_d (mean
    |d| of these).

    >>> list(simulated_experiments(5, 200, 1).columns)
    ['true_d', 'significant', 'estimated_d']
    """
    if runs < 2 or experiments < 1:
        raise ValueError("a spread takes at least two runs, a share at least one experiment")
    rng, rows = np.random.default_rng(seed), []
    for true_d in np.arange(0, 4.01, 0.25):
        first, second = rng.normal(true_d, size=(experiments, runs)), rng.normal(size=(experiments, runs))
        hit = ttest_ind(first, second, axis=1, equal_var=False).pvalue < 0.05
        pooled = np.sqrt((first.var(1, ddof=1) + second.var(1, ddof=1)) / 2)
        estimate = (first.mean(1) - second.mean(1)) / pooled
        rows.append((true_d, hit.mean(), abs(estimate[hit]).mean()))
    return pd.DataFrame(rows, columns=["true_d", "significant", "estimated_d"])
