"""The page `published | ours`: scales, verdicts, missing tables, and the line that counts."""

import json
import re
from pathlib import Path

import pytest

from helpers.cli import main
from helpers.papers.summary import comparisons, summary_text
from helpers.reporting.tables import write_tidy

SPANBERT = {"paper": "W", "item": "Section 3.1", "dataset": "tacred", "model": "spanbert", "metric": "f1"}
SPANBERT |= {"scheme": "micro", "value": 0.70826, "published": "70.8"}
TEST = {"paper": "W", "item": "Table 3", "metric": "p", "scheme": "macro", "value": 9e-10}
TEST |= {"low": 3.5e-10, "high": 3.1e-9, "published": "2·10^-10", "verdict": "inconsistent"}


def page(folder: Path, *tables: list[dict]) -> str:
    """The summary of these tables, which are the only ones that any notebook should have written."""
    for number, rows in enumerate(tables, start=1):
        write_tidy(rows, folder / f"{number:02}_rows.csv")
    return summary_text(folder, notebooks=folder)


def line(text: str, start: str) -> list[str]:
    """The cells of the one line that starts like this."""
    found = [one for one in text.splitlines() if one.startswith(start)]
    assert len(found) == 1, text
    return re.split(r"  +", found[0])


def notebook(folder: Path, name: str, contract: str) -> None:
    cell = {"cell_type": "markdown", "source": [contract]}
    (folder / name).write_text(json.dumps({"cells": [cell]}), encoding="utf-8")


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ({"metric": "negative_share", "value": 0.795105, "published": "79.5"}, ["79.5", "79.51", "yes"]),
        (
            {"metric": "negative_share", "value": 79.5105, "published": "79.5", "unit": "percent"},
            ["79.5", "79.51", "yes"],
        ),
        ({"metric": "perplexity", "value": 3.3052, "published": "3.31"}, ["3.31", "3.305", "yes"]),
        ({"metric": "perplexity", "value": 3.3152, "published": "3.31"}, ["3.31", "3.315", "no"]),
        ({"metric": "samples", "value": 106264, "published": "106264"}, ["106264", "106264", "yes"]),
        ({"metric": "ratio", "value": 313.75, "published": "314"}, ["314", "313.8", "yes"]),
        ({"metric": "p", "value": 2.2e-8, "published": "2·10^-8"}, ["2·10^-8", "2.2e-08", "yes"]),
    ],
)
def test_the_metric_or_the_unit_decides_the_scale(tmp_path, row, cells):
    text = page(tmp_path, [{"paper": "W", "item": "Table 1"} | row])
    assert line(text, row["metric"]) == [row["metric"], *cells]


def test_a_verdict_decides_and_its_interval_is_shown(tmp_path):
    text = page(tmp_path, [TEST, TEST | {"scheme": "micro", "verdict": "consistent"}])
    assert line(text, "macro") == ["macro", "2·10^-10", "3.5e-10 to 3.1e-09", "no"]
    assert line(text, "micro")[-1] == "yes"
    assert text.endswith("1 of 2 published numbers agree; these do not: W Table 3: macro.")


def test_a_missing_table_is_named_with_the_command_that_makes_it(tmp_path):
    notebook(tmp_path, "01_first.ipynb", "- **Writes.** `figures/01_a`, `results/tables/01_rows.csv`.")
    notebook(tmp_path, "06_last.ipynb", "- **Writes.** `results/tables/06_more.csv`.")
    text = page(tmp_path, [SPANBERT])
    said = "06_more.csv is missing; this makes it: python -m helpers notebooks --only 06"
    assert [one for one in text.splitlines() if "missing" in one] == [said]


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
    path = write_tidy([SPANBERT | row], tmp_path / "01_rows.csv")
    with pytest.raises(ValueError, match=message):
        list(comparisons(path))


def test_the_command_prints_the_page_or_ends_with_2_and_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "helpers.papers.summary.summary_text", lambda: summary_text(tmp_path, notebooks=tmp_path)
    )
    assert main(["summary"]) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err == f"error: no tables in {tmp_path}; this makes them: python -m helpers notebooks\n"
    write_tidy([SPANBERT], tmp_path / "01_rows.csv")
    assert main(["summary"]) == 0
    assert capsys.readouterr().out.endswith("1 of 1 published numbers agree.\n")
