"""How sure are the measures of a ranked list of facts? Lists as samples of units that can be drawn again.

A unit is an entity pair (or a sentence): what is predicted of it, and all its true facts, are drawn together.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .facts import FactRanking
from .outcome import draw
from .scores import ratio

FACT_MEASURES = ("auc", "auc_anchored", "average_precision", "micro_f1")


@dataclass(frozen=True, eq=False)
class FactSample:
    """A whole ranked list as a sample of units that can be drawn again: for `bootstrap_intervals`.

    A unit is an entity pair (or a sentence), with all that is predicted of it and all its true facts.

    Attributes
    ----------
    hits, units : (N,) of each predicted fact, the most certain first: is it true, and which unit is it of?
    cuts : (N,) bool, whether a threshold can cut after it (`FactRanking.cuts`).
    facts_of_unit : (U,) true facts of each unit, found or not. counts : (..., U) draws of each unit;
        leading axes are replicates.

    >>> ranking = FactRanking.from_scores([3, 2, 1], [True, False, True], facts=4)
    >>> sample = FactSample.of(ranking)
    >>> len(sample.facts_of_unit), sample.scores().round(4).tolist()[:2]
    (5, [0.1458, 0.3958])
    """

    hits: np.ndarray
    units: np.ndarray
    cuts: np.ndarray
    facts_of_unit: np.ndarray
    counts: np.ndarray

    @classmethod
    def of(cls, ranking: FactRanking, units: Any = None, facts_of_unit: Any = None) -> FactSample:
        """The sample of a list; without units, every predicted and every missing fact is one by itself.

        Parameters
        ----------
        units : (N,) the unit of each fact, in the order of the list. facts_of_unit : (U,) its true facts.

        Raises ValueError for a list that is known at some of its ranks only, and for units that do not fit.
        """
        if ranking.hits is None:
            raise ValueError("the list is known at some of its ranks only: it cannot be drawn again")
        n, missing = len(ranking), ranking.facts - int(ranking.hits.sum())
        if units is None:
            units = np.arange(n)
            facts_of_unit = np.r_[ranking.hits, np.ones(missing)]
        units, facts_of_unit = np.asarray(units), np.asarray(facts_of_unit, dtype=np.int64)
        if units.shape != (n,) or (n and not 0 <= units.min() <= units.max() < len(facts_of_unit)):
            raise ValueError(f"units: expected {n} positions into {len(facts_of_unit)} units")
        if int(facts_of_unit.sum()) != ranking.facts:
            said = f"facts_of_unit adds up to {facts_of_unit.sum()}"
            raise ValueError(f"{said}; the list is of {ranking.facts} facts")
        once = np.ones(len(facts_of_unit), dtype=np.int64)
        return cls(ranking.hits, units, ranking.cuts, facts_of_unit, once)

    @property
    def replicate_entries(self) -> int:
        """How many numbers a replicate takes while it is scored."""
        return len(self.hits) + 8 * int(self.hits.sum()) + len(self.facts_of_unit)

    def resample(self, rng: np.random.Generator, replicates: int) -> FactSample:
        """Bootstrap replicates: U units drawn with replacement; see `Outcome.resample`."""
        return replace(self, counts=draw(self.counts, rng, replicates))

    def scores(self, at: Iterable[int] = (), recall: float | None = None) -> np.ndarray:
        """(..., 4 + len(at)) `FACT_MEASURES`, then P@N: those of `FactRanking` where every unit counts once.

        A fact whose unit is drawn k times stands k times in a row, all at one point of the curve; ties stay
        ties. P@N is the precision at the first point that reaches N facts, nan if none does.

        Parameters
        ----------
        at : N of each P@N, which is of the whole list. recall : the other measures are of the list up to the
            first point that reaches it, in every replicate at a rank of its own; nan in a replicate that does
            not reach it. None: of the whole list.

        >>> ranking = FactRanking.from_scores([4, 3, 2, 1], [True, False, True, True], facts=4)
        >>> cut, whole = FactSample.of(ranking.until(0.5)), FactSample.of(ranking)
        >>> cut.scores().tolist() == whole.scores(recall=0.5).tolist() != whole.scores().tolist()
        True
        """
        limit = np.inf if recall is None else recall - 1e-12
        facts = np.maximum(self.counts @ self.facts_of_unit, 1)[..., None]
        end = len(self.hits) if recall is None or at else self._enough(recall, facts)
        times = self.counts[..., self.units[:end]]
        drawn = times.cumsum(-1)
        # recall rises at hits alone, so the areas need their points only, few of a long list
        hits = np.flatnonzero(self.hits[:end])
        weight, ranks = times[..., hits], drawn[..., hits]
        tp = weight.cumsum(-1)
        p, before = ratio(tp, ranks, undefined=0.0), ratio(tp - weight, ranks - weight, undefined=0.0)
        begun, short = (tp - weight) / facts < limit, tp / facts < limit
        steps = weight * begun / facts  # what lies behind the cut adds nothing
        first = ranks == weight  # of what is drawn: no point of the curve before it
        between = (steps * np.where(first, 0.0, p + before)).sum(-1) / 2
        anchored = between + (steps * np.where(first, p, 0.0)).sum(-1)
        # F1 is highest where the tie of a hit ends, or at the hit that reaches the recall
        cuts = np.append(np.flatnonzero(self.cuts[: end - 1]), end - 1)
        ends = cuts[np.searchsorted(cuts, hits)]
        last = np.searchsorted(hits, ends, side="right") - 1  # of the hits up to each end
        f1 = short[..., last] * 2 * tp[..., last] / (drawn[..., ends] + facts)
        reaching = (begun & ~short) * 2 * tp / (ranks + facts)
        best = np.maximum(f1, reaching).max(-1, initial=0.0)
        measures = np.stack([between, anchored, (steps * p).sum(-1), best], axis=-1)
        if recall is not None:
            measures = np.where((~short).any(-1, keepdims=True), measures, np.nan)
        single = []
        for n in at:
            taken = times * (drawn - times < n)  # up to the first point that reaches n
            share = ratio(taken @ self.hits, taken.sum(-1))
            single.append(np.where(times.sum(-1) >= n, share, np.nan)[..., None])
        return np.concatenate([measures, *single], axis=-1)

    def _enough(self, recall: float, facts: np.ndarray) -> int:
        """So many of the first facts that every replicate reaches the recall; all if these are too few."""
        rises = self.hits.cumsum()
        tried = min(2 * int(np.searchsorted(rises, recall * self.facts_of_unit.sum())) + 1, len(rises))
        n_hits = self.counts[..., self.units[:tried]] @ self.hits[:tried]
        return tried if (n_hits[..., None] >= recall * facts).all() else len(self.hits)
