"""Sentences with entities, a record each: TACRED, dependency trees, files of one's own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ...core import MalformedRecord, naming_file, shown, unknown_name
from ..samples import (
    CHEMPROT_MARKERS,
    RDR_MARKERS,
    SPACED_TAGS,
    TAGS,
    Corpus,
    Markers,
    ParsedSample,
    RelationSample,
    Span,
    TypedSample,
    parse_tagged,
    word_spans,
)
from ..tables import file_kind, open_source
from .parsing import Record, blocks, check_new, collect, field, json_array, json_record, lines, string
from .tagged import read_blocks

TREES = ".dep"
"""What the name of the file of trees has behind that of the sentences."""
ENDINGS = (".json", ".jsonl", ".csv", ".tsv", ".txt")
MARKERS: tuple[Markers, ...] = (
    SPACED_TAGS,
    TAGS,
    RDR_MARKERS,
    ("[E1] ", " [/E1]", "[E2] ", " [/E2]"),
    ("[E1]", "[/E1]", "[E2]", "[/E2]"),
    CHEMPROT_MARKERS,
)
"""Entity markers that are recognised; the first whose two opening ones occur is taken."""
TEXT, LABEL, WORDS = ("text", "sentence"), ("relation", "label"), ("token", "tokens")
SPANS = (("e1_start", "e1_end", "e2_start", "e2_end"), ("head_start", "head_end", "tail_start", "tail_end"))


def read_dependencies(path: Path | str, strict: bool = True, trees: Path | str | None = None) -> Corpus:
    """Tokenised sentences, and their trees in the file `trees` (None: the same name with `.dep` behind it).

    A line of the first is `entity 1 TAB entity 2 TAB relation TAB sentence`, the words and the tags
    `<e1>` `</e1>` `<e2>` `</e2>` separated by blanks. In the second a sentence has a line for each word,
    `head TAB number TAB name of the dependency`, in any order, heads and numbers counted from 1, head 0 for
    the root; a blank line ends it. The names are not kept.

    Returns `ParsedSample`s; the id is the number of the sentence, from 1, the text its words with blanks.

    Raises
    ------
    MalformedRecord : not four columns, tags missing; as many trees as sentences are not there; a tree that is
        none (two roots, a circle, a head out of range, a number missing), with the sentence's number.
    FileNotFoundError : one of the files.
    """
    trees = trees or f"{path}{TREES}"
    parses = [block for _, block in blocks(trees)]
    sentences = list(lines(path))
    if len(parses) != len(sentences):
        sizes = f"{len(parses)} trees for the {len(sentences)} sentences of {Path(path).name}"
        raise MalformedRecord(trees, sizes)

    def parse(_line: int, number: int, row: bytes) -> list[ParsedSample]:
        columns = row.decode().split("\t")
        if len(columns) != 4:
            raise ValueError(f"4 columns are expected, found {len(columns)}")
        text, head, tail = parse_tagged(columns[3].strip(), SPACED_TAGS)
        spans = word_spans(text.split(" "))
        heads = _heads(parses[number - 1], len(spans))
        return [ParsedSample(str(number), text, head, tail, columns[2], "", "", spans, heads)]

    return collect(path, sentences, parse, strict, "sentence")


def _heads(block: Sequence[str], size: int) -> tuple[int, ...]:
    """The heads in the order of the words, from the lines of one tree."""
    heads: dict[int, int] = {}
    for line in block:
        head, *others = line.split("\t")
        if len(others) != 2 or not all(re.fullmatch("[0-9]{1,6}", number) for number in (head, others[0])):
            raise ValueError(f"head, number and dependency are expected in its tree, not {shown(line)}")
        if heads.setdefault(int(others[0]), int(head)) != int(head):
            raise ValueError(f"word {int(others[0])} has two heads")
    missing = [word for word in range(1, size + 1) if word not in heads]
    if missing or len(heads) != size:
        lacks = f", word {missing[0]} is missing" if missing else ""
        raise ValueError(f"its tree has {len(heads)} words, the sentence {size}{lacks}")
    return tuple(heads[word] for word in range(1, size + 1))


def read_tacred(path: Path | str, strict: bool = True) -> Corpus:
    """The JSON form of TACRED and of C-GCN's code as `ParsedSample`s.

    A JSON array of objects with `id`, `relation`, `token`, `subj_start`, `subj_end`, `obj_start`, `obj_end`
    (words from 0, ends inclusive), `stanford_head` (from 1, 0 for the root) and, where they are known,
    `subj_type`, `obj_type`, `stanford_pos`, `stanford_ner`. Numbers may stand as text. Head is the subject.

    Raises
    ------
    MalformedRecord : with the sentence's number: a field missing or of another kind, an entity outside of the
        sentence, a tree that is none.

    >>> import json, tempfile
    >>> one = {"id": "7", "relation": "no_relation", "token": ["Ada", "left"], "stanford_head": ["2", 0]}
    >>> one |= {"subj_start": 0, "subj_end": 0, "obj_start": 1, "obj_end": 1, "subj_type": "PERSON"}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.json")
    ...     _ = path.write_text(json.dumps([one]))
    ...     read_tacred(path)[0].types
    ('PERSON', '')
    """

    def parse(_line: int, _number: int, item: Any) -> list[RelationSample]:
        field(item, "stanford_head")
        return [token_sample(item, string(item, "id"), string(item, "relation"))]

    return collect(path, json_array(path), parse, strict, "sentence")


def token_sample(record: Any, identifier: str, relation: str, words: str = "token") -> RelationSample:
    """A sample whose sentence is a list of words, in the forms of TACRED and of OpenNRE; ValueError says what
    it lacks.

    Entities are `h` and `t` with `pos` (first word, the one behind the last), or `subj_start`, `subj_end`,
    `obj_start`, `obj_end` (ends inclusive). With `stanford_head` the sample has its tree, with `subj_type`
    and `obj_type` the types; a number may stand as text.
    """
    tokens = _texts(record, words)
    if not tokens:
        raise ValueError("there is no word")
    text, spans = " ".join(tokens), word_spans(tokens)
    head, tail = ((spans[first][0], spans[end - 1][1]) for first, end in bounds(record, len(tokens)))
    head_type, tail_type = (
        string(record, name) if name in record else "" for name in ("subj_type", "obj_type")
    )
    sample = (identifier, text, head, tail, relation)
    if "stanford_head" in record:
        heads = tuple(_whole(value, "stanford_head") for value in _list(record, "stanford_head"))
        pos, ner = (
            _texts(record, name) if name in record else () for name in ("stanford_pos", "stanford_ner")
        )
        return ParsedSample(*sample, head_type, tail_type, spans, heads, pos, ner)
    typed = "subj_type" in record and "obj_type" in record
    return TypedSample(*sample, head_type, tail_type) if typed else RelationSample(*sample)


def bounds(record: Any, size: int) -> list[Span]:
    """Start and end (exclusive) of the two entities: words of `size`; of size 0, characters."""
    spans = []
    by_position = "h" in record or "t" in record
    for role in ("h", "t") if by_position else ("subj", "obj"):
        if by_position:
            pos = field(field(record, role), "pos")
            if not isinstance(pos, list | tuple) or len(pos) != 2:
                raise ValueError(f"pos of {shown(role)} is {shown(pos)}, not [start, end)")
            start, end = (_whole(value, "pos") for value in pos)
        else:
            start, last = (_whole(field(record, name), name) for name in (f"{role}_start", f"{role}_end"))
            end = last + 1
        if size and not 0 <= start < end <= size:
            raise ValueError(f"{role} is words {start} to {end - 1}; there are {size} words")
        if not 0 <= start <= end:
            raise ValueError(f"pos of {shown(role)} is [{start}, {end}]: it has to rise from 0 on")
        spans.append((start, end))
    return spans


def _list(record: Any, name: str) -> list:
    items = field(record, name)
    if not isinstance(items, list | tuple):
        raise ValueError(f"the field {shown(name)} is {shown(items)}, not a list")
    return list(items)


def _texts(record: Any, name: str) -> tuple[str, ...]:
    texts = _list(record, name)
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str) or not text:
            raise ValueError(f"word {number} of {shown(name)} is {shown(text)}, not text")
    return tuple(texts)


def _whole(value: Any, name: str) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{shown(name)} is {shown(value)}, not a whole number")
    return value


def read_relation_file(
    path: Path | str, strict: bool = True, relations: tuple[str, ...] | None = None
) -> Corpus:
    """Sentences with two entities and their relation, in one of the usual forms, chosen by the ending.

    - .json: an array of objects. TACRED's: `token`, `subj_start`, `subj_end`, `obj_start`, `obj_end` (words
      from 0, ends inclusive), `relation`, and `stanford_head` for a dependency tree. OpenNRE's: `token`, `h`
      and `t` with `pos` (words, ends exclusive), `relation`. Or as in a line of .jsonl.
    - .jsonl, .csv, .tsv: `text` (or sentence), `relation` (or label), and either the entities marked in the
      text (`<e1>fire</e1>`, `[E1] fire [/E1]` and the like) or `e1_start`, `e1_end`, `e2_start`, `e2_end`
      (or head_, tail_): characters from 0, ends exclusive. A line of .jsonl may also be one of .json.
    - .txt: blocks as SemEval-2010 and KBP37 have them, of any relations, in UTF-8.

    The id is `id`, or the number of the record. All but .txt may be gzipped.

    Parameters
    ----------
    relations : the known ones; another one is malformed. None: any.

    Raises
    ------
    MalformedRecord : with the line: a field that is missing or of another kind, no marker or one too many, an
        entity outside of the sentence, an unknown relation, an id that occurs twice.
    ValueError : an unknown ending.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.csv")
    ...     _ = path.write_text("text,relation\\n<e1>Ada</e1> left <e2>Rome</e2>.,left\\n")
    ...     read_relation_file(path)[0].head_text
    'Ada'
    """
    path = Path(path)
    ending = Path(path.name.lower().removesuffix(".gz")).suffix
    if ending not in ENDINGS:
        raise ValueError(f"{path}: unknown ending; known are {', '.join(ENDINGS)}")
    first: dict[str, int] = {}

    def parse(line: int, number: int, content: Any) -> list[RelationSample]:
        sample = _sample(json_record(content), number)
        if relations is not None and sample.relation not in relations:
            raise unknown_name("relation", sample.relation, relations)
        check_new(first, sample.id, line)
        return [sample]

    if ending == ".txt":
        return read_blocks(path, strict, relations)
    with naming_file(path):
        return collect(path, records_of(path), parse, strict)


def records_of(path: Path | str) -> Iterator[Record]:
    """Each record of a .json, .jsonl, .csv or .tsv file with its line: an object, or bytes that hold one in
    JSON; of a table the cells by column. ValueError for another ending."""
    ending = f".{file_kind(path)}"
    if ending not in ENDINGS[:-1]:
        raise ValueError(f"{path}: unknown ending; known are {', '.join(ENDINGS[:-1])}")
    readers = {".json": json_array, ".jsonl": lines}
    yield from readers[ending](path) if ending in readers else open_source(path).rows()


def _sample(record: Any, number: int) -> RelationSample:
    """A record as a sample; ValueError says what it lacks."""
    known = record if isinstance(record, dict) else {}
    text_name, relation_name = (
        next((name for name in names if name in known), names[0]) for names in (TEXT, LABEL)
    )
    relation = string(record, relation_name)
    identifier = str(record.get("id") or number)
    if words := next((name for name in WORDS if name in record), None):
        return token_sample(record, identifier, relation, words)
    text = string(record, text_name)
    if named := next((names for names in SPANS if names[0] in record), None):
        head_start, head_end, tail_start, tail_end = (_whole(field(record, name), name) for name in named)
        return RelationSample(identifier, text, (head_start, head_end), (tail_start, tail_end), relation)
    markers = next((markers for markers in MARKERS if markers[0] in text and markers[2] in text), None)
    if markers is None:
        forms = ", ".join("".join(markers[:2]) for markers in MARKERS[1:])
        raise ValueError(f"no entities are marked in {shown(text)}, and there is no e1_start. Known: {forms}")
    return RelationSample(identifier, *parse_tagged(text, markers), relation)
