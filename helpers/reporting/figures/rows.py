"""Charts of rows: dots with intervals, two values joined by a line, published beside ours."""

from __future__ import annotations

import re
from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ...data import datasets
from .parts import first_seen, legend_below, row_chart, with_intervals, with_support
from .style import BLUE, GRID, LINES, ORANGE, PALETTE, QUIET, ink, scheme_look, styled

SOURCES = {
    "ours": {"color": BLUE, "marker": "o"},
    "published, base": {"color": ORANGE, "marker": "D", "markerfacecolor": "white"},
    "published, large": {"color": PALETTE[3], "marker": "s", "markerfacecolor": "white"},
    "published, other": {"color": "#555555", "marker": "^", "markerfacecolor": "white"},
}
"""Where a number is from; 'other' is a model without BERT."""


@styled
def interval_chart(scores: pd.DataFrame, title: str) -> plt.Figure:
    """Scores of systems with their 95 % bootstrap intervals over the test set, a panel for each scheme.

    Parameters
    ----------
    scores : columns `model`, `scheme`, `value`, `low`, `high` (per cent); models and schemes in the order of
        first sight. All panels have one scale.

    >>> row = {"model": "m", "scheme": "micro", "value": 70.0, "low": 69.0, "high": 71.0}
    >>> [axes.get_title(loc="left") for axes in interval_chart(pd.DataFrame([row]), "one").axes]
    ['micro']
    """
    models, schemes = first_seen(scores, "model"), first_seen(scores, "scheme")
    layout = {"columns": len(schemes), "sharex": True, "headed": True, "fontsize": 10}
    with row_chart(models, title, 2.2 + 2.1 * len(schemes), (1.2, 0.3), **layout) as panels:
        for axes, scheme in zip(panels, schemes, strict=True):
            rows, look = scores[scores["scheme"] == scheme], scheme_look(scheme)
            y = rows["model"].map(models.index)
            axes.hlines(y, rows["low"], rows["high"], color=look["color"], linewidth=2)
            axes.plot(rows["value"], y, linestyle="none", markersize=5, **look)
            axes.set_title(scheme, fontsize=10, color=ink(look["color"]))
        words = "F1 (%), bar: 95 % bootstrap interval over the test set"
        axes.figure.supxlabel(words, fontsize=10)
    return axes.figure


@styled
def gains_chart(gains: pd.DataFrame, title: str) -> plt.Figure:
    """By how much one model leads another under each scheme, with paired bootstrap intervals.

    Parameters
    ----------
    gains : columns `model`, `scheme`, `difference`, `low`, `high` (points); one row of dots a model.

    >>> row = {"model": "m", "scheme": "micro", "difference": 1.0, "low": -0.5, "high": 2.5}
    >>> gains_chart(pd.DataFrame([row]), "one").axes[0].get_yticklabels()[0].get_text()
    'm'
    """
    models, schemes = first_seen(gains, "model"), first_seen(gains, "scheme")
    layout = {"headed": True, "fontsize": 9, "legend": len(schemes)}
    words = "points of F1, bar: 95 % paired bootstrap interval"
    with row_chart(models, title, 7.2, (1.4, 0.62), **layout, xlabel=words) as (axes,):
        for number, scheme in enumerate(schemes):
            rows, look = gains[gains["scheme"] == scheme], scheme_look(scheme)
            y = rows["model"].map(models.index) + 0.15 * (number - (len(schemes) - 1) / 2)
            with_intervals(axes, rows, y, value="difference", label=scheme, linewidth=1.3, **look)
        axes.axvline(0, color="black", linewidth=0.8)
    return axes.figure


@styled
def list_intervals_chart(
    scores: pd.DataFrame, title: str, value: str = "AUC", drawn: str = "each list by itself"
) -> plt.Figure:
    """A score of several systems with 95 % intervals, a row for each system and a colour for each group.

    Parameters
    ----------
    scores : columns `system`, `value`, `low`, `high` (per cent), `group`.
    drawn : what the bootstrap draws.

    >>> row = {"system": "s", "value": 20.0, "low": 18.0, "high": 22.0, "group": "g"}
    >>> list_intervals_chart(pd.DataFrame([row]), "one").axes[0].get_yticklabels()[0].get_text()
    's'
    """
    systems, groups = first_seen(scores, "system"), first_seen(scores, "group")
    words = f"{value} (%), bar: 95 % bootstrap interval, {drawn}"
    layout = {"grid": True, "legend": len(groups), "xlabel": words}
    with row_chart(systems, title, 7.2, (1.3, 0.27), **layout) as (axes,):
        for number, group in enumerate(groups):
            rows = scores[scores["group"] == group]
            y, color = rows["system"].map(systems.index), LINES[number % len(LINES)]
            with_intervals(axes, rows, y, "o", color=color, label=group)
    return axes.figure


@styled
def relation_f1_chart(scores: pd.DataFrame, title: str) -> plt.Figure:
    """F1 of each relation, a mark for each system; relations with their number of true facts.

    Parameters
    ----------
    scores : columns `relation`, `facts`, `system`, `value` (per cent).

    >>> row = {"relation": "r", "facts": 9, "system": "s", "value": 50.0}
    >>> relation_f1_chart(pd.DataFrame([row]), "one").axes[0].get_yticklabels()[0].get_text()
    'r (9)'
    """
    once, systems = scores.drop_duplicates("relation"), first_seen(scores, "system")
    relations = once["relation"].tolist()
    words = "F1 (%) at the threshold of the best micro-F1, mean over seeds"
    layout = {"grid": True, "legend": min(4, len(systems)), "xlabel": words}
    with row_chart(with_support(once["relation"], once["facts"]), title, 7.2, (1.6, 0.62), **layout) as (
        axes,
    ):
        for number, (system, marker) in enumerate(zip(systems, "osD^vPX*" * 4, strict=False)):
            rows, color = scores[scores["system"] == system], LINES[number % len(LINES)]
            y = rows["relation"].map(relations.index) + 0.11 * (number - (len(systems) - 1) / 2)
            axes.plot(rows["value"], y, marker, color=color, label=system, markersize=6)
    return axes.figure


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
    layout = {"columns": len(scores), "headed": True, "xlim": (-4, 104)}
    with row_chart(settings, title, 3.0 + 1.65 * len(scores), (1.1, 0.36), **layout) as panels:
        for axes, score in zip(panels, scores, strict=True):
            rows = points[points["score"] == score].dropna(subset="value")
            y = rows["setting"].map(settings.index)
            axes.plot(rows["value"], y, "o", color=BLUE, markersize=4.5, alpha=0.75)
            for row, mean in rows.groupby(y)["value"].mean().items():
                axes.plot([mean, mean], [row - 0.28, row + 0.28], color="black", linewidth=1.4)
                side, align = (-9, "right") if mean > 55 else (9, "left")
                look = {"textcoords": "offset points", "ha": align, "va": "center", "fontsize": 8}
                axes.annotate(f"{mean:.0f}", (mean, row), (side, 0), **look)
            axes.set_xlabel(f"{score} (%)")
    return axes.figure


@styled
def lead_draws_chart(leads: pd.DataFrame, names: tuple[str, str], title: str) -> plt.Figure:
    """By how much one system leads another in many draws: a row for each scheme, a dot for each draw.

    Parameters
    ----------
    leads : columns `seed`, `scheme`, `lead` (points, first minus second). names : of the two systems.

    >>> leads = pd.DataFrame({"seed": [1, 2], "scheme": "micro", "lead": [2.0, -1.0]})
    >>> lead_draws_chart(leads, ("a", "b"), "two").axes[0].get_yticklabels()[0].get_text()
    'micro'
    """
    schemes = first_seen(leads, "scheme")
    words = "points of F1, a dot for each draw; bar: the draw in the middle"
    with row_chart(schemes, title, 7.5, (1.1, 0.5), fontsize=10, xlabel=words) as (axes,):
        for y, scheme in enumerate(schemes):
            values = leads.loc[leads["scheme"] == scheme, "lead"].sort_values()
            spread = 0.26 * np.cos(2.4 * np.arange(len(values)))  # neighbours stand apart
            axes.scatter(values, y + spread, s=14, c=np.where(values > 0, BLUE, PALETTE[3]), linewidths=0)
            axes.plot([values.median()] * 2, [y - 0.38, y + 0.38], color="black", linewidth=1.6)
        axes.axvline(0, color="black", linewidth=0.8)
        for x, side, name, color in ((0.01, "left", names[1], PALETTE[3]), (0.99, "right", names[0], BLUE)):
            look = {"ha": side, "va": "bottom", "fontsize": 9, "fontweight": "bold", "color": ink(color)}
            axes.text(x, 0.005, f"{name} leads", transform=axes.transAxes, **look)
    return axes.figure


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
    layout = {"columns": len(names), "headed": True, "fontsize": 9, "xlabel": xlabel}
    width = 1.5 + min(max(4.0, 2.3 * len(names)), 8.0)
    with row_chart(rows, title, width, (1.3, 0.34), **layout) as panels:
        for name, axes in zip(names, panels, strict=True):
            shown = numbers[numbers["panel"] == name].dropna(subset="value")
            for y, row in enumerate(rows):
                _draw_forest(axes, y, shown[shown["row"] == row])
            axes.set_title(name, fontsize=10)
            if shown["value"].min() < 0 < shown["value"].max():  # differences
                axes.axvline(0, color="black", linewidth=0.8)
            axes.margins(x=0.12)
        for words, look in _FOREST.items():
            panels[0].plot([], [], linestyle="", label=words, **look)
        legend_below(axes.figure, panels[0], 3)
    return axes.figure


_FOREST = {
    "published": {
        "marker": "D",
        "color": ORANGE,
        "markerfacecolor": "white",
        "markersize": 7,
        "markeredgewidth": 1.8,
    },
    "mean of the runs": {"marker": "o", "color": BLUE, "markersize": 7.5, "zorder": 3},
    "each run": {"marker": "o", "color": BLUE, "markersize": 3.5, "markerfacecolor": "white", "zorder": 4},
}


def _draw_forest(axes: Axes, y: int, numbers: pd.DataFrame) -> None:
    ours = numbers.loc[numbers["source"] == "ours", "value"]
    published = numbers.loc[numbers["source"] == "published", "value"]
    if len(ours) and len(published):
        axes.plot([published.iloc[0], ours.mean()], [y, y], color=QUIET, linewidth=1.2, zorder=1)
    means = [ours.mean()] if len(ours) else []
    for values, look in zip((published, means, ours), _FOREST.values(), strict=True):
        axes.plot(values, [y] * len(values), linestyle="", **look)
    if len(published) and not len(ours):
        look = {"textcoords": "offset points", "va": "center", "fontsize": 7}
        axes.annotate("no runs", (published.iloc[0], y), (8, 0), **look)


@styled
def rates_chart(rates: pd.DataFrame, title: str) -> plt.Figure:
    """PIR and PPR of each model, a panel for each: ours seed by seed, published ones beside them.

    A light dot is a run, the full one their mean, the thick bar ± 1 SD over the runs, the thin one the
    bootstrap interval over the test set. A model whose rate is nowhere defined is marked so.

    Parameters
    ----------
    rates : columns `model`, `source` (one of `SOURCES`), `metric` ('pir' or 'ppr'), `kind` ('mean' or 'run'),
        `value`, `sd`, `low`, `high` (per cent; nan: no bar, and of `value`: undefined); models in the order
        of first sight, from the top.

    >>> rate = {"model": "m", "source": "ours", "metric": "ppr", "kind": "mean", "value": 34, "sd": 1.0}
    >>> rates = [rate | {"low": 32, "high": 36}, rate | {"metric": "pir", "value": float("nan")}]
    >>> [text.get_text() for text in rates_chart(pd.DataFrame(rates), "one").axes[0].texts]
    ['undefined']
    """
    models = first_seen(rates, "model")
    words = {"pir": "PIR (%): did not move\nsmall is good", "ppr": "PPR (%): right on both\nlarge is good"}
    layout = {"columns": 2, "headed": True, "fontsize": 9, "legend": 4, "xlim": (-4, 104)}
    with row_chart(models, title, 7.4, (1.7, 0.34), **layout) as panels:
        for axes, (metric, label) in zip(panels, words.items(), strict=True):
            for row in range(1, len(models), 2):
                axes.axhspan(row - 0.5, row + 0.5, color="#f3f3f3", zorder=0)
            own = rates[rates["metric"] == metric]
            for number, source in enumerate(SOURCES):
                _draw_rates(axes, own[own["source"] == source], models, 0.24 * (min(number, 2) - 1), source)
            for model in set(own.loc[own["value"].isna(), "model"]):
                look = {"fontsize": 8, "va": "center", "style": "italic", "color": "#444444"}
                axes.text(2, models.index(model), "undefined", **look)
            axes.set_xlabel(label)
    return axes.figure


def _draw_rates(axes: Axes, rates: pd.DataFrame, models: list[str], shift: float, source: str) -> None:
    rates = rates.dropna(subset="value")
    rates, look = rates.assign(y=rates["model"].map(models.index).astype(float) + shift), SOURCES[source]
    mean, runs = rates[rates["kind"] == "mean"], rates[rates["kind"] != "mean"]
    axes.hlines(mean["y"], mean["low"], mean["high"], color=look["color"], linewidth=1.1)
    ends = mean["value"] - mean["sd"], mean["value"] + mean["sd"]
    axes.hlines(mean["y"], *ends, color=look["color"], linewidth=4)
    axes.plot(mean["value"], mean["y"], linestyle="none", markersize=5.5, label=source, **look)
    single = {"color": look["color"], "markersize": 3.2, "markerfacecolor": "white", "zorder": 4}
    axes.plot(runs["value"], runs["y"], "o", **single)


@styled
def dumbbell_chart(shares: pd.DataFrame, kinds: dict[str, str], title: str) -> plt.Figure:
    """Two shares of each relation, joined by a line: a panel for each model, a row for each relation.

    Parameters
    ----------
    shares : columns `model`, `relation`, `n`, and two columns (per cent) that `kinds` names; models and
        relations in the order of first sight. A column `group` (text), if there is one, parts the relations.
    kinds : the two columns → what they are, the open circle first.

    >>> shares = pd.DataFrame({"model": ["m"], "relation": ["r"], "n": [4], "a": [25.0], "b": [5.0]})
    >>> figure = dumbbell_chart(shares, {"a": "right on A", "b": "right on both"}, "one")
    >>> figure.axes[0].get_yticklabels()[0].get_text(), figure.axes[0].get_title("left")
    ('r (4)', 'm')
    """
    models, once = first_seen(shares, "model"), shares.drop_duplicates("relation").reset_index(drop=True)
    layout = {"columns": len(models), "headed": True, "fontsize": 10, "grid": True, "legend": 2}
    layout |= {"xlim": (-6, 106), "xticks": [0, 50, 100]}
    names = with_support(once["relation"], once["n"])
    with row_chart(names, title, 2.6 + 1.3 * len(models), (1.4, 0.27), **layout) as panels:
        for axes, model in zip(panels, models, strict=True):
            own = shares[shares["model"] == model].set_index("relation").reindex(once["relation"])
            _join(axes, own, kinds)
            axes.set_title(model, fontsize=10)
        for name, rows in once.groupby("group", sort=False).groups.items() if "group" in once else ():
            axes.text(112, rows.values.mean(), name, rotation=270, va="center", fontsize=10)
            for panel in panels if rows[0] else ():
                panel.hlines(rows[0] - 0.5, -6, 106, color="black", linewidth=0.8)
        panels[len(models) // 2].set_xlabel("per cent of the relation's test sentences", fontsize=9)
    return axes.figure


def _join(axes: Axes, rows: pd.DataFrame, kinds: dict[str, str]) -> None:
    """Two columns of each row, an open and a full circle, and the line between them."""
    (open_end, open_words), (full_end, full_words) = kinds.items()
    y = range(len(rows))
    axes.hlines(y, rows[open_end], rows[full_end], color=QUIET, linewidth=1.6, zorder=2)
    axes.plot(rows[open_end], y, "o", color=BLUE, markerfacecolor="white", label=open_words, zorder=3)
    axes.plot(rows[full_end], y, "o", color=BLUE, label=full_words, zorder=4)


@styled
def leak_chart(systems: pd.DataFrame, title: str, marked: Sequence[str] = ()) -> plt.Figure:
    """Each system's score as stated and with the leak, a row for each with its name; some of them marked.

    Parameters
    ----------
    systems : columns `system`, `score`, `leaked` (per cent), in the order of the rows. marked : systems whose
        gains are written out.

    >>> systems = pd.DataFrame({"system": ["a"], "score": [64.0], "leaked": [73.0]})
    >>> leak_chart(systems, "one").axes[0].get_xlabel()
    'micro-F1 (%)'
    """
    low, high = systems["score"].min(), systems["leaked"].max()
    limits = low - 0.05 * (high - low), high + 0.12 * (high - low)  # room for the gains
    layout = {"fontsize": 9, "legend": 2, "xlabel": "micro-F1 (%)", "xlim": limits}
    with row_chart(systems["system"].tolist(), title, 6.4, (1.3, 0.3), **layout) as (axes,):
        for y, (system, score, leaked) in enumerate(systems[["system", "score", "leaked"]].to_numpy()):
            color, width = (PALETTE[3], 2.2) if system in marked else (QUIET, 1)
            axes.plot([score, leaked], [y, y], color=color, linewidth=width, zorder=1)
            if system in marked:
                look = {"va": "center", "fontsize": 8, "color": ink(color)}
                axes.text(leaked + 0.4, y, f"{leaked - score:+.1f}", **look)
        rows = range(len(systems))
        axes.scatter(systems["score"], rows, s=28, color=BLUE, label="as stated", zorder=2)
        axes.scatter(systems["leaked"], rows, s=28, color=ORANGE, marker="D", label="with the leak", zorder=2)
    return axes.figure


@styled
def p_values_chart(p_values: pd.DataFrame, title: str) -> plt.Figure:
    """Printed p-values and what the numbers printed beside them allow, as multiples of the printed p.

    Parameters
    ----------
    p_values : one row a test, drawn from the top: `label` (the −3 of 10^-3 is raised); `printed_low`,
        `printed_high` (what rounds to the printed p), `low`, `high` (p from all numbers together), each
        divided by the printed p; `consistent`.

    >>> ends = {"printed_low": 0.8, "printed_high": 1.2, "low": 2, "high": 3}
    >>> figure = p_values_chart(pd.DataFrame([{"label": "macro", **ends, "consistent": False}]), "one")
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()]
    ['macro']
    """
    rows = p_values.reset_index(drop=True)
    good = rows["consistent"].astype(bool)
    layout = {
        "headed": True,
        "fontsize": 10,
        "legend": 3,
        "xlabel": "p from means, SDs and d, as a multiple of the printed p",
    }
    names = [re.sub(r"\^(-?\d+)", r"$^{\1}$", label) for label in rows["label"]]
    with row_chart(names, title, 5.6, (1.3, 0.3), **layout) as (axes,):
        for chosen, color, words in (
            (good, BLUE, "possible p"),
            (~good, PALETTE[3], "possible p, without the printed one"),
        ):
            own = rows[chosen]
            axes.hlines(own.index, own["low"], own["high"], linewidth=6, color=color, label=words)
        ends, look = (rows["printed_low"], rows["printed_high"]), {"linewidth": 2.4, "color": "black"}
        axes.hlines(rows.index, *ends, label="printed", **look)
        axes.set(xscale="log", xticks=[0.3, 1, 3, 10])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.xaxis.set_minor_locator(plt.NullLocator())
    return axes.figure


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
    rows, total = range(len(weights)), total or weights["support"].sum()
    schemes = weights.columns.drop(["relation", "support"])
    layout = {"grid": True, "xlabel": "normalised weight", "xlim": (0, None)}
    names = with_support(weights["relation"], weights["support"])
    with row_chart(names, title, 7.5, (1.6, 0.2), **layout) as (axes,):
        for scheme in schemes:
            look = {"linestyle": "", "markersize": 6, "label": scheme}
            axes.plot(weights[scheme], rows, **look, **scheme_look(scheme))
        axes.hlines(rows, 0, weights[schemes].max(axis=1), color=GRID, linewidth=1, zorder=0)
        upper = axes.secondary_xaxis("top", functions=(lambda weight: weight * total, lambda n: n / total))
        upper.set_xlabel("samples (for weighted)", fontsize=8)
        upper.tick_params(labelsize=8)
        axes.legend(loc="lower right")
    return axes.figure


_MARKS = {
    "labels": ("labels of the schema", "|", "black", (10, -3)),
    "perplexity_without_negative": ("perplexity, positive classes", "o", BLUE, (0, 6)),
    "perplexity": ("perplexity with the negative class", "D", ORANGE, (0, -13)),
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
    sources = numbers["source"].map(lambda source: "" if source == "ours" else f"; {source}")
    names = list(numbers["dataset"].map(corpus_title) + sources)
    layout = {"fontsize": 9, "legend": len(_MARKS), "xlabel": "number of classes"}
    with row_chart(names, title, 7.5, (1.4, 0.42), **layout) as (axes,):
        for y, row in enumerate(numbers.to_dict("records")):
            _draw_numbers(axes, y, row)
        axes.set(xscale="log", xlim=(1, 130))
        axes.set_xticks([1, 2, 5, 10, 20, 50, 100], ["1", "2", "5", "10", "20", "50", "100"])
        axes.minorticks_off()
        for words, marker, color, _ in _MARKS.values():
            axes.plot([], [], marker, color=color, markersize=8, markeredgewidth=1.8, label=words)
    axes.set_ylim(len(numbers) - 0.4, -0.7)
    return axes.figure


def corpus_title(dataset: str) -> str:
    """The title of a data set; an unknown one is written as it is.

    >>> corpus_title("nyt24"), corpus_title("mine")
    ('NYT, Hoffmann', 'mine')
    """
    known = datasets()
    return known[dataset].title if dataset in known else dataset


def _draw_numbers(axes: Axes, y: int, row: dict) -> None:
    """One line of `effective_number_chart`; the numbers of near neighbours stand above and below."""
    once = row["perplexity"] == row["perplexity_without_negative"]
    values = {
        kind: row[kind] for kind in _MARKS if not (pd.isna(row[kind]) or (once and kind == "perplexity"))
    }
    axes.plot([min(values.values()), max(values.values())], [y, y], color=QUIET, linewidth=1.6, zorder=1)
    filled = {} if row["source"] == "ours" else {"markerfacecolor": "white"}
    for kind, value in values.items():
        _, marker, color, offset = _MARKS[kind]
        size = 13 if marker == "|" else 7
        axes.plot(value, y, marker, color=color, markersize=size, markeredgewidth=1.8, **filled)
        number = f"{value:.0f}" if kind == "labels" else f"{value:.2f}"
        axes.annotate(number, (value, y), offset, textcoords="offset points", ha="center", fontsize=7)
