"""The files of corpora (SemEval-2010, KBP37, RDR, ChemProt, DocRED, NYT*) as lists of samples or facts.

A file is cut into `(line, raw record)`, and `collect` parses the records. Every reader takes `strict`: True
stops at the first malformed record with its file and line; False leaves malformed records out, counts them,
logs one warning, and keeps them in `.malformed`.
"""

from __future__ import annotations

import itertools
import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal

from ..core import (
    SEMEVAL_RELATIONS,
    MalformedRecord,
    abridged,
    byte_fault,
    naming_file,
    read_file,
    role_words,
    shown,
    unknown_name,
    utf8_fault,
)
from .samples import (
    CHEMPROT_MARKERS,
    RDR_MARKERS,
    SPACED_TAGS,
    TAGS,
    Fact,
    Markers,
    RelationSample,
    parse_tagged,
)

logger = logging.getLogger(__name__)
Record = tuple[int, Any]
"""Where a record starts (line, 1-based) and its raw form."""
_NOT_BLANK = re.compile(r"[^ \t\r\n]")  # of JSON


class Corpus(list):
    """The records of a file in order.

    `malformed` : the errors of those left out (none if strict). `notes` : what else a reader counted.
    """

    def __init__(self, records: Iterable[Any] = (), malformed: Iterable[MalformedRecord] = ()) -> None:
        super().__init__(records)
        self.malformed = list(malformed)
        self.notes: Counter[str] = Counter()


def collect(
    path: Path | str, records: Iterable[Record], parse: Callable[[int, Any], list], strict: bool
) -> Corpus:
    """Parse every record of a file: `parse(line, raw)` gives the samples or facts of one record.

    Parameters
    ----------
    strict : True raises at the first record that `parse` refuses; False leaves such records out, keeps their
        errors in `.malformed` and logs one warning with their number and the first of them.

    Raises
    ------
    MalformedRecord : strict, and a record is malformed; or the file holds no record at all.

    >>> collect("a.txt", [(1, "4"), (2, "5")], lambda line, raw: [int(raw)], strict=True)
    [4, 5]
    >>> collect("a.txt", [(1, "4"), (2, "x")], lambda line, raw: [int(raw)], strict=True)
    Traceback (most recent call last):
    helpers.core.errors.MalformedRecord: a.txt, line 2: invalid literal for int() with base 10: 'x'
    """
    corpus, read = Corpus(), 0
    with naming_file(path):
        for line, raw in records:
            read += 1
            try:
                corpus.extend(parse(line, raw))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                corpus.malformed.append(MalformedRecord(path, _reason(error), line))
                if strict:
                    raise corpus.malformed[-1] from error
    if not read:
        raise MalformedRecord(path, "the file holds no record")
    if corpus.malformed:
        first = corpus.malformed[0]
        message = "%s: left out %d of %d records; the first: %s"
        logger.warning(message, path, len(corpus.malformed), read, first)
    return corpus


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no valid JSON at character {error.pos}: {error.msg}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} of the line, 0x{error.object[error.start]:02x}, is not UTF-8"
    if isinstance(error, KeyError):
        return f"the field {error} is missing"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    reason = str(error) if type(error) is ValueError else f"unexpected structure ({error})"
    return abridged(reason, 300)


def blocks(path: Path | str) -> Iterator[Record]:
    """Runs of lines that are not blank, each a list of lines without their ends; bytes are read as Latin-1.

    Lines end at LF, CR or CRLF only: the Latin-1 byte 0x85 is no line end here.
    """
    block: list[str] = []
    start = 1
    with open(path, encoding="latin-1") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                start = start if block else number
                block.append(line.rstrip("\n"))
            elif block:
                yield start, block
                block = []
    if block:
        yield start, block


def lines(path: Path | str) -> Iterator[Record]:
    """The lines that are not blank, as bytes without their ends; `parse` decodes, so it fails by line."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, line.rstrip(b"\r\n")


def json_array(path: Path | str) -> Iterator[Record]:
    """The items of one JSON array, each with the line it starts on.

    Raises
    ------
    MalformedRecord : the file is not UTF-8, or not a JSON array of valid items; what follows a broken item
        cannot be found again, so this is raised whether strict or not.
    """
    content = read_file(path, keep_mark=True)
    fault = utf8_fault(content)
    if fault is not None:
        line, reason = byte_fault(content, fault)
        raise MalformedRecord(path, reason, line)
    text, decoder = content.decode("utf-8-sig"), json.JSONDecoder()
    place, line, number = _after_blanks(text, 0), 1, 0
    expected, counted = "[", 0
    while text[place : place + 1] == expected:
        start = _after_blanks(text, place + 1)
        line, counted = line + text.count("\n", counted, start), start
        if text[start : start + 1] == "]" and expected == "[":
            return
        try:
            item, place = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise MalformedRecord(path, f"item {number} of the array: {error.msg}", error.lineno) from error
        yield line, item
        expected, number, place = ",", number + 1, _after_blanks(text, place)
    if expected == "[" or text[place : place + 1] != "]":
        line = 1 + text.count("\n", 0, place)
        reason = f"one JSON array is expected; after item {number} it does not go on"
        raise MalformedRecord(path, reason, line)


def _after_blanks(text: str, place: int) -> int:
    found = _NOT_BLANK.search(text, place)
    return found.start() if found else len(text)


def field(record: Any, name: str) -> Any:
    """The value of a field of a JSON object; ValueError if the record is no object or lacks the field."""
    if not isinstance(record, dict):
        raise ValueError(f"a JSON object is expected, not {type(record).__name__}")
    if name not in record:
        raise ValueError(f"the field {name!r} is missing; there are {', '.join(record) or 'none'}")
    return record[name]


def string(record: Any, name: str) -> str:
    """The value of a field that must be a string; ValueError if it is not."""
    value = field(record, name)
    if not isinstance(value, str):
        raise ValueError(f"the field {shown(name)} is {shown(value)}, not a string")
    return value


def read_semeval(path: Path | str, strict: bool = True) -> Corpus:
    """The official SemEval-2010 Task 8 files (`TRAIN_FILE.TXT`, `TEST_FILE_FULL.TXT`) as `RelationSample`s.

    A record is a block of lines, ended by a blank one: `id TAB "sentence with tags"`, the relation, and a
    comment (`Comment: …`). Line ends may be CRLF; bytes are read as Latin-1, which never fails (the official
    files are plain ASCII).

    Raises
    ------
    MalformedRecord : tags, quotes or tab missing, a relation that is none of the 19, an id that occurs twice.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "train.txt")
    ...     _ = path.write_text('1\\t"<e1>Fire</e1> and <e2>panic</e2>."\\nOther\\nComment:\\n')
    ...     read_semeval(path)[0].text
    'Fire and panic.'
    """
    return _read_blocks(path, strict, TAGS, _semeval_relation)


def read_kbp37(path: Path | str, strict: bool = True) -> Corpus:
    """KBP37 files (Zhang and Wang 2015) as `RelationSample`s: SemEval-like blocks, tags set apart by blanks.

    Blanks around the relation are dropped: record 3031 of the training file has one at its end.

    Raises
    ------
    MalformedRecord : tags, quotes or tab missing, a relation that is not one word, an id that occurs twice.
    """
    return _read_blocks(path, strict, SPACED_TAGS, _one_word)


def read_tagged(path: Path | str, strict: bool, check: Callable[[str], str] = str) -> Corpus:
    """Files in the form of SemEval-2010 or KBP37 with relations of their own, in UTF-8.

    Tags are set apart by blanks where the first one is followed by a blank. `check` takes the relation, one
    word, and raises ValueError for one that is not known.

    Raises MalformedRecord as `read_kbp37`.
    """
    return _read_blocks(path, strict, None, lambda relation: check(_one_word(relation)), "utf-8")


def _read_blocks(
    path: Path | str,
    strict: bool,
    markers: Markers | None,
    check: Callable[[str], str],
    encoding: str = "latin-1",
) -> Corpus:
    first_lines: dict[str, int] = {}

    def parse(line: int, block: list[str]) -> list[RelationSample]:
        block = [one.encode("latin-1").decode(encoding) for one in block]
        found = re.fullmatch(r'(\S+)\t\s*"(.*)"\s*', block[0])
        if not found:
            raise ValueError(f"id, tab and a quoted sentence are expected in place of {block[0][:40]!r}")
        identifier, sentence = found[1], found[2].strip()
        if len(block) < 2:
            raise ValueError("the line with the relation is missing")
        if len(block) > 2 and (len(block) > 3 or not block[2].startswith("Comment")):
            raise ValueError(f"a comment or a blank line is expected in place of {block[-1][:40]!r}")
        if first_lines.setdefault(identifier, line) != line:
            raise ValueError(f"id {identifier} occurred before, at line {first_lines[identifier]}")
        tagged = parse_tagged(sentence, markers or _tags(sentence))
        return [RelationSample(identifier, *tagged, check(block[1].strip()))]

    return collect(path, blocks(path), parse, strict)


def _tags(sentence: str) -> Markers:
    return SPACED_TAGS if SPACED_TAGS[0] in sentence else TAGS


def _semeval_relation(relation: str) -> str:
    if relation not in SEMEVAL_RELATIONS:
        raise unknown_name("relation", relation, SEMEVAL_RELATIONS)
    return relation


def _one_word(relation: str) -> str:
    if not re.fullmatch(r"\S+", relation):
        raise ValueError(f"a relation is one word, not {shown(relation)}")
    return relation


def read_rdr(path: Path | str, strict: bool = True) -> Corpus:
    """The TSV files of paper R as `RelationSample`s: index, marked sentence, label id, two role words.

    The sample's id is the index; in a merged file each index occurs twice, original and paired.

    Raises
    ------
    MalformedRecord : not five columns, markers missing, a label id outside 0–18, role words that contradict
        the id.
    """

    def parse(_line: int, row: bytes) -> list[RelationSample]:
        columns = row.decode().split("\t")
        if len(columns) != 5:
            raise ValueError(f"5 columns are expected, found {len(columns)}")
        index, sentence, label, *words = columns
        if not (label.isascii() and label.isdigit() and int(label) < len(SEMEVAL_RELATIONS)):
            raise ValueError(f"label id {shown(label)} is not one of 0–{len(SEMEVAL_RELATIONS) - 1}")
        relation = SEMEVAL_RELATIONS[int(label)]
        if tuple(words) != role_words(relation):
            raise ValueError(f"role words {tuple(words)} contradict label id {label}, which is {relation}")
        return [RelationSample(index, *parse_tagged(sentence, RDR_MARKERS), relation)]

    return collect(path, lines(path), parse, strict)


def read_chemprot(path: Path | str, strict: bool = True) -> Corpus:
    """ChemProt as packaged with SciBERT, JSON lines `{"text", "label"}`, as `RelationSample`s.

    Entity 1 stands between `<< ` and ` >>`, entity 2 between `[[ ` and ` ]]`; the id is the line number.

    Raises
    ------
    MalformedRecord : no JSON object, a field missing or no string, markers missing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "test.txt")
    ...     _ = path.write_text('{"text": "<< A >> binds [[ B ]].", "label": "AGONIST"}')
    ...     read_chemprot(path)[0].tail_text
    'B'
    """

    def parse(line: int, row: bytes) -> list[RelationSample]:
        record = json.loads(row)
        text, label = string(record, "text"), string(record, "label")
        return [RelationSample(str(line), *parse_tagged(text, CHEMPROT_MARKERS, closing_repeats=True), label)]

    return collect(path, lines(path), parse, strict)


def read_docred(path: Path | str, strict: bool = True) -> Corpus:
    """The labels of DocRED documents as `Fact`s; the name of an entity is that of its first mention.

    A document without `labels` (or with an empty list) gives no fact. `source` is the document's title.

    Raises
    ------
    MalformedRecord : no JSON array, a field missing, an entity number out of range.
    """

    def parse(_line: int, document: Any) -> list[Fact]:
        names = [mentions[0]["name"] for mentions in field(document, "vertexSet")]
        title = string(document, "title")
        labels = document.get("labels", [])
        if any(not 0 <= label[end] < len(names) for label in labels for end in "ht"):
            raise ValueError(f"document {shown(title)}: an entity number is not below {len(names)}")
        return [Fact(title, names[label["h"]], names[label["t"]], string(label, "r")) for label in labels]

    return collect(path, json_array(path), parse, strict)


def read_nyt_star(
    path: Path | str, strict: bool = True, triples: Literal["first", "last", "all"] = "first"
) -> Corpus:
    """NYT* files, a JSON array of `{"text", "triple_list": [[head, relation, tail], …]}`, as `Fact`s.

    Parameters
    ----------
    triples : which triples of a sentence to keep. Only `first` gives the statistics in Table 1 of paper W.

    `source` is the sentence's position, from 0.

    Raises
    ------
    MalformedRecord : no JSON array, a field missing, an empty triple list, a triple that is not three
        strings.
    ValueError : `triples` is none of the three.
    """
    if triples not in ("first", "last", "all"):
        raise unknown_name("triples", triples, ("first", "last", "all"))
    kept = {"first": slice(0, 1), "last": slice(-1, None), "all": slice(None)}[triples]
    positions = itertools.count()

    def parse(_line: int, sentence: Any) -> list[Fact]:
        source = str(next(positions))
        found = field(sentence, "triple_list")
        if not found:
            raise ValueError("the triple list is empty")
        for triple in found:
            if len(triple) != 3 or not all(isinstance(part, str) for part in triple):
                raise ValueError(f"a triple is three strings, not {shown(triple)}")
        return [Fact(source, head, tail, relation) for head, relation, tail in found[kept]]

    return collect(path, json_array(path), parse, strict)
