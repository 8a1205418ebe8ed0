"""Which published numbers follow from other published numbers, and do they?

`audit` recomputes them from their rounded inputs by interval arithmetic and says *consistent*, *inconsistent*
or *not derivable*. It reads `results/published` only: no data set, no model.

Rooms: `intervals` (enclosures), `verdicts` (how a claim is judged), `label_counts`; paper W: `statistics`
(Table 1), `corpus_claims`, `weighting` (Tables 3–4), `weighting_claims`; paper R: `direction` (Tables II–VI),
`direction_claims`.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pandas as pd

from helpers import ROOT
from helpers.core import write_atomically
from helpers.reporting import load_published

from .corpora import CorpusCounts, audit_corpus_claims, audit_statistics, load_label_counts, positive
from .direction import audit_direction, audit_direction_claims
from .weighting import audit_weighting, audit_weighting_claims

FILE = ROOT / "results" / "tables" / "audit.csv"


def audit_claims(
    published: pd.DataFrame | None = None, label_counts: pd.DataFrame | None = None
) -> pd.DataFrame:
    """Recompute every published number that follows from others, and judge it.

    Parameters
    ----------
    published : the printed numbers; None: `load_published()`.
    label_counts : columns dataset, split, label, count; None: `load_label_counts()`. Pass an empty frame with
        these columns to audit the printed numbers alone.

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
    label_counts = load_label_counts() if label_counts is None else label_counts
    semeval = CorpusCounts(label_counts).test("semeval2010")
    without_other = sum(positive("semeval2010", semeval)) if semeval else None
    checks = audit_statistics(published, label_counts) + audit_corpus_claims(published, label_counts)
    checks += audit_weighting(published) + audit_weighting_claims(published)
    checks += audit_direction(published, without_other) + audit_direction_claims(published)
    return pd.DataFrame([asdict(one) for one in checks])


def write_audit(path: Path | str = FILE, table: pd.DataFrame | None = None) -> Path:
    """Write the audit as CSV, atomically, with six significant digits. Returns the path.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_audit(Path(folder) / "audit.csv", audit_claims().head(1)).read_text().partition("\\n")[0]
    'paper,item,claim,published,derived_low,derived_high,verdict,inputs,note'
    """
    table = audit_claims() if table is None else table
    return write_atomically(path, table.to_csv(index=False, float_format="%.6g", lineterminator="\n"))
