"""From counts of labels to Table 1 of paper W (Harbecke et al. 2022): sizes, shares, perplexity, imbalance.

Size and negative share are those of the whole data set; perplexity and ratio those of its test part. The
counts are facts, kept in `results/published/label_counts.csv`, so that statistics need no download. The label
`(total)` stands for a split whose size is published but whose labels are not counted, or in another unit.
"""

from __future__ import annotations

import functools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

from .. import RESULTS
from ..core import MalformedRecord, base_relation, find_negative, naming_file, shown, unknown_name
from .catalogue import datasets, find_dataset, read_corpus
from .files import locate
from .predictions import columns_of
from .tables import DELIMITERS, json_document, open_source

LABEL_COUNTS = RESULTS / "published" / "label_counts.csv"
TOTAL = "(total)"
LARGEST = 2**53  # counts below are whole in floats, too


@functools.cache
def _published() -> dict[str, dict[str, dict[str, int]]]:
    """Data set → split → label → count, all rows of the file."""
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for _, row in open_source(LABEL_COUNTS).rows():
        splits = counts.setdefault(row["dataset"], {})
        splits.setdefault(row["split"], {})[row["label"]] = int(row["count"])
    return counts


def counted_datasets() -> tuple[str, ...]:
    """The data sets whose label counts are published, in the order of the file.

    >>> counted_datasets()
    ('semeval2010', 'chemprot', 'tacred', 'nyt24', 'docred', 'nyt10m', 'kbp37', 're_docred')
    """
    return tuple(_published())


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
    return {split: dict(counts) for split, counts in _published()[dataset].items()}


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
    row = find_dataset(dataset, fits=lambda row: row.has_counts and not row.undirected_of)
    # `has_counts`: no documents
    corpus = {} if row.counter else cast(dict[str, list[Any]], read_corpus(dataset))
    splits = {split: Counter(sample.relation for sample in samples) for split, samples in corpus.items()}
    splits = row.counter() if row.counter else splits
    listed = json_document(locate(row.inventory)) if row.inventory else {}
    labels = set(listed[1] if isinstance(listed, list) else listed)  # of NYT*: id → label, label → id
    names = sorted(labels.union(*splits.values()))
    whole = {split: Counter(dict.fromkeys(names, 0) | dict(counts)) for split, counts in splits.items()}
    return {split: dict(counts.most_common()) for split, counts in whole.items()}


@dataclass(frozen=True, slots=True)
class _Statistics:
    """Statistics of a label distribution.

    Attributes
    ----------
    labels : number of labels, the negative class among them.
    samples : number of samples.
    negative_share : share of samples of the negative class, in [0, 1]; 0 without a negative class, None if
        unknown.
    perplexity : 2^H of the label distribution, H its entropy in bits; between 1 and the number of labels that
        occur.
    perplexity_without_negative : the same among the samples of the positive classes; None if there are none.
    ratio : largest by smallest positive class that occurs; None if no positive class occurs.
    negative : name of the negative class, or None.
    note : what a reader must know to read the numbers.
    counts : label → number of samples of the part that perplexity and ratio are of; no part of `to_dict`.
    """

    labels: int
    samples: int
    negative_share: float | None
    perplexity: float
    perplexity_without_negative: float | None
    ratio: float | None
    negative: str | None = None
    note: str = ""
    counts: Mapping[str, int] = field(default_factory=dict, repr=False)

    def to_dict(self) -> dict[str, Any]:
        """The attributes but `counts` as a dictionary, in order."""
        return {part.name: getattr(self, part.name) for part in fields(self) if part.name != "counts"}


def perplexity(counts: Iterable[int]) -> float | None:
    """2^H of a distribution given by counts, H = −Σ p·log2 p; counts of 0 do not matter; None if all are 0.

    >>> perplexity([5, 5, 0]), perplexity([7]), perplexity([])
    (2.0, 1.0, None)
    """
    positive = [count for count in counts if count > 0]
    total = sum(positive)
    entropy = -math.fsum(count / total * math.log2(count / total) for count in positive)
    return 2.0**entropy if positive else None


def label_statistics(counts: Mapping[str, int], negative: str | None = None) -> _Statistics:
    """Statistics of one distribution of labels (paper W, Table 1).

    Parameters
    ----------
    counts : label → number of samples; a label with 0 counts as a label, and matters nowhere else.
    negative : the negative class; None if there is none.

    Raises
    ------
    ValueError : a count is negative or no integer; all are 0; `negative` is none of the labels.

    >>> label_statistics({"A": 6, "B": 2, "NA": 8}, negative="NA").ratio
    3.0
    """
    for label, count in counts.items():
        if isinstance(count, bool) or not hasattr(count, "__index__") or count < 0:
            raise ValueError(f"counts[{label!r}] is {count!r}: a count is an integer, 0 or more")
    total = sum(counts.values())
    if not total:
        raise ValueError(f"counts hold no sample ({len(counts)} labels)")
    if negative is not None and negative not in counts:
        raise unknown_name("negative class", negative, counts)
    positive = [count for label, count in counts.items() if label != negative]
    seen = [count for count in positive if count > 0]
    return _Statistics(
        labels=len(counts),
        samples=int(total),
        negative_share=counts[negative] / total if negative is not None else 0.0,
        perplexity=cast(float, perplexity(counts.values())),
        perplexity_without_negative=perplexity(positive),
        ratio=max(seen) / min(seen) if seen else None,
        negative=negative,
        counts=dict(counts),
    )


def dataset_statistics(
    name_or_path: Path | str, negative: str | None = None, gold_column: str | None = None
) -> _Statistics:
    """The row of Table 1 of paper W for one of its data sets; for every other one, and for a file, by the
    same rule.

    Labels, samples and negative share are those of the whole data set, perplexity and ratio those of the test
    part. `note` says where the numbers are of something else. A negative share that cannot be derived is
    None. Published counts are taken where there are some; otherwise the files are counted.

    Parameters
    ----------
    name_or_path : a data set; or a file of samples with their gold labels, in any form that `open_source`
        reads, or of counts, with the columns `label`, `count` and, if wanted, `split`. With a split named
        `test`, perplexity and ratio are of that split and the rest is of all splits together; otherwise
        everything is of the whole file.
    negative : the negative class of a file; None: the label with a well-known name, if there is one; "":
        there is none.
    gold_column : the column of gold labels of a file; None: recognised by a common name.

    Raises
    ------
    ValueError : neither a data set nor a file, or the counts of a split are not known; `negative` or
        `gold_column` is given for a data set; a column is missing; `negative` is none of the labels, or
        several labels look like it; no sample.
    MissingData, ChecksumError : the files of a data set are counted, and one is absent or not the registered
        one.
    MalformedRecord : with the line: a count that is no integer ≥ 0, an empty label, a label twice in one
        split.

    >>> row = dataset_statistics("tacred")
    >>> row.labels, row.samples, round(row.perplexity, 2), row.ratio
    (42, 106264, 3.31, 250.0)
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "counts.csv")
    ...     _ = path.write_text("label,count\\nA,6\\nB,2\\nNA,8\\n")
    ...     dataset_statistics(path).negative_share
    0.5
    """
    name, known = str(name_or_path), [row.name for row in datasets().values() if row.has_counts]
    if name in known:
        for argument, value in {"negative": negative, "gold_column": gold_column}.items():
            if value is not None:
                raise ValueError(f"the labels of {name} are known: leave `{argument}` out")
        about, splits = find_dataset(name), _splits(name)
        whole, measured = [splits[split] for split in about.whole], splits[about.measured]
        negative, note = about.negative, about.note
    elif not Path(name).is_file():
        unknown = unknown_name("data set", name, known)
        raise ValueError(f"{name!r}: no file of labels or of counts, and {unknown}")
    else:
        with naming_file(name):
            splits = _read_counts(Path(name), gold_column)
            negative, how = _negative_class(splits, negative)
        whole = [*splits.values()]
        measured = splits.get("test") or sum(map(Counter, whole), Counter())
        part = "split test" if "test" in splits else "the whole file"
        note = f"negative class: {how}; perplexity and ratio of {part}"
    with naming_file(name_or_path):
        return replace(_combined(whole, measured, negative), note=note)


def _splits(name: str) -> Mapping[str, Mapping[str, int]]:
    """The counts of each split of a data set."""
    about = find_dataset(name)
    read = published_counts if about.counted_name in counted_datasets() else count_labels
    splits = read(about.counted_name)
    lacking = [split for split in (*about.whole, about.measured) if split not in splits]
    if lacking:
        known = f"only of {', '.join(splits)}"
        raise ValueError(f"{name}: the labels of {', '.join(lacking)} are not counted, {known}")
    merged: dict[str, Counter[str]] = {split: Counter() for split in splits}
    for split, counts in splits.items():
        for label, count in counts.items():
            merged[split][base_relation(label) if about.undirected_of else label] += count
    return merged


def _combined(
    whole: Sequence[Mapping[str, int]], measured: Mapping[str, int], negative: str | None
) -> _Statistics:
    """Size and negative share of the `whole` (splits), perplexity and ratio of the `measured` part."""
    labels = set(measured).union(*whole) - {TOTAL}
    counts = {label: measured.get(label, 0) for label in sorted(labels)}
    part = label_statistics(counts, negative)
    samples = sum(part.get(TOTAL, sum(part.values())) for part in whole)
    share: float | None = 0.0
    if negative is not None:
        known = not any(TOTAL in part for part in whole)
        share = sum(part.get(negative, 0) for part in whole) / samples if known else None
    counts = {label: count for label, count in measured.items() if label != TOTAL}
    return replace(part, samples=samples, negative_share=share, counts=counts)


def _negative_class(splits: Mapping[str, Mapping[str, int]], negative: str | None) -> tuple[str | None, str]:
    """The negative class and how it is known."""
    labels = list(dict.fromkeys(label for counts in splits.values() for label in counts))
    known = "as given" if negative else "none"
    if negative is None and (negative := find_negative(labels)) is not None:
        known = f"{negative!r}, recognised by its name"
    if negative and negative not in labels:
        raise unknown_name("negative class", negative, labels)
    return negative or None, known


def _read_counts(path: Path, gold_column: str | None) -> Mapping[str, Mapping[str, int]]:
    source = open_source(path)
    if gold_column is not None or "count" not in source.names:
        column = columns_of(source, {"gold": gold_column}, alone=True)["gold"]
        return {"": dict(source.read([column])[column].times())}
    if source.form not in DELIMITERS:
        raise ValueError("counts of labels are read from .csv and .tsv only")
    source.may_be_empty = {"split"}
    names = [source.column(name) for name in ("label", "count")]
    columns = source.read([*names, *({"split"} & {*source.names})], numbers=["count"])
    parts = columns.get("split", [""] * len(columns["label"]))
    splits: dict[str, dict[str, int]] = {}
    for row, (label, count, split) in enumerate(zip(columns["label"], columns["count"], parts, strict=True)):
        counts = splits.setdefault(split, {})
        if label in counts:
            raise MalformedRecord(path, f"label {shown(label)} occurs twice", source.line(row), "label")
        if not 0 <= count < LARGEST or count % 1:
            reason = f"a count is an integer, 0 or more and below 2^53, not {count:g}"
            raise MalformedRecord(path, reason, source.line(row), "count")
        counts[label] = int(count)
    return splits
