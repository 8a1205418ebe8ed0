"""One class of a macro average, the paired breakdown, our own tables by hand; studies a second way."""

import numpy as np
import pandas as pd
import pytest

from helpers.metrics import Outcome, direction_scores, official_macro
from helpers.metrics.direction import paired_breakdown
from helpers.papers.direction import SETTINGS, _study_runs, direction_rows, direction_table, study_table
from helpers.papers.weighting import class_effects, weighted_rows, weighted_table
from helpers.reporting.results import resampled_intervals
from helpers.reporting.tables import read_tidy, runs_named, write_tidy
from tests.support import DIRECTED, GOOD, HALF, directed_run


def test_one_class_by_hand():
    effects = class_effects([directed_run("m", 9, HALF)], "R(e2,e1)")
    wanted = (2, 1, 0, 2 / 3, (12 / 13 + 2 / 3) / 2, 12 / 13)
    assert effects.iloc[0, 3:].tolist() == pytest.approx(wanted)


def test_the_breakdown_adds_up_and_give_ppr():
    outcomes = Outcome.from_rows(HALF, DIRECTED, ("gold", "predicted", "paired"))
    parts = paired_breakdown(outcomes)["R"]
    assert list(parts.values()) == pytest.approx([8, 7 / 8, 1 / 8, 6 / 8, 0, 2 / 8])
    kinds = ("right_both", "still", "elsewhere")
    assert parts["right_original"] == pytest.approx(sum(parts[kind] for kind in kinds))
    assert parts["right_both"] == pytest.approx(direction_scores(outcomes).ppr)
    assert paired_breakdown(Outcome.from_columns(["a"], ["a"], paired=["a"])) == {}


def test_tidy_rows_and_both_tables(tmp_path):
    """Two runs of each of W's two models, one of EM-C."""
    made = (("EM-ES", 9, GOOD), ("EM-ES", 148, GOOD), ("PTR", 9, HALF), ("PTR", 148, HALF), ("EM-C", 9, HALF))
    runs = [directed_run(*run) for run in made]
    rows = weighted_rows(runs, ("EM-ES", "PTR"), resampled_intervals(runs, replicates=20), "|made")
    rows = read_tidy(write_tidy(rows, tmp_path / "06.csv"))
    shown = weighted_table(rows).set_index("scheme").loc["macro"]
    assert shown["EM-ES ours"] == "100.0 ± 0.0" and shown["BERT_EM published"] == "82.7 ± 0.4"
    assert shown["d ours"] == "-inf" and shown["d published"] == "11.5"
    assert runs_named(rows, "semeval2010", ["EM-ES"]) == "Ours: EM-ES: tiny, seeds 9, 148."
    mean = rows.query("model == 'PTR' and seed_or_agg == 'mean' and scheme == 'macro'").iloc[0]
    assert (mean["published"], mean["published_model"], mean["runs"]) == ("87.8", "PTR", "2")
    assert mean["signature"].endswith("|made") and mean["low"] <= mean["value"] <= mean["high"]

    rows = direction_rows(runs, resampled_intervals(runs, "direction", 20))
    ppr = direction_table(rows).set_index(["model", "encoder"])["PPR"]
    assert ppr["EM-C", "tiny, ours"] == "12.50" and ppr["EM-ES", "tiny, ours"] == "100.00 ± 0.00"
    assert ppr["EM-ES", "BERT base, published"] == "33.94"
    assert direction_table(rows, "kbp37").empty


def a_and_ppr(run) -> tuple[float, float]:
    scores = direction_scores(run.outcome(), performance=lambda table: official_macro(table, run.negative))
    return float(scores.performance_original), float(scores.ppr)


@pytest.mark.parametrize("study", sorted(set(pd.read_csv(SETTINGS)["study"])))
def test_a_row_of_a_study_is_the_mean_of_its_runs(study) -> None:
    table = study_table(study).set_index("setting")
    for setting, runs in _study_runs(study).items():
        own = [] if study.startswith("bert-em") else [a_and_ppr(run) for run in runs]
        assert bool(runs) == (setting in table.index)
        for column, values in zip(("A", "PPR"), np.transpose(own), strict=bool(own)):
            assert table.loc[setting, "runs"] == len(own)
            mean, _, sd = table.loc[setting, column].partition(" ± ")
            assert float(mean) == pytest.approx(100 * values.mean(), abs=0.0051)
            assert len(own) == 1 or float(sd) == pytest.approx(100 * values.std(ddof=1), abs=0.0051)


def test_the_default_setting_is_the_standard_run() -> None:
    default = _study_runs("markers")["markers added as tokens, vectors at random"]
    assert {run.variant for run in default} == {""} and {9, 148, 378} <= {run.seed for run in default}
