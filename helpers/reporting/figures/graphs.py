"""Figures of trees and of RECENT's leak: a tree cut around a path, scores with and without the leak."""

from __future__ import annotations

from collections.abc import Sequence

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.patches import Arc

from .parts import legend_below, name_rows
from .style import BLUE, ORANGE, PALETTE, QUIET, ink, styled

_DISTANCES = {0: ("path", PALETTE[0]), 1: ("one step off", PALETTE[1]), 2: ("two steps off", PALETTE[2])}
_OUT = ("further off, or not below the common ancestor", QUIET)


@styled
def tree_chart(words: pd.DataFrame, title: str) -> plt.Figure:
    """A dependency tree as arcs over its sentence, each word in the colour of its distance from the path.

    Parameters
    ----------
    words : one row a word: `word`, `head` (from 1, 0 for the root), `distance` (0: on the path between the
        entities, 1, 2, more; −1: not below their lowest common ancestor), `entity` (true for their words).

    >>> words = pd.DataFrame({"word": ["a", "b"], "head": [2, 0], "distance": [0, 0], "entity": [True, True]})
    >>> len(tree_chart(words, "two").axes[0].patches)
    1
    """
    looks = [_DISTANCES.get(one, _OUT) for one in words["distance"]]
    left_out = {at for at, look in enumerate(looks, start=1) if look is _OUT}
    highest = max((abs(head - at) for at, head in enumerate(words["head"], start=1) if head), default=1)
    figure, axes = plt.subplots(figsize=(8.4, 1.9 + 0.16 * highest))
    for at, (head, (_, color)) in enumerate(zip(words["head"], looks, strict=True), start=1):
        if head:
            middle, width = (at + head) / 2, abs(at - head)
            color = _OUT[1] if head in left_out else color
            arc = Arc((middle, 0.25), width, 0.55 * width + 0.5, theta2=180, color=color, linewidth=2)
            axes.add_patch(arc)
        else:
            axes.annotate("root", (at, 0.3), (at, 1.7), ha="center", color=ink(color), fontsize=9,
                          arrowprops={"arrowstyle": "-|>", "color": color})  # fmt: skip
    for at, (word, (_, color), entity) in enumerate(
        zip(words["word"], looks, words["entity"], strict=True), start=1
    ):
        axes.text(at, 0, word, ha="center", va="center", color=ink(color), fontsize=10,
                  weight="bold" if entity else "normal")  # fmt: skip
    for name, color in sorted(set(looks), key=[*_DISTANCES.values(), _OUT].index):
        axes.plot([], [], color=color, linewidth=4, label=name)
    axes.set(xlim=(0.4, len(words) + 0.6), ylim=(-0.35, 0.28 * highest + 0.75), title=title)
    axes.axis("off")
    legend_below(figure, axes, 4)
    return figure


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
    figure, axes = plt.subplots(figsize=(6.4, 1.3 + 0.3 * len(systems)))
    for at, one in enumerate(systems.itertuples()):
        own = one.system in marked
        color = PALETTE[3] if own else QUIET
        axes.plot([one.score, one.leaked], [at, at], color=color, linewidth=2.2 if own else 1, zorder=1)
        if own:
            text = f"{one.leaked - one.score:+.1f}"
            axes.text(one.leaked + 0.4, at, text, va="center", fontsize=8, color=ink(color))
    rows = range(len(systems))
    axes.scatter(systems["score"], rows, s=28, color=BLUE, label="as stated", zorder=2)
    axes.scatter(systems["leaked"], rows, s=28, color=ORANGE, marker="D", label="with the leak", zorder=2)
    axes.set(xlabel="micro-F1 (%)", title=title)
    name_rows(axes, list(systems["system"]), fontsize=9)
    axes.grid(axis="y", visible=False)
    low, high = systems["score"].min(), systems["leaked"].max()
    axes.set_xlim(low - 0.05 * (high - low), high + 0.12 * (high - low))  # room for the gains
    legend_below(figure, axes, 2)
    return figure
