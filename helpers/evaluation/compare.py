"""Do systems differ on the same samples? Prediction files in, a table of paired bootstrap tests out.

Samples are matched before anything is compared; nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import naming_file, table_name, unknown_name, visible
from ..metrics import (
    CORRECTIONS,
    Column,
    Report,
    Table,
    Weighting,
    bootstrap_intervals,
    bootstrap_suffix,
    chance,
    latex_float,
    latex_name,
    latex_text,
    percent,
    points,
    scheme_names,
)
from .pairs import read_systems
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


def compare_files(
    paths: Sequence[Path | str],
    *,
    negative: str | None = None,
    task: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 10_000,
    seed: int = 1,
    correction: str = "holm",
    score: str = "f1",
    **options: Any,
) -> pd.DataFrame:
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
    replicates, seed : of the bootstrap; each comparison starts from the seed, so that its numbers do not
        depend on the other files. correction : 'holm', or 'bh' for Benjamini and Hochberg's.
    score : the class score that is averaged, see `averages`.
    options : those of `read_predictions`, such as the names of columns; normalise, label_set, off_list,
        mapping and empty, as in `score_frame`; of triples gold_file, match and normalise, as in
        `score_triples`; of documents gold_file, counted_as and match_entities, as in
        `score_document_facts`; fields of `Policy`.

    Returns
    -------
    One row for each other file and scheme: scheme, first, second, score_first, score_second (what
    `score_frame` gives each file alone), difference (first − second), low, high (95 %), p, p_holm or p_bh
    (corrected over all rows), n, replicates, seed, signature. Its `attrs` are the `policy` that the rows
    share, the `score` and the `units` that are drawn, and whether a difference `is_union`, as below.

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
    import pandas as pd

    correct, names = corrected(correction), scheme_names(schemes)
    systems = read_systems(paths, task, negative, schemes, score, **options)
    first, rows = systems.paths[0], []
    for other, path in enumerate(systems.paths[1:], start=1):
        pair = systems.pair(0, other)
        with naming_file(f"{first}, {path}"):
            test = systems.test(pair, replicates, seed)
        tables = {"score_first": pair, "score_second": pair.of("second")}
        columns = {name: systems.scores_of(table)(table) for name, table in tables.items()}
        columns |= {name: getattr(test, name) for name in ("difference", "low", "high", "p")}
        for index, scheme in enumerate(names):
            row: dict[str, Any] = {"scheme": scheme, "first": str(first), "second": str(path)}
            row |= {name: float(values[index]) for name, values in columns.items()} | {"n": pair.n}
            row |= {"replicates": replicates, "seed": seed}
            rows.append(row | {"signature": systems.signature(pair, scheme) + systems.said(0, other)})
    table = pd.DataFrame(rows)
    table.insert([*table.columns].index("p") + 1, f"p_{correction}", correct(table["p"].tolist()))
    table.attrs.update(policy=systems.signature(pair) + systems.said(), is_union=systems.is_union(pair))
    table.attrs.update(score=systems.rules["score"], units=systems.units)
    return table


def corrected(correction: str) -> Callable[[Sequence[float]], list[float]]:
    """The correction of that name, of p for several tests; ValueError lists the known ones.

    >>> corrected("holm")([0.01, 0.04])
    [0.02, 0.04]
    """
    if correction not in CORRECTIONS:
        raise unknown_name("correction", correction, CORRECTIONS)
    return CORRECTIONS[correction]


def comparison_latex(
    paths: Sequence[Path | str],
    *,
    replicates: int = 10_000,
    seed: int = 1,
    correction: str = "holm",
    tests: bool = False,
    style: Mapping[str, Any] | None = None,
    **options: Any,
) -> str:
    """A LaTeX table (booktabs) of systems by schemes, 95 % bootstrap intervals in the cells.

    In bold the best of each column, and every system that the paired test does not tell from it (p ≥ .05,
    corrected over the tests of the whole table). Arguments and errors as `compare_files`. tests : add
    corrected p of the first system against
    each other one. style : decimals, columns and intervals, as in `latex_float`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
    ...     _ = [path.write_text("gold,predicted\\nx,x\\nx,x\\n") for path in paths]
    ...     print(comparison_latex(paths, schemes=["macro"], replicates=9).splitlines()[-4])
    b & \\textbf{100.0 [100.0, 100.0]} \\\\
    """
    systems = read_systems(paths, **options)
    names, count = scheme_names(systems.rules["schemes"]), len(systems.paths)
    intervals = []
    for index in range(count):
        table = systems.pair(index, index).of("predicted").grouped()
        rng = np.random.default_rng(seed)
        intervals.append(bootstrap_intervals(table, systems.scores_of(table), rng, replicates))
    values = np.stack([interval.value for interval in intervals])
    best, bold = values.argmax(0), values == values.max(0)
    p = np.ones(values.shape)  # of each system and the best one under each scheme
    for top in np.unique(best).tolist():
        for other in {*range(count)} - {top}:
            test = systems.test(systems.pair(top, other), replicates, seed)
            p[other] = np.where(best == top, test.p, p[other])
    others = np.arange(count)[:, None] != best
    bold[others] |= np.array(corrected(correction)(p[others].tolist())) >= 0.05
    rows = []
    for title, interval, tops in zip(_titles(systems.paths), intervals, bold, strict=True):
        row: dict[str, Any] = {"bold": [name for name, top in zip(names, tops, strict=True) if top]}
        for name, ends in interval.named(names).items():
            row |= {name: ends.value, f"{name}_low": ends.low, f"{name}_high": ends.high}
        rows.append((latex_text(title), row))
    score = latex_name(systems.rules["score"])
    caption = f"{score} in per cent of {table.n} {systems.units}, in brackets 95\\,\\% bootstrap"
    caption += (
        " intervals.\nBold: the best, and all that the paired test does not tell from it ($p \\geq .05$, "
    )
    caption += f"{CORRECTED[correction]})."
    joint = systems.pair(0, count - 1)  # over the labels of both, as in a comparison
    signature = systems.signature(joint) + bootstrap_suffix(replicates, seed) + systems.said()
    tables = [("System", rows)]
    if tests:
        pairs = [systems.pair(0, other) for other in range(1, count)]
        of_first = np.stack([systems.test(pair, replicates, seed).p for pair in pairs])
        shares = np.reshape(corrected(correction)(of_first.ravel().tolist()), of_first.shape)
        chances = [dict(zip(names, map(chance, row), strict=True)) for row in shares]
        tables += [("Corrected $p$", [*zip((title for title, _ in rows[1:]), chances, strict=True)])]
        caption += f"\nTests of {rows[0][0]} against each: {CORRECTED[correction]}."
    return latex_float(tables, caption, "tab:systems", [visible(signature)], **style or {})


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
    """The table of `compare_files` as a report; what cannot be printed in the name of a file is escaped.

    >>> row = {"first": "a.csv", "second": "b.csv", "n": 9, "replicates": 99, "seed": 1, "scheme": "micro"}
    >>> row |= {"score_first": 0.75, "score_second": 0.5, "difference": 0.25, "low": -0.05, "high": 0.6}
    >>> import pandas as pd
    >>> table = pd.DataFrame([row | {"p": 0.03, "p_holm": 0.06, "signature": "f1|scheme:micro"}])
    >>> table.attrs |= {"policy": "f1", "score": "f1", "units": "samples"}
    >>> print(Comparison(table).to_text())
    A a.csv
    B b.csv
    n 9 · 99 replicates, seed 1
    scheme         A       B   A − B     low    high       p  p Holm
    micro      75.00   50.00  +25.00   -5.00  +60.00  0.0300  0.0600
    f1
    <BLANKLINE>
    To report: On the same 9 samples a and b have F1, in per cent, of 75.00 and 50.00 under micro
    (difference +25.00, 95 % interval -5.00 to +60.00, p 0.0300, corrected 0.0600). ...
    """

    table: pd.DataFrame

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table."""
        return [{str(name): value for name, value in row.items()} for row in self.table.to_dict("records")]

    def _blocks(self) -> list[list[dict[str, Any]]]:
        """The rows of each other file."""
        rows = self.rows()
        size = len({row["scheme"] for row in rows})
        return [rows[start : start + size] for start in range(0, len(rows), size)]

    def worse(self, allowed: Sequence[tuple[str, float]]) -> list[str]:
        """What is wrong, in words, where the interval of A − B under a scheme begins below what is allowed.

        Raises ValueError for a scheme that the table lacks.
        """
        faults, known = [], dict.fromkeys(self.table["scheme"])
        for scheme, least in allowed:
            if scheme not in known:
                raise unknown_name("scheme of this comparison", scheme, known)
            rows = [row for row in self.rows() if row["scheme"] == scheme and not row["low"] >= least]
            for row in rows:
                low = f"its 95 % interval begins at {points(row['low'])}, under {points(least)}"
                of = f"{scheme} of A − B is {points(row['difference'])} against {visible(row['second'])}"
                faults.append(f"{of}, {low}")
        return faults

    def how_to_report(self) -> list[str]:
        """A paragraph for each other file: scores, difference, interval, p, correction, n, and what is
        tested."""
        return [self._paragraph(rows) for rows in self._blocks()]

    def _paragraph(self, rows: Sequence[Mapping[str, Any]]) -> str:
        first, p_name = rows[0], next(name for name in ("p_holm", "p_bh") if name in rows[0])
        units, score = self.table.attrs["units"], self.table.attrs["score"].capitalize()
        scores, tests = [], len(self.table)
        for row in rows:
            both = f"{percent(row['score_first'])} and {percent(row['score_second'])}"
            ends = f"95 % interval {points(row['low'])} to {points(row['high'])}"
            p = f"p {chance(row['p'])}, corrected {chance(row[p_name])}"
            changed = f"difference {points(row['difference'])}, {ends}, {p}"
            scores.append(f"{both} under {table_name(row['scheme'])} ({changed})")
        names = " and ".join(map(visible, _titles([first["first"], first["second"]])))
        drawn = f"{first['replicates']} replicates, seed {first['seed']}"
        correction = f"{CORRECTED[p_name.removeprefix('p_')]} over {amount(tests, 'test')}"
        sentences = [
            f"On the same {first['n']} {units} {names} have {score}, in per cent, of {'; '.join(scores)}.",
            f"Intervals and two-sided p are of a paired percentile bootstrap ({drawn}), p with {correction}.",
            verdict({row["scheme"]: row[p_name] for row in rows}),
            f"The test covers the choice of the {units}, not the training seed (one run of each).",
        ]
        return " ".join(sentences)

    def parts(self) -> Iterator[str | Table]:
        """A table for each other file, scores in per cent, then the paragraphs."""
        for index, rows in enumerate(self._blocks()):
            yield from [""] * (index > 0)
            first = rows[0]
            yield from (f"A {visible(first['first'])}", f"B {visible(first['second'])}")
            yield f"n {first['n']} · {first['replicates']} replicates, seed {first['seed']}"
            columns = {name: column for name, column in COLUMNS.items() if name in first}
            lines = [(table_name(row["scheme"]), row) for row in rows]
            yield Table("scheme", lines, columns, width=8)
            if self.table.attrs.get("is_union"):
                yield "A − B averages both over the labels of either file"
            yield visible(self.table.attrs["policy"])
        yield from self._to_report()
