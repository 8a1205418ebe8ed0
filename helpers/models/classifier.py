"""The bases of all neural models, and of those on a pretrained encoder: inputs, loss, decision."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ..data import RDR_MARKERS, RelationSample
from . import training
from .base import NO_ENCODER, History, Model
from .encoder import Encoder, load_encoder, resolved_precision
from .inputs import Batch, Example, collate, tokenize_marked
from .settings import Settings

MARKERS = tuple(marker.strip() for marker in RDR_MARKERS)
"""The four marker tokens of paper R: open and close entity 1, open and close entity 2."""


class NeuralModel(nn.Module, Model):
    """What the one training loop needs of a model, with or without a pretrained encoder.

    A subclass gives `examples`, `collate` and `forward` (from a `Batch` to what the loss reads, first axis
    examples) and, where they differ from the usual, `training_examples`, `losses` and `relation_scores`.
    """

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

    @abstractmethod
    def collate(self, examples: Sequence[Any], weight: Sequence[float] | float = 1.0) -> Batch:
        """The examples as one batch; `weight` is the share of each in the loss."""

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
        tokens, pooler = cls.marker_tokens(**options), cls.reads_pooler(**options)
        given = (settings.dropout, pooler, attention, settings.marker_vectors, layers)
        return cls(load_encoder(encoder, tokens, *given), labels, settings.max_length, **options)

    @classmethod
    def marker_tokens(cls, **options: Any) -> tuple[str, ...]:
        """The tokens that a model with these options needs in the vocabulary; see `load_encoder`."""
        return cls.markers

    @classmethod
    def reads_pooler(cls, **options: Any) -> bool:
        """Whether a model with these options reads the pooling layer of BERT."""
        return False


class RelationClassifier(OnEncoder):
    """A pretrained encoder and what a model puts on top of it.

    A subclass gives `forward` (from a `Batch` to what the loss reads, first axis samples) and, where they
    differ from the usual, `examples`, `training_examples`, `losses` and `relation_scores`.

    Attributes
    ----------
    max_length : most tokens of an input, special tokens included. A subclass passes on what stands before
        its options.

    >>> from helpers.models.encoder import load_encoder
    >>> model = RelationClassifier(load_encoder(markers=MARKERS), ["Other"])
    >>> (example,) = model.examples([RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")])
    >>> model.encoder.tokenizer.decode(example.ids)
    '[CLS] [E11] fire [E12] and [E21] panic [E22] [SEP]'
    >>> example.places
    (1, 3, 5, 7)
    """

    fills: ClassVar[Mapping[str, float]] = {}
    """Name of an extra tensor (`Example.extra`) → the value that pads it."""

    def __init__(self, encoder: Encoder, labels: Sequence[str], max_length: int = 128) -> None:
        super().__init__(labels)
        self.encoder = encoder
        self.encoder_name, self.encoder_sha256 = encoder.name, encoder.sha256
        self.max_length = min(max_length, encoder.longest)

    def examples(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Inputs for prediction: one for each sample (`relation_scores` may expect several).

        By default the marked sentence between the classification and the separator token.
        """
        tokenizer = self.encoder.tokenizer
        head, tail = [tokenizer.cls_token_id], [tokenizer.sep_token_id]
        sentences = tokenize_marked(tokenizer, samples, self.marker_ids, self.max_length - 2)
        return [
            Example(
                head + sentence.ids + tail,
                tuple(mark + 1 for mark in sentence.marks),
                self.label_id(sample),
                cut=sentence.cut,
            )
            for sample, sentence in zip(samples, sentences, strict=True)
        ]

    @property
    def marker_ids(self) -> list[list[int]]:
        """The token ids of each marker: one, or several if it is not in the vocabulary."""
        tokenizer = self.encoder.tokenizer
        return [tokenizer(marker, add_special_tokens=False)["input_ids"] for marker in self.markers]

    def collate(self, examples: Sequence[Example], weight: Sequence[float] | float = 1.0) -> Batch:
        """Padded to the longest; see `inputs.collate`."""
        return collate(examples, self.encoder.tokenizer.pad_token_id, weight, self.fills)

    def prepare(self, samples: Sequence[Any]) -> None:
        """The encoder's precision; see `Encoder.prepare`."""
        self.encoder.prepare(self.settings.precision)
