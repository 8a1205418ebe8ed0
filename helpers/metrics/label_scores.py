"""Scores of labels, as a matrix or as lists of the best: which labels are best, and which are predicted?

A million instances by four thousand labels are 32 GB of scores; their 100 best labels are 0.8 GB. So scores
come as a matrix (`ScoreMatrix`) or as lists (`RankedLabels`); both answer for a block of rows (`iter_blocks`)
which labels are best (`top`) and which are predicted (`decide`).

The order is always the same: scores descend, and among equal scores the label with the lower index comes
first, as in `numpy.argsort(-scores, kind="stable")`. LibMultiLabel takes the K labels from
`numpy.argpartition`, which breaks ties as it happens to: at the K-th place its metrics are not defined by the
scores alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from .label_matrix import as_numbers, check_axes, columns_of, from_lists, from_rows, row_blocks, sparse_blocks


def top_k(scores: Any, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Labels with the k highest scores of each row, best first, and these scores.

    Time O(n·L + n·k·log k); memory for a block of rows beside the result. −∞ is a score like any other here:
    the lowest.

    Parameters
    ----------
    scores : (n, L) dense or sparse. What a sparse matrix does not store is 0: it ranks below the positive
        scores and above the negative ones. Decision values, most of them negative, must not be thinned out
        that way; `RankedLabels` holds the best of them.
    k : 1 … L.

    Returns
    -------
    labels (n, k) column indices; scores (n, k) of the type of the scores (float64 for bool and integers).

    Raises
    ------
    ValueError : k is no integer from 1 to L; two axes are needed; nan, with its row and column.

    >>> labels, best = top_k([[0.2, 0.7, 0.2, 0.2]], 3)
    >>> labels.tolist(), best.tolist()
    ([[1, 0, 2]], [[0.7, 0.2, 0.2]])
    """
    matrix = as_score_matrix(scores)
    n, n_labels = matrix.shape
    check_k(k, n_labels)
    labels = np.empty((n, k), np.intp)
    best = np.empty((n, k), matrix.dtype if matrix.dtype.kind == "f" else float)
    for rows in sparse_blocks(matrix, k) if scipy.sparse.issparse(matrix) else row_blocks(n, n_labels):
        check_numbers(matrix[rows], rows.start)
        labels[rows], best[rows] = _best(matrix[rows], k)
    return labels, best


def as_score_matrix(scores: Any) -> np.ndarray | scipy.sparse.csr_array:
    """Scores as a dense array or a `csr_array` of numbers; ValueError for anything else.

    >>> as_score_matrix([[1, 2]]).shape
    (1, 2)
    """
    matrix = (
        scipy.sparse.csr_array(cast(Any, scores))
        if scipy.sparse.issparse(scores)
        else as_numbers(scores, "scores")
    )
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"scores holds {matrix.dtype}: numbers are needed")
    check_axes(matrix, "scores")
    return matrix


def check_k(k: Any, most: int, name: str = "k", limit: str = "there are {} labels") -> None:
    """ValueError unless k is an integer from 1 to the largest that is possible; it says what limits it.

    >>> check_k(5, 3)
    Traceback (most recent call last):
    ValueError: k is 5, but there are 3 labels
    """
    if not isinstance(k, int | np.integer) or isinstance(k, bool) or k < 1:
        raise ValueError(f"{name} is {k!r}: it has to be a whole number, 1 or more")
    if k > most:
        raise ValueError(f"{name} is {k}, but {limit.format(most)}")


def check_numbers(block: np.ndarray | scipy.sparse.csr_array, first_row: int = 0) -> None:
    """ValueError for the first nan of a block of scores, whose first row is `first_row` of the whole.

    >>> check_numbers(np.array([[0.5, np.nan]]), first_row=7)
    Traceback (most recent call last):
    ValueError: scores[7, 1] is nan: every score has to be a number (−inf: never reached)
    """
    values = block.data if scipy.sparse.issparse(block) else block
    if values.dtype.kind != "f" or not values.size or not np.isnan(values.min()):
        return
    if scipy.sparse.issparse(block):
        at = int(np.isnan(values).argmax())
        row, column = int(np.searchsorted(block.indptr, at, "right")) - 1, block.indices[at]
    else:
        row, column = np.argwhere(np.isnan(values))[0]
    place = f"scores[{first_row + row}, {column}]"
    raise ValueError(f"{place} is nan: every score has to be a number (−inf: never reached)")


def _best(block: np.ndarray | scipy.sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray]:
    if scipy.sparse.issparse(block):
        columns, scores = _candidates(block, k)
        places, best = _best_of_dense(scores, k)
        return np.take_along_axis(columns, places, axis=1), best
    return _best_of_dense(block if block.dtype.kind == "f" else block.astype(float), k)


def _best_of_dense(block: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    columns = _chosen_columns(block, k)
    scores = np.take_along_axis(block, columns, axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(scores, order, axis=1)


def _chosen_columns(block: np.ndarray, k: int) -> np.ndarray:
    """(rows, k) columns of the k best, in rising order: all above the k-th best score, then from the left."""
    if k == block.shape[1]:
        return np.broadcast_to(np.arange(k), block.shape)
    kth = np.partition(block, -k, axis=1)[:, -k, None]
    chosen = block >= kth
    if np.count_nonzero(chosen) > k * len(block):  # scores tie at the k-th place
        tied = np.flatnonzero(np.count_nonzero(chosen, axis=1) > k)
        equal = block[tied] == kth[tied]
        above = np.count_nonzero(chosen[tied], axis=1) - np.count_nonzero(equal, axis=1)
        surplus = equal & (equal.cumsum(axis=1) > (k - above)[:, None])
        chosen[tied] &= ~surplus
    return columns_of(chosen).reshape(-1, k)


def _candidates(block: scipy.sparse.csr_array, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, C) columns and scores among which the k best of each row are: what is stored, in rising order of
    columns, then the first columns that are not stored, whose score is 0. Empty places hold −∞; they are
    never needed, since each row has k candidates or more, and a stored −∞ stands further left."""
    block = block.copy()
    block.sum_duplicates()
    block.eliminate_zeros()  # a stored 0 is like one that is not stored: no two places tie out of order
    filled = np.diff(block.indptr)
    there = np.arange(filled.max(initial=0)) < filled[:, None]
    columns, scores = np.zeros(there.shape, np.intp), np.full(there.shape, -np.inf)
    columns[there], scores[there] = block.indices, block.data
    free, zeros = _first_free(columns, there, np.count_nonzero(scores > 0, axis=1) < k, k, block.shape[1])
    return np.hstack([columns, free]), np.hstack([scores, zeros])


def _first_free(
    columns: np.ndarray, there: np.ndarray, wanted: np.ndarray, k: int, n_labels: int
) -> tuple[np.ndarray, np.ndarray]:
    """(rows, k) first columns that the rows do not store, and their scores: 0, and −∞ where there are none or
    where the row does not want any."""
    span = min(n_labels, there.shape[1] + k)  # a row of w stored columns leaves k of the first w + k free
    stored = np.zeros((np.count_nonzero(wanted), span + 1), bool)
    near = np.where(there[wanted], np.minimum(columns[wanted], span), span)
    np.put_along_axis(stored, near, True, axis=1)
    free = np.argsort(stored[:, :span], axis=1, kind="stable")[:, :k]
    scores = np.full((len(columns), free.shape[1]), -np.inf)
    scores[wanted] = np.where(np.take_along_axis(stored, free, axis=1), -np.inf, 0.0)
    places = np.zeros(scores.shape, np.intp)
    places[wanted] = free
    return places, scores


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
        """The k best labels of each row of a score matrix, ordered as in `top_k`; −1 for a score of −∞.

        >>> RankedLabels.from_matrix([[0.1, 0.9, -np.inf]], 3).labels.tolist()
        [[1, 0, -1]]
        """
        matrix = as_score_matrix(scores)
        labels, best = top_k(matrix, k)
        return cls(np.where(best == -np.inf, -1, labels), best, matrix.shape[1])

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def _known_n_labels(self) -> int:
        if self.n_labels is None:
            raise ValueError("n_labels is not known of these lists: name it, or evaluate them with a truth")
        return self.n_labels

    @property
    def width(self) -> int:
        """The length K of the lists."""
        return self.labels.shape[1]

    def rows(self, rows: slice) -> RankedLabels:
        """The same for some of the rows."""
        scores = None if self.scores is None else self.scores[rows]
        return replace(self, labels=self.labels[rows], scores=scores)

    def check(self, first_row: int = 0) -> None:
        """ValueError for the first label that is none or stands twice in its list, score that is nan or
        higher than the one before it; `first_row` is added to its row.

        >>> RankedLabels([[2, 0]], [[0.5, 0.75]], 3).check()
        Traceback (most recent call last):
        ValueError: scores[0, 1] is 0.75, higher than the score before: lists are sorted, best label first
        """
        outside = (self.labels < -1) | (self.labels >= self._known_n_labels)
        columns = f"columns of the truth are 0 … {self._known_n_labels - 1}, and −1 is no label"
        _refuse("labels", self.labels, outside, first_row, f": {columns}")
        ordered = np.sort(self.labels, axis=1)
        twice = (ordered[:, 1:] == ordered[:, :-1]) & (ordered[:, 1:] >= 0)
        if twice.any():
            row = int(twice.any(axis=1).argmax())
            label = ordered[row, 1:][twice[row]][0]
            raise ValueError(f"labels[{first_row + row}] holds the label {label} twice")
        if self.scores is None:
            return
        listed = self.labels >= 0
        missing = listed & np.isnan(self.scores)
        _refuse("scores", self.scores, missing, first_row, ": every score has to be a number")
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

    def decide(self, threshold: float) -> scipy.sparse.csr_array:
        """(n, L) the listed labels with a score above the threshold; ValueError where there are no scores."""
        if self.scores is None:
            raise ValueError("the lists of labels have no scores, so no label is decided: no F-measure")
        return from_lists(self.labels, (self.labels >= 0) & (self.scores > threshold), self._known_n_labels)

    def decision(self, threshold: float) -> str:
        """How `decide` decides, as signatures say it."""
        return f"top{self.width},score>{threshold:.12g}"


def _refuse(argument: str, values: np.ndarray, odd: np.ndarray, first_row: int, reason: str) -> None:
    if odd.any():
        row, place = np.argwhere(odd)[0]
        raise ValueError(f"{argument}[{first_row + row}, {place}] is {values[row, place].item()}{reason}")


LEAST_WIDTH = 16  # scores that a row is taken to have at least, so that blocks of short rows stay small


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

    matrix: np.ndarray | scipy.sparse.csr_array

    def __len__(self) -> int:
        return self.matrix.shape[0]

    @property
    def n_labels(self) -> int:
        """L, the number of columns."""
        return self.matrix.shape[1]

    @property
    def width(self) -> int:
        """Scores that a row takes, on average."""
        return (
            -(-self.matrix.nnz // max(1, len(self))) if scipy.sparse.issparse(self.matrix) else self.n_labels
        )

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

    def decide(self, threshold: float) -> scipy.sparse.csr_array:
        """(n, L) the labels whose score is above the threshold; a score equal to it is not."""
        blocks = row_blocks(*self.matrix.shape)
        if not scipy.sparse.issparse(self.matrix):
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
    form: ScoreMatrix | RankedLabels
    if isinstance(scores, RankedLabels):
        form = replace(scores, n_labels=n_labels) if scores.n_labels is None else scores
    else:
        form = ScoreMatrix(as_score_matrix(scores))
    if (len(form), form.n_labels) != (n, n_labels):
        raise ValueError(f"scores has shape {(len(form), form.n_labels)}, but truth has {(n, n_labels)}")
    return form


def iter_blocks(
    truth: scipy.sparse.csr_array, scores: ScoreMatrix | RankedLabels
) -> Iterator[tuple[scipy.sparse.csr_array, ScoreMatrix | RankedLabels]]:
    """Truth and scores in checked blocks of rows of bounded size; one empty block if there is no row.

    >>> truth = scipy.sparse.csr_array(np.eye(2, dtype=bool))
    >>> [(len(part), gold.nnz) for gold, part in iter_blocks(truth, ScoreMatrix(np.zeros((2, 2))))]
    [(2, 2)]
    """
    blocks = row_blocks(len(scores), max(scores.width, LEAST_WIDTH))
    for rows in blocks if len(scores) else [slice(0, 0)]:
        part = scores.rows(rows)
        part.check(rows.start)
        yield truth[rows], part
