"""Do systems differ on the same samples? Prediction files in, a table of paired bootstrap tests out.

Samples are matched before anything is compared; nothing is written.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import naming_file, shown, table_name, unknown_name, visible
from ..data import holds_triples, read_label_columns, read_triples
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
    percent,
    points,
    resolve_score,
    scheme_names,
)
from .answers import choices_text, settle
from .document_facts import document_sets, holds_documents
from .score import Task, as_run, counted, find_task, split_options
from .triples import ROLES, Sets, check_score, match_rules, outcome_of_sets, rules_text, triple_sets

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
CHANCES = {
    name: Column(head, form=chance) for name, head in {"p": "p", "p_holm": "p Holm", "p_bh": "p BH"}.items()
}
"""How p is shown: of one test, and corrected."""
CORRECTED = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}
LABELS_ONLY = ("form", "label_names", "label_set", "off_list", "mapping")
"""Options of files of labels."""
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
        `score_triples`; fields of `Policy`.

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
    (known, rules), ((first, gold), *others) = _read(paths, task, negative, schemes, score, **options)
    rows: list[dict[str, Any]] = []
    for path, frame in others:
        pair = _pair(gold, frame, known, rules)
        with naming_file(f"{first}, {path}"):
            test = _tested(pair, rules, replicates, seed)
        systems = {"score_first": pair, "score_second": pair.of("second")}
        alone = {name: _alone(gold, known, rules, system) for name, system in systems.items()}
        columns = {name: alone[name](system) for name, system in systems.items()}
        columns |= {name: getattr(test, name) for name in ("difference", "low", "high", "p")}
        said = _said(gold, frame)
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
    said = _said(gold, *(frame for _, frame in others))
    table.attrs.update(policy=_signature(pair, rules) + said, is_union=not _is_shared(_policy(pair, rules)))
    table.attrs.update(score=rules["score"], units=gold.attrs["units"])
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

    In bold the best of each column, and every system whose paired difference from the best has 0 in its 95 %
    interval. Arguments and errors as `compare_files`. tests : add corrected p of the first system against
    each other one. style : decimals, columns and intervals, as in `latex_float`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
    ...     _ = [path.write_text("gold,predicted\\nx,x\\nx,x\\n") for path in paths]
    ...     print(comparison_latex(paths, schemes=["macro"], replicates=9).splitlines()[-4])
    b & \\textbf{100.0 [100.0, 100.0]} \\\\
    """
    (known, rules), systems = _read(paths, **options)
    names = scheme_names(rules["schemes"])
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
    units = systems[0][1].attrs["units"]
    caption = f"{latex_name(rules['score'])} in per cent of {table.n} {units}, in brackets 95\\,\\% bootstrap"
    caption += " intervals.\nBold: the best, and all whose paired difference from it has 0 in its interval."
    signature = _signature(table, rules) + bootstrap_suffix(replicates, seed)
    signature += _said(*(frame for _, frame in systems))
    tables = [("System", rows)]
    if tests:
        pairs = [_pair(systems[0][1], frame, known, rules) for _, frame in systems[1:]]
        p = np.stack([_tested(pair, rules, replicates, seed).p for pair in pairs])
        shares = np.reshape(corrected(correction)(p.ravel().tolist()), p.shape)
        chances = [dict(zip(names, map(chance, row), strict=True)) for row in shares]
        tables += [("Corrected $p$", [*zip((title for title, _ in rows[1:]), chances, strict=True)])]
        caption += f"\nTests of {rows[0][0]} against each: {CORRECTED[correction]}."
    return latex_float(tables, caption, "tab:systems", [visible(signature)], **style or {})


Systems = list[tuple[Path | str, "pd.DataFrame"]]


def _read(
    paths: Sequence[Path | str],
    task: str | None = None,
    negative: str | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    score: str = "f1",
    match: str | None = None,
    **options: Any,
) -> tuple[tuple[Task | None, dict[str, Any]], Systems]:
    """The task and what is averaged (arguments of `averages`); and the files, in the order of the first's
    samples."""
    known = find_task(task)
    scheme_names(schemes)  # refuses an unknown one before a file is read
    negative = known.negative if known else negative or None
    reading, settling, policy = split_options(options)
    rules = {"schemes": schemes, "score": resolve_score(score)[0], "negative": negative, **policy}
    paths = [paths] if isinstance(paths, str | Path) else list(paths)
    if len(paths) < 2:
        raise ValueError(f"a comparison takes at least two files, not {len(paths)}")
    for path in paths:
        if as_run(path):
            raise ValueError(
                f"{path} is a run file, which has no samples to pair: compare --runs NAME={path}"
            )
    columns = (reading.get("gold_column"), reading.get("predicted_column"))
    if holds_documents(paths[0]) or holds_triples(paths[0], *columns):
        strange = [name for name in LABELS_ONLY if options.get(name)] + ["task"] * bool(task)
        if strange or negative is not None:
            raise ValueError(f"{paths[0]}: {(*strange, 'negative')[0]} is of no use with triples")
        check_score(rules["score"])
        rules = {"labels": "supported"} | rules
        frames = _read_sets(paths, match, settling.get("normalise", False), reading)
    elif match is not None:
        raise ValueError(f"{paths[0]}: match is for triples, and these are labels")
    else:
        frames = _read_labels(paths, known, reading, settling)
    systems = [
        (path, matched(paths[0], frames[0], path, frame) if index else frame)
        for index, (path, frame) in enumerate(zip(paths, frames, strict=True))
    ]
    return (known, rules), systems


def _read_labels(
    paths: Sequence[Path | str], task: Task | None, reading: Mapping[str, Any], settling: Mapping[str, Any]
) -> list[pd.DataFrame]:
    frames: list[pd.DataFrame] = []
    spellings: tuple[str, ...] = ()
    for path in paths:
        answers = settle(read_label_columns(path, **reading), task, spellings=spellings, **settling)
        spellings = spellings or tuple(answers.columns["gold"].times())
        for remark in answers.remarks():
            logger.warning("%s: %s", path, remark)
        frames.append(answers.columns.frame())
        frames[-1].attrs.update(labels=answers.labels, choices=answers.choices(), matched="", units="samples")
    return frames


def _read_sets(
    paths: Sequence[Path | str], match: str | None, normalise: bool, reading: Mapping[str, Any]
) -> list[pd.DataFrame]:
    """One row an item: its id if there is one, its gold triples as text, and all its sets."""
    gold_file = reading.get("gold_file")
    if holds_documents(paths[0]):
        if match is not None or normalise:
            raise ValueError(f"{paths[0]}: match and normalise are for sets of triples, not for documents")
        if gold_file is None:
            raise ValueError(f"{paths[0]}: these are documents; the gold ones: --gold FILE")
        files = [document_sets(path, gold_file) for path in paths]
        return [_frame_of_sets(list(file.values()), list(file), {"as": "unique"}) for file in files]
    names = ("gold_column", "predicted_column", "id_column")
    named = {name: reading.get(name) for name in names}
    rules = match_rules(match or "exact", normalise)
    items = [read_triples(path, gold_file, **named) for path in paths]
    frames = []
    for path, own in zip(paths, items, strict=True):
        with naming_file(path):
            sets = triple_sets(own, rules["match"], normalise, [*chain(*items)] if normalise else ())
        frames.append(_frame_of_sets(sets, [item.id for item in own], rules))
    return frames


def _frame_of_sets(sets: Sequence[Sets], ids: Sequence[str | None], rules: Mapping[str, str]) -> pd.DataFrame:
    import pandas as pd

    frame = pd.DataFrame({"gold": [str(sorted(gold)) for gold, _, _ in sets]})
    frame["sets"] = pd.Series(list(sets), dtype=object)
    if None not in ids:
        frame["id"] = ids
    frame.attrs.update(labels=(), choices={}, matched=rules_text(rules), units="items")
    return frame


def _said(*frames: pd.DataFrame) -> str:
    """What the files count as, or how triples are matched: the end of a signature."""
    return choices_text(*(frame.attrs["choices"] for frame in frames)) + frames[0].attrs["matched"]


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
    if "sets" in a:
        sets = [(*first, *second[1:]) for first, second in zip(a["sets"], b["sets"], strict=True)]
        return outcome_of_sets(sets, (*ROLES, "second", "right_second"))
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
    policy = _policy(table, rules)
    union = "" if scheme == "micro" or _is_shared(policy) else "|difference:union"
    return policy.signature(table, rules["score"], scheme) + union


def _policy(table: Outcome, rules: Mapping[str, Any]) -> Policy:
    return Policy.of(
        table, **{name: value for name, value in rules.items() if name not in ("schemes", "score")}
    )


def _is_shared(policy: Policy) -> bool:
    """Whether all systems are averaged over the same labels: predictions have no part in it."""
    return policy.skips or not isinstance(policy.labels, str)


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
        correction = f"{CORRECTED[p_name.removeprefix('p_')]} over {tests} test{'s' * (tests > 1)}"
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
