"""The store of submissions: run files in results/leaderboard/runs, beside those of the reproduction.

What is stored is an outcome (counts), so a submission holds no text and can be published. Adding and removing
wait for each other (`core.locked`), each file is written atomically: two processes at once lose nothing, a
killed one leaves the store as it was before or after.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ... import ROOT, core
from ...data import Coded, open_source, read_matrix
from ...evaluation import matched, read_fact_lists
from ...metrics import MultilabelOutcome, Outcome
from ...runs import STORED_RUNS, RankedFacts, Run, different_fields, load_run, run_path, save_run
from .checks import (
    Submission,
    TestSet,
    find_test_set,
    read_labels_file,
    submitted_test_set,
)

logger = logging.getLogger(__name__)
STORE = ROOT / "results" / "leaderboard" / "runs"
LONGEST_NAME, LONGEST_LINK = 120, 500
BATCH_COLUMNS = ("file", "dataset", "system", "paper", "licence", "seed")


def submitted_outcome(given: Submission, test: TestSet) -> Outcome | MultilabelOutcome | RankedFacts:
    """The counts of a submission: of labels (and predictions on paired sentences), of sets or of facts.

    Raises as `read_labels_file`, and ValueError where what the kind of test set needs is not given.
    """
    outcome_of = {"labels": _label_outcome, "sets": _set_outcome, "facts": _fact_outcome}[test.kind]
    with core.naming_file(given.file):
        return outcome_of(given, test)


def _label_outcome(given: Submission, test: TestSet) -> Outcome:
    values = read_labels_file(given.file, test, given.columns)
    labels = test.labels or tuple(sorted(set(values["gold"])))
    if test.negative not in (None, *labels):
        raise core.unknown_name("negative class", test.negative, labels)
    paired = values.get("predicted_paired")
    predicted = {*values["predicted"], *(paired or ())}
    labels += tuple(sorted(predicted - {*labels, core.SKIPPED}))
    labels += (core.SKIPPED,) if core.SKIPPED in predicted else ()
    roles = {"paired": paired} if paired else {}
    return Outcome.from_columns(values["gold"], values["predicted"], labels=labels, **roles)


def _set_outcome(given: Submission, test: TestSet) -> MultilabelOutcome:
    """A matrix of scores against one of gold labels; every label's gold count is checked."""
    if given.truth is None:
        raise ValueError(f"{test.name} has several labels a sample: give the gold matrix, --truth T")
    gold, scores = read_matrix(given.truth), read_matrix(given.file)
    if gold.shape != (test.n, len(test.labels)):
        raise ValueError(f"the truth has shape {gold.shape}; the test set has {(test.n, len(test.labels))}")
    if scores.shape != gold.shape:
        raise ValueError(f"the scores have shape {scores.shape}; the truth has {gold.shape}")
    counts = np.asarray(gold.sum(axis=0)).ravel().tolist()
    if faults := test.other_counts(dict(zip(test.labels, counts, strict=True))):
        raise ValueError(core.listing(faults))
    options = {"threshold": given.threshold, "labels": test.labels}
    return MultilabelOutcome.from_scores(gold, scores, depth=min(5, len(test.labels)), **options)


def _fact_outcome(given: Submission, test: TestSet) -> RankedFacts:
    (ranked,) = read_fact_lists([given.file], given.facts, test.negative, given.n_facts)
    labels = None if ranked.ranking.relations is None else test.labels
    # pairs are numbered by this file alone: stored, they would say that two systems can be paired
    return RankedFacts.from_ranking(ranked.ranking, "bag", labels)  # rounded scores would be further ties


def add_submission(
    submission: Submission, store: Path | str = STORE, runs: Path | str = STORED_RUNS, replace: bool = False
) -> Path:
    """Check a prediction file, reduce it to an outcome, store it as a run file. Returns the path.

    The same submission may be added again. Raises
    ------
    Refused : the file has faults; nothing is written.
    ValueError : a data set whose name is nearly a known one (`submitted_test_set`; any other unknown name
        makes a test set); a name or address that will not do; a system of that name that is stored
        already with other predictions, unless `replace`; or one of the reproduction, in any case.

    >>> import tempfile
    >>> from helpers.data import read_corpus
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     rows = [f"{one.id},Other" for one in read_corpus("demo")["test"]]
    ...     _ = path.write_text("\\n".join(["id,predicted", *rows]))
    ...     add_submission(Submission(path, "demo", "always Other"), folder).relative_to(folder).as_posix()
    'demo/always-Other/published/predictions.json'
    """
    _check_words(submission)
    test = submitted_test_set(submission, runs, store)
    named = {"model": submission.system, "source": submission.paper, "licence": submission.licence}
    named |= {"labels": test.labels} if test.kind == "facts" else {}
    outcome = submitted_outcome(submission, test)
    run = _run(outcome, test, [submission.file], seed=submission.seed, **named)
    if test.own and not Path(store, test.name).exists():
        negative = "none, --negative names it" if test.negative is None else core.shown(test.negative)
        about = f"{run.n} samples, {len(run.labels)} labels, negative class {negative}"
        logger.warning("%s is a new test set: %s", test.name, about)
    with core.locked(store):
        _sweep(str(store))
        _check_free(run, Path(store), Path(runs), replace)
        return save_run(run, store, overwrite=replace)


def _run(outcome: Any, test: TestSet, files: Sequence[Path | str], **named: Any) -> Run:
    """The run file's content; refused is a name that cannot be part of a path."""
    sums = {core.visible(Path(file).name, LONGEST_NAME): core.file_sha256(file) for file in files}
    of_set = {"dataset": test.dataset, "split": test.split, "negative": test.negative}
    run = Run.from_outcome(outcome, files=sums, **of_set, **named)
    run_path(run)
    return run


@functools.cache
def _sweep(store: str) -> None:
    """Remove what killed processes left half-written, once a process; the store is locked."""
    for folder in {path.parent for path in Path(store).glob("*/*/*/.helpers-*")}:
        core.remove_abandoned(folder)


def _check_words(submission: Submission) -> None:
    for name in ("dataset", "system", "paper", "licence"):
        value = getattr(submission, name)
        if not isinstance(value, str) or not value.isprintable():
            raise ValueError(f"{name} is {core.shown(value)}: one line of printable text is needed")
    if not submission.system.strip() or len(submission.system) > LONGEST_NAME:
        system = core.shown(submission.system)
        raise ValueError(f"system is {system}: 1 to {LONGEST_NAME} characters are needed")
    paper = submission.paper
    if paper and (not paper.startswith(("https://", "http://")) or len(paper) > LONGEST_LINK or " " in paper):
        raise ValueError(f"paper is {core.shown(paper)}: an address that begins with https:// is needed")


def _check_free(run: Run, store: Path, runs: Path, replace: bool) -> None:
    """Refuse a name that is taken; called while the store is locked."""
    name, path = core.shown(run.model), run_path(run, store)
    if run_path(run, runs).exists() and store.resolve() != runs.resolve():
        raise ValueError(f"system {name} on {run.dataset} is one of the reproduction: choose another name")
    if path.exists() and not replace:
        there = load_run(path)
        if there.table != run.table or different_fields(there, run):
            what = ", ".join(different_fields(there, run)) or "outcome"
            stored = f"system {core.shown(there.model)} is stored already, with another {what}"
            raise ValueError(f"{path}: {stored}; --replace puts this one there")


def add_batch(
    batch: Iterable[Submission],
    store: Path | str = STORE,
    runs: Path | str = STORED_RUNS,
    replace: bool = False,
) -> tuple[list[Path], list[tuple[Submission, Exception]]]:
    """Add many submissions; one that is refused never stops the others.

    Returns
    -------
    The paths that were written, and what was refused with the reason.

    >>> add_batch([Submission("no-such-file.csv", "tacred", "x")])[1][0][1]
    FileNotFoundError(2, 'No such file or directory')
    """
    stored, refused = [], []
    for submission in batch:
        try:
            stored.append(add_submission(submission, store, runs, replace))
        except (ValueError, OSError) as error:
            refused.append((submission, error))
    return stored, refused


def read_batch(path: Path | str) -> list[Submission]:
    """The submissions of a list with the columns file, dataset, system and, if wanted, paper, licence, seed.

    Files are seen from the folder of the list. Cells of the last three may be empty.

    Raises ValueError with the file, and the line where there is one.
    """
    path = Path(path)
    source, submitted = open_source(path), []
    needed = [source.column(name) for name in BATCH_COLUMNS[:3]]
    for line, row in source.rows():
        cells = {name: row.get(name) or "" for name in BATCH_COLUMNS}
        for name, cell in cells.items():
            if not isinstance(cell, str) or (name in needed and not cell.strip()):
                raise core.MalformedRecord(path, "text is needed", line, name)
        if not (seed := cells.pop("seed")).isdecimal() and seed:
            raise core.MalformedRecord(path, "a whole number is needed", line, "seed")
        file, number = path.parent / cells.pop("file"), int(seed) if seed else None
        submitted.append(Submission(file, **cells, seed=number))
    if not submitted:
        raise core.MalformedRecord(path, "there are no submissions")
    return submitted


def remove_submission(dataset: str, system: str, store: Path | str = STORE) -> list[Path]:
    """Remove a submission, and what was stored of it together with another. Returns the paths.

    Runs of the reproduction are never removed. Raises ValueError if there is none of that name.

    >>> remove_submission("tacred", "mine", "no-such-folder")
    Traceback (most recent call last):
    ValueError: unknown submission to tacred 'mine'. Known: none
    """
    if not Path(store).is_dir():
        raise core.unknown_name(f"submission to {dataset}", system, ())
    with core.locked(store):
        runs = submissions(store, joint=True)
        own = [run for run in runs if dataset in (run.dataset, f"{run.dataset}-{run.split}")]
        chosen = [
            run_path(run, store)
            for run in own
            if system in (run.model, run.second, run.model.removesuffix(f"+{run.second}"))
        ]
        if not chosen:
            raise core.unknown_name(f"submission to {dataset}", system, [run.model for run in own])
        for path in chosen:
            path.unlink()
            with contextlib.suppress(OSError):  # not empty: it stays
                for folder in path.relative_to(store).parents[:-1]:
                    (Path(store) / folder).rmdir()
    return chosen


def submissions(store: Path | str = STORE, joint: bool = False) -> list[Run]:
    """All stored submissions and, if wanted, joint outcomes of two; files that cannot be read are logged.

    >>> submissions("no-such-folder")
    []
    """
    runs = []
    for path in sorted(Path(store).glob("*/*/*/*.json")):
        try:
            runs.append(load_run(path))
        except (ValueError, OSError) as error:
            logger.warning("%s", error)
    return [run for run in runs if joint or not run.second]


def compare_submissions(
    first: Submission, second: Submission, store: Path | str = STORE, runs: Path | str = STORED_RUNS
) -> Path:
    """Store the joint outcome of two systems on the same samples, so that their interval is a paired one.

    Both files have to be of the same test set; samples are matched by id, or, without ids, by order. Returns
    the path of the run file, of kind 'paired', model 'A+B'. Raises as `add_submission`.
    """
    if first.dataset != second.dataset:
        raise ValueError(f"{first.dataset} and {second.dataset}: two systems on one test set can be compared")
    for submission in (first, second):
        _check_words(submission)
    find_test_set(first.dataset, runs, store)  # two systems make no test set
    test = submitted_test_set(first, runs, store)
    if test.kind != "labels":
        raise ValueError(f"{first.dataset}: joint outcomes are stored of single labels only")
    read = (read_labels_file(each.file, test, each.columns).items() for each in (first, second))
    ours, theirs = ({role: Coded.of(labels) for role, labels in columns} for columns in read)
    theirs = matched(first.file, ours, second.file, theirs)
    roles = {"predicted": ours["predicted"], "second": theirs["predicted"]}
    labels = tuple(dict.fromkeys([*test.labels, *roles["predicted"], *roles["second"]]))
    outcome = Outcome.from_columns(ours["gold"], **roles, labels=labels)
    both = {"model": f"{first.system}+{second.system}", "second": second.system}
    with core.locked(store):
        return save_run(_run(outcome, test, (first.file, second.file), **both), store, overwrite=True)
