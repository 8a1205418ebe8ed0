"""Charts of lines and of points in a plane: along α or recall, over epochs, from scheme to scheme."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ...metrics import SAWILOWSKY
from .parts import (
    alpha_axis,
    first_seen,
    headline,
    label_ends,
    legend_below,
    panels,
    spread_labels,
    write_apart,
)
from .rows import SOURCES, corpus_title
from .style import BLUE, FAINT, LINES, ORANGE, PALETTE, QUIET, ink, scheme_look, styled

PAIR = (BLUE, PALETTE[3])
"""Colours of two systems beside each other."""
_TECHNIQUES = {
    "1vsrest": (PALETTE[7], "o"),
    "thresholding": (PALETTE[0], "s"),
    "thresholding scut-fbr": (PALETTE[9], "v"),
    "cost_sensitive": (PALETTE[3], "D"),
    "cost_sensitive_micro": (PALETTE[1], "^"),
    "tree": (PALETTE[2], "X"),
    "binary_and_multiclass": (PALETTE[4], "P"),
}


def look_of(model: str) -> dict[str, str]:
    """Colour and marker of a linear technique, the same in every figure; words after its name do not count
    where they are unknown.

    >>> look_of("1vsrest") == look_of("1vsrest without bias"), look_of("mine")["marker"]
    (True, '.')
    """
    color, marker = _TECHNIQUES.get(model) or _TECHNIQUES.get(model.split(" ")[0]) or ("#444444", ".")
    return {"color": color, "marker": marker}


@styled
def alpha_spectrum_chart(spectrum: pd.DataFrame, crossings: list[float], title: str) -> plt.Figure:
    """F1 of systems along the family n^α, from macro (0) over dodrans (0.75) to weighted (1).

    Parameters
    ----------
    spectrum : columns `model`, `alpha`, `value` (per cent), and `low`, `high` if a band is to be drawn.
    crossings : the α at which two systems change places; drawn as dotted lines.

    >>> spectrum = pd.DataFrame({"model": "m", "alpha": [0.0, 1.0], "value": [50.0, 60.0]})
    >>> alpha_spectrum_chart(spectrum, [], "one").axes[0].texts[-1].get_text()
    '60.0  m'
    """
    figure, axes = plt.subplots(figsize=(7.5, 3.8))
    starts, ends = [], []
    for number, (model, curve) in enumerate(spectrum.groupby("model", sort=False)):
        color = LINES[number % 5]
        axes.plot(curve["alpha"], curve["value"], linewidth=1.8, color=color)
        if "low" in curve:
            axes.fill_between(curve["alpha"], curve["low"], curve["high"], color=color, alpha=0.13)
        first, last = curve["value"].iloc[0], curve["value"].iloc[-1]
        starts.append((first, f"{first:.1f}", color))
        ends.append((curve["alpha"].iloc[-1], last, f"{last:.1f}  {model}", color))
    alpha_axis(axes, title)
    for alpha in crossings:
        axes.axvline(alpha, color="black", linestyle=":", linewidth=1.2)
        axes.text(alpha, 0.03, f" α = {alpha:.3f}", transform=axes.get_xaxis_transform(), fontsize=8)
    axes.margins(x=0.12)
    low, high = axes.get_ylim()
    write_apart(axes, spectrum["alpha"].min() - 0.015, starts, (high - low) / 19, ha="right")
    label_ends(axes, ends)
    return figure


@styled
def spectra_chart(spectrum: pd.DataFrame, title: str) -> plt.Figure:
    """F1 along the family n^α, one line a model, named at its left end, where the labels weigh the same.

    Parameters
    ----------
    spectrum : columns `model`, `alpha` (0 … 1), `value` (per cent); models in the order of first sight.

    >>> spectrum = pd.DataFrame({"model": "m", "alpha": [0, 1], "value": [50, 60]})
    >>> spectra_chart(spectrum, "one").axes[0].get_xlabel()
    'α of the weights n^α'
    """
    figure, axes = plt.subplots(figsize=(7.2, 4.3))
    starts, ends = [], []
    for model, curve in spectrum.groupby("model", sort=False):
        look, (first, *_, last) = look_of(model), curve["value"]
        axes.plot(curve["alpha"], curve["value"], linewidth=1.8, markevery=5, markersize=5, **look)
        starts.append((first, f"{model} {first:.1f}", look["color"]))
        ends.append((last, f"{last:.1f}", look["color"]))
    least = 0.042 * (spectrum["value"].max() - spectrum["value"].min() + 2)
    write_apart(axes, -0.02, starts, least, ha="right")
    write_apart(axes, 1.02, ends, least, below=True)  # above would stand the names of the schemes
    alpha_axis(axes, title)
    axes.set(xlim=(-0.52, 1.15), xticks=[0, 0.25, 0.5, 0.75, 1])
    return figure


@styled
def effective_classes_chart(spectrum: pd.DataFrame, schemes: pd.DataFrame, title: str) -> plt.Figure:
    """How many classes a scheme really looks at: 2^entropy of its weights, along the family n^α.

    Parameters
    ----------
    spectrum : columns `dataset`, `alpha`, `effective_classes`. schemes : `dataset`, `scheme`, `alpha` (empty
        where the scheme is none of the family) and `effective_classes`; drawn as markers.

    >>> spectrum = pd.DataFrame({"dataset": "d", "alpha": [0, 1], "effective_classes": [2, 1.8]})
    >>> macro = {"dataset": "d", "scheme": "macro", "alpha": 0, "effective_classes": 2}
    >>> effective_classes_chart(spectrum, pd.DataFrame([macro]), "one").axes[0].get_xlabel()
    'α of the weights n^α'
    """
    figure, axes = plt.subplots(figsize=(7.5, 3.7))
    ends = []
    for number, (dataset, curve) in enumerate(spectrum.groupby("dataset", sort=False)):
        color, values = LINES[number % 5], curve["effective_classes"]
        axes.plot(curve["alpha"], values, linewidth=1.6, color=color)
        for scheme in schemes[schemes["dataset"] == dataset].dropna(subset="alpha").itertuples():
            look = scheme_look(scheme.scheme) | {"color": color}
            axes.plot(scheme.alpha, scheme.effective_classes, markersize=7, **look)
        words = f"{dataset}: {values.iloc[0]:.0f} → {values.iloc[-1]:.1f}"
        ends.append((curve["alpha"].iloc[-1], values.iloc[-1], words, color))
    alpha_axis(axes, title, "effective classes (2^entropy)")
    axes.set_ylim(0, None)
    label_ends(axes, ends)
    return figure


@styled
def precision_recall_chart(curves: pd.DataFrame, title: str) -> plt.Figure:
    """Precision against recall, a line for each system, named at its end; a panel for each `panel`.

    Parameters
    ----------
    curves : columns `panel`, `system`, `recall`, `precision` (per cent), and `low`, `high` where a band is to
        be drawn (95 % bootstrap interval of the precision at that recall).

    >>> curve = pd.DataFrame({"panel": "p", "system": "s", "recall": [0, 10], "precision": [90.0, 50.0]})
    >>> precision_recall_chart(curve, "one").axes[0].get_xlabel()
    'recall (%)'
    """
    width = 4.6 if curves["panel"].nunique() < 3 else 3.9
    figure, drawn = panels(curves, "panel", 0.9, width, 4.0)
    for panel, axes, rows in drawn:
        _named_lines(axes, rows, "precision", 5.0, linewidth=1.7)
        axes.set_title(panel, fontsize=10)
        axes.set(xlabel="recall (%)", ylim=(0, 102))
    drawn[0][1].set(ylabel="precision (%)")
    headline(figure, title)
    return figure


@styled
def cut_areas_chart(areas: pd.DataFrame, title: str) -> plt.Figure:
    """The area under a list's curve against the recall at which the list is cut.

    Parameters
    ----------
    areas : columns `system`, `recall`, `area` (per cent); the last point of a system is its whole list.

    >>> areas = pd.DataFrame({"system": "s", "recall": [10, 20], "area": [8.0, 14.0]})
    >>> cut_areas_chart(areas, "one").axes[0].get_ylabel()
    'area up to that recall (points)'
    """
    figure, axes = plt.subplots(figsize=(7.4, 4.4))
    _named_lines(axes, areas, "area", 0.055 * areas["area"].max(), linewidth=1.6)
    for line in list(axes.lines):
        x, y = line.get_data()
        axes.plot(x[-1], y[-1], "o", color=line.get_color(), markersize=5)
    axes.set(xlabel="recall at which the list is cut (%); a dot: where it ends by itself", title=title)
    axes.set(ylabel="area up to that recall (points)", ylim=(0, None))
    return figure


def _named_lines(axes: Axes, rows: pd.DataFrame, value: str, gap: float, linewidth: float) -> None:
    """A line over recall for each system, with its band if there is one, and its name at the right."""
    ends = []
    for number, (system, curve) in enumerate(rows.groupby("system", sort=False)):
        color = LINES[number % len(LINES)]
        axes.plot(curve["recall"], curve[value], color=color, linewidth=linewidth)
        if "low" in curve:
            band = curve["recall"], curve["low"], curve["high"]
            axes.fill_between(*band, color=color, alpha=0.13, linewidth=0)
        ends.append((system, color, *curve[["recall", value]].iloc[-1]))
    right = max(end[2] for end in ends)
    heights = spread_labels([end[3] for end in ends], gap)
    up = max(0, gap / 2 - min(heights))  # no name below the axis
    line = {"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 1, "shrinkB": 1, "relpos": (0, 0.5)}
    for (name, color, x, y), height in zip(ends, heights, strict=True):
        look = {"color": ink(color), "fontsize": 8, "va": "center", "annotation_clip": False}
        arrow = line | {"color": color}
        axes.annotate(name, (x, y), (right * 1.03, height + up), **look, arrowprops=arrow)
    axes.set_xlim(0, right * 1.45)  # room for the names; no ticks there
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= max(right, 100)])
    axes.set_xlim(0, right * 1.45)


@styled
def epochs_chart(curve: pd.DataFrame, names: dict[str, str], title: str) -> plt.Figure:
    """Scores after each epoch of training, each line named at its end.

    Parameters
    ----------
    curve : columns `epoch`, `score`, `value` (per cent). names : score → what to write at its line; drawn in
        this order.

    >>> curve = pd.DataFrame({"epoch": [1, 2], "score": "ppr", "value": [1.0, 60.0]})
    >>> [text.get_text() for text in epochs_chart(curve, {"ppr": "PPR"}, "one").axes[0].texts]
    ['PPR: 1 → 60']
    """
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    last, ends = curve["epoch"].max(), []
    for score, name in names.items():
        line = curve[curve["score"] == score]
        if len(line):
            color, marker = PALETTE[(0, 2, 3, 1, 4)[len(ends) % 5]], "osD^v"[len(ends) % 5]
            axes.plot(line["epoch"], line["value"], linewidth=1.8, markersize=5, color=color, marker=marker)
            first, end = line["value"].iloc[0], line["value"].iloc[-1]
            ends.append((end, f"{name}: {first:.0f} → {end:.0f}", color))
    write_apart(axes, last + 0.12, ends, 6.5, fontsize=9)
    axes.set(xlabel="epoch", ylabel="per cent", ylim=(-3, 103), title=title, xlim=(0.8, last + 0.1))
    axes.set_xticks(range(1, last + 1))
    return figure


@styled
def draws_chart(points: pd.DataFrame, title: str, xlabel: str, ylabel: str) -> plt.Figure:
    """Values of several random draws at each x, and the line of their means, for each group.

    Parameters
    ----------
    points : columns `x`, `group` (in the legend, if there are several), `value`.

    >>> points = pd.DataFrame({"x": [0, 0, 50], "group": "g", "value": [1.0, 0.8, 0.4]})
    >>> draws_chart(points, "one", "noise (%)", "τ").axes[0].lines[-1].get_ydata().tolist()
    [0.9, 0.4]
    """
    figure, axes = plt.subplots(figsize=(6.4, 3.8))
    axes.axhline(0, color="black", linewidth=0.8)
    for number, (group, rows) in enumerate(points.groupby("group", sort=False)):
        color, marker = ((PALETTE[3], "o"), (BLUE, "s"))[number % 2]
        shift = (number - 0.5) * 0.01 * (points["x"].max() - points["x"].min())
        axes.plot(rows["x"] + shift, rows["value"], marker, color=color, markersize=3, alpha=0.5)
        mean = rows.groupby("x")["value"].mean()
        axes.plot(mean.index, mean, f"{marker}-", color=color, linewidth=2, label=group)
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if points["group"].nunique() > 1:
        legend_below(figure, axes, 2)
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
    left.set_title(f"{runs} runs a system find huge effects only …", fontsize=10)
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


@styled
def power_chart(plans: pd.DataFrame, title: str) -> plt.Figure:
    """The power of a comparison against the size of the test set, a panel a corpus and a line a scheme.

    Parameters
    ----------
    plans : columns `dataset`, `test_n` (the size of the test set that there is: dotted), `scheme`, `n` and
        `power` (a fraction).

    >>> row = {"dataset": "d", "test_n": 500, "scheme": "micro"}
    >>> plans = pd.DataFrame([row | {"n": 100, "power": 0.2}, row | {"n": 900, "power": 0.9}])
    >>> power_chart(plans, "one").axes[0].lines[0].get_ydata().tolist()
    [20.0, 90.0]
    """
    figure, drawn = panels(plans, "dataset", 0.9, 2.2, 3.3)
    for dataset, axes, here in drawn:
        for scheme, rows in here.groupby("scheme", sort=False):
            axes.plot(rows["n"], 100 * rows["power"], linewidth=1.6, label=scheme, **scheme_look(scheme))
        size = here["test_n"].iloc[0]
        axes.axvline(size, color="black", linestyle=":", linewidth=1.2)
        axes.axhline(80, color=FAINT, linewidth=0.8, zorder=0)
        axes.set_title(f"{corpus_title(dataset)}\ntest set: {size:,}", fontsize=10)
        axes.set(xscale="log", ylim=(0, 103), xlabel="test sentences")
        axes.set_xlim(0.8 * plans["n"].min(), 1.25 * plans["n"].max())
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.tick_params(axis="x", labelsize=8)
    drawn[0][1].set_ylabel("power (%)")
    legend_below(figure, drawn[0][1], 5)
    headline(figure, title)
    return figure


@styled
def rank_chart(ranks: pd.DataFrame, highlight: list[str], title: str) -> plt.Figure:
    """The rank of every system under each scheme, as one line a system; a few are named.

    Parameters
    ----------
    ranks : index the system, one column a scheme, values 1 (best) … M. highlight : systems drawn in colour.

    >>> ranks = pd.DataFrame({"micro": [1, 2], "macro": [2, 1]}, index=["a", "b"])
    >>> len(rank_chart(ranks, ["a"], "two").axes[0].lines)
    2
    """
    figure, axes = plt.subplots(figsize=(7.5, 5.6))
    colors, last, ends = dict(zip(highlight, LINES, strict=False)), ranks.shape[1] - 1, []
    for model, row in ranks.iterrows():
        look = {"color": FAINT, "linewidth": 0.8, "zorder": 1}
        if model in colors:
            look = {"color": colors[model], "linewidth": 2.2, "marker": "o", "markersize": 4, "zorder": 3}
            ends.append((last, row.iloc[-1], f"{row.iloc[-1]}  {model}", colors[model]))
            start = {"xytext": (-6, 0), "textcoords": "offset points", "ha": "right", "va": "center"}
            axes.annotate(f"{row.iloc[0]}", (0, row.iloc[0]), color=ink(colors[model]), fontsize=8, **start)
        axes.plot(range(len(row)), row, **look)
    axes.set_xticks(range(ranks.shape[1]), ranks.columns)
    axes.set_title(title, pad=14)
    axes.set(ylabel="rank (1 is best)", ylim=(len(ranks) + 0.5, 0.5), xlim=(-0.3, last + 0.05))
    axes.grid(axis="x", visible=False)
    if ends:
        label_ends(axes, ends, x=1.03)
    return figure


@styled
def slope_chart(lines: pd.DataFrame, title: str, ylabel: str = "AUC (%)") -> plt.Figure:
    """A value of several things at each step, a line for each: where lines cross, the steps disagree.

    Parameters
    ----------
    lines : columns `line`, `x` (steps in the order of first sight), `value` (per cent), `marked` (drawn in
        colour and named at both ends; the others are thin, grey and without a name).

    >>> lines = pd.DataFrame({"line": ["a", "a"], "x": ["p", "q"], "value": [10.0, 30.0], "marked": True})
    >>> len(slope_chart(lines, "one").axes[0].lines)
    1
    """
    steps = first_seen(lines, "x")
    figure, axes = plt.subplots(figsize=(2.6 + 1.5 * len(steps), 4.4))
    table = lines.pivot_table(index="line", columns="x", values="value", sort=False)[steps]
    named = table[table.index.isin(lines.loc[lines["marked"], "line"])]
    colors = dict(zip(named.index, LINES * 3, strict=False))
    for line, row in table.iterrows():
        width = 2.2 if line in colors else 0.9
        axes.plot(range(len(row)), row, "o-", color=colors.get(line, FAINT), linewidth=width, markersize=4)
    gap = 0.045 * (table.max(axis=None) - table.min(axis=None))
    for step, x, align in ((steps[0], -0.08, "right"), (steps[-1], len(steps) - 0.92, "left")):
        labels = [(value, line, colors[line]) for line, value in named[step].items()]
        write_apart(axes, x, labels, gap, ha=align, fontsize=9)
    axes.set_xticks(range(len(steps)), steps)
    axes.set(xlim=(-0.9, len(steps) - 0.1), ylabel=ylabel, title=title)
    axes.grid(axis="x", visible=False)
    return figure


@styled
def reversal_chart(scores: pd.DataFrame, title: str) -> plt.Figure:
    """Macro-F1 of two models with and without one class: a panel for each source, a line for each run.

    Parameters
    ----------
    scores : columns `panel`, `model`, `run` (whatever tells runs apart), `with_class`, `without_class` (per
        cent); models in the order of first sight, in two looks by turns.

    >>> row = {"panel": "p", "model": "m", "run": 9, "with_class": 82.7, "without_class": 87.6}
    >>> reversal_chart(pd.DataFrame([row]), "one").axes[0].get_ylabel()
    'macro-F1 (%)'
    """
    columns, models = ["with_class", "without_class"], first_seen(scores, "model")
    looks = {model: (PAIR[number % 2], "os"[number % 2]) for number, model in enumerate(models)}
    figure, drawn = panels(scores, "panel", 0.8, 2.9, 3.9)
    for panel, axes, rows in drawn:
        for model, runs in rows.groupby("model", sort=False):
            color, marker = looks[model]
            alpha = 0.9 if len(runs) == 1 else 0.55
            look = {"color": color, "marker": marker, "markersize": 5, "linewidth": 1.4, "alpha": alpha}
            axes.plot([0, 1], runs[columns].T, **look)
        starts, ends = (rows.groupby("model", sort=False)[column].mean() for column in columns)
        labels = [(value, f"{model} {value:.1f}", looks[model][0]) for model, value in ends.items()]
        write_apart(axes, 1.08, labels, 0.8, fontweight="bold")
        labels = [(value, f"{value:.1f}", looks[model][0]) for model, value in starts.items()]
        write_apart(axes, -0.08, labels, 0.8, ha="right")
        axes.set_xticks([0, 1], ["all 18\nclasses", "17, without\nthe class"], fontsize=9)
        axes.set_xlim(-0.6, 1.75)
        axes.set_title(panel, fontsize=10)
        axes.grid(axis="x", visible=False)
    low, high = scores[columns].min().min(), scores["without_class"].max()
    drawn[0][1].set(ylabel="macro-F1 (%)", ylim=(low - 1.2, high + 1.2))
    headline(figure, title)
    return figure


@styled
def original_paired_chart(points: pd.DataFrame, title: str) -> plt.Figure:
    """Performance on the paired set B against that on the test set A, on equal axes; a panel for published
    and for ours.

    Parameters
    ----------
    points : columns `panel`, `name` (written beside the point), `source` (one of `SOURCES`), `a`, `b` (per
        cent), `a_sd`, `b_sd` (nan: no bar).

    >>> point = {"panel": "p", "name": "m", "source": "ours", "a": 80, "b": 40, "a_sd": 1.0, "b_sd": 2.0}
    >>> [text.get_text() for text in original_paired_chart(pd.DataFrame([point]), "one").axes[0].texts]
    ['m', 'A = B']
    """
    figure, drawn = panels(points, "panel", 0.2, 4.0, 3.9)
    line = {"arrowstyle": "-", "color": "#b5b5b5", "linewidth": 0.7, "shrinkA": 1, "shrinkB": 3}
    name = {"fontsize": 8, "ha": "left", "va": "center", "arrowprops": line, "annotation_clip": False}
    for panel, axes, rows in drawn:
        for row, height in zip(rows.itertuples(), spread_labels(list(rows["b"]), 5.4), strict=True):
            look = {"linestyle": "none", "linewidth": 1.0, "markersize": 5.5} | SOURCES[row.source]
            axes.errorbar(row.a, row.b, xerr=row.a_sd, yerr=row.b_sd, **look)
            axes.annotate(row.name, (row.a, row.b), (103, height), color=ink(look["color"]), **name)
        axes.plot([0, 100], [0, 100], color="#666666", linewidth=1, linestyle="--", zorder=0)
        axes.annotate("A = B", (30, 30), (4, -10), textcoords="offset points", fontsize=8, color="#555555")
        axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
        axes.set_xlabel("A: official macro-F1 on the test set (%)")
        axes.set_title(panel, fontsize=10)
    drawn[0][1].set_ylabel("B: on the paired set (%)")
    headline(figure, title)
    return figure


@styled
def reliability_chart(bins: pd.DataFrame, title: str) -> plt.Figure:
    """How often answers are right, by how sure the system said it was; on the line it would be right.

    Parameters
    ----------
    bins : columns `n`, `confidence`, `accuracy` (fractions), of bins that hold answers; the area of a dot is
        the share of the answers.

    >>> bins = pd.DataFrame({"n": [9, 1], "confidence": [0.8, 0.5], "accuracy": [0.4, 0.5]})
    >>> reliability_chart(bins, "one").axes[0].get_xlabel()
    'stated confidence (%)'
    """
    figure, axes = plt.subplots(figsize=(4.6, 4.0))
    axes.plot([0, 100], [0, 100], color=QUIET, linewidth=1)
    axes.annotate("as often right as stated", (33, 36), rotation=45, rotation_mode="anchor", fontsize=9)
    right, stated = 100 * bins["accuracy"], 100 * bins["confidence"]
    axes.vlines(stated, right, stated, color=BLUE, linewidth=1, alpha=0.5)
    axes.scatter(stated, right, s=20 + 400 * bins["n"] / bins["n"].sum(), color=BLUE)
    for n, x, y in zip(bins["n"], stated, right, strict=True):
        axes.annotate(f"{n:,}", (x, y), (0, -16), textcoords="offset points", ha="center", fontsize=8)
    axes.set(xlim=(0, 104), ylim=(0, 104), xlabel="stated confidence (%)", ylabel="right (%)")
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
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.9), width_ratios=(1.35, 1))
    _draw_lead(left, lead)
    models, sets = first_seen(direction, "model"), first_seen(direction, "set")
    for number, (kind, color) in enumerate(zip(sets, (BLUE, ORANGE), strict=True)):
        runs = direction[direction["set"] == kind]
        rows = runs.groupby("model")[["value", "low", "high"]].mean().loc[models]
        x = np.arange(len(models)) + 0.36 * (number - 0.5)
        bars = right.bar(x, rows["value"], width=0.34, color=color, label=kind)
        ends = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
        look = {"fmt": "none", "ecolor": "black", "capsize": 4, "linewidth": 1.2}
        right.errorbar(x - 0.11, rows["value"], yerr=ends, **look)
        right.bar_label(bars, fmt="%.0f", fontsize=10, fontweight="bold", padding=6)
        for middle, model in zip(x, models, strict=True):
            values = runs.loc[runs["model"] == model, "value"]
            look = {"s": 9, "color": "white", "edgecolor": "black", "linewidth": 0.6, "zorder": 3}
            right.scatter(middle + np.linspace(-0.05, 0.13, len(values)), values, **look)
    right.set_xticks(range(len(models)), models)
    right.set(ylabel="official macro-F1, 9 relations (%)", ylim=(0, 116))
    right.grid(axis="x", visible=False)
    right.set_title("Right about a sentence, wrong about\nthe same one with entities exchanged", fontsize=11)
    right.legend(fontsize=8, ncols=2, loc="upper center")
    return figure


def _draw_lead(axes: Axes, lead: pd.DataFrame) -> None:
    """By how much the first system leads under each scheme, with intervals."""
    axes.axhline(0, color="black", linewidth=1)
    for x, row in enumerate(lead.itertuples()):
        color = PAIR[int(row.difference < 0)] if row.low > 0 or row.high < 0 else QUIET
        ends = [[row.difference - row.low], [row.high - row.difference]]
        look = {"fmt": "o", "color": color, "capsize": 4, "markersize": 7, "linewidth": 2}
        axes.errorbar(x, row.difference, yerr=ends, **look)
        scores = f"{row.score_first:.1f}\n{row.score_second:.1f}"
        axes.text(x + 0.12, row.difference, scores, va="center", fontsize=8)
    reach = 1.35 * lead[["low", "high"]].abs().to_numpy().max()
    axes.set(ylim=(-reach, reach), xlim=(-0.5, len(lead) - 0.3), ylabel="difference of F1 (points)")
    names = lead[["first", "second"]].iloc[0]
    for y, name, va, color in zip((0.98, 0.02), names, ("top", "bottom"), PAIR, strict=True):
        words = {"va": va, "ha": "center", "fontsize": 9, "fontweight": "bold", "color": ink(color)}
        axes.text(0.5, y, f"{name} leads", transform=axes.transAxes, **words)
    axes.set_xticks(range(len(lead)), lead["scheme"])
    axes.grid(axis="x", visible=False)
    axes.set_title("Same predictions: the better system\ndepends on the scheme", fontsize=11)
