"""Labels that occur in the test data only, with and without them: two outcomes of the same scores.

No model can reach such labels. LibMultiLabel's switch `include_test_labels` (false unless given) decides
whether they are in the truth; numbers made with and without it are not comparable, so both are given here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .label_columns import checked_columns, label_names
from .label_matrix import as_label_matrix
from .labels import Label
from .multilabel_outcome import MultilabelOutcome


def with_and_without_test_labels(
    truth: Any,
    scores: Any,
    known: Any,
    depth: int = 5,
    *,
    labels: Iterable[Label] | None = None,
    **options: Any,
) -> dict[bool, MultilabelOutcome]:
    """Labels that occur in the test data only: both ways to deal with them, by LibMultiLabel's switch
    `include_test_labels`.

    False, the default there: such labels are dropped from the truth; instances that have no others stay, with
    an empty set. True: the labels stay, and as no model can reach them they are never ranked or predicted.
    Their F is then 0, so Macro-F1 is multiplied by M / L, and Micro-F1 gets their false negatives.
    LibMultiLabel's document says that ranking measures are not affected. Of the four that holds for P@K only:
    an instance with such a label has more gold labels, so R@K falls, and RP@K and NDCG@K fall where fewer
    than K of its gold labels are known.

    Parameters
    ----------
    truth : (n, L) over all labels, those of the training data and those of the test data only.
    scores : (n, M) over the labels of the training data. known : (M,) the columns of the truth that they are.
    labels : names of the L columns. depth, options : as in `MultilabelOutcome.from_scores`.

    Returns
    -------
    {False: outcome over the M known labels, True: outcome over all L}.

    >>> both = with_and_without_test_labels([[1, 0, 1], [0, 1, 0]], [[2, -1], [-1, 2]], [0, 1], depth=1)
    >>> {included: outcome.scores([1])["P@1"] for included, outcome in both.items()}
    {False: 1.0, True: 1.0}
    >>> {included: outcome.scores([1])["R@1"] for included, outcome in both.items()}
    {False: 1.0, True: 0.75}
    >>> {included: round(outcome.scores([1])["Macro-F1"], 4) for included, outcome in both.items()}
    {False: 1.0, True: 0.6667}
    """
    gold = as_label_matrix(truth)
    names, columns = label_names(labels, gold.shape[1]), checked_columns(known, gold.shape[1])
    kept = [names[column] for column in columns.tolist()]
    return {
        False: MultilabelOutcome.from_scores(gold[:, columns], scores, depth, labels=kept, **options),
        True: MultilabelOutcome.from_scores(gold, scores, depth, labels=names, columns=columns, **options),
    }
