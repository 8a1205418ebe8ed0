"""Distant supervision: its files as mentions, and what they hold before anything is scored.

OpenNRE's lines (NYT10, NYT10m, Wiki20m, Wiki80), the sentences of GIDS, and the side information that RESIDE
adds to them. A mention is a sentence with two entities of a knowledge base (`bags`).
"""

from __future__ import annotations

import ast
import csv
import functools
import itertools
import json
import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import RESULTS
from ..core import MalformedRecord, naming_file, read_file, shown, unknown_name
from .bags import Mention, make_bags, without_duplicates
from .readers import Corpus, collect, field, lines, string
from .samples import RelationSample, Span

Pair = tuple[str, str]
ONTOLOGY = RESULTS / "published" / "nyt10m_relations.csv"
END = "###END###"
MOST_CHARACTERS, MOST_DEPTH = 1 << 20, 50
"""Of a line that is a Python literal; Python's parser is not made for hostile ones."""

_DEGREE = "/people/person/education./education/education/degree"
GIDS_RELATIONS = (
    "NA",
    "/people/deceased_person/place_of_death",
    "/people/person/education./education/education/institution",
    "/people/person/place_of_birth",
    _DEGREE,
)
"""In the order of the columns and gold numbers of Jat et al.'s published probabilities.

The file relation2id.txt beside them has another order; but only in this one the numbers are the relations of
the sentences, pair by pair (`ranked_lists.read_gids_probabilities`).
"""


def read_opennre(path: Path | str, strict: bool = True) -> Corpus:
    """OpenNRE's lines as `Mention`s: one sentence a line, JSON or a Python dictionary.

    A line has `text` with character offsets or `token` with token offsets, `h` and `t` with `pos` [start,
    end), `id` and `name`, and `relation`; lines that annotators looked at have `anno_relation_list` too. The
    text of tokens is the tokens with one blank between; a token may be blanks or an end of line (in 130
    sentences of Wiki80). An entity without `id` is known by its name. The sample's id is the line number.

    Raises
    ------
    MalformedRecord : neither JSON nor a Python dictionary, a field missing or of another type, a place
        outside of the sentence, an empty relation or list of annotated relations.

    Source: Gao et al. 2021 and OpenNRE, which evaluates each line as Python; nothing is evaluated here.

    >>> import tempfile
    >>> line = {"token": ["Ada", "left", "London"], "relation": "NA"}
    >>> line |= {"h": {"id": "Q1", "name": "ada", "pos": [0, 1]}}
    >>> line |= {"t": {"id": "Q84", "name": "london", "pos": [2, 3]}}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "test.txt")
    ...     _ = path.write_text(json.dumps(line) + "\\n" + str(line))
    ...     [(one.head, one.tail, one.sample.tail_text) for one in read_opennre(path)]
    [('Q1', 'Q84', 'London'), ('Q1', 'Q84', 'London')]
    """

    def parse(line: int, row: bytes) -> list[Mention]:
        record = _literal(row.decode()) if re.match(rb"\s*\{\s*'", row) else json.loads(row)
        text, head, tail = _placed(record)
        sample = RelationSample(str(line), text, head, tail, string(record, "relation"))
        head_id, tail_id = (_identifier(field(record, name)) for name in ("h", "t"))
        return [Mention(sample, head_id, tail_id, _annotated(record))]

    return collect(path, lines(path), parse, strict)


def _literal(text: str) -> Any:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"a Python literal of {len(text)} characters; at most {MOST_CHARACTERS} are read")
    steps = (1 if letter in "([{" else -1 if letter in ")]}" else 0 for letter in text)
    if max(itertools.accumulate(steps)) > MOST_DEPTH:
        raise ValueError(f"a Python literal nested more than {MOST_DEPTH} deep")
    try:
        return ast.literal_eval(text.strip())
    except (SyntaxError, MemoryError, RecursionError) as error:
        raise ValueError(f"no valid Python literal ({error})") from None


def _placed(record: Any) -> tuple[str, Span, Span]:
    """The sentence, and where in it the two entities stand."""
    head, tail = (_place(field(record, name), name) for name in ("h", "t"))
    if "text" in record:
        return string(record, "text"), head, tail
    tokens = field(record, "token")
    if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
        raise ValueError(f"the field 'token' is {shown(tokens)}, not a list of strings")
    ends = list(itertools.accumulate(len(token) + 1 for token in tokens))
    for start, end in (head, tail):
        if not start < end <= len(tokens):
            raise ValueError(f"pos {[start, end]} names no tokens; the sentence has {len(tokens)}")
    head, tail = ((ends[start] - len(tokens[start]) - 1, ends[end - 1] - 1) for start, end in (head, tail))
    return " ".join(tokens), head, tail


def _place(entity: Any, name: str) -> Span:
    place = field(entity, "pos")
    if not (isinstance(place, list | tuple) and len(place) == 2 and all(type(one) is int for one in place)):
        raise ValueError(f"pos of {name!r} is {shown(place)}, not [start, end)")
    if not 0 <= place[0] <= place[1]:
        raise ValueError(f"pos of {name!r} is {shown(place)}: it has to rise from 0 on")
    return place[0], place[1]


def _identifier(entity: Any) -> str:
    found = entity.get("id", "")
    found = str(found) if type(found) is int else found
    if found and not isinstance(found, str):
        raise ValueError(f"id is {shown(found)}, neither a string nor an integer")
    if not (found := found or string(entity, "name")):
        raise ValueError("an entity has neither id nor name")
    return found


def _annotated(record: Any) -> tuple[str, ...]:
    if "anno_relation_list" not in record:
        return ()
    found = record["anno_relation_list"]
    if not (isinstance(found, list | tuple) and found and all(isinstance(one, str) and one for one in found)):
        raise ValueError(f"anno_relation_list is {shown(found)}, not a list of names; none is written ['NA']")
    return tuple(dict.fromkeys(found))


NAME_RULES: dict[str, Callable[[str], re.Pattern[str]]] = {
    "word": lambda name: re.compile(rf"(?<!\S){re.escape(name)}(?!\S)"),
    "word with punctuation": lambda name: re.compile(rf"(?<!\w){re.escape(name)}(?!\w)"),
    "other spelling": lambda name: re.compile(
        rf"(?<!\w){re.escape(name).replace('_', '[_ ]')}(?!\w)", re.IGNORECASE
    ),
    "part of a word": lambda name: re.compile(re.escape(name).replace("_", "[_ ]"), re.IGNORECASE),
}
"""How a name is looked for in a sentence, one rule after the other; the first place that fits is taken."""
ABSENT = "absent"


def find_name(text: str, name: str) -> tuple[Span, str]:
    """Where a name stands in a sentence, and the rule (`NAME_RULES`) that found it; (0, 0) if it is absent.

    >>> find_name("Ada_Lovelace left London, at last", "London")
    ((18, 24), 'word with punctuation')
    >>> find_name("Ada_Lovelace left", "London")
    ((0, 0), 'absent')
    """
    for rule, pattern in NAME_RULES.items() if name else ():
        if found := pattern(name).search(text):
            return found.span(), rule
    return (0, 0), ABSENT


def read_gids(path: Path | str, strict: bool = True) -> Corpus:
    """GIDS (Jat et al. 2017) as `Mention`s: two identifiers, two names, relation and sentence, by tabs.

    The sentence ends with `###END###`, which is left out. Names have `_` for blanks, in the sentence too,
    which is kept as it is (`text.replace("_", " ")` moves no character). Where a name stands is not in the
    file: `find_name` looks for it, and `.notes` counts the rules, as `head: word`. An entity that is nowhere
    has an empty span at the start, the position 0 of programs that count words; the published files have
    none. The sample's id is the line number. The relation `…/degree` is `…/degrees` in relation2id.txt.

    Raises
    ------
    MalformedRecord : not six columns, an empty identifier, name or relation, no `###END###`, not UTF-8.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "dev.tsv")
    ...     _ = path.write_text("/m/1\\t/m/2\\tAda_L\\tLondon\\tNA\\tAda_L left London. ###END### \\n")
    ...     mentions = read_gids(path)
    >>> mentions[0].sample.tail_text, sorted(mentions.notes)
    ('London', ['head: word', 'tail: word with punctuation'])
    """
    notes: Counter[str] = Counter()

    def parse(line: int, row: bytes) -> list[Mention]:
        columns = row.decode().split("\t")
        if len(columns) != 6:
            raise ValueError(f"6 columns are expected, found {len(columns)}")
        *names, sentence = columns
        titles = ("first identifier", "second identifier", "first name", "second name", "relation")
        for title, value in zip(titles, names, strict=True):
            if not value.strip():
                raise ValueError(f"the {title} is empty")
        text, end, rest = sentence.partition(END)
        if not end or rest.strip():
            raise ValueError(f"the sentence has to end with {END}, once")
        text = text.strip()
        (head, head_rule), (tail, tail_rule) = (find_name(text, name) for name in names[2:4])
        notes.update((f"head: {head_rule}", f"tail: {tail_rule}"))
        return [Mention(RelationSample(str(line), text, head, tail, names[4]), names[0], names[1])]

    corpus = collect(path, lines(path), parse, strict)
    corpus.notes = notes
    return corpus


def read_entity_types(path: Path | str) -> dict[str, tuple[str, ...]]:
    """Entity → its types in Freebase, from RESIDE's JSON object of lists.

    Raises
    ------
    MalformedRecord : no JSON object of lists of strings; with the line where the JSON breaks off.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "types.json")
    ...     _ = path.write_text('{"/m/0100b5": ["/location"]}')
    ...     read_entity_types(path)
    {'/m/0100b5': ('/location',)}
    """
    return _read_lists(path)


def read_relation_aliases(path: Path | str) -> dict[str, tuple[str, ...]]:
    """Relation → phrases that say it, from RESIDE's JSON object of lists.

    Its `/people/person/education./education/education/degrees` is called `…/degree` here, as the sentences of
    GIDS have it.

    Raises
    ------
    MalformedRecord : as `read_entity_types`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "alias.json")
    ...     _ = path.write_text('{"/people/person/place_of_birth": ["born in", "birthplace"]}')
    ...     read_relation_aliases(path)["/people/person/place_of_birth"]
    ('born in', 'birthplace')
    """
    return {_DEGREE if name == f"{_DEGREE}s" else name: own for name, own in _read_lists(path).items()}


def _read_lists(path: Path | str) -> dict[str, tuple[str, ...]]:
    with naming_file(path):
        content = read_file(path)
        try:
            found = json.loads(content.decode())
        except json.JSONDecodeError as error:
            raise MalformedRecord(path, f"no valid JSON: {error.msg}", error.lineno) from error
        except RecursionError as error:
            raise MalformedRecord(path, "nested too deeply") from error
        except ValueError as error:  # not UTF-8, or a number of thousands of digits
            raise MalformedRecord(path, f"no valid JSON ({error})") from error
        if not isinstance(found, dict):
            raise MalformedRecord(path, f"a JSON object is expected, not {type(found).__name__}")
        for name, own in found.items():
            if not isinstance(own, list) or not all(isinstance(one, str) for one in own):
                raise MalformedRecord(path, f"{shown(name)} has {shown(own)}, not a list of strings")
    return {name: tuple(own) for name, own in found.items()}


def masked_sample(sample: RelationSample, head: str = "[HEAD]", tail: str = "[TAIL]") -> RelationSample:
    """The sample with each entity replaced by a word, so that a model sees the context only (BERT-M).

    Where the two overlap, all that either covers is replaced by both words, in the order of their starts. An
    entity with an empty span is written in.

    Source: Gao et al. 2021, Figure 4; OpenNRE takes [unused4] and [unused5].

    >>> one = masked_sample(RelationSample("1", "Ada left London.", (0, 3), (9, 15), "NA"))
    >>> one.text, one.head_text, one.tail_text
    ('[HEAD] left [TAIL].', '[HEAD]', '[TAIL]')
    """
    entities = sorted([(sample.head, 0, head), (sample.tail, 1, tail)])
    (one, _, word), (other, _, other_word) = entities
    text, start = sample.text[: one[0]] + word, one[0]
    spans = [(start, len(text))]
    text += " " if other[0] < one[1] or other == one else sample.text[one[1] : other[0]]
    spans.append((len(text), len(text) + len(other_word)))
    text += other_word + sample.text[max(one[1], other[1]) :]
    placed = {which: span for (_, which, _), span in zip(entities, spans, strict=True)}
    return replace(sample, text=text, head=placed[0], tail=placed[1])


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


def nyt10m_relation(old: str) -> str | None:
    """What NYT10m calls a relation of NYT10; None if it has it no more.

    Whether sentences of such a relation were dropped or called NA is not said in the paper.

    Raises ValueError for a relation that NYT10 does not have.

    >>> nyt10m_relation("/sports/sports_team/location"), nyt10m_relation("/people/person/profession")
    ('/business/location', None)
    """
    if old not in nyt10m_relations():
        raise unknown_name("relation of NYT10", old, nyt10m_relations())
    return nyt10m_relations()[old]


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
    bags = {(one.head, one.tail, label) for one in corpus for label in one.relations}
    positive = [sum(label != negative for label in bag.relations) for bag in pairs]
    of_sentences = sum(set(one.relations) == {negative} for one in corpus)
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
        annotated=sum(bool(one.annotated) for one in corpus),
        malformed=len(corpus.malformed),
        notes=dict(sorted(corpus.notes.items())),
    )


def shared_pairs(train: Iterable[Mention], test: Iterable[Mention]) -> list[Pair]:
    """Entity pairs that occur in both, in the order of the second: a model may know their relation by heart.

    >>> one = Mention(RelationSample("1", "Ada left London", (0, 3), (9, 15), "NA"), "Q1", "Q84")
    >>> shared_pairs([one], [one, one._replace(head="Q2")])
    [('Q1', 'Q84')]
    """
    known = {(one.head, one.tail) for one in train}
    return [pair for pair in dict.fromkeys((one.head, one.tail) for one in test) if pair in known]
