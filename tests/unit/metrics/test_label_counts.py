"""Counts of labels: scikit-learn's, and those of a confusion table where every instance has one label."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import multilabel_confusion_matrix

from helpers.metrics.averaging import averages, one_vs_rest
from helpers.metrics.label_sets import label_matrices
from tests.outcomes import Confusion, LabelCounts, LabelSets


def pair(rng, n=60, n_labels=7, share=0.2):
    return rng.random((n, n_labels)) < share, rng.random((n, n_labels)) < share


def test_counts_are_those_of_scikit_learn(rng):
    truth, predicted = pair(rng)
    expected = multilabel_confusion_matrix(truth, predicted)
    for make in (np.asarray, sp.csr_matrix, sp.coo_array):
        counts = LabelCounts.from_matrices(make(truth), make(predicted))
        found = one_vs_rest(counts)
        assert (
            np.stack([[found.tn, found.fp], [found.fn, found.tp]]).transpose(2, 0, 1).tolist()
            == expected.tolist()
        )
        assert LabelSets.from_matrices(make(truth), make(predicted)).label_counts() == counts


def test_single_labels_are_the_special_case(rng):
    """One gold and one predicted label each: the counts, and the averages, of a confusion table."""
    gold, predicted = rng.integers(0, 5, (2, 300))
    table = Confusion.from_arrays(gold, predicted, labels=range(5))
    counts = LabelCounts.from_matrices(np.eye(5)[gold], np.eye(5)[predicted])
    assert [counts.correct.tolist(), counts.predicted.tolist(), counts.gold.tolist(), counts.n] == [
        *(getattr(table, name).tolist() for name in ("correct", "predicted", "gold")),
        table.n,
    ]
    assert averages(counts).tolist() == averages(table).tolist()


def test_predictions_may_have_another_form_than_the_truth(rng):
    truth, predicted = pair(rng)
    one, other = (
        LabelCounts.from_matrices(truth, predicted),
        LabelCounts.from_matrices(sp.csc_array(truth), predicted.astype(float).tolist()),
    )
    assert one == other


def test_a_label_that_does_not_occur_has_a_place():
    counts = LabelCounts.from_matrices([[1, 0, 0]], [[1, 0, 0]], labels=["a", "b", "c"])
    assert (counts.gold.tolist(), counts.labels) == ([1, 0, 0], ("a", "b", "c"))


def test_counts_add_up_to_exact_integers(rng):
    truth, predicted = pair(rng, 90)
    whole = LabelCounts.from_matrices(truth, predicted)
    parts = [LabelCounts.from_matrices(truth[i : i + 7], predicted[i : i + 7]) for i in range(0, 90, 7)]
    assert sum(parts) == whole
    assert whole.gold.dtype.kind == "i"


def test_matrices_of_different_shapes_are_refused():
    with pytest.raises(ValueError, match=r"predicted has shape \(2, 2\), but truth has \(2, 3\)"):
        label_matrices(np.zeros((2, 3)), np.zeros((2, 2)))
