"""Columns of text: the Arrow type of a label column, empty cells, bytes that are not UTF-8.

The columns of a CSV or TSV file as text: fast if the file is sound, with the line of the fault if not.

Arrow reads the columns in parallel but says little when it fails; then Python's `csv`, which knows the line,
reads the file again. Cells stay text: `NA`, `None`, `null` and `3` are labels like any other. Quoting follows
the CSV rules (`"` around a cell, doubled inside). What the columns mean is decided elsewhere.

The columns of a JSON-lines or a Parquet file as text, as `delimited` does it for CSV.

Integers become text (`3` → "3"); other values are refused with their line or row. JSON lines are read by
Arrow, and by Python's `json`, which knows the line, where Arrow fails. What the columns mean is decided
elsewhere.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.json
import pyarrow.parquet

from helpers.core import MalformedRecord, byte_fault, utf8_fault

TEXT = pa.dictionary(pa.int32(), pa.string())
"""A column of labels: codes and the distinct labels."""


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


class Delimited:
    """A CSV or TSV file: `names` are its columns.

    Raises
    ------
    MalformedRecord : the file is empty, or not UTF-8 (with line, column and byte offset).

    >>> file = Delimited("a.tsv", b"id\\tgold\\n7\\tNA\\n", "\\t")
    >>> file.names, file.read(["gold"])["gold"].to_pylist()
    (['id', 'gold'], ['NA'])
    """

    def __init__(self, path: Path | str, content: bytes, delimiter: str) -> None:
        self.path, self.content, self.delimiter = path, content, delimiter
        first = content[: content.find(b"\n") + 1 or len(content)].decode("utf-8-sig", errors="replace")
        self.names = next(self._cells(first), [])
        if not self.names:
            raise MalformedRecord(path, "the file is empty; a header line with column names is needed", 1)
        offset = utf8_fault(content)
        if offset is not None:
            line, reason = byte_fault(content, offset)
            raise MalformedRecord(path, reason, line, self._column_at(offset))

    def _cells(self, text: str) -> Iterator[list[str]]:
        return csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter)

    def _column_at(self, offset: int) -> str:
        start = self.content.rfind(b"\n", 0, offset) + 1
        position = len(next(self._cells(self.content[start : offset + 1].decode("latin-1")))) - 1
        return self.names[position] if position < len(self.names) else f"number {position + 1}"

    def read(self, columns: Sequence[str], identifiers: str | None = None) -> pa.Table:
        """The named columns as text: codes and distinct labels, or plain strings for identifiers.

        Raises
        ------
        MalformedRecord : a row with too few or too many cells, an empty cell in one of the columns, a quote
            that is not closed.
        """
        try:
            table = self._arrow(columns, identifiers)
        except pa.ArrowInvalid as error:
            raise self._first_fault(columns) or MalformedRecord(self.path, str(error)) from error
        if any(has_blank(column) for column in table.columns) or self._rows_unclear(table.num_rows):
            fault = self._first_fault(columns)
            if fault:
                raise fault
        return table

    def _arrow(self, columns: Sequence[str], identifiers: str | None) -> pa.Table:
        kinds = {column: pa.string() if column == identifiers else TEXT for column in columns}
        return pyarrow.csv.read_csv(
            pa.BufferReader(self.content),
            parse_options=pyarrow.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            convert_options=pyarrow.csv.ConvertOptions(
                column_types=kinds, include_columns=list(kinds), null_values=[], strings_can_be_null=False
            ),
        )

    def _rows_unclear(self, rows: int) -> bool:
        """Whether there are quotes and not just one row a line: a quote left open swallows rows silently."""
        return b'"' in self.content and self.content.rstrip().count(b"\n") != rows

    def _first_fault(self, columns: Sequence[str]) -> MalformedRecord | None:
        wanted = [(self.names.index(column), column) for column in columns]
        line = 1
        try:
            for line, row in self.rows():
                if len(row) != len(self.names):
                    reason = f"{len(self.names)} cells are expected, found {len(row)}: {row!r}"
                    return MalformedRecord(self.path, reason, line)
                for position, column in wanted:
                    if not row[position].strip():
                        return MalformedRecord(self.path, "the cell is empty", line, column)
        except csv.Error as error:
            return MalformedRecord(self.path, f"a row after this line cannot be read ({error})", line)
        return None

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows after the header, each with the line it starts on; blank lines are no rows. Slow."""
        text = io.TextIOWrapper(io.BytesIO(self.content), "utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=self.delimiter, strict=True)
        line = 1
        for row in reader:
            if row and line > 1:
                yield line, row
            line = reader.line_num + 1

    def line(self, row: int) -> int:
        """The line of a row (from 0) of the table."""
        return next(line for index, (line, _) in enumerate(self.rows()) if index == row)


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
