"""A run: what was trained or read, how, and its outcome as counts; save, load, list, compare."""

from .schema import (
    ConfusionRows as ConfusionRows,
    LabelSetRows as LabelSetRows,
    PairedRows as PairedRows,
    Run as Run,
)
from .ranked_facts import RankedFacts as RankedFacts
from .files import (
    RUNS_FOLDER as RUNS_FOLDER,
    STORED_RUNS as STORED_RUNS,
    STUDIES_FOLDER as STUDIES_FOLDER,
    different_fields as different_fields,
    list_published as list_published,
    list_runs as list_runs,
    load_run as load_run,
    run_path as run_path,
    safe_name as safe_name,
    same_configuration as same_configuration,
    save_run as save_run,
    variant_name as variant_name,
)
from .label_pairs import LabelPairs as LabelPairs
from .staleness import (
    INDEX as INDEX,
    MadeFrom as MadeFrom,
    Result as Result,
    made_states as made_states,
    project_names as project_names,
    read_index as read_index,
    run_state as run_state,
    write_made as write_made,
)
from .provenance import (
    environment as environment,
)
