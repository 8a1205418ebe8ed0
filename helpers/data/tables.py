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
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ..core import (
    MalformedRecord,
    abridged,
    did_you_mean,
    finite_number,
    listing,
    naming_file,
    read_file,
    shown,
    unknown_name,
    utf8_fault,
)
from . import arrow
from .cells import Coded, distinct_keys, json_fault, json_records, label_of

DELIMITERS = {"csv": ",", "tsv": "\t"}
STANDARD_INPUT, INPUT_NAME = "-", "standard input"
Row = dict[str, Any]


class Source:
    """A file with columns: `names` are theirs; in those of `may_be_empty` an empty cell is no fault.

    A subclass gives `_records`: each row, or the error of a line that cannot be read, with its line.
    """

    may_be_empty: Collection[str] = ()
    has_lines = True
    cell = "cell"
    types = ""  # of Parquet

    def __init__(self, path: Path | str, content: bytes = b"", names: Sequence[str] = ()) -> None:
        self.path, self.content, self.names = path, content, list(names)

    def _records(self) -> Iterator[tuple[Any, Row | MalformedRecord]]:
        return iter(())

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
        hint = did_you_mean(name, self.names) or "."
        raise ValueError(
            f"{self.path}: column {shown(name)}{role} {problem}{hint} Columns: {listing(self.names)}"
        )

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
            wanted = arrow.Wanted(list(dict.fromkeys(columns)), identifiers, numbers, self.may_be_empty)
            return self._arrow(wanted) or self._read(wanted)

    def _read(self, wanted: arrow.Wanted) -> dict[str, Any]:
        cells: dict[str, list] = {name: [] for name in wanted.columns}
        for number, (line, row) in enumerate(self.rows(), start=1):
            for name, column in cells.items():
                try:
                    column.append(self._value(row, name, name in wanted.numbers))
                except ValueError as error:
                    record, line = ("", line) if self.has_lines else (f"record {number}: ", None)
                    raise MalformedRecord(self.path, f"{record}{error}", line, name) from None
        coded = {name: Coded.of(cells[name]) for name in wanted.labels()}
        return cells | coded | {name: np.array(cells[name], float) for name in wanted.numbers}

    def _value(self, row: Row, name: str, is_number: bool) -> str | float:
        """The label, or the number, of a cell; ValueError says why it is none."""
        if name not in row:
            raise ValueError(f"the {self.cell} is missing")
        value = row[name]
        if value is None or (isinstance(value, str) and not value.strip()):
            if name not in self.may_be_empty:
                raise ValueError(f"the {self.cell} is empty")
            return ""
        if not is_number:
            return label_of(value)
        if isinstance(value, str) and self.cell == "field":
            raise ValueError(f"a number is expected, not the text {shown(value)}")
        return finite_number(value)

    def _arrow(self, wanted: arrow.Wanted) -> Any:
        """The columns that `_read` gives by Arrow, or None."""
        return None

    def _check_utf8(self, column_at: Callable[[int], str | None] = lambda offset: None) -> None:
        if fault := utf8_fault(self.content):
            offset, line, reason = fault
            raise MalformedRecord(self.path, reason, line, column_at(offset))


class Delimited(Source):
    """A CSV or TSV file with a header; quoting follows the CSV rules (`"` around a cell, doubled inside).

    A fault is also a row with too few or too many cells, and a quote that is not closed, after which nothing
    is read. Raises MalformedRecord : the file is empty, or not UTF-8 (with line, column and byte offset).

    >>> file = Delimited("a.tsv", b"id\\tgold\\n7\\tNA\\n", "\\t")
    >>> file.names, list(file.rows()), file.read(["gold"])["gold"].tolist()
    (['id', 'gold'], [(2, {'id': '7', 'gold': 'NA'})], ['NA'])
    """

    def __init__(self, path: Path | str, content: bytes, delimiter: str) -> None:
        super().__init__(path, content)
        self.delimiter = delimiter
        _, self.names = next(self._lines("replace"), (1, []))
        if not self.names:
            raise MalformedRecord(path, "the file is empty; a header line with column names is needed", 1)
        for other, name in ((";", "semicolons"), ("\t", "tabs")):  # read as it is, it would have one column
            if len(self.names) == 1 and other in self.names[0] and other != delimiter:
                reason = f"the header looks separated by {name}: {shown(self.names[0], 60)}"
                hint = "say --input-format tsv"
                if other == ";":
                    hint = "save it with commas, in pandas read_csv(F, sep=';').to_csv(F, index=False)"
                raise MalformedRecord(path, f"{reason}; {hint}", 1)
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
        return f'; quote labels that contain commas: "{abridged(whole, 60)}"'

    def _lines(self, errors: str = "strict") -> Iterator[tuple[int, list[str]]]:
        """The header and the rows, each with the line it starts on; of a blank line no cells."""
        text = io.TextIOWrapper(io.BytesIO(self.content), "utf-8-sig", errors, newline="")
        reader = csv.reader(text, delimiter=self.delimiter, strict=True)
        line = 1
        try:
            for row in reader:
                yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            reason = f"the row that begins here cannot be read ({error})"
            raise MalformedRecord(self.path, reason, line) from error

    def _arrow(self, wanted: arrow.Wanted) -> Any:
        if any({*name} & {"\n", "\r"} for name in self.names):
            return None
        return arrow.delimited_columns(self.content, self.delimiter, wanted)


class _JsonLines(Source):
    """A file with one JSON object a line; `names` are the fields of the first. Integers become text.

    A fault is also a line that is no JSON object, or has a key twice; a field that is missing or neither text
    nor an integer. Raises MalformedRecord : the file is empty or not UTF-8, or its first line is no JSON
    object.

    >>> file = _JsonLines("a.jsonl", b'{"id": 7, "gold": "NA"}')
    >>> file.names, file.read(["id"], "id")
    (['id', 'gold'], {'id': ['7']})
    """

    cell = "field"

    def __init__(self, path: Path | str, content: bytes) -> None:
        super().__init__(path, content)
        self._check_utf8()
        self._open()
        self.first: Row = next((row for _, row in self.rows()), {})
        if not self.first:
            raise MalformedRecord(path, "there is no JSON object in the file", 1)
        self.names = list(self.first)

    def _open(self) -> None:
        """What is done before the first record is read."""

    def _records(self) -> Iterator[tuple[int, Row | MalformedRecord]]:
        file = io.BytesIO(self.content)
        file.seek(3 if self.content.startswith(b"\xef\xbb\xbf") else 0)
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode(), object_pairs_hook=distinct_keys)  # bytes: encoding guessed
                reason = f"a JSON object is expected, not {shown(row)}"
            except (ValueError, RecursionError) as error:
                row, reason = None, json_fault(error)
            yield number, row if isinstance(row, dict) else MalformedRecord(self.path, reason, number)

    def _arrow(self, wanted: arrow.Wanted) -> Any:
        return arrow.json_columns(self.content, self.first, wanted)


class _JsonDocument(_JsonLines):
    """One JSON document: a list of records (as TACRED has them), an object of columns, or a list of labels.

    A list of labels has the column `label`. A column whose rows have keys, as pandas' `to_json` writes it, is
    refused. Otherwise as `_JsonLines`; records are counted from 1.

    >>> text = b'{"references": [1, 0], "predictions": [1, 1]}'
    >>> _JsonDocument("a.json", text).read(["references"])["references"].tolist()
    ['1', '0']
    >>> _JsonDocument("a.json", b'[{"id": "7", "relation": "NA", "token": ["Ada"]}]').names
    ['id', 'relation', 'token']
    """

    has_lines = False

    def _open(self) -> None:
        self._document = json_records(self.path, self.content)

    def _records(self) -> Iterator[tuple[int, Row | MalformedRecord]]:
        for number, record in enumerate(self._document, start=1):
            reason = f"record {number} is no JSON object but {shown(record)}"
            yield number, record if isinstance(record, dict) else MalformedRecord(self.path, reason)

    def _arrow(self, wanted: arrow.Wanted) -> Any:
        return None


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

    def _records(self) -> Iterator[tuple[int, Row | MalformedRecord]]:
        expected = "a label is" if len(self.names) == 1 else "id, tab and label are"
        for line, text in enumerate(self._texts, start=1):
            cells = [cell.strip() for cell in text.split("\t")]
            if len(cells) == len(self.names) and all(cells):
                yield line, dict(zip(self.names, cells, strict=True))
            elif len(self.names) == 1 or text.strip():
                reason = f"{expected} expected in place of {shown(text, 40)}"
                yield line, MalformedRecord(self.path, reason, line)


class Parquet(Source):
    """A Parquet file, which has records (in messages from 1) and no lines. Integers become text (3 → "3").

    Raises MalformedRecord for what is no whole Parquet file, ModuleNotFoundError if Arrow is not installed.
    """

    has_lines = False
    cell = "field"

    def __init__(self, path: Path | str, content: bytes) -> None:
        schema = arrow.parquet_schema(path, content)
        super().__init__(path, content, schema.names)
        self.types = str(schema.remove_metadata())

    def _records(self) -> Iterator[tuple[None, Row]]:
        return ((None, row) for row in arrow.parquet_rows(self.path, self.content))

    def _arrow(self, wanted: arrow.Wanted) -> Any:
        return arrow.parquet_columns(self.path, self.content, wanted)


SOURCES: dict[str, Callable[[Path | str, Any], Source]] = {
    **{kind: partial(Delimited, delimiter=delimiter) for kind, delimiter in DELIMITERS.items()},
    "jsonl": _JsonLines,
    "json": _JsonDocument,
    "parquet": Parquet,
    "txt": LabelList,
}
"""Form → the source of a file's content; of its first line only, a source that knows the columns."""
FORMS = tuple(SOURCES)


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
        return SOURCES[form or ending](name, content)


def file_kind(path: Path | str) -> str:
    """The ending of a file's name in lower case, without .gz.

    >>> file_kind("runs/a.CSV.gz")
    'csv'
    """
    return Path(Path(path).name.lower().removesuffix(".gz")).suffix.removeprefix(".")
