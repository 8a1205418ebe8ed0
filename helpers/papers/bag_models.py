"""Paper D on GIDS: our trained models beside the published systems, and its findings on them.

Ours are trained on the development part of GIDS (1,082 pairs), the published systems on its training part,
which is not at hand: levels are not comparable, only what differs among ours.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import ttest_ind

from ..experiments import PROTOCOLS, agreement, stored_draws
from ..metrics import PRECISION_AT, averages, fact_scores
from ..reporting import TABLES_FOLDER, cells, mean_sd, mixed_runs, per_seed
from ..runs import Run, list_runs
from .distant import list_scores, published_lists, ranking_of, relation_scores, system_name
from .findings import LEAST_RUNS, holm_within, read_findings, verdict

HELD_OUT, MANUAL = PROTOCOLS
MEASURES = ("auc", "average_precision", "micro_f1", "macro_f1", *(f"P@{n}" for n in PRECISION_AT))


def bag_runs(dataset: str = "gids") -> list[Run]:
    """The stored runs of models that were trained here, by name and seed.

    >>> system_name(bag_runs()[0])
    'BERT-entity+bag+ATT'
    """
    runs = list_runs(dataset, kind="facts", profile="standard")
    return sorted(runs, key=lambda run: (system_name(run), run.seed or 0))


def bag_scores(runs: Sequence[Run]) -> pd.DataFrame:
    """`MEASURES` and the F1 of each relation, a row for each run: system, seed, seconds, steps (optimiser
    steps, nan where nothing is trained in epochs), then the scores."""
    rows = []
    mixed_runs(runs, system_name)
    for run in runs:
        ranking = ranking_of(run)
        measured, single = fact_scores(ranking), relation_scores(ranking, ["macro"])
        row: dict[str, Any] = {"system": system_name(run), "seed": run.seed, "seconds": run.wall_seconds}
        row |= {"steps": _steps(run)} | {name: measured[name] for name in MEASURES if name in measured}
        rows.append(row | {"macro_f1": single.pop("macro")} | single)
    return pd.DataFrame(rows)


def _steps(run: Run) -> float:
    """Optimiser steps of the training: batches of sentences, or of bags, in all epochs."""
    settings = run.hyperparameters | run.options
    if "batch_size" not in settings or "training_bags" not in settings:
        return np.nan
    examples = settings["training_bags"]
    if settings.get("training") == "sentence":
        counts = pd.read_csv(TABLES_FOLDER / "16_fingerprint.csv", index_col="count")
        examples = int(float(counts.loc["sentences", "train"]))
    return float(settings["epochs"] * np.ceil(examples / settings["batch_size"]))


def bag_findings(scores: pd.DataFrame) -> pd.DataFrame:
    """Findings of paper D on our runs on GIDS, under the rule of `verdict`; a family is a table or figure.

    Returns columns family, finding, label ('auc, A → B'), difference (B − A, points) with its 95 % interval
    low and high (Welch's), p and p_holm (nan below `LEAST_RUNS` runs: no verdict), runs, steps (optimiser
    steps of both: where they differ the amount of training does, too), verdict; a finding whose systems have
    fewer than two runs each is left out.
    """
    rows = []
    steps = scores.groupby("system")["steps"].mean()
    for order in read_findings("D").itertuples():
        names = (order.first, order.second)
        first, second = (100 * scores.loc[scores["system"] == name, order.score].to_numpy() for name in names)
        if (fewest := min(len(first), len(second))) < 2:
            continue
        with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):  # equal scores: nan
            test = ttest_ind(second, first, equal_var=False)
            low, high = test.confidence_interval()
        row = {"family": order.family, "finding": order.finding, "label": order.label}
        row |= {"difference": second.mean() - first.mean(), "low": low, "high": high}
        row |= {"p": test.pvalue if fewest >= LEAST_RUNS else np.nan, "p_holm": np.nan, "runs": fewest}
        row["steps"] = ", ".join(f"{steps[name]:.0f}" for name in names if steps[name] >= 0)
        rows.append(row | {"rises": order.rises == "yes"})
    table = pd.DataFrame(rows)
    table["p_holm"] = holm_within(table, table["family"])
    decided = map(verdict, table.pop("rises"), table["difference"], table["p_holm"], table["runs"])
    return table.assign(verdict=list(decided))


def equal_steps() -> dict[str, float]:
    """Points of AUC that bags gain PCNN over sentences, with as many epochs ('usual') and steps ('equal').

    >>> bool(equal_steps()["usual"] < 0)
    True
    """
    table = bag_findings(bag_scores(bag_runs())).set_index("label")["difference"]
    pairs = {"usual": "PCNN+bag+AVG", "equal": "PCNN+bag+AVG+epochs-21"}
    return {name: table[f"auc, PCNN+sent+AVG → {system}"] for name, system in pairs.items()}


def gids_table() -> pd.DataFrame:
    """Systems on the test part of GIDS: the published lists, then ours, mean ± SD over seeds, in per cent."""
    names = {"auc": "AUC", "micro_f1": "best F1"}
    theirs = list_scores(published_lists("gids")).assign(runs="")
    theirs["system"] += " (published)"
    theirs[list(names)] = (100 * theirs[list(names)]).map("{:.1f}".format)
    runs = bag_scores(bag_runs())
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


GAPS = (0, 1, 2, 5, 100)
"""Bounds of the differences of clean areas, points, by which pairs of systems are grouped."""


def close_pairs() -> pd.DataFrame:
    """Of pairs of systems, by how far apart their clean areas lie, how many the held-out areas turn, with the
    noise of the paper's rates.

    Returns columns points apart, pairs (of all draws), turned, share.
    """
    apart, turned = [], []
    for _, part in stored_draws().query("strength == 1").groupby("draw"):
        table = part.pivot(index="system", columns="protocol", values="auc")
        for first, second in itertools.combinations(table.index, 2):
            difference = table.loc[first] - table.loc[second]
            apart.append(100 * abs(difference[MANUAL]))
            turned.append(difference[MANUAL] * difference[HELD_OUT] < 0)
    names = [f"{low} to {high}" for low, high in itertools.pairwise(GAPS)]
    groups = pd.cut(pd.Series(apart, dtype=float), GAPS, labels=names).rename("points apart")
    counted = pd.Series(turned, dtype=int).groupby(groups, observed=True).agg(pairs="size", turned="sum")
    counted["share"] = (100 * counted["turned"] / counted["pairs"]).map("{:.0f} %".format)
    return counted.reset_index().astype({"points apart": str})


def sentence_table() -> pd.DataFrame:
    """Systems on GIDS by pair and by single sentence: mean AUC in points, those that have runs of both.

    >>> sentence_table().columns.tolist()
    ['system', 'by pair', 'by sentence']
    """
    datasets = {"by pair": "gids", "by sentence": "gids-sentences"}
    scores = {protocol: bag_scores(bag_runs(dataset)) for protocol, dataset in datasets.items()}
    means = {protocol: 100 * own.groupby("system")["auc"].mean() for protocol, own in scores.items()}
    table = pd.DataFrame(means).dropna().sort_values("by pair", ascending=False)
    return table.map("{:.1f}".format).reset_index()


def wiki80_table() -> pd.DataFrame:
    """BERT-entity and PCNN on single sentences of Wiki80: system with its epochs, runs, accuracy, macro-F1;
    per cent, mean ± SD.

    Trained on 49 sentences of each of 80 relations, tested on the development part; no class is negative.

    >>> wiki80_table().columns.tolist()
    ['system', 'runs', 'accuracy', 'macro-F1']
    """

    def both(run: Run) -> dict[str, float]:
        return dict(zip(("accuracy", "macro-F1"), averages(run.outcome(), ["micro", "macro"]), strict=True))

    runs = list_runs("wiki80", kind="confusion", profile="standard")
    scores = per_seed(runs, both, lambda run: f"{run.model}, {run.hyperparameters['epochs']} epochs")
    table = cells(scores, "model", 1).sort_index().reset_index(names="system")
    return table.reindex(columns=["system", "runs", "accuracy", "macro-F1"])
