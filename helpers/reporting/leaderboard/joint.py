"""Paired intervals of systems that stand side by side in a ranking.

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
from ...core import SEMEVAL_RELATIONS, write_atomically
from ...data import join_semeval_answers, locate, semeval_key, tacred_predictions
from ...evaluation import SEMEVAL_SYSTEMS
from ...metrics import SCHEMES, Outcome, averages, paired_bootstrap
from .checks import TACRED_KEYS
from .measures import REPLICATES, SEED

PAIRS = ROOT / "results" / "leaderboard" / "pairs.json"


def paired_ends(outcome: Outcome, negative: Any, replicates: int) -> list[list[float]]:
    """Difference of F1, ends of its paired interval and p under each of the five schemes.

    >>> outcome = Outcome.from_columns(list("aabb"), list("aabb"), second=list("aaaa"))
    >>> len(paired_ends(outcome, None, 50)), paired_ends(outcome, None, 50)[0][0]
    (5, 0.5)
    """
    test = paired_bootstrap(
        outcome,
        outcome.of("second"),
        lambda table: averages(table, SCHEMES, classes_of=outcome, negative=negative),
        np.random.default_rng(SEED),
        replicates,
    )
    rows = np.stack([test.difference, test.low, test.high, test.p], -1).tolist()
    return [[round(value, 6) for value in row] for row in rows]


def neighbours(tables: Mapping[str, Outcome], negative: Any) -> list[tuple[str, str]]:
    """Pairs of systems that stand side by side in the ranking of any of the five schemes, the better first.

    >>> said = {"x": list("aab"), "y": list("bba")}
    >>> tables = {name: Outcome.from_columns(list("aab"), column) for name, column in said.items()}
    >>> neighbours(tables, None)
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
    rows_of: dict[str, list[dict[str, Any]]] = {}
    frame = tacred_predictions("test")
    models = [column for column in frame if column not in ("id", *TACRED_KEYS.values())]
    labels = tuple(frame["gold"].cat.categories)
    for dataset, gold in TACRED_KEYS.items():
        columns = {model: frame[model] for model in models}
        rows_of[dataset] = _rows(frame[gold], columns, labels, "no_relation", replicates)
    key = semeval_key()
    answers = {name: join_semeval_answers(locate(file), key) for name, file in SEMEVAL_SYSTEMS.items()}
    gold = next(iter(answers.values()))["gold"]
    columns = {name: answer["predicted"] for name, answer in answers.items()}
    rows_of["semeval2010"] = _rows(gold, columns, SEMEVAL_RELATIONS, "Other", replicates)
    text = ",\n".join(f"{json.dumps(name)}: [\n{_lines(rows)}\n]" for name, rows in rows_of.items())
    return write_atomically(path, f"{{\n{text}\n}}\n")


def _lines(rows: Sequence[Mapping[str, Any]]) -> str:
    return ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)


def _rows(
    gold: Any, columns: Mapping[str, Any], labels: Sequence[str], negative: str, replicates: int
) -> list[dict[str, Any]]:
    tables = {name: Outcome.from_columns(gold, column, labels=labels) for name, column in columns.items()}
    rows = []
    for first, second in neighbours(tables, negative):
        outcome = Outcome.from_columns(gold, columns[first], second=columns[second], labels=labels)
        rows.append({"first": first, "second": second, "d": paired_ends(outcome, negative, replicates)})
    return rows
