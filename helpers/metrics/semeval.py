"""The official scorer of SemEval-2010 Task 8 (v1.2), all three evaluations, from counts.

directed: every directed label is a class. undirected: the direction is dropped first. grouped (the official
one): nine base relations, and a right relation in the wrong direction is one false positive and one false
negative of it. The negative class is averaged in none of them. Labels are written `Relation(e1,e2)` and
`Relation(e2,e1)`.

The official script reads answer files; here an id that was skipped is a prediction of `SKIPPED`.
Source: Hendrickx et al. 2010 and the scorer's own description; checked against the script's output (tests).
"""

from __future__ import annotations

import numpy as np

from ..core import SKIPPED, base_relation, unlisted_message
from .outcome import Outcome, scalar
from .scores import ClassCounts, in_range, ratio


def drop_direction(outcome: Outcome) -> Outcome:
    """The outcome with the direction of every label dropped, gold and predicted.

    >>> drop_direction(Outcome.from_columns(["R(e1,e2)"], ["R(e2,e1)"])).labels
    ('R',)
    """
    return outcome.relabel(base_relation, direction="dropped")


def official_scores(
    outcome: Outcome, negative: str | None = "Other", classes_of: Outcome | None = None
) -> dict[str, dict[str, float]]:
    """Micro-F1, macro-F1 and accuracy of the three evaluations; the task's number is ['grouped']['macro'].

    For a class r, F_r = 2·TP_r / (predicted_r + gold_r), 0 if that is 0/0. Macro is the mean over the classes
    that occur as gold; micro pools them. In the grouped evaluation r is a base relation, TP_r counts answers
    right in relation and direction, predicted_r and gold_r count the relation in either direction.

    Parameters
    ----------
    outcome : over directed labels, the negative class, and `SKIPPED` if ids were
        skipped.
    negative : never averaged. A class that is predicted but nowhere gold is not averaged either, and its
        answers are nobody's false alarms.
    classes_of : the table whose gold samples decide which classes are averaged, as in `averages`.

    Returns
    -------
    'directed', 'undirected', 'grouped' → 'micro', 'macro', 'accuracy', fractions: floats, or arrays (...) for
    replicates. Accuracy is over answered samples, 0 if none was answered.

    >>> table = Outcome.from_columns(["R(e1,e2)", "S(e2,e1)", "Other"], ["R(e2,e1)", "S(e2,e1)", "Other"])
    >>> official_scores(table)["grouped"]["macro"]
    0.5
    """
    if negative is not None and negative not in ("Other", *outcome.labels):
        raise ValueError(unlisted_message("negative", None, negative, outcome.labels))
    counts = outcome.per_class()
    key = counts if classes_of is None else classes_of.per_class()
    loose = drop_direction(outcome).per_class()
    loose_key = loose if classes_of is None else drop_direction(classes_of).per_class()
    belongs = np.equal.outer([base_relation(label) for label in counts.labels], loose.labels)
    right_in_both = counts.correct @ belongs.astype(counts.correct.dtype)  # relation and direction
    return {
        "directed": _scores(counts, counts.correct, negative, key),
        "undirected": _scores(loose, loose.correct, negative, loose_key),
        "grouped": _scores(loose, right_in_both, negative, loose_key),
    }


def official_macro(
    outcome: Outcome, negative: str | None = "Other", classes_of: Outcome | None = None
) -> float | np.ndarray:
    """The task's official number: macro-F1 of the grouped evaluation; arguments as of `official_scores`.

    >>> official_macro(Outcome.from_columns(["R(e1,e2)", "R(e1,e2)"], ["R(e1,e2)", "R(e2,e1)"]))
    0.5
    """
    return official_scores(outcome, negative, classes_of)["grouped"]["macro"]


def _scores(
    counts: ClassCounts, correct: np.ndarray, negative: str | None, key: ClassCounts
) -> dict[str, float]:
    names = np.array([label not in (negative, SKIPPED) for label in counts.labels])
    gold, predicted = counts.gold, counts.predicted
    scored = np.broadcast_to(names & (key.gold > 0), gold.shape)  # (..., L): classes of the key
    both = np.where(scored, gold + predicted, 0)
    hits = 2 * np.where(scored, correct, 0)
    skipped = predicted[..., counts.labels.index(SKIPPED)] if SKIPPED in counts.labels else 0
    shares = {
        "micro": (hits.sum(-1), both.sum(-1)),
        "macro": (ratio(hits, both, undefined=0.0).sum(-1), scored.sum(-1)),
        "accuracy": (correct.sum(-1), counts.n - skipped),
    }
    return {name: scalar(in_range(ratio(*share, undefined=0.0), name)) for name, share in shares.items()}
