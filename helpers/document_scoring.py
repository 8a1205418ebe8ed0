"""A trained document classifier on labelled documents: its report, with and without labels it has never seen.

The bridge between `models` (scores) and `metrics` (measures) for documents. Documents go through in blocks,
so the scores of all of them are never in memory at once. It trains nothing and reads no files.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from .data.documents import Documents, label_matrix
from .data.errors import unknown_name
from .metrics.multilabel_outcome import MultilabelOutcome
from .models.document_classifier import DocumentClassifier
from .models.linear import LinearClassifier
from .multilabel_scoring import MultilabelReport, report_of, score_multilabel, usual_ks

BLOCK = 4_000_000
"""Scores in memory at once (32 MB)."""


@dataclass(frozen=True)
class DocumentScores:
    """What a classifier reaches on a set of documents.

    `report` is over the labels that it knows; `with_test_labels` also over those that only these documents
    have, `unseen`, and None if there are none. `seconds` is the time of predicting, features not included.
    """

    report: MultilabelReport
    with_test_labels: MultilabelReport | None
    unseen: tuple[str, ...]
    seconds: float


def score_documents(
    model: DocumentClassifier,
    documents: Documents,
    ks: Sequence[int] | None = None,
    replicates: int = 0,
    seed: int = 1,
    taker: Callable[[np.ndarray], None] | None = None,
) -> DocumentScores:
    """Predict the documents and score the predictions.

    Parameters
    ----------
    ks, replicates, seed : as in `multilabel_scoring.score_multilabel`. taker : is given the scores of one
        block of documents after the other, e.g. to write them.

    Labels that the model does not know are dropped from the truth (LibMultiLabel's default, logged), and kept
    in `with_test_labels`. Raises ValueError as `DocumentClassifier.scores` and `score_multilabel`.

    >>> from .data.documents import Documents
    >>> documents = Documents(["1", "2"], [["grain"], ["oil", "gas"]], ["wheat and corn", "oil and gas"])
    >>> model = DocumentClassifier("1vsrest", "-s 2").fit(documents)
    >>> score_documents(model, documents, ks=[1]).report.scores["P@1"]
    1.0
    """
    features, ks = model.features(documents), usual_ks(len(model.labels)) if ks is None else ks
    unseen = tuple(sorted(set().union(*documents.labels) - set(model.labels)))
    lists = [model.labels, *([(*model.labels, *unseen)] if unseen else [])]
    truths = [label_matrix(documents, labels) for labels in lists]
    outcomes: list[list[MultilabelOutcome]] = [[] for _ in lists]
    options = {"depth": max(ks), "threshold": model.threshold, "multiclass": model.multiclass}
    options |= {"columns": np.arange(len(model.labels)), "keep_sets": replicates > 0}
    step, seconds = max(1, BLOCK // len(model.labels)), 0.0
    for start in range(0, len(documents), step):
        rows = slice(start, start + step)
        began = time.perf_counter()
        scores = model.classifier.decision_function(features[rows])
        seconds += time.perf_counter() - began
        if taker is not None:
            taker(scores)
        for found, truth, labels in zip(outcomes, truths, lists, strict=True):
            found.append(MultilabelOutcome.from_scores(truth[rows], scores, labels=labels, **options))
    reports = [report_of(MultilabelOutcome.merged(found), ks, replicates, seed) for found in outcomes]
    return DocumentScores(reports[0], reports[1] if unseen else None, unseen, seconds)


def scorer(measure: str = "P@1") -> Callable[[LinearClassifier | Pipeline, Any, Any], float]:
    """A measure as scikit-learn's searches want it: `GridSearchCV(OneVsRest(), …, scoring=scorer("P@5"))`.

    `measure` is a name of the report: P@K, R@K, RP@K, NDCG@K, Macro-F1, Micro-F1, Macro*-F1, or a scheme.
    Raises ValueError, once it is called, for any other name.

    >>> from sklearn.model_selection import GridSearchCV
    >>> from .models.linear import OneVsRest
    >>> X, y = np.tile(np.eye(3), (4, 1)), np.tile([[1, 0], [1, 1], [0, 1]], (4, 1))
    >>> grid = {"options": ["-c 1", "-c 0.01"]}
    >>> search = GridSearchCV(OneVsRest(), grid, scoring=scorer("Micro-F1"), cv=2)
    >>> search.fit(X, y).best_score_.item()
    1.0
    """
    place = re.fullmatch(r"(?:P|R|RP|NDCG)@(\d+)", measure)
    ks = [int(place[1])] if place else [1]

    def score(estimator: LinearClassifier | Pipeline, X: Any, y: Any) -> float:
        model = estimator[-1] if isinstance(estimator, Pipeline) else estimator
        rules = {"threshold": model.threshold, "multiclass": model.multiclass_}
        report = score_multilabel(y, estimator.decision_function(X), ks, **rules)
        found = report.scores | report.schemes
        if measure not in found:
            raise unknown_name("measure", measure, found)
        return found[measure]

    return score
