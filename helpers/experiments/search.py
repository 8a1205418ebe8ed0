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
from ..runs import STUDIES_FOLDER, list_runs

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
    about, rows = ["model", *SETTING], []
    for run in list_runs(folder=folder):
        if run.split != "holdout":
            raise ValueError(f"{run.name}: tested on {run.split!r}; settings are chosen on 'holdout' only")
        scores = direction_scores(run.outcome())
        values = (scores.performance_original, scores.performance_paired, run.wall_seconds)
        setting = (run.hyperparameters[name] for name in SETTING)
        rows.append((run.model, *setting, *map(float, values), run.name))
    tried = pd.DataFrame(rows, columns=[*about, *METRICS, "run"])
    for run in tried[tried.duplicated(about)].itertuples():
        raise ValueError(f"{run.run}: {run.model} with this setting was tried twice")
    order = {_CRITERION: False, "epochs": True, "learning_rate": True, "batch_size": False}
    best = tried.sort_values([*order], ascending=[*order.values()], kind="stable").drop_duplicates("model")
    tried["chosen"] = tried.index.isin(best.index)
    table = tried.melt([*about, "chosen"], METRICS, "metric", "value")
    return table.sort_values(about, kind="stable", ignore_index=True)[[*COLUMNS]]


if __name__ == "__main__":
    text = _search_table().to_csv(index=False, float_format="%.6g", lineterminator="\n")
    print(write_atomically(SEARCH_TABLE, text))
