"""How many test samples a difference of one point needs on SemEval-2010, TACRED and KBP37.

`python -m helpers.papers.plan` writes `results/tables/plan.csv` anew (some minutes).
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from .. import RESULTS
from ..core import write_atomically
from ..data import find_dataset
from ..evaluation import changed_answers, plan_samples
from ..metrics import Outcome
from ..reporting import TABLES_FOLDER
from ..runs import load_run

SYSTEMS = {
    "semeval2010": "semeval2010/EM-ES/all-MiniLM-L6-v2/seed-9.json",
    "tacred": "tacred/spanbert_tacred/published/predictions.json",
    "kbp37": "kbp37/EM-ES/all-MiniLM-L6-v2/seed-9.json",
}
"""Data set → the stored run of the system that a better one is planned beside."""
SCHEMES = ("micro", "weighted", "dodrans", "macro", "accuracy")
DIFFERENCE, CHANGED = 0.01, 0.1
"""The better system leads by one point, and changes a tenth of the answers."""


def _plan_rows(dataset: str, scheme: str) -> pd.DataFrame:
    """The sizes that were tried, a row each: `n`, `power`, `error`; with `test_n`, `needed`, `discordant`.

    `needed` has a power of 80 % (`plan_samples`); `test_n` is the size of the test set that there is.
    """
    run = load_run(RESULTS / "runs" / SYSTEMS[dataset])
    outcome, labels = run.outcome(), np.array(run.outcome().labels)
    roles = (outcome.roles[role] for role in ("gold", "predicted"))
    answers = (labels[np.repeat(codes, outcome.counts)].tolist() for codes in roles)
    population = changed_answers(Outcome.from_columns(*answers), scheme, DIFFERENCE, CHANGED, run.negative)
    plan = plan_samples(population, scheme, negative=run.negative)
    rows = pd.DataFrame(plan.rows, columns=["n", "power", "error"])
    head = {"dataset": dataset, "model": run.model, "scheme": scheme, "test_n": run.n, "needed": plan.needed}
    return rows.assign(**head, discordant=plan.discordant)[[*head, "discordant", *rows]]


def samples_needed() -> pd.DataFrame:
    """The stored samples that one point needs: index data set and size of its test set, a column a scheme.

    >>> samples_needed().columns.tolist()
    ['accuracy', 'micro', 'weighted', 'dodrans', 'macro']
    """
    rows = pd.read_csv(TABLES_FOLDER / "plan.csv").drop_duplicates(["dataset", "scheme"])
    table = rows.pivot(index=["dataset", "test_n"], columns="scheme", values="needed")
    return table[["accuracy", "micro", "weighted", "dodrans", "macro"]].loc[list(SYSTEMS)]


def plan_table() -> pd.DataFrame:
    """`samples_needed` for reading.

    >>> plan_table()["test set"].tolist()
    ['2,717', '15,509', '3,405']
    """
    table = samples_needed().rename_axis(columns=None).reset_index(names=["corpus", "test set"])
    titles = table["corpus"].map(lambda name: find_dataset(name).title)
    return table.drop(columns="corpus").map("{:,}".format).assign(corpus=titles)[[*table]]


if __name__ == "__main__":
    table = pd.concat([_plan_rows(dataset, scheme) for dataset in SYSTEMS for scheme in SCHEMES])
    write_atomically(TABLES_FOLDER / "plan.csv", table.to_csv(index=False, float_format="%.6g"))
