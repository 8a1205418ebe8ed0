"""Scores of one class against scikit-learn's binary scores, undefined cases included."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn import metrics as peer

from helpers.metrics import ClassCounts, Outcome, RankingOutcome, averages, direction_scores, official_scores
from helpers.metrics.scores import CLASS_SCORES, _f_beta, ratio, resolve_score


def one_vs_rest(tp, fp, fn, tn):
    """The counts of one class in each of some tables."""
    correct, predicted, gold = (np.asarray(count)[..., None] for count in (tp, tp + fp, tp + fn))
    return ClassCounts(correct, predicted, gold, np.asarray(tp + fp + fn + tn))


ORACLES = {
    "precision": lambda g, p: peer.precision_score(g, p, zero_division=np.nan),
    "recall": lambda g, p: peer.recall_score(g, p, zero_division=np.nan),
    "f1": lambda g, p: peer.f1_score(g, p, zero_division=np.nan),
    "f2": lambda g, p: peer.fbeta_score(g, p, beta=2, zero_division=np.nan),
    "f0.5": lambda g, p: peer.fbeta_score(g, p, beta=0.5, zero_division=np.nan),
    "accuracy": peer.accuracy_score,
    "jaccard": lambda g, p: peer.jaccard_score(g, p, zero_division=0) if (g | p).any() else np.nan,
    "specificity": lambda g, p: peer.recall_score(~g, ~p, zero_division=np.nan),
    "mcc": lambda g, p: peer.matthews_corrcoef(g, p) if len({*g}) == len({*p}) == 2 else np.nan,
}


@pytest.mark.parametrize("score", sorted({*ORACLES, *CLASS_SCORES}))
def test_scores_agree_with_scikit_learn_alone_and_for_many_classes(score, rng):
    function, cells, expected = resolve_score(score)[1], [], []
    for n in (1, 2, 5, 30, 300):
        for share in (0.0, 0.1, 0.5, 1.0):
            gold, predicted = rng.random((2, n)) < share
            pairs = ((gold & predicted), (~gold & predicted), (gold & ~predicted), (~gold & ~predicted))
            cells.append([pair.sum() for pair in pairs])
            expected.append(ORACLES[score](gold, predicted))
    alone = [function(one_vs_rest(*each)).item() for each in cells]
    assert alone == pytest.approx(expected, abs=1e-12, nan_ok=True)
    together = function(one_vs_rest(*np.array(cells).T.reshape(4, 4, 5)))[..., 0]
    assert together.ravel() == pytest.approx(np.array(expected), abs=1e-12, nan_ok=True)


def test_counts_of_millions_do_not_overflow():
    many = np.array(3_000_000_000)
    assert CLASS_SCORES["mcc"](one_vs_rest(many, many * 0, many * 0, many)) == 1
    assert CLASS_SCORES["mcc"](one_vs_rest(many, many, many, many)) == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: resolve_score("presicion"), "unknown class score 'presicion'.*did you mean 'precision'"),
        (lambda: resolve_score("xyz"), "Known: precision, recall, f1, "),
        (lambda: resolve_score("f0"), "beta is 0: it has to be a finite positive number"),
        (lambda: _f_beta(0), "beta is 0"),
        (lambda: _f_beta(np.nan), "beta is nan"),
        (lambda: _f_beta(np.inf), "beta is inf"),
        (lambda: ratio(-0.5, 1), r"a score is -0.5, which is not in \[0, 1\]"),
        (lambda: ratio(1.5, 1), "a score is 1.5"),
    ],
)
def test_unknown_scores_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_scores_outside_their_range_are_refused():
    """Sums that wrapped, which `from_rows` refuses by their total, are not believed elsewhere either."""
    labels, outside = ("R(e1,e2)", "R(e2,e1)"), r"is -?[0-9.e+]+, which is not in \[0, 1\]|support has to be"
    gold_and_predicted = {"gold": np.array([0, 0, 1]), "predicted": np.array([0, 1, 1])}
    for table in ([2**62, 2**62, 2**62], [-3, 5, 1]):
        for score in (averages, official_scores):
            with pytest.raises(ValueError, match=outside):
                score(Outcome(gold_and_predicted, np.array(table), labels))
    roles = {"gold": np.array([0, 0]), "predicted": np.array([0, 1]), "paired": np.array([1, 1])}
    with pytest.raises(ValueError, match="a score is -2, which is not in"):
        direction_scores(Outcome(roles, np.array([3, -2]), labels), performance=lambda _: 0.5)
    ranked = RankingOutcome.from_top(csr_array([[0, 1]] * 2), np.array([[1], [0]]))
    with pytest.raises(ValueError, match="a score is"):
        replace(ranked, counts=np.array([3, -2])).scores([1])


def test_the_whole_range_of_a_score_is_accepted():
    wrong = Outcome.from_columns([*"aaaaaaabbbbbb"], [*"bbbbbbbaaaaaa"])  # the weights add up to 1 + 2e-16
    assert averages(wrong, score="mcc").tolist() == [-1.0] * 5
    assert averages(wrong.of("gold")).tolist() == [1.0] * 5
    assert averages(wrong, score=lambda counts: counts.fp * 7.0).min() > 1  # of one's own: any number
    assert ratio([-1e-12, 1 + 1e-12, np.nan], 1).shape == (3,)
