"""What an experiment reads: training and test parts, of sentences or of bags, and how tests are counted."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from ..core import file_sha256, find_negative, label_ids, write_atomically
from ..data import (
    PTR_FILES,
    Bag,
    Fingerprint,
    RelationSample,
    clean_sample,
    corpus_hashes,
    file_path,
    find_dataset,
    fingerprint,
    make_bags,
    paired_sets,
    parse_file,
    parse_files,
    parse_path,
    parsed_corpus,
    ptr_split,
    read_corpus,
    registered_file,
    samples_sha256,
    shared_pairs,
    spacy_corpus,
    without_duplicates,
)
from ..metrics import FactRanking, Outcome
from ..models import Model
from ..runs import ConfusionRows, RankedFacts, Run
from .experiment import Experiment

QUICK_SENTENCES = 2000
"""Training sentences of profile 'quick'."""
DECIMALS = 4
"""Of stored scores of facts; the order of the list is kept."""
_HOLDOUT = 10
"""One in that many training samples is held out to choose settings."""


@dataclass(frozen=True)
class RelationData:
    """Training and test samples, the labels in the order of their ids, the sha256 of each file by name;
    directed : whether the samples have paired ones; inverse, negative : see `Dataset`; samples_sha256 : of
    the whole corpus where it is drawn from its files (`Dataset.made_from`), whose hashes do not say how."""

    train: list[RelationSample]
    test: list[RelationSample]
    labels: tuple[str, ...]
    files: dict[str, str]
    directed: bool = True
    inverse: Mapping[str, str] = field(default_factory=dict)
    negative: str | None = None
    samples_sha256: str = ""

    @property
    def tests(self) -> dict[str, list[RelationSample]]:
        """The test set, 'original', and where relations have a direction its 'paired' one."""
        sets = paired_sets(self.test, self.inverse) if self.directed else {"original": self.test}
        return {name: sets[name] for name in ("original", "paired") if name in sets}

    @property
    def facts(self) -> dict[str, Any]:
        """For the run file: the most frequent training relation; of several the first in the alphabet."""
        counts = Counter(sample.relation for sample in self.train)
        return {"majority": min(counts, key=lambda relation: (-counts[relation], relation))}

    def hyperparameters(self) -> dict[str, Any]:
        """What of the configuration is known when the data are read."""
        known: dict[str, Any] = {"training_samples": len(self.train)}
        known |= {"inverse": dict(self.inverse)} if self.inverse else {}
        return known | ({"samples_sha256": self.samples_sha256} if self.samples_sha256 else {})

    def description(self) -> str:
        """What is to be said of the data before anything is trained: nothing."""
        return ""

    def evaluate(self, model: Model, names: Iterable[str], progress: bool) -> dict[str, list[np.ndarray]]:
        """Evaluation → label ids predicted on each of the test sets; all processes come here together."""
        each = [model.evaluations(part, progress) for part in self.tests.values()]
        return {name: [predicted[name] for predicted in each] for name in names}

    def table(self, predicted: Sequence[np.ndarray] | None, whole: bool = True) -> Any:
        """The counts, in the form of run files: gold × predicted, and × predicted on the paired sentence;
        None: those of no sentence."""
        roles, names = ("predicted", "paired") if self.directed else ("predicted",), np.array(self.labels)
        counted = Outcome.from_rows([], self.labels, ("gold", *roles))
        if predicted is not None:
            columns = {role: names[codes] for role, codes in zip(roles, predicted, strict=True)}
            gold = [sample.relation for sample in self.test]
            counted = Outcome.from_columns(gold, **columns, labels=self.labels)
        return Run.from_outcome(counted, dataset="", model="").table


def _read_samples(
    dataset: str,
    part: str = "full",
    text: str = "clean",
    merged: bool = False,
    holdout: bool = False,
    at_most: int | None = None,
) -> RelationData:
    """The samples in the wanted form; see `Experiment` for the words.

    `at_most` training samples are taken, drawn once and for all; then they are merged with their paired ones.

    Raises MissingData, ChecksumError : the data are not here. ValueError : unknown data set.

    >>> data = _read_samples("demo", merged=True, at_most=100)
    >>> len(data.train), data.train[0].text == data.train[1].text
    (200, True)
    """
    read = {"parsed": parsed_corpus, "spacy": spacy_corpus}.get(text, read_corpus)
    splits, files = read(dataset), corpus_hashes(dataset, ("train", "test"))
    if text == "parsed":
        files |= {name: file_sha256(file_path(name)) for name in parse_files(dataset, ("train", "test"))}
    elif text == "spacy":
        files[parse_file(dataset)] = file_sha256(parse_path(dataset))
    about = find_dataset(dataset)
    occurring = (sample.relation for samples in splits.values() for sample in samples)
    labels = about.relations or tuple(label_ids(occurring))
    train, test = list(splits["train"]), list(splits["test"])
    if part == "ptr":
        train = ptr_split(train)
        files |= {name: registered_file(name).sha256 for name in PTR_FILES.values()}
    if holdout:
        train, test = _held_out(train)
    if at_most is not None and len(train) > at_most:
        train = random.Random(0).sample(train, at_most)
    if text == "clean":
        train, test = ([clean_sample(sample) for sample in part] for part in (train, test))
    if merged:
        train = paired_sets(train, about.inverse)["merged"]
    negative = about.negative or find_negative(labels)
    drawn = samples_sha256(sample for split in splits.values() for sample in split) if about.made_from else ""
    return RelationData(train, test, labels, files, about.directed, about.inverse, negative, drawn)


def _held_out(samples: Sequence[RelationSample]) -> tuple[list[RelationSample], list[RelationSample]]:
    """The training samples without a tenth, and that tenth: always the same one."""
    chosen = set(random.Random(_HOLDOUT).sample(range(len(samples)), len(samples) // _HOLDOUT))
    rest = [sample for number, sample in enumerate(samples) if number not in chosen]
    return rest, [samples[number] for number in sorted(chosen)]


def write_predictions(
    path: Path, data: RelationData, original: Sequence[int], paired: Sequence[int] | None = None
) -> Path:
    """Write label ids predicted on the test set, and on its paired set, as CSV: id, gold, predicted, paired.

    `python -m helpers score` reads it. Raises ValueError if there are not as many predictions as samples.
    """
    names = np.array(data.labels)
    columns = {"id": [sample.id for sample in data.test], "gold": [sample.relation for sample in data.test]}
    columns |= {"predicted": names[original]} | ({} if paired is None else {"paired": names[paired]})
    return write_atomically(path, pd.DataFrame(columns).to_csv(index=False, lineterminator="\n"))


@dataclass(frozen=True)
class BagData:
    """Training bags by (head, tail, relation), test bags by (head, tail), the labels, sha256 by file; what
    was counted of each part before duplicates were left out, and how many pairs are in both."""

    train: list[Bag]
    test: list[Bag]
    labels: tuple[str, ...]
    negative: str | None
    files: dict[str, str]
    counted: dict[str, Fingerprint] = field(default_factory=dict)
    shared: int = 0
    facts: ClassVar[dict[str, Any]] = {}

    def hyperparameters(self) -> dict[str, Any]:
        """What of the configuration is known when the data are read."""
        return {"training_bags": len(self.train)}

    def description(self) -> str:
        """What is known of the corpus before anything is scored, one line for each part."""
        lines = [
            f"{part}: {counts.sentences} sentences ({counts.duplicates} duplicates left out, "
            f"{counts.malformed} malformed lines), {counts.pairs} pairs, {counts.facts} facts, "
            f"{counts.relations} labels"
            for part, counts in self.counted.items()
        ]
        return "\n".join([*lines, f"pairs in both parts: {self.shared}"])

    @property
    def gold(self) -> np.ndarray:
        """(B, L) whether a relation holds between the entities of a test bag."""
        gold = np.zeros((len(self.test), len(self.labels)), dtype=bool)
        for row, bag in enumerate(self.test):
            gold[row, [self.labels.index(relation) for relation in bag.relations]] = True
        return gold

    def evaluate(self, model: Any, names: Iterable[str], progress: bool) -> dict[str, np.ndarray]:
        """Aggregator → (B, L) the scores of the test bags, whose sentences are encoded once; '': the model's
        own."""
        if "" in names:
            return {"": model.scores(self.test, progress=progress)}
        vectors = model.sentence_vectors(self.test, progress)
        return {name: model.aggregated(vectors, name) for name in names}

    def table(self, scores: np.ndarray | None, whole: bool = True) -> RankedFacts | ConfusionRows:
        """The list of all facts that a matrix of scores ranks; by matrix position where scores are equal.
        None: that of no bag. `whole` : with scores (`DECIMALS`), pairs and relations, else the ranks of the
        true facts and their relations.

        Where no class is negative every pair has one relation, and the best label of each is counted.
        """
        if scores is None:
            empty = RankedFacts(level="bag", facts=0, length=0, hit_ranks=())
            return empty if self.negative else ConfusionRows(rows=())
        if self.negative is None:
            names = np.array(self.labels)
            gold, predicted = names[self.gold.argmax(axis=1)], names[scores.argmax(axis=1)]
            return ConfusionRows(rows=Outcome.from_columns(gold, predicted, labels=self.labels).to_rows())
        ranking = FactRanking.from_matrix(scores, self.gold, self.labels, self.negative)
        if not whole:
            return RankedFacts.from_ranking(replace(ranking, scores=None), "bag", self.labels)
        kept = [number for number, label in enumerate(self.labels) if label != self.negative]
        order = np.argsort(-scores[:, kept].ravel(), kind="stable")
        pairs = (order // len(kept)).tolist()
        return RankedFacts.from_ranking(ranking, "bag", self.labels, pairs, DECIMALS)


def read_bags(dataset: str) -> BagData:
    """The bags of a data set of mentions; the negative class is the first label, the others by name.

    Of equal mentions of one part the first is kept.

    Raises MissingData, ChecksumError : the data are not here. ValueError : unknown data set.
    """
    splits, row = read_corpus(dataset), find_dataset(dataset)
    mentions = itertools.chain(*splits.values())
    relations = {relation for mention in mentions for relation in mention.relations}
    negative = row.negative if row.negative in relations else None
    labels = (*([negative] if negative else []), *sorted(relations - {negative}))
    used = {part: splits[part] for part in ("train", "test")}
    train, test = (without_duplicates(mentions) for mentions in used.values())
    return BagData(
        make_bags(train, negative, by_relation=True),
        make_bags(test, negative),
        labels,
        negative,
        corpus_hashes(dataset),
        {part: fingerprint(mentions, negative) for part, mentions in used.items()},
        len(shared_pairs(train, test)),
    )


def read_data(experiment: Experiment) -> RelationData | BagData:
    """What an experiment is trained and tested on. Raises as `_read_samples` and `read_bags`."""
    if experiment.of_bags:
        return read_bags(experiment.dataset)
    return _read_samples(
        experiment.dataset,
        experiment.part,
        experiment.text,
        experiment.merged,
        experiment.holdout,
        experiment.sentences or (QUICK_SENTENCES if experiment.profile == "quick" else None),
    )
