"""Class weights: the two published tables, and the desiderata as properties of random count vectors."""

import csv
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from helpers.metrics import SCHEMES, class_weights, desiderata, power, register_scheme, scheme_names

GOLDEN = Path(__file__).parents[2] / "golden"
NEGATIVE = {"weights_tacred.csv": 12184, "weights_semeval.csv": 454}
COLUMNS = ("weighted", "dodrans", "entropy_negative_in", "entropy_negative_out", "macro")
TOLERANCE = 5e-6  # half the last digit of the tables
PROPERTY = settings(max_examples=200)
counts = st.lists(st.integers(1, 10_000), min_size=1, max_size=12)


def golden(name):
    with open(GOLDEN / name, newline="") as file:
        rows = list(csv.DictReader(file))
    support = np.array([int(row["n"]) for row in rows])
    return support, np.array([[float(row[column]) for column in COLUMNS] for row in rows])


def computed(support, negative):
    n = support.sum() + negative
    plans = [("weighted", None), ("dodrans", None), ("entropy", n), ("entropy", None), ("macro", None)]
    return np.stack([class_weights(support, scheme, total) for scheme, total in plans], axis=1)


@pytest.mark.parametrize("name", NEGATIVE)
def test_the_weights_of_figure_1_and_one_sample_more_in_any_class(name):
    support, expected = golden(name)
    assert np.abs(computed(support, NEGATIVE[name]) - expected).max() <= TOLERANCE
    for more in np.eye(len(support), dtype=int):
        assert np.abs(computed(support + more, NEGATIVE[name]) - expected).max() > TOLERANCE
    for left in range(len(COLUMNS)):
        for right in range(left):
            assert np.abs(expected[:, left] - expected[:, right]).max() > 2 * TOLERANCE


def test_the_caption_of_figure_1():
    """Dodrans and entropy are alike; between weighted and macro but for a few classes of middle size."""
    support, _ = golden("weights_tacred.csv")
    weighted, dodrans, inside, _, macro = computed(support, NEGATIVE["weights_tacred.csv"]).T
    assert np.abs(dodrans - inside).max() < 0.004 < 0.04 < np.abs(dodrans - weighted).max()
    for weights, above in ((dodrans, 5), (inside, 6)):
        assert (weights > np.maximum(weighted, macro)).sum() == above
        assert not (weights < np.minimum(weighted, macro)).any()


@PROPERTY
@given(counts, st.sampled_from(["weighted", "dodrans", "macro", "n^0.3"]) | st.floats(0, 1).map(power))
def test_powers_between_macro_and_weighted_keep_all_desiderata(support, scheme):
    assert desiderata(support, scheme) == {"D0": True, "D1": True, "D2": True}


@PROPERTY
@given(counts.filter(lambda support: len(set(support)) > 1), st.floats(1.01, 4), st.floats(-4, -0.01))
def test_powers_above_1_overpay_large_classes_and_negative_ones_turn_the_order(support, above, below):
    assert desiderata(support, power(above)) == {"D0": True, "D1": True, "D2": False}
    assert desiderata(support, power(below)) == {"D0": True, "D1": False, "D2": True}


@PROPERTY
@given(counts, st.sampled_from([0, 0, 1, 100_000]))
@example([1, 2, 4, 5], 0)
@example([2, 1, 1], 0)
def test_entropy_keeps_d0_and_d2_and_breaks_d1_only_above_1_over_e(support, negative):
    total = sum(support) + negative
    found, shares = desiderata(support, "entropy", total), np.array(support) / total
    assert found["D0"] and found["D2"]
    raw = -shares * np.log(shares) if total > support[0] else np.ones(1)
    reversed_pairs = (shares[:, None] > shares) & (raw[:, None] < raw * (1 - 1e-9))
    assert found["D1"] == (not reversed_pairs.any())
    assert (shares[reversed_pairs.any(1)] > 1 / np.e).all()


@PROPERTY
@given(counts, st.sampled_from(["weighted", "dodrans", "entropy", "macro", "n^-1", "n^2"]), st.integers(0, 3))
def test_classes_without_support_weigh_nothing_and_change_nothing(support, scheme, empty):
    weights = class_weights(support + [0] * empty, scheme)
    assert weights.tolist() == pytest.approx([*class_weights(support, scheme), *[0] * empty], abs=1e-15)
    assert weights.sum() == pytest.approx(1, abs=1e-12)


def test_named_schemes_are_members_of_the_family():
    for name, alpha in {"weighted": 1, "dodrans": 0.75, "macro": 0}.items():
        for member in (power(alpha), f"n^{alpha}"):
            assert class_weights([7, 5, 1], name).tolist() == class_weights([7, 5, 1], member).tolist()
    assert scheme_names([power(0.5)]) == ("n^0.5",) and not desiderata([0], "macro")["D0"]
    assert class_weights([0.1 + 0.2], "entropy", total=0.3).tolist() == [1.0]  # above it in the last digit


def test_a_single_class_has_all_the_weight_and_one_without_support_counts_under_macro_only():
    for scheme in SCHEMES[1:]:
        assert class_weights([4], scheme).tolist() == [1.0]
        last = class_weights([3, 1, 0], scheme, evaluated=[True] * 3)[2]
        assert last == (1 / 3 if scheme == "macro" else 0)
        alone = class_weights([4, 0], scheme, evaluated=[True] * 2).tolist()
        assert alone == ([0.5, 0.5] if scheme == "macro" else [1, 0])
    support, total = np.array([5, 3, 1]), 20
    bits = -support * np.log2(support / total)  # the base of the logarithm is normalised away
    assert class_weights(support, "entropy", total) == pytest.approx(bits / bits.sum(), abs=1e-15)


def test_weights_of_replicates_are_those_of_each_and_a_users_function_gets_support_and_total(rng):
    def with_negative_share(support, total):
        return support * (total - support)

    support = rng.integers(0, 50, (6, 4))
    for scheme in (*SCHEMES[1:], with_negative_share):
        together = class_weights(support, scheme, support.sum(1) + 9)
        apart = [class_weights(row, scheme, row.sum() + 9).tolist() for row in support]
        assert together.tolist() == apart
    assert class_weights([2, 1], with_negative_share, total=4).tolist() == [4 / 7, 3 / 7]
    assert scheme_names([with_negative_share]) == ("with_negative_share",)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: class_weights([2, 1], lambda n, total: -n), "negative, infinite or missing"),
        (lambda: class_weights([2, 1], lambda n, total: n * np.inf), "negative, infinite or missing"),
        (lambda: class_weights([-1, 2], "macro"), "support has to be class counts"),
        (lambda: class_weights([5, 2], "macro", 4), "support has to be class counts"),
        (lambda: class_weights([2, 1], "dodran"), "unknown scheme 'dodran'.*did you mean 'dodrans'"),
        (lambda: class_weights([2, 1], "xyz"), "Known: micro, weighted, dodrans, entropy, macro, "),
        (lambda: class_weights([2, 1], "micro"), "micro has no class weights"),
        (lambda: class_weights([2, 1], None), "unknown scheme None"),
        (lambda: class_weights([2, 1], power(np.nan)), r"scheme n\^nan gives weights that are"),
        (lambda: register_scheme("micro", len), "is one of micro, weighted"),
        (lambda: register_scheme("n^0.5", len), "letters, digits and underscores"),
        (lambda: register_scheme(None, len), "letters, digits and underscores"),
        (lambda: register_scheme("mine", 0.5), "a function .support, total. is needed"),
    ],
)
def test_what_is_no_scheme_weight_or_support_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
    assert scheme_names() == SCHEMES
