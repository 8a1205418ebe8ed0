"""Several people's implementations of one paper: how far apart are they, and beside what?

A number of a paper moves when somebody else writes the program, when the classes are weighted otherwise, and
when another test set is drawn. Ten public prediction files on SemEval-2010 Task 8 let all three be measured
on the same sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from ..metrics import SCHEMES, averages, bootstrap_intervals, bootstrap_suffix, official_macro
from ..runs import Run, list_runs

DATASET, FIRST_AUTHOR = "semeval2010", "onehaitao"
SEED = 1


def implementations() -> list[Run]:
    """The stored runs of published predictions on SemEval-2010 Task 8, one system each.

    >>> len(implementations())
    10
    """
    runs = list_runs(DATASET, kind="confusion")
    return [run for run in runs if run.profile is None and run.encoder is None]


def implementation_scores(runs: Iterable[Run] | None = None, replicates: int = 2000) -> pd.DataFrame:
    """One row an implementation: `model`, `author`, the official macro-F1, F1 under each scheme, `width`.

    Scores are fractions. width : high − low of the 95 % bootstrap interval of the official score.

    >>> implementation_scores(replicates=50).groupby("model").size()["CNN"].item()
    3
    """
    rows = []
    for run in implementations() if runs is None else runs:
        outcome, rng = run.outcome(), np.random.default_rng(SEED)
        found = bootstrap_intervals(outcome, official_macro, rng, replicates)
        row = {"model": run.model, "author": run.variant.removeprefix("by ") or FIRST_AUTHOR}
        row |= {"official": found.value, "low": found.low, "high": found.high}
        rows.append(row | dict(zip(SCHEMES, averages(outcome, negative=run.negative).tolist(), strict=True)))
    return pd.DataFrame(rows).assign(width=lambda frame: frame["high"] - frame["low"])


def implementation_spread(scores: pd.DataFrame, schemes: Sequence[str] = SCHEMES) -> pd.DataFrame:
    """Of each model that several people wrote: how far its score moves, and by what.

    Parameters
    ----------
    scores : of `implementation_scores`.

    Returns
    -------
    Index model; `implementations`; `between implementations`, the official score of the best minus that of
    the worst; `between schemes`, highest minus lowest scheme of one implementation, the mean of them;
    `between test sets`, the mean width of the official score's interval; fractions.

    >>> spread = implementation_spread(implementation_scores(replicates=50))
    >>> list(spread.index), spread.loc["CNN", "between implementations"].round(4).item()
    (['Att-BLSTM', 'Attention-CNN', 'CNN', 'CR-CNN'], 0.005)
    """
    moved = scores[list(schemes)].max(axis=1) - scores[list(schemes)].min(axis=1)
    groups = scores.assign(moved=moved).groupby("model")
    official = groups["official"]
    found = {
        "implementations": official.size(),
        "between implementations": official.max() - official.min(),
        "between schemes": groups["moved"].mean(),
        "between test sets": groups["width"].mean(),
    }
    return pd.DataFrame(found).query("implementations > 1")


def implementation_rows(scores: pd.DataFrame, replicates: int) -> list[dict[str, object]]:
    """`implementation_scores` as rows of a tidy table: the official score of each with its interval."""
    made = bootstrap_suffix(replicates, SEED)
    signature = (
        f"f1|official:semeval2010|labels:supported|negative:Other|direction:grouped|n:2717|v:0.1{made}"
    )
    fixed = {
        "paper": "systems",
        "item": "implementations",
        "dataset": DATASET,
        "metric": "f1",
        "scheme": "official",
    }
    return [
        fixed
        | {"model": f"{row.model} by {row.author}", "value": row.official, "low": row.low, "high": row.high}
        | {"signature": signature}
        for row in scores.itertuples()
    ]
