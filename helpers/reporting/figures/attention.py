"""Figures of the case study: what models are given, where their attention goes, what adds to a score."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from .parts import first_seen, headline, legend_below, panels
from .style import BLUE, ORANGE, PALETTE, QUIET, styled


@styled
def model_inputs_chart(tokens: pd.DataFrame, title: str) -> plt.Figure:
    """The tokens that each model is given for one sentence, a row a model; those that it looks at are filled.

    Parameters
    ----------
    tokens : columns `model` (the heading of its row), `position`, `token`, `read` (bool); models in the order
        of first sight.

    >>> row = {"model": "m", "position": 0, "token": "[CLS]", "read": True}
    >>> [text.get_text() for text in model_inputs_chart(pd.DataFrame([row]), "one").axes[0].texts]
    ['[CLS]', 'm']
    """
    models = first_seen(tokens, "model")
    figure, axes = plt.subplots(figsize=(8.4, 0.5 + 0.68 * len(models)))
    longest = max(
        _draw_tokens(axes, tokens[tokens["model"] == model], row) for row, model in enumerate(models)
    )
    for row, model in enumerate(models):
        axes.text(0, row - 0.42, model, fontsize=8.5, va="center", fontweight="bold")
    axes.set(xlim=(-0.5, longest), ylim=(len(models) - 0.5, -0.7))
    axes.axis("off")
    axes.set_title(title)
    return figure


def _draw_tokens(axes: Axes, tokens: pd.DataFrame, row: int) -> float:
    """Boxes from the left, as wide as their words; where the last one ends."""
    at = 0.0
    for one in tokens.sort_values("position").itertuples():
        width = 0.72 * max(len(one.token), 1) + 0.95
        color, face = ("white", BLUE) if one.read else ("#222222", "#eeeeee")
        axes.barh(row, width, 0.42, left=at, color=face, edgecolor="white")
        look = {
            "ha": "center",
            "va": "center_baseline",
            "fontsize": 7,
            "color": color,
            "family": "monospace",
        }
        axes.text(at + width / 2, row + 0.02, one.token, **look)
        at += width
    return at


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
    size = (1.2 + max(1.55, 5.4 / len(layers)) * len(layers), 1.1 + sum(0.4 + 0.165 * n for n in lengths))
    look = {"figsize": size, "squeeze": False, "height_ratios": lengths}
    figure, grid = plt.subplots(len(models), len(layers), **look)
    for row, model in enumerate(models):
        for axes, layer in zip(grid[row], layers, strict=True):
            here = weights[(weights["model"] == model) & (weights["layer"] == layer)]
            table = here.pivot(index="position", columns="head", values="weight")
            image = axes.imshow(table, cmap="magma_r", vmin=0, vmax=1, aspect="auto", interpolation="nearest")
            axes.set_title(f"{model}\nlayer {layer}" if layer == layers[0] else f"layer {layer}", fontsize=9)
            axes.set_yticks(range(len(table)), tokens[model] if layer == layers[0] else [], fontsize=7)
            axes.set_xticks([0, len(table.columns) - 1], [table.columns[0], table.columns[-1]], fontsize=7)
            axes.tick_params(length=0)
            axes.grid(visible=False)
    figure.supxlabel("head", fontsize=9)
    figure.colorbar(image, ax=grid, shrink=0.4, pad=0.01, label="attention weight of [CLS]")
    headline(figure, title)
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
    colors = dict(zip(groups, [QUIET, *PALETTE], strict=False))
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
    headline(figure, title)
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
    headline(figure, title)
    return figure
