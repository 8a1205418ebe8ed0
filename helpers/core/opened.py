"""Which files a process opens, noted by Python's audit events; of use to know what a result was made from.

What a library opens by itself, in C, is not seen: Parquet files that pyarrow or DuckDB read.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def note_opened(log: Path | str) -> None:
    """From now on, append a line to `log` for each file that this process opens or gives its name.

    'r PATH' for one that is read, 'w PATH' for one that is written or that another one is renamed to; each
    line once, absolute paths. It cannot be taken back: the process is to be one of its own.
    """
    stream = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    seen: set[str] = set()

    def note(kind: str, path: Any) -> None:
        if not isinstance(path, str | bytes | os.PathLike):
            return  # a number: a file that is open already
        line = f"{kind} {os.path.abspath(os.fsdecode(path))}\n"
        if line not in seen:
            seen.add(line)
            os.write(stream, line.encode("utf-8", "surrogateescape"))

    def hook(event: str, arguments: tuple) -> None:
        if event == "open":
            path, _, flags = arguments
            note("w" if isinstance(flags, int) and flags & _WRITING else "r", path)
        elif event == "os.rename":
            note("w", arguments[1])

    sys.addaudithook(hook)


def read_opened(log: Path | str) -> tuple[list[Path], list[Path]]:
    """The files that were read and those that were written, each sorted, as `note_opened` noted them; a file
    that was written first counts as written only.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = Path(folder, "log")
    ...     _ = log.write_text("r /a/in.csv\\nw /a/out.csv\\nr /a/out.csv\\n")
    ...     [[path.name for path in paths] for paths in read_opened(log)]
    [['in.csv'], ['out.csv']]
    """
    kinds: dict[str, str] = {}
    for line in Path(log).read_text("utf-8", "surrogateescape").splitlines():
        kind, _, path = line.partition(" ")
        if kinds.get(path) != "w":
            kinds[path] = "w" if kind == "w" and path not in kinds else kinds.get(path, "r")
    return tuple(sorted(Path(path) for path in kinds if kinds[path] == kind) for kind in "rw")  # type: ignore
