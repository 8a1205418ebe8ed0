"""The scores of all labels as a matrix, dense or sparse; and truth and scores walked through block by block.

Scores come as a matrix (`ScoreMatrix`) or as lists of the best labels (`ranked_labels.RankedLabels`). Each
form answers two questions for a block of rows: which labels are best (`top`), and which are predicted
(`decide`). What the answers are worth is not said here (`ranking`, `multilabel`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from .label_matrix import from_rows, row_blocks
from .ranked_labels import RankedLabels
from .topk import as_score_matrix, check_numbers, top_k

LEAST_WIDTH = 16  # cells that a row is taken to have at least, so that blocks of short rows stay small


@dataclass(frozen=True, eq=False)
class ScoreMatrix:
    """Scores of all labels. A score of −∞ says that the label was never reached (as trees with beam search
    do): such a label is not ranked, so it is never a hit.

    Attributes
    ----------
    matrix : (n, L) dense, or a `csr_array`, in which what is not stored is 0.

    >>> scores = ScoreMatrix(np.array([[0.5, -np.inf, 0.0, 0.75]]))
    >>> scores.top(4).tolist(), scores.decide(0.0).indices.tolist()
    ([[3, 0, 2, -1]], [0, 3])
    """

    matrix: np.ndarray | csr_array

    def __len__(self) -> int:
        return self.matrix.shape[0]

    @property
    def n_labels(self) -> int:
        """L, the number of columns."""
        return self.matrix.shape[1]

    @property
    def width(self) -> int:
        """Cells that a row takes, on average."""
        return -(-self.matrix.nnz // max(1, len(self))) if issparse(self.matrix) else self.n_labels

    def rows(self, rows: slice) -> ScoreMatrix:
        """The same for some of the rows."""
        return ScoreMatrix(self.matrix[rows])

    def check(self, first_row: int = 0) -> None:
        """ValueError for the first nan; `first_row` is added to its row."""
        check_numbers(self.matrix, first_row)

    def top(self, k: int) -> np.ndarray:
        """(n, k) labels, best first, ties as in `topk.top_k`; −1 for a label that was never reached."""
        labels, best = top_k(self.matrix, k)
        return np.where(best == -np.inf, -1, labels)

    def decide(self, threshold: float) -> csr_array:
        """(n, L) the labels whose score is above the threshold; a score equal to it is not."""
        blocks = row_blocks(*self.matrix.shape)
        if not issparse(self.matrix):
            return from_rows((self.matrix[rows] > threshold for rows in blocks), self.n_labels)
        if threshold < 0:  # what is not stored is predicted
            return from_rows((self.matrix[rows].toarray() > threshold for rows in blocks), self.n_labels)
        above = self.matrix.copy()
        above.sum_duplicates()
        above.data = above.data > threshold
        above.eliminate_zeros()
        return above

    def decision(self, threshold: float) -> str:
        """How `decide` decides, as signatures say it."""
        return f"score>{threshold:.12g}"


def as_scores(scores: Any, n_labels: int, n: int) -> ScoreMatrix | RankedLabels:
    """Scores in one of the two forms.

    Parameters
    ----------
    scores : (n, L) dense or sparse, or `RankedLabels`.
    n_labels, n : L and n of the truth.

    Raises
    ------
    ValueError : other than n rows or L columns; scores that are no matrix of numbers.

    >>> as_scores([[0.5, 0.25]], 2, 1).n_labels
    2
    >>> as_scores([[0.5, 0.25]], 3, 1)
    Traceback (most recent call last):
    ValueError: scores has shape (1, 2), but truth has (1, 3)
    """
    if isinstance(scores, RankedLabels):
        form = replace(scores, n_labels=n_labels) if scores.n_labels is None else scores
    else:
        form = ScoreMatrix(as_score_matrix(scores))
    if (len(form), form.n_labels) != (n, n_labels):
        raise ValueError(f"scores has shape {(len(form), form.n_labels)}, but truth has {(n, n_labels)}")
    return form


def parts(
    truth: csr_array, scores: ScoreMatrix | RankedLabels
) -> Iterator[tuple[csr_array, ScoreMatrix | RankedLabels]]:
    """Truth and scores in blocks of rows of bounded size, each block checked; one empty block if there is no
    row.

    >>> truth = csr_array(np.eye(2, dtype=bool))
    >>> [(len(part), gold.nnz) for gold, part in parts(truth, ScoreMatrix(np.zeros((2, 2))))]
    [(2, 2)]
    """
    blocks = row_blocks(len(scores), max(scores.width, LEAST_WIDTH))
    for rows in blocks if len(scores) else [slice(0, 0)]:
        part = scores.rows(rows)
        part.check(rows.start)
        yield truth[rows], part
