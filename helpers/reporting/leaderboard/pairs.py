"""Paired intervals of two systems: of joint outcomes that are stored, and of neighbours in a ranking.

A joint outcome (gold × first × second) of two systems is needed for a paired interval; those of all
neighbours would fill megabytes. What follows from them is stored instead: difference, interval and p under
each scheme, computed where the published prediction files are (`write_neighbours`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ... import ROOT
from ...core import SEMEVAL_RELATIONS, read_file, write_atomically
from ...data import join_semeval_answers, locate, semeval_key, tacred_predictions
from ...evaluation import SEMEVAL_SYSTEMS, system_title
from ...metrics import SCHEMES, Outcome, averages, paired_bootstrap
from ...runs import Run
from .checks import TACRED_KEYS
from .measures import REPLICATES, SEED

PAIRS = ROOT / "results" / "leaderboard" / "pairs.json"


def paired_differences(
    name: str, joint: Sequence[Run], systems: Sequence[Mapping[str, Any]], replicates: int
) -> list[dict[str, Any]]:
    """Pairs of systems of a test set: `a`, `b` (their places) and `d`, under each scheme `_paired_ends`."""
    place_of = {system["name"]: place for place, system in enumerate(systems) if system["seed"] is None}
    stored = json.loads(read_file(PAIRS)) if PAIRS.exists() else {}
    rows = [(row["first"], row["second"], row["d"]) for row in stored.get(name, ())]
    for run in joint if replicates else ():
        first, outcome = run.model.removesuffix(f"+{run.second}"), run.outcome()
        rows.append((first, run.second, _paired_ends(outcome, run.negative, replicates)))
    places = [(place_of.get(system_title(a)), place_of.get(system_title(b)), d) for a, b, d in rows]
    known = {(a, b): {"a": a, "b": b, "d": d} for a, b, d in places if None not in (a, b)}
    return list(known.values())


def _paired_ends(outcome: Outcome, negative: Any, replicates: int) -> list[list[float]]:
    """Difference of F1, ends of its paired interval and p under each of the five schemes.

    >>> outcome = Outcome.from_columns(list("aabb"), list("aabb"), second=list("aaaa"))
    >>> len(_paired_ends(outcome, None, 50)), _paired_ends(outcome, None, 50)[0][0]
    (5, 0.5)
    """
    test = paired_bootstrap(
        outcome,
        outcome.of("second"),
        lambda table: averages(table, SCHEMES, classes_of=outcome, negative=negative),
        np.random.default_rng(SEED),
        replicates,
    )
    return np.stack([test.difference, test.low, test.high, test.p], -1).round(6).tolist()


def _neighbours(tables: Mapping[str, Outcome], negative: Any) -> list[tuple[str, str]]:
    """Pairs of systems that stand side by side in the ranking of any of the five schemes, the better first.

    >>> said = {"x": list("aab"), "y": list("bba")}
    >>> tables = {name: Outcome.from_columns(list("aab"), column) for name, column in said.items()}
    >>> _neighbours(tables, None)
    [('x', 'y')]
    """
    scores = np.stack([averages(table, SCHEMES, negative=negative) for table in tables.values()])
    names = list(tables)
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for column in scores.T:
        for pair in pairwise(names[index] for index in np.argsort(-column, kind="stable")):
            pairs.setdefault(frozenset(pair), pair)
    return list(pairs.values())


def write_neighbours(replicates: int = REPLICATES, path: Path | str = PAIRS) -> Path:
    """Compute the paired intervals of all neighbours among the published systems; atomically.

    Raises MissingData if the published prediction files are not here.
    """
    frame = tacred_predictions("test")
    models = [column for column in frame if column not in ("id", *TACRED_KEYS.values())]
    labels = tuple(frame["gold"].cat.categories)
    texts = {
        dataset: _lines(frame[gold], frame[models], labels, "no_relation", replicates)
        for dataset, gold in TACRED_KEYS.items()
    }
    key = semeval_key()
    answers = {name: join_semeval_answers(locate(file), key) for name, file in SEMEVAL_SYSTEMS.items()}
    gold = next(iter(answers.values()))["gold"]
    columns = {name: answer["predicted"] for name, answer in answers.items()}
    texts["semeval2010"] = _lines(gold, columns, SEMEVAL_RELATIONS, "Other", replicates)
    text = ",\n".join(f"{json.dumps(name)}: [\n{lines}\n]" for name, lines in texts.items())
    return write_atomically(path, f"{{\n{text}\n}}\n")


def _lines(gold: Any, columns: Any, labels: Sequence[str], negative: str, replicates: int) -> str:
    """The neighbours of a test set as JSON, a line each. columns : system → predicted labels."""
    tables = {name: Outcome.from_columns(gold, columns[name], labels=labels) for name in columns}
    lines = []
    for first, second in _neighbours(tables, negative):
        outcome = Outcome.from_columns(gold, columns[first], second=columns[second], labels=labels)
        row = {"first": first, "second": second, "d": _paired_ends(outcome, negative, replicates)}
        lines.append(json.dumps(row, separators=(",", ":")))
    return ",\n".join(lines)
