"""From anybody's prediction file to a report: read, count, score. What looks like a slip is logged."""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import (
    SKIPPED,
    find_negative,
    listing,
    naming_file,
    plain_form,
    read_file,
    shown,
    unknown_name,
)
from ..data import LabelColumns, Respelling, count_files, respelt
from ..metrics import ClassReport, plain_number, resolve_score, scheme_names
from .scoring import Task, find_task, score_frame, score_run

if TYPE_CHECKING:
    from ..runs import Run

logger = logging.getLogger(__name__)


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
    normalise : one spelling for each label, the task's or that of `label_names`, else the most frequent
        (`helpers.data.respelt`); what was changed is in the report's section `normalised` and logged.

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
    report, remarks = scored_file(path, **options)
    for remark in remarks:
        logger.warning("%s: %s", _place(path), remark)
    return report


def _place(path: Path | str | Sequence[Path | str]) -> Path | str:
    """One file, or several, in messages."""
    return path if isinstance(path, str | Path) else listing(path, 200)


def scored_file(
    path: Path | str | Sequence[Path | str],
    *,
    gold_column: str | None = None,
    predicted_column: str | None = None,
    paired_column: str | None = None,
    id_column: str | None = None,
    gold_file: Path | str | None = None,
    form: str | None = None,
    label_names: Mapping[str, str] | None = None,
    normalise: bool = False,
    engine: str | None = None,
    check_ids: bool = False,
    task: str | None = None,
    **options: Any,
) -> tuple[ClassReport, list[str]]:
    """The report of `score_file`, and what it logs, which may be a slip.

    >>> scored_file("predictions.doc")
    Traceback (most recent call last):
    ValueError: predictions.doc: unknown ending; known are .csv, .tsv, .jsonl, .json, .parquet, .txt, ...
    """
    known = find_task(task)
    scheme_names(options.get("schemes"))  # refuses an unknown one before the file is read
    resolve_score(options.get("score", "f1"))
    if isinstance(path, Path | str) and (run := as_run(path, form)):
        if gold_file is not None or task not in (None, run.dataset):
            what = "has its gold labels" if gold_file is not None else f"is of {run.dataset}, not of {task}"
            raise ValueError(f"{path} is a run file and {what}")
        with naming_file(path):
            report = score_run(run, **options)
            return report, [*_pooled_only(report)]
    columns = (gold_column, predicted_column, paired_column, id_column)
    reading: dict[str, Any] = {"gold_file": gold_file, "form": form, "label_names": label_names}
    found = count_files(path, *columns, engine=engine, check_ids=check_ids, **reading)
    respellings: list[Respelling] = []
    if normalise:
        listed = known.labels if known else tuple(label_names.values()) if label_names else None
        found, respellings = respelt(found, listed)
        options["negative"] = _respelt_negative(options.get("negative"), respellings)
    if known:
        check_labels(found, known, task)
    with naming_file(_place(path)):
        _check_names(found, options.get("negative"), label_names)
        report = score_frame(found, task=task, **options)
    remarks = _note_respellings(report, respellings) if respellings else []
    if not isinstance(path, str | Path) and len(path) > 1:
        remarks.append(f"{len(path)} files are one test set here; `compare` tests systems against each other")
    if isinstance(listed := options.get("labels", ""), Sequence) and not isinstance(listed, str):
        rows = ((label, report.per_class[label]) for label in listed)
        if never := [label for label, row in rows if not row["support"] and not row["predicted"]]:
            remarks.append(f"labels to average that never occur: {listing(never)}")
    roles = found.columns if gold_file is None else {}  # of two files, equal names are no slip
    remarks += _remarks(roles, report, options.get("negative"), options.get("inverse"))
    return report, remarks


def as_run(path: Path | str | Sequence[Path | str], form: str | None = None) -> Run | None:
    """The run that the file holds, if it is a run file of this project; else None.

    >>> as_run("mine.csv") is None
    True
    """
    if form is not None or not isinstance(path, str | Path) or Path(path).suffix.lower() != ".json":
        return None
    content = read_file(path)
    if not all(key in content for key in (b'"outcome"', b'"labels"', b'"dataset"')):
        return None
    from ..runs import load_run

    return load_run(path)


def _respelt_negative(negative: str | None, respellings: Sequence[Respelling]) -> str | None:
    """The negative class as it is spelt now."""
    new = {plain_form(one.counted_as): one.counted_as for one in respellings}
    return new.get(plain_form(negative), negative) if negative else negative


def _note_respellings(report: ClassReport, respellings: Sequence[Respelling]) -> list[str]:
    """Into the report and its signatures; what is to be said of each."""
    report.extra["normalised"] = {
        one.label: {"counted_as": one.counted_as, "cells": one.cells} for one in respellings
    }
    suffix = f"|normalised:{len(respellings)}"
    for row in report.schemes.values():
        row["signature"] += suffix
    report.signature += suffix
    return [
        f"{shown(one.label)} is counted as {shown(one.counted_as)} "
        f"({one.cells} cells of {' and '.join(one.columns)})"
        for one in respellings
    ]


def _check_names(found: LabelColumns, negative: str | None, label_names: Mapping[str, str] | None) -> None:
    """Refuse a negative class that is named where the labels are integers."""
    if not negative or label_names or re.fullmatch(r"-?\d+", negative):
        return
    if all(found.first_row(role, lambda label: not label.isdecimal()) is None for role in found.roles):
        raise ValueError(
            f"negative is {shown(negative)}, but the labels are integers, such as {found['gold'][0]}: give "
            "their names, --id2label FILE (the model's config.json, or a list of names)"
        )


def check_labels(found: LabelColumns, task: Task, name: str | None) -> None:
    """Refuse the first label that the task does not have, with its line: MalformedRecord."""
    for role in found.roles:
        known = task.labels if role == "gold" else (*task.labels, SKIPPED)

        def is_unknown(label: str, known: Sequence[str] = known) -> bool:
            return label not in known

        row = found.first_row(role, is_unknown)
        if row is not None:
            label = found[role][row].as_py()
            reason = str(unknown_name(f"label of {name}", label, known))
            alike = [one for one in known if plain_form(one) == plain_form(label)]
            hint = f"; --normalise counts it as {shown(alike[0])}" if alike else ""
            raise found.fault(role, row, reason + hint)


def _remarks(
    columns: Mapping[str, str], report: ClassReport, negative: str | None, inverse: Mapping[str, str] | None
) -> Iterator[str]:
    """What the user may not have meant."""
    columns = {role: name for role, name in columns.items() if role != "id"}
    for name in dict.fromkeys(columns.values()):
        roles = [role for role in columns if columns[role] == name]
        if len(roles) > 1:
            yield f"column {shown(name)} is taken for {' and for '.join(roles)}"
    if negative is None and report.negative is None and (hint := negative_hint(report)):
        yield hint
    yield from _unlike(report)
    yield from _pooled_only(report)
    absent = [label for label in inverse or () if label not in report.labels]
    if absent:
        yield f"{len(absent)} labels with an inverse do not occur, the first is {shown(absent[0])}"
    if report.extra.get("direction", {}).get("n") == 0:
        yield "no gold label has an inverse, so PIR and PPR are undefined; --inverse FILE gives inverses"


def _unlike(report: ClassReport) -> Iterator[str]:
    """Labels that look like others, and scores over nothing."""
    first: dict[str, str | int] = {}
    rows = report.per_class.items()
    for label, row in sorted(rows, key=lambda item: -item[1]["support"]):
        form = plain_form(label)
        like = first.setdefault(re.sub(r"^([+-]?\d+)\.0$", r"\1", form), label)
        if like != label and (row["support"] or row["predicted"]):
            if row["support"]:
                said = f"{shown(label)} and {shown(like)} are two labels here;"
            else:
                said = f"{shown(label)} is predicted and never gold; is it {shown(like)}?"
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
    pooled = (*report.averaged, *report.ignored)
    counts = {label: report.per_class[label]["predicted"] for label in pooled}
    alarms = {label: n for label, n in counts.items() if n and not report.per_class[label]["support"]}
    if alarms and report.schemes.get("micro", {}).get("precision"):
        labels = "1 label is" if len(alarms) == 1 else f"{len(alarms)} labels are"
        named = listing([f"{shown(label)} {plain_number(n)}×" for label, n in alarms.items()], 200)
        yield f"{labels} predicted and never gold ({named}): these count as false positives under micro"


def negative_hint(report: ClassReport) -> str | None:
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
