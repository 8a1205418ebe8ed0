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
from sklearn import metrics
from sklearn.metrics import classification_report
from torchmetrics.functional.classification import multiclass_f1_score

from helpers.metrics import Outcome
from helpers.metrics.averaging import evaluate
from helpers.metrics.facts import FactRanking, fact_scores
from helpers.metrics.multilabel import averages
from helpers.metrics.report import ClassReport

CLASSES, NEGATIVE_SHARE, ACCURACY = 42, 0.79, 0.8  # the shape of TACRED


def predictions(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n gold and predicted classes 0 … 41 (int64): class 0 has 79 %, four in five predictions are right."""
    rng = np.random.default_rng(seed)
    share = np.r_[NEGATIVE_SHARE, np.full(CLASSES - 1, (1 - NEGATIVE_SHARE) / (CLASSES - 1))]
    gold = rng.choice(CLASSES, n, p=share)
    return gold, np.where(rng.random(n) < ACCURACY, gold, rng.choice(CLASSES, n))


def full_report(gold: Any, predicted: Any) -> ClassReport:
    """Count and score: every scheme and every class, under scikit-learn's label rule."""
    return evaluate(Outcome.from_columns(gold, predicted), labels="observed")


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


def largest_gap(ours: ClassReport, theirs: dict) -> float:
    """Largest difference of any score that both reports hold: averages, and every class."""
    gaps = [abs(ours.schemes["micro"]["f1"] - theirs["accuracy"])]
    for scheme in ("macro", "weighted"):
        row = theirs[f"{scheme} avg"]
        gaps += [abs(ours.schemes[scheme][ours_name] - row[name]) for ours_name, name in NAMES.items()]
    for label, scores in ours.per_class.items():
        gaps += [abs(scores[ours_name] - theirs[str(label)][name]) for ours_name, name in NAMES.items()]
    return max(gaps)


NAMES = {"precision": "precision", "recall": "recall", "f1": "f1-score"}


def bags(n: int, n_labels: int = 53) -> tuple[np.ndarray, np.ndarray, list[str]]:
    """Scores and true facts of n entity pairs, the negative class first, and the labels."""
    rng = np.random.default_rng(7)
    gold = rng.random((n, n_labels)) < 0.01
    scores = (rng.random((n, n_labels)) + 0.3 * gold).astype(np.float32)
    return scores, gold, ["NA", *(f"relation {number}" for number in range(1, n_labels))]


def facts_one_by_one(scores: np.ndarray, gold: np.ndarray, labels: list[str]) -> tuple[float, ...]:
    """Area, best micro-F1, macro-F1 at its threshold and P@100, 200, 300 in the form of OpenNRE's evaluation:
    a dictionary for each fact, one fact after the other, then label vectors for each pair."""
    predictions, facts = [], set()
    for pair, row in enumerate(scores.tolist()):
        for place, label in enumerate(labels):
            if place:
                predictions.append({"pair": pair, "relation": label, "score": row[place]})
                if gold[pair, place]:
                    facts.add((pair, label))
    predictions.sort(key=lambda one: one["score"], reverse=True)
    correct, precision, recall = 0, [], []
    for rank, one in enumerate(predictions, start=1):
        correct += (one["pair"], one["relation"]) in facts
        precision.append(correct / rank)
        recall.append(correct / len(facts))
    p, r = np.array(precision), np.array(recall)
    f1 = 2 * p * r / (p + r + 1e-20)
    threshold = predictions[int(f1.argmax())]["score"]
    ids = {label: place for place, label in enumerate(labels)}
    truth = [[0] * len(labels) for _ in scores]
    predicted = [[0] * len(labels) for _ in scores]
    for pair, label in facts:
        truth[pair][ids[label]] = 1
    for one in predictions:
        if one["score"] >= threshold:
            predicted[one["pair"]][ids[one["relation"]]] = 1
    named = list(range(1, len(labels)))
    macro = metrics.f1_score(truth, predicted, labels=named, average="macro", zero_division=0)
    return metrics.auc(r, p), float(f1.max()), macro, *(precision[n - 1] for n in (100, 200, 300))


def facts_at_once(scores: np.ndarray, gold: np.ndarray, labels: list[str]) -> tuple[float, ...]:
    """The same by the helpers."""
    ranking = FactRanking.from_matrix(scores, gold, labels, negative=labels[0])
    found = fact_scores(ranking)
    (macro,) = averages(ranking.counts_at(found["threshold"]), ["macro"])
    return found["auc"], found["micro_f1"], macro, *(found[f"P@{n}"] for n in (100, 200, 300))
