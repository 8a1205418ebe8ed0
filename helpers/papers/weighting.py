"""How much of a macro average is one class? With it, without it, and what printed means and SDs say of it."""

from __future__ import annotations

from itertools import product

import numpy as np
import pandas as pd

from helpers.metrics import average, evaluate
from helpers.reporting import original_table
from helpers.runs import Run

CLASS_EFFECTS = ("support", "correct", "false_alarms", "f1", "with_class", "without_class")


def class_effect(run: Run, label: str) -> dict[str, float]:
    """A class in the macro-F1 of a run: `CLASS_EFFECTS`; f1 and the two macro-F1s are fractions.

    Without the class, mistakes that involve it stay mistakes of the others. Raises ValueError if the run has
    no such label, KeyError without a gold sample of it.

    >>> found = class_effect(Run("d", "test", "m", ("a", "b"), ((0, 0, 3), (1, 0, 1))), "b")
    >>> found["correct"], round(found["with_class"], 4), round(found["without_class"], 4)
    (0, 0.4286, 0.8571)
    """
    table = original_table(run)
    report = evaluate(table, schemes=["macro"], negative=run.negative)
    others = [name for name in report.averaged if name != label]
    counts = report.per_class[label]
    found = (
        counts["support"],
        counts["correct"],
        counts["predicted"] - counts["correct"],
        counts["f1"],
        report.schemes["macro"]["f1"],
        average(table, "macro", negative=run.negative, labels=others),
    )
    return dict(zip(CLASS_EFFECTS, found, strict=True))


def single_class_effect(runs: int, classes: int) -> pd.DataFrame:
    """What a class with one test sample adds to a macro-F1 if k of the runs get it right.

    With F1 = 1 in k of the runs and 0 in the others the class adds 100·k / (runs·classes) points to the mean,
    and by itself an SD (ddof = 1) of 100 / classes · √(k·(runs − k) / (runs·(runs − 1))) points.

    Returns
    -------
    Index k = 0 … runs; columns points, sd. Raises ValueError for fewer than two runs.

    >>> single_class_effect(5, 18).round(2).loc[[0, 1, 5]].to_numpy().tolist()
    [[0.0, 0.0], [1.11, 2.48], [5.56, 0.0]]
    """
    if runs < 2:
        raise ValueError(f"runs is {runs}: a spread takes at least two")
    k = np.arange(runs + 1)
    spread = np.sqrt(k * (runs - k) / (runs * (runs - 1)))
    return pd.DataFrame({"points": 100 * k / (runs * classes), "sd": 100 / classes * spread}, index=k)


def leads_without(
    first: tuple[float, float], second: tuple[float, float], classes: int, hits: tuple[float, ...] = (0, 1)
) -> pd.DataFrame:
    """The lead second − first of two printed macro-F1s without one class, for each F1 the class may have.

    A macro-F1 m over C classes, one of them with F1 f, is (C·m − 100·f) / (C − 1) without it.

    Parameters
    ----------
    first, second : lowest and highest macro-F1 in per cent, e.g. from `rounding_interval`.
    hits : values of f.

    Returns
    -------
    Columns first, second (f of each), low, high: the lead in points.

    >>> leads_without((82.65, 82.75), (87.75, 87.85), 18).round(2).to_numpy().tolist()[1]
    [0.0, 1.0, -0.59, -0.38]
    """
    rows = []
    for f, g in product(hits, repeat=2):
        a, b = ([(classes * end - 100 * hit) / (classes - 1) for end in ends] for ends, hit in
                ((first, f), (second, g)))  # fmt: skip
        rows.append((float(f), float(g), b[0] - a[1], b[1] - a[0]))
    return pd.DataFrame(rows, columns=["first", "second", "low", "high"])
