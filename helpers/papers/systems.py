"""Notebook 03: published systems of TACRED and SemEval under the weighting schemes, from stored outcomes.

`Systems` is data set → model → outcome. Scores are fractions unless per cent is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from ..core import MissingData
from ..evaluation import semeval_runs, system_title, tacred_runs
from ..metrics import (
    ALPHAS,
    SCHEMES,
    Outcome,
    Policy,
    alpha_crossings,
    alpha_spectrum,
    average,
    averages,
    bootstrap_intervals,
    bootstrap_suffix,
    evaluate,
    flips,
    leave_one_class_out,
    official_macro,
    paired_bootstrap,
)
from ..runs import Run, list_published, list_runs

NEGATIVES = {"tacred": "no_relation", "tacred-revised": "no_relation", "semeval2010": "Other"}
PUBLISHED = {"spanbert_tacred": "70.8", "knowbert_wordnet_wiki_tacred": "71.5"}
"""System → its published micro-F1 on TACRED, per cent."""
Systems = Mapping[str, Mapping[str, Outcome]]


def published_runs() -> dict[tuple[str, str], Run]:
    """(data set, model) → stored run of published predictions; a pair of systems is called 'first+second'.

    >>> len(published_runs())
    114
    """
    runs = [run for dataset in NEGATIVES for run in list_published(dataset)]
    published = [run for run in runs if not run.variant]  # one implementation each
    return {(run.dataset, run.model): run for run in published}


def published_systems(runs: Mapping[tuple[str, str], Run]) -> dict[str, dict[str, Outcome]]:
    """Data set → system → its outcome, pairs left out.

    >>> {name: len(found) for name, found in published_systems(published_runs()).items()}
    {'tacred': 52, 'tacred-revised': 52, 'semeval2010': 3}
    """
    found: dict[str, dict[str, Outcome]] = {name: {} for name in NEGATIVES}
    for (dataset, model), run in runs.items():
        if "+" not in model:
            found[dataset][model] = run.outcome()
    return found


def recount(runs: Mapping[tuple[str, str], Run]) -> str:
    """Count the stored outcomes again from the prediction files; what came of it, in a sentence.

    Raises ValueError if an outcome differs.
    """
    try:
        counted = [*tacred_runs(), *semeval_runs()]
    except MissingData as missing:
        return f"Prediction files are not here, stored outcomes are used. ({str(missing).splitlines()[0]})"
    if {(run.dataset, run.model): run.table for run in counted} != {
        at: run.table for at, run in runs.items()
    }:
        raise ValueError("the stored outcomes differ from those counted from the prediction files")
    return f"All {len(counted)} stored outcomes equal those counted from the prediction files."


def score_table(systems: Mapping[str, Outcome], negative: str) -> pd.DataFrame:
    """F1 of each system under each scheme, best micro first.

    >>> table = Outcome.from_columns(["a", "b", "NA"], ["a", "b", "NA"])
    >>> score_table({"perfect": table}, "NA").loc["perfect"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    rows = {model: averages(table, negative=negative) for model, table in systems.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(SCHEMES)).sort_values(
        "micro", ascending=False
    )


def system_intervals(systems: Systems, replicates: int, seed: int) -> pd.DataFrame:
    """F1 of every system under every scheme with its 95 % bootstrap interval.

    Returns columns scheme, value, low, high, dataset, model. The classes are those of the original test set;
    one generator goes through all.
    """
    rng, found = np.random.default_rng(seed), []
    for dataset, models in systems.items():
        for model, table in models.items():

            def statistic(t: Outcome, table: Outcome = table, dataset: str = dataset) -> np.ndarray:
                return averages(t, classes_of=table, negative=NEGATIVES[dataset])

            ends = bootstrap_intervals(table, statistic, rng, replicates)
            rows = pd.DataFrame({"scheme": SCHEMES, "value": ends.value, "low": ends.low, "high": ends.high})
            found.append(rows.assign(dataset=dataset, model=model))
    return pd.concat(found)


def paired_test(
    run: Run, replicates: int, seed: int, statistic: Callable[[Outcome], np.ndarray] | None = None
) -> pd.DataFrame:
    """The paired bootstrap of a run of two systems: difference, low, high (points) and p, a row a scheme.

    statistic : what is compared, in place of F1 under the five schemes.
    """
    pair: Outcome = run.outcome()

    def five(table: Outcome) -> np.ndarray:
        return averages(table, classes_of=pair, negative=run.negative)

    test = paired_bootstrap(
        pair, pair.of("second"), statistic or five, np.random.default_rng(seed), replicates
    )
    points = {name: 100 * np.atleast_1d(getattr(test, name)) for name in ("difference", "low", "high")}
    index = [run.model] if statistic else list(SCHEMES)
    return pd.DataFrame(points | {"p": np.atleast_1d(test.p)}, index=index)


def widest_flips(scores: pd.DataFrame, most: int = 5) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Pairs of systems that micro and macro rank differently: the widest as a table, and all of them."""
    changed = flips(scores["micro"].to_dict(), scores["macro"].to_dict())
    rows = [
        {"X, better under micro": system_title(x), "Y, better under macro": system_title(y)}
        | {
            f"{scheme} of {side}": 100 * scores.loc[model, scheme]
            for scheme in ("micro", "macro")
            for side, model in (("X", x), ("Y", y))
        }
        for x, y in changed[:most]
    ]
    return pd.DataFrame(rows).round(1), changed


def crossing_pair(
    systems: Mapping[str, Outcome], changed: Sequence[tuple[str, str]], negative: str
) -> tuple[pd.DataFrame, list[float]]:
    """The first of these pairs that changes places at some α: its two curves, and the α's.

    The curves have columns model, alpha, value (per cent).
    """
    for pair in changed:
        crossings = alpha_crossings(*(systems[model] for model in pair), negative=negative)
        if crossings:
            break
    curves = [
        pd.DataFrame(
            {
                "model": system_title(model),
                "alpha": ALPHAS,
                "value": 100 * alpha_spectrum(systems[model], negative=negative),
            }
        )
        for model in pair
    ]
    return pd.concat(curves), crossings


def left_out(table: Outcome, negative: str) -> pd.DataFrame:
    """By how many points macro-F1 changes without each class: relation, support, f1 (per cent), change.

    >>> left_out(Outcome.from_columns(list("aab"), list("aaa")), None)["change"].round(1).tolist()
    [-40.0, 40.0]
    """
    whole = average(table, "macro", negative=negative)
    without = leave_one_class_out(table, "macro", negative=negative)
    classes = evaluate(table, negative=negative).per_class
    rows = [
        (name, classes[name]["support"], 100 * classes[name]["f1"], 100 * (score - whole))
        for name, score in without.items()
    ]
    return pd.DataFrame(rows, columns=["relation", "support", "f1", "change"])


def system_rows(everything: pd.DataFrame, systems: Systems, replicates: int, seed: int) -> pd.DataFrame:
    """The rows of the tidy table `03_systems`, each with the signature of its score and interval."""
    made = bootstrap_suffix(replicates, seed)
    signatures, published = [], []
    for row in everything.itertuples():
        policy = Policy(negative=NEGATIVES[row.dataset])
        signatures.append(policy.signature(systems[row.dataset][row.model], "f1", row.scheme) + made)
        printed = (row.dataset, row.scheme) == ("tacred", "micro")
        published.append(PUBLISHED.get(row.model, "") if printed else "")
    fixed = {"paper": "systems", "item": "published predictions", "metric": "f1"}
    return everything.assign(**fixed, signature=signatures, published=published)


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
