"""Grids as files: which runs belong to one, what is missing or stale; one run by its path; killing; Slurm."""

import getpass
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
import yaml

from helpers import ROOT
from helpers.experiments import all_states, grid_jobs, plan, study, train_one
from helpers.experiments.grid import _read_grid
from helpers.models import EMBEDDED, default_settings
from helpers.runs import RUNS_FOLDER, list_runs, load_run, run_path
from helpers.runs.staleness import _MadeFrom

GRID = {"model": ["majority", "svm"], "dataset": "demo", "profile": "quick"}


def grid_file(folder: Path, /, **changed) -> Path:
    path = folder / "grid.json"
    path.write_text(json.dumps({"folder": str(folder / "runs")} | GRID | changed))
    return path


class TestPaths:
    def test_each_stored_run_of_the_standard_set_lies_where_its_experiment_says(self):
        runs = list_runs("semeval2010", profile="standard", variant="", encoder=EMBEDDED)
        assert runs and {run_path(run) for run in runs} <= {
            one.path() for one in study("standard").experiments
        }


class TestGridFile:
    def test_every_combination_is_a_run(self, tmp_path):
        path = grid_file(tmp_path, model=["em-c", "majority"], seed=[9, 148], settings={"epochs": 1})
        found = [(one.name, one.seed) for one in _read_grid(path).experiments]
        assert found == [("EM-C", 9), ("majority", 9), ("EM-C", 148)], "a model without seeds is one run"

    def test_settings_and_options_may_be_lists_and_a_papers_settings_a_name(self, tmp_path):
        changed = {"model": "em-es", "options": {"layers": [2, 4]}, "settings": {"epochs": [1, 2]}}
        found = [
            (one.options["layers"], one.resolved().epochs)
            for one in _read_grid(grid_file(tmp_path, **changed)).experiments
        ]
        assert found == [(2, 1), (2, 2), (4, 1), (4, 2)]
        (named,) = _read_grid(grid_file(tmp_path, model="em-es", settings="lyu2021")).experiments
        assert named.resolved() == default_settings("em-es", "lyu2021")

    @pytest.mark.parametrize(
        ("change", "said"),
        [
            ({"folder": "x" * 3000}, "folder: File name too long"),
            ({"model": "em-d"}, "unknown model 'em-d'"),
            ({"seed": ["x"]}, "seed is 'x'; it must be a whole number"),
            ({"modles": []}, "unknown field 'modles'; did you mean 'model'?"),
            ({"\ud800model": []}, r"unknown field '\ud800model'"),
            ({"dataset": 5}, "dataset is 5; it must be text"),
            ({"settings": 5, "model": "em-c"}, "settings is 5"),
            ({"folder": 5}, "a grid is an object with a folder"),
            ({"settings": {"epoch": 1}, "model": "em-c"}, "epoch"),
        ],
    )
    def test_a_fault_names_the_file(self, tmp_path, change, said):
        with pytest.raises(ValueError, match=r"grid\.json: ") as caught:
            _read_grid(grid_file(tmp_path, **change))
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
        assert plan(file=file).todo == [second] and jobs[first].state().state == "current"
        Path(first).write_bytes(content.replace(b'"model majority": 1', b'"model majority": 0'))
        assert jobs[first].state()[2:] == ("stale", "version of model majority was 0, is now 1")
        assert plan(file=file).todo == [first, second]
        assert plan(file=file, missing_only=True).todo == [second]
        assert train_one(first, jobs, progress=False)
        assert load_run(first).versions["model majority"] == 1

    def test_a_notebook_whose_runs_are_made_is_run_again(self, monkeypatch):
        table, runs = {"results/tables/05_weighted_f1.csv": ""}, {"results/runs/semeval2010": "0" * 64}
        index = {"notebooks/05_weighted_f1.ipynb": _MadeFrom(made=table, read=runs, rules=1)}
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
    written: dict[Path, int] = {}
    calls: list[subprocess.Popen] = []

    def started() -> subprocess.Popen:
        """One more call; what is there stays as it is, and is whole."""
        for path in filter(Path.exists, paths):
            assert load_run(path) and written.setdefault(path, path.stat().st_ino) == path.stat().st_ino, path
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


# A real Slurm of this machine: slurmctld and slurmd, started for one test.
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "srun", "squeue", "scontrol", "scancel")
LACKING = [name for name in PROGRAMS if not shutil.which(name, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")]
CONFIGURATION = """
ClusterName=one
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
SlurmctldPort={port}
SlurmdPort={other_port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MinJobAge=600
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture
def slurm(tmp_path_factory) -> Iterator[dict[str, str]]:
    """A cluster of this machine; gives the environment of its commands."""
    folder = tmp_path_factory.mktemp("slurm")
    for one in (folder, *folder.parents[:2]):
        one.chmod(0o711)  # munge wants a socket that everybody may reach
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    (folder / "munge.key").write_bytes(secrets.token_bytes(128))
    (folder / "munge.key").chmod(0o600)
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        port, other_port = one.getsockname()[1], other.getsockname()[1]
    values = {"host": socket.gethostname().partition(".")[0], "user": getpass.getuser(), "folder": folder}
    values |= {"port": port, "other_port": other_port, "cpus": min(2, os.cpu_count())}
    (folder / "slurm.conf").write_text(CONFIGURATION.format(**values))
    environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "OMP_NUM_THREADS": "1"}
    environment |= {"PATH": f"{folder}:{os.environ['PATH']}:/usr/sbin:/sbin", "HF_HUB_OFFLINE": "1"}
    # the executor takes SLURM_CONF away from the srun within a job, which then looks in /etc/slurm
    srun = f'SLURM_CONF={folder}/slurm.conf exec {shutil.which("srun")} "$@"'
    (folder / "srun").write_text(f"#!/bin/sh\n{srun}\n")
    (folder / "srun").chmod(0o755)
    munge = [f"--{name}={folder / file}" for name, file in MUNGE.items()]
    commands = (["munged", "--foreground", "--force", *munge], ["slurmctld", "-D"], ["slurmd", "-D"])
    with (folder / "log").open("wb") as log:
        started = []
        try:
            for words in commands:
                started.append(subprocess.Popen(words, env=environment, stdout=log, stderr=log, cwd=folder))
                time.sleep(1)
            waited_for(lambda: b"idle" in asked(environment, "sinfo", "-h", "-o", "%T"), 120)
            yield environment
        finally:
            subprocess.run(["scancel", "--full", "--user", getpass.getuser()], env=environment, check=False)
            for one in reversed(started):
                one.terminate()
                one.wait(30)


MUNGE = {"key-file": "munge.key", "socket": "munge.socket", "pid-file": "munge.pid"}
MUNGE |= {"log-file": "munge.log", "seed-file": "munge.seed"}


def asked(environment: dict[str, str], *words: str) -> bytes:
    return subprocess.run(words, env=environment, capture_output=True, check=False).stdout


def here(folder: Path) -> Path:
    """The committed profile, for a machine without GPU whose jobs take seconds."""
    profile = yaml.safe_load((ROOT / "workflow" / "profiles" / "slurm" / "config.yaml").read_text("utf-8"))
    profile |= {"default-resources": ["runtime=10", "mem_mb=500"], "latency-wait": 20, "jobs": 2}
    profile |= {"slurm-init-seconds-before-status-checks": 1, "seconds-between-status-checks": 1}
    profile |= {"slurm-logdir": str(folder / "logs"), "set-resources": ["train:runtime=10"]}
    profile |= {"slurm-keep-successful-logs": True}  # to count what was done
    (folder / "config.yaml").write_text(yaml.safe_dump(profile))
    return folder


@pytest.mark.nightly(third=1)
@pytest.mark.skipif(bool(LACKING), reason=f"needs Slurm; {', '.join(LACKING)} not installed")
def test_jobs_that_are_requeued_and_cancelled_are_done_once(slurm, tiny_bert, tmp_path) -> None:
    """A training is requeued while it computes, then cancelled: Slurm, then Snakemake starts it again."""
    file = grid_file(tmp_path, **TINY, encoder=str(tiny_bert))
    paths = [Path(name) for name in grid_jobs(file=file)]
    words = [sys.executable, "-m", "helpers", "grid", "--grid", str(file), "--on", str(here(tmp_path))]
    log, logs = tmp_path / "log", tmp_path / "logs"

    def job_logs(text: str) -> list[Path]:
        return [path for path in logs.rglob("*.log") if text in path.read_text("utf-8", "replace")]

    with log.open("wb") as stream:
        process = subprocess.Popen(words, env=slurm, cwd=ROOT, stdout=stream, stderr=stream)
        try:
            waited_for(lambda: job_logs("training:") or process.poll() is not None, 500)
            assert process.poll() is None, log.read_text()
            job = job_logs("training:")[0].stem
            subprocess.run(["scontrol", "requeue", job], env=slurm, check=True)
            waited_for(lambda: b"Restarts=1" in asked(slurm, "scontrol", "show", "job", job))
            # Slurm would wait two minutes before it starts a requeued job
            waited_for(lambda: b"JobState=PENDING" in asked(slurm, "scontrol", "show", "job", job))
            subprocess.run(["scontrol", "update", f"JobId={job}", "StartTime=now"], env=slurm, check=True)
            waited_for(lambda: asked(slurm, "squeue", "-h", "-j", job, "-t", "R", "-o", "%i").strip(), 500)
            subprocess.run(["scancel", job], env=slurm, check=True)
            assert process.wait(500) == 0, log.read_text()
        finally:
            process.kill()
            process.wait()
    assert all(load_run(path).n for path in paths)
    texts = (path.read_text("utf-8", "replace") for path in job_logs("stored: "))
    stored = sorted(line for text in texts for line in text.splitlines() if line.startswith("stored: "))
    assert stored == sorted(f"stored: {path}" for path in paths), "each was trained once"
    submitted = {path.stem for path in logs.rglob("*.log")}
    assert len(submitted) == len(paths) + 1, "what was cancelled was submitted once more, nothing else was"
