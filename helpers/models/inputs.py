"""What a network reads: marked sentences, windows around the entities, batches.

Sentences are tokenised piece by piece at the markers, so the markers' places are known whatever the tokenizer
(WordPiece or byte-level BPE).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import torch

from ..data import RDR_MARKERS, RelationSample, render

MARKERS = tuple(marker.strip() for marker in RDR_MARKERS)
"""The four marker tokens of paper R: open and close entity 1, open and close entity 2."""
_SIGNS = ("\ue000", "\ue001", "\ue002", "\ue003")  # private-use characters stand in for the four markers
_SPLIT = re.compile("([\ue000-\ue003])")


class Example(NamedTuple):
    """One input of a model.

    ids : token ids with the special tokens.
    places : positions in `ids` that the model reads: the four markers, or the masks.
    target : the label id, or 1/0 for holds or not.
    first : number of tokens in the first of two segments; 0 if there is only one segment.
    cut : number of tokens that were left out because the sentence was too long.
    extra : name → what else the model reads, an array or nested lists; of one name, all have as many axes.
    """

    ids: list[int]
    places: tuple[int, ...]
    target: int
    first: int = 0
    cut: int = 0
    extra: Mapping[str, Any] = {}

    @property
    def length(self) -> int:
        """The number of tokens, by which batches are made."""
        return len(self.ids)


@dataclass(frozen=True)
class Batch:
    """Examples of about equal length, padded to the longest: `ids`, `mask`, `types` (n, tokens), `places`
    (n, places), `target`, `weight` and `lengths` (n,). `weight` is the example's share of the optimiser
    step's loss; `lengths` count the tokens that are no padding, on the processor whatever the device, for
    recurrent layers, which are told them there.
    `extra` are the tensors that a model named in `Example.extra` (graphs, positions, bags), first axis n."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor
    places: torch.Tensor
    target: torch.Tensor
    weight: torch.Tensor
    lengths: torch.Tensor
    extra: Mapping[str, torch.Tensor] = field(default_factory=dict)

    def map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> Batch:
        """The batch with the function applied to every tensor."""
        *usual, extra = (getattr(self, name) for name in self.__match_args__)
        return Batch(*map(function, usual), {name: function(tensor) for name, tensor in extra.items()})

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device, all but its `lengths`."""
        pinned = self.map(torch.Tensor.pin_memory) if device.type == "cuda" else self
        moved = pinned.map(lambda tensor: tensor.to(device, non_blocking=True))
        return replace(moved, lengths=self.lengths)


def collate(
    examples: Sequence[Example],
    padding: int,
    weight: Sequence[float] | float = 1.0,
    fills: Mapping[str, float] | None = None,
) -> Batch:
    """Pad examples to the longest of them.

    `padding` : the token id that fills `ids`. `fills` : for each name in `Example.extra`, which all examples
    share, the value that fills its tensor, each axis of which is as long as the longest.

    >>> collate([Example([5, 6, 7], (1,), 0), Example([5, 7], (0,), 3)], padding=0).ids.tolist()
    [[5, 6, 7], [5, 7, 0]]
    >>> graphs = [[1]], [[2, 3]]
    >>> examples = [Example([5], (0,), 0, extra={"graph": graph}) for graph in graphs]
    >>> collate(examples, padding=0, fills={"graph": -1}).extra["graph"].tolist()
    [[[1, -1]], [[2, 3]]]
    """
    ids = _padded([example.ids for example in examples], padding)
    position, names = torch.arange(ids.shape[1]), sorted(set().union(*(one.extra for one in examples)))
    lengths = torch.tensor([len(example.ids) for example in examples])[:, None]
    first = torch.tensor([example.first for example in examples])[:, None]
    inside = position < lengths
    return Batch(
        ids,
        inside.long(),
        (inside & (first > 0) & (position >= first)).long(),
        torch.tensor([example.places for example in examples]),
        torch.tensor([example.target for example in examples]),
        torch.as_tensor(weight).expand(len(examples)),
        (ids != padding).sum(dim=1),
        {name: _padded([example.extra[name] for example in examples], fills[name]) for name in names},
    )


def _padded(values: Sequence[Any], fill: float) -> torch.Tensor:
    """(n, …) the values, filled up to the longest on each axis."""
    tensors = [torch.as_tensor(value) for value in values]
    shape = (len(tensors), *(max(sizes) for sizes in zip(*(tensor.shape for tensor in tensors), strict=True)))
    padded = torch.full(shape, fill, dtype=tensors[0].dtype)
    for row, tensor in zip(padded, tensors, strict=True):
        row[tuple(map(slice, tensor.shape))] = tensor
    return padded


def states_at(hidden: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
    """(n, P, H) in fp32: of the hidden states (n, tokens, H) those at the places (n, P).

    >>> states_at(torch.tensor([[[1.0], [2.0], [3.0]]]), torch.tensor([[2, 0]])).flatten().tolist()
    [3.0, 1.0]
    """
    return hidden[torch.arange(len(hidden), device=hidden.device)[:, None], places].float()


class Marked(NamedTuple):
    """A tokenised sentence with its markers: no special tokens yet; `marks` are the positions of the markers'
    first tokens, in the order open and close entity 1, open and close entity 2."""

    ids: list[int]
    marks: tuple[int, int, int, int]
    cut: int = 0


def tokenize_marked(
    tokenizer, samples: Sequence[RelationSample], marker_ids: Sequence[Sequence[int]], limit: int
) -> list[Marked]:
    """Tokenise sentences with four markers, at most `limit` tokens each.

    `marker_ids` : the token ids of each marker, none or more. A longer sentence loses the tokens that stand
    farthest from its entities; markers go last, entities second to last.

    Raises ValueError if `limit` is so small that the markers would not fit.
    """
    needed = sum(map(len, marker_ids))
    if limit < needed:
        raise ValueError(f"limit is {limit}; four markers need at least {needed} tokens")
    pieces = [_pieces(sample) for sample in samples]
    texts = [text for sentence in pieces for text in sentence if text not in _SIGNS]
    tokens = iter(tokenizer(texts, add_special_tokens=False, verbose=False)["input_ids"] if texts else ())
    return [_window(*_joined(sentence, tokens, marker_ids), limit) for sentence in pieces]


def _pieces(sample: RelationSample) -> list[str]:
    """Text pieces and signs in the order of the sentence; a piece keeps the blank that stood before it."""
    clean = replace(sample, text=_SPLIT.sub(" ", sample.text))
    pieces, blank = [], False
    for part in _SPLIT.split(render(clean, _SIGNS)):
        if part in _SIGNS:
            pieces.append(part)
        elif part:
            if words := part.strip():
                pieces.append(" " + words if blank or part[0].isspace() else words)
            blank = part[-1].isspace()
    return pieces


def _joined(
    pieces: list[str], tokens: Iterator[list[int]], marker_ids: Sequence[Sequence[int]]
) -> tuple[list[int], list[int], list[bool]]:
    """Token ids, where the four markers begin, and which tokens are of a marker or stand inside an entity."""
    ids, marks, inside, open_ = [], [-1] * 4, [], [False, False]
    for piece in pieces:
        if piece in _SIGNS:
            which = _SIGNS.index(piece)
            open_[which // 2] = which % 2 == 0
            marks[which] = len(ids)
            added = marker_ids[which]
        else:
            added = next(tokens)
        inside += [any(open_) or piece in _SIGNS] * len(added)
        ids += added
    return ids, marks, inside


def _window(ids: list[int], marks: list[int], inside: list[bool], limit: int) -> Marked:
    if len(ids) <= limit:
        return Marked(ids, tuple(marks))
    opened = np.array(marks)  # a marker without tokens may stand behind the last
    entity = np.union1d(np.flatnonzero(inside), opened)
    distance = np.abs(np.arange(len(ids))[:, None] - entity).min(axis=1)
    distance[inside] = -1
    distance[opened[opened < len(ids)]] = -2
    kept = np.sort(np.argsort(distance, kind="stable")[:limit])
    places = tuple(np.searchsorted(kept, opened).tolist())
    return Marked([ids[old] for old in kept], places, len(ids) - limit)
