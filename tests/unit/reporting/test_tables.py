"""Tidy tables and published | ours."""

import pandas as pd
import pytest

from helpers.reporting import settings_table
from helpers.reporting.published import load_published
from helpers.reporting.tables import TIDY_COLUMNS, published_ours, read_tidy, tidy, to_markdown, write_tidy
from helpers.runs import Run, list_runs, load_run, save_run
from tests.outcomes import Outcome

ROWS = [
    {
        "paper": "W",
        "item": "Table 3",
        "model": "PTR",
        "seed_or_agg": "seed-148",
        "metric": "f1",
        "value": 0.7,
    },
    {
        "paper": "W",
        "item": "Table 3",
        "model": "PTR",
        "seed_or_agg": "seed-9",
        "metric": "f1",
        "value": 0.725,
    },
    {"paper": "W", "item": "Table 3", "model": "PTR", "seed_or_agg": "mean", "metric": "p", "value": 2e-10},
]


def test_order_format_and_bytes_do_not_depend_on_the_order_of_rows(tmp_path):
    first = write_tidy(ROWS, tmp_path / "a.csv").read_bytes()
    assert first == write_tidy(ROWS[::-1], tmp_path / "b.csv").read_bytes()
    assert first.decode().splitlines() == [
        ",".join(TIDY_COLUMNS),
        "W,Table 3,,PTR,mean,p,,2e-10,,,,",
        "W,Table 3,,PTR,seed-9,f1,,0.725,,,,",
        "W,Table 3,,PTR,seed-148,f1,,0.7,,,,",
    ]


def test_round_trip_keeps_text_as_text_and_small_numbers(tmp_path):
    rows = [{"model": "NA", "value": 1 / 3, "published": "70.80", "low": 0.3, "n": 5}]
    frame = read_tidy(write_tidy(rows, tmp_path / "t.csv"))
    assert frame.loc[0, ["model", "published", "n"]].tolist() == ["NA", "70.80", "5"]
    assert frame.loc[0, "value"] == pytest.approx(1 / 3, abs=1e-8)
    assert pd.isna(frame.loc[0, "high"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"model": "PTR", "value": None}, r"row 1 \(model=PTR\) has no value"),
        ({"model": "A", "value": 0.2}, r"row 1 \(model=A\) is there twice"),
    ],
)
def test_missing_values_and_repeated_keys_are_refused_and_nothing_is_written(tmp_path, row, message):
    with pytest.raises(ValueError, match=message):
        write_tidy([{"model": "A", "value": 0.1}, row], tmp_path / "t.csv")
    assert not (tmp_path / "t.csv").exists()


def test_an_empty_table_has_its_columns(tmp_path):
    assert read_tidy(write_tidy([], tmp_path / "t.csv")).columns.tolist() == list(TIDY_COLUMNS)


def test_reading_something_else_names_the_missing_columns(tmp_path):
    (tmp_path / "t.csv").write_text("model,value\nA,1\n")
    with pytest.raises(ValueError, match=r"t.csv: columns paper, item"):
        read_tidy(tmp_path / "t.csv")


def test_tidy_leaves_its_input_alone():
    frame = pd.DataFrame(ROWS)
    before = frame.copy()
    tidy(frame)
    assert frame.equals(before)


def test_published_beside_ours_in_the_printed_unit():
    ours = pd.DataFrame(
        {
            "model": ["RECENT", "PTR", "new"],
            "scheme": ["micro", "macro", "micro"],
            "value": [0.7154, 0.6044, 0.5],
        }
    )
    means = load_published("W", "Table 3").query("statistic == 'mean'")
    table = published_ours(ours, means, on=("model", "scheme"), scale=100)
    assert table["published"].tolist() == ["71.5", "60.3", ""]
    assert table["ours"].tolist() == pytest.approx([71.54, 60.44, 50.0])
    assert table["difference"].tolist()[:2] == pytest.approx([0.04, 0.14])
    assert table["agrees"].tolist() == [True, False, pd.NA]


def test_published_column_of_the_table_itself_is_used():
    ours = pd.DataFrame({"model": ["a", "b"], "value": [3.3052, 2.0], "published": ["3.31", ""], "low": 0.0})
    table = published_ours(ours)
    assert table.columns.tolist() == ["model", "published", "ours", "difference", "agrees"]
    assert table.loc[0, "agrees"] and pd.isna(table.loc[1, "difference"])


def test_ambiguous_published_numbers_are_refused():
    ours = pd.DataFrame({"model": ["RECENT"], "value": [0.7]})
    with pytest.raises(ValueError):
        published_ours(ours, load_published("W", "Table 3"), on=("model",))


def test_markdown():
    frame = pd.DataFrame(
        {"model": ["a|b", "c\nd"], "f1": [0.12345, float("nan")], "n": [3, 4], "agrees": [True, False]}
    )
    assert to_markdown(frame, {"f1": 3}).splitlines() == [
        "| model | f1 | n | agrees |",
        "|---|---:|---:|---|",
        r"| a\|b | 0.123 | 3 | yes |",
        "| c d |  | 4 | no |",
    ]


def test_markdown_of_missing_agreement_is_empty():
    ours = pd.DataFrame({"model": ["a"], "value": [1.0], "published": [""]})
    assert to_markdown(published_ours(ours)).splitlines()[-1] == "| a |  | 1.00 |  |  |"


def test_settings_of_several_runs_stand_side_by_side():
    table = Outcome.from_columns(["a"], ["a"])
    files = {"train.txt": "0123456789ab" + "0" * 52}

    def run(model, seed, options=None, **settings):
        given = {"hyperparameters": settings, "options": options or {}, "files": files}
        return Run.from_outcome(table, dataset="demo", model=model, seed=seed, **given)

    runs = [
        run("em-c", 9, epochs=5),
        run("em-c", 148, epochs=5),
        run("em-es", 9, {"layer_norm": True}, epochs=3),
    ]
    found = settings_table(runs)
    assert found.columns.tolist() == ["em-c", "em-es"]
    assert found.loc["seed"].tolist() == ["9, 148", "9"]
    assert found.loc["layer_norm"].tolist() == ["", "True"]
    assert found.index.tolist() == ["dataset", "split", "seed", "epochs", "layer_norm", "sha256 of train.txt"]
    assert found.loc["sha256 of train.txt", "em-c"] == "0123456789ab"
    with pytest.raises(ValueError, match="runs is empty"):
        settings_table([])


def test_settings_of_a_stored_run_are_all_there():
    run = next(one for one in list_runs("semeval2010") if one.hyperparameters)
    shown = settings_table(run)
    assert set(run.hyperparameters) <= set(shown.index)


def test_a_run_just_made_and_the_stored_one_give_one_table(tmp_path):
    given = {"hyperparameters": {"loss": "hinge", "C": 1.0}, "files": {"b": "1" * 64, "a": "2" * 64}}
    run = Run.from_outcome(Outcome.from_columns(["a"], ["a"]), dataset="demo", model="svm", **given)
    assert settings_table(run).equals(settings_table(load_run(save_run(run, tmp_path))))
