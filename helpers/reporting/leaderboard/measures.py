"""What the leaderboard computes of every stored outcome: a measure is one registered function.

`register_measure("error", …)` and a rebuild: every system that was ever stored has it, with an interval.
F1 under the five schemes and under n^α is not here: the page computes it from the counts that it holds, so
that α, policy and classes can be chosen freely; schemes registered beyond the five are measures like others.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from ... import ROOT, core, metrics
from ...runs import RankedFacts, Run

KINDS = ("labels", "paired", "sets", "facts")
MADE_OF = {"confusion": "labels", "paired": "labels", "label_sets": "sets", "facts": "facts"}
"""Kind of a run → what its outcome is made of."""
REPLICATES, SEED = 1_000, 1
ALPHA_STEPS = 20
"""Intervals of F1 under n^α are made at α = 0, 1/20, …, 1."""
CACHE = ROOT / ".cache" / "leaderboard"
DECIMALS = 8  # of the ends of intervals; values are kept as they are, or a digit shown could differ
Function = Callable[..., Any]
Fits = Callable[[Sequence[core.Label], core.Label | None], bool]


@dataclass(frozen=True)
class _Measure:
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
    part : the key of this measure, where `function` gives several at once.
    """

    name: str
    title: str
    kind: str
    function: Function
    about: str = ""
    better: str = "higher"
    interval: bool = True
    fits: Fits = lambda labels, negative: True
    averages: bool = False
    part: str = ""


def _semeval(labels: Sequence[core.Label], negative: core.Label | None) -> bool:
    return negative == "Other" and set(labels) - {core.SKIPPED} == set(core.SEMEVAL_RELATIONS)


def _has_labels(k: int, labels: Sequence[core.Label], negative: core.Label | None) -> bool:
    return len(labels) >= k


def _accuracy(table: metrics.Outcome, negative: core.Label | None) -> Any:
    return table.accuracy


def _direction(outcome: Any, negative: core.Label | None, classes_of: Any = None) -> dict[str, Any]:
    performance = partial(metrics.official_macro, negative=negative)
    return metrics.direction_scores(outcome, None, performance, classes_of)._asdict()


def _at_k(name: str, outcome: metrics.MultilabelOutcome, negative: core.Label | None) -> Any:
    return outcome.ranking.scores([int(name.partition("@")[2])])[name]


def _of_facts(ranking: Any, negative: core.Label | None) -> dict[str, Any]:
    return ranking.measures()  # None is undefined


def _scheme_score(name: str, outcome: Any, negative: core.Label | None, classes_of: Any = None) -> Any:
    table = outcome.counts if isinstance(outcome, metrics.MultilabelOutcome) else outcome
    return metrics.averages(table, [name], classes_of=classes_of, negative=negative)[..., 0]


_OF_A = "Official macro-F1 on the test set: over relations; a wrong direction is an error."
_OF_B = "The same score on the same sentences with the two entities exchanged."
_OF_PIR = "Share of right predictions that do not move when the entities are exchanged: small is good."
_DIRECTION = (
    ("performance_original", "A", _OF_A, "higher"),
    ("performance_paired", "B", _OF_B, "higher"),
    ("pd", "PD", "|A − B|: small is good.", "lower"),
    ("pir", "PIR", _OF_PIR, "lower"),
    ("ppr", "PPR", "Share of samples that are right both ways: large is good.", "higher"),
)
_FACTS = (
    ("auc", "AUC", "Area between the points of the curve, as OpenNRE has it."),
    ("average_precision", "AP", "Average precision."),
    ("micro_f1", "best F1", "The highest micro-F1 over all thresholds."),
    *((f"P@{n}", f"P@{n}", "") for n in metrics.PRECISION_AT),
)
_AT = [(f"{name}@{k}", k) for name in ("P", "NDCG") for k in (1, 3, 5) if (name, k) != ("NDCG", 1)]
_OF_ALL = "Share of all samples, the negative class included, whose prediction is right."
_TASK = "The task's own score: macro-F1 over nine relations, direction counted (Hendrickx et al. 2010)."
_OF_TASK = {"about": _TASK, "fits": _semeval, "averages": True}
_DRAWN = metrics.FACT_MEASURES
_BUILT_IN = (
    _Measure("accuracy", "accuracy", "labels", _accuracy, _OF_ALL),
    _Measure("official_macro", "official macro", "labels", metrics.official_macro, **_OF_TASK),
    *(
        _Measure(name, title, "paired", _direction, about, better, averages=True, part=name)
        for name, title, about, better in _DIRECTION
    ),
    *(_Measure(name, name, "sets", partial(_at_k, name), fits=partial(_has_labels, k)) for name, k in _AT),
    *(
        _Measure(name, title, "facts", _of_facts, about, interval=name in _DRAWN, part=name)
        for name, title, about in _FACTS
    ),
)
_measures = {(measure.kind, measure.name): measure for measure in _BUILT_IN}


def register_measure(
    name: str, function: Function, kind: str = "labels", title: str = "", about: str = "", **options: Any
) -> _Measure:
    """Make a measure known: the next rebuild computes it of every stored system.

    Parameters
    ----------
    name : letters, digits and underscores. function, kind, title, about, options : fields of `_Measure`.

    A measure of one's own is given anew. Raises ValueError for the name of one that comes with the package.

    >>> made = register_measure("error", lambda table, negative: 1 - table.accuracy)
    >>> made.kind, made.better
    ('labels', 'higher')
    >>> unregister_measure("error")
    """
    if kind not in KINDS:
        raise core.unknown_name("kind of measure", kind, KINDS)
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"measure name {core.shown(name)}: letters, digits and underscores are needed")
    if _measures.get((kind, name)) in _BUILT_IN:
        raise ValueError(f"there is a measure {name!r} already: choose another name")
    made = _Measure(name, title or name, kind, function, about, **options)
    _measures[kind, name] = made
    return made


def unregister_measure(name: str, kind: str = "labels") -> None:
    """Forget a registered measure; ValueError for a name that is none, or comes with the package.

    >>> unregister_measure("accuracy")
    Traceback (most recent call last):
    ValueError: 'accuracy' is no registered measure of labels
    """
    if _measures.get((kind, name), _BUILT_IN[0]) in _BUILT_IN:
        raise ValueError(f"{name!r} is no registered measure of {kind}")
    del _measures[kind, name]


def _applied(run: Run) -> dict[str, tuple[Any, list[_Measure]]]:
    """Kind of measure → the outcome of a run that it takes, and the measures of that kind that fit the run:
    the registered ones, then schemes beyond the five.

    >>> table = metrics.Outcome.from_columns(["a"], ["a"], paired=["a"])
    >>> run = Run.from_outcome(table, dataset="d", model="m")
    >>> {kind: [one.title for one in measures] for kind, (_, measures) in _applied(run).items()}
    {'labels': ['accuracy'], 'paired': ['A', 'B', 'PD', 'PIR', 'PPR']}
    """
    outcome = run.outcome()
    if isinstance(outcome, RankedFacts):
        outcomes: dict[str, Any] = {"facts": outcome.ranking(run.labels, run.negative)}
    elif isinstance(outcome, metrics.MultilabelOutcome):
        outcomes = {"sets": outcome}
    else:
        paired = {"paired": outcome} if "paired" in outcome.roles else {}
        outcomes = {"labels": outcome.of("predicted").grouped()} | paired
    applied = {}
    for kind, outcome in outcomes.items():
        known = [*_measures.values(), *_further_schemes(kind)]
        fitting = [each for each in known if each.kind == kind and each.fits(run.labels, run.negative)]
        applied[kind] = outcome, fitting
    return applied


def _further_schemes(kind: str) -> list[_Measure]:
    """Of schemes beyond the five, as measures of labels, with intervals, and of label sets."""
    known = metrics.scheme_names() if kind in ("labels", "sets") else ()
    about, drawn = "F1 averaged under the scheme {}.", kind == "labels"
    rest = {"interval": drawn, "averages": drawn}
    return [
        _Measure(name, name, kind, partial(_scheme_score, name), about.format(name), **rest)
        for name in known
        if name not in metrics.SCHEMES
    ]


def class_counts(run: Run) -> metrics.ClassCounts:
    """Correct, gold and predicted counts of each label: of the original sentences, of the first system."""
    outcome = run.outcome()
    return outcome.counts if isinstance(outcome, metrics.MultilabelOutcome) else outcome.per_class()


def measured(run: Run, replicates: int = REPLICATES, cached: bool = False) -> dict[str, dict[str, Any]]:
    """The numbers of one run, fractions; None where they are undefined.

    Parameters
    ----------
    replicates : of the intervals; 0: none. cached : keep the numbers of the package's own measures in .cache.

    Returns
    -------
    `measures` : measure → [value, low, high]. `ends` : 'micro', 'entropy' and 'alpha' → low and high of F1
    under that scheme, of n^α at each of the 21 steps: what the page cannot compute itself.

    >>> table = metrics.Outcome.from_columns(list("aab"), list("aaa"))
    >>> run = Run.from_outcome(table, dataset="demo", model="m")
    >>> measured(run, replicates=0)["measures"]
    {'accuracy': [0.6666666666666666, None, None]}
    >>> ends = measured(run, replicates=100)["ends"]
    >>> list(ends), len(ends["alpha"][0])
    (['micro', 'entropy', 'alpha'], 21)
    """
    applied = _applied(run)
    every = [measure for _, measures in applied.values() for measure in measures]
    names = sorted(measure.name for measure in every)
    key = (run.table, run.labels, run.negative, metrics.RULES, replicates, names, DECIMALS)
    text = repr((*key, "classes of the whole outcome"))
    path = CACHE / f"{hashlib.sha256(text.encode()).hexdigest()}.json"
    cached = cached and all(each in _BUILT_IN for each in every)
    if cached and path.exists():
        return json.loads(core.read_file(path))
    values: dict[str, Any] = {}
    for kind, (outcome, measures) in applied.items():
        ends = _intervals(kind, outcome, run, measures, replicates) if replicates else {}
        numbers = _values(measures, outcome, run.negative)
        for measure, value in zip(measures, numbers, strict=True):
            values[measure.name] = [float(value), *ends.get(measure.name, (None, None))]
    schemes = _scheme_ends(applied, run.negative, replicates) if replicates else {}
    made = metrics.plain_values({"measures": values, "ends": schemes})
    if cached:
        core.write_atomically(path, json.dumps(made))
    return made


def _values(
    measures: Sequence[_Measure], outcome: Any, negative: core.Label | None, classes_of: Any = None
) -> list[np.ndarray]:
    """The value of each measure on an outcome; a function that gives several is called once."""
    made: dict[int, Any] = {}
    for measure in measures:
        if id(measure.function) not in made:
            fixed = {"classes_of": classes_of} if measure.averages and classes_of is not None else {}
            made[id(measure.function)] = measure.function(outcome, negative, **fixed)
    values = [(made[id(measure.function)], measure.part) for measure in measures]
    return [np.asarray(value[part] if part else value, dtype=float) for value, part in values]


def _intervals(
    kind: str, outcome: Any, run: Run, measures: Sequence[_Measure], replicates: int
) -> dict[str, list[float]]:
    """Ends of the intervals of measures that can be drawn, all of the same replicates."""
    rng, drawn = np.random.default_rng(SEED), [measure for measure in measures if measure.interval]

    def statistic(table: Any) -> np.ndarray:
        return np.stack(_values(drawn, table, run.negative, outcome), axis=-1)

    if not drawn or (kind == "facts" and outcome.hits is None):
        return {}
    if kind == "sets":
        ks = sorted({int(measure.name.partition("@")[2]) for measure in drawn if "@" in measure.name})
        made = outcome.ranking.intervals(ks, rng, replicates)
    elif kind == "facts":
        sample, score = _fact_sample(outcome, run), metrics.FactSample.scores
        made = metrics.bootstrap_intervals(sample, score, rng, replicates).named(metrics.FACT_MEASURES)
    else:
        names = [measure.name for measure in drawn]
        made = metrics.bootstrap_intervals(outcome, statistic, rng, replicates).named(names)
    return {name: _rounded([interval.low, interval.high]) for name, interval in made.items()}


def _rounded(ends: Sequence[float]) -> list[float]:
    return [round(end, DECIMALS) for end in ends]


def _fact_sample(ranking: Any, run: Run) -> metrics.FactSample:
    """Drawn by entity pair where they are stored and hold all true facts, else fact by fact."""
    units, of_unit = run.table.pairs, None
    if units is not None:
        of_unit = np.bincount(np.array(units)[ranking.hits], minlength=max(units) + 1)
        if of_unit.sum() != ranking.facts:
            units = of_unit = None
    return ranking.sample(units, of_unit)


def _scheme_ends(applied: dict[str, Any], negative: core.Label | None, replicates: int) -> dict[str, Any]:
    """Ends of F1 under micro, entropy and n^α, over the labels with gold samples; for label sets over all."""
    if "facts" in applied:
        return {}
    schemes = ["micro", "entropy", *(f"n^{step / ALPHA_STEPS:g}" for step in range(ALPHA_STEPS + 1))]
    is_single = "labels" in applied
    table = applied["labels"][0] if is_single else applied["sets"][0].sets
    fixed = {"classes_of": table.per_class()} | ({"negative": negative} if is_single else {})
    score, rng = partial(metrics.averages, schemes=schemes, **fixed), np.random.default_rng(SEED)
    made = metrics.bootstrap_intervals(table, score, rng, replicates)
    low, high = (_rounded(side.tolist()) for side in (made.low, made.high))
    return {"micro": [low[0], high[0]], "entropy": [low[1], high[1]], "alpha": [low[2:], high[2:]]}


def measure_columns(runs: Sequence[Run], replicates: int) -> list[dict[str, Any]]:
    """The measures of a test set, as the page heads them; each signed as in the first run that has it."""
    columns: dict[str, dict[str, Any]] = {}
    for run in runs:
        for kind, (outcome, measures) in _applied(run).items():
            for measure in (each for each in measures if each.name not in columns):
                made = metrics.bootstrap_suffix(replicates, SEED) if measure.interval else ""
                head = {"id": measure.name, "title": measure.title, "kind": kind}
                head |= {"about": measure.about, "better": measure.better}
                columns[measure.name] = head | {"signature": _signature(measure, run, outcome) + made}
    return sorted(columns.values(), key=lambda column: KINDS.index(column["kind"]))


def _signature(measure: _Measure, run: Run, outcome: Any) -> str:
    """What a value of a measure needs to be read, but for its interval.

    >>> table = metrics.Outcome.from_columns(list("aab"), list("aaa"))
    >>> run = Run.from_outcome(table, dataset="demo", model="m")
    >>> _signature(_BUILT_IN[0], run, run.outcome())
    'accuracy|negative:None|n:3|v:0.1'
    """
    name, negative, n = measure.name, str(run.negative), run.n
    if name in metrics.scheme_names():
        counts = class_counts(run)
        return metrics.Policy.of(counts, negative=run.negative).signature(counts, "f1", name)
    if measure.kind == "sets" and "@" in name:
        return outcome.ranking.signature(name)
    if measure.kind == "facts":
        return metrics.signature(name, level=run.table.level, negative=negative, facts=outcome.facts)
    if measure.kind == "paired":
        performance = "official_macro" if _semeval(run.labels, run.negative) else "macro"
        return metrics.signature(name, performance=performance, inverse="e1e2", negative=negative, n=n)
    if name == "official_macro":
        fields = {"official": "semeval2010", "labels": "supported", "negative": negative}
        return metrics.signature("f1", **fields, direction="grouped", n=n)
    return metrics.signature(name, negative=negative, n=n)
