"""Counts in, scores out: the evaluation of relation classification as functions of one small table.

The path, file by file: label columns are read (`columns`) and counted in one pass (`counting`) into an
outcome (`counts`). From an outcome come the scores of each class (`class_scores`); a scheme weighs the
classes (`weighting`); `averages` puts both together under a stated policy, and `evaluate` makes a report of
it (`averaging`, `report`). `bootstrap` says how sure a score is, `significance` whether two models differ
over several runs, `agreement` whether a ranking holds under other schemes. `semeval` and `direction` score
directed relations; label sets and rankings of labels have outcomes of their own, and the same averages.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        # single labels: columns → counts → class scores → weights → averages → report
        "counting": ["Contingency", "checked_labels"],
        "counts": ["Confusion", "PairedOutcomes", "leaked"],
        "class_scores": ["BinaryCounts", "CLASS_SCORES", "ClassScore", "beta_of", "f_beta", "resolve_score"],
        "weighting": [
            "SCHEMES",
            "Weighting",
            "class_weights",
            "desiderata",
            "power",
            "register_scheme",
            "scheme_names",
            "temporary_scheme",
            "unregister_scheme",
        ],
        "averaging": ["Policy", "RULES", "average", "averages", "evaluate", "one_vs_rest"],
        "report": ["DIRECTION_SCORES", "Report", "plain_number"],
        "latex": [
            "DECIMALS",
            "latex_cell",
            "latex_float",
            "latex_name",
            "latex_rows",
            "latex_table",
            "latex_text",
        ],
        # how sure, and how stable
        "bootstrap": [
            "BootstrapTest",
            "Interval",
            "bootstrap_intervals",
            "bootstrap_suffix",
            "paired_bootstrap",
            "replicates_of",
            "unpaired_bootstrap",
            "wilson_interval",
        ],
        "significance": [
            "CORRECTIONS",
            "FEW_RUNS",
            "FewRunsWarning",
            "RunTest",
            "SAWILOWSKY",
            "WelchTest",
            "benjamini_hochberg",
            "cohens_d",
            "cohens_d_interval",
            "holm",
            "mean_and_sd",
            "run_test",
            "sawilowsky",
            "welch",
            "welch_from_summary",
        ],
        "agreement": [
            "ALPHAS",
            "alpha_crossings",
            "alpha_spectrum",
            "flips",
            "leave_one_class_out",
            "rank_agreement",
            "resampled_agreement",
        ],
        # directed relations
        "semeval": ["drop_direction", "official_macro", "official_scores"],
        "direction": [
            "BREAKDOWN",
            "DirectionScores",
            "direction_scores",
            "inverse_labels",
            "paired_breakdown",
            "with_inverses",
        ],
        # ranked facts of distant supervision
        "facts": ["AREAS", "FactRanking", "PRECISION_AT", "curve_order", "fact_scores"],
        "fact_samples": ["FACT_MEASURES", "FactPair", "FactSample", "PredictedFacts"],
        # label sets and rankings of labels
        "label_matrix": ["as_label_matrix", "label_names"],
        "label_scores": ["RankedLabels", "as_score_matrix", "top_k"],
        "label_sets": ["LabelCounts", "LabelSets"],
        "ranking": ["MEASURES", "RankingOutcome", "checked_ks", "names_at", "ranking_values"],
        "multilabel": [
            "F_MEASURES",
            "LabelPolicy",
            "MultilabelOutcome",
            "f_measures",
            "label_averages",
            "label_intervals",
            "with_and_without_test_labels",
        ],
    },
)
