"""Two multi-label classifiers on the same documents: their common outcome, in a file, and what one gains.

Two outcomes that were counted apart do not say on which documents the classifiers differ, so the interval of
a difference cannot come from them. Here each kind of document is a triple: gold set, first and second
predicted set. Everything else about a run is in `multilabel`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, hstack

from ..metrics.label_sets import LabelCounts, LabelSets
from ..metrics.multilabel import label_averages
from ..metrics.resampling import bootstrap
from ..metrics.weighting import SCHEMES
from .files import write_atomically
from .multilabel import packed_rows


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
        schemes: Sequence[str] = SCHEMES,
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

        found = bootstrap(self.sets, difference, rng, replicates)
        columns = {"model": f"{self.second} − {self.first}", "scheme": list(schemes)}
        columns |= {"difference": found.value, "low": found.low, "high": found.high}
        return pd.DataFrame(columns)

    def save(self, path: Path | str) -> Path:
        """Write to a JSON file, whole or not at all.

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
