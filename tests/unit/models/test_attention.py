"""Attention rows, tokens and integrated gradients of small untrained models."""

from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.core.labels import SEMEVAL_RELATIONS, inverse_label
from helpers.data.samples import RelationSample, parse_tagged
from helpers.models import attribution as attention
from helpers.models.registry import build
from helpers.models.settings import Settings

SENTENCE = "the deadly train <e1> crash </e1> was caused by terrorist <e2> attack </e2>"
TAGS = ("<e1> ", " </e1>", "<e2> ", " </e2>")
SAMPLE = RelationSample("218", *parse_tagged(SENTENCE, TAGS), "Cause-Effect(e2,e1)")
LAYERS, HEADS = 2, 4


def model_of(name: str, tiny_bert: Path, implementation: str | None = "eager"):
    return build(name, str(tiny_bert), SEMEVAL_RELATIONS, Settings(), seed=9, attention=implementation)


@pytest.mark.parametrize("name", ["em-c", "em-es", "r-bert", "emr-c"])
def test_attention_has_one_distribution_for_each_layer_and_head(name: str, tiny_bert: Path) -> None:
    model = model_of(name, tiny_bert)
    weights = attention.cls_attention(model, SAMPLE)
    assert weights.shape == (LAYERS, HEADS, len(attention.tokens_read(model, SAMPLE)))
    assert (weights >= 0).all()
    assert np.allclose(weights.sum(axis=-1), 1, atol=1e-6)
    assert np.array_equal(weights, attention.full_attention(model, SAMPLE)[:, :, 0])


def test_attention_is_that_of_the_formula(tiny_bert: Path) -> None:
    model = model_of("em-c", tiny_bert)
    batch = model.collate(model.examples([SAMPLE]))
    with torch.inference_mode():
        hidden = model.encoder.transformer.embeddings(batch.ids)[0]
        layer = model.encoder.transformer.encoder.layer[0].attention.self
        query, keys = layer.query(hidden)[0].view(HEADS, -1), layer.key(hidden).view(len(hidden), HEADS, -1)
        scores = torch.einsum("hd,thd->ht", query, keys) / np.sqrt(query.shape[1])
    expected = torch.softmax(scores, dim=-1).numpy()
    assert np.allclose(attention.cls_attention(model, SAMPLE)[0], expected, atol=1e-6)


def test_a_model_without_attention_weights_is_refused(tiny_bert: Path) -> None:
    with pytest.raises(ValueError, match="attention='eager'"):
        attention.cls_attention(model_of("em-c", tiny_bert, "sdpa"), SAMPLE)


@pytest.mark.parametrize("name", ["em-c", "em-es", "r-bert", "emr-c"])
def test_integrated_gradients_are_complete(name: str, tiny_bert: Path) -> None:
    model = model_of(name, tiny_bert)
    found = attention.integrated_gradients(model, SAMPLE, SAMPLE.relation, steps=256)
    assert found.values.shape == (len(attention.tokens_read(model, SAMPLE)),)
    assert abs(found.score - found.baseline) > 1e-3, "nothing to explain: the check could not fail"
    assert abs(found.gap) < 1e-3 * np.abs(found.values).sum()
    assert found.values[0] == found.values[-1] == 0


def test_the_explained_score_is_the_models_own(tiny_bert: Path) -> None:
    model = model_of("em-c", tiny_bert)
    batch = model.collate(model.examples([SAMPLE]))
    with torch.inference_mode():
        logits = model(batch)[0]
    here, there = (SEMEVAL_RELATIONS.index(one) for one in (SAMPLE.relation, inverse_label(SAMPLE.relation)))
    found = attention.integrated_gradients(model, SAMPLE, SAMPLE.relation, steps=1)
    assert found.score == pytest.approx(logits[here].item(), abs=1e-5)
    lead = attention.integrated_gradients(
        model, SAMPLE, SAMPLE.relation, inverse_label(SAMPLE.relation), steps=1
    )
    assert lead.score == pytest.approx((logits[here] - logits[there]).item(), abs=1e-5)


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("em-c", {"relation": "Cause"}, "'Cause' is none that the model scores"),
        ("em-c", {"relation": "Other", "against": "Cause"}, "'Cause' is none that the model scores"),
        ("emr-c", {"relation": "Other", "against": "Cause-Effect(e1,e2)"}, "one relation at a time"),
        ("em-c", {"relation": "Other", "steps": 0}, "steps is 0"),
    ],
)
def test_bad_arguments_are_named(name: str, arguments: dict, message: str, tiny_bert: Path) -> None:
    with pytest.raises(ValueError, match=message):
        attention.integrated_gradients(model_of(name, tiny_bert), SAMPLE, **arguments)
