"""From truth and scores to the outcome of a multi-label classifier, in one pass and in bounded memory.

The pass takes the best labels of each instance once, for the largest K, and keeps counts only: a million
instances by four thousand labels need little more memory than they are given in. Outcomes of batches add up
to the outcome of the whole, exactly. No interval is made here (`ranking`, `multilabel`); labels that occur in
the test data only are the matter of `zero_shot`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from .label_columns import checked_columns, label_names
from .label_counts import LabelCounts
from .label_matrix import as_label_matrix, from_lists, widened
from .label_scores import ScoreMatrix, as_scores, parts
from .label_sets import LabelSets
from .labels import Label
from .multilabel import f_measures
from .ranked_labels import RankedLabels
from .ranking import RankingOutcome
from .topk import check_k

PENDING = 1 << 16  # rows of tables that wait to be merged: merging stays cheap, and so does waiting


@dataclass(frozen=True)
class MultilabelOutcome:
    """What is kept of a test set: hits by rank, counts by label, and pairs of label sets where wanted.

    Attributes
    ----------
    ranking : for P@K, R@K, RP@K, NDCG@K. decided : for the F-measures; None where lists without scores leave
        open what is predicted. sets : for bootstrap intervals of the F-measures; None unless asked for.

    >>> truth, scores = [[1, 0, 1], [0, 1, 0]], [[2.0, -1, 1], [1, -1, -1]]
    >>> outcome = MultilabelOutcome.from_scores(truth, scores, depth=2)
    >>> {name: round(value, 4) for name, value in outcome.scores([1]).items()}
    {'P@1': 0.5, 'R@1': 0.25, 'RP@1': 0.5, 'NDCG@1': 0.5, 'Macro-F1': 0.5556, 'Micro-F1': 0.6667,
     'Macro*-F1': 0.5714}
    >>> (outcome + outcome).ranking.n
    4
    """

    ranking: RankingOutcome
    decided: LabelCounts | None
    sets: LabelSets | None = None

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
        columns: Any = None,
        keep_sets: bool = False,
    ) -> MultilabelOutcome:
        """Evaluate truth and scores.

        Parameters
        ----------
        truth : (n, L) 0/1, dense or sparse; see `label_matrix.as_label_matrix`.
        scores : (n, L) dense, sparse (what is not stored is 0), or `RankedLabels`. −∞: never reached, neither
            ranked nor predicted. The order of labels is that of `topk.top_k`: ties go to the lower index.
        depth : the largest K of the ranking measures, from 1 to the number of labels with scores.
        threshold : a label is predicted if its score is above it: 0 for decision values (0 itself is
            negative), 0.5 for probabilities. A finite number.
        multiclass : predict the best label of each instance in place of all above the threshold. The ranking
            measures stay as they are.
        labels : names of the columns; None: 0 … L−1.
        columns : (M,) the column of the truth that each column of the scores stands for; None: the same.
            Labels without scores are never ranked and never predicted; ties go by the columns of the scores.
        keep_sets : keep the pairs of label sets, which bootstrap intervals of the F-measures need.

        Raises
        ------
        ValueError : a truth other than 0 and 1, a score that is nan, lists that are no rankings, all with row
            and column; shapes that differ; depth, threshold, labels or columns that do not fit.

        >>> lists = RankedLabels([[2, 0]], [[0.9, 0.3]])
        >>> outcome = MultilabelOutcome.from_scores([[1, 0, 0]], lists, depth=2, threshold=0.5)
        >>> outcome.ranking.scores([2])["P@2"], outcome.counts.decision
        (0.5, 'top2,score>0.5')
        """
        gold = as_label_matrix(truth)
        n, n_labels = gold.shape
        names = label_names(labels, n_labels)
        place = np.arange(n_labels) if columns is None else checked_columns(columns, n_labels)
        form = as_scores(scores, len(place), n)
        check_k(depth, len(place), "depth")
        if not np.isfinite(threshold):
            raise ValueError(f"threshold is {threshold}: a finite number is needed")
        decision = "argmax" if multiclass else form.decision(threshold)

        def outcome_of(gold: csr_array, part: ScoreMatrix | RankedLabels) -> MultilabelOutcome:
            top = part.top(depth)
            guess = _predicted(part, top, threshold, multiclass)
            if columns is not None:
                top = np.append(place, -1)[top]  # −1, no label, finds the last one: −1 again
                guess = None if guess is None else widened(guess, place, n_labels)
            ranking = RankingOutcome.from_top(gold, top, names)
            if guess is None:
                return cls(ranking, None)
            # the names were checked once: not again for every block
            counts = replace(LabelCounts.from_matrices(gold, guess, decision=decision), labels=names)
            if not keep_sets:
                return cls(ranking, counts)
            sets = replace(LabelSets.from_matrices(gold, guess, decision=decision), labels=names)
            return cls(ranking, counts, sets)

        return cls.merged(outcome_of(*part) for part in parts(gold, form))

    @classmethod
    def from_batches(
        cls, batches: Iterable[tuple[Any, Any]], depth: int = 5, **options: Any
    ) -> MultilabelOutcome:
        """Evaluate batches (truth, scores), e.g. from a generator, one at a time.

        Arguments and errors as `from_scores`, which it equals for any split into batches; a message starts
        with the number of the batch. Raises ValueError if there is no batch.

        >>> batches = (([[1, 0]], [[score, 0.5]]) for score in (0.75, 0.25))
        >>> MultilabelOutcome.from_batches(batches, depth=1).scores([1])["P@1"]
        0.5
        """

        def outcome_of(index: int, truth: Any, scores: Any) -> MultilabelOutcome:
            try:
                return cls.from_scores(truth, scores, depth, **options)
            except ValueError as error:
                raise ValueError(f"batch {index}: {error}") from error

        return cls.merged(outcome_of(index, *batch) for index, batch in enumerate(batches))

    @classmethod
    def merged(cls, outcomes: Iterable[MultilabelOutcome]) -> MultilabelOutcome:
        """The sum of one outcome or more, taken one at a time; ValueError if depth, labels or decision
        differ.

        >>> one = MultilabelOutcome.from_scores([[1, 0]], [[0.5, 0]], depth=1)
        >>> MultilabelOutcome.merged(iter([one, one])).ranking.n
        2
        """
        waiting: list[MultilabelOutcome] = []
        rows = 0
        for outcome in outcomes:
            waiting.append(outcome)
            rows += outcome.size
            if rows > PENDING + 2 * waiting[0].size:
                waiting = [_sum(waiting)]
                rows = waiting[0].size
        if not waiting:
            raise ValueError("no batches: there is nothing to evaluate")
        return _sum(waiting)

    @property
    def size(self) -> int:
        """Rows of its tables."""
        pairs = 0 if self.sets is None else len(self.sets.counts)
        return len(self.ranking.relevant) + pairs + len(self.ranking.labels)

    def __add__(self, other: MultilabelOutcome) -> MultilabelOutcome:
        return self.merged([self, other]) if isinstance(other, MultilabelOutcome) else NotImplemented

    def __radd__(self, other: object) -> MultilabelOutcome:
        return self if other == 0 else NotImplemented  # so that sum(outcomes) works

    @property
    def counts(self) -> LabelCounts:
        """The counts of the labels; ValueError where nothing was decided."""
        if self.decided is None:
            raise ValueError("the lists of labels have no scores, so no label is predicted: no F-measures")
        return self.decided

    def scores(self, ks: Iterable[int]) -> dict[str, float]:
        """The ranking measures at each K and the three F-measures; ValueError as `RankingOutcome.scores`, and
        where nothing was decided (`ranking.scores` then has the rest)."""
        return self.ranking.scores(ks) | f_measures(self.counts)


def _predicted(
    part: ScoreMatrix | RankedLabels, top: np.ndarray, threshold: float, multiclass: bool
) -> csr_array | None:
    if multiclass:
        return from_lists(top[:, :1], top[:, :1] >= 0, part.n_labels)
    return None if isinstance(part, RankedLabels) and part.scores is None else part.decide(threshold)


def _sum(outcomes: list[MultilabelOutcome]) -> MultilabelOutcome:
    if len({(one.decided is None, one.sets is None) for one in outcomes}) > 1:
        raise ValueError("outcomes with and without decided labels or pairs of sets do not add up")
    first = outcomes[0]
    return MultilabelOutcome(
        RankingOutcome.merged([one.ranking for one in outcomes]),
        None if first.decided is None else sum(one.decided for one in outcomes),
        None if first.sets is None else LabelSets.merged([one.sets for one in outcomes]),
    )
