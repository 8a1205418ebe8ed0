"""Published numbers, scores of runs over seeds, tidy tables; figures are in `helpers.reporting.figures`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "published": [
            "PUBLISHED_FOLDER",
            "Cell",
            "Range",
            "load_published",
            "find_cell",
            "as_cell",
            "parse_printed",
            "printed_decimals",
            "rounding_interval",
            "agrees",
        ],
        "baseline": ["against_majority", "majority_label", "majority_text"],
        "seeds": [
            "DIRECTION",
            "MixedRunsWarning",
            "mixed_runs",
            "original_table",
            "scheme_scores",
            "paired_scores",
            "per_seed",
            "over_seeds",
            "compare_models",
            "resampled_intervals",
            "epoch_runs",
        ],
        "tables": [
            "TABLES_FOLDER",
            "TIDY_COLUMNS",
            "tidy",
            "write_tidy",
            "read_tidy",
            "write_csv",
            "published_ours",
            "to_markdown",
            "markdown_table",
        ],
        "run_tables": [
            "run_rows",
            "printed_key",
            "tidy_runs",
            "run_numbers",
            "mean_sd_text",
            "forest_rows",
            "runs_named",
            "settings_table",
        ],
        "sentences": ["answer", "from_to", "listed", "share_in_words", "signed"],
    },
)
