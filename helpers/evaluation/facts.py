"""From a file of scored facts, or a published precision–recall list, to a report; and two lists compared.

Source of the protocol: Gao et al. 2021, as OpenNRE evaluates.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import naming_file, signature_field, table_name, visible
from ..metrics import (
    CLASS_SCORES,
    FACT_MEASURES,
    PRECISION_AT,
    RULES,
    ClassCounts,
    Column,
    FactRanking,
    FactSample,
    Outcome,
    Report,
    Table,
    Weighting,
    averages,
    bootstrap_intervals,
    bootstrap_suffix,
    chance,
    fact_scores,
    facts_at,
    holm,
    latex_float,
    latex_name,
    latex_text,
    paired_bootstrap,
    percent,
    plain_number,
    points,
    scheme_names,
)
from .fact_lists import FactList, read_fact_lists

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FactReport(Report):
    """Scores of one ranked list of facts.

    Attributes
    ----------
    scores : 'auc', 'auc_anchored', 'average_precision', 'micro_f1' (the best over all thresholds),
        'threshold' (the score at which it is best: all facts with at least this score are predicted, so no
        tie is cut, where OpenNRE may; see `FactRanking.best_f1`), 'rank' (how many these are), 'macro_f1' (at
        the threshold; a relation without true facts is 0), 'macro_f1_supported' (over the relations with true
        facts); if a threshold was given, that as 'fixed_threshold' and what has at least this score in the
        whole list: 'fixed_micro_f1', 'fixed_macro_f1', 'fixed_macro_f1_supported'. None where the file does
        not say what is needed.
    precision_at : N → precision among the first N facts; None beyond the end.
    per_relation : relation → precision, recall, f1 at the threshold, predicted, correct, facts.
    schemes : scheme → F1 averaged over the relations at the threshold.
    n_predictions, n_facts : length of the list, number of true facts. precision, recall : at its end, by
        itself or at a common recall.
    intervals : name → {'low', 'high'}; empty if none were asked for. signature : how it was counted.
    """

    scores: dict[str, float | None]
    precision_at: dict[str, float | None]
    per_relation: dict[str, dict[str, float | None]]
    schemes: dict[str, float]
    n_predictions: int
    n_facts: int
    precision: float
    recall: float
    signature: str
    intervals: dict[str, dict[str, float | None]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for `json.dumps`: the scores by name, then the other attributes by theirs."""
        names = ("n_predictions", "n_facts", "precision", "recall")
        head = {name: getattr(self, name) for name in names}
        parts = {
            "precision_at": self.precision_at,
            "schemes": self.schemes,
            "per_relation": self.per_relation,
        }
        ends = {"intervals": self.intervals} if self.intervals else {}
        return self.scores | parts | ends | head | {"signature": self.signature}

    def _values(self) -> dict[str, float | None]:
        """Every score that is a fraction, by the name of its row."""
        others = ("rank", "threshold", "fixed_threshold")
        named = {name: value for name, value in self.scores.items() if name not in others}
        named |= {f"P@{n}": value for n, value in self.precision_at.items()}
        return named | {f"F1 {scheme}": value for scheme, value in self.schemes.items()}

    def _thresholds(self) -> dict[str, float | None]:
        names = ("threshold", "fixed_threshold")
        return {name: self.scores[name] for name in names if name in self.scores}

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each score and relation: kind, name, value, low, high or precision, recall, f1, …"""
        measures = [
            {"kind": "measure", "name": name, "value": value, **self.intervals.get(name, {})}
            for name, value in (self._values() | self._thresholds()).items()
        ]
        relations = [{"kind": "relation", "name": name, **row} for name, row in self.per_relation.items()]
        return measures + relations

    def _measures(self) -> dict[str, dict[str, float | None]]:
        return {
            name: {"value": value, **self.intervals.get(name, {})} for name, value in self._values().items()
        }

    def parts(self) -> Iterator[str | Table]:
        """Measures, then relations at the threshold, in per cent."""
        head = f"{self.n_predictions} predictions · {self.n_facts} true facts · recall {percent(self.recall)}"
        if self.scores["threshold"] is not None:
            head += f" · best F1 at rank {self.scores['rank']}, score {self.scores['threshold']:.6g}"
        if "fixed_threshold" in self.scores:
            head += f" · fixed_: score ≥ {self.scores['fixed_threshold']:.6g}"
        yield head
        ends = ("low", "high") if self.intervals else ()
        columns = {name: Column(name) for name in ("value", *ends)}
        rows = [(name, dict.fromkeys(columns) | row) for name, row in self._measures().items()]
        yield Table("measure", rows, columns, width=26)
        if self.per_relation:
            yield ""
            forms: dict[str, Callable[[Any], str]] = dict.fromkeys(("precision", "recall", "f1"), percent)
            forms |= dict.fromkeys(("predicted", "correct", "facts"), plain_number)
            columns = {name: Column(name, 11, form) for name, form in forms.items()}
            yield Table(
                "relation", [(table_name(name), row) for name, row in self.per_relation.items()], columns
            )
        yield visible(self.signature)

    def to_latex(self, decimals: int = 1) -> str:
        """The measures, and the relations, as a LaTeX table with caption and label (package booktabs)."""
        measures = [
            (latex_name(name), {"value": row.pop("value"), **{f"value_{end}": x for end, x in row.items()}})
            for name, row in self._measures().items()
        ]
        tables: list[tuple[str, Any]] = [("Measure", measures)]
        if self.per_relation:
            tables.append(("Relation", [(latex_text(name), row) for name, row in self.per_relation.items()]))
        caption = "Ranked facts against the true ones, in per cent."
        return latex_float(tables, caption, "tab:facts", [visible(self.signature)], decimals)


def score_fact_file(
    path: Path | str,
    facts: Path | str | None = None,
    *,
    recall: float | None = None,
    negative: str | None = None,
    n_facts: int | None = None,
    threshold: float | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 0,
    seed: int = 1,
) -> FactReport:
    """Score a file of scored facts against true ones, or a published precision–recall list.

    Parameters
    ----------
    path, facts, negative, n_facts : see `read_fact_lists`.
    recall : score the list up to the first rank that reaches it, so that lists that stop early can be
        compared.
    threshold : F1 of the facts with at least this score is given, too, whatever `recall` is.
    schemes : names, 'n^α' or functions; None: all. replicates, seed : of the bootstrap over entity pairs.

    Raises ValueError as `read_fact_lists`; for a recall that the list does not reach; a threshold where there
    are no scores; an unknown scheme.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine, true = Path(folder, "mine.csv"), Path(folder, "facts.csv")
    ...     _ = mine.write_text("head,tail,relation,score\\na,b,r,0.9\\na,b,s,0.2\\nc,d,r,0.5\\nc,d,s,0.6\\n")
    ...     _ = true.write_text("head,tail,relation\\na,b,r\\nc,d,r\\n")
    ...     report = score_fact_file(mine, true)
    >>> round(report.scores["average_precision"], 4), report.schemes["macro"]
    (0.8333, 0.5)
    """
    scheme_names(schemes)  # refuses an unknown one before the file is read
    (found,) = read_fact_lists([path], facts, negative, n_facts)
    with naming_file(path):
        return report_of_facts(found, found.negative, recall, schemes, replicates, seed, threshold)


def _until(found: FactList, recall: float | None) -> FactRanking:
    """The list up to a recall, to be scored; what is drawn again is the whole list."""
    return found.ranking if recall is None else found.ranking.until(recall)


def report_of_facts(
    found: FactList,
    negative: str | None = None,
    recall: float | None = None,
    schemes: Sequence[str | Weighting] | None = None,
    replicates: int = 0,
    seed: int = 1,
    threshold: float | None = None,
) -> FactReport:
    """The report of a whole list that was read or made; parameters as in `score_fact_file`.

    Intervals up to a recall are those of the whole list drawn again, each replicate cut where it reaches it.

    >>> ranking = FactRanking.from_scores([0.9, 0.5, 0.2], [True, False, True], facts=4)
    >>> report_of_facts(FactList(ranking, "")).scores["micro_f1"]
    0.5714285714285714
    """
    ranking = _until(found, recall)
    scores = {name: _known(value) for name, value in fact_scores(ranking).items()}
    precision_at = {str(n): scores.pop(f"P@{n}") for n in PRECISION_AT}
    per_relation, averages = _relations(ranking, scores["threshold"], schemes)
    scores |= _macro(ranking, scores["threshold"]) | _fixed(found.ranking, threshold)
    ends = [float(one[-1]) if len(one) else 0.0 for one in (ranking.precision, ranking.recall)]
    return FactReport(
        scores,
        precision_at,
        per_relation,
        averages,
        len(ranking),
        ranking.facts,
        ends[0],
        ends[1],
        _signature(found, negative, recall) + bootstrap_suffix(replicates, seed),
        _intervals(found, recall, scores, schemes, replicates, seed) if replicates else {},
    )


def _macro(ranking: FactRanking, threshold: float | None, head: str = "") -> dict[str, float | None]:
    """Macro-F1 at a threshold, over all relations and over those with true facts."""
    found: list[float | None] = [None, None]
    if threshold is not None and ranking.relations is not None and ranking.facts_of_relation is not None:
        found = [_known(value) for value in _macro_values(ranking.counts_at(threshold)).tolist()]
    return dict(zip((f"{head}macro_f1", f"{head}macro_f1_supported"), found, strict=True))


def _macro_values(counts: ClassCounts, classes_of: ClassCounts | None = None) -> np.ndarray:
    """(..., 2) macro-F1 over all relations, and over those with true facts."""
    values = [
        averages(counts, ["macro"], classes_of=classes_of, labels=labels)
        for labels in ("listed", "supported")
    ]
    return np.concatenate(values, axis=-1)


def _fixed(ranking: FactRanking, threshold: float | None) -> dict[str, float | None]:
    """F1 of all facts with at least a score; nothing if none was given."""
    if threshold is None:
        return {}
    if ranking.scores is None:
        raise ValueError(f"the list has no scores, so nothing can be cut at {threshold:g}")
    points = int((ranking.scores >= threshold).sum())
    rank, hits = (int(column[points - 1]) if points else 0 for column in (ranking.ranks, ranking.found))
    micro = 2 * hits / (rank + ranking.facts) if rank + ranking.facts else None
    head: dict[str, float | None] = {"fixed_threshold": threshold, "fixed_micro_f1": micro}
    return head | _macro(ranking, threshold, "fixed_")


def _known(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else value


def _relations(
    ranking: FactRanking, threshold: float | None, schemes: Sequence[str | Weighting] | None
) -> tuple[dict[str, dict[str, float | None]], dict[str, float]]:
    """Scores of each relation at the threshold, and their averages; empty where relations are unknown."""
    if threshold is None or ranking.relations is None or ranking.facts_of_relation is None:
        return {}, {}
    counts = ranking.counts_at(threshold)
    single = {name: CLASS_SCORES[name](counts) for name in ("precision", "recall", "f1")}
    rows = {
        str(label): {name: _known(float(values[place])) for name, values in single.items()}
        | {
            "predicted": int(counts.predicted[place]),
            "correct": int(counts.correct[place]),
            "facts": int(counts.gold[place]),
        }
        for place, label in enumerate(counts.labels)
    }
    names = scheme_names(schemes)
    return rows, dict(zip(names, averages(counts, schemes).tolist(), strict=True))


def _signature(found: FactList, negative: str | None, recall: float | None) -> str:
    """How it was counted: which units, equal scores, where the list was cut."""
    level = "level:bag|area:points|ties:order"
    cut = "all" if recall is None else f"{recall:g}"
    head = f"facts|{level}|recall:{cut}|negative:{signature_field(negative)}|drawn:{found.unit}"
    return f"{head}|n:{len(_until(found, recall))}|facts:{found.ranking.facts}|v:{RULES}"


def _intervals(
    found: FactList,
    recall: float | None,
    scores: dict[str, float | None],
    schemes: Sequence[str | Weighting] | None,
    replicates: int,
    seed: int,
) -> dict[str, dict[str, float | None]]:
    """The ends of 95 % intervals; the thresholds of the averages over relations stay those of the list."""
    if found.ranking.hits is None:
        logger.warning("%s: known at some ranks only, so there are no intervals", found.path)
        return {}
    at = [n for n in PRECISION_AT if n <= len(_until(found, recall))]
    cut = _Cut(at, recall)
    interval = bootstrap_intervals(found.sample(), cut, np.random.default_rng(seed), replicates)
    cut.note(found.path, replicates)
    ends = interval.named([*FACT_MEASURES, *(f"P@{n}" for n in at)])
    weightings = scheme_names() if schemes is None else schemes
    names = [f"F1 {name}" for name in scheme_names(weightings)]
    for ranking, threshold, averaged, head in (
        (_until(found, recall), scores["threshold"], weightings, ""),
        (found.ranking, scores.get("fixed_threshold"), ["micro"], "fixed_"),
    ):
        sample = _predicted(found, ranking, threshold)
        if sample is not None:
            rows = [f"{head}macro_f1", f"{head}macro_f1_supported"]
            rows += ["fixed_micro_f1"] if head else names
            statistic = partial(_averages, weightings=averaged, whole=sample.per_class())
            rng = np.random.default_rng(seed)
            ends |= bootstrap_intervals(sample, statistic, rng, replicates).named(rows)
    return {name: {"low": _known(one.low), "high": _known(one.high)} for name, one in ends.items()}


@dataclass
class _Cut:
    """`FactSample.scores` for the bootstrap, which counts the replicates that do not reach the recall."""

    at: Sequence[int] = ()
    recall: float | None = None
    lost: int = 0

    def __call__(self, sample: FactSample) -> np.ndarray:
        found = sample.scores(self.at, self.recall)
        self.lost += int(np.isnan(found[..., 0]).sum())
        return found

    def note(self, path: str, replicates: int) -> None:
        """Say how many are left out."""
        if self.lost:
            told = f"{self.lost} of {replicates} replicates end before recall {self.recall:g}"
            logger.warning("%s: %s and are left out of the intervals: cut at a lower one", path, told)


def _averages(sample: Outcome, weightings: Sequence[str | Weighting], whole: ClassCounts) -> np.ndarray:
    """(..., 2 + S) both macro-F1, then the averages under the schemes; the relations are those of `whole`."""
    counts = sample.per_class()
    averaged = averages(counts, weightings, classes_of=whole)
    return np.concatenate([_macro_values(counts, whole), averaged], axis=-1)


def _predicted(found: FactList, ranking: FactRanking, threshold: float | None) -> Outcome | None:
    """What is predicted at the threshold, to be drawn again; None where the true facts are unknown."""
    if threshold is None or found.true is None or found.pairs is None:
        return None
    return facts_at(ranking, threshold, found.pairs[: len(ranking)], found.true)


def compare_fact_files(
    first: Path | str,
    second: Path | str,
    facts: Path | str | None = None,
    *,
    recall: float | None = None,
    negative: str | None = None,
    n_facts: int | None = None,
    replicates: int = 10_000,
    seed: int = 1,
) -> pd.DataFrame:
    """Compare two ranked lists, paired by entity pair where both name their facts.

    Two lists can be paired if their true facts are the same: scored against one file of facts, or published
    lists that name every fact and agree in the number of true ones. Otherwise each has intervals by itself,
    and no p: two such intervals may overlap although the systems differ. Lists that end at different recalls
    are not comparable by area: cut both by `recall`.

    Parameters
    ----------
    As in `score_fact_file`.

    Returns
    -------
    One row for each measure: measure, first, second, score_first, low_first, high_first, the same of the
    second, difference (first − second), low, high, p, p_holm (nan where not paired), drawn, recall_first,
    recall_second, replicates, seed, signature.

    Raises ValueError as `score_fact_file`; lists that call the same fact true and false.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv", "facts.csv")]
    ...     for path, scores in zip(paths, [(0.9, 0.1), (0.2, 0.3)]):
    ...         _ = path.write_text("head,tail,relation,score\\na,b,r,%s\\nc,d,r,%s\\n" % scores)
    ...     _ = paths[2].write_text("head,tail,relation\\na,b,r\\n")
    ...     compare_fact_files(*paths, replicates=99)["difference"].tolist()
    [-0.25, 0.75, 0.5, 0.33333333333333337]
    """

    import pandas as pd

    paths = (first, second)
    lists = read_fact_lists(paths, facts, negative, n_facts)
    ends = []
    for one in lists:
        with naming_file(one.path):
            ends.append(float(_until(one, recall).recall[-1]))
    if recall is None and abs(ends[0] - ends[1]) > 0.01:
        told = f"the lists end at recalls {ends[0]:.3f} and {ends[1]:.3f}, so their areas are not comparable"
        logger.warning("%s, %s: %s; --recall %.3g cuts both", *paths, told, np.floor(min(ends) * 100) / 100)
    whole = [one.ranking.hits is not None for one in lists]
    if not all(whole):
        raise ValueError(f"{paths[whole.index(False)]}: known at some ranks only: it cannot be drawn again")
    pair = _paired(lists)
    rng, single = np.random.default_rng, []
    for one in lists:
        cut = _Cut(recall=recall)
        single.append(bootstrap_intervals(one.sample(), cut, rng(seed), replicates))
        cut.note(one.path, replicates)
    test = None if pair is None else paired_bootstrap(*pair, _Cut(recall=recall), rng(seed), replicates)
    columns: dict[str, Any] = {"measure": list(FACT_MEASURES), "first": str(first), "second": str(second)}
    for name, found in zip(("first", "second"), single, strict=True):
        columns |= {f"score_{name}": found.value, f"low_{name}": found.low, f"high_{name}": found.high}
    columns["difference"] = single[0].value - single[1].value
    for name in ("low", "high", "p"):
        columns[name] = np.nan if test is None else getattr(test, name)
    columns["p_holm"] = np.nan if test is None else holm(np.asarray(test.p).tolist())
    columns |= {"paired": pair is not None, "recall_first": ends[0], "recall_second": ends[1]}
    columns |= {
        "replicates": replicates,
        "seed": seed,
        "signature": _signature(lists[0], lists[0].negative, recall),
    }
    return pd.DataFrame(columns)


def _paired(lists: list[FactList]) -> tuple[FactSample, FactSample] | None:
    """Both lists over the same units; None where they do not name their facts, or have other true facts."""
    if any(one.pairs is None for one in lists):
        return None
    first, second = lists
    return first.sample(), second.sample()


@dataclass(frozen=True)
class FactComparison(Report):
    """The table of `compare_fact_files` as a report."""

    table: pd.DataFrame

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table."""
        return [{str(name): value for name, value in row.items()} for row in self.table.to_dict("records")]

    def parts(self) -> Iterator[str | Table]:
        """Both systems, and their difference where they are paired, in per cent."""
        first, *_ = rows = self.rows()
        yield from (f"A {visible(first['first'])}", f"B {visible(first['second'])}")
        drawn = "pairs are drawn for both" if first["paired"] else "not paired: each by itself"
        yield f"{drawn} · {first['replicates']} replicates, seed {first['seed']}"
        columns: dict[str, Column] = {}
        for letter, side in {"A": "_first", "B": "_second"}.items():
            columns |= _with_ends(f"score{side}", letter, side)
        if first["paired"]:
            columns |= _with_ends("difference", "A − B", "", points)
            columns |= {
                name: Column(head, 9, chance) for name, head in {"p": "p", "p_holm": "p Holm"}.items()
            }
        yield Table("measure", [(row["measure"], row) for row in rows], columns, width=18)
        yield visible(first["signature"])


def _with_ends(name: str, head: str, side: str, form: Callable[[Any], str] = percent) -> dict[str, Column]:
    return {name: Column(head, 8, form)} | {f"{end}{side}": Column(end, 8, form) for end in ("low", "high")}
