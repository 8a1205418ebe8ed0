"""One run from end to end: read, train, predict, count, save."""

from .experiment import BASE_ENCODER, SEEDS, Experiment
from .run import run_experiment
from .study import (
    EQUAL_EPOCHS,
    RATES,
    Study,
    chosen,
    standard_experiments,
    studies,
)
from .grid import (
    all_states,
    grid_jobs,
    plan,
    read_grid,
    status,
    study_jobs,
    train_one,
)
from .noise import (
    BLIND,
    CURVES,
    LEARNT,
    PROTOCOLS,
    READER,
    agreement,
    demo_bags,
    one_draw,
    stored_draws,
    systems,
)
from .real_noise import REAL, REAL_DRAWS
from .documents import train_and_test
from .multilabel import HELD_OUT, LINEAR_MODELS, PAIRS, STORED, documents_of, run_model
