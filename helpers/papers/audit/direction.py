"""Paper R (Lyu et al. 2021): Tables II–VI, and what the text restates from them and says about them.

All scores are of single runs, in per cent with two decimals, so nothing here rests on a spread. Words of
degree ('much smaller', 'comparative') are not judged, their direction is.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ...reporting import PUBLISHED_FOLDER, Cell, Range
from .intervals import ABOVE_ZERO, BELOW_ZERO, Audit, difference, magnitude, overlap

_SHORT = {"A": "performance_original", "B": "performance_paired", "PD": "pd", "PIR": "pir", "PPR": "ppr"}


class DirectionTables:
    """The cells of Tables II–VI by model and column: `tables("EM-C (base)", "PPR")`.

    Attributes
    ----------
    models : those that the authors ran, in printed order; the quoted ones (†) have nothing but A.
    """

    def __init__(self, published: pd.DataFrame) -> None:
        self.published = published[published["paper"] == "R"]
        self.frame = self.published[self.published["item"].str.fullmatch("Table (II|III|IV|V|VI)")]
        self.cells = {(row["model"], row["metric"]): Cell.of(row) for _, row in self.frame.iterrows()}
        self.models = list(self.frame.loc[self.frame["metric"] == "ppr", "model"])

    def __call__(self, model: str, short: str) -> Cell:
        """The cell of a model in the column A, B, PD, PIR or PPR."""
        return self.cells[model, _SHORT[short]]

    def prose(self, metric: str) -> Cell:
        """A number of Section IV-A."""
        return Cell.find(self.published, item="Section IV-A", metric=metric)

    def sample_count(self) -> tuple[int, int, int]:
        """The n of PPR that the printed PPRs point to: (n, PPRs that it fits, and that the next best n fits).

        >>> from helpers.reporting import load_published
        >>> DirectionTables(load_published()).sample_count()
        (2263, 13, 8)
        """
        shares = [(cell.value, cell.interval) for cell in (self(model, "PPR") for model in self.models)]
        return _common_denominator(shares, int(self.prose("test_samples").value))

    def judge(self, audit: Audit, without_other: int) -> None:
        """All checks of Tables II–VI, then of the text, in order.

        without_other : number of SemEval test samples that are not Other, by label counts.
        """
        _performance_differences(audit, self)
        _paired_rates(audit, self, without_other)
        for part in (_immobility_rates, _restated, _compared, _abstract, _state_of_the_art, _quoted_twice):
            part(audit, self)
        _corpus(audit, self)
        _figure_4(audit, self)


def _performance_differences(audit: Audit, tables: DirectionTables) -> None:
    """PD = |P_A − P_B| (Eq. 1) from the printed A and B."""
    for model in tables.models:
        a, b, printed = (tables(model, short) for short in ("A", "B", "PD"))
        exact = np.isclose(abs(a.value - b.value), printed.value, rtol=0, atol=1e-9)
        note = "equals the difference of the printed A and B" if exact else ""
        audit.compare(printed, f"{model}: PD = |A - B|", magnitude(difference(a, b)), (a, b), note)


def _common_denominator(shares: list[tuple[float, Range]], largest: int) -> tuple[int, int, int]:
    """The sample count n ≤ `largest` that makes most of the printed shares whole multiples of 1/n.

    Parameters
    ----------
    shares : (printed value, what rounds to it) in per cent.
    largest : the largest n that is tried.

    Returns
    -------
    n, how many shares it fits, and how many the next best n fits. Raises ValueError if two n tie.

    >>> shares = [(k * 100 / 97, (k * 100 / 97 - 0.005, k * 100 / 97 + 0.005)) for k in (10, 31, 55, 80)]
    >>> _common_denominator(shares, 150)
    (97, 4, 0)
    """
    nearest = [_nearest_share(p, np.arange(1, largest + 1)) for p, _ in shares]
    inside = [(low <= near) & (near <= high) for near, (_, (low, high)) in zip(nearest, shares, strict=True)]
    fits = np.sum(inside, axis=0).tolist()
    second, best = np.argsort(fits, kind="stable")[-2:]
    if fits[best] == fits[second]:
        both = f"sample counts {best + 1} and {second + 1} both fit {fits[best]}"
        raise ValueError(f"{both} of {len(shares)} shares")
    return int(best) + 1, fits[best], fits[second]


def _nearest_share(percent: float, n: int | np.ndarray) -> np.ndarray:
    """The multiple of 100/n per cent that is nearest to `percent`, for each n.

    >>> round(float(_nearest_share(3.27, 2263)), 4)
    3.27
    """
    return 100 * np.round(percent * n / 100) / n


def _paired_rates(audit: Audit, tables: DirectionTables, without_other: int) -> None:
    """PPR = k/n (Eq. 3) with one n for all models, the number of test samples that are not Other."""
    n, fits, next_best = tables.sample_count()
    size = tables.prose("test_samples")
    cells = [tables(model, "PPR") for model in tables.models]
    published = f"{without_other} by label counts"
    note = f"fits {fits} of {len(cells)} PPRs; any other n up to {size.printed} fits {next_best} at most"
    claim = "n of PPR: test samples that are not Other"
    audit.check(("R", "Section IV-A"), claim, published, without_other, n, (size, *cells), note)
    for model, ppr in zip(tables.models, cells, strict=True):
        share, other = _nearest_share(ppr.value, n), _nearest_share(ppr.value, int(size.value))
        possible = "possible" if ppr.interval[0] <= other <= ppr.interval[1] else "impossible"
        note = f"{round(share * n / 100)} samples; with n = {size.value:g}, Other kept: {possible}"
        audit.compare(ppr, f"{model}: PPR is a multiple of 1/{n}", share, (ppr, size), note)


def _immobility_rates(audit: Audit, tables: DirectionTables) -> None:
    """PIR = k/m (Eq. 2) for some m, the correct predictions on the better set, that PPR allows.

    m is not printed; the note gives the k and m that are possible. Where none is, the nearest possible PIR is
    derived.
    """
    n = tables.sample_count()[0]
    for model in tables.models:
        pir, ppr = tables(model, "PIR"), tables(model, "PPR")
        correct = round(ppr.value * n / 100)
        claimed = (0.0, 0.005) if pir.printed == "0" else pir.interval
        pairs = _immobile_pairs((claimed[0] / 100, claimed[1] / 100), correct, n)
        if not len(pairs):
            note, derived = "no k and m are possible", _nearest_rate(pir.value, correct, n)
        else:
            (k, m), (most_k, most_m) = pairs.min(axis=0), pairs.max(axis=0)
            possible = 100 * pairs[:, 0] / pairs[:, 1]
            derived = (float(possible.min()), float(possible.max()))
            note = f"k is {k} to {most_k}, m is {m} to {most_m}"
        claim = f"{model}: PIR = k/m with k + {correct} <= m <= {n}"
        audit.check(pir, claim, pir.printed, claimed, derived, (pir, ppr), note)


def _immobile_pairs(share: Range, both_correct: int, n: int) -> np.ndarray:
    """All (k, m) with k/m in `share` (fractions) that a predictive immobility rate can come from.

    m predictions on the better set are correct, k of them are the same on the paired set. A pair cannot be
    both unmoved and correct twice, as paired gold labels differ, so k + both_correct ≤ m ≤ n (Lyu et al.
    2021, Eqs. 2–3, without Other).

    >>> _immobile_pairs((0.0020, 0.0030), 1985, 2263)[[0, -1]].tolist()
    [[4, 1989], [6, 2263]]
    """
    most = min(n - both_correct, int(share[1] * n) + 1)
    k, m = np.meshgrid(np.arange(most + 1), np.arange(max(both_correct, 1), n + 1))
    fits = (share[0] <= k / m) & (k / m <= share[1]) & (k + both_correct <= m)
    return np.stack([k[fits], m[fits]], axis=1)


def _nearest_rate(percent: float, both_correct: int, n: int) -> float:
    """The possible PIR that is nearest to `percent`.

    >>> _nearest_rate(99.0, 5, 10)
    50.0
    """
    k, m = _immobile_pairs((0.0, 1.0), both_correct, n).T
    possible = 100 * k / m
    return float(possible[abs(possible - percent).argmin()])


COMPARISONS = PUBLISHED_FOLDER / "comparisons.csv"
"""Where the text compares a model with another: + for larger, - for smaller. Section V-B is taken at its
word, 'smaller PD, PPR, and larger PPR' (the first PPR should read PIR)."""


def _restated(audit: Audit, tables: DirectionTables) -> None:
    """Every score that the text restates against the table, every improvement against the two cells."""
    column = {metric: short for short, metric in _SHORT.items()}
    text = tables.published.drop(tables.frame.index)
    for _, row in text[text["metric"].isin(column) & text["unit"].eq("percent")].iterrows():
        short, cell = column[row.metric], Cell.of(row)
        if row.statistic == "value":
            source = tables(row.model, short)
            claim = f"{row.model}: {short} of {source.item}, restated"
            # the same number again: no rounding lies between
            audit.compare(cell, claim, source.value, (source,), row.note)
        else:
            pair = [tables(name, short) for name in row.model.split(" - ")]
            change = difference(*(pair[::-1] if row.statistic == "decrease" else pair))
            audit.compare(cell, f"{row.model}: {row.statistic} of {short}", change, pair, row.note)


def _compared(audit: Audit, tables: DirectionTables) -> None:
    """Every 'better', 'larger' and 'smaller' of the text (`COMPARISONS`)."""
    signs = {"+": ("larger", "> 0", ABOVE_ZERO), "-": ("smaller", "< 0", BELOW_ZERO)}
    for row in pd.read_csv(COMPARISONS).itertuples():
        for claim in row.scores.split():
            short, (word, *claimed) = claim[:-1], signs[claim[-1]]
            cells = tables(row.model, short), tables(row.against, short)
            text = f"{short} of {row.model} is {word} than that of {row.against}"
            audit.check(("R", row.item), text, *claimed, difference(*cells), cells)


def _spread(cells: list[Cell]) -> Range:
    """Largest minus smallest: an enclosure, as the largest is at least every low end and at most the highest
    end.

    >>> _spread([Cell("R", "", "", "3", "count"), Cell("R", "", "", "5", "count")])
    (2.0, 2.0)
    """
    lows, highs = zip(*(cell.interval for cell in cells), strict=True)
    return max(lows) - min(highs), max(highs) - min(lows)


def _abstract(audit: Audit, tables: DirectionTables) -> None:
    """'Clear gaps' in direction among models of 'similar' macro-F1: A differs less than PD, PIR and PPR."""
    for size in ("base", "large"):
        models = [f"{name} ({size})" for name in ("EM-C", "EM-ES", "R-BERT")]
        original = [tables(model, "A") for model in models]
        for short in ("PD", "PIR", "PPR"):
            cells = [tables(model, short) for model in models]
            claim = f"EM-C, EM-ES, R-BERT ({size}): {short} differs more than A"
            audit.ordered(("R", "Abstract"), claim, _spread(original), _spread(cells), original + cells)


def _state_of_the_art(audit: Audit, tables: DirectionTables) -> None:
    """Section V-E: EM-ES-M (large) is better than every quoted result."""
    best, rows = tables("EM-ES-M (large)", "A"), tables.frame[tables.frame["note"].str.contains("quoted")]
    quoted = max((Cell.of(row) for _, row in rows.iterrows()), key=lambda cell: cell.interval[1])
    claim = "EM-ES-M (large) is a new state of the art: A above every quoted one"
    audit.ordered(("R", "Section V-E"), claim, quoted, best, (best, quoted))


def _quoted_twice(audit: Audit, tables: DirectionTables) -> None:
    """EM-ES and R-BERT stand in Table III (run by the authors) and in Table VI (quoted).

    Different values are two runs, and then nothing follows from the one for the other.
    """
    for name in ("EM-ES", "R-BERT"):
        quoted, own = tables(name, "A"), tables(f"{name} (large)", "A")
        same = overlap(quoted.interval, own.interval)
        note = "" if same else f"differs by {quoted.value - own.value:+.2f}: two runs"
        derived = own if same else None
        audit.compare(quoted, f"{name}: the quoted A is that of {name} (large)", derived, (own,), note)


def _corpus(audit: Audit, tables: DirectionTables) -> None:
    """Section IV-A: 18 relations are 9 pairs; with Other, train and test they make up paper W's Table 1."""
    pairs, relations = tables.prose("relation_pairs"), tables.prose("relations")
    train, test = tables.prose("train_samples"), tables.prose("test_samples")
    size, labels = (audit.cell(metric, dataset="semeval2010") for metric in ("samples", "labels"))
    audit.compare(relations, "relations = 2 x pairs", 2 * pairs.value, (pairs,))
    claim = "semeval2010: size = train + test of paper R"
    audit.compare(size, claim, train.value + test.value, (train, test))
    claim = "semeval2010: #Rel = relations of paper R + Other"
    audit.compare(labels, claim, relations.value + 1, (relations,))


def _figure_4(audit: Audit, tables: DirectionTables) -> None:
    """The gold relation of the drawn sentence, which only the test key can tell."""
    gold = Cell.find(tables.published, item="Section V-D and Figure 4 caption", metric="gold")
    note = "the official test key (id 8219) says Cause-Effect(e2,e1)"
    audit.check(gold, "gold relation of the sentence in Figure 4", gold.printed, None, None, (), note)
