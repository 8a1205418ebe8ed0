"""Charts of lines and of points in a plane: along α or recall, over epochs, from scheme to scheme."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import LogLocator

from ...metrics import SAWILOWSKY
from .parts import alpha_axis, below, first_seen, headline, label_ends, panels, write
from .rows import SOURCES
from .style import BLUE, FAINT, LINES, ORANGE, PALETTE, QUIET, WIDTH, ink, scheme_look, styled

PAIR = (BLUE, PALETTE[3])
"""Colours of two systems beside each other."""


@styled
def alpha_chart(
    curves: pd.DataFrame,
    title: str,
    line: str = "model",
    value: str = "value",
    ylabel: str = "F1 (%)",
    crossings: Sequence[float] = (),
    marks: pd.DataFrame | None = None,
) -> plt.Figure:
    """Lines along the family n^α, from macro (0) over dodrans (0.75) to weighted (1), with both ends' values.

    Parameters
    ----------
    curves : columns `alpha` and, by these names, `line` and `value`. crossings : the α at which two systems
        change places; drawn as dotted lines. marks : further points, with a column `scheme`.

    >>> curves = pd.DataFrame({"model": "m", "alpha": [0.0, 1.0], "value": [50.0, 60.0]})
    >>> [text.get_text() for text in alpha_chart(curves, "one").axes[0].texts][-2:]
    ['50.0', '60.0 m']
    """
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    starts, ends = [], []
    for number, (name, curve) in enumerate(curves.groupby(line, sort=False)):
        color, (first, *_, last) = LINES[number % len(LINES)], curve[value]
        axes.plot(curve["alpha"], curve[value], color=color)
        for mark in () if marks is None else marks[marks[line] == name].dropna(subset="alpha").itertuples():
            axes.plot(mark.alpha, getattr(mark, value), **scheme_look(mark.scheme) | {"color": color})
        starts.append((curve["alpha"].iloc[0], first, f"{first:.1f}", color))
        ends.append((curve["alpha"].iloc[-1], last, f"{last:.1f} {name}", color))
    alpha_axis(axes, title, ylabel)
    axes.set_xlim(-0.05, curves["alpha"].max() + 0.05)
    for alpha in crossings:
        axes.axvline(alpha, color="black", linestyle=":", linewidth=1.2)
        axes.text(alpha, 0.03, f" α = {alpha:.2f}", transform=axes.get_xaxis_transform())
    axes.tick_params(axis="y", labelleft=False, length=0)
    axes.yaxis.labelpad = 30
    label_ends(axes, starts, left=True)
    label_ends(axes, ends)
    return figure


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
    log: bool = False,
    **axis: object,
) -> plt.Figure:
    """Lines over x, each named at its end: precision over recall, scores over epochs, means of draws.

    Parameters
    ----------
    points : by these names columns `x`, `y`, `line`, and `panel` if there are several; `low`, `high` are
        drawn as a band. Where a line has several points at one x, they are drawn small, and the line goes
        through their means. labels : of the x and of the y axis. marker : of the points, with the last value
        before the line's name; a single line has all its values. log : both axes. axis : for `Axes.set`.

    >>> points = pd.DataFrame({"x": [0, 0, 50], "group": "g", "value": [1.0, 0.8, 0.4]})
    >>> axes = curve_chart(points, "one", "x", "value", "group", ("noise (%)", "τ")).axes[0]
    >>> axes.lines[-1].get_ydata().tolist(), axes.texts[0].get_text()
    ([0.9, 0.4], '0.90')
    """
    figure, drawn = panels(points, panel, 2.7, sharey=panel is not None and not log)
    names = first_seen(points, line)
    for _, axes, rows in drawn:
        ends = []
        for number, name in enumerate(names):
            color, curve = LINES[number % len(LINES)], rows[rows[line] == name]
            if curve[x].duplicated().any():
                spread = 0.008 * (points[x].max() - points[x].min()) * np.arange(-2, 3)
                shifted = curve[x] + np.resize(spread, len(curve))
                axes.plot(shifted, curve[y], "o", color=color, markersize=2, alpha=0.6)
                curve = curve.groupby(x, as_index=False)[y].mean()
            if "low" in curve:
                band = {"color": color, "alpha": 0.13, "linewidth": 0}
                axes.fill_between(curve[x], curve["low"], curve["high"], **band)
            axes.plot(curve[x], curve[y], marker=marker, color=color)
            end = curve[y].iloc[-1]
            ends.append((curve[x].iloc[-1], end, f"{end:.3g} {name}" if marker else name, color))
            highest = rows[rows[line] == name].groupby(x)[y].max()
            for at, value in zip(curve[x], curve[y], strict=True) if len(names) == 1 else ():
                write(axes, f"{value:.2f}", at, highest[at], (0, 7), color)
        axes.set(**axis)
        if log:
            axes.set(xscale="log", yscale="log")
            axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
            for each in (axes.xaxis, axes.yaxis):
                each.set_major_formatter("{x:g}")
                each.set_minor_formatter("")
    drawn[0][1].set_ylabel(labels[1])
    below(axes, labels[0])
    headline(figure, title)
    if len(names) > 1:
        label_ends(axes, ends)
    return figure


@styled
def few_runs_chart(simulated: pd.DataFrame, runs: int, alpha: float, title: str) -> plt.Figure:
    """What tests over a few runs find: how often, and how large the effect looks when they do.

    Parameters
    ----------
    simulated : columns `true_d`, `significant` (share of experiments with p < alpha), `estimated_d` (mean |d|
        of these). `runs` : of each model. Thin lines on the left show where Sawilowsky's words begin.

    >>> simulated = pd.DataFrame({"true_d": [0, 1], "significant": [0.05, 0.3], "estimated_d": [2.0, 2.1]})
    >>> len(few_runs_chart(simulated, 5, 0.05, "Few runs").axes)
    2
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(WIDTH, 2.6))
    left.plot(simulated["true_d"], 100 * simulated["significant"], "o-", color=BLUE, markersize=3)
    for least, word in SAWILOWSKY[:3]:
        left.axvline(least, color=FAINT, linewidth=0.8, zorder=0)
        box = {"facecolor": "white", "edgecolor": "none", "pad": 0.3}
        left.text(least - 0.06, 101, f"{word} ≥ {least:g}", rotation=90, va="top", ha="right", bbox=box)
    left.set(
        xlabel="true d (in SDs),\nwords by Sawilowsky",
        ylim=(0, 103),
        title=f"experiments (%) with\np < {alpha:g}, {runs} runs each",
    )
    ends = [0, simulated["true_d"].max()]
    right.plot(simulated["true_d"], simulated["estimated_d"], "o-", color=PALETTE[3], markersize=3)
    right.plot(ends, ends, color="#666666", linestyle=":", linewidth=1.2)
    write(right, "found", 0, simulated["estimated_d"].iloc[0], (2, 15), PALETTE[3])
    write(right, "true", ends[1] * 0.8, ends[1] * 0.8, (3, -9), "#666666")
    right.set(xlabel="true d (in SDs)", ylim=(0, None), title=f"mean |d| of those\nwith p < {alpha:g}")
    left.grid(axis="x", visible=False)
    headline(figure, title)
    return figure


@styled
def slope_chart(
    lines: pd.DataFrame, title: str, ylabel: str, digits: int = 1, ranks: bool = False
) -> plt.Figure:
    """A value of several things at each step, a line for each: where lines cross, the steps disagree.

    Parameters
    ----------
    lines : columns `line`, `x` (steps in the order of first sight), `value`, `marked` (drawn in colour, with
        the values of both ends and the name; the others are thin, grey and without a name).
    digits : of the values. ranks : 1 stands at the top.

    >>> lines = pd.DataFrame({"line": ["a", "a"], "x": ["p", "q"], "value": [10.0, 30.0], "marked": True})
    >>> [text.get_text() for text in slope_chart(lines, "one", "AUC (%)").axes[0].texts]
    ['10.0', '30.0 a']
    """
    steps = first_seen(lines, "x")
    figure, axes = plt.subplots(figsize=(WIDTH, 3.8 if ranks else 3.1))
    table = lines.pivot_table(index="line", columns="x", values="value", sort=False)[steps]
    named = table[table.index.isin(lines.loc[lines["marked"], "line"])]
    colors = dict(zip(named.index, LINES * 3, strict=False))
    for line, row in table.iterrows():
        look = {"linewidth": 0.7, "zorder": 1} if line not in colors else {"zorder": 3}
        axes.plot(range(len(row)), row, color=colors.get(line, FAINT), **look)
        if line in colors:
            axes.plot(range(len(row)), row, "o", color=colors[line], markersize=3, zorder=3)
        for x, value in enumerate(row.iloc[1:-1], start=1) if len(named) == len(table) else ():
            write(axes, f"{value:.{digits}f}", x, value, (0, 4), colors[line])
    axes.set_xticks(range(len(steps)), ["\n".join(textwrap.wrap(step, 10)) for step in steps])
    axes.grid(axis="x", visible=False)
    if ranks:
        axes.set_ylim(len(table) + 0.5, 0.5)
    axes.set_ylabel(ylabel, labelpad=20 if ranks else 30)
    axes.tick_params(axis="x", rotation=25 if len(steps) > 4 else 0)
    axes.tick_params(axis="y", labelleft=False, length=0)
    headline(figure, title)
    for step, x in ((steps[0], 0), (steps[-1], len(steps) - 1)):
        ends = [
            (x, y, f"{y:.{digits}f} {name if x else ''}", colors[name]) for name, y in named[step].items()
        ]
        label_ends(axes, ends, left=not x)
    return figure


@styled
def original_paired_chart(points: pd.DataFrame, title: str) -> plt.Figure:
    """Performance on the paired set B against that on the test set A, on equal axes: ours, and published
    ones beside them, hollow.

    Parameters
    ----------
    points : columns `name` (written beside ours), `source` ('ours' or one of `SOURCES`), `a`, `b`, and
        `a_sd`, `b_sd` (per cent).

    >>> point = {"name": "m", "source": "ours", "a": 80, "b": 40, "a_sd": 1, "b_sd": 2}
    >>> [text.get_text() for text in original_paired_chart(pd.DataFrame([point]), "one").axes[0].texts]
    ['A = B', 'm 40']
    """
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    axes.plot([0, 100], [0, 100], color="#666666", linewidth=1, linestyle="--", zorder=0)
    write(axes, "A = B", 32, 32, (4, -8), "#555555")
    for source, look in SOURCES.items():
        rows = points[points["source"] == source]
        if len(rows):
            hollow = {"linestyle": "none", "markerfacecolor": "none", "label": source}
            axes.plot(rows["a"], rows["b"], **look, **hollow)
    ours = points[points["source"] == "ours"]
    bars = {"xerr": ours["a_sd"], "yerr": ours["b_sd"], "linewidth": 1}
    axes.errorbar(ours["a"], ours["b"], fmt="o", color=BLUE, label="ours, ± 1 SD", **bars)
    axes.set(xlim=(0, 100), ylim=(0, 100))
    axes.set(xlabel="A: official macro-F1 on the test set (%)", ylabel="B: on exchanged sentences (%)")
    axes.legend(loc="upper left")
    headline(figure, title)
    label_ends(axes, [(row.a, row.b, f"{row.name} {row.b:.0f}", BLUE) for row in ours.itertuples()])
    return figure


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
    figure, axes = plt.subplots(figsize=(WIDTH, 3.0))
    axes.plot([0, 100], [0, 100], color=QUIET, linewidth=1)
    axes.annotate("as often right as stated", (14, 18), rotation=41, rotation_mode="anchor")
    right, stated = 100 * bins["accuracy"], 100 * bins["confidence"]
    axes.vlines(stated, right, stated, color=BLUE, linewidth=1, alpha=0.5)
    axes.scatter(stated, right, s=12 + 200 * bins["n"] / bins["n"].sum(), color=BLUE)
    for n, x, y in zip(bins["n"], stated, right, strict=True):
        write(axes, f"{n:,}", x, y, (0, -7), "#1a1a1a")
    axes.set(xlim=(0, 104), ylim=(0, 104), ylabel="answers that are right (%)")
    below(axes, "confidence that the system states (%); number: answers")
    headline(figure, title)
    return figure


@styled
def landing_chart(lead: pd.DataFrame, direction: pd.DataFrame) -> plt.Figure:
    """The project in one picture: two systems whose order turns with the scheme, and one model's score on
    sentences and on the same sentences with the entities exchanged.

    Parameters
    ----------
    lead : a row for each scheme: `scheme`, `difference`, `low`, `high` (points, first minus second),
        `score_first`, `score_second` (per cent), `first`, `second` (names).
    direction : a row for each run: `model`, `set` (two values), `value` (per cent), and `low`, `high`, an
        interval that the runs of a model share.

    >>> ends = {"low": [1.0, -4.0], "high": [3.0, -0.5], "first": "a", "second": "b"}
    >>> lead = pd.DataFrame({"scheme": ["micro", "macro"], "difference": [2.0, -2.0]} | ends)
    >>> run = {"model": "m", "set": ["as it is", "exchanged"], "value": [85.0, 15.0], "low": 10, "high": 90}
    >>> figure = landing_chart(lead.assign(score_first=66.0, score_second=65.0), pd.DataFrame(run))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['difference of F1 (points)', 'official macro-F1, 9 relations (%)']
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(5.2, 3.1), width_ratios=(1.35, 1))
    _draw_lead(left, lead)
    models, sets = first_seen(direction, "model"), first_seen(direction, "set")
    for number, (kind, color) in enumerate(zip(sets, (BLUE, ORANGE), strict=True)):
        runs = direction[direction["set"] == kind]
        rows = runs.groupby("model")[["value", "low", "high"]].mean().loc[models]
        x = np.arange(len(models)) + 0.36 * (number - 0.5)
        bars = right.bar(x, rows["value"], width=0.34, color=color, label=kind)
        ends = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
        look = {"fmt": "none", "ecolor": "black", "capsize": 3, "linewidth": 1.2}
        right.errorbar(x - 0.11, rows["value"], yerr=ends, **look)
        right.bar_label(bars, fmt="%.0f", fontweight="bold", padding=4)
        for middle, model in zip(x, models, strict=True):
            values = runs.loc[runs["model"] == model, "value"]
            look = {"s": 5, "color": "white", "edgecolor": "black", "linewidth": 0.6, "zorder": 3}
            right.scatter(middle + np.linspace(-0.05, 0.13, len(values)), values, **look)
    right.set_xticks(range(len(models)), models)
    right.set(ylabel="official macro-F1, 9 relations (%)", ylim=(0, 116))
    right.grid(axis="x", visible=False)
    right.set_title("Right, until the entities\nare exchanged")
    right.legend(ncols=2, loc="upper center")
    return figure


def _draw_lead(axes: Axes, lead: pd.DataFrame) -> None:
    """By how much the first system leads under each scheme, with intervals."""
    axes.axhline(0, color="black", linewidth=1)
    for x, row in enumerate(lead.itertuples()):
        color = PAIR[int(row.difference < 0)] if row.low > 0 or row.high < 0 else QUIET
        ends = [[row.difference - row.low], [row.high - row.difference]]
        look = {"fmt": "o", "color": color, "capsize": 3, "linewidth": 2}
        axes.errorbar(x, row.difference, yerr=ends, **look)
        scores = f"{row.score_first:.1f}\n{row.score_second:.1f}"
        axes.text(x + 0.12, row.difference, scores, va="center")
    reach = 1.35 * lead[["low", "high"]].abs().to_numpy().max()
    axes.set(ylim=(-reach, reach), xlim=(-0.5, len(lead) - 0.3), ylabel="difference of F1 (points)")
    names = lead[["first", "second"]].iloc[0]
    axes.tick_params(axis="x", rotation=25)
    for y, name, va, color in zip((0.98, 0.02), names, ("top", "bottom"), PAIR, strict=True):
        words = {"va": va, "ha": "center", "fontweight": "bold", "color": ink(color)}
        axes.text(0.5, y, f"{name} leads".replace(", ", ",\n"), transform=axes.transAxes, **words)
    axes.set_xticks(range(len(lead)), lead["scheme"])
    axes.grid(axis="x", visible=False)
    axes.set_title("Same predictions: the better system\ndepends on the scheme")
