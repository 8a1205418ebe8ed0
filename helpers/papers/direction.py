"""Paper R (Lyu et al. 2021), relation direction recognition: its Tables II–VI from our own runs.

Notebook 06 writes `direction_rows` to `results/tables`; from that file `direction_table` makes what a reader
wants to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..metrics import (
    BREAKDOWN,
    RULES,
    Outcome,
    direction_scores,
    inverse_labels,
    official_scores,
    paired_breakdown,
)
from ..models import EMBEDDED
from ..reporting import (
    DIRECTION,
    TABLES_FOLDER,
    epoch_runs,
    load_published,
    mean_sd_text,
    original_table,
    paired_scores,
    per_seed,
    printed_key,
    read_tidy,
    run_numbers,
    run_rows,
    runs_named,
    runs_with,
    tidy_runs,
    to_markdown,
)
from ..runs import RUNS_FOLDER, STUDIES_FOLDER, Run


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
        own = [paired_breakdown(run.outcome()) for run in runs if run.name == model]
        if own:
            mean = sum(pd.DataFrame.from_dict(one, orient="index") for one in own) / len(own)
            mean[list(BREAKDOWN)] *= 100
            tables.append(mean.rename_axis("relation").reset_index().assign(model=model)[tables[0].columns])
    return pd.concat(tables[1:] or tables, ignore_index=True)


def direction_rows(runs: Sequence[Run], intervals: pd.DataFrame, made: str = "") -> pd.DataFrame:
    """Tidy rows of A, B, PD, PIR and PPR: each run, mean and SD over seeds; arguments as `weighted_rows`.

    `published` is the base model's number where R has one, else the large model's; `published_model` says
    which. An undefined PIR has no row.

    >>> direction_rows([], pd.DataFrame()).empty
    True
    """
    scheme = {name: "" if name in ("pir", "ppr") else "official" for name in DIRECTION}
    rows = run_rows(per_seed(runs, paired_scores), intervals, {name: (name, scheme[name]) for name in scheme})
    signatures = {
        run.dataset: f"|performance:official_macro|inverse:e1e2|negative:{run.negative}|n:{run.n}|v:{RULES}"
        for run in runs
    }
    printed = _printed()
    for row in rows:
        row["signature"] = row["metric"] + signatures[row["dataset"]] + (made if "low" in row else "")
        *_, item = printed.get(printed_key(row | {"seed_or_agg": "mean"}), [""])
        row |= {"paper": "R", "item": item or "further models"}
    return tidy_runs(rows, printed)


def _printed() -> dict[tuple[str, ...], tuple[str, str, str]]:
    """Tables II–VI for `tidy_runs`; base before large."""
    printed, found = load_published("R"), {}
    printed = printed[printed["item"].str.startswith("Table")]
    for size in ("(large)", "(base)"):
        for _, row in printed[printed["model"].str.endswith(size)].iterrows():
            name = row["model"].removesuffix(f" {size}")
            key = (row["dataset"], name, row["metric"], row["scheme"], "mean")
            found[key] = (row["printed"], row["model"], row["item"])
    return found


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
    own, ours, lines = rows[rows["dataset"] == dataset], run_numbers(rows, dataset), []
    printed = load_published("R")
    printed = printed[printed["item"].str.startswith("Table") & (printed["dataset"] == dataset)]
    full = printed[printed["metric"] == "ppr"]["model"]
    sizes = [one.partition(" (") for one in full]
    for name in dict.fromkeys([*(plain for plain, *_ in sizes), *own["model"]]):
        for theirs in ("".join(parts) for parts in sizes if parts[0] == name):
            size = theirs.partition(" (")[2].rstrip(")")
            numbers = printed[printed["model"] == theirs].set_index("metric")["printed"]
            encoder = f"BERT {size}, published" if size else "published"
            lines.append([name, encoder, "1", *(numbers[metric] for metric in DIRECTION)])
        found = own[(own["model"] == name) & (own["seed_or_agg"] == "mean")]
        if len(found):
            keys = [(name, metric, "" if metric in ("pir", "ppr") else "official") for metric in DIRECTION]
            encoder, runs = found.iloc[0]["encoder"] or "none", found["runs"].astype(int).max()
            lines.append([name, f"{encoder}, ours", str(runs), *(mean_sd_text(ours, key, 2) for key in keys)])
    return pd.DataFrame(lines, columns=["model", "encoder", "runs", "A", "B", "PD", "PIR", "PPR"])


def direction_markdown(folder: Path | str = TABLES_FOLDER, dataset: str = "semeval2010") -> str:
    """`direction_table` of notebook 06's table, for the README; FileNotFoundError without it."""
    rows = read_tidy(Path(folder) / "06_direction.csv")
    models = list(dict.fromkeys(rows.loc[rows["dataset"] == dataset, "model"]))
    return f"{to_markdown(direction_table(rows, dataset))}\n\n{runs_named(rows, dataset, models)}"


def table_6_markdown(folder: Path | str = TABLES_FOLDER) -> str:
    """R's Table VI in full, its quoted systems (†) included, beside our runs of the same name.

    The quoted ones have A only. FileNotFoundError without the tables of notebooks 06 and 17.

    >>> table_6_markdown().splitlines()[2]
    '| SVM † | 82.2 | – | 65.36 | 0.00 |'
    """
    tables = [read_tidy(Path(folder) / f"{name}.csv") for name in ("06_direction", "17_graphs")]
    rows = pd.concat([table for table in tables if len(table)], ignore_index=True)
    ours = run_numbers(rows, "semeval2010")
    printed = load_published("R", "Table VI")
    lines = []
    for model, cells in printed.groupby("model", sort=False):
        numbers, name = cells.set_index("metric")["printed"], model.partition(" (")[0]
        mark = " †" if cells["note"].str.startswith("†").any() else ""
        keys = [(name, "performance_original", "official"), (name, "ppr", "")]
        own = [mean_sd_text(ours, key, 2) for key in keys] if name in set(rows["model"]) else ["–", "–"]
        theirs = [numbers.get(metric, "–") for metric in ("performance_original", "ppr")]
        lines.append([model + mark, *theirs, *own])
    return to_markdown(pd.DataFrame(lines, columns=["model", "A, R", "PPR, R", "A, ours", "PPR, ours"]))


A, B = DIRECTION[:2]
NAMES = dict(zip(DIRECTION, ("A", "B", "PD", "PIR", "PPR"), strict=True))
ALIKE = ("per:spouse", "per:alternate_names", "org:alternate_names", "org:members", "org:subsidiaries")
"""Relations of KBP37 between two persons, or two organisations."""
KINDS = {"right_original": "right on A", "right_both": "right on both"}
"""Columns of `paired_breakdowns` that the figures show, the larger one first."""
LEAST_A = 30.0
"""Models below this A are not drawn: they name no relation often enough to ask for its direction."""


def direction_runs(encoder: str = EMBEDDED, folder: Path | str = RUNS_FOLDER) -> dict[str, list[Run]]:
    """The runs of profile standard on SemEval and KBP37; those without an encoder, too.

    Raises ValueError for an encoder that no run has.

    >>> direction_runs(folder="no-such-folder")
    {'semeval2010': [], 'kbp37': []}
    """
    return {name: runs_with(encoder, [name], folder) for name in ("semeval2010", "kbp37")}


def limiting_models(run: Run) -> pd.DataFrame:
    """A, B, PD, PIR, PPR of three made-up models on the test set of a run: always right; right on A and
    blind to the markers; always the negative class. Fractions; PIR of the last is undefined."""
    table = original_table(run)
    gold = [label for label, n in zip(table.labels, table.per_class().gold, strict=True) for _ in range(n)]
    turned, nothing = inverse_labels(set(gold)), [run.negative] * len(gold)
    made = {
        "always right": (gold, [turned[label] for label in gold]),
        "right on A, blind to the markers": (gold, gold),
        f"always {run.negative}": (nothing, nothing),
    }
    found = {
        name: direction_scores(Outcome.from_columns(gold, on_a, paired=on_b, labels=turned)).to_dict()
        for name, (on_a, on_b) in made.items()
    }
    return pd.DataFrame.from_dict(found, orient="index").rename(columns=NAMES)


def our_means(rows: pd.DataFrame, dataset: str = "semeval2010", kind: str = "mean") -> pd.DataFrame:
    """A, B, PD, PIR and PPR of each model of `direction_rows`, per cent; `kind` 'mean' or 'sd' over seeds."""
    own = rows[(rows["dataset"] == dataset) & (rows["seed_or_agg"] == kind)]
    wide = 100 * own.pivot(index="model", columns="metric", values="value")
    return wide.reindex(columns=list(DIRECTION)).rename(columns=NAMES).rename_axis(columns=None)


def source_of(name: str) -> str:
    """Where a printed row is from, as figures name it.

    >>> source_of("EM-C (base)"), source_of("C-GCN")
    ('published, base', 'published, other')
    """
    return f"published, {name.rpartition(' (')[2].rstrip(')')}" if "(" in name else "published, other"


def printed_scores() -> pd.DataFrame:
    """The rows of R's Tables II–VI that have B, per cent: index the model with its size; columns A … PPR."""
    printed = load_published("R").query("item.str.startswith('Table')")
    wide = printed.pivot(index="model", columns="metric", values="value").dropna(subset=B)
    return wide[list(DIRECTION)].rename(columns=NAMES).rename_axis(columns=None)


def plane_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Points for `original_paired_chart`: published ones and ours, with the SD over seeds."""
    theirs, ours, sds = printed_scores(), our_means(rows), our_means(rows, kind="sd")
    theirs = theirs.assign(panel="published", source=theirs.index.map(source_of))
    sds = sds.reindex(ours.index)
    ours = ours.assign(panel="ours", source="ours", a_sd=sds["A"], b_sd=sds["B"])
    points = pd.concat([theirs, ours[ours["A"] > LEAST_A]]).rename(columns={"A": "a", "B": "b"})
    columns = ["panel", "name", "source", "a", "b", "a_sd", "b_sd"]
    return points.rename_axis("name").reset_index()[columns]


def rate_rows(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """PIR and PPR for `rates_chart`: each run, means with SD and interval, and what is printed.

    Models by their largest PPR. A rate that is undefined in every run has a row without a value.
    """
    own = rows[(rows["dataset"] == dataset) & rows["metric"].isin(["pir", "ppr"])].copy()
    own[["value", "low", "high"]] *= 100
    sds = own[own["seed_or_agg"] == "sd"].set_index(["model", "metric"])["value"].rename("sd")
    means = own[own["seed_or_agg"] == "mean"].join(sds, on=["model", "metric"]).assign(kind="mean")
    single = own[own["seed_or_agg"].str.startswith("seed")].assign(kind="run")
    single = single[single["seed_or_agg"] != "seed-None"]
    ours = pd.concat([means, single])[["model", "metric", "kind", "value", "sd", "low", "high"]]
    lacking = {(model, "pir") for model in means["model"]} - {
        *zip(means["model"], means["metric"], strict=True)
    }
    undefined = pd.DataFrame(sorted(lacking), columns=["model", "metric"]).assign(
        kind="mean", value=float("nan")
    )
    ours = pd.concat([ours, undefined]).assign(source="ours")
    theirs = printed_scores()[["PIR", "PPR"]].rename(columns={"PIR": "pir", "PPR": "ppr"})
    theirs = theirs.reset_index(names="model").melt("model", var_name="metric", value_name="value")
    theirs = theirs.assign(kind="mean", source=theirs["model"].map(source_of))
    theirs["model"] = theirs["model"].str.partition(" (")[0]
    found = pd.concat([ours, theirs], ignore_index=True)
    order = found[found["metric"] == "ppr"].groupby("model")["value"].max().sort_values().index
    rank = {model: place for place, model in enumerate(order)}
    found = found.sort_values(["model", "source", "metric", "kind"], kind="stable")
    found = found.sort_values("model", key=lambda one: one.map(rank), kind="stable", ignore_index=True)
    return found[["model", "source", "metric", "kind", "value", "sd", "low", "high"]]


def breakdown_table(runs: Sequence[Run], models: Sequence[str], alike: Sequence[str] = ()) -> pd.DataFrame:
    """`paired_breakdowns` of some models for `dumbbell_chart`: relations that lose least first, or those of
    `alike` before the others."""
    table = paired_breakdowns(runs, models)[["model", "relation", "n", *KINDS]]
    kept = table.groupby("relation")["right_both"].mean()
    table["group"] = table["relation"].isin(alike).map({True: "one kind", False: "two kinds"})
    keys = {"group": lambda one: one, "relation": lambda one: -one.map(kept)}
    for column in ("relation", "group"):
        table = table.sort_values(column, key=keys[column], kind="stable")
    rank = {model: place for place, model in enumerate(models)}
    table = table.sort_values("model", key=lambda one: one.map(rank), kind="stable", ignore_index=True)
    return table if alike else table.drop(columns="group")


def epochs_table(
    folder: Path | str = STUDIES_FOLDER / "curves", model: str = "EM-C-M", encoder: str = EMBEDDED
) -> pd.DataFrame:
    """A, A with direction dropped, B, PIR, PPR after each epoch; per cent, mean over the runs."""

    def scores(run: Run) -> dict[str, float]:
        loose = official_scores(original_table(run), run.negative)["undirected"]["macro"]
        return {"A, direction dropped": loose} | {
            NAMES[name]: one for name, one in paired_scores(run).items()
        }

    found = epoch_runs(folder, dataset="semeval2010", model=model, encoder=encoder)
    rows = {epoch: pd.DataFrame(map(scores, runs)).mean() for epoch, runs in found.items()}
    columns = ["A, direction dropped", "A", "B", "PIR", "PPR"]
    return (100 * pd.DataFrame(rows).T.reindex(columns=columns)).rename_axis("epoch")


def kept_table(table: pd.DataFrame) -> pd.DataFrame:
    """Of what is right on A, the per cent that is right on both, by model and group of relations."""
    pooled = table.assign(**{name: table[name] * table["n"] for name in KINDS})
    sums = pooled.groupby(["model", "group"], sort=False)[list(KINDS)].sum()
    return (100 * sums["right_both"] / sums["right_original"]).unstack(sort=False).rename_axis(columns=None)
