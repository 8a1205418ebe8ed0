"""From anybody's predictions to a report: read, count, score. What looks like a slip is logged."""

from __future__ import annotations

import logging
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import core, metrics
from ..core import Label, listing, naming_file, shown, unknown_name, unlisted_message, visible
from ..data import LabelColumns, count_files, open_source
from ..metrics import ClassReport, Interval, Outcome, averages
from .answers import OPTIONS, Answers, choices_text, settle
from .remarks import pooled_only, remarks

if TYPE_CHECKING:
    import pandas as pd

    from ..runs import Run

logger = logging.getLogger(__name__)
RATES = tuple(metrics.DIRECTION_SCORES.values())
READING = ["gold_column", "predicted_column", "paired_column", "id_column", "gold_file", "form"]
READING += ["label_names", "empty", "engine", "check_ids"]
"""Arguments of `count_files`; without the last two of `read_label_columns`."""


class Task(NamedTuple):
    """What a named task fixes: its labels and its negative class."""

    name: str
    labels: tuple[str, ...]
    negative: str


TASKS = {"semeval2010": Task("semeval2010", core.SEMEVAL_RELATIONS, "Other")}


def find_task(name: str | None) -> Task | None:
    """The task of that name, None for None; ValueError lists the known ones.

    >>> find_task("semeval2010").negative
    'Other'
    """
    if name is not None and name not in TASKS:
        raise unknown_name("task", name, TASKS)
    return None if name is None else TASKS[name]


def score_file(path: Path | str | Sequence[Path | str], **options: Any) -> ClassReport:
    """Score a file of gold and predicted labels, or many files of one test set; columns as in
    `read_predictions`, options as in `score_frame`. A run file of this project (.json) is scored from its
    counts.

    Nothing is written. Logged as warnings: one column in two roles; a label with a well-known name of the
    negative class that was not named as such; labels that are spelt alike; an inverse of labels that do not
    occur; direction scores where no label has an inverse.

    Parameters
    ----------
    gold_file, form, label_names : as in `read_predictions`. path, engine, check_ids : as in `count_files`.
    normalise, label_set, off_list, mapping, empty : what text counts as, see `score_frame`; `label_names` are
        a label set, too. What was changed is also logged.
    confidence : a column of one file, how sure the system is of each answer, as fractions, or all in per
        cent: the report has the section `calibration` (`helpers.metrics.calibration`).

    Raises
    ------
    ValueError : as `count_files` and `score_frame`, with the file, and the line and column where there
        is one.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("gold,predicted\\nper:age,per:age\\nno_relation,per:age\\n")
    ...     score_file(path, negative="no_relation").schemes["micro"]["precision"]
    0.5
    """
    report, said = scored_file(path, **options)
    for remark in said:
        logger.warning("%s: %s", path if isinstance(path, str | Path) else listing(path, 200), remark)
    return report


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """How files are read (arguments of `count_files`), what text counts as (of `settle`), and the others.

    >>> split_options({"gold_column": "label", "off_list": "skip", "labels": "listed"})
    ({'gold_column': 'label'}, {'off_list': 'skip', 'names': []}, {'labels': 'listed'})
    """
    reading = {name: value for name, value in options.items() if name in READING}
    settling = {name: value for name, value in options.items() if name in OPTIONS}
    settling["names"] = [*(options.get("label_names") or {}).values()]
    others = {name: value for name, value in options.items() if name not in (*READING, *OPTIONS)}
    return reading, settling, others


def scored_file(
    path: Path | str | Sequence[Path | str],
    *,
    task: str | None = None,
    confidence: str | None = None,
    **options: Any,
) -> tuple[ClassReport, list[str]]:
    """The report of `score_file`, and what it logs, which may be a slip.

    >>> scored_file("predictions.doc")
    Traceback (most recent call last):
    ValueError: predictions.doc: unknown ending; known are .csv, .tsv, .jsonl, .json, .parquet, .txt, ...
    """
    known = find_task(task)
    metrics.scheme_names(options.get("schemes"))  # refuses an unknown one before the file is read
    metrics.resolve_score(options.get("score", "f1"))
    reading, settling, options = split_options(options)
    gold_file, form = reading.get("gold_file"), reading.get("form")
    files = [path] if isinstance(path, str | Path) else [*path]
    alone = files[0] if isinstance(path, str | Path) else None
    if alone is not None and form is None and (run := as_run(alone)):
        if gold_file is not None or task not in (None, run.dataset):
            what = "has its gold labels" if gold_file is not None else f"is of {run.dataset}, not of {task}"
            raise ValueError(f"{alone} is a run file and {what}")
        if given := [name for name in ("label_set", "off_list", "mapping") if settling.get(name)]:
            raise ValueError(f"{alone} is a run file, which has counts and no answers: leave out {given[0]}")
        with naming_file(alone):
            report = score_run(run, **options)
        return report, [*pooled_only(report)]
    if confidence is not None:
        if alone is None or gold_file is not None:
            raise ValueError("confidence is a column of one file, with its gold labels")
        reading["engine"] = "memory"  # row by row, as the confidences are
    read = count_files(path, **reading)
    answers = settle(read, known, **settling)
    with naming_file(listing(files, 200) if alone is None else alone):
        if not reading.get("label_names"):
            _check_names(answers.columns, options.get("negative"))
        report = score_frame(answers, task=task, **options)
        if confidence is not None and alone is not None:
            _add_calibration(report, answers, alone, form, confidence)
    said = answers.remarks()
    if len(files) > 1:
        said.append(f"{len(files)} files are one test set here; `compare` tests systems against each other")
    # of two files, equal names of columns are no slip
    said += remarks(report, read.columns if gold_file is None else {}, **options)
    return report, said


def _add_calibration(
    report: ClassReport, answers: Answers, path: Path | str, form: str | None, column: str
) -> None:
    """The section `calibration`; a column of which one number is above 1 is in per cent."""
    source = open_source(path, form)
    name = source.column(column)
    stated = np.asarray(source.read([name], numbers=[name])[name], dtype=float)
    per_cent = bool((stated > 1).any())
    if per_cent and stated.max() <= 2:
        raise ValueError(
            f"{path}, column {shown(column)}: the largest confidence is {stated.max():g}, which is neither a "
            "fraction (at most 1) nor one of a column in per cent"
        )
    right = map(operator.eq, answers.columns["gold"], answers.columns["predicted"])
    bins = metrics.calibration((stated / 100 if per_cent else stated).tolist(), [*right])
    rows = {f"{100 * row.pop('low'):g} to {100 * row.pop('high'):g}": row for row in bins.rows()}
    report.extra["calibration"] = {"ece": bins.ece, "bins": rows}
    unit = "per cent" if per_cent else "fractions"
    report.headings["calibration"] = f"confidence by column {visible(column)}, {unit}"


def as_run(path: Path | str) -> Run | None:
    """The run that the file holds, if it is a run file of this project; else None.

    >>> as_run("mine.csv") is None
    True
    """
    if Path(path).suffix.lower() != ".json":
        return None
    content = core.read_file(path)
    if not all(key in content for key in (b'"outcome"', b'"labels"', b'"dataset"')):
        return None
    from ..runs import load_run

    return load_run(path)


def _check_names(columns: LabelColumns, negative: str | None) -> None:
    """Refuse a negative class that is named where the labels are integers."""
    if not negative or re.fullmatch(r"-?\d+", negative):
        return
    if all(label.isdecimal() for role in columns.roles for label in columns[role].times()):
        raise ValueError(
            f"negative is {shown(negative)}, but the labels are integers, such as {columns['gold'][0]}: give "
            "their names, --id2label FILE (the model's config.json, or a list of names)"
        )


def score_frame(
    frame: pd.DataFrame | LabelColumns | Answers,
    *,
    negative: str | None = None,
    task: str | None = None,
    **options: Any,
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
    normalise, label_set, off_list, mapping, empty : what text counts as, see
        `helpers.evaluation.answers.settle`; each is in the signature, and the report has the sections
        `off_list`, `off_list_most_frequent`, `mapped` and `normalised`.
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
    >>> answers = pd.DataFrame({"gold": ["a", "b"], "predicted": ["A.", "I cannot tell"]})
    >>> score_frame(answers, normalise=True, label_set="gold", off_list="skip").signature
    'f1|labels:supported|negative:None|zero_support:skip|direction:kept|n:2|v:0.1|off_list:skip,1|normalised:1'
    """
    known, chosen = find_task(task), {name: options.pop(name) for name in OPTIONS if name in options}
    if known and negative not in (None, known.negative):
        raise ValueError(
            f"negative is {shown(negative)}, but the negative class of {task} is {shown(known.negative)}"
        )
    answers = frame if isinstance(frame, Answers) else settle(frame, known, **chosen)
    read, negative = answers.columns, known.negative if known else answers.spelt(negative or None)
    if missing := [role for role in ("gold", "predicted") if role not in read]:
        raise ValueError(f"the frame has no column {shown(missing[0])}")
    columns = {role: read[role] for role in ("gold", "predicted")}
    rules = (known, answers.labels or options.get("labels", ()), negative, getattr(read, "counts", None))
    table, pairs = counted(columns, *rules), None
    if "predicted_paired" in read:
        pairs = counted(columns | {"paired": read["predicted_paired"]}, *rules)
        # a sample may be skipped, or predicted as the negative class, on the paired sentences only
        if known or negative not in (None, *table.labels):
            table = pairs.of("predicted").grouped()
    report = _report(table, pairs, (known is not None,) * 2, negative, **options)
    report.sign(choices_text(answers.choices()))
    report.extra |= answers.sections()
    return report


def score_run(run: Run, *, negative: str | None = None, **options: Any) -> ClassReport:
    """Score the counts of a run file; options as in `score_frame`, but the negative class is the run's.

    A run on paired sentences has the section `direction`, in which performance is the official macro-F1, as
    in paper R. Raises ValueError for a run of label sets, of ranked facts, or of two systems side by side,
    and for another negative class.

    >>> from helpers.runs import Run
    >>> table = Outcome.from_rows([(0, 0, 3), (1, 0, 1)], ("a", "b"))
    >>> score_run(Run.from_outcome(table, dataset="d", model="m")).schemes["macro"]["f1"]
    0.42857142857142855
    """
    outcome = run.outcome()
    if not isinstance(outcome, Outcome) or run.second:
        raise ValueError(f"the run of {run.model} on {run.dataset} is not of one classifier of single labels")
    if negative not in (None, run.negative or ""):
        raise ValueError(f"negative is {shown(negative)}, but that of the run is {shown(run.negative)}")
    table, pairs = outcome.of("predicted").grouped(), outcome if "paired" in outcome.roles else None
    return _report(table, pairs, (run.dataset in TASKS, True), run.negative, **options)


def counted(
    columns: Mapping[str, Any],
    task: Task | None = None,
    listed: str | Sequence[Label] = (),
    negative: Label | None = None,
    counts: Any = None,
) -> Outcome:
    """Columns by role, counted over the labels of a task, and the mark of skipped samples if there are any.

    Without a task over the labels that occur and those of a list, which may be that of a whole task;
    ValueError for one that looks like a label that occurs and is not listed: that is taken for a slip.

    >>> counted({"gold": ["a", "NA"], "predicted": ["a", "a"]}, None, ["a", "b"], "NA").labels
    ('NA', 'a', 'b')
    """
    if task:
        known = (*task.labels, *({core.OFF_LIST} & {*listed}))
        outcome = Outcome.from_columns(**columns, labels=(*known, core.SKIPPED), counts=counts)
        skipped = {role: (codes == len(known)).any() for role, codes in outcome.roles.items()}
        if skipped["gold"]:
            raise ValueError(unlisted_message("gold", None, core.SKIPPED, task.labels))
        return outcome if any(skipped.values()) else replace(outcome, labels=known)
    outcome = Outcome.from_columns(**columns, counts=counts)
    wider = {*outcome.labels, *(() if isinstance(listed, str) else listed)}
    mixed = len({isinstance(label, str) for label in wider}) > 1  # `Policy` refuses what is no label here
    if mixed or len(wider) == len(outcome.labels):
        return outcome
    others = [label for label in outcome.labels if label not in listed and label != negative]
    for index, label in enumerate(listed):
        if label not in outcome.labels and core.did_you_mean(label, others):
            raise ValueError(unlisted_message("labels", index, label, outcome.labels))
    return outcome + Outcome.from_rows([], sorted(wider), list(outcome.roles))


def _report(
    table: Outcome,
    pairs: Outcome | None,
    official: tuple[bool, bool],
    negative: str | None,
    *,
    inverse: Mapping[Any, str] | None = None,
    replicates: int = 0,
    seed: int = 1,
    **rules: Any,
) -> ClassReport:
    """Schemes, official scores and direction scores; one generator draws for all intervals, in this order.

    official : whether there are official scores, and whether the performance on pairs is the official one.
    """
    rng, made = np.random.default_rng(seed), metrics.bootstrap_suffix(replicates, seed)
    report = metrics.evaluate(table, negative=negative, **rules)
    report.sign(made)

    def interval(outcome: Outcome, statistic: Callable) -> Interval | None:
        return metrics.bootstrap_intervals(outcome, statistic, rng, replicates) if replicates else None

    scores = partial(averages, classes_of=table, negative=negative, **rules)
    if drawn := interval(table, scores):
        report.add_intervals(drawn)
    if official[0]:
        report.extra["official"] = _official(table, negative, interval, made)
        labels, relations = _macro_classes(table, negative)
        over = f"{labels} (directed) or over {relations} (undirected; grouped, the task's own score)"
        report.headings["official"] = f"macro is over {over}"
    if pairs is not None:
        report.extra["direction"] = _direction(pairs, official[1], negative, inverse, interval, made)
        labels, relations = _macro_classes(pairs, negative)
        over = f"the official macro-F1, over {relations}, direction counted"
        report.headings["direction"] = f"performance is {over if official[1] else f'macro-F1 over {labels}'}"
    return report


def _macro_classes(table: Outcome, negative: str | None) -> tuple[str, str]:
    """Over how many labels macro-F1 is, and over how many relations SemEval's official one, in words."""
    gold = zip(table.labels, table.per_class().gold.tolist(), strict=True)
    labels = [str(label) for label, support in gold if support and label not in (negative, core.SKIPPED)]
    return f"{len(labels)} labels", f"{len({core.base_relation(label) for label in labels})} relations"


def _official(table: Outcome, negative: str | None, interval: Callable, made: str) -> dict[str, Any]:
    """SemEval's scores in three forms, signed."""
    scores: dict[str, dict[str, Any]] = metrics.official_scores(table, negative)
    if drawn := interval(table, partial(metrics.official_macro, negative=negative, classes_of=table)):
        scores["grouped"] |= {"macro_low": drawn.low, "macro_high": drawn.high}
    fields = {"official": "semeval2010", "labels": "supported", "negative": str(negative)}
    for name, direction in {"directed": "kept", "undirected": "dropped", "grouped": "grouped"}.items():
        scores[name]["signature"] = metrics.signature("f1", **fields, direction=direction, n=str(table.n))
    scores["grouped"]["signature"] += made
    return scores


def _direction(
    pairs: Outcome,
    official: bool,
    negative: str | None,
    inverse: Mapping[Any, str] | None,
    interval: Callable,
    made: str,
) -> dict[str, Any]:
    """PD, PIR and PPR with their intervals, signed."""
    measure: Callable = metrics.official_macro if official else partial(metrics.average, scheme="macro")
    performance = partial(measure, negative=negative)

    def rates(table: Outcome) -> np.ndarray:
        scores = metrics.direction_scores(table, inverse, performance, pairs)
        return np.stack([getattr(scores, rate) for rate in RATES], -1)

    scores = metrics.direction_scores(pairs, inverse, performance).to_dict()
    if drawn := interval(pairs, rates):
        named = drawn.named(RATES).items()
        scores["intervals"] = {rate: {"low": ends.low, "high": ends.high} for rate, ends in named}
    recipe = {"performance": "official_macro" if official else "macro"}
    recipe |= {"inverse": "e1e2" if inverse is None else "given", "negative": str(negative)}
    return scores | {"signature": metrics.signature("pd+pir+ppr", **recipe, n=str(pairs.n)) + made}
