"""Bootstrap intervals and paired tests: reproducible, of the right width, refused where they mean nothing."""

import inspect
from functools import partial

import numpy as np
import pytest
from scipy import stats

from helpers import metrics
from helpers.metrics import Outcome, averages, bootstrap_intervals, paired_bootstrap
from helpers.metrics.bootstrap import _replicates_of, unpaired_bootstrap
from helpers.metrics.report import ClassReport


def accuracy(table):
    return table.accuracy


def table_with(right, wrong):
    return Outcome.from_columns(["a"] * (right + wrong), ["a"] * right + ["b"] * wrong)


def two_systems(both, first_only, second_only, neither=0):
    first = ["a"] * (both + first_only) + ["b"] * (second_only + neither)
    second = ["a"] * both + ["b"] * first_only + ["a"] * second_only + ["b"] * neither
    outcome = Outcome.from_columns(["a"] * len(first), first, second=second, labels=["a", "b"])
    return outcome, outcome.of("second")


def test_the_interval_agrees_with_scipys_bootstrap_of_the_samples(rng):
    options = {"n_resamples": 9999, "method": "percentile", "rng": np.random.default_rng(3), "batch": 1000}
    expected = stats.bootstrap((np.repeat([1.0, 0.0], [700, 300]),), np.mean, **options).confidence_interval
    found = bootstrap_intervals(table_with(700, 300), accuracy, rng, 9999)
    # an interval of 90 % in place of 95 % would end 0.0046 further in: half of it is the limit
    assert (found.low, found.high) == pytest.approx(tuple(expected), abs=0.0023, rel=0)
    assert found.value == 0.7


def test_ten_thousand_replicates_are_drawn_unless_told():
    drawing = (bootstrap_intervals, paired_bootstrap, unpaired_bootstrap)
    for function in (*drawing, metrics.RankingOutcome.intervals, metrics.MultilabelOutcome.intervals):
        assert inspect.signature(function).parameters["replicates"].default == 10_000


def test_blocks_of_replicates_stay_small_when_labels_are_many(rng):
    gold, first, second = rng.integers(0, 600, (3, 500))
    outcome, sizes = Outcome.from_columns(gold, first, second=second, labels=range(600)), []

    def statistic(table):
        sizes.append(table.counts.nbytes + 3 * table.per_class().gold.nbytes)
        return np.zeros(len(np.atleast_1d(table.n)))

    assert len(_replicates_of(outcome, statistic, rng, 900)) == 900
    assert len(sizes) > 2 and max(sizes) <= 8e6


def test_the_p_value_is_that_of_a_sign_test(rng):
    """20 against 10 discordant samples: normal approximation of McNemar's test."""
    test = paired_bootstrap(*two_systems(50, 20, 10, 20), accuracy, rng, 5000)
    variance = 30 / 100 - 0.1**2
    assert test.p == pytest.approx(2 * stats.norm.sf(0.1 / np.sqrt(variance / 100)), abs=0.02)
    ends = [paired_bootstrap(*two_systems(9, n, 0), accuracy, rng, 1).p for n in (0, 90)]
    assert ends == [1, 1 / 2] and bootstrap_intervals(table_with(1, 0), accuracy, rng, 1).low == 1


def test_unpaired_p_and_interval_are_those_of_two_shares(rng):
    """70 of 100 against 60 of 120, by the normal approximation."""
    first, second = table_with(70, 30), table_with(60, 60)
    test = unpaired_bootstrap(first, second, accuracy, rng, 8000)
    error = np.sqrt(0.7 * 0.3 / 100 + 0.5 * 0.5 / 120)
    assert test.value == pytest.approx(0.2)
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


def test_what_is_undefined_has_no_p_value_and_undefined_replicates_are_left_out(rng):
    def often_undefined(table):
        value = np.asarray(accuracy(table), dtype=float)
        return np.where(value > 0.6, np.nan, value)

    def undefined(table):  # nan ≥ nan is false, which would make it look significant
        return np.asarray(table.n) * np.nan

    test = paired_bootstrap(*two_systems(50, 10, 10), undefined, rng, 99)
    assert np.isnan([test.value, test.low, test.high, test.p]).all()
    assert bootstrap_intervals(table_with(55, 45), often_undefined, rng, 400).high <= 0.6
    nowhere = bootstrap_intervals(table_with(55, 45), undefined, rng, 50)
    assert np.isnan([nowhere.value, nowhere.low, nowhere.high]).all()
    weighed = Outcome.from_columns(["a", "b"], ["a", "a"], sample_weight=[0.5, 1.0])
    with pytest.raises(ValueError, match="sample weights cannot be resampled"):
        bootstrap_intervals(weighed, accuracy, rng, 10)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [({"replicates": value}, ValueError, f"replicates is {value}") for value in (0, -1, 2.5)]
    + [({"rng": value}, TypeError, "numpy.random.Generator") for value in (None, 1, np.random.RandomState(1))]
    + [({"statistic": lambda table: 0.5}, ValueError, "axis of replicates")],
)
def test_what_cannot_be_drawn_is_named(change, error, message, rng):
    given = {"table": table_with(6, 4), "statistic": accuracy, "rng": rng, "replicates": 10}
    with pytest.raises(error, match=message):
        bootstrap_intervals(**given | change)


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (40, 40), (3, 5), (600, 1000)])
def test_wilson_is_scipys(successes, n):
    low, high = ClassReport(n, (), None, successes / n, (), (), {}, {}, "f1", "").accuracy_interval
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high))
    assert 0 <= low <= successes / n <= high <= 1
