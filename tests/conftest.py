"""Fixtures that all tests share."""

import os
from pathlib import Path

import numpy as np
import pytest

from helpers.cli.commands import main


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
