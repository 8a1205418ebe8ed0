"""What a cell may hold: labels are text or integers and never blank, numbers are finite.

Each rule is written for a column, of which the first row with a fault is found; of coded labels each distinct
one is judged once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import MalformedRecord, abridged, shown

if TYPE_CHECKING:
    import pyarrow as pa


def first_row(column: pa.ChunkedArray, fault: Callable[[str | None], bool]) -> int | None:
    """The first row (from 0) whose value has a fault, or None; a label that is coded is judged once.

    >>> import pyarrow as pa
    >>> first_row(pa.chunked_array([["NA", "a"], ["b"]]).dictionary_encode(), lambda label: label == "b")
    2
    """
    import pyarrow as pa

    if column.null_count or not pa.types.is_dictionary(column.type):
        return next((row for row, value in enumerate(column.to_pylist()) if fault(value)), None)
    start = 0
    for chunk in column.chunks:
        odd = [code for code, label in enumerate(chunk.dictionary.to_pylist()) if fault(label)]
        found = np.isin(np.from_dlpack(chunk.indices), odd) if odd else np.zeros(1, bool)
        if found.any():
            return start + int(found.argmax())
        start += len(chunk)
    return None


def blank_row(column: pa.ChunkedArray) -> int | None:
    """The first row (from 0) whose cell is missing, empty, or holds blanks only; or None.

    >>> import pyarrow as pa
    >>> blank_row(pa.chunked_array([["NA", " "]])), blank_row(pa.chunked_array([["NA", "None"]]))
    (1, None)
    """
    import pyarrow as pa

    if not column.null_count and not pa.types.is_dictionary(column.type):
        import pyarrow.compute as pc

        if pc.min(pc.binary_length(pc.utf8_trim_whitespace(column))).as_py() != 0:
            return None
    return first_row(column, lambda value: value is None or not value.strip())


def odd_row(column: pa.ChunkedArray) -> int | None:
    """The first row (from 0) of a column of numbers whose cell is missing, nan or infinite; or None.

    >>> import pyarrow as pa
    >>> odd_row(pa.chunked_array([[0.5], [float("inf")]])), odd_row(pa.chunked_array([[0.5, None]]))
    (1, 1)
    """
    odd = ~np.isfinite(column.to_numpy())
    return int(odd.argmax()) if odd.any() else None


def label_of_json(value: Any) -> str:
    """The label that a JSON value stands for; ValueError says why it is none.

    >>> label_of_json(7), label_of_json("NA")
    ('7', 'NA')
    """
    if type(value) is int:
        return str(value)
    if value is None or (isinstance(value, str) and not value.strip()):
        raise ValueError("the field is empty")
    if not isinstance(value, str):
        raise ValueError(f"a label is text or an integer, not {abridged(json.dumps(value), 80)}")
    if any("\ud800" <= letter <= "\udfff" for letter in value):
        raise ValueError(f"{shown(value)} holds half a character (an unpaired surrogate)")
    return value


def check_types(path: Path | str, schema: pa.Schema, numbers: Collection[str] = ()) -> None:
    """MalformedRecord for a column of a Parquet file that holds neither text nor integers, or no numbers.

    >>> import pyarrow as pa
    >>> check_types("a.parquet", pa.schema({"gold": pa.float64()}))
    Traceback (most recent call last):
    helpers.core.errors.MalformedRecord: a.parquet, column 'gold': labels are text or integers, not double
    """
    import pyarrow as pa

    for field in schema:
        if field.name in numbers:
            if not pa.types.is_floating(field.type) and not pa.types.is_integer(field.type):
                raise MalformedRecord(path, f"numbers are needed, not {field.type}", column=field.name)
            continue
        kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
        text = (pa.string(), pa.large_string(), pa.string_view())
        if kind not in text and not pa.types.is_integer(kind):
            reason = f"labels are text or integers, not {field.type}"
            raise MalformedRecord(path, reason, column=field.name)
