"""Attention rows, tokens and integrated gradients of small untrained models."""

import numpy as np
import pytest
import torch

from helpers.core import SEMEVAL_RELATIONS, inverse_label
from helpers.data import RelationSample, parse_tagged
from helpers.models import attribution, build
from helpers.models.base import Settings

SENTENCE = "the deadly train <e1>crash</e1> was caused by terrorist <e2>attack</e2>"
SAMPLE = RelationSample("218", *parse_tagged(SENTENCE), "Cause-Effect(e2,e1)")
LAYERS, HEADS = 2, 4


@pytest.fixture
def new(tiny_bert):
    return lambda name: build(name, str(tiny_bert), SEMEVAL_RELATIONS, Settings(), 9)


def test_attention_is_that_of_the_formula(new) -> None:
    model = new("em-c")
    batch = model.collate(model.examples([SAMPLE]))
    with torch.inference_mode():
        hidden = model.encoder.transformer.embeddings(batch.ids)[0]
        layer = model.encoder.transformer.encoder.layer[0].attention.self
        query, keys = layer.query(hidden)[0].view(HEADS, -1), layer.key(hidden).view(len(hidden), HEADS, -1)
        scores = torch.einsum("hd,thd->ht", query, keys) / np.sqrt(query.shape[1])
    expected = torch.softmax(scores, dim=-1).numpy()
    assert np.allclose(attribution.cls_attention(model, SAMPLE)[0], expected, atol=1e-6)


@pytest.mark.parametrize("name", ["em-c", "em-es", "r-bert", "emr-c"])
def test_attention_sums_to_1_and_integrated_gradients_are_complete(name: str, new) -> None:
    model = new(name)
    weights = attribution.cls_attention(model, SAMPLE)
    assert weights.shape == (LAYERS, HEADS, len(attribution.tokens_read(model, SAMPLE)))
    assert (weights >= 0).all() and np.allclose(weights.sum(axis=-1), 1, atol=1e-6)
    found = attribution.integrated_gradients(model, SAMPLE, SAMPLE.relation, steps=256)
    assert found.values.shape == (len(attribution.tokens_read(model, SAMPLE)),)
    assert abs(found.score - found.baseline) > 1e-3, "nothing to explain: the check could not fail"
    assert abs(found.gap) < 1e-3 * np.abs(found.values).sum()
    assert found.values[0] == found.values[-1] == 0


def test_the_explained_score_is_the_models_own(new) -> None:
    model, inverse = new("em-c"), inverse_label(SAMPLE.relation)
    with torch.inference_mode():
        logits = model(model.collate(model.examples([SAMPLE])))[0]
    here, there = (logits[SEMEVAL_RELATIONS.index(label)].item() for label in (SAMPLE.relation, inverse))
    for against, expected in (None, here), (inverse, here - there):
        explained = attribution.integrated_gradients(model, SAMPLE, SAMPLE.relation, against, steps=1)
        assert explained.score == pytest.approx(expected, abs=1e-5)
