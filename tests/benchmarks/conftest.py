"""What all benchmarks share: whether only the cheap ones run, and where their rows are collected."""

import pytest

from tests.benchmarks.table import Rows


@pytest.fixture(scope="session")
def cheap(request) -> bool:
    """Whether `pytest -m cheap` runs: less data, half of what is required, no row written."""
    return request.config.option.markexpr == "cheap"


@pytest.fixture(scope="module")
def rows(request, cheap):
    """Collects a row a measurement; writes them at the end if every claim of the file held in full.

    The file says how many `CLAIMS` it makes, what `PACKAGES` its table names, and if need be whether it is
    `FULL_SIZE`; a smaller trial is held to nothing.
    """
    file = request.module
    full = getattr(file, "FULL_SIZE", True)
    rows = Rows(required=(0.5 if cheap else 1.0) * full)
    yield rows
    if len(rows) == file.CLAIMS and full and not cheap:
        rows.write(file.PACKAGES)
