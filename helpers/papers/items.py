"""What was reproduced, item by item: every table, figure, equation and claim of the papers under one rule.

`results/published/items.csv` says of each item what the evidence is, which rule makes a status of it, and,
for claims over runs, the family of tests, which was fixed before their runs were read. A status that the rule
does not give is refused; those over runs are computed (`_run_status`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from ..core import unknown_name
from ..reporting import PUBLISHED_FOLDER, to_markdown
from .bag_models import bag_findings, bag_runs, bag_scores
from .findings import CONTRADICTED, REPRODUCED, UNDECIDED, stored_findings

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
    for line, row in enumerate(items.to_dict("records"), start=2):
        for column, known in words.items():
            if row[column] not in known:
                raise ValueError(f"{path}, line {line}: {unknown_name(column, row[column], known)}")
        status, evidence = row["status"], row["evidence"]
        known_evidence, statuses = RULES[row["rule"]]
        # nothing is *reproduced* on other models or data, and nothing *(order)* on the paper's own
        not_on_these = FULLY if evidence in OTHERS else REPRODUCED
        if evidence not in known_evidence or status not in statuses or status == not_on_these:
            text = f"{status!r} does not follow from {evidence!r} by {row['rule']!r}"
            raise ValueError(f"{path}, line {line}: {text}")
    return items


def _run_status(row: Any, verdicts: Mapping[tuple[str, str], str]) -> str:
    """The status of an item whose rule is 'tests', from the verdicts on its tests: (family, label) → verdict.

    All tests have the paper's order: *reproduced (order)*; all have the other one: *contradicted*; some have
    the paper's: *in part*; else *undecided*. Raises ValueError for a test that is in none of the item's
    families, or in two.

    >>> item = pd.Series({"family": "F", "key": "a; b"})
    >>> _run_status(item, {("F", "a"): "reproduced (order)", ("F", "b"): "undecided"})
    'in part'
    """
    labels, families = row.key.split("; "), row.family.split("; ")
    tests = [(family, label) for label in labels for family in families if (family, label) in verdicts]
    if [label for _, label in tests] != labels:
        raise ValueError(f"a test of {row.key!r} is not in the family {row.family!r}, or in two")
    alike = {verdicts[test] for test in tests}
    return alike.pop() if len(alike) == 1 else IN_PART if REPRODUCED in alike else UNDECIDED


def _stored_verdicts() -> dict[tuple[str, str], str]:
    """(family, label) → the verdict of every test on the stored runs."""
    tables = stored_findings(), bag_findings(bag_scores(bag_runs()))
    return {(row.family, row.label): row.verdict for table in tables for row in table.itertuples()}


def items_markdown() -> str:
    """How many items of each paper have which status, and all items."""
    items = _read_items()
    count = _counts(items).reset_index()
    shown = items[["paper", "item", "what", "status", "evidence", "rule"]].assign(
        where=[f"[{Path(file).name}]({_link(file)})" if file else "" for file in items["file"]],
        note=items["note"],
    )
    return f"{to_markdown(count)}\n\n{to_markdown(shown)}"


def status_markdown() -> str:
    """How many items of each paper have which status, the papers by title."""
    count = _counts(_read_items()).rename(index=PAPERS).rename_axis("paper").reset_index()
    return to_markdown(count)


def _counts(items: pd.DataFrame) -> pd.DataFrame:
    count = pd.crosstab(items["paper"], items["status"]).reindex(index=[*PAPERS], columns=STATUSES)
    return count.fillna(0).astype(int).rename_axis(None, axis=1)


def _link(file: str) -> str:
    """The file as seen from results/README.md."""
    return file.removeprefix("results/") if file.startswith("results/") else f"../{file}"
