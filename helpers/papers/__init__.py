"""What exactly one paper needs, a module a subject; the audit of the printed numbers is in `audit`.

Notebooks import the modules. The names below are those of the notebooks that still import names.
"""

from .bag_models import (
    bag_findings,
    bag_fingerprint,
    bag_rows,
    bag_runs,
    bag_scores,
    first_runs,
    learnt_leads,
    mean_over_seeds,
    noise_points,
    noise_table,
    protocol_curves,
    relation_f1,
    wiki80_table,
)
from .direction import direction_rows
from .distant import compare_lists, list_scores, panel_curves, published_lists
from .findings import findings_table
from .graphs import (
    epoch_scores,
    graph_runs,
    graph_table,
    kept_words,
    leak_effects,
    leak_ranks,
    pair_kinds,
    pair_rows,
    pair_runs,
    pair_scores,
    restriction_gains,
    restriction_points,
    restriction_sentences,
    restriction_table,
    step_shares,
    tree_words,
    vector_scores,
)
from .lesson import (
    answers_text,
    blindness_text,
    costs_table,
    lesson_experiments,
    merged_cost_text,
    model_curves,
    model_inputs,
    score_curves,
    scores_table,
    train_and_keep,
    word_order,
)
from .weighting import PRINTED_SCHEMES
