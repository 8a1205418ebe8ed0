"""Every data file of this project: address, sha256, licence, rows; where to look, how to download.

The list is `registry.csv`, one row a file. A file is looked for in the folder `$RC_DATA_DIR`, then in `data/`
of the project; it is never used unless its sha256 is the registered one. Downloads go to `data/`, whole or
not at all. Nothing is downloaded unless `fetch` is called.
"""

from __future__ import annotations

import csv
import functools
import logging
import os
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from helpers import ROOT
from helpers.core import ChecksumError, DownloadError, MissingData, file_sha256, unknown_name

logger = logging.getLogger(__name__)
REGISTRY = Path(__file__).with_name("registry.csv")
DATA_DIR_VARIABLE = "RC_DATA_DIR"


@dataclass(frozen=True, slots=True)
class DataFile:
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


class FileStatus(NamedTuple):
    """One row of `status`; `state` is ok, missing or corrupt, and `where` is None if missing."""

    dataset: str
    file: str
    where: Path | None
    state: str
    licence: str

    def __str__(self) -> str:
        return f"{self.state:<8} {self.file:<66} {self.licence:<40} {self.where or ''}".rstrip()


@functools.cache
def registry() -> dict[str, DataFile]:
    """All registered files by path, in the order of `registry.csv`.

    >>> registry()["semeval2010/TRAIN_FILE.TXT"].rows
    8000
    """
    with REGISTRY.open(encoding="utf-8", newline="") as file:
        return {row["path"]: _data_file(row) for row in csv.DictReader(file)}


def _data_file(row: dict[str, str]) -> DataFile:
    numbers = {"rows": int(row["rows"]) if row["rows"] else None, "bytes": int(row["bytes"])}
    return DataFile(**{**row, **numbers})


def search_folders() -> list[Path]:
    """Where files are looked for, in order: `$RC_DATA_DIR` if it is set, then `data/` of the project."""
    given = os.environ.get(DATA_DIR_VARIABLE)
    return [*([Path(given)] if given else []), ROOT / "data"]


def entry(path: str) -> DataFile:
    """The registry's row for a file.

    Raises
    ------
    ValueError : no such file is registered; the message gives the nearest names.

    >>> entry("semeval2010/TRAIN_FILE.TXT").licence
    'CC BY 3.0'
    """
    if path not in registry():
        raise _unknown("data file", path)
    return registry()[path]


def _unknown(kind: str, name: str) -> ValueError:
    datasets = list(dict.fromkeys(one.dataset for one in registry().values()))
    known = [*datasets, "and their files, which `python -m helpers data status` lists"]
    return unknown_name(kind, name, known, nearest_of=[*datasets, *registry()])


def locate(path: str) -> Path:
    """Where a registered file lies on this machine, its checksum verified (once a process).

    Raises
    ------
    ValueError : no such file is registered.
    MissingData : the file is in no folder; the message names the places tried, the address and the command to
        get it.
    ChecksumError : the first file found is not the registered one; it is not used, and the next folder is not
        tried.
    """
    wanted = entry(path)
    for folder in search_folders():
        found = folder / path
        if found.is_file():
            _verify(found, wanted.sha256)
            return found
    raise MissingData(_missing_message(wanted))


def _verify(found: Path, expected: str) -> None:
    actual = file_sha256(found)
    if actual != expected:
        raise ChecksumError(
            f"{found} is not the registered file: its sha256 is {actual}, expected is {expected}; "
            "it is not used. Remove it, or replace it by the original."
        )


def _missing_message(wanted: DataFile) -> str:
    places = ", ".join(str(folder / wanted.path) for folder in search_folders())
    unset = "" if os.environ.get(DATA_DIR_VARIABLE) else f" (${DATA_DIR_VARIABLE} is not set)"
    inside = f" (in it: {wanted.member})" if wanted.member else ""
    address = f"Address: {wanted.url}{inside}. Get it by: python -m helpers data fetch {wanted.path}"
    if not wanted.url:
        address = f"It has no address; to get it: {wanted.how}"
    return f"{wanted.path} is missing. Looked for {places}{unset}. {address}"


def status() -> list[FileStatus]:
    """Every registered file: where it was found, and whether it is ok, missing or corrupt."""
    return [_file_status(wanted) for wanted in registry().values()]


def _file_status(wanted: DataFile) -> FileStatus:
    found = next(
        (folder / wanted.path for folder in search_folders() if (folder / wanted.path).is_file()), None
    )
    state = "missing"
    if found:
        state = "ok" if file_sha256(found) == wanted.sha256 else "corrupt"
    return FileStatus(wanted.dataset, wanted.path, found, state, wanted.licence)


def fetch(name: str) -> list[Path]:
    """Download a file, or all files of a data set, into `data/`, with checksum and a progress bar.

    A file that lies in one of the search folders already is not downloaded again. Files without an address
    are left out with a warning that says how to get them. Nothing is written unless it is whole and its
    checksum is right.

    Returns
    -------
    Where the files lie.

    Raises
    ------
    ValueError : neither a registered file nor a data set.
    DownloadError : the address cannot be reached, or the archive lacks the file.
    ChecksumError : what was downloaded, or a file found, is not the registered file.
    MissingData : none of the files has an address.
    """
    wanted = _chosen(name)
    fetchable = [one for one in wanted if one.url]
    if not fetchable:
        raise MissingData(_missing_message(wanted[0]))
    for one in wanted:
        if not one.url:
            logger.warning("%s has no address; to get it: %s", one.path, one.how)
    return [_fetch_file(one) for one in fetchable]


def _chosen(name: str) -> list[DataFile]:
    if name in registry():
        return [registry()[name]]
    chosen = [one for one in registry().values() if one.dataset == name]
    if not chosen:
        raise _unknown("data set or file", name)
    return chosen


def _fetch_file(wanted: DataFile) -> Path:
    try:
        return locate(wanted.path)
    except MissingData:
        pass
    target = ROOT / "data" / wanted.path
    # on the disk of data/, which may be a link to another one: the last step is a rename
    beside = ROOT / "data" if (ROOT / "data").is_dir() else ROOT
    with tempfile.TemporaryDirectory(prefix=".download-", dir=beside) as folder:
        whole = _download(wanted, folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(whole, target)
    return target


def _download(wanted: DataFile, folder: str) -> Path:
    """The verified file in a temporary folder; pooch (and with it the network stack) is loaded only here."""
    import pooch

    pooch.get_logger().setLevel("WARNING")
    bar = pooch.HTTPDownloader(progressbar=True, timeout=30)
    try:
        got = Path(pooch.retrieve(wanted.url, known_hash=None, fname="download", path=folder, downloader=bar))
        if wanted.member:
            got = _extract(got, wanted.member)
    except (OSError, tarfile.TarError) as error:
        place = ROOT / "data" / wanted.path
        raise DownloadError(
            f"{wanted.path} could not be downloaded from {wanted.url} ({error}). Nothing was written. "
            f"Without a network put it at {place}, or set ${DATA_DIR_VARIABLE} to a folder that holds it."
        ) from error
    _verify(got, wanted.sha256)
    return got


def _extract(archive: Path, member: str) -> Path:
    """The archive's file whose name is `member` or ends in it, whatever folder the archive puts around it."""
    with tarfile.open(archive) as tar:
        names = [name for name in tar.getnames() if f"/{name}".endswith(f"/{member}")]
        if len(names) != 1:
            raise tarfile.TarError(f"the archive holds {len(names)} files named {member}, one is expected")
        content = tar.extractfile(names[0]).read()
    target = archive.with_name("member")
    target.write_bytes(content)
    return target
