"""Whole files in and out: gzip is taken off by the ending, and a file is written whole or not at all.

What the bytes mean is decided elsewhere.
"""

from __future__ import annotations

import contextlib
import gzip
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from helpers.data.errors import MalformedRecord

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_whole(path: Path | str) -> bytes:
    """The bytes of a file; of one that ends in .gz what the archive holds. A byte order mark is dropped.

    Raises
    ------
    MalformedRecord : the gzip archive is broken or cut off.
    OSError : as the file system does.
    """
    path = Path(path)
    try:
        content = _unzipped(path) if path.suffix.lower() == ".gz" else path.read_bytes()
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MalformedRecord(path, f"the gzip archive is broken ({error})") from error
    return content.removeprefix(_BYTE_ORDER_MARK)


def _unzipped(path: Path) -> bytes:
    with gzip.open(path) as file:
        return file.read()


@contextlib.contextmanager
def whole_file(path: Path | str) -> Iterator[BinaryIO]:
    """A stream of bytes that becomes the file `path` once it is closed without an error; .gz is compressed.

    The folder is created. A reader, and a killed writer, sees the old file or the new one, never half; on an
    error the temporary file beside it is removed and the old file stays. Raises OSError as the file system
    does.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder) / "new" / "a.txt.gz") as stream:
    ...         _ = stream.write(b"text")
    ...     read_whole(Path(folder) / "new" / "a.txt.gz")
    b'text'
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with draft.open("wb") as stream:
            if path.suffix.lower() == ".gz":
                # no name and no time inside: equal contents give equal files
                with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as zipped:
                    yield zipped
            else:
                yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
