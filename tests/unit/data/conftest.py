"""Fixtures of the tests of readers."""

from collections.abc import Iterator

import pytest

from helpers.data import arrow


@pytest.fixture(scope="module", params=["Python", "Arrow"])
def reader(request: pytest.FixtureRequest) -> Iterator[str]:
    """Texts of any length are read by Python's rows alone, then by Arrow."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arrow, "FOR_ARROW", 0 if request.param == "Arrow" else 1 << 60)
        yield request.param
