"""Notebooks headless: papermill without its silences.

Parameters are checked by name and kind before anything runs. Notebooks run in the order of their numbers, in
a kernel of this very interpreter, with the project folder as working directory. An executed copy is written
atomically, after the whole notebook has succeeded, and keeps no times and no paths of the machine.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import PACKAGE, ROOT
from .core import check_known, naming_file, private_folder, unknown_name
from .runs import INDEX, project_names, write_made

if TYPE_CHECKING:
    from nbformat import NotebookNode

NOTEBOOKS, EXECUTED, SCRATCH = ROOT / "notebooks", ROOT / "results" / "notebooks", ROOT / "scratch"
KINDS = {"str": str, "int": int, "float": float, "bool": bool}
"""What a parameter may be, as its cell writes it."""
MACHINE_DEPENDENT = {
    "seconds": re.compile(r"\b\d[\d.,]*(e-?\d+)? ?(µs|ms|s|seconds|min|minutes)\b"),
    "version": re.compile(r"\b\d+\.\d+\.\d+([.+-]\w+)*\b"),
}
"""What a cell may show otherwise on another machine, and what stands for it in a comparison: `… seconds`."""
STARTS, STILLBORN = 3, "Kernel died before replying"
"""How often a kernel is started that dies before its first cell, and how the client says so. Its ports are
chosen before it takes them: another program, such as a second runner, may have taken one by then."""
OPENED = "HELPERS_OPENED"
"""Environment variable: where a kernel notes the files that it opens."""
NOTE_OPENED = f"__import__('{PACKAGE.name}.core').core.note_opened(__import__('os').environ['{OPENED}'])"


class NotebookFailed(RuntimeError):
    """A notebook stopped: names notebook and time limit, shows the cell's exception, and says where its
    executed part lies."""


def notebook_paths(
    only: str | int | Iterable[str | int] | None = None, folder: Path = NOTEBOOKS
) -> list[Path]:
    """Notebooks of `folder`, in the order of the numbers that their names start with.

    only: numbers (`2`, `"02"`) or beginnings of names (`"02_weights"`); the order stays that of the numbers.
    Raises ValueError when the folder has none, or when one that is asked for is not there.

    >>> [path.name[:2] for path in notebook_paths([3, "00"])]
    ['00', '03']
    """
    paths = sorted(Path(folder).glob("[0-9][0-9]_*.ipynb"))
    if not paths:
        raise ValueError(f"no notebooks (NN_name.ipynb) in {folder}")
    if only is None:
        return paths
    chosen: set[Path] = set()
    for wanted in [only] if isinstance(only, str | int) else only:
        named = {path for path in paths if wanted != "" and path.name.startswith(f"{wanted:0>2}")}
        if not named:
            raise unknown_name("notebook", wanted, [path.stem for path in paths])
        chosen |= named
    return sorted(chosen)


def read_contract(path: Path) -> dict[str, str]:
    """The title of a notebook and the labelled lines of its first cell, read without running anything.

    >>> contract = read_contract(NOTEBOOKS / "02_weighting_schemes.ipynb")
    >>> contract["title"], "Question" in contract
    ('02 · Weighting schemes', True)
    """
    first = "".join(json.loads(path.read_text("utf-8"))["cells"][0]["source"])
    title = first.splitlines()[0].removeprefix("# ")
    return {"title": title} | dict(re.findall(r"^- \*\*([\w ]+)\.\*\* (.+)$", first, flags=re.MULTILINE))


def _read_parameters(path: Path) -> dict[str, str]:
    """The parameters that a notebook declares as `name: kind = literal  # meaning`: name → kind.

    They stand in its code cell that is tagged `parameters`. Raises ValueError for a kind that is not in
    `KINDS`, and for a notebook that names no kernel.

    >>> _read_parameters(NOTEBOOKS / "01_dataset_statistics.ipynb")
    {'results_dir': 'str', 'figures_dir': 'str', 'seed': 'int'}
    """
    import papermill

    with naming_file(path):
        inspected = papermill.inspect_notebook(path)
    declared = {name: parameter["inferred_type_name"] for name, parameter in inspected.items()}
    for name, kind in declared.items():
        check_known(f"kind of {name} in {path.name}", kind, KINDS)
    return declared


def _parse_value(name: str, value: Any, kind: str) -> Any:
    """`value` of what is called `name`, as the declared kind; text, as from a command line, is read as what
    it spells.

    Raises ValueError when it is of another kind: a bool is not an int, and an int is not a bool.

    >>> [_parse_value("seed", "5", kind) for kind in ("int", "str", "float")]
    [5, '5', 5.0]
    >>> _parse_value("seed", "five", "int")
    Traceback (most recent call last):
    ...
    ValueError: seed: 'five' is not int
    """
    from pydantic import TypeAdapter, ValidationError

    value = os.fspath(value) if isinstance(value, os.PathLike) else value
    adapter = TypeAdapter(KINDS[kind])
    try:
        if isinstance(value, str):
            return adapter.validate_strings(value)
        return adapter.validate_python(value, strict=True)
    except ValidationError:
        raise ValueError(f"{name}: {value!r} is not {kind}") from None


def run_notebooks(
    only: str | int | Iterable[str | int] | None = None,
    parameters: Mapping[str, Any] | None = None,
    output_dir: Path | None = None,
    *,
    publish: bool = False,
    folder: Path = NOTEBOOKS,
    time_limit: float = 1800.0,
) -> list[Path]:
    """Run notebooks in order, each within `time_limit` seconds; the paths of their executed copies.

    parameters : name → value, or the value's text. A name goes to every selected notebook that declares it;
        one that none of them declares is refused, as is a value of another kind, before anything is run or
        written. With parameters of one's own, tables and figures go to `scratch/`, too, unless `results_dir`
        or `figures_dir` say otherwise.
    output_dir : `scratch/notebooks`, which git ignores, if not given. Without parameters each copy is then
        compared with the committed one (`_compare_copies`).
    publish : renew the committed copies, `results/notebooks`, and the outputs of the solutions beside the
        notebooks; no parameters then.

    A line a notebook goes to stdout, the progress bar to stderr. Raises ValueError as said, and
    NotebookFailed at the first failure: the old executed copy stays, the broken one lies beside it as
    `NAME.failed.ipynb`.
    """
    if publish and parameters:
        raise ValueError("publish: the committed copies are run as they stand, without parameters")
    paths = notebook_paths(only, folder)

    from tqdm import tqdm  # where the package is installed alone there are no notebooks, and no progress

    values = _accepted({path.stem: _read_parameters(path) for path in paths}, parameters or {})
    compared = not (parameters or publish or output_dir)
    output_dir = Path(output_dir or (EXECUTED if publish else SCRATCH / "notebooks")).absolute()
    output_dir.mkdir(parents=True, exist_ok=True)
    copies = []
    with _kernel_environment(publish), tqdm(paths, unit="notebook", disable=None) as bar:
        for path in bar:
            bar.set_description(path.stem)
            start = time.monotonic()
            copies.append(_run(path, values[path.stem], output_dir, time_limit, publish))
            seconds = time.monotonic() - start
            solution = path.parent / "solutions" / path.name
            if publish and solution.exists():
                _run(solution, {}, solution.parent, time_limit, publish=False)
            verdict = f", {_compare_copies(copies[-1], EXECUTED / path.name)}" if compared else ""
            bar.write(f"{path.stem}: {seconds:.1f} s{verdict}")
    return copies


def _accepted(declared: Mapping[str, Mapping[str, str]], values: Mapping[str, Any]) -> dict[str, dict]:
    """Notebook → the values that it declares, as their kinds."""
    known = sorted(set().union(*declared.values()))
    if unknown := [name for name in values if name not in known]:
        raise unknown_name(f"parameter of {', '.join(declared)}", unknown[0], known)
    if values:
        values = {"results_dir": "scratch/results", "figures_dir": "scratch/figures"} | dict(values)
    accepted: dict[str, dict] = {notebook: {} for notebook in declared}
    for notebook, own in accepted.items():
        for name, kind in declared[notebook].items():
            if name in values:
                own[name] = _parse_value(f"parameter {name!r} of {notebook}", values[name], kind)
    return accepted


def _run(path: Path, values: dict, output_dir: Path, time_limit: float, publish: bool) -> Path:
    import nbformat
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    copy, failed = output_dir / path.name, output_dir / f"{path.stem}.failed.ipynb"
    with private_folder(output_dir) as private:
        partial = private / path.name
        os.environ[OPENED] = str(private / "opened")
        try:
            _execute(path, partial, values, time.monotonic() + time_limit)
        except (PapermillExecutionError, CellTimeoutError, DeadKernelError) as error:
            partial.replace(failed)
            fault = f"{type(error).__name__}: {error}".rstrip()
            if isinstance(error, PapermillExecutionError):  # its own text is the whole traceback
                fault = f"cell [{error.exec_count}]: {error.ename}: {error.evalue}"
            reason = f"{path.stem} (time limit {time_limit:g} s): {fault}\nwhat was executed: {failed}"
            raise NotebookFailed(reason) from error
        notebook = _clean_copy(nbformat.read(partial, as_version=4))
        if path.parent == NOTEBOOKS:  # solutions stay where they are
            relink(notebook)
        nbformat.write(notebook, partial)
        partial.replace(copy)
        if publish:
            made, read = project_names(private / "opened")
            source, copied = (Path(os.path.relpath(file, ROOT)).as_posix() for file in (path, copy))
            write_made(source, made | {copied}, read | {source}, path=EXECUTED.parent / INDEX.name)
    failed.unlink(missing_ok=True)
    return copy


def _execute(path: Path, partial: Path, values: dict, end: float) -> None:
    """Execute into `partial`, each cell within what is left until the monotonic clock shows `end`."""
    import papermill
    from papermill.exceptions import PapermillExecutionError
    from traitlets.config import Config

    options = {
        "kernel_name": "python3",
        "cwd": ROOT,
        "config": Config(KernelManager=Config(transport_encryption="auto")),  # else each start warns
        "shutdown_kernel": "immediate",  # a kernel that is asked politely is interrupted first, and says so
        "progress_bar": False,
        "timeout_func": lambda _: max(end - time.monotonic(), 0.01),  # the client takes 0 for no limit
    }
    for left in reversed(range(STARTS)):
        try:
            executed = papermill.execute_notebook(path, partial, values, **options)
            break
        except RuntimeError as error:
            if not left or STILLBORN not in str(error):
                raise
    # papermill takes a sys.exit() in a cell for success; then the cells after it have not run.
    for cell in executed.cells:
        if any(output.get("ename") == "SystemExit" for output in cell.get("outputs", [])):
            reason = ("SystemExit", "left before its end", [cell.source])
            raise PapermillExecutionError(None, cell.execution_count, cell.source, *reason)


@contextmanager
def _kernel_environment(publish: bool) -> Iterator[None]:
    """Kernels started in here are this interpreter's, see none of the user's settings, and draw no bars; to
    publish what they make, they note the files that they open."""
    from unittest import mock  # for its patch.dict: afterwards the environment is as it was before

    from ipykernel.kernelspec import write_kernel_spec

    with private_folder(tempfile.gettempdir()) as private:
        # A kernelspec named python3 in the user's folders may point to another Python: this one goes before.
        first = [f"--InteractiveShellApp.exec_lines={NOTE_OPENED}"] if publish else []
        write_kernel_spec(private / "kernels" / "python3", extra_arguments=first)
        environment = {
            "JUPYTER_PATH": str(private),
            "JUPYTER_RUNTIME_DIR": str(private / "runtime"),
            "IPYTHONDIR": str(private / "ipython"),
            "MPLCONFIGDIR": os.environ.get("MPLCONFIGDIR", str(ROOT / ".cache" / "matplotlib")),
            "PYTHONHASHSEED": "0",  # sets print in one order
            "TQDM_DISABLE": "1",
        }
        if data := os.environ.get("RC_DATA_DIR"):
            environment["RC_DATA_DIR"] = os.path.abspath(data)
        with mock.patch.dict(os.environ, environment):
            yield


def _clean_copy(notebook: NotebookNode) -> NotebookNode:
    """The executed notebook without what differs between machines and runs; the outputs stay.

    Drops papermill's notes, times of execution, the Python version and memory addresses, joins the pieces of
    a stream, and writes `.`, `~` and `$RC_DATA_DIR` for folders of this machine.

    >>> import nbformat
    >>> stream = nbformat.v4.new_output("stream", text=f"wrote {ROOT}/results/a.csv")
    >>> notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[stream])])
    >>> _clean_copy(notebook).cells[0].outputs[0].text
    'wrote ./results/a.csv'
    """
    from nbconvert.preprocessors.coalescestreams import CoalesceStreamsPreprocessor

    notebook, _ = CoalesceStreamsPreprocessor().preprocess(notebook, {})
    notebook.metadata.pop("papermill", None)
    notebook.metadata.get("language_info", {}).pop("version", None)
    for cell in notebook.cells:
        tags = cell.metadata.pop("tags", [])
        cell.metadata = {"tags": tags} if tags else {}
        if "injected-parameters" in tags:
            cell.id, cell.source = "injected-parameters", _impersonal(cell.source)
        for texts, kind in _texts(cell):
            texts[kind] = _impersonal(texts[kind])
    return notebook


def relink(notebook: NotebookNode) -> None:
    """Make links of a notebook in `notebooks/` those of a copy that lies one folder deeper.

    >>> import nbformat
    >>> cell = nbformat.v4.new_markdown_cell("[words](../GLOSSARY.md), [answers](solutions/02_a.ipynb)")
    >>> relink(nbformat.v4.new_notebook(cells=[cell]))
    >>> cell.source
    '[words](../../GLOSSARY.md), [answers](../../notebooks/solutions/02_a.ipynb)'
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            outside = cell.source.replace("](../", "](../../")
            cell.source = outside.replace("](solutions/", f"](../../{NOTEBOOKS.name}/solutions/")


def _texts(cell: NotebookNode) -> Iterator[tuple[dict[str, str], str]]:
    """Each text that a cell shows: the stream or data that holds it, and its key there."""
    for output in cell.get("outputs", []):
        texts = output if output.output_type == "stream" else output.get("data", {})
        yield from ((texts, kind) for kind in texts if kind.startswith("text"))


def _impersonal(text: str) -> str:
    folders = {str(Path.home()): "~", str(ROOT): ".", os.environ.get("RC_DATA_DIR", "/"): "$RC_DATA_DIR"}
    text = re.sub(r"\S*[/\\]ipykernel_\d+[/\\]\d+\.py", "<cell>", text)
    text = re.sub(r"\b0x[0-9a-f]{6,}\b", "0x...", text)
    for folder in sorted(folders, key=len, reverse=True):
        if len(Path(folder).parts) > 1:
            text = re.sub(re.escape(folder) + r"(?![\w-])", folders[folder], text)
    return text


def _compare_copies(copy: Path, committed: Path) -> str:
    """Whether two executed copies show the same: 'same outputs', or in which cells (from 0) they do not.

    Compared is `_shown_lines` of each cell.
    """
    import nbformat

    if not committed.exists():
        return "no committed copy to compare with"
    new, old = (nbformat.read(path, as_version=4).cells for path in (copy, committed))
    if [cell.source for cell in new] != [cell.source for cell in old]:
        return "the committed copy is of another source: renew it with --publish"
    pairs = enumerate(zip(new, old, strict=True))
    cells = [str(n) for n, (after, before) in pairs if _shown_lines(after) != _shown_lines(before)]
    if not cells:
        return "same outputs"
    return f"outputs of cell{'s'[: len(cells) > 1]} {', '.join(cells)} differ from the committed copy"


def _shown_lines(cell: NotebookNode) -> list[str]:
    """The text that a cell shows, line by line, without what is `MACHINE_DEPENDENT`.

    Pictures are left out: what they draw lies beside them as CSV.

    >>> import nbformat
    >>> stream = nbformat.v4.new_output("stream", text="F1 0.5 in 3.1 s, torch 2.13.0\\n12 sentences")
    >>> _shown_lines(nbformat.v4.new_code_cell(outputs=[stream]))
    ['F1 0.5 in … seconds, torch … version', '12 sentences']
    """
    text = "\n".join(str(texts[kind]).rstrip("\n") for texts, kind in _texts(cell))
    for name, pattern in MACHINE_DEPENDENT.items():
        text = pattern.sub(f"… {name}", text)
    return text.splitlines()
