"""Figures of the studies: settings of one model beside each other, and learning rates over the epochs."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from .parts import first_seen, headline, name_rows, panels
from .style import BLUE, PALETTE, styled


@styled
def settings_chart(points: pd.DataFrame, title: str) -> plt.Figure:
    """A row for each setting, a panel for each score: a dot for each seed, a line at their mean.

    Parameters
    ----------
    points : columns `setting`, `seed`, `score`, `value` (per cent); settings from the top and panels from the
        left in the order of first sight.

    >>> points = pd.DataFrame({"setting": "s", "seed": [9, 148], "score": "PPR", "value": [12.0, 14.0]})
    >>> [text.get_text() for text in settings_chart(points, "one").axes[0].texts]
    ['13']
    """
    settings, scores = first_seen(points, "setting"), first_seen(points, "score")
    size = (3.0 + 1.65 * len(scores), 1.1 + 0.36 * len(settings))
    figure, found = plt.subplots(1, len(scores), figsize=size, sharey=True, squeeze=False)
    for axes, score in zip(found[0], scores, strict=True):
        rows = points[points["score"] == score].dropna(subset="value")
        y = rows["setting"].map(settings.index)
        axes.plot(rows["value"], y, "o", color=BLUE, markersize=4.5, alpha=0.75)
        for place, mean in rows.groupby(y)["value"].mean().items():
            axes.plot([mean, mean], [place - 0.28, place + 0.28], color="black", linewidth=1.4)
            side = ("right", -1) if mean > 55 else ("left", 1)
            axes.annotate(
                f"{mean:.0f}", (mean, place), (9 * side[1], 0), textcoords="offset points", ha=side[0],
                va="center", fontsize=8,
            )  # fmt: skip
        name_rows(axes, settings, fontsize=8)
        axes.set(xlabel=f"{score} (%)", xlim=(-4, 104))
        axes.grid(axis="y", visible=False)
    headline(figure, title)
    return figure


@styled
def learning_rates_chart(scores: pd.DataFrame, title: str) -> plt.Figure:
    """A on held-out training data after each epoch: a panel for each model, a line for each learning rate.

    Parameters
    ----------
    scores : columns `model`, `learning_rate`, `epoch`, `value` (per cent).

    >>> scores = pd.DataFrame({"model": "m", "learning_rate": 1e-4, "epoch": [1, 2], "value": [70.0, 80.0]})
    >>> [text.get_text() for text in learning_rates_chart(scores, "one").axes[0].texts]
    ['0.0001']
    """
    figure, found = panels(scores, "model", 0.5, 2.0, 2.9)
    rates = sorted(scores["learning_rate"].unique())
    last = scores["epoch"].max()
    for model, axes, rows in found:
        for place, rate in enumerate(rates):
            own = rows[rows["learning_rate"] == rate].sort_values("epoch")
            if own.empty:
                continue
            look = {"color": PALETTE[(0, 3, 2, 4)[place % 4]], "marker": "os^D"[place % 4], "markersize": 4}
            axes.plot(own["epoch"], own["value"], linewidth=1.3, label=f"{rate:g}", **look)
            if len(found) == 1:
                axes.annotate(f"{rate:g}", (own["epoch"].iloc[-1], own["value"].iloc[-1]), fontsize=8)
        axes.set_title(model, fontsize=10)
        axes.set(xlabel="epoch", xlim=(0.7, last + 0.3), xticks=range(1, last + 1))
    found[0][1].set_ylabel("A, held-out tenth (%)")
    if len(found) > 1:  # a model may lack a rate: each one is taken from the panel that has it
        handles = {line.get_label(): line for _, axes, _ in found for line in axes.get_lines()}
        names = sorted(handles, key=float)
        look = {"title": "learning rate", "fontsize": 8, "title_fontsize": 8, "loc": "lower right"}
        found[-1][1].legend([handles[name] for name in names], names, **look)
    headline(figure, title)
    return figure
