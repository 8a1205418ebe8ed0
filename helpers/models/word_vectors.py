"""Words, and their vectors: from scratch, of a file such as GloVe's, of the embedded encoder."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from ..core import naming_file
from .encoder import load_encoder

PAD, UNK = 0, 1
SCRATCH, ENCODER = "scratch", "encoder"
OFTEN = 2
"""Of the training text a word is in the vocabulary if it occurs so often; from the others UNK is learnt."""
_WORD = re.compile(r"\w(?:\S*\w)?|[^\w\s]")


def words_of(text: str) -> list[str]:
    """The words of a text in lower case; punctuation marks around a word are words, those within are not.

    >>> words_of("Ada (b. 1815) didn't stay.")
    ['ada', '(', 'b', '.', '1815', ')', "didn't", 'stay', '.']
    """
    return _WORD.findall(text.lower())


def spelled(names: Any) -> torch.Tensor:
    """A JSON value as bytes, so that words and tags lie among the weights that belong to them."""
    return torch.tensor(list(json.dumps(names).encode()), dtype=torch.uint8)


def bring_names(module: nn.Module, name: str, take: Callable[[Any, Any], None]) -> None:
    """Weights bring the names in this buffer with them, so that a new model can read those of a trained one:
    before others are loaded, `take(module, names)` makes room for what belongs to them."""

    def before_loading(own: nn.Module, weights: Mapping[str, torch.Tensor], prefix: str, *_: object) -> None:
        spelling, known = weights.get(prefix + name), getattr(own, name, torch.empty(0))
        if spelling is not None and not torch.equal(known, spelling.to(known.device)):
            take(own, json.loads(spelling.cpu().numpy().tobytes()))

    module.register_load_state_dict_pre_hook(before_loading)


def _read_vectors(path: Path | str) -> tuple[list[str], np.ndarray]:
    """Words and their vectors (words, width) from a text file as GloVe has: a word, then its numbers.

    Raises FileNotFoundError; ValueError with the line whose numbers are not as many as in the first, or are
    none at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "v.txt")
    ...     _ = file.write_text("fire 1 2\\npanic 3 4\\n")
    ...     _read_vectors(file)[1].tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    words, rows = [], []
    with naming_file(path), open(path, encoding="utf-8") as file:
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


class WordVectors(nn.Module):
    """A vector for each word, which is looked up in lower case (in a file first as it is written).

    Sources, W the words that it has a vector for; PAD's is zero, UNK's uniform in ±1:

    * 'scratch': W the training words that occur `OFTEN` times, uniform in ±1; others are UNK.
    * a file (`_read_vectors`): W all words of it if `whole`, as in OpenNRE, else the training words that it
      has, as in the code of C-GCN, which so cannot profit from vectors of words met in the test only.
    * 'encoder': every word, the mean of the embedded encoder's word-piece vectors, which know no context,
      with mean 0 and variance 1 in each dimension; words that were not in training too.

    Parameters
    ----------
    source : one of these. size : width, for 'scratch'. tuned : whether the vectors of W are learnt on.
    whole : see above.

    Attributes
    ----------
    known : word → id, from 2 on (`PAD`, `UNK`); None before `prepare`. width : of a vector.

    >>> vectors = WordVectors("scratch", size=3)
    >>> vectors.prepare([["Fire", "and"], ["fire"]], seed=9)
    >>> vectors.ids(["fire", "Fire", "and"]), vectors.width, vectors(torch.tensor([[2, 0]])).shape
    ([2, 2, 1], 3, torch.Size([1, 2, 3]))
    """

    def __init__(
        self, source: str = SCRATCH, size: int = 300, tuned: bool = True, whole: bool = False
    ) -> None:
        super().__init__()
        self.source, self.width, self.tuned, self.whole = str(source), size, tuned, whole
        self.known: dict[str, int] | None = None
        self._pieces = self._file = None
        if self.source == ENCODER:
            encoder = load_encoder()
            weight = encoder.word_embedding.detach()
            self._pieces = encoder.tokenizer, (weight - weight.mean(0)) / weight.std(0)
            self.width = weight.shape[1]
        elif self.source != SCRATCH:
            names, values = _read_vectors(self.source)
            self._file = {name: row for row, name in enumerate(names)}, values
            self.width = values.shape[1]
        self.register_buffer("later", torch.empty(0, self.width), persistent=False)
        bring_names(self, "spelling", WordVectors._put)

    def prepare(self, sentences: Iterable[Sequence[str]], seed: int, always: Iterable[str] = ()) -> None:
        """Vocabulary and vectors from the training sentences, drawn from `seed`; a model that has them keeps
        them. always : words that are in the vocabulary however rare."""
        if self.known is not None:
            return
        counts, always = Counter(word for words in sentences for word in words), set(always)
        if self._file:
            rows, values = self._file
            chosen = {next((form for form in (word, word.lower()) if form in rows), "") for word in counts}
            chosen |= set(rows) if self.whole else set()
        else:
            lower: Counter[str] = Counter()
            for word, count in counts.items():
                lower[word if word in always else word.lower()] += count
            chosen = {word for word, count in lower.items() if count >= OFTEN or self.source == ENCODER}
        words = sorted((chosen - {""}) | always)
        drawn = torch.Generator().manual_seed(seed)
        table = torch.rand(len(words) + 2, self.width, generator=drawn) * 2 - 1
        if self._file:
            own = {number: rows[word] for number, word in enumerate(words, start=2) if word in rows}
            table[[*own]] = torch.from_numpy(values[[*own.values()]])
        elif self._pieces:
            table[2:] = self._means(words)
        table[PAD] = 0
        self._put(words, table)

    def _put(self, words: Sequence[str], table: torch.Tensor | None = None) -> None:
        table, device = torch.zeros(len(words) + 2, self.width) if table is None else table, self.later.device
        self.known = {word: number for number, word in enumerate(words, start=2)}
        self.words = nn.Embedding.from_pretrained(table.to(device), freeze=not self.tuned, padding_idx=PAD)
        self.register_buffer("spelling", spelled(list(words)).to(device))
        self.later = self.later[:0]

    def _means(self, words: Sequence[str]) -> torch.Tensor:
        """(words, width): the mean of each word's piece vectors."""
        if not words:
            return torch.empty(0, self.width)
        tokenizer, weight = self._pieces
        pieces = tokenizer(list(words), add_special_tokens=False, verbose=False)["input_ids"]
        pieces = [ids or [tokenizer.unk_token_id] for ids in pieces]
        starts = torch.tensor([0, *map(len, pieces[:-1])]).cumsum(0)
        flat = torch.tensor([piece for ids in pieces for piece in ids])
        return functional.embedding_bag(flat, weight, starts, mode="mean")

    def ids(self, words: Sequence[str]) -> list[int]:
        """The id of each word, UNK where there is no vector. Raises ValueError before `prepare`."""
        if self.known is None:
            raise ValueError("the model has no vocabulary before it is trained")
        keys = [word if word in self.known else word.lower() for word in words]
        new = [word for word in dict.fromkeys(keys) if word not in self.known] if self._pieces else []
        if new:
            self.known |= {word: len(self.known) + number for number, word in enumerate(new, start=2)}
            self.later = torch.cat([self.later, self._means(new).to(self.later.device)])
        return [self.known.get(word, UNK) for word in keys]

    def tokenize(self, texts: Sequence[str], **_: object) -> dict[str, list[list[int]]]:
        """Lists of ids of each text's words under 'input_ids', as a tokenizer gives them."""
        return {"input_ids": [self.ids(words_of(text)) for text in texts]}

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """(…, width)."""
        size = self.words.num_embeddings
        if not len(self.later):
            return self.words(ids)
        beyond = functional.embedding((ids - size).clamp(min=0), self.later)
        return torch.where((ids < size)[..., None], self.words(ids.clamp(max=size - 1)), beyond)
