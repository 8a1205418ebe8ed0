"""A teacher's walk: the plans fit into their minutes, and the quiz's keys are what the library computes."""

import re

import numpy as np
import pytest
from scipy import stats

from helpers import ROOT, metrics
from helpers.core import SEMEVAL_RELATIONS
from helpers.data import published_counts

PLANS = (ROOT / "TEACHING.md").read_text("utf-8")
QUIZ = (ROOT / "notebooks" / "teaching" / "quiz.md").read_text("utf-8")
KEYS = dict(re.findall(r"^(\d)\. .*\n   \*Key:\* (.*?) \*Typical:\*", QUIZ, re.MULTILINE))


@pytest.mark.parametrize(
    ("heading", "column"), [("90 minutes", 1), ("Twice 90 minutes", 1), ("Twice 90 minutes", 3)]
)
def test_a_plan_fits_into_ninety_minutes_and_has_slack(heading, column):
    section = PLANS.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    cells = [line.split("|")[column].strip() for line in section.splitlines() if line.startswith("|")]
    assert sum(int(cell) for cell in cells if cell.isdigit()) == 90 and "slack" in section


def test_the_keys_are_what_the_library_computes():
    assert [*KEYS] == list("12345678")
    one_of_three = metrics.Outcome.from_columns(["a", "a", "a", "b"], ["a", "b", "b", "b"])
    assert metrics.average(one_of_three, "macro", labels=["a"]) == 0.5 and KEYS["1"].startswith("½")

    support = published_counts("semeval2010")["test"]
    assert min(support[label] for label in SEMEVAL_RELATIONS if support.get(label)) == 1
    assert "1/18" in KEYS["3"] and f"{100 / 18:.2f}" in KEYS["3"]

    columns = {"gold": ["Cause-Effect(e1,e2)"] * 3, "predicted": ["Other"] * 3, "paired": ["Other"] * 3}
    silent = metrics.direction_scores(metrics.Outcome.from_columns(**columns))
    assert (silent.pd, silent.ppr) == (0, 0) and np.isnan(silent.pir)
    assert KEYS["7"].startswith("0, undefined, 0")

    needed = stats.t.ppf(0.975, 8) * np.sqrt(2 / 5)  # d of five runs each whose p is .05
    assert f"{needed:.2f}" in KEYS["8"] and needed > 1.2
