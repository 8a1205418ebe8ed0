"""Drawings that explain: exchanged markers, predictions and counts and scores, trees, what models are given.

Each takes the table of what it shows and computes nothing.
"""

from __future__ import annotations

import textwrap

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import ListedColormap
from matplotlib.patches import Arc, FancyArrowPatch, FancyBboxPatch

from .style import BLUE, GREEN, INK, ORANGE, QUIET, WIDTH, WINE, canvas, styled

_COLORS = {"e1": BLUE, "e2": ORANGE}
_LINE = 46  # monospaced characters of eight points
_MONO = 0.602 * 8 / 72 / WIDTH  # width of a character of 8 points, as a share of the figure


@styled
def marker_exchange_chart(exchange: pd.DataFrame, title: str = "") -> plt.Figure:
    """The emblem of the project: the same words, the markers exchanged, so the right answer turns; a model
    that does not read the markers gives the same answer twice.

    Parameters
    ----------
    exchange : two rows, `before`, `first`, `between`, `second`, `after` (the sentence in pieces, entities in
        `first` and `second`), `marks` ('e1 e2' or 'e2 e1': what stands at the first and at the second
        entity), `gold`, `answer`.

    >>> row = dict(before="The", first="fire", between="caused", second="smoke", after=".")
    >>> rows = [row | {"marks": "e1 e2", "gold": "CE(e1,e2)", "answer": "CE(e1,e2)"},
    ...         row | {"marks": "e2 e1", "gold": "CE(e2,e1)", "answer": "CE(e1,e2)"}]
    >>> words = [text.get_text() for text in marker_exchange_chart(pd.DataFrame(rows)).axes[0].texts]
    >>> words.count("fire"), words[-1]
    (2, '✗ wrong')
    """
    (axes,) = canvas(title, 2.2)
    axes.set(xlim=(0, 1), ylim=(0, 1))
    axes.set_axis_off()
    for y, row in zip((0.84, 0.22), exchange.to_dict("records"), strict=True):
        middles = _sentence(axes, y, row)
        right = row["gold"] == row["answer"]
        color = INK[GREEN if right else WINE]
        axes.text(0.02, y - 0.14, f"right answer  {row['gold']}", va="center")
        axes.text(0.02, y - 0.22, f"model says    {row['answer']}", va="center", color=color)
        verdict = {"color": color, "ha": "right", "va": "center", "fontweight": "bold"}
        axes.text(1, y - 0.22, "✓ right" if right else "✗ wrong", **verdict)
    _swap(axes, middles)  # which both sentences share
    return axes.figure


def _sentence(axes: Axes, y: float, row: dict) -> list[float]:
    """Write a sentence in pieces, the entities in boxes with their marks; where the boxes' middles are."""
    x, middles = 0.02, []
    colors = {"first": _COLORS[row["marks"][:2]], "second": _COLORS[row["marks"][-2:]]}
    marks = dict(zip(colors, row["marks"].split(), strict=True))
    for piece in ("before", "first", "between", "second", "after"):
        width = _MONO * len(row[piece])
        if piece in marks:
            middles.append(x + width / 2)
            look = {"mutation_aspect": 2, "facecolor": "white", "linewidth": 1.6, "edgecolor": colors[piece]}
            axes.add_patch(FancyBboxPatch((x, y - 0.045), width, 0.09, "round,pad=0.008", **look))
            look = {"color": INK[colors[piece]], "ha": "center", "fontweight": "bold"}
            axes.text(middles[-1], y + 0.08, marks[piece], **look)
        axes.text(x, y, row[piece], family="DejaVu Sans Mono", va="center")
        x += width + 0.03
    return middles


def _swap(axes: Axes, middles: list[float]) -> None:
    """Two arrows that cross, from the marks of one sentence to those of the other."""
    for start, end, color in ((*middles, BLUE), (*middles[::-1], ORANGE)):
        arrow = {"arrowstyle": "-|>", "mutation_scale": 9, "linewidth": 1.4, "color": color, "zorder": 5}
        axes.add_patch(FancyArrowPatch((start, 0.58), (end, 0.38), alpha=0.9, **arrow))


@styled
def pipeline_chart(
    predictions: pd.DataFrame, counts: pd.DataFrame, scores: pd.DataFrame, title: str
) -> plt.Figure:
    """Predictions → counts → scores: every score is a function of the small table in the middle.

    Parameters
    ----------
    predictions : columns `gold`, `predicted`. counts : square, index the gold and columns the predicted
        label. scores : columns `score`, `formula` (of the counts), `value`.

    >>> counts = pd.DataFrame([[1]], index=["a"], columns=["a"])
    >>> few = pd.DataFrame({"gold": ["a"], "predicted": ["a"]})
    >>> scores = pd.DataFrame({"score": ["micro"], "formula": ["2·1 / (1 + 1)"], "value": [1.0]})
    >>> [text.get_text() for text in pipeline_chart(few, counts, scores, "one").axes[2].texts]
    ['micro', '2·1 / (1 + 1) = 1.00']
    """
    examples, table, results = panels = canvas(title, 3.4, "", "ab;cc", height_ratios=(1, 0.45))
    words = ("1  predictions", "2  counts", "3  F1 = 2 · right / (gold + predicted), without NA")
    for axes, name in zip(panels, words, strict=True):
        axes.set_title(name)
        axes.grid(visible=False)
        axes.axis(axes is table)
    pairs = predictions[["gold", "predicted"]].to_numpy().tolist()
    for y, (gold, predicted) in enumerate([["gold", "predicted"], *pairs]):
        color = "#1a1a1a" if not y or gold == predicted else INK[WINE]
        for x, word in ((0.02, gold), (0.4, predicted)):
            examples.text(x, y, word, va="center", color=color, style="normal" if y else "italic")
    examples.set_ylim(len(pairs) + 0.5, -0.5)
    _counts_grid(table, counts)
    table.xaxis.set(label_position="top", ticks_position="top")
    for y, row in enumerate(scores.itertuples()):
        results.text(0.01, y - 0.22, row.score, va="center", fontweight="bold")
        results.text(0.04, y + 0.22, f"{row.formula} = {row.value:.2f}", va="center")
    results.set_ylim(len(scores) - 0.5, -0.5)
    arrow = {"arrowstyle": "-|>", "mutation_scale": 14, "linewidth": 2, "color": QUIET}
    for start, end in (((-0.55, 0.5), (-0.3, 0.5)), ((0.5, -0.01), (0.5, -0.18))):
        table.add_artist(FancyArrowPatch(start, end, transform=table.transAxes, clip_on=False, **arrow))
    return table.figure


def _counts_grid(axes: Axes, counts: pd.DataFrame) -> None:
    """A contingency table as a grid: right answers blue, mistakes wine, nothing white."""
    import seaborn as sns

    right = np.equal.outer(counts.index.to_numpy(), counts.columns.to_numpy())
    kinds = (counts > 0) * np.where(right, 1, 2)
    look = {"cmap": ListedColormap(["white", BLUE, WINE]), "vmin": 0, "vmax": 2, "cbar": False}
    look |= {"linewidths": 0.6, "linecolor": QUIET, "square": True, "annot_kws": {"fontsize": 8}}
    sns.heatmap(kinds, annot=counts, fmt="d", ax=axes, **look)
    axes.set(xlabel="predicted", ylabel="gold")
    axes.tick_params(length=0, rotation=0)


_DISTANCES = {
    0: ("path between the entities (K = 0)", BLUE),
    1: ("one step off (K = 1)", ORANGE),
    2: ("two steps off (K = 2)", GREEN),
}
_OUT = ("never kept: not below their common ancestor", QUIET)


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
    looks = [_DISTANCES.get(distance, _OUT) for distance in words["distance"]]
    widths = words["word"].str.len() * (1 + 0.2 * words["entity"]) + 1.2  # characters, with even gaps
    middles = (widths.cumsum() - widths / 2).tolist()
    drawn = list(zip(middles, words["word"], words["head"], words["entity"], looks, strict=True))
    (axes,) = canvas(title, 2.5)
    for x, word, head, entity, (_, color) in drawn:
        look = {"ha": "center", "va": "center", "weight": "bold" if entity else "normal"}
        axes.text(x, 0, word, color=INK[color], **look)
        if head:
            color = _OUT[1] if looks[head - 1] is _OUT else color
            width = abs(middles[head - 1] - x)
            look = {"theta2": 180, "color": color, "linewidth": 1.6}
            axes.add_patch(Arc(((x + middles[head - 1]) / 2, 0.6), width, 0.3 * width + 1, **look))
        else:
            axes.text(x - 0.5, 3.2, "root", ha="right", color=INK[color])
            axes.plot([x, x], [0.6, 3.8], color=color, linewidth=1.2)
    for name, color in sorted(set(looks), key=[*_DISTANCES.values(), _OUT].index):
        axes.plot([], [], color=color, linewidth=3, label=name)
    longest = max(abs(middles[head - 1] - x) for x, _, head, *_ in drawn if head)
    axes.set(xlim=(0, widths.sum()), ylim=(-0.7, 0.15 * longest + 1.3))
    axes.axis("off")
    return axes.figure


@styled
def model_inputs_chart(tokens: pd.DataFrame, title: str) -> plt.Figure:
    """The tokens that each model is given for one sentence, a row a model; those that it looks at are filled.

    Parameters
    ----------
    tokens : columns `model` (the heading of its row), `position`, `token`, `read` (bool); models in the order
        of first sight.

    >>> row = {"model": "m", "position": 0, "token": "[CLS]", "read": True}
    >>> [text.get_text() for text in model_inputs_chart(pd.DataFrame([row]), "one").axes[0].texts]
    ['m', '[CLS]']
    """
    (axes,) = canvas(title, 1, "blue: the vectors from which the score is computed")
    y = -1.0
    for model, own in tokens.sort_values("position", kind="stable").groupby("model", sort=False):
        y += 0.5
        for heading in textwrap.wrap(model, 44):
            y += 1
            axes.text(0, y, heading, va="center", fontweight="bold")
        left = float(_LINE)
        for token, read in zip(own["token"], own["read"], strict=True):
            if left + len(token) + 0.6 > _LINE:
                y, left = y + 1, 0.0
            color, face = ("white", BLUE) if read else ("#222222", "#eeeeee")
            axes.barh(y, len(token) + 0.6, 0.8, left=left, color=face)
            look = {"ha": "center", "va": "center_baseline", "family": "monospace", "color": color}
            axes.text(left + len(token) / 2 + 0.3, y + 0.03, token, **look)
            left += len(token) + 0.9
    axes.set(xlim=(0, _LINE), ylim=(y + 0.5, -0.2))
    axes.axis("off")
    axes.figure.set_figheight(0.4 + 0.175 * (y + 1))
    return axes.figure
