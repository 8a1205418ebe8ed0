"""The README's numbers are those of the tables and of the stored outcomes."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jinja2
import pandas as pd
import pytest

from helpers import NAME, ROOT
from helpers.papers.page import PAGES, TEMPLATES, made

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
