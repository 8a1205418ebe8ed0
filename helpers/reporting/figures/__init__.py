"""One function, one figure: tidy table in, matplotlib Figure out; `save_figure` writes it with the data that
it draws.

`style` holds looks and saving; `datasets`, `weighting`, `systems`, `audit`, `seeds`, `direction`, `attention`
and `multilabel` hold the figures of the notebooks. No figure function computes a score, reads a file or
writes one.
"""

from .style import SCHEME_COLORS, SCHEME_MARKERS, draw_and_save, save_figure, styled

__all__ = ["SCHEME_COLORS", "SCHEME_MARKERS", "draw_and_save", "save_figure", "styled"]
