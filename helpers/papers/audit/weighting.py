"""Paper W, Tables 3 and 4 (Harbecke et al. 2022): effect sizes and p-values; what Section 3.1 makes of them.

Five runs a model; means, standard deviations and d are printed with one decimal, p with one or two digits.
The standard deviations are taken as those of samples (ddof = 1), the tests as Welch's, as Section 2.4 says.
Claims without a number or an order in them ('similar results', 'much closer') are taken as the order they
imply, where there is one, and left alone otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial

import pandas as pd

from ...metrics import SAWILOWSKY, SCHEMES, sawilowsky
from ...reporting import Cell, Range, find_cell
from .intervals import (
    ABOVE_ZERO,
    BELOW_ZERO,
    CONSISTENT,
    INCONSISTENT,
    Check,
    check,
    compare,
    difference,
    effect_size,
    exactly,
    magnitude,
    two_sided_p,
    welch_df,
    welch_p,
)

COMPARED_WITH = {"Table 3": "RECENT", "Table 4": "BERT_EM"}
"""Which model PTR is compared with."""
_SECTION_3_1 = ("W", "Section 3.1")


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
    def gain(self) -> Range:
        """Difference of the means, PTR − other, in points."""
        return difference(self.mean[0].interval, self.mean[1].interval)

    @property
    def df(self) -> Range:
        """Degrees of freedom of Welch's test."""
        return welch_df(self.sd[0].interval, self.sd[1].interval, self.runs)

    @property
    def effect(self) -> Range:
        """Cohen's d from means and SDs."""
        ptr, other = zip(self.mean, self.sd, strict=True)
        return effect_size(*(cell.interval for cell in (*ptr, *other)))


def comparisons(published: pd.DataFrame, item: str) -> list[Comparison]:
    """The five columns of Table 3 or Table 4.

    >>> from helpers.reporting import load_published
    >>> comparisons(load_published(), "Table 3")[0].d.printed
    '2.8'
    """
    get = partial(find_cell, published, paper="W", item=item, metric="f1")
    runs = int(find_cell(published, paper="W", item="Section 3", metric="runs").value)
    models, test = ("PTR", COMPARED_WITH[item]), f"PTR - {COMPARED_WITH[item]}"

    def column(scheme: str) -> Comparison:
        mean, sd = (tuple(get(model=m, scheme=scheme, statistic=s) for m in models) for s in ("mean", "sd"))
        p, d = (get(model=test, scheme=scheme, statistic=s) for s in ("p", "d"))
        return Comparison(scheme, mean, sd, p, d, runs)

    return [column(scheme) for scheme in SCHEMES]


def _tests_and_effects(column: Comparison) -> Iterator[Check]:
    """d from means and SDs; p from means and SDs, from the printed d and SDs, and from all together."""
    inputs = (*column.mean, *column.sd)
    yield compare(column.d, f"{column.scheme}: d from means and SDs (Eq. 4)", column.effect, inputs)
    sds = [cell.interval for cell in column.sd]
    p = welch_p(column.gain, *sds, column.runs)
    yield compare(column.p, f"{column.scheme}: p from means and SDs", p, inputs)
    p = two_sided_p(column.d.interval, column.df, column.runs)
    most = 2.0 * (column.runs - 1)
    least_p = two_sided_p(column.d.interval, exactly(most), column.runs)[0]
    note = f"with equal SDs ({most:g} degrees of freedom, the most possible) p is at least {least_p:.2g}"
    yield compare(column.p, f"{column.scheme}: p from the printed d and SDs", p, (column.d, *column.sd), note)
    p = welch_p(column.gain, *sds, column.runs, column.d.interval)
    note = "" if p else "means and SDs exclude the printed d"
    claim = f"{column.scheme}: p from means, SDs and the printed d together"
    yield compare(column.p, claim, p, (*inputs, column.d), note)


def _captions(published: pd.DataFrame, item: str, columns: list[Comparison]) -> Iterator[Check]:
    """What a caption says of every column: d's sign tells the better model, p < alpha, Sawilowsky's word."""
    place = ("W", f"{item} caption")
    alpha = find_cell(published, paper="W", item=place[1], metric="alpha")
    words = find_cell(published, paper="W", item=place[1], metric="effect_size")
    for column in columns:
        sign, better = (ABOVE_ZERO, "PTR") if column.d.value > 0 else (BELOW_ZERO, COMPARED_WITH[item])
        claim = f"{column.scheme}: {better} is better, as the sign of d says"
        yield check(place, claim, column.d.printed, sign, column.gain, column.mean)
        below = (0.0, alpha.value)
        claim = f"{column.scheme}: p is below alpha"
        yield check(place, claim, f"< {alpha.printed}", below, column.p.interval, (column.p,))
        yield _named_effect(place, column, words)


def _named_effect(place: tuple[str, str], column: Comparison, words: Cell) -> Check:
    """Is the word for |d| one of the words in the text ('large or huge')?"""
    effect = magnitude(column.d.interval)
    possible = effect_words(effect)
    verdict = CONSISTENT if possible & set(words.printed.split(" or ")) else INCONSISTENT
    note = f"Sawilowsky's word is {' or '.join(sorted(possible))}"
    claim = f"{column.scheme}: the effect is {words.printed}"
    return Check(*place, claim, words.printed, *effect, verdict, str(column.d), note)


def effect_words(effect: Range) -> set[str]:
    """All of Sawilowsky's words for the effect sizes in an interval: at its ends and at the thresholds
    inside.

    >>> sorted(effect_words((1.9, 2.1)))
    ['huge', 'very large']
    """
    inside = (least for least, _ in SAWILOWSKY if effect[0] <= least <= effect[1])
    return {sawilowsky(value) for value in (*effect, *inside)}


def _ordering(claim: str, smaller: Range, larger: Range, inputs: Iterable[object]) -> Check:
    """Judge 'this is smaller than that': larger − smaller is above 0.

    >>> _ordering("a < b", (1, 2), (3, 4), ()).derived_low
    1
    """
    return check(_SECTION_3_1, claim, "> 0", ABOVE_ZERO, difference(larger, smaller), inputs)


def _order_of_scores(published: pd.DataFrame, tables: Mapping[str, list[Comparison]]) -> Iterator[Check]:
    """In Table 3 the difference between the models is smallest for micro and largest for macro; in Table 4
    BERT_EM is better except under macro, where the effect is by far the largest."""
    micro, *others, macro = tables["Table 3"]
    for one in (*others, macro):
        claim = f"Table 3: the difference is smaller for micro than for {one.scheme}"
        yield _ordering(claim, micro.gain, one.gain, (*micro.mean, *one.mean))
    for one in others:
        claim = f"Table 3: the difference is larger for macro than for {one.scheme}"
        yield _ordering(claim, one.gain, macro.gain, (*one.mean, *macro.mean))
    restated = find_cell(published, paper="W", item="Section 3.1", metric="f1", statistic="d")
    claim = "Table 3: effect size of macro, restated"
    yield compare(restated, claim, exactly(macro.d.value), (macro.d,))
    *others, macro = tables["Table 4"]
    for one in others:
        claim = f"Table 4: BERT_EM is better under {one.scheme}"
        yield check(_SECTION_3_1, claim, "< 0", BELOW_ZERO, one.gain, one.mean)
        claim = f"Table 4: the effect size of macro is larger than that of {one.scheme}"
        effects = (magnitude(column.d.interval) for column in (one, macro))
        yield _ordering(claim, *effects, (one.d, macro.d))
    claim = "Table 4: PTR is better under macro"
    yield check(_SECTION_3_1, claim, "> 0", ABOVE_ZERO, macro.gain, macro.mean)


def _in_between(columns: list[Comparison]) -> Iterator[Check]:
    """'The scores of our proposed schemes are in between the existing measures': weighted and macro."""
    means = {column.scheme: column.mean for column in columns}
    for model in (0, 1):
        weighted, *proposed, macro = (means[name][model] for name in SCHEMES[1:])
        for score in proposed:
            claim = f"{score.item}: {score.name} lies between weighted and macro"
            published = f"{macro.printed} to {weighted.printed}"
            claimed = (macro.interval[0], weighted.interval[1])
            yield check(_SECTION_3_1, claim, published, claimed, score.interval, (weighted, score, macro))


def _smaller_fall(columns: list[Comparison]) -> Check:
    """PTR's scores decrease less when classes are weighted more equally: from micro to macro."""
    micro, macro = columns[0].mean, columns[-1].mean
    falls = [difference(a.interval, b.interval) for a, b in zip(micro, macro, strict=True)]
    claim = f"{micro[0].item}: PTR falls less from micro to macro than the other model"
    return _ordering(claim, *falls, (*micro, *macro))


def _weighted_like_micro(tables: Mapping[str, list[Comparison]]) -> Check:
    """'Weighted produces similar results to micro except for RECENT': its gap is the largest of the four."""
    both = [zip(micro.mean, weighted.mean, strict=True) for micro, weighted, *_ in tables.values()]
    pairs = [pair for table in both for pair in table]
    gaps = [(magnitude(difference(a.interval, b.interval)), b.name) for a, b in pairs]
    (recent,) = (gap for gap, name in gaps if name.startswith("RECENT"))
    lows, highs = zip(*(gap for gap, name in gaps if not name.startswith("RECENT")), strict=True)
    claim = "the gap between micro and weighted is largest for RECENT"
    return _ordering(claim, (max(lows), max(highs)), recent, [cell for pair in pairs for cell in pair])


def audit_weighting(published: pd.DataFrame) -> list[Check]:
    """All checks of paper W's Tables 3 and 4, of their captions, and of Section 3.1, in order.

    >>> from helpers.reporting import load_published
    >>> [one.note for one in audit_weighting(load_published()) if one.verdict == "inconsistent"][-2:]
    ["Sawilowsky's word is very large", "Sawilowsky's word is very large"]
    """
    tables = {item: comparisons(published, item) for item in COMPARED_WITH}
    columns = [column for both in tables.values() for column in both]
    checks = [one for column in columns for one in _tests_and_effects(column)]
    checks += [one for item, both in tables.items() for one in _captions(published, item, both)]
    checks += _order_of_scores(published, tables)
    words = find_cell(published, paper="W", item="Section 3.1", metric="effect_size")
    checks += [_named_effect(_SECTION_3_1, column, words) for column in tables["Table 4"]]
    checks += [one for both in tables.values() for one in _in_between(both)]
    return [*checks, *map(_smaller_fall, tables.values()), _weighted_like_micro(tables)]
