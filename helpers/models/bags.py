"""Models of distant supervision: a sentence encoder, an aggregator of each bag's sentences, one linear layer.

S sentences in B bags, vectors of width H, L labels. Published by Gao et al. 2021 (paper D); what the paper
leaves open is as in OpenNRE. W and b are the weights of the linear layer, W_r the row of relation r.
"""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

import numpy as np
import torch
from torch import nn

from ..core import check_known
from ..data import Bag, RelationSample
from .base import as_bags, bag_targets
from .encoder import Encoder
from .entity_markers import OnEncoder
from .inputs import Batch, Example, collate, states_at
from .training import NeuralModel

AGGREGATORS = ("avg", "one", "att", "query")
Aggregator = Literal["avg", "one", "att", "query"]
Inputs = Sequence[Bag | RelationSample]
"""Bags, and samples as bags of one."""


class _BagExample(NamedTuple):
    """One bag as input of a model: its sentences, and the label id that it is trained on."""

    sentences: tuple[Example, ...]
    target: int = 0

    @property
    def length(self) -> int:
        """The number of tokens of its longest sentence."""
        return max(len(sentence.ids) for sentence in self.sentences)

    @property
    def cut(self) -> int:
        """Tokens that were left out of its sentences."""
        return sum(sentence.cut for sentence in self.sentences)


def without_entities(sample: RelationSample) -> RelationSample:
    """The sentence without the words of its two entities, which are left empty where they stood.

    A mask word is then put at each of the two places; what two entities share is taken out once.

    >>> without_entities(RelationSample("1", "Ada left London early", (0, 3), (9, 15), "NA"))
    RelationSample(id='1', text=' left  early', head=(0, 0), tail=(6, 6), relation='NA')
    """
    gone = {index for span in (sample.head, sample.tail) for index in range(*span)}
    text = "".join(character for index, character in enumerate(sample.text) if index not in gone)
    head, tail = (start - sum(index < start for index in gone) for start, _ in (sample.head, sample.tail))
    return replace(sample, text=text, head=(head, head), tail=(tail, tail))


class BagClassifier(NeuralModel):
    """A sentence encoder, an aggregator, dropout and a linear layer H → L.

    Training, with the relation r of the bag known: the bag's vector is, by `aggregator`,

    * avg: the mean of its sentences' vectors;
    * one: the vector of the sentence with the highest softmax probability of r (Zeng et al. 2015);
    * att: Σ_i α_i x_i, α the softmax over sentences of Σ_d x_id · diag_d · W_rd (Lin et al. 2016), diag
      learnt from ones;
    * query: Σ_i α_i x_i, α the softmax over sentences of tanh(x_i) · q, one learnt q for all relations (Jat
      et al. 2018);

    then dropout, linear layer, cross-entropy of r. With training 'sentence' each sentence is a bag of one,
    and all of them come to the same.

    Scores, always from all sentences of a bag, are probabilities:

    * avg, query: the softmax of the bag's vector; a row sums to 1;
    * one: for each relation the maximum over the sentences of the softmax; a row sums to 1 or more;
    * att: for each relation r the bag's vector by r's own attention, of its softmax the entry r; a row sums
      to anything from 0 to L.

    The released script samples `bag_size` sentences in evaluation too; the paper says all of them, as here.

    A subclass encodes sentences: `make_layers` makes what it needs and returns H, `sentences` gives the
    inputs of samples, `vectors` (S, H) of a `Batch` of them, and where needed `learn_words` and `extra`.

    Parameters
    ----------
    training : 'sentence' or 'bag'.
    aggregator : of training with bags, and of `scores` unless another one is asked for.
    bag_size : so many sentences are drawn from each bag anew in each epoch: without replacement from a larger
        bag; a smaller one has all of its sentences, then random ones again. 0: all.
    dropout : before the linear layer. layers : of the subclass, see its `make_layers`.

    Raises ValueError for aggregator 'query' without bags.
    """

    def __init__(
        self,
        labels: Sequence[str],
        training: Literal["sentence", "bag"] = "sentence",
        aggregator: Aggregator = "avg",
        bag_size: int = 0,
        dropout: float = 0.5,
        **layers: Any,
    ) -> None:
        super().__init__()
        self.labels = tuple(labels)
        self.by_bag, self.aggregator = training == "bag", aggregator
        if aggregator == "query" and not self.by_bag:
            raise ValueError("aggregator 'query' is learnt from bags: choose training 'bag'")
        self.bag_size = bag_size if self.by_bag else 0
        self.resampled = self.bag_size > 0
        self.register_parameter("diagonal", None)
        self.register_parameter("query", None)  # first: sums over parameters are in the order of stored runs
        self.dropout = nn.Dropout(dropout)
        size = self.make_layers(**layers)
        self.classifier = nn.Linear(size, len(self.labels))
        if self.by_bag and aggregator == "att":
            self.diagonal = nn.Parameter(torch.ones(size))
        if aggregator == "query":
            self.query = nn.Parameter(torch.randn(size) / size**0.5)

    @abstractmethod
    def make_layers(self, **layers: Any) -> int:
        """What encodes a sentence; the width H of its vector."""

    @abstractmethod
    def sentences(self, samples: Sequence[RelationSample]) -> list[Example]:
        """The input of each sentence."""

    @abstractmethod
    def vectors(self, batch: Batch) -> torch.Tensor:
        """(S, H)."""

    def extra(self, bag: Bag, sample: RelationSample) -> Mapping[str, Any]:
        """What else is read with a sentence, see `Example`; by default nothing."""
        return {}

    def learn_words(self, bags: Sequence[Bag]) -> None:
        """The vocabulary, before training; by default none."""

    def prepare(self, samples: Inputs) -> None:
        """The vocabulary, and the whole bags, which are read once. Raises ValueError as `bag_targets`."""
        bags = as_bags(samples)
        targets = bag_targets(bags, self.labels)
        self.learn_words(bags)
        pairs = zip(self.examples(bags), targets, strict=True)
        self._bags = [example._replace(target=target) for example, target in pairs]

    def examples(self, samples: Inputs) -> list[_BagExample]:
        """Whole bags, without targets."""
        bags = as_bags(samples)
        flat = iter(self.sentences([sample for bag in bags for sample in bag.samples]))
        return [
            _BagExample(tuple(next(flat)._replace(extra=self.extra(bag, each)) for each in bag.samples))
            for bag in bags
        ]

    def training_examples(self, samples: Inputs, rng: random.Random) -> list[_BagExample]:
        """The bags of `prepare` with their label ids: whole, drawn, or of one sentence each."""
        if not self.by_bag:
            return [_BagExample((sentence,), bag.target) for bag in self._bags for sentence in bag.sentences]
        return [_drawn(bag, self.bag_size, rng) for bag in self._bags] if self.bag_size else self._bags

    def collate(self, examples: Sequence[_BagExample], weight: Sequence[float] | float = 1.0) -> Batch:
        """The sentences of all bags as one batch: `ids`, `mask`, `types`, `places` and the extra tensors are
        of the S sentences, `target` and `weight` of the B bags; extra `bag` (S,) numbers the bags."""
        sentences = [sentence for example in examples for sentence in example.sentences]
        batch = collate(sentences, self.padding, fills=self.fills)
        sizes = torch.tensor([len(example.sentences) for example in examples])
        return replace(
            batch,
            target=torch.tensor([example.target for example in examples]),
            weight=torch.as_tensor(weight).expand(len(examples)),
            extra={**batch.extra, "bag": torch.arange(len(examples)).repeat_interleave(sizes)},
        )

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (B, L) for training: the aggregator reads the targets; `scores` is for prediction."""
        return self.classifier(self.dropout(self._bag_vectors(self.vectors(batch), batch)))

    def _bag_vectors(self, vectors: torch.Tensor, batch: Batch) -> torch.Tensor:
        """(B, H) from (S, H), for training."""
        members = torch.arange(len(batch.target), device=vectors.device)[:, None] == batch.extra["bag"]
        if not self.by_bag or self.aggregator == "avg":
            return members.to(vectors.dtype) @ vectors / members.sum(dim=1, keepdim=True)
        relation = batch.target[batch.extra["bag"]][:, None]
        if self.aggregator == "one":
            with torch.no_grad():
                shares = torch.softmax(self.classifier(vectors), dim=1).gather(1, relation)[:, 0]
            return vectors[torch.where(members, shares, -1.0).argmax(dim=1)]
        if self.aggregator == "att":
            worth = (vectors * self.queries()[relation[:, 0]]).sum(dim=1)
        else:
            worth = torch.tanh(vectors) @ self.query
        weights = torch.softmax(worth.masked_fill(~members, -torch.inf), dim=1)
        return weights @ vectors

    def queries(self) -> torch.Tensor:
        """What ATT compares the sentences with, (L, H): diag · W, or W in a model that learns no diag."""
        return self.classifier.weight * (1.0 if self.diagonal is None else self.diagonal)

    def sentence_vectors(self, bags: Inputs, progress: bool = True) -> list[torch.Tensor]:
        """(n, H) of each bag's n sentences."""
        bags = as_bags(bags)
        flat = [_BagExample((sentence,)) for bag in self.examples(bags) for sentence in bag.sentences]
        vectors = self.outputs(flat, self.vectors, progress)
        return list(vectors.split([len(bag.samples) for bag in bags]))

    def scores(self, bags: Inputs, aggregator: Aggregator | None = None, progress: bool = True) -> np.ndarray:
        """The probability of each label for each bag, (B, L), from all of its sentences; see the class.

        aggregator : None: the model's own.

        Raises ValueError for an unknown aggregator, and for 'query' if the model has not learnt it.
        """
        aggregator = self._known(aggregator)  # before the encoder works
        if not bags:
            return np.empty((0, len(self.labels)))
        return self.aggregated(self.sentence_vectors(bags, progress), aggregator)

    def aggregated(self, vectors: Sequence[torch.Tensor], aggregator: Aggregator | None = None) -> np.ndarray:
        """`scores` of bags whose `sentence_vectors` are there already, as to compare aggregators."""
        aggregator, device = self._known(aggregator), self.classifier.weight.device
        with torch.inference_mode():
            rows = [self._bag_scores(bag.to(device), aggregator) for bag in vectors]
        return torch.stack(rows).cpu().numpy().astype(float)

    def _known(self, aggregator: Aggregator | None) -> Aggregator:
        aggregator = aggregator or self.aggregator
        check_known("aggregator", aggregator, AGGREGATORS)
        if aggregator == "query" and self.query is None:
            raise ValueError("aggregator 'query' is learnt in training: this model was trained without it")
        return aggregator

    def _bag_scores(self, vectors: torch.Tensor, aggregator: Aggregator) -> torch.Tensor:
        """(L,) from the (n, H) of one bag."""
        if aggregator == "one":
            return torch.softmax(self.classifier(vectors), dim=1).amax(dim=0)
        if aggregator == "att":  # of each relation its own vector: (L, H)
            bag = torch.softmax(vectors @ self.queries().T, dim=0).T @ vectors
            return torch.softmax(self.classifier(bag), dim=1).diagonal()
        if aggregator == "query":
            bag = torch.softmax(torch.tanh(vectors) @ self.query, dim=0) @ vectors
        else:
            bag = vectors.mean(dim=0)
        return torch.softmax(self.classifier(bag), dim=0)

    def predict(self, samples: Inputs, progress: bool = True) -> np.ndarray:
        """The label id with the highest score, shape (B,); ties go to the smaller id."""
        return self.scores(samples, None, progress).argmax(axis=1)


def _drawn(bag: _BagExample, size: int, rng: random.Random) -> _BagExample:
    """The bag with exactly `size` sentences."""
    whole = bag.sentences
    if len(whole) >= size:
        return bag._replace(sentences=tuple(rng.sample(whole, size)))
    return bag._replace(sentences=whole + tuple(rng.choices(whole, k=size - len(whole))))


MASKS = ("[unused4]", "[unused5]")
"""What stands for a masked head and tail in the transformer's input, as in OpenNRE."""
_UNUSED = ("[unused0]", "[unused1]", "[unused2]", "[unused3]")
"""OpenNRE's markers: open and close head, open and close tail."""


class BertEntity(OnEncoder, BagClassifier):
    """BERT-entity: hidden states h_a, h_b at the two opening markers, then W [h_a; h_b] + b, 2H → 2H, no
    activation (OpenNRE's default). Takes bags, and samples as bags of one.

    masked : head and tail are `MASKS`, without markers; h_a and h_b are theirs. Markers and masks are words
    of BERT's vocabulary; another encoder gets those that it lacks, with new vectors. Where a sentence is too
    long, words far from the entities are left out (OpenNRE cuts at the right and may lose an entity).

    >>> from helpers.data import RelationSample
    >>> from helpers.models import EMBEDDED, build
    >>> model = build("bert-entity", EMBEDDED, ["NA", "a"], None, seed=9)
    >>> model.scores([RelationSample("1", "fire and panic", (0, 4), (9, 14), "NA")], progress=False).shape
    (1, 2)
    """

    def __init__(
        self, encoder: Encoder, labels: Sequence[str], max_length: int = 128, **options: Any
    ) -> None:
        super().__init__(labels, encoder=encoder, max_length=max_length, **options)

    @classmethod
    def needs(cls, masked: bool = False, **_: Any) -> dict[str, Any]:
        """OpenNRE's markers, or the masks."""
        return {"markers": MASKS if masked else _UNUSED}

    def prepare(self, samples: Inputs) -> None:
        """The encoder's precision, and the whole bags."""
        OnEncoder.prepare(self, samples)
        BagClassifier.prepare(self, samples)

    def make_layers(self, encoder: Encoder, max_length: int, masked: bool = False) -> int:
        """The linear layer behind the encoder."""
        self.put_on(encoder, max_length)
        self.masked, size = masked, 2 * encoder.hidden_size
        self.linear = nn.Linear(size, size)
        return size

    def sentences(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Marked sentences; an opening marker may be a mask, and then there is no closing one."""
        names = MASKS if self.masked else _UNUSED
        signs = [[sign] for sign in self.encoder.tokenizer.convert_tokens_to_ids([*names])]
        if self.masked:
            samples, signs = [*map(without_entities, samples)], [signs[0], [], signs[1], []]
        return self.marked(samples, signs)

    def vectors(self, batch: Batch) -> torch.Tensor:
        """(S, 2H)."""
        return self.linear(states_at(self.encoder(batch), batch.places[:, ::2]).flatten(1))
