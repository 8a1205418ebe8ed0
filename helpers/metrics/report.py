"""Reports: what a scoring or a comparison found, as text, dict, DataFrame, CSV, Markdown, HTML and LaTeX.

A report gives its lines and tables to read (`parts`) and its rows (`rows`, `to_dict`); every form is drawn
from these, here and nowhere else. Scores are fractions; text and LaTeX show per cent, the machine-readable
forms keep fractions, with undefined values as null (JSON) or empty (CSV). Labels are anybody's text: JSON and
CSV keep it, the others show it in one line, as `core.visible` does.
"""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core import Label, csv_text, table_name, visible
from .bootstrap import TAIL, Interval
from .latex import COUNTS, HIDDEN, latex_float, latex_name, latex_text

if TYPE_CHECKING:
    import pandas as pd

DIRECTION_SCORES = {"A": "performance_original", "B": "performance_paired"}
DIRECTION_SCORES |= {name: name.lower() for name in ("PD", "PIR", "PPR")}
"""Short name of a direction score → its field in `DirectionScores`."""


def plain_number(value: float) -> str:
    """A count without exponent or trailing zeros; sums of weights keep six decimals at most.

    >>> plain_number(10_000_000), plain_number(2.5)
    ('10000000', '2.5')
    """
    return f"{value:.6f}".rstrip("0").rstrip(".")


def percent(value: float | None, form: str = ".2f") -> str:
    """A fraction in per cent, a dash for what is undefined.

    >>> percent(0.5), percent(0.05, "+.2f"), percent(None)
    ('50.00', '+5.00', '–')
    """
    return "–" if value is None or math.isnan(value) else format(100 * value, form)


def points(value: float | None) -> str:
    """A difference of fractions in points, with its sign.

    >>> points(-0.0125)
    '-1.25'
    """
    return percent(value, "+.2f")


def chance(p: float | None) -> str:
    """A p-value: four decimals, or the power of ten where these would be 0.

    >>> chance(0.03), chance(3e-6)
    ('0.0300', '3e-06')
    """
    if p is None or math.isnan(p):
        return "–"
    return f"{p:.4f}" if p >= 5e-5 else f"{p:.0e}"


class Column(NamedTuple):
    """How a value of a table is shown: its head, the least width (two blanks in front counted), as what."""

    head: str
    width: int = 8
    form: Callable[[Any], str] = percent


@dataclass
class Table:
    """Named rows to read: numbers to the right, names and words to the left.

    Attributes
    ----------
    title : head of the names. rows : (name, key → value), the name as it is to be shown, see `table_name`;
        a value may be missing, one that was 0/0 (key `undefined`) carries a star.
    columns : key → its column; none: every key, as per cent or as count, by its name.
    width : of the names, at least.

    >>> print(Table("scheme", [("micro", {"f1": 0.5, "support": 7}), ("macro", {"f1": 1.0})]).to_text())
    scheme          f1  support
    micro        50.00        7
    macro       100.00
    """

    title: str
    rows: Sequence[tuple[str, Mapping[str, Any]]]
    columns: Mapping[str, Column] = field(default_factory=dict)
    width: int = 10

    def __post_init__(self) -> None:
        if not self.columns:
            keys = dict.fromkeys(key for _, row in self.rows for key in row if key not in HIDDEN)
            forms = {key: plain_number if key in COUNTS else percent for key in keys}
            self.columns = {key: Column(key, max(len(key) + 2, 8), form) for key, form in forms.items()}

    def cells(self) -> list[list[str]]:
        """The head, then the rows, as text."""
        lines = [[self.title, *(column.head for column in self.columns.values())]]
        for name, row in self.rows:
            stars = dict.fromkeys(row.get("undefined", ()), "*")
            shown = {key: column.form(row[key]) for key, column in self.columns.items() if key in row}
            lines.append([name, *(shown.get(key, "") + stars.get(key, "") for key in self.columns)])
        return lines

    def to_text(self) -> str:
        """Aligned lines."""
        cells = self.cells()
        first = max(self.width, *(len(line[0]) for line in cells))
        widths = [0 if column.form is str else column.width - 2 for column in self.columns.values()]
        lines = []
        for name, *texts in cells:
            aligned = (text.rjust(width) for text, width in zip(texts, widths, strict=True))
            lines.append("  ".join([name.ljust(first), *aligned]).rstrip())
        return "\n".join(lines)

    def to_markdown(self) -> str:
        """A table of Markdown (GitHub's)."""
        head, *body = (f"| {' | '.join(map(escape_markdown, line))} |" for line in self.cells())
        return "\n".join([head, "|---|" + "---:|" * len(self.columns), *body])

    def to_html(self) -> str:
        """A table of HTML."""
        head, *body = ([html.escape(cell) for cell in line] for line in self.cells())
        lines = (f"<tr><td>{'</td><td>'.join(line)}</td></tr>" for line in body)
        return f"<table><tr><th>{'</th><th>'.join(head)}</th></tr>{''.join(lines)}</table>"


def escape_markdown(text: str) -> str:
    """Text with the characters escaped that Markdown takes for marks.

    >>> escape_markdown("a_b|c")
    'a\\\\_b\\\\|c'
    """
    return "".join("\\" + char if char in "\\`*_<>[]|" else char for char in text)


class Report:
    """Head, tables and signature of one result, in every form.

    A kind of report says what it has to read, lines ('' is a blank one) and tables in their order (`parts`);
    every number with its names, as named rows by kind (`tables`) or one dict a row (`rows`); its values by
    name; and, if it has LaTeX, its tables for a paper.
    """

    parts: Callable[[], Iterator[str | Table]]
    tables: Callable[[], Mapping[str, Mapping[Any, Mapping[str, Any]]]]

    def rows(self) -> list[dict[str, Any]]:
        """The rows of all tables, one dict each with the keys `kind` and `name` in front."""
        return [
            {"kind": kind, "name": name, **row}
            for kind, rows in self.tables().items()
            for name, row in rows.items()
        ]

    def to_dict(self) -> Any:
        """Plain Python values that `json.dumps` takes: undefined values are None."""
        return plain_values(self.rows())

    def to_frame(self) -> pd.DataFrame:
        """`rows()` as a pandas DataFrame (pandas is imported here only)."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def to_csv(self, raw: bool = False) -> str:
        """`rows()` as CSV text with a header line; undefined values are empty.

        Text that a spreadsheet would take for a formula gets an apostrophe in front, unless `raw`.
        """
        rows = plain_values(self.rows())
        columns = list(dict.fromkeys(key for row in rows for key in row))
        return csv_text([columns, *([row.get(key) for key in columns] for row in rows)], raw)

    def _drawn(self, line: Callable[[str], str], table: Callable[[Table], str]) -> Iterator[str]:
        return (line(part) if isinstance(part, str) else table(part) for part in self.parts())

    def to_text(self) -> str:
        """Lines and tables to read, in per cent; long names are cut."""
        return "\n".join(self._drawn(str, Table.to_text))

    def to_markdown(self) -> str:
        """As `to_text`, as Markdown."""
        drawn = self._drawn(escape_markdown, Table.to_markdown)
        return "\n\n".join(text for text in drawn if text) + "\n"

    def _repr_html_(self) -> str:
        return "".join(self._drawn(lambda line: line and f"<div>{html.escape(line)}</div>", Table.to_html))


def plain_values(value: Any) -> Any:
    """Python values that `json.dumps` takes: nan becomes None, tuples lists, keys text.

    >>> plain_values({1: (np.float64("nan"), 2)})
    {'1': [None, 2]}
    """
    if isinstance(value, dict):
        return {str(key): plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


@dataclass
class ClassReport(Report):
    """Scores of one outcome.

    Attributes
    ----------
    n : samples, the negative class included. labels : all labels of the table. negative : the negative class
        or None.
    accuracy : share of samples predicted right; `accuracy_interval` has Wilson's interval. nan where samples
        are sets.
    averaged : labels that the class-weighted schemes average.
    ignored : labels that were asked for but left out of all schemes but micro, having no gold samples.
    schemes : scheme → precision, recall, f1, f1_of_means, signature, and low, high once `add_intervals` was
        called; with another score, that in place of f1.
    per_class : label → precision, recall, f1, support, predicted, correct, averaged, undefined (names of the
        scores that are 0/0 there).
    score_name : 'f1', or 'f0.5', 'mcc' and so on. signature : the policy shared by all rows.
    extra : further sections of a task, e.g. `official` and `direction`. headings : section → what its scores
        are, which text and LaTeX say (JSON and CSV have signatures).
    sets_of : what samples are sets of and support counts, as 'triples', which have neither accuracy nor
        negative class; '': a sample has one label.

    >>> from helpers.metrics import evaluate
    >>> report = evaluate(["a", "b", "NA"], ["a", "a", "NA"], negative="NA")
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
    sets_of: str = ""

    def sign(self, suffix: str) -> None:
        """Put what has to be known, too, at the end of the signatures of the policy and of all schemes.

        >>> report = ClassReport(1, (), None, 1.0, (), (), {"micro": {"signature": "f1|n:1"}}, {}, "f1", "f1")
        >>> report.sign("|match:exact")
        >>> report.signature, report.schemes["micro"]["signature"]
        ('f1|match:exact', 'f1|n:1|match:exact')
        """
        self.signature += suffix
        for row in self.schemes.values():
            row["signature"] += suffix

    def add_intervals(self, drawn: Interval) -> None:
        """Put the ends of an interval (S,) of the schemes' scores into their rows.

        >>> report = ClassReport(1, (), None, 1.0, (), (), {"micro": {"f1": 1.0}}, {}, "f1", "")
        >>> report.add_intervals(Interval(*np.array([[1.0], [0.5], [1.0]])))
        >>> report.schemes["micro"]["low"]
        0.5
        """
        for scheme, ends in drawn.named([*self.schemes]).items():
            self.schemes[scheme] |= {"low": ends.low, "high": ends.high}

    @property
    def accuracy_interval(self) -> tuple[float, float] | None:
        """Wilson's 95 % score interval of the accuracy k / n; None where samples have weights or are sets.

        (k + z²/2 ± z·√(k·(n − k)/n + z²/4)) / (n + z²), z the normal quantile of .975. Unlike k/n ± z·SE it
        stays in [0, 1] and has width where k is 0 or n. Source: Wilson 1927; Brown, Cai and DasGupta 2001.

        >>> report = ClassReport(10, (), None, 0.6, (), (), {}, {}, "f1", "")
        >>> [round(end, 4) for end in report.accuracy_interval]
        [0.3127, 0.8318]
        """
        if not isinstance(self.n, int) or math.isnan(self.accuracy):
            return None
        n, right, z = self.n, self.accuracy * self.n, NormalDist().inv_cdf(1 - TAIL)
        middle, half = right + z * z / 2, z * math.sqrt(right * (n - right) / n + z * z / 4)
        return max(0.0, (middle - half) / (n + z * z)), min(1.0, (middle + half) / (n + z * z))

    def scores(self) -> dict[str, float]:
        """The numbers that one asks for by name: the score under each scheme, accuracy, and, where there are,
        `official` (macro-F1 of the task), A, B, PD, PIR, PPR (nan if undefined), and F1 of each row of the
        section `documents`.

        >>> ClassReport(1, (), None, 1.0, (), (), {"micro": {"f1": 0.5}}, {}, "f1", "").scores()
        {'micro': 0.5, 'accuracy': 1.0}
        """
        others = {} if self.sets_of else {"accuracy": self.accuracy}
        others |= {name: row["f1"] for name, row in self.extra.get("documents", {}).items()}
        if "official" in self.extra:
            others["official"] = self.extra["official"]["grouped"]["macro"]
        if direction := self.extra.get("direction"):
            values = {name: direction[key] for name, key in DIRECTION_SCORES.items()}
            others |= {name: math.nan if value is None else value for name, value in values.items()}
        schemes = {name: row[self.score_name] for name, row in self.schemes.items()}
        return schemes | others | schemes  # a scheme comes before a measure of its name

    def to_dict(self) -> dict[str, Any]:
        """The report as plain Python values that `json.dumps` takes: nan becomes None, tuples become lists.

        >>> ClassReport(1, ("a",), None, 1.0, ("a",), (), {}, {}, "f1", "sig").to_dict()["labels"]
        ['a']
        """
        keys = ("n", "labels") if self.sets_of else ("n", "labels", "negative", "accuracy")
        head = {key: getattr(self, key) for key in keys}
        if ends := self.accuracy_interval:
            head["accuracy_interval"] = {"low": ends[0], "high": ends[1], "method": "wilson"}
        head |= {"schemes": self.schemes, "per_class": self.per_class, "signature": self.signature}
        return plain_values(head | {"averaged": self.averaged, "ignored": self.ignored} | self.extra)

    def tables(self) -> dict[str, dict[Any, dict[str, Any]]]:
        """Schemes, then classes, then sections.

        >>> ClassReport(1, (), None, 1.0, (), (), {"micro": {"f1": 1.0}}, {}, "f1", "").rows()
        [{'kind': 'scheme', 'name': 'micro', 'f1': 1.0}]
        """
        classes = {
            label: row | {"undefined": " ".join(row["undefined"])} for label, row in self.per_class.items()
        }
        tables: dict[str, dict[Any, Any]] = {"scheme": self.schemes, "class": classes}
        return tables | {kind: self._section(kind) for kind in self.extra}

    def _section(self, kind: str) -> dict[str, dict[str, Any]]:
        """A section of `extra` as named rows; the values that stand by themselves make up one row."""
        section = self.extra[kind]
        single = {key: value for key, value in section.items() if not isinstance(value, dict)}
        rows = {kind: single} if single else {}
        for key, value in section.items():
            if isinstance(value, dict):
                is_table = all(isinstance(row, dict) for row in value.values())
                rows |= {f"{key}.{name}": row for name, row in value.items()} if is_table else {key: value}
        return rows

    def parts(self) -> Iterator[str | Table]:
        """Undefined class scores carry a star."""
        yield f"{self._head()} · {len(self.averaged)} labels averaged"
        yield Table("scheme", [(table_name(name), row) for name, row in self.schemes.items()])
        yield ""
        classes = [  # those that occur; two long names may be alike once they are cut
            (table_name(label) + ("" if row["averaged"] else " (not averaged)"), row)
            for label, row in self.per_class.items()
            if row["support"] or row["predicted"]
        ]
        yield Table("class", classes)
        if any(row["undefined"] for row in self.per_class.values()):
            yield "* undefined (0/0), counted as shown"
        if self.ignored:
            names = ", ".join(map(table_name, self.ignored[:5])) + (", …" if len(self.ignored) > 5 else "")
            yield f"{len(self.ignored)} without gold samples, left out of all but micro: {names}"
        for kind in self.extra:
            yield from ("", *self._extra_lines(kind))
        yield visible(self.signature)

    def _head(self) -> str:
        """What was scored, in a line."""
        if self.sets_of:
            keys = {"gold": "support", "predicted": "predicted", "right": "correct"}
            sums = {name: sum(row[key] for row in self.per_class.values()) for name, key in keys.items()}
            counts = " · ".join(f"{name} {plain_number(count)}" for name, count in sums.items())
            return f"{plain_number(self.n)} items · {self.sets_of}: {counts}"
        head = f"n {plain_number(self.n)} · accuracy {percent(self.accuracy)}"
        if any("low" in row for row in self.schemes.values()) and (ends := self.accuracy_interval):
            head += f" [{percent(ends[0])}, {percent(ends[1])}]"
        return f"{head} · negative {table_name(self.negative)}"

    def _extra_lines(self, kind: str) -> list[str]:
        lines = [table_name(kind) + (f": {self.headings[kind]}" if kind in self.headings else "")]
        for name, row in self._section(kind).items():
            pairs = (f"{table_name(key)} {_shown(key, row[key])}" for key in row if key not in HIDDEN)
            lines.append(f"  {table_name(name):<22}  {'  '.join(pairs)}")
            lines += [f"    {visible(row['signature'])}"] if "signature" in row else []
        return lines

    def to_latex(self, decimals: int = 1) -> str:
        r"""The schemes, and each section of `extra`, as a LaTeX table with caption and label.

        It needs the package booktabs. Scores are in per cent with so many decimals, an interval stands in the
        cell of its score, the signature is a comment.

        >>> schemes = {"dodrans": {"f1": 0.725, "f1_of_means": 0.73, "low": 0.701, "high": 0.748}}
        >>> print(ClassReport(90, (), "NA", 1.0, ("a",), (), schemes, {}, "f1", "sig_1").to_latex())
        % sig_1
        % needs booktabs
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
        tables = [("Scheme", [(latex_name(name), row) for name, row in self.schemes.items()])]
        for kind in self.extra:
            section = self._section(kind)
            for name in [name for name in section if name.startswith("intervals.")]:
                rate = name.partition(".")[2]
                section[kind] |= {f"{rate}_{end}": value for end, value in section.pop(name).items()}
            words = latex_text(kind.replace("_", " "))
            rows = [(words if name == kind else latex_text(name), row) for name, row in section.items()]
            tables.append((words.capitalize(), rows))
        classes = f"{len(self.averaged)} class{'es' * (len(self.averaged) != 1)}"
        negative = "" if self.negative is None else f"; the negative class is {latex_text(self.negative)}"
        scores = f"Scores in per cent of {plain_number(self.n)} {'items' if self.sets_of else 'samples'}"
        lines = [f"{scores}, averaged over {classes}{negative}."]
        if any("low" in row for row in self.schemes.values()):
            lines.append("In brackets 95\\,\\% bootstrap intervals.")
        lines += [f"{kind.capitalize()}: {said}." for kind, said in self.headings.items()]
        caption, comments = "\n".join(lines), [visible(self.signature)]
        return latex_float(tables, caption, "tab:scores", comments, decimals, self.score_name)


def _shown(key: str, value: Any) -> str:
    if value is None:
        return "undefined"
    if isinstance(value, str):
        return table_name(value)
    return plain_number(value) if key in COUNTS else percent(value)
