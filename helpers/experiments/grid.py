"""The runs of profile standard, which of them are stored or missing; and the search for training settings.

`python -m helpers.experiments.grid` writes the search as a tidy table. Each setting was tried once on a
held-out tenth of the training data, never on the test set. The runs lie in results/studies/search, as
variants that name the setting; what they were trained with is read from the run files, not from their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pandas as pd

from helpers import ROOT
from helpers.core import unknown_name, write_atomically
from helpers.metrics import direction_scores
from helpers.runs import RUNS_FOLDER, STUDIES_FOLDER, Run, list_runs

from .experiment import SEEDS, Experiment

_MODELS = (("em-c", False), ("em-es", False), ("r-bert", False), ("emr-c", False), ("ptr", False))
_MERGED = (("em-c", True), ("em-es", True), ("r-bert", True), ("ptr", True))
_COMPARED = (("em-c", False), ("em-es", False), ("em-c", True), ("em-es", True), ("ptr", False))
_KBP37 = (("em-c", False), ("em-es", False), ("em-c", True), ("em-es", True))


def standard_experiments() -> list[Experiment]:
    """Every run of the standard set, in the order of use: seed 9 of every model first.

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


def missing(experiments: Iterable[Experiment], folder: Path | str = RUNS_FOLDER) -> list[Experiment]:
    """Those that have no run file in `folder` yet, in their order.

    >>> len(missing(standard_experiments(), "no-such-folder"))
    67
    """
    stored = {
        (run.dataset, run.model, run.encoder, run.seed)
        for run in list_runs(profile="standard", split="test", variant="", folder=folder)
    }
    return [one for one in experiments if (one.dataset_name, one.name, one.encoder, one.seed) not in stored]


def chosen(
    experiments: Iterable[Experiment], seeds: Sequence[int] = (), names: Sequence[str] = ()
) -> list[Experiment]:
    """Those with one of these seeds and one of these names ('EM-ES-M'); nothing given takes all.

    Raises ValueError for a seed or a name that none of them has.

    >>> [one.seed for one in chosen(standard_experiments(), seeds=[148], names=["R-BERT"])]
    [148]
    """
    every = list(experiments)
    for kind, given, known in (
        ("seed", seeds, {one.seed for one in every}),
        ("model", names, {one.name for one in every}),
    ):
        for value in given:
            if value not in known:
                raise unknown_name(f"{kind} of the standard runs", value, map(str, sorted(known)))
    return [one for one in every if (not seeds or one.seed in seeds) and (not names or one.name in names)]


def train_missing(experiments: Iterable[Experiment], folder: Path | str = RUNS_FOLDER) -> Iterator[Run]:
    """Train those that have no run file in `folder` yet, one after the other; gives each stored run.

    Errors as `run_experiment`.

    >>> list(train_missing([]))
    []
    """
    from .run import run_experiment  # torch

    for experiment in missing(experiments, folder):
        yield run_experiment(experiment, folder)


def status(folder: Path | str = RUNS_FOLDER) -> pd.DataFrame:
    """Data set, model, the seeds that are stored and those that are missing, one row a model.

    >>> status("no-such-folder").iloc[0].tolist()
    ['semeval2010', 'EM-C', '–', '9 148 378 459 687']
    """
    wanted = standard_experiments()
    absent = missing(wanted, folder)
    groups: dict[tuple[str, str], list[Experiment]] = {}
    for one in wanted:
        groups.setdefault((one.dataset_name, one.name), []).append(one)

    def seeds(group: list[Experiment], are_absent: bool) -> str:
        found = sorted(one.seed for one in group if (one in absent) == are_absent)
        return " ".join(map(str, found)) or "–"

    rows = [(*key, seeds(group, False), seeds(group, True)) for key, group in groups.items()]
    return pd.DataFrame(rows, columns=["dataset", "model", "stored", "missing"])


SEARCH_FOLDER = STUDIES_FOLDER / "search"
SEARCH_TABLE = ROOT / "results" / "tables" / "hyperparameters.csv"
SETTING = ("learning_rate", "batch_size", "epochs")
CRITERION = "official_macro_f1"
METRICS = (CRITERION, "official_macro_f1_paired", "seconds")
"""On the held-out tenth; on its paired set; of training."""
COLUMNS = ("model", *SETTING, "metric", "value", "chosen")


def search_table(folder: Path | str = SEARCH_FOLDER) -> pd.DataFrame:
    """One number a row: model, learning_rate, batch_size, epochs, metric, value, chosen.

    `metric` is one of `METRICS`. `chosen` marks the rows of each model's best setting: highest official
    macro-F1 on the held-out tenth, of equal ones the one with fewer epochs, then the lower learning rate,
    then the larger batch. Rows are ordered by model, setting and `METRICS`. A folder without runs gives an
    empty table.

    Raises
    ------
    ValueError : a run that was not tested on a held-out part, a setting that was tried twice, or a file that
        is no run.

    >>> search_table("no-such-folder").columns.tolist()
    ['model', 'learning_rate', 'batch_size', 'epochs', 'metric', 'value', 'chosen']
    """
    tried: dict[tuple, dict[str, float]] = {}
    for run in list_runs(folder=folder):
        setting = (run.model, *(run.hyperparameters[name] for name in SETTING))
        if run.split != "holdout":
            raise ValueError(f"{run.name}: tested on {run.split!r}; settings are chosen on 'holdout' only")
        if setting in tried:
            raise ValueError(f"{run.name}: {run.model} with this setting was tried twice")
        tried[setting] = _numbers(run)
    best = {
        model: min((one for one in tried if one[0] == model), key=lambda one: _rank(one, tried[one]))
        for model in {one[0] for one in tried}
    }
    rows = [
        (*setting, metric, numbers[metric], best[setting[0]] == setting)
        for setting, numbers in sorted(tried.items())
        for metric in METRICS
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def _numbers(run: Run) -> dict[str, float]:
    scores = direction_scores(run.outcome())
    performances = (scores.performance_original, scores.performance_paired)
    return dict(zip(METRICS, (*map(float, performances), float(run.wall_seconds)), strict=True))


def _rank(setting: tuple, numbers: dict[str, float]) -> tuple[float, ...]:
    _, learning_rate, batch_size, epochs = setting
    return -numbers[CRITERION], epochs, learning_rate, -batch_size


def write_search(folder: Path | str = SEARCH_FOLDER, path: Path | str = SEARCH_TABLE) -> Path:
    """Write `search_table` as CSV, atomically. Returns the path.

    Raises ValueError as `search_table`, and if there is no run to write about.
    """
    table = search_table(folder)
    if table.empty:
        raise ValueError(f"{folder} holds no runs of a search")
    return write_atomically(path, table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))


if __name__ == "__main__":
    print(write_search())
