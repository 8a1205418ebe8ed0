"""What a model does with each relation when the entities are exchanged: does its prediction move, and to
where?

A sentence that is right on the test set A can, on the paired set B, keep its prediction (the model did not
notice the exchange), be right again (it read the direction), or move somewhere else. The three shares add up
to the share that is right on A. Labels without a direction (the negative class) are left out.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from ..metrics.counts import PairedOutcomes
from ..metrics.direction import inverse_labels, with_inverses
from ..metrics.semeval import base_relation
from .runs import Run

SHARES = ("right_original", "right_both", "still", "elsewhere", "right_paired")


def moves_of_relations(outcomes: PairedOutcomes) -> pd.DataFrame:
    """Shares of the n samples of each base relation, both directions together.

    With gold t, its inverse t', prediction y_A on A and y_B on B: right_original #(y_A = t) / n ·
    right_both #(y_A = t and y_B = t') / n · still #(y_A = t and y_B = y_A) / n · elsewhere: right on A, and
    neither of the two · right_paired #(y_B = t') / n. Hence right_original = right_both + still + elsewhere,
    and the mean of right_both, weighted by n, is PPR.

    Parameters
    ----------
    outcomes : one table, counts (K,), no replicates.

    Returns
    -------
    Index: the base relation, in the order of the labels; columns n, then `SHARES`. Relations without a gold
    sample are left out; without any directed label the frame is empty.

    >>> outcomes = PairedOutcomes.from_arrays(
    ...     ["R(e1,e2)"] * 4, ["R(e1,e2)"] * 3 + ["Other"], ["R(e2,e1)", "R(e1,e2)", "Other", "R(e2,e1)"]
    ... )
    >>> moves_of_relations(outcomes).loc["R"].tolist()
    [4.0, 0.75, 0.25, 0.25, 0.25, 0.5]
    """
    outcomes = with_inverses(outcomes)
    labels, inverse = outcomes.labels, inverse_labels(outcomes.labels)
    turned = np.array([labels.index(inverse[label]) for label in labels])
    gold, on_a, on_b = outcomes.cells.T
    right_a, right_b, stays = on_a == gold, on_b == turned[gold], on_a == on_b
    kinds = (right_a, right_a & right_b, right_a & stays, right_a & ~right_b & ~stays, right_b)
    rows = {}
    for base in dict.fromkeys(base_relation(label) for label in labels if inverse[label] != label):
        own = np.isin(gold, [place for place, label in enumerate(labels) if base_relation(label) == base])
        n = outcomes.counts[own].sum()
        if n:
            rows[base] = (n, *(outcomes.counts[own & kind].sum() / n for kind in kinds))
    return pd.DataFrame.from_dict(rows, orient="index", columns=["n", *SHARES])


def moves_of_models(runs: Sequence[Run], models: Sequence[str]) -> pd.DataFrame:
    """The shares of each relation for each model, in per cent, mean over the model's runs.

    Parameters
    ----------
    runs : with an outcome on the paired set. models : names, in the order wanted; others are left out.

    Returns
    -------
    Columns `model`, `relation`, `n`, then `SHARES`; relations in the order of the labels.

    >>> moves_of_models([], ["EM-C"]).columns.tolist()[:3]
    ['model', 'relation', 'n']
    """
    tables = [pd.DataFrame(columns=["model", "relation", "n", *SHARES])]
    for model in models:
        own = [moves_of_relations(run.outcome()) for run in runs if run.model == model]
        if own:
            mean = sum(own) / len(own)
            mean[list(SHARES)] *= 100
            tables.append(mean.rename_axis("relation").reset_index().assign(model=model)[tables[0].columns])
    return pd.concat(tables[1:] or tables, ignore_index=True)
