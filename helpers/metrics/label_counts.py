"""Per label: how often is it gold, predicted, and both? All that F-measures of label sets need.

`LabelCounts` has the fields of a `counts.Confusion` that `scores.averages` reads, so that one function
averages single labels and label sets. It adds up over batches, exactly; how labels occur together, which a
bootstrap needs, is kept by `label_sets`. Nothing is averaged here (`multilabel`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .label_columns import check_same_labels, label_names
from .label_matrix import as_label_matrix
from .labels import Label


@dataclass(frozen=True, eq=False)
class LabelCounts:
    """How often is each label gold, predicted, and both?

    Attributes
    ----------
    correct, predicted, gold : (..., L) numbers of instances: true positives, TP + FP, TP + FN. Leading axes
        are replicates.
    n : number of instances; (...) for replicates.
    labels : the L labels.
    decision : how it was decided that a label is predicted, e.g. 'score>0', 'argmax', 'given'.

    >>> counts = LabelCounts.from_matrices([[1, 1], [0, 1]], [[1, 0], [1, 1]])
    >>> counts.correct.tolist(), counts.predicted.tolist(), counts.gold.tolist()
    ([1, 1], [2, 1], [1, 2])
    >>> (counts + counts).n
    4
    """

    correct: np.ndarray
    predicted: np.ndarray
    gold: np.ndarray
    n: Any
    labels: tuple[Label, ...]
    decision: str = "given"

    @classmethod
    def from_matrices(
        cls, truth: Any, predicted: Any, labels: Iterable[Label] | None = None, decision: str = "given"
    ) -> LabelCounts:
        """Count gold and predicted label sets.

        Parameters
        ----------
        truth, predicted : (n, L) 0/1 matrices; see `label_matrix.as_label_matrix`.
        labels : names of the columns; None: 0 … L−1. decision : carried into every signature.

        Raises
        ------
        ValueError : shapes that differ, values other than 0 and 1, names that do not fit.

        >>> LabelCounts.from_matrices([[1, 0]], [[1, 1]], labels=["a", "b"]).predicted.tolist()
        [1, 1]
        """
        gold, guess = label_matrices(truth, predicted)
        n, n_labels = gold.shape
        correct, guessed, there = (
            np.bincount(matrix.indices, minlength=n_labels) for matrix in (gold.multiply(guess), guess, gold)
        )
        return cls(correct, guessed, there, n, label_names(labels, n_labels), decision)

    def __add__(self, other: LabelCounts) -> LabelCounts:
        if not isinstance(other, LabelCounts):
            return NotImplemented
        check_addable(self, other)
        sums = {name: getattr(self, name) + getattr(other, name) for name in ("correct", "predicted", "gold")}
        return replace(self, **sums, n=self.n + other.n)

    def __radd__(self, other: object) -> LabelCounts:
        return self if other == 0 else NotImplemented  # so that sum(counts) works

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelCounts):
            return False
        same = (self.labels, self.decision) == (other.labels, other.decision)
        names = ("correct", "predicted", "gold", "n")
        return same and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)


def label_matrices(truth: Any, predicted: Any) -> tuple[csr_array, csr_array]:
    """Gold and predicted label sets as label matrices; ValueError where they are none or their shapes differ.

    >>> gold, predicted = label_matrices([[1, 0]], [[1, 1]])
    >>> predicted.nnz
    2
    """
    gold, guess = as_label_matrix(truth), as_label_matrix(predicted, "predicted")
    if gold.shape != guess.shape:
        raise ValueError(f"predicted has shape {guess.shape}, but truth has {gold.shape}")
    return gold, guess


def check_addable(first: Any, second: Any) -> None:
    """ValueError unless two outcomes have the same labels, and were decided in the same way.

    >>> one, other = (LabelCounts.from_matrices([[1]], [[1]], decision=d) for d in ("argmax", "score>0"))
    >>> check_addable(one, other)
    Traceback (most recent call last):
    ValueError: outcomes decided by argmax and by score>0 do not add up
    """
    check_same_labels(first.labels, second.labels)
    if first.decision != second.decision:
        raise ValueError(f"outcomes decided by {first.decision} and by {second.decision} do not add up")
