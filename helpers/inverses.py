"""The inverse of each label, read from a file, where it is not `(e1,e2)` ↔ `(e2,e1)`.

It says which label the paired sample has; what is scored with it is the business of `scoring`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path

from .data.errors import MalformedRecord
from .data.predictions import open_source

Pairs = Sequence[tuple[str, str]]


def read_inverse(path: Path | str) -> dict[str, str]:
    """The inverse labels of a file: JSON {label: inverse}, or .csv, .tsv, .jsonl, .parquet with columns label
    and inverse.

    A pair may stand there once, in either order, and is returned in both; labels that are not named are their
    own inverse.

    Raises
    ------
    ValueError : with the file, and the line where there is one: a missing column, no JSON object of labels, a
        label with two inverses, no labels.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "inverse.json")
    ...     _ = path.write_text('{"per:parents": "per:children"}')
    ...     read_inverse(path)
    {'per:parents': 'per:children', 'per:children': 'per:parents'}
    """
    pairs, line = _json_pairs(path) if Path(path).suffix.lower() == ".json" else _table_pairs(path)
    both: dict[str, str] = {}
    for row, (label, other) in enumerate(pairs):
        for one, two in ((label, other), (other, label)):
            if both.setdefault(one, two) != two:
                reason = f"label {one!r} has two inverses, {both[one]!r} and {two!r}"
                raise MalformedRecord(path, reason, line(row))
    if not both:
        raise MalformedRecord(path, "there are no labels")
    return both


def _json_pairs(path: Path | str) -> tuple[Pairs, Callable]:
    try:  # a tuple stands for an object, so that a name that occurs twice is seen
        pairs = json.loads(Path(path).read_text(encoding="utf-8-sig"), object_pairs_hook=tuple)
    except ValueError as error:
        raise ValueError(f"{path}: no JSON: {error}") from None
    if not isinstance(pairs, tuple) or not all(isinstance(other, str) for _, other in pairs):
        raise ValueError(f"{path}: has to hold one JSON object that maps labels to labels")
    return pairs, lambda row: None


def _table_pairs(path: Path | str) -> tuple[Pairs, Callable]:
    source, wanted = open_source(path), ("label", "inverse")
    for name in wanted:
        if name not in source.names:
            raise ValueError(f"{path}: no column {name!r}. Columns: {', '.join(source.names)}")
    table = source.read(wanted)
    return list(zip(*(table.column(name).to_pylist() for name in wanted), strict=True)), source.line
