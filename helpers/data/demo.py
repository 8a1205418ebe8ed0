"""Two synthetic corpora made here from templates, to try things without real data: sentences and letters.

The sentences name two things; entity 1 comes first, as in SemEval-2010 Task 8, so the order of the two
decides the direction of the label, and on a paired sample (`paired_sample`) a model must look at the markers.
The letters to a town council have several labels each, the matters they raise: matters that belong together
come together, two labels occur in the test part only, and shared words make some labels hard to learn. Both
distributions are long-tailed. Nothing learned here says anything about real text.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..core import FORWARD, base_relation
from .documents import Documents
from .samples import RelationSample, parse_tagged

NAME = "synthetic-demo"
SYNTHETIC = "synthetic-demo: sentences generated from templates, not a real corpus"
NEGATIVE = "Other"

_WORDS = json.loads(Path(__file__).with_name("demo.json").read_text(encoding="utf-8"))
TEST_COUNTS: dict[str, int] = _WORDS["test_counts"]
"""Sentences of each label in the test part, 400 in all; the training part has three times as many, 1200."""
TRAIN_FACTOR = 3

# Of each relation: pairs of things (first role, second role); phrases from the first role to the second, as
# in "The storm caused the outage"; and phrases from the second role to the first.
_RELATIONS: dict[str, list[list[Any]]] = _WORDS["relations"]


def demo_corpus(seed: int = 0) -> dict[str, list[RelationSample]]:
    """The synthetic corpus: `train` (1200 samples) and `test` (400), shuffled; no sentence occurs twice.

    Labels are `Other` and eight relations in both directions, `X-Y(e1,e2)` when the X comes first and
    `X-Y(e2,e1)` when the Y does; `TEST_COUNTS` gives their numbers. Equal seeds give equal corpora.

    >>> corpus = demo_corpus(seed=0)
    >>> {part: len(samples) for part, samples in corpus.items()}
    {'train': 1200, 'test': 400}
    """
    rng = random.Random(seed)
    parts: dict[str, list[tuple[str, str]]] = {"train": [], "test": []}
    for label, count in TEST_COUNTS.items():
        sentences = rng.sample(list(_sentences(label)), count * (1 + TRAIN_FACTOR))
        parts["test"] += [(sentence, label) for sentence in sentences[:count]]
        parts["train"] += [(sentence, label) for sentence in sentences[count:]]
    for tagged in parts.values():
        rng.shuffle(tagged)
    return {
        part: [
            RelationSample(f"{NAME}-{part}-{number}", *parse_tagged(sentence), label)
            for number, (sentence, label) in enumerate(tagged)
        ]
        for part, tagged in parts.items()
    }


def _sentences(label: str) -> Iterator[str]:
    """Every sentence that a label can have, with tags around its two things."""
    pairs, phrases = _material(label)
    for first, second in pairs:
        for phrase in phrases:
            for opening in _WORDS["openings"]:
                clause = f"{opening} <e1>{first}</e1> {phrase} the <e2>{second}</e2>"
                yield from (f"{clause}{ending}." for ending in _WORDS["endings"])


def _material(label: str) -> tuple[list[list[str]], list[str]]:
    """The pairs of things in the order of the sentence, and the phrases between them.

    The negative class also takes the pairs of the relations: the two things alone do not give it away.
    """
    if label == NEGATIVE:
        every = [_WORDS["unrelated_pairs"], *(pairs for pairs, _, _ in _RELATIONS.values())]
        return [pair for pairs in every for pair in pairs], _WORDS["unrelated_phrases"]
    pairs, forward, backward = _RELATIONS[base_relation(label)]
    if label.endswith(FORWARD):
        return pairs, forward
    return [pair[::-1] for pair in pairs], backward


DOCUMENTS_NAME = "synthetic-demo-documents"
SYNTHETIC_DOCUMENTS = "synthetic-demo-documents: letters generated from templates, not a real collection"
TEST_ONLY = ("archives", "elections")
"""Labels that no training document has."""


LABEL_SETS: dict[str, list[int]] = _WORDS["label_sets"]
"""Which labels come together, and in how many training and test documents: 600 and 300 in all."""

_THINGS: dict[str, list[str]] = _WORDS["things"]
"""What a matter is recognised by. A thing that two matters share says less."""


_COMMON = ("roads", "water", "taxes", "schools", "housing", "health", "parks", "noise")
_PASSING = 0.2
"""The share of letters that name a thing of a common matter that they do not raise."""


def demo_documents(seed: int = 0) -> dict[str, Documents]:
    """The synthetic collection: `train` (600 documents) and `test` (300), shuffled; no text occurs twice.

    `LABEL_SETS` gives the labels that come together and their numbers, the same for every seed. Equal seeds
    give equal collections.

    >>> collection = demo_documents(seed=0)
    >>> {part: len(documents) for part, documents in collection.items()}
    {'train': 600, 'test': 300}
    """
    rng = random.Random(seed)
    seen: set[str] = set()
    return {part: _part(rng, part, column, seen) for column, part in enumerate(("train", "test"))}


def _part(rng: random.Random, part: str, column: int, seen: set[str]) -> Documents:
    sets = [tuple(labels.split()) for labels, counts in LABEL_SETS.items() for _ in range(counts[column])]
    rng.shuffle(sets)
    ids = [f"{DOCUMENTS_NAME}-{part}-{number}" for number in range(len(sets))]
    letters = []
    for labels in sets:
        while (letter := _letter(rng, labels)) in seen:
            pass
        seen.add(letter)
        letters.append(letter)
    return Documents(ids, sets, letters)


def _letter(rng: random.Random, labels: tuple[str, ...]) -> str:
    """One or two sentences on each label, up to two that say nothing, perhaps a thing named in passing."""
    complaints = [_complaint(rng, label) for label in labels for _ in range(rng.choice((1, 2)))]
    sentences = list(dict.fromkeys(complaints))  # the two may be the same
    sentences += rng.sample(_WORDS["neutral"], rng.choice((0, 1, 2)) if labels else 2)
    if rng.random() < _PASSING:
        other = rng.choice([label for label in _COMMON if label not in labels])
        sentences.append(f"This has nothing to do with the {rng.choice(_THINGS[other])} of last year")
    rng.shuffle(sentences)
    return ". ".join([rng.choice(_WORDS["greetings"]), *sentences, rng.choice(_WORDS["closings"])]) + "."


def _complaint(rng: random.Random, label: str) -> str:
    thing, place, complaint = map(rng.choice, (_THINGS[label], _WORDS["places"], _WORDS["complaints"]))
    return f"The {thing} in {place} {complaint}"
