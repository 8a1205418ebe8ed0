"""The examples of every module of the package give what they say, one test a module."""

import doctest
import importlib
from pathlib import Path

import pytest

from helpers import ROOT

MODULES = sorted(path for path in (ROOT / "helpers").rglob("*.py") if ">>> " in path.read_text("utf-8"))
HOW = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_examples(path: Path) -> None:
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=HOW)
    for one in doctest.DocTestFinder().find(importlib.import_module(module_name(path))):
        runner.run(one, out=report.append)
    assert runner.tries, "there is `>>> ` in the file, but no example"
    if runner.failures:
        pytest.fail("".join(report), pytrace=False)
