"""Sentence encoders on word vectors, before BERT: CNN and PCNN; BGWA and RESIDE.

S sentences of T words. As OpenNRE: words in lower case, an unknown one counts as UNK; at most `max_length`
words, what comes after is cut off. Unlike there, a punctuation mark at the end of a word is a word of its own
(OpenNRE reads text that is tokenised already), and the vector of PAD stays zero.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from ..data import Bag, RelationSample
from .bags import Aggregator, BagClassifier, SentenceEncoder, without_entities
from .network import Batch, Example, tokenize_marked
from .settings import Settings
from .word_vectors import PAD, SCRATCH, UNK, WordVectors, words_of

Names = Mapping[str, Sequence[str]]
_OVERLAP = 0.65
"""A relation's alias is found between two entities if so large a share of its words stands there."""
_OUTSIDE = -100.0  # what OpenNRE adds to the positions outside of a segment
_NO_LIMIT = 2**31


class _WordEncoder(SentenceEncoder):
    """Word vectors and two position embeddings; a subclass makes a sentence's vector of them.

    The position of word i from an entity that starts at s is looked up in row min(i − s + L, 2L − 1) of a
    table with 2L rows, L = `max_length`; row 0 is for padding and zero. A lost entity starts at L.

    Two PAD words stand behind a sentence, as far as `max_length` allows: the first sees its last word, the
    second nothing but zeros. So what a convolution of width 3 gives is that of padding up to `max_length`
    (as OpenNRE does), whatever other sentences are in the batch.

    Parameters
    ----------
    vectors : 'scratch', 'encoder', or a file, all words of it; see `WordVectors`. They are learnt on.
    masked : each entity is one UNK. word_size : width of the vectors from scratch. position_size : of each
        position embedding. layers : of the subclass, see its `make_layers`.
    """

    padding = PAD

    def __init__(
        self,
        max_length: int,
        masked: bool = False,
        vectors: str = SCRATCH,
        word_size: int = 50,
        position_size: int = 5,
        **layers: Any,
    ) -> None:
        super().__init__()
        self.max_length, self.masked = max_length, masked
        words = WordVectors(vectors, word_size, whole=True)
        self.width = words.width + 2 * position_size
        tables = [nn.Embedding(2 * max_length, position_size, padding_idx=0) for _ in range(2)]
        self.positions = nn.ModuleList(tables)
        self.make_layers(**layers)
        self.words = words  # last: sums over all parameters are in the order of the stored runs

    def make_layers(self, **layers: Any) -> None:
        """What stands on the word vectors, of width `width`; sets `size`."""
        raise NotImplementedError

    def prepare(self, bags: Sequence[Bag], seed: int, precision: str) -> None:
        """The vocabulary and its vectors, drawn from `seed`; a model that has them keeps them."""
        samples = self._unmasked([sample for bag in bags for sample in bag.samples])
        self.words.prepare((words_of(sample.text) for sample in samples), seed)

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
        padding = [PAD] * min(2, max(self.max_length - len(ids), 0))
        places = tuple(min(marks[which], self.max_length) for which in (0, 2))
        cut = max(len(ids) - self.max_length, 0)
        return Example(ids[: self.max_length] + padding, places, 0, cut=cut)

    def embed(self, batch: Batch) -> torch.Tensor:
        """(S, T, width): the word's vector, and where it stands from head and tail."""
        position, inside = torch.arange(batch.ids.shape[1], device=batch.ids.device), batch.ids != PAD
        rows = position[None, :, None] - batch.places[:, None, :] + self.max_length  # (S, T, 2)
        rows = rows.clamp(max=2 * self.max_length - 1) * inside[:, :, None]
        places = [table(rows[:, :, which]) for which, table in enumerate(self.positions)]
        return torch.cat([self.words(batch.ids), *places], dim=2)


class _ConvolutionEncoder(_WordEncoder):
    """Convolution over three words, then the maximum over all positions or over three segments.

    CNN (Zeng et al. 2014), H = filters: max_t ReLU(c_t) over all positions, padding among them: that is
    position n, which sees the last word, and beyond it ReLU(bias). PCNN (Zeng et al. 2015), H = 3 · filters:
    the maximum over each segment of ReLU(c_t), 0 for an empty one; the segments end with the first word of
    the first entity, with the first word of the second, and with the sentence. Then dropout.
    """

    def make_layers(self, segments: int = 1, filters: int = 230, dropout: float = 0.5) -> None:
        """segments : 1 (CNN) or 3 (PCNN). filters : 230 in the papers. dropout : of the vector."""
        self.segments, self.size = segments, segments * filters
        self.convolution = nn.Conv1d(self.width, filters, kernel_size=3, padding=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Batch) -> torch.Tensor:
        """(S, H)."""
        convolved = self.convolution(self.embed(batch).transpose(1, 2))  # (S, filters, T)
        if self.segments == 1:
            return self.dropout(torch.relu(convolved).amax(dim=2))
        position = torch.arange(batch.ids.shape[1], device=batch.ids.device)
        segment = (position[None, :, None] > batch.places[:, None, :]).sum(dim=2)
        segment = segment.masked_fill(batch.ids == PAD, -1)[:, None]
        parts = [convolved + _OUTSIDE * (segment != part) for part in range(3)]
        return self.dropout(torch.cat([torch.relu(part).amax(dim=2) for part in parts], dim=1))


class _RecurrentEncoder(_WordEncoder):
    """Words → GRU in both directions → word attention, H = 2 · hidden; with side information H is larger.

    Word attention, from the states h_t of the GRU in both directions: α = softmax_t tanh(h_t) · q, the
    sentence's vector is Σ_t α_t h_t.
    """

    fills: ClassVar[dict[str, float]] = {"types": 0.0, "aliases": 0.0}

    def make_layers(
        self,
        hidden: int = 192,
        dropout: float = 0.2,
        types: Names | None = None,
        aliases: Names | None = None,
        type_size: int = 50,
        alias_size: int = 32,
    ) -> None:
        """
        hidden : width of the GRU in one direction. dropout : of its states.
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
        self.states = nn.GRU(self.width, hidden, batch_first=True, bidirectional=True)
        self.dropout = nn.Dropout(dropout)
        self.query = _drawn(2 * hidden)
        self.size = 2 * hidden
        if self.kinds:
            self.type_vectors = _drawn(len(self.kinds), type_size)
            self.size += 2 * type_size
        if self.aliases:
            self.alias_vectors = _drawn(len(self.aliases), alias_size)
            self.size += alias_size

    def extra(self, bag: Bag, sample: RelationSample) -> dict[str, list]:
        """`types` (2, types) and `aliases` (relations,): shares that sum to 1 where there are any."""
        side: dict[str, list] = {}
        if self.kinds:
            names = [set(self.types.get(entity, ())) for entity in (bag.head, bag.tail)]
            side["types"] = [_shares([kind in own for kind in self.kinds]) for own in names]
        if self.aliases:
            matching = _alias_matches(sample, self.aliases)
            side["aliases"] = _shares([relation in matching for relation in self.aliases])
        return side

    def forward(self, batch: Batch) -> torch.Tensor:
        """(S, H)."""
        inside = batch.ids != PAD
        states = recurrent_states(self.states, self.embed(batch), inside)
        states, inside = self.dropout(states), inside[:, : states.shape[1]]
        worth = (torch.tanh(states) @ self.query).masked_fill(~inside, -torch.inf)
        parts = [(torch.softmax(worth, dim=1)[:, None] @ states)[:, 0]]
        if self.aliases:
            parts.append(batch.extra["aliases"] @ self.alias_vectors)
        if self.kinds:
            parts.append((batch.extra["types"] @ self.type_vectors).flatten(1))
        return torch.cat(parts, dim=1)


def _drawn(*shape: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(*shape) / shape[-1] ** 0.5)


def recurrent_states(layer: nn.RNNBase, vectors: torch.Tensor, inside: torch.Tensor) -> torch.Tensor:
    """(S, T', states) of a recurrent layer over the words (S, T, width) that are `inside` (S, T); they stand
    first, T' is the most of them."""
    lengths = inside.sum(dim=1).cpu()
    packed = pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(layer(packed)[0], batch_first=True)[0]


def _shares(present: Sequence[bool]) -> list[float]:
    """1 / (how many are present) for each that is."""
    return [float(flag) / max(sum(present), 1) for flag in present]


def _alias_matches(sample: RelationSample, aliases: Names) -> list[str]:
    """The relations of which an alias stands between the two entities: at least `_OVERLAP` of its words do.

    RESIDE compares the mean word vectors of aliases (widened by a paraphrase database) and of phrases on the
    dependency path; there is no parser here, so all words in between are taken, and equal words counted.

    >>> sample = RelationSample("1", "Ada was born in the city of London", (0, 3), (28, 34), "NA")
    >>> _alias_matches(sample, {"birth": ["born in", "native of"], "death": ["died in"]})
    ['birth']
    """
    (_, start), (end, _) = sorted((sample.head, sample.tail))
    between = set(words_of(sample.text[start:end]))

    def stands_there(phrase: str) -> bool:
        words = set(words_of(phrase))
        return bool(words) and len(words & between) >= _OVERLAP * len(words)

    return [relation for relation, phrases in aliases.items() if any(map(stands_there, phrases))]


class Cnn(BagClassifier):
    """CNN: `_ConvolutionEncoder` under a `BagClassifier`; takes bags, and samples as bags of one.

    Option `dropout` twice: of the sentence's vector, before the linear layer. layers : of the encoder.

    >>> samples = [RelationSample(word, f"{word} or not", (0, 1), (5, 8), word) for word in ("a", "b")]
    >>> from helpers.models import build
    >>> model = build("cnn", "", ["a", "b"], None, seed=9, filters=4)
    >>> history = model.fit(samples, progress=False)
    >>> model.scores(samples, progress=False).shape
    (2, 2)
    """

    kind: ClassVar[type[_WordEncoder]] = _ConvolutionEncoder
    fixed: ClassVar[dict[str, Any]] = {"segments": 1}
    """What the encoder is given beside its options."""
    dropout_before_layer = True

    def __init__(
        self,
        labels: Sequence[str],
        max_length: int = 128,
        dropout: float = 0.5,
        training: Literal["sentence", "bag"] = "sentence",
        aggregator: Aggregator = "avg",
        bag_size: int = 0,
        **layers: Any,
    ) -> None:
        encoder = self.kind(max_length, dropout=dropout, **self.fixed, **layers)
        before = dropout if self.dropout_before_layer else 0.0
        super().__init__(encoder, labels, training, aggregator, bag_size, before)

    @classmethod
    def new(cls, labels: Sequence[str], settings: Settings, *_: Any, **options: Any) -> Cnn:
        """Of sentences as long as the settings say."""
        return cls(labels, settings.max_length, **options)


class Pcnn(Cnn):
    """PCNN: as `Cnn`, with the maximum over three segments.

    >>> Pcnn(["a", "b"], filters=4).encoder.size
    12
    """

    fixed = {"segments": 3}


class Bgwa(Cnn):
    """BGWA (Jat et al. 2018), as in RESIDE's code: `_RecurrentEncoder`; aggregator 'query' is its sentence
    attention. Option `dropout` is of the GRU's states; there is none before the linear layer.

    RESIDE (Vashishth et al. 2018) without its graph convolution, which needs dependency parses, is BGWA with
    side information, options `types` and `aliases`. In the original the types join the bag's vector, here
    each sentence's: the same, as the attention sums to 1 and they are equal within a bag.

    >>> Bgwa(["NA", "a"], hidden=3).encoder.size
    6
    >>> Bgwa(["NA", "a"], hidden=3, types={"Q1": ["person"]}, aliases={"a": ["born in"]}).encoder.size
    138
    """

    kind, fixed, dropout_before_layer = _RecurrentEncoder, {}, False
