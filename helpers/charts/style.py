"""What all charts share: looks and saving; titles, rows, panels, words beside marks, names of lines."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from ..core import atomic_path
from ..reporting import write_csv

PALETTE = ["#0b62b8", "#c9780a", "#0a9a7a", "#b5245a", "#6a4fc4"]
PALETTE += ["#7a5230", "#d2559b", "#262626", "#6f7d00", "#2e8fc4"]
"""Colours of lines and marks: blue, orange, green, wine, violet, brown, pink, grey, olive, sky; each at least
3 : 1 against white. The five of the schemes (places 0, 1, 2, 3, 7) stay apart for colour-blind readers."""
BLUE, ORANGE = PALETTE[0], PALETTE[1]
GRID, FAINT, QUIET = "#e4e4e4", "#c4c4c4", "#8a8a8a"  # lines that stand behind others, 3.4 : 1
LINES = [PALETTE[number] for number in (0, 3, 2, 1, 4, 5, 9, 7)]
"""Colours of lines that are named at their ends, in the order in which they are taken."""
WIDTH = 3.4  # inches: a column of a two-column paper; figure.figsize of the style sheet

STYLE = Path(__file__).with_name("style.mplstyle")


def _contrast(color: str) -> float:
    """Contrast ratio of a colour to white, 1 to 21 (WCAG 2.2: relative luminances (L₁ + .05) / (L₂ + .05)).

    >>> round(_contrast("black")), round(_contrast("#777777"), 2)
    (21, 4.48)
    """
    parts = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in mpl.colors.to_rgb(color)]
    return 1.05 / (0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2] + 0.05)


def ink(color: str) -> str:
    """The colour for text: as it is, or darkened until it has 4.5 : 1 against white.

    >>> ink("#0b62b8"), _contrast(ink("#c9780a")) >= 4.5
    ('#0b62b8', True)
    """
    parts = np.array(mpl.colors.to_rgb(color))
    while _contrast(mpl.colors.to_hex(parts)) < 4.5:
        parts *= 0.97
    return mpl.colors.to_hex(parts)


def styled(draw: Callable[..., plt.Figure]) -> Callable[..., plt.Figure]:
    """Decorator of a figure function: the house style inside, the caller's settings untouched outside.

    In this style a figure is `WIDTH` wide and its type has eight points: it fits a column of a paper.

    >>> @styled
    ... def empty():
    ...     return plt.figure()
    >>> before = mpl.rcParams["font.size"]; bool(empty().get_figwidth() == WIDTH)
    True
    >>> mpl.rcParams["font.size"] == before
    True
    """

    @wraps(draw)
    def inner(*args, **kwargs):
        with plt.style.context(STYLE):
            figure = draw(*args, **kwargs)
            # fix the layout here: with the style gone, a later draw in a notebook would lay it out anew
            figure.canvas.draw()
        # IPython makes the picture; what it is to say to who does not see it stands beside it
        figure._repr_mimebundle_ = lambda **_: ({}, {"image/png": {"alt": _alt_text(figure)}})
        # a notebook shows the returned figure once, not a second time at the end of its cell
        plt.close(figure)
        return figure

    return inner


def _alt_text(figure: plt.Figure) -> str:
    """What a figure says in words: its title, then what its panels, axes and lines are called; a drawing
    without a title, the words in it.

    >>> figure, axes = plt.subplots()
    >>> title = figure.suptitle("Two lines\\ncross"), axes.set(xlabel="α", ylabel="F1 (%)")
    >>> _alt_text(figure)
    'Two lines cross. α. F1 (%)'
    >>> plt.close(figure)
    """
    said = [figure.get_suptitle()]
    for axes in figure.axes:
        said += [axes.get_title(side) for side in ("left", "center", "right")]
        said += [axes.get_xlabel(), axes.get_ylabel()]
    said += [figure.get_supxlabel(), figure.get_supylabel()]
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes)]
    said += [text.get_text() for legend in legends if legend for text in legend.get_texts()]
    if not said[0]:
        said += [text.get_text() for axes in figure.axes for text in axes.texts]
    return ". ".join(dict.fromkeys(" ".join(text.split()) for text in said if text.strip()))


def save_figure(figure: plt.Figure, name: str, drawn: pd.DataFrame, folder: str | Path) -> list[Path]:
    """Write `name`.png, .pdf and .csv (what is drawn); atomically, without dates, so that reruns are
    equal.

    Parameters
    ----------
    figure : the figure. name : file stem without a path. drawn : the table that the figure shows.
    folder : made if missing.

    Returns
    -------
    The three paths. Raises ValueError for a name with a path in it or an empty table.

    >>> import tempfile
    >>> figure, axes = plt.subplots(figsize=(1, 1))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in save_figure(figure, "one", pd.DataFrame({"x": [1]}), folder)]
    ['one.png', 'one.pdf', 'one.csv']
    >>> plt.close(figure)
    """
    if Path(name).name != name or not name:
        raise ValueError(f"name is {name!r}: it has to be a file stem without a path")
    if drawn.empty:
        raise ValueError(f"drawn is empty: figure {name!r} needs the table of what it shows")
    paths = [Path(folder, f"{name}.{ending}") for ending in ("png", "pdf", "csv")]
    for path, date in zip(paths, ("Software", "CreationDate"), strict=False):
        with atomic_path(path) as draft, plt.style.context(STYLE):
            figure.savefig(draft, format=path.suffix[1:], metadata={date: None})
    write_csv(drawn, paths[-1])
    return paths


def draw_and_save(
    chart: Callable[..., plt.Figure],
    name: str,
    drawn: pd.DataFrame,
    folder: str | Path,
    *words: object,
    **look: object,
) -> plt.Figure | None:
    """`chart(drawn, *words, **look)`, saved and returned; with nothing to draw, this is said.

    Runs may be missing: a figure of them is then missing too. Nothing is written, None is returned.

    >>> draw_and_save(print, "05_runs", pd.DataFrame(), "figures")
    05_runs: no stored runs of it yet, so no figure.
    """
    if drawn.empty:
        print(f"{name}: no stored runs of it yet, so no figure.")
        return None
    figure = chart(drawn, *words, **look)
    save_figure(figure, name, drawn, folder)
    return figure


def headline(figure: plt.Figure, title: str) -> None:
    """The title of a figure, at the left of all, in lines that fit its width."""
    lines = textwrap.wrap(title, int(12.4 * figure.get_figwidth()), break_on_hyphens=False)
    figure.suptitle("\n".join(lines), x=0.01, ha="left")


def canvas(title: str, height: float, xlabel: str = "", *grid: int, **layout: object) -> Any:
    """The axes of a figure, or those of a grid, under a title; `xlabel` stands below all of them.

    >>> axes = canvas("one", 2, "words")
    >>> axes.figure.get_suptitle(), axes.figure.get_supxlabel()
    ('one', 'words')
    >>> plt.close()
    """
    figure, axes = plt.subplots(*grid, figsize=(WIDTH, height), **layout)
    below(figure.axes[0], xlabel)
    headline(figure, title)
    return axes


def panels(
    frame: pd.DataFrame, column: str | None, title: str, height: float, xlabel: str = "", **layout: object
) -> list[tuple[str, Axes, pd.DataFrame]]:
    """A row of panels, one for each value of a column (None: a single one): the value, its axes, its rows.

    >>> drawn = panels(pd.DataFrame({"panel": ["a", "b", "a"]}), "panel", "two", 2)
    >>> [(name, len(rows)) for name, axes, rows in drawn]
    [('a', 2), ('b', 1)]
    >>> plt.close()
    """
    parts = list(frame.groupby(column, sort=False)) if column else [("", frame)]
    (grid,) = canvas(title, height, xlabel, 1, len(parts), squeeze=False, **layout)
    for axes, (name, _) in zip(grid, parts, strict=True):
        axes.set_title(name)
    return [(name, axes, rows) for axes, (name, rows) in zip(grid, parts, strict=True)]


@contextmanager
def row_chart(
    names: Sequence[str],
    title: str,
    height: tuple[float, float],
    *,
    columns: int = 1,
    xlabel: str = "",
    legend: int = 0,
    wrap: int = 30,
    **words: object,
) -> Iterator[list[Axes]]:
    """A chart of named rows, the first at the top: gives its panels to draw on, then names and titles them.

    Parameters
    ----------
    names : of the rows, broken into lines of `wrap` characters. height : the margins, and that of a row, in
        inches; more if its name has several lines. columns : panels beside each other. xlabel : below all of
        them. legend : columns of one for what the first panel labels; 0: none. words : for `Axes.set`.

    >>> with row_chart(["a", "b"], "two", (1, 0.3)) as (axes,):
    ...     lines = axes.plot([3, 5], [0, 1], "o")
    >>> axes.figure.get_suptitle(), [text.get_text() for text in axes.get_yticklabels()]
    ('two', ['a', 'b'])
    >>> plt.close()
    """
    names = ["\n".join(textwrap.wrap(name, wrap)) for name in names]
    lines = max((name.count("\n") + 1 for name in names), default=1)
    size = height[0] + max(height[1], 0.06 + 0.13 * lines) * len(names)
    (axes,) = canvas(title, size, "", 1, columns, sharey=True, squeeze=False)
    yield list(axes)
    for panel in axes:
        panel.set_yticks(range(len(names)), names)
        panel.set_ylim(len(names) - 0.4, -0.6)
        panel.set(**words)
        panel.grid(axis="y", visible=False)
    below(axes[0], xlabel, legend)


def below(axes: Axes, xlabel: str, columns: int = 0) -> None:
    """Under the whole figure what its x axes show, and a legend, in so many columns, of what is on `axes`."""
    words = "\n".join(line for part in xlabel.splitlines() for line in textwrap.wrap(part, 56))
    if columns:
        handles = axes.get_legend_handles_labels()
        axes.figure.legend(*handles, ncols=columns, loc="outside lower center", title=words or None)
    elif words:
        axes.figure.supxlabel(words, fontsize=8)


def write(axes: Axes, words: str, x: float, y: float, shift: tuple[float, float], color: str, **look) -> None:
    """Words beside a mark at x and y (data): shifted by so many points, beginning or ending at the mark."""
    right, up = shift
    side = {"ha": ("right", "center", "left")[int(np.sign(right)) + 1]}
    side["va"] = "center" if right else ("bottom" if up > 0 else "top")
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.6, "pad": 0.2}
    look = {"color": ink(color), "annotation_clip": False, "bbox": box} | side | look
    axes.annotate(words, (x, y), shift, textcoords="offset points", **look)


def label_ends(axes: Axes, ends: Sequence[tuple[float, float, str, str]], left: bool = False) -> None:
    """Name lines at the right of the axes, or at the left, each beside its end, instead of a legend.

    ends : x and y of a line's end (data), its name, its colour. Call it when the limits are final. Names that
    would overlap are moved apart and joined to their line by a thin one.
    """
    axes.figure.draw_without_rendering()  # so that the height of the axes is known
    corners = axes.transAxes.inverted().transform(axes.transData.transform([end[:2] for end in ends]))
    names = ["\n".join(textwrap.wrap(name, 25)) for _, _, name, _ in ends]
    inches = axes.get_position().height * axes.figure.get_figheight()
    sizes = [0.14 * (name.count("\n") + 1) / inches for name in names]
    heights = _spread_labels(corners[:, 1].tolist(), sizes)
    over = max(max(heights) + max(sizes) / 2 - 1, 0)
    up = max(max(sizes) / 2 - min(heights), -over)  # no name below the axis, and rather none above
    for (x_end, y_end, _, color), words, height in zip(ends, names, heights, strict=True):
        line = {"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkA": 0, "shrinkB": 2}
        line |= {"relpos": (float(left), 0.5)}
        look = {"va": "center", "ha": "right" if left else "left", "color": ink(color), "arrowprops": line}
        place = (-0.05 if left else 1.05, height + up)
        axes.annotate(words, (x_end, y_end), place, textcoords=axes.transAxes, **look)


def _spread_labels(values: Sequence[float], sizes: Sequence[float]) -> list[float]:
    """The values moved apart, in their order, until labels of these sizes do not overlap: their heights.

    Values that are too near are moved evenly around their common middle.

    >>> _spread_labels([1.0, 1.0, 5.0], [1.0, 1.0, 1.0])
    [0.5, 1.5, 5.0]
    """
    groups: list[list[int]] = []  # labels that touch

    def ends(group: list[int]) -> tuple[float, float]:
        middle = sum(values[number] for number in group) / len(group)
        half = sum(sizes[number] for number in group) / 2
        return middle - half, middle + half

    for number in sorted(range(len(values)), key=values.__getitem__):
        groups.append([number])
        while len(groups) > 1 and ends(groups[-1])[0] < ends(groups[-2])[1] - 1e-9:
            groups[-2:] = [groups[-2] + groups[-1]]
    heights = {}
    for group in groups:
        low, _ = ends(group)
        for number in group:
            heights[number] = low + sizes[number] / 2
            low += sizes[number]
    return [heights[number] for number in range(len(values))]
