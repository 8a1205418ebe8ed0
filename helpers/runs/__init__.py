"""A run: what was trained or read, how, and its outcome as counts; save, load, list, compare."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "schema": ["ConfusionRows", "LabelSetRows", "PairedRows", "Run"],
        "ranked_facts": ["RankedFacts"],
        "files": [
            "RUNS_FOLDER",
            "STORED_RUNS",
            "STUDIES_FOLDER",
            "different_fields",
            "list_published",
            "list_runs",
            "load_run",
            "run_path",
            "safe_name",
            "same_configuration",
            "save_run",
            "variant_name",
        ],
        "label_pairs": ["LabelPairs"],
        "staleness": [
            "INDEX",
            "MadeFrom",
            "Result",
            "made_states",
            "project_names",
            "read_index",
            "run_state",
            "write_made",
        ],
        "provenance": ["environment"],
    },
)
