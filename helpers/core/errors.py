"""The errors of the package, and the one hint for a name that is not known.

Every message names file, line, column or argument, and the offending value, as far as they are known.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from pathlib import Path


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
        in_column = "" if column is None else f", column {column!r}"
        super().__init__(f"{path}{in_line}{in_column}: {reason}")


class MissingData(FileNotFoundError):
    """A registered file is in none of the places looked at; the message says how to get it."""


class ChecksumError(ValueError):
    """A file is not the registered one: its sha256 differs; the message names both sums."""


class DownloadError(OSError):
    """A download failed; nothing was written."""


def did_you_mean(name: object, known: Iterable[object], cutoff: float = 0.6) -> str:
    """The hint at the end of a message about an unknown name: the nearest known one, '' if none is near.

    `cutoff` : how alike two names have to be, 0 … 1 (`difflib.get_close_matches`).

    >>> did_you_mean("tacrde", ["tacred", "kbp37"]), did_you_mean("x", ["tacred"])
    ("; did you mean 'tacred'?", '')
    """
    near = difflib.get_close_matches(str(name), [str(one) for one in known], n=1, cutoff=cutoff)
    return f"; did you mean {near[0]!r}?" if near and near[0] != str(name) else ""


def unknown_name(
    kind: str, name: object, known: Iterable[object], nearest_of: Iterable[object] = ()
) -> ValueError:
    """The error for a name that is not in a list: it lists the known names and the nearest one.

    The nearest is sought in `nearest_of` if given (a list too long to show), else in `known`.

    >>> print(unknown_name("dataset", "tacrde", ["tacred", "kbp37"]))
    unknown dataset 'tacrde'; did you mean 'tacred'? Known: tacred, kbp37
    """
    known = [str(one) for one in known]
    hint = did_you_mean(name, list(nearest_of) or known, cutoff=0.4) or "."
    return ValueError(f"unknown {kind} {name!r}{hint} Known: {', '.join(known) or 'none'}")
