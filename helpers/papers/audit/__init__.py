"""Which published numbers follow from other published numbers, and do they?"""

from .report import audit_claims as audit_claims, write_audit as write_audit
from .intervals import (
    CONSISTENT as CONSISTENT,
    INCONSISTENT as INCONSISTENT,
    NOT_DERIVABLE as NOT_DERIVABLE,
    corners as corners,
    difference as difference,
    effect_size as effect_size,
    magnitude as magnitude,
    nearest_share as nearest_share,
    negative_share as negative_share,
    overlap as overlap,
)
from .corpora import StatisticsTable as StatisticsTable, positive_sentences as positive_sentences
from .weighting import (
    COMPARED_WITH as COMPARED_WITH,
    comparisons as comparisons,
    effect_words as effect_words,
)
from .direction import DirectionTables as DirectionTables
from .tables import (
    conventions_table as conventions_table,
    corrected_table as corrected_table,
    ddof_table as ddof_table,
    denominators as denominators,
    effect_table as effect_table,
    inconsistent_stories as inconsistent_stories,
    p_chart_rows as p_chart_rows,
    p_ranges as p_ranges,
    possible_counts as possible_counts,
    significance_columns as significance_columns,
    significance_rows as significance_rows,
    significant as significant,
    simulated_experiments as simulated_experiments,
    story_counts as story_counts,
)
