"""Baselines without an encoder: what they see, what they answer, and that they go through the same door."""

import dataclasses

import numpy as np
import pytest

from helpers.core import label_ids
from helpers.data import RelationSample, demo_corpus, paired_sample, paired_sets
from helpers.models import build
from helpers.models.baselines import features

FIRE = RelationSample("1", "A fire caused Panic.", (2, 6), (14, 19), "Cause-Effect(e1,e2)")
DEMO = demo_corpus(seed=0)
LABELS = tuple(label_ids(sample.relation for part in DEMO.values() for sample in part))


class TestFeatures:
    def test_without_markers_they_are_the_words_and_the_paired_sentence_looks_the_same(self):
        words = ["a", "fire", "caused", "panic", "."]
        expected = [" ".join(words[at : at + n]) for n in (1, 2, 3) for at in range(6 - n)]
        assert expected == list(features(FIRE, False)) == list(features(paired_sample(FIRE), False))

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


def test_without_markers_no_answer_moves_on_the_paired_set_with_them_they_turn():
    sets = paired_sets(DEMO["test"])
    blind, seeing = (build("svm", None, LABELS, None, 0, markers=markers) for markers in (False, True))
    blind.fit(DEMO["train"])
    seeing.fit(paired_sets(DEMO["train"])["merged"])
    assert np.array_equal(blind.predict(sets["original"]), blind.predict(sets["paired"]))
    for kind in ("original", "paired"):
        gold = [LABELS.index(sample.relation) for sample in sets[kind]]
        assert np.mean(seeing.predict(sets[kind]) == gold) > 0.9


def test_the_label_with_the_largest_margin_is_the_answer():
    model = build("svm", None, LABELS, None, 0)
    model.fit(DEMO["train"])
    scores = model.scores(DEMO["test"])
    assert (scores.argmax(axis=1) == model.predict(DEMO["test"])).all() and len(set(scores[0])) > 2
    two = [
        dataclasses.replace(FIRE, text=text, head=(0, 1), tail=(0, 1), relation=label)
        for text, label in zip("ab", LABELS, strict=False)
    ]
    model.fit(two)
    assert model.scores(two).argmax(axis=1).tolist() == model.predict(two).tolist() == [0, 1]
