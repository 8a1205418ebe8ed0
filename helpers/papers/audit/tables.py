"""Notebook 10: the audit's claims as tables for reading, and what few runs can tell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy  # scipy loads scipy.stats when it is first asked for

from ...metrics import cohens_d, holm, welch_from_summary
from ...reporting import load_published
from .intervals import corners, magnitude, overlap
from .weighting import COMPARED_WITH, Comparison, comparisons

_STORIES: dict[str, Callable[[pd.Series], bool]] = {
    "four p-values": lambda row: row["item"] in ("Table 3", "Table 4"),
    "a word": lambda row: row["item"] == "Section 3.1" and row["paper"] == "W",
    "a loose phrase": lambda row: row["item"] == "Figure 1 caption",
    "which NYT?": lambda row: row["claim"].startswith("nyt10"),
    "slips of the pen": lambda row: row["paper"] == "R",
}
TOGETHER = "p from means, SDs and the printed d together"


def significant(value: object, digits: int = 3) -> str:
    """A number with so many significant digits, as text; other things as they are.

    >>> significant(0.00123456), significant(79508.4), significant("–")
    ('0.00123', '79500', '–')
    """
    if not isinstance(value, float | np.floating):
        return str(value)
    return f"{float(f'{value:.{digits}g}'):.10g}"


def inconsistent_stories(claims: pd.DataFrame) -> pd.DataFrame:
    """The inconsistent claims, in five stories; index (story, paper, item), then claim, published, from, to.

    Raises ValueError for a claim that belongs to none of them.
    """
    wrong = claims[claims["verdict"] == "inconsistent"]
    rows, ends = [], ("derived_low", "derived_high")
    for _, row in wrong.iterrows():
        story = next((name for name, belongs in _STORIES.items() if belongs(row)), None)
        if story is None:
            raise ValueError(f"an inconsistent claim without a story: {row['item']}, {row['claim']}")
        texts = [significant(row[end], 3 if abs(row[end]) < 1000 else 6).replace("-", "−") for end in ends]
        rows.append((story, row["paper"], row["item"], row["claim"], row["published"], *texts))
    found = pd.DataFrame(rows, columns=["story", "paper", "item", "claim", "published", "from", "to"])
    found["story"] = pd.Categorical(found["story"], list(_STORIES), ordered=True)
    return found.sort_values("story", kind="stable").set_index(["story", "paper", "item"])


def significance_columns() -> list[tuple[str, Comparison]]:
    """The ten columns of Tables 3 and 4 that have d and p, with the table's name.

    >>> len(significance_columns())
    10
    """
    published = load_published()
    return [(item, one) for item in ("Table 3", "Table 4") for one in comparisons(published, item)]


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


def conventions_table() -> pd.DataFrame:
    """Which conventions of p, from the printed d and SDs, allow which of the ten printed p-values."""
    root = np.sqrt(5 / 2)
    conventions = {
        "Welch, sample SDs (Section 2.4)": (root,),
        "Student, 8 degrees of freedom": (root, (8.0, 8.0)),
        "d from population SDs, p from sample SDs": (root * np.sqrt(4 / 5),),
        "p from population SDs, d from sample SDs": (root * np.sqrt(5 / 4),),
        "Welch, one-sided": (root, None, 1),
        "normal distribution": (root, (np.inf, np.inf)),
    }
    columns = significance_columns()
    found = {name: [_fits(one, *how) for _, one in columns] for name, how in conventions.items()}
    table = pd.DataFrame(found, index=[f"{item[-1]} {one.scheme}" for item, one in columns]).T
    return table.assign(fits=table.eq("yes").sum(axis=1))


def _fits(one: Comparison, factor: float, df: tuple[float, float] | None = None, sides: int = 2) -> str:
    p = corners(lambda d, f: sides * scipy.stats.t.sf(factor * d, f), magnitude(one.d.interval), df or one.df)
    return "yes" if overlap(p, one.p.interval) else ""


def significance_rows(claims: pd.DataFrame) -> pd.DataFrame:
    """The rows of the tidy table `10_tests`: d and p of the ten comparisons, and the verdicts."""
    names = {"d from means and SDs (Eq. 4)": "d", "p from means and SDs": "p_from_means", TOGETHER: "p"}
    judged = claims[claims["item"].isin(["Table 3", "Table 4"])].copy()
    judged[["scheme", "metric"]] = judged["claim"].str.split(": ", expand=True).replace({1: names})
    judged = judged.rename(columns={"derived_low": "low", "derived_high": "high"})
    judged = judged.set_index(["item", "scheme", "metric"])[["low", "high", "published", "verdict"]]
    columns, rows = significance_columns(), []
    for (item, one), corrected in zip(columns, holm([one.p.value for _, one in columns]), strict=True):
        (mean_a, mean_b), (sd_a, sd_b) = ([cell.value for cell in cells] for cells in (one.mean, one.sd))
        welch = welch_from_summary(mean_a, sd_a, one.runs, mean_b, sd_b, one.runs)
        values = {"d": cohens_d(mean_a, sd_a, mean_b, sd_b), "p_from_means": welch.p}
        values["p"] = 2 * scipy.stats.t.sf(abs(one.d.value) * np.sqrt(5 / 2), welch.df)
        values["p_holm"] = corrected
        rows += [(item, one.scheme, m, value, f"PTR - {COMPARED_WITH[item]}") for m, value in values.items()]
    ours = pd.DataFrame(rows, columns=["item", "scheme", "metric", "value", "model"])
    ours = ours.join(judged, on=["item", "scheme", "metric"]).fillna({"verdict": ""})
    ours["dataset"] = ours["item"].map({"Table 3": "tacred", "Table 4": "semeval2010"})
    ours["published"] = ours["published"].where(ours["metric"].isin(["d", "p"]), "")
    signatures = {m: f"{m}|test:welch|sided:2|ddof:1|runs:5" for m in ("p", "p_from_means", "p_holm")}
    signatures["d"] = "d|ddof:1|runs:5"
    return ours.assign(paper="W", seed_or_agg="5 runs", signature=ours["metric"].map(signatures))
