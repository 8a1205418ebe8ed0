"""Paper W (Harbecke et al. 2022), Table 1: label statistics of the corpora, published | ours.

All from stored label counts. A test part stands for its corpus; of DocRED it is the 699 public development
documents, of a corpus without direction (`-undirected`) the test part with its directions merged.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from .. import data
from ..core import NEGATIVE_NAMES, base_relation
from ..reporting import load_published

EXTRA = ("nyt10m", "kbp37", "re_docred")
"""Measured by the same rule, but not in the paper's table; of Re-DocRED the pairs in one sentence."""
_OF_TEST = ("perplexity", "perplexity_without_negative", "ratio")


def _printed() -> pd.DataFrame:
    """Table 1 as printed, its numbers: one a row."""
    return load_published("W", "Table 1").query("unit != 'text'")


def corpus_statistics() -> pd.DataFrame:
    """Our statistics, a row for each corpus but NYT of Riedel et al. (its test counts are not public).

    `negative_share` is in per cent, as printed. Of NYT10m the test counts are facts, none of which is NA, so
    its perplexity with the negative class is unknown.

    >>> ours = corpus_statistics().set_index("dataset")
    >>> float(ours.loc["tacred", "perplexity"].round(2)), int(ours.loc["tacred", "labels"])
    (3.31, 42)
    """
    names = [*dict.fromkeys(_printed()["dataset"]), *EXTRA]
    rows = [{"dataset": name} | data.dataset_statistics(name).to_dict() for name in names if name != "nyt10"]
    ours = pd.DataFrame(rows)
    ours["negative_share"] = 100 * ours["negative_share"].astype(float)
    ours.loc[ours["dataset"] == "nyt10m", "perplexity"] = np.nan
    return ours


def side_by_side(compared: pd.DataFrame, names: Sequence[str] = ()) -> pd.DataFrame:
    """The comparison as the paper prints it: a row a corpus, in each cell published | ours.

    >>> row = {"dataset": "tacred", "metric": "perplexity", "published": "3.31", "ours": 3.30525}
    >>> side_by_side(pd.DataFrame([row]), ["tacred"])["perplexity"].tolist()
    ['3.31 | 3.30525']
    """
    printed = _printed()
    order, metrics = list(dict.fromkeys(printed["dataset"])), list(dict.fromkeys(printed["metric"]))
    ours = compared["ours"].map("{:.6g}".format)
    cells = compared.assign(cell=(compared["published"] + " | " + ours).str.removeprefix(" | "))
    wide = cells.pivot(index="dataset", columns="metric", values="cell")
    return wide.reindex(index=list(names or order), columns=metrics).astype(object).fillna("")


def positive_counts(dataset: str) -> tuple[pd.Series, int]:
    """Counts of the positive classes of a test part, largest first, those that do not occur among them; and
    the number of all its samples.

    >>> counts, total = positive_counts("tacred")
    >>> counts.index[0], int(counts.iloc[0]), total
    ('per:title', 500, 15509)
    """
    splits = data.published_counts(dataset.removesuffix("-undirected"))
    counts = pd.Series(splits.get("test") or splits["dev-699"], name="support").rename_axis("relation")
    counts = counts.drop(data.TOTAL, errors="ignore")
    counts = counts.groupby(base_relation if dataset.endswith("-undirected") else str, sort=False).sum()
    positive = counts.drop(list(NEGATIVE_NAMES), errors="ignore")
    return positive.sort_values(ascending=False, kind="stable"), int(counts.sum())
