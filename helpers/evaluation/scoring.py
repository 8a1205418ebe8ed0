"""From counts to a report: a named task, bootstrap intervals, the official scores, the direction scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import (
    SEMEVAL_RELATIONS,
    SKIPPED,
    Label,
    base_relation,
    did_you_mean,
    shown,
    signature_field,
    unknown_name,
    unlisted_message,
)
from ..data import LabelColumns
from ..metrics import (
    RULES,
    ClassReport,
    Interval,
    Outcome,
    Weighting,
    average,
    averages,
    bootstrap_intervals,
    bootstrap_suffix,
    direction_scores,
    evaluate,
    official_macro,
    official_scores,
    scheme_names,
)

if TYPE_CHECKING:
    import pandas as pd

    from ..runs import Run


class Task(NamedTuple):
    """What a named task fixes: its labels and its negative class."""

    labels: tuple[str, ...]
    negative: str


TASKS = {"semeval2010": Task(SEMEVAL_RELATIONS, "Other")}
RATES = ("performance_original", "performance_paired", "pd", "pir", "ppr")


def find_task(name: str | None) -> Task | None:
    """The task of that name, None for None; ValueError lists the known ones.

    >>> find_task("semeval2010").negative
    'Other'
    """
    if name is None:
        return None
    if name in TASKS:
        return TASKS[name]
    raise unknown_name("task", name, TASKS)


def score_frame(
    frame: pd.DataFrame | LabelColumns,
    *,
    negative: str | None = None,
    task: str | None = None,
    inverse: Mapping[Any, str] | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 0,
    seed: int = 1,
    **policy: Any,
) -> ClassReport:
    """Score a frame with the columns gold, predicted and, for direction, predicted_paired.

    Parameters
    ----------
    frame : one row for each sample; or the columns of files (`count_files`), or of a frame of any engine
        (`count_rows`).
    negative : the negative class; None: the task's, or none; "": none.
    task : 'semeval2010' fixes the 19 labels and the negative class, and adds the section `official` to the
        report.
    inverse : gold label → gold label of the paired sample, for `direction`; None: `(e1,e2)` ↔ `(e2,e1)`.
    schemes : rows of the report: names, 'n^α' or functions; None: all of `scheme_names`.
    replicates : bootstrap replicates for 95 % intervals; 0: no intervals. seed : of the bootstrap.
    policy : `score`, the class score that is averaged ('f1', 'f0.5', 'mcc', …); fields of `Policy`, such as
        `labels` and `zero_division`. They hold for the schemes; official and direction scores are defined.

    Returns
    -------
    A `ClassReport`; with predicted_paired it has the section `direction`, in which performance is the task's
    official macro-F1, else macro-F1.

    Raises
    ------
    ValueError : as `Outcome.from_columns`; unknown task, scheme or score; a negative class that is none of
        the labels, or not the task's.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gold": ["a", "b"], "predicted": ["a", "a"]})
    >>> score_frame(frame).accuracy
    0.5
    >>> score_frame(frame, schemes=["macro"], score="mcc").schemes["macro"]["mcc"]
    0.0
    """
    known = find_task(task)
    if known and negative not in (None, known.negative):
        raise ValueError(
            f"negative is {shown(negative)}, but the negative class of {task} is {shown(known.negative)}"
        )
    negative = known.negative if known else negative or None
    labels = task_labels(known, frame) if known else None
    counts = frame.counts if isinstance(frame, LabelColumns) else None
    confusion = Outcome.from_columns(frame["gold"], frame["predicted"], labels=labels, counts=counts)
    outcomes = None
    if "predicted_paired" in frame:
        outcomes = Outcome.from_columns(
            frame["gold"], frame["predicted"], paired=frame["predicted_paired"], labels=labels, counts=counts
        )
        if negative is not None and negative not in confusion.labels:
            # the negative class may be predicted for paired samples only
            confusion = outcomes.of("predicted").grouped()
    if known is None:
        confusion = with_listed(confusion, policy.get("labels", ()), negative)
    drawn = _Drawn(replicates, seed)
    report = _scheme_report(confusion, schemes, drawn, negative=negative, **policy)
    if known:
        _add_official(report, confusion, known.negative, drawn)
    if outcomes is not None:
        _add_direction(report, outcomes, known is not None, negative, inverse, drawn)
    return report


def score_run(
    run: Run,
    *,
    negative: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    inverse: Mapping[Any, str] | None = None,
    replicates: int = 0,
    seed: int = 1,
    **policy: Any,
) -> ClassReport:
    """Score the counts of a run file, as `score_frame`; the negative class is the run's.

    A run on paired sentences has the section `direction`, in which performance is the official macro-F1, as
    in paper R. Raises ValueError for a run of label sets, of ranked facts, or of two systems side by side,
    and for another negative class.

    >>> from helpers.runs import Run
    >>> table = Outcome.from_rows([(0, 0, 3), (1, 0, 1)], ("a", "b"))
    >>> score_run(Run.from_outcome(table, dataset="d", model="m")).schemes["macro"]["f1"]
    0.42857142857142855
    """
    outcome, drawn = run.outcome(), _Drawn(replicates, seed)
    if not isinstance(outcome, Outcome) or run.second:
        raise ValueError(f"the run of {run.model} on {run.dataset} is not of one classifier of single labels")
    if negative not in (None, run.negative or ""):
        raise ValueError(f"negative is {shown(negative)}, but that of the run is {shown(run.negative)}")
    table = outcome.of("predicted").grouped()
    report = _scheme_report(table, schemes, drawn, negative=run.negative, **policy)
    if run.dataset in TASKS:
        _add_official(report, table, run.negative, drawn)
    if "paired" in outcome.roles:
        _add_direction(report, outcome, True, run.negative, inverse, drawn)
    return report


@dataclass
class _Drawn:
    """How intervals are made, if any: one generator for each report, used by its sections in turn."""

    replicates: int
    seed: int

    @cached_property
    def rng(self) -> np.random.Generator:
        """The one generator that all intervals draw from, in the order of the report."""
        return np.random.default_rng(self.seed)

    @property
    def made(self) -> str:
        """What a signature says of the resampling; '' without replicates."""
        return bootstrap_suffix(self.replicates, self.seed) if self.replicates else ""

    def interval(self, table: Any, statistic: Callable) -> Interval | None:
        """The percentile interval of a statistic of the counts; None without replicates."""
        return bootstrap_intervals(table, statistic, self.rng, self.replicates) if self.replicates else None


def _scheme_report(
    confusion: Outcome, schemes: Sequence[str | Weighting] | None, drawn: _Drawn, **policy: Any
) -> ClassReport:
    report = evaluate(confusion, schemes=schemes, **policy)
    weightings = scheme_names() if schemes is None else schemes
    options = {"classes_of": confusion, **policy}
    if found := drawn.interval(confusion, lambda table: averages(table, weightings, **options)):
        for scheme, low, high in zip(scheme_names(weightings), found.low, found.high, strict=True):
            report.add_interval(scheme, float(low), float(high))
            report.schemes[scheme]["signature"] += drawn.made
    report.signature += drawn.made
    return report


def task_labels(task: Task, frame: Mapping | pd.DataFrame | LabelColumns) -> tuple[str, ...]:
    """The task's labels, and the mark of skipped samples if the predictions have any.

    >>> task_labels(Task(("a", "NA"), "NA"), {"predicted": np.array(["a", "(skipped)"])})
    ('a', 'NA', '(skipped)')
    """
    roles = [str(role) for role in frame if str(role).startswith("predicted")]
    if isinstance(frame, LabelColumns):
        skips = any(frame.first_row(role, lambda label: label == SKIPPED) is not None for role in roles)
    else:
        skips = any((frame[role] == SKIPPED).any() for role in roles)
    return (*task.labels, SKIPPED) if skips else task.labels


def with_listed(outcome: Outcome, listed: str | Sequence[Label], negative: Label | None) -> Outcome:
    """The same outcome with the labels of a list that do not occur: it may be the list of a whole task.

    ValueError for one that looks like a label that occurs and is not listed: that is taken for a slip.

    >>> with_listed(Outcome.from_columns(["a", "NA"], ["a", "a"]), ["a", "b"], "NA").labels
    ('NA', 'a', 'b')
    """
    wider = {*outcome.labels, *(() if isinstance(listed, str) else listed)}
    mixed = len({isinstance(label, str) for label in wider}) > 1  # `Policy` refuses what is no label here
    if mixed or len(wider) == len(outcome.labels):
        return outcome
    others = [label for label in outcome.labels if label not in listed and label != negative]
    for place, label in enumerate(listed):
        if label not in outcome.labels and did_you_mean(label, others):
            raise ValueError(unlisted_message("labels", place, label, outcome.labels))
    return outcome + Outcome.from_rows([], sorted(wider), list(outcome.roles))


def _macro_classes(confusion: Outcome, negative: str | None) -> tuple[str, str]:
    """Over how many labels macro-F1 is, and over how many relations SemEval's official one, in words."""
    gold = zip(confusion.labels, confusion.per_class().gold.tolist(), strict=True)
    labels = [str(label) for label, support in gold if support and label not in (negative, SKIPPED)]
    return f"{len(labels)} labels", f"{len({base_relation(label) for label in labels})} relations"


def _add_official(report: ClassReport, confusion: Outcome, negative: str | None, drawn: _Drawn) -> None:
    labels, relations = _macro_classes(confusion, negative)
    report.headings["official"] = (
        f"macro is over {labels} (directed) or over {relations} (undirected; grouped, the task's own score)"
    )
    scores: dict[str, dict[str, Any]] = official_scores(confusion, negative)
    found = drawn.interval(confusion, lambda table: official_macro(table, negative, confusion))
    if found:
        scores["grouped"] |= {"macro_low": found.low, "macro_high": found.high}
    for name, direction in {"directed": "kept", "undirected": "dropped", "grouped": "grouped"}.items():
        scores[name]["signature"] = (
            f"f1|official:semeval2010|labels:supported|negative:{negative}|direction:{direction}"
            f"|n:{confusion.n}|v:{RULES}" + (drawn.made if name == "grouped" else "")
        )
    report.extra["official"] = scores


def _add_direction(
    report: ClassReport,
    outcomes: Outcome,
    official: bool,
    negative: str | None,
    inverse: Mapping[Any, str] | None,
    drawn: _Drawn,
) -> None:
    def performance(table: Outcome, classes_of: Outcome | None = None) -> Any:
        if official:
            return official_macro(table, negative, classes_of)
        return average(table, "macro", negative=negative, classes_of=classes_of)

    def rates(table: Outcome) -> np.ndarray:
        scores = direction_scores(table, inverse, performance, outcomes)
        return np.stack([getattr(scores, rate) for rate in RATES], -1)

    scores = direction_scores(outcomes, inverse, performance).to_dict()
    if found := drawn.interval(outcomes, rates):
        ends = zip(RATES, found.low.tolist(), found.high.tolist(), strict=True)
        scores["intervals"] = {rate: {"low": low, "high": high} for rate, low, high in ends}
    measure = "official_macro" if official else "macro"
    pairs, name = "e1e2" if inverse is None else "given", signature_field(negative)
    scores["signature"] = (
        f"pd+pir+ppr|performance:{measure}|inverse:{pairs}|negative:{name}|n:{outcomes.n}|v:{RULES}{drawn.made}"
    )
    labels, relations = _macro_classes(outcomes, negative)
    over = (
        f"the official macro-F1, over {relations}, direction counted"
        if official
        else f"macro-F1 over {labels}"
    )
    report.headings["direction"] = f"performance is {over}"
    report.extra["direction"] = scores
