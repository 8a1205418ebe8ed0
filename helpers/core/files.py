"""Whole files in and out: gzip is taken off by the ending, and every file is written atomically.

A reader, and a killed writer, sees the old file or the new one, never half. What the bytes mean is decided
elsewhere.

Which files a process opens can be noted, by Python's audit events, to know what a result was made from. What
a library opens by itself, in C, is not seen: Parquet files that pyarrow or DuckDB read.
"""

from __future__ import annotations

import contextlib
import functools
import gzip
import hashlib
import os
import shutil
import sys
import tempfile
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from .. import ROOT
from .errors import MalformedRecord

try:
    import fcntl
except ImportError:  # Windows: nothing is locked, and what a killed process left stays
    fcntl = None  # type: ignore[assignment]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_PRIVATE, _LOCK, _YOUNG = ".helpers-", "lock", 60.0  # seconds in which a folder gets its lock
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def read_file(path: Path | str, keep_mark: bool = False, most: int = -1) -> bytes:
    """The bytes of a file; of one that ends in .gz what the archive holds. A byte order mark is dropped,
    unless `keep_mark`.

    Raises
    ------
    MalformedRecord : the gzip archive is broken or cut off.
    OSError : as the file system does.
    """
    path = plain_file(path)
    opened = gzip.open if path.suffix.lower() == ".gz" else open
    try:
        with opened(path, "rb") as file:
            return file.read(most).removeprefix(b"" if keep_mark else _BYTE_ORDER_MARK)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise MalformedRecord(path, f"the gzip archive is broken ({error})") from error


def plain_file(path: Path | str) -> Path:
    """The path, unless there is something else than a file: reading a pipe could wait for ever.

    >>> plain_file("/dev/null")
    Traceback (most recent call last):
    helpers.core.errors.MalformedRecord: /dev/null: this is no plain file but a device, a pipe or a socket
    """
    path = Path(path)
    if path.exists() and not path.is_file() and not path.is_dir():
        raise MalformedRecord(path, "this is no plain file but a device, a pipe or a socket")
    return path


def named_twice(paths: Iterable[Path | str]) -> tuple[str, str] | None:
    """The first two of the paths that are one file: under one name, or under two (./a.csv, a link); or None.

    A file is its device and inode; of what is not there, or not on this machine, the name alone counts.

    >>> named_twice(["a.csv", "b.csv", "a.csv"])
    ('a.csv', 'a.csv')
    """
    seen: dict[object, str] = {}
    for path in map(str, paths):
        try:
            status = os.stat(path.removeprefix("file://"))
            file: object = (status.st_dev, status.st_ino)
        except (OSError, ValueError):
            file = path
        if file in seen:
            return seen[file], path
        seen[file] = path
    return None


@contextlib.contextmanager
def private_folder(parent: Path | str) -> Iterator[Path]:
    """A new folder in `parent` that nobody else writes to; it is gone after the block.

    After a kill, too: whoever asks next for such a folder in `parent` removes those whose owner no longer
    holds the lock. Its name is random and its mode 0700: nobody can put a link in the place of a file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as parent:
    ...     with private_folder(parent) as folder:
    ...         _ = Path(folder, "draft").write_text("text")
    ...     list(Path(parent).iterdir())
    []
    """
    remove_abandoned(Path(parent))
    made = tempfile.TemporaryDirectory("", _PRIVATE, parent, ignore_cleanup_errors=True)
    with made as folder, open(Path(folder, "new"), "wb") as lock:
        _lock(lock)
        os.rename(lock.name, Path(folder, _LOCK))  # so that a lock is never seen before it is held
        yield Path(folder)


def remove_abandoned(parent: Path) -> None:
    """Remove the private folders in `parent` whose owner was killed."""
    for folder in parent.glob(f"{_PRIVATE}*"):
        with contextlib.suppress(OSError):  # it is gone by now, or belongs to somebody else
            # without a lock it is being made just now, or its owner was killed at that moment
            abandoned = time.time() - folder.lstat().st_mtime > _YOUNG
            if (folder / _LOCK).exists():
                with open(folder / _LOCK, "rb+") as lock:
                    abandoned = _lock(lock)
            if abandoned and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def locked(folder: Path | str, name: str = f".{_LOCK}") -> Iterator[None]:
    """Only one process at a time is in the block of a folder, which is made, and a name; the others wait.

    A killed process leaves the lock, too. Without file locks (Windows) nobody waits.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, locked(folder):
    ...     [path.name for path in Path(folder).iterdir()]
    ['.lock']
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    with open(Path(folder, name), "ab") as lock:
        if fcntl is not None:
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _lock(file: BinaryIO) -> bool:
    """Lock a file, without waiting; False if another process holds it, or there are no locks."""
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


LOCKS = ROOT / ".cache" / "locks"


def exclusive(path: Path | str) -> contextlib.AbstractContextManager[None]:
    """One process at a time does what the block does about `path`; others wait, here, until it is through.

    A process that is killed lets go of it. The lock is a file of its own in the project's .cache, so it holds
    between machines that share the project's folder and lock files (`flock`); on Windows nobody waits.

    >>> with exclusive("results/provenance.json"):
    ...     pass
    """
    name = hashlib.sha256(os.path.realpath(path).encode("utf-8", "surrogateescape")).hexdigest()[:32]
    return locked(LOCKS, name)


@contextlib.contextmanager
def atomic_path(path: Path | str) -> Iterator[Path]:
    """A name to write to, in a private folder beside `path`; once the block ends without an error, the file
    there becomes `path`.

    For libraries that want a name; `atomic_writer` gives a stream. The folder of `path` is created. On an
    error what was written is removed, and the old file stays. Raises OSError as the file system does, with
    `path` as its file.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_path(Path(folder, "new", "a.txt")) as draft:
    ...         _ = draft.write_text("text")
    ...     Path(folder, "new", "a.txt").read_text()
    'text'
    """
    path = Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with private_folder(path.parent) as folder:
            draft = folder / f"draft{path.suffix}"
            yield draft
            os.umask(mask := os.umask(0o077))
            draft.chmod(0o666 & ~mask)  # a library may have made it for its owner only
            with open(draft, "rb+") as written:
                os.fsync(written.fileno())
            os.replace(draft, path)
    except OSError as error:
        # the file to be written is named, not the draft, of which nobody knows
        named = str(error.filename or "")
        if error.errno is not None and (not named or _PRIVATE in named):
            error.filename, error.filename2 = str(path), None
        raise


@contextlib.contextmanager
def atomic_writer(path: Path | str) -> Iterator[BinaryIO]:
    """A stream of bytes that becomes the file `path`, as `atomic_path`; one that ends in .gz is compressed.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_writer(Path(folder, "a.txt.gz")) as stream:
    ...         _ = stream.write(b"text")
    ...     read_file(Path(folder, "a.txt.gz"))
    b'text'
    """
    with atomic_path(path) as draft, draft.open("wb") as stream:
        if Path(path).suffix.lower() == ".gz":
            # no name and no time inside: equal contents give equal files
            with gzip.GzipFile("", "wb", fileobj=stream, mtime=0) as zipped:
                yield cast(BinaryIO, zipped)
        else:
            yield stream


def write_atomically(path: Path | str, text: str) -> Path:
    """Write UTF-8 text with '\\n' line ends, as `atomic_writer`; returns the path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_atomically(Path(folder, "table.csv"), "a,b\\n").read_text()
    'a,b\\n'
    """
    with atomic_writer(path) as stream:
        stream.write(text.encode())
    return Path(path)


def file_sha256(path: Path | str) -> str:
    """The sha256 of a file, in hex; hashed once a process as long as its size and time stay the same."""
    state = os.stat(path)
    return _hashed(os.path.realpath(path), state.st_size, state.st_mtime_ns)


@functools.cache
def _hashed(path: str, _size: int, _time: int) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


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
