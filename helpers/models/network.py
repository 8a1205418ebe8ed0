"""What every network is, and what it reads: marked sentences, windows around the entities, batches.

Sentences are tokenised piece by piece at the markers, so the markers' places are known whatever the tokenizer
(WordPiece or byte-level BPE).
"""

from __future__ import annotations

import random
import re
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ..data import RDR_MARKERS, RelationSample, render
from . import training
from .base import NO_ENCODER, History, Model, Settings
from .encoder import Encoder, load_encoder, resolved_precision

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
    (n, places), `target` and `weight` (n,). `weight` is the example's share of the optimiser step's loss.
    `extra` are the tensors that a model named in `Example.extra` (graphs, positions, bags), first axis n."""

    ids: torch.Tensor
    mask: torch.Tensor
    types: torch.Tensor
    places: torch.Tensor
    target: torch.Tensor
    weight: torch.Tensor
    extra: Mapping[str, torch.Tensor] = field(default_factory=dict)

    def map(self, function: Callable[[torch.Tensor], torch.Tensor]) -> Batch:
        """The batch with the function applied to every tensor."""
        *usual, extra = (getattr(self, name) for name in self.__match_args__)
        return Batch(*map(function, usual), {name: function(tensor) for name, tensor in extra.items()})

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        return self.map(lambda tensor: tensor.to(device, non_blocking=True))


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
    """(n, P, H): of the hidden states (n, tokens, H) those at the places (n, P).

    >>> states_at(torch.tensor([[[1.0], [2.0], [3.0]]]), torch.tensor([[2, 0]])).flatten().tolist()
    [3.0, 1.0]
    """
    return hidden[torch.arange(len(hidden), device=hidden.device)[:, None], places]


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


class NeuralModel(nn.Module, Model):
    """What training and prediction need of a model, with or without a pretrained encoder.

    A subclass gives `examples` and `forward` (from a `Batch` to what the loss reads, first axis examples)
    and, where they differ from the usual, `training_examples`, `collate`, `losses` and `relation_scores`.
    """

    padding: int = 0
    fills: Mapping[str, float] = {}
    """Of a batch; see `collate`."""

    resampled: bool = False
    """Whether `training_examples` differ from epoch to epoch."""
    packages = ("numpy", "scipy", "torch", "transformers", "tokenizers", "accelerate")

    def __init__(self, labels: Sequence[str]) -> None:
        super().__init__()
        self.labels, self.settings = tuple(labels), Settings()

    @abstractmethod
    def examples(self, samples: Sequence[Any]) -> list[Any]:
        """Inputs for prediction: one for each sample (`relation_scores` may expect several)."""

    def training_examples(self, samples: Sequence[Any], rng: random.Random) -> list[Any]:
        """Inputs of one epoch; by default those of prediction. `rng` is seeded for the epoch."""
        return self.examples(samples)

    def collate(self, examples: Sequence[Any], weight: Sequence[float] | float = 1.0) -> Batch:
        """The examples as one batch, padded to the longest; `weight` is the share of each in the loss."""
        return collate(examples, self.padding, weight, self.fills)

    def prepare(self, samples: Sequence[Any]) -> None:
        """What has to be set before training, such as the vocabulary; by default nothing."""

    def losses(self, output: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Loss of each example, shape (n,): cross-entropy over the relations."""
        return functional.cross_entropy(output.float(), batch.target, reduction="none")

    def relation_scores(self, output: torch.Tensor) -> torch.Tensor:
        """Scores (samples, labels) from the outputs of `examples`; the highest one is the prediction."""
        return output

    def fit(self, samples: Sequence[Any], *how: Any, **named: Any) -> History:
        """See `training.train`."""
        return training.train(self, samples, *how, **named)

    def raw_scores(self, samples: Sequence[Any], progress: bool = True) -> torch.Tensor:
        """`relation_scores` of the samples, (samples, labels), the same in every process."""
        if not len(samples):
            return torch.empty(0, len(self.labels))
        return self.relation_scores(training.outputs(self, self.examples(samples), self, progress)).cpu()

    def predict(self, samples: Sequence[Any], progress: bool = True) -> np.ndarray:
        """The predicted label ids, shape (samples,); ties go to the smaller id."""
        return self.raw_scores(samples, progress).numpy().argmax(axis=1)

    def scores(self, samples: Sequence[Any], progress: bool = True) -> np.ndarray:
        """The probability of each label, (samples, labels): the softmax of `relation_scores`."""
        return torch.softmax(self.raw_scores(samples, progress).float(), dim=1).numpy().astype(float)

    @property
    def precision(self) -> str:
        """Of the encoder, as settings and device say; fp32 where there is none."""
        if self.encoder_name == NO_ENCODER:
            return "fp32"
        return resolved_precision(self.settings.precision, training.accelerator().device)


class OnEncoder(NeuralModel):
    """A network on a pretrained encoder, which its class is given first."""

    markers: tuple[str, ...] = MARKERS
    """What stands before and after entity 1, before and after entity 2."""

    @classmethod
    def new(
        cls,
        labels: Sequence[str],
        settings: Settings,
        encoder: str,
        attention: str | None,
        layers: int | None = None,
        **options: Any,
    ) -> NeuralModel:
        """On a loaded encoder, or its first `layers`."""
        needs = {"markers": cls.markers, "marker_vectors": settings.marker_vectors} | cls.needs(**options)
        loaded = load_encoder(encoder, dropout=settings.dropout, attention=attention, layers=layers, **needs)
        return cls(loaded, labels, settings.max_length, **options)

    @classmethod
    def needs(cls, **options: Any) -> dict[str, Any]:
        """What else `load_encoder` is told for a model with these options."""
        return {}

    def put_on(self, encoder: Encoder, max_length: int) -> None:
        """Take the encoder, and its limit if `max_length` is beyond it."""
        self.encoder, self.padding = encoder, encoder.tokenizer.pad_token_id
        self.encoder_name, self.encoder_sha256 = encoder.name, encoder.sha256
        self.max_length = min(max_length, encoder.longest)

    def prepare(self, samples: Sequence[Any]) -> None:
        """The encoder's precision; its pooling layer learns only where it is read."""
        self.encoder.precision = self.settings.precision
        for name, parameter in self.encoder.named_parameters():
            parameter.requires_grad_("pooler" not in name or self.encoder.pooled)
        super().prepare(samples)

    def marked(self, samples: Sequence[RelationSample], marker_ids: Sequence[Sequence[int]]) -> list[Example]:
        """The marked sentences between the classification and the separator token; places are the markers."""
        tokenizer = self.encoder.tokenizer
        return [
            Example(
                [tokenizer.cls_token_id, *ids, tokenizer.sep_token_id],
                tuple(mark + 1 for mark in marks),
                0,
                cut=cut,
            )
            for ids, marks, cut in tokenize_marked(tokenizer, samples, marker_ids, self.max_length - 2)
        ]


class RelationClassifier(OnEncoder):
    """A pretrained encoder and what a model puts on top of it.

    A subclass gives `forward` and, where they differ from the usual, `examples`, `training_examples`,
    `losses` and `relation_scores`. `max_length` : most tokens of an input, special tokens included.

    >>> model = RelationClassifier(load_encoder(markers=MARKERS), ["Other"])
    >>> (example,) = model.examples([RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")])
    >>> model.encoder.tokenizer.decode(example.ids)
    '[CLS] [E11] fire [E12] and [E21] panic [E22] [SEP]'
    >>> example.places
    (1, 3, 5, 7)
    """

    def __init__(self, encoder: Encoder, labels: Sequence[str], max_length: int = 128) -> None:
        super().__init__(labels)
        self.put_on(encoder, max_length)

    @property
    def marker_ids(self) -> list[list[int]]:
        """The token ids of each marker: one, or several if it is not in the vocabulary."""
        tokenizer = self.encoder.tokenizer
        return [tokenizer(marker, add_special_tokens=False)["input_ids"] for marker in self.markers]

    def examples(self, samples: Sequence[RelationSample]) -> list[Example]:
        """The marked sentence between the classification and the separator token."""
        pairs = zip(self.marked(samples, self.marker_ids), samples, strict=True)
        return [example._replace(target=self.label_id(sample)) for example, sample in pairs]
