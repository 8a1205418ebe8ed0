"""The synthetic letters: their numbers, which labels come together, and how far they can be learnt."""

import re
from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from helpers.data.demo import DOCUMENTS_NAME as NAME
from helpers.data.demo import LABEL_SETS, TEST_ONLY, demo_documents
from helpers.data.demo import SYNTHETIC_DOCUMENTS as SYNTHETIC
from helpers.data.documents import label_list, label_matrix


@pytest.fixture(scope="module")
def collection():
    return demo_documents()


def label_counts(documents) -> Counter:
    return Counter(label for labels in documents.labels for label in labels)


def test_sizes_and_label_sets(collection) -> None:
    assert {part: len(documents) for part, documents in collection.items()} == {"train": 600, "test": 300}
    for place, part in enumerate(("train", "test")):
        found = Counter(" ".join(labels) for labels in collection[part].labels)
        assert found == +Counter({labels: counts[place] for labels, counts in LABEL_SETS.items()})


def test_long_tail(collection) -> None:
    counts = label_counts(collection["train"])
    assert len(counts) == 14
    assert 0.35 < max(counts.values()) / 600 < 0.45
    assert sum(3 <= count <= 10 for count in counts.values()) >= 4 and min(counts.values()) == 3
    assert {len(labels) for labels in collection["train"].labels} == {0, 1, 2, 3, 4}
    assert 0 < collection["train"].without_labels < 60, "below a tenth, where label_matrix warns"


def test_zero_shot_labels(collection) -> None:
    train, test = collection["train"], collection["test"]
    assert set(label_list(train, test, include_test_labels=True)) - set(label_list(train)) == set(TEST_ONLY)
    assert all(label_counts(test)[label] >= 3 for label in TEST_ONLY)


def test_labels_come_together_more_often_than_by_chance(collection) -> None:
    labels = label_list(collection["train"])
    matrix = label_matrix(collection["train"], labels).toarray()
    for one, other in (("lighting", "roads"), ("libraries", "schools"), ("health", "water")):
        first, second = (matrix[:, labels.index(label)] for label in (one, other))
        assert (first * second).mean() > 1.2 * first.mean() * second.mean(), (one, other)


def test_equal_seeds_give_equal_collections(collection) -> None:
    assert demo_documents(seed=0) == collection
    assert demo_documents(seed=1) != collection


def test_no_text_and_no_id_occurs_twice(collection) -> None:
    for column in ("texts", "ids"):
        everything = [one for documents in collection.values() for one in getattr(documents, column)]
        assert len(set(everything)) == len(everything) == 900


def test_it_says_that_it_is_synthetic(collection) -> None:
    assert "generated" in SYNTHETIC and SYNTHETIC.startswith(NAME) and "synthetic" in NAME
    assert all(one.startswith(NAME) for one in collection["test"].ids)


def test_texts_are_well_formed(collection) -> None:
    for text in collection["train"].texts + collection["test"].texts:
        sentences = text.removesuffix(".").split(". ")
        assert text.endswith(".") and len(sentences) == len(set(sentences))
        assert all(re.fullmatch(r"[A-Z][A-Za-z' ]+", sentence) for sentence in sentences), text


@pytest.mark.parametrize("seed", [0, 1])
def test_frequent_labels_can_be_learnt_and_rare_ones_hardly(seed) -> None:
    collection = demo_documents(seed)
    labels = label_list(collection["train"])
    gold = {part: label_matrix(documents, labels).toarray() for part, documents in collection.items()}
    words = TfidfVectorizer()
    train, test = (words.fit_transform(collection["train"].texts), words.transform(collection["test"].texts))
    rare = gold["train"].sum(axis=0) <= 10

    def scores(**settings) -> np.ndarray:
        return OneVsRestClassifier(LinearSVC(**settings)).fit(train, gold["train"]).decision_function(test)

    def each_f1(found: np.ndarray) -> np.ndarray:
        return f1_score(gold["test"], found > 0, average=None, zero_division=0)

    plain, weighted = scores(), scores(class_weight="balanced")
    micro = f1_score(gold["test"], plain > 0, average="micro")
    assert 0.78 < micro < 0.88
    assert each_f1(plain).mean() < micro - 0.2 and each_f1(plain)[rare].mean() < 0.3
    assert each_f1(weighted)[rare].mean() > each_f1(plain)[rare].mean() + 0.2, "cost-sensitive training helps"
    ranked = average_precision_score(gold["test"][:, rare], plain[:, rare], average="macro")
    assert ranked > 0.6, "what is missed ranks high, so that another threshold finds it"
