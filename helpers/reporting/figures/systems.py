"""Figures of systems and runs under the weighting schemes: intervals, ranks, α-spectra, one class out."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.axes import Axes

from .parts import (
    alpha_axis,
    first_seen,
    headline,
    label_ends,
    name_rows,
    panels,
    spread_labels,
    with_support,
)
from .style import BLUE, FAINT, ORANGE, PALETTE, QUIET, ink, scheme_look, styled

_PAIR, _MARKERS = (PALETTE[0], PALETTE[3]), "os"


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
    size = (2.2 + 2.1 * len(schemes), 1.2 + 0.3 * len(models))
    figure, found = plt.subplots(1, len(schemes), figsize=size, sharex=True, sharey=True, squeeze=False)
    for axes, scheme in zip(found[0], schemes, strict=True):
        rows = scores[scores["scheme"] == scheme]
        y, look = rows["model"].map(models.index), scheme_look(scheme)
        axes.hlines(y, rows["low"], rows["high"], color=look["color"], linewidth=2)
        axes.plot(rows["value"], y, linestyle="none", markersize=5, **look)
        name_rows(axes, models, fontsize=10)
        axes.set_title(scheme, fontsize=10, color=ink(look["color"]))
        axes.grid(axis="y", visible=False)
    figure.supxlabel("F1 (%), bar: 95 % bootstrap interval over the test set", fontsize=10)
    headline(figure, title)
    return figure


@styled
def rank_chart(ranks: pd.DataFrame, highlight: list[str], title: str) -> plt.Figure:
    """The rank of every system under each scheme, as one line a system; a few are named.

    Parameters
    ----------
    ranks : index the system, one column a scheme, values 1 (best) … M. highlight : systems drawn in colour.

    >>> ranks = pd.DataFrame({"micro": [1, 2], "macro": [2, 1]}, index=["a", "b"])
    >>> len(rank_chart(ranks, ["a"], "two").axes[0].lines)
    2
    """
    figure, axes = plt.subplots(figsize=(7.5, 5.6))
    colors = dict(zip(highlight, (PALETTE[at] for at in (0, 3, 2, 1, 4, 5, 9, 8)), strict=False))
    last = ranks.shape[1] - 1
    ends = []
    for model, row in ranks.iterrows():
        look = {"color": FAINT, "linewidth": 0.8, "zorder": 1}
        if model in colors:
            look = {"color": colors[model], "linewidth": 2.2, "marker": "o", "markersize": 4, "zorder": 3}
            ends.append((last, row.iloc[-1], f"{row.iloc[-1]}  {model}", colors[model]))
            start = {"xytext": (-6, 0), "textcoords": "offset points", "ha": "right", "va": "center"}
            axes.annotate(f"{row.iloc[0]}", (0, row.iloc[0]), color=ink(colors[model]), fontsize=8, **start)
        axes.plot(range(len(row)), row, **look)
    axes.set_xticks(range(ranks.shape[1]), ranks.columns)
    axes.set_title(title, pad=14)
    axes.set(ylabel="rank (1 is best)", ylim=(len(ranks) + 0.5, 0.5), xlim=(-0.3, last + 0.05))
    axes.grid(axis="x", visible=False)
    if ends:
        label_ends(axes, ends, x=1.03)
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
def alpha_spectrum_chart(spectrum: pd.DataFrame, crossings: list[float], title: str) -> plt.Figure:
    """F1 of systems along the family n^α, from macro (0) over dodrans (0.75) to weighted (1).

    Parameters
    ----------
    spectrum : columns `model`, `alpha`, `value` (per cent), and `low`, `high` if a band is to be drawn.
    crossings : the α at which two systems change places; drawn as dotted lines.

    >>> spectrum = pd.DataFrame({"model": "m", "alpha": [0.0, 1.0], "value": [50.0, 60.0]})
    >>> alpha_spectrum_chart(spectrum, [], "one").axes[0].texts[-1].get_text()
    '60.0  m'
    """
    figure, axes = plt.subplots(figsize=(7.5, 3.8))
    starts, ends = [], []
    for place, (model, curve) in enumerate(spectrum.groupby("model", sort=False)):
        color = PALETTE[(0, 3, 2, 1, 4)[place % 5]]
        axes.plot(curve["alpha"], curve["value"], linewidth=1.8, color=color)
        if "low" in curve:
            axes.fill_between(curve["alpha"], curve["low"], curve["high"], color=color, alpha=0.13)
        first, last = curve["value"].iloc[0], curve["value"].iloc[-1]
        starts.append((curve["alpha"].iloc[0], first, color))
        ends.append((curve["alpha"].iloc[-1], last, f"{last:.1f}  {model}", color))
    alpha_axis(axes, title)
    for alpha in crossings:
        axes.axvline(alpha, color="black", linestyle=":", linewidth=1.2)
        axes.text(alpha, 0.03, f" α = {alpha:.3f}", transform=axes.get_xaxis_transform(), fontsize=8)
    axes.margins(x=0.12)
    _label_starts(axes, starts)
    label_ends(axes, ends)
    return figure


def _label_starts(axes: Axes, starts: list[tuple[float, float, str]]) -> None:
    """The values at the left ends of lines, moved apart where they would touch."""
    low, high = axes.get_ylim()
    heights = spread_labels([value for _, value, _ in starts], (high - low) / 19)
    for (x, value, color), height in zip(starts, heights, strict=True):
        look = {"ha": "right", "va": "center", "fontsize": 8, "color": ink(color)}
        axes.text(x - 0.015, height, f"{value:.1f}", **look)


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
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.22 * len(changes)))
    axes.barh(range(len(changes)), changes["change"], color=np.where(changes["change"] > 0, BLUE, ORANGE))
    name_rows(axes, with_support(changes["relation"], changes["support"]))
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(xlabel="points of F1 gained when the class is left out", title=title)
    return figure


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
    figure, axes = plt.subplots(figsize=(7.5, 1.1 + 0.5 * len(schemes)))
    for y, scheme in enumerate(schemes):
        values = leads.loc[leads["scheme"] == scheme, "lead"].sort_values()
        spread = 0.26 * np.cos(2.4 * np.arange(len(values)))  # neighbours stand apart
        colors = np.where(values > 0, _PAIR[0], _PAIR[1])
        axes.scatter(values, y + spread, s=14, c=colors, linewidths=0)
        axes.plot([values.median()] * 2, [y - 0.38, y + 0.38], color="black", linewidth=1.6)
    name_rows(axes, schemes, fontsize=10)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(title=title, xlabel="points of F1, a dot for each draw; bar: the draw in the middle")
    for x, side, name, color in ((0.01, "left", names[1], _PAIR[1]), (0.99, "right", names[0], _PAIR[0])):
        words = {"transform": axes.transAxes, "ha": side, "va": "bottom", "fontsize": 9, "fontweight": "bold"}
        axes.text(x, 0.005, f"{name} leads", color=ink(color), **words)
    axes.grid(axis="y", visible=False)
    return figure


@styled
def reversal_chart(scores: pd.DataFrame, title: str) -> plt.Figure:
    """Macro-F1 of two models with and without one class: a panel for each source, a line for each run.

    Parameters
    ----------
    scores : columns `panel`, `model`, `run` (whatever tells runs apart), `with_class`, `without_class` (per
        cent); models in the order of first sight, at most two.

    >>> row = {"panel": "p", "model": "m", "run": 9, "with_class": 82.7, "without_class": 87.6}
    >>> reversal_chart(pd.DataFrame([row]), "one").axes[0].get_ylabel()
    'macro-F1 (%)'
    """
    models = first_seen(scores, "model")
    figure, found = panels(scores, "panel", 0.8, 2.9, 3.9)
    for panel, axes, rows in found:
        for row in rows.itertuples():
            place = models.index(row.model)
            look = {"color": _PAIR[place % 2], "marker": _MARKERS[place % 2], "markersize": 5}
            alpha = 0.9 if (rows["model"] == row.model).sum() == 1 else 0.55
            axes.plot([0, 1], [row.with_class, row.without_class], linewidth=1.4, alpha=alpha, **look)
        _name_ends(axes, rows, models)
        axes.set_xticks([0, 1], ["all 18\nclasses", "17, without\nthe class"], fontsize=9)
        axes.set_xlim(-0.6, 1.75)
        axes.set_title(panel, fontsize=10)
        axes.grid(axis="x", visible=False)
    low, high = scores[["with_class", "without_class"]].min().min(), scores["without_class"].max()
    found[0][1].set(ylabel="macro-F1 (%)", ylim=(low - 1.2, high + 1.2))
    headline(figure, title)
    return figure


def _name_ends(axes: Axes, rows: pd.DataFrame, models: list[str]) -> None:
    ends = rows.groupby("model", sort=False)["without_class"].mean()
    for (model, value), place in zip(ends.items(), spread_labels(list(ends), 0.8), strict=True):
        color = _PAIR[models.index(model) % 2]
        axes.annotate(
            f"{model} {value:.1f}", (1.08, place), color=color, fontsize=8, va="center", fontweight="bold"
        )
    starts = rows.groupby("model", sort=False)["with_class"].mean()
    for (model, value), place in zip(starts.items(), spread_labels(list(starts), 0.8), strict=True):
        look = {"color": _PAIR[models.index(model) % 2], "fontsize": 8, "ha": "right", "va": "center"}
        axes.annotate(f"{value:.1f}", (-0.08, place), **look)


@styled
def landing_chart(lead: pd.DataFrame, direction: pd.DataFrame) -> plt.Figure:
    """The project in one picture: two systems whose order turns with the scheme, and one model's score on
    sentences and on the same sentences with the entities exchanged.

    Parameters
    ----------
    lead : a row for each scheme: `scheme`, `difference`, `low`, `high` (points, first minus second),
        `score_first`, `score_second` (per cent), `first`, `second` (names).
    direction : a row for each run: `model`, `set` (two values), `value` (per cent), and `low`, `high`, an
        interval that the runs of a model share.

    >>> ends = {"low": [1.0, -4.0], "high": [3.0, -0.5], "first": "a", "second": "b"}
    >>> lead = pd.DataFrame({"scheme": ["micro", "macro"], "difference": [2.0, -2.0]} | ends)
    >>> run = {"model": "m", "set": ["as it is", "exchanged"], "value": [85.0, 15.0], "low": 10, "high": 90}
    >>> figure = landing_chart(lead.assign(score_first=66.0, score_second=65.0), pd.DataFrame(run))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['difference of F1 (points)', 'official macro-F1, 9 relations (%)']
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(9.6, 3.9), width_ratios=(1.35, 1))
    _draw_lead(left, lead)
    models, sets = first_seen(direction, "model"), first_seen(direction, "set")
    for place, kind in enumerate(sets):
        rows = (
            direction[direction["set"] == kind].groupby("model")[["value", "low", "high"]].mean().loc[models]
        )
        at = np.arange(len(models)) + 0.36 * (place - 0.5)
        bars = right.bar(at, rows["value"], width=0.34, color=(BLUE, ORANGE)[place], label=kind)
        ends = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
        right.errorbar(
            at - 0.11, rows["value"], yerr=ends, fmt="none", ecolor="black", capsize=4, linewidth=1.2
        )
        right.bar_label(bars, fmt="%.0f", fontsize=10, fontweight="bold", padding=6)
        for x, model in zip(at, models, strict=True):
            runs = direction.loc[(direction["set"] == kind) & (direction["model"] == model), "value"]
            spread = x + np.linspace(-0.05, 0.13, len(runs))
            right.scatter(spread, runs, s=9, color="white", edgecolor="black", linewidth=0.6, zorder=3)
    right.set_xticks(range(len(models)), models)
    right.set(ylabel="official macro-F1, 9 relations (%)", ylim=(0, 116))
    right.grid(axis="x", visible=False)
    right.set_title("Right about a sentence, wrong about\nthe same one with entities exchanged", fontsize=11)
    right.legend(fontsize=8, ncols=2, loc="upper center")
    return figure


def _draw_lead(axes: Axes, lead: pd.DataFrame) -> None:
    """By how much the first system leads under each scheme, with intervals."""
    first, second = lead["first"].iloc[0], lead["second"].iloc[0]
    axes.axhline(0, color="black", linewidth=1)
    for at, row in enumerate(lead.itertuples()):
        color = _PAIR[int(row.difference < 0)] if row.low > 0 or row.high < 0 else QUIET
        ends = [[row.difference - row.low], [row.high - row.difference]]
        axes.errorbar(
            at, row.difference, yerr=ends, fmt="o", color=color, capsize=4, markersize=7, linewidth=2
        )
        scores = f"{row.score_first:.1f}\n{row.score_second:.1f}"
        axes.text(at + 0.12, row.difference, scores, va="center", fontsize=8)
    reach = 1.35 * lead[["low", "high"]].abs().to_numpy().max()
    axes.set(ylim=(-reach, reach), xlim=(-0.5, len(lead) - 0.3), ylabel="difference of F1 (points)")
    for y, name, va, color in ((0.98, first, "top", _PAIR[0]), (0.02, second, "bottom", _PAIR[1])):
        words = {"va": va, "ha": "center", "fontsize": 9, "fontweight": "bold", "color": ink(color)}
        axes.text(0.5, y, f"{name} leads", transform=axes.transAxes, **words)
    axes.set_xticks(range(len(lead)), lead["scheme"])
    axes.grid(axis="x", visible=False)
    axes.set_title("Same predictions: the better system\ndepends on the scheme", fontsize=11)
