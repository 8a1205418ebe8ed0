"""From a file of scored facts, or a published precision–recall list, to a report; and two lists compared.

Source of the protocol: Gao et al. 2021, as OpenNRE evaluates.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from .. import metrics
from ..core import naming_file, table_name, visible
from ..metrics import Column, FactRanking, Outcome, Report, Table, chance, percent, plain_number, plain_values
from .fact_files import FactList, read_fact_lists

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
RATES, COUNTS = ("precision", "recall", "f1"), ("predicted", "correct", "facts")
MACRO = ("macro_f1", "macro_f1_supported")
THRESHOLDS = ("threshold", "fixed_threshold")
Numbers = dict[str, float | None]


@dataclass(frozen=True)
class _FactReport(Report):
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

    scores: Numbers
    precision_at: Numbers
    schemes: dict[str, float]
    per_relation: dict[str, Numbers]
    intervals: dict[str, Numbers]
    n_predictions: int
    n_facts: int
    precision: float
    recall: float
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Plain values for `json.dumps`: the scores by name, then the other attributes by theirs."""
        left_out = {"scores"} if self.intervals else {"scores", "intervals"}
        return self.scores | {name: value for name, value in vars(self).items() if name not in left_out}

    def tables(self) -> dict[str, dict[str, Numbers]]:
        """Every score, and its interval, by the name of its row, thresholds last; and the relations."""
        named = {name: value for name, value in self.scores.items() if name not in ("rank", *THRESHOLDS)}
        named |= {f"P@{n}": value for n, value in self.precision_at.items()}
        named |= {f"F1 {scheme}": value for scheme, value in self.schemes.items()}
        named |= {name: self.scores[name] for name in THRESHOLDS if name in self.scores}
        measures = {name: {"value": value, **self.intervals.get(name, {})} for name, value in named.items()}
        return {"measure": measures, "relation": self.per_relation}

    def _fractions(self) -> dict[str, dict[str, Numbers]]:
        """The tables as they are printed: no thresholds."""
        tables = self.tables()
        tables["measure"] = {name: row for name, row in tables["measure"].items() if name not in THRESHOLDS}
        return tables

    def parts(self) -> Iterator[str | Table]:
        """Measures, then relations at the threshold, in per cent."""
        head = f"{self.n_predictions} predictions · {self.n_facts} true facts · recall {percent(self.recall)}"
        if self.scores["threshold"] is not None:
            head += f" · best F1 at rank {self.scores['rank']}, score {self.scores['threshold']:.6g}"
        if "fixed_threshold" in self.scores:
            head += f" · fixed_: score ≥ {self.scores['fixed_threshold']:.6g}"
        yield head
        columns = dict.fromkeys(("value", "low", "high")) if self.intervals else {"value": None}
        rows = [(name, columns | row) for name, row in self._fractions()["measure"].items()]
        yield Table("measure", rows, {name: Column(name) for name in columns}, width=26)
        if self.per_relation:
            yield ""
            shown = {name: Column(name, 11) for name in RATES}
            shown |= {name: Column(name, 11, plain_number) for name in COUNTS}
            relations = [(table_name(name), row) for name, row in self.per_relation.items()]
            yield Table("relation", relations, shown)
        yield visible(self.signature)

    def to_latex(self, decimals: int = 1) -> str:
        """The measures, and the relations, as a LaTeX table; decimals : of per cent."""
        named = {"measure": metrics.latex_name, "relation": metrics.latex_text}
        tables = []
        for kind, rows in self._fractions().items():
            tables.append((kind.capitalize(), [(named[kind](name), row) for name, row in rows.items()]))
        caption = "Ranked facts against the true ones, in per cent."
        return metrics.latex_float(tables, caption, "tab:facts", [visible(self.signature)], decimals, "value")


def score_fact_file(
    path: Path | str,
    facts: Path | str | None = None,
    *,
    recall: float | None = None,
    threshold: float | None = None,
    schemes: metrics.Schemes = None,
    replicates: int = 0,
    seed: int = 1,
    **reading: Any,
) -> _FactReport:
    """Score a file of scored facts against true ones, or a published precision–recall list.

    Parameters
    ----------
    path, facts, reading (negative, n_facts) : see `read_fact_lists`.
    recall : score the list up to the first rank that reaches it, so that lists that stop early can be
        compared.
    threshold : F1 of the facts with at least this score is given, too, whatever `recall` is.
    schemes : names, 'n^α' or functions; None: all. replicates, seed : of the bootstrap over entity pairs.

    Raises ValueError as `read_fact_lists`; for a recall that the list does not reach; a threshold that is
    not finite, or where there are no scores; an unknown scheme.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     mine, true = Path(folder, "mine.csv"), Path(folder, "facts.csv")
    ...     _ = mine.write_text("head,tail,relation,score\\na,b,r,0.9\\na,b,s,0.2\\nc,d,r,0.5\\nc,d,s,0.6\\n")
    ...     _ = true.write_text("head,tail,relation\\na,b,r\\nc,d,r\\n")
    ...     report = score_fact_file(mine, true)
    >>> round(report.scores["average_precision"], 4), report.schemes["macro"]
    (0.8333, 0.5)
    """
    names = metrics.scheme_names(schemes)  # refuses an unknown one before the file is read
    if threshold is not None and not math.isfinite(threshold):
        raise ValueError(f"threshold is {threshold}: a finite number is needed")
    (whole,) = read_fact_lists([path], facts, **reading)
    with naming_file(path):
        ranking = whole.ranking.until(recall)
        scores = plain_values(ranking.measures())
        precision_at = {str(n): scores.pop(f"P@{n}") for n in metrics.PRECISION_AT}
        best = _facts_at(whole, ranking, scores["threshold"])
        cuts = [(best, schemes, [*MACRO, *(f"F1 {name}" for name in names)])]
        scores |= dict.fromkeys(MACRO)
        if threshold is not None:
            scores |= {"fixed_threshold": threshold, "fixed_micro_f1": _micro_f1(whole.ranking, threshold)}
            scores |= dict.fromkeys(f"fixed_{name}" for name in MACRO)
            fixed = [f"fixed_{name}" for name in (*MACRO, "micro_f1")]
            cuts.append((_facts_at(whole, whole.ranking, threshold), ["micro"], fixed))
        ends = _intervals(whole, ranking, recall, replicates, seed) if replicates else {}
        for sample, averaged, own in cuts:
            if sample is not None:
                statistic = partial(_averages, schemes=averaged, classes_of=sample.per_class())
                scores |= dict(zip(own, plain_values(statistic(sample).tolist()), strict=True))
                if ends:
                    rng = np.random.default_rng(seed)
                    ends |= metrics.bootstrap_intervals(sample, statistic, rng, replicates).named(own)
        of_schemes = {name: scores.pop(f"F1 {name}") for name in names if f"F1 {name}" in scores}
        relations = {} if best is None else _relations(best.per_class())
        intervals = {name: plain_values({"low": each.low, "high": each.high}) for name, each in ends.items()}
        sizes = len(ranking), ranking.facts, float(ranking.precision[-1]), float(ranking.recall[-1])
        signature = _signature(whole, recall) + metrics.bootstrap_suffix(replicates, seed)
        return _FactReport(scores, precision_at, of_schemes, relations, intervals, *sizes, signature)


def _facts_at(facts: FactList, ranking: FactRanking, threshold: float | None) -> Outcome | None:
    """What a list, as far as `ranking` goes, predicts of each relation with a score of at least `threshold`,
    pair by pair; None of a published curve, and without a threshold.

    A pair is a kind of sample, so its draws are those of `FactSample`. The roles are gold, predicted and
    right, (U, L) numbers of facts: a fact is right where the list says so.
    """
    if threshold is None or facts.true is None:
        return None
    assert ranking.scores is not None and ranking.relations is not None and ranking.hits is not None
    assert facts.pairs is not None and facts.facts_of_pair is not None
    taken = np.flatnonzero(ranking.scores >= threshold)
    right = taken[ranking.hits[taken]]
    shape = len(facts.facts_of_pair), len(ranking.labels)

    def times(pairs: np.ndarray, relations: np.ndarray) -> scipy.sparse.csr_array:
        return scipy.sparse.csr_array((np.ones(len(pairs), np.int64), (pairs, relations)), shape=shape)

    roles = {"gold": times(*facts.true)}
    for role, ranks in {"predicted": taken, "right": right}.items():
        roles[role] = times(facts.pairs[ranks], ranking.relations[ranks])
    once = np.ones(shape[0], np.int64)
    return Outcome(roles, once, ranking.labels, decision=f"score>={threshold:g}")


def _averages(
    sample: Outcome, schemes: metrics.Schemes, classes_of: metrics.ClassCounts | None = None
) -> np.ndarray:
    """(..., 2 + S): macro-F1 over all relations, and over those with true facts; F1 under each scheme."""
    counts = sample.per_class()
    macro = partial(metrics.averages, counts, ["macro"], classes_of=classes_of)
    averaged = (macro(labels="listed"), macro(labels="supported"))
    return np.concatenate([*averaged, metrics.averages(counts, schemes, classes_of=classes_of)], axis=-1)


def _micro_f1(ranking: FactRanking, threshold: float) -> float | None:
    """F1 of all facts with at least a score."""
    if ranking.scores is None:
        raise ValueError(f"the list has no scores, so nothing can be cut at {threshold:g}")
    above, rising = ranking.scores >= threshold, (ranking.ranks, ranking.true_positives)
    rank, hits = (int(column[above].max(initial=0)) for column in rising)
    return 2 * hits / (rank + ranking.facts) if rank + ranking.facts else None


def _relations(counts: metrics.ClassCounts) -> dict[str, Numbers]:
    """Scores and counts of each relation."""
    columns = {name: metrics.CLASS_SCORES[name](counts) for name in RATES}
    columns |= dict(zip(COUNTS, (counts.predicted, counts.correct, counts.gold), strict=True))
    rows = zip(*(column.tolist() for column in columns.values()), strict=True)
    named = (dict(zip(columns, row, strict=True)) for row in rows)
    return plain_values(dict(zip(counts.labels, named, strict=True)))


def _signature(facts: FactList, recall: float | None) -> str:
    """How it was counted: which units, equal scores, where the list was cut."""
    recipe = {"level": "bag", "area": "points", "ties": "order"}
    recipe |= {"recall": "all" if recall is None else f"{recall:g}", "negative": str(facts.negative)}
    recipe |= {"drawn": "fact" if facts.pairs is None else "pair"}
    sizes = {"n": len(facts.ranking.until(recall)), "facts": facts.ranking.facts}
    return metrics.signature("facts", **recipe, **sizes)


def _intervals(
    facts: FactList, ranking: FactRanking, recall: float | None, replicates: int, seed: int
) -> dict[str, metrics.Interval]:
    """95 % intervals of the areas, best F1 and P@N: of the whole list drawn again, each replicate cut where
    it reaches the recall; thresholds of averages over relations stay those of the list."""
    if facts.ranking.hits is None:
        logger.warning("%s: known at some ranks only, so there are no intervals", facts.path)
        return {}
    ranks = [n for n in metrics.PRECISION_AT if n <= len(ranking)]
    names = [*metrics.FACT_MEASURES, *(f"P@{n}" for n in ranks)]
    return _drawn(facts, ranks, recall, replicates, seed).named(names)


def _drawn(
    facts: FactList, at: Sequence[int], recall: float | None, replicates: int, seed: int
) -> metrics.Interval:
    """`FactSample.scores` and their intervals; replicates that do not reach the recall are left out."""
    lost = 0

    def scores(sample: metrics.FactSample) -> np.ndarray:
        nonlocal lost
        values = sample.scores(at, recall)
        lost += int(np.isnan(values[..., 0]).sum())
        return values

    interval = metrics.bootstrap_intervals(facts.sample(), scores, np.random.default_rng(seed), replicates)
    if lost:
        said = f"{lost} of {replicates} replicates end before recall {recall:g}"
        logger.warning("%s: %s and are left out of the intervals: cut at a lower one", facts.path, said)
    return interval


def compare_fact_files(
    first: Path | str,
    second: Path | str,
    facts: Path | str | None = None,
    *,
    recall: float | None = None,
    replicates: int = 10_000,
    seed: int = 1,
    **reading: Any,
) -> _FactComparison:
    """Compare two ranked lists: scored facts paired by entity pair, published curves each by itself.

    Published curves do not say which facts they rank, so each has intervals by itself, and no p: two such
    intervals may overlap although the systems differ. Lists that end at different recalls are not comparable
    by area: cut both by `recall`.

    Parameters
    ----------
    As in `score_fact_file`.

    Returns
    -------
    A report; its frame has one row for each measure: measure, first, second, score_first, low_first,
    high_first, the same of the second, difference (first − second), low, high, p, p_holm (nan where not
    paired), drawn, recall_first, recall_second, replicates, seed, signature.

    Raises ValueError as `score_fact_file`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder, name) for name in ("a.csv", "b.csv", "facts.csv")]
    ...     for path, scores in zip(paths, [(0.9, 0.1), (0.2, 0.3)]):
    ...         _ = path.write_text("head,tail,relation,score\\na,b,r,%s\\nc,d,r,%s\\n" % scores)
    ...     _ = paths[2].write_text("head,tail,relation\\na,b,r\\n")
    ...     compare_fact_files(*paths, replicates=99).table["difference"].tolist()
    [-0.25, 0.75, 0.5, 0.33333333333333337]
    """
    import pandas as pd

    lists, ends, single = read_fact_lists((first, second), facts, **reading), [], []
    for each in lists:
        with naming_file(each.path):
            ends.append(float(each.ranking.until(recall).recall[-1]))
            single.append(_drawn(each, (), recall, replicates, seed))
    if recall is None and abs(ends[0] - ends[1]) > 0.01:
        said = f"the lists end at recalls {ends[0]:.3f} and {ends[1]:.3f}, so their areas are not comparable"
        cut = np.floor(min(ends) * 100) / 100
        logger.warning("%s, %s: %s; --recall %.3g cuts both", first, second, said, cut)
    columns: dict[str, Any] = {"measure": metrics.FACT_MEASURES, "first": str(first), "second": str(second)}
    for name, drawn in zip(("first", "second"), single, strict=True):
        columns |= {f"score_{name}": drawn.value, f"low_{name}": drawn.low, f"high_{name}": drawn.high}
    columns |= {"difference": single[0].value - single[1].value}
    columns |= dict.fromkeys(("low", "high", "p", "p_holm"), np.nan)
    is_paired = all(each.pairs is not None for each in lists)
    if is_paired:
        statistic, rng = partial(metrics.FactSample.scores, recall=recall), np.random.default_rng(seed)
        test = metrics.paired_bootstrap(lists[0].sample(), lists[1].sample(), statistic, rng, replicates)
        columns |= {"low": test.low, "high": test.high, "p": test.p, "p_holm": metrics.holm(test.p.tolist())}
    columns |= {"paired": is_paired, "recall_first": ends[0], "recall_second": ends[1]}
    columns |= {"replicates": replicates, "seed": seed, "signature": _signature(lists[0], recall)}
    return _FactComparison(pd.DataFrame(columns))


@dataclass(frozen=True)
class _FactComparison(Report):
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
        columns = _with_ends("score_first", "A", "_first") | _with_ends("score_second", "B", "_second")
        if first["paired"]:
            columns |= _with_ends("difference", "A − B", "", metrics.points)
            columns |= {"p": Column("p", 9, chance), "p_holm": Column("p Holm", 9, chance)}
        yield Table("measure", [(row["measure"], row) for row in rows], columns, width=18)
        yield visible(first["signature"])


def _with_ends(name: str, head: str, side: str, form: Callable[[Any], str] = percent) -> dict[str, Column]:
    return {name: Column(head, 8, form)} | {f"{end}{side}": Column(end, 8, form) for end in ("low", "high")}
