"""Runs on a data set of two directions, small enough to score by hand."""

from helpers.runs import Run
from tests.outcomes import Outcome

LABELS = ("Other", "R(e1,e2)", "R(e2,e1)")
GOOD = ((0, 0, 0, 2), (1, 1, 2, 6), (2, 2, 1, 2))
HALF = ((0, 0, 0, 2), (1, 1, 1, 6), (2, 1, 1, 1), (2, 2, 1, 1))
"""Rows of an outcome: gold, predicted on the original, predicted on the paired sentence, how often."""


def run(model: str, seed: int | None, rows: tuple, **more) -> Run:
    shown = {"dataset": "semeval2010", "encoder": "tiny", "profile": "standard", "negative": "Other"} | more
    return Run.from_outcome(
        Outcome.from_rows(rows, LABELS, ("gold", "predicted", "paired")), model=model, seed=seed, **shown
    )
