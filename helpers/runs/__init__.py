"""A run: what was trained or read, how, and its outcome as counts; save, load, list, compare."""

from .outcomes import ConfusionRows, RankedFacts
from .schema import Run
from .files import RUNS_FOLDER, STORED_RUNS, STUDIES_FOLDER, list_published, list_runs, load_run, save_run
from .files import environment, run_path, safe_name, variant_name
from .staleness import INDEX, Result, made_states, project_names, project_path
from .staleness import read_index, run_state, write_made
