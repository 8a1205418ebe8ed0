"""Counts in, scores out: the evaluation of relation classification as functions of one small table.

The path, file by file: label columns are counted in one pass (`counting`) into an `Outcome` (`outcome`). From
it come the counts of each class, and the scores and weights that are functions of them (`scores`); `averages`
puts both together under a stated policy, and `evaluate` makes a report of it (`averaging`, `report`).
`bootstrap` says how sure a score is, `significance` whether two models differ over several runs, `agreement`
whether a ranking holds under other schemes. `direction` scores directed relations; label sets and rankings of
labels have outcomes of their own, and the same averages.
"""

# single labels: columns → counts → class scores → weights → averages → report
from .counting import as_label_matrix, as_score_matrix, checked_labels
from .outcome import Outcome
from .scores import CLASS_SCORES, SCHEMES, ClassCounts, Scheme, Schemes, Weighting, resolve_score
from .scores import class_weights, desiderata, power, register_scheme, scheme_names
from .averaging import RULES, Policy, average, averages, bootstrap_suffix, evaluate, signature
from .report import DIRECTION_SCORES, ClassReport, Column, Report, Table
from .report import chance, escape_markdown, percent, plain_number, plain_values, points
from .latex import latex_float, latex_name, latex_text

# how sure, and how stable
from .bootstrap import Interval, bootstrap_intervals
from .bootstrap import paired_bootstrap, unpaired_bootstrap
from .significance import CORRECTIONS, FEW_RUNS, SAWILOWSKY
from .significance import cohens_d, holm, mean_and_sd, run_test, sawilowsky, welch_from_summary
from .significance import runs_needed, runs_power
from .agreement import ALPHAS, alpha_crossings, calibration, flips
from .agreement import leave_one_class_out, resampled_agreement

# directed relations
from .direction import DirectionScores, direction_scores, paired_breakdown
from .direction import official_macro, official_scores

# ranked facts of distant supervision
from .facts import AREAS, FACT_MEASURES, PRECISION_AT, CurveFault, FactRanking, FactSample

# label sets and rankings of labels
from .multilabel import F_MEASURES, MultilabelOutcome, RankingOutcome, checked_ks
