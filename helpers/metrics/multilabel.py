"""The outcome of a multi-label classifier from truth and scores: measures by rank, and F-measures.

`MultilabelOutcome` is made in one pass, block by block, and keeps counts of ranks and of label sets only;
outcomes of batches add up to that of the whole, exactly. Label sets are averaged by the same `averages` as
single labels: a label is a class, the number of its gold instances is its support. What differs is said by
`Policy.of`.

A hit is a gold label among the first K. The order of labels is always the same: scores descend, and among
equal scores the label with the lower index comes first, as in `numpy.argsort(-scores, kind="stable")`.
LibMultiLabel takes the K labels from `numpy.argpartition`, which breaks ties as it happens to: at the K-th
place its metrics are not defined by the scores alone. P@K, R@K, RP@K and NDCG@K average over *all* instances;
those without gold labels have 0 in all four.

Sources: LibMultiLabel's implementation document, evaluation metrics (its second worked example prints 1.52
for a DCG@5 that is 1 / log2(3) + 1 / log2(4) + 1 / log2(5) = 1.561606); the schemes are those of Harbecke et
al. 2022, Section 2.3, which the paper applies to single-label data only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import Label
from .averaging import average, averages, signature
from .bootstrap import Interval, bootstrap_intervals
from .counting import as_label_matrix, as_score_matrix, checked_labels
from .outcome import Outcome, check_same, scalar
from .scores import ClassCounts, Schemes, f_of_means, ratio, scheme_names

BLOCK_ENTRIES = 1 << 21  # rows × columns of scores that are worked on at a time: 16 MB
MEASURES = ("P", "R", "RP", "NDCG")


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
    k = np.asarray(ks)
    n_hits = hits.cumsum(axis=1)[:, k - 1]
    some = np.maximum(relevant, 1)  # without gold labels there are no hits: 0 / 1
    discounts = 1 / np.log2(np.arange(hits.shape[1]) + 2)
    dcg = (hits * discounts).cumsum(axis=1)[:, k - 1]
    ideal = discounts.cumsum()[np.minimum(k, some) - 1]  # a running sum, too: a perfect ranking has exactly 1
    return np.stack([n_hits / k, n_hits / some, n_hits / np.minimum(k, some), dcg / ideal], axis=1)


def checked_ks(ks: Iterable[int], most: int, argument: str = "ks[{}]") -> np.ndarray:
    """(M,) the K's; ValueError, which calls each by `argument`, unless they are one or more different whole
    numbers from 1 to `most`.

    >>> checked_ks([5, 1], 5).tolist()
    [5, 1]
    >>> checked_ks([1, 6], 5)
    Traceback (most recent call last):
    ValueError: ks[1] is 6: different whole numbers from 1 to 5 are needed
    """
    given = [] if isinstance(ks, str) or not isinstance(ks, Iterable) else list(ks)
    if not given:
        raise ValueError(f"ks is {ks!r}: a list of whole numbers is needed")
    for index, k in enumerate(given):
        is_whole = isinstance(k, int | np.integer) and not isinstance(k, bool)
        if not is_whole or not 1 <= k <= most or k in given[:index]:
            wrong = f"{argument.format(index)} is {k!r}"
            raise ValueError(f"{wrong}: different whole numbers from 1 to {most} are needed")
    return np.array(given, dtype=np.intp)


def _names_at(ks: Iterable[int]) -> list[str]:
    """Names of the measures at each K, in the order of `_values`.

    >>> _names_at([1, 5])
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

    For small depths there are few kinds, whatever n is; never are there more than n. A row is [gold labels,
    ranks of the hits, count].

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
        hits = np.take_along_axis(gold.toarray(), top, axis=1) & (top >= 0)
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
        """(K, 4·M) the measures of each kind of instance, in the order of `_names_at`."""
        wanted, relevant = checked_ks(ks, self.depth).tolist(), self.roles["relevant"]
        measures = np.zeros((len(relevant), len(MEASURES) * len(wanted)))
        for rows in _row_blocks(len(measures), self.depth):
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
        return {name: scalar(means[..., index]) for index, name in enumerate(_names_at(ks))}

    def intervals(
        self, ks: Iterable[int], rng: np.random.Generator, replicates: int = 10_000
    ) -> dict[str, Interval]:
        """Percentile bootstrap intervals of `scores`, instances drawn; see `bootstrap_intervals`.

        >>> truth = scipy.sparse.csr_array([[0, 1]] * 8)
        >>> outcome = RankingOutcome.from_top(truth, np.array([[1]] * 6 + [[0]] * 2))
        >>> outcome.intervals([1], np.random.default_rng(1))["P@1"].value
        0.75
        """
        ks = list(ks)
        values = self.values(ks)
        drawn = bootstrap_intervals(self, lambda table: table.counts @ values / self.n, rng, replicates)
        return drawn.named(_names_at(ks))

    def signature(self, name: str) -> str:
        """What a ranking score needs to be read, e.g. for 'NDCG@5'.

        >>> RankingOutcome.from_top(scipy.sparse.csr_array([[0, 1]]), np.array([[1]])).signature("P@1")
        'P@1|ties:index|without_labels:0|n:1|labels_n:2|v:0.1'
        """
        return signature(name, ties="index", without_labels=0, n=self.n, labels_n=len(self.labels))

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


def _row_blocks(n: int, width: int) -> Iterator[slice]:
    """Consecutive slices of n rows with about `BLOCK_ENTRIES` entries each, `width` a row.

    >>> list(_row_blocks(3, BLOCK_ENTRIES // 2))
    [slice(0, 2, None), slice(2, 3, None)]
    """
    step = max(1, BLOCK_ENTRIES // max(1, width))
    return (slice(start, min(start + step, n)) for start in range(0, n, step))


F_MEASURES = {"Macro-F1": ("f1", "macro"), "Micro-F1": ("f1", "micro"), "Macro*-F1": ("f1_of_means", "macro")}
"""LibMultiLabel's F-measures → score and scheme of their signatures."""


def _f_measures(counts: Outcome | ClassCounts) -> dict[str, Any]:
    """LibMultiLabel's F-measures, over all L labels; floats, or arrays (...) for replicates.

    Macro-F1 = Σ_l 2·TP_l / (2·TP_l + FP_l + FN_l) / L · Micro-F1 = 2·ΣTP / Σ(2·TP + FP + FN) · Macro*-F1 =
    2PR / (P + R), P and R the means over L of the precision and of the recall of the labels
    ('Another-Macro-F1' in LibMultiLabel's code). 0/0 is 0 in all of them, and L counts labels that are
    neither gold nor predicted.

    LibMultiLabel's document prints Micro-F1 without the factor 2 in the numerator, by which a perfect
    prediction would score 0.5; its code has the factor. Macro*-F1 is an F of means, at least as large as the
    mean of Fs (Opitz & Burst 2019).

    >>> counts = Outcome.from_sets([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [0, 0, 0]])
    >>> {name: round(value, 4) for name, value in _f_measures(counts).items()}
    {'Macro-F1': 0.2222, 'Micro-F1': 0.5, 'Macro*-F1': 0.2222}
    """
    macro, precision, recall = (average(counts, "macro", score) for score in ("f1", "precision", "recall"))
    of_means = scalar(np.asarray(f_of_means(precision, recall)))
    return dict(zip(F_MEASURES, (macro, average(counts, "micro"), of_means), strict=True))


@dataclass(frozen=True)
class MultilabelOutcome:
    """What is kept of a test set: hits by rank, counts by label, and pairs of label sets.

    Attributes
    ----------
    ranking : for P@K, R@K, RP@K, NDCG@K. counts : how often each label is gold, predicted, and both, for the
        F-measures. sets : for their bootstrap intervals and for run files; None if they were not to be kept.

    >>> truth, scores = [[1, 0, 1], [0, 1, 0]], [[2.0, -1, 1], [1, -1, -1]]
    >>> outcome = MultilabelOutcome.from_scores(truth, scores, depth=2)
    >>> {name: round(value, 4) for name, value in outcome.scores([1]).items()}
    {'P@1': 0.5, 'R@1': 0.25, 'RP@1': 0.5, 'NDCG@1': 0.5, 'Macro-F1': 0.5556, 'Micro-F1': 0.6667,
     'Macro*-F1': 0.5714}
    >>> MultilabelOutcome.merged([outcome, outcome]).ranking.n
    4
    """

    ranking: RankingOutcome
    counts: ClassCounts = field(compare=False)
    sets: Outcome | None = None

    @classmethod
    def from_scores(
        cls,
        truth: Any,
        scores: Any,
        depth: int = 5,
        *,
        threshold: float = 0.0,
        multiclass: bool = False,
        labels: Iterable[Label] | None = None,
        unscored: int = 0,
        keep_sets: bool = True,
    ) -> MultilabelOutcome:
        """Evaluate truth and scores.

        Parameters
        ----------
        truth : (n, L) 0/1, dense or sparse; see `as_label_matrix`.
        scores : (n, L − unscored) dense, or sparse (what is not stored is 0). −∞: never reached, neither
            ranked nor predicted. Among equal scores the label with the lower index comes first.
        depth : the largest K of the ranking measures, from 1 to the number of labels with scores.
        threshold : a label is predicted if its score is above it: 0 for decision values (0 itself is
            negative), 0.5 for probabilities. A finite number.
        multiclass : predict the best label of each instance in place of all above the threshold. The ranking
            measures stay as they are.
        labels : names of the columns; None: 0 … L−1.
        unscored : so many labels, the last ones, have no scores: they are never ranked and never predicted.
            No model can reach labels of the test data only, so there are two ways to deal with them,
            LibMultiLabel's switch `include_test_labels`, and numbers made in the two ways are not comparable.
            False, the default there: such labels are left out of the truth as well; instances that have no
            others stay, with an empty set. True: they are in the truth, unscored. Their F is then 0, so
            Macro-F1 is multiplied by the share of the labels that have scores, and Micro-F1 gets their false
            negatives. LibMultiLabel's document says that ranking measures are not affected. Of the four that
            holds for P@K only: an instance with such a label has more gold labels, so R@K falls, and RP@K and
            NDCG@K fall where fewer than K of its gold labels have scores.
        keep_sets : False forgets the pairs of label sets: of a million documents they are larger than the
            input, and only intervals and run files need them.

        Raises
        ------
        ValueError : a truth other than 0 and 1, a score that is nan, both with row and
            column; shapes that differ; depth, threshold or labels that do not fit.

        >>> outcome = MultilabelOutcome.from_scores([[1, 0]], [[0.25, 0.75]], depth=2, threshold=0.5)
        >>> outcome.ranking.scores([2])["P@2"], outcome.counts.decision
        (0.5, 'score>0.5')
        >>> truth, scores = [[1, 0, 1], [0, 1, 0]], [[2, -1], [-1, 2]]
        >>> both = MultilabelOutcome.from_scores(truth, scores, 1, unscored=1).scores([1])
        >>> both["P@1"], both["R@1"], round(both["Macro-F1"], 4)
        (1.0, 0.75, 0.6667)
        """
        gold, matrix = as_label_matrix(truth), as_score_matrix(scores)
        n, n_scored = gold.shape[0], gold.shape[1] - unscored
        names = checked_labels(range(gold.shape[1]) if labels is None else labels, gold.shape[1])
        if matrix.shape != (n, n_scored):
            raise ValueError(f"scores has shape {matrix.shape}, but truth has {(n, n_scored)}")
        checked_ks([depth], n_scored, argument="depth")
        if not np.isfinite(threshold):
            raise ValueError(f"threshold is {threshold}: a finite number is needed")
        decision = "argmax" if multiclass else f"score>{threshold:.12g}"

        def outcome_of(gold: scipy.sparse.csr_array, block: np.ndarray) -> MultilabelOutcome:
            labels, best = _best_of(block, depth)
            taken = block > (-np.inf if multiclass else threshold)
            if multiclass:
                taken &= labels[:, :1] == np.arange(n_scored)
            guess: Any = scipy.sparse.csr_array(taken)
            guess.resize(gold.shape)
            ranking = RankingOutcome.from_top(gold, np.where(best == -np.inf, -1, labels), names)
            once = np.ones(gold.shape[0], np.int64)
            sets = Outcome({"gold": gold, "predicted": guess}, once, names, decision=decision)
            return cls(ranking, sets.per_class(), sets.grouped() if keep_sets else None)

        return cls.merged(outcome_of(gold[rows], block) for rows, block in _score_blocks(matrix))

    @classmethod
    def merged(cls, outcomes: Iterable[MultilabelOutcome]) -> MultilabelOutcome:
        """The sum of one or more; ValueError if depth, labels or decision differ.

        >>> batch = MultilabelOutcome.from_scores([[1, 0]], [[0.5, 0]], depth=1)
        >>> MultilabelOutcome.merged(iter([batch, batch])).ranking.n
        2
        """
        rankings: list[RankingOutcome] = []
        sets: list[Any] = []
        counts: ClassCounts | None = None
        for batch in outcomes:  # one at a time: counts are added as they come
            rankings.append(batch.ranking)
            sets.append(batch.sets)
            counts = batch.counts if counts is None else _added(counts, batch.counts)
        if counts is None:
            raise ValueError("no batches: there is nothing to evaluate")
        whole = None if any(each is None for each in sets) else Outcome.merged(sets)
        return cls(RankingOutcome.merged(rankings), counts, whole)

    def scores(self, ks: Iterable[int]) -> dict[str, float]:
        """The ranking measures at each K and the three F-measures; ValueError as `RankingOutcome.scores`."""
        return self.ranking.scores(ks) | _f_measures(self.counts)

    def intervals(
        self,
        ks: Iterable[int],
        rng: np.random.Generator,
        replicates: int = 10_000,
        schemes: Schemes = None,
        **policy: Any,
    ) -> dict[str, Interval]:
        """Percentile bootstrap intervals of `scores` and of F1 under each scheme; `sets` have to be kept.

        Instances are drawn, with all their labels, for the ranking and then for the label sets; the labels
        that are averaged are those of the original in every replicate (see `averages`, `classes_of`).

        >>> outcome = MultilabelOutcome.from_scores([[1, 0]] * 9 + [[1, 1]], [[1, -1]] * 10, 1)
        >>> drawn = outcome.intervals([1], np.random.default_rng(1), 500)
        >>> drawn["Micro-F1"].value == drawn["micro"].value, drawn["macro"].low, drawn["macro"].high
        (True, 0.5, 0.5)
        """
        if self.sets is None:
            raise ValueError("there are no label sets to draw: from_scores(…, keep_sets=True) keeps them")
        names, original = [*F_MEASURES, *scheme_names(schemes)], self.sets.per_class()

        def statistic(table: Outcome) -> np.ndarray:
            counts = table.per_class()
            fixed = np.stack(list(_f_measures(counts).values()), axis=-1)
            return np.concatenate([fixed, averages(counts, schemes, classes_of=original, **policy)], axis=-1)

        drawn = self.ranking.intervals(ks, rng, replicates)
        return drawn | bootstrap_intervals(self.sets, statistic, rng, replicates).named(names)


def _added(first: ClassCounts, other: ClassCounts) -> ClassCounts:
    """The sum; ValueError if labels or decision differ."""
    check_same(first, other)
    summed = ("correct", "predicted", "gold", "n")
    return replace(first, **{name: getattr(first, name) + getattr(other, name) for name in summed})


def _best_of(block: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """(rows, k) labels and scores of the k best of each row of a dense block, best first.

    >>> _best_of(np.array([[0.5, 0.75]]), 1)
    (array([[1]]), array([[0.75]]))
    """
    chosen = block >= np.partition(block, -k, axis=1)[:, -k, None]
    tied = np.flatnonzero(np.count_nonzero(chosen, axis=1) > k)  # at the k-th place
    chosen[tied] = False
    chosen[tied[:, None], np.argsort(-block[tied], axis=1, kind="stable")[:, :k]] = True
    columns = (np.flatnonzero(chosen) % block.shape[1]).reshape(-1, k)  # several times as fast as nonzero
    scores = np.take_along_axis(block, columns, axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.take_along_axis(columns, order, axis=1), np.take_along_axis(scores, order, axis=1)


def _score_blocks(matrix: np.ndarray | scipy.sparse.csr_array) -> Iterator[tuple[slice, np.ndarray]]:
    """Consecutive rows of a score matrix as dense floats; one empty block if there is no row.

    Raises ValueError for the first nan, with its row and column.

    >>> [(rows.stop, block.tolist()) for rows, block in _score_blocks(np.eye(2))]
    [(2, [[1.0, 0.0], [0.0, 1.0]])]
    """
    for rows in _row_blocks(*matrix.shape) if matrix.shape[0] else [slice(None)]:
        block = matrix[rows].toarray() if scipy.sparse.issparse(matrix) else matrix[rows]
        block = block if block.dtype.kind == "f" else block.astype(float)
        if block.size and np.isnan(block.min()):
            row, column = np.argwhere(np.isnan(block))[0]
            named = f"scores[{rows.start + row}, {column}]"
            raise ValueError(f"{named} is nan: every score has to be a number (−inf: never reached)")
        yield rows, block
