"""Anybody's table as a source of columns: by the ending of its name, or from standard input.

CSV, TSV, JSON lines and Parquet are read by `tabular`. Here are the two forms without a table's shape: one
JSON document, and a list of labels, one a line. An answer file of SemEval is such a list, with an id before
each label.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core import MalformedRecord, naming_file, read_file, shown, unknown_name
from .tabular import Delimited, JsonLines, Parquet, Source

if TYPE_CHECKING:
    import pyarrow as pa

DELIMITERS = {"csv": ",", "tsv": "\t"}
FORMS = ("csv", "tsv", "jsonl", "json", "parquet", "txt")
STANDARD_INPUT, INPUT_NAME = "-", "standard input"


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
    ...     open_source(path).read(["label"])["label"].to_pylist()
    ['per:title', 'no_relation']
    """
    standard = str(path) == STANDARD_INPUT
    ending = "csv" if standard else file_kind(path)
    if form is not None and form not in FORMS:
        raise unknown_name("form of input", form, FORMS)
    if form is None and ending not in FORMS:
        known = ", ".join(f".{one}" for one in FORMS)
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
            return JsonLines(path, content)
        case "json":
            return JsonDocument(path, content)
        case "txt":
            return LabelList(path, content)
        case delimited:
            return Delimited(path, content, DELIMITERS[delimited])


class JsonDocument(JsonLines):
    """One JSON document: a list of records (as TACRED has them), an object of columns, or a list of labels.

    A list of labels has the column `label`. `names` are the fields of the first record. A column whose rows
    have keys, as pandas' `to_json` writes it, is refused. Otherwise as `JsonLines`; records are counted from
    1.

    >>> text = b'{"references": [1, 0], "predictions": [1, 1]}'
    >>> JsonDocument("a.json", text).read(["references"])["references"].to_pylist()
    ['1', '0']
    >>> JsonDocument("a.json", b'[{"id": "7", "relation": "NA", "token": ["Ada"]}]').names
    ['id', 'relation', 'token']
    """

    def __init__(self, path: Path | str, content: bytes) -> None:
        Source.__init__(self, path, content)
        self._check_utf8()
        with naming_file(path):
            self._records = _records(_document(path, content))
        super().__init__(path, content)

    def rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The records, each with its number."""
        for number, record in enumerate(self._records, start=1):
            if not isinstance(record, dict):
                raise MalformedRecord(self.path, f"record {number} is no JSON object but {shown(record)}")
            yield number, record

    def line(self, row: int) -> None:
        """None: a record has no line."""
        return None

    def _read(self, columns: Sequence[str], identifiers: str | None, numbers: Collection[str]) -> pa.Table:
        return self._read_objects(columns, identifiers, numbers)

    def _fault(self, reason: str, line: int, column: str) -> MalformedRecord:
        return MalformedRecord(self.path, f"record {line}: {reason}", column=column)


def _document(path: Path | str, content: bytes) -> Any:
    try:
        return json.loads(content.decode("utf-8-sig"))
    except json.JSONDecodeError as error:
        raise MalformedRecord(
            path, f"no valid JSON at column {error.colno}: {error.msg}", error.lineno
        ) from error


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
    >>> answers.names, answers.read(["id", "label"], "id").to_pylist()
    (['id', 'label'], [{'id': '8001', 'label': 'Other'}])
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

    def rows(self) -> Iterator[tuple[int, tuple[str, ...]]]:
        """The cells of each line."""
        for line, text in enumerate(self._texts, start=1):
            cells = tuple(cell.strip() for cell in text.split("\t"))
            if len(self.names) == 2 and not text.strip():
                continue
            if len(cells) != len(self.names) or not all(cells):
                expected = "a label is" if len(self.names) == 1 else "id, tab and label are"
                raise MalformedRecord(self.path, f"{expected} expected in place of {shown(text, 40)}", line)
            yield line, cells

    def _read(self, columns: Sequence[str], identifiers: str | None, numbers: Collection[str]) -> pa.Table:
        import pyarrow as pa

        found: dict[str, list[str]] = {name: [] for name in self.names}
        for _, cells in self.rows():
            for name, cell in zip(self.names, cells, strict=True):
                found[name].append(cell)
        table = {name: pa.chunked_array([pa.array(found[name], pa.string())]) for name in columns}
        return pa.table(
            {name: one if name == identifiers else one.dictionary_encode() for name, one in table.items()}
        )
