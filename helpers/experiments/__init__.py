"""One run from end to end: read, train, predict, count, save."""

from .experiment import Experiment as Experiment
from .run import run_experiment as run_experiment
from .bags import (
    BagData as BagData,
    BagExperiment as BagExperiment,
    gids_experiments as gids_experiments,
    read_bags as read_bags,
    run_bag_experiment as run_bag_experiment,
)
from .grid import (
    RATES as RATES,
    chosen as chosen,
    standard_experiments as standard_experiments,
    status as status,
    studies as studies,
    train_missing as train_missing,
)
from .scale import (
    CORES as CORES,
    counting_costs as counting_costs,
    row_bytes as row_bytes,
    row_seconds as row_seconds,
)
from .costs import (
    ASSUMED as ASSUMED,
    SHARE_ROW as SHARE_ROW,
    Prices as Prices,
    benchmark as benchmark,
    core_hours as core_hours,
    gpu_hours as gpu_hours,
    grid_costs as grid_costs,
    grid_record as grid_record,
    grid_text as grid_text,
    parameters as parameters,
    token_counts as token_counts,
    thread_seconds as thread_seconds,
)
from .workflow import (
    GridFile as GridFile,
    Job as Job,
    Plan as Plan,
    all_states as all_states,
    experiment_path as experiment_path,
    grid_jobs as grid_jobs,
    job_state as job_state,
    paper_experiments as paper_experiments,
    plan as plan,
    read_grid as read_grid,
    train_one as train_one,
)
from .noise import (
    BLIND as BLIND,
    CURVES as CURVES,
    LEARNT as LEARNT,
    MISLEADING as MISLEADING,
    READER as READER,
    TAKEN_FOR as TAKEN_FOR,
    add_draws as add_draws,
    agreement as agreement,
    clean_data as clean_data,
    demo_bags as demo_bags,
    draw_curves as draw_curves,
    learnable_draws as learnable_draws,
    one_draw as one_draw,
    stored_draws as stored_draws,
    systems as systems,
)
from .documents import train_and_test as train_and_test
from .multilabel import (
    HELD_OUT as HELD_OUT,
    LINEAR_MODELS as LINEAR_MODELS,
    PAIRS as PAIRS,
    STORED as STORED,
    documents_of as documents_of,
    run_model as run_model,
)
