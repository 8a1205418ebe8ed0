"""Every notebook runs through in the quick profile, and writes only where it is told to."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest

from helpers import ROOT
from helpers.notebook_parameters import inspect_parameters
from helpers.notebooks import notebook_paths, run_notebooks


def tree_state() -> dict[str, tuple[int, int]]:
    """Size and time of every file that a notebook might write, and what git says about the rest."""
    written = [path for room in ("results", "figures", "notebooks") for path in (ROOT / room).rglob("*")]
    state = {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in written if path.is_file()}
    if shutil.which("git") and (ROOT / ".git").exists():
        command = ["git", "status", "--porcelain"]
        status = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
        state |= dict.fromkeys(status.splitlines(), (0, 0))
    return state


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One temporary folder for all notebooks, as they share one results folder in a real run."""
    before = tree_state()
    yield tmp_path_factory.mktemp("written")
    after = tree_state()
    changed = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    assert not changed, f"the notebooks wrote into the working tree: {changed}"


@pytest.mark.parametrize("path", notebook_paths(), ids=lambda path: path.stem)
def test_notebook_runs(path: Path, written: Path) -> None:
    wanted = {"profile": "quick", "results_dir": written / "results", "figures_dir": written / "figures"}
    declared = inspect_parameters(path)
    parameters = {name: value for name, value in wanted.items() if name in declared}

    (result,) = run_notebooks(path.stem, parameters, written / "executed", time_limit=300)

    executed = nbformat.read(result.path, as_version=4)
    assert all(cell.execution_count for cell in executed.cells if cell.cell_type == "code" and cell.source)
    assert os.fspath(ROOT) not in result.path.read_text("utf-8")
