"""A run: what was trained or read, how, and its outcome as counts; save, load, list."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "runs": [
            "COMPARED",
            "FOLDER",
            "Run",
            "environment",
            "list_runs",
            "load_run",
            "run_path",
            "safe_name",
            "same_configuration",
            "save_run",
        ],
        "multilabel": [
            "LabelPairs",
            "MULTILABEL_FOLDER",
            "MultilabelRun",
            "list_multilabel_runs",
            "save_multilabel_run",
        ],
    },
)
