"""GCN and C-GCN: graph convolution over the pruned dependency tree (Zhang, Qi, Manning 2018).

n sentences of T words; the tree of each is cut to what stands around the path between its entities
(`helpers.data.pruned_heads`). What differs from the released code:

* Word vectors are those of the embedded encoder's word pieces, averaged to words and frozen, or drawn, unless
  a file is given; words are read in lower case unless the file has them as they are written.
* SemEval's stored trees have heads alone; part-of-speech and entity tags, which have vectors of 30, come with
  TACRED's JSON form and with text 'spacy', types to put in the entities' places with data that have them.
* AdamW with weight decay 0.01 (theirs: SGD without), batches of 32 (50), gradients cut at a norm of 1 (5), 20
  epochs (100). Settings 'zhang2018' have theirs.
* The rate falls as `Settings` says, not whenever a development score does not rise, and the last epoch
  counts, not the best on development data.
* A tree of one word is pooled over that word; there nothing is left, and the pooled vector is −10^12.
* Entities without a word, or of the same words, are allowed.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np
import torch
from torch import nn

from ..data import ParsedSample, pruned_heads
from .encoder import EMBEDDED_SHA256
from .inputs import Batch, Example
from .sentence_encoders import recurrent_states
from .training import NeuralModel
from .word_vectors import ENCODER, PAD, UNK, WordVectors, bring_names, spelled

Pooling = Literal["max", "avg", "sum"]
TAGS = ("pos", "ner")


def adjacency(heads: torch.Tensor) -> torch.Tensor:
    """(n, T, T) the undirected edges of trees: 1 where one word is the other's head, else 0.

    heads : (n, T) as `pruned_heads` gives them: from 1, 0 for the top word, −1 for all others.

    >>> adjacency(torch.tensor([[2, 0, -1]])).tolist()
    [[[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]]
    """
    places = torch.arange(1, heads.shape[1] + 1, device=heads.device)
    down = (heads[:, :, None] == places).float()
    return down + down.transpose(1, 2)


class GraphConvolution(nn.Module):
    """Layers of h' = ReLU((W(A·h) + W(h)) / (d + 1)), W(x) = W·x + b, d the number of a word's edges.

    Dropout stands between the layers. The bias counts twice, as in the released code.

    >>> layers = GraphConvolution(3, [2, 2], dropout=0.0)
    >>> layers(torch.ones(1, 4, 3), torch.zeros(1, 4, 4)).shape
    torch.Size([1, 4, 2])
    """

    def __init__(self, width: int, sizes: Sequence[int], dropout: float) -> None:
        super().__init__()
        pairs = zip([width, *sizes], sizes, strict=False)
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairs)
        self.dropout = nn.Dropout(dropout)

    def forward(self, vectors: torch.Tensor, edges: torch.Tensor) -> torch.Tensor:
        """(n, T, width) and (n, T, T) → (n, T, size of the last layer)."""
        scale = 1 / (edges.sum(dim=2, keepdim=True) + 1)
        for number, layer in enumerate(self.layers):
            joined = layer(edges @ vectors + vectors) + layer.bias
            vectors = torch.relu(joined * scale)
            if number + 1 < len(self.layers):
                vectors = self.dropout(vectors)
        return vectors


def _pooled(vectors: torch.Tensor, parts: torch.Tensor, pooling: Pooling = "max") -> torch.Tensor:
    """(n, P, H): the vectors (n, T, H) of the words of each of P parts (n, P, T, true or false) together.

    A part needs at least one word.

    >>> parts = torch.tensor([[[True, True, False]]])
    >>> [_pooled(torch.tensor([[[1.0], [3.0], [9.0]]]), parts, how).item() for how in ("max", "avg", "sum")]
    [3.0, 2.0, 4.0]
    """
    if pooling == "max":
        return vectors[:, None].masked_fill(~parts[..., None], -torch.inf).amax(dim=2)
    shares = parts.to(vectors.dtype)
    total = shares @ vectors
    return total / shares.sum(dim=2, keepdim=True) if pooling == "avg" else total


class Gcn(NeuralModel):
    """GCN: word vectors → graph convolution → pooling of tree, subject and object → layers → relations.

    C-GCN, with option `states`, has a bidirectional LSTM between word vectors and graph convolution.

    Takes `ParsedSample`s. The three pooled vectors are joined and go through `mlp_layers` of linear and ReLU;
    the loss is cross-entropy + `penalty` · ‖pooled vector of the tree‖².

    Parameters
    ----------
    options : all of those below; their defaults stand in the registry.
    distance : of the pruning, see `pruned_heads`: 0, 1, 2, …, inf (the subtree of the lowest common
        ancestor), −1 (the whole tree). pooling : 'max', 'avg' or 'sum', of all three.
    vectors : 'encoder', 'scratch', or a file; see `WordVectors`. tuned : whether they are
        learnt on. What is usual was found on held-out training data (results/studies/vectors).
    word_size : of vectors from scratch. tag_size : of part-of-speech and entity tags, if there are any.
    masked : each word of an entity is SUBJ or OBJ, with its type behind it if that is known (SUBJ-PERSON).
    layers, hidden : number and width of the graph layers. states : width of C-GCN's LSTM in one direction.
    mlp_layers : of width `hidden`. penalty : see above.
    input_dropout, dropout : of the input; of the LSTM's states and between the graph layers.
    word_dropout : share of words that are UNK in training.

    Raises ValueError for a distance that `pruned_heads` refuses, and for a sample without a tree.

    >>> spans, heads = ((0, 1), (2, 4), (5, 8)), (2, 0, 2)
    >>> samples = [ParsedSample(w, f"{w} or not", (0, 1), (5, 8), w, "", "", spans, heads) for w in "ab"]
    >>> from helpers.models import build
    >>> model = build("gcn", "", ["a", "b"], None, seed=9, vectors="scratch", word_size=4, hidden=3)
    >>> history = model.fit(samples, progress=False)
    >>> model.predict(samples, progress=False).shape
    (2,)
    """

    padding, fills = PAD, {"tree": -1, "tags": 0}

    def __init__(self, labels: Sequence[str], **options: Any) -> None:
        super().__init__()
        self.labels = tuple(labels)
        self.given, self.recurrent = SimpleNamespace(**options), "states" in options
        pruned_heads([0], [0], [0], self.given.distance)  # refuses a wrong distance
        self.words = WordVectors(self.given.vectors, self.given.word_size, self.given.tuned)
        if self.words.source == ENCODER:
            self.encoder_sha256 = EMBEDDED_SHA256  # `load_encoder` refuses other weights under this name
        self.tags: dict[str, dict[str, int]] = {}
        bring_names(self, "tag_names", Gcn._make_layers)

    def prepare(self, samples: Sequence[ParsedSample]) -> None:
        """Vocabulary, tags and all weights, drawn from `seed`; a model that has them keeps them."""
        if self.words.known is not None:
            return
        masks = {word for sample in samples for word in self._masks(sample)} if self.given.masked else ()
        self.words.prepare([self._tokens(sample) for sample in samples], self.seed, masks)
        given = {name: [getattr(sample, name) for sample in samples] for name in TAGS}
        self._make_layers({name: sorted(set().union(*tags)) for name, tags in given.items() if all(tags)})

    def _make_layers(self, tags: dict[str, list[str]]) -> None:
        """All weights but the word vectors, whose width is known, drawn from `seed`; the tags by kind."""
        torch.manual_seed(self.seed)
        self.tags = {kind: dict(zip(names, itertools.count(2))) for kind, names in tags.items()}
        self.register_buffer("tag_names", spelled(tags))
        hidden = self.given.hidden
        self.tag_vectors = nn.ModuleList(
            nn.Embedding(len(ids) + 2, self.given.tag_size, padding_idx=PAD) for ids in self.tags.values()
        )
        width = self.words.width + self.given.tag_size * len(self.tags)
        if self.recurrent:
            self.lstm = nn.LSTM(width, self.given.states, batch_first=True, bidirectional=True)
            width = 2 * self.given.states
        self.graph = GraphConvolution(width, [hidden] * self.given.layers, self.given.dropout)
        *widths, last = [3 * hidden] + [hidden] * self.given.mlp_layers
        mlp = [part for width in widths for part in (nn.Linear(width, hidden), nn.ReLU())]
        self.classifier = nn.Sequential(*mlp, nn.Linear(last, len(self.labels)))

    @staticmethod
    def _masks(sample: ParsedSample) -> list[str]:
        """What stands in the place of each word of the subject, and of the object."""
        return ["-".join(filter(None, pair)) for pair in zip(("SUBJ", "OBJ"), sample.types, strict=True)]

    def _tokens(self, sample: ParsedSample) -> list[str]:
        if not isinstance(sample, ParsedSample):
            raise ValueError(f"sample {sample.id} has no dependency tree")
        tokens = list(sample.tokens)
        if self.given.masked:
            for mask, span in zip(self._masks(sample), (sample.head, sample.tail), strict=True):
                for word in sample.words_of(span):
                    tokens[word] = mask
        return tokens

    def examples(self, samples: Sequence[ParsedSample]) -> list[Example]:
        """Word ids, of GCN only those of the T' words that stay in the tree, as it reads no others.

        Extra `tree` (4, T') of these words: heads among them, from 1, 0 for the top; 1 for the words of the
        subject; 1 for those of the object; the place in the sentence. `tags` (tags, T) if training had any.
        No sentence is cut.
        """
        return [self._example(sample, self._tokens(sample)) for sample in samples]

    def _example(self, sample: ParsedSample, tokens: Sequence[str]) -> Example:
        entities = [sample.words_of(span) for span in (sample.head, sample.tail)]
        heads = pruned_heads(sample.heads, *entities, self.given.distance)
        kept = np.flatnonzero(heads >= 0)
        among = np.searchsorted(kept, heads[kept] - 1) + (heads[kept] > 0)
        tree = np.stack([among, *(np.isin(kept, words) for words in entities), kept]).astype(np.int64)
        read = np.arange(len(tokens)) if self.recurrent else kept
        extra: dict[str, Any] = {"tree": tree}
        if self.tags:
            given = {name: getattr(sample, name) or [""] * len(tokens) for name in self.tags}
            extra["tags"] = [
                [known.get(given[name][word], UNK) for word in read] for name, known in self.tags.items()
            ]
        ids = self.words.ids([tokens[word] for word in read])
        return Example(ids, (), self.label_id(sample), extra=extra)

    def forward(self, batch: Batch) -> torch.Tensor:
        """(n, labels + 1): the logits, and ‖pooled vector of the tree‖², which the loss needs."""
        vectors, tree = self._inputs(batch), batch.extra["tree"]
        if self.recurrent:
            vectors = recurrent_states(self.lstm, vectors, batch.lengths)
            vectors = nn.functional.dropout(vectors, self.given.dropout, self.training)
            places = tree[:, 3, :, None].clamp(min=0).expand(-1, -1, vectors.shape[2])
            vectors = vectors.gather(1, places)
        vectors = self.graph(vectors, adjacency(tree[:, 0]))
        parts = torch.cat([tree[:, :1] >= 0, tree[:, 1:3] > 0], dim=1)
        pools = _pooled(vectors, parts, self.given.pooling)
        return torch.cat([self.classifier(pools.flatten(1)), pools[:, :1].square().sum(dim=2)], dim=1)

    def _inputs(self, batch: Batch) -> torch.Tensor:
        """(n, T, width) vectors of words and tags, with their dropout."""
        ids = batch.ids
        if self.training and self.given.word_dropout:
            lost = torch.rand(ids.shape, device=ids.device) < self.given.word_dropout
            ids = ids.masked_fill(lost & (ids != PAD), UNK)
        parts = [self.words(ids)]
        parts += [table(batch.extra["tags"][:, number]) for number, table in enumerate(self.tag_vectors)]
        return nn.functional.dropout(torch.cat(parts, dim=2), self.given.input_dropout, self.training)

    def losses(self, output: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Loss of each example, shape (n,)."""
        return super().losses(output[:, :-1], batch) + self.given.penalty * output[:, -1]

    def relation_scores(self, output: torch.Tensor) -> torch.Tensor:
        """The logits (n, labels)."""
        return output[:, :-1]
