"""The one table of data sets: files, reader, splits, negative class, direction, title; and reading one.

A data set is one row: `register_dataset` adds one (`own_files.register_files` one from two files). Every
command, table and figure knows it.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Literal

from ..core import (
    MissingData,
    did_you_mean,
    file_sha256,
    unknown_name,
)
from . import formats
from .bags import Mention
from .demo import demo_corpus, demo_documents
from .documents import Documents
from .files import data_name, fetch, locate, registered_files, search_folders
from .samples import Corpus, RelationSample
from .systems import count_nyt10m, count_tacred

logger = logging.getLogger(__name__)
KINDS = ("relations", "mentions", "facts", "documents")


@dataclass(frozen=True)
class Dataset:
    """One row of the table of data sets.

    Attributes
    ----------
    name : as commands and run files write it.
    title : as figures write it; empty: the name.
    kind : of its samples: 'relations' (`RelationSample`), 'mentions' (`Mention`, of distant supervision),
        'facts' (`Fact`), 'documents' (`Documents`).
    files : split → file, a name of the registry or a path on disk or in the data folders. Empty: only its
        counts are known.
    reader : `reader(path, strict)` gives the samples of one file.
    maker : for data that are made, not read: `maker()` gives split → samples.
    made_from : the registered files that `maker` reads, if any.
    directed : whether relations have a direction, `BASE(e1,e2)` and `BASE(e2,e1)`; such data sets can be
        paired and trained on (paper R).
    undirected_of : the data set whose labels, without their direction, are counted in this one.
    negative : the negative class, or None.
    whole : the splits that make the whole data set (Table 1 of paper W); empty: those of `files`.
    measured : the split whose perplexity and ratio are reported.
    parses : split → file of its dependency trees, as `read_dependencies` reads it, in the order of `files`.
    parsed : whether the samples have dependency trees, by `parses` or by their reader (`ParsedSample`).
    counter : `counter()` gives split → label → count where that is not the relations of the samples.
    inventory : a registered JSON file with labels that count although they may not occur.
    note : what a reader must know to read its statistics.
    address : where files come from that are not registered, as they may not be passed on.
    relations : all relations, where more than those that occur; empty: those that occur.
    inverse : relation → its inverse, both ways, where that is not (e1,e2) ↔ (e2,e1).
    text : what models are trained on, 'clean' (as paper R cleans it) or 'official'; empty: 'clean' for
        directed relations, else 'official'.
    version : raised by hand when other samples are read from the same files.

    Raises
    ------
    ValueError : an unknown kind; files without a reader, or a reader without files; `measured` is no split.
    """

    name: str
    title: str = ""
    kind: Literal["relations", "mentions", "facts", "documents"] = "relations"
    files: Mapping[str, Path | str] = field(default_factory=dict)
    reader: Callable[..., Any] | None = None
    maker: Callable[..., Any] | None = None
    made_from: tuple[str, ...] = ()
    directed: bool = False
    undirected_of: str = ""
    negative: str | None = None
    whole: tuple[str, ...] = ()
    measured: str = "test"
    parses: Mapping[str, Path | str] = field(default_factory=dict)
    parsed: bool = False
    counter: Callable[..., Any] | None = None
    inventory: str = ""
    note: str = ""
    address: str = ""
    relations: tuple[str, ...] = ()
    inverse: Mapping[str, str] = field(default_factory=dict)
    text: Literal["", "clean", "official"] = ""
    version: int = 1

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise unknown_name("kind of data set", self.kind, KINDS)
        if bool(self.files) != (self.reader is not None):
            raise ValueError(f"data set {self.name!r}: `files` and `reader` belong together, one is missing")
        if self.files and self.measured not in self.files:
            splits = ", ".join(self.files)
            raise ValueError(
                f"data set {self.name!r}: measured is {self.measured!r}, its splits are {splits}"
            )
        defaults = {
            "title": self.title or self.name,
            "whole": self.whole or tuple(self.files),
            "parsed": self.parsed or bool(self.parses),
            "text": self.text or ("clean" if self.directed else "official"),
        }
        for name, value in defaults.items():
            object.__setattr__(self, name, value)

    @property
    def counted_name(self) -> str:
        """The data set whose labels are counted: itself, or the directed one."""
        return self.undirected_of or self.name

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits that `read_corpus` gives; none where only counts are known."""
        return tuple(self.files) or (self.whole if self.maker else ())

    @property
    def has_counts(self) -> bool:
        """Whether the labels are counted, by split: of documents with several labels they are not."""
        return self.kind != "documents" and bool(self.splits or self.counter or self.undirected_of)


_RE_DOCRED = {"train": "re_docred/dev_revised.json", "test": "re_docred/test_revised.json"}
_DOCRED = "docred/dev_keys_new.json"
_GIDS = {"train": "gids/dev.tsv", "test": "gids/test.tsv"}


def _read_goemotions(path: Path, strict: bool) -> Documents:
    labels = formats.read_labels(locate("goemotions/labels.txt"), keep_order=True)
    return formats.read_goemotions(path, labels, strict)


def _drawn_corpus() -> dict[str, list[RelationSample]]:
    """Split → the drawn part of Re-DocRED's pairs, for runs with several seeds; see `drawn_pairs`."""
    pairs = {split: formats.read_sentence_pairs(locate(file)) for split, file in _RE_DOCRED.items()}
    return {split: formats.drawn_pairs(samples) for split, samples in pairs.items()}


def _labelled_twice(revised: bool) -> dict[str, list[Mention]]:
    """Split → the mentions of documents that DocRED and Re-DocRED label, with the labels of one of them.

    Of the training part pairs without a relation by DocRED are drawn, `formats.NEGATIVE_SHARE` of all; the
    same pairs for both sets of labels.
    """
    paths = {split: locate(file) for split, file in _RE_DOCRED.items()}
    read = partial(formats.read_labelled_twice, labelled=locate(_DOCRED))
    chosen = {split: read(path, revised=revised) for split, path in paths.items()}
    known = [mention.relation != formats.NEGATIVE for mention in read(paths["train"], revised=False)]
    negative = [row for row, positive in enumerate(known) if not positive]
    wanted = round(sum(known) * formats.NEGATIVE_SHARE / (1 - formats.NEGATIVE_SHARE))
    drawn = set(random.Random(formats.DRAW_SEED).sample(negative, min(wanted, len(negative))))
    kept = [one for row, one in enumerate(chosen["train"]) if known[row] or row in drawn]
    return chosen | {"train": kept}


def _gids_by_sentence() -> dict[str, list[Mention]]:
    """Split → GIDS, each test sentence a pair of its own: its head is not that of any other sentence."""
    train, test = (formats.read_gids(locate(file)) for file in _GIDS.values())
    return {"train": train, "test": [one._replace(head=f"{one.head} {one.sample.id}") for one in test]}


def _opennre(name: str, title: str, note: str) -> Dataset:
    """A data set that OpenNRE's benchmark/download_NAME.sh gets; nobody's checksum of its files is public."""
    return Dataset(
        f"{name}-sentences",
        title,
        kind="mentions",
        files={split: f"{name}/{name}_{split}.txt" for split in ("train", "val", "test")},
        reader=formats.read_opennre,
        negative="NA",
        note=note,
        address=f"https://thunlp.oss-cn-qingdao.aliyuncs.com/opennre/benchmark/{name}/",
    )


_SPLITS = ("train", "dev", "test")
_ROWS = (
    Dataset(
        "semeval2010",
        "SemEval, directed",
        files={"train": "semeval2010/TRAIN_FILE.TXT", "test": "semeval2010/TEST_FILE_FULL.TXT"},
        reader=formats.read_semeval,
        directed=True,
        negative="Other",
        parses={split: f"semeval2010/dependencies/{split}.txt" for split in ("train", "test")},
    ),
    Dataset(
        "semeval2010-undirected",
        "SemEval, undirected",
        undirected_of="semeval2010",
        negative="Other",
        whole=("train", "test"),
    ),
    Dataset(
        "chemprot",
        "ChemProt",
        files={split: f"chemprot/{split}.txt" for split in _SPLITS},
        reader=formats.read_chemprot,
    ),
    Dataset(
        "tacred",
        "TACRED",
        files={split: f"tacred/json/{split}.json" for split in _SPLITS},
        reader=formats.read_tacred,
        parsed=True,
        negative="no_relation",
        whole=_SPLITS,
        counter=count_tacred,
        address="https://catalog.ldc.upenn.edu/LDC2018T24",
    ),
    Dataset("nyt10", "NYT, Riedel", kind="facts", negative="NA"),
    Dataset(
        "nyt24",
        "NYT, Hoffmann",
        kind="facts",
        files={split: f"nyt24/NYT-star/{split}_triples.json" for split in ("val", "test")},
        reader=formats.read_nyt_star,
        whole=("train", "val", "test"),
        inventory="nyt24/NYT-star/rel2id.json",
        note="NYT*, the label of the first triple of each sentence; the size of the training part is "
        "published",
    ),
    Dataset(
        "docred",
        "DocRED, 699 documents",
        kind="facts",
        files={"dev-699": "docred/dev_keys_new.json"},
        reader=formats.read_docred,
        whole=("train", "dev"),
        measured="dev-699",
        inventory="docred/rel2id.json",
        note="facts; the size is the published one of train and dev; perplexity and ratio are of 699 of the "
        "1000 development documents, so they come near the published values but need not equal them",
    ),
    Dataset(
        "nyt10m",
        "NYT10m, facts",
        kind="facts",
        negative="NA",
        whole=("train", "val", "test"),
        counter=count_nyt10m,
        note="the size is in sentences; perplexity and ratio are of the 3899 test facts, none of which is "
        "NA; the test labels are not public by sentence, so the share of NA in the whole is unknown",
    ),
    Dataset(
        "kbp37",
        "KBP37",
        files={split: f"kbp37/{split}.txt" for split in _SPLITS},
        reader=formats.read_kbp37,
        directed=True,
        negative="no_relation",
    ),
    Dataset(
        "re_docred",
        "Re-DocRED, sentence pairs",
        files=_RE_DOCRED,
        reader=formats.read_sentence_pairs,
        negative="no_relation",
        note="`train` are the documents of the development part; pairs that may have a fact without evidence "
        "and pairs with several facts are left out",
    ),
    Dataset(
        "re_docred-drawn",
        "Re-DocRED, drawn pairs",
        maker=_drawn_corpus,
        made_from=tuple(_RE_DOCRED.values()),
        negative="no_relation",
        whole=("train", "test"),
        note="250 documents of each part of re_docred, negatives drawn down to TACRED's share",
    ),
    Dataset(
        "docred-pairs",
        "DocRED, pairs",
        kind="mentions",
        maker=partial(_labelled_twice, revised=False),
        made_from=(_DOCRED, *_RE_DOCRED.values()),
        negative="no_relation",
        whole=("train", "test"),
        note="documents that Re-DocRED labels, too; `train` are those of its development part",
    ),
    Dataset(
        "docred-pairs-revised",
        "DocRED, pairs, Re-DocRED's labels",
        kind="mentions",
        maker=partial(_labelled_twice, revised=True),
        made_from=(_DOCRED, *_RE_DOCRED.values()),
        negative="no_relation",
        whole=("train", "test"),
        note="the pairs of docred-pairs with the labels of Re-DocRED",
    ),
    Dataset(
        "gids",
        "GIDS",
        kind="mentions",
        files=_GIDS,
        reader=formats.read_gids,
        negative="NA",
        note="the training part is not public: `train` is the development part",
    ),
    Dataset(
        "gids-sentences",
        "GIDS, by sentence",
        kind="mentions",
        maker=_gids_by_sentence,
        made_from=tuple(_GIDS.values()),
        negative="NA",
        whole=("train", "test"),
        note="trained as gids; in the test every sentence is scored by itself",
    ),
    Dataset(
        "wiki80",
        "Wiki80, a part",
        kind="mentions",
        files={"train": "wiki80/train_0.1.txt", "test": "wiki80/dev.txt"},
        reader=formats.read_opennre,
        note="`train` is the tenth of the training part that is public with the registry, `test` the "
        "development part; each entity pair has one sentence, none of them is negative",
    ),
    _opennre("nyt10m", "NYT10m, sentences", "test labels are by people, the others by the base"),
    _opennre("wiki20m", "Wiki20m, sentences", "test labels are by people; NA: outside the ontology"),
    Dataset(
        "reuters90",
        "Reuters-21578",
        kind="documents",
        files={split: f"reuters90/reuters90_{split}.txt" for split in ("train", "test")},
        reader=formats.read_txt,
    ),
    Dataset(
        "goemotions",
        "GoEmotions",
        kind="documents",
        files={split: f"goemotions/{split}.tsv" for split in _SPLITS},
        reader=_read_goemotions,
    ),
    Dataset(
        "demo",
        "synthetic demo",
        maker=demo_corpus,
        directed=True,
        negative="Other",
        whole=("train", "test"),
        note="sentences generated from templates, not a real corpus",
    ),
    Dataset(
        "demo-documents",
        "synthetic letters",
        kind="documents",
        maker=demo_documents,
        whole=("train", "test"),
        note="letters generated from templates, not a real collection",
    ),
)
_table = {row.name: row for row in _ROWS}


def datasets() -> dict[str, Dataset]:
    """All data sets by name, in the order of the table; those added last stand last.

    >>> [name for name, one in datasets().items() if one.directed]
    ['semeval2010', 'kbp37', 'demo']
    """
    return dict(_table)


def find_dataset(name: str) -> Dataset:
    """The row of a data set. Raises ValueError for an unknown name, with the nearest one.

    >>> find_dataset("tacred").negative, find_dataset("kbp37").splits
    ('no_relation', ('train', 'dev', 'test'))
    """
    if name not in _table:
        raise unknown_name("dataset", name, _table)
    return _table[name]


def register_dataset(dataset: Dataset) -> Dataset:
    """Add a data set to the table, for this process: reading, statistics, pairing, training, titles know it.

    A data set of one's own is given anew, so that a notebook cell can be run twice. Raises ValueError for the
    name of one that comes with the package.

    >>> register_dataset(Dataset("tacred"))
    Traceback (most recent call last):
    ValueError: there is a data set 'tacred' already: choose another name
    """
    if dataset.name in {row.name for row in _ROWS}:
        raise ValueError(f"there is a data set {dataset.name!r} already: choose another name")
    _table[dataset.name] = dataset
    return dataset


def unregister_dataset(name: str) -> None:
    """Forget a data set that was registered; ValueError for any other name.

    >>> unregister_dataset("tacred")
    Traceback (most recent call last):
    ValueError: 'tacred' is no registered data set
    """
    if name in {row.name for row in _ROWS} or name not in _table:
        raise ValueError(f"{name!r} is no registered data set")
    del _table[name]


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
