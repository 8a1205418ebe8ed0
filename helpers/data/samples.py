"""What a sample of relation classification is, and how entity markers enter and leave its text.

A sample holds the sentence without markers; the two entities are character spans. Any four markers can be put
in (`render`) or read back (`parse_tagged`). This module reads no files and does not tokenise.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from ..core import MalformedRecord

Span = tuple[int, int]
Markers = tuple[str, str, str, str]
TAGS: Markers = ("<e1>", "</e1>", "<e2>", "</e2>")
"""SemEval's tags: open and close entity 1, open and close entity 2."""
SPACED_TAGS: Markers = ("<e1> ", " </e1>", "<e2> ", " </e2>")
RDR_MARKERS: Markers = ("[E11] ", " [E12]", "[E21] ", " [E22]")
CHEMPROT_MARKERS: Markers = ("<< ", " >>", "[[ ", " ]]")


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
                raise ValueError(
                    f"{name} span ({start}, {end}) does not lie in the text of length {len(self.text)}"
                )
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

    `malformed` : the errors of those left out (none if strict). `notes` : what else a reader counted.
    """

    def __init__(self, records: Iterable[Any] = (), malformed: Iterable[MalformedRecord] = ()) -> None:
        super().__init__(records)
        self.malformed = list(malformed)
        self.notes: Counter[str] = Counter()


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


def parse_tagged(text: str, markers: Markers = TAGS, closing_repeats: bool = False) -> tuple[str, Span, Span]:
    """Take the four markers out of a sentence: `(text, head, tail)`, the inverse of `render`.

    Between markers with blanks an empty entity may be written with one blank, `<e1> </e1>`, as KBP37 does.

    Parameters
    ----------
    text : the sentence with each marker exactly once.
    markers : open and close entity 1, open and close entity 2.
    closing_repeats : if True, a closing marker may occur more than once and the first one after its opening
        counts. ChemProt needs it: nine of its sentences also use `>>` for "much greater than".

    Raises
    ------
    ValueError : a marker is missing or repeated, or an entity closes before it opens.

    >>> parse_tagged("The <e1>fire</e1> caused <e2>panic</e2>.")
    ('The fire caused panic.', (4, 8), (16, 21))
    """
    for opening, closing in (markers[:2], markers[2:]):
        if opening.endswith(" ") and closing.startswith(" "):
            text = text.replace(opening + closing[1:], opening + closing)
    spans = [_marked(text, markers[i], markers[i + 1], closing_repeats) for i in (0, 2)]
    cuts = sorted((start, start + len(marker)) for span in spans for start, marker in span)
    kept, last = [], 0
    for start, end in cuts:
        if start < last:
            raise ValueError(f"two markers overlap at character {start}")
        kept.append(text[last:start])
        last = end
    head, tail = ((_without(cuts, first), _without(cuts, second)) for (first, _), (second, _) in spans)
    return "".join(kept) + text[last:], head, tail


def _marked(text: str, opening: str, closing: str, repeats: bool) -> tuple[tuple[int, str], tuple[int, str]]:
    for marker in (opening, closing):
        times = text.count(marker)
        if times == 0 or (times > 1 and not (repeats and marker == closing)):
            raise ValueError(f"marker {marker.strip()!r} occurs {times} times: exactly one is needed")
    start = text.index(opening)
    end = text.find(closing, start + len(opening)) if repeats else text.index(closing)
    if end < start + len(opening):
        raise ValueError(f"marker {closing.strip()!r} comes before {opening.strip()!r}")
    return (start, opening), (end, closing)


def _without(cuts: list[tuple[int, int]], position: int) -> int:
    """Where the character at `place` stands once all markers are cut out."""
    return position - sum(end - start for start, end in cuts if start < position)
