"""Paper L, multi-label classification: tables of stored runs, and the README's table of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from .. import RESULTS
from ..metrics import (
    F_MEASURES,
    LabelCounts,
    LabelPolicy,
    MultilabelOutcome,
    label_averages,
    label_intervals,
    scheme_names,
)
from ..reporting import read_tidy
from ..runs import RUNS_FOLDER, Run, list_runs
from .weighting import PRINTED_SCHEMES


def multilabel_runs(dataset: str, folder: Path | str = RUNS_FOLDER) -> dict[str, Run]:
    """The stored runs of single multi-label models, by name, in the order of their problems; {} without any.

    >>> next(iter(multilabel_runs("reuters90")))
    '1vsrest'
    """
    runs = [run for run in list_runs(dataset, kind="label_sets", folder=folder) if not run.second]
    return {run.name: run for run in sorted(runs, key=lambda run: (run.facts.get("problems", 0), run.name))}


def scores_of(run: Run, ks: Sequence[int] = (1, 3, 5)) -> dict[str, float]:
    """Ranking measures at each K, the three F-measures, and F1 under every scheme, all as fractions.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> found = scores_of(Run.from_outcome(outcome, dataset="demo", model="1vsrest"), ks=[1])
    >>> found["P@1"], found["macro"]
    (1.0, 0.5)
    """
    outcome = run.outcome()
    averages = label_averages(outcome.counts).tolist()
    return outcome.scores(ks) | dict(zip(scheme_names(), averages, strict=True))


def score_rows(
    run: Run, rng: np.random.Generator, replicates: int = 1000, ks: Sequence[int] = (1, 3, 5)
) -> list[dict[str, Any]]:
    """Rows of a tidy table: every score of `scores_of` with its 95 % bootstrap interval and signature.

    Instances are drawn, with all their labels; the generator is used up to here in the order of the rows.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> run = Run.from_outcome(outcome, dataset="demo", model="1vsrest")
    >>> rows = score_rows(run, np.random.default_rng(1), replicates=10, ks=[1])
    >>> [row["metric"] for row in rows][:5], rows[-1]["scheme"], rows[-1]["value"]
    (['P@1', 'R@1', 'RP@1', 'NDCG@1', 'Macro-F1'], 'macro', 0.5)
    """
    outcome, policy, schemes = run.outcome(), LabelPolicy(), scheme_names()
    found = outcome.ranking.intervals(ks, rng, replicates)
    found |= label_intervals(outcome.sets, rng, replicates=replicates)
    kinds = F_MEASURES | {scheme: ("f1", scheme) for scheme in schemes}
    fixed = {"paper": "L", "item": "linear methods", "dataset": run.dataset, "model": run.name}
    return [
        fixed
        | {"metric": "f1" if name in schemes else name, "scheme": name if name in schemes else ""}
        | {"value": interval.value, "low": interval.low, "high": interval.high}
        | {
            "signature": policy.signature(outcome.counts, *kinds[name])
            if name in kinds
            else outcome.ranking.signature(name)
        }
        for name, interval in found.items()
    ]


def differing_documents(one: MultilabelOutcome, other: MultilabelOutcome) -> int:
    """How many instances at least have another ranking pattern or another pair of label sets in the other.

    0 says that every score, every interval and every label's counts are the same.

    >>> first = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> other = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, 1]], 1, keep_sets=True)
    >>> differing_documents(first, first), differing_documents(first, other)
    (0, 1)
    """
    pairs = ((one.ranking, other.ranking), (one.sets, other.sets))
    return max((_counter(a.to_rows()) - _counter(b.to_rows())).total() for a, b in pairs)


def _counter(rows: Iterable[Sequence[Any]]) -> Counter:
    return Counter({str(row[:-1]): row[-1] for row in rows})


def pair_gains(
    dataset: str,
    pairs: Iterable[tuple[str, str]],
    rng: np.random.Generator,
    replicates: int = 1000,
    folder: Path | str = RUNS_FOLDER,
) -> pd.DataFrame:
    """`LabelPairs.gains` of stored pairs of models, one below the other; `model` says 'second − first'.

    The generator is used up in the order of the pairs. A pair that is not stored has no rows.

    >>> pair_gains("reuters90", [("1vsrest", "thresholding")], np.random.default_rng(1), 10).shape
    (5, 5)
    """
    tables = [pd.DataFrame()]
    for first, second in pairs:
        for run in list_runs(dataset, f"{first}+{second}", folder=folder):
            gains = run.outcome().gains(rng, replicates)
            gains.insert(0, "model", f"{second} − {first}")
            tables.append(gains)
    return pd.concat(tables, ignore_index=True)


def label_f1(counts: LabelCounts) -> np.ndarray:
    """(L,) F1 of each label; 0 where it is undefined.

    >>> label_f1(LabelCounts.from_matrices([[1, 0], [1, 0]], [[1, 0], [0, 0]])).round(4).tolist()
    [0.6667, 0.0]
    """
    total = counts.gold + counts.predicted
    return np.divide(2 * counts.correct, total, out=np.zeros(len(total)), where=total > 0)


def label_table(runs: Mapping[str, Run]) -> pd.DataFrame:
    """One row a label: `label`, `train`, `test` (documents that have it), and its F1 under each model.

    Raises ValueError if the runs are not of the same labels.

    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1, keep_sets=True)
    >>> run = Run.from_outcome(outcome, dataset="demo", model="1vsrest", train_support=(3, 2))
    >>> label_table({"1vsrest": run}).values.tolist()
    [[0.0, 3.0, 1.0, 1.0], [1.0, 2.0, 1.0, 0.0]]
    """
    first, *others = runs.values()
    if any(run.labels != first.labels for run in others):
        raise ValueError("runs have different labels: they do not fit in one table")
    columns = {"label": first.labels, "train": first.table.train_support}
    columns |= {"test": first.outcome().counts.gold}
    return pd.DataFrame(columns | {model: label_f1(run.outcome().counts) for model, run in runs.items()})


TABLE = RESULTS / "tables" / "10_multilabel.csv"
CORPORA = {"reuters90": "Reuters-21578", "goemotions": "GoEmotions"}

MODELS = (
    "1vsrest",
    "1vsrest without bias",
    "1vsrest primal",
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
    f1 = f"F1 {' / '.join(PRINTED_SCHEMES)}"
    head = ["corpus", "method", "P@1 / 3 / 5, Macro-, Micro-F1: package", "ours", f1]
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
                " / ".join(f"{100 * value:.1f}" for value in schemes.loc[list(PRINTED_SCHEMES)]),
            ]
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
