"""Figures of multi-label classifiers: rare labels, F1 along the weights n^α, gains by scheme, time and space.

All numbers come ready-made; none is computed here but means within bins of labels.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import NullFormatter

from .parts import alpha_axis, first_seen, headline, legend_below, name_rows, scheme_bars, spread_labels
from .style import BLUE, PALETTE, styled

_UP, _DOWN, _SAME = BLUE, PALETTE[3], "#8a8a8a"

_MODELS = {
    "1vsrest": (PALETTE[7], "o"),
    "thresholding": (PALETTE[0], "s"),
    "thresholding scut-fbr": (PALETTE[9], "v"),
    "cost_sensitive": (PALETTE[3], "D"),
    "cost_sensitive_micro": (PALETTE[1], "^"),
    "tree": (PALETTE[2], "X"),
    "binary_and_multiclass": (PALETTE[4], "P"),
}
"""A technique has one colour and one marker in every figure."""
BINS = (0, 2, 5, 10, 20, 50, 100, 1_000_000)
"""Upper ends of the bins of support over which `rare_labels_chart` takes means, both ends as (a, b]."""


def look_of(model: str) -> dict[str, str]:
    """Colour and marker of a technique; words after its name do not count where they are unknown.

    >>> look_of("1vsrest") == look_of("1vsrest without bias"), look_of("mine")["marker"]
    (True, '.')
    """
    color, marker = _MODELS.get(model) or _MODELS.get(model.split(" ")[0]) or ("#444444", ".")
    return {"color": color, "marker": marker}


@styled
def rare_labels_chart(labels: pd.DataFrame, base: str, title: str) -> plt.Figure:
    """F1 of each label under one model and under others, against the number of its training documents.

    Parameters
    ----------
    labels : one row a label: `train` (documents, above 0), then one column a model with F1 in per cent.
        base : the model where the arrows start; a panel for each of the others.

    An arrow is a label, up in blue, down in red; a grey dot has not changed. Labels of equal support stand
    side by side. The lines are means over the labels of a bin: dashed for the base, full for the other model.

    >>> labels = pd.DataFrame({"train": [1, 50], "a": [0.0, 80.0], "b": [40.0, 79.0]})
    >>> rare_labels_chart(labels, "a", "two").axes[0].get_title(loc="left")
    'b'
    """
    others = [name for name in labels.columns if name not in ("label", "train", "test", base)]
    size = (1 + 3.9 * len(others), 4.1)
    figure, found = plt.subplots(1, len(others), figsize=size, sharey=True, squeeze=False)
    ordered = labels.sort_values("train", kind="stable")
    x = _beside(ordered["train"].to_numpy(dtype=float))
    for axes, other in zip(found[0], others, strict=True):
        for place, start, end in zip(x, ordered[base], ordered[other], strict=True):
            _draw_change(axes, place, start, end)
        for model, style in ((base, "--"), (other, "-")):
            edges, means = _binned(ordered["train"], ordered[model])
            axes.stairs(means, edges, baseline=None, color="black", linestyle=style, linewidth=1.5, zorder=4)
        axes.set(xscale="log", xlabel="training documents of the label", ylim=(-4, 104))
        axes.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_title(other, fontsize=10)
    found[0][0].set_ylabel("F1 of the label on the test documents (%)")
    headline(figure, title)
    words = ((_UP, "-", "gains"), (_DOWN, "-", "loses"), ("black", "--", f"mean, {base}"))
    for color, style, word in (*words, ("black", "-", "mean, the model of the panel")):
        found[0][0].plot([], [], color=color, linestyle=style, label=word)
    found[0][0].plot([], [], "o", color=_SAME, markersize=3, label="has not moved")
    legend_below(figure, found[0][0], 5)
    return figure


def _beside(support: np.ndarray) -> np.ndarray:
    """Places on a logarithmic axis: sorted supports, equal ones moved apart."""
    values, counts = np.unique(support, return_counts=True)
    reach = np.minimum(0.35, 0.02 * counts)
    places = [
        value * np.exp(np.linspace(-one, one, count) if count > 1 else np.zeros(1))
        for value, count, one in zip(values, counts, reach, strict=True)
    ]
    return np.concatenate(places)


def _draw_change(axes: Axes, place: float, start: float, end: float) -> None:
    if abs(end - start) < 0.05:
        axes.plot(place, end, "o", color=_SAME, markersize=2.6, zorder=2)
        return
    arrow = {"arrowstyle": "-|>,head_width=0.16,head_length=0.28", "shrinkA": 0, "shrinkB": 0}
    arrow |= {"linewidth": 1.1, "alpha": 0.75, "color": _UP if end > start else _DOWN}
    axes.annotate("", (place, end), (place, start), arrowprops=arrow, zorder=3)


def _binned(support: pd.Series, scores: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Ends of the bins that hold labels, and the mean score in each."""
    bins = pd.cut(support, BINS, labels=False)
    means = scores.groupby(bins.to_numpy()).mean()
    ends = np.array(BINS, dtype=float)
    ends[0], ends[-1] = 0.65, support.max() * 1.4
    used = means.index.astype(int)
    return np.append(ends[used], ends[used[-1] + 1]), means.to_numpy()


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
    curves = list(spectrum.groupby("model", sort=False))
    starts = [curve["value"].iloc[0] for _, curve in curves]
    least = 0.042 * (spectrum["value"].max() - spectrum["value"].min() + 2)
    for (model, curve), place in zip(curves, spread_labels(starts, least), strict=True):
        look = look_of(model)
        axes.plot(curve["alpha"], curve["value"], linewidth=1.8, markevery=5, markersize=5, **look)
        axes.annotate(
            f"{model} {curve['value'].iloc[0]:.1f}", (-0.02, place), ha="right", va="center", fontsize=8,
            color=look["color"], annotation_clip=False,
        )  # fmt: skip
    alpha_axis(axes, title)
    axes.set_xlim(-0.52, 1.03)
    axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
    return figure


@styled
def gains_chart(gains: pd.DataFrame, title: str) -> plt.Figure:
    """By how much one model leads another under each scheme, with paired bootstrap intervals.

    Parameters
    ----------
    gains : columns `model`, `scheme`, `difference`, `low`, `high` (points); one row of dots a model.

    >>> row = {"model": "m", "scheme": "micro", "difference": 1.0, "low": -0.5, "high": 2.5}
    >>> gains_chart(pd.DataFrame([row]), "one").axes[0].get_yticklabels()[0].get_text()
    'm'
    """
    models = first_seen(gains, "model")
    figure, axes = plt.subplots(figsize=(7.2, 1.4 + 0.62 * len(models)))
    scheme_bars(axes, gains, "difference", 0.15, markersize=5, linewidth=1.3)
    axes.axvline(0, color="black", linewidth=0.8)
    name_rows(axes, models, fontsize=9)
    axes.set(xlabel="points of F1, bar: 95 % paired bootstrap interval", title=title)
    axes.grid(axis="y", visible=False)
    legend_below(figure, axes, gains["scheme"].nunique())
    return figure


@styled
def costs_chart(costs: pd.DataFrame, title: str) -> plt.Figure:
    """Measured seconds by those expected, in two ways of expecting; and bytes of weights, claimed and kept.

    Parameters
    ----------
    costs : one row a model on a data set: `dataset`, `model`, `seconds`, `problems` (solved), `whole` (what
        they are worth in problems on all documents), `one` (seconds of one problem of 1vsrest), `bytes`,
        `claimed` (8·n·L), `not_zero` (bytes of the weights that are not 0). 1vsrest, by which seconds are
        expected, is not drawn on the left; on the right only the models that keep other bytes than 1vsrest.

    >>> row = {"dataset": "d", "model": "m", "seconds": 9.0, "problems": 4, "whole": 3, "one": 3.0}
    >>> figure = costs_chart(pd.DataFrame([row | {"bytes": 8e6, "claimed": 8e6, "not_zero": 2e6}]), "one")
    >>> [axes.get_yticklabels()[0].get_text() for axes in figure.axes]
    ['m, d', 'm, d']
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.4, 4.3), width_ratios=[1.45, 1])
    _draw_seconds(left, costs[costs["model"] != "1vsrest"])
    dense = costs["model"].ne("1vsrest") & costs["bytes"].eq(costs["claimed"])
    _draw_bytes(right, costs if dense.all() else costs[~dense])
    headline(figure, title)
    return figure


def _draw_seconds(axes: Axes, costs: pd.DataFrame) -> None:
    rows = range(len(costs))
    ratios = {way: costs["seconds"] / (costs[way] * costs["one"]) for way in ("problems", "whole")}
    axes.hlines(rows, ratios["problems"], ratios["whole"], color="#bbbbbb", linewidth=1.5, zorder=1)
    look = {"color": BLUE, "markersize": 6.5, "markeredgewidth": 1.4}
    words = "by the number of problems"
    axes.plot(ratios["problems"], rows, "D", markerfacecolor="white", label=words, **look)
    axes.plot(ratios["whole"], rows, "o", label="by their documents", **look)
    axes.axvline(1, color="black", linewidth=1)
    name_rows(axes, costs["model"] + ", " + costs["dataset"])
    axes.set_xlabel("seconds measured / seconds expected")
    axes.set_xlim(0, max(1.25, 1.1 * max(ratio.max() for ratio in ratios.values())))
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.16), ncols=2, fontsize=8)
    axes.set_title("time", fontsize=10)
    axes.grid(axis="y", visible=False)


def _draw_bytes(axes: Axes, costs: pd.DataFrame) -> None:
    rows = np.arange(len(costs))
    axes.barh(rows, costs["bytes"] / 1e6, height=0.55, color="#b9d3e6", label="kept")
    axes.barh(rows, costs["not_zero"] / 1e6, height=0.55, color=BLUE, label="not 0")
    for row, claimed in zip(rows, costs["claimed"] / 1e6, strict=True):
        axes.plot([claimed] * 2, [row - 0.4, row + 0.4], color="black", linewidth=2)
    axes.plot([], [], color="black", linewidth=2, label="8 · n · L")
    name_rows(axes, costs["model"] + ", " + costs["dataset"])
    axes.set_xlabel("megabytes of weights")
    axes.legend(loc="upper center", bbox_to_anchor=(0.45, -0.16), ncols=3, fontsize=8)
    axes.set_title("space", fontsize=10)
    axes.grid(axis="y", visible=False)
