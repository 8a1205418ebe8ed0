"""The registry of models: a network with tensors of its own, and names and faces that cost no torch."""

import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from helpers import ROOT
from helpers.data.demo import demo_corpus
from helpers.models import unregister_model
from helpers.models.classifier import RelationClassifier
from helpers.models.registry import build, register_model
from helpers.models.settings import Settings


class WithDistances(RelationClassifier):
    """The mean vector of the tokens, weighted by how far they are from the first marker."""

    fills = {"distance": 99.0, "graph": 0}

    def __init__(self, encoder, labels, max_length=128):
        super().__init__(encoder, labels, max_length)
        self.classifier = nn.Linear(encoder.hidden_size, len(self.labels))
        self.batches = []

    def examples(self, samples):
        examples = []
        for example in super().examples(samples):
            distance = [float(abs(place - example.places[0])) for place in range(example.length)]
            graph = np.eye(example.length, dtype=np.int64)
            examples.append(example._replace(extra={"distance": distance, "graph": graph}))
        return examples

    def forward(self, batch):
        self.batches.append(batch)
        weights = torch.exp(-batch.extra["distance"])[:, :, None]
        return self.classifier((self.encoder(batch) * weights).sum(dim=1))


def test_extra_tensors_are_padded_as_the_model_says(tiny_bert) -> None:
    samples = demo_corpus()["train"][:20]
    settings = Settings(epochs=2, batch_size=4, accumulate=2, learning_rate=1e-3, precision="fp32")
    register_model("other", WithDistances)
    try:
        labels = sorted({sample.relation for sample in samples})
        model = build("other", str(tiny_bert), labels, settings, 1)
    finally:
        unregister_model("other")
    before = model.classifier.weight.detach().clone()
    history = model.fit(samples, progress=False)
    assert len(history.losses) == 2 and not torch.equal(before, model.classifier.weight)
    assert model.predict(samples, progress=False).shape == (20,)
    assert len(model.batches) == 2 * 5 * 2 + 1
    for batch in model.batches:
        distance, graph = batch.extra["distance"], batch.extra["graph"]
        assert distance.shape == batch.ids.shape and graph.shape == (*batch.ids.shape, batch.ids.shape[1])
        assert ((distance == 99) == (batch.mask == 0)).all()
        assert torch.equal(graph.sum(dim=(1, 2)), batch.mask.sum(dim=1)) and graph.dtype == torch.int64
        assert (distance[torch.arange(len(distance)), batch.places[:, 0]] == 0).all()


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("from helpers.models import MODELS; list(MODELS)", {"torch", "transformers", "sklearn", "pydantic"}),
        ("from helpers.models.linear import DocumentClassifier as D; D()", {"torch", "transformers"}),
        (
            "from helpers.experiments import Experiment\nfrom helpers.models.baselines import Majority\n"
            "Experiment('em-c').resolved(); Majority(['a'])",
            {"torch", "transformers", "accelerate"},
        ),
    ],
)
def test_what_is_not_needed_is_not_loaded(code, absent) -> None:
    probe = f"import sys\n{code}\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not absent & {*done.stdout.split()}
