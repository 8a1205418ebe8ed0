"""One function, one kind of figure: a tidy table in, a matplotlib figure out; `draw_and_save` writes it to a
folder.

A figure of your own is a function too: decorate it with `styled` and hand it to `draw_and_save`.
"""

from .style import BLUE, ORANGE, WINE, draw_and_save, save_figure, styled
from .rows import bar_chart, dumbbell_chart, forest_chart, interval_chart
from .rows import label_distribution_chart, share_chart, strip_chart
from .curves import alpha_chart, curve_chart, heat_chart, perplexity_chart, slope_chart
from .drawings import marker_exchange_chart, model_inputs_chart, pipeline_chart, tree_chart
