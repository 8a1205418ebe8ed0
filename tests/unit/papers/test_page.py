"""The README's numbers are those of the tables and of the stored outcomes."""

import json
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
import pytest

from helpers import NAME, ROOT
from helpers.__main__ import main
from helpers.papers.page import PAGES, TEMPLATES, made, picture
from helpers.papers.page_tables import CLAIMS, claims_table, rows_of
from helpers.reporting.tables import TABLES_FOLDER
from helpers.runs import list_runs
from tests.outcomes import Outcome

README, RESULTS = ((ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "results/README.md"))


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_made_from_what_is_stored(page):
    assert made(page) == (ROOT / page).read_text(encoding="utf-8"), "run: python -m helpers.papers.page"


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        (
            "{{ expect(mean('EM-C', 'ppr') > 80, 'EM-C reads direction') }}",
            ValueError,
            "EM-C reads direction",
        ),
        ("{{ meen('EM-C', 'ppr') }}", jinja2.UndefinedError, "meen"),
        ("{{ study_mean('markers', 'painted', 'ppr') }}", KeyError, "painted"),
    ],
)
def test_a_page_is_not_made_from_what_is_not_so(tmp_path, text, error, said):
    (tmp_path / PAGES["README.md"]).write_text(text)
    with pytest.raises(error, match=said):
        made("README.md", tmp_path)


NUMBER = re.compile(r"(?<![\d.])\d+\.\d+(?!\.?\d)|\d+ ?%")
"""A decimal or a percentage; versions with two dots are neither."""


def paragraphs(template: str) -> str:
    """A template without code, tables, links' targets and what Jinja makes."""
    return re.sub(r"^```.*?^```|^\|.*?$|\{[{%].*?[}%]\}|`[^`]*`|\]\([^)]*\)", "", template, flags=re.M | re.S)


@pytest.mark.parametrize("template", sorted(set(PAGES.values()) - {"landing.md"}))
def test_no_decimal_and_no_percentage_is_typed(template):
    assert NUMBER.findall(paragraphs((TEMPLATES / template).read_text(encoding="utf-8"))) == []


def test_a_typed_number_would_be_seen():
    assert NUMBER.findall(paragraphs("A is 84.9, `0.1`, version 0.10.0, {{ 1.5 }}, 95 %")) == ["84.9", "95 %"]


def test_the_summary_is_short():
    assert len(RESULTS.split()) <= 3500


def test_every_claim_has_a_row_and_a_notebook():
    assert len(claims_table().splitlines()) == len(CLAIMS) + 2
    assert all((ROOT / "results" / "notebooks" / f"{claim.notebook}.ipynb").is_file() for claim in CLAIMS)


def test_a_missing_row_is_named():
    with pytest.raises(ValueError, match="has no row with dataset=nowhere"):
        rows_of(TABLES_FOLDER / "01_statistics.csv", dataset="nowhere")


def blocks(language: str, text: str = README) -> list[str]:
    """The code blocks of a page in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_walk_to_many_predictions_can_be_typed(call, monkeypatch, tmp_path):
    """Five commands; with fewer rows, and without what installs. Spark's is typed in tests/unit/data."""
    speed = (ROOT / "results" / "speed.md").read_text("utf-8")
    (walk,) = (block for block in blocks("bash", speed) if "100000000" in block)
    install, make, *scores = walk.replace("100000000", "1000").splitlines()
    assert install == "pip install ." and len(scores) == 3 and "--engine spark" in scores[-1]
    monkeypatch.chdir(tmp_path)
    python, *words = shlex.split(make)
    assert python == "python"
    subprocess.run([sys.executable, *words], check=True)
    for line in scores[:2]:
        program, *words = shlex.split(line, comments=True)
        assert program == NAME
        code, printed, noted = call(*words)
        assert code == 0 and printed.startswith("n 1000 · "), noted


def test_the_example_is_what_the_command_prints(call, monkeypatch):
    """Typed as it is printed, in the project's folder."""
    monkeypatch.chdir(ROOT)
    (command,) = re.findall(r"^beyond-micro-f1 (.*examples/.*)$", blocks("bash")[0], re.MULTILINE)
    code, printed, _ = call(*shlex.split(command))
    assert code == 0
    shown = [line for line in blocks("text")[0].splitlines() if line != "…"]
    assert len(shown) == 9 and set(shown) <= set(printed.splitlines())


def test_the_example_file_is_a_stored_outcome():
    (run,) = (
        one for one in list_runs("semeval2010", profile="standard") if (one.name, one.seed) == ("EM-C", 9)
    )
    frame = pd.read_csv(ROOT / "examples" / "predictions.csv")
    gold, predicted, paired = (frame[name] for name in ("gold", "predicted", "paired"))
    assert Outcome.from_columns(gold, predicted, paired=paired, labels=run.labels) == run.outcome()


def test_the_readme_is_short_and_has_a_picture():
    prose = re.sub(r"^(```.*?^```|\|.*?$)", "", README, flags=re.MULTILINE | re.DOTALL)
    assert len(prose.split()) <= 700
    image, *others = re.findall(r"!\[.*?\]\((.*?)\)", README)
    assert len(others) <= 3 and all((ROOT / other).is_file() for other in others)
    drawn = pd.read_csv((ROOT / image).with_suffix(".csv"))
    pd.testing.assert_frame_equal(drawn, pd.concat(picture()).reset_index(drop=True), rtol=1e-6)


def test_the_pair_in_the_picture_is_turned_beyond_its_paired_intervals():
    lead, direction = picture()
    lead = lead.set_index("scheme")
    assert lead.loc["micro", "low"] > 0 > lead.loc["macro", "high"]
    assert np.allclose(lead["difference"], lead["score_first"] - lead["score_second"])
    assert (direction.groupby(["model", "set"]).size() == 5).all()


def test_the_commands_on_your_own_files_run_as_printed(call, monkeypatch, tmp_path):
    """Each line of the block that names mine.csv, typed as it stands, in a folder with such files."""
    monkeypatch.chdir(tmp_path)
    labels = ["r", "s", "no_relation"] * 10
    for name, turned in (("mine.csv", 3), ("theirs.csv", 7)):
        guesses = labels[:turned][::-1] + labels[turned:]
        pd.DataFrame({"gold": labels, "predicted": guesses}).to_csv(name, index=False)
    facts = pd.DataFrame({"head": ["a", "b"], "tail": ["c", "d"], "relation": ["r", "s"]})
    facts.assign(score=[0.9, 0.2]).to_csv("ranked.csv", index=False)
    facts.head(1).to_csv("true.csv", index=False)
    pd.DataFrame({"x": [1, 0], "y": [0, 1]}).to_csv("truth.csv", index=False, header=False)
    pd.DataFrame({"x": [0.9, -0.2], "y": [-0.4, 0.3]}).to_csv("scores.csv", index=False, header=False)
    answers = [{"gold": "r", "predicted": said} for said in ("**r**", "I cannot say")]
    Path("llm.jsonl").write_text("".join(f"{json.dumps(answer)}\n" for answer in answers))
    triples = [["Ada", "left", "Rome"]]
    Path("test.jsonl").write_text(json.dumps({"gold": triples}))
    Path("output.jsonl").write_text(json.dumps({"predicted": triples}))
    (block,) = (block for block in blocks("bash") if "mine.csv" in block)
    for line in block.splitlines():
        program, *words = shlex.split(line, comments=True)
        assert program == NAME
        code, printed, said = call(*words)
        assert code == 0 and printed, (line, said)


def test_the_commands_exist(capsys):
    with suppress(SystemExit):
        main(["--help"])
    said = capsys.readouterr().out
    for command in set(re.findall(r"(?:python -m helpers|beyond-micro-f1) ([a-z-]+)", README + RESULTS)):
        assert re.search(rf"(?<![\w-]){command}(?![\w-])", said)
