"""Figures of the attention case study: weights of every head, where they go layer by layer, attributions."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.ticker import MaxNLocator

from .style import styled

_HEAT = sns.color_palette("rocket_r", as_cmap=True)
_UP, _DOWN = "#0173b2", "#de8f05"


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
    models, layers = list(dict.fromkeys(weights["model"])), sorted(weights["layer"].unique())
    tokens = {model: _tokens(weights[weights["model"] == model]) for model in models}
    lengths = [len(tokens[model]) for model in models]
    figure, grid = plt.subplots(
        len(models),
        len(layers),
        figsize=(1.2 + 1.55 * len(layers), 1.1 + sum(0.4 + 0.165 * n for n in lengths)),
        squeeze=False,
        height_ratios=lengths,
    )
    for row, model in enumerate(models):
        for axes, layer in zip(grid[row], layers, strict=True):
            here = weights[(weights["model"] == model) & (weights["layer"] == layer)]
            table = here.pivot(index="position", columns="head", values="weight")
            image = axes.imshow(table, cmap=_HEAT, vmin=0, vmax=1, aspect="auto", interpolation="nearest")
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
    models, groups = list(dict.fromkeys(shares["model"])), list(dict.fromkeys(shares["group"]))
    colors = dict(zip(groups, ["#d0d0d0", *sns.color_palette("colorblind", len(groups))], strict=False))
    figure, row = plt.subplots(1, len(models), figsize=(2.9 * len(models), 3.3), sharey=True, squeeze=False)
    for axes, model in zip(row[0], models, strict=True):
        here = shares[shares["model"] == model]
        table = here.pivot(index="layer", columns="group", values="share").reindex(columns=groups).fillna(0.0)
        bottom = np.zeros(len(table))
        for group in groups:
            axes.bar(table.index, table[group], 0.8, bottom, color=colors[group], label=group)
            bottom += table[group].to_numpy()
        axes.set(title=model, xlabel="layer", ylim=(0, 100))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="x", visible=False)
    row[0][0].set_ylabel("share of attention of [CLS] (%)")
    handles, names = row[0][0].get_legend_handles_labels()
    figure.legend(handles, names, ncols=len(groups), loc="outside lower center", fontsize=8)
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
    models, sentences = list(dict.fromkeys(values["model"])), list(dict.fromkeys(values["sentence"]))
    size = (0.8 + 4.1 * len(sentences), 0.5 + 2.15 * len(models))
    figure, grid = plt.subplots(len(models), len(sentences), figsize=size, sharey="row", squeeze=False)
    for row, model in enumerate(models):
        for axes, sentence in zip(grid[row], sentences, strict=True):
            here = values[(values["model"] == model) & (values["sentence"] == sentence)]
            here = here.sort_values("position")
            axes.bar(here["position"], here["value"], color=np.where(here["value"] > 0, _UP, _DOWN))
            axes.set_xticks(here["position"], here["token"], rotation=90, fontsize=7)
            for label in axes.get_xticklabels():
                label.set_fontweight("bold" if label.get_text().startswith("[E") else "normal")
            axes.axhline(0, color="black", linewidth=0.8)
            axes.set_title(f"{model}, {sentence}: {here['score'].iloc[0]}", fontsize=9)
            axes.grid(axis="x", visible=False)
        grid[row][0].set_ylabel("integrated gradients")
    figure.suptitle(title, fontsize=11, fontweight="bold")
    return figure


def _tokens(weights: pd.DataFrame) -> list[str]:
    return weights.drop_duplicates("position").sort_values("position")["token"].tolist()
