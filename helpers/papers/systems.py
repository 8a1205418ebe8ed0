"""Published systems of TACRED and SemEval under the weighting schemes, from stored outcomes; and how many
test samples a difference of one point needs.

`Systems` is data set → model → outcome. Scores are fractions unless per cent is said. `python -m
helpers.papers.systems` writes `results/tables/plan.csv` anew (some minutes).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product

import numpy as np
import pandas as pd

from .. import RESULTS, metrics
from ..core import write_atomically
from ..data import find_dataset
from ..evaluation import changed_answers, plan_samples, system_title
from ..reporting import TABLES_FOLDER
from ..runs import Run, list_published, load_run

NEGATIVES = {"tacred": "no_relation", "tacred-revised": "no_relation", "semeval2010": "Other"}
PUBLISHED = {"spanbert_tacred": "70.8", "knowbert_wordnet_wiki_tacred": "71.5"}
"""System → its published micro-F1 on TACRED, per cent."""
Systems = Mapping[str, Mapping[str, metrics.Outcome]]
PLANNED = {
    "semeval2010": "semeval2010/EM-ES/all-MiniLM-L6-v2/seed-9.json",
    "tacred": "tacred/spanbert_tacred/published/predictions.json",
    "kbp37": "kbp37/EM-ES/all-MiniLM-L6-v2/seed-9.json",
}
"""Data set → the stored run of the system that a better one is planned beside."""
DIFFERENCE, CHANGED = 0.01, 0.1
"""The better system leads by one point, and changes a tenth of the answers."""


def published_runs() -> dict[tuple[str, str], Run]:
    """(data set, model) → stored run of published predictions; a pair of systems is called 'first+second'.

    >>> len(published_runs())
    114
    """
    runs = [run for dataset in NEGATIVES for run in list_published(dataset)]
    return {(run.dataset, run.model): run for run in runs if not run.variant}  # one implementation each


def published_systems(runs: Mapping[tuple[str, str], Run]) -> dict[str, dict[str, metrics.Outcome]]:
    """Data set → system → its outcome, pairs left out.

    >>> {name: len(found) for name, found in published_systems(published_runs()).items()}
    {'tacred': 52, 'tacred-revised': 52, 'semeval2010': 3}
    """
    systems: dict[str, dict[str, metrics.Outcome]] = {name: {} for name in NEGATIVES}
    for (dataset, model), run in runs.items():
        if "+" not in model:
            systems[dataset][model] = run.outcome()
    return systems


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

    drawn = statistic or five, np.random.default_rng(seed), replicates
    test = metrics.paired_bootstrap(pair, pair.of("second"), *drawn)
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
        outcomes = [systems[model] for model in pair]
        if crossings := metrics.alpha_crossings(*outcomes, negative=negative):
            break
    values = [metrics.alpha_spectrum(outcome, negative=negative) for outcome in outcomes]
    wide = pd.DataFrame(dict(zip(map(system_title, pair), values, strict=True)))
    wide.insert(0, "alpha", metrics.ALPHAS)
    curves = wide.melt("alpha", var_name="model")[["model", "alpha", "value"]]
    return curves.assign(value=100 * curves["value"]), crossings


def left_out(table: metrics.Outcome, negative: str) -> pd.DataFrame:
    """By how many points macro-F1 changes without each class: relation, support, f1 (per cent), change.

    >>> left_out(metrics.Outcome.from_columns(list("aab"), list("aaa")), None)["change"].round(1).tolist()
    [-40.0, 40.0]
    """
    whole = metrics.average(table, "macro", negative=negative)
    without = pd.Series(metrics.leave_one_class_out(table, "macro", negative=negative))
    classes = pd.DataFrame(metrics.evaluate(table, negative=negative).per_class).T.loc[without.index]
    rows = classes[["support", "f1"]].astype({"support": int, "f1": float}).rename_axis("relation")
    return rows.assign(f1=100 * rows["f1"], change=100 * (without - whole)).reset_index()


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


def _plan_rows(dataset: str, scheme: str) -> pd.DataFrame:
    """The sizes that were tried, a row each: `n`, `power`, `error`; with `test_n`, `needed`, `discordant`.

    `needed` has a power of 80 % (`plan_samples`); `test_n` is the size of the test set that there is.
    """
    run = load_run(RESULTS / "runs" / PLANNED[dataset])
    outcome, labels = run.outcome(), np.array(run.outcome().labels)
    roles = (outcome.roles[role] for role in ("gold", "predicted"))
    answered = metrics.Outcome.from_columns(
        *(labels[np.repeat(codes, outcome.counts)].tolist() for codes in roles)
    )
    population = changed_answers(answered, scheme, DIFFERENCE, CHANGED, run.negative)
    plan = plan_samples(population, scheme, negative=run.negative)
    rows = pd.DataFrame(plan.rows, columns=["n", "power", "error"])
    head = {"dataset": dataset, "model": run.model, "scheme": scheme, "test_n": run.n, "needed": plan.needed}
    return rows.assign(**head, discordant=plan.discordant)[[*head, "discordant", *rows]]


def samples_needed() -> pd.DataFrame:
    """The stored samples that one point needs: index corpus and size of its test set, a column a scheme.

    >>> samples_needed().columns.tolist()
    ['accuracy', 'micro', 'weighted', 'dodrans', 'macro']
    """
    rows = pd.read_csv(TABLES_FOLDER / "plan.csv").drop_duplicates(["dataset", "scheme"])
    table = rows.pivot(index=["dataset", "test_n"], columns="scheme", values="needed").loc[list(PLANNED)]
    table = table[["accuracy", "micro", "weighted", "dodrans", "macro"]].rename_axis(columns=None)
    titles = {name: find_dataset(name).title for name in PLANNED}
    return table.rename(index=titles, level=0).rename_axis(["corpus", "test set"])


if __name__ == "__main__":
    pairs = product(PLANNED, ("micro", "weighted", "dodrans", "macro", "accuracy"))
    table = pd.concat([_plan_rows(*pair) for pair in pairs])
    write_atomically(TABLES_FOLDER / "plan.csv", table.to_csv(index=False, float_format="%.6g"))
