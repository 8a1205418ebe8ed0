"""One function, one figure: a tidy table in, a matplotlib figure out; `draw_and_save` writes it to a folder.

A figure of your own is a function too: decorate it with `styled` and hand it to `draw_and_save`.
"""

from .style import draw_and_save, ink, save_figure, styled
from .rows import (
    class_weights_chart,
    dumbbell_chart,
    effective_number_chart,
    forest_chart,
    gains_chart,
    interval_chart,
    lead_draws_chart,
    leak_chart,
    list_intervals_chart,
    p_values_chart,
    rates_chart,
    relation_f1_chart,
    settings_chart,
)
from .curves import (
    alpha_spectrum_chart,
    cut_areas_chart,
    draws_chart,
    effective_classes_chart,
    epochs_chart,
    few_runs_chart,
    landing_chart,
    original_paired_chart,
    power_chart,
    precision_recall_chart,
    rank_chart,
    reliability_chart,
    reversal_chart,
    slope_chart,
    spectra_chart,
)
from .bars import (
    agreement_heatmap,
    attention_share_chart,
    attribution_chart,
    cls_attention_chart,
    label_distribution_chart,
    left_out_chart,
    perplexity_chart,
    relation_shares_chart,
    support_groups_chart,
)
from .drawings import (
    marker_exchange_chart,
    model_inputs_chart,
    pipeline_chart,
    tree_chart,
    weighting_steps_chart,
)
