"""The notebook contract: how a lesson begins and ends, how long its cells are, what its executed copy is."""

import ast
import copy
import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from helpers import ROOT
from helpers.notebooks import read_parameters

LABELS = ("Question", "Reproduces", "Reads", "Writes", "Runtime", "Takeaway")
CELL_LINES = 25
DEF_LINES = 5
UNATTENDED = re.compile(r"^\s*[%!]|\bpip install\b|\bsys\.path\b|\binput\(", re.MULTILINE)
ELSEWHERE = re.compile(r"(?<!ROOT / )\b(results|figures)_dir\b")
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The code cells of a notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def headings(notebook: NotebookNode) -> list[str]:
    """All Markdown headings, with their marks, in order."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return re.findall(
        r"^#+ .*$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )


def opening_faults(notebook: NotebookNode) -> Iterator[str]:
    """Cell 0: Markdown with the one H1 of the notebook, and the six labels in bold and in order."""
    first = notebook.cells[0]
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        yield "cell 0 is not Markdown that starts with an H1"
    if sum(heading.startswith("# ") for heading in headings(notebook)) != 1:
        yield "not exactly one H1"
    bold = re.findall(r"\*\*(\w+)", first.source)
    if [label for label in bold if label in LABELS] != list(LABELS):
        yield f"cell 0 lacks **bold** labels in the order {', '.join(LABELS)}"


def parameter_faults(notebook: NotebookNode) -> Iterator[str]:
    """Cell 1: the only cell tagged parameters, each line a typed literal with a comment."""
    tagged = [n for n, cell in enumerate(notebook.cells) if "parameters" in cell.metadata.get("tags", [])]
    if tagged != [1] or notebook.cells[1].cell_type != "code":
        yield f"cells {tagged} are tagged parameters, not cell 1 alone"
        return
    source = notebook.cells[1].source
    try:
        untold = [parameter.name for parameter in read_parameters(source) if not parameter.help]
    except ValueError as error:
        yield str(error)
        return
    if untold:
        yield f"parameters without a comment: {', '.join(untold)}"
    if any(isinstance(statement, ast.Assign) for statement in ast.parse(source).body):
        yield "a parameter has no type"


def source_faults(notebook: NotebookNode) -> Iterator[str]:
    """Code cells: no outputs, no counts, no long cell, nothing that asks a person or installs things."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type != "code":
            continue
        if cell.outputs or cell.execution_count is not None:
            yield f"cell {number} keeps outputs or a count"
        if len(cell.source.splitlines()) - import_lines(cell.source) > CELL_LINES:
            yield f"cell {number} has more than {CELL_LINES} lines"
        if number > 1 and ELSEWHERE.search(cell.source):
            yield f"cell {number} writes where it is run (in JupyterLab notebooks/): say ROOT / results_dir"
        if UNATTENDED.search(cell.source):
            yield f"cell {number} has a magic, an installation, a changed path or a question"


def definition_faults(notebook: NotebookNode, name: str) -> Iterator[str]:
    """Long definitions: none, but for the one cell of notebook 02 that works a score out by hand."""
    long = [
        number
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and has_long_def(cell.source)
    ]
    if len(long) > name.startswith("02_"):
        yield f"cells {long} define functions of more than {DEF_LINES} lines"


def has_long_def(source: str) -> bool:
    """Whether any function or class in the source is longer than a notebook may have."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    plain = re.sub(r"^\s*[%!].*$", "pass", source, flags=re.MULTILINE)  # magics are not Python
    nodes = [node for node in ast.walk(ast.parse(plain)) if isinstance(node, kinds)]
    return any(node.end_lineno - node.lineno + 1 > DEF_LINES for node in nodes)


def ending_faults(notebook: NotebookNode) -> Iterator[str]:
    """The last heading is that of the exercises."""
    if "your turn" not in (headings(notebook) or [""])[-1].lower():
        yield "does not end with 'Your turn'"


def format_faults(notebook: NotebookNode) -> Iterator[str]:
    """Cells have ids that stay (format 4.5), and the kernel is the plain one."""
    ids = [cell.get("id") for cell in notebook.cells]
    if None in ids or len(set(ids)) != len(ids):
        yield "cells lack ids of their own"
    if notebook.metadata.get("kernelspec", {}).get("name") != "python3":
        yield "the kernel is not python3"


def notebook_faults(notebook: NotebookNode, name: str) -> list[str]:
    """Everything in which a notebook breaks the contract."""
    checks = (opening_faults, parameter_faults, source_faults, ending_faults, format_faults)
    return [fault for check in checks for fault in check(notebook)] + list(definition_faults(notebook, name))


def executed_faults(source: NotebookNode, executed: NotebookNode) -> list[str]:
    """In what an executed copy is not one of its source, run to the end with the default parameters."""
    faults = []
    if [cell.source for cell in source.cells] != [cell.source for cell in executed.cells]:
        faults.append("the executed copy is not of this source; run: make publish")
    if not all(cell.execution_count for cell in code_cells(executed) if cell.source):
        faults.append("a cell was not executed")
    if any(output.output_type == "error" for cell in code_cells(executed) for output in cell.outputs):
        faults.append("a cell failed")
    if "papermill" in executed.metadata or any("papermill" in cell.metadata for cell in executed.cells):
        faults.append("not cleaned of papermill's notes")
    return faults


def import_lines(source: str) -> int:
    """How many lines import something: they count for nothing in the length of a cell."""
    nodes = ast.walk(ast.parse(re.sub(r"^\s*[%!].*$", "pass", source, flags=re.MULTILINE)))
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    return sum(node.end_lineno - node.lineno + 1 for node in imports)


def import_faults(source: str) -> Iterator[str]:
    """Imports of the package that are no names which the face of a folder lists."""
    plain = re.sub(r"^\s*[%!].*$", "pass", source, flags=re.MULTILINE)
    for node in ast.walk(ast.parse(plain)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("helpers"))
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("helpers."):
            face = importlib.import_module(node.module)
            listed = {*getattr(face, "__all__", ()), "ROOT"} if hasattr(face, "__path__") else {}
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name not in listed)


def read(path: Path) -> NotebookNode:
    """The notebook at `path`."""
    return nbformat.read(path, as_version=4)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_keeps_the_contract(path: Path) -> None:
    assert not notebook_faults(read(path), path.stem)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_executed_copy_is_that_of_the_source(path: Path) -> None:
    copied = ROOT / "results" / "notebooks" / path.name
    assert copied.exists(), "no executed copy; run: make publish"
    assert not executed_faults(read(path), read(copied))


@pytest.mark.parametrize("path", [*PATHS, ROOT / "README.md"], ids=lambda path: path.stem)
def test_readers_import_from_faces_only(path: Path) -> None:
    if path.suffix == ".md":
        sources = re.findall(r"^```python\n(.*?)^```", path.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    else:
        sources = [cell.source for cell in code_cells(read(path))]
    assert any("helpers" in source for source in sources)
    assert not [fault for source in sources for fault in import_faults(source)]


def test_notebooks_are_numbered_in_reading_order() -> None:
    assert PATHS, "no notebooks"
    numbers = [path.name.partition("_")[0] for path in PATHS]
    assert numbers == sorted(set(numbers)) and numbers[0] == "00" and all(len(one) == 2 for one in numbers)
    executed = {path.name for path in (ROOT / "results" / "notebooks").glob("*.ipynb")}
    assert {name for name in executed if not name.endswith(".failed.ipynb")} == {path.name for path in PATHS}


def lesson() -> NotebookNode:
    """A notebook that keeps the contract."""
    opening = "# 01 · Counts\n" + "\n".join(f"- **{label}.** Words." for label in LABELS)
    cells = [
        new_markdown_cell(opening),
        new_code_cell("seed: int = 9  # of the bootstrap", metadata={"tags": ["parameters"]}),
        new_code_cell("print(seed, ROOT / results_dir)"),
        new_markdown_cell("## Your turn\nChange the seed."),
    ]
    return new_notebook(cells=cells, metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}})


LONG_DEF = "def f():\n" + "    x = 1\n" * 5


class TestTheChecksThemselves:
    def test_a_good_lesson_passes(self) -> None:
        assert notebook_faults(lesson(), "01_counts") == []

    @pytest.mark.parametrize(
        ("cell", "source", "fault"),
        [
            (0, "Counts", "starts with an H1"),
            (
                0,
                "# 01\n**Question** **Reads** **Reproduces** **Writes** **Runtime** **Takeaway**",
                "in the order",
            ),
            (1, "seed: int = 9", "without a comment: seed"),
            (1, "seed = 9  # of the bootstrap", "has no type"),
            (1, "seed: int = 3 * 3  # of the bootstrap", "computed, not a literal"),
            (2, "x = 1\n" * 26, "more than 25 lines"),
            (2, "import re\n" + "x = 1\n" * 26, "more than 25 lines"),
            (2, LONG_DEF, "define functions"),
            (2, "%matplotlib inline", "a magic"),
            (2, "table.to_csv(Path(results_dir) / 'a.csv')", "writes where it is run"),
            (3, "# Again\n## Your turn", "not exactly one H1"),
            (3, "## Your turn\n## References", "does not end"),
        ],
    )
    def test_a_bad_cell_is_caught(self, cell: int, source: str, fault: str) -> None:
        notebook = lesson()
        notebook.cells[cell].source = source
        assert any(fault in found for found in notebook_faults(notebook, "01_counts"))

    def test_one_cell_by_hand_is_for_notebook_02_alone(self) -> None:
        notebook = lesson()
        notebook.cells.insert(2, new_code_cell(LONG_DEF))
        assert notebook_faults(notebook, "02_weighting") == []
        assert notebook_faults(notebook, "01_counts")
        notebook.cells.insert(2, new_code_cell(LONG_DEF))
        assert notebook_faults(notebook, "02_weighting")

    @pytest.mark.parametrize(
        ("spoil", "fault"),
        [
            (lambda cells: cells[2].update(outputs=[new_output("stream", text="9")]), "keeps outputs"),
            (lambda cells: cells[2].update(execution_count=1), "keeps outputs or a count"),
            (lambda cells: cells[2].metadata.update(tags=["parameters"]), "[1, 2] are tagged"),
            (lambda cells: cells[1].metadata.clear(), "[] are tagged"),
            (lambda cells: cells[2].update(id=cells[1].id), "ids of their own"),
        ],
    )
    def test_a_bad_state_is_caught(self, spoil: Callable, fault: str) -> None:
        notebook = lesson()
        spoil(notebook.cells)
        assert any(fault in found for found in notebook_faults(notebook, "01_counts"))

    def test_imports(self) -> None:
        assert not list(import_faults("from helpers import ROOT\nfrom helpers.data import read_corpus"))
        assert list(import_faults("import helpers.data")) == ["helpers.data"]
        assert list(import_faults("from helpers.data import readers")) == ["helpers.data.readers"]
        assert list(import_faults("from helpers.data.readers import Reader"))

    def test_executed_copies(self) -> None:
        source, executed = lesson(), lesson()
        assert executed_faults(source, executed) == ["a cell was not executed"]
        for cell in code_cells(executed):
            cell.execution_count = 1
        assert executed_faults(source, executed) == []
        failed, stale, noted = copy.deepcopy(executed), copy.deepcopy(executed), copy.deepcopy(executed)
        failed.cells[2].outputs = [new_output("error", ename="E", evalue="", traceback=[])]
        stale.cells[2].source = "print(seed + 1)"
        noted.metadata["papermill"] = {}
        assert executed_faults(source, failed) == ["a cell failed"]
        assert "not of this source" in executed_faults(source, stale)[0]
        assert "papermill" in executed_faults(source, noted)[0]
