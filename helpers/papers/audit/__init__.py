"""Which published numbers follow from other published numbers, and do they?"""

from .report import audit_claims, write_audit
from .intervals import (
    CONSISTENT,
    INCONSISTENT,
    NOT_DERIVABLE,
    difference,
    effect_size,
    magnitude,
    nearest_share,
    negative_share,
    overlap,
)
from .corpora import positive_sentences
from .weighting import comparisons, effect_words
from .direction import DirectionTables
from .tables import (
    conventions_table,
    corrected_table,
    ddof_table,
    denominators,
    effect_table,
    inconsistent_stories,
    p_chart_rows,
    p_ranges,
    possible_counts,
    significance_columns,
    significance_rows,
    significant,
    simulated_experiments,
    story_counts,
)
