"""Libraries that take seconds to load: loaded when a test uses them, not when tests are collected."""

import importlib
from typing import Any


class _Library:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("_"):  # pytest asks everything that it collects for _mock_name and __test__
            raise AttributeError(attribute)
        return getattr(importlib.import_module(self._name), attribute)


nbformat = _Library("nbformat")
v4 = _Library("nbformat.v4")
