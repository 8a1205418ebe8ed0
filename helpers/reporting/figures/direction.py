"""Figures of relation direction: A against B, PIR and PPR, what happens to each relation, epoch by epoch."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from .seeds import spread
from .style import styled

_COLORS = sns.color_palette("colorblind").as_hex()
_OURS, _BASE, _LARGE = _COLORS[0], _COLORS[1], _COLORS[3]
_LOOKS = {
    "ours": {"color": _OURS, "marker": "o"},
    "published, base": {"color": _BASE, "marker": "D", "markerfacecolor": "white"},
    "published, large": {"color": _LARGE, "marker": "s", "markerfacecolor": "white"},
    "published, other": {"color": "#555555", "marker": "^", "markerfacecolor": "white"},
}
"""Where a number is from; 'other' is a model without BERT."""


@styled
def a_against_b_chart(points: pd.DataFrame, title: str) -> plt.Figure:
    """Performance on the paired set B against that on the test set A; a panel for published and for ours.

    Parameters
    ----------
    points : columns `panel`, `name` (written beside the point), `source` ('ours', 'published, base',
        'published, large' or 'published, other'), `a`, `b` (per cent), `a_sd`, `b_sd` (nan: no bar).

    >>> point = {"panel": "p", "name": "m", "source": "ours", "a": 80, "b": 40, "a_sd": 1.0, "b_sd": 2.0}
    >>> [text.get_text() for text in a_against_b_chart(pd.DataFrame([point]), "one").axes[0].texts]
    ['m', 'A = B']
    """
    panels = list(dict.fromkeys(points["panel"]))
    figure, found = plt.subplots(
        1, len(panels), figsize=(0.6 + 4.4 * len(panels), 4.8), sharey=True, squeeze=False
    )
    low = points["a"].min() // 5 * 5 - 3
    right = points["a"].max() + 2
    for axes, panel in zip(found[0], panels, strict=True):
        rows = points[points["panel"] == panel]
        for row in rows.itertuples():
            bars = {"xerr": row.a_sd, "yerr": row.b_sd, "linewidth": 1.0, "markersize": 6}
            axes.errorbar(row.a, row.b, linestyle="none", **bars, **_LOOKS[row.source])
        _name_points(axes, rows, right)
        axes.plot([low, right], [low, right], color="#777777", linewidth=1, linestyle="--", zorder=0)
        axes.annotate("A = B", (low, low), (16, -2), textcoords="offset points", fontsize=8, color="#555555")
        axes.set(xlim=(low, right + 0.46 * (right - low)), ylim=(-4, 102))
        axes.set(xlabel="A: official macro-F1 on the test set (%)")
        axes.set_xticks([tick for tick in range(0, 101, 10) if low <= tick <= right])
        axes.set_title(panel, fontsize=10)
    found[0][0].set_ylabel("B: on the paired set (%)")
    figure.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
    return figure


def _name_points(axes: Axes, rows: pd.DataFrame, right: float) -> None:
    """Names in a column at the right, near the height of their points, tied to them by a thin line."""
    for row, place in zip(rows.itertuples(), spread(list(rows["b"]), 4.8), strict=True):
        line = {"arrowstyle": "-", "color": "#b5b5b5", "linewidth": 0.7, "shrinkA": 1, "shrinkB": 3}
        axes.annotate(
            row.name, (row.a, row.b), (right + 1.5, place), fontsize=8, ha="left", va="center",
            arrowprops=line, color=_LOOKS[row.source]["color"],
        )  # fmt: skip


@styled
def rates_chart(rates: pd.DataFrame, title: str) -> plt.Figure:
    """PIR and PPR of each model, a panel for each: ours with its interval, published ones beside it.

    Parameters
    ----------
    rates : columns `model`, `source` (see `a_against_b_chart`), `metric` ('pir' or 'ppr'), `value`, `low`,
        `high` (per cent; nan: no interval); models in the order of first sight, from the top.

    >>> rate = {"model": "m", "source": "ours", "metric": "ppr", "value": 34, "low": 32, "high": 36}
    >>> len(rates_chart(pd.DataFrame([rate]), "one").axes)
    2
    """
    models = list(dict.fromkeys(rates["model"]))
    figure, found = plt.subplots(1, 2, figsize=(8.6, 1.7 + 0.36 * len(models)), sharey=True)
    words = {"pir": "PIR (%), small is good: did not move", "ppr": "PPR (%), large is good: right on both"}
    for axes, (metric, label) in zip(found, words.items(), strict=True):
        rows = rates[rates["metric"] == metric]
        for place, source in enumerate(_LOOKS):
            own = rows[rows["source"] == source]
            y = own["model"].map(models.index).astype(float) + 0.22 * (min(place, 2) - 1)
            reach = [own["value"] - own["low"], own["high"] - own["value"]]
            look = {"linestyle": "none", "markersize": 5.5, "linewidth": 1.2, "label": source}
            axes.errorbar(own["value"], y, xerr=reach, **look, **_LOOKS[source])
        axes.set(xlabel=label, xlim=(-4, 104), ylim=(len(models) - 0.4, -0.6))
        axes.set_yticks(range(len(models)), models, fontsize=9)
        for row in range(1, len(models), 2):
            axes.axhspan(row - 0.5, row + 0.5, color="#f5f5f5", zorder=0)
        axes.grid(axis="y", visible=False)
    figure.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
    figure.legend(*axes.get_legend_handles_labels(), ncols=4, loc="outside lower center", fontsize=8)
    return figure


@styled
def moves_heatmap(moves: pd.DataFrame, kinds: dict[str, str], title: str) -> plt.Figure:
    """What each model does with each relation: a panel for each kind of share, per cent.

    Parameters
    ----------
    moves : columns `model`, `relation`, `n`, and a column (per cent) for each key of `kinds`; models and
        relations in the order of first sight. kinds : column → heading of its panel.

    >>> moves = pd.DataFrame({"model": ["m"], "relation": ["r"], "n": [4], "still": [25.0]})
    >>> [text.get_text() for text in moves_heatmap(moves, {"still": "did not move"}, "one").axes[0].texts]
    ['25']
    """
    models, relations = (list(dict.fromkeys(moves[name])) for name in ("model", "relation"))
    size = (2.6 + 0.46 * len(models), 1.3 + (0.45 + 0.24 * len(relations)) * len(kinds))
    figure, found = plt.subplots(len(kinds), 1, figsize=size, sharex=True, squeeze=False)
    support = moves.groupby("relation", sort=False)["n"].first()
    names = [f"{name} ({support[name]:.0f})" for name in relations]
    for axes, (kind, heading) in zip(found[:, 0], kinds.items(), strict=True):
        wide = moves.pivot(index="relation", columns="model", values=kind).loc[relations, models]
        look = {"cmap": "cividis", "vmin": 0, "vmax": 100, "cbar": False, "linewidths": 0.5}
        sns.heatmap(wide, annot=True, fmt=".0f", annot_kws={"fontsize": 8}, ax=axes, **look)
        axes.set(xlabel="", ylabel="")
        axes.set_title(heading, fontsize=9)
        axes.set_yticks([row + 0.5 for row in range(len(names))], names, rotation=0, fontsize=8)
        axes.tick_params(axis="x", rotation=45, labelsize=8)
        axes.grid(visible=False)
    for label in found[-1, 0].get_xticklabels():
        label.set(ha="right", rotation_mode="anchor")
    figure.suptitle(title, fontsize=11, fontweight="bold", x=0.01, ha="left")
    return figure


@styled
def epochs_chart(curve: pd.DataFrame, names: dict[str, str], title: str) -> plt.Figure:
    """Scores after each epoch of training, each line named at its end.

    Parameters
    ----------
    curve : columns `epoch`, `score`, `value` (per cent). names : score → what to write at its line; drawn in
        this order.

    >>> curve = pd.DataFrame({"epoch": [1, 2], "score": "ppr", "value": [1.0, 60.0]})
    >>> [text.get_text() for text in epochs_chart(curve, {"ppr": "PPR"}, "one").axes[0].texts]
    ['PPR']
    """
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    lines = [(name, curve[curve["score"] == score]) for score, name in names.items()]
    lines = [(name, line) for name, line in lines if len(line)]
    places = spread([line["value"].iloc[-1] for _, line in lines], 6.5)
    for number, ((name, line), place) in enumerate(zip(lines, places, strict=True)):
        look = {"color": _COLORS[(0, 2, 3, 1, 4)[number % 5]], "marker": "osD^v"[number % 5]}
        axes.plot(line["epoch"], line["value"], linewidth=1.8, markersize=5, **look)
        axes.annotate(
            name, (line["epoch"].iloc[-1] + 0.12, place), color=look["color"], fontsize=9, va="center",
            annotation_clip=False,
        )  # fmt: skip
    last = curve["epoch"].max()
    axes.set(xlabel="epoch", ylabel="per cent", ylim=(-3, 103), title=title, xlim=(0.8, last + 0.1))
    axes.set_xticks(range(1, last + 1))
    return figure
