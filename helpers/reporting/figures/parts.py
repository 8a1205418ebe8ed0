"""Pieces that charts share: rows, panels, the α axis, marks with intervals, legends, names of lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .style import ink


def first_seen(frame: pd.DataFrame, column: str) -> list:
    """The values of a column, each once, in the order of first sight.

    >>> first_seen(pd.DataFrame({"model": ["b", "a", "b"]}), "model")
    ['b', 'a']
    """
    return list(dict.fromkeys(frame[column]))


def panels(
    frame: pd.DataFrame, column: str, margin: float, width: float, height: float
) -> tuple[plt.Figure, list[tuple[str, Axes, pd.DataFrame]]]:
    """A row of panels with a common y axis, one for each value of a column: the value, its axes, its rows.

    The figure is margin + width · panels inches wide.

    >>> figure, drawn = panels(pd.DataFrame({"panel": ["a", "b", "a"]}), "panel", 1, 2, 3)
    >>> [(name, len(rows)) for name, axes, rows in drawn]
    [('a', 2), ('b', 1)]
    >>> plt.close(figure)
    """
    names = first_seen(frame, column)
    size = (margin + width * len(names), height)
    figure, grid = plt.subplots(1, len(names), figsize=size, sharey=True, squeeze=False)
    return figure, [
        (name, axes, frame[frame[column] == name]) for name, axes in zip(names, grid[0], strict=True)
    ]


@contextmanager
def row_chart(
    names: Sequence[str],
    title: str,
    width: float,
    height: tuple[float, float],
    *,
    columns: int = 1,
    headed: bool = False,
    sharex: bool = False,
    fontsize: float = 8,
    grid: bool = False,
    legend: int = 0,
    **words: object,
) -> Iterator[list[Axes]]:
    """A chart of named rows, the first at the top: gives its panels to draw on, then names and titles them.

    Parameters
    ----------
    names : of the rows. width : of the figure in inches. height : its margins, and that of a row.
    columns : panels beside each other. headed : the title begins at the names of the rows, not at the axes.
    grid : lines along the rows. legend : columns of one below the figure for what the first panel labels; 0:
        none. words : for `Axes.set` of every panel.

    >>> with row_chart(["a", "b"], "two", 4, (1, 0.3)) as (axes,):
    ...     lines = axes.plot([3, 5], [0, 1], "o")
    >>> axes.get_title(), [text.get_text() for text in axes.get_yticklabels()]
    ('two', ['a', 'b'])
    >>> plt.close()
    """
    size = (width, height[0] + height[1] * len(names))
    figure, axes = plt.subplots(1, columns, figsize=size, sharex=sharex, sharey=True, squeeze=False)
    yield list(axes[0])
    for panel in axes[0]:
        name_rows(panel, names, fontsize)
        panel.set(**words)
        if not grid:
            panel.grid(axis="y", visible=False)
    if headed:
        headline(figure, title)
    else:
        axes[0][0].set_title(title)
    if legend:
        legend_below(figure, axes[0][0], legend)


def name_rows(axes: Axes, names: Sequence[str], fontsize: float = 8) -> None:
    """The y axis of a chart of rows, the first at the top, each with its name."""
    axes.set_yticks(range(len(names)), names, fontsize=fontsize)
    axes.set_ylim(len(names) - 0.4, -0.6)


def with_support(names: pd.Series, support: pd.Series) -> list[str]:
    """Names of classes with their number of samples.

    >>> with_support(pd.Series(["r"]), pd.Series([4]))
    ['r (4)']
    """
    return [f"{name} ({n:.0f})" for name, n in zip(names, support, strict=True)]


def with_intervals(
    axes: Axes, rows: pd.DataFrame, y: pd.Series | list, marker: str, value: str = "value", **look
) -> None:
    """A marker for each row at its `value`, with a bar from `low` to `high`."""
    reach = [rows[value] - rows["low"], rows["high"] - rows[value]]
    axes.errorbar(rows[value], y, xerr=reach, fmt=marker, markersize=5, **look)


def legend_below(figure: plt.Figure, axes: Axes, columns: int, fontsize: float = 8) -> None:
    """One legend for the figure, under it, of what is drawn on `axes`."""
    handles = axes.get_legend_handles_labels()
    figure.legend(*handles, ncols=columns, loc="outside lower center", fontsize=fontsize)


def headline(figure: plt.Figure, title: str) -> None:
    """The title of a figure with several panels or with long names of rows, at the left of all."""
    figure.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")


def alpha_axis(axes: Axes, title: str, ylabel: str = "F1 (%)") -> None:
    """The x axis of the family n^α, with lines at macro (0), dodrans (0.75) and weighted (1), and a title."""
    for name, alpha in (("macro", 0), ("dodrans", 0.75), ("weighted", 1)):
        axes.axvline(alpha, color="#999999", linewidth=0.8, zorder=1)
        axes.text(alpha, 1.01, name, transform=axes.get_xaxis_transform(), ha="center", fontsize=8)
    axes.set(xlabel="α of the weights n^α", ylabel=ylabel)
    axes.set_title(title, pad=18)


def label_ends(axes: Axes, ends: Sequence[tuple[float, float, str, str]], x: float = 1.02) -> None:
    """Name lines at the right of the axes, each beside its end, so that no legend has to be looked up.

    ends : x and y of a line's end (data), its name, its colour. Call it when the limits are final. Names that
    would overlap are moved apart and joined to their line by a thin one.
    """
    corners = axes.transAxes.inverted().transform(axes.transData.transform([end[:2] for end in ends]))
    inches = axes.get_position().height * axes.figure.get_figheight()
    heights = spread_labels(corners[:, 1].tolist(), 1.35 * 8 / 72 / inches)
    for (x_end, y_end, words, color), height in zip(ends, heights, strict=True):
        line = {"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 2}
        look = {"va": "center", "fontsize": 8, "color": ink(color), "arrowprops": line}
        axes.annotate(words, (x_end, y_end), (x, height), textcoords=axes.transAxes, **look)


def write_apart(
    axes: Axes, x: float, labels: Sequence[tuple[float, str, str]], least: float, below: bool = False, **look
) -> None:
    """Write labels in a column at x, each at its height or moved until neighbours are `least` apart.

    labels : height (data), words, colour. below : none stands higher than the highest value.
    """
    values = [value for value, _, _ in labels]
    heights = spread_labels(values, least)
    down = max(heights) - max(values) if below else 0
    for (_, words, color), height in zip(labels, heights, strict=True):
        axes.text(x, height - down, words, **{"va": "center", "fontsize": 8, "color": ink(color)} | look)


def spread_labels(values: list[float], least: float) -> list[float]:
    """The values moved apart, in their order, until neighbours are at least `least` apart: heights of labels.

    Values that are too near are moved evenly around their common middle.

    >>> spread_labels([1.0, 1.0, 5.0], 1.0)
    [0.5, 1.5, 5.0]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    groups = [([number], values[number]) for number in order]  # labels that touch, and their common middle
    while True:
        tight = [
            left
            for left, (first, second) in enumerate(pairwise(groups))
            if second[1] - first[1] < least * (len(first[0]) + len(second[0])) / 2 - 1e-9
        ]
        if not tight:
            break
        members = groups[tight[0]][0] + groups[tight[0] + 1][0]
        middle = sum(values[number] for number in members) / len(members)
        groups[tight[0] : tight[0] + 2] = [(members, middle)]
    heights = {
        number: middle + least * (rank - (len(members) - 1) / 2)
        for members, middle in groups
        for rank, number in enumerate(members)
    }
    return [heights[number] for number in range(len(values))]


def scattered(n: int) -> np.ndarray:
    """n numbers between −1 and 1 that look scattered, always the same ones.

    >>> scattered(1).tolist()
    [0.0]
    """
    return 2 * ((np.arange(n) * 0.618034) % 1) - 1 if n > 1 else np.zeros(n)
