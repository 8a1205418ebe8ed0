"""How often each label occurs in each split of the papers' data sets.

The counts are facts, kept in `results/published/label_counts.csv`, so that statistics need no download;
`count_labels` recomputes them from the real files. What follows from counts is in `statistics`.

Columns of the file: dataset, split, label, count, unit (what is counted), source. The label `(total)` stands
for a split whose size is published but whose labels are not counted, or are counted in another unit.
"""

from __future__ import annotations

import csv
import functools
import io
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from helpers import ROOT
from helpers.core import unknown_name

from . import registry
from .corpora import FILES, read_corpus

LABEL_COUNTS = ROOT / "results" / "published" / "label_counts.csv"
TOTAL = "(total)"
COUNTED_DATASETS = ("semeval2010", "chemprot", "tacred", "nyt24", "docred", "nyt10m", "kbp37")

_UNITS = {
    "nyt24": "sentence (first triple)",
    "docred": "fact",
    ("nyt10m", "test"): "fact",
    "nyt10m": "sentence",
}
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


class LabelCount(NamedTuple):
    """One row of the file."""

    dataset: str
    split: str
    label: str
    count: int
    unit: str
    source: str


_TOTALS = (
    LabelCount("nyt24", "train", TOTAL, 56195, "sentence", "published size; 56195 + 4999 + 5000 = 66194"),
    LabelCount("docred", "train", TOTAL, 38180, "fact", "published size; 38180 + 12323 = 50503"),
    LabelCount("docred", "dev", TOTAL, 12323, "fact", "published size; 38180 + 12323 = 50503"),
    LabelCount("nyt10m", "test", TOTAL, 9744, "sentence", f"{_NYT10M} results/test_data_protocol_audit.json"),
)


def published_counts(dataset: str) -> dict[str, dict[str, int]]:
    """Split → label → count of a data set, as published; `(total)` is kept as a label.

    Labels of the inventory that a split lacks have the count 0.

    Raises
    ------
    ValueError : unknown data set.

    >>> published_counts("semeval2010")["test"]["Entity-Destination(e2,e1)"]
    1
    """
    if dataset not in COUNTED_DATASETS:
        raise unknown_name("dataset", dataset, COUNTED_DATASETS)
    counts: dict[str, dict[str, int]] = {}
    for row in _published_rows():
        if row.dataset == dataset:
            counts.setdefault(row.split, {})[row.label] = row.count
    return counts


@functools.cache
def _published_rows() -> tuple[LabelCount, ...]:
    with LABEL_COUNTS.open(encoding="utf-8", newline="") as file:
        return tuple(LabelCount(**{**row, "count": int(row["count"])}) for row in csv.DictReader(file))


def count_labels(dataset: str) -> dict[str, dict[str, int]]:
    """Split → label → count, recomputed from the real files, most frequent label first.

    NYT* counts the first triple of each sentence (the rule behind Table 1 of paper W); DocRED counts facts,
    of the 699 development documents that are public with the registry; NYT10m counts sentences (one per
    sentence and label) in train and val, and facts in test; TACRED has a split `test-tacrev` with the revised
    labels.

    Raises
    ------
    ValueError : unknown data set.
    MissingData, ChecksumError : a file is absent or not the registered one.
    """
    if dataset not in COUNTED_DATASETS:
        raise unknown_name("dataset", dataset, COUNTED_DATASETS)
    special = {"tacred": _count_tacred, "nyt10m": _count_nyt10m}
    splits = special[dataset]() if dataset in special else _count_corpus(dataset)
    inventory = set(_inventory(dataset)).union(*splits.values())
    return {split: _ordered(counts, inventory) for split, counts in splits.items()}


def _ordered(counts: Mapping[str, int], inventory: Iterable[str]) -> dict[str, int]:
    return dict(
        sorted(((label, counts.get(label, 0)) for label in inventory), key=lambda pair: (-pair[1], pair[0]))
    )


def _count_corpus(dataset: str) -> dict[str, Mapping[str, int]]:
    return {split: Counter(one.relation for one in corpus) for split, corpus in read_corpus(dataset).items()}


def _count_tacred() -> dict[str, Mapping[str, int]]:
    from .systems import tacred_predictions

    train = _json("tacred/tacred_label_counts.json")["train"]
    dev, test = tacred_predictions("dev"), tacred_predictions("test")
    counted = {"dev": dev["gold"], "test": test["gold"], "test-tacrev": test["gold_tacrev"]}
    return {"train": train} | {split: Counter(labels.astype(str)) for split, labels in counted.items()}


def _count_nyt10m() -> dict[str, Mapping[str, int]]:
    counts = _json("nyt10m/nyt10m_label_counts.json")
    sentences = {split: counts[split]["records"] for split in ("train", "val")}
    return sentences | {"test": counts["test"]["per_relation_pair_facts"]}


def _inventory(dataset: str) -> Iterable[str]:
    """The labels that a data set defines beside those that occur in the counted splits."""
    if dataset == "nyt24":
        return _json("nyt24/NYT-star/rel2id.json")[1]
    return _json("docred/rel2id.json") if dataset == "docred" else ()


def _json(path: str) -> dict:
    return json.loads(registry.locate(path).read_text(encoding="utf-8"))


def recounted_rows() -> list[LabelCount]:
    """All rows of the file, recomputed from the real files."""
    return [*(row for dataset in COUNTED_DATASETS for row in _rows(dataset)), *_TOTALS]


def _rows(dataset: str) -> Iterable[LabelCount]:
    for split, counts in count_labels(dataset).items():
        unit = _UNITS.get((dataset, split)) or _UNITS.get(dataset, "sample")
        source = _SOURCES.get((dataset, split)) or _address(FILES[dataset][split])
        yield from (LabelCount(dataset, split, label, count, unit, source) for label, count in counts.items())


def _address(path: str) -> str:
    """`owner/repository@commit path` of a registered file."""
    entry = registry.entry(path)
    owner, repository, commit, place = entry.url.removeprefix("https://raw.githubusercontent.com/").split(
        "/", 3
    )
    member = f" {entry.member}" if entry.member else ""
    return f"{owner}/{repository}@{commit[:7]} {place}{member}"


def write_label_counts(path: Path | str = LABEL_COUNTS) -> None:
    """Recompute the file from the real data and replace it in one step."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(LabelCount._fields)
    writer.writerows(recounted_rows())
    draft = Path(path).with_name(f".{Path(path).name}.{os.getpid()}")
    try:
        draft.write_text(text.getvalue(), encoding="utf-8", newline="")
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
