"""The search's table: one number a row, the best setting marked, and the settings that it led to."""

import pandas as pd
import pytest

from helpers.experiments.search import SEARCH_TABLE as TABLE
from helpers.experiments.search import SETTING, search_table
from helpers.metrics import Outcome
from helpers.models.registry import MODELS, default_settings
from helpers.papers.studies import rate_scores
from helpers.runs import Run, save_run

ONE, OTHER = "r(e1,e2)", "r(e2,e1)"
SEARCHED = ("em-es", "emr-c", "ptr")
"""The models of which settings were tried in the first search; the pages say so."""
BORROWED = ("em-c", "r-bert")
"""Those that took the settings of EM-ES."""


def store(
    folder, right, model="EM-ES", rate=1e-4, batch=32, epochs=5, split="holdout", seconds=10.0, name=""
):
    """A run that is right on `right` of ten samples and on none of the paired ones."""
    outcome = Outcome.from_columns([ONE] * 10, [ONE] * right + [OTHER] * (10 - right), paired=[ONE] * 10)
    run = Run.from_outcome(
        outcome,
        dataset="semeval2010",
        split=split,
        model=model,
        variant=name or f"learning_rate-{rate}+batch_size-{batch}+epochs-{epochs}",
        encoder="mini",
        seed=9,
        hyperparameters={"learning_rate": rate, "batch_size": batch, "epochs": epochs},
        wall_seconds=seconds,
    )
    save_run(run, folder)


def chosen(table: pd.DataFrame) -> dict[str, tuple]:
    """Model → its chosen setting."""
    best = table[table["chosen"]].drop_duplicates("model")
    return {row.model: tuple(getattr(row, name) for name in SETTING) for row in best.itertuples()}


def test_a_run_on_the_test_set_is_refused(tmp_path):
    store(tmp_path, right=7, split="test")
    with pytest.raises(ValueError, match="tested on 'test'; settings are chosen on 'holdout' only"):
        search_table(tmp_path)


def test_a_setting_that_was_tried_twice_is_refused(tmp_path):
    for name in ("a", "b"):
        store(tmp_path, right=7, name=name)
    with pytest.raises(ValueError, match="EM-ES b: EM-ES with this setting was tried twice"):
        search_table(tmp_path)


def standard(model: str) -> tuple:
    """Its standard setting."""
    return tuple(getattr(default_settings(model), name) for name in SETTING)


def test_the_standard_settings_are_the_chosen_ones():
    """Of the models that were searched, and no others were; two have what EM-ES has, but for the rate."""
    found = chosen(pd.read_csv(TABLE))
    assert found == {MODELS[model].title: standard(model) for model in SEARCHED}
    last = rate_scores().query("epoch == 5").set_index(["model", "learning_rate"])["value"]
    for model in BORROWED:
        assert standard(model) == (last[model.upper()].idxmax(), *found["EM-ES"][1:])
    names = {
        name
        for name, one in MODELS.items()
        if one.settings and one.encoder and one.unit == "sample" and not one.wraps
    }
    assert names == {*SEARCHED, *BORROWED}


def test_the_table_is_that_of_the_runs():
    pd.testing.assert_frame_equal(pd.read_csv(TABLE), search_table(), rtol=1e-5)
