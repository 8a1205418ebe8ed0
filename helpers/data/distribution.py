"""Statistics of one distribution of labels: perplexity, share of the negative class, imbalance ratio.

Counts in, numbers out; where the counts come from is the business of `statistics`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from helpers.data.errors import unknown_name


@dataclass(frozen=True, slots=True)
class LabelStatistics:
    """Statistics of a label distribution.

    Attributes
    ----------
    labels : number of labels, the negative class among them.
    samples : number of samples.
    negative_share : share of samples of the negative class, in [0, 1]; 0 without a negative class, None if
        unknown.
    perplexity : 2^H of the label distribution, H its entropy in bits; between 1 and the number of labels that
        occur.
    perplexity_without_negative : the same among the samples of the positive classes; None if there are none.
    ratio : largest by smallest positive class that occurs; None if no positive class occurs.
    negative : name of the negative class, or None.
    note : what a reader must know to read the numbers.
    """

    labels: int
    samples: int
    negative_share: float | None
    perplexity: float
    perplexity_without_negative: float | None
    ratio: float | None
    negative: str | None = None
    note: str = ""

    @property
    def samples_per_label(self) -> float:
        """Mean number of samples per label."""
        return self.samples / self.labels

    def to_dict(self) -> dict[str, Any]:
        """The attributes as a dictionary, in order."""
        return asdict(self)


def perplexity(counts: Iterable[int]) -> float | None:
    """2^H of a distribution given by counts, H = −Σ p·log2 p; counts of 0 do not matter; None if all are 0.

    >>> perplexity([5, 5, 0]), perplexity([7]), perplexity([])
    (2.0, 1.0, None)
    """
    positive = [count for count in counts if count > 0]
    total = sum(positive)
    if not total:
        return None
    return 2.0 ** -math.fsum(count / total * math.log2(count / total) for count in positive)


def label_statistics(counts: Mapping[str, int], negative: str | None = None) -> LabelStatistics:
    """Statistics of one distribution of labels (paper W, Table 1).

    Parameters
    ----------
    counts : label → number of samples; a label with 0 counts as a label, and matters nowhere else.
    negative : the negative class; None if there is none.

    Raises
    ------
    ValueError : a count is negative or no integer; all are 0; `negative` is none of the labels.

    >>> label_statistics({"A": 6, "B": 2, "NA": 8}, negative="NA").ratio
    3.0
    """
    for label, count in counts.items():
        if isinstance(count, bool) or not hasattr(count, "__index__") or count < 0:
            raise ValueError(f"counts[{label!r}] is {count!r}: a count is an integer, 0 or more")
    total = sum(counts.values())
    if not total:
        raise ValueError(f"counts hold no sample ({len(counts)} labels)")
    if negative is not None and negative not in counts:
        raise unknown_name("negative class", negative, counts)
    positive = [count for label, count in counts.items() if label != negative]
    seen = [count for count in positive if count > 0]
    return LabelStatistics(
        labels=len(counts),
        samples=int(total),
        negative_share=counts[negative] / total if negative is not None else 0.0,
        perplexity=perplexity(counts.values()),
        perplexity_without_negative=perplexity(positive),
        ratio=max(seen) / min(seen) if seen else None,
        negative=negative,
    )
