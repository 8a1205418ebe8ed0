"""One function, one figure: a tidy table in, a matplotlib figure out; `draw_and_save` writes it to a folder.

A figure of your own is a function too: decorate it with `styled` and hand it to `draw_and_save`.
"""

from .style import draw_and_save as draw_and_save, ink as ink, save_figure as save_figure, styled as styled
from .engines import counting_cost_chart as counting_cost_chart
from .datasets import (
    long_tails_chart as long_tails_chart,
    perplexity_chart as perplexity_chart,
    label_distribution_chart as label_distribution_chart,
    effective_number_chart as effective_number_chart,
    class_weights_chart as class_weights_chart,
    effective_classes_chart as effective_classes_chart,
)
from .systems import (
    interval_chart as interval_chart,
    rank_chart as rank_chart,
    agreement_heatmap as agreement_heatmap,
    alpha_spectrum_chart as alpha_spectrum_chart,
    left_out_chart as left_out_chart,
    spectrum_bands_chart as spectrum_bands_chart,
    reversal_chart as reversal_chart,
    lead_without_chart as lead_without_chart,
    landing_chart as landing_chart,
    lead_draws_chart as lead_draws_chart,
)
from .graphs import leak_chart as leak_chart, restriction_chart as restriction_chart, tree_chart as tree_chart
from .facts import (
    cut_areas_chart as cut_areas_chart,
    learnt_noise_chart as learnt_noise_chart,
    list_intervals_chart as list_intervals_chart,
    noise_chart as noise_chart,
    precision_recall_chart as precision_recall_chart,
    protocols_chart as protocols_chart,
    relation_f1_chart as relation_f1_chart,
    relation_shares_chart as relation_shares_chart,
)
from .forest import forest_chart as forest_chart
from .drawings import (
    marker_exchange_chart as marker_exchange_chart,
    pipeline_chart as pipeline_chart,
    weighting_steps_chart as weighting_steps_chart,
)
from .audit import (
    p_values_chart as p_values_chart,
    common_denominator_chart as common_denominator_chart,
    few_runs_chart as few_runs_chart,
)
from .direction import (
    original_paired_chart as original_paired_chart,
    rates_chart as rates_chart,
    dumbbell_chart as dumbbell_chart,
    epochs_chart as epochs_chart,
)
from .attention import (
    model_inputs_chart as model_inputs_chart,
    cls_attention_chart as cls_attention_chart,
    attention_share_chart as attention_share_chart,
    attribution_chart as attribution_chart,
)
from .studies import learning_rates_chart as learning_rates_chart, settings_chart as settings_chart
from .multilabel import (
    support_groups_chart as support_groups_chart,
    spectra_chart as spectra_chart,
    gains_chart as gains_chart,
    seconds_chart as seconds_chart,
    bytes_chart as bytes_chart,
)
