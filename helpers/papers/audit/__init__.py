"""The audit of W and R: which published numbers follow from other published numbers, and do they?

They are recomputed from their rounded inputs by interval arithmetic and called *consistent*, *inconsistent*
or *not derivable*. Read is `results/published` only: no data set, no model.
"""

from __future__ import annotations

import pandas as pd

from ...reporting import PUBLISHED_FOLDER, load_published
from .corpora import LabelCounts, audit_corpora
from .direction import audit_direction
from .intervals import Audit
from .weighting import audit_weighting

LABEL_COUNTS = PUBLISHED_FOLDER / "label_counts.csv"


def audit_claims(
    published: pd.DataFrame | None = None, label_counts: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Recompute every published number that follows from others, and judge it.

    Parameters
    ----------
    published : the printed numbers; None: `load_published()`.
    label_counts : columns dataset, split, label, count; None: the stored ones. Pass an empty frame with these
        columns to audit the printed numbers alone.

    Returns
    -------
    One row a claim, in a fixed order: paper, item, claim, published, derived_low, derived_high (in the
    claim's unit, missing where nothing follows), verdict, inputs, note. The derived interval is sure to hold
    the true value, for all inputs that round to the printed ones. *consistent*: some value in it would be
    printed, or claimed, like this.
    *inconsistent*: rounding cannot explain the claim. *not derivable*: what is needed is not printed.

    >>> claims = audit_claims()
    >>> sorted(set(claims.verdict))
    ['consistent', 'inconsistent', 'not derivable']
    >>> claims.query("paper == 'R' and verdict == 'inconsistent'")["published"].tolist()
    ['46.38', '33.94', '79.03', '78.76', '< 0', '< 0']
    """
    audit = Audit(load_published() if published is None else published)
    label_counts = pd.read_csv(LABEL_COUNTS, keep_default_na=False) if label_counts is None else label_counts
    counts = LabelCounts(label_counts)
    audit_corpora(audit, counts)
    audit_weighting(audit)
    audit_direction(audit, sum(counts.positive("semeval2010")) or None)
    return pd.DataFrame(audit.rows)
