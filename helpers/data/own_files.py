"""Anybody's relation data: a training and a test file in one of the usual forms, as a data set in one call.

`register_files` reads the files once, so that what is wrong with them is said at once, with file and line;
then the data set has statistics, is paired and trained on like those that come with the package.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from ..core import (
    MalformedRecord,
    find_negative,
    inverse_label,
    listing,
    naming_file,
    read_file,
    shown,
    unknown_name,
)
from .corpora import Dataset, register_dataset
from .document_files import read_labels
from .predictions import read_inverse
from .readers import Corpus, Record, collect, field, json_array, read_tagged, string
from .samples import (
    CHEMPROT_MARKERS,
    RDR_MARKERS,
    SPACED_TAGS,
    TAGS,
    Markers,
    RelationSample,
    parse_tagged,
)
from .sources import open_source
from .tree_files import parsed_sample, word_spans
from .trees import ParsedSample, TypedSample

logger = logging.getLogger(__name__)

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
    first: dict[str, tuple[int, int]] = {}

    def parse(line: int, record: tuple[int, Any]) -> list[RelationSample]:
        number, content = record
        sample = _sample(json.loads(content) if isinstance(content, bytes) else content, number)
        if relations is not None and sample.relation not in relations:
            raise unknown_name("relation", sample.relation, relations)
        if first.setdefault(sample.id, (line, number)) != (line, number):
            raise ValueError(f"id {shown(sample.id)} occurred before, at line {first[sample.id][0]}")
        return [sample]

    if ending == ".txt":
        found = read_tagged(path, strict, lambda relation: _known(relation, relations))
    else:
        with naming_file(path):
            numbered = ((line, (number, one)) for number, (line, one) in enumerate(_records(path, ending), 1))
            found = collect(path, numbered, parse, strict)
    return found


def _known(relation: str, relations: tuple[str, ...] | None) -> str:
    if relations is not None and relation not in relations:
        raise unknown_name("relation", relation, relations)
    return relation


def _records(path: Path, ending: str) -> Iterator[Record]:
    """Each record with its line: an object, or bytes that hold one in JSON."""
    if ending == ".json":
        yield from json_array(path)
    elif ending == ".jsonl":
        for number, row in enumerate(read_file(path).split(b"\n"), start=1):
            if row.strip():
                yield number, row.strip()
    else:
        source = open_source(path)
        for line, row in source.rows():
            if len(row) != len(source.names):
                raise MalformedRecord(
                    path, f"the row has {len(row)} cells, the header {len(source.names)}", line
                )
            yield line, dict(zip(source.names, row, strict=True))


def _sample(record: Any, number: int) -> RelationSample:
    """A record as a sample; ValueError says what it lacks."""
    relation = string(record, _first(record, LABEL))
    identifier = str(record.get("id") or number)
    words = next((name for name in WORDS if name in record), None)
    if words and "stanford_head" in record:
        return parsed_sample(record | {"id": identifier, "relation": relation, "token": record[words]})
    if words:
        return _of_words(record, words, identifier, relation)
    text = string(record, _first(record, TEXT))
    named = next((names for names in SPANS if names[0] in record), None)
    if named:
        one, end, other, last = (_whole(field(record, name), name) for name in named)
        return RelationSample(identifier, text, (one, end), (other, last), relation)
    return RelationSample(identifier, *parse_tagged(text, _markers(text)), relation)


def _of_words(record: dict[str, Any], words: str, identifier: str, relation: str) -> RelationSample:
    """A sample whose sentence is a list of words: TACRED's without a tree, or OpenNRE's."""
    tokens = field(record, words)
    if not isinstance(tokens, list) or not all(isinstance(one, str) and one for one in tokens) or not tokens:
        raise ValueError(f"the field {shown(words)} is {shown(tokens)}, not a list of words")
    places: list[tuple[int, int]] = []
    if "h" in record or "t" in record:
        for role in ("h", "t"):
            bounds = field(field(record, role), "pos")
            if not isinstance(bounds, list) or len(bounds) != 2:
                raise ValueError(f"pos of {shown(role)} is {shown(bounds)}: first word and end are needed")
            places.append((_whole(bounds[0], "pos"), _whole(bounds[1], "pos") - 1))
    else:
        for role in ("subj", "obj"):
            names = (f"{role}_start", f"{role}_end")
            first, last = (_whole(field(record, name), name) for name in names)
            places.append((first, last))
    spans = word_spans(tokens)
    for start, end in places:
        if not 0 <= start <= end < len(tokens):
            raise ValueError(f"an entity is words {start} to {end}; there are {len(tokens)} words")
    head, tail = ((spans[start][0], spans[end][1]) for start, end in places)
    one, other = record.get("subj_type"), record.get("obj_type")
    if isinstance(one, str) and isinstance(other, str):
        return TypedSample(identifier, " ".join(tokens), head, tail, relation, one, other)
    return RelationSample(identifier, " ".join(tokens), head, tail, relation)


def _first(record: Any, names: tuple[str, ...]) -> str:
    """The first of the names that the record has; if it has none, the first name."""
    known = record if isinstance(record, dict) else {}
    return next((name for name in names if name in known), names[0])


def _whole(value: Any, name: str) -> int:
    if isinstance(value, str) and value.strip().isascii() and value.strip().isdigit() and len(value) < 10:
        return int(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{shown(name)} is {shown(value)}, not a whole number")
    return value


def _markers(text: str) -> Markers:
    found = next((one for one in MARKERS if one[0] in text and one[2] in text), None)
    if found is None:
        known = ", ".join("".join(one[:2]) for one in MARKERS[1:])
        raise ValueError(f"no entities are marked in {shown(text)}, and there is no e1_start. Known: {known}")
    return found


def register_files(
    name: str,
    train: Path | str,
    test: Path | str,
    *,
    relations: Path | str | None = None,
    inverse: Path | str | Mapping[str, str] | None = None,
    negative: str | None = None,
    title: str = "",
) -> Dataset:
    """Register a data set from two files: then `stats`, `train`, pairing and every table know its name.

    Relations are directed, so that the data set is paired, where labels end in (e1,e2) and (e2,e1) or
    `inverse` is given. Models are trained on the text as it is.

    Parameters
    ----------
    train, test : as `read_relation_file` reads them.
    relations : a file with all relations, one a line, or JSON (a list, or relation → id); None: those that
        occur.
    inverse : relation → inverse, or a file as `read_inverse` reads it, e.g. per:parents ↔ per:children.
    negative : the negative class; None: recognised by its name, if one occurs.

    Raises
    ------
    MalformedRecord : as `read_relation_file`. OSError : a file is not there.
    ValueError : `train` and `test` are the same file; `negative` or an inverse is no relation; the name is
        taken.

    >>> import tempfile
    >>> from helpers.data import read_corpus, unregister_dataset
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = "text,relation\\n<e1>Ada</e1> left <e2>Rome</e2>.,left\\n"
    ...     files = [Path(folder, name) for name in ("train.csv", "test.csv")]
    ...     _ = [file.write_text(rows) for file in files]
    ...     _ = register_files("mine", *files)
    ...     {split: len(samples) for split, samples in read_corpus("mine").items()}
    {'train': 1, 'test': 1}
    >>> unregister_dataset("mine")
    """
    files = {"train": Path(train).resolve(), "test": Path(test).resolve()}
    if files["train"] == files["test"]:
        raise ValueError(f"{train} is given for training and for testing: a test file of its own is needed")
    listed = None if relations is None else _relations(relations)
    reader = partial(read_relation_file, relations=listed)
    samples = {split: reader(file) for split, file in files.items()}
    occurring = {one.relation: None for part in samples.values() for one in part}
    labels = listed or tuple(occurring)
    turned = read_inverse(inverse) if isinstance(inverse, str | Path) else dict(inverse or {})
    turned |= {other: label for label, other in turned.items()}
    if listed is not None:
        strange = next((label for label in turned if label not in listed), None)
        if strange is not None:
            raise unknown_name("relation in `inverse`", strange, listed)
    if negative is not None and negative not in labels:
        raise unknown_name("negative class", negative, labels)
    _say_what_is_shared(samples)
    return register_dataset(
        Dataset(
            name,
            title,
            files=files,
            reader=reader,
            directed=bool(turned) or any(inverse_label(label) != label for label in labels),
            negative=negative if negative is not None else find_negative(labels),
            parsed=all(isinstance(one, ParsedSample) for part in samples.values() for one in part),
            relations=tuple(dict.fromkeys([*labels, *turned])) if listed or turned else (),
            inverse=turned,
            text="official",
        )
    )


def _relations(path: Path | str) -> tuple[str, ...]:
    """All relations of a file: one a line, a JSON list, or the keys of a JSON object."""
    if Path(path).suffix.lower() != ".json":
        return read_labels(path, keep_order=True)
    with naming_file(path):
        try:
            found = json.loads(read_file(path))
        except ValueError as error:
            raise MalformedRecord(path, f"no JSON: {error}") from None
    names = list(found) if isinstance(found, list | dict) else []
    if not names or not all(isinstance(one, str) and one for one in names) or len({*names}) < len(names):
        raise MalformedRecord(path, "has to hold a JSON list of relations, or an object relation → id")
    return tuple(names)


def _say_what_is_shared(samples: Mapping[str, list[RelationSample]]) -> None:
    """Note test samples that stand in the training file too, and relations that only the test file has."""
    known = {(one.text, one.head, one.tail): None for one in samples["train"]}
    shared = sum((one.text, one.head, one.tail) in known for one in samples["test"])
    if shared:
        logger.warning("%d of %d test samples stand in the training file too", shared, len(samples["test"]))
    unseen = {one.relation for one in samples["test"]} - {one.relation for one in samples["train"]}
    if unseen:
        logger.warning("relations without a training sample: %s", listing(sorted(unseen)))
