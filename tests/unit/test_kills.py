"""Killed at a random moment, a command leaves each file old, new or absent, never half; run again, it gives
what an uninterrupted one gives, and nothing else lies about.

KILLS, 25 by default, is the number of kills in all; `make nightly` makes a thousand and stores what they did.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from helpers import ROOT
from helpers.core import write_atomically
from tests.support import KILLABLE, nbformat, train_command, v4

KILLS = int(os.environ.get("KILLS", "25"))
MOMENTS = random.Random(KILLS)
SHARE = {"training": 0.04, "linear": 0.12, "notebooks": 0.04, "figures": 0.04, "pairs": 0.12, "writers": 0.64}
"""Of the kills; those of slow commands are few."""
STORED = ROOT / "results" / "tables" / "soak.csv"
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
from helpers.reporting.figures.style import save_figure
figure, axes = plt.subplots(figsize=(2, 2))
axes.plot([0, 1])
save_figure(figure, "one", pd.DataFrame({"x": [1]}), sys.argv[1])
"""
PAIRS = """
import sys
from helpers.data import demo_corpus, pairing
pairing.read_corpus = lambda dataset: demo_corpus()
pairing.write_pairs(sys.argv[1], "semeval2010")
"""
NOTEBOOKS = """
import sys
from pathlib import Path
from helpers.notebooks import run_notebooks
run_notebooks(output_dir=Path(sys.argv[2]), folder=Path(sys.argv[1]))
"""


@pytest.fixture(scope="module")
def outcomes() -> Iterator[list[dict]]:
    """What the kills of each kind did; stored by a long run."""
    found: list[dict] = []
    yield found
    if KILLS >= 100 and len(found) == len(SHARE):
        write_atomically(STORED, pd.DataFrame(found).to_csv(index=False, lineterminator="\n"))


@pytest.fixture
def environment(tmp_path) -> dict[str, str]:
    (tmp_path / "temporary").mkdir()
    more = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "TMPDIR": str(tmp_path / "temporary")}
    return os.environ | more | {"PYTHONPATH": str(ROOT)}


class Killed:
    """A command whose outputs are in one folder; it is run whole once, for what has to come out and how long
    it takes."""

    def __init__(self, words, folder: Path, environment: dict[str, str], cwd: Path = ROOT) -> None:
        self.words, self.folder, self.environment, self.cwd = words, folder, environment, cwd
        start = time.perf_counter()
        self.run()
        self.seconds = time.perf_counter() - start
        self.expected = self.files()
        assert self.expected
        shutil.rmtree(folder)

    def run(self) -> None:
        done = subprocess.run(
            self.words, cwd=self.cwd, env=self.environment, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stderr

    def files(self) -> dict[str, str]:
        """Path → content of what is in the folder, without what differs from run to run."""
        found = (path for path in sorted(self.folder.rglob("*")) if path.is_file())
        return {str(path.relative_to(self.folder)): content(path) for path in found}

    def kill(self, times: int, seconds: tuple[float, float] | None = None) -> dict[str, int]:
        """Start and kill it so often; after each kill every file is whole. How often it had ended before."""
        low, high = seconds or (0.05, 1.1 * self.seconds)
        ended = 0
        for _ in range(times):
            process = subprocess.Popen(
                self.words,
                cwd=self.cwd,
                env=self.environment,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            moment = MOMENTS.uniform(low, high)
            try:
                process.wait(moment)
                ended += 1
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            whole = {name: text for name, text in self.files().items() if ".helpers-" not in name}
            different = [name for name, text in whole.items() if self.expected.get(name, text) != text]
            assert not different, f"after a kill at {moment:.3f} s {different} are neither absent nor whole"
        return {"kills": times, "ended_before": ended}

    def finish(self) -> None:
        """Run it to its end: the same files as without kills, and no others."""
        self.run()
        assert self.files() == self.expected
        left = [str(path) for path in Path(self.environment["TMPDIR"]).glob(".helpers-*")]
        assert not left


def content(path: Path) -> str:
    if path.suffix == ".json":
        return json.dumps({key: one for key, one in json.loads(path.read_text()).items() if key not in TIMES})
    if path.suffix == ".ipynb":
        return "".join(str(cell.get("outputs")) for cell in nbformat.read(path, 4).cells)
    return path.read_bytes().decode("latin-1")


def number(kind: str) -> int:
    return max(1, round(KILLS * SHARE[kind]))


@pytest.mark.skipif(KILLS < 60, reason="a long run's: test_training stops in the middle, and goes on")
def test_training(tiny_bert, tmp_path, environment, outcomes):
    settings = {"epochs": 2, "learning_rate": 1e-3, "precision": "fp32"}
    folder = tmp_path / "runs"
    words = [
        sys.executable,
        "-c",
        KILLABLE,
        str(tmp_path / "checkpoints"),
        *train_command(tiny_bert, folder, **settings),
    ]
    one = Killed(words, folder, environment)
    found = one.kill(number("training"))
    one.finish()
    assert list((tmp_path / "checkpoints").iterdir()) == []
    outcomes.append({"kind": "training"} | found)


def test_linear(tmp_path, environment, outcomes):
    rng = random.Random(1)
    lines = (
        f"{rng.choice(['grain', 'gas', 'oil gas', 'trade'])}\t{' '.join(rng.choices(WORDS, k=30))}\n"
        for _ in range(400)
    )
    (tmp_path / "train.txt").write_text("".join(lines))
    folder = tmp_path / "out"
    words = [sys.executable, "-m", "helpers", "linear", "--train", "train.txt", "--test", "train.txt"]
    words += ["--technique", "cost_sensitive", "--seed", "1", "--model", "out/m.safetensors"]
    words += ["--predictions", "out/p.txt", "--scores", "out/s.npy"]
    one = Killed(words, folder, environment, tmp_path)
    found = one.kill(number("linear"))
    one.finish()
    outcomes.append({"kind": "linear"} | found)


WORDS = [f"{first}{second}" for first in "bdfgklmnprst" for second in ("an", "el", "ir", "ot", "um")]


def test_notebooks(tmp_path, environment, outcomes):
    (tmp_path / "notebooks").mkdir()
    for name in ("00_one", "01_two"):
        parameters = v4.new_code_cell("pause: float = 0.3  # seconds", metadata={"tags": ["parameters"]})
        code = v4.new_code_cell("import time; time.sleep(pause); print('x' * 1000)")
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        book = v4.new_notebook(cells=[parameters, code], metadata=kernel)
        nbformat.write(book, tmp_path / "notebooks" / f"{name}.ipynb")
    words = [sys.executable, "-c", NOTEBOOKS, str(tmp_path / "notebooks"), str(tmp_path / "out")]
    one = Killed(words, tmp_path / "out", environment)
    found = one.kill(number("notebooks"))
    one.finish()
    outcomes.append({"kind": "notebooks"} | found)


@pytest.mark.parametrize(("kind", "code"), [("figures", FIGURE), ("pairs", PAIRS)])
def test_files_that_belong_together(kind, code, tmp_path, environment, outcomes):
    one = Killed([sys.executable, "-c", code, str(tmp_path / "out")], tmp_path / "out", environment)
    found = one.kill(number(kind))
    one.finish()
    outcomes.append({"kind": kind} | found)


def test_writers(tmp_path, environment, outcomes):
    """A file that is written over and over is one turn's content, whole, at any moment."""
    path, kills = tmp_path / "out" / "a.txt", number("writers")
    for _ in range(kills):
        words = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(words, cwd=ROOT, env=environment) as process:
            while not path.exists():
                assert process.poll() is None
                time.sleep(0.002)
            time.sleep(MOMENTS.uniform(0, 0.05))
            process.kill()
        text = path.read_text()
        assert len(text) == 100_000 and len(set(text)) == 1
    write_atomically(path, "end")
    assert [one.name for one in path.parent.iterdir()] == ["a.txt"]
    outcomes.append({"kind": "writers", "kills": kills, "ended_before": 0})
