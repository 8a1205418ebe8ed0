import gzip
import os
import signal
import subprocess
import sys

import pytest

from helpers import ROOT
from helpers.core import MalformedRecord, atomic_path, atomic_writer, file_sha256
from helpers.core.files import read_file, write_atomically


@pytest.mark.parametrize("opened", [atomic_path, atomic_writer])
def test_an_error_leaves_the_old_file_and_nothing_else(opened, tmp_path):
    path = write_atomically(tmp_path / "a.txt", "old")
    with pytest.raises(RuntimeError, match="stop"), opened(path) as draft:
        (draft.write_bytes if opened is atomic_path else draft.write)(b"new")
        raise RuntimeError("stop")
    assert path.read_text() == "old" and list(tmp_path.iterdir()) == [path]


def test_a_killed_writer_leaves_the_old_file(tmp_path):
    path = write_atomically(tmp_path / "a.txt", "old")
    code = "import os, sys\nfrom helpers.core import atomic_writer\n"
    code += "with atomic_writer(sys.argv[1]) as stream:\n    stream.write(b'new')\n    stream.flush()\n"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}    os.kill(os.getpid(), 9)", path], cwd=ROOT, check=False
    )
    assert done.returncode == -signal.SIGKILL and path.read_text() == "old"


def test_text_is_written_as_it_is_and_equal_text_gives_equal_archives(tmp_path):
    names, text = ("new/a.csv", "b.csv.gz", "c.csv.gz"), "gold,predicted\nÄ,b\r\n"
    plain, *zipped = (write_atomically(tmp_path / name, text) for name in names)
    assert plain.read_bytes() == text.encode() == read_file(zipped[0])
    assert zipped[0].read_bytes() == zipped[1].read_bytes()
    assert file_sha256(zipped[0]) == file_sha256(zipped[1]) != file_sha256(plain)


def test_the_byte_order_mark_is_dropped_and_a_broken_archive_is_named(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbfgold")
    assert read_file(tmp_path / "a.csv") == b"gold"
    cut = tmp_path / "b.csv.gz"
    cut.write_bytes(gzip.compress(b"gold" * 1000)[:-9])
    with pytest.raises(MalformedRecord, match=r"b\.csv\.gz: the gzip archive is broken"):
        read_file(cut)
    with pytest.raises(FileNotFoundError):
        read_file(tmp_path / "none.csv")


def test_files_are_written_with_the_rights_of_any_new_file(tmp_path):
    mask = os.umask(0o027)
    try:
        path = write_atomically(tmp_path / "a", "text")
    finally:
        os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o640


OWNER = """
import sys, time
from helpers.core import private_folder
with private_folder(sys.argv[1]) as own:
    (own / "draft").write_text("text")
    print(own.name, flush=True)
    time.sleep(60)
"""


def test_what_a_killed_owner_left_goes_and_what_a_living_one_has_stays(tmp_path):
    words = [sys.executable, "-c", OWNER, tmp_path]
    with (
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as dead,
        subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True) as living,
    ):
        names = [process.stdout.readline().strip() for process in (dead, living)]
        assert {path.name for path in tmp_path.iterdir()} == set(names)
        dead.kill()
        dead.wait()
        write_atomically(tmp_path / "a.txt", "text")
        assert {path.name for path in tmp_path.iterdir()} == {names[1], "a.txt"}
        living.kill()
    write_atomically(tmp_path / "a.txt", "text")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_folder_that_is_being_made_stays_and_a_link_is_not_followed(tmp_path):
    inside, target = tmp_path / "folder", tmp_path / "target"
    for folder in (inside / ".helpers-young", target):
        folder.mkdir(parents=True)
    (target / "lock").touch()
    (target / "kept").touch()
    (inside / ".helpers-link").symlink_to(target)
    write_atomically(inside / "a.txt", "text")
    assert {path.name for path in inside.iterdir()} == {".helpers-young", ".helpers-link", "a.txt"}
    assert (target / "kept").exists()
    os.utime(inside / ".helpers-young", (0, 0))
    write_atomically(inside / "a.txt", "text")
    assert not (inside / ".helpers-young").exists()


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_a_full_disk_is_blamed_on_the_file_that_was_wanted(tmp_path):
    path = tmp_path / "a.txt"
    with pytest.raises(OSError, match=r"No space left.*a\.txt") as found, atomic_path(path) as draft:
        draft.symlink_to("/dev/full")
        draft.write_text("text")
    assert found.value.filename == str(path) and list(tmp_path.iterdir()) == []
