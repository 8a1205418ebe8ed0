"""Charts of a plane: lines along α or recall, over epochs, from scheme to scheme; columns, and cells."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import scipy  # its parts are loaded when they are first asked for
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from .style import BLUE, FAINT, INK, LINES, ORANGE, canvas, styled, write


@styled
def alpha_chart(
    curves: pd.DataFrame,
    title: str,
    line: str = "model",
    value: str = "value",
    ylabel: str = "F1 (%)",
    crossings: Sequence[float] = (),
) -> plt.Figure:
    """Lines along the family n^α, from macro (0) over dodrans (0.75) to weighted (1), named at their ends.

    Parameters
    ----------
    curves : columns `alpha` and, by these names, `line` and `value`; `low`, `high`, if there are, are drawn
        as bars at both ends. crossings : the α at which two systems change places; drawn as dotted lines.

    >>> curves = pd.DataFrame({"model": "m", "alpha": [0.0, 1.0], "value": [50.0, 60.0]})
    >>> [text.get_text() for text in alpha_chart(curves, "one").axes[0].texts]
    ['macro', 'dodrans', 'weighted', '60.0 m']
    """
    (axes,) = canvas(title, 3.0, "α of the weights n^α (n: test samples of the class)")
    ends = []
    for color, (name, curve) in zip(LINES * 3, curves.groupby(line, sort=False), strict=False):
        axes.plot(curve["alpha"], curve[value], color=color)
        last = curve[value].iloc[-1]
        if "low" in curve:
            both = curve.iloc[[0, -1]]
            bar = {"fmt": "none", "ecolor": color, "capsize": 2, "linewidth": 1}
            reach = (both[value] - both["low"], both["high"] - both[value])
            axes.errorbar(both["alpha"] + 0.012 * len(ends), both[value], reach, **bar)
        ends.append((curve["alpha"].iloc[-1], last, f"{last:.1f} {name}", color))
    for name, alpha, side in (("macro", 0, "center"), ("dodrans", 0.75, "right"), ("weighted", 1, "left")):
        axes.axvline(alpha, color="#999999", linewidth=0.8, zorder=1)
        axes.text(alpha, 1.01, name, transform=axes.get_xaxis_transform(), ha=side)
    axes.set_xticks([0, 0.5, 0.75, 1], ["0", "0.5", "0.75", "1"])
    axes.set(xlim=(-0.05, curves["alpha"].max() + 0.05), ylabel=ylabel)
    for alpha in crossings:
        axes.axvline(alpha, color="black", linestyle=":", linewidth=1.2)
        axes.text(alpha, 0.03, f" α = {alpha:.2f}", transform=axes.get_xaxis_transform())
    _label_ends(axes, ends)
    return axes.figure


@styled
def curve_chart(
    points: pd.DataFrame,
    title: str,
    x: str,
    y: str,
    line: str,
    labels: tuple[str, str],
    panel: str | None = None,
    marker: str = "",
    **axis: object,
) -> plt.Figure:
    """Lines over x, each named at its end: precision over recall, scores over epochs, means of draws.

    Parameters
    ----------
    points : by these names columns `x`, `y`, `line`, and `panel` if there are several; `low`, `high` are
        drawn as a band. Where a line has several points at one x, they are drawn small, and the line goes
        through their means. labels : of the x and of the y axis; without that of y, each panel has its own
        scale. marker : of the points, with the last value before the line's name; a single line has all its
        values. axis : for `Axes.set`.

    >>> points = pd.DataFrame({"x": [0, 0, 50], "group": "g", "value": [1.0, 0.8, 0.4]})
    >>> axes = curve_chart(points, "one", "x", "value", "group", ("noise (%)", "τ")).axes[0]
    >>> axes.lines[-1].get_ydata().tolist(), axes.texts[0].get_text()
    ([0.9, 0.4], '0.90')
    """
    parts = list(points.groupby(panel, sort=False)) if panel else [("", points)]
    shared = panel is not None and bool(labels[1])
    panels = canvas(title, 2.7, labels[0], [range(len(parts))], sharey=shared)
    colors = dict(zip(points[line].unique(), LINES * 3, strict=False))
    width = points[x].max() - points[x].min()
    for axes, (heading, rows) in zip(panels, parts, strict=True):
        axes.set_title(heading)
        ends = []
        for name, own in rows.groupby(line, sort=False):
            color = colors[name]
            curve = _draw_line(axes, own, (x, y), width, {"marker": marker, "color": color})
            end, highest = curve[y].iloc[-1], own.groupby(x)[y].max()
            words = f"{end:.3g} ".replace("-", "−") + name if marker else name
            ends.append((curve[x].iloc[-1], end, words, color))
            for here, value in zip(curve[x], curve[y], strict=True) if len(colors) == 1 else ():
                write(axes, f"{value:.2f}", here, highest[here], (0, 7), color)
        axes.set(**axis)
    panels[0].set_ylabel(labels[1])
    if len(colors) > 1:
        _label_ends(axes, ends)
    return axes.figure


def _draw_line(
    axes: Axes, curve: pd.DataFrame, of: tuple[str, str], width: float, look: dict
) -> pd.DataFrame:
    """A line in its band; of points that share an x, small dots and a line of means. What it joins."""
    x, y = of
    color = {"color": look["color"]}
    if curve[x].duplicated().any():
        shifted = curve[x] + np.resize(0.008 * width * np.arange(-2, 3), len(curve))
        axes.plot(shifted, curve[y], "o", markersize=2, alpha=0.6, **color)
        curve = curve.groupby(x, as_index=False)[y].mean()
    if "low" in curve:
        axes.fill_between(curve[x], curve["low"], curve["high"], alpha=0.13, linewidth=0, **color)
    axes.plot(curve[x], curve[y], **look)
    return curve


@styled
def slope_chart(
    lines: pd.DataFrame, title: str, ylabel: str, digits: int = 1, ranks: bool = False
) -> plt.Figure:
    """A value of several things at each step, a line for each: where lines cross, the steps disagree.

    Parameters
    ----------
    lines : columns `line`, `x` (steps in the order of first sight), `value`, `marked` (drawn in colour, with
        the values of both ends and the name; the others are thin, grey and without a name), and perhaps
        `low`, `high`, an interval at each step.
    digits : of the values. ranks : 1 stands at the top of a numbered axis.

    >>> lines = pd.DataFrame({"line": ["a", "a"], "x": ["p", "q"], "value": [10.0, 30.0], "marked": True})
    >>> [text.get_text() for text in slope_chart(lines, "one", "AUC (%)").axes[0].texts]
    ['10.0', '30.0 a']
    """
    steps = list(lines["x"].unique())
    (axes,) = canvas(title, 3.8 if ranks else 3.1)
    table = lines.pivot_table(index="line", columns="x", values="value", sort=False)[steps]
    named = table[table.index.isin(lines.loc[lines["marked"], "line"])]
    colors = dict(zip(named.index, LINES * 3, strict=False))
    axes.plot(table.drop(index=named.index).T.to_numpy(), color=FAINT, linewidth=0.7, zorder=1)
    _draw_slopes(axes, named, lines, colors)
    width = max(10, 36 // len(steps))
    axes.set_xticks(range(len(steps)), ["\n".join(textwrap.wrap(step, width)) for step in steps])
    axes.grid(visible=False, axis="both" if ranks else "x")
    if ranks:
        apart = 10 if len(table) > 20 else 5
        axes.set_yticks([1, *range(apart, len(table) - apart // 2, apart), len(table)])
        axes.set_ylim(len(table) + 0.5, 0.5)
    else:
        axes.spines["left"].set_position(("outward", 30))  # the numbers at the left ends stand between
    axes.set_ylabel(ylabel)
    axes.tick_params(axis="x", rotation=25 if len(steps) > 4 else 0)
    for x in (len(steps) - 1,) if ranks else (0, len(steps) - 1):
        texts = [f"{y:.{digits}f} {name if x else ''}" for name, y in named[steps[x]].items()]
        ends = zip([x] * len(named), named[steps[x]], texts, colors.values(), strict=True)
        _label_ends(axes, list(ends), left=not x)
    return axes.figure


def _draw_slopes(axes: Axes, named: pd.DataFrame, lines: pd.DataFrame, colors: dict[str, str]) -> None:
    """The lines in colour, with dots and, beside each other, their intervals."""
    steps = list(named)
    for number, (line, row) in enumerate(named.iterrows()):
        axes.plot(range(len(row)), row, marker="o", markersize=3, color=colors[line], zorder=3)
        own, shift = lines[lines["line"] == line], 0.012 * (number - len(named) / 2)
        for step, *ends in own[["x", "low", "high"]].to_numpy() if "low" in lines else ():
            x = steps.index(step) + shift
            axes.plot([x, x], ends, color=colors[line], linewidth=1, alpha=0.6, zorder=2)


@styled
def perplexity_chart(tails: pd.DataFrame, title: str) -> plt.Figure:
    """Each corpus and the balanced one that is as uncertain: bars of class shares, and a box 2^H wide.

    Bars and box have the same area, 1. So what towers above the box and trails off to its right is as large
    as what is missing inside it: nothing for a balanced corpus, nearly everything for a skewed one.

    Parameters
    ----------
    tails : one row a class: `dataset` (one panel each, in the order of first sight), `rank` (1 is the
        largest), `share` (per cent), `perplexity` (the same number in all rows of a data set).

    >>> tails = pd.DataFrame({"dataset": "d", "rank": [1, 2], "share": [75.0, 25.0], "perplexity": 1.75})
    >>> perplexity_chart(tails, "one").axes[0].get_title(loc="left")
    'd'
    """
    words = "classes that occur, largest first (no negative class)"
    parts = list(tails.groupby("dataset", sort=False))
    panels = canvas(title, 2.7, words, [range(len(parts))], sharey=True)
    for axes, (name, curve) in zip(panels, parts, strict=True):
        classes = curve["perplexity"].iloc[0]
        size = {"xy": (0, 0), "width": classes, "height": 100 / classes}
        axes.add_patch(Rectangle(**size, facecolor=ORANGE, alpha=0.3, linewidth=0, zorder=1))
        axes.bar(curve["rank"] - 1, curve["share"], 1, align="edge", color=BLUE, linewidth=0, zorder=2)
        axes.add_patch(Rectangle(**size, fill=False, edgecolor=ORANGE, linewidth=1.6, zorder=3))
        look = {"transform": axes.transAxes, "ha": "right", "va": "top"}
        axes.text(1, 0.98, f"{len(curve)} classes", color=INK[BLUE], **look)
        axes.text(1, 0.88, f"as hard as\n{classes:.1f} equal", color=INK[ORANGE], **look)
        axes.set(xlim=(0, 1.02 * len(curve)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(3, integer=True, steps=[1, 2, 5, 10]))
        axes.grid(visible=False)
        axes.set_title(name.replace(", ", ",\n"))
    panels[0].set_ylabel("share of test samples (%)")
    return axes.figure


@styled
def heat_chart(
    table: pd.DataFrame, title: str, xlabel: str = "", digits: int = 0, lower: bool = False
) -> plt.Figure:
    """Numbers in a grid, dark where small: agreement of schemes, F1 by system and relation.

    Parameters
    ----------
    table : rows and columns as drawn. xlabel : what the numbers are. digits : of each. lower : of a square
        table only what stands below the diagonal.

    >>> taus = pd.DataFrame([[1, 0.8], [0.8, 1]], index=["micro", "macro"], columns=["micro", "macro"])
    >>> [text.get_text() for text in heat_chart(taus, "two", digits=3, lower=True).axes[0].texts]
    ['0.800']
    """
    import seaborn as sns  # loads scipy.stats: half of what all charts together take

    shown = table.iloc[1:, :-1] if lower else table
    (axes,) = canvas(title, 1.1 + 0.34 * len(shown), xlabel)
    hidden = np.triu(np.ones(shown.shape, dtype=bool), 1) if lower else None
    look = {"annot": True, "fmt": f".{digits}f", "cmap": "crest_r", "cbar": False, "linewidths": 1}
    sns.heatmap(shown, mask=hidden, ax=axes, annot_kws={"fontsize": 8}, **look)
    for axis, names, width in ((axes.xaxis, shown.columns, 11), (axes.yaxis, shown.index, 16)):
        axis.set_ticklabels("\n".join(textwrap.wrap(name.replace("_", " "), width)) for name in names)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(axis="y", rotation=0, length=0)
    axes.grid(visible=False)
    return axes.figure


def _label_ends(axes: Axes, ends: Sequence[tuple[float, float, str, str]], left: bool = False) -> None:
    """Name lines at the right of the axes, or at the left, each beside its end, instead of a legend.

    ends : x and y of a line's end (data), its name, its colour. Call it when the limits are final. Names that
    would overlap are moved apart and joined to their line by a thin one.
    """
    axes.figure.draw_without_rendering()  # so that the height of the axes is known
    corners = axes.transAxes.inverted().transform(axes.transData.transform([end[:2] for end in ends]))
    names = ["\n".join(textwrap.wrap(name, 25)) for _, _, name, _ in ends]
    inches = axes.get_position().height * axes.figure.get_figheight()
    sizes = np.array([0.14 * (name.count("\n") + 1) / inches for name in names])
    heights = _spread_labels(corners[:, 1], sizes)
    over = max(max(heights) + max(sizes) / 2 - 1, 0)
    up = max(max(sizes) / 2 - min(heights), -over)  # no name below the axis, and rather none above
    for (x_end, y_end, _, color), words, height in zip(ends, names, heights, strict=True):
        line = {"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
        line |= {"relpos": (float(left), 0.5)}
        look = {"va": "center", "ha": "right" if left else "left", "color": INK[color], "arrowprops": line}
        place = (-0.05 if left else 1.05, height + up)
        axes.annotate(words, (x_end, y_end), place, textcoords=axes.transAxes, **look)


def _spread_labels(values: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """The values moved apart, as little as can be, until labels of these sizes do not overlap: their heights.

    >>> _spread_labels(np.array([1.0, 1.0, 5.0]), np.ones(3)).tolist()
    [0.5, 1.5, 5.0]
    """
    order = np.argsort(values, kind="stable")
    stacked = np.cumsum(sizes[order]) - sizes[order] / 2  # their heights if each stood on the one before
    heights = np.empty(len(values))
    heights[order] = scipy.optimize.isotonic_regression(values[order] - stacked).x + stacked
    return heights
