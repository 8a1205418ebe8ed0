"""What a system answered, as the labels that are scored: the step between reading and counting.

Language models answer in text: another spelling, a refusal, several labels at once. Answers are mapped and
respelt; those that are still none of the labels are refused, or counted as the caller says, and named.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core import OFF_LIST, SKIPPED, listing, naming_file, plain_form, shown, unknown_name
from ..data import (
    ANSWERED,
    EMPTY,
    Coded,
    LabelColumns,
    Respelling,
    count_rows,
    read_answer_map,
    renamed,
    respelt,
)
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
    def share(self) -> float:
        """Of answers off the list."""
        return _cells(self.off_list) / self.n

    def most_frequent(self) -> list[Respelling]:
        """The ten answers off the list that occur most often."""
        return sorted(self.off_list, key=lambda each: (-each.cells, each.label))[:MOST]

    def sections(self) -> dict[str, dict[str, Any]]:
        """Sections of a report."""
        sections: dict[str, dict[str, Any]] = {}
        if self.rule in ("skip", "count"):
            summary = {"cells": _cells(self.off_list), "share": self.share}
            sections["off_list"] = summary | {"counted_as": COUNTED_AS[self.rule]}
            often = {
                each.label: {"cells": each.cells, "share": each.cells / self.n}
                for each in self.most_frequent()
            }
            sections |= {"off_list_most_frequent": often} if often else {}
        for name, changed in {"mapped": self.mapped, "normalised": self.respelt}.items():
            if changed:
                rows = {each.label: {"counted_as": each.counted_as, "cells": each.cells} for each in changed}
                sections[name] = rows
        return sections

    def choices(self) -> dict[str, int | None]:
        """What was chosen → how many cells or labels it moved, None where nobody counts."""
        moved: dict[str, int | None] = {f"off_list:{self.rule},": _cells(self.off_list)} if self.rule else {}
        moved |= {"map:": len(self.mapped)} if self.mapped is not None else {}
        moved |= {"normalised:": len(self.respelt)} if self.respelt else {}
        return moved | ({"empty:skip": None} if self.empty == "skip" else {})

    def remarks(self) -> list[str]:
        """What is to be said of each change."""
        said = []
        if self.off_list:
            often = (f"{shown(each.label)} {each.cells}×" for each in self.most_frequent())
            meaning = {
                "skip": "no prediction: misses, no false alarms",
                "count": "one class, so as false alarms",
            }
            answers = f"{_cells(self.off_list)} of {self.n} answers ({100 * self.share:.2f} %)"
            labels = {*self.labels} - {OFF_LIST}
            said.append(
                f"{answers} are off the list of {len(labels)} labels and count as "
                f"{meaning[self.rule or 'skip']}: {listing(often, 400)}"
            )
        said += [
            f"{shown(each.label)} is counted as {shown(each.counted_as)} "
            f"({amount(each.cells, 'cell')} of {' and '.join(each.columns)})"
            for each in (*(self.mapped or ()), *self.respelt)
        ]
        return said

    def spelt(self, label: str | None) -> str | None:
        """A label that the caller names, as it is spelt here."""
        names = (*self.labels, *(each.counted_as for each in self.respelt))
        spellings = {plain_form(name): name for name in names} if self.respelt else {}
        return label and (label if label in self.labels else spellings.get(plain_form(label), label))


def _cells(changed: Sequence[Respelling]) -> int:
    return sum(each.cells for each in changed)


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
    columns, predicted = frame, [role for role in frame.roles if role in ANSWERED]
    mapped: list[Respelling] | None = None
    if mapping is not None:
        known = labels or (tuple(sorted(columns["gold"].times())) if label_set else ())
        with naming_file(mapping) if isinstance(mapping, Path | str) else contextlib.nullcontext():
            labels_of = _labels_of_answers(mapping, known, what, normalise)
        columns, mapped = renamed(columns, _looked_up(columns, predicted, labels_of, normalise), predicted)
    changed: list[Respelling] = []
    if normalise:
        columns, changed = respelt(columns, labels or spellings)
    if isinstance(label_set, str):
        labels = tuple(sorted(columns["gold"].times()))
    n = sum(len(columns[role]) if columns.counts is None else int(columns.counts.sum()) for role in predicted)
    if not labels:
        if off_list is not None:
            raise ValueError("off_list is of use with a label set: --label-set FILE or gold, or --id2label")
        return Answers(columns, (), None, n, mapped, changed, (), empty)
    _check_labels(labels, what, columns)
    strange = _distinct(columns, predicted) - {*labels, SKIPPED}
    counted_as = COUNTED_AS[off_list or "error"] or ""
    settled, strangers = renamed(columns, dict.fromkeys(strange, counted_as), predicted)
    if strangers and not counted_as:
        raise _off_list_fault(frame, columns, predicted, labels, what, _cells(strangers), normalise)
    rule = off_list or (None if label_set is None else "error")
    labels = (*labels, OFF_LIST) if off_list == "count" else labels
    # two answers off the list that are spelt alike are no label that was respelt
    changed = [each for each in changed if each.counted_as in labels]
    return Answers(settled, labels, rule, n, mapped, changed, strangers, empty)


def _text_columns(frame: pd.DataFrame, empty: str) -> LabelColumns:
    """The distinct rows of a data frame, counted, all labels as text."""
    if empty not in EMPTY:
        raise unknown_name("rule of empty answers", empty, EMPTY)
    answers = [role for role in ANSWERED if role in frame]
    frame = frame[["gold", *answers]]
    if empty == "skip":
        blank = {role: frame[role].isna() | (frame[role].astype(str).str.strip() == "") for role in answers}
        frame = frame.assign(
            **{role: frame[role].astype(object).mask(blank[role], SKIPPED) for role in answers}
        )
    columns = count_rows(frame, "gold", *answers)
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


def _labels_of_answers(
    mapping: Mapping[str, str] | Path | str, labels: Sequence[str], what: str, normalise: bool
) -> dict[str, str]:
    """Answer, as it is looked up → label, which has to be one of the labels where these are known."""
    form: Callable[[str], str] = plain_form if normalise else str
    known = {*map(form, labels), form(SKIPPED)}
    label_of: dict[str, str] = {}
    for answer, label in (read_answer_map(mapping) if isinstance(mapping, Path | str) else mapping).items():
        if label_of.setdefault(form(answer), label) != label:
            both = f"{shown(label_of[form(answer)])} and {shown(label)}"
            raise ValueError(
                f"mapping of {shown(answer)}: answers that are spelt alike have two labels, {both}"
            )
        if labels and form(label) not in known:
            raise ValueError(f"mapping of {shown(answer)}: {unknown_name(f'label of {what}', label, labels)}")
    return label_of


def _looked_up(
    columns: LabelColumns, predicted: Sequence[str], labels_of: Mapping[str, str], normalise: bool
) -> dict[str, str]:
    """Each answer that has a label → that label."""
    form: Callable[[str], str] = plain_form if normalise else str
    labels = {answer: labels_of.get(form(answer), answer) for answer in _distinct(columns, predicted)}
    return {answer: label for answer, label in labels.items() if answer != label}


def _check_labels(labels: Sequence[str], what: str, columns: LabelColumns) -> None:
    """Refuse a label set and gold labels that do not fit each other."""
    if made := [label for label in labels if label in COUNTED_AS.values()]:
        raise ValueError(f"{shown(made[0])} stands for answers that are no label: it cannot be one")
    row = columns.first_row("gold", lambda label: label not in labels)
    if row is not None:
        label = columns["gold"][row]
        raise columns.locate(
            "gold", row, f"{unknown_name(f'label of {what}', label, labels)}{_alike(label, labels)}"
        )


def _off_list_fault(
    read: LabelColumns,
    columns: LabelColumns,
    predicted: Sequence[str],
    labels: Sequence[str],
    what: str,
    cells: int,
    normalise: bool,
) -> ValueError:
    """The error of the first answer off the list, as it stands in the file."""
    known = (*labels, SKIPPED)
    rows = {role: columns.first_row(role, lambda label: label not in known) for role in predicted}
    role, row = next((role, row) for role, row in rows.items() if row is not None)
    label = read[role][row]
    more = f"; {amount(cells - 1, 'more such answer')}" if cells > 1 else ""
    hint = "" if normalise else _alike(label, labels)
    reason = f"{unknown_name(f'label of {what}', label, known)}{more}; --off-list skip counts them as misses"
    return columns.locate(role, row, reason + hint)


def _alike(label: str, labels: Sequence[str]) -> str:
    """The hint at a label that is spelt nearly so, or ''."""
    alike = [each for each in labels if plain_form(each) == plain_form(label)]
    return f"; --normalise counts it as {shown(alike[0])}" if alike else ""
