"""Counts in, scores out: the evaluation of relation classification as functions of one small table.

The path, file by file: label columns are counted in one pass (`counting`) into an `Outcome` (`outcome`). From
it come the counts of each class, and the scores that are functions of them (`scores`); a scheme weighs the
classes (`weighting`); `averages` puts both together under a stated policy, and `evaluate` makes a report of
it (`averaging`, `report`). `bootstrap` says how sure a score is, `significance` whether two models differ
over several runs, `agreement` whether a ranking holds under other schemes. `direction` scores
directed relations; label sets and rankings of labels have outcomes of their own, and the same averages.
"""

# single labels: columns → counts → class scores → weights → averages → report
from .counting import checked_labels
from .outcome import Outcome, leaked
from .scores import CLASS_SCORES, ClassCounts, f_beta, resolve_score
from .weighting import (
    SCHEMES,
    Weighting,
    class_weights,
    desiderata,
    power,
    register_scheme,
    scheme_names,
    unregister_scheme,
)
from .averaging import Policy, RULES, average, averages, class_report, evaluate, signature
from .report import (
    DIRECTION_SCORES,
    ClassReport,
    Column,
    Report,
    Table,
    chance,
    escape_markdown,
    percent,
    plain_number,
    plain_values,
    points,
)
from .latex import latex_float, latex_name, latex_text

# how sure, and how stable
from .reliability import calibration
from .bootstrap import (
    BootstrapTest,
    Interval,
    bootstrap_intervals,
    bootstrap_suffix,
    paired_bootstrap,
    unpaired_bootstrap,
)
from .significance import (
    CORRECTIONS,
    FEW_RUNS,
    FewRunsWarning,
    SAWILOWSKY,
    cohens_d,
    holm,
    mean_and_sd,
    run_test,
    sawilowsky,
    welch_from_summary,
)
from .sample_size import accuracy_samples, runs_needed, runs_power
from .agreement import (
    ALPHAS,
    alpha_crossings,
    alpha_spectrum,
    flips,
    leave_one_class_out,
    rank_agreement,
    resampled_agreement,
)

# directed relations
from .direction import (
    DirectionScores,
    direction_scores,
    inverse_labels,
    official_macro,
    official_scores,
    paired_breakdown,
)

# ranked facts of distant supervision
from .facts import AREAS, CurveFault, FactRanking, PRECISION_AT, curve_order, fact_scores
from .fact_samples import FACT_MEASURES, FactSample

# label sets and rankings of labels
from .label_matrix import as_label_matrix, as_score_matrix
from .ranking import RankingOutcome, checked_ks, names_at
from .multilabel import F_MEASURES, MultilabelOutcome, f_measures, label_intervals
