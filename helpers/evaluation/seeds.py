"""Systems over their runs: prediction files of several seeds in, mean ± SD and tests between systems out.

Every SD is the sample SD (ddof 1) over runs: how far another training run would be off. It says nothing about
another test set; for that, one run of each system is compared with `compare_files`.
"""

from __future__ import annotations

import glob
import logging
import math
import re
import shlex
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import program
from ..core import named_twice, shown, table_name, unknown_name, visible
from ..metrics import (
    CORRECTIONS,
    DIRECTION_SCORES,
    FEW_RUNS,
    ClassReport,
    Column,
    FewRunsWarning,
    Report,
    Table,
    chance,
    latex_float,
    latex_name,
    latex_rows,
    latex_text,
    mean_and_sd,
    percent,
    plain_values,
    points,
    run_test,
    sawilowsky,
)
from .score import scored_file

logger = logging.getLogger(__name__)

SMALL_IS_GOOD = ("PD", "PIR")
_RUN_NUMBER = re.compile(r"(?P<stem>.*?)[-_.]?(?P<word>seed|run)?[-_.]?(?P<number>\d+)", re.IGNORECASE)


@dataclass(frozen=True)
class RunComparison(Report):
    """Scores of the runs of several systems on one test set; the first system is compared with each other.

    Attributes
    ----------
    n : samples. values : system → score → one number for each run in which it is defined.
    signatures : score → its policy. correction : 'holm' or 'bh', over all tests of the table.

    >>> values = {"A": {"macro": [0.72, 0.73, 0.74]}, "B": {"macro": [0.70, 0.71, 0.72]}}
    >>> print(RunComparison(90, values, {"macro": "f1|scheme:macro|n:90"}, "holm").to_text())
    A  3 runs
    B  3 runs
    n 90 · mean ± SD (ddof 1) over runs, per cent
    score                  A               B    A − B       p  p Holm      d          95 %  size
    macro       73.00 ± 1.00    71.00 ± 1.00    +2.00  0.0705  0.0705  +2.00  -0.15, +4.02  huge
    Welch's test, two-sided; p corrected over 1 test (holm); Cohen's d with its interval
    f1|n:90
    """

    n: float
    values: Mapping[str, Mapping[str, Sequence[float]]]
    signatures: Mapping[str, str]
    correction: str = "holm"

    def rows(self) -> list[dict[str, Any]]:
        """One row for each system and score: system, score, runs, mean, sd; of all systems but the first also
        the test against the first: difference (first − this), t, df, p, p_holm or p_bh, d, d_low, d_high,
        size (Sawilowsky's word); signature. Undefined values are None.
        """
        first, rows = next(iter(self.values)), []
        for system, scores in self.values.items():
            for score, values in scores.items():
                mean, sd, runs = mean_and_sd(values) if len(values) else (math.nan, math.nan, 0)
                row: dict[str, Any] = {"system": system, "score": score, "runs": runs, "mean": mean}
                row |= {"sd": sd if runs > 1 else math.nan, "against": "" if system == first else first}
                rows.append(row | self._test(first, system, score))
                rows[-1]["signature"] = f"{self.signatures[score]}|runs:{runs}|sd:ddof1"
        tests = [row for row in rows if row["against"]]
        for row, p in zip(tests, CORRECTIONS[self.correction]([one["p"] for one in tests]), strict=True):
            row[f"p_{self.correction}"] = p
        return plain_values(rows)

    def _test(self, first: str, system: str, score: str) -> dict[str, Any]:
        names = ("difference", "t", "df", "p", f"p_{self.correction}", "d", "d_low", "d_high")
        a, b = self.values[first][score], self.values[system][score]
        if system == first or not (len(a) and len(b)):
            return dict.fromkeys(names, math.nan) | {"size": ""}
        with warnings.catch_warnings(action="ignore", category=FewRunsWarning):
            test = run_test(a, b)
        return {name: getattr(test, name, math.nan) for name in names} | {"size": sawilowsky(test.d)}

    def to_dict(self) -> list[dict[str, Any]]:
        """The rows, for JSON: an infinite t or d, of runs without spread, is None."""
        return [
            {key: None if value in (math.inf, -math.inf) else value for key, value in row.items()}
            for row in self.rows()
        ]

    def parts(self) -> Iterator[str | Table]:
        """In per cent: one table for each system but the first, or one of a single system."""
        rows = {(row["system"], row["score"]): row for row in self.rows()}
        first, *others = self.values
        for number, other in enumerate(others or [None]):
            yield from [""] * (number > 0)
            yield from self._block(rows, first, other)

    def _block(
        self, rows: Mapping[tuple[str, str], dict], first: str, other: str | None
    ) -> Iterator[str | Table]:
        systems = dict(zip("AB", [first] if other is None else [first, other], strict=False))
        for letter, name in systems.items():
            runs = max(map(len, self.values[name].values()))
            known = "" if name == letter else f"{table_name(name)}  "
            yield f"{letter}  {known}{runs} run{'s' * (runs != 1)}"
        yield f"n {self.n} · mean ± SD (ddof 1) over runs, per cent"
        columns = {letter: Column(letter, 16, _mean_sd) for letter in systems}
        if other is not None:
            corrected = {"holm": "p Holm", "bh": "p BH"}[self.correction]
            columns |= {"difference": Column("A − B", 9, points), "p": Column("p", form=chance)}
            columns |= {f"p_{self.correction}": Column(corrected, form=chance), "d": Column("d", 7, _signed)}
            columns |= {"ends": Column("95 %", 14, _ends), "size": Column("size", form=str)}
        lines = []
        for score in self.values[first]:
            row = {letter: rows[name, score] for letter, name in systems.items()}
            if other is not None:
                tested = rows[other, score]
                row |= tested | {"ends": (tested["d_low"], tested["d_high"])}
            lines.append((f"set {score}" if score in ("A", "B") else table_name(score), row))
        yield Table("score", lines, columns, width=8)
        if other is not None:
            tests = sum(bool(row["against"]) for row in rows.values())
            over = f"p corrected over {tests} test{'s' * (tests != 1)} ({self.correction})"
            yield f"Welch's test, two-sided; {over}; Cohen's d with its interval"
        schemes = [name for name, signature in self.signatures.items() if f"|scheme:{name}|" in signature]
        last = schemes[-1]  # micro, the first, pools labels that the others leave out
        yield visible(self.signatures[last].replace(f"|scheme:{last}", "", 1))

    def to_latex(self, decimals: int = 1) -> str:
        r"""A table for a paper (booktabs): systems by scores, mean ± SD, the best of each column in bold, and
        with it every system that Welch's test does not tell from the best (p ≥ .05); nothing where no p is
        defined, as with one run each."""
        scores = list(next(iter(self.values.values())))
        rows = []
        for system, own in self.values.items():
            best = [system in self._best(score) for score in scores]
            cells = [_latex_mean_sd(own[score], decimals) for score in scores]
            bold = (rf"\textbf{{{cell}}}" if top else cell for cell, top in zip(cells, best, strict=True))
            rows.append([latex_text(system), *bold])
        runs = sorted({len(values) for own in self.values.values() for values in own.values()})
        count = f"{runs[0]}" if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        caption = f"Mean $\\pm$ sample SD over {count} runs, in per cent of {self.n} samples."
        if any(r"\textbf" in cell for row in rows for cell in row):
            caption += "\nBold: the best, and all that Welch's test does not tell from it ($p \\geq .05$)."
        head = ["System", *map(latex_name, scores)]
        comments = [visible(signature) for signature in dict.fromkeys(self.signatures.values())]
        return latex_float([latex_rows(head, rows)], caption, "tab:runs", comments)

    def _best(self, score: str) -> list[str]:
        """The system with the best mean of a score, and those that do not differ from it; none without p."""
        means = {name: mean_and_sd(own[score])[0] for name, own in self.values.items() if len(own[score])}
        if not means or len(self.values) == 1:
            return []
        best = (min if score in SMALL_IS_GOOD else max)(means, key=means.__getitem__)
        with warnings.catch_warnings(action="ignore", category=FewRunsWarning):
            tests = {
                name: run_test(self.values[best][score], self.values[name][score])
                for name in means
                if name != best
            }
        tested = {name: test.p for name, test in tests.items() if min(test.n_a, test.n_b) > 1}
        # of runs that are all the same p is nan
        return [best, *(name for name, p in tested.items() if not p < 0.05)] if tested else []


def _mean_sd(row: Mapping[str, Any]) -> str:
    return percent(row["mean"]) + (f" ± {percent(row['sd'])}" if row["sd"] is not None else "")


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def _ends(interval: tuple[float | None, float | None]) -> str:
    return "–" if interval[0] is None else ", ".join(map(_signed, interval))


def _latex_mean_sd(values: Sequence[float], decimals: int) -> str:
    if not len(values):
        return "--"
    mean, sd, runs = mean_and_sd(values)
    return f"{100 * mean:.{decimals}f}" + (f" $\\pm$ {100 * sd:.{decimals}f}" if runs > 1 else "")


def compare_run_files(
    systems: Mapping[str, Sequence[Path | str]], correction: str = "holm", **options: Any
) -> RunComparison:
    """Compare systems over their runs, one prediction file or run file a run.

    Parameters
    ----------
    systems : name → files, which may be in any form that `score_file` reads.
    correction : 'holm', or 'bh' for Benjamini and Hochberg's.
    options : as `score_file`; the scores are those of the schemes, the task's official one, and, with
        `paired_column` or runs on paired sentences, A, B, PD, PIR and PPR.

    Logged as warnings: fewer than five runs, a score that is undefined in a run (which is left out of the
    mean), and what `score_file` logs, once.

    Raises
    ------
    ValueError : as `score_file`; no system or no file; an unknown correction; a file that is given twice;
        files whose gold labels are not the same.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "a.csv")
    ...     _ = path.write_text("gold,predicted\\na,a\\nb,a\\n")
    ...     compare_run_files({"mine": [path]}).rows()[0]["mean"]
    0.5
    """
    if correction not in CORRECTIONS:
        raise unknown_name("correction", correction, CORRECTIONS)
    paths = [Path(path) for own in systems.values() for path in own]
    if not paths or not all(map(len, systems.values())):
        raise ValueError("a comparison of runs needs at least one file of each system")
    if twice := named_twice(paths):
        also = "" if twice[0] == twice[1] else f", also as {twice[0]}"
        raise ValueError(f"{twice[1]} is given twice{also}: a run counts once")
    reports: dict[Path, ClassReport] = {}
    said: set[str] = set()
    for path in paths:
        reports[path], remarks = scored_file(path, **options)
        for remark in remarks:
            if remark not in said:
                said.add(remark)
                logger.warning("%s: %s", path, remark)
        _check_same_gold(paths[0], path, reports)
    names = _common_scores(reports)
    found: dict[str, dict[str, list[float]]] = {}
    for system, own in systems.items():
        scores = [reports[Path(path)].scores() for path in own]
        found[system] = {name: [one[name] for one in scores if not math.isnan(one[name])] for name in names}
        for name, values in found[system].items():
            if len(values) < len(own):
                logger.warning("%s: %s is undefined in %d runs", system, name, len(own) - len(values))
    few = [f"{shown(name)} has {len(own)} runs" for name, own in systems.items() if len(own) < FEW_RUNS]
    if few:
        logger.warning("%s: fewer than %d runs of a system say little", ", ".join(few), FEW_RUNS)
    report = reports[paths[0]]
    return RunComparison(report.n, found, {name: _signature(report, name) for name in names}, correction)


def _check_same_gold(first: Path, path: Path, reports: Mapping[Path, ClassReport]) -> None:
    """Runs are compared on one test set: as many samples of each gold label."""
    here, there = (
        {label: row["support"] for label, row in reports[one].per_class.items() if row["support"]}
        for one in (path, first)
    )
    for label in {**there, **here}:
        if here.get(label) != there.get(label):
            times = f"{here.get(label, 0)} times, and {there.get(label, 0)} times in {first}"
            raise ValueError(f"{path}: {shown(label)} is gold {times}: runs are compared on one test set")


def _common_scores(reports: Mapping[Path, ClassReport]) -> list[str]:
    """The names of scores that all runs have, without accuracy; `official` is A where there are pairs."""
    first, *others = [report.scores() for report in reports.values()]
    left_out = {"accuracy"} | ({"official"} if "A" in first else set())
    for path, scores in zip([*reports][1:], others, strict=True):
        if scores.keys() != first.keys():
            raise ValueError(f"{path} has no predictions on paired sentences, or it alone has")
    return [name for name in first if name not in left_out]


def _signature(report: ClassReport, name: str) -> str:
    if name in report.schemes:
        return report.schemes[name]["signature"]
    return (
        report.extra["direction" if name in DIRECTION_SCORES else "official"].get("signature")
        or (report.extra["official"]["grouped"]["signature"])
    )


def expand_runs(given: Iterable[str]) -> dict[str, list[str]]:
    """Name → files, of words like 'A=A-seed*.csv'; a name that is given twice has the files of both.

    Raises ValueError for a word without a name, and for a pattern that no file matches.

    >>> expand_runs(["=a.csv"])
    Traceback (most recent call last):
    ValueError: '=a.csv' is no name and pattern of files, such as 'A=A-seed*.csv'
    """
    systems: dict[str, list[str]] = {}
    for text in given:
        name, sign, pattern = text.partition("=")
        if not (name.strip() and sign and pattern):
            raise ValueError(f"{shown(text)} is no name and pattern of files, such as 'A=A-seed*.csv'")
        found = [pattern] if Path(pattern).exists() else sorted(glob.glob(pattern, recursive=True))
        if not found:
            raise ValueError(f"{name}: no file matches {shown(pattern)}")
        systems.setdefault(name, []).extend(found)
    return systems


def seeds_among(paths: Sequence[str]) -> str | None:
    """What to say of files that look like runs of systems rather than like systems; None if they do not.

    Runs are files whose names are the same but for the number after 'seed' or 'run', or for a number at the
    end; with a number alone, several systems of several files each are needed. The words say which command
    compares them.

    >>> print(seeds_among(["A-seed1.csv", "A-seed2.csv", "B-seed1.csv", "B-seed2.csv"]))
    these look like runs of 2 systems (4 files that differ in a number), not like 4 systems; to compare
    systems over their runs: python -m helpers compare --runs 'A=A-seed*.csv' --runs 'B=B-seed*.csv'
    >>> seeds_among(["bert.csv", "roberta2.csv"]) is None
    True
    """
    systems: dict[str, tuple[str, list[str]]] = {}
    for path in paths:
        stem, dot, ending = Path(path).name.partition(".")
        if not (found := _RUN_NUMBER.fullmatch(stem)):
            continue
        pattern = str(Path(path).with_name(f"{stem[: found.start('number')]}*{dot}{ending}"))
        name = found["stem"] or Path(path).resolve().parent.name
        kind = "word" if found["word"] else "number"
        systems.setdefault(pattern, (f"{kind} {name}", []))[1].append(path)
    several = {pattern: own for pattern, own in systems.items() if len(set(own[1])) > 1}
    worded = any(own[0].startswith("word ") for own in several.values())
    if not several or len(systems) < 2 or (not worded and len(several) < 2):
        return None
    runs = " ".join(
        f"--runs {shlex.quote(own[0].partition(' ')[2] + '=' + pattern)}" for pattern, own in systems.items()
    )
    count = sum(len(own[1]) for own in systems.values())
    return (
        f"these look like runs of {len(systems)} systems ({count} files that differ in a number), not like "
        f"{len(paths)} systems; to compare systems over their runs: {program()} compare {runs}"
    )
