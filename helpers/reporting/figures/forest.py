"""Published numbers beside ours, run by run: one row a model, one panel a score."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from .parts import first_seen, headline, name_rows
from .style import BLUE, ORANGE, QUIET, styled

_ROW, _PANEL = 0.34, 2.3  # inches


@styled
def forest_chart(numbers: pd.DataFrame, title: str, xlabel: str = "per cent") -> plt.Figure:
    """Published | ours, with every run: a forest plot.

    Parameters
    ----------
    numbers : one number a row, rows and panels in the order of first sight: `panel` (what is measured), `row`
        (model), `source` ('published' or 'ours'), `value`. All rows of 'ours' are drawn as small dots, their
        mean as a large one, with a line to the published number. What is missing is not drawn, and a row
        without any number of ours says "no runs".
    title : the finding. xlabel : unit of the values.

    >>> numbers = pd.DataFrame({"panel": "A", "row": "EM-C", "source": ["published", "ours", "ours"],
    ...                         "value": [81.27, 84.7, 85.2]})
    >>> axes = forest_chart(numbers, "one").axes[0]
    >>> axes.get_title(loc="left"), [text.get_text() for text in axes.get_yticklabels()]
    ('A', ['EM-C'])
    """
    rows, names = first_seen(numbers, "row"), first_seen(numbers, "panel")
    size = (1.5 + min(max(4.0, _PANEL * len(names)), 8.0), 1.3 + _ROW * len(rows))
    figure, panels = plt.subplots(1, len(names), figsize=size, sharey=True, squeeze=False)
    for name, axes in zip(names, panels[0], strict=True):
        here = numbers[numbers["panel"] == name].dropna(subset="value")
        for y, row in enumerate(rows):
            _draw_row(axes, y, here[here["row"] == row])
        name_rows(axes, rows, fontsize=9)
        axes.set_title(name, fontsize=10)
        axes.set_xlabel(xlabel)
        if here["value"].min() < 0 < here["value"].max():  # differences
            axes.axvline(0, color="black", linewidth=0.8)
        axes.margins(x=0.12)
        axes.grid(axis="y", visible=False)
    _legend(figure)
    headline(figure, title)
    return figure


def _draw_row(axes: Axes, y: int, numbers: pd.DataFrame) -> None:
    ours = numbers.loc[numbers["source"] == "ours", "value"]
    published = numbers.loc[numbers["source"] == "published", "value"]
    if len(ours) and len(published):
        axes.plot([published.iloc[0], ours.mean()], [y, y], color=QUIET, linewidth=1.2, zorder=1)
    axes.plot(published, [y] * len(published), "D", **_LOOKS["published"])
    axes.plot(ours, [y] * len(ours), "o", **_LOOKS["each run"])
    if len(ours):
        axes.plot(ours.mean(), y, "o", **_LOOKS["mean of the runs"])
    elif len(published):
        words = {"xytext": (8, 0), "textcoords": "offset points", "va": "center", "fontsize": 7}
        axes.annotate("no runs", (published.iloc[0], y), **words)


_LOOKS = {
    "published": {"color": ORANGE, "markerfacecolor": "white", "markersize": 7, "markeredgewidth": 1.8},
    "mean of the runs": {"color": BLUE, "markersize": 7.5, "zorder": 3},
    "each run": {"color": BLUE, "markersize": 3.5, "markerfacecolor": "white", "zorder": 4},
}


def _legend(figure: plt.Figure) -> None:
    marks = {"published": "D"}
    handles = [
        plt.Line2D([], [], linestyle="", marker=marks.get(n, "o"), **look) for n, look in _LOOKS.items()
    ]
    figure.legend(handles, list(_LOOKS), ncols=3, loc="outside lower center", fontsize=8)
