"""Corpora: SemEval-2010 Task 8, KBP37, the RDR files, ChemProt, DocRED and NYT* as lists of samples or facts.

Every reader takes `strict`: True stops at the first malformed record with its file and line; False leaves
malformed records out, counts them, logs one warning, and keeps them in `.malformed`. Nothing is skipped
silently. Predictions are read elsewhere (`predictions`, `tacred`, `semeval_answers`).
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

from helpers.data.errors import unknown_name
from helpers.data.records import Corpus, blocks, collect, field, json_array, lines, string
from helpers.data.relations import SEMEVAL_RELATIONS, role_words
from helpers.data.samples import (
    CHEMPROT_MARKERS,
    RDR_MARKERS,
    SPACED_TAGS,
    TAGS,
    Fact,
    Markers,
    RelationSample,
    parse_tagged,
)


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


def _read_blocks(path: Path | str, strict: bool, markers: Markers, check: Callable[[str], str]) -> Corpus:
    first_lines: dict[str, int] = {}

    def parse(line: int, block: list[str]) -> list[RelationSample]:
        identifier, sentence = _quoted(block[0])
        if len(block) < 2:
            raise ValueError("the line with the relation is missing")
        if len(block) > 2 and (len(block) > 3 or not block[2].startswith("Comment")):
            raise ValueError(f"a comment or a blank line is expected in place of {block[-1][:40]!r}")
        if first_lines.setdefault(identifier, line) != line:
            raise ValueError(f"id {identifier} occurred before, at line {first_lines[identifier]}")
        return [RelationSample(identifier, *parse_tagged(sentence, markers), check(block[1].strip()))]

    return collect(path, blocks(path), parse, strict)


def _quoted(line: str) -> tuple[str, str]:
    found = re.fullmatch(r'(\S+)\t\s*"(.*)"\s*', line)
    if not found:
        raise ValueError(f"id, tab and a quoted sentence are expected in place of {line[:40]!r}")
    return found[1], found[2].strip()


def _semeval_relation(relation: str) -> str:
    if relation not in SEMEVAL_RELATIONS:
        raise unknown_name("relation", relation, SEMEVAL_RELATIONS)
    return relation


def _one_word(relation: str) -> str:
    if not re.fullmatch(r"\S+", relation):
        raise ValueError(f"a relation is one word, not {relation!r}")
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
        relation = _relation_of_id(label)
        if tuple(words) != role_words(relation):
            raise ValueError(f"role words {tuple(words)} contradict label id {label}, which is {relation}")
        return [RelationSample(index, *parse_tagged(sentence, RDR_MARKERS), relation)]

    return collect(path, lines(path), parse, strict)


def _relation_of_id(label: str) -> str:
    if not (label.isascii() and label.isdigit() and int(label) < len(SEMEVAL_RELATIONS)):
        raise ValueError(f"label id {label!r} is not one of 0–{len(SEMEVAL_RELATIONS) - 1}")
    return SEMEVAL_RELATIONS[int(label)]


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
            raise ValueError(f"document {title!r}: an entity number is not below {len(names)}")
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
                raise ValueError(f"a triple is three strings, not {triple!r}")
        return [Fact(source, head, tail, relation) for head, relation, tail in found[kept]]

    return collect(path, json_array(path), parse, strict)
