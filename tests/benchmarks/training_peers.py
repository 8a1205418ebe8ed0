"""What the training benchmarks measure: the same classifier trained in our way and in two others' ways.

`port` is written from what is known of the public R-BERT port: every sentence padded to 384 tokens, batches
of 16, AdamW without weight decay. `trainer` is `transformers.Trainer` with random batches of 32 that are
padded to their longest sentence. All three get the same sentences in the same tokens, and start at the same
weights.
"""

from __future__ import annotations

import copy
import functools
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import nn
from torch.nn import functional
from torch.utils.data import DataLoader
from transformers import Trainer, TrainingArguments, get_linear_schedule_with_warmup

from helpers.data.samples import RelationSample
from helpers.models import training
from helpers.models.classifier import RelationClassifier
from helpers.models.inputs import Batch, Example, collate
from helpers.models.registry import build
from helpers.models.settings import Settings

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
SEED, RATE = 9, 1e-4
OURS = Settings(learning_rate=RATE, epochs=1, batch_size=32, precision="fp32")
PORT_LENGTH, PORT_BATCH = 384, 16
TRAINER_BATCH = 32


class Trained(NamedTuple):
    """What a training took: seconds, sentences, and the mean loss."""

    seconds: float
    sentences: int
    loss: float

    @property
    def rate(self) -> float:
        """Sentences a second."""
        return self.sentences / self.seconds


def classifier(labels: Sequence[str]) -> RelationClassifier:
    """R-BERT in the port's form (no separator token, pooler) on the embedded encoder, always the same one."""
    return copy.deepcopy(_built(tuple(labels)))


@functools.cache
def _built(labels: tuple[str, ...]) -> RelationClassifier:
    return build("r-bert", "all-MiniLM-L6-v2", labels, OURS, SEED, form="port")


def padded(examples: Sequence[Example], padding: int, length: int | None = None) -> Batch:
    """A batch padded to its longest example, or to `length` tokens."""
    batch = collate(examples, padding)
    if length is None:
        return batch
    wider = (0, length - batch.ids.shape[1])
    grown = {name: functional.pad(getattr(batch, name), wider) for name in ("mask", "types")}
    return replace(batch, ids=functional.pad(batch.ids, wider, value=padding), **grown)


class WithLoss(nn.Module):
    """The classifier as `transformers.Trainer` wants it: a dictionary with the mean loss."""

    def __init__(self, model: RelationClassifier) -> None:
        super().__init__()
        self.model = model

    def forward(self, **tensors: torch.Tensor) -> dict[str, torch.Tensor]:
        batch = Batch(**tensors)
        logits = self.model(batch)
        return {"loss": functional.cross_entropy(logits, batch.target), "logits": logits}


def ours(model: RelationClassifier, samples: Sequence[RelationSample], precision: str = "fp32") -> Trained:
    """`training.train` as it is, tokenising included."""
    finished(DEVICE)
    start = time.perf_counter()
    history = training.train(model, samples, replace(OURS, precision=precision), SEED, progress=False)
    finished(DEVICE)
    return Trained(time.perf_counter() - start, history.examples, history.losses[-1])


def port(model: RelationClassifier, samples: Sequence[RelationSample]) -> Trained:
    """The port's loop over its padded tensors; tokenising and padding are not timed."""
    padding = model.encoder.tokenizer.pad_token_id
    rows = [padded([one], padding, PORT_LENGTH) for one in model.examples(samples)]
    steps = -(-len(rows) // PORT_BATCH)
    model.to(DEVICE).train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, eps=1e-8, weight_decay=0.0)
    schedule = get_linear_schedule_with_warmup(optimizer, 0, steps)
    losses, seen = [], 0
    finished(DEVICE)
    start = time.perf_counter()
    for batch in DataLoader(rows, PORT_BATCH, shuffle=True, collate_fn=joined):
        batch = batch.to(DEVICE)
        loss = functional.cross_entropy(model(batch), batch.target)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        model.zero_grad()
        losses.append(loss.item())
        seen += len(batch.target)
    finished(DEVICE)
    return Trained(time.perf_counter() - start, seen, sum(losses) / len(losses))


def joined(rows: Sequence[Batch]) -> Batch:
    """Rows of equal width as one batch."""
    return Batch(
        **{name: torch.cat([getattr(row, name) for row in rows]) for name in vars(rows[0]) if name != "extra"}
    )


def trainer(model: RelationClassifier, samples: Sequence[RelationSample]) -> Trained:
    """`transformers.Trainer` with its own defaults but batch, rate and warm-up; tokenising is not timed."""
    padding, examples, seen = model.encoder.tokenizer.pad_token_id, model.examples(samples), []

    def together(rows: Sequence[Example]) -> dict[str, torch.Tensor]:
        seen.append(len(rows))
        return vars(padded(rows, padding))

    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            folder,
            num_train_epochs=1,
            per_device_train_batch_size=TRAINER_BATCH,
            learning_rate=RATE,
            warmup_steps=int(0.1 * len(examples) / TRAINER_BATCH),
            weight_decay=0.01,
            seed=SEED,
            use_cpu=DEVICE.type == "cpu",
            save_strategy="no",
            logging_strategy="no",
            report_to="none",
            disable_tqdm=True,
            remove_unused_columns=False,
            dataloader_pin_memory=False,
        )
        work = Trainer(WithLoss(model), arguments, data_collator=together, train_dataset=examples)
        finished(DEVICE)
        start = time.perf_counter()
        loss = work.train().training_loss
        finished(DEVICE)
        return Trained(time.perf_counter() - start, sum(seen), loss)


def finished(device: torch.device) -> None:
    """Wait for what a GPU still computes."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def training_flops(model: RelationClassifier, samples: Sequence[RelationSample]) -> float:
    """Floating-point operations of one training pass over the sentences, without their padding.

    For each token 6 for each weight of the transformer's linear layers (2 forward, 4 backward) and, in each
    layer, 12·H for every token that it attends to. Embeddings and what stands on top are left out.
    """
    encoder = model.encoder.transformer.encoder
    weights = sum(one.weight.numel() for one in encoder.modules() if isinstance(one, nn.Linear))
    attention = 12 * len(encoder.layer) * model.encoder.hidden_size
    lengths = [len(example.ids) for example in model.examples(samples)]
    return float(sum(length * (6 * weights + attention * length) for length in lengths))


def product_limit(model: RelationClassifier, tokens: int, dtype: torch.dtype, seconds: float = 3.0) -> float:
    """FLOP/s of matrix products alone: `tokens` rows times the weights of the encoder's linear layers.

    The fastest pass over one layer's shapes within the given time.
    """
    layer = model.encoder.transformer.encoder.layer[0]
    shapes = [one.weight.shape for one in layer.modules() if isinstance(one, nn.Linear)]
    pairs = [
        (
            torch.randn(tokens, wide, device=DEVICE, dtype=dtype),
            torch.randn(high, wide, device=DEVICE, dtype=dtype),
        )
        for high, wide in shapes
    ]
    best, end = float("inf"), time.perf_counter() + seconds
    with torch.inference_mode():
        while time.perf_counter() < end:
            start = time.perf_counter()
            for left, right in pairs:
                functional.linear(left, right)
            finished(DEVICE)
            best = min(best, time.perf_counter() - start)
    return sum(2 * tokens * high * wide for high, wide in shapes) / best
