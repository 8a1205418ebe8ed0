"""The studies beside the papers' tables: settings tried on held-out data, ablations, layers, forms of EMR-C.

A study compares settings of one model that differ in one thing: `results/studies/settings.csv` has a row a
setting, and says where its runs are. A setting without a run has no row in a table, and each row says of how
many runs it is.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter

import numpy as np
import pandas as pd

from .. import RESULTS, experiments
from ..experiments import BASE_ENCODER
from ..metrics import SCHEMES
from ..models import EMBEDDED
from ..reporting import cells, compare_models, epoch_runs, p_value, paired_scores, per_seed, scheme_scores
from ..runs import STUDIES_FOLDER, Run, list_runs
from .direction import NAMES, A

SETTINGS = STUDIES_FOLDER / "settings.csv"
SHOWN = {name: title for name, title in NAMES.items() if title != "PD"}
_SECONDS = {"training": "training, s", "prediction": "prediction, s"}
_OF_W = {name: name for name in SCHEMES}
_COLUMNS = {"emr-c": SHOWN | _SECONDS, "bert-em": _OF_W, "bert-em, base": _OF_W}
"""Study → scores of its table and their names, where they are not A, B, PIR and PPR alone."""


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
    """A, B, PD, PIR and PPR, where pairs were predicted, the schemes, and seconds."""
    direction = paired_scores(run) if run.kind == "paired" else {}
    seconds = {"training": run.wall_seconds, "prediction": run.environment.get("prediction_seconds")}
    return direction | scheme_scores(run) | {name: np.nan if n is None else n for name, n in seconds.items()}


@cache
def study_scores(study: str) -> pd.DataFrame:
    """Scores of each stored run of a study: setting, seed, score, value; fractions, and seconds.

    >>> study_scores("layers of EM-C")["setting"].iloc[0]
    'EM-C, 6 layers'
    """
    tables = [per_seed(own, _scores).assign(setting=name) for name, own in _study_runs(study).items()]
    return pd.concat(tables, ignore_index=True)[["setting", "seed", "score", "value"]]


def study_table(study: str) -> pd.DataFrame:
    """Mean ± SD over seeds of each setting, as text: per cent (and seconds); and p of PPR against the first.

    p is Welch's, over the seeds that both have; '–' for fewer than two. W's settings are compared in micro.
    Of `variance`: how far A and PPR of one seed lie from the first setting's with that seed, in points: mean,
    and the largest.
    """
    scores, names = study_scores(study), _COLUMNS.get(study, SHOWN)
    tested = "ppr" if "ppr" in names else "micro"
    seconds = cells(scores, "setting", 0, scale=1)[list(_SECONDS)]
    table = cells(scores, "setting").assign(**seconds)[["runs", *names]].rename(columns=names)
    first, *others = table.index
    own = scores[scores["score"] == tested].rename(columns={"setting": "model"})
    tests = [compare_models(own, first, other)["p"].to_list() for other in others]
    table[f"p ({names[tested]})"] = ["", *(p_value(*p or [np.nan]) for p in tests)]
    for score in (A, "ppr") if study.startswith("variance") else ():
        wide = scores[scores["score"] == score].pivot(index="seed", columns="setting", values="value")
        moves = 100 * wide[others].sub(wide[first], axis=0).abs()
        text = [f"{moves[other].mean():.2f} (≤ {moves[other].max():.2f})" for other in others]
        table[f"{NAMES[score]} moves"] = ["", *text]
    return table.reset_index(names="setting")


def with_base(table: pd.DataFrame) -> pd.DataFrame:
    """`direction_table` with our runs of profile 'base', a row below those of each model that has some."""
    base = list_runs("semeval2010", encoder=BASE_ENCODER, profile="base", split="test", variant="")
    own = cells(per_seed(base, paired_scores, attrgetter("model")), "model").rename(columns=NAMES)
    own = own.rename_axis("model").reset_index().assign(encoder=f"{BASE_ENCODER}, ours")
    parts = [(part, own[own["model"] == model]) for model, part in table.groupby("model", sort=False)]
    return pd.concat([half for pair in parts for half in pair])[table.columns]


def cost_table() -> pd.DataFrame:
    """Mean seconds of training and prediction at base size, by model and device."""
    base = list_runs("semeval2010", encoder=BASE_ENCODER, profile="base", split="test", variant="")
    base += list_runs(folder=STUDIES_FOLDER / "base-cpu")
    about = [(run.environment["device"], run.name, run.wall_seconds) for run in base]
    frame = pd.DataFrame(about, columns=["device", "model", "training, s"])
    frame["prediction, s"] = [run.environment["prediction_seconds"] for run in base]
    groups = frame.groupby(["device", "model"], sort=False)
    table = groups.mean().round(0).astype(int)
    table.insert(0, "runs", groups.size())
    return table.reset_index()


def base_rates() -> pd.DataFrame:
    """A on the held-out tenth of the training data with two learning rates at base size, one seed."""
    tried = list_runs(folder=STUDIES_FOLDER / "base-changed", split="holdout")
    rows = [(run.model, f"{run.hyperparameters['learning_rate']:g}", paired_scores(run)[A]) for run in tried]
    frame = pd.DataFrame(rows, columns=["model", "rate", "A"])
    return (100 * frame.pivot(index="model", columns="rate", values="A")).round(1).reset_index()


def _rate_scores() -> pd.DataFrame:
    """A on the held-out tenth after each epoch: model, learning_rate, epoch, value (fraction).

    The equal grid: every model with the same three rates, one seed, scored after each of five epochs.
    """
    rows = [
        (run.model, run.hyperparameters["learning_rate"], epoch, paired_scores(run)[A])
        for epoch, tried in epoch_runs(STUDIES_FOLDER / "rates", split="holdout").items()
        for run in tried
    ]
    frame = pd.DataFrame(rows, columns=["model", "learning_rate", "epoch", "value"])
    return frame.sort_values(["model", "learning_rate", "epoch"], ignore_index=True)


def rates_table() -> pd.DataFrame:
    """A after each epoch, per cent, one row a model and rate; the best of each model is bold.

    `used` marks the learning rate of the standard runs. Beside it stand `gain`, points of A after the last
    epoch, which is the one that is tested, from this rate to the best one; `SD`, of A over the seeds of the
    standard runs, in points; and `again`: whether the gain is the larger of the two, so that the model is to
    be trained again. A model without all rates of the study has none of the three.
    """
    rates = {each.resolved().learning_rate for each in experiments.study("rates").experiments}
    scores = _rate_scores().assign(value=lambda table: 100 * table["value"])
    lines = []
    for model, own in scores.groupby("model"):
        standard = list_runs("semeval2010", model, EMBEDDED, profile="standard", split="test", variant="")
        sd = 100 * pd.Series([paired_scores(run)[A] for run in standard]).std(ddof=1)
        last = own[own["epoch"] == own["epoch"].max()].set_index("learning_rate")["value"]
        for rate, part in own.groupby("learning_rate"):
            line = {"model": model, "learning rate": f"{rate:g}"}
            for epoch, value in zip(part["epoch"], part["value"], strict=True):
                line[f"epoch {epoch}"] = f"**{value:.1f}**" if value == own["value"].max() else f"{value:.1f}"
            is_used = bool(standard) and standard[0].hyperparameters["learning_rate"] == rate
            line |= {"used": "yes" if is_used else "", "gain": "", "SD": "", "again": ""}
            if is_used and rates <= {*last.index}:
                gain = last.max() - last[rate]
                line |= {"gain": f"{gain:.2f}", "SD": f"{sd:.2f}", "again": "yes" if gain > sd else "no"}
            lines.append(line)
    return pd.DataFrame(lines).fillna("–")
