"""Agreement of rankings, flips, crossings on the α axis, scores without one class, and calibration."""

import math

import numpy as np
import pytest
from scipy.stats import kendalltau

from helpers.metrics import ALPHAS, Outcome, alpha_crossings, average, averages, calibration, flips
from helpers.metrics.agreement import leave_one_class_out, resampled_agreement
from helpers.metrics.scores import power


def test_flips_are_sorted_by_how_far_apart_the_pair_is():
    first, second = {"a": 0.9, "b": 0.8, "c": 0.1, "d": 0.1}, {"a": 0.1, "b": 0.3, "c": 0.4, "d": 0.1}
    assert flips(first, second) == [("a", "c"), ("b", "c"), ("a", "b")]
    assert flips(first, first) == flips(second, second) == []


@pytest.fixture
def pair():
    """The first system is better on the large class, the second on the small one."""
    gold = ["a"] * 50 + ["b"] * 5
    return [Outcome.from_columns(gold, ["a"] * n + ["b"] * (55 - n)) for n in (55, 30)]


def test_the_spectrum_goes_from_macro_to_weighted(pair):
    spectrum = averages(pair[0], [power(alpha) for alpha in ALPHAS])
    expected = [average(pair[0], scheme) for scheme in ("macro", "dodrans", "weighted")]
    assert len(spectrum) == 101 and spectrum[[0, 75, 100]] == pytest.approx(expected, abs=1e-12)


def test_systems_are_equal_where_they_cross(pair):
    (alpha,) = alpha_crossings(*pair)
    assert alpha_crossings(*pair[::-1]) == pytest.approx([alpha], abs=1e-8)
    lead = [np.subtract(*(average(table, power(alpha + by)) for table in pair)) for by in (-0.01, 0, 0.01)]
    assert lead[0] < 0 < lead[2] and lead[1] == pytest.approx(0, abs=1e-8)
    perfect = Outcome.from_columns(["a"] * 50 + ["b"] * 5, ["a"] * 50 + ["b"] * 5)
    assert alpha_crossings(perfect, pair[0]) == alpha_crossings(pair[0], pair[0]) == []


def test_leaving_a_class_out_is_averaging_the_others():
    table = Outcome.from_columns(list("aaabbcNN"), list("aabbcNaN"))
    found = leave_one_class_out(table, "weighted", negative="N")
    assert list(found) == ["a", "b", "c"]
    assert found["a"] == average(table, "weighted", negative="N", labels=["b", "c"])
    table = Outcome.from_columns(list("aabbN"), list("aabcc"))
    found = leave_one_class_out(table, "micro", negative="N")  # the false alarm of c, never gold, counts
    assert found["a"] == average(table, "micro", negative="N", labels=["b", "c"])
    assert found["a"] == pytest.approx(2 * 1 / (3 + 2), abs=1e-12)


@pytest.mark.parametrize("policy", [{}, *({"labels": labels} for labels in ("observed", "listed", [*"acz"]))])
def test_the_label_policy_is_kept(policy):
    table = Outcome.from_columns(list("aab"), list("acb"), labels=list("abcz"))
    found = leave_one_class_out(table, **policy)
    rule = "zero" if isinstance(policy.get("labels"), str) else "skip"
    for left_out, score in found.items():
        assert score == average(table, "macro", labels=[*found.keys() - {left_out}], zero_support=rule)


def test_resampled_agreement_is_that_of_each_replicate():
    """By hand: the same draws, each replicate ranked by itself against the original."""
    schemes = ["micro", "macro"]
    tables = [Outcome.from_rows([(0, 0, n), (0, 1, 60 - n), (1, 1, 20 + n)], "ab") for n in (20, 23, 26, 30)]
    found = resampled_agreement(tables, np.random.default_rng(3), 40, schemes)
    assert found.shape == (40, 2) and 0.2 < found.mean() < 0.98
    rng = np.random.default_rng(3)
    drawn = np.array([averages(table.resample(rng, 40), schemes, classes_of=table) for table in tables])
    original = np.array([averages(table, schemes) for table in tables])
    for replicate, scheme in ((0, 0), (17, 1), (39, 0)):
        expected = kendalltau(original[:, scheme], drawn[:, replicate, scheme]).statistic
        assert found[replicate, scheme] == pytest.approx(expected, abs=1e-12)
    with pytest.raises(ValueError, match="at least two systems"):
        resampled_agreement(tables[:1], rng, 2)


def test_bins_hold_their_upper_end_and_empty_ones_are_undefined() -> None:
    sure = calibration([0.0, 0.1, 0.3, 0.7, 1.0], [0, 1, 1, 0, 1])
    assert sure.bins["n"].tolist() == [2, 0, 1, 0, 0, 0, 1, 0, 0, 1]
    assert sure.ece == pytest.approx((2 * 0.45 + 0.7 + 0.7 + 0) / 5)
    assert [math.isnan(value) for value in sure.bins["accuracy"]] == [n == 0 for n in sure.bins["n"]]


def test_one_bin_compares_the_means_and_a_perfect_system_has_no_error(rng) -> None:
    stated, right = rng.random(500), rng.random(500) < 0.5
    assert calibration(stated, right, bins=1).ece == pytest.approx(abs(stated.mean() - right.mean()))
    assert calibration([1.0, 0.0], [True, False]).ece == 0


@pytest.mark.parametrize(
    ("confidence", "right", "bins", "said"),
    [
        ([0.5, 1.5], [1, 0], 10, r"confidence\[1\] is 1.5"),
        ([float("nan")], [1], 10, r"confidence\[0\] is nan"),
        ([0.5], [1, 0], 10, "shape"),
        ([], [], 10, "at least 1"),
        ([0.5], [1], 0, "bins is 0"),
    ],
)
def test_bad_confidences_are_refused(confidence, right, bins, said) -> None:
    with pytest.raises(ValueError, match=said):
        calibration(confidence, right, bins)
