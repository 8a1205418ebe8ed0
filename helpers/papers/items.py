"""What was reproduced, item by item: every table, figure, equation and claim of the papers under one rule.

`results/published/items.csv` says of each item what the evidence is, which rule makes a status of it, and,
for claims over runs, the family of tests, which was fixed before their runs were read. A status that the rule
does not give is refused; those over runs are computed (`run_statuses`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from ..core import unknown_name
from ..reporting import PUBLISHED_FOLDER, to_markdown
from .bag_models import bag_findings, bag_runs, bag_scores
from .findings import CONTRADICTED, REPRODUCED, UNDECIDED, finding_runs, findings_table

ITEMS = PUBLISHED_FOLDER / "items.csv"
FULLY, IN_PART, NOT_POSSIBLE, NOT_BUILT = "reproduced", "in part", "not possible here", "not built yet"
STATUSES = (FULLY, REPRODUCED, IN_PART, UNDECIDED, CONTRADICTED, NOT_POSSIBLE, NOT_BUILT)
PAPERS = {
    "W": "**W** Harbecke et al. 2022, *Why only Micro-F1?*",
    "R": "**R** Lyu et al. 2021, *Do Models Learn the Directionality of Relations?*",
    "L": "**L** LibMultiLabel project 2024",
    "D": "**D** Gao et al. 2021, *Manual Evaluation Matters*",
}
KINDS = ("table", "figure", "equation", "claim")
OTHERS = ("other models", "other data")
EVIDENCE = ("definition", "same data", "printed numbers", *OTHERS, "none")
"""What there is: something that holds for every input; counts of the paper's own data; the paper's printed
numbers alone; runs of another encoder or other systems on the paper's data; runs or counts on other data."""
RULES = {
    "holds always": (("definition", "same data"), (FULLY, IN_PART, CONTRADICTED)),
    "counted": (("same data", *OTHERS), (FULLY, REPRODUCED, IN_PART, UNDECIDED, CONTRADICTED)),
    "follows": (("printed numbers",), (UNDECIDED, CONTRADICTED, NOT_POSSIBLE)),
    "tests": (OTHERS, (REPRODUCED, IN_PART, UNDECIDED, CONTRADICTED)),
    "every run": (OTHERS, (REPRODUCED, UNDECIDED, CONTRADICTED)),
    "made anew": (OTHERS, (IN_PART,)),
    "one case": (OTHERS, (IN_PART, UNDECIDED)),
    "nothing": (("none",), (NOT_POSSIBLE, NOT_BUILT)),
}
"""Rule → the evidence that it is for, and the statuses that it gives."""


def _read_items(path: Path | str = ITEMS) -> pd.DataFrame:
    """Every table, figure, numbered equation and claim of the papers, one row each.

    Returns
    -------
    Columns paper, kind, item, what, status (of `STATUSES`), evidence (of `EVIDENCE`), rule (of `RULES`),
    family (of tests; more than one: '; '), file (of this repository), key (text in that file; of tests, their
    labels), note; all text. What is not built has no file.

    Raises ValueError that names the file and the line for an unknown word, and for a status or evidence that
    the rule does not know.

    >>> _read_items().groupby("paper")["item"].count().to_dict()
    {'D': 30, 'L': 23, 'R': 35, 'W': 32}
    """
    items = pd.read_csv(path, dtype=str, keep_default_na=False)
    words = {"kind": KINDS, "status": STATUSES, "evidence": EVIDENCE, "rule": tuple(RULES)}
    for column, known in words.items():
        for line, value in enumerate(items[column], start=2):
            if value not in known:
                raise ValueError(f"{path}, line {line}: {unknown_name(column, value, known)}")
    for line, row in enumerate(items.itertuples(), start=2):
        evidence, statuses = RULES[row.rule]
        if row.evidence not in evidence or row.status not in statuses or not _same_data_fits(row):
            raise ValueError(
                f"{path}, line {line}: {row.status!r} does not follow from {row.evidence!r} by {row.rule!r}"
            )
    return items


def _same_data_fits(row: object) -> bool:
    """Nothing is *reproduced* on other models or data, and nothing *(order)* on the paper's own."""
    return row.status != (FULLY if row.evidence in OTHERS else REPRODUCED)


def run_statuses(items: pd.DataFrame, verdicts: Mapping[tuple[str, str], str]) -> list[str]:
    """The status of each item whose rule is 'tests', from the verdicts on its tests; '' for the others.

    All tests have the paper's order: *reproduced (order)*; all have the other one: *contradicted*; some have
    the paper's: *in part*; else *undecided*. verdicts : (family, label) → verdict.

    >>> items = pd.DataFrame({"rule": ["tests"], "family": ["F"], "key": ["a; b"]})
    >>> run_statuses(items, {("F", "a"): "reproduced (order)", ("F", "b"): "undecided"})
    ['in part']
    """
    found = []
    for row in items.itertuples():
        labels = row.key.split("; ") if row.rule == "tests" else []
        own = [
            verdicts[family, one]
            for one in labels
            for family in row.family.split("; ")
            if (family, one) in verdicts
        ]
        if len(own) != len(labels):
            raise ValueError(f"a test of {row.key!r} is not in the family {row.family!r}, or in two")
        alike = set(own)
        found.append(
            "" if not own else own[0] if len(alike) == 1 else IN_PART if REPRODUCED in alike else UNDECIDED
        )
    return found


def stored_verdicts() -> dict[tuple[str, str], str]:
    """(family, label) → the verdict of every test on the stored runs."""
    tables = findings_table(finding_runs()), bag_findings(bag_scores(bag_runs()))
    return {(row.family, row.label): row.verdict for table in tables for row in table.itertuples()}


def items_markdown() -> str:
    """How many items of each paper have which status, and all items."""
    items = _read_items(ITEMS)
    count = _counts(items).reset_index()
    shown = items[["paper", "item", "what", "status", "evidence", "rule"]].assign(
        where=[f"[{Path(one).name}]({_link(one)})" if one else "" for one in items["file"]],
        note=items["note"],
    )
    return f"{to_markdown(count)}\n\n{to_markdown(shown)}"


def status_markdown() -> str:
    """How many items of each paper have which status, the papers by title."""
    count = _counts(_read_items(ITEMS)).rename(index=PAPERS).rename_axis("paper").reset_index()
    return to_markdown(count)


def _counts(items: pd.DataFrame) -> pd.DataFrame:
    count = pd.crosstab(items["paper"], items["status"]).reindex(index=[*PAPERS], columns=STATUSES)
    return count.fillna(0).astype(int).rename_axis(None, axis=1)


def _link(file: str) -> str:
    """The file as seen from results/README.md."""
    return file.removeprefix("results/") if file.startswith("results/") else f"../{file}"
