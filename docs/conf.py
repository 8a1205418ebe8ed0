"""Sphinx: one site of README, results, executed notebooks, glossary and reference. `make site` builds it."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from helpers import __version__  # noqa: E402

project, author, release = "Beyond Micro-F1", "the Beyond Micro-F1 authors", __version__
project_copyright = author

# The source is the whole checkout, so that the links between its pages hold here as they do in a repository.
root_doc = "docs/index"
include_patterns = [
    "[!R]*.md",
    "docs/*.md",
    "notebooks/teaching/*.md",
    "results/*.md",
    "results/notebooks/**.ipynb",
]
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.viewcode", "numpydoc"]
html_extra_path = ["extra", "../results/leaderboard"]

nb_execution_mode = "off"  # executed copies are shown as they are
nb_merge_streams = True
myst_enable_extensions = ["dollarmath", "html_image"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
default_role = "code"  # single backticks in docstrings are code

html_theme = "furo"
html_title = "Beyond Micro-F1"
html_static_path = ["static"]
html_js_files = ["accessible.js"]
html_copy_source = False
html_show_sourcelink = False


def lead_inside(app: Sphinx, page: str, source: list[str]) -> None:
    """Links of a page to the source of a notebook lead to its executed copy, those to a folder are text."""
    folder, notebooks, copies = (ROOT / page).parent, ROOT / "notebooks", ROOT / "results" / "notebooks"
    origin = folder
    if page == root_doc:  # README, and the tables of contents
        origin, source[0] = ROOT, (ROOT / "README.md").read_text("utf-8") + source[0]

    def link(match: re.Match[str]) -> str:
        text, target, anchor = match.groups("")
        path = Path(os.path.normpath(origin / target))
        if path.is_dir():
            return text
        if path.suffix == ".ipynb" and path.is_relative_to(notebooks):
            path = copies / path.relative_to(notebooks)
        return f"[{text}]({os.path.relpath(path, folder)}{anchor})" if path.exists() else text

    source[0] = re.sub(r"\[([^\]\[]+)\]\(([^)#:\s]+)(#[^)\s]*)?\)", link, source[0])


def name_pictures(app: Sphinx, page: str, source: list[str]) -> None:
    """A figure of a notebook keeps its text: MyST-NB looks for it in the cell, not beside the picture."""
    if str(app.env.doc2path(page)).endswith(".ipynb"):
        notebook = json.loads(source[0])
        for cell in notebook["cells"]:
            for output in cell.get("outputs", []):
                if alt := output.get("metadata", {}).get("image/png", {}).get("alt"):
                    cell["metadata"]["mystnb"] = {"image": {"alt": alt}}
        source[0] = json.dumps(notebook)


def escaped_bar(match: re.Match[str]) -> str:
    """Code as it is; a bar outside of it as text."""
    return match[1] or r"\|"


def head_examples(
    app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]
) -> None:
    """A heading for what follows the sections of a docstring, its errors in a sentence and its examples.

    A bar in a formula is a bar, not the mark of a substitution; what follows `name : ` is text, not a type.
    """
    examples = next((n for n, line in enumerate(lines) if line.startswith(">>> ")), len(lines))
    lines[:examples] = [re.sub(r"(`[^`]*`)|\|", escaped_bar, line) for line in lines[:examples]]
    sections = next((n for n, line in enumerate(lines) if re.fullmatch("-{3,}", line)), len(lines))
    lines[sections:] = "\n".join(
        re.sub(r"^([\w*, ]+) : ", r"\1\n    ", line) for line in lines[sections:]
    ).split("\n")
    starts = [n for n, line in enumerate(lines) if line.startswith((">>> ", "Raises "))]
    if sections < len(lines) and starts:
        lines[starts[0] : starts[0]] = ["Notes", "-----"]


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", head_examples, priority=100)  # before numpydoc reads it
    app.connect("source-read", lead_inside)
    app.connect("source-read", name_pictures)
