"""Training settings and how values are checked, also those that come as text from a command line."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError
from pydantic.dataclasses import dataclass
from pydantic.fields import FieldInfo

from ..core import unknown_name

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


def checked(kind: type) -> type:
    """A frozen dataclass whose values pydantic checks; a wrong one is a ValueError of one line.

    Numbers and truth values may come as text. The message names the field, its value and what it must be (the
    `description` of its type), for an unknown name or choice the known ones and the nearest.
    """
    made = dataclass(frozen=True, config={"extra": "forbid"})(kind)
    initialise = made.__init__

    @functools.wraps(initialise)
    def __init__(self, *values: Any, **named: Any) -> None:
        try:
            initialise(self, *values, **named)
        except ValidationError as error:
            raise _fault(error, made.__pydantic_fields__, kind.__name__.lower().rstrip("s")) from None

    made.__init__ = __init__
    return made


def _fault(error: ValidationError, fields: Mapping[str, FieldInfo], what: str) -> ValueError:
    """The first fault in words; a value alone has one field, and no place."""
    fault = error.errors()[0]
    if fault["type"] == "value_error":
        return fault["ctx"]["error"]
    if len(fields) > 1 and not fault["loc"]:  # a name that UTF-8 cannot write, as half of a surrogate pair
        return ValueError(f"unknown {what} {fault['input']!r}")
    name = str(fault["loc"][0]) if len(fields) > 1 else next(iter(fields))
    if fault["type"] == "missing":
        return ValueError(f"{name} is missing")
    if fault["type"] == "unexpected_keyword_argument":
        return unknown_name(what, name, fields)
    kind = fields[name].annotation
    if fault["type"] == "literal_error":
        return unknown_name(name, fault["input"], get_args(kind))
    wanted = fields[name].description or _TYPES.get(kind) or fault["msg"].removeprefix("Input should be ")
    return ValueError(f"{name} is {fault['input']!r}; it must be {wanted}")


def checked_option(name: str, value: object, kind: Any) -> Any:
    """The value of a model's option as its type or its kind (`KINDS`); text is converted.

    Raises ValueError as `checked`.

    >>> checked_option("layer_norm", "true", bool), checked_option("layers", "2", int)
    (True, 2)
    >>> checked_option("form", "prot", Literal["paper", "port"])
    Traceback (most recent call last):
    ValueError: unknown form 'prot'; did you mean 'port'? Known: paper, port
    """
    kind = KINDS.get(kind, kind)
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError as error:
        raise _fault(error, {name: FieldInfo.from_annotation(kind)}, "option") from None


@checked
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

    Raises ValueError as `checked`.

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

    def changed(self, values: Mapping[str, object]) -> Settings:
        """A copy with these values, which may be text, as `--set NAME VALUE` gives it.

        >>> Settings().changed({"learning_rate": "2e-4", "dropout": "none"}).learning_rate
        0.0002
        >>> Settings().changed({"epoch": "3"})
        Traceback (most recent call last):
        ValueError: unknown setting 'epoch'; did you mean 'epochs'? Known: learning_rate, epochs, ...
        """
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
