"""Figures of label distributions and of what schemes make of them (Harbecke et al. 2022, Sections 2–3).

All numbers come ready-made: none is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from matplotlib.ticker import MaxNLocator

from ...core import table_name
from ...data import datasets
from .parts import alpha_axis, headline, label_ends, legend_below, name_rows, panels, with_support
from .style import BLUE, GRID, ORANGE, PALETTE, QUIET, scheme_look, styled

# what effective_number_chart marks: column → words, marker, colour, and where its number stands (in points)
_MARKS = {
    "labels": ("labels of the schema", "|", "black", (10, -3)),
    "perplexity_without_negative": ("perplexity, positive classes", "o", BLUE, (0, 6)),
    "perplexity": ("perplexity with the negative class", "D", ORANGE, (0, -13)),
}


def corpus_title(dataset: str) -> str:
    """The title of a data set; an unknown one is written as it is.

    >>> corpus_title("nyt24"), corpus_title("mine")
    ('NYT, Hoffmann', 'mine')
    """
    known = datasets()
    return known[dataset].title if dataset in known else dataset


def _plain_ticks(axes: Axes) -> None:
    """A logarithmic axis of class numbers with 1, 2, 5, 10, … in place of powers."""
    axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
    axes.minorticks_off()


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
    figure, found = panels(tails, "dataset", 0.4, 2.3, 2.7)
    for name, axes, curve in found:
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
    found[0][1].set_ylabel("share of test samples (%)")
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
    seen = sorted(((n, label) for label, n in counts.items() if n > 0), key=lambda one: (-one[0], one[1]))
    if not seen:
        raise ValueError("there is no sample to draw")
    total, rest = sum(n for n, _ in seen), seen[MOST_LABELS:]
    rows = [(n, table_name(label), label == negative) for n, label in seen[:MOST_LABELS]]
    if rest:
        rows.append((sum(n for n, _ in rest), f"{len(rest)} further labels", False))
    figure, axes = plt.subplots(figsize=(7.5, 1.3 + 0.24 * len(rows)))
    heights = [n for n, _, _ in rows]
    colors = ["#999999" if is_negative else BLUE for _, _, is_negative in rows]
    axes.barh(range(len(rows)), heights, color=colors)
    wide = seen[0][0] > 50 * seen[-1][0]
    for place, n in enumerate(heights):
        share = 100 * n / total
        words = f"{n} · {share:.1f} %" if share >= 0.05 else f"{n} · < 0.1 %"
        axes.annotate(words, (n, place), (4, 0), textcoords="offset points", va="center", fontsize=7)
    # a label may hold $, which would begin a formula
    name_rows(axes, [name.replace("$", r"\$") for _, name, _ in rows])
    axes.set(xlabel="gold samples" + (" (logarithmic)" if wide else ""), xscale="log" if wide else "linear")
    axes.set_xlim(0.7 if wide else 0, max(heights) * (4 if wide else 1.2))
    grey = " · grey: the negative class" if any(is_negative for *_, is_negative in rows) else ""
    axes.set_title(f"{table_name(title)}: {len(seen)} labels, {total} samples{grey}".replace("$", r"\$"))
    axes.grid(axis="y", visible=False)
    return figure


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
    figure, axes = plt.subplots(figsize=(7.5, 1.4 + 0.42 * len(numbers)))
    for y, row in enumerate(numbers.to_dict("records")):
        _draw_numbers(axes, y, row)
    sources = numbers["source"].map(lambda source: "" if source == "ours" else f"; {source}")
    name_rows(axes, list(numbers["dataset"].map(corpus_title) + sources), fontsize=9, above=0.7)
    axes.set(xscale="log", xlim=(1, 130), xlabel="number of classes")
    axes.set_title(title)
    _plain_ticks(axes)
    axes.grid(axis="y", visible=False)
    for words, marker, color, _ in _MARKS.values():
        axes.plot([], [], marker, color=color, markersize=8, markeredgewidth=1.8, label=words)
    legend_below(figure, axes, len(_MARKS))
    return figure


def _draw_numbers(axes: Axes, y: int, row: dict) -> None:
    """One line of `effective_number_chart`; the numbers of near neighbours stand above and below."""
    once = row["perplexity"] == row["perplexity_without_negative"]
    values = {
        kind: row[kind] for kind in _MARKS if not (pd.isna(row[kind]) or (once and kind == "perplexity"))
    }
    axes.plot([min(values.values()), max(values.values())], [y, y], color=QUIET, linewidth=1.6, zorder=1)
    filled = {} if row["source"] == "ours" else {"markerfacecolor": "white"}
    for kind, value in values.items():
        _, marker, color, place = _MARKS[kind]
        size = 13 if marker == "|" else 7
        axes.plot(value, y, marker, color=color, markersize=size, markeredgewidth=1.8, **filled)
        number = f"{value:.0f}" if kind == "labels" else f"{value:.2f}"
        axes.annotate(number, (value, y), place, textcoords="offset points", ha="center", fontsize=7)


@styled
def class_weights_chart(weights: pd.DataFrame, title: str, total: int | None = None) -> plt.Figure:
    """Figure 1 of Harbecke et al. 2022: what each class weighs under each scheme.

    Parameters
    ----------
    weights : one row a class, largest first: `relation`, `support`, then one column of normalised weights for
        each scheme. The lower axis is the weight, the upper one the number of samples (it fits *weighted*).
    title : the finding. total : samples of all positive classes, if only some of the classes are drawn.

    Returns
    -------
    The figure; a class is a row, a scheme a marker.

    >>> frame = pd.DataFrame({"relation": ["a", "b"], "support": [3, 1], "weighted": [0.75, 0.25]})
    >>> [text.get_text() for text in class_weights_chart(frame, "two").axes[0].get_yticklabels()]
    ['a (3)', 'b (1)']
    """
    figure, axes = plt.subplots(figsize=(7.5, 1.6 + 0.2 * len(weights)))
    rows, total = range(len(weights)), total or weights["support"].sum()
    schemes = weights.columns.drop(["relation", "support"])
    for scheme in schemes:
        look = {"linestyle": "", "markersize": 6, "label": scheme}
        axes.plot(weights[scheme], rows, **look, **scheme_look(scheme))
    axes.hlines(rows, 0, weights[schemes].max(axis=1), color=GRID, linewidth=1, zorder=0)
    name_rows(axes, with_support(weights["relation"], weights["support"]))
    axes.set(xlabel="normalised weight", title=title, xlim=(0, None))
    upper = axes.secondary_xaxis("top", functions=(lambda weight: weight * total, lambda n: n / total))
    upper.set_xlabel("samples (for weighted)", fontsize=8)
    upper.tick_params(labelsize=8)
    axes.legend(loc="lower right")
    return figure


@styled
def effective_classes_chart(spectrum: pd.DataFrame, schemes: pd.DataFrame, title: str) -> plt.Figure:
    """How many classes a scheme really looks at: 2^entropy of its weights, along the family n^α.

    Parameters
    ----------
    spectrum : columns `dataset`, `alpha`, `effective_classes`. schemes : `dataset`, `scheme`, `alpha` (empty
        where the scheme is none of the family) and `effective_classes`; drawn as markers.

    >>> spectrum = pd.DataFrame({"dataset": "d", "alpha": [0, 1], "effective_classes": [2, 1.8]})
    >>> macro = {"dataset": "d", "scheme": "macro", "alpha": 0, "effective_classes": 2}
    >>> effective_classes_chart(spectrum, pd.DataFrame([macro]), "one").axes[0].get_xlabel()
    'α of the weights n^α'
    """
    figure, axes = plt.subplots(figsize=(7.5, 3.7))
    ends = []
    for place, (dataset, curve) in enumerate(spectrum.groupby("dataset", sort=False)):
        color = PALETTE[(0, 3, 2, 1, 4)[place % 5]]
        axes.plot(curve["alpha"], curve["effective_classes"], linewidth=1.6, color=color)
        for scheme in schemes[schemes["dataset"] == dataset].dropna(subset="alpha").itertuples():
            look = scheme_look(scheme.scheme) | {"color": color}
            axes.plot(scheme.alpha, scheme.effective_classes, markersize=7, **look)
        first, last = curve["effective_classes"].iloc[0], curve["effective_classes"].iloc[-1]
        ends.append((curve["alpha"].iloc[-1], last, f"{dataset}: {first:.0f} → {last:.1f}", color))
    alpha_axis(axes, title, "effective classes (2^entropy)")
    axes.set_ylim(0, None)
    label_ends(axes, ends)
    return figure
