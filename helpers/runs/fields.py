"""The kinds of values in a run file: counts, places, labels, hashes, JSON values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, Strict
from pydantic.dataclasses import dataclass

from ..core import Label, shown

LIMIT = 2**53
"""Counts, and their sum, stay below: every program that reads JSON numbers as doubles gets them exactly."""

record = partial(
    dataclass, frozen=True, kw_only=True, config=ConfigDict(extra="forbid", populate_by_name=True)
)


def plain(value: Any) -> Any:
    """A value as JSON has it: numpy numbers as Python's, tuples as lists.

    Raises ValueError for what JSON cannot hold: other objects, keys that are no text, nan and infinity.

    >>> plain({"rates": (1, 0.5)})
    {'rates': [1, 0.5]}
    """
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if isinstance(value, Mapping) and all(isinstance(key, str) for key in value):
        return {key: plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    raise ValueError(f"{shown(value)} is no JSON value")


def _label(value: object) -> Label:
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValueError("a label is a string or an integer")
    return value


def _table(value: object) -> object:
    return plain(value) if isinstance(value, Mapping) else value


Count = Annotated[int, Strict(), Field(ge=0, lt=LIMIT)]
Place = Annotated[int, Strict(), Field(ge=0, lt=LIMIT)]
Whole = Annotated[int, Strict(), BeforeValidator(plain)]
Number = Annotated[float, Strict(), Field(ge=0, allow_inf_nan=False), BeforeValidator(plain)]
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
Table = Annotated[dict[str, Any], BeforeValidator(_table)]
OneLabel = Annotated[Any, BeforeValidator(_label)]


def check_rows(name: str, rows: Sequence[tuple]) -> int:
    """The sum of the counts, which stand last. Raises ValueError for an entry that is there twice, and for a
    sum that is not below `LIMIT`.

    >>> check_rows("rows", [(0, 0, 5), (0, 0, 2)])
    Traceback (most recent call last):
    ValueError: outcome.rows[1] is (0, 0, 2); its entry is there already
    """
    seen = set()
    for index, row in enumerate(rows):
        if row[:-1] in seen:
            raise ValueError(f"outcome.{name}[{index}] is {shown(row)}; its entry is there already")
        seen.add(row[:-1])
    total = sum(row[-1] for row in rows)
    if total >= LIMIT:
        raise ValueError(f"outcome.{name} adds up to {total}; expected less than 2**53")
    return total
