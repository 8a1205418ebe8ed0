"""Looks and saving, shared by all figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

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
        figure._repr_mimebundle_ = lambda **_: ({}, {"image/png": {"alt": alt_text(figure)}})
        # a notebook shows the returned figure once, not a second time at the end of its cell
        plt.close(figure)
        return figure

    return inner


def alt_text(figure: plt.Figure) -> str:
    """What a figure says in words: its title, then what its panels, axes and lines are called; a drawing
    without a title, the words in it.

    >>> figure, axes = plt.subplots()
    >>> title = figure.suptitle("Two lines\\ncross"), axes.set(xlabel="α", ylabel="F1 (%)")
    >>> alt_text(figure)
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
