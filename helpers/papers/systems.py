"""Notebook 03: published systems of TACRED and SemEval under the weighting schemes, from stored outcomes.

`Systems` is data set → model → outcome. Scores are fractions unless per cent is said.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..core import MissingData
from ..evaluation import semeval_runs, system_title, tacred_runs
from ..metrics import (
    ALPHAS,
    SCHEMES,
    Confusion,
    PairedOutcomes,
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
    official_scores,
    paired_bootstrap,
    rank_agreement,
    resampled_agreement,
)
from ..runs import Run, list_published

NEGATIVES = {"tacred": "no_relation", "tacred-revised": "no_relation", "semeval2010": "Other"}
PUBLISHED = {"spanbert_tacred": "70.8", "knowbert_wordnet_wiki_tacred": "71.5"}
"""System → its published micro-F1 on TACRED, per cent."""
Systems = Mapping[str, Mapping[str, Confusion]]


def published_runs() -> dict[tuple[str, str], Run]:
    """(data set, model) → stored run of published predictions; a pair of systems is called 'first+second'.

    >>> len(published_runs())
    114
    """
    runs = [run for dataset in NEGATIVES for run in list_published(dataset)]
    published = [run for run in runs if not run.variant]  # one implementation each
    return {(run.dataset, run.model): run for run in published}


def published_systems(runs: Mapping[tuple[str, str], Run]) -> dict[str, dict[str, Confusion]]:
    """Data set → system → its outcome, pairs left out.

    >>> {name: len(found) for name, found in published_systems(published_runs()).items()}
    {'tacred': 52, 'tacred-revised': 52, 'semeval2010': 3}
    """
    found: dict[str, dict[str, Confusion]] = {name: {} for name in NEGATIVES}
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


def score_table(systems: Mapping[str, Confusion], negative: str) -> pd.DataFrame:
    """F1 of each system under each scheme, best micro first.

    >>> table = Confusion.from_arrays(["a", "b", "NA"], ["a", "b", "NA"])
    >>> score_table({"perfect": table}, "NA").loc["perfect"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    """
    rows = {model: averages(table, negative=negative) for model, table in systems.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=list(SCHEMES)).sort_values(
        "micro", ascending=False
    )


def named(table: pd.DataFrame) -> pd.DataFrame:
    """A table of systems with the names of people, in per cent."""
    return (100 * table).rename(index=system_title).round(2)


def system_intervals(systems: Systems, replicates: int, seed: int) -> pd.DataFrame:
    """F1 of every system under every scheme with its 95 % bootstrap interval.

    Returns columns scheme, value, low, high, dataset, model. The classes are those of the original test set;
    one generator goes through all.
    """
    rng, found = np.random.default_rng(seed), []
    for dataset, models in systems.items():
        for model, table in models.items():

            def statistic(t: Confusion, table: Confusion = table, dataset: str = dataset) -> np.ndarray:
                return averages(t, classes_of=table, negative=NEGATIVES[dataset])

            ends = bootstrap_intervals(table, statistic, rng, replicates)
            rows = pd.DataFrame({"scheme": SCHEMES, "value": ends.value, "low": ends.low, "high": ends.high})
            found.append(rows.assign(dataset=dataset, model=model))
    return pd.concat(found)


def best_intervals(everything: pd.DataFrame, best: Sequence[str]) -> pd.DataFrame:
    """The intervals of some TACRED systems, per cent, in this order."""
    rows = everything[everything["dataset"] == "tacred"].set_index("model").loc[list(best)].reset_index()
    ends = {column: 100 * rows[column] for column in ("value", "low", "high")}
    return rows.assign(model=rows["model"].map(system_title), **ends)


def mean_widths(intervals: pd.DataFrame) -> pd.DataFrame:
    """The mean width of the intervals under each scheme, in points, and as a multiple of micro's.

    >>> rows = [{"scheme": "micro", "low": 70, "high": 72}, {"scheme": "macro", "low": 50, "high": 53}]
    >>> mean_widths(pd.DataFrame(rows))["times micro's"].tolist()
    [1.0, 1.5]
    """
    width = (intervals["high"] - intervals["low"]).groupby(intervals["scheme"], sort=False).mean()
    return pd.DataFrame(
        {"mean width of the 95 % interval (points)": width, "times micro's": width / width["micro"]}
    )


def paired_test(
    run: Run, replicates: int, seed: int, statistic: Callable[[Confusion], np.ndarray] | None = None
) -> pd.DataFrame:
    """The paired bootstrap of a run of two systems: difference, low, high (points) and p, a row a scheme.

    statistic : what is compared, in place of F1 under the five schemes.
    """
    pair: PairedOutcomes = run.outcome()

    def five(table: Confusion) -> np.ndarray:
        return averages(table, classes_of=pair.original, negative=run.negative)

    test = paired_bootstrap(pair, statistic or five, np.random.default_rng(seed), replicates)
    points = {name: 100 * np.atleast_1d(getattr(test, name)) for name in ("difference", "low", "high")}
    index = [run.model] if statistic else list(SCHEMES)
    return pd.DataFrame(points | {"p": np.atleast_1d(test.p)}, index=index)


def ranking_agreement(scores: pd.DataFrame) -> pd.DataFrame:
    """Kendall's τ between the rankings of the systems under each two schemes."""
    return pd.DataFrame(rank_agreement(scores), index=list(scores), columns=list(scores))


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
    systems: Mapping[str, Confusion], changed: Sequence[tuple[str, str]], negative: str
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


def crossing_explorer(systems: Mapping[str, Confusion], negative: str) -> Any:
    """A widget: choose two systems and see their curves over α, and where they cross.

    Needs ipywidgets (an extra of the notebooks) and a running kernel.
    """

    import ipywidgets as widgets
    from IPython.display import display

    from ..reporting.figures import alpha_spectrum_chart

    options = [(system_title(model), model) for model in systems]
    first = widgets.Dropdown(options=options, index=0, description="first")
    second = widgets.Dropdown(options=options, index=1, description="second")
    shown = widgets.Output()

    def draw(_: object = None) -> None:
        curves, crossings = crossing_pair(systems, [(first.value, second.value)], negative)
        title = f"{len(crossings)} crossing{'s'[: len(crossings) != 1]}"
        with shown:
            shown.clear_output(wait=True)
            display(alpha_spectrum_chart(curves, crossings, title))

    for control in (first, second):
        control.observe(draw, names="value")
    draw()
    return widgets.VBox([first, second, shown])


def ranking_stability(original: pd.DataFrame, revised: pd.DataFrame, drawn: np.ndarray) -> pd.DataFrame:
    """Agreement (τ) of the ranking with that on revised labels, and with rankings on redrawn test sets: the
    middle of the draws and their 95 % range.

    drawn : (draws, schemes), from `redrawn_rankings`.
    """
    alike = [float(rank_agreement(pd.DataFrame({"a": original[s], "b": revised[s]}))[0, 1]) for s in SCHEMES]
    low, middle, high = np.percentile(drawn, [2.5, 50, 97.5], axis=0)
    columns = {"original and revised: τ": alike, "original and redrawn: median τ": middle}
    return pd.DataFrame(columns | {"from": low, "to": high}, index=list(SCHEMES))


def redrawn_rankings(
    systems: Mapping[str, Confusion], order: Sequence[str], seed: int, draws: int = 200
) -> np.ndarray:
    """τ between the ranking of TACRED systems and that on redrawn test sets, (draws, schemes)."""
    tables = [systems[model] for model in order]
    return resampled_agreement(tables, np.random.default_rng(seed), draws, negative=NEGATIVES["tacred"])


def left_out(table: Confusion, negative: str) -> pd.DataFrame:
    """By how many points macro-F1 changes without each class: relation, support, f1 (per cent), change.

    >>> left_out(Confusion.from_arrays(list("aab"), list("aaa")), None)["change"].round(1).tolist()
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


def extreme_changes(changes: pd.DataFrame, each: int = 8) -> pd.DataFrame:
    """The classes without which the score rises most, and those without which it falls most."""
    ordered = changes.sort_values("change", ascending=False)
    return pd.concat([ordered.head(each), ordered.tail(each)])


def semeval_table(systems: Mapping[str, Confusion]) -> pd.DataFrame:
    """The official macro-F1 in its three readings, the five schemes, and F1 of the class of one sentence."""
    rare = "Entity-Destination(e2,e1)"
    rows = {}
    for model, table in systems.items():
        official = {reading: scores["macro"] for reading, scores in official_scores(table).items()}
        five = dict(zip(SCHEMES, averages(table, negative="Other"), strict=True))
        f1 = evaluate(table, negative="Other").per_class[rare]["f1"]
        rows[model] = official | five | {f"F1 of {rare}": f1}
    return 100 * pd.DataFrame.from_dict(rows, orient="index")


def official_intervals(systems: Mapping[str, Confusion], replicates: int, seed: int) -> pd.DataFrame:
    """The official macro-F1 of each system with its 95 % bootstrap interval, per cent."""
    rng = np.random.default_rng(seed)
    found = {m: bootstrap_intervals(t, official_macro, rng, replicates) for m, t in systems.items()}
    rows = {model: [100 * one.value, 100 * one.low, 100 * one.high] for model, one in found.items()}
    return pd.DataFrame.from_dict(rows, orient="index", columns=["official macro-F1", "low", "high"])


def moved_most(systems: Mapping[str, Confusion], most: int = 4) -> pd.DataFrame:
    """By how many points macro-F1 of SemEval systems changes without a class; the largest changes first."""
    moved = pd.DataFrame(
        {m: left_out(t, "Other").set_index("relation")["change"] for m, t in systems.items()}
    )
    order = moved.abs().max(axis=1).sort_values(ascending=False).index
    return moved.loc[order[:most]]


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
