"""Paper R (Lyu et al. 2021), relation direction recognition: its Tables II–VI from our own runs.

Notebook 06 writes `direction_rows` to `results/tables`; from that file `direction_table` makes what a reader
wants to see.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .. import reporting
from ..metrics import RULES, paired_breakdown
from ..runs import Run

A = reporting.DIRECTION[0]
NAMES = dict(zip(reporting.DIRECTION, ("A", "B", "PD", "PIR", "PPR"), strict=True))
ALIKE = ("per:spouse", "per:alternate_names", "org:alternate_names", "org:members", "org:subsidiaries")
"""Relations of KBP37 between two persons, or two organisations."""
KINDS = {"right_original": "right on A", "right_both": "right on both"}
"""Columns of `paired_breakdown` that the figures show, the larger one first."""


def _printed() -> pd.DataFrame:
    """Tables II–VI, with `name`, the model without its size, and `size`: 'base', 'large' or missing."""
    printed = reporting.load_published("R").query("item.str.startswith('Table') and metric in @NAMES")
    return printed.join(printed["model"].str.extract(r"^(?P<name>.+?)(?: \((?P<size>base|large)\))?$"))


def direction_rows(runs: Sequence[Run], intervals: pd.DataFrame, made: str = "") -> pd.DataFrame:
    """Tidy rows of A, B, PD, PIR and PPR: each run, mean and SD over seeds; arguments as `weighted_rows`.

    `published` is the base model's number where R has one, else the large model's; `published_model` says
    which. An undefined PIR has no row.

    >>> direction_rows([], pd.DataFrame()).empty
    True
    """
    scores = reporting.per_seed(runs, reporting.paired_scores)
    rows = reporting.run_rows(scores, intervals).rename(columns={"score": "metric"})
    rows["scheme"] = np.where(rows["metric"].isin(["pir", "ppr"]), "", "official")
    signatures = {
        run.dataset: f"|performance:official_macro|inverse:e1e2|negative:{run.negative}|n:{run.n}|v:{RULES}"
        for run in runs
    }
    rows["signature"] = rows["metric"] + rows["dataset"].map(signatures)
    rows["signature"] += np.where(rows["low"].notna(), made, "")
    keys = ["dataset", "model", "metric", "scheme"]
    printed = _printed().rename(columns={"model": "published_model", "name": "model", "printed": "published"})
    printed = printed.dropna(subset="size").sort_values("size").drop_duplicates(keys)  # base before large
    rows = rows.merge(printed[[*keys, "published", "published_model", "item"]], "left", keys)
    theirs = ["published", "published_model"]
    rows[theirs] = rows[theirs].where(rows["seed_or_agg"] == "mean", "")
    return reporting.tidy_runs(rows.fillna({"item": "further models"}).assign(paper="R"))


def direction_table(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """R's Tables II–VI, published and ours under each other, as text: per cent, ours mean ± SD over seeds.

    Parameters
    ----------
    rows : what `direction_rows` gives, or `read_tidy` of its file.

    Returns
    -------
    Columns model, encoder, runs, A, B, PD, PIR, PPR: R's numbers by size (single runs; on SemEval only), then
    ours. Models in R's order, then further ones; '–' where nothing is defined.

    >>> direction_table(direction_rows([], pd.DataFrame())).query("model == 'EM-C'")["PPR"].tolist()
    ['3.27', '12.95']
    """
    printed = _printed().query("dataset == @dataset").rename(columns={"name": "model", "model": "row"})
    printed["encoder"] = ("BERT " + printed["size"] + ", published").fillna("published")
    theirs = printed.pivot(index=["row", "model", "encoder"], columns="metric", values="printed")
    theirs = theirs.reset_index().set_index("row").loc[printed.loc[printed["metric"] == "ppr", "row"]]
    means = rows[(rows["dataset"] == dataset) & (rows["seed_or_agg"] == "mean")].groupby("model", sort=False)
    ours = reporting.mean_sd_texts(rows, dataset, 2).droplevel("scheme", axis=1)
    ours["encoder"] = means["encoder"].first().replace("", "none").astype(str) + ", ours"
    ours["runs"] = means["runs"].agg(lambda runs: str(runs.astype(int).max()))
    table = pd.concat([theirs.assign(runs="1"), ours.rename_axis("model").reset_index()])
    order = list(dict.fromkeys([*theirs["model"], *means.groups]))
    table = table.sort_values("model", key=lambda model: model.map(order.index), kind="stable")
    table = table.reindex(columns=["model", "encoder", "runs", *reporting.DIRECTION]).fillna("–")
    return table.rename(columns=NAMES).reset_index(drop=True)


def table_6_markdown() -> str:
    """R's Table VI in full, its quoted systems (†) included, beside our runs of the same name.

    The quoted ones have A only. FileNotFoundError without the tables of notebooks 06 and 17.

    >>> table_6_markdown().splitlines()[2]
    '| SVM † | 82.2 | – | 65.36 | 0.00 |'
    """
    files = (reporting.TABLES_FOLDER / f"{name}.csv" for name in ("06_direction", "17_graphs"))
    rows = pd.concat(map(reporting.read_tidy, files), ignore_index=True)
    printed = _printed().query("item == 'Table VI'")
    is_quoted = printed["note"].str.startswith("†").groupby(printed["model"]).transform("any")
    printed = printed.assign(model=printed["model"].mask(is_quoted, printed["model"] + " †"))
    table = printed.pivot_table("printed", ["model", "name"], "metric", "first", sort=False)[[A, "ppr"]]
    ours = reporting.mean_sd_texts(rows, "semeval2010", 2)[[(A, "official"), ("ppr", "")]]
    table[["A, ours", "PPR, ours"]] = ours.reindex(table.index.get_level_values("name")).to_numpy()
    table = table.rename(columns={A: "A, R", "ppr": "PPR, R"}).fillna("–")
    return reporting.to_markdown(table.droplevel("name").rename_axis(columns=None).reset_index())


def our_means(rows: pd.DataFrame, dataset: str = "semeval2010", kind: str = "mean") -> pd.DataFrame:
    """A, B, PD, PIR and PPR of each model of `direction_rows`, per cent; `kind` 'mean' or 'sd' over seeds."""
    own = rows[(rows["dataset"] == dataset) & (rows["seed_or_agg"] == kind)]
    wide = 100 * own.pivot(index="model", columns="metric", values="value")
    return wide.reindex(columns=list(NAMES)).rename(columns=NAMES).rename_axis(columns=None)


def rate_rows(rows: pd.DataFrame) -> pd.DataFrame:
    """PIR and PPR for `forest_chart`: each run, means with SD and interval, and what is printed, per cent.

    Columns model, source, metric, kind ('run' or 'mean'), value, sd, low, high; models by their largest PPR.
    A rate that is undefined in every run has a row without a value.
    """
    rates = ["pir", "ppr"]
    own = rows[(rows["dataset"] == "semeval2010") & rows["metric"].isin(rates)].set_index(["model", "metric"])
    own[["value", "low", "high"]] *= 100
    kind = own["seed_or_agg"].str.partition("-")[0]
    every = pd.MultiIndex.from_product([own.index.unique("model"), rates], names=own.index.names)
    means = own[kind == "mean"].reindex(every).assign(kind="mean", sd=own.loc[kind == "sd", "value"])
    ours = pd.concat([means, own[kind == "seed"].assign(kind="run")]).reset_index().assign(source="ours")
    theirs = _printed().query("metric in @rates").assign(kind="mean")
    theirs["source"], theirs["model"] = "published, " + theirs["size"].fillna("other"), theirs["name"]
    table = pd.concat([ours, theirs], ignore_index=True)
    largest = table[table["metric"] == "ppr"].groupby("model")["value"].max().sort_values()
    table = table.sort_values(["model", "source", "metric", "kind"], kind="stable")
    table = table.sort_values("model", key=lambda model: model.map(largest.index.get_loc), kind="stable")
    return table[["model", "source", "metric", "kind", "value", "sd", "low", "high"]].reset_index(drop=True)


def breakdown_table(runs: Sequence[Run], models: Sequence[str], alike: Sequence[str] = ()) -> pd.DataFrame:
    """`KINDS` of `paired_breakdown` of each relation, per cent, mean over the runs of each model, for
    `dumbbell_chart`: relations that lose least first, or those of `alike` before the others.

    Returns columns model, relation, n, those of `KINDS`, and, with `alike`, group.
    """
    tables = []
    for model in models:
        own = [paired_breakdown(run.outcome()) for run in runs if run.name == model]
        mean = sum(pd.DataFrame.from_dict(parts, orient="index") for parts in own) / len(own)
        tables.append(mean[["n", *KINDS]].rename_axis("relation").reset_index().assign(model=model))
    table = pd.concat(tables, ignore_index=True)[["model", "relation", "n", *KINDS]]
    table[list(KINDS)] *= 100
    table["group"] = table["relation"].isin(alike).map({True: "one kind", False: "two kinds"})
    lost = -table.groupby("relation")["right_both"].transform("mean")
    order = table.assign(lost=lost, rank=table["model"].map(list(models).index))
    table = table.loc[order.sort_values(["rank", "group", "lost"], kind="stable").index]
    return (table if alike else table.drop(columns="group")).reset_index(drop=True)
