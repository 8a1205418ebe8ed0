"""How good is a ranked list of facts, and how sure is that? Held-out evaluation of distant supervision.

A system ranks facts (head, tail, relation), the most certain first; some of them are among the true ones.
All measures are functions of how many of the first i are true, so published precision–recall lists can be
scored as well as scores of our own. An entity pair without a relation only brings false alarms; a true fact
that is nowhere in the list still counts in the recall.

Source: Gao et al. 2021 and the evaluation of OpenNRE that they used. Three areas go by the name of AUC: see
`FactRanking.auc`. Equal scores (a tie) keep their order, as in OpenNRE; a threshold takes all or none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from ..core import Label
from .counting import checked_labels
from .outcome import Outcome, positions
from .scores import ClassCounts, ratio

FACT_MEASURES = ("auc", "auc_anchored", "average_precision", "micro_f1")
AREAS = ("points", "anchored", "step")
PRECISION_AT = (100, 200, 300)


class CurveFault(ValueError):
    """A point (from 0, as it was given) of a published curve, and what is wrong with its column."""

    def __init__(self, point: int, column: str, reason: str) -> None:
        super().__init__(f"point {point + 1}: {reason}")
        self.point, self.column, self.reason = point, column, reason


@dataclass(frozen=True, eq=False)
class FactRanking:
    """How many of the first facts of a ranked list are true.

    Attributes
    ----------
    ranks : (M,) rising, the ranks of which it is known, 1 to N for a whole list. true_positives : (M,) true
        facts among the first so many. facts : number of true facts, found or not.
    scores : (M,) the score of the fact at each of these ranks, not rising, or None.
    hits : (N,) bool of a whole list, or None. relations : (N,) of a whole list, positions into `labels`, or
        None. labels : of the relations, without the negative class.
    facts_of_relation : (L,) true facts of each label, or None where it is not known.

    >>> ranking = FactRanking.from_scores([0.9, 0.2, 0.5], [True, False, True], facts=3)
    >>> ranking.true_positives.tolist(), ranking.precision.round(4).tolist(), ranking.recall.round(4).tolist()
    ([1, 2, 2], [1.0, 1.0, 0.6667], [0.3333, 0.6667, 0.6667])
    """

    ranks: np.ndarray
    true_positives: np.ndarray
    facts: int
    scores: np.ndarray | None = None
    hits: np.ndarray | None = None
    relations: np.ndarray | None = None
    labels: tuple[Label, ...] = ()
    facts_of_relation: np.ndarray | None = None

    @classmethod
    def from_scores(
        cls,
        scores: Any,
        hits: Any,
        facts: int | None = None,
        relations: Any = None,
        labels: Iterable[Label] = (),
        facts_of_relation: Any = None,
    ) -> FactRanking:
        """Rank facts by score, the highest first; equal scores keep their order, as in OpenNRE.

        Parameters
        ----------
        scores, hits, relations : (N,) of each fact; relations as positions into `labels`.
        facts : true facts, those that are not among the N included; None: Σ `facts_of_relation`, or Σ hits.

        Raises
        ------
        ValueError : columns of different length, a score that is no finite number, more hits than facts (of a
            relation), a position outside of the labels.
        """
        scores, hits = np.asarray(scores), np.asarray(hits).astype(bool, copy=False)
        if scores.ndim != 1 or scores.shape != hits.shape:
            raise ValueError(f"scores has shape {scores.shape}, hits {hits.shape}: one of each for a fact")
        if not np.isfinite(scores).all():
            index = int(np.isfinite(scores).argmin())
            raise ValueError(f"scores[{index}] is {scores[index]}: every fact needs a finite score")
        order = np.argsort(-scores.astype(float, copy=False), kind="stable")
        hits, names = hits[order], checked_labels(labels) if labels else ()
        if facts_of_relation is not None:
            facts_of_relation = np.asarray(facts_of_relation)
            facts = int(facts_of_relation.sum()) if facts is None else facts
        if relations is not None:
            relations = np.asarray(relations)
            if relations.shape != hits.shape:
                raise ValueError(f"relations has shape {relations.shape}: one for each of {len(hits)} facts")
            relations = relations[order]
            _check_relations(relations, hits, len(names), facts_of_relation)
        ranks, tp = np.arange(1, len(hits) + 1), hits.cumsum()
        facts = _checked_facts(facts, tp)
        return cls(ranks, tp, facts, scores[order], hits, relations, names, facts_of_relation)

    @classmethod
    def from_matrix(cls, scores: Any, gold: Any, labels: Sequence[Label], negative: Label) -> FactRanking:
        """Rank every pair with every relation but the negative class.

        Parameters
        ----------
        scores : (B, L) of each entity pair and relation. gold : (B, L) 0/1. labels : L names, one of them
            `negative`.

        >>> ranking = FactRanking.from_matrix(
        ...     [[0.1, 0.9], [0.6, 0.4]], [[0, 1], [1, 0]], ["NA", "born in"], negative="NA"
        ... )
        >>> ranking.true_positives.tolist(), ranking.facts
        ([1, 1], 1)
        """
        scores, gold = np.asarray(scores), np.asarray(gold)
        if scores.ndim != 2 or scores.shape != gold.shape or scores.shape[1] != len(labels):
            shapes = f"scores has shape {scores.shape}, gold {gold.shape}"
            raise ValueError(f"{shapes}: a row for each pair, a column for each of {len(labels)} labels")
        kept = np.delete(np.arange(len(labels)), positions([negative], labels, "negative"))
        scores, hits = scores[:, kept], gold[:, kept] != 0
        relations = np.broadcast_to(np.arange(len(kept), dtype=np.int32), hits.shape)
        names = [labels[code] for code in kept.tolist()]
        return cls.from_scores(scores.ravel(), hits.ravel(), None, relations.ravel(), names, hits.sum(axis=0))

    @classmethod
    def from_curve(cls, precision: Any, recall: Any, facts: int, scores: Any = None) -> FactRanking:
        """The list behind a published precision–recall curve, one point a rank.

        precision_i · i and recall_i · facts are both the number of true facts among the first i, up to the
        rounding of the file. A curve that begins at a later rank, or that lacks ranks (equal scores), is
        known at its own ranks only. A curve of falling recall, as scikit-learn writes it, is turned round
        (`curve_order`), its scores with it; they are then one for each point that is left.

        Raises CurveFault, which names the point as it was given, where precision and recall contradict each
        other or the score is above that of the rank before.

        >>> ranking = FactRanking.from_curve([0.0, 0.5, 0.666667], [0.0, 0.000513, 0.001026], facts=1950)
        >>> ranking.true_positives.tolist()
        [0, 1, 2]
        """
        precision, recall = np.asarray(precision, dtype=float), np.asarray(recall, dtype=float)
        if precision.ndim != 1 or precision.shape != recall.shape:
            raise ValueError(f"precision has shape {precision.shape}, recall {recall.shape}: one a point")
        order = cls.curve_order(precision, recall)
        precision, recall = precision[order], recall[order]
        tp = np.rint(recall * facts).astype(np.int64)
        ranks = np.rint(np.divide(tp, precision, out=np.zeros(len(tp)), where=precision > 0))
        before = np.flatnonzero(tp == 0)
        first = int(ranks[len(before)]) if len(before) < len(ranks) else len(before) + 1
        ranks[before] = first - len(before) + before
        fits = np.isclose(ranks * precision, tp, atol=0.05) & np.isclose(recall * facts, tp, atol=0.05)
        rising = np.diff(ranks, prepend=0) > 0
        fits &= rising & (np.diff(tp, prepend=0) >= 0) & (tp <= ranks)
        if not fits.all():
            point = int(np.flatnonzero(~fits)[0])
            said = f"precision {precision[point]:g} and recall {recall[point]:g}"
            raise CurveFault(int(order[point]), "precision", f"{said} of {facts} facts fit no rank")
        values = None if scores is None else _falling_scores(scores, order)
        whole = np.array_equal(ranks, np.arange(1, len(ranks) + 1))
        hits = np.diff(tp, prepend=0).astype(bool) if whole else None
        return cls(ranks.astype(np.int64), tp, _checked_facts(facts, tp), values, hits)

    @staticmethod
    def curve_order(precision: Any, recall: Any) -> np.ndarray:
        """The points of a precision–recall curve in the order of ranks, as positions.

        Of falling recall, as scikit-learn writes curves, they are turned round, without the last one if that
        is scikit-learn's precision 1 at recall 0: no list has such a rank, and 'anchored' has its piece.

        >>> FactRanking.curve_order([0.67, 0.5, 1.0, 1.0], [1.0, 0.5, 0.5, 0.0]).tolist()
        [2, 1, 0]
        """
        places = np.arange(len(recall))
        if len(places) < 2 or recall[0] <= recall[-1]:
            return places
        return places[: -1 if recall[-1] == 0 and precision[-1] > 0 else None][::-1]

    def __len__(self) -> int:
        """N, the facts in the list."""
        return int(self.ranks[-1]) if len(self.ranks) else 0

    @property
    def precision(self) -> np.ndarray:
        """(M,) TP_i / i at each known rank."""
        return self.true_positives / self.ranks

    @property
    def recall(self) -> np.ndarray:
        """(M,) TP_i / facts; 0 where there are no facts."""
        return self.true_positives / max(self.facts, 1)

    @cached_property
    def cuts(self) -> np.ndarray:
        """(M,) bool, whether a threshold can cut after each rank: where a tie ends, and at the list's end.

        >>> FactRanking.from_scores([0.9, 0.5, 0.5], [True, True, False], facts=2).cuts.tolist()
        [True, False, True]
        """
        cuts = np.ones(len(self.ranks), dtype=bool)
        if self.scores is not None:
            cuts[:-1] = self.scores[1:] < self.scores[:-1]
        return cuts

    def completed(self) -> FactRanking:
        """The list at every rank: true facts at ranks that are not known stand as far down as they can.

        Up to such a piece and from its end on nothing changes; within it, precision is at least that.

        >>> FactRanking.from_curve([0.5, 0.6], [0.1, 0.3], facts=10).completed().hits.tolist()
        [False, True, False, True, True]
        """
        if self.hits is not None:
            return self
        new = np.diff(self.true_positives, prepend=0)
        hits, behind_cut = np.zeros((2, len(self)), dtype=bool)
        behind_cut[self.ranks[self.cuts][:-1]] = True
        for rank, count in zip(self.ranks[new > 0].tolist(), new[new > 0].tolist(), strict=True):
            hits[rank - count : rank] = True
        # scores that tie where no threshold is known to cut
        return FactRanking.from_scores(-behind_cut.cumsum(), hits, self.facts)

    def until(self, recall: float | None) -> FactRanking:
        """The list up to the first rank that reaches a recall: lists that stop early can be compared there.

        A tie that is cut ends there, for thresholds of the new list. None: the whole list.
        Raises ValueError for a recall outside (0, 1], and for a list that never reaches it.

        >>> FactRanking.from_scores([3, 2, 1], [True, False, True], facts=4).until(0.25).ranks.tolist()
        [1]
        """
        if recall is None:
            return self
        if not 0 < recall <= 1:
            raise ValueError(f"recall is {recall!r}: it has to be above 0 and at most 1, e.g. 0.2")
        reached = np.flatnonzero(self.recall >= recall - 1e-12)
        if not len(reached):
            raise ValueError(f"the list ends at recall {self.recall[-1] if len(self.ranks) else 0:.4g}")
        columns = ("ranks", "true_positives", "scores", "hits", "relations")  # of a whole list all are long
        known = {name: getattr(self, name) for name in columns if getattr(self, name) is not None}
        return replace(self, **{name: column[: reached[0] + 1] for name, column in known.items()})

    def auc(self, area: str = "points") -> float:
        """The area under the precision–recall curve; nan for an empty list.

        With p_j and r_j at the j-th known rank: 'points' Σ_{j ≥ 2} (r_j − r_{j−1}) (p_j + p_{j−1}) / 2, the
        trapezoids between the points, as OpenNRE and the papers have it; 'anchored' adds r_1 · p_1, the piece
        between recall 0 and the first point; 'step' is average precision, Σ_j (r_j − r_{j−1}) p_j with
        r_0 = 0.

        Raises ValueError for another name.

        >>> ranking = FactRanking.from_scores([3, 2, 1], [True, False, True], facts=2)
        >>> [round(ranking.auc(area), 4) for area in ("points", "anchored", "step")]
        [0.2917, 0.7917, 0.8333]
        """
        if area not in AREAS:
            raise ValueError(f"area is {area!r}: give one of {', '.join(AREAS)}")
        if not len(self.ranks):
            return float("nan")
        p, steps = self.precision, np.diff(self.recall, prepend=0)
        if area == "step":
            return float(steps @ p)
        return float(steps[1:] @ (p[1:] + p[:-1]) / 2 + (steps[0] * p[0] if area == "anchored" else 0.0))

    def best_f1(self) -> tuple[float, int, float | None]:
        """The highest micro-F1 over all thresholds, the first rank that has it, its score (the threshold).

        F at rank i is 2 · TP_i / (i + facts), at the known ranks at which a tie ends (`cuts`): it is that of
        all facts with at least that score. OpenNRE takes every rank, also inside a tie: equal without ties,
        else as high or higher. (nan, 0, None) for an empty list.

        >>> FactRanking.from_scores([0.9, 0.5, 0.5], [True, True, False], facts=2).best_f1()
        (0.8, 3, 0.5)
        """
        if not len(self.ranks):
            return float("nan"), 0, None
        here = np.flatnonzero(self.cuts)
        f1 = 2 * self.true_positives[here] / (self.ranks[here] + self.facts)
        point = here[f1.argmax()]
        threshold = None if self.scores is None else float(self.scores[point])
        return float(f1.max()), int(self.ranks[point]), threshold

    def measures(self, at: Iterable[int] = PRECISION_AT) -> dict[str, float | None]:
        """All measures by name: three areas, the best micro-F1 with rank and threshold, P@N.

        >>> ranking = FactRanking.from_scores([3, 2, 1], [True, False, True], facts=2)
        >>> [ranking.measures(at=[1, 2])[name] for name in ("micro_f1", "P@1", "P@2")]
        [0.8, 1.0, 0.5]
        """
        scores: dict[str, float | None] = dict(zip(FACT_MEASURES[:3], map(self.auc, AREAS), strict=True))
        scores |= dict(zip(("micro_f1", "rank", "threshold"), self.best_f1(), strict=True))
        return scores | {f"P@{n}": self.precision_at(n) for n in at}

    def precision_at(self, n: int) -> float:
        """TP_n / n; nan beyond the end of the list, or at a rank that is not known.

        >>> FactRanking.from_scores([3, 2, 1], [True, False, True], facts=2).precision_at(2)
        0.5
        """
        point = np.searchsorted(self.ranks, n)
        known = point < len(self.ranks) and self.ranks[point] == n
        return float(self.true_positives[point] / n) if known else float("nan")

    def counts_until(self, rank: int) -> ClassCounts:
        """What is predicted of each relation up to a rank: for F under every scheme.

        The instances of the counts are facts. `averages(…, ["macro"])` counts relations without a true
        fact as 0, as OpenNRE does; `labels="supported"` leaves them out.

        Raises ValueError for a list without relations, or true facts of each relation.

        >>> ranking = FactRanking.from_scores(
        ...     [0.9, 0.5, 0.2], [True, False, True], None, [0, 1, 1], ["a", "b"], [1, 2]
        ... )
        >>> counts = ranking.counts_until(2)
        >>> counts.correct.tolist(), counts.predicted.tolist(), counts.gold.tolist()
        ([1, 0], [1, 1], [1, 2])
        >>> counts.n, counts.decision
        (4, 'rank<=2')
        """
        known = {name: getattr(self, name) for name in ("relations", "facts_of_relation", "hits")}
        if missing := [name for name, column in known.items() if column is None]:
            raise ValueError(f"{missing[0]} is not known of this list: it has no counts of single relations")
        relations, gold, hits = known.values()
        above, size = relations[:rank], len(self.labels)
        predicted, correct = (np.bincount(some, minlength=size) for some in (above, above[hits[:rank]]))
        n = len(self) + self.facts - int(hits.sum())
        return ClassCounts(correct, predicted, gold, n, self.labels, decision=f"rank<={rank}")

    def sample(self, units: Any = None, facts_of_unit: Any = None) -> FactSample:
        """The whole list as a sample of units, which can be drawn again; without units, every predicted and
        every missing fact is one by itself.

        Parameters
        ----------
        units : (N,) the unit of each fact, in the order of the list. facts_of_unit : (U,) its true facts.

        Raises ValueError for a list that is known at some of its ranks only, and for units that do not fit.
        """
        if self.hits is None:
            raise ValueError("the list is known at some of its ranks only: it cannot be drawn again")
        n, missing = len(self), self.facts - int(self.hits.sum())
        if units is None:
            units, facts_of_unit = np.arange(n), np.r_[self.hits, np.ones(missing)]
        units, facts_of_unit = np.asarray(units), np.asarray(facts_of_unit, dtype=np.int64)
        if units.shape != (n,) or (n and not 0 <= units.min() <= units.max() < len(facts_of_unit)):
            raise ValueError(f"units: expected {n} positions into {len(facts_of_unit)} units")
        if (total := int(facts_of_unit.sum())) != self.facts:
            raise ValueError(f"facts_of_unit adds up to {total}; the list is of {self.facts} facts")
        once = np.ones(len(facts_of_unit), dtype=np.int64)
        return FactSample({"facts": facts_of_unit}, once, (), hits=self.hits, units=units, cuts=self.cuts)


def _falling_scores(scores: Any, order: np.ndarray) -> np.ndarray:
    """Scores in the order of the ranks, checked; scikit-learn's thresholds are one fewer than its points."""
    values = np.asarray(scores, dtype=float)
    if values.ndim != 1 or len(values) <= order.max(initial=-1):
        raise ValueError(f"scores has shape {values.shape}: one for each of {len(order)} points")
    values = values[order]
    rises = np.flatnonzero(~(np.diff(values) <= 0))
    if len(rises):
        point = int(rises[0])
        said = f"score {values[point + 1]:g} is above {values[point]:g}, that of the rank before"
        raise CurveFault(int(order[point + 1]), "score", f"{said}; a ranked list falls")
    return values


def _checked_facts(facts: int | None, tp: np.ndarray) -> int:
    hits = int(tp[-1]) if len(tp) else 0
    facts = hits if facts is None else int(facts)
    if hits > facts:
        raise ValueError(f"facts is {facts}, but the list holds {hits} true ones")
    return facts


def _check_relations(relations: np.ndarray, hits: np.ndarray, size: int, facts: np.ndarray | None) -> None:
    """ValueError for a relation that is none of `size` labels, and for one with more hits than facts (L,)."""
    outside = (relations < 0) | (relations >= size)
    if outside.any():
        raise ValueError(f"relations holds {relations[outside][0]}; there are {size} labels")
    if facts is None:
        return
    if facts.shape != (size,):
        raise ValueError(f"facts_of_relation has shape {facts.shape}; there are {size} labels")
    more = np.bincount(relations[hits], minlength=size) > facts
    if more.any():
        code = int(more.argmax())
        raise ValueError(f"facts_of_relation[{code}] is {facts[code]}: the list holds more hits of it")


@dataclass(frozen=True, eq=False)
class FactSample(Outcome):
    """A whole ranked list as a sample of units that can be drawn again: for `bootstrap_intervals`.

    A unit is an entity pair (or a sentence), with all that is predicted of it and all its true facts.

    Attributes
    ----------
    roles : 'facts' (U,), true facts of each unit, found or not. counts : (..., U) draws of each unit; leading
        axes are replicates.
    hits, units : (N,) of each predicted fact, the most certain first: is it true, and which unit is it of?
    cuts : (N,) bool, whether a threshold can cut after it (`FactRanking.cuts`).

    >>> sample = FactRanking.from_scores([3, 2, 1], [True, False, True], facts=4).sample()
    >>> len(sample.facts_of_unit), sample.scores().round(4).tolist()[:2]
    (5, [0.1458, 0.3958])
    """

    hits: np.ndarray = field(kw_only=True)
    units: np.ndarray = field(kw_only=True)
    cuts: np.ndarray = field(kw_only=True)

    @property
    def replicate_entries(self) -> int:
        """How many numbers a replicate takes while it is scored."""
        return len(self.hits) + 8 * int(self.hits.sum()) + len(self.facts_of_unit)

    @property
    def facts_of_unit(self) -> np.ndarray:
        """(U,) true facts of each unit, found or not."""
        return self.roles["facts"]

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
        >>> cut, whole = ranking.until(0.5).sample(), ranking.sample()
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
