"""Pieces that several figures share: panels, the α axis, named rows, bars of schemes, legends, titles."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from .style import ink, scheme_look


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

    >>> figure, found = panels(pd.DataFrame({"panel": ["a", "b", "a"]}), "panel", 1, 2, 3)
    >>> [(name, len(rows)) for name, axes, rows in found]
    [('a', 2), ('b', 1)]
    >>> plt.close(figure)
    """
    names = first_seen(frame, column)
    size = (margin + width * len(names), height)
    figure, axes = plt.subplots(1, len(names), figsize=size, sharey=True, squeeze=False)
    return figure, [
        (name, one, frame[frame[column] == name]) for name, one in zip(names, axes[0], strict=True)
    ]


def alpha_axis(axes: Axes, title: str, ylabel: str = "F1 (%)") -> None:
    """The x axis of the family n^α, with lines at macro (0), dodrans (0.75) and weighted (1), and a title."""
    for name, alpha in (("macro", 0), ("dodrans", 0.75), ("weighted", 1)):
        axes.axvline(alpha, color="#999999", linewidth=0.8, zorder=1)
        axes.text(alpha, 1.01, name, transform=axes.get_xaxis_transform(), ha="center", fontsize=8)
    axes.set(xlabel="α of the weights n^α", ylabel=ylabel)
    axes.set_title(title, pad=18)


def name_rows(axes: Axes, names: Sequence[str], fontsize: float = 8, above: float = 0.6) -> None:
    """The y axis of a chart of rows, the first at the top, each with its name."""
    axes.set_yticks(range(len(names)), names, fontsize=fontsize)
    axes.set_ylim(len(names) - 0.4, -above)


def with_support(names: pd.Series, support: pd.Series) -> list[str]:
    """Names of classes with their number of samples.

    >>> with_support(pd.Series(["r"]), pd.Series([4]))
    ['r (4)']
    """
    return [f"{name} ({n:.0f})" for name, n in zip(names, support, strict=True)]


def scheme_bars(axes: Axes, scores: pd.DataFrame, value: str, step: float, **look: float) -> None:
    """A marker with its interval (`low`, `high`) for each scheme, a row for each model."""
    models, schemes = first_seen(scores, "model"), first_seen(scores, "scheme")
    for place, scheme in enumerate(schemes):
        rows = scores[scores["scheme"] == scheme]
        y = rows["model"].map(models.index) + step * (place - (len(schemes) - 1) / 2)
        reach = [rows[value] - rows["low"], rows["high"] - rows[value]]
        own = scheme_look(scheme)
        axes.errorbar(rows[value], y, xerr=reach, color=own["color"], fmt=own["marker"], label=scheme, **look)


def legend_below(figure: plt.Figure, axes: Axes, columns: int) -> None:
    """One legend for the figure, under it, of what is drawn on `axes`."""
    figure.legend(*axes.get_legend_handles_labels(), ncols=columns, loc="outside lower center", fontsize=8)


def label_ends(
    axes: Axes, ends: Sequence[tuple[float, float, str, str]], x: float = 1.02, fontsize: float = 8
) -> None:
    """Name lines at the right of the axes, each beside its end, so that no legend has to be looked up.

    ends : x and y of a line's end (data), its name, its colour. Call it when the limits are final. Names that
    would overlap are moved apart and joined to their line by a thin one.
    """
    place = axes.transAxes.inverted().transform(axes.transData.transform([end[:2] for end in ends]))
    inches = axes.get_position().height * axes.figure.get_figheight()
    heights = spread_labels(place[:, 1].tolist(), 1.35 * fontsize / 72 / inches)
    for (at, value, words, color), height in zip(ends, heights, strict=True):
        line = {"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 2}
        axes.annotate(
            words, (at, value), (x, height), textcoords=axes.transAxes, va="center", fontsize=fontsize,
            color=ink(color), arrowprops=line,
        )  # fmt: skip


def headline(figure: plt.Figure, title: str) -> None:
    """The title of a figure with several panels or with long names of rows, at the left of all."""
    figure.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")


def spread_labels(values: list[float], least: float) -> list[float]:
    """The values moved apart, in their order, until neighbours are at least `least` apart: places of labels.

    Values that are too near are moved evenly around their common middle.

    >>> spread_labels([1.0, 1.0, 5.0], 1.0)
    [0.5, 1.5, 5.0]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    groups = [([place], values[place]) for place in order]  # members and the middle of each group of labels
    while True:
        tight = [
            left
            for left, (first, second) in enumerate(pairwise(groups))
            if second[1] - first[1] < least * (len(first[0]) + len(second[0])) / 2 - 1e-9
        ]
        if not tight:
            break
        one, other = groups[tight[0]][0], groups[tight[0] + 1][0]
        members = one + other
        groups[tight[0] : tight[0] + 2] = [(members, sum(values[place] for place in members) / len(members))]
    places = dict.fromkeys(range(len(values)), 0.0)
    for members, middle in groups:
        for rank, place in enumerate(members):
            places[place] = middle + least * (rank - (len(members) - 1) / 2)
    return [places[place] for place in range(len(values))]
