"""The search's table: one number a row, the best setting marked, and the settings that it led to."""

import statistics

import pandas as pd
import pytest

from helpers import ROOT
from helpers.experiments import RATES
from helpers.experiments.search import COLUMNS, METRICS, SETTING, search_table, write_search
from helpers.experiments.search import SEARCH_TABLE as TABLE
from helpers.models import EMBEDDED
from helpers.models.registry import MODELS, default_settings
from helpers.papers.studies import rate_scores, rates_table
from helpers.reporting import paired_scores
from helpers.runs import STUDIES_FOLDER, Run, list_runs, save_run
from tests.outcomes import Outcome

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


def test_two_runs_give_six_numbers(tmp_path):
    store(tmp_path, right=6, rate=1e-4, seconds=470.1)
    store(tmp_path, right=8, rate=2e-4)
    table = search_table(tmp_path)
    assert tuple(table.columns) == COLUMNS
    assert table["metric"].tolist() == [*METRICS, *METRICS]
    assert table["learning_rate"].tolist() == [1e-4] * 3 + [2e-4] * 3
    assert table["value"].tolist() == pytest.approx([0.6, 0.0, 470.1, 0.8, 0.0, 10.0])
    assert table["chosen"].tolist() == [False] * 3 + [True] * 3


def test_each_model_has_its_own_choice(tmp_path):
    store(tmp_path, right=9)
    store(tmp_path, right=2, model="PTR", rate=2e-4)
    store(tmp_path, right=3, model="PTR", rate=4e-4)
    assert chosen(search_table(tmp_path)) == {"EM-ES": (1e-4, 32, 5), "PTR": (4e-4, 32, 5)}


def test_of_equal_settings_the_cheaper_is_chosen(tmp_path):
    for rate, batch, epochs in ((1e-4, 32, 5), (2e-4, 32, 3), (1e-4, 16, 3), (1e-4, 32, 3)):
        store(tmp_path, right=7, rate=rate, batch=batch, epochs=epochs)
    assert chosen(search_table(tmp_path)) == {"EM-ES": (1e-4, 32, 3)}


def test_a_run_on_the_test_set_is_refused(tmp_path):
    store(tmp_path, right=7, split="test")
    with pytest.raises(ValueError, match="tested on 'test'; settings are chosen on 'holdout' only"):
        search_table(tmp_path)


def test_a_setting_that_was_tried_twice_is_refused(tmp_path):
    for name in ("a", "b"):
        store(tmp_path, right=7, name=name)
    with pytest.raises(ValueError, match="EM-ES b: EM-ES with this setting was tried twice"):
        search_table(tmp_path)


def test_the_file_is_the_table(tmp_path):
    store(tmp_path / "search", right=7)
    path = write_search(tmp_path / "search", tmp_path / "table.csv")
    assert path.read_text().splitlines()[1] == "EM-ES,0.0001,32,5,official_macro_f1,0.7,True"
    with pytest.raises(ValueError, match="holds no runs of a search"):
        write_search(tmp_path / "empty", tmp_path / "other.csv")
    assert not (tmp_path / "other.csv").exists()


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


def test_the_pages_say_what_was_searched():
    """Of a first search, how many settings of each model; and who took whose."""
    tried = pd.read_csv(TABLE).query("metric == 'official_macro_f1'")["model"].value_counts().to_dict()
    assert tried == {"EM-ES": 5, "PTR": 2, "EMR-C": 1}
    page = " ".join((ROOT / "results" / "studies.md").read_text("utf-8").split())
    assert "tried five settings of EM-ES, among them" in page and "two of PTR and one of EMR-C" in page
    assert "EM-C and R-BERT took what EM-ES had" in page


def whole_grids() -> list[str]:
    """The models of which all three rates are stored after each of five epochs."""
    sizes = rate_scores().groupby("model").size()
    return [model for model, size in sizes.items() if size == 5 * len(RATES)]


@pytest.mark.parametrize("model", whole_grids())
def test_the_rate_in_use_is_the_best_or_the_table_says_again(model):
    """Worked out from the run files: the best rate's A after the last epoch against the standard rate's."""
    last = {
        run.hyperparameters["learning_rate"]: paired_scores(run)["performance_original"]
        for run in list_runs(folder=STUDIES_FOLDER / "rates", model=model)
        if run.variant.endswith("epoch-5")
    }
    usual = list_runs("semeval2010", model, EMBEDDED, "standard", "test", variant="")
    (rate,) = {run.hyperparameters["learning_rate"] for run in usual}
    gain = max(last.values()) - last[rate]
    sd = statistics.stdev(paired_scores(run)["performance_original"] for run in usual)
    (row,) = rates_table().query("model == @model and used == 'yes'").to_dict("records")
    assert row["learning rate"] == f"{rate:g}"
    assert row["again"] == ("yes" if gain > sd else "no")
    assert rate == default_settings(model.lower()).learning_rate


def test_the_table_is_that_of_the_runs():
    pd.testing.assert_frame_equal(pd.read_csv(TABLE), search_table(), rtol=1e-5)
