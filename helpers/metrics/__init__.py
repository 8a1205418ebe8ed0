"""Counts in, scores out: the evaluation of relation classification as functions of one small table."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "columns": ["Interner", "as_coded"],
        "counts": ["Confusion", "PairedOutcomes"],
        "averaging": ["Policy", "RULES", "average", "averages", "evaluate"],
        "label_sets": ["LabelCounts", "LabelSets"],
        "multilabel": [
            "F_MEASURES",
            "LabelPolicy",
            "MultilabelOutcome",
            "label_averages",
            "label_intervals",
            "with_and_without_test_labels",
        ],
        "ranking": ["RankingOutcome", "checked_ks", "names_at"],
        "weighting": [
            "SCHEMES",
            "class_weights",
            "desiderata",
            "power",
            "register_scheme",
            "scheme_names",
            "temporary_scheme",
            "unregister_scheme",
        ],
        "bootstrap": ["Interval", "PairedTest", "bootstrap_intervals", "paired_bootstrap"],
        "direction": [
            "BREAKDOWN",
            "DirectionScores",
            "direction_scores",
            "inverse_labels",
            "paired_breakdown",
            "with_inverses",
        ],
        "report": ["Report"],
        "semeval": ["drop_direction", "official_macro", "official_scores"],
        "significance": [
            "FewRunsWarning",
            "SAWILOWSKY",
            "cohens_d",
            "holm",
            "mean_and_sd",
            "sawilowsky",
            "welch",
            "welch_from_summary",
        ],
        "label_scores": ["as_score_matrix"],
        "agreement": [
            "ALPHAS",
            "alpha_crossings",
            "alpha_spectrum",
            "flips",
            "leave_one_class_out",
            "rank_agreement",
        ],
        "class_scores": ["BinaryCounts", "CLASS_SCORES", "resolve_score", "f_beta"],
    },
)
