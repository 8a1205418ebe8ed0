"""From anybody's prediction file to a report: read, count, score. What looks like a slip is logged."""

from __future__ import annotations

import logging
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from helpers.core import (
    SEMEVAL_RELATIONS,
    SKIPPED,
    MalformedRecord,
    find_negative,
    naming_file,
    shown,
    signature_field,
    unknown_name,
)
from helpers.data import LabelColumns, open_source, read_label_columns
from helpers.metrics import (
    RULES,
    Confusion,
    Interval,
    PairedOutcomes,
    Report,
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

logger = logging.getLogger(__name__)


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
    if name is None or name in TASKS:
        return TASKS.get(name)
    raise unknown_name("task", name, TASKS)


def score_file(
    path: Path | str,
    *,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    paired_column: str | None = None,
    id_column: str | None = None,
    task: str | None = None,
    **options: Any,
) -> Report:
    """Score a file of gold and predicted labels; columns as in `read_predictions`, options as in
    `score_frame`.

    Nothing is written. Logged as warnings: one column in two roles; a label with a well-known name of the
    negative class that was not named as such; an inverse of labels that do not occur; direction scores where
    no label has an inverse.

    Raises
    ------
    ValueError : as `read_predictions` and `score_frame`, with the file, and the line and column where there
        is one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("gold,predicted\\nper:age,per:age\\nno_relation,per:age\\n")
    ...     score_file(path, negative="no_relation").schemes["micro"]["precision"]
    0.5
    """
    known = find_task(task)
    scheme_names(options.get("schemes"))  # refuses an unknown one before the file is read
    found = read_label_columns(path, gold_column, predicted_column, paired_column, id_column)
    if known:
        _check_labels(path, found, known, task)
    with naming_file(path):
        report = score_frame(found, task=task, **options)
    for remark in _remarks(found, report, options.get("negative"), options.get("inverse")):
        logger.warning("%s: %s", path, remark)
    return report


def _check_labels(path: Path | str, found: LabelColumns, task: Task, name: str | None) -> None:
    """Refuse the first label that the task does not have, with its line."""
    for role in (role for role in found if role != "id"):
        known = task.labels if role == "gold" else (*task.labels, SKIPPED)
        row = found.first_row(role, lambda label, known=known: label not in known)
        if row is not None:
            reason = str(unknown_name(f"label of {name}", found[role][row].as_py(), known))
            raise MalformedRecord(path, reason, open_source(path).line(row), found.columns[role])


def _remarks(
    found: LabelColumns, report: Report, negative: str | None, inverse: Mapping[str, str] | None
) -> Iterator[str]:
    """What the user may not have meant."""
    columns = {role: name for role, name in found.columns.items() if role != "id"}
    for name in dict.fromkeys(columns.values()):
        roles = [role for role in columns if columns[role] == name]
        if len(roles) > 1:
            yield f"column {shown(name)} is taken for {' and for '.join(roles)}"
    if negative is None and report.negative is None and (hint := negative_hint(report)):
        yield hint
    yield from _unlike(report)
    absent = [label for label in inverse or () if label not in report.labels]
    if absent:
        yield f"{len(absent)} labels with an inverse do not occur, the first is {shown(absent[0])}"
    if report.extra.get("direction", {}).get("n") == 0:
        yield "no gold label has an inverse, so PIR and PPR are undefined; --inverse FILE gives inverses"


def _unlike(report: Report) -> Iterator[str]:
    """Labels that look like others, and scores over nothing."""
    gold = {_plainly(label): label for label, row in report.per_class.items() if row["support"]}
    for label, row in report.per_class.items():
        like = gold.get(_plainly(label), label)
        if row["predicted"] and not row["support"] and like != label:
            yield f"{shown(label)} is predicted and never gold; is it {shown(like)}?"
            return
    if not any(row["support"] and row["predicted"] for row in report.per_class.values()):
        yield "no predicted label occurs as gold: are the labels of the two columns written alike?"
    if not report.averaged:
        yield "no label is averaged, so every average is 0/0, shown as 0"


def _plainly(label: str | int) -> str:
    return str(label).strip().lower().removesuffix(".0")


def negative_hint(report: Report) -> str | None:
    """What to tell a user whose labels hold a well-known name of the negative class, and who named none.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gold": ["a", "NA"], "predicted": ["a", "NA"]})
    >>> negative_hint(score_frame(frame))
    "'NA' is averaged like any other label; if it is the negative class, say --negative NA"
    """
    try:
        name = find_negative(map(str, report.labels))
    except ValueError as error:  # several labels have such a name
        return f"{error}, by --negative; now they are averaged like any other label"
    if name is None:
        return None
    option = f"--negative {shlex.quote(name)}"
    return f"{shown(name)} is averaged like any other label; if it is the negative class, say {option}"


def score_frame(
    frame: pd.DataFrame | LabelColumns,
    *,
    negative: str | None = None,
    task: str | None = None,
    inverse: Mapping[str, str] | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 0,
    seed: int = 1,
) -> Report:
    """Score a frame with the columns gold, predicted and, for direction, predicted_paired.

    Parameters
    ----------
    frame : one row for each sample; or the columns of a file (`read_label_columns`).
    negative : the negative class; None: the task's, or none; "": none.
    task : 'semeval2010' fixes the 19 labels and the negative class, and adds the section `official` to the
        report.
    inverse : gold label → gold label of the paired sample, for `direction`; None: `(e1,e2)` ↔ `(e2,e1)`.
    schemes : rows of the report: names, 'n^α' or functions; None: all of `scheme_names`.
    replicates : bootstrap replicates for 95 % intervals; 0: no intervals. seed : of the bootstrap.

    Returns
    -------
    A `Report`; with predicted_paired it has the section `direction`, in which performance is the task's
    official macro-F1, else macro-F1.

    Raises
    ------
    ValueError : as `Confusion.from_arrays`; unknown task or scheme; a negative class that is none of the
        labels, or not the task's.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gold": ["a", "b"], "predicted": ["a", "a"]})
    >>> score_frame(frame).accuracy
    0.5
    """
    known = find_task(task)
    if known and negative not in (None, known.negative):
        raise ValueError(
            f"negative is {shown(negative)}, but the negative class of {task} is {shown(known.negative)}"
        )
    negative = known.negative if known else negative or None
    labels = _task_labels(known, frame) if known else None
    confusion = Confusion.from_arrays(frame["gold"], frame["predicted"], labels)
    outcomes = None
    if "predicted_paired" in frame:
        columns = (frame[role] for role in ("gold", "predicted", "predicted_paired"))
        outcomes = PairedOutcomes.from_arrays(*columns, labels)
        if negative is not None and negative not in confusion.labels:
            confusion = outcomes.original  # the negative class may be predicted for paired samples only
    report = evaluate(confusion, schemes=schemes, negative=negative)
    rng, made = np.random.default_rng(seed), bootstrap_suffix(replicates, seed) if replicates else ""

    def interval(table: Any, statistic: Callable) -> Interval | None:
        return bootstrap_intervals(table, statistic, rng, replicates) if replicates else None

    weightings = scheme_names() if schemes is None else schemes
    options = {"classes_of": confusion, "negative": negative}
    if found := interval(confusion, lambda table: averages(table, weightings, **options)):
        for scheme, low, high in zip(scheme_names(weightings), found.low, found.high, strict=True):
            report.add_interval(scheme, float(low), float(high))
            report.schemes[scheme]["signature"] += made
    if known:
        report.extra["official"] = _official(confusion, known.negative, interval, made)
    if outcomes is not None:
        report.extra["direction"] = _direction(outcomes, known, negative, inverse, interval, made)
    report.signature += made
    return report


def _task_labels(task: Task, frame: pd.DataFrame | LabelColumns) -> tuple[str, ...]:
    """The task's labels, and the mark of skipped samples if the predictions have any."""
    roles = [role for role in frame if str(role).startswith("predicted")]
    if isinstance(frame, LabelColumns):
        skips = any(frame.first_row(role, lambda label: label == SKIPPED) is not None for role in roles)
    else:
        skips = any((frame[role] == SKIPPED).any() for role in roles)
    return (*task.labels, SKIPPED) if skips else task.labels


def _official(confusion: Confusion, negative: str, interval: Callable, made: str) -> dict[str, dict]:
    scores = official_scores(confusion, negative)
    found = interval(confusion, lambda table: official_macro(table, negative))
    if found:
        scores["grouped"] |= {"macro_low": found.low, "macro_high": found.high}
    for name, direction in {"directed": "kept", "undirected": "dropped", "grouped": "grouped"}.items():
        scores[name]["signature"] = (
            f"f1|official:semeval2010|labels:supported|negative:{negative}|direction:{direction}"
            f"|n:{confusion.n}|v:{RULES}" + (made if name == "grouped" else "")
        )
    return scores


def _direction(
    outcomes: PairedOutcomes,
    task: Task | None,
    negative: str | None,
    inverse: Mapping[str, str] | None,
    interval: Callable,
    made: str,
) -> dict[str, Any]:
    def performance(table: Confusion) -> Any:
        return official_macro(table, negative) if task else average(table, "macro", negative=negative)

    def rates(table: PairedOutcomes) -> np.ndarray:
        scores = direction_scores(table, inverse, performance)
        return np.stack([getattr(scores, rate) for rate in RATES], -1)

    scores = direction_scores(outcomes, inverse, performance).to_dict()
    if found := interval(outcomes, rates):
        ends = zip(RATES, found.low.tolist(), found.high.tolist(), strict=True)
        scores["intervals"] = {rate: {"low": low, "high": high} for rate, low, high in ends}
    measure = "official_macro" if task else "macro"
    pairs, name = "e1e2" if inverse is None else "given", signature_field(negative)
    scores["signature"] = (
        f"pd+pir+ppr|performance:{measure}|inverse:{pairs}|negative:{name}|n:{outcomes.n}|v:{RULES}{made}"
    )
    return scores
