"""The synthetic corpus: its numbers, the form of its sentences, and what can be learnt from it."""

from collections import Counter

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from helpers.core.labels import base_relation
from helpers.data.demo import TEST_COUNTS, TRAIN_FACTOR, demo_corpus


@pytest.fixture(scope="module")
def corpus():
    return demo_corpus()


def test_sizes_and_distribution(corpus) -> None:
    counts = {part: Counter(one.relation for one in samples) for part, samples in corpus.items()}
    assert counts["test"] == TEST_COUNTS
    assert counts["train"] == {label: TRAIN_FACTOR * count for label, count in TEST_COUNTS.items()}
    assert (len(corpus["train"]), len(corpus["test"])) == (1200, 400)


def test_the_relation_can_be_learnt_from_the_words(corpus) -> None:
    words = CountVectorizer(ngram_range=(1, 2))
    train, test = ([one.text for one in corpus[part]] for part in ("train", "test"))
    gold = {part: [base_relation(one.relation) for one in corpus[part]] for part in corpus}
    model = LogisticRegression(max_iter=1000).fit(words.fit_transform(train), gold["train"])
    assert model.score(words.transform(test), gold["test"]) > 0.95
    majority = Counter(gold["test"]).most_common(1)[0][1] / len(test)
    assert majority < 0.25
