"""The runs of profile standard, which of them are stored or missing; and the search for training settings.

`python -m helpers.experiments.grid` writes the search as a tidy table. Each setting was tried once on a
held-out tenth of the training data, never on the test set. The runs lie in results/studies/search, as
variants that name the setting; what they were trained with is read from the run files, not from their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from .. import ROOT
from ..core import unknown_name, write_atomically
from ..metrics import direction_scores
from ..models import NO_ENCODER
from ..runs import RUNS_FOLDER, STUDIES_FOLDER, Run, list_runs
from .bags import BagExperiment, gids_experiments, run_bag_experiment, wiki80_experiments
from .experiment import SEEDS, Experiment
from .graphs import (
    all_pair_experiments,
    epoch_experiments,
    graph_experiments,
    pair_experiments,
    vector_experiments,
)
from .run import run_experiment

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


def _experiment(model: str, merged: bool, seed: int, **others: Any) -> Experiment:
    return Experiment(model, merged=merged, seed=seed, profile="standard", **others)


@dataclass(frozen=True)
class Study:
    """A list of experiments whose runs belong together.

    Attributes
    ----------
    folder : where its runs are. every_epoch : whether the outcome after each epoch is stored, too.
    """

    folder: Path
    experiments: tuple[Experiment | BagExperiment, ...]
    every_epoch: bool = False


RATES = (5e-5, 1e-4, 2e-4)
_THREE = SEEDS[:3]
_CURVES = (*((False, seed) for seed in _THREE), (True, SEEDS[0]))


def studies() -> dict[str, Study]:
    """The studies by name; 'standard' is the set whose runs the tables show.

    rates : every model with three learning rates on the held-out tenth, scored after each epoch. curves :
    EM-C and EM-C-M after each epoch. ablations : EM-C with other markers, and with less training. layers :
    EM-C and EM-ES on the first layers of the encoder. emr-c : EMR-C in other forms. bert-em : EM-ES as paper
    W trained it on SemEval, with a layer normalisation, on the official text. precision, threads : EM-C in
    fp32, and on one thread of the processor. vectors : graph models with other word vectors on the
    held-out tenth. epochs : CNN on the held-out tenth of the drawn pairs, trained for longer. graphs : C-GCN,
    GCN and C-GCN-M. redocred : EM-ES, PTR, CNN, SVM and RECENT around three of them, with types and without,
    on the drawn sentence pairs of Re-DocRED. redocred-all : the same on all of its pairs. gids : models of
    bags on GIDS. wiki80 : BERT-entity on the sentences of Wiki80.

    >>> {name: len(study.experiments) for name, study in studies().items()}
    {'standard': 67, 'rates': 15, 'curves': 4, 'ablations': 12, 'layers': 12, 'emr-c': 9, 'bert-em': 5,
     'precision': 3, 'threads': 3, 'vectors': 8, 'epochs': 3, 'graphs': 16,
     'redocred': 62, 'redocred-all': 18, 'gids': 60, 'wiki80': 6}
    """
    lists = {
        "rates": [_rate(model, rate) for model, _ in _MODELS for rate in RATES],
        "curves": [_experiment("em-c", merged, seed) for merged, seed in _CURVES],
        "ablations": [one for seed in _THREE for one in _ablations(seed)],
        "layers": [
            _experiment(model, False, seed, options={"layers": layers})
            for seed in _THREE
            for layers in (2, 4)
            for model in ("em-c", "em-es")
        ],
        "emr-c": _forms_of_emr_c(),
        "bert-em": [
            _experiment("em-es", False, seed, text="official", options={"layer_norm": True}) for seed in SEEDS
        ],
        "precision": [_changed(_experiment("em-c", False, seed), precision="fp32") for seed in _THREE],
        "threads": [_experiment("em-c", False, seed, threads=1) for seed in _THREE],
        "vectors": vector_experiments(),
        "epochs": epoch_experiments(),
    }
    found = {
        name: Study(STUDIES_FOLDER / name, tuple(listed), every_epoch=name in ("rates", "curves"))
        for name, listed in lists.items()
    }
    shown = {"graphs": graph_experiments(), "redocred": pair_experiments()}
    shown |= {"redocred-all": all_pair_experiments(), "gids": gids_experiments()}
    shown["wiki80"] = wiki80_experiments()
    found |= {name: Study(Path(RUNS_FOLDER), tuple(listed)) for name, listed in shown.items()}
    return {"standard": Study(Path(RUNS_FOLDER), tuple(standard_experiments()))} | found


def _changed(experiment: Experiment, **changes: Any) -> Experiment:
    return experiment.with_settings(changes=changes)


def _rate(model: str, rate: float) -> Experiment:
    return _changed(_experiment(model, False, SEEDS[0], holdout=True), learning_rate=rate)


def _ablations(seed: int) -> list[Experiment]:
    """What EM-C's blindness to direction may depend on, one change each."""
    marked = [
        _experiment("em-c", False, seed, options={"marker_scheme": one}) for one in ("pieces", "symbols")
    ]
    started = _changed(_experiment("em-c", False, seed), marker_vectors="mean")
    return [started, *marked, _changed(_experiment("em-c", False, seed, sentences=2000), epochs=4)]


def _forms_of_emr_c() -> list[Experiment]:
    changed = ({"negatives": "resampled"}, {"turned": "symbols"})
    forms = [_experiment("emr-c", False, seed, options=options) for options in changed for seed in _THREE]
    usual = [_experiment("emr-c", False, seed) for seed in _THREE]
    return [*forms, *(_changed(one, learning_rate=2e-5, epochs=10) for one in usual)]


def missing(
    experiments: Iterable[Experiment], folder: Path | str = RUNS_FOLDER, every_epoch: bool = False
) -> list[Experiment]:
    """Those that have no run file in `folder` yet, in their order.

    `every_epoch` : one whose last epoch is stored there is not missing either. Epochs are stored in their
    order, and the outcome after the last one is that of the run.

    >>> len(missing(standard_experiments(), "no-such-folder"))
    67
    """
    stored = {
        (run.dataset, run.split, run.model, run.variant, run.encoder, run.seed)
        for run in list_runs(profile="standard", folder=folder)
    }
    return [
        one
        for one in experiments
        if _key(one, one.run_variant) not in stored
        and not (every_epoch and _key(one, _last_epoch(one)) in stored)
    ]


def _key(one: Experiment | BagExperiment, variant: str) -> tuple[str, str, str, str, str, int | None]:
    encoder = one.encoder if isinstance(one, BagExperiment) or one.inner.encoder else NO_ENCODER
    return one.dataset_name, one.split, one.name, variant, encoder, one.run_seed


def _last_epoch(one: Experiment | BagExperiment) -> str:
    """The variant of its outcome after the last epoch, as `run_experiment` names it."""
    settings = one.resolved()
    return "+".join(filter(None, (one.run_variant, settings and f"epoch-{settings.epochs}")))


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


def train_experiment(
    one: Experiment | BagExperiment,
    folder: Path | str = RUNS_FOLDER,
    every_epoch: bool = False,
    overwrite: bool = False,
    progress: bool = True,
) -> list[Run]:
    """Train one and store its runs under `folder`: of bags several, one for each way of evaluation.

    `every_epoch` : also store the outcome after each epoch there. Errors as `run_experiment` and
    `run_bag_experiment`.
    """
    if isinstance(one, BagExperiment):
        return run_bag_experiment(one, folder, overwrite=overwrite, progress=progress)
    epochs = folder if every_epoch else None
    return [run_experiment(one, folder, epochs=epochs, overwrite=overwrite, progress=progress)]


def train_missing(
    experiments: Iterable[Experiment | BagExperiment],
    folder: Path | str = RUNS_FOLDER,
    every_epoch: bool = False,
) -> Iterator[Run]:
    """Train those that have no run file in `folder` yet, one after the other; gives each stored run.

    `every_epoch` : see `missing`; errors as `train_experiment`.

    >>> list(train_missing([]))
    []
    """
    for experiment in missing(experiments, folder, every_epoch):
        yield from train_experiment(experiment, folder, every_epoch)


def status(
    folder: Path | str = RUNS_FOLDER,
    experiments: Sequence[Experiment] | None = None,
    every_epoch: bool = False,
) -> pd.DataFrame:
    """Data set, model (and variant), the seeds that are stored and those that are missing, one row a model.

    `experiments` : None: the standard set. `every_epoch` : see `missing`.

    >>> status("no-such-folder").iloc[0].tolist()
    ['semeval2010', 'EM-C', '–', '9 148 378 459 687']
    """
    wanted = standard_experiments() if experiments is None else experiments
    absent = missing(wanted, folder, every_epoch)
    groups: dict[tuple[str, str], list[Experiment]] = {}
    for one in wanted:
        groups.setdefault((one.dataset_name, f"{one.name} {one.run_variant}".strip()), []).append(one)

    def seeds(group: list[Experiment], are_absent: bool) -> str:
        found = [one.run_seed for one in group if (one in absent) == are_absent]
        return (
            " ".join(
                "once" if seed is None else str(seed) for seed in sorted(found, key=lambda seed: seed or 0)
            )
            or "–"
        )

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
