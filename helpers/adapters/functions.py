"""scikit-learn's manner: `f1_score`, `multilabel`, `scorer`; Hugging Face's: `compute_metrics`.

Where scikit-learn has `average`, these have `scheme`, and the negative class is named. Only `scorer` loads
scikit-learn; neither torch nor transformers is loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from .. import metrics
from ..core import Label, find_negative, shown
from ..metrics import Outcome, Policy, Scheme, Schemes, checked_labels, evaluate

IGNORED = -100
"""The target that PyTorch's cross-entropy ignores; so does every adapter."""


def f1_score(
    y_true: Any,
    y_pred: Any,
    *,
    scheme: Scheme = "dodrans",
    average: Scheme | None = None,
    negative: Label | None = None,
    labels: str | Sequence[Label] | None = None,
    sample_weight: Any = None,
    **policy: Any,
) -> float:
    """The F1 of each class, averaged under a weighting scheme: Σ_c w_c · F1_c, in 0 … 1.

    Parameters
    ----------
    y_true, y_pred : (n,) gold and predicted labels.
    scheme : 'micro', 'weighted', 'dodrans', 'entropy', 'macro', 'n^α', or a function; average : another word
        for it, scikit-learn's.
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
        table = table.with_labels(labels)
    if negative is not None and negative not in table.labels:
        _refuse_another(negative, table.labels)
        negative = None
    rules = {"negative": negative, "labels": labels or "supported", **policy}
    return float(metrics.average(table, scheme if average is None else average, **rules))


def _refuse_another(negative: Label, labels: Sequence[Label]) -> None:
    """ValueError if a negative class that is none of the labels is misspelt: another well-known one is.

    >>> _refuse_another("no_relations", ["no_relation", "per:title"])
    Traceback (most recent call last):
    ValueError: negative is 'no_relations', which occurs nowhere; 'no_relation' does: which one is meant?
    """
    other = find_negative([label for label in labels if isinstance(label, str)])
    if other is not None:
        absent = f"negative is {shown(negative)}, which occurs nowhere"
        raise ValueError(f"{absent}; {shown(other)} does: which one is meant?")


def scorer(
    scheme: Scheme = "dodrans", negative: Label | None = None, **options: Any
) -> Callable[[Any, Any, Any], float]:
    """`f1_score` as scikit-learn's `scoring`: for `cross_val_score`, `GridSearchCV` and the like.

    A fold without the negative class is scored like any other. `options` are those of `f1_score`.

    Raises ImportError without scikit-learn; ValueError for an option that `f1_score` has not.

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
    y_true: Any,
    y_pred: Any,
    *,
    scheme: Scheme = "dodrans",
    labels: Sequence[Label] | None = None,
    **policy: Any,
) -> float:
    """The F1 of each label of multi-label data, averaged under a weighting scheme, from label sets.

    Parameters
    ----------
    y_true, y_pred : n sets (or lists) of labels, one for each instance; a set may be empty. Or two 0/1
        matrices (n, L), arrays or sparse, a column for each label.
    scheme : as in `f1_score`.
    labels : all labels; None: those that occur, or 0 … L−1. policy : fields of `helpers.metrics.Policy`;
        label sets have defaults of their own (`Policy.of`).

    Raises
    ------
    ValueError : a different number of sets, no set, a label twice in one set, one that is not in `labels`,
        a text where a set of labels is needed; as `Outcome.from_sets` for matrices.

    >>> multilabel([["oil", "gas"], ["oil"], []], [["oil"], ["oil", "gas"], []], scheme="macro")
    0.5
    >>> multilabel(np.array([[1, 1], [1, 0]]), np.array([[1, 0], [1, 1]]), scheme="macro")
    0.5
    """
    kind = getattr(getattr(y_true, "dtype", None), "kind", "b")  # tensors and frames have none
    if getattr(y_true, "ndim", 1) == 2 and kind in "biuf":
        return float(metrics.average(Outcome.from_sets(y_true, y_pred, labels), scheme, **policy))
    pairs = list(zip(y_true, y_pred, strict=True))
    if not pairs:
        raise ValueError("there is no label set")
    if texts := [each for pair in pairs for each in pair if isinstance(each, str)]:
        raise ValueError(f"{shown(texts[0])} is a text: a set of labels is needed")
    sets = [[[*gold], [*predicted]] for gold, predicted in pairs]
    if twice := [each for each in chain(*sets) if len({*each}) < len(each)]:
        raise ValueError(f"{twice[0]} holds a label twice; a 0/1 matrix has to be an array")
    occurring = sorted({*chain(*chain(*sets))}, key=lambda label: (str(type(label)), label))
    listed = checked_labels(occurring if labels is None else labels)
    code = {label: index for index, label in enumerate(listed)}
    if unlisted := [label for label in occurring if label not in code]:
        raise ValueError(f"{shown(unlisted[0])} is not in labels")
    rows = [[*([code[label] for label in each] for each in pair), 1] for pair in sets]
    return float(metrics.average(Outcome.from_rows(rows, listed, decision="given"), scheme, **policy))


def compute_metrics(
    id2label: Mapping[int, str] | Mapping[str, str] | Sequence[str] | int,
    negative: Label | None = None,
    schemes: Schemes = None,
    **policy: Any,
) -> Callable[[Any], dict[str, float]]:
    """The function that Hugging Face's `Trainer(compute_metrics=…)` wants: every scheme at every evaluation.

    Parameters
    ----------
    id2label : id → name, as in `model.config.id2label` (or in config.json, with ids as text), or the names
        in the order of their ids, or their number: labels are ids then.
    negative : the negative class, which is never averaged, by its name, or by its id where there are no
        names; it need not occur in the data.
    schemes : as in `helpers.metrics.averages`; None: all. policy : fields of `helpers.metrics.Policy`.

    Returns
    -------
    A function of one `EvalPrediction` (or a pair predictions, targets), arrays or tensors, bf16 too: logits
    (n, L), or ids (n,); of token classification one axis more. Of several outputs, as a tuple, the first is
    read. Targets of −100 are ignored. It gives f1_<scheme> for every scheme, and accuracy, in 0 … 1; the
    Trainer puts `eval_` in front, so `metric_for_best_model="eval_f1_dodrans"` chooses by one of them.

    Raises
    ------
    ValueError : ids that are not 0 … L−1, a `negative` that is no name, a policy with a wrong value. The
        function: shapes that do not fit, nan, an id without a name, no target but ignored ones.
    TypeError : a policy without such a field (as score: it is F1 that is averaged).

    >>> score = compute_metrics(["no_relation", "per:title", "per:age"], negative="no_relation")
    >>> logits = np.array([[2.0, 1, 0], [0, 2, 1], [0, 3, 2], [1, 0, 2]])
    >>> {name: round(value, 3) for name, value in score((logits, np.array([0, 1, 2, -100]))).items()}
    {'f1_micro': 0.5, 'f1_weighted': 0.333, 'f1_dodrans': 0.333, 'f1_entropy': 0.333, 'f1_macro': 0.333,
     'accuracy': 0.667}
    """
    names, rules = names_of(id2label, negative), Policy(negative, **policy)

    def computed(prediction: Any) -> dict[str, float]:
        logits, target = prediction[0], prediction[1]  # an EvalPrediction has a third part
        gold, predicted = kept_ids(logits, target, len(names))
        report = evaluate(Outcome.from_columns(gold, predicted, labels=names), schemes=schemes, **vars(rules))
        scores = {f"f1_{scheme}": row["f1"] for scheme, row in report.schemes.items()}
        return scores | {"accuracy": report.accuracy}

    return computed


def names_of(id2label: Mapping[Any, str] | Sequence[str] | int, negative: Label | None = None) -> list[Label]:
    """The names in the order of their ids, of a number the ids; ValueError unless the ids are 0 … L−1, the
    names differ, and the negative class is one of them.

    >>> names_of({"1": "b", "0": "a"}), names_of(2)
    (['a', 'b'], [0, 1])
    """
    names: list[Label] = list(range(id2label) if isinstance(id2label, int) else id2label)
    if isinstance(id2label, Mapping):
        by_id = {str(key): name for key, name in id2label.items()}
        ids = [str(number) for number in range(len(names))]
        if {*by_id} != {*ids}:
            raise ValueError(f"id2label has the ids {shown(names)}: 0 to {len(names) - 1} are needed")
        names = [by_id[number] for number in ids]
    if not names:
        raise ValueError("id2label is empty")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"id2label names {shown(name)} twice")
    if negative is not None and negative not in names:
        _refuse_another(negative, names)
        raise ValueError(f"negative is {shown(negative)}, which is none of the {len(names)} classes")
    return names


def kept_ids(
    predictions: Any, target: Any, n_labels: int, ignored: int | None = IGNORED
) -> tuple[np.ndarray, np.ndarray]:
    """Gold and predicted ids (m,) of the places whose target is not ignored.

    Parameters
    ----------
    predictions : logits, with one axis of n_labels behind those of the target, or ids of the target's shape.

    Raises ValueError for shapes that do not fit, nan, ids outside 0 … n_labels−1, and if all is ignored.

    >>> gold, predicted = kept_ids([[0.1, 0.9], [0.8, 0.2]], [1, -100], n_labels=2)
    >>> gold.tolist(), predicted.tolist()
    ([1], [1])
    """
    first = predictions[0] if isinstance(predictions, tuple) else predictions
    predicted, gold = _as_array(first), _as_array(target)
    keep = np.ones(gold.shape, bool) if ignored is None else gold != ignored
    if predicted.shape == (*gold.shape, n_labels):
        if np.isnan(predicted[keep]).any():
            raise ValueError("predictions hold nan: the model has diverged")
        predicted = predicted.argmax(axis=-1)
    elif predicted.shape != gold.shape:
        shapes = f"predictions have shape {predicted.shape}, targets {gold.shape}"
        raise ValueError(f"{shapes}: logits of {n_labels} labels, or ids, are needed")
    if not keep.any():
        raise ValueError(f"targets are all {ignored}: there is nothing to score")
    for argument, ids in (("targets", gold[keep]), ("predictions", predicted[keep])):
        outside = (ids < 0) | (ids >= n_labels)
        if outside.any() or ids.dtype.kind not in "iu":
            strange = ids[outside][0] if outside.any() else ids.dtype
            raise ValueError(f"{argument} hold {strange}: ids from 0 to {n_labels - 1} are needed")
    return gold[keep], predicted[keep]


def _as_array(values: Any) -> np.ndarray:
    """Numbers as an array; a tensor may be on any device, with a gradient, and of bf16, which NumPy lacks."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
        values = values.float() if str(values.dtype) == "torch.bfloat16" else values
    return np.asarray(values)
