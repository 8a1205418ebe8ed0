"""Files as raw records, each with its line, and the one way from records to samples (`collect`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from ..core import MalformedRecord, abridged, naming_file, read_file, shown
from .samples import Corpus
from .tables import json_fault, open_source

Record = tuple[int | None, Any]
"""Where a record starts (line, 1-based; None in a JSON document) and its raw form."""


def collect(
    path: Path | str, records: Iterable[Record], parse: Callable[[int | None, int, Any], list]
) -> Corpus:
    """Parse every record of a file: `parse(line, number, raw)` gives the samples or facts of one record.

    Raises MalformedRecord for a record that `parse` refuses, with its line, or where the file has none with
    its number, from 1; and for a file that holds no record.

    >>> collect("a.txt", [(1, "4"), (2, "5")], lambda line, number, raw: [int(raw)])
    [4, 5]
    >>> collect("a.txt", [(1, "4"), (2, "x")], lambda line, number, raw: [int(raw)])
    Traceback (most recent call last):
    helpers.core.errors.MalformedRecord: a.txt, line 2: invalid literal for int() with base 10: 'x'
    """
    corpus, number = Corpus(), 0
    with naming_file(path):
        for number, (line, raw) in enumerate(records, start=1):
            try:
                corpus.extend(parse(line, number, raw))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                record = f"record {number}: " if line is None else ""
                raise MalformedRecord(path, record + _reason(error), line) from error
    if not number:
        raise MalformedRecord(path, "the file holds no record")
    return corpus


def _reason(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} of the line, 0x{error.object[error.start]:02x}, is not UTF-8"
    if isinstance(error, KeyError):
        return f"the field {error} is missing"
    is_plain = isinstance(error, ValueError | RecursionError)
    return abridged(json_fault(error) if is_plain else f"unexpected structure ({error})", 300)


def lines(path: Path | str) -> Iterator[Record]:
    """The lines without their ends, as bytes: `parse` decodes, so it fails by line. Lines of blanks are none,
    one of TABs is."""
    for number, line in enumerate(read_file(path).split(b"\n"), start=1):
        if line.strip(b" \r"):
            yield number, line.rstrip(b"\r")


def records_of(path: Path | str, form: str | None = None) -> Iterator[Record]:
    """The records of a file that `open_source` reads: JSON objects, or the cells of a table by column."""
    source = open_source(path, form)
    for line, row in source.rows():
        yield line if source.has_lines else None, row


def field(record: Any, name: str) -> Any:
    """The value of a field of a JSON object; ValueError if the record is no object or lacks the field."""
    if not isinstance(record, dict):
        raise ValueError(f"a JSON object is expected, not {type(record).__name__}")
    if name not in record:
        raise ValueError(f"the field {name!r} is missing; there are {', '.join(record) or 'none'}")
    return record[name]


def string(record: Any, name: str) -> str:
    """The value of a field that must be a string; ValueError if it is not."""
    value = field(record, name)
    if not isinstance(value, str):
        raise ValueError(f"the field {shown(name)} is {shown(value)}, not a string")
    return value


def check_new(first: dict[str, int | None], name: str, line: int | None, what: str = "id") -> None:
    """Note the line of a name; ValueError if it has occurred before."""
    if name in first:
        where = "" if first[name] is None else f", at line {first[name]}"
        raise ValueError(f"{what} {shown(name)} occurred before{where}")
    first[name] = line


def starts_with_key(path: Path | str, *names: str) -> bool:
    """Whether a file is a JSON document whose first record has one of these keys.

    >>> starts_with_key("a.csv", "title")
    False
    """
    if not str(path).lower().removesuffix(".gz").endswith(".json"):
        return False
    try:
        return any(name in next(records_of(path))[1] for name in names)
    except ValueError:  # the reader that is chosen then says what is wrong
        return False
