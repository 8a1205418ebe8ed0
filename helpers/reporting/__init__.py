"""Published numbers, scores of runs over seeds, tidy tables; figures are in `helpers.reporting.figures`."""

from .published import (
    PUBLISHED_FOLDER,
    Cell,
    Range,
    load_published,
    find_cell,
    as_cell,
    parse_printed,
    printed_decimals,
    rounding_interval,
    agrees,
)
from .results import (
    DIRECTION,
    mixed_runs,
    original_table,
    scheme_scores,
    paired_scores,
    per_seed,
    over_seeds,
    compare_models,
    resampled_intervals,
    epoch_runs,
    cells,
    mean_sd,
    run_rows,
    printed_key,
    tidy_runs,
    mean_sd_texts,
    forest_rows,
    runs_named,
    runs_with,
    settings_table,
    majority_text,
)
from .tables import (
    TABLES_FOLDER,
    tidy,
    write_tidy,
    read_tidy,
    write_csv,
    published_ours,
    to_markdown,
    markdown_table,
)
from .sentences import answer, from_to, listed, p_value, signed
