"""The columns of a JSON-lines or a Parquet file as text, as `delimited` does it for CSV.

Integers become text (`3` → "3"); other values are refused with their line or row. JSON lines are read by
Arrow, and by Python's `json`, which knows the line, where Arrow fails. What the columns mean is decided
elsewhere.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json
import pyarrow.parquet

from helpers.data.errors import MalformedRecord
from helpers.data.text import TEXT, byte_fault, first_row, has_blank, is_blank, utf8_fault


class JsonLines:
    """A file with one JSON object a line: `names` are the fields of the first object.

    Raises
    ------
    MalformedRecord : the file is empty or not UTF-8, or its first line is no JSON object.

    >>> file = JsonLines("a.jsonl", b'{"id": 7, "gold": "NA"}')
    >>> file.names, file.read(["id", "gold"], "id").to_pylist()
    (['id', 'gold'], [{'id': '7', 'gold': 'NA'}])
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        self.path, self.content = path, content
        offset = utf8_fault(content)
        if offset is not None:
            line, reason = byte_fault(content, offset)
            raise MalformedRecord(path, reason, line)
        _, self.first = next(self.objects(), (1, None))
        if not self.first:
            raise MalformedRecord(path, "there is no JSON object in the file", 1)
        self.names = list(self.first)

    def objects(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The objects, each with its line; blank lines hold none. Slow.

        Raises
        ------
        MalformedRecord : a line is no JSON object.
        """
        start = 3 if self.content.startswith(b"\xef\xbb\xbf") else 0
        for number, line in enumerate(_lines(self.content, start), start=1):
            if not line.strip():
                continue
            try:
                found = json.loads(line)
            except json.JSONDecodeError as error:
                reason = f"no valid JSON at character {error.pos}: {error.msg}"
                raise MalformedRecord(self.path, reason, number) from error
            if not isinstance(found, dict):
                raise MalformedRecord(self.path, f"a JSON object is expected, not {found!r}", number)
            yield number, found

    def read(self, columns: Sequence[str], identifiers: str | None = None) -> pa.Table:
        """The named fields as text: codes and distinct labels, or plain strings for identifiers.

        Raises
        ------
        MalformedRecord : a line is no JSON object, a field is missing, empty, or neither text nor an integer.
        """
        try:
            table = self._arrow(columns)
        except pa.ArrowInvalid:
            return _as_text(self._slow(columns), identifiers)
        table = _as_text(table, identifiers)
        return _as_text(self._slow(columns), identifiers) if any(map(has_blank, table.columns)) else table

    def _arrow(self, columns: Sequence[str]) -> pa.Table:
        """The fields, with the types that the first object shows; any other type further down is an error."""
        whole = {column for column in columns if type(self.first.get(column)) is int}
        schema = pa.schema([(column, pa.int64() if column in whole else pa.string()) for column in columns])
        options = pyarrow.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        return pyarrow.json.read_json(pa.BufferReader(self.content), parse_options=options)

    def _slow(self, columns: Sequence[str]) -> pa.Table:
        values: dict[str, list[str]] = {column: [] for column in columns}
        for line, found in self.objects():
            for column in columns:
                values[column].append(self._label(found, line, column))
        return pa.table({column: pa.array(labels, pa.string()) for column, labels in values.items()})

    def _label(self, found: dict[str, Any], line: int, column: str) -> str:
        value = found.get(column)
        if type(value) is int:
            return str(value)
        if value is None or value == "" or (isinstance(value, str) and is_blank(value)):
            reason = "the field is empty" if column in found else "the field is missing"
            raise MalformedRecord(self.path, reason, line, column)
        if not isinstance(value, str):
            reason = f"a label is text or an integer, not {json.dumps(value)[:60]}"
            raise MalformedRecord(self.path, reason, line, column)
        return value

    def line(self, row: int) -> int:
        """The line of a row (from 0) of the table."""
        return next(line for index, (line, _) in enumerate(self.objects()) if index == row)


def _lines(content: bytes, start: int) -> Iterator[bytes]:
    while start < len(content):
        end = content.find(b"\n", start)
        end = len(content) if end < 0 else end
        yield content[start:end]
        start = end + 1


class Parquet:
    """A Parquet file: `names` are its columns.

    Raises
    ------
    MalformedRecord : the file is no whole Parquet file.
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        self.path, self.content = path, content
        try:
            self.names = pyarrow.parquet.read_schema(pa.BufferReader(content)).names
        except (pa.ArrowException, OSError) as error:
            raise MalformedRecord(path, f"this is no whole Parquet file ({error})") from error

    def read(self, columns: Sequence[str], identifiers: str | None = None) -> pa.Table:
        """The named columns as text: codes and distinct labels, or plain strings for identifiers.

        Raises
        ------
        MalformedRecord : a column is neither text nor integers; a cell is empty (its row is named, from 1).
        """
        coded = [column for column in columns if column != identifiers]
        try:
            table = pyarrow.parquet.read_table(
                pa.BufferReader(self.content), columns=list(columns), read_dictionary=coded
            )
        except (pa.ArrowException, OSError) as error:
            raise MalformedRecord(self.path, f"the file cannot be read ({error})") from error
        for name, column in zip(table.column_names, table.columns, strict=True):
            if not _is_label_type(column.type):
                reason = f"labels are text or integers, not {column.type}"
                raise MalformedRecord(self.path, reason, column=name)
        table = _as_text(table, identifiers)
        for name, column in zip(table.column_names, table.columns, strict=True):
            row = first_row(column, is_blank) if has_blank(column) else None
            if row is not None:
                raise MalformedRecord(self.path, f"the cell of row {row + 1} is empty", column=name)
        return table

    def line(self, row: int) -> None:
        """A Parquet file has no lines."""


def _is_label_type(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    tests = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_integer)
    return any(test(kind) for test in tests)


def _as_text(table: pa.Table, identifiers: str | None) -> pa.Table:
    columns = {
        name: column.cast(pa.string()) if name == identifiers else _encoded(column)
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


def _encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as `TEXT`; only the distinct values are cast, not every cell."""
    chunks = [
        pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), chunk.dictionary.cast(pa.string()))
        for chunk in column.dictionary_encode().chunks
    ]
    return pa.chunked_array(chunks, TEXT)
