"""P@K, R@K, RP@K and NDCG@K: how many labels are gold, and at which ranks are the hits?

A hit is a gold label among the first K. The order of labels is always the same: scores descend, and among
equal scores the label with the lower index comes first, as in `numpy.argsort(-scores, kind="stable")`.
LibMultiLabel takes the K labels from `numpy.argpartition`, which breaks ties as it happens to: at the K-th
place its metrics are not defined by the scores alone.

`RankingOutcome` counts how often each pattern of hits occurs; all four measures, for every K up to its depth,
are functions of it. They average over *all* instances; those without gold labels have 0 in all four.

Source: LibMultiLabel's implementation document, evaluation metrics. Its second worked example prints 1.52 for
a DCG@5 that is 1 / log2(3) + 1 / log2(4) + 1 / log2(5) = 1.561606.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import Label
from .averaging import signature
from .bootstrap import Interval, bootstrap_intervals
from .counting import row_blocks
from .outcome import Outcome, scalar
from .scores import ratio

MEASURES = ("P", "R", "RP", "NDCG")
RANKS = "the hits are those of the first {} ranks"


def _values(hits: Any, relevant: Any, ks: Sequence[int]) -> np.ndarray:
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

    >>> _values([[0, 1, 1, 1, 0]], [3], [3, 5]).round(6).tolist()
    [[[0.666667, 0.6], [0.666667, 1.0], [0.666667, 1.0], [0.530721, 0.732829]]]
    """
    hits, relevant = np.asarray(hits), np.asarray(relevant)[:, None]
    k = checked_ks(ks, hits.shape[1], RANKS)
    n_hits = hits.cumsum(axis=1)[:, k - 1]
    some = np.maximum(relevant, 1)  # without gold labels there are no hits: 0 / 1
    discounts = 1 / np.log2(np.arange(hits.shape[1]) + 2)
    dcg = (hits * discounts).cumsum(axis=1)[:, k - 1]
    ideal = discounts.cumsum()[np.minimum(k, some) - 1]  # a running sum, too: a perfect ranking has exactly 1
    return np.stack([n_hits / k, n_hits / some, n_hits / np.minimum(k, some), dcg / ideal], axis=1)


def checked_ks(
    ks: Iterable[int], most: int, limit: str = "there are {} labels", argument: str = "ks[{}]"
) -> np.ndarray:
    """(M,) the K's; ValueError unless they are one or more different whole numbers from 1 to `most`.

    limit, argument : how messages say what limits them, and call each.

    >>> checked_ks([5, 1], 5).tolist()
    [5, 1]
    >>> checked_ks([1, 6], 5)
    Traceback (most recent call last):
    ValueError: ks[1] is 6, but there are 5 labels: different whole numbers from 1 on are needed
    """
    given = [] if isinstance(ks, str) or not isinstance(ks, Iterable) else list(ks)
    if not given:
        raise ValueError(f"ks is {ks!r}: a list of whole numbers is needed")
    for index, k in enumerate(given):
        is_whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
        if not is_whole or not 1 <= k <= most or k in given[:index]:
            but = f"{argument.format(index)} is {k!r}, but {limit.format(most)}"
            raise ValueError(f"{but}: different whole numbers from 1 on are needed")
    return np.array(given, dtype=np.intp)


def names_at(ks: Iterable[int]) -> list[str]:
    """Names of the measures at each K, in the order of `_values`.

    >>> names_at([1, 5])
    ['P@1', 'P@5', 'R@1', 'R@5', 'RP@1', 'RP@5', 'NDCG@1', 'NDCG@5']
    """
    return [f"{measure}@{k}" for measure in MEASURES for k in ks]


@dataclass(frozen=True, eq=False)
class RankingOutcome(Outcome):
    """How often does an instance have r gold labels, and its hits at these ranks?

    Attributes
    ----------
    roles : 'relevant' (K,), gold labels of an instance, r; 'hits' (K, depth) bool, at ranks 1 … depth.
    counts : (..., K) how many instances are of each kind; leading axes are replicates.
    labels : the L labels, which hits are hits of; they have to agree where outcomes add up, as has
        `decision`, which names the depth.
    depth : the largest K that can be asked for.

    For small depths there are few kinds, whatever n is; never are there more than n.

    >>> outcome = RankingOutcome.from_top(scipy.sparse.csr_array([[0, 1, 1]]), np.array([[2, 0, 1]]))
    >>> {name: round(value, 4) for name, value in outcome.scores([2]).items()}
    {'P@2': 0.5, 'R@2': 0.5, 'RP@2': 0.5, 'NDCG@2': 0.6131}
    >>> (outcome + outcome).to_rows()
    [[2, [1, 3], 2]]
    """

    depth: int = 0

    @classmethod
    def from_top(
        cls, gold: scipy.sparse.csr_array, top: np.ndarray, labels: tuple[Label, ...] | None = None
    ) -> RankingOutcome:
        """Count the kinds of instances.

        Parameters
        ----------
        gold : (n, L) label matrix (`as_label_matrix`). top : (n, depth) columns of the best labels, best
            first; −1: none. labels : names of the columns; None: 0 … L−1.

        >>> RankingOutcome.from_top(scipy.sparse.csr_array([[0, 1], [0, 1]]), np.array([[1], [-1]])).to_rows()
        [[1, [], 1], [1, [1], 1]]
        """
        hits = np.empty(top.shape, bool)
        for rows in row_blocks(*gold.shape):
            hits[rows] = np.take_along_axis(gold[rows].toarray(), top[rows], axis=1) & (top[rows] >= 0)
        names = tuple(range(gold.shape[1])) if labels is None else labels
        return cls._of(np.diff(gold.indptr), hits, np.ones(len(top), np.int64), names)

    @classmethod
    def _of(cls, relevant: Any, hits: np.ndarray, counts: Any, labels: tuple[Label, ...]) -> RankingOutcome:
        roles, depth = {"relevant": np.asarray(relevant, np.int64), "hits": hits}, hits.shape[1]
        made = cls(roles, np.asarray(counts, np.int64), labels, decision=f"depth {depth}", depth=depth)
        return made.grouped()  # type: ignore[return-value]  # of the same class

    @property
    def without_labels(self) -> Any:
        """Number of instances without gold labels: they count as 0 in R@K, RP@K and NDCG@K; shape (...)."""
        return scalar(self.counts[..., self.roles["relevant"] == 0].sum(-1))

    def values(self, ks: Iterable[int]) -> np.ndarray:
        """(K, 4·M) the measures of each kind of instance, in the order of `names_at`."""
        wanted, relevant = checked_ks(ks, self.depth, RANKS).tolist(), self.roles["relevant"]
        measures = np.zeros((len(relevant), len(MEASURES) * len(wanted)))
        for rows in row_blocks(len(measures), self.depth):
            single = _values(self.roles["hits"][rows], relevant[rows], wanted)
            measures[rows] = single.reshape(len(single), -1)
        return measures

    def scores(self, ks: Iterable[int]) -> dict[str, Any]:
        """Means over all instances, those without gold labels included, as {'P@1': …, …}.

        Floats, or arrays (...) for replicates. ValueError for K's beyond the depth, repeated or no whole
        numbers, and for an outcome of no instance.
        """
        ks = list(ks)
        if not np.all(self.n):
            raise ValueError("no instances: there is nothing to take a mean of")
        means = ratio(self.counts @ self.values(ks), np.asarray(self.n)[..., None])
        return {name: scalar(means[..., index]) for index, name in enumerate(names_at(ks))}

    def intervals(
        self, ks: Iterable[int], rng: np.random.Generator, replicates: int = 10_000
    ) -> dict[str, Interval]:
        """Percentile bootstrap intervals of `scores`, instances drawn; see `bootstrap_intervals`.

        >>> truth = scipy.sparse.csr_array([[0, 1]] * 8)
        >>> outcome = RankingOutcome.from_top(truth, np.array([[1]] * 6 + [[0]] * 2))
        >>> outcome.intervals([1], np.random.default_rng(1))["P@1"].value
        0.75
        """
        ks, values = list(ks), self.values(ks)

        def means(table: RankingOutcome) -> np.ndarray:
            return table.counts @ values / self.n

        return bootstrap_intervals(self, means, rng, replicates).named(names_at(ks))

    def signature(self, name: str) -> str:
        """What a ranking score needs to be read, e.g. for 'NDCG@5'.

        >>> RankingOutcome.from_top(scipy.sparse.csr_array([[0, 1]]), np.array([[1]])).signature("P@1")
        'P@1|ties:index|without_labels:0|n:1|labels_n:2|v:0.1'
        """
        return signature(name, ties="index", without_labels=0, n=self.n, labels_n=len(self.labels))

    def to_rows(self) -> list[list[Any]]:
        """Each kind as [gold labels, ranks of the hits, count], sorted.

        >>> RankingOutcome.from_top(scipy.sparse.csr_array([[0, 1]]), np.array([[0, 1]])).to_rows()
        [[1, [2], 1]]
        """
        ranks = [(np.flatnonzero(row) + 1).tolist() for row in self.roles["hits"]]
        rows = zip(self.roles["relevant"].tolist(), ranks, self.counts.tolist(), strict=True)
        return [list(row) for row in rows]

    @classmethod
    def from_rows(  # type: ignore[override]  # rows of another kind
        cls, rows: Sequence[Sequence[Any]], depth: int, labels: Sequence[Label]
    ) -> RankingOutcome:
        """The inverse of `to_rows`; ValueError names the first row that is none.

        >>> RankingOutcome.from_rows([[1, [2], 7]], depth=2, labels=["a", "b"]).scores([1, 2])["R@2"]
        1.0
        """
        hits = np.zeros((len(rows), depth), bool)
        for index, (relevant, ranks, count) in enumerate(rows):
            fits = all(1 <= rank <= depth for rank in ranks) and len(set(ranks)) == len(ranks)
            if not (fits and len(ranks) <= relevant <= len(labels) and count >= 0):
                needed = f"gold labels, different ranks up to {depth}, and a count"
                raise ValueError(f"rows[{index}] is {rows[index]}: {needed}")
            hits[index, np.array(ranks, dtype=np.intp) - 1] = True
        return cls._of([row[0] for row in rows], hits, [row[2] for row in rows], tuple(labels))
