"""Counts of labels: scikit-learn's, and those of a confusion table where every instance has one label."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import multilabel_confusion_matrix

from helpers.metrics.averaging import averages
from tests.outcomes import Outcome


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


def test_predictions_may_have_another_form_than_the_truth(rng):
    truth, predicted = pair(rng)
    one, other = (
        Outcome.from_sets(truth, predicted).per_class(),
        Outcome.from_sets(sp.csc_array(truth), predicted.astype(float).tolist()).per_class(),
    )
    assert one == other


def test_a_label_that_does_not_occur_has_a_place():
    counts = Outcome.from_sets([[1, 0, 0]], [[1, 0, 0]], labels=["a", "b", "c"]).per_class()
    assert (counts.gold.tolist(), counts.labels) == ([1, 0, 0], ("a", "b", "c"))


def test_counts_add_up_to_exact_integers(rng):
    truth, predicted = pair(rng, 90)
    whole = Outcome.from_sets(truth, predicted).per_class()
    parts = [Outcome.from_sets(truth[i : i + 7], predicted[i : i + 7]).per_class() for i in range(0, 90, 7)]
    assert sum(parts) == whole
    assert whole.gold.dtype.kind == "i"


def test_matrices_of_different_shapes_are_refused():
    with pytest.raises(ValueError, match=r"predicted has shape \(2, 2\), but truth has \(2, 3\)"):
        Outcome.from_sets(np.zeros((2, 3)), np.zeros((2, 2)))
