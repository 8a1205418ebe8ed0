"""F-measures of multi-label outcomes: LibMultiLabel's three, and any class score under every scheme.

One path averages label sets and single labels (`scores.averages`): a label is a class, the number of its gold
instances is its support. What differs is said by `LabelPolicy`. Ranking measures are in `ranking`; how the
counts are made is in `multilabel_outcome`.

Sources: LibMultiLabel's implementation document, evaluation metrics; the schemes are those of Harbecke et al.
2022, Section 2.3, which the paper applies to single-label data only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .cells import scalar
from .class_scores import ClassScore
from .label_counts import LabelCounts
from .label_sets import LabelSets
from .labels import Label
from .policy import RULES, Policy
from .report import plain_number
from .resampling import Interval, bootstrap
from .scores import averages
from .weighting import SCHEMES, Weighting, resolve

F_MEASURES = ("Macro-F1", "Micro-F1", "Macro*-F1")


@dataclass(frozen=True)
class LabelPolicy(Policy):
    """Which labels are averaged, and what the undefined counts as: `policy.Policy` for multi-label data.

    Attributes
    ----------
    labels : 'listed' (the default): all L labels, LibMultiLabel's rule; 'observed': those that are gold or
        predicted somewhere; 'supported': those with gold instances, the rule of the weighting paper; or a
        list. zero_support, zero_division : as in `Policy`. With 'listed', a label that is neither gold nor
        predicted counts as 0 under macro.
    negative : None. Multi-label data have no negative class: an instance of no label has an empty set.
    negative_in_normaliser : False. N in the entropy weights is Σ n_i, the number of label *assignments* of
        the averaged labels, not the number of instances. The scheme weighs a label by its share of the
        entropy of one distribution over labels, and n_i / Σ n_i is one: it adds up to 1. The n_i over
        instances do not, since an instance has several labels or none; a label on every instance would weigh
        nothing. In the paper the negative class is in N, as one of the values the single label takes; here
        there is no such value.

    Raises ValueError for other values, as `Policy` does.

    >>> counts = LabelCounts.from_matrices([[1, 0], [1, 1]], [[1, 0], [0, 1]], decision="score>0")
    >>> LabelPolicy().signature(counts, "f1", "dodrans")
    'f1|scheme:dodrans|labels:listed|zero_support:zero|decision:score>0|n:2|labels_n:2|v:0.1'
    """

    labels: str | Sequence[Label] = "listed"
    negative_in_normaliser: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.negative is not None:
            raise ValueError(
                f"negative is {self.negative!r}: multi-label data have no negative class; name the labels"
            )
        if self.negative_in_normaliser:
            raise ValueError("negative_in_normaliser is of use with a negative class only")

    def signature(self, counts: LabelCounts, score: str, scheme: str | None = None) -> str:
        """What a score needs to be read: score, scheme, labels, undefined cases, decision, n, L, rules."""
        pooled = scheme == "micro"  # pools all labels that may be averaged, with gold instances or without
        labels = "listed" if pooled and isinstance(self.labels, str) else self._labels_name(counts)
        parts = [score] + ([f"scheme:{scheme}"] if scheme else []) + [f"labels:{labels}"]
        parts += [] if pooled else [f"zero_support:{'skip' if self.skips else 'zero'}"]
        parts += [] if self.zero_division == 0 else [f"zero_division:{self.zero_division:g}"]
        parts += ["normaliser:assignments"] if scheme == "entropy" else []
        n, n_labels = plain_number(counts.n), len(counts.labels)
        return "|".join(
            [*parts, f"decision:{counts.decision}", f"n:{n}", f"labels_n:{n_labels}", f"v:{RULES}"]
        )


def label_averages(
    counts: LabelCounts,
    schemes: Sequence[str | Weighting] = SCHEMES,
    score: str | ClassScore = "f1",
    classes_of: LabelCounts | None = None,
    **policy: Any,
) -> np.ndarray:
    """One class score of all labels averaged under several schemes.

    Parameters
    ----------
    counts : counts (..., L).
    schemes : S names, 'n^α' or functions; see `weighting.resolve`. score : 'f1', 'precision', 'f0.5', …, or a
        function; see `class_scores.resolve_score`.
    classes_of : counts whose gold decides which labels are averaged. Pass the original with its replicates;
        see `scores.averages`.
    policy : fields of `LabelPolicy`.

    Returns
    -------
    (..., S) scores, never nan unless `zero_division` is nan.

    >>> truth, predicted = [[1, 0, 0], [1, 1, 0], [1, 0, 0]], [[1, 0, 0], [1, 0, 0], [0, 1, 0]]
    >>> counts = LabelCounts.from_matrices(truth, predicted)
    >>> label_averages(counts).round(4).tolist()
    [0.5714, 0.6, 0.5561, 0.307, 0.2667]
    >>> label_averages(counts, ["macro"], labels="supported").round(4).tolist()
    [0.4]
    """
    rules = LabelPolicy(**policy)
    return averages(counts, schemes, score, classes_of, **vars(rules))


def f_measures(counts: LabelCounts) -> dict[str, Any]:
    """LibMultiLabel's F-measures, over all L labels; floats, or arrays (...) for replicates.

    Macro-F1 = Σ_l 2·TP_l / (2·TP_l + FP_l + FN_l) / L · Micro-F1 = 2·ΣTP / Σ(2·TP + FP + FN) · Macro*-F1 =
    2PR / (P + R), P and R the means over L of the precision and of the recall of the labels
    ('Another-Macro-F1' in LibMultiLabel's code). 0/0 is 0 in all of them, and L counts labels that are
    neither gold nor predicted.

    LibMultiLabel's document prints Micro-F1 without the factor 2 in the numerator, by which a perfect
    prediction would score 0.5; its code has the factor. Macro*-F1 is an F of means, at least as large as the
    mean of Fs (Opitz & Burst 2019).

    >>> counts = LabelCounts.from_matrices([[1, 0, 0], [1, 1, 0]], [[1, 0, 0], [0, 0, 0]])
    >>> {name: round(value, 4) for name, value in f_measures(counts).items()}
    {'Macro-F1': 0.2222, 'Micro-F1': 0.5, 'Macro*-F1': 0.2222}
    """
    macro, micro = np.moveaxis(label_averages(counts, ["macro", "micro"]), -1, 0)
    p, r = (label_averages(counts, ["macro"], score)[..., 0] for score in ("precision", "recall"))
    of_means = np.divide(2 * p * r, p + r, out=np.zeros(np.shape(p)), where=p + r > 0)
    return {name: scalar(value) for name, value in zip(F_MEASURES, (macro, micro, of_means), strict=True)}


def scheme_names(schemes: Sequence[str | Weighting]) -> list[str]:
    """The names of schemes; ValueError for an unknown one, and where two have the same name.

    >>> scheme_names(["micro", "n^0.5", max])
    ['micro', 'n^0.5', 'max']
    """
    if isinstance(schemes, str) or not len(schemes):
        raise ValueError(f"schemes is {schemes!r}: a list of schemes is needed")
    names = ["micro" if scheme == "micro" else resolve(scheme)[0] for scheme in schemes]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise ValueError(f"two schemes are named {name!r}: give each function a name of its own")
    return names


def label_intervals(
    sets: LabelSets,
    rng: np.random.Generator,
    schemes: Sequence[str | Weighting] = SCHEMES,
    score: str | ClassScore = "f1",
    replicates: int = 10_000,
    confidence: float = 0.95,
    **policy: Any,
) -> dict[str, Interval]:
    """Percentile bootstrap intervals of the three `f_measures` and of a class score under each scheme.

    Instances are drawn, with all their labels; the labels that are averaged are those of the original in
    every replicate (see `scores.averages`, `classes_of`). Arguments as in `label_averages` and
    `resampling.bootstrap`. All values come from the same replicates.

    >>> sets = LabelSets.from_matrices([[1, 0]] * 9 + [[1, 1]], [[1, 0]] * 10)
    >>> found = label_intervals(sets, np.random.default_rng(1), replicates=500)
    >>> found["Micro-F1"].value == found["micro"].value, found["macro"].low, found["macro"].high
    (True, 0.5, 0.5)
    """
    names, original = [*F_MEASURES, *scheme_names(schemes)], sets.label_counts()

    def statistic(table: LabelSets) -> np.ndarray:
        counts = sets.label_counts(table.counts)
        fixed = np.stack(list(f_measures(counts).values()), axis=-1)
        return np.concatenate([fixed, label_averages(counts, schemes, score, original, **policy)], axis=-1)

    found = bootstrap(sets, statistic, rng, replicates, confidence)
    ends = zip(names, found.value, found.low, found.high, strict=True)
    return {name: Interval(*map(float, end), confidence, replicates) for name, *end in ends}
