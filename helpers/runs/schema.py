"""What a run file may hold: configuration, provenance and outcome, in one schema.

A run holds no text, no ids and no scores: scores are computed from its outcome (`outcomes`), so new measures
apply to old runs. Reading and writing is done in `files`.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields
from functools import cached_property
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, Strict, TypeAdapter, ValidationError, model_validator

from ..core import Label, shown, visible
from .outcomes import KINDS, AnyOutcome, Count, RankedFacts, Rows, record, rows_of

SCHEMA_VERSION = 3


def plain(value: Any) -> Any:
    """A value as JSON has it: numpy numbers as Python's, tuples as lists; keys are sorted.

    Raises ValueError for what JSON cannot hold: other objects, keys that are no text, nan and infinity.

    >>> plain({"rates": (1, 0.5), "epochs": 5})
    {'epochs': 5, 'rates': [1, 0.5]}
    """
    if getattr(value, "ndim", None) == 0:
        value = value.item()
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: plain(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError(f"{shown(value)} is no JSON value")


def _label(value: object) -> Label:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("a label is a string or an integer")
    return value


Whole = Annotated[int, Strict(), BeforeValidator(plain)]
Number = Annotated[float, Strict(), Field(ge=0), BeforeValidator(plain)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Table = Annotated[dict[str, Any], BeforeValidator(plain)]
RunLabel = Annotated[Any, BeforeValidator(_label)]


@record
class Run:
    """Configuration, provenance and outcome of one model, or of two side by side, on one test set.

    Attributes
    ----------
    dataset, split : names; `files` : sha256 of every input file, by its path within the data folder.
    model : name; of two systems 'A+B'. variant : what sets the run apart from the model as it is usually
        trained, e.g. 'marker_vectors-mean' or 'epoch-2'; '' if nothing does.
    encoder, encoder_sha256 : the pretrained encoder and its weights; None for published predictions.
    seed : None for published predictions and for models without randomness.
    profile : 'quick', 'standard', 'paper'; None for predictions that were read.
    hyperparameters : settings of training as they came out, text, number of samples; JSON values.
    options : every option of the model, those that were not given with their defaults.
    versions : 'model NAME', 'technique NAME' and 'data set NAME' → the version in its row of the registry.
    labels : the label list; negative : the negative label among them, or None.
    licence : of the predictions, '' if none is stated. source : where they come from, or a remark.
    environment : see `environment`. wall_seconds, sentences_per_second : of training; None if not timed.
    history : of training: mean loss of each epoch, inputs and tokens that were cut.
    facts : what follows from model and data, the same on every machine; cost : seconds, of this run.
    table : the outcome as the file holds it, under the key `outcome`; see the four classes.

    Raises ValueError (pydantic's) for a value of another type, and for rows that contradict each other.
    """

    dataset: str
    split: str = "test"
    files: dict[str, Sha256] = Field(default_factory=dict)
    model: str
    variant: str = ""
    encoder: str | None = None
    encoder_sha256: Sha256 | None = None
    seed: Whole | None = None
    profile: str | None = None
    hyperparameters: Table = Field(default_factory=dict)
    options: Table = Field(default_factory=dict)
    versions: dict[str, Count] = Field(default_factory=dict)
    licence: str = ""
    source: str = ""
    environment: Table = Field(default_factory=dict)
    wall_seconds: Number | None = None
    sentences_per_second: Number | None = None
    history: Table = Field(default_factory=dict)
    facts: Table = Field(default_factory=dict)
    cost: Table = Field(default_factory=dict)
    labels: tuple[RunLabel, ...]
    negative: RunLabel | None = None
    table: Rows = Field(alias="outcome")

    NO_CONFIGURATION: ClassVar = ("licence", "environment", "wall_seconds", "sentences_per_second", "table")
    NO_CONFIGURATION += ("history", "facts", "cost")

    @model_validator(mode="after")
    def _check(self) -> Run:
        entries = {f"outcome.{name}": getattr(self.table, name) for name in self.table.COUNTED}
        keys = {name: [row[:-1] for row in rows] for name, rows in entries.items()}
        for name, values in ({"labels": self.labels} | keys).items():
            first: dict[Any, int] = {}
            for index, value in enumerate(values):
                if first.setdefault(value, index) != index:
                    raise ValueError(f"{name}[{index}] is {shown(value)}, which is there already")
        if self.negative is not None and self.negative not in self.labels:
            raise ValueError(f"negative is {shown(self.negative)}, which is not in labels")
        _ = self._outcome
        return self

    @cached_property
    def _outcome(self) -> AnyOutcome:
        return self.table.counted(self.labels)

    @classmethod
    def from_outcome(
        cls,
        outcome: AnyOutcome,
        *,
        second: str = "",
        train_support: Iterable[int] | None = None,
        **configuration: Any,
    ) -> Run:
        """A run with this outcome.

        Parameters
        ----------
        second : the name of the second of two systems, whose predictions have the role 'second'.
        train_support : of each label, for label sets.
        configuration : the other fields; `labels` only for `RankedFacts`, which does not name them.

        Raises ValueError if `second` does not fit, and for label sets that were not kept.

        >>> from helpers.metrics import Outcome
        >>> table = Outcome.from_columns(["a", "b"], ["a", "a"])
        >>> Run.from_outcome(table, dataset="demo", model="majority").table.rows
        ((0, 0, 1), (1, 0, 1))
        """
        table = rows_of(outcome, second, train_support)
        own = {} if table is outcome else {"labels": getattr(outcome, "ranking", outcome).labels}
        return cls(**own | {"table": table} | configuration)

    def outcome(self) -> AnyOutcome:
        """The counts, ready for the metrics: `Outcome`, `MultilabelOutcome` or `RankedFacts`.

        >>> from helpers.metrics import Outcome
        >>> table = Outcome.from_columns(["a", "b"], ["a", "a"])
        >>> Run.from_outcome(table, dataset="demo", model="majority").outcome() == table
        True
        """
        return self._outcome

    @property
    def kind(self) -> str:
        """'confusion', 'paired', 'label_sets' or 'facts'."""
        return self.table.kind

    @property
    def second(self) -> str:
        """The name of the second of two systems, '' if there is one system only."""
        return getattr(self.table, "second", "")

    @property
    def name(self) -> str:
        """Model and variant, as tables show them.

        >>> from helpers.metrics import Outcome
        >>> table = Outcome.from_columns(["a"], ["a"])
        >>> Run.from_outcome(table, dataset="demo", model="1vsrest", variant="without bias").name
        '1vsrest without bias'
        """
        return f"{self.model} {self.variant}".strip()

    @property
    def n(self) -> int:
        """Number of samples; of ranked facts, of predicted facts."""
        if isinstance(self.table, RankedFacts):
            return self.table.length
        # of label sets, ranking and sets hold the same samples
        return max(sum(row[-1] for row in getattr(self.table, name)) for name in self.table.COUNTED)

    def different_fields(self, other: Run) -> list[str]:
        """Names of the configuration fields that differ; outcome, environment and times are no configuration.

        >>> from helpers.metrics import Outcome
        >>> table = Outcome.from_columns(["a"], ["a"])
        >>> first, second = (Run.from_outcome(table, dataset="d", model="m", seed=seed) for seed in (9, 148))
        >>> first.different_fields(second)
        ['seed']
        """
        own, others = self.configuration(), other.configuration()
        return [name for name in own if own[name] != others[name]]

    def configuration(self) -> dict[str, Any]:
        """Every field that says what was done, as JSON values; not what came out, when, and how fast."""
        names = (field.name for field in fields(self) if field.name not in self.NO_CONFIGURATION)
        values = {name: plain(getattr(self, name)) for name in names}
        kinds = ("kind", "other", "second", "decision", "depth", "level")
        outcome = {name: getattr(self.table, name) for name in kinds if hasattr(self.table, name)}
        return values | {"outcome": outcome}

    @property
    def configuration_sha256(self) -> str:
        """The sha256 of the configuration; numbers that are equal count as equal (1 and 1.0)."""
        text = json.dumps(normal(self.configuration()), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def normal(value: Any) -> Any:
    """A JSON value in which numbers that are equal are written alike.

    >>> normal([1.0, 0.5, "1.0"])
    [1, 0.5, '1.0']
    """
    if isinstance(value, dict):
        return {key: normal(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [normal(entry) for entry in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def validated(adapter: TypeAdapter, record: object) -> Any:
    """What the adapter makes of a JSON value; ValueError with the first fault, in one line.

    >>> validated(TypeAdapter(dict[str, int]), {"a": "x"})
    Traceback (most recent call last):
    ValueError: a is 'x'; expected a valid integer, unable to parse string as an integer
    """
    try:
        return adapter.validate_python(record)
    except ValidationError as error:
        raise ValueError(_first_fault(error)) from None


def _first_fault(error: ValidationError) -> str:
    """'key is value; expected …'."""
    fault = error.errors()[0]
    kind, steps = fault["type"], fault["loc"]
    match steps:
        case ("outcome", kind_of_outcome, *rest) if kind_of_outcome in KINDS:
            steps = ("outcome", *rest)  # without the kind, which pydantic names there
    names = [f"[{step}]" if isinstance(step, int) else f".{visible(step, 80)}" for step in steps]
    key = "".join(names).removeprefix(".")
    if kind == "missing":
        return f"missing key {key}"
    if kind == "unexpected_keyword_argument":
        return f"unknown key {key}"
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        return f"outcome.kind is {shown(fault['input'].get('kind'))}; expected one of {', '.join(KINDS)}"
    said = str(fault["ctx"]["error"]) if kind == "value_error" else " ".join(fault["msg"].split())
    said = said.replace("Input should be ", "expected ")
    return f"{key} is {shown(fault['input'])}; {said}" if key else said
