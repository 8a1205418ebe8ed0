"""Paper W, Section 3.1 (Harbecke et al. 2022): every comparison of the numbers in Tables 3 and 4.

Claims without a number or an order in them ('similar results', 'much closer') are taken as the order they
imply, where there is one, and left alone otherwise.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pandas as pd

from ..published import Interval, find_cell
from .intervals import ABOVE_ZERO, BELOW_ZERO, difference, magnitude
from .verdicts import Check, check, compare
from .weighting import Comparison, comparisons, named_effect

PLACE = ("W", "Section 3.1")


def ordering(claim: str, smaller: Interval, larger: Interval, inputs: Iterable[object]) -> Check:
    """Judge 'this is smaller than that': larger − smaller is above 0.

    >>> ordering("a < b", (1, 2), (3, 4), ()).derived_low
    1
    """
    return check(PLACE, claim, "> 0", ABOVE_ZERO, difference(larger, smaller), tuple(inputs))


def differences(columns: list[Comparison]) -> Iterator[Check]:
    """Table 3: the difference between the models is smallest for micro and largest for macro."""
    micro, *others = columns
    for column in others:
        claim = f"Table 3: the difference is smaller for micro than for {column.scheme}"
        yield ordering(claim, micro.gain, column.gain, (*micro.mean, *column.mean))
    *others, macro = columns
    for column in others[1:]:
        claim = f"Table 3: the difference is larger for macro than for {column.scheme}"
        yield ordering(claim, column.gain, macro.gain, (*column.mean, *macro.mean))


def reversal(columns: list[Comparison]) -> Iterator[Check]:
    """Table 4: BERT_EM is better except under macro, where the effect is by far the largest."""
    *others, macro = columns
    for column in others:
        claim = f"Table 4: BERT_EM is better under {column.scheme}"
        yield check(PLACE, claim, "< 0", BELOW_ZERO, column.gain, column.mean)
        claim = f"Table 4: the effect size of macro is larger than that of {column.scheme}"
        effects = (magnitude(one.d.interval) for one in (column, macro))
        yield ordering(claim, *effects, (column.d, macro.d))
    yield check(PLACE, "Table 4: PTR is better under macro", "> 0", ABOVE_ZERO, macro.gain, macro.mean)


def in_between(columns: list[Comparison]) -> Iterator[Check]:
    """'The scores of our proposed schemes are in between the existing measures': weighted and macro."""
    means = {column.scheme: column.mean for column in columns}
    for model in (0, 1):
        weighted, macro = means["weighted"][model], means["macro"][model]
        for score in (means["dodrans"][model], means["entropy"][model]):
            claim = f"{score.item}: {score.name} lies between weighted and macro"
            published = f"{macro.printed} to {weighted.printed}"
            claimed = (macro.interval[0], weighted.interval[1])
            yield check(PLACE, claim, published, claimed, score.interval, (weighted, score, macro))


def smaller_fall(columns: list[Comparison]) -> Check:
    """PTR's scores decrease less when classes are weighted more equally: from micro to macro."""
    micro, macro = columns[0].mean, columns[-1].mean
    falls = [difference(a.interval, b.interval) for a, b in zip(micro, macro, strict=True)]
    claim = f"{micro[0].item}: PTR falls less from micro to macro than the other model"
    return ordering(claim, *falls, (*micro, *macro))


def weighted_like_micro(tables: list[list[Comparison]]) -> Check:
    """'Weighted produces similar results to micro except for RECENT': its gap is the largest of the four."""
    pairs = [(columns[0].mean[model], columns[1].mean[model]) for columns in tables for model in (0, 1)]
    gaps = {
        b.name: magnitude(difference(a.interval, b.interval)) for a, b in pairs if b.name.startswith("RECENT")
    }
    others = [magnitude(difference(a.interval, b.interval)) for a, b in pairs if b.name not in gaps]
    largest = (max(low for low, _ in others), max(high for _, high in others))
    cells = [cell for pair in pairs for cell in pair]
    return ordering(
        "the gap between micro and weighted is largest for RECENT", largest, *gaps.values(), cells
    )


def audit_weighting_claims(published: pd.DataFrame) -> list[Check]:
    """All checks of paper W's Section 3.1, in order.

    >>> from helpers.reporting.published import load_published
    >>> [one.note for one in audit_weighting_claims(load_published()) if one.verdict == "inconsistent"]
    ["Sawilowsky's word is very large", "Sawilowsky's word is very large"]
    """
    tacred, semeval = comparisons(published, "Table 3"), comparisons(published, "Table 4")
    restated = find_cell(published, paper="W", item="Section 3.1", metric="f1", statistic="d")
    macro = tacred[-1].d
    words = find_cell(published, paper="W", item="Section 3.1", metric="effect_size")
    checks = [*differences(tacred)]
    checks += [
        compare(restated, "Table 3: effect size of macro, restated", (macro.value, macro.value), (macro,))
    ]
    checks += [*reversal(semeval), *(named_effect(PLACE, column, words) for column in semeval)]
    checks += [*in_between(tacred), *in_between(semeval), smaller_fall(tacred), smaller_fall(semeval)]
    return [*checks, weighted_like_micro([tacred, semeval])]
