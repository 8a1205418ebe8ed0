"""Anybody's table as rows and columns: CSV, TSV, JSON, JSON lines, Parquet and lists of labels, also gzipped.

The `rows` of a source define what a file means, and know line and column of a fault; columns are made of
them. Of large files Arrow, where it is installed, reads the same columns (`arrow`); only Parquet needs it.
Cells stay text: `NA`, `None`, `null` and `007` are labels like any other. Only columns that are asked for as
numbers become some.
"""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..core import (
    MalformedRecord,
    abridged,
    byte_fault,
    did_you_mean,
    finite_number,
    listing,
    naming_file,
    read_file,
    shown,
    unknown_name,
    utf8_fault,
)
from .arrow import Wanted, delimited_columns, for_arrow, json_columns, parquet_columns, parquet_schema
from .cells import Coded, as_list, distinct_keys, json_document, label_of_json

DELIMITERS = {"csv": ",", "tsv": "\t"}
FORMS = ("csv", "tsv", "jsonl", "json", "parquet", "txt")
STANDARD_INPUT, INPUT_NAME = "-", "standard input"
Row = dict[str, Any]


def refuse(fault: MalformedRecord) -> None:
    """Raise a fault: what `rows` does with a line that it cannot read, unless the caller goes on."""
    raise fault


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

    def rows(self, on_fault: Callable[[MalformedRecord], None] = refuse) -> Iterator[tuple[int, Row]]:
        """The line that each row starts on, and its cells by column; blank lines are no rows.

        `on_fault` is given the error of a line that cannot be read; if it returns, the next line follows.
        """
        return iter(())

    def line(self, row: int) -> int | None:
        """The line of a row (from 0); None where the form has no lines. Slow."""
        return next((line for index, (line, _) in enumerate(self.rows()) if index == row), None)

    def where(self, row: int) -> str:
        """The line of a row (from 0) in words; where the form has no lines its number, from 1. Slow."""
        line = self.line(row)
        return f"row {row + 1}" if line is None else f"line {line}"

    def label(self, row: Row, name: str) -> str:
        """The text of a cell; ValueError says why it is none."""
        if not row[name].strip() and name not in self.may_be_empty:
            raise ValueError("the cell is empty")
        return row[name]

    def number(self, row: Row, name: str) -> float:
        """The number of a cell; ValueError says why it is none."""
        return finite_number(self.label(row, name))

    def fault(self, line: int, reason: str, column: str) -> MalformedRecord:
        """The error about a cell."""
        return MalformedRecord(self.path, reason, line, column)

    def read(
        self, columns: Sequence[str], identifiers: str | None = None, numbers: Collection[str] = ()
    ) -> dict[str, Any]:
        """The named columns: labels coded (`Coded`); identifiers as texts (`as_list`); numbers as float64.

        Parameters
        ----------
        identifiers, numbers : names among `columns`.

        Raises
        ------
        MalformedRecord : with its line and column: an empty cell in one of the columns; in one of numbers,
            what is no finite number; or what else the kind of file knows as a fault.
        """
        with naming_file(self.path):
            wanted = Wanted(list(dict.fromkeys(columns)), identifiers, numbers, self.may_be_empty)
            return self._arrow(wanted) or self._read(wanted)

    def _read(self, wanted: Wanted) -> dict[str, Any]:
        cells: dict[str, list] = {name: [] for name in wanted.columns}
        readers = [
            (name, self.number if name in wanted.numbers else self.label, column.append)
            for name, column in cells.items()
        ]
        for line, row in self.rows():
            for name, value, keep in readers:
                try:
                    keep(value(row, name))
                except ValueError as error:
                    raise self.fault(line, str(error), name) from None
        coded = {name: Coded.of(cells[name]) for name in wanted.labels()}
        return cells | coded | {name: np.array(cells[name], float) for name in wanted.numbers}

    def _arrow(self, wanted: Wanted) -> Any:
        """The same columns by Arrow, or None."""
        return None

    def column(self, name: str, role: str = "") -> str:
        """The name of a column, which has to be there once. Raises ValueError with the columns there are."""
        if self.names.count(name) == 1:
            return name
        problem = "occurs more than once" if name in self.names else "does not exist"
        hint = did_you_mean(name, self.names) or "."
        raise ValueError(
            f"{self.path}: column {shown(name)}{role} {problem}{hint} Columns: {listing(self.names)}"
        )

    def _check_utf8(self, column_at: Callable[[int], str | None] = lambda offset: None) -> None:
        offset = utf8_fault(self.content)
        if offset is not None:
            line, reason = byte_fault(self.content, offset)
            raise MalformedRecord(self.path, reason, line, column_at(offset))


class Delimited(Source):
    """A CSV or TSV file with a header; quoting follows the CSV rules (`"` around a cell, doubled inside).

    A fault is also a row with too few or too many cells, and a quote that is not closed, after which nothing
    is read.

    Raises
    ------
    MalformedRecord : the file is empty, or not UTF-8 (with line, column and byte offset).

    >>> file = Delimited("a.tsv", b"id\\tgold\\n7\\tNA\\n", "\\t")
    >>> file.names, list(file.rows()), file.read(["gold"])["gold"].tolist()
    (['id', 'gold'], [(2, {'id': '7', 'gold': 'NA'})], ['NA'])
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

    def rows(self, on_fault: Callable[[MalformedRecord], None] = refuse) -> Iterator[tuple[int, Row]]:
        """See `Source.rows`."""
        width = len(self.names)
        for line, row in self._records():
            if len(row) == width:
                if line > 1:
                    yield line, dict(zip(self.names, row, strict=True))
            elif row:
                reason = f"{width} cells are expected, found {len(row)}: {shown(row)}"
                on_fault(MalformedRecord(self.path, reason + self._comma_hint(row), line))

    def _comma_hint(self, row: Sequence[str]) -> str:
        """What to do about a row whose labels, such as R(e1,e2), were taken apart at their commas."""
        apart = [cell for cell in row if re.search(r"\([^()]*$", cell)]
        if self.delimiter != "," or len(row) <= len(self.names) or not apart:
            return ""
        whole = ",".join(row)[",".join(row).index(apart[0]) :].partition(")")[0] + ")"
        return f'; quote labels that contain commas: "{abridged(whole, 60)}"'

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

    def _arrow(self, wanted: Wanted) -> Any:
        if not for_arrow(self.content) or any({*name} & {"\n", "\r"} for name in self.names):
            return None
        return delimited_columns(self.content, self.delimiter, wanted)


class _JsonLines(Source):
    """A file with one JSON object a line; `names` are the fields of the first. Integers become text.

    A fault is also a line that is no JSON object, or has a key twice; a field that is missing or neither text
    nor an integer.

    Raises
    ------
    MalformedRecord : the file is empty or not UTF-8, or its first line is no JSON object.

    >>> file = _JsonLines("a.jsonl", b'{"id": 7, "gold": "NA"}')
    >>> file.names, file.read(["id"], "id")
    (['id', 'gold'], {'id': ['7']})
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        super().__init__(path, content)
        self._check_utf8()
        self.first: dict[str, Any] = next((row for _, row in self.rows()), {})
        if not self.first:
            raise MalformedRecord(path, "there is no JSON object in the file", 1)
        self.names = list(self.first)

    def rows(self, on_fault: Callable[[MalformedRecord], None] = refuse) -> Iterator[tuple[int, Row]]:
        """See `Source.rows`."""
        file = io.BytesIO(self.content)
        file.seek(3 if self.content.startswith(b"\xef\xbb\xbf") else 0)
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            row = reason = None
            try:
                row = json.loads(line.decode(), object_pairs_hook=distinct_keys)  # bytes: encoding guessed
            except json.JSONDecodeError as error:
                reason = f"no valid JSON at character {error.pos}: {error.msg}"
            except RecursionError:  # thousands of brackets
                reason = "nested too deeply"
            except ValueError as error:  # a key that is there twice, or thousands of digits
                reason = str(error)
            if isinstance(row, dict):
                yield number, row
            else:
                reason = reason or f"a JSON object is expected, not {shown(row)}"
                on_fault(MalformedRecord(self.path, reason, number))

    def label(self, row: Row, name: str) -> str:
        """See `Source.label`."""
        value = row.get(name)
        if value is None and name not in row:
            raise ValueError("the field is missing")
        if name in self.may_be_empty and (value is None or (isinstance(value, str) and not value.strip())):
            return ""
        return label_of_json(value)

    def number(self, row: Row, name: str) -> float:
        """See `Source.number`."""
        value = row.get(name)
        if value is None:
            raise ValueError("the field is empty" if name in row else "the field is missing")
        if isinstance(value, str):
            raise ValueError(f"a number is expected, not the text {shown(value)}")
        return finite_number(value)

    def _arrow(self, wanted: Wanted) -> Any:
        if not for_arrow(self.content):
            return None
        return json_columns(self.content, self.first, wanted)


class _JsonDocument(_JsonLines):
    """One JSON document: a list of records (as TACRED has them), an object of columns, or a list of labels.

    A list of labels has the column `label`. `names` are the fields of the first record. A column whose rows
    have keys, as pandas' `to_json` writes it, is refused. Otherwise as `_JsonLines`; records are counted from
    1.

    >>> text = b'{"references": [1, 0], "predictions": [1, 1]}'
    >>> _JsonDocument("a.json", text).read(["references"])["references"].tolist()
    ['1', '0']
    >>> _JsonDocument("a.json", b'[{"id": "7", "relation": "NA", "token": ["Ada"]}]').names
    ['id', 'relation', 'token']
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        Source.__init__(self, path, content)
        self._check_utf8()
        with naming_file(path):
            self._records = _records(json_document(path, content))
        super().__init__(path, content)

    def rows(self, on_fault: Callable[[MalformedRecord], None] = refuse) -> Iterator[tuple[int, Row]]:
        """The records, each with its number."""
        for number, record in enumerate(self._records, start=1):
            if isinstance(record, dict):
                yield number, record
            else:
                on_fault(MalformedRecord(self.path, f"record {number} is no JSON object but {shown(record)}"))

    def line(self, row: int) -> None:
        """None: a record has no line."""
        return None

    def fault(self, line: int, reason: str, column: str) -> MalformedRecord:
        """See `Source.fault`."""
        return MalformedRecord(self.path, f"record {line}: {reason}", column=column)

    def _arrow(self, wanted: Wanted) -> Any:
        return None


def _records(document: Any) -> Sequence[Any]:
    """The document as records; ValueError if it has none of the shapes."""
    if isinstance(document, list):
        labels = bool(document) and not isinstance(document[0], dict | list)
        return [{"label": label} for label in document] if labels else document
    columns = document if isinstance(document, dict) else {}
    for name, column in columns.items():
        if isinstance(column, dict):  # by their order, rows of two columns may not be the same
            raise ValueError(
                f"column {shown(name)} has a key for each row; a list for each column is needed, "
                "or a list of records, in pandas to_json(orient='records')"
            )
    columns = {name: column for name, column in columns.items() if isinstance(column, list)}
    if not columns:
        shapes = "a list of records, an object of columns, or a list of labels"
        raise ValueError(f"{shapes} is expected, not {shown(document)}")
    rows = {name: len(column) for name, column in columns.items()}
    if len(set(rows.values())) > 1:
        lengths = ", ".join(f"{shown(name)} has {n}" for name, n in rows.items())
        raise ValueError(f"the columns have different lengths: {lengths}")
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


class LabelList(Source):
    """Labels, one a line; or an id, a tab and a label, as in the answer files of SemEval.

    The columns are `label`, or `id` and `label`; blanks around a cell are dropped. Among answers a blank line
    is nothing; in a list without ids it is an error but at the end, since every line there is a sample.

    >>> answers = LabelList("answers.txt", b"8001\\tOther\\n")
    >>> answers.names, list(answers.rows())
    (['id', 'label'], [(1, {'id': '8001', 'label': 'Other'})])
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        super().__init__(path, content)
        self._check_utf8()
        self._texts = content.decode("utf-8-sig").rstrip().split("\n")
        if self._texts == [""]:
            raise MalformedRecord(path, "the file is empty; a label on each line is needed", 1)
        first = next(text for text in self._texts if text.strip())
        if first.lstrip().startswith(('{"', "{'", "[{")):
            kind = "jsonl" if first.lstrip().startswith("{") else "json"
            reason = f"a label is expected on each line, not JSON: name the file .{kind}"
            raise MalformedRecord(path, f"{reason}, or say --input-format {kind}", 1)
        self.names = ["id", "label"] if "\t" in first.strip() else ["label"]

    def rows(self, on_fault: Callable[[MalformedRecord], None] = refuse) -> Iterator[tuple[int, Row]]:
        """See `Source.rows`."""
        for line, text in enumerate(self._texts, start=1):
            cells = [cell.strip() for cell in text.split("\t")]
            if len(self.names) == 2 and not text.strip():
                continue
            if len(cells) == len(self.names) and all(cells):
                yield line, dict(zip(self.names, cells, strict=True))
            else:
                expected = "a label is" if len(self.names) == 1 else "id, tab and label are"
                reason = f"{expected} expected in place of {shown(text, 40)}"
                on_fault(MalformedRecord(self.path, reason, line))


class Parquet(Source):
    """A Parquet file, which has rows (in messages from 1) and no lines. Integers become text (3 → "3").

    `read` also refuses a column that holds neither text nor integers.

    Raises
    ------
    MalformedRecord : the file is no whole Parquet file. ModuleNotFoundError : Arrow is not installed.
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        super().__init__(path, content)
        self.schema = parquet_schema(path, content)
        self.names = self.schema.names

    def rows(self, on_fault: Callable[[MalformedRecord], None] = refuse) -> Iterator[tuple[Any, Row]]:
        """The rows without lines, of the columns that hold labels."""
        columns = {}
        for name in self.names:
            try:
                columns[name] = as_list(self.read([self.column(name)])[name])
            except ValueError:
                continue  # of numbers, or there twice
        return ((None, dict(zip(columns, row, strict=True))) for row in zip(*columns.values(), strict=True))

    def line(self, row: int) -> None:
        """None: a row has no line."""
        return None

    def _arrow(self, wanted: Wanted) -> Any:
        return parquet_columns(self.path, self.content, wanted)


def open_source(path: Path | str, form: str | None = None) -> Source:
    """The file as a source of columns, by the ending of its name; '-' is standard input, read once.

    Parameters
    ----------
    form : one of `FORMS`, whatever the ending; None: the ending's, and csv for standard input.

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
    ending = "csv" if standard else file_kind(path)
    if form is not None and form not in FORMS:
        raise unknown_name("form of input", form, FORMS)
    if form is None and ending not in FORMS:
        known = ", ".join(f".{kind}" for kind in FORMS)
        hint = "each also with .gz after it; or say which it is like, --input-format F"
        raise ValueError(f"{path}: unknown ending; known are {known}, {hint}")
    name = Path(INPUT_NAME if standard else path)
    with naming_file(name):
        content = sys.stdin.buffer.read() if standard else read_file(path, keep_mark=True)
        return source_of(name, content, form or ending)


def file_kind(path: Path | str) -> str:
    """The ending of a file's name in lower case, without .gz.

    >>> file_kind("runs/a.CSV.gz")
    'csv'
    """
    return Path(Path(path).name.lower().removesuffix(".gz")).suffix.removeprefix(".")


def source_of(path: Path | str, content: bytes, kind: str) -> Source:
    """The source of a file's content; of its first line only, a source that knows the columns.

    >>> source_of("a.csv", b"gold,predicted\\n", "csv").names
    ['gold', 'predicted']
    """
    match kind:
        case "parquet":
            return Parquet(path, content)
        case "jsonl":
            return _JsonLines(path, content)
        case "json":
            return _JsonDocument(path, content)
        case "txt":
            return LabelList(path, content)
        case delimited:
            return Delimited(path, content, DELIMITERS[delimited])
