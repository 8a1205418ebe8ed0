"""Charts of bars, of columns of dots and of cells: shares, what one class or one token adds, agreement."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from ..core import table_name
from ..data import datasets
from .style import BLUE, LINES, ORANGE, PALETTE, QUIET, below, canvas, ink, panels, row_chart, styled, write


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
    known = {name: row.title for name, row in datasets().items()}
    words = "classes that occur, largest first (no negative class)"
    drawn = panels(tails, "dataset", title, 2.7, words, sharey=True)
    for name, axes, curve in drawn:
        classes = curve["perplexity"].iloc[0]
        size = {"xy": (0, 0), "width": classes, "height": 100 / classes}
        axes.add_patch(Rectangle(**size, facecolor=ORANGE, alpha=0.3, linewidth=0, zorder=1))
        axes.bar(curve["rank"] - 1, curve["share"], 1, align="edge", color=BLUE, linewidth=0, zorder=2)
        axes.add_patch(Rectangle(**size, fill=False, edgecolor=ORANGE, linewidth=1.6, zorder=3))
        look = {"transform": axes.transAxes, "ha": "right", "va": "top"}
        axes.text(1, 0.98, f"{len(curve)} classes", color=ink(BLUE), **look)
        axes.text(1, 0.88, f"as hard as\n{classes:.1f} equal", color=ink(ORANGE), **look)
        axes.set(xlim=(0, 1.02 * len(curve)))
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_locator(MaxNLocator(3, integer=True, steps=[1, 2, 5, 10]))
        axes.grid(visible=False)
        axes.set_title(known.get(name, name).replace(", ", ",\n"))
    drawn[0][1].set_ylabel("share of test samples (%)")
    return axes.figure


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
    marked = {negative: "#999999"}
    rows = [(n, table_name(label), marked.get(label, BLUE)) for n, label in seen[:MOST_LABELS]]
    rows += [(sum(n for n, _ in rest), f"{len(rest)} further labels", BLUE)] if rest else []
    widths, names, colors = zip(*rows, strict=True)
    wide = seen[0][0] > 50 * seen[-1][0]
    layout = {"xlabel": "gold samples" + (" (logarithmic)" if wide else "")}
    layout |= {"xscale": "log" if wide else "linear"}
    grey = " · grey: the negative class" if "#999999" in colors else ""
    title = f"{table_name(title)}: {len(seen)} labels, {total} samples{grey}"
    # a label may hold $, which would begin a formula
    names, title = [name.replace("$", r"\$") for name in names], title.replace("$", r"\$")
    with row_chart(names, title, (1.3, 0.17), **layout) as (axes,):
        axes.barh(range(len(rows)), widths, color=colors)
        for row, n in enumerate(widths):
            share = 100 * n / total
            words = f"{n} · {share:.1f} %" if share >= 0.05 else f"{n} · < 0.1 %"
            axes.annotate(words, (n, row), (4, 0), textcoords="offset points", va="center")
    axes.set_xlim(0.7 if wide else 0, max(widths) * (20 if wide else 1.5))
    return axes.figure


@styled
def share_chart(
    shares: pd.DataFrame, title: str, xlabel: str, row: str, group: str, panel: str | None = None
) -> plt.Figure:
    """Shares that add up to 100 %: a bar for each row in pieces of groups, a panel for each `panel`.

    Parameters
    ----------
    shares : `share` (per cent) and, by these names, columns `row`, `group` and `panel`, all in the order of
        first sight; the group 'other' is grey. The numbers of the first and of the largest group are written.

    >>> shares = pd.DataFrame({"system": "s", "relation": ["r", "other"], "share": [60.0, 40.0]})
    >>> share_chart(shares, "one", "share (%)", "system", "relation").axes[0].texts[0].get_text()
    '60'
    """
    rows, groups = list(shares[row].unique()), list(shares[group].unique())
    parts = list(shares.groupby(panel, sort=False)) if panel else [("", shares)]
    colors = [QUIET if name == "other" else LINES[number % len(LINES)] for number, name in enumerate(groups)]
    layout = {"legend": 2 if max(map(len, groups)) < 22 else 1, "columns": len(parts)}
    layout |= {"wrap": 18, "xlabel": xlabel, "xlim": (0, 100), "xticks": [0, 50, 100]}
    with row_chart(list(map(str, rows)), title, (1.6, 0.26), **layout) as panels:
        for axes, (name, here) in zip(panels, parts, strict=True):
            table = here.pivot_table(index=row, columns=group, values="share", sort=False)
            table = table.reindex(index=rows, columns=groups).fillna(0)
            left = table.cumsum(axis=1) - table
            for each, color in zip(groups, colors, strict=True):
                look = {"left": left[each], "color": color, "label": each, "height": 0.8}
                axes.barh(range(len(rows)), table[each], **look)
            for y, (_, own) in enumerate(table.iterrows()):
                if own.max() >= 40:
                    x = left.iloc[y][own.idxmax()] + own.max() / 2
                    axes.text(x, y, f"{own.max():.0f}", color="white", ha="center", va="center")
            axes.set_title(name)
    panels[0].set_ylabel(row if panel else "")
    return axes.figure


@styled
def landing_chart(direction: pd.DataFrame, title: str) -> plt.Figure:
    """The project in one picture: a model's score on sentences, and on the same ones with the entities
    exchanged; a panel for each way of training.

    Parameters
    ----------
    direction : a row for each run: `model`, `set` (two values), `value` (per cent), and `low`, `high`, an
        interval that the runs of a model share.

    >>> run = {"model": "m", "set": ["as it is", "exchanged"], "value": [85.0, 15.0], "low": 10, "high": 90}
    >>> [text.get_text() for text in landing_chart(pd.DataFrame(run), "one").axes[0].texts]
    ['85', '15']
    """
    sets, models = list(direction["set"].unique()), direction.groupby("model", sort=False)
    layout = {"columns": len(models), "wrap": 10, "xlim": (0, 119), "xticks": [0, 50, 100]}
    words = "official macro-F1 (%); black line: 95 % interval"
    with row_chart(sets, title, (1.15, 0.4), xlabel=words, **layout) as panels:
        for axes, (model, runs) in zip(panels, models, strict=True):
            means = runs.groupby("set")[["value", "low", "high"]].mean().loc[sets]
            axes.barh(range(len(sets)), means["value"], height=0.7, color=[BLUE, ORANGE])
            ends = (means["value"] - means["low"], means["high"] - means["value"])
            look = {"fmt": "none", "ecolor": "black", "capsize": 3, "linewidth": 1.2}
            axes.errorbar(means["value"], range(len(sets)), xerr=ends, **look)
            for y, (mean, high) in enumerate(zip(means["value"], means["high"], strict=True)):
                write(axes, f"{mean:.0f}", high, y, (5, 0), "#1a1a1a", fontweight="bold", fontsize=11)
            axes.set_title(model)
    return axes.figure


@styled
def token_chart(values: pd.DataFrame, title: str, xlabel: str) -> plt.Figure:
    """What each token gets or adds: a panel for each model, a row for each token, in reading order.

    Parameters
    ----------
    values : columns `model`, `position`, `token`, `value`; models in the order of first sight. A token with
        several values (heads) has a bar for their mean and a dot for each, and then the sum of the markers
        stands above. Markers are bold; the longest bar has its number.

    >>> row = {"model": "m", "position": 0, "token": "a", "value": 1.0}
    >>> [text.get_text() for text in token_chart(pd.DataFrame([row]), "one", "share").axes[0].texts]
    ['1.0']
    """
    longest = values.groupby("model")["position"].max().max() + 1
    drawn = panels(values, "model", title, 1.0 + 0.15 * longest, xlabel, sharex=True)
    for model, axes, rows in drawn:
        tokens = rows.groupby("position").agg(token=("token", "first"), value=("value", "mean"))
        marks = tokens["token"].str.match(r"\[E\d")
        axes.barh(tokens.index, tokens["value"], color=np.where(marks, PALETTE[3], BLUE), height=0.75)
        if len(rows) > len(tokens):
            axes.set_title("")
            axes.set_title(f"{model}\nmarkers: {tokens['value'][marks].sum():.0f}", loc="right")
            axes.plot(rows["value"], rows["position"], ".", color="black", markersize=1.5, alpha=0.5)
        axes.axvline(0, color="black", linewidth=0.8)
        top = tokens["value"].abs().idxmax()
        end = max(rows.loc[rows["position"] == top, "value"].max(), 0)
        words = f"{tokens.loc[top, 'value']:.1f}"
        write(axes, words, end, top, (3, 0), "#1a1a1a", fontweight="bold")
        axes.set_yticks(tokens.index, tokens["token"])
        for label, mark in zip(axes.get_yticklabels(), marks, strict=True):
            label.set_fontweight("bold" if mark else "normal")
        axes.set_ylim(longest - 0.4, -0.6)
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        axes.margins(x=0.2)
    return axes.figure


@styled
def support_groups_chart(labels: pd.DataFrame, title: str) -> plt.Figure:
    """F1 of each label under some models: groups of labels beside each other, a column of dots a model.

    Parameters
    ----------
    labels : columns `label`, `train` (training documents), `group` (text), `model`, `f1` (per cent). Groups
        stand in the order of their smallest support, models in that of first sight. A line and a number are
        the mean of the group.

    >>> row = {"label": "a", "train": 1, "group": "1 to 5", "model": "m", "f1": 40.0}
    >>> axes = support_groups_chart(pd.DataFrame([row]), "one").axes[0]
    >>> axes.get_xticklabels()[0].get_text().splitlines(), axes.texts[0].get_text()
    (['1 to 5', '1 labels'], '40')
    """
    ordered, models = labels.sort_values("train", kind="stable"), list(labels["model"].unique())
    axes = canvas(title, 3.2)
    groups, ticks = list(ordered["group"].unique()), []
    for x, group in enumerate(groups):
        rows = ordered[ordered["group"] == group]
        ticks.append(f"{group}\n{rows['label'].nunique()} labels")
        for number, model in enumerate(models):
            f1, middle = rows.loc[rows["model"] == model, "f1"], x + 0.29 * (number - (len(models) - 1) / 2)
            scattered = 2 * ((np.arange(len(f1)) * 0.618034) % 1) - 1 if len(f1) > 1 else 0  # always the same
            dots = {"color": LINES[number], "markersize": 3, "alpha": 0.6, "markeredgewidth": 0}
            axes.plot(middle + 0.1 * scattered + 0 * f1, f1, ".", **dots)
            mean = f1.mean()
            look = {"color": LINES[number], "linewidth": 2.4, "label": model if x == 0 else None}
            axes.plot([middle - 0.13, middle + 0.13], [mean, mean], **look)
            box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 0.3}
            write(axes, f"{mean:.0f}", middle, mean, (0, 2), LINES[number], fontweight="bold", bbox=box)
    axes.set_xticks(range(len(groups)), ticks)
    axes.set(ylim=(-4, 104), ylabel="F1 of a label (%); bar: mean")
    axes.grid(axis="x", visible=False)
    below(axes, "training documents of the label", 3)
    return axes.figure


@styled
def heat_chart(
    table: pd.DataFrame, title: str, xlabel: str = "", digits: int = 0, lower: bool = False
) -> plt.Figure:
    """Numbers in a grid, dark where small: agreement of schemes, F1 by system and relation.

    Parameters
    ----------
    table : rows and columns as drawn. xlabel : what the numbers are. digits : of each. lower : of a square
        table only what stands below the diagonal.

    >>> taus = pd.DataFrame([[1, 0.8], [0.8, 1]], index=["micro", "macro"], columns=["micro", "macro"])
    >>> [text.get_text() for text in heat_chart(taus, "two", digits=3, lower=True).axes[0].texts]
    ['0.800']
    """
    shown = table.iloc[1:, :-1] if lower else table
    axes = canvas(title, 1.1 + 0.34 * len(shown), xlabel)
    hidden = np.triu(np.ones(shown.shape, dtype=bool), 1) if lower else None
    look = {"annot": True, "fmt": f".{digits}f", "cmap": "crest_r", "cbar": False, "linewidths": 1}
    sns.heatmap(shown, mask=hidden, ax=axes, annot_kws={"fontsize": 8}, **look)
    for axis, names, width in ((axes.xaxis, shown.columns, 11), (axes.yaxis, shown.index, 16)):
        axis.set_ticklabels("\n".join(textwrap.wrap(name.replace("_", " "), width)) for name in names)
    axes.set(xlabel="", ylabel="")
    axes.tick_params(axis="y", rotation=0, length=0)
    axes.grid(visible=False)
    return axes.figure


_MARKS = {
    "labels": ("on paper: all labels", "|", "black", (3, 0)),
    "perplexity_without_negative": ("in effect: perplexity of the relations", "o", BLUE, (0, 4)),
    "perplexity": ("in effect, negative class counted (if any)", "D", ORANGE, (0, -4)),
}
"""Of `effective_number_chart`, column → words, marker, colour, and where its number stands (in points)."""


@styled
def effective_number_chart(numbers: pd.DataFrame, title: str) -> plt.Figure:
    """How far the perplexity of each test set lies below the number of its labels.

    Parameters
    ----------
    numbers : one row a data set, drawn from the top: `dataset`, `labels`, `perplexity_without_negative`,
        `perplexity` (missing where unknown; not drawn where it equals the one before), and `source`. Rows
        whose source is not 'ours' are drawn hollow, and the source stands behind the name.

    >>> row = {"dataset": "d", "labels": 9, "perplexity_without_negative": 6.0, "perplexity": 3.0}
    >>> figure = effective_number_chart(pd.DataFrame([row | {"source": "published"}]), "one")
    >>> figure.axes[0].get_yticklabels()[0].get_text()
    'd; published'
    """
    known = {name: row.title for name, row in datasets().items()}
    sources = numbers["source"].map(lambda source: "" if source == "ours" else f"; {source}")
    names = list(numbers["dataset"].replace(known) + sources)
    words = "number of classes (log scale); perplexity: so many equal\nones would be as hard to guess"
    words += "; hollow: as published" if sources.any() else ""
    with row_chart(names, title, (1.4, 0.33), legend=1, wrap=18, xlabel=words) as (axes,):
        for y, row in enumerate(numbers.to_dict("records")):
            once = row["perplexity"] == row["perplexity_without_negative"]
            here = [kind for kind in _MARKS if not (pd.isna(row[kind]) or (once and kind == "perplexity"))]
            ends = [function(row[kind] for kind in here) for function in (min, max)]
            axes.plot(ends, [y, y], color=QUIET, linewidth=1.4, zorder=1)
            filled = {} if row["source"] == "ours" else {"markerfacecolor": "white"}
            for kind in here:
                _, marker, color, shift = _MARKS[kind]
                look = {"color": color, "markersize": 9 if marker == "|" else 5, "markeredgewidth": 1.4}
                axes.plot(row[kind], y, marker, **look, **filled)
                number = f"{row[kind]:.0f}" if kind == "labels" else f"{row[kind]:.1f}"
                write(axes, number, row[kind], y, shift, color)
        axes.set(xscale="log", xlim=(1, 130))
        axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
        axes.minorticks_off()
        for label, marker, color, _ in _MARKS.values():
            axes.plot([], [], marker, color=color, markeredgewidth=1.4, label=label)
    return axes.figure
