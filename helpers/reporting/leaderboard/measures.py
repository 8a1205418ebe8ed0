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

from ... import ROOT
from ...core import (
    SEMEVAL_RELATIONS,
    SKIPPED,
    Label,
    read_file,
    shown,
    signature_field,
    unknown_name,
    write_atomically,
)
from ...metrics import (
    FACT_MEASURES,
    PRECISION_AT,
    RULES,
    SCHEMES,
    ClassCounts,
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
CACHE = ROOT / ".cache" / "leaderboard"
DECIMALS = 8  # of the ends of intervals; values are kept as they are, or a digit shown could differ
Function = Callable[..., Any]
Fits = Callable[[Sequence[Label], Label | None], bool]


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
    kind: str
    function: Function
    about: str = ""
    better: str = "higher"
    interval: bool = True
    fits: Fits = lambda labels, negative: True
    averages: bool = False


def _semeval(labels: Sequence[Label], negative: Label | None) -> bool:
    return negative == "Other" and set(labels) - {SKIPPED} == set(SEMEVAL_RELATIONS)


def _has_labels(k: int, labels: Sequence[Label], negative: Label | None) -> bool:
    return len(labels) >= k


def _accuracy(table: Outcome, negative: Label | None) -> Any:
    return table.accuracy


def _performance(table: Outcome, negative: Label | None, classes_of: Outcome | None = None) -> Any:
    if _semeval(table.labels, negative):
        return official_macro(table, negative, classes_of)
    return average(table, "macro", negative=negative, classes_of=classes_of)


def _direction(name: str, outcome: Outcome, negative: Label | None, classes_of: Outcome | None = None) -> Any:
    performance = partial(_performance, negative=negative)
    return getattr(direction_scores(outcome, None, performance, classes_of), name)


def _at_k(name: str, outcome: MultilabelOutcome, negative: Label | None) -> Any:
    return outcome.ranking.scores([int(name.partition("@")[2])])[name]


def _of_facts(name: str, ranking: Any, negative: Label | None) -> float:
    value = fact_scores(ranking)[name]
    return float("nan") if value is None else value


def _scheme_score(name: str, outcome: Any, negative: Label | None, classes_of: Any = None) -> Any:
    if isinstance(outcome, MultilabelOutcome):
        return averages(outcome.counts, [name])[..., 0]
    return averages(outcome, [name], classes_of=classes_of, negative=negative)[..., 0]


_OF_A = "Macro-F1 on the test set; of SemEval the official one, over nine relations, direction counted."
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
    *((f"P@{n}", f"P@{n}", "") for n in PRECISION_AT),
)
_AT = [(f"{name}@{k}", k) for name in ("P", "NDCG") for k in (1, 3, 5) if (name, k) != ("NDCG", 1)]
_OF_ALL = "Share of all samples, the negative class included, whose prediction is right."
_TASK = "The task's own score: macro-F1 over nine relations, direction counted (Hendrickx et al. 2010)."
_BUILT_IN = (
    Measure("accuracy", "accuracy", "labels", _accuracy, _OF_ALL),
    Measure(
        "official_macro", "official macro", "labels", official_macro, _TASK, fits=_semeval, averages=True
    ),
    *(
        Measure(name, title, "paired", partial(_direction, name), about, better, averages=True)
        for name, title, about, better in _DIRECTION
    ),
    *(Measure(name, name, "sets", partial(_at_k, name), fits=partial(_has_labels, k)) for name, k in _AT),
    *(
        Measure(name, title, "facts", partial(_of_facts, name), about, interval=name in FACT_MEASURES)
        for name, title, about in _FACTS
    ),
)
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
    >>> "error" in [one.name for one in _measures_of("labels")]
    True
    >>> unregister_measure("error")
    """
    if kind not in KINDS:
        raise unknown_name("kind of measure", kind, KINDS)
    if not isinstance(name, str) or not name.isidentifier():
        raise ValueError(f"measure name {shown(name)}: letters, digits and underscores are needed")
    if _measures.get((kind, name)) in _BUILT_IN:
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
    if _measures.get((kind, name), _BUILT_IN[0]) in _BUILT_IN:
        raise ValueError(f"{name!r} is no registered measure of {kind}")
    del _measures[kind, name]


def _measures_of(kind: str, labels: Sequence[Label] = (), negative: Label | None = None) -> list[Measure]:
    """The measures of a kind of outcome that fit the labels, and schemes beyond the five.

    >>> [one.title for one in _measures_of("paired")]
    ['A', 'B', 'PD', 'PIR', 'PPR']
    """
    fitting = [each for each in _measures.values() if each.kind == kind and each.fits(labels, negative)]
    if kind in ("labels", "sets"):
        drawn = kind == "labels"
        for name in (name for name in scheme_names() if name not in SCHEMES):
            about, function = f"F1 averaged under the scheme {name}.", partial(_scheme_score, name)
            fitting.append(Measure(name, name, kind, function, about, interval=drawn, averages=drawn))
    return fitting


def outcome_kind(run: Run) -> str:
    """'labels', 'sets' or 'facts': what the outcome of a run is made of."""
    return {"label_sets": "sets", "facts": "facts"}.get(run.kind, "labels")


def class_counts(run: Run) -> ClassCounts:
    """Correct, gold and predicted counts of each label: of the original sentences, of the first system."""
    outcome = run.outcome()
    return outcome.counts if isinstance(outcome, MultilabelOutcome) else outcome.per_class()


def _outcomes_of(run: Run) -> dict[str, Any]:
    """Kind of measure → the outcome of a run that it takes."""
    outcome = run.outcome()
    if isinstance(outcome, RankedFacts):
        return {"facts": outcome.ranking(run.labels, run.negative)}
    if isinstance(outcome, MultilabelOutcome):
        return {"sets": outcome}
    paired = {"paired": outcome} if "paired" in outcome.roles else {}
    return {"labels": outcome.of("predicted").grouped()} | paired


def measured(run: Run, replicates: int = REPLICATES, cached: bool = False) -> dict[str, dict[str, Any]]:
    """The numbers of one run, fractions; None where they are undefined.

    Parameters
    ----------
    replicates : of the intervals; 0: none. cached : keep the numbers of the package's own measures in .cache.

    Returns
    -------
    `measures` : measure → [value, low, high]. `ends` : 'micro', 'entropy' and 'alpha' → low and high of F1
    under that scheme, of n^α at each of the 21 steps: what the page cannot compute itself.

    >>> run = Run.from_outcome(Outcome.from_columns(list("aab"), list("aaa")), dataset="demo", model="m")
    >>> measured(run, replicates=0)["measures"]
    {'accuracy': [0.6666666666666666, None, None]}
    >>> ends = measured(run, replicates=100)["ends"]
    >>> list(ends), len(ends["alpha"][0])
    (['micro', 'entropy', 'alpha'], 21)
    """
    outcomes = _outcomes_of(run)
    chosen = {kind: _measures_of(kind, run.labels, run.negative) for kind in outcomes}
    names = sorted(measure.name for measures in chosen.values() for measure in measures)
    cached = cached and all(each in _BUILT_IN for measures in chosen.values() for each in measures)
    key = (run.table, run.labels, run.negative, RULES, replicates, names, DECIMALS)
    text = repr((*key, "classes of the whole outcome"))
    path = CACHE / f"{hashlib.sha256(text.encode()).hexdigest()}.json"
    if cached and path.exists():
        return json.loads(read_file(path))
    values = {}
    for kind, measures in chosen.items():
        drawn = [measure for measure in measures if measure.interval] if replicates else []
        ends = _intervals(kind, outcomes[kind], run, drawn, replicates)
        for measure in measures:
            value = float(np.asarray(measure.function(outcomes[kind], run.negative)))
            interval = _plain(ends.get(measure.name, (None, None)))
            values[measure.name] = [None if np.isnan(value) else value, *interval]
    schemes = _scheme_ends(outcomes, run.negative, replicates) if replicates else {}
    numbers = {"measures": values, "ends": {name: _plain(ends) for name, ends in schemes.items()}}
    if cached:
        write_atomically(path, json.dumps(numbers))
    return numbers


def _plain(value: Any) -> Any:
    """Numbers with eight decimals; nan is None."""
    if isinstance(value, tuple | list):
        return [_plain(number) for number in value]
    return None if value is None or value != value else round(float(value), DECIMALS)


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
            values = []
            for measure in drawn:
                fixed = {"classes_of": outcome} if measure.averages else {}
                values.append(np.asarray(measure.function(table, run.negative, **fixed), dtype=float))
            return np.stack(values, axis=-1)

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


def _scheme_ends(outcomes: dict[str, Any], negative: Label | None, replicates: int) -> dict[str, Any]:
    """Ends of F1 under micro, entropy and n^α, over the labels with gold samples; for label sets over all."""
    schemes = ["micro", "entropy", *(f"n^{step / ALPHA_STEPS:g}" for step in range(ALPHA_STEPS + 1))]
    if "facts" in outcomes:
        return {}
    table = outcomes["labels"] if "labels" in outcomes else outcomes["sets"].sets
    fixed = {"classes_of": table.per_class()} | ({"negative": negative} if "labels" in outcomes else {})
    made = bootstrap_intervals(
        table, lambda drawn: averages(drawn, schemes, **fixed), np.random.default_rng(SEED), replicates
    )
    low, high = made.low.tolist(), made.high.tolist()
    return {"micro": (low[0], high[0]), "entropy": (low[1], high[1]), "alpha": (low[2:], high[2:])}


def measure_columns(runs: Sequence[Run], replicates: int) -> list[dict[str, Any]]:
    """The measures of a test set, as the page heads them; each signed as in the first run that has it."""
    columns: dict[str, dict[str, Any]] = {}
    for run in runs:
        for kind, outcome in _outcomes_of(run).items():
            for measure in _measures_of(kind, run.labels, run.negative):
                if measure.name not in columns:
                    made = bootstrap_suffix(replicates, SEED) if measure.interval and replicates else ""
                    head = {"id": measure.name, "title": measure.title, "kind": kind}
                    head |= {"about": measure.about, "better": measure.better}
                    columns[measure.name] = head | {"signature": _signature(measure, run, outcome) + made}
    return sorted(columns.values(), key=lambda column: KINDS.index(column["kind"]))


def _signature(measure: Measure, run: Run, outcome: Any) -> str:
    """What a value of a measure needs to be read, but for its interval.

    >>> run = Run.from_outcome(Outcome.from_columns(list("aab"), list("aaa")), dataset="demo", model="m")
    >>> _signature(_measures_of("labels")[0], run, run.outcome())
    'accuracy|negative:None|n:3|v:0.1'
    """
    name, negative, n = measure.name, f"negative:{signature_field(run.negative)}", f"n:{run.n}|v:{RULES}"
    if name in scheme_names():
        counts = class_counts(run)
        return Policy.of(counts, negative=run.negative).signature(counts, "f1", name)
    if measure.kind == "sets" and "@" in name:
        return outcome.ranking.signature(name)
    if measure.kind == "facts":
        return f"{name}|level:{run.table.level}|{negative}|facts:{outcome.facts}|v:{RULES}"
    if measure.kind == "paired":
        performance = "official_macro" if _semeval(run.labels, run.negative) else "macro"
        return f"{name}|performance:{performance}|inverse:e1e2|{negative}|{n}"
    if name == "official_macro":
        return f"f1|official:semeval2010|labels:supported|{negative}|direction:grouped|{n}"
    return f"{name}|{negative}|{n}"
