"""From samples to token ids: marked sentences, windows around the entities, batches of equal length.

Sentences are tokenised piece by piece at the markers, so the markers' places are known whatever the tokenizer
(WordPiece or byte-level BPE). This module loads no model.

The order of training: which examples make which optimiser step, drawn from the seed alone.

Examples of about equal length share a batch, so little is padded; the order is random all the same. Nothing
here depends on where training runs or was interrupted.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import torch
from torch.utils.data import DataLoader

from helpers.data import RelationSample, render

_SIGNS = ("\ue000", "\ue001", "\ue002", "\ue003")  # private-use characters stand in for the four markers
_SPLIT = re.compile("([\ue000-\ue003])")


class Example(NamedTuple):
    """One input of a model.

    ids : token ids with the special tokens.
    places : positions in `ids` that the model reads: the four markers, or the masks.
    target : the label id, or 1/0 for holds or not.
    first : number of tokens in the first of two segments; 0 if there is only one segment.
    cut : number of tokens that were left out because the sentence was too long.
    """

    ids: list[int]
    places: tuple[int, ...]
    target: int
    first: int = 0
    cut: int = 0


@dataclass(frozen=True)
class Batch:
    """Examples of about equal length, padded to the longest: `ids`, `mask`, `types` (n, tokens), `places`
    (n, places), `target` and `weight` (n,). `weight` is the example's share of the optimiser step's loss."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor
    places: torch.Tensor
    target: torch.Tensor
    weight: torch.Tensor

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        moved = {
            field.name: getattr(self, field.name).to(device, non_blocking=True) for field in fields(self)
        }
        return Batch(**moved)


class Marked(NamedTuple):
    """A tokenised sentence with its markers: no special tokens yet; `marks` are the markers' positions, in
    the order open and close entity 1, open and close entity 2."""

    ids: list[int]
    marks: tuple[int, int, int, int]
    cut: int = 0


def tokenize_marked(
    tokenizer, samples: Sequence[RelationSample], marker_ids: Sequence[int], limit: int
) -> list[Marked]:
    """Tokenise sentences with four markers, at most `limit` tokens each.

    A longer sentence loses the tokens that stand farthest from its entities; markers go last, entities
    second to last.

    Raises ValueError if `limit` is below 4: the markers would not fit.
    """
    if limit < 4:
        raise ValueError(f"limit is {limit}; four markers need at least 4 tokens")
    pieces = [_pieces(sample) for sample in samples]
    texts = [text for one in pieces for text in one if text not in _SIGNS]
    tokens = iter(tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"] if texts else ())
    return [_window(*_joined(one, tokens, marker_ids), limit) for one in pieces]


def _pieces(sample: RelationSample) -> list[str]:
    """Text pieces and signs in the order of the sentence; a piece keeps the blank that stood before it."""
    clean = replace(sample, text=_SPLIT.sub(" ", sample.text))
    pieces, blank = [], False
    for part in _SPLIT.split(render(clean, _SIGNS)):
        if part in _SIGNS:
            pieces.append(part)
            continue
        words = part.strip()
        if words:
            pieces.append(" " + words if blank or part[0].isspace() else words)
        blank = part[-1].isspace() if part else blank
    return pieces


def _joined(pieces: list[str], tokens, marker_ids: Sequence[int]) -> tuple[list[int], list[int], list[bool]]:
    """Token ids, the four markers' places, and which tokens stand inside an entity."""
    ids, marks, inside, open_ = [], [-1] * 4, [], [False, False]
    for piece in pieces:
        if piece in _SIGNS:
            which = _SIGNS.index(piece)
            open_[which // 2] = which % 2 == 0
            marks[which] = len(ids)
            added = [marker_ids[which]]
        else:
            added = next(tokens)
        inside += [any(open_)] * len(added)
        ids += added
    return ids, marks, inside


def _window(ids: list[int], marks: list[int], inside: list[bool], limit: int) -> Marked:
    if len(ids) <= limit:
        return Marked(ids, tuple(marks))
    entity = sorted({place for place, within in enumerate(inside) if within}.union(marks))

    def worth(place: int) -> tuple[int, int]:
        if place in marks:
            return (-2, place)
        return (-1, place) if inside[place] else (min(abs(place - one) for one in entity), place)

    kept = sorted(sorted(range(len(ids)), key=worth)[:limit])
    new = {old: position for position, old in enumerate(kept)}
    return Marked([ids[old] for old in kept], tuple(new[old] for old in marks), len(ids) - limit)


def collate(examples: Sequence[Example], padding: int, weight: Sequence[float] | float = 1.0) -> Batch:
    """Pad examples to the longest of them.

    >>> collate([Example([5, 6, 7], (1,), 0), Example([5, 7], (0,), 3)], padding=0).ids.tolist()
    [[5, 6, 7], [5, 7, 0]]
    """
    longest = max(len(example.ids) for example in examples)
    shape = (len(examples), longest)
    ids = torch.full(shape, padding)
    mask, types = torch.zeros(shape, dtype=torch.long), torch.zeros(shape, dtype=torch.long)
    for row, example in enumerate(examples):
        length = len(example.ids)
        ids[row, :length] = torch.tensor(example.ids)
        mask[row, :length] = 1
        if example.first:
            types[row, example.first : length] = 1
    shares = [weight] * len(examples) if isinstance(weight, float) else list(weight)
    return Batch(
        ids,
        mask,
        types,
        torch.tensor([example.places for example in examples]),
        torch.tensor([example.target for example in examples]),
        torch.tensor(shares),
    )


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
