"""Lists of the best labels of each instance: what is kept of a score matrix that is too large to keep.

A million instances by four thousand labels are 32 GB of scores; their 100 best labels are 0.8 GB. The lists
answer the same questions as a score matrix (`label_scores.ScoreMatrix`): which labels are best, and which are
predicted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .label_matrix import as_numbers, check_axes, from_lists
from .topk import as_score_matrix, check_k, top_k


@dataclass(frozen=True, eq=False)
class RankedLabels:
    """The best labels of each instance, best first.

    Attributes
    ----------
    labels : (n, K) integers, columns of the truth; −1: no label in this place, which is a miss. The order of
        a list is the ranking, ties included.
    scores : (n, K) scores of these labels, or None. They may not rise along a list; those of empty places do
        not matter. The F-measures need them, and take a label that is not listed as not predicted: they are
        those of the full matrix if each list holds every label above the threshold.
    n_labels : L; None: that of the truth.

    Raises
    ------
    ValueError : labels that are no integers, scores of another shape. What the lists hold is checked when
        they are evaluated, block by block (`check`).

    >>> RankedLabels([[2, 0], [1, -1]]).top(1).tolist()
    [[2], [1]]
    """

    labels: np.ndarray
    scores: np.ndarray | None = None
    n_labels: int | None = None

    def __post_init__(self) -> None:
        labels = as_numbers(self.labels, "labels")
        check_axes(labels, "labels")
        if labels.dtype.kind not in "iu":
            raise ValueError(f"labels holds {labels.dtype}: columns of the truth are needed, as integers")
        object.__setattr__(self, "labels", labels)
        if self.scores is not None:
            scores = as_numbers(self.scores, "scores")
            if scores.shape != labels.shape:
                raise ValueError(f"scores has shape {scores.shape}, but labels has {labels.shape}")
            object.__setattr__(self, "scores", scores)

    @classmethod
    def from_matrix(cls, scores: Any, k: int) -> RankedLabels:
        """The k best labels of each row of a score matrix, ordered as in `topk.top_k`; −1 for a score of −∞.

        >>> RankedLabels.from_matrix([[0.1, 0.9, -np.inf]], 3).labels.tolist()
        [[1, 0, -1]]
        """
        matrix = as_score_matrix(scores)
        labels, best = top_k(matrix, k)
        return cls(np.where(best == -np.inf, -1, labels), best, matrix.shape[1])

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def width(self) -> int:
        """The length K of the lists."""
        return self.labels.shape[1]

    def rows(self, rows: slice) -> RankedLabels:
        """The same for some of the rows."""
        scores = None if self.scores is None else self.scores[rows]
        return replace(self, labels=self.labels[rows], scores=scores)

    def check(self, first_row: int = 0) -> None:
        """ValueError for the first label outside −1 … L−1, label that stands twice in its list, score that is
        nan or higher than the one before it; `first_row` is added to its row.

        >>> RankedLabels([[2, 0]], [[0.5, 0.75]], 3).check()
        Traceback (most recent call last):
        ValueError: scores[0, 1] is 0.75, higher than the score before: lists are sorted, best label first
        """
        outside = (self.labels < -1) | (self.labels >= self.n_labels)
        columns = f"columns of the truth are 0 … {self.n_labels - 1}, and −1 is no label"
        _refuse("labels", self.labels, outside, first_row, f": {columns}")
        ordered = np.sort(self.labels, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
        if twice.any():
            row = int(twice.any(axis=1).argmax())
            label = ordered[row, 1:][twice[row]][0]
            raise ValueError(f"labels[{first_row + row}] holds the label {label} twice")
        if self.scores is not None:
            self._check_scores(first_row)

    def _check_scores(self, first_row: int) -> None:
        listed = self.labels >= 0
        _refuse(
            "scores",
            self.scores,
            listed & np.isnan(self.scores),
            first_row,
            ": every score has to be a number",
        )
        lowest = np.minimum.accumulate(np.where(listed, self.scores, np.inf), axis=1)
        rises = np.zeros(listed.shape, bool)
        rises[:, 1:] = listed[:, 1:] & (self.scores[:, 1:] > lowest[:, :-1])
        sorting = ", higher than the score before: lists are sorted, best label first"
        _refuse("scores", self.scores, rises, first_row, sorting)

    def top(self, k: int) -> np.ndarray:
        """(n, k) the first k labels of each list; −1 where there is none. ValueError for lists shorter than
        k."""
        check_k(k, self.width, limit="the lists hold {} labels")
        return self.labels[:, :k]

    def decide(self, threshold: float) -> csr_array:
        """(n, L) the listed labels whose score is above the threshold; ValueError where there are no
        scores."""
        if self.scores is None:
            raise ValueError("the lists of labels have no scores, so no label is decided: no F-measure")
        return from_lists(self.labels, (self.labels >= 0) & (self.scores > threshold), self.n_labels)

    def decision(self, threshold: float) -> str:
        """How `decide` decides, as signatures say it."""
        return f"top{self.width},score>{threshold:.12g}"


def _refuse(argument: str, values: np.ndarray, odd: np.ndarray, first_row: int, reason: str) -> None:
    if odd.any():
        row, place = np.argwhere(odd)[0]
        raise ValueError(f"{argument}[{first_row + row}, {place}] is {values[row, place].item()}{reason}")
