"""Hugging Face's manner: `compute_metrics` for its Trainer. Neither torch nor transformers is loaded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ..core import Label, shown, unknown_name
from ..metrics import Outcome, Policy, Weighting, evaluate
from .scikit_learn import known_negative

IGNORED = -100
"""The target that PyTorch's cross-entropy ignores; so does every adapter."""


def compute_metrics(
    id2label: Mapping[int, str] | Mapping[str, str] | Sequence[str] | int,
    negative: Label | None = None,
    schemes: Sequence[str | Weighting] | None = None,
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
    ValueError : ids that are not 0 … L−1, a `negative` that is no name, a policy without such a field (as
        score: it is F1 that is averaged). The function: shapes that do not fit, nan, an id without a name, no
        target but ignored ones.

    >>> score = compute_metrics(["no_relation", "per:title", "per:age"], negative="no_relation")
    >>> logits = np.array([[2.0, 1, 0], [0, 2, 1], [0, 3, 2], [1, 0, 2]])
    >>> {name: round(value, 3) for name, value in score((logits, np.array([0, 1, 2, -100]))).items()}
    {'f1_micro': 0.5, 'f1_weighted': 0.333, 'f1_dodrans': 0.333, 'f1_entropy': 0.333, 'f1_macro': 0.333,
     'accuracy': 0.667}
    """
    known = [field.name for field in fields(Policy) if field.name != "negative"]
    if strange := [name for name in policy if name not in known]:
        raise unknown_name("policy of compute_metrics", strange[0], known)
    names = names_of(id2label)
    if negative is not None and negative not in names:
        known_negative(negative, names)
        raise ValueError(f"negative is {shown(negative)}, which is no name of id2label")

    def computed(prediction: Any) -> dict[str, float]:
        logits, target = prediction[0], prediction[1]  # an EvalPrediction has a third part
        gold, predicted = kept_ids(logits, target, len(names))
        table = Outcome.from_columns(gold, predicted, labels=names)
        report = evaluate(table, schemes=schemes, negative=negative, **policy)
        scores = {f"f1_{scheme}": row["f1"] for scheme, row in report.schemes.items()}
        return scores | {"accuracy": report.accuracy}

    return computed


def names_of(id2label: Mapping[Any, str] | Sequence[str] | int) -> list[Label]:
    """The names in the order of their ids, of a number the ids; ValueError unless the ids are 0 … L−1 and the
    names differ.

    >>> names_of({"1": "b", "0": "a"}), names_of(2)
    (['a', 'b'], [0, 1])
    """
    if isinstance(id2label, int):
        return list(range(id2label))
    if isinstance(id2label, Mapping):
        try:
            named = sorted((int(key), name) for key, name in id2label.items())
        except (TypeError, ValueError):
            raise ValueError(f"id2label has a key that is no id: {shown(list(id2label))}") from None
        ids = [number for number, _ in named]
        if ids != [*range(len(ids))]:
            raise ValueError(f"id2label has the ids {ids}: 0 to {len(ids) - 1} are needed")
        id2label = [name for _, name in named]
    if not len(id2label):
        raise ValueError("id2label is empty")
    for name, times in Counter(id2label).items():
        if times > 1:
            raise ValueError(f"id2label names {shown(name)} twice")
    return list(id2label)


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
    if predicted.shape == (*gold.shape, n_labels) and predicted.ndim == gold.ndim + 1:
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
