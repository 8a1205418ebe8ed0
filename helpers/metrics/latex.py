"""Tables for a paper: LaTeX with booktabs, per cent, an interval in the cell of its score.

Only `booktabs` is needed. Labels are anybody's text: they are escaped, and shown in one line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core import table_name

DECIMALS = 1
"""Of per cent: a test set of some thousand samples does not tell more."""
COUNTS = ("support", "predicted", "correct", "facts", "n", "cells")
HIDDEN = ("signature", "averaged", "undefined")
SPECIAL = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"} | {char: "\\" + char for char in "_%&#${}"}
NAMES = {name: name.capitalize() for name in ("micro", "weighted", "dodrans", "entropy", "macro")}
NAMES |= {"f1": "F1", "mcc": "MCC", "n": "$n$", "pd": "PD", "pir": "PIR", "ppr": "PPR", "auc": "AUC"}
NAMES |= {"performance_original": "A", "performance_paired": "B"}


def latex_text(text: Any) -> str:
    r"""Text with the characters escaped that LaTeX takes for commands.

    >>> print(latex_text("R_1 50 %"))
    R\_1 50 \%
    """
    return "".join(SPECIAL.get(char, char) for char in table_name(text))


def latex_name(name: str) -> str:
    r"""The name of a scheme, a score or a column as a paper prints it; others in plain words.

    >>> [latex_name(name) for name in ("dodrans", "n^0.5", "f1", "f0.5", "f1_of_means", "my_scheme")]
    ['Dodrans', '$n^{0.5}$', 'F1', '$F_{0.5}$', 'F1 of means', 'my\\_scheme']
    """
    if name in NAMES:
        return NAMES[name]
    if found := re.fullmatch(r"n\^(-?[\d.]+)", name):
        return f"$n^{{{found[1]}}}$"
    if found := re.fullmatch(r"f([\d.]+)", name):
        return f"$F_{{{found[1]}}}$"
    if name.endswith("_of_means"):
        return f"{latex_name(name.removesuffix('_of_means'))} of means"
    return latex_text(name)


def latex_cell(
    value: float | None, low: float | None = None, high: float | None = None, decimals: int = DECIMALS
) -> str:
    """A fraction in per cent, with its interval if there is one; a dash for a missing value.

    >>> latex_cell(0.7251, 0.701, 0.748), latex_cell(None)
    ('72.5 [70.1, 74.8]', '--')
    """
    if value is None or math.isnan(value):
        return "--"
    text = f"{100 * value:.{decimals}f}"
    ends = [end for end in (low, high) if end is not None and not math.isnan(end)]
    return f"{text} [{', '.join(f'{100 * end:.{decimals}f}' for end in ends)}]" if len(ends) == 2 else text


def latex_rows(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    r"""A tabular of finished cells, the first column left, the others right.

    >>> print(latex_rows(["Scheme", "F1"], [["Micro", "72.5"]]))
    \begin{tabular}{lr}
    \toprule
    Scheme & F1 \\
    \midrule
    Micro & 72.5 \\
    \bottomrule
    \end{tabular}
    """
    lines = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\toprule"]
    lines += [rf"{' & '.join(head)} \\", r"\midrule"]
    lines += [rf"{' & '.join(row)} \\" for row in rows]
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def latex_table(
    title: str, rows: Mapping[str, Mapping[str, Any]], score: str = "f1", decimals: int = DECIMALS
) -> str:
    r"""Named rows as a tabular: fractions in per cent, counts as they are, intervals beside their score.

    The keys `low` and `high` are the ends of the interval of `score`, `name_low` and `name_high` those of
    `name`.

    >>> print(latex_table("Relation", {"lived_in": {"f1": 0.5, "low": 0.25, "high": 0.75, "facts": 4}}))
    \begin{tabular}{lrr}
    \toprule
    Relation & F1 & Facts \\
    \midrule
    lived\_in & 50.0 [25.0, 75.0] & 4 \\
    \bottomrule
    \end{tabular}
    """
    cells = {name: _cells(row, score, decimals) for name, row in rows.items()}
    keys = list(dict.fromkeys(key for row in cells.values() for key in row))
    heads = [NAMES[key] if key in NAMES else _words(latex_name(key)) for key in keys]
    return latex_rows(
        [title, *heads],
        [[latex_name(name), *(row.get(key, "") for key in keys)] for name, row in cells.items()],
    )


def _words(text: str) -> str:
    return text if text.startswith("$") or " " in text else text[:1].upper() + text[1:].replace(r"\_", " ")


def _cells(row: Mapping[str, Any], score: str, decimals: int) -> dict[str, str]:
    """Column → finished cell."""
    cells = {}
    for key, value in row.items():
        if key in HIDDEN or _is_end(key, row):
            continue
        if isinstance(value, str):
            cells[key] = latex_text(value)
        elif key in COUNTS:
            cells[key] = "--" if value is None else f"{value:.6f}".rstrip("0").rstrip(".")
        else:
            ends = ("low", "high") if key == score else (f"{key}_low", f"{key}_high")
            cells[key] = latex_cell(value, row.get(ends[0]), row.get(ends[1]), decimals)
    return cells


def _is_end(key: str, row: Mapping[str, Any]) -> bool:
    """Whether the column is an end of the interval of another."""
    name, _, end = key.rpartition("_")
    return end in ("low", "high") and (not name or name in row)


def latex_float(tables: Sequence[str], caption: str, label: str, comments: Sequence[str] = ()) -> str:
    r"""Tabulars as one floating table with caption and label; comments stand above it.

    Parameters
    ----------
    tables : from `latex_rows` or `latex_table`. caption : LaTeX. label : as `\ref` takes it.

    >>> print(latex_float(["TABULAR"], "Scores.", "tab:scores", ["f1|n:3"]))
    % f1|n:3
    \begin{table}
    \centering
    \caption{Scores.}
    \label{tab:scores}
    TABULAR
    \end{table}
    """
    body = "\n\n\\medskip\n".join(tables)
    head = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", rf"\label{{{label}}}"]
    return "\n".join([*(f"% {comment}" for comment in comments), *head, body, r"\end{table}"])
