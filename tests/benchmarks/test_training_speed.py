"""Sentences a second in training, against `transformers.Trainer` and what the device can do: `make bench`.

Same sentences in the same tokens, same classifier, same start, fp32; bf16 is a row of its own. The Trainer
has random batches of 32, padded to their longest sentence. On a GPU the numbers are printed only.
"""

import copy
import functools
import math
import random
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace

import pytest
import torch
from torch import nn
from torch.nn import functional
from transformers import Trainer, TrainingArguments

from helpers.core import MissingData
from helpers.experiments import Experiment
from helpers.experiments.run import read_data
from helpers.models.base import Settings
from helpers.models.encoder import resolved_precision
from helpers.models.inputs import Batch, Example, collate
from helpers.models.registry import build

SENTENCES = 1600
"""As many as our batches are sorted by length over."""
DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SEED, RATE = 9, 1e-4
OURS = Settings(learning_rate=RATE, epochs=1, batch_size=32, precision="fp32")
BATCH, WARMING = 32, 16
MODEL = "training, R-BERT on MiniLM"
STORED = DEVICE.type == "cpu"
PACKAGES = ("torch", "transformers", "accelerate")


@pytest.fixture(scope="module")
def data():
    try:
        read = read_data(Experiment("majority", profile="standard"))
    except MissingData as error:
        pytest.skip(f"needs SemEval-2010's training set: {error}")
    return random.Random(0).sample(read.train, SENTENCES), read.labels


@pytest.fixture(scope="module")
def new(data):
    """R-BERT on the embedded encoder, always the same one."""
    built = build("r-bert", "all-MiniLM-L6-v2", data[1], OURS, SEED, form="port")
    return lambda: copy.deepcopy(built)


@pytest.fixture(scope="module")
def speed(data, new):
    """`speed(way, sentences)`: sentences a second, measured once for several tests."""
    samples, _ = data

    @functools.cache
    def measured(way, sentences: int, **options) -> float:
        """The mean of two trainings, each from the same start, after one batch."""
        way(new(), samples[:WARMING], **options)
        return statistics.mean(sentences / way(new(), samples[:sentences], **options) for _ in range(2))

    return measured


def finished() -> float:
    """The time, when a GPU has computed all it was asked for."""
    if DEVICE.type == "cuda":
        torch.cuda.synchronize(DEVICE)
    return time.perf_counter()


class WithLoss(nn.Module):
    """The classifier as `transformers.Trainer` wants it: a dictionary with the mean loss."""

    def __init__(self, model) -> None:
        super().__init__()
        self.model = model

    def forward(self, **tensors: torch.Tensor) -> dict[str, torch.Tensor]:
        batch = Batch(**tensors)
        logits = self.model(batch)
        return {"loss": functional.cross_entropy(logits, batch.target), "logits": logits}


def ours(model, samples, precision: str = "fp32") -> float:
    """Seconds of `fit` as it is, tokenising included."""
    start = finished()
    model.settings = replace(OURS, precision=precision)
    history = model.fit(samples, progress=False)
    seconds = finished() - start
    assert history.examples == len(samples) and math.isfinite(history.losses[-1])
    return seconds


def trainer(model, samples) -> float:
    """Seconds of `transformers.Trainer` with its own defaults but batch, rate and warm-up; tokenising is not
    timed."""
    padding, examples, seen = model.encoder.tokenizer.pad_token_id, model.examples(samples), []

    def together(rows: Sequence[Example]) -> dict[str, torch.Tensor]:
        seen.append(len(rows))
        return vars(collate(rows, padding))

    chosen = {"num_train_epochs": 1, "per_device_train_batch_size": BATCH, "learning_rate": RATE}
    chosen |= {"warmup_steps": int(0.1 * len(examples) / BATCH), "weight_decay": 0.01, "seed": SEED}
    quiet = {"save_strategy": "no", "logging_strategy": "no", "report_to": "none", "disable_tqdm": True}
    quiet |= {"remove_unused_columns": False, "dataloader_pin_memory": False}
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(folder, use_cpu=DEVICE.type == "cpu", **chosen, **quiet)
        work = Trainer(WithLoss(model), arguments, data_collator=together, train_dataset=examples)
        start = finished()
        assert math.isfinite(work.train().training_loss) and sum(seen) == len(samples)
        return finished() - start


def linear_layers(module: nn.Module) -> list[nn.Linear]:
    return [layer for layer in module.modules() if isinstance(layer, nn.Linear)]


def training_flops(model, lengths: Sequence[int]) -> float:
    """Floating-point operations of one training pass over sentences of so many tokens, without padding.

    For each token 6 for each weight of the transformer's linear layers (2 forward, 4 backward) and, in each
    layer, 12·H for every token that it attends to. Embeddings and what stands on top are left out.
    """
    encoder = model.encoder.transformer.encoder
    weights = sum(layer.weight.numel() for layer in linear_layers(encoder))
    attention = 12 * len(encoder.layer) * model.encoder.hidden_size
    return float(sum(length * (6 * weights + attention * length) for length in lengths))


def product_limit(model, tokens: int, dtype: torch.dtype, limit: float = 3.0) -> float:
    """FLOP/s of matrix products alone: `tokens` rows times the weights of the encoder's linear layers.

    The fastest pass over one layer's shapes within `limit` seconds.
    """
    shapes = [part.weight.shape for part in linear_layers(model.encoder.transformer.encoder.layer[0])]
    made = {"device": DEVICE, "dtype": dtype}
    pairs = [(torch.randn(tokens, wide, **made), torch.randn(high, wide, **made)) for high, wide in shapes]
    best, end = float("inf"), time.perf_counter() + limit
    with torch.inference_mode():
        while time.perf_counter() < end:
            start = finished()
            for left, right in pairs:
                functional.linear(left, right)
            best = min(best, finished() - start)
    return sum(2 * tokens * high * wide for high, wide in shapes) / best


def test_both_start_at_the_same_loss(data, new):
    mine, theirs = new().eval(), WithLoss(new().eval())
    batch = mine.collate(mine.examples(data[0][:16]))
    with torch.inference_mode():
        losses = [mine.losses(mine(batch), batch).mean(), theirs(**vars(batch))["loss"]]
    assert float(losses[0]) == pytest.approx(float(losses[1]), abs=1e-4)


def test_sentences_a_second(speed, record):
    """bf16 is faster where the processor has instructions for it; elsewhere 'auto' does not choose it."""
    half, single = (speed(ours, SENTENCES, precision=precision) for precision in ("bf16", "fp32"))
    what = f"{SENTENCES} sentences, sentences/s"
    peer = f"transformers.Trainer, random batches of {BATCH}, padded to their longest"
    record(f"{MODEL}, fp32, {what}", single, peer, speed(trainer, SENTENCES), 1.3)
    at_least = 1.0 if resolved_precision("auto", DEVICE) == "bf16" else 0.0
    record(f"{MODEL}, bf16, {what}", half, "the same in fp32", single, at_least)


@pytest.mark.parametrize(
    ("precision", "at_least"), [pytest.param("fp32", 0.25, marks=pytest.mark.cheap), ("bf16", 0.05)]
)
def test_share_of_the_limit(precision, at_least, data, new, speed, record, cheap):
    """Of the FLOP/s that matrix products alone reach; padding, dropout and the optimiser count as loss."""
    model = new()
    lengths = [example.length for example in model.examples(data[0])]
    dtype = torch.bfloat16 if precision == "bf16" else torch.float32
    limit = product_limit(model, OURS.batch_size * round(statistics.mean(lengths)), dtype)
    mine = speed(ours, SENTENCES // 25 if cheap else SENTENCES, precision=precision)
    flops = training_flops(model, lengths) / len(lengths) * mine
    record(
        f"{MODEL}, {precision}, FLOP/s",
        flops,
        "matrix products of the encoder's shapes alone",
        limit,
        at_least,
    )
