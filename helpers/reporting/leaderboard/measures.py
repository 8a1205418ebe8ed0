"""What the leaderboard computes of every stored outcome: a measure is one registered function.

`register_measure("error", …)` and a rebuild: every system that was ever stored has it, with an interval.
F1 under the five schemes and under n^α is not here: the page computes it from the counts that it holds, so
that α, policy and classes can be chosen freely; schemes registered beyond the five are measures like others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from ...core import SEMEVAL_RELATIONS, SKIPPED, Label, shown, signature_field, unknown_name
from ...metrics import (
    FACT_MEASURES,
    PRECISION_AT,
    RULES,
    SCHEMES,
    FactSample,
    MultilabelOutcome,
    Outcome,
    Policy,
    average,
    averages,
    bootstrap_intervals,
    bootstrap_suffix,
    direction_scores,
    fact_scores,
    official_macro,
    scheme_names,
)
from ...runs import RankedFacts, Run

KINDS = ("labels", "paired", "sets", "facts")
REPLICATES, SEED = 1_000, 1
ALPHA_STEPS = 20
"""Intervals of F1 under n^α are made at α = 0, 1/20, …, 1."""
Function = Callable[..., Any]


@dataclass(frozen=True)
class Measure:
    """One column of the leaderboard.

    Attributes
    ----------
    name : as in signatures. title : as the page shows it. about : one sentence on what it says.
    kind : of outcomes that it is made for: 'labels' (an `Outcome`), 'paired' (one with the role `paired`),
        'sets' (`MultilabelOutcome`), 'facts' (`FactRanking`).
    function : (outcome, negative) → a number, nan where it is undefined. For an interval it has to keep the
        leading axis of replicates, as the functions of `helpers.metrics` do.
    better : 'higher' or 'lower'. interval : whether there is one.
    fits : (labels, negative) → whether a test set has it. averages : whether `function` averages classes and
        takes `classes_of`, the outcome that decides which, so that all replicates average the same.
    """

    name: str
    title: str
    kind: Literal["labels", "paired", "sets", "facts"]
    function: Function
    about: str = ""
    better: Literal["higher", "lower"] = "higher"
    interval: bool = True
    fits: Callable[[Sequence[Label], Label | None], bool] = lambda labels, negative: True
    averages: bool = False


def _semeval(labels: Sequence[Label], negative: Label | None) -> bool:
    return negative == "Other" and set(labels) - {SKIPPED} == set(SEMEVAL_RELATIONS)


def _performance(table: Outcome, negative: Label | None, classes_of: Outcome | None = None) -> Any:
    if _semeval(table.labels, negative):
        return official_macro(table, negative, classes_of)
    return average(table, "macro", negative=negative, classes_of=classes_of)


def _direction(field: str, title: str, about: str, better: Literal["higher", "lower"] = "higher") -> Measure:
    def function(outcome: Outcome, negative: Label | None, classes_of: Outcome | None = None) -> Any:
        performance = partial(_performance, negative=negative)
        return getattr(direction_scores(outcome, None, performance, classes_of), field)

    return Measure(field, title, "paired", function, about, better, averages=True)


def _labels(name: str, title: str, function: Function, **options: Any) -> Measure:
    return Measure(name, title, "labels", function, _ABOUT[name], **options)


def _at_k(name: str, k: int) -> Measure:
    def function(outcome: Any, negative: Label | None) -> Any:
        return outcome.ranking.scores([k])[f"{name}@{k}"]

    fits = lambda labels, negative: len(labels) >= k  # noqa: E731
    return Measure(f"{name}@{k}", f"{name}@{k}", "sets", function, fits=fits)


def _fact(name: str, title: str, interval: bool = True) -> Measure:
    def function(ranking: Any, negative: Label | None) -> float:
        value = fact_scores(ranking)[name]
        return float("nan") if value is None else value

    return Measure(name, title, "facts", function, _ABOUT.get(name, ""), interval=interval)


_ABOUT = {
    "accuracy": "Share of all samples, the negative class included, whose prediction is right.",
    "official_macro": "The task's own score: macro-F1 over nine relations, direction counted "
    "(Hendrickx et al. 2010).",
    "auc": "Area between the points of the curve, as OpenNRE has it.",
    "average_precision": "Average precision.",
    "micro_f1": "The highest micro-F1 over all thresholds.",
}
_OF_A = "Macro-F1 on the test set; of SemEval the official one, over nine relations, direction counted."
_OF_B = "The same score on the same sentences with the two entities exchanged."
_OF_PIR = "Share of right predictions that do not move when the entities are exchanged: small is good."
_BUILT_IN = (
    _labels("accuracy", "accuracy", lambda table, negative: table.accuracy),
    _labels("official_macro", "official macro", official_macro, fits=_semeval, averages=True),
    _direction("performance_original", "A", _OF_A),
    _direction("performance_paired", "B", _OF_B),
    _direction("pd", "PD", "|A − B|: small is good.", "lower"),
    _direction("pir", "PIR", _OF_PIR, "lower"),
    _direction("ppr", "PPR", "Share of samples that are right both ways: large is good."),
    *(_at_k(name, k) for name in ("P", "NDCG") for k in (1, 3, 5) if (name, k) != ("NDCG", 1)),
    *map(_fact, ("auc", "average_precision", "micro_f1"), ("AUC", "AP", "best F1")),
    *(_fact(f"P@{n}", f"P@{n}", interval=False) for n in PRECISION_AT),
)
BUILT_IN = frozenset(measure.name for measure in _BUILT_IN)
_measures = {(measure.kind, measure.name): measure for measure in _BUILT_IN}


def register_measure(
    name: str, function: Function, kind: str = "labels", title: str = "", about: str = "", **options: Any
) -> Measure:
    """Make a measure known: the next rebuild computes it of every stored system.

    Parameters
    ----------
    name : letters, digits and underscores. function, kind, title, about, options : fields of `Measure`.

    A measure of one's own is given anew. Raises ValueError for the name of one that comes with the package.

    >>> made = register_measure("error", lambda table, negative: 1 - table.accuracy)
    >>> "error" in [one.name for one in measures_of("labels")]
    True
    >>> unregister_measure("error")
    """
    if kind not in KINDS:
        raise unknown_name("kind of measure", kind, KINDS)
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"measure name {shown(name)}: letters, digits and underscores are needed")
    if (kind, name) in {(measure.kind, measure.name) for measure in _BUILT_IN}:
        raise ValueError(f"there is a measure {name!r} already: choose another name")
    made = Measure(name, title or name, kind, function, about, **options)
    _measures[kind, name] = made
    return made


def unregister_measure(name: str, kind: str = "labels") -> None:
    """Forget a registered measure; ValueError for a name that is none, or comes with the package.

    >>> unregister_measure("accuracy")
    Traceback (most recent call last):
    ValueError: 'accuracy' is no registered measure of labels
    """
    if (kind, name) not in _measures or _measures[kind, name] in _BUILT_IN:
        raise ValueError(f"{name!r} is no registered measure of {kind}")
    del _measures[kind, name]


def measures_of(kind: str, labels: Sequence[Label] = (), negative: Label | None = None) -> list[Measure]:
    """The measures of a kind of outcome; those that fit the labels, and schemes beyond the five.

    >>> [one.title for one in measures_of("paired")]
    ['A', 'B', 'PD', 'PIR', 'PPR']
    """
    measures = [
        measure for measure in _measures.values() if measure.kind == kind and measure.fits(labels, negative)
    ]
    if kind in ("labels", "sets"):
        measures += [_scheme(name, kind) for name in scheme_names() if name not in SCHEMES]
    return measures


def _scheme(name: str, kind: str) -> Measure:
    def function(outcome: Any, negative: Label | None, classes_of: Any = None) -> Any:
        if isinstance(outcome, MultilabelOutcome):
            return averages(outcome.counts, [name])[..., 0]
        return averages(outcome, [name], classes_of=classes_of, negative=negative)[..., 0]

    about, drawn = f"F1 averaged under the scheme {name}.", kind == "labels"
    return Measure(name, name, kind, function, about, interval=drawn, averages=drawn)


def measured(
    run: Run, replicates: int = REPLICATES, kinds: Sequence[str] = KINDS
) -> dict[str, tuple[float, float, float]]:
    """Measure → value, and the ends of its interval (nan where there is none), fractions, of one run.

    Measures that are undefined for this outcome have the value nan.

    >>> outcome = Outcome.from_columns(list("aab"), list("aaa"))
    >>> found = measured(Run.from_outcome(outcome, dataset="demo", model="m"), replicates=0)
    >>> [round(one, 4) for one in found["accuracy"]]
    [0.6667, nan, nan]
    """
    values: dict[str, tuple[float, float, float]] = {}
    for kind, outcome in outcomes_of(run).items():
        if kind not in kinds:
            continue
        chosen = measures_of(kind, run.labels, run.negative)
        drawn = [measure for measure in chosen if measure.interval] if replicates else []
        ends = _intervals(kind, outcome, run, drawn, replicates)
        for measure in chosen:
            value = float(np.asarray(measure.function(outcome, run.negative)))
            values[measure.name] = (value, *ends.get(measure.name, (float("nan"), float("nan"))))
    return values


def outcomes_of(run: Run) -> dict[str, Any]:
    """Kind of measure → the outcome of a run that it takes; empty for joint outcomes of two systems.

    >>> outcome = Outcome.from_columns(list("ab"), list("aa"))
    >>> list(outcomes_of(Run.from_outcome(outcome, dataset="demo", model="m")))
    ['labels']
    """
    outcome = run.outcome()
    match outcome:
        case Outcome() if run.second:
            return {}
        case Outcome():
            paired = {"paired": outcome} if "paired" in outcome.roles else {}
            return {"labels": outcome.of("predicted").grouped()} | paired
        case MultilabelOutcome():
            return {"sets": outcome}
        case RankedFacts():
            return {"facts": outcome.ranking(run.labels, run.negative)}
    return {"labels": outcome}


def _intervals(
    kind: str, outcome: Any, run: Run, drawn: Sequence[Measure], replicates: int
) -> dict[str, tuple[float, float]]:
    """Ends of the intervals of measures that can be drawn, all of the same replicates."""
    rng = np.random.default_rng(SEED)
    names = [measure.name for measure in drawn]
    if not drawn or (kind == "facts" and outcome.hits is None):
        return {}
    if kind == "sets":
        ks = sorted({int(name.partition("@")[2]) for name in names if "@" in name})
        ends = outcome.ranking.intervals(ks, rng, replicates)
        return {name: (ends[name].low, ends[name].high) for name in names if name in ends}
    if kind == "facts":
        sample, names = _fact_sample(outcome, run), list(FACT_MEASURES)
        made = bootstrap_intervals(sample, lambda table: table.scores(), rng, replicates)
    else:

        def statistic(table: Any) -> np.ndarray:
            fixed = ({"classes_of": outcome} if measure.averages else {} for measure in drawn)
            values = (
                measure.function(table, run.negative, **key)
                for measure, key in zip(drawn, fixed, strict=True)
            )
            return np.stack([np.asarray(value, dtype=float) for value in values], axis=-1)

        made = bootstrap_intervals(outcome, statistic, rng, replicates)
    return dict(zip(names, zip(made.low.tolist(), made.high.tolist(), strict=True), strict=True))


def _fact_sample(ranking: Any, run: Run) -> FactSample:
    """Drawn by entity pair where they are stored and hold all true facts, else fact by fact."""
    units, of_unit = run.table.pairs, None
    if units is not None:
        of_unit = np.bincount(np.array(units)[ranking.hits], minlength=max(units) + 1)
        if of_unit.sum() != ranking.facts:
            units = of_unit = None
    return FactSample.of(ranking, units, of_unit)


def measure_signature(measure: Measure, run: Run, replicates: int = REPLICATES) -> str:
    """What a value of a measure needs to be read.

    >>> outcome = Outcome.from_columns(list("aab"), list("aaa"))
    >>> run = Run.from_outcome(outcome, dataset="demo", model="m")
    >>> measure_signature(measures_of("labels")[0], run, 0)
    'accuracy|negative:None|n:3|v:0.1'
    """
    made = bootstrap_suffix(replicates, SEED) if measure.interval and replicates else ""
    negative = signature_field(run.negative)
    outcome = outcomes_of(run)[measure.kind]
    match measure.kind:
        case "paired":
            kind = "official_macro" if _semeval(run.labels, run.negative) else "macro"
            fields = f"performance:{kind}|inverse:e1e2|negative:{negative}|n:{run.n}|v:{RULES}"
            return f"{measure.name}|{fields}{made}"
        case "sets" if "@" in measure.name:
            return outcome.ranking.signature(measure.name) + made
        case "sets":
            return Policy.of(outcome.counts).signature(outcome.counts, "f1", measure.name) + made
        case "facts":
            fields = f"level:{run.table.level}|negative:{negative}|facts:{outcome.facts}|v:{RULES}"
            return f"{measure.name}|{fields}{made}"
    if measure.name in scheme_names():
        return Policy(negative=run.negative).signature(outcome, "f1", measure.name) + made
    if measure.name == "official_macro":
        labels = f"official:semeval2010|labels:supported|negative:{negative}|direction:grouped"
        return f"f1|{labels}|n:{run.n}|v:{RULES}{made}"
    return f"{measure.name}|negative:{negative}|n:{run.n}|v:{RULES}{made}"
