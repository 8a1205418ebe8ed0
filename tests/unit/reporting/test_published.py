"""The printed numbers: complete, as printed, and what a printed number says about the true one."""

import pytest

from helpers.reporting import published
from helpers.reporting.published import (
    agrees,
    load_published,
    parse_printed,
    rounding_interval,
)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("71.5,percent,71.5", "71.6,percent,71.5"), "line 2: value 71.6 is not what is printed, '71.5'"),
        (("paper,item", "item,paper"), "columns are item, paper"),
    ],
)
def test_a_corrupted_file_is_refused(tmp_path, change, message):
    text = (published.PUBLISHED_FOLDER / "W-table-3.csv").read_text("utf-8")
    assert change[0] in text
    (tmp_path / "W-table-3.csv").write_text(text.replace(*change, 1), "utf-8")
    with pytest.raises(ValueError, match=message):
        load_published(folder=tmp_path)


@pytest.mark.parametrize(
    ("printed", "value", "half", "interval"),
    [
        ("71.5", 71.5, 0.05, (71.45, 71.55)),
        ("-2.5", -2.5, 0.05, (-2.55, -2.45)),
        ("−2.5", -2.5, 0.05, (-2.55, -2.45)),
        ("0.005", 0.005, 0.0005, (0.0045, 0.0055)),
        ("3·10^-3", 0.003, 0.0005, (0.0025, 0.0035)),
        ("10^-8", 1e-8, 5e-9, (9.5e-9, 1.5e-8)),
        ("2.10", 2.1, 0.005, (2.095, 2.105)),
        ("172,448", 172448, 0.5, (172447.5, 172448.5)),
        ("0", 0, 0.5, (-0.5, 0.5)),
    ],
)
def test_printed_numbers(printed, value, half, interval):
    assert parse_printed(printed)[0] == value
    assert parse_printed(printed)[1] == pytest.approx(2 * half)
    assert rounding_interval(printed) == interval


@pytest.mark.parametrize("text", ["", "n_i", "71,5", "7.1.5", "1e-3", "nan"])
def test_what_is_no_number_is_refused(text):
    with pytest.raises(ValueError, match="is not a printed number"):
        parse_printed(text)


def test_interval_holds_exactly_what_python_rounds_to_the_same_string(rng):
    for value in rng.uniform(-100, 100, 300):
        low, high = rounding_interval(f"{value:.2f}")
        assert low <= value <= high
        low, high = rounding_interval(f"{value:.0e}".replace("e", "·10^").replace("+0", ""))
        assert low <= value <= high
    assert not agrees(9.4e-9, "10^-8")
    assert agrees(9.6e-9, "10^-8")
