"""The samples of an experiment: which are trained on, which are tested on, and what is written about them.

No model is known here, and no torch.
"""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .data import registry
from .data.corpora import FILES, read_corpus
from .data.demo import demo_corpus
from .data.pairing import clean_sample, paired_sets
from .data.ptr_split import FILES as PTR_FILES
from .data.ptr_split import ptr_split
from .data.relations import label_ids
from .data.samples import RelationSample
from .reporting.files import write_atomically

HOLDOUT = 10
"""One in that many training samples is held out to choose settings."""


@dataclass(frozen=True)
class ExperimentData:
    """Training and test samples, the labels in the order of their ids, the sha256 of each file by name."""

    train: list[RelationSample]
    test: list[RelationSample]
    labels: tuple[str, ...]
    files: dict[str, str]


def read_samples(
    dataset: str,
    part: str = "full",
    text: str = "clean",
    merged: bool = False,
    holdout: bool = False,
    at_most: int | None = None,
) -> ExperimentData:
    """The samples in the wanted form; see `Experiment` for the words.

    `at_most` training samples are taken, drawn once and for all; then they are merged with their paired ones.

    Raises MissingData, ChecksumError : the data are not here. ValueError : unknown data set.

    >>> data = read_samples("demo", merged=True, at_most=100)
    >>> len(data.train), data.train[0].text == data.train[1].text
    (200, True)
    """
    splits, files = _splits(dataset)
    labels = tuple(label_ids(sample.relation for samples in splits.values() for sample in samples))
    train, test = list(splits["train"]), list(splits["test"])
    if part == "ptr":
        train = ptr_split(train)
        files |= {name: registry.registry()[name].sha256 for name in PTR_FILES.values()}
    if holdout:
        train, test = _held_out(train)
    if at_most is not None and len(train) > at_most:
        train = random.Random(0).sample(train, at_most)
    if text == "clean":
        train, test = ([clean_sample(sample) for sample in part] for part in (train, test))
    if merged:
        train = paired_sets(train)["merged"]
    return ExperimentData(train, test, labels, files)


def _splits(dataset: str) -> tuple[dict[str, Sequence[RelationSample]], dict[str, str]]:
    if dataset == "demo":
        return demo_corpus(seed=0), {}
    names = [FILES[dataset][split] for split in ("train", "test")]
    return read_corpus(dataset), {name: registry.registry()[name].sha256 for name in names}


def _held_out(samples: Sequence[RelationSample]) -> tuple[list[RelationSample], list[RelationSample]]:
    """The training samples without a tenth, and that tenth: always the same one."""
    chosen = set(random.Random(HOLDOUT).sample(range(len(samples)), len(samples) // HOLDOUT))
    rest = [sample for place, sample in enumerate(samples) if place not in chosen]
    return rest, [samples[place] for place in sorted(chosen)]


def write_predictions(
    path: Path, data: ExperimentData, original: Sequence[int], paired: Sequence[int]
) -> Path:
    """Write label ids predicted on the test set and on its paired set as CSV: id, gold, predicted, paired.

    `python -m helpers score` reads it. Raises ValueError if there are not as many predictions as samples.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("id", "gold", "predicted", "paired"))
    for sample, one, other in zip(data.test, original, paired, strict=True):
        writer.writerow((sample.id, sample.relation, data.labels[one], data.labels[other]))
    return write_atomically(path, text.getvalue())
