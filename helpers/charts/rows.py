"""Charts of rows: marks and intervals, values on a line, published beside ours, dots, bars, shares."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from zlib import crc32

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..core import table_name
from .style import BLUE, LINES, ORANGE, PALETTE, QUIET, canvas, styled, write

_PRINTED = {"color": ORANGE, "marker": "D", "linestyle": "none", "markerfacecolor": "none"}
_PRINTED |= {"markersize": 5.5, "markeredgewidth": 1.3}
_RUN = {"marker": ".", "color": BLUE, "markersize": 3, "linestyle": "none", "alpha": 0.6}

_SCHEMES = {"micro": (7, "X"), "weighted": (0, "o"), "dodrans": (2, "s"), "entropy": (1, "D")}
_SCHEMES |= {"macro": (3, "^")}
_FREE_COLORS, _FREE_MARKERS = (4, 9, 5, 8, 6), "vPp*<>h"
MOST_LABELS = 60  # rows of `label_distribution_chart`; the rest is summed up in the last

_JOINED = (  # marks of `dumbbell_chart`: an open circle, a full one, a diamond
    {"color": BLUE, "marker": "o", "markerfacecolor": "white", "markersize": 5.5},
    {"color": BLUE, "marker": "o", "markersize": 3.5, "zorder": 4},
    {"color": ORANGE, "marker": "D", "markersize": 4},
)


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


@contextmanager
def _row_chart(
    names: Sequence[object],
    title: str,
    height: tuple[float, float],
    parts: Sequence[str] = ("",),
    xlabel: str = "",
    wrap: int = 30,
    **axis: object,
) -> Iterator[list[Axes]]:
    """A chart of named rows, the first at the top: gives its panels to draw on, then names and titles them.

    names : broken into lines of `wrap` characters. height : the margins, and that of a row, in inches, more
    for a name of several lines. parts : the panels beside each other, by name. axis : for `Axes.set`.
    """
    names = ["\n".join(textwrap.wrap(str(name), wrap)) for name in names]
    lines = max((name.count("\n") + 1 for name in names), default=1)
    size = height[0] + max(height[1], 0.06 + 0.13 * lines) * len(names)
    panels = canvas(title, size, xlabel, [range(len(parts))], sharey=True)
    yield panels
    for panel, name in zip(panels, parts, strict=True):
        panel.set_title(name)
        panel.set_yticks(range(len(names)), names)
        panel.set_ylim(len(names) - 0.4, -0.6)
        panel.set(**axis)
        panel.grid(axis="y", visible=False)


def _parts(frame: pd.DataFrame, panel: str | None) -> dict[str, pd.DataFrame]:
    """The panels' names and rows, in the order of first sight; without `panel` a single one."""
    return dict(iter(frame.groupby(panel, sort=False))) if panel else {"": frame}


@styled
def interval_chart(
    scores: pd.DataFrame,
    title: str,
    xlabel: str,
    row: str = "model",
    group: str = "scheme",
    value: str = "value",
    wrap: int = 20,
    **axis: object,
) -> plt.Figure:
    """Values with intervals: a row for each system, in it a mark for each group, its value beside it.

    Parameters
    ----------
    scores : columns `row`, `group` (schemes keep their colours) and `value`, by these names, and `low`,
        `high`; rows and groups in the order of first sight. `words`, if there are, stand in the place of the
        value. xlabel : unit, and what the bars are. wrap : of a row's name. axis : for `Axes.set`. A line
        marks 0, or on a logarithmic axis 1, where it is among the values.

    >>> scores = {"model": "m", "scheme": ["micro", "macro"], "value": [70.0, 60], "low": 69, "high": 71}
    >>> figure = interval_chart(pd.DataFrame(scores), "two", "F1 (%)")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['70.0  micro', '60.0  macro']
    """
    names, groups = list(scores[row].unique()), list(scores[group].unique())
    several = scores.groupby(row)[group].nunique().max() > 1
    beside = len(groups) if several else 1
    height, equal = (0.95, 0.08 + 0.145 * beside), int(axis.get("xscale") == "log")
    with _row_chart(names, title, height, wrap=wrap, xlabel=xlabel, **axis) as (axes,):
        for number, name in enumerate(groups):
            look = _scheme_look(name) if group == "scheme" else {"color": LINES[number], "marker": "o"}
            for each in scores[scores[group] == name].to_dict("records"):
                y = names.index(each[row])
                words = each.get("words", f"{each[value]:.1f}") + (f"  {name}" if several and y == 0 else "")
                y += 0.8 * (number - (beside - 1) / 2) / beside if several else 0
                axes.hlines(y, each["low"], each["high"], color=look["color"], linewidth=1.5)
                axes.plot(each[value], y, linestyle="none", markersize=3.5, **look)
                write(axes, words, each["high"], y, (4, 0), look["color"])
        if scores["low"].min() < equal < scores["high"].max():
            axes.axvline(equal, color="black", linewidth=0.8)
        low, high = axes.get_xlim()
        axes.set_xlim(low, high + (0.25 if several else 0.12) * (high - low))  # room for the words
    return axes.figure


@styled
def forest_chart(
    numbers: pd.DataFrame, title: str, xlabel: str = "per cent", wrap: int = 15, **axis: object
) -> plt.Figure:
    """Published (hollow) | ours, with every run: a forest plot.

    Parameters
    ----------
    numbers : one number a row, rows and panels in the order of first sight: `panel` (what is measured), `row`
        (model), `source` ('ours' or 'published'), `value`. All rows of 'ours' are drawn as small dots,
        their mean as a large one with its value. What is missing is not drawn; one of ours without a value
        is "undefined".
    title : the finding. xlabel : unit of the values. axis : for `Axes.set` of all panels.

    >>> numbers = pd.DataFrame({"panel": "A", "row": "EM-C", "source": ["published", "ours", "ours"],
    ...                         "value": [81.27, 84.7, 85.2]})
    >>> axes = forest_chart(numbers, "one").axes[0]
    >>> axes.get_title(loc="left"), [text.get_text() for text in axes.texts]
    ('A', ['85', '81'])
    """
    rows, parts = list(numbers["row"].unique()), _parts(numbers, "panel")
    digits = int(numbers["value"].abs().max() < 20)
    height = (1.25, 0.36 if numbers["source"].nunique() > 1 else 0.28)
    with _row_chart(rows, title, height, parts, xlabel, wrap, **axis) as panels:
        for axes, here in zip(panels, parts.values(), strict=True):
            for y, row in enumerate(rows):
                _draw_forest(axes, y, here[here["row"] == row], digits)
            if here["value"].min() < 0 < here["value"].max():  # differences
                axes.axvline(0, color="black", linewidth=0.8, zorder=0)
            axes.margins(x=0.12)
        panels[0].plot([], [], "o", color=BLUE, label="ours, mean" if len(numbers) > len(rows) else "ours")
        panels[0].plot([], [], label="a run", **_RUN)
        if (numbers["source"] == "published").any():
            panels[0].plot([], [], label="published", **_PRINTED)
    return axes.figure


def _draw_forest(axes: Axes, y: int, numbers: pd.DataFrame, digits: int) -> None:
    """A row of one panel."""
    ours, printed = (numbers[numbers["source"] == source] for source in ("ours", "published"))
    if ours["value"].isna().any():
        axes.text(0.04, y, "undefined", transform=axes.get_yaxis_transform(), va="center", style="italic")
    mean = ours["value"].mean()
    axes.plot(mean, y, "o", color=BLUE, markersize=4.5, zorder=3)
    axes.plot(ours["value"], [y + 0.2] * len(ours), **_RUN)
    if not np.isnan(mean):
        write(axes, f"{mean:.{digits}f}", mean, y, (0, 2.5), BLUE)
    for value in printed["value"]:
        axes.plot(value, y, zorder=4, **_PRINTED)
        write(axes, f"{value:.{digits}f}", value, y, (5, 0) if digits else (0, -5), ORANGE)


@styled
def dumbbell_chart(
    values: pd.DataFrame,
    kinds: dict[str, str],
    title: str,
    xlabel: str,
    row: str = "relation",
    panel: str | None = "model",
    **axis: object,
) -> plt.Figure:
    """Some values of each row, joined by a line: a panel for each model, a row for each relation.

    Parameters
    ----------
    values : columns `row` and `panel`, by these names, and the columns that `kinds` names; in the order of
        first sight. `n`, if there is one, is the support of a row; `group` (text) parts the rows; `words` are
        written at the last mark. What is missing is not drawn.
    kinds : column → what it is: an open circle, a full one, a diamond; schemes, and what are more, look as
        their names say. axis : for `Axes.set`.

    >>> shares = pd.DataFrame({"model": ["m"], "relation": ["r"], "n": [4], "a": [25.0], "b": [5.0]})
    >>> figure = dumbbell_chart(shares, {"a": "right on A", "b": "right on both"}, "one", "per cent")
    >>> figure.axes[0].get_yticklabels()[0].get_text(), figure.axes[0].get_title("left")
    ('r (4)', 'm')
    """
    parts, once = _parts(values, panel), values.drop_duplicates(row).reset_index(drop=True)
    support = once["n"].map(" ({:.0f})".format) if "n" in once else ""
    with _row_chart(once[row] + support, title, (1.25, 0.2), parts, xlabel, 40, **axis) as panels:
        for axes, own in zip(panels, parts.values(), strict=True):
            _join(axes, own.set_index(row).reindex(once[row]), kinds)
        for name, rows in once.groupby("group", sort=False).groups.items() if "group" in once else ():
            look = {"rotation": 270, "va": "center", "ha": "left"}
            axes.text(1.04, rows.values.mean(), name, transform=axes.get_yaxis_transform(), **look)
            for each in panels if rows[0] else ():
                each.axhline(rows[0] - 0.5, color="black", linewidth=0.8)
    return axes.figure


def _join(axes: Axes, rows: pd.DataFrame, kinds: dict[str, str]) -> None:
    """Marks of some columns of each row, and a line between the outermost."""
    values, y = rows[list(kinds)], range(len(rows))
    axes.hlines(y, values.min(axis=1), values.max(axis=1), color=QUIET, linewidth=1.4, zorder=2)
    by_name = kinds.keys() <= _SCHEMES.keys() or len(kinds) > len(_JOINED)
    looks = map(_scheme_look, kinds) if by_name else _JOINED
    for (column, words), look in zip(kinds.items(), looks, strict=False):
        axes.plot(values[column], y, linestyle="none", label=words, **look)
    for number, words in enumerate(rows.get("words", ())):
        write(axes, words, values.iloc[number].max(), number, (5, 0), BLUE)


@styled
def strip_chart(
    values: pd.DataFrame,
    title: str,
    xlabel: str,
    row: str,
    value: str,
    group: str | None = None,
    middle: str = "mean",
) -> plt.Figure:
    """All values of each row as dots, and a bar with its number at their middle; a colour for each group.

    values : columns `row`, `value` and `group`, by these names; rows and groups in the order of first sight.
    middle : 'mean' or 'median'.

    >>> values = pd.DataFrame({"scheme": "micro", "lead": [2.0, 1.0, 6.0]})
    >>> [text.get_text() for text in strip_chart(values, "one", "points", "scheme", "lead").axes[0].texts]
    ['3.0']
    """
    names, parts = list(values[row].unique()), _parts(values, group)
    size, height = 0.9 / len(parts), (1.05, 0.18 + 0.18 * len(parts))  # of a group in rows, in inches
    with _row_chart(names, title, height, xlabel=xlabel, wrap=14) as (axes,):
        for number, (name, own) in enumerate(parts.items()):
            for each, dots in own.groupby(row, sort=False)[value]:
                y = names.index(each) + size * (number - (len(parts) - 1) / 2)
                spread = 0.35 * size * np.cos(2.4 * np.arange(len(dots)))  # neighbours stand apart
                look = {"s": 5, "color": LINES[number], "alpha": 0.6, "linewidths": 0}
                axes.scatter(dots.sort_values(), y + spread, **look)
                bar = dots.agg(middle)
                axes.plot([bar, bar], [y - 0.45 * size, y + 0.45 * size], color=LINES[number], linewidth=2.4)
                write(axes, f"{bar:.1f}", bar, y, (3, 0), LINES[number], fontweight="bold")
            if group:
                axes.plot([], [], color=LINES[number], linewidth=2.4, label=name)
        if values[value].min() < 0 < values[value].max():
            axes.axvline(0, color="black", linewidth=0.8, zorder=0)
    return axes.figure


@styled
def bar_chart(
    bars: pd.DataFrame,
    title: str,
    xlabel: str,
    row: str,
    value: str = "value",
    panel: str | None = None,
    height: float = 0.18,
    **axis: object,
) -> plt.Figure:
    """Bars from zero: a row for each name, a panel for each value of `panel`; all panels have the same rows.

    Parameters
    ----------
    bars : columns `row`, `value` and `panel`, by these names, drawn from the top. `color` : blue above zero,
        orange below, if there is none. `words` : at the ends; without them the longest bar of a panel has its
        number. `low`, `high`, if there are, are drawn as an interval.
    height : of a row, in inches. axis : for `Axes.set` of all panels.

    >>> bars = pd.DataFrame({"relation": ["a", "b"], "change": [1.2, -0.4]})
    >>> [text.get_text() for text in bar_chart(bars, "one", "points", "relation", "change").axes[0].texts]
    ['1.2', '']
    """
    parts = _parts(bars, panel)
    layout = {"wrap": 40 if len(parts) == 1 else 12} | axis
    margins, first = (1.15 if panel else 0.95, height), next(iter(parts.values()))
    with _row_chart(first[row], title, margins, parts, xlabel, **layout) as panels:
        for axes, own in zip(panels, parts.values(), strict=True):
            if axes is not panels[0]:
                axes.sharex(panels[0])
            if own[value].min() < 0:
                axes.axvline(0, color="black", linewidth=0.8)
            look = {"fontweight": "bold", "fontsize": max(8, 27 * height)}
            _draw_bars(axes, own.rename(columns={value: "value"}), **look)
            axes.margins(x=0.15)
    return axes.figure


def _draw_bars(axes: Axes, bars: pd.DataFrame, **look: object) -> None:
    """The bars of one panel, with their intervals and words."""
    y, values = range(len(bars)), bars["value"]
    largest = np.where(values.abs() == values.abs().max(), values.map("{:.1f}".format), "")
    axes.barh(y, values, color=bars.get("color", np.where(values > 0, BLUE, ORANGE)))
    ends = values.clip(lower=0)
    if "high" in bars:
        ends, reach = bars["high"], (values - bars["low"], bars["high"] - values)
        axes.errorbar(values, y, xerr=reach, fmt="none", ecolor="black", capsize=3, linewidth=1.2)
    for words, end, row in zip(bars.get("words", largest), ends, y, strict=True):
        write(axes, words, end, row, (4, 0), "#1a1a1a", **look)


@styled
def label_distribution_chart(counts: Mapping[str, int], negative: str | None, title: str) -> plt.Figure:
    """How often each label is gold, from the largest down, with its share; the negative class is grey.

    Parameters
    ----------
    counts : label → number of samples; labels without samples are left out. negative : the negative class, or
        None. title : what was counted.

    The axis is logarithmic where the largest count is more than fifty times the smallest. Raises ValueError
    where there is no sample.

    >>> figure = label_distribution_chart({"NA": 6, "a": 3, "b": 1}, "NA", "mine.csv")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['NA', 'a', 'b']
    """
    seen = sorted(((n, label) for label, n in counts.items() if n > 0), key=lambda pair: (-pair[0], pair[1]))
    if not seen:
        raise ValueError("there is no sample to draw")
    total, rest = sum(n for n, _ in seen), seen[MOST_LABELS:]
    rows = [(n, table_name(label), QUIET if label == negative else BLUE) for n, label in seen[:MOST_LABELS]]
    rows += [(sum(n for n, _ in rest), f"{len(rest)} further labels", BLUE)] if rest else []
    bars = pd.DataFrame(rows, columns=["value", "name", "color"])
    shares = (100 * bars["value"] / total).map(lambda share: f"{share:.1f} %" if share >= 0.05 else "< 0.1 %")
    grey = " · grey: the negative class" if QUIET in set(bars["color"]) else ""
    title = f"{table_name(title)}: {len(seen)} labels, {total} samples{grey}"
    wide = seen[0][0] > 50 * seen[-1][0]
    layout = {"xscale": "log", "xlim": (0.7, 20 * bars["value"].max())} if wide else {}
    layout["xlabel"] = "gold samples" + (" (logarithmic)" if wide else "")
    # a label may hold $, which would begin a formula
    names, title = bars["name"].str.replace("$", r"\$", regex=False), title.replace("$", r"\$")
    with _row_chart(names, title, (1.3, 0.17), **layout) as (axes,):
        _draw_bars(axes, bars.assign(words=bars["value"].astype(str) + " · " + shares))
        axes.margins(x=0.5)
    return axes.figure


@styled
def share_chart(
    shares: pd.DataFrame, title: str, xlabel: str, row: str, group: str, panel: str | None = None
) -> plt.Figure:
    """Shares that add up to 100 %: a bar for each row in pieces of groups, a panel for each `panel`.

    shares : `share` (per cent) and, by these names, columns `row`, `group` and `panel`, all in the order of
        first sight; the group 'other' is grey. The number of the largest piece is written.

    >>> shares = pd.DataFrame({"system": "s", "relation": ["r", "other"], "share": [60.0, 40.0]})
    >>> share_chart(shares, "one", "share (%)", "system", "relation").axes[0].texts[0].get_text()
    '60'
    """
    rows, groups, parts = list(shares[row].unique()), list(shares[group].unique()), _parts(shares, panel)
    colors = [QUIET if name == "other" else LINES[number % len(LINES)] for number, name in enumerate(groups)]
    look = {"xlim": (0, 100), "xticks": [0, 50, 100]}
    with _row_chart(rows, title, (1.6, 0.26), parts, xlabel, 18, **look) as panels:
        for axes, here in zip(panels, parts.values(), strict=True):
            table = here.pivot_table(index=row, columns=group, values="share", sort=False)
            table = table.reindex(index=rows, columns=groups).fillna(0)
            left = table.cumsum(axis=1) - table
            for each, color in zip(groups, colors, strict=True):
                look = {"left": left[each], "color": color, "label": each, "height": 0.8}
                axes.barh(range(len(rows)), table[each], **look)
            for y, (_, own) in enumerate(table.iterrows()):
                if own.max() >= 40:
                    x = left.iloc[y][own.idxmax()] + own.max() / 2
                    axes.text(x, y, f"{own.max():.0f}", color="white", ha="center", va="center")
    panels[0].set_ylabel(row if panel else "")
    return axes.figure
