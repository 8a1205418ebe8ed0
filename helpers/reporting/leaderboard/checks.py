"""A prediction file for the leaderboard: is it whole, and of this test set? Every fault, each with its line.

A reader that stops at the first fault is right for scoring; somebody who submits wants to mend all of them at
once. What passes is reduced to an outcome: counts, without texts and identifiers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ... import core, data
from ...evaluation import read_fact_lists
from ...metrics import MultilabelOutcome, Outcome, plain_number
from ...runs import RankedFacts, Run
from .measures import MADE_OF, class_counts

SHOWN_PROBLEMS = 50
ROLES = ("id", "gold", "predicted", "predicted_paired")
TACRED_KEYS = {"tacred": "gold", "tacred-revised": "gold_tacrev"}
MOST_BYTES = 1 << 28


class _Problem(NamedTuple):
    """One fault of a file: what is wrong, the line (from 1) and the column, where there are any."""

    reason: str
    line: int | None = None
    column: str | None = None

    def __str__(self) -> str:
        where = [] if self.line is None else [f"line {self.line}"]
        where += [] if self.column is None else [f"column {core.shown(self.column)}"]
        return ": ".join([", ".join(where), self.reason] if where else [self.reason])


class Refused(ValueError):
    """A submission with faults. `problems` : the first 50; `count` : how many there are.

    >>> print(Refused("mine.csv", [_Problem("the cell is empty", 3, "gold")], 1))
    mine.csv: 1 problem; line 3, column 'gold': the cell is empty
    """

    def __init__(self, path: Path | str, problems: Sequence[_Problem], count: int) -> None:
        self.path, self.problems, self.count = Path(path), list(problems), count
        several = f"{count} problems, the first: " if count > 1 else "1 problem; "
        super().__init__(f"{path}: {several}{core.visible(self.problems[0])}")


@dataclass(frozen=True)
class Submission:
    """What somebody hands in.

    Attributes
    ----------
    file : predictions. dataset : as run files name it. system : a name, shown as text.
    paper : an http(s) address, '' if there is none. licence : of the predictions, '' if none is stated.
    columns : role (id, gold, predicted, predicted_paired) → column of the file, if not recognised.
    gold, negative : of a test set of one's own: a file with ids and gold labels, if not in `file`; its
        negative class. seed : of one run of several; the page shows the system once, with their mean.
    truth, threshold : for several labels a sample. facts, n_facts : for ranked facts.
    """

    file: Path | str
    dataset: str
    system: str
    paper: str = ""
    licence: str = ""
    columns: Mapping[str, str | None] = field(default_factory=dict)
    gold: Path | str | None = None
    negative: str | None = None
    seed: int | None = None
    truth: Path | str | None = None
    threshold: float = 0.0
    facts: Path | str | None = None
    n_facts: int | None = None


@dataclass(frozen=True)
class TestSet:
    """What a submission has to fit: labels, how many samples of each, and the key where it is here.

    name : of its folder of runs. dataset, split : as its runs have them. kind : 'labels', 'sets' or 'facts'.
    labels, negative : of its stored runs. support : gold samples of each label; empty: not known. n :
    samples; 0: not known, as of a new test set. key : id → gold label, None where the data are not here.
    own : made by a submission, so that any label may be predicted.
    """

    __test__ = False  # pytest takes a class of such a name for tests

    name: str
    dataset: str
    split: str = "test"
    kind: str = "labels"
    labels: tuple[str, ...] = ()
    negative: str | None = None
    support: Mapping[str, int] = field(default_factory=dict)
    n: int = 0
    key: Mapping[str, str] | None = None
    own: bool = False

    @classmethod
    def of_run(cls, name: str, run: Run, key: Mapping[str, str] | None, own: bool) -> TestSet:
        """That of a stored run."""
        kind, labels = MADE_OF[run.kind], tuple(map(str, run.labels))
        gold = {} if kind == "facts" else dict(zip(labels, class_counts(run).gold.tolist(), strict=True))
        gold.pop(core.SKIPPED, None)
        labels = tuple(label for label in labels if label != core.SKIPPED)
        negative = None if run.negative is None else str(run.negative)
        key = key if kind == "labels" else None
        return cls(name, run.dataset, run.split, kind, labels, negative, gold, run.n, key, own)

    def with_key(self, key: Mapping[str, str]) -> TestSet:
        """The test set with its gold labels; of a new one they say all else."""
        if self.n:
            return replace(self, key=key)
        support = Counter(key.values())
        return replace(self, labels=tuple(sorted(support)), support=support, n=len(key), key=key)

    def other_counts(self, counts: Mapping[str, float]) -> list[str]:
        """A fault for each label that is not as often gold as here."""
        return [
            f"{plain_number(counts[label])} samples have the gold label {core.shown(label)}, not {n}"
            for label, n in self.support.items()
            if counts[label] != n
        ]

    def read_labels(
        self, path: Path | str, columns: Mapping[str, str | None], roles: Sequence[str] = ROLES
    ) -> dict[str, list[str]]:
        """The columns of a prediction file: gold, predicted and, if named, predicted_paired, in one order.

        Parameters
        ----------
        path : CSV, TSV, JSON lines or Parquet with a header, also gzipped; or an answer file of SemEval
            (.txt, id TAB label), whose labels are predictions. columns : role → column of the file; None:
            recognised by a common name; gold may be missing where the key is here. roles : to read.

        Checked are cells, labels, identifiers (each once, all of the test set, none else) and gold labels.
        Raises `Refused` with every fault; ValueError for a file whose columns are not clear, or that cannot
        be taken apart at all.
        """
        path = core.plain_file(path)
        if path.stat().st_size > MOST_BYTES:
            size = f"has more than {MOST_BYTES >> 20} MiB; no test set is that large"
            raise core.MalformedRecord(path, size)
        source, n = data.open_source(path), 0
        check = _Check(self, _columns_of(source, self, columns, roles))
        values: dict[str, list[str]] = {role: [] for role in check.columns}
        try:  # a line that cannot be read does not hide the others
            for line, cells in source.rows(lambda fault: check.add(fault.reason, fault.line)):
                sound = check.sound_cells(line, cells)
                if "id" not in values or "id" in sound:
                    n += 1
                    for role, column in values.items():
                        column.append(sound.get(role, ""))
        except core.MalformedRecord as fault:
            check.add(f"{fault.reason}; what follows was not read", fault.line)
        if not n and not check.count:
            check.add("there are no predictions")
        check.check_samples(n, values.get("gold", ()))
        if check.count:
            raise Refused(path, check.kept, check.count)
        if "gold" not in values:
            values["gold"] = [self.key[name] for name in values["id"]]
        return values

    def outcome_of(self, given: Submission) -> Outcome | MultilabelOutcome | RankedFacts:
        """The counts of a submission: of labels (and predictions on paired sentences), of sets or of facts.

        Raises as `read_labels`, and ValueError where what the kind of test set needs is not given.
        """
        counted = {"labels": self._labels_of, "sets": self._sets_of, "facts": self._facts_of}
        with core.naming_file(given.file):
            return counted[self.kind](given)

    def _labels_of(self, given: Submission) -> Outcome:
        values = self.read_labels(given.file, given.columns)
        labels = self.labels or tuple(sorted(set(values["gold"])))
        if self.negative not in (None, *labels):
            raise core.unknown_name("negative class", self.negative, labels)
        paired = values.get("predicted_paired")
        predicted = {*values["predicted"], *(paired or ())}
        labels += tuple(sorted(predicted - {*labels, core.SKIPPED}))
        labels += (core.SKIPPED,) if core.SKIPPED in predicted else ()
        roles = {"paired": paired} if paired else {}
        return Outcome.from_columns(values["gold"], values["predicted"], labels=labels, **roles)

    def _sets_of(self, given: Submission) -> MultilabelOutcome:
        """A matrix of scores against one of gold labels; every label's gold count is checked."""
        if given.truth is None:
            raise ValueError(f"{self.name} has several labels a sample: give the gold matrix, --truth T")
        gold, scores = data.read_matrix(given.truth), data.read_matrix(given.file)
        if gold.shape != (self.n, len(self.labels)):
            raise ValueError(
                f"the truth has shape {gold.shape}; the test set has {(self.n, len(self.labels))}"
            )
        if scores.shape != gold.shape:
            raise ValueError(f"the scores have shape {scores.shape}; the truth has {gold.shape}")
        counts = np.asarray(gold.sum(axis=0)).ravel().tolist()
        if faults := self.other_counts(dict(zip(self.labels, counts, strict=True))):
            raise ValueError(core.listing(faults))
        options = {"threshold": given.threshold, "labels": self.labels}
        return MultilabelOutcome.from_scores(gold, scores, depth=min(5, len(self.labels)), **options)

    def _facts_of(self, given: Submission) -> RankedFacts:
        (ranked,) = read_fact_lists([given.file], given.facts, self.negative, given.n_facts)
        labels = None if ranked.ranking.relations is None else self.labels
        # pairs are numbered by this file alone: stored, they would say that two systems can be paired
        return RankedFacts.from_ranking(ranked.ranking, "bag", labels)  # rounded scores would be further ties


@dataclass
class _Check:
    """A file beside the test set that it has to fit: of the faults the first 50 are kept, all are counted.

    columns : role → column. lines : id → the line in which it was first seen.
    """

    test: TestSet
    columns: dict[str, str]
    lines: dict[str, int | None] = field(default_factory=dict)
    kept: list[_Problem] = field(default_factory=list)
    count: int = 0

    def add(self, reason: str, line: int | None = None, column: str | None = None) -> None:
        """One more fault; its text is cut to 400 characters."""
        self.count += 1
        if len(self.kept) < SHOWN_PROBLEMS:
            self.kept.append(_Problem(core.visible(reason, 400), line, column))

    def hint(self, name: str, known: Sequence[str], cutoff: float = 0.6) -> str:
        """The nearest known name; none for a fault that is counted only."""
        return "" if len(self.kept) >= SHOWN_PROBLEMS else core.did_you_mean(name, known, cutoff=cutoff)

    def sound_cells(self, line: int | None, cells: Mapping[str, Any]) -> dict[str, str]:
        """The cells of one row without a fault, by role."""
        sound: dict[str, str] = {}
        for role, column in self.columns.items():
            value = cells.get(column)
            value = str(value) if type(value) is int else value
            if value is None or (isinstance(value, str) and not value.strip()):
                fault = "the cell is empty" if column in cells else "the field is missing"
            elif not isinstance(value, str):
                fault = f"text or an integer is expected, not {core.shown(value)}"
            elif role == "id":
                fault = self._id_fault(value, line)
            else:
                fault = self._label_fault(value, role, sound.get("id"))
            if fault:
                self.add(fault, line, column)
            else:
                sound[role] = value
        return sound

    def _id_fault(self, value: str, line: int | None) -> str:
        """'' if the id is one of the test set that no row before has."""
        if value in self.lines:
            first = self.lines[value]
            before = "" if first is None else f", the first time in line {first}"
            return f"id {core.shown(value)} occurs twice{before}"
        self.lines[value] = line
        if self.test.key is None or value in self.test.key:
            return ""
        hint = self.hint(value, list(self.test.key)[:2000], 0.9)
        return f"id {core.shown(value)} is not in the test set of {self.test.name}{hint}"

    def _label_fault(self, value: str, role: str, identifier: str | None) -> str:
        """'' if the label is one of the test set, and the one that the key has; of a new one all are."""
        test = self.test
        any_label = not test.n if role == "gold" else test.own or value == core.SKIPPED
        if value not in test.labels and not any_label:
            return f"unknown label {core.shown(value)} of {test.name}{self.hint(value, test.labels)}"
        right = test.key.get(identifier, value) if role == "gold" and test.key is not None else value
        if value == right:
            return ""
        gold = f"the gold label of {core.shown(identifier)} is {core.shown(value)}"
        return f"{gold}; the key says {core.shown(right)}"

    def check_samples(self, n: int, gold: Sequence[str]) -> None:
        """Are they the samples of this test set, all of them?"""
        test = self.test
        if test.key is not None and "id" in self.columns:
            for name in test.key:
                if name not in self.lines:
                    self.add(f"id {core.shown(name)} of the test set is missing")
            return
        if test.n and n != test.n:
            self.add(f"{n} samples; the test set of {test.name} has {test.n}")
        for fault in test.other_counts(Counter(gold)):
            self.add(fault)


def _columns_of(
    source: Any, test: TestSet, named: Mapping[str, str | None], roles: Sequence[str]
) -> dict[str, str]:
    """Role → column; ValueError where it is not clear which sample, or which gold label, a row is of."""
    wanted = {role: named.get(role) for role in roles}
    answers = "predicted" in roles and source.path.suffix.lower() == ".txt"
    known = any(name.lower() in data.COMMON_NAMES["gold"] for name in source.names)
    if wanted["gold"] is None and (answers or not known):
        del wanted["gold"]
    columns = data.columns_of(source, wanted, answers)
    if "gold" not in columns and (test.key is None or "id" not in columns):
        how = "name it, --gold-column C, or give another file, --gold FILE"
        said = "without a gold column, ids are needed" if test.key else f"which column is gold? {how}"
        raise ValueError(f"{source.path}: {said}. Columns: {core.listing(source.names)}")
    return columns
