"""`python -m helpers train`: from its options to an experiment, and from the run to what is printed."""

from __future__ import annotations

import dataclasses
import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from helpers import ROOT
from helpers.core import unknown_name
from helpers.experiments import Experiment, run_experiment
from helpers.models import BASELINES, PAPER, STANDARD, Settings, accelerator
from helpers.reporting import paired_scores, scheme_scores
from helpers.runs import FOLDER, Run, run_path

from .arguments import python_value

SCRATCH = ROOT / "scratch" / "runs"


def train(options: Namespace) -> str:
    """Run the experiment that the options describe; returns a few lines about it, in the first process only.

    Raises as `run_experiment`, and ValueError for a setting or option that is not known, and for settings
    with which the loss is no longer finite.

    >>> import tempfile
    >>> from helpers.cli import parse
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lines = train(parse(["train", "--model", "majority", "--dataset", "demo", "--out", folder]))
    >>> lines.splitlines()[0]
    'majority · no-encoder · demo test · no seed · profile quick'
    """
    experiment = Experiment(
        model=options.model,
        dataset=options.dataset,
        merged=options.merged,
        part=options.part,
        text=options.text,
        seed=options.seed,
        encoder=options.encoder,
        profile=options.profile,
        settings=_settings(options),
        holdout=options.holdout,
        options={name: python_value(text) for name, text in options.options},
    )
    folder = Path(options.out or (SCRATCH if options.profile == "quick" else FOLDER))
    try:
        run = run_experiment(
            experiment,
            folder,
            predictions=options.predictions,
            weights=options.weights,
            epochs=options.every_epoch,
            overwrite=options.overwrite,
        )
    except FloatingPointError as error:
        raise ValueError(str(error)) from error
    return described(run, run_path(run, folder)) if accelerator().is_main_process else ""


def runs(options: Namespace) -> str:
    """Train the missing runs of the standard set, if `options.train`; returns what is stored and missing.

    Raises ValueError for a seed or model that is not in the set, and as `run_experiment`.
    """
    from helpers.experiments import grid

    every = grid.standard_experiments()
    for kind, given, known in (
        ("seed", options.seeds, {one.seed for one in every}),
        ("model", options.models, {one.name for one in every}),
    ):
        for value in given:
            if value not in known:
                raise unknown_name(f"{kind} of the standard runs", value, map(str, sorted(known)))
    folder = options.out or FOLDER
    if options.train:
        wanted = grid.chosen(every, options.seeds, options.models)
        for experiment in grid.missing(wanted, folder):
            run = run_experiment(experiment, folder)
            print(f"stored: {run.dataset} {run.model} seed {run.seed}", file=sys.stderr)
    return grid.status(folder).to_string(index=False)


def _settings(options: Namespace) -> Settings | None:
    if options.model in BASELINES:
        if options.settings or options.changed:
            raise ValueError(f"model {options.model} has no training settings: no --settings, no --set")
        return None
    chosen = options.settings or ("paper" if options.profile == "paper" else "standard")
    base = (PAPER if chosen == "paper" else STANDARD)[options.model]
    names = [field.name for field in dataclasses.fields(Settings)]
    changes: dict[str, Any] = {}
    for name, text in options.changed:
        if name not in names:
            raise unknown_name("setting", name, names)
        changes[name] = python_value(text)
        usual = getattr(base, name)
        wanted = (float, type(None)) if usual is None else (type(usual),)
        if type(changes[name]) not in (*wanted, int):
            raise ValueError(f"setting {name}: {text!r} is no {wanted[0].__name__}")
    return dataclasses.replace(base, **changes)


def described(run: Run, path: Path) -> str:
    """The run in a few lines: what, where, how fast, and its scores in per cent."""
    seed = "no seed" if run.seed is None else f"seed {run.seed}"
    precision = f", {run.environment['precision']}" if "precision" in run.environment else ""
    lines = [
        f"{run.model} · {run.encoder} · {run.dataset} {run.split} · {seed} · profile {run.profile}",
        f"trained on {run.hyperparameters['training_samples']} sentences"
        f" in {run.wall_seconds} s ({run.sentences_per_second} a second{precision})",
        "",
        "A, B: official macro-F1 on test set and paired set; PD, PIR, PPR: Lyu et al. 2021 (per cent)",
        _row(("A", "B", "PD", "PIR", "PPR"), paired_scores(run).values()),
        "",
        "F1 on the test set under each weighting scheme (Harbecke et al. 2022)",
        _row(*zip(*scheme_scores(run).items(), strict=True)),
        "",
        f"run file: {path}",
    ]
    return "\n".join(lines)


def _row(names: Iterable[str], values: Iterable[float]) -> str:
    return "  ".join(f"{name} {100 * value:.2f}" for name, value in zip(names, values, strict=True))
