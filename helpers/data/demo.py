"""A small synthetic corpus with directed relations, made here from templates: no download, no real data.

Every sentence names two things; entity 1 is the one that comes first, as in SemEval-2010 Task 8, so the order
of the two in the sentence decides the direction of the label. On the paired samples (`pairing.paired_sample`)
the same sentence has the inverse label: there a model must look at the markers. The distribution is
long-tailed, one direction has a single test sentence, and about one sentence in six is of the negative class.
Nothing learned here says anything about real text.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from helpers.data.relations import FORWARD, undirected
from helpers.data.samples import RelationSample, parse_tagged

NAME = "synthetic-demo"
SYNTHETIC = "synthetic-demo: sentences generated from templates, not a real corpus"
NEGATIVE = "Other"

TEST_COUNTS = {
    "Thing-Destination(e1,e2)": 72,
    "Thing-Destination(e2,e1)": 1,
    "Cause-Effect(e2,e1)": 48,
    "Cause-Effect(e1,e2)": 30,
    "Part-Whole(e1,e2)": 34,
    "Part-Whole(e2,e1)": 30,
    "Member-Group(e2,e1)": 30,
    "Member-Group(e1,e2)": 8,
    "Maker-Product(e1,e2)": 20,
    "Maker-Product(e2,e1)": 15,
    "Message-Topic(e1,e2)": 16,
    "Message-Topic(e2,e1)": 4,
    "Tool-User(e2,e1)": 11,
    "Tool-User(e1,e2)": 3,
    "Content-Container(e1,e2)": 9,
    "Content-Container(e2,e1)": 3,
    NEGATIVE: 66,
}
"""Sentences of each label in the test part, 400 in all; the training part has three times as many, 1200."""

TRAIN_FACTOR = 3

# Of each relation: pairs of things (first role, second role); phrases from the first role to the second, as
# in "The storm caused the outage"; and phrases from the second role to the first.
_RELATIONS = {
    "Cause-Effect": (
        "storm outage, virus fever, flood evacuation, spark fire, drought famine, leak explosion, "
        "error crash, earthquake landslide, strike delay, rumour panic, frost shortage, noise headache, "
        "scandal resignation",
        "caused, led to, resulted in, triggered",
        "was caused by, resulted from, was triggered by, was a consequence of",
    ),
    "Part-Whole": (
        "wheel cart, engine tractor, keyboard laptop, handle kettle, roof cottage, blade propeller, "
        "lens camera, spring mattress, sail yacht, hinge gate, string violin, pedal bicycle, sleeve jacket",
        "is part of, is a component of, belongs to, was fitted to",
        "includes, is equipped with, comes with, is made complete by",
    ),
    "Member-Group": (
        "wolf pack, soldier regiment, singer choir, player team, bee swarm, senator committee, ship fleet, "
        "sheep flock, juror panel, actor ensemble, violinist orchestra, scout patrol, cow herd",
        "is a member of, joined, was admitted to, left",
        "admitted, recruited, expelled, was joined by",
    ),
    "Maker-Product": (
        "baker loaf, carpenter table, author memoir, brewer lager, tailor coat, potter vase, "
        "composer sonata, factory turbine, engineer bridge, sculptor statue, chef soup, weaver carpet, "
        "studio film",
        "made, produced, created, finished making",
        "was made by, was produced by, is the work of, was created by",
    ),
    "Message-Topic": (
        "article election, lecture glacier, report budget, poem autumn, documentary volcano, "
        "essay harvest, letter inheritance, podcast tournament, survey traffic, book revolution, "
        "speech reform, leaflet vaccine",
        "is about, deals with, discusses, describes",
        "is the subject of, is discussed in, is described in, is the topic of",
    ),
    "Tool-User": (
        "scalpel surgeon, hammer smith, telescope astronomer, brush painter, compass navigator, "
        "net fisherman, camera reporter, plough farmer, needle seamstress, microscope biologist, "
        "axe lumberjack",
        "was used by, was handled by, was operated by",
        "used, worked with, handled, operated",
    ),
    "Content-Container": (
        "coin jar, letter envelope, wine barrel, passport drawer, necklace box, flour sack, apple basket, "
        "key pocket, manuscript trunk, medicine cabinet, marble bag",
        "was found in, was kept inside, was hidden in",
        "contained, held, was opened to reveal",
    ),
    "Thing-Destination": (
        "parcel depot, refugee camp, truck harbour, satellite orbit, patient clinic, cargo island, "
        "letter embassy, tourist museum, suitcase hotel, ambulance hospital, painting gallery, grain mill, "
        "prisoner castle",
        "was sent to, was moved into, arrived at, was delivered to, travelled to",
        "was the destination of, was reached by",
    ),
}
_UNRELATED_PAIRS = (
    "gardener piano, window river, teacher cloud, lamp mountain, clock meadow, neighbour statue, "
    "candle train, poet ladder, mirror forest, pilot sofa, bell desert, librarian anchor, kite bakery, "
    "nurse lighthouse"
)
_UNRELATED_PHRASES = (
    "was noticed shortly before, had nothing to do with, was mentioned along with, "
    "was remembered longer than, was photographed after, interested them less than, was compared with"
)

_OPENINGS = (
    "The",
    "Witnesses said that the",
    "It turned out that the",
    "Later they learned that the",
    "According to the guide, the",
    "As expected, the",
    "In the end, the",
    "Nobody doubted that the",
    "The mayor confirmed that the",
    "To everyone's surprise, the",
)
_ENDINGS = ("", " last week", " in the spring", " after all", " without any doubt", ", as the records show")


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
    return {part: [_sample(part, *row) for row in enumerate(tagged)] for part, tagged in parts.items()}


def _sample(part: str, number: int, tagged: tuple[str, str]) -> RelationSample:
    sentence, label = tagged
    return RelationSample(f"{NAME}-{part}-{number}", *parse_tagged(sentence), label)


def _sentences(label: str) -> Iterator[str]:
    """Every sentence that a label can have, with tags around its two things."""
    pairs, phrases = _material(label)
    for first, second in pairs:
        for phrase in phrases.split(", "):
            for opening in _OPENINGS:
                clause = f"{opening} <e1>{first}</e1> {phrase} the <e2>{second}</e2>"
                yield from (f"{clause}{ending}." for ending in _ENDINGS)


def _material(label: str) -> tuple[list[tuple[str, ...]], str]:
    """The pairs of things in the order of the sentence, and the phrases between them.

    The negative class also takes the pairs of the relations: the two things alone do not give it away.
    """
    if label == NEGATIVE:
        every = ", ".join((_UNRELATED_PAIRS, *(pairs for pairs, _, _ in _RELATIONS.values())))
        return _split(every), _UNRELATED_PHRASES
    pairs, forward, backward = _RELATIONS[undirected(label)]
    if label.endswith(FORWARD):
        return _split(pairs), forward
    return [pair[::-1] for pair in _split(pairs)], backward


def _split(pairs: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split()) for pair in pairs.split(", ")]
