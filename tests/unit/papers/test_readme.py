"""The README's numbers are those of the tables and of the stored outcomes."""

import re
from contextlib import suppress

import numpy as np
import pytest

from helpers import ROOT
from helpers.__main__ import main
from helpers.metrics.averaging import averages, evaluate
from helpers.metrics.bootstrap import bootstrap_intervals
from helpers.metrics.weighting import SCHEMES
from helpers.papers.readme import CLAIMS, PAGES, claims_table, filled, rows_of
from helpers.reporting.tables import TABLES_FOLDER
from helpers.runs import list_runs

README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_all_tables_are_those_of_the_results(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert filled(page, text) == text, "stale tables; run: python -m helpers.papers.readme"


def test_a_changed_number_would_be_noticed():
    assert "70.83 / 70.29" in README
    assert filled("README.md", README.replace("70.83 / 70.29", "70.84 / 70.29")) == README


def test_marks_are_needed():
    with pytest.raises(ValueError, match=r"README.md lacks the marks"):
        filled("README.md", "no tables here")


def test_every_claim_has_a_row_and_a_notebook():
    assert len(claims_table().splitlines()) == len(CLAIMS) + 2
    assert all((ROOT / "results" / "notebooks" / f"{claim.notebook}.ipynb").is_file() for claim in CLAIMS)


def test_a_missing_row_is_named():
    with pytest.raises(ValueError, match="has no row with dataset=nowhere"):
        rows_of(TABLES_FOLDER / "01_statistics.csv", dataset="nowhere")


def test_the_example_is_what_the_command_prints():
    table = list_runs("tacred", "spanbert_tacred")[0].outcome()
    report = evaluate(table, negative="no_relation")
    rng = np.random.default_rng(1)
    interval = bootstrap_intervals(
        table, lambda drawn: averages(drawn, classes_of=table, negative="no_relation"), rng
    )
    for place, scheme in enumerate(SCHEMES):
        row = report.schemes[scheme]
        numbers = [row[name] for name in ("precision", "recall", "f1", "f1_of_means")]
        numbers += [interval.low[place], interval.high[place]]
        printed = re.search(rf"^{scheme} +(.*)$", README, re.MULTILINE).group(1).split()
        assert printed == [f"{100 * number:.2f}" for number in numbers]
    assert report.to_text().splitlines()[0] in README


def test_the_commands_exist(capsys):
    with suppress(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    for command in set(re.findall(r"python -m helpers ([a-z-]+)", README)):
        assert re.search(rf"(?<![\w-]){command}(?![\w-])", said)
