"""What leaves one machine, on paper: each formula recomputed from the files that hold its constants."""

import pandas as pd
import pytest

from helpers import ROOT
from helpers.experiments import (
    Experiment,
    Prices,
    benchmark,
    core_hours,
    counting_costs,
    gpu_hours,
    grid_costs,
    paper_experiments,
    parameters,
    plan,
    row_seconds,
    thread_seconds,
)
from helpers.experiments.costs import SHARE_ROW, grid_record, grid_text, training_operations
from helpers.experiments.scale import drawn_predictions
from helpers.runs import list_runs

TABLES = ROOT / "results" / "tables"


def test_a_training_by_hand():
    """EM-C on RoBERTa large and SemEval in paper R's settings."""
    one = Experiment("em-c", encoder="roberta-large", profile="paper")
    tokens = pd.read_csv(TABLES / "tokens.csv").set_index(["dataset", "part"]).loc[("semeval2010", "train")]
    operations = 6 * (12 * 24 * 1024**2) * tokens["tokens"] * tokens["inputs"] * one.resolved().epochs
    share = pd.read_csv(TABLES / "benchmarks.csv").set_index("measurement").loc[SHARE_ROW, "ratio"]
    assert training_operations(one) == pytest.approx(operations)
    assert gpu_hours(one) == pytest.approx(operations / (share * 312e12) / 3600)
    assert gpu_hours(one, Prices(gpu_operations=156e12)) == pytest.approx(2 * gpu_hours(one))


def test_the_hours_of_a_core_are_those_that_the_fastest_stored_run_took():
    runs = list_runs("semeval2010", "EMR-C", profile="standard", variant="", split="test")
    fastest = min(run.wall_seconds * run.environment["threads"] for run in runs)
    assert core_hours(Experiment("emr-c", profile="standard")) == pytest.approx(fastest / 3600)
    merged = core_hours(Experiment("em-c", merged=True, profile="standard"))
    assert merged == pytest.approx(2 * core_hours(Experiment("em-c", profile="standard")))


@pytest.mark.parametrize("one", [Experiment("em-c", "demo"), Experiment("majority"), Experiment("cnn")])
def test_what_is_not_measured_has_no_cost(one):
    assert gpu_hours(one) is None and core_hours(one) is None
    assert grid_costs([one])["each"].isna().all()


def test_an_encoder_of_unknown_shape_is_named():
    with pytest.raises(ValueError, match="unknown encoder whose shape is known 'roberta-larg'; did you mean"):
        parameters("roberta-larg")


def test_counting_grows_with_the_rows_from_the_measured_time():
    (measured,) = counting_costs([row_seconds()["CSV"][2]]).query("form == 'CSV'").to_dict("records")
    assert measured["core_hours"] == pytest.approx(
        2 * benchmark("CSV to report, 10 million rows, s")["ours"] / 3600
    )
    bytes_a_row = pd.read_csv(TABLES / "bytes.csv").set_index("form").loc["CSV", "bytes"]
    (most,) = counting_costs([10**12]).query("form == 'CSV'").to_dict("records")
    assert most["bytes"] == pytest.approx(1e12 * bytes_a_row)
    assert most["hours"] == pytest.approx(most["core_hours"] / 64)
    assert most["dollars"] == pytest.approx(0.05 * most["core_hours"])
    assert most["dollars_month"] == pytest.approx(0.023 * bytes_a_row * 1e3)


def test_the_stored_bytes_are_those_of_the_drawn_predictions(tmp_path):
    path = tmp_path / "a.csv"
    drawn_predictions(20_000).to_csv(path, index=False)
    stored = pd.read_csv(TABLES / "bytes.csv").set_index("form").loc["CSV", "bytes"]
    assert path.stat().st_size / 20_000 == pytest.approx(stored, rel=0.01)


def test_the_dry_run_lists_the_papers_grid():
    wanted = plan("paper", encoders=["bert-large-uncased", "roberta-large"])
    table = grid_costs([job.experiment for job in wanted.jobs.values()])
    assert table["runs"].sum() == len(wanted.jobs) == 190
    text = grid_text(wanted)
    assert f"{table['gpu_hours'].sum():.1f} GPU hours" in text and "roberta-large" in text
    assert len(grid_record(wanted)["costs"]) == len(table)
    assert {one.seed for one in paper_experiments()} == {9, 148, 378, 459, 687}
    assert min(thread_seconds().values()) > 0
