"""Published numbers, tidy tables, scores over seeds; figures are in `reporting.figures`."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "published": [
            "Cell",
            "FOLDER",
            "Interval",
            "agrees",
            "as_cell",
            "find_cell",
            "load_published",
            "parse_printed",
            "rounding_interval",
            "unknown_message",
        ],
        "seeds": [
            "DIRECTION",
            "compare_models",
            "epoch_runs",
            "original_table",
            "over_seeds",
            "paired_scores",
            "per_seed",
            "resampled_intervals",
            "scheme_scores",
        ],
        "tables": ["COLUMNS", "published_ours", "read_tidy", "tidy", "to_markdown", "write_tidy"],
    },
)
