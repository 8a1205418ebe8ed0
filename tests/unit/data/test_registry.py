"""Where data files are looked for, what happens to a wrong one, and that a download is whole or not there."""

import gc
import gzip
import hashlib
import io
import json
import tarfile
import tempfile
import threading
import warnings
from collections import defaultdict
from collections.abc import Callable
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from helpers.core.errors import ChecksumError, DownloadError, MissingData
from helpers.data import ENCODER_PACKAGES
from helpers.data import files as registry
from helpers.data.formats import json_array, read_kbp37, read_semeval

TEXT = b"one\ntwo\n"


def data_file(url: str = "", content: bytes = TEXT, **changes: str) -> registry.DataFile:
    sha256 = hashlib.sha256(content).hexdigest()
    fields = {
        "path": "toy/a.txt",
        "dataset": "toy",
        "licence": "MIT",
        "member": "",
        "how": "write it",
    } | changes
    return registry.DataFile(rows=2, bytes=len(content), sha256=sha256, url=url, **fields)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project without data; no RC_DATA_DIR, and no proxy before the servers here."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr(registry, "ROOT", tmp_path)
    monkeypatch.delenv("RC_DATA_DIR", raising=False)
    return tmp_path


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch):
    def _register(*files: registry.DataFile) -> None:
        monkeypatch.setattr(registry, "registered_files", lambda: {one.path: one for one in files})

    return _register


class Server(ThreadingHTTPServer):
    """A web server on this machine.

    `pages` : path → the whole body, or a function that answers a request itself.
    `cuts` : path → where the connection breaks off. `asked` : the headers of the requests, by path.
    """

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages: dict[str, bytes | Callable[[Handler], None]] = {}
        self.cuts: dict[str, int] = {}
        self.asked: dict[str, list[Message]] = defaultdict(list)
        self.address = f"http://127.0.0.1:{self.server_port}"
        self.over = threading.Event()

    def handle_error(self, *_args: object) -> None:
        """The other side hung up, as it should."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked[self.path].append(self.headers)
        found = self.server.pages.get(self.path)
        if callable(found):
            found(self)
        else:
            self.answer(200 if found else 404, found or b"", cut=self.server.cuts.get(self.path))

    def answer(
        self,
        status: int = 200,
        body: bytes = b"",
        length: object = None,
        cut: int | None = None,
        **headers: str,
    ) -> None:
        """Status, headers and body; `length` is a Content-Length that is not true, '' for none at all."""
        self.send_response(status)
        if length != "":
            headers["Content-Length"] = str(len(body) if length is None else length)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body[:cut])

    @property
    def nth(self) -> int:
        """How many requests for this page there were, with this one."""
        return len(self.server.asked[self.path])

    def forever(self, part: bytes, pause: float = 0.0) -> None:
        """Write until the other side hangs up."""
        while not self.server.over.wait(pause):
            self.wfile.write(part)

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def server():
    with Server() as http:
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield http
        http.over.set()
        http.shutdown()


@pytest.fixture(autouse=True)
def temp(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for temporary files that nobody else uses."""
    folder = tmp_path_factory.mktemp("temp")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "WAIT", 0.0)


@pytest.fixture
def refused(project: Path, temp: Path, register):
    """The message of a download that fails; it has what everyone of them owes its reader."""

    def fails(url: str, **changes: str) -> str:
        register(data_file(url, **changes))
        with pytest.raises(DownloadError) as caught:
            registry.fetch("toy")
        message = str(caught.value)
        with warnings.catch_warnings(action="ignore", category=ResourceWarning):
            del caught
            gc.collect()  # requests leaves the connection of a refused redirect to the collector
        target = project / "data" / "toy" / "a.txt"
        assert message.startswith(f"toy/a.txt could not be downloaded from {url} (")
        assert message.endswith(
            f"). Nothing was written. Without a network put it at {target}, "
            "or set $RC_DATA_DIR to a folder that has it."
        )
        assert message.isprintable() and str(temp) not in message
        assert leftovers(project) == [] and list(temp.iterdir()) == []
        return message

    return fails


def packed(*members: tuple[str, bytes], mode: str = "w:gz") -> bytes:
    """A tar archive of members, each a type and a content, all of one name."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode=mode) as tar:
        for kind, content in members:
            member = tarfile.TarInfo("outer/inner/a.txt")
            member.type, member.size, member.linkname = kind, len(content), "/etc/passwd"
            tar.addfile(member, io.BytesIO(content))
    return raw.getvalue()


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() or not any(path.iterdir())]


class TestTheList:
    def test_every_row_has_a_checksum_a_licence_and_a_way_to_get_it(self) -> None:
        for path, one in registry.registered_files().items():
            assert one.path == path
            assert len(one.sha256) == 64 and one.bytes > 0 and one.licence
            assert bool(one.url) != bool(one.how)
            assert not one.url or one.url.startswith("https://raw.githubusercontent.com/")


class TestLocate:
    def test_named_folder_comes_before_the_projects_own(self, project, register, monkeypatch) -> None:
        register(data_file())
        own, named = project / "data" / "toy" / "a.txt", project / "named" / "toy" / "a.txt"
        for path in (own, named):
            path.parent.mkdir(parents=True)
            path.write_bytes(TEXT)
        assert registry.locate("toy/a.txt") == own
        monkeypatch.setenv("RC_DATA_DIR", str(project / "named"))
        assert registry.locate("toy/a.txt") == named
        named.unlink()
        assert registry.locate("toy/a.txt") == own

    def test_missing_file_names_places_address_and_command(self, project, register, monkeypatch) -> None:
        register(data_file("https://example.org/a.txt"))
        monkeypatch.setenv("RC_DATA_DIR", str(project / "named"))
        with pytest.raises(MissingData) as caught:
            registry.locate("toy/a.txt")
        for part in (
            str(project / "named" / "toy" / "a.txt"),
            str(project / "data" / "toy" / "a.txt"),
            "https://example.org/a.txt",
            "python -m helpers data fetch toy/a.txt",
        ):
            assert part in str(caught.value)
        assert isinstance(caught.value, FileNotFoundError)

    def test_wrong_file_names_both_sums_and_is_not_used(self, project, register) -> None:
        register(data_file())
        path = project / "data" / "toy" / "a.txt"
        path.parent.mkdir(parents=True)
        path.write_bytes(b"half")
        with pytest.raises(ChecksumError) as caught:
            registry.locate("toy/a.txt")
        assert hashlib.sha256(b"half").hexdigest() in str(caught.value)
        assert hashlib.sha256(TEXT).hexdigest() in str(caught.value)
        path.write_bytes(TEXT)
        assert registry.locate("toy/a.txt") == path


class TestFetch:
    def test_whole_file(self, project, register, server) -> None:
        server.pages["/a.txt"] = TEXT
        register(data_file(f"{server.address}/a.txt"))
        assert registry.fetch("toy") == [project / "data" / "toy" / "a.txt"]
        assert leftovers(project) == [project / "data" / "toy" / "a.txt"]
        server.pages.clear()
        assert registry.fetch("toy/a.txt")[0].read_bytes() == TEXT, "a file that is here is not fetched again"

    def test_member_of_an_archive(self, project, register, server, temp) -> None:
        server.pages["/all.tar.gz"] = packed((tarfile.REGTYPE, TEXT))
        register(data_file(f"{server.address}/all.tar.gz", member="inner/a.txt"))
        assert registry.fetch("toy/a.txt")[0].read_bytes() == TEXT
        assert list(temp.iterdir()) == []
        register(data_file(f"{server.address}/all.tar.gz", member="inner/b.txt", path="toy/b.txt"))
        with pytest.raises(DownloadError, match=r"one plain file inner/b.txt of 8 bytes is expected in it"):
            registry.fetch("toy/b.txt")

    def test_wrong_download_leaves_nothing(self, project, register, server, temp) -> None:
        url = f"{server.address}/a.txt"
        server.pages["/a.txt"] = TEXT.upper()
        register(data_file(url))
        with pytest.raises(ChecksumError) as caught:
            registry.fetch("toy")
        message = str(caught.value)
        sums = (hashlib.sha256(text).hexdigest() for text in (TEXT, TEXT.upper()))
        assert all(part in message for part in (url, "toy/a.txt", "Nothing was written", *sums))
        assert str(temp) not in message
        assert leftovers(project) == [] and list(temp.iterdir()) == []


class TestTheServer:
    """It is not trusted, and not always well."""

    @pytest.mark.parametrize("status", [408, 429, 500, 503])
    def test_faults_that_pass(self, project, register, server, status) -> None:
        server.pages["/a.txt"] = lambda request: request.answer(status if request.nth < 3 else 200, TEXT)
        register(data_file(f"{server.address}/a.txt"))
        assert registry.fetch("toy")[0].read_bytes() == TEXT

    def test_they_end(self, refused, server) -> None:
        server.pages["/a.txt"] = lambda request: request.answer(500)
        assert "500 Server Error" in refused(f"{server.address}/a.txt")
        assert len(server.asked["/a.txt"]) == registry.TRIES

    def test_a_body_without_end(self, refused, server, monkeypatch) -> None:
        monkeypatch.setattr(registry, "LARGEST", 100_000)
        server.pages["/a.txt"] = lambda request: [request.answer(length=""), request.forever(b"x" * 1000)]
        assert "it has more bytes than 8" in refused(f"{server.address}/a.txt")
        assert "it has more bytes than 100000" in refused(f"{server.address}/a.txt", member="a.txt")

    @pytest.mark.parametrize(
        "answer",
        [
            b"\x1b[31mno HTTP\r\n\r\n",
            b"HTTP/1.1 200" + b" " * 100_000,
            b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1000,
            b"HTTP/1.1 404 \x1b[31m\xff\r\n\r\n",
            b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n",
            b"HTTP/1.1 302 Found\r\nLocation: \xff\r\n\r\n",
        ],
    )
    def test_answers_that_are_no_http(self, refused, server, answer) -> None:
        server.pages["/a.txt"] = lambda request: request.wfile.write(answer)
        assert len(refused(f"{server.address}/a.txt")) < 1000


class TestRedirects:
    @pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://127.0.0.1/a.txt"])
    def test_only_to_the_web(self, refused, server, address) -> None:
        server.pages["/a.txt"] = lambda request: request.answer(301, Location=address)
        assert address in refused(f"{server.address}/a.txt")
        assert address in refused(address)


class TestArchives:
    """Those of which nothing is taken; see TestFetch for the others."""

    @pytest.mark.parametrize("kind", ["SYMTYPE", "LNKTYPE", "DIRTYPE", "FIFOTYPE", "CHRTYPE", "BLKTYPE"])
    def test_no_plain_file(self, refused, server, kind) -> None:
        server.pages["/all.tar.gz"] = packed((getattr(tarfile, kind), b""))
        message = refused(f"{server.address}/all.tar.gz", member="inner/a.txt")
        assert "one plain file inner/a.txt of 8 bytes is expected in it" in message

    @pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
    def test_cut_or_broken(self, refused, server, mode) -> None:
        content = b"".join(b"%d\n" % number for number in range(5000))
        archive = packed((tarfile.REGTYPE, content), mode=mode)
        middle = len(archive) // 2
        server.pages |= {"/cut": archive[:middle], "/head": archive[:100], "/page": b"<html>moved</html>"}
        if mode != "w":  # in a plain archive only the checksum tells
            server.pages["/changed"] = archive[:middle] + b"\xff" * 1000 + archive[middle + 1000 :]
        for page in server.pages:
            message = refused(f"{server.address}{page}", member="inner/a.txt", content=content)
            assert "the archive cannot be used: " in message


class TestRealData:
    def test_every_file_is_the_registered_one(self, data_dir: Path) -> None:
        data = {
            path: one
            for path, one in registry.registered_files().items()
            if one.dataset not in ENCODER_PACKAGES  # of an encoder, which `data fetch` gets
        }
        for path, one in data.items():
            assert (data_dir / path).stat().st_size == one.bytes, path
            assert registry.locate(path).samefile(data_dir / path)

    def test_rows(self, data_dir: Path) -> None:
        counted = {
            path: one.rows for path, one in registry.registered_files().items() if one.rows is not None
        }
        assert counted == {path: count_rows(data_dir / path) for path in counted}
        assert counted["semeval2010/TRAIN_FILE.TXT"] == 8000


def count_rows(path: Path) -> int:
    if path.parent.name in ("kbp37", "semeval2010"):
        return len((read_kbp37 if path.parent.name == "kbp37" else read_semeval)(path))
    if path.suffix in (".npy", ".npz"):
        found = np.load(path)
        return len(found["gold_lengths"] if path.suffix == ".npz" else found)
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).count(b"\n") - 1
    if path.suffix == ".json":
        text = path.read_text("utf-8")
        return len(json.loads(text)) if text.startswith("{") else sum(1 for _ in json_array(path))
    return sum(1 for line in path.read_bytes().split(b"\n") if line.strip())
