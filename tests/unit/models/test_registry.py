"""The registry of models: one from outside goes the whole way; names and faces cost no torch."""

import subprocess
import sys
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch import nn

from helpers import ROOT
from helpers.cli import main
from helpers.data.demo import demo_corpus
from helpers.experiments.experiment import Experiment
from helpers.experiments.run import run_experiment
from helpers.models.base import History, Model
from helpers.models.classifier import RelationClassifier
from helpers.models.registry import (
    MODELS,
    ModelEntry,
    Option,
    build,
    register_model,
)
from helpers.models.settings import Settings
from helpers.runs import run_path


class FirstWord(Model):
    """The relation that the first word had last."""

    def __init__(self, labels, turned=False):
        self.labels, self.turned, self.seen = tuple(labels), turned, {}

    def fit(self, samples, checkpoint=None, after_epoch=None, progress=True):
        self.seen = {one.text.split()[0]: self.label_id(one) for one in samples}
        return History(seconds=0.5, examples=len(samples))

    def predict(self, samples, progress=True, description=""):
        return np.array([self.seen.get(one.text.split()[0], 0) for one in samples])


class WithDistances(RelationClassifier):
    """The mean vector of the tokens, weighted by how far they are from the first marker."""

    fills = {"distance": 99.0, "graph": 0}

    def __init__(self, encoder, labels, max_length=128):
        super().__init__(encoder, labels, max_length)
        self.classifier = nn.Linear(encoder.hidden_size, len(self.labels))
        self.batches = []

    def examples(self, samples):
        return [
            one._replace(
                extra={
                    "distance": [float(abs(at - one.places[0])) for at in range(len(one.ids))],
                    "graph": np.eye(len(one.ids), dtype=np.int64),
                }
            )
            for one in super().examples(samples)
        ]

    def forward(self, batch):
        self.batches.append(batch)
        weights = torch.exp(-batch.extra["distance"])[:, :, None]
        return self.classifier((self.encoder(batch) * weights).sum(dim=1))


@pytest.fixture
def mine(monkeypatch) -> Iterator[ModelEntry]:
    before = dict(MODELS)
    yield register_model(
        "mine", FirstWord, "First", options={"turned": Option(False)}, encoder=False, random=False
    )
    MODELS.clear()
    MODELS.update(before)


class TestFromOutside:
    def test_it_is_trained_and_stored_like_the_others(self, mine, tmp_path) -> None:
        run = run_experiment(Experiment("mine", "demo", merged=True, options={"turned": "true"}), tmp_path)
        assert run_path(run, tmp_path).exists() and (run.model, run.encoder, run.seed) == (
            "First-M",
            "no-encoder",
            None,
        )
        assert run.hyperparameters == {"text": "clean", "training_samples": 2400}
        assert run.options == {"turned": True} and run.versions == {"model mine": 1, "data set demo": 1}
        assert (run.n, run.wall_seconds, run.sentences_per_second) == (400, 0.5, 4800.0)
        assert (run.outcome().per_class().predicted > 0).sum() > 2

    def test_the_command_knows_it(self, mine, tmp_path, capsys) -> None:
        words = ["train", "--model", "mine", "--dataset", "demo", "--output", str(tmp_path)]
        assert main(words) == 0
        assert capsys.readouterr().out.startswith("First · no-encoder · demo test · no seed · profile quick")
        assert main([*words, "--option", "turnd", "true"]) == 2
        assert "unknown option of mine 'turnd'; did you mean 'turned'?" in capsys.readouterr().err
        assert main([*words, "--weights", "w"]) == 2
        assert "model mine has no weights and no epochs to store" in capsys.readouterr().err


class TestExtraTensors:
    SAMPLES = demo_corpus()["train"][:20]
    SETTINGS = Settings(epochs=2, batch_size=4, accumulate=2, learning_rate=1e-3, precision="fp32")

    def test_they_are_padded_as_the_model_says(self, mine, tiny_bert) -> None:
        register_model("other", WithDistances)
        model = build(
            "other", str(tiny_bert), sorted({one.relation for one in self.SAMPLES}), self.SETTINGS, 1
        )
        before = model.classifier.weight.detach().clone()
        history = model.fit(self.SAMPLES, progress=False)
        assert len(history.losses) == 2 and not torch.equal(before, model.classifier.weight)
        assert model.predict(self.SAMPLES, progress=False).shape == (20,)
        assert len(model.batches) == 2 * 5 * 2 + 1
        for batch in model.batches:
            distance, graph = batch.extra["distance"], batch.extra["graph"]
            assert distance.shape == batch.ids.shape and graph.shape == (*batch.ids.shape, batch.ids.shape[1])
            assert ((distance == 99) == (batch.mask == 0)).all()
            assert torch.equal(graph.sum(dim=(1, 2)), batch.mask.sum(dim=1)) and graph.dtype == torch.int64
            assert (distance[torch.arange(len(distance)), batch.places[:, 0]] == 0).all()


def modules_after(code: str) -> set[str]:
    probe = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("from helpers.models import MODELS; list(MODELS)", {"torch", "transformers", "sklearn", "pydantic"}),
        (
            "from helpers.models.linear import DocumentClassifier; DocumentClassifier()",
            {"torch", "transformers"},
        ),
        (
            "from helpers.experiments import Experiment\nfrom helpers.models.baselines import Majority\n"
            "Experiment('em-c').resolved(); Majority(['a'])",
            {"torch", "transformers", "accelerate"},
        ),
    ],
)
def test_what_is_not_needed_is_not_loaded(code, absent) -> None:
    assert not absent & modules_after(code)
