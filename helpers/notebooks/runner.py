"""The strict notebook runner: papermill without its silences.

Parameters are checked by name and kind before anything runs. Notebooks run in the order of their numbers, in
a kernel of this very interpreter, with the project folder as working directory. An executed copy is written
atomically, after the whole notebook has succeeded, and keeps no times and no paths of the machine.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ipykernel.kernelspec import write_kernel_spec
from tqdm import tqdm
from traitlets.config import Config

from .. import PACKAGE, ROOT
from ..core import private_folder, unknown_name
from ..runs import INDEX, project_names, write_made
from .copies import clean_copy, compare_copies
from .parameters import accept_values, inspect_parameters

if TYPE_CHECKING:
    from nbformat import NotebookNode

NOTEBOOKS = ROOT / "notebooks"
EXECUTED = ROOT / "results" / "notebooks"
SCRATCH = ROOT / "scratch"
Selection = str | int | Iterable[str | int] | None

_ENCRYPTED = Config(
    KernelManager=Config(transport_encryption="auto")
)  # else each kernel warns when it starts


STARTS, STILLBORN = 3, "Kernel died before replying"
"""How often a kernel is started that dies before its first cell, and how the client says so. Its ports are
chosen before it takes them: another program, such as a second runner, may have taken one by then."""

OPENED = "HELPERS_OPENED"
"""Environment variable: where a kernel notes the files that it opens."""
NOTE_OPENED = f"__import__('{PACKAGE.name}.core').core.note_opened(__import__('os').environ['{OPENED}'])\n"


class NotebookResult(NamedTuple):
    """A notebook that ran through: its name, its wall time in seconds, and the path of its executed copy."""

    name: str
    seconds: float
    path: Path


class NotebookFailed(RuntimeError):
    """A notebook stopped: names notebook, cell and exception, and where its executed part lies."""


def notebook_paths(only: Selection = None, folder: Path = NOTEBOOKS) -> list[Path]:
    """Notebooks of `folder`, in the order of the numbers that their names start with.

    only: numbers (`2`, `"02"`) or names (`"02_weighting_schemes"`); the order stays that of the numbers.
    Raises ValueError when the folder has none, or when one that is asked for is not there.

    >>> [path.name[:2] for path in notebook_paths([3, "00"])]
    ['00', '03']
    """
    paths = sorted(Path(folder).glob("[0-9][0-9]_*.ipynb"), key=lambda path: path.name)
    if not paths:
        raise ValueError(f"no notebooks (NN_name.ipynb) in {folder}")
    if only is None:
        return paths
    wanted = [str(one) for one in ([only] if isinstance(only, str | int) else only)]
    for one in wanted:
        if not any(_is_named(path, one) for path in paths):
            raise unknown_name("notebook", one, [path.stem for path in paths])
    return [path for path in paths if any(_is_named(path, one) for one in wanted)]


def run_notebooks(
    only: Selection = None,
    parameters: Mapping[str, Any] | None = None,
    output_dir: Path | None = None,
    *,
    publish: bool = False,
    folder: Path = NOTEBOOKS,
    time_limit: float = 1800.0,
) -> list[NotebookResult]:
    """Run notebooks in order, each within `time_limit` seconds; their executed copies go to `output_dir`.

    parameters : name → value, or the value's text. A name goes to every selected notebook that declares it;
        one that none of them declares is refused, as is a value of another kind, before anything is run or
        written. With parameters of one's own, tables and figures go to `scratch/`, too, unless `results_dir`
        or `figures_dir` say otherwise.
    output_dir : `scratch/notebooks`, which git ignores, if not given. Without parameters each copy is then
        compared with the committed one (`compare_copies`).
    publish : renew the committed copies, `results/notebooks`; no parameters then.

    A line a notebook goes to stdout, the progress bar to stderr. Raises ValueError as said, and
    NotebookFailed at the first failure: the old executed copy stays, the broken one lies beside it as
    `NAME.failed.ipynb`.
    """
    values = dict(parameters or {})
    if publish and values:
        raise ValueError("publish: the committed copies are run as they stand, without parameters")
    paths = {path.stem: path for path in notebook_paths(only, folder)}
    declared = {name: inspect_parameters(path) for name, path in paths.items()}
    if values:
        places = {f"{place}_dir": f"scratch/{place}" for place in ("results", "figures")}
        values = {
            name: places[name] for name in places if any(name in one for one in declared.values())
        } | values
    accepted = accept_values(declared, values)
    compared = not (values or publish or output_dir)
    output_dir = Path(output_dir or (EXECUTED if publish else SCRATCH / "notebooks")).absolute()
    output_dir.mkdir(parents=True, exist_ok=True)
    results = []
    with _kernel_environment(), tqdm(paths.items(), unit="notebook", disable=None) as bar:
        for name, path in bar:
            bar.set_description(name)
            results.append(_run(path, accepted[name], output_dir, time_limit, publish))
            verdict = f", {compare_copies(results[-1].path, EXECUTED / path.name)}" if compared else ""
            bar.write(f"{name}: {results[-1].seconds:.1f} s{verdict}")
    return results


def _is_named(path: Path, wanted: str) -> bool:
    number = path.stem.partition("_")[0]
    return wanted in (path.stem, path.name) or (wanted.isdecimal() and int(wanted) == int(number))


class _Deadline:
    """The seconds left to a notebook; asked before each cell, so that it also knows which cell is running."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds
        self.cell: NotebookNode | None = None

    def __call__(self, cell: NotebookNode) -> float:
        self.cell = cell
        return max(self.end - time.monotonic(), 0.01)  # the client takes 0 for no limit


def _run(
    path: Path, values: Mapping[str, Any], output_dir: Path, time_limit: float, publish: bool
) -> NotebookResult:
    import nbformat
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    copy, failed = output_dir / path.name, output_dir / f"{path.stem}.failed.ipynb"
    start, deadline = time.perf_counter(), _Deadline(time_limit)
    with private_folder(output_dir) as private:
        partial = private / path.name
        os.environ[OPENED] = str(private / "opened")
        try:
            _execute(path, partial, values, deadline)
            nbformat.write(clean_copy(nbformat.read(partial, as_version=4), _folders()), partial)
            partial.replace(copy)
            if publish:
                _index(path, copy, private / "opened")
        except (PapermillExecutionError, CellTimeoutError, DeadKernelError) as error:
            partial.replace(failed)
            raise NotebookFailed(_failure(path, error, deadline, failed)) from error
    failed.unlink(missing_ok=True)
    return NotebookResult(path.stem, time.perf_counter() - start, copy)


def _index(path: Path, copy: Path, opened: Path) -> None:
    """Store what a notebook that was published made, from what."""
    made, read = project_names(opened)
    name, executed = (
        (one.relative_to(ROOT) if one.is_relative_to(ROOT) else one).as_posix() for one in (path, copy)
    )
    write_made(name, made | {executed}, read | {name}, path=EXECUTED.parent / INDEX.name)


def _execute(path: Path, partial: Path, values: Mapping[str, Any], deadline: _Deadline) -> None:
    import papermill
    from papermill.exceptions import PapermillExecutionError

    kernel = {
        "kernel_name": "python3",
        "language": "python",
        "cwd": ROOT,
        "config": _ENCRYPTED,
        "shutdown_kernel": "immediate",  # a kernel that is asked politely is interrupted first, and says so
    }
    for left in reversed(range(STARTS)):
        try:
            executed = papermill.execute_notebook(
                path, partial, dict(values), progress_bar=False, timeout_func=deadline, **kernel
            )
            break
        except RuntimeError as error:
            if not left or STILLBORN not in str(error):
                raise
    # papermill takes a sys.exit() in a cell for success; then the cells after it have not run.
    for cell in executed.cells:
        if cell.cell_type == "code" and any(output.get("ename") == "SystemExit" for output in cell.outputs):
            raise PapermillExecutionError(None, None, cell.source, "SystemExit", "left before its end", [])


def _failure(path: Path, error: Exception, deadline: _Deadline, failed: Path) -> str:
    import nbformat
    from nbclient.exceptions import CellTimeoutError
    from papermill.exceptions import PapermillExecutionError

    match error:
        case PapermillExecutionError():
            reason = f"{error.ename}: {error.evalue}"
        case CellTimeoutError():
            reason = f"still running when the notebook's {deadline.seconds:g} s were over"
        case _:
            reason = f"{type(error).__name__}: {error}"
    cell, ids = deadline.cell, [one.get("id") for one in nbformat.read(path, as_version=4).cells]
    known = cell is not None and cell.get("id") in ids
    place = f"cell {ids.index(cell.id)} (counted from 0)" if known else "injected parameters"
    begins = cell.source.strip().splitlines()[0] if cell else "(before the first cell)"
    return f"{path.stem}, {place}: {reason}\n  the cell begins: {begins}\n  what was executed: {failed}"


@contextmanager
def _kernel_environment() -> Iterator[None]:
    """Kernels started in here are this interpreter's, see none of the user's settings, and draw no bars.

    A kernelspec named python3 in the user's folders may point to another Python: a private one goes before
    it.
    """
    before = dict(os.environ)
    with private_folder(tempfile.gettempdir()) as private:
        write_kernel_spec(Path(private, "kernels", "python3"))
        startup = Path(private, "ipython", "profile_default", "startup")
        startup.mkdir(parents=True)
        Path(startup, "00-note-opened.py").write_text(NOTE_OPENED, "utf-8")
        os.environ.update(
            JUPYTER_PATH=str(private),
            JUPYTER_RUNTIME_DIR=str(Path(private, "runtime")),
            IPYTHONDIR=str(Path(private, "ipython")),
            MPLCONFIGDIR=before.get("MPLCONFIGDIR", str(ROOT / ".cache" / "matplotlib")),
            PYTHONHASHSEED="0",  # sets print in one order
            TQDM_DISABLE="1",
        )
        if before.get("RC_DATA_DIR"):
            os.environ["RC_DATA_DIR"] = os.path.abspath(before["RC_DATA_DIR"])
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


def _folders() -> dict[str, str]:
    """Folders of this machine → what a copy shows in their place."""
    folders = {str(Path.home()): "~", str(ROOT): ".", os.environ.get("RC_DATA_DIR", ""): "$RC_DATA_DIR"}
    return {folder: shown for folder, shown in folders.items() if len(Path(folder).parts) > 1}
