"""Files as raw records, each with its line, and the one way from records to samples (`collect`)."""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

from ...core import MalformedRecord, abridged, naming_file, read_file, shown, utf8_fault
from ..samples import Corpus
from ..tables import distinct_keys, json_fault

logger = logging.getLogger(__name__)
Record = tuple[int, Any]
"""Where a record starts (line, 1-based) and its raw form."""
_NOT_BLANK = re.compile(r"[^ \t\r\n]")  # of JSON


def collect(
    path: Path | str,
    records: Iterable[Record],
    parse: Callable[[int, int, Any], list],
    strict: bool,
    called: str = "",
) -> Corpus:
    """Parse every record of a file: `parse(line, number, raw)` gives the samples or facts of one record.

    Parameters
    ----------
    strict : True raises at the first record that `parse` refuses; False leaves such records out, keeps their
        errors in `.malformed` and logs one warning with their number and the first of them.
    called : what a record is, 'sentence': then its errors give its number, from 1.

    Raises
    ------
    MalformedRecord : strict, and a record is malformed; or the file holds no record at all.

    >>> collect("a.txt", [(1, "4"), (2, "5")], lambda line, number, raw: [int(raw)], strict=True)
    [4, 5]
    >>> collect("a.txt", [(1, "4"), (2, "x")], lambda line, number, raw: [int(raw)], strict=True)
    Traceback (most recent call last):
    helpers.core.errors.MalformedRecord: a.txt, line 2: invalid literal for int() with base 10: 'x'
    """
    corpus, number = Corpus(), 0
    with naming_file(path):
        for number, (line, raw) in enumerate(records, start=1):
            try:
                corpus.extend(parse(line, number, raw))
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
                reason = f"{called} {number}: {_reason(error)}" if called else _reason(error)
                corpus.malformed.append(MalformedRecord(path, reason, line))
                if strict:
                    raise corpus.malformed[-1] from error
    if not number:
        raise MalformedRecord(path, "the file holds no record")
    if corpus.malformed:
        first = corpus.malformed[0]
        message = "%s: left out %d of %d records; the first: %s"
        logger.warning(message, path, len(corpus.malformed), number, first)
    return corpus


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError | RecursionError):
        return json_fault(error)
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} of the line, 0x{error.object[error.start]:02x}, is not UTF-8"
    if isinstance(error, KeyError):
        return f"the field {error} is missing"
    reason = str(error) if type(error) is ValueError else f"unexpected structure ({error})"
    return abridged(reason, 300)


def blocks(path: Path | str) -> Iterator[Record]:
    """Runs of lines that are not blank, each a list of lines without their ends; bytes are read as Latin-1.

    Lines end at LF, CR or CRLF only: the Latin-1 byte 0x85 is no line end here.
    """
    with open(path, encoding="latin-1") as file:
        numbered = enumerate(file, start=1)
        for is_text, block in groupby(numbered, key=lambda line: bool(line[1].strip())):
            if is_text:
                rows = list(block)
                yield rows[0][0], [row.rstrip("\n") for _, row in rows]


def lines(path: Path | str) -> Iterator[Record]:
    """The lines without their ends, as bytes: `parse` decodes, so it fails by line. Lines of blanks are none,
    one of TABs is."""
    for number, line in enumerate(read_file(path).split(b"\n"), start=1):
        if line.strip(b" \r"):
            yield number, line.rstrip(b"\r")


def json_record(row: Any) -> Any:
    """The JSON value of a line; what is an object already stays. ValueError for a key that is there twice."""
    return json.loads(row, object_pairs_hook=distinct_keys) if isinstance(row, bytes) else row


def json_array(path: Path | str) -> Iterator[Record]:
    """The items of one JSON array, each with the line it starts on.

    Raises
    ------
    MalformedRecord : the file is not UTF-8, or not a JSON array of valid items; what follows a broken item
        cannot be found again, so this is raised whether strict or not.
    """
    content = read_file(path, keep_mark=True)
    if fault := utf8_fault(content):
        _, line, reason = fault
        raise MalformedRecord(path, reason, line)
    text, decoder = content.decode("utf-8-sig"), json.JSONDecoder(object_pairs_hook=distinct_keys)
    end, line, number, expected = _next(text, 0), 1, 0, "["
    while text[end : end + 1] == expected:
        start = _next(text, end + 1)
        line += text.count("\n", end, start)
        if text[start : start + 1] == "]" and expected == "[":
            return
        try:
            item, end = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise MalformedRecord(path, f"item {number} of the array: {error.msg}", error.lineno) from error
        except (ValueError, RecursionError) as error:  # thousands of digits, or of brackets
            nested = isinstance(error, RecursionError)
            reason = "is nested too deeply" if nested else f"is no valid JSON ({error})"
            raise MalformedRecord(path, f"item {number} of the array {reason}", line) from error
        yield line, item
        end = _next(text, end)
        line += text.count("\n", start, end)
        expected, number = ",", number + 1
    if expected == "[" or text[end : end + 1] != "]":
        reason = f"one JSON array is expected; after item {number} it does not go on"
        raise MalformedRecord(path, reason, 1 + text.count("\n", 0, end))


def _next(text: str, position: int) -> int:
    """The position of the next character that is no blank of JSON."""
    match = _NOT_BLANK.search(text, position)
    return match.start() if match else len(text)


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


def check_new(first: dict[str, int], name: str, line: int, what: str = "id") -> None:
    """Note the line of a name; ValueError if it has occurred before."""
    if name in first:
        raise ValueError(f"{what} {shown(name)} occurred before, at line {first[name]}")
    first[name] = line


def starts_with_key(path: Path | str, *names: str) -> bool:
    """Whether a file is a JSON array and its first item an object with one of these keys.

    >>> starts_with_key("a.csv", "title")
    False
    """
    if not str(path).lower().removesuffix(".gz").endswith(".json"):
        return False
    try:
        _, first = next(json_array(path), (0, None))
    except ValueError:  # the reader that is chosen then says what is wrong
        return False
    return isinstance(first, dict) and any(name in first for name in names)
