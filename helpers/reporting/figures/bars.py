"""Charts of bars, of columns of dots and of cells: shares, what one class or one token adds, agreement."""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from ...core import table_name
from .curves import look_of
from .parts import first_seen, headline, legend_below, panels, row_chart, scattered, with_support
from .rows import corpus_title
from .style import BLUE, LINES, ORANGE, PALETTE, QUIET, styled


@styled
def perplexity_chart(tails: pd.DataFrame, title: str) -> plt.Figure:
    """Each corpus and the balanced one that is as uncertain: bars of class shares, and a box 2^H wide.

    Bars and box have the same area, 1. So what towers above the box and trails off to its right is as large
    as what is missing inside it: nothing for a balanced corpus, nearly everything for a skewed one.

    Parameters
    ----------
    tails : one row a class: `dataset` (one panel each, in the order of first sight), `rank` (1 is the
        largest), `share` (per cent), `perplexity` (the same number in all rows of a data set).

    >>> tails = pd.DataFrame({"dataset": "d", "rank": [1, 2], "share": [75.0, 25.0], "perplexity": 1.75})
    >>> perplexity_chart(tails, "one").axes[0].get_title(loc="left")
    'd'
    """
    figure, drawn = panels(tails, "dataset", 0.4, 2.3, 2.7)
    for name, axes, curve in drawn:
        classes = curve["perplexity"].iloc[0]
        size = {"xy": (0, 0), "width": classes, "height": 100 / classes}
        axes.add_patch(Rectangle(**size, facecolor=ORANGE, alpha=0.3, linewidth=0, zorder=1))
        axes.bar(curve["rank"] - 1, curve["share"], 1, align="edge", color=BLUE, linewidth=0, zorder=2)
        axes.add_patch(Rectangle(**size, fill=False, edgecolor=ORANGE, linewidth=2, zorder=3))
        words = f"{len(curve)} classes,\nas uncertain as a\ndie of {classes:.1f} faces"
        axes.text(0.98, 0.98, words, transform=axes.transAxes, ha="right", va="top", fontsize=9)
        axes.set(xlim=(0, 1.02 * len(curve)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
        axes.grid(visible=False)
        axes.set_title(corpus_title(name), fontsize=10)
    figure.supxlabel("positive classes that occur, largest first", fontsize=10)
    drawn[0][1].set_ylabel("share of test samples (%)")
    headline(figure, title)
    return figure


MOST_LABELS = 60
"""Rows of `label_distribution_chart`; the rest is summed up in the last."""


@styled
def label_distribution_chart(counts: Mapping[str, int], negative: str | None, title: str) -> plt.Figure:
    """How often each label is gold, from the largest down, with its share; the negative class is grey.

    Parameters
    ----------
    counts : label → number of samples; labels without samples are left out. negative : the negative class, or
        None. title : what was counted.

    The axis is logarithmic where the largest count is more than fifty times the smallest. Raises ValueError
    where there is no sample.

    >>> figure = label_distribution_chart({"NA": 6, "a": 3, "b": 1}, "NA", "mine.csv")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['NA', 'a', 'b']
    """
    seen = sorted(((n, label) for label, n in counts.items() if n > 0), key=lambda pair: (-pair[0], pair[1]))
    if not seen:
        raise ValueError("there is no sample to draw")
    total, rest = sum(n for n, _ in seen), seen[MOST_LABELS:]
    rows = [
        (n, table_name(label), "#999999" if label == negative else BLUE) for n, label in seen[:MOST_LABELS]
    ]
    if rest:
        rows.append((sum(n for n, _ in rest), f"{len(rest)} further labels", BLUE))
    widths, names, colors = zip(*rows, strict=True)
    wide = seen[0][0] > 50 * seen[-1][0]
    layout = {"xlabel": "gold samples" + (" (logarithmic)" if wide else "")}
    layout |= {"xscale": "log" if wide else "linear"}
    grey = " · grey: the negative class" if "#999999" in colors else ""
    title = f"{table_name(title)}: {len(seen)} labels, {total} samples{grey}"
    # a label may hold $, which would begin a formula
    names, title = [name.replace("$", r"\$") for name in names], title.replace("$", r"\$")
    with row_chart(names, title, 7.5, (1.3, 0.24), **layout) as (axes,):
        axes.barh(range(len(rows)), widths, color=colors)
        for row, n in enumerate(widths):
            share = 100 * n / total
            words = f"{n} · {share:.1f} %" if share >= 0.05 else f"{n} · < 0.1 %"
            axes.annotate(words, (n, row), (4, 0), textcoords="offset points", va="center", fontsize=7)
    axes.set_xlim(0.7 if wide else 0, max(widths) * (4 if wide else 1.2))
    return axes.figure


@styled
def left_out_chart(changes: pd.DataFrame, title: str) -> plt.Figure:
    """By how much the score changes when one class is left out of the average.

    Parameters
    ----------
    changes : columns `relation`, `support`, `change` (points, score without the class minus score with it);
        drawn in the given order, from the top.

    >>> changes = pd.DataFrame({"relation": ["r"], "support": [1], "change": [1.2]})
    >>> left_out_chart(changes, "one").axes[0].get_yticklabels()[0].get_text()
    'r (1)'
    """
    names = with_support(changes["relation"], changes["support"])
    layout = {"grid": True, "xlabel": "points of F1 gained when the class is left out"}
    with row_chart(names, title, 7, (1.2, 0.22), **layout) as (axes,):
        axes.barh(range(len(changes)), changes["change"], color=np.where(changes["change"] > 0, BLUE, ORANGE))
        axes.axvline(0, color="black", linewidth=0.8)
    return axes.figure


@styled
def relation_shares_chart(shares: pd.DataFrame, title: str) -> plt.Figure:
    """Of each system's true facts, the share of each relation; the rest is one grey piece.

    Parameters
    ----------
    shares : columns `system`, `relation`, `share` (per cent); relations in the order of first sight, the last
        one, 'other', in grey.

    >>> shares = pd.DataFrame({"system": "s", "relation": ["r", "other"], "share": [60.0, 40.0]})
    >>> relation_shares_chart(shares, "one").axes[0].get_xlabel()
    "share of the list's true facts (%)"
    """
    systems, relations = first_seen(shares, "system"), first_seen(shares, "relation")
    table = shares.pivot_table(index="system", columns="relation", values="share", sort=False)
    table = table.reindex(index=systems, columns=relations).fillna(0)
    layout = {"xlabel": "share of the list's true facts (%)", "xlim": (0, 100)}
    with row_chart(systems, title, 7.4, (1.6, 0.34), **layout) as (axes,):
        left = table.cumsum(axis=1) - table
        for number, relation in enumerate(relations):
            color = QUIET if relation == "other" else LINES[number % len(LINES)]
            look = {"left": left[relation], "color": color, "label": relation, "height": 0.7}
            axes.barh(range(len(systems)), table[relation], **look)
    legend_below(axes.figure, axes, 2, fontsize=7)
    return axes.figure


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
    figure, drawn = panels(shares, "model", 0, 2.9, 3.3)
    for model, axes, rows in drawn:
        table = rows.pivot(index="layer", columns="group", values="share").reindex(columns=groups).fillna(0.0)
        bottom = table.cumsum(axis=1) - table
        for group, color in zip(groups, [QUIET, *PALETTE], strict=False):
            axes.bar(table.index, table[group], 0.8, bottom[group], color=color, label=group)
        axes.set(title=model, xlabel="layer", ylim=(0, 100))
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.grid(axis="x", visible=False)
    drawn[0][1].set_ylabel("share of attention of [CLS] (%)")
    legend_below(figure, drawn[0][1], len(groups))
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
    for row, model in zip(grid, models, strict=True):
        for axes, sentence in zip(row, sentences, strict=True):
            own = values[(values["model"] == model) & (values["sentence"] == sentence)].sort_values(
                "position"
            )
            axes.bar(own["position"], own["value"], color=np.where(own["value"] > 0, BLUE, ORANGE))
            axes.set_xticks(own["position"], own["token"], rotation=90, fontsize=7)
            for label in axes.get_xticklabels():
                label.set_fontweight("bold" if label.get_text().startswith("[E") else "normal")
            axes.axhline(0, color="black", linewidth=0.8)
            axes.set_title(f"{model}, {sentence}: {own['score'].iloc[0]}", fontsize=9)
            axes.grid(axis="x", visible=False)
        row[0].set_ylabel("integrated gradients")
    headline(figure, title)
    return figure


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
    ordered, models = labels.sort_values("train", kind="stable"), first_seen(labels, "model")
    figure, drawn = panels(ordered, "group", 0.7, 0.62 * len(models), 3.7)
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 1, "pad": 0.4}
    number = {"textcoords": "offset points", "ha": "center", "fontsize": 9, "fontweight": "bold", "bbox": box}
    for group, axes, rows in drawn:
        for x, model in enumerate(models):
            f1 = rows.loc[rows["model"] == model, "f1"]
            dots = {"linestyle": "none", "markersize": 3.4, "alpha": 0.55} | look_of(model)
            axes.plot(x + 0.3 * scattered(len(f1)), f1, **dots)
            mean = f1.mean()
            axes.plot([x - 0.36, x + 0.36], [mean, mean], color="black", linewidth=2)
            axes.annotate(f"{mean:.0f}", (x, mean), (0, 4), **number)
        axes.set_xticks(range(len(models)), [name.replace("_", "\n") for name in models], fontsize=7)
        axes.set(xlim=(-0.6, len(models) - 0.4), ylim=(-4, 104))
        axes.set_title(f"{group}\n{rows['label'].nunique()} labels", fontsize=10)
        axes.grid(axis="x", visible=False)
    drawn[0][1].set_ylabel("F1 of the label (%)")
    words = "by number of training documents; line: mean of the group"
    drawn[len(drawn) // 2][1].set_xlabel(words, fontsize=9)
    headline(figure, title)
    return figure


@styled
def agreement_heatmap(taus: pd.DataFrame, title: str) -> plt.Figure:
    """Kendall's τ between the rankings under each pair of schemes.

    Parameters
    ----------
    taus : square, index and columns the schemes; each pair is drawn once, below the diagonal.

    >>> taus = pd.DataFrame([[1, 0.8], [0.8, 1]], index=["micro", "macro"], columns=["micro", "macro"])
    >>> [text.get_text() for text in agreement_heatmap(taus, "two").axes[0].texts]
    ['0.800']
    """
    figure, axes = plt.subplots(figsize=(5, 3.4))
    lower = taus.iloc[1:, :-1]
    hidden = np.triu(np.ones(lower.shape, dtype=bool), 1)
    lowest = np.floor(10 * np.nanmin(taus.to_numpy(dtype=float))) / 10
    look = {"annot": True, "fmt": ".3f", "cmap": "crest_r", "vmin": lowest, "vmax": 1, "cbar": False}
    sns.heatmap(lower, mask=hidden, ax=axes, **look)
    axes.set(title=title)
    axes.tick_params(axis="y", rotation=0)
    axes.grid(visible=False)
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
    once = weights.drop_duplicates(["model", "position"]).sort_values("position")
    tokens = [once.loc[once["model"] == model, "token"].tolist() for model in models]
    lengths = [len(words) for words in tokens]
    size = (1.2 + max(1.55, 5.4 / len(layers)) * len(layers), 1.1 + sum(0.4 + 0.165 * n for n in lengths))
    layout = {"figsize": size, "squeeze": False, "height_ratios": lengths}
    figure, grid = plt.subplots(len(models), len(layers), **layout)
    look = {"cmap": "magma_r", "vmin": 0, "vmax": 1, "aspect": "auto", "interpolation": "nearest"}
    for row, model, words in zip(grid, models, tokens, strict=True):
        for axes, layer in zip(row, layers, strict=True):
            own = weights[(weights["model"] == model) & (weights["layer"] == layer)]
            table = own.pivot(index="position", columns="head", values="weight")
            image = axes.imshow(table, **look)
            first = layer == layers[0]
            axes.set_title(f"{model}\nlayer {layer}" if first else f"layer {layer}", fontsize=9)
            axes.set_yticks(range(len(table)), words if first else [], fontsize=7)
            axes.set_xticks([0, len(table.columns) - 1], [table.columns[0], table.columns[-1]], fontsize=7)
            axes.tick_params(length=0)
            axes.grid(visible=False)
    figure.supxlabel("head", fontsize=9)
    figure.colorbar(image, ax=grid, shrink=0.4, pad=0.01, label="attention weight of [CLS]")
    headline(figure, title)
    return figure
