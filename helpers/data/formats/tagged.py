"""Sentences with entities marked in the text: SemEval-2010, KBP37, ChemProt; PTR's split."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable
from pathlib import Path

from ...core import SEMEVAL_RELATIONS, MalformedRecord, shown, unknown_name
from ..files import locate
from ..samples import (
    CHEMPROT_MARKERS,
    SPACED_TAGS,
    TAGS,
    Corpus,
    Markers,
    RelationSample,
    parse_tagged,
)
from .parsing import blocks, check_new, collect, json_record, lines, string


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
    return read_blocks(path, strict, SEMEVAL_RELATIONS, TAGS, "latin-1")


def read_kbp37(path: Path | str, strict: bool = True) -> Corpus:
    """KBP37 files (Zhang and Wang 2015) as `RelationSample`s: SemEval-like blocks, tags set apart by blanks.

    Blanks around the relation are dropped: record 3031 of the training file has one at its end.

    Raises
    ------
    MalformedRecord : tags, quotes or tab missing, a relation that is not one word, an id that occurs twice.
    """
    return read_blocks(path, strict, None, SPACED_TAGS, "latin-1")


def read_blocks(
    path: Path | str,
    strict: bool = True,
    relations: Collection[str] | None = None,
    markers: Markers | None = None,
    encoding: str = "utf-8",
) -> Corpus:
    """Files in the form of SemEval-2010 or KBP37.

    relations : the known ones; None: any word. markers : the tags; None: set apart by blanks where the first
    one is followed by a blank.

    Raises MalformedRecord as `read_kbp37`.
    """
    first: dict[str, int] = {}

    def parse(line: int, _number: int, block: list[str]) -> list[RelationSample]:
        block = [row.encode("latin-1").decode(encoding) for row in block]
        match = re.fullmatch(r'(\S+)\t\s*"(.*)"\s*', block[0])
        if not match:
            raise ValueError(f"id, tab and a quoted sentence are expected in place of {block[0][:40]!r}")
        identifier, sentence = match[1], match[2].strip()
        if len(block) < 2:
            raise ValueError("the line with the relation is missing")
        if len(block) > 2 and (len(block) > 3 or not block[2].startswith("Comment")):
            raise ValueError(f"a comment or a blank line is expected in place of {block[-1][:40]!r}")
        check_new(first, identifier, line)
        tags = markers or (SPACED_TAGS if SPACED_TAGS[0] in sentence else TAGS)
        relation = block[1].strip()
        if relations is not None and relation not in relations:
            raise unknown_name("relation", relation, relations)
        if not re.fullmatch(r"\S+", relation):
            raise ValueError(f"a relation is one word, not {shown(relation)}")
        return [RelationSample(identifier, *parse_tagged(sentence, tags), relation)]

    return collect(path, blocks(path), parse, strict)


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

    def parse(line: int, _number: int, row: bytes) -> list[RelationSample]:
        record = json_record(row)
        text, label = string(record, "text"), string(record, "label")
        return [RelationSample(str(line), *parse_tagged(text, CHEMPROT_MARKERS, closing_repeats=True), label)]

    return collect(path, lines(path), parse, strict)


PTR_FILES = {"train": "semeval2010/ptr_split/train.txt", "dev": "semeval2010/ptr_split/dev.txt"}


def ptr_split(samples: Iterable[RelationSample], part: str = "train") -> list[RelationSample]:
    """The official training samples that are in PTR's `train` (6507) or `dev` (1493), in the official order.

    Raises
    ------
    MalformedRecord : a line that matches no official sample of the same relation that is not taken yet.
    ValueError : unknown part.
    MissingData, ChecksumError : the split's file is absent or not the registered one.

    >>> ptr_split([], "test")
    Traceback (most recent call last):
    ValueError: unknown part 'test'. Known: train, dev
    """
    if part not in PTR_FILES:
        raise unknown_name("part", part, PTR_FILES)
    waiting: dict[tuple[str, str], list[RelationSample]] = defaultdict(list)
    samples = list(samples)
    for sample in samples:
        waiting[_letters(sample.text), sample.relation].append(sample)
    taken = {}
    for name, file in PTR_FILES.items():  # both, as a sentence that occurs twice may be once in each
        path = locate(file)
        taken[name] = {_take(waiting, path, number, row).id for number, row in lines(path)}
    return [sample for sample in samples if sample.id in taken[part]]


def _take(waiting: dict, path: Path, number: int, row: bytes) -> RelationSample:
    """Match by the letters and digits of the sentence; twins are told apart by entity 1."""
    record = json.loads(row)
    twins = waiting[_letters("".join(record["token"])), record["relation"]]
    if not twins:
        raise MalformedRecord(path, f"no official sample for {' '.join(record['token'])[:60]!r}", number)
    head = _letters(record["h"]["name"])
    same = [position for position, twin in enumerate(twins) if _letters(twin.head_text) == head]
    return twins.pop(same[0] if same else 0)


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())
