"""The corpora that can be read from registered files: which reader, which files, which splits.

The training split that PTR's authors used for SemEval-2010: which official samples are in its parts.

Their files hold the sentences tokenised and without ids; here each is matched to the official sentence. The
6507 training sentences hold no example of Entity-Destination(e2,e1): its only one is among the 1493 of dev.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from helpers.core import MalformedRecord, unknown_name

from . import readers, registry
from .readers import Corpus, lines
from .samples import RelationSample

if TYPE_CHECKING:
    from .documents import Documents

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
    from . import document_files

    if name == "reuters90":
        return document_files.read_txt
    labels = document_files.read_labels(registry.locate("goemotions/labels.txt"), keep_order=True)
    return lambda path, strict: document_files.read_goemotions(path, labels, strict)


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
        path = registry.locate(file)
        taken[name] = {_take(waiting, path, number, row).id for number, row in lines(path)}
    return [sample for sample in samples if sample.id in taken[part]]


def _take(waiting: dict, path: Path, number: int, row: bytes) -> RelationSample:
    """Match by the letters and digits of the sentence; twins are told apart by entity 1."""
    record = json.loads(row)
    twins = waiting[_letters("".join(record["token"])), record["relation"]]
    if not twins:
        raise MalformedRecord(path, f"no official sample for {' '.join(record['token'])[:60]!r}", number)
    head = _letters(record["h"]["name"])
    same = [place for place, twin in enumerate(twins) if _letters(twin.head_text) == head]
    return twins.pop(same[0] if same else 0)


def _letters(text: str) -> str:
    return re.sub("[^a-z0-9]", "", text.lower())
