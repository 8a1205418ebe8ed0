"""What all benchmarks share: whether only the cheap ones run, and how a measurement is held to its claim."""

import pytest

from helpers.papers.page import RATES
from tests.benchmarks.table import store


@pytest.fixture(scope="session")
def cheap(request) -> bool:
    """Whether `pytest -m cheap` runs: less data, half of what is required, no row written."""
    return request.config.option.markexpr == "cheap"


@pytest.fixture
def record(request, cheap):
    """`record(what, ours, peer, theirs, at_least)` holds a measurement to its claim, and stores it.

    The ratio is theirs / ours, and ours / theirs where more is better (`RATES`); the unit is the last word of
    `what`. The file says what `PACKAGES` its rows name, and whether they are held and `STORED` here at all.
    """
    stored = getattr(request.module, "STORED", True)

    def held_to(what: str, ours: float, peer: str, theirs: float, at_least: float) -> None:
        ratio = ours / theirs if what.endswith(RATES) else theirs / ours
        required = at_least * (0.5 if cheap else 1.0) * stored
        print(f"\n{what}: {ours:.4g}; {peer}: {theirs:.4g}; ratio {ratio:.3g}, required {required:.3g}")
        assert ratio >= required
        if stored and not cheap:
            row = {"measurement": what, "ours": ours, "peer": peer, "theirs": theirs, "ratio": ratio}
            store(row | {"required": at_least}, request.module.PACKAGES)

    return held_to
