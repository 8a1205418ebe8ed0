"""Pieces that charts share: titles, rows, panels, values beside marks, names of lines."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .style import WIDTH, ink


def first_seen(frame: pd.DataFrame, column: str) -> list:
    """The values of a column, each once, in the order of first sight.

    >>> first_seen(pd.DataFrame({"model": ["b", "a", "b"]}), "model")
    ['b', 'a']
    """
    return list(dict.fromkeys(frame[column]))


def headline(figure: plt.Figure, title: str) -> None:
    """The title of a figure, at the left of all, in lines that fit its width."""
    lines = textwrap.wrap(title, int(12.4 * figure.get_figwidth()), break_on_hyphens=False)
    figure.suptitle("\n".join(lines), x=0.01, ha="left")


def canvas(title: str, height: float, xlabel: str = "", *grid: int, **layout: object) -> Any:
    """The axes of a figure, or those of a grid, under a title; `xlabel` stands below all of them.

    >>> axes = canvas("one", 2, "words")
    >>> axes.figure.get_suptitle(), axes.figure.get_supxlabel()
    ('one', 'words')
    >>> plt.close()
    """
    figure, axes = plt.subplots(*grid, figsize=(WIDTH, height), **layout)
    below(figure.axes[0], xlabel)
    headline(figure, title)
    return axes


def panels(
    frame: pd.DataFrame, column: str | None, title: str, height: float, xlabel: str = "", **layout: object
) -> list[tuple[str, Axes, pd.DataFrame]]:
    """A row of panels, one for each value of a column (None: a single one): the value, its axes, its rows.

    >>> drawn = panels(pd.DataFrame({"panel": ["a", "b", "a"]}), "panel", "two", 2)
    >>> [(name, len(rows)) for name, axes, rows in drawn]
    [('a', 2), ('b', 1)]
    >>> plt.close()
    """
    names = first_seen(frame, column) if column else [""]
    (grid,) = canvas(title, height, xlabel, 1, len(names), squeeze=False, **layout)
    parts = [frame[frame[column] == name] if column else frame for name in names]
    for name, axes in zip(names, grid, strict=True):
        axes.set_title(name)
    return list(zip(names, grid, parts, strict=True))


@contextmanager
def row_chart(
    names: Sequence[str],
    title: str,
    height: tuple[float, float],
    *,
    columns: int = 1,
    xlabel: str = "",
    legend: int = 0,
    wrap: int = 30,
    **words: object,
) -> Iterator[list[Axes]]:
    """A chart of named rows, the first at the top: gives its panels to draw on, then names and titles them.

    Parameters
    ----------
    names : of the rows, broken into lines of `wrap` characters. height : the margins, and that of a row, in
        inches; more if its name has several lines. columns : panels beside each other. xlabel : below all of
        them. legend : columns of one for what the first panel labels; 0: none. words : for `Axes.set`.

    >>> with row_chart(["a", "b"], "two", (1, 0.3)) as (axes,):
    ...     lines = axes.plot([3, 5], [0, 1], "o")
    >>> axes.figure.get_suptitle(), [text.get_text() for text in axes.get_yticklabels()]
    ('two', ['a', 'b'])
    >>> plt.close()
    """
    names = ["\n".join(textwrap.wrap(name, wrap)) for name in names]
    lines = max((name.count("\n") + 1 for name in names), default=1)
    size = height[0] + max(height[1], 0.06 + 0.13 * lines) * len(names)
    (axes,) = canvas(title, size, "", 1, columns, sharey=True, squeeze=False)
    yield list(axes)
    for panel in axes:
        panel.set_yticks(range(len(names)), names)
        panel.set_ylim(len(names) - 0.4, -0.6)
        panel.set(**words)
        panel.grid(axis="y", visible=False)
    below(axes[0], xlabel, legend)


def below(axes: Axes, xlabel: str, columns: int = 0) -> None:
    """Under the whole figure what its x axes show, and a legend, in so many columns, of what is on `axes`."""
    words = "\n".join(line for part in xlabel.splitlines() for line in textwrap.wrap(part, 56))
    if columns:
        handles = axes.get_legend_handles_labels()
        axes.figure.legend(*handles, ncols=columns, loc="outside lower center", title=words or None)
    elif words:
        axes.figure.supxlabel(words, fontsize=8)


def write(axes: Axes, words: str, x: float, y: float, shift: tuple[float, float], color: str, **look) -> None:
    """Words beside a mark at x and y (data): shifted by so many points, beginning or ending at the mark."""
    right, up = shift
    side = {"ha": ("right", "center", "left")[int(np.sign(right)) + 1]}
    side["va"] = "center" if right else ("bottom" if up > 0 else "top")
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.6, "pad": 0.2}
    look = {"color": ink(color), "annotation_clip": False, "bbox": box} | side | look
    axes.annotate(words, (x, y), shift, textcoords="offset points", **look)


def label_ends(axes: Axes, ends: Sequence[tuple[float, float, str, str]], left: bool = False) -> None:
    """Name lines at the right of the axes, or at the left, each beside its end, instead of a legend.

    ends : x and y of a line's end (data), its name, its colour. Call it when the limits are final. Names that
    would overlap are moved apart and joined to their line by a thin one.
    """
    axes.figure.draw_without_rendering()  # so that the height of the axes is known
    corners = axes.transAxes.inverted().transform(axes.transData.transform([end[:2] for end in ends]))
    names = ["\n".join(textwrap.wrap(name, 25)) for _, _, name, _ in ends]
    inches = axes.get_position().height * axes.figure.get_figheight()
    sizes = [0.14 * (name.count("\n") + 1) / inches for name in names]
    heights = _spread_labels(corners[:, 1].tolist(), sizes)
    over = max(max(heights) + max(sizes) / 2 - 1, 0)
    up = max(max(sizes) / 2 - min(heights), -over)  # no name below the axis, and rather none above
    for (x_end, y_end, _, color), words, height in zip(ends, names, heights, strict=True):
        line = {"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
        line |= {"relpos": (float(left), 0.5)}
        look = {"va": "center", "ha": "right" if left else "left", "color": ink(color), "arrowprops": line}
        place = (-0.05 if left else 1.05, height + up)
        axes.annotate(words, (x_end, y_end), place, textcoords=axes.transAxes, **look)


def _spread_labels(values: list[float], sizes: list[float]) -> list[float]:
    """The values moved apart, in their order, until labels of these sizes do not overlap: their heights.

    Values that are too near are moved evenly around their common middle.

    >>> _spread_labels([1.0, 1.0, 5.0], [1.0, 1.0, 1.0])
    [0.5, 1.5, 5.0]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    groups = [([number], values[number]) for number in order]  # labels that touch, and their common middle
    while True:
        size = [sum(sizes[number] for number in members) for members, _ in groups]
        tight = [
            left
            for left, (first, second) in enumerate(pairwise(groups))
            if second[1] - first[1] < (size[left] + size[left + 1]) / 2 - 1e-9
        ]
        if not tight:
            break
        members = groups[tight[0]][0] + groups[tight[0] + 1][0]
        middle = sum(values[number] for number in members) / len(members)
        groups[tight[0] : tight[0] + 2] = [(members, middle)]
    heights = {}
    for (members, middle), whole in zip(groups, size, strict=True):
        low = middle - whole / 2
        for number in members:
            heights[number] = low + sizes[number] / 2
            low += sizes[number]
    return [heights[number] for number in range(len(values))]
