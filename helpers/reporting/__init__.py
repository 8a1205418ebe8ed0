"""Published numbers, scores of runs over seeds, tidy tables; figures are in `helpers.charts`."""

# what the papers print
from .published import PUBLISHED_FOLDER, Cell, Printed, Range, load_published

# scores of runs, over seeds, beside each other
from .results import DIRECTION, paired_scores, scheme_scores
from .results import compare_models, mixed_runs, per_seed, resampled_intervals, run_rows
from .results import epoch_runs, majority_text, runs_with, settings_table

# tables of them, and words of sentences about numbers
from .tables import TABLES_FOLDER, published_ours, read_tidy, write_csv, write_tidy
from .tables import cells, forest_rows, mean_sd_texts, runs_named, tidy_runs
from .tables import answer, from_to, listed, p_value, signed, to_markdown
