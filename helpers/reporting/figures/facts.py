"""Figures of ranked facts: precision–recall curves, where lists stop, what their hits are, protocols."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from .parts import first_seen, headline, legend_below, name_rows, panels, spread_labels, with_support
from .style import BLUE, FAINT, ORANGE, PALETTE, QUIET, ink, styled

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
def list_intervals_chart(scores: pd.DataFrame, title: str, value: str = "AUC") -> plt.Figure:
    """A score of several lists with 95 % intervals, a row for each; lists that may be paired share a colour.

    Parameters
    ----------
    scores : columns `system`, `value`, `low`, `high` (per cent), `group` (what may be compared).

    >>> row = {"system": "s", "value": 20.0, "low": 18.0, "high": 22.0, "group": "g"}
    >>> list_intervals_chart(pd.DataFrame([row]), "one").axes[0].get_yticklabels()[0].get_text()
    's'
    """
    systems, groups = list(scores["system"]), first_seen(scores, "group")
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
    axes.set(xlabel=f"{value} (%), bar: 95 % bootstrap interval, each list by itself", title=title)
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
def noise_chart(agreement: pd.DataFrame, title: str) -> plt.Figure:
    """How well a ranking by distorted labels agrees with that by clean ones, against the amount of noise.

    Parameters
    ----------
    agreement : columns `noise` (per cent), `tau` (Kendall's), `best_kept` (whether the best system is the
        same), `draw`.

    >>> agreement = pd.DataFrame({"noise": [0, 50], "tau": [1.0, 0.4], "best_kept": [True, False], "draw": 0})
    >>> len(noise_chart(agreement, "one").axes)
    2
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.8))
    left.plot(agreement["noise"], agreement["tau"], "o", color=QUIET, markersize=3.5)
    mean = agreement.groupby("noise")[["tau", "best_kept"]].mean()
    left.plot(mean.index, mean["tau"], "o-", color=BLUE, linewidth=2)
    left.axhline(0, color="black", linewidth=0.8)
    left.set(xlabel="noise (% of the paper's rates)", ylabel="Kendall's τ between the two rankings")
    left.set_title("dots: draws of the noise, line: mean", fontsize=9, fontweight="normal")
    right.plot(mean.index, 100 * mean["best_kept"], "s-", color=ORANGE, linewidth=2)
    right.set(xlabel="noise (% of the paper's rates)", ylabel="best system found (% of draws)")
    right.set(ylim=(0, 105))
    headline(figure, title)
    return figure


@styled
def learnt_noise_chart(leads: pd.DataFrame, title: str) -> plt.Figure:
    """The lead of a system that can learn the noise over one that cannot, against the share of misled labels.

    Parameters
    ----------
    leads : columns `share` (per cent), `draw`, `protocol`, `lead` (points of AUC).

    >>> leads = pd.DataFrame({"share": [50], "draw": [0], "protocol": ["held-out"], "lead": [0.4]})
    >>> learnt_noise_chart(leads, "one").axes[0].get_ylabel()
    'lead of the one that reads the word (points of AUC)'
    """
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    axes.axhline(0, color="black", linewidth=0.8)
    for at, (protocol, rows) in enumerate(leads.groupby("protocol", sort=False)):
        color, marker = ((PALETTE[3], "o"), (BLUE, "s"))[at % 2]
        axes.plot(rows["share"] + 2 * at - 1, rows["lead"], marker, color=color, markersize=3, alpha=0.5)
        mean = rows.groupby("share")["lead"].mean()
        axes.plot(mean.index, mean, f"{marker}-", color=color, linewidth=2, label=f"by {protocol} labels")
    axes.set(xlabel="misled share of the bags with the word (%); small marks: draws", title=title)
    axes.set_ylabel("lead of the one that reads the word (points of AUC)", fontsize=8)
    legend_below(figure, axes, 2)
    return figure
