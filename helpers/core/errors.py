"""The errors of the package, and the one hint for a name that is not known.

Every message names file, line, column or argument, and the offending value, as far as they are known.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
from collections.abc import Iterable, Iterator
from pathlib import Path

_VALUE, _LINE = 80, 1000  # characters of one value, and of a list of names, that a message shows


def abridged(text: str, most: int = _LINE) -> str:
    """A message, cut to `most` characters.

    >>> abridged("abcdef", 3)
    'ab…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def shown(value: object, most: int = _VALUE) -> str:
    """A value as Python writes it (control characters are escaped), cut to `most` characters.

    >>> shown("x" * 100, 10)
    "'xxxxxxxx…"
    """
    return abridged(repr(value), most)


def listing(names: Iterable[object], most: int = _LINE) -> str:
    """Names separated by commas, each cut to 80 characters, control characters escaped; as many as fit.

    >>> listing(["gold", "a\\tb"]), listing(["label"] * 100, 20)
    ('gold, a\\\\tb', 'label, label, … (100)')
    """
    texts = [str(name) for name in names]
    cut = [abridged(text if text.isprintable() else repr(text)[1:-1], _VALUE) for text in texts]
    text = ", ".join(cut)
    if len(text) <= most:
        return text
    kept = text[:most].rpartition(", ")[0]
    return f"{kept}, … ({len(texts)})"


class MalformedRecord(ValueError):
    """A record of a file cannot be read.

    Attributes: `path`, `line` (1-based; None where the format has no lines), `column` (name or None),
    `reason`.

    >>> print(MalformedRecord("a.csv", "the cell is empty", line=3, column="gold"))
    a.csv, line 3, column 'gold': the cell is empty
    """

    def __init__(
        self, path: Path | str, reason: str, line: int | None = None, column: str | None = None
    ) -> None:
        self.path, self.line, self.column, self.reason = Path(path), line, column, reason
        in_line = "" if line is None else f", line {line}"
        in_column = "" if column is None else f", column {shown(column)}"
        super().__init__(f"{path}{in_line}{in_column}: {reason}")


class MissingData(FileNotFoundError):
    """A registered file is in none of the places looked at; the message says how to get it."""


class ChecksumError(ValueError):
    """A file is not the registered one: its sha256 differs; the message names both sums."""


class DownloadError(OSError):
    """A download failed; nothing was written."""


@contextlib.contextmanager
def naming_file(path: Path | str) -> Iterator[None]:
    """What goes wrong in the block is the fault of this file, and the error names it.

    An error of values (ValueError, overflow, nesting that is too deep, memory) becomes a `MalformedRecord` of
    the file, unless it names the file already; an OSError without a file gets this one, and any other error a
    note.

    >>> with naming_file("a.csv"):
    ...     int("x")
    Traceback (most recent call last):
    helpers.core.errors.MalformedRecord: a.csv: invalid literal for int() with base 10: 'x'
    """
    try:
        yield
    except RecursionError as error:
        raise MalformedRecord(path, "it is nested too deeply") from error
    except (ValueError, ArithmeticError, MemoryError, csv.Error) as error:
        if str(path) in str(error):
            raise
        reason = " ".join(str(error).split()) or type(error).__name__
        raise MalformedRecord(path, reason) from error
    except OSError as error:
        if error.filename is None and error.errno is not None:
            error.filename = str(path)
        raise
    except Exception as error:
        error.add_note(f"{path}")
        raise


def did_you_mean(name: object, known: Iterable[object], cutoff: float = 0.6) -> str:
    """The hint at the end of a message about an unknown name: the nearest known one, '' if none is near.

    `cutoff` : how alike two names have to be, 0 … 1 (`difflib.get_close_matches`).

    >>> did_you_mean("tacrde", ["tacred", "kbp37"]), did_you_mean("x", ["tacred"])
    ("; did you mean 'tacred'?", '')
    """
    if len(str(name)) > _LINE:  # nobody meant a name of that length, and comparing takes long
        return ""
    near = difflib.get_close_matches(str(name), [str(each) for each in known], n=1, cutoff=cutoff)
    return f"; did you mean {shown(near[0])}?" if near and near[0] != str(name) else ""


def unknown_name(
    kind: str, name: object, known: Iterable[object], nearest_of: Iterable[object] = ()
) -> ValueError:
    """The error for a name that is not in a list: it lists the known names and the nearest one.

    The nearest is sought in `nearest_of` if given (a list too long to show), else in `known`.

    >>> print(unknown_name("dataset", "tacrde", ["tacred", "kbp37"]))
    unknown dataset 'tacrde'; did you mean 'tacred'? Known: tacred, kbp37
    """
    known = [str(each) for each in known]
    hint = did_you_mean(name, list(nearest_of) or known, cutoff=0.4) or "."
    return ValueError(f"unknown {kind} {shown(name)}{hint} Known: {listing(known) or 'none'}")
