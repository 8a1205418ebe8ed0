"""The leaderboard, a page of one file that loads nothing; and the report of one prediction file.

The leaderboard holds data, code, style and the charting library; its sources lie under web/, the build is
Python alone. A content security policy with the sums of the two scripts forbids all others, so that none
comes in by a name. The report has all schemes with intervals, the rank among the stored systems of the test
set, every class, and a paragraph to report the score by.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from ... import ROOT, WEB, __version__, metrics
from ...core import read_file, table_name, visible, write_atomically
from ...evaluation import score_file, score_run
from ...runs import STORED_RUNS, Run
from .checks import Submission
from .payload import TITLES, page_data, system_scores
from .store import STORE, Store

PAGE = ROOT / "results" / "leaderboard" / "index.html"
SCRIPTS = ("metrics", "dom", "state", "model", "charts", "ranking", "views", "main")
"""Of the page, in one scope; the last one draws it."""
PLOT = "vendor/plot.min.js"
"""Observable Plot 0.6.17 with the parts of D3 that it uses; web/README.md says how the file was made."""
CITATION = (
    "Harbecke, D., Chen, Y., Hennig, L., Alt, C. (2022). Why only Micro-F1? Class Weighting of Measures for "
    "Relation Classification. NLP-Power 2022, 32-41."
)


def build_page(data: dict[str, Any], path: Path | str = PAGE) -> Path:
    """Write the page with these data (`page_data`), atomically. Returns its path.

    The same data and sources give the same file. Raises OSError if a source is missing.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     page = build_page({"testsets": [], "replicates": 0}, Path(folder, "index.html"))
    ...     page.read_text("utf-8").count("<script")
    3
    """
    return write_atomically(path, _page_text(data))


def _page_text(data: dict[str, Any]) -> str:
    """The text of the page; no text of the data can end its script element or begin another.

    >>> "<script>alert" in _page_text({"testsets": [], "replicates": 0, "x": "<script>alert(1)</script>"})
    False
    """
    plot = _source(PLOT).replace("</script", "<\\/script")
    scripts = "\n".join(_source(f"{name}.js") for name in SCRIPTS)
    code = f"(() => {{\n'use strict';\n{scripts}}})();\n"
    digests = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in (plot, code)]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for char in "<\u2028\u2029":
        text = text.replace(char, f"\\u{ord(char):04x}")
    policy = f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:"
    parts = {
        "policy": f"{policy}; base-uri 'none'; form-action 'none'",
        "style": _source("style.css"),
        "replicates": f"{data.get('replicates', 0):,}",
        "data": text,
        "plot": plot,
        "code": code,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _source("page.html"))


def _source(name: str) -> str:
    return read_file(WEB / name).decode()


@dataclass(frozen=True)
class _FileReport:
    """What `file_report` found.

    Attributes
    ----------
    system, dataset : names; dataset is '' where none was given. report : all schemes and classes.
    replicates : of the intervals. others : F1 of the stored systems under each scheme, as the page ranks them
        (means over their seeds); empty without a data set.
    """

    system: str
    dataset: str
    report: metrics.ClassReport
    replicates: int
    others: pd.DataFrame = field(default_factory=pd.DataFrame)

    def ranks(self) -> dict[str, int]:
        """The rank that the file would have among the stored systems, under each scheme."""
        if self.others.empty:
            return {}
        own = [row["f1"] + 1e-12 for row in self.report.schemes.values()]  # equal counts: an equal rank
        ranks = 1 + (self.others.to_numpy() > own).sum(axis=0)
        return dict(zip(self.report.schemes, ranks.tolist(), strict=True))

    def title(self) -> str:
        """One line: the system and its test set."""
        return f"{self.system} on {TITLES.get(self.dataset, self.dataset)}" if self.dataset else self.system

    def how_to_report(self) -> str:
        """A paragraph that says what a reader has to know of the scores."""
        rows, negative = self.report.schemes, self.report.negative
        said = ", ".join(f"{100 * rows[name]['f1']:.2f} ({name})" for name in metrics.SCHEMES if name in rows)
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

    def schemes(self) -> metrics.Table:
        """F1 under each scheme, with interval, precision, recall and rank."""
        ranks, systems, rows = self.ranks(), len(self.others) + 1, []
        for name, row in self.report.schemes.items():
            ends = f"{100 * row['low']:.1f}–{100 * row['high']:.1f}" if "low" in row else ""
            rows.append((name, row | {"interval": ends, "rank": f"{ranks.get(name)} of {systems}"}))
        columns = {"f1": metrics.Column("F1"), "interval": metrics.Column("95 % interval", form=str)}
        columns |= {name: metrics.Column(name) for name in ("precision", "recall")}
        columns |= {"rank": metrics.Column("rank", form=str)} if ranks else {}
        return metrics.Table("scheme", rows, columns)

    def classes(self) -> metrics.Table:
        """The classes that occur, the largest first."""
        rows = [
            (table_name(label) + ("" if row["averaged"] else " (not averaged)"), row | {"undefined": ()})
            for label, row in sorted(self.report.per_class.items(), key=lambda item: -item[1]["support"])
            if row["support"] or row["predicted"]
        ]
        heads = {"support": "gold", "predicted": "predicted", "correct": "correct"}
        columns = {key: metrics.Column(head, form="{:,.0f}".format) for key, head in heads.items()}
        columns |= {"precision": metrics.Column("precision"), "recall": metrics.Column("recall")}
        return metrics.Table("class", rows, columns | {"f1": metrics.Column("F1")})

    def to_markdown(self) -> str:
        """The report as Markdown."""
        said, _, signature = self.how_to_report().rpartition(": ")
        parts = [f"# {metrics.escape_markdown(self.title())}", self.schemes().to_markdown()]
        parts += ["## Classes", self.classes().to_markdown(), "## How to report this"]
        parts += [f"{metrics.escape_markdown(said)}: `{signature.replace('`', chr(39))}`", f"> {CITATION}"]
        return "\n\n".join(parts) + "\n"


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
    test = Store(store, runs).test_set(dataset)
    if test.kind != "labels":
        raise ValueError(f"{path}: {dataset} has {test.kind}; a report is of single labels")
    outcome = test.outcome_of(Submission(path, dataset, name, columns=columns))
    run = Run.from_outcome(outcome, dataset=dataset, model=name, negative=test.negative)
    report = score_run(run, replicates=replicates)
    stored = page_data(runs, store, replicates=0, cached=False, only=[dataset])["testsets"]
    others = [system_scores(test, list(report.schemes)) for test in stored]
    return _FileReport(name, dataset, report, replicates, *others)
