"""The outcome of a run as its file holds it: rows of counts of one of four kinds.

Single labels, paired samples (or two systems side by side), label sets, ranked facts. Each knows how its rows
become what the metrics take; `rows_of` is the way back.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import zip_longest
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, Strict
from pydantic.dataclasses import dataclass

from ..core import Label, shown, visible
from ..metrics import FactRanking, MultilabelOutcome, Outcome, RankingOutcome

LIMIT = 2**53
"""Counts, and their sum, stay below: every program that reads JSON numbers as doubles gets them exactly."""
MAX_LABELS = 5_000
"""Of single labels."""
MAX_DEPTH = 1_000
MAX_LENGTH = 1 << 26

record = partial(dataclass, frozen=True, kw_only=True, config={"extra": "forbid", "populate_by_name": True})


Count = Annotated[int, Strict(), Field(ge=0, lt=LIMIT)]
Position = Count
"""Of a label in the list of labels."""
Positions = tuple[Position, ...]
Rank = Annotated[int, Strict(), Field(ge=1, le=MAX_LENGTH)]


@record
class ConfusionRows:
    """`rows` : [gold, predicted, count], positions into the labels; entries that are missing are 0."""

    kind: Literal["confusion"] = "confusion"
    rows: tuple[tuple[Position, Position, Count], ...]
    COUNTED: ClassVar = ("rows",)

    def counted(self, labels: Sequence[Label]) -> Outcome:
        """The table over these labels."""
        return _single(self.rows, labels, ("gold", "predicted"))


@record
class _PairedRows:
    """`rows` : [gold, predicted, other, count].

    `other` : the prediction on the 'paired sentence', or that of a 'second system', which `second` names.
    """

    kind: Literal["paired"] = "paired"
    other: Literal["paired sentence", "second system"] = "paired sentence"
    second: str = ""
    rows: tuple[tuple[Position, Position, Position, Count], ...]
    COUNTED: ClassVar = ("rows",)

    def counted(self, labels: Sequence[Label]) -> Outcome:
        """The table over these labels. Raises ValueError if `second` does not fit `other`."""
        if bool(self.second) != (self.other == "second system"):
            raise ValueError(f"outcome.second is {shown(self.second)}; other is {self.other!r}")
        return _single(self.rows, labels, ("gold", "predicted", "second" if self.second else "paired"))


@record
class _LabelSetRows:
    """Of a classifier that gives label sets; or of two on the same instances.

    Attributes
    ----------
    ranking : [number of gold labels, [ranks of the hits, from 1], count], ranks up to `depth`.
    sets : [gold set, predicted set, count], sets as positions into the labels. decision : what was predicted.
    pairs : [gold set, predicted set, set predicted by `second`, count], in place of `sets`.
    train_support : training instances of each label.
    """

    kind: Literal["label_sets"] = "label_sets"
    decision: str = "given"
    second: str = ""
    depth: Annotated[int, Strict(), Field(ge=1, le=MAX_DEPTH)] | None = None
    train_support: tuple[Count, ...] | None = None
    ranking: tuple[tuple[Count, tuple[Count, ...], Count], ...] = ()
    sets: tuple[tuple[Positions, Positions, Count], ...] = ()
    pairs: tuple[tuple[Positions, Positions, Positions, Count], ...] = ()
    COUNTED: ClassVar = ("ranking", "sets", "pairs")

    def counted(self, labels: Sequence[Label]) -> MultilabelOutcome | Outcome:
        """The outcome over these labels; of two classifiers, the `Outcome` of gold, predicted and second."""
        if self.train_support is not None and len(self.train_support) != len(labels):
            counts = f"{len(self.train_support)} counts for {len(labels)} labels"
            raise ValueError(f"outcome.train_support has {counts}")
        if self.second:
            if self.ranking or self.sets or self.depth:
                raise ValueError("outcome.second is given: expected pairs, and no ranking, sets or depth")
            roles = ("gold", "predicted", "second")
            return _built("pairs", Outcome.from_rows, self.pairs, labels, roles, self.decision)
        if self.pairs or self.depth is None:
            raise ValueError("outcome.second is empty: expected depth, ranking and sets, and no pairs")
        sets = _built("sets", Outcome.from_rows, self.sets, labels, ("gold", "predicted"), self.decision)
        ranking = _built("ranking", RankingOutcome.from_rows, self.ranking, self.depth, labels)
        if sets.n != ranking.n:
            raise ValueError(f"outcome.sets holds {sets.n} instances, outcome.ranking {ranking.n}")
        return MultilabelOutcome(ranking, sets.per_class(), sets)


def _single(rows: Sequence[tuple], labels: Sequence[Label], roles: Sequence[str]) -> Outcome:
    if len(labels) > MAX_LABELS:
        raise ValueError(f"labels holds {len(labels)} labels; expected at most {MAX_LABELS}")
    return _built("rows", Outcome.from_rows, rows, labels, roles)


def _built(name: str, make: Any, *arguments: Any) -> Any:
    """What `make` gives; its messages, which name a row, get the key in the file."""
    try:
        return make(*arguments)
    except ValueError as error:
        raise ValueError(f"outcome.{name}{visible(str(error).removeprefix('rows'), 200)}") from None


@record
class RankedFacts:
    """Of distant supervision: predicted facts, the most certain first, and which of them are true.

    Attributes
    ----------
    level : 'bag', a fact is (head, tail, relation), or 'sentence', it is (sentence, relation).
    facts : number of true facts, in the list or not. length : number of predicted facts.
    hit_ranks : rising, the rank (from 1) of each that is true.
    unknown : [first, last] ranks, rising, at which it is not known how many are true so far: a published
        curve may begin late, and equal scores share a point. A true fact there has the next known rank.
    scores : of each predicted fact, not rising. relations : of each, positions into the labels.
    pairs : of each, the number of its entity pair (or sentence), the same for every system on the data.
    facts_of_relation : number of true facts of each label.

    >>> RankedFacts(level="bag", facts=3, length=3, hit_ranks=(1, 3)).ranking().true_positives.tolist()
    [1, 1, 2]
    """

    kind: Literal["facts"] = "facts"
    level: Literal["bag", "sentence"]
    facts: Count
    facts_of_relation: tuple[Count, ...] | None = None
    length: Annotated[int, Strict(), Field(ge=0, le=MAX_LENGTH)]
    hit_ranks: tuple[Rank, ...]
    unknown: tuple[tuple[Rank, Rank], ...] = ()
    relations: Positions | None = None
    pairs: tuple[Count, ...] | None = None
    scores: tuple[Annotated[float, Strict(), Field(allow_inf_nan=False)], ...] | None = None
    COUNTED: ClassVar = ()

    @classmethod
    def from_ranking(
        cls,
        ranking: FactRanking,
        level: Literal["bag", "sentence"] = "bag",
        labels: Sequence[Label] | None = None,
        pairs: Iterable[int] | None = None,
        decimals: int | None = None,
    ) -> RankedFacts:
        """A ranking as a run file holds it; of one that is known at some ranks only, no columns are kept.

        Parameters
        ----------
        labels : of the run, those of the ranking among them; None: the ranking's.
        pairs : the number of the pair of each fact, in the order of the list.
        decimals : of the scores, which take most of the file; None: as they are. Hits are not touched.

        Raises ValueError if a label of the ranking is not among `labels`.

        >>> ranking = FactRanking.from_curve([0.5, 0.6], [0.1, 0.3], facts=10)
        >>> kept = RankedFacts.from_ranking(ranking)
        >>> kept.length, kept.hit_ranks, kept.unknown
        (5, (2, 5, 5), ((1, 1), (3, 4)))
        """
        names = ranking.labels if labels is None else tuple(labels)
        if strangers := [label for label in ranking.labels if label not in names]:
            raise ValueError(f"label {shown(strangers[0])} of the ranking is not among the labels of the run")
        positions = np.array([names.index(label) for label in ranking.labels], dtype=np.int64)
        columns: dict[str, Any] = {"unknown": _unknown(ranking.ranks)}
        if not columns["unknown"]:
            columns["pairs"] = None if pairs is None else tuple(map(int, pairs))
            if ranking.relations is not None:
                columns["relations"] = tuple(positions[ranking.relations].tolist())
            if ranking.scores is not None:
                scores = ranking.scores.astype(float)
                columns["scores"] = tuple((scores if decimals is None else scores.round(decimals)).tolist())
        if ranking.facts_of_relation is not None:
            counts = np.zeros(len(names), dtype=np.int64)
            counts[positions] = ranking.facts_of_relation
            columns["facts_of_relation"] = tuple(counts.tolist())
        hit_ranks = tuple(np.repeat(ranking.ranks, np.diff(ranking.true_positives, prepend=0)).tolist())
        return cls(level=level, facts=ranking.facts, length=len(ranking), hit_ranks=hit_ranks, **columns)

    def counted(self, labels: Sequence[Label]) -> RankedFacts:
        """Itself, if its list is written so. Raises ValueError that names the entry that is another one."""
        for name in ("relations", "pairs", "scores"):
            column = getattr(self, name)
            if column and self.unknown:
                raise ValueError(f"outcome.unknown is given: expected no {name}")
            if column is not None and len(column) != self.length:
                raise ValueError(f"outcome.{name} has {len(column)} entries, outcome.length is {self.length}")
        written = RankedFacts.from_ranking(self.ranking(labels), self.level, labels)
        for name in ("scores", "unknown", "hit_ranks"):
            both = zip_longest(getattr(self, name) or (), getattr(written, name) or ())
            for index, (stated, fits) in enumerate(both):
                if stated != fits:
                    raise ValueError(f"outcome.{name}[{index}] is {stated}: expected {fits}, {_RULE}")
        return self

    def ranking(self, labels: Sequence[Label] = (), negative: Label | None = None) -> FactRanking:
        """The list for the metrics.

        Parameters
        ----------
        labels : of the run, which the positions of relations point into. negative : the class among them that
            is never a fact, and is left out of the ranking's labels.

        Raises ValueError for ranks that contradict each other, a position outside the labels, a fact of the
        negative class, and more hits than facts (of a relation).

        >>> columns = {"length": 2, "hit_ranks": (1,), "relations": (1, 2), "scores": (0.9, 0.5)}
        >>> RankedFacts(level="bag", facts=2, **columns).ranking(["NA", "r", "s"], "NA").labels
        ('r', 's')
        """
        ranks, hits_so_far = self._known()
        kept = np.array([index for index, label in enumerate(labels) if label != negative], dtype=np.int64)
        relations, counts = self.relations, self.facts_of_relation
        if relations is not None:
            for index in np.flatnonzero(~np.isin(relations, kept)):
                said = f"outcome.relations[{index}] is {relations[index]}"
                raise ValueError(f"{said}, the negative class or none of the {len(labels)} labels")
            relations = np.searchsorted(kept, relations)
        if counts is not None:
            if len(counts) != len(labels) or np.array(counts)[kept].sum() != self.facts:
                expected = f"expected {len(labels)} that add up to {self.facts}, 0 of the negative class"
                raise ValueError(f"outcome.facts_of_relation is {shown(counts)}: {expected}")
            counts = np.array(counts, dtype=np.int64)[kept]
        names = () if relations is None and counts is None else tuple(labels[index] for index in kept)
        if self.unknown:
            return FactRanking(ranks, hits_so_far, self.facts, labels=names, facts_of_relation=counts)
        scores = -ranks if self.scores is None else np.array(self.scores)
        hits = np.diff(hits_so_far, prepend=0)
        try:
            made = FactRanking.from_scores(scores, hits, self.facts, relations, names, counts)
        except ValueError as error:
            raise ValueError(f"outcome.{error}") from None
        return made if self.scores is not None else replace(made, scores=None)

    def _known(self) -> tuple[np.ndarray, np.ndarray]:
        """The ranks at which it is known how many facts are true so far, and how many are as far as there is
        room for them."""
        known = np.ones(self.length, dtype=bool)
        for first, last in self.unknown:
            known[first - 1 : last] = False
        ranks = np.flatnonzero(known) + 1
        hits_so_far = np.searchsorted(np.sort(np.array(self.hit_ranks, dtype=np.int64)), ranks, side="right")
        if len(self.hit_ranks) > self.facts:
            hits = f"{len(self.hit_ranks)} hits; outcome.facts is {self.facts}"
            raise ValueError(f"outcome.hit_ranks holds {hits}")
        # each known rank has room for itself and for the ranks before it that are not known
        new = np.minimum(np.diff(hits_so_far, prepend=0), np.diff(ranks, prepend=0))
        return ranks, new.cumsum()


_RULE = "as ranks rise, hits are at known ranks, pieces do not touch, and scores fall"


def _unknown(ranks: np.ndarray) -> tuple[tuple[int, int], ...]:
    """The pieces [first, last] of ranks between those that are known."""
    before = np.r_[0, ranks[:-1]]
    late = ranks - before > 1
    return tuple(zip((before[late] + 1).tolist(), (ranks[late] - 1).tolist(), strict=True))


Rows = Annotated[ConfusionRows | _PairedRows | _LabelSetRows | RankedFacts, Field(discriminator="kind")]
KINDS = ("confusion", "paired", "label_sets", "facts")
AnyOutcome = Outcome | MultilabelOutcome | RankedFacts


def rows_of(outcome: AnyOutcome, second: str = "", train_support: Iterable[int] | None = None) -> Any:
    """The outcome as a run file holds it; see `Run.from_outcome`."""
    if second and "second" not in getattr(outcome, "roles", ()):
        raise ValueError(f"the outcome is of one system; second is {second!r}")
    match outcome:
        case RankedFacts():
            return outcome
        case Outcome() if outcome.decision is not None:
            return _LabelSetRows(second=second, decision=outcome.decision, pairs=outcome.to_rows())
        case Outcome() if len(outcome.roles) == 2:
            return ConfusionRows(rows=outcome.to_rows())
        case Outcome():
            other = "second system" if "second" in outcome.roles else "paired sentence"
            return _PairedRows(other=other, second=second, rows=outcome.to_rows())
    if outcome.sets is None:
        raise ValueError("outcome has no label sets: make it with keep_sets=True")
    return _LabelSetRows(
        decision=outcome.sets.decision,
        depth=outcome.ranking.depth,
        train_support=None if train_support is None else tuple(train_support),
        ranking=outcome.ranking.to_rows(),
        sets=outcome.sets.to_rows(),
    )
