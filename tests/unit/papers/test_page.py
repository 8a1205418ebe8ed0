"""The README's numbers are those of the tables and of the stored outcomes."""

import re

import jinja2
import pytest

from helpers import ROOT
from helpers.papers.page import PAGES, TEMPLATES, _save_figures, made


@pytest.mark.parametrize("page", PAGES)
def test_pages_are_made_from_what_is_stored(page):
    assert made(page) == (ROOT / page).read_text(encoding="utf-8"), "run: python -m helpers.papers.page"


@pytest.mark.nightly(third=2)
def test_the_pages_figures_show_what_is_stored(tmp_path):
    _save_figures(tmp_path)
    tables = sorted(path.name for path in tmp_path.glob("*.csv"))
    assert len(tables) == 5
    assert [
        name for name in tables if (tmp_path / name).read_bytes() != (ROOT / "figures" / name).read_bytes()
    ] == []


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


def test_the_example_is_what_the_command_prints(call, monkeypatch):
    monkeypatch.chdir(ROOT)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"^beyond-micro-f1 (.*examples/.*)$", readme, re.MULTILINE)
    (block,) = re.findall(r"^```text\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    shown = {line for line in block.splitlines() if line != "…"}
    assert len(shown) == 9 and shown <= {*call(*words.split())[1].splitlines()}
