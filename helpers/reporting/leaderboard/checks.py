"""A prediction file for the leaderboard: is it whole, and of this test set? Every fault, each with its line.

A reader that stops at the first fault is right for scoring; somebody who submits wants to mend all of them at
once. What passes is reduced to an outcome: counts, without texts and identifiers.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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


class Problem(NamedTuple):
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

    >>> print(Refused("mine.csv", [Problem(3, "gold", "the cell is empty")], 1))
    mine.csv: 1 problem; line 3, column 'gold': the cell is empty
    """

    def __init__(self, path: Path | str, problems: Sequence[Problem], count: int) -> None:
        self.path, self.problems, self.count = Path(path), list(problems), count
        several = f"{count} problems, the first: " if count > 1 else "1 problem; "
        super().__init__(f"{path}: {several}{visible(self.problems[0])}")


@dataclass
class _Problems:
    """Faults as they are found: the first 50 are kept, all are counted."""

    kept: list[Problem] = field(default_factory=list)
    count: int = 0

    def add(self, reason: str, line: int | None = None, column: str | None = None) -> None:
        """One more fault; its text is cut to 400 characters."""
        self.count += 1
        if len(self.kept) < SHOWN_PROBLEMS:
            self.kept.append(Problem(line, column, visible(reason, 400)))

    @property
    def full(self) -> bool:
        """Whether a further one is counted only: no hint has to be made for it."""
        return len(self.kept) >= SHOWN_PROBLEMS

    def refuse(self, path: Path | str) -> None:
        """Raises Refused if there is any fault."""
        if self.count:
            raise Refused(path, self.kept, self.count)


@dataclass(frozen=True)
class TestSet:
    """What a submission has to fit: the labels, how many samples of each, and the key where it is here.

    dataset : name. kind : 'labels', 'sets' or 'facts'. labels, negative : of its stored runs. support : gold
    samples of each label; empty: not known. key : id → gold label, None where the data are not here.
    """

    __test__ = False  # pytest takes a class of such a name for tests

    dataset: str
    kind: str
    labels: tuple[str, ...]
    negative: str | None
    support: Mapping[str, int]
    n: int
    key: Mapping[str, str] | None = None


def find_test_set(dataset: str, runs: Path | str = STORED_RUNS) -> TestSet:
    """The test set of a data set, from its stored runs and, where the data are here, from its key.

    Raises ValueError for a data set without runs that cannot be read either; the known ones are listed.

    >>> found = find_test_set("tacred")
    >>> found.n, len(found.labels), found.negative
    (15509, 42, 'no_relation')
    """
    places = tuple(map(str, search_folders()))
    return _find_test_set(dataset, str(runs), places, os.environ.get("RC_DATA_DIR", ""))


@functools.lru_cache(maxsize=32)
def _find_test_set(dataset: str, runs: str, _places: tuple[str, ...], _folder: str) -> TestSet:
    rows = datasets()
    stored = [path.name for path in sorted(Path(runs).glob("*")) if path.is_dir()]
    known = [*stored, *(name for name, row in rows.items() if row.kind == "relations" and row.splits)]
    if dataset not in known:
        raise unknown_name("dataset", dataset, dict.fromkeys(known))
    files = sorted(Path(runs, dataset).glob("*/*/*.json"))
    run = next((run for run in map(load_run, files) if not run.second), None)
    key = _read_key(dataset)
    if run is None:
        if key is None:
            raise unknown_name("dataset", dataset, dict.fromkeys(stored))
        labels = tuple(sorted(set(key.values())))
        return TestSet(
            dataset, "labels", labels, rows[dataset].negative, Counter(key.values()), len(key), key
        )
    kind = {"label_sets": "sets", "facts": "facts"}.get(run.kind, "labels")
    labels = tuple(map(str, run.labels))
    support: dict[str, int] = {}
    if kind != "facts":
        counts = counts_of(run)
        support = dict(zip(labels, counts.gold.tolist(), strict=True))
        support.pop(SKIPPED, None)
    negative = None if run.negative is None else str(run.negative)
    labels = tuple(label for label in labels if label != SKIPPED)
    return TestSet(dataset, kind, labels, negative, support, run.n, key if kind == "labels" else None)


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


def read_labels_file(
    path: Path | str, test: TestSet, columns: Mapping[str, str | None]
) -> dict[str, list[str]]:
    """The columns of a prediction file: gold, predicted and, if named, predicted_paired, in one order.

    Parameters
    ----------
    path : CSV, TSV, JSON lines or Parquet with a header, also gzipped; or an answer file of SemEval (.txt, id
        TAB label). columns : role → column of the file; None: recognised by a common name.

    Checked are cells, labels, identifiers (each once, all of the test set, none else) and gold labels. Raises
    `Refused` with every fault; MalformedRecord for a file that cannot be taken apart at all.
    """
    problems = _Problems()
    names, rows = _rows(path, problems)
    places = _places(path, names, columns, test, problems)
    problems.refuse(path)
    found: dict[str, list[str]] = {role: [] for role in places}
    lines: list[int | None] = []
    seen: dict[str, int | None] = {}
    for line, cells in rows:
        values = _checked_row(line, cells, places, test, problems)
        if "id" in places and not _known_id(line, values.get("id"), places["id"], seen, test, problems):
            continue
        lines.append(line)
        for role in places:
            found[role].append(values.get(role, ""))
    if not lines and not problems.count:
        problems.add("there are no predictions")
    _check_gold(found, lines, seen, places, test, problems)
    problems.refuse(path)
    if "gold" not in found:
        found["gold"] = [test.key[one] for one in found["id"]]
    return found


def _rows(path: Path | str, problems: _Problems) -> tuple[list[str], Iterator[tuple[int | None, dict]]]:
    """Column names, and rows as (line, column → cell); lines that cannot be read are problems."""
    path = plain_file(path)
    if path.stat().st_size > MOST_BYTES:
        raise MalformedRecord(path, f"has more than {MOST_BYTES >> 20} MiB; no test set is that large")
    if path.suffix.lower() == ".txt":
        return ["id", "predicted"], _answer_rows(path, problems)
    source = open_source(path)
    return list(source.names), _readable_rows(source, problems)


def _answer_rows(path: Path, problems: _Problems) -> Iterator[tuple[int, dict]]:
    for line, row in enumerate(path.read_bytes().split(b"\n"), start=1):
        if not row.strip():
            continue
        try:
            cells = row.decode().split("\t")
        except UnicodeDecodeError as error:
            problems.add(f"byte {error.start} of the line is not UTF-8", line)
            continue
        if len(cells) != 2:
            problems.add(f"id, tab and label are expected in place of {shown(cells[0])}", line)
            continue
        yield line, {"id": cells[0].strip(), "predicted": cells[1].strip()}


def _readable_rows(source: Any, problems: _Problems) -> Iterator[tuple[int | None, dict]]:
    """The rows; a line that cannot be read is a problem and does not hide the others."""
    try:
        yield from source.rows(lambda fault: problems.add(fault.reason, fault.line))
    except MalformedRecord as fault:
        problems.add(f"{fault.reason}; what follows was not read", fault.line)


def _places(
    path: Path | str, names: list[str], columns: Mapping[str, str | None], test: TestSet, problems: _Problems
) -> dict[str, str]:
    """Role → column. Missing ones are problems; gold may be missing where the key is here."""
    found: dict[str, str] = {}
    for role in ROLES:
        named = columns.get(role)
        if named is not None:
            if names.count(named) == 1:
                found[role] = named
            else:
                what = "occurs more than once" if named in names else "does not exist"
                hint = did_you_mean(named, names) or "."
                problems.add(f"column {shown(named)} for {role} {what}{hint} Columns: {listing(names)}")
            continue
        common = COMMON_NAMES.get(role, ())
        likely = [name for name in names if name.lower() in common]
        likely = [name for name in likely if name.lower() == common[0]] or likely
        if len(likely) == 1:
            found[role] = likely[0]
        elif role == "predicted" or likely or (role == "gold" and test.key is None):
            which = f"more than one could be: {listing(likely)}" if likely else "no column has a common name"
            problems.add(
                f"which column is {role}? {which}; name it, --{role}-column C. Columns: {listing(names)}"
            )
    if "gold" not in found and "id" not in found and not problems.count:
        problems.add("without a gold column, ids are needed. Columns: " + listing(names))
    return found


def _checked_row(
    line: int | None, cells: dict, places: dict[str, str], test: TestSet, problems: _Problems
) -> dict[str, str]:
    """The cells of one row that are sound, by role."""
    found = {}
    for role, column in places.items():
        value = cells.get(column)
        value = str(value) if type(value) is int else value
        if value is None or (isinstance(value, str) and not value.strip()):
            problems.add("the cell is empty" if column in cells else "the field is missing", line, column)
        elif not isinstance(value, str):
            problems.add(f"text or an integer is expected, not {shown(value)}", line, column)
        elif role != "id" and value not in test.labels and (role == "gold" or value != SKIPPED):
            hint = "" if problems.full else did_you_mean(value, test.labels)
            problems.add(f"unknown label {shown(value)} of {test.dataset}{hint}", line, column)
        else:
            found[role] = value
    return found


def _known_id(
    line: int | None,
    value: str | None,
    column: str,
    seen: dict[str, int | None],
    test: TestSet,
    problems: _Problems,
) -> bool:
    if value is None:
        return False
    if value in seen:
        first = "" if seen[value] is None else f", the first time in line {seen[value]}"
        problems.add(f"id {shown(value)} occurs twice{first}", line, column)
        return False
    seen[value] = line
    if test.key is not None and value not in test.key:
        hint = "" if problems.full else did_you_mean(value, list(test.key)[:2000], cutoff=0.9)
        problems.add(f"id {shown(value)} is not in the test set of {test.dataset}{hint}", line, column)
        return False
    return True


def _check_gold(
    found: dict[str, list[str]],
    lines: list[int | None],
    seen: dict[str, int | None],
    places: dict[str, str],
    test: TestSet,
    problems: _Problems,
) -> None:
    """Are they the samples of this test set, all of them, with its gold labels?"""
    if test.key is not None and "id" in places:
        for one in test.key:
            if one not in seen:
                problems.add(f"id {shown(one)} of the test set is missing")
        for line, one, gold in zip(lines, found["id"], found.get("gold", ()), strict=False):
            if gold and gold != test.key[one]:
                problems.add(
                    f"the gold label of {shown(one)} is {shown(gold)}; the key says {shown(test.key[one])}",
                    line,
                    places["gold"],
                )
        return
    if len(lines) != test.n:
        problems.add(f"{len(lines)} samples; the test set of {test.dataset} has {test.n}")
    counts = Counter(found.get("gold", ()))
    for label, expected in test.support.items():
        if counts[label] != expected:
            problems.add(
                f"{counts[label]} samples have the gold label {shown(label)}; the test set has {expected}"
            )


def label_outcome(path: Path | str, test: TestSet, columns: Mapping[str, str | None]) -> Outcome:
    """The outcome of a file of labels; with predictions on paired sentences, of both. Raises as above."""
    found = read_labels_file(path, test, columns)
    skips = any(SKIPPED in found.get(role, ()) for role in ("predicted", "predicted_paired"))
    labels = (*test.labels, SKIPPED) if skips else test.labels
    with naming_file(path):
        if "predicted_paired" in found:
            return Outcome.from_columns(
                found["gold"], found["predicted"], paired=found["predicted_paired"], labels=labels
            )
        return Outcome.from_columns(found["gold"], found["predicted"], labels=labels)


def set_outcome(
    path: Path | str, truth: Path | str | None, test: TestSet, threshold: float
) -> MultilabelOutcome:
    """The outcome of a matrix of scores against one of gold labels; every label's gold count is checked."""
    if truth is None:
        raise ValueError(
            f"{path}: {test.dataset} has several labels a sample: give the gold matrix, --truth T"
        )
    gold, scores = read_matrix(truth), read_matrix(path)
    problems = _Problems()
    if gold.shape != (test.n, len(test.labels)):
        problems.add(f"the truth has shape {gold.shape}; the test set has {(test.n, len(test.labels))}")
    elif scores.shape != gold.shape:
        problems.add(f"the scores have shape {scores.shape}; the truth has {gold.shape}")
    else:
        for label, count in zip(test.labels, np.asarray(gold.sum(axis=0)).ravel().tolist(), strict=True):
            if count != test.support[label]:
                expected = test.support[label]
                problems.add(f"{count:g} samples have the label {shown(label)}; the test set has {expected}")
    problems.refuse(path)
    with naming_file(path):
        options = {"threshold": threshold, "labels": test.labels, "keep_sets": True}
        return MultilabelOutcome.from_scores(gold, scores, depth=min(5, len(test.labels)), **options)


def fact_outcome(
    path: Path | str, facts: Path | str | None, n_facts: int | None, test: TestSet
) -> RankedFacts:
    """The outcome of a ranked list of facts, as `read_fact_lists` reads it."""
    (found,) = read_fact_lists([path], facts, test.negative, n_facts)
    with naming_file(path):
        labels = None if found.ranking.relations is None else test.labels
        # pairs are numbered by this file alone: stored, they would say that two systems can be paired
        return RankedFacts.from_ranking(found.ranking, "bag", labels)  # rounded scores would be further ties
