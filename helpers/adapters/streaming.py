"""torchmetrics' manner: `WeightedF1`, a metric that is fed batch by batch and summed over processes.

torchmetrics is loaded with this module; the face of the folder does not import it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import torch

from ..core import Label
from ..metrics import Outcome, Policy, Scheme, average
from .functions import IGNORED, kept_ids, names_of

try:
    from torchmetrics import Metric
except ImportError as error:
    raise ImportError("WeightedF1 needs torchmetrics: pip install torchmetrics") from error


class WeightedF1(Metric):
    """The F1 of each class, averaged under a weighting scheme, over all batches since `reset`.

    Its state is the table of counts (L, L), a sum: batches, processes (`torch.distributed`) and machines add
    up exactly to the score of the whole, which the mean over batches is not. A `torchmetrics.Metric` like any
    other: `update`, `compute`, `reset`, `merge_state`, `MetricCollection`, Lightning's `self.log`.

    Parameters
    ----------
    classes : the number of labels, their names in the order of the ids, or id → name. num_classes : their
        number, as torchmetrics calls it; give one of the two.
    scheme : as in `helpers.adapters.f1_score`.
    negative : the negative class, by name or, where there are no names, by id.
    ignore_index : targets that are not counted; None: all count.
    policy : fields of `helpers.metrics.Policy`.

    `update(preds, target)`: target holds ids, (n, …); preds ids of the same shape, or logits or
    probabilities (n, L, …), classes on the second axis, as torchmetrics has them.

    Raises ValueError for shapes that do not fit, nan, ids outside 0 … L−1; `compute` before `update`.

    >>> metric = WeightedF1(["no_relation", "per:title", "per:age"], "macro", negative="no_relation")
    >>> metric.update(torch.tensor([[2.0, 1, 0], [0, 2, 1]]), torch.tensor([0, 1]))
    >>> metric.update(torch.tensor([1, 2]), torch.tensor([2, -100]))
    >>> round(metric.compute().item(), 4)
    0.3333
    """

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    counts: torch.Tensor

    def __init__(
        self,
        classes: int | Sequence[str] | Mapping[Any, str] | None = None,
        scheme: Scheme = "dodrans",
        negative: Label | None = None,
        ignore_index: int | None = IGNORED,
        num_classes: int | None = None,
        **policy: Any,
    ) -> None:
        own = {field.name for field in fields(Policy)}
        rules = {"negative": negative} | {name: value for name, value in policy.items() if name in own}
        super().__init__(**{name: value for name, value in policy.items() if name not in own})
        given = num_classes if classes is None else classes
        if given is None or None not in (classes, num_classes):
            raise ValueError("give the classes, or num_classes, their number")
        names = names_of(given, negative)
        self.labels, self.scheme, self.ignore_index = tuple(names), scheme, ignore_index
        self.policy, size = vars(Policy(**rules)), len(names)
        self.add_state("counts", torch.zeros(size, size, dtype=torch.int64), dist_reduce_fx="sum")

    def update(self, preds: torch.Tensor, target: torch.Tensor) -> None:
        """Count one batch; one whose targets are all ignored changes nothing."""
        if self.ignore_index is not None and bool((target == self.ignore_index).all()):
            return
        if preds.ndim == target.ndim + 1:
            preds = preds.movedim(1, -1)
        gold, predicted = kept_ids(preds, target, len(self.labels), self.ignore_index)
        table = Outcome.from_columns(gold, predicted, labels=self.labels).table()
        self.counts += torch.from_numpy(table).to(self.counts.device)

    def compute(self) -> torch.Tensor:
        """The score of all batches, a float64 of no axis."""
        if not int(self.counts.sum()):
            raise ValueError("there is nothing to score: no batch with a target was given to `update`")
        rows = [(*cell, n) for cell, n in np.ndenumerate(self.counts.cpu().numpy())]
        table = Outcome.from_rows(rows, self.labels)
        value = average(table, self.scheme, **self.policy)
        return torch.tensor(value, dtype=torch.float64, device=self.counts.device)
