"""Fixtures that all tests share, and which tests depend on the data."""

import os
import re
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:  # one thread a worker; read when numpy and torch are loaded
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
import pytest
from hypothesis import settings

from helpers.__main__ import main
from helpers.core import write_atomically
from helpers.data import files as registry

# A machine that does other things is no fault of the code; examples are drawn anew in long runs only.
settings.register_profile("busy", deadline=None, derandomize="EXAMPLES" not in os.environ, database=None)
settings.load_profile("busy")

READS_DATA = {"data", "evaluation", "experiments", "papers", "notebooks", "cli"}
"""Folders of helpers and of tests in which something may come out otherwise where no data are."""
READERS = re.compile(r"helpers\.data|from helpers import .*\bdata\b|MissingData|run_experiment|case_study\(")
"""What a notebook that reads data files cannot do without."""
WAITING = {"test_slurm.py", "test_workflow.py", "test_processes.py"}
NIGHTLY = {
    "test_solution_runs": 0,
    "test_jupyterlab.py": 0,
    "test_slurm.py": 1,
    "test_spark_counts_as_memory_does": 1,
    "test_two_processes_give_what_one_gives": 1,
    "test_kills.py::test_notebooks": 1,
    "test_kills.py::test_linear": 1,
    "test_killed_at_any_moment_the_next_call_finishes_and_nothing_runs_twice": 1,
    "test_two_processes_of_type_restriction_store_both_evaluations": 2,
    "test_student.py": 1,
    "test_wheel.py": 2,
}
NIGHTLY |= {"test_kills.py": 1} if "KILLS" in os.environ else {}
NIGHTLY |= {"test_fuzz.py": 2} if "EXAMPLES" in os.environ else {}
"""Files and single tests of `make nightly`, and which third of it they are; kills and spoilt files are in
`make test`, too, in small numbers."""
WHOLE = ("", "not nightly")
"""What `-m` is in a run of all tests, and in `make test`."""
SEEN = Path(__file__).parents[1] / ".cache" / "tests-that-read-data.txt"
"""Classes and files of tests that looked for data in the last whole run with data."""
_looked: set[str] = set()


def pytest_configure(config: pytest.Config) -> None:
    """Note which tests look for data files."""
    look = registry.search_folders

    def noted() -> list[Path]:
        _looked.add(os.environ.get("PYTEST_CURRENT_TEST", "").rpartition("::")[0])
        return look()

    registry.search_folders = noted


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node, error) -> None:
    """What a worker noted, once it is done."""
    _looked.update(getattr(node, "workeroutput", {}).get("looked", ()))


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Hand the notes to the controller; after a whole run with data it stores them."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["looked"] = sorted(_looked)
    elif _is_whole(session.config) and os.environ.get("RC_DATA_DIR"):
        write_atomically(SEEN, "\n".join(sorted(_looked)) + "\n")


def _is_whole(config: pytest.Config) -> bool:
    chosen = config.getoption("-m") not in WHOLE or config.getoption("-k") or config.getoption("collectonly")
    return not chosen and config.args_source is pytest.Config.ArgsSource.TESTPATHS


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark with `data` what may depend on it: it looked for data in the last whole run or, before there was
    one, lies in a folder that may; it asks for the folder with data; it runs a notebook that reads.

    Tests that wait for processes of their own begin first, so that no worker waits for them at the end."""
    items.sort(key=lambda item: item.path.name not in WAITING)
    seen = SEEN.read_text("utf-8").splitlines() if SEEN.exists() else None
    for item in items:
        notebook = getattr(item, "callspec", None) and item.callspec.params.get("path")
        if isinstance(notebook, Path) and notebook.suffix == ".ipynb":
            depends = bool(READERS.search(notebook.read_text("utf-8")))
        elif seen is None:
            depends = bool(READS_DATA & set(item.path.parts[len(item.config.rootpath.parts) :]))
        else:
            depends = item.nodeid.rpartition("::")[0] in seen
        if depends or "data_dir" in getattr(item, "fixturenames", ()):
            item.add_marker("data")
        file, test = item.path.name, item.originalname
        for name in {file, test, f"{file}::{test}"} & NIGHTLY.keys():
            item.add_marker(pytest.mark.nightly(third=NIGHTLY[name]))


@pytest.fixture(scope="session")
def data_dir() -> Path:
    """The folder with the real data; a test that asks for it is skipped where there is none."""
    named = os.environ.get("RC_DATA_DIR")
    if not named:
        pytest.skip("needs the real data: RC_DATA_DIR is not set")
    folder = Path(named).resolve()
    if not folder.is_dir():
        # A typing error must not skip half of the tests.
        pytest.fail(f"RC_DATA_DIR names no folder: {folder}")
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    """A random generator that is the same in every run."""
    return np.random.default_rng(20221126)


@pytest.fixture
def call(capsys):
    """Run a command; gives exit code, standard output, standard error."""

    def run(*words: object) -> tuple[int, str, str]:
        code = main([str(word) for word in words])
        return code, *capsys.readouterr()

    return run
