"""Counts → class scores → weighted averages, under a label policy that is always stated.

A score without its policy cannot be compared; `Policy.signature` is what every score carries. `averages` is
the one path, for a single table and for ten thousand bootstrap replicates alike; `evaluate` puts every scheme
into one report. Averages are means of class scores; the F of averaged precision and recall has a name of its
own (`f1_of_means`), since the two differ (Opitz & Burst 2019).
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from ..core import SKIPPED, Label, shown, unlisted_message
from .counting import checked_labels
from .outcome import Outcome, positions, scalar
from .report import ClassReport, plain_number
from .scores import (
    ClassCounts,
    Scheme,
    Schemes,
    Score,
    class_weights,
    f_of_means,
    resolve_score,
    scheme_names,
)

RULES = "0.1"  # version of the scoring rules: it changes when a number could change
NAMED_LABELS = {"supported": "skip", "observed": "zero", "listed": "zero"}


Counts = Outcome | ClassCounts


@dataclass(frozen=True)
class Policy:
    """Which labels are averaged, and what the undefined counts as.

    Attributes
    ----------
    negative : the negative class (no_relation, Other, NA), or None. It is never averaged; a false alarm on a
        negative sample stays a false positive, a relation missed as negative stays a false negative.
    labels : which of the other labels are averaged. 'supported': those with gold samples (the paper's rule);
        'observed': those that occur as gold or predicted (scikit-learn without a list); 'listed': all labels
        of the table; or a list.
    zero_support : what a label without gold samples does in the class-weighted schemes: 'skip' leaves it out,
        'zero' lets its undefined score count (this matters under macro only). Default: 'skip' for 'supported'
        and lists, else 'zero'. Micro pools all of the labels, skipped or not: a false alarm stays one.
    zero_division : value of an undefined class score (0/0): 0, 1, or nan, which leaves that class out of the
        average. Also the value of an average over no class.
    negative_in_normaliser : whether N in the entropy weights counts all samples, as in the paper, or those of
        the averaged classes only.

    Of label sets `of` gives other defaults. Multi-label data have no negative class (an instance of no label
    has an empty set), so labels is 'listed', LibMultiLabel's rule: all L labels, and one that is neither gold
    nor predicted counts as 0 under macro. N in the entropy weights is Σ n_i, the number of label
    *assignments*: the scheme weighs a label by its share of the entropy of one distribution over labels, and
    n_i / Σ n_i is one. The n_i over instances are none, since an instance has several labels or no label.
    """

    negative: Label | None = None
    labels: str | Sequence[Label] = "supported"
    zero_support: str | None = None
    zero_division: float = 0.0
    negative_in_normaliser: bool = True

    def __post_init__(self) -> None:
        if not isinstance(self.labels, str):
            object.__setattr__(self, "labels", checked_labels(self.labels) if len(self.labels) else ())
        elif self.labels not in NAMED_LABELS:
            known = ", ".join(NAMED_LABELS)
            raise ValueError(f"labels is {self.labels!r}: give one of {known} or a list of labels")
        if (self.labels, self.zero_support) == ("supported", "zero"):
            rule = "zero_support is 'zero' with labels 'supported'"
            raise ValueError(f"{rule}, which have support: name other labels")
        if self.zero_support not in (None, "skip", "zero"):
            raise ValueError(f"zero_support is {self.zero_support!r}: give 'skip' or 'zero'")
        if self.zero_division not in (0, 1) and self.zero_division == self.zero_division:
            raise ValueError(f"zero_division is {self.zero_division!r}: give 0, 1 or nan")
        default = NAMED_LABELS.get(self.labels, "skip") if isinstance(self.labels, str) else "skip"
        object.__setattr__(self, "zero_support", self.zero_support or default)

    @classmethod
    def of(cls, counts: Counts, **given: Any) -> Policy:
        """The policy for an outcome: what is not given is the default for single labels, or for label sets.

        Raises ValueError as `Policy`; of label sets for a negative class, or a normaliser that counts it.

        >>> counts = Outcome.from_sets([[1, 0], [1, 1]], [[1, 0], [0, 1]], decision="score>0")
        >>> Policy.of(counts).signature(counts, "f1", "dodrans")
        'f1|scheme:dodrans|labels:listed|zero_support:zero|decision:score>0|n:2|labels_n:2|v:0.1'
        """
        if counts.decision is None:
            return cls(**given)
        defaults: dict[str, Any] = {"labels": "listed", "negative_in_normaliser": False}
        rules = cls(**defaults | given)
        if rules.negative is not None:
            reason = "multi-label data have no negative class; name the labels"
            raise ValueError(f"negative is {rules.negative!r}: {reason}")
        if rules.negative_in_normaliser:
            raise ValueError("negative_in_normaliser is of use with a negative class only")
        return rules

    def choose(self, counts: ClassCounts) -> tuple[np.ndarray, np.ndarray]:
        """(L,) bool, the labels to average, and (..., L), those that the class-weighted schemes average, in
        each replicate; ValueError for a label or negative class that the table lacks."""
        if isinstance(self.labels, str):
            listed = np.array([label not in (SKIPPED, self.negative) for label in counts.labels])
        else:
            listed = np.isin(np.arange(len(counts.labels)), positions(self.labels, counts.labels))
            if self.negative in self.labels:
                both = f"labels holds the negative class {shown(self.negative)}"
                raise ValueError(f"{both}: leave out one of the two")
        if self.negative is not None and self.negative not in counts.labels:
            raise ValueError(unlisted_message("negative", None, self.negative, counts.labels))
        counted = counts.gold > 0
        if self.zero_support == "zero":
            counted = counted | (counts.predicted > 0) if self.labels == "observed" else np.ones_like(counted)
        return listed, listed & counted

    def signature(self, counts: Counts, score: str, scheme: str | None = None) -> str:
        """What a score needs to be read: score, scheme, labels, undefined cases, direction, n, rules.

        >>> table = Outcome.from_columns(["a", "NA"], ["a", "a"])
        >>> Policy(negative="NA").signature(table, "f1", "dodrans")
        'f1|scheme:dodrans|labels:supported|negative:NA|zero_support:skip|direction:kept|n:2|v:0.1'
        """
        # micro pools all labels that may be averaged, with gold samples or without
        pooled, sets, labels = scheme == "micro", counts.decision is not None, self.labels
        if not isinstance(labels, str):
            labels = _short(sorted(map(str, labels)), len(counts.labels))
        elif pooled:
            labels = "listed"
        normaliser = None if self.negative_in_normaliser or sets else "averaged"
        return signature(
            score,
            scheme=scheme,
            labels=labels,
            negative=None if sets else str(self.negative),
            zero_support=None if pooled else self.zero_support,
            zero_division=self.zero_division or None,
            normaliser="assignments" if sets and scheme == "entropy" else normaliser,
            direction=None if sets else counts.direction,
            decision=counts.decision,
            n=counts.n,
            labels_n=len(counts.labels) if sets else None,
        )

    def report(
        self, counts: ClassCounts, schemes: Schemes = None, score: Score = "f1", sets_of: str = ""
    ) -> ClassReport:
        """The report of one table of class counts; accuracy is nan where samples are sets.

        sets_of : as in `ClassReport`. The rest as in `evaluate`.

        >>> counts = Outcome.from_sets([[1, 0]], [[1, 1]], ["a", "b"]).per_class()
        >>> Policy.of(counts).report(counts).schemes["micro"]["precision"]
        0.5
        """
        (name, _), names = resolve_score(score), scheme_names(schemes)
        scores = {"precision": "precision", "recall": "recall"} | {name: score}
        listed, averaged = self.choose(counts)
        columns = [averages(counts, schemes, each, **vars(self)).tolist() for each in scores.values()]
        rows = {}
        for scheme, *values in zip(names, *columns, strict=True):
            row = dict(zip(scores, values, strict=True))
            of_means = f_of_means(row["precision"], row["recall"], score if isinstance(score, str) else name)
            row |= {} if of_means is None else {f"{name}_of_means": of_means.item()}
            rows[scheme] = row | {"signature": self.signature(counts, name, scheme)}
        return ClassReport(
            n=counts.n,
            labels=counts.labels,
            negative=self.negative,
            accuracy=float(counts.correct.sum() / counts.n) if counts.decision is None else np.nan,
            averaged=tuple(compress(counts.labels, averaged)),
            ignored=tuple(compress(counts.labels, listed & ~averaged)),
            schemes=rows,
            per_class=_class_rows(counts, scores, averaged, self.zero_division),
            score_name=name,
            signature=self.signature(counts, name),
            sets_of=sets_of,
        )


def _short(names: Sequence[str], n_labels: int) -> tuple[str, ...] | str:
    """A label list as a signature has it: up to three names, or how many they are and a hash."""
    if len(names) <= 3:
        return tuple(names)
    text = "\n".join(name.replace("\\", "\\\\").replace("\n", "\\n") for name in names)
    return f"{len(names)}of{n_labels}#{hashlib.sha256(text.encode()).hexdigest()[:8]}"


def signature(score: str, **fields: Any) -> str:
    r"""What a score needs to be read, for a reader: nothing takes it apart again.

    Parameters
    ----------
    score : its name. fields : name → value, in order; None: left out. The version of the rules stands last.
        Several labels, a tuple, are joined by `+`. In anybody's text `|` becomes `\|` (of labels `+`, `\+`),
        and the backslash `\\`.

    >>> signature("P@1", ties="index", n=7, scheme=None)
    'P@1|ties:index|n:7|v:0.1'
    >>> print(signature("f1", labels=("a+b", "c"), negative="a|n:9"))
    f1|labels:a\+b+c|negative:a\|n:9|v:0.1
    """
    parts = [score]
    for name, value in fields.items():
        if value is not None:
            values, marks = (value, r"[\\|+]") if isinstance(value, tuple) else ((value,), r"[\\|]")
            texts = (plain_number(each) if isinstance(each, float) else str(each) for each in values)
            parts.append(f"{name}:" + "+".join(re.sub(marks, r"\\\g<0>", text) for text in texts))
    return "|".join([*parts, f"v:{RULES}"])


def bootstrap_suffix(replicates: int, seed: int) -> str:
    """How intervals were made, at the end of a signature; '' for no replicates.

    >>> bootstrap_suffix(200, 4), bootstrap_suffix(0, 4)
    ('|bootstrap:percentile,200,seed4,95', '')
    """
    return f"|bootstrap:percentile,{replicates},seed{seed},95" if replicates else ""


def averages(
    counts: Counts,
    schemes: Schemes = None,
    score: Score = "f1",
    classes_of: Counts | None = None,
    **policy: Any,
) -> np.ndarray:
    """One class score averaged under several schemes: Σ_c w_c · s_c; micro: the score of the pooled counts.

    Parameters
    ----------
    counts : outcome, of single labels or of label sets, or counts (..., L) of each class.
    schemes : S names, 'n^α' or functions; None: all of `scheme_names`.
    score : name, 'fβ', or a function of the four counts; see `resolve_score`.
    classes_of : the outcome whose gold samples decide which classes are averaged; None: the same. Pass the
        original one with its bootstrap replicates: a class that is absent from a replicate then still counts
        (as 0/0), and all replicates measure the same thing.
    policy : fields of `Policy`; see `Policy.of` for label sets.

    Returns
    -------
    (..., S) scores, never nan unless `zero_division` is nan.

    >>> table = Outcome.from_columns(gold=list("AAABBNNNNN"), predicted=list("ABABNNNACN"))
    >>> averages(table, negative="N").round(6).tolist()
    [0.545455, 0.6, 0.595907, 0.588128, 0.583333]
    >>> truth, predicted = [[1, 0, 0], [1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> averages(Outcome.from_sets(truth, predicted)).round(4).tolist()
    [0.5714, 0.6, 0.5561, 0.307, 0.2667]
    """
    _, function = resolve_score(score)
    counts = counts.per_class()
    rules = Policy.of(counts, **policy)
    listed, evaluated = rules.choose(counts if classes_of is None else classes_of.per_class())
    values, of_pool = (np.asarray(function(each), float) for each in (counts, counts.pooled(listed)))
    values, of_pool = (np.where(np.isnan(each), rules.zero_division, each) for each in (values, of_pool))
    total = counts.n if rules.negative_in_normaliser else np.where(evaluated, counts.gold, 0).sum(-1)
    evaluated = evaluated & ~np.isnan(values)
    support, values = np.where(evaluated, counts.gold, 0), np.where(evaluated, values, 0.0)
    columns = []
    for scheme in scheme_names() if schemes is None else schemes:
        if scheme == "micro":
            columns.append(of_pool[..., 0])
        else:
            means = (class_weights(support, scheme, total, evaluated) * values).sum(-1)
            columns.append(np.where(evaluated.any(-1), means, rules.zero_division))
    averaged = np.stack(columns, axis=-1)
    # weights add up to 1 but for rounding: a perfect prediction has 1, not 1 + 2e-16
    return averaged.clip(-1.0, 1.0) if isinstance(score, str) else averaged


def average(counts: Counts, scheme: Scheme, score: Score = "f1", **policy: Any) -> Any:
    """One score under one scheme: a float, or (...) for replicates. Arguments as in `averages`.

    >>> average(Outcome.from_columns(["a", "b", "b"], ["a", "b", "a"]), "macro", "recall")
    0.75
    """
    return scalar(averages(counts, [scheme], score, **policy)[..., 0])


def evaluate(
    gold: Any,
    predicted: Any = None,
    *,
    negative: Label | None = None,
    labels: str | Sequence[Label] = "supported",
    zero_support: str | None = None,
    zero_division: float = 0.0,
    negative_in_normaliser: bool = True,
    scheme: Scheme | None = None,
    average: Scheme | None = None,
    schemes: Schemes = None,
    score: Score = "f1",
    sample_weight: Any = None,
) -> ClassReport:
    """Every scheme and every class in one report.

    Precision, recall and the score are averaged with the same weights, each by itself; `accuracy` is the
    share of all samples, the negative class included, whose prediction is right, and is never put in the
    place of micro.

    Parameters
    ----------
    gold, predicted : (n,) columns of labels, as in `Outcome.from_columns`; or an outcome of single labels, or
        its counts, alone.
    negative, labels, zero_support, zero_division, negative_in_normaliser : which labels are averaged, and
        what the undefined counts as; see `Policy`.
    scheme : the one row of the report; average : another word for it, scikit-learn's. schemes : its rows, as
        in `averages`; None: all. One of the three at most.
    score : 'f1', 'fβ' such as 'f0.5', 'mcc' and so on, or a function; see `resolve_score`. sample_weight :
        (n,) of columns.

    Raises ValueError as `Outcome.from_columns` and `Policy`, for an outcome of no sample, and of replicates.

    >>> report = evaluate(list("AAABBNNNNN"), list("ABABNNNACN"), negative="N")
    >>> round(report.schemes["weighted"]["f1"], 6), report.accuracy, report.ignored
    (0.6, 0.6, ('C',))
    >>> evaluate(["a", "b", "b"], ["a", "b", "a"], average="macro", score="recall").scores()
    {'macro': 0.75, 'accuracy': 0.6666666666666666}
    """
    if isinstance(gold, Outcome | ClassCounts):
        if predicted is not None or sample_weight is not None:
            raise ValueError("predicted and sample_weight are of columns: gold is an outcome, which has both")
        if gold.decision is not None:
            raise ValueError("evaluate is for single labels: `averages` is for label sets, too")
        counts = gold.per_class()
    elif predicted is None:
        raise ValueError("predicted is missing: give two columns of labels, or an outcome alone")
    else:
        counts = Outcome.from_columns(gold, predicted, sample_weight=sample_weight).per_class()
    if counts.gold.ndim != 1 or not counts.n:
        raise ValueError("evaluate needs one table with at least one sample")
    words = {"scheme": scheme, "average": average, "schemes": schemes}
    given = [word for word, value in words.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{' and '.join(given)} say the same thing: give one of them")
    single = scheme if average is None else average
    schemes = schemes if single is None else [single]
    rules = Policy(negative, labels, zero_support, zero_division, negative_in_normaliser)
    return rules.report(counts, schemes, score)


def _class_rows(
    counts: ClassCounts, scores: dict[str, Score], averaged: np.ndarray, zero_division: float
) -> dict[Label, dict[str, Any]]:
    """The scores of each class, what is undefined (0/0) replaced and named, and its counts."""
    columns = {name: resolve_score(score)[1](counts) for name, score in scores.items()}
    columns |= {"support": counts.gold, "predicted": counts.predicted, "correct": counts.correct}
    columns |= {"averaged": averaged}
    rows = {}
    for label, *values in zip(counts.labels, *(column.tolist() for column in columns.values()), strict=True):
        row = dict(zip(columns, values, strict=True))
        undefined = [name for name in scores if np.isnan(row[name])]
        rows[label] = row | dict.fromkeys(undefined, zero_division) | {"undefined": undefined}
    return rows
