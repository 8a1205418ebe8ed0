"""Bootstrap intervals and paired tests: reproducible, of the right width, refused where they mean nothing."""

from functools import partial

import numpy as np
import pytest
from scipy import stats

from helpers.metrics import Outcome
from helpers.metrics.averaging import averages
from helpers.metrics.bootstrap import (
    bootstrap_intervals,
    paired_bootstrap,
    replicates_of,
    unpaired_bootstrap,
)


def accuracy(table):
    return table.accuracy


def table_with(right, wrong):
    return Outcome.from_columns(["a"] * (right + wrong), ["a"] * right + ["b"] * wrong)


def two_systems(both, first_only, second_only, neither=0):
    first = ["a"] * (both + first_only) + ["b"] * (second_only + neither)
    second = ["a"] * both + ["b"] * first_only + ["a"] * second_only + ["b"] * neither
    outcome = Outcome.from_columns(["a"] * len(first), first, second=second, labels=["a", "b"])
    return outcome, outcome.of("second")


@pytest.mark.parametrize("call", [
    lambda seed: bootstrap_intervals(table_with(60, 40), averages, np.random.default_rng(seed), 300),
    lambda seed: paired_bootstrap(*two_systems(50, 12, 9, 29), averages, np.random.default_rng(seed), 300),
])  # fmt: skip
def test_equal_seeds_give_equal_results_and_other_seeds_others(call):
    one, again, other = (vars(call(seed)) for seed in (1, 1, 2))
    assert all(np.array_equal(one[key], again[key]) for key in one)
    assert not np.array_equal(one["low"], other["low"]) or not np.array_equal(one["high"], other["high"])


def test_the_interval_agrees_with_scipys_bootstrap_of_the_samples(rng):
    right = np.repeat([1.0, 0.0], [700, 300])
    expected = stats.bootstrap(
        (right,), np.mean, n_resamples=9999, method="percentile", rng=np.random.default_rng(3), batch=1000
    ).confidence_interval
    found = bootstrap_intervals(table_with(700, 300), accuracy, rng, 9999)
    # an interval of 90 % in place of 95 % would end 0.0046 further in: half of it is the limit
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.0023, rel=0)
    assert found.value == 0.7


def test_a_95_per_cent_interval_covers_the_truth_95_times_in_100(rng):
    truth, covered = 0.7, 0
    for _ in range(300):
        right = int(rng.binomial(400, truth))
        interval = bootstrap_intervals(table_with(right, 400 - right), accuracy, rng, 400)
        covered += interval.low <= truth <= interval.high
    assert 0.91 < covered / 300 < 0.985  # standard error 0.0126


def test_blocks_of_replicates_stay_small_when_labels_are_many(rng):
    gold, first, second = rng.integers(0, 600, (3, 500))
    outcomes = Outcome.from_columns(gold, first, second=second, labels=range(600))
    sizes = []

    def statistic(table):
        sizes.append(table.counts.nbytes + 3 * table.per_class().gold.nbytes)
        return np.zeros(len(np.atleast_1d(table.n)))

    replicates_of(outcomes, statistic, rng, 20)
    assert max(sizes) <= 64e6


def test_the_p_value_is_that_of_a_sign_test(rng):
    """20 against 10 discordant samples: normal approximation of McNemar's test."""
    found = paired_bootstrap(*two_systems(50, 20, 10, 20), accuracy, rng, 5000).p
    variance = 30 / 100 - 0.1**2
    assert found == pytest.approx(2 * stats.norm.sf(0.1 / np.sqrt(variance / 100)), abs=0.02)


def test_unpaired_p_and_interval_are_those_of_two_shares(rng):
    """70 of 100 against 60 of 120, by the normal approximation."""
    first, second = table_with(70, 30), table_with(60, 60)
    test = unpaired_bootstrap(first, second, accuracy, rng, 8000)
    error = np.sqrt(0.7 * 0.3 / 100 + 0.5 * 0.5 / 120)
    assert test.difference == pytest.approx(0.2) and test.replicates == 8000
    ends = stats.norm.interval(0.95, 0.2, error)
    assert (test.low, test.high) == pytest.approx(ends, abs=0.1 * error)  # wrongly paired: 0.5 errors off
    assert test.p == pytest.approx(2 * stats.norm.sf(0.2 / error), abs=0.002)


def test_p_and_interval_never_disagree(rng):
    """p < .05 where the 95 % interval leaves out 0, and only there; rare classes and ties included."""
    said = []
    for seed in range(60):
        gold, first, second = np.random.default_rng(seed).choice(list("aabc"), (3, 40))
        first = np.where(np.arange(40) < 10 + seed % 9, gold, first)
        outcomes = Outcome.from_columns(gold, first, second=second)
        statistic = partial(averages, classes_of=outcomes)
        test = paired_bootstrap(outcomes, outcomes.of("second"), statistic, rng, 100)
        said += ((test.low > 0) | (test.high < 0)).tolist()
        assert said[-len(test.p) :] == (test.p < 0.05).tolist()
    assert 20 < sum(said) < 280


def test_equal_systems_are_called_different_one_time_in_twenty(rng):
    called = 0
    for _ in range(300):
        first, second, _ = rng.multinomial(300, [0.1, 0.1, 0.8])
        called += (
            paired_bootstrap(*two_systems(300 - first - second, first, second), accuracy, rng, 300).p <= 0.05
        )
    assert 0.015 < called / 300 < 0.09  # standard error 0.0126


def test_an_undefined_difference_has_no_p_value(rng):
    """nan ≥ nan is false, which would make the undefined look significant."""

    def undefined(table):
        return np.asarray(table.n) * np.nan

    test = paired_bootstrap(*two_systems(50, 10, 10), undefined, rng, 99)
    assert np.isnan([test.difference, test.low, test.high, test.p]).all()


def test_undefined_replicates_are_left_out(rng):
    def often_undefined(table):
        value = np.asarray(accuracy(table), dtype=float)
        return np.where(value > 0.6, np.nan, value)

    interval = bootstrap_intervals(table_with(55, 45), often_undefined, rng, 400)
    assert interval.high <= 0.6
    nowhere = bootstrap_intervals(table_with(55, 45), lambda table: accuracy(table) * np.nan, rng, 50)
    assert np.isnan([nowhere.value, nowhere.low, nowhere.high]).all()


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, float("nan")])
def test_confidence_is_a_share(confidence, rng):
    with pytest.raises(ValueError, match=f"confidence is {confidence}"):
        bootstrap_intervals(table_with(6, 4), accuracy, rng, 10, confidence)


@pytest.mark.parametrize("replicates", [0, -1, 2.5])
def test_replicates_are_a_positive_number(replicates, rng):
    with pytest.raises(ValueError, match=f"replicates is {replicates}"):
        bootstrap_intervals(table_with(6, 4), accuracy, rng, replicates)


@pytest.mark.parametrize("rng", [None, 1, np.random.RandomState(1)])
def test_the_generator_is_passed_in(rng):
    with pytest.raises(TypeError, match="rng has to be a numpy.random.Generator"):
        bootstrap_intervals(table_with(6, 4), accuracy, rng, 10)


def test_weights_are_not_resampled(rng):
    table = Outcome.from_columns(["a", "b"], ["a", "a"], sample_weight=[0.5, 1.0])
    with pytest.raises(ValueError, match="sample weights cannot be resampled"):
        bootstrap_intervals(table, accuracy, rng, 10)


def test_a_statistic_that_forgets_the_replicates_is_refused(rng):
    with pytest.raises(ValueError, match="axis of replicates"):
        bootstrap_intervals(table_with(6, 4), lambda table: 0.5, rng, 10)
