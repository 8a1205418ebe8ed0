"""The notebook contract: how a lesson begins and ends, how long its cells are, what its executed copy is."""

from __future__ import annotations

import ast
import copy
import importlib
import re
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from ipykernel.ipkernel import IPythonKernel

from helpers import ROOT
from helpers.notebooks import read_parameters
from tests.lazy import nbformat, v4
from tests.unit.test_structure_imports import BY_PATH, public_names

if TYPE_CHECKING:
    from nbformat import NotebookNode

LABELS = ("Question", "You need", "Reproduces", "Reads", "Writes", "Takeaway")
CELL_LINES, MEDIAN_LINES, BY_HAND_LINES = 8, 4, 25
DEF_LINES = 5
UNATTENDED = re.compile(r"^\s*[%!]|\bpip install\b|\bsys\.path\b|\binput\(", re.MULTILINE)
ELSEWHERE = re.compile(r"(?<!ROOT / )\b(results|figures)_dir\b")
LINK = re.compile(r"\[([^\]]+)\]\((\d\d_\w+)\.ipynb\)")
EXERCISE = re.compile(r"^\d+\. \*\*★{1,3} · \d+ minutes\.\*\* \S", re.MULTILINE)
WIDGETS = re.compile(r"\b(ipywidgets|itables|bertviz)\b")
LANGUAGE = {key: value for key, value in IPythonKernel.language_info.items() if key != "version"}
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SOLUTIONS = ROOT / "notebooks" / "solutions"
WAITING: set[str] = set()
"""Notebooks that are not yet written to the contract of a lesson; take yours out when it is."""
PLANNED: dict[str, str] = {}
"""Notebooks to come, with their titles, so that their neighbours can link them already."""


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
    """Cell 0: Markdown with the one H1 of the notebook."""
    first = notebook.cells[0]
    if first.cell_type != "markdown" or not first.source.startswith("# "):
        yield "cell 0 is not Markdown that starts with an H1"
    if sum(heading.startswith("# ") for heading in headings(notebook)) != 1:
        yield "not exactly one H1"


def contract_faults(notebook: NotebookNode) -> Iterator[str]:
    """Cell 0: the six labels in bold and in order, and how many minutes the lesson takes."""
    fields = re.findall(r"^- \*\*([\w ]+)\.\*\* (.+)$", notebook.cells[0].source, re.MULTILINE)
    if [label for label, _ in fields] != list(LABELS):
        yield f"cell 0 lacks lines '- **label.** text' in the order {', '.join(LABELS)}"
    if not re.search(r"\d+ minutes", dict(fields).get("You need", "")):
        yield "'You need' does not say how many minutes it takes"


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
        if number > 1 and ELSEWHERE.search(cell.source):
            yield f"cell {number} writes where it is run (in JupyterLab notebooks/): say ROOT / results_dir"
        if UNATTENDED.search(cell.source):
            yield f"cell {number} has a magic, an installation, a changed path or a question"


def definition_faults(notebook: NotebookNode, name: str) -> Iterator[str]:
    """Long definitions: none, but in the one cell that works a score out by hand."""
    long = [
        number
        for number, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and has_long_def(cell.source) and not is_by_hand(cell)
    ]
    if len(long) > (name in WAITING and name.startswith("02_")):
        yield f"cells {long} define functions of more than {DEF_LINES} lines"


def is_by_hand(cell: NotebookNode) -> bool:
    """Whether a cell is tagged as the one that works a score out by hand."""
    return "by-hand" in cell.metadata.get("tags", [])


def own_lines(cell: NotebookNode) -> int:
    """The lines of a code cell that are not blank and import nothing."""
    return sum(bool(line.strip()) for line in cell.source.splitlines()) - import_lines(cell.source)


def length_faults(notebook: NotebookNode) -> Iterator[str]:
    """Cells load, compute or draw: eight lines at most, four in the middle; one may work a score out by hand.

    Blank lines and imports do not count, and the parameters are a list, not code.
    """
    cells = [(n, cell) for n, cell in enumerate(notebook.cells) if cell.cell_type == "code" and n != 1]
    by_hand = [(n, cell) for n, cell in cells if is_by_hand(cell)]
    if len(by_hand) > 1:
        yield f"cells {[n for n, _ in by_hand]} are tagged by-hand: one a notebook"
    for number, cell in by_hand:
        if own_lines(cell) > BY_HAND_LINES or "assert" not in cell.source:
            yield f"cell {number}, by hand, has more than {BY_HAND_LINES} lines, or no assert"
    lengths = {n: own_lines(cell) for n, cell in cells if not is_by_hand(cell)}
    for number, lines in lengths.items():
        if lines > CELL_LINES:
            yield f"cell {number} has {lines} lines: {CELL_LINES} at most, shape tables in helpers"
    if lengths and statistics.median(lengths.values()) > MEDIAN_LINES:
        yield f"the median cell has {statistics.median(lengths.values()):g} lines: {MEDIAN_LINES} at most"


def lesson_faults(notebook: NotebookNode) -> Iterator[str]:
    """What you learned in three lines, exercises with stars and minutes; no answer or widget unasked."""
    ending = section(notebook, "## What you learned")
    if len(re.findall(r"^(?:[-*]|\d\.) \S", ending, re.MULTILINE)) != 3:
        yield "no '## What you learned' with a list of three lines"
    listed = re.findall(r"^\d+\. ", section(notebook, "## Your turn"), re.MULTILINE)
    if not listed or len(listed) != exercises(notebook):
        yield "exercises are not all written '1. **★★ · 10 minutes.** text'"
    for number, cell in enumerate(notebook.cells):
        asks = cell.cell_type == "markdown" and "**Predict first" in cell.source
        if asks and not hides_answer(notebook.cells[number:]):
            yield f"cell {number} asks to predict: the answer belongs in <details>, there or below"
    code = "\n".join(cell.source for cell in code_cells(notebook))
    if WIDGETS.search(code) and not re.search(r"^interactive: bool = False", code, re.MULTILINE):
        yield "shows widgets without a parameter `interactive: bool = False`"


def hides_answer(cells: list[NotebookNode]) -> bool:
    """Whether the first cell or what follows it, up to the next Markdown, folds an answer away.

    In <details>, or by `helpers.reporting.answer`, which writes them.
    """
    texts = [number for number, cell in enumerate(cells) if cell.cell_type == "markdown"]
    following = cells[: texts[1] + 1] if len(texts) > 1 else cells
    return any(
        "<details>" in one.source or re.search(r"^answer\(", one.source, re.MULTILINE) for one in following
    )


def kernel_faults(notebook: NotebookNode) -> Iterator[str]:
    """Kernel and language as JupyterLab writes them on opening; all but the version of Python is the same."""
    if notebook.metadata.get("kernelspec", {}).get("display_name") != "Python 3 (ipykernel)":
        yield "display_name is not 'Python 3 (ipykernel)'"
    if notebook.metadata.get("language_info") != LANGUAGE:
        yield f"language_info is not {LANGUAGE}"


def section(notebook: NotebookNode, heading: str) -> str:
    """The Markdown below a heading, up to the next of its level."""
    text = "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return re.split(r"^##? ", text.partition(f"{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def exercises(notebook: NotebookNode) -> int:
    """How many exercises a notebook ends with."""
    return len(EXERCISE.findall(section(notebook, "## Your turn")))


def link_faults(notebook: NotebookNode, name: str, titles: dict[str, str]) -> Iterator[str]:
    """Links name notebooks by their own titles, and cell 0 has those before and after.

    titles : name of each notebook → its H1.
    """
    for cell in notebook.cells:
        for text, target in LINK.findall(cell.source if cell.cell_type == "markdown" else ""):
            if re.match(r"\d\d ·", text) and text != titles.get(target):
                yield f"the link to {target} says {text!r}, its title is {titles.get(target)!r}"
            if target not in titles:
                yield f"a link to {target}, which is no notebook"
    numbers = sorted({one[:2] for one in titles})
    at = numbers.index(name[:2])
    linked = {target[:2] for _, target in LINK.findall(notebook.cells[0].source)}
    missing = {*numbers[max(at - 1, 0) : at], *numbers[at + 1 : at + 2]} - linked
    if missing:
        yield f"cell 0 does not link its neighbours {', '.join(sorted(missing))}"


def solution_faults(lesson: NotebookNode, solution: NotebookNode) -> Iterator[str]:
    """A solution for each exercise: '## Exercise 1' with code below; clean and of the same kernel."""
    asked = [f"## Exercise {n}" for n in range(1, exercises(lesson) + 1)]
    found = [heading for heading in headings(solution) if heading.startswith("## ")]
    if found != asked:
        yield f"headings are {found}, exercises {asked}"
    kinds = [
        (re.findall(r"^## .*", cell.source, re.MULTILINE) or [""])[-1]
        if cell.cell_type == "markdown"
        else "code"
        for cell in solution.cells
    ]
    yield from (
        f"{heading} has no code"
        for at, heading in enumerate(kinds)
        if heading.startswith("## ")
        and "code"
        not in kinds[at + 1 : next((n for n in range(at + 1, len(kinds)) if "## " in kinds[n]), None)]
    )
    checks = (opening_faults, parameter_faults, source_faults, length_faults, format_faults, kernel_faults)
    yield from (fault for check in checks for fault in check(solution) if "median" not in fault)


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
    checks = [opening_faults, parameter_faults, source_faults, ending_faults, format_faults]
    if name not in WAITING:
        checks += [contract_faults, length_faults, lesson_faults, kernel_faults]
    return [fault for check in checks for fault in check(notebook)] + list(definition_faults(notebook, name))


def bare_outputs(executed: NotebookNode) -> list[int]:
    """Cells that end in a bare repr: a result without a table, a picture or Markdown."""
    return [
        number
        for number, cell in enumerate(executed.cells)
        for output in cell.get("outputs", [])
        if output.output_type == "execute_result" and set(output.data) == {"text/plain"}
    ]


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
    """Imports of the package that are no names which a face lists, nor of a module that no face loads."""
    plain = re.sub(r"^\s*[%!].*$", "pass", source, flags=re.MULTILINE)
    for node in ast.walk(ast.parse(plain)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("helpers"))
        if isinstance(node, ast.ImportFrom) and f"{node.module}.".startswith("helpers."):
            module = importlib.import_module(node.module)
            if node.module in BY_PATH:
                listed = vars(module)
            else:
                listed = {*public_names(module), "ROOT"} if hasattr(module, "__path__") else {}
            yield from (f"{node.module}.{alias.name}" for alias in node.names if alias.name not in listed)


def read(path: Path) -> NotebookNode:
    """The notebook at `path`."""
    return nbformat.read(path, as_version=4)


def all_titles() -> dict[str, str]:
    """The H1 of each notebook, by its name; those to come as planned."""
    return PLANNED | {path.stem: read(path).cells[0].source.splitlines()[0][2:] for path in PATHS}


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook_keeps_the_contract(path: Path) -> None:
    assert not notebook_faults(read(path), path.stem)


CONVERTED = [path for path in PATHS if path.stem not in WAITING]


@pytest.mark.parametrize("path", CONVERTED, ids=lambda path: path.stem)
def test_links_name_the_notebooks_by_their_titles(path: Path) -> None:
    assert not list(link_faults(read(path), path.stem, all_titles()))


@pytest.mark.parametrize("path", CONVERTED, ids=lambda path: path.stem)
def test_each_exercise_has_a_solution(path: Path) -> None:
    assert not list(solution_faults(read(path), read(SOLUTIONS / path.name)))


@pytest.mark.parametrize("path", CONVERTED, ids=lambda path: path.stem)
def test_no_cell_ends_in_a_bare_repr(path: Path) -> None:
    assert not bare_outputs(read(ROOT / "results" / "notebooks" / path.name))


def test_nothing_waits_in_vain() -> None:
    assert {path.stem for path in PATHS} >= WAITING
    assert {path.name for path in SOLUTIONS.glob("*.ipynb")} <= {path.name for path in PATHS}


def test_executed_first_notebook_lists_every_notebook() -> None:
    copied = (ROOT / "results" / "notebooks" / "00_start_here.ipynb").read_text("utf-8")
    assert [path.name for path in PATHS if path.name not in copied and path.stem not in PLANNED] == []


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_executed_copy_is_that_of_the_source(path: Path) -> None:
    copied = ROOT / "results" / "notebooks" / path.name
    assert copied.exists(), "no executed copy; run: make publish"
    assert not executed_faults(read(path), read(copied))


@pytest.mark.parametrize("path", [*PATHS, ROOT / "README.md"], ids=lambda path: path.stem)
def test_readers_import_from_faces_only(path: Path) -> None:
    if path.suffix == ".md":
        text = path.read_text("utf-8").replace("beyond_micro_f1", "helpers")  # its name where it is installed
        sources = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
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
    opening = "# 01 · Counts\n" + "\n".join(f"- **{label}.** Words, 9 minutes." for label in LABELS)
    cells = [
        v4.new_markdown_cell(opening + "\n\nNext: [02 · Scores](02_scores.ipynb)"),
        v4.new_code_cell("seed: int = 9  # of the bootstrap", metadata={"tags": ["parameters"]}),
        v4.new_code_cell("print(seed, ROOT / results_dir)"),
        v4.new_markdown_cell(
            "**Predict first:** what?\n\n<details><summary>Answer</summary>\n\nThat.\n\n</details>"
        ),
        v4.new_markdown_cell("## What you learned\n- a\n- b\n- c"),
        v4.new_markdown_cell("## Your turn\n1. **★ · 5 minutes.** Change the seed."),
    ]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
    return v4.new_notebook(cells=cells, metadata={"kernelspec": kernel, "language_info": dict(LANGUAGE)})


LONG_DEF = "def f():\n" + "    x = 1\n" * 5


class TestTheChecksThemselves:
    def test_a_good_lesson_passes(self) -> None:
        assert notebook_faults(lesson(), "01_counts") == []

    @pytest.mark.parametrize(
        ("cell", "source", "fault"),
        [
            (0, "Counts", "starts with an H1"),
            (0, "# 01\n- **Question.** Words.\n- **Reads.** Words.", "in the order"),
            (0, "# 01\n- **You need.** Nothing.", "how many minutes"),
            (1, "seed: int = 9", "without a comment: seed"),
            (1, "seed = 9  # of the bootstrap", "has no type"),
            (1, "seed: int = 3 * 3  # of the bootstrap", "computed, not a literal"),
            (2, "x = 1\n" * 9, "has 9 lines"),
            (2, "import re\n" + "x = 1\n" * 9, "has 9 lines"),
            (2, "x = 1\n" * 5, "the median cell has 5 lines"),
            (2, "import ipywidgets", "widgets without a parameter"),
            (2, LONG_DEF, "define functions"),
            (2, "%matplotlib inline", "a magic"),
            (2, "table.to_csv(Path(results_dir) / 'a.csv')", "writes where it is run"),
            (3, "**Predict first:** what?", "the answer belongs in <details>"),
            (4, "## What you learned\n- a\n- b", "list of three lines"),
            (5, "# Again\n## Your turn", "not exactly one H1"),
            (5, "## Your turn\n## References", "does not end"),
            (5, "## Your turn\n1. **★ · 5 minutes.** This.\n2. That.", "exercises are not all"),
        ],
    )
    def test_a_bad_cell_is_caught(self, cell: int, source: str, fault: str) -> None:
        notebook = lesson()
        notebook.cells[cell].source = source
        assert any(fault in found for found in notebook_faults(notebook, "01_counts"))

    def test_one_cell_works_a_score_out_by_hand(self) -> None:
        notebook = lesson()
        tags = {"tags": ["by-hand"]}
        notebook.cells.insert(2, v4.new_code_cell(LONG_DEF + "assert f()\n", metadata=tags))
        assert notebook_faults(notebook, "01_counts") == []
        notebook.cells.insert(2, v4.new_code_cell(LONG_DEF, metadata=tags))
        faults = " ".join(notebook_faults(notebook, "01_counts"))
        assert "one a notebook" in faults and "no assert" in faults

    def test_links(self) -> None:
        titles = {"00_start": "00 · Start", "01_counts": "01 · Counts", "02_scores": "02 · Scores"}
        (fault,) = link_faults(lesson(), "01_counts", titles)
        assert "neighbours 00" in fault
        renamed = titles | {"02_scores": "02 · Averages"}
        assert "its title is '02 · Averages'" in next(link_faults(lesson(), "01_counts", renamed))
        del renamed["02_scores"]
        assert any("no notebook" in fault for fault in link_faults(lesson(), "01_counts", renamed))

    def test_solutions(self) -> None:
        solution = lesson()
        solution.cells = [
            *solution.cells[:2],
            v4.new_markdown_cell("## Exercise 1"),
            v4.new_code_cell("print(seed)"),
        ]
        assert list(solution_faults(lesson(), solution)) == []
        del solution.cells[-1]
        assert list(solution_faults(lesson(), solution)) == ["## Exercise 1 has no code"]
        del solution.cells[-1]
        assert "headings are []" in next(solution_faults(lesson(), solution))

    def test_bare_reprs(self) -> None:
        executed = lesson()
        table = v4.new_output("execute_result", data={"text/plain": "x", "text/html": "<table/>"})
        executed.cells[2].outputs = [table]
        assert bare_outputs(executed) == []
        executed.cells[2].outputs = [v4.new_output("execute_result", data={"text/plain": "'01.csv'"})]
        assert bare_outputs(executed) == [2]

    @pytest.mark.parametrize(
        ("spoil", "fault"),
        [
            (
                lambda cells: cells[2].update(outputs=[v4.new_output("stream", text="9")]),
                "keeps outputs",
            ),
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

    def test_a_version_of_python_is_caught(self) -> None:
        metadata = lesson().metadata | {"language_info": LANGUAGE | {"version": "3.11.7"}}
        assert "language_info" in next(kernel_faults(v4.new_notebook(metadata=metadata)))

    def test_imports(self) -> None:
        assert not list(import_faults("from helpers import ROOT\nfrom helpers.data import read_corpus"))
        assert list(import_faults("import helpers.data")) == ["helpers.data"]
        assert list(import_faults("from helpers.data import readers")) == ["helpers.data.readers"]
        assert list(import_faults("from helpers.data.readers import Reader"))
        assert not list(import_faults("from helpers.models.graph import adjacency"))
        assert list(import_faults("from helpers.models.graph import no_such_name"))

    def test_executed_copies(self) -> None:
        source, executed = lesson(), lesson()
        assert executed_faults(source, executed) == ["a cell was not executed"]
        for cell in code_cells(executed):
            cell.execution_count = 1
        assert executed_faults(source, executed) == []
        failed, stale, noted = copy.deepcopy(executed), copy.deepcopy(executed), copy.deepcopy(executed)
        failed.cells[2].outputs = [v4.new_output("error", ename="E", evalue="", traceback=[])]
        stale.cells[2].source = "print(seed + 1)"
        noted.metadata["papermill"] = {}
        assert executed_faults(source, failed) == ["a cell failed"]
        assert "not of this source" in executed_faults(source, stale)[0]
        assert "papermill" in executed_faults(source, noted)[0]
