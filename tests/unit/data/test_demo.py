"""The synthetic corpus: its numbers, the form of its sentences, and what can be learnt from it."""

import re
from collections import Counter

import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from helpers.core.labels import base_relation, inverse_label, label_ids
from helpers.data.demo import NAME, NEGATIVE, SYNTHETIC, TEST_COUNTS, TRAIN_FACTOR, demo_corpus
from helpers.data.pairing import clean_sample, paired_sets, rdr_line


@pytest.fixture(scope="module")
def corpus():
    return demo_corpus()


def test_sizes_and_distribution(corpus) -> None:
    counts = {part: Counter(one.relation for one in samples) for part, samples in corpus.items()}
    assert counts["test"] == TEST_COUNTS
    assert counts["train"] == {label: TRAIN_FACTOR * count for label, count in TEST_COUNTS.items()}
    assert (len(corpus["train"]), len(corpus["test"])) == (1200, 400)


def test_long_tail_and_both_directions(corpus) -> None:
    directed = {label: count for label, count in TEST_COUNTS.items() if label != NEGATIVE}
    assert len({base_relation(label) for label in directed}) >= 6
    assert all(inverse_label(label) in directed for label in directed)
    assert min(directed.values()) == 1 and list(directed.values()).count(1) == 1
    assert max(directed.values()) >= 50


def test_equal_seeds_give_equal_corpora(corpus) -> None:
    assert demo_corpus(seed=0) == corpus
    assert demo_corpus(seed=1) != corpus


def test_no_sentence_occurs_twice(corpus) -> None:
    everything = corpus["train"] + corpus["test"]
    assert len({(one.text, one.relation) for one in everything}) == len(everything)
    assert len({one.text for one in everything}) == len(everything)
    assert len({one.id for one in everything}) == len(everything)


def test_it_says_that_it_is_synthetic(corpus) -> None:
    assert "synthetic" in SYNTHETIC and SYNTHETIC.startswith(NAME)
    assert all(one.id.startswith("synthetic-demo") for one in corpus["train"])


def test_sentences_are_well_formed(corpus) -> None:
    for one in corpus["train"] + corpus["test"]:
        assert re.fullmatch(r"[A-Z][a-z', ]+[a-z]\.", one.text), one.text
        assert "  " not in one.text
        assert one.head[1] < one.tail[0], "entity 1 comes first, as in SemEval"
        assert one.text[: one.head[0]].lower().endswith("the ") and one.text[: one.tail[0]].endswith("the ")


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


def test_the_pairing_code_takes_it(corpus) -> None:
    ids = label_ids(TEST_COUNTS)
    assert ids[NEGATIVE] == 0 and len(ids) == 17
    line = rdr_line(0, clean_sample(corpus["test"][0]), ids)
    assert line.count("\t") == 4 and line.count("[E") == 4
