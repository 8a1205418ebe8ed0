"""The one table of data sets: files, reader, splits, negative class, direction, title.

A data set is one row: `register_dataset` adds one, and every command, table and figure knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..core import unknown_name
from .demo import demo_corpus, demo_documents
from .documents import Documents
from .files import locate, registered_files
from .formats import (
    drawn_pairs,
    read_chemprot,
    read_docred,
    read_gids,
    read_goemotions,
    read_kbp37,
    read_labels,
    read_nyt_star,
    read_opennre,
    read_semeval,
    read_sentence_pairs,
    read_tacred,
    read_txt,
)
from .samples import RelationSample
from .systems import count_nyt10m, count_tacred

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
    licence : as its source states it; empty: that of its registered files.
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
    licence: str = ""
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
        known = {file.licence for file in registered_files().values() if file.dataset == self.counted_name}
        defaults = {
            "title": self.title or self.name,
            "whole": self.whole or tuple(self.files),
            "licence": self.licence or "; ".join(sorted(known)),
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


def _read_goemotions(path: Path, strict: bool) -> Documents:
    return read_goemotions(path, read_labels(locate("goemotions/labels.txt"), keep_order=True), strict)


def drawn_corpus() -> dict[str, list[RelationSample]]:
    """Split → the drawn part of Re-DocRED's pairs, for runs with several seeds; see `drawn_pairs`."""
    return {split: drawn_pairs(read_sentence_pairs(locate(file))) for split, file in _RE_DOCRED.items()}


def _opennre(name: str, title: str, note: str) -> Dataset:
    """A data set that OpenNRE's benchmark/download_NAME.sh gets; nobody's checksum of its files is public."""
    return Dataset(
        f"{name}-sentences",
        title,
        kind="mentions",
        files={split: f"{name}/{name}_{split}.txt" for split in ("train", "val", "test")},
        reader=read_opennre,
        negative="NA",
        note=note,
        licence="none stated",
        address=f"https://thunlp.oss-cn-qingdao.aliyuncs.com/opennre/benchmark/{name}/",
    )


_SPLITS = ("train", "dev", "test")
_ROWS = (
    Dataset(
        "semeval2010",
        "SemEval, directed",
        files={"train": "semeval2010/TRAIN_FILE.TXT", "test": "semeval2010/TEST_FILE_FULL.TXT"},
        reader=read_semeval,
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
        reader=read_chemprot,
    ),
    Dataset(
        "tacred",
        "TACRED",
        files={split: f"tacred/json/{split}.json" for split in _SPLITS},
        reader=read_tacred,
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
        reader=read_nyt_star,
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
        reader=read_docred,
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
        reader=read_kbp37,
        directed=True,
        negative="no_relation",
    ),
    Dataset(
        "re_docred",
        "Re-DocRED, sentence pairs",
        files=_RE_DOCRED,
        reader=read_sentence_pairs,
        negative="no_relation",
        note="`train` are the documents of the development part; pairs that may have a fact without evidence "
        "and pairs with several facts are left out",
    ),
    Dataset(
        "re_docred-drawn",
        "Re-DocRED, drawn pairs",
        maker=drawn_corpus,
        made_from=tuple(_RE_DOCRED.values()),
        negative="no_relation",
        whole=("train", "test"),
        note="250 documents of each part of re_docred, negatives drawn down to TACRED's share",
        licence="MIT",
    ),
    Dataset(
        "gids",
        "GIDS",
        kind="mentions",
        files={"train": "gids/dev.tsv", "test": "gids/test.tsv"},
        reader=read_gids,
        negative="NA",
        note="the training part is not public: `train` is the development part",
    ),
    Dataset(
        "wiki80",
        "Wiki80, a part",
        kind="mentions",
        files={"train": "wiki80/train_0.1.txt", "test": "wiki80/dev.txt"},
        reader=read_opennre,
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
        reader=read_txt,
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
        licence="MIT (made here)",
    ),
    Dataset(
        "demo-documents",
        "synthetic letters",
        kind="documents",
        maker=demo_documents,
        whole=("train", "test"),
        note="letters generated from templates, not a real collection",
        licence="MIT (made here)",
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
