"""Sentences about a report that name what its reader may not have meant."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from ..core import find_negative, listing, plain_form, shown
from ..metrics import ClassReport, plain_number


def amount(number: int, noun: str) -> str:
    """A number and its noun.

    >>> amount(1, "cell"), amount(2, "cell")
    ('1 cell', '2 cells')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


def remarks(report: ClassReport, columns: Mapping[str, str], **options: Any) -> Iterator[str]:
    """What the user may not have meant, a sentence each.

    columns : those of the file, by role. options : those of `score_frame`.

    >>> from helpers.metrics import evaluate
    >>> next(remarks(evaluate(["a", "b"], ["a", "A"]), {}))
    "'A' is predicted and never gold; is it 'a'? --normalise counts them as one"
    """
    counts, labels = report.per_class, options.get("labels", ())
    if never := [] if isinstance(labels, str) else [label for label in labels if not _occurs(counts[label])]:
        yield f"labels to average that never occur: {listing(never)}"
    columns = {role: name for role, name in columns.items() if role != "id"}
    for name in dict.fromkeys(columns.values()):
        roles = [role for role in columns if columns[role] == name]
        if len(roles) > 1:
            yield f"column {shown(name)} is taken for {' and for '.join(roles)}"
    if options.get("negative") is None and report.negative is None:
        yield from _negative_hint(report)
    yield from _unlike(report)
    yield from pooled_only(report)
    absent = [label for label in options.get("inverse") or () if label not in report.labels]
    if absent:
        yield f"{len(absent)} labels with an inverse do not occur, the first is {shown(absent[0])}"
    if report.extra.get("direction", {}).get("n") == 0:
        yield "no gold label has an inverse, so PIR and PPR are undefined; --inverse FILE gives inverses"


def _occurs(row: Mapping[str, Any]) -> bool:
    return bool(row["support"] or row["predicted"])


def _negative_hint(report: ClassReport) -> Iterator[str]:
    """Labels that hold a well-known name of the negative class, where none was named."""
    try:
        name = find_negative(map(str, report.labels))
    except ValueError as error:  # several labels have such a name
        yield f"{error}, by --negative; now they are averaged like any other label"
        return
    if name is not None:
        option = f"--negative {shlex.quote(name)}"
        yield f"{shown(name)} is averaged like any other label; if it is the negative class, say {option}"


def _unlike(report: ClassReport) -> Iterator[str]:
    """Labels that look like others, and scores over nothing."""
    first: dict[str, str | int] = {}
    rows = report.per_class.items()
    for label, row in sorted(rows, key=lambda item: -item[1]["support"]):
        form = plain_form(label)
        like = first.setdefault(re.sub(r"^([+-]?\d+)\.0$", r"\1", form), label)
        if like != label and _occurs(row):
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


def pooled_only(report: ClassReport) -> Iterator[str]:
    """Labels without gold samples that move micro, which pools all labels that may be averaged.

    Where nothing is right, micro is 0 with them and without.
    """
    pooled = {label: report.per_class[label] for label in (*report.averaged, *report.ignored)}
    alarms = {label: row["predicted"] for label, row in pooled.items() if _occurs(row) and not row["support"]}
    if alarms and report.schemes.get("micro", {}).get("precision"):
        often = sorted(alarms.items(), key=lambda item: -item[1])
        labels = "1 label is" if len(alarms) == 1 else f"{len(alarms)} labels are"
        named = listing([f"{shown(label)} {plain_number(n)}×" for label, n in often], 200)
        cells = f", in {plain_number(sum(alarms.values()))} of {plain_number(report.n)} predictions"
        said = f"{labels} predicted and never gold{cells if len(alarms) > 1 else ''} ({named})"
        yield f"{said}: these count as false positives under micro"
