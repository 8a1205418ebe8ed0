"""Scores over seeds, tests between models, intervals: by hand; the majority baseline of stored runs."""

import math

import pandas as pd
import pytest

from helpers.metrics import Outcome
from helpers.reporting import results
from helpers.reporting.results import _over_seeds, compare_models, paired_scores, resampled_intervals
from helpers.runs import Run, list_runs, load_run
from tests.support import HALF, directed_run


def values(numbers: dict[str, list[float]], score: str = "f1") -> pd.DataFrame:
    """Rows as `results.per_seed` gives them, of one score; seeds 1, 2, …"""
    rows = [(model, seed, value) for model, all_ in numbers.items() for seed, value in enumerate(all_, 1)]
    frame = pd.DataFrame(rows, columns=["model", "seed", "value"])
    return frame.assign(dataset="d", encoder="e", score=score).astype({"seed": "Int64"})


def test_scores_of_one_run_by_hand():
    # HALF on A: R(e1,e2) TP 6 FP 1 -> 12/13; R(e2,e1) TP 1 FN 1 -> 2/3; grouped: TP 7 of gold 8, predicted 8
    assert results.scheme_scores(directed_run("m", 9, HALF))["macro"] == pytest.approx((12 / 13 + 2 / 3) / 2)
    scores = paired_scores(directed_run("m", 9, HALF))
    # B: gold is turned; 6 sentences stay (wrong), two are right on B; PIR = 6 / 7; PPR = 1 / 8
    assert [scores[name] for name in results.DIRECTION] == pytest.approx([7 / 8, 2 / 8, 5 / 8, 6 / 7, 1 / 8])


def test_mean_sd_and_number_of_runs():
    table = _over_seeds(values({"a": [0.1, 0.2, 0.6], "b": [0.5], "c": [0.4, math.nan]})).set_index("model")
    assert table.loc["a", ["mean", "sd"]].tolist() == pytest.approx([0.3, math.sqrt(0.14 / 2)])
    assert table["runs"].tolist() == [3, 1, 1] and table["seeds"].tolist() == ["1, 2, 3", "1", "1"]
    assert table["sd"].isna().tolist() == [False, True, True]


def test_only_common_seeds_are_compared_and_the_sign_is_second_minus_first():
    row = compare_models(values({"a": [1.0, 2.0, 3.0, 99.0], "b": [3.0, 4.0, 5.0]}), "a", "b").loc["f1"]
    # SDs 1 and 1: d = √2·2/√2 = 2; t = d·√(3/2) = 2.449 with 4 degrees of freedom: p = .0705
    assert row[["first", "second", "difference", "d"]].tolist() == pytest.approx([2, 4, 2, 2])
    assert row["p"] == pytest.approx(0.0705, abs=5e-5)
    assert (row["word"], row["runs"], row["seeds"]) == ("huge", 3, "1, 2, 3")


def test_one_common_seed_has_no_test_and_none_no_row():
    row = compare_models(values({"a": [1.0, 2.0], "b": [3.0]}), "a", "b").loc["f1"]
    assert row[["p", "d"]].isna().all() and row["word"] == "undefined" and row["runs"] == 1
    assert compare_models(values({"a": [1.0]}), "a", "b").empty


def test_holm_is_over_all_scores():
    both = pd.concat(values({"a": [1, 2, 3], "b": [3, 4, 5]}, score) for score in ("x", "y"))
    table = compare_models(both, "a", "b")
    assert table["p_holm"].tolist() == pytest.approx((2 * table["p"]).tolist())


def test_an_interval_is_of_one_run_and_moves_with_no_other():
    first, second = directed_run("m", 9, HALF), directed_run("m", 148, HALF)
    alone, both = (
        resampled_intervals(runs, "direction", 50).set_index("score") for runs in ([first], [first, second])
    )
    assert both["runs"].tolist() == [2] * 5
    pd.testing.assert_frame_equal(alone[["low", "high"]], both[["low", "high"]])
    with pytest.raises(ValueError, match="give 'schemes' or 'direction'"):
        resampled_intervals([first], "macro")


@pytest.mark.parametrize("other", [("cpu", "fp32"), ("H100", "bf16")])
def test_a_mean_over_devices_or_precisions_says_so(other):
    first, second = (dict(zip(("device", "precision"), at, strict=True)) for at in (("cpu", "bf16"), other))
    mixed = [directed_run("m", 9, HALF, environment=first), directed_run("m", 148, HALF, environment=second)]
    alone = [directed_run("n", seed, HALF, environment=first) for seed in (9, 148)]
    text = f"cpu bf16, {' '.join(other)}"
    with pytest.warns(UserWarning, match=f"^runs of m on .* mix {text}$"):
        rows = results.per_seed(mixed + alone, paired_scores)
    seeds = _over_seeds(rows).groupby("model")["seeds"].unique().map(list).to_dict()
    assert seeds == {"m": [f"9, 148 (mixes {text})"], "n": ["9, 148"]}
    with pytest.warns(UserWarning):
        resampled_intervals(mixed, replicates=2)


def test_the_majority_baseline_by_hand():
    rows = [(0, 0, 5), (0, 1, 1), (1, 1, 3), (2, 2, 1), (2, 0, 1)]
    outcome = Outcome.from_rows(rows, ("Other", "a", "b"))
    run = Run.from_outcome(outcome, dataset="d", model="m", negative="Other")
    always = "the majority baseline (always 'Other', accuracy 54.55)"
    assert results.majority_text(run) == f"beats {always} in accuracy and under every scheme"
    worse = Outcome.from_rows([(0, 2, 6), (1, 2, 3), (2, 2, 2)], ("Other", "a", "b"))
    text = results.majority_text(Run.from_outcome(worse, dataset="d", model="m"))
    assert text.startswith(f"does not beat {always}: accuracy 18.18 against 54.55, ")
    assert f"macro {100 * 4 / 13 / 3:.2f} against {100 * 12 / 17 / 3:.2f}" in text


def test_every_stored_model_but_the_baseline_itself_beats_it():
    runs = [run for run in list_runs("semeval2010") if run.profile == "standard" and not run.second]
    assert len(runs) > 20
    assert {run.name for run in runs if not results.majority_text(run).startswith("beats")} <= {"majority"}


def test_the_baseline_is_named_after_training_and_stored(call, tmp_path):
    code, out, err = call("train", "--model", "majority", "--dataset", "demo", "--output", tmp_path)
    run = load_run(next(tmp_path.rglob("*.json")))
    assert code == 0 and "\ndoes not beat the" in out and run.facts["majority"] in out, err
    assert run.facts == {"majority": "Thing-Destination(e1,e2)"}
