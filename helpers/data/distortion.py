"""Clean labels of entity pairs distorted as distant supervision does it: facts missing, facts misaligned.

A knowledge base lacks facts that the text states, and holds facts that the sentences of a pair do not state.
Gao et al. 2021 measured both on NYT10: of the facts by the base 69.1 % are stated, and 33.9 % of the stated
ones are in the base; of the pairs, 52.9 % have other labels than people gave them (`wrong_pairs`).
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace

from .bags import Bag

PRECISION, RECALL = 0.691, 0.339
"""Of the labels by the knowledge base against those by people (Gao et al. 2021, Section 3.1)."""


def distort_bags(
    bags: Sequence[Bag],
    negative: str,
    rng: random.Random,
    strength: float = 1.0,
    precision: float = PRECISION,
    recall: float = RECALL,
) -> list[Bag]:
    """The bags with the relations that a knowledge base would give them.

    Each true fact stays with probability 1 − strength · (1 − recall). Then false facts are added until the
    share of true ones is 1 − strength · (1 − precision): a relation that the base knows of the same tail
    entity with another head, or of the same head, where there is any; else one drawn as often as it occurs.
    So what misleads is what misleads there: entities of which a relation is known are taken for it. A bag
    gets one false fact at most.

    Parameters
    ----------
    bags : by (head, tail), with their true relations; one without any has `negative`.
    strength : 0 changes nothing, 1 has the two rates of the paper, more is worse. rng : seeded by the caller.

    Raises ValueError for a rate outside [0, 1], also where the strength makes it one; for a precision that
    the bags cannot have: 0 beside true facts, or one that takes more false facts than there is room for.

    >>> from helpers.data import RelationSample
    >>> one = RelationSample("1", "Ada left London", (0, 3), (9, 15), "lived in")
    >>> bags = [Bag("Ada", str(n), ("lived in",) if n % 2 else ("NA",), (one,)) for n in range(100)]
    >>> changed = distort_bags(bags, "NA", random.Random(1))
    >>> true = sum(new.relations == old.relations == ("lived in",) for new, old in zip(changed, bags))
    >>> true, sum(bag.relations != ("NA",) for bag in changed)
    (19, 27)
    """
    share, kept_share = (1 - strength * (1 - rate) for rate in (precision, recall))
    for name, value in {
        "precision": precision,
        "recall": recall,
        f"precision at strength {strength:g}": share,
        f"recall at strength {strength:g}": kept_share,
    }.items():
        if not 0 <= value <= 1:
            raise ValueError(f"{name} is {value:g}: it has to be from 0 to 1")
    facts = [
        (row, relation) for row, bag in enumerate(bags) for relation in bag.relations if relation != negative
    ]
    kept = [fact for fact in facts if rng.random() < kept_share]
    if kept and not share:
        reason = f"{len(kept)} true facts stay, so no number of false ones makes the precision 0"
        raise ValueError(f"{reason}: choose one above 0, or recall 0")
    wanted = round(len(kept) * (1 - share) / share) if kept else 0
    relations: dict[int, dict[str, None]] = defaultdict(dict)
    for row, relation in kept:
        relations[row][relation] = None
    false = _false_facts(bags, facts, wanted, rng)
    if len(false) < wanted:
        reason = f"precision {share:g} takes {wanted} false facts beside {len(kept)} true ones"
        raise ValueError(f"{reason}; {len(bags)} bags have room for {len(false)}, one in a bag")
    for row, relation in false:
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
        bag = bags[row]
        like = known["tail", bag.tail] + known["head", bag.head]
        like = [relation for relation in like if (row, relation) not in true]
        if not like:
            like = [
                relation
                for relation in rng.choices(list(counts), list(counts.values()))
                if (row, relation) not in true
            ]
        if like:
            drawn[row, rng.choice(like)] = None
    return list(drawn)


def wrong_pairs(noisy: Sequence[Bag], clean: Sequence[Bag]) -> float:
    """The share of entity pairs whose relations are not those of the clean bags, in the same order.

    Raises ValueError for bags of other pairs, and for none.

    >>> from helpers.data import RelationSample
    >>> one = RelationSample("1", "Ada left London", (0, 3), (9, 15), "NA")
    >>> clean = [Bag("Ada", tail, ("NA",), (one,)) for tail in ("London", "Rome")]
    >>> wrong_pairs([clean[0], replace(clean[1], relations=("lived in",))], clean)
    0.5
    """
    pairs = [[(bag.head, bag.tail) for bag in part] for part in (noisy, clean)]
    if pairs[0] != pairs[1] or not clean:
        raise ValueError(f"{len(noisy)} and {len(clean)} bags: the same pairs are needed, in one order")
    differing = [set(bag.relations) != set(other.relations) for bag, other in zip(noisy, clean, strict=True)]
    return sum(differing) / len(differing)


def mislead_bags(
    bags: Sequence[Bag], negative: str, word: str, relation: str, share: float, rng: random.Random
) -> list[Bag]:
    """The bags with false facts that can be learnt: a word in the text goes with a wrong relation.

    Each bag without a relation that has the word in one of its sentences gets `relation` with probability
    `share`. In NYT10 such a word may be the name of a city: who reads it learns what the base holds, not what
    the sentence says. `distort_bags` draws false facts that no text foretells.

    Raises ValueError for a share outside [0, 1].

    >>> from helpers.data import RelationSample
    >>> texts = ("Ada left London", "Ada saw London")
    >>> samples = [RelationSample(text, text, (0, 3), (9, 14), "NA") for text in texts]
    >>> bags = [Bag("Ada", one.id, ("NA",), (one,)) for one in samples]
    >>> [bag.relations for bag in mislead_bags(bags, "NA", "saw", "lived in", 1.0, random.Random(1))]
    [('NA',), ('lived in',)]
    """
    if not 0 <= share <= 1:
        raise ValueError(f"share is {share:g}: it has to be from 0 to 1")
    has_word = _whole(word).search
    return [
        replace(bag, relations=(relation,))
        if bag.relations == (negative,)
        and any(has_word(sample.text) for sample in bag.samples)
        and rng.random() < share
        else bag
        for bag in bags
    ]


def hide_word(bags: Sequence[Bag], word: str) -> list[Bag]:
    """The bags with blanks in the place of every occurrence of a word, so that all places stay.

    >>> from helpers.data import RelationSample
    >>> sample = RelationSample("1", "Ada saw London", (0, 3), (8, 14), "NA")
    >>> hide_word([Bag("Ada", "London", ("NA",), (sample,))], "saw")[0].samples[0].text
    'Ada     London'
    """
    whole, hidden = _whole(word), " " * len(word)
    texts = [[replace(sample, text=whole.sub(hidden, sample.text)) for sample in bag.samples] for bag in bags]
    return [replace(bag, samples=tuple(samples)) for bag, samples in zip(bags, texts, strict=True)]


def _whole(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(word)}\b")


def by_relation(bags: Sequence[Bag]) -> list[Bag]:
    """One bag for each (head, tail, relation), as models are trained."""
    return [replace(bag, relations=(relation,)) for bag in bags for relation in bag.relations]
