"""Figures of the audit: p-values against what other numbers allow, and what few runs can tell."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pandas as pd

from ...metrics import SAWILOWSKY
from .parts import headline, legend_below, name_rows
from .style import BLUE, FAINT, PALETTE, styled


@styled
def p_values_chart(p_values: pd.DataFrame, title: str) -> plt.Figure:
    """Printed p-values and what the numbers printed beside them allow, as multiples of the printed p.

    Parameters
    ----------
    p_values : one row a test, drawn from the top: `label` (the −3 of 10^-3 is raised); `printed_low`,
        `printed_high` (what rounds to the printed p), `low`, `high` (p from all numbers together), each
        divided by the printed p; `consistent`.

    >>> ends = {"printed_low": 0.8, "printed_high": 1.2, "low": 2, "high": 3}
    >>> figure = p_values_chart(pd.DataFrame([{"label": "macro", **ends, "consistent": False}]), "one")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['macro']
    """
    rows = p_values.reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(5.6, 1.3 + 0.3 * len(rows)))
    good = rows["consistent"].astype(bool)
    for chosen, color, words in ((good, BLUE, "can be"), (~good, PALETTE[3], "can be, but is not printed")):
        own = rows[chosen]
        axes.hlines(own.index, own["low"], own["high"], linewidth=6, color=color, label=words)
    axes.hlines(
        rows.index, rows["printed_low"], rows["printed_high"], linewidth=2.4, color="black", label="printed"
    )
    name_rows(axes, [re.sub(r"\^(-?\d+)", r"$^{\1}$", label) for label in rows["label"]], fontsize=10)
    axes.set(xscale="log", xlabel="p as a multiple of the printed p", xticks=[0.3, 1, 3, 10])
    axes.xaxis.set_major_formatter("{x:g}")
    axes.xaxis.set_minor_locator(plt.NullLocator())
    axes.grid(axis="y", visible=False)
    headline(figure, title)
    legend_below(figure, axes, 3)
    return figure


@styled
def few_runs_chart(simulated: pd.DataFrame, runs: int, alpha: float) -> plt.Figure:
    """What tests over a few runs find: how often, and how large the effect looks when they do.

    Parameters
    ----------
    simulated : columns `true_d`, `significant` (share of experiments with p < alpha), `estimated_d` (mean |d|
        of these). `runs` : of each model. Thin lines on the right show where Sawilowsky's words begin.

    >>> simulated = pd.DataFrame({"true_d": [0, 1], "significant": [0.05, 0.3], "estimated_d": [2.0, 2.1]})
    >>> len(few_runs_chart(simulated, 5, 0.05).axes)
    2
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(7.5, 3.4))
    left.plot(simulated["true_d"], simulated["significant"], "o-", color=BLUE, markersize=4)
    left.set(xlabel="true d", ylabel=f"share of experiments with p < {alpha:g}", ylim=(0, 1.02))
    left.set_title(f"{runs} runs each miss small effects …", fontsize=10)
    ends = [0, simulated["true_d"].max()]
    for least, word in SAWILOWSKY[:4]:
        right.axhline(least, color=FAINT, linewidth=0.8, zorder=0)
        right.annotate(word, (ends[1], least), (0, 2), textcoords="offset points", ha="right", fontsize=7)
    look = {"color": PALETTE[3], "markersize": 4, "label": "as found"}
    right.plot(simulated["true_d"], simulated["estimated_d"], "o-", **look)
    right.plot(ends, ends, color="#666666", linestyle=":", linewidth=1.2, label="as it is")
    right.set(xlabel="true d", ylabel=f"mean |d| where p < {alpha:g}", ylim=(0, None))
    right.set_title("… and overstate those that they find", fontsize=10)
    figure.get_layout_engine().set(wspace=0.06)
    right.grid(axis="y", visible=False)
    right.legend(fontsize=8, loc="upper left")
    return figure
