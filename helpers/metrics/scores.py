"""Counts → per-class scores → weighted averages, under a label policy that is always stated.

`averages` is the one path: it serves a single table and ten thousand bootstrap replicates alike. `evaluate`
puts every scheme into one report. Averages are means of class scores; the F of averaged precision and recall
has a name of its own (`f1_of_means`), since the two differ (Opitz & Burst 2019).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .class_scores import ClassScore, OneVsRest, f_beta, resolve_score
from .counts import Confusion
from .labels import Label
from .policy import Policy
from .report import Report
from .weighting import SCHEMES, Weighting, class_weights, resolve


def one_vs_rest(confusion: Confusion) -> OneVsRest:
    """(..., L) true and false positives and negatives of every label.

    >>> one_vs_rest(Confusion.from_arrays(["a", "b"], ["a", "a"])).fp.tolist()
    [1, 0]
    """
    tp, gold, predicted = confusion.correct, confusion.gold, confusion.predicted
    total = np.asarray(confusion.n)[..., None]
    return OneVsRest(tp, predicted - tp, gold - tp, total - gold - predicted + tp)


def averages(
    confusion: Confusion,
    schemes: Sequence[str | Weighting] = SCHEMES,
    score: str | ClassScore = "f1",
    classes_of: Confusion | None = None,
    **policy: Any,
) -> np.ndarray:
    """One class score averaged under several schemes: Σ_c w_c · s_c, and for micro the score of the pooled
    counts.

    Parameters
    ----------
    confusion : table with counts (..., L, L).
    schemes : S names, 'n^α' or functions; see `weighting.resolve`.
    score : name, 'fβ', or a function of the four counts; see `class_scores.resolve_score`.
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
    rules = Policy(**policy)
    _, class_score = resolve_score(score)
    counts = one_vs_rest(confusion)
    values = class_score(counts)
    values = np.where(np.isnan(values), rules.zero_division, values)
    evaluated = rules.evaluated(classes_of or confusion) & ~np.isnan(values)
    results = [
        _micro(counts, class_score, rules, rules.selected(confusion))
        if scheme == "micro"
        else _weighted(confusion, values, scheme, rules, evaluated)
        for scheme in schemes
    ]
    return np.stack(results, axis=-1)


def average(
    confusion: Confusion, scheme: str | Weighting, score: str | ClassScore = "f1", **policy: Any
) -> Any:
    """One score under one scheme: a float, or (...) for replicates. Arguments as in `averages`.

    >>> average(Confusion.from_arrays(["a", "b", "b"], ["a", "b", "a"]), "macro", "recall")
    0.75
    """
    value = averages(confusion, [scheme], score, **policy)[..., 0]
    return value.item() if value.ndim == 0 else value


def _micro(counts: OneVsRest, class_score: ClassScore, rules: Policy, selected: np.ndarray) -> np.ndarray:
    value = class_score(OneVsRest(*(np.asarray(count)[..., selected].sum(-1) for count in counts)))
    return np.where(np.isnan(value), rules.zero_division, value)


def _weighted(
    confusion: Confusion, values: np.ndarray, scheme: str | Weighting, rules: Policy, evaluated: np.ndarray
) -> np.ndarray:
    support = np.where(evaluated, confusion.gold, 0)
    total = confusion.n if rules.negative_in_normaliser else support.sum(-1)
    weights = class_weights(support, scheme, total, evaluated)
    value = (weights * np.where(evaluated, values, 0.0)).sum(-1)
    return np.where(evaluated.any(-1), value, rules.zero_division)


def evaluate(
    confusion: Confusion, *, schemes: Sequence[str | Weighting] = SCHEMES, beta: float = 1.0, **policy: Any
) -> Report:
    """Every scheme and every class in one report.

    Precision, recall and F_β are averaged with the same weights, each by itself; `accuracy` is the share of
    all samples, the negative class included, whose prediction is right, and is never put in the place of
    micro.

    Parameters
    ----------
    confusion : one table, counts (L, L), with at least one sample.
    schemes : rows of the report. beta : of F_β. policy : fields of `Policy`.

    >>> table = Confusion.from_arrays(gold=list("AAABBNNNNN"), predicted=list("ABABNNNACN"))
    >>> report = evaluate(table, negative="N")
    >>> round(report.schemes["weighted"]["f1"], 6), report.accuracy, report.ignored
    (0.6, 0.6, ('C',))
    """
    if confusion.counts.ndim != 2 or not confusion.n:
        raise ValueError("evaluate needs one table with at least one sample")
    rules, name = Policy(**policy), f"f{beta:g}"
    evaluated = rules.evaluated(confusion)
    return Report(
        n=confusion.n,
        labels=confusion.labels,
        negative=rules.negative,
        accuracy=float(confusion.correct.sum() / confusion.n),
        averaged=_names(confusion, evaluated),
        ignored=_names(confusion, rules.selected(confusion) & ~evaluated),
        schemes=_scheme_rows(confusion, schemes, beta, rules),
        per_class=_per_class(confusion, beta, rules),
        f_name=name,
        signature=rules.signature(confusion, name),
    )


def _names(confusion: Confusion, mask: np.ndarray) -> tuple[Label, ...]:
    return tuple(label for label, taken in zip(confusion.labels, mask.tolist(), strict=True) if taken)


def _scheme_rows(confusion: Confusion, schemes: Sequence, beta: float, rules: Policy) -> dict[str, dict]:
    if isinstance(schemes, str) or not schemes:
        raise ValueError(f"schemes is {schemes!r}: a list of schemes is needed")
    rows: dict[str, dict] = {}
    for scheme in schemes:
        name, row = _scheme_row(confusion, scheme, beta, rules)
        if name in rows:
            raise ValueError(f"two schemes are named {name!r}: give each function a name of its own")
        rows[name] = row
    return rows


def _scheme_row(
    confusion: Confusion, scheme: str | Weighting, beta: float, rules: Policy
) -> tuple[str, dict]:
    name = scheme if scheme == "micro" else resolve(scheme)[0]
    p, r, f = (
        average(confusion, scheme, score, **vars(rules)) for score in ("precision", "recall", f_beta(beta))
    )
    square = beta * beta
    of_means = 0.0 if p == r == 0 else (1 + square) * p * r / (square * p + r)
    row = {"precision": p, "recall": r, f"f{beta:g}": f, f"f{beta:g}_of_means": of_means}
    return name, row | {"signature": rules.signature(confusion, f"f{beta:g}", name)}


def _per_class(confusion: Confusion, beta: float, rules: Policy) -> dict[Label, dict[str, Any]]:
    counts, chosen = one_vs_rest(confusion), rules.evaluated(confusion)
    scores = {"precision": "precision", "recall": "recall", f"f{beta:g}": f_beta(beta)}
    values = {name: resolve_score(score)[1](counts) for name, score in scores.items()}
    rows = {}
    for index, label in enumerate(confusion.labels):
        row = {name: float(value[index]) for name, value in values.items()}
        undefined = [name for name, value in row.items() if np.isnan(value)]
        row |= dict.fromkeys(undefined, rules.zero_division)
        row |= {"support": confusion.gold[index].item(), "predicted": confusion.predicted[index].item()}
        rows[label] = row | {
            "correct": counts.tp[index].item(),
            "averaged": bool(chosen[index]),
            "undefined": undefined,
        }
    return rows
