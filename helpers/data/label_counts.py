"""How often each label occurs in each split of the papers' data sets: published, and counted again.

The counts are facts, kept in `results/published/label_counts.csv`, so that statistics need no download. The
label `(total)` stands for a split whose size is published but whose labels are not counted, or are counted
in another unit.
"""

from __future__ import annotations

import csv
import functools
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

from .. import RESULTS
from ..core import unknown_name, write_atomically
from .corpora import datasets, find_dataset, read_corpus, resolved
from .registry import locate, registered_file

LABEL_COUNTS = RESULTS / "published" / "label_counts.csv"
TOTAL = "(total)"

_TACREV = "DFKI-NLP/tacrev@2252b8e"
_NYT10M = "b8niiii/Ensembling@1881e17"
_SOURCES = {
    ("tacred", "train"): "published label counts of the training set",
    ("tacred", "dev"): f"{_TACREV} results/dev_results label_true",
    ("tacred", "test"): f"{_TACREV} results/test_results label_true",
    ("tacred", "test-tacrev"): f"{_TACREV} results/test_results label_true with patch/test_patch.json",
    ("nyt10m", "train"): f"{_NYT10M} source/EDA.ipynb",
    ("nyt10m", "val"): f"{_NYT10M} source/EDA.ipynb",
    ("nyt10m", "test"): f"{_NYT10M} results/test_statistical_analysis_20261008.json",
}
"""Where counts were published that do not follow from a registered corpus file."""


class LabelCount(NamedTuple):
    """One row of the file: `unit` is what is counted."""

    dataset: str
    split: str
    label: str
    count: int  # type: ignore[assignment]  # hides tuple.count, which nobody needs of a row
    unit: str
    source: str


_TOTALS = (
    LabelCount("nyt24", "train", TOTAL, 56195, "sentence", "published size; 56195 + 4999 + 5000 = 66194"),
    LabelCount("docred", "train", TOTAL, 38180, "fact", "published size; 38180 + 12323 = 50503"),
    LabelCount("docred", "dev", TOTAL, 12323, "fact", "published size; 38180 + 12323 = 50503"),
    LabelCount("nyt10m", "test", TOTAL, 9744, "sentence", f"{_NYT10M} results/test_data_protocol_audit.json"),
)


@functools.cache
def published_rows() -> tuple[LabelCount, ...]:
    """All rows of the file."""
    with LABEL_COUNTS.open(encoding="utf-8", newline="") as file:
        rows: Iterator[dict[str, Any]] = csv.DictReader(file)
        return tuple(LabelCount(**row | {"count": int(row["count"])}) for row in rows)


def counted_datasets() -> tuple[str, ...]:
    """The data sets whose label counts are published, in the order of the file.

    >>> counted_datasets()
    ('semeval2010', 'chemprot', 'tacred', 'nyt24', 'docred', 'nyt10m', 'kbp37', 're_docred')
    """
    return tuple(dict.fromkeys(row.dataset for row in published_rows()))


def published_counts(dataset: str) -> dict[str, dict[str, int]]:
    """Split → label → count of a data set, as published; `(total)` is kept as a label.

    Labels of the inventory that a split lacks have the count 0.

    Raises
    ------
    ValueError : unknown data set.

    >>> published_counts("semeval2010")["test"]["Entity-Destination(e2,e1)"]
    1
    """
    if dataset not in counted_datasets():
        raise unknown_name("dataset", dataset, counted_datasets())
    counts: dict[str, dict[str, int]] = {}
    for row in published_rows():
        if row.dataset == dataset:
            counts.setdefault(row.split, {})[row.label] = row.count
    return counts


def count_labels(dataset: str) -> dict[str, dict[str, int]]:
    """Split → label → count, recomputed from the real files, most frequent label first.

    NYT* counts the first triple of each sentence (the rule behind Table 1 of paper W); DocRED counts facts,
    of the 699 development documents that are public with the registry; NYT10m counts sentences (one per
    sentence and label) in train and val, and facts in test; TACRED has a split `test-tacrev` with the revised
    labels.

    Raises
    ------
    ValueError : unknown data set, or one whose labels are not counted.
    MissingData, ChecksumError : a file is absent or not the registered one.

    >>> count_labels("demo")["test"]["Other"]
    66
    """
    known = [one.name for one in datasets().values() if one.has_counts and not one.undirected_of]
    if dataset not in known:
        raise unknown_name("dataset", dataset, known)
    row = find_dataset(dataset)
    if row.counter:
        splits = resolved(row.counter)()
    else:
        corpus = cast(dict[str, list[Any]], read_corpus(dataset))  # `has_counts`: no documents
        splits = {split: Counter(one.relation for one in samples) for split, samples in corpus.items()}
    listed = _json(row.inventory) if row.inventory else {}
    if isinstance(listed, list):  # of NYT*: id → label, label → id
        listed = listed[1]
    labels = set(listed).union(*splits.values())
    return {
        split: {
            label: counts.get(label, 0)
            for label in sorted(labels, key=lambda one: (-counts.get(one, 0), one))
        }
        for split, counts in splits.items()
    }


def count_tacred() -> dict[str, Mapping[str, int]]:
    """Split → label → count of TACRED: of train as published, of the others from the public predictions."""
    from .systems import tacred_predictions

    train = _json("tacred/tacred_label_counts.json")["train"]
    dev, test = tacred_predictions("dev"), tacred_predictions("test")
    counted = {"dev": dev["gold"], "test": test["gold"], "test-tacrev": test["gold_tacrev"]}
    return {"train": train} | {split: Counter(labels.astype(str)) for split, labels in counted.items()}


def count_nyt10m() -> dict[str, Mapping[str, int]]:
    """Split → label → count of NYT10m as published: sentences of train and val, facts of test."""
    counts = _json("nyt10m/nyt10m_label_counts.json")
    sentences = {split: counts[split]["records"] for split in ("train", "val")}
    return sentences | {"test": counts["test"]["per_relation_pair_facts"]}


def _json(path: str) -> Any:
    return json.loads(locate(path).read_text(encoding="utf-8"))


def recounted_rows() -> list[LabelCount]:
    """All rows of the file, recomputed from the real files."""
    rows = []
    for dataset in counted_datasets():
        about = find_dataset(dataset)
        for split, counts in count_labels(dataset).items():
            source = _SOURCES.get((dataset, split)) or _address(str(about.files[split]))
            rows += [
                LabelCount(dataset, split, *pair, about.unit_of(split), source) for pair in counts.items()
            ]
    return [*rows, *_TOTALS]


def _address(path: str) -> str:
    """`owner/repository@commit path` of a registered file."""
    found = registered_file(path)
    place = found.url.removeprefix("https://raw.githubusercontent.com/")
    owner, repository, commit, file = place.split("/", 3)
    return f"{owner}/{repository}@{commit[:7]} {file} {found.member}".rstrip()


def write_label_counts(path: Path | str = LABEL_COUNTS) -> None:
    """Recompute the file from the real data and replace it atomically."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(LabelCount._fields)
    writer.writerows(recounted_rows())
    write_atomically(path, text.getvalue())
