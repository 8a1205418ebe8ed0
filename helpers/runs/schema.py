"""What a run file may hold: one schema for single labels, paired samples, label sets and ranked facts.

A run holds no text, no ids and no scores: scores are computed from its outcome, so new measures apply to old
runs. Reading and writing is done in `files`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, Strict, model_validator

from ..core import Label, shown
from ..metrics import Confusion, LabelSets, MultilabelOutcome, PairedOutcomes, RankingOutcome
from .fields import Count, Number, OneLabel, Place, Sha256, Table, Whole, check_rows, plain, record
from .label_pairs import LabelPairs
from .ranked_facts import RankedFacts

SCHEMA_VERSION = 3
MAX_LABELS = 5_000
"""Of a table of single labels, which is dense in memory."""
MAX_DEPTH = 1_000


@record
class ConfusionRows:
    """`rows` : [gold, predicted, count], positions into the labels; entries that are missing are 0."""

    kind: Literal["confusion"] = "confusion"
    rows: tuple[tuple[Place, Place, Count], ...]
    COUNTED: ClassVar = {"rows": "[gold, predicted, count]"}

    def counted(self, labels: Sequence[Label]) -> Confusion:
        """The table over these labels."""
        return _dense(Confusion, self.rows, labels)


@record
class PairedRows:
    """`rows` : [gold, predicted, other, count].

    `other` : the prediction on the 'paired sentence', or that of a 'second system', which `second` names.
    """

    kind: Literal["paired"] = "paired"
    other: Literal["paired sentence", "second system"] = "paired sentence"
    second: str = ""
    rows: tuple[tuple[Place, Place, Place, Count], ...]
    COUNTED: ClassVar = {"rows": "[gold, predicted, other, count]"}

    def counted(self, labels: Sequence[Label]) -> PairedOutcomes:
        """The table over these labels. Raises ValueError if `second` does not fit `other`."""
        if bool(self.second) != (self.other == "second system"):
            raise ValueError(f"outcome.second is {shown(self.second)}; other is {self.other!r}")
        return _dense(PairedOutcomes, self.rows, labels)


@record
class LabelSetRows:
    """Of a classifier that gives label sets; or of two on the same instances.

    Attributes
    ----------
    ranking : [number of gold labels, [ranks of the hits, from 1], count], ranks up to `depth`.
    sets : [gold set, predicted set, count], sets as positions into the labels. decision : what was predicted.
    pairs : [gold set, predicted set, set predicted by `second`, count], in place of `sets`.
    train_support : training instances of each label.
    """

    kind: Literal["label_sets"] = "label_sets"
    decision: str = "given"
    second: str = ""
    depth: Annotated[int, Strict(), Field(ge=1, le=MAX_DEPTH)] | None = None
    train_support: tuple[Count, ...] | None = None
    ranking: tuple[tuple[Count, tuple[Place, ...], Count], ...] = ()
    sets: tuple[tuple[tuple[Place, ...], tuple[Place, ...], Count], ...] = ()
    pairs: tuple[tuple[tuple[Place, ...], tuple[Place, ...], tuple[Place, ...], Count], ...] = ()
    COUNTED: ClassVar = {
        "ranking": "[gold labels, [ranks of hits], count]",
        "sets": "[[gold], [predicted], count]",
        "pairs": "[[gold], [predicted], [predicted by second], count]",
    }

    def counted(self, labels: Sequence[Label]) -> MultilabelOutcome | LabelPairs:
        """The outcome over these labels; of two classifiers, `LabelPairs`."""
        if self.train_support is not None and len(self.train_support) != len(labels):
            raise ValueError(
                f"outcome.train_support has {len(self.train_support)} counts for {len(labels)} labels"
            )
        if self.second:
            if self.ranking or self.sets or self.depth:
                raise ValueError("outcome.second is given: expected pairs, and no ranking, sets or depth")
            return _built("pairs", LabelPairs.from_rows, self.pairs, labels, self.decision)
        if self.pairs or self.depth is None:
            raise ValueError("outcome.second is empty: expected depth, ranking and sets, and no pairs")
        sets = _built("sets", LabelSets.from_rows, self.sets, labels, self.decision)
        ranking = _built("ranking", RankingOutcome.from_rows, self.ranking, self.depth, labels)
        if sets.n != ranking.n:
            raise ValueError(f"outcome.sets holds {sets.n} instances, outcome.ranking {ranking.n}")
        return MultilabelOutcome(ranking, sets.label_counts(), sets)


Rows = Annotated[ConfusionRows | PairedRows | LabelSetRows | RankedFacts, Field(discriminator="kind")]
Outcome = Confusion | PairedOutcomes | MultilabelOutcome | LabelPairs | RankedFacts


def _dense(kind: type, rows: Sequence[tuple], labels: Sequence[Label]) -> Any:
    if len(labels) > MAX_LABELS:
        raise ValueError(f"labels holds {len(labels)} labels; expected at most {MAX_LABELS}")
    return _built("rows", kind.from_rows, rows, labels)


def _built(name: str, make: Any, *arguments: Any) -> Any:
    """What `make` gives; its messages, which name a row, get the place in the file."""
    try:
        return make(*arguments)
    except ValueError as error:
        raise ValueError(f"outcome.{name}{str(error).removeprefix('rows')}") from None


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
    model: str
    variant: str = ""
    encoder: str | None = None
    encoder_sha256: Sha256 | None = None
    seed: Whole | None = None
    profile: str | None = None
    hyperparameters: Table = Field(default_factory=dict)
    options: Table = Field(default_factory=dict)
    versions: dict[str, Count] = Field(default_factory=dict)
    files: dict[str, Sha256] = Field(default_factory=dict)
    licence: str = ""
    source: str = ""
    environment: Table = Field(default_factory=dict)
    wall_seconds: Number | None = None
    sentences_per_second: Number | None = None
    history: Table = Field(default_factory=dict)
    facts: Table = Field(default_factory=dict)
    cost: Table = Field(default_factory=dict)
    labels: tuple[OneLabel, ...]
    negative: OneLabel | None = None
    table: Rows = Field(alias="outcome")

    CONFIGURATION: ClassVar = (
        *("dataset", "split", "model", "variant", "encoder", "encoder_sha256", "seed", "profile"),
        *("hyperparameters", "options", "versions", "files", "source", "labels", "negative"),
    )

    @model_validator(mode="after")
    def _check(self) -> Run:
        seen: set[Label] = set()
        for index, label in enumerate(self.labels):
            if label in seen:
                raise ValueError(f"labels[{index}] is {shown(label)}, which is there already")
            seen.add(label)
        if self.negative is not None and self.negative not in seen:
            raise ValueError(f"negative is {shown(self.negative)}, which is not in labels")
        for name in self.table.COUNTED:
            check_rows(name, getattr(self.table, name))
        _ = self._outcome
        return self

    @cached_property
    def _outcome(self) -> Outcome:
        return self.table.counted(self.labels)

    @classmethod
    def from_outcome(
        cls,
        outcome: Outcome,
        *,
        second: str = "",
        train_support: Iterable[int] | None = None,
        **configuration: Any,
    ) -> Run:
        """A run with this outcome.

        Parameters
        ----------
        second : the name of the second of two systems; without it, `PairedOutcomes` are of paired sentences.
        train_support : of each label, for label sets.
        configuration : the other fields; `labels` only for `RankedFacts`, which does not name them.

        Raises ValueError if `second` does not fit, and for label sets that were not kept.

        >>> table = Confusion.from_arrays(["a", "b"], ["a", "a"])
        >>> Run.from_outcome(table, dataset="demo", model="majority").table.rows
        ((0, 0, 1), (1, 0, 1))
        """
        return cls(**outcome_fields(outcome, second, train_support) | configuration)

    def outcome(self) -> Outcome:
        """The counts, ready for the metrics: `Confusion`, `PairedOutcomes`, `MultilabelOutcome`, `LabelPairs`
        or `RankedFacts`.

        >>> table = Confusion.from_arrays(["a", "b"], ["a", "a"])
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

        >>> table = Confusion.from_arrays(["a"], ["a"])
        >>> Run.from_outcome(table, dataset="demo", model="1vsrest", variant="without bias").name
        '1vsrest without bias'
        """
        return f"{self.model} {self.variant}".strip()

    @property
    def n(self) -> int:
        """Number of samples; of ranked facts, of predicted facts."""
        if isinstance(self.table, RankedFacts):
            return self.table.predicted
        # of label sets, ranking and sets hold the same samples
        return max(sum(row[-1] for row in getattr(self.table, name)) for name in self.table.COUNTED)

    def configuration(self) -> dict[str, Any]:
        """Every field that says what was done, as JSON values; not what came out, when, and how fast."""
        found = {name: plain(getattr(self, name)) for name in self.CONFIGURATION}
        kept = ("kind", "other", "second", "decision", "depth", "level")
        table = {name: getattr(self.table, name) for name in kept if hasattr(self.table, name)}
        return found | {"outcome": table}

    @property
    def configuration_sha256(self) -> str:
        """The sha256 of the configuration; numbers that are equal count as equal (1 and 1.0)."""
        text = json.dumps(normal(self.configuration()), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def outcome_fields(
    outcome: Outcome, second: str = "", train_support: Iterable[int] | None = None
) -> dict[str, Any]:
    """The fields `labels` and `table` of a run with this outcome; see `Run.from_outcome`."""
    if second and not isinstance(outcome, PairedOutcomes | LabelPairs):
        raise ValueError(f"a {type(outcome).__name__} is of one system; second is {second!r}")
    match outcome:
        case RankedFacts():
            return {"table": outcome}
        case Confusion():
            return {"labels": outcome.labels, "table": ConfusionRows(rows=outcome.to_rows())}
        case PairedOutcomes():
            other = "second system" if second else "paired sentence"
            table = PairedRows(other=other, second=second, rows=outcome.to_rows())
            return {"labels": outcome.labels, "table": table}
        case LabelPairs():
            table = LabelSetRows(second=second, decision=outcome.sets.decision, pairs=outcome.to_rows())
            return {"labels": outcome.labels, "table": table}
    if outcome.sets is None:
        raise ValueError("outcome has no label sets: make it with keep_sets=True")
    table = LabelSetRows(
        decision=outcome.sets.decision,
        depth=outcome.ranking.depth,
        train_support=None if train_support is None else tuple(train_support),
        ranking=outcome.ranking.to_rows(),
        sets=outcome.sets.to_rows(),
    )
    return {"labels": outcome.ranking.labels, "table": table}


def normal(value: Any) -> Any:
    """A JSON value in which numbers that are equal are written alike.

    >>> normal([1.0, 0.5, "1.0"])
    [1, 0.5, '1.0']
    """
    if isinstance(value, dict):
        return {key: normal(one) for key, one in value.items()}
    if isinstance(value, list):
        return [normal(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
