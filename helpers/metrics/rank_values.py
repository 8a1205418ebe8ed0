"""Ranking measures of single instances: P@K, R@K, RP@K and NDCG@K from the ranks of the hits.

A hit is a gold label among the first K. Instances are put together in `ranking`; the order of the labels is
that of `topk`.

Source: LibMultiLabel's implementation document, evaluation metrics. Its second worked example prints 1.52 for
a DCG@5 that is 1 / log2(3) + 1 / log2(4) + 1 / log2(5) = 1.561606.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .label_matrix import row_blocks
from .topk import check_k

MEASURES = ("P", "R", "RP", "NDCG")
RANKS = "the hits are those of the first {} ranks"


def ranking_values(hits: Any, relevant: Any, ks: Sequence[int]) -> np.ndarray:
    """The four measures of single instances.

    With h = hits among the first K labels, r = gold labels of the instance, D(m) = Σ_{s≤m} 1 / log2(s + 1):
    P@K = h / K · R@K = h / r · RP@K = h / min(K, r) · NDCG@K = DCG@K / D(min(K, r)), where DCG@K is the sum
    of 1 / log2(s + 1) over the ranks s ≤ K with a hit. An instance without gold labels has 0 in all four.

    Parameters
    ----------
    hits : (n, D) 0/1, is the label at rank s = 1 … D a gold label? relevant : (n,) number of gold labels.
    ks : M values of K, from 1 to D.

    Returns
    -------
    (n, 4, M) fractions, in the order of `MEASURES`.

    >>> ranking_values([[0, 1, 1, 1, 0]], [3], [3, 5]).round(6).tolist()
    [[[0.666667, 0.6], [0.666667, 1.0], [0.666667, 1.0], [0.530721, 0.732829]]]
    """
    hits, relevant = np.asarray(hits, dtype=bool), np.asarray(relevant)[:, None]
    k = checked_ks(ks, hits.shape[1], RANKS)
    found = hits.cumsum(axis=1)[:, k - 1]
    some = np.maximum(relevant, 1)  # without gold labels there are no hits: 0 / 1
    # a running sum as that of the gain, so that a perfect ranking has exactly 1
    ideal = _discounts(hits.shape[1]).cumsum()[np.minimum(k, some) - 1]
    shares = [found / k, found / some, found / np.minimum(k, some), dcg_at(hits, ks) / ideal]
    return np.stack(shares, axis=1)


def dcg_at(hits: Any, ks: Sequence[int]) -> np.ndarray:
    """(n, M) DCG@K = Σ_{s≤K} 1 / log2(s + 1) over the ranks s with a hit; arguments as in `ranking_values`.

    >>> dcg_at([[0, 1, 1, 1, 0]], [5]).round(6).tolist()
    [[1.561606]]
    """
    hits = np.asarray(hits, dtype=bool)
    gains = (hits * _discounts(hits.shape[1])).cumsum(axis=1)
    return gains[:, checked_ks(ks, hits.shape[1], RANKS) - 1]


def _discounts(depth: int) -> np.ndarray:
    return 1 / np.log2(np.arange(depth) + 2)


def checked_ks(ks: Iterable[int], most: int, limit: str = "there are {} labels") -> np.ndarray:
    """(M,) the K's; ValueError unless they are different whole numbers, at least one, from 1 to the largest
    that is possible.

    >>> checked_ks([5, 1], 5).tolist()
    [5, 1]
    >>> checked_ks([1, 1], 5)
    Traceback (most recent call last):
    ValueError: ks holds 1 twice
    """
    if isinstance(ks, str) or not isinstance(ks, Iterable):
        raise ValueError(f"ks is {ks!r}: a list of whole numbers is needed")
    given = list(ks)
    if not given:
        raise ValueError("ks is empty")
    for place, k in enumerate(given):
        check_k(k, most, f"ks[{place}]", limit)
        if k in given[:place]:
            raise ValueError(f"ks holds {k} twice")
    return np.array(given, dtype=np.intp)


def names_at(ks: Iterable[int]) -> list[str]:
    """Names of the measures at each K, in the order of `ranking_values`.

    >>> names_at([1, 5])
    ['P@1', 'P@5', 'R@1', 'R@5', 'RP@1', 'RP@5', 'NDCG@1', 'NDCG@5']
    """
    return [f"{measure}@{k}" for measure in MEASURES for k in ks]


def hits_of(gold: csr_array, top: np.ndarray) -> np.ndarray:
    """(n, K) bool: is the label in this place gold?

    Parameters
    ----------
    gold : (n, L) label matrix. top : (n, K) columns of the ranked labels; −1, no label, is no hit.

    >>> hits_of(csr_array([[0, 1, 1]]), np.array([[1, 0, -1]])).tolist()
    [[True, False, False]]
    """
    n, n_labels = gold.shape
    hits = np.empty(top.shape, bool)
    marks: np.ndarray | None = None
    for rows in row_blocks(n, n_labels + 1):
        start, stop = gold.indptr[rows.start], gold.indptr[rows.stop]
        marks = np.zeros((rows.stop - rows.start, n_labels + 1), bool) if marks is None else marks
        row = np.repeat(np.arange(rows.stop - rows.start), np.diff(gold.indptr[rows.start : rows.stop + 1]))
        column = gold.indices[start:stop]
        marks[row, column] = True
        # −1 is the last column, which is never marked
        hits[rows] = np.take_along_axis(marks[: rows.stop - rows.start], top[rows], axis=1)
        marks[row, column] = False  # cheaper than zeros anew: only what was marked
    return hits
