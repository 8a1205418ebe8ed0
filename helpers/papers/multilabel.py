"""Paper L, multi-label classification: tables of stored runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import scipy

from .. import metrics, reporting
from ..data import Documents
from ..experiments import LINEAR_MODELS, STORED, run_model
from ..runs import Run, list_runs

Runs = Mapping[str, Run]
COLLECTIONS = {"reuters90": "Reuters-21578", "goemotions": "GoEmotions"}
RARE_MODELS = ("1vsrest", "thresholding", "cost_sensitive")
SUPPORTS = {"1 to 5": 5, "6 to 20": 20, "21 to 100": 100, "over 100": np.inf}
"""Groups of labels → the most training documents that a label of the group has."""
DOCUMENT_SCORES = ("P@1", "P@5", "R@5", "RP@5", "NDCG@5", "Macro-F1", "Micro-F1", "Macro*-F1")
"""The measures that the document names."""


def _multilabel_runs(dataset: str) -> dict[str, Run]:
    """The stored runs of single multi-label models, by name, in the order of their problems; {} without any.

    >>> next(iter(_multilabel_runs("reuters90")))
    '1vsrest'
    """
    runs = [run for run in list_runs(dataset, kind="label_sets") if not run.second]
    return {run.name: run for run in sorted(runs, key=lambda run: (run.facts.get("problems", 0), run.name))}


def scores_of(run: Run, ks: Sequence[int] = (1, 3, 5)) -> dict[str, float]:
    """Ranking measures at each K, the three F-measures, and F1 under every scheme, all as fractions.

    >>> from helpers.metrics import MultilabelOutcome
    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1)
    >>> found = scores_of(Run.from_outcome(outcome, dataset="demo", model="1vsrest"), ks=[1])
    >>> found["P@1"], found["macro"]
    (1.0, 0.5)
    """
    outcome = run.outcome()
    scores = metrics.averages(outcome.counts).tolist()
    return outcome.scores(ks) | dict(zip(metrics.scheme_names(), scores, strict=True))


def score_rows(
    run: Run, replicates: int = 1000, seed: int = 1, ks: Sequence[int] = (1, 3, 5)
) -> list[dict[str, Any]]:
    """Rows of a tidy table: every score of `scores_of` with its 95 % bootstrap interval and signature.

    Instances are drawn, with all their labels.

    >>> from helpers.metrics import MultilabelOutcome
    >>> outcome = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1)
    >>> rows = score_rows(Run.from_outcome(outcome, dataset="demo", model="1vsrest"), replicates=10, ks=[1])
    >>> [row["metric"] for row in rows][:5], rows[-1]["scheme"], rows[-1]["value"]
    (['P@1', 'R@1', 'RP@1', 'NDCG@1', 'Macro-F1'], 'macro', 0.5)
    """
    outcome, schemes, rng = run.outcome(), metrics.scheme_names(), np.random.default_rng(seed)
    policy, made = metrics.Policy.of(outcome.counts), metrics.bootstrap_suffix(replicates, seed)
    intervals = outcome.intervals(ks, rng, replicates)
    kinds, rows = metrics.F_MEASURES | {scheme: ("f1", scheme) for scheme in schemes}, []
    for name, interval in intervals.items():
        row = {"paper": "L", "item": "linear methods", "dataset": run.dataset, "model": run.name}
        row |= {"metric": "f1" if name in schemes else name, "scheme": name if name in schemes else ""}
        row |= {"value": interval.value, "low": interval.low, "high": interval.high}
        counted = policy.signature(outcome.counts, *kinds[name]) if name in kinds else None
        rows.append(row | {"signature": (counted or outcome.ranking.signature(name)) + made})
    return rows


def differing_documents(one: metrics.MultilabelOutcome, other: metrics.MultilabelOutcome) -> int:
    """How many instances at least have another ranking pattern or another pair of label sets in the other.

    0 says that every score, every interval and every label's counts are the same.

    >>> from helpers.metrics import MultilabelOutcome
    >>> first = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, -1]], 1)
    >>> other = MultilabelOutcome.from_scores([[1, 0], [0, 1]], [[1, -1], [-2, 1]], 1)
    >>> differing_documents(first, first), differing_documents(first, other)
    (0, 1)
    """
    differing = []
    for pair in ((one.ranking, other.ranking), (one.sets, other.sets)):
        kinds = [Counter({str(kind): n for *kind, n in outcome.to_rows()}) for outcome in pair]
        differing.append((kinds[0] - kinds[1]).total())
    return max(differing)


def gains(outcome: metrics.Outcome, rng: np.random.Generator, replicates: int = 1000) -> pd.DataFrame:
    """F1 of the second model minus that of the first, under each scheme, with 95 % bootstrap intervals.

    Instances are drawn, each with what both models say of it: two outcomes that were counted apart do not say
    on which instances the models differ, so the interval cannot come from them.

    Parameters
    ----------
    outcome : of label sets, in the roles gold, predicted and second.

    Returns
    -------
    Columns `scheme`, `difference`, `low`, `high`, fractions.

    >>> pair = metrics.Outcome.from_sets([[1, 0]], [[1, 1]], ["x", "y"], second=[[1, 0]])
    >>> gains(pair, np.random.default_rng(1), 10).query("scheme == 'micro'").difference.round(3).item()
    0.333
    """
    gold, *predicted = (outcome.roles[role] for role in ("gold", "predicted", "second"))
    # the stored intervals were drawn from kinds in the order of both models' columns side by side
    side_by_side = {"both gold": [gold, gold], "both predicted": predicted}
    order = {role: scipy.sparse.hstack(columns, "csr") for role, columns in side_by_side.items()}
    outcome = replace(outcome, roles=order | outcome.roles).grouped()
    models = ("predicted", "second")
    original = {model: outcome.per_class(model) for model in models}

    def difference(drawn: metrics.Outcome) -> np.ndarray:
        scores = [metrics.averages(drawn.per_class(model), classes_of=original[model]) for model in models]
        return scores[1] - scores[0]

    made = metrics.bootstrap_intervals(outcome, difference, rng, replicates)
    columns = {"scheme": metrics.scheme_names(), "difference": made.value, "low": made.low, "high": made.high}
    return pd.DataFrame(columns)


def printed_numbers() -> pd.DataFrame:
    """What the document and the package print, as text; column item tells which."""
    return pd.read_csv(reporting.PUBLISHED_FOLDER / "libmultilabel.csv", dtype=str, keep_default_na=False)


def linear_runs(documents: Mapping[str, Documents] | None = None) -> dict[str, dict[str, Run]]:
    """Every stored run of linear methods by data set and name; and, as 'demo', all `LINEAR_MODELS` trained on
    `documents` now, with the labels that only test documents have, too."""
    runs = {name: _multilabel_runs(name) for name in STORED}
    for model, parameters in LINEAR_MODELS.items() if documents else ():
        runs["demo"] = runs.get("demo", {}) | run_model("demo", model, documents, parameters)
    return runs


def method_scores(runs: Runs, names: Sequence[str] = DOCUMENT_SCORES) -> pd.DataFrame:
    """The scores `names` of the `LINEAR_MODELS` that are there, per cent; one row a model."""
    own = {model: run for model, run in runs.items() if model in LINEAR_MODELS}
    return 100 * pd.DataFrame({model: scores_of(run) for model, run in own.items()}).T[list(names)]


def support_table(runs: Runs) -> pd.DataFrame:
    """F1 of each label under `RARE_MODELS`, per cent, long: label, train, test (documents with it), group
    (of `SUPPORTS`), model, f1 (0 where it is undefined)."""
    tables = []
    for run in (runs[model] for model in RARE_MODELS):
        counts = run.outcome().counts
        table = pd.DataFrame({"label": run.labels, "train": run.table.train_support, "test": counts.gold})
        table["group"] = pd.cut(table["train"], [0, *SUPPORTS.values()], labels=list(SUPPORTS)).astype(str)
        f1 = 100 * np.nan_to_num(metrics.CLASS_SCORES["f1"](counts))
        tables.append(table.assign(model=run.name, f1=f1))
    return pd.concat(tables, ignore_index=True)
