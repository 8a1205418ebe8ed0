"""Every notebook runs through in the quick profile, writes only where it is told to, and finds again the
numbers that are stored in results/tables and figures, and what its committed copy shows."""

import csv
import difflib
import math
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

from helpers import ROOT
from helpers.notebooks import (
    notebook_paths,
    read_contract,
    read_parameters,
    run_notebooks,
    shown_lines,
)
from tests.conftest import READERS
from tests.golden.renew import Change
from tests.support import nbformat, v4

SOLUTIONS = ROOT / "notebooks" / "solutions"
COPIES = ROOT / "results" / "notebooks"
LIGHTER = {
    "04_train_a_relation_classifier": {"epochs": 1, "sentences": 300},
    "13_multilabel_methods": {"train": "1vsrest"},
}
LIGHTER_SOLUTIONS = {"04_train_a_relation_classifier": {"epochs": 1, "sentences": 200}}
"""Parameters that make a run cheaper: what is trained live is shown, and no stored number comes from it."""
CHANGING = {"14_multilabel_costs", "15_distant_supervision_facts"}
"""Solutions whose outputs are seconds, or hold names of temporary folders."""
TOLERANCE = {"rel_tol": 1e-7, "abs_tol": 1e-9}
"""Of a number in a table: another machine may add in another order."""


def tree_state() -> dict[str, tuple[int, int]]:
    """Size and time of every file that a notebook might write, and what git says about the rest."""
    written = [path for folder in ("results", "figures", "notebooks") for path in (ROOT / folder).rglob("*")]
    state = {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in written if path.is_file()}
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "status", "--porcelain"]
        status = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
        state |= dict.fromkeys(status.splitlines(), (0, 0))
    return state


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A temporary folder, in which each notebook gets its own: no notebook reads what another one wrote."""
    before = tree_state()
    yield tmp_path_factory.mktemp("written")
    after = tree_state()
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    assert not changed, f"the notebooks wrote into the working tree: {changed}"


class Table(NamedTuple):
    """A CSV file: its columns, and its rows by what identifies them."""

    columns: list[str]
    rows: dict[str, list[str]]


def read_table(path: Path, keys: int | None = None) -> tuple[Table, int]:
    """A table and how many of its first columns identify a row; 0: the place in the file does.

    Fractions identify nothing: then it is the place.
    """
    with open(path, encoding="utf-8", newline="") as file:
        columns, *rows = csv.reader(file)
    if keys is None:
        enough = (n for n in range(1, len(columns)) if len({tuple(row[:n]) for row in rows}) == len(rows))
        keys = next(enough, 0)
        if any(re.fullmatch(r"-?\d+\.\d+(e-?\d+)?", cell) for row in rows for cell in row[:keys]):
            keys = 0
    named: dict[str, list[str]] = {}
    for place, row in enumerate(rows, 1):
        key = " · ".join(filter(None, row[:keys])) if keys else f"row {place}"
        named[key if key not in named else f"{key}, again in row {place}"] = row
    return Table(columns, named), keys


def table_changes(new: Path, stored: Path) -> list[Change]:
    """Every cell, row and column in which a CSV file differs from the stored one."""
    name = stored.relative_to(ROOT).as_posix() if stored.is_relative_to(ROOT) else stored.name
    if not new.exists() or not stored.exists():
        return [Change(name, "the table", *("is there" if one.exists() else None for one in (stored, new)))]
    before, keys = read_table(stored)
    after, _ = read_table(new, keys)
    if before.columns != after.columns:
        return [Change(name, "columns", ", ".join(before.columns), ", ".join(after.columns))]
    found = []
    for key in dict.fromkeys((*before.rows, *after.rows)):
        old, cells = before.rows.get(key), after.rows.get(key)
        if old is None or cells is None:
            found.append(
                Change(f"{name}, {key}", "the row", *(one and ",".join(one) for one in (old, cells)))
            )
            continue
        for column, *values in zip(before.columns, old, cells, strict=True):
            if not same_cell(*values):
                found.append(Change(f"{name}, {key}", column, *values))
    return found


def same_cell(old: str, new: str) -> bool:
    """The same text, or numbers that differ by rounding."""
    try:
        return old == new or math.isclose(float(old), float(new), **TOLERANCE)
    except ValueError:
        return False


def promised_tables(path: Path) -> set[str]:
    """The CSV files that the contract of a notebook says it writes: tables, and what its figures draw."""
    names = re.findall(r"`(results/tables/\w+\.csv|figures/\w+)`", read_contract(path)["Writes"])
    return {name if name.endswith(".csv") else f"{name}.csv" for name in names}


def output_changes(copy: Path, committed: Path) -> list[str]:
    """What the cells of an executed copy show otherwise than those of the committed one, as a diff."""
    new, old = (
        [
            cell
            for cell in nbformat.read(path, as_version=4).cells
            if "injected-parameters" not in cell.metadata.get("tags", [])
        ]
        for path in (copy, committed)
    )
    if [cell.source for cell in new] != [cell.source for cell in old]:
        return [f"{committed.stem}: the committed copy is of another source: make publish renews it"]
    found = []
    for place, (after, before) in enumerate(zip(new, old, strict=True)):
        lines = difflib.unified_diff(shown_lines(before), shown_lines(after), lineterm="", n=0)
        differing = [line[:200] for line in islice(lines, 2, None) if not line.startswith("@@")]
        found += [f"{committed.stem}, cell {place}: {line}" for line in differing]
    return found


def report(changed: list) -> str:
    """The first of what changed, and how much there is."""
    return "\n".join([f"{len(changed)} differences from what is stored:", *map(str, changed[:20])])


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_notebook_runs(path: Path, written: Path) -> None:
    folder = written / path.stem
    wanted = {"profile": "quick", "results_dir": folder / "results", "figures_dir": folder / "figures"}
    declared = read_parameters(path)
    parameters = {name: value for name, value in wanted.items() if name in declared}
    parameters |= LIGHTER.get(path.stem, {})

    (result,) = run_notebooks(path.stem, parameters, folder / "executed", time_limit=300)

    executed = nbformat.read(result.path, as_version=4)
    assert all(cell.execution_count for cell in executed.cells if cell.cell_type == "code" and cell.source)
    assert os.fspath(ROOT) not in result.path.read_text("utf-8")
    new = {one.relative_to(folder).as_posix() for one in folder.rglob("*.csv")}
    promised = promised_tables(path)
    with_data = os.environ.get("RC_DATA_DIR") or not READERS.search(path.read_text("utf-8"))
    # Where no data are, a table that is made from them cannot be written.
    assert new == promised if with_data else new <= promised, f"written {new}; promised {promised}"
    changed: list = [one for name in sorted(new) for one in table_changes(folder / name, ROOT / name)]
    if path.stem not in LIGHTER and with_data:
        changed += output_changes(result.path, COPIES / path.name)
    if changed:
        pytest.fail(report(changed), pytrace=False)


@pytest.mark.parametrize("path", notebook_paths(folder=SOLUTIONS), ids=lambda path: path.stem)
def test_solution_runs(path: Path, written: Path) -> None:
    (result,) = run_notebooks(
        path.stem, LIGHTER_SOLUTIONS.get(path.stem), written / "solutions", folder=SOLUTIONS, time_limit=300
    )
    assert result.seconds < 240, "a solution is run in a lesson: a minute on an idle machine"
    published = any(cell.get("outputs") for cell in nbformat.read(path, as_version=4).cells)
    if published and path.stem not in LIGHTER_SOLUTIONS.keys() | CHANGING:
        changed = output_changes(result.path, path)
        assert not changed, report(changed)


def test_a_changed_number_names_table_row_and_column(tmp_path: Path) -> None:
    stored = ROOT / "results" / "tables" / "06_direction.csv"
    text = stored.read_text("utf-8")
    same, changed = tmp_path / "same.csv", tmp_path / "changed.csv"
    same.write_text(text, "utf-8")
    assert table_changes(same, stored) == []
    lines = text.splitlines()
    columns, cells = lines[0].split(","), next(csv.reader([lines[8]]))
    place = columns.index("value")
    rounded, moved = (f"{float(cells[place]) + step:.12f}" for step in (1e-10, 0.0001))
    for number, expected in ((rounded, 0), (moved, 1)):  # a hundredth of a point of F1 is seen
        row = ",".join(f'"{cell}"' for cell in [*cells[:place], number, *cells[place + 1 :]])
        changed.write_text("\n".join([*lines[:8], row, *lines[9:]]) + "\n", "utf-8")
        found = table_changes(changed, stored)
        assert len(found) == expected
    key = " · ".join(filter(None, cells[: columns.index("metric") + 1]))
    assert str(found[0]) == f"results/tables/06_direction.csv, {key} · value: {cells[place]} → {moved}"


def test_a_changed_output_names_its_cell(tmp_path: Path) -> None:
    committed = COPIES / "12_multilabel_metrics.ipynb"
    notebook = nbformat.read(committed, as_version=4)
    place = next(n for n, cell in enumerate(notebook.cells) if shown_lines(cell))
    notebook.cells[place].outputs.append(v4.new_output("stream", text="F1 0.51 in 3 s\n"))
    nbformat.write(notebook, tmp_path / "new.ipynb")
    assert output_changes(committed, committed) == []
    (said,) = output_changes(tmp_path / "new.ipynb", committed)
    assert said == f"12_multilabel_metrics, cell {place}: +F1 0.51 in … seconds"
