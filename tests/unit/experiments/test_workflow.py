"""Grids as files: which runs belong to one, what is missing or stale; one run by its path; killing."""

import inspect
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from helpers import ROOT
from helpers.experiments import (
    all_states,
    grid_jobs,
    paper_experiments,
    plan,
    read_grid,
    standard_experiments,
    train_one,
)
from helpers.experiments.grid import _job_state
from helpers.models import EMBEDDED, MODELS
from helpers.runs import RUNS_FOLDER, MadeFrom, list_runs, load_run, run_path

GRID = {"model": ["majority", "svm"], "dataset": "demo", "profile": "quick"}


def grid_file(folder: Path, /, **changed) -> Path:
    path = folder / "grid.json"
    path.write_text(json.dumps({"folder": str(folder / "runs")} | GRID | changed))
    return path


class TestPaths:
    def test_each_stored_run_of_the_standard_set_lies_where_its_experiment_says(self):
        runs = list_runs("semeval2010", profile="standard", variant="", encoder=EMBEDDED)
        assert runs and {run_path(run) for run in runs} <= {one.path() for one in standard_experiments()}

    def test_no_two_runs_of_a_grid_have_one_path(self):
        assert len(paper_experiments()) == len(grid_jobs("paper"))

    @pytest.mark.parametrize("name", MODELS)
    def test_defaults_of_options_are_those_of_the_class(self, name):
        entry = MODELS[name]
        expected: dict[str, object] = dict(getattr(entry.load(), "usual", {}))
        for kind in (one for one in entry.load().__mro__ if "__init__" in vars(one)):
            parameters = inspect.signature(kind).parameters.values()
            own = {one.name: one.default for one in parameters if one.default is not one.empty}
            expected = own | expected
            if all(one.kind is not one.VAR_KEYWORD for one in parameters):
                break  # nothing is passed on to the base
        for option, default in expected.items():
            assert entry.defaults.get(option, default) == default, option


class TestGridFile:
    def test_every_combination_is_a_run(self, tmp_path):
        path = grid_file(tmp_path, model=["em-c", "majority"], seed=[9, 148], settings={"epochs": 1})
        found = [(one.name, one.seed) for one in read_grid(path).experiments]
        assert found == [("EM-C", 9), ("majority", 9), ("EM-C", 148)], "a model without seeds is one run"

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"folder": "x" * 3000}, "folder: File name too long"),
            ({"model": "em-d"}, "unknown model 'em-d'"),
            ({"seed": ["x"]}, "'seed.0': "),
            ({"modles": []}, "'modles': "),
            ({"settings": {"epoch": 1}, "model": "em-c"}, "epoch"),
        ],
    )
    def test_a_fault_names_the_file(self, tmp_path, change, said):
        with pytest.raises(ValueError, match=r"grid\.json: ") as caught:
            read_grid(grid_file(tmp_path, **change))
        assert said in str(caught.value) and "\n" not in str(caught.value)


class TestPlan:
    def test_what_is_missing_or_stale_is_trained_once(self, tmp_path):
        file = grid_file(tmp_path)
        jobs = grid_jobs(file=file)
        first, second = jobs
        assert plan(file=file).todo == [first, second]
        assert train_one(first, jobs, progress=False)
        content = Path(first).read_bytes()
        assert not train_one(first, jobs, progress=False) and Path(first).read_bytes() == content
        assert plan(file=file).todo == [second] and _job_state(jobs[first]).state == "current"
        Path(first).write_bytes(content.replace(b'"model majority": 1', b'"model majority": 0'))
        assert _job_state(jobs[first])[2:] == ("stale", "version of model majority was 0, is now 1")
        assert plan(file=file).todo == [first, second]
        assert plan(file=file, missing_only=True).todo == [second]
        assert train_one(first, jobs, progress=False)
        assert load_run(first).versions["model majority"] == 1

    def test_a_notebook_whose_runs_are_made_is_run_again(self, monkeypatch):
        table, runs = {"results/tables/05_weighted_f1.csv": ""}, {"results/runs/semeval2010": "0" * 64}
        index = {"notebooks/05_weighted_f1.ipynb": MadeFrom(made=table, read=runs, rules=1)}
        monkeypatch.setattr("helpers.experiments.grid.read_index", lambda: index)
        monkeypatch.setattr("helpers.experiments.grid.grid_jobs", lambda *_: {})
        made = plan()
        assert made.notebooks == {"results/notebooks/05_weighted_f1.ipynb": []}
        assert made.pages[:2] == ["README.md", "results/README.md"]

    def test_status_knows_every_result(self):
        states = {state.path: state for state in all_states()}
        assert {state.kind for state in states.values()} >= {"run", "table", "figure", "notebook"}
        stored = {path.relative_to(ROOT).as_posix() for path in Path(RUNS_FOLDER).rglob("*.json")}
        assert stored <= {*states} and not [s for s in states.values() if s.why == "this is no run file"]


SETTINGS = {"epochs": 6, "learning_rate": 1e-3, "precision": "fp32"}
TINY = {"model": ["majority", "svm", "em-es"], "settings": SETTINGS}


def waited_for(what, seconds: float = 900) -> None:
    patience = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < patience, "nothing happened"
        time.sleep(0.01)


def trainings(group: int) -> list[int]:
    """Processes of a group that train."""
    numbers = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            words, own = (process / "cmdline").read_bytes(), os.getpgid(int(process.name)) == group
            numbers += [int(process.name)] if own and b"\0runs\0--train" in words else []
    return numbers


def killed(number: int, kill=os.kill) -> None:
    """Kill what may have ended by itself meanwhile."""
    with suppress(ProcessLookupError):
        kill(number, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the processes to kill in /proc")
@pytest.mark.nightly(third=1)
def test_killed_at_any_moment_the_next_call_finishes_and_nothing_runs_twice(tiny_bert, tmp_path):
    """First Snakemake alone is killed, so that its jobs live on beside those of the next call; then a single
    job; then the whole group."""
    file, log = grid_file(tmp_path, **TINY, encoder=str(tiny_bert)), tmp_path / "log.txt"
    paths = [Path(name) for name in grid_jobs(file=file)]
    words = [sys.executable, "-m", "helpers", "grid", "--grid", str(file), "--jobs", "2"]
    quiet = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
    written: dict[Path, tuple] = {}
    calls: list[subprocess.Popen] = []

    def started() -> subprocess.Popen:
        """One more call; what is there stays as it is, and is whole."""
        for path in filter(Path.exists, paths):
            load_run(path)
            state = (path.stat().st_ino, path.stat().st_mtime_ns)
            assert written.setdefault(path, state) == state, f"{path} was written twice"
        with log.open("ab") as stream:
            given = {"cwd": ROOT, "env": quiet, "stdout": stream, "stderr": stream}
            calls.append(subprocess.Popen(words, start_new_session=True, **given))
        return calls[-1]

    try:
        first = started()
        waited_for(lambda: trainings(first.pid))
        children = Path(f"/proc/{first.pid}/task/{first.pid}/children").read_text().split()
        for number in (first.pid, *map(int, children)):
            killed(number)
        first.wait()
        second = started()
        waited_for(lambda: trainings(second.pid) or second.poll() is not None)
        for number in trainings(second.pid)[:1]:
            killed(number)
        waited_for(lambda: b"training:" in log.read_bytes() or second.poll() is not None)
        killed(second.pid, os.killpg)
        second.wait()
        assert started().wait(900) == 0, log.read_text()[-3000:]
        before = log.stat().st_size
        assert started().wait(600) == 0 and {*written} == {*paths}
    finally:
        for call in calls:
            killed(call.pid, os.killpg)
    assert log.read_bytes()[before:].decode().strip() == "nothing is missing, nothing is stale"
    said = [line for line in log.read_text().splitlines() if line.startswith("stored: ")]
    assert len(said) == len({*said}) and {*said} <= {f"stored: {path}" for path in paths}
