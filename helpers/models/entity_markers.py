"""Classifiers on a pretrained encoder that mark the two entities: EM-C, EM-ES (= BERT_EM), R-BERT and EMR-C.

H is the encoder's hidden size, R the number of relations. How the entities are marked is `_EntityMarkers`'
`marker_scheme`; R-BERT has its own signs.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import torch
from torch import nn
from torch.nn import functional

from ..core import inverse_label, role_words
from ..data import RelationSample
from .base import Settings
from .encoder import Encoder, load_encoder
from .inputs import MARKERS, Batch, Example, Marked, states_at, tokenize_marked
from .training import NeuralModel

SCHEMES = {"added": MARKERS, "pieces": MARKERS, "symbols": ("#", "#", "$", "$")}
_MarkerScheme = Literal["added", "pieces", "symbols"]


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
        layers: int | None = None,
        **options: Any,
    ) -> NeuralModel:
        """On a loaded encoder, or its first `layers`."""
        needs = {"markers": cls.markers, "marker_vectors": settings.marker_vectors} | cls.needs(**options)
        loaded = load_encoder(encoder, dropout=settings.dropout, layers=layers, **needs)
        return cls(loaded, labels, settings.max_length, **options)

    @classmethod
    def needs(cls, **options: Any) -> dict[str, Any]:
        """What else `load_encoder` is told for a model with these options."""
        return {}

    def put_on(self, encoder: Encoder, max_length: int) -> None:
        """Take the encoder, and its limit if `max_length` is beyond it."""
        self.encoder, self.padding = encoder, encoder.tokenizer.pad_token_id
        self.encoder_name, self.encoder_sha256 = encoder.name, encoder.sha256
        self.max_length = min(max_length, encoder.longest)

    def prepare(self, samples: Sequence[Any]) -> None:
        """The encoder's precision; its pooling layer learns only where it is read."""
        self.encoder.precision = self.settings.precision
        for name, parameter in self.encoder.named_parameters():
            parameter.requires_grad_("pooler" not in name or self.encoder.pooled)

    def marked(self, samples: Sequence[RelationSample], marker_ids: Sequence[Sequence[int]]) -> list[Example]:
        """The marked sentences between the classification and the separator token; places are the markers."""
        tokenizer = self.encoder.tokenizer
        return [
            Example(
                [tokenizer.cls_token_id, *ids, tokenizer.sep_token_id],
                tuple(mark + 1 for mark in marks),
                0,
                cut=cut,
            )
            for ids, marks, cut in tokenize_marked(tokenizer, samples, marker_ids, self.max_length - 2)
        ]


class RelationClassifier(OnEncoder):
    """A pretrained encoder and what a model puts on top of it.

    A subclass gives `forward` and, where they differ from the usual, `examples`, `training_examples`,
    `losses` and `relation_scores`. `max_length` : most tokens of an input, special tokens included.

    >>> model = RelationClassifier(load_encoder(markers=MARKERS), ["Other"])
    >>> (example,) = model.examples([RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")])
    >>> model.encoder.tokenizer.decode(example.ids)
    '[CLS] [E11] fire [E12] and [E21] panic [E22] [SEP]'
    >>> example.places
    (1, 3, 5, 7)
    """

    def __init__(self, encoder: Encoder, labels: Sequence[str], max_length: int = 128) -> None:
        super().__init__()
        self.labels = tuple(labels)
        self.put_on(encoder, max_length)

    @property
    def marker_ids(self) -> list[list[int]]:
        """The token ids of each marker: one, or several if it is not in the vocabulary."""
        tokenizer = self.encoder.tokenizer
        return [tokenizer(marker, add_special_tokens=False)["input_ids"] for marker in self.markers]

    def examples(self, samples: Sequence[RelationSample]) -> list[Example]:
        """The marked sentence between the classification and the separator token."""
        pairs = zip(self.marked(samples, self.marker_ids), samples, strict=True)
        return [example._replace(target=self.label_id(sample)) for example, sample in pairs]


class _EntityMarkers(RelationClassifier):
    """What EM-C and EM-ES share: how the entities are marked, which Lyu et al. 2021 do not say.

    `marker_scheme` 'added': `[E11]` … are new tokens of the vocabulary, with vectors that start as
    `Settings.marker_vectors` says. 'pieces': they are not added, so that the tokenizer cuts them into pieces
    of words, and a marker's vector is that of its first piece. 'symbols': `#` around entity 1 and `$` around
    entity 2, as in the paper's Figure 4: tokens that the encoder knows.
    """

    vectors: ClassVar[int] = 1
    """How many hidden states the classifier reads."""

    def __init__(self, *given: Any, marker_scheme: _MarkerScheme = "added") -> None:
        super().__init__(*given)
        self.marker_scheme, self.markers = marker_scheme, SCHEMES[marker_scheme]
        self.classifier = nn.Linear(self.vectors * self.encoder.hidden_size, len(self.labels))

    @classmethod
    def needs(cls, marker_scheme: _MarkerScheme = "added", **_: object) -> dict[str, Any]:
        """No markers if they are cut into pieces."""
        return {"markers": () if marker_scheme == "pieces" else SCHEMES[marker_scheme]}


class EntityMarkersCls(_EntityMarkers):
    """EM-C: the vector of the classification token → linear, H → R (Lyu et al. 2021, section IV).

    The markers are in the input, but the classifier does not look at them.

    >>> from helpers.models.encoder import load_encoder
    >>> model = EntityMarkersCls(load_encoder(markers=MARKERS), ["a", "b", "Other"])
    >>> sample = RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")
    >>> model(model.collate(model.examples([sample]))).shape
    torch.Size([1, 3])
    """

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (n, R)."""
        return self.classifier(self.encoder(batch)[:, 0].float())


class EntityMarkersStart(_EntityMarkers):
    """EM-ES: the vectors at the two opening markers, concatenated → linear, 2H → R.

    With `layer_norm` it is BERT_EM as paper W trained it on SemEval (variant f of DFKI-NLP/mtb-bert-em):
    layer normalisation before the linear layer.
    """

    vectors = 2

    def __init__(self, *given: Any, layer_norm: bool = False, **options: Any) -> None:
        super().__init__(*given, **options)
        self.norm = nn.LayerNorm(2 * self.encoder.hidden_size) if layer_norm else nn.Identity()
        self.layer_norm = layer_norm

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (n, R)."""
        starts = states_at(self.encoder(batch), batch.places[:, ::2])
        return self.classifier(self.norm(starts.flatten(1)))


class RBert(RelationClassifier):
    """R-BERT (Wu and He 2019): three vectors, each dropout → tanh → linear H → H; concatenated, dropout,
    linear 3H → R. The vectors are the classification token's and the means over the two entities, whose
    linear layer is shared. Entity 1 stands between two `$`, entity 2 between two `#`.

    `form` 'paper' is as published: hidden state of the classification token, means over the entity's own
    tokens. 'port' does what the well-known port (monologg/R-BERT) does: BERT's pooler output for the
    classification token, means that include the markers, no separator token at the end.
    An empty entity has the mean of its two markers in either form. `dropout` is that of the head.
    """

    markers = ("$", "$", "#", "#")

    def __init__(self, *given: Any, form: Literal["paper", "port"] = "paper", dropout: float = 0.1) -> None:
        super().__init__(*given)
        self.form, size = form, self.encoder.hidden_size
        self.dropout = nn.Dropout(dropout)
        self.sentence, self.entity = nn.Linear(size, size), nn.Linear(size, size)
        self.classifier = nn.Linear(3 * size, len(self.labels))

    @classmethod
    def needs(cls, form: str = "paper", **_: object) -> dict[str, Any]:
        """The pooling layer, in the port's form."""
        return {"pooler": form == "port"}

    def examples(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Marked sentences; the port's form has no separator token."""
        examples = super().examples(samples)
        last = -1 if self.form == "port" else None
        return [example._replace(ids=example.ids[:last]) for example in examples]

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (n, R)."""
        output = self.encoder.outputs(batch)
        hidden = output.last_hidden_state.float()
        whole = output.pooler_output.float() if self.form == "port" else hidden[:, 0]
        spans = [self._mean(hidden, batch.places[:, 2 * which : 2 * which + 2]) for which in (0, 1)]
        vectors = [self._through(self.sentence, whole), *(self._through(self.entity, span) for span in spans)]
        return self.classifier(self.dropout(torch.cat(vectors, dim=-1)))

    def _through(self, linear: nn.Linear, vector: torch.Tensor) -> torch.Tensor:
        return linear(torch.tanh(self.dropout(vector)))

    def _mean(self, hidden: torch.Tensor, marks: torch.Tensor) -> torch.Tensor:
        """Mean over the tokens from the first to the second mark (n, 2), the marks left out in 'paper'."""
        first, last = marks.unbind(dim=1)
        if self.form == "paper":
            inner = (last - first > 1).long()
            first, last = first + inner, last - inner
        position = torch.arange(hidden.shape[1], device=hidden.device)
        share = ((position >= first[:, None]) & (position <= last[:, None])).to(hidden.dtype)
        return (share[:, None] @ hidden)[:, 0] / share.sum(dim=1, keepdim=True)


def _literal_text(relation: str) -> str:
    """The relation as words: two roles, then two entity symbols.

    The roles are columns 4 and 5 of the authors' data files, where they change places in (e2,e1).

    >>> _literal_text("Cause-Effect(e1,e2)"), _literal_text("Cause-Effect(e2,e1)"), _literal_text("Other")
    ('cause effect e1 e2', 'effect cause e1 e2', 'other other e1 e2')
    """
    return " ".join((*role_words(relation), "e1", "e2"))


class LiteralRelationCls(RelationClassifier):
    """EMR-C (Lyu et al. 2021, IV.B): does this relation, written as text, hold between the marked entities?

    [CLS] literal relation [SEP] marked sentence [SEP]; vector of [CLS] → linear H → 1 → sigmoid.

    Training: every sentence once with its relation (holds) and once with another one, drawn uniformly from
    the rest (does not hold); binary cross-entropy. Prediction: the candidate with the highest probability.

    `candidates` 'all' are all labels, as the authors' files have a text for Other too; 'directed' leaves out
    labels without direction, which are then never predicted, nor learned as holding. The paper does not say
    which it used, nor whether the wrong relation is drawn once (`negatives` 'fixed', as a data file of pairs
    would have it) or anew in every epoch ('resampled'). The two texts are segments 0 and 1, where the encoder
    has segments.
    """

    def __init__(
        self,
        *given: Any,
        candidates: Literal["all", "directed"] = "all",
        negatives: Literal["fixed", "resampled"] = "fixed",
    ) -> None:
        super().__init__(*given)
        directed = [candidate for candidate, label in enumerate(self.labels) if inverse_label(label) != label]
        self.candidates = list(range(len(self.labels))) if candidates == "all" else directed
        if len(self.candidates) < 2:
            raise ValueError(f"EMR-C needs at least two candidates, not {len(self.candidates)}")
        self.resampled = negatives == "resampled"
        self.classifier = nn.Linear(self.encoder.hidden_size, 1)
        literal = [_literal_text(self.labels[candidate]) for candidate in self.candidates]
        tokens = self.encoder.tokenizer(literal, add_special_tokens=False)["input_ids"]
        self._literal = dict(zip(self.candidates, tokens, strict=True))
        self._special = self.encoder.tokenizer.num_special_tokens_to_add(pair=True)

    def prepare(self, samples: Sequence[RelationSample]) -> None:
        """The sentences are tokenised once, though pairs may be drawn anew in every epoch."""
        super().prepare(samples)
        self._training = self._sentences(samples)

    def _sentences(self, samples: Sequence[RelationSample]) -> list[Marked]:
        limit = self.max_length - self._special - max(map(len, self._literal.values()))
        return tokenize_marked(self.encoder.tokenizer, samples, self.marker_ids, limit)

    def _pair(self, candidate: int, sentence: Marked, target: int) -> Example:
        tokenizer = self.encoder.tokenizer
        separators = [tokenizer.sep_token_id] * (self._special - 2)
        first = [tokenizer.cls_token_id, *self._literal[candidate], *separators]
        marks = tuple(len(first) + mark for mark in sentence.marks)
        ids = [*first, *sentence.ids, tokenizer.sep_token_id]
        return Example(ids, marks, target, first=len(first), cut=sentence.cut)

    def examples(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Every sentence with every candidate, sentence by sentence."""
        return [
            self._pair(candidate, sentence, int(candidate == self.label_id(sample)))
            for sample, sentence in zip(samples, self._sentences(samples), strict=True)
            for candidate in self.candidates
        ]

    def training_examples(self, samples: Sequence[RelationSample], rng: random.Random) -> list[Example]:
        """Every sentence with its relation and with a wrong one."""
        pairs = []
        for sample, sentence in zip(samples, self._training, strict=True):
            gold = self.label_id(sample)
            if gold in self._literal:
                pairs.append(self._pair(gold, sentence, 1))
            wrong = [candidate for candidate in self.candidates if candidate != gold]
            pairs.append(self._pair(rng.choice(wrong), sentence, 0))
        return pairs

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (n,) of 'holds'."""
        return self.classifier(self.encoder(batch)[:, 0].float())[:, 0]

    def losses(self, output: torch.Tensor, batch: Batch) -> torch.Tensor:
        """Binary cross-entropy of each pair, shape (n,)."""
        return functional.binary_cross_entropy_with_logits(
            output.float(), batch.target.float(), reduction="none"
        )

    def relation_scores(self, output: torch.Tensor) -> torch.Tensor:
        """(sentences, labels): the logits of the candidates, −∞ for labels that are none."""
        rows = output.reshape(-1, len(self.candidates))
        scores = torch.full((len(rows), len(self.labels)), -torch.inf)
        scores[:, self.candidates] = rows.float()
        return scores
