"""Notebook 10: numbers for reading, and what few runs can tell."""

from __future__ import annotations

import numpy as np
import pandas as pd
import scipy  # scipy loads scipy.stats when it is first asked for


def significant(value: object, digits: int = 3) -> str:
    """A number with so many significant digits, as text; other things as they are.

    >>> significant(0.00123456), significant(79508.4), significant("–")
    ('0.00123', '79500', '–')
    """
    if not isinstance(value, float | np.floating):
        return str(value)
    return f"{float(f'{value:.{digits}g}'):.10g}"


def simulated_experiments(runs: int, experiments: int, seed: int) -> pd.DataFrame:
    """Two models with a known difference, `runs` runs each, many times: what Welch's test finds.

    Returns a row for each true d from 0 to 4: true_d, significant (share with p < .05), estimated_d (mean
    |d| of these).

    >>> list(simulated_experiments(5, 200, 1).columns)
    ['true_d', 'significant', 'estimated_d']
    """
    if runs < 2 or experiments < 1:
        raise ValueError("a spread takes at least two runs, a share at least one experiment")
    rng, rows = np.random.default_rng(seed), []
    for true_d in np.arange(0, 4.01, 0.25):
        first, second = rng.normal(true_d, size=(experiments, runs)), rng.normal(size=(experiments, runs))
        hit = scipy.stats.ttest_ind(first, second, axis=1, equal_var=False).pvalue < 0.05
        pooled = np.sqrt((first.var(1, ddof=1) + second.var(1, ddof=1)) / 2)
        estimate = (first.mean(1) - second.mean(1)) / pooled
        rows.append((true_d, hit.mean(), abs(estimate[hit]).mean()))
    return pd.DataFrame(rows, columns=["true_d", "significant", "estimated_d"])
