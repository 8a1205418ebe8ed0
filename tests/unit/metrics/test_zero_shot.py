"""Labels that occur in the test data only: both outcomes, and what differs between them."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score
from sklearn.preprocessing import MultiLabelBinarizer

from helpers.metrics.multilabel import with_and_without_test_labels

PROPERTY = settings(max_examples=100)
TRUTH = np.array([[1, 0, 1], [0, 1, 0], [0, 0, 1], [1, 1, 0]])  # column 1 is in the test data only
SCORES = np.array([[0.5, -1], [-1, -2], [-3, 0.5], [2, -1]])
KNOWN = [0, 2]


def both(truth, scores, known, ks, **options):
    found = with_and_without_test_labels(truth, scores, known, max(ks), **options)
    return {included: outcome.scores(ks) for included, outcome in found.items()}


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_by_hand(make):
    found = both(TRUTH, make(SCORES), KNOWN, [1, 2])
    # best labels, as columns of the truth: 0 2 · 0 2 · 2 0 · 0 2
    assert found[False] == pytest.approx(
        {
            **{"P@1": 3 / 4, "R@1": (1 / 2 + 0 + 1 + 1) / 4, "RP@1": 3 / 4, "NDCG@1": 3 / 4},
            **{"P@2": (1 + 0 + 1 / 2 + 1 / 2) / 4, "R@2": 3 / 4, "RP@2": 3 / 4, "NDCG@2": 3 / 4},
            # label 0: TP 2; label 2: TP 1, FN 1
            **{"Macro-F1": (1 + 2 / 3) / 2, "Micro-F1": 6 / 7, "Macro*-F1": 2 * 1 * 0.75 / 1.75},
        }
    )
    ideal = 1 + 1 / np.log2(3)
    assert found[True] == pytest.approx(
        {
            **{"P@1": 3 / 4, "R@1": (1 / 2 + 0 + 1 + 1 / 2) / 4, "RP@1": 3 / 4, "NDCG@1": 3 / 4},
            **{"P@2": (1 + 0 + 1 / 2 + 1 / 2) / 4, "R@2": (1 + 0 + 1 + 1 / 2) / 4},
            **{"RP@2": (1 + 0 + 1 + 1 / 2) / 4, "NDCG@2": (1 + 0 + 1 + 1 / ideal) / 4},
            **{"Macro-F1": (1 + 2 / 3) / 3, "Micro-F1": 6 / 9},
            "Macro*-F1": 2 * (2 / 3) * (1.5 / 3) / (2 / 3 + 1.5 / 3),
        }
    )


def test_an_instance_whose_labels_are_all_unknown_stays_with_an_empty_set():
    outcomes = with_and_without_test_labels(TRUTH, SCORES, KNOWN, 1)
    assert {included: outcome.ranking.n for included, outcome in outcomes.items()} == {False: 4, True: 4}
    assert outcomes[False].ranking.without_labels == 1
    assert outcomes[True].ranking.without_labels == 0


@PROPERTY
@given(st.integers(1, 30), st.integers(1, 6), st.integers(0, 4), st.integers(0, 10**6), st.data())
def test_what_the_switch_changes(n, n_known, n_new, seed, data):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, n_known + n_new)) < 0.3
    scores, known = rng.normal(size=(n, n_known)), rng.permutation(n_known + n_new)[:n_known]
    k = data.draw(st.integers(1, n_known))
    without, included = both(truth, scores, known, [k]).values()
    gold = truth[:, known]
    hit = np.take_along_axis(gold, np.argsort(-scores, axis=1)[:, :k], axis=1).any(axis=1)
    grown = hit & (truth.sum(axis=1) > gold.sum(axis=1))  # a label more that the model cannot reach
    short = grown & (gold.sum(axis=1) < k)
    falls = {"P": False, "R": grown.any(), "RP": short.any(), "NDCG": short.any()}
    for name, expected in falls.items():
        assert (without[f"{name}@{k}"] - included[f"{name}@{k}"] > 1e-9) == expected
        assert included[f"{name}@{k}"] <= without[f"{name}@{k}"] + 1e-12
    assert included["Macro-F1"] == pytest.approx(without["Macro-F1"] * n_known / (n_known + n_new), abs=1e-12)
    assert included["Micro-F1"] <= without["Micro-F1"] + 1e-12


@pytest.mark.parametrize(
    ("known", "depth", "message"),
    [
        ([0, 3], 1, r"columns\[1\] is 3, but truth has 3 columns"),
        ([0], 1, r"scores has shape \(4, 2\), but truth has \(4, 1\)"),
        ([0, 2], 3, "depth is 3, but there are 2 labels"),
    ],
)
def test_what_does_not_fit_is_refused(known, depth, message):
    with pytest.raises(ValueError, match=message):
        with_and_without_test_labels(TRUTH, SCORES, known, depth)


def test_what_scikit_learn_does_with_labels_of_the_test_data():
    """L, Section 2.1, says that it leaves them out: its binariser does, its F1 of label names does not."""
    binariser = MultiLabelBinarizer().fit([["a"], ["b"]])
    with pytest.warns(UserWarning, match="unknown class"):
        assert binariser.transform([["a", "new"]]).tolist() == [[1, 0]]
    assert f1_score(["a", "b", "new"], ["a", "b", "b"], average="macro") == pytest.approx((1 + 2 / 3 + 0) / 3)
