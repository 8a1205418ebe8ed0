"""Columns of text from CSV, TSV, JSON-lines and Parquet files, plain or gzipped.

Arrow reads a sound file in parallel. Where it fails, Python's `csv` and `json`, which know the line, read the
file again to name the fault. Cells stay text: `NA`, `None`, `null` and `007` are labels like any other. Only
columns that are asked for as numbers become some.
"""

from __future__ import annotations

import array
import contextlib
import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core import (
    MalformedRecord,
    abridged,
    byte_fault,
    did_you_mean,
    finite_number,
    listing,
    naming_file,
    shown,
    utf8_fault,
)
from .cells import blank_row, check_types, label_of_json, odd_row

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1 << 24  # bytes that Arrow parses at a time: a row has to fit into two blocks


class Source:
    """A file with columns: `names` are theirs; in those of `may_be_empty` an empty cell is no fault."""

    names: list[str]
    may_be_empty: Collection[str] = ()

    def __init__(self, path: Path | str, content: bytes) -> None:
        self.path, self.content = path, content

    @classmethod
    def named(cls, path: Path | str, names: Sequence[str]) -> Source:
        """A source without content, of which only the columns are known."""
        source = cls(path, b"")
        source.names = list(names)
        return source

    def read(
        self, columns: Sequence[str], identifiers: str | None = None, numbers: Collection[str] = ()
    ) -> pa.Table:
        """The named columns: codes and distinct labels; plain strings for identifiers; float64 for numbers.

        Parameters
        ----------
        identifiers, numbers : names among `columns`.

        Raises
        ------
        MalformedRecord : with its line and column: an empty cell in one of the columns; in one of numbers,
            what is no finite number; or what else the kind of file knows as a fault.
        """
        with naming_file(self.path):
            return self._read(columns, identifiers, numbers)

    def _read(self, columns: Sequence[str], identifiers: str | None, numbers: Collection[str]) -> pa.Table:
        raise NotImplementedError

    def column(self, name: str, role: str = "") -> str:
        """The name of a column, which has to be there once. Raises ValueError with the columns there are."""
        if self.names.count(name) == 1:
            return name
        problem = "occurs more than once" if name in self.names else "does not exist"
        hint = did_you_mean(name, self.names) or "."
        raise ValueError(
            f"{self.path}: column {shown(name)}{role} {problem}{hint} Columns: {listing(self.names)}"
        )

    def line(self, row: int) -> int | None:
        """The line of a row (from 0) of the table; None where the format has no lines. Slow."""
        return next((line for index, (line, _) in enumerate(self.rows()) if index == row), None)

    def rows(self) -> Iterator[tuple[int, Any]]:
        """The rows, each with the line it starts on; blank lines are no rows. Slow."""
        return iter(())

    def _lines(self) -> int:
        # three times as fast as bytes.count, which stops at each line
        content = np.frombuffer(self.content, np.uint8)
        ends = sum(
            np.count_nonzero(content[start : start + _BLOCK] == ord("\n"))
            for start in range(0, len(content), _BLOCK)
        )
        return int(ends) + (not self.content.endswith(b"\n"))

    def _check_utf8(self, column_at: Callable[[int], str | None] = lambda offset: None) -> None:
        offset = utf8_fault(self.content)
        if offset is not None:
            line, reason = byte_fault(self.content, offset)
            raise MalformedRecord(self.path, reason, line, column_at(offset))


class Delimited(Source):
    """A CSV or TSV file with a header; quoting follows the CSV rules (`"` around a cell, doubled inside).

    `read` also refuses a row with too few or too many cells, and a quote that is not closed.

    Raises
    ------
    MalformedRecord : the file is empty, or not UTF-8 (with line, column and byte offset).

    >>> file = Delimited("a.tsv", b"id\\tgold\\n7\\tNA\\n", "\\t")
    >>> file.names, file.read(["gold"])["gold"].to_pylist()
    (['id', 'gold'], ['NA'])
    """

    def __init__(self, path: Path | str, content: bytes, delimiter: str) -> None:
        super().__init__(path, content)
        self.delimiter = delimiter
        first = content[: content.find(b"\n") + 1 or len(content)].decode("utf-8-sig", errors="replace")
        self.names = next(self._cells(first), [])
        if not self.names:
            raise MalformedRecord(path, "the file is empty; a header line with column names is needed", 1)
        if self.names[-1].endswith("\n"):  # a quote is open: the header goes on
            _, self.names = next(self._records())
        self._check_delimiter()
        self._check_utf8(self._column_at)

    def _check_delimiter(self) -> None:
        """Refuse a file that is separated otherwise: read as it is, it has one column."""
        for other, name in ((";", "semicolons"), ("\t", "tabs")):
            if len(self.names) == 1 and other in self.names[0] and other != self.delimiter:
                reason = f"the header looks separated by {name}: {shown(self.names[0], 60)}"
                hint = "say --input-format tsv"
                if other == ";":
                    hint = "save it with commas, in pandas read_csv(F, sep=';').to_csv(F, index=False)"
                raise MalformedRecord(self.path, f"{reason}; {hint}", 1)

    def _cells(self, text: str) -> Iterator[list[str]]:
        return csv.reader(io.StringIO(text, newline=""), delimiter=self.delimiter)

    def _column_at(self, offset: int) -> str:
        start = self.content.rfind(b"\n", 0, offset) + 1
        position = len(next(self._cells(self.content[start : offset + 1].decode("latin-1")))) - 1
        return self.names[position] if position < len(self.names) else f"number {position + 1}"

    def _read(self, columns: Sequence[str], identifiers: str | None, numbers: Collection[str]) -> pa.Table:
        import pyarrow as pa

        kinds = {
            column: pa.string()
            if column == identifiers
            else pa.float64()
            if column in numbers
            else pa.dictionary(pa.int32(), pa.string())
            for column in columns
        }
        try:
            table, one_line_each = self._arrow(kinds)
        except (pa.ArrowInvalid, pa.ArrowKeyError) as error:  # Arrow may read a spoilt header otherwise
            fault = self._first_fault(columns, numbers)
            if fault or not numbers:
                raise fault or MalformedRecord(self.path, str(error)) from error
            # numbers that Arrow does not take, such as +1
            table = self._read([column for column in columns if column not in numbers], identifiers, ())
            return self._with_numbers(table, columns, numbers)
        if not one_line_each or any(
            (odd_row(column) if name in numbers else blank_row(column)) is not None
            for name, column in zip(table.column_names, table.columns, strict=True)
            if name not in self.may_be_empty
        ):
            fault = self._first_fault(columns, numbers)
            if fault:
                raise fault
        return table

    def _with_numbers(self, table: pa.Table, columns: Sequence[str], numbers: Collection[str]) -> pa.Table:
        import pyarrow as pa

        places = {name: self.names.index(name) for name in numbers}
        values: dict[str, array.array] = {name: array.array("d") for name in numbers}
        for _, row in self.rows():
            for name, place in places.items():
                values[name].append(finite_number(row[place]))
        found = {name: pa.chunked_array([np.frombuffer(own)]) for name, own in values.items()}
        return pa.table({name: found[name] if name in found else table[name] for name in columns})

    def _arrow(self, kinds: Mapping[str, pa.DataType]) -> tuple[pa.Table, bool]:
        """The table, and whether each row is surely one line: a quote left open swallows rows silently."""
        import pyarrow as pa

        if b'"' not in self.content:
            return self._arrow_table(kinds, newlines_in_cells=False), True
        if not any({*name} & {"\n", "\r"} for name in self.names):
            with contextlib.suppress(pa.ArrowInvalid):
                table = self._arrow_table(kinds, newlines_in_cells=False)
                if table.num_rows == self._lines() - 1:
                    return table, True
        return self._arrow_table(kinds, newlines_in_cells=True), False

    def _arrow_table(self, kinds: Mapping[str, pa.DataType], newlines_in_cells: bool) -> pa.Table:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        return arrow_csv.read_csv(
            pa.BufferReader(self.content),
            # threads only where they pay: one that has just begun may abort a process that ends
            read_options=arrow_csv.ReadOptions(block_size=_BLOCK, use_threads=len(self.content) > _BLOCK),
            # blocks are found in parallel where no cell can hold an end of line
            parse_options=arrow_csv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=newlines_in_cells
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=kinds,
                include_columns=list(kinds),
                null_values=[],
                strings_can_be_null=False,
                check_utf8=False,  # the whole file is, and is checked
            ),
        )

    def _first_fault(self, columns: Sequence[str], numbers: Collection[str]) -> MalformedRecord | None:
        wanted = [(self.names.index(column), column) for column in columns]
        try:
            for line, row in self.rows():
                if len(row) != len(self.names):
                    reason = f"{len(self.names)} cells are expected, found {len(row)}: {shown(row)}"
                    return MalformedRecord(self.path, reason + self._comma_hint(row), line)
                for position, column in wanted:
                    if not row[position].strip() and column not in self.may_be_empty:
                        return MalformedRecord(self.path, "the cell is empty", line, column)
                    if column in numbers:
                        try:
                            finite_number(row[position])
                        except ValueError as error:
                            return MalformedRecord(self.path, str(error), line, column)
        except MalformedRecord as fault:
            return fault
        return None

    def _comma_hint(self, row: Sequence[str]) -> str:
        """What to do about a row whose labels, such as R(e1,e2), were taken apart at their commas."""
        apart = [cell for cell in row if re.search(r"\([^()]*$", cell)]
        if self.delimiter != "," or len(row) <= len(self.names) or not apart:
            return ""
        whole = ",".join(row)[",".join(row).index(apart[0]) :].partition(")")[0] + ")"
        return f'; quote labels that contain commas: "{abridged(whole, 60)}"'

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The rows after the header, as `Source.rows`."""
        return ((line, row) for line, row in self._records() if row and line > 1)

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """The header and the rows, each with the line it starts on; of a blank line no cells."""
        text = io.TextIOWrapper(io.BytesIO(self.content), "utf-8-sig", newline="")
        reader = csv.reader(text, delimiter=self.delimiter, strict=True)
        line = 1
        try:
            for row in reader:
                yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            reason = f"the row that begins here cannot be read ({error})"
            raise MalformedRecord(self.path, reason, line) from error


class JsonLines(Source):
    """A file with one JSON object a line; `names` are the fields of the first. Integers become text.

    `read` also refuses a line that is no JSON object, a field that is missing or neither text nor an integer.

    Raises
    ------
    MalformedRecord : the file is empty or not UTF-8, or its first line is no JSON object.

    >>> file = JsonLines("a.jsonl", b'{"id": 7, "gold": "NA"}')
    >>> file.names, file.read(["id", "gold"], "id").to_pylist()
    (['id', 'gold'], [{'id': '7', 'gold': 'NA'}])
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        super().__init__(path, content)
        self._check_utf8()
        self.first: dict[str, Any] = next((found for _, found in self.rows()), {})
        if not self.first:
            raise MalformedRecord(path, "there is no JSON object in the file", 1)
        self.names = list(self.first)

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The objects, as `Source.rows`; MalformedRecord for a line that is none."""
        file = io.BytesIO(self.content)
        file.seek(3 if self.content.startswith(b"\xef\xbb\xbf") else 0)
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                found = json.loads(line.decode())  # of bytes, Python guesses the encoding
            except json.JSONDecodeError as error:
                reason = f"no valid JSON at character {error.pos}: {error.msg}"
                raise MalformedRecord(self.path, reason, number) from error
            except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
                reason = "nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
                raise MalformedRecord(self.path, reason, number) from error
            if not isinstance(found, dict):
                raise MalformedRecord(self.path, f"a JSON object is expected, not {shown(found)}", number)
            yield number, found

    def _read(self, columns: Sequence[str], identifiers: str | None, numbers: Collection[str]) -> pa.Table:
        import pyarrow as pa

        try:
            table = _as_text(self._arrow(columns, numbers), identifiers, numbers)
            sound = (
                one.null_count == 0  # null, or no such field
                if name in self.may_be_empty
                else (odd_row(one) if name in numbers else blank_row(one)) is None
                for name, one in zip(table.column_names, table.columns, strict=True)
            )
            # Arrow also takes objects that go over several lines
            if table.num_rows == self._lines() and all(sound):
                return table
        except pa.ArrowInvalid:
            pass
        return self._read_objects(columns, identifiers, numbers)

    def _read_objects(
        self, columns: Sequence[str], identifiers: str | None, numbers: Collection[str]
    ) -> pa.Table:
        """The columns, object by object: what is at fault is named."""
        import pyarrow as pa

        values: dict[str, list[Any]] = {column: [] for column in columns}
        for line, found in self.rows():
            for column in columns:
                read = self._number if column in numbers else self._label
                values[column].append(read(found, line, column))
        kinds = {column: pa.float64() if column in numbers else pa.string() for column in columns}
        table = pa.table({name: pa.array(own, kinds[name]) for name, own in values.items()})
        return _as_text(table, identifiers, numbers)

    def _arrow(self, columns: Sequence[str], numbers: Collection[str]) -> pa.Table:
        """The fields, with the types that the first object shows; any other type further down is an error."""
        import pyarrow as pa
        from pyarrow import json as arrow_json

        whole = {column for column in columns if type(self.first.get(column)) is int}
        kinds = dict.fromkeys(whole, pa.int64()) | dict.fromkeys(numbers, pa.float64())
        schema = pa.schema([(column, kinds.get(column, pa.string())) for column in columns])
        options = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
        threads = arrow_json.ReadOptions(use_threads=len(self.content) > _BLOCK)
        return arrow_json.read_json(pa.BufferReader(self.content), threads, options)

    def _number(self, found: dict[str, Any], line: int, column: str) -> float:
        value = found.get(column)
        if value is None:
            reason = "the field is empty" if column in found else "the field is missing"
            raise self._fault(reason, line, column)
        if isinstance(value, str):
            raise self._fault(f"a number is expected, not the text {shown(value)}", line, column)
        try:
            return finite_number(value)
        except ValueError as error:
            raise self._fault(str(error), line, column) from error

    def _label(self, found: dict[str, Any], line: int, column: str) -> str:
        value = found.get(column)
        is_blank = value is None or (isinstance(value, str) and not value.strip())
        if is_blank and column in found and column in self.may_be_empty:
            return ""
        try:
            return label_of_json(value)
        except ValueError as error:
            reason = str(error) if column in found else "the field is missing"
            raise self._fault(reason, line, column) from None

    def _fault(self, reason: str, line: int, column: str) -> MalformedRecord:
        return MalformedRecord(self.path, reason, line, column)


class Parquet(Source):
    """A Parquet file, which has rows (in messages from 1) and no lines. Integers become text (3 → "3").

    `read` also refuses a column that holds neither text nor integers.

    Raises
    ------
    MalformedRecord : the file is no whole Parquet file.
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        super().__init__(path, content)
        try:
            self.schema = parquet.read_schema(pa.BufferReader(content))
        except (pa.ArrowException, OSError) as error:
            raise MalformedRecord(path, f"this is no whole Parquet file ({error})") from error
        self.names = self.schema.names

    def _read(self, columns: Sequence[str], identifiers: str | None, numbers: Collection[str]) -> pa.Table:
        import pyarrow as pa
        from pyarrow import parquet

        coded = [column for column in columns if column != identifiers and column not in numbers]
        try:
            table = parquet.read_table(
                pa.BufferReader(self.content),
                columns=list(columns),
                read_dictionary=coded,
                use_threads=len(self.content) > _BLOCK,
                pre_buffer=False,
            )
        except (pa.ArrowException, OSError) as error:
            raise MalformedRecord(self.path, f"the file cannot be read ({error})") from error
        check_types(self.path, table.schema, numbers)
        try:
            for chunk in (chunk for column in table.columns for chunk in column.chunks):
                # of codes, their range and the distinct labels; whole validation takes as long as reading
                if pa.types.is_dictionary(chunk.type):
                    _check_codes(chunk)
                (chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk).validate(full=True)
        except pa.ArrowException as error:
            raise MalformedRecord(self.path, f"a column is damaged ({error})") from error
        table = _as_text(table, identifiers, numbers)
        for name, column in zip(table.column_names, table.columns, strict=True):
            row = odd_row(column) if name in numbers else blank_row(column)
            if row is not None and name not in self.may_be_empty:
                fault = "holds no finite number" if name in numbers and column[row].is_valid else "is empty"
                raise MalformedRecord(self.path, f"the cell of row {row + 1} {fault}", column=name)
        return table


def _check_codes(chunk: pa.DictionaryArray) -> None:
    """Refuse codes of labels that are not in the dictionary: of a damaged file Arrow may read such codes."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.min_max(chunk.indices).as_py()
    if ends["max"] is not None and not 0 <= ends["min"] <= ends["max"] < len(chunk.dictionary):
        raise pa.ArrowInvalid(f"code {ends['max']} of {len(chunk.dictionary)} labels")


def _as_text(table: pa.Table, identifiers: str | None, numbers: Collection[str]) -> pa.Table:
    """Identifiers as strings, labels as codes and strings; only distinct labels are cast, not every cell."""
    import pyarrow as pa

    kind = pa.dictionary(pa.int32(), pa.string())

    def encoded(column: pa.ChunkedArray) -> pa.ChunkedArray:
        chunks = [
            pa.DictionaryArray.from_arrays(chunk.indices.cast(pa.int32()), chunk.dictionary.cast(pa.string()))
            for chunk in column.dictionary_encode().chunks
        ]
        return pa.chunked_array(chunks, kind)

    def converted(name: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
        if name in numbers:
            return column.cast(pa.float64(), safe=False)  # of large integers the nearest float
        return column.cast(pa.string()) if name == identifiers else encoded(column)

    columns = zip(table.column_names, table.columns, strict=True)
    return pa.table({name: converted(name, one) for name, one in columns})
