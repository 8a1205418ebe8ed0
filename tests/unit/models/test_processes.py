"""Training in processes of its own: killed and started again, and on two processors at once."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from helpers import ROOT
from helpers.experiments import run as experiments
from helpers.experiments.experiment import Experiment
from helpers.experiments.run import run_experiment
from helpers.models.registry import default_settings
from helpers.runs import different_fields, load_run
from tests.support import train_command

PATIENCE = 900


@pytest.fixture
def environment() -> dict[str, str]:
    """One thread for each process, as the tests themselves may have; nothing to download."""
    return os.environ | {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "PYTHONUNBUFFERED": "1"}


@pytest.fixture
def one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def in_two_processes(words: list[str], folder: Path, environment: dict[str, str]) -> str:
    """What the command prints that is started twice."""
    # --multi_gpu starts processes; where there is no GPU they compute on the processor and talk by gloo
    launch = "--multi_gpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no"
    started = [sys.executable, "-m", "accelerate.commands.launch", *launch.split()]
    started += ["--main_process_ip", "127.0.0.1", "--main_process_port", "0", "-m", "helpers", *words]
    alone = environment | {"CUDA_VISIBLE_DEVICES": "", "GLOO_SOCKET_IFNAME": "lo", "MASTER_ADDR": "127.0.0.1"}
    alone |= {"HF_HOME": str(folder / "no-configuration")}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(started, cwd=ROOT, env=alone, **pipes)
    try:
        printed, complaints = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # accelerate ends the processes that it started
        process.communicate(timeout=PATIENCE)
        raise
    assert process.returncode == 0, complaints
    assert printed.count("run file: ") == 1, "only the first process prints"
    return printed


@pytest.mark.nightly(third=2)
def test_two_processes_of_type_restriction_store_both_evaluations(tmp_path, environment) -> None:
    words = ["train", "--model", "recent", "--dataset", "demo", "--output", str(tmp_path / "two")]
    words += ["--option", "base", "cnn", "--option", "typed", "false", "--option", "filters", "6"]
    words += ["--set", "epochs", "2", "--sentences", "200"]
    in_two_processes(words, tmp_path, environment)
    options = {"base": "cnn", "typed": False, "filters": 6}
    settings = default_settings("cnn").changed({"epochs": 2})
    one = Experiment("recent", "demo", options=options, settings=settings, sentences=200)
    run_experiment(one, tmp_path / "one", progress=False)
    paths = sorted(path.relative_to(tmp_path / "two") for path in (tmp_path / "two").rglob("*.json"))
    assert len(paths) == len([*(tmp_path / "one").rglob("*.json")]) == 2
    for path in paths:
        found, expected = (load_run(tmp_path / name / path) for name in ("two", "one"))
        assert found.environment["processes"] == 2 and not different_fields(found, expected)
        assert found.n == expected.n == 400 and found.kind == "paired"


@pytest.mark.nightly(third=1)
def test_two_processes_give_what_one_gives(tiny_bert, tmp_path, environment, one_thread, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "CHECKPOINTS", tmp_path / "checkpoints")
    changes = {"epochs": 1, "learning_rate": 1e-3, "precision": "fp32", "dropout": 0, "epsilon": 1e-4}
    words = train_command(tiny_bert, tmp_path / "two", **changes)
    words += ["--weights", str(tmp_path / "two.safetensors"), "--predictions", str(tmp_path / "two.csv")]
    in_two_processes(words, tmp_path, environment)

    settings = replace(default_settings("em-es"), **changes)
    chosen = Experiment("em-es", "demo", encoder=str(tiny_bert), settings=settings)
    files = {"weights": tmp_path / "one.safetensors", "predictions": tmp_path / "one.csv"}
    one = run_experiment(chosen, tmp_path / "one", progress=False, **files)
    (path,) = [path for path in (tmp_path / "two").rglob("*") if path.is_file()]
    two = load_run(path)
    assert (one.environment["processes"], two.environment["processes"]) == (1, 2)
    assert not different_fields(one, two)
    assert two.history["losses"] == pytest.approx(one.history["losses"], abs=1e-5)

    weights = [load_file(tmp_path / name) for name in ("one.safetensors", "two.safetensors")]
    gaps = {name: (weights[0][name] - weights[1][name]).abs().max().item() for name in weights[0]}
    assert weights[0].keys() == weights[1].keys() and max(gaps.values()) < 1e-4, gaps
    start = load_file(tiny_bert / "model.safetensors")["encoder.layer.1.output.dense.weight"]
    moved = weights[0]["encoder.transformer.encoder.layer.1.output.dense.weight"] - start
    assert moved.abs().max() > 5e-3, "both could have learnt nothing"

    rows = [(tmp_path / name).read_text("utf-8").splitlines() for name in ("one.csv", "two.csv")]
    assert len(rows[0]) == len(rows[1]) == 401
    assert sum(a != b for a, b in zip(*rows, strict=True)) <= 2, "at most near-ties may tip"
    assert list((tmp_path / "checkpoints").iterdir()) == []
