"""Data sets read: samples, files, hashes, dependency trees; and registered from two files of one's own."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

from ..core import (
    MalformedRecord,
    MissingData,
    did_you_mean,
    file_sha256,
    find_negative,
    inverse_label,
    listing,
    unknown_name,
)
from .catalogue import Dataset, datasets, find_dataset, register_dataset
from .cells import json_document
from .documents import Documents
from .files import data_name, fetch, locate, registered_files, search_folders
from .formats import TREES, read_dependencies, read_labels, read_relation_file
from .predictions import read_inverse
from .samples import Corpus, RelationSample
from .trees import ParsedSample

logger = logging.getLogger(__name__)


def read_corpus(name: str, strict: bool = True) -> dict[str, Corpus | Documents]:
    """Every split of a data set: `RelationSample`s, `Mention`s, `Fact`s or `Documents`, as its `kind` says.

    Raises
    ------
    ValueError : unknown data set, or one of which only counts are known.
    MissingData, ChecksumError : a file is absent or not the registered one.
    MalformedRecord : strict, and a record cannot be read.

    >>> read_corpus("kpb37")
    Traceback (most recent call last):
    ValueError: unknown corpus 'kpb37'; did you mean 'kbp37'? Known: ...
    """
    readable = [row.name for row in datasets().values() if row.splits]
    if name not in readable:
        raise unknown_name("corpus", name, readable)
    dataset = datasets()[name]
    if dataset.maker:
        return dataset.maker()
    reader = dataset.reader
    assert reader is not None  # `files` and `reader` belong together
    return {split: reader(file_path(file, dataset.address), strict) for split, file in dataset.files.items()}


def fetch_dataset(name: str) -> list[Path]:
    """`fetch`; of a data set whose files are not registered, where to get them is said.

    Raises MissingData where none of its files is registered; others as `fetch`.

    >>> fetch_dataset("wiki20m-sentences")
    Traceback (most recent call last):
    helpers.core.errors.MissingData: wiki20m/wiki20m_train.txt, ... may not be passed on: get them from ...
    """
    dataset = datasets().get(name)
    if dataset is not None and dataset.address:
        advice = f"{', '.join(map(str, dataset.files.values()))} may not be passed on: get them from"
        advice += f" {dataset.address}, and put them into {search_folders()[0]}"
        if all(file.dataset != name for file in registered_files().values()):
            raise MissingData(advice)
        logger.warning("%s", advice)
    return fetch(name)


def file_path(file: Path | str, address: str = "") -> Path:
    """Where a file of the table lies: a registered one is looked for and verified, another one is on disk.

    Corpora that may not be passed on, such as TACRED, are not registered: nobody's checksum of them is
    public. Their files are looked for in the folders of the registered ones, too; `address` is where to get
    one that is in none of them.
    """
    if str(file) in registered_files():
        return locate(str(file))
    places = dict.fromkeys(folder / file for folder in (Path(), *search_folders()))
    for path in places:
        if path.is_file():
            return path
    what = f"it is neither a file on disk nor a registered one{did_you_mean(file, registered_files())}"
    if address:
        what = f"it may not be passed on; get it from {address}"
    raise MissingData(f"{file} is missing: {what}. Looked for {', '.join(map(str, places))}")


def corpus_hashes(name: str, splits: Iterable[str] | None = None) -> dict[str, str]:
    """sha256 of the files of a data set (of some of its splits), by `data_name`; of one that is made, of the
    files that it is made from.

    Raises
    ------
    ValueError : unknown data set. MissingData, ChecksumError : as `read_corpus`.
    """
    dataset = find_dataset(name)
    files = dataset.files
    chosen = [files[split] for split in files if splits is None or split in set(splits)]
    chosen += dataset.made_from
    places = {file: file_path(file, dataset.address) for file in chosen}
    return {
        data_name(file if str(file) in registered_files() else path): file_sha256(path)
        for file, path in places.items()
    }


def parsed_corpus(name: str, strict: bool = True) -> dict[str, list[ParsedSample]]:
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
    dataset, corpus = find_dataset(name), read_corpus(name, strict)
    if not dataset.parses:
        return cast(dict[str, list[ParsedSample]], corpus)  # its reader is one of trees
    return {
        split: join_trees(samples, *map(file_path, parse_files(name, [split])))
        for split, samples in cast(dict[str, list[RelationSample]], corpus).items()
    }


def parse_files(name: str, splits: Iterable[str]) -> list[str]:
    """The files of sentences and of trees of some splits, none if the data set has no such files.

    >>> parse_files("semeval2010", ["test"])
    ['semeval2010/dependencies/test.txt', 'semeval2010/dependencies/test.txt.dep']
    """
    parses = find_dataset(name).parses
    return [f"{parses[split]}{end}" for split in splits if split in parses for end in ("", TREES)]


def join_trees(
    samples: Iterable[RelationSample], path: Path | str, trees: Path | str | None = None
) -> list[ParsedSample]:
    """The samples with the trees of a file (`read_dependencies`), matched by order and checked by letters.

    Raises MalformedRecord if there are not as many, or one differs, with the sentence's number.
    """
    samples, parsed = list(samples), read_dependencies(path, trees=trees)
    if len(samples) != len(parsed):
        raise MalformedRecord(path, f"{len(parsed)} sentences; the corpus has {len(samples)}")
    for number, (sample, sentence) in enumerate(zip(samples, parsed, strict=True), start=1):
        if _letters(sample) != _letters(sentence):
            raise MalformedRecord(path, f"sentence {number} is not that of sample {sample.id}", number)
    return [
        replace(sentence, id=sample.id, relation=sample.relation)
        for sample, sentence in zip(samples, parsed, strict=True)
    ]


def _letters(sample: RelationSample) -> list[str]:
    """Sentence and entities without their blanks."""
    return ["".join(part.split()) for part in (sample.text, sample.head_text, sample.tail_text)]


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
    occurring = {sample.relation: None for part in samples.values() for sample in part}
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
            parsed=all(isinstance(sample, ParsedSample) for part in samples.values() for sample in part),
            relations=tuple(dict.fromkeys([*labels, *turned])) if listed or turned else (),
            inverse=turned,
            text="official",
        )
    )


def _relations(path: Path | str) -> tuple[str, ...]:
    """All relations of a file: one a line, a JSON list, or the keys of a JSON object."""
    if Path(path).suffix.lower() != ".json":
        return read_labels(path, keep_order=True)
    content = json_document(path)
    names = list(content) if isinstance(content, list | dict) else []
    if not names or not all(isinstance(name, str) and name for name in names) or len({*names}) < len(names):
        raise MalformedRecord(path, "has to hold a JSON list of relations, or an object relation → id")
    return tuple(names)


def _say_what_is_shared(samples: Mapping[str, list[RelationSample]]) -> None:
    """Note test samples that stand in the training file too, and relations that only the test file has."""
    known = {(sample.text, sample.head, sample.tail): None for sample in samples["train"]}
    shared = sum((sample.text, sample.head, sample.tail) in known for sample in samples["test"])
    if shared:
        logger.warning("%d of %d test samples stand in the training file too", shared, len(samples["test"]))
    unseen = {sample.relation for sample in samples["test"]} - {
        sample.relation for sample in samples["train"]
    }
    if unseen:
        logger.warning("relations without a training sample: %s", listing(sorted(unseen)))
