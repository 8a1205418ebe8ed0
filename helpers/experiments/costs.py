"""What a grid of trainings, and what counting 10¹² predictions, costs: from measured constants, by formula.

Training one run, in GPU seconds:

    6 · P · T · S · E · (w(model) / w(EM-C)) / (share · F)

P : parameters of the encoder's layers, 12 · layers · hidden² (embeddings are looked up, not multiplied).
T : tokens of a training input, S : training inputs, E : epochs; 6 operations a parameter and token, forward
and backward. w : thread-seconds a parameter and token that the stored runs of the model took, the least of
them, as others were slowed by what ran beside them. share : of the processor's matrix products that training
reaches (results/tables/benchmarks.csv). F : operations a second of the GPU, its vendor's number.

The share was measured on a processor; short sentences use a GPU less well, so the hours are a lower bound.
`python -m helpers.experiments.costs` counts T and S anew (results/tables/tokens.csv).
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from .. import RESULTS
from ..core import unknown_name, write_atomically
from ..models import EMBEDDED, ENCODER_SHAPES
from ..runs import list_runs
from .experiment import Experiment, read_samples
from .workflow import Plan, experiment_path

TABLES = RESULTS / "tables"
TOKENS = TABLES / "tokens.csv"
TOKEN_COLUMNS = ("dataset", "part", "inputs", "tokens")
OPERATIONS = 6
"""Operations a parameter and token: 2 forward, 4 backward."""
REFERENCE = "EM-C"
FORMULA = (
    "GPU seconds = 6 · parameters · tokens · inputs · epochs · (work of the model / that of EM-C)"
    " / (share · FLOP/s)"
)
SHARE_ROW = "training, R-BERT on MiniLM, bf16, FLOP/s"
COUNTED_ROWS, COUNTING_CORES = 10_000_000, 2


@dataclass(frozen=True)
class Prices:
    """What is assumed, not measured: a GPU's operations a second in bf16 (an A100's, as its vendor prints
    them), dollars for its hour, for a processor core's hour, for a gigabyte-month of object store."""

    gpu_operations: float = 312e12
    gpu_hour: float = 2.0
    core_hour: float = 0.05
    gigabyte_month: float = 0.023


ASSUMED = Prices()


def parameters(encoder: str) -> int:
    """P, the parameters of an encoder's layers. Raises ValueError for one whose shape is not known.

    >>> parameters("all-MiniLM-L6-v2"), parameters("roberta-large")
    (10616832, 301989888)
    """
    if encoder not in ENCODER_SHAPES:
        raise unknown_name("encoder whose shape is known", encoder, ENCODER_SHAPES)
    layers, hidden = ENCODER_SHAPES[encoder]
    return 12 * layers * hidden**2


@functools.cache
def token_counts(path: Path = TOKENS) -> dict[str, tuple[int, float]]:
    """Data set → training inputs S and mean tokens T of one, markers included.

    >>> inputs, tokens = token_counts()["semeval2010"]
    >>> inputs, round(tokens, 1)
    (8000, 25.2)
    """
    table = pd.read_csv(path)
    rows = table[table["part"] == "train"].itertuples(index=False)
    return {row.dataset: (int(row.inputs), float(row.tokens)) for row in rows}


@functools.cache
def thread_seconds() -> dict[str, float]:
    """w: model → the least thread-seconds a parameter, token, input and epoch of its stored runs in bf16.

    >>> measured = thread_seconds()
    >>> measured["EMR-C"] > measured["EM-C"] > 0
    True
    """
    found: dict[str, float] = {}
    for run in list_runs(profile="standard", encoder=EMBEDDED, variant="", split="test", kind="paired"):
        if (
            run.dataset not in token_counts()
            or run.environment.get("precision") != "bf16"
            or not run.wall_seconds
        ):
            continue
        tokens = token_counts()[run.dataset][1] * run.hyperparameters["training_samples"]
        work = parameters(EMBEDDED) * tokens * run.hyperparameters["epochs"]
        name = run.model.removesuffix("-M")
        found[name] = min(found.get(name, 1.0), run.wall_seconds * run.environment.get("threads", 1) / work)
    return found


@functools.cache
def benchmark(measurement: str, path: Path = TABLES / "benchmarks.csv") -> Mapping[str, float]:
    """The first row of a measurement: ours, theirs, ratio. Raises ValueError if there is none."""
    table = pd.read_csv(path)
    rows = table[table["measurement"] == measurement]
    if rows.empty:
        raise unknown_name("measurement", measurement, table["measurement"])
    return rows.iloc[0][["ours", "theirs", "ratio"]].astype(float).to_dict()


def training_operations(one: Experiment) -> float | None:
    """6 · P · T · S · E · w(model) / w(EM-C) of an experiment; None where a constant is not measured: another
    encoder, data set or model.

    >>> small, large = (Experiment("em-c", encoder=name, profile="standard")
    ...                 for name in ("all-MiniLM-L6-v2", "roberta-large"))
    >>> round(training_operations(large) / training_operations(small), 1)
    28.4
    """
    settings, measured = one.resolved(), thread_seconds()
    name = one.entry.full_title(one.options).removesuffix("-M")
    if settings is None or one.encoder not in ENCODER_SHAPES or one.dataset not in token_counts():
        return None
    if name not in measured:
        return None
    inputs, tokens = token_counts()[one.dataset]
    inputs = (one.sentences or inputs) * (2 if one.merged else 1)
    whole = OPERATIONS * parameters(one.encoder) * tokens * inputs * settings.epochs
    return whole * measured[name] / measured[REFERENCE]


def gpu_hours(one: Experiment, prices: Prices = ASSUMED) -> float | None:
    """The formula above, in hours; None as `training_operations`.

    >>> 0 < gpu_hours(Experiment("em-c", encoder="roberta-large", profile="paper")) < 1
    True
    """
    operations = training_operations(one)
    share = benchmark(SHARE_ROW)["ratio"]
    return None if operations is None else operations / (share * prices.gpu_operations) / 3600


def core_hours(one: Experiment) -> float | None:
    """The same on one processor thread, as the stored runs had: operations · w(EM-C) / 6, in hours."""
    operations = training_operations(one)
    return None if operations is None else operations * thread_seconds()[REFERENCE] / OPERATIONS / 3600


def grid_costs(experiments: Iterable[Experiment], prices: Prices = ASSUMED) -> pd.DataFrame:
    """Data set, model, encoder, runs, GPU hours of one and of all; one row a model, encoder and data set.

    Hours are missing (nan) where a constant is not measured.

    >>> grid_costs([Experiment("em-c", encoder="roberta-large", profile="paper", seed=9)])["runs"].tolist()
    [1]
    """
    rows = [
        {
            "dataset": one.dataset_name,
            "model": f"{one.name} {one.run_variant}".strip(),
            "encoder": experiment_path(one).parent.name,
            "runs": 1,
            "gpu_hours": gpu_hours(one, prices) if isinstance(one, Experiment) else None,
        }
        for one in experiments
    ]
    table = pd.DataFrame(rows, columns=["dataset", "model", "encoder", "runs", "gpu_hours"])
    keys = ["dataset", "model", "encoder"]
    table["gpu_hours"] = table["gpu_hours"].astype(float)
    grouped = table.groupby(keys, sort=False)
    return grouped.agg(
        runs=("runs", "sum"), each=("gpu_hours", "mean"), gpu_hours=("gpu_hours", "sum")
    ).reset_index()


def grid_record(made: Plan, prices: Prices = ASSUMED) -> dict[str, Any]:
    """A plan as JSON values: all runs and those to be made, by path, notebooks, pages, and `grid_costs`."""
    table = grid_costs((made.jobs[name].experiment for name in made.todo), prices)
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    lists = {
        "runs": list(made.jobs),
        "todo": made.todo,
        "notebooks": list(made.notebooks),
        "pages": made.pages,
    }
    return lists | {"costs": rows, "formula": FORMULA}


def grid_text(made: Plan, prices: Prices = ASSUMED) -> str:
    """A plan as text: a line for each model, encoder and data set that is to be made, and what it costs."""
    table = grid_costs((made.jobs[name].experiment for name in made.todo), prices)
    lines = [f"{len(made.todo)} of {len(made.jobs)} runs are missing or stale."]
    lines += [f"{name}: to be run again" for name in (*made.notebooks, *made.pages)]
    if not table.empty:
        unknown = int(table.loc[table["each"].isna(), "runs"].sum())
        words = {
            column: table[column].map("{:.3f}".format).replace("nan", "–") for column in ("each", "gpu_hours")
        }
        lines += ["", table.assign(**words).rename(columns={"each": "hours each"}).to_string(index=False), ""]
        lines += [
            f"{table['gpu_hours'].sum():.1f} GPU hours of {prices.gpu_operations / 1e12:.0f} TFLOP/s at "
            f"{benchmark(SHARE_ROW)['ratio']:.0%}, {table['gpu_hours'].sum() * prices.gpu_hour:.0f} dollars"
            + (f"; and {unknown} runs whose cost is not measured" if unknown else "")
        ]
        lines += [FORMULA]
    return "\n".join(lines)


def write_tokens(datasets: Iterable[str] = ("semeval2010", "kbp37"), path: Path | str = TOKENS) -> Path:
    """Count inputs and tokens of both parts with the embedded encoder's tokenizer; write them, atomically.

    Raises MissingData where the data are not here.
    """
    from ..models import build

    rows = []
    for dataset in datasets:
        one = Experiment("em-c", dataset, profile="standard")
        data = read_samples(dataset, one.part, one.text)
        model = build(one.model, one.encoder, data.labels, one.resolved(), one.seed)
        for part, samples in (("train", data.train), ("test", data.test)):
            lengths = [example.length for example in model.examples(samples)]
            rows.append((dataset, part, len(lengths), round(sum(lengths) / len(lengths), 3)))
    table = pd.DataFrame(rows, columns=TOKEN_COLUMNS)
    return write_atomically(path, table.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    print(write_tokens())
