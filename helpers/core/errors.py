r"""The errors of the package, and text that is safe where it goes: a message, a table, LaTeX, a spreadsheet.

Every message names file, line, column or argument, and the offending value, as far as they are known. Labels
and file names are anybody's: they may hold line ends, ANSI colours, marks that turn the direction of writing,
or formulas. Nothing is refused for that; each function below says what becomes of it in one place. The last
two read a number and show a progress bar.
"""

from __future__ import annotations

import contextlib
import csv
import difflib
import math
from collections.abc import Iterable, Iterator
from numbers import Number
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

Item = TypeVar("Item")
_VALUE, _LINE = 80, 1000  # characters of a name or a value, and of a line of text or a list of names
_FORMULA = ("=", "+", "-", "@", "\t", "\r")  # with these a spreadsheet takes a cell for a formula (OWASP)


def visible(value: object, most: int = _LINE) -> str:
    r"""Text in one line, cut to `most` characters; what is not `str.isprintable` is escaped as Python does.

    >>> visible("a\nb \x1b[31mred \u202eabc é 関係")
    'a\\nb \\x1b[31mred \\u202eabc é 関係'
    """
    text = str(value)[: most + 1]  # escaping makes text longer only: of the rest nothing would be left
    if not text.isprintable():
        text = "".join(char if char.isprintable() else repr(char)[1:-1] for char in text)
    return text if len(text) <= most else text[: most - 1] + "…"


def table_name(value: object) -> str:
    r"""A label or another name as text tables and LaTeX show it: `visible`, and cut to 80 characters.

    >>> table_name("per:age"), table_name("a\nb"), len(table_name("y" * 100_000))
    ('per:age', 'a\\nb', 80)
    """
    return visible(value, _VALUE)


def shown(value: object, most: int = _VALUE) -> str:
    """A value as Python writes it (control characters are escaped), cut to `most` characters.

    >>> shown("x" * 100, 10)
    "'xxxxxxxx…"
    """
    return visible(repr(value), most)


def listing(names: Iterable[object], most: int = _LINE) -> str:
    """Names separated by commas, each as `table_name` shows it; as many as fit.

    >>> listing(["gold", "a\\tb"]), listing(["label"] * 100, 20)
    ('gold, a\\\\tb', 'label, label, … (100)')
    """
    texts = [table_name(name) for name in names]
    text = ", ".join(texts)
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


def check_known(kind: str, name: object, known: Iterable[object]) -> None:
    """Raises `unknown_name` for a name that is not in the list.

    >>> check_known("dataset", "tacred", ["tacred", "kbp37"])
    """
    known = [*known]
    if name not in known:
        raise unknown_name(kind, name, known)


def csv_text(rows: Iterable[Iterable[Any]], raw: bool = False) -> str:
    """Rows as CSV that a spreadsheet may open: no text of it is run as a formula.

    Parameters
    ----------
    rows : cells, those of the header first. Text that begins with = + - @, a tab or a carriage return gets an
        apostrophe in front, as OWASP recommends against formula injection; numbers stay as they are; None and
        nan are empty.
    raw : write all text as it is.

    >>> rows = [["name", "difference"], ["=1+1", -0.5], ["b", None]]
    >>> print(csv_text(rows), end="")
    name,difference
    '=1+1,-0.5
    b,
    >>> csv_text(rows, raw=True).splitlines()[1]
    '=1+1,-0.5'
    """
    lines: list[str] = []
    stream = SimpleNamespace(write=lines.append)
    writer = csv.writer(stream, lineterminator="\r\n")  # of \r and \n it quotes only what ends its lines
    writer.writerows([_csv_cell(cell, raw) for cell in row] for row in rows)
    return "".join(line.removesuffix("\r\n") + "\n" for line in lines)


def _csv_cell(cell: Any, raw: bool) -> Any:
    if cell is None or isinstance(cell, Number):
        return "" if cell != cell else cell  # nan of any kind, numpy's too
    return f"'{cell}" if str(cell).startswith(_FORMULA) and not raw else str(cell)


def finite_number(value: Any) -> float:
    """A cell, text or a number of JSON, as a finite number; ValueError if it is none.

    >>> finite_number(" 1e-3 "), finite_number(2)
    (0.001, 2.0)
    >>> finite_number("nan")
    Traceback (most recent call last):
    ValueError: 'nan' is no finite number
    """
    try:
        # Python also takes True, 1_000 and digits of other scripts for numbers
        plain = value.isascii() and "_" not in value if isinstance(value, str) else type(value) is not bool
        number = float(value) if plain else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{shown(value)} is no finite number")
    return number


def progress(items: Iterable[Item], **options: Any) -> Iterable[Item]:
    """The items, with a progress bar on a terminal where tqdm is installed; `options` : of tqdm.

    >>> list(progress([1, 2], disable=True))
    [1, 2]
    """
    try:
        from tqdm.auto import tqdm
    except ModuleNotFoundError:
        return items
    return tqdm(items, **{"disable": None, **options})
