"""One run from end to end: read → train → predict on the test set and on its paired set → count → save.

The only room that knows the data, the models and the runs. A run that is stored with the same configuration
is not trained again, and one that was interrupted goes on from its checkpoint.
"""

from __future__ import annotations

import inspect
import time
from dataclasses import asdict, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from helpers import ROOT
from helpers.core import find_negative
from helpers.data import paired_sets
from helpers.metrics import PairedOutcomes
from helpers.models import (
    BASELINES,
    Baseline,
    RelationClassifier,
    Settings,
    build,
    check_options,
    resolved_precision,
    training,
)
from helpers.runs import (
    RUNS_FOLDER,
    PairedRows,
    Run,
    code_sha256,
    environment,
    load_run,
    run_path,
    same_configuration,
    save_run,
    variant_name,
)

from .experiment import Experiment, ExperimentData, read_samples, write_predictions

NO_RANDOMNESS = "trained here; nothing is drawn at random, so every seed gives this run"
NO_ENCODER = "no-encoder"
"""The encoder's name in the run of a baseline; runs without any name are predictions that were published."""
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
        or epochs of a baseline.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run = run_experiment(Experiment("majority", "demo"), folder)
    >>> run.n, len(run.labels)
    (400, 17)
    """
    if experiment.model in BASELINES and (weights or epochs):
        raise ValueError(f"model {experiment.model} has no weights and no epochs to store")
    data = _read(experiment)
    model = _model(experiment, data)
    blank = _run(experiment, model, data)
    path = run_path(blank, folder)
    if path.exists() and not overwrite:
        stored = load_run(path)
        if not same_configuration(stored, blank):
            save_run(blank, folder)  # raises, and says what differs
        if not (predictions or weights or epochs):
            return stored
    if isinstance(model, Baseline):
        return _fit_and_store(model, data, blank, folder, predictions)
    return _train_and_store(experiment, model, data, blank, folder, predictions, weights, epochs, progress)


def _model(experiment: Experiment, data: ExperimentData) -> RelationClassifier | Baseline:
    if experiment.model in BASELINES:
        return Baseline(experiment.model, data.labels, **experiment.options)
    check_options(experiment.model, experiment.options)
    return build(
        experiment.model,
        experiment.encoder,
        data.labels,
        experiment.resolved(),
        experiment.seed,
        **experiment.options,
    )


def _fit_and_store(model: Baseline, data: ExperimentData, blank: Run, folder, predictions) -> Run:
    tests, start = paired_sets(data.test), time.perf_counter()
    model.fit(data.train)
    fitted = time.perf_counter()
    original, paired = (model.predict(tests[kind]) for kind in ("original", "paired"))
    found = environment(("numpy", "scipy"))
    found["versions"] |= {"scikit-learn": version("scikit-learn")}
    run = replace(
        blank,
        table=_table(data, original, paired),
        environment=found | {"prediction_seconds": round(time.perf_counter() - fitted, 1)},
        wall_seconds=round(fitted - start, 1),
        sentences_per_second=round(len(data.train) / (fitted - start), 1),
    )
    if training.accelerator().is_main_process:
        if predictions:
            write_predictions(Path(predictions), data, original, paired)
        save_run(run, folder, overwrite=True)
    return run


def _train_and_store(experiment, model, data, blank, folder, predictions, weights, epochs, progress) -> Run:
    checkpoint = CHECKPOINTS / f"{blank.configuration_sha256[:32]}.safetensors"

    def outcome_now() -> tuple[np.ndarray, np.ndarray]:
        tests = paired_sets(data.test)
        return tuple(
            training.predict(model, tests[kind], progress, f"predicting {kind}")
            for kind in ("original", "paired")
        )

    def store_epoch(epoch: int) -> None:
        variant = "+".join(filter(None, (blank.variant, f"epoch-{epoch}")))
        run = replace(blank, variant=variant, table=_table(data, *outcome_now()))
        if training.accelerator().is_main_process:
            save_run(run, epochs, overwrite=True)

    settings, seed = experiment.resolved(), experiment.seed
    history = training.train(
        model, data.train, settings, seed, checkpoint, store_epoch if epochs else None, progress
    )
    start = time.perf_counter()
    original, paired = outcome_now()
    run = replace(
        blank,
        table=_table(data, original, paired),
        **_measured(history, time.perf_counter() - start, settings),
    )
    if training.accelerator().is_main_process:
        if predictions:
            write_predictions(Path(predictions), data, original, paired)
        if weights:
            training.save_weights(Path(weights), model)
        save_run(run, folder, overwrite=True)
        training.remove_checkpoint(checkpoint)
    training.accelerator().wait_for_everyone()
    return run


def _read(experiment: Experiment) -> ExperimentData:
    return read_samples(
        experiment.dataset,
        experiment.part,
        experiment.text,
        experiment.merged,
        experiment.holdout,
        QUICK_SENTENCES if experiment.profile == "quick" else None,
    )


def _run(experiment: Experiment, model: RelationClassifier | Baseline, data: ExperimentData) -> Run:
    """The run with its configuration, before anything is trained."""
    baseline = isinstance(model, Baseline)
    hyperparameters = ({} if baseline else asdict(experiment.resolved())) | model.summary()
    hyperparameters |= {"text": experiment.text, "training_samples": len(data.train)}
    return Run.from_outcome(
        PairedOutcomes.from_rows([], data.labels),
        dataset=experiment.dataset_name,
        split=experiment.split,
        files=data.files,
        model=experiment.name,
        variant=experiment.variant or _variant(experiment, model),
        encoder=NO_ENCODER if baseline else model.encoder.name,
        encoder_sha256=None if baseline else model.encoder.sha256,
        seed=None if baseline else experiment.seed,
        profile=experiment.profile,
        hyperparameters=hyperparameters,
        negative=find_negative(data.labels),
        source=NO_RANDOMNESS if baseline else "",
        code_sha256=code_sha256([type(model)] if baseline else [type(model), training]),
    )


def _variant(experiment: Experiment, model: RelationClassifier | Baseline) -> str:
    """What differs from the profile's usual settings and from the model's usual options."""
    if isinstance(model, Baseline):
        return variant_name(experiment.options, {"markers": experiment.options.get("markers")})  # in its name
    usual = asdict(replace(experiment, settings=None).resolved())
    usual |= {name: one.default for name, one in inspect.signature(type(model)).parameters.items()}
    return variant_name(asdict(experiment.resolved()) | experiment.options, usual)


def _table(data: ExperimentData, original: np.ndarray, paired: np.ndarray) -> PairedRows:
    gold = [sample.relation for sample in data.test]
    names = np.array(data.labels)
    outcome = PairedOutcomes.from_arrays(gold, names[original], names[paired], data.labels)
    return PairedRows(rows=outcome.to_rows())


def _measured(history: training.History, prediction_seconds: float, settings: Settings) -> dict[str, Any]:
    joined = training.accelerator()
    examples = history.examples * settings.epochs
    return {
        "environment": environment(("numpy", "scipy", "torch", "transformers", "tokenizers", "accelerate"))
        | {
            "processes": joined.num_processes,
            "threads": training.threads(),
            "precision": resolved_precision(settings.precision, joined.device),
            "prediction_seconds": round(prediction_seconds, 1),
        },
        "history": {
            "losses": [round(loss, 6) for loss in history.losses],
            "cut_inputs": history.cut_inputs,
            "cut_tokens": history.cut_tokens,
        },
        "wall_seconds": round(history.seconds, 1),
        "sentences_per_second": round(examples / history.seconds, 1) if history.seconds else None,
    }
