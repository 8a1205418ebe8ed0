"""From anybody's predictions to a report: read, count, score. What looks like a slip is logged."""

from __future__ import annotations

import logging
import operator
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import core, metrics
from ..core import find_negative, listing, naming_file, plain_form, shown, visible
from ..data import LabelColumns, count_files, open_source
from ..metrics import ClassReport, Outcome, averages, plain_number
from .answers import OPTIONS, TASKS, Answers, split_options

if TYPE_CHECKING:
    import pandas as pd

    from ..runs import Run

logger = logging.getLogger(__name__)
RATES = tuple(metrics.DIRECTION_SCORES.values())


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

    Raises ValueError as `count_files` and `score_frame`, with the file, and line and column where there are.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("gold,predicted\\nper:age,per:age\\nno_relation,per:age\\n")
    ...     score_file(path, negative="no_relation").schemes["micro"]["precision"]
    0.5
    """
    report, said = scored_file(path, **options)
    name = path if isinstance(path, str | Path) else listing(path, 200)
    for remark in said:
        logger.warning("%s: %s", name, remark)
    return report


def scored_file(
    path: Path | str | Sequence[Path | str], *, confidence: str | None = None, **options: Any
) -> tuple[ClassReport, list[str]]:
    """The report of `score_file`, and what it logs, which may be a slip.

    >>> scored_file("predictions.doc")
    Traceback (most recent call last):
    ValueError: predictions.doc: unknown ending; known are .csv, .tsv, .jsonl, .json, .parquet, .txt, ...
    """
    metrics.scheme_names(options.get("schemes"))  # refuses an unknown one before the file is read
    metrics.resolve_score(options.get("score", "f1"))
    reading, settling, options = split_options(options)
    task = settling.get("task")
    files, name = ([path], path) if isinstance(path, str | Path) else (path, listing(path, 200))
    is_alone, has_gold = files is not path, reading.get("gold_file") is None
    if isinstance(path, str | Path) and reading.get("form") is None and (run := as_run(path)):
        if not has_gold or task not in (None, run.dataset):
            what = f"is of {run.dataset}, not of {task}" if has_gold else "has its gold labels"
            raise ValueError(f"{path} is a run file and {what}")
        if given := [name for name in ("label_set", "off_list", "mapping") if settling.get(name)]:
            raise ValueError(f"{path} is a run file, which has counts and no answers: leave out {given[0]}")
        with naming_file(path):
            report = score_run(run, **options)
        return report, [*_pooled_only(report)]
    if confidence is not None:
        if not (is_alone and has_gold):
            raise ValueError("confidence is a column of one file, with its gold labels")
        reading["engine"] = "memory"  # row by row, as the confidences are
    read = count_files(path, **reading)
    answers = Answers.of(read, **settling)
    with naming_file(name):
        report = score_frame(answers, **options)
        if confidence is not None:
            _add_calibration(report, answers, name, reading.get("form"), confidence)
    said = answers.remarks()
    if len(files) > 1:
        said.append(f"{len(files)} files are one test set here; `compare` tests systems against each other")
    # of two files, equal names of columns are no slip
    return report, [*said, *remarks(report, read.columns if has_gold else {}, **options)]


def _add_calibration(
    report: ClassReport, answers: Answers, path: Path | str, form: str | None, column: str
) -> None:
    """The section `calibration`; a column of which one number is above 1 is in per cent."""
    source = open_source(path, form)
    name = source.column(column)
    stated = np.asarray(source.read([name], numbers=[name])[name], dtype=float)
    per_cent = bool((stated > 1).any())
    if per_cent and stated.max() <= 2:
        neither = "which is neither a fraction (at most 1) nor one of a column in per cent"
        largest = f"the largest confidence is {stated.max():g}, {neither}"
        raise ValueError(f"{path}, column {shown(column)}: {largest}")
    right = map(operator.eq, answers.columns["gold"], answers.columns["predicted"])
    bins = metrics.calibration((stated / 100 if per_cent else stated).tolist(), [*right])
    rows = bins.bins.to_dict("records")
    named = {f"{100 * row.pop('low'):g} to {100 * row.pop('high'):g}": row for row in rows}
    report.extra["calibration"] = {"ece": bins.ece, "bins": named}
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
        `helpers.evaluation.answers.Answers.of`; each is in the signature, and the report has the sections
        `off_list`, `off_list_most_frequent`, `mapped` and `normalised`.
    policy : `score`, the class score that is averaged ('f1', 'f0.5', 'mcc', …); fields of `Policy`, such as
        `labels` and `zero_division`. They hold for the schemes; official and direction scores are defined.

    With predicted_paired the report has the section `direction`, in which performance is the task's official
    macro-F1, else macro-F1.

    Raises ValueError as `Outcome.from_columns`; for an unknown task, scheme or score; a negative class that
    is none of the labels, or not the task's.

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
    chosen = {name: options.pop(name) for name in OPTIONS if name in options}
    answers = frame if isinstance(frame, Answers) else Answers.of(frame, task=task, **chosen)
    read, known = answers.columns, answers.task
    fixed = TASKS[known][0] if known else answers.spelt(negative or None)
    if known and negative not in (None, fixed):
        of_task = f"the negative class of {known} is {shown(fixed)}"
        raise ValueError(f"negative is {shown(negative)}, but {of_task}")
    negative = fixed
    if missing := [role for role in ("gold", "predicted") if role not in read]:
        raise ValueError(f"the frame has no column {shown(missing[0])}")
    columns = {role: read[role] for role in ("gold", "predicted")}
    averaged, pairs = options.get("labels", ()), None
    table = answers.outcome(columns, negative, averaged)
    if "predicted_paired" in read:
        pairs = answers.outcome(columns | {"paired": read["predicted_paired"]}, negative, averaged)
        # a sample may be skipped, or predicted as the negative class, on the paired sentences only
        if known or negative not in (None, *table.labels):
            table = pairs.of("predicted").grouped()
    report = _report(table, pairs, (bool(known), bool(known)), negative, **options)
    report.sign(answers.signature())
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

    draw = partial(metrics.bootstrap_intervals, rng=rng, replicates=replicates) if replicates else None
    if draw:
        report.add_intervals(draw(table, partial(averages, classes_of=table, negative=negative, **rules)))
    if official[0]:
        section, over = _official(table, negative, draw, made)
        report.extra["official"], report.headings["official"] = section, f"macro is over {over}"
    if pairs is not None:
        section, over = _direction(pairs, official[1], negative, inverse, draw, made)
        report.extra["direction"], report.headings["direction"] = section, f"performance is {over}"
    return report


def _macro_classes(table: Outcome, negative: str | None) -> tuple[str, str]:
    """Over how many labels macro-F1 is, and over how many relations SemEval's official one, in words."""
    gold = zip(table.labels, table.per_class().gold.tolist(), strict=True)
    labels = [str(label) for label, support in gold if support and label not in (negative, core.SKIPPED)]
    return f"{len(labels)} labels", f"{len({core.base_relation(label) for label in labels})} relations"


def _official(table: Outcome, negative: str | None, draw: Callable | None, made: str) -> tuple[dict, str]:
    """SemEval's scores in three forms, signed, and what macro is over."""
    scores: dict[str, dict[str, Any]] = metrics.official_scores(table, negative)
    if draw:
        drawn = draw(table, partial(metrics.official_macro, negative=negative, classes_of=table))
        scores["grouped"] |= {"macro_low": drawn.low, "macro_high": drawn.high}
    fields = {"official": "semeval2010", "labels": "supported", "negative": str(negative)}
    for name, direction in {"directed": "kept", "undirected": "dropped", "grouped": "grouped"}.items():
        scores[name]["signature"] = metrics.signature("f1", **fields, direction=direction, n=str(table.n))
    scores["grouped"]["signature"] += made
    labels, relations = _macro_classes(table, negative)
    return scores, f"{labels} (directed) or over {relations} (undirected; grouped, the task's own score)"


def _direction(
    pairs: Outcome,
    official: bool,
    negative: str | None,
    inverse: Mapping[Any, str] | None,
    draw: Callable | None,
    made: str,
) -> tuple[dict[str, Any], str]:
    """PD, PIR and PPR with their intervals, signed, and what performance is."""
    measure: Callable = metrics.official_macro if official else partial(metrics.average, scheme="macro")
    performance = partial(measure, negative=negative)

    def rates(table: Outcome) -> np.ndarray:
        scores = metrics.direction_scores(table, inverse, performance, pairs)
        return np.stack([getattr(scores, rate) for rate in RATES], -1)

    scores = metrics.direction_scores(pairs, inverse, performance).to_dict()
    if draw:
        named = draw(pairs, rates).named(RATES).items()
        scores["intervals"] = {rate: {"low": ends.low, "high": ends.high} for rate, ends in named}
    recipe = {"performance": "official_macro" if official else "macro"}
    recipe |= {"inverse": "e1e2" if inverse is None else "given", "negative": str(negative)}
    scores["signature"] = metrics.signature("pd+pir+ppr", **recipe, n=str(pairs.n)) + made
    labels, relations = _macro_classes(pairs, negative)
    over = f"the official macro-F1, over {relations}, direction counted"
    return scores, over if official else f"macro-F1 over {labels}"


def remarks(report: ClassReport, columns: Mapping[str, str], **options: Any) -> Iterator[str]:
    """What the user may not have meant. columns : of the file, by role. options : of `score_frame`.

    >>> next(remarks(metrics.evaluate(["a", "b"], ["a", "A"]), {}))
    "'A' is predicted and never gold; is it 'a'? --normalise counts them as one"
    """
    labels, counts = options.get("labels", ()), report.per_class
    labels = () if isinstance(labels, str) else labels
    if never := [each for each in labels if not counts[each]["support"] + counts[each]["predicted"]]:
        yield f"labels to average that never occur: {listing(never)}"
    columns = {role: name for role, name in columns.items() if role != "id"}
    for name in dict.fromkeys(columns.values()):
        roles = [role for role in columns if columns[role] == name]
        if len(roles) > 1:
            yield f"column {shown(name)} is taken for {' and for '.join(roles)}"
    if options.get("negative") is None and report.negative is None:
        yield from negative_hint(report.labels)
    yield from _unlike(report)
    yield from _pooled_only(report)
    if absent := [label for label in options.get("inverse") or () if label not in report.labels]:
        yield f"{len(absent)} labels with an inverse do not occur, the first is {shown(absent[0])}"
    if report.extra.get("direction", {}).get("n") == 0:
        yield "no gold label has an inverse, so PIR and PPR are undefined; --inverse FILE gives inverses"


def negative_hint(labels: Iterable[core.Label]) -> Iterator[str]:
    """Labels that hold a well-known name of the negative class, where none was named."""
    try:
        name = find_negative(map(str, labels))
    except ValueError as error:  # several labels have such a name
        yield f"{error}, by --negative; now they are averaged like any other label"
        return
    if name is not None:
        option = f"--negative {shlex.quote(name)}"
        yield f"{shown(name)} is averaged like any other label; if it is the negative class, say {option}"


def _unlike(report: ClassReport) -> Iterator[str]:
    """Labels that look like others, and scores over nothing."""
    first: dict[str, str | int] = {}
    for label, row in sorted(report.per_class.items(), key=lambda item: -item[1]["support"]):
        form = plain_form(label)
        like = first.setdefault(re.sub(r"^([+-]?\d+)\.0$", r"\1", form), label)
        if like != label and row["support"] + row["predicted"]:
            said = f"{shown(label)} is predicted and never gold; is it {shown(like)}?"
            if row["support"]:
                said = f"{shown(label)} and {shown(like)} are two labels here;"
            number = form != plain_form(like)
            yield f"{said} {'write both as integers' if number else '--normalise counts them as one'}"
            return
    if not any(row["support"] and row["predicted"] for row in report.per_class.values()):
        yield "no predicted label occurs as gold: are the labels of the two columns written alike?"
    if not report.averaged:
        yield "no label is averaged, so every average is 0/0, shown as 0"


def _pooled_only(report: ClassReport) -> Iterator[str]:
    """Labels without gold samples that move micro, which pools all labels that may be averaged.

    Where nothing is right, micro is 0 with them and without.
    """
    pooled = {label: report.per_class[label] for label in (*report.averaged, *report.ignored)}
    alarms = {
        label: row["predicted"] for label, row in pooled.items() if row["predicted"] > 0 == row["support"]
    }
    if alarms and report.schemes.get("micro", {}).get("precision"):
        often = sorted(alarms.items(), key=lambda item: -item[1])
        labels = "1 label is" if len(alarms) == 1 else f"{len(alarms)} labels are"
        named = listing([f"{shown(label)} {plain_number(n)}×" for label, n in often], 200)
        cells = f", in {plain_number(sum(alarms.values()))} of {plain_number(report.n)} predictions"
        said = f"{labels} predicted and never gold{cells if len(alarms) > 1 else ''} ({named})"
        yield f"{said}: these count as false positives under micro"
