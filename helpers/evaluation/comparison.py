"""Do systems differ on the same samples? Prediction files in, a table of paired bootstrap tests out.

Samples are matched before anything is compared; nothing is written.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import shown, table_name, unknown_name, visible
from ..data import read_label_columns
from ..metrics import (
    CORRECTIONS,
    Column,
    Outcome,
    Policy,
    Report,
    Table,
    Weighting,
    averages,
    bootstrap_intervals,
    bootstrap_suffix,
    chance,
    latex_cell,
    latex_float,
    latex_name,
    latex_rows,
    latex_text,
    paired_bootstrap,
    points,
    resolve_score,
    scheme_names,
)
from .score import Task, as_run, counted, find_task, prepared

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
READING = ("gold_column", "predicted_column", "id_column", "gold_file", "form", "label_names")


def compare_files(
    paths: Sequence[Path | str],
    *,
    negative: str | None = None,
    task: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 10_000,
    seed: int = 1,
    correction: str = "holm",
    normalise: bool = False,
    score: str = "f1",
    **options: Any,
) -> pd.DataFrame:
    """Compare systems on the same samples: paired bootstrap of the first file against each other one, under
    each scheme.

    Samples are matched by id where both files have ids, else by order; the gold labels have to agree. If only
    one of two files has ids, that is logged as a warning.

    Parameters
    ----------
    paths : at least two files; columns as in `read_predictions`.
    negative : the negative class; None or "": none. task : its labels and its negative class, as in
        `score_frame`. schemes : names, 'n^α' or functions; None: all of `scheme_names`.
    replicates, seed : of the bootstrap; each comparison starts from the seed, so that its numbers do not
        depend on the other files. correction : 'holm', or 'bh' for Benjamini and Hochberg's.
    normalise : as in `score_file`. score : the class score that is averaged, see `averages`.
    options : those of `read_predictions`, such as the names of columns, and fields of `Policy`.

    Returns
    -------
    One row for each other file and scheme: scheme, first, second, score_first, score_second (what
    `score_frame` gives each file alone), difference (first − second), low, high (95 %), p, p_holm or p_bh
    (corrected over all rows), n, replicates, seed, signature.

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

    if correction not in CORRECTIONS:
        raise unknown_name("correction", correction, CORRECTIONS)
    systems = _Systems.read(paths, negative, task, schemes, score, options, normalise)
    rows: list[dict[str, Any]] = []
    first, *others = zip(systems.paths, systems.frames, strict=True)
    for path, frame in others:
        outcomes, scores = systems.pair(*matched(first[0], path, first[1], frame))
        try:
            both = outcomes, outcomes.of("second")
            test = paired_bootstrap(*both, scores, np.random.default_rng(seed), replicates)
        except ValueError as error:
            raise ValueError(f"{first[0]}, {path}: {error}") from error
        tables = {"score_first": outcomes, "score_second": outcomes.of("second")}
        columns = {name: systems.alone(table)(table) for name, table in tables.items()}
        columns |= {name: getattr(test, name) for name in ("difference", "low", "high", "p")}
        for place, scheme in enumerate(systems.names):
            row: dict[str, Any] = {"scheme": scheme, "first": str(first[0]), "second": str(path)}
            row |= {name: float(values[place]) for name, values in columns.items()} | {"n": outcomes.n}
            row |= {"replicates": replicates, "seed": seed}
            rows.append(row | {"signature": systems.signature(outcomes, scheme)})
    table = pd.DataFrame(rows)
    corrected = CORRECTIONS[correction](table["p"].tolist())
    table.insert([*table.columns].index("p") + 1, f"p_{correction}", corrected)
    return table


def comparison_latex(
    paths: Sequence[Path | str],
    *,
    negative: str | None = None,
    task: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 10_000,
    seed: int = 1,
    normalise: bool = False,
    score: str = "f1",
    decimals: int = 1,
    **options: Any,
) -> str:
    """A LaTeX table (booktabs) of systems by schemes, 95 % bootstrap intervals in the cells.

    In bold the best of each column, and every system whose paired difference from the best has 0 in its 95 %
    interval. Arguments and errors as `compare_files`; `decimals` of per cent.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
    ...     _ = [path.write_text("gold,predicted\\nx,x\\nx,x\\n") for path in paths]
    ...     print(comparison_latex(paths, schemes=["macro"], replicates=9).splitlines()[-4])
    b & \\textbf{100.0 [100.0, 100.0]} \\\\
    """
    systems = _Systems.read(paths, negative, task, schemes, score, options, normalise)
    frames = systems.matched()
    found = []
    for frame in frames:
        table = systems.pair(frame, frame)[0].of("predicted").grouped()
        rng = np.random.default_rng(seed)
        found.append(bootstrap_intervals(table, systems.alone(table), rng, replicates))
    bold = systems.led(frames, np.stack([one.value for one in found]), replicates, seed)
    rows = []
    for name, one, tops in zip(systems.titles(), found, bold.tolist(), strict=True):
        ends = zip(one.value, one.low, one.high, strict=True)
        cells = [latex_cell(*end, decimals=decimals) for end in ends]
        marked = (rf"\textbf{{{cell}}}" if top else cell for cell, top in zip(cells, tops, strict=True))
        rows.append([latex_text(name), *marked])
    caption = f"{latex_name(systems.score)} in per cent of {table.n} samples, in brackets 95\\,\\% bootstrap"
    caption += " intervals.\nBold: the best, and all whose paired difference from it has 0 in its interval."
    signature = systems.signature(table, None) + bootstrap_suffix(replicates, seed)
    head = ["System", *map(latex_name, systems.names)]
    return latex_float([latex_rows(head, rows)], caption, "tab:systems", [visible(signature)])


@dataclass(frozen=True)
class _Systems:
    """Files of predictions, read, and what is to be averaged."""

    paths: list[Path | str]
    frames: list[pd.DataFrame]
    names: tuple[str, ...]
    schemes: Sequence[str | Weighting]
    score: str
    policy: dict[str, Any]
    task: Task | None

    @classmethod
    def read(
        cls,
        paths: Sequence[Path | str],
        negative: str | None,
        task: str | None,
        schemes: Sequence[str | Weighting] | None,
        score: str,
        options: Mapping[str, Any],
        normalise: bool,
    ) -> _Systems:
        """Read and count the files; all share one label list and one task."""
        paths = [paths] if isinstance(paths, str | Path) else list(paths)
        if len(paths) < 2:
            raise ValueError(f"a comparison takes at least two files, not {len(paths)}")
        known, names, (score, _) = find_task(task), scheme_names(schemes), resolve_score(score)
        reading = {name: value for name, value in options.items() if name in READING}
        policy = {name: value for name, value in options.items() if name not in READING}
        frames: list[pd.DataFrame] = []
        spellings: tuple[str, ...] = ()
        for path in paths:
            if as_run(path):
                raise ValueError(
                    f"{path} is a run file, which has no samples to pair: compare --runs NAME={path}"
                )
            read = read_label_columns(path, **reading)
            read, respellings = prepared(read, known, normalise, spellings)
            spellings = spellings or tuple(read["gold"].unique().to_pylist())
            for each in respellings:
                logger.warning("%s: %s is counted as %s", path, shown(each.label), shown(each.counted_as))
            frames.append(read.frame())
        policy["negative"] = known.negative if known else negative or None
        return cls(paths, frames, names, names if schemes is None else schemes, score, policy, known)

    def matched(self) -> list[pd.DataFrame]:
        """The frames in the order of the samples of the first."""
        first, *others = zip(self.paths, self.frames, strict=True)
        return [first[1], *(matched(first[0], path, first[1], frame)[1] for path, frame in others)]

    def pair(self, a: pd.DataFrame, b: pd.DataFrame) -> tuple[Outcome, Callable[[Outcome], np.ndarray]]:
        """The outcomes of two systems in the same order, and the scores of either's table under each scheme,
        over classes that both share: those of the gold labels and of all predictions."""
        columns = {"gold": a["gold"], "predicted": a["predicted"], "second": b["predicted"]}
        outcomes = counted(columns, self.task, self.policy.get("labels", ()), self.policy["negative"])
        return outcomes, self._scores(outcomes.of("predicted") + outcomes.of("second"), self.policy)

    def alone(self, table: Outcome) -> Callable[[Outcome], np.ndarray]:
        """The scores of one system's table under each scheme, as `score_frame` has them."""
        own = dict(self.policy)
        if self.task is None and own.get("labels") == "listed":
            own |= {"labels": "observed"}  # the table lists the labels of other files, too
        return self._scores(table, own)

    def _scores(self, classes_of: Outcome, policy: Mapping[str, Any]) -> Callable[[Outcome], np.ndarray]:
        return partial(averages, schemes=self.schemes, score=self.score, classes_of=classes_of, **policy)

    def led(
        self, frames: Sequence[pd.DataFrame], values: np.ndarray, replicates: int, seed: int
    ) -> np.ndarray:
        """(systems, schemes) bool: the best system, and all whose paired difference from it may be 0."""
        best = values.argmax(0)
        led = values == values.max(0)
        for one in sorted(set(best.tolist())):
            for other in (place for place in range(len(frames)) if place != one):
                outcomes, scores = self.pair(frames[one], frames[other])
                both = outcomes, outcomes.of("second")
                test = paired_bootstrap(*both, scores, np.random.default_rng(seed), replicates)
                led[other] |= (best == one) & (test.low <= 0)
        return led

    def signature(self, table: Outcome, scheme: str | None) -> str:
        """The recipe of a score of this comparison, and which classes a difference averages over where the
        systems' own may differ."""
        rules = Policy(**self.policy)
        shared = rules.skips or not isinstance(rules.labels, str) or scheme == "micro"
        return rules.signature(table, self.score, scheme) + ("" if shared else "|difference:union")

    def titles(self) -> list[str]:
        """The files' names without folder and ending, or the whole path where two would be the same."""
        stems = [Path(path).name.partition(".")[0] for path in self.paths]
        return [
            stem if stems.count(stem) == 1 else str(path)
            for stem, path in zip(stems, self.paths, strict=True)
        ]


def matched(
    first: Path | str, second: Path | str, a: pd.DataFrame, b: pd.DataFrame
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Both frames in the same order of samples, with equal gold labels."""
    if "id" in a and "id" in b:
        b = b.iloc[_order(first, a["id"], second, b["id"])]
    elif len(a) != len(b):
        reason = "to be matched, both need ids"
        raise ValueError(f"{first} has {len(a)} samples, {second} has {len(b)}: {reason}")
    elif "id" in a or "id" in b:
        logger.warning("%s has no ids: samples are matched by order", second if "id" in a else first)
    # a label that the first file does not have gets the code -1 in the second
    other = b["gold"].cat.set_categories(a["gold"].cat.categories)
    differs = a["gold"].cat.codes.to_numpy() != other.cat.codes.to_numpy()
    if differs.any():
        row = int(differs.argmax())
        name = f"id {shown(a['id'].iloc[row])}" if "id" in a else f"sample {row + 1}"
        golds = f"{shown(a['gold'].iloc[row])} in {first}, {shown(b['gold'].iloc[row])} in {second}"
        raise ValueError(
            f"gold labels differ at {name}: {golds}; are these the same samples in the same order?"
        )
    return a, b


def _order(first: Path | str, ids: pd.Series, second: Path | str, others: pd.Series) -> np.ndarray:
    """Where each sample of the first file stands in the second."""

    import pandas as pd

    for here, there, has, lacks in ((others, ids, second, first), (ids, others, first, second)):
        places = pd.Index(there).get_indexer(pd.Index(here))
        absent = places < 0
        if absent.any():
            missing = f"{absent.sum()} of the {len(here)} ids of {has} are missing"
            raise ValueError(f"{lacks}: {missing}, the first is {shown(here.iloc[int(absent.argmax())])}")
    return places


COLUMNS = {
    "score_first": Column("A"),
    "score_second": Column("B"),
    "difference": Column("A − B", form=points),
}
COLUMNS |= {"low": Column("low", form=points), "high": Column("high", form=points)}
COLUMNS |= {"p": Column("p", form=chance)}
COLUMNS |= {"p_holm": Column("p Holm", form=chance), "p_bh": Column("p BH", form=chance)}


@dataclass(frozen=True)
class Comparison(Report):
    """The table of `compare_files` as a report; what cannot be printed in the name of a file is escaped.

    >>> row = {"first": "a.csv", "second": "b.csv", "n": 9, "replicates": 99, "seed": 1, "scheme": "micro"}
    >>> row |= {"score_first": 0.75, "score_second": 0.5, "difference": 0.25, "low": -0.05, "high": 0.6}
    >>> import pandas as pd
    >>> print(Comparison(pd.DataFrame([row | {"p": 0.03, "p_holm": 0.06, "signature": "f1"}])).to_text())
    A a.csv
    B b.csv
    n 9 · 99 replicates, seed 1
    scheme         A       B   A − B     low    high       p  p Holm
    micro      75.00   50.00  +25.00   -5.00  +60.00  0.0300  0.0600
    f1
    """

    table: pd.DataFrame

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table."""
        return [{str(name): value for name, value in row.items()} for row in self.table.to_dict("records")]

    def parts(self) -> Iterator[str | Table]:
        """A table for each other file, scores in per cent."""
        rows = self.rows()
        starts = [index for index, row in enumerate(rows) if row["scheme"] == rows[0]["scheme"]]
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
            yield from [""] * (start > 0)
            yield from _parts(rows[start:end])


def _parts(rows: Sequence[Mapping[str, Any]]) -> Iterator[str | Table]:
    """Of one pair of files."""
    last = rows[-1]  # micro, the first, pools labels that the others leave out
    yield from (f"A {visible(last['first'])}", f"B {visible(last['second'])}")
    yield f"n {last['n']} · {last['replicates']} replicates, seed {last['seed']}"
    columns = {key: column for key, column in COLUMNS.items() if key in last}
    yield Table("scheme", [(table_name(row["scheme"]), row) for row in rows], columns, width=8)
    if last["signature"].endswith("|difference:union"):
        yield "A − B averages both over the labels of either file"
    # the first only: the negative class may be named like a scheme
    yield visible(last["signature"].replace(f"|scheme:{last['scheme']}", "", 1))
