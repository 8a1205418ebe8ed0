"""Graph convolution against the public code's form, which builds every tree anew in every step: `make bench`.

Same sentences (SemEval-2010's training set) and weights, batches of 50: ours by length of the pruned tree, as
training makes them, theirs at random. The outputs are found equal first. RC_BENCH_SENTENCES=200 tries it out.
"""

from __future__ import annotations

import os
import random
import statistics
import time

import pytest
import torch

from helpers.core.errors import MissingData
from helpers.experiments import read_samples
from helpers.models import build
from helpers.models.inputs import collate, epoch_batches
from helpers.models.settings import Settings
from helpers.models.word_vectors import PAD
from tests.benchmarks import graph_peer as peer
from tests.benchmarks.table import GRAPHS

FULL = 1600
SENTENCES = int(os.environ.get("RC_BENCH_SENTENCES", FULL))
BATCH, TIMES = 50, 3
CLAIMS = 2
FULL_SIZE = SENTENCES == FULL
PACKAGES = ("torch", "numpy")
PEER = "trees built for every sample in every step, as the public code does"


@pytest.fixture(scope="module")
def ways():
    """Model, and for either form the function of a batch and the batches: each with places and examples."""
    try:
        found = read_samples("semeval2010", text="parsed")
    except MissingData as error:
        pytest.skip(f"needs SemEval-2010 and its dependency trees: {error}")
    samples = random.Random(0).sample(found.train, SENTENCES)
    # narrow word vectors, as looking them up is the same for both
    words = {"vectors": "scratch", "tuned": True, "word_size": 50}
    model = build("gcn", "", found.labels, Settings(), 9, penalty=0.0, **words)
    model.prepare(Settings(), samples)
    examples, rng = model.examples(samples), random.Random(1)
    by_length = epoch_batches([one.length for one in examples], BATCH, rng)
    shuffled = rng.sample(range(SENTENCES), SENTENCES)
    at_random = [shuffled[start : start + BATCH] for start in range(0, SENTENCES, BATCH)]
    whole = peer.whole(model, samples)
    return model, {
        "ours": (ours, [(part, [examples[at] for at in part]) for part in by_length]),
        "theirs": (theirs, [(part, [whole[at] for at in part]) for part in at_random]),
    }


def ours(model, examples) -> tuple[torch.Tensor, torch.Tensor]:
    """Logits and targets; joining the examples is timed for both."""
    batch = model.collate(examples)
    return model.relation_scores(model(batch)), batch.target


def theirs(model, whole) -> tuple[torch.Tensor, torch.Tensor]:
    """The same in the public code's form."""
    batch = collate(whole, PAD, fills={"heads": 0, "entities": False})
    return peer.forward(model, batch, prune=1), batch.target


def seconds(model, way, batches, training: bool) -> float:
    """Processor time of a pass over all batches, forward alone or with the backward pass: the median."""
    found = []
    model.train(training)
    for _ in range(TIMES):
        start = time.process_time()
        for _places, examples in batches:
            with torch.set_grad_enabled(training):
                logits, target = way(model, examples)
                if training:
                    torch.nn.functional.cross_entropy(logits, target).backward()
                    model.zero_grad()
        found.append(time.process_time() - start)
    return statistics.median(found)


def test_both_give_the_same(ways):
    model, forms = ways
    model.eval()
    found = {}
    with torch.inference_mode():
        for name, (way, batches) in forms.items():
            rows = [row for _, examples in batches for row in way(model, examples)[0]]
            places = [at for part, _ in batches for at in part]
            found[name] = torch.stack(rows)[torch.tensor(places).argsort()]
    assert torch.allclose(found["ours"], found["theirs"], atol=1e-5)
    assert torch.isfinite(found["ours"]).all() and len(found["ours"]) == SENTENCES
    assert found["ours"].std(dim=0).min() > 1e-3


@pytest.mark.parametrize(("what", "training", "at_least"), [("forward", False, 3), ("epoch", True, 3)])
def test_speed(what, training, at_least, ways, rows):
    model, forms = ways
    found = {name: seconds(model, *form, training) for name, form in forms.items()}
    title = f"{GRAPHS}, GCN, {SENTENCES} sentences of SemEval-2010, {what}, processor s"
    rows.record(title, found["ours"], PEER, found["theirs"], at_least if FULL_SIZE else 0)
