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
    job_state,
    paper_experiments,
    plan,
    read_grid,
    standard_experiments,
    train_one,
)
from helpers.models import EMBEDDED, MODELS
from helpers.runs import RUNS_FOLDER, list_runs, load_run, run_path

GRID = {"model": ["majority", "svm"], "dataset": "demo", "profile": "quick"}


def grid_file(folder: Path, /, **changed) -> Path:
    path = folder / "grid.json"
    path.write_text(json.dumps({"folder": str(folder / "runs")} | GRID | changed))
    return path


class TestPaths:
    def test_each_stored_run_of_the_standard_set_lies_where_its_experiment_says(self):
        stored = {
            run_path(run)
            for run in list_runs("semeval2010", profile="standard", variant="", encoder=EMBEDDED)
        }
        expected = {one.path() for one in standard_experiments()}
        assert stored and stored <= expected

    def test_no_two_runs_of_a_grid_have_one_path(self):
        assert len(paper_experiments()) == len(grid_jobs("paper"))

    @pytest.mark.parametrize("name", MODELS)
    def test_defaults_of_options_are_those_of_the_class(self, name):
        entry = MODELS[name]
        expected: dict[str, object] = {}
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


class TestOneRun:
    def test_it_is_trained_once_and_again_when_it_is_stale(self, tmp_path):
        jobs = grid_jobs(file=grid_file(tmp_path))
        path = next(name for name in jobs if "majority" in name)
        assert train_one(path, jobs, progress=False)
        first = Path(path).read_bytes()
        assert not train_one(path, jobs, progress=False)
        assert job_state(jobs[path]).state == "current" and Path(path).read_bytes() == first
        record = json.loads(first)
        record["versions"]["model majority"] = 0
        Path(path).write_text(json.dumps(record))
        assert job_state(jobs[path])[2:] == ("stale", "version of model majority was 0, is now 1")
        assert train_one(path, jobs, progress=False)
        assert load_run(path).versions["model majority"] == 1


class TestPlan:
    def test_what_is_missing_is_to_be_made(self, tmp_path):
        file = grid_file(tmp_path)
        assert len(plan(file=file).todo) == 2
        jobs = grid_jobs(file=file)
        train_one(next(iter(jobs)), jobs, progress=False)
        assert plan(file=file).todo == [*jobs][1:]
        path = Path(next(iter(jobs)))
        path.write_text(path.read_text().replace('"data set demo": 1', '"data set demo": 0'))
        assert plan(file=file).todo == [*jobs]
        assert plan(file=file, missing_only=True).todo == [*jobs][1:]

    def test_a_notebook_whose_runs_are_made_is_run_again(self, monkeypatch):
        from helpers.experiments import grid
        from helpers.runs import MadeFrom

        made = MadeFrom(
            made={"results/tables/05_weighted_f1.csv": ""},
            read={"results/runs/semeval2010": "0" * 64},
            rules=1,
        )
        monkeypatch.setattr(grid, "read_index", lambda: {"notebooks/05_weighted_f1.ipynb": made})
        monkeypatch.setattr(grid, "grid_jobs", lambda *_: {})
        found = plan()
        assert found.notebooks == {"results/notebooks/05_weighted_f1.ipynb": []}
        assert found.pages[:2] == ["README.md", "results/README.md"]

    def test_status_knows_every_result(self):
        found = {one.path: one for one in all_states()}
        assert {one.kind for one in found.values()} >= {"run", "table", "figure", "notebook"}
        stored = {path.relative_to(ROOT).as_posix() for path in Path(RUNS_FOLDER).rglob("*.json")}
        assert stored <= {*found} and not [one for one in found.values() if one.why == "this is no run file"]


TINY = {
    "model": ["majority", "svm", "em-es"],
    "settings": {"epochs": 6, "learning_rate": 1e-3, "precision": "fp32"},
}


def started(words: list[str], log: Path) -> subprocess.Popen:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}
    with log.open("ab") as file:
        return subprocess.Popen(
            words, cwd=ROOT, env=environment, stdout=file, stderr=file, start_new_session=True
        )


def waited_for(what, seconds: float = 900) -> None:
    patience = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < patience, "nothing happened"
        time.sleep(0.01)


def trainings(group: int) -> list[int]:
    """Processes of a group that train."""
    found = []
    for one in Path("/proc").glob("[0-9]*"):
        try:
            words, belongs = (one / "cmdline").read_bytes(), os.getpgid(int(one.name)) == group
        except OSError:
            continue
        if belongs and b"\0runs\0--train" in words:
            found.append(int(one.name))
    return found


def killed(number: int, group: bool = False) -> None:
    """Kill what may have ended by itself meanwhile."""
    with suppress(ProcessLookupError):
        (os.killpg if group else os.kill)(number, signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="finds the processes to kill in /proc")
def test_killed_at_any_moment_the_next_call_finishes_and_nothing_runs_twice(tiny_bert, tmp_path):
    """First Snakemake alone is killed, so that its jobs live on beside those of the next call; then a single
    job; then the whole group."""
    file, log = grid_file(tmp_path, **TINY, encoder=str(tiny_bert)), tmp_path / "log.txt"
    paths = [Path(name) for name in grid_jobs(file=file)]
    words = [sys.executable, "-m", "helpers", "grid", "--grid", str(file), "--jobs", "2"]
    written: dict[Path, tuple] = {}

    def look() -> None:
        """What is there stays as it is, and is whole."""
        for path in filter(Path.exists, paths):
            load_run(path)
            state = (path.stat().st_ino, path.stat().st_mtime_ns)
            assert written.setdefault(path, state) == state, f"{path} was written twice"

    groups = []
    try:
        first = started(words, log)
        groups.append(first.pid)
        waited_for(lambda: trainings(first.pid))
        parents = [int(line) for line in children(first.pid)]
        for one in (first.pid, *parents):
            killed(one)
        first.wait()
        look()
        second = started(words, log)
        groups.append(second.pid)
        waited_for(lambda: trainings(second.pid) or second.poll() is not None)
        for one in trainings(second.pid)[:1]:
            killed(one)
        waited_for(lambda: b"training:" in log.read_bytes() or second.poll() is not None)
        killed(second.pid, group=True)
        second.wait()
        look()
        done = started(words, log)
        groups.append(done.pid)
        assert done.wait(900) == 0, log.read_text()[-3000:]
    finally:
        for group in groups:
            killed(group, group=True)
    look()
    assert {*written} == {*paths}
    said = [line for line in log.read_text().splitlines() if line.startswith("stored: ")]
    assert len(said) == len({*said}) and {*said} <= {f"stored: {path}" for path in paths}
    before = log.stat().st_size
    again = started(words, log)
    assert again.wait(600) == 0
    assert log.read_bytes()[before:].decode().strip() == "nothing is missing, nothing is stale"


def children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()
