"""The five classifiers: what they read, what they compute from the hidden states, what they learn from."""

import dataclasses
import functools
import random
import re

import numpy as np
import pytest
import torch

from helpers.core import SEMEVAL_RELATIONS, inverse_label
from helpers.data import RelationSample, paired_sample, parse_tagged
from helpers.models import EMBEDDED, build
from helpers.models.attribution import probabilities
from helpers.models.base import Settings
from helpers.models.entity_markers import _literal_text
from helpers.models.prompt import LONGEST_NAME, Words, label_words

KINDS = {
    "em-c": {},
    "em-es": {},
    "em-es with normalisation": {"layer_norm": True},
    "r-bert": {},
    "r-bert, port": {"form": "port"},
    "emr-c": {},
    "ptr": {},
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
EACH = pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.id)


@functools.cache
def model_of(folder, kind: str, labels=SEMEVAL_RELATIONS, **options):
    """One model for all tests that only look at it."""
    name, settings = re.split(" |,", kind)[0], Settings(max_length=96)
    return build(name, str(folder), labels, settings, 9, **KINDS[kind] | options).eval()


def words(model, example) -> str:
    return " ".join(model.encoder.tokenizer.convert_ids_to_tokens(example.ids))


def output_of(model, *examples) -> torch.Tensor:
    with torch.inference_mode():
        return model(model.collate(examples))


def states(model, example) -> tuple[torch.Tensor, torch.Tensor]:
    """The transformer's last hidden states of one example, no batch and no padding around it; pooled."""
    ids = torch.tensor([example.ids])
    options = {}
    if model.encoder.segments:
        second = torch.arange(len(example.ids)) >= example.first
        options["token_type_ids"] = (second & (example.first > 0)).long()[None]
    output = model.encoder.transformer(input_ids=ids, attention_mask=torch.ones_like(ids), **options)
    return output.last_hidden_state[0].detach(), output.pooler_output


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
        together = output_of(model, *examples)
        for example, row in zip(examples, together, strict=True):
            assert torch.allclose(output_of(model, example)[0], row, atol=1e-5)
        batch = model.collate(examples)
        with torch.inference_mode():
            unmasked = model(dataclasses.replace(batch, mask=torch.ones_like(batch.mask)))
        finite = torch.isfinite(together)
        assert (unmasked - together)[finite].abs().max() > 1e-3, "padding would not have been noticed"

    def test_scores_are_probabilities_and_the_highest_is_the_prediction(self, kind, folder) -> None:
        model = model_of(folder, kind)
        scores = model.scores(SAMPLES, progress=False)
        assert scores.shape == (len(SAMPLES), len(model.labels)) and scores.sum(axis=1) == pytest.approx(1)
        assert (scores.argmax(axis=1) == model.predict(SAMPLES, progress=False)).all()
        assert model.scores([]).shape == (0, len(model.labels))

    def test_the_input_has_no_gold_label_and_exchanged_entities_are_another_one(self, kind, folder) -> None:
        model, elsewhere = model_of(folder, kind), dataclasses.replace(CRASH, relation="Other")
        mine, other = (model.examples([sample]) for sample in (CRASH, elsewhere))
        assert [one._replace(target=0) for one in mine] == [one._replace(target=0) for one in other]
        paired = model.examples([paired_sample(CRASH)])[0]
        assert mine[0].ids != paired.ids
        gap = output_of(model, mine[0]) - output_of(model, paired)
        assert gap[torch.isfinite(gap)].abs().max() > 1e-3

    def test_long_sentences_keep_to_the_limit(self, kind, folder) -> None:
        model = model_of(folder, kind)
        text = "well " * 150 + "<e1>rain</e1> and <e2>snow</e2>" + " so" * 90
        for example in model.examples([RelationSample("1", *parse_tagged(text), "Other")]):
            assert len(example.ids) <= model.max_length == 96 and example.cut > 100
            shown = re.sub("[ Ġ]", "", words(model, example))
            assert "rain" in shown and "snow" in shown


def by_hand(kind: str, model, example) -> torch.Tensor:
    """The output of one example by the papers' formulas, one vector after the other."""
    hidden, pooled = states(model, example)
    if kind in ("em-c", "emr-c"):
        return affine(model.classifier, hidden[0])
    if "em-es" in kind:
        vector = torch.cat([hidden[example.ids.index(model.marker_ids[which][0])] for which in (0, 2)])
        if model.layer_norm:
            vector = (vector - vector.mean()) / (vector.var(unbiased=False) + 1e-5).sqrt()
        return affine(model.classifier, vector)
    paper = kind == "r-bert"
    parts = [affine(model.sentence, torch.tanh(hidden[0] if paper else pooled[0]))]
    for first, last in (example.places[:2], example.places[2:]):
        inside = list(range(first + 1, last))
        span = inside if inside and paper else [first, *inside, last]
        parts.append(affine(model.entity, torch.tanh(hidden[span].mean(dim=0))))
    return affine(model.classifier, torch.cat(parts))


@EACH
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "ptr"])
def test_forward_by_hand(kind, sample, folder) -> None:
    model = model_of(folder, kind)
    example = model.examples([sample])[-1]
    assert torch.allclose(output_of(model, example).flatten(), by_hand(kind, model, example), atol=1e-5)


@pytest.mark.parametrize(
    ("scheme", "entity", "added"),
    [
        ("added", "[E11] crash [E12]", 4),
        ("symbols", "# crash #", 0),
        ("pieces", "[ e ##11 ] crash [ e ##12 ]", 0),
    ],
)
@pytest.mark.parametrize("name", ["em-c", "em-es"])
def test_marker_schemes(name, scheme, entity, added) -> None:
    model = build(name, EMBEDDED, SEMEVAL_RELATIONS, Settings(), 9, marker_scheme=scheme)
    (example,) = model.examples([CRASH])
    assert f"train {entity} was caused" in words(model, example)
    assert len(model.encoder.word_embedding) == 30522 + added
    starts = [model.marker_ids[which][0] for which in (0, 2)]
    assert [example.ids[place] for place in example.places[::2]] == starts


def test_input_of_r_bert(tiny_bert) -> None:
    for kind, end in (("r-bert", " [SEP]"), ("r-bert, port", "")):
        model = model_of(tiny_bert, kind)
        (example,) = model.examples([CRASH])
        expected = "[CLS] the deadly train $ crash $ was caused by terrorist # attack #"
        assert words(model, example) == expected + end and example.places == (4, 6, 11, 13)


class TestLiteralRelation:
    def test_two_segments(self, tiny_bert) -> None:
        model = model_of(tiny_bert, "emr-c")
        example = model.examples([CRASH])[SEMEVAL_RELATIONS.index("Cause-Effect(e1,e2)")]
        sentence = "the deadly train [E11] crash [E12] was caused by terrorist [E21] attack [E22]"
        assert words(model, example) == f"[CLS] cause effect e ##1 e ##2 [SEP] {sentence} [SEP]"
        types = model.collate([example]).types[0].tolist()
        expected = model.encoder.tokenizer("cause effect e1 e2", "x " * 13)["token_type_ids"]
        assert types == expected == [0] * 8 + [1] * 14

    @pytest.mark.parametrize(("candidates", "number"), [("all", 19), ("directed", 18)])
    def test_prediction_tries_every_candidate(self, candidates, number, tiny_bert) -> None:
        model = model_of(tiny_bert, "emr-c", candidates=candidates)
        examples = model.examples(SAMPLES)
        assert len(examples) == number * len(SAMPLES)
        tried = SEMEVAL_RELATIONS[19 - number :]
        texts = [" ".join(model.encoder.tokenizer.tokenize(_literal_text(label))) for label in tried]
        for place, sample in enumerate(SAMPLES):
            block = examples[place * number : (place + 1) * number]
            assert [words(model, one)[6:].partition(" [SEP]")[0] for one in block] == texts
            assert [one.target for one in block] == [int(label == sample.relation) for label in tried]

    @pytest.mark.parametrize(
        ("candidates", "targets"), [("all", [1, 0] * 5), ("directed", [1, 0, 1, 0, 0, 1, 0, 1, 0])]
    )
    def test_training_has_the_right_and_a_wrong_relation(self, candidates, targets, tiny_bert) -> None:
        """With directed candidates a label without direction is never learnt as right."""
        model = model_of(tiny_bert, "emr-c", candidates=candidates)
        names = [model.labels[place] for place in model.candidates] * len(SAMPLES)
        labels = dict(zip((tuple(one.ids) for one in model.examples(SAMPLES)), names, strict=True))
        model.prepare(SAMPLES)
        examples = model.training_examples(SAMPLES, random.Random(3))
        assert [example.target for example in examples] == targets
        right = [labels[tuple(example.ids)] for example in examples if example.target]
        known = [sample.relation for sample in SAMPLES if candidates == "all" or sample.relation != "Other"]
        assert right == known
        wrong = [labels[tuple(example.ids)] for example in examples if not example.target]
        assert all(label != sample.relation for label, sample in zip(wrong, SAMPLES, strict=True))
        assert candidates == "all" or all(inverse_label(label) != label for label in right + wrong)


def in_the_prompt(five: Words) -> list[str]:
    """The words with the blank before them; the second stands first in what the released code encodes."""
    return [word if place == 1 else " " + word for place, word in enumerate(five)]


class TestPrompt:
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

    @EACH
    def test_scores_and_loss_by_hand(self, sample, folder) -> None:
        """Five products with the input embeddings; of the relation, and of its words at the masks."""
        model = model_of(folder, "ptr")
        (example,), tokenizer = model.examples([sample]), model.encoder.tokenizer
        hidden = states(model, example)[0].double().numpy()
        table = model.encoder.word_embedding.detach().double().numpy()
        prompts = {label: in_the_prompt(label_words(label)) for label in SEMEVAL_RELATIONS}
        ids = {
            label: tokenizer(five, add_special_tokens=False)["input_ids"] for label, five in prompts.items()
        }
        tokens = np.array([*ids.values()])[:, :, 0]
        logits = np.array([[hidden[example.places[m]] @ table[five[m]] for m in range(5)] for five in tokens])
        output = output_of(model, example)
        assert np.ptp(logits.sum(axis=1)) > 1
        assert model.relation_scores(output)[0].tolist() == pytest.approx(logits.sum(axis=1), abs=1e-4)
        gold = SEMEVAL_RELATIONS.index(sample.relation)
        first = [np.unique(tokens[:, m], return_index=True)[1] for m in range(5)]
        at_masks = [np.log(np.exp(logits[first[m], m]).sum()) - logits[gold, m] for m in range(5)]
        whole = np.log(np.exp(logits.sum(axis=1)).sum()) - logits[gold].sum()
        loss = model.losses(output, model.collate([example])).item()
        assert loss == pytest.approx(np.mean(at_masks) + whole, abs=1e-4)

    def test_its_steps_are_those_of_the_model(self, tiny_bert) -> None:
        model = model_of(tiny_bert, "ptr")
        steps, (example,) = dict(model.steps(CRASH)), model.examples([CRASH])
        assert steps["tokens"] == words(model, example)
        allowed = [steps[f"words that mask {mask} may take"].split(", ") for mask in range(1, 6)]
        best = steps["word with the highest logit at each mask"].split()
        assert all(word in known for word, known in zip(best, allowed, strict=True))
        chances = probabilities(model, CRASH)
        assert steps["relation with the highest sum of its five logits"] == max(chances, key=chances.get)
