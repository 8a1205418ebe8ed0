"""Fixtures that all tests share."""

import gc
import os
import shutil
import sys
from pathlib import Path

if "PYTEST_XDIST_WORKER" in os.environ:  # one thread a worker; read when numpy and torch are loaded
    os.environ |= dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")

import numpy as np
import pytest
from hypothesis import settings

from helpers.__main__ import main
from helpers.data import catalogue

# A machine that does other things is no fault of the code; examples are drawn anew in long runs only.
LONG, EXAMPLES = "EXAMPLES" in os.environ, int(os.environ.get("EXAMPLES", "40"))
settings.register_profile("busy", max_examples=EXAMPLES, deadline=None, derandomize=not LONG, database=None)
settings.load_profile("busy")
gc.set_threshold(20_000, 20, 50)
sys.modules["rfc3987_syntax"] = None  # else nbformat spends 3 s on a grammar of addresses


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """The tests of a file share what they load, so one process runs them, but for notebooks and examples."""
    from xdist.scheduler import LoadScopeScheduling

    class ByFile(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            alone = nodeid.startswith(("tests/notebooks", "tests/unit/test_doctests"))
            return nodeid if alone else nodeid.partition("::")[0]

    config.option.loadscopereorder = False  # as collected: the long notebooks first
    return ByFile(config, log) if config.getvalue("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a long run, which draws more examples, properties are of `make nightly`, too."""
    for item in items:
        if LONG and getattr(item.obj, "is_hypothesis_test", False):
            item.add_marker(pytest.mark.nightly(third=2))


@pytest.fixture(scope="module", autouse=True)
def frozen():
    """Corpora stay in memory until the end; searching them for garbage took half of the time."""
    yield
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    """What is registered in a test is forgotten afterwards."""
    monkeypatch.setattr(catalogue, "_registered", {})


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


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window; the tests are skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("needs Chromium: apt-get install chromium")
    quiet = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    quiet += ["--disable-component-update", "--disable-sync", "--no-first-run"]
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=quiet)
        yield browser
        browser.close()


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
