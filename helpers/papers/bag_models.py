"""Paper D on GIDS: our trained models beside the published systems, and its findings on them.

Ours are trained on the development part of GIDS (1,082 pairs), the published systems on its training part,
which is not at hand: levels are not comparable, only what differs among ours.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from ..data import fingerprint, read_corpus, shared_pairs
from ..experiments import agreement, stored_draws
from ..metrics import (
    PRECISION_AT,
    RULES,
    averages,
    fact_scores,
    holm,
)
from ..reporting import TABLES_FOLDER, cells, mean_sd, mixed_runs, per_seed
from ..runs import RUNS_FOLDER, Run, list_runs
from .distant import list_scores, published_lists, ranking_of, system_name
from .findings import LEAST_RUNS, verdict

MEASURES = ("auc", "average_precision", "micro_f1", "macro_f1", *(f"P@{n}" for n in PRECISION_AT))


def bag_runs(dataset: str = "gids", folder: Path | str = RUNS_FOLDER) -> list[Run]:
    """The stored runs of models that were trained here, by name and seed.

    >>> bag_runs(folder="no-such-folder")
    []
    """
    runs = list_runs(dataset, kind="facts", profile="standard", folder=folder)
    return sorted(runs, key=lambda run: (system_name(run), run.seed or 0))


def bag_scores(runs: Sequence[Run]) -> pd.DataFrame:
    """`MEASURES` and the F1 of each relation, a row for each run: system, seed, seconds, steps (optimiser
    steps of an epoch, nan where nothing is trained in epochs), then the scores."""
    rows = []
    mixed_runs(runs, system_name)
    for run in runs:
        ranking = ranking_of(run)
        found = fact_scores(ranking)
        counts = ranking.counts_until(ranking.best_f1()[1])
        single = 2 * counts.correct / np.maximum(counts.gold + counts.predicted, 1)
        row: dict[str, Any] = {"system": system_name(run), "seed": run.seed, "seconds": run.wall_seconds}
        row["steps"] = _steps(run)
        row |= {name: found[name] for name in MEASURES if name in found}
        row["macro_f1"] = float(averages(counts, ["macro"])[0])
        rows.append(row | dict(zip(map(str, counts.labels), single.tolist(), strict=True)))
    return pd.DataFrame(rows)


def _steps(run: Run) -> float:
    """Optimiser steps of an epoch: batches of sentences, or of bags."""
    settings = run.hyperparameters | run.options
    if "batch_size" not in settings or "training_bags" not in settings:
        return np.nan
    examples = settings["training_bags"]
    if settings.get("training") == "sentence":
        counts = pd.read_csv(TABLES_FOLDER / "16_fingerprint.csv", index_col="count")
        examples = int(float(counts.loc["sentences", "train"]))
    return float(np.ceil(examples / settings["batch_size"]))


def mean_over_seeds(
    scores: pd.DataFrame, measures: Sequence[str] = ("auc", "micro_f1", "macro_f1")
) -> pd.DataFrame:
    """Mean and SD (ddof 1) over seeds, in per cent: index system, columns runs, seconds, 'auc', 'auc SD', …

    >>> scores = pd.DataFrame({"system": ["a", "a"], "auc": [0.5, 0.6], "seconds": [1.0, 3.0]})
    >>> mean_over_seeds(scores, ["auc"]).round(2).values.tolist()
    [[2.0, 2.0, 55.0, 7.07]]
    """
    groups = scores.groupby("system", sort=False)
    table = pd.DataFrame({"runs": groups.size(), "seconds": groups["seconds"].mean()})
    for measure in measures:
        table[measure] = 100 * groups[measure].mean()
        table[f"{measure} SD"] = 100 * groups[measure].std(ddof=1)
    return table.sort_values(measures[0], ascending=False)


def bag_rows(scores: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows of a tidy table: each measure of each run, and the mean over seeds."""
    rows = []
    for system, part in scores.groupby("system", sort=False):
        head = {"paper": "D", "item": "GIDS, trained here", "dataset": "gids", "model": system}
        for measure in MEASURES:
            area = {"auc": "|area:points", "average_precision": "|area:step"}.get(measure, "")
            made = f"facts|level:bag{area}|recall:all|n:12988|facts:2448|v:{RULES}"
            values = part[measure].to_numpy()
            for seed, value in zip(part["seed"], values, strict=True):
                name = "all" if pd.isna(seed) else f"seed-{int(seed)}"
                rows.append(
                    head | {"seed_or_agg": name, "metric": measure, "value": value, "signature": made}
                )
            if len(values) > 1:
                mean = {"seed_or_agg": "mean", "metric": measure, "value": values.mean(), "signature": made}
                rows.append(head | mean)
    return rows


_ON_BAGS = "PCNN+bag+{} PCNN+bag+ATT", "BERT-entity+bag+{} BERT-entity+bag+ATT"
_WAYS = ("sent+AVG", "sent+ONE", "bag+AVG", "bag+ONE", "bag+ATT")
_FINDINGS = (
    ("Table 4", "bag-level training helps PCNN", "auc", "PCNN+sent+AVG PCNN+bag+AVG", True),
    *(
        ("Table 4", "ATT is PCNN's best strategy", "auc", _ON_BAGS[0].format(one), True)
        for one in ("AVG", "ONE")
    ),
    (
        "Table 4",
        "bag-level training does not help BERT",
        "auc",
        "BERT-entity+sent+AVG BERT-entity+bag+AVG",
        False,
    ),
    *(
        ("Table 4", "ATT is BERT's worst strategy", "auc", _ON_BAGS[1].format(one), False)
        for one in ("AVG", "ONE")
    ),
    ("Table 4", "BERT is ahead of PCNN", "auc", "PCNN+sent+AVG BERT-entity+sent+AVG", True),
    ("Table 4", "BERT on sentences is ahead of RESIDE", "auc", "RESIDE BERT-entity+sent+AVG", True),
    *(
        ("Figure 4", finding, measure, f"BERT-entity+{way} BERT-entity-masked+{way}", rises)
        for finding, measure, rises in (
            ("masked entities are ahead among the first facts", "P@100", True),
            ("masked entities are behind over all facts", "auc", False),
        )
        for way in _WAYS
    ),
)
"""Table or figure of D, finding, measure, two systems, whether the measure rises."""


def bag_findings(scores: pd.DataFrame) -> pd.DataFrame:
    """Findings of paper D on our runs on GIDS, under the rule of `verdict`; a family is a table or figure.

    Returns columns family, finding, label ('auc, A → B'), difference (B − A, points) with its 95 % interval
    low and high (Welch's), p and p_holm (nan below `LEAST_RUNS` runs: no verdict), runs, steps (optimiser
    steps of an epoch, of both: where they differ the amount of training does, too), verdict; a finding whose
    systems have fewer than two runs each is left out.
    """
    rows = []
    steps = scores.groupby("system")["steps"].mean()
    for item, finding, measure, systems, rises in _FINDINGS:
        names = systems.split()
        first, second = (scores.loc[scores["system"] == name, measure].to_numpy() for name in names)
        fewest = min(len(first), len(second))
        if fewest < 2:
            continue
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):  # equal scores: nan
            found = ttest_ind(second, first, equal_var=False)
            low, high = (100 * end for end in found.confidence_interval())
        row = {
            "family": f"D, {item}, on GIDS",
            "finding": finding,
            "label": f"{measure}, {' → '.join(names)}",
        }
        row |= {"difference": 100 * (second.mean() - first.mean()), "low": low, "high": high}
        row |= {"p": found.pvalue if fewest >= LEAST_RUNS else np.nan, "runs": fewest, "rises": rises}
        rows.append(row | {"steps": ", ".join(f"{steps[one]:.0f}" for one in names if steps[one] >= 0)})
    table = pd.DataFrame(
        rows,
        columns=["family", "finding", "label", "difference", "low", "high", "p", "runs", "rises", "steps"],
    )
    corrected = table.groupby("family")["p"].transform(lambda p: np.array(holm(p), dtype=float))
    table.insert(7, "p_holm", corrected)
    decided = map(verdict, table.pop("rises"), table["difference"], table["p_holm"], table["runs"])
    return table.assign(verdict=list(decided))


def relation_f1(scores: pd.DataFrame, systems: Sequence[str], facts: Mapping[str, int]) -> pd.DataFrame:
    """F1 of each relation, mean over seeds, in per cent: columns relation, facts, system, value."""
    part = scores[scores["system"].isin(systems)]
    means = 100 * part.groupby("system")[list(facts)].mean()
    rows = means.reindex(systems).rename_axis("system").reset_index()
    rows = rows.melt("system", var_name="relation", value_name="value")
    return rows.assign(
        facts=rows["relation"].map(facts), relation=rows["relation"].str.rsplit("/", n=1).str[-1]
    )


def bag_fingerprint(dataset: str = "gids") -> pd.DataFrame:
    """What is counted of a corpus before anything is scored: count, a column for each part, shared_pairs.

    Raises MissingData where the corpus is not here.
    """
    parts = read_corpus(dataset)
    counted = pd.DataFrame({name: asdict(fingerprint(part)) for name, part in parts.items()})
    counted = counted.drop(index="notes").assign(shared_pairs=len(shared_pairs(*parts.values())))
    return counted.rename_axis("count").reset_index()


SHOWN_SYSTEMS = ("TF-IDF-EM", "BERT-entity+sent+AVG", "BERT-entity-masked+sent+AVG", "PCNN+sent+AVG")
SHOWN_SYSTEMS += ("PCNN+bag+ATT", "BGWA")
"""Six of the systems for figures that are to stay readable."""


NOISY_SYSTEMS = ("TF-IDF-EM", "PCNN+bag+ATT", "CNN+sent+AVG")
"""Three of the nine systems of the experiment, for curves that are to stay readable."""


def noise_table(found: pd.DataFrame) -> pd.DataFrame:
    """`agreement` over the draws of each strength: draws, tau and its SD, best_found (share), loss.

    >>> found = pd.DataFrame({"strength": 1.0, "tau": [1.0, 0.5], "best_kept": [True, False], "loss": 0.0})
    >>> noise_table(found)[["draws", "tau", "best_found"]].values.tolist()
    [[2.0, 0.75, 0.5]]
    """
    return found.groupby("strength").agg(
        draws=("tau", "size"),
        tau=("tau", "mean"),
        sd=("tau", "std"),
        best_found=("best_kept", "mean"),
        loss=("loss", "mean"),
    )


def gids_table(folder: Path | str = RUNS_FOLDER) -> pd.DataFrame:
    """Systems on the test part of GIDS: the published lists, then ours, mean ± SD over seeds, in per cent."""
    names = {"auc": "AUC", "micro_f1": "best F1"}
    theirs = list_scores(published_lists("gids", folder)).assign(runs="")
    theirs["system"] += " (published)"
    theirs[list(names)] = (100 * theirs[list(names)]).map("{:.1f}".format)
    runs = bag_scores(bag_runs(folder=folder))
    ours = cells(runs.melt("system", list(names), "score"), "system", 1)
    order = runs.groupby("system")["auc"].mean().sort_values(ascending=False).index
    ours = ours.loc[order].reset_index().assign(facts=2448)
    both = pd.concat([theirs, ours]).rename(columns=names)
    return both[["system", "facts", "AUC", "best F1", "runs"]]


def noise_shares() -> pd.DataFrame:
    """How far held-out and clean ranking agree, by strength of the noise, as text."""
    draws = agreement(stored_draws()).groupby("strength")
    tau, per_cent = draws["tau"], (100 * draws[["best_kept", "loss"]].mean())
    columns = {
        "noise, share of the paper's rates": [f"{100 * strength:.0f} %" for strength in draws.groups],
        "draws": draws.size(),
        "Kendall's τ, mean ± SD": tau.agg(lambda values: mean_sd(values, 2)),
        "best system found": per_cent["best_kept"].map("{:.0f} %".format),
        "AUC lost by the choice": per_cent["loss"].map("{:.1f}".format),
    }
    return pd.DataFrame(columns)


def wiki80_table(folder: Path | str = RUNS_FOLDER) -> pd.DataFrame:
    """BERT-entity on single sentences of Wiki80: epochs, runs, accuracy, macro-F1; per cent, mean ± SD.

    Trained on 49 sentences of each of 80 relations, tested on the development part; no class is negative.

    >>> wiki80_table("no-such-folder").columns.tolist()
    ['epochs', 'runs', 'accuracy', 'macro-F1']
    """

    def both(run: Run) -> dict[str, float]:
        return dict(zip(("accuracy", "macro-F1"), averages(run.outcome(), ["micro", "macro"]), strict=True))

    runs = list_runs("wiki80", kind="confusion", profile="standard", folder=folder)
    scores = per_seed(runs, both, lambda run: run.hyperparameters["epochs"])
    table = cells(scores, "model", 1).sort_index().reset_index(names="epochs")
    return table.reindex(columns=["epochs", "runs", "accuracy", "macro-F1"])


def first_runs(runs: Sequence[Run], systems: Sequence[str] = SHOWN_SYSTEMS, seed: int = 9) -> dict[str, Run]:
    """The run of each of these systems with this seed, or without any, by name; those that are not there are
    left out."""
    found = {system_name(run): run for run in runs if run.seed in (seed, None)}
    return {name: found[name] for name in systems if name in found}


def protocol_curves(curves: pd.DataFrame, systems: Sequence[str] = NOISY_SYSTEMS) -> pd.DataFrame:
    """Curves of `draw_curves` as their figure takes them, in per cent, a panel for each protocol.

    Up to a recall of 90 %: these lists hold every pair and relation, so at their ends all of them meet.

    >>> curves = pd.DataFrame({"system": ["a", "b"], "protocol": "manual", "recall": 0.5, "precision": 0.25})
    >>> protocol_curves(curves, ["b"]).values.tolist()
    [['by the clean labels (manual)', 'b', 50.0, 25.0]]
    """
    titles = {"held-out": "by the distorted labels (held-out)", "manual": "by the clean labels (manual)"}
    found = curves[curves["system"].isin(systems) & (curves["recall"] <= 0.9)]
    found = found.assign(panel=found["protocol"].map(titles))
    found[["recall", "precision"]] *= 100
    return found[["panel", "system", "recall", "precision"]]
