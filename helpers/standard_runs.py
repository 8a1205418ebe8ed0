"""The runs of profile standard: which there are to be, which are stored, and training those that are missing.

The order is that of use: seed 9 for every model first, then what the notebooks compare, then the rest. How a
run is trained is said elsewhere (`experiments`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from .experiment_setup import SEEDS, Experiment
from .reporting.runs import FOLDER, list_runs

_MODELS = (("em-c", False), ("em-es", False), ("r-bert", False), ("emr-c", False), ("ptr", False))
_MERGED = (("em-c", True), ("em-es", True), ("r-bert", True), ("ptr", True))
_COMPARED = (("em-c", False), ("em-es", False), ("em-c", True), ("em-es", True), ("ptr", False))
_KBP37 = (("em-c", False), ("em-es", False), ("em-c", True), ("em-es", True))


def standard_experiments() -> list[Experiment]:
    """Every run of the standard set, in the order in which they are of use.

    >>> experiments = standard_experiments()
    >>> len(experiments), experiments[0].name, experiments[0].seed
    (67, 'EM-C', 9)
    """
    first = [_experiment(*one, SEEDS[0]) for one in (*_MODELS, *_MERGED)]
    split = [_experiment(model, False, seed, part="ptr") for seed in SEEDS for model in ("em-es", "ptr")]
    compared = [_experiment(*one, seed) for seed in SEEDS[1:] for one in _COMPARED]
    second = [_experiment(*one, SEEDS[0], dataset="kbp37") for one in _KBP37]
    rest = [one for one in (*_MODELS, *_MERGED) if one not in _COMPARED]
    others = [_experiment(*one, seed) for seed in SEEDS[1:] for one in rest]
    third = [_experiment(*one, seed, dataset="kbp37") for seed in SEEDS[1:3] for one in _KBP37]
    three_seeds = first + split[:2] + compared[:10] + split[2:6] + second + others[:8]
    return three_seeds + compared[10:] + others[8:] + split[6:] + third


def _experiment(model: str, merged: bool, seed: int, **others: str) -> Experiment:
    return Experiment(model, merged=merged, seed=seed, profile="standard", **others)


def missing(experiments: Iterable[Experiment], folder: Path | str = FOLDER) -> list[Experiment]:
    """Those that have no run file in `folder` yet, in their order.

    >>> len(missing(standard_experiments(), "no-such-folder"))
    67
    """
    stored = {
        (run.dataset, run.model, run.encoder, run.seed)
        for run in list_runs(profile="standard", split="test", folder=folder)
    }
    return [one for one in experiments if (one.dataset_name, one.name, one.encoder, one.seed) not in stored]


def chosen(
    experiments: Iterable[Experiment], seeds: Sequence[int] = (), names: Sequence[str] = ()
) -> list[Experiment]:
    """Those with one of these seeds and one of these names ('EM-ES-M'); nothing given takes all.

    >>> [one.seed for one in chosen(standard_experiments(), seeds=[148], names=["R-BERT"])]
    [148]
    """
    return [
        one for one in experiments if (not seeds or one.seed in seeds) and (not names or one.name in names)
    ]


def status(folder: Path | str = FOLDER) -> pd.DataFrame:
    """Data set, model, the seeds that are stored and those that are missing, one row a model.

    >>> status("no-such-folder").iloc[0].tolist()
    ['semeval2010', 'EM-C', '–', '9 148 378 459 687']
    """
    wanted = standard_experiments()
    absent = missing(wanted, folder)
    groups: dict[tuple[str, str], list[Experiment]] = {}
    for one in wanted:
        groups.setdefault((one.dataset_name, one.name), []).append(one)
    rows = [
        (
            *key,
            _seeds(one for one in group if one not in absent),
            _seeds(one for one in group if one in absent),
        )
        for key, group in groups.items()
    ]
    return pd.DataFrame(rows, columns=["dataset", "model", "stored", "missing"])


def _seeds(experiments: Iterable[Experiment]) -> str:
    return " ".join(str(seed) for seed in sorted(one.seed for one in experiments)) or "–"
