"""The report of a multi-label classifier, from matrices, from files, or from documents that it predicts.

What looks like a slip in a file but is no error is logged. Nothing is trained here.
"""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy  # its parts are loaded when they are first asked for

from .. import metrics
from ..core import Label, naming_file, table_name, visible
from ..data import Documents, read_matrix
from ..metrics import Column, MultilabelOutcome, Policy, Report, Schemes, Table, averages

if TYPE_CHECKING:
    from ..models.linear import DocumentClassifier

logger = logging.getLogger(__name__)
OFTEN = 0.1  # share of instances without labels from which the user is told


@dataclass(frozen=True)
class _MultilabelReport(Report):
    """Scores of one multi-label outcome.

    Attributes
    ----------
    n : instances. labels : number of labels, L. without_labels : instances whose gold set is empty.
    scores : 'P@1', …, 'Macro-F1', 'Micro-F1', 'Macro*-F1' → fraction; the three are LibMultiLabel's, over all
        L labels.
    schemes : scheme → F1 averaged under it, over the labels that the policy names.
    signatures : name → what the score needs to be read; those of the schemes under 'schemes'.
    policy : the signature that the schemes share.
    intervals : name → {'low', 'high'} in the shape of `signatures`; empty if none were asked for.

    >>> report = score_multilabel([[1, 0], [0, 1]], [[1.5, -1], [-1, -0.5]], ks=[1])
    >>> print(report.to_text())
    n 2 · 2 labels · every instance has labels
    measure      value
    P@1         100.00
    R@1         100.00
    RP@1        100.00
    NDCG@1      100.00
    Macro-F1     50.00
    Micro-F1     66.67
    Macro*-F1    50.00
    <BLANKLINE>
    scheme          F1
    micro        66.67
    weighted     50.00
    dodrans      50.00
    entropy      50.00
    macro        50.00
    f1|labels:listed|zero_support:zero|decision:score>0|n:2|labels_n:2|v:0.1
    """

    n: int
    labels: int
    without_labels: int
    scores: dict[str, float]
    schemes: dict[str, float]
    signatures: dict[str, Any]
    policy: str
    intervals: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for `json.dumps`, never nan: the scores by name, `schemes`, `signatures`, `n`,
        `labels`, and `intervals` if there are any.

        >>> list(score_multilabel([[1, 0]], [[1.5, -1]], ks=[1]).to_dict())
        ['P@1', 'R@1', 'RP@1', 'NDCG@1', 'Macro-F1', 'Micro-F1', 'Macro*-F1', 'schemes', 'signatures', 'n',
         'labels']
        """
        others = {name: getattr(self, name) for name in ("schemes", "signatures", "intervals", "n", "labels")}
        return self.scores | {name: value for name, value in others.items() if value or name != "intervals"}

    def tables(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Measures, then schemes: value, signature, and low and high if there are."""
        measures = (self.scores, self.signatures, self.intervals)
        schemes = (self.schemes, self.signatures["schemes"], self.intervals.get("schemes", {}))
        return {
            kind: {
                name: {"value": value, "signature": signed[name], **ends.get(name, {})}
                for name, value in values.items()
            }
            for kind, (values, signed, ends) in {"measure": measures, "scheme": schemes}.items()
        }

    def parts(self) -> Iterator[str | Table]:
        """Measures, then schemes, in per cent."""
        empty = f"{self.without_labels} instances without labels (0 in all measures by rank)"
        empty = empty if self.without_labels else "every instance has labels"
        yield f"n {self.n} · {self.labels} labels · {empty}"
        ends = ("low", "high") if self.intervals else ()
        for kind, head in (("measure", "value"), ("scheme", "F1")):
            rows = [(table_name(name), row) for name, row in self.tables()[kind].items()]
            columns = {"value": Column(head)} | {name: Column(name) for name in ends}
            yield Table(kind, rows, columns, width=9)
            yield from [""] if kind == "measure" else []
        yield visible(self.policy)


def score_multilabel(
    truth: Any,
    scores: Any,
    ks: Sequence[int] | None = None,
    multiclass: bool = False,
    threshold: float = 0.0,
    replicates: int = 0,
    seed: int = 1,
    labels: str | Sequence[Label] = "listed",
    schemes: Schemes = None,
) -> _MultilabelReport:
    """Score a matrix of scores against a 0/1 matrix of gold labels, or a file against a file.

    Parameters
    ----------
    truth : (n, L) 0/1. scores : (n, L). Both dense or sparse; see `MultilabelOutcome.from_scores`. Or the
        files that hold them, as in `read_matrix`.
    ks : the K's of P@K, R@K, RP@K, NDCG@K: different whole numbers from 1 to L; None: 1, 3 and 5, where there
        are so many.
    multiclass : predict the best label of each instance. threshold : else predict labels with a score above
        it: 0 for decision values, 0.5 for probabilities.
    replicates : bootstrap replicates for 95 % intervals (instances are drawn); 0: none. seed : of the
        bootstrap.
    labels : which labels `schemes` average: 'listed', 'observed', 'supported', or a list of columns; see
        `Policy.of`. The three F-measures of LibMultiLabel take all L in any case.
    schemes : names, 'n^α' or functions; None: all of `scheme_names`.

    Logged as warnings of files, for nothing of it is wrong in itself: scores that look like probabilities
    beside a threshold of 0; no score above the threshold; negative scores in a sparse matrix; many instances
    without labels; multi-class scoring of instances that have not exactly one label.

    Raises
    ------
    ValueError : as `MultilabelOutcome.from_scores` and `read_matrix`, with the file; no instances; a K that
        is none, repeated or larger than L.

    >>> score_multilabel([[1, 0], [0, 1]], [[1.5, -1], [-1, -0.5]], ks=[1]).scores["Micro-F1"]
    0.6666666666666666
    """
    files = (truth, scores) if isinstance(truth, str | Path) else ()
    truth, matrix = map(read_matrix, files) if files else (truth, metrics.as_score_matrix(scores))
    Policy(labels=labels), metrics.scheme_names(schemes)  # refuse unknown words before the pass over the data
    ks = metrics.checked_ks(_usual_ks(matrix.shape[1]) if ks is None else ks, matrix.shape[1]).tolist()
    with naming_file(", ".join(map(str, files))) if files else contextlib.nullcontext():
        outcome = MultilabelOutcome.from_scores(
            truth, matrix, max(ks), threshold=threshold, multiclass=multiclass, keep_sets=bool(replicates)
        )
    report = _report_of(outcome, ks, replicates, seed, schemes, labels=labels)
    for remark in _remarks(truth, matrix, report, threshold, multiclass) if files else ():
        logger.warning("%s: %s", scores, remark)
    return report


def _usual_ks(n_labels: int) -> list[int]:
    """1, 3 and 5, as far as there are so many labels."""
    return [k for k in (1, 3, 5) if k <= n_labels]


def _report_of(
    outcome: MultilabelOutcome,
    ks: Sequence[int],
    replicates: int,
    seed: int,
    schemes: Schemes = None,
    **policy: Any,
) -> _MultilabelReport:
    """The report of an outcome, with `sets` if there are replicates; options as in `score_multilabel`."""
    counts, ranking, made = outcome.counts, outcome.ranking, metrics.bootstrap_suffix(replicates, seed)
    rules, names, measures = Policy.of(counts, **policy), metrics.scheme_names(schemes), outcome.scores(ks)
    signatures: dict[str, Any] = {name: ranking.signature(name) + made for name in measures}
    for name, kind in metrics.F_MEASURES.items():
        signatures[name] = Policy.of(counts).signature(counts, *kind) + made
    signatures["schemes"] = {name: rules.signature(counts, "f1", name) + made for name in names}
    ends: dict[str, Any] = {}
    if replicates:
        drawn = outcome.intervals(ks, np.random.default_rng(seed), replicates, schemes, **policy)
        ends = {name: {"low": interval.low, "high": interval.high} for name, interval in drawn.items()}
        ends["schemes"] = {name: ends.pop(name) for name in names}
    scores = dict(zip(names, averages(counts, schemes, **policy).tolist(), strict=True))
    sizes, signature = (ranking.n, len(ranking.labels), ranking.without_labels), rules.signature(counts, "f1")
    return _MultilabelReport(*sizes, measures, scores, signatures, signature + made, ends)


def _remarks(
    truth: Any, scores: Any, report: _MultilabelReport, threshold: float, multiclass: bool
) -> Iterator[str]:
    """What the user may not have meant."""
    is_sparse = isinstance(scores, scipy.sparse.csr_array)
    values = np.append(scores.data, 0) if is_sparse else scores
    highest = values.max()
    lowest = values.min(where=np.isfinite(values), initial=highest)
    if not multiclass and highest <= threshold:
        yield f"no score is above {threshold:g}, so no label is predicted, and the F-measures are 0"
    elif not multiclass and threshold == 0 and lowest >= 0 and highest <= 1:
        yield "all scores lie from 0 to 1, and labels above 0 are predicted; for probabilities 0.5 is usual"
    if is_sparse and lowest < 0:
        yield "some scores are negative, and those that the sparse matrix does not store are 0, above them"
    if report.without_labels >= OFTEN * report.n:
        yield f"{report.without_labels} of {report.n} instances have no gold label"
    if multiclass and (truth.sum(axis=1) != 1).any():
        yield "the best label of each instance is predicted, but some have not exactly one gold label"


BLOCK = 4_000_000
"""Scores in memory at once (32 MB)."""


class _DocumentScores(NamedTuple):
    """What a classifier reaches on a set of documents.

    `report` is over the labels that it knows; `with_test_labels` also over those that only these documents
    have, `unseen`, and None if there are none. `seconds` is the time of predicting, features not included.
    """

    report: _MultilabelReport
    with_test_labels: _MultilabelReport | None
    unseen: tuple[str, ...]
    seconds: float


def score_documents(
    model: DocumentClassifier,
    documents: Documents,
    ks: Sequence[int] | None = None,
    replicates: int = 0,
    seed: int = 1,
    taker: Callable[[np.ndarray], None] | None = None,
) -> _DocumentScores:
    """Predict the documents, block by block so that memory is bounded, and score the predictions.

    Parameters
    ----------
    ks, replicates, seed : as in `score_multilabel`. taker : is given the scores of one
        block of documents after the other, e.g. to write them.

    Returns
    -------
    report : over the labels that the model knows; others are dropped from the truth (LibMultiLabel's default,
        logged). with_test_labels : also over those that only these documents have, `unseen`; None if there
        are none. seconds : of predicting, features not included.

    Raises ValueError as `DocumentClassifier.scores` and `score_multilabel`.

    >>> from helpers.data import Documents
    >>> from helpers.models.linear import DocumentClassifier
    >>> documents = Documents(["1", "2"], [["grain"], ["oil", "gas"]], ["wheat and corn", "oil and gas"])
    >>> model = DocumentClassifier("1vsrest", "-s 2").fit(documents)
    >>> score_documents(model, documents, ks=[1]).report.scores["P@1"]
    1.0
    """
    features, ks = model.features(documents), _usual_ks(len(model.labels)) if ks is None else ks
    unseen = tuple(sorted(set().union(*documents.labels) - set(model.labels)))
    truths = {n: documents.label_matrix((*model.labels, *unseen[:n])) for n in {0, len(unseen)}}
    outcomes: dict[int, list[MultilabelOutcome]] = {n: [] for n in truths}
    options: dict[str, Any] = {"depth": max(ks), "threshold": model.threshold, "multiclass": model.multiclass}
    options["keep_sets"] = bool(replicates)
    step, seconds = max(1, BLOCK // len(model.labels)), 0.0
    for start in range(0, len(documents), step):
        rows = slice(start, start + step)
        began = time.perf_counter()
        scores = model.classifier.decision_function(features[rows])
        seconds += time.perf_counter() - began
        if taker is not None:
            taker(scores)
        for n, truth in truths.items():
            labels = (*model.labels, *unseen[:n])
            outcome = MultilabelOutcome.from_scores(truth[rows], scores, labels=labels, unscored=n, **options)
            outcomes[n].append(outcome)
    reports = {n: _report_of(MultilabelOutcome.merged(outcomes[n]), ks, replicates, seed) for n in outcomes}
    return _DocumentScores(reports.pop(0), reports.get(len(unseen)), unseen, seconds)
