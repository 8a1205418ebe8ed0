r"""Text that is safe where it goes: a table on a terminal, LaTeX, a spreadsheet, a field of a signature.

Labels and file names are anybody's: they may hold line ends, ANSI colours, marks that turn the direction of
writing, or formulas. Nothing is refused for that; each function below says what becomes of it in one place.
The last two read a number and show a progress bar.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from numbers import Number
from types import SimpleNamespace
from typing import Any, TypeVar

from .errors import shown

Item = TypeVar("Item")
_NAME, _LINE = 80, 1000  # characters of a name in a table, and of a line of text
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
    return visible(value, _NAME)


def signature_field(value: object) -> str:
    r"""A value in a signature, whose fields are joined by `|`: `|` becomes `\|`, and the backslash `\\`.

    >>> print("|".join(["f1", f"negative:{signature_field('a|n:9')}", "n:3"]))
    f1|negative:a\|n:9|n:3
    """
    return str(value).replace("\\", "\\\\").replace("|", "\\|")


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
    if isinstance(cell, str):
        return f"'{cell}" if cell.startswith(_FORMULA) and not raw else cell
    if cell is None or isinstance(cell, Number) and cell != cell:  # nan of any kind, numpy's too
        return ""
    return cell if isinstance(cell, Number) else _csv_cell(str(cell), raw)


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
