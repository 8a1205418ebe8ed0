"""From anybody's prediction file to a report: reads, counts, scores.

The bridge between `data` and `metrics` for predictions that were made elsewhere. It trains nothing and loads
no torch; systems are compared in `comparing`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .data.errors import unknown_name
from .data.predictions import open_source, read_predictions
from .data.relations import SEMEVAL_RELATIONS
from .metrics.counts import Confusion, PairedOutcomes
from .metrics.direction import DirectionScores, direction_scores
from .metrics.report import Report
from .metrics.resampling import bootstrap
from .metrics.scores import average, averages, evaluate
from .metrics.semeval import SKIPPED, official_scores
from .metrics.weighting import SCHEMES


class Task(NamedTuple):
    """What a named task fixes: its labels and its negative class."""

    labels: tuple[str, ...]
    negative: str


TASKS = {"semeval2010": Task(SEMEVAL_RELATIONS, "Other")}
RATES = ("performance_original", "performance_paired", "pd", "pir", "ppr")


def find_task(name: str | None) -> Task | None:
    """The task of that name, None for None; ValueError lists the known ones.

    >>> find_task("semeval2010").negative
    'Other'
    """
    if name is None or name in TASKS:
        return TASKS.get(name)
    raise unknown_name("task", name, TASKS)


def score_file(
    path: Path | str,
    *,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    paired_column: str | None = None,
    id_column: str | None = None,
    **options: Any,
) -> Report:
    """Score a file of gold and predicted labels; columns as in `read_predictions`, options as in
    `score_frame`.

    Errors name the file, and the line and column where there is one; nothing is written.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("gold,predicted\\nper:age,per:age\\nno_relation,per:age\\n")
    ...     score_file(path, negative="no_relation").schemes["micro"]["precision"]
    0.5
    """
    frame = read_predictions(path, gold_column, predicted_column, paired_column, id_column)
    try:
        return score_frame(frame, **options)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def score_frame(
    frame: pd.DataFrame,
    *,
    negative: str | None = None,
    task: str | None = None,
    inverse: Mapping[str, str] | None = None,
    replicates: int = 0,
    seed: int = 1,
) -> Report:
    """Score a frame with the columns gold, predicted and, for direction, predicted_paired.

    Parameters
    ----------
    frame : one row for each sample. negative : the negative class; None: the task's, or none.
    task : 'semeval2010' fixes the 19 labels and adds the section `official` to the report.
    inverse : gold label → gold label of the paired sample, for `direction`; None: `(e1,e2)` ↔ `(e2,e1)`.
    replicates : bootstrap replicates for 95 % intervals; 0: no intervals. seed : of the bootstrap.

    Returns
    -------
    A `Report`; with predicted_paired it has the section `direction`, in which performance is the task's
    official macro-F1, else macro-F1.

    >>> frame = pd.DataFrame({"gold": ["a", "b"], "predicted": ["a", "a"]})
    >>> score_frame(frame).accuracy
    0.5
    """
    known = find_task(task)
    negative = negative or (known.negative if known else None)
    labels = _task_labels(known, frame) if known else None
    confusion = Confusion.from_arrays(frame["gold"], frame["predicted"], labels)
    report = evaluate(confusion, negative=negative)
    rng = np.random.default_rng(seed)
    if replicates:
        _add_intervals(report, confusion, rng, replicates)
    if known:
        report.extra["official"] = _official(confusion, known.negative, rng, replicates)
    if "predicted_paired" in frame:
        outcomes = PairedOutcomes.from_arrays(
            frame["gold"], frame["predicted"], frame["predicted_paired"], labels
        )
        report.extra["direction"] = _direction(outcomes, known, negative, inverse, rng, replicates)
    return report


def _task_labels(task: Task, frame: pd.DataFrame) -> tuple[str, ...]:
    """The task's labels, and the mark of skipped samples if the predictions have any."""
    skips = any((frame[column] == SKIPPED).any() for column in frame if str(column).startswith("predicted"))
    return (*task.labels, SKIPPED) if skips else task.labels


def _add_intervals(report: Report, confusion: Confusion, rng: np.random.Generator, replicates: int) -> None:
    interval = bootstrap(confusion, lambda table: averages(table, negative=report.negative), rng, replicates)
    for scheme, low, high in zip(SCHEMES, interval.low, interval.high, strict=True):
        report.add_interval(scheme, float(low), float(high))


def _official(
    confusion: Confusion, negative: str, rng: np.random.Generator, replicates: int
) -> dict[str, dict]:
    scores = official_scores(confusion, negative)
    if replicates:
        interval = bootstrap(
            confusion, lambda table: official_scores(table, negative)["grouped"]["macro"], rng, replicates
        )
        scores["grouped"] |= {"low": interval.low, "high": interval.high}
    return scores


def _direction(
    outcomes: PairedOutcomes,
    task: Task | None,
    negative: str | None,
    inverse: Mapping[str, str] | None,
    rng: np.random.Generator,
    replicates: int,
) -> dict[str, Any]:
    def performance(table: Confusion) -> Any:
        if task:
            return official_scores(table, task.negative)["grouped"]["macro"]
        return average(table, "macro", negative=negative)

    def scores(table: PairedOutcomes) -> DirectionScores:
        return direction_scores(table, inverse, performance)

    found = scores(outcomes).to_dict()
    if replicates:
        interval = bootstrap(
            outcomes,
            lambda table: np.stack([getattr(scores(table), rate) for rate in RATES], -1),
            rng,
            replicates,
        )
        ends = zip(RATES, interval.low.tolist(), interval.high.tolist(), strict=True)
        found["intervals"] = {rate: {"low": low, "high": high} for rate, low, high in ends}
    return found


def read_inverse(path: Path | str) -> dict[str, str]:
    """The inverse labels of a file: JSON {label: inverse}, or .csv, .tsv, .jsonl, .parquet with columns label
    and inverse.

    A pair may stand there once, in either order; labels that are not named are their own inverse. ValueError
    names the file and what is wrong.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "inverse.json")
    ...     _ = path.write_text('{"per:parents": "per:children"}')
    ...     read_inverse(path)
    {'per:parents': 'per:children'}
    """
    if Path(path).suffix == ".json":
        return _read_json_mapping(path)
    table = open_source(path)
    missing = {"label", "inverse"} - set(table.names)
    if missing:
        raise ValueError(f"{path}: no column {sorted(missing)[0]!r}; columns: {', '.join(table.names)}")
    frame = read_predictions(path, gold_column="label", predicted_column="inverse")
    return dict(zip(frame["gold"].astype(str), frame["predicted"].astype(str), strict=True))


def _read_json_mapping(path: Path | str) -> dict[str, str]:
    try:
        mapping = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: no JSON: {error}") from None
    if not isinstance(mapping, dict) or not all(isinstance(value, str) for value in mapping.values()):
        raise ValueError(f"{path}: has to hold one JSON object that maps labels to labels")
    return mapping


def policy_hint(report: Report, well_known: Sequence[str]) -> str | None:
    """What to tell a user whose labels hold a well-known negative class that was not named as such.

    >>> report = score_frame(pd.DataFrame({"gold": ["a", "NA"], "predicted": ["a", "NA"]}))
    >>> policy_hint(report, ["NA"])
    "'NA' is averaged like any other label; if it is the negative class, say --negative NA"
    """
    name = next((label for label in report.labels if label in well_known), None)
    if report.negative is not None or name is None:
        return None
    return f"{name!r} is averaged like any other label; if it is the negative class, say --negative {name}"
