"""The five classifiers: what they read, what they compute from the hidden states, what they learn from."""

import dataclasses
import functools
import random
import re

import numpy as np
import pytest
import torch

from helpers.core.labels import SEMEVAL_RELATIONS, inverse_label
from helpers.data.pairing import paired_sample
from helpers.data.samples import RelationSample, parse_tagged
from helpers.models.encoder import EMBEDDED
from helpers.models.inputs import collate
from helpers.models.label_words import Words, label_words
from helpers.models.literal_relation import literal_text
from helpers.models.prompt import LONGEST_NAME
from helpers.models.registry import build
from helpers.models.settings import Settings

KINDS = {
    "em-c": ("em-c", {}),
    "em-es": ("em-es", {}),
    "em-es with normalisation": ("em-es", {"layer_norm": True}),
    "r-bert": ("r-bert", {}),
    "r-bert, port": ("r-bert", {"form": "port"}),
    "emr-c": ("emr-c", {}),
    "ptr": ("ptr", {}),
}
SENTENCES = (
    ("the deadly train <e1>crash</e1> was caused by terrorist <e2>attack</e2>", "Cause-Effect(e2,e1)"),
    ("the <e2>wheel</e2> is part of the old <e1>cart</e1> , as everybody knows", "Component-Whole(e2,e1)"),
    ("<e1>rain</e1> <e2>snow</e2>", "Other"),
    ("the <e1>new <e2>car</e2> engine</e1> failed", "Component-Whole(e2,e1)"),
    ("the <e1></e1> firm in <e2>town</e2>", "Entity-Origin(e1,e2)"),
)
SAMPLES = [RelationSample(str(n), *parse_tagged(text), label) for n, (text, label) in enumerate(SENTENCES)]
CRASH = SAMPLES[0]


@functools.cache
def model_of(folder, kind: str, labels=SEMEVAL_RELATIONS, **options):
    """One model for all tests that only look at it."""
    return new_model(folder, kind, labels, **options)


def new_model(folder, kind: str, labels=SEMEVAL_RELATIONS, **options):
    name, usual = KINDS[kind]
    return build(name, str(folder), labels, Settings(max_length=96), 9, **usual | options).eval()


def words(model, example) -> str:
    return " ".join(model.encoder.tokenizer.convert_ids_to_tokens(example.ids))


def batch_of(model, examples):
    return collate(examples, model.encoder.tokenizer.pad_token_id)


def states(model, example) -> torch.Tensor:
    """The transformer's last hidden states of one example, no batch and no padding around it."""
    ids = torch.tensor([example.ids])
    options = {}
    if model.encoder.segments:
        second = torch.arange(len(example.ids)) >= example.first
        options["token_type_ids"] = (second & (example.first > 0)).long()[None]
    output = model.encoder.transformer(input_ids=ids, attention_mask=torch.ones_like(ids), **options)
    return output.last_hidden_state[0], output.pooler_output


def affine(layer, vector: torch.Tensor) -> torch.Tensor:
    return (layer.weight * vector).sum(dim=1) + layer.bias


@pytest.fixture(params=["tiny_bert", "tiny_roberta"])
def folder(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("kind", KINDS)
class TestAll:
    def test_neighbours_and_padding_change_nothing(self, kind, folder) -> None:
        model = model_of(folder, kind)
        examples = model.examples(SAMPLES)
        assert len({len(example.ids) for example in examples}) > 1
        with torch.inference_mode():
            together = model(batch_of(model, examples))
            for example, row in zip(examples, together, strict=True):
                alone = model(batch_of(model, [example]))[0]
                assert torch.allclose(alone, row, atol=1e-5)
            blind = batch_of(model, examples)
            unmasked = model(dataclasses.replace(blind, mask=torch.ones_like(blind.mask)))
        finite = torch.isfinite(together)
        assert (unmasked - together)[finite].abs().max() > 1e-3, "padding would not have been noticed"

    def test_the_input_is_not_the_gold_label(self, kind, folder) -> None:
        model = model_of(folder, kind)
        other = dataclasses.replace(CRASH, relation="Other")
        for one, two in zip(model.examples([CRASH]), model.examples([other]), strict=True):
            assert one._replace(target=0) == two._replace(target=0)

    def test_exchanged_entities_are_another_input(self, kind, folder) -> None:
        model = model_of(folder, kind)
        one, two = model.examples([CRASH])[0], model.examples([paired_sample(CRASH)])[0]
        assert one.ids != two.ids
        with torch.inference_mode():
            first, second = model(batch_of(model, [one])), model(batch_of(model, [two]))
        finite = torch.isfinite(first)
        assert (first - second)[finite].abs().max() > 1e-3

    def test_long_sentences_keep_to_the_limit(self, kind, folder) -> None:
        model = model_of(folder, kind)
        text = "well " * 150 + "<e1>rain</e1> and <e2>snow</e2>" + " so" * 90
        sample = RelationSample("1", *parse_tagged(text), "Other")
        for example in model.examples([sample]):
            assert len(example.ids) <= model.max_length == 96
            assert example.cut > 100
            shown = re.sub("[ Ġ]", "", words(model, example))
            assert "rain" in shown and "snow" in shown


class TestEntityMarkers:
    @pytest.mark.parametrize("kind", ["em-c", "em-es"])
    def test_input(self, kind, tiny_bert) -> None:
        model = model_of(tiny_bert, kind)
        (example,) = model.examples([CRASH])
        expected = "[CLS] the deadly train [E11] crash [E12] was caused by terrorist [E21] attack [E22] [SEP]"
        assert words(model, example) == expected
        assert example[1:] == ((4, 6, 11, 13), SEMEVAL_RELATIONS.index("Cause-Effect(e2,e1)"), 0, 0, {})

    @pytest.mark.parametrize(
        ("scheme", "entity", "added"),
        [
            ("added", "[E11] crash [E12]", 4),
            ("symbols", "# crash #", 0),
            ("pieces", "[ e ##11 ] crash [ e ##12 ]", 0),
        ],
    )
    def test_marker_schemes(self, scheme, entity, added) -> None:
        models = [
            build(name, EMBEDDED, SEMEVAL_RELATIONS, Settings(), 9, marker_scheme=scheme)
            for name in ("em-c", "em-es")
        ]
        for model in models:
            (example,) = model.examples([CRASH])
            assert f"train {entity} was caused" in words(model, example)
            assert len(model.encoder.word_embedding) == 30522 + added
            starts = [model.marker_ids[which][0] for which in (0, 2)]
            assert [example.ids[place] for place in example.places[::2]] == starts

    @pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
    @pytest.mark.parametrize("layer_norm", [False, True])
    def test_em_es_looks_at_the_two_opening_markers(self, sample, layer_norm, folder) -> None:
        model = model_of(folder, "em-es", layer_norm=layer_norm)
        (example,) = model.examples([sample])
        hidden, _ = states(model, example)
        first, second = (example.ids.index(model.marker_ids[which][0]) for which in (0, 2))
        vector = torch.cat([hidden[first], hidden[second]])
        if layer_norm:
            vector = (vector - vector.mean()) / (vector.var(unbiased=False) + 1e-5).sqrt()
        expected = affine(model.classifier, vector)
        assert torch.allclose(model(batch_of(model, [example]))[0], expected, atol=1e-5)


class TestRBert:
    def test_input(self, tiny_bert) -> None:
        paper, port = (model_of(tiny_bert, "r-bert", form=form) for form in ("paper", "port"))
        expected = "[CLS] the deadly train $ crash $ was caused by terrorist # attack #"
        assert words(paper, paper.examples([CRASH])[0]) == expected + " [SEP]"
        assert words(port, port.examples([CRASH])[0]) == expected
        assert paper.examples([CRASH])[0].places == (4, 6, 11, 13) == port.examples([CRASH])[0].places

    @pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
    @pytest.mark.parametrize("form", ["paper", "port"])
    def test_forward_by_hand(self, sample, form, folder) -> None:
        model = model_of(folder, "r-bert", form=form)
        (example,) = model.examples([sample])
        hidden, pooled = states(model, example)
        spans = []
        for first, last in (example.places[:2], example.places[2:]):
            inside = list(range(first + 1, last))
            spans.append(inside if inside and form == "paper" else [first, *inside, last])
        whole = hidden[0] if form == "paper" else pooled[0]
        parts = [affine(model.sentence, torch.tanh(whole))]
        parts += [affine(model.entity, torch.tanh(hidden[span].mean(dim=0))) for span in spans]
        expected = affine(model.classifier, torch.cat(parts))
        assert torch.allclose(model(batch_of(model, [example]))[0], expected, atol=1e-5)


class TestLiteralRelation:
    def test_two_segments(self, tiny_bert) -> None:
        model = model_of(tiny_bert, "emr-c")
        example = model.examples([CRASH])[SEMEVAL_RELATIONS.index("Cause-Effect(e1,e2)")]
        sentence = "the deadly train [E11] crash [E12] was caused by terrorist [E21] attack [E22]"
        assert words(model, example) == f"[CLS] cause effect e ##1 e ##2 [SEP] {sentence} [SEP]"
        types = batch_of(model, [example]).types[0].tolist()
        expected = model.encoder.tokenizer("cause effect e1 e2", "x " * 13)["token_type_ids"]
        assert types == expected == [0] * 8 + [1] * 14

    @pytest.mark.parametrize(("candidates", "number"), [("all", 19), ("directed", 18)])
    def test_prediction_tries_every_candidate(self, candidates, number, tiny_bert) -> None:
        model = model_of(tiny_bert, "emr-c", candidates=candidates)
        examples = model.examples(SAMPLES)
        assert len(examples) == number * len(SAMPLES)
        tried = SEMEVAL_RELATIONS[19 - number :]
        for place, sample in enumerate(SAMPLES):
            block = examples[place * number : (place + 1) * number]
            assert [words(model, one)[6:].partition(" [SEP]")[0] for one in block] == [
                " ".join(model.encoder.tokenizer.tokenize(literal_text(label))) for label in tried
            ]
            assert [one.target for one in block] == [int(label == sample.relation) for label in tried]

    @pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
    def test_forward_by_hand(self, sample, folder) -> None:
        model = model_of(folder, "emr-c")
        example = model.examples([sample])[5]
        expected = affine(model.classifier, states(model, example)[0][0])
        assert torch.allclose(model(batch_of(model, [example])), expected, atol=1e-5)

    def test_training_has_one_right_and_one_wrong_relation(self, tiny_bert) -> None:
        model = model_of(tiny_bert, "emr-c")
        examples = model.training_examples(SAMPLES, random.Random(3))
        assert [one.target for one in examples] == [1, 0] * len(SAMPLES)
        every = {tuple(one.ids): label for one, label in self.labelled(model)}
        for sample, right, wrong in zip(SAMPLES, examples[::2], examples[1::2], strict=True):
            assert every[tuple(right.ids)] == sample.relation
            assert every[tuple(wrong.ids)] != sample.relation

    def labelled(self, model):
        names = [model.labels[place] for place in model.candidates] * len(SAMPLES)
        return zip(model.examples(SAMPLES), names, strict=True)

    def test_directed_candidates_never_learn_a_label_without_direction(self, tiny_bert) -> None:
        model = model_of(tiny_bert, "emr-c", candidates="directed")
        every = {tuple(one.ids): label for one, label in self.labelled(model)}
        examples = model.training_examples(SAMPLES, random.Random(3))
        found = [(every[tuple(one.ids)], one.target) for one in examples]
        assert [target for _, target in found] == [1, 0, 1, 0, 0, 1, 0, 1, 0]
        assert all(inverse_label(label) != label for label, _ in found)


def in_the_prompt(five: Words) -> list[str]:
    """The words with the blank before them; the second stands first in what the released code encodes."""
    return [word if place == 1 else " " + word for place, word in enumerate(five)]


class TestPrompt:
    def test_prompt_of_bert(self, tiny_bert) -> None:
        model = model_of(tiny_bert, "ptr")
        (example,) = model.examples([CRASH])
        prompt = "the [MASK] crash [MASK] [MASK] [MASK] the [MASK] attack"
        sentence = "the deadly train crash was caused by terrorist attack"
        assert words(model, example) == f"[CLS] {sentence} {prompt} [SEP]"
        assert [place for place, id_ in enumerate(example.ids) if id_ == 103] == list(example.places)
        assert example[2:] == (SEMEVAL_RELATIONS.index(CRASH.relation), 0, 0, {})

    @pytest.mark.parametrize("head, tail", [(30, 2), (2, 30), (30, 30), (24, 24)])
    def test_long_names_are_cut_and_counted(self, head, tail, tiny_bert) -> None:
        model = model_of(tiny_bert, "ptr")
        text = f"<e1>{'a ' * head}</e1> in <e2>{'b ' * tail}</e2>"
        (example,) = model.examples([RelationSample("1", *parse_tagged(text), "Other")])
        first, second, *_, last = example.places
        assert second - first - 1 == min(head, LONGEST_NAME)
        assert len(example.ids) - last - 2 == min(tail, LONGEST_NAME)
        lost = max(head - LONGEST_NAME, 0) + max(tail - LONGEST_NAME, 0)
        left = model.max_length - (2 * LONGEST_NAME + 9)
        assert example.cut == lost + max(head + tail + 1 - left, 0)

    @pytest.mark.parametrize("sample", SAMPLES, ids=lambda one: one.id)
    def test_scores_are_five_products_with_the_input_embeddings(self, sample, folder) -> None:
        model = model_of(folder, "ptr")
        (example,) = model.examples([sample])
        hidden = states(model, example)[0].detach().double().numpy()
        table = model.encoder.word_embedding.detach().double().numpy()
        tokenizer = model.encoder.tokenizer
        expected = []
        for label in SEMEVAL_RELATIONS:
            texts = in_the_prompt(label_words(label))
            ids = [tokenizer(text, add_special_tokens=False)["input_ids"] for text in texts]
            expected.append(
                sum(
                    float(hidden[place] @ table[token])
                    for place, (token,) in zip(example.places, ids, strict=True)
                )
            )
        with torch.inference_mode():
            (found,) = model.relation_scores(model(batch_of(model, [example])))
        assert np.ptp(expected) > 1
        assert found.tolist() == pytest.approx(expected, abs=1e-4)

    def test_loss_by_hand(self, folder) -> None:
        model = model_of(folder, "ptr")
        batch = batch_of(model, model.examples(SAMPLES))
        with torch.inference_mode():
            output = model(batch)
            found = model.losses(output, batch)
        tokenizer, logits = model.encoder.tokenizer, output.double().numpy()
        for row, sample in enumerate(SAMPLES):
            at_masks, scores = [], dict.fromkeys(SEMEVAL_RELATIONS, 0.0)
            for mask in range(5):
                named = tokenizer.convert_ids_to_tokens(model.candidates[mask, : model.sizes[mask]].tolist())
                value = dict(zip(named, logits[row, mask], strict=False))
                texts = {label: in_the_prompt(label_words(label))[mask] for label in scores}
                token = {label: tokenizer.tokenize(text)[0] for label, text in texts.items()}
                for label in scores:
                    scores[label] += value[token[label]]
                at_masks.append(np.log(np.exp(list(value.values())).sum()) - value[token[sample.relation]])
            whole = np.log(np.exp(list(scores.values())).sum()) - scores[sample.relation]
            assert found[row].item() == pytest.approx(np.mean(at_masks) + whole, abs=1e-4)

    def test_a_word_of_several_tokens_is_named(self, folder) -> None:
        labels = ("Other", "Zorgonite-Whole(e1,e2)", "Zorgonite-Whole(e2,e1)")
        with pytest.raises(ValueError, match=f"label word 'zorgonite' is not one token of {folder.name}: "):
            model_of(folder, "ptr", labels=labels)
