"""Vectors of the words of tokenised sentences: from scratch, of a file such as GloVe's, of an encoder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import torch
from torch import nn
from torch.nn import functional

from .convolution import OFTEN, PAD, SCRATCH, UNK, Vocabulary, read_vectors, spelled, unspelled
from .encoder import load_encoder

ENCODER, CONTEXTUAL = "encoder", "contextual"
TOGETHER = 64
"""Sentences that the encoder reads at a time."""


class WordVectors(nn.Module):
    """A vector for each word, which is looked up in lower case (in a file first as it is written).

    Sources, W the words that it has a vector for:

    * 'scratch': W the training words that occur `OFTEN` times, uniform in ±1; others are UNK.
    * a file (`read_vectors`): W the training words that it has, with its vectors; others are UNK, as in the
      code of C-GCN, which so cannot profit from vectors of words met in the test only.
    * 'encoder': every word, the mean of the embedded encoder's word-piece vectors, which know no context,
      with mean 0 and variance 1 in each dimension; words that were not in training too.
    * 'contextual': no vector of a word by itself: the mean of its pieces' hidden states in the encoder's last
      layer, whose weights are frozen (`states`).

    Parameters
    ----------
    source : one of these. size : width, for 'scratch'. tuned : whether the vectors of W are learnt on.

    >>> vectors = WordVectors("scratch", size=3)
    >>> vectors.prepare([["Fire", "and"], ["fire"]], seed=9)
    >>> vectors.ids(["fire", "Fire", "and"]), vectors.width, vectors(torch.tensor([[2, 0]])).shape
    ([2, 2, 1], 3, torch.Size([1, 2, 3]))
    """

    def __init__(self, source: str = SCRATCH, size: int = 300, tuned: bool = True) -> None:
        super().__init__()
        self.source, self.width, self.tuned = str(source), size, tuned
        self.vocabulary: Vocabulary | None = None
        self._pieces: tuple | None = None
        self.register_buffer("later", torch.empty(0, size), persistent=False)

    def prepare(self, sentences: Iterable[Sequence[str]], seed: int, always: Iterable[str] = ()) -> None:
        """Vocabulary and vectors from the training sentences; what is drawn comes from `seed`.

        always : words that are in the vocabulary however rare.
        """
        counts, always = Counter(word for words in sentences for word in words), set(always)
        drawn = torch.Generator().manual_seed(seed)
        self._load_encoder()
        if self.source == SCRATCH:
            lower: Counter[str] = Counter()
            for word, count in counts.items():
                lower[self._key(word, always)] += count
            table = self._begin({word for word, n in lower.items() if n >= OFTEN} | always, drawn)
        elif self.source == CONTEXTUAL:
            self.vocabulary = Vocabulary(())
            return
        elif self.source == ENCODER:
            words = {self._key(word, always) for word in counts} | always
            table = self._begin(words, drawn)
            table[2:] = self._means(list(self.vocabulary.ids))
        else:
            names, values = read_vectors(self.source)
            rows, self.width = {name: row for row, name in enumerate(names)}, values.shape[1]
            known = {next((one for one in (word, word.lower()) if one in rows), "") for word in counts}
            table = self._begin((known - {""}) | always, drawn)
            own = [word for word in self.vocabulary.ids if word in rows]
            table[[self.vocabulary.ids[word] for word in own]] = torch.from_numpy(
                values[[rows[word] for word in own]]
            )
        table[PAD] = 0
        self._put(table)

    def _put(self, table: torch.Tensor) -> None:
        self.words = nn.Embedding.from_pretrained(table, freeze=not self.tuned, padding_idx=PAD)
        self.register_buffer("spelling", spelled(list(self.vocabulary.ids)))

    def take(self, weights: Mapping[str, torch.Tensor], prefix: str) -> None:
        """Vocabulary and width of the weights of a trained model, whose names begin with `prefix`.

        Raises ValueError if they are of other vectors.
        """
        spelling, table = (weights.get(f"{prefix}{name}") for name in ("spelling", "words.weight"))
        if (table is None or spelling is None) != (self.source == CONTEXTUAL):
            raise ValueError(f"these are no weights of a model whose vectors are {self.source}")
        self._load_encoder()
        self.vocabulary = Vocabulary(() if spelling is None else unspelled(spelling))
        if table is not None:
            self.width = table.shape[1]
            self.later = torch.empty(0, self.width)
            self._put(torch.zeros_like(table))

    def _load_encoder(self) -> None:
        """What the source needs of the embedded encoder."""
        if self.source == CONTEXTUAL:
            self._encoder = [load_encoder().eval()]  # in a list, so that it is no part of the model
            self.width = self._encoder[0].hidden_size
        elif self.source == ENCODER:
            encoder = load_encoder()
            weight = encoder.transformer.get_input_embeddings().weight.detach()
            weight = (weight - weight.mean(0)) / weight.std(0)
            self._pieces, self.width = (encoder.tokenizer, weight), weight.shape[1]
            self.later = torch.empty(0, self.width)

    def _begin(self, words: Iterable[str], drawn: torch.Generator) -> torch.Tensor:
        """The vocabulary, and a first table, uniform in ±1."""
        self.vocabulary = Vocabulary(sorted(words))
        return torch.rand(len(self.vocabulary), self.width, generator=drawn) * 2 - 1

    @staticmethod
    def _key(word: str, kept: Iterable[str]) -> str:
        return word if word in kept else word.lower()

    def _means(self, words: Sequence[str]) -> torch.Tensor:
        """(words, width): the mean of each word's piece vectors."""
        if not words:
            return torch.empty(0, self.width)
        tokenizer, weight = self._pieces
        pieces = tokenizer(list(words), add_special_tokens=False, verbose=False)["input_ids"]
        pieces = [one or [tokenizer.unk_token_id] for one in pieces]
        starts = torch.tensor([0, *map(len, pieces[:-1])]).cumsum(0)
        flat = torch.tensor([piece for one in pieces for piece in one])
        return functional.embedding_bag(flat, weight, starts, mode="mean")

    def ids(self, words: Sequence[str]) -> list[int]:
        """The id of each word, UNK where there is no vector.

        Raises ValueError before `prepare`.
        """
        if self.vocabulary is None:
            raise ValueError("the model has no vocabulary before it is trained")
        known = self.vocabulary.ids
        keys = [self._key(word, known) for word in words]
        if self._pieces:
            new = [word for word in dict.fromkeys(keys) if word not in known]
            known |= {word: len(self.vocabulary) + place for place, word in enumerate(new)}
            self.later = torch.cat([self.later, self._means(new).to(self.later.device)])
        return [known.get(word, UNK) for word in keys]

    def states(self, sentences: Sequence[Sequence[str]]) -> list[torch.Tensor]:
        """(T, width) of each sentence, half precision: of each word the mean of its pieces' hidden states.

        Words that the encoder cannot take any more, as the sentence is too long, have zeros.
        """
        encoder, found = self._encoder[0], []
        for start in range(0, len(sentences), TOGETHER):
            part = [list(words) for words in sentences[start : start + TOGETHER]]
            options = {"is_split_into_words": True, "padding": True, "truncation": True, "verbose": False}
            tokens = encoder.tokenizer(part, max_length=encoder.longest, return_tensors="pt", **options)
            with torch.inference_mode():
                hidden = encoder.transformer(**tokens).last_hidden_state
            for row, words in enumerate(part):
                of_word = torch.tensor([len(words) if one is None else one for one in tokens.word_ids(row)])
                sums = torch.zeros(len(words) + 1, self.width).index_add_(0, of_word, hidden[row])
                counts = torch.bincount(of_word, minlength=len(words) + 1).clamp(min=1)
                found.append((sums / counts[:, None])[:-1].half())
        return found

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(…, width)."""
        size = self.words.num_embeddings
        if not len(self.later) or not (ids >= size).any():
            return self.words(ids)
        beyond = functional.embedding((ids - size).clamp(min=0), self.later)
        return torch.where((ids < size)[..., None], self.words(ids.clamp(max=size - 1)), beyond)
