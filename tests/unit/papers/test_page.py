"""The README's numbers are those of the tables and of the stored outcomes."""

import re
import shlex
import subprocess
import sys

import jinja2
import pytest

from helpers import ROOT
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


def block(language: str, word: str, page: str = "README.md") -> list[str]:
    """The lines of the one code block of a page that has this word."""
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (chosen,) = (code for code in blocks if word in code)
    return chosen.splitlines()


def test_the_walk_to_many_predictions_can_be_typed(call, monkeypatch, tmp_path):
    """Five commands; with fewer rows, and without what installs. Spark's is typed in tests/unit/data."""
    _, make, *scores = block("bash", "100000000", "results/speed.md")
    assert len(scores) == 3 and "--engine spark" in scores[-1]
    monkeypatch.chdir(tmp_path)
    python, *words = shlex.split(make.replace("100000000", "1000"))
    subprocess.run([sys.executable, *words], check=True)
    for line in scores[:2]:
        code, out, err = call(*shlex.split(line, comments=True)[1:])
        assert code == 0 and out.startswith("n 1000 · "), err


def test_the_example_is_what_the_command_prints(call, monkeypatch):
    monkeypatch.chdir(ROOT)
    (command,) = (line for line in block("bash", "examples/") if "examples/" in line)
    shown = [line for line in block("text", "…") if line != "…"]
    assert len(shown) == 9 and set(shown) <= {*call(*shlex.split(command)[1:])[1].splitlines()}
