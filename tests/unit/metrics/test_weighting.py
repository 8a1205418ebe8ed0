"""Class weights: the two published tables, and the desiderata as properties of random count vectors."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from helpers.metrics.weighting import SCHEMES, class_weights, desiderata, entropy, power, resolve

GOLDEN = Path(__file__).parents[2] / "golden"
NEGATIVE = {"weights_tacred.csv": 12184, "weights_semeval.csv": 454}
COLUMNS = ("weighted", "dodrans", "entropy_negative_in", "entropy_negative_out", "macro")
TOLERANCE = 5e-6  # half the last digit of the tables
PROPERTY = settings(max_examples=200)
counts = st.lists(st.integers(1, 10_000), min_size=1, max_size=12)


def golden(name):
    with open(GOLDEN / name, newline="") as file:
        rows = list(csv.DictReader(file))
    return np.array([int(row["n"]) for row in rows]), np.array(
        [[float(row[c]) for c in COLUMNS] for row in rows]
    )


def computed(support, negative):
    total = support.sum() + negative
    plans = [("weighted", None), ("dodrans", None), ("entropy", total), ("entropy", None), ("macro", None)]
    return np.stack([class_weights(support, scheme, whole) for scheme, whole in plans], axis=1)


@pytest.mark.parametrize("name", NEGATIVE)
def test_the_weights_of_figure_1(name):
    support, expected = golden(name)
    assert np.abs(computed(support, NEGATIVE[name]) - expected).max() <= TOLERANCE


def test_the_caption_of_figure_1():
    """Dodrans and entropy are alike; between weighted and macro but for a few classes of middle size."""
    support, _ = golden("weights_tacred.csv")
    weighted, dodrans, inside, _, macro = computed(support, NEGATIVE["weights_tacred.csv"]).T
    assert np.abs(dodrans - inside).max() < 0.004 < 0.04 < np.abs(dodrans - weighted).max()
    above = [one > np.maximum(weighted, macro) for one in (dodrans, inside)]
    below = [one < np.minimum(weighted, macro) for one in (dodrans, inside)]
    assert [one.sum() for one in above] == [5, 6] and not np.any(below)
    assert np.abs(support[above[1]] - support.mean()).max() < 52


@pytest.mark.parametrize("name", NEGATIVE)
def test_one_sample_more_or_less_in_any_class_is_noticed(name):
    support, expected = golden(name)
    for place in range(len(support)):
        corrupted = support + (np.arange(len(support)) == place)
        assert np.abs(computed(corrupted, NEGATIVE[name]) - expected).max() > TOLERANCE


@pytest.mark.parametrize("name", NEGATIVE)
def test_the_tolerance_is_below_half_of_what_tells_two_schemes_apart(name):
    _, expected = golden(name)
    for left in range(len(COLUMNS)):
        for right in range(left):
            assert np.abs(expected[:, left] - expected[:, right]).max() > 2 * TOLERANCE


@PROPERTY
@given(counts, st.sampled_from(["weighted", "dodrans", "macro", "n^0.3"]) | st.floats(0, 1).map(power))
def test_powers_between_macro_and_weighted_keep_all_desiderata(support, scheme):
    assert desiderata(support, scheme) == {"D0": True, "D1": True, "D2": True}


@PROPERTY
@given(counts)
@example([1, 2, 4, 5])
@example([2, 1, 1])
def test_entropy_keeps_d0_and_d2_and_breaks_d1_only_above_1_over_e(support):
    found = desiderata(support, "entropy")
    assert found["D0"]
    assert found["D2"]
    shares = np.array(support) / sum(support)
    raw = -shares * np.log(shares) if len(support) > 1 else np.ones(1)
    reversed_pairs = (shares[:, None] > shares) & (raw[:, None] < raw * (1 - 1e-9))
    assert found["D1"] == (not reversed_pairs.any())
    assert (shares[reversed_pairs.any(1)] > 1 / np.e).all()
    if shares.max() <= 1 / np.e:
        assert found["D1"]


@PROPERTY
@given(counts, st.integers(0, 100_000))
def test_a_large_negative_class_restores_d1_of_entropy(support, negative):
    assume(max(support) / (sum(support) + negative) <= 1 / np.e)
    assert desiderata(support, "entropy", sum(support) + negative)["D1"]


@PROPERTY
@given(counts.filter(lambda support: len(set(support)) > 1), st.floats(1.01, 4))
def test_powers_above_1_overpay_large_classes(support, alpha):
    assert desiderata(support, power(alpha)) == {"D0": True, "D1": True, "D2": False}


@PROPERTY
@given(counts.filter(lambda support: len(set(support)) > 1), st.floats(-4, -0.01))
def test_negative_powers_turn_the_order_round(support, alpha):
    assert desiderata(support, power(alpha)) == {"D0": True, "D1": False, "D2": True}


@PROPERTY
@given(counts, st.sampled_from(["weighted", "dodrans", "entropy", "macro", "n^-1", "n^2"]), st.integers(0, 3))
def test_classes_without_support_weigh_nothing_and_change_nothing(support, scheme, empty):
    weights = class_weights(support + [0] * empty, scheme)
    assert weights.tolist() == pytest.approx([*class_weights(support, scheme), *[0] * empty], abs=1e-15)
    assert weights.sum() == pytest.approx(1, abs=1e-12)


@PROPERTY
@given(counts, st.randoms())
def test_the_order_of_the_classes_does_not_matter(support, random):
    order = random.sample(range(len(support)), len(support))
    for scheme in SCHEMES[1:]:
        turned = class_weights([support[place] for place in order], scheme)
        assert turned == pytest.approx(class_weights(support, scheme)[order], abs=1e-12)


def test_named_schemes_are_members_of_the_family():
    support = [7, 5, 1]
    for name, alpha in {"weighted": 1, "dodrans": 0.75, "macro": 0}.items():
        assert class_weights(support, name).tolist() == class_weights(support, power(alpha)).tolist()
        assert class_weights(support, name).tolist() == class_weights(support, f"n^{alpha}").tolist()
    assert resolve(str(power(0.5)))[1] == power(0.5)


def test_the_base_of_the_logarithm_is_normalised_away():
    support, total = np.array([5, 3, 1]), 20
    bits = -support * np.log2(support / total)
    assert class_weights(support, "entropy", total) == pytest.approx(bits / bits.sum(), abs=1e-15)


def test_a_single_class_has_all_the_weight_even_under_entropy():
    assert entropy(np.array([4]), 4).tolist() == [0.0]
    for scheme in SCHEMES[1:]:
        assert class_weights([4], scheme).tolist() == [1.0]


def test_an_evaluated_class_without_support_counts_under_macro_only():
    evaluated = [True, True, True]
    assert class_weights([3, 1, 0], "macro", evaluated=evaluated).tolist() == [1 / 3] * 3
    for scheme in ("weighted", "dodrans", "entropy"):
        assert class_weights([3, 1, 0], scheme, evaluated=evaluated)[2] == 0


def test_weights_of_replicates_are_those_of_each(rng):
    support = rng.integers(0, 50, (6, 4))
    for scheme in SCHEMES[1:]:
        together = class_weights(support, scheme, support.sum(1) + 9)
        apart = [class_weights(row, scheme, row.sum() + 9).tolist() for row in support]
        assert together.tolist() == apart


def test_a_users_function_gets_support_and_total():
    def with_negative_share(support, total):
        return support * (total - support)

    assert class_weights([2, 1], with_negative_share, total=4).tolist() == [4 / 7, 3 / 7]
    assert resolve(with_negative_share)[0] == "with_negative_share"


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_a_users_function_has_to_give_weights(bad):
    with pytest.raises(ValueError, match="negative, infinite or missing"):
        class_weights([2, 1], lambda support, total: np.array([1.0, bad]))


@pytest.mark.parametrize(("support", "total"), [([-1, 2], None), ([5, 2], 4)])
def test_support_has_to_be_counts(support, total):
    with pytest.raises(ValueError, match="support has to be class counts"):
        class_weights(support, "macro", total)


def test_sums_of_weights_may_be_above_their_total_in_the_last_digit():
    assert class_weights([0.1 + 0.2], "entropy", total=0.3).tolist() == [1.0]


@pytest.mark.parametrize(
    ("scheme", "message"),
    [
        ("dodran", "unknown scheme 'dodran'.*did you mean 'dodrans'"),
        ("Macro", "unknown scheme 'Macro'.*did you mean 'macro'"),
        ("xyz", "known are micro, weighted, dodrans, entropy, macro"),
        ("n^", "unknown scheme 'n"),
        ("micro", "micro has no class weights"),
        (None, "unknown scheme None"),
    ],
)
def test_unknown_schemes_are_named(scheme, message):
    with pytest.raises(ValueError, match=message):
        resolve(scheme)


@pytest.mark.parametrize("alpha", [np.nan, np.inf])
def test_alpha_is_finite(alpha):
    with pytest.raises(ValueError, match="alpha is "):
        power(alpha)
