"""What a classifier looks at in one sentence: the attention of its classification token, and integrated
gradients beside it.

Attention says where a layer took its information from, not what the prediction depends on (Jain and Wallace
2019; Wiegreffe and Pinter 2019); integrated gradients add up to the score that they explain. Nothing is drawn
or written here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from ..data import RelationSample
from .entity_markers import LiteralRelationCls, RelationClassifier
from .inputs import Batch

STEPS = 256
"""Points on the way from the baseline to the sentence; see `integrated_gradients`."""


@dataclass(frozen=True)
class _Attribution:
    """A score, taken apart over the tokens of the input.

    values : one for each token; 0 for the classification and separator tokens.
    score, baseline : the score of the input and that of the baseline; values sum to about their difference.
    """

    values: np.ndarray
    score: float
    baseline: float

    @property
    def gap(self) -> float:
        """What the sum misses: Σ values − (score − baseline), the error of the numerical integration.

        >>> _Attribution(np.array([0.5, 1.0]), score=2.0, baseline=0.5).gap
        0.0
        """
        return float(self.values.sum()) - (self.score - self.baseline)


def tokens_read(model: RelationClassifier, sample: RelationSample, relation: str | None = None) -> list[str]:
    """The tokens of the input as the tokenizer names them, markers and special tokens included.

    `relation` : for EMR-C, the literal relation that is read with the sentence; None: the sample's own.

    >>> from helpers.models import build
    >>> from helpers.models import Settings
    >>> sample = RelationSample("1", "fire caused panic", (0, 4), (12, 17), "Cause-Effect(e1,e2)")
    >>> labels = ["Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)"]
    >>> model = build("em-c", "all-MiniLM-L6-v2", labels, Settings(), seed=9)
    >>> " ".join(tokens_read(model, sample))
    '[CLS] [E11] fire [E12] caused [E21] panic [E22] [SEP]'
    """
    batch = _input(model, sample, relation)
    return model.encoder.tokenizer.convert_ids_to_tokens(batch.ids[0].tolist())


def probabilities(model: RelationClassifier, sample: RelationSample) -> dict[str, float]:
    """Label → probability: the softmax of the scores; for EMR-C, whose answers are independent, the sigmoid
    of each candidate, so that they need not sum to 1."""
    scores = model.raw_scores([sample], progress=False)[0]
    normed = torch.sigmoid(scores) if _is_literal(model) else torch.softmax(scores, dim=0)
    return dict(zip(model.labels, normed.tolist(), strict=True))


def cls_attention(
    model: RelationClassifier, sample: RelationSample, relation: str | None = None
) -> np.ndarray:
    """Attention weights of the classification token, shape (layers, heads, tokens).

    In layer l and head h, a = softmax(q Kᵀ / √d): q is the query of the first token, the rows of K are the
    keys of all tokens, d is their size (Vaswani et al. 2017, Eq. 1). Each row is non-negative and sums to 1.
    What Figure 4 of Lyu et al. 2021 draws of one layer.

    Parameters
    ----------
    model : afterwards it is in evaluation mode, and has transformers' attention 'eager', which alone gives
        the weights. `relation` : see `tokens_read`.
    """
    batch = _input(model, sample, relation)
    model.eval()
    model.encoder.transformer.set_attn_implementation("eager")
    with torch.inference_mode():
        layers = model.encoder.outputs(batch, output_attentions=True).attentions
    return torch.cat(layers)[:, :, 0].float().cpu().numpy()


def integrated_gradients(
    model: RelationClassifier,
    sample: RelationSample,
    relation: str,
    against: str | None = None,
    steps: int = STEPS,
) -> _Attribution:
    """Which tokens raise the score of a relation: integrated gradients of the word embeddings.

    With f the score, x_i the embedding of token i and b_i that of its baseline, token i gets
    Σ_j (x_ij − b_ij) · ∫₀¹ ∂f/∂x_ij (b + α(x − b)) dα, and the values of all tokens sum to f(x) − f(b)
    (completeness). Source: Sundararajan, Taly and Yan 2017, Eq. 1. The integral is taken by Gauss–Legendre
    quadrature. The baseline is the same input with padding's embedding in place of every token but the
    classification and separator tokens; position and segment embeddings stay.

    Parameters
    ----------
    relation : whose logit is explained. EMR-C reads it beside the sentence; its logit is that of 'holds'.
    against : explain the logit's lead over this relation's instead: with the inverse relation, what decides
        the direction. Not for EMR-C, where the two logits come from two inputs.
    steps : points of the quadrature; a large `gap` asks for more.

    Raises ValueError for a relation that is no label of the model (for EMR-C no candidate), for `against`
    with EMR-C, and for fewer than one step.
    """
    if steps < 1:
        raise ValueError(f"steps is {steps}; at least one point is needed")
    if against is not None and _is_literal(model):
        raise ValueError("against: EMR-C reads one relation at a time, there is no other logit")
    for name in filter(None, (relation, against)):
        _position(model, name)
    batch = _input(model, sample, relation)
    model.eval()
    embedding, tokenizer = model.encoder.transformer.get_input_embeddings(), model.encoder.tokenizer
    kept = (batch.ids == tokenizer.cls_token_id) | (batch.ids == tokenizer.sep_token_id)
    with torch.no_grad():
        actual = embedding(batch.ids)[0]
        base = embedding(torch.where(kept, batch.ids, tokenizer.pad_token_id))[0]
    nodes, weights = np.polynomial.legendre.leggauss(steps)
    shares = torch.tensor((nodes + 1) / 2, dtype=actual.dtype, device=actual.device)
    points = base + shares[:, None, None] * (actual - base)
    ends = torch.stack([actual, base])
    with torch.no_grad():
        score, baseline = _scores(model, batch, ends, relation, against).double().tolist()
    points.requires_grad_(True)
    total = _scores(model, batch, points, relation, against).sum()
    (gradients,) = torch.autograd.grad(total, points)
    mean = np.einsum("s,sth->th", weights / 2, gradients.double().cpu().numpy())
    values = ((actual - base).double().cpu().numpy() * mean).sum(axis=1)
    return _Attribution(values, score, baseline)


def _scores(model, batch: Batch, embeddings: torch.Tensor, relation: str, against: str | None):
    """The explained score of each of several inputs, given as embeddings (n, tokens, H)."""
    many = batch.map(lambda tensor: tensor.repeat_interleave(len(embeddings), dim=0))
    layer = model.encoder.transformer.get_input_embeddings()
    with layer.register_forward_hook(lambda *_: embeddings):  # it takes these, whatever the token ids are
        output = model(many).float()
    if _is_literal(model):
        return output
    scores = model.relation_scores(output)
    lead = scores[:, _position(model, relation)]
    return lead if against is None else lead - scores[:, _position(model, against)]


def _input(model: RelationClassifier, sample: RelationSample, relation: str | None) -> Batch:
    """The one input; of EMR-C's, that with the literal text of the relation."""
    examples = model.examples([sample])
    number = 0
    if _is_literal(model):
        number = model.candidates.index(_position(model, relation or sample.relation))
    return model.collate([examples[number]]).to(next(model.parameters()).device)


def _position(model: RelationClassifier, relation: str) -> int:
    known = [model.labels[label] for label in model.candidates] if _is_literal(model) else model.labels
    if relation not in known:
        raise ValueError(f"relation {relation!r} is none that the model scores: {', '.join(known)}")
    return model.labels.index(relation)


def _is_literal(model: RelationClassifier) -> bool:
    return isinstance(model, LiteralRelationCls)
