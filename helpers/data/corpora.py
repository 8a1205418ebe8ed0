"""The corpora that can be read from registered files: which reader, which files, which splits."""

from __future__ import annotations

from helpers.data import readers, registry
from helpers.data.errors import unknown_name
from helpers.data.records import Corpus

_PARTS = ("train", "dev", "test")

FILES: dict[str, dict[str, str]] = {
    "semeval2010": {"train": "semeval2010/TRAIN_FILE.TXT", "test": "semeval2010/TEST_FILE_FULL.TXT"},
    "kbp37": {split: f"kbp37/{split}.txt" for split in _PARTS},
    "chemprot": {split: f"chemprot/{split}.txt" for split in _PARTS},
    "nyt24": {split: f"nyt24/NYT-star/{split}_triples.json" for split in ("val", "test")},
    "docred": {"dev-699": "docred/dev_keys_new.json"},
}
"""Corpus → split → registered file."""

_READERS = {
    "semeval2010": readers.read_semeval,
    "kbp37": readers.read_kbp37,
    "chemprot": readers.read_chemprot,
    "nyt24": readers.read_nyt_star,
    "docred": readers.read_docred,
}


def read_corpus(name: str, strict: bool = True) -> dict[str, Corpus]:
    """Every split of a corpus: samples of SemEval-2010, KBP37, ChemProt; facts of NYT* (`nyt24`), DocRED.

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
    return {split: _READERS[name](registry.locate(path), strict) for split, path in FILES[name].items()}
