"""What the benchmarks measure: the data, our call, the peers' calls, and a stopwatch."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import torch
from pyarrow import csv as arrow_csv
from sklearn.metrics import classification_report
from torchmetrics.functional.classification import multiclass_f1_score

from helpers.metrics.averaging import evaluate
from helpers.metrics.counts import Confusion
from helpers.metrics.report import Report

CLASSES, NEGATIVE_SHARE, ACCURACY = 42, 0.79, 0.8  # the shape of TACRED


def predictions(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n gold and predicted classes 0 … 41 (int64): class 0 has 79 %, four in five predictions are right."""
    rng = np.random.default_rng(seed)
    share = np.r_[NEGATIVE_SHARE, np.full(CLASSES - 1, (1 - NEGATIVE_SHARE) / (CLASSES - 1))]
    gold = rng.choice(CLASSES, n, p=share)
    return gold, np.where(rng.random(n) < ACCURACY, gold, rng.choice(CLASSES, n))


def full_report(gold: Any, predicted: Any) -> Report:
    """Count and score: every scheme and every class, under scikit-learn's label rule."""
    return evaluate(Confusion.from_arrays(gold, predicted), labels="observed")


def sklearn_report(gold: Any, predicted: Any) -> dict:
    return classification_report(gold, predicted, output_dict=True, zero_division=0.0)


def torchmetrics_averages(gold: torch.Tensor, predicted: torch.Tensor) -> dict[str, float]:
    names = ("micro", "macro", "weighted")
    return {name: float(multiclass_f1_score(predicted, gold, CLASSES, average=name)) for name in names}


def write_csv(path: Path, codes: Sequence[np.ndarray], names: np.ndarray, ids: bool) -> Path:
    """A prediction file of gold and predicted classes by name; `ids` adds distinct ones, shuffled."""
    named = [pa.DictionaryArray.from_arrays(column, names).cast(pa.string()) for column in codes]
    columns = dict(zip(("gold", "predicted"), named, strict=True))
    if ids:
        numbers = np.random.default_rng(1).permutation(len(codes[0])) + 10_000_000
        columns = {"id": pa.array(numbers).cast(pa.string())} | columns
    arrow_csv.write_csv(pa.table(columns), path)
    return path


def duckdb_counts(path: Path, ids: bool) -> tuple[list[tuple], tuple[int, int] | None]:
    """What DuckDB takes for the same: how often each pair of labels occurs; with ids, how many differ."""
    types = dict.fromkeys((["id"] if ids else []) + ["gold", "predicted"], "VARCHAR")
    read = f"read_csv('{path}', auto_detect=false, all_varchar=true, header=true, delim=',', columns={types})"
    with duckdb.connect() as connection:
        counts = connection.sql(f"SELECT gold, predicted, count(*) FROM {read} GROUP BY ALL").fetchall()
        if not ids:
            return counts, None
        return counts, connection.sql(f"SELECT count(*), count(DISTINCT id) FROM {read}").fetchall()[0]


def in_turn(ours: Callable[[], Any], theirs: Callable[[], Any], times: int) -> tuple[float, float]:
    """The median times of two calls that take turns, so that a busy machine slows both."""
    taken = [(seconds(ours, 1), seconds(theirs, 1)) for _ in range(times)]
    return tuple(np.median(taken, axis=0).tolist())


def seconds(call: Callable[[], Any], times: int) -> float:
    """The median time of `times` calls."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return float(np.median(taken))


def peak_bytes(call: Callable[[], Any]) -> int:
    """The most memory that Python and numpy held during the call, over what they held before it."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def largest_gap(ours: Report, theirs: dict) -> float:
    """Largest difference of any score that both reports hold: averages, and every class."""
    gaps = [abs(ours.schemes["micro"]["f1"] - theirs["accuracy"])]
    for scheme in ("macro", "weighted"):
        row = theirs[f"{scheme} avg"]
        gaps += [abs(ours.schemes[scheme][ours_name] - row[name]) for ours_name, name in NAMES.items()]
    for label, scores in ours.per_class.items():
        gaps += [abs(scores[ours_name] - theirs[str(label)][name]) for ours_name, name in NAMES.items()]
    return max(gaps)


NAMES = {"precision": "precision", "recall": "recall", "f1": "f1-score"}
