"""The columns of a CSV or TSV file as text: fast if the file is sound, with the line of the fault if not.

Arrow reads the columns in parallel but says little when it fails; then Python's `csv`, which knows the line,
reads the file again. Cells stay text: `NA`, `None`, `null` and `3` are labels like any other. Quoting follows
the CSV rules (`"` around a cell, doubled inside). What the columns mean is decided elsewhere.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv

from helpers.data.errors import MalformedRecord
from helpers.data.text import TEXT, byte_fault, has_blank, utf8_fault


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
