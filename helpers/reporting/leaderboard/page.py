"""The page of the leaderboard: one file that holds data, code, style and the charting library.

The sources lie under web/; the build is Python alone. Nothing is loaded from anywhere: a content security
policy with the sums of the two scripts forbids it, and forbids scripts that somebody may bring in by a name.
"""

from __future__ import annotations

import base64
import hashlib
import json
import logging
import os
import re
import shutil
from pathlib import Path
from typing import Any

from ... import ROOT, WEB
from ...core import atomic_writer, read_file, write_atomically

PAGE = ROOT / "results" / "leaderboard" / "index.html"
SCRIPTS = ("metrics", "dom", "state", "model", "charts", "ranking", "views", "main")
"""Of the page, in one scope; the last one draws it."""
PLOT = "vendor/plot.min.js"
"""Observable Plot 0.6.17 with the parts of D3 that it uses; web/README.md says how the file was made."""
PICTURES = {"light": (1280, "light"), "dark": (1280, "dark"), "phone": (390, "light")}
"""End of a picture's name → width of the window and colours."""
logger = logging.getLogger(__name__)


def build_page(data: dict[str, Any], path: Path | str = PAGE, web: Path | str = WEB) -> Path:
    """Write the page with these data (`page_data`), atomically. Returns its path.

    The same data and sources give the same file. Raises OSError if a source is missing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = build_page({"testsets": [], "replicates": 0}, Path(folder, "index.html"))
    ...     page.read_text("utf-8").count("<script")
    3
    """
    return write_atomically(path, _page_text(data, Path(web)))


def take_pictures(page: Path | str, folder: Path | str) -> list[Path]:
    """Pictures of the page as it opens, `leaderboard_<name>.png` for each of `PICTURES`; their paths.

    Chromium draws them, through playwright. Where one of the two is missing, that is logged as a warning, and
    there are none.
    """
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if not chromium:
        logger.warning("no pictures of the page were taken: they need Chromium and the package playwright")
        return []
    taken = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (width, colours) in PICTURES.items():
            view = browser.new_page(viewport={"width": width, "height": 1180}, color_scheme=colours)
            view.goto(Path(page).resolve().as_uri())
            view.wait_for_selector("#view-ranking svg")
            taken.append(Path(folder, f"leaderboard_{name}.png"))
            with atomic_writer(taken[-1]) as stream:
                stream.write(view.screenshot())
        browser.close()
    return taken


def _page_text(data: dict[str, Any], web: Path = WEB) -> str:
    """The text of the page.

    >>> "<script>alert" in _page_text({"testsets": [], "replicates": 0, "x": "<script>alert(1)</script>"})
    False
    """
    plot = _source(web / PLOT).replace("</script", "<\\/script")
    scripts = "\n".join(_source(web / f"{name}.js") for name in SCRIPTS)
    code = f"(() => {{\n'use strict';\n{scripts}}})();\n"
    sums = " ".join(_sum(script) for script in (plot, code))
    policy = (
        f"default-src 'none'; script-src {sums}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
    )
    parts = {
        "policy": policy + "; form-action 'none'",
        "style": _source(web / "style.css"),
        "replicates": f"{data.get('replicates', 0):,}",
        "data": _json_in_html(data),
        "plot": plot,
        "code": code,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _source(web / "page.html"))


def _json_in_html(value: Any) -> str:
    """JSON that may stand in a script element: no text of it can end the element or begin another.

    >>> _json_in_html({"name": "</script>"})
    '{"name":"\\\\u003c/script>"}'
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _source(path: Path) -> str:
    return read_file(path).decode()


def _sum(script: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"
