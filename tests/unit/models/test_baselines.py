"""Baselines without an encoder: what they see, what they answer, and that they go through the same door."""

import dataclasses

import numpy as np
import pytest

from helpers.core.labels import label_ids
from helpers.data.demo import demo_corpus
from helpers.data.pairing import paired_sample, paired_sets
from helpers.data.samples import RelationSample
from helpers.models.baselines import features
from helpers.models.registry import build

FIRE = RelationSample("1", "A fire caused Panic.", (2, 6), (14, 19), "Cause-Effect(e1,e2)")
DEMO = demo_corpus(seed=0)
LABELS = tuple(label_ids(sample.relation for part in DEMO.values() for sample in part))


class TestFeatures:
    def test_without_markers_they_are_the_words_and_the_paired_sentence_looks_the_same(self):
        words = [
            *("a", "fire", "caused", "panic", "."),
            *("a fire", "fire caused", "caused panic", "panic ."),
            *("a fire caused", "fire caused panic", "caused panic ."),
        ]
        assert words == list(features(FIRE, False)) == list(features(paired_sample(FIRE), False))

    def test_with_markers_the_paired_sentence_differs_at_the_entities_only(self):
        mine, paired = (set(features(sample, True)) for sample in (FIRE, paired_sample(FIRE)))
        assert {"e1=fire", "e1..e2=caused", "e2=panic", "e1_ fire _e1"} <= mine - paired
        assert {"e2=fire", "e2..e1=caused", "e1=panic", "e2_ fire _e2"} <= paired - mine
        assert {"before=a", "after=.", "caused"} <= mine & paired

    @pytest.mark.parametrize(
        ("head", "tail", "pieces"),
        [
            ((2, 2), (14, 19), ["before=a", "e1..e2=fire", "e1..e2=caused", "e2=panic", "after=."]),  # empty
            ((2, 19), (7, 13), ["before=a", "e1=fire", "e1=caused", "e1=panic", "e2=caused", "after=."]),
            ((2, 13), (7, 19), ["before=a", "e1=fire", "e1=caused", "e2=caused", "e2=panic", "after=."]),
        ],
    )
    def test_empty_and_overlapping_entities(self, head, tail, pieces):
        every = features(dataclasses.replace(FIRE, head=head, tail=tail), True)
        assert [feature for feature in every if "=" in feature and " " not in feature] == pieces


def trained(name, samples, **options):
    model = build(name, None, LABELS, None, 0, **options)
    model.fit(samples)
    return model


class TestAnswers:
    def test_majority_is_the_most_frequent_relation(self):
        counts = [sum(sample.relation == label for sample in DEMO["train"]) for label in LABELS]
        assert {*trained("majority", DEMO["train"]).predict(DEMO["test"])} == {int(np.argmax(counts))}

    def test_without_markers_no_answer_moves_on_the_paired_set_with_them_they_turn(self):
        sets = paired_sets(DEMO["test"])
        blind = trained("svm", DEMO["train"])
        assert np.array_equal(blind.predict(sets["original"]), blind.predict(sets["paired"]))
        seeing = trained("svm", paired_sets(DEMO["train"])["merged"], markers=True)
        for kind in ("original", "paired"):
            gold = [LABELS.index(sample.relation) for sample in sets[kind]]
            assert np.mean(seeing.predict(sets[kind]) == gold) > 0.9

    def test_bad_samples(self):
        with pytest.raises(ValueError, match="samples is empty"):
            trained("majority", [])
        with pytest.raises(ValueError, match="sample 1: relation 'odd' is not in labels"):
            trained("svm", [dataclasses.replace(FIRE, relation="odd")])
