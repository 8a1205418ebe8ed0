"""Tables for a paper: LaTeX with booktabs, per cent, an interval or an SD in the cell of its score.

Only `booktabs` is needed. Labels are anybody's text: they are escaped, and shown in one line.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..core import table_name

Rows = Iterable[tuple[str, Mapping[str, Any]]]
COUNTS = ("support", "predicted", "correct", "facts", "n", "cells", "in_train")
HIDDEN = ("signature", "averaged", "undefined", "bold")
SPECIAL = {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"} | {char: "\\" + char for char in "_%&#${}"}
WORDS = ["micro", "weighted", "dodrans", "entropy", "macro", "accuracy", "precision", "recall"]
WORDS += ["jaccard", "specificity", "value", "better_set", "counted_as", "share"]
HEADS = {word: word.capitalize().replace("_", " ") for word in (*WORDS, *COUNTS)}
HEADS |= {"f1": "F1", "mcc": "MCC", "n": "$n$", "pd": "PD", "pir": "PIR", "ppr": "PPR", "auc": "AUC"}
HEADS |= {"performance_original": "A", "performance_paired": "B"}
"""Columns in plain words."""


def latex_text(text: Any) -> str:
    r"""Text with the characters escaped that LaTeX takes for commands.

    >>> print(latex_text("R_1 50 %"))
    R\_1 50 \%
    """
    return "".join(SPECIAL.get(char, char) for char in table_name(text))


def latex_name(name: str) -> str:
    r"""The name of a column, a scheme or a score as a paper prints it; others as they are.

    >>> [latex_name(name) for name in ("dodrans", "n^0.5", "f1", "f0.5", "f1_of_means", "my_scheme")]
    ['Dodrans', '$n^{0.5}$', 'F1', '$F_{0.5}$', 'F1 of means', 'my\\_scheme']
    """
    if name in HEADS:
        return HEADS[name]
    if power := re.fullmatch(r"n\^(-?[\d.]+)", name):
        return f"$n^{{{power[1]}}}$"
    if beta := re.fullmatch(r"f([\d.]+)", name):
        return f"$F_{{{beta[1]}}}$"
    if name.endswith("_of_means"):
        return f"{latex_name(name.removesuffix('_of_means'))} of means"
    return latex_text(name)


def latex_float(
    tables: Sequence[tuple[str, Rows]],
    caption: str,
    label: str,
    comments: Sequence[str] = (),
    decimals: int = 1,
    value: str = "",
) -> str:
    r"""Tables of named rows as one floating table with caption and label; comments stand above it.

    Parameters
    ----------
    tables : (head of the names, rows) each, a row as (name, column → value). Fractions are shown in per cent,
        counts as they are, a missing value as a dash. The keys `x_low` and `x_high` are the ends of the
        interval of `x`, `x_sd` its SD, which stand in its cell; `bold` names the columns in bold.
    value : the column whose interval has the ends `low` and `high`, if there is one.
    caption, names : LaTeX. label : as `\ref` takes it. decimals : of per cent; a test set of some thousand
        samples does not tell more than one.

    >>> rows = [(latex_text("lived_in"), {"f1": 0.5, "f1_low": 0.25, "f1_high": 0.75, "facts": 4})]
    >>> print(latex_float([("Relation", rows)], "Scores.", "tab:scores", ["f1|n:3"]))
    % f1|n:3
    % needs booktabs
    \begin{table}
    \centering
    \caption{Scores.}
    \label{tab:scores}
    \begin{tabular}{lrr}
    \toprule
    Relation & F1 & Facts \\
    \midrule
    lived\_in & 50.0 [25.0, 75.0] & 4 \\
    \bottomrule
    \end{tabular}
    \end{table}
    """
    drawn = []
    for title, rows in tables:
        cells = [(name, _cells(row, decimals, value)) for name, row in rows]
        if keys := dict.fromkeys(key for _, row in cells for key in row):
            lines = [[name, *(row.get(key, "") for key in keys)] for name, row in cells]
            drawn.append(_tabular([title, *map(latex_name, keys)], lines))
    head = [r"\begin{table}", r"\centering", rf"\caption{{{caption}}}", rf"\label{{{label}}}"]
    notes = (f"% {comment}" for comment in (*comments, "needs booktabs"))
    return "\n".join([*notes, *head, "\n\n\\medskip\n".join(drawn), r"\end{table}"])


def _tabular(head: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    first, *body = (rf"{' & '.join(line)} \\" for line in (head, *lines))
    start = [rf"\begin{{tabular}}{{l{'r' * (len(head) - 1)}}}", r"\toprule", first, r"\midrule"]
    return "\n".join([*start, *body, r"\bottomrule", r"\end{tabular}"])


def _cells(row: Mapping[str, Any], decimals: int, value: str) -> dict[str, str]:
    """The cells of a row: those of its keys that have a column of their own."""
    ends = ("low", "high") if value else ()
    row = {f"{value}_{key}" if key in ends else key: cell for key, cell in row.items()}
    inside = {f"{key}_{end}" for key in row for end in ("low", "high", "sd")}
    keys = (key for key in row if key not in HIDDEN and key not in inside)
    return {key: _cell(key, row, decimals) for key in keys}


def _cell(key: str, row: Mapping[str, Any], decimals: int) -> str:
    def per_cent(name: str) -> str:
        number = row.get(name)
        return "" if number is None or math.isnan(number) else f"{100 * number:.{decimals}f}"

    value = row[key]
    if isinstance(value, str):
        text = latex_text(value)
    elif value is None or math.isnan(value):
        text = "--"
    elif key in COUNTS:
        text = f"{value:.6f}".rstrip("0").rstrip(".")
    else:
        low, high, sd = (per_cent(f"{key}_{end}") for end in ("low", "high", "sd"))
        ends = f" [{low}, {high}]" if low and high else ""
        text = per_cent(key) + ends + (f" $\\pm$ {sd}" if sd else "")
    return rf"\textbf{{{text}}}" if key in row.get("bold", ()) else text
