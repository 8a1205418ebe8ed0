"""Two multi-label classifiers on the same instances: their common outcome, and what one gains.

Two outcomes that were counted apart do not say on which instances the classifiers differ, so the interval of
a difference cannot come from them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import Label
from ..metrics import ClassCounts, Outcome, averages, bootstrap_intervals, scheme_names

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class LabelPairs:
    """How often did instances of this gold set get this set from the first model, and that from the second?

    Attributes
    ----------
    sets : label sets over 2·L columns, the L of the first model and then the L of the second; the gold set
        stands in both halves.

    >>> pairs = LabelPairs.from_matrices([[1, 0]], [[1, 1]], [[1, 0]], ["x", "y"])
    >>> [counts.predicted.tolist() for counts in pairs.counts()]
    [[1, 1], [1, 0]]
    """

    sets: Outcome

    @classmethod
    def from_matrices(cls, truth: Any, first: Any, second: Any, labels: Sequence[Label]) -> LabelPairs:
        """Count (n, L) 0/1 matrices; arguments and errors as `Outcome.from_sets`."""
        gold = scipy.sparse.hstack([scipy.sparse.csr_array(truth)] * 2)
        predicted = scipy.sparse.hstack([scipy.sparse.csr_array(first), scipy.sparse.csr_array(second)])
        return cls(Outcome.from_sets(gold, predicted, _twice(labels)))

    @classmethod
    def from_rows(
        cls, rows: Sequence[Sequence[Any]], labels: Sequence[Label], decision: str = "given"
    ) -> LabelPairs:
        """The inverse of `to_rows`; ValueError names the first row with a column outside the labels or twice.

        >>> LabelPairs.from_rows([[[0], [0, 1], [0], 3]], ["a", "b"]).to_rows()
        [[[0], [0, 1], [0], 3]]
        """
        size, known = len(labels), set(range(len(labels)))
        for index, (*sets, count) in enumerate(rows):
            if len(sets) != 3 or not all(len(set(one)) == len(one) and set(one) <= known for one in sets):
                raise ValueError(
                    f"rows[{index}] is {[*sets, count]}: three lists of columns below {size} and a count"
                )
        both = [
            [[*gold, *(size + one for one in gold)], [*first, *(size + one for one in second)], count]
            for gold, first, second, count in rows
        ]
        return cls(Outcome.from_rows(both, _twice(labels), decision=decision))

    def to_rows(self) -> list[list[Any]]:
        """Each triple as [gold columns, first's columns, second's columns, count], sorted."""
        size = len(self.labels)
        return [
            [
                [column for column in gold if column < size],
                [column for column in predicted if column < size],
                [column - size for column in predicted if column >= size],
                count,
            ]
            for gold, predicted, count in self.sets.to_rows()
        ]

    @property
    def labels(self) -> tuple[Label, ...]:
        """The L labels."""
        return self.sets.labels[: len(self.sets.labels) // 2]

    def counts(self, table: Outcome | None = None) -> tuple[ClassCounts, ClassCounts]:
        """The counts of the first and of the second model; of replicates, if `table` holds some."""
        whole, labels = (table or self.sets).per_class(), self.labels
        return tuple(
            replace(
                whole,
                labels=labels,
                **{name: getattr(whole, name)[..., part] for name in ("correct", "predicted", "gold")},
            )
            for part in (slice(len(labels)), slice(len(labels), None))
        )

    def gains(
        self,
        rng: np.random.Generator,
        replicates: int = 1000,
        schemes: Sequence[str] | None = None,
        **policy: Any,
    ) -> pd.DataFrame:
        """F1 of the second model minus that of the first, under each scheme, with 95 % bootstrap intervals.

        Instances are drawn, each with what both models say of it. Columns `scheme`, `difference`, `low`,
        `high`, fractions. policy : as in `averages`.

        >>> pairs = LabelPairs.from_matrices([[1, 0]], [[1, 1]], [[1, 0]], ["x", "y"])
        >>> pairs.gains(np.random.default_rng(1), 10).query("scheme == 'micro'").difference.round(3).item()
        0.333
        """

        import pandas as pd

        original = self.counts()

        def difference(table: Outcome) -> np.ndarray:
            pairs = zip(self.counts(table), original, strict=True)
            first, second = (averages(counts, schemes, classes_of=fixed, **policy) for counts, fixed in pairs)
            return second - first

        found = bootstrap_intervals(self.sets, difference, rng, replicates)
        columns = {
            "scheme": scheme_names(schemes),
            "difference": found.value,
            "low": found.low,
            "high": found.high,
        }
        return pd.DataFrame(columns)


def _twice(labels: Sequence[Label]) -> list[str]:
    """Names for the 2·L columns: the labels, and once more."""
    return [*labels, *(f"{label}, second" for label in labels)]
