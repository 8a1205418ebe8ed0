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

from ..core import naming_file, shown, table_name, unknown_name, visible
from ..data import read_label_columns
from ..metrics import (
    CORRECTIONS,
    BootstrapTest,
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
    latex_float,
    latex_name,
    latex_text,
    paired_bootstrap,
    points,
    resolve_score,
    scheme_names,
)
from .answers import choices_text, settle
from .score import Task, as_run, counted, find_task, split_options

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
CHANCES = {
    name: Column(head, form=chance) for name, head in {"p": "p", "p_holm": "p Holm", "p_bh": "p BH"}.items()
}
"""How p is shown: of one test, and corrected."""
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
    one of two files has ids, that is logged as a warning.

    Parameters
    ----------
    paths : at least two files; columns as in `read_predictions`.
    negative : the negative class; None or "": none. task : its labels and its negative class, as in
        `score_frame`. schemes : names, 'n^α' or functions; None: all of `scheme_names`.
    replicates, seed : of the bootstrap; each comparison starts from the seed, so that its numbers do not
        depend on the other files. correction : 'holm', or 'bh' for Benjamini and Hochberg's.
    score : the class score that is averaged, see `averages`.
    options : those of `read_predictions`, such as the names of columns; normalise, label_set, off_list,
        mapping and empty, as in `score_frame`; fields of `Policy`.

    Returns
    -------
    One row for each other file and scheme: scheme, first, second, score_first, score_second (what
    `score_frame` gives each file alone), difference (first − second), low, high (95 %), p, p_holm or p_bh
    (corrected over all rows), n, replicates, seed, signature. Its `attrs` are the `policy` that the rows
    share, and whether a difference `is_union`, as below.

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
    reading, settling, policy = split_options(options)
    known, rules = _rules(task, negative, schemes, score, **policy)
    (first, gold), *others = _read(paths, known, reading, settling)
    rows: list[dict[str, Any]] = []
    for path, frame in others:
        pair = _pair(gold, frame, known, rules)
        with naming_file(f"{first}, {path}"):
            test = _tested(pair, rules, replicates, seed)
        systems = {"score_first": pair, "score_second": pair.of("second")}
        alone = {name: _alone(gold, known, rules, system) for name, system in systems.items()}
        columns = {name: alone[name](system) for name, system in systems.items()}
        columns |= {name: getattr(test, name) for name in ("difference", "low", "high", "p")}
        said = choices_text(gold.attrs["choices"], frame.attrs["choices"])
        for index, scheme in enumerate(names):
            row: dict[str, Any] = {"scheme": scheme, "first": str(first), "second": str(path)}
            row |= {name: float(values[index]) for name, values in columns.items()} | {"n": pair.n}
            row |= {
                "replicates": replicates,
                "seed": seed,
                "signature": _signature(pair, rules, scheme) + said,
            }
            rows.append(row)
    table = pd.DataFrame(rows)
    table.insert([*table.columns].index("p") + 1, f"p_{correction}", correct(table["p"].tolist()))
    said = choices_text(gold.attrs["choices"], *(frame.attrs["choices"] for _, frame in others))
    table.attrs.update(policy=_signature(pair, rules) + said, is_union=not _is_shared(_policy(rules)))
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
    reading, settling, policy = split_options(options)
    known, rules = _rules(**policy)
    names, systems = scheme_names(rules["schemes"]), _read(paths, known, reading, settling)
    intervals = []
    for _, frame in systems:
        table = _pair(frame, frame, known, rules).of("predicted").grouped()
        statistic = _alone(frame, known, rules, table)
        intervals.append(bootstrap_intervals(table, statistic, np.random.default_rng(seed), replicates))
    values = np.stack([interval.value for interval in intervals])
    best, bold = values.argmax(0), values == values.max(0)
    for top in np.unique(best).tolist():
        for other in {*range(len(systems))} - {top}:
            pair = _pair(systems[top][1], systems[other][1], known, rules)
            bold[other] |= (best == top) & (_tested(pair, rules, replicates, seed).low <= 0)
    rows = []
    for title, interval, tops in zip(_titles([path for path, _ in systems]), intervals, bold, strict=True):
        row: dict[str, Any] = {"bold": [name for name, top in zip(names, tops, strict=True) if top]}
        for name, ends in interval.named(names).items():
            row |= {name: ends.value, f"{name}_low": ends.low, f"{name}_high": ends.high}
        rows.append((latex_text(title), row))
    caption = f"{latex_name(rules['score'])} in per cent of {table.n} samples, in brackets 95\\,\\% bootstrap"
    caption += " intervals.\nBold: the best, and all whose paired difference from it has 0 in its interval."
    signature = _signature(table, rules) + bootstrap_suffix(replicates, seed)
    signature += choices_text(*(frame.attrs["choices"] for _, frame in systems))
    return latex_float([("System", rows)], caption, "tab:systems", [visible(signature)], decimals)


def _rules(
    task: str | None = None,
    negative: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    score: str = "f1",
    **policy: Any,
) -> tuple[Task | None, dict[str, Any]]:
    """The task, and what is averaged: arguments of `averages`."""
    known = find_task(task)
    scheme_names(schemes)  # refuses an unknown one before a file is read
    negative = known.negative if known else negative or None
    return known, {"schemes": schemes, "score": resolve_score(score)[0], "negative": negative, **policy}


def _read(
    paths: Sequence[Path | str], task: Task | None, reading: Mapping[str, Any], settling: Mapping[str, Any]
) -> list[tuple[Path | str, pd.DataFrame]]:
    """The files, each in the order of the samples of the first."""
    paths = [paths] if isinstance(paths, str | Path) else list(paths)
    if len(paths) < 2:
        raise ValueError(f"a comparison takes at least two files, not {len(paths)}")
    frames: list[pd.DataFrame] = []
    spellings: tuple[str, ...] = ()
    for path in paths:
        if as_run(path):
            raise ValueError(
                f"{path} is a run file, which has no samples to pair: compare --runs NAME={path}"
            )
        answers = settle(read_label_columns(path, **reading), task, spellings=spellings, **settling)
        spellings = spellings or tuple(answers.columns["gold"].unique().to_pylist())
        for remark in answers.remarks():
            logger.warning("%s: %s", path, remark)
        frames.append(answers.columns.frame())
        frames[-1].attrs.update(labels=answers.labels, choices=answers.choices())
    return [
        (path, matched(paths[0], frames[0], path, frame) if index else frame)
        for index, (path, frame) in enumerate(zip(paths, frames, strict=True))
    ]


def matched(first: Path | str, a: pd.DataFrame, second: Path | str, b: pd.DataFrame) -> pd.DataFrame:
    """The second frame in the order of the samples of the first.

    Raises ValueError for other samples, and for other gold labels.

    >>> import pandas as pd
    >>> a = pd.DataFrame({"id": ["x", "y"], "gold": ["r", "s"]})
    >>> b = pd.DataFrame({"id": ["y", "x"], "gold": ["s", "r"]})
    >>> matched("a.csv", a, "b.csv", b)["gold"].tolist()
    ['r', 's']
    """
    if "id" in a and "id" in b:
        b = b.iloc[_order(first, a["id"], second, b["id"])]
    elif len(a) != len(b):
        reason = "to be matched, both need ids"
        raise ValueError(f"{first} has {len(a)} samples, {second} has {len(b)}: {reason}")
    elif "id" in a or "id" in b:
        logger.warning("%s has no ids: samples are matched by order", second if "id" in a else first)
    differs = a["gold"].astype(str).to_numpy() != b["gold"].astype(str).to_numpy()
    if differs.any():
        row = int(differs.argmax())
        name = f"id {shown(a['id'].iloc[row])}" if "id" in a else f"sample {row + 1}"
        golds = f"{shown(a['gold'].iloc[row])} in {first}, {shown(b['gold'].iloc[row])} in {second}"
        raise ValueError(
            f"gold labels differ at {name}: {golds}; are these the same samples in the same order?"
        )
    return b


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


def _pair(a: pd.DataFrame, b: pd.DataFrame, task: Task | None, rules: Mapping[str, Any]) -> Outcome:
    """Gold × what either system predicts, of the same samples in the same order."""
    columns = {"gold": a["gold"], "predicted": a["predicted"], "second": b["predicted"]}
    return counted(columns, task, a.attrs["labels"] or rules.get("labels", ()), rules["negative"])


def _tested(pair: Outcome, rules: Mapping[str, Any], replicates: int, seed: int) -> BootstrapTest:
    """The paired test over classes that both share: those of the gold labels and of all predictions."""
    second = pair.of("second")
    statistic = partial(averages, classes_of=pair.of("predicted") + second, **rules)
    return paired_bootstrap(pair, second, statistic, np.random.default_rng(seed), replicates)


def _alone(
    frame: pd.DataFrame, task: Task | None, rules: Mapping[str, Any], table: Outcome
) -> Callable[[Outcome], np.ndarray]:
    """The scores of one system's table under each scheme, as `score_frame` has them."""
    if task is None and not frame.attrs["labels"] and rules.get("labels") == "listed":
        rules = {**rules, "labels": "observed"}  # the table lists the labels of other files, too
    return partial(averages, classes_of=table, **rules)


def _signature(table: Outcome, rules: Mapping[str, Any], scheme: str | None = None) -> str:
    """The recipe of a score of a comparison, and which classes a difference averages over where the systems'
    own may differ; without a scheme what all share."""
    policy = _policy(rules)
    union = "" if scheme == "micro" or _is_shared(policy) else "|difference:union"
    return policy.signature(table, rules["score"], scheme) + union


def _policy(rules: Mapping[str, Any]) -> Policy:
    return Policy(**{name: value for name, value in rules.items() if name not in ("schemes", "score")})


def _is_shared(policy: Policy) -> bool:
    """Whether all systems are averaged over the same labels: predictions have no part in it."""
    return policy.skips or not isinstance(policy.labels, str)


def _titles(paths: Sequence[Path | str]) -> list[str]:
    """The files' names without folder and ending, or the whole path where two would be the same."""
    stems = [Path(path).name.partition(".")[0] for path in paths]
    return [stem if stems.count(stem) == 1 else str(path) for stem, path in zip(stems, paths, strict=True)]


@dataclass(frozen=True)
class Comparison(Report):
    """The table of `compare_files` as a report; what cannot be printed in the name of a file is escaped.

    >>> row = {"first": "a.csv", "second": "b.csv", "n": 9, "replicates": 99, "seed": 1, "scheme": "micro"}
    >>> row |= {"score_first": 0.75, "score_second": 0.5, "difference": 0.25, "low": -0.05, "high": 0.6}
    >>> import pandas as pd
    >>> table = pd.DataFrame([row | {"p": 0.03, "p_holm": 0.06, "signature": "f1|scheme:micro"}])
    >>> table.attrs["policy"] = "f1"
    >>> print(Comparison(table).to_text())
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
        size = len({row["scheme"] for row in rows})
        for start in range(0, len(rows), size):
            yield from [""] * (start > 0)
            first = rows[start]
            yield from (f"A {visible(first['first'])}", f"B {visible(first['second'])}")
            yield f"n {first['n']} · {first['replicates']} replicates, seed {first['seed']}"
            columns = {name: column for name, column in COLUMNS.items() if name in first}
            lines = [(table_name(row["scheme"]), row) for row in rows[start : start + size]]
            yield Table("scheme", lines, columns, width=8)
            if self.table.attrs.get("is_union"):
                yield "A − B averages both over the labels of either file"
            yield visible(self.table.attrs["policy"])
