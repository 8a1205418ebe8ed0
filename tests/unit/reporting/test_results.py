"""Scores over seeds, tests between models, intervals: by hand."""

import math

import numpy as np
import pandas as pd
import pytest

from helpers.reporting.results import (
    DIRECTION,
    MixedRunsWarning,
    compare_models,
    over_seeds,
    paired_scores,
    per_seed,
    resampled_intervals,
    scheme_scores,
)
from tests.support import HALF, directed_run


def values(numbers: dict[str, list[float]]) -> pd.DataFrame:
    """Rows as `per_seed` gives them, of one score; seeds 1, 2, …"""
    rows = [(model, seed, value) for model, all_ in numbers.items() for seed, value in enumerate(all_, 1)]
    frame = pd.DataFrame(rows, columns=["model", "seed", "value"])
    return frame.assign(dataset="d", encoder="e", score="f1").astype({"seed": "Int64"})


def test_scores_of_one_run_by_hand():
    # HALF on A: R(e1,e2) TP 6 FP 1 -> 12/13; R(e2,e1) TP 1 FN 1 -> 2/3; grouped: TP 7 of gold 8, predicted 8
    assert scheme_scores(directed_run("m", 9, HALF))["macro"] == pytest.approx((12 / 13 + 2 / 3) / 2)
    found = paired_scores(directed_run("m", 9, HALF))
    # B: gold is turned; 6 sentences stay (wrong), two are right on B; PIR = 6 / 7; PPR = 1 / 8
    assert [found[name] for name in DIRECTION] == pytest.approx([7 / 8, 2 / 8, 5 / 8, 6 / 7, 1 / 8])


def test_mean_sd_and_number_of_runs():
    found = over_seeds(values({"a": [0.1, 0.2, 0.6], "b": [0.5], "c": [0.4, math.nan]})).set_index("model")
    assert found.loc["a", "mean"] == pytest.approx(0.3)
    assert found.loc["a", "sd"] == pytest.approx(math.sqrt((0.04 + 0.01 + 0.09) / 2))
    assert found["runs"].tolist() == [3, 1, 1] and found["seeds"].tolist() == ["1, 2, 3", "1", "1"]
    assert found["sd"].isna().tolist() == [False, True, True]


def test_only_common_seeds_are_compared_and_the_sign_is_second_minus_first():
    found = compare_models(values({"a": [1.0, 2.0, 3.0, 99.0], "b": [3.0, 4.0, 5.0]}), "a", "b").loc["f1"]
    # SDs 1 and 1: d = √2·2/√2 = 2; t = d·√(3/2) = 2.449 with 4 degrees of freedom: p = .0705
    assert found[["first", "second", "difference", "d"]].tolist() == pytest.approx([2, 4, 2, 2])
    assert found["p"] == pytest.approx(0.0705, abs=5e-5)
    assert (found["word"], found["runs"], found["seeds"]) == ("huge", 3, "1, 2, 3")


def test_one_common_seed_has_no_test_and_none_no_row():
    one = compare_models(values({"a": [1.0, 2.0], "b": [3.0]}), "a", "b").loc["f1"]
    assert np.isnan(one["p"]) and np.isnan(one["d"]) and one["word"] == "undefined" and one["runs"] == 1
    assert compare_models(values({"a": [1.0]}), "a", "b").empty


def test_holm_is_over_all_scores():
    rows = pd.concat(values({"a": [1, 2, 3], "b": [3, 4, 5]}).assign(score=name) for name in ("x", "y"))
    found = compare_models(rows, "a", "b")
    assert found["p_holm"].tolist() == pytest.approx((2 * found["p"]).tolist())


def test_an_interval_is_of_one_run_and_moves_with_no_other():
    one, two = directed_run("m", 9, HALF), directed_run("m", 148, HALF)
    alone = resampled_intervals([one], "direction", 50).set_index("score")
    both = resampled_intervals([one, two], "direction", 50).set_index("score")
    assert both["runs"].tolist() == [2] * 5
    pd.testing.assert_frame_equal(alone[["low", "high"]], both[["low", "high"]])
    with pytest.raises(ValueError, match="give 'schemes' or 'direction'"):
        resampled_intervals([one], "macro")


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (
            {"device": "cpu", "precision": "bf16"},
            {"device": "cpu", "precision": "fp32"},
            "cpu bf16, cpu fp32",
        ),
        (
            {"device": "cpu", "precision": "bf16"},
            {"device": "H100", "precision": "bf16"},
            "cpu bf16, H100 bf16",
        ),
    ],
)
def test_a_mean_over_devices_or_precisions_says_so(first, second, text):
    mixed = [directed_run("m", 9, HALF, environment=first), directed_run("m", 148, HALF, environment=second)]
    alone = [directed_run("n", seed, HALF, environment=first) for seed in (9, 148)]
    with pytest.warns(MixedRunsWarning, match=f"^runs of m on .* mix {text}$"):
        rows = per_seed(mixed + alone, paired_scores)
    seeds = over_seeds(rows).groupby("model")["seeds"].unique().map(list).to_dict()
    assert seeds == {"m": [f"9, 148 (mixes {text})"], "n": ["9, 148"]}
    with pytest.warns(MixedRunsWarning):
        resampled_intervals(mixed, replicates=2)
