"""Looks and saving, shared by all figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from zlib import crc32

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

from helpers.core import atomic_path

from ..tables import write_csv

PALETTE = sns.color_palette("colorblind").as_hex()
BLUE, ORANGE = PALETTE[0], PALETTE[1]

_SCHEMES = {"micro": (7, "X"), "weighted": (0, "o"), "dodrans": (2, "s"), "entropy": (1, "D")}
_SCHEMES |= {"macro": (3, "^")}
_FREE_COLORS, _FREE_MARKERS = (4, 9, 5, 8, 6), "vPp*<>h"

STYLE = {
    "figure.dpi": 110,
    "savefig.dpi": 160,
    "savefig.bbox": "tight",
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.prop_cycle": mpl.cycler(color=PALETTE),
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # text in the PDF stays text
    "svg.fonttype": "none",
}


def scheme_look(scheme: str) -> dict[str, str]:
    """Colour and marker of a scheme, the same in every figure (colour-blind safe; the marker says it again).

    Further schemes take the colours and markers that the five of paper W leave, by their name: a scheme looks
    the same whatever others are registered.

    >>> scheme_look("micro")["marker"], scheme_look("root") == scheme_look("root")
    ('X', True)
    """
    number = crc32(scheme.encode()) >> 8
    place = _FREE_COLORS[number % len(_FREE_COLORS)], _FREE_MARKERS[number // 5 % len(_FREE_MARKERS)]
    color, marker = _SCHEMES.get(scheme, place)
    return {"color": PALETTE[color], "marker": marker}


def styled(draw: Callable[..., plt.Figure]) -> Callable[..., plt.Figure]:
    """Decorator of a figure function: the house style inside, the caller's settings untouched outside.

    >>> @styled
    ... def empty():
    ...     return plt.figure(figsize=(1, 1))
    >>> before = mpl.rcParams["font.size"]; plt.close(empty()); mpl.rcParams["font.size"] == before
    True
    """

    @wraps(draw)
    def inner(*args, **kwargs):
        with mpl.rc_context(STYLE):
            figure = draw(*args, **kwargs)
            # fix the layout here: with the style gone, a later draw in a notebook would lay it out anew
            figure.canvas.draw()
        # a notebook shows the returned figure once, not a second time at the end of its cell
        plt.close(figure)
        return figure

    return inner


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
        with atomic_path(path) as draft, mpl.rc_context(STYLE):
            figure.savefig(draft, format=path.suffix[1:], metadata={date: None})
    write_csv(drawn, paths[-1])
    return paths


def draw_and_save(
    chart: Callable[..., plt.Figure], name: str, drawn: pd.DataFrame, folder: str | Path, *words: object
) -> plt.Figure | None:
    """`chart(drawn, *words)`, saved by `save_figure` and returned; with nothing to draw, this is said.

    Runs may be missing: a figure of them is then missing too. Nothing is written, None is returned.

    >>> draw_and_save(print, "06_runs", pd.DataFrame(), "figures")
    06_runs: no stored runs of it yet, so no figure.
    """
    if drawn.empty:
        print(f"{name}: no stored runs of it yet, so no figure.")
        return None
    figure = chart(drawn, *words)
    save_figure(figure, name, drawn, folder)
    return figure
