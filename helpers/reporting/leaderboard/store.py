"""The store of submissions: run files in results/leaderboard/runs, beside those of the reproduction.

What is stored is an outcome (counts), so a submission holds no text and can be published. Adding and removing
wait for each other (`core.locked`), each file is written atomically: two processes at once lose nothing, a
killed one leaves the store as it was before or after.
"""

from __future__ import annotations

import functools
import logging
import os
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ... import ROOT, core, data
from ...runs import STORED_RUNS, Run, load_run, run_path, save_run
from .checks import TACRED_KEYS, Submission, TestSet

logger = logging.getLogger(__name__)
STORE = ROOT / "results" / "leaderboard" / "runs"
LONGEST_NAME, LONGEST_LINK = 120, 500


@dataclass(frozen=True)
class Store:
    """Submissions in a folder, beside the runs of the reproduction, whose test sets they are on.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, store = Path(folder, "mine.csv"), Store(folder)
    ...     rows = [f"{sample.id},Other" for sample in data.read_corpus("demo")["test"]]
    ...     _ = path.write_text("\\n".join(["id,predicted", *rows]))
    ...     added = store.add(Submission(path, "demo", "always Other"))
    ...     added.relative_to(folder).as_posix(), [run.model for run in store.submissions()]
    ('demo/always-Other/published/predictions.json', ['always Other'])
    """

    folder: Path | str = STORE
    runs: Path | str = STORED_RUNS

    def submissions(self) -> list[Run]:
        """All stored submissions; files that cannot be read are logged.

        >>> Store("no-such-folder").submissions()
        []
        """
        runs = []
        for path in sorted(Path(self.folder).glob("*/*/*/*.json")):
            try:
                runs.append(load_run(path))
            except (ValueError, OSError) as error:
                logger.warning("%s", error)
        return runs

    def test_set(self, dataset: str) -> TestSet:
        """The test set of a data set, from its stored runs and, where the data are here, from its key; else
        one that a submission made.

        Raises ValueError for a data set without runs that cannot be read either; the known ones are listed.

        >>> test = Store().test_set("tacred")
        >>> test.n, len(test.labels), test.negative
        (15509, 42, 'no_relation')
        """
        known = self._known_test_sets()
        own, key = dataset not in known, None
        if not own:
            key = _read_key(dataset, (*map(str, data.search_folders()), os.environ.get("RC_DATA_DIR", "")))
        stored = map(load_run, sorted(Path(self.folder if own else self.runs, dataset).glob("*/*/*.json")))
        if run := next((run for run in stored if not run.second), None):
            return TestSet.of_run(dataset, run, key, own)
        if key is None:
            raise core.unknown_name("dataset", dataset, known)
        return TestSet(dataset, dataset, negative=data.datasets()[dataset].negative).with_key(key)

    def _known_test_sets(self) -> list[str]:
        """Names of the test sets with runs of the reproduction, then of registered ones that can be read."""
        registered = [name for name, row in data.datasets().items() if row.kind == "relations" and row.splits]
        return list(dict.fromkeys([*_folders(self.runs), *registered]))

    def _test_set_of(self, given: Submission) -> TestSet:
        """The test set of a submission: a known one, or a new one of the submission's own gold labels.

        Raises ValueError for a new name that is nearly a known one, unless a file of gold labels says that it
        is meant; for gold labels or a negative class that are not those of the known test set. Refused for a
        faulty file of gold labels.
        """
        dataset, known = given.dataset, [*self._known_test_sets(), *_folders(self.folder)]
        if dataset in known:
            test = self.test_set(dataset)
            if given.negative not in (None, test.negative):
                negative = f"the negative class of {dataset} is {core.shown(test.negative)}"
                raise ValueError(f"{negative}, not {core.shown(given.negative)}")
        elif not given.gold and core.did_you_mean(dataset, known):
            raise core.unknown_name("dataset", dataset, known)
        else:
            test = TestSet(dataset, dataset, negative=given.negative, own=True)
        if given.gold is None:
            return test
        values = TestSet("", "", own=True).read_labels(given.gold, given.columns, ("id", "gold"))
        if "id" not in values:
            raise ValueError(f"{given.gold}: a file of gold labels needs ids, to be matched by")
        if test.other_counts(Counter(values["gold"])):
            raise ValueError(f"{given.gold}: these are not the gold labels of {dataset}")
        return test.with_key(dict(zip(values["id"], values["gold"], strict=True)))

    def add(self, submission: Submission, replace: bool = False) -> Path:
        """Check a prediction file, reduce it to an outcome, store it as a run file. Returns the path.

        The same submission may be added again. Raises
        ------
        Refused : the file has faults; nothing is written.
        ValueError : a data set whose name is nearly a known one (any other unknown name makes a test set); a
            name or address that will not do; a system of that name that is stored already with other
            predictions, unless `replace`; or one of the reproduction, in any case.
        """
        _check_words(submission)
        test = self._test_set_of(submission)
        named: dict[str, Any] = {"dataset": test.dataset, "split": test.split, "negative": test.negative}
        named |= {"model": submission.system, "source": submission.paper, "licence": submission.licence}
        named |= {"labels": test.labels} if test.kind == "facts" else {}
        outcome = test.outcome_of(submission)
        file = core.visible(Path(submission.file).name, LONGEST_NAME)
        sums = {file: core.file_sha256(submission.file)}
        run = Run.from_outcome(outcome, files=sums, seed=submission.seed, **named)
        run_path(run)  # refused is a name that cannot be part of a path
        if test.own and not Path(self.folder, test.name).exists():
            negative = "none, --negative names it" if test.negative is None else core.shown(test.negative)
            about = f"{run.n} samples, {len(run.labels)} labels, negative class {negative}"
            logger.warning("%s is a new test set: %s", test.name, about)
        with core.locked(self.folder):
            _sweep(str(self.folder))
            self._check_free(run, replace)
            return save_run(run, self.folder, overwrite=replace)

    def _check_free(self, run: Run, replace: bool) -> None:
        """Refuse a name that is taken; called while the store is locked."""
        name, path = core.shown(run.model), run_path(run, self.folder)
        if run_path(run, self.runs).exists() and Path(self.folder).resolve() != Path(self.runs).resolve():
            raise ValueError(
                f"system {name} on {run.dataset} is one of the reproduction: choose another name"
            )
        if path.exists() and not replace:
            there = load_run(path)
            if there.table != run.table or there.different_fields(run):
                what = ", ".join(there.different_fields(run)) or "outcome"
                stored = f"system {core.shown(there.model)} is stored already; what differs: {what}"
                raise ValueError(f"{path}: {stored}; --replace puts this one there")


def _folders(path: Path | str) -> list[str]:
    return [folder.name for folder in sorted(Path(path).glob("*")) if any(folder.glob("*/*/*.json"))]


@functools.lru_cache(maxsize=32)
def _read_key(dataset: str, _data_folders: tuple[str, ...]) -> dict[str, str] | None:
    """Id → gold label of a test set whose data are here; None where they are not, or have no single ids."""
    try:
        if dataset in TACRED_KEYS:
            frame = data.tacred_predictions("test")
            return dict(zip(frame["id"].astype(str), frame[TACRED_KEYS[dataset]].astype(str), strict=True))
        if dataset == "semeval2010":
            return data.semeval_key()
        row = data.datasets().get(dataset)
        if row is None or row.kind != "relations" or "test" not in row.splits:
            return None
        samples = data.read_corpus(dataset)["test"]
    except core.MissingData:
        return None
    key = {str(sample.id): sample.relation for sample in samples}
    return key if len(key) == len(samples) else None


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
