"""Two multi-label classifiers on the same documents: their common outcome, in a file, and what one gains.

Two outcomes that were counted apart do not say on which documents the classifiers differ, so the interval of
a difference cannot come from them. Here each kind of document is a triple: gold set, first and second
predicted set. Everything else about a run is in `multilabel`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack

from helpers import ROOT
from helpers.core import write_atomically
from helpers.metrics import (
    LabelCounts,
    LabelSets,
    MultilabelOutcome,
    RankingOutcome,
    bootstrap_intervals,
    label_averages,
    scheme_names,
)

MULTILABEL_FOLDER = ROOT / "results" / "multilabel"
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


def save_multilabel_run(run: MultilabelRun, folder: Path | str = MULTILABEL_FOLDER) -> Path:
    """Write `<dataset>/<model>.json`, blanks as '-', atomically; returns the path.

    Raises ValueError for an outcome without pairs of label sets, from which no interval could be made.

    >>> import tempfile
    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = save_multilabel_run(MultilabelRun("demo", "1vsrest", outcome, (3, 2)), folder)
    ...     path.name, load_multilabel_run(path).outcome == outcome
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


def load_multilabel_run(path: Path | str) -> MultilabelRun:
    """Read what `save_multilabel_run` wrote. Raises ValueError naming the file if it is no such run.

    >>> load_multilabel_run(MULTILABEL_FOLDER / "reuters90" / "1vsrest.json").outcome.ranking.n
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


def list_multilabel_runs(dataset: str, folder: Path | str = MULTILABEL_FOLDER) -> dict[str, MultilabelRun]:
    """The stored runs on a data set, by model, in the order of their problems; {} if there are none.

    >>> next(iter(list_multilabel_runs("reuters90")))
    '1vsrest'
    """
    runs = [load_multilabel_run(path) for path in sorted(Path(folder, dataset).glob("*.json"))]
    return {run.model: run for run in sorted(runs, key=lambda run: (run.facts.get("problems", 0), run.model))}


@dataclass(frozen=True, eq=False)
class LabelPairs:
    """How often did documents of this gold set get this set from the first model, and that from the second?

    Attributes
    ----------
    dataset, first, second : names. n_labels : L.
    sets : label sets over 2·L columns, the L of the first model and then the L of the second; the gold set
        stands in both halves.

    >>> pairs = LabelPairs.from_matrices("demo", "a", "b", [[1, 0]], [[1, 1]], [[1, 0]], ["x", "y"])
    >>> [counts.predicted.tolist() for counts in pairs.counts()]
    [[1, 1], [1, 0]]
    """

    dataset: str
    first: str
    second: str
    sets: LabelSets

    @classmethod
    def from_matrices(
        cls,
        dataset: str,
        first: str,
        second: str,
        truth: Any,
        predicted_first: Any,
        predicted_second: Any,
        labels: Sequence[str],
    ) -> LabelPairs:
        """Count; the matrices are (n, L) 0/1 as in `LabelSets.from_matrices`, which raises for others."""
        names = [*labels, *(f"{label}, second" for label in labels)]
        gold = hstack([csr_array(truth)] * 2)
        predicted = hstack([csr_array(predicted_first), csr_array(predicted_second)])
        return cls(dataset, first, second, LabelSets.from_matrices(gold, predicted, names))

    @property
    def n_labels(self) -> int:
        """L, the number of labels."""
        return len(self.sets.labels) // 2

    def counts(self, table: LabelSets | None = None) -> tuple[LabelCounts, LabelCounts]:
        """The counts of the first and of the second model; of replicates, if `table` holds some."""
        whole, size = (table or self.sets).label_counts(), self.n_labels
        return tuple(
            replace(
                whole,
                labels=whole.labels[:size],
                **{name: getattr(whole, name)[..., part] for name in ("correct", "predicted", "gold")},
            )
            for part in (slice(size), slice(size, None))
        )

    def gains(
        self,
        rng: np.random.Generator,
        replicates: int = 1000,
        schemes: Sequence[str] | None = None,
        **policy: Any,
    ) -> pd.DataFrame:
        """F1 of the second model minus that of the first, under each scheme, with 95 % bootstrap intervals.

        Documents are drawn, each with what both models say of it. Columns `model`, `scheme`, `difference`,
        `low`, `high`, fractions. policy : as in `metrics.multilabel.label_averages`.

        >>> pairs = LabelPairs.from_matrices("demo", "a", "b", [[1, 0]], [[1, 1]], [[1, 0]], ["x", "y"])
        >>> pairs.gains(np.random.default_rng(1), 10).query("scheme == 'micro'").difference.round(3).item()
        0.333
        """
        original = self.counts()

        def difference(table: LabelSets) -> np.ndarray:
            pairs = zip(self.counts(table), original, strict=True)
            first, second = (
                label_averages(counts, schemes, classes_of=fixed, **policy) for counts, fixed in pairs
            )
            return second - first

        found = bootstrap_intervals(self.sets, difference, rng, replicates)
        columns = {"model": f"{self.second} − {self.first}", "scheme": scheme_names(schemes)}
        columns |= {"difference": found.value, "low": found.low, "high": found.high}
        return pd.DataFrame(columns)

    def save(self, path: Path | str) -> Path:
        """Write to a JSON file, atomically.

        >>> import tempfile
        >>> pairs = LabelPairs.from_matrices("demo", "a", "b", [[1, 0]], [[1, 1]], [[1, 0]], ["x", "y"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     LabelPairs.load(pairs.save(Path(folder, "p.json"))).sets == pairs.sets
        True
        """
        size = self.n_labels
        head = {"dataset": self.dataset, "first": self.first, "second": self.second}
        head |= {"labels": list(self.sets.labels[:size])}
        rows = [
            [
                [column for column in gold if column < size],
                [column for column in predicted if column < size],
                [column - size for column in predicted if column >= size],
                count,
            ]
            for gold, predicted, count in self.sets.to_rows()
        ]
        lines = [
            f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}" for key, value in head.items()
        ]
        lines.append('  "rows": [\n' + ",\n".join(packed_rows(rows)) + "\n  ]")
        return write_atomically(path, "{\n" + ",\n".join(lines) + "\n}\n")

    @classmethod
    def load(cls, path: Path | str) -> LabelPairs:
        """Read what `save` wrote. Raises ValueError naming the file if it is no such table."""
        try:
            record = json.loads(Path(path).read_text(encoding="utf-8"))
            labels, size = record["labels"], len(record["labels"])
            rows = [
                [
                    gold + [column + size for column in gold],
                    first + [column + size for column in second],
                    count,
                ]
                for gold, first, second, count in record["rows"]
            ]
            names = [*labels, *(f"{label}, second" for label in labels)]
            sets = LabelSets.from_rows(rows, names)
            return cls(record["dataset"], record["first"], record["second"], sets)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"{path} holds no pairs of label sets: {error!r}") from None
