"""What the page knows: counts of each class and system, values and intervals of the measures, joint outcomes;
and the ranking of the page as tables.

Counts are kept, not scores, where a score moves with α or the choice of classes: correct and predicted
of each class, and gold counts once a test set. All else is computed here: intervals, areas, signatures.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, chain, count, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ... import ROOT, __version__, metrics
from ...core import SEMEVAL_RELATIONS, read_file, write_atomically
from ...data import datasets, join_semeval_answers, locate, semeval_key, tacred_predictions
from ...evaluation import SEMEVAL_SYSTEMS, system_title
from ...runs import STORED_RUNS, Run, list_runs
from .checks import TACRED_KEYS
from .measures import ALPHA_STEPS, MADE_OF, REPLICATES, SEED, class_counts, measure_columns, measured
from .store import STORE, Store

PAIRS = ROOT / "results" / "leaderboard" / "pairs.json"
"""Paired intervals of neighbours in a ranking; their joint outcomes would fill megabytes."""
CURVE_STEPS, RECALL_STEPS = 300, 100  # of a precision–recall curve, and of the slider that cuts it
TITLES = {
    "tacred": "TACRED",
    "tacred-revised": "TACRED",
    "semeval2010": "SemEval-2010 Task 8",
    "semeval2010-undirected": "SemEval-2010 Task 8, undirected",
    "semeval2010-ptr-split": "SemEval-2010, PTR's training split",
    "semeval2010-spacy-text": "SemEval-2010, words and trees by spaCy",
    "kbp37": "KBP37",
    "re_docred-drawn": "Re-DocRED, drawn pairs",
    "reuters90": "Reuters-21578",
    "reuters90-held-out": "Reuters-21578, held-out labels",
    "goemotions": "GoEmotions",
    "goemotions-single": "GoEmotions, single label",
    "nyt10": "NYT10, held-out",
    "gids": "GIDS",
}
"""In the order of the page; other test sets follow by name."""
VERSIONS = {"tacred": ("tacred", "original"), "tacred-revised": ("tacred", "revised (TACREV)")}
"""Test set → the page's data set, and the name of its gold labels there."""


def page_data(
    runs: Path | str = STORED_RUNS,
    store: Path | str | None = STORE,
    replicates: int = REPLICATES,
    cached: bool = True,
    only: Sequence[str] = (),
) -> dict[str, Any]:
    """Everything that the page shows, as JSON values, in a fixed order.

    Runs that were evaluated with the gold labels in sight, as by RECENT's released evaluation, are left out:
    no rank would say so.

    Parameters
    ----------
    runs, store : folders of run files. replicates : of the intervals; 0: none.
    cached : keep intervals in .cache, so that a rebuild computes those of new outcomes only.
    only : names of test sets; empty: all.

    >>> page_data("no-such-folder", None, replicates=0)["testsets"]
    []
    """
    # a test set's name begins with that of its data set; the runs of others need not be read
    heads = {head for name in only for head in accumulate(name.split("-"), "{}-{}".format)}
    own = [run for head in sorted(heads) or [None] for run in list_runs(head, folder=runs)]
    both = [(run, False) for run in own if run.options.get("evaluation") != "as-published"]
    if store is not None and Path(store).resolve() != Path(runs).resolve():
        both += [(run, True) for run in Store(store).submissions()]
    groups: dict[str, list[tuple[Run, bool]]] = {}
    for run, submitted in both:
        name = run.dataset if run.split == "test" else f"{run.dataset}-{run.split}"
        if not run.second and (not only or name in only):
            groups.setdefault(name, []).append((run, submitted))
    order = list(TITLES)
    names = sorted(groups, key=lambda name: (order.index(name) if name in order else len(order), name))
    made = {"version": __version__, "rules": metrics.RULES, "replicates": replicates, "seed": SEED}
    made |= {"alphaSteps": ALPHA_STEPS, "schemes": list(metrics.SCHEMES)}
    return made | {"testsets": [_test_set(name, groups[name], replicates, cached) for name in names]}


def _test_set(name: str, group: Sequence[tuple[Run, bool]], replicates: int, cached: bool) -> dict[str, Any]:
    title = TITLES.get(name) or (datasets()[name].title if name in datasets() else name)
    base, version = VERSIONS.get(name, (name, ""))
    head = {"id": name, "base": base, "version": version, "title": title}
    first = group[0][0]
    labels = list(dict.fromkeys(str(label) for run, _ in group for label in run.labels))
    head |= {"kind": MADE_OF[first.kind], "labels": labels, "n": first.n}
    head["negative"] = None if first.negative is None else str(first.negative)
    if head["kind"] != "facts":
        counts = class_counts(first)
        head |= {"gold": _placed(counts, "gold", labels), "signatures": _signatures(counts, first.negative)}
    systems = []
    for run, submitted in group:
        numbers = measured(run, replicates, cached)
        systems.append(_system(run, submitted, head) | {"m": numbers["measures"], "ends": numbers["ends"]})
    for system, key in zip(systems, _keys(systems), strict=True):
        system["key"] = key
    head["systems"] = systems
    head["measures"] = measure_columns([run for run, _ in group], replicates)
    head["pairs"] = _paired_differences(name, systems)
    return head


def _signatures(counts: metrics.ClassCounts, negative: Any) -> dict[str, dict[str, str]]:
    """Policy → scheme → signature of F1; 'alpha' is n^α, for which the page puts in its own α."""
    names = {name: name for name in metrics.SCHEMES} | {"alpha": "n^α"}
    signed = {}
    for labels in ("supported", "observed", "listed"):
        policy = metrics.Policy.of(counts, labels=labels, negative=negative)
        signed[labels] = {key: policy.signature(counts, "f1", name) for key, name in names.items()}
    return signed


def _keys(systems: Sequence[Mapping[str, Any]]) -> list[str]:
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


def _system(run: Run, submitted: bool, test: Mapping[str, Any]) -> dict[str, Any]:
    """A run but for its measures: what it is, and its counts or its curve."""
    system = {"name": system_title(run.name), "seed": run.seed, "licence": run.licence}
    system["origin"] = "submitted" if submitted else "published" if run.profile is None else "trained"
    system["encoder"] = "" if run.encoder in (None, "no-encoder") else run.encoder
    system["link"] = _link(run.source)
    if test["kind"] == "facts":
        return system | _list(run.outcome().ranking(run.labels, run.negative))
    counts, labels = class_counts(run), test["labels"]
    system |= {"tp": _placed(counts, "correct", labels), "pred": _placed(counts, "predicted", labels)}
    if (own := _placed(counts, "gold", labels)) != test["gold"]:
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


def _placed(counts: metrics.ClassCounts, part: str, wanted: Sequence[str]) -> list[int]:
    """The counts of the wanted labels, 0 for one that this outcome does not have."""
    own = dict(zip(map(str, counts.labels), getattr(counts, part).tolist(), strict=True))
    return [int(own.get(label, 0)) for label in wanted]


def _list(ranking: metrics.FactRanking) -> dict[str, Any]:
    """What the page shows of a ranked list, from the points where a further true fact is known.

    curve : precision where recall first reaches 1/300, 2/300, …, as far as the list goes.
    until : area between the points up to recall 0.01, 0.02, …, 1; None where the list does not get there.
    """
    reached = ranking.recall + 1e-12
    points = np.searchsorted(reached, np.arange(1, CURVE_STEPS + 1) / CURVE_STEPS)
    curve = ranking.precision[points[points < len(reached)]]
    recalls = np.arange(1, RECALL_STEPS + 1) / RECALL_STEPS
    whole = reached[-1] if len(reached) else 0
    areas = [round(ranking.until(recall).auc(), 8) if recall <= whole else None for recall in recalls]
    return {"facts": ranking.facts, "curve": curve.round(4).tolist(), "until": areas}


def system_scores(test: Mapping[str, Any], schemes: Sequence[Any]) -> pd.DataFrame:
    """F1 (fractions) of each system of a test set of the page under each scheme: the mean over its runs.

    Raises ValueError for a test set of ranked facts.
    """
    if test["kind"] == "facts":
        raise ValueError(f"{test['id']} has ranked facts: there is no F1 of classes")
    runs = test["systems"]
    columns = [np.array([run.get(part, test["gold"]) for run in runs]) for part in ("tp", "pred", "gold")]
    counts = metrics.ClassCounts(*columns, np.full(len(runs), test["n"]), tuple(test["labels"]))
    policy = {"negative": test["negative"]}
    if test["kind"] == "sets":
        policy = {"labels": "listed", "negative_in_normaliser": False}
    scores = pd.DataFrame(metrics.averages(counts, schemes, **policy), index=[run["key"] for run in runs])
    return scores.groupby(level=0, sort=False).mean()


def ranking_table(test: Mapping[str, Any], alpha: float = 0.75) -> pd.DataFrame:
    """F1 of every system of a test set under n^α and the five schemes, fractions; the best under n^α first.

    A system with several runs has their mean.

    Index: the systems' names on the page, those of equal scores in the order of the page. test : one of
    `page_data(…)["testsets"]`. Raises as `system_scores`.

    >>> counts = {"id": "d", "labels": ["a", "b"], "gold": [2, 1], "n": 3, "negative": None, "kind": "labels"}
    >>> test = counts | {"systems": [{"key": "x", "tp": [2, 0], "pred": [3, 0]}]}
    >>> ranking_table(test, 0).round(3).loc["x"].to_dict()["macro"]
    0.4
    """
    table = system_scores(test, [metrics.power(alpha), *metrics.SCHEMES])
    table = table.set_axis([f"n^{alpha:g}", *metrics.SCHEMES], axis=1)
    return table.sort_values(table.columns[0], ascending=False, kind="stable")


def alpha_curves(test: Mapping[str, Any], systems: Sequence[str]) -> pd.DataFrame:
    """F1 under n^α of some systems, in per cent, with intervals: model, alpha, value, low, high.

    An interval is the mean of those of the system's runs, so the page's data need replicates. Raises as
    `system_scores`, and KeyError for a system that is not there.
    """
    alphas = np.linspace(0, 1, ALPHA_STEPS + 1)
    values = system_scores(test, [metrics.power(alpha) for alpha in alphas])
    frames = []
    for system in systems:
        low, high = np.mean([run["ends"]["alpha"] for run in test["systems"] if run["key"] == system], axis=0)
        ends = 100 * pd.DataFrame({"value": values.loc[system].to_numpy(), "low": low, "high": high})
        frames.append(ends.assign(model=system, alpha=alphas))
    return pd.concat(frames, ignore_index=True)[["model", "alpha", "value", "low", "high"]]


def _paired_differences(name: str, systems: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Neighbours in a ranking: `a`, `b` (their places) and `d`, under each scheme `_paired_ends`."""
    place_of = {system["name"]: place for place, system in enumerate(systems) if system["seed"] is None}
    stored = json.loads(read_file(PAIRS)) if PAIRS.exists() else {}
    titles = [
        (system_title(row["first"]), system_title(row["second"]), row["d"]) for row in stored.get(name, ())
    ]
    known = [(a, b, d) for a, b, d in titles if a in place_of and b in place_of]
    return [{"a": place_of[a], "b": place_of[b], "d": d} for a, b, d in known]


def _paired_ends(outcome: metrics.Outcome, negative: Any, replicates: int) -> list[list[float]]:
    """Difference of F1, ends of its paired interval and p under each of the five schemes.

    >>> outcome = metrics.Outcome.from_columns(list("aabb"), list("aabb"), second=list("aaaa"))
    >>> len(_paired_ends(outcome, None, 50)), _paired_ends(outcome, None, 50)[0][0]
    (5, 0.5)
    """
    policy = {"schemes": metrics.SCHEMES, "classes_of": outcome, "negative": negative}
    score, rng = partial(metrics.averages, **policy), np.random.default_rng(SEED)
    test = metrics.paired_bootstrap(outcome, outcome.of("second"), score, rng, replicates)
    return np.stack([test.value, test.low, test.high, test.p], -1).round(6).tolist()


def _neighbours(tables: Mapping[str, metrics.Outcome], negative: Any) -> list[tuple[str, str]]:
    """Pairs of systems that stand side by side in the ranking of any of the five schemes, the better first.

    >>> said = {"x": list("aab"), "y": list("bba")}
    >>> tables = {name: metrics.Outcome.from_columns(list("aab"), column) for name, column in said.items()}
    >>> _neighbours(tables, None)
    [('x', 'y')]
    """
    score = partial(metrics.averages, schemes=metrics.SCHEMES, negative=negative)
    scores = pd.DataFrame({name: score(table) for name, table in tables.items()})
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for _, under_scheme in scores.iterrows():
        for pair in pairwise((-under_scheme).sort_values(kind="stable").index):
            pairs.setdefault(frozenset(pair), pair)
    return list(pairs.values())


def write_neighbours(replicates: int = REPLICATES) -> Path:
    """Compute the paired intervals of all neighbours among the published systems; atomically.

    Raises MissingData if the published prediction files are not here.
    """
    frame = tacred_predictions("test")
    models = frame.drop(columns=["id", *TACRED_KEYS.values()])
    labels = tuple(frame["gold"].cat.categories)
    sets = {name: (frame[gold], models, labels, "no_relation") for name, gold in TACRED_KEYS.items()}
    key = semeval_key()
    answers = {name: join_semeval_answers(locate(file), key) for name, file in SEMEVAL_SYSTEMS.items()}
    columns = {name: answer["predicted"] for name, answer in answers.items()}
    sets["semeval2010"] = (answers["CNN"]["gold"], columns, SEMEVAL_RELATIONS, "Other")
    lines = {name: ",\n".join(_lines(*given, replicates)) for name, given in sets.items()}
    text = ",\n".join(f"{json.dumps(name)}: [\n{rows}\n]" for name, rows in lines.items())
    return write_atomically(PAIRS, f"{{\n{text}\n}}\n")


def _lines(gold: Any, columns: Any, labels: Sequence[str], negative: str, replicates: int) -> Iterator[str]:
    """The neighbours of a test set as JSON, a line each. columns : system → predicted labels."""
    tables = {name: metrics.Outcome.from_columns(gold, columns[name], labels=labels) for name in columns}
    for first, second in _neighbours(tables, negative):
        outcome = metrics.Outcome.from_columns(gold, columns[first], second=columns[second], labels=labels)
        row = {"first": first, "second": second, "d": _paired_ends(outcome, negative, replicates)}
        yield json.dumps(row, separators=(",", ":"))
