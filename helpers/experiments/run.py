"""One run from end to end: read → train → predict on the test set and on its paired set → count → save.

A run that is stored with the same configuration is not trained again, and one that was interrupted goes on
from its checkpoint.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from .. import ROOT
from ..core import file_sha256, remove_abandoned
from ..data import data_name, paired_sets
from ..metrics import Outcome
from ..models import History, Model, build
from ..runs import (
    RUNS_FOLDER,
    Run,
    different_fields,
    environment,
    load_run,
    run_path,
    save_run,
)
from .experiment import Experiment, ExperimentData, option_files, read_samples, versions, write_predictions

NO_RANDOMNESS = "trained here; nothing is drawn at random, so every seed gives this run"
CHECKPOINTS = ROOT / ".cache" / "checkpoints"
QUICK_SENTENCES = 2000


def run_experiment(
    experiment: Experiment,
    folder: Path | str = RUNS_FOLDER,
    predictions: Path | str | None = None,
    weights: Path | str | None = None,
    epochs: Path | str | None = None,
    overwrite: bool = False,
    progress: bool = True,
) -> Run:
    """Train, test on both sets, and store the run under `folder`; returns it.

    Where relations have no direction there is no paired set, and the outcome is a `Outcome`. Of type
    restriction, which is evaluated in two ways, the run in the other way is stored beside it.

    Parameters
    ----------
    predictions : CSV to write: id, gold, predicted, paired; as `python -m helpers score` reads it.
    weights : safetensors file to write the trained weights to.
    epochs : folder in which the outcome after each epoch is stored too, as variant `epoch-<n>`: a learning
        curve.
    overwrite : replace a stored run of another configuration.

    A stored run with the same configuration is returned without training, unless predictions, weights or
    epochs are asked for.

    Raises
    ------
    FileExistsError : a stored run has another configuration.
    MissingData, ChecksumError : the data are not here. ValueError : see `Experiment` and the models; weights
        or epochs of a model without training settings.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = run_experiment(Experiment("majority", "demo"), folder)
    >>> run.n, len(run.labels)
    (400, 17)
    """
    if not experiment.entry.settings and (weights or epochs):
        raise ValueError(f"model {experiment.model} has no weights and no epochs to store")
    data = _read(experiment)
    settings = experiment.resolved()
    model = build(
        experiment.model, experiment.encoder, data.labels, settings, experiment.seed, **experiment.options
    )
    blank = _configuration(experiment, model, data)
    path = run_path(blank, folder)
    if path.exists() and not overwrite:
        stored = load_run(path)
        if different_fields(stored, blank):
            save_run(blank, folder)  # raises, and says what differs
        if not (predictions or weights or epochs):
            return stored

    tests = paired_sets(data.test, data.inverse) if data.directed else {"original": data.test}
    tests = {name: tests[name] for name in ("original", "paired") if name in tests}
    checkpoint = CHECKPOINTS / f"{blank.configuration_sha256[:32]}.safetensors"
    with _threads(experiment.threads):
        history = _fit(model, data, tests, blank, checkpoint, epochs, progress)
        start = time.perf_counter()
        found = _predicted(model, tests, progress)
        seconds, rate = time.perf_counter() - start, history.examples_per_second
        computed_by = model_environment(model)
    run = replace(
        blank,
        table=_table(data, *found[model.evaluation]),
        environment=computed_by | {"prediction_seconds": round(seconds, 1)},
        history=history.record(),
        wall_seconds=round(history.seconds, 1),
        sentences_per_second=None if rate is None else round(rate, 1),
    )
    with model.first_process() as first:
        if first:
            if predictions:
                write_predictions(Path(predictions), data, *found[model.evaluation])
            if weights:
                model.save(Path(weights))
            for other in _other_evaluations(experiment, run, model, data, found):
                save_run(other, folder, overwrite=overwrite)
            save_run(run, folder, overwrite=True)  # last: when it is there, all are
            remove_checkpoint(checkpoint)
    return run


def _threads(count: int | None) -> AbstractContextManager[None]:
    if count is None:
        return nullcontext()
    from ..models.training import processor_threads  # torch, which some models do without

    return processor_threads(count)


def _fit(
    model: Model,
    data: ExperimentData,
    tests: Mapping[str, list],
    blank: Run,
    checkpoint: Path,
    epochs: Path | str | None,
    progress: bool,
) -> History:
    """Train; with `epochs` the outcome after each epoch is stored there."""
    if epochs is None:
        return model.fit(data.train, checkpoint=checkpoint, progress=progress)
    if not run_path(_after_epoch(blank, 1), epochs).exists():
        remove_checkpoint(checkpoint)  # the epochs before it would not be run, and their outcomes are gone

    def store_epoch(epoch: int) -> None:
        table = _table(data, *_predicted(model, tests, progress)[model.evaluation])
        with model.first_process() as first:
            if first:
                save_run(replace(_after_epoch(blank, epoch), table=table), epochs, overwrite=True)

    return model.fit(data.train, checkpoint=checkpoint, after_epoch=store_epoch, progress=progress)


def _predicted(model: Model, tests: Mapping[str, list], progress: bool) -> dict[str, list[np.ndarray]]:
    """Evaluation of the model → what it predicts on each of the sets; all processes come here together."""
    found = [model.evaluations(samples, progress, f"predicting {name}") for name, samples in tests.items()]
    return {evaluation: [one[evaluation] for one in found] for evaluation in found[0]}


def _after_epoch(run: Run, epoch: int) -> Run:
    return replace(run, variant="+".join(filter(None, (run.variant, f"epoch-{epoch}"))))


def _read(experiment: Experiment) -> ExperimentData:
    return read_samples(
        experiment.dataset,
        experiment.part,
        experiment.text,
        experiment.merged,
        experiment.holdout,
        experiment.sentences or (QUICK_SENTENCES if experiment.profile == "quick" else None),
    )


def _configuration(experiment: Experiment, model: Model, data: ExperimentData) -> Run:
    """The run before anything is trained."""
    settings, known = experiment.resolved(), experiment.recorded()
    hyperparameters = known["hyperparameters"] | {"training_samples": len(data.train)}
    hyperparameters |= {"precision": model.precision} if settings else {}
    hyperparameters |= {"threads": experiment.threads} if experiment.threads else {}
    hyperparameters |= {"inverse": dict(data.inverse)} if data.inverse else {}
    hyperparameters |= {"samples_sha256": data.samples_sha256} if data.samples_sha256 else {}
    roles = ("gold", "predicted", "paired") if data.directed else ("gold", "predicted")
    return Run.from_outcome(
        Outcome.from_rows([], data.labels, roles),
        dataset=experiment.dataset_name,
        split=experiment.split,
        files=data.files | {data_name(one): file_sha256(one) for one in option_files(experiment.options)},
        model=experiment.name,
        variant=experiment.run_variant,
        encoder=model.encoder_name,
        encoder_sha256=model.encoder_sha256,
        seed=experiment.run_seed,
        profile=experiment.profile,
        hyperparameters=hyperparameters,
        options=known["options"],
        versions=versions(experiment.model, experiment.options, experiment.dataset),
        negative=data.negative,
        facts={"majority": _majority(data)},
        source="" if experiment.entry.random else NO_RANDOMNESS,
    )


def _majority(data: ExperimentData) -> str:
    """The most frequent relation of the training samples; of several the one first in the alphabet."""
    counts = Counter(sample.relation for sample in data.train)
    return min(counts, key=lambda relation: (-counts[relation], relation))


def _other_evaluations(
    experiment: Experiment,
    run: Run,
    model: Model,
    data: ExperimentData,
    found: Mapping[str, list[np.ndarray]],
) -> Iterator[Run]:
    """Of a model with several evaluations the runs in the others: they are of the same training."""
    for name, predicted in found.items():
        if name != model.evaluation:
            other = replace(experiment, options=experiment.options | {"evaluation": name})
            table = _table(data, *predicted)
            yield replace(run, variant=other.run_variant, options=other.recorded()["options"], table=table)


def _table(data: ExperimentData, *predicted: np.ndarray) -> Any:
    """The counts, in the form of run files: gold × predicted, and × predicted on the paired sentence."""
    gold, names = [sample.relation for sample in data.test], np.array(data.labels)
    roles = ("predicted", "paired") if data.directed else ("predicted",)
    columns = {role: names[codes] for role, codes in zip(roles, predicted, strict=True)}
    counted = Outcome.from_columns(gold, **columns, labels=data.labels)
    return Run.from_outcome(counted, dataset="", model="").table


def model_environment(model: Model) -> dict[str, Any]:
    """What computed a run: the machine, the versions of the model's packages, threads, precision."""
    versions = {name: version(name) for name in model.packages}
    return environment(()) | {"versions": versions} | model.environment()


def remove_checkpoint(path: Path) -> None:
    """Delete a checkpoint that is no longer needed, and the drafts that killed processes left beside it."""
    for one in (path, *path.parent.glob(f"{path.stem}-*{path.suffix}")):  # of a model's stages
        one.unlink(missing_ok=True)
    remove_abandoned(path.parent)
