"""Figures of the weighting schemes: what a class weighs, and how α moves between the extremes."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from .style import SCHEME_COLORS, SCHEME_MARKERS, styled


@styled
def class_weights_chart(weights: pd.DataFrame, title: str) -> plt.Figure:
    """Figure 1 of Harbecke et al. 2022: what each class weighs under each scheme.

    Parameters
    ----------
    weights : one row a class, largest first: `relation`, `support`, then one column of normalised weights for
        each scheme. The lower axis is the weight, the upper one the number of samples (it fits *weighted*).
    title : what the classes are from.

    Returns
    -------
    The figure; a class is a row, a scheme a marker.

    >>> frame = pd.DataFrame({"relation": ["a", "b"], "support": [3, 1], "weighted": [0.75, 0.25]})
    >>> [text.get_text() for text in class_weights_chart(frame, "two").axes[0].get_yticklabels()]
    ['a (3)', 'b (1)']
    """
    figure, axes = plt.subplots(figsize=(7.5, 1.6 + 0.19 * len(weights)))
    rows = range(len(weights))
    for scheme in weights.columns.drop(["relation", "support"]):
        axes.plot(weights[scheme], rows, linewidth=0.9, markersize=4.5, label=scheme, **_look(scheme))
    names = [f"{name} ({n})" for name, n in zip(weights["relation"], weights["support"], strict=True)]
    axes.set_yticks(rows, names, fontsize=8)
    axes.set(xlabel="normalised weight", title=title, ylim=(len(weights) - 0.4, -0.6), xlim=(0, None))
    _count_axis(axes, weights["support"].sum())
    axes.legend(loc="lower right")
    return figure


def _count_axis(axes: Axes, total: int) -> None:
    upper = axes.secondary_xaxis(
        "top", functions=(lambda weight: weight * total, lambda count: count / total)
    )
    upper.set_xlabel("samples (for weighted)", fontsize=8)
    upper.tick_params(labelsize=8)


def _look(scheme: str) -> dict[str, str]:
    return {"color": SCHEME_COLORS.get(scheme, "#444444"), "marker": SCHEME_MARKERS.get(scheme, ".")}


@styled
def effective_classes_chart(spectrum: pd.DataFrame, schemes: pd.DataFrame) -> plt.Figure:
    """How many classes a scheme really looks at: 2^entropy of its weights, along the family n^α.

    Parameters
    ----------
    spectrum : columns `dataset`, `alpha`, `effective_classes`. schemes : `dataset`, `scheme`, `alpha` (empty
        where the scheme is none of the family) and `effective_classes`; drawn as markers.

    >>> spectrum = pd.DataFrame({"dataset": "d", "alpha": [0, 1], "effective_classes": [2, 1.8]})
    >>> macro = {"dataset": "d", "scheme": "macro", "alpha": 0, "effective_classes": 2}
    >>> effective_classes_chart(spectrum, pd.DataFrame([macro])).axes[0].get_xlabel()
    'α of the weights n^α'
    """
    figure, axes = plt.subplots(figsize=(7, 3.6))
    for dataset, curve in spectrum.groupby("dataset", sort=False):
        (line,) = axes.plot(curve["alpha"], curve["effective_classes"], linewidth=1.6, label=dataset)
        for scheme in schemes[schemes["dataset"] == dataset].dropna(subset="alpha").itertuples():
            look = _look(scheme.scheme) | {"color": line.get_color()}
            axes.plot(scheme.alpha, scheme.effective_classes, markersize=7, **look)
    for name, alpha in (("macro", 0), ("dodrans", 0.75), ("weighted", 1)):
        axes.axvline(alpha, color="#999999", linewidth=0.8, zorder=1)
        axes.text(alpha, 1.01, name, transform=axes.get_xaxis_transform(), ha="center", fontsize=8)
    axes.set(xlabel="α of the weights n^α", ylabel="2^entropy of the weights", ylim=(0, None))
    axes.set_title("How many classes does a score look at?", pad=18)
    axes.legend(fontsize=8, ncols=2)
    return figure
