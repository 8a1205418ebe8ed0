"""Counts → class scores → weighted averages, under a label policy that is always stated.

A score without its policy cannot be compared; `Policy.signature` is what every score carries. `averages` is
the one path, for a single table and for ten thousand bootstrap replicates alike; `evaluate` puts every scheme
into one report. Averages are means of class scores; the F of averaged precision and recall has a name of its
own (`f1_of_means`), since the two differ (Opitz & Burst 2019).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import SKIPPED, Label, shown, signature_field, unlisted_message
from .class_scores import LOWEST, BinaryCounts, ClassScore, beta_of, in_range, resolve_score
from .counting import check_total, checked_labels
from .counts import Confusion, Counted, positions, scalar
from .report import ClassReport, plain_number
from .weighting import Weighting, class_weights, scheme_names

RULES = "0.1"  # version of the scoring rules: it changes when a number could change
NAMED_LABELS = {"supported": "skip", "observed": "zero", "listed": "zero"}


@dataclass(frozen=True)
class Policy:
    """Which labels are averaged, and what the undefined counts as.

    Attributes
    ----------
    negative : the negative class (no_relation, Other, NA), or None. It is never averaged; a false alarm on a
        negative sample stays a false positive, a relation missed as negative stays a false negative.
    labels : which of the other labels are averaged. 'supported': those with gold samples (the paper's rule);
        'observed': those that occur as gold or predicted (scikit-learn without a list); 'listed': all labels
        of the table; or a list.
    zero_support : what a label without gold samples does in the class-weighted schemes: 'skip' leaves it out,
        'zero' lets its undefined score count (this matters under macro only). Default: 'skip' for 'supported'
        and lists, else 'zero'. Micro pools all of the labels, skipped or not: a false alarm stays one.
    zero_division : value of an undefined class score (0/0): 0, 1, or nan, which leaves that class out of the
        average. Also the value of an average over no class.
    negative_in_normaliser : whether N in the entropy weights counts all samples, as in the paper, or those of
        the averaged classes only.
    """

    negative: Label | None = None
    labels: str | Sequence[Label] = "supported"
    zero_support: str | None = None
    zero_division: float = 0.0
    negative_in_normaliser: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.labels, str) and self.labels not in NAMED_LABELS:
            known = ", ".join(NAMED_LABELS)
            raise ValueError(f"labels is {self.labels!r}: give one of {known} or a list of labels")
        if not isinstance(self.labels, str):
            object.__setattr__(self, "labels", checked_labels(self.labels) if len(self.labels) else ())
        if (self.labels, self.zero_support) == ("supported", "zero"):
            rule = "zero_support is 'zero' with labels 'supported'"
            raise ValueError(f"{rule}, which have support: name other labels")
        if self.zero_support not in (None, "skip", "zero"):
            raise ValueError(f"zero_support is {self.zero_support!r}: give 'skip' or 'zero'")
        if self.zero_division not in (0, 1) and self.zero_division == self.zero_division:
            raise ValueError(f"zero_division is {self.zero_division!r}: give 0, 1 or nan")

    @property
    def skips(self) -> bool:
        """Whether labels without gold samples are left out of the class-weighted schemes."""
        default = NAMED_LABELS[self.labels] if isinstance(self.labels, str) else "skip"
        return (self.zero_support or default) == "skip"

    def selected(self, confusion: Counted) -> np.ndarray:
        """(L,) bool: the labels to average; ValueError for a label or negative class the table lacks."""
        chosen = np.array([label != SKIPPED for label in confusion.labels])
        if not isinstance(self.labels, str):
            chosen[:] = False
            chosen[positions(self.labels, confusion.labels)] = True
        if self.negative is not None:
            if self.negative not in confusion.labels:
                raise ValueError(unlisted_message("negative", None, self.negative, confusion.labels))
            place = confusion.labels.index(self.negative)
            if not isinstance(self.labels, str) and chosen[place]:
                held = f"labels holds the negative class {shown(self.negative)}"
                raise ValueError(f"{held}: leave out one of the two")
            chosen[place] = False
        return chosen

    def evaluated(self, confusion: Counted) -> np.ndarray:
        """(..., L) bool: the labels that the class-weighted schemes average, in each replicate."""
        gold = confusion.gold
        chosen = np.broadcast_to(self.selected(confusion), gold.shape)
        if self.skips:
            return chosen & (gold > 0)
        return chosen & ((gold > 0) | (confusion.predicted > 0)) if self.labels == "observed" else chosen

    def signature(self, confusion: Counted, score: str, scheme: str | None = None) -> str:
        """What a score needs to be read: score, scheme, labels, undefined cases, direction, n, rules.

        The fields are joined by `|`, labels by `+`; in a label both are escaped (`core.signature_field`).

        >>> table = Confusion.from_arrays(["a", "NA"], ["a", "a"])
        >>> Policy(negative="NA").signature(table, "f1", "dodrans")
        'f1|scheme:dodrans|labels:supported|negative:NA|zero_support:skip|direction:kept|n:2|v:0.1'
        """
        pooled = scheme == "micro"  # pools all labels that may be averaged, with gold samples or without
        parts = [score] + ([f"scheme:{scheme}"] if scheme else [])
        parts += [f"labels:{self._labels_name(confusion, pooled)}"]
        parts += self._negative_name()
        parts += [] if pooled else [f"zero_support:{'skip' if self.skips else 'zero'}"]
        parts += [] if self.zero_division == 0 else [f"zero_division:{self.zero_division:g}"]
        return "|".join([*parts, *self._outcome_name(confusion, scheme), f"v:{RULES}"])

    def _labels_name(self, confusion: Counted, pooled: bool) -> str:
        if isinstance(self.labels, str):
            return "listed" if pooled else self.labels
        names = sorted(map(str, self.labels))
        if len(names) <= 3:  # a + within a label is no end of it
            return "+".join(signature_field(name).replace("+", "\\+") for name in names)
        text = "\n".join(name.replace("\\", "\\\\").replace("\n", "\\n") for name in names)
        digest = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{len(names)}of{len(confusion.labels)}#{digest}"

    def _negative_name(self) -> list[str]:
        return [f"negative:{signature_field(self.negative)}"]

    def _outcome_name(self, confusion: Any, scheme: str | None) -> list[str]:
        normaliser = [] if self.negative_in_normaliser else ["normaliser:averaged"]
        return [*normaliser, f"direction:{confusion.direction}", f"n:{plain_number(confusion.n)}"]


def one_vs_rest(confusion: Counted) -> BinaryCounts:
    """(..., L) true and false positives and negatives of every label.

    >>> one_vs_rest(Confusion.from_arrays(["a", "b"], ["a", "a"])).fp.tolist()
    [1, 0]
    """
    tp, gold, predicted = confusion.correct, confusion.gold, confusion.predicted
    total = np.asarray(confusion.n)[..., None]
    return BinaryCounts(tp, predicted - tp, gold - tp, total - gold - predicted + tp)


def averages(
    confusion: Counted,
    schemes: Sequence[str | Weighting] | None = None,
    score: str | ClassScore = "f1",
    classes_of: Counted | None = None,
    **policy: Any,
) -> np.ndarray:
    """One class score averaged under several schemes: Σ_c w_c · s_c; micro: the score of the pooled counts.

    Parameters
    ----------
    confusion : table with counts (..., L, L).
    schemes : S names, 'n^α' or functions; None: all of `scheme_names`.
    score : name, 'fβ', or a function of the four counts; see `resolve_score`.
    classes_of : a table whose gold samples decide which classes are averaged; None: `confusion` itself. Pass
        the original table with its bootstrap replicates: a class that is absent from a replicate then still
        counts (as 0/0), and all replicates measure the same thing.
    policy : fields of `Policy`.

    Returns
    -------
    (..., S) scores, never nan unless `zero_division` is nan.

    >>> table = Confusion.from_arrays(gold=list("AAABBNNNNN"), predicted=list("ABABNNNACN"))
    >>> averages(table, negative="N").round(6).tolist()
    [0.545455, 0.6, 0.595907, 0.588128, 0.583333]
    """
    given = scheme_names() if schemes is None else schemes
    return _averages(confusion, given, [score], classes_of or confusion, Policy(**policy))[0]


def _averages(
    confusion: Counted,
    schemes: Sequence[str | Weighting],
    scores: Sequence[str | ClassScore],
    classes_of: Counted,
    rules: Policy,
) -> np.ndarray:
    """(scores, ..., S): as `averages`, of several scores with the same weights."""
    if np.isnan(rules.zero_division) and len(scores) > 1:  # each score leaves out its own undefined classes
        return np.concatenate([_averages(confusion, schemes, [score], classes_of, rules) for score in scores])
    resolved = [resolve_score(score) for score in scores]
    class_scores = [function for _, function in resolved]
    counts, chosen = one_vs_rest(confusion), rules.selected(confusion)
    pooled = BinaryCounts(*(np.asarray(count)[..., chosen].sum(-1) for count in counts))
    values, pooled_values = (
        np.stack([np.asarray(class_score(one), float) for class_score in class_scores])
        for one in (counts, pooled)
    )
    values = np.where(np.isnan(values), rules.zero_division, values)
    evaluated = rules.evaluated(classes_of) & ~np.isnan(values[0])
    support = np.where(evaluated, confusion.gold, 0)
    total = confusion.n if rules.negative_in_normaliser else support.sum(-1)

    def average_under(scheme: str | Weighting) -> np.ndarray:
        if scheme == "micro":
            return np.where(np.isnan(pooled_values), rules.zero_division, pooled_values)
        weights = class_weights(support, scheme, total, evaluated)
        value = (weights * np.where(evaluated, values, 0.0)).sum(-1)
        return np.where(evaluated.any(-1), value, rules.zero_division)

    found = np.stack([average_under(scheme) for scheme in schemes], axis=-1)
    for score, (name, _), one in zip(scores, resolved, found, strict=True):
        if isinstance(score, str):  # the range of somebody's own function is not known
            in_range(one, f"the average {name}", LOWEST.get(name, 0.0))
    return found


def average(
    confusion: Counted, scheme: str | Weighting, score: str | ClassScore = "f1", **policy: Any
) -> Any:
    """One score under one scheme: a float, or (...) for replicates. Arguments as in `averages`.

    >>> average(Confusion.from_arrays(["a", "b", "b"], ["a", "b", "a"]), "macro", "recall")
    0.75
    """
    return scalar(averages(confusion, [scheme], score, **policy)[..., 0])


def evaluate(
    confusion: Confusion,
    *,
    schemes: Sequence[str | Weighting] | None = None,
    score: str | ClassScore = "f1",
    **policy: Any,
) -> ClassReport:
    """Every scheme and every class in one report.

    Precision, recall and the score are averaged with the same weights, each by itself; `accuracy` is the
    share of all samples, the negative class included, whose prediction is right, and is never put in the
    place of micro.

    Parameters
    ----------
    confusion : one table, counts (L, L), with at least one sample.
    schemes : rows of the report, as in `averages`. score : 'f1', 'fβ' such as 'f0.5', 'mcc' and so on, or a
        function; see `resolve_score`. policy : fields of `Policy`.

    >>> table = Confusion.from_arrays(gold=list("AAABBNNNNN"), predicted=list("ABABNNNACN"))
    >>> report = evaluate(table, negative="N")
    >>> round(report.schemes["weighted"]["f1"], 6), report.accuracy, report.ignored
    (0.6, 0.6, ('C',))
    """
    check_total(confusion.counts)
    if confusion.counts.ndim != 2 or not confusion.n:
        raise ValueError("evaluate needs one table with at least one sample")
    rules, (name, _) = Policy(**policy), resolve_score(score)
    evaluated = rules.evaluated(confusion)
    return ClassReport(
        n=confusion.n,
        labels=confusion.labels,
        negative=rules.negative,
        accuracy=float(confusion.correct.sum() / confusion.n),
        averaged=chosen_labels(confusion, evaluated),
        ignored=chosen_labels(confusion, rules.selected(confusion) & ~evaluated),
        schemes=_scheme_rows(confusion, schemes, score, rules),
        per_class=_per_class(confusion, score, rules),
        score_name=name,
        signature=rules.signature(confusion, name),
    )


def chosen_labels(confusion: Confusion, mask: np.ndarray) -> tuple[Label, ...]:
    """The labels where a mask (L,) is true.

    >>> chosen_labels(Confusion.from_arrays(["a"], ["b"]), np.array([False, True]))
    ('b',)
    """
    return tuple(label for label, taken in zip(confusion.labels, mask.tolist(), strict=True) if taken)


def _scheme_rows(
    confusion: Confusion, schemes: Sequence[str | Weighting] | None, score: str | ClassScore, rules: Policy
) -> dict[str, dict[str, Any]]:
    names, (score_name, _) = scheme_names(schemes), resolve_score(score)
    schemes = names if schemes is None else schemes
    scores = {"precision": "precision", "recall": "recall"} | {score_name: score}
    columns = _averages(confusion, schemes, list(scores.values()), confusion, rules).T.tolist()
    rows = {}
    for name, values in zip(names, columns, strict=True):
        rows[name] = dict(zip(scores, values, strict=True))
        if beta := beta_of(score_name):
            p, r, square = rows[name]["precision"], rows[name]["recall"], beta * beta
            of_means = 0.0 if p == r == 0 else (1 + square) * p * r / (square * p + r)
            rows[name][f"{score_name}_of_means"] = of_means
        rows[name]["signature"] = rules.signature(confusion, score_name, name)
    return rows


def _per_class(confusion: Confusion, score: str | ClassScore, rules: Policy) -> dict[Label, dict[str, Any]]:
    counts, chosen = one_vs_rest(confusion), rules.evaluated(confusion)
    resolved = [resolve_score(one) for one in ("precision", "recall", score)]
    values = {name: function(counts) for name, function in resolved}
    rows = {}
    for index, label in enumerate(confusion.labels):
        row = {name: float(value[index]) for name, value in values.items()}
        undefined = [name for name, value in row.items() if np.isnan(value)]
        row |= dict.fromkeys(undefined, rules.zero_division)
        row |= {"support": confusion.gold[index].item(), "predicted": confusion.predicted[index].item()}
        row |= {"correct": counts.tp[index].item(), "averaged": bool(chosen[index])}
        rows[label] = row | {"undefined": undefined}
    return rows
