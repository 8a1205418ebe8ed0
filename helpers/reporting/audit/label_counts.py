"""The public label counts that some printed numbers follow from; this module only reads and adds them up."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd

from ..published import FOLDER

Counts = dict[str, int]

NEEDED = ("dataset", "split", "label", "count")
NEGATIVE = {"tacred": "no_relation", "semeval2010": "Other", "semeval2010-undirected": "Other"}
SPLITS = {
    "tacred": ("train", "dev", "test"),
    "semeval2010": ("train", "test"),
    "semeval2010-undirected": ("train", "test"),
    "chemprot": ("train", "dev", "test"),
    "nyt24": ("train", "val", "test"),
    "docred": ("train", "dev"),
}
"""The splits that make up a whole corpus, where the sizes of all of them are public."""
TOTAL = "(total)"
"""Stands in place of a label where a split's size is known and its labels are not."""


def load_label_counts(path: Path | str = FOLDER / "label_counts.csv") -> pd.DataFrame | None:
    """The public label counts (columns dataset, split, label, count, perhaps more); None if there is no such
    file.

    >>> load_label_counts("no-such-file.csv") is None
    True
    """
    return pd.read_csv(path, keep_default_na=False) if Path(path).is_file() else None


class LabelCounts:
    """Label counts by data set and split, from a frame with the columns `NEEDED` (or from none).

    Raises ValueError if a column is missing.

    >>> frame = pd.DataFrame([["tacred", "test", "no_relation", 12184]], columns=NEEDED)
    >>> counts = LabelCounts(frame)
    >>> counts.test("tacred"), counts.test("nyt10")
    ({'no_relation': 12184}, None)
    """

    def __init__(self, frame: pd.DataFrame | None) -> None:
        self.frame = pd.DataFrame(columns=list(NEEDED)) if frame is None else frame
        missing = [column for column in NEEDED if column not in self.frame]
        if missing:
            raise ValueError(
                f"label counts lack the columns {', '.join(missing)}; found {', '.join(self.frame)}"
            )

    def split(self, dataset: str, split: str) -> Counts | None:
        """Counts of one split; None if unknown. Undirected SemEval: the directed labels, merged."""
        name = dataset.removesuffix("-undirected")
        rows = self.frame[(self.frame["dataset"] == name) & (self.frame["split"] == split)]
        counts: Counter[str] = Counter()
        for label, count in zip(rows["label"], rows["count"], strict=True):
            counts[label.partition("(")[0] if name != dataset else label] += int(count)
        return dict(counts) or None

    def test(self, dataset: str) -> Counts | None:
        """Counts of the test set; None if unknown."""
        return self.split(dataset, "test")

    def whole(self, dataset: str) -> Counts | None:
        """Counts of all splits together (`TOTAL` where only the size is known); None unless all are known."""
        parts = [self.split(dataset, split) for split in SPLITS.get(dataset, ())]
        return dict(sum(map(Counter, parts), Counter())) if parts and all(parts) else None


def positive(dataset: str, counts: Counts) -> list[int]:
    """Counts of the labels that occur, without the negative one.

    >>> positive("tacred", {"no_relation": 5, "per:age": 2, "per:title": 0})
    [2]
    """
    return [count for label, count in counts.items() if count and label != NEGATIVE.get(dataset)]


def negative_percent(dataset: str, counts: Counts) -> float:
    """Share of the negative class in per cent; 0 if the data set has none.

    >>> negative_percent("tacred", {"no_relation": 3, "per:age": 1})
    75.0
    """
    return 100 * counts.get(NEGATIVE.get(dataset, ""), 0) / sum(counts.values())
