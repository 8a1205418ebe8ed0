"""The corpora that can be read from registered files: which reader, which files, which splits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from helpers.data import readers, registry
from helpers.data.errors import unknown_name
from helpers.data.records import Corpus

if TYPE_CHECKING:
    from helpers.data.documents import Documents

_PARTS = ("train", "dev", "test")

FILES: dict[str, dict[str, str]] = {
    "semeval2010": {"train": "semeval2010/TRAIN_FILE.TXT", "test": "semeval2010/TEST_FILE_FULL.TXT"},
    "kbp37": {split: f"kbp37/{split}.txt" for split in _PARTS},
    "chemprot": {split: f"chemprot/{split}.txt" for split in _PARTS},
    "nyt24": {split: f"nyt24/NYT-star/{split}_triples.json" for split in ("val", "test")},
    "docred": {"dev-699": "docred/dev_keys_new.json"},
    "reuters90": {split: f"reuters90/reuters90_{split}.txt" for split in ("train", "test")},
    "goemotions": {split: f"goemotions/{split}.tsv" for split in _PARTS},
}
"""Corpus → split → registered file."""

_READERS = {
    "semeval2010": readers.read_semeval,
    "kbp37": readers.read_kbp37,
    "chemprot": readers.read_chemprot,
    "nyt24": readers.read_nyt_star,
    "docred": readers.read_docred,
}


MULTI_LABEL = ("reuters90", "goemotions")
"""The corpora whose samples are documents with several labels each."""


def read_corpus(name: str, strict: bool = True) -> dict[str, Corpus | Documents]:
    """Every split of a corpus: samples of SemEval-2010, KBP37, ChemProt; facts of NYT* (`nyt24`), DocRED;
    `Documents` of Reuters-21578 (`reuters90`) and GoEmotions.

    Raises
    ------
    ValueError : unknown corpus.
    MissingData, ChecksumError : a file is absent or not the registered one.
    MalformedRecord : strict, and a record cannot be read.

    >>> read_corpus("kpb37")
    Traceback (most recent call last):
    ValueError: unknown corpus 'kpb37'; did you mean 'kbp37'? Known: ...
    """
    if name not in FILES:
        raise unknown_name("corpus", name, FILES)
    read = _documents_reader(name) if name in MULTI_LABEL else _READERS[name]
    return {split: read(registry.locate(path), strict) for split, path in FILES[name].items()}


def _documents_reader(name: str) -> Callable[[Path, bool], Documents]:
    from helpers.data import document_files  # brings SciPy, which the other corpora do not need

    if name == "reuters90":
        return document_files.read_txt
    labels = document_files.read_labels(registry.locate("goemotions/labels.txt"), keep_order=True)
    return lambda path, strict: document_files.read_goemotions(path, labels, strict)
