"""One function, one figure: a tidy table in, a matplotlib figure out; `draw_and_save` writes it to a folder.

A figure of your own is a function too: decorate it with `styled` and hand it to `draw_and_save`.
"""

from .style import draw_and_save, ink, save_figure, styled
from .engines import counting_cost_chart
from .datasets import (
    perplexity_chart,
    label_distribution_chart,
    effective_number_chart,
    class_weights_chart,
    effective_classes_chart,
)
from .systems import (
    interval_chart,
    rank_chart,
    agreement_heatmap,
    alpha_spectrum_chart,
    left_out_chart,
    reversal_chart,
    landing_chart,
    lead_draws_chart,
)
from .graphs import leak_chart, tree_chart
from .facts import (
    cut_areas_chart,
    draws_chart,
    list_intervals_chart,
    precision_recall_chart,
    relation_f1_chart,
    relation_shares_chart,
    reliability_chart,
    slope_chart,
)
from .forest import forest_chart
from .drawings import marker_exchange_chart, pipeline_chart, weighting_steps_chart
from .audit import p_values_chart, few_runs_chart
from .direction import original_paired_chart, rates_chart, dumbbell_chart, epochs_chart
from .attention import model_inputs_chart, cls_attention_chart, attention_share_chart, attribution_chart
from .studies import settings_chart
from .multilabel import support_groups_chart, spectra_chart, gains_chart, seconds_chart
