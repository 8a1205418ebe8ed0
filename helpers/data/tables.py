"""Anybody's table as rows and columns: CSV, TSV, JSON, JSON lines, Parquet and lists of labels, also gzipped.

The `rows` of a source define what a file means, and know line and column of a fault; columns are made of
them. Only Parquet needs Arrow; large prediction files are counted by DuckDB (`engines`). Cells stay text:
`NA`, `None`, `null` and `007` are labels like any other, never blank. Only columns that are asked for as
numbers become some.
"""

from __future__ import annotations

import contextlib
import csv
import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .. import core
from ..core import MalformedRecord, listing, naming_file, shown, visible
from .columns import Coded, label_of

DELIMITERS = {"csv": ",", "tsv": "\t"}
STANDARD_INPUT, INPUT_NAME = "-", "standard input"
Row = dict[str, Any]


class Source:
    """A file with columns: `names` are theirs; in those of `may_be_empty` an empty cell is no fault.

    A subclass reads a `form` of file: `_open` finds the names, `_records` gives each row, or the error of a
    line that cannot be read, with its line.
    """

    may_be_empty: Collection[str] = ()
    has_lines = True
    cell = "cell"
    types = ""  # of Parquet

    def __init__(
        self, path: Path | str, form: str = "", content: Any = b"", names: Sequence[str] = ()
    ) -> None:
        self.path, self.form, self.content, self.names = path, form, content, list(names)
        self._open()

    def _open(self) -> None:
        """Find the names of the columns in the content; MalformedRecord where it has none."""

    def _records(self) -> Iterator[tuple[Any, Row | MalformedRecord]]:
        raise NotImplementedError

    def rows(self, on_fault: Callable[[MalformedRecord], None] | None = None) -> Iterator[tuple[Any, Row]]:
        """The line that each row starts on (without lines its number, or None), and its cells by column.

        Blank lines are no rows. The error of a line that cannot be read is raised, or given to `on_fault`,
        and the next line follows.
        """
        for line, row in self._records():
            if not isinstance(row, MalformedRecord):
                yield line, row
            elif on_fault is None:
                raise row
            else:
                on_fault(row)

    def line(self, row: int) -> int | None:
        """The line of a row (from 0); None where the form has no lines. Slow."""
        lines = (line for index, (line, _) in enumerate(self.rows()) if index == row)
        return next(lines, None) if self.has_lines else None

    def where(self, row: int) -> str:
        """The line of a row (from 0) in words; where the form has no lines its number, from 1. Slow."""
        line = self.line(row)
        return f"row {row + 1}" if line is None else f"line {line}"

    def column(self, name: str, role: str = "") -> str:
        """The name of a column, which has to be there once. Raises ValueError with the columns there are."""
        if self.names.count(name) == 1:
            return name
        problem = "occurs more than once" if name in self.names else "does not exist"
        hint = f"{core.did_you_mean(name, self.names) or '.'} Columns: {listing(self.names)}"
        raise ValueError(f"{self.path}: column {shown(name)}{role} {problem}{hint}")

    def read(self, columns: Sequence[str], numbers: Collection[str] = ()) -> dict[str, Any]:
        """The named columns: labels and identifiers coded (`Coded`), those in `numbers` (N,) float64.

        Raises
        ------
        MalformedRecord : with its line and column: an empty cell in one of the columns; in one of numbers,
            what is no finite number; or what else the kind of file knows as a fault.
        """
        cells: dict[str, list] = {name: [] for name in columns}
        judged: dict[str, str] = {}  # the same few labels come again and again
        with naming_file(self.path):
            for number, (line, row) in enumerate(self.rows(), start=1):
                for name, column in cells.items():
                    text = row.get(name)
                    if type(text) is str and text in judged and name not in numbers:
                        column.append(judged[text])
                        continue
                    try:
                        column.append(self._value(row, name, name in numbers))
                    except ValueError as error:
                        record, line = ("", line) if self.has_lines else (f"record {number}: ", None)
                        raise MalformedRecord(self.path, f"{record}{error}", line, name) from None
                    if name not in numbers and column[-1]:
                        judged[column[-1]] = column[-1]
        return {
            name: np.array(column, float) if name in numbers else Coded.of(column)
            for name, column in cells.items()
        }

    def _value(self, row: Row, name: str, is_number: bool) -> str | float:
        """The label, or the number, of a cell; ValueError says why it is none."""
        if name not in row:
            raise ValueError(f"the {self.cell} is missing")
        value = row[name]
        blank = value is None or isinstance(value, str) and not value.strip()
        if blank and name in self.may_be_empty:
            return ""
        if blank or not is_number:
            return label_of(value, self.cell)
        if isinstance(value, str) and self.cell == "field":
            raise ValueError(f"a number is expected, not the text {shown(value)}")
        return core.finite_number(value)

    def _check_utf8(self, column_at: Callable[[int], str | None] = lambda offset: None) -> None:
        try:
            self.content.decode()
        except UnicodeDecodeError as error:
            byte, line = error.start, self.content.count(b"\n", 0, error.start) + 1
            said = f"byte {byte} of the file, 0x{self.content[byte]:02x}, is not UTF-8"
            said += "; save the file as UTF-8"
            raise MalformedRecord(self.path, said, line, column_at(byte)) from None


class _Delimited(Source):
    """A CSV or TSV file with a header; quoting follows the CSV rules (`"` around a cell, doubled inside).

    A fault is also a row with too few or too many cells, and a quote that is not closed, after which nothing
    is read.
    """

    def _open(self) -> None:
        self.delimiter = DELIMITERS[self.form]
        self.names = next((row for _, row in self._lines("replace")), [])
        if not self.names:
            empty = "the first line" if self.content.strip() else "the file"
            reason = f"{empty} is empty; a header line with column names is needed"
            raise MalformedRecord(self.path, reason, 1)
        hints = {
            (";", "semicolons"): "save it with commas, in pandas read_csv(F, sep=';').to_csv(F, index=False)",
            ("\t", "tabs"): "say --input-format tsv",
            (",", "commas"): "say --input-format csv",
        }
        for (other, name), hint in hints.items():  # read as it is, it would have one column
            if len(self.names) == 1 and other in self.names[0] and other != self.delimiter:
                reason = f"the header looks separated by {name}: {shown(self.names[0], 60)}"
                raise MalformedRecord(self.path, f"{reason}; {hint}", 1)
        self._check_utf8(self._column_at)

    def _column_at(self, offset: int) -> str:
        """The column that a byte stands in."""
        start = self.content.rfind(b"\n", 0, offset) + 1
        text = io.StringIO(self.content[start : offset + 1].decode("latin-1"), newline="")
        position = len(next(csv.reader(text, delimiter=self.delimiter))) - 1
        return self.names[position] if position < len(self.names) else f"number {position + 1}"

    def _records(self) -> Iterator[tuple[int, Row | MalformedRecord]]:
        width = len(self.names)
        for line, row in self._lines():
            if len(row) == width:
                if line > 1:
                    yield line, dict(zip(self.names, row, strict=True))
            elif row:
                reason = f"{width} cells are expected, found {len(row)}: {shown(row)}"
                yield line, MalformedRecord(self.path, reason + self._comma_hint(row), line)

    def _comma_hint(self, row: Sequence[str]) -> str:
        """What to do about a row whose labels, such as R(e1,e2), were taken apart at their commas."""
        apart = [cell for cell in row if re.search(r"\([^()]*$", cell)]
        if self.delimiter != "," or len(row) <= len(self.names) or not apart:
            return ""
        whole = ",".join(row)[",".join(row).index(apart[0]) :].partition(")")[0] + ")"
        return f'; quote labels that contain commas: "{visible(whole, 60)}"'

    def _lines(self, errors: str = "strict") -> Iterator[tuple[int, list[str]]]:
        """The header and the rows, each with the line it starts on; of a blank line no cells."""
        text: Iterable[str] = io.TextIOWrapper(io.BytesIO(self.content), "utf-8-sig", errors, newline="")
        if b' "' in self.content:
            # A quote behind a blank opens a cell, as for DuckDB, unless it is doubled or closes the cell.
            blank = re.compile(rf'(^|{re.escape(self.delimiter)}) (?="[^"\r\n{re.escape(self.delimiter)}])')
            text = (blank.sub(r"\1", line) for line in text)
        reader = csv.reader(text, delimiter=self.delimiter, strict=True)
        line = 1
        try:
            for row in reader:
                yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            reason = f"the row that begins here cannot be read ({error})"
            raise MalformedRecord(self.path, reason, line) from error


class _JsonLines(Source):
    """A file with one JSON object a line; `names` are the fields of the first. Integers become text.

    A fault is also a line that is no JSON object, or has a key twice; a field that is missing or neither text
    nor an integer.
    """

    cell = "field"

    def _open(self) -> None:
        self._check_utf8()
        self.names = list(next((row for _, row in self.rows()), ()))
        if not self.names:
            raise MalformedRecord(self.path, "there is no JSON object in the file", 1)

    def _records(self) -> Iterator[tuple[int, Row | MalformedRecord]]:
        for number, line in enumerate(io.BytesIO(self.content.removeprefix(b"\xef\xbb\xbf")), start=1):
            if not line.strip():
                continue
            try:
                row = json_value(line.decode())
                reason = f"a JSON object is expected, not {shown(row)}"
            except ValueError as error:
                row, reason = None, str(error)
            yield number, row if isinstance(row, dict) else MalformedRecord(self.path, reason, number)


class _JsonDocument(_JsonLines):
    """One JSON document: a list of records (as TACRED has them), an object of columns, or a list of labels.

    A list of labels has the column `label`. A column whose rows have keys, as pandas' `to_json` writes it, is
    refused. Otherwise as `_JsonLines`; records are counted from 1.
    """

    has_lines = False

    def _open(self) -> None:
        self._document = self._listed(json_document(self.path, self.content))
        super()._open()

    def _listed(self, document: Any) -> Sequence[Any]:
        """The records of a list, of the rows of columns, or labels, one a record."""
        if isinstance(document, list):
            labels = bool(document) and not isinstance(document[0], dict | list)
            return [{"label": label} for label in document] if labels else document
        columns = document if isinstance(document, dict) else {}
        for name, column in columns.items():
            if isinstance(column, dict):  # by their order, rows of two columns may not be the same
                reason = f"column {shown(name)} has a key for each row; a list for each column is needed, "
                hint = "or a list of records, in pandas to_json(orient='records')"
                raise MalformedRecord(self.path, reason + hint)
        columns = {name: column for name, column in columns.items() if isinstance(column, list)}
        if not columns:
            shapes = "a list of records, an object of columns, or a list of labels"
            raise MalformedRecord(self.path, f"{shapes} is expected, not {shown(document)}")
        if len({len(column) for column in columns.values()}) > 1:
            lengths = ", ".join(f"{shown(name)} has {len(column)}" for name, column in columns.items())
            raise MalformedRecord(self.path, f"the columns have different lengths: {lengths}")
        return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]

    def _records(self) -> Iterator[tuple[int, Row | MalformedRecord]]:
        for number, record in enumerate(self._document, start=1):
            reason = f"record {number} is no JSON object but {shown(record)}"
            yield number, record if isinstance(record, dict) else MalformedRecord(self.path, reason)


class _LabelList(Source):
    """Labels, one a line; or an id, a tab and a label, as in the answer files of SemEval.

    The columns are `label`, or `id` and `label`; blanks around a cell are dropped. Among answers a blank line
    is nothing; in a list without ids it is an error but at the end, since every line there is a sample.
    """

    def _open(self) -> None:
        self._check_utf8()
        self._texts = self.content.decode("utf-8-sig").rstrip().split("\n")
        if self._texts == [""]:
            raise MalformedRecord(self.path, "the file is empty; a label on each line is needed", 1)
        first = next(text for text in self._texts if text.strip())
        if first.lstrip().startswith(('{"', "{'", "[{")):
            kind = "jsonl" if first.lstrip().startswith("{") else "json"
            reason = f"a label is expected on each line, not JSON: name the file .{kind}"
            raise MalformedRecord(self.path, f"{reason}, or say --input-format {kind}", 1)
        self.names = ["id", "label"] if "\t" in first.strip() else ["label"]

    def _records(self) -> Iterator[tuple[int, Row | MalformedRecord]]:
        expected = "a label is" if len(self.names) == 1 else "id, tab and label are"
        for line, text in enumerate(self._texts, start=1):
            cells = [cell.strip() for cell in text.split("\t")]
            if len(cells) == len(self.names) and all(cells):
                yield line, dict(zip(self.names, cells, strict=True))
            elif len(self.names) == 1 or text.strip():
                reason = f"{expected} expected in place of {shown(text, 40)}"
                yield line, MalformedRecord(self.path, reason, line)


class _Parquet(Source):
    """A Parquet file, which has records (in messages from 1) and no lines. Integers become text (3 → "3")."""

    has_lines = False
    cell = "field"

    def _open(self) -> None:
        from pyarrow import BufferReader, parquet

        with self._naming("this is no whole Parquet file"):
            self._file = parquet.ParquetFile(BufferReader(self.content))
        schema = self._file.schema_arrow
        self.names, self.types = schema.names, str(schema.remove_metadata())

    def _records(self) -> Iterator[tuple[None, Row]]:
        with self._naming("the file cannot be read"):
            # without threads: one that has just begun may abort a process that ends
            for batch in self._file.iter_batches(use_threads=False):
                yield from ((None, row) for row in batch.to_pylist())

    @contextlib.contextmanager
    def _naming(self, problem: str) -> Iterator[None]:
        from pyarrow import ArrowException

        try:
            yield
        except (ArrowException, OSError, ValueError) as error:
            raise MalformedRecord(self.path, f"{problem} ({error})") from error


SOURCES: dict[str, Callable[[Path | str, str, Any], Source]] = {
    **dict.fromkeys(DELIMITERS, _Delimited),
    "jsonl": _JsonLines,
    "json": _JsonDocument,
    "parquet": _Parquet,
    "txt": _LabelList,
}
"""Form → the source of a file's content; of its first line only, a source that knows the columns."""


def open_source(path: Path | str, form: str | None = None) -> Source:
    """The file as a source of columns, by the ending of its name; '-' is standard input, read once.

    Parameters
    ----------
    form : one of `SOURCES`, whatever the ending; None: the ending's, and csv for standard input.

    Raises
    ------
    ValueError : an unknown ending or form (the known ones are listed).
    MalformedRecord : the file, or the gzip archive around it, is broken.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "gold.txt")
    ...     _ = path.write_text("per:title\\nno_relation\\n")
    ...     open_source(path).read(["label"])["label"].tolist()
    ['per:title', 'no_relation']
    """
    standard = str(path) == STANDARD_INPUT
    if form is not None and form not in SOURCES:
        raise core.unknown_name("form of input", form, SOURCES)
    form = form or ("csv" if standard else file_kind(path))
    if form not in SOURCES:
        known = ", ".join(f".{kind}" for kind in SOURCES)
        hint = "each also with .gz after it; or say which it is like, --input-format F"
        raise ValueError(f"{path}: unknown ending; known are {known}, {hint}")
    name = Path(INPUT_NAME if standard else path)
    with naming_file(name):
        content = sys.stdin.buffer.read() if standard else core.read_file(path, keep_mark=True)
        return SOURCES[form](name, form, content)


def file_kind(path: Path | str) -> str:
    """The ending of a file's name in lower case, without .gz.

    >>> file_kind("runs/a.CSV.gz")
    'csv'
    """
    return Path(Path(path).name.lower().removesuffix(".gz")).suffix.removeprefix(".")


def is_address(path: str) -> bool:
    """Whether this is an address (s3://, gs://, https://, file://), which only DuckDB reads.

    >>> is_address("s3://bucket/part-*.parquet"), is_address("a.csv")
    (True, False)
    """
    return bool(re.match(r"[a-z][a-z0-9+.-]+://", path))


def file_size(path: str) -> float:
    """Bytes of a file, of an archive and Parquet by a guess of what it holds; 0 if there is none.

    >>> file_size("no/such/file"), file_size("s3://bucket/a.parquet")
    (0, inf)
    """
    if is_address(path):
        return np.inf
    there = core.plain_file(path).stat().st_size if os.path.exists(path) else 0
    packed = {".gz": 8, ".parquet": 32}.get(os.path.splitext(path.lower())[1], 1)
    return packed * there


def _distinct_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; ValueError for a key that is there twice."""
    record = dict(pairs)
    if len(record) < len(pairs):
        (key, _), *_ = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"key {shown(key)} is there twice")
    return record


def json_value(text: str, pairs: Callable = _distinct_keys) -> Any:
    """The value of a JSON text; `pairs` makes an object of its pairs.

    Raises ValueError, with the column, for what is no JSON; for a key that is there twice.

    >>> json_value('{"gold": "a", "gold": "b"}')
    Traceback (most recent call last):
    ValueError: key 'gold' is there twice
    """
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except json.JSONDecodeError as error:
        raise ValueError(f"no valid JSON at column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def json_document(path: Path | str, content: bytes | None = None, pairs: Callable = _distinct_keys) -> Any:
    """The one JSON value of a file, whose content may be known; `pairs` as of `json_value`.

    Raises MalformedRecord for what is none, with the line where it breaks off; for a key that is there twice.
    """
    content = core.read_file(path) if content is None else content
    try:
        return json_value(content.decode("utf-8-sig"), pairs)
    except ValueError as error:  # also not UTF-8, or a number of thousands of digits
        raise MalformedRecord(path, str(error), getattr(error.__cause__, "lineno", None)) from error
