"""Fixtures that all tests share, and which tests depend on the data."""

import os
import re
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:  # one thread a worker; read when numpy and torch are loaded
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
import pytest

from helpers.__main__ import main

READS_DATA = {"data", "evaluation", "experiments", "papers", "notebooks", "cli"}
"""Folders of helpers and of tests in which something may come out otherwise where no data are."""
READERS = re.compile(r"helpers\.data|MissingData|run_experiment|case_study\(")
"""What a notebook that reads data files cannot do without."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark with `data` what may depend on it: by its folder, or as it asks for the folder with the data."""
    for item in items:
        in_folder = READS_DATA & set(item.path.parts[len(item.config.rootpath.parts) :])
        if "data_dir" in getattr(item, "fixturenames", ()) or (in_folder and _may_read(item)):
            item.add_marker("data")


def _may_read(item: pytest.Item) -> bool:
    """False for the run of a notebook that works on stored outcomes and published numbers alone."""
    notebook = getattr(item, "callspec", None) and item.callspec.params.get("path")
    is_notebook = isinstance(notebook, Path) and notebook.suffix == ".ipynb"
    return not is_notebook or bool(READERS.search(notebook.read_text("utf-8")))


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
