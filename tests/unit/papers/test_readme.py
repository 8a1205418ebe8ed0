"""The README's numbers are those of the tables and of the stored outcomes."""

import re
import shlex
import subprocess
import sys
from contextlib import suppress

import pandas as pd
import pytest

from helpers import ROOT
from helpers.__main__ import main
from helpers.metrics import PairedOutcomes
from helpers.papers.readme import CLAIMS, PAGES, claims_table, filled, picture, rows_of
from helpers.reporting.tables import TABLES_FOLDER
from helpers.runs import list_runs

README, RESULTS = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "results/README.md"))


@pytest.mark.parametrize("page", PAGES)
def test_all_tables_are_those_of_the_results(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert filled(page, text) == text, "stale tables; run: python -m helpers.papers.readme"


def test_a_changed_number_would_be_noticed():
    assert "70.83 / 70.29" in RESULTS
    assert filled("results/README.md", RESULTS.replace("70.83 / 70.29", "70.84 / 70.29")) == RESULTS


def test_marks_are_needed():
    with pytest.raises(ValueError, match=r"README.md lacks the marks"):
        filled("README.md", "no tables here")


def test_every_claim_has_a_row_and_a_notebook():
    assert len(claims_table().splitlines()) == len(CLAIMS) + 2
    assert all((ROOT / "results" / "notebooks" / f"{claim.notebook}.ipynb").is_file() for claim in CLAIMS)


def test_a_missing_row_is_named():
    with pytest.raises(ValueError, match="has no row with dataset=nowhere"):
        rows_of(TABLES_FOLDER / "01_statistics.csv", dataset="nowhere")


def blocks(language: str) -> list[str]:
    """The code blocks of the README in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", README, re.MULTILINE | re.DOTALL)


def test_the_walk_to_many_predictions_can_be_typed(call, monkeypatch, tmp_path):
    """Five commands; with fewer rows, and without what installs. Spark's is typed in tests/unit/data."""
    (walk,) = (block for block in blocks("bash") if "100000000" in block)
    install, make, *scores = walk.replace("100000000", "1000").splitlines()
    assert install == "pip install ." and len(scores) == 3 and "--engine spark" in scores[-1]
    monkeypatch.chdir(tmp_path)
    python, *words = shlex.split(make)
    assert python == "python"
    subprocess.run([sys.executable, *words], check=True)
    for line in scores[:2]:
        code, printed, noted = call(*shlex.split(line, comments=True)[3:])
        assert code == 0 and printed.startswith("n 1000 · "), noted


def test_the_example_is_what_the_command_prints(call, monkeypatch):
    """Typed as it is printed, in the project's folder."""
    monkeypatch.chdir(ROOT)
    (command,) = re.findall(r"^python -m helpers (.*examples/.*)$", blocks("bash")[0], re.MULTILINE)
    code, printed, _ = call(*shlex.split(command))
    assert code == 0
    shown = [line for line in blocks("text")[0].splitlines() if line != "…"]
    assert len(shown) == 9 and set(shown) <= set(printed.splitlines())


def test_the_example_file_is_a_stored_outcome():
    (run,) = (
        one for one in list_runs("semeval2010", profile="standard") if (one.name, one.seed) == ("EM-C", 9)
    )
    frame = pd.read_csv(ROOT / "examples" / "predictions.csv")
    columns = (frame[name] for name in ("gold", "predicted", "paired"))
    assert PairedOutcomes.from_arrays(*columns, run.labels) == run.outcome()


def test_the_readme_is_short_and_has_a_picture():
    prose = re.sub(r"^(```.*?^```|\|.*?$)", "", README, flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) <= 700
    (image,) = re.findall(r"!\[.*?\]\((.*?)\)", README)
    drawn = pd.read_csv((ROOT / image).with_suffix(".csv"))
    pd.testing.assert_frame_equal(drawn, pd.concat(picture()).reset_index(drop=True), rtol=1e-6)


def test_the_commands_exist(capsys):
    with suppress(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    for command in set(re.findall(r"python -m helpers ([a-z-]+)", README + RESULTS)):
        assert re.search(rf"(?<![\w-]){command}(?![\w-])", said)
