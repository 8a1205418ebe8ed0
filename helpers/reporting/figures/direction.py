"""Figures of relation direction: A against B, PIR and PPR, each relation, epoch by epoch, the case study."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .parts import first_seen, headline, legend_below, name_rows, panels, spread_labels, with_support
from .style import BLUE, ORANGE, PALETTE, styled

_LOOKS = {
    "ours": {"color": BLUE, "marker": "o"},
    "published, base": {"color": ORANGE, "marker": "D", "markerfacecolor": "white"},
    "published, large": {"color": PALETTE[3], "marker": "s", "markerfacecolor": "white"},
    "published, other": {"color": "#555555", "marker": "^", "markerfacecolor": "white"},
}
"""Where a number is from; 'other' is a model without BERT."""


@styled
def original_paired_chart(points: pd.DataFrame, title: str) -> plt.Figure:
    """Performance on the paired set B against that on the test set A; a panel for published and for ours.

    Parameters
    ----------
    points : columns `panel`, `name` (written beside the point), `source` ('ours', 'published, base',
        'published, large' or 'published, other'), `a`, `b` (per cent), `a_sd`, `b_sd` (nan: no bar).

    >>> point = {"panel": "p", "name": "m", "source": "ours", "a": 80, "b": 40, "a_sd": 1.0, "b_sd": 2.0}
    >>> [text.get_text() for text in original_paired_chart(pd.DataFrame([point]), "one").axes[0].texts]
    ['m', 'A = B']
    """
    figure, found = panels(points, "panel", 0.6, 4.4, 4.8)
    low = points["a"].min() // 5 * 5 - 3
    right = points["a"].max() + 2
    for panel, axes, rows in found:
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
    found[0][1].set_ylabel("B: on the paired set (%)")
    headline(figure, title)
    return figure


def _name_points(axes: Axes, rows: pd.DataFrame, right: float) -> None:
    """Names in a column at the right, near the height of their points, tied to them by a thin line."""
    for row, place in zip(rows.itertuples(), spread_labels(list(rows["b"]), 4.8), strict=True):
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
    rates : columns `model`, `source` (see `original_paired_chart`), `metric` ('pir' or 'ppr'), `value`,
        `low`, `high` (per cent; nan: no interval); models in the order of first sight, from the top.

    >>> rate = {"model": "m", "source": "ours", "metric": "ppr", "value": 34, "low": 32, "high": 36}
    >>> len(rates_chart(pd.DataFrame([rate]), "one").axes)
    2
    """
    models = first_seen(rates, "model")
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
        axes.set(xlabel=label, xlim=(-4, 104))
        name_rows(axes, models, fontsize=9)
        for row in range(1, len(models), 2):
            axes.axhspan(row - 0.5, row + 0.5, color="#f5f5f5", zorder=0)
        axes.grid(axis="y", visible=False)
    headline(figure, title)
    legend_below(figure, axes, 4)
    return figure


@styled
def paired_breakdown_heatmap(shares: pd.DataFrame, kinds: dict[str, str], title: str) -> plt.Figure:
    """What each model does with each relation: a panel for each kind of share, per cent.

    Parameters
    ----------
    shares : columns `model`, `relation`, `n`, and a column (per cent) for each key of `kinds`; models and
        relations in the order of first sight. kinds : column → heading of its panel.

    >>> shares = pd.DataFrame({"model": ["m"], "relation": ["r"], "n": [4], "still": [25.0]})
    >>> figure = paired_breakdown_heatmap(shares, {"still": "did not move"}, "one")
    >>> [text.get_text() for text in figure.axes[0].texts]
    ['25']
    """
    models, relations = first_seen(shares, "model"), first_seen(shares, "relation")
    size = (2.6 + 0.46 * len(models), 1.3 + (0.45 + 0.24 * len(relations)) * len(kinds))
    figure, found = plt.subplots(len(kinds), 1, figsize=size, sharex=True, squeeze=False)
    support = shares.groupby("relation", sort=False)["n"].first()
    names = with_support(relations, support[relations])
    for axes, (kind, heading) in zip(found[:, 0], kinds.items(), strict=True):
        wide = shares.pivot(index="relation", columns="model", values=kind).loc[relations, models]
        look = {"cmap": "cividis", "vmin": 0, "vmax": 100, "cbar": False, "linewidths": 0.5}
        sns.heatmap(wide, annot=True, fmt=".0f", annot_kws={"fontsize": 8}, ax=axes, **look)
        axes.set(xlabel="", ylabel="")
        axes.set_title(heading, fontsize=9)
        axes.set_yticks([row + 0.5 for row in range(len(names))], names, rotation=0, fontsize=8)
        axes.tick_params(axis="x", rotation=45, labelsize=8)
        axes.grid(visible=False)
    for label in found[-1, 0].get_xticklabels():
        label.set(ha="right", rotation_mode="anchor")
    headline(figure, title)
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
    places = spread_labels([line["value"].iloc[-1] for _, line in lines], 6.5)
    for number, ((name, line), place) in enumerate(zip(lines, places, strict=True)):
        look = {"color": PALETTE[(0, 2, 3, 1, 4)[number % 5]], "marker": "osD^v"[number % 5]}
        axes.plot(line["epoch"], line["value"], linewidth=1.8, markersize=5, **look)
        axes.annotate(
            name, (line["epoch"].iloc[-1] + 0.12, place), color=look["color"], fontsize=9, va="center",
            annotation_clip=False,
        )  # fmt: skip
    last = curve["epoch"].max()
    axes.set(xlabel="epoch", ylabel="per cent", ylim=(-3, 103), title=title, xlim=(0.8, last + 0.1))
    axes.set_xticks(range(1, last + 1))
    return figure


@styled
def cls_attention_chart(weights: pd.DataFrame, title: str) -> plt.Figure:
    """Attention weights of [CLS]: a row of panels for each model, a panel for each layer; in it a row for
    each token and a column for each head. One colour scale for all.

    Parameters
    ----------
    weights : columns `model`, `layer`, `head`, `position`, `token`, `weight`; models in the order of first
        sight.

    >>> row = {"model": "m", "layer": 1, "head": 1, "position": 0, "token": "[CLS]", "weight": 1.0}
    >>> cls_attention_chart(pd.DataFrame([row]), "one").axes[0].get_yticklabels()[0].get_text()
    '[CLS]'
    """
    models, layers = first_seen(weights, "model"), sorted(weights["layer"].unique())
    places = weights.drop_duplicates(["model", "position"]).sort_values("position")
    tokens = {model: places.loc[places["model"] == model, "token"].tolist() for model in models}
    lengths = [len(tokens[model]) for model in models]
    size = (1.2 + 1.55 * len(layers), 1.1 + sum(0.4 + 0.165 * n for n in lengths))
    look = {"figsize": size, "squeeze": False, "height_ratios": lengths}
    figure, grid = plt.subplots(len(models), len(layers), **look)
    for row, model in enumerate(models):
        for axes, layer in zip(grid[row], layers, strict=True):
            here = weights[(weights["model"] == model) & (weights["layer"] == layer)]
            table = here.pivot(index="position", columns="head", values="weight")
            image = axes.imshow(
                table, cmap="rocket_r", vmin=0, vmax=1, aspect="auto", interpolation="nearest"
            )
            axes.set_title(f"{model}\nlayer {layer}" if layer == layers[0] else f"layer {layer}", fontsize=9)
            axes.set_yticks(range(len(table)), tokens[model] if layer == layers[0] else [], fontsize=7)
            axes.set_xticks([0, len(table.columns) - 1], [table.columns[0], table.columns[-1]], fontsize=7)
            axes.tick_params(length=0)
            axes.grid(visible=False)
    figure.supxlabel("head", fontsize=9)
    figure.colorbar(image, ax=grid, shrink=0.4, pad=0.01, label="attention weight of [CLS]")
    figure.suptitle(title, fontsize=11, fontweight="bold")
    return figure


@styled
def attention_share_chart(shares: pd.DataFrame, title: str) -> plt.Figure:
    """Where the attention of [CLS] goes: shares of groups of tokens in each layer, one panel a model.

    Parameters
    ----------
    shares : columns `model`, `layer`, `group`, `share` (mean over heads of the summed weights, per cent);
        groups are stacked in the order of first sight.

    >>> row = {"model": "m", "layer": 1, "group": "markers", "share": 100.0}
    >>> attention_share_chart(pd.DataFrame([row]), "one").axes[0].get_title("left")
    'm'
    """
    groups = first_seen(shares, "group")
    colors = dict(zip(groups, ["#d0d0d0", *sns.color_palette("colorblind", len(groups))], strict=False))
    figure, found = panels(shares, "model", 0, 2.9, 3.3)
    for model, axes, here in found:
        table = here.pivot(index="layer", columns="group", values="share").reindex(columns=groups).fillna(0.0)
        bottom = np.zeros(len(table))
        for group in groups:
            axes.bar(table.index, table[group], 0.8, bottom, color=colors[group], label=group)
            bottom += table[group].to_numpy()
        axes.set(title=model, xlabel="layer", ylim=(0, 100))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="x", visible=False)
    found[0][1].set_ylabel("share of attention of [CLS] (%)")
    legend_below(figure, found[0][1], len(groups))
    figure.suptitle(title, fontsize=11, fontweight="bold")
    return figure


@styled
def attribution_chart(values: pd.DataFrame, title: str) -> plt.Figure:
    """What each token adds to a score: a column of panels for each sentence, a row for each model.

    Parameters
    ----------
    values : columns `model`, `sentence`, `position`, `token`, `value`, and `score`, the label of the panel's
        axis; models and sentences in the order of first sight. One scale a model.

    >>> row = {"model": "m", "sentence": "original", "position": 0, "token": "a", "value": 1.0, "score": "s"}
    >>> attribution_chart(pd.DataFrame([row]), "one").axes[0].get_title("left")
    'm, original: s'
    """
    models, sentences = first_seen(values, "model"), first_seen(values, "sentence")
    size = (0.8 + 4.1 * len(sentences), 0.5 + 2.15 * len(models))
    figure, grid = plt.subplots(len(models), len(sentences), figsize=size, sharey="row", squeeze=False)
    for row, model in enumerate(models):
        for axes, sentence in zip(grid[row], sentences, strict=True):
            here = values[(values["model"] == model) & (values["sentence"] == sentence)]
            here = here.sort_values("position")
            axes.bar(here["position"], here["value"], color=np.where(here["value"] > 0, BLUE, ORANGE))
            axes.set_xticks(here["position"], here["token"], rotation=90, fontsize=7)
            for label in axes.get_xticklabels():
                label.set_fontweight("bold" if label.get_text().startswith("[E") else "normal")
            axes.axhline(0, color="black", linewidth=0.8)
            axes.set_title(f"{model}, {sentence}: {here['score'].iloc[0]}", fontsize=9)
            axes.grid(axis="x", visible=False)
        grid[row][0].set_ylabel("integrated gradients")
    figure.suptitle(title, fontsize=11, fontweight="bold")
    return figure
