"""Bidirectional GRU with attention over words and sentences: BGWA and RESIDE, on the bags of `bags`.

Word attention of both, from the states h_t of the GRU in both directions: α = softmax_t tanh(h_t) · q, the
sentence's vector is Σ_t α_t h_t; sentence attention is the aggregator 'query' of `BagClassifier`. So the
released code of RESIDE has both models.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..data import Bag, RelationSample
from .bags import Aggregator, BagClassifier, Training
from .base import NO_ENCODER
from .convolution import PAD, SCRATCH, WordEncoder, words_of
from .inputs import Batch, Example

Names = Mapping[str, Sequence[str]]
OVERLAP = 0.65
"""A relation's alias is found between two entities if so large a share of its words stands there."""


class RecurrentEncoder(WordEncoder):
    """Words → GRU in both directions → word attention, H = 2 · hidden; with side information H is larger.

    Parameters
    ----------
    hidden : width of the GRU in one direction. dropout : of its states.
    types : entity identifier → names of its types. A bag's vectors get the mean of the type vectors of the
        head, and that of the tail; zero for an entity without types.
    aliases : relation → phrases that express it. A sentence's vector gets the mean of the vectors of the
        relations whose aliases stand between its entities (`alias_matches`); zero if there are none.
    type_size, alias_size : widths of those vectors. others : see `WordEncoder`.
    """

    fills = {"types": 0.0, "aliases": 0.0}

    def __init__(
        self,
        max_length: int,
        hidden: int = 192,
        dropout: float = 0.2,
        types: Names | None = None,
        aliases: Names | None = None,
        type_size: int = 50,
        alias_size: int = 32,
        **others: Any,
    ) -> None:
        super().__init__(max_length, **others)
        for name, given in (("types", types), ("aliases", aliases)):
            if given is not None and not isinstance(given, Mapping):
                raise ValueError(f"{name} is {given!r}; it must map each name to its {name}")
        self.types, self.aliases = dict(types or {}), dict(aliases or {})
        kinds = sorted({name for names in self.types.values() for name in names})
        self.kinds = {name: place for place, name in enumerate(kinds)}
        self.states = nn.GRU(self.width, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.query = nn.Parameter(torch.randn(2 * hidden) / (2 * hidden) ** 0.5)
        self.size = 2 * hidden
        if self.kinds:
            self.type_vectors = nn.Parameter(torch.randn(len(kinds), type_size) / type_size**0.5)
            self.size += 2 * type_size
        if self.aliases:
            self.alias_vectors = nn.Parameter(torch.randn(len(self.aliases), alias_size) / alias_size**0.5)
            self.size += alias_size

    def examples(self, bags: Sequence[Bag]) -> list[tuple[Example, ...]]:
        """The inputs of each bag; extra `types` (2, types) and `aliases` (relations,) are shares that sum to
        1 where there are any."""
        return [
            tuple(
                one._replace(extra=self._side(bag, sample))
                for one, sample in zip(sentences, bag.samples, strict=True)
            )
            for bag, sentences in zip(bags, super().examples(bags), strict=True)
        ]

    def _side(self, bag: Bag, sample: RelationSample) -> dict[str, list]:
        side: dict[str, list] = {}
        if self.kinds:
            names = [set(self.types.get(entity, ())) for entity in (bag.head, bag.tail)]
            side["types"] = [_shares([kind in one for kind in self.kinds]) for one in names]
        if self.aliases:
            found = alias_matches(sample, self.aliases)
            side["aliases"] = _shares([relation in found for relation in self.aliases])
        return side

    def forward(self, batch: Batch) -> torch.Tensor:
        """(S, H)."""
        inside = batch.ids != PAD
        packed = pack_padded_sequence(
            self.embed(batch), inside.sum(dim=1).cpu(), batch_first=True, enforce_sorted=False
        )
        states, _ = pad_packed_sequence(self.states(packed)[0], batch_first=True)
        states, inside = self.dropout(states), inside[:, : states.shape[1]]
        worth = (torch.tanh(states) @ self.query).masked_fill(~inside, -torch.inf)
        parts = [(torch.softmax(worth, dim=1)[:, None] @ states)[:, 0]]
        if self.aliases:
            parts.append(batch.extra["aliases"] @ self.alias_vectors)
        if self.kinds:
            parts.append((batch.extra["types"] @ self.type_vectors).flatten(1))
        return torch.cat(parts, dim=1)


def _shares(present: Sequence[bool]) -> list[float]:
    """1 / (how many are present) for each that is."""
    return [float(one) / max(sum(present), 1) for one in present]


def alias_matches(sample: RelationSample, aliases: Names) -> list[str]:
    """The relations of which an alias stands between the two entities: at least `OVERLAP` of its words do.

    RESIDE compares the mean word vectors of aliases (widened by a paraphrase database) and of phrases on the
    dependency path; there is no parser here, so all words in between are taken, and equal words counted.

    >>> sample = RelationSample("1", "Ada was born in the city of London", (0, 3), (28, 34), "NA")
    >>> alias_matches(sample, {"birth": ["born in", "native of"], "death": ["died in"]})
    ['birth']
    """
    (_, start), (end, _) = sorted((sample.head, sample.tail))
    between = set(words_of(sample.text[start:end]))
    phrases = {relation: [set(words_of(one)) for one in names] for relation, names in aliases.items()}
    return [
        relation
        for relation, names in phrases.items()
        if any(words and len(words & between) >= OVERLAP * len(words) for words in names)
    ]


class Bgwa(BagClassifier):
    """BGWA (Jat et al. 2018), as in RESIDE's code: `RecurrentEncoder` under a `BagClassifier`.

    Parameters
    ----------
    dropout : .2 of the GRU's states; there is none before the linear layer. Others as in the two classes.

    >>> Bgwa(["NA", "a"], hidden=3).encoder.size
    6
    """

    encoder_name = NO_ENCODER

    def __init__(
        self,
        labels: Sequence[str],
        max_length: int = 128,
        training: Training = "bag",
        aggregator: Aggregator = "query",
        masked: bool = False,
        vectors: str = SCRATCH,
        bag_size: int = 0,
        hidden: int = 192,
        word_size: int = 50,
        position_size: int = 16,
        dropout: float = 0.2,
        **side: Any,
    ) -> None:
        words = {"masked": masked, "vectors": vectors}
        words |= {"word_size": word_size, "position_size": position_size}
        encoder = RecurrentEncoder(max_length, hidden, dropout, **words, **side)
        super().__init__(encoder, labels, training, aggregator, bag_size, dropout=0.0)


class Reside(Bgwa):
    """RESIDE (Vashishth et al. 2018) without its graph convolution, which needs dependency parses.

    BGWA with side information, `types` and `aliases` as in `RecurrentEncoder`; without any it is BGWA. In the
    original the types join the bag's vector, here each sentence's: the same, as the attention sums to 1 and
    they are equal within a bag.

    >>> Reside(["NA", "a"], hidden=3, types={"Q1": ["person"]}, aliases={"a": ["born in"]}).encoder.size
    138
    """

    def __init__(
        self,
        labels: Sequence[str],
        max_length: int = 128,
        types: Names | None = None,
        aliases: Names | None = None,
        type_size: int = 50,
        alias_size: int = 32,
        **options: Any,
    ) -> None:
        side = {"types": types, "aliases": aliases, "type_size": type_size, "alias_size": alias_size}
        super().__init__(labels, max_length, **side, **options)
