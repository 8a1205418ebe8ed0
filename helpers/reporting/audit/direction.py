"""Paper R, Tables II–VI (Lyu et al. 2021): PD from A and B, PPR and PIR as ratios of counts.

All scores are of single runs, in per cent with two decimals, so nothing here rests on a spread.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from ..published import Cell, Interval, as_cell, find_cell
from .intervals import common_denominator, difference, immobile_pairs, magnitude, nearest_share
from .verdicts import Check, check, compare

SHORT = {"A": "performance_original", "B": "performance_paired", "PD": "pd", "PIR": "pir", "PPR": "ppr"}
"""The column heads of the tables, and the metrics' names."""


class Tables:
    """The cells of Tables II–VI by model and column: `tables("EM-C (base)", "PPR")`.

    Attributes
    ----------
    models : those that the authors ran, in printed order; the quoted ones (†) have nothing but A.
    """

    def __init__(self, published: pd.DataFrame) -> None:
        self.published = published[published["paper"] == "R"]
        self.frame = self.published[self.published["item"].str.fullmatch("Table (II|III|IV|V|VI)")]
        self.cells = {(row["model"], row["metric"]): as_cell(row) for _, row in self.frame.iterrows()}
        self.models = list(self.frame.loc[self.frame["metric"] == "ppr", "model"])

    def __call__(self, model: str, short: str) -> Cell:
        """The cell of a model in the column A, B, PD, PIR or PPR."""
        return self.cells[model, SHORT[short]]

    def prose(self, metric: str) -> Cell:
        """A number of Section IV-A."""
        return find_cell(self.published, item="Section IV-A", metric=metric)


def performance_differences(tables: Tables) -> Iterator[Check]:
    """PD = |P_A − P_B| (Eq. 1) from the printed A and B."""
    for model in tables.models:
        a, b, printed = (tables(model, short) for short in ("A", "B", "PD"))
        exact = np.isclose(abs(a.value - b.value), printed.value, rtol=0, atol=1e-9)
        note = "equals the difference of the printed A and B" if exact else ""
        derived = magnitude(difference(a.interval, b.interval))
        yield compare(printed, f"{model}: PD = |A - B|", derived, (a, b), note)


def sample_count(tables: Tables) -> tuple[int, int, int]:
    """The n of PPR that the printed PPRs point to: (n, PPRs that it fits, PPRs that the next best n fits).

    >>> from helpers.reporting.published import load_published
    >>> sample_count(Tables(load_published()))
    (2263, 13, 8)
    """
    cells = [tables(model, "PPR") for model in tables.models]
    return common_denominator([(c.value, c.interval) for c in cells], int(tables.prose("test_samples").value))


def paired_rates(tables: Tables, without_other: int | None) -> Iterator[Check]:
    """PPR = k/n (Eq. 3) with one n for all models, the number of test samples that are not Other."""
    n, fits, next_best = sample_count(tables)
    size = tables.prose("test_samples")
    cells = [tables(model, "PPR") for model in tables.models]
    published = f"{without_other} by label counts" if without_other else ""
    claimed = (without_other, without_other) if without_other else None
    note = f"fits {fits} of {len(cells)} PPRs; any other n up to {size.printed} fits {next_best} at most"
    claim = "n of PPR: test samples that are not Other"
    yield check(("R", "Section IV-A"), claim, published, claimed, (n, n), (size, *cells), note)
    for model, ppr in zip(tables.models, cells, strict=True):
        share, other = nearest_share(ppr.value, n), nearest_share(ppr.value, int(size.value))
        possible = "possible" if ppr.interval[0] <= other <= ppr.interval[1] else "impossible"
        note = f"{round(share * n / 100)} samples; with n = {size.value:g}, Other kept: {possible}"
        yield compare(ppr, f"{model}: PPR is a multiple of 1/{n}", (share, share), (ppr, size), note)


def immobility_rates(tables: Tables) -> Iterator[Check]:
    """PIR = k/m (Eq. 2) for some m, the correct predictions on the better set, that leaves room for PPR.

    m is not printed; the note gives the k and m that are possible. Where none is, the nearest possible PIR is
    derived.
    """
    n = sample_count(tables)[0]
    for model in tables.models:
        pir, ppr = tables(model, "PIR"), tables(model, "PPR")
        correct = round(ppr.value * n / 100)
        claimed = (0.0, 0.005) if pir.printed == "0" else pir.interval
        pairs = immobile_pairs((claimed[0] / 100, claimed[1] / 100), correct, n)
        if not len(pairs):
            note, derived = "no k and m are possible", nearest_rate(pir.value, correct, n)
        else:
            (k, m), (most_k, most_m) = pairs.min(axis=0), pairs.max(axis=0)
            note, derived = f"k is {k} to {most_k}, m is {m} to {most_m}", _range(rates(pairs))
        claim = f"{model}: PIR = k/m with k + {correct} <= m <= {n}"
        yield check(pir, claim, pir.printed, claimed, derived, (pir, ppr), note)


def rates(pairs: np.ndarray) -> np.ndarray:
    """k/m in per cent of (K, 2) pairs.

    >>> rates(np.array([[1, 4], [1, 2]])).tolist()
    [25.0, 50.0]
    """
    return 100 * pairs[:, 0] / pairs[:, 1]


def nearest_rate(percent: float, both_correct: int, n: int) -> Interval:
    """The possible PIR that is nearest to `percent`, as an interval of one value.

    >>> nearest_rate(99.0, 5, 10)
    (50.0, 50.0)
    """
    m = np.arange(max(both_correct, 1), n + 1)
    k = np.clip(np.round(m * percent / 100), 0, m - both_correct)
    possible = rates(np.stack([k, m], axis=1))
    return _range(possible[[abs(possible - percent).argmin()]])


def _range(values: np.ndarray) -> Interval:
    return float(values.min()), float(values.max())


def audit_direction(published: pd.DataFrame, without_other: int | None = None) -> list[Check]:
    """All checks of paper R's Tables II–VI, in order.

    Parameters
    ----------
    published : `load_published()`.
    without_other : number of SemEval test samples that are not Other, by label counts; None if those are
        missing.

    >>> from helpers.reporting.published import load_published
    >>> {one.verdict for one in audit_direction(load_published(), 2263)}
    {'consistent'}
    """
    tables = Tables(published)
    return [*performance_differences(tables), *paired_rates(tables, without_other), *immobility_rates(tables)]
