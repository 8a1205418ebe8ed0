"""The page `published | ours`: scales, verdicts, and the line that counts."""

import re
from pathlib import Path

import pytest

from helpers.cli import main
from helpers.papers.summary import summary_text
from helpers.reporting.tables import write_tidy

SPANBERT = {"paper": "W", "item": "Section 3.1", "dataset": "tacred", "model": "spanbert", "metric": "f1"}
SPANBERT |= {"scheme": "micro", "value": 0.70826, "published": "70.8"}
TEST = {"paper": "W", "item": "Table 3", "metric": "p", "scheme": "macro", "value": 9e-10}
TEST |= {"low": 3.5e-10, "high": 3.1e-9, "published": "2·10^-10", "verdict": "inconsistent"}


def page(folder: Path, *rows: dict) -> str:
    """The summary of one table."""
    write_tidy(list(rows), folder / "01_rows.csv")
    return summary_text(folder)


def cells(text: str, start: str) -> list[str]:
    """The cells of the one line that starts like this."""
    (line,) = (line for line in text.splitlines() if line.startswith(start))
    return re.split(r"  +", line)


@pytest.mark.parametrize(
    ("metric", "value", "unit", "shown"),
    [
        ("negative_share", 0.795105, "", ["79.5", "79.51", "yes"]),
        ("negative_share", 79.5105, "percent", ["79.5", "79.51", "yes"]),
        ("perplexity", 3.3052, "", ["3.31", "3.305", "yes"]),
        ("perplexity", 3.3152, "", ["3.31", "3.315", "no"]),
        ("samples", 106264, "", ["106264", "106264", "yes"]),
        ("ratio", 313.75, "", ["314", "313.8", "yes"]),
        ("p", 2.2e-8, "", ["2·10^-8", "2.2e-08", "yes"]),
    ],
)
def test_the_metric_or_the_unit_decides_the_scale(tmp_path, metric, value, unit, shown):
    row = {"paper": "W", "item": "Table 1", "metric": metric, "value": value, "published": shown[0]}
    assert cells(page(tmp_path, row | {"unit": unit}), metric) == [metric, *shown]


def test_a_verdict_decides_and_its_interval_is_shown(tmp_path):
    text = page(tmp_path, TEST, TEST | {"scheme": "micro", "verdict": "consistent"})
    assert cells(text, "macro") == ["macro", "2·10^-10", "3.5e-10 to 3.1e-09", "no"]
    assert cells(text, "micro")[-1] == "yes"
    assert text.endswith("1 of 2 published numbers agree; these do not: W Table 3: macro.")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"published": "n/a"}, r"01_rows.csv, Section 3.1, tacred spanbert f1 micro: 'n/a' is not a printed"),
        ({"value": 70.8}, r"f1 micro: value is 70.8: f1 has to be a fraction, or to say its unit"),
        ({"verdict": "consistant"}, r"unknown verdict 'consistant'; did you mean 'consistent'"),
        ({"verdict": "consistent"}, r"f1 micro: there is nothing to hold against 70.8"),
    ],
)
def test_what_cannot_be_compared_is_refused_with_file_and_row(tmp_path, row, message):
    with pytest.raises(ValueError, match=message):
        page(tmp_path, SPANBERT | row)


def test_the_command_without_tables_ends_with_2_and_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("helpers.papers.summary.summary_text", lambda: summary_text(tmp_path))
    assert main(["summary"]) == 2
    said = f"error: no tables in {tmp_path}; this makes them: python -m helpers notebooks\n"
    assert capsys.readouterr() == ("", said)
    write_tidy([SPANBERT], tmp_path / "01_rows.csv")
    assert main(["summary"]) == 0
    assert capsys.readouterr().out.endswith("1 of 1 published numbers agree.\n")
