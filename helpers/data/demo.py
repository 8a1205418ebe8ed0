"""Two synthetic corpora made here from templates, to try things without real data: sentences and letters.

The sentences name two things; entity 1 comes first, as in SemEval-2010 Task 8, so the order of the two
decides the direction of the label, and on a paired sample (`paired_sample`) a model must look at the markers.
The letters to a town council have several labels each, the matters they raise: matters that belong together
come together, two labels occur in the test part only, and shared words make some labels hard to learn. Both
distributions are long-tailed. Nothing learned here says anything about real text.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from ..core import FORWARD, base_relation
from .documents import Documents
from .samples import RelationSample, parse_tagged

NAME = "synthetic-demo"
SYNTHETIC = "synthetic-demo: sentences generated from templates, not a real corpus"
NEGATIVE = "Other"

_TEST_COUNTS = (
    "Thing-Destination(e1,e2) 72; Thing-Destination(e2,e1) 1; Cause-Effect(e2,e1) 48; "
    "Cause-Effect(e1,e2) 30; Part-Whole(e1,e2) 34; Part-Whole(e2,e1) 30; Member-Group(e2,e1) 30; "
    "Member-Group(e1,e2) 8; Maker-Product(e1,e2) 20; Maker-Product(e2,e1) 15; Message-Topic(e1,e2) 16; "
    "Message-Topic(e2,e1) 4; Tool-User(e2,e1) 11; Tool-User(e1,e2) 3; Content-Container(e1,e2) 9; "
    "Content-Container(e2,e1) 3; Other 66"
)
TEST_COUNTS = {label: int(count) for label, count in (row.split() for row in _TEST_COUNTS.split("; "))}
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
    "The; Witnesses said that the; It turned out that the; Later they learned that the; "
    "According to the guide, the; As expected, the; In the end, the; Nobody doubted that the; "
    "The mayor confirmed that the; To everyone's surprise, the"
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
        for phrase in phrases.split(", "):
            for opening in _OPENINGS.split("; "):
                clause = f"{opening} <e1>{first}</e1> {phrase} the <e2>{second}</e2>"
                yield from (f"{clause}{ending}." for ending in _ENDINGS)


def _material(label: str) -> tuple[list[tuple[str, ...]], str]:
    """The pairs of things in the order of the sentence, and the phrases between them.

    The negative class also takes the pairs of the relations: the two things alone do not give it away.
    """
    if label == NEGATIVE:
        every = ", ".join((_UNRELATED_PAIRS, *(pairs for pairs, _, _ in _RELATIONS.values())))
        return _split(every), _UNRELATED_PHRASES
    pairs, forward, backward = _RELATIONS[base_relation(label)]
    if label.endswith(FORWARD):
        return _split(pairs), forward
    return [pair[::-1] for pair in _split(pairs)], backward


def _split(pairs: str) -> list[tuple[str, ...]]:
    return [tuple(pair.split()) for pair in pairs.split(", ")]


DOCUMENTS_NAME = "synthetic-demo-documents"
SYNTHETIC_DOCUMENTS = "synthetic-demo-documents: letters generated from templates, not a real collection"
TEST_ONLY = ("archives", "elections")
"""Labels that no training document has."""

_LABEL_SETS = (
    "roads 92 44; water 50 23; taxes 54 24; schools 46 23; housing 26 13; health 24 12; parks 20 10; "
    "noise 9 4; lighting 3 2; libraries 3 2; roads water 36 17; roads taxes 28 14; roads noise 15 7; "
    "roads lighting 12 6; roads bridges 5 3; roads ferries 2 3; roads markets 2 3; roads schools 14 7; "
    "water health 18 9; water housing 12 6; taxes housing 16 8; taxes markets 2 2; "
    "schools libraries 5 2; schools parks 6 3; housing noise 3 2; parks cemeteries 4 4; "
    "health parks 3 2; roads water bridges 2 1; roads water taxes 10 5; roads schools lighting 3 1; "
    "roads water ferries 1 2; taxes housing cemeteries 2 1; schools health libraries 2 1; "
    "water health housing 5 2; roads parks lighting 2 1; roads water taxes housing 5 3; "
    "roads schools parks noise 3 1; roads taxes bridges 1 1; elections 0 2; roads elections 0 2; "
    "taxes elections 0 1; archives 0 1; libraries archives 0 2; 54 18"
)
LABEL_SETS = {
    " ".join(labels): (int(train), int(test))
    for *labels, train, test in (row.split() for row in _LABEL_SETS.split("; "))
}
"""Which labels come together, and in how many training and test documents: 600 and 300 in all."""

_THINGS = {
    "roads": "pothole kerb crossing asphalt roundabout pavement junction gutter bypass tarmac",
    "water": "hydrant pipe reservoir tap pump sewer drain aqueduct cistern gutter",
    "taxes": "levy rebate invoice tariff surcharge assessment receipt fee rate instalment",
    "schools": "classroom timetable teacher pupil canteen gymnasium homework blackboard playground",
    "housing": "tenant flat rent landlord attic lease stairwell boiler pipe instalment",
    "health": "clinic nurse vaccine ward ambulance surgery pharmacy midwife tap",
    "parks": "lawn hedge fountain playground flowerbed pond bench oak path",
    "noise": "siren drill loudspeaker motorbike disco racket hammering stairwell",
    "lighting": "lantern bulb lamppost switch glare cable crossing",
    "libraries": "bookshelf novel loan catalogue blackboard",
    "bridges": "girder railing footbridge pavement",
    "cemeteries": "grave chapel headstone hedge",
    "markets": "stall vendor crate",
    "ferries": "quay deck mooring",
    "elections": "ballot candidate recount booth",
    "archives": "deed parchment catalogue",
}
"""What a matter is recognised by. A thing that two matters share says less."""

_PLACES = (
    "Mill Lane, Station Road, Harbour Street, Castle Hill, Orchard Close, Church Square, Abbey Walk, "
    "Weaver's Row, North Gate, Linden Avenue"
)

_COMPLAINTS = (
    "is in a sorry state, has been neglected for months, worries every one of us, needs your attention, "
    "was promised to us last year, is the talk of the neighbourhood, causes us trouble every week, "
    "gets worse from day to day, must be looked into, has cost us a good deal already"
)

_GREETINGS = (
    "Dear councillors, Dear sir or madam, To the mayor, To whom it may concern, Good morning, "
    "Dear members of the council"
)

_CLOSINGS = (
    "We look forward to your answer, Thank you for your time, Please reply by letter, "
    "We shall come to your next meeting, Nobody has answered our last letter, With kind regards, "
    "Many of us have signed this"
)

_NEUTRAL = (
    "I have lived here for thirty years, Your office was closed when I called, "
    "The weather has been kind this spring, My neighbours asked me to write, We enjoyed the parade, "
    "Your secretary was most helpful"
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
    sentences += rng.sample(_NEUTRAL.split(", "), rng.choice((0, 1, 2)) if labels else 2)
    if rng.random() < _PASSING:
        other = rng.choice([label for label in _COMMON if label not in labels])
        sentences.append(f"This has nothing to do with the {rng.choice(_THINGS[other].split())} of last year")
    rng.shuffle(sentences)
    return ". ".join([_one_of(rng, _GREETINGS), *sentences, _one_of(rng, _CLOSINGS)]) + "."


def _complaint(rng: random.Random, label: str) -> str:
    thing = rng.choice(_THINGS[label].split())
    return f"The {thing} in {_one_of(rng, _PLACES)} {_one_of(rng, _COMPLAINTS)}"


def _one_of(rng: random.Random, phrases: str) -> str:
    return rng.choice(phrases.split(", "))
