"""One run from end to end: read, train, predict, count, save."""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach(
    __name__,
    submod_attrs={
        "experiment": ["Experiment"],
        "run": ["run_experiment"],
        "bags": ["BagData", "BagExperiment", "gids_experiments", "read_bags", "run_bag_experiment"],
        "grid": ["chosen", "standard_experiments", "status", "studies", "train_missing"],
        "scale": ["CORES", "counting_costs", "row_bytes", "row_seconds"],
        "costs": [
            "ASSUMED",
            "SHARE_ROW",
            "Prices",
            "benchmark",
            "core_hours",
            "gpu_hours",
            "grid_costs",
            "grid_record",
            "grid_text",
            "parameters",
            "token_counts",
            "thread_seconds",
        ],
        "workflow": [
            "GridFile",
            "Job",
            "Plan",
            "all_states",
            "experiment_path",
            "grid_jobs",
            "job_state",
            "paper_experiments",
            "plan",
            "read_grid",
            "train_one",
        ],
        "noise": [
            "add_draws",
            "agreement",
            "clean_data",
            "demo_bags",
            "one_draw",
            "stored_draws",
            "systems",
        ],
        "documents": ["train_and_test"],
        "multilabel": ["HELD_OUT", "LINEAR_MODELS", "PAIRS", "STORED", "documents_of", "run_model"],
    },
)
