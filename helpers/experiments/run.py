"""One run from end to end: read → build → train → evaluate on the tests → count → save.

A run that is stored with the same configuration is not trained again, and one that was interrupted goes on
from its checkpoint.
"""

from __future__ import annotations

import contextlib
import itertools
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import ROOT, data
from ..core import file_sha256, find_negative, label_ids, remove_abandoned, write_atomically
from ..metrics import FactRanking, Outcome
from ..models import Model, build, is_first_process, model_entry
from ..runs import RUNS_FOLDER, ConfusionRows, RankedFacts, Run, environment, load_run, run_path, save_run
from .experiment import SEEDS, SIDE, Experiment

QUICK_SENTENCES = 2000
"""Training sentences of profile 'quick'."""
DECIMALS = 4
"""Of stored scores of facts; the order of the list is kept."""
_HOLDOUT = 10
"""One in that many training samples is held out to choose settings."""
_NO_RANDOMNESS = "trained here; nothing is drawn at random, so every seed gives this run"
CHECKPOINTS = ROOT / ".cache" / "checkpoints"


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
class _RelationData(_Data):
    """Samples. paired : those of the test set, where relations have a direction."""

    paired: list[Any] | None = None

    def evaluate(self, model: Model, names: Iterable[str], progress: bool) -> dict[str, list[np.ndarray]]:
        """Evaluation → label ids predicted on each of the test sets; '' is that of `predict`."""
        parts = [part for part in (self.test, self.paired) if part is not None]
        if "" in names:
            return {"": [model.predict(part, progress=progress) for part in parts]}
        each = [model.evaluations(part, progress) for part in parts]
        return {name: [predicted[name] for predicted in each] for name in names}

    def columns(self, predicted: Sequence[np.ndarray]) -> dict[str, Any]:
        """Of the test set gold and predicted labels, and those that are predicted on the paired sentences."""
        gold = {"gold": [sample.relation for sample in self.test]}
        codes = zip(("predicted", "paired"), predicted, strict=False)
        return gold | {role: np.array(self.labels)[own] for role, own in codes}

    def table(self, predicted: Sequence[np.ndarray] | None, whole: bool = True) -> Any:
        """The counts, in the form of run files: gold × predicted, and × predicted on the paired sentence;
        None: those of no sentence."""
        if predicted is None:
            roles = ("gold", "predicted", "paired")[: 2 if self.paired is None else 3]
            counted = Outcome.from_rows([], self.labels, roles)
        else:
            counted = Outcome.from_columns(**self.columns(predicted), labels=self.labels)
        return Run.from_outcome(counted, dataset="", model="").table


def _read_samples(experiment: Experiment) -> _RelationData:
    """The samples in the form that the experiment wants."""
    dataset, text = experiment.dataset, experiment.text
    has_trees = text in ("parsed", "spacy")
    splits = data.parsed_corpus(dataset, text) if has_trees else data.read_corpus(dataset)
    about, files = data.find_dataset(dataset), data.corpus_hashes(dataset, ("train", "test"), text)
    every = [sample for split in splits.values() for sample in split]
    labels = about.relations or tuple(label_ids(sample.relation for sample in every))
    if experiment.part == "ptr":
        files |= {name: data.registered_files()[name].sha256 for name in data.PTR_FILES.values()}
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
    paired = data.paired_sets(test, about.inverse)["paired"] if about.directed else None
    return _RelationData(train, test, labels, negative, files, known, facts, paired=paired)


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
        sentences = f"{counts['sentences']} sentences ({counts['duplicates']} duplicates left out)"
        rest = f"{counts['pairs']} pairs, {counts['facts']} facts, {counts['relations']} labels"
        lines.append(f"{part}: {sentences}, {rest}")
    lines.append(f"pairs in both parts: {len(data.shared_pairs(*parts.values()))}")
    train = data.make_bags(parts["train"], negative, by_relation=True)
    test, known = data.make_bags(parts["test"], negative), {"training_bags": len(train)}
    files = data.corpus_hashes(dataset)
    return BagData(train, test, labels, negative, files, known, description="\n".join(lines))


def read_data(experiment: Experiment) -> _RelationData | BagData:
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


def run_experiment(
    experiment: Experiment,
    folder: Path | str = RUNS_FOLDER,
    predictions: Path | str | None = None,
    weights: Path | str | None = None,
    epochs: Path | str | None = None,
    overwrite: bool = False,
    progress: bool = True,
) -> Run:
    """Train, evaluate, and store the run under `folder`; returns it.

    Sentences are predicted in the test set and, where relations have a direction, in its paired set, and
    counted; of bags all facts are ranked: of the first seed the whole list is stored, of the others the ranks
    of the true facts. What is evaluated in several ways (`Experiment.evaluations`) is trained once, and the
    other runs are stored beside.

    Parameters
    ----------
    predictions : CSV to write: id, gold, predicted, paired; as `python -m helpers score` reads it.
    weights : safetensors file to write the trained weights to.
    epochs : folder in which the outcome after each epoch is stored too, as variant `epoch-<n>`: a learning
        curve.
    overwrite : replace a stored run of another configuration.
    progress : with bars and, of bags, what the corpus holds (`BagData.description`), on standard error.

    A stored run with the same configuration is returned without training, unless predictions, weights or
    epochs are asked for.

    Raises
    ------
    FileExistsError : a stored run has another configuration.
    MissingData, ChecksumError : the data are not here. ValueError : see `Experiment` and the models; weights
        or epochs of a model without training settings, predictions of bags.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = run_experiment(Experiment("majority", "demo"), folder)
    >>> run.n, len(run.labels)
    (400, 17)
    """
    if not experiment.inner.settings and (weights or epochs):
        raise ValueError(f"model {experiment.model} has no weights and no epochs to store")
    if experiment.of_bags and predictions:
        raise ValueError(f"predictions are written of single sentences; {experiment.dataset} is of bags")
    read = read_data(experiment)
    settings, options = experiment.resolved(), experiment.options | read_side(experiment.side)
    model = build(experiment.model, experiment.encoder, read.labels, settings, experiment.seed, **options)
    blanks = {
        name: _configuration(experiment, model, read, variant)
        for variant, name in experiment.evaluations.items()
    }
    stored = [] if overwrite else [_stored(blank, folder) for blank in blanks.values()]
    if stored and all(stored) and not (predictions or weights or epochs):
        return stored[-1]
    if progress and read.description:
        print(read.description, file=sys.stderr)
    checkpoint = CHECKPOINTS / f"{[*blanks.values()][-1].configuration_sha256[:32]}.safetensors"
    runs, predicted = _trained(experiment, model, read, blanks, checkpoint, epochs, progress)
    with _first_process(model) as first:
        if first:
            if predictions:
                rows = {"id": [sample.id for sample in read.test]} | read.columns(predicted)
                text = pd.DataFrame(rows).to_csv(index=False, lineterminator="\n")
                write_atomically(Path(predictions), text)
            if weights:
                from ..models.training import save_weights

                save_weights(Path(weights), model)
            for run in runs:  # the model's own last: when it is there, all are
                save_run(run, folder, overwrite=True)
            _remove_checkpoint(checkpoint)
    return runs[-1]


def _trained(
    experiment: Experiment,
    model: Model,
    read: _RelationData | BagData,
    blanks: Mapping[str, Run],
    checkpoint: Path,
    epochs: Path | str | None,
    progress: bool,
) -> tuple[list[Run], Any]:
    """The runs with what is counted in the tests, how it was made, and how long it took; and what the model
    itself says of the tests. The outcome after each epoch goes to folder `epochs`."""

    def evaluated(runs: Mapping[str, Run]) -> tuple[list[Run], Any]:
        predicted, whole = read.evaluate(model, runs, progress), experiment.seed == SEEDS[0]
        counted = [replace(run, table=read.table(predicted[name], whole)) for name, run in runs.items()]
        return counted, predicted[[*runs][-1]]

    def after_epoch(epoch: int) -> None:
        listed, _ = evaluated(_named(blanks, epoch))
        with _first_process(model) as first:
            for run in listed if first else ():
                save_run(run, epochs, overwrite=True)

    if epochs and not all(run_path(run, epochs).exists() for run in _named(blanks, 1).values()):
        _remove_checkpoint(checkpoint)  # the epochs before it would not be run, and their outcomes are gone
    with _computing(model, experiment.threads) as computing:
        how = {"checkpoint": checkpoint, "after_epoch": after_epoch if epochs else None}
        history = model.fit(read.train, **how, progress=progress)
        start = time.perf_counter()
        runs, predicted = evaluated(blanks)
        seconds = {"prediction_seconds": round(time.perf_counter() - start, 1)}
    made_by = {"versions": {name: version(name) for name in model.packages}}
    facts = {"environment": environment(()) | made_by | computing | seconds, "history": history.record()}
    facts |= {"wall_seconds": round(history.seconds, 1), "sentences_per_second": history.rate}
    return [replace(run, **facts) for run in runs], predicted


def _named(runs: Mapping[str, Run], epoch: int) -> dict[str, Run]:
    """The runs as those of an epoch."""
    ended = {name: f"{run.variant}+epoch-{epoch}".removeprefix("+") for name, run in runs.items()}
    return {name: replace(run, variant=ended[name]) for name, run in runs.items()}


def _configuration(experiment: Experiment, model: Model, read: _RelationData | BagData, variant: str) -> Run:
    """The run before anything is trained."""
    known = experiment.recorded(variant)
    hyperparameters = known["hyperparameters"] | read.known
    hyperparameters |= {"precision": model.precision} if experiment.resolved() else {}
    hyperparameters |= {"threads": experiment.threads} if experiment.threads else {}
    files = {file: data.registered_files()[file].sha256 for file in experiment.side.values()}
    vectors = experiment.vectors_file
    files |= {data.data_name(vectors): file_sha256(vectors)} if vectors else {}
    names = experiment.model, known["options"].get("base", experiment.model)  # that it is around, or made of
    versions = {f"model {name}": model_entry(name).version for name in names}
    versions[f"data set {experiment.dataset}"] = data.find_dataset(experiment.dataset).version
    fields = experiment.fields(variant) | {"encoder": model.encoder_name, "files": read.files | files}
    return Run(
        **fields,
        encoder_sha256=model.encoder_sha256,
        hyperparameters=hyperparameters,
        options=known["options"],
        versions=versions,
        labels=read.labels,
        negative=read.negative,
        facts=read.facts,
        source="" if experiment.entry.random else _NO_RANDOMNESS,
        table=read.table(None),
    )


def _stored(blank: Run, folder: Path | str) -> Run | None:
    """The stored run of this configuration; FileExistsError for another one at its place."""
    path = run_path(blank, folder)
    stored = load_run(path) if path.exists() else None
    if stored and stored.different_fields(blank):
        save_run(blank, folder)  # raises, and says what differs
    return stored


@contextlib.contextmanager
def _computing(model: Model, threads: int | None) -> Iterator[dict[str, Any]]:
    """For the run file, of a network: processes, threads, precision; in the block, with so many threads."""
    if "torch" not in model.packages:
        yield {}
        return
    from ..models import training

    with training.processor_threads(threads) as used:
        processes = training.accelerator().num_processes
        yield {"processes": processes, "threads": used, "precision": model.precision}


@contextlib.contextmanager
def _first_process(model: Model) -> Iterator[bool]:
    """Whether this process is the one that writes; after the block all have come to its end."""
    yield is_first_process()
    if "torch" in model.packages:
        from ..models.training import accelerator

        accelerator().wait_for_everyone()


def _remove_checkpoint(path: Path) -> None:
    """Delete a checkpoint that is no longer needed, and the drafts that killed processes left beside it."""
    for left in (path, *path.parent.glob(f"{path.stem}-*{path.suffix}")):  # of a model's stages
        left.unlink(missing_ok=True)
    remove_abandoned(path.parent)
