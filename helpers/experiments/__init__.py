"""One run from end to end: read, train, predict, count, save."""

from .experiment import Experiment
from .run import run_experiment
from .bags import BagExperiment, gids_experiments, read_bags, run_bag_experiment
from .grid import RATES, chosen, standard_experiments, status, studies, train_missing
from .workflow import (
    Plan,
    all_states,
    experiment_path,
    grid_jobs,
    job_state,
    paper_experiments,
    plan,
    read_grid,
    train_one,
)
from .noise import (
    BLIND,
    CURVES,
    LEARNT,
    MISLEADING,
    READER,
    TAKEN_FOR,
    add_draws,
    agreement,
    clean_data,
    demo_bags,
    draw_curves,
    learnable_draws,
    one_draw,
    stored_draws,
    systems,
)
from .documents import train_and_test
from .multilabel import HELD_OUT, LINEAR_MODELS, PAIRS, STORED, documents_of, run_model
