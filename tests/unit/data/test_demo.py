"""The synthetic corpus: its numbers, the form of its sentences, and what can be learnt from it."""

from collections import Counter

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from helpers.core.labels import base_relation
from helpers.data.demo import NEGATIVE, TEST_COUNTS, TRAIN_FACTOR, demo_corpus
from helpers.data.pairing import paired_sets


@pytest.fixture(scope="module")
def corpus():
    return demo_corpus()


def test_sizes_and_distribution(corpus) -> None:
    counts = {part: Counter(one.relation for one in samples) for part, samples in corpus.items()}
    assert counts["test"] == TEST_COUNTS
    assert counts["train"] == {label: TRAIN_FACTOR * count for label, count in TEST_COUNTS.items()}
    assert (len(corpus["train"]), len(corpus["test"])) == (1200, 400)


def test_no_sentence_occurs_twice(corpus) -> None:
    everything = corpus["train"] + corpus["test"]
    assert len({(one.text, one.relation) for one in everything}) == len(everything)
    assert len({one.text for one in everything}) == len(everything)
    assert len({one.id for one in everything}) == len(everything)


def test_the_relation_can_be_learnt_from_the_words(corpus) -> None:
    words = CountVectorizer(ngram_range=(1, 2))
    train, test = ([one.text for one in corpus[part]] for part in ("train", "test"))
    gold = {part: [base_relation(one.relation) for one in corpus[part]] for part in corpus}
    model = LogisticRegression(max_iter=1000).fit(words.fit_transform(train), gold["train"])
    assert model.score(words.transform(test), gold["test"]) > 0.95
    majority = Counter(gold["test"]).most_common(1)[0][1] / len(test)
    assert majority < 0.25


def test_the_direction_of_a_pair_needs_the_markers(corpus) -> None:
    sets = paired_sets(corpus["test"])
    for one, other in zip(sets["original"], sets["paired"], strict=True):
        assert one.text == other.text and (one.relation != other.relation or one.relation == NEGATIVE)
