"""One file over http or https, tried again and resumed where it broke off; one member of a tar archive.

The other side is not trusted: what it sends can be cut off, too long, too slow, endless or no HTTP at all,
and an archive can be broken. All of it ends as an OSError that gives the reason in one line. Whether the
bytes are the right ones is for the caller to check.
"""

from __future__ import annotations

import logging
import re
import shutil
import tarfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from time import monotonic, sleep
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urljoin

from ..core import abridged

if TYPE_CHECKING:
    import requests
    from tqdm import tqdm

logger = logging.getLogger(__name__)
WAITS = (1.0, 2.0, 4.0)  # seconds before the second, the third and the fourth try
STALL = 30.0  # seconds without a byte that end a try
LIMIT = 30 * 60.0  # seconds for a file, all tries together
REDIRECTS = 10
LARGEST = 1 << 30  # bytes of a download whose size is not known: an archive
UNPACKED, MEMBERS = 4 << 30, 100_000  # an archive that unpacks to more bytes or members is not read
_BLOCK, _REASON = 1 << 16, 300  # bytes of one read; characters of a reason
_LATER = {HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS}


class _Broken(OSError):
    """A fault that may be gone at the next try."""


def download_file(url: str, target: Path, label: str, size: int | None = None) -> None:
    """Write what lies at an address to a file, with a progress bar on a terminal.

    Parameters
    ----------
    url : http or https, as every address that it redirects to.
    target : a file that is not there yet, in a folder of the caller's own; after an error it holds anything.
    label : what the notes on a new try and the progress bar call the file.
    size : its bytes; a file of any other size is an error. None: not known, at most `LARGEST`.

    Raises
    ------
    OSError : the file does not come, not whole, not in time, or is too large.

    >>> download_file("file:///a.txt", Path("a.txt"), "toy/a.txt")
    Traceback (most recent call last):
    OSError: 'file:///a.txt' is no address of http or https
    """
    _check_scheme(url)
    end = monotonic() + LIMIT
    # Closing the file also ends a try that was given up: its thread cannot write any more.
    with target.open("wb") as out:
        transfer = _Transfer(url, out, size)
        for pause in (*WAITS, None):
            try:
                return _try_once(transfer, label, end)
            except _Broken as error:
                if pause is None:
                    raise OSError(f"{error}; tried {len(WAITS) + 1} times") from error
                logger.warning("%s: %s; trying again in %g s", label, error, pause)
            sleep(pause)


@dataclass
class _Transfer:
    """What came so far is in `out`; `validator` names the version of the file that it belongs to."""

    url: str
    out: BinaryIO
    size: int | None
    validator: str = ""

    @property
    def have(self) -> int:
        """The bytes that are here so far."""
        return self.out.tell()

    def request_headers(self) -> dict[str, str]:
        """Those of the next request: the bytes as they are, and only the missing ones."""
        headers = {"Accept-Encoding": "identity"}  # the size and the place to resume at count plain bytes
        if self.have:
            headers["Range"] = f"bytes={self.have}-"
            if self.validator:  # the server sends the whole file if it is another one by now
                headers["If-Range"] = self.validator
        return headers

    def begin(self, response: requests.Response) -> int | None:
        """Check what the server announces, and get ready for it.

        Returns
        -------
        The bytes of the whole file; None if nobody knows.
        """
        self._check_status(response)
        if response.status_code == HTTPStatus.OK:  # not resumed, or the first try
            self._restart()
            self.validator = _validator(response)
        announced = _content_length(response)
        total = self.size if announced is None else self.have + announced
        if self.size not in (None, total):
            raise OSError(f"the server announces {total} bytes, the registered file has {self.size}")
        self._check_size(total or 0)
        return total

    def write(self, block: bytes) -> None:
        """Append a block; OSError if that is more than the file may have."""
        self._check_size(self.have + len(block))
        self.out.write(block)

    def finish(self, total: int | None) -> None:
        """Check that nothing is missing."""
        if total is not None and self.have < total:
            raise _Broken(f"the connection ended after {self.have} of {total} bytes")

    def _check_status(self, response: requests.Response) -> None:
        status, part = response.status_code, response.headers.get("Content-Range", "")
        resumed = status == HTTPStatus.PARTIAL_CONTENT and part.startswith(f"bytes {self.have}-")
        if status == HTTPStatus.OK or (self.have and resumed):
            return
        if self.have and status in (HTTPStatus.PARTIAL_CONTENT, HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE):
            self._restart()
            raise _Broken("the server does not go on where the file broke off")
        kind = _Broken if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _LATER else OSError
        raise kind(_one_line(f"the server answers {status} {response.reason or ''}"))

    def _check_size(self, size: int) -> None:
        if self.size is None and size > LARGEST:
            raise OSError(f"it has more bytes than {LARGEST}, the most for an archive")
        if self.size is not None and size > self.size:
            raise OSError(f"it has more bytes than the {self.size} registered")

    def _restart(self) -> None:
        self.out.seek(0)
        self.out.truncate()
        self.validator = ""


def _try_once(transfer: _Transfer, label: str, end: float) -> None:
    """One request and its answer.

    Raises
    ------
    OSError : as the libraries' own errors too; `_Broken` where another try may help.
    """
    import requests
    import urllib3
    from tqdm import tqdm

    form = {"desc": label, "unit": "B", "unit_scale": True, "unit_divisor": 1024}
    try:
        with tqdm(total=transfer.size, initial=transfer.have, disable=None, **form) as bar:
            _in_time(lambda: _receive(transfer, bar), end)
    except (requests.RequestException, urllib3.exceptions.HTTPError, ValueError) as error:
        # a ValueError is an address or a header against the rules, which no other try mends
        kind = OSError if isinstance(error, ValueError) else _Broken
        raise kind(_reason(error)) from error


def _in_time(work: Callable[[], None], end: float) -> None:
    """Do `work` until `end` at most, in a thread of its own.

    The sockets' limit is for one wait, and a server that sends a byte now and then never reaches it; headers
    are read by the library, so that nobody can look at the clock in between. A thread left behind waits for
    one server, and stops at the first byte of the file.
    """
    done: Future[None] = Future()

    def run() -> None:
        try:
            work()
            done.set_result(None)
        except BaseException as error:
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    if wait([done], max(0.0, end - monotonic())).not_done:
        raise OSError(f"it takes longer than {LIMIT / 60:g} minutes")
    done.result()


def _receive(transfer: _Transfer, bar: tqdm) -> None:
    with _session() as session, _answer(session, transfer.url, transfer.request_headers()) as response:
        bar.total = total = transfer.begin(response)
        if transfer.have < bar.n:  # the server began anew
            bar.initial = 0
            bar.reset()
        response.raw.enforce_content_length = False  # `finish` does, and names the numbers
        # `read1` gives what is there: of a block that breaks off, nothing is lost for the next try
        while block := response.raw.read1(_BLOCK, decode_content=False):
            transfer.write(block)
            bar.update(len(block))
        transfer.finish(total)


def _session() -> requests.Session:
    """A session that follows no redirects: requests would read their bodies, however long, into memory."""
    import requests

    # of headers that are no headers it would print a traceback; what matters of them is checked here
    logging.getLogger("urllib3.connection").setLevel(logging.ERROR)

    class WithoutRedirects(requests.Session):
        def get_redirect_target(self, resp: requests.Response) -> None:
            return None

    return WithoutRedirects()


def _answer(session: requests.Session, url: str, headers: dict[str, str]) -> requests.Response:
    """The answer at the end of all redirects, of which no body was read."""
    import requests

    for _ in range(REDIRECTS + 1):
        response = session.get(url, headers=headers, stream=True, timeout=STALL, allow_redirects=False)
        try:
            location = requests.Session.get_redirect_target(session, response)
        except UnicodeError as error:
            response.close()
            raise OSError("the server redirects to an address that is no UTF-8") from error
        if location is None:
            return response
        response.close()
        url = urljoin(url, location)
        _check_scheme(url)
    raise OSError(f"the server redirects more than {REDIRECTS} times")


def _check_scheme(url: str) -> None:
    if not re.match("https?://", url, re.IGNORECASE):
        raise OSError(_one_line(f"{url!r} is no address of http or https"))


def _content_length(response: requests.Response) -> int | None:
    """What the header says; None without one, or where the chunks of the body tell its end.

    Raises
    ------
    OSError : it is no number.
    """
    text = response.headers.get("Content-Length")
    if text is None or "Transfer-Encoding" in response.headers:
        return None
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise OSError(_one_line(f"the server's Content-Length is no number of bytes: {text!r}"))
    return int(text)


def _validator(response: requests.Response) -> str:
    """What `If-Range` may name: the strong ETag, else the time of the last change, '' without both."""
    tag, changed = (response.headers.get(name, "") for name in ("ETag", "Last-Modified"))
    text = tag if tag.startswith('"') else changed
    return text if text.isascii() and text.isprintable() else ""  # it is sent back


def _reason(error: BaseException) -> str:
    """The first cause of an error of the network: the libraries wrap it several times."""
    while cause := error.__cause__ or (None if error.__suppress_context__ else error.__context__):
        error = cause
    if isinstance(error, TimeoutError) and error.errno is None:
        return f"nothing came for {STALL:g} s"
    return _one_line(str(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}")


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
    OSError : the archive is broken or too large, or the member is absent, no plain file, or of another size.

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
        reason = _one_line(str(error)) or type(error).__name__
        raise OSError(f"the archive cannot be used: {reason}") from error


def _plain_member(tar: tarfile.TarFile, member: str, size: int) -> tarfile.TarInfo:
    found = [one for one in _members(tar) if f"/{one.name}".endswith(f"/{member}")]
    if len(found) != 1:
        raise tarfile.TarError(f"it holds {len(found)} files named {member}, one is expected")
    if not found[0].isfile():
        raise tarfile.TarError(f"{member} in it is no plain file but a link, a folder, a pipe or a device")
    if found[0].size != size:
        raise tarfile.TarError(f"{member} in it has {found[0].size} bytes, the registered file {size}")
    return found[0]


def _members(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    """All members; a few bytes of gzip can stand for any number of them, or of bytes to pass over."""
    for count, one in enumerate(tar):
        if count >= MEMBERS or not 0 <= one.size <= UNPACKED - one.offset_data:
            raise tarfile.TarError(f"it unpacks to more than {MEMBERS} members or {UNPACKED} bytes")
        yield one
