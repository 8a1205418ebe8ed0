"""Paper R (Lyu et al. 2021), relation direction recognition: its Tables II–VI from our own runs, and studies.

Notebook 06 writes `direction_rows` to `results/tables`; from that file `direction_table` makes what a reader
wants to see. A study compares settings of one model that differ in one thing, tried on held-out data or
stored beside the tables: `results/studies/settings.csv` has a row a setting, and says where its runs are. A
setting without a run has no row in a table, and each row says of how many runs it is. What was tried once,
with one seed, is read by `run_frame`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

import numpy as np
import pandas as pd

from .. import RESULTS, experiments, reporting
from ..metrics import RULES, SCHEMES, paired_breakdown
from ..models import EMBEDDED
from ..runs import STUDIES_FOLDER, Run, list_runs

A = reporting.DIRECTION[0]
NAMES = dict(zip(reporting.DIRECTION, ("A", "B", "PD", "PIR", "PPR"), strict=True))
ALIKE = ("per:spouse", "per:alternate_names", "org:alternate_names", "org:members", "org:subsidiaries")
"""Relations of KBP37 between two persons, or two organisations."""
KINDS = {"right_original": "right on A", "right_both": "right on both"}
"""Columns of `paired_breakdown` that the figures show, the larger one first."""
SETTINGS = STUDIES_FOLDER / "settings.csv"
SHOWN = {name: title for name, title in NAMES.items() if title != "PD"}
SECONDS = {"training": "training, s", "prediction": "prediction, s"}
_OF_W = {name: name for name in SCHEMES}
_COLUMNS = {"emr-c": SHOWN | SECONDS, "bert-em": _OF_W, "bert-em, base": _OF_W}
"""Study → scores of its table and their names, where they are not A, B, PIR and PPR alone."""


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
    rule = "|performance:official_macro|inverse:e1e2"
    signatures = {run.dataset: f"{rule}|negative:{run.negative}|n:{run.n}|v:{RULES}" for run in runs}
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
    table = table.set_index("model").loc[list(dict.fromkeys([*theirs["model"], *means.groups]))]
    table = table.reindex(columns=["encoder", "runs", *reporting.DIRECTION]).fillna("–")
    return table.rename(columns=NAMES).reset_index()


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
    table = table.sort_values(["source", "metric", "kind"], kind="stable").set_index("model")
    columns = ["source", "metric", "kind", "value", "sd", "low", "high"]
    return table.loc[largest.index, columns].reset_index()


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
    table["lost"] = -table.groupby("relation")["right_both"].transform("mean")
    table = table.sort_values(["group", "lost"], kind="stable").set_index("model").loc[list(models)]
    return table.reset_index().drop(columns=["lost"] if alike else ["lost", "group"])


def run_frame(runs: Iterable[Run], *names: str) -> pd.DataFrame:
    """One row a run, the columns `names`: an attribute of the run, a setting, an option, a fact of the
    environment, or a score, per cent: a scheme's F1, and A, B, PD, PIR and PPR as `NAMES` has them.

    >>> tried = list_runs(folder=STUDIES_FOLDER / "vectors")
    >>> run_frame(tried, "model", "epochs", "ppr").columns.tolist()
    ['model', 'epochs', 'ppr']
    """
    rows = []
    for run in runs:
        scores = {name: 100 * score for name, score in _scores(run).items()}
        known = run.environment | run.hyperparameters | run.options | scores
        rows.append([known[name] if name in known else getattr(run, name) for name in names])
    return pd.DataFrame(rows, columns=list(names))


def _study_runs(study: str) -> dict[str, list[Run]]:
    """Setting → its stored runs, in the order of `SETTINGS`; the first is what the others are compared with.

    Only seeds that the study was planned with are read (`seeds_of` names it in `experiments.studies`),
    so that a setting with five seeds is not compared with one of three.

    >>> list(_study_runs("base"))
    ['MiniLM (23 million parameters)', "MPNet base (110 million), R's settings"]
    """
    table = pd.read_csv(SETTINGS, dtype=str, keep_default_na=False).set_index("setting")
    stored = {}
    for setting, row in table[table["study"] == study].drop(columns="study").iterrows():
        seeds = {experiment.seed for experiment in experiments.study(row.pop("seeds_of")).experiments}
        runs = list_runs(folder=RESULTS / row.pop("folder"), split="test", **row)
        stored[setting] = [run for run in runs if run.seed in seeds]
    return stored


def _scores(run: Run) -> dict[str, float]:
    """A, B, PD, PIR and PPR, where pairs were predicted, and the schemes."""
    direction = reporting.paired_scores(run) if run.kind == "paired" else {}
    return direction | reporting.scheme_scores(run)


def _study_row(run: Run) -> dict[str, float | None]:
    seconds = {"training": run.wall_seconds, "prediction": run.environment.get("prediction_seconds")}
    return _scores(run) | seconds


@cache
def study_scores(study: str) -> pd.DataFrame:
    """Scores of each stored run of a study: setting, seed, score, value; fractions, and seconds.

    >>> study_scores("layers of EM-C")["setting"].iloc[0]
    'EM-C, 6 layers'
    """
    tables = {name: reporting.per_seed(own, _study_row) for name, own in _study_runs(study).items()}
    scores = pd.concat(tables, names=["setting", None]).reset_index("setting")
    return scores[["setting", "seed", "score", "value"]].reset_index(drop=True)


def study_table(study: str) -> pd.DataFrame:
    """Mean ± SD over seeds of each setting, as text: per cent (and seconds); and p of PPR against the first.

    p is Welch's, over the seeds that both have; '–' for fewer than two. W's settings are compared in micro.
    Of `variance`: how far A and PPR of one seed lie from the first setting's with that seed, in points: mean,
    and the largest.
    """
    scores, names = study_scores(study), _COLUMNS.get(study, SHOWN)
    tested = "ppr" if "ppr" in names else "micro"
    seconds = reporting.cells(scores, "setting", 0, scale=1)[list(SECONDS)]
    table = reporting.cells(scores, "setting").assign(**seconds)[["runs", *names]].rename(columns=names)
    first, *others = table.index
    own = scores[scores["score"] == tested].rename(columns={"setting": "model"})
    tests = [reporting.compare_models(own, first, other)["p"].to_list() for other in others]
    table[f"p ({names[tested]})"] = ["", *(reporting.p_value(*p or [np.nan]) for p in tests)]
    for score in (A, "ppr") if study.startswith("variance") else ():
        wide = scores[scores["score"] == score].pivot(index="seed", columns="setting", values="value")
        moves = 100 * wide[others].sub(wide[first], axis=0).abs()
        text = [f"{moves[other].mean():.2f} (≤ {moves[other].max():.2f})" for other in others]
        table[f"{NAMES[score]} moves"] = ["", *text]
    return table.reset_index(names="setting")


def rates_table() -> pd.DataFrame:
    """A on the held-out tenth after each epoch, per cent, one row a model and rate; the best of each model is
    bold. The equal grid: every model with the same three rates, one seed, scored after each of five epochs.

    `used` marks the learning rate of the standard runs. Beside it stand `gain`, points of A after the last
    epoch, which is the one that is tested, from this rate to the best one; `SD`, of A over the seeds of the
    standard runs, in points; and `again`: whether the gain is the larger of the two, so that the model is to
    be trained again.
    """
    tried = reporting.epoch_runs(STUDIES_FOLDER / "rates", split="holdout").items()
    tables = [run_frame(runs, "model", "learning_rate", A).assign(epoch=epoch) for epoch, runs in tried]
    scores = pd.concat(tables).pivot(index=["model", "learning_rate"], columns="epoch", values=A)
    best = scores.groupby("model").transform("max").max(axis=1)
    table = scores.map("{:.1f}".format)
    table = table.mask(scores.eq(best, axis=0), "**" + table + "**").add_prefix("epoch ")
    table[["used", "gain", "SD", "again"]] = ""
    for model, last in scores.iloc[:, -1].groupby("model"):
        stored = list_runs("semeval2010", model, EMBEDDED, profile="standard", split="test", variant="")
        standard = run_frame(stored, "learning_rate", A)
        key = (model, standard["learning_rate"][0])
        gain, sd = last.max() - last[key], standard[A].std()
        again = "yes" if gain > sd else "no"
        table.loc[key, ["used", "gain", "SD", "again"]] = "yes", f"{gain:.2f}", f"{sd:.2f}", again
    table = table.rename(index="{:g}".format, level="learning_rate")
    return table.rename_axis(["model", "learning rate"]).reset_index()
