"""Paper R (Lyu et al. 2021), relation direction recognition: its Tables II–VI from our own runs.

Notebook 06 writes `direction_rows` to `results/tables`; from that file `direction_table` makes what a reader
wants to see. Then a lesson: what each model reads of a sentence, and one model trained live, before and after
paired sentences, the effect behind Tables II and V in small. Runs and weights go where the caller says; what
is stored there is not trained again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .. import reporting
from ..core import inverse_label
from ..data import TAGS, RelationSample, clean_sample, paired_sample, parse_tagged, render
from ..experiments import Experiment, run_experiment
from ..metrics import RULES, paired_breakdown
from ..models import EMBEDDED, build, default_settings
from ..runs import Run, safe_name

if TYPE_CHECKING:
    from ..models.network import RelationClassifier

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


READS = {
    "em-c": "EM-C: the vector of [CLS] → one score for each relation",
    "em-es": "EM-ES: the vectors of the two opening markers → one score for each relation",
    "r-bert": "R-BERT: [CLS] and the mean of each entity → one score for each relation",
    "emr-c": "EMR-C: the vector of [CLS] → does the relation in front hold? Asked once for each relation",
    "ptr": "PTR: the vectors of the five masks → which words stand there? A relation is five words",
}
"""Model → what its classifier makes of which tokens."""
_READ = {"em-es": ["[E11]", "[E21]"], "ptr": ["[MASK]"]}
"""These tokens, where they are not [CLS]."""


def model_inputs(sample: RelationSample, labels: Sequence[str], encoder: str = EMBEDDED) -> pd.DataFrame:
    """The tokens that each model of `READS` is given for one sentence, and which of them it looks at.

    Returns
    -------
    Columns model (a title of `READS`), position, token, read (whether the classifier on top uses the vector
    that the encoder makes of the token). EMR-C is shown with the sentence's own relation.

    >>> sample = RelationSample("1", "fire and panic", (0, 4), (9, 14), "Cause-Effect(e1,e2)")
    >>> table = model_inputs(sample, ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "Other"])
    >>> table[table["read"]].groupby("model", sort=False)["token"].agg(" ".join).tolist()
    ['[CLS]', '[E11] [E21]', '[CLS] fire panic', '[CLS]', '[MASK] [MASK] [MASK] [MASK] [MASK]']
    """

    from ..models import attribution

    tables = []
    for name, title in READS.items():
        model = build(name, encoder, labels, default_settings(name), seed=9)  # as before training
        tokens = pd.Series(attribution.tokens_read(model, sample), name="token")
        table = tokens.rename_axis("position").reset_index().assign(model=title)
        table["read"] = tokens.isin(_READ.get(name, ["[CLS]"]))
        for mark in "$#" if name == "r-bert" else "":  # an entity stands between two of them
            is_mark = tokens == mark
            table["read"] |= is_mark.cumsum().eq(1) & ~is_mark
        tables.append(table[["model", "position", "token", "read"]])
    return pd.concat(tables, ignore_index=True)


def lesson_experiments(
    model: str, dataset: str, merged: bool, epochs: int = 0, sentences: int = 0, **others: object
) -> list[Experiment]:
    """The model on the training sentences and, if `merged`, on these and their paired ones.

    Parameters
    ----------
    epochs, sentences : 0: three epochs and as many sentences as usual in profile quick, else as the settings
        of the profile say. others : seed, encoder, profile, as for `Experiment`.

    >>> [(one.name, one.resolved().epochs) for one in lesson_experiments("em-c", "demo", merged=True)]
    [('EM-C', 3), ('EM-C-M', 3)]
    """
    plain = Experiment(model, dataset, sentences=sentences or None, **others)
    changes = {"epochs": 3, "learning_rate": 2e-4} if plain.profile == "quick" else {}
    changes |= {"epochs": epochs} if epochs else {}
    plain = plain.with_settings(changes=changes)
    return [plain, replace(plain, merged=True)] if merged else [plain]


def _scores(run: Run) -> dict[str, float]:
    return {NAMES[name]: 100 * value for name, value in reporting.paired_scores(run).items()}


@dataclass(frozen=True)
class _Trained:
    """A trained model: its run, the runs after each epoch, and the classifier itself."""

    experiment: Experiment
    run: Run
    epochs: dict[int, list[Run]]
    classifier: RelationClassifier

    @property
    def name(self) -> str:
        """The model as the papers write it."""
        return self.experiment.name

    @property
    def scores(self) -> dict[str, float]:
        """A, B, PD, PIR and PPR, per cent."""
        return _scores(self.run)

    def curve(self) -> pd.DataFrame:
        """One row an epoch: the five scores, and the mean loss of the training sentences."""
        table = pd.DataFrame({epoch: _scores(*runs) for epoch, runs in self.epochs.items()}).T
        return table.assign(loss=self.run.history["losses"]).rename_axis("epoch")

    def answers(self, samples: Iterable[RelationSample]) -> pd.DataFrame:
        """What it predicts for sentences (cleaned as those of training), and how likely it finds it."""
        from ..models.attribution import probabilities

        rows = []
        for sample in samples:
            chances = probabilities(self.classifier, clean_sample(sample))
            best = max(chances, key=chances.get)
            row = {"model": self.name, "sentence": render(sample), "gold": sample.relation}
            rows.append(row | {"predicted": best, "p": round(chances[best], 3)})
        return pd.DataFrame(rows)

    def both_sides(self, text: str) -> pd.DataFrame:
        """`answers` for a tagged sentence whose relation is not known, and for its paired one."""
        sample = RelationSample("mine", *parse_tagged(text, TAGS), self.run.labels[0])
        return self.answers([sample, paired_sample(sample)]).drop(columns="gold")

    def blindness_text(self) -> str:
        """What the five scores say about direction, in words."""
        text = "{name} has an official macro-F1 of {A:.1f} % (A) on the test set and of {B:.1f} % (B) on the "
        text += "paired set. "
        if np.isnan(self.scores["PIR"]):
            text += "Nothing is right, so PIR is undefined, and PPR is 0."
        else:
            text += "Of its right answers {PIR:.1f} % stayed the same when the markers changed places (PIR); "
            text += "of the pairs {PPR:.1f} % are right on both sides (PPR)."
        return text.format(name=self.name, **self.scores)

    def answers_text(self, sample: RelationSample) -> str:
        """Whether the answer turns when the markers of a sentence change places, in words."""
        first, second = self.answers([sample, paired_sample(sample)]).itertuples()
        kept = first.predicted == second.predicted
        turned = second.predicted == inverse_label(first.predicted)
        what = (
            "gives the same answer to" if kept else "turns its answer with" if turned else "loses its way in"
        )
        right = sum(row.predicted == row.gold for row in (first, second))
        text = f"{self.name} {what} the paired sentence ({first.p:.3f} and {second.p:.3f})"
        return f"{text}: right on {right} of 2."


def train_and_keep(experiment: Experiment, folder: Path | str, progress: bool = False) -> _Trained:
    """Train, keep run, weights and the outcome after each epoch in `folder`; what is there is only read.

    Raises as `run_experiment`.
    """

    from ..models.training import load_weights

    name = (experiment.dataset_name, experiment.name, experiment.encoder, str(experiment.seed))
    stem = "-".join(map(safe_name, name))
    weights, after = Path(folder) / f"{stem}.safetensors", Path(folder) / "epochs" / stem
    extras = {} if weights.exists() and after.exists() else {"weights": weights, "epochs": after}
    run = run_experiment(experiment, folder, progress=progress, **extras)
    settings, options = experiment.resolved(), experiment.options
    made = build(experiment.model, experiment.encoder, run.labels, settings, experiment.seed, **options)
    return _Trained(experiment, run, reporting.epoch_runs(after), load_weights(weights, made))
