"""Paper R (Lyu et al. 2021), relation direction recognition: tables of runs on a test and its paired set."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from helpers.metrics import BREAKDOWN, paired_breakdown
from helpers.runs import Run


def paired_breakdowns(runs: Sequence[Run], models: Sequence[str]) -> pd.DataFrame:
    """`paired_breakdown` of each relation for each model, in per cent, mean over the model's runs.

    Parameters
    ----------
    runs : with an outcome on the paired set. models : names, in the order wanted; others are left out.

    Returns
    -------
    Columns `model`, `relation`, `n`, then `BREAKDOWN`; relations in the order of the labels.

    >>> paired_breakdowns([], ["EM-C"]).columns.tolist()[:3]
    ['model', 'relation', 'n']
    """
    tables = [pd.DataFrame(columns=["model", "relation", "n", *BREAKDOWN])]
    for model in models:
        own = [paired_breakdown(run.outcome()) for run in runs if run.model == model]
        if own:
            mean = sum(pd.DataFrame.from_dict(one, orient="index") for one in own) / len(own)
            mean[list(BREAKDOWN)] *= 100
            tables.append(mean.rename_axis("relation").reset_index().assign(model=model)[tables[0].columns])
    return pd.concat(tables[1:] or tables, ignore_index=True)
