"""The studies beside the papers' tables: settings tried on held-out data, ablations, layers, forms of EMR-C.

A study compares settings of one model that differ in one thing: `results/studies/settings.csv` has a row a
setting, and says where its runs are. A setting without a run has no row in a table, and each row says of how
many runs it is. What was tried once, with one seed, is read by `run_frame`.
"""

from __future__ import annotations

from collections.abc import Iterable
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


def run_frame(runs: Iterable[Run], *names: str) -> pd.DataFrame:
    """One row a run, the columns `names`: an attribute of the run, a setting, an option, a fact of the
    environment, or A, B, PD, PIR and PPR as `NAMES` has them, per cent.

    >>> tried = list_runs(folder=STUDIES_FOLDER / "vectors")
    >>> run_frame(tried, "model", "epochs", "ppr").columns.tolist()
    ['model', 'epochs', 'ppr']
    """
    rows = []
    for run in runs:
        scores = paired_scores(run) if NAMES.keys() & {*names} else {}
        known = run.environment | run.hyperparameters | run.options | {n: 100 * s for n, s in scores.items()}
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


def _base_runs() -> list[Run]:
    return list_runs("semeval2010", encoder=BASE_ENCODER, profile="base", split="test", variant="")


def with_base(table: pd.DataFrame) -> pd.DataFrame:
    """`direction_table` with our runs of profile 'base', a row below those of each model that has some."""
    own = cells(per_seed(_base_runs(), paired_scores, attrgetter("model")), "model").rename(columns=NAMES)
    own = own.rename_axis("model").reset_index().assign(encoder=f"{BASE_ENCODER}, ours")
    both = pd.concat([table, own[own["model"].isin(table["model"])]])
    order = list(dict.fromkeys(table["model"]))
    return both.sort_values("model", key=lambda model: model.map(order.index), kind="stable")[table.columns]


def cost_table() -> pd.DataFrame:
    """Mean seconds of training and prediction at base size, by model and device."""
    base = [*_base_runs(), *list_runs(folder=STUDIES_FOLDER / "base-cpu")]
    frame = run_frame(base, "device", "name", "wall_seconds", "prediction_seconds")
    groups = frame.set_axis(["device", "model", *_SECONDS.values()], axis=1).groupby(
        ["device", "model"], sort=False
    )
    table = groups.mean().round(0).astype(int)
    table.insert(0, "runs", groups.size())
    return table.reset_index()


def _rate_scores() -> pd.DataFrame:
    """A on the held-out tenth after each epoch, per cent: model, learning_rate, epoch, value.

    The equal grid: every model with the same three rates, one seed, scored after each of five epochs.
    """
    tried = epoch_runs(STUDIES_FOLDER / "rates", split="holdout").items()
    tables = [run_frame(runs, "model", "learning_rate", A).assign(epoch=epoch) for epoch, runs in tried]
    return pd.concat(tables, ignore_index=True).rename(columns={A: "value"})


def rates_table() -> pd.DataFrame:
    """A after each epoch, per cent, one row a model and rate; the best of each model is bold.

    `used` marks the learning rate of the standard runs. Beside it stand `gain`, points of A after the last
    epoch, which is the one that is tested, from this rate to the best one; `SD`, of A over the seeds of the
    standard runs, in points; and `again`: whether the gain is the larger of the two, so that the model is to
    be trained again.
    """
    scores = _rate_scores().pivot(index=["model", "learning_rate"], columns="epoch", values="value")
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


def vector_scores() -> pd.DataFrame:
    """Graph models with other word vectors on the held-out tenth, per cent, the best A first.

    Returns columns model, word vectors, in training (trained further, or frozen), epochs, A, B, PPR.

    >>> vector_scores().columns.tolist()
    ['model', 'word vectors', 'in training', 'epochs', 'A', 'B', 'PPR']
    """
    tried = list_runs(folder=STUDIES_FOLDER / "vectors")
    frame = run_frame(tried, "model", "vectors", "tuned", "epochs", A, "performance_paired", "ppr")
    frame["vectors"] = frame["vectors"].replace("encoder", f"{EMBEDDED}, word pieces")
    frame["tuned"] = frame["tuned"].map({True: "trained further", False: "frozen"})
    frame = frame.rename(columns=NAMES | {"vectors": "word vectors", "tuned": "in training"})
    return frame.sort_values("A", ascending=False, ignore_index=True)
