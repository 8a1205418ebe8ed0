"""Which published numbers follow from other published numbers, and do they?"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "report": ["audit_claims", "write_audit"],
        "intervals": [
            "CONSISTENT",
            "INCONSISTENT",
            "NOT_DERIVABLE",
            "corners",
            "difference",
            "effect_size",
            "magnitude",
            "nearest_share",
            "negative_share",
            "overlap",
        ],
        "corpora": ["StatisticsTable", "positive_sentences"],
        "weighting": ["COMPARED_WITH", "comparisons", "effect_words"],
        "direction": ["DirectionTables"],
        "tables": [
            "conventions_table",
            "corrected_table",
            "ddof_table",
            "denominators",
            "effect_table",
            "inconsistent_stories",
            "p_chart_rows",
            "p_ranges",
            "possible_counts",
            "significance_columns",
            "significance_rows",
            "significant",
            "simulated_experiments",
            "story_counts",
        ],
    },
)
