"""One file over http or https; one member of a tar archive.

The other side is not trusted: what it sends can be cut off, too long or no HTTP at all, and an archive can be
broken. All of it ends as an OSError that gives the reason in one line. Whether the bytes are the right ones,
the caller checks.
"""

from __future__ import annotations

import shutil
import tarfile
from pathlib import Path

from ..core import abridged

WAIT = 1.0  # seconds before the second try, twice as many before each that follows
TRIES = 4
STALL = 30.0  # seconds without a byte that end a try
LARGEST = 1 << 30  # bytes of a download whose size is not known: an archive
_LATER = (408, 425, 429, 500, 502, 503, 504)
_BLOCK, _REASON = 1 << 16, 300  # bytes of one read; characters of a reason


def download_file(url: str, target: Path, label: str, size: int | None = None) -> None:
    """Write what lies at an address to a file, with a progress bar on a terminal.

    A connection that is refused and an answer that asks for patience are tried again, `TRIES` times in all.

    Parameters
    ----------
    url : http or https. target : a file in a folder of the caller's own; after an error it holds anything.
    label : what the progress bar calls the file. size : its bytes; None: not known, at most `LARGEST`.

    Raises
    ------
    OSError : the file does not come, not whole, or is too large.

    >>> download_file("file:///a.txt", Path("a.txt"), "toy/a.txt")
    Traceback (most recent call last):
    OSError: No connection adapters were found for 'file:///a.txt'
    """
    import requests
    from requests.adapters import HTTPAdapter
    from tqdm import tqdm
    from urllib3 import Retry

    most = LARGEST if size is None else size
    again = Retry(TRIES - 1, redirect=10, status_forcelist=_LATER, backoff_factor=WAIT, raise_on_status=False)
    try:
        with requests.Session() as session:
            session.mount("http://", HTTPAdapter(max_retries=again))
            session.mount("https://", HTTPAdapter(max_retries=again))
            headers = {"Accept-Encoding": "identity"}  # the size counts plain bytes
            with (
                session.get(url, headers=headers, stream=True, timeout=STALL) as response,
                target.open("wb") as out,
                tqdm(total=size, desc=label, unit="B", unit_scale=True, disable=None) as bar,
            ):
                response.raise_for_status()
                for block in response.iter_content(_BLOCK):
                    if out.tell() + len(block) > most:
                        raise OSError(f"it has more bytes than {most}")
                    out.write(block)
                    bar.update(len(block))
    except (requests.RequestException, ValueError) as error:  # an address or a header against the rules
        raise OSError(_one_line(_first_cause(error))) from error
    if size is not None and target.stat().st_size < size:
        raise OSError(f"the connection ended after {target.stat().st_size} of {size} bytes")


def _first_cause(error: BaseException) -> str:
    """What an error of the network says at its root: the libraries wrap it several times."""
    while cause := error.__cause__ or (None if error.__suppress_context__ else error.__context__):
        error = cause
    return str(error) or type(error).__name__


def _one_line(text: str) -> str:
    """A text that the other side may have written: one line, of limited length, no control characters."""
    text = " ".join(text.split())
    return abridged(text if text.isprintable() else repr(text)[1:-1], _REASON)


def unpack_member(archive: Path, member: str, size: int, target: Path) -> None:
    """Write one member of a tar archive (also gzip, bzip2, xz) to a file, whatever path it has inside.

    Parameters
    ----------
    archive : nothing of it is unpacked but the member.
    member : the end of its path, from a folder's or its own name on; exactly one path may end so.
    size : its bytes.
    target : where to write it; no path of the archive is used.

    Raises
    ------
    OSError : the archive is broken, or the member is absent, no plain file, or of another size.

    >>> import io, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     archive, target = Path(folder, "all.tar"), Path(folder, "a.txt")
    ...     with tarfile.open(archive, "w") as tar:
    ...         inside = tarfile.TarInfo("outer/inner/a.txt")
    ...         inside.size = 4
    ...         tar.addfile(inside, io.BytesIO(b"text"))
    ...     unpack_member(archive, "inner/a.txt", 4, target)
    ...     target.read_text()
    'text'
    """
    try:
        with tarfile.open(archive) as tar, target.open("wb") as out:
            inside = tar.extractfile(_plain_member(tar, member, size))
            assert inside is not None  # it is a plain file
            shutil.copyfileobj(inside, out)
    except Exception as error:  # of a broken archive tarfile lets through what gzip, struct and int raise
        if isinstance(error, OSError) and error.errno is not None:  # a fault of this machine, as a full disk
            raise
        raise OSError(
            f"the archive cannot be used: {_one_line(str(error)) or type(error).__name__}"
        ) from error


def _plain_member(tar: tarfile.TarFile, member: str, size: int) -> tarfile.TarInfo:
    inside = [entry for entry in tar if f"/{entry.name}".endswith(f"/{member}")]
    if len(inside) != 1:
        raise tarfile.TarError(f"it holds {len(inside)} files named {member}, one is expected")
    if not inside[0].isfile():
        raise tarfile.TarError(f"{member} in it is no plain file but a link, a folder, a pipe or a device")
    if inside[0].size != size:
        raise tarfile.TarError(f"{member} in it has {inside[0].size} bytes, the registered file {size}")
    return inside[0]
