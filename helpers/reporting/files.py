"""The one way in which this room writes a text file: whole or not at all.

It does not decide what is written, nor where.
"""

from __future__ import annotations

import os
from pathlib import Path


def write_atomically(path: Path | str, text: str) -> Path:
    """Write UTF-8 text with '\\n' line ends to a temporary name beside `path`, then rename it.

    The folder is created. A reader, and a killed writer, sees the old file or the new one, never half; on an
    error the temporary file is removed and the old file stays. Returns the path. Raises OSError as the file
    system does.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder) / "new" / "table.csv", "a,b\\n").read_text()
    'a,b\\n'
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return path
