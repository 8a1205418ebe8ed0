"""Pictures of the leaderboard's page as it opens, figures/leaderboard_<name>.png: `make leaderboard`.

Chromium draws them, through playwright. Where one of the two is missing, this is said, and there are none.
"""

import os
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (390, "light")}
"""End of a picture's name → width of the window and colours."""


def take_pictures(page: Path, folder: Path) -> None:
    """Draw each of `PICTURES`."""
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if not chromium:
        sys.exit("no pictures of the page were taken: they need Chromium and the package playwright")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (width, colours) in PICTURES.items():
            view = browser.new_page(viewport={"width": width, "height": 1180}, color_scheme=colours)
            view.goto(page.as_uri())
            view.wait_for_selector("#view-ranking svg")
            view.screenshot(path=folder / f"leaderboard_{name}.png")
        browser.close()


if __name__ == "__main__":
    take_pictures(ROOT / "results" / "leaderboard" / "index.html", ROOT / "figures")
