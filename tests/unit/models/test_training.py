"""Settings, the order of training, one loop for all: repeatable to the bit, whatever interrupts it."""

import copy
import dataclasses
import functools
import json
import random
import shutil
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import pandas as pd
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file

from helpers import ROOT
from helpers.core.labels import label_ids
from helpers.data.demo import TEST_COUNTS, demo_corpus
from helpers.models import training
from helpers.models import training as checkpoints
from helpers.models.inputs import Example, collate, epoch_batches, step_loader
from helpers.models.registry import MODELS, build, check_options, default_settings
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


class TestSettings:
    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            *((name, 0, "a positive, finite number") for name in ("learning_rate", "epsilon")),
            *((name, 0, "a positive whole number") for name in ("epochs", "batch_size")),
            *((name, -1, "a positive whole number") for name in ("accumulate", "max_length")),
            *(("learning_rate", float(odd), "a positive, finite number") for odd in ("nan", "inf", "-inf")),
            *((name, -0.1, "a finite number from 0 up") for name in ("weight_decay", "warmup", "clip")),
            ("clip", float("nan"), "a finite number from 0 up"),
            ("dropout", 1.0, r"in \[0, 1\), or none"),
            ("dropout", -0.1, r"in \[0, 1\), or none"),
            ("epochs", "1.5", "a positive whole number"),
            ("epochs", "true", "a positive whole number"),
            ("learning_rate", "none", "a positive, finite number"),
        ],
    )
    def test_values_out_of_range(self, name, value, message) -> None:
        with pytest.raises(ValueError, match=f"^{name} is {value!r}; it must be {message}$"):
            Settings(**{name: value})

    @pytest.mark.parametrize(
        ("settings", "expected"),
        [
            ({"warmup": 0}, [1.0, 0.8, 0.6, 0.4, 0.2]),
            ({"warmup": 2}, [0.5, 1.0, 1.0, 2 / 3, 1 / 3]),
            ({"warmup": 0.4}, [0.5, 1.0, 1.0, 2 / 3, 1 / 3]),
            ({"warmup": 0.5}, [0.4, 0.8, 1.0, 0.8, 0.4]),
            ({"warmup": 1}, [1.0, 1.0, 0.75, 0.5, 0.25]),
            ({"warmup": 10}, [0.1, 0.2, 0.3, 0.4, 0.5]),
            ({"warmup": 0, "schedule": "constant"}, [1.0] * 5),
            ({"warmup": 2, "schedule": "constant"}, [0.5, 1.0, 1.0, 1.0, 1.0]),
        ],
    )
    def test_learning_rates(self, settings, expected) -> None:
        chosen = Settings(learning_rate=1.0, **settings)
        assert [chosen.rate(step, 5) for step in range(5)] == pytest.approx(expected)

    def test_published_values(self, tiny_bert, tmp_path) -> None:
        """Every value of the published settings is that of the table, and the table has a row for each."""
        wide = shutil.copytree(tiny_bert, tmp_path / "wide")
        config = json.loads((wide / "config.json").read_text())
        (wide / "config.json").write_text(json.dumps(config | {"hidden_size": 1024}))
        table = pd.read_csv(ROOT / "results/published/settings.csv", dtype=str, keep_default_na=False)
        options = table["setting"].str.startswith("option ")
        for row in table[~options].itertuples():
            encoder = str(wide if row.encoder == "large" else tiny_bert)
            found = default_settings(row.model, row.settings, encoder)
            assert found == found.changed({row.setting: row.value}), row
        for row in table[options].itertuples():
            assert check_options(row.model, {row.setting.removeprefix("option "): row.value}), row
        named = {(row.settings, row.model, row.encoder, row.setting) for row in table.itertuples()}
        for name in MODELS:
            for paper in MODELS[name].settings.keys() - {"standard"}:
                usual, base, large = (
                    asdict(one)
                    for one in (
                        Settings(),
                        default_settings(name, paper, str(tiny_bert)),
                        default_settings(name, paper, str(wide)),
                    )
                )
                assert all((paper, name, "", key) in named for key in base if base[key] != usual[key])
                assert all((paper, name, "large", key) in named for key in base if base[key] != large[key])
        assert set(table["stated"]) == {"yes", "code", "no"} and table["source"].all()


class TestOrder:
    @given(st.lists(st.integers(1, 90), min_size=1, max_size=300), st.integers(1, 9), st.integers(0, 99))
    def test_every_example_once(self, lengths, size, seed) -> None:
        batches = epoch_batches(lengths, size, random.Random(seed))
        assert sorted(at for batch in batches for at in batch) == list(range(len(lengths)))
        assert len(batches) == -(-len(lengths) // size)
        assert sorted(map(len, batches))[1:] == [size] * (len(batches) - 1)

    @given(st.integers(1, 20), st.integers(1, 5), st.integers(1, 4), st.lists(st.integers(1, 9), min_size=20))
    def test_shares_of_the_processes_make_the_batch(self, size, accumulate, processes, lengths) -> None:
        examples = [Example([at + 1] * length, (0,), at) for at, length in enumerate(lengths)]
        batches = [list(range(size)), [3]]
        found = [Counter(), Counter()]

        def join(some, weights):
            return collate(some, 0, weights)

        for rank in range(processes):
            parts = list(step_loader(examples, batches, join, accumulate, rank, processes))
            assert len(parts) == 2 * accumulate
            for number, part in enumerate(parts):
                assert len(part.ids)
                for target, weight in zip(part.target.tolist(), part.weight.tolist(), strict=True):
                    found[number // accumulate][target] += weight
        for batch, weights in zip(batches, found, strict=True):
            expected = {at: pytest.approx(1 / len(batch)) for at in batch}
            assert {at: weight for at, weight in weights.items() if weight} == expected


class TestRepeatable:
    @pytest.mark.parametrize("name", NEURAL)
    def test_one_seed_gives_one_result(self, name, new) -> None:
        settings = dataclasses.replace(QUICK, epochs=1)
        before = {key: value.clone() for key, value in new(name).state_dict().items()}
        one, again, other = (trained(new(name), settings, seed)[0] for seed in (9, 9, 10))
        assert same(one, again) and not same(one, other) and not same(one, before)

    def test_prediction_on_the_way_changes_nothing(self, new) -> None:
        one, history = trained(new())
        watched, epochs = new(), []

        def look(epoch: int) -> None:
            epochs.append(epoch)
            training.predict(watched, SAMPLES[:5], progress=False)

        assert same(one, trained(watched, after_epoch=look)[0])
        assert epochs == [1, 2, 3]

    @pytest.mark.parametrize("accumulate", [2, 3, 8, 11])
    def test_a_step_in_parts_is_the_same_step(self, accumulate, new) -> None:
        settings = dataclasses.replace(QUICK, epochs=1, epsilon=1e-2, learning_rate=1e-2)
        in_parts = dataclasses.replace(settings, accumulate=accumulate)
        half = dataclasses.replace(settings, batch_size=4)
        whole, history = trained(new(dropout=0.0), settings)
        parts, other = trained(new(dropout=0.0), in_parts)
        assert gap(whole, parts) < 1e-6 < 1e-4 < gap(whole, trained(new(dropout=0.0), half)[0])
        assert other.losses == pytest.approx(history.losses, abs=1e-6)


class TestLearning:
    def test_the_loss_falls(self, new) -> None:
        settings = dataclasses.replace(QUICK, epochs=20, learning_rate=4e-3)
        model = new()
        _, history = trained(model, settings)
        assert len(history.losses) == 20
        assert history.losses[-1] < 0.5 * history.losses[0]
        gold = [LABELS.index(sample.relation) for sample in SAMPLES]
        assert (training.predict(model, SAMPLES, progress=False) == gold).mean() > 0.8

    @pytest.mark.parametrize(("optimizer", "share"), [("adamw", 0.9), ("adam", 1.0)])
    def test_weight_decay_is_for_matrices_of_adamw(self, optimizer, share, new) -> None:
        settings = Settings(
            learning_rate=1e-3, epochs=1, batch_size=36, optimizer=optimizer, weight_decay=100, warmup=0
        )
        model = new()
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

    @pytest.mark.parametrize(("at", "kept"), [(3, 2), (5, 5), (9, 8), (14, 14)])
    def test_it_goes_on_to_the_same_result(self, at, kept, new, tmp_path, steps) -> None:
        checkpoint = tmp_path / "c.safetensors"
        weights, history = trained(new())
        self.stopped(new(), at, checkpoint)
        steps.clear()
        found, resumed = trained(new(seed=77), checkpoint=checkpoint)
        assert steps == list(range(kept, STEPS))
        assert same(weights, found)
        assert resumed.losses == history.losses

    def test_an_epoch_whose_end_was_interrupted_is_ended_again(self, new, tmp_path) -> None:
        weights, _ = trained(new())
        seen = []

        def ended(epoch: int) -> None:
            seen.append(epoch)
            if seen == [1, 2]:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            trained(new(), checkpoint=tmp_path / "c.safetensors", after_epoch=ended)
        found, _ = trained(new(), checkpoint=tmp_path / "c.safetensors", after_epoch=ended)
        assert same(weights, found) and seen == [1, 2, 2, 3]

    def test_the_checkpoint_holds_no_pickle_and_no_text_of_the_samples(self, new, tmp_path) -> None:
        trained(new(), checkpoint=tmp_path / "c.safetensors")
        data = (tmp_path / "c.safetensors").read_bytes()
        assert SAMPLES[0].text.encode() not in data
        names = set(load_file(tmp_path / "c.safetensors"))
        assert {name.partition(".")[0] for name in names} == {"model", "optimizer"}
        assert {name.rpartition(".")[2] for name in names if name.startswith("optimizer")} == {
            *("step", "exp_avg", "exp_avg_sq")
        }


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

    @pytest.mark.parametrize("point", ["save_file", "replace"])
    def test_a_failed_write_leaves_the_old_one(self, point, checkpoint, new, monkeypatch) -> None:
        old = checkpoint.read_bytes()

        def fail(*arguments, **options):
            if point == "save_file":
                Path(arguments[1]).write_bytes(b"half of it")
            raise OSError("disk full")

        place = checkpoints if point == "save_file" else checkpoints.os
        monkeypatch.setattr(place, point, fail)
        with pytest.raises(OSError, match="disk full"):
            trained(new(), dataclasses.replace(QUICK, epochs=2), checkpoint=checkpoint)
        assert checkpoint.read_bytes() == old
        assert list(checkpoint.parent.iterdir()) == [checkpoint]

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
