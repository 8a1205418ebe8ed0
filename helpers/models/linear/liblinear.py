"""LIBLINEAR through its Python package: option strings, documents in its memory, the problems of many labels.

The documents are handed over once. A label, a fold or a cost changes the targets and the list of rows only:
training on two thirds of the documents copies 8 bytes a document and no features. Many labels are trained on
several processes, which are forks: the documents are not copied, starting takes milliseconds, and weights are
written into an array that all of them see; where the system has no forks there is one process. Sources: of
the option rules LibMultiLabel's linear methods; of the solvers Fan et al. 2008, LIBLINEAR.
"""

from __future__ import annotations

import ctypes
import math
import mmap
import multiprocessing
import os
import signal
import threading
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from joblib import cpu_count
from liblinear.liblinear import liblinear, parameter, problem, solver_names, toPyModel
from scipy import sparse
from tqdm import tqdm

_REFUSED = {"-R": "an unregularised bias", "-C": "the search for C", "-v": "cross-validation"}
_TAKEN = {"-s": int, "-B": float, "-m": int}
"""Options that LIBLINEAR is not given as they are, and their numbers; of several the last one counts."""
_DUAL_SVM = (solver_names.L2R_L2LOSS_SVC_DUAL, solver_names.L2R_L1LOSS_SVC_DUAL)
_SEED = 1
try:
    _set_seed = ctypes.CDLL(None).srand
except (TypeError, OSError, AttributeError):
    _set_seed = int  # Windows has no handle of the C library; the order is not seeded there
ALONE = 3_000_000
"""Stored features times problems below which further processes would cost more than they save."""
AHEAD = 4
"""Pieces under way for each process."""


@dataclass(frozen=True)
class Options:
    """A parsed option string.

    Attributes
    ----------
    text : what LIBLINEAR is given, always with `-s` and `-q`.
    bias : value of the constant feature that is put after the others; -1: there is none.
    jobs : processes to use, from `-m`; None: as many as there are cores.
    """

    text: str
    bias: float
    jobs: int | None


def parse_options(text: str | None) -> Options:
    """LibMultiLabel's rules for an option string.

    `-s` 0 to 7 are the classification solvers, 1 (L2-regularised L2-loss SVM, dual) if none is named. `-B b`
    is taken out: with b > 0 a constant feature b is appended to every document, so the bias is regularised
    like any weight; without it there is none (the document says that `-B 1` is the default; its code has no
    bias). `-m n` is the number of processes; LIBLINEAR itself uses one thread. `-q` is always on. The others
    are LIBLINEAR's: `-c` cost, `-e` tolerance, `-p`, `-n`, `-wi` weights.

    Raises
    ------
    ValueError : `-R`, `-C` or `-v`; a solver outside 0 to 7; an option that LIBLINEAR does not have; an
        option without its number, or with one that it cannot have: C, tolerance and weights are above 0, and
        C, weights and bias are finite.

    >>> parse_options("")
    Options(text='-s 1 -q', bias=-1.0, jobs=None)
    >>> parse_options("-c 4 -B 1 -q -m 2")
    Options(text='-c 4 -s 1 -q', bias=1.0, jobs=2)
    >>> parse_options("-s 11")
    Traceback (most recent call last):
    ValueError: options '-s 11': the solver of -s is 11; those for classification are 0 to 7
    """
    text = "" if text is None else text
    if not isinstance(text, str):
        raise ValueError(f"options is {text!r}: give a string such as '-s 1 -B 1 -e 0.0001'")
    try:
        return _parsed(text)
    except ValueError as error:
        raise ValueError(f"options {text!r}: {error}") from None


def _parsed(text: str) -> Options:
    for flag, meaning in _REFUSED.items():
        if flag in text:
            raise ValueError(f"{flag}, {meaning}, is not supported")
    words, others, taken = iter(text.split()), [], {"-s": 1, "-B": 0.0, "-m": None}
    for word in words:
        if word in _TAKEN:
            try:
                taken[word] = _TAKEN[word](next(words))
            except (StopIteration, ValueError):
                raise ValueError(f"{word} needs a number after it") from None
        elif word != "-q":
            others.append(word)
    solver, bias, jobs = taken.values()
    if not 0 <= solver <= 7:
        raise ValueError(f"the solver of -s is {solver}; those for classification are 0 to 7")
    if not math.isfinite(bias):
        raise ValueError(f"-B is {bias}; it has to be finite")
    if jobs is not None and jobs < 1:
        raise ValueError(f"-m is {jobs}; at least one process is needed")
    options = " ".join([*others, "-s", str(solver), "-q"])
    try:
        parsed = parameter(options)
    except (ValueError, IndexError) as error:
        raise ValueError(f"LIBLINEAR does not understand them ({error})") from None
    if not (0 < parsed.C < math.inf and parsed.eps > 0):
        raise ValueError("-c and -e have to be above 0, and -c finite")
    if not all(0 < weight < math.inf for weight in parsed.weight[: parsed.nr_weight]):
        raise ValueError("the weights -wi have to be above 0 and finite")
    return Options(options, bias if bias > 0 else -1.0, jobs)


class LabelProblems:
    """Documents and their labels, as LIBLINEAR keeps them: 16 bytes for each stored feature.

    The dual SVM solvers look up the weights of one document after the other, over and over. For them the
    frequent features stand side by side, so that most weights stay in the processor's nearest cache: 5 %
    faster on Reuters-21578. The order of the features would change what some of the other solvers find.

    Parameters
    ----------
    features : (n, d) sparse or dense, finite; with a bias, the constant feature is column d.
    targets : (n, L) 0/1. options : from `parse_options`. jobs : processes; None: as `-m`, else all cores.
    title : of a progress bar over the labels; None: no bar.

    Attributes: `n`, `targets` as columns, `count` of them, `width` with the constant feature; `weights`,
    (L, width), what `keep` has found so far, also in other processes; of the class, `solved`: how many
    problems of labels this process has handed to the solver.

    >>> problems = LabelProblems(np.eye(2), np.eye(2), parse_options("-s 2 -e 1e-6"))
    >>> problems.positive(1).tolist(), problems.solve(1).round(3).tolist()
    ([False, True], [-0.667, 0.667])
    """

    solved: ClassVar[int] = 0

    def __init__(
        self,
        features: Any,
        targets: Any,
        options: Options,
        jobs: int | None = None,
        title: str | None = None,
    ) -> None:
        table = sparse.csr_matrix(features, dtype=float)  # the package does not know sparse arrays
        if not table.has_canonical_format:  # it sorts in place, and takes a feature twice for two features
            table = table.copy()
            table.sum_duplicates()
        self.options, self._table, self.targets = options, sparse.csr_array(table), sparse.csc_array(targets)
        self.jobs, self.title = jobs or options.jobs or cpu_count(), title
        dual = _parameter(options.text).solver_type in _DUAL_SVM
        places = np.arange(table.shape[1])
        if dual:  # the features of many documents first
            order = np.argsort(-np.bincount(table.indices, minlength=table.shape[1]), kind="stable")
            places = np.argsort(order)
        ordered = sparse.csr_matrix((table.data, places[table.indices], table.indptr), shape=table.shape)
        ordered = ordered.sorted_indices()  # a copy: the package would sort `table`'s own values
        self._whole = problem(np.zeros(table.shape[0]), ordered, options.bias)
        self.n, self.width, self.stored = table.shape[0], self._whole.n, table.nnz
        self._places = np.append(places, len(places)) if options.bias > 0 else places
        self._pointers = np.ctypeslib.as_array(
            ctypes.cast(self._whole.x, ctypes.POINTER(ctypes.c_uint64)), (self.n,)
        )
        self.count = self.targets.shape[1]
        zeros = mmap.mmap(-1, 8 * self.count * self.width)  # forked processes write here, this one reads
        self.weights = np.frombuffer(zeros).reshape(self.count, self.width)

    def positive(self, label: int) -> np.ndarray:
        """(n,) bool: the documents that have the label."""
        positive = np.zeros(self.n, dtype=bool)
        start, end = self.targets.indptr[label : label + 2]
        positive[self.targets.indices[start:end]] = True
        return positive

    def solve(
        self, label: int, rows: np.ndarray | None = None, factor: float = 1.0, cost: float = 1.0
    ) -> np.ndarray:
        """(width,) weights of a label: positive decision values mean that a document has it.

        Parameters
        ----------
        rows : positions of the documents to train on; None: all. Without any, the weights are 0.
        factor : on C for all documents. cost : a further one for those with the label (LIBLINEAR's `-w1`).

        The generator that LIBLINEAR takes its order from is seeded anew, so the weights do not depend on
        what was trained before, nor on the number of processes. The threads of a process share it: of two
        that train at once, neither gets the same weights each time.
        """
        LabelProblems.solved += 1
        positive = self.positive(label)
        targets = np.where(positive if rows is None else positive[rows], 1.0, -1.0)
        if not len(targets):
            return np.zeros(self.width)
        options = self.options.text
        for target, weight in ((1, cost * factor), (-1, factor)):
            # LIBLINEAR complains of a weight without documents
            if (targets == target).any():
                options += f" -w{target} {weight!r}"
        weights, labels = self._train(targets, rows, options)
        # The first class that LIBLINEAR meets is its positive one, unless it meets both: then it is +1.
        return weights[:, 0] * labels[0]

    def keep(self, label: int, factor: float = 1.0, cost: float = 1.0) -> None:
        """Train a label on all documents; its weights go to `weights`."""
        self.weights[label] = self.solve(label, None, factor, cost)

    def each(self, work: Callable[[Any], Any], pieces: Iterable) -> Iterator[Any]:
        """`work(piece)` for each of L pieces, in order, one result after another while others are under way;
        work on these problems."""
        jobs = 1 if self.stored * self.count < ALONE else self.jobs
        return _map_in_order(work, pieces, self.count, jobs, self.title)

    def without_bias(self, table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(d, L) weights, and what the constant feature adds to each label, from a (width, L) table.

        >>> problems = LabelProblems(np.eye(1), np.eye(1), parse_options("-B 0.5"))
        >>> problems.without_bias(np.array([[1.0], [2.0]]))
        (array([[1.]]), array([1.]))
        """
        if self.options.bias <= 0:
            return table, np.zeros(table.shape[1])
        return table[:-1], self.options.bias * table[-1]

    def decide(self, weights: np.ndarray, rows: np.ndarray | None = None) -> np.ndarray:
        """(m,) or (m, L) decision values x·w of m documents, for (width,) or (width, L) weights.

        `rows` : positions of the documents; None: all.
        """
        table = self._table if rows is None else self._table[rows]
        values = table @ weights[: table.shape[1]]
        return values + self.options.bias * weights[-1] if self.options.bias > 0 else values

    def train_classes(self, classes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """LIBLINEAR's own multi-class training: (width, columns) weights and the (C,) classes in their order.

        `classes` holds one class, a whole number, for each document. There is one column a class, but only
        one for two classes (positive values mean the first), unless the solver is 4.
        """
        return self._train(np.asarray(classes, dtype=float), None, self.options.text)

    def _train(
        self, targets: np.ndarray, rows: np.ndarray | None, options: str
    ) -> tuple[np.ndarray, np.ndarray]:
        targets = np.ascontiguousarray(targets)
        pointers = self._pointers if rows is None else np.ascontiguousarray(self._pointers[rows])
        part = self._whole.copy()
        part.l = len(targets)
        part.y = targets.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
        part.x = pointers.ctypes.data_as(type(part.x))
        settings = _parameter(options)
        _set_seed(_SEED)
        trained = toPyModel(liblinear.train(ctypes.byref(part), ctypes.byref(settings)))  # it frees itself
        single = trained.nr_class == 2 and settings.solver_type != solver_names.MCSVM_CS
        columns = 1 if single else trained.nr_class
        weights = np.ctypeslib.as_array(trained.w, (self.width, columns))[self._places]  # a copy
        return weights, np.array(trained.get_labels())


def _parameter(options: str) -> parameter:
    settings = parameter(options)
    settings.w_recalc = settings.solver_type in _DUAL_SVM  # rounding leaves fewer weights that are not 0
    return settings


def _map_in_order(
    work: Callable[[Any], Any],
    pieces: Iterable[Any],
    total: int,
    jobs: int,
    progress: str | None = None,
) -> Iterator[Any]:
    """`work(piece)` for each piece, in the order of the pieces; no more of them are under way than the
    processes can hold, so nothing piles up in memory.

    work : what it holds need not be picklable; it may change an array that all processes see, nothing else.
    pieces : `total` of them; they are asked for as they are needed. jobs : processes; 1, or in a process that
    may not start others (`multiprocessing.Pool`): all is done here. progress : title of a bar; None: no bar.

    Raises whatever `work` raises; then, when interrupted, and when this process is killed, the others end.

    >>> list(_map_in_order(str, range(3), total=3, jobs=1))
    ['0', '1', '2']
    """
    alone = multiprocessing.current_process().daemon or "fork" not in multiprocessing.get_all_start_methods()
    jobs = 1 if alone else min(jobs, total)
    with tqdm(total=total, desc=progress, disable=progress is None, leave=False) as bar:
        for result in map(work, pieces) if jobs <= 1 else _elsewhere(work, pieces, jobs):
            bar.update()
            yield result


def _elsewhere(work: Callable, pieces: Iterable, jobs: int) -> Iterator[Any]:
    context = multiprocessing.get_context("fork")
    pool = ProcessPoolExecutor(jobs, mp_context=context, initializer=_start, initargs=(work,))
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


_task: Callable[[Any], Any] | None = None


def _start(work: Callable[[Any], Any]) -> None:
    """In a new process: what it works on. A parent that is killed ends nobody: its processes would wait for
    work, and hold memory, for ever; so they look for that themselves."""
    global _task
    _task = work

    def end_with_parent() -> None:
        multiprocessing.parent_process().join()
        os.kill(os.getpid(), signal.SIGKILL)

    threading.Thread(target=end_with_parent, daemon=True).start()


def _work_on(piece: Any) -> Any:
    return _task(piece)
