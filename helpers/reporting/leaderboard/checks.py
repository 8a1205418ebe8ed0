"""A prediction file for the leaderboard: is it whole, and of this test set? Every fault, each with its line.

A reader that stops at the first fault is right for scoring; somebody who submits wants to mend all of them at
once. What passes is reduced to an outcome: counts, without texts and identifiers.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...core import (
    SKIPPED,
    MalformedRecord,
    MissingData,
    did_you_mean,
    listing,
    naming_file,
    plain_file,
    shown,
    unknown_name,
    visible,
)
from ...data import (
    COMMON_NAMES,
    columns_of,
    datasets,
    open_source,
    read_corpus,
    read_matrix,
    search_folders,
    semeval_key,
    tacred_predictions,
)
from ...evaluation import read_fact_lists
from ...metrics import MultilabelOutcome, Outcome
from ...runs import STORED_RUNS, RankedFacts, Run, load_run
from .measures import class_counts, outcome_kind

SHOWN_PROBLEMS = 50
ROLES = ("id", "gold", "predicted", "predicted_paired")
TACRED_KEYS = {"tacred": "gold", "tacred-revised": "gold_tacrev"}
MOST_BYTES = 1 << 28


class _Problem(NamedTuple):
    """One fault of a file: line (from 1, None where there is none), column (or None), and what is wrong."""

    line: int | None
    column: str | None
    reason: str

    def __str__(self) -> str:
        where = [] if self.line is None else [f"line {self.line}"]
        where += [] if self.column is None else [f"column {shown(self.column)}"]
        return ": ".join([", ".join(where), self.reason] if where else [self.reason])


class Refused(ValueError):
    """A submission with faults. `problems` : the first 50; `count` : how many there are.

    >>> print(Refused("mine.csv", [_Problem(3, "gold", "the cell is empty")], 1))
    mine.csv: 1 problem; line 3, column 'gold': the cell is empty
    """

    def __init__(self, path: Path | str, problems: Sequence[_Problem], count: int) -> None:
        self.path, self.problems, self.count = Path(path), list(problems), count
        several = f"{count} problems, the first: " if count > 1 else "1 problem; "
        super().__init__(f"{path}: {several}{visible(self.problems[0])}")


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
class _TestSet:
    """What a submission has to fit: the labels, how many samples of each, and the key where it is here.

    dataset : name. kind : 'labels', 'sets' or 'facts'. labels, negative : of its stored runs. support : gold
    samples of each label; empty: not known. n : samples; 0: not known, as of a new test set. key : id → gold
    label, None where the data are not here. own : made by a submission, so that any label may be predicted.
    """

    __test__ = False  # pytest takes a class of such a name for tests

    dataset: str
    kind: str = "labels"
    labels: tuple[str, ...] = ()
    negative: str | None = None
    support: Mapping[str, int] = field(default_factory=dict)
    n: int = 0
    key: Mapping[str, str] | None = None
    own: bool = False

    @classmethod
    def of_run(cls, dataset: str, run: Run, key: Mapping[str, str] | None, own: bool) -> _TestSet:
        """That of a stored run."""
        kind, labels = outcome_kind(run), tuple(map(str, run.labels))
        gold = {} if kind == "facts" else dict(zip(labels, class_counts(run).gold.tolist(), strict=True))
        gold.pop(SKIPPED, None)
        labels = tuple(label for label in labels if label != SKIPPED)
        negative = None if run.negative is None else str(run.negative)
        key = key if kind == "labels" else None
        return cls(dataset, kind, labels, negative, gold, run.n, key, own)

    def with_key(self, key: Mapping[str, str]) -> _TestSet:
        """A test set of which nothing else is known than its gold labels."""
        support = Counter(key.values())
        return replace(self, labels=tuple(sorted(support)), support=support, n=len(key), key=key)


def _folders(path: Path | str) -> list[str]:
    return [folder.name for folder in sorted(Path(path).glob("*")) if folder.is_dir()]


def _known_test_sets(runs: Path | str) -> list[str]:
    """Names of the test sets that have stored runs, then of registered ones that can be read."""
    registered = [name for name, row in datasets().items() if row.kind == "relations" and row.splits]
    return list(dict.fromkeys([*_folders(runs), *registered]))


def find_test_set(dataset: str, runs: Path | str = STORED_RUNS, store: Path | str = "") -> _TestSet:
    """The test set of a data set, from its stored runs and, where the data are here, from its key; else one
    that a submission in `store` made.

    Raises ValueError for a data set without runs that cannot be read either; the known ones are listed.

    >>> found = find_test_set("tacred")
    >>> found.n, len(found.labels), found.negative
    (15509, 42, 'no_relation')
    """
    known = _known_test_sets(runs)
    own, key, folder = dataset not in known, None, runs
    if own:
        folder = store or os.devnull
    else:
        key = _read_key(dataset, (*map(str, search_folders()), os.environ.get("RC_DATA_DIR", "")))
    stored = map(load_run, sorted(Path(folder, dataset).glob("*/*/*.json")))
    if run := next((run for run in stored if not run.second), None):
        return _TestSet.of_run(dataset, run, key, own)
    if key is None:
        raise unknown_name("dataset", dataset, known)
    return _TestSet(dataset, negative=datasets()[dataset].negative).with_key(key)


@functools.lru_cache(maxsize=32)
def _read_key(dataset: str, _data_folders: tuple[str, ...]) -> dict[str, str] | None:
    """Id → gold label of a test set whose data are here; None where they are not, or have no single ids."""
    try:
        if dataset in TACRED_KEYS:
            frame = tacred_predictions("test")
            return dict(zip(frame["id"].astype(str), frame[TACRED_KEYS[dataset]].astype(str), strict=True))
        if dataset == "semeval2010":
            return semeval_key()
        row = datasets().get(dataset)
        if row is None or row.kind != "relations" or "test" not in row.splits:
            return None
        samples = read_corpus(dataset)["test"]
    except MissingData:
        return None
    key = {str(sample.id): sample.relation for sample in samples}
    return key if len(key) == len(samples) else None


def submitted_test_set(given: Submission, runs: Path | str, store: Path | str) -> _TestSet:
    """The test set of a submission: a known one, or a new one of the submission's own gold labels.

    Raises ValueError for a new name that is nearly a known one, unless a file of gold labels says that it is
    meant; for gold labels or a negative class that are not those of the known test set. Refused for a faulty
    file of gold labels.
    """
    dataset, known = given.dataset, [*_known_test_sets(runs), *_folders(store)]
    if dataset not in known and not given.gold and did_you_mean(dataset, known):
        raise unknown_name("dataset", dataset, known)
    key = None if given.gold is None else _read_gold(given.gold, given.columns)
    if dataset not in known:
        new = _TestSet(dataset, negative=given.negative, own=True)
        return new if key is None else new.with_key(key)
    test = find_test_set(dataset, runs, store)
    if given.negative not in (None, test.negative):
        raise ValueError(
            f"the negative class of {dataset} is {shown(test.negative)}, not {shown(given.negative)}"
        )
    if key is not None and any(Counter(key.values())[label] != n for label, n in test.support.items()):
        raise ValueError(f"{given.gold}: these are not the gold labels of {dataset}")
    return test if key is None else replace(test, key=key)


def _read_gold(path: Path | str, columns: Mapping[str, str | None]) -> dict[str, str]:
    """Id → gold label of a file."""
    values = read_labels_file(path, _TestSet("", own=True), columns, ("id", "gold"))
    if "id" not in values:
        raise ValueError(f"{path}: a file of gold labels needs ids, to be matched by")
    return dict(zip(values["id"], values["gold"], strict=True))


@dataclass
class _Check:
    """A file beside the test set that it has to fit: of the faults the first 50 are kept, all are counted.

    columns : role → column. lines : id → the line in which it was first seen.
    """

    test: _TestSet
    columns: dict[str, str] = field(default_factory=dict)
    lines: dict[str, int | None] = field(default_factory=dict)
    kept: list[_Problem] = field(default_factory=list)
    count: int = 0

    def add(self, reason: str, line: int | None = None, column: str | None = None) -> None:
        """One more fault; its text is cut to 400 characters."""
        self.count += 1
        if len(self.kept) < SHOWN_PROBLEMS:
            self.kept.append(_Problem(line, column, visible(reason, 400)))

    def hint(self, name: str, known: Sequence[str], cutoff: float = 0.6) -> str:
        """The nearest known name; none for a fault that is counted only."""
        return "" if len(self.kept) >= SHOWN_PROBLEMS else did_you_mean(name, known, cutoff=cutoff)

    def refuse(self, path: Path | str) -> None:
        """Raises Refused if there is any fault."""
        if self.count:
            raise Refused(path, self.kept, self.count)

    def find_columns(self, source: Any, wanted: Mapping[str, str | None], alone: bool) -> None:
        """The column of each role, as `read_predictions` recognises it; what is missing is a fault."""
        there = f"Columns: {listing(source.names)}"
        for role, name in wanted.items():
            try:
                self.columns |= columns_of(source, {role: name}, alone)
            except ValueError as fault:
                self.add(str(fault).removeprefix(f"{source.path}: "))
        if "gold" not in wanted and self.test.key is None:
            how = "name it, --gold-column C, or give another file, --gold FILE"
            self.add(f"which column is gold? no column has a common name; {how}. {there}")
        if not self.columns.keys() & {"gold", "id"} and not self.count:
            self.add(f"without a gold column, ids are needed. {there}")

    def sound_cells(self, line: int | None, cells: Mapping[str, Any]) -> dict[str, str]:
        """The cells of one row without a fault, by role."""
        sound: dict[str, str] = {}
        for role, column in self.columns.items():
            value = cells.get(column)
            value = str(value) if type(value) is int else value
            if value is None or (isinstance(value, str) and not value.strip()):
                fault = "the cell is empty" if column in cells else "the field is missing"
            elif not isinstance(value, str):
                fault = f"text or an integer is expected, not {shown(value)}"
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
            return f"id {shown(value)} occurs twice{before}"
        self.lines[value] = line
        if self.test.key is None or value in self.test.key:
            return ""
        hint = self.hint(value, list(self.test.key)[:2000], 0.9)
        return f"id {shown(value)} is not in the test set of {self.test.dataset}{hint}"

    def _label_fault(self, value: str, role: str, identifier: str | None) -> str:
        """'' if the label is one of the test set, and the one that the key has; of a new one all are."""
        test = self.test
        any_label = not test.n if role == "gold" else test.own or value == SKIPPED
        if value not in test.labels and not any_label:
            return f"unknown label {shown(value)} of {test.dataset}{self.hint(value, test.labels)}"
        right = test.key.get(identifier, value) if role == "gold" and test.key is not None else value
        if value == right:
            return ""
        return f"the gold label of {shown(identifier)} is {shown(value)}; the key says {shown(right)}"

    def check_samples(self, n: int, gold: Sequence[str]) -> None:
        """Are they the samples of this test set, all of them?"""
        test = self.test
        if test.key is not None and "id" in self.columns:
            for name in test.key:
                if name not in self.lines:
                    self.add(f"id {shown(name)} of the test set is missing")
            return
        if test.n and n != test.n:
            self.add(f"{n} samples; the test set of {test.dataset} has {test.n}")
        counts = Counter(gold)
        for label, expected in test.support.items():
            if counts[label] != expected:
                has = f"{counts[label]} samples have the gold label {shown(label)}"
                self.add(f"{has}; the test set has {expected}")


def read_labels_file(
    path: Path | str, test: _TestSet, columns: Mapping[str, str | None], roles: Sequence[str] = ROLES
) -> dict[str, list[str]]:
    """The columns of a prediction file: gold, predicted and, if named, predicted_paired, in one order.

    Parameters
    ----------
    path : CSV, TSV, JSON lines or Parquet with a header, also gzipped; or an answer file of SemEval (.txt, id
        TAB label), whose labels are predictions. columns : role → column of the file; None: recognised by a
        common name; gold may be missing where the key is here. roles : to read.

    Checked are cells, labels, identifiers (each once, all of the test set, none else) and gold labels. Raises
    `Refused` with every fault; MalformedRecord for a file that cannot be taken apart at all.
    """
    path, check = plain_file(path), _Check(test)
    if path.stat().st_size > MOST_BYTES:
        raise MalformedRecord(path, f"has more than {MOST_BYTES >> 20} MiB; no test set is that large")
    source = open_source(path)
    answers = "predicted" in roles and path.suffix.lower() == ".txt"
    wanted = {role: columns.get(role) for role in roles}
    has_gold = any(name.lower() in COMMON_NAMES["gold"] for name in source.names)
    if wanted["gold"] is None and (answers or not has_gold):
        del wanted["gold"]
    check.find_columns(source, wanted, answers)
    check.refuse(path)
    values: dict[str, list[str]] = {role: [] for role in check.columns}
    lines = 0
    for line, cells in _readable_rows(source, check):
        sound = check.sound_cells(line, cells)
        if "id" not in values or "id" in sound:
            lines += 1
            for role, column in values.items():
                column.append(sound.get(role, ""))
    if not lines and not check.count:
        check.add("there are no predictions")
    check.check_samples(lines, values.get("gold", ()))
    check.refuse(path)
    if "gold" not in values:
        values["gold"] = [test.key[name] for name in values["id"]]
    return values


def _readable_rows(source: Any, check: _Check) -> Iterator[tuple[int | None, dict]]:
    """The rows; a line that cannot be read is a problem and does not hide the others."""
    try:
        yield from source.rows(lambda fault: check.add(fault.reason, fault.line))
    except MalformedRecord as fault:
        check.add(f"{fault.reason}; what follows was not read", fault.line)


def submitted_outcome(given: Submission, test: _TestSet) -> Outcome | MultilabelOutcome | RankedFacts:
    """The counts of a submission: of labels (and predictions on paired sentences), of sets or of facts.

    Raises as `read_labels_file`, and ValueError where what the kind of test set needs is not given.
    """
    outcome_of = {"labels": _label_outcome, "sets": _set_outcome, "facts": _fact_outcome}[test.kind]
    with naming_file(given.file):
        return outcome_of(given, test)


def _label_outcome(given: Submission, test: _TestSet) -> Outcome:
    values = read_labels_file(given.file, test, given.columns)
    labels = test.labels or tuple(sorted(set(values["gold"])))
    if test.negative not in (None, *labels):
        raise unknown_name("negative class", test.negative, labels)
    paired = values.get("predicted_paired")
    predicted = {*values["predicted"], *(paired or ())}
    labels += tuple(sorted(predicted - {*labels, SKIPPED})) + (SKIPPED,) * (SKIPPED in predicted)
    roles = {"paired": paired} if paired else {}
    return Outcome.from_columns(values["gold"], values["predicted"], labels=labels, **roles)


def _set_outcome(given: Submission, test: _TestSet) -> MultilabelOutcome:
    """A matrix of scores against one of gold labels; every label's gold count is checked."""
    if given.truth is None:
        raise ValueError(f"{test.dataset} has several labels a sample: give the gold matrix, --truth T")
    gold, scores = read_matrix(given.truth), read_matrix(given.file)
    check = _Check(test)
    if gold.shape != (test.n, len(test.labels)):
        check.add(f"the truth has shape {gold.shape}; the test set has {(test.n, len(test.labels))}")
    elif scores.shape != gold.shape:
        check.add(f"the scores have shape {scores.shape}; the truth has {gold.shape}")
    else:
        for label, count in zip(test.labels, np.asarray(gold.sum(axis=0)).ravel().tolist(), strict=True):
            if count != test.support[label]:
                expected = test.support[label]
                check.add(f"{count:g} samples have the label {shown(label)}; the test set has {expected}")
    check.refuse(given.file)
    options = {"threshold": given.threshold, "labels": test.labels}
    return MultilabelOutcome.from_scores(gold, scores, depth=min(5, len(test.labels)), **options)


def _fact_outcome(given: Submission, test: _TestSet) -> RankedFacts:
    (ranked,) = read_fact_lists([given.file], given.facts, test.negative, given.n_facts)
    labels = None if ranked.ranking.relations is None else test.labels
    # pairs are numbered by this file alone: stored, they would say that two systems can be paired
    return RankedFacts.from_ranking(ranked.ranking, "bag", labels)  # rounded scores would be further ties
