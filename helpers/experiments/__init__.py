"""One run from end to end: read, train, predict, count, save."""

from .experiment import BASE_ENCODER, SEEDS, Experiment
from .run import run_experiment
from .grid import all_states, grid_jobs, plan, studies, study, train_one
from .noise import BLIND, CURVES, FALLEN_DRAWS, LEARNT, PROTOCOLS, READER, REAL, REAL_DRAWS
from .noise import agreement, demo_bags, one_draw, stored_draws, systems
from .multilabel import HELD_OUT, LINEAR_MODELS, PAIRS, STORED, documents_of, run_model, train_and_test
