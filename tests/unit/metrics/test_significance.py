"""Tests over runs: scipy as oracle, the published values of Tables 3 and 4, and the degenerate cases."""

import numpy as np
import pytest
from scipy import stats

from helpers.metrics import CORRECTIONS, cohens_d, holm, mean_and_sd, runs_needed
from helpers.metrics.significance import _cohens_d_interval as cohens_d_interval
from helpers.metrics.significance import run_test, runs_power, sawilowsky, welch_from_summary

benjamini_hochberg = CORRECTIONS["bh"]

# mean, SD of PTR and of the other model (5 runs each), d recomputed, d and p as published; micro … macro
TABLES = [
    (72.5, 0.3, 71.5, 0.4, 2.83, 2.8, 3e-3),
    (72.1, 0.5, 67.8, 0.4, 9.50, 8.7, 3e-6),
    (69.8, 0.5, 62.5, 0.4, 16.12, 14.8, 1e-8),
    (70.3, 0.5, 63.6, 0.4, 14.80, 13.5, 2e-8),
    (60.3, 0.8, 43.1, 0.6, 24.32, 24.2, 2e-10),
    (88.4, 0.3, 89.1, 0.3, -2.33, -2.5, 0.005),
    (88.3, 0.3, 89.1, 0.3, -2.67, -2.4, 0.006),
    (88.1, 0.3, 88.7, 0.3, -2.00, -1.8, 0.023),
    (88.0, 0.3, 88.6, 0.3, -2.00, -1.8, 0.023),
    (87.8, 0.5, 82.7, 0.4, 11.26, 11.5, 7e-8),
]
P_FROM_PUBLISHED_D = [2.7e-3, 1.2e-6, 2.2e-8, 4.4e-8, 8.5e-10]  # Table 3


@pytest.mark.parametrize("row", TABLES)
def test_d_from_the_rounded_means_of_the_tables_and_t_from_d(row):
    mean_a, sd_a, mean_b, sd_b, expected, *_ = row
    d, test = cohens_d(mean_a, sd_a, mean_b, sd_b), welch_from_summary(mean_a, sd_a, 5, mean_b, sd_b, 5)
    assert d == pytest.approx(expected, abs=0.005, rel=0)
    assert test.t == pytest.approx(d * np.sqrt(5 / 2), rel=1e-12)


def test_p_from_the_published_d_needs_sample_standard_deviations():
    """With ddof = 0 the SDs are √(4/5) of the sample SDs, and t at the same d is smaller by that much."""

    def p_from(d, sd_a=1.0, sd_b=1.0):
        return welch_from_summary(d * np.hypot(sd_a, sd_b) / np.sqrt(2), sd_a, 5, 0.0, sd_b, 5).p

    for (_, sd_a, _, sd_b, _, d, _), expected in zip(TABLES, P_FROM_PUBLISHED_D, strict=False):
        half_of_the_last_digit = 0.05 * 10 ** np.floor(np.log10(expected))
        assert p_from(d, sd_a, sd_b) == pytest.approx(expected, rel=0, abs=half_of_the_last_digit)
    for d, sample, population in ((-2.5, 0.005, 0.0077), (-1.8, 0.023, 0.034)):
        assert round(p_from(d), 3) == pytest.approx(sample, abs=1.1e-3)
        assert 2 * stats.t.sf(abs(d * np.sqrt(5 / 2) * np.sqrt(4 / 5)), 8) == pytest.approx(
            population, rel=0.03
        )


def test_welch_and_the_pooled_sd_agree_with_scipy(rng):
    for n_a, n_b in ((5, 5), (5, 9), (30, 6)):
        a, b = rng.normal(0.7, 0.02, n_a), rng.normal(0.71, 0.05, n_b)
        expected, test = stats.ttest_ind(a, b, equal_var=False), run_test(a, b)
        found = [test["t"], test["df"], test["p"]]
        assert found == pytest.approx([expected.statistic, expected.df, expected.pvalue], rel=1e-9)
        pooled = np.sqrt(((n_a - 1) * a.var(ddof=1) + (n_b - 1) * b.var(ddof=1)) / (n_a + n_b - 2))
        assert test["d"] == pytest.approx((a.mean() - b.mean()) / pooled)
        assert (test["d_low"], test["d_high"]) == cohens_d_interval(test["d"], n_a, n_b)


@pytest.mark.parametrize("runs", [1, 2, 4, 9])
def test_a_single_run_has_no_p_and_no_d(runs):
    p = welch_from_summary(1, 1, runs, 1, 1, 9).p
    d = run_test([0.7 + run / 100 for run in range(runs)], [0.5, 0.6, 0.7, 0.8, 0.9])["d"]
    assert np.isnan([p, d]).tolist() == [runs < 2] * 2


@pytest.mark.parametrize(("value", "runs"), [(0.5, 5), (0.1, 6), (0.7, 7), (71.3, 11)])
def test_both_sds_zero(value, runs):
    same, other = [value] * runs, [value + 1] * runs
    equal, apart = run_test(same, same), run_test(same, other)
    assert np.isnan([equal[name] for name in ("t", "df", "p")]).all()
    assert (apart["t"], apart["p"]) == (-np.inf, 0.0)
    means = [mean_and_sd(scores)[:2] for scores in (same, other)]
    assert np.isnan(cohens_d(*means[0], *means[0])) and cohens_d(*means[1], *means[0]) == np.inf
    assert np.isnan(cohens_d_interval(np.inf, 5, 5)).all() and np.isnan(cohens_d_interval(1.0, 1, 1)).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: welch_from_summary(1, -0.1, 5, 1, 0.1, 5), "sd_a is -0.1"),
        (lambda: welch_from_summary(1, 0.1, 5, 1, float("nan"), 5), "sd_b is nan"),
        (lambda: welch_from_summary(1, 0.1, -1, 1, 0.1, 5), "n_a is -1"),
        (lambda: cohens_d(1, -0.1, 1, 0.1), "SDs are -0.1 and 0.1"),
        (lambda: run_test([], [1, 2, 3, 4, 5]), "at least one finite number"),
        (lambda: run_test([1, 2, 3, 4, float("nan")], [1, 2, 3, 4, 5]), "at least one finite number"),
        (lambda: holm([0.1, 1.2]), "p_values has to hold numbers between 0 and 1"),
        (lambda: benjamini_hochberg([-0.1]), "p_values has to hold numbers between 0 and 1"),
        (lambda: runs_power(0, 1, 5), "difference is 0"),
        (lambda: runs_power(1, 0, 5), "sd is 0"),
        (lambda: runs_power(1, 1, 1), "runs is 1"),
        (lambda: runs_needed(1, 1, 1), "power is 1: it has to lie between 0.05 and 1"),
        (lambda: runs_needed(1, 1, 0.05), "power is 0.05"),
        (lambda: runs_needed(1e-9, 1), "more than 100,000 runs"),
    ],
)
def test_bad_numbers_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_sawilowskys_words():
    words = {0: "negligible", 0.00999: "negligible", 0.01: "very small", 0.2: "small", -0.5: "medium"}
    words |= {0.79: "medium", 0.8: "large", -1.8: "very large", 2.0: "huge", np.inf: "huge"}
    words |= {np.nan: "undefined"}
    assert {d: sawilowsky(d) for d in words} == words


def test_powers_are_those_of_drawn_runs():
    drawn = np.random.default_rng(1).normal(size=(2, 20_000, 6))
    p = stats.ttest_ind(drawn[0] + 1.2, drawn[1], axis=-1).pvalue
    assert (p < 0.05).mean() == pytest.approx(runs_power(1.2, 1, 6), abs=0.012)
    for difference, runs in ((0.3, 235), (1, 23), (4, 3), (1e9, 2)):  # the smallest number that does
        assert runs_needed(difference, 1, 0.9) == runs
        assert runs_power(difference, 1, runs) >= 0.9 > (runs > 2 and runs_power(-difference, 1, runs - 1))


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-15)
    assert holm([0.5, 0.9]) == [1.0, 1.0] and holm([]) == benjamini_hochberg([]) == []
    expected = [0.02, float("nan"), 0.04]  # missing values are not counted
    assert holm([0.01, float("nan"), 0.04]) == pytest.approx(expected, abs=1e-15, nan_ok=True)


def test_false_discovery_rate_by_hand_and_beside_holm(rng):
    nan = float("nan")
    found = benjamini_hochberg([0.01, 0.02, nan, 0.03, 0.5])
    assert found == pytest.approx([0.04, 0.04, nan, 0.04, 0.5], nan_ok=True)
    p = rng.random(20) ** 3
    rates, adjusted = np.array(benjamini_hochberg(p.tolist())), np.array(holm(p.tolist()))
    assert ((p <= rates) & (rates <= adjusted)).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    assert adjusted.min() == pytest.approx(min(1, 20 * p.min()))


@pytest.mark.parametrize(("d", "n_a", "n_b"), [(2.828, 5, 5), (-0.4, 1, 2), (0.0, 5, 5), (12.0, 3, 3)])
def test_the_ends_of_d_are_those_under_which_it_is_just_as_extreme(d, n_a, n_b):
    low, high = cohens_d_interval(d, n_a, n_b)
    scale, df = np.sqrt(1 / n_a + 1 / n_b), n_a + n_b - 2
    below = [stats.nct.cdf(d / scale, df, end / scale) for end in (low, high)]
    assert below == pytest.approx([0.975, 0.025], abs=1e-5) and low < d < high
    assert cohens_d_interval(-d, n_a, n_b) == pytest.approx((-high, -low))
