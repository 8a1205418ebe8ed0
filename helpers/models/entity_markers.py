"""Classifiers that mark the two entities in the sentence: EM-C, EM-ES (= BERT_EM) and R-BERT.

H is the encoder's hidden size, R the number of relations. How the entities are marked is `_EntityMarkers`'
`marker_scheme`; R-BERT has its own signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import torch
from torch import nn

from ..data import RelationSample
from .classifier import MARKERS, RelationClassifier
from .inputs import Batch, Example, states_at

SCHEMES = {"added": MARKERS, "pieces": MARKERS, "symbols": ("#", "#", "$", "$")}
_MarkerScheme = Literal["added", "pieces", "symbols"]


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
    def marker_tokens(cls, marker_scheme: _MarkerScheme = "added", **_: object) -> tuple[str, ...]:
        """None if the markers are cut into pieces."""
        return () if marker_scheme == "pieces" else SCHEMES[marker_scheme]


class EntityMarkersCls(_EntityMarkers):
    """EM-C: the vector of the classification token → linear, H → R (Lyu et al. 2021, section IV).

    The markers are in the input, but the classifier does not look at them.

    >>> from helpers.models.encoder import load_encoder
    >>> from helpers.models.inputs import collate
    >>> model = EntityMarkersCls(load_encoder(markers=EntityMarkersCls.markers), ["a", "b", "Other"])
    >>> sample = RelationSample("1", "fire and panic", (0, 4), (9, 14), "Other")
    >>> model(collate(model.examples([sample]), padding=0)).shape
    torch.Size([1, 3])
    """

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (n, R)."""
        return self.classifier(self.encoder(batch)[:, 0])


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
    def reads_pooler(cls, form: str = "paper", **_: object) -> bool:
        """The port's form does."""
        return form == "port"

    def examples(self, samples: Sequence[RelationSample]) -> list[Example]:
        """Marked sentences; the port's form has no separator token."""
        examples = super().examples(samples)
        if self.form == "port":
            examples = [example._replace(ids=example.ids[:-1]) for example in examples]
        return examples

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
