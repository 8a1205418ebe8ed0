"""The synthetic letters: their numbers, which labels come together, and how far they can be learnt."""

from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import average_precision_score, f1_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.svm import LinearSVC

from helpers.data.demo import LABEL_SETS, demo_documents
from helpers.data.documents import label_list, label_matrix


@pytest.fixture(scope="module")
def collection():
    return demo_documents()


def test_sizes_and_label_sets(collection) -> None:
    assert {part: len(documents) for part, documents in collection.items()} == {"train": 600, "test": 300}
    for place, part in enumerate(("train", "test")):
        found = Counter(" ".join(labels) for labels in collection[part].labels)
        assert found == +Counter({labels: counts[place] for labels, counts in LABEL_SETS.items()})


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
