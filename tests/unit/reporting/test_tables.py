"""Tidy tables and published | ours."""

import pandas as pd
import pytest

from helpers.reporting.published import load_published
from helpers.reporting.tables import TIDY_COLUMNS, published_ours, read_tidy, write_tidy

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


def test_reading_something_else_names_the_missing_columns(tmp_path):
    (tmp_path / "t.csv").write_text("model,value\nA,1\n")
    with pytest.raises(ValueError, match=r"t.csv: columns paper, item"):
        read_tidy(tmp_path / "t.csv")


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


def test_ambiguous_published_numbers_are_refused():
    ours = pd.DataFrame({"model": ["RECENT"], "value": [0.7]})
    with pytest.raises(ValueError):
        published_ours(ours, load_published("W", "Table 3"), on=("model",))
