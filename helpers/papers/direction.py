"""Paper R (Lyu et al. 2021), relation direction recognition: its Tables II–VI from our own runs.

Notebook 07 writes `direction_rows` to `results/tables`; from that file `direction_table` makes what a reader
wants to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..metrics import BREAKDOWN, RULES, paired_breakdown
from ..reporting import (
    DIRECTION,
    TABLES_FOLDER,
    load_published,
    mean_sd_text,
    paired_scores,
    per_seed,
    printed_key,
    read_tidy,
    run_numbers,
    run_rows,
    runs_named,
    tidy_runs,
    to_markdown,
)
from ..runs import Run


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
    """`direction_table` of notebook 07's table, for the README; FileNotFoundError without it."""
    rows = read_tidy(Path(folder) / "07_direction.csv")
    models = list(dict.fromkeys(rows.loc[rows["dataset"] == dataset, "model"]))
    return f"{to_markdown(direction_table(rows, dataset))}\n\n{runs_named(rows, dataset, models)}"


def table_6_markdown(folder: Path | str = TABLES_FOLDER) -> str:
    """R's Table VI in full, its quoted systems (†) included, beside our runs of the same name.

    The quoted ones have A only. FileNotFoundError without the tables of notebooks 07 and 14.

    >>> table_6_markdown().splitlines()[2]
    '| SVM † | 82.2 | – | 65.36 | 0.00 |'
    """
    tables = [read_tidy(Path(folder) / f"{name}.csv") for name in ("07_direction", "14_graphs")]
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
