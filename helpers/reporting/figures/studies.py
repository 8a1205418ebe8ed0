"""Figures of the studies: settings of one model beside each other."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd

from .parts import first_seen, headline, name_rows
from .style import BLUE, styled


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
