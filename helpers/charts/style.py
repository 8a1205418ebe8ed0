"""What all charts share: looks, title, axes and legend of a figure, words beside marks, saving."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from functools import wraps
from pathlib import Path

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
BLUE, ORANGE, GREEN, WINE = PALETTE[:4]
FAINT, QUIET = "#c4c4c4", "#8a8a8a"  # lines that stand behind others, 3.4 : 1
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


def _ink(color: str) -> str:
    """The colour for text: as it is, or darkened until it has 4.5 : 1 against white.

    >>> _ink("#0b62b8"), _contrast(_ink("#c9780a")) >= 4.5
    ('#0b62b8', True)
    """
    parts = np.array(mpl.colors.to_rgb(color))
    while _contrast(mpl.colors.to_hex(parts)) < 4.5:
        parts *= 0.97
    return mpl.colors.to_hex(parts)


INK = {color: _ink(color) for color in (*PALETTE, QUIET)}
"""Colour of a line or mark → that of text of its colour."""


def styled(draw: Callable[..., plt.Figure]) -> Callable[..., plt.Figure]:
    """Decorator of a figure function: the house style inside, the caller's settings untouched outside.

    In this style a figure is `WIDTH` wide and its type has eight points: it fits a column of a paper. What
    the first axes label is named in a legend below all, unless the function has drawn one.

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
            _add_legend(figure)
            # fix the layout here: with the style gone, a later draw in a notebook would lay it out anew
            figure.canvas.draw()
        # IPython makes the picture; what it is to say to who does not see it stands beside it
        figure._repr_mimebundle_ = lambda **_: ({}, {"image/png": {"alt": _alt_text(figure)}})
        # a notebook shows the returned figure once, not a second time at the end of its cell
        plt.close(figure)
        return figure

    return inner


def _legends(figure: plt.Figure) -> list[mpl.legend.Legend]:
    return [*figure.legends, *filter(None, (axes.get_legend() for axes in figure.axes))]


def _add_legend(figure: plt.Figure) -> None:
    """A legend of what the first axes label, in as many columns as fit, under the words below all."""
    handles, names = figure.axes[0].get_legend_handles_labels() if figure.axes else ([], [])
    if not names or _legends(figure):
        return
    columns = max(56 // (max(map(len, names)) + 5), 1)
    words = figure.get_supxlabel()
    if words:  # they head the legend: as a label of the figure they would stand in its place
        figure.supxlabel("").set_in_layout(False)
    figure.legend(handles, names, ncols=columns, loc="outside lower center", title=words or None)


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
    said += [text.get_text() for legend in _legends(figure) for text in legend.get_texts()]
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


def canvas(title: str, height: float, xlabel: str = "", grid: object = "a", **layout: object) -> list[Axes]:
    """The axes of a figure, in a mosaic, under a title; `xlabel` stands below all of them.

    >>> left, right = canvas("two", 2, "words", "ab")
    >>> left.figure.get_suptitle(), left.figure.get_supxlabel()
    ('two', 'words')
    >>> plt.close()
    """
    figure, axes = plt.subplot_mosaic(grid, figsize=(WIDTH, height), **layout)
    lines = textwrap.wrap(title, int(12.4 * WIDTH), break_on_hyphens=False)
    figure.suptitle("\n".join(lines), x=0.01, ha="left")
    if xlabel:
        lines = [line for part in xlabel.splitlines() for line in textwrap.wrap(part, 56)]
        figure.supxlabel("\n".join(lines), fontsize=8)
    return list(axes.values())


def write(axes: Axes, words: str, x: float, y: float, shift: tuple[float, float], color: str, **look) -> None:
    """Words beside a mark at x and y (data): shifted by so many points, beginning or ending at the mark."""
    right, up = shift
    side = {"ha": ("right", "center", "left")[int(np.sign(right)) + 1]}
    side["va"] = "center" if right else ("bottom" if up > 0 else "top")
    box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.6, "pad": 0.2}
    look = {"color": _ink(color), "annotation_clip": False, "bbox": box} | side | look
    axes.annotate(words, (x, y), shift, textcoords="offset points", **look)
