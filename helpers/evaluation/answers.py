"""What a system answered, as the labels that are scored: the step between reading and counting.

Language models answer in text: another spelling, a refusal, several labels at once. Answers are mapped and
respelt; those that are still none of the labels are refused, or counted as the caller says, and named.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import core, data
from ..core import OFF_LIST, SKIPPED, Label, check_known, listing, naming_file, plain_form, shown
from ..data import Coded, LabelColumns, Respelling
from ..metrics import Outcome, checked_labels

if TYPE_CHECKING:
    import pandas as pd

READING = ["gold_column", "predicted_column", "paired_column", "id_column", "gold_file", "form"]
READING += ["label_names", "empty", "engine", "check_ids"]
"""Arguments of `count_files`; without the last two of `read_predictions`."""
OPTIONS = ("task", "normalise", "label_set", "off_list", "mapping", "empty")
"""What `Answers.of` takes."""
COUNTED_AS = {"error": None, "skip": SKIPPED, "count": OFF_LIST}
"""What becomes of an answer that is none of the labels: a fault, no prediction, or a class of its own."""
MOST = 10


def amount(number: int, noun: str) -> str:
    """A number and its noun.

    >>> amount(1, "cell"), amount(2, "cell")
    ('1 cell', '2 cells')
    """
    return f"{number} {noun}{'s' * (number != 1)}"


TASKS = {"semeval2010": core.SEMEVAL_RELATIONS}
"""A named task → its labels, the negative class first."""


def split_options(options: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """How files are read (arguments of `count_files`), what text counts as (of `Answers.of`), and the others;
    ValueError for an unknown task.

    >>> split_options({"gold_column": "label", "off_list": "skip", "labels": "listed"})
    ({'gold_column': 'label'}, {'off_list': 'skip', 'names': []}, {'labels': 'listed'})
    """
    _labels_of(options.get("task"))
    reading = {name: value for name, value in options.items() if name in READING}
    settling = {name: value for name, value in options.items() if name in OPTIONS}
    settling["names"] = [*(options.get("label_names") or {}).values()]
    others = {name: value for name, value in options.items() if name not in (*READING, *OPTIONS)}
    return reading, settling, others


def _labels_of(task: str | None) -> tuple[str, ...]:
    """The labels of a task, none of None; ValueError lists the known ones."""
    if task is not None:
        check_known("task", task, TASKS)
    return TASKS.get(task or "", ())


class Answers(NamedTuple):
    """Columns as they are counted, and what became of what stood there.

    Attributes
    ----------
    columns : with the roles as their names. task : its name, if there is one. labels : the label set,
        with `OFF_LIST` where that is a class; () where none is known. rule : of `COUNTED_AS`, None where
        nobody asked. n : answers in all.
    mapped, respelt : what was changed, by step. off_list : the answers off the list, most frequent first.
    empty : the rule of empty answers.
    """

    columns: Any
    task: str | None = None
    labels: tuple[str, ...] = ()
    rule: str | None = None
    n: int = 0
    mapped: list[Respelling] | None = None
    respelt: Sequence[Respelling] = ()
    off_list: Sequence[Respelling] = ()
    empty: str = "error"

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame | LabelColumns,
        *,
        task: str | None = None,
        normalise: bool = False,
        label_set: Sequence[str] | str | None = None,
        off_list: str | None = None,
        mapping: Mapping[str, str] | Path | str | None = None,
        empty: str = "error",
        names: Sequence[str] = (),
        spellings: Sequence[str] = (),
    ) -> Answers:
        """The columns as they are counted: answers mapped, labels respelt, and others than the labels judged.

        Parameters
        ----------
        frame : as `score_frame` takes it. The labels of a data frame become text if any option is given.
        task : a named task, whose labels are its label set.
        normalise : one spelling for each label (`LabelColumns.respelt`): that of the label set, else that of
            `spellings`, else the most frequent one. Answers are looked up in `mapping` likewise.
        label_set : the labels, the negative class among them; 'gold': those that occur as gold; None: the
            task's, else `names`, those of label ids.
        off_list : what becomes of a prediction that is none of them: 'error' (also None), 'skip' or 'count',
            see `COUNTED_AS`. A gold label that is none of them is an error. The official scores of a task
            have a miss in an answer that is counted, and no false alarm: it is of none of their classes.
        mapping : answer → label, for predictions only; or a file that holds them (`read_mapping`), which
            is named in errors.
        empty : 'skip': an empty answer of a data frame counts as `SKIPPED`.

        Raises
        ------
        ValueError : an unknown rule, or a rule without a label set; a label set beside a task, or that is
            empty, holds a label twice, or a name of `COUNTED_AS`; a label in `mapping` that is not in it.
        MalformedRecord : a label that is not in the set, with file, line and column, and how many more there
            are.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"gold": ["a", "NA"], "predicted": ["**A**.", "I cannot tell"]})
        >>> answers = Answers.of(frame, normalise=True, label_set=["NA", "a"], off_list="skip")
        >>> sorted(answers.columns["predicted"].tolist()), answers.signature()
        (['(skipped)', 'a'], '|off_list:skip,1|normalised:1')
        """
        of_task = _labels_of(task)
        if off_list is not None:
            check_known("rule of answers off the list", off_list, COUNTED_AS)
        if not isinstance(frame, LabelColumns):
            if empty == "error" and not normalise and label_set is off_list is mapping is None:
                return cls(frame, task)
            frame = _text_columns(frame, empty)
        if of_task and label_set is not None:
            raise ValueError(f"the label set of {task} is known: leave out label_set")
        what, labels = task or "the label set", of_task or _label_set(label_set, names)
        columns, predicted = frame, [role for role in frame.roles if role in data.ANSWERED]
        mapped: list[Respelling] | None = None
        if mapping is not None:
            known = labels or (tuple(sorted(columns["gold"].times())) if label_set else ())
            with naming_file(mapping) if isinstance(mapping, Path | str) else contextlib.nullcontext():
                new_label = _looked_up(_distinct(columns, predicted), mapping, known, what, normalise)
            columns, mapped = columns.renamed(new_label, predicted)
        columns, changed = columns.respelt(labels or spellings) if normalise else (columns, [])
        labels = tuple(sorted(columns["gold"].times())) if isinstance(label_set, str) else labels
        n = len(predicted) * (len(columns["gold"]) if columns.counts is None else int(columns.counts.sum()))
        rule = off_list or (None if label_set is None else "error")
        answers = cls(columns, task, labels, rule if labels else None, n, mapped, changed, empty=empty)
        if labels:
            return _judged(answers, frame, what, normalise, COUNTED_AS[off_list or "error"])
        if off_list is not None:
            raise ValueError("off_list is of use with a label set: --label-set FILE or gold, or --id2label")
        if "gold" in columns and (row := columns["gold"].first_row(SKIPPED.__eq__)) is not None:
            raise frame.locate("gold", row, f"{SKIPPED} stands for no prediction and is no gold label")
        return answers

    @property
    def cells(self) -> int:
        """How many answers are off the list."""
        return sum(each.cells for each in self.off_list)

    def sections(self) -> dict[str, dict[str, Any]]:
        """Sections of a report."""
        sections: dict[str, dict[str, Any]] = {}
        if self.rule in ("skip", "count"):
            counted_as = {"counted_as": COUNTED_AS[self.rule]}
            sections["off_list"] = {"cells": self.cells, "share": self.cells / self.n} | counted_as
            often = {each.label: each.cells for each in self.off_list[:MOST]}
            shares = {label: {"cells": cells, "share": cells / self.n} for label, cells in often.items()}
            sections["off_list_most_frequent"] = shares
        for name, changed in {"mapped": self.mapped or (), "normalised": self.respelt}.items():
            fields = ("counted_as", "cells")
            sections[name] = {each.label: {key: getattr(each, key) for key in fields} for each in changed}
        return {name: rows for name, rows in sections.items() if rows}

    def signature(self, *others: Answers) -> str:
        """What the answers of this system, and of others by the same options, count as, and how many cells or
        labels of each were changed: the end of a signature.

        >>> columns = {"gold": ["a", "b"], "predicted": ["a", "b"]}
        >>> Answers(columns, rule="skip", mapped=[]).signature(Answers(columns, rule="skip", mapped=[]))
        '|off_list:skip,0+0|map:0+0'
        """
        systems = (self, *others)
        changed = {f"off_list:{self.rule},": [each.cells for each in systems]} if self.rule else {}
        changed |= {"map:": [len(each.mapped or ()) for each in systems]} if self.mapped is not None else {}
        respelt = [len(each.respelt) for each in systems]
        changed |= {"normalised:": respelt} if any(respelt) else {}
        counted = "".join(f"|{name}{'+'.join(map(str, counts))}" for name, counts in changed.items())
        return counted + "|empty:skip" * (self.empty == "skip")

    def remarks(self) -> list[str]:
        """What is to be said of each change."""
        said = []
        if self.off_list:
            often = listing((f"{shown(each.label)} {each.cells}×" for each in self.off_list[:MOST]), 400)
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

    def outcome(
        self, columns: Mapping[str, Any], negative: Label | None, averaged: str | Sequence[Label] = ()
    ) -> Outcome:
        """Columns by role, counted over the labels of the task, and the mark of skipped samples if there are
        any.

        Without a task over the labels that occur, those of the label set, else those that are `averaged`,
        which may be those of a whole task; ValueError for one that looks like a label that occurs and is not
        listed: that is taken for a slip.

        >>> columns = {"gold": ["a", "NA"], "predicted": ["a", "a"]}
        >>> Answers(columns).outcome(columns, "NA", ["a", "b"]).labels
        ('NA', 'a', 'b')
        """
        counts = self.columns.counts if isinstance(self.columns, LabelColumns) else None
        if self.task:
            known = (*TASKS[self.task], *({OFF_LIST} & {*self.labels}))
            outcome = Outcome.from_columns(**columns, labels=(*known, SKIPPED), counts=counts)
            skipped = {role: (codes == len(known)).any() for role, codes in outcome.roles.items()}
            if skipped["gold"]:
                raise ValueError(core.unlisted_message("gold", None, SKIPPED, known))
            return outcome if any(skipped.values()) else replace(outcome, labels=known)
        outcome = Outcome.from_columns(**columns, counts=counts)
        listed = self.labels or (() if isinstance(averaged, str) else averaged)
        wider = {*outcome.labels, *listed}
        mixed = len({isinstance(label, str) for label in wider}) > 1  # `Policy` refuses what is no label here
        if mixed or len(wider) == len(outcome.labels):
            return outcome
        others = [label for label in outcome.labels if label not in listed and label != negative]
        for index, label in enumerate(listed):
            if label not in outcome.labels and core.did_you_mean(label, others):
                raise ValueError(core.unlisted_message("labels", index, label, outcome.labels))
        return outcome + Outcome.from_rows([], sorted(wider), list(outcome.roles))


def _judged(
    answers: Answers, read: LabelColumns, what: str, normalise: bool, counted_as: str | None
) -> Answers:
    """The answers, those off the list counted as one class or as none; refused if `counted_as` is None."""
    columns, labels = answers.columns, answers.labels
    if made := [label for label in labels if label in COUNTED_AS.values()]:
        raise ValueError(f"{shown(made[0])} stands for answers that are no label: it cannot be one")

    def check_listed(roles: Sequence[str], labels: Sequence[str], more: str = "") -> None:
        # the first label that is none of these is named as it was read, with what it is spelt like
        for role in roles:
            row = columns[role].first_row(lambda label: label not in labels)
            if row is not None:
                label = read[role][row]
                alike = [each for each in labels if plain_form(each) == plain_form(label) and not normalise]
                hint = f"; --normalise counts it as {shown(alike[0])}" if alike else ""
                fault = core.unknown_name(f"label of {what}", label, labels)
                raise columns.locate(role, row, f"{fault}{more}{hint}")

    check_listed(["gold"], labels)
    predicted = [role for role in columns.roles if role in data.ANSWERED]
    strange = dict.fromkeys(_distinct(columns, predicted) - {*labels, SKIPPED}, counted_as or "")
    settled, strangers = columns.renamed(strange, predicted)
    strangers.sort(key=lambda each: (-each.cells, each.label))
    if counted_as is None:
        cells = sum(each.cells for each in strangers)
        more = f"; {amount(cells - 1, 'more such answer')}" if cells > 1 else ""
        more += "; --off-list skip counts them as misses"
        check_listed(predicted, (*labels, SKIPPED), more)
    labels = (*labels, OFF_LIST) if counted_as == OFF_LIST else labels
    # two answers off the list that are spelt alike are no label that was respelt
    changed = [each for each in answers.respelt if each.counted_as in labels]
    return answers._replace(columns=settled, labels=labels, respelt=changed, off_list=strangers)


def _text_columns(frame: pd.DataFrame, empty: str) -> LabelColumns:
    """The distinct rows of a data frame, counted, all labels as text."""
    check_known("rule of empty answers", empty, data.EMPTY)
    frame = frame[["gold", *(role for role in data.ANSWERED if role in frame)]].astype(object)
    if empty == "skip":
        answers = frame.columns[1:]
        blank = frame[answers].apply(lambda column: column.isna() | (column.astype(str).str.strip() == ""))
        frame[answers] = frame[answers].mask(blank, SKIPPED)
    columns = data.count_rows(frame, *frame.columns)
    return columns.replaced({role: Coded.of(map(str, columns[role].tolist())) for role in columns.roles})


def _label_set(label_set: Sequence[str] | str | None, names: Sequence[str]) -> tuple[str, ...]:
    """The label set; of gold labels none yet."""
    if label_set is None:
        return tuple(names)
    if isinstance(label_set, str):
        if label_set != "gold":
            raise ValueError(f"label_set is {shown(label_set)}: a list of labels, or 'gold', is needed")
        return ()
    try:
        return tuple(map(str, checked_labels(label_set)))
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
    pairs = data.read_mapping(mapping, "answer", "label") if isinstance(mapping, Path | str) else mapping
    for answer, label in pairs.items():
        if label_of.setdefault(form(answer), label) != label:
            both = f"two labels, {shown(label_of[form(answer)])} and {shown(label)}"
            raise ValueError(f"mapping of {shown(answer)}: answers that are spelt alike have {both}")
        if labels and form(label) not in known:
            fault = core.unknown_name(f"label of {what}", label, labels)
            raise ValueError(f"mapping of {shown(answer)}: {fault}")
    new_label = {answer: label_of.get(form(answer), answer) for answer in answers}
    return {answer: label for answer, label in new_label.items() if answer != label}
