"""scikit-learn's manner, against scikit-learn itself."""

import pickle

import numpy as np
import pytest
import sklearn.metrics
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score

from helpers.adapters import f1_score, multilabel, scorer

GOLD = ["NA", "NA", "born", "born", "title", "title", "title", "NA"]
FOUND = ["NA", "born", "born", "title", "title", "title", "NA", "NA"]


@pytest.mark.parametrize("average", ["micro", "weighted", "macro"])
def test_without_a_negative_class_it_is_scikit_learn_s(average, rng):
    def oracle(**options):
        return sklearn.metrics.f1_score(gold, predicted, average=average, zero_division=0, **options)

    for size in (1, 7, 200):
        gold, predicted = rng.integers(0, 6, (2, size))
        weight = rng.random(size) + 0.1
        ours = f1_score(gold, predicted, average=average, labels="observed", sample_weight=weight)
        assert ours == pytest.approx(oracle(sample_weight=weight), abs=1e-12)
    for labels in ([1, 2, 3], [0, 5, 9], [4]):
        ours = f1_score(gold, predicted, scheme=average, labels=labels, zero_support="zero")
        assert ours == pytest.approx(oracle(labels=labels), abs=1e-12)


def test_the_negative_class_is_left_out_and_its_false_alarms_are_not():
    # born: TP 1, FP 1, FN 1, F = 1/2; title: TP 2, FP 1, FN 1, F = 2/3
    assert f1_score(GOLD, FOUND, scheme="macro", negative="NA") == pytest.approx(7 / 12)
    assert f1_score(GOLD, FOUND, scheme="micro", negative="NA") == pytest.approx(6 / 10)
    assert f1_score(GOLD, FOUND, scheme="macro") != f1_score(GOLD, FOUND, scheme="macro", negative="NA")
    weights = np.array([2, 3]) ** 0.75
    expected = (weights / weights.sum()) @ [1 / 2, 2 / 3]
    assert f1_score(GOLD, FOUND, negative="NA") == pytest.approx(expected)


def test_a_misspelt_negative_class_is_an_error_and_an_absent_one_is_not():
    with pytest.raises(ValueError, match="'no_relation', which occurs nowhere; 'NA' does"):
        f1_score(GOLD, FOUND, negative="no_relation")
    assert f1_score(["born"], ["born"], negative="NA") == 1.0


def data(n=60):
    rng = np.random.default_rng(3)
    labels = np.array(["born", "title"])[rng.integers(0, 2, n)]
    labels[: n // 4] = "NA"  # so that the last folds, unshuffled, have no negative sample
    features = (labels == "born")[:, None] + rng.normal(0, 0.4, (n, 2))
    return features, labels


def test_cross_validation_with_folds_without_the_negative_class():
    (features, labels), folds, scoring = data(), KFold(4), scorer("macro", negative="NA")
    scores = cross_val_score(LogisticRegression(), features, labels, scoring=scoring, cv=folds)
    for (train, test), score in zip(folds.split(features), scores, strict=True):
        found = LogisticRegression().fit(features[train], labels[train]).predict(features[test])
        assert score == f1_score(labels[test], found, scheme="macro", negative="NA")
    assert "NA" not in labels[test]


def test_a_scorer_can_be_sent_to_other_processes_and_refuses_wrong_options_at_once():
    features, labels = data()
    model = DummyClassifier().fit(features, labels)
    scoring = scorer("macro", negative="NA")
    assert pickle.loads(pickle.dumps(scoring))(model, features, labels) == scoring(model, features, labels)
    with pytest.raises(TypeError, match="zero_divison"):
        scorer(zero_divison=0)
    with pytest.raises(ValueError, match="unknown scheme 'makro'"):
        scorer("makro")


@pytest.mark.parametrize("average", ["micro", "weighted", "macro"])
def test_label_sets_are_scored_as_scikit_learn_scores_their_matrix(average, rng):
    gold, predicted = rng.random((2, 30, 5)) < 0.4
    sets = ([np.array(list("abcde"))[row] for row in matrix] for matrix in (gold, predicted))
    theirs = sklearn.metrics.f1_score(gold, predicted, average=average, zero_division=0)
    assert multilabel(*sets, scheme=average, labels=list("abcde")) == pytest.approx(theirs, abs=1e-12)
    assert multilabel(gold, predicted, scheme=average) == pytest.approx(theirs, abs=1e-12)
    assert multilabel(np.array([["a", "b"]]), [["b", "a"]], scheme=average) == 1.0


@pytest.mark.parametrize(
    ("gold", "predicted", "options", "message"),
    [
        ([["a"]], [["a"], ["b"]], {}, r"zip\(\) argument 2 is longer"),
        (["ab"], [["a"]], {}, "'ab' is a text: a set of labels is needed"),
        ([["a"]], [["a", "a"]], {}, r"\['a', 'a'\] holds a label twice"),
        ([["a"]], [["b"]], {"labels": ["a"]}, "'b' is not in labels"),
        ([], [], {"labels": ["a"]}, "there is no label set"),
        ([["a"]], [["a"]], {"negative": "a"}, "multi-label data have no negative class"),
    ],
)
def test_bad_label_sets_are_named(gold, predicted, options, message):
    with pytest.raises(ValueError, match=message):
        multilabel(gold, predicted, **options)
