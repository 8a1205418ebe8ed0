"""Sentences a second in training, against two other ways of training the same classifier: `make bench`.

Same sentences (SemEval-2010's training set), same classifier, same start, same machine, fp32 for all; bf16 is
a row of its own. The rows go to results/tables/benchmarks.csv when all claims have held at full size on a
processor; on a GPU the numbers are printed only. RC_BENCH_SENTENCES=64 tries it out.
"""

from __future__ import annotations

import functools
import math
import os
import random
import statistics

import pytest
import torch

from helpers.core.errors import MissingData
from helpers.experiments import read_samples
from helpers.models.encoder import resolved_precision
from tests.benchmarks import training_peers as peers
from tests.benchmarks.table import TRAINING

FULL = 1600
"""Sentences: as many as our batches are sorted by length over."""
SENTENCES = int(os.environ.get("RC_BENCH_SENTENCES", FULL))
FEWER = max(SENTENCES // 5, peers.PORT_BATCH)
"""For the port, which takes the same time for every sentence."""
SAME_LOSS = 1e-4
CLAIMS = 5
GPU = torch.cuda.is_available()
MODEL = "R-BERT on MiniLM"
FULL_SIZE = SENTENCES == FULL and not GPU
PACKAGES = ("torch", "transformers", "accelerate")


@pytest.fixture(scope="module")
def data():
    try:
        found = read_samples("semeval2010")
    except MissingData as error:
        pytest.skip(f"needs SemEval-2010's training set: {error}")
    return random.Random(0).sample(found.train, SENTENCES), found.labels


@pytest.fixture(scope="module")
def speed(data):
    """`speed(way, sentences, times)`: sentences a second, measured once for several tests."""
    samples, labels = data

    @functools.cache
    def measured(way, sentences: int, times: int = 1, **options) -> float:
        """The median of `times` trainings, each from the same start, after one batch."""
        way(peers.classifier(labels), samples[: peers.PORT_BATCH], **options)
        found = [way(peers.classifier(labels), samples[:sentences], **options) for _ in range(times)]
        assert all(one.sentences == sentences and math.isfinite(one.loss) for one in found)
        return statistics.median(one.rate for one in found)

    return measured


def claim(rows, what: str, ours: float, peer: str, theirs: float, at_least: float) -> None:
    """A row; small trials and GPUs are held to nothing."""
    rows.record(f"{TRAINING}, {what}", ours, peer, theirs, at_least if FULL_SIZE else 0.0)


def test_all_ways_start_at_the_same_loss(data):
    samples, labels = data
    models = [peers.classifier(labels).eval() for _ in range(3)]
    examples, padding = models[0].examples(samples[:16]), models[0].encoder.tokenizer.pad_token_id
    narrow, wide = peers.padded(examples, padding), peers.padded(examples, padding, peers.PORT_LENGTH)
    with torch.inference_mode():
        ours = (models[0].losses(models[0](narrow), narrow)).mean()
        port = torch.nn.functional.cross_entropy(models[1](wide), wide.target)
        trainer = peers.WithLoss(models[2])(**vars(narrow))["loss"]
    assert wide.ids.shape == (16, peers.PORT_LENGTH) and wide.mask.sum() == narrow.mask.sum()
    assert [float(port), float(trainer)] == pytest.approx([float(ours)] * 2, abs=SAME_LOSS)
    assert len({sum(one.numel() for one in model.parameters()) for model in models}) == 1


def test_against_padding_everything(speed, rows):
    ours, theirs = speed(peers.ours, FEWER, 3), speed(peers.port, FEWER)
    peer = f"everything padded to {peers.PORT_LENGTH}, batch {peers.PORT_BATCH}, as the R-BERT port does"
    claim(rows, f"{MODEL}, fp32, {FEWER} sentences, sentences/s", ours, peer, theirs, 5)


def test_against_the_trainer(speed, rows):
    ours, theirs = speed(peers.ours, SENTENCES, 2, precision="fp32"), speed(peers.trainer, SENTENCES, 2)
    peer = f"transformers.Trainer, random batches of {peers.TRAINER_BATCH}, padded to their longest"
    claim(rows, f"{MODEL}, fp32, {SENTENCES} sentences, sentences/s", ours, peer, theirs, 1.3)


def test_bf16_against_fp32(speed, rows):
    """Faster where the processor has instructions for bf16; elsewhere 'auto' does not choose it."""
    half, single = (speed(peers.ours, SENTENCES, 2, precision=one) for one in ("bf16", "fp32"))
    at_least = 1.0 if resolved_precision("auto", peers.DEVICE) == "bf16" else 0.0
    what = f"{MODEL}, bf16, {SENTENCES} sentences, sentences/s"
    claim(rows, what, half, "the same in fp32", single, at_least)


@pytest.mark.parametrize(
    ("precision", "at_least"), [pytest.param("fp32", 0.25, marks=pytest.mark.cheap), ("bf16", 0.05)]
)
def test_share_of_the_limit(precision, at_least, data, speed, rows):
    """Of the FLOP/s that matrix products alone reach; padding, dropout and the optimiser count as loss."""
    samples, labels = data
    model = peers.classifier(labels)
    flops = peers.training_flops(model, samples) / len(samples)
    tokens = peers.OURS.batch_size * round(statistics.mean(len(one.ids) for one in model.examples(samples)))
    limit = peers.product_limit(model, tokens, torch.bfloat16 if precision == "bf16" else torch.float32)
    sentences = SENTENCES // 25 if rows.cheap else SENTENCES
    ours = flops * speed(peers.ours, sentences, 2, precision=precision)
    peer = "matrix products of the encoder's shapes alone"
    claim(rows, f"{MODEL}, {precision}, FLOP/s", ours, peer, limit, at_least)
