"""The binary problems of many labels on shared documents, on several processes, with a progress bar.

The processes are forks: the documents are not copied, starting takes milliseconds, and large results are
written into an array that all of them see; where the system has no forks there is one process. Results come
back in order, and no more pieces are under way than the processes can hold, so nothing piles up in memory.
A technique is a function (problems, piece) → result that one of the processes calls.
"""

from __future__ import annotations

import mmap
import multiprocessing
import os
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from typing import Any, ClassVar

import numpy as np
from scipy import sparse
from tqdm import tqdm

from .liblinear import Options, Rows

AHEAD = 4
"""Pieces under way for each process."""
_shared: tuple[Callable, Any] | None = None


def cores() -> int:
    """Cores that this process may use.

    >>> cores() >= 1
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _shared_table(rows: int, columns: int) -> np.ndarray:
    """(rows, columns) float64 zeros that forked processes write into and this one reads.

    >>> _shared_table(2, 3).tolist()
    [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    """
    size = rows * columns
    return np.frombuffer(mmap.mmap(-1, max(8 * size, 1)), count=size).reshape(rows, columns)


def _map_in_order(
    work: Callable[[Any, Any], Any],
    shared: Any,
    pieces: Iterable[Any],
    total: int,
    jobs: int = 1,
    progress: str | None = None,
) -> Iterator[Any]:
    """`work(shared, piece)` for each piece, in the order of the pieces.

    Parameters
    ----------
    work : a function of a module. shared : what every call needs; it may change `_shared_table`s only.
    pieces : `total` of them; they are asked for as they are needed.
    jobs : processes; 1, or in a process that may not start others (`multiprocessing.Pool`): all is done here.
    progress : title of a progress bar on standard error; None: no bar.

    Raises whatever `work` raises; then, when interrupted, and when this process is killed, the others end.

    >>> import operator
    >>> list(_map_in_order(operator.add, 10, range(3), total=3))
    [10, 11, 12]
    """
    alone = multiprocessing.current_process().daemon or "fork" not in multiprocessing.get_all_start_methods()
    jobs = 1 if alone else min(jobs, total)
    with tqdm(total=total, desc=progress, disable=progress is None, leave=False) as bar:
        here = (work(shared, piece) for piece in pieces)
        for result in here if jobs <= 1 else _elsewhere(work, shared, pieces, jobs):
            bar.update()
            yield result


def _elsewhere(work: Callable, shared: Any, pieces: Iterable, jobs: int) -> Iterator[Any]:
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_set_shared, initargs=(work, shared))
    waiting: deque[Future] = deque()
    try:
        for piece in pieces:
            with warnings.catch_warnings():
                # Python warns of forks beside threads. These children run LIBLINEAR and sparse products:
                # they take no lock that a thread of the parent could hold.
                warnings.simplefilter("ignore", DeprecationWarning)
                waiting.append(pool.submit(_work_on, piece))
            if len(waiting) >= jobs * AHEAD:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def _set_shared(work: Callable, shared: Any) -> None:
    global _shared
    _shared = work, shared
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """A parent that is killed ends nobody: its processes would wait for work, and hold memory, for ever."""
    multiprocessing.parent_process().join()
    os.kill(os.getpid(), signal.SIGKILL)


def _work_on(piece: Any) -> Any:
    work, shared = _shared
    return work(shared, piece)


Work = Callable[["LabelProblems", Any], Any]
ALONE = 3_000_000
"""Stored features times problems below which further processes would cost more than they save."""
_FOLDS = 3
"""Folds of every inner cross-validation (LibMultiLabel's number)."""


class LabelProblems(Rows):
    """Documents and their labels, ready to be trained on label by label.

    Parameters
    ----------
    features : (n, d), sparse or dense. targets : (n, L) sparse 0/1. options : from `parse_options`.

    Attributes: `count` labels; `weights`, (L, width), what `keep` has found so far, also in other processes;
    of the class, `solved`: how many problems this process has handed to the solver.

    >>> from helpers.models.linear import parse_options
    >>> problems = LabelProblems(np.eye(2), sparse.csc_array([[1, 0], [0, 1]]), parse_options("-s 2"))
    >>> problems.positive(1).tolist(), problems.solve(1).round(2).tolist()
    ([False, True], [-0.67, 0.67])
    """

    solved: ClassVar[int] = 0

    def __init__(self, features: Any, targets: sparse.sparray, options: Options) -> None:
        super().__init__(features, options)
        self._targets = sparse.csc_array(targets)
        self.count = self._targets.shape[1]
        self.weights = _shared_table(self.count, self.width)

    def positive(self, label: int) -> np.ndarray:
        """(n,) bool: the documents that have the label."""
        positive = np.zeros(self.n, dtype=bool)
        start, end = self._targets.indptr[label : label + 2]
        positive[self._targets.indices[start:end]] = True
        return positive

    def supports(self) -> np.ndarray:
        """(L,) number of documents with each label."""
        return np.diff(self._targets.indptr)

    def solve(
        self, label: int, rows: np.ndarray | None = None, cost: float = 1.0, factor: float = 1.0
    ) -> np.ndarray:
        """(width,) weights of a label; `rows`, `cost` and `factor` as in `Rows.train`."""
        LabelProblems.solved += 1
        return self.train(self.positive(label), rows, cost, factor)

    def keep(self, label: int, cost: float = 1.0, factor: float = 1.0) -> None:
        """Train a label on all documents; its weights go to `weights`."""
        self.weights[label] = self.solve(label, cost=cost, factor=factor)

    def each(self, work: Work, pieces: Iterable, jobs: int | None, title: str | None) -> Iterator[Any]:
        """`work(self, piece)` for each of L pieces, in order, one result after another while others are under
        way; `jobs` None: as `-m` says, else all cores."""
        small = self.stored * self.count < ALONE
        jobs = 1 if small else jobs or self.options.jobs or cores()
        return _map_in_order(work, self, pieces, self.count, jobs, title)


def cross_validation_folds(order: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    """(training rows, validation rows) of each fold, from the documents in a random order.

    Fold f holds the places int(f·n/3) to int((f+1)·n/3) of that order, as in LibMultiLabel.

    >>> [validation.tolist() for _, validation in cross_validation_folds(np.arange(4))]
    [[0], [1], [2, 3]]
    """
    bounds = [int(fold * len(order) / _FOLDS) for fold in range(_FOLDS + 1)]
    return [
        (np.concatenate([order[:start], order[end:]]), order[start:end])
        for start, end in zip(bounds[:-1], bounds[1:], strict=True)
    ]
