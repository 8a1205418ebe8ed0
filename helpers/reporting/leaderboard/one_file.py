"""A report of one prediction file on one page, as HTML or Markdown, in the look of the leaderboard.

All schemes with intervals, the curve over α beside the stored systems of the test set, every class, and a
paragraph to report the score by. It holds no text of a sample and loads nothing.
"""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ... import WEB, __version__
from ...core import read_file, table_name, visible
from ...evaluation import score_file, score_run
from ...metrics import (
    SCHEMES,
    ClassCounts,
    ClassReport,
    Column,
    Table,
    alpha_spectrum,
    escape_markdown,
    power,
)
from ...runs import STORED_RUNS, Run
from .checks import Submission, find_test_set, submitted_outcome
from .payload import TITLES, page_data, system_scores
from .store import STORE

STEPS = np.linspace(0, 1, 41)
CITATION = (
    "Harbecke, D., Chen, Y., Hennig, L., Alt, C. (2022). Why only Micro-F1? Class Weighting of Measures for "
    "Relation Classification. NLP-Power 2022, 32-41."
)
OWN_STYLE = (
    "body{max-width:860px}h2{margin:36px 0 8px}svg{max-width:100%;height:auto}"
    "blockquote{color:var(--soft);margin:12px 0;padding-left:14px;border-left:3px solid var(--line)}"
    "svg text{font:12px var(--sans);fill:var(--soft)}main{overflow-wrap:anywhere}"
)
WIDTH, HEIGHT, LEFT, TOP, INNER = 820, 300, 48, 20, 244
"""Of the figure over α: the whole, where the plane begins, and its height."""
_PRECISION_RECALL = {name: Column(name) for name in ("precision", "recall")}


@dataclass(frozen=True)
class _FileReport:
    """What `file_report` found.

    Attributes
    ----------
    system, dataset : names; dataset is '' where none was given. report : all schemes and classes.
    replicates : of the intervals. stored : the test set with its stored systems, as the page has it; or None.
    """

    system: str
    dataset: str
    report: ClassReport
    replicates: int
    stored: Mapping[str, Any] | None = None

    def counts(self) -> ClassCounts:
        """The counts of each class."""
        rows = self.report.per_class
        columns = ([row[name] for row in rows.values()] for name in ("correct", "predicted", "support"))
        return ClassCounts(*map(np.array, columns), self.report.n, tuple(rows))

    def others(self, schemes: Sequence[Any]) -> pd.DataFrame:
        """F1 of the stored systems under each scheme, as the page ranks them: means over their seeds."""
        return pd.DataFrame() if self.stored is None else system_scores(self.stored, schemes)

    def ranks(self) -> dict[str, int]:
        """The rank that the file would have among the stored systems, under each scheme."""
        others = self.others(list(self.report.schemes))
        own = [row["f1"] + 1e-12 for row in self.report.schemes.values()]  # equal counts: an equal rank
        ranks = (1 + (others.to_numpy() > own).sum(axis=0)).tolist() if len(others) else []
        return dict(zip(self.report.schemes, ranks, strict=False))

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
        values |= {"ranks": self.ranks(), "others": len(self.others(["macro"]))}
        return values | {"how_to_report": self.how_to_report()}

    def schemes(self) -> Table:
        """F1 under each scheme, with interval, precision, recall and rank."""
        ranks, systems, rows = self.ranks(), len(self.others(["macro"])) + 1, []
        for name, row in self.report.schemes.items():
            ends = f"{100 * row['low']:.1f}–{100 * row['high']:.1f}" if "low" in row else ""
            rank = {"rank": f"{ranks[name]} of {systems}"} if ranks else {}
            rows.append((name, row | {"interval": ends} | rank))
        columns = {"f1": Column("F1"), "interval": Column("95 % interval", form=str)} | _PRECISION_RECALL
        return Table("scheme", rows, columns | ({"rank": Column("rank", form=str)} if ranks else {}))

    def classes(self) -> Table:
        """The classes that occur, the largest first."""
        rows = []
        for label, row in sorted(self.report.per_class.items(), key=lambda item: -item[1]["support"]):
            if row["support"] or row["predicted"]:
                name = table_name(label) + ("" if row["averaged"] else " (not averaged)")
                rows.append((name, row | {"undefined": ()}))
        heads = {"support": "gold", "predicted": "predicted", "correct": "correct"}
        counts = {key: Column(head, form="{:,.0f}".format) for key, head in heads.items()}
        return Table("class", rows, counts | _PRECISION_RECALL | {"f1": Column("F1")})

    def to_markdown(self) -> str:
        """The report as Markdown."""
        said, _, signature = self.how_to_report().rpartition(": ")
        parts = [f"# {escape_markdown(self.title())}", self.schemes().to_markdown()]
        parts += ["## Classes", self.classes().to_markdown(), "## How to report this"]
        parts += [f"{escape_markdown(said)}: `{signature.replace('`', chr(39))}`", f"> {CITATION}"]
        return "\n\n".join(parts) + "\n"

    def to_html(self) -> str:
        """The report as one HTML page without scripts."""
        style, title = read_file(WEB / "style.css").decode(), html.escape(self.title())
        parts = [f"<h1>{title}</h1>", _html_table(self.schemes(), "Schemes")]
        parts += ["<h2>Over α, from macro to weighted</h2>", _curve(self)]
        parts += ["<h2>Classes</h2>", _html_table(self.classes(), "Classes", bars=True)]
        parts += [f"<h2>How to report this</h2><p>{html.escape(self.how_to_report())}</p>"]
        parts += [f"<blockquote>{html.escape(CITATION)}</blockquote>"]
        policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        head = f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy}">'
        head += '<meta name="viewport" content="width=device-width, initial-scale=1">'
        head += f"<title>{title}</title><style>{style}{OWN_STYLE}</style>"
        body = f'<p class="brand top"><b>Beyond Micro-F1</b> report</p><main>{"".join(parts)}</main>'
        return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>{body}</body></html>\n'


def file_report(
    path: Path | str,
    dataset: str = "",
    system: str = "",
    negative: str | None = None,
    columns: Mapping[str, str | None] | None = None,
    replicates: int = 1000,
    runs: Path | str = STORED_RUNS,
    store: Path | str = STORE,
) -> _FileReport:
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
    >>> report.title(), report.schemes().cells()[1]
    ('mine', ['micro', '50.00', '', '50.00', '50.00'])
    """
    columns = dict(columns or {})
    name = visible(system or Path(path).name.partition(".")[0] or "predictions", 120)
    if not dataset:
        named = {f"{role}_column": columns.get(role) for role in ("gold", "predicted", "id")}
        report = score_file(path, negative=negative, replicates=replicates, **named)
        return _FileReport(name, dataset, report, replicates)
    test = find_test_set(dataset, runs, store)
    if test.kind != "labels":
        raise ValueError(f"{path}: {dataset} has {test.kind}; a report is of single labels")
    outcome = submitted_outcome(Submission(path, dataset, name, columns=columns), test)
    run = Run.from_outcome(outcome, dataset=dataset, model=name, negative=test.negative)
    testsets = page_data(runs, store, replicates=0, cached=False, only=[dataset])["testsets"]
    stored = testsets[0] if testsets else None
    return _FileReport(name, dataset, score_run(run, replicates=replicates), replicates, stored)


def _html_table(table: Table, caption: str, bars: bool = False) -> str:
    """A table as the page has it; `bars`: the last column, in per cent, has a bar behind each number."""
    head, *body = ([html.escape(cell) for cell in row] for row in table.cells())
    heads = "".join(f'<th class="number" scope="col">{cell}</th>' for cell in head[1:])
    lines = [f'<caption class="hidden">{caption}</caption>']
    lines.append(f'<thead><tr><th scope="col">{head[0]}</th>{heads}</tr></thead>')
    for first, *numbers, last in body:
        cells = "".join(f'<td class="number">{number}</td>' for number in numbers)
        bar = (
            f"min-width:150px;background:linear-gradient(90deg,var(--wash) {last}%,transparent {last}%)"
            if bars
            else ""
        )
        last = f'<td class="number" style="{bar}">{last}</td>'
        lines.append(f'<tr><th scope="row">{first}</th>{cells}{last}</tr>')
    region = f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}">'
    return f'{region}<table class="plain">{"".join(lines)}</table></div>'


def _curve(report: _FileReport) -> str:
    """F1 under n^α of the file, and of the stored systems behind it, as SVG."""
    own = 100 * alpha_spectrum(report.counts(), STEPS, negative=report.report.negative)
    others = list(100 * report.others([power(alpha) for alpha in STEPS[::4]]).to_numpy())
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
    label = html.escape(f"F1 of {report.title()} under n to the α{grey}")
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg {size} role="img" aria-label="{label}">{parts}</svg>'
