"""Reliability bins and calibration error: a case by hand, the ends of bins, and what is refused."""

import math

import pytest

from helpers.metrics import calibration


def test_bins_hold_their_upper_end_and_empty_ones_are_undefined() -> None:
    sure = calibration([0.0, 0.1, 0.3, 0.7, 1.0], [0, 1, 1, 0, 1])
    assert sure.bins["n"].tolist() == [2, 0, 1, 0, 0, 0, 1, 0, 0, 1] and sure.n == 5
    assert sure.ece == pytest.approx((2 * 0.45 + 0.7 + 0.7 + 0) / 5)
    assert [math.isnan(value) for value in sure.bins["accuracy"]] == [n == 0 for n in sure.bins["n"]]
    assert "–" in sure.to_text() and sure.to_dict()[1]["accuracy"] is None
    assert "<table>" in sure._repr_html_()


def test_one_bin_compares_the_means_and_a_perfect_system_has_no_error(rng) -> None:
    stated, right = rng.random(500), rng.random(500) < 0.5
    assert calibration(stated, right, bins=1).ece == pytest.approx(abs(stated.mean() - right.mean()))
    assert calibration([1.0, 0.0], [True, False]).ece == 0


@pytest.mark.parametrize(
    ("confidence", "right", "bins", "said"),
    [
        ([0.5, 80], [1, 0], 10, r"confidence\[1\] is 80"),
        ([float("nan")], [1], 10, r"confidence\[0\] is nan"),
        ([0.5], [1, 0], 10, "shape"),
        ([], [], 10, "at least 1"),
        ([0.5], [1], 0, "bins is 0"),
    ],
)
def test_bad_confidences_are_refused(confidence, right, bins, said) -> None:
    with pytest.raises(ValueError, match=said):
        calibration(confidence, right, bins)
