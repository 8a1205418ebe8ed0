"""Rank agreement, flips, crossings on the α axis, and scores without one class."""

import numpy as np
import pytest
from scipy.stats import kendalltau

from helpers.metrics import Outcome
from helpers.metrics.agreement import (
    alpha_crossings,
    alpha_spectrum,
    flips,
    leave_one_class_out,
    rank_agreement,
    resampled_agreement,
)
from helpers.metrics.averaging import average, averages
from helpers.metrics.weighting import power


def test_rank_agreement_is_kendalls_tau(rng):
    scores = rng.integers(0, 6, (12, 4)) / 10  # with ties
    found = rank_agreement(scores)
    for i in range(4):
        for j in range(4):
            assert found[i, j] == pytest.approx(kendalltau(scores[:, i], scores[:, j]).statistic, abs=1e-12)


def test_a_scheme_that_ties_all_systems_ranks_none():
    assert np.isnan(rank_agreement([[0.1, 0.5], [0.2, 0.5]])[0, 1])


def test_flips_are_sorted_by_how_far_apart_the_pair_is():
    first, second = {"a": 0.9, "b": 0.5, "c": 0.1, "d": 0.1}, {"a": 0.1, "b": 0.3, "c": 0.8, "d": 0.1}
    assert flips(first, second) == [("a", "c"), ("b", "c"), ("a", "b")]
    assert flips(first, first) == []


@pytest.fixture
def pair():
    """The first system is better on the large class, the second on the small one."""
    gold = ["a"] * 50 + ["b"] * 5
    first = Outcome.from_columns(gold, ["a"] * 55)
    second = Outcome.from_columns(gold, ["a"] * 30 + ["b"] * 25)
    return first, second


def test_the_spectrum_goes_from_macro_to_weighted(pair):
    spectrum = alpha_spectrum(pair[0])
    assert len(spectrum) == 101
    for alpha, scheme in ((0, "macro"), (75, "dodrans"), (100, "weighted")):
        assert spectrum[alpha] == pytest.approx(average(pair[0], scheme), abs=1e-12)


def test_systems_are_equal_where_they_cross(pair):
    (alpha,) = alpha_crossings(*pair)
    assert alpha_crossings(*pair[::-1]) == pytest.approx([alpha], abs=1e-8)
    scores = [average(table, power(alpha)) for table in pair]
    assert scores[0] == pytest.approx(scores[1], abs=1e-8)
    around = [
        average(pair[0], power(alpha + step)) - average(pair[1], power(alpha + step))
        for step in (-0.01, 0.01)
    ]
    assert around[0] < 0 < around[1]


def test_no_crossing_where_one_system_leads_or_both_are_equal(pair):
    perfect = Outcome.from_columns(["a"] * 50 + ["b"] * 5, ["a"] * 50 + ["b"] * 5)
    assert alpha_crossings(perfect, pair[0]) == []
    assert alpha_crossings(pair[0], pair[0]) == []


def test_leaving_a_class_out_is_averaging_the_others():
    table = Outcome.from_columns(list("aaabbcNN"), list("aabbcNaN"))
    found = leave_one_class_out(table, "weighted", negative="N")
    assert list(found) == ["a", "b", "c"]
    assert found["a"] == average(table, "weighted", negative="N", labels=["b", "c"])


def test_false_alarms_of_unsupported_classes_stay_in_micro():
    """'c' is predicted but never gold: its false alarm counts in micro, with or without 'a'."""
    table = Outcome.from_columns(list("aabbN"), list("aabcc"))
    found = leave_one_class_out(table, "micro", negative="N")
    assert found["a"] == average(table, "micro", negative="N", labels=["b", "c"])
    assert found["a"] == pytest.approx(2 * 1 / (3 + 2), abs=1e-12)


@pytest.mark.parametrize(
    "policy", [{}, {"labels": "observed"}, {"labels": "listed"}, {"labels": ["a", "c", "z"]}]
)
def test_the_label_policy_is_kept(policy):
    table = Outcome.from_columns(list("aab"), list("acb"), labels=list("abcz"))
    found = leave_one_class_out(table, **policy)
    skip = {} if policy.get("labels") in ("observed", "listed") else {"zero_support": "skip"}
    for left_out in found:
        kept = [label for label in found if label != left_out]
        assert found[left_out] == average(table, "macro", labels=kept, **skip or {"zero_support": "zero"})


def test_resampled_agreement_is_that_of_each_replicate():
    """By hand: the same draws, each replicate ranked by itself against the original."""
    tables = [
        Outcome.from_rows([(0, 0, n), (0, 1, 60 - n), (1, 1, 20 + n)], ("a", "b")) for n in (20, 23, 26, 30)
    ]
    found = resampled_agreement(tables, np.random.default_rng(3), 40, ["micro", "macro"])
    assert found.shape == (40, 2) and 0.2 < found.mean() < 0.98
    rng = np.random.default_rng(3)
    drawn = [averages(table.resample(rng, 40), ["micro", "macro"], classes_of=table) for table in tables]
    original = [averages(table, ["micro", "macro"]) for table in tables]
    for replicate in (0, 17, 39):
        for scheme in (0, 1):
            ranks = [one[scheme] for one in original], [one[replicate, scheme] for one in drawn]
            assert found[replicate, scheme] == pytest.approx(kendalltau(*ranks).statistic, abs=1e-12)
    with pytest.raises(ValueError, match="at least two systems"):
        resampled_agreement(tables[:1], rng, 2)
