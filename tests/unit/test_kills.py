"""Killed at a random moment, a command leaves each file old, new or absent, never half; run again, it gives
what an uninterrupted one gives, and nothing else lies about.

KILLS, 25 by default, is the number of kills in all; `make nightly` makes a thousand.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from nbformat import v4

from helpers import ROOT
from helpers.core import write_atomically
from tests.support import KILLABLE, train_command

KILLS = int(os.environ.get("KILLS", "25"))
LONG = "KILLS" in os.environ
pytestmark = [pytest.mark.nightly(third=1)] if LONG else []
MOMENTS = random.Random(KILLS)
SHARE = {"training": 0.04, "linear": 0.12, "notebooks": 0.04, "figures": 0.04, "pairs": 0.12, "writers": 0.64}
"""Of the kills; those of slow commands are few, and made in a long run alone."""
KINDS = ("training", "linear", "notebooks", "figures", "pairs") if LONG else ("pairs",)
TIMES = ("environment", "wall_seconds", "sentences_per_second", "started", "finished")

WRITER = """
import sys
from helpers.core import atomic_writer
for turn in range(10**9):
    with atomic_writer(sys.argv[1]) as stream:
        for _ in range(20):
            stream.write(str(turn % 10).encode() * 5000)
"""
FIGURE = """
import sys
import matplotlib; matplotlib.use("Agg")
import matplotlib.pyplot as plt, pandas as pd
from helpers.charts.style import save_figure
figure, axes = plt.subplots(figsize=(2, 2))
axes.plot([0, 1])
save_figure(figure, "one", pd.DataFrame({"x": [1]}), sys.argv[1])
"""
PAIRS = """
import sys
from helpers.data import demo_corpus, variants
variants.read_corpus = lambda dataset: demo_corpus()
variants.write_pairs(sys.argv[1], "semeval2010")
"""
NOTEBOOKS = """
import sys
from pathlib import Path
from helpers.notebooks import run_notebooks
run_notebooks(output_dir=Path(sys.argv[2]), folder=Path(sys.argv[1]))
"""


@pytest.fixture
def options(tmp_path) -> dict:
    """Of a process that works in the test's folder."""
    (tmp_path / "temporary").mkdir()
    more = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TMPDIR": str(tmp_path / "temporary")}
    return {"cwd": tmp_path, "env": os.environ | more | {"PYTHONPATH": str(ROOT)}}


def command(kind: str, folder: Path, request: pytest.FixtureRequest) -> list[str]:
    """The words of a command that writes into out/, a folder in the given one."""
    match kind:
        case "training":
            settings = {"epochs": 2, "learning_rate": 1e-3, "precision": "fp32"}
            words = train_command(request.getfixturevalue("tiny_bert"), Path("out"), **settings)
            return [sys.executable, "-c", KILLABLE, "checkpoints", *words]
        case "linear":
            rng = random.Random(1)
            words = [first + last for first in "bdfgklmnprst" for last in ("an", "el", "ir", "ot", "um")]
            labels = [rng.choice(["grain", "gas", "oil gas", "trade"]) for _ in range(400)]
            lines = [f"{label}\t{' '.join(rng.choices(words, k=30))}\n" for label in labels]
            (folder / "train.txt").write_text("".join(lines))
            words = ["--train", "train.txt", "--test", "train.txt", "--technique", "cost_sensitive"]
            words += ["--seed", "1", "--model", "out/m.safetensors", "--predictions", "out/p.txt"]
            return [sys.executable, "-m", "helpers", "linear", *words, "--scores", "out/s.npy"]
        case "notebooks":
            (folder / "notebooks").mkdir()
            kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
            parameters = v4.new_code_cell("pause: float = 0.3  # seconds", metadata={"tags": ["parameters"]})
            code = v4.new_code_cell("import time; time.sleep(pause); print('x' * 1000)")
            for name in ("00_one", "01_two"):
                book = v4.new_notebook(cells=[parameters, code], metadata=kernel)
                nbformat.write(book, folder / "notebooks" / f"{name}.ipynb")
            return [sys.executable, "-c", NOTEBOOKS, "notebooks", "out"]
    return [sys.executable, "-c", {"figures": FIGURE, "pairs": PAIRS}[kind], "out"]


def contents(folder: Path) -> dict[str, str]:
    """Path → content of what is in a folder, without what differs from run to run."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): content(path) for path in paths}


def content(path: Path) -> str:
    if path.suffix == ".json":
        stored = json.loads(path.read_text())
        return json.dumps({key: value for key, value in stored.items() if key not in TIMES})
    if path.suffix == ".ipynb":
        return "".join(str(cell.get("outputs")) for cell in nbformat.read(path, 4).cells)
    return path.read_bytes().decode("latin-1")


def a_minute_later(folder: Path) -> None:
    """As time passes: what was killed before its private folder had a lock counts as young for a minute."""
    for private in folder.rglob(".helpers-*"):
        os.utime(private, (0, 0))


def number(kind: str) -> int:
    return max(1, round(KILLS * SHARE[kind]))


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_absent_or_whole_and_the_next_run_ends(kind, tmp_path, options, request):
    words, out = command(kind, tmp_path, request), tmp_path / "out"

    def run() -> dict[str, str]:
        done = subprocess.run(words, capture_output=True, text=True, timeout=300, **options)
        assert done.returncode == 0, done.stderr
        return contents(out)

    start = time.perf_counter()
    expected = run()
    seconds = time.perf_counter() - start
    shutil.rmtree(out)
    silent = dict.fromkeys(("stdout", "stderr"), subprocess.DEVNULL) | {"start_new_session": True}
    for _ in range(number(kind)):
        process, moment = subprocess.Popen(words, **silent, **options), MOMENTS.uniform(0.05, 1.1 * seconds)
        try:
            process.wait(moment)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        there = {name: out / name for name in expected if (out / name).exists()}  # drafts may be half
        spoilt = [name for name, path in there.items() if content(path) != expected[name]]
        assert not spoilt, f"after a kill at {moment:.3f} s"
    a_minute_later(tmp_path)
    assert run() == expected != {}
    assert not [*(tmp_path / "temporary").glob(".helpers-*")]
    assert kind != "training" or not [*(tmp_path / "checkpoints").iterdir()]


def test_writers(tmp_path, options):
    """A file that is written over and over is one turn's content, whole, at any moment."""
    path = tmp_path / "out" / "a.txt"
    for _ in range(number("writers")):
        with subprocess.Popen([sys.executable, "-c", WRITER, path], **options) as process:
            while not path.exists():
                assert process.poll() is None
                time.sleep(0.002)
            time.sleep(MOMENTS.uniform(0, 0.05))
            process.kill()
        text = path.read_text()
        assert len(text) == 100_000 and len(set(text)) == 1
    a_minute_later(path.parent)
    write_atomically(path, "end")
    assert [other.name for other in path.parent.iterdir()] == ["a.txt"]
