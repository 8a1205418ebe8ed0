"""What the first cell of a notebook promises, read without running anything."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from .runner import NOTEBOOKS, notebook_paths

FIELDS = ("Question", "You need", "Reproduces", "Reads", "Writes", "Takeaway")


def read_contract(path: Path) -> dict[str, str]:
    """The title of a notebook and the fields of its contract (`FIELDS`), without those it lacks.

    >>> contract = read_contract(NOTEBOOKS / "02_weighting_schemes.ipynb")
    >>> contract["title"], "Question" in contract
    ('02 · Weighting schemes', True)
    """
    import nbformat

    first = nbformat.read(path, as_version=4).cells[0].source
    found = dict(re.findall(r"^- \*\*([\w ]+)\.\*\* (.+)$", first, flags=re.MULTILINE))
    title = first.splitlines()[0].removeprefix("# ")
    return {"title": title} | {field: found[field] for field in FIELDS if field in found}


def contract_table(folder: Path = NOTEBOOKS) -> pd.DataFrame:
    """Every notebook with its question and what a reader needs, in reading order; titles link to the files.

    >>> contract_table()["notebook"][0]
    '[00 · Start here](00_start_here.ipynb)'
    """
    rows = []
    for path in notebook_paths(folder=folder):
        contract = read_contract(path)
        linked = f"[{contract['title']}]({path.name})"
        rows.append(
            {"notebook": linked} | {name: contract.get(name, "") for name in ("Question", "You need")}
        )
    return pd.DataFrame(rows)
