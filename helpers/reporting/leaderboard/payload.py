"""What the page knows: counts of each class and system, values and intervals of the measures, joint outcomes.

Counts are kept, not scores, where a score moves with α or the choice of classes: correct and predicted
of each class, and gold counts once a test set. All else is computed here: intervals, areas, signatures.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from itertools import chain, count
from pathlib import Path
from typing import Any

import numpy as np

from ... import ROOT, __version__
from ...core import read_file, write_atomically
from ...data import datasets
from ...evaluation import system_title
from ...metrics import RULES, SCHEMES, FactRanking, Outcome, Policy, averages, bootstrap_intervals
from ...runs import STORED_RUNS, Run, list_runs
from .checks import counts_of, knows_gold, run_dataset
from .joint import PAIRS, paired_ends
from .measures import (
    ALPHA_STEPS,
    BUILT_IN,
    KINDS,
    REPLICATES,
    SEED,
    measure_signature,
    measured,
    measures_of,
    outcomes_of,
)
from .store import STORE, submissions

CACHE = ROOT / ".cache" / "leaderboard"
CURVE_STEPS, RECALL_STEPS = 300, 100  # of a precision–recall curve, and of the slider that cuts it
DECIMALS = 8  # of the ends of intervals; values are kept as they are, or a digit shown could differ
TITLES = {
    "tacred": "TACRED",
    "tacred-revised": "TACRED",
    "semeval2010": "SemEval-2010 Task 8",
    "semeval2010-undirected": "SemEval-2010 Task 8, undirected",
    "semeval2010-ptr-split": "SemEval-2010, PTR's training split",
    "kbp37": "KBP37",
    "re_docred-drawn": "Re-DocRED, drawn pairs",
    "reuters90": "Reuters-21578",
    "reuters90-held-out": "Reuters-21578, held-out labels",
    "goemotions": "GoEmotions",
    "goemotions-single": "GoEmotions, single label",
    "nyt10": "NYT10, held-out",
    "gids": "GIDS",
}
VERSIONS = {"tacred": ("tacred", "original"), "tacred-revised": ("tacred", "revised (TACREV)")}
"""Test set → the page's data set, and the name of its gold labels there."""
ORDER = tuple(TITLES)
_COLUMN = ("id", "title", "kind", "about", "better", "signature")


def page_data(
    runs: Path | str = STORED_RUNS,
    store: Path | str | None = STORE,
    replicates: int = REPLICATES,
    cached: bool = True,
    only: Sequence[str] = (),
) -> dict[str, Any]:
    """Everything that the page shows, as JSON values, in a fixed order.

    Runs that were evaluated with the gold labels in sight (`knows_gold`) are left out: no rank would say so.

    Parameters
    ----------
    runs, store : folders of run files. replicates : of the intervals; 0: none.
    cached : keep intervals in .cache, so that a rebuild computes those of new outcomes only.
    only : names of test sets; empty: all.

    >>> page_data("no-such-folder", None, replicates=0)["testsets"]
    []
    """
    both = [(run, False) for run in list_runs(folder=runs) if not knows_gold(run)]
    if store is not None and Path(store).resolve() != Path(runs).resolve():
        both += [(run, True) for run in submissions(store)]
        both += [(run, True) for run in list_runs(folder=store) if run.second]
    groups: dict[str, list[tuple[Run, bool]]] = {}
    for run, submitted in both:
        groups.setdefault(run_dataset(run), []).append((run, submitted))
    names = sorted(
        [name for name in groups if not only or name in only],
        key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name),
    )
    testsets = [_test_set(name, groups[name], replicates, cached) for name in names]
    made = {"version": __version__, "rules": RULES, "replicates": replicates, "seed": SEED}
    made |= {"alphaSteps": ALPHA_STEPS, "schemes": list(SCHEMES)}
    return made | {"testsets": [testset for testset in testsets if testset["systems"]]}


def _test_set(name: str, group: Sequence[tuple[Run, bool]], replicates: int, cached: bool) -> dict[str, Any]:
    single = [(run, submitted) for run, submitted in group if not run.second]
    single = [pair for pair in single if outcomes_of(pair[0])]
    title = TITLES.get(name) or (datasets()[name].title if name in datasets() else name)
    base, version = VERSIONS.get(name, (name, ""))
    head = {"id": name, "base": base, "version": version, "title": title, "kind": "labels"}
    if not single:
        return head | {"systems": []}
    first = single[0][0]
    kind = {"label_sets": "sets", "facts": "facts"}.get(first.kind, "labels")
    labels = list(dict.fromkeys(str(label) for run, _ in single for label in run.labels))
    head |= {"kind": kind, "labels": labels, "n": first.n}
    head["negative"] = None if first.negative is None else str(first.negative)
    gold: list[int] = []
    if kind != "facts":
        counts = counts_of(first)
        gold = _placed(counts.gold, counts.labels, labels)
        head |= {"gold": gold, "signatures": _signatures(counts, first.negative)}
    systems = [_system(run, submitted, labels, gold, replicates, cached) for run, submitted in single]
    keys = _keys(systems)
    for system, key in zip(systems, keys, strict=True):
        system["key"] = key
    head["systems"] = systems
    head["measures"] = _columns(first, [run for run, _ in single], replicates)
    head["pairs"] = _pairs(name, [run for run, _ in group if run.second], systems, replicates)
    return head


def _signatures(counts: Any, negative: Any) -> dict[str, dict[str, str]]:
    """Policy → scheme → signature of F1; 'alpha' is n^α, for which the page puts in its own α."""
    names = {name: name for name in SCHEMES} | {"alpha": "n^α"}
    return {
        labels: {
            key: Policy.of(counts, labels=labels, negative=negative).signature(counts, "f1", name)
            for key, name in names.items()
        }
        for labels in ("supported", "observed", "listed")
    }


def _keys(systems: Sequence[dict[str, Any]]) -> list[str]:
    """The system that a run is of, as the page and its address name it: runs that differ in their seed share
    it, so that a system is ranked by its mean over seeds.

    >>> run = {"name": "EM-C", "seed": 9, "encoder": "a", "origin": "trained"}
    >>> _keys([run, run | {"seed": 148}, run | {"encoder": "b"}, run | {"seed": None}])
    ['EM-C', 'EM-C', 'EM-C, b', 'EM-C, a']
    """
    keys: dict[Any, str] = {}
    named = []
    for index, run in enumerate(systems):
        name, encoder = run["name"], run["encoder"]
        identity = index if run["seed"] is None else (name, encoder, run["origin"])
        if identity not in keys:
            longer = [f"{name}, {encoder}"] if encoder else []
            names = chain([name, *longer], (f"{name} ({number})" for number in count(2)))
            keys[identity] = next(free for free in names if free not in keys.values())
        named.append(keys[identity])
    return named


def _system(
    run: Run, submitted: bool, labels: list[str], gold: list[int], replicates: int, cached: bool
) -> dict[str, Any]:
    system: dict[str, Any] = {"name": system_title(run.name), "seed": run.seed, "licence": run.licence}
    system["origin"] = "submitted" if submitted else "published" if run.profile is None else "trained"
    system["encoder"] = "" if run.encoder in (None, "no-encoder") else run.encoder
    system["link"] = _link(run.source)
    values = _numbers(run, replicates, cached)
    system |= {"m": values["measures"], "ends": values["ends"]}
    if run.kind == "facts":
        return system | _list(outcomes_of(run)["facts"])
    counts = counts_of(run)
    system["tp"] = _placed(counts.correct, counts.labels, labels)
    system["pred"] = _placed(counts.predicted, counts.labels, labels)
    if (own := _placed(counts.gold, counts.labels, labels)) != gold:
        system["gold"] = own  # another part of the test set, or another reading of it
    return system


def _link(source: str) -> str:
    """The address of a source that is one of the web, or begins with a repository of GitHub; '' of others.

    >>> _link("yuhaozhang/tacred-relation@9c8a5f0 eval"), _link("javascript:alert(1)")
    ('https://github.com/yuhaozhang/tacred-relation', '')
    """
    if re.match(r"https?://", source, re.IGNORECASE):
        return source
    named = re.match(r"([\w.-]+/[\w.-]+)((@[0-9a-f]+)?( |$)|/[0-9a-f]{40}/)", source, re.ASCII)
    return f"https://github.com/{named[1]}" if named else ""


def _placed(counts: np.ndarray, labels: Sequence[Any], wanted: Sequence[str]) -> list[int]:
    own = dict(zip(map(str, labels), counts.tolist(), strict=True))
    return [int(own.get(label, 0)) for label in wanted]


def _numbers(run: Run, replicates: int, cached: bool) -> dict[str, Any]:
    """Values and intervals of one run; those that come with the package are kept between rebuilds."""
    chosen = [measure for kind in outcomes_of(run) for measure in measures_of(kind, run.labels, run.negative)]
    names = sorted(measure.name for measure in chosen)
    own = set(names) <= BUILT_IN
    path = CACHE / f"{_outcome_sha256(run, replicates, names, DECIMALS, 'classes of the whole outcome')}.json"
    if cached and own and path.exists():
        return json.loads(read_file(path))
    values = {
        name: [None if value != value else value, *_plain(interval)]
        for name, (value, *interval) in measured(run, replicates).items()
    }
    ends = _scheme_ends(run, replicates) if replicates else {}
    numbers = {"measures": values, "ends": {name: _plain(value) for name, value in ends.items()}}
    if cached and own:
        write_atomically(path, json.dumps(numbers))
    return numbers


def _outcome_sha256(run: Run, *more: object) -> str:
    """Names what is computed of an outcome: the same outcome and options, the same numbers."""
    text = repr((run.table, run.labels, run.negative, RULES, *more))
    return hashlib.sha256(text.encode()).hexdigest()


def _scheme_ends(run: Run, replicates: int = REPLICATES) -> dict[str, Any]:
    """Ends of the intervals of F1 under micro, entropy and n^α: what the page cannot compute itself.

    Labels as in the default policy: those with gold samples; for label sets all of them.

    >>> outcome = Outcome.from_columns(list("aab"), list("aaa"))
    >>> ends = _scheme_ends(Run.from_outcome(outcome, dataset="demo", model="m"), replicates=100)
    >>> list(ends), len(ends["alpha"][0])
    (['micro', 'entropy', 'alpha'], 21)
    """
    schemes = ["micro", "entropy", *(f"n^{step / ALPHA_STEPS:g}" for step in range(ALPHA_STEPS + 1))]
    outcomes, policy = outcomes_of(run), {"negative": run.negative}
    table = outcomes.get("labels")
    if table is None and "sets" in outcomes:
        table, policy = outcomes["sets"].sets, {}
    if table is None:
        return {}
    classes = table.per_class()
    made = bootstrap_intervals(
        table,
        lambda drawn: averages(drawn, schemes, classes_of=classes, **policy),
        np.random.default_rng(SEED),
        replicates,
    )
    low, high = made.low.tolist(), made.high.tolist()
    return {"micro": (low[0], high[0]), "entropy": (low[1], high[1]), "alpha": (low[2:], high[2:])}


def _plain(value: Any) -> Any:
    """Numbers with eight decimals; nan is None."""
    if isinstance(value, tuple | list):
        return [_plain(number) for number in value]
    return None if value is None or value != value else round(float(value), DECIMALS)


def _columns(first: Run, runs: Sequence[Run], replicates: int) -> list[dict[str, Any]]:
    """The measures of a test set: name, title, what it says, signature of the first run that has it."""
    columns: dict[str, dict[str, Any]] = {}
    for run in runs:
        for kind in outcomes_of(run):
            for measure in measures_of(kind, run.labels, run.negative):
                if measure.name not in columns:
                    made = measure_signature(measure, run, replicates)
                    about = (measure.name, measure.title, kind, measure.about, measure.better, made)
                    columns[measure.name] = dict(zip(_COLUMN, about, strict=True))
    order = {kind: rank for rank, kind in enumerate(KINDS)}
    return sorted(columns.values(), key=lambda column: order[column["kind"]])


def _list(ranking: FactRanking) -> dict[str, Any]:
    """What the page shows of a ranked list, from the points where a further true fact is known.

    curve : precision where recall first reaches 1/300, 2/300, …, as far as the list goes.
    until : area between the points up to recall 0.01, 0.02, …, 1; None where the list does not get there.
    """
    reached = ranking.recall + 1e-12
    points = np.searchsorted(reached, np.arange(1, CURVE_STEPS + 1) / CURVE_STEPS)
    curve = ranking.precision[points[points < len(reached)]]
    recalls = np.arange(1, RECALL_STEPS + 1) / RECALL_STEPS
    whole = reached[-1] if len(reached) else 0
    areas = [ranking.until(recall).auc() if recall <= whole else None for recall in recalls]
    return {"facts": ranking.facts, "curve": curve.round(4).tolist(), "until": _plain(areas)}


def _pairs(
    name: str, joint: Sequence[Run], systems: Sequence[dict[str, Any]], replicates: int
) -> list[dict[str, Any]]:
    """Paired differences under each scheme: of joint outcomes that are stored, and of stored neighbours."""
    index_of = {system["name"]: index for index, system in enumerate(systems) if system["seed"] is None}
    pairs: dict[tuple[int, int], dict[str, Any]] = {}
    for row in _stored_pairs().get(name, ()):
        ends = [index_of.get(system_title(row[end])) for end in ("first", "second")]
        if None not in ends:
            pairs[tuple(ends)] = {"a": ends[0], "b": ends[1], "d": row["d"]}
    for run in joint if replicates else ():
        outcome = run.outcome()
        both = (run.model.removesuffix(f"+{run.second}"), run.second)
        ends = [index_of.get(system_title(system)) for system in both]
        if isinstance(outcome, Outcome) and None not in ends:
            d = paired_ends(outcome, run.negative, replicates)
            pairs[tuple(ends)] = {"a": ends[0], "b": ends[1], "d": d}
    return list(pairs.values())


def _stored_pairs(path: Path | None = None) -> dict[str, list[dict[str, Any]]]:
    """Test set → paired differences of neighbours, as `write_neighbours` stored them; empty if it did not.

    >>> _stored_pairs(Path("no-such-file"))
    {}
    """
    path = path or PAIRS
    return json.loads(read_file(path)) if path.exists() else {}
