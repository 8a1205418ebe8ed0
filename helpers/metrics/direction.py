"""Relation direction recognition: performance difference, predictive immobility rate, paired predictive rate.

The paired sample of a sample is the same sentence with its two entities exchanged, so its gold label is the
inverse relation (`helpers.data` builds it). A model that reads direction is right on both.
Source: Lyu et al. 2021, Section III, Eqs. 1–3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core import Label, base_relation, inverse_label, shown
from .outcome import Outcome, positions, scalar
from .scores import in_range, ratio
from .semeval import official_macro

Performance = Callable[..., Any]
BREAKDOWN = ("right_original", "right_both", "still", "elsewhere", "right_paired")
"""The shares of `paired_breakdown`."""
TIE = 1e-12  # performances closer than this are equal: the order of summation may not choose the better set


@dataclass(frozen=True)
class DirectionScores:
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

    @property
    def undefined(self) -> tuple[str, ...]:
        """Names of the scores that are 0/0.

        >>> DirectionScores(0.0, 0.0, 0.0, "B", float("nan"), 0.0, 4).undefined
        ('pir',)
        """
        return tuple(name for name in ("pir", "ppr") if np.isnan(getattr(self, name)).any())

    def to_dict(self) -> dict[str, Any]:
        """The fields by name, for JSON: nan becomes None.

        >>> DirectionScores(0.0, 0.0, 0.0, "B", float("nan"), 0.0, 4).to_dict()["pir"] is None
        True
        """
        return vars(self) | dict.fromkeys(self.undefined)


def inverse_labels(labels: Iterable[Label]) -> dict[Label, Label]:
    """The inverse of each label: `R(e1,e2)` ↔ `R(e2,e1)`; a label without a direction is its own inverse.

    >>> inverse_labels(["R(e1,e2)", "Other"])
    {'R(e1,e2)': 'R(e2,e1)', 'Other': 'Other'}
    """
    return {label: inverse_label(label) for label in labels}


def with_inverses(outcome: Outcome, inverse: Mapping[Label, Label] | None = None) -> Outcome:
    """The same outcomes with the inverse of every label listed: one direction alone may occur.

    >>> with_inverses(Outcome.from_columns(["R(e1,e2)"], ["R(e1,e2)"])).labels
    ('R(e1,e2)', 'R(e2,e1)')
    """
    inverse = inverse or inverse_labels(outcome.labels)
    others = (inverse.get(label, label) for label in outcome.labels)
    return replace(outcome, labels=tuple(dict.fromkeys([*outcome.labels, *others])))


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
    inverse : gold label on A → gold label on B; None: `inverse_labels`. Labels that are their own inverse
        (the negative class) play their part in P_A and P_B and are left out of PIR and PPR, as in the paper's
        numbers.
    performance : outcome → score, replicates included; default the official SemEval macro-F1, as in the
        paper.
    classes_of : an outcome whose gold labels decide which classes the performance averages, as in `averages`:
        the original one of bootstrap replicates. `performance` is then given `classes_of`, an outcome, too.

    Raises
    ------
    ValueError : `inverse` maps a label to two, or two labels to one. A pair may be given once, in either
        order.

    >>> labels = ["R(e1,e2)", "R(e2,e1)"]
    >>> scores = direction_scores(Outcome.from_columns(labels, labels, paired=["R(e2,e1)", "R(e2,e1)"]))
    >>> scores.pd, scores.better_set, scores.pir, scores.ppr
    (0.5, 'A', 0.5, 0.5)
    """
    inverse = _symmetric(inverse_labels(outcome.labels) if inverse is None else inverse)
    outcome = with_inverses(outcome, inverse)
    tables = outcome.of("predicted"), outcome.of("paired", inverse)
    if classes_of is None:
        p_a, p_b = map(performance, tables)
    else:
        whole = with_inverses(classes_of, inverse)
        keys = whole.of("predicted"), whole.of("paired", inverse)
        p_a, p_b = (performance(table, classes_of=key) for table, key in zip(tables, keys, strict=True))
    directed = outcome.restrict([label for label in outcome.labels if inverse.get(label, label) != label])
    pir_a, pir_b, ppr, n = _rates(directed, inverse)
    a_is_better = p_a - p_b > TIE
    return DirectionScores(
        performance_original=p_a,
        performance_paired=p_b,
        pd=abs(p_a - p_b),
        better_set=scalar(np.where(a_is_better, "A", "B")),
        pir=scalar(in_range(np.where(a_is_better, pir_a, pir_b), "PIR")),
        ppr=scalar(in_range(ppr, "PPR")),
        n=n,
    )


def _symmetric(inverse: Mapping[Label, Label]) -> dict[Label, Label]:
    """The mapping in both directions; ValueError where it contradicts itself."""
    both: dict[Label, Label] = {}
    for label, other in [*inverse.items(), *((other, label) for label, other in inverse.items())]:
        if both.setdefault(label, other) != other:
            raise ValueError(f"inverse maps {shown(label)} to both {shown(both[label])} and {shown(other)}")
    return both


def _rates(outcome: Outcome, inverse: Mapping[Label, Label]) -> tuple[Any, ...]:
    gold, on_a, on_b = (outcome.roles[role] for role in ("gold", "predicted", "paired"))
    turned = positions([inverse.get(label, label) for label in outcome.labels], outcome.labels, "inverse")
    right_a, right_b, still = on_a == gold, on_b == turned[gold], on_a == on_b

    def count(kinds: np.ndarray) -> np.ndarray:
        return outcome.counts[..., kinds].sum(-1)

    pir_a, pir_b = (ratio(count(right & still), count(right)) for right in (right_a, right_b))
    return pir_a, pir_b, ratio(count(right_a & right_b), outcome.n), outcome.n


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
    negative class) and relations without a gold sample are left out.

    >>> gold, paired = ["R(e1,e2)"] * 4, ["R(e2,e1)", "R(e1,e2)", "Other", "R(e2,e1)"]
    >>> paired_breakdown(Outcome.from_columns(gold, ["R(e1,e2)"] * 3 + ["Other"], paired=paired))["R"]
    {'n': 4, 'right_original': 0.75, 'right_both': 0.25, 'still': 0.25, 'elsewhere': 0.25,
     'right_paired': 0.5}
    """
    outcome = with_inverses(outcome)
    labels, inverse = outcome.labels, inverse_labels(outcome.labels)
    turned = positions([inverse[label] for label in labels], labels)
    gold, on_a, on_b = (outcome.roles[role] for role in ("gold", "predicted", "paired"))
    right_a, right_b, stays = on_a == gold, on_b == turned[gold], on_a == on_b
    kinds = (right_a, right_a & right_b, right_a & stays, right_a & ~right_b & ~stays, right_b)
    found = {}
    for base in dict.fromkeys(base_relation(label) for label in labels if inverse[label] != label):
        own = np.isin(gold, [place for place, label in enumerate(labels) if base_relation(label) == base])
        n = outcome.counts[own].sum().item()
        if n:
            shares = (outcome.counts[own & kind].sum().item() / n for kind in kinds)
            found[base] = {"n": n} | dict(zip(BREAKDOWN, shares, strict=True))
    return found
