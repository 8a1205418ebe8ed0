"""A scheme that is registered for the length of a block."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from helpers.metrics import Weighting, register_scheme, unregister_scheme


@contextlib.contextmanager
def temporary_scheme(name: str, weighting: Weighting) -> Iterator[str]:
    register_scheme(name, weighting)
    try:
        yield name
    finally:
        unregister_scheme(name)
