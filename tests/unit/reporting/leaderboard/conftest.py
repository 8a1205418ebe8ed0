"""A browser for the tests of the page, and pages to open; both are made once."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

from helpers.metrics import Outcome
from helpers.reporting.leaderboard import build_page, page_data
from helpers.runs import RUNS_FOLDER, RankedFacts, Run, save_run
from tests.support import HOSTILE_NAMES

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"]
ARGUMENTS += ["--disable-sync", "--no-first-run"]


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window; the tests are skipped where there is none."""
    api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if not path:
        pytest.skip("needs Chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def real_data() -> dict:
    """The stored systems of the reproduction; intervals of few replicates, which are quick."""
    return page_data(RUNS_FOLDER, None, replicates=20, cached=False, only=("tacred", "semeval2010", "nyt10"))


@pytest.fixture(scope="session")
def real_page(real_data, tmp_path_factory) -> Path:
    return build_page(real_data, tmp_path_factory.mktemp("page") / "index.html")


@pytest.fixture(scope="session")
def many_page(tmp_path_factory) -> Path:
    """Synthetic systems on 41 classes; the names of three would do harm."""
    folder, rng = tmp_path_factory.mktemp("many"), np.random.default_rng(1)
    gold = np.round(np.geomspace(500, 2, 42)).astype(int)
    gold[0] = 12000
    labels = ("no_relation", *(f"per:class_{n}" for n in range(41)))
    save(Outcome.from_table(np.diag(gold), labels), folder, "all", dataset="many", negative="no_relation")
    data = page_data(folder, None, replicates=2, cached=False)
    (test_set,) = data["testsets"]
    (one,) = test_set["systems"]
    names = [*HOSTILE_NAMES, *(f"system {n:03d}" for n in range(40))]
    test_set["systems"] = [one | {"name": name, "key": name} | drawn(gold, rng) for name in names]
    return build_page(data, folder / "index.html")


def drawn(gold: np.ndarray, rng: np.random.Generator) -> dict[str, list[int]]:
    """Counts of a system that finds about seven samples of ten of each class."""
    right = rng.binomial(gold, np.clip(rng.normal(0.7, 0.15, len(gold)), 0, 1))
    wrong = rng.multinomial((gold - right).sum(), np.full(len(gold), 1 / len(gold)))
    return {"tp": right.tolist(), "pred": (right + wrong).tolist()}


def save(outcome, folder, name, **fields) -> None:
    safe = "".join(letter if letter.isalnum() else "-" for letter in name)
    run = Run.from_outcome(outcome, model=name, **fields)
    path = folder / fields["dataset"] / safe / "published"
    path.mkdir(parents=True)
    save_run(run, path / "whole")
    next((path / "whole").rglob("*.json")).rename(path / "predictions.json")
    shutil.rmtree(path / "whole")


@pytest.fixture(scope="session")
def opened(browser):
    """Open a page: gives the page and a list of what went wrong on it."""

    def open_page(path: Path, address: str = "", width: int = 1280, dark: bool = False):
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        page, faults = context.new_page(), []
        page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on(
            "request",
            lambda asked: (
                None if asked.url.startswith(("file:", "data:", "blob:")) else faults.append(asked.url)
            ),
        )
        page.goto(path.as_uri() + address)
        page.wait_for_selector("#view-ranking svg, main [role=tabpanel]:not([hidden]) table, main table")
        return page, faults

    yield open_page
    for context in browser.contexts:
        context.close()


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory) -> Path:
    """One system of each kind of outcome."""
    folder = tmp_path_factory.mktemp("small")
    gold = ["NA", "R(e1,e2)", "R(e2,e1)", "NA", "R(e1,e2)", "R(e2,e1)"] * 5
    first = gold[:20] + ["NA"] * 10
    turned = [{"R(e1,e2)": "R(e2,e1)"}.get(one, one) for one in first]
    save(Outcome.from_columns(gold, first, paired=turned), folder, "pairs", dataset="small", negative="NA")
    save(Outcome.from_columns(gold, gold), folder, "perfect", dataset="small", negative="NA")
    ranked = RankedFacts(level="bag", facts=4, length=6, hit_ranks=(1, 2, 5))
    save(ranked, folder, "list", dataset="ranked", negative="NA", labels=("NA", "r"))
    return folder
