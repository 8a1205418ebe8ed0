"""From samples to token ids: marked sentences, windows around the entities, batches of equal length.

Sentences are tokenised piece by piece at the markers, so the markers' places are known whatever the tokenizer
(WordPiece or byte-level BPE). This module loads no model.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import torch

from helpers.data.samples import RelationSample, render

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


def mark(tokenizer, samples: Sequence[RelationSample], marker_ids: Sequence[int], limit: int) -> list[Marked]:
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
