"""The README's numbers are those of the tables and of the stored outcomes."""

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import jinja2
import pytest

from helpers import NAME, ROOT
from helpers.papers.page import PAGES, TEMPLATES, made


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_made_from_what_is_stored(page):
    assert made(page) == (ROOT / page).read_text(encoding="utf-8"), "run: python -m helpers.papers.page"


@pytest.mark.parametrize(
    ("text", "error", "said"),
    [
        ("expect(mean('EM-C', 'ppr') > 80, 'EM-C reads direction')", ValueError, "EM-C reads direction"),
        ("meen('EM-C', 'ppr')", jinja2.UndefinedError, "meen"),
        ("study_mean('markers', 'painted', 'ppr')", KeyError, "painted"),
    ],
)
def test_a_page_is_not_made_from_what_is_not_so(tmp_path, text, error, said):
    (tmp_path / PAGES["README.md"]).write_text(f"{{{{ {text} }}}}")
    with pytest.raises(error, match=said):
        made("README.md", tmp_path)


@pytest.mark.parametrize("template", sorted(set(PAGES.values()) - {"landing.md"}))
def test_no_decimal_and_no_percentage_is_typed(template):
    """But in code, tables, targets of links and what Jinja makes; versions with two dots are neither."""
    text = (TEMPLATES / template).read_text(encoding="utf-8")
    made_or_code = r"^```.*?^```|^\|.*?$|\{[{%].*?[}%]\}|`[^`]*`|\]\([^)]*\)"
    prose = re.sub(made_or_code, "", text, flags=re.M | re.S)
    assert re.findall(r"(?<![\d.])\d+\.\d+(?!\.?\d)|\d+ ?%", prose) == []


def blocks(language: str, page: str = "README.md") -> list[str]:
    """The code blocks of a page in one language."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


@pytest.fixture
def typed(call):
    """Type a line of a page: it has to end well; gives what is printed."""

    def run(line: str) -> str:
        program, *words = shlex.split(line, comments=True)
        assert program == NAME
        code, printed, said = call(*words)
        assert code == 0 and printed, (line, said)
        return printed

    return run


def test_the_walk_to_many_predictions_can_be_typed(typed, monkeypatch, tmp_path):
    """Five commands; with fewer rows, and without what installs. Spark's is typed in tests/unit/data."""
    (walk,) = (block for block in blocks("bash", "results/speed.md") if "100000000" in block)
    install, make, *scores = walk.replace("100000000", "1000").splitlines()
    assert install == "pip install ." and len(scores) == 3 and "--engine spark" in scores[-1]
    monkeypatch.chdir(tmp_path)
    python, *words = shlex.split(make)
    assert python == "python"
    subprocess.run([sys.executable, *words], check=True)
    assert all(typed(line).startswith("n 1000 · ") for line in scores[:2])


def test_the_example_is_what_the_command_prints(typed, monkeypatch):
    """Typed as it is printed, in the project's folder."""
    monkeypatch.chdir(ROOT)
    (command,) = re.findall(r"^beyond-micro-f1 .*examples/.*$", blocks("bash")[0], re.MULTILINE)
    shown = [line for line in blocks("text")[0].splitlines() if line != "…"]
    assert len(shown) == 9 and set(shown) <= set(typed(command).splitlines())


def test_the_commands_on_your_own_files_run_as_printed(typed, monkeypatch, tmp_path):
    """Each line of the block that names mine.csv, typed as it stands, in a folder with such files."""
    monkeypatch.chdir(tmp_path)
    labels = ["r", "s", "no_relation"] * 10
    files = {
        "ranked.csv": "head,tail,relation,score\na,c,r,0.9\nb,d,s,0.2\n",
        "true.csv": "head,tail,relation\na,c,r\n",
        "truth.csv": "1,0\n0,1\n",
        "scores.csv": "0.9,-0.4\n-0.2,0.3\n",
        "llm.jsonl": "".join(
            json.dumps({"gold": "r", "predicted": said}) + "\n" for said in ("**r**", "I cannot say")
        ),
        "test.jsonl": json.dumps({"gold": [["Ada", "left", "Rome"]]}),
        "output.jsonl": json.dumps({"predicted": [["Ada", "left", "Rome"]]}),
    }
    for name, turned in (("mine.csv", 3), ("theirs.csv", 7)):
        pairs = zip(labels, labels[:turned][::-1] + labels[turned:], strict=True)
        files[name] = "gold,predicted\n" + "".join(f"{gold},{predicted}\n" for gold, predicted in pairs)
    for name, text in files.items():
        Path(name).write_text(text)
    (block,) = (block for block in blocks("bash") if "mine.csv" in block)
    for line in block.splitlines():
        typed(line)
