"""Figures of multi-label classifiers: rare labels, F1 along the weights n^α, gains by scheme, time and space.

All numbers come ready-made; none is computed here but means of groups of labels.
"""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from .parts import alpha_axis, first_seen, headline, legend_below, name_rows, scheme_bars, spread_labels
from .style import BLUE, PALETTE, QUIET, ink, styled

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


def look_of(model: str) -> dict[str, str]:
    """Colour and marker of a technique; words after its name do not count where they are unknown.

    >>> look_of("1vsrest") == look_of("1vsrest without bias"), look_of("mine")["marker"]
    (True, '.')
    """
    color, marker = _MODELS.get(model) or _MODELS.get(model.split(" ")[0]) or ("#444444", ".")
    return {"color": color, "marker": marker}


@styled
def support_groups_chart(labels: pd.DataFrame, title: str) -> plt.Figure:
    """F1 of each label under some models: a panel for each group of labels, a column of dots for each model.

    Parameters
    ----------
    labels : columns `label`, `train` (training documents), `group` (text), `model`, `f1` (per cent). Groups
        stand in the order of their smallest support, models in that of first sight. A line and a number are
        the mean of the group.

    >>> row = {"label": "a", "train": 1, "group": "1 to 5", "model": "m", "f1": 40.0}
    >>> axes = support_groups_chart(pd.DataFrame([row]), "one").axes[0]
    >>> axes.get_title("left").splitlines(), [text.get_text() for text in axes.texts]
    (['1 to 5', '1 labels'], ['40'])
    """
    ordered = labels.sort_values("train", kind="stable")
    groups, models = first_seen(ordered, "group"), first_seen(labels, "model")
    size = (0.7 + 0.62 * len(groups) * len(models), 3.7)
    figure, found = plt.subplots(1, len(groups), figsize=size, sharey=True, squeeze=False)
    for axes, group in zip(found[0], groups, strict=True):
        here = ordered[ordered["group"] == group]
        for place, model in enumerate(models):
            own, look = here[here["model"] == model], look_of(model)
            at = place + 0.3 * _spread(len(own))
            axes.plot(at, own["f1"], linestyle="none", markersize=3.4, alpha=0.55, **look)
            mean = own["f1"].mean()
            axes.plot([place - 0.36, place + 0.36], [mean, mean], color="black", linewidth=2)
            axes.annotate(
                f"{mean:.0f}", (place, mean), (0, 4), textcoords="offset points", ha="center", fontsize=9,
                fontweight="bold", bbox={"facecolor": "white", "edgecolor": "none", "alpha": 1, "pad": 0.4},
            )  # fmt: skip
        axes.set_xticks(range(len(models)), [name.replace("_", "\n") for name in models], fontsize=7)
        axes.set(xlim=(-0.6, len(models) - 0.4), ylim=(-4, 104))
        axes.set_title(f"{group}\n{here['label'].nunique()} labels", fontsize=10)
        axes.grid(axis="x", visible=False)
    found[0][0].set_ylabel("F1 of the label (%)")
    words = "by number of training documents; line: mean of the group"
    found[0][len(groups) // 2].set_xlabel(words, fontsize=9)
    headline(figure, title)
    return figure


def _spread(n: int) -> np.ndarray:
    """n places between −1 and 1 that look scattered, always the same ones."""
    return 2 * ((np.arange(n) * 0.618034) % 1) - 1 if n > 1 else np.zeros(n)


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
            color=ink(look["color"]), annotation_clip=False,
        )  # fmt: skip
    ends = [curve["value"].iloc[-1] for _, curve in curves]
    places = spread_labels(ends, least)
    above = max(places) - max(ends)  # would stand on the names of the schemes
    for (model, _), end, place in zip(curves, ends, np.subtract(places, above), strict=True):
        color = ink(look_of(model)["color"])
        axes.annotate(
            f"{end:.1f}", (1.02, place), va="center", fontsize=8, color=color, annotation_clip=False
        )
    alpha_axis(axes, title)
    axes.set_xlim(-0.52, 1.15)
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
    axes.set(xlabel="points of F1, bar: 95 % paired bootstrap interval")
    headline(figure, title)
    axes.grid(axis="y", visible=False)
    legend_below(figure, axes, gains["scheme"].nunique())
    return figure


@styled
def seconds_chart(costs: pd.DataFrame, title: str) -> plt.Figure:
    """Measured seconds by those expected, in two ways of expecting.

    Parameters
    ----------
    costs : one row a model on a data set: `dataset`, `model`, `seconds`, `problems` (solved), `whole` (what
        they are worth in problems on all documents), `one` (seconds of one problem of 1vsrest). 1vsrest, by
        which seconds are expected, is not drawn.

    >>> row = {"dataset": "d", "model": "m", "seconds": 9.0, "problems": 4, "whole": 3, "one": 3.0}
    >>> seconds_chart(pd.DataFrame([row]), "one").axes[0].get_yticklabels()[0].get_text()
    'm, d'
    """
    costs = costs[costs["model"] != "1vsrest"]
    rows = range(len(costs))
    ratios = {way: costs["seconds"] / (costs[way] * costs["one"]) for way in ("problems", "whole")}
    figure, axes = plt.subplots(figsize=(6.6, 1.6 + 0.28 * len(costs)))
    axes.hlines(rows, ratios["problems"], ratios["whole"], color=QUIET, linewidth=1.6, zorder=1)
    look = {"color": BLUE, "markersize": 6.5, "markeredgewidth": 1.4}
    words = "expected by the number of problems"
    axes.plot(ratios["problems"], rows, "D", markerfacecolor="white", label=words, **look)
    axes.plot(ratios["whole"], rows, "o", label="by their documents, too", **look)
    axes.axvline(1, color="black", linewidth=1)
    name_rows(axes, costs["model"] + ", " + costs["dataset"])
    axes.set_xlabel("seconds measured / seconds expected")
    axes.set_xlim(0, max(1.25, 1.1 * max(ratio.max() for ratio in ratios.values())))
    axes.grid(axis="y", visible=False)
    headline(figure, title)
    legend_below(figure, axes, 2)
    return figure
