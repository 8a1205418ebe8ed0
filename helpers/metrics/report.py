"""A report: what `evaluate` found, as text, dict, DataFrame, CSV and LaTeX.

Scores are fractions; text and LaTeX show per cent, the machine-readable forms keep fractions, with undefined
values as null (JSON) or empty (CSV). Labels are anybody's text: JSON and CSV keep it, text and LaTeX show it
in one line, as `core.text` says.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import Label, csv_text, table_name, visible
from .bootstrap import wilson_interval
from .latex import COUNTS, DECIMALS, latex_float, latex_table, latex_text
from .latex import HIDDEN as NOT_SHOWN

if TYPE_CHECKING:
    import pandas as pd

DIRECTION_SCORES = {
    "A": "performance_original",
    "B": "performance_paired",
    "PD": "pd",
    "PIR": "pir",
    "PPR": "ppr",
}
"""Short name of a direction score → its field in `DirectionScores`."""


@dataclass
class Report:
    """Scores of one outcome.

    Attributes
    ----------
    n : samples, the negative class included. labels : all labels of the table. negative : the negative class
        or None.
    accuracy : share of samples predicted right; `accuracy_interval` has Wilson's interval.
    averaged : labels that the class-weighted schemes average.
    ignored : labels that were asked for but left out of all schemes but micro, having no gold samples.
    schemes : scheme → precision, recall, f1, f1_of_means, signature, and low, high once `add_interval` was
        called; with another score, that in place of f1.
    per_class : label → precision, recall, f1, support, predicted, correct, averaged, undefined (names of the
        scores that are 0/0 there).
    score_name : 'f1', or 'f0.5', 'mcc' and so on. signature : the policy shared by all rows.
    extra : further sections of a task, e.g. `official` and `direction`. headings : section → what its scores
        are, which text and LaTeX say (JSON and CSV have signatures).

    >>> from helpers.metrics import Confusion, evaluate
    >>> report = evaluate(Confusion.from_arrays(["a", "b", "NA"], ["a", "a", "NA"]), negative="NA")
    >>> print(report.to_text())
    n 3 · accuracy 66.67 · negative NA · 2 labels averaged
    scheme      precision  recall      f1  f1_of_means
    micro           50.00   50.00   50.00        50.00
    weighted        25.00   50.00   33.33        33.33
    dodrans         25.00   50.00   33.33        33.33
    entropy         25.00   50.00   33.33        33.33
    macro           25.00   50.00   33.33        33.33
    <BLANKLINE>
    class              precision  recall      f1  support  predicted  correct
    NA (not averaged)     100.00  100.00  100.00        1          1        1
    a                      50.00  100.00   66.67        1          2        1
    b                      0.00*    0.00    0.00        1          0        0
    * undefined (0/0), counted as shown
    f1|labels:supported|negative:NA|zero_support:skip|direction:kept|n:3|v:0.1
    """

    n: float
    labels: tuple[Label, ...]
    negative: Label | None
    accuracy: float
    averaged: tuple[Label, ...]
    ignored: tuple[Label, ...]
    schemes: dict[str, dict[str, Any]]
    per_class: dict[Label, dict[str, Any]]
    score_name: str
    signature: str
    extra: dict[str, Any] = field(default_factory=dict)
    headings: dict[str, str] = field(default_factory=dict)

    def add_interval(self, scheme: str, low: float, high: float) -> None:
        """Put the ends of an interval for the score of a scheme into the report.

        >>> report = Report(1, (), None, 1.0, (), (), {"micro": {"f1": 1.0}}, {}, "f1", "")
        >>> report.add_interval("micro", 0.5, 1.0)
        >>> report.schemes["micro"]["low"]
        0.5
        """
        self.schemes[scheme] |= {"low": low, "high": high}

    @property
    def accuracy_interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % interval of the accuracy; None where samples have weights.

        >>> report = Report(10, (), None, 0.6, (), (), {}, {}, "f1", "")
        >>> [round(end, 4) for end in report.accuracy_interval]
        [0.3127, 0.8318]
        """
        return wilson_interval(self.accuracy * self.n, self.n) if isinstance(self.n, int) else None

    def scores(self) -> dict[str, float]:
        """The numbers that one asks for by name: the score under each scheme, accuracy, and, where there are,
        `official` (macro-F1 of the task), and A, B, PD, PIR, PPR (nan if undefined).

        >>> Report(1, (), None, 1.0, (), (), {"micro": {"f1": 0.5}}, {}, "f1", "").scores()
        {'micro': 0.5, 'accuracy': 1.0}
        """
        found = {"accuracy": self.accuracy}
        if "official" in self.extra:
            found["official"] = self.extra["official"]["grouped"]["macro"]
        if direction := self.extra.get("direction"):
            values = {name: direction[key] for name, key in DIRECTION_SCORES.items()}
            found |= {name: math.nan if value is None else value for name, value in values.items()}
        schemes = {name: row[self.score_name] for name, row in self.schemes.items()}
        return schemes | {name: value for name, value in found.items() if name not in schemes}

    def to_dict(self) -> dict[str, Any]:
        """The report as plain Python values that `json.dumps` takes: nan becomes None, tuples become lists.

        >>> Report(1, ("a",), None, 1.0, ("a",), (), {}, {}, "f1", "sig").to_dict()["labels"]
        ['a']
        """
        head = {key: getattr(self, key) for key in ("n", "labels", "negative", "accuracy")}
        if ends := self.accuracy_interval:
            head["accuracy_interval"] = {"low": ends[0], "high": ends[1], "method": "wilson"}
        head |= {"schemes": self.schemes, "per_class": self.per_class, "signature": self.signature}
        return _plain(head | {"averaged": self.averaged, "ignored": self.ignored} | self.extra)

    def rows(self) -> list[dict[str, Any]]:
        """Schemes, then classes, one dict each with the keys `kind` and `name` in front.

        >>> Report(1, (), None, 1.0, (), (), {"micro": {"f1": 1.0}}, {}, "f1", "").rows()
        [{'kind': 'scheme', 'name': 'micro', 'f1': 1.0}]
        """
        schemes = [{"kind": "scheme", "name": name, **row} for name, row in self.schemes.items()]
        classes = [{"kind": "class", "name": label, **row} for label, row in self.per_class.items()]
        classes = [row | {"undefined": " ".join(row["undefined"])} for row in classes]
        sections = [(kind, *item) for kind in self.extra for item in self._section(kind).items()]
        return schemes + classes + [{"kind": kind, "name": name, **row} for kind, name, row in sections]

    def _section(self, kind: str) -> dict[str, dict[str, Any]]:
        """A section of `extra` as named rows; the values that stand by themselves make up one row."""
        section = self.extra[kind]
        single = {key: value for key, value in section.items() if not isinstance(value, dict)}
        nested: dict[str, dict[str, Any]] = {}
        tables: dict[str, dict[str, Any]] = {}
        for key, value in section.items():
            if isinstance(value, dict) and all(isinstance(row, dict) for row in value.values()):
                tables |= {f"{key}.{inner}": row for inner, row in value.items()}
            elif isinstance(value, dict):
                nested[key] = value
        return ({kind: single} if single else {}) | nested | tables

    def to_frame(self) -> pd.DataFrame:
        """`rows()` as a pandas DataFrame (pandas is imported here only).

        >>> report = Report(1, (), None, 1.0, (), (), {"micro": {"f1": 1.0}}, {}, "f1", "")
        >>> report.to_frame().loc[0, "f1"].item()
        1.0
        """
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_csv(self, raw: bool = False) -> str:
        """`rows()` as CSV text with a header line; undefined values are empty.

        Text that a spreadsheet would take for a formula gets an apostrophe in front, unless `raw`.

        >>> print(Report(1, (), None, 1.0, (), (), {"micro": {"f1": 1.0}}, {}, "f1", "").to_csv(), end="")
        kind,name,f1
        scheme,micro,1.0
        """
        rows = [_plain(row) for row in self.rows()]
        columns = list(dict.fromkeys(key for row in rows for key in row))
        return csv_text([columns, *([row.get(key) for key in columns] for row in rows)], raw)

    def to_text(self) -> str:
        """A table to read, in per cent; undefined class scores carry a star, long names are cut."""
        head = f"n {plain_number(self.n)} · accuracy {_percent(self.accuracy)}"
        if any("low" in row for row in self.schemes.values()) and (ends := self.accuracy_interval):
            head += f" [{_percent(ends[0])}, {_percent(ends[1])}]"
        head += f" · negative {table_name(self.negative)} · {len(self.averaged)} labels averaged"
        schemes = [(table_name(name), row) for name, row in self.schemes.items()]
        lines = [head, *_table("scheme", schemes), "", *_table("class", self._class_rows())]
        if any(row["undefined"] for row in self.per_class.values()):
            lines.append("* undefined (0/0), counted as shown")
        if self.ignored:
            names = ", ".join(map(table_name, self.ignored[:5])) + (", …" if len(self.ignored) > 5 else "")
            lines.append(f"{len(self.ignored)} without gold samples, left out of all but micro: {names}")
        lines += [line for kind in self.extra for line in ("", *self._extra_lines(kind))]
        return "\n".join([*lines, visible(self.signature)])

    def _extra_lines(self, kind: str) -> list[str]:
        lines = [table_name(kind) + (f": {self.headings[kind]}" if kind in self.headings else "")]
        for name, row in self._section(kind).items():
            pairs = (f"{table_name(key)} {_shown(key, row[key])}" for key in row if key not in NOT_SHOWN)
            lines.append(f"  {table_name(name):<22}  {'  '.join(pairs)}")
            lines += [f"    {visible(row['signature'])}"] if "signature" in row else []
        return lines

    def _class_rows(self) -> list[tuple[str, dict[str, Any]]]:
        """The classes that occur, as gold or predicted; two long names may be alike once they are cut."""
        return [
            (table_name(label) + ("" if row["averaged"] else " (not averaged)"), row)
            for label, row in self.per_class.items()
            if row["support"] or row["predicted"]
        ]

    def to_latex(self, decimals: int = DECIMALS) -> str:
        r"""The schemes, and each section of `extra`, as a LaTeX table with caption and label.

        It needs the package booktabs. Scores are in per cent, an interval stands in the cell of its score,
        the signature is a comment.

        >>> schemes = {"dodrans": {"f1": 0.725, "f1_of_means": 0.73, "low": 0.701, "high": 0.748}}
        >>> print(Report(90, (), "NA", 1.0, ("a",), (), schemes, {}, "f1", "sig_1").to_latex())
        % sig_1
        \begin{table}
        \centering
        \caption{Scores in per cent of 90 samples, averaged over 1 class; the negative class is NA.
        In brackets 95\,\% bootstrap intervals.}
        \label{tab:scores}
        \begin{tabular}{lrr}
        \toprule
        Scheme & F1 & F1 of means \\
        \midrule
        Dodrans & 72.5 [70.1, 74.8] & 73.0 \\
        \bottomrule
        \end{tabular}
        \end{table}
        """
        tables = [latex_table("Scheme", self.schemes, self.score_name, decimals)]
        for kind in self.extra:
            section = self._section(kind)
            ends = {name.partition(".")[2]: section.pop(name) for name in [*section] if "intervals." in name}
            for rate, row in ends.items():
                section[kind] |= {f"{rate}_{end}": value for end, value in row.items()}
            tables.append(latex_table(latex_text(kind).capitalize(), section, decimals=decimals))
        classes = f"{len(self.averaged)} class{'es' * (len(self.averaged) != 1)}"
        caption = f"Scores in per cent of {plain_number(self.n)} samples, averaged over {classes}"
        caption += (
            f"; the negative class is {latex_text(self.negative)}." if self.negative is not None else "."
        )
        if any("low" in row for row in self.schemes.values()):
            caption += "\nIn brackets 95\\,\\% bootstrap intervals."
        caption += "".join(f"\n{kind.capitalize()}: {said}." for kind, said in self.headings.items())
        return latex_float(tables, caption, "tab:scores", [visible(self.signature)])


def _table(title: str, rows: list[tuple[str, dict[str, Any]]]) -> list[str]:
    widths = {column: max(len(column), 6) for column in _columns(row for _, row in rows)}
    width = max([len(title), 10, *(len(name) for name, _ in rows)])
    lines = [f"{title:<{width}}" + "".join(f"  {column:>{w}}" for column, w in widths.items())]
    for name, row in rows:
        lines.append(f"{name:<{width}}" + "".join(f"  {_cell(row, key):>{w}}" for key, w in widths.items()))
    return lines


def _shown(key: str, value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, str):
        return table_name(value)
    return plain_number(value) if key in COUNTS else _percent(value)


def _columns(rows: Iterable[dict[str, Any]]) -> list[str]:
    return [key for key in dict.fromkeys(key for row in rows for key in row) if key not in NOT_SHOWN]


def _cell(row: dict[str, Any], column: str) -> str:
    if column not in row:
        return ""
    if column in COUNTS:
        return plain_number(row[column])
    return _percent(row[column]) + ("*" if column in row.get("undefined", ()) else "")


def plain_number(value: float) -> str:
    """A count without exponent or trailing zeros; sums of weights keep six decimals at most.

    >>> plain_number(10_000_000), plain_number(2.5)
    ('10000000', '2.5')
    """
    return f"{value:.6f}".rstrip("0").rstrip(".")


def _percent(value: float) -> str:
    return "–" if math.isnan(value) else f"{100 * value:.2f}"


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value
