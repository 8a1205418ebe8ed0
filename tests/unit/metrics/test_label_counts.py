"""Counts of labels: scikit-learn's, and those of a confusion table where every instance has one label."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import multilabel_confusion_matrix

from helpers.metrics import Outcome
from helpers.metrics.averaging import averages


def pair(rng, n=60, n_labels=7, share=0.2):
    return rng.random((n, n_labels)) < share, rng.random((n, n_labels)) < share


def test_counts_are_those_of_scikit_learn(rng):
    truth, predicted = pair(rng)
    expected = multilabel_confusion_matrix(truth, predicted)
    for make in (np.asarray, sp.csr_matrix, sp.coo_array):
        counts = Outcome.from_sets(make(truth), make(predicted)).per_class()
        assert (
            np.stack([[counts.tn, counts.fp], [counts.fn, counts.tp]]).transpose(2, 0, 1).tolist()
            == expected.tolist()
        )
        assert Outcome.from_sets(make(truth), make(predicted)).per_class() == counts


def test_single_labels_are_the_special_case(rng):
    """One gold and one predicted label each: the counts, and the averages, of a confusion table."""
    gold, predicted = rng.integers(0, 5, (2, 300))
    table = Outcome.from_columns(gold, predicted, labels=range(5))
    counts = Outcome.from_sets(np.eye(5)[gold], np.eye(5)[predicted]).per_class()
    assert [counts.correct.tolist(), counts.predicted.tolist(), counts.gold.tolist(), counts.n] == [
        *(getattr(table.per_class(), name).tolist() for name in ("correct", "predicted", "gold")),
        table.n,
    ]
    assert averages(counts).tolist() == averages(table).tolist()
