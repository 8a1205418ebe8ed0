"""scikit-learn's manner: `f1_score` and `multilabel` with its argument names, `scorer` for its searches.

Where scikit-learn has `average`, these have `scheme`, and the negative class is named. Only `scorer` loads
scikit-learn.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..core import Label, find_negative, shown
from ..metrics import Outcome, Weighting, average, checked_labels


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    scheme: str | Weighting = "dodrans",
    negative: Label | None = None,
    labels: str | Sequence[Label] | None = None,
    sample_weight: Any = None,
    **policy: Any,
) -> float:
    """The F1 of each class, averaged under a weighting scheme: Σ_c w_c · F1_c, in 0 … 1.

    Parameters
    ----------
    y_true, y_pred : (n,) gold and predicted labels.
    scheme : 'micro', 'weighted', 'dodrans', 'entropy', 'macro', 'n^α', or a function (scikit-learn's
        `average`).
    negative : the negative class, which is never averaged; a false alarm on one of its samples stays a false
        positive. Where it occurs neither in y_true nor in y_pred, as in a small fold, nothing is left out.
    labels : the labels to average, as in scikit-learn; they may be absent from the data. None: those with
        gold samples.
    sample_weight : (n,) non-negative weights.
    policy : zero_support, zero_division, … of `helpers.metrics.Policy`. Of `labels`, those without gold
        samples are left out unless zero_support is 'zero', which is scikit-learn's rule.

    Without a negative class and with zero_support 'zero' over the labels that occur ('observed'), micro,
    weighted and macro are scikit-learn's.

    Raises
    ------
    ValueError : columns of different length, missing values, an unknown scheme; `negative` occurs nowhere,
        but another well-known name of a negative class does.

    Source: Harbecke et al. 2022, Section 2.

    >>> f1_score(list("AAABBN"), list("ABABNA"), scheme="macro", negative="N")
    0.5833333333333333
    >>> f1_score(["a", "b"], ["a", "a"], scheme="macro", labels=["a", "b", "c"], zero_support="zero")
    0.2222222222222222
    """
    table = Outcome.from_columns(y_true, y_pred, sample_weight=sample_weight)
    if labels is not None and not isinstance(labels, str):
        labels = checked_labels(labels)
        table = replace(table, labels=tuple(dict.fromkeys([*table.labels, *labels])))
    negative = known_negative(negative, table.labels)
    return float(average(table, scheme, negative=negative, labels=labels or "supported", **policy))


def known_negative(negative: Label | None, labels: Sequence[Label]) -> Label | None:
    """The negative class if it is one of the labels, else None.

    Raises ValueError if it is not, but a well-known name of a negative class is: then one is misspelt.

    >>> known_negative("no_relation", ["per:title"])
    >>> known_negative("no_relations", ["no_relation", "per:title"])
    Traceback (most recent call last):
    ValueError: negative is 'no_relations', which occurs nowhere; 'no_relation' does: which one is meant?
    """
    if negative is None or negative in labels:
        return negative
    other = find_negative([label for label in labels if isinstance(label, str)])
    if other is not None:
        absent = f"negative is {shown(negative)}, which occurs nowhere"
        raise ValueError(f"{absent}; {shown(other)} does: which one is meant?")
    return None


def scorer(
    scheme: str | Weighting = "dodrans", negative: Label | None = None, **options: Any
) -> Callable[[Any, Any, Any], float]:
    """`f1_score` as scikit-learn's `scoring`: for `cross_val_score`, `GridSearchCV` and the like.

    A fold without the negative class is scored like any other. `options` are those of `f1_score`.

    Raises ImportError without scikit-learn; ValueError for an option that `f1_score` has not.

    >>> import numpy as np
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_val_score
    >>> labels = np.array(["N", "A", "A", "N", "A", "A"])
    >>> scoring = scorer("macro", negative="N")
    >>> cross_val_score(DummyClassifier(), np.zeros((6, 1)), labels, scoring=scoring, cv=2).round(3).tolist()
    [0.8, 0.8]
    """
    from sklearn.metrics import make_scorer

    f1_score(["a"], ["a"], scheme=scheme, **options)  # a wrong option is an error here, not nan in each fold
    return make_scorer(f1_score, scheme=scheme, negative=negative, **options)


def multilabel(
    y_true: Iterable[Iterable[Label]],
    y_pred: Iterable[Iterable[Label]],
    *,
    scheme: str | Weighting = "dodrans",
    labels: Sequence[Label] | None = None,
    **policy: Any,
) -> float:
    """The F1 of each label of multi-label data, averaged under a weighting scheme, from label sets.

    Parameters
    ----------
    y_true, y_pred : n sets (or lists) of labels, one for each instance; a set may be empty.
    scheme : as in `f1_score`.
    labels : all labels; None: those that occur. policy : fields of `helpers.metrics.Policy`; label sets have
        defaults of their own (`Policy.of`).

    Raises
    ------
    ValueError : a different number of sets, no set, a label twice in one set, one that is not in `labels`, a
        text where a set of labels is needed.

    >>> multilabel([["oil", "gas"], ["oil"], []], [["oil"], ["oil", "gas"], []], scheme="macro")
    0.5
    """
    columns = {"y_true": _label_sets(y_true, "y_true"), "y_pred": _label_sets(y_pred, "y_pred")}
    sizes = [len(sets) for sets in columns.values()]
    if sizes[0] != sizes[1]:
        raise ValueError(f"y_true has {sizes[0]} label sets, y_pred has {sizes[1]}")
    occurring = {label for sets in columns.values() for each in sets for label in each}
    listed = checked_labels(
        sorted(occurring, key=lambda label: (str(type(label)), label)) if labels is None else labels
    )
    code, coded = {label: index for index, label in enumerate(listed)}, []
    for argument, sets in columns.items():
        for row, label in ((row, label) for row, each in enumerate(sets) for label in each):
            if label not in code:
                raise ValueError(f"{argument}[{row}] holds {shown(label)}, which is not in labels")
        coded.append([[code[label] for label in each] for each in sets])
    rows = [[*pair, 1] for pair in zip(*coded, strict=True)]
    return float(average(Outcome.from_rows(rows, listed, decision="given"), scheme, **policy))


def _label_sets(sets: Iterable[Iterable[Label]], argument: str) -> list[list[Label]]:
    """The sets as lists; ValueError for what is none, or names a label twice."""
    lists = []
    for index, labels in enumerate(sets):
        if isinstance(labels, str) or not isinstance(labels, Iterable):
            raise ValueError(f"{argument}[{index}] is {shown(labels)}: a set of labels is needed")
        lists.append(list(labels))
        if len({*lists[-1]}) < len(lists[-1]):
            raise ValueError(f"{argument}[{index}] holds a label twice: {shown(lists[-1])}")
    if not lists:
        raise ValueError(f"{argument} is empty: there are no label sets")
    return lists
