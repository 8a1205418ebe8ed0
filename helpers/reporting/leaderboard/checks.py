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
class _TestSet:
    """What a submission has to fit: the labels, how many samples of each, and the key where it is here.

    dataset : name. kind : 'labels', 'sets' or 'facts'. labels, negative : of its stored runs. support : gold
    samples of each label; empty: not known. n : samples; 0: not known, as of a new test set. key : id → gold
    label, None where the data are not here. own : made by a submission, so that any label may be predicted.
    """

    __test__ = False  # pytest takes a class of such a name for tests

    dataset: str
    kind: str
    labels: tuple[str, ...]
    negative: str | None
    support: Mapping[str, int]
    n: int
    key: Mapping[str, str] | None = None
    own: bool = False


def _known_test_sets(runs: Path | str = STORED_RUNS) -> list[str]:
    """Names of the test sets that have stored runs, then of registered ones that can be read.

    >>> "tacred" in _known_test_sets()
    True
    """
    stored = [path.name for path in sorted(Path(runs).glob("*")) if path.is_dir()]
    registered = [name for name, row in datasets().items() if row.kind == "relations" and row.splits]
    return list(dict.fromkeys([*stored, *registered]))


def find_test_set(dataset: str, runs: Path | str = STORED_RUNS, store: Path | str | None = None) -> _TestSet:
    """The test set of a data set, from its stored runs and, where the data are here, from its key; else one
    that a submission in `store` made.

    Raises ValueError for a data set without runs that cannot be read either; the known ones are listed.

    >>> found = find_test_set("tacred")
    >>> found.n, len(found.labels), found.negative
    (15509, 42, 'no_relation')
    """
    known = _known_test_sets(runs)
    if dataset in known:
        folders = (*map(str, search_folders()), os.environ.get("RC_DATA_DIR", ""))
        return _known_test_set(dataset, str(runs), folders)
    run = _first_run(dataset, store) if store is not None else None
    if run is None:
        raise unknown_name("dataset", dataset, known)
    return _test_set_of(dataset, run, None, own=True)


def _first_run(dataset: str, folder: Path | str) -> Run | None:
    runs = map(load_run, sorted(Path(folder, dataset).glob("*/*/*.json")))
    return next((run for run in runs if not run.second), None)


@functools.lru_cache(maxsize=32)
def _known_test_set(dataset: str, runs: str, _data_folders: tuple[str, ...]) -> _TestSet:
    key, run = _read_key(dataset), _first_run(dataset, runs)
    if run is not None:
        return _test_set_of(dataset, run, key)
    if key is None:
        raise unknown_name("dataset", dataset, _known_test_sets(runs))
    return _test_set_of_key(dataset, datasets()[dataset].negative, key)


def _test_set_of_key(
    dataset: str, negative: str | None, key: Mapping[str, str], own: bool = False
) -> _TestSet:
    support = Counter(key.values())
    return _TestSet(dataset, "labels", tuple(sorted(support)), negative, support, len(key), key, own)


def _test_set_of(dataset: str, run: Run, key: Mapping[str, str] | None, own: bool = False) -> _TestSet:
    kind = {"label_sets": "sets", "facts": "facts"}.get(run.kind, "labels")
    labels = tuple(map(str, run.labels))
    support: dict[str, int] = {}
    if kind != "facts":
        counts = counts_of(run)
        support = dict(zip(labels, counts.gold.tolist(), strict=True))
        support.pop(SKIPPED, None)
    negative = None if run.negative is None else str(run.negative)
    labels = tuple(label for label in labels if label != SKIPPED)
    key = key if kind == "labels" else None
    return _TestSet(dataset, kind, labels, negative, support, run.n, key, own)


def submitted_test_set(
    dataset: str,
    columns: Mapping[str, str | None],
    gold: Path | str | None,
    negative: str | None,
    runs: Path | str,
    store: Path | str,
) -> _TestSet:
    """The test set of a submission: a known one, or a new one of the submission's own gold labels.

    Parameters
    ----------
    columns : role → column. gold : a file with ids and gold labels, if not in the predictions' file.
    negative : the negative class of a new test set; of a known one, it has to be its own.

    Raises ValueError for a new name that is nearly a known one, unless `gold` says that it is meant; for
    gold labels or a negative class that are not those of the known test set. Refused for a faulty `gold`.
    """
    known = [*_known_test_sets(runs), *(path.name for path in sorted(Path(store).glob("*")) if path.is_dir())]
    if dataset not in known and not gold and did_you_mean(dataset, known):
        raise unknown_name("dataset", dataset, known)
    test = find_test_set(dataset, runs, store) if dataset in known else None
    key = None if gold is None else _read_gold(gold, columns)
    if test is None:
        new = _TestSet(dataset, "labels", (), negative, {}, 0, own=True)
        return new if key is None else _test_set_of_key(dataset, negative, key, own=True)
    if negative is not None and negative != test.negative:
        raise ValueError(f"the negative class of {dataset} is {shown(test.negative)}, not {shown(negative)}")
    if key is not None and any(Counter(key.values())[label] != n for label, n in test.support.items()):
        raise ValueError(f"{gold}: these are not the gold labels of {dataset}")
    return test if key is None else replace(test, key=key)


def _read_gold(path: Path | str, columns: Mapping[str, str | None]) -> dict[str, str]:
    """Id → gold label of a file."""
    nothing = _TestSet("", "labels", (), None, {}, 0, own=True)
    values = read_labels_file(path, nothing, columns, ("id", "gold"))
    if "id" not in values:
        raise ValueError(f"{path}: a file of gold labels needs ids, to be matched by")
    return dict(zip(values["id"], values["gold"], strict=True))


def run_dataset(run: Run) -> str:
    """The name of a run's test set: the data set, and the split if it is not 'test'."""
    return run.dataset if run.split == "test" else f"{run.dataset}-{run.split}"


def knows_gold(run: Run) -> bool:
    """Whether the predictions were made with the gold labels in sight, as by RECENT's released evaluation."""
    return run.options.get("evaluation") == "as-published"


def counts_of(run: Run) -> Any:
    """Correct, gold and predicted counts of each label: of the original sentences, of the first system."""
    outcome = run.outcome()
    if isinstance(outcome, Outcome):
        return outcome.per_class()
    return outcome.counts if isinstance(outcome, MultilabelOutcome) else outcome


def _read_key(dataset: str) -> dict[str, str] | None:
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

    def find_columns(self, names: list[str], wanted: Mapping[str, str | None]) -> None:
        """The column of each role. Missing ones are faults; gold may be missing where the key is here."""
        there = f"Columns: {listing(names)}"
        for role, named in wanted.items():
            if named is not None and names.count(named) != 1:
                what = "occurs more than once" if named in names else "does not exist"
                hint = did_you_mean(named, names) or "."
                self.add(f"column {shown(named)} for {role} {what}{hint} {there}")
            if named is not None:
                self.columns[role] = named
                continue
            common = COMMON_NAMES.get(role, ())
            likely = [name for name in names if name.lower() in common]
            likely = [name for name in likely if name.lower() == common[0]] or likely
            if len(likely) == 1:
                self.columns[role] = likely[0]
            elif role == "predicted" or likely or (role == "gold" and self.test.key is None):
                which = "no column has a common name"
                which = f"more than one could be: {listing(likely)}" if likely else which
                other = ", or give another file, --gold FILE" if role == "gold" else ""
                self.add(f"which column is {role}? {which}; name it, --{role}-column C{other}. {there}")
        if not self.columns.keys() & {"gold", "id"} and not self.count:
            self.add(f"without a gold column, ids are needed. {there}")

    def sound_cells(self, line: int | None, cells: dict) -> dict[str, str]:
        """The cells of one row that are sound, by role."""
        sound = {}
        for role, column in self.columns.items():
            value = cells.get(column)
            value = str(value) if type(value) is int else value
            if value is None or (isinstance(value, str) and not value.strip()):
                self.add("the cell is empty" if column in cells else "the field is missing", line, column)
            elif not isinstance(value, str):
                self.add(f"text or an integer is expected, not {shown(value)}", line, column)
            elif not self._fits(role, value):
                hint = self.hint(value, self.test.labels)
                self.add(f"unknown label {shown(value)} of {self.test.dataset}{hint}", line, column)
            else:
                sound[role] = value
        return sound

    def _fits(self, role: str, value: str) -> bool:
        """Whether a label is one of the test set; of a new one nothing is known yet."""
        if role == "id" or value in self.test.labels:
            return True
        return not self.test.n if role == "gold" else self.test.own or value == SKIPPED

    def is_new_id(self, line: int | None, value: str | None) -> bool:
        """Whether the row has an id, of the test set, that no row before has."""
        if value is None:
            return False
        if value in self.lines:
            first = self.lines[value]
            before = "" if first is None else f", the first time in line {first}"
            self.add(f"id {shown(value)} occurs twice{before}", line, self.columns["id"])
            return False
        self.lines[value] = line
        if self.test.key is None or value in self.test.key:
            return True
        hint = self.hint(value, list(self.test.key)[:2000], 0.9)
        reason = f"id {shown(value)} is not in the test set of {self.test.dataset}{hint}"
        self.add(reason, line, self.columns["id"])
        return False

    def check_gold(self, lines: Sequence[int | None], values: Mapping[str, Sequence[str]]) -> None:
        """Are they the samples of this test set, all of them, with its gold labels?"""
        test, gold = self.test, values.get("gold", ())
        if test.key is not None and "id" in self.columns:
            for name in test.key:
                if name not in self.lines:
                    self.add(f"id {shown(name)} of the test set is missing")
            for line, name, label in zip(lines, values["id"], gold, strict=False):
                if label and label != test.key[name]:
                    said = f"is {shown(label)}; the key says {shown(test.key[name])}"
                    self.add(f"the gold label of {shown(name)} {said}", line, self.columns["gold"])
            return
        if test.n and len(lines) != test.n:
            self.add(f"{len(lines)} samples; the test set of {test.dataset} has {test.n}")
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
        TAB label). columns : role → column of the file; None: recognised by a common name. roles : to read.

    Checked are cells, labels, identifiers (each once, all of the test set, none else) and gold labels. Raises
    `Refused` with every fault; MalformedRecord for a file that cannot be taken apart at all.
    """
    check = _Check(test)
    names, rows = _rows(path, "predicted" in roles, check)
    check.find_columns(names, {role: columns.get(role) for role in roles})
    check.refuse(path)
    values: dict[str, list[str]] = {role: [] for role in check.columns}
    lines: list[int | None] = []
    for line, cells in rows:
        sound = check.sound_cells(line, cells)
        if "id" not in values or check.is_new_id(line, sound.get("id")):
            lines.append(line)
            for role, column in values.items():
                column.append(sound.get(role, ""))
    if not lines and not check.count:
        check.add("there are no predictions")
    check.check_gold(lines, values)
    check.refuse(path)
    if "gold" not in values:
        values["gold"] = [test.key[name] for name in values["id"]]
    return values


def _rows(
    path: Path | str, answers: bool, check: _Check
) -> tuple[list[str], Iterator[tuple[int | None, dict]]]:
    """Column names, and rows as (line, column → cell); lines that cannot be read are faults. The labels of
    an answer file (.txt) are predictions if `answers`."""
    path = plain_file(path)
    if path.stat().st_size > MOST_BYTES:
        raise MalformedRecord(path, f"has more than {MOST_BYTES >> 20} MiB; no test set is that large")
    source = open_source(path)
    role = "predicted" if answers and path.suffix.lower() == ".txt" else "label"
    named = {name: role if name == "label" else name for name in source.names}
    rows = _readable_rows(source, check)
    if role == "label":
        return list(source.names), rows
    return list(named.values()), ((line, {named[name]: row[name] for name in row}) for line, row in rows)


def _readable_rows(source: Any, check: _Check) -> Iterator[tuple[int | None, dict]]:
    """The rows; a line that cannot be read is a problem and does not hide the others."""
    try:
        yield from source.rows(lambda fault: check.add(fault.reason, fault.line))
    except MalformedRecord as fault:
        check.add(f"{fault.reason}; what follows was not read", fault.line)


def label_outcome(path: Path | str, test: _TestSet, columns: Mapping[str, str | None]) -> Outcome:
    """The outcome of a file of labels; with predictions on paired sentences, of both. Raises as above."""
    values = read_labels_file(path, test, columns)
    labels = test.labels or tuple(sorted(set(values["gold"])))
    if test.negative not in (None, *labels):
        raise unknown_name("negative class", test.negative, labels)
    predicted = {*values["predicted"], *values.get("predicted_paired", ())}
    labels += tuple(sorted(predicted - {*labels, SKIPPED})) + (SKIPPED,) * (SKIPPED in predicted)
    with naming_file(path):
        if "predicted_paired" in values:
            return Outcome.from_columns(
                values["gold"], values["predicted"], paired=values["predicted_paired"], labels=labels
            )
        return Outcome.from_columns(values["gold"], values["predicted"], labels=labels)


def set_outcome(
    path: Path | str, truth: Path | str | None, test: _TestSet, threshold: float
) -> MultilabelOutcome:
    """The outcome of a matrix of scores against one of gold labels; every label's gold count is checked."""
    if truth is None:
        raise ValueError(
            f"{path}: {test.dataset} has several labels a sample: give the gold matrix, --truth T"
        )
    gold, scores = read_matrix(truth), read_matrix(path)
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
    check.refuse(path)
    with naming_file(path):
        options = {"threshold": threshold, "labels": test.labels, "keep_sets": True}
        return MultilabelOutcome.from_scores(gold, scores, depth=min(5, len(test.labels)), **options)


def fact_outcome(
    path: Path | str, facts: Path | str | None, n_facts: int | None, test: _TestSet
) -> RankedFacts:
    """The outcome of a ranked list of facts, as `read_fact_lists` reads it."""
    (ranked,) = read_fact_lists([path], facts, test.negative, n_facts)
    with naming_file(path):
        labels = None if ranked.ranking.relations is None else test.labels
        # pairs are numbered by this file alone: stored, they would say that two systems can be paired
        return RankedFacts.from_ranking(ranked.ranking, "bag", labels)  # rounded scores would be further ties
