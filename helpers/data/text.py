"""Columns of text: the Arrow type of a label column, empty cells, bytes that are not UTF-8."""

from __future__ import annotations

from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

TEXT = pa.dictionary(pa.int32(), pa.string())
"""A column of labels: codes and the distinct labels."""

_PIECE = 1 << 24


def has_blank(column: pa.ChunkedArray) -> bool:
    """Whether a column of text has a missing cell, an empty one, or one of blanks only.

    >>> has_blank(pa.chunked_array([["NA", " "]])), has_blank(pa.chunked_array([["NA", "None"]]))
    (True, False)
    """
    if column.null_count:
        return True
    if pa.types.is_dictionary(column.type):
        return any(is_blank(label) for chunk in column.chunks for label in chunk.dictionary.to_pylist())
    return bool(pc.any(pc.equal(pc.utf8_trim_whitespace(column), "")).as_py())


def is_blank(value: str | None) -> bool:
    """Whether a cell holds no label."""
    return value is None or not value.strip()


def first_row(column: pa.ChunkedArray, fault: Callable[[str | None], bool]) -> int | None:
    """The first row (from 0) whose value has a fault, or None."""
    return next((row for row, value in enumerate(column.to_pylist()) if fault(value)), None)


def utf8_fault(content: bytes) -> int | None:
    """The offset of the first byte that is not UTF-8, or None. Read piece by piece, so that no copy is made.

    >>> utf8_fault(b"caf\\xe9"), utf8_fault("café".encode())
    (3, None)
    """
    view, start = memoryview(content), 0
    while start < len(content):
        stop = _character_end(content, start + _PIECE)
        try:
            str(view[start:stop], "utf-8")
        except UnicodeDecodeError as error:
            return start + error.start
        start = stop
    return None


def _character_end(content: bytes, place: int) -> int:
    """The first place from `place` on where no character is cut (inside one, bytes are 10xxxxxx)."""
    for end in range(place, min(place + 4, len(content))):
        if content[end] & 0xC0 != 0x80:
            return end
    return min(place, len(content))


def byte_fault(content: bytes, offset: int) -> tuple[int, str]:
    """Line (1-based) and description of a byte that is not UTF-8."""
    reason = f"byte {offset} of the file, 0x{content[offset]:02x}, is not UTF-8; save the file as UTF-8"
    return content.count(b"\n", 0, offset) + 1, reason
