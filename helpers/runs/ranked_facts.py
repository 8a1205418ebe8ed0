"""The outcome of distant supervision in a run file: a ranked list of facts, and which of them are true."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field, Strict

from ..core import Label, shown
from ..metrics import FactRanking
from .fields import Count, Place, record

MAX_LENGTH = 1 << 26
Rank = Annotated[int, Strict(), Field(ge=1, le=MAX_LENGTH)]


@record
class RankedFacts:
    """Of distant supervision: predicted facts, the most certain first, and which of them are true.

    Which are true is said by `hits`, or, in fewer characters, by `length` and `hit_ranks`.

    Attributes
    ----------
    level : 'bag', a fact is (head, tail, relation), or 'sentence', it is (sentence, relation).
    facts : number of true facts, found or not. hits : 1 for each predicted fact that is true, else 0.
    length : number of predicted facts. hit_ranks : rising, the rank (from 1) of each that is true. unknown :
        [first, last] ranks, rising, at which it is not known how many are true so far: a published curve may
        begin late, and equal scores share a point. A true fact there has the next known rank.
    scores : of each predicted fact, not rising. relations : of each, positions into the labels.
    pairs : of each, the number of its entity pair (or sentence), the same for every system on the data.
    facts_of_relation : number of true facts of each label.

    >>> RankedFacts(level="bag", facts=3, hits=(1, 0, 1), scores=(0.9, 0.5, 0.5)).counted(["NA", "r"]).facts
    3
    >>> RankedFacts(level="bag", facts=3, length=3, hit_ranks=(1, 3)).ranking().found.tolist()
    [1, 1, 2]
    """

    kind: Literal["facts"] = "facts"
    level: Literal["bag", "sentence"]
    facts: Count
    facts_of_relation: tuple[Count, ...] | None = None
    length: Annotated[int, Strict(), Field(ge=0, le=MAX_LENGTH)] | None = None
    hits: tuple[Annotated[int, Strict(), Field(ge=0, le=1)], ...] | None = None
    hit_ranks: tuple[Rank, ...] | None = None
    unknown: tuple[tuple[Rank, Rank], ...] = ()
    relations: tuple[Place, ...] | None = None
    pairs: tuple[Place, ...] | None = None
    scores: tuple[Annotated[float, Strict(), Field(allow_inf_nan=False)], ...] | None = None
    COUNTED: ClassVar[dict[str, str]] = {}

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
        places = [names.index(label) for label in ranking.labels]
        before = np.r_[0, ranking.ranks[:-1]]
        late = np.flatnonzero(ranking.ranks - before > 1)
        columns: dict[str, Any] = {}
        if not len(late):
            columns["pairs"] = None if pairs is None else tuple(map(int, pairs))
            if ranking.relations is not None:
                columns["relations"] = tuple(places[at] for at in ranking.relations.tolist())
            if ranking.scores is not None:
                scores = ranking.scores.astype(float)
                scores = scores if decimals is None else scores.round(decimals)
                columns["scores"] = tuple(scores.tolist())
        if ranking.facts_of_relation is not None:
            counts = [0] * len(names)
            for place, count in zip(places, ranking.facts_of_relation.tolist(), strict=True):
                counts[place] = int(count)
            columns["facts_of_relation"] = tuple(counts)
        return cls(
            level=level,
            facts=ranking.facts,
            length=len(ranking),
            hit_ranks=tuple(np.repeat(ranking.ranks, np.diff(ranking.found, prepend=0)).tolist()),
            unknown=tuple((int(before[at]) + 1, int(ranking.ranks[at]) - 1) for at in late),
            **columns,
        )

    def ranking(self, labels: Sequence[Label] = (), negative: Label | None = None) -> FactRanking:
        """The list for the metrics.

        Parameters
        ----------
        labels : of the run, which the positions of relations point into. negative : the class among them that
            is never a fact, and is left out of the ranking's labels.

        Raises ValueError if a fact is of the negative class.

        >>> kept = RankedFacts(level="bag", facts=2, hits=(1, 0), relations=(1, 2), scores=(0.9, 0.5))
        >>> kept.ranking(["NA", "r", "s"], "NA").labels
        ('r', 's')
        """
        known = np.ones(self.predicted, dtype=bool)
        for first, last in self.unknown:
            known[first - 1 : last] = False
        ranks = np.flatnonzero(known) + 1
        found = np.searchsorted(np.array(self._hit_ranks, dtype=np.int64), ranks, side="right")
        kept = np.array([at for at, label in enumerate(labels) if label != negative], dtype=np.int64)
        relations, counts = self.relations, self.facts_of_relation
        if relations is not None:
            relations = np.searchsorted(kept, relations)
            if not np.array_equal(kept[np.minimum(relations, len(kept) - 1)], self.relations):
                raise ValueError(f"outcome.relations holds a fact of the negative class {shown(negative)}")
        if counts is not None:
            counts = np.array(counts, dtype=np.int64)[kept]
            if counts.sum() != self.facts:
                raise ValueError(f"outcome.facts_of_relation: there are facts of {shown(negative)}")
        return FactRanking(
            ranks,
            found,
            self.facts,
            None if self.scores is None else np.array(self.scores),
            None if self.unknown else np.diff(found, prepend=0).astype(bool),
            relations,
            () if relations is None and counts is None else tuple(labels[at] for at in kept),
            counts,
        )

    @property
    def predicted(self) -> int:
        """How many facts the list holds."""
        return len(self.hits) if self.hits is not None else self.length or 0

    @property
    def _hit_ranks(self) -> Sequence[int]:
        if self.hits is not None:
            return [rank for rank, hit in enumerate(self.hits, start=1) if hit]
        return self.hit_ranks or ()

    def counted(self, labels: Sequence[Label]) -> RankedFacts:
        """Itself, once it is consistent. Raises ValueError that names the entry that is not."""
        self._check_form()
        for name in ("relations", "pairs", "scores"):
            column = getattr(self, name)
            if column is not None and len(column) != self.predicted:
                raise ValueError(f"outcome.{name} has {len(column)} entries, {self._of_length}")
        if len(self._hit_ranks) > self.facts:
            name = "hits" if self.hits is not None else "hit_ranks"
            raise ValueError(
                f"outcome.{name} holds {len(self._hit_ranks)} hits; outcome.facts is {self.facts}"
            )
        for rank, (score, following) in enumerate(pairwise(self.scores or ())):
            if following > score:
                raise ValueError(f"outcome.scores[{rank + 1}] is {following}, above the one before, {score}")
        for rank, relation in enumerate(self.relations or ()):
            if relation >= len(labels):
                raise ValueError(f"outcome.relations[{rank}] is {relation}; there are {len(labels)} labels")
        if self.facts_of_relation is not None:
            self._check_relations(labels)
        return self

    @property
    def _of_length(self) -> str:
        given = self.hits is not None
        return f"outcome.hits {len(self.hits)}" if given else f"outcome.length is {self.length}"

    def _check_form(self) -> None:
        given = [getattr(self, name) is not None for name in ("hits", "length", "hit_ranks")]
        if given not in ([True, False, False], [False, True, True]):
            raise ValueError("outcome: expected hits, or length and hit_ranks")
        if self.unknown and (self.hits is not None or self.relations or self.pairs or self.scores):
            raise ValueError("outcome.unknown is given: expected length, hit_ranks, and no other column")
        if self.hits is None:
            self._check_ranks(self._check_unknown())

    def _check_unknown(self) -> dict[int, int]:
        """The known rank after each piece that is not known → how many ranks that piece has."""
        before, pieces = 0, {}
        for at, (first, last) in enumerate(self.unknown):
            if not before < first <= last < self.length:
                said = f"outcome.unknown[{at}] is {(first, last)}"
                raise ValueError(f"{said}: expected first and last rank, rising, before the last of the list")
            before = last + 1  # that one is known: two pieces cannot touch
            pieces[before] = last - first + 1
        return pieces

    def _check_ranks(self, pieces: dict[int, int]) -> None:
        before = 0
        for at, rank in enumerate(self.hit_ranks):
            if not before <= rank <= self.length:
                said = f"outcome.hit_ranks[{at}] is {rank}, after {before}"
                raise ValueError(f"{said}: expected rising ranks up to {self.length}")
            before = rank
        unknown = iter(self.unknown)
        piece = next(unknown, None)
        for rank, count in Counter(self.hit_ranks).items():
            while piece and piece[1] < rank:
                piece = next(unknown, None)
            if piece and piece[0] <= rank:
                raise ValueError(f"outcome.hit_ranks holds {rank}, a rank that is not known")
            if count > 1 + pieces.get(rank, 0):
                raise ValueError(f"outcome.hit_ranks holds {rank} {count} times")

    def _check_relations(self, labels: Sequence[Label]) -> None:
        known = self.facts_of_relation
        if len(known) != len(labels) or sum(known) != self.facts:
            found = f"{len(known)} counts with the sum {sum(known)}"
            raise ValueError(
                f"outcome.facts_of_relation: {found}; expected {len(labels)} with the sum {self.facts}"
            )
        found = Counter(self.relations[rank - 1] for rank in self._hit_ranks if self.relations is not None)
        for place, (hits, facts) in enumerate((found[place], facts) for place, facts in enumerate(known)):
            if hits > facts:
                raise ValueError(f"outcome.facts_of_relation[{place}] is {facts}, but {hits} of it are hits")
