"""R's direction scores in our runs, table by table and in words: what notebook 07 shows.

Every sentence is made from the runs or the printed numbers that it is about, so it changes with them. Scores
are per cent, differences points.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from ..metrics import PairedOutcomes, direction_scores, inverse_labels, official_scores
from ..models import EMBEDDED
from ..reporting import (
    DIRECTION,
    epoch_runs,
    from_to,
    listed,
    load_published,
    original_table,
    paired_scores,
    signed,
)
from ..runs import RUNS_FOLDER, STUDIES_FOLDER, Run, list_runs
from .direction import paired_breakdowns
from .studies import study_scores

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

    >>> direction_runs(folder="no-such-folder")
    {'semeval2010': [], 'kbp37': []}
    """
    return {
        dataset: [
            run
            for run in list_runs(dataset, profile="standard", folder=folder)
            if run.seed is None or run.encoder == encoder
        ]
        for dataset in ("semeval2010", "kbp37")
    }


def limiting_models(run: Run) -> pd.DataFrame:
    """A, B, PD, PIR, PPR of three made-up models on the test set of a run: always right; right on A and
    blind to the markers; always the negative class. Fractions; PIR of the last is undefined."""
    table = original_table(run)
    gold = [label for label, n in zip(table.labels, table.gold, strict=True) for _ in range(n)]
    turned, nothing = inverse_labels(set(gold)), [run.negative] * len(gold)
    made = {
        "always right": (gold, [turned[label] for label in gold]),
        "right on A, blind to the markers": (gold, gold),
        f"always {run.negative}": (nothing, nothing),
    }
    found = {
        name: direction_scores(PairedOutcomes.from_arrays(gold, *answers, labels=turned)).to_dict()
        for name, answers in made.items()
    }
    return pd.DataFrame.from_dict(found, orient="index").rename(columns=NAMES)


def our_means(rows: pd.DataFrame, dataset: str = "semeval2010", kind: str = "mean") -> pd.DataFrame:
    """A, B, PD, PIR and PPR of each model of `direction_rows`, per cent; `kind` 'mean' or 'sd' over seeds."""
    own = rows[(rows["dataset"] == dataset) & (rows["seed_or_agg"] == kind)]
    wide = 100 * own.pivot(index="model", columns="metric", values="value")
    return wide.reindex(columns=list(DIRECTION)).rename(columns=NAMES).rename_axis(columns=None)


def merged_gains(rows: pd.DataFrame, dataset: str = "semeval2010") -> pd.DataFrame:
    """What training on paired sentences changes: A, B and PPR of each model that has runs of both kinds."""
    means = our_means(rows, dataset)
    pairs = {name: f"{name}-M" for name in means.index if f"{name}-M" in means.index}
    columns = {"A": "A", "B": "B", "PPR": "PPR"}
    gains = {name: (means.loc[merged] - means.loc[name])[list(columns)] for name, merged in pairs.items()}
    table = pd.DataFrame(gains).T.rename(columns={name: f"change of {name}" for name in columns})
    table.insert(0, "PPR, plain", means.loc[list(pairs), "PPR"])
    table.insert(1, "PPR, merged", means.loc[list(pairs.values()), "PPR"].to_numpy())
    return table


def merged_text(rows: pd.DataFrame, dataset: str = "semeval2010") -> str:
    """What the merged training set does to B and A, in words."""
    gains = merged_gains(rows, dataset)
    a = gains["change of A"]
    up, down = (listed(a.index[found], "no model") for found in (a > 0.05, a < -0.05))
    return (
        f"B rises by {from_to(gains['change of B'])} points, PPR to {from_to(gains['PPR, merged'])} %. "
        f"A moves by {signed(a.min())} to {signed(a.max())} points: up for {up}, down for {down}. "
        "(Lyu et al., EM-C on BERT base: "
        "A 81.27 → 87.85.)"
    )


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


def plane_text(rows: pd.DataFrame, near: float = 1.5) -> str:
    """The two of our models that A hardly tells apart and that lie farthest apart on B."""
    means = our_means(rows)
    pairs = [
        (abs(means.loc[one, "B"] - means.loc[other, "B"]), one, other)
        for one in means.index
        for other in means.index
        if one < other and abs(means.loc[one, "A"] - means.loc[other, "A"]) < near
    ]
    far, one, other = max(pairs)
    return (
        f"{one} (A {means.loc[one, 'A']:.1f}) and {other} (A {means.loc[other, 'A']:.1f}) are "
        f"{abs(means.loc[one, 'A'] - means.loc[other, 'A']):.1f} points apart on A and {far:.1f} on B."
    )


def markers_text() -> str:
    """How far A, PIR and PPR of EM-C reach over the settings of the study `markers`; which is blindest."""
    scores = study_scores("markers")
    means = 100 * scores.groupby(["setting", "score"], sort=False)["value"].mean().unstack()[list(DIRECTION)]
    table, runs = means.rename(columns=NAMES), scores.groupby("setting")["seed"].nunique()
    worst, best = table["PPR"].idxmin(), table["PPR"].idxmax()
    return (
        f"Over the {len(table)} settings A lies between {from_to(table['A']).replace(' to ', ' and ')}, PIR "
        f"between {from_to(table['PIR']).replace(' to ', ' and ')}. EM-C knows least about direction with "
        f"*{worst}* (PPR {table.loc[worst, 'PPR']:.1f}, runs: {runs[worst]}), most with *{best}* (PPR "
        f"{table.loc[best, 'PPR']:.1f}, runs: {runs[best]})."
    )


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


def lost_text(small: float = 10.0) -> str:
    """The printed model that moves and goes astray: a small PIR beside the smallest PPR."""
    printed = printed_scores()
    found = printed[printed["PIR"] < small].sort_values("PPR").iloc[0]
    return (
        f"It can: {found.name} has a PIR of {found['PIR']:.1f} and a PPR of {found['PPR']:.1f}. "
        "It moves, but "
        "not to the inverse relation. So a small PIR alone is no praise."
    )


def seeds_text(rows: pd.DataFrame, dataset: str = "semeval2010") -> str:
    """Where the seeds disagree most about PIR, and by how much; and the bootstrap interval beside it."""
    table = rate_rows(rows, dataset).query("metric == 'pir' and source == 'ours'")
    means = table[table["kind"] == "mean"].set_index("model")
    most = means["sd"].idxmax()
    values = table[(table["model"] == most) & (table["kind"] == "run")]["value"].sort_values()
    half = (means.loc[most, "high"] - means.loc[most, "low"]) / 2
    return (
        f"The seeds disagree most about {most}: PIR {listed(f'{value:.0f}' for value in values)}. "
        "Another test "
        f"set would move a single run by ± {half:.1f}, another seed by {means.loc[most, 'sd']:.1f} (SD). An "
        "interval over the test set alone would hide that."
    )


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


def breakdown_text(table: pd.DataFrame) -> str:
    """The relations that each model of `breakdown_table` is right on both sides of most and least often."""
    parts = []
    for model, own in table.groupby("model", sort=False):
        shares = own.set_index("relation")["right_both"]
        parts.append(
            f"- {model}: most often {shares.idxmax()} ({shares.max():.0f} %), least often {shares.idxmin()} "
            f"({shares.min():.0f} %)"
        )
    return "Right on both:\n\n" + "\n".join(parts)


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


def epochs_text(table: pd.DataFrame) -> str:
    """What is left to learn of direction after the first epoch."""
    first, last = table.iloc[0], table.iloc[-1]
    costs = [row["A, direction dropped"] - row["A"] for row in (first, last)]
    return (
        f"After the first epoch PIR is {first['PIR']:.1f} and direction costs {costs[0]:.1f} points "
        "of A; after "
        f"the last one {last['PIR']:.1f} and {costs[1]:.1f}. PPR still climbs from {first['PPR']:.1f} to "
        f"{last['PPR']:.1f}: what it still learns are relations. Direction was learned within the first "
        "epoch; when in that epoch, these runs do not show."
    )


def kept_table(table: pd.DataFrame) -> pd.DataFrame:
    """Of what is right on A, the per cent that is right on both, by model and group of relations."""
    pooled = table.assign(**{name: table[name] * table["n"] for name in KINDS})
    sums = pooled.groupby(["model", "group"], sort=False)[list(KINDS)].sum()
    return (100 * sums["right_both"] / sums["right_original"]).unstack(sort=False).rename_axis(columns=None)


def kept_text(table: pd.DataFrame) -> str:
    """What the two kinds of relations keep, before and after training on paired sentences."""
    kept = kept_table(table)
    merged = kept.index.str.endswith("-M")
    parts = [
        f"{words} keep {from_to(rows['two kinds'], 0)} % between two kinds of entities and "
        f"{from_to(rows['one kind'], 0)} % between two of one kind"
        for words, rows in (
            ("Plain models", kept[~merged]),
            ("models trained on paired sentences", kept[merged]),
        )
        if len(rows)
    ]
    return "Of what is right on A, " + "; ".join(parts).replace("Plain", "plain", 1) + "."


def exceptions_text(table: pd.DataFrame, plain: str = "EM-C", share: float = 0.5) -> str:
    """Relations of which a model keeps less than a share, with plain and with merged training.

    Says of each one how many of its test sentences are right on A and on both, in per cent.
    """
    wide = table.set_index(["relation", "model"])[list(KINDS)]
    parts = []
    for model in (plain, f"{plain}-M"):
        own = wide.xs(model, level="model")
        low = own[own["right_both"] < share * own["right_original"]].sort_values("right_both")
        said = [f"`{name}` ({a:.0f} → {b:.0f})" for name, a, b in low.itertuples()]
        kept = f"less than half of {listed(said)}" if said else "at least half of every relation"
        parts.append(f"**{model}** keeps {kept}")
    return ". ".join(parts) + " (per cent right on A → right on both)."
