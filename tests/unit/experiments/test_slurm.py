"""The workflow on a real Slurm: slurmctld and slurmd of this machine, started for the test alone.

Skipped where Slurm is not installed; on Debian: apt-get install slurmctld slurmd slurm-client munge.
"""

import getpass
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from helpers import ROOT
from helpers.experiments import grid_jobs
from helpers.runs import load_run

from .test_workflow import TINY, grid_file, waited_for

pytestmark = pytest.mark.nightly(third=1)
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
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
MinJobAge=600
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} RealMemory=2000 State=UNKNOWN
PartitionName=main Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def free_ports() -> list[int]:
    with socket.socket() as one, socket.socket() as other:
        for either in (one, other):
            either.bind(("127.0.0.1", 0))
        return [either.getsockname()[1] for either in (one, other)]


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
    port, other_port = free_ports()
    values = {"host": socket.gethostname().partition(".")[0], "user": getpass.getuser(), "folder": folder}
    values |= {"port": port, "other_port": other_port, "cpus": min(2, os.cpu_count())}
    (folder / "slurm.conf").write_text(CONFIGURATION.format(**values))
    environment = os.environ | {"SLURM_CONF": str(folder / "slurm.conf"), "OMP_NUM_THREADS": "1"}
    environment |= {"PATH": f"{folder}:{os.environ['PATH']}:/usr/sbin:/sbin", "HF_HUB_OFFLINE": "1"}
    # the executor takes SLURM_CONF away from the srun within a job, which then looks in /etc/slurm
    (folder / "srun").write_text(
        f'#!/bin/sh\nSLURM_CONF={folder}/slurm.conf exec {shutil.which("srun")} "$@"\n'
    )
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
    (folder / "profile").mkdir()
    (folder / "profile" / "config.yaml").write_text(yaml.safe_dump(profile))
    return folder / "profile"


@pytest.mark.skipif(bool(LACKING), reason=f"needs Slurm; {', '.join(LACKING)} not installed")
def test_jobs_that_are_requeued_and_cancelled_are_done_once(slurm, tiny_bert, tmp_path) -> None:
    """A training is requeued while it computes, then cancelled: Slurm, then Snakemake starts it again."""
    file = grid_file(tmp_path, **TINY, encoder=str(tiny_bert))
    paths = [Path(name) for name in grid_jobs(file=file)]
    words = [sys.executable, "-m", "helpers", "grid", "--grid", str(file), "--on", str(here(tmp_path))]
    log, logs = tmp_path / "log", tmp_path / "logs"

    def said(text: str) -> list[str]:
        """Lines of all jobs that begin so."""
        found = (path.read_text("utf-8", "replace").splitlines() for path in logs.rglob("*.log"))
        return [line for lines in found for line in lines if line.startswith(text)]

    def running() -> list[str]:
        """Numbers of the jobs that are training EM-ES."""
        found = [path for path in logs.rglob("*.log") if "training:" in path.read_text("utf-8", "replace")]
        alive = asked(slurm, "squeue", "-h", "-t", "R", "-o", "%i").decode().split()
        return [path.stem for path in found if path.stem in alive]

    with log.open("wb") as stream:
        process = subprocess.Popen(words, env=slurm, cwd=ROOT, stdout=stream, stderr=stream)
        try:
            waited_for(lambda: running() or process.poll() is not None, 500)
            assert process.poll() is None, log.read_text()
            (job,) = running()
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
    assert sorted(said("stored: ")) == sorted(f"stored: {path}" for path in paths), "each was trained once"
    submitted = {path.stem for path in logs.rglob("*.log")}
    assert len(submitted) == len(paths) + 1, "what was cancelled was submitted once more, nothing else was"
