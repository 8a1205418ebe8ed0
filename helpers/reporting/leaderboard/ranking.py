"""The ranking of the page as tables: what the browser computes from the counts, computed here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ...core import unknown_name
from ...metrics import ALPHAS, SCHEMES, LabelCounts, averages, power


def find_page_set(data: dict[str, Any], name: str) -> dict[str, Any]:
    """The test set of that name in the data of the page; ValueError lists those there are.

    >>> find_page_set({"testsets": [{"id": "demo"}]}, "demo")
    {'id': 'demo'}
    """
    found = {one["id"]: one for one in data["testsets"]}
    if name not in found:
        raise unknown_name("test set", name, found)
    return found[name]


def ranking_table(data: dict[str, Any], name: str, alpha: float = 0.75) -> pd.DataFrame:
    """F1 of every system of a test set under n^α and the five schemes, fractions; the best under n^α first.

    Index: the systems' names on the page, those of equal scores in the order of the page. data : of
    `page_data`. Raises ValueError for an unknown test set, and for one of ranked facts.

    >>> counts = {"id": "d", "labels": ["a", "b"], "gold": [2, 1], "n": 3, "negative": None, "kind": "labels"}
    >>> data = {"testsets": [counts | {"systems": [{"key": "x", "tp": [2, 0], "pred": [3, 0]}]}]}
    >>> ranking_table(data, "d", 0).round(3).loc["x"].to_dict()["macro"]
    0.4
    """
    schemes = [power(alpha), *SCHEMES]
    found = _averages(data, name, None, schemes)
    table = pd.DataFrame(found, columns=[f"n^{alpha:g}", *SCHEMES])
    table.index = [one["key"] for one in find_page_set(data, name)["systems"]]
    return table.sort_values(table.columns[0], ascending=False, kind="stable")


def alpha_curves(data: dict[str, Any], name: str, systems: Sequence[str]) -> pd.DataFrame:
    """F1 under n^α of some systems, in per cent, as `alpha_spectrum_chart` takes it: model, alpha, value.

    Raises as `ranking_table`, and KeyError for a system that is not there.
    """
    found = _averages(data, name, systems, [power(alpha) for alpha in ALPHAS])
    rows = {"model": np.repeat(list(systems), len(ALPHAS)), "alpha": np.tile(ALPHAS, len(systems))}
    return pd.DataFrame(rows | {"value": 100 * found.ravel()})


def _averages(
    data: dict[str, Any], name: str, systems: Sequence[str] | None, schemes: Sequence[Any]
) -> np.ndarray:
    test_set = find_page_set(data, name)
    if test_set["kind"] == "facts":
        raise ValueError(f"{name} has ranked facts: there is no F1 of classes")
    rows = {one["key"]: one for one in test_set["systems"]}
    chosen = list(rows.values()) if systems is None else [rows[key] for key in systems]
    columns = [
        np.array([one.get(part, test_set["gold"]) for one in chosen]) for part in ("tp", "pred", "gold")
    ]
    n = np.full(len(chosen), test_set["n"])
    counts = LabelCounts(*columns, n, tuple(test_set["labels"]), "")
    if test_set["kind"] == "sets":
        return averages(counts, schemes, labels="listed", negative_in_normaliser=False)
    return averages(counts, schemes, negative=test_set["negative"])
