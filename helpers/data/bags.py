"""Distant supervision: sentences that name two entities, and bags of them, the unit of its evaluation.

A knowledge base says which relations hold between two entities; every sentence that names both gets them as
labels, rightly or not. A bag is all sentences of one entity pair. Files are read in `distant`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from .samples import RelationSample


class Mention(NamedTuple):
    """A sentence that names two entities, and what is known of them.

    Attributes
    ----------
    sample : the sentence; its relation is the label of the file, from the knowledge base.
    head, tail : identifiers of the entities in the knowledge base.
    annotated : the relations that annotators found in the sentence, if any looked at it.
    """

    sample: RelationSample
    head: str
    tail: str
    annotated: tuple[str, ...] = ()

    @property
    def relations(self) -> tuple[str, ...]:
        """The annotated relations if there are any, else the one of the file."""
        return self.annotated or (self.sample.relation,)

    @property
    def relation(self) -> str:
        """The label of the file, which statistics count."""
        return self.sample.relation


@dataclass(frozen=True, slots=True)
class Bag:
    """All sentences about one pair of entities.

    Attributes
    ----------
    head, tail : identifiers of the entities.
    relations : what holds between them, in the order of the file: one for training, several may be true of a
        pair. Only the negative class, if none is.
    samples : the sentences, at least one.

    Raises ValueError for a bag without sentences or without relations.
    """

    head: str
    tail: str
    relations: tuple[str, ...]
    samples: tuple[RelationSample, ...]

    def __post_init__(self) -> None:
        for name in ("relations", "samples"):
            if not getattr(self, name):
                raise ValueError(f"the bag of {self.head!r} and {self.tail!r} has no {name}")


def make_bags(mentions: Iterable[Mention], negative: str | None, by_relation: bool = False) -> list[Bag]:
    """Gather sentences into bags, in the order in which their pairs first occur.

    Parameters
    ----------
    negative : the label of pairs without a relation; a bag has it only if none of its sentences says more.
    by_relation : one bag for each (head, tail, relation), as OpenNRE trains: a pair with two relations gives
        two bags. Otherwise one for each (head, tail), with the union of its sentences' relations, as it is
        tested.

    >>> from dataclasses import replace
    >>> one = RelationSample("1", "Ada left London", (0, 3), (9, 15), "NA")
    >>> two = replace(one, id="2", relation="lived in")
    >>> mentions = [Mention(one, "Q1", "Q84"), Mention(two, "Q1", "Q84")]
    >>> [(bag.relations, len(bag.samples)) for bag in make_bags(mentions, "NA")]
    [(('lived in',), 2)]
    >>> [(bag.relations, len(bag.samples)) for bag in make_bags(mentions, "NA", by_relation=True)]
    [(('NA',), 1), (('lived in',), 1)]
    """
    relations: dict[tuple[str, ...], dict[str, None]] = {}
    samples: dict[tuple[str, ...], list[RelationSample]] = {}
    for mention in mentions:
        for key in _keys(mention, by_relation):
            relations.setdefault(key, {}).update(dict.fromkeys(key[2:] or mention.relations))
            samples.setdefault(key, []).append(mention.sample)
    return [
        Bag(key[0], key[1], _without_negative(found, negative), tuple(samples[key]))
        for key, found in relations.items()
    ]


def _without_negative(relations: Iterable[str], negative: str | None) -> tuple[str, ...]:
    every = tuple(relations)
    return tuple(one for one in every if one != negative) or every


def _keys(mention: Mention, by_relation: bool) -> list[tuple[str, ...]]:
    pair = (mention.head, mention.tail)
    return [(*pair, relation) for relation in mention.relations] if by_relation else [pair]


def without_duplicates(mentions: Iterable[Mention]) -> list[Mention]:
    """The first of mentions with equal text, entity places, entities and labels.

    >>> from dataclasses import replace
    >>> one = Mention(RelationSample("1", "Ada left London", (0, 3), (9, 15), "NA"), "Q1", "Q84")
    >>> again = one._replace(sample=replace(one.sample, id="2"))
    >>> len(without_duplicates([one, again]))
    1
    """
    first: dict[tuple, Mention] = {}
    for mention in mentions:
        sample = mention.sample
        key = (sample.text, sample.head, sample.tail, mention.head, mention.tail, mention.relations)
        first.setdefault(key, mention)
    return list(first.values())
