"""One run from end to end: read → build → train → evaluate on the tests → count → save.

A run that is stored with the same configuration is not trained again, and one that was interrupted goes on
from its checkpoint.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import ROOT
from ..core import file_sha256, remove_abandoned, write_atomically
from ..data import data_name, find_dataset, registered_file
from ..models import Model, build, is_first_process, model_entry
from ..runs import RUNS_FOLDER, Run, different_fields, environment, load_run, run_path, save_run
from .data import BagData, RelationData, read_data, read_side
from .experiment import SEEDS, Experiment

_NO_RANDOMNESS = "trained here; nothing is drawn at random, so every seed gives this run"
CHECKPOINTS = ROOT / ".cache" / "checkpoints"


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
    data = read_data(experiment)
    model = _built(experiment, data.labels)
    blanks = {
        name: _configuration(experiment, model, data, variant)
        for variant, name in experiment.evaluations.items()
    }
    stored = [] if overwrite else [_stored(blank, folder) for blank in blanks.values()]
    if stored and all(stored) and not (predictions or weights or epochs):
        return stored[-1]
    if progress and data.description:
        print(data.description, file=sys.stderr)
    checkpoint = CHECKPOINTS / f"{[*blanks.values()][-1].configuration_sha256[:32]}.safetensors"
    runs, predicted = _trained(experiment, model, data, blanks, checkpoint, epochs, progress)
    with _first_process(model) as first:
        if first:
            if predictions:
                text = data.frame(predicted).to_csv(index=False, lineterminator="\n")
                write_atomically(Path(predictions), text)
            if weights:
                _training(model).save_weights(Path(weights), model)
            for run in runs:  # the model's own last: when it is there, all are
                save_run(run, folder, overwrite=True)
            _remove_checkpoint(checkpoint)
    return runs[-1]


def _built(experiment: Experiment, labels: Sequence[str]) -> Model:
    settings, options = experiment.resolved(), experiment.options | read_side(experiment.side)
    return build(experiment.model, experiment.encoder, labels, settings, experiment.seed, **options)


def _trained(
    experiment: Experiment,
    model: Model,
    data: RelationData | BagData,
    blanks: Mapping[str, Run],
    checkpoint: Path,
    epochs: Path | str | None,
    progress: bool,
) -> tuple[list[Run], Any]:
    """The runs with what is counted in the tests, how it was made, and how long it took; and what the model
    itself says of the tests. The outcome after each epoch goes to folder `epochs`."""

    def evaluated(runs: Mapping[str, Run]) -> tuple[list[Run], Any]:
        predicted, whole = data.evaluate(model, runs, progress), experiment.seed == SEEDS[0]
        counted = [replace(run, table=data.table(predicted[name], whole)) for name, run in runs.items()]
        return counted, predicted[[*runs][-1]]

    def after_epoch(epoch: int) -> None:
        listed, _ = evaluated(_named(blanks, epoch))
        with _first_process(model) as first:
            for run in listed if first else ():
                save_run(run, epochs, overwrite=True)

    if epochs and not all(run_path(run, epochs).exists() for run in _named(blanks, 1).values()):
        _remove_checkpoint(checkpoint)  # the epochs before it would not be run, and their outcomes are gone
    training = _training(model)
    with training.processor_threads(experiment.threads) if training else nullcontext():
        how = {"checkpoint": checkpoint, "after_epoch": after_epoch if epochs else None}
        history = model.fit(data.train, **how, progress=progress)
        start = time.perf_counter()
        runs, predicted = evaluated(blanks)
        seconds = {"prediction_seconds": round(time.perf_counter() - start, 1)}
        computing = training.computing() | {"precision": model.precision} if training else {}
    made_by = {"versions": {name: version(name) for name in model.packages}}
    facts = {"environment": environment(()) | made_by | computing | seconds, "history": history.record()}
    facts |= {"wall_seconds": round(history.seconds, 1), "sentences_per_second": history.rate}
    return [replace(run, **facts) for run in runs], predicted


def _named(runs: Mapping[str, Run], epoch: int) -> dict[str, Run]:
    """The runs as those of an epoch."""
    ended = {name: f"{run.variant}+epoch-{epoch}".removeprefix("+") for name, run in runs.items()}
    return {name: replace(run, variant=ended[name]) for name, run in runs.items()}


def _configuration(experiment: Experiment, model: Model, data: RelationData | BagData, variant: str) -> Run:
    """The run before anything is trained."""
    known = experiment.recorded(variant)
    hyperparameters = known["hyperparameters"] | data.known
    hyperparameters |= {"precision": model.precision} if experiment.resolved() else {}
    hyperparameters |= {"threads": experiment.threads} if experiment.threads else {}
    files = {file: registered_file(file).sha256 for file in experiment.side.values()}
    vectors = experiment.vectors_file
    files |= {data_name(vectors): file_sha256(vectors)} if vectors else {}
    names = experiment.model, known["options"].get("base", experiment.model)  # that it is around, or made of
    versions = {f"model {name}": model_entry(name).version for name in names}
    versions[f"data set {experiment.dataset}"] = find_dataset(experiment.dataset).version
    fields = experiment.fields(variant) | {"encoder": model.encoder_name, "files": data.files | files}
    return Run(
        **fields,
        encoder_sha256=model.encoder_sha256,
        hyperparameters=hyperparameters,
        options=known["options"],
        versions=versions,
        labels=data.labels,
        negative=data.negative,
        facts=data.facts,
        source="" if experiment.entry.random else _NO_RANDOMNESS,
        table=data.table(None),
    )


def _stored(blank: Run, folder: Path | str) -> Run | None:
    """The stored run of this configuration; FileExistsError for another one at its place."""
    path = run_path(blank, folder)
    if not path.exists():
        return None
    stored = load_run(path)
    if different_fields(stored, blank):
        save_run(blank, folder)  # raises, and says what differs
    return stored


def _training(model: Model) -> ModuleType | None:
    """The module that trains networks; None for a model that is none, and torch is not loaded."""
    return import_module("..models.training", __package__) if "torch" in model.packages else None


def _first_process(model: Model) -> AbstractContextManager[bool]:
    """Whether this process is the one that writes; after the block all have come to its end."""
    training = _training(model)
    return training.first_process() if training else nullcontext(is_first_process())


def _remove_checkpoint(path: Path) -> None:
    """Delete a checkpoint that is no longer needed, and the drafts that killed processes left beside it."""
    for left in (path, *path.parent.glob(f"{path.stem}-*{path.suffix}")):  # of a model's stages
        left.unlink(missing_ok=True)
    remove_abandoned(path.parent)
