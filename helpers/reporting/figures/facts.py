"""Figures of ranked facts: precision–recall curves, where lists stop, what their hits are, protocols."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from .parts import first_seen, headline, legend_below, name_rows, panels, spread_labels, with_support
from .style import BLUE, FAINT, PALETTE, QUIET, ink, styled

_COLORS = [PALETTE[at] for at in (0, 3, 2, 1, 4, 5, 9, 7)]


@styled
def precision_recall_chart(curves: pd.DataFrame, title: str) -> plt.Figure:
    """Precision against recall, a line for each system, named at its end; a panel for each `panel`.

    Parameters
    ----------
    curves : columns `panel`, `system`, `recall`, `precision` (per cent), and `low`, `high` where a band is to
        be drawn (95 % bootstrap interval of the precision at that recall).

    >>> curve = pd.DataFrame({"panel": "p", "system": "s", "recall": [0, 10], "precision": [90.0, 50.0]})
    >>> precision_recall_chart(curve, "one").axes[0].get_xlabel()
    'recall (%)'
    """
    width = 4.6 if curves["panel"].nunique() < 3 else 3.9
    figure, found = panels(curves, "panel", 0.9, width, 4.0)
    for panel, axes, rows in found:
        ends = []
        for place, (system, curve) in enumerate(rows.groupby("system", sort=False)):
            color = _COLORS[place % len(_COLORS)]
            axes.plot(curve["recall"], curve["precision"], color=color, linewidth=1.7)
            if "low" in curve:
                axes.fill_between(
                    curve["recall"], curve["low"], curve["high"], color=color, alpha=0.13, linewidth=0
                )
            ends.append((system, color, *curve[["recall", "precision"]].iloc[-1]))
        _name_line_ends(axes, ends)
        axes.set_title(panel, fontsize=10)
        axes.set(xlabel="recall (%)", ylim=(0, 102))
    found[0][1].set(ylabel="precision (%)")
    headline(figure, title)
    return figure


def _name_line_ends(axes: Axes, ends: Sequence[tuple[str, str, float, float]], gap: float = 5.0) -> None:
    """The names of lines at the right, in the lines' colours, apart from each other."""
    right = max(end[2] for end in ends)
    places = spread_labels([end[3] for end in ends], gap)
    up = max(0, gap / 2 - min(places))  # no name below the axis
    for (name, color, x, y), place in zip(ends, places, strict=True):
        axes.annotate(
            name,
            (x, y),
            (right * 1.03, place + up),
            color=ink(color),
            fontsize=8,
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": color,
                "linewidth": 0.6,
                "shrinkA": 1,
                "shrinkB": 1,
                "relpos": (0, 0.5),
            },
        )
    axes.set_xlim(0, right * 1.45)  # room for the names; no ticks there
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= max(right, 100)])
    axes.set_xlim(0, right * 1.45)


@styled
def cut_areas_chart(areas: pd.DataFrame, title: str) -> plt.Figure:
    """The area under a list's curve against the recall at which the list is cut.

    Parameters
    ----------
    areas : columns `system`, `recall`, `area` (per cent); the last point of a system is its whole list.

    >>> areas = pd.DataFrame({"system": "s", "recall": [10, 20], "area": [8.0, 14.0]})
    >>> cut_areas_chart(areas, "one").axes[0].get_ylabel()
    'area up to that recall (points)'
    """
    figure, axes = plt.subplots(figsize=(7.4, 4.4))
    ends = []
    for place, (system, rows) in enumerate(areas.groupby("system", sort=False)):
        color = _COLORS[place % len(_COLORS)]
        axes.plot(rows["recall"], rows["area"], color=color, linewidth=1.6)
        axes.plot(rows["recall"].iloc[-1], rows["area"].iloc[-1], "o", color=color, markersize=5)
        ends.append((system, color, rows["recall"].iloc[-1], rows["area"].iloc[-1]))
    _name_line_ends(axes, ends, gap=0.055 * areas["area"].max())
    axes.set(xlabel="recall at which the list is cut (%); a dot: where it ends by itself", title=title)
    axes.set(ylabel="area up to that recall (points)", ylim=(0, None))
    return figure


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
    figure, axes = plt.subplots(figsize=(7.2, 1.3 + 0.27 * len(systems)))
    for place, group in enumerate(groups):
        rows = scores[scores["group"] == group]
        y = [systems.index(name) for name in rows["system"]]
        reach = [rows["value"] - rows["low"], rows["high"] - rows["value"]]
        axes.errorbar(
            rows["value"],
            y,
            xerr=reach,
            fmt="o",
            color=_COLORS[place % len(_COLORS)],
            label=group,
            markersize=5,
        )
    name_rows(axes, systems)
    axes.set(xlabel=f"{value} (%), bar: 95 % bootstrap interval, {drawn}", title=title)
    legend_below(figure, axes, len(groups))
    return figure


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
    figure, axes = plt.subplots(figsize=(7.4, 1.6 + 0.34 * len(systems)))
    table = shares.pivot_table(index="system", columns="relation", values="share", sort=False).fillna(0)
    left = pd.Series(0.0, index=systems)
    for place, relation in enumerate(relations):
        color = QUIET if relation == "other" else _COLORS[place % len(_COLORS)]
        widths = table[relation].reindex(systems).fillna(0)
        axes.barh(range(len(systems)), widths, left=left, color=color, label=relation, height=0.7)
        left += widths
    name_rows(axes, systems)
    axes.set(xlabel="share of the list's true facts (%)", xlim=(0, 100), title=title)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2, fontsize=7)
    axes.grid(axis="y", visible=False)
    return figure


@styled
def slope_chart(lines: pd.DataFrame, title: str, ylabel: str = "AUC (%)") -> plt.Figure:
    """A value of several things at each step, a line for each: where lines cross, the steps disagree.

    Parameters
    ----------
    lines : columns `line`, `x` (steps in the order of first sight), `value` (per cent), `marked` (drawn in
        colour and named at both ends; the others are thin, grey and without a name).

    >>> lines = pd.DataFrame({"line": ["a", "a"], "x": ["p", "q"], "value": [10.0, 30.0], "marked": True})
    >>> len(slope_chart(lines, "one").axes[0].lines)
    1
    """
    steps = first_seen(lines, "x")
    figure, axes = plt.subplots(figsize=(2.6 + 1.5 * len(steps), 4.4))
    table = lines.pivot_table(index="line", columns="x", values="value", sort=False)[steps]
    named = table[table.index.isin(lines.loc[lines["marked"], "line"])]
    colors = dict(zip(named.index, _COLORS * 3, strict=False))
    for line, row in table.iterrows():
        width = 2.2 if line in colors else 0.9
        axes.plot(range(len(row)), row, "o-", color=colors.get(line, FAINT), linewidth=width, markersize=4)
    gap = 0.045 * (table.max(axis=None) - table.min(axis=None))
    for side, at, align in ((0, -0.08, "right"), (-1, len(steps) - 0.92, "left")):
        for (line, color), place in zip(
            colors.items(), spread_labels(list(named[steps[side]]), gap), strict=True
        ):
            axes.text(at, place, line, ha=align, va="center", fontsize=9, color=ink(color))
    axes.set_xticks(range(len(steps)), steps)
    axes.set(xlim=(-0.9, len(steps) - 0.1), ylabel=ylabel, title=title)
    axes.grid(axis="x", visible=False)
    return figure


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
    relations, systems = first_seen(scores, "relation"), first_seen(scores, "system")
    figure, axes = plt.subplots(figsize=(7.2, 1.6 + 0.62 * len(relations)))
    for place, (system, marker) in enumerate(zip(systems, "osD^vPX*" * 4, strict=False)):
        rows = scores[scores["system"] == system]
        y = rows["relation"].map(relations.index) + 0.11 * (place - (len(systems) - 1) / 2)
        axes.plot(rows["value"], y, marker, color=_COLORS[place % len(_COLORS)], label=system, markersize=6)
    facts = scores.drop_duplicates("relation").set_index("relation")["facts"]
    name_rows(axes, with_support(pd.Series(relations), facts.reindex(relations)))
    axes.set(xlabel="F1 (%) at the threshold of the best micro-F1, mean over seeds", title=title)
    legend_below(figure, axes, min(4, len(systems)))
    return figure


@styled
def draws_chart(points: pd.DataFrame, title: str, xlabel: str, ylabel: str) -> plt.Figure:
    """Values of several random draws at each x, and the line of their means, for each group.

    Parameters
    ----------
    points : columns `x`, `group` (in the legend, if there are several), `value`.

    >>> points = pd.DataFrame({"x": [0, 0, 50], "group": "g", "value": [1.0, 0.8, 0.4]})
    >>> draws_chart(points, "one", "noise (%)", "τ").axes[0].lines[-1].get_ydata().tolist()
    [0.9, 0.4]
    """
    figure, axes = plt.subplots(figsize=(6.4, 3.8))
    axes.axhline(0, color="black", linewidth=0.8)
    for place, (group, rows) in enumerate(points.groupby("group", sort=False)):
        color, marker = ((PALETTE[3], "o"), (BLUE, "s"))[place % 2]
        shift = (place - 0.5) * 0.01 * (points["x"].max() - points["x"].min())
        axes.plot(rows["x"] + shift, rows["value"], marker, color=color, markersize=3, alpha=0.5)
        mean = rows.groupby("x")["value"].mean()
        axes.plot(mean.index, mean, f"{marker}-", color=color, linewidth=2, label=group)
    axes.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if points["group"].nunique() > 1:
        legend_below(figure, axes, 2)
    return figure


@styled
def reliability_chart(bins: pd.DataFrame, title: str) -> plt.Figure:
    """How often answers are right, by how sure the system said it was; on the line it would be right.

    Parameters
    ----------
    bins : columns `n`, `confidence`, `accuracy` (fractions), of bins that hold answers; the area of a dot is
        the share of the answers.

    >>> bins = pd.DataFrame({"n": [9, 1], "confidence": [0.8, 0.5], "accuracy": [0.4, 0.5]})
    >>> reliability_chart(bins, "one").axes[0].get_xlabel()
    'stated confidence (%)'
    """
    figure, axes = plt.subplots(figsize=(4.6, 4.0))
    axes.plot([0, 100], [0, 100], color=QUIET, linewidth=1)
    axes.annotate("as often right as stated", (33, 36), rotation=45, rotation_mode="anchor", fontsize=9)
    right, stated = 100 * bins["accuracy"], 100 * bins["confidence"]
    axes.vlines(stated, right, stated, color=BLUE, linewidth=1, alpha=0.5)
    axes.scatter(stated, right, s=20 + 400 * bins["n"] / bins["n"].sum(), color=BLUE)
    for one, x, y in zip(bins.itertuples(), stated, right, strict=True):
        axes.annotate(f"{one.n:,}", (x, y), (0, -16), textcoords="offset points", ha="center", fontsize=8)
    axes.set(xlim=(0, 104), ylim=(0, 104), xlabel="stated confidence (%)", ylabel="right (%)")
    headline(figure, title)
    return figure
