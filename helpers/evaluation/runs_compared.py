"""Systems over their runs: prediction files of several seeds in, mean ± SD and tests between systems out.

Every SD is the sample SD (ddof 1) over runs: how far another training run would be off. It says nothing about
another test set; for that, one run of each system is compared with `compare_files`.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, ClassVar

from .. import metrics
from ..core import named_twice, shown, table_name, visible
from ..metrics import ClassReport, Column, Table, chance, latex_text, mean_and_sd, percent, points
from .answers import amount
from .compare import CHANCES, CORRECTED, PairedReport
from .score import scored_file

logger = logging.getLogger(__name__)
SMALL_IS_GOOD = ("PD", "PIR")


@dataclass(frozen=True)
class _RunComparison(PairedReport):
    """Scores of the runs of several systems on one test set; the first system is compared with each other.

    Attributes
    ----------
    n : samples. values : system → score → one number for each run in which it is defined.
    signatures : score → its recipe. policy : what the schemes share. correction : 'holm' or 'bh', over all
        tests of the table.

    >>> values = {"A": {"macro": [0.72, 0.73, 0.74]}, "B": {"macro": [0.70, 0.71, 0.72]}}
    >>> print(_RunComparison(90, values, {"macro": "f1|scheme:macro|n:90"}, "f1|n:90").to_text())
    A  3 runs
    B  3 runs
    n 90 · mean ± SD (ddof 1) over runs, per cent
    score                  A               B    A − B       p  p Holm      d          95 %  size
    macro       73.00 ± 1.00    71.00 ± 1.00    +2.00  0.0705  0.0705  +2.00  -0.15, +4.02  undecided
    Welch's test, two-sided; p corrected over 1 test (holm); Cohen's d with its interval
    f1|n:90
    <BLANKLINE>
    To report: Over training runs A (3 runs) and B (3 runs) have, in per cent of the same 90 samples, mean ±
    sample SD, 73.00 ± 1.00 and 71.00 ± 1.00 (macro; difference +2.00, ...). ...
    """

    n: float
    values: Mapping[str, Mapping[str, Sequence[float]]]
    signatures: Mapping[str, str]
    policy: str
    correction: str = "holm"
    named: ClassVar[str] = "score"

    def rows(self) -> list[dict[str, Any]]:
        """One row for each system and score: system, score, runs, mean, sd; of all systems but the first also
        the test against the first: difference (first − this), t, df, p, p_holm or p_bh, d, d_low, d_high,
        size (Sawilowsky's word; 'undecided' where the corrected p is .05 or more); signature. Undefined
        values are None.
        """
        return [row for rows in self._systems for row in rows]

    @cached_property
    def _systems(self) -> list[list[dict[str, Any]]]:
        """The rows of each system, one a score."""
        first, *others = self.values
        tested = ("difference", "t", "df", "p", self.p_corrected, "d", "d_low", "d_high")
        rows = []
        for system, score in product(self.values, self.signatures):
            values = self.values[system][score]
            mean, sd, runs = mean_and_sd(values) if values else (math.nan, math.nan, 0)
            row: dict[str, Any] = {"system": system, "score": score, "runs": runs, "mean": mean}
            row |= {"sd": sd if runs > 1 else math.nan, "against": first if system in others else ""}
            of_first = self.values[first][score]
            test = metrics.run_test(of_first, values) if system in others and values and of_first else {}
            row |= {name: test.get(name, math.nan) for name in tested}
            signature = f"{self.signatures[score]}|runs:{runs}|sd:ddof1"
            rows.append(row | {"size": "", "signature": signature})
        tests = [row for row in rows if row["against"]]
        for row, p in zip(tests, self.corrected([row["p"] for row in tests]), strict=True):
            row[self.p_corrected] = p
            row["size"] = "undecided" if p >= 0.05 else metrics.sawilowsky(row["d"])
        plain = metrics.plain_values(rows)
        return [[row for row in plain if row["system"] == system] for system in self.values]

    @property
    def blocks(self) -> list[list[dict[str, Any]]]:  # type: ignore[override]
        """The rows of each system but the first."""
        return self._systems[1:]

    def to_dict(self) -> list[dict[str, Any]]:
        """As of `Report`: an infinite t or d, of runs without spread, is None."""
        infinite = (math.inf, -math.inf)
        return [
            {key: None if value in infinite else value for key, value in row.items()} for row in self.rows()
        ]

    def _paragraph(self, rows: Sequence[Mapping[str, Any]]) -> str:
        first, scores = self._systems[0], []
        for row, other in zip(first, rows, strict=True):
            both = f"{_mean_sd(row)} and {_mean_sd(other)} ({other['score']}"
            if other["p"] is not None:
                both += f"; difference {points(other['difference'])}, p {chance(other['p'])}, corrected "
                both += f"{chance(other[self.p_corrected])}, Cohen's d {_signed(other['d'])}, "
                both += f"95 % interval {_ends(other)}"
            scores.append(f"{both})")
        counts = " and ".join(f"{table_name(own[0]['system'])} ({_runs(own)})" for own in (first, rows))
        samples = f"in per cent of the same {self.n} samples, mean ± sample SD, {'; '.join(scores)}"
        said = f"Over training runs {counts} have, {samples}."
        if rows[0]["p"] is None:
            return f"{said} There is no test: it needs two runs of each system, and a spread over them."
        test = f"Two-sided p is of Welch's test, with {self.correction_text()}."
        covered = "The test covers the training seed, not the choice of the test set."
        return f"{said} {test} {self.verdict(rows)} {covered}"

    def parts(self) -> Iterator[str | Table]:
        """In per cent: one table for each system but the first, or one of a single system."""
        first, *others = self._systems
        tests = amount(len(others) * len(self.signatures), "test")
        for index, systems in enumerate([[first, other] for other in others] or [[first]]):
            yield from [""] if index else []
            yield from self._block(dict(zip("AB", systems, strict=False)))
            if others:
                corrected = f"p corrected over {tests} ({self.correction})"
                yield f"Welch's test, two-sided; {corrected}; Cohen's d with its interval"
            yield visible(self.policy)
        yield from self._to_report()

    def _block(self, systems: Mapping[str, Sequence[Mapping[str, Any]]]) -> Iterator[str | Table]:
        for letter, rows in systems.items():
            name = rows[0]["system"]
            known = "" if name == letter else f"{table_name(name)}  "
            yield f"{letter}  {known}{_runs(rows)}"
        yield f"n {self.n} · mean ± SD (ddof 1) over runs, per cent"
        columns = {letter: Column(letter, 16, _mean_sd) for letter in systems}
        if "B" in systems:
            columns |= {"difference": Column("A − B", 9, points), "p": CHANCES["p"]}
            columns |= {self.p_corrected: CHANCES[self.p_corrected], "d": Column("d", 7, _signed)}
            columns |= {"ends": Column("95 %", 14, _ends), "size": Column("size", form=str)}
        lines = []
        for of_score in zip(*systems.values(), strict=True):
            *_, tested = of_score
            name = f"set {tested['score']}" if tested["score"] in ("A", "B") else table_name(tested["score"])
            lines.append((name, dict(zip(systems, of_score, strict=True)) | tested | {"ends": tested}))
        yield Table("score", lines, columns, width=8)

    def to_latex(self, decimals: int = 1) -> str:
        r"""A table for a paper (booktabs): systems by scores, mean ± SD, the best of each column in bold, and
        with it every system that Welch's test does not tell from the best (p ≥ .05, corrected over all tests
        against a best one); nothing where no p is defined, as with one run each.

        decimals : of per cent.
        """
        best, rows = self._like_the_best(), []
        for system, own in zip(self.values, self._systems, strict=True):
            row: dict[str, Any] = {"bold": [score for score in best if system in best[score]]}
            for values in own:
                row |= {values["score"]: values["mean"], f"{values['score']}_sd": values["sd"]}
            rows.append((latex_text(system), row))
        counts = sorted({len(values) for own in self.values.values() for values in own.values()})
        count = amount(counts[-1], "run") if len(counts) == 1 else f"{counts[0]} to {counts[-1]} runs"
        caption = f"Mean $\\pm$ sample SD over {count}, in per cent of {self.n} samples."
        if any(best.values()):
            caption += "\nBold: the best, and all that Welch's test does not tell from it "
            caption += f"($p \\geq .05$, {CORRECTED[self.correction]})."
        comments = [visible(signature) for signature in dict.fromkeys(self.signatures.values())]
        return metrics.latex_float([("System", rows)], caption, "tab:runs", comments, decimals)

    def _like_the_best(self) -> dict[str, list[str]]:
        """Score → the system with the best mean, and those that do not differ from it; none without p."""
        best: dict[str, list[str]] = {}
        tests: dict[tuple[str, str], float] = {}
        for score in self.signatures:
            runs = {name: own[score] for name, own in self.values.items() if len(own[score]) > 1}
            means = {name: mean_and_sd(own[score])[0] for name, own in self.values.items() if own[score]}
            top = (min if score in SMALL_IS_GOOD else max)(means, key=means.__getitem__, default="")
            others = runs.keys() - {top} if top in runs else set()
            best[score] = [top] if others else []
            tests |= {(score, name): metrics.run_test(runs[top], runs[name])["p"] for name in others}
        for (score, name), p in zip(tests, self.corrected([*tests.values()]), strict=True):
            if not p < 0.05:  # of runs that are all the same p is nan
                best[score].append(name)
        return best


def _runs(rows: Sequence[Mapping[str, Any]]) -> str:
    """How many runs a system has."""
    return amount(max(row["runs"] for row in rows), "run")


def _mean_sd(row: Mapping[str, Any]) -> str:
    return percent(row["mean"]) + (f" ± {percent(row['sd'])}" if row["sd"] is not None else "")


def _signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.2f}"


def _ends(row: Mapping[str, Any]) -> str:
    return "–" if row["d_low"] is None else f"{_signed(row['d_low'])}, {_signed(row['d_high'])}"


def compare_run_files(
    systems: Mapping[str, Sequence[Path | str]], correction: str = "holm", **options: Any
) -> _RunComparison:
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
        for remark in dict.fromkeys(remarks):
            if remark not in said:
                logger.warning("%s: %s", path, remark)
        said.update(remarks)
        _check_comparable(paths[0], path, reports)
    report, signatures = reports[paths[0]], _signatures(reports[paths[0]])
    values: dict[str, dict[str, list[float]]] = {}
    for system, own in systems.items():
        scores = [reports[Path(path)].scores() for path in own]
        values[system] = {
            name: [run[name] for run in scores if not math.isnan(run[name])] for name in signatures
        }
        for name, defined in values[system].items():
            if len(defined) < len(own):
                undefined = amount(len(own) - len(defined), "run")
                logger.warning("%s: %s is undefined in %s", system, name, undefined)
    few = {name: len(own) for name, own in systems.items() if len(own) < metrics.FEW_RUNS}
    if few:
        counts = ", ".join(f"{shown(name)} has {amount(runs, 'run')}" for name, runs in few.items())
        logger.warning("%s: fewer than %d runs of a system say little", counts, metrics.FEW_RUNS)
    return _RunComparison(report.n, values, signatures, report.signature, correction)


def _check_comparable(first: Path, path: Path, reports: Mapping[Path, ClassReport]) -> None:
    """Runs are compared on one test set, as many samples of each gold label, and have the same scores."""
    here, there = (
        {label: row["support"] for label, row in reports[run].per_class.items() if row["support"]}
        for run in (path, first)
    )
    for label in {**there, **here}:
        if here.get(label) != there.get(label):
            times = f"{here.get(label, 0)} times, and {there.get(label, 0)} times in {first}"
            raise ValueError(f"{path}: {shown(label)} is gold {times}: runs are compared on one test set")
    if reports[path].scores().keys() != reports[first].scores().keys():
        raise ValueError(f"{path} has no predictions on paired sentences, or it alone has")


def _signatures(report: ClassReport) -> dict[str, str]:
    """The scores that are compared, without accuracy, and their signatures; `official` is A where there are
    pairs."""
    signatures = {scheme: row["signature"] for scheme, row in report.schemes.items()}
    if "direction" in report.extra:
        return signatures | dict.fromkeys(metrics.DIRECTION_SCORES, report.extra["direction"]["signature"])
    if "official" in report.extra:
        signatures["official"] = report.extra["official"]["grouped"]["signature"]
    return signatures
