"""CNN and PCNN on word vectors: the sentence encoders of distant supervision before BERT.

S sentences of T words. As OpenNRE: words in lower case, an unknown one counts as UNK; at most `max_length`
words, what comes after is cut off. Unlike there, a punctuation mark at the end of a word is a word of its own
(OpenNRE reads text that is tokenised already), and the vector of PAD stays zero.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from ..data import Bag, RelationSample
from .bags import Aggregator, BagClassifier, SentenceEncoder, Training, without_entities
from .base import NO_ENCODER
from .inputs import Batch, Example, tokenize_marked

PAD, UNK = 0, 1
SCRATCH = "scratch"
OFTEN = 2
"""Of the training text a word is in the vocabulary if it occurs so often; from the others UNK is learnt."""
_WORD = re.compile(r"\w(?:\S*\w)?|[^\w\s]")
_OUTSIDE = -100.0  # what OpenNRE adds to the positions outside of a segment
_NO_LIMIT = 2**31


class Vocabulary:
    """Words and their ids; ids 0 and 1 are PAD and UNK. Called as a tokenizer is.

    >>> vocabulary = Vocabulary(["fire", "panic"])
    >>> vocabulary(["Fire, then panic."])["input_ids"]
    [[2, 1, 1, 3, 1]]
    """

    def __init__(self, words: Iterable[str]) -> None:
        self.ids = {word: place for place, word in enumerate(words, start=2)}

    def __call__(self, texts: Sequence[str], **_: object) -> dict[str, list[list[int]]]:
        """Lists of ids under 'input_ids'."""
        return {"input_ids": [[self.ids.get(word, UNK) for word in words_of(text)] for text in texts]}

    def __len__(self) -> int:
        return len(self.ids) + 2


def spelled(names: Any) -> torch.Tensor:
    """A JSON value as bytes, so that words and tags lie among the weights that belong to them.

    >>> unspelled(spelled(["fire"]))
    ['fire']
    """
    return torch.tensor(list(json.dumps(names).encode()), dtype=torch.uint8)


def unspelled(spelling: torch.Tensor) -> Any:
    """The value that `spelled` was given."""
    return json.loads(spelling.cpu().numpy().tobytes())


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; punctuation marks around a word are words, those within are not.

    >>> words_of("Ada (b. 1815) didn't stay.")
    ['ada', '(', 'b', '.', '1815', ')', "didn't", 'stay', '.']
    """
    return _WORD.findall(text.lower())


def read_vectors(path: Path | str) -> tuple[list[str], np.ndarray]:
    """Words and their vectors (words, width) from a text file as GloVe has: a word, then its numbers.

    Raises FileNotFoundError; ValueError with the line whose numbers are not as many as in the first, or are
    none at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "v.txt")
    ...     _ = file.write_text("fire 1 2\\npanic 3 4\\n")
    ...     read_vectors(file)[1].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    words, rows = [], []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            word, *values = line.rstrip().split(" ")
            try:
                rows.append(np.array(values, dtype=np.float32))
            except ValueError:
                raise ValueError(f"{path}, line {number}: not a word with its numbers") from None
            if not values or len(values) != len(rows[0]):
                raise ValueError(
                    f"{path}, line {number}: {len(values)} numbers, the first has {len(rows[0])}"
                )
            words.append(word)
    if not words:
        raise ValueError(f"{path} is empty")
    return words, np.stack(rows)


class WordEncoder(SentenceEncoder):
    """Word vectors and two position embeddings; a subclass makes a sentence's vector of them.

    The position of word i from an entity that starts at s is looked up in row min(i − s + L, 2L − 1) of a
    table with 2L rows, L = `max_length`; row 0 is for padding and zero. A lost entity starts at L.

    Two PAD words stand behind a sentence, as far as `max_length` allows: the first sees its last word, the
    second nothing but zeros. So what a convolution of width 3 gives is that of padding up to `max_length`
    (as OpenNRE does), whatever other sentences are in the batch.

    Parameters
    ----------
    vectors : 'scratch' (uniform in ±1, words that occur `OFTEN` times in the training text) or a file, see
        `read_vectors`: all words of it, UNK random / √width. Both are learnt on.
    masked : each entity is one UNK. word_size : width of the vectors from scratch. position_size : of each
        position embedding.
    """

    padding = PAD

    def __init__(
        self,
        max_length: int,
        masked: bool = False,
        vectors: str = SCRATCH,
        word_size: int = 50,
        position_size: int = 5,
    ) -> None:
        super().__init__()
        self.max_length, self.masked, self.source = max_length, masked, str(vectors)
        self.given = None if self.source == SCRATCH else read_vectors(self.source)
        self.word_size = word_size if self.given is None else self.given[1].shape[1]
        self.width = self.word_size + 2 * position_size
        self.positions = nn.ModuleList(
            nn.Embedding(2 * max_length, position_size, padding_idx=0) for _ in range(2)
        )
        self.vocabulary: Vocabulary | None = None
        self.register_load_state_dict_pre_hook(_take_vocabulary)

    def prepare(self, bags: Sequence[Bag], seed: int, precision: str) -> None:
        """The vocabulary and its vectors, drawn from `seed`; a model that has them keeps them."""
        if self.vocabulary is not None:
            return
        drawn = torch.Generator().manual_seed(seed)
        if self.given is None:
            samples = (sample for bag in bags for sample in bag.samples)
            counts = Counter(word for one in samples for word in words_of(self._text(one)))
            words = sorted(word for word, n in counts.items() if n >= OFTEN)
            table = torch.rand(len(words) + 2, self.word_size, generator=drawn) * 2 - 1
        else:
            words = self.given[0]
            table = torch.randn(2, self.word_size, generator=drawn) / self.word_size**0.5
            table = torch.cat([table, torch.from_numpy(self.given[1])])
        table[PAD] = 0
        self._put(words, table)

    def _put(self, words: Sequence[str], table: torch.Tensor) -> None:
        device = self.positions[0].weight.device
        self.vocabulary = Vocabulary(words)
        self.words = nn.Embedding.from_pretrained(table.to(device), freeze=False, padding_idx=PAD)
        self.register_buffer("spelling", spelled(list(words)).to(device))

    def _text(self, sample: RelationSample) -> str:
        return (without_entities(sample) if self.masked else sample).text

    def sentences(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Word ids; places are the first words of head and tail.

        Raises ValueError before the training, which makes the vocabulary.
        """
        if self.vocabulary is None:
            raise ValueError("the model has no vocabulary before it is trained")
        signs: list[list[int]] = [[], [], [], []]
        if self.masked:
            samples, signs = [without_entities(sample) for sample in samples], [[UNK], [], [UNK], []]
        marked = tokenize_marked(self.vocabulary, samples, signs, _NO_LIMIT)
        return [self._example(one.ids or [UNK], one.marks) for one in marked]

    def _example(self, ids: list[int], marks: Sequence[int]) -> Example:
        padding = [PAD] * min(2, max(self.max_length - len(ids), 0))
        places = tuple(min(marks[which], self.max_length) for which in (0, 2))
        cut = max(len(ids) - self.max_length, 0)
        return Example(ids[: self.max_length] + padding, places, 0, cut=cut)

    def embed(self, batch: Batch) -> torch.Tensor:
        """(S, T, width): the word's vector, and where it stands from head and tail."""
        at, inside = torch.arange(batch.ids.shape[1], device=batch.ids.device), batch.ids != PAD
        rows = at[None, :, None] - batch.places[:, None, :] + self.max_length  # (S, T, 2)
        rows = rows.clamp(max=2 * self.max_length - 1) * inside[:, :, None]
        places = [table(rows[:, :, which]) for which, table in enumerate(self.positions)]
        return torch.cat([self.words(batch.ids), *places], dim=2)


def _take_vocabulary(
    encoder: WordEncoder, weights: Mapping[str, torch.Tensor], prefix: str, *_: object
) -> None:
    """Weights bring their words with them, so that a new model can read those of a trained one."""
    spelling, table = (weights.get(f"{prefix}{name}") for name in ("spelling", "words.weight"))
    if spelling is not None and table is not None:
        words = unspelled(spelling)
        if encoder.vocabulary is None or [*encoder.vocabulary.ids] != words:
            encoder._put(words, torch.zeros_like(table))


class ConvolutionEncoder(WordEncoder):
    """Convolution over three words, then the maximum over all positions or over three segments.

    CNN (Zeng et al. 2014), H = filters: max_t ReLU(c_t) over all positions, padding among them: that is
    position n, which sees the last word, and beyond it ReLU(bias). PCNN (Zeng et al. 2015), H = 3 · filters:
    the maximum over each segment of ReLU(c_t), 0 for an empty one; the segments end with the first word of
    the first entity, with the first word of the second, and with the sentence. Then dropout.

    Parameters
    ----------
    segments : 1 (CNN) or 3 (PCNN). filters : 230 in the papers. dropout : of the vector. others : see
    `WordEncoder`.
    """

    def __init__(
        self, max_length: int, segments: int = 1, filters: int = 230, dropout: float = 0.5, **others: Any
    ) -> None:
        super().__init__(max_length, **others)
        self.segments, self.size = segments, segments * filters
        self.convolution = nn.Conv1d(self.width, filters, kernel_size=3, padding=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, batch: Batch) -> torch.Tensor:
        """(S, H)."""
        found = self.convolution(self.embed(batch).transpose(1, 2))  # (S, filters, T)
        if self.segments == 1:
            return self.dropout(torch.relu(found).amax(dim=2))
        at = torch.arange(batch.ids.shape[1], device=batch.ids.device)
        segment = (at[None, :, None] > batch.places[:, None, :]).sum(dim=2)
        segment = segment.masked_fill(batch.ids == PAD, -1)[:, None]
        parts = [found + _OUTSIDE * (segment != part) for part in range(3)]
        return self.dropout(torch.cat([torch.relu(part).amax(dim=2) for part in parts], dim=1))


class Cnn(BagClassifier):
    """CNN: `ConvolutionEncoder` under a `BagClassifier`; takes bags, and samples as bags of one.

    Parameters
    ----------
    dropout : twice: of the sentence's vector and before the linear layer. Others as in the two classes.

    >>> from helpers.data import RelationSample
    >>> samples = [RelationSample(word, f"{word} or not", (0, 1), (5, 8), word) for word in ("a", "b")]
    >>> model = Cnn.build(["a", "b"], seed=9, filters=4)
    >>> history = model.fit(samples, progress=False)
    >>> model.scores(samples, progress=False).shape
    (2, 2)
    """

    segments = 1
    encoder_name = NO_ENCODER

    def __init__(
        self,
        labels: Sequence[str],
        max_length: int = 128,
        training: Training = "sentence",
        aggregator: Aggregator = "avg",
        masked: bool = False,
        vectors: str = SCRATCH,
        bag_size: int = 0,
        filters: int = 230,
        word_size: int = 50,
        position_size: int = 5,
        dropout: float = 0.5,
    ) -> None:
        words = {"masked": masked, "vectors": vectors}
        words |= {"word_size": word_size, "position_size": position_size}
        encoder = ConvolutionEncoder(max_length, self.segments, filters, dropout, **words)
        super().__init__(encoder, labels, training, aggregator, bag_size, dropout)


class Pcnn(Cnn):
    """PCNN: as `Cnn`, with the maximum over three segments.

    >>> Pcnn(["a", "b"], filters=4).encoder.size
    12
    """

    segments = 3
