"""Tidy tables and published | ours; the printed numbers: as printed, and what they say about the true one."""

import pandas as pd
import pytest

from helpers.reporting import published
from helpers.reporting.published import Printed, load_published
from helpers.reporting.tables import TIDY_COLUMNS, published_ours, read_tidy, write_tidy

PTR = {"paper": "W", "item": "Table 3", "model": "PTR"}
ROWS = [
    PTR | {"seed_or_agg": "seed-148", "metric": "f1", "value": 0.7},
    PTR | {"seed_or_agg": "seed-9", "metric": "f1", "value": 0.725},
    PTR | {"seed_or_agg": "mean", "metric": "p", "value": 2e-10},
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


NO_TABLES = [("model,value\nA,1\n", "columns paper, item"), ("", "No columns to parse")]
NO_TABLES += [(f"{','.join(TIDY_COLUMNS)}\n,,,,,,,x,,,,", "Unable to parse string 'x' at position 0")]


@pytest.mark.parametrize(("text", "message"), NO_TABLES)
def test_reading_something_else_names_the_file_and_what_is_wrong(tmp_path, text, message):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(ValueError, match=f"t.csv: {message}"):
        read_tidy(tmp_path / "t.csv")


def test_published_beside_ours_in_the_printed_unit():
    columns = {"model": ["RECENT", "PTR", "new"], "scheme": ["micro", "macro", "micro"]}
    ours = pd.DataFrame(columns | {"value": [0.7154, 0.6044, 0.5]})
    printed = load_published("W", "Table 3")
    means = printed.query("statistic == 'mean'")
    table = published_ours(ours, means, on=("model", "scheme"), scale=100)
    assert table["published"].tolist() == ["71.5", "60.3", ""]
    assert table["ours"].tolist() == pytest.approx([71.54, 60.44, 50.0])
    assert table["difference"].tolist()[:2] == pytest.approx([0.04, 0.14])
    assert table["agrees"].tolist() == [True, False, pd.NA]
    with pytest.raises(ValueError):  # more than one printed number of a model
        published_ours(ours, printed, on=("model",))


def test_a_corrupted_file_of_printed_numbers_is_refused(tmp_path):
    text = (published.PUBLISHED_FOLDER / "W-table-3.csv").read_text("utf-8")
    (tmp_path / "W-table-3.csv").write_text(
        text.replace("71.5,percent,71.5", "71.6,percent,71.5", 1), "utf-8"
    )
    with pytest.raises(ValueError, match="line 2: value 71.6 is not what is printed, '71.5'"):
        load_published(folder=tmp_path)


PRINTED = {"71.5": (71.5, 0.05), "-2.5": (-2.5, 0.05), "−2.5": (-2.5, 0.05), "0.005": (0.005, 0.0005)}
PRINTED |= {"3·10^-3": (0.003, 0.0005), "2.10": (2.1, 0.005), "172,448": (172448, 0.5), "0": (0, 0.5)}


@pytest.mark.parametrize("printed", PRINTED)
def test_printed_numbers(printed):
    value, half = PRINTED[printed]
    assert Printed(printed).value == value
    assert Printed(printed).interval == pytest.approx((value - half, value + half), rel=1e-15)
    assert Printed("10^-8").interval == (9.5e-9, 1.5e-8)


@pytest.mark.parametrize("text", ["", "n_i", "71,5", "7.1.5", "1e-3", "nan"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="is not a printed number"):
        assert Printed(text).value


def test_interval_holds_exactly_what_python_rounds_to_the_same_string(rng):
    for value in rng.uniform(-100, 100, 300):
        for text in (f"{value:.2f}", f"{value:.0e}".replace("e", "·10^").replace("+0", "")):
            low, high = Printed(text).interval
            assert low <= value <= high
    assert Printed("10^-8").agrees(9.6e-9) and not Printed("10^-8").agrees(9.4e-9)
