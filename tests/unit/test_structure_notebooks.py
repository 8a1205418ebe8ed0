"""The notebooks' contract: how a lesson begins and ends, how long its cells are, its executed copy."""

import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import NotebookNode

from helpers import ROOT
from helpers.notebooks import KINDS, relink

LABELS = ["Question", "You need", "Reproduces", "Reads", "Writes", "Takeaway"]
UNATTENDED = re.compile(r"^\s*[%!]|\bpip install\b|\bsys\.path\b|\binput\(", re.MULTILINE)
ELSEWHERE = re.compile(r"(?<!ROOT / )\b(results|figures)_dir\b")
PARAMETER = re.compile(rf"""\w+: ({"|".join(KINDS)}) = ("[^"=]*"|[\d.]+|True|False)  # [^=]*\w""")
"""A value that is computed would not follow a parameter that is injected after it."""
EXERCISE = re.compile(r"^\d+\. \*\*★{1,3} · \d+ minutes\.\*\* (?:.+\n)*?.*Hint: ", re.MULTILINE)
PATHS = sorted((ROOT / "notebooks").glob("*.ipynb"))
EXECUTED = ROOT / "results" / "notebooks"


def read(path: Path) -> NotebookNode:
    return nbformat.read(path, as_version=4)


def sources(notebook: NotebookNode, kind: str) -> dict[int, str]:
    """Place → source of the cells of one kind."""
    return {place: cell.source for place, cell in enumerate(notebook.cells) if cell.cell_type == kind}


def has_tag(cell: NotebookNode, tag: str) -> bool:
    return tag in cell.metadata.get("tags", [])


def section(notebook: NotebookNode, heading: str) -> str:
    """The Markdown below a heading, up to the next of its level."""
    text = "\n\n".join(sources(notebook, "markdown").values())
    return re.split(r"^##? ", text.partition(f"{heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]


def opening_faults(notebook: NotebookNode) -> Iterator[str]:
    """Cell 0 has six labels, one sentence as takeaway; cell 1 alone the parameters, typed and explained."""
    fields = dict(re.findall(r"^- \*\*([\w ]+)\.\*\* (.+)$", notebook.cells[0].source, re.MULTILINE))
    if [*fields] != LABELS:
        yield f"cell 0 lacks lines '- **label.** text' in the order {', '.join(LABELS)}"
    if re.search(r"[.?!] ", fields.get("Takeaway", "")):
        yield "the takeaway is more than one sentence"
    if [place for place, cell in enumerate(notebook.cells) if has_tag(cell, "parameters")] != [1]:
        yield "cell 1 alone is tagged parameters"
    wrong = [line for line in notebook.cells[1].source.splitlines() if not PARAMETER.match(line)]
    yield from (f"not `name: kind = literal  # meaning`: {line}" for line in wrong)


def code_faults(notebook: NotebookNode) -> Iterator[str]:
    """Cells load, compute or draw, in eight lines; one, tagged, works by hand."""
    for place, source in sources(notebook, "code").items():
        cell = notebook.cells[place]
        if cell.outputs or cell.execution_count is not None:
            yield f"cell {place} keeps outputs or a count"
        if UNATTENDED.search(source):
            yield f"cell {place} has a magic, an installation, a changed path or a question"
            continue
        if place == 1:
            continue
        if ELSEWHERE.search(source):
            yield f"cell {place} writes where it is run (in JupyterLab notebooks/): say ROOT / results_dir"
        lines = re.findall(r"^(?!import |from )[ \t]*\S", source, re.MULTILINE)
        if len(lines) > (25 if has_tag(cell, "by-hand") else 8):
            yield f"cell {place} has {len(lines)} lines"


def size_faults(notebook: NotebookNode) -> Iterator[str]:
    """Short enough for a lesson: words, cells, questions, and minutes (150 words or four cells in each)."""
    text, code = ("\n".join(sources(notebook, kind).values()) for kind in ("markdown", "code"))
    first = next(code for code in sources(notebook, "code").values() if "from helpers" in code)
    sizes = {
        "words": (len(text.split()), 1200),
        "code cells": (len(sources(notebook, "code")), 25),
        "questions to predict": (text.count("**Predict first"), 5),
        "first imports of helpers": (len(re.findall(r"^(?:from|import) helpers\b", first, re.MULTILINE)), 2),
    }
    yield from (f"has {size} {what}, not {most}" for what, (size, most) in sizes.items() if size > most)
    minutes = [int(number) for number in re.findall(r"★ · (\d+) minutes", section(notebook, "## Your turn"))]
    reading = round(sizes["words"][0] / 150 + sizes["code cells"][0] / 4)
    need = re.search(r"(\d+) minutes to read\b.*, (\d+) for the exercises", text)
    if need is None or abs(int(need[1]) - reading) > 1 or int(need[2]) != sum(minutes):
        yield f"does not say '{reading} minutes to read …, {sum(minutes)} for the exercises'"


def ending_faults(notebook: NotebookNode) -> Iterator[str]:
    """Three things learned, exercises with stars, minutes and a hint."""
    if len(re.findall(r"^(?:[-*]|\d\.) \S", section(notebook, "## What you learned"), re.MULTILINE)) != 3:
        yield "no '## What you learned' with a list of three lines"
    turn = section(notebook, "## Your turn")
    if not 0 < len(re.findall(r"^\d+\. ", turn, re.MULTILINE)) == len(EXERCISE.findall(turn)):
        yield "does not end with '## Your turn' and exercises '1. **★★ · 10 minutes.** text. Hint: …'"


def format_faults(notebook: NotebookNode) -> Iterator[str]:
    """As JupyterLab writes it on opening, so that opening a notebook changes nothing."""
    ids = [cell.get("id") for cell in notebook.cells]
    if None in ids or len(set(ids)) != len(ids):
        yield "cells lack ids of their own"
    about = notebook.metadata
    if about.get("kernelspec", {}).get("display_name") != "Python 3 (ipykernel)":
        yield "the kernel is not 'Python 3 (ipykernel)'"
    if "version" in about.get("language_info", {"version": ""}):
        yield "language_info is missing, or names one version of Python"


each_notebook = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)


@each_notebook
def test_a_notebook_keeps_the_contract(path: Path) -> None:
    checks = [opening_faults, code_faults, size_faults, ending_faults, format_faults]
    assert [fault for check in checks for fault in check(read(path))] == []


@each_notebook
def test_each_exercise_has_a_solution_with_code_outputs_and_a_last_sentence(path: Path) -> None:
    solution = read(path.parent / "solutions" / path.name)
    code = [cell for cell in solution.cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code), "make publish"
    assert not [output for cell in code for output in cell.outputs if output.output_type == "error"]
    headings = [place for place, cell in enumerate(solution.cells) if "## Exercise" in cell.source]
    open_ended = [place for place in headings[1:] if solution.cells[place].source.startswith("## Exercise")]
    last = [solution.cells[place - 1] for place in (*open_ended, len(solution.cells))]
    assert [c.source for c in last if c.cell_type == "code" and "Markdown(" not in c.source] == []
    outline = []
    for cell in solution.cells[2:]:
        headings = re.findall(r"^## .*", cell.source, re.MULTILINE)
        outline += headings if cell.cell_type == "markdown" else ["code"]
    exercises = len(EXERCISE.findall(section(read(path), "## Your turn")))
    wanted = [f"## Exercise {number}" for number in range(1, exercises + 1)]
    assert [line for line in outline if line != "code"] == wanted
    assert all(outline[outline.index(heading) + 1] == "code" for heading in wanted)
    assert not [*format_faults(solution)]


@each_notebook
def test_the_executed_copy_is_of_this_source_and_ran_to_its_end(path: Path) -> None:
    source, executed = read(path), read(EXECUTED / path.name)
    relink(source)
    assert [cell.source for cell in source.cells] == [cell.source for cell in executed.cells], "make publish"
    cells = [cell for cell in executed.cells if cell.cell_type == "code" and cell.source]
    outputs = [output for cell in cells for output in cell.outputs]
    assert all(cell.execution_count for cell in cells)
    assert not [output for output in outputs if output.output_type == "error"]
    results = [output for output in outputs if output.output_type == "execute_result"]
    assert not [result for result in results if set(result.data) == {"text/plain"}], "a bare repr"
    pictures = [
        output.metadata.get("image/png", {}) for output in outputs if "image/png" in output.get("data", {})
    ]
    assert all(picture.get("alt") for picture in pictures), "a picture without a text that says what it shows"
