"""Where data files are looked for, what happens to a wrong one, and that a download is whole or not there."""

import gc
import hashlib
import io
import subprocess
import tarfile
import threading
import warnings
import zipfile
from collections import Counter
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helpers.core import ChecksumError, DownloadError, MissingData
from helpers.data import ENCODER_PACKAGES, files, registered_files

TEXT = b"one\ntwo\n"
SUMS = [hashlib.sha256(text).hexdigest() for text in (TEXT, TEXT.upper())]


def data_file(url: str = "", content: bytes = TEXT, **changes: str) -> files._DataFile:
    fields = {"path": "toy/a.txt", "dataset": "toy", "licence": "MIT", "member": "", "how": "write it"}
    sha256 = hashlib.sha256(content).hexdigest()
    return files._DataFile(rows=2, bytes=len(content), sha256=sha256, url=url, **fields | changes)


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project without data; no RC_DATA_DIR, no proxy before the servers here, no pauses between tries."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.delenv("RC_DATA_DIR", raising=False)
    for name, value in {"ROOT": tmp_path, "WAIT": 0.0}.items():
        monkeypatch.setattr(files, name, value)
    return tmp_path


@pytest.fixture
def register(monkeypatch):
    def _register(*rows: files._DataFile) -> None:
        monkeypatch.setattr(files, "registered_files", lambda: {row.path: row for row in rows})

    return _register


def answer(body: bytes = b"", status: str = "200 OK", header: str = "") -> bytes:
    """A whole answer of a web server; its length is not said where a `header` is given."""
    header = header or f"Content-Length: {len(body)}"
    return f"HTTP/1.0 {status}\r\n{header}\r\n\r\n".encode() + body


class Server(ThreadingHTTPServer):
    """A web server on this machine. `pages` : path → the answers to its requests, the last one for ever."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.pages, self.asked = {}, Counter()
        self.address = f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, *_args: object) -> None:
        """The other side hung up, as it should."""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.asked[self.path] += 1
        answers = self.server.pages[self.path]
        self.wfile.write(answers[min(self.server.asked[self.path], len(answers)) - 1])

    def log_message(self, *_args: object) -> None:
        pass


@pytest.fixture
def server():
    with Server() as http:
        threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield http
        http.shutdown()


@pytest.fixture
def refused(project, register):
    """The message of a download that fails; it has what everyone of them owes its reader."""

    def fails(url: str, **changes: str) -> str:
        register(data_file(url, **changes))
        with pytest.raises(DownloadError) as caught:
            files.fetch("toy")
        message = str(caught.value)
        with warnings.catch_warnings(action="ignore", category=ResourceWarning):
            del caught
            gc.collect()  # requests leaves the connection of a refused redirect to the collector
        target = project / "data" / "toy" / "a.txt"
        assert message.startswith(f"toy/a.txt could not be downloaded from {url} (")
        advice = f"Nothing was written. Without a network put it at {target}, or set $RC_DATA_DIR to a folder"
        assert message.endswith(f"). {advice} that has it.")
        assert message.isprintable() and len(message) < 1000 and leftovers(project) == []
        return message

    return fails


def packed(kind: bytes = tarfile.REGTYPE, content: bytes = TEXT, mode: str = "w:gz") -> bytes:
    """A tar archive of one member."""
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode=mode) as tar:
        member = tarfile.TarInfo("outer/inner/a.txt")
        member.type, member.size, member.linkname = kind, len(content), "/etc/passwd"
        tar.addfile(member, io.BytesIO(content))
    return raw.getvalue()


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() or not any(path.iterdir())]


class TestLocate:
    def test_named_folder_comes_before_the_projects_own(self, project, register, monkeypatch):
        register(data_file())
        own, named = (project / folder / "toy" / "a.txt" for folder in ("data", "named"))
        for path in (own, named):
            path.parent.mkdir(parents=True)
            path.write_bytes(TEXT)
        assert files.locate("toy/a.txt") == own
        monkeypatch.setenv("RC_DATA_DIR", str(project / "named"))
        assert files.locate("toy/a.txt") == named
        named.unlink()
        assert files.locate("toy/a.txt") == own

    def test_missing_file_names_places_address_and_command(self, project, register, monkeypatch):
        register(data_file("https://example.org/a.txt"))
        monkeypatch.setenv("RC_DATA_DIR", str(project / "named"))
        with pytest.raises(MissingData) as caught:
            files.locate("toy/a.txt")
        places = [str(project / folder / "toy" / "a.txt") for folder in ("named", "data")]
        advice = ("https://example.org/a.txt", "python -m helpers data fetch toy/a.txt")
        assert all(part in str(caught.value) for part in (*places, *advice))
        assert isinstance(caught.value, FileNotFoundError)
        register(data_file())
        with pytest.raises(MissingData, match="It has no address; to get it: write it"):
            files.fetch("toy")

    def test_wrong_file_names_both_sums_and_is_not_used(self, project, register):
        register(data_file())
        path = project / "data" / "toy" / "a.txt"
        path.parent.mkdir(parents=True)
        path.write_bytes(TEXT.upper())
        with pytest.raises(ChecksumError) as caught:
            files.locate("toy/a.txt")
        assert all(sha256 in str(caught.value) for sha256 in SUMS)
        path.write_bytes(TEXT)
        assert files.locate("toy/a.txt") == path


class TestFetch:
    def test_whole_file(self, project, register, server):
        server.pages["/a.txt"] = [answer(TEXT)]
        register(data_file(f"{server.address}/a.txt"))
        assert files.fetch("toy") == leftovers(project) == [project / "data" / "toy" / "a.txt"]
        server.pages.clear()
        assert files.fetch("toy/a.txt")[0].read_bytes() == TEXT, "a file that is here is not fetched again"

    def test_member_of_an_archive(self, refused, project, register, server):
        server.pages["/all.tar.gz"] = [answer(packed())]
        address = f"{server.address}/all.tar.gz"
        assert "one plain file inner/b.txt of 8 bytes is" in refused(address, member="inner/b.txt")
        register(data_file(address, member="inner/a.txt"))
        assert files.fetch("toy/a.txt")[0].read_bytes() == TEXT

    def test_wrong_download_leaves_nothing(self, project, register, server):
        server.pages["/a.txt"] = [answer(TEXT.upper())]
        register(data_file(f"{server.address}/a.txt"))
        with pytest.raises(ChecksumError) as caught:
            files.fetch("toy")
        parts = (f"{server.address}/a.txt", "toy/a.txt", "Nothing was written", *SUMS)
        assert all(part in str(caught.value) for part in parts) and leftovers(project) == []

    @pytest.mark.parametrize("status", ["408 Timeout", "429 Many", "500 Error", "503 Busy"])
    def test_faults_of_a_server_that_pass(self, project, register, server, status):
        server.pages["/a.txt"] = [answer(status=status)] * 2 + [answer(TEXT)]
        register(data_file(f"{server.address}/a.txt"))
        assert files.fetch("toy")[0].read_bytes() == TEXT

    def test_faults_that_stay(self, refused, server):
        server.pages["/a.txt"] = [answer(status="500 Error")]
        assert "500 Server Error" in refused(f"{server.address}/a.txt")
        assert server.asked["/a.txt"] == files.TRIES

    def test_a_body_without_end_or_too_short(self, refused, server, monkeypatch):
        monkeypatch.setattr(files, "LARGEST", 100_000)
        server.pages |= {"/a.txt": [answer(b"x" * 10**6, header="a: b")], "/b.txt": [answer(TEXT[:3])]}
        assert "it has more bytes than 8" in refused(f"{server.address}/a.txt")
        assert "it has more bytes than 100000" in refused(f"{server.address}/a.txt", member="a.txt")
        assert "the connection ended after 3 of 8 bytes" in refused(f"{server.address}/b.txt")

    @pytest.mark.parametrize(
        "raw",
        [
            b"\x1b[31mno HTTP\r\n\r\n",
            b"HTTP/1.1 200" + b" " * 100_000,
            b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 1000,
            b"HTTP/1.1 404 \x1b[31m\xff\r\n\r\n",
            b"HTTP/1.1 302 Found\r\nLocation: http://[\r\n\r\n",
        ],
    )
    def test_answers_that_are_no_http(self, refused, server, raw):
        server.pages["/a.txt"] = [raw]
        refused(f"{server.address}/a.txt")

    @pytest.mark.parametrize("address", ["file:///etc/passwd", "ftp://127.0.0.1/a.txt"])
    def test_redirects_only_to_the_web(self, refused, server, address):
        server.pages["/a.txt"] = [answer(status="301 Moved", header=f"Location: {address}")]
        assert address in refused(f"{server.address}/a.txt")
        assert address in refused(address)

    @pytest.mark.parametrize("kind", ["SYMTYPE", "LNKTYPE", "DIRTYPE", "FIFOTYPE", "CHRTYPE", "BLKTYPE"])
    def test_a_member_that_is_no_plain_file(self, refused, server, kind):
        server.pages["/all.tar.gz"] = [answer(packed(getattr(tarfile, kind), b""))]
        message = refused(f"{server.address}/all.tar.gz", member="inner/a.txt")
        assert "one plain file inner/a.txt of 8 bytes is expected in it" in message

    @pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
    def test_an_archive_that_is_cut_or_broken(self, refused, server, mode):
        content = b"".join(b"%d\n" % number for number in range(5000))
        archive = packed(content=content, mode=mode)
        middle = len(archive) // 2
        bodies = [archive[:middle], archive[:100], b"<html>moved</html>"]
        if mode != "w":  # in a plain archive only the checksum tells
            bodies.append(archive[:middle] + b"\xff" * 1000 + archive[middle + 1000 :])
        server.pages["/a.tar"] = list(map(answer, bodies))
        for _ in bodies:
            message = refused(f"{server.address}/a.tar", member="inner/a.txt", content=content)
            assert "the archive cannot be used: " in message


class TestRegistry:
    def test_every_row_has_a_checksum_a_licence_and_a_way_to_get_it(self):
        for path, row in registered_files().items():
            assert row.path == path and len(row.sha256) == 64 and row.bytes > 0 and row.licence
            assert bool(row.url) != bool(row.how)
            assert not row.url or row.url.startswith("https://raw.githubusercontent.com/")

    def test_every_file_is_the_registered_one(self, data_dir):
        for path, row in registered_files().items():
            if row.dataset not in {*ENCODER_PACKAGES, "spacy"}:  # which `data fetch` and `data parse` make
                assert (data_dir / path).stat().st_size == row.bytes, path
                assert files.locate(path).samefile(data_dir / path)


PARTS = {"config.json": b"{}", "model.safetensors": bytes(range(256)) * 40}
ENCODER = "mpnet-base"


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return buffer.getvalue()


@pytest.fixture
def packages(monkeypatch, tmp_path):
    """pip 'downloads' these files, cut into five wheels; the registry knows `PARTS` only."""
    example = registered_files()[f"{ENCODER}/config.json"]
    rows = {
        f"{ENCODER}/{name}": replace(
            example, path=f"{ENCODER}/{name}", bytes=len(content), sha256=hashlib.sha256(content).hexdigest()
        )
        for name, content in PARTS.items()
    }
    monkeypatch.setattr(files, "registered_files", lambda: rows)
    monkeypatch.setattr(files, "ROOT", tmp_path)
    served = {"files": PARTS, "code": 0}

    def download(command, **_):
        inside = {f"all-mpnet-base-v2/{name}": content for name, content in served["files"].items()}
        inside["all-mpnet-base-v2/1_Pooling/config.json"] = b"another file of this name"
        content, folder = zipped(inside), Path(command[command.index("--dest") + 1])
        size = -(-len(content) // 5)
        for piece in range(5):
            part = {f"input/model.zip.00{piece + 1}": content[piece * size : (piece + 1) * size]}
            (folder / f"part_00{piece + 1}-0.0.1-py3-none-any.whl").write_bytes(zipped(part))
        return subprocess.CompletedProcess(command, served["code"], stderr="noise\nERROR: no such package\n")

    monkeypatch.setattr(files.subprocess, "run", download)
    return served


def test_the_pieces_are_joined_and_the_registered_files_taken_out(packages, tmp_path):
    assert {path.name: path.read_bytes() for path in files.fetch(ENCODER)} == PARTS
    assert sorted(path.name for path in (tmp_path / "data" / ENCODER).iterdir()) == sorted(PARTS)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"files": PARTS | {"model.safetensors": b"x"}}, ChecksumError, "model.safetensors: its sha256"),
        ({"files": {"config.json": b"{}"}}, DownloadError, "lacks mpnet-base/model.safetensors"),
        ({"code": 1}, DownloadError, "ERROR: no such package"),
    ],
)
def test_what_is_not_whole_is_not_written(packages, tmp_path, changes, error, message):
    packages |= changes
    with pytest.raises(error, match=message):
        files.fetch(ENCODER)
    assert not (tmp_path / "data").exists()
