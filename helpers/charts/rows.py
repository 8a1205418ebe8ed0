"""Charts of rows: dots with intervals, two values joined by a line, published beside ours."""

from __future__ import annotations

import re
from zlib import crc32

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .style import BLUE, GRID, LINES, ORANGE, PALETTE, QUIET, below, ink, row_chart, styled, write

SOURCES = {
    "published": {"color": ORANGE, "marker": "D"},
    "published, base": {"color": ORANGE, "marker": "D"},
    "published, large": {"color": PALETTE[3], "marker": "s"},
    "published, other": {"color": "#555555", "marker": "^"},
}
"""Where a printed number is from, drawn hollow; 'other' is a model without BERT."""
_PRINTED = {"linestyle": "none", "markerfacecolor": "none", "markersize": 5.5, "markeredgewidth": 1.3}
_RUN = {"marker": ".", "color": BLUE, "markersize": 3, "linestyle": "none", "alpha": 0.6}


_SCHEMES = {"micro": (7, "X"), "weighted": (0, "o"), "dodrans": (2, "s"), "entropy": (1, "D")}
_SCHEMES |= {"macro": (3, "^")}
_FREE_COLORS, _FREE_MARKERS = (4, 9, 5, 8, 6), "vPp*<>h"


def _scheme_look(scheme: str) -> dict[str, str]:
    """Colour and marker of a scheme, the same in every figure (colour-blind safe; the marker says it again).

    Further schemes take the colours and markers that the five of paper W leave, by their name: a scheme looks
    the same whatever others are registered.

    >>> _scheme_look("micro")["marker"], _scheme_look("root") == _scheme_look("root")
    ('X', True)
    """
    number = crc32(scheme.encode()) >> 8
    look = _FREE_COLORS[number % len(_FREE_COLORS)], _FREE_MARKERS[number // 5 % len(_FREE_MARKERS)]
    color, marker = _SCHEMES.get(scheme, look)
    return {"color": PALETTE[color], "marker": marker}


def _with_support(names: pd.Series, support: pd.Series) -> list[str]:
    """Names of classes with their number of samples."""
    return [f"{name} ({n:.0f})" for name, n in zip(names, support, strict=True)]


@styled
def interval_chart(
    scores: pd.DataFrame,
    title: str,
    xlabel: str,
    row: str = "model",
    group: str = "scheme",
    value: str = "value",
    wrap: int = 20,
) -> plt.Figure:
    """Values with intervals: a row for each system, in it a mark for each group, its value beside it.

    Parameters
    ----------
    scores : columns `row`, `group` (schemes keep their colours) and `value`, by these names, and `low`,
        `high`; rows and groups in the order of first sight. xlabel : unit, and what the bars are. wrap :
        characters of a line of a row's name.

    >>> scores = {"model": "m", "scheme": ["micro", "macro"], "value": [70.0, 60], "low": 69, "high": 71}
    >>> figure = interval_chart(pd.DataFrame(scores), "two", "F1 (%)")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['70.0  micro', '60.0  macro']
    """
    names, groups = list(scores[row].unique()), list(scores[group].unique())
    several = scores.groupby(row)[group].nunique().max() > 1
    beside = len(groups) if several else 1
    with row_chart(names, title, (0.95, 0.08 + 0.145 * beside), wrap=wrap, xlabel=xlabel) as (axes,):
        for number, name in enumerate(groups):
            look = _scheme_look(name) if group == "scheme" else {"color": LINES[number], "marker": "o"}
            for each in scores[scores[group] == name].to_dict("records"):
                y = names.index(each[row])
                words = f"{each[value]:.1f}" + (f"  {name}" if several and y == 0 else "")
                y += 0.8 * (number - (beside - 1) / 2) / beside if several else 0
                axes.hlines(y, each["low"], each["high"], color=look["color"], linewidth=1.5)
                axes.plot(each[value], y, linestyle="none", markersize=3.5, **look)
                write(axes, words, each["high"], y, (4, 0), look["color"])
        if scores["low"].min() < 0 < scores["high"].max():
            axes.axvline(0, color="black", linewidth=0.8)
        low, high = axes.get_xlim()
        axes.set_xlim(low, high + (0.25 if several else 0.12) * (high - low))  # room for the words
    return axes.figure


@styled
def lead_draws_chart(leads: pd.DataFrame, names: tuple[str, str], title: str) -> plt.Figure:
    """By how much one system leads another in many draws: a row for each scheme, a dot for each draw.

    Parameters
    ----------
    leads : columns `seed`, `scheme`, `lead` (points, first minus second). names : of the two systems.

    >>> leads = pd.DataFrame({"seed": [1, 2], "scheme": "micro", "lead": [2.0, -1.0]})
    >>> lead_draws_chart(leads, ("a", "b"), "two").axes[0].get_yticklabels()[0].get_text()
    'micro'
    """
    schemes = list(leads["scheme"].unique())
    words = "lead in points of F1; dot: a draw, bar: their median"
    with row_chart(schemes, title, (1.0, 0.36), xlabel=words) as (axes,):
        for y, scheme in enumerate(schemes):
            values = leads.loc[leads["scheme"] == scheme, "lead"].sort_values()
            spread = 0.26 * np.cos(2.4 * np.arange(len(values)))  # neighbours stand apart
            axes.scatter(values, y + spread, s=5, c=np.where(values > 0, BLUE, PALETTE[3]), linewidths=0)
            axes.plot([values.median()] * 2, [y - 0.38, y + 0.38], color="black", linewidth=1.6)
        axes.axvline(0, color="black", linewidth=0.8)
        for x, side, name, color in ((0, "left", names[1], PALETTE[3]), (1, "right", names[0], BLUE)):
            look = {"ha": side, "va": "bottom", "fontweight": "bold", "color": ink(color)}
            axes.text(x, 1, f"{name} leads", transform=axes.transAxes, **look)
    return axes.figure


@styled
def forest_chart(
    numbers: pd.DataFrame,
    title: str,
    xlabel: str = "per cent",
    wrap: int = 15,
    **axis: object,
) -> plt.Figure:
    """Published | ours, with every run: a forest plot.

    Parameters
    ----------
    numbers : one number a row, rows and panels in the order of first sight: `panel` (what is measured), `row`
        (model), `source` ('ours' or one of `SOURCES`), `value`. All rows of 'ours' are drawn as small dots,
        their mean as a large one with its value. What is missing is not drawn; one of ours without a value
        is "undefined".
    title : the finding. xlabel : unit of the values. axis : for `Axes.set` of all panels.

    >>> numbers = pd.DataFrame({"panel": "A", "row": "EM-C", "source": ["published", "ours", "ours"],
    ...                         "value": [81.27, 84.7, 85.2]})
    >>> axes = forest_chart(numbers, "one").axes[0]
    >>> axes.get_title(loc="left"), [text.get_text() for text in axes.texts]
    ('A', ['85', '81'])
    """
    rows, parts = list(numbers["row"].unique()), numbers.groupby("panel", sort=False)
    digits = int(numbers["value"].abs().max() < 20)
    once = numbers.loc[numbers["source"] != "ours", "source"].nunique() < 2
    height = 0.36 if once and numbers["source"].nunique() > 1 else 0.28
    with row_chart(rows, title, (1.25, height), columns=len(parts), wrap=wrap) as panels:
        for axes, (name, here) in zip(panels, parts, strict=True):
            for y, row in enumerate(rows):
                _draw_forest(axes, y, here[here["row"] == row], digits, once)
            axes.set_title(name)
            if here["value"].min() < 0 < here["value"].max():  # differences
                axes.axvline(0, color="black", linewidth=0.8, zorder=0)
            axes.margins(x=0.12)
            axes.set(**axis)
        panels[0].plot([], [], "o", color=BLUE, label="ours, mean" if len(numbers) > len(rows) else "ours")
        panels[0].plot([], [], label="a run", **_RUN)
        for source in numbers.loc[numbers["source"] != "ours", "source"].unique():
            panels[0].plot([], [], label=source, **_PRINTED, **SOURCES[source])
        below(panels[0], xlabel, 3 if once else 2)
    return axes.figure


def _draw_forest(axes: Axes, y: int, numbers: pd.DataFrame, digits: int, once: bool) -> None:
    """A row of one panel; the numbers of printed marks are written if there is but `once` such a mark."""
    ours, printed = numbers[numbers["source"] == "ours"], numbers[numbers["source"] != "ours"]
    if ours["value"].isna().any():
        axes.text(0.04, y, "undefined", transform=axes.get_yaxis_transform(), va="center", style="italic")
    mean = ours["value"].mean()
    axes.plot(mean, y, "o", color=BLUE, markersize=4.5, zorder=3)
    axes.plot(ours["value"], [y + 0.2] * len(ours), **_RUN)
    if not np.isnan(mean):
        write(axes, f"{mean:.{digits}f}", mean, y, (0, 2.5), BLUE)
    for source, value in printed[["source", "value"]].itertuples(index=False):
        axes.plot(value, y, zorder=4, **_PRINTED, **SOURCES[source])
        if once:
            write(axes, f"{value:.{digits}f}", value, y, (5, 0) if digits else (0, -5), ORANGE)


@styled
def dumbbell_chart(
    shares: pd.DataFrame,
    kinds: dict[str, str],
    title: str,
    xlabel: str,
    row: str = "relation",
    panel: str = "model",
    **axis: object,
) -> plt.Figure:
    """Two values of each row, joined by a line: a panel for each model, a row for each relation.

    Parameters
    ----------
    shares : columns `row` and `panel`, by these names, and two columns that `kinds` names; in the order of
        first sight. `n`, if there is one, is the support of a row; `group` (text) parts the rows; `words` are
        written at the full circle.
    kinds : the two columns → what they are, the open circle first. axis : for `Axes.set`.

    >>> shares = pd.DataFrame({"model": ["m"], "relation": ["r"], "n": [4], "a": [25.0], "b": [5.0]})
    >>> figure = dumbbell_chart(shares, {"a": "right on A", "b": "right on both"}, "one", "per cent")
    >>> figure.axes[0].get_yticklabels()[0].get_text(), figure.axes[0].get_title("left")
    ('r (4)', 'm')
    """
    models, once = shares.groupby(panel, sort=False), shares.drop_duplicates(row).reset_index(drop=True)
    names = _with_support(once[row], once["n"]) if "n" in once else once[row].tolist()
    size = (1.25 + 0.14 * xlabel.count("\n"), 0.2)
    with row_chart(names, title, size, columns=len(models), xlabel=xlabel, legend=2, wrap=38) as panels:
        for axes, (model, own) in zip(panels, models, strict=True):
            _join(axes, own.set_index(row).reindex(once[row]), kinds)
            axes.set_title(model)
            axes.set(**axis)
        for name, rows in once.groupby("group", sort=False).groups.items() if "group" in once else ():
            look = {"rotation": 270, "va": "center", "ha": "left"}
            axes.text(1.04, rows.values.mean(), name, transform=axes.get_yaxis_transform(), **look)
            for each in panels if rows[0] else ():
                each.axhline(rows[0] - 0.5, color="black", linewidth=0.8)
    return axes.figure


def _join(axes: Axes, rows: pd.DataFrame, kinds: dict[str, str]) -> None:
    """Two columns of each row, an open and a full circle, and the line between them."""
    (open_end, open_words), (full_end, full_words) = kinds.items()
    y = range(len(rows))
    axes.hlines(y, rows[open_end], rows[full_end], color=QUIET, linewidth=1.4, zorder=2)
    axes.plot(rows[open_end], y, "o", color=BLUE, markerfacecolor="white", markersize=5.5, label=open_words)
    axes.plot(rows[full_end], y, "o", color=BLUE, markersize=3.5, label=full_words, zorder=4)
    for number, words in enumerate(rows.get("words", ())):
        ends = rows.iloc[number][[open_end, full_end]]
        write(axes, words, ends.max(), number, (5, 0), BLUE)


@styled
def p_values_chart(p_values: pd.DataFrame, title: str) -> plt.Figure:
    """What the numbers printed beside a p-value allow it to be, as a multiple of the printed p.

    A bar holds all ratios that rounding allows; the printed p fits if 1 is one of them.

    Parameters
    ----------
    p_values : one row a test, drawn from the top: `label` (the −3 of 10^-3 is raised); `printed_low`,
        `printed_high` (what rounds to the printed p), `low`, `high` (p from all numbers together), each
        divided by the printed p; `consistent`.

    >>> ends = {"printed_low": 0.8, "printed_high": 1.2, "low": 2, "high": 3}
    >>> figure = p_values_chart(pd.DataFrame([{"label": "macro", **ends, "consistent": False}]), "one")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['fits?', 'printed p', 'no']
    """
    words = "recomputed p ÷ printed p (log scale); bar: all that\n"
    words += "rounding allows; a printed p fits if its bar reaches 1"
    names = [re.sub(r"\^(-?\d+)", r"$^{\1}$", label) for label in p_values["label"]]
    with row_chart(names, title, (1.1, 0.22), xlabel=words) as (axes,):
        axes.axvline(1, color="black", linewidth=0.8, zorder=0)
        axes.text(1.02, 1.01, "fits?", transform=axes.transAxes, fontweight="bold")
        axes.text(-0.03, 1.01, "printed p", transform=axes.transAxes, fontweight="bold", ha="right")
        for y, row in enumerate(p_values.itertuples()):
            color = BLUE if row.consistent else PALETTE[3]
            ends = row.low / row.printed_high, row.high / row.printed_low
            axes.hlines(y, *ends, linewidth=5, color=color)
            look = {"transform": axes.get_yaxis_transform(), "va": "center", "color": ink(color)}
            near = "just" if min(abs(end - 1) for end in ends) < 0.05 else "yes"
            axes.text(1.02, y, near if row.consistent else "no", **look)
        axes.set(xscale="log", xticks=[0.2, 1, 5, 20])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_locator(plt.NullLocator())
    return axes.figure


@styled
def class_weights_chart(weights: pd.DataFrame, title: str) -> plt.Figure:
    """Figure 1 of Harbecke et al. 2022: what each class weighs under each scheme.

    Parameters
    ----------
    weights : one row a class, largest first: `relation`, `support`, then one column of normalised weights for
        each scheme. A class is a row, a scheme a mark; the ends of the first row and the largest weight of
        the last are written.
    title : the finding.

    >>> frame = pd.DataFrame({"relation": ["a", "b"], "support": [3, 1], "weighted": [0.75, 0.25]})
    >>> [text.get_text() for text in class_weights_chart(frame, "two").axes[0].get_yticklabels()]
    ['a (3)', 'b (1)']
    """
    shares = 100 * weights.drop(columns=["relation", "support"])
    words = "weight of the class in the score (%)"
    names = _with_support(weights["relation"], weights["support"])
    with row_chart(names, title, (1.15, 0.185), wrap=40, xlabel=words, legend=4) as (axes,):
        for scheme in shares:
            look = {"linestyle": "", "label": scheme} | _scheme_look(scheme)
            axes.plot(shares[scheme], range(len(shares)), **look)
        axes.hlines(range(len(shares)), 0, shares.max(axis=1), color=GRID, linewidth=1, zorder=0)
        ends = (0, shares.iloc[0].idxmin()), (0, shares.iloc[0].idxmax()), (-1, shares.iloc[-1].idxmax())
        for row, scheme in ends:
            value = shares.iloc[row][scheme]
            write(axes, f"{value:.1f}", value, row % len(shares), (5, 0), _scheme_look(scheme)["color"])
        axes.set_xlim(0, 1.16 * shares.max(axis=None))
    return axes.figure


@styled
def left_out_chart(changes: pd.DataFrame, title: str) -> plt.Figure:
    """By how much the score changes when one class is left out of the average.

    Parameters
    ----------
    changes : columns `relation`, `support`, `change` (points, score without the class minus score with it);
        drawn in the given order, from the top.

    >>> changes = pd.DataFrame({"relation": ["r"], "support": [1], "change": [1.2]})
    >>> left_out_chart(changes, "one").axes[0].get_yticklabels()[0].get_text()
    'r (1)'
    """
    names = _with_support(changes["relation"], changes["support"])
    words = "points of F1 gained when the class is left out; (n): its test sentences"
    with row_chart(names, title, (0.95, 0.18), wrap=40, xlabel=words) as (axes,):
        colors = np.where(changes["change"] > 0, BLUE, ORANGE)
        axes.barh(range(len(changes)), changes["change"], color=colors)
        for y, value in enumerate(changes["change"]):
            write(axes, f"{value:+.1f}", max(value, 0), y, (3, 0), colors[y])
        axes.axvline(0, color="black", linewidth=0.8)
        axes.margins(x=0.15)
    return axes.figure
