"""A trained multi-label classifier in a file: what was done, what it cost, and its outcome; and tables of it.

The outcome is counts: how many gold labels an instance has and at which ranks its hits are, and which label
set was predicted for which gold set. No text, no ids: it may be published where the corpus may not. Every
score, under every scheme, with its interval, follows from it. Nothing is trained here (`multilabel_runs`).

The README's table of multi-label classifiers, from the table that notebook 09 wrote.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from helpers import ROOT
from helpers.metrics import (
    SCHEMES,
    LabelPolicy,
    MultilabelOutcome,
    label_averages,
    label_intervals,
    scheme_names,
)
from helpers.reporting import read_tidy
from helpers.runs import MultilabelRun


def scores_of(run: MultilabelRun, ks: Sequence[int] = (1, 3, 5)) -> dict[str, float]:
    """Ranking measures at each K, the three F-measures, and F1 under every scheme, all as fractions.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> found = scores_of(MultilabelRun("demo", "1vsrest", outcome, (3, 2)), ks=[1])
    >>> found["P@1"], found["macro"]
    (1.0, 0.5)
    """
    averages = label_averages(run.outcome.counts).tolist()
    return run.outcome.scores(ks) | dict(zip(scheme_names(), averages, strict=True))


def score_rows(
    run: MultilabelRun, rng: np.random.Generator, replicates: int = 1000, ks: Sequence[int] = (1, 3, 5)
) -> list[dict[str, Any]]:
    """Rows of a tidy table: every score of `scores_of` with its 95 % bootstrap interval and signature.

    Instances are drawn, with all their labels; the generator is used up to here in the order of the rows.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> run = MultilabelRun("demo", "1vsrest", outcome, (3, 2))
    >>> rows = score_rows(run, np.random.default_rng(1), replicates=10, ks=[1])
    >>> [row["metric"] for row in rows][:5], rows[-1]["scheme"], rows[-1]["value"]
    (['P@1', 'R@1', 'RP@1', 'NDCG@1', 'Macro-F1'], 'macro', 0.5)
    """
    outcome, policy = run.outcome, LabelPolicy()
    found = outcome.ranking.intervals(ks, rng, replicates) | label_intervals(
        outcome.sets, rng, replicates=replicates
    )
    kinds = {"Macro-F1": ("f1", "macro"), "Micro-F1": ("f1", "micro"), "Macro*-F1": ("f1_of_means", "macro")}
    kinds |= {scheme: ("f1", scheme) for scheme in scheme_names()}
    rows = []
    for name, interval in found.items():
        signature = (
            policy.signature(outcome.counts, *kinds[name])
            if name in kinds
            else outcome.ranking.signature(name)
        )
        row = {"paper": "L", "item": "linear methods", "dataset": run.dataset, "model": run.model}
        is_scheme = name in scheme_names()
        row |= {"metric": "f1" if is_scheme else name, "scheme": name if is_scheme else ""}
        row |= {"value": interval.value, "low": interval.low, "high": interval.high}
        rows.append(row | {"signature": signature})
    return rows


def differing_documents(one: MultilabelOutcome, other: MultilabelOutcome) -> int:
    """How many instances at least have another ranking pattern or another pair of label sets in the other.

    0 says that every score, every interval and every label's counts are the same.

    >>> first = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> other = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, 1]], 1, keep_sets=True)
    >>> differing_documents(first, first), differing_documents(first, other)
    (0, 1)
    """
    pairs = ((one.ranking, other.ranking), (one.sets, other.sets))
    return max(_moved(a.to_rows(), b.to_rows()) for a, b in pairs)


def _moved(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> int:
    """Counts that are in the first table of rows (key …, count) and not in the second."""
    there = {json.dumps(row[:-1]): row[-1] for row in other}
    return sum(max(0, row[-1] - there.get(json.dumps(row[:-1]), 0)) for row in one)


def label_table(runs: Mapping[str, MultilabelRun]) -> pd.DataFrame:
    """One row a label: `label`, `train`, `test` (documents that have it), and its F1 under each model.

    Raises ValueError if the runs are not of the same labels.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> label_table({"1vsrest": MultilabelRun("demo", "1vsrest", outcome, (3, 2))}).values.tolist()
    [[0.0, 3.0, 1.0, 1.0], [1.0, 2.0, 1.0, 0.0]]
    """
    first, *others = runs.values()
    labels = first.outcome.ranking.labels
    if any(run.outcome.ranking.labels != labels for run in others):
        raise ValueError("runs have different labels: they do not fit in one table")
    columns = {"label": labels, "train": first.train_support, "test": first.support}
    return pd.DataFrame(columns | {model: run.label_f1 for model, run in runs.items()})


TABLE = ROOT / "results" / "tables" / "09_multilabel.csv"
CORPORA = {"reuters90": "Reuters-21578", "goemotions": "GoEmotions"}

MODELS = (
    "1vsrest",
    "1vsrest without bias",
    "thresholding",
    "thresholding scut-fbr",
    "cost_sensitive",
    "cost_sensitive without bias",
    "cost_sensitive_micro",
    "tree",
)
METRICS = ("P@1", "P@3", "P@5", "Macro-F1", "Micro-F1")


def multilabel_markdown(path: Path | str = TABLE) -> str:
    """One row a corpus and method: the public package's P@1 / P@3 / P@5 / Macro / Micro, ours, F1 by scheme.

    >>> multilabel_markdown().splitlines()[2].split(" | ")[1:4]
    ['1vsrest', '0.9460 / 0.3799 / 0.2360 / 0.4227 / 0.8651', '0.9460 / 0.3799 / 0.2360 / 0.4227 / 0.8651']
    """
    table = read_tidy(path)
    head = ["corpus", "method", "P@1 / 3 / 5, Macro-, Micro-F1: package", "ours", f"F1 {' / '.join(SCHEMES)}"]
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    for dataset, corpus in CORPORA.items():
        for model in MODELS:
            rows = table[(table["dataset"] == dataset) & (table["model"] == model)]
            if not len(rows):
                continue
            named = rows[rows["scheme"] == ""].set_index("metric")
            schemes = rows[rows["metric"] == "f1"].set_index("scheme")["value"]
            package = " / ".join(named.loc[list(METRICS), "published"].replace("", "–"))
            cells = [
                corpus,
                model,
                "–" if set(package) <= set("– /") else package,
                " / ".join(f"{value:.4f}" for value in named.loc[list(METRICS), "value"]),
                " / ".join(f"{100 * value:.1f}" for value in schemes.loc[list(SCHEMES)]),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
