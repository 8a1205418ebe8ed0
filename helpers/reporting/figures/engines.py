"""Figures of what counting costs, by the number of predictions and by what counts them."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.ticker import FuncFormatter

from .parts import first_seen, headline
from .style import PALETTE, QUIET, styled

_MARKERS = "osD^vP"
_UNITS = {"seconds": "seconds", "resident_gib": "peak of resident memory, GiB"}


@styled
def counting_cost_chart(costs: pd.DataFrame, title: str) -> plt.Figure:
    """Seconds and peak memory of counting so many predictions; both axes logarithmic.

    Parameters
    ----------
    costs : one row a measurement: `engine`, `millions` (of rows), `seconds`, `resident_gib`. The thin line is
        the first engine's smallest measurement, were its cost proportional to the rows.

    >>> row = {"engine": "e", "millions": 1, "seconds": 0.1, "resident_gib": 0.2}
    >>> figure = counting_cost_chart(pd.DataFrame([row, row | {"millions": 10, "seconds": 1.0}]), "one")
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['seconds', 'peak of resident memory, GiB']
    """
    figure, panels = plt.subplots(1, 2, figsize=(9.4, 3.9))
    for axes, (column, unit) in zip(panels, _UNITS.items(), strict=True):
        for place, engine in enumerate(first_seen(costs, "engine")):
            own = costs[costs["engine"] == engine].sort_values("millions")
            look = {"color": PALETTE[place % len(PALETTE)], "marker": _MARKERS[place % len(_MARKERS)]}
            axes.plot(own["millions"], own[column], label=engine, linewidth=1.6, markersize=5, **look)
        axes.set(xscale="log", yscale="log", xlabel="million predictions", ylabel=unit)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    first = costs[costs["engine"] == costs["engine"].iloc[0]].sort_values("millions")
    start, rows = first.iloc[0], first["millions"]
    proportional = start["seconds"] / start["millions"] * rows
    panels[0].plot(rows, proportional, color=QUIET, linewidth=0.8, zorder=0)
    panels[1].axhline(2, color=QUIET, linewidth=0.8, zorder=0)
    panels[1].annotate(
        "2 GiB", (1, 2), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=8
    )
    panels[0].legend(fontsize=8)
    headline(figure, title)
    return figure
