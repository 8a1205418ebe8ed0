"""Figures of the audit: p-values against what other numbers allow, a common denominator, few runs."""

from __future__ import annotations

import re

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from ...metrics import SAWILOWSKY
from .parts import legend_below, name_rows
from .style import BLUE, FAINT, PALETTE, QUIET, styled

_ALLOWED, _EXCLUDED, _WIDE = BLUE, PALETTE[3], FAINT


@styled
def p_values_chart(p_values: pd.DataFrame, title: str) -> plt.Figure:
    """Printed p-values and what the numbers printed beside them allow, as multiples of the printed p.

    Parameters
    ----------
    p_values : one row a test, drawn from the top: `label` (the −3 of 10^-3 is raised); `printed_low`,
        `printed_high` (what rounds to the printed p), `wide_low`, `wide_high` (p from means and SDs alone),
        `low`, `high` (p from all numbers together), each divided by the printed p; `consistent`.

    >>> ends = {"printed_low": 0.8, "printed_high": 1.2, "wide_low": 0.1, "wide_high": 9, "low": 2, "high": 3}
    >>> figure = p_values_chart(pd.DataFrame([{"label": "macro", **ends, "consistent": False}]), "one")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['macro']
    """
    rows = p_values.reset_index(drop=True)
    figure, axes = plt.subplots(figsize=(7.5, 1.6 + 0.36 * len(rows)))
    good = rows["consistent"].astype(bool)
    _bars(axes, rows, "wide_", 10, _WIDE, "means and SDs allow")
    _bars(axes, rows[good], "", 5, _ALLOWED, "means, SDs and d together allow")
    _bars(axes, rows[~good], "", 5, _EXCLUDED, "the same, but the printed p lies outside")
    _bars(axes, rows, "printed_", 1.8, "black", "printed, ± half a digit")
    axes.plot([1] * len(rows), rows.index, "|", color="black", markersize=12, markeredgewidth=1.8)
    name_rows(axes, [re.sub(r"\^(-?\d+)", r"$^{\1}$", label) for label in rows["label"]], fontsize=10)
    axes.set(xscale="log", title=title)
    axes.set_xlabel("p-value as a multiple of the printed one")
    axes.xaxis.set_major_formatter("{x:g}")
    axes.grid(axis="y", visible=False)
    legend_below(figure, axes, 2)
    return figure


def _bars(axes: Axes, rows: pd.DataFrame, name: str, width: float, color: str, label: str) -> None:
    low, high = rows[f"{name}low"], rows[f"{name}high"]
    axes.hlines(rows.index, low, high, linewidth=width, color=color, label=label)


@styled
def common_denominator_chart(
    fits: pd.DataFrame, shares: int, named: dict[int, str], title: str
) -> plt.Figure:
    """How many of the printed shares are whole multiples of 1/n, for every n.

    Parameters
    ----------
    fits : columns `n`, `fits` (of the shares), `by_chance` (how many random shares would fit on average).
    shares : number of printed shares, the most that can fit.
    named : n -> what to write beside its point.

    >>> fits = pd.DataFrame({"n": [1, 2, 3], "fits": [0, 1, 4], "by_chance": [0.0, 0.1, 0.2]})
    >>> figure = common_denominator_chart(fits, 4, {3: "n = 3"}, "four")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['n = 3']
    """
    figure, axes = plt.subplots(figsize=(7.5, 3.6))
    axes.plot(fits["n"], fits["fits"], ".", color=QUIET, markersize=3, label="each n")
    axes.plot(fits["n"], fits["by_chance"], color=_EXCLUDED, linewidth=1.6, label="expected by chance")
    box = {"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "none", "alpha": 0.85}
    place = {"xytext": (-10, 0), "textcoords": "offset points", "ha": "right", "va": "center"}
    for n, text in named.items():
        fit = fits.loc[fits["n"] == n, "fits"].item()
        axes.plot(n, fit, "o", color=_ALLOWED, markersize=7)
        axes.annotate(text, (n, fit), bbox=box, fontsize=9, **place)
    axes.set(xlabel="n, the number of test samples", ylabel=f"PPRs that fit, of {shares}", title=title)
    axes.set(ylim=(-0.5, shares + 0.9), xlim=(0, None), yticks=range(0, shares + 1, 2))
    axes.legend(fontsize=8, loc="upper left")
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
    left.plot(simulated["true_d"], simulated["significant"], "o-", color=_ALLOWED, markersize=4)
    left.set(xlabel="true d", ylabel=f"share of experiments with p < {alpha:g}", ylim=(0, 1.02))
    left.set_title(f"{runs} runs each miss small effects …", fontsize=10)
    ends = [0, simulated["true_d"].max()]
    for least, word in SAWILOWSKY[:4]:
        right.axhline(least, color=FAINT, linewidth=0.8, zorder=0)
        right.annotate(word, (ends[1], least), (0, 2), textcoords="offset points", ha="right", fontsize=7)
    look = {"color": _EXCLUDED, "markersize": 4, "label": "as found"}
    right.plot(simulated["true_d"], simulated["estimated_d"], "o-", **look)
    right.plot(ends, ends, color="#666666", linestyle=":", linewidth=1.2, label="as it is")
    right.set(xlabel="true d", ylabel=f"mean |d| where p < {alpha:g}", ylim=(0, None))
    right.set_title("… and overstate those that they find", fontsize=10)
    figure.get_layout_engine().set(wspace=0.06)
    right.grid(axis="y", visible=False)
    right.legend(fontsize=8, loc="upper left")
    return figure
