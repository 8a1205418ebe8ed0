"""Do systems differ on the same samples? Prediction files in, a table of paired bootstrap tests out.

Samples are matched before anything is compared; nothing is written.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from .. import metrics
from ..core import check_known, naming_file, shown, table_name, visible
from ..data import Coded, read_predictions
from ..metrics import Column, Outcome, Report, Scheme, Schemes, Table, chance, latex_text, percent, points
from .answers import TASKS, Answers, amount, split_options
from .document_facts import ROLES, ItemSets
from .score import as_run, remarks
from .triples import COLUMN_OPTIONS, NEED_TRUE_NEGATIVES, OF_DOCUMENTS, holds_items, read_item_sets

logger = logging.getLogger(__name__)
OF_LABELS = ("form", "label_names", "label_set", "off_list", "mapping", "task", "negative")
"""Options that are of no use with triples and documents."""
CORRECTED = {"holm": "Holm's correction", "bh": "Benjamini and Hochberg's correction"}
CHANCES = {"p": Column("p", form=chance), "p_holm": Column("p Holm", form=chance)}
CHANCES |= {"p_bh": Column("p BH", form=chance)}
"""How p is shown: of one test, and corrected."""
COLUMNS = {"score_first": Column("A"), "score_second": Column("B")}
COLUMNS |= {"difference": Column("A − B", form=points)}
COLUMNS |= {name: Column(name, form=points) for name in ("low", "high")} | CHANCES


class PairedReport(Report):
    """Systems of which the first is tested against each other one, on one test set or over their runs.

    Attributes
    ----------
    correction : of p, over all tests. blocks : the rows of each system but the first. named : the key of the
        name of a score in a row.
    """

    correction: str
    blocks: list[list[dict[str, Any]]]
    named: ClassVar[str]
    _paragraph: Callable[[Sequence[Mapping[str, Any]]], str]

    @property
    def p_corrected(self) -> str:
        """The key of the corrected p."""
        return f"p_{self.correction}"

    def corrected(self, p: Sequence[float]) -> list[float]:
        """p of several tests, corrected; ValueError for an unknown correction."""
        check_known("correction", self.correction, metrics.CORRECTIONS)
        return metrics.CORRECTIONS[self.correction](p)

    def correction_text(self) -> str:
        """The correction, and over how many tests."""
        return f"{CORRECTED[self.correction]} over {amount(sum(map(len, self.blocks)), 'test')}"

    def verdict(self, rows: Sequence[Mapping[str, Any]]) -> str:
        """Between which scores, by their corrected p, two systems differ, in a sentence."""
        chances = {row[self.named]: row[self.p_corrected] for row in rows}
        decided = [name for name, p in chances.items() if p is not None and p < 0.05]
        undecided = ", ".join(name for name in chances if name not in decided)
        if not decided:
            return f"At .05 the systems are not told apart under {undecided}."
        rest = f"; under {undecided} they are not told apart" if undecided else ""
        return f"At .05 the systems differ under {', '.join(decided)}{rest}."

    def how_to_report(self) -> list[str]:
        """A paragraph for each system but the first: scores, differences, p, and what the test covers."""
        return [self._paragraph(rows) for rows in self.blocks]

    def _to_report(self) -> Iterator[str]:
        """`how_to_report` as the last parts."""
        for paragraph in self.how_to_report():
            yield from ("", f"To report: {paragraph}")


@dataclass(frozen=True)
class _Comparison(PairedReport):
    """Systems on the same samples, the first tested against each other one, in every form of a report; what
    cannot be printed in the name of a file is escaped.

    Attributes
    ----------
    paths : their files. systems : of each, in one order, gold and predicted, or gold and sets of triples.
    answers : of each, what its labels count as; of triples none. matching : how triples are matched, for
        signatures. schemes : by name. score, policy : arguments of `averages`.
    replicates, seed : of the bootstrap. correction : of p.
    """

    paths: Sequence[str]
    systems: Sequence[Mapping[str, Coded]]
    answers: Sequence[Answers]
    matching: str
    schemes: Mapping[str, Scheme]
    score: str
    policy: Mapping[str, Any]
    replicates: int = 10_000
    seed: int = 1
    correction: str = "holm"
    named: ClassVar[str] = "scheme"

    @property
    def _units(self) -> str:
        """What the bootstrap draws."""
        return "samples" if self.answers else "items"

    def pair(self, first: int, second: int) -> Outcome:
        """Gold × what either system predicts."""
        a, b = self.systems[first], self.systems[second]
        if self.answers:
            columns = {"gold": a["gold"], "predicted": a["predicted"], "second": b["predicted"]}
            averaged = self.policy.get("labels", ())
            return self.answers[0].outcome(columns, self.policy["negative"], averaged)
        sets = [(*own, *other[1:]) for own, other in zip(a["sets"], b["sets"], strict=True)]
        return ItemSets(sets).outcome((*ROLES, "second", "right_second"))

    def _test(self, pair: Outcome, *paths: str) -> metrics.Interval:
        """The paired test over classes that both share: those of the gold labels and of all predictions."""
        second, rng = pair.of("second"), np.random.default_rng(self.seed)
        statistic = self._averages(pair.of("predicted") + second)
        with naming_file(", ".join(paths)):
            return metrics.paired_bootstrap(pair, second, statistic, rng, self.replicates)

    def _own(self, index: int) -> Outcome:
        """One system over the labels of its own file, and the negative class, which another may have."""
        negative = self.policy["negative"]
        table = self.pair(index, index).of("predicted").grouped()
        return table if negative is None else table.with_labels([negative])

    def _scores(self, index: int) -> np.ndarray:
        """Under each scheme, as `score_frame` has them."""
        table = self._own(index)
        return self._averages(table)(table)

    def _averages(self, classes_of: Outcome) -> Callable[[Outcome], np.ndarray]:
        rules = {"schemes": [*self.schemes.values()], "score": self.score, **self.policy}
        return partial(metrics.averages, classes_of=classes_of, **rules)

    @cached_property
    def _policy(self) -> metrics.Policy:
        return metrics.Policy.of(self._joint(), **self.policy)

    @property
    def _is_union(self) -> bool:
        """Whether predictions have a part in which labels are averaged: a difference averages both systems
        over the labels of either. What counts true negatives has them of each label, under micro, too."""
        return isinstance(self._policy.labels, str) and self._policy.zero_support == "zero"

    def _signature(self, table: Outcome, scheme: str | None = None) -> str:
        """The recipe of a score of a comparison, and which classes a difference averages over where the
        systems' own may differ; without a scheme what all share."""
        pooled = self.score in NEED_TRUE_NEGATIVES if scheme == "micro" else self._is_union
        union = "|difference:union" if pooled else ""
        return self._policy.signature(table, self.score, scheme) + union

    def _said(self, *indices: int) -> str:
        """What the answers of these systems, or all, count as, or how triples are matched: the end of a
        signature."""
        if not self.answers:
            return self.matching
        first, *others = [self.answers[index] for index in indices] or self.answers
        return first.signature(*others)

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table."""
        return [row for rows in self.blocks for row in rows]

    @cached_property
    def blocks(self) -> list[list[dict[str, Any]]]:  # type: ignore[override]
        """The rows of each other file."""
        first, *others = self.paths
        blocks = []
        for number, path in enumerate(others, start=1):
            pair = self.pair(0, number)
            test = self._test(pair, first, path)
            columns: dict[str, Any] = {"score_first": self._scores(0), "score_second": self._scores(number)}
            columns |= {"difference": test.value, "low": test.low, "high": test.high, "p": test.p}
            same = {self.p_corrected: None, "n": pair.n, "replicates": self.replicates, "seed": self.seed}
            said, rows = self._said(0, number), []
            for index, scheme in enumerate(self.schemes):
                row: dict[str, Any] = {"scheme": scheme, "first": first, "second": path}
                row |= {name: float(values[index]) for name, values in columns.items()} | same
                rows.append(row | {"signature": self._signature(pair, scheme) + said})
            blocks.append(rows)
        rows = [row for rows in blocks for row in rows]
        for row, p in zip(rows, self.corrected([row["p"] for row in rows]), strict=True):
            row[self.p_corrected] = p
        return blocks

    def worse(self, allowed: Sequence[tuple[str, float]]) -> list[str]:
        """What is wrong, in words, where the interval of A − B under a scheme begins below what is allowed.

        Raises ValueError for a scheme that the table lacks.
        """
        faults = []
        for scheme, least in allowed:
            check_known("scheme of this comparison", scheme, self.schemes)
            for row in self.rows():
                if row["scheme"] == scheme and row["low"] < least:
                    low = f"its 95 % interval begins at {points(row['low'])}, under {points(least)}"
                    of = f"{scheme} of A − B is {points(row['difference'])} against {visible(row['second'])}"
                    faults.append(f"{of}, {low}")
        return faults

    def _titles(self) -> list[str]:
        """The files' names without folder and ending, or the whole path where two would be the same."""
        stems = [Path(path).name.partition(".")[0] for path in self.paths]
        named = zip(stems, self.paths, strict=True)
        return [stem if stems.count(stem) == 1 else path for stem, path in named]

    def _paragraph(self, rows: Sequence[Mapping[str, Any]]) -> str:
        first, units, score = rows[0], self._units, self.score.capitalize()
        scores = []
        for row in rows:
            both = f"{percent(row['score_first'])} and {percent(row['score_second'])}"
            ends = f"95 % interval {points(row['low'])} to {points(row['high'])}"
            p = f"p {chance(row['p'])}, corrected {chance(row[self.p_corrected])}"
            changed = f"difference {points(row['difference'])}, {ends}, {p}"
            scores.append(f"{both} under {table_name(row['scheme'])} ({changed})")
        titles = dict(zip(self.paths, self._titles(), strict=True))
        names = " and ".join(visible(titles[first[role]]) for role in ("first", "second"))
        drawn = f"{first['replicates']} replicates, seed {first['seed']}"
        test = f"a paired percentile bootstrap ({drawn}), p with {self.correction_text()}"
        sentences = [
            f"On the same {first['n']} {units} {names} have {score}, in per cent, of {'; '.join(scores)}.",
            f"Intervals and two-sided p are of {test}.",
            self.verdict(rows),
            f"The test covers the choice of the {units}, not the training seed (one run of each).",
        ]
        return " ".join(sentences)

    def parts(self) -> Iterator[str | Table]:
        """A table for each other file, scores in per cent, then the paragraphs."""
        joint = self._joint()
        for index, rows in enumerate(self.blocks):
            yield from [""] if index else []
            first = rows[0]
            yield from (f"A {visible(first['first'])}", f"B {visible(first['second'])}")
            yield f"n {first['n']} · {first['replicates']} replicates, seed {first['seed']}"
            columns = {name: column for name, column in COLUMNS.items() if name in first}
            yield Table("scheme", [(table_name(row["scheme"]), row) for row in rows], columns, width=8)
            if self._is_union:
                yield "A − B averages both over the labels of either file"
            yield visible(self._signature(joint) + self._said())
        yield from self._to_report()

    def _joint(self) -> Outcome:
        """The first system and the last one, over whose labels the policy is stated."""
        return self.pair(0, len(self.paths) - 1)

    def to_latex(self, decimals: int = 1) -> str:
        """A LaTeX table (booktabs) of systems by schemes, 95 % bootstrap intervals in the cells.

        In bold the best of each column, and every system that the paired test does not tell from it (p ≥ .05,
        corrected over the tests of the whole table). decimals : of per cent.

        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
        ...     _ = [path.write_text("gold,predicted\\nx,x\\nx,x\\n") for path in paths]
        ...     comparison = compare_files(paths, schemes=["macro"], replicates=9)
        >>> print(comparison.to_latex().splitlines()[-4])
        b & \\textbf{100.0 [100.0, 100.0]} \\\\
        """
        drawn = []
        for index in range(len(self.paths)):
            table = self._own(index)
            rng, scores = np.random.default_rng(self.seed), self._averages(table)
            drawn.append(metrics.bootstrap_intervals(table, scores, rng, self.replicates))
        rows, bold = [], self._like_the_best(np.stack([interval.value for interval in drawn]))
        for title, interval, tops in zip(self._titles(), drawn, bold, strict=True):
            row: dict[str, Any] = {"bold": np.array([*self.schemes])[tops].tolist()}
            for name, ends in interval.named([*self.schemes]).items():
                row |= {name: ends.value, f"{name}_low": ends.low, f"{name}_high": ends.high}
            rows.append((latex_text(title), row))
        of = f"{metrics.latex_name(self.score)} in per cent of {table.n} {self._units}"
        caption = f"{of}, in brackets 95\\,\\% bootstrap intervals.\nBold: the best, and all that the paired "
        caption += f"test does not tell from it ($p \\geq .05$, {CORRECTED[self.correction]})."
        made = metrics.bootstrap_suffix(self.replicates, self.seed) + self._said()
        comments = [visible(self._signature(self._joint()) + made)]
        return metrics.latex_float([("System", rows)], caption, "tab:systems", comments, decimals)

    def _like_the_best(self, values: np.ndarray) -> np.ndarray:
        """(systems, schemes) which are the best, or not told from the best by the corrected p of the pair."""
        best, p = values.argmax(0), np.ones(values.shape)
        for top in np.unique(best).tolist():
            for other in {*range(len(values))} - {top}:
                test = self._test(self.pair(top, other), self.paths[top], self.paths[other])
                p[other] = np.where(best == top, test.p, p[other])
        like, others = values == values.max(0), np.arange(len(values))[:, None] != best
        like[others] |= np.array(self.corrected(p[others].tolist())) >= 0.05
        return like


def compare_files(
    paths: Sequence[Path | str],
    *,
    negative: str | None = None,
    schemes: Schemes = None,
    score: str = "f1",
    **options: Any,
) -> _Comparison:
    """Compare systems on the same samples: paired bootstrap of the first file against each other one, under
    each scheme.

    Samples are matched by id where both files have ids, else by order; the gold labels have to agree. If only
    one of two files has ids, that is logged as a warning. Files of triples or of facts of documents are
    compared likewise, by items: the bootstrap draws items.

    Parameters
    ----------
    paths : at least two files; columns as in `read_predictions`, or sets of triples or facts of documents as
        in `score_triples`.
    negative : the negative class; None or "": none. task : its labels and its negative class, as in
        `score_frame`. schemes : names, 'n^α' or functions; None: all of `scheme_names`.
    replicates (10,000), seed (1) : of the bootstrap; each comparison starts from the seed, so that its
        numbers do not depend on the other files. correction : 'holm', or 'bh' for Benjamini and Hochberg's.
    score : the class score that is averaged, see `averages`.
    other options : those of `read_predictions`, such as the names of columns; normalise, label_set, off_list,
        mapping and empty, as in `score_frame`; of triples and documents gold_file, match, normalise,
        counted_as and match_entities, as in `score_triples`; fields of `Policy`.

    Returns
    -------
    A report; its frame has one row for each other file and scheme: scheme, first, second, score_first,
    score_second (what `score_frame` gives each file alone), difference (first − second), low, high (95 %), p,
    p_holm or p_bh (corrected over all rows), n, replicates, seed, signature.

    Where predictions decide which labels are averaged (observed, listed), each score is over the labels of
    its own file; a difference averages both systems over those of either, and has `difference:union` in its
    signature.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv")]
    ...     _ = [path.write_text("id,gold,predicted\\n1,x,x\\n2,y,x\\n") for path in paths]
    ...     compare_files(paths, replicates=99).to_frame()["p"].tolist()
    [1.0, 1.0, 1.0, 1.0, 1.0]
    >>> compare_files(["a.csv"])
    Traceback (most recent call last):
    ValueError: a comparison takes at least two files, not 1

    Raises
    ------
    ValueError : fewer than two files, an unknown scheme, other samples, other gold labels (file and first
        sample are named), a negative class that is in none of the files; and as `read_predictions`.
    """
    own = {name: options.pop(name) for name in ("replicates", "seed", "correction") if name in options}
    score, _ = metrics.resolve_score(score)
    names = metrics.scheme_names(schemes)  # refuses an unknown one before a file is read
    paths = [paths] if isinstance(paths, str | Path) else paths
    if len(paths) < 2:
        raise ValueError(f"a comparison takes at least two files, not {len(paths)}")
    for path in filter(as_run, paths):
        reason = "is a run file, which has no samples to pair"
        raise ValueError(f"{path} {reason}: compare --runs NAME={path}")
    reading, settling, policy = split_options(options)
    rules = {name: policy.pop(name, None) for name in ("match", *OF_DOCUMENTS)}
    of_items = holds_items(paths[0], *(reading.get(f"{role}_column") for role in ROLES[:2]))
    of_no_use, kind = (OF_LABELS, "triples") if of_items else (rules, "labels")
    if strange := [name for name in of_no_use if (options | {"negative": negative}).get(name)]:
        raise ValueError(f"{paths[0]}: {strange[0]} is of no use with {kind}")
    answers: Sequence[Answers] = ()
    matching = ""
    if of_items:
        rules |= {name: reading.get(name) for name in ("gold_file", *COLUMN_OPTIONS)}
        read, matching = read_item_sets(paths, score=score, normalise=settling.get("normalise"), **rules)
        systems, policy = [*map(_coded, read)], {"labels": "supported"} | policy
    else:
        answers = _read_labels(paths, reading, settling)
        systems = [each.columns for each in answers]
        negative = TASKS[answers[0].task][0] if answers[0].task else negative
    systems = [matched(paths[0], systems[0], *file) for file in zip(paths, systems, strict=True)]
    given, policy["negative"] = negative, negative or None
    by_name = dict(zip(names, schemes or names, strict=True))
    made = _Comparison([*map(str, paths)], systems, answers, matching, by_name, score, policy, **own)
    said: set[str] = set()
    for number, path in enumerate(paths if answers else ()):
        with naming_file(path):
            report = metrics.evaluate(made._own(number), **policy)
        for remark in remarks(report, {}, **policy | {"negative": given}):
            if remark not in said:
                logger.warning("%s: %s", path, remark)
            said.add(remark)
    return made


def _read_labels(
    paths: Sequence[Path | str], reading: Mapping[str, Any], settling: Mapping[str, Any]
) -> list[Answers]:
    """The answers of each file, spelt as the gold labels of the first."""
    systems: list[Answers] = []
    for path in paths:
        spellings = tuple(systems[0].columns["gold"].times()) if systems else ()
        answers = Answers.of(read_predictions(path, **reading), spellings=spellings, **settling)
        for remark in answers.remarks():
            logger.warning("%s: %s", path, remark)
        systems.append(answers)
    return systems


def _coded(items: ItemSets) -> dict[str, Coded]:
    """One row an item: its gold triples as text, all its sets, and its id if there is one."""
    n = len(items.sets)
    columns = {"gold": Coded.of(str(sorted(gold)) for gold, _, _ in items.sets)}
    columns |= {"sets": Coded(np.arange(n), np.fromiter(items.sets, object, n))}
    return columns if None in items.ids else columns | {"id": Coded.of(items.ids)}


def matched(
    first: Path | str, a: Mapping[str, Coded], second: Path | str, b: Mapping[str, Coded]
) -> dict[str, Coded]:
    """The columns of the second file in the order of the samples of the first.

    Raises ValueError for other samples, and for other gold labels.

    >>> a = {"id": Coded.of(["x", "y"]), "gold": Coded.of(["r", "s"])}
    >>> b = {"id": Coded.of(["y", "x"]), "gold": Coded.of(["s", "r"])}
    >>> matched("a.csv", a, "b.csv", b)["gold"].tolist()
    ['r', 's']
    """
    n, n_second = len(a["gold"]), len(b["gold"])
    rows = np.arange(n)
    if "id" in a and "id" in b:
        for own, path, wanted, has in ((a["id"], first, b["id"], second), (b["id"], second, a["id"], first)):
            rows = own.rows_of(wanted)
            for row in np.flatnonzero(rows < 0)[:1]:
                missing = f"{(rows < 0).sum()} of the {len(wanted)} ids of {has} are missing"
                raise ValueError(f"{path}: {missing}, the first is {shown(wanted[row])}")
    elif n != n_second:
        raise ValueError(f"{first} has {n} samples, {second} has {n_second}: to be matched, both need ids")
    elif "id" in a or "id" in b:
        logger.warning("%s has no ids: samples are matched by order", second if "id" in a else first)
    ordered = {role: Coded(column.codes[rows], column.categories) for role, column in b.items()}
    golds = Coded.of([*a["gold"], *ordered["gold"]]).codes
    for row in np.flatnonzero(golds[:n] != golds[n:])[:1]:
        name = f"id {shown(a['id'][row])}" if "id" in a else f"sample {row + 1}"
        labels = f"{shown(a['gold'][row])} in {first}, {shown(ordered['gold'][row])} in {second}"
        question = "are these the same samples in the same order?"
        raise ValueError(f"gold labels differ at {name}: {labels}; {question}")
    return ordered
