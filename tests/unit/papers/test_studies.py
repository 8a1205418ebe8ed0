"""The tables of studies are those of the stored runs, worked out a second way."""

import numpy as np
import pandas as pd
import pytest

from helpers.metrics import FewRunsWarning, direction_scores, official_macro, welch
from helpers.papers.studies import (
    STUDIES,
    Setting,
    moved,
    rate_scores,
    rates_table,
    study_points,
    study_scores,
    study_table,
)
from helpers.runs import STUDIES_FOLDER, list_runs, save_run


def a_and_ppr(run) -> tuple[float, float]:
    found = direction_scores(run.outcome(), performance=lambda table: official_macro(table, run.negative))
    return float(found.performance_original), float(found.ppr)


@pytest.mark.parametrize("study", [name for name in STUDIES if name != "bert-em"])
def test_a_row_is_the_mean_of_its_runs(study) -> None:
    table = study_table(study).set_index("setting")
    for setting in STUDIES[study]:
        seeds = set(study_scores(study).query("setting == @setting.title")["seed"])
        own = [a_and_ppr(run) for run in setting.runs(sorted(seeds))] if seeds else []
        if not own:
            assert setting.title not in table.index
            continue
        assert table.loc[setting.title, "runs"] == len(own)
        for column, values in zip(("A", "PPR"), np.transpose(own), strict=True):
            mean, _, sd = table.loc[setting.title, column].partition(" ± ")
            assert float(mean) == pytest.approx(100 * values.mean(), abs=0.0051)
            if len(own) > 1:
                assert float(sd) == pytest.approx(100 * values.std(ddof=1), abs=0.0051)


def test_the_default_setting_is_the_standard_run() -> None:
    default = STUDIES["markers"][0]
    assert {run.variant for run in default.runs()} == {""}
    assert {9, 148, 378} <= {run.seed for run in default.runs()}


def test_the_mean_start_makes_em_c_blind() -> None:
    table = study_table("markers").set_index("setting")
    usual, mean = (table.loc[one.title] for one in STUDIES["markers"][:2])

    def first(cell: str) -> float:
        return float(cell.split(" ± ")[0])

    assert first(mean["PIR"]) - first(usual["PIR"]) > 30  # 47 points
    assert abs(first(mean["A"]) - first(usual["A"])) < 1.2  # 0.6


def test_how_far_a_seed_moves() -> None:
    """Over the seeds that both settings have: points, mean and the largest."""
    values = {"one": {9: 0.80, 148: 0.82, 378: 0.9}, "two": {9: 0.81, 148: 0.80}}
    rows = [(setting, seed, "ppr", one) for setting, own in values.items() for seed, one in own.items()]
    scores = pd.DataFrame(rows, columns=["setting", "seed", "score", "value"])
    assert moved(scores, "one", "two", "ppr") == "1.50 (≤ 2.00)"
    assert moved(scores, "one", "one", "ppr") == ""


@pytest.mark.parametrize("study", ["layers of EM-C", "layers of EM-ES"])
def test_p_is_welchs(study: str) -> None:
    found, scores = study_table(study), study_scores(study).query("score == 'ppr'")
    first, *others = (scores.loc[scores["setting"] == one, "value"].tolist() for one in found["setting"])
    assert [len(one) for one in others] == [3, 3]
    with pytest.warns(FewRunsWarning):
        p = [welch(one, first).p for one in others]
    assert found["p (PPR)"].tolist() == ["", *(f"{one:.3f}".lstrip("0") for one in p)]


def test_settings_are_compared_on_held_out_data_only(tmp_path) -> None:
    one = list_runs("semeval2010", "EM-C", profile="standard")[0]
    save_run(one, tmp_path)
    with pytest.raises(ValueError, match="settings are chosen on 'holdout' only"):
        rate_scores(tmp_path)


def test_the_best_rate_is_marked() -> None:
    scores = pd.DataFrame(
        {"model": "EM-C", "learning_rate": [2e-4, 2e-4, 5e-5], "epoch": [1, 2, 1], "value": [0.7, 0.8, 0.75]}
    )
    table = rates_table(scores)
    assert table["epoch 2"].tolist() == ["**80.0**", "–"]
    assert table["used"].tolist() == ["yes", ""]


def test_every_stored_epoch_is_in_the_grid() -> None:
    stored = [run for run in list_runs(folder=STUDIES_FOLDER / "rates") if "epoch-" in run.variant]
    scores = rate_scores()
    assert len(scores) == len(stored)
    assert scores["value"].between(0.4, 1).all()


def test_points_are_per_cent_of_the_four_scores() -> None:
    points = study_points("markers")
    assert set(points["score"]) == {"A", "B", "PIR", "PPR"}
    assert points["value"].max() > 50


def test_an_unknown_study_has_no_settings() -> None:
    with pytest.raises(KeyError):
        study_scores("nothing")
    assert Setting("", "EM-C", "no-such-variant").runs() == []
