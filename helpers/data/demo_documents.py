"""A small synthetic collection of documents with several labels each, made here from templates: no download.

The documents are letters to a town council that does not exist; their labels are the matters they raise. The
distribution is long-tailed, matters that belong together come together, some letters raise none, and two
labels occur in the test part only. Letters also name things of other matters in passing, and some say what
they are about only in words that two matters share, so that the labels can be learnt, but not fully. Nothing
learned here says anything about real text.
"""

from __future__ import annotations

import random

from helpers.data.documents import Documents

NAME = "synthetic-demo-documents"
SYNTHETIC = "synthetic-demo-documents: letters generated from templates, not a real collection"

TEST_ONLY = ("archives", "elections")
"""Labels that no training document has."""

LABEL_SETS = {
    "roads": (92, 44),
    "water": (50, 23),
    "taxes": (54, 24),
    "schools": (46, 23),
    "housing": (26, 13),
    "health": (24, 12),
    "parks": (20, 10),
    "noise": (9, 4),
    "lighting": (3, 2),
    "libraries": (3, 2),
    "roads water": (36, 17),
    "roads taxes": (28, 14),
    "roads noise": (15, 7),
    "roads lighting": (12, 6),
    "roads bridges": (5, 3),
    "roads ferries": (2, 3),
    "roads markets": (2, 3),
    "roads schools": (14, 7),
    "water health": (18, 9),
    "water housing": (12, 6),
    "taxes housing": (16, 8),
    "taxes markets": (2, 2),
    "schools libraries": (5, 2),
    "schools parks": (6, 3),
    "housing noise": (3, 2),
    "parks cemeteries": (4, 4),
    "health parks": (3, 2),
    "roads water bridges": (2, 1),
    "roads water taxes": (10, 5),
    "roads schools lighting": (3, 1),
    "roads water ferries": (1, 2),
    "taxes housing cemeteries": (2, 1),
    "schools health libraries": (2, 1),
    "water health housing": (5, 2),
    "roads parks lighting": (2, 1),
    "roads water taxes housing": (5, 3),
    "roads schools parks noise": (3, 1),
    "roads taxes bridges": (1, 1),
    "elections": (0, 2),
    "roads elections": (0, 2),
    "taxes elections": (0, 1),
    "archives": (0, 1),
    "libraries archives": (0, 2),
    "": (54, 18),
}
"""Which labels come together, and in how many training and test documents: 600 and 300 in all."""

_THINGS = {
    "roads": (
        "pothole",
        "kerb",
        "crossing",
        "asphalt",
        "roundabout",
        "pavement",
        "junction",
        "gutter",
        "bypass",
        "tarmac",
    ),
    "water": (
        "hydrant",
        "pipe",
        "reservoir",
        "tap",
        "pump",
        "sewer",
        "drain",
        "aqueduct",
        "cistern",
        "gutter",
    ),
    "taxes": (
        "levy",
        "rebate",
        "invoice",
        "tariff",
        "surcharge",
        "assessment",
        "receipt",
        "fee",
        "rate",
        "instalment",
    ),
    "schools": (
        "classroom",
        "timetable",
        "teacher",
        "pupil",
        "canteen",
        "gymnasium",
        "homework",
        "blackboard",
        "playground",
    ),
    "housing": (
        "tenant",
        "flat",
        "rent",
        "landlord",
        "attic",
        "lease",
        "stairwell",
        "boiler",
        "pipe",
        "instalment",
    ),
    "health": ("clinic", "nurse", "vaccine", "ward", "ambulance", "surgery", "pharmacy", "midwife", "tap"),
    "parks": ("lawn", "hedge", "fountain", "playground", "flowerbed", "pond", "bench", "oak", "path"),
    "noise": ("siren", "drill", "loudspeaker", "motorbike", "disco", "racket", "hammering", "stairwell"),
    "lighting": ("lantern", "bulb", "lamppost", "switch", "glare", "cable", "crossing"),
    "libraries": ("bookshelf", "novel", "loan", "catalogue", "blackboard"),
    "bridges": ("girder", "railing", "footbridge", "pavement"),
    "cemeteries": ("grave", "chapel", "headstone", "hedge"),
    "markets": ("stall", "vendor", "crate"),
    "ferries": ("quay", "deck", "mooring"),
    "elections": ("ballot", "candidate", "recount", "booth"),
    "archives": ("deed", "parchment", "catalogue"),
}
"""What a matter is recognised by. A thing that two matters share says less."""

_PLACES = (
    "Mill Lane",
    "Station Road",
    "Harbour Street",
    "Castle Hill",
    "Orchard Close",
    "Church Square",
    "Abbey Walk",
    "Weaver's Row",
    "North Gate",
    "Linden Avenue",
)
_COMPLAINTS = (
    "is in a sorry state",
    "has been neglected for months",
    "worries every one of us",
    "needs your attention",
    "was promised to us last year",
    "is the talk of the neighbourhood",
    "causes us trouble every week",
    "gets worse from day to day",
    "must be looked into",
    "has cost us a good deal already",
)
_OPENINGS = (
    "Dear councillors",
    "Dear sir or madam",
    "To the mayor",
    "To whom it may concern",
    "Good morning",
    "Dear members of the council",
)
_CLOSINGS = (
    "We look forward to your answer",
    "Thank you for your time",
    "Please reply by letter",
    "We shall come to your next meeting",
    "Nobody has answered our last letter",
    "With kind regards",
    "Many of us have signed this",
)
_NEUTRAL = (
    "I have lived here for thirty years",
    "Your office was closed when I called",
    "The weather has been kind this spring",
    "My neighbours asked me to write",
    "We enjoyed the parade",
    "Your secretary was most helpful",
)

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
    return {part: _part(rng, part, place, seen) for place, part in enumerate(("train", "test"))}


def _part(rng: random.Random, part: str, place: int, seen: set[str]) -> Documents:
    sets = [tuple(labels.split()) for labels, counts in LABEL_SETS.items() for _ in range(counts[place])]
    rng.shuffle(sets)
    ids = [f"{NAME}-{part}-{number}" for number in range(len(sets))]
    return Documents(ids, sets, [_new_letter(rng, labels, seen) for labels in sets])


def _new_letter(rng: random.Random, labels: tuple[str, ...], seen: set[str]) -> str:
    letter = _letter(rng, labels)
    while letter in seen:
        letter = _letter(rng, labels)
    seen.add(letter)
    return letter


def _letter(rng: random.Random, labels: tuple[str, ...]) -> str:
    """One or two sentences on each label, up to two that say nothing, perhaps a thing named in passing."""
    complaints = [_complaint(rng, label) for label in labels for _ in range(rng.choice((1, 2)))]
    sentences = list(dict.fromkeys(complaints))  # the two may be the same
    sentences += rng.sample(_NEUTRAL, rng.choice((0, 1, 2)) if labels else 2)
    if rng.random() < _PASSING:
        other = rng.choice([label for label in _COMMON if label not in labels])
        sentences.append(f"This has nothing to do with the {rng.choice(_THINGS[other])} of last year")
    rng.shuffle(sentences)
    return ". ".join([rng.choice(_OPENINGS), *sentences, rng.choice(_CLOSINGS)]) + "."


def _complaint(rng: random.Random, label: str) -> str:
    return f"The {rng.choice(_THINGS[label])} in {rng.choice(_PLACES)} {rng.choice(_COMPLAINTS)}"
