"""F-measures of label sets under every scheme: scikit-learn as oracle, by hand, policies, intervals."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, fbeta_score, jaccard_score, precision_score, recall_score

from helpers.metrics import Outcome
from helpers.metrics.averaging import Policy
from helpers.metrics.multilabel import (
    F_MEASURES,
    averages,
    f_measures,
    label_intervals,
)
from helpers.metrics.weighting import SCHEMES, class_weights, power

PROPERTY = settings(max_examples=100)
ORACLES = {
    "precision": precision_score,
    "recall": recall_score,
    "f1": f1_score,
    "f2": lambda *pair, **options: fbeta_score(*pair, beta=2, **options),
    "jaccard": jaccard_score,
}


def pair(rng, n=80, n_labels=9, share=0.2):
    """The last label is neither gold nor predicted; the one before is predicted only."""
    truth, predicted = rng.random((2, n, n_labels)) < share
    truth[:, -2:] = predicted[:, -1] = False
    return truth, predicted


def f1_by_hand(truth, predicted):
    """(L,) 2TP / (2TP + FP + FN), 0/0 = 0. scikit-learn takes a single column for a binary task."""
    both = truth.sum(axis=0) + predicted.sum(axis=0)
    return 2 * (truth & predicted).sum(axis=0) / np.maximum(both, 1)


def counts_of(rng, *size):
    return Outcome.from_sets(*pair(rng, *size), decision="score>0").per_class()


@pytest.mark.parametrize("score", ORACLES)
def test_averages_over_all_labels_are_those_of_scikit_learn(score, rng):
    for share in (0.02, 0.2, 0.6):
        truth, predicted = pair(rng, share=share)
        counts = Outcome.from_sets(truth, predicted).per_class()
        found = averages(counts, ["micro", "macro", "weighted"], score)
        for name, value in zip(["micro", "macro", "weighted"], found, strict=True):
            expected = ORACLES[score](truth, predicted, average=name, zero_division=0)
            assert value == pytest.approx(expected, abs=1e-12)


def test_micro_pools_the_false_alarms_of_labels_without_support(rng):
    counts = counts_of(rng)
    values = [averages(counts, ["micro"], labels=labels)[0] for labels in ("listed", "supported", "observed")]
    assert len(set(values)) == 1
    restricted = averages(counts, ["micro"], labels=range(7))[0]
    assert restricted > values[0]  # a list of labels pools these only


@pytest.mark.parametrize("scheme", ["weighted", "dodrans", "entropy", "macro", "n^0.5", power(0.25)])
def test_schemes_are_class_weights_times_label_scores(scheme, rng):
    truth, predicted = pair(rng)
    support, f1 = truth.sum(axis=0), f1_score(truth, predicted, average=None, zero_division=0)
    expected = class_weights(support, scheme, support.sum(), np.ones(9, bool)) @ f1
    found = averages(Outcome.from_sets(truth, predicted).per_class(), [scheme])[0]
    assert found == pytest.approx(expected, abs=1e-12)


def test_entropy_is_of_the_label_assignments_and_not_of_the_instances():
    """A label on every instance has a share of the assignments below 1, so it weighs something."""
    truth = np.array([[1, 1, 0], [1, 0, 0], [1, 0, 1], [1, 0, 0]])
    counts = Outcome.from_sets(truth, truth * [1, 0, 0]).per_class()
    support = np.array([4, 1, 1])
    weights = -support / 6 * np.log(support / 6)
    assert averages(counts, ["entropy"])[0] == pytest.approx(weights[0] / weights.sum(), abs=1e-12)
    per_instance = -support / 4 * np.log(support / 4)
    assert per_instance[0] == 0  # that is what N = n would say


def test_the_three_measures_by_hand():
    truth = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0]]
    predicted = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0], [0, 0, 0, 0]]
    # TP 1 2 0 0 · FP 1 0 0 0 · FN 1 0 1 0
    found = f_measures(Outcome.from_sets(truth, predicted).per_class())
    assert list(found) == list(F_MEASURES)
    assert found["Macro-F1"] == pytest.approx((1 / 2 + 1 + 0 + 0) / 4)
    assert found["Micro-F1"] == pytest.approx(6 / (6 + 1 + 2))
    p, r = (1 / 2 + 1) / 4, (1 / 2 + 1) / 4
    assert found["Macro*-F1"] == pytest.approx(2 * p * r / (p + r))
    assert all(type(value) is float for value in found.values())


def test_micro_f1_has_the_factor_that_the_document_forgot():
    """Without it a perfect prediction would have 0.5."""
    assert f_measures(Outcome.from_sets([[1, 0], [1, 1]], [[1, 0], [1, 1]]).per_class())["Micro-F1"] == 1


def test_the_f_of_means_is_the_harmonic_mean_of_averages(rng):
    truth, predicted = pair(rng)
    p, r = (
        ORACLES[name](truth, predicted, average="macro", zero_division=0) for name in ("precision", "recall")
    )
    found = f_measures(Outcome.from_sets(truth, predicted).per_class())["Macro*-F1"]
    assert found == pytest.approx(2 * p * r / (p + r), abs=1e-12)


@PROPERTY
@given(st.integers(1, 30), st.integers(1, 8), st.floats(0, 1), st.floats(0, 1), st.integers(0, 10**6))
def test_what_holds_for_every_prediction(n, n_labels, share, guessed, seed):
    rng = np.random.default_rng(seed)
    truth, predicted = rng.random((n, n_labels)) < share, rng.random((n, n_labels)) < guessed
    counts = Outcome.from_sets(truth, predicted).per_class()
    found, schemes = f_measures(counts), dict(zip(SCHEMES, averages(counts).tolist(), strict=True))
    assert all(0 <= value <= 1 for value in [*found.values(), *schemes.values()])  # and never nan
    assert found["Macro*-F1"] >= found["Macro-F1"] - 1e-12  # Opitz & Burst 2019
    assert (found["Macro-F1"], found["Micro-F1"]) == (schemes["macro"], schemes["micro"])
    f1 = f1_by_hand(truth, predicted)
    for name in SCHEMES[1:]:  # weights are not negative and add up to 1 (D0)
        assert f1.min() - 1e-12 <= schemes[name] <= f1.max() + 1e-12
    perfect = Outcome.from_sets(truth, truth).per_class()
    expected = 1 if truth.any() else 0
    assert averages(perfect, labels="supported") == pytest.approx(np.full(5, expected))


def test_replicates_have_averages_of_their_own(rng):
    sets = Outcome.from_sets(*pair(rng))
    replicates = sets.resample(rng, 6)
    together = averages(replicates.per_class(), classes_of=sets.per_class(), labels="supported")
    measures = f_measures(replicates.per_class())
    assert together.shape == (6, 5)
    for index in range(6):
        one = replace(sets, counts=replicates.counts[index]).per_class()
        alone = averages(one, classes_of=sets.per_class(), labels="supported")
        assert together[index] == pytest.approx(alone, abs=1e-12)
        assert {name: value[index] for name, value in measures.items()} == pytest.approx(f_measures(one))


class TestPolicy:
    def test_signatures_carry_what_a_score_needs(self, rng):
        counts = counts_of(rng)
        tail = "decision:score>0|n:80|labels_n:9|v:0.1"
        listed, supported = Policy.of(counts), Policy.of(counts, labels="supported")
        assert (
            listed.signature(counts, "f1", "macro")
            == f"f1|scheme:macro|labels:listed|zero_support:zero|{tail}"
        )
        assert listed.signature(counts, "f1", "micro") == f"f1|scheme:micro|labels:listed|{tail}"
        assert supported.signature(counts, "f1", "micro") == f"f1|scheme:micro|labels:listed|{tail}"
        assert supported.signature(counts, "f1", "entropy") == (
            f"f1|scheme:entropy|labels:supported|zero_support:skip|normaliser:assignments|{tail}"
        )
        assert listed.signature(counts, "f1") == f"f1|labels:listed|zero_support:zero|{tail}"
        few = Policy.of(counts, labels=[3, 1], zero_division=1)
        assert few.signature(counts, "recall", "macro") == (
            f"recall|scheme:macro|labels:1+3|zero_support:skip|zero_division:1|{tail}"
        )

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"negative": 0}, "negative is 0: multi-label data have no negative class"),
            ({"negative_in_normaliser": True}, "of use with a negative class only"),
            ({"labels": "all"}, "labels is 'all': give one of supported, observed, listed"),
            ({"labels": "supported", "zero_support": "zero"}, "which have support"),
            ({"zero_division": 0.5}, "zero_division is 0.5"),
            ({"labels": [0, 99]}, r"labels\[1\] is 99, which is not in labels \(9 labels\)"),
        ],
    )
    def test_what_is_no_policy_is_refused(self, options, message, rng):
        with pytest.raises(ValueError, match=message):
            averages(counts_of(rng), ["macro"], **options)


class TestIntervals:
    def test_they_agree_with_instances_drawn_one_by_one(self, rng):
        """The same bootstrap the long way: draw rows, count them, average."""
        truth, predicted = pair(rng, 150, 5, 0.3)
        drawn = []
        for _ in range(3000):
            rows = rng.integers(0, 150, 150)
            drawn.append(f1_by_hand(truth[rows], predicted[rows]).mean())
        found = label_intervals(Outcome.from_sets(truth, predicted), rng, ["macro"], replicates=6000)["macro"]
        expected = np.quantile(drawn, [0.025, 0.975])
        # an interval of 90 % would end 0.3 standard deviations further in: half of it is the limit
        assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.15 * np.std(drawn))

    def test_the_averaged_labels_stay_those_of_the_original(self, rng):
        """A label with one gold instance is absent from a third of the replicates, and still counts there."""
        truth = np.zeros((50, 2), int)
        truth[:, 0], truth[0, 1] = 1, 1
        sets = Outcome.from_sets(truth, truth)
        found = label_intervals(sets, rng, ["macro"], replicates=400, labels="supported")["macro"]
        assert (found.value, found.low, found.high) == (1, 0.5, 1)

    def test_equal_seeds_give_equal_intervals_and_the_generator_is_passed_in(self, rng):
        sets = Outcome.from_sets(*pair(rng))
        one, again, other = (
            label_intervals(sets, np.random.default_rng(s), replicates=60) for s in (1, 1, 2)
        )
        assert one == again != other
        with pytest.raises(TypeError, match="numpy.random.Generator"):
            label_intervals(sets, None)


@pytest.mark.parametrize(
    ("schemes", "message"),
    [
        ("macro", "schemes is 'macro': a list of schemes is needed"),
        ([], r"schemes is \[\]"),
        (["macro", "macro"], "two schemes are named 'macro'"),
        (["dodrens"], "did you mean 'dodrans'"),
    ],
)
def test_schemes_are_a_list_of_different_ones(schemes, message, rng):
    with pytest.raises(ValueError, match=message):
        label_intervals(Outcome.from_sets(*pair(rng)), rng, schemes)
