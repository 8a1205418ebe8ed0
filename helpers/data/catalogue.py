"""The one table of data sets (`datasets.toml`): files, reader, splits, negative class, direction, title.

A data set is one row: `register_dataset` adds one, `register_files` one from two files of one's own. Every
command, table and figure knows it.
"""

from __future__ import annotations

import functools
import logging
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from pkgutil import resolve_name
from typing import Any, Literal, cast

from ..core import MissingData, check_known, did_you_mean, find_negative, inverse_label, listing, unknown_name
from . import sentences
from .documents import Documents
from .files import fetch, locate, registered_files, search_folders
from .predictions import read_label_names, read_mapping
from .samples import Corpus, ParsedSample, RelationSample

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
    reader : `reader(path)` gives the samples of one file.
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
        check_known("kind of data set", self.kind, KINDS)
        if bool(self.files) != (self.reader is not None):
            raise ValueError(f"data set {self.name!r}: `files` and `reader` belong together, one is missing")
        if self.files and self.measured not in self.files:
            known = ", ".join(self.files)
            raise ValueError(f"{self.name}: measured is {self.measured!r}, its splits are {known}")
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

    def path_of(self, file: Path | str) -> Path:
        """Where a file lies: a registered one is looked for and verified, another one is on disk, or in the
        folders of the registered ones. Of corpora that may not be passed on, such as TACRED, no checksum is
        public; `address` is where to get them. Raises MissingData with the places where it was looked for.
        """
        if str(file) in registered_files():
            return locate(str(file))
        places = dict.fromkeys(folder / file for folder in (Path(), *search_folders()))
        for path in places:
            if path.is_file():
                return path
        what = f"it is neither a file on disk nor a registered one{did_you_mean(file, registered_files())}"
        if self.address:
            what = f"it may not be passed on; get it from {self.address}"
        raise MissingData(f"{file} is missing: {what}. Looked for {', '.join(map(str, places))}")


_FUNCTIONS = {"reader", "maker", "counter"}
_registered: dict[str, Dataset] = {}


@functools.cache
def _own() -> dict[str, Dataset]:
    """The data sets that come with the package, the rows of `datasets.toml`."""
    text = Path(__file__).with_name("datasets.toml").read_text(encoding="utf-8")
    rows: dict[str, Dataset] = {}
    cells: dict[str, Any]
    for name, row in tomllib.loads(text).items():
        cells = {key: tuple(cell) if isinstance(cell, list) else cell for key, cell in row.items()}
        cells |= {key: resolve_name(f"{__package__}.{cells[key]}") for key in _FUNCTIONS & cells.keys()}
        rows[name] = Dataset(name, **cells)
    return rows


def datasets() -> dict[str, Dataset]:
    """All data sets by name, in the order of the table; those added last stand last.

    >>> [name for name, row in datasets().items() if row.directed]
    ['semeval2010', 'kbp37', 'demo']
    """
    return _own() | _registered


def find_dataset(
    name: str, what: str = "dataset", fits: Callable[[Dataset], Any] = lambda row: True
) -> Dataset:
    """The row of a data set. Raises ValueError for a name that is none of those that fit, with the nearest.

    what : how the error calls them.

    >>> find_dataset("tacred").negative, find_dataset("kbp37").splits
    ('no_relation', ('train', 'dev', 'test'))
    """
    known = {row.name: row for row in datasets().values() if fits(row)}
    check_known(what, name, known)
    return known[name]


def register_dataset(dataset: Dataset) -> Dataset:
    """Add a data set to the table, for this process: reading, statistics, pairing, training, titles know it.

    A data set of one's own is given anew, so that a notebook cell can be run twice. Raises ValueError for the
    name of one that comes with the package.

    >>> register_dataset(Dataset("tacred"))
    Traceback (most recent call last):
    ValueError: there is a data set 'tacred' already: choose another name
    """
    if dataset.name in _own():
        raise ValueError(f"there is a data set {dataset.name!r} already: choose another name")
    _registered[dataset.name] = dataset
    return dataset


def read_corpus(name: str) -> dict[str, Corpus | Documents]:
    """Every split of a data set: `RelationSample`s, `Mention`s, `Fact`s or `Documents`, as its `kind` says.

    Raises
    ------
    ValueError : unknown data set, or one of which only counts are known.
    MissingData, ChecksumError : a file is absent or not the registered one.
    MalformedRecord : a record cannot be read.

    >>> read_corpus("kpb37")
    Traceback (most recent call last):
    ValueError: unknown corpus 'kpb37'; did you mean 'kbp37'? Known: ...
    """
    dataset = find_dataset(name, "corpus", lambda row: row.splits)
    if dataset.maker:
        return dataset.maker()
    read = cast(Callable[..., Any], dataset.reader)
    return {split: read(dataset.path_of(file)) for split, file in dataset.files.items()}


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
    relations : a file with all relations, as `read_label_names` reads it; None: those that occur.
    inverse : relation → inverse, or a file as `read_mapping` reads it, e.g. per:parents ↔ per:children.
    negative : the negative class; None: recognised by its name, if one occurs.

    Raises
    ------
    MalformedRecord : as `read_relation_file`. OSError : a file is not there.
    ValueError : `train` and `test` are the same file; `negative` or an inverse is no relation; the name is
        taken.

    >>> import tempfile
    >>> from helpers.data import read_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = "text,relation\\n<e1>Ada</e1> left <e2>Rome</e2>.,left\\n"
    ...     files = [Path(folder, name) for name in ("train.csv", "test.csv")]
    ...     _ = [file.write_text(rows) for file in files]
    ...     _ = register_files("mine", *files)
    ...     {split: len(samples) for split, samples in read_corpus("mine").items()}
    {'train': 1, 'test': 1}
    """
    files = {"train": Path(train).resolve(), "test": Path(test).resolve()}
    if files["train"] == files["test"]:
        raise ValueError(f"{train} is given for training and for testing: a test file of its own is needed")
    listed = None if relations is None else tuple(read_label_names(relations).values())
    reader = functools.partial(sentences.read_relation_file, relations=listed)
    samples = {split: reader(file) for split, file in files.items()}
    occurring = {sample.relation: None for part in samples.values() for sample in part}
    labels = listed or tuple(occurring)
    turned = read_mapping(inverse) if isinstance(inverse, str | Path) else dict(inverse or {})
    turned |= {other: label for label, other in turned.items()}
    for label in turned:
        if listed is not None and label not in listed:
            raise unknown_name("relation in `inverse`", label, listed)
    if negative is not None and negative not in labels:
        raise unknown_name("negative class", negative, labels)
    _warn_of_what_is_shared(samples)
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


def _warn_of_what_is_shared(samples: Mapping[str, list[RelationSample]]) -> None:
    """Note test samples that stand in the training file too, and relations that only the test file has."""
    train, test = samples["train"], samples["test"]
    known = {(sample.text, sample.head, sample.tail) for sample in train}
    if shared := sum((sample.text, sample.head, sample.tail) in known for sample in test):
        logger.warning("%d of %d test samples stand in the training file too", shared, len(test))
    if unseen := {sample.relation for sample in test} - {sample.relation for sample in train}:
        logger.warning("relations without a training sample: %s", listing(sorted(unseen)))
