"""Do systems differ on the same samples? Prediction files in, a table of paired bootstrap tests out.

Samples are matched before anything is compared; nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import metrics
from ..core import naming_file, table_name, unknown_name, visible
from ..metrics import Column, Outcome, Report, Table, chance, latex_text, percent, points
from .pairs import Systems, read_systems
from .remarks import amount

if TYPE_CHECKING:
    import pandas as pd

CHANCES = {
    name: Column(head, form=chance) for name, head in {"p": "p", "p_holm": "p Holm", "p_bh": "p BH"}.items()
}
"""How p is shown: of one test, and corrected."""
CORRECTED = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}
COLUMNS = {"score_first": Column("A"), "score_second": Column("B")}
COLUMNS |= {"difference": Column("A − B", form=points)}
COLUMNS |= {name: Column(name, form=points) for name in ("low", "high")} | CHANCES


def compare_files(paths: Sequence[Path | str], **options: Any) -> pd.DataFrame:
    """Compare systems on the same samples: paired bootstrap of the first file against each other one, under
    each scheme.

    Samples are matched by id where both files have ids, else by order; the gold labels have to agree. If only
    one of two files has ids, that is logged as a warning. Files of triples or of facts of documents are
    compared likewise, by items: the bootstrap draws items.

    Parameters
    ----------
    paths : at least two files; columns as in `read_predictions`, or sets of triples as in `score_triples`, or
        facts as in `score_document_facts`.
    negative : the negative class; None or "": none. task : its labels and its negative class, as in
        `score_frame`. schemes : names, 'n^α' or functions; None: all of `scheme_names`.
    replicates (10,000), seed (1) : of the bootstrap; each comparison starts from the seed, so that its
        numbers do not depend on the other files. correction : 'holm', or 'bh' for Benjamini and Hochberg's.
    score : the class score that is averaged, see `averages`.
    other options : those of `read_predictions`, such as the names of columns; normalise, label_set, off_list,
        mapping and empty, as in `score_frame`; of triples gold_file, match and normalise, as in
        `score_triples`; of documents gold_file, counted_as and match_entities, as in
        `score_document_facts`; fields of `Policy`.

    Returns
    -------
    One row for each other file and scheme: scheme, first, second, score_first, score_second (what
    `score_frame` gives each file alone), difference (first − second), low, high (95 %), p, p_holm or p_bh
    (corrected over all rows), n, replicates, seed, signature. `Comparison` has it in every form of a report.

    Where predictions decide which labels are averaged (observed, listed), each score is over the labels of
    its own file; a difference averages both systems over those of either, and has `difference:union` in its
    signature.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
    ...     _ = [path.write_text("id,gold,predicted\\n1,x,x\\n2,y,x\\n") for path in paths]
    ...     compare_files(paths, replicates=99)["p"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]

    Raises
    ------
    ValueError : fewer than two files, an unknown scheme, other samples, other gold labels (file and first
        sample are named), a negative class that is in none of the files; and as `read_predictions`.
    """
    return Comparison.of_files(paths, **options).table


def corrected(correction: str) -> Callable[[Sequence[float]], list[float]]:
    """The correction of that name, of p for several tests; ValueError lists the known ones.

    >>> corrected("holm")([0.01, 0.04])
    [0.02, 0.04]
    """
    if correction not in metrics.CORRECTIONS:
        raise unknown_name("correction", correction, metrics.CORRECTIONS)
    return metrics.CORRECTIONS[correction]


def _titles(paths: Sequence[Path | str]) -> list[str]:
    """The files' names without folder and ending, or the whole path where two would be the same."""
    stems = [Path(path).name.partition(".")[0] for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]


def verdict(chances: Mapping[str, float | None]) -> str:
    """Between which scores, by their p, two systems differ, in a sentence.

    >>> verdict({"micro": 0.01, "macro": 0.2})
    'At .05 the systems differ under micro; under macro they are not told apart.'
    """
    decided = [name for name, p in chances.items() if p is not None and p < 0.05]
    undecided = ", ".join(name for name in chances if name not in decided)
    if not decided:
        return f"At .05 the systems are not told apart under {undecided}."
    rest = f"; under {undecided} they are not told apart" if undecided else ""
    return f"At .05 the systems differ under {', '.join(decided)}{rest}."


@dataclass(frozen=True)
class Comparison(Report):
    """Systems on the same samples, the first tested against each other one, in every form of a report; what
    cannot be printed in the name of a file is escaped.

    Attributes
    ----------
    systems : as they were read. replicates, seed : of the bootstrap. correction : of p.
    """

    systems: Systems
    replicates: int
    seed: int
    correction: str

    @classmethod
    def of_files(
        cls,
        paths: Sequence[Path | str],
        *,
        replicates: int = 10_000,
        seed: int = 1,
        correction: str = "holm",
        **options: Any,
    ) -> Comparison:
        """The files as systems; arguments and errors as of `compare_files`."""
        corrected(correction)  # refuses an unknown one before a file is read
        return cls(read_systems(paths, **options), replicates, seed, correction)

    @property
    def schemes(self) -> tuple[str, ...]:
        """The names of the schemes."""
        return metrics.scheme_names(self.systems.rules["schemes"])

    @property
    def table(self) -> pd.DataFrame:
        """What `compare_files` gives."""
        import pandas as pd

        return pd.DataFrame(self.rows())

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table."""
        return [row for rows in self._blocks for row in rows]

    @cached_property
    def _blocks(self) -> list[list[dict[str, Any]]]:
        """The rows of each other file."""
        systems, (first, *others) = self.systems, map(str, self.systems.paths)
        pairs = [systems.pair(0, other) for other in range(1, len(systems.paths))]
        tests = []
        for pair, path in zip(pairs, others, strict=True):
            with naming_file(f"{first}, {path}"):
                tests.append(systems.test(pair, self.replicates, self.seed))
        p = iter(corrected(self.correction)([p for test in tests for p in test.p.tolist()]))
        blocks = []
        for number, (pair, test, path) in enumerate(zip(pairs, tests, others, strict=True), start=1):
            tables = {"score_first": pair, "score_second": pair.of("second")}
            columns = {name: systems.scores_of(table)(table) for name, table in tables.items()}
            columns |= {name: getattr(test, name) for name in ("difference", "low", "high", "p")}
            rows = []
            for index, scheme in enumerate(self.schemes):
                row: dict[str, Any] = {"scheme": scheme, "first": first, "second": path}
                row |= {name: float(values[index]) for name, values in columns.items()}
                row |= {self._p_corrected: next(p), "n": pair.n}
                row |= {"replicates": self.replicates, "seed": self.seed}
                rows.append(row | {"signature": systems.signature(pair, scheme) + systems.said(0, number)})
            blocks.append(rows)
        return blocks

    @property
    def _p_corrected(self) -> str:
        return f"p_{self.correction}"

    def worse(self, allowed: Sequence[tuple[str, float]]) -> list[str]:
        """What is wrong, in words, where the interval of A − B under a scheme begins below what is allowed.

        Raises ValueError for a scheme that the table lacks.
        """
        faults = []
        for scheme, least in allowed:
            if scheme not in self.schemes:
                raise unknown_name("scheme of this comparison", scheme, self.schemes)
            for row in self.rows():
                if row["scheme"] != scheme or row["low"] >= least:
                    continue
                low = f"its 95 % interval begins at {points(row['low'])}, under {points(least)}"
                of = f"{scheme} of A − B is {points(row['difference'])} against {visible(row['second'])}"
                faults.append(f"{of}, {low}")
        return faults

    def how_to_report(self) -> list[str]:
        """A paragraph for each other file: scores, difference, interval, p, correction, n, and what is
        tested."""
        return [self._paragraph(rows) for rows in self._blocks]

    def _paragraph(self, rows: Sequence[Mapping[str, Any]]) -> str:
        first, units, score = rows[0], self.systems.units, self.systems.rules["score"].capitalize()
        scores = []
        for row in rows:
            both = f"{percent(row['score_first'])} and {percent(row['score_second'])}"
            ends = f"95 % interval {points(row['low'])} to {points(row['high'])}"
            p = f"p {chance(row['p'])}, corrected {chance(row[self._p_corrected])}"
            changed = f"difference {points(row['difference'])}, {ends}, {p}"
            scores.append(f"{both} under {table_name(row['scheme'])} ({changed})")
        names = " and ".join(map(visible, _titles([first["first"], first["second"]])))
        drawn = f"{first['replicates']} replicates, seed {first['seed']}"
        correction = f"{CORRECTED[self.correction]} over {amount(len(self.rows()), 'test')}"
        sentences = [
            f"On the same {first['n']} {units} {names} have {score}, in per cent, of {'; '.join(scores)}.",
            f"Intervals and two-sided p are of a paired percentile bootstrap ({drawn}), p with {correction}.",
            verdict({row["scheme"]: row[self._p_corrected] for row in rows}),
            f"The test covers the choice of the {units}, not the training seed (one run of each).",
        ]
        return " ".join(sentences)

    def parts(self) -> Iterator[str | Table]:
        """A table for each other file, scores in per cent, then the paragraphs."""
        joint = self._joint()
        for index, rows in enumerate(self._blocks):
            yield from [""] * (index > 0)
            first = rows[0]
            yield from (f"A {visible(first['first'])}", f"B {visible(first['second'])}")
            yield f"n {first['n']} · {first['replicates']} replicates, seed {first['seed']}"
            columns = {name: column for name, column in COLUMNS.items() if name in first}
            lines = [(table_name(row["scheme"]), row) for row in rows]
            yield Table("scheme", lines, columns, width=8)
            if self.systems.is_union(joint):
                yield "A − B averages both over the labels of either file"
            yield visible(self.systems.signature(joint) + self.systems.said())
        yield from self._to_report()

    def _joint(self) -> Outcome:
        """The first system and the last one, over whose labels the policy is stated."""
        return self.systems.pair(0, len(self.systems.paths) - 1)

    def to_latex(self, tests: bool = False, **style: Any) -> str:
        """A LaTeX table (booktabs) of systems by schemes, 95 % bootstrap intervals in the cells.

        In bold the best of each column, and every system that the paired test does not tell from it (p ≥ .05,
        corrected over the tests of the whole table). tests : add corrected p of the first system against each
        other one. style : decimals, columns and intervals, as in `latex_float`.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
        ...     _ = [path.write_text("gold,predicted\\nx,x\\nx,x\\n") for path in paths]
        ...     comparison = Comparison.of_files(paths, schemes=["macro"], replicates=9)
        >>> print(comparison.to_latex().splitlines()[-4])
        b & \\textbf{100.0 [100.0, 100.0]} \\\\
        """
        systems, correction, drawn = self.systems, CORRECTED[self.correction], []
        for index in range(len(systems.paths)):
            table = systems.pair(index, index).of("predicted").grouped()
            rng = np.random.default_rng(self.seed)
            drawn.append(metrics.bootstrap_intervals(table, systems.scores_of(table), rng, self.replicates))
        bold = self._like_the_best(np.stack([interval.value for interval in drawn]))
        rows = []
        for title, interval, tops in zip(_titles(systems.paths), drawn, bold, strict=True):
            row: dict[str, Any] = {"bold": np.array(self.schemes)[tops].tolist()}
            for name, ends in interval.named(self.schemes).items():
                row |= {name: ends.value, f"{name}_low": ends.low, f"{name}_high": ends.high}
            rows.append((latex_text(title), row))
        score, rule = metrics.latex_name(systems.rules["score"]), f"($p \\geq .05$, {correction})"
        caption = (
            f"{score} in per cent of {table.n} {systems.units}, in brackets 95\\,\\% bootstrap intervals."
        )
        caption += f"\nBold: the best, and all that the paired test does not tell from it {rule}."
        tables = [("System", rows)]
        if tests:
            p = [{row["scheme"]: chance(row[self._p_corrected]) for row in block} for block in self._blocks]
            tables += [("Corrected $p$", [*zip((title for title, _ in rows[1:]), p, strict=True)])]
            caption += f"\nTests of {rows[0][0]} against each: {correction}."
        made = metrics.bootstrap_suffix(self.replicates, self.seed) + systems.said()
        signature = visible(systems.signature(self._joint()) + made)
        return metrics.latex_float(tables, caption, "tab:systems", [signature], **style)

    def _like_the_best(self, values: np.ndarray) -> np.ndarray:
        """(systems, schemes) which are the best, or not told from the best by the corrected p of the pair."""
        best, p = values.argmax(0), np.ones(values.shape)
        for top in np.unique(best).tolist():
            for other in {*range(len(values))} - {top}:
                test = self.systems.test(self.systems.pair(top, other), self.replicates, self.seed)
                p[other] = np.where(best == top, test.p, p[other])
        like, others = values == values.max(0), np.arange(len(values))[:, None] != best
        like[others] |= np.array(corrected(self.correction)(p[others].tolist())) >= 0.05
        return like
