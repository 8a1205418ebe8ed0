"""Every notebook runs through in the quick profile, writes only where it is told to, and finds again the
numbers that are stored in results/tables and figures."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from helpers import ROOT
from helpers.notebooks import inspect_parameters, notebook_paths, run_notebooks

SOLUTIONS = ROOT / "notebooks" / "solutions"
LIGHTER = {
    "05_train_a_relation_classifier": {"epochs": 1, "sentences": 300},
    "10_multilabel_methods": {"train": "1vsrest"},
}
LIGHTER_SOLUTIONS = {"05_train_a_relation_classifier": {"epochs": 1, "sentences": 200}}
"""Parameters that make a run cheaper: what is trained live is shown, and no stored number comes from it."""


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
    """One temporary folder for the notebooks of a worker, as they share one results folder in a real run.

    No notebook reads what another one wrote there: each works alone, and in any order.
    """
    before = tree_state()
    yield tmp_path_factory.mktemp("written")
    after = tree_state()
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    assert not changed, f"the notebooks wrote into the working tree: {changed}"


def changed_numbers(new: Path, stored: Path) -> str:
    """In what a CSV file differs from the stored one, '' if nowhere; numbers may differ by rounding, 1e-7."""
    try:
        pd.testing.assert_frame_equal(pd.read_csv(new), pd.read_csv(stored), rtol=1e-7, atol=1e-9)
    except (AssertionError, FileNotFoundError) as error:
        return f"{stored.name}: {error}"
    return ""


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_notebook_runs(path: Path, written: Path) -> None:
    wanted = {"profile": "quick", "results_dir": written / "results", "figures_dir": written / "figures"}
    declared = inspect_parameters(path)
    parameters = {name: value for name, value in wanted.items() if name in declared}
    parameters |= LIGHTER.get(path.stem, {})

    (result,) = run_notebooks(path.stem, parameters, written / "executed", time_limit=300)

    executed = nbformat.read(result.path, as_version=4)
    assert all(cell.execution_count for cell in executed.cells if cell.cell_type == "code" and cell.source)
    assert os.fspath(ROOT) not in result.path.read_text("utf-8")
    new = [path for folder in ("results/tables", "figures") for path in (written / folder).glob("*.csv")]
    changed = [changed_numbers(one, ROOT / one.relative_to(written)) for one in sorted(new)]
    assert not any(changed), "\n".join(filter(None, changed))


@pytest.mark.parametrize("path", notebook_paths(folder=SOLUTIONS), ids=lambda path: path.stem)
def test_solution_runs(path: Path, written: Path) -> None:
    (result,) = run_notebooks(
        path.stem, LIGHTER_SOLUTIONS.get(path.stem), written / "solutions", folder=SOLUTIONS, time_limit=300
    )
    assert result.seconds < 240, "a solution is run in a lesson: a minute on an idle machine"


def test_one_changed_number_is_noticed(tmp_path: Path) -> None:
    stored = ROOT / "results" / "tables" / "03_systems.csv"
    table = pd.read_csv(stored)
    table.to_csv(tmp_path / "same.csv", index=False)
    assert changed_numbers(tmp_path / "same.csv", stored) == ""
    table.loc[7, "value"] += 0.0001  # a hundredth of a point of F1
    table.to_csv(tmp_path / "changed.csv", index=False)
    assert "value" in changed_numbers(tmp_path / "changed.csv", stored)
    assert "nowhere.csv" in changed_numbers(tmp_path / "changed.csv", tmp_path / "nowhere.csv")
