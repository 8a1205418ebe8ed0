"""Paper R, the text (Lyu et al. 2021): numbers restated from the tables, improvements, comparisons, the
abstract.

Words of degree ('much smaller', 'comparative') are not judged, their direction is.
"""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from ..published import Cell, Interval, as_cell, find_cell
from .direction import SHORT, Tables
from .intervals import ABOVE_ZERO, BELOW_ZERO, difference, overlap
from .verdicts import Check, check, compare

BETTER = "A+ B+ PD- PIR- PPR+"

COMPARISONS = (
    ("Section IV-C", "EM-C (large)", "EM-C (base)", BETTER),
    ("Section V-A", "EM-ES (base)", "EM-C (base)", BETTER),
    ("Section V-A", "R-BERT (base)", "EM-C (base)", BETTER),
    ("Section V-A", "EM-ES (large)", "EM-C (large)", BETTER),
    ("Section V-A", "R-BERT (large)", "EM-C (large)", BETTER),
    ("Section V-A", "R-BERT (base)", "EM-ES (base)", BETTER),
    ("Section V-A", "EM-ES (large)", "EM-ES (base)", BETTER),
    ("Section V-A", "R-BERT (large)", "R-BERT (base)", BETTER),
    ("Section V-B", "EMR-C (base)", "EM-C (base)", "A- B+ PD- PPR- PPR+"),
    ("Section V-B", "EMR-C (large)", "EM-C (large)", "A- B+ PD- PPR- PPR+"),
    ("Section V-C", "EM-C-M (base)", "EM-C (base)", BETTER),
    ("Section V-E", "EM-C-M (large)", "EM-C (large)", "A+"),
    ("Section V-E", "EM-ES-M (large)", "EM-ES (large)", "A+"),
    ("Section V-E", "R-BERT-M (large)", "R-BERT (large)", "A+"),
    ("Section V-E", "EM-ES-M (large)", "EM-C-M (large)", "A+"),
    ("Section V-E", "EM-ES-M (large)", "R-BERT-M (large)", "A+"),
)
"""Where the text compares a model with another: + for larger, - for smaller. Section V-B is taken at its
word, 'smaller PD, PPR, and larger PPR' (the first PPR should read PIR)."""


def restated(tables: Tables) -> Iterator[Check]:
    """Every score that the text restates against the table, every improvement against the two cells."""
    column = {metric: short for short, metric in SHORT.items()}
    text = tables.published[
        tables.published["metric"].isin(column) & ~tables.published.index.isin(tables.frame.index)
    ]
    for _, row in text[text["unit"] == "percent"].iterrows():
        short, cell = column[row.metric], as_cell(row)
        if row.statistic == "value":
            source = tables(row.model, short)
            same = (source.value, source.value)  # the same number again: no rounding lies between
            yield compare(cell, f"{row.model}: {short} of {source.item}, restated", same, (source,), row.note)
        else:
            pair = [tables(name, short) for name in row.model.split(" - ")]
            ordered = pair[::-1] if row.statistic == "decrease" else pair
            change = difference(ordered[0].interval, ordered[1].interval)
            yield compare(cell, f"{row.model}: {row.statistic} of {short}", change, tuple(pair), row.note)


def compared(tables: Tables) -> Iterator[Check]:
    """Every 'better', 'larger' and 'smaller' of the text (`COMPARISONS`)."""
    for item, model, against, claims in COMPARISONS:
        for short, sign in ((claim[:-1], claim[-1]) for claim in claims.split()):
            word, side, claimed = ("larger", ">", ABOVE_ZERO) if sign == "+" else ("smaller", "<", BELOW_ZERO)
            cells = tables(model, short), tables(against, short)
            derived = difference(cells[0].interval, cells[1].interval)
            text = f"{short} of {model} is {word} than that of {against}"
            yield check(("R", item), text, f"{side} 0", claimed, derived, cells)


def spread(cells: list[Cell]) -> Interval:
    """Largest minus smallest: an enclosure, as the largest is at least every low end and at most the highest
    end.

    >>> spread([Cell("R", "", "", "3", "count"), Cell("R", "", "", "5", "count")])
    (2.0, 2.0)
    """
    lows, highs = zip(*(cell.interval for cell in cells), strict=True)
    return max(lows) - min(highs), max(highs) - min(lows)


def abstract(tables: Tables) -> Iterator[Check]:
    """'Clear gaps' in direction among models of 'similar' macro-F1: A differs less than PD, PIR and PPR."""
    for size in ("base", "large"):
        models = [f"{name} ({size})" for name in ("EM-C", "EM-ES", "R-BERT")]
        original = [tables(model, "A") for model in models]
        for short in ("PD", "PIR", "PPR"):
            cells = [tables(model, short) for model in models]
            more = difference(spread(cells), spread(original))
            claim = f"EM-C, EM-ES, R-BERT ({size}): {short} differs more than A"
            yield check(("R", "Abstract"), claim, "> 0", ABOVE_ZERO, more, (*original, *cells))


def state_of_the_art(tables: Tables) -> Check:
    """Section V-E: EM-ES-M (large) is better than every quoted result."""
    best, rows = tables("EM-ES-M (large)", "A"), tables.frame[tables.frame["note"].str.contains("quoted")]
    quoted = max((as_cell(row) for _, row in rows.iterrows()), key=lambda cell: cell.interval[1])
    lead = difference(best.interval, quoted.interval)
    claim = "EM-ES-M (large) is a new state of the art: A above every quoted one"
    return check(("R", "Section V-E"), claim, "> 0", ABOVE_ZERO, lead, (best, quoted))


def quoted_twice(tables: Tables) -> Iterator[Check]:
    """EM-ES and R-BERT stand in Table III (run by the authors) and in Table VI (quoted).

    Different values are two runs, and then nothing follows from the one for the other.
    """
    for name in ("EM-ES", "R-BERT"):
        quoted, own = tables(name, "A"), tables(f"{name} (large)", "A")
        same = overlap(quoted.interval, own.interval)
        note = "" if same else f"differs by {quoted.value - own.value:+.2f}: two runs"
        derived = own.interval if same else None
        yield compare(quoted, f"{name}: the quoted A is that of {name} (large)", derived, (own,), note)


def corpus(published: pd.DataFrame, tables: Tables) -> Iterator[Check]:
    """Section IV-A: 18 relations are 9 pairs; with Other, train and test they make up paper W's Table 1."""
    pairs, relations = tables.prose("relation_pairs"), tables.prose("relations")
    yield compare(relations, "relations = 2 x pairs", (2 * pairs.value,) * 2, (pairs,))
    train, test = tables.prose("train_samples"), tables.prose("test_samples")
    row = {"paper": "W", "item": "Table 1", "dataset": "semeval2010"}
    size, labels = (find_cell(published, **row, metric=metric) for metric in ("samples", "labels"))
    yield compare(
        size, "semeval2010: size = train + test of paper R", (train.value + test.value,) * 2, (train, test)
    )
    yield compare(
        labels, "semeval2010: #Rel = relations of paper R + Other", (relations.value + 1,) * 2, (relations,)
    )


def figure_4(tables: Tables) -> Check:
    """The gold relation of the drawn sentence, which only the test key can tell."""
    gold = find_cell(tables.published, item="Section V-D and Figure 4 caption", metric="gold")
    note = "the official test key (id 8219) says Cause-Effect(e2,e1)"
    return check(gold, "gold relation of the sentence in Figure 4", gold.printed, None, None, (), note)


def audit_direction_claims(published: pd.DataFrame) -> list[Check]:
    """All checks of paper R's text, in order.

    >>> from helpers.reporting.published import load_published
    >>> wrong = [one for one in audit_direction_claims(load_published()) if one.verdict == "inconsistent"]
    >>> [one.published for one in wrong]
    ['46.38', '33.94', '79.03', '78.76', '< 0', '< 0']
    """
    tables = Tables(published)
    checks = [*restated(tables), *compared(tables), *abstract(tables), state_of_the_art(tables)]
    return [*checks, *quoted_twice(tables), *corpus(published, tables), figure_4(tables)]
