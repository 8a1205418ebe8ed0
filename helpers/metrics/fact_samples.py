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
        ties. P@N is the
        precision at the first point that reaches N facts, nan if none does.

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
        facts = np.maximum(self.counts @ self.facts_of_unit, 1)[..., None]
        end = len(self.hits) if recall is None or at else self._enough(recall, facts)
        # recall rises at hits alone, so the areas need their points only, few of a long list
        drawn = self.counts[..., self.units[:end]].cumsum(-1)
        hits = np.flatnonzero(self.hits[:end])
        weight, ranks = self.counts[..., self.units[hits]], drawn[..., hits]
        tp = weight.cumsum(-1)
        p, before = ratio(tp, ranks, undefined=0.0), ratio(tp - weight, ranks - weight, undefined=0.0)
        steps = weight / facts
        if recall is not None:  # what lies behind the cut adds nothing
            steps = steps * ((tp - weight) / facts < recall - 1e-12)
        first = ranks == weight  # of what is drawn: no point of the curve before it
        between = (steps * np.where(first, 0.0, p + before)).sum(-1) / 2
        anchored = between + (steps * np.where(first, p, 0.0)).sum(-1)
        best = self._best_f1(hits, drawn, tp, facts, recall)
        measures = np.stack([between, anchored, (steps * p).sum(-1), best], axis=-1)
        if recall is not None:
            reached = tp[..., -1:] / facts >= recall - 1e-12 if len(hits) else False
            measures = np.where(reached, measures, np.nan)
        single = [self._precision_at(n, hits, drawn, tp)[..., None] for n in at]
        return np.concatenate([measures, *single], axis=-1)

    def _best_f1(
        self, hits: np.ndarray, drawn: np.ndarray, tp: np.ndarray, facts: np.ndarray, recall: float | None
    ) -> np.ndarray:
        """(...) the largest F1 of all cuts; behind the hits of a tie, as between two cuts it only falls."""
        cuts = np.flatnonzero(self.cuts[: drawn.shape[-1]])
        behind = np.searchsorted(cuts, hits)
        ends = np.unique(cuts[behind[behind < len(cuts)]])
        last = np.searchsorted(hits, ends, side="right") - 1  # of the hits up to each end
        f1 = 2 * tp[..., last] / (drawn[..., ends] + facts)
        if recall is not None:  # a tie that is cut ends there
            weight = np.diff(tp, axis=-1, prepend=0)
            earlier = tp[..., last] - np.where(hits[last] == ends, weight[..., last], 0)
            f1 = f1 * (earlier / facts < recall - 1e-12)
            reaching = (tp / facts >= recall - 1e-12) & ((tp - weight) / facts < recall - 1e-12)
            f1 = np.concatenate([f1, reaching * 2 * tp / (drawn[..., hits] + facts)], axis=-1)
        return f1.max(-1, initial=0.0)

    def _enough(self, recall: float, facts: np.ndarray) -> int:
        """So many of the first facts that every replicate reaches the recall; all if these are too few."""
        rises = self.hits.cumsum()
        tried = 2 * int(np.searchsorted(rises, recall * self.facts_of_unit.sum())) + 1
        n_hits = self.counts[..., self.units[:tried]] @ self.hits[:tried]
        return tried if (n_hits[..., None] >= recall * facts).all() else len(self.hits)

    @staticmethod
    def _precision_at(n: int, hits: np.ndarray, drawn: np.ndarray, tp: np.ndarray) -> np.ndarray:
        point = (drawn < n).sum(-1)
        reached = point < drawn.shape[-1]
        up_to = np.searchsorted(hits, point, side="right")
        padded = np.concatenate([np.zeros((*tp.shape[:-1], 1), tp.dtype), tp], axis=-1)
        right = np.take_along_axis(padded, up_to[..., None], -1)[..., 0]
        chosen = np.minimum(point, drawn.shape[-1] - 1)[..., None]
        return np.where(reached, right / np.maximum(np.take_along_axis(drawn, chosen, -1)[..., 0], 1), np.nan)
