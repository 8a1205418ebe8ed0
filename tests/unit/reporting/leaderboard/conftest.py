"""Pages to open in the browser; each is made once."""

from pathlib import Path

import pytest

from helpers.metrics import Outcome
from helpers.reporting.leaderboard import build_page, page_data
from helpers.runs import RUNS_FOLDER, RankedFacts, Run, save_run


@pytest.fixture(scope="session")
def real_page(tmp_path_factory) -> Path:
    """The stored systems of the reproduction; intervals of few replicates, which are quick."""
    only = ("tacred", "semeval2010")
    data = page_data(RUNS_FOLDER, None, replicates=20, cached=False, only=only)
    return build_page(data, tmp_path_factory.mktemp("page") / "index.html")


def save(outcome, folder, name, **fields) -> None:
    """A run file of published predictions."""
    save_run(Run.from_outcome(outcome, model=name, **fields), folder)


@pytest.fixture(scope="session")
def opened(browser):
    """Open a page: gives the page and a list of what went wrong on it."""

    def open_page(path: Path, address: str = "", dark: bool = False):
        context = browser.new_context(
            viewport={"width": 1280, "height": 900},
            color_scheme="dark" if dark else "light",
            permissions=["clipboard-read", "clipboard-write"],
        )
        page, faults = context.new_page(), []
        local = ("file:", "data:", "blob:")
        page.on("console", lambda message: message.type == "error" and faults.append(message.text))
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("dialog", lambda dialog: (faults.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda asked: asked.url.startswith(local) or faults.append(asked.url))
        page.goto(path.as_uri() + address)
        page.wait_for_selector("#view-ranking svg, main [role=tabpanel]:not([hidden]) table, main table")
        return page, faults

    yield open_page
    for context in browser.contexts:
        context.close()


@pytest.fixture(scope="session")
def serious_faults():
    """What axe finds on a page: rule and place."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")

    def run(page) -> list[tuple[str, str]]:
        found = axe.Axe().run(page).response["violations"]
        serious = [fault for fault in found if fault["impact"] in ("serious", "critical")]
        return [(fault["id"], fault["nodes"][0]["html"]) for fault in serious]

    return run


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory) -> Path:
    """One system of each kind of outcome."""
    folder = tmp_path_factory.mktemp("small")
    gold = ["NA", "R(e1,e2)", "R(e2,e1)"] * 10
    first = gold[:20] + ["NA"] * 10
    turned = ["R(e2,e1)" if label == "R(e1,e2)" else label for label in first]
    save(Outcome.from_columns(gold, first, paired=turned), folder, "pairs", dataset="small", negative="NA")
    save(Outcome.from_columns(gold, gold), folder, "perfect", dataset="small", negative="NA")
    ranked = RankedFacts(level="bag", facts=4, length=6, hit_ranks=(1, 2, 5))
    save(ranked, folder, "list", dataset="ranked", negative="NA", labels=("NA", "r"))
    return folder
