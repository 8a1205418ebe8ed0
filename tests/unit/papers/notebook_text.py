"""What notebooks say: their text, the numbers typed in it, and what their executed copies print."""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache

import pandas as pd

from helpers import ROOT
from helpers.papers import findings_table, pair_runs, pair_scores, restriction_gains
from helpers.papers.graphs import DRAWN, WHOLE
from helpers.reporting import compare_models, find_cell, load_published
from tests.lazy import nbformat

NUMBER = re.compile(r"\b\d[\d,]*\.\d+\b|\b\d+ of \d+\b|(?<![\w.,])\.\d+\b|\b\d+(?:\.\d+)? %")
CODE = re.compile(r"```.*?```|`[^`]*`|\$[^$]*\$|Sections? \d\.\d|version \d\.\d+\.\d", re.DOTALL)


def source(number: str, kind: str = "") -> str:
    """All cells of a notebook, or those of a kind, line breaks as blanks."""
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    return " ".join(" ".join(cell.source.split()) for cell in cells if kind in cell.cell_type)


def numbers_in(text: str) -> list[str]:
    """Decimals, shares and counts ('0.5', '.05', '3 of 5', '7 %') outside code and formulas."""
    return NUMBER.findall(CODE.sub(" ", text))


def untold(number: str, told: Iterable[str]) -> list[str]:
    """The numbers in a notebook's Markdown, exercises left out, that no sentence in `told` has."""
    known = {one for sentence in told for one in numbers_in(sentence)}
    typed = numbers_in(source(number, "markdown").partition("## Your turn")[0])
    return [one for one in typed if one not in known]


Claims = Mapping[tuple[str, str], Callable[[], bool]]
"""(notebook, sentence in it) → the check that makes it true."""


def assert_claim(claims: Claims, number: str, sentence: str) -> None:
    """The sentence stands in the notebook, and it holds."""
    assert sentence in source(number)
    assert claims[number, sentence]()


def assert_all_told(claims: Claims, number: str, definitions: str = "") -> None:
    """Decimals, shares and counts in Markdown are those of the claims, and of definitions."""
    told = [sentence for lesson, sentence in claims if lesson == number]
    assert untold(number, [*told, definitions]) == []


def shown_by(number: str, code: str) -> str:
    """The text that the cell with `code` shows in the executed copy, blanks joined.

    For what takes a corpus or a minute to compute.
    """
    (path,) = (ROOT / "results" / "notebooks").glob(f"{number}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    (cell,) = [one for one in cells if one.cell_type == "code" and code in one.source]
    texts = [output.get("text") or output.get("data", {}).get("text/plain", "") for output in cell.outputs]
    return " ".join(" ".join(texts).split())


def printed(model: str, metric: str) -> float:
    """A number of the tables of Lyu et al."""
    tables = load_published("R").query("item.str.startswith('Table')")
    return find_cell(tables, model=model, metric=metric).value


def of_table(item: str, model: str, scheme: str) -> tuple[str, str]:
    """Mean and SD as Harbecke et al. print them."""
    cells = load_published("W", item)
    found = [find_cell(cells, model=model, scheme=scheme, statistic=name) for name in ("mean", "sd")]
    return tuple(str(one.printed) for one in found)


@cache
def gains_of_14(base: str = "SVM-EM", dataset: str = DRAWN) -> pd.DataFrame:
    """What each part of RECENT around a base adds under each scheme, usually on the drawn pairs."""
    gains = restriction_gains(pair_scores(pair_runs(dataset))).query("base == @base").set_index("scheme")
    seeming = gains["RECENT"] + gains["leak"] - gains["alone"]
    return gains.assign(both=gains["RECENT"] - gains["alone"], seeming=seeming)


def micro_of_14(*names: str, base: str = "SVM-EM", dataset: str = DRAWN) -> list[float]:
    """The same under micro-F1, rounded as it is printed."""
    return gains_of_14(base, dataset).loc["micro", list(names)].astype(float).round(1).tolist()


@cache
def lead_of_ptr(system: str, dataset: str = WHOLE) -> pd.Series:
    """By how many points PTR is above a system under each scheme, rounded, in the mean over the runs."""
    scores = pair_scores(pair_runs(dataset)).pivot_table("value", "score", "model")
    return (100 * (scores["PTR"] - scores[system])).round(1)


@cache
def verdicts_of_14(evaluation: str = "") -> pd.DataFrame:
    """PTR against RECENT around EM-ES on the drawn pairs, by score."""
    table = findings_table(pair_runs())
    return table[table["first"] == f"RECENT(EM-ES){evaluation}"].set_index("score")


def p_of_14(first: str, second: str, scheme: str, decimals: int = 2) -> str:
    """Welch's p of two systems on the drawn pairs, over five seeds."""
    rows = pair_scores(pair_runs(DRAWN)).query("score == @scheme")
    found = compare_models(rows, first, second)
    assert found["runs"].item() == 5
    return f"{found['p'].item():.{decimals}f}".removeprefix("0")


def ahead_of_14(evaluation: str = "") -> pd.Series:
    """By how many points PTR is ahead of it."""
    table = verdicts_of_14(evaluation)
    return (table["ours_second"] - table["ours_first"]).round(1)
