"""From a file of scored facts, or a published precision–recall list, to a report; and two lists compared.

Source of the protocol: Gao et al. 2021, as OpenNRE evaluates.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from ..core import naming_file, table_name, visible
from ..metrics import (
    CLASS_SCORES,
    FACT_MEASURES,
    PRECISION_AT,
    ClassCounts,
    Column,
    FactRanking,
    FactSample,
    Interval,
    Outcome,
    Report,
    Table,
    Weighting,
    averages,
    bootstrap_intervals,
    bootstrap_suffix,
    chance,
    fact_scores,
    holm,
    latex_float,
    latex_name,
    latex_text,
    paired_bootstrap,
    percent,
    plain_number,
    points,
    scheme_names,
    signature,
)
from .fact_files import FactList, read_fact_lists

if TYPE_CHECKING:
    import pandas as pd

logger = logging.getLogger(__name__)
RATES, COUNTS = ("precision", "recall", "f1"), ("predicted", "correct", "facts")
MACRO = ("macro_f1", "macro_f1_supported")
THRESHOLDS = ("threshold", "fixed_threshold")
Numbers = dict[str, float | None]


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
        others = {name: value for name, value in vars(self).items() if name != "scores"}
        if not self.intervals:
            del others["intervals"]
        return self.scores | others

    def rows(self) -> list[dict[str, Any]]:
        """One dict for each score and relation: kind, name, value, low, high or precision, recall, f1, …"""
        named = self._measures()
        named |= {name: {"value": self.scores[name]} for name in THRESHOLDS if name in self.scores}
        measures = [{"kind": "measure", "name": name, **row} for name, row in named.items()]
        relations = [{"kind": "relation", "name": name, **row} for name, row in self.per_relation.items()]
        return measures + relations

    def _measures(self) -> dict[str, Numbers]:
        """Every score that is a fraction, and its interval, by the name of its row."""
        named = {name: value for name, value in self.scores.items() if name not in ("rank", *THRESHOLDS)}
        named |= {f"P@{n}": value for n, value in self.precision_at.items()}
        named |= {f"F1 {scheme}": value for scheme, value in self.schemes.items()}
        return {name: {"value": value, **self.intervals.get(name, {})} for name, value in named.items()}

    def parts(self) -> Iterator[str | Table]:
        """Measures, then relations at the threshold, in per cent."""
        head = f"{self.n_predictions} predictions · {self.n_facts} true facts · recall {percent(self.recall)}"
        if self.scores["threshold"] is not None:
            head += f" · best F1 at rank {self.scores['rank']}, score {self.scores['threshold']:.6g}"
        if "fixed_threshold" in self.scores:
            head += f" · fixed_: score ≥ {self.scores['fixed_threshold']:.6g}"
        yield head
        columns = {name: Column(name) for name in ("value", *(("low", "high") if self.intervals else ()))}
        rows = [(name, dict.fromkeys(columns) | row) for name, row in self._measures().items()]
        yield Table("measure", rows, columns, width=26)
        if self.per_relation:
            yield ""
            columns = {name: Column(name, 11) for name in RATES}
            columns |= {name: Column(name, 11, plain_number) for name in COUNTS}
            relations = [(table_name(name), row) for name, row in self.per_relation.items()]
            yield Table("relation", relations, columns)
        yield visible(self.signature)

    def to_latex(self, **style: Any) -> str:
        """The measures, and the relations, as a LaTeX table; style : as in `latex_float`."""
        ends = {"low": "value_low", "high": "value_high"}
        measures = [
            (latex_name(name), {ends.get(key, key): value for key, value in row.items()})
            for name, row in self._measures().items()
        ]
        tables = [("Measure", measures)]
        if self.per_relation:
            tables += [("Relation", [(latex_text(name), row) for name, row in self.per_relation.items()])]
        caption = "Ranked facts against the true ones, in per cent."
        return latex_float(tables, caption, "tab:facts", [visible(self.signature)], **style)


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
    names = scheme_names(schemes)  # refuses an unknown one before the file is read
    (whole,) = read_fact_lists([path], facts, negative, n_facts)
    with naming_file(path):
        ranking = _until(whole, recall)
        scores = {name: _known(value) for name, value in fact_scores(ranking).items()}
        precision_at = {str(n): scores.pop(f"P@{n}") for n in PRECISION_AT}
        counts = _counts(ranking, scores["threshold"])
        values = [] if counts is None else _averages(counts, schemes).tolist()
        scores |= {name: _known(value) for name, value in zip(MACRO, values or [None] * 2, strict=False)}
        scores |= {} if threshold is None else _fixed(whole.ranking, threshold)
        return FactReport(
            scores,
            precision_at,
            schemes=dict(zip(names, values[2:], strict=False)),
            per_relation={} if counts is None else _relations(counts),
            intervals=_intervals(whole, recall, scores, schemes, replicates, seed) if replicates else {},
            n_predictions=len(ranking),
            n_facts=ranking.facts,
            precision=float(ranking.precision[-1]) if len(ranking) else 0.0,
            recall=float(ranking.recall[-1]) if len(ranking) else 0.0,
            signature=_signature(whole, recall) + bootstrap_suffix(replicates, seed),
        )


def _until(facts: FactList, recall: float | None) -> FactRanking:
    """The list up to a recall, to be scored; what is drawn again is the whole list."""
    return facts.ranking if recall is None else facts.ranking.until(recall)


def _known(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else value


def _counts(ranking: FactRanking, threshold: float | None) -> ClassCounts | None:
    """What is predicted of each relation at a threshold; None where that is not known."""
    if threshold is None or ranking.relations is None or ranking.facts_of_relation is None:
        return None
    return ranking.counts_at(threshold)


def _averages(
    sample: Outcome | ClassCounts,
    schemes: Sequence[str | Weighting] | None,
    classes_of: ClassCounts | None = None,
) -> np.ndarray:
    """(..., 2 + S): macro-F1 over all relations, and over those with true facts; F1 under each scheme."""
    counts = sample.per_class() if isinstance(sample, Outcome) else sample
    macro = partial(averages, counts, ["macro"], classes_of=classes_of)
    averaged = (macro(labels="listed"), macro(labels="supported"))
    return np.concatenate([*averaged, averages(counts, schemes, classes_of=classes_of)], axis=-1)


def _fixed(ranking: FactRanking, threshold: float) -> Numbers:
    """F1 of all facts with at least a score."""
    if ranking.scores is None:
        raise ValueError(f"the list has no scores, so nothing can be cut at {threshold:g}")
    points = int((ranking.scores >= threshold).sum())
    rank, hits = (
        int(column[points - 1]) if points else 0 for column in (ranking.ranks, ranking.true_positives)
    )
    micro = 2 * hits / (rank + ranking.facts) if rank + ranking.facts else None
    counts = _counts(ranking, threshold)
    values = [None] * 2 if counts is None else map(_known, _averages(counts, ["micro"]).tolist())
    named = dict(zip((f"fixed_{name}" for name in MACRO), values, strict=False))
    return {"fixed_threshold": threshold, "fixed_micro_f1": micro, **named}


def _relations(counts: ClassCounts) -> dict[str, Numbers]:
    """Scores and counts of each relation."""
    columns = [CLASS_SCORES[name](counts) for name in RATES]
    columns += [counts.predicted, counts.correct, counts.gold]
    rows = zip(counts.labels, *(column.tolist() for column in columns), strict=True)
    names = (*RATES, *COUNTS)
    return {str(label): dict(zip(names, map(_known, row), strict=True)) for label, *row in rows}


def _signature(facts: FactList, recall: float | None) -> str:
    """How it was counted: which units, equal scores, where the list was cut."""
    return signature(
        "facts",
        level="bag",
        area="points",
        ties="order",
        recall="all" if recall is None else f"{recall:g}",
        negative=str(facts.negative),
        drawn="fact" if facts.pairs is None else "pair",
        n=str(len(_until(facts, recall))),
        facts=str(facts.ranking.facts),
    )


def _intervals(
    facts: FactList,
    recall: float | None,
    scores: Numbers,
    schemes: Sequence[str | Weighting] | None,
    replicates: int,
    seed: int,
) -> dict[str, Numbers]:
    """The ends of 95 % intervals: of the whole list drawn again, each replicate cut where it reaches the
    recall; the thresholds of the averages over relations stay those of the list."""
    if facts.ranking.hits is None:
        logger.warning("%s: known at some ranks only, so there are no intervals", facts.path)
        return {}
    ranking = _until(facts, recall)
    ranks = [n for n in PRECISION_AT if n <= len(ranking)]
    ends = _drawn(facts, ranks, recall, replicates, seed).named([*FACT_MEASURES, *(f"P@{n}" for n in ranks)])
    of_schemes = [f"F1 {name}" for name in scheme_names(schemes)]
    fixed = [f"fixed_{name}" for name in (*MACRO, "micro_f1")]
    for cut, threshold, averaged, names in (
        (ranking, scores["threshold"], schemes, [*MACRO, *of_schemes]),
        (facts.ranking, scores.get("fixed_threshold"), ["micro"], fixed),
    ):
        if threshold is not None and facts.true is not None and facts.pairs is not None:
            sample = _facts_at(cut, threshold, facts.pairs[: len(cut)], facts.true)
            statistic = partial(_averages, schemes=averaged, classes_of=sample.per_class())
            rng = np.random.default_rng(seed)
            ends |= bootstrap_intervals(sample, statistic, rng, replicates).named(names)
    return {name: {"low": _known(each.low), "high": _known(each.high)} for name, each in ends.items()}


def _facts_at(ranking: FactRanking, threshold: float, units: Any, true: tuple[Any, Any]) -> Outcome:
    """What a list predicts of each relation with a score of at least `threshold`, unit by unit.

    A unit is a kind of sample, so its draws are those of `FactSample`. The roles are gold, predicted and
    right, (U, L) numbers of facts: a fact is right where the list says so.

    Parameters
    ----------
    units : (N,) of each fact in the order of the list. true : units and relations of all true facts.

    Raises ValueError as `FactRanking.counts_at`.

    >>> ranking = FactRanking.from_scores([3, 2, 1], [True, False, True], None, [0, 1, 1], ["a", "b"], [1, 1])
    >>> counts = _facts_at(ranking, 2, units=[0, 0, 1], true=([0, 1], [0, 1])).per_class()
    >>> counts.correct.tolist(), counts.predicted.tolist()
    ([1, 0], [1, 1])
    """
    whole = ranking.counts_at(threshold)
    assert ranking.scores is not None and ranking.relations is not None and ranking.hits is not None
    taken = ranking.scores >= threshold
    units, gold = np.asarray(units), (np.asarray(true[0]), np.asarray(true[1]))
    shape = (int(max(units.max(initial=-1), gold[0].max(initial=-1))) + 1, len(ranking.labels))
    cells = {"gold": gold, "predicted": (units[taken], ranking.relations[taken])}
    right = taken & ranking.hits
    cells["right"] = units[right], ranking.relations[right]
    roles = {
        role: scipy.sparse.coo_array((np.ones(len(unit), np.int64), (unit, relation)), shape=shape).tocsr()
        for role, (unit, relation) in cells.items()
    }
    return Outcome(roles, np.ones(shape[0], np.int64), ranking.labels, decision=whole.decision)


def _drawn(facts: FactList, at: Sequence[int], recall: float | None, replicates: int, seed: int) -> Interval:
    """`FactSample.scores` and their intervals; replicates that do not reach the recall are left out."""
    lost = 0

    def scores(sample: FactSample) -> np.ndarray:
        nonlocal lost
        values = sample.scores(at, recall)
        lost += int(np.isnan(values[..., 0]).sum())
        return values

    interval = bootstrap_intervals(facts.sample(), scores, np.random.default_rng(seed), replicates)
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

    lists = read_fact_lists((first, second), facts, negative, n_facts)
    ends = []
    for each in lists:
        with naming_file(each.path):
            ends.append(float(_until(each, recall).recall[-1]))
    if recall is None and abs(ends[0] - ends[1]) > 0.01:
        said = f"the lists end at recalls {ends[0]:.3f} and {ends[1]:.3f}, so their areas are not comparable"
        cut = np.floor(min(ends) * 100) / 100
        logger.warning("%s, %s: %s; --recall %.3g cuts both", first, second, said, cut)
    for each in lists:
        if each.ranking.hits is None:
            raise ValueError(f"{each.path}: known at some ranks only: it cannot be drawn again")
    single = [_drawn(each, (), recall, replicates, seed) for each in lists]
    columns: dict[str, Any] = {"measure": list(FACT_MEASURES), "first": str(first), "second": str(second)}
    for name, drawn in zip(("first", "second"), single, strict=True):
        columns |= {f"score_{name}": drawn.value, f"low_{name}": drawn.low, f"high_{name}": drawn.high}
    columns["difference"] = single[0].value - single[1].value
    is_paired = all(each.pairs is not None for each in lists)
    columns |= dict.fromkeys(("low", "high", "p", "p_holm"), np.nan)
    if is_paired:
        statistic = partial(FactSample.scores, recall=recall)
        samples = [each.sample() for each in lists]
        test = paired_bootstrap(samples[0], samples[1], statistic, np.random.default_rng(seed), replicates)
        columns |= {"low": test.low, "high": test.high, "p": test.p, "p_holm": holm(test.p.tolist())}
    columns |= {"paired": is_paired, "recall_first": ends[0], "recall_second": ends[1]}
    columns |= {"replicates": replicates, "seed": seed, "signature": _signature(lists[0], recall)}
    return pd.DataFrame(columns)


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
        columns = _with_ends("score_first", "A", "_first") | _with_ends("score_second", "B", "_second")
        if first["paired"]:
            columns |= _with_ends("difference", "A − B", "", points)
            columns |= {"p": Column("p", 9, chance), "p_holm": Column("p Holm", 9, chance)}
        yield Table("measure", [(row["measure"], row) for row in rows], columns, width=18)
        yield visible(first["signature"])


def _with_ends(name: str, head: str, side: str, form: Callable[[Any], str] = percent) -> dict[str, Column]:
    return {name: Column(head, 8, form)} | {f"{end}{side}": Column(end, 8, form) for end in ("low", "high")}
