"""The order of training: which examples make which optimiser step, drawn from the seed alone.

Examples of about equal length share a batch, so little is padded; the order is random all the same. Nothing
here depends on where training runs or was interrupted.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from torch.utils.data import DataLoader

from helpers.models.tokens import Batch, Example, collate

POOL = 50
"""Batches that are sorted by length together: the fewer, the more random; the more, the less padding."""


def epoch_batches(lengths: Sequence[int], size: int, rng: random.Random) -> list[list[int]]:
    """Positions of the examples of one epoch, in batches of `size` of about equal length, shuffled.

    The examples are shuffled, every `POOL` batches of them are sorted by length and cut, and the batches are
    shuffled. Each example comes once; only the last of the pool's batches may be smaller.

    >>> epoch_batches([3, 9, 3, 9], size=2, rng=random.Random(0))
    [[2, 0], [1, 3]]
    """
    order = list(range(len(lengths)))
    rng.shuffle(order)
    batches = []
    for start in range(0, len(order), size * POOL):
        pool = sorted(order[start : start + size * POOL], key=lengths.__getitem__)
        batches += [pool[at : at + size] for at in range(0, len(pool), size)]
    rng.shuffle(batches)
    return batches


def step_loader(
    examples: Sequence[Example],
    batches: Sequence[Sequence[int]],
    padding: int,
    accumulate: int = 1,
    rank: int = 0,
    processes: int = 1,
) -> Iterator[Batch]:
    """This process's share of each batch, in `accumulate` parts, each a `Batch`.

    Every example weighs 1 / (size of its whole batch), whoever computes it, so that sums of losses are the
    mean over the batch. A process with nothing to do in a part gets one example of weight 0.
    """
    parts = [part for batch in batches for part in _parts(batch, accumulate, rank, processes)]

    def load(part: list[tuple[int, float]]) -> Batch:
        return collate([examples[at] for at, _ in part], padding, [weight for _, weight in part])

    return iter(DataLoader(parts, batch_size=None, collate_fn=load))


def _parts(batch: Sequence[int], accumulate: int, rank: int, processes: int) -> list[list[tuple[int, float]]]:
    shares = accumulate * processes
    return [
        [(at, 1.0 / len(batch)) for at in batch[rank * accumulate + part :: shares]] or [(batch[0], 0.0)]
        for part in range(accumulate)
    ]


def prediction_batches(lengths: Sequence[int], size: int) -> list[list[int]]:
    """Positions in batches of about equal length, the longest first, so that memory fails early if at all.

    >>> prediction_batches([3, 9, 3, 9], size=2)
    [[1, 3], [0, 2]]
    """
    order = sorted(range(len(lengths)), key=lengths.__getitem__, reverse=True)
    return [order[at : at + size] for at in range(0, len(order), size)]
