"""Run files of the form before schema version 2: of relations, of label sets, of pairs of label sets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..core import shown

KINDS = {
    ("gold", "predicted"): {"kind": "confusion"},
    ("gold", "predicted", "predicted_paired"): {"kind": "paired", "other": "paired sentence"},
    ("gold", "predicted", "predicted_second"): {"kind": "paired", "other": "second system"},
}


def is_old(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object is a run of the form before 2.

    >>> is_old({"schema_version": 1}), is_old({"first": "a", "second": "b", "rows": []})
    (True, True)
    """
    version = record.get("schema_version", 1 if "first" in record and "second" in record else None)
    return version == 1 and not isinstance(version, bool)


def renewed(record: Mapping[str, Any]) -> dict[str, Any]:
    """The same run in the present form, unchecked. What is missing or of another type stays so.

    >>> renewed({"schema_version": 1, "rows": [], "columns": ["gold", "predicted"], "model": "m"})
    {'model': 'm', 'outcome': {'kind': 'confusion', 'rows': []}}
    """
    found = {key: value for key, value in record.items() if key != "schema_version"}
    if "first" in found:
        return _pair(found)
    return _label_sets(found) if "sets" in found else _relations(found)


def _relations(found: dict[str, Any]) -> dict[str, Any]:
    columns = found.pop("columns", None)
    known = [[*one] for one in KINDS]
    if columns not in known:
        raise ValueError(f"columns is {shown(columns)}; known are {' or '.join(map(str, known))}")
    outcome = dict(KINDS[tuple(columns)])
    if outcome.get("other") == "second system":
        outcome["second"] = str(found.get("model")).rpartition("+")[2]
    return found | {"outcome": outcome | _moved(found, "rows")}


def _label_sets(found: dict[str, Any]) -> dict[str, Any]:
    settings, cost = (_table(found, name) for name in ("settings", "cost"))
    outcome = _moved(found, "decision", "depth", "train_support", "ranking", "sets")
    model, _, variant = str(found.pop("model", "")).partition(" ")
    seed = _table(dict(settings), "parameters").get("random_state")
    return found | {
        **_named(model, variant, seed),
        "files": settings.pop("files", {}),
        "hyperparameters": settings,
        "environment": cost.pop("environment", {}),
        "wall_seconds": _table(dict(cost), "training").get("seconds"),
        "cost": cost,
        "outcome": {"kind": "label_sets"} | outcome,
    }


def _pair(found: dict[str, Any]) -> dict[str, Any]:
    first, second, rows = found.pop("first"), found.pop("second"), found.pop("rows", None)
    outcome = {"kind": "label_sets", "second": second, "pairs": rows}
    return found | _named(f"{first}+{second}") | {"outcome": outcome}


def _named(model: str, variant: str = "", seed: int | None = None) -> dict[str, Any]:
    return {"model": model, "variant": variant, "encoder": "no-encoder", "seed": seed}


def _table(found: dict[str, Any], name: str) -> dict[str, Any]:
    """An object taken out of another one, {} if it is not there."""
    table = found.pop(name, {})
    if not isinstance(table, dict):
        raise ValueError(f"{name} is {shown(table)}; expected an object")
    return dict(table)


def _moved(found: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: found.pop(name) for name in names if name in found}
