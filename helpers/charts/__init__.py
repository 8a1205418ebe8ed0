"""One function, one kind of figure: a tidy table in, a matplotlib figure out; `draw_and_save` writes it to a
folder.

A figure of your own is a function too: decorate it with `styled` and hand it to `draw_and_save`.
"""

from .style import draw_and_save, ink, save_figure, styled
from .rows import class_weights_chart, dumbbell_chart, forest_chart, interval_chart
from .rows import lead_draws_chart, left_out_chart, p_values_chart
from .curves import alpha_chart, curve_chart, few_runs_chart, slope_chart
from .curves import original_paired_chart, reliability_chart
from .bars import effective_number_chart, label_distribution_chart, perplexity_chart
from .bars import heat_chart, landing_chart, share_chart, support_groups_chart, token_chart
from .drawings import marker_exchange_chart, model_inputs_chart, pipeline_chart, tree_chart
from .drawings import weighting_steps_chart
