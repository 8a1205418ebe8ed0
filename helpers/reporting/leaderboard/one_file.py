"""A report of one prediction file on one page, as HTML or Markdown, in the look of the leaderboard.

All schemes with intervals, the curve over α beside the stored systems of the test set, every class, and a
paragraph to report the score by. It holds no text of a sample and loads nothing.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ... import WEB, __version__
from ...core import read_file, table_name, visible
from ...evaluation import score_file, score_run, system_title
from ...metrics import SCHEMES, ClassCounts, ClassReport, alpha_spectrum, averages, escape_markdown
from ...runs import STORED_RUNS, Run, list_runs
from ..tables import markdown_table
from .checks import counts_of, find_test_set, knows_gold, label_outcome, run_dataset
from .payload import TITLES
from .store import STORE, submissions

STEPS = np.linspace(0, 1, 41)
CITATION = (
    "Harbecke, D., Chen, Y., Hennig, L., Alt, C. (2022). Why only Micro-F1? Class Weighting of Measures for "
    "Relation Classification. NLP-Power 2022, 32-41."
)


@dataclass(frozen=True)
class FileReport:
    """What `file_report` found.

    Attributes
    ----------
    system, dataset : names; dataset is '' where none was given. report : all schemes and classes.
    others : title → counts of the stored systems of the test set. replicates : of the intervals.
    """

    system: str
    dataset: str
    report: ClassReport
    replicates: int
    others: Mapping[str, ClassCounts] = field(default_factory=dict)

    def counts(self) -> ClassCounts:
        """The counts of each class."""
        rows = self.report.per_class
        columns = ([row[name] for row in rows.values()] for name in ("correct", "predicted", "support"))
        return ClassCounts(*map(np.array, columns), self.report.n, tuple(rows))

    def ranks(self) -> dict[str, int]:
        """The rank that the file would have among the stored systems, under each scheme."""
        schemes, negative = list(self.report.schemes), self.report.negative
        scores = [averages(table, schemes, negative=negative) for table in self.others.values()]
        own = [row["f1"] for row in self.report.schemes.values()]
        ahead = (np.stack(scores) > np.array(own)).sum(axis=0).tolist() if scores else []
        return {scheme: 1 + count for scheme, count in zip(schemes, ahead, strict=False)}

    def title(self) -> str:
        """One line: the system and its test set."""
        return f"{self.system} on {TITLES.get(self.dataset, self.dataset)}" if self.dataset else self.system

    def how_to_report(self) -> str:
        """A paragraph that says what a reader has to know of the scores."""
        rows, negative = self.report.schemes, self.report.negative
        said = ", ".join(f"{100 * rows[name]['f1']:.2f} ({name})" for name in SCHEMES if name in rows)
        parts = [f"{self.title()} reaches F1 of {said}, in per cent, on {self.report.n:,.0f} samples."]
        if negative is not None:
            parts.append(f"{table_name(negative)} is the negative class and is not averaged.")
        classes = f"{len(self.report.averaged)} classes with gold samples are averaged"
        parts.append(f"{classes}, each with its own F1 (Harbecke et al. 2022).")
        if self.replicates:
            drawn = f"{self.replicates:,} replicates"
            parts.append(f"Intervals are 95 % percentile bootstrap over the test set ({drawn}).")
        parts.append(f"Scored with Beyond Micro-F1 {__version__}; signature of the macro score:")
        return " ".join([*parts, visible(rows["macro"]["signature"])])

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON values, with `ranks`, `others` (how many) and `how_to_report`."""
        values = self.report.to_dict() | {"system": self.system, "dataset": self.dataset}
        values |= {"ranks": self.ranks(), "others": len(self.others)}
        return values | {"how_to_report": self.how_to_report()}

    def scheme_rows(self) -> list[list[str]]:
        """Header and rows of the table of schemes: F1, interval, precision, recall, rank."""
        ranks = self.ranks()
        head = ["scheme", "F1", "95 % interval", "precision", "recall"] + (["rank"] if ranks else [])
        rows = [head]
        for name, row in self.report.schemes.items():
            ends = f"{100 * row['low']:.1f}–{100 * row['high']:.1f}" if "low" in row else ""
            line = [name, *(f"{100 * row[column]:.2f}" for column in ("f1", "precision", "recall"))]
            line.insert(2, ends)
            rows.append(line + ([f"{ranks[name]} of {len(self.others) + 1}"] if ranks else []))
        return rows

    def class_rows(self) -> list[list[str]]:
        """Header and rows of the table of classes, the largest first; those that occur."""
        rows = [["class", "gold", "predicted", "correct", "precision", "recall", "F1"]]
        rows_of = self.report.per_class.items()
        occurring = [(label, row) for label, row in rows_of if row["support"] or row["predicted"]]
        for label, row in sorted(occurring, key=lambda key: -key[1]["support"]):
            counts = [f"{row[key]:,.0f}" for key in ("support", "predicted", "correct")]
            scores = [f"{100 * row[key]:.2f}" for key in ("precision", "recall", "f1")]
            name = table_name(label) + ("" if row["averaged"] else " (not averaged)")
            rows.append([name, *counts, *scores])
        return rows

    def to_markdown(self) -> str:
        """The report as Markdown."""
        said, _, signature = self.how_to_report().rpartition(": ")
        parts = [f"# {escape_markdown(self.title())}", _markdown(self.scheme_rows())]
        parts += ["## Classes", _markdown(self.class_rows()), "## How to report this"]
        parts += [f"{escape_markdown(said)}: `{signature.replace('`', chr(39))}`", f"> {CITATION}"]
        return "\n\n".join(parts) + "\n"

    def to_html(self) -> str:
        """The report as one HTML page without scripts."""
        style, words = read_file(WEB / "style.css").decode(), html.escape
        parts = [f"<h1>{words(self.title())}</h1>", _html_table(self.scheme_rows(), "Schemes")]
        parts += ["<h2>Over α, from macro to weighted</h2>", _curve(self)]
        parts += ["<h2>Classes</h2>", _bars(self), _html_table(self.class_rows(), "Classes")]
        parts += [f"<h2>How to report this</h2><p>{words(self.how_to_report())}</p>"]
        parts += [f"<blockquote>{words(CITATION)}</blockquote>"]
        policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        head += '<meta name="viewport" content="width=device-width, initial-scale=1">'
        head += f"<title>{words(self.title())}</title><style>{style}{OWN_STYLE}</style>"
        body = f'<p class="brand top"><b>Beyond Micro-F1</b> report</p><main>{"".join(parts)}</main>'
        return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


OWN_STYLE = (
    "body{max-width:860px}h2{margin:36px 0 8px}svg{max-width:100%;height:auto}"
    "blockquote{color:var(--soft);margin:12px 0;padding-left:14px;border-left:3px solid var(--line)}"
    "svg text{font:12px var(--sans);fill:var(--soft)}main{overflow-wrap:anywhere}"
)


def file_report(
    path: Path | str,
    dataset: str = "",
    system: str = "",
    negative: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    replicates: int = 1000,
    runs: Path | str = STORED_RUNS,
    store: Path | str = STORE,
) -> FileReport:
    """The report of a prediction file.

    Parameters
    ----------
    path : as in `score`; with `dataset` as in `leaderboard add`.
    dataset : a stored test set, which checks the file and gives the systems to stand beside; '': none.
    system : a name; '': that of the file. negative : the negative class; None: the data set's, or none.
    columns : role → column. replicates : of the bootstrap, 0: no intervals.

    Raises as `score_file`, or `Refused` with all faults where a data set is named.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "mine.csv")
    ...     _ = path.write_text("gold,predicted\\na,a\\nb,a\\nNA,NA\\n")
    ...     report = file_report(path, negative="NA", replicates=0)
    >>> report.title(), report.scheme_rows()[1]
    ('mine', ['micro', '50.00', '', '50.00', '50.00'])
    """
    columns, others = dict(columns or {}), {}
    name = visible(system or Path(path).name.partition(".")[0] or "predictions", 120)
    if dataset:
        test = find_test_set(dataset, runs, store)
        if test.kind != "labels":
            raise ValueError(f"{path}: {dataset} has {test.kind}; a report is of single labels")
        outcome, others = label_outcome(path, test, columns), _stored(dataset, runs, store)
        run = Run.from_outcome(outcome, dataset=dataset, model=name, negative=test.negative)
        report = score_run(run, replicates=replicates)
    else:
        named = {f"{role}_column": columns.get(role) for role in ("gold", "predicted", "id")}
        report = score_file(path, negative=negative, replicates=replicates, **named)
    return FileReport(name, dataset, report, replicates, others)


def _stored(dataset: str, runs: Path | str, store: Path | str) -> dict[str, ClassCounts]:
    stored = [run for run in list_runs(folder=runs) if not run.second and not knows_gold(run)]
    both = stored + submissions(store)
    own = [run for run in both if run_dataset(run) == dataset and run.kind in ("confusion", "paired")]
    named = {(system_title(run.name), run.seed): run for run in own}
    return {f"{name}, {seed}": counts_of(run) for (name, seed), run in named.items()}


def _markdown(rows: Sequence[Sequence[str]]) -> str:
    head, *body = ([escape_markdown(cell) for cell in row] for row in rows)
    return markdown_table(head, body, [False] + [True] * (len(head) - 1))


def _html_table(rows: Sequence[Sequence[str]], caption: str) -> str:
    def row(cells: Sequence[str], scope: str) -> str:
        first, *rest = map(html.escape, cells)
        kind, own = ("th", ' scope="col"') if scope == "col" else ("td", "")
        others = "".join(f'<{kind} class="number"{own}>{cell}</{kind}>' for cell in rest)
        return f'<tr><th scope="{scope}">{first}</th>{others}</tr>'

    head, body = row(rows[0], "col"), "".join(row(cells, "row") for cells in rows[1:])
    table = f'<caption class="hidden">{caption}</caption><thead>{head}</thead><tbody>{body}</tbody>'
    region = f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}">'
    return f'{region}<table class="plain">{table}</table></div>'


WIDTH, HEIGHT, LEFT, TOP, INNER = 820, 300, 48, 20, 244
"""Of the figure over α: the whole, where the plane begins, and its height."""


def _svg(parts: str, height: int, label: str) -> str:
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return f'<svg {size} role="img" aria-label="{html.escape(label)}">{parts}</svg>'


def _curve(report: FileReport) -> str:
    """F1 under n^α of the file, and of the stored systems behind it, as SVG."""
    negative = report.report.negative
    own = 100 * alpha_spectrum(report.counts(), STEPS, negative=negative)
    others = [
        100 * alpha_spectrum(counts, STEPS[::4], negative=negative) for counts in report.others.values()
    ]
    values = np.concatenate([own, *others])
    low = min(float(np.quantile(values, 0.1)), float(own.min())) - 2
    high = float(values.max()) + 2

    def down(value: float) -> float:
        return TOP + (high - value) / (high - low) * INNER

    def path(line: np.ndarray, style: str) -> str:
        across = np.linspace(LEFT, WIDTH - 20, len(line))
        points = " ".join(f"{x:.1f},{down(y):.1f}" for x, y in zip(across, line, strict=True))
        return f'<polyline fill="none" {style} points="{points}"/>'

    parts = f'<clipPath id="inside"><rect x="{LEFT}" y="8" width="{WIDTH}" height="{INNER + 14}"/></clipPath>'
    for tick in np.unique(np.linspace(low, high, 6)[1:-1].round()):
        line = f'<line x1="{LEFT}" x2="{WIDTH - 20}" y1="{down(tick):.1f}" y2="{down(tick):.1f}"'
        parts += f'{line} stroke="var(--rule)"/><text x="8" y="{down(tick) + 4:.1f}">{tick:g}</text>'
    faint = "".join(path(line, 'stroke="var(--faint)" stroke-width="1"') for line in others)
    parts += f'<g clip-path="url(#inside)">{faint}</g>' + path(own, 'stroke="var(--accent)" stroke-width="3"')
    for alpha, name, anchor in ((0, "macro", "start"), (0.75, "dodrans", "middle"), (1, "weighted", "end")):
        x = LEFT + alpha * (WIDTH - 20 - LEFT)
        parts += f'<text x="{x:.0f}" y="{HEIGHT - 12}" text-anchor="{anchor}">{alpha:g} · {name}</text>'
    grey = f", {len(others)} stored systems in grey" if others else ""
    return _svg(parts, HEIGHT, f"F1 of {report.title()} under n to the α{grey}")


def _bars(report: FileReport) -> str:
    """F1 of each averaged class as SVG, the largest class first; at most forty."""
    rows = [(label, row) for label, row in report.report.per_class.items() if row["averaged"]]
    parts = ""
    for number, (label, row) in enumerate(sorted(rows, key=lambda item: -item[1]["support"])[:40]):
        y, length = 8 + 22 * number, row["f1"] * (WIDTH - 420)
        name = html.escape(visible(label, 34))
        parts += f'<text x="250" y="{y + 12}" text-anchor="end">{name}</text>'
        parts += f'<rect x="260" y="{y}" width="{length:.1f}" height="15" rx="2" fill="var(--accent)"/>'
        said = f"{100 * row['f1']:.2f} · {row['support']:,.0f}"
        parts += f'<text x="{268 + length:.1f}" y="{y + 12}">{said}</text>'
    label = "F1 of each class and its gold samples, the largest class first"
    return _svg(parts, 22 * min(40, len(rows)) + 16, label)
