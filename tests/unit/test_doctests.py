"""The examples of every module of the package give what they say, one test a module."""

import doctest
import importlib
from pathlib import Path

import pytest

from helpers import ROOT

MODULES = sorted(path for path in (ROOT / "helpers").rglob("*.py") if ">>> " in path.read_text("utf-8"))


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_examples(path: Path) -> None:
    module = importlib.import_module(module_name(path))
    failed, tried = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    assert tried and not failed
