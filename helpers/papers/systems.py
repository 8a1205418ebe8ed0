"""Notebook 03: published systems of TACRED and SemEval under the weighting schemes, from stored outcomes.

`Systems` is data set → model → outcome. Scores are fractions unless per cent is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from .. import metrics
from ..evaluation import system_title
from ..runs import Run, list_published

NEGATIVES = {"tacred": "no_relation", "tacred-revised": "no_relation", "semeval2010": "Other"}
PUBLISHED = {"spanbert_tacred": "70.8", "knowbert_wordnet_wiki_tacred": "71.5"}
"""System → its published micro-F1 on TACRED, per cent."""
Systems = Mapping[str, Mapping[str, metrics.Outcome]]


def published_runs() -> dict[tuple[str, str], Run]:
    """(data set, model) → stored run of published predictions; a pair of systems is called 'first+second'.

    >>> len(published_runs())
    114
    """
    runs = [run for dataset in NEGATIVES for run in list_published(dataset)]
    published = [run for run in runs if not run.variant]  # one implementation each
    return {(run.dataset, run.model): run for run in published}


def published_systems(runs: Mapping[tuple[str, str], Run]) -> dict[str, dict[str, metrics.Outcome]]:
    """Data set → system → its outcome, pairs left out.

    >>> {name: len(found) for name, found in published_systems(published_runs()).items()}
    {'tacred': 52, 'tacred-revised': 52, 'semeval2010': 3}
    """
    single = {key: run for key, run in runs.items() if "+" not in key[1]}
    return {
        name: {model: run.outcome() for (dataset, model), run in single.items() if dataset == name}
        for name in NEGATIVES
    }


def score_table(systems: Mapping[str, metrics.Outcome], negative: str) -> pd.DataFrame:
    """F1 of each system under each scheme, best micro first.

    >>> table = metrics.Outcome.from_columns(["a", "b", "NA"], ["a", "b", "NA"])
    >>> score_table({"perfect": table}, "NA").loc["perfect"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    rows = {model: metrics.averages(table, negative=negative) for model, table in systems.items()}
    table = pd.DataFrame.from_dict(rows, orient="index", columns=list(metrics.SCHEMES))
    return table.sort_values("micro", ascending=False)


def paired_test(
    run: Run, replicates: int, seed: int, statistic: Callable[[metrics.Outcome], np.ndarray] | None = None
) -> pd.DataFrame:
    """The paired bootstrap of a run of two systems: difference, low, high (points) and p, a row a scheme.

    statistic : what is compared, in place of F1 under the five schemes.
    """
    pair: metrics.Outcome = run.outcome()

    def five(table: metrics.Outcome) -> np.ndarray:
        return metrics.averages(table, classes_of=pair, negative=run.negative)

    test = metrics.paired_bootstrap(
        pair, pair.of("second"), statistic or five, np.random.default_rng(seed), replicates
    )
    points = {name: 100 * np.atleast_1d(getattr(test, name)) for name in ("difference", "low", "high")}
    index = [run.model] if statistic else list(metrics.SCHEMES)
    return pd.DataFrame(points | {"p": np.atleast_1d(test.p)}, index=index)


def widest_flips(scores: pd.DataFrame) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Pairs of systems that micro and macro rank differently: the widest as a table, and all of them."""
    changed = metrics.flips(scores["micro"].to_dict(), scores["macro"].to_dict())
    names = ["X, better under micro", "Y, better under macro"]
    table = pd.DataFrame(changed[:5], columns=names)
    for scheme, name in product(("micro", "macro"), names):
        table[f"{scheme} of {name[0]}"] = 100 * scores.loc[table[name], scheme].to_numpy()
    return table.assign(**{name: table[name].map(system_title) for name in names}).round(1), changed


def crossing_pair(
    systems: Mapping[str, metrics.Outcome], changed: Sequence[tuple[str, str]], negative: str
) -> tuple[pd.DataFrame, list[float]]:
    """The first of these pairs that changes places at some α: its two curves, and the α's.

    The curves have columns model, alpha, value (per cent).
    """
    for pair in changed:
        if crossings := metrics.alpha_crossings(*(systems[model] for model in pair), negative=negative):
            break
    values = {
        system_title(model): metrics.alpha_spectrum(systems[model], negative=negative) for model in pair
    }
    wide = 100 * pd.DataFrame(values, pd.Index(metrics.ALPHAS, name="alpha"))
    return wide.reset_index().melt("alpha", var_name="model")[["model", "alpha", "value"]], crossings


def left_out(table: metrics.Outcome, negative: str) -> pd.DataFrame:
    """By how many points macro-F1 changes without each class: relation, support, f1 (per cent), change.

    >>> left_out(metrics.Outcome.from_columns(list("aab"), list("aaa")), None)["change"].round(1).tolist()
    [-40.0, 40.0]
    """
    whole = metrics.average(table, "macro", negative=negative)
    without = metrics.leave_one_class_out(table, "macro", negative=negative)
    classes = metrics.evaluate(table, negative=negative).per_class
    rows = [
        (name, classes[name]["support"], 100 * classes[name]["f1"], 100 * (score - whole))
        for name, score in without.items()
    ]
    return pd.DataFrame(rows, columns=["relation", "support", "f1", "change"])


def implementation_scores(replicates: int = 2000) -> pd.DataFrame:
    """The published predictions on SemEval-2010 Task 8, one row an implementation: `model`, `author`, the
    official macro-F1, its 95 % bootstrap interval `low`, `high` and `width`, F1 under each scheme; fractions.

    >>> implementation_scores(replicates=50).groupby("model").size()["CNN"].item()
    3
    """
    rows = []
    for run in list_published("semeval2010", kind="confusion"):
        outcome, author = run.outcome(), run.variant.removeprefix("by ") or "onehaitao"
        drawn = (outcome, metrics.official_macro, np.random.default_rng(1), replicates)
        official = metrics.bootstrap_intervals(*drawn)
        row = (run.model, author, official.value, official.low, official.high)
        rows.append((*row, *metrics.averages(outcome, negative=run.negative)))
    table = pd.DataFrame(rows, columns=["model", "author", "official", "low", "high", *metrics.SCHEMES])
    return table.assign(width=table["high"] - table["low"])
