"""One training loop for all models: repeatable to the bit, whatever interrupts it."""

import copy
import dataclasses
import functools
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from helpers.core.labels import label_ids
from helpers.data.demo import TEST_COUNTS, demo_corpus
from helpers.models import training
from helpers.models.registry import MODELS, build
from helpers.models.settings import Settings
from helpers.models.training import load_weights, save_weights
from tests.support import stop_after

NEURAL = [name for name, entry in MODELS.items() if entry.encoder and name != "recent"]  # that is several
LABELS = tuple(label_ids(TEST_COUNTS))
SAMPLES = demo_corpus()["train"][:36]
QUICK = Settings(learning_rate=1e-3, epochs=3, batch_size=8, precision="fp32")
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

    def counted(loop, parts):
        done.append(loop.step)
        one_step(loop, parts)

    monkeypatch.setattr(training._Loop, "_one_step", counted)
    return done


def trained(model, settings: Settings = QUICK, seed: int = 9, samples=SAMPLES, **options):
    """The weights after training, and its history."""
    history = training.train(model, samples, settings, seed, progress=False, **options)
    return {name: value.clone() for name, value in model.state_dict().items()}, history


def same(one: dict, two: dict) -> bool:
    return one.keys() == two.keys() and all(torch.equal(one[name], two[name]) for name in one)


def gap(one: dict, two: dict) -> float:
    return max((one[name] - two[name]).abs().max().item() for name in one)


class TestRepeatable:
    @pytest.mark.parametrize("name", NEURAL)
    def test_one_seed_gives_one_result(self, name, new) -> None:
        settings = dataclasses.replace(QUICK, epochs=1)
        model = new(name)

        def look(epoch: int) -> None:
            training.predict(model, SAMPLES[:5], progress=False)

        watched = trained(model, settings, after_epoch=look)[0]  # predictions on the way change nothing
        again, other = (trained(new(name), settings, seed)[0] for seed in (9, 10))
        assert same(watched, again) and not same(again, other) and not same(again, new(name).state_dict())

    @pytest.mark.parametrize("accumulate", [2, 11])
    def test_a_step_in_parts_is_the_same_step(self, accumulate, new) -> None:
        settings = dataclasses.replace(QUICK, epochs=1, epsilon=1e-2, learning_rate=1e-2)
        in_parts = dataclasses.replace(settings, accumulate=accumulate)
        half = dataclasses.replace(settings, batch_size=4)
        whole, history = trained(new(dropout=0.0), settings)
        parts, other = trained(new(dropout=0.0), in_parts)
        assert gap(whole, parts) < 1e-6 < 1e-4 < gap(whole, trained(new(dropout=0.0), half)[0])
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
        monkeypatch.setattr(training, "CHECKPOINT_STEPS", 2)

    def stopped(self, model, at: int, checkpoint: Path) -> None:
        """Train until `at` steps are done, and no further."""
        with pytest.MonkeyPatch.context() as patch:
            stop_after(at, patch)
            with pytest.raises(KeyboardInterrupt):
                trained(model, checkpoint=checkpoint)

    @pytest.mark.parametrize(("at", "kept"), [(3, 2), (5, 5), (14, 14)])
    def test_it_goes_on_to_the_same_result(self, at, kept, new, tmp_path, steps) -> None:
        checkpoint = tmp_path / "c.safetensors"
        weights, history = trained(new())
        self.stopped(new(), at, checkpoint)
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


class TestCheckpointFiles:
    @pytest.fixture
    def checkpoint(self, new, tmp_path) -> Path:
        trained(new(), dataclasses.replace(QUICK, epochs=1), checkpoint=tmp_path / "c.safetensors")
        return tmp_path / "c.safetensors"

    @pytest.mark.parametrize("spoil", ["text", "half", "empty", "weights only"])
    def test_a_spoilt_one_is_an_error(self, spoil, checkpoint, new) -> None:
        data = checkpoint.read_bytes()
        spoilt = {"text": b"no checkpoint", "half": data[: len(data) // 2], "empty": b""}
        if spoil == "weights only":
            save_weights(checkpoint, new())
        else:
            checkpoint.write_bytes(spoilt[spoil])
        left = checkpoint.read_bytes()
        with pytest.raises(ValueError, match="not a checkpoint of this model .*; delete it") as caught:
            trained(new(), checkpoint=checkpoint)
        assert str(caught.value).startswith(f"{checkpoint}: ")
        assert checkpoint.read_bytes() == left

    def test_weights_there_and_back(self, new, tmp_path) -> None:
        weights, _ = trained(new(), dataclasses.replace(QUICK, epochs=1))
        model = new()
        model.load_state_dict(weights)
        path = save_weights(tmp_path / "deep" / "w.safetensors", model)
        assert same(load_file(path), weights)
        assert same(load_weights(path, new(seed=77)).state_dict(), weights)
        with pytest.raises(ValueError, match=r"w\.safetensors: these weights do not fit the model"):
            load_weights(path, new("em-c"))


class TestPrediction:
    @pytest.mark.parametrize("name", NEURAL)
    def test_order_and_batches_do_not_matter(self, name, new, monkeypatch) -> None:
        model = new(name)
        samples = [*SAMPLES[:9], dataclasses.replace(SAMPLES[9], text=SAMPLES[9].text + " and so on" * 9)]
        found = training.predict(model, samples, progress=False)
        assert found.shape == (10,) and len(set(found.tolist())) > 1
        monkeypatch.setattr(training, "PREDICTION_BATCH", 3)
        assert training.predict(model, samples[::-1], progress=False).tolist() == found[::-1].tolist()
        alone = [training.predict(model, [sample], progress=False).item() for sample in samples]
        assert alone == found.tolist()

    def test_ties_go_to_the_smaller_id(self, new) -> None:
        model = new()
        with torch.no_grad():
            model.classifier.weight.zero_()
            model.classifier.bias.zero_()
            model.classifier.bias[[3, 5]] = 1.0
        assert set(training.predict(model, SAMPLES, progress=False).tolist()) == {3}
