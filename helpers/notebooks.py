"""What a notebook's parameters cell declares, and whether a given value is of the declared kind.

Reads sources only: nothing is run, and no default is ever replaced here (papermill does that).

The strict notebook runner: papermill without its silences.

Parameters are checked by name and kind before anything runs; notebooks run in the order of their numbers, in
a kernel of this very interpreter, with the project folder as working directory. An executed copy replaces the
old one only when the whole notebook has succeeded, and keeps no times and no paths of the machine.

It does not compare results (the tests do) and does not decide where a notebook writes (its parameters do).
"""

from __future__ import annotations

import ast
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import nbformat
import papermill
from ipykernel.kernelspec import write_kernel_spec
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillExecutionError
from tqdm import tqdm
from traitlets.config import Config

from helpers import ROOT
from helpers.core import did_you_mean

KINDS = {"str": (str,), "int": (int,), "float": (float, int), "bool": (bool,), "list": (list,)}
WORDS = dict.fromkeys(["true", "yes", "on", "1"], True) | dict.fromkeys(["false", "no", "off", "0"], False)


class Parameter(NamedTuple):
    """A declared parameter: name, kind as written (`int`, `list[str]`), default, and the trailing comment."""

    name: str
    kind: str
    default: Any
    help: str


def inspect_parameters(path: Path) -> dict[str, Parameter]:
    """Parameters that the notebook at `path` declares, by name, read without running it.

    Raises ValueError when it has not exactly one code cell tagged `parameters`, or for what `read_parameters`
    refuses.
    """
    name, notebook = Path(path).name, nbformat.read(path, as_version=4)
    tagged = [cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1 or tagged[0].cell_type != "code":
        raise ValueError(f"{name}: needs exactly one code cell tagged 'parameters', has {len(tagged)}")
    return {parameter.name: parameter for parameter in read_parameters(tagged[0].source, name)}


def read_parameters(source: str, notebook: str = "notebook") -> list[Parameter]:
    """Parameters that the source of a parameters cell declares, each as `name: kind = literal  # meaning`.

    Kinds are str, int, float (an int will do), bool, list, `list[kind]` and `kind | None`; where the
    annotation is missing, the type of the literal counts. Raises ValueError, naming notebook and line, for
    anything else: a value that is computed in this cell would not follow a parameter that is injected after
    it.

    >>> read_parameters("seed: int = 9  # of the bootstrap")
    [Parameter(name='seed', kind='int', default=9, help='of the bootstrap')]
    """
    lines = source.splitlines()
    parameters = []
    for statement in ast.parse(source).body:
        line = lines[statement.end_lineno - 1].encode()
        try:
            name, kind, default = _declaration(statement)
            if not _fits(default, ast.parse(kind, mode="eval").body):
                raise ValueError(f"{default!r} is not {kind}")
        except ValueError as error:
            raise ValueError(f"{notebook}, parameters cell, line {statement.lineno}: {error}") from None
        comment = line[statement.end_col_offset :].decode().strip()
        parameters.append(Parameter(name, kind, default, comment.lstrip("# ")))
    return parameters


def parse_value(value: Any, kind: str) -> Any:
    """`value` as the declared kind; text from a command line is read as a literal, or as a word for a bool.

    Raises ValueError when it is of another kind: a bool is not an int, and an int is not a bool.

    >>> parse_value("5", "int"), parse_value("yes", "bool"), parse_value("[148, 9]", "list[int]")
    (5, True, [148, 9])
    >>> parse_value("5", "str"), parse_value("None", "int | None")
    ('5', None)
    >>> parse_value("five", "int")
    Traceback (most recent call last):
    ...
    ValueError: 'five' is not int
    """
    declared = ast.parse(kind, mode="eval").body
    for reading in _readings(value):
        if _fits(reading, declared):
            return reading
    raise ValueError(f"{value!r} is not {kind}")


def accept_values(
    declared: Mapping[str, Mapping[str, Parameter]], values: Mapping[str, Any]
) -> dict[str, dict[str, Any]]:
    """Which notebook gets which of `values`: each name goes to every notebook that declares it.

    declared: notebook -> its parameters by name. Raises ValueError when no notebook declares a name (listing
    the known names and the nearest one), or when a value is not of the declared kind.

    >>> seed, alpha = read_parameters("seed: int = 9\\nalpha: float = 0.75")
    >>> accept_values({"01_a": {"seed": seed}, "02_b": {"seed": seed, "alpha": alpha}}, {"alpha": "0.5"})
    {'01_a': {}, '02_b': {'alpha': 0.5}}
    """
    known = sorted(set().union(*declared.values()))
    for name in values:
        if name not in known:
            notebooks = ", ".join(declared)
            raise ValueError(f"unknown parameter {name!r}: not declared by {notebooks}{suggest(name, known)}")
    return {notebook: _accepted(notebook, parameters, values) for notebook, parameters in declared.items()}


def suggest(name: str, known: Sequence[str]) -> str:
    """End of an error message about an unknown name: the nearest known one, if any is near, and all of them.

    >>> suggest("sed", ["alpha", "seed"])
    "; did you mean 'seed'? Known: alpha, seed"
    """
    guess = did_you_mean(name, known, cutoff=0.4) or "."
    return f"{guess} Known: {', '.join(known) or 'none'}"


def _declaration(statement: ast.stmt) -> tuple[str, str, Any]:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), annotation=annotation, value=ast.expr() as value):
            return name, ast.unparse(annotation), _literal(value)
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, type(_literal(value)).__name__, _literal(value)
    raise ValueError(f"expected `name: kind = literal`, found `{ast.unparse(statement)}`")


def _literal(value: ast.expr) -> Any:
    try:
        return ast.literal_eval(value)
    except ValueError:
        message = f"`{ast.unparse(value)}` is computed, not a literal: derive it in a later cell"
        raise ValueError(message) from None


def _readings(value: Any) -> Iterator[Any]:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, str):
        if value.lower() in WORDS:
            yield WORDS[value.lower()]
        with suppress(ValueError, SyntaxError):  # what is no literal can only be meant as text
            yield ast.literal_eval(value)
    yield value


def _fits(value: Any, declared: ast.expr) -> bool:
    match declared:
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _fits(value, left) or _fits(value, right)
        case ast.Constant(value=None):
            return value is None
        case ast.Subscript(value=ast.Name(id="list"), slice=item):
            return type(value) is list and all(_fits(one, item) for one in value)
        case ast.Name(id=name) if name in KINDS:
            return type(value) in KINDS[name]
    known = ", ".join(KINDS)
    raise ValueError(f"unknown kind `{ast.unparse(declared)}`; known: {known}, list[kind], kind | None")


def _accepted(notebook: str, declared: Mapping[str, Parameter], values: Mapping[str, Any]) -> dict[str, Any]:
    accepted = {}
    for name in (name for name in values if name in declared):
        try:
            accepted[name] = parse_value(values[name], declared[name].kind)
        except ValueError as error:
            raise ValueError(f"parameter {name!r} of {notebook}: {error}") from None
    return accepted


NOTEBOOKS = ROOT / "notebooks"
EXECUTED = ROOT / "results" / "notebooks"
SCRATCH = ROOT / "scratch"
ENCRYPTED = Config(KernelManager=Config(transport_encryption="auto"))  # else each kernel warns when it starts
Selection = str | int | Iterable[str | int] | None


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
            raise ValueError(f"unknown notebook {one!r}{suggest(one, [path.stem for path in paths])}")
    return [path for path in paths if any(_is_named(path, one) for one in wanted)]


def run_notebooks(
    only: Selection = None,
    parameters: Mapping[str, Any] | None = None,
    output_dir: Path = EXECUTED,
    *,
    folder: Path = NOTEBOOKS,
    time_limit: float = 600.0,
) -> list[NotebookResult]:
    """Run notebooks in order, each within `time_limit` seconds; their executed copies go to `output_dir`.

    parameters: name -> value, or the value's text. A name goes to every selected notebook that declares it;
    one that none of them declares is refused (ValueError), as is a value of another kind, before anything is
    run or written. The first failure ends the run with NotebookFailed: the old executed copy stays, the
    broken one lies beside it as `NAME.failed.ipynb`. The progress bar goes to stderr, the seconds of each
    notebook to stdout.
    """
    paths = {path.stem: path for path in notebook_paths(only, folder)}
    values = accept_values({name: inspect_parameters(path) for name, path in paths.items()}, parameters or {})
    output_dir = Path(output_dir).absolute()
    output_dir.mkdir(parents=True, exist_ok=True)
    results = []
    with _kernel_environment(), tqdm(paths.items(), unit="notebook", disable=None) as bar:
        for name, path in bar:
            bar.set_description(name)
            results.append(_run(path, values[name], output_dir, time_limit))
            bar.write(f"{name}: {results[-1].seconds:.1f} s")
    return results


def run_aside(only: Selection, parameters: Mapping[str, Any]) -> list[NotebookResult]:
    """Run notebooks with parameters of one's own: all that they write goes to `scratch/`, the results stay.

    A `results_dir` or `figures_dir` among the parameters is used as given. Errors as `run_notebooks`.
    """
    declared = {name for path in notebook_paths(only) for name in inspect_parameters(path)}
    places = {"results_dir": "scratch/results", "figures_dir": "scratch/figures"}
    given = {name: place for name, place in places.items() if name in declared} | dict(parameters)
    return run_notebooks(only, given, SCRATCH / "notebooks")


def clean_copy(notebook: nbformat.NotebookNode, shown_as: Mapping[str, str]) -> nbformat.NotebookNode:
    """The executed notebook without what differs between machines and runs; the outputs stay.

    Drops papermill's notes, times of execution, the Python version and memory addresses, joins the pieces of
    a stream, and replaces each folder in `shown_as` (absolute path -> what to show) in every text output.

    >>> stream = nbformat.v4.new_output("stream", text="wrote /srv/ada/project/results/a.csv")
    >>> notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[stream])])
    >>> clean_copy(notebook, {"/srv/ada/project": "."}).cells[0].outputs[0].text
    'wrote ./results/a.csv'
    """
    notebook.metadata.pop("papermill", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        if not cell.metadata.get("tags"):
            cell.metadata.pop("tags", None)  # papermill gives every cell an empty list
        if "injected-parameters" in cell.metadata.get("tags", []):
            cell.id, cell.source = "injected-parameters", _impersonal(cell.source, shown_as)
        if cell.cell_type == "code":
            cell.outputs = [_clean_output(output, shown_as) for output in _joined(cell.outputs)]
    return notebook


class _Deadline:
    """The seconds left to a notebook; asked before each cell, so that it also knows which cell is running."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.end = time.monotonic() + seconds
        self.cell: nbformat.NotebookNode | None = None

    def __call__(self, cell: nbformat.NotebookNode) -> float:
        self.cell = cell
        return max(self.end - time.monotonic(), 0.01)  # the client takes 0 for no limit


def _run(path: Path, values: Mapping[str, Any], output_dir: Path, time_limit: float) -> NotebookResult:
    partial, copy = output_dir / f".{path.stem}.partial.ipynb", output_dir / path.name
    failed = output_dir / f"{path.stem}.failed.ipynb"
    start, deadline = time.perf_counter(), _Deadline(time_limit)
    try:
        _execute(path, partial, values, deadline)
        nbformat.write(clean_copy(nbformat.read(partial, as_version=4), _shown_as()), partial)
        partial.replace(copy)
    except (PapermillExecutionError, CellTimeoutError, DeadKernelError) as error:
        partial.replace(failed)
        raise NotebookFailed(_failure(path, error, deadline, failed)) from error
    finally:
        partial.unlink(missing_ok=True)
    failed.unlink(missing_ok=True)
    return NotebookResult(path.stem, time.perf_counter() - start, copy)


def _execute(path: Path, partial: Path, values: Mapping[str, Any], deadline: _Deadline) -> None:
    kernel = {"kernel_name": "python3", "language": "python", "cwd": ROOT, "config": ENCRYPTED}
    executed = papermill.execute_notebook(
        path, partial, dict(values), progress_bar=False, timeout_func=deadline, **kernel
    )
    # papermill takes a sys.exit() in a cell for success; then the cells after it have not run.
    for cell in executed.cells:
        if cell.cell_type == "code" and any(output.get("ename") == "SystemExit" for output in cell.outputs):
            raise PapermillExecutionError(None, None, cell.source, "SystemExit", "left before its end", [])


def _failure(path: Path, error: Exception, deadline: _Deadline, failed: Path) -> str:
    match error:
        case PapermillExecutionError():
            reason = f"{error.ename}: {error.evalue}"
        case CellTimeoutError():
            reason = f"still running when the notebook's {deadline.seconds:g} s were over"
        case _:
            reason = f"{type(error).__name__}: {error}"
    cell = deadline.cell
    source = cell.source.strip().splitlines() if cell else ["(before the first cell)"]
    return (
        f"{path.stem}, {_place(path, cell)}: {reason}\n"
        f"  the cell begins: {source[0]}\n"
        f"  what was executed: {failed}"
    )


def _place(path: Path, cell: nbformat.NotebookNode | None) -> str:
    ids = [one.get("id") for one in nbformat.read(path, as_version=4).cells]
    known = cell is not None and cell.get("id") in ids
    return f"cell {ids.index(cell.id)} (counted from 0)" if known else "injected parameters"


@contextmanager
def _kernel_environment() -> Iterator[None]:
    """Kernels started in here are this interpreter's, see none of the user's settings, and draw no bars.

    A kernelspec named python3 in the user's folders may point to another Python: a private one goes before
    it.
    """
    before = dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="notebooks-") as private:
        write_kernel_spec(Path(private, "kernels", "python3"))
        os.environ.update(
            JUPYTER_PATH=private,
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


def _shown_as() -> dict[str, str]:
    folders = {str(Path.home()): "~", str(ROOT): ".", os.environ.get("RC_DATA_DIR", ""): "$RC_DATA_DIR"}
    return {folder: shown for folder, shown in folders.items() if len(Path(folder).parts) > 1}


def _impersonal(text: str, shown_as: Mapping[str, str]) -> str:
    text = re.sub(r"\S*[/\\]ipykernel_\d+[/\\]\d+\.py", "<cell>", text)
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x...", text)
    for folder in sorted(shown_as, key=len, reverse=True):
        text = re.sub(re.escape(folder) + r"(?![\w-])", lambda _, to=shown_as[folder]: to, text)
    return text


def _joined(outputs: Iterable[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == "stream" and output.name == last.get("name"):
            last.text += output.text
        else:
            joined.append(output)
    return joined


def _clean_output(output: nbformat.NotebookNode, shown_as: Mapping[str, str]) -> nbformat.NotebookNode:
    if output.output_type == "stream":
        output.text = _impersonal(output.text, shown_as)
    if output.output_type == "error":
        output.traceback = [_impersonal(line, shown_as) for line in output.traceback]
    for kind, data in output.get("data", {}).items():
        if kind.startswith("text/"):
            output.data[kind] = _impersonal(data, shown_as)
    return output


def _is_named(path: Path, wanted: str) -> bool:
    number = path.stem.partition("_")[0]
    return wanted in (path.stem, path.name) or (wanted.isdecimal() and int(wanted) == int(number))
