"""EMR-C: does this relation, written as text, hold between the marked entities? (Lyu et al. 2021, IV.B)"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Literal

import torch
from torch import nn
from torch.nn import functional

from ..core import BACKWARD, inverse_label, role_words
from ..data import RelationSample
from .classifier import RelationClassifier
from .inputs import Batch, Example, tokenize_marked


def _literal_text(relation: str, turned: str = "roles") -> str:
    """The relation as words: two roles, then two entity symbols.

    The roles are columns 4 and 5 of the authors' data files, where they change places in (e2,e1): `turned`
    'roles'. With 'symbols' the symbols change places instead.

    >>> _literal_text("Cause-Effect(e1,e2)"), _literal_text("Cause-Effect(e2,e1)"), _literal_text("Other")
    ('cause effect e1 e2', 'effect cause e1 e2', 'other other e1 e2')
    >>> _literal_text("Cause-Effect(e2,e1)", "symbols")
    'cause effect e2 e1'
    """
    if turned == "symbols" and relation.endswith(BACKWARD):
        return " ".join((*role_words(inverse_label(relation)), "e2", "e1"))
    return " ".join((*role_words(relation), "e1", "e2"))


class LiteralRelationCls(RelationClassifier):
    """EMR-C: [CLS] literal relation [SEP] marked sentence [SEP]; vector of [CLS] → linear H → 1 → sigmoid.

    Training: every sentence once with its relation (holds) and once with another one, drawn uniformly from
    the rest (does not hold); binary cross-entropy. Prediction: the candidate with the highest probability.

    `candidates` 'all' are all labels, as the authors' files have a text for Other too; 'directed' leaves out
    labels without direction, which are then never predicted, nor learned as holding. The paper does not say
    which it used, nor whether the wrong relation is drawn once (`negatives` 'fixed', as a data file of pairs
    would have it) or anew in every epoch ('resampled'). `turned` : see `_literal_text`. The two texts are
    segments 0 and 1, where the encoder has segments.
    """

    def __init__(
        self,
        *given: Any,
        candidates: Literal["all", "directed"] = "all",
        negatives: Literal["fixed", "resampled"] = "fixed",
        turned: Literal["roles", "symbols"] = "roles",
    ) -> None:
        super().__init__(*given)
        directed = [candidate for candidate, label in enumerate(self.labels) if inverse_label(label) != label]
        self.candidates = list(range(len(self.labels))) if candidates == "all" else directed
        if len(self.candidates) < 2:
            raise ValueError(f"EMR-C needs at least two candidates, not {len(self.candidates)}")
        self.resampled = negatives == "resampled"
        self.classifier = nn.Linear(self.encoder.hidden_size, 1)
        literal = [_literal_text(self.labels[candidate], turned) for candidate in self.candidates]
        tokens = self.encoder.tokenizer(literal, add_special_tokens=False)["input_ids"]
        self._literal = dict(zip(self.candidates, tokens, strict=True))

    def _sentences(self, samples: Sequence[RelationSample]) -> list:
        longest = max(map(len, self._literal.values()))
        special = self.encoder.tokenizer.num_special_tokens_to_add(pair=True)
        limit = self.max_length - special - longest
        return tokenize_marked(self.encoder.tokenizer, samples, self.marker_ids, limit)

    def _pair(self, candidate: int, sentence, target: int) -> Example:
        tokenizer = self.encoder.tokenizer
        separators = [tokenizer.sep_token_id] * (tokenizer.num_special_tokens_to_add(pair=True) - 2)
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
        for sample, sentence in zip(samples, self._sentences(samples), strict=True):
            gold = self.label_id(sample)
            if gold in self._literal:
                pairs.append(self._pair(gold, sentence, 1))
            wrong = [candidate for candidate in self.candidates if candidate != gold]
            pairs.append(self._pair(rng.choice(wrong), sentence, 0))
        return pairs

    def forward(self, batch: Batch) -> torch.Tensor:
        """Logits (n,) of 'holds'."""
        return self.classifier(self.encoder(batch)[:, 0])[:, 0]

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
