"""Every notebook runs through in the quick profile, writes only where it is told to, and finds again the
numbers that are stored in results/tables and figures, and what its committed copy shows."""

import csv
import difflib
import itertools
import json
import math
import os
import re
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from helpers import ROOT, notebooks
from helpers.notebooks import _read_parameters, _shown_lines, notebook_paths, read_contract, run_notebooks
from tests.golden.renew import Change

SOLUTIONS = ROOT / "notebooks" / "solutions"
COPIES = ROOT / "results" / "notebooks"
LIGHTER = {
    "04_train_a_relation_classifier": {"epochs": 1, "sentences": 100},
    "13_multilabel_methods": {"train": "1vsrest"},
    "15_distant_supervision_facts": {"replicates": 200},
}
WITH_DATA = bool(os.environ.get("RC_DATA_DIR"))
FEWER = {} if WITH_DATA else {"replicates": 50}
"""Without data every notebook draws this often: its outputs are compared where data are, and all is drawn."""
UNSAVED = """\
import gc
gc.disable()
from matplotlib.figure import Figure
Figure.savefig = lambda self, file, **_: file.touch()
get_ipython().run_line_magic("config", "InlineBackend.figure_formats = set()")"""
"""What a kernel does first where no data are: fonts of PDFs and pictures take most of a figure's time, and
searching for garbage a quarter of an import's."""
DRAWN = {"low", "high", "p", "signature"}
"""Columns of tables that fewer replicates change; of notebook 15 `make nightly` draws them all."""
LIGHTER_SOLUTIONS = {"04_train_a_relation_classifier": {"epochs": 1, "sentences": 200}}
"""Parameters that make a run cheaper: what is trained live is shown, and no stored number comes from it."""
CHANGING = {"14_multilabel_costs", "15_distant_supervision_facts"}
"""Solutions whose outputs are seconds, or hold names of temporary folders."""
TOLERANCE = {"rel_tol": 1e-7, "abs_tol": 1e-9}
"""Of a number in a table: another machine may add in another order."""
READERS = re.compile(r"helpers\.data|from helpers import .*\bdata\b|MissingData|run_experiment|case_study\(")
"""What a notebook that reads data files cannot do without."""
NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def tree_state() -> set[tuple[str, int]]:
    """Every file that a notebook might write, and when it was written."""
    folders = ("results", "figures", "notebooks", "examples")
    paths = [*ROOT.glob("*"), *(path for folder in folders for path in (ROOT / folder).rglob("*"))]
    return {(str(path), path.stat().st_mtime_ns) for path in paths if path.is_file()}


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A temporary folder, in which each notebook gets its own: no notebook reads what another one wrote."""
    before = tree_state()
    yield tmp_path_factory.mktemp("written")
    changed = before ^ tree_state()
    assert not changed, f"the notebooks wrote into the working tree: {sorted(changed)}"


@pytest.fixture
def figures_unsaved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without data figures are drawn, but not shown, and their files stay empty."""
    usual = notebooks._kernel_environment

    @contextmanager
    def environment(publish: bool) -> Iterator[None]:
        with usual(publish):
            path = Path(os.environ["JUPYTER_PATH"], "kernels", "python3", "kernel.json")
            spec = json.loads(path.read_text("utf-8"))
            spec["argv"].append(f"--InteractiveShellApp.exec_lines={UNSAVED}")
            path.write_text(json.dumps(spec), "utf-8")
            yield

    if not WITH_DATA:
        monkeypatch.setattr(notebooks, "_kernel_environment", environment)


def table_changes(new: Path, stored: Path, apart: Collection[str] = ()) -> list[Change]:
    """Every cell, but in columns apart, in which a CSV file differs from the stored one; or, with more or
    fewer rows, every line."""
    name = stored.relative_to(ROOT).as_posix()
    if not stored.exists():
        return [Change(name, "the table", None, "is there")]
    texts = [path.read_text("utf-8").splitlines() for path in (stored, new)]
    (columns, *before), (new_columns, *after) = map(csv.reader, texts)
    if columns != new_columns or len(before) != len(after):
        lines = difflib.unified_diff(*texts, lineterm="", n=0)
        lines = (line for line in itertools.islice(lines, 2, None) if line[0] != "@")
        return [Change(name, "a line", None, line) for line in lines]
    changes = []
    for row, cells in zip(before, after, strict=True):
        words = itertools.takewhile(lambda cell: not NUMBER.fullmatch(cell), row)
        triples = [cell for cell in zip(columns, row, cells, strict=True) if cell[0] not in apart]
        head = f"{name}, {' · '.join(filter(None, words))}"
        changes += [Change(head, *cell) for cell in triples if not same_cell(*cell[1:])]
    return changes


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
    new, old = (nbformat.read(path, as_version=4).cells for path in (copy, committed))
    new = [cell for cell in new if "injected-parameters" not in cell.metadata.get("tags", [])]
    if [cell.source for cell in new] != [cell.source for cell in old]:
        return [f"{committed.stem}: the committed copy is of another source: make publish renews it"]
    changes = []
    for number, (after, before) in enumerate(zip(new, old, strict=True)):
        lines = difflib.unified_diff(_shown_lines(before), _shown_lines(after), lineterm="", n=0)
        differing = [line[:200] for line in itertools.islice(lines, 2, None) if not line.startswith("@@")]
        changes += [f"{committed.stem}, cell {number}: {line}" for line in differing]
    return changes


def report(changed: list) -> str:
    """The first of what changed, and how much there is."""
    return "\n".join([f"{len(changed)} differences from what is stored:", *map(str, changed[:20])])


CASES = [pytest.param(path, LIGHTER.get(path.stem, {}), id=path.stem) for path in notebook_paths()]
CASES.append(pytest.param(*notebook_paths("15"), {}, id="15-whole", marks=pytest.mark.nightly(third=0)))


@pytest.mark.parametrize(("path", "lighter"), CASES)
@pytest.mark.usefixtures("figures_unsaved")
def test_notebook_runs(path: Path, lighter: dict, written: Path) -> None:
    folder = written / path.stem
    wanted = {"profile": "quick", "results_dir": folder / "results", "figures_dir": folder / "figures"}
    declared = _read_parameters(path)
    lighter = lighter | {name: value for name, value in FEWER.items() if name in declared}
    parameters = {name: value for name, value in wanted.items() if name in declared} | lighter

    (copy,) = run_notebooks(path.stem, parameters, folder / "executed")

    code = [cell for cell in nbformat.read(copy, as_version=4).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in code if cell.source)
    text = copy.read_text("utf-8")
    assert os.fspath(ROOT) not in text and "nan %" not in text
    new = {table.relative_to(folder).as_posix() for table in folder.rglob("*.csv")}
    promised = promised_tables(path)
    with_data = WITH_DATA or not READERS.search(path.read_text("utf-8"))
    # Where no data are, a table that is made from them cannot be written.
    assert new == promised if with_data else new <= promised, f"written {new}; promised {promised}"
    apart = DRAWN if "replicates" in lighter else set()
    changed: list = [
        change for name in sorted(new) for change in table_changes(folder / name, ROOT / name, apart)
    ]
    if not lighter and with_data:
        changed += output_changes(copy, COPIES / path.name)
    if changed:
        pytest.fail(report(changed), pytrace=False)


@pytest.mark.parametrize("path", notebook_paths(folder=SOLUTIONS), ids=lambda path: path.stem)
@pytest.mark.nightly(third=0)
def test_solution_runs(path: Path, written: Path) -> None:
    parameters = LIGHTER_SOLUTIONS.get(path.stem)
    (copy,) = run_notebooks(path.stem, parameters, written / "solutions", folder=SOLUTIONS)
    published = any(cell.get("outputs") for cell in nbformat.read(path, as_version=4).cells)
    if published and not parameters and path.stem not in CHANGING:
        changed = output_changes(copy, path)
        assert not changed, report(changed)


def test_a_changed_number_names_table_row_and_column(tmp_path: Path) -> None:
    stored, changed = ROOT / "results" / "tables" / "06_direction.csv", tmp_path / "changed.csv"
    assert table_changes(stored, stored) == []
    for step, expected in ((1e-10, 0), (0.0001, 1)):  # a hundredth of a point of F1 is seen
        table = pd.read_csv(stored, dtype=str, keep_default_na=False)
        row = table.iloc[7].copy()
        table.loc[7, "value"] = f"{float(row['value']) + step:.12f}"
        table.to_csv(changed, index=False, lineterminator="\n")
        changes = table_changes(changed, stored)
        assert len(changes) == expected
    key = " · ".join(filter(None, row[: row.index.get_loc("value")]))
    said = f"{key} · value: {row['value']} → {table.loc[7, 'value']}"
    assert str(changes[0]) == f"results/tables/06_direction.csv, {said}"


def test_a_changed_output_names_its_cell(tmp_path: Path) -> None:
    committed = COPIES / "12_multilabel_metrics.ipynb"
    notebook = nbformat.read(committed, as_version=4)
    number = next(n for n, cell in enumerate(notebook.cells) if _shown_lines(cell))
    notebook.cells[number].outputs.append(nbformat.v4.new_output("stream", text="F1 0.51 in 3 s\n"))
    nbformat.write(notebook, tmp_path / "new.ipynb")
    said = f"12_multilabel_metrics, cell {number}: +F1 0.51 in … seconds"
    assert output_changes(committed, committed) == []
    assert output_changes(tmp_path / "new.ipynb", committed) == [said]
