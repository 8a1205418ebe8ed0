"""The search for training settings: what was tried on a held-out tenth of the training data, as a tidy table.

`python -m helpers.experiments.search` writes it. Each setting was tried once, never on the test set. The runs
lie in results/studies/search, as variants that name the setting; what they were trained with is read from the
run files, not from their names.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from .. import ROOT
from ..core import write_atomically
from ..metrics import direction_scores
from ..runs import STUDIES_FOLDER, Run, list_runs

_SEARCH_FOLDER = STUDIES_FOLDER / "search"
SEARCH_TABLE = ROOT / "results" / "tables" / "hyperparameters.csv"
SETTING = ("learning_rate", "batch_size", "epochs")
_CRITERION = "official_macro_f1"
METRICS = (_CRITERION, "official_macro_f1_paired", "seconds")
"""On the held-out tenth; on its paired set; of training."""
COLUMNS = ("model", *SETTING, "metric", "value", "chosen")


def _search_table(folder: Path | str = _SEARCH_FOLDER) -> pd.DataFrame:
    """One number a row: model, learning_rate, batch_size, epochs, metric, value, chosen.

    `metric` is one of `METRICS`. `chosen` marks the rows of each model's best setting: highest official
    macro-F1 on the held-out tenth, of equal ones the one with fewer epochs, then the lower learning rate,
    then the larger batch. Rows are ordered by model, setting and `METRICS`. A folder without runs gives an
    empty table.

    Raises
    ------
    ValueError : a run that was not tested on a held-out part, a setting that was tried twice, or a file that
        is no run.

    >>> _search_table("no-such-folder").columns.tolist()
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
        model: min((own for own in tried if own[0] == model), key=lambda own: _rank(own, tried[own]))
        for model in {own[0] for own in tried}
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
    return -numbers[_CRITERION], epochs, learning_rate, -batch_size


if __name__ == "__main__":
    found = _search_table().to_csv(index=False, float_format="%.6g", lineterminator="\n")
    print(write_atomically(SEARCH_TABLE, found))
