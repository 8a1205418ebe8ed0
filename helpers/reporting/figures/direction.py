"""Figures of relation direction: A against B, PIR and PPR, each relation, epoch by epoch."""

from __future__ import annotations

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from .parts import first_seen, headline, legend_below, name_rows, panels, spread_labels, with_support
from .style import BLUE, ORANGE, PALETTE, QUIET, ink, styled

_LOOKS = {
    "ours": {"color": BLUE, "marker": "o"},
    "published, base": {"color": ORANGE, "marker": "D", "markerfacecolor": "white"},
    "published, large": {"color": PALETTE[3], "marker": "s", "markerfacecolor": "white"},
    "published, other": {"color": "#555555", "marker": "^", "markerfacecolor": "white"},
}
"""Where a number is from; 'other' is a model without BERT."""


@styled
def original_paired_chart(points: pd.DataFrame, title: str) -> plt.Figure:
    """Performance on the paired set B against that on the test set A, on equal axes; a panel for published
    and for ours.

    Parameters
    ----------
    points : columns `panel`, `name` (written beside the point), `source` ('ours', 'published, base',
        'published, large' or 'published, other'), `a`, `b` (per cent), `a_sd`, `b_sd` (nan: no bar).

    >>> point = {"panel": "p", "name": "m", "source": "ours", "a": 80, "b": 40, "a_sd": 1.0, "b_sd": 2.0}
    >>> [text.get_text() for text in original_paired_chart(pd.DataFrame([point]), "one").axes[0].texts]
    ['m', 'A = B']
    """
    figure, found = panels(points, "panel", 0.2, 4.0, 3.9)
    for panel, axes, rows in found:
        for row in rows.itertuples():
            bars = {"xerr": row.a_sd, "yerr": row.b_sd, "linewidth": 1.0, "markersize": 5.5}
            axes.errorbar(row.a, row.b, linestyle="none", **bars, **_LOOKS[row.source])
        _name_points(axes, rows, 100)
        axes.plot([0, 100], [0, 100], color="#666666", linewidth=1, linestyle="--", zorder=0)
        axes.annotate("A = B", (30, 30), (4, -10), textcoords="offset points", fontsize=8, color="#555555")
        axes.set(
            xlim=(0, 100), ylim=(0, 100), aspect="equal", xlabel="A: official macro-F1 on the test set (%)"
        )
        axes.set_title(panel, fontsize=10)
    found[0][1].set_ylabel("B: on the paired set (%)")
    headline(figure, title)
    return figure


def _name_points(axes: Axes, rows: pd.DataFrame, right: float) -> None:
    """Names in a column at the right, near the height of their points, tied to them by a thin line."""
    for row, place in zip(rows.itertuples(), spread_labels(list(rows["b"]), 5.4), strict=True):
        line = {"arrowstyle": "-", "color": "#b5b5b5", "linewidth": 0.7, "shrinkA": 1, "shrinkB": 3}
        axes.annotate(
            row.name, (row.a, row.b), (right + 3, place), fontsize=8, ha="left", va="center",
            arrowprops=line, color=ink(_LOOKS[row.source]["color"]), annotation_clip=False,
        )  # fmt: skip


@styled
def rates_chart(rates: pd.DataFrame, title: str) -> plt.Figure:
    """PIR and PPR of each model, a panel for each: ours seed by seed, published ones beside them.

    A light dot is a run, the full one their mean, the thick bar ± 1 SD over the runs, the thin one the
    bootstrap interval over the test set. A model whose rate is nowhere defined is marked so.

    Parameters
    ----------
    rates : columns `model`, `source` (see `original_paired_chart`), `metric` ('pir' or 'ppr'), `kind` ('mean'
        or 'run'), `value`, `sd`, `low`, `high` (per cent; nan: no bar, and of `value`: undefined); models in
        the order of first sight, from the top.

    >>> rate = {"model": "m", "source": "ours", "metric": "ppr", "kind": "mean", "value": 34, "sd": 1.0}
    >>> rates = [rate | {"low": 32, "high": 36}, rate | {"metric": "pir", "value": float("nan")}]
    >>> [text.get_text() for text in rates_chart(pd.DataFrame(rates), "one").axes[0].texts]
    ['undefined']
    """
    models = first_seen(rates, "model")
    figure, found = plt.subplots(1, 2, figsize=(7.4, 1.7 + 0.34 * len(models)), sharey=True)
    words = {"pir": "PIR (%): did not move\nsmall is good", "ppr": "PPR (%): right on both\nlarge is good"}
    for axes, (metric, label) in zip(found, words.items(), strict=True):
        for row in range(1, len(models), 2):
            axes.axhspan(row - 0.5, row + 0.5, color="#f3f3f3", zorder=0)
        _draw_rates(axes, rates[rates["metric"] == metric], models)
        axes.set(xlabel=label, xlim=(-4, 104))
        name_rows(axes, models, fontsize=9)
        axes.grid(axis="y", visible=False)
    headline(figure, title)
    legend_below(figure, axes, 4)
    return figure


def _draw_rates(axes: Axes, rates: pd.DataFrame, models: list[str]) -> None:
    for place, source in enumerate(_LOOKS):
        own = rates[(rates["source"] == source) & rates["value"].notna()]
        rows = own["model"].map(models.index).astype(float) + 0.24 * (min(place, 2) - 1)
        means, look = own["kind"] == "mean", _LOOKS[source]
        mean, y = own[means], rows[means]
        axes.hlines(y, mean["low"], mean["high"], color=look["color"], linewidth=1.1)
        axes.hlines(
            y, mean["value"] - mean["sd"], mean["value"] + mean["sd"], color=look["color"], linewidth=4
        )
        axes.plot(mean["value"], y, linestyle="none", markersize=5.5, label=source, **look)
        single = {"color": look["color"], "markersize": 3.2, "markerfacecolor": "white", "zorder": 4}
        axes.plot(own.loc[~means, "value"], rows[~means], "o", **single)
    for model in set(rates.loc[rates["value"].isna(), "model"]):
        axes.text(
            2, models.index(model), "undefined", fontsize=8, va="center", style="italic", color="#444444"
        )


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
    models, relations = first_seen(shares, "model"), first_seen(shares, "relation")
    size = (2.6 + 1.3 * len(models), 1.4 + 0.27 * len(relations))
    figure, found = plt.subplots(1, len(models), figsize=size, sharey=True, squeeze=False)
    (open_end, open_words), (full_end, full_words) = kinds.items()
    known = shares.drop_duplicates("relation").set_index("relation").loc[relations]
    for axes, model in zip(found[0], models, strict=True):
        own = shares[shares["model"] == model].set_index("relation").reindex(relations)
        rows = range(len(own))
        axes.hlines(rows, own[open_end], own[full_end], color=QUIET, linewidth=1.6, zorder=2)
        axes.plot(own[open_end], rows, "o", color=BLUE, markerfacecolor="white", label=open_words, zorder=3)
        axes.plot(own[full_end], rows, "o", color=BLUE, label=full_words, zorder=4)
        axes.set(xlim=(-6, 106), xticks=[0, 50, 100])
        axes.set_title(model, fontsize=10)
        name_rows(axes, with_support(pd.Series(relations), known["n"]), fontsize=10)
        if "group" in known:
            parts = known["group"].ne(known["group"].shift()).to_numpy().nonzero()[0][1:]
            axes.hlines(parts - 0.5, -6, 106, color="black", linewidth=0.8)
    for name, rows in (
        known.reset_index().groupby("group", sort=False).groups.items() if "group" in known else ()
    ):
        axes.text(112, rows.values.mean(), name, rotation=270, va="center", fontsize=10)
    found[0][len(models) // 2].set_xlabel("per cent of the relation's test sentences", fontsize=9)
    headline(figure, title)
    legend_below(figure, found[0][0], 2)
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
    ['PPR: 1 → 60']
    """
    figure, axes = plt.subplots(figsize=(7.2, 3.8))
    lines = [(name, curve[curve["score"] == score]) for score, name in names.items()]
    lines = [(name, line) for name, line in lines if len(line)]
    places = spread_labels([line["value"].iloc[-1] for _, line in lines], 6.5)
    for number, ((name, line), place) in enumerate(zip(lines, places, strict=True)):
        look = {"color": PALETTE[(0, 2, 3, 1, 4)[number % 5]], "marker": "osD^v"[number % 5]}
        axes.plot(line["epoch"], line["value"], linewidth=1.8, markersize=5, **look)
        axes.annotate(
            f"{name}: {line['value'].iloc[0]:.0f} → {line['value'].iloc[-1]:.0f}",
            (line["epoch"].iloc[-1] + 0.12, place), color=ink(look["color"]), fontsize=9, va="center",
            annotation_clip=False,
        )  # fmt: skip
    last = curve["epoch"].max()
    axes.set(xlabel="epoch", ylabel="per cent", ylim=(-3, 103), title=title, xlim=(0.8, last + 0.1))
    axes.set_xticks(range(1, last + 1))
    return figure
