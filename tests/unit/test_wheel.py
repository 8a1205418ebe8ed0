"""The wheel, installed with the core alone, in the folder of somebody who has `helpers` of her own."""

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from helpers import ROOT, __version__

pytestmark = pytest.mark.nightly(third=2)
UV = Path(sys.executable).with_name("uv")
MINE = "gold,predicted\nNA,NA\nborn,born\ntitle,born\ntitle,title\n"


def run(*words: object, path: Path | None = None, **options) -> subprocess.CompletedProcess:
    """A command without the data, the path and the package of this checkout; `path`: of another package."""
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "RC_DATA_DIR")}
    clean |= {} if path is None else {"PYTHONPATH": str(path)}
    options |= {"capture_output": True, "text": True, "env": clean, "timeout": 300}
    return subprocess.run([str(word) for word in words], **options)


def installed(*words: object) -> None:
    """Run an installation by uv; without a package registry there is nothing to test."""
    done = run(UV, *words)
    if done.returncode:
        probe = ("--dry-run", "--no-cache", "--python", sys.executable, "--reinstall", "click")
        if run(UV, "pip", "install", *probe).returncode:
            pytest.skip("needs a package registry")
        pytest.fail(done.stderr)


def environment(folder: Path, version: object, *packages: object) -> Path:
    """The Python of a fresh environment with these packages."""
    if run(UV, "venv", "--quiet", "--no-python-downloads", "--python", version, folder).returncode:
        pytest.skip(f"there is no Python {version} on this machine")
    installed("pip", "install", "--quiet", "--python", folder / "bin" / "python", *packages)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def built(tmp_path_factory) -> Path:
    """The folder with the archive, and with the wheel that is made from it."""
    folder = tmp_path_factory.mktemp("dist")
    installed("build", "--quiet", "--out-dir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built) -> Path:
    return next(built.glob("*.whl"))


@pytest.fixture(scope="module")
def program(wheel, tmp_path_factory, request) -> Path:
    """The console script, installed with the core alone in a fresh environment."""
    version = getattr(request, "param", sys.executable)
    return environment(tmp_path_factory.mktemp("core") / "venv", version, wheel).with_name("beyond-micro-f1")


@pytest.fixture(scope="module")
def site(wheel, tmp_path_factory) -> Path:
    """A folder into which the wheel is installed, without what it needs, which these tests have."""
    folder = tmp_path_factory.mktemp("site")
    words = ("-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--target", folder, wheel)
    assert run(sys.executable, *words).returncode == 0
    return folder


@pytest.fixture
def folder(tmp_path) -> Path:
    """The folder of somebody who has predictions, and a module with the name of the checkout's folder."""
    (tmp_path / "helpers.py").write_text("raise SystemExit('the wrong helpers')\n")
    (tmp_path / "mine.csv").write_text(MINE)
    return tmp_path


@pytest.mark.parametrize("kind", ["nothing", "helpers.py", "helpers/", "helpers/__init__.py"])
def test_a_gate_fails_beside_a_users_own_helpers(kind, site, folder):
    (folder / "helpers.py").unlink()
    if "/" in kind:
        (folder / "helpers").mkdir()
    if kind.endswith(".py"):
        (folder / kind).write_text("ours = True\n")
        code = "import helpers, beyond_micro_f1.metrics; print(helpers.ours)"
        assert run(sys.executable, "-c", code, cwd=folder, path=site).stdout == "True\n"
    for start in (("-m", "beyond_micro_f1"), (site / "bin" / "beyond-micro-f1",)):
        for least, code in (("0.66", 0), ("0.67", 1)):
            gate = ("score", "mine.csv", "--negative", "NA", "--fail-under", f"macro={least}")
            done = run(sys.executable, *start, *gate, cwd=folder, path=site)
            assert done.returncode == code, done.stderr
            assert ("macro is 0.666667, under 0.67" in done.stderr) == bool(code)


def test_data_sets_models_and_doctests_work_under_the_other_name(site, folder):
    (folder / "helpers.py").write_text("raise ImportError('of the user')\n")
    code = """if True:
    import doctest
    from beyond_micro_f1 import data, models, program
    from beyond_micro_f1.core import labels

    rows = data.datasets().values()
    made = [function for row in rows for function in (row.reader, row.maker, row.counter) if function]
    made += [entry.load() for entry in models.MODELS.values()]
    made = [getattr(one, 'func', one) for one in made]
    assert all(one.__module__.startswith("beyond_micro_f1.") for one in made)
    assert data.read_corpus("demo")["test"]
    assert not doctest.testmod(labels).failed
    print(program())
    """
    done = run(sys.executable, "-c", code, cwd=folder, path=site)
    assert (done.returncode, done.stdout) == (0, "beyond-micro-f1\n"), done.stderr


@pytest.mark.parametrize("program", ["3.11", "3.12", "3.13"], indirect=True)
def test_a_file_is_scored_in_a_folder_with_a_helpers_py(program, folder):
    done = run(program, "score", "mine.csv", "--negative", "NA", "--format", "json", cwd=folder)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schemes"]["macro"]["f1"] == pytest.approx(2 / 3)
    assert sorted(path.name for path in folder.iterdir()) == ["helpers.py", "mine.csv"]


def test_what_is_stored_rides_along_and_extras_are_named(program, folder):
    assert "perplexity                   3.31" in run(program, "stats", "tacred", cwd=folder).stdout
    said = run(program, "summary", cwd=folder)
    assert re.search(r"^\d+ of \d+ published numbers agree", said.stdout.splitlines()[-1]), said.stderr
    for words, package, extra in (
        (("train", "--model", "majority", "--dataset", "demo"), "tqdm", "train"),
        (("linear", "--train", "mine.csv", "--model", "m"), "tqdm", "linear"),
        (("data", "fetch", "chemprot/dev.txt"), "requests", "data"),
        (("score", "mine.csv", "--engine", "duckdb"), "duckdb", "large"),
    ):
        done = run(program, *words, cwd=folder)
        install = f"pip install 'beyond-micro-f1[{extra}]'"
        missing = f"error: {words[0]} needs {package}, which is not installed: {install}\n"
        assert (done.returncode, done.stdout, done.stderr) == (2, "", missing)
    done = run(program, "notebooks", cwd=folder)  # they come with a checkout alone
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("error: no notebooks (NN_name.ipynb) in ")
    assert "beyond-micro-f1 score mine.csv" in run(program, "score", "--help", cwd=folder).stdout
    assert sorted(path.name for path in folder.iterdir()) == ["helpers.py", "mine.csv"]


def test_a_report_stands_among_the_stored_systems_and_the_page_is_built(program, folder):
    shutil.copy(ROOT / "examples" / "predictions.csv", folder / "theirs.csv")
    words = ("theirs.csv", "--dataset", "semeval2010", "--output", "report.md")
    done = run(program, "report", *words, cwd=folder)
    assert done.returncode == 0, done.stderr
    assert re.search(r"\| \d+ of \d+ \|", (folder / "report.md").read_text("utf-8"))
    done = run(program, "leaderboard", "rebuild", "--bootstrap", "2", cwd=folder)
    assert done.returncode == 0, done.stderr
    page = (folder / "results" / "leaderboard" / "index.html").read_text("utf-8")
    assert '"key":"BiLSTM + BERT cased"' in page


def test_the_wheel_holds_the_package_its_types_its_tables_and_nothing_called_helpers(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    package = ROOT / "helpers"
    source = {f"beyond_micro_f1/{path.relative_to(package).as_posix()}" for path in package.rglob("*.py")}
    tables = {f"beyond_micro_f1/stored/tables/{path.name}" for path in ROOT.glob("results/tables/*.csv")}
    assert source | tables | {"beyond_micro_f1/py.typed", "beyond_micro_f1/data/registry.csv"} <= names
    kept = {"beyond_micro_f1", f"beyond_micro_f1-{__version__}.dist-info"}
    assert {name.partition("/")[0] for name in names} == kept and wheel.stat().st_size < 6_000_000


def test_a_copy_with_other_times_and_permissions_gives_the_same_bytes(built, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(
        ROOT, copy, copy_function=shutil.copyfile, ignore=shutil.ignore_patterns(".*", "build", "scratch")
    )
    shutil.copyfile(ROOT / ".gitignore", copy / ".gitignore")
    for kind in ("sdist", "wheel"):
        installed("build", "--quiet", f"--{kind}", "--out-dir", tmp_path / "dist", copy)
    for path in (tmp_path / "dist").iterdir():
        assert path.read_bytes() == (built / path.name).read_bytes(), path.name


def test_the_tests_of_the_core_run_from_the_archive(built, tmp_path):
    (archive,) = built.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    (source,) = tmp_path.iterdir()
    packages = (source, "pytest", "hypothesis", "scikit-learn")
    python = environment(tmp_path / "venv", sys.executable, *packages)
    done = run(python, "-m", "pytest", "-q", "tests", cwd=source)
    assert done.returncode == 0, done.stdout
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 400
