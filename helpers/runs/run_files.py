"""The JSON of a run file: how it is laid out, and what makes it well formed.

Metadata are indented, one key a line; the rows of the outcome stand several in a line. The same run always
gives the same text, so a difference between two files is a difference between two runs. What a run means is
said in `runs`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SCHEMA_VERSION = 1

COLUMNS = (
    ["gold", "predicted"],
    ["gold", "predicted", "predicted_paired"],
    ["gold", "predicted", "predicted_second"],
)
WIDTH = 100
TEXT, NUMBER, TABLE, ROW_LIST = (str,), (int, float), (dict,), (list,)
NOTHING = type(None)

TYPES: dict[str, tuple[type, ...]] = {
    "schema_version": (int,),
    "dataset": TEXT,
    "split": TEXT,
    "files": TABLE,
    "model": TEXT,
    "encoder": (str, NOTHING),
    "encoder_sha256": (str, NOTHING),
    "seed": (int, NOTHING),
    "profile": (str, NOTHING),
    "hyperparameters": TABLE,
    "source": TEXT,
    "environment": TABLE,
    "wall_seconds": (*NUMBER, NOTHING),
    "sentences_per_second": (*NUMBER, NOTHING),
    "history": TABLE,
    "labels": ROW_LIST,
    "negative": (str, int, NOTHING),
    "columns": ROW_LIST,
    "rows": ROW_LIST,
}
"""Keys of a run file, in their order, and the JSON types they may have."""
OPTIONAL = {"history"}
"""Keys that are left out when they are empty: predictions that were read have no history."""


def render(record: Mapping[str, Any]) -> str:
    """The text of a run file: `rows` last, several in a line; inner tables sorted; a newline at the end.

    >>> print(render({"model": "m", "rows": [[0, 0, 3], [0, 1, 2]]}))
    {
      "model": "m",
      "rows": [
        [0, 0, 3], [0, 1, 2]
      ]
    }
    <BLANKLINE>
    """
    head = [f"  {json.dumps(key)}: {_indented(value)}" for key, value in record.items() if key != "rows"]
    body = ",\n".join(f"    {line}" for line in _row_lines(record["rows"]))
    rows = f'  "rows": [\n{body}\n  ]' if body else '  "rows": []'
    return "{\n" + ",\n".join([*head, rows]) + "\n}\n"


def _indented(value: Any) -> str:
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return text.replace("\n", "\n  ")


def _row_lines(rows: Sequence[Sequence[int]]) -> list[str]:
    lines: list[str] = []
    for row in rows:
        text = json.dumps(row)
        if lines and len(lines[-1]) + len(text) + 2 <= WIDTH:
            lines[-1] += f", {text}"
        else:
            lines.append(text)
    return lines


def read_record(path: Path) -> dict[str, Any]:
    """The JSON object in a file. Raises ValueError naming the file, line and column if it is none."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(
            f"{path}, line {error.lineno}, column {error.colno}: not JSON ({error.msg})"
        ) from None
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: not UTF-8 at byte {error.start}") from None
    if not isinstance(record, dict):
        raise ValueError(f"{path}: a run is a JSON object, this is a {type(record).__name__}")
    return record


def check_record(path: Path | str, record: Mapping[str, Any]) -> None:
    """Raise ValueError, naming the file and the key or row, unless `record` is a well-formed run.

    >>> check_record("run.json", {"schema_version": 7})
    Traceback (most recent call last):
        ...
    ValueError: run.json: schema_version is 7; this program reads version 1
    """
    if record.get("schema_version") != SCHEMA_VERSION:
        found = record.get("schema_version")
        raise ValueError(f"{path}: schema_version is {found}; this program reads version {SCHEMA_VERSION}")
    _check_keys(path, record)
    _check_labels(path, record["labels"], record["negative"])
    if record["columns"] not in COLUMNS:
        known = " or ".join(map(str, COLUMNS))
        raise ValueError(f"{path}: columns is {record['columns']}; known are {known}")
    _check_rows(path, record["rows"], len(record["columns"]), len(record["labels"]))


def _check_keys(path: Path | str, record: Mapping[str, Any]) -> None:
    missing, unknown = TYPES.keys() - record.keys() - OPTIONAL, record.keys() - TYPES.keys()
    for what, keys in (("missing", missing), ("unknown", unknown)):
        if keys:
            raise ValueError(f"{path}: {what} key {', '.join(sorted(keys))}")
    for key, value in record.items():
        kinds = TYPES[key]
        if not isinstance(value, kinds) or isinstance(value, bool):
            wanted = " or ".join("null" if kind is NOTHING else kind.__name__ for kind in kinds)
            raise ValueError(f"{path}: {key} is {value!r}; expected {wanted}")
    for name, digest in record["files"].items():
        if not isinstance(digest, str):
            raise ValueError(f"{path}: files[{name!r}] is {digest!r}; expected a sha256 as text")


def _check_labels(path: Path | str, labels: list, negative: str | int | None) -> None:
    seen = set()
    for index, label in enumerate(labels):
        if not isinstance(label, str | int) or isinstance(label, bool):
            raise ValueError(f"{path}: labels[{index}] is {label!r}; a label is a string or an integer")
        if label in seen:
            raise ValueError(f"{path}: labels[{index}] is {label!r}, which is there already")
        seen.add(label)
    if negative is not None and negative not in seen:
        raise ValueError(f"{path}: negative is {negative!r}, which is not in labels")


def _check_rows(path: Path | str, rows: list, columns: int, labels: int) -> None:
    seen = set()
    for index, row in enumerate(rows):
        place = f"{path}: rows[{index}] is {row!r}"
        if not isinstance(row, list) or len(row) != columns + 1:
            raise ValueError(f"{place}; expected {columns} positions and a count")
        if any(type(value) is not int or value < 0 for value in row):
            raise ValueError(f"{place}; positions and counts are non-negative whole numbers")
        if max(row[:-1]) >= labels:
            raise ValueError(f"{place}; positions go from 0 to {labels - 1}")
        if tuple(row[:-1]) in seen:
            raise ValueError(f"{place}; its cell is there already")
        seen.add(tuple(row[:-1]))
