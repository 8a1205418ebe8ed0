"""The studies beside the papers' tables: settings tried on held-out data, ablations, layers, forms of EMR-C.

A study compares settings of one model that differ in one thing. Its rows are made from the stored runs: a
setting without a run has no row, and each row says of how many runs it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..experiments import BASE_ENCODER, RATES, studies
from ..metrics import SCHEMES
from ..models import EMBEDDED, NO_ENCODER
from ..reporting import cells, compare_models, p_value, paired_scores, per_seed, scheme_scores
from ..runs import RUNS_FOLDER, STUDIES_FOLDER, Run, list_runs
from .direction import NAMES

DATASET = "semeval2010"
SHOWN = {name: title for name, title in NAMES.items() if title != "PD"}
MOVED = ("performance_original", "ppr")
SECONDS = {"training": "training, s", "prediction": "prediction, s"}


class _Setting(NamedTuple):
    """One row of a study: what a reader sees, and where its runs are (study '': in the standard set)."""

    title: str
    model: str
    variant: str = ""
    study: str = ""
    dataset: str = DATASET
    profile: str = "standard"

    def runs(self, seeds: Sequence[int] = ()) -> list[Run]:
        """The stored runs with these seeds; no seeds: all."""
        folder = STUDIES_FOLDER / self.study if self.study else RUNS_FOLDER
        where = {"dataset": self.dataset, "model": self.model, "variant": self.variant, "split": "test"}
        encoder = BASE_ENCODER if self.profile == "base" else EMBEDDED
        encoder = NO_ENCODER if self.model.endswith("GCN") else encoder
        found = list_runs(folder=folder, encoder=encoder, profile=self.profile, **where)
        return [run for run in found if not seeds or run.seed in seeds]


_EPOCHS = [
    _Setting(f"8,000 sentences, after epoch {n}", "EM-C", f"epoch-{n}", "curves") for n in range(4, 0, -1)
]
_MARKERS = {
    "markers added, vectors at the mean": "marker_vectors-mean",
    "markers cut into word pieces": "marker_scheme-pieces",
    "markers are the tokens # and $": "marker_scheme-symbols",
}
STUDIES: dict[str, tuple[_Setting, ...]] = {
    "markers": (
        _Setting("markers added as tokens, vectors at random", "EM-C"),
        *(_Setting(title, "EM-C", variant, "ablations") for title, variant in _MARKERS.items()),
    ),
    "markers, base": (
        _Setting("markers added as tokens, vectors at random", "EM-C", profile="base"),
        *(
            _Setting(title, "EM-C", variant, "base-changed", profile="base")
            for title, variant in _MARKERS.items()
        ),
    ),
    "amount": (
        _Setting("8,000 sentences, 5 epochs", "EM-C"),
        *_EPOCHS,
        _Setting("2,000 sentences, 4 epochs", "EM-C", "epochs-4+sentences-2000", "ablations"),
    ),
    **{
        f"layers of {model}": tuple(
            _Setting(
                f"{model}, {layers} layers", model, *(() if layers == 6 else (f"layers-{layers}", "layers"))
            )
            for layers in (6, 4, 2)
        )
        for model in ("EM-C", "EM-ES")
    },
    "emr-c": (
        _Setting("EM-C, for its cost", "EM-C"),
        _Setting("negatives drawn once", "EMR-C"),
        _Setting("drawn once, (e2,e1) in words", "EMR-C", "turned-symbols", "emr-c"),
        _Setting("drawn once, 2e-5, 10 epochs", "EMR-C", "learning_rate-2e-05+epochs-10", "emr-c"),
        _Setting("drawn anew in each epoch", "EMR-C", "negatives-resampled", "emr-c"),
    ),
    "bert-em": (
        _Setting("EM-ES, R's cleaned text", "EM-ES"),
        _Setting(
            "EM-ES with LayerNorm, official text (W's BERT_EM)",
            "EM-ES",
            "layer_norm-True",
            "bert-em",
            f"{DATASET}-official-text",
        ),
    ),
    "base": (
        _Setting("MiniLM (23 million parameters)", "EM-C"),
        _Setting("MPNet base (110 million), R's settings", "EM-C", profile="base"),
    ),
    "graphs of GCN": (
        _Setting("stored trees (Stanford CoreNLP), no tags", "GCN"),
        _Setting("spaCy's trees, tags and entity types", "GCN", dataset=f"{DATASET}-spacy-text"),
    ),
    "bert-em, base": (
        _Setting("EM-ES, R's cleaned text", "EM-ES", profile="base"),
        _Setting(
            "EM-ES with LayerNorm, official text (W's BERT_EM)",
            "EM-ES",
            "layer_norm-True",
            "base-changed",
            f"{DATASET}-official-text",
            "base",
        ),
        _Setting("PTR, its own settings, R's cleaned text", "PTR", profile="base"),
    ),
    "variance, base": (
        _Setting("EM-ES, GPU, bf16", "EM-ES", profile="base"),
        _Setting("EM-ES, GPU, bf16, once more", "EM-ES", "", "base-again", profile="base"),
        _Setting("EM-ES, GPU, fp32", "EM-ES", "precision-fp32", "base-changed", profile="base"),
        _Setting("EM-ES, processor, bf16", "EM-ES", "", "base-cpu", profile="base"),
    ),
    "variance": (
        _Setting("EM-C, bf16, two threads", "EM-C"),
        _Setting("EM-C, bf16, one thread", "EM-C", "threads-1", "threads"),
        _Setting("EM-C, fp32, two threads", "EM-C", "precision-fp32", "precision"),
    ),
}
"""Name of a study → its settings; the first one is what the others are compared with."""


_OF_W = {name: name for name in SCHEMES}
_COLUMNS = {"emr-c": SHOWN | SECONDS, "bert-em": _OF_W, "bert-em, base": _OF_W}
"""Study → scores of its table and their names, where they are not A, B, PIR and PPR alone."""


def _scores(run: Run) -> dict[str, float]:
    """A, B, PD, PIR and PPR, where pairs were predicted, the schemes, and seconds."""
    direction = paired_scores(run) if run.kind == "paired" else {}
    seconds = {"training": run.wall_seconds, "prediction": run.environment.get("prediction_seconds")}
    return direction | scheme_scores(run) | {name: np.nan if n is None else n for name, n in seconds.items()}


_PLANNED = {"markers": "ablations", "amount": "ablations", "variance": "precision"}
_PLANNED |= dict.fromkeys(("markers, base", "bert-em, base", "variance, base"), "base")
"""Study → the list of experiments whose seeds it has, where that has another name."""


def study_scores(study: str) -> pd.DataFrame:
    """Scores of each stored run of a study: setting (in the order of `STUDIES`), seed, score, value.

    Scores are fractions, `SECONDS` are seconds. Only seeds that the study was planned with are read, so that
    a setting with five seeds is not compared with one of three.

    >>> study_scores("layers of EM-C")["setting"].iloc[0]
    'EM-C, 6 layers'
    """
    planned = studies()[_PLANNED.get(study) or study.partition(" of ")[0]]
    seeds = sorted({one.seed for one in planned.experiments})
    found = []
    for setting in STUDIES[study]:
        frame = per_seed(setting.runs(seeds), _scores)
        found.append(frame.assign(setting=setting.title))
    return pd.concat(found, ignore_index=True)[["setting", "seed", "score", "value"]]


def study_table(study: str) -> pd.DataFrame:
    """Mean ± SD over seeds of each setting, as text: per cent (and seconds); and p of PPR against the first.

    p is Welch's, over the seeds that both have; '–' for fewer than two. W's settings are compared in micro.
    Of `variance`: how far A and PPR of one seed lie from the first setting's with that seed, in points: mean,
    and the largest.
    """
    scores, names = study_scores(study), _COLUMNS.get(study, SHOWN)
    tested = "ppr" if "ppr" in names else "micro"
    first = STUDIES[study][0].title
    seconds = cells(scores, "setting", 0, scale=1)[list(SECONDS)]
    table = cells(scores, "setting").assign(**seconds)[["runs", *names]].rename(columns=names)
    own = scores[scores["score"] == tested]
    table[f"p ({names[tested]})"] = [_p(own, first, other) for other in table.index]
    for score in MOVED if study.startswith("variance") else ():
        table[f"{NAMES[score]} moves"] = [moved(scores, first, other, score) for other in table.index]
    return table.reset_index(names="setting")


def with_base(table: pd.DataFrame) -> pd.DataFrame:
    """`direction_table` with our runs of profile 'base', a row below those of each model that has some."""
    parts = []
    for model, part in table.groupby("model", sort=False):
        runs = _Setting("", model, profile="base").runs()
        own = cells(per_seed(runs, paired_scores), "model").rename(columns=NAMES).rename_axis("model")
        parts += [part, own.reset_index().assign(encoder=f"{BASE_ENCODER}, ours")]
    return pd.concat(parts)[table.columns]


def cost_table() -> pd.DataFrame:
    """Mean seconds of training and prediction at base size, by model and device."""
    found = list_runs(DATASET, encoder=BASE_ENCODER, profile="base", split="test", variant="")
    found += list_runs(folder=STUDIES_FOLDER / "base-cpu")
    rows = [
        (run.environment["device"], run.name, run.wall_seconds, run.environment["prediction_seconds"])
        for run in found
    ]
    frame = pd.DataFrame(rows, columns=["device", "model", "training", "prediction"])
    means = frame.groupby(["device", "model"], sort=False).agg(
        runs=("training", "size"), training=("training", "mean"), prediction=("prediction", "mean")
    )
    return means.round(0).astype(int).reset_index().rename(columns=SECONDS)


def base_rates() -> pd.DataFrame:
    """A on the held-out tenth of the training data with two learning rates at base size, one seed."""
    found = list_runs(folder=STUDIES_FOLDER / "base-changed", split="holdout")
    rows = [
        (run.model, f"{run.hyperparameters['learning_rate']:g}", paired_scores(run)["performance_original"])
        for run in found
    ]
    frame = pd.DataFrame(rows, columns=["model", "rate", "A"])
    return (100 * frame.pivot(index="model", columns="rate", values="A")).round(1).reset_index()


def moved(scores: pd.DataFrame, first: str, other: str, score: str) -> str:
    """How far a score of one seed lies from the first setting's with that seed, in points: mean (≤ largest).

    scores : as `study_scores`. '' for the first setting itself, '–' without a common seed.
    """
    if first == other:
        return ""
    own = scores[scores["score"] == score].pivot(index="seed", columns="setting", values="value")
    points = 100 * (own[other] - own[first]).abs().dropna()
    return f"{points.mean():.2f} (≤ {points.max():.2f})" if len(points) else "–"


def _p(scores: pd.DataFrame, first: str, other: str) -> str:
    """p of two settings, as text; nothing for a setting and itself."""
    tested = compare_models(scores.rename(columns={"setting": "model"}), first, other)["p"]
    return "" if first == other else p_value(next(iter(tested), float("nan")))


def _rate_scores(folder: Path | str = STUDIES_FOLDER / "rates") -> pd.DataFrame:
    """A on the held-out tenth after each epoch: model, learning_rate, epoch, value (fraction).

    The equal grid: every model with the same three rates, one seed, scored after each of five epochs.

    >>> _rate_scores("no-such-folder").columns.tolist()
    ['model', 'learning_rate', 'epoch', 'value']
    """
    rows = []
    for run in list_runs(folder=folder):
        if run.split != "holdout":
            raise ValueError(f"{run.name}: tested on {run.split!r}; settings are chosen on 'holdout' only")
        epoch = run.variant.rpartition("epoch-")[2]
        if epoch.isdigit() and "epoch-" in run.variant:
            value = paired_scores(run)["performance_original"]
            rows.append((run.model, run.hyperparameters["learning_rate"], int(epoch), value))
    frame = pd.DataFrame(rows, columns=["model", "learning_rate", "epoch", "value"])
    return frame.sort_values(["model", "learning_rate", "epoch"], ignore_index=True)


def rates_table() -> pd.DataFrame:
    """A after each epoch, per cent, one row a model and rate; the best of each model is bold.

    `used` marks the learning rate of the standard runs. Beside it stand `gain`, points of A after the last
    epoch, which is the one that is tested, from this rate to the best one; `SD`, of A over the seeds of the
    standard runs, in points; and `again`: whether the gain is the larger of the two, so that the model is to
    be trained again. A model without all of `RATES` has none of the three.
    """
    scores, rows = _rate_scores(), []
    for (model, rate), part in scores.groupby(["model", "learning_rate"], sort=False):
        best = scores.loc[scores["model"] == model, "value"].max()
        row = {"model": model, "learning rate": f"{rate:g}"}
        for epoch, value in zip(part["epoch"], part["value"], strict=True):
            shown = f"{100 * value:.1f}"
            row[f"epoch {epoch}"] = f"**{shown}**" if value == best else shown
        standard = _Setting("", model).runs()
        is_used = bool(standard) and standard[0].hyperparameters["learning_rate"] == rate
        rows.append(row | {"used": "yes" if is_used else ""})
        rows[-1] |= _gain(scores[scores["model"] == model], rate, standard) if is_used else _NO_GAIN
    return pd.DataFrame(rows).fillna("–")


_NO_GAIN = {"gain": "", "SD": "", "again": ""}


def _gain(scores: pd.DataFrame, rate: float, standard: Sequence[Run]) -> dict[str, str]:
    """What the best rate gains over this one after the last epoch, and whether that exceeds the spread."""
    last = 100 * scores[scores["epoch"] == scores["epoch"].max()].set_index("learning_rate")["value"]
    if not set(RATES) <= set(last.index) or len(standard) < 2:
        return _NO_GAIN
    gain = last.max() - last[rate]
    sd = 100 * pd.Series([paired_scores(run)["performance_original"] for run in standard]).std(ddof=1)
    return {"gain": f"{gain:.2f}", "SD": f"{sd:.2f}", "again": "yes" if gain > sd else "no"}


def study_points(study: str) -> pd.DataFrame:
    """What a figure of a study shows: setting, seed, score (A, B, PIR, PPR), value in per cent."""
    scores = study_scores(study)
    drawn = scores[scores["score"].isin(SHOWN)]
    return drawn.assign(score=drawn["score"].map(SHOWN), value=100 * drawn["value"])
