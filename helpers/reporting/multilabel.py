"""A trained multi-label classifier in a file: what was done, what it cost, and its outcome; and tables of it.

The outcome is counts: how many gold labels an instance has and at which ranks its hits are, and which label
set was predicted for which gold set. No text, no ids: it may be published where the corpus may not. Every
score, under every scheme, with its interval, follows from it. Nothing is trained here (`multilabel_runs`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import ROOT
from ..metrics.label_sets import LabelSets
from ..metrics.multilabel import LabelPolicy, label_averages, label_intervals
from ..metrics.multilabel_outcome import MultilabelOutcome
from ..metrics.ranking import RankingOutcome
from ..metrics.weighting import SCHEMES
from .files import write_atomically

FOLDER = ROOT / "results" / "multilabel"
SCHEMA_VERSION = 1
WIDTH = 100


@dataclass(frozen=True, eq=False)
class MultilabelRun:
    """One classifier on one test set.

    Attributes
    ----------
    dataset : name. model : technique and what sets it apart, e.g. 'thresholding scut-fbr'.
    outcome : with `sets`. train_support : (L,) training documents of each label.
    settings : technique, option string, parameters, held-out labels, files with their sha256.
    facts : documents, features, problems solved, bytes and weights kept; the same on every machine.
    cost : seconds and where they were measured; of one run on one machine.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> MultilabelRun("demo", "1vsrest", outcome, (3, 2)).support.tolist()
    [1, 1]
    """

    dataset: str
    model: str
    outcome: MultilabelOutcome
    train_support: tuple[int, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)
    cost: Mapping[str, Any] = field(default_factory=dict)

    @property
    def support(self) -> np.ndarray:
        """(L,) test documents of each label."""
        return self.outcome.counts.gold

    @property
    def label_f1(self) -> np.ndarray:
        """(L,) F1 of each label; 0 where it is undefined."""
        counts = self.outcome.counts
        total = counts.gold + counts.predicted
        return np.divide(2 * counts.correct, total, out=np.zeros(len(total)), where=total > 0)


def save_run(run: MultilabelRun, folder: Path | str = FOLDER) -> Path:
    """Write `<dataset>/<model>.json`, blanks as '-', whole or not at all; returns the path.

    Raises ValueError for an outcome without pairs of label sets, from which no interval could be made.

    >>> import tempfile
    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_run(MultilabelRun("demo", "1vsrest", outcome, (3, 2)), folder)
    ...     path.name, load_run(path).outcome == outcome
    ('1vsrest.json', True)
    """
    outcome = run.outcome
    if outcome.sets is None:
        raise ValueError("outcome has no label sets: make it with keep_sets=True")
    head = {
        "schema_version": SCHEMA_VERSION, "dataset": run.dataset, "model": run.model,
        "settings": run.settings, "facts": run.facts, "cost": run.cost,
        "labels": list(outcome.ranking.labels), "train_support": list(run.train_support),
        "depth": outcome.ranking.depth, "decision": outcome.sets.decision,
    }  # fmt: skip
    lines = [f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()]
    for key, rows in (("ranking", outcome.ranking.to_rows()), ("sets", outcome.sets.to_rows())):
        lines.append(f'  "{key}": [\n' + ",\n".join(packed_rows(rows)) + "\n  ]")
    path = Path(folder, run.dataset, run.model.replace(" ", "-") + ".json")
    return write_atomically(path, "{\n" + ",\n".join(lines) + "\n}\n")


def packed_rows(rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Rows as JSON, several in a line.

    >>> list(packed_rows([[1, 2], [3]]))
    ['    [1,2], [3]']
    """
    line = "   "
    for row in rows:
        text = json.dumps(row, separators=(",", ":"))
        if len(line) + len(text) > WIDTH and line.strip():
            yield line.rstrip(",")
            line = "   "
        line += f" {text},"
    if line.strip():
        yield line.rstrip(",")


def load_run(path: Path | str) -> MultilabelRun:
    """Read what `save_run` wrote. Raises ValueError naming the file if it is no such run.

    >>> load_run(FOLDER / "reuters90" / "1vsrest.json").outcome.ranking.n
    3019
    """
    try:
        record = json.loads(Path(path).read_text(encoding="utf-8"))
        if record["schema_version"] != SCHEMA_VERSION:
            raise ValueError(f"schema_version is {record['schema_version']}, not {SCHEMA_VERSION}")
        labels = tuple(record["labels"])
        sets = LabelSets.from_rows(record["sets"], labels, record["decision"])
        ranking = RankingOutcome.from_rows(record["ranking"], record["depth"], labels)
        if len(record["train_support"]) != len(labels) or sets.n != ranking.n:
            raise ValueError("labels, train_support, ranking and sets do not fit together")
        outcome = MultilabelOutcome(ranking, sets.label_counts(), sets)
        names = ("settings", "facts", "cost")
        tables = {name: record[name] for name in names}
        return MultilabelRun(
            record["dataset"], record["model"], outcome, tuple(record["train_support"]), **tables
        )
    except (KeyError, TypeError, IndexError, ValueError) as error:
        raise ValueError(f"{path} is no run of a multi-label classifier: {error!r}") from None


def list_runs(dataset: str, folder: Path | str = FOLDER) -> dict[str, MultilabelRun]:
    """The stored runs on a data set, by model, in the order of their problems; {} if there are none.

    >>> next(iter(list_runs("reuters90")))
    '1vsrest'
    """
    runs = [load_run(path) for path in sorted(Path(folder, dataset).glob("*.json"))]
    return {run.model: run for run in sorted(runs, key=lambda run: (run.facts.get("problems", 0), run.model))}


def scores_of(run: MultilabelRun, ks: Sequence[int] = (1, 3, 5)) -> dict[str, float]:
    """Ranking measures at each K, the three F-measures, and F1 under the five schemes, all as fractions.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> found = scores_of(MultilabelRun("demo", "1vsrest", outcome, (3, 2)), ks=[1])
    >>> found["P@1"], found["macro"]
    (1.0, 0.5)
    """
    averages = label_averages(run.outcome.counts).tolist()
    return run.outcome.scores(ks) | dict(zip(SCHEMES, averages, strict=True))


def score_rows(
    run: MultilabelRun, rng: np.random.Generator, replicates: int = 1000, ks: Sequence[int] = (1, 3, 5)
) -> list[dict[str, Any]]:
    """Rows of a tidy table: every score of `scores_of` with its 95 % bootstrap interval and signature.

    Instances are drawn, with all their labels; the generator is used up to here in the order of the rows.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> run = MultilabelRun("demo", "1vsrest", outcome, (3, 2))
    >>> rows = score_rows(run, np.random.default_rng(1), replicates=10, ks=[1])
    >>> [row["metric"] for row in rows][:5], rows[-1]["scheme"], rows[-1]["value"]
    (['P@1', 'R@1', 'RP@1', 'NDCG@1', 'Macro-F1'], 'macro', 0.5)
    """
    outcome, policy = run.outcome, LabelPolicy()
    found = outcome.ranking.intervals(ks, rng, replicates) | label_intervals(
        outcome.sets, rng, replicates=replicates
    )
    kinds = {"Macro-F1": ("f1", "macro"), "Micro-F1": ("f1", "micro"), "Macro*-F1": ("f1_of_means", "macro")}
    kinds |= {scheme: ("f1", scheme) for scheme in SCHEMES}
    rows = []
    for name, interval in found.items():
        signature = (
            policy.signature(outcome.counts, *kinds[name])
            if name in kinds
            else outcome.ranking.signature(name)
        )
        row = {"paper": "L", "item": "linear methods", "dataset": run.dataset, "model": run.model}
        row |= {"metric": "f1" if name in SCHEMES else name, "scheme": name if name in SCHEMES else ""}
        row |= {"value": interval.value, "low": interval.low, "high": interval.high}
        rows.append(row | {"signature": signature})
    return rows


def differing_documents(one: MultilabelOutcome, other: MultilabelOutcome) -> int:
    """How many instances at least have another ranking pattern or another pair of label sets in the other.

    0 says that every score, every interval and every label's counts are the same.

    >>> first = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> other = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, 1]], 1, keep_sets=True)
    >>> differing_documents(first, first), differing_documents(first, other)
    (0, 1)
    """
    pairs = ((one.ranking, other.ranking), (one.sets, other.sets))
    return max(_moved(a.to_rows(), b.to_rows()) for a, b in pairs)


def _moved(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> int:
    """Counts that are in the first table of rows (key …, count) and not in the second."""
    there = {json.dumps(row[:-1]): row[-1] for row in other}
    return sum(max(0, row[-1] - there.get(json.dumps(row[:-1]), 0)) for row in one)


def label_table(runs: Mapping[str, MultilabelRun]) -> pd.DataFrame:
    """One row a label: `label`, `train`, `test` (documents that have it), and its F1 under each model.

    Raises ValueError if the runs are not of the same labels.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> label_table({"1vsrest": MultilabelRun("demo", "1vsrest", outcome, (3, 2))}).values.tolist()
    [[0.0, 3.0, 1.0, 1.0], [1.0, 2.0, 1.0, 0.0]]
    """
    first, *others = runs.values()
    labels = first.outcome.ranking.labels
    if any(run.outcome.ranking.labels != labels for run in others):
        raise ValueError("runs have different labels: they do not fit in one table")
    columns = {"label": labels, "train": first.train_support, "test": first.support}
    return pd.DataFrame(columns | {model: run.label_f1 for model, run in runs.items()})
