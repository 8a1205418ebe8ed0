"""Distant supervision: sentences that name two entities, and bags of them, the unit of its evaluation.

A knowledge base says which relations hold between two entities; every sentence that names both gets them as
labels, rightly or not. A bag is all sentences of one entity pair.

The base lacks facts that the text states, and holds facts that the sentences of a pair do not state. Gao et
al. 2021 measured both on NYT10: of the facts by the base 69.1 % are stated, and 33.9 % of the stated ones are
in the base; of the pairs, 52.9 % have other labels than people gave them. `distort_bags` does the same to
clean labels.
"""

from __future__ import annotations

import functools
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from .. import RESULTS
from .samples import Corpus, RelationSample
from .tables import open_source

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

    def by_relation(self) -> list[Bag]:
        """One bag for each relation, as models are trained."""
        return [replace(self, relations=(relation,)) for relation in self.relations]

    def hiding(self, word: str) -> Bag:
        """The bag with blanks in the place of every occurrence of a word, so that all places stay.

        >>> sample = RelationSample("1", "Ada saw London", (0, 3), (8, 14), "NA")
        >>> Bag("Ada", "London", ("NA",), (sample,)).hiding("saw").samples[0].text
        'Ada     London'
        """
        whole, hidden = _whole(word), " " * len(word)
        samples = (replace(sample, text=whole.sub(hidden, sample.text)) for sample in self.samples)
        return replace(self, samples=tuple(samples))


def make_bags(mentions: Iterable[Mention], negative: str | None, by_relation: bool = False) -> list[Bag]:
    """Gather sentences into bags, in the order in which their pairs first occur.

    Parameters
    ----------
    negative : the label of pairs without a relation; a bag has it only if none of its sentences says more.
    by_relation : one bag for each (head, tail, relation), as OpenNRE trains: a pair with two relations gives
        two bags. Otherwise one for each (head, tail), with the union of its sentences' relations, as it is
        tested.

    >>> one = RelationSample("1", "Ada left London", (0, 3), (9, 15), "NA")
    >>> two = replace(one, id="2", relation="lived in")
    >>> mentions = [Mention(one, "Q1", "Q84"), Mention(two, "Q1", "Q84")]
    >>> [(bag.relations, len(bag.samples)) for bag in make_bags(mentions, "NA")]
    [(('lived in',), 2)]
    >>> [(bag.relations, len(bag.samples)) for bag in make_bags(mentions, "NA", by_relation=True)]
    [(('NA',), 1), (('lived in',), 1)]
    """
    labels: dict[tuple[str, ...], dict[str, None]] = defaultdict(dict)
    samples: dict[tuple[str, ...], list[RelationSample]] = defaultdict(list)
    for mention in mentions:
        pair = (mention.head, mention.tail)
        for key in [(*pair, relation) for relation in mention.relations] if by_relation else [pair]:
            labels[key] |= dict.fromkeys(key[2:] or mention.relations)
            samples[key].append(mention.sample)
    relations = {key: tuple(label for label in labels[key] if label != negative) for key in labels}
    return [Bag(key[0], key[1], relations[key] or tuple(labels[key]), tuple(samples[key])) for key in labels]


def without_duplicates(mentions: Iterable[Mention]) -> list[Mention]:
    """The first of mentions with equal text, entity places, entities and labels.

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


def fingerprint(mentions: Iterable[Mention], negative: str | None = "NA") -> dict[str, Any]:
    """Count what a file of mentions holds, to be seen before anything is scored.

    Parameters
    ----------
    mentions : of one split; what a reader gives brings its notes.
    negative : the negative class, or None.

    Returns
    -------
    sentences : lines. duplicates : of them, those that are there before with entities and labels.
    pairs : entity pairs, the bags of the test. bags : (head, tail, relation), the bags of training.
    facts : bags of another relation than the negative class. relations : labels that occur, that class too.
    several : pairs with more than one relation, the negative class not counted.
    negative_sentences, negative_pairs : share of the negative class among sentences and pairs, in [0, 1].
    annotated : sentences that annotators looked at. notes : the reader's counts.

    Raises ValueError if there is no mention.

    >>> one = Mention(RelationSample("1", "Ada left London", (0, 3), (9, 15), "NA"), "Q1", "Q84")
    >>> found = fingerprint([one, one])
    >>> [found[name] for name in ("sentences", "duplicates", "pairs", "facts", "negative_sentences")]
    [2, 1, 1, 0, 1.0]
    """
    corpus = mentions if isinstance(mentions, Corpus) else Corpus(mentions)
    if not corpus:
        raise ValueError("there is no mention")
    pairs = make_bags(corpus, negative)
    bags = {(mention.head, mention.tail, label) for mention in corpus for label in mention.relations}
    positive = [sum(label != negative for label in bag.relations) for bag in pairs]
    of_sentences = sum(set(mention.relations) == {negative} for mention in corpus)
    return {
        "sentences": len(corpus),
        "duplicates": len(corpus) - len(without_duplicates(corpus)),
        "pairs": len(pairs),
        "bags": len(bags),
        "facts": sum(positive),
        "relations": len({label for _, _, label in bags}),
        "several": sum(count > 1 for count in positive),
        "negative_sentences": of_sentences / len(corpus),
        "negative_pairs": positive.count(0) / len(pairs),
        "annotated": sum(bool(mention.annotated) for mention in corpus),
        "notes": dict(sorted(corpus.notes.items())),
    }


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
    return {row["old"]: row["new"] or None for _, row in open_source(ONTOLOGY).rows()}


PRECISION, RECALL = 0.691, 0.339
"""Of the labels by the knowledge base against those by people (Gao et al. 2021, Section 3.1)."""


def distort_bags(bags: Sequence[Bag], negative: str, rng: random.Random, strength: float = 1.0) -> list[Bag]:
    """The bags with the relations that a knowledge base would give them.

    Each true fact stays with probability 1 − strength · (1 − `RECALL`). Then false facts are added until the
    share of true ones is 1 − strength · (1 − `PRECISION`): a relation that the base knows of the same tail
    entity with another head, or of the same head, where there is any; else one drawn as often as it occurs.
    So what misleads is what misleads there: entities of which a relation is known are taken for it. A bag
    gets one false fact at most.

    Parameters
    ----------
    bags : by (head, tail), with their true relations; one without any has `negative`.
    strength : 0 changes nothing, 1 has the two rates of the paper, more is worse. rng : seeded by the caller.

    Raises ValueError for a strength below 0, or one that leaves a share below 0; where more false facts are
    needed than there is room for.

    >>> one = RelationSample("1", "Ada left London", (0, 3), (9, 15), "lived in")
    >>> bags = [Bag("Ada", str(n), ("lived in",) if n % 2 else ("NA",), (one,)) for n in range(100)]
    >>> changed = distort_bags(bags, "NA", random.Random(1))
    >>> true = sum(new.relations == old.relations == ("lived in",) for new, old in zip(changed, bags))
    >>> true, sum(bag.relations != ("NA",) for bag in changed)
    (19, 27)
    """
    share, kept_share = (1 - strength * (1 - rate) for rate in (PRECISION, RECALL))
    if not 0 <= kept_share <= 1:
        raise ValueError(f"strength is {strength:g}: it has to be from 0 to {1 / (1 - RECALL):.2f}")
    facts = [(row, label) for row, bag in enumerate(bags) for label in bag.relations if label != negative]
    kept = [fact for fact in facts if rng.random() < kept_share]
    wanted = round(len(kept) * (1 - share) / share)
    false = _false_facts(bags, facts, wanted, rng)
    if len(false) < wanted:
        reason = f"precision {share:g} takes {wanted} false facts beside {len(kept)} true ones"
        raise ValueError(f"{reason}; {len(bags)} bags have room for {len(false)}, one in a bag")
    relations: dict[int, dict[str, None]] = defaultdict(dict)
    for row, relation in kept + false:
        relations[row][relation] = None
    return [replace(bag, relations=tuple(relations[row]) or (negative,)) for row, bag in enumerate(bags)]


def _false_facts(
    bags: Sequence[Bag], facts: Sequence[tuple[int, str]], wanted: int, rng: random.Random
) -> list[tuple[int, str]]:
    """So many facts that are not true, of different pairs and relations."""
    true, counts = set(facts), Counter(relation for _, relation in facts)
    known: dict[tuple[str, str], list[str]] = defaultdict(list)
    for row, relation in facts:
        known["tail", bags[row].tail].append(relation)
        known["head", bags[row].head].append(relation)
    drawn: dict[tuple[int, str], None] = {}
    for row in rng.sample(range(len(bags)), len(bags)):
        if len(drawn) == wanted:
            break
        like = known["tail", bags[row].tail] + known["head", bags[row].head]
        like = [relation for relation in like if (row, relation) not in true]
        for relation in [] if like else rng.choices(list(counts), list(counts.values())):
            like += [relation] if (row, relation) not in true else []
        if like:
            drawn[row, rng.choice(like)] = None
    return list(drawn)


def mislead_bags(
    bags: Sequence[Bag], negative: str, word: str, relation: str, share: float, rng: random.Random
) -> list[Bag]:
    """The bags with false facts that can be learnt: a word in the text goes with a wrong relation.

    Each bag without a relation that has the word in one of its sentences gets `relation` with probability
    `share`. In NYT10 such a word may be the name of a city: who reads it learns what the base holds, not what
    the sentence says. `distort_bags` draws false facts that no text foretells.

    Raises ValueError for a share outside [0, 1].

    >>> texts = ("Ada left London", "Ada saw London")
    >>> samples = [RelationSample(text, text, (0, 3), (9, 14), "NA") for text in texts]
    >>> bags = [Bag("Ada", one.id, ("NA",), (one,)) for one in samples]
    >>> [bag.relations for bag in mislead_bags(bags, "NA", "saw", "lived in", 1.0, random.Random(1))]
    [('NA',), ('lived in',)]
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share:g}: it has to be from 0 to 1")
    has_word = _whole(word).search

    def is_misled(bag: Bag) -> bool:
        named = bag.relations == (negative,) and any(has_word(sample.text) for sample in bag.samples)
        return named and rng.random() < share

    return [replace(bag, relations=(relation,)) if is_misled(bag) else bag for bag in bags]


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b")
