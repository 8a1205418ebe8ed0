"""Distant supervision: sentences that name two entities, and bags of them, the unit of its evaluation.

A knowledge base says which relations hold between two entities; every sentence that names both gets them as
labels, rightly or not. A bag is all sentences of one entity pair.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from .. import RESULTS
from .samples import Corpus, RelationSample

ONTOLOGY = RESULTS / "published" / "nyt10m_relations.csv"


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
        pair = (mention.head, mention.tail)
        for key in [(*pair, relation) for relation in mention.relations] if by_relation else [pair]:
            relations.setdefault(key, {}).update(dict.fromkeys(key[2:] or mention.relations))
            samples.setdefault(key, []).append(mention.sample)
    positive = {
        key: tuple(relation for relation in labels if relation != negative)
        for key, labels in relations.items()
    }
    return [
        Bag(key[0], key[1], positive[key] or tuple(labels), tuple(samples[key]))
        for key, labels in relations.items()
    ]


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


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """What a file of mentions holds, to be seen before anything is scored.

    Attributes
    ----------
    sentences : lines. duplicates : of them, those that are there before with entities and labels.
    pairs : entity pairs, the bags of the test. bags : (head, tail, relation), the bags of training.
    facts : bags of another relation than the negative class. relations : labels that occur, that class too.
    several : pairs with more than one relation, the negative class not counted.
    negative_sentences, negative_pairs : share of the negative class among sentences and pairs, in [0, 1].
    annotated : sentences that annotators looked at. malformed : lines left out. notes : the reader's counts.
    """

    sentences: int
    duplicates: int
    pairs: int
    bags: int
    facts: int
    relations: int
    several: int
    negative_sentences: float
    negative_pairs: float
    annotated: int
    malformed: int
    notes: dict[str, int]


def fingerprint(mentions: Iterable[Mention], negative: str | None = "NA") -> Fingerprint:
    """Count what a file of mentions holds.

    Parameters
    ----------
    mentions : of one split; what a reader gives brings its notes and the number of malformed lines.
    negative : the negative class, or None.

    Raises ValueError if there is no mention.

    >>> one = Mention(RelationSample("1", "Ada left London", (0, 3), (9, 15), "NA"), "Q1", "Q84")
    >>> found = fingerprint([one, one])
    >>> found.sentences, found.duplicates, found.pairs, found.facts, found.negative_sentences
    (2, 1, 1, 0, 1.0)
    """
    corpus = mentions if isinstance(mentions, Corpus) else Corpus(mentions)
    if not corpus:
        raise ValueError("there is no mention")
    pairs = make_bags(corpus, negative)
    bags = {(mention.head, mention.tail, label) for mention in corpus for label in mention.relations}
    positive = [sum(label != negative for label in bag.relations) for bag in pairs]
    of_sentences = sum(set(mention.relations) == {negative} for mention in corpus)
    return Fingerprint(
        sentences=len(corpus),
        duplicates=len(corpus) - len(without_duplicates(corpus)),
        pairs=len(pairs),
        bags=len(bags),
        facts=sum(positive),
        relations=len({label for _, _, label in bags}),
        several=sum(count > 1 for count in positive),
        negative_sentences=of_sentences / len(corpus),
        negative_pairs=positive.count(0) / len(pairs),
        annotated=sum(bool(mention.annotated) for mention in corpus),
        malformed=len(corpus.malformed),
        notes=dict(sorted(corpus.notes.items())),
    )


def shared_pairs(train: Iterable[Mention], test: Iterable[Mention]) -> list[tuple[str, str]]:
    """Entity pairs that occur in both, in the order of the second: a model may know their relation by heart.

    >>> one = Mention(RelationSample("1", "Ada left London", (0, 3), (9, 15), "NA"), "Q1", "Q84")
    >>> shared_pairs([one], [one, one._replace(head="Q2")])
    [('Q1', 'Q84')]
    """
    known = {(mention.head, mention.tail) for mention in train}
    return [pair for pair in dict.fromkeys((mention.head, mention.tail) for mention in test) if pair in known]


@functools.cache
def nyt10m_relations() -> dict[str, str | None]:
    """The 53 relations of NYT10 → those of NYT10m (25 with NA); None for the 15 that it leaves out.

    Source: Gao et al. 2021, Table A.1, whose blanks are underscores; new names as the released files spell
    them, three of them without an underscore (`deceasedperson`, `majorshareholders`).

    >>> found = nyt10m_relations()
    >>> len(found), len({new for new in found.values() if new}), sum(new is None for new in found.values())
    (53, 25, 15)
    """
    with ONTOLOGY.open(encoding="utf-8", newline="") as file:
        return {row["old"]: row["new"] or None for row in csv.DictReader(file)}
