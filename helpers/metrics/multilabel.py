"""The outcome of a multi-label classifier from truth and scores, and the F-measures of it.

`MultilabelOutcome` is made in one pass, block by block, and keeps counts of ranks and of label sets only;
outcomes of batches add up to that of the whole, exactly. Label sets are averaged by the same `averages` as
single labels: a label is a class, the number of its gold instances is its support. What differs is said by
`Policy.of`.

Sources: LibMultiLabel's implementation document, evaluation metrics; the schemes are those of Harbecke et al.
2022, Section 2.3, which the paper applies to single-label data only.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from ..core import Label
from .averaging import average, averages
from .bootstrap import Interval, bootstrap_intervals
from .counting import as_label_matrix, as_score_matrix, label_names, row_blocks
from .outcome import Outcome, check_same, scalar
from .ranking import RankingOutcome, checked_ks
from .scores import ClassCounts, f_of_means
from .weighting import Schemes, scheme_names

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


def label_intervals(
    sets: Outcome, rng: np.random.Generator, schemes: Schemes = None, replicates: int = 10_000, **policy: Any
) -> dict[str, Interval]:
    """Percentile bootstrap intervals of the three F-measures and of F1 under each scheme.

    Instances are drawn, with all their labels; the labels that are averaged are those of the original in
    every replicate (see `averages`, `classes_of`). Arguments as in `averages` and
    `bootstrap_intervals`. All values come from the same replicates.

    >>> sets = Outcome.from_sets([[1, 0]] * 9 + [[1, 1]], [[1, 0]] * 10)
    >>> found = label_intervals(sets, np.random.default_rng(1), replicates=500)
    >>> found["Micro-F1"].value == found["micro"].value, found["macro"].low, found["macro"].high
    (True, 0.5, 0.5)
    """
    names, original = [*F_MEASURES, *scheme_names(schemes)], sets.per_class()

    def statistic(table: Outcome) -> np.ndarray:
        counts = table.per_class()
        fixed = np.stack(list(_f_measures(counts).values()), axis=-1)
        return np.concatenate([fixed, averages(counts, schemes, classes_of=original, **policy)], axis=-1)

    return bootstrap_intervals(sets, statistic, rng, replicates).named(names)


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
        names = label_names(labels, gold.shape[1])
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
        whole = None if any(one is None for one in sets) else Outcome.merged(sets)
        return cls(RankingOutcome.merged(rankings), counts, whole)

    def scores(self, ks: Iterable[int]) -> dict[str, float]:
        """The ranking measures at each K and the three F-measures; ValueError as `RankingOutcome.scores`."""
        return self.ranking.scores(ks) | _f_measures(self.counts)


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
    for rows in row_blocks(*matrix.shape) if matrix.shape[0] else [slice(None)]:
        block = matrix[rows].toarray() if scipy.sparse.issparse(matrix) else matrix[rows]
        block = block if block.dtype.kind == "f" else block.astype(float)
        if block.size and np.isnan(block.min()):
            row, column = np.argwhere(np.isnan(block))[0]
            named = f"scores[{rows.start + row}, {column}]"
            raise ValueError(f"{named} is nan: every score has to be a number (−inf: never reached)")
        yield rows, block
