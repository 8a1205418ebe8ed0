"""The audit of both papers: which published numbers follow from other published numbers, and do they?

They are recomputed from their rounded inputs by interval arithmetic and called *consistent*, *inconsistent*
or *not derivable*. Read is `results/published` only: no data set, no model.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pandas as pd

from ...reporting import PUBLISHED_FOLDER, TABLES_FOLDER, load_published, write_csv
from .corpora import StatisticsTable, audit_corpora
from .direction import audit_direction
from .weighting import audit_weighting


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

    >>> sorted(set(audit_claims().verdict))
    ['consistent', 'inconsistent', 'not derivable']
    """
    published = load_published() if published is None else published
    label_counts = _load_label_counts() if label_counts is None else label_counts
    table = StatisticsTable(published, label_counts)
    without_other = sum(table.positive("semeval2010")) or None
    checks = audit_corpora(table) + audit_weighting(published) + audit_direction(published, without_other)
    return pd.DataFrame([asdict(claim) for claim in checks])


def _load_label_counts() -> pd.DataFrame:
    """The public label counts: columns dataset, split, label, count, and more.

    >>> _load_label_counts().columns.tolist()[:4]
    ['dataset', 'split', 'label', 'count']
    """
    return pd.read_csv(PUBLISHED_FOLDER / "label_counts.csv", keep_default_na=False)


def write_audit(path: Path | str = TABLES_FOLDER / "audit.csv", table: pd.DataFrame | None = None) -> Path:
    """Write the audit as CSV, atomically, with six significant digits. Returns the path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_audit(Path(folder) / "audit.csv", audit_claims().head(1)).read_text().partition("\\n")[0]
    'paper,item,claim,published,derived_low,derived_high,verdict,inputs,note'
    """
    return write_csv(audit_claims() if table is None else table, path, digits=6)
