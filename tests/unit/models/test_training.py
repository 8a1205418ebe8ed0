"""One training loop for all models: repeatable to the bit, whatever interrupts it; and in two processes."""

import copy
import functools
import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from helpers import ROOT
from helpers.core import label_ids
from helpers.data import demo_corpus
from helpers.data.demo import TEST_COUNTS
from helpers.experiments import Experiment, run_experiment
from helpers.experiments import run as experiments
from helpers.models import MODELS, build, default_settings, training
from helpers.models.base import Settings
from helpers.models.training import processor_threads, save_weights
from helpers.runs import load_run
from tests.support import nightly, stop_after, train_command

NEURAL = [name for name, entry in MODELS.items() if entry.encoder and name != "recent"]  # that is several
LABELS = tuple(label_ids(TEST_COUNTS))
SAMPLES = demo_corpus()["train"][:36]
QUICK = Settings(learning_rate=1e-3, epochs=3, batch_size=8, precision="fp32")
ONE_EPOCH = replace(QUICK, epochs=1)
STEPS = 15  # of QUICK: three epochs of 36 samples in batches of 8


@pytest.fixture(scope="module")
def new(tiny_bert):
    """A new model; by default the same one each time. All share one tokenizer."""

    @functools.cache
    def built(name, seed, dropout, **options):
        return build(name, str(tiny_bert), LABELS, Settings(dropout=dropout), seed, **options)

    def model(name: str = "em-es", seed: int = 9, dropout: float | None = None, **options):
        original = built(name, seed, dropout, **options)
        tokenizer = original.encoder.tokenizer
        return copy.deepcopy(original, {id(tokenizer): tokenizer})

    return model


@pytest.fixture
def steps(monkeypatch) -> list[int]:
    """The steps that were done so far, in order."""
    done, one_step = [], training._Loop._one_step

    def counted(loop, batch):
        done.append(loop.step)
        one_step(loop, batch)

    monkeypatch.setattr(training._Loop, "_one_step", counted)
    return done


def trained(model, settings: Settings = QUICK, seed: int = 9, samples=SAMPLES, **options):
    """The weights after training, and its history."""
    model.settings, model.seed = settings, seed
    history = model.fit(samples, progress=False, **options)
    return {name: value.clone() for name, value in model.state_dict().items()}, history


def same(one: dict, two: dict) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


def gap(one: dict, two: dict) -> float:
    return max((one[name] - two[name]).abs().max().item() for name in one)


class TestRepeatable:
    @pytest.mark.parametrize("name", NEURAL)
    def test_one_seed_gives_one_result(self, name, new) -> None:
        model = new(name)

        def look(epoch: int) -> None:
            model.predict(SAMPLES[:5], progress=False)

        watched = trained(model, ONE_EPOCH, after_epoch=look)[0]  # predictions on the way change nothing
        again, other = (trained(new(name), ONE_EPOCH, seed)[0] for seed in (9, 10))
        assert same(watched, again) and not same(again, other) and not same(again, new(name).state_dict())

    @pytest.mark.parametrize("accumulate", [2, 11])
    def test_a_step_in_parts_is_the_same_step(self, accumulate, new) -> None:
        settings = ONE_EPOCH.changed({"epsilon": 1e-2, "learning_rate": 1e-2})
        changes = ({}, {"accumulate": accumulate}, {"batch_size": 4})
        (whole, history), (parts, other), (half, _) = (
            trained(new(dropout=0.0), settings.changed(one)) for one in changes
        )
        assert gap(whole, parts) < 1e-6 < 1e-4 < gap(whole, half)
        assert other.losses == pytest.approx(history.losses, abs=1e-6)


class TestLearning:
    @pytest.mark.parametrize(("optimizer", "share"), [("adamw", 0.9), ("adam", 1.0)])
    def test_weight_decay_is_for_matrices_of_adamw(self, optimizer, share, new) -> None:
        chosen = {"epochs": 1, "batch_size": 36, "optimizer": optimizer, "weight_decay": 100, "warmup": 0}
        settings, model = QUICK.changed(chosen), new()
        words, norm = model.encoder.word_embedding, model.encoder.transformer.embeddings.LayerNorm.weight
        unused = model.encoder.tokenizer.convert_tokens_to_ids("antarctica")
        before = words[unused].clone()
        trained(model, settings)
        assert torch.allclose(words[unused], share * before, atol=1e-7)
        assert (norm - 1).abs().max() < 0.002

    def test_a_loss_that_is_not_finite(self, new, tmp_path) -> None:
        model = new()
        with torch.no_grad():
            model.classifier.weight[0, 0] = torch.nan
        with pytest.raises(FloatingPointError, match="loss of epoch 1 is nan: lower learning_rate"):
            trained(model, checkpoint=tmp_path / "c.safetensors")
        assert list(tmp_path.iterdir()) == []


class TestInterrupted:
    @pytest.fixture(autouse=True)
    def often(self, monkeypatch) -> None:
        monkeypatch.setattr(training, "CHECKPOINT_SECONDS", 0)
        monkeypatch.setattr(training, "CHECK_STEPS", 2)

    @pytest.mark.parametrize(("at", "kept"), nightly([(3, 2), (5, 5), (14, 14)], 2, (5, 5), (14, 14)))
    def test_it_goes_on_to_the_same_result(self, at, kept, new, tmp_path, steps) -> None:
        checkpoint = tmp_path / "c.safetensors"
        weights, history = trained(new())
        with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
            stop_after(at, patch)
            trained(new(), checkpoint=checkpoint)
        steps.clear()
        found, resumed = trained(new(seed=77), checkpoint=checkpoint)
        assert steps == list(range(kept, STEPS))
        assert same(weights, found)
        assert resumed.losses == history.losses

    @pytest.mark.parametrize(("name", "options"), [("em-es", {}), ("emr-c", {"negatives": "resampled"})])
    def test_an_epoch_whose_end_was_interrupted_is_ended_again(self, name, options, new, tmp_path) -> None:
        """The checkpoint holds no pickle and no text of the samples."""
        weights, _ = trained(new(name, **options))
        seen = []

        def ended(epoch: int) -> None:
            seen.append(epoch)
            if seen == [1, 2]:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            trained(new(name, **options), checkpoint=tmp_path / "c.safetensors", after_epoch=ended)
        found, _ = trained(new(name, **options), checkpoint=tmp_path / "c.safetensors", after_epoch=ended)
        assert same(weights, found) and seen == [1, 2, 2, 3]
        assert SAMPLES[0].text.encode() not in (tmp_path / "c.safetensors").read_bytes()
        names = [name.split(".") for name in load_file(tmp_path / "c.safetensors")]
        assert {name[0] for name in names} == {"model", "optimizer"}
        ends = {name[-1] for name in names if name[0] == "optimizer"}
        assert ends == {"step", "exp_avg", "exp_avg_sq"}


def test_no_checkpoint_before_its_time(new, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(training, "CHECK_STEPS", 1)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        stop_after(14, patch)
        trained(new(), checkpoint=tmp_path / "c.safetensors")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("spoil", ["text", "half", "empty", "weights only"])
def test_a_spoilt_checkpoint_is_an_error(spoil, new, tmp_path) -> None:
    path = tmp_path / "c.safetensors"
    trained(new(), ONE_EPOCH, checkpoint=path)
    data = path.read_bytes()
    if spoil == "weights only":
        save_weights(path, new())
    else:
        path.write_bytes({"text": b"no checkpoint", "half": data[: len(data) // 2], "empty": b""}[spoil])
    left = path.read_bytes()
    with pytest.raises(ValueError, match="not a checkpoint of this model .*; delete it") as caught:
        trained(new(), checkpoint=path)
    assert str(caught.value).startswith(f"{path}: ") and path.read_bytes() == left


class TestPrediction:
    @pytest.mark.parametrize("name", NEURAL)
    def test_order_and_batches_do_not_matter(self, name, new, monkeypatch) -> None:
        model = new(name)
        samples = [*SAMPLES[:9], replace(SAMPLES[9], text=SAMPLES[9].text + " and so on" * 9)]
        found = model.predict(samples, progress=False)
        assert found.shape == (10,) and len(set(found.tolist())) > 1
        monkeypatch.setattr(training, "PREDICTION_TOKENS", 60)
        assert model.predict(samples[::-1], progress=False).tolist() == found[::-1].tolist()
        alone = [model.predict([sample], progress=False).item() for sample in samples]
        assert alone == found.tolist()

    def test_ties_go_to_the_smaller_id(self, new) -> None:
        model = new()
        with torch.no_grad():
            model.classifier.weight.zero_()
            model.classifier.bias.zero_()
            model.classifier.bias[[3, 5]] = 1.0
        assert set(model.predict(SAMPLES, progress=False).tolist()) == {3}


PATIENCE = 900


def in_two_processes(words: list[str], folder: Path) -> None:
    """One thread for each process; nothing to download."""
    # --multi_gpu starts processes; where there is no GPU they compute on the processor and talk by gloo
    launch = "--multi_gpu --num_processes 2 --num_machines 1 --mixed_precision no --dynamo_backend no"
    started = [sys.executable, "-m", "accelerate.commands.launch", *launch.split()]
    started += ["--main_process_ip", "127.0.0.1", "--main_process_port", "0", "-m", "helpers", *words]
    alone = {"OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1", "HF_HOME": str(folder / "no-configuration")}
    alone |= {"CUDA_VISIBLE_DEVICES": "", "GLOO_SOCKET_IFNAME": "lo", "MASTER_ADDR": "127.0.0.1"}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(started, cwd=ROOT, env=os.environ | alone, **pipes)
    try:
        printed, complaints = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)  # accelerate ends the processes that it started
        process.communicate(timeout=PATIENCE)
        raise
    assert process.returncode == 0, complaints
    assert printed.count("run file: ") == 1, "only the first process prints"


def one_and_two(words: list[str], experiment: Experiment, folder: Path, **files: Path) -> list[tuple]:
    """The runs that one process and two store: but for the times they are the same."""
    in_two_processes([*words, "--output", str(folder / "two")], folder)
    with processor_threads(1):
        run_experiment(experiment, folder / "one", progress=False, **files)
    found = sorted((folder / "two").rglob("*.json"))
    assert len(found) == len([*(folder / "one").rglob("*.json")])
    pairs = [(load_run(folder / "one" / path.relative_to(folder / "two")), load_run(path)) for path in found]
    for one, two in pairs:
        assert (one.environment["processes"], two.environment["processes"]) == (1, 2)
        assert not one.different_fields(two)
    return pairs


@pytest.mark.nightly(third=2)
def test_two_processes_of_type_restriction_store_both_evaluations(tmp_path) -> None:
    words = "train --model recent --dataset demo --option base cnn --option typed false --option filters 6"
    options = {"base": "cnn", "typed": False, "filters": 6}
    settings = default_settings("cnn").changed({"epochs": 2})
    experiment = Experiment("recent", "demo", options=options, settings=settings, sentences=200)
    runs = one_and_two([*words.split(), "--set", "epochs", "2", "--sentences", "200"], experiment, tmp_path)
    assert [(two.n, two.kind) for _, two in runs] == [(400, "paired")] * 2


@pytest.mark.nightly(third=1)
def test_two_processes_give_what_one_gives(tiny_bert, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(experiments, "CHECKPOINTS", tmp_path / "checkpoints")
    changes = {"epochs": 1, "learning_rate": 1e-3, "precision": "fp32", "dropout": 0, "epsilon": 1e-4}
    words = train_command(tiny_bert, tmp_path / "two", **changes)
    words += ["--weights", str(tmp_path / "two.safetensors"), "--predictions", str(tmp_path / "two.csv")]
    settings = replace(default_settings("em-es"), **changes)
    chosen = Experiment("em-es", "demo", encoder=str(tiny_bert), settings=settings)
    files = {"weights": tmp_path / "one.safetensors", "predictions": tmp_path / "one.csv"}
    ((one, two),) = one_and_two(words, chosen, tmp_path, **files)
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
