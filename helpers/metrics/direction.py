"""Directed relations: the official scorer of SemEval-2010 Task 8, and how well a model reads direction.

The official scorer (v1.2) has three evaluations. directed: every directed label is a class. undirected: the
direction is dropped first. grouped (the official one): nine base relations, and a right relation in the wrong
direction is one false positive and one false negative of it. The negative class is averaged in none of them.
Labels are written `Relation(e1,e2)` and `Relation(e2,e1)`. The official script reads answer files; here an id
that was skipped is a prediction of `SKIPPED`. Source: Hendrickx et al. 2010 and the scorer's own description;
checked against the script's output (tests).

Direction is measured by performance difference, predictive immobility rate and paired predictive rate.
The paired sample of a sample is the same sentence with its two entities exchanged, so its gold label is the
inverse relation (`helpers.data` builds it). A model that reads direction is right on both.
Source: Lyu et al. 2021, Section III, Eqs. 1–3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..core import SKIPPED, Label, base_relation, inverse_label, shown, unlisted_message
from .outcome import Outcome, positions, scalar
from .report import plain_values
from .scores import ClassCounts, ratio

Performance = Callable[..., Any]
BREAKDOWN = ("right_original", "right_both", "still", "elsewhere", "right_paired")
"""The shares of `paired_breakdown`."""
TIE = 1e-12  # performances closer than this are equal: the order of summation may not choose the better set


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
    counts, loose = _class_counts(outcome)
    key, loose_key = (counts, loose) if classes_of is None else _class_counts(classes_of)
    belongs = np.equal.outer([base_relation(label) for label in counts.labels], loose.labels)
    right_in_both = counts.correct @ belongs.astype(counts.correct.dtype)  # relation and direction
    return {
        "directed": _official(counts, counts.correct, negative, key),
        "undirected": _official(loose, loose.correct, negative, loose_key),
        "grouped": _official(loose, right_in_both, negative, loose_key),
    }


def _class_counts(outcome: Outcome) -> tuple[ClassCounts, ClassCounts]:
    """Of each directed label, and of each base relation."""
    return outcome.per_class(), outcome.relabel(base_relation, "dropped").per_class()


def official_macro(
    outcome: Outcome, negative: str | None = "Other", classes_of: Outcome | None = None
) -> float | np.ndarray:
    """The task's official number: macro-F1 of the grouped evaluation; arguments as of `official_scores`.

    >>> official_macro(Outcome.from_columns(["R(e1,e2)", "R(e1,e2)"], ["R(e1,e2)", "R(e2,e1)"]))
    0.5
    """
    return official_scores(outcome, negative, classes_of)["grouped"]["macro"]


def _official(
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
    return {name: scalar(ratio(*share, undefined=0.0)) for name, share in shares.items()}


class DirectionScores(NamedTuple):
    """What `direction_scores` found; fractions, arrays for replicates.

    Attributes
    ----------
    performance_original, performance_paired : P_A and P_B.
    pd : |P_A − P_B|; small is good.
    better_set : 'A' if P_A > P_B, else 'B' (a tie goes to B).
    pir : share of the right predictions on the better set that did not move; small is good; nan if none is
        right.
    ppr : share of samples that are right on both sets; large is good; nan if no label has an inverse.
    n : samples that pir and ppr look at: those whose gold label has an inverse.
    """

    performance_original: Any
    performance_paired: Any
    pd: Any
    better_set: Any
    pir: Any
    ppr: Any
    n: Any

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, for JSON: nan becomes None.

        >>> DirectionScores(0.0, 0.0, 0.0, "B", float("nan"), 0.0, 4).to_dict()["pir"] is None
        True
        """
        return plain_values(self._asdict())


def _inverses(labels: Iterable[Label], given: Mapping[Label, Label] | None = None) -> dict[Label, Label]:
    """The inverse of each label, in both directions; ValueError where those that are given contradict
    themselves.

    given : None: `R(e1,e2)` ↔ `R(e2,e1)`, and a label without a direction is its own inverse.

    >>> _inverses(["R(e1,e2)", "Other"])
    {'R(e1,e2)': 'R(e2,e1)', 'Other': 'Other', 'R(e2,e1)': 'R(e1,e2)'}
    """
    named = {label: inverse_label(label) for label in labels} if given is None else given
    both: dict[Label, Label] = {}
    for label, other in [*named.items(), *((other, label) for label, other in named.items())]:
        if both.setdefault(label, other) != other:
            raise ValueError(f"inverse maps {shown(label)} to both {shown(both[label])} and {shown(other)}")
    return both


def _with_inverses(outcome: Outcome, inverse: Mapping[Label, Label]) -> Outcome:
    """The same outcomes with the inverse of every label listed: one direction alone may occur."""
    return outcome.with_labels(inverse.get(label, label) for label in outcome.labels)


def direction_scores(
    outcome: Outcome,
    inverse: Mapping[Label, Label] | None = None,
    performance: Performance = official_macro,
    classes_of: Outcome | None = None,
) -> DirectionScores:
    """PD, PIR and PPR of a model evaluated on a test set A and its paired set B.

    With gold t, prediction y, and X the set of better performance (B on a tie):
    PD = |P_A − P_B| · PIR = #(y_A = y_B and y_X = t_X) / #(y_X = t_X) · PPR = #(y_A = t_A and y_B = t_B) / n.

    Parameters
    ----------
    outcome : gold × predicted on A × predicted on B, the role `paired`.
    inverse : gold label on A → gold label on B; None: `(e1,e2)` ↔ `(e2,e1)`. Labels that are their own
        inverse (the negative class) play their part in P_A and P_B and are left out of PIR and PPR, as in the
        paper's numbers.
    performance : outcome → score, replicates included; default the official SemEval macro-F1, as in the
        paper.
    classes_of : an outcome whose gold labels decide which classes the performance averages, as in `averages`:
        the original one of bootstrap replicates. `performance` is then given `classes_of`, an outcome, too.

    Returns
    -------
    performance_original, performance_paired : P_A and P_B. pd : |P_A − P_B|; small is good.
    better_set : 'A' if P_A > P_B, else 'B' (a tie goes to B).
    pir : share of the right predictions on the better set that did not move; small is good; nan if none is
        right.
    ppr : share of samples that are right on both sets; large is good; nan if no label has an inverse.
    n : samples that pir and ppr look at: those whose gold label has an inverse.

    Raises
    ------
    ValueError : `inverse` maps a label to two, or two labels to one. A pair may be given once, in either
        order.

    >>> labels = ["R(e1,e2)", "R(e2,e1)"]
    >>> scores = direction_scores(Outcome.from_columns(labels, labels, paired=["R(e2,e1)", "R(e2,e1)"]))
    >>> scores.pd, scores.better_set, scores.pir, scores.ppr
    (0.5, 'A', 0.5, 0.5)
    """
    inverse = _inverses(outcome.labels, inverse)
    outcome = _with_inverses(outcome, inverse)
    directed, right_a, right_b, still = _answers(outcome, inverse)
    tables = outcome.of("predicted"), outcome.of("paired", inverse)
    keys: list[dict[str, Any]] = [{}, {}]
    if classes_of is not None:
        whole = _with_inverses(classes_of, inverse)
        keys = [{"classes_of": whole.of("predicted")}, {"classes_of": whole.of("paired", inverse)}]
    p_a, p_b = (performance(table, **key) for table, key in zip(tables, keys, strict=True))

    def count(kinds: np.ndarray) -> np.ndarray:
        return outcome.counts[..., directed & kinds].sum(-1)

    pir_a, pir_b = (ratio(count(right & still), count(right)) for right in (right_a, right_b))
    n, a_is_better = count(directed), p_a - p_b > TIE
    return DirectionScores(
        performance_original=p_a,
        performance_paired=p_b,
        pd=abs(p_a - p_b),
        better_set=scalar(np.where(a_is_better, "A", "B")),
        pir=scalar(np.where(a_is_better, pir_a, pir_b)),
        ppr=scalar(ratio(count(right_a & right_b), n)),
        n=scalar(n),
    )


def _answers(outcome: Outcome, inverse: Mapping[Label, Label]) -> tuple[np.ndarray, ...]:
    """(K,) bool of each kind of sample: has the gold label an inverse, right on A, right on B, the same on
    both; ValueError without answers on B."""
    if "paired" not in outcome.roles:
        raise ValueError("the outcome has no answers on the paired set: from_columns(…, paired=…) takes them")
    gold, on_a, on_b = (outcome.roles[role] for role in ("gold", "predicted", "paired"))
    turned = positions([inverse.get(label, label) for label in outcome.labels], outcome.labels, "inverse")
    return turned[gold] != gold, on_a == gold, on_b == turned[gold], on_a == on_b


def paired_breakdown(outcome: Outcome) -> dict[Label, dict[str, float]]:
    """What happens to the samples of each base relation when the entities are exchanged; both directions.

    A sample that is right on the test set A can, on the paired set B, keep its prediction (`still`: the model
    did not notice the exchange), be right again (`right_both`: it read the direction), or get another one
    (`elsewhere`). With gold t, its inverse t', prediction y_A on A and y_B on B, shares of the n samples:
    right_original #(y_A = t) / n · right_both #(y_A = t and y_B = t') / n · still #(y_A = t and y_B = y_A)
    / n · elsewhere: right on A, and neither of the two · right_paired #(y_B = t') / n. Hence right_original =
    right_both + still + elsewhere, and the mean of right_both, weighted by n, is PPR.

    Parameters
    ----------
    outcome : with the role `paired`, counts (K,), no replicates.

    Returns
    -------
    Base relation → n and the shares `BREAKDOWN`, in the order of the labels. Labels without a direction (the
    negative class) and relations without a gold sample are left out. Raises ValueError without answers on
    the paired set.

    >>> gold, paired = ["R(e1,e2)"] * 4, ["R(e2,e1)", "R(e1,e2)", "Other", "R(e2,e1)"]
    >>> paired_breakdown(Outcome.from_columns(gold, ["R(e1,e2)"] * 3 + ["Other"], paired=paired))["R"]
    {'n': 4, 'right_original': 0.75, 'right_both': 0.25, 'still': 0.25, 'elsewhere': 0.25,
     'right_paired': 0.5}
    """
    inverse = _inverses(outcome.labels)
    outcome = _with_inverses(outcome, inverse)
    directed, right_a, right_b, stays = _answers(outcome, inverse)
    kinds = (right_a, right_a & right_b, right_a & stays, right_a & ~right_b & ~stays, right_b)
    bases = np.array([base_relation(label) for label in outcome.labels], object)
    breakdown = {}
    for base in dict.fromkeys(bases):
        own = directed & (bases == base)[outcome.roles["gold"]]
        if n := outcome.counts[own].sum().item():
            shares = (outcome.counts[own & kind].sum().item() / n for kind in kinds)
            breakdown[base] = {"n": n} | dict(zip(BREAKDOWN, shares, strict=True))
    return breakdown
