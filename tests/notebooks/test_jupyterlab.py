"""Notebooks in the real JupyterLab, in headless Chromium: opened unchanged, with a widget, run whole.

On opening, JupyterLab writes the kernel's name and language into the notebook, and marks its tab as changed
where that is new. The sources hold all of it but the version of Python, which differs between machines: the
copies here have it, so whatever else would be changed shows as a mark.
"""

import json
import os
import platform
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from helpers import ROOT
from helpers.metrics import class_weights
from helpers.notebooks import notebook_paths

pytestmark = pytest.mark.nightly(third=0)
BEFORE_WIDGET = """import pandas as pd
from helpers import metrics
interactive, small = True, [100, 10, 1]
"""
CORE = notebook_paths()[:8]
RUN_ALL = """async () => {
    await window.jupyterapp.commands.execute("notebook:run-all-cells");
    return window.jupyterapp.shell.currentWidget.model.toJSON();
}"""
MARKED = ".lm-TabBar-tab.jp-mod-current.jp-mod-dirty"
SETTLED = """async () => {
    const session = window.jupyterapp.shell.currentWidget.sessionContext;
    await session.ready;
    await Promise.all([session.session.kernel.info, session.session.kernel.spec]);
    await new Promise(done => setTimeout(done, 200));
}"""
"""What JupyterLab waits for before it writes the kernel into the notebook, and time to draw the tab."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copies of the first notebook, and one with a widget: nothing in the project is written."""
    folder = tmp_path_factory.mktemp("lab")
    first = json.loads(notebook_paths()[0].read_text("utf-8"))
    first["metadata"]["language_info"]["version"] = platform.python_version()
    (folder / notebook_paths()[0].name).write_text(json.dumps(first), "utf-8")
    (path,) = notebook_paths("02")
    (widget,) = (cell.source for cell in nbformat.read(path, 4).cells if "interact(" in cell.source)
    notebook = v4.new_notebook(cells=[v4.new_code_cell(BEFORE_WIDGET + widget)])
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3 (ipykernel)"}
    nbformat.write(notebook, folder / "widget.ipynb")
    for path in CORE:
        notebook = nbformat.read(path, 4)
        notebook.cells[1].source += f"\nfigures_dir = results_dir = {str(folder)!r}"
        nbformat.write(notebook, folder / f"run-{path.name}")
    return folder


@pytest.fixture(scope="module")
def open_notebook(folder: Path, browser) -> Iterator[Callable]:
    """Open a copy in a JupyterLab of its own; gives the page."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token, home = secrets.token_hex(8), str(folder / "home")
    words = [f"--ServerApp.port={port}", "--ServerApp.port_retries=0", f"--IdentityProvider.token={token}"]
    words += [f"--ServerApp.root_dir={folder}", "--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1"]
    words.append("--LabApp.expose_app_in_browser=True")
    environment = dict.fromkeys(("JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"), home)
    server = subprocess.Popen(
        [sys.executable, "-m", "jupyterlab", *words],
        env=os.environ | environment | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    address, end = f"http://127.0.0.1:{port}", time.monotonic() + 60
    try:
        while True:
            try:
                with urllib.request.urlopen(f"{address}/api/status?token={token}", timeout=5) as answer:
                    json.load(answer)
                break
            except OSError:
                assert time.monotonic() < end, "JupyterLab does not answer"
                time.sleep(0.5)
        page = browser.new_page()
        page.set_default_timeout(240_000)  # of a machine that does other things

        def opened(name: str):
            page.goto(f"{address}/lab/tree/{name}?token={token}&reset")
            page.wait_for_selector(".jp-NotebookPanel:not(.lm-mod-hidden) .jp-Cell")
            page.evaluate(SETTLED)
            page.wait_for_selector(".jp-Notebook-ExecutionIndicator[data-status=idle]", state="attached")
            return page

        yield opened
        page.close()
    finally:
        server.kill()  # when asked politely it waits for its kernels, which end by themselves
        server.wait()


def test_a_notebook_opens_with_its_kernel(open_notebook) -> None:
    path = notebook_paths()[0]
    page = open_notebook(path.name)
    assert page.locator("h1").first.inner_text().startswith(path.stem[:2])
    assert "Python 3 (ipykernel)" in page.locator(".jp-KernelName").first.inner_text()
    assert page.locator(MARKED).count() == 0


def test_the_widget_of_02_is_drawn_and_answers(open_notebook) -> None:
    page = open_notebook("widget.ipynb")
    page.locator(".jp-Cell").first.click()
    page.keyboard.press("Shift+Enter")
    page.wait_for_selector(".jp-OutputArea .widget-slider")
    table = ".jp-OutputArea table"
    before = page.locator(table).first.inner_text()
    alpha = float(before.partition("n^")[2].split()[0])
    page.locator(".jp-OutputArea .noUi-handle").first.focus()
    page.keyboard.press("ArrowRight")
    moved = round(alpha + 0.05, 2)
    page.wait_for_function(f"document.querySelector('{table}').innerText.includes('n^{moved:g}')")
    weights = class_weights([100, 10, 1], f"n^{moved:g}").round(3)
    rows = page.locator(table).first.inner_text().splitlines()[-3:]
    assert [float(row.split()[-1]) for row in rows] == weights.tolist()


@pytest.mark.parametrize("path", CORE, ids=lambda path: path.stem)
def test_a_core_notebook_runs_from_top_to_bottom(path, open_notebook) -> None:
    notebook = nbformat.from_dict(open_notebook(f"run-{path.name}").evaluate(RUN_ALL))
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    failed = [output for cell in cells for output in cell.outputs if output.output_type == "error"]
    assert not failed and cells[-1].outputs
