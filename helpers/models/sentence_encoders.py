"""Sentence encoders on word vectors, before BERT: CNN and PCNN; BGWA and RESIDE.

S sentences of T words. As OpenNRE: words in lower case, an unknown one counts as UNK; at most `max_length`
words, what comes after is cut off. Unlike there, a punctuation mark at the end of a word is a word of its own
(OpenNRE reads text that is tokenised already), and the vector of PAD stays zero.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..data import Bag, RelationSample
from .bags import BagClassifier, without_entities
from .base import Settings
from .inputs import Batch, Example, tokenize_marked
from .word_vectors import PAD, SCRATCH, UNK, WordVectors, words_of

Names = Mapping[str, Sequence[str]]
_OVERLAP = 0.65
"""A relation's alias is found between two entities if so large a share of its words stands there."""
_OUTSIDE = -100.0  # what OpenNRE adds to the positions outside of a segment
_NO_LIMIT = 2**31


class _OnWords(BagClassifier):
    """Word vectors and two position embeddings; a subclass makes a sentence's vector of them.

    The position of word i from an entity that starts at s is looked up in row min(i − s + L, 2L − 1) of a
    table with 2L rows, L = `max_length`; row 0 is for padding and zero. A lost entity starts at L.

    Two PAD words stand behind a sentence, as far as `max_length` allows: the first sees its last word, the
    second nothing but zeros. So what a convolution of width 3 gives is that of padding up to `max_length`
    (as OpenNRE does), whatever other sentences are in the batch.
    """

    padding = PAD

    @classmethod
    def new(cls, labels: Sequence[str], settings: Settings, *_: Any, **options: Any) -> _OnWords:
        """Of sentences as long as the settings say."""
        return cls(labels, max_length=settings.max_length, **options)

    def make_layers(
        self,
        max_length: int = 128,
        masked: bool = False,
        vectors: str = SCRATCH,
        word_size: int = 50,
        position_size: int = 5,
        **layers: Any,
    ) -> int:
        """
        vectors : 'scratch', 'encoder', or a file, all words of it; see `WordVectors`. They are learnt on.
        masked : each entity is one UNK. word_size : width of the vectors from scratch.
        position_size : of each position embedding. layers : see `make_encoder`.
        """
        self.max_length, self.masked = max_length, masked
        words = WordVectors(vectors, word_size, whole=True)
        tables = [nn.Embedding(2 * max_length, position_size, padding_idx=0) for _ in range(2)]
        self.positions = nn.ModuleList(tables)
        size = self.make_encoder(words.width + 2 * position_size, **layers)
        self.words = words  # last: sums over all parameters are in the order of the stored runs
        return size

    @abstractmethod
    def make_encoder(self, width: int, **layers: Any) -> int:
        """What stands on the word vectors, of this width; the width H of a sentence's vector."""

    def learn_words(self, bags: Sequence[Bag]) -> None:
        """The vocabulary and its vectors, drawn from `seed`; a model that has them keeps them."""
        samples = self._unmasked([sample for bag in bags for sample in bag.samples])
        self.words.prepare((words_of(sample.text) for sample in samples), self.seed)

    def _unmasked(self, samples: Sequence[RelationSample]) -> Sequence[RelationSample]:
        return [without_entities(sample) for sample in samples] if self.masked else samples

    def sentences(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Word ids; places are the first words of head and tail.

        Raises ValueError before the training, which makes the vocabulary.
        """
        signs = [[UNK], [], [UNK], []] if self.masked else [[], [], [], []]
        marked = tokenize_marked(self.words.tokenize, self._unmasked(samples), signs, _NO_LIMIT)
        return [self._example(sentence.ids or [UNK], sentence.marks) for sentence in marked]

    def _example(self, ids: list[int], marks: Sequence[int]) -> Example:
        places = tuple(min(marks[which], self.max_length) for which in (0, 2))
        cut = max(len(ids) - self.max_length, 0)
        return Example([*ids, PAD, PAD][: self.max_length], places, 0, cut=cut)

    def embed(self, batch: Batch) -> torch.Tensor:
        """(S, T, width): the word's vector, and where it stands from head and tail."""
        position, inside = torch.arange(batch.ids.shape[1], device=batch.ids.device), batch.ids != PAD
        rows = position[None, :, None] - batch.places[:, None, :] + self.max_length  # (S, T, 2)
        rows = rows.clamp(max=2 * self.max_length - 1) * inside[:, :, None]
        places = [table(rows[:, :, which]) for which, table in enumerate(self.positions)]
        return torch.cat([self.words(batch.ids), *places], dim=2)


class Cnn(_OnWords):
    """CNN (Zeng et al. 2014), H = filters: convolution c over three words, max_t ReLU(c_t) over all
    positions, padding among them: that is position n, which sees the last word, and beyond it ReLU(bias).

    Option `dropout` twice: of the sentence's vector, before the linear layer. filters : 230 in the papers.

    >>> samples = [RelationSample(word, f"{word} or not", (0, 1), (5, 8), word) for word in ("a", "b")]
    >>> from helpers.models import build
    >>> model = build("cnn", "", ["a", "b"], None, seed=9, filters=4)
    >>> history = model.fit(samples, progress=False)
    >>> model.scores(samples, progress=False).shape
    (2, 2)
    """

    segments = 1

    def make_encoder(self, width: int, filters: int = 230) -> int:
        """The convolution."""
        self.convolution = nn.Conv1d(width, filters, kernel_size=3, padding=1)
        return self.segments * filters

    def vectors(self, batch: Batch) -> torch.Tensor:
        """(S, H)."""
        convolved = self.convolution(self.embed(batch).transpose(1, 2))  # (S, filters, T)
        if self.segments == 1:
            return self.dropout(torch.relu(convolved).amax(dim=2))
        position = torch.arange(batch.ids.shape[1], device=batch.ids.device)
        segment = (position[None, :, None] > batch.places[:, None, :]).sum(dim=2)
        segment = segment.masked_fill(batch.ids == PAD, -1)[:, None]
        parts = [convolved + _OUTSIDE * (segment != part) for part in range(3)]
        return self.dropout(torch.cat([torch.relu(part).amax(dim=2) for part in parts], dim=1))


class Pcnn(Cnn):
    """PCNN (Zeng et al. 2015), H = 3 · filters: as `Cnn`, with the maximum over each of three segments, 0 for
    an empty one; they end with the first word of the first entity, with the first word of the second, and
    with the sentence.

    >>> Pcnn(["a", "b"], filters=4).classifier.in_features
    12
    """

    segments = 3


class Bgwa(_OnWords):
    """BGWA (Jat et al. 2018), as in RESIDE's code: words → GRU in both directions → word attention.

    H = 2 · hidden: of the states h_t of the GRU α = softmax_t tanh(h_t) · q, the sentence's vector is
    Σ_t α_t h_t. Aggregator 'query' is its sentence attention. Option `dropout` is of the GRU's states; there
    is none before the linear layer.

    RESIDE (Vashishth et al. 2018) without its graph convolution, which needs dependency parses, is BGWA with
    side information, options `types` and `aliases`; H is larger. In the original the types join the bag's
    vector, here each sentence's: the same, as the attention sums to 1 and they are equal within a bag.

    >>> Bgwa(["NA", "a"], hidden=3).classifier.in_features
    6
    >>> model = Bgwa(["NA", "a"], hidden=3, types={"Q1": ["person"]}, aliases={"a": ["born in"]})
    >>> model.classifier.in_features
    138
    """

    fills: ClassVar[dict[str, float]] = {"types": 0.0, "aliases": 0.0}

    def make_encoder(
        self,
        width: int,
        hidden: int = 192,
        types: Names | None = None,
        aliases: Names | None = None,
        type_size: int = 50,
        alias_size: int = 32,
    ) -> int:
        """
        hidden : width of the GRU in one direction.
        types : entity identifier → names of its types. A bag's vectors get the mean of the type vectors of
            the head, and that of the tail; zero for an entity without types.
        aliases : relation → phrases that express it. A sentence's vector gets the mean of the vectors of the
            relations whose aliases stand between its entities (`_alias_matches`); zero if there are none.
        type_size, alias_size : widths of those vectors.
        """
        for name, given in (("types", types), ("aliases", aliases)):
            if not isinstance(given or {}, Mapping):
                raise ValueError(f"{name} is {given!r}; it must map each name to its {name}")
        self.types, self.aliases = dict(types or {}), dict(aliases or {})
        self.kinds = sorted(set().union(*self.types.values()))
        self.states = nn.GRU(width, hidden, batch_first=True, bidirectional=True)
        self.word_query = _drawn(2 * hidden)
        if self.kinds:
            self.type_vectors = _drawn(len(self.kinds), type_size)
        if self.aliases:
            self.alias_vectors = _drawn(len(self.aliases), alias_size)
        return 2 * hidden + 2 * type_size * bool(self.kinds) + alias_size * bool(self.aliases)

    def extra(self, bag: Bag, sample: RelationSample) -> dict[str, list]:
        """`types` (2, types) and `aliases` (relations,): shares that sum to 1 where there are any."""
        side: dict[str, list] = {}
        if self.kinds:
            names = [set(self.types.get(entity, ())) for entity in (bag.head, bag.tail)]
            side["types"] = [_shares([kind in own for kind in self.kinds]) for own in names]
        if self.aliases:
            side["aliases"] = _shares(_alias_matches(sample, self.aliases))
        return side

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (B, L) for training, without dropout before the linear layer."""
        return self.classifier(self._bag_vectors(self.vectors(batch), batch))

    def vectors(self, batch: Batch) -> torch.Tensor:
        """(S, H)."""
        inside = batch.ids != PAD
        states = recurrent_states(self.states, self.embed(batch), batch.lengths)
        states, inside = self.dropout(states), inside[:, : states.shape[1]]
        worth = (torch.tanh(states) @ self.word_query).masked_fill(~inside, -torch.inf)
        parts = [(torch.softmax(worth, dim=1)[:, None] @ states)[:, 0]]
        if self.aliases:
            parts.append(batch.extra["aliases"] @ self.alias_vectors)
        if self.kinds:
            parts.append((batch.extra["types"] @ self.type_vectors).flatten(1))
        return torch.cat(parts, dim=1)


def _drawn(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(*shape) / shape[-1] ** 0.5)


def recurrent_states(layer: nn.RNNBase, vectors: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """(S, T', states) of a recurrent layer over the first words of each sentence (S, T, width), so many as
    `lengths` (S,) says; T' is the most of them."""
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(layer(packed)[0], batch_first=True)[0]


def _shares(present: Sequence[bool]) -> list[float]:
    """1 / (how many are present) for each that is."""
    return [float(flag) / max(sum(present), 1) for flag in present]


def _alias_matches(sample: RelationSample, aliases: Names) -> list[bool]:
    """Of which relations an alias stands between the two entities: at least `_OVERLAP` of its words do.

    RESIDE compares the mean word vectors of aliases (widened by a paraphrase database) and of phrases on the
    dependency path; there is no parser here, so all words in between are taken, and equal words counted.

    >>> sample = RelationSample("1", "Ada was born in the city of London", (0, 3), (28, 34), "NA")
    >>> _alias_matches(sample, {"birth": ["born in", "native of"], "death": ["died in"]})
    [True, False]
    """
    (_, start), (end, _) = sorted((sample.head, sample.tail))
    between = set(words_of(sample.text[start:end]))

    def stands_there(phrase: str) -> bool:
        words = set(words_of(phrase))
        return bool(words) and len(words & between) >= _OVERLAP * len(words)

    return [any(map(stands_there, phrases)) for phrases in aliases.values()]
