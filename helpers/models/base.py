"""What every relation classifier has in common: labels, inputs, scores, loss, decision."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import ClassVar

import torch
from torch import nn
from torch.nn import functional

from helpers.data import RDR_MARKERS, RelationSample

from .encoder import Encoder
from .inputs import Batch, Example, tokenize_marked

MARKERS = tuple(marker.strip() for marker in RDR_MARKERS)
"""The four marker tokens of paper R: open and close entity 1, open and close entity 2."""


class RelationClassifier(nn.Module):
    """A pretrained encoder and what a model puts on top of it.

    A subclass gives `forward` (from a `Batch` to what the loss reads, first axis samples) and, where they
    differ from the usual, `examples`, `training_examples`, `losses` and `relation_scores`.

    Attributes
    ----------
    labels : the relations; a prediction is a position in this tuple.
    max_length : most tokens of an input, special tokens included.

    >>> from helpers.models import load_encoder
    >>> model = RelationClassifier(load_encoder(markers=MARKERS), ["Other"])
    >>> (example,) = model.examples([RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")])
    >>> model.encoder.tokenizer.decode(example.ids)
    '[CLS] [E11] fire [E12] and [E21] panic [E22] [SEP]'
    >>> example.places
    (1, 3, 5, 7)
    """

    markers: ClassVar[tuple[str, ...]] = MARKERS
    """Tokens that the encoder must have; see `load_encoder`."""
    resampled: ClassVar[bool] = False
    """Whether `training_examples` differ from epoch to epoch."""

    def __init__(self, encoder: Encoder, labels: Sequence[str], max_length: int = 128) -> None:
        super().__init__()
        self.encoder, self.labels = encoder, tuple(labels)
        self.max_length = min(max_length, encoder.longest)
        self._ids = {label: position for position, label in enumerate(self.labels)}

    def label_id(self, sample: RelationSample) -> int:
        """The position of the sample's relation among the labels. Raises ValueError if it is none of them."""
        try:
            return self._ids[sample.relation]
        except KeyError:
            raise ValueError(f"sample {sample.id}: relation {sample.relation!r} is not in labels") from None

    def examples(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Inputs for prediction: one for each sample (`relation_scores` may expect several).

        By default the marked sentence between the classification and the separator token.
        """
        tokenizer = self.encoder.tokenizer
        head, tail = [tokenizer.cls_token_id], [tokenizer.sep_token_id]
        sentences = tokenize_marked(tokenizer, samples, self.encoder.marker_ids, self.max_length - 2)
        return [
            Example(
                head + one.ids + tail,
                tuple(place + 1 for place in one.marks),
                self.label_id(sample),
                cut=one.cut,
            )
            for sample, one in zip(samples, sentences, strict=True)
        ]

    def training_examples(self, samples: Sequence[RelationSample], rng: random.Random) -> list[Example]:
        """Inputs of one epoch; by default those of prediction. `rng` is seeded for the epoch."""
        return self.examples(samples)

    def losses(self, output: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Loss of each sample, shape (n,): cross-entropy over the relations."""
        return functional.cross_entropy(output.float(), batch.target, reduction="none")

    def relation_scores(self, output: torch.Tensor) -> torch.Tensor:
        """Scores (samples, labels) from the outputs of `examples`; the highest one is the prediction."""
        return output

    def summary(self) -> dict[str, object]:
        """Settings of the model itself, for the run file."""
        return {}
