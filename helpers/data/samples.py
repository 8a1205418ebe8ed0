"""What a sample of relation classification is, and how entity markers enter and leave its text.

A sample holds the sentence without markers; the two entities are character spans. Any four markers can be put
in (`render`) or read back (`parse_tagged`).

A sample may also have the types of its entities, and a dependency tree: a head for each of T words, its
number in the sentence, counted from 1, or 0 for the root. What a graph model reads of it is cut out around
the path between the two entities (`pruned_heads`).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..core import shown

Span = tuple[int, int]
Markers = tuple[str, str, str, str]
TAGS: Markers = ("<e1>", "</e1>", "<e2>", "</e2>")
"""SemEval's tags: open and close entity 1, open and close entity 2."""
SPACED_TAGS: Markers = ("<e1> ", " </e1>", "<e2> ", " </e2>")
RDR_MARKERS: Markers = ("[E11] ", " [E12]", "[E21] ", " [E22]")
CHEMPROT_MARKERS: Markers = ("<< ", " >>", "[[ ", " ]]")
MARKERS: tuple[Markers, ...] = (
    SPACED_TAGS,
    TAGS,
    RDR_MARKERS,
    ("[E1] ", " [/E1]", "[E2] ", " [/E2]"),
    ("[E1]", "[/E1]", "[E2]", "[/E2]"),
    CHEMPROT_MARKERS,
)
"""Entity markers that are recognised; the first whose two opening ones occur is taken."""


@dataclass(frozen=True, slots=True)
class RelationSample:
    """One sentence, two entities in it, and the relation between them.

    Attributes
    ----------
    id : the corpus's own identifier, as a string.
    text : the sentence without markers.
    head, tail : character spans `(start, end)` of entity 1 and entity 2 in `text`, end exclusive. Either may
        come first in the text, they may overlap, and an entity may be empty (start = end): 146 samples of
        KBP37 have an empty one.
    relation : the label.

    Raises
    ------
    ValueError : a span lies outside the text, or the relation is empty.

    >>> sample = RelationSample("1", "The fire caused the panic.", (4, 8), (20, 25), "Cause-Effect(e1,e2)")
    >>> sample.head_text, sample.tail_text
    ('fire', 'panic')
    """

    id: str
    text: str
    head: Span
    tail: Span
    relation: str

    def __post_init__(self) -> None:
        for name, (start, end) in (("head", self.head), ("tail", self.tail)):
            if not 0 <= start <= end <= len(self.text):
                where = f"does not lie in the text of length {len(self.text)}"
                raise ValueError(f"{name} span ({start}, {end}) {where}")
        if not self.relation:
            raise ValueError("the relation is empty")

    @property
    def head_text(self) -> str:
        """The words of entity 1."""
        return self.text[slice(*self.head)]

    @property
    def tail_text(self) -> str:
        """The words of entity 2."""
        return self.text[slice(*self.tail)]


class Corpus(list):
    """The records of a file in order.

    `notes` : what else a reader counted.
    """

    notes: Mapping[str, int] = {}


class Fact(NamedTuple):
    """A labelled fact: `relation` holds from `head` to `tail` (names) in `source` (document or sentence)."""

    source: str
    head: str
    tail: str
    relation: str


def samples_sha256(samples: Iterable[RelationSample]) -> str:
    """The sha256 of samples: of all their fields, in their order.

    >>> samples_sha256([RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")])[:16]
    'ec5b79132ea7ed6c'
    """
    hashed = hashlib.sha256()
    for sample in samples:
        hashed.update(json.dumps(astuple(sample)).encode() + b"\n")
    return hashed.hexdigest()


def word_spans(words: Sequence[str]) -> tuple[Span, ...]:
    """Character spans of words that are joined by blanks.

    >>> word_spans(["Fire", "and", "panic"])
    ((0, 4), (5, 8), (9, 14))
    """
    ends = [-1]
    for word in words:
        ends.append(ends[-1] + 1 + len(word))
    return tuple((end + 1, following) for end, following in pairwise(ends))


def render(sample: RelationSample, markers: Markers = TAGS) -> str:
    """The sentence with four markers put in: open and close entity 1, open and close entity 2.

    Markers are inserted as they are; give them blanks (`RDR_MARKERS`) to keep them apart from the words. At
    one place in the text a closing marker comes before an opening one; of two spans that start together the
    longer opens first.

    >>> render(RelationSample("1", "fire and panic", (9, 14), (0, 4), "Other"), ("[", "]", "{", "}"))
    '{fire} and [panic]'
    """
    places = []
    for order, (start, end) in enumerate((sample.head, sample.tail)):
        opening, closing = markers[2 * order : 2 * order + 2]
        if start == end:
            places.append((start, 1, order, opening + closing))
        else:
            places += [(end, 0, -start, closing), (start, 2, -end, opening)]
    pieces, last = [], 0
    for position, _, _, marker in sorted(places, key=lambda entry: entry[:3]):
        pieces += [sample.text[last:position], marker]
        last = position
    return "".join(pieces) + sample.text[last:]


def parse_tagged(text: str, markers: Markers | None = TAGS) -> tuple[str, Span, Span]:
    """Take the four markers out of a sentence: `(text, head, tail)`, the inverse of `render`.

    Between markers with blanks an empty entity may be written with one blank, `<e1> </e1>`, as KBP37 does.

    Parameters
    ----------
    text : the sentence with each marker exactly once. Of ChemProt's a closing one may occur again, and the
        first one after its opening counts: nine of its sentences also use `>>` for "much greater than".
    markers : open and close entity 1, open and close entity 2; None: those of `MARKERS` that it has.

    Raises
    ------
    ValueError : a marker is missing or repeated, or an entity closes before it opens; none is recognised.

    >>> parse_tagged("The <e1>fire</e1> caused <e2>panic</e2>.")
    ('The fire caused panic.', (4, 8), (16, 21))
    """
    markers = markers or next((known for known in MARKERS if known[0] in text and known[2] in text), None)
    if markers is None:
        forms = ", ".join("".join(known[:2]) for known in MARKERS[1:])
        raise ValueError(f"no entities are marked in {shown(text)}, and there is no e1_start. Known: {forms}")
    for opening, closing in (markers[:2], markers[2:]):
        if opening.endswith(" ") and closing.startswith(" "):
            text = text.replace(opening + closing[1:], opening + closing)
    starts: list[int] = []
    for number, marker in enumerate(markers):
        closes, times = number % 2 == 1, text.count(marker)
        if times == 0 or (times > 1 and not (closes and markers == CHEMPROT_MARKERS)):
            raise ValueError(f"marker {marker.strip()!r} occurs {times} times: exactly one is needed")
        opened = starts[-1] + len(markers[number - 1]) if closes else 0  # where the entity begins
        starts.append(text.find(marker, opened))
        if starts[-1] < opened:
            raise ValueError(f"marker {marker.strip()!r} comes before {markers[number - 1].strip()!r}")
    kept, last, places = "", 0, [0] * 4
    for start, number in sorted(zip(starts, range(4), strict=True)):
        if start < last:
            raise ValueError(f"two markers overlap at character {start}")
        kept += text[last:start]
        places[number], last = len(kept), start + len(markers[number])
    return kept + text[last:], (places[0], places[1]), (places[2], places[3])


WHOLE_TREE = -1
"""As distance: nothing is left out."""


@dataclass(frozen=True, slots=True)
class TypedSample(RelationSample):
    """A sample whose entities have types, such as PERSON and CITY; '' is an unknown type.

    >>> TypedSample("1", "Ada of Rome", (0, 3), (7, 11), "born", "PERSON", "CITY").types
    ('PERSON', 'CITY')
    """

    head_type: str = ""
    tail_type: str = ""

    @property
    def types(self) -> tuple[str, str]:
        """The types of head and tail."""
        return self.head_type, self.tail_type


@dataclass(frozen=True, slots=True)
class ParsedSample(TypedSample):
    """A sample with the words that a parser saw, and their dependency tree.

    Attributes
    ----------
    words : character span of each word in `text`, in order. heads : of each word, from 1; 0 for the root.
    pos, ner : part of speech and named-entity tag of each word; empty if they are not known.

    Raises ValueError : a span outside of the text, columns of different length, and as `_check_tree`.

    >>> spans = ((0, 4), (5, 11), (12, 17))
    >>> sample = ParsedSample("1", "Fire causes panic", (0, 4), (12, 17), "c", "", "", spans, (2, 0, 2))
    >>> sample.tokens, sample.words_of(sample.tail)
    (('Fire', 'causes', 'panic'), (2,))
    """

    words: tuple[Span, ...] = ()
    heads: tuple[int, ...] = ()
    pos: tuple[str, ...] = ()
    ner: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        RelationSample.__post_init__(self)
        for start, end in self.words:
            if not 0 <= start < end <= len(self.text):
                raise ValueError(f"word ({start}, {end}) does not lie in the text of length {len(self.text)}")
        for name in ("heads", "pos", "ner"):
            count = len(getattr(self, name))
            if count != len(self.words) and (count or name == "heads"):
                raise ValueError(f"there are {len(self.words)} words and {count} {name}")
        _check_tree(self.heads)

    @property
    def tokens(self) -> tuple[str, ...]:
        """The words themselves."""
        return tuple(self.text[start:end] for start, end in self.words)

    def words_of(self, span: Span) -> tuple[int, ...]:
        """Positions of the words that a span touches, from 0; of an empty span the word at or after it."""
        start, end = span[0], max(span[1], span[0] + 1)
        touched = tuple(position for position, (a, b) in enumerate(self.words) if a < end and start < b)
        after = next((word for word, (_, b) in enumerate(self.words) if b > start), len(self.words) - 1)
        return touched or (after,)


def _check_tree(heads: Sequence[int]) -> None:
    """Raise ValueError unless the heads make one tree: what is wrong, and at which word (from 1).

    >>> _check_tree([2, 0, 2])
    >>> _check_tree([2, 1, 0])
    Traceback (most recent call last):
    ValueError: the heads go in a circle at word 1
    >>> _check_tree([0, 0])
    Traceback (most recent call last):
    ValueError: a tree has one root; here are 2, words 1, 2
    """
    if not heads:
        raise ValueError("a tree has at least one word")
    for word, head in enumerate(heads, start=1):
        if not isinstance(head, int | np.integer) or isinstance(head, bool):
            raise ValueError(f"the head of word {word} is {head!r}, which is no number")
        if not 0 <= head <= len(heads):
            raise ValueError(f"the head of word {word} is {head}; there are {len(heads)} words")
    roots = [word for word, head in enumerate(heads, start=1) if head == 0]
    reached = np.array([0, *heads])  # of each word, the head; after every doubling, twice as far up
    for _ in range(len(heads).bit_length()):
        reached = reached[reached]
    if len(roots) != 1 and (roots or not reached.any()):
        places = ", ".join(map(str, roots[:5]))
        raise ValueError(f"a tree has one root; here are {len(roots)}, words {places}")
    if reached.any():
        raise ValueError(f"the heads go in a circle at word {reached.astype(bool).argmax()}")


def _ancestors(heads: np.ndarray) -> np.ndarray:
    """(D, T): row d holds each word's ancestor d steps up, row 0 the word itself; T where there is none.

    D is the number of steps after which nothing is left. The heads have to make a tree (`_check_tree`).

    >>> _ancestors(np.array([2, 0, 2])).tolist()
    [[0, 1, 2], [1, 3, 1], [3, 3, 3]]
    """
    size = len(heads)
    parent = np.append(np.where(heads > 0, heads - 1, size), size)
    rows = [np.arange(size)]
    while (rows[-1] < size).any():
        rows.append(parent[rows[-1]])
    return np.stack(rows)


def pruned_heads(
    heads: Sequence[int], subject: Sequence[int], object_: Sequence[int], distance: float = 1
) -> np.ndarray:
    """(T,) the tree around the path between two entities: heads, 0 for its top word, −1 for words left out.

    Of all words of both entities, the lowest common ancestor (LCA) is the top. The path is every word between
    an entity's word and the LCA, both included. A word below the LCA stays if it stands at most `distance`
    steps below the path (Zhang, Qi, Manning 2018, section 3.2).

    Parameters
    ----------
    heads : of the T words, from 1; 0 for the root. subject, object_ : positions of their words, from 0.
    distance : 0 (the path alone), 1, 2, …; `math.inf`: the whole subtree of the LCA; −1 (`WHOLE_TREE`): the
        whole tree, as the released code's option of that value does.

    Raises ValueError for another distance.

    >>> heads = [2, 0, 4, 2, 4]  # He likes cold tea now
    >>> [pruned_heads(heads, [0], [3], distance).tolist() for distance in (0, 1, -1)]
    [[2, 0, -1, 2, -1], [2, 0, 4, 2, 4], [2, 0, 4, 2, 4]]
    >>> pruned_heads(heads, [3], [3], 0).tolist()
    [-1, -1, -1, 0, -1]
    """
    if not distance >= WHOLE_TREE or distance != np.inf and distance != int(distance):
        raise ValueError(f"distance is {distance!r}; it must be -1, 0, 1, 2, … or inf")
    given = np.asarray(heads, dtype=np.intp)
    if distance == WHOLE_TREE:
        return given.copy()
    up, size = _ancestors(given), len(given)
    entities = up[:, [*subject, *object_]]  # (D, words of the entities)
    above = np.zeros((entities.shape[1], size + 1), dtype=bool)
    above[np.arange(entities.shape[1]), entities] = True
    common = above[:, :size].all(axis=0)
    depth = (up < size).sum(axis=0)
    top = np.where(common, depth, 0).argmax()
    path = np.append(above[:, :size].any(axis=0) & ~common, False)
    path[top] = True
    steps = path[up]  # (D, T): whether the ancestor so many steps up is on the path
    kept = steps.any(axis=0) & (steps.argmax(axis=0) <= distance)
    pruned = np.where(kept, given, -1)
    pruned[top] = 0
    return pruned
