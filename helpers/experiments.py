"""One run from end to end: read → train → predict on the test set and on its paired set → count → save.

The only room that knows the data, the models and the runs. A run that is stored with the same configuration
is not trained again, and one that was interrupted goes on from its checkpoint.
"""

from __future__ import annotations

import csv
import hashlib
import json
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch

from . import ROOT
from .data import registry
from .data.corpora import FILES, read_corpus
from .data.demo import demo_corpus
from .data.errors import unknown_name
from .data.pairing import clean_sample, paired_sets
from .data.ptr_split import FILES as PTR_FILES
from .data.ptr_split import ptr_split
from .data.relations import find_negative, label_ids
from .data.samples import RelationSample
from .metrics.counts import PairedOutcomes
from .models import checkpoints, training
from .models.classifier import RelationClassifier
from .models.encoder import EMBEDDED
from .models.precision import resolved_precision
from .models.registry import MODELS, build
from .models.settings import PAPER, STANDARD, Settings
from .reporting.files import write_atomically
from .reporting.runs import FOLDER, Run, environment, load_run, run_path, same_configuration, save_run

SEEDS = (9, 148, 378, 459, 687)
"""The five seeds of paper W."""
DATASETS = ("semeval2010", "kbp37", "demo")
PROFILES = ("quick", "standard", "paper")
CHECKPOINTS = ROOT / ".cache" / "checkpoints"
QUICK_SENTENCES = 2000
HOLDOUT = 10
"""One in that many training samples is held out to choose settings."""


@dataclass(frozen=True)
class Experiment:
    """What is trained on what.

    Attributes
    ----------
    model : one of `MODELS`; `merged` : trained on every sentence and its paired one (paper R's '-M').
    dataset : 'semeval2010', 'kbp37' or 'demo'.
    part : 'full', or 'ptr' for the 6507 training sentences of PTR's authors (SemEval only).
    text : 'clean' as paper R's files, or 'official'.
    seed : of weights, order, dropout; `encoder` : see `load_encoder`.
    profile : 'quick' takes `QUICK_SENTENCES` training sentences, drawn once for all seeds; 'standard' and
        'paper' all of them.
    settings : None takes the profile's for this model.
    holdout : train on nine tenths of the training data and test on the rest: to choose settings.
    options : of the model, see its class.

    Raises ValueError for an unknown name, and for a part or text that the data set has not.
    """

    model: str
    dataset: str = "semeval2010"
    merged: bool = False
    part: Literal["full", "ptr"] = "full"
    text: Literal["clean", "official"] = "clean"
    seed: int = SEEDS[0]
    encoder: str = EMBEDDED
    profile: str = "quick"
    settings: Settings | None = None
    holdout: bool = False
    options: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {"model": MODELS, "dataset": DATASETS, "profile": PROFILES}
        known |= {"part": ("full", "ptr"), "text": ("clean", "official")}
        for name, names in known.items():
            if getattr(self, name) not in names:
                raise unknown_name(name, getattr(self, name), names)
        if self.part == "ptr" and self.dataset != "semeval2010":
            raise ValueError(f"part 'ptr' is a split of semeval2010, not of {self.dataset}")

    @property
    def name(self) -> str:
        """The model as the papers write it, '-M' when it is trained on the merged set.

        >>> Experiment("em-es", merged=True).name
        'EM-ES-M'
        """
        return self.model.upper() + ("-M" if self.merged else "")

    @property
    def dataset_name(self) -> str:
        """The data set in run files; another training part or text form makes it another one.

        >>> Experiment("ptr", part="ptr").dataset_name
        'semeval2010-ptr-split'
        """
        part = "-ptr-split" if self.part == "ptr" else ""
        return self.dataset + part + ("-official-text" if self.text == "official" else "")

    @property
    def split(self) -> str:
        """What it is tested on: 'test', or 'holdout' (of the training data)."""
        return "holdout" if self.holdout else "test"

    def resolved(self) -> Settings:
        """The settings that it is trained with."""
        return self.settings or (PAPER if self.profile == "paper" else STANDARD)[self.model]


def run_experiment(
    experiment: Experiment,
    folder: Path | str = FOLDER,
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
    epochs : folder in which the outcome after each epoch is stored too, as `epoch-<n>/…`: a learning curve.
    overwrite : replace a stored run of another configuration.

    A stored run with the same configuration is returned without training, unless predictions, weights or
    epochs are asked for.

    Raises
    ------
    FileExistsError : a stored run has another configuration.
    MissingData, ChecksumError : the data are not here. ValueError : see `Experiment` and the models.
    """
    data = _read(experiment)
    model = build(
        experiment.model,
        experiment.encoder,
        data.labels,
        experiment.resolved(),
        experiment.seed,
        **experiment.options,
    )
    blank = _run(experiment, model, data)
    path = run_path(blank, folder)
    if path.exists() and not overwrite:
        stored = load_run(path)
        if not same_configuration(stored, blank):
            save_run(blank, folder)  # raises, and says what differs
        if not (predictions or weights or epochs):
            return stored
    return _train_and_store(experiment, model, data, blank, folder, predictions, weights, epochs, progress)


def _train_and_store(experiment, model, data, blank, folder, predictions, weights, epochs, progress) -> Run:
    checkpoint = CHECKPOINTS / f"{_fingerprint(blank)}.safetensors"

    def outcome_now() -> tuple[np.ndarray, np.ndarray]:
        tests = paired_sets(data.test)
        return tuple(
            training.predict(model, tests[kind], progress, f"predicting {kind}")
            for kind in ("original", "paired")
        )

    def store_epoch(epoch: int) -> None:
        run = replace(blank, **_outcome(data, *outcome_now()))
        _save(run, Path(epochs) / f"epoch-{epoch}")

    settings, seed = experiment.resolved(), experiment.seed
    history = training.train(
        model, data.train, settings, seed, checkpoint, store_epoch if epochs else None, progress
    )
    start = time.perf_counter()
    original, paired = outcome_now()
    run = replace(
        blank,
        **_outcome(data, original, paired),
        **_measured(history, time.perf_counter() - start, settings),
    )
    if training.accelerator().is_main_process:
        if predictions:
            _write_predictions(Path(predictions), data, original, paired)
        if weights:
            checkpoints.save_weights(Path(weights), model)
        save_run(run, folder, overwrite=True)
        checkpoint.unlink(missing_ok=True)
    training.accelerator().wait_for_everyone()
    return run


def _save(run: Run, folder: Path) -> None:
    if training.accelerator().is_main_process:
        save_run(run, folder, overwrite=True)


@dataclass(frozen=True)
class _Data:
    train: list[RelationSample]
    test: list[RelationSample]
    labels: tuple[str, ...]
    files: dict[str, str]


def _read(experiment: Experiment) -> _Data:
    """Training and test samples in the wanted form, the labels in the order of their ids, the files' sums."""
    splits, files = _splits(experiment.dataset)
    labels = tuple(label_ids(sample.relation for samples in splits.values() for sample in samples))
    train, test = list(splits["train"]), list(splits["test"])
    if experiment.part == "ptr":
        train = ptr_split(train)
        files |= {name: registry.registry()[name].sha256 for name in PTR_FILES.values()}
    if experiment.holdout:
        train, test = _held_out(train)
    if experiment.profile == "quick" and len(train) > QUICK_SENTENCES:
        train = random.Random(0).sample(train, QUICK_SENTENCES)
    if experiment.text == "clean":
        train, test = ([clean_sample(sample) for sample in part] for part in (train, test))
    if experiment.merged:
        train = paired_sets(train)["merged"]
    return _Data(train, test, labels, files)


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


def _run(experiment: Experiment, model: RelationClassifier, data: _Data) -> Run:
    """The run with its configuration, before anything is trained."""
    hyperparameters = asdict(experiment.resolved()) | model.summary()
    hyperparameters |= {"text": experiment.text, "training_samples": len(data.train)}
    return Run(
        dataset=experiment.dataset_name,
        split=experiment.split,
        files=data.files,
        model=experiment.name,
        encoder=model.encoder.name,
        encoder_sha256=model.encoder.sha256,
        seed=experiment.seed,
        profile=experiment.profile,
        hyperparameters=hyperparameters,
        labels=data.labels,
        negative=find_negative(data.labels),
        columns=("gold", "predicted", "predicted_paired"),
        rows=(),
    )


def _outcome(data: _Data, original: np.ndarray, paired: np.ndarray) -> dict[str, Any]:
    gold = [sample.relation for sample in data.test]
    names = np.array(data.labels)
    outcome = PairedOutcomes.from_arrays(gold, names[original], names[paired], data.labels)
    return {"rows": tuple(tuple(row) for row in outcome.to_rows())}


def _measured(history: training.History, prediction_seconds: float, settings: Settings) -> dict[str, Any]:
    joined = training.accelerator()
    examples = history.examples * settings.epochs
    return {
        "environment": environment(("numpy", "scipy", "torch", "transformers", "tokenizers", "accelerate"))
        | {
            "processes": joined.num_processes,
            "threads": torch.get_num_threads(),
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


def _fingerprint(run: Run) -> str:
    """A name for the checkpoint of this configuration, and of no other."""
    record = asdict(run)
    return hashlib.sha256(json.dumps(record, sort_keys=True, default=str).encode()).hexdigest()[:32]


def _write_predictions(path: Path, data: _Data, original: np.ndarray, paired: np.ndarray) -> None:
    import io

    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("id", "gold", "predicted", "paired"))
    for sample, one, other in zip(data.test, original, paired, strict=True):
        writer.writerow((sample.id, sample.relation, data.labels[one], data.labels[other]))
    write_atomically(path, text.getvalue())
