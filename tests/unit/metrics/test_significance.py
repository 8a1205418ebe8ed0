"""Tests over runs: scipy as oracle, the published values of Tables 3 and 4, and the degenerate cases."""

import warnings

import numpy as np
import pytest
from scipy import stats

from helpers.metrics import wilson_interval
from helpers.metrics.significance import (
    FewRunsWarning,
    benjamini_hochberg,
    cohens_d,
    cohens_d_interval,
    holm,
    mean_and_sd,
    run_test,
    sawilowsky,
    welch,
    welch_from_summary,
)

# mean, SD of PTR and of the other model (5 runs each), d recomputed, d and p as published; micro … macro
TABLE_3 = [
    (72.5, 0.3, 71.5, 0.4, 2.83, 2.8, 3e-3),
    (72.1, 0.5, 67.8, 0.4, 9.50, 8.7, 3e-6),
    (69.8, 0.5, 62.5, 0.4, 16.12, 14.8, 1e-8),
    (70.3, 0.5, 63.6, 0.4, 14.80, 13.5, 2e-8),
    (60.3, 0.8, 43.1, 0.6, 24.32, 24.2, 2e-10),
]
TABLE_4 = [
    (88.4, 0.3, 89.1, 0.3, -2.33, -2.5, 0.005),
    (88.3, 0.3, 89.1, 0.3, -2.67, -2.4, 0.006),
    (88.1, 0.3, 88.7, 0.3, -2.00, -1.8, 0.023),
    (88.0, 0.3, 88.6, 0.3, -2.00, -1.8, 0.023),
    (87.8, 0.5, 82.7, 0.4, 11.26, 11.5, 7e-8),
]
P_FROM_PUBLISHED_D = [2.7e-3, 1.2e-6, 2.2e-8, 4.4e-8, 8.5e-10]  # Table 3


def p_from_d(d, sd_a=1.0, sd_b=1.0):
    """Welch's p of two models of 5 runs with these SDs whose Cohen's d is d."""
    return welch_from_summary(d * np.hypot(sd_a, sd_b) / np.sqrt(2), sd_a, 5, 0.0, sd_b, 5).p


@pytest.mark.parametrize("row", TABLE_3 + TABLE_4)
def test_d_from_the_rounded_means_of_the_tables(row):
    assert cohens_d(*row[:4]) == pytest.approx(row[4], abs=0.005, rel=0)


@pytest.mark.parametrize(("row", "expected"), list(zip(TABLE_3, P_FROM_PUBLISHED_D, strict=True)))
def test_p_from_the_published_d_of_table_3(row, expected):
    half_of_the_last_digit = 0.05 * 10 ** np.floor(np.log10(expected))
    assert p_from_d(row[5], row[1], row[3]) == pytest.approx(expected, rel=0, abs=half_of_the_last_digit)


def test_the_published_p_need_sample_standard_deviations():
    """With ddof = 0 the SDs are √(4/5) of the sample SDs, and t at the same d is smaller by that much."""
    for d, sample, population in ((-2.5, 0.005, 0.0077), (-1.8, 0.023, 0.034)):
        assert round(p_from_d(d), 3) == pytest.approx(sample, abs=1.1e-3)
        t = d * np.sqrt(5 / 2) * np.sqrt(4 / 5)
        assert 2 * stats.t.sf(abs(t), 8) == pytest.approx(population, rel=0.03)
    values = [1.0, 2.0, 4.0, 8.0, 16.0]
    assert mean_and_sd(values)[1] == pytest.approx(np.std(values, ddof=1), abs=1e-15)
    assert abs(mean_and_sd(values)[1] - np.std(values)) > 0.5


def test_welch_agrees_with_scipy(rng):
    for n_a, n_b in ((5, 5), (5, 9), (30, 6)):
        a, b = rng.normal(0.7, 0.02, n_a), rng.normal(0.71, 0.05, n_b)
        expected, found = stats.ttest_ind(a, b, equal_var=False), welch(a, b)
        assert (found.t, found.df, found.p) == pytest.approx(
            (expected.statistic, expected.df, expected.pvalue), abs=1e-12, rel=1e-9
        )


def test_t_is_d_times_the_root_of_half_the_runs():
    for mean_a, sd_a, mean_b, sd_b, *_ in TABLE_3 + TABLE_4:
        test = welch_from_summary(mean_a, sd_a, 5, mean_b, sd_b, 5)
        assert test.t == pytest.approx(cohens_d(mean_a, sd_a, mean_b, sd_b) * np.sqrt(5 / 2), rel=1e-12)


@pytest.mark.parametrize(("runs", "warned"), [(1, True), (2, True), (4, True), (5, False), (9, False)])
def test_fewer_than_five_runs_warn(runs, warned):
    scores = [0.7 + place / 100 for place in range(runs)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        welch(scores, [0.5, 0.6, 0.7, 0.8, 0.9])
    assert [warning.category for warning in caught] == [FewRunsWarning] * warned
    if warned:
        assert f"{runs} run" in str(caught[0].message)


def test_the_warning_points_to_the_caller():
    for call in (lambda: welch([1.0, 2.0], [2.0, 3.0]), lambda: welch_from_summary(1, 1, 2, 1, 1, 2)):
        with pytest.warns(FewRunsWarning) as caught:
            call()
        assert caught[0].filename == __file__


@pytest.mark.parametrize("value", [0.5, 0.1, 0.7, 71.3])
@pytest.mark.parametrize("runs", [5, 6, 7, 11])
def test_both_sds_zero(value, runs):
    same, other = [value] * runs, [value + 1] * runs
    equal, apart = welch(same, same), welch(same, other)
    assert np.isnan([equal.t, equal.df, equal.p]).all()
    assert (apart.t, apart.p) == (-np.inf, 0.0)
    means = [mean_and_sd(scores)[:2] for scores in (same, other)]
    assert np.isnan(cohens_d(*means[0], *means[0]))
    assert cohens_d(*means[1], *means[0]) == np.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: welch_from_summary(1, -0.1, 5, 1, 0.1, 5), "sd_a is -0.1"),
        (lambda: welch_from_summary(1, 0.1, 5, 1, float("nan"), 5), "sd_b is nan"),
        (lambda: welch_from_summary(1, 0.1, -1, 1, 0.1, 5), "n_a is -1"),
        (lambda: cohens_d(1, -0.1, 1, 0.1), "SDs are -0.1 and 0.1"),
        (lambda: welch([], [1, 2, 3, 4, 5]), "at least one finite number"),
        (lambda: welch([1, 2, 3, 4, float("nan")], [1, 2, 3, 4, 5]), "at least one finite number"),
        (lambda: holm([0.1, 1.2]), "p_values has to hold numbers between 0 and 1"),
        (lambda: holm([-0.1]), "p_values has to hold numbers between 0 and 1"),
    ],
)
def test_bad_numbers_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("d", "word"),
    [
        (0, "negligible"), (0.00999, "negligible"), (0.01, "very small"), (0.19, "very small"),
        (0.2, "small"), (0.5, "medium"), (0.79, "medium"), (0.8, "large"), (1.2, "very large"),
        (-1.8, "very large"), (1.99, "very large"), (2.0, "huge"), (-24.2, "huge"),
        (np.inf, "huge"), (np.nan, "undefined"),
    ],
)  # fmt: skip
def test_sawilowskys_words(d, word):
    assert sawilowsky(d) == word


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], abs=1e-15)
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []


def test_holm_skips_missing_values():
    found = holm([0.01, float("nan"), 0.04])
    assert found == pytest.approx([0.02, float("nan"), 0.04], abs=1e-15, nan_ok=True)


def test_holm_never_lowers_and_keeps_the_order(rng):
    p = rng.random(20) ** 3
    adjusted = np.array(holm(p.tolist()))
    assert (adjusted >= p).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()
    assert adjusted.min() == pytest.approx(min(1, 20 * p.min()))


@pytest.mark.parametrize(("d", "n_a", "n_b"), [(2.828, 5, 5), (-0.4, 3, 9), (0.0, 5, 5), (12.0, 3, 3)])
def test_the_ends_of_d_are_those_under_which_it_is_just_as_extreme(d, n_a, n_b):
    low, high = cohens_d_interval(d, n_a, n_b)
    scale, df = np.sqrt(1 / n_a + 1 / n_b), n_a + n_b - 2
    below = [stats.nct.cdf(d / scale, df, end / scale) for end in (low, high)]
    assert below == pytest.approx([0.975, 0.025], abs=1e-5) and low < d < high
    assert cohens_d_interval(-d, n_a, n_b) == pytest.approx((-high, -low))


def test_the_interval_of_d_holds_the_effect_nineteen_times_in_twenty(rng):
    held = 0
    for _ in range(400):
        test = run_test(rng.normal(1.0, 1.0, 5), rng.normal(0.0, 1.0, 6))
        held += test.d_low < 1.0 < test.d_high
    assert 0.92 < held / 400 < 0.98


def test_without_spread_or_runs_d_has_no_interval():
    assert np.isnan(cohens_d_interval(np.inf, 5, 5)).all() and np.isnan(cohens_d_interval(1.0, 1, 1)).all()


def test_the_pooled_sd_of_unequal_numbers_of_runs(rng):
    a, b = rng.normal(size=5), rng.normal(size=8)
    pooled = np.sqrt((4 * a.var(ddof=1) + 7 * b.var(ddof=1)) / 11)
    assert run_test(a, b).d == pytest.approx((a.mean() - b.mean()) / pooled)


def test_false_discovery_rate_by_hand_and_beside_holm():
    p_values = [0.01, 0.02, np.nan, 0.03, 0.5]
    found = benjamini_hochberg(p_values)
    assert (
        found[:2] == pytest.approx([0.04, 0.04])
        and found[3:] == pytest.approx([0.04, 0.5])
        and np.isnan(found[2])
    )
    assert all(rate <= family for rate, family in zip(found, holm(p_values), strict=True) if rate == rate)
    assert benjamini_hochberg([]) == []
    with pytest.raises(ValueError, match="numbers between 0 and 1"):
        benjamini_hochberg([1.2])


@pytest.mark.parametrize(("successes", "n"), [(0, 5), (5, 5), (3, 5), (600, 1000)])
def test_wilson_solves_the_quadratic(successes, n):
    low, high = wilson_interval(successes, n)
    z = stats.norm.ppf(0.975)
    for end in (low, high):
        gap = abs(successes / n - end) - z * np.sqrt(end * (1 - end) / n)
        assert gap == pytest.approx(0, abs=1e-9)
    assert 0 <= low <= successes / n <= high <= 1 and low < high
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high))


@pytest.mark.parametrize(
    ("successes", "n", "confidence"), [(6, 5, 0.95), (-1, 5, 0.95), (0, 0, 0.95), (1, 2, 1.0)]
)
def test_wilson_refuses(successes, n, confidence):
    with pytest.raises(ValueError):
        wilson_interval(successes, n, confidence)
