"""Looks and saving, shared by all figures. Draws nothing itself."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import pandas as pd
import seaborn as sns

_PALETTE = sns.color_palette("colorblind").as_hex()

SCHEME_COLORS = dict(
    zip(
        ("micro", "weighted", "dodrans", "entropy", "macro"),
        [_PALETTE[i] for i in (7, 0, 2, 1, 3)],
        strict=True,
    )
)
"""A scheme has the same colour in every figure (colour-blind safe; the marker says it a second time)."""
SCHEME_MARKERS = dict(zip(SCHEME_COLORS, "XosD^", strict=True))

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
    "axes.prop_cycle": mpl.cycler(color=_PALETTE),
    "axes.axisbelow": True,
    "grid.color": "#e4e4e4",
    "legend.frameon": False,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,  # text in the PDF stays text
    "svg.fonttype": "none",
}


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
        plt.close(
            figure
        )  # a notebook shows the returned figure once, not a second time at the end of its cell
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
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{ending}" for ending in ("png", "pdf", "csv")]
    for path in paths:
        _write_whole(path, figure, drawn)
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


def _write_whole(path: Path, figure: plt.Figure, drawn: pd.DataFrame) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.suffix == ".csv":
            drawn.to_csv(draft, index=False, float_format="%.8g", lineterminator="\n")
        else:
            undated = {"CreationDate": None} if path.suffix == ".pdf" else {"Software": None}
            with mpl.rc_context(STYLE):
                figure.savefig(draft, format=path.suffix[1:], metadata=undated)
        os.replace(draft, path)
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()
