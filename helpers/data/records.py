"""How a corpus file falls into records, and what happens to a malformed one.

Three kinds of files: blocks of lines, one record a line, and one JSON array. Each is cut into `(line, raw
record)`; `collect` parses them and keeps count of those that cannot be read. What a record means is the
readers' business.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from helpers.data.errors import MalformedRecord

logger = logging.getLogger(__name__)

Record = tuple[int, Any]
"""Where a record starts (line, 1-based) and its raw form."""


class Corpus(list):
    """The records of a file in order; `malformed` holds the errors of those left out (none if strict)."""

    def __init__(self, records: Iterable[Any] = (), malformed: Iterable[MalformedRecord] = ()) -> None:
        super().__init__(records)
        self.malformed = list(malformed)


def collect(
    path: Path | str, records: Iterable[Record], parse: Callable[[int, Any], list], strict: bool
) -> Corpus:
    """Parse every record of a file: `parse(line, raw)` gives the samples or facts of one record.

    Parameters
    ----------
    strict : True raises at the first record that `parse` refuses; False leaves such records out, keeps their
        errors in `.malformed` and logs one warning with their number and the first of them.

    Raises
    ------
    MalformedRecord : strict, and a record is malformed; or the file holds no record at all.

    >>> collect("a.txt", [(1, "4"), (2, "5")], lambda line, raw: [int(raw)], strict=True)
    [4, 5]
    >>> collect("a.txt", [(1, "4"), (2, "x")], lambda line, raw: [int(raw)], strict=True)
    Traceback (most recent call last):
    helpers.data.errors.MalformedRecord: a.txt, line 2: invalid literal for int() with base 10: 'x'
    """
    corpus, read = Corpus(), 0
    for line, raw in records:
        read += 1
        try:
            corpus.extend(parse(line, raw))
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            corpus.malformed.append(MalformedRecord(path, _reason(error), line))
            if strict:
                raise corpus.malformed[-1] from error
    if not read:
        raise MalformedRecord(path, "the file holds no record")
    if corpus.malformed:
        first = corpus.malformed[0]
        message = "%s: left out %d of %d records; the first: %s"
        logger.warning(message, path, len(corpus.malformed), read, first)
    return corpus


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"no valid JSON at character {error.pos}: {error.msg}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} of the line, 0x{error.object[error.start]:02x}, is not UTF-8"
    if isinstance(error, KeyError):
        return f"the field {error} is missing"
    return str(error) if type(error) is ValueError else f"unexpected structure ({error})"


def blocks(path: Path | str) -> Iterator[Record]:
    """Runs of lines that are not blank, each a list of lines without their ends; bytes are read as Latin-1.

    Lines end at LF, CR or CRLF only: the Latin-1 byte 0x85 is no line end here.
    """
    block: list[str] = []
    start = 1
    with open(path, encoding="latin-1") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                start = start if block else number
                block.append(line.rstrip("\n"))
            elif block:
                yield start, block
                block = []
    if block:
        yield start, block


def lines(path: Path | str) -> Iterator[Record]:
    """The lines that are not blank, as bytes without their ends; `parse` decodes, so it fails by line."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, line.rstrip(b"\r\n")


def json_array(path: Path | str) -> Iterator[Record]:
    """The items of one JSON array, each with the line it starts on.

    Raises
    ------
    MalformedRecord : the file is not UTF-8, or not a JSON array of valid items; what follows a broken item
        cannot be found again, so this is raised whether strict or not.
    """
    text = _utf8(path)
    decoder, place, line, number = json.JSONDecoder(), _skip(text, 0), 1, 0
    expected, counted = "[", 0
    while text[place : place + 1] == expected:
        start = _skip(text, place + 1)
        line, counted = line + text.count("\n", counted, start), start
        if text[start : start + 1] == "]" and expected == "[":
            return
        try:
            item, place = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            raise MalformedRecord(path, f"item {number} of the array: {error.msg}", error.lineno) from error
        yield line, item
        expected, number, place = ",", number + 1, _skip(text, place)
    if expected == "[" or text[place : place + 1] != "]":
        line = 1 + text.count("\n", 0, place)
        raise MalformedRecord(
            path, f"one JSON array is expected; after item {number} it does not go on", line
        )


def _utf8(path: Path | str) -> str:
    content = Path(path).read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = 1 + content.count(b"\n", 0, error.start)
        raise MalformedRecord(
            path, f"byte {error.start}, 0x{content[error.start]:02x}, is not UTF-8", line
        ) from error


def _skip(text: str, place: int) -> int:
    while place < len(text) and text[place] in " \t\r\n":
        place += 1
    return place


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
        raise ValueError(f"the field {name!r} is {value!r}, not a string")
    return value
