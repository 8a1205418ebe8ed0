"""What an experiment reads: training and test parts, of sentences or of bags, and how tests are counted."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from .. import data
from ..core import find_negative, label_ids
from ..metrics import FactRanking, Outcome
from ..models import Model
from ..runs import ConfusionRows, RankedFacts, Run
from .experiment import SIDE, Experiment

QUICK_SENTENCES = 2000
"""Training sentences of profile 'quick'."""
DECIMALS = 4
"""Of stored scores of facts; the order of the list is kept."""
_HOLDOUT = 10
"""One in that many training samples is held out to choose settings."""


@dataclass(frozen=True)
class _Data:
    """Training and test part.

    Attributes
    ----------
    labels : in the order of their ids. files : sha256 by name. known : what of the configuration they say.
    facts : for the run file. description : what is known of the corpus before anything is scored, one line
        for each part.
    """

    train: list[Any]
    test: list[Any]
    labels: tuple[str, ...]
    negative: str | None
    files: dict[str, str]
    known: dict[str, Any] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)
    description: str = ""


@dataclass(frozen=True)
class RelationData(_Data):
    """Samples. directed : whether they have paired ones. inverse : see `Dataset`."""

    directed: bool = False
    inverse: Mapping[str, str] = field(default_factory=dict)

    @property
    def tests(self) -> dict[str, list[data.RelationSample]]:
        """The test set, 'original', and where relations have a direction its 'paired' one."""
        sets = data.paired_sets(self.test, self.inverse) if self.directed else {"original": self.test}
        return {name: sets[name] for name in ("original", "paired") if name in sets}

    def evaluate(self, model: Model, names: Iterable[str], progress: bool) -> dict[str, list[np.ndarray]]:
        """Evaluation → label ids predicted on each of the test sets; all processes come here together."""
        each = [model.evaluations(part, progress) for part in self.tests.values()]
        return {name: [predicted[name] for predicted in each] for name in names}

    def columns(self, predicted: Sequence[np.ndarray]) -> dict[str, Any]:
        """Of the test set gold and predicted labels, and those that are predicted on the paired sentences."""
        roles = ("predicted", "paired") if self.directed else ("predicted",)
        codes = zip(roles, predicted, strict=True)
        gold = {"gold": [sample.relation for sample in self.test]}
        return gold | {role: np.array(self.labels)[own] for role, own in codes}

    def frame(self, predicted: Sequence[np.ndarray]) -> pd.DataFrame:
        """`columns` with ids, as `python -m helpers score` reads them."""
        return pd.DataFrame({"id": [sample.id for sample in self.test]} | self.columns(predicted))

    def table(self, predicted: Sequence[np.ndarray] | None, whole: bool = True) -> Any:
        """The counts, in the form of run files: gold × predicted, and × predicted on the paired sentence;
        None: those of no sentence."""
        if predicted is None:
            roles = ("gold", "predicted", "paired") if self.directed else ("gold", "predicted")
            counted = Outcome.from_rows([], self.labels, roles)
        else:
            counted = Outcome.from_columns(**self.columns(predicted), labels=self.labels)
        return Run.from_outcome(counted, dataset="", model="").table


def _read_samples(experiment: Experiment) -> RelationData:
    """The samples in the form that the experiment wants."""
    dataset, text = experiment.dataset, experiment.text
    splits = {"parsed": data.parsed_corpus, "spacy": data.spacy_corpus}.get(text, data.read_corpus)(dataset)
    about, files = data.find_dataset(dataset), data.corpus_hashes(dataset, ("train", "test"))
    files |= data.parse_hashes(dataset, text, ("train", "test"))
    every = [sample for split in splits.values() for sample in split]
    labels = about.relations or tuple(label_ids(sample.relation for sample in every))
    if experiment.part == "ptr":
        files |= {name: data.registered_file(name).sha256 for name in data.PTR_FILES.values()}
    train, test = _chosen(experiment, splits)
    if experiment.merged:
        train = data.paired_sets(train, about.inverse)["merged"]
    known: dict[str, Any] = {"training_samples": len(train)}
    known |= {"inverse": dict(about.inverse)} if about.inverse else {}
    # where a corpus is drawn from its files, their hashes do not say how
    known |= {"samples_sha256": data.samples_sha256(every)} if about.made_from else {}
    counts = Counter(sample.relation for sample in train)
    facts = {"majority": min(counts, key=lambda relation: (-counts[relation], relation))}
    negative = about.negative or find_negative(labels)
    direction = {"directed": about.directed, "inverse": about.inverse}
    return RelationData(train, test, labels, negative, files, known, facts, **direction)


def _chosen(experiment: Experiment, splits: Mapping[str, Sequence[Any]]) -> tuple[list[Any], list[Any]]:
    """Training and test samples; if not all training samples are taken, they are drawn once and for all."""
    train, test = list(splits["train"]), list(splits["test"])
    if experiment.part == "ptr":
        train = data.ptr_split(train)["train"]
    if experiment.holdout:  # always the same tenth
        numbers = range(len(train))
        chosen = {*random.Random(_HOLDOUT).sample(numbers, len(train) // _HOLDOUT)}
        test = [train[number] for number in sorted(chosen)]
        train = [train[number] for number in numbers if number not in chosen]
    at_most = experiment.sentences or (QUICK_SENTENCES if experiment.profile == "quick" else len(train))
    if len(train) > at_most:
        train = random.Random(0).sample(train, at_most)
    if experiment.text == "clean":
        train, test = ([data.clean_sample(sample) for sample in part] for part in (train, test))
    return train, test


class BagData(_Data):
    """Training bags by (head, tail, relation), test bags by (head, tail)."""

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
    splits, wanted = data.read_corpus(dataset), data.find_dataset(dataset).negative
    relations = {relation for mention in itertools.chain(*splits.values()) for relation in mention.relations}
    negative = wanted if wanted in relations else None
    labels = (*([negative] if negative else []), *sorted(relations - {negative}))
    parts = {part: data.without_duplicates(splits[part]) for part in ("train", "test")}
    lines = []
    for part in parts:
        counts = data.fingerprint(splits[part], negative)
        lines.append(
            f"{part}: {counts.sentences} sentences ({counts.duplicates} duplicates left out), "
            f"{counts.pairs} pairs, {counts.facts} facts, "
            f"{counts.relations} labels"
        )
    lines.append(f"pairs in both parts: {len(data.shared_pairs(*parts.values()))}")
    train = data.make_bags(parts["train"], negative, by_relation=True)
    test, known = data.make_bags(parts["test"], negative), {"training_bags": len(train)}
    files, text = data.corpus_hashes(dataset), "\n".join(lines)
    return BagData(train, test, labels, negative, files, known, description=text)


def read_data(experiment: Experiment) -> RelationData | BagData:
    """What an experiment is trained and tested on.

    Raises MissingData, ChecksumError : the data are not here.

    >>> data = read_data(Experiment("majority", "demo", merged=True, sentences=100))
    >>> len(data.train), data.train[0].text == data.train[1].text
    (200, True)
    """
    return read_bags(experiment.dataset) if experiment.of_bags else _read_samples(experiment)


def read_side(files: Mapping[str, str] = SIDE) -> dict[str, Any]:
    """Side information of RESIDE, by option, from registered files."""
    return {option: data.read_text_lists(data.locate(file)) for option, file in files.items()}
