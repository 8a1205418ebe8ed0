"""What a system answered, as the labels that are scored: the step between reading and counting.

Language models answer in text: another spelling, a refusal, several labels at once. Answers are mapped and
respelt; those that are still none of the labels are refused, or counted as the caller says, and named.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import data
from ..core import OFF_LIST, SKIPPED, listing, naming_file, plain_form, shown, unknown_name
from ..data import Coded, LabelColumns, Respelling, renamed, respelt
from ..metrics import checked_labels
from .remarks import amount

if TYPE_CHECKING:
    import pandas as pd

OPTIONS = ("normalise", "label_set", "off_list", "mapping", "empty")
"""What `settle` takes."""
COUNTED_AS = {"error": None, "skip": SKIPPED, "count": OFF_LIST}
"""What becomes of an answer that is none of the labels: a fault, no prediction, or a class of its own."""
MOST = 10


class Answers(NamedTuple):
    """Columns as they are counted, and what became of what stood there.

    Attributes
    ----------
    columns : with the roles as their names. labels : the label set, with `OFF_LIST` where that is a class; ()
        where none is known. rule : of `COUNTED_AS`, None where nobody asked. n : answers in all.
    mapped, respelt, off_list : what was changed, by step. empty : the rule of empty answers.
    """

    columns: Any
    labels: tuple[str, ...] = ()
    rule: str | None = None
    n: int = 0
    mapped: list[Respelling] | None = None
    respelt: Sequence[Respelling] = ()
    off_list: Sequence[Respelling] = ()
    empty: str = "error"

    @property
    def cells(self) -> int:
        """How many answers are off the list."""
        return sum(each.cells for each in self.off_list)

    def most_frequent(self) -> list[Respelling]:
        """The ten answers off the list that occur most often."""
        return sorted(self.off_list, key=lambda each: (-each.cells, each.label))[:MOST]

    def sections(self) -> dict[str, dict[str, Any]]:
        """Sections of a report."""
        sections: dict[str, dict[str, Any]] = {}
        if self.rule in ("skip", "count"):
            counted_as = {"counted_as": COUNTED_AS[self.rule]}
            sections["off_list"] = {"cells": self.cells, "share": self.cells / self.n} | counted_as
            sections["off_list_most_frequent"] = {
                each.label: {"cells": each.cells, "share": each.cells / self.n}
                for each in self.most_frequent()
            }
        for name, changed in {"mapped": self.mapped or (), "normalised": self.respelt}.items():
            sections[name] = {
                each.label: {"counted_as": each.counted_as, "cells": each.cells} for each in changed
            }
        return {name: rows for name, rows in sections.items() if rows}

    def choices(self) -> dict[str, int | None]:
        """What was chosen → how many cells or labels it moved, None where nobody counts."""
        moved: dict[str, int | None] = {f"off_list:{self.rule},": self.cells} if self.rule else {}
        moved |= {"map:": len(self.mapped)} if self.mapped is not None else {}
        moved |= {"normalised:": len(self.respelt)} if self.respelt else {}
        return moved | ({"empty:skip": None} if self.empty == "skip" else {})

    def remarks(self) -> list[str]:
        """What is to be said of each change."""
        said = []
        if self.off_list:
            often = listing((f"{shown(each.label)} {each.cells}×" for each in self.most_frequent()), 400)
            answers = f"{self.cells} of {self.n} answers ({100 * self.cells / self.n:.2f} %)"
            labels = len({*self.labels} - {OFF_LIST})
            meaning = "one class, so as false alarms"
            if self.rule != "count":
                meaning = "no prediction: misses, no false alarms"
            said = [f"{answers} are off the list of {labels} labels and count as {meaning}: {often}"]
        return said + [
            f"{shown(each.label)} is counted as {shown(each.counted_as)} "
            f"({amount(each.cells, 'cell')} of {' and '.join(each.columns)})"
            for each in (*(self.mapped or ()), *self.respelt)
        ]

    def spelt(self, label: str | None) -> str | None:
        """A label that the caller names, as it is spelt here."""
        if not self.respelt or label is None or label in self.labels:
            return label
        names = (*self.labels, *(each.counted_as for each in self.respelt))
        return {plain_form(name): name for name in names}.get(plain_form(label), label)


def choices_text(*systems: Mapping[str, int | None]) -> str:
    """The `choices` of systems at the end of a signature.

    >>> choices_text({"off_list:skip,": 7}, {"off_list:skip,": 0, "normalised:": 2})
    '|off_list:skip,7+0|normalised:0+2'
    """
    names = dict.fromkeys(name for moved in systems for name in moved)
    counts = {name: [moved.get(name, 0) for moved in systems] for name in names}
    return "".join(
        f"|{name}{'+'.join(str(count) for count in moved if count is not None)}"
        for name, moved in counts.items()
    )


def settle(
    frame: pd.DataFrame | LabelColumns,
    task: tuple[str, Sequence[str], str] | None = None,
    *,
    normalise: bool = False,
    label_set: Sequence[str] | str | None = None,
    off_list: str | None = None,
    mapping: Mapping[str, str] | Path | str | None = None,
    empty: str = "error",
    names: Sequence[str] = (),
    spellings: Sequence[str] = (),
) -> Answers:
    """The columns as they are counted: answers mapped, labels respelt, and what is none of the labels judged.

    Parameters
    ----------
    frame : as `score_frame` takes it. The labels of a data frame become text if any option is given.
    task : a named task, whose labels are its label set.
    normalise : one spelling for each label (`helpers.data.respelt`): that of the label set, else that of
        `spellings`, else the most frequent one. Answers are looked up in `mapping` likewise.
    label_set : the labels, the negative class among them; 'gold': those that occur as gold; None: the task's,
        else `names`, those of label ids.
    off_list : what becomes of a prediction that is none of them: 'error' (also None), 'skip' or 'count', see
        `COUNTED_AS`. A gold label that is none of them is an error. The official scores of a task have a miss
        in an answer that is counted, and no false alarm: it is of none of their classes.
    mapping : answer → label, for predictions only; or a file that holds them (`read_answer_map`), which is
        named in errors.
    empty : 'skip': an empty answer of a data frame counts as `SKIPPED`.

    Raises
    ------
    ValueError : an unknown rule, or a rule without a label set; a label set beside a task, or that is empty,
        holds a label twice, or a name of `COUNTED_AS`; a label in `mapping` that is not in it.
    MalformedRecord : a label that is not in the set, with file, line and column, and how many more there are.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"gold": ["a", "NA"], "predicted": ["**A**.", "I cannot tell"]})
    >>> answers = settle(frame, normalise=True, label_set=["NA", "a"], off_list="skip")
    >>> sorted(answers.columns["predicted"].tolist()), answers.choices()
    (['(skipped)', 'a'], {'off_list:skip,': 1, 'normalised:': 1})
    """
    if off_list is not None and off_list not in COUNTED_AS:
        raise unknown_name("rule of answers off the list", off_list, COUNTED_AS)
    if not isinstance(frame, LabelColumns):
        if empty == "error" and not normalise and label_set is off_list is mapping is None:
            return Answers(frame)
        frame = _text_columns(frame, empty)
    what, labels = _known(task, label_set, names)
    columns, predicted = frame, [role for role in frame.roles if role in data.ANSWERED]
    mapped: list[Respelling] | None = None
    if mapping is not None:
        known = labels or (tuple(sorted(columns["gold"].times())) if label_set else ())
        with naming_file(mapping) if isinstance(mapping, Path | str) else contextlib.nullcontext():
            new_label = _looked_up(_distinct(columns, predicted), mapping, known, what, normalise)
        columns, mapped = renamed(columns, new_label, predicted)
    columns, changed = respelt(columns, labels or spellings) if normalise else (columns, [])
    if isinstance(label_set, str):
        labels = tuple(sorted(columns["gold"].times()))
    n = sum(len(columns[role]) if columns.counts is None else int(columns.counts.sum()) for role in predicted)
    if not labels:
        if off_list is not None:
            raise ValueError("off_list is of use with a label set: --label-set FILE or gold, or --id2label")
        return Answers(columns, (), None, n, mapped, changed, (), empty)
    _check_labels(labels, what, columns)
    counted_as = COUNTED_AS[off_list or "error"] or ""
    strange = dict.fromkeys(_distinct(columns, predicted) - {*labels, SKIPPED}, counted_as)
    settled, strangers = renamed(columns, strange, predicted)
    rule = off_list or (None if label_set is None else "error")
    labels = (*labels, OFF_LIST) if off_list == "count" else labels
    # two answers off the list that are spelt alike are no label that was respelt
    changed = [each for each in changed if each.counted_as in labels]
    answers = Answers(settled, labels, rule, n, mapped, changed, strangers, empty)
    if strangers and not counted_as:
        raise _off_list_fault(frame, columns, answers, what, normalise)
    return answers


def _text_columns(frame: pd.DataFrame, empty: str) -> LabelColumns:
    """The distinct rows of a data frame, counted, all labels as text."""
    if empty not in data.EMPTY:
        raise unknown_name("rule of empty answers", empty, data.EMPTY)
    frame = frame[["gold", *(role for role in data.ANSWERED if role in frame)]].astype(object)
    if empty == "skip":
        answers = frame.columns[1:]
        blank = frame[answers].apply(lambda column: column.isna() | (column.astype(str).str.strip() == ""))
        frame[answers] = frame[answers].mask(blank, SKIPPED)
    columns = data.count_rows(frame, *frame.columns)
    return columns.replaced({role: Coded.of(map(str, columns[role].tolist())) for role in columns.roles})


def _known(
    task: tuple[str, Sequence[str], str] | None, label_set: Sequence[str] | str | None, names: Sequence[str]
) -> tuple[str, tuple[str, ...]]:
    """What the label set is called, and its labels; of gold labels none yet."""
    if task:
        if label_set is not None:
            raise ValueError(f"the label set of {task[0]} is known: leave out label_set")
        return task[0], tuple(task[1])
    if label_set is None:
        return "the label set", tuple(names)
    if isinstance(label_set, str):
        if label_set != "gold":
            raise ValueError(f"label_set is {shown(label_set)}: a list of labels, or 'gold', is needed")
        return "the label set", ()
    try:
        return "the label set", tuple(map(str, checked_labels(label_set)))
    except ValueError as error:
        raise ValueError(f"label_set: {error}") from None


def _distinct(columns: LabelColumns, roles: Sequence[str]) -> set[str]:
    return {label for role in roles for label in columns[role].times()}


def _looked_up(
    answers: set[str],
    mapping: Mapping[str, str] | Path | str,
    labels: Sequence[str],
    what: str,
    normalise: bool,
) -> dict[str, str]:
    """Each answer that stands for another label → that label, one of `labels` where these are known."""
    form: Callable[[str], str] = plain_form if normalise else str
    known = {*map(form, labels), form(SKIPPED)}
    label_of: dict[str, str] = {}
    for answer, label in (
        data.read_answer_map(mapping) if isinstance(mapping, Path | str) else mapping
    ).items():
        if label_of.setdefault(form(answer), label) != label:
            both = f"{shown(label_of[form(answer)])} and {shown(label)}"
            raise ValueError(
                f"mapping of {shown(answer)}: answers that are spelt alike have two labels, {both}"
            )
        if labels and form(label) not in known:
            raise ValueError(f"mapping of {shown(answer)}: {unknown_name(f'label of {what}', label, labels)}")
    new_label = {answer: label_of.get(form(answer), answer) for answer in answers}
    return {answer: label for answer, label in new_label.items() if answer != label}


def _check_labels(labels: Sequence[str], what: str, columns: LabelColumns) -> None:
    """Refuse a label set and gold labels that do not fit each other."""
    if made := [label for label in labels if label in COUNTED_AS.values()]:
        raise ValueError(f"{shown(made[0])} stands for answers that are no label: it cannot be one")
    row = columns["gold"].first_row(lambda label: label not in labels)
    if row is not None:
        label = columns["gold"][row]
        reason = f"{unknown_name(f'label of {what}', label, labels)}{_alike(label, labels)}"
        raise columns.locate("gold", row, reason)


def _off_list_fault(
    read: LabelColumns, columns: LabelColumns, answers: Answers, what: str, normalise: bool
) -> ValueError:
    """The error of the first answer off the list, as it stands in the file."""
    known = (*answers.labels, SKIPPED)
    rows = {
        role: columns[role].first_row(lambda label: label not in known)
        for role in data.ANSWERED
        if role in read
    }
    role, row = next((role, row) for role, row in rows.items() if row is not None)
    label = read[role][row]
    more = f"; {amount(answers.cells - 1, 'more such answer')}" if answers.cells > 1 else ""
    hint = "" if normalise else _alike(label, answers.labels)
    reason = f"{unknown_name(f'label of {what}', label, known)}{more}; --off-list skip counts them as misses"
    return columns.locate(role, row, reason + hint)


def _alike(label: str, labels: Sequence[str]) -> str:
    """The hint at a label that is spelt nearly so, or ''."""
    alike = [each for each in labels if plain_form(each) == plain_form(label)]
    return f"; --normalise counts it as {shown(alike[0])}" if alike else ""
