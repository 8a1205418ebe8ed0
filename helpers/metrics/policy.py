"""The label policy: which labels are averaged, what is negative, and what the undefined counts as.

A score without its policy cannot be compared; `Policy.signature` is what every score carries. Nothing is
averaged here (`scores` does that).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .cells import positions
from .counting import checked_labels
from .counts import Confusion
from .labels import SKIPPED, Label, unlisted_message
from .report import plain_number

RULES = "0.1"  # version of the scoring rules: it changes when a number could change
NAMED_LABELS = {"supported": "skip", "observed": "zero", "listed": "zero"}


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
    """

    negative: Label | None = None
    labels: str | Sequence[Label] = "supported"
    zero_support: str | None = None
    zero_division: float = 0.0
    negative_in_normaliser: bool = True

    def __post_init__(self) -> None:
        if isinstance(self.labels, str) and self.labels not in NAMED_LABELS:
            raise ValueError(
                f"labels is {self.labels!r}: give one of {', '.join(NAMED_LABELS)} or a list of labels"
            )
        if not isinstance(self.labels, str):
            object.__setattr__(self, "labels", checked_labels(self.labels) if len(self.labels) else ())
        if (self.labels, self.zero_support) == ("supported", "zero"):
            raise ValueError(
                "zero_support is 'zero' with labels 'supported', which have support: name other labels"
            )
        if self.zero_support not in (None, "skip", "zero"):
            raise ValueError(f"zero_support is {self.zero_support!r}: give 'skip' or 'zero'")
        if self.zero_division not in (0, 1) and self.zero_division == self.zero_division:
            raise ValueError(f"zero_division is {self.zero_division!r}: give 0, 1 or nan")

    @property
    def skips(self) -> bool:
        """Whether labels without gold samples are left out of the class-weighted schemes."""
        default = NAMED_LABELS[self.labels] if isinstance(self.labels, str) else "skip"
        return (self.zero_support or default) == "skip"

    def selected(self, confusion: Confusion) -> np.ndarray:
        """(L,) bool: the labels to average; ValueError names a label or negative class that the table does
        not have."""
        chosen = np.array([label != SKIPPED for label in confusion.labels])
        if not isinstance(self.labels, str):
            chosen[:] = False
            chosen[positions(self.labels, confusion.labels)] = True
        if self.negative is not None:
            if self.negative not in confusion.labels:
                raise ValueError(unlisted_message("negative", None, self.negative, confusion.labels))
            place = confusion.labels.index(self.negative)
            if not isinstance(self.labels, str) and chosen[place]:
                raise ValueError(
                    f"labels holds the negative class {self.negative!r}: leave out one of the two"
                )
            chosen[place] = False
        return chosen

    def evaluated(self, confusion: Confusion) -> np.ndarray:
        """(..., L) bool: the labels that the class-weighted schemes average, in each replicate."""
        gold = confusion.gold
        chosen = np.broadcast_to(self.selected(confusion), gold.shape)
        if self.skips:
            return chosen & (gold > 0)
        return chosen & ((gold > 0) | (confusion.predicted > 0)) if self.labels == "observed" else chosen

    def signature(self, confusion: Confusion, score: str, scheme: str | None = None) -> str:
        """What a score needs to be read: score, scheme, labels, negative class, undefined cases, direction,
        n, rules.

        >>> table = Confusion.from_arrays(["a", "NA"], ["a", "a"])
        >>> Policy(negative="NA").signature(table, "f1", "dodrans")
        'f1|scheme:dodrans|labels:supported|negative:NA|zero_support:skip|direction:kept|n:2|v:0.1'
        """
        pooled = scheme == "micro"  # pools all labels that may be averaged, with gold samples or without
        labels = "listed" if pooled and isinstance(self.labels, str) else self._labels_name(confusion)
        parts = [score] + ([f"scheme:{scheme}"] if scheme else [])
        parts += [f"labels:{labels}", f"negative:{self.negative}"]
        parts += [] if pooled else [f"zero_support:{'skip' if self.skips else 'zero'}"]
        parts += [] if self.zero_division == 0 else [f"zero_division:{self.zero_division:g}"]
        parts += [] if self.negative_in_normaliser else ["normaliser:averaged"]
        return "|".join(
            [*parts, f"direction:{confusion.direction}", f"n:{plain_number(confusion.n)}", f"v:{RULES}"]
        )

    def _labels_name(self, confusion: Confusion) -> str:
        if isinstance(self.labels, str):
            return self.labels
        names = sorted(map(str, self.labels))
        digest = hashlib.sha256("\n".join(names).encode()).hexdigest()[:8]
        return "+".join(names) if len(names) <= 3 else f"{len(names)}of{len(confusion.labels)}#{digest}"
