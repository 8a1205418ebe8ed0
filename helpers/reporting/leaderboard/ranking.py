"""The ranking of the page as tables: what the browser computes from the counts, computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...core import unknown_name
from ...metrics import SCHEMES, ClassCounts, averages, power


def _find_page_set(data: dict[str, Any], name: str) -> dict[str, Any]:
    """The test set of that name in the data of the page; ValueError lists those there are.

    >>> _find_page_set({"testsets": [{"id": "demo"}]}, "demo")
    {'id': 'demo'}
    """
    testsets = {testset["id"]: testset for testset in data["testsets"]}
    if name not in testsets:
        raise unknown_name("test set", name, testsets)
    return testsets[name]


def ranking_table(data: dict[str, Any], name: str, alpha: float = 0.75) -> pd.DataFrame:
    """F1 of every system of a test set under n^α and the five schemes, fractions; the best under n^α first.

    A system with several runs has their mean.

    Index: the systems' names on the page, those of equal scores in the order of the page. data : of
    `page_data`. Raises ValueError for an unknown test set, and for one of ranked facts.

    >>> counts = {"id": "d", "labels": ["a", "b"], "gold": [2, 1], "n": 3, "negative": None, "kind": "labels"}
    >>> data = {"testsets": [counts | {"systems": [{"key": "x", "tp": [2, 0], "pred": [3, 0]}]}]}
    >>> ranking_table(data, "d", 0).round(3).loc["x"].to_dict()["macro"]
    0.4
    """
    schemes = [power(alpha), *SCHEMES]
    table = _averages(data, name, schemes).set_axis([f"n^{alpha:g}", *SCHEMES], axis=1)
    return table.sort_values(table.columns[0], ascending=False, kind="stable")


def alpha_curves(data: dict[str, Any], name: str, systems: Sequence[str]) -> pd.DataFrame:
    """F1 under n^α of some systems, in per cent, with intervals: model, alpha, value, low, high.

    An interval is the mean of those of the system's runs, so `data` needs replicates. Raises as
    `ranking_table`, and KeyError for a system that is not there.
    """
    alphas = np.linspace(0, 1, data["alphaSteps"] + 1)
    values = _averages(data, name, [power(alpha) for alpha in alphas]).loc[list(systems)]
    frames = []
    for system, curve in zip(systems, values.to_numpy(), strict=True):
        runs = [run for run in _find_page_set(data, name)["systems"] if run["key"] == system]
        low, high = np.mean([run["ends"]["alpha"] for run in runs], axis=0)
        ends = 100 * pd.DataFrame({"value": curve, "low": low, "high": high})
        frames.append(ends.assign(model=system, alpha=alphas))
    return pd.concat(frames, ignore_index=True)[["model", "alpha", "value", "low", "high"]]


def _averages(data: dict[str, Any], name: str, schemes: Sequence[Any]) -> pd.DataFrame:
    """F1 of every system under each scheme, the mean over its runs."""
    test_set = _find_page_set(data, name)
    if test_set["kind"] == "facts":
        raise ValueError(f"{name} has ranked facts: there is no F1 of classes")
    runs = test_set["systems"]
    columns = [np.array([run.get(part, test_set["gold"]) for run in runs]) for part in ("tp", "pred", "gold")]
    counts = ClassCounts(*columns, np.full(len(runs), test_set["n"]), tuple(test_set["labels"]))
    policy = {"negative": test_set["negative"]}
    if test_set["kind"] == "sets":
        policy = {"labels": "listed", "negative_in_normaliser": False}
    scores = pd.DataFrame(averages(counts, schemes, **policy), index=[run["key"] for run in runs])
    return scores.groupby(level=0, sort=False).mean()
