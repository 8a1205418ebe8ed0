"""Published numbers, scores of runs over seeds, tidy tables; figures are in `helpers.reporting.figures`."""

from .published import (
    PUBLISHED_FOLDER as PUBLISHED_FOLDER,
    Cell as Cell,
    Range as Range,
    load_published as load_published,
    find_cell as find_cell,
    as_cell as as_cell,
    parse_printed as parse_printed,
    printed_decimals as printed_decimals,
    rounding_interval as rounding_interval,
    agrees as agrees,
)
from .baseline import (
    against_majority as against_majority,
    majority_label as majority_label,
    majority_text as majority_text,
)
from .seeds import (
    DIRECTION as DIRECTION,
    MixedRunsWarning as MixedRunsWarning,
    mixed_runs as mixed_runs,
    original_table as original_table,
    scheme_scores as scheme_scores,
    paired_scores as paired_scores,
    per_seed as per_seed,
    over_seeds as over_seeds,
    compare_models as compare_models,
    resampled_intervals as resampled_intervals,
    epoch_runs as epoch_runs,
)
from .tables import (
    TABLES_FOLDER as TABLES_FOLDER,
    TIDY_COLUMNS as TIDY_COLUMNS,
    tidy as tidy,
    write_tidy as write_tidy,
    read_tidy as read_tidy,
    write_csv as write_csv,
    published_ours as published_ours,
    to_markdown as to_markdown,
    markdown_table as markdown_table,
)
from .run_tables import (
    run_rows as run_rows,
    printed_key as printed_key,
    tidy_runs as tidy_runs,
    run_numbers as run_numbers,
    mean_sd_text as mean_sd_text,
    forest_rows as forest_rows,
    runs_named as runs_named,
    settings_table as settings_table,
)
from .sentences import (
    answer as answer,
    from_to as from_to,
    listed as listed,
    share_in_words as share_in_words,
    signed as signed,
)
