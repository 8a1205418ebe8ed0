"""Where data files are looked for, what happens to a wrong one, and that a download is whole or not there."""

import gc
import gzip
import hashlib
import io
import json
import tarfile
import threading
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from helpers.core.errors import ChecksumError, DownloadError, MissingData
from helpers.data import readers, registry
from helpers.data.readers import json_array

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
    """A project without data, and no RC_DATA_DIR."""
    monkeypatch.setattr(registry, "ROOT", tmp_path)
    monkeypatch.delenv("RC_DATA_DIR", raising=False)
    return tmp_path


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch):
    def _register(*files: registry.DataFile) -> None:
        monkeypatch.setattr(registry, "registered_files", lambda: {one.path: one for one in files})

    return _register


@pytest.fixture
def server():
    """A web server on this machine: `pages` by path; a page longer than its `cut` breaks off there."""
    pages: dict[str, bytes] = {}
    cuts: dict[str, int] = {}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            found = pages.get(self.path)
            self.send_response(200 if found else 404)
            self.send_header("Content-Length", str(len(found or b"")))
            self.end_headers()
            self.wfile.write((found or b"")[: cuts.get(self.path)])

        def log_message(self, *_args: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    http.pages, http.cuts, http.address = pages, cuts, f"http://127.0.0.1:{http.server_port}"
    yield http
    http.shutdown()
    http.server_close()
    with (
        warnings.catch_warnings()
    ):  # pooch leaves the connection of a failed download to the garbage collector
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() or not any(path.iterdir())]


class TestTheList:
    def test_every_row_has_a_checksum_a_licence_and_a_way_to_get_it(self) -> None:
        for path, one in registry.registered_files().items():
            assert one.path == path
            assert len(one.sha256) == 64 and one.bytes > 0 and one.licence
            assert bool(one.url) != bool(one.how)
            assert not one.url or one.url.startswith("https://raw.githubusercontent.com/")

    def test_the_training_file_comes_out_of_an_archive(self) -> None:
        one = registry.registered_file("semeval2010/TRAIN_FILE.TXT")
        assert one.url.endswith(".tar.gz") and one.member.endswith("TRAIN_FILE.TXT")
        assert one.sha256.startswith("c22fee88")

    def test_unknown_file_gets_the_nearest_name(self) -> None:
        with pytest.raises(ValueError, match=r"did you mean 'semeval2010/TRAIN_FILE.TXT'\? Known: chemprot"):
            registry.registered_file("semeval2010/TRAIN_FILE.txt")


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

    def test_missing_file_without_address_says_how_to_get_it(self, project, register) -> None:
        register(data_file())
        with pytest.raises(MissingData, match=r"RC_DATA_DIR is not set.*no address; to get it: write it"):
            registry.locate("toy/a.txt")

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

    def test_an_unchanged_file_is_hashed_once(self, tmp_path: Path, monkeypatch) -> None:
        path = tmp_path / "a.txt"
        path.write_bytes(TEXT)
        first = registry.file_sha256(path)
        monkeypatch.setattr(hashlib, "file_digest", lambda *_: pytest.fail("hashed twice"))
        assert registry.file_sha256(path) == first

    def test_status_tells_ok_missing_and_corrupt(self, project, register) -> None:
        register(*(data_file(path=f"toy/{name}.txt") for name in ("good", "gone", "bad")))
        (project / "data" / "toy").mkdir(parents=True)
        (project / "data" / "toy" / "good.txt").write_bytes(TEXT)
        (project / "data" / "toy" / "bad.txt").write_bytes(b"x")
        assert [row.state for row in registry.data_status()] == ["ok", "missing", "corrupt"]
        assert registry.data_status()[1].where is None
        assert "corrupt" in str(registry.data_status()[2])


class TestFetch:
    def test_whole_file(self, project, register, server) -> None:
        server.pages["/a.txt"] = TEXT
        register(data_file(f"{server.address}/a.txt"))
        assert registry.fetch("toy") == [project / "data" / "toy" / "a.txt"]
        assert leftovers(project) == [project / "data" / "toy" / "a.txt"]
        server.pages.clear()
        assert registry.fetch("toy/a.txt")[0].read_bytes() == TEXT, "a file that is here is not fetched again"

    def test_member_of_an_archive(self, project, register, server) -> None:
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode="w:gz") as tar:
            member = tarfile.TarInfo("outer/inner/a.txt")
            member.size = len(TEXT)
            tar.addfile(member, io.BytesIO(TEXT))
        server.pages["/all.tar.gz"] = packed.getvalue()
        register(data_file(f"{server.address}/all.tar.gz", member="inner/a.txt"))
        assert registry.fetch("toy/a.txt")[0].read_bytes() == TEXT
        register(data_file(f"{server.address}/all.tar.gz", member="inner/b.txt", path="toy/b.txt"))
        with pytest.raises(DownloadError, match=r"holds 0 files named inner/b.txt"):
            registry.fetch("toy/b.txt")

    def test_wrong_download_leaves_nothing(self, project, register, server) -> None:
        server.pages["/a.txt"] = b"<html>moved</html>"
        register(data_file(f"{server.address}/a.txt"))
        with pytest.raises(ChecksumError, match=hashlib.sha256(TEXT).hexdigest()):
            registry.fetch("toy")
        assert leftovers(project) == []

    @pytest.mark.parametrize("cut", [0, 3])
    def test_interrupted_download_leaves_nothing(self, project, register, server, cut) -> None:
        server.pages["/a.txt"], server.cuts["/a.txt"] = TEXT, cut
        register(data_file(f"{server.address}/a.txt"))
        with pytest.raises((DownloadError, ChecksumError)):
            registry.fetch("toy")
        assert leftovers(project) == []

    @pytest.mark.parametrize("url", ["http://127.0.0.1:9/a.txt", "{server}/absent.txt"])
    def test_offline_is_one_clear_message(self, project, register, server, url) -> None:
        url = url.format(server=server.address)
        register(data_file(url))
        with pytest.raises(DownloadError) as caught:
            registry.fetch("toy")
        assert url in str(caught.value) and "Nothing was written" in str(caught.value)
        assert str(project / "data" / "toy" / "a.txt") in str(caught.value)
        assert leftovers(project) == []

    def test_without_an_address(self, project, register, server, caplog) -> None:
        register(data_file())
        with pytest.raises(MissingData, match="write it"):
            registry.fetch("toy")
        server.pages["/a.txt"] = TEXT
        register(data_file(path="toy/compiled.txt"), data_file(f"{server.address}/a.txt"))
        assert len(registry.fetch("toy")) == 1
        assert "toy/compiled.txt has no address; to get it: write it" in caplog.text

    def test_unknown_name_lists_the_data_sets(self) -> None:
        with pytest.raises(ValueError, match=r"did you mean 'tacred'\? Known: chemprot, docred, "):
            registry.fetch("tacrde")


class TestRealData:
    def test_every_file_is_the_registered_one(self, data_dir: Path) -> None:
        for path, one in registry.registered_files().items():
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
        return len((readers.read_kbp37 if path.parent.name == "kbp37" else readers.read_semeval)(path))
    if path.suffix == ".gz":
        return gzip.decompress(path.read_bytes()).count(b"\n") - 1
    if path.suffix == ".json":
        text = path.read_text("utf-8")
        return len(json.loads(text)) if text.startswith("{") else sum(1 for _ in json_array(path))
    return sum(1 for line in path.read_bytes().split(b"\n") if line.strip())
