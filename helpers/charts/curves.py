"""Charts of lines and of points in a plane: along α or recall, over epochs, from scheme to scheme."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from .style import BLUE, FAINT, LINES, PALETTE, QUIET, below, canvas, label_ends, panels, styled, write


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
    axes = canvas(title, 3.0, "α of the weights n^α (n: test samples of the class)")
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
    label_ends(axes, ends)
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
        through their means. labels : of the x and of the y axis. marker : of the points, with the last value
        before the line's name; a single line has all its values. axis : for `Axes.set`.

    >>> points = pd.DataFrame({"x": [0, 0, 50], "group": "g", "value": [1.0, 0.8, 0.4]})
    >>> axes = curve_chart(points, "one", "x", "value", "group", ("noise (%)", "τ")).axes[0]
    >>> axes.lines[-1].get_ydata().tolist(), axes.texts[0].get_text()
    ([0.9, 0.4], '0.90')
    """
    drawn = panels(points, panel, title, 2.7, labels[0], sharey=panel is not None)
    colors = dict(zip(points[line].unique(), LINES * 3, strict=False))
    width = points[x].max() - points[x].min()
    for _, axes, rows in drawn:
        ends = []
        for name, color in colors.items():
            own = rows[rows[line] == name]
            curve = _draw_line(axes, own, (x, y), width, {"marker": marker, "color": color})
            end, highest = curve[y].iloc[-1], own.groupby(x)[y].max()
            words = f"{end:.3g} ".replace("-", "−") + name if marker else name
            ends.append((curve[x].iloc[-1], end, words, color))
            for here, value in zip(curve[x], curve[y], strict=True) if len(colors) == 1 else ():
                write(axes, f"{value:.2f}", here, highest[here], (0, 7), color)
        axes.set(**axis)
    drawn[0][1].set_ylabel(labels[1])
    if len(colors) > 1:
        label_ends(axes, ends)
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
def few_runs_chart(simulated: pd.DataFrame, shown: float, title: str) -> plt.Figure:
    """What tests over a few runs find: how often, and how large the effect looks when they do.

    Parameters
    ----------
    simulated : columns `true_d`, `significant` (share of experiments with p < .05), `estimated_d` (mean |d|
        of these). shown : the true d at which the values of both curves are written.

    >>> simulated = pd.DataFrame({"true_d": [0, 2], "significant": [0.05, 0.77], "estimated_d": [1.9, 2.53]})
    >>> [axes.texts[0].get_text() for axes in few_runs_chart(simulated, 2, "Few runs").axes]
    ['77 %', '2.5 SD']
    """
    words = "true gap between two models, in standard deviations (SD) of their runs"
    left, right = canvas(title, 2.4, words, 1, 2)
    here, d = simulated[simulated["true_d"] == shown].iloc[0], simulated["true_d"]
    looks = (
        (left, "significant", 100, "{:.0f} %", (6, 0), BLUE),
        (right, "estimated_d", 1, "{:.1f} SD", (-1, 6), PALETTE[3]),
    )
    for axes, column, unit, form, shift, color in looks:
        axes.plot(d, unit * simulated[column], color=color)
        axes.axvline(shown, color=QUIET, linewidth=0.8, zorder=0)
        value = unit * here[column]
        axes.plot(shown, value, "o", color=color)
        write(axes, form.format(value), shown, value, shift, color, fontweight="bold")
        axes.set_xticks(range(int(d.max()) + 1))
    right.plot(d, d, color="#666666", linestyle=":", linewidth=1.2)
    write(right, "dotted:\ntrue gap", d.max(), 0.25 * d.max(), (-1, 0), "#666666")
    left.set(ylim=(0, 103), title="trials that find the\ngap, p < .05 (%)")
    right.set(ylim=(0, None), title="gap they report,\non average (SD)")
    return left.figure


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
    axes = canvas(title, 3.8 if ranks else 3.1)
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
        label_ends(axes, list(ends), left=not x)
    return axes.figure


def _draw_slopes(axes: Axes, named: pd.DataFrame, lines: pd.DataFrame, colors: dict[str, str]) -> None:
    """The lines in colour, with dots and, beside each other, their intervals."""
    steps = list(named)
    for number, (line, row) in enumerate(named.iterrows()):
        look = {"color": colors[line], "zorder": 3}
        axes.plot(range(len(row)), row, **look)
        axes.plot(range(len(row)), row, "o", markersize=3, **look)
        own, shift = lines[lines["line"] == line], 0.012 * (number - len(named) / 2)
        for step, *ends in own[["x", "low", "high"]].to_numpy() if "low" in lines else ():
            x = steps.index(step) + shift
            axes.plot([x, x], ends, color=colors[line], linewidth=1, alpha=0.6, zorder=2)


@styled
def original_paired_chart(points: pd.DataFrame, title: str) -> plt.Figure:
    """Performance on the paired set B against that on the test set A; a line joins two models.

    Parameters
    ----------
    points : columns `name`, `training` (a colour each), `a`, `b`, `a_sd`, `b_sd` (per cent), and `marked`:
        true for two, which the line joins, with their distance on B.

    >>> points = pd.DataFrame({"name": ["m", "n"], "training": "t", "a": 80, "b": [40, 70]})
    >>> points = points.assign(a_sd=1, b_sd=2, marked=True)
    >>> [text.get_text() for text in original_paired_chart(points, "one").axes[0].texts]
    ['A = B', '', '30 points', 'm 40', 'n 70']
    """
    axes = canvas(title, 3.3)
    axes.plot([0, 100], [0, 100], color="#666666", linewidth=1, linestyle="--", zorder=0)
    write(axes, "A = B", 81, 81, (0, 4), "#555555")
    colors = dict(zip(points["training"].unique(), LINES, strict=False))
    for training, rows in points.groupby("training", sort=False):
        bars = {"xerr": rows["a_sd"], "yerr": rows["b_sd"], "linewidth": 1, "label": training}
        axes.errorbar(rows["a"], rows["b"], fmt="o", color=colors[training], **bars)
    low, high = points.loc[points["marked"], ["a", "b"]].to_numpy()
    line = {"arrowstyle": "-", "color": "black", "shrinkA": 4, "shrinkB": 4, "linestyle": ":"}
    axes.annotate("", high, low, arrowprops=line, zorder=1)
    x, y = 0.7 * low + 0.3 * high
    write(axes, f"{high[1] - low[1]:.0f} points", x, y, (-4, 0), "black", fontweight="bold")
    axes.set(xlabel="A: official macro-F1 on the test set (%)", ylabel="B: entities exchanged (%)")
    axes.set(xlim=(80, 90), ylim=(0, 100))
    below(axes, "", 1)
    ends = [(row.a, row.b, f"{row.name} {row.b:.0f}", colors[row.training]) for row in points.itertuples()]
    label_ends(axes, ends)
    return axes.figure


@styled
def reliability_chart(bins: pd.DataFrame, title: str) -> plt.Figure:
    """How often answers are right, by how sure the system said it was; on the line it would be right.

    Parameters
    ----------
    bins : columns `n`, `confidence`, `accuracy` (fractions), of bins that hold answers; the area of a dot is
        the share of the answers.

    >>> bins = pd.DataFrame({"n": [9, 1], "confidence": [0.8, 0.5], "accuracy": [0.4, 0.5]})
    >>> reliability_chart(bins, "one").axes[0].get_ylabel()
    'answers that are right (%)'
    """
    axes = canvas(title, 3.0, "confidence that the system states (%); number: answers")
    axes.plot([0, 100], [0, 100], color=QUIET, linewidth=1)
    axes.annotate("as often right as stated", (14, 18), rotation=41, rotation_mode="anchor")
    right, stated = 100 * bins["accuracy"], 100 * bins["confidence"]
    axes.vlines(stated, right, stated, color=BLUE, linewidth=1, alpha=0.5)
    axes.scatter(stated, right, s=12 + 200 * bins["n"] / bins["n"].sum(), color=BLUE)
    for n, x, y in zip(bins["n"], stated, right, strict=True):
        write(axes, f"{n:,}", x, y, (0, -7), "#1a1a1a")
    axes.set(xlim=(0, 104), ylim=(0, 104), ylabel="answers that are right (%)")
    return axes.figure
