"""Sentences with two entities as samples: SemEval-2010, KBP37, ChemProt, TACRED, trees, one's own files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any

from ..core import SEMEVAL_RELATIONS, MalformedRecord, read_file, shown, unknown_name
from .files import locate
from .records import Record, collect, field, lines, records_of
from .samples import (
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
from .tables import file_kind

TREES = ".dep"
"""What the name of the file of trees has behind that of the sentences."""
PTR_FILES = {"train": "semeval2010/ptr_split/train.txt", "dev": "semeval2010/ptr_split/dev.txt"}
TEXT, LABEL, WORDS = ("text", "sentence"), ("relation", "label"), ("token", "tokens")
SPANS = (("e1_start", "e1_end", "e2_start", "e2_end"), ("head_start", "head_end", "tail_start", "tail_end"))


def read_semeval(path: Path | str) -> Corpus:
    """The official SemEval-2010 Task 8 files (`TRAIN_FILE.TXT`, `TEST_FILE_FULL.TXT`) as `RelationSample`s.

    A record is a block of lines, ended by a blank one: `id TAB "sentence with tags"`, the relation, and a
    comment (`Comment: …`). Line ends may be CRLF; bytes are read as Latin-1, which never fails (the official
    files are plain ASCII).

    Raises MalformedRecord : tags, quotes or tab missing, a relation that is none of the 19, an id that occurs
    twice.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.txt")
    ...     _ = path.write_text('1\\t"<e1>Fire</e1> and <e2>panic</e2>."\\nOther\\nComment:\\n')
    ...     read_semeval(path)[0].text
    'Fire and panic.'
    """
    return _read_blocks(path, SEMEVAL_RELATIONS, TAGS, "latin-1")


def _read_blocks(
    path: Path | str,
    relations: Collection[str] | None,
    markers: Markers | None = None,
    encoding: str = "utf-8",
) -> Corpus:
    """relations : the known ones; None: any word. markers : None: those that are recognised."""

    def parse(_line: int | None, _number: int, rows: list[bytes]) -> list[RelationSample]:
        block = [row.decode(encoding) for row in rows]
        match = re.fullmatch(r'(\S+)\t\s*"(.*)"\s*', block[0])
        if not match:
            raise ValueError(f"id, tab and a quoted sentence are expected in place of {block[0][:40]!r}")
        if len(block) < 2:
            raise ValueError("the line with the relation is missing")
        if len(block) > 2 and (len(block) > 3 or not block[2].startswith("Comment")):
            raise ValueError(f"a comment or a blank line is expected in place of {block[-1][:40]!r}")
        sentence, relation = match[2].strip(), block[1].strip()
        if relations is not None and relation not in relations:
            raise unknown_name("relation", relation, relations)
        if not re.fullmatch(r"\S+", relation):
            raise ValueError(f"a relation is one word, not {shown(relation)}")
        return [RelationSample(match[1], *parse_tagged(sentence, markers), relation)]

    return collect(path, _blocks(path), parse, attrgetter("id"))


def _blocks(path: Path | str) -> Iterator[Record]:
    """Runs of lines that are not blank, each a list of lines as bytes without their ends (LF or CRLF)."""
    numbered = enumerate(read_file(path).split(b"\n"), start=1)
    for is_text, block in groupby(numbered, key=lambda line: bool(line[1].strip())):
        if is_text:
            rows = list(block)
            yield rows[0][0], [row.rstrip(b"\r") for _, row in rows]


def ptr_split(samples: Iterable[RelationSample]) -> dict[str, list[RelationSample]]:
    """The official training samples that are in PTR's `train` (6507) and `dev` (1493), in the official order.

    They are matched by the letters and digits of the sentence; twins are told apart by entity 1.

    Raises
    ------
    MalformedRecord : a line that matches no official sample of the same relation that is not taken yet.
    MissingData, ChecksumError : the split's file is absent or not the registered one.
    """
    samples = list(samples)
    waiting: dict[tuple[str, str], list[RelationSample]] = defaultdict(list)
    for sample in samples:
        waiting[_letters(sample.text), sample.relation].append(sample)

    def official(_line: int | None, _number: int, record: Any) -> list[str]:
        twins = waiting[_letters("".join(record["token"])), record["relation"]]
        if not twins:
            raise ValueError(f"no official sample for {shown(' '.join(record['token']))}")
        head = _letters(record["h"]["name"])
        same = [position for position, twin in enumerate(twins) if _letters(twin.head_text) == head]
        return [twins.pop(same[0] if same else 0).id]

    # both files, as a sentence that occurs twice may be once in each
    paths = {part: locate(file) for part, file in PTR_FILES.items()}
    taken = {part: {*collect(path, records_of(path, "jsonl"), official)} for part, path in paths.items()}
    return {part: [sample for sample in samples if sample.id in ids] for part, ids in taken.items()}


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())


def read_dependencies(path: Path | str, trees: Path | str | None = None) -> Corpus:
    """Tokenised sentences, and their trees in the file `trees` (None: the same name with `.dep` behind it).

    A line of the first is `entity 1 TAB entity 2 TAB relation TAB sentence`, the words and the tags
    `<e1>` `</e1>` `<e2>` `</e2>` separated by blanks. In the second a sentence has a line for each word,
    `head TAB number TAB name of the dependency`, in any order, heads and numbers counted from 1, head 0 for
    the root; a blank line ends it. The names are not kept.

    Returns `ParsedSample`s; the id is the number of the sentence, from 1, the text its words with blanks.

    Raises
    ------
    MalformedRecord : not four columns, tags missing; as many trees as sentences are not there; a tree that is
        none (two roots, a circle, a head out of range, a number missing), with the sentence's line.
    FileNotFoundError : one of the files.
    """
    trees = trees or f"{path}{TREES}"
    parses = [block for _, block in _blocks(trees)]
    sentences = list(lines(path))
    if len(parses) != len(sentences):
        sizes = f"{len(parses)} trees for the {len(sentences)} sentences of {Path(path).name}"
        raise MalformedRecord(trees, sizes)

    def parse(_line: int | None, number: int, row: bytes) -> list[ParsedSample]:
        _, _, relation, sentence = row.decode().split("\t")
        text, head, tail = parse_tagged(sentence.strip(), SPACED_TAGS)
        spans = word_spans(text.split(" "))
        heads = _heads(parses[number - 1], len(spans))
        return [ParsedSample(str(number), text, head, tail, relation, "", "", spans, heads)]

    return collect(path, sentences, parse)


def _heads(block: Sequence[bytes], size: int) -> tuple[int, ...]:
    """The heads in the order of the words, from the lines of one tree; a line may stand there twice."""
    rows = (row.split(b"\t") for row in block)
    heads = sorted({(int(number), int(head)) for head, number, _ in rows})
    numbers = [number for number, _ in heads]
    if numbers != [*range(1, size + 1)]:
        words = f"words {shown(numbers)}, the sentence words 1 to {size}"
        raise ValueError(f"its tree has a head for the {words}")
    return tuple(head for _, head in heads)


def read_relation_file(
    path: Path | str, relations: tuple[str, ...] | None = None, form: str | None = None
) -> Corpus:
    """Sentences with two entities and their relation, in one of the usual forms, chosen by the ending.

    - .json (a list of objects), .jsonl, .csv, .tsv, .parquet: `text` (or sentence), `relation` (or label),
      and the entities marked in the text (`<e1>fire</e1>`, `[E1] fire [/E1]` and the like) or `e1_start`,
      `e1_end`, `e2_start`, `e2_end` (or head_, tail_): characters from 0, ends exclusive.
    - .json and .jsonl also as TACRED: `token`, `subj_start`, `subj_end`, `obj_start`, `obj_end` (words from
      0, ends inclusive), `relation`, and where they are known `subj_type`, `obj_type`, `stanford_pos`,
      `stanford_ner` and `stanford_head`, a dependency tree (from 1, 0 for the root); or as OpenNRE: `token`
      (or `text`), `h` and `t` with `pos` (words, or characters, ends exclusive), `relation`.
    - .txt: blocks as SemEval-2010 and KBP37 have them, of any relations, in UTF-8.

    The id is `id`, or the number of the record. All may be gzipped. Head is the subject.

    Parameters
    ----------
    relations : the known ones; another one is malformed. None: any. form : of the endings, whatever the
        name says.

    Raises
    ------
    MalformedRecord : with the line (in .json the record's number): a field that is missing or of another
        kind, no marker or one too many, an entity outside of the sentence, a tree that is none, an unknown
        relation, an id that occurs twice.
    ValueError : an unknown ending.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.csv")
    ...     _ = path.write_text("text,relation\\n<e1>Ada</e1> left <e2>Rome</e2>.,left\\n")
    ...     read_relation_file(path)[0].head_text
    'Ada'
    """
    if (form or file_kind(path)) == "txt":
        return _read_blocks(path, relations)

    def parse(_line: int | None, number: int, record: Any) -> list[RelationSample]:
        sample = sample_of(record, str(record.get("id") or number))
        if relations is not None and sample.relation not in relations:
            raise unknown_name("relation", sample.relation, relations)
        return [sample]

    return collect(path, records_of(path, form), parse, attrgetter("id"))


# blanks around the tags; record 3031 of its training file has one behind the relation, too
_read_kbp37 = partial(_read_blocks, relations=None, markers=SPACED_TAGS, encoding="latin-1")
_read_chemprot = partial(read_relation_file, form="jsonl")  # as packaged with SciBERT: {"text", "label"}


def sample_of(record: Any, identifier: str) -> RelationSample:
    """A record as a sample, in any form of `read_relation_file`; ValueError says what it lacks."""
    relation = field(record, _present(record, LABEL), str)
    if (words := _present(record, WORDS)) in record:
        return _token_sample(record, identifier, relation, words)
    text = field(record, _present(record, TEXT), str)
    if named := next((names for names in SPANS if names[0] in record), None):
        start, end, tail_start, tail_end = (_whole(field(record, name), name) for name in named)
        return RelationSample(identifier, text, (start, end), (tail_start, tail_end), relation)
    if "h" in record:
        return RelationSample(identifier, text, *_bounds(record), relation)
    return RelationSample(identifier, *parse_tagged(text, None), relation)


def _present(record: Any, names: tuple[str, ...]) -> str:
    """The first of the names that a record has, else the first."""
    return next((name for name in names if name in record), names[0])


def _token_sample(record: Any, identifier: str, relation: str, words: str) -> RelationSample:
    """A sample whose sentence is a list of words; with its tree and the types of its entities, if given."""
    tokens = _texts(record, words)
    if not tokens:
        raise ValueError("there is no word")
    text, spans = " ".join(tokens), word_spans(tokens)
    head, tail = _bounds(record)
    for role, (start, end) in (("head", head), ("tail", tail)):
        if not 0 <= start < end <= len(tokens):
            raise ValueError(f"{role} is words {start} to {end - 1}; there are {len(tokens)} words")
    head, tail = ((spans[start][0], spans[end - 1][1]) for start, end in (head, tail))
    names = ("subj_type", "obj_type")
    head_type, tail_type = (field(record, name, str) if name in record else "" for name in names)
    sample = (identifier, text, head, tail, relation)
    if "stanford_head" in record:
        heads = tuple(_whole(value, "stanford_head") for value in field(record, "stanford_head", list))
        pos, ner = (_texts(record, name) for name in ("stanford_pos", "stanford_ner"))
        return ParsedSample(*sample, head_type, tail_type, spans, heads, pos, ner)
    typed = all(name in record for name in names)
    return TypedSample(*sample, head_type, tail_type) if typed else RelationSample(*sample)


def _bounds(record: Any) -> tuple[Span, Span]:
    """Start and end (exclusive) of head and tail, in words or characters, as OpenNRE or TACRED gives them."""
    if "h" in record or "t" in record:
        head, tail = ([_whole(end, "pos") for end in field(field(record, role), "pos")] for role in "ht")
        if len(head) != 2 or len(tail) != 2:
            raise ValueError(f"pos is {shown(head)} and {shown(tail)}, not twice [start, end)")
        return (head[0], head[1]), (tail[0], tail[1])
    names = ("subj_start", "subj_end", "obj_start", "obj_end")
    start, last, tail_start, tail_last = (_whole(field(record, name), name) for name in names)
    return (start, last + 1), (tail_start, tail_last + 1)


def _texts(record: Any, name: str) -> tuple[str, ...]:
    texts = field(record, name, list) if name in record else ()
    for number, text in enumerate(texts, start=1):
        if not isinstance(text, str) or not text:
            raise ValueError(f"word {number} of {shown(name)} is {shown(text)}, not text")
    return tuple(texts)


def _whole(value: Any, name: str) -> int:
    """A number, which may stand as text."""
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{shown(name)} is {shown(value)}, not a whole number")
    return value
