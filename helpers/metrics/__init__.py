"""Counts in, scores out: the evaluation of relation classification as functions of one small table.

The path, file by file: label columns are read (`columns`) and counted in one pass (`counting`) into an
outcome (`counts`). From an outcome come the scores of each class (`class_scores`); a scheme weighs the
classes (`weighting`); `averages` puts both together under a stated policy, and `evaluate` makes a report of
it (`averaging`, `report`). `bootstrap` says how sure a score is, `significance` whether two models differ
over several runs, `agreement` whether a ranking holds under other schemes. `semeval` and `direction` score
directed relations; label sets and rankings of labels have outcomes of their own, and the same averages.
"""

# single labels: columns → counts → class scores → weights → averages → report
from .counting import Contingency as Contingency, checked_labels as checked_labels
from .counts import Confusion as Confusion, PairedOutcomes as PairedOutcomes, leaked as leaked
from .class_scores import (
    BinaryCounts as BinaryCounts,
    CLASS_SCORES as CLASS_SCORES,
    ClassScore as ClassScore,
    beta_of as beta_of,
    f_beta as f_beta,
    resolve_score as resolve_score,
)
from .weighting import (
    SCHEMES as SCHEMES,
    Weighting as Weighting,
    class_weights as class_weights,
    desiderata as desiderata,
    power as power,
    register_scheme as register_scheme,
    scheme_names as scheme_names,
    temporary_scheme as temporary_scheme,
    unregister_scheme as unregister_scheme,
)
from .averaging import (
    Policy as Policy,
    RULES as RULES,
    average as average,
    averages as averages,
    evaluate as evaluate,
    one_vs_rest as one_vs_rest,
)
from .report import DIRECTION_SCORES as DIRECTION_SCORES, Report as Report, plain_number as plain_number
from .latex import (
    DECIMALS as DECIMALS,
    latex_cell as latex_cell,
    latex_float as latex_float,
    latex_name as latex_name,
    latex_rows as latex_rows,
    latex_table as latex_table,
    latex_text as latex_text,
)

# how sure, and how stable
from .bootstrap import (
    BootstrapTest as BootstrapTest,
    Interval as Interval,
    bootstrap_intervals as bootstrap_intervals,
    bootstrap_suffix as bootstrap_suffix,
    paired_bootstrap as paired_bootstrap,
    replicates_of as replicates_of,
    unpaired_bootstrap as unpaired_bootstrap,
    wilson_interval as wilson_interval,
)
from .significance import (
    CORRECTIONS as CORRECTIONS,
    FEW_RUNS as FEW_RUNS,
    FewRunsWarning as FewRunsWarning,
    RunTest as RunTest,
    SAWILOWSKY as SAWILOWSKY,
    WelchTest as WelchTest,
    benjamini_hochberg as benjamini_hochberg,
    cohens_d as cohens_d,
    cohens_d_interval as cohens_d_interval,
    holm as holm,
    mean_and_sd as mean_and_sd,
    run_test as run_test,
    sawilowsky as sawilowsky,
    welch as welch,
    welch_from_summary as welch_from_summary,
)
from .agreement import (
    ALPHAS as ALPHAS,
    alpha_crossings as alpha_crossings,
    alpha_spectrum as alpha_spectrum,
    flips as flips,
    leave_one_class_out as leave_one_class_out,
    rank_agreement as rank_agreement,
    resampled_agreement as resampled_agreement,
)

# directed relations
from .semeval import (
    drop_direction as drop_direction,
    official_macro as official_macro,
    official_scores as official_scores,
)
from .direction import (
    BREAKDOWN as BREAKDOWN,
    DirectionScores as DirectionScores,
    direction_scores as direction_scores,
    inverse_labels as inverse_labels,
    paired_breakdown as paired_breakdown,
    with_inverses as with_inverses,
)

# ranked facts of distant supervision
from .facts import (
    AREAS as AREAS,
    FactRanking as FactRanking,
    PRECISION_AT as PRECISION_AT,
    curve_order as curve_order,
    fact_scores as fact_scores,
)
from .fact_samples import (
    FACT_MEASURES as FACT_MEASURES,
    FactPair as FactPair,
    FactSample as FactSample,
    PredictedFacts as PredictedFacts,
)

# label sets and rankings of labels
from .label_matrix import as_label_matrix as as_label_matrix, label_names as label_names
from .label_scores import RankedLabels as RankedLabels, as_score_matrix as as_score_matrix, top_k as top_k
from .label_sets import LabelCounts as LabelCounts, LabelSets as LabelSets
from .ranking import (
    MEASURES as MEASURES,
    RankingOutcome as RankingOutcome,
    checked_ks as checked_ks,
    names_at as names_at,
    ranking_values as ranking_values,
)
from .multilabel import (
    F_MEASURES as F_MEASURES,
    LabelPolicy as LabelPolicy,
    MultilabelOutcome as MultilabelOutcome,
    f_measures as f_measures,
    label_averages as label_averages,
    label_intervals as label_intervals,
    with_and_without_test_labels as with_and_without_test_labels,
)
