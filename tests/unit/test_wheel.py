"""The wheel, installed with the core alone, in the folder of somebody who has a helpers.py of his own."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers import ROOT, __version__

UV = Path(sys.executable).with_name("uv")
MINE = "gold,predicted\nNA,NA\nborn,born\ntitle,born\ntitle,title\n"
THIS = f"{sys.version_info.major}.{sys.version_info.minor}"
VERSIONS = sorted({THIS, "3.11", "3.12", "3.13"})


def interpreter(version: str) -> Path | None:
    """A Python of this version on this machine, if there is one."""
    if version == THIS:
        return Path(sys.executable)
    kept = sorted(Path.home().glob(f".pyenv/versions/{version}*/bin/python"))
    found = kept[-1] if kept else shutil.which(f"python{version}")
    return Path(found) if found else None


def run(*words: object, **options) -> subprocess.CompletedProcess:
    """A command without the data, the path and the package of this checkout."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "RC_DATA_DIR")}
    return subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, env=clean, timeout=300, **options
    )


def installed(*words: object) -> None:
    """Run an installation; without a package registry there is nothing to test."""
    done = run(*words)
    if done.returncode:
        probe = run(
            UV,
            "pip",
            "install",
            "--dry-run",
            "--no-cache",
            "--python",
            sys.executable,
            "--reinstall",
            "click",
        )
        if probe.returncode:
            pytest.skip("needs a package registry")
        pytest.fail(done.stderr)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("dist")
    installed(UV, "build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def program_for(wheel, tmp_path_factory) -> Callable[[str], Path]:
    """Python's version → the console script, installed with the core alone in a fresh environment."""
    return functools.cache(lambda version: new_program(version, wheel, tmp_path_factory))


def new_program(version: str, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The console script in an environment that is made for it."""
    python = interpreter(version)
    if python is None:
        pytest.skip(f"there is no Python {version} on this machine")
    folder = tmp_path_factory.mktemp("environment") / "venv"
    assert run(UV, "venv", "--quiet", "--python", python, folder).returncode == 0
    installed(UV, "pip", "install", "--quiet", "--python", folder / "bin" / "python", wheel)
    return folder / "bin" / "beyond-micro-f1"


@pytest.fixture
def program(program_for) -> Path:
    """The console script for the Python of these tests."""
    return program_for(THIS)


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder of somebody who has predictions, and a module of the package's name."""
    (tmp_path / "helpers.py").write_text("raise SystemExit('the wrong helpers')\n")
    (tmp_path / "mine.csv").write_text(MINE)
    return tmp_path


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_is_scored_in_a_folder_with_a_helpers_py(version, program_for, folder):
    done = run(program_for(version), "score", "mine.csv", "--negative", "NA", "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schemes"]["macro"]["f1"] == pytest.approx(2 / 3)
    assert sorted(path.name for path in folder.iterdir()) == ["helpers.py", "mine.csv"]


def test_what_is_stored_rides_along_and_extras_are_named(program, folder):
    assert "perplexity                   3.31" in run(program, "stats", "tacred", cwd=folder).stdout
    said = run(program, "summary", cwd=folder)
    assert re.search(r"^\d+ of \d+ published numbers agree", said.stdout.splitlines()[-1]), said.stderr
    for words, package, extra in (
        (("train", "--model", "majority", "--dataset", "demo"), "scikit-learn", "train"),
        (("linear", "--train", "mine.csv", "--model", "m"), "scikit-learn", "linear"),
        (("notebooks",), "nbformat", "notebooks"),
    ):
        done = run(program, *words, cwd=folder)
        install = f"pip install 'beyond-micro-f1[{extra}]'"
        missing = f"error: {words[0]} needs {package}, which is not installed: {install}\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", missing)
    assert "beyond-micro-f1 score mine.csv" in run(program, "score", "--help", cwd=folder).stdout
    assert sorted(path.name for path in folder.iterdir()) == ["helpers.py", "mine.csv"]


def test_a_report_stands_among_the_stored_systems_and_the_page_is_built(program, folder):
    shutil.copy(ROOT / "examples" / "predictions.csv", folder / "theirs.csv")
    words = ("theirs.csv", "--dataset", "semeval2010", "--format", "html", "--out", "report.html")
    done = run(program, "report", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert re.search(r"<td[^>]*>\d+ of \d+</td>", (folder / "report.html").read_text("utf-8"))
    done = run(program, "leaderboard", "rebuild", "--bootstrap", "2", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "results" / "leaderboard" / "index.html").read_text("utf-8")
    assert '"key":"BiLSTM + BERT cased"' in page


def test_nothing_is_written_into_the_package_but_under_the_current_folder(program, folder):
    code = "import helpers, helpers.runs, helpers.cli.train, helpers.reporting.tables as t\n"
    code += "print(helpers.ROOT, helpers.runs.RUNS_FOLDER, helpers.cli.train.SCRATCH, t.TABLES_FOLDER)"
    python = program.with_name("python")
    done = run(python, "-P", "-c", code, cwd=folder)
    root, runs, scratch, tables = done.stdout.split()
    assert (root, runs, scratch) == (str(folder), f"{folder}/results/runs", f"{folder}/scratch/runs")
    assert tables.endswith("site-packages/helpers/stored/tables")


def test_the_wheel_holds_the_package_its_types_and_its_tables(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    source = {path.relative_to(ROOT).as_posix() for path in (ROOT / "helpers").rglob("*.py")}
    tables = {path.name for path in (ROOT / "results" / "tables").glob("*.csv")}
    assert source | {"helpers/py.typed", "helpers/data/registry.csv"} <= names
    assert {f"helpers/stored/tables/{name}" for name in tables} <= names
    assert "helpers/stored/published/label_counts.csv" in names
    assert wheel.name == f"beyond_micro_f1-{__version__}-py3-none-any.whl"
    assert not {name for name in names if name.startswith(("tests/", "notebooks/", "results/"))}
    assert {"helpers/stored/web/main.js", "helpers/stored/web/vendor/plot.min.js"} <= names
    assert sum(name.startswith("helpers/stored/runs/") for name in names) > 200
    assert wheel.stat().st_size < 6_000_000
