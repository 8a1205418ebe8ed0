"""Figures that compare systems: intervals, ranks under each scheme, agreement, α-spectra, one class left
out."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import seaborn as sns

from .style import SCHEME_COLORS, SCHEME_MARKERS, styled


@styled
def interval_chart(scores: pd.DataFrame, title: str) -> plt.Figure:
    """Scores of systems under each scheme with their 95 % bootstrap intervals over the test set.

    Parameters
    ----------
    scores : columns `model`, `scheme`, `value`, `low`, `high` (per cent); models in the order of first sight.

    >>> row = {"model": "m", "scheme": "micro", "value": 70.0, "low": 69.0, "high": 71.0}
    >>> interval_chart(pd.DataFrame([row]), "one").axes[0].get_xlabel()
    'F1 (%), bar: 95 % bootstrap interval over the test set'
    """
    models, schemes = list(dict.fromkeys(scores["model"])), list(dict.fromkeys(scores["scheme"]))
    figure, axes = plt.subplots(figsize=(7.5, 1.2 + 0.52 * len(models)))
    for place, scheme in enumerate(schemes):
        rows = scores[scores["scheme"] == scheme]
        y = rows["model"].map(models.index) + 0.13 * (place - (len(schemes) - 1) / 2)
        reach = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
        look = {"color": SCHEME_COLORS[scheme], "fmt": SCHEME_MARKERS[scheme]}
        axes.errorbar(rows["value"], y, xerr=reach, markersize=4.5, linewidth=1.1, label=scheme, **look)
    axes.set_yticks(range(len(models)), models, fontsize=8)
    axes.set(xlabel="F1 (%), bar: 95 % bootstrap interval over the test set", title=title)
    axes.set_ylim(len(models) - 0.4, -0.6)
    figure.legend(
        *axes.get_legend_handles_labels(), ncols=len(schemes), loc="outside lower center", fontsize=8
    )
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
    figure, axes = plt.subplots(figsize=(7.5, 6.2))
    colors = dict(zip(highlight, sns.color_palette("colorblind", len(highlight)), strict=True))
    for model, row in ranks.iterrows():
        named = model in colors
        axes.plot(
            range(len(row)),
            row,
            color=colors.get(model, "#c9c9c9"),
            linewidth=2.2 if named else 0.8,
            marker="o" if named else None,
            markersize=4,
            zorder=3 if named else 1,
        )
        if named:
            axes.annotate(
                model,
                (len(row) - 1, row.iloc[-1]),
                (6, 0),
                textcoords="offset points",
                va="center",
                fontsize=7,
            )
    axes.set_xticks(range(ranks.shape[1]), ranks.columns)
    axes.set(ylabel="rank (1 is best)", title=title, ylim=(len(ranks) + 0.5, 0.5))
    axes.grid(axis="x", visible=False)
    return figure


@styled
def agreement_heatmap(taus: pd.DataFrame, title: str) -> plt.Figure:
    """Kendall's τ between the rankings under each pair of schemes.

    Parameters
    ----------
    taus : square, index and columns the schemes.

    >>> taus = pd.DataFrame([[1, 0.8], [0.8, 1]], index=["micro", "macro"], columns=["micro", "macro"])
    >>> [text.get_text() for text in agreement_heatmap(taus, "two").axes[0].texts]
    ['1.000', '0.800', '0.800', '1.000']
    """
    figure, axes = plt.subplots(figsize=(5, 4))
    lowest = np.floor(10 * np.nanmin(taus.to_numpy(dtype=float))) / 10
    sns.heatmap(
        taus, annot=True, fmt=".3f", cmap="crest_r", vmin=lowest, vmax=1, square=True, cbar=False, ax=axes
    )
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
    >>> alpha_spectrum_chart(spectrum, [], "one").axes[0].get_legend_handles_labels()[1]
    ['m']
    """
    figure, axes = plt.subplots(figsize=(7, 3.8))
    for model, curve in spectrum.groupby("model", sort=False):
        (line,) = axes.plot(curve["alpha"], curve["value"], linewidth=1.8, label=model)
        if "low" in curve:
            axes.fill_between(curve["alpha"], curve["low"], curve["high"], color=line.get_color(), alpha=0.13)
    for name, alpha in (("macro", 0), ("dodrans", 0.75), ("weighted", 1)):
        axes.axvline(alpha, color="#999999", linewidth=0.8, zorder=1)
        axes.text(alpha, 1.01, name, transform=axes.get_xaxis_transform(), ha="center", fontsize=8)
    for alpha in crossings:
        axes.axvline(alpha, color="black", linestyle=":", linewidth=1.2)
        axes.text(alpha, 0.03, f" α = {alpha:.3f}", transform=axes.get_xaxis_transform(), fontsize=8)
    axes.set(xlabel="α of the weights n^α", ylabel="F1 (%)")
    axes.set_title(title, pad=18)
    axes.legend(fontsize=8)
    return figure


@styled
def left_out_chart(changes: pd.DataFrame, title: str) -> plt.Figure:
    """How far the score moves when one class is left out of the average.

    Parameters
    ----------
    changes : columns `relation`, `support`, `change` (points, score without the class minus score with it);
        drawn in the given order, from the top.

    >>> changes = pd.DataFrame({"relation": ["r"], "support": [1], "change": [1.2]})
    >>> left_out_chart(changes, "one").axes[0].get_yticklabels()[0].get_text()
    'r (1)'
    """
    figure, axes = plt.subplots(figsize=(7, 1.2 + 0.22 * len(changes)))
    rows = range(len(changes))
    axes.barh(rows, changes["change"], color=np.where(changes["change"] > 0, "#0173b2", "#de8f05"))
    names = [f"{name} ({n})" for name, n in zip(changes["relation"], changes["support"], strict=True)]
    axes.set_yticks(rows, names, fontsize=8)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set(
        xlabel="points of F1 gained when the class is left out", title=title, ylim=(len(changes) - 0.4, -0.6)
    )
    return figure
