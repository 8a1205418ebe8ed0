"""The tables of studies are those of the stored runs, worked out a second way."""

import numpy as np
import pytest

from helpers.metrics import direction_scores, official_macro
from helpers.papers.studies import (
    STUDIES,
    study_scores,
    study_table,
)


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
