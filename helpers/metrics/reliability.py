"""Does a system know when it is right? Stated confidences against how often the answer is right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .report import Column, Report, Table, percent, plain_number

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = {"n": Column("n", form=plain_number), "confidence": Column("confidence", 12)}
COLUMNS |= {"accuracy": Column("accuracy", 10)}


@dataclass(frozen=True)
class Calibration(Report):
    """A reliability diagram as a table: one row a bin of confidence, and the expected calibration error.

    Attributes
    ----------
    ends : (bins + 1,) of the bins, which are (low, high]; the first one holds 0, too. counts : (bins,)
        answers in each. confidence, accuracy : (bins,) mean confidence and share of right answers; nan for a
        bin without answers.
    """

    ends: np.ndarray
    counts: np.ndarray
    confidence: np.ndarray
    accuracy: np.ndarray

    @property
    def n(self) -> int:
        """How many answers there are."""
        return int(self.counts.sum())

    @property
    def ece(self) -> float:
        """Expected calibration error Σ n_b / n · |accuracy_b − confidence_b|; empty bins add 0."""
        return float(np.nansum(self.counts * np.abs(self.accuracy - self.confidence)) / self.n)

    @property
    def bins(self) -> pd.DataFrame:
        """One row a bin: low, high, n, confidence, accuracy; nan where a bin is empty."""
        return self.to_frame()

    def rows(self) -> list[dict[str, Any]]:
        """As `bins`."""
        columns = {"low": self.ends[:-1], "high": self.ends[1:], "n": self.counts}
        columns |= {"confidence": self.confidence, "accuracy": self.accuracy}
        values = zip(*(column.tolist() for column in columns.values()), strict=True)
        return [dict(zip(columns, row, strict=True)) for row in values]

    def parts(self) -> Iterator[str | Table]:
        """The error, then the bins, in per cent."""
        yield f"n {self.n} · expected calibration error {percent(self.ece)}"
        rows = [(f"{100 * row['low']:g} to {100 * row['high']:g}", row) for row in self.rows()]
        yield Table("confidence", rows, COLUMNS)


def calibration(confidence: Sequence[float], right: Sequence[bool], bins: int = 10) -> Calibration:
    """Reliability bins and expected calibration error of stated confidences.

    Parameters
    ----------
    confidence : (n,) how sure the system says that it is, fractions. right : (n,) whether its answer is
        right. bins : of equal width.

    Source: Guo, Pleiss, Sun and Weinberger 2017, *On Calibration of Modern Neural Networks*, Eq. 2 to 5.

    Raises ValueError for no answer, columns of different length, a confidence outside [0, 1] or missing (with
    its place), and fewer than one bin.

    >>> sure = calibration([0.9, 0.8, 0.85, 0.3], [True, False, True, False], bins=2)
    >>> print(sure.to_text())
    n 4 · expected calibration error 21.25
    confidence       n  confidence  accuracy
    0 to 50          1       30.00      0.00
    50 to 100        3       85.00     66.67
    """
    stated, hits = np.asarray(confidence, dtype=float), np.asarray(right, dtype=bool)
    if stated.shape != hits.shape or stated.ndim != 1 or not len(stated):
        shapes = f"confidence has shape {stated.shape}, right {hits.shape}"
        raise ValueError(f"{shapes}: two columns of one length are needed, at least 1")
    if bins < 1:
        raise ValueError(f"bins is {bins}: at least 1 is needed")
    outside = ~((stated >= 0) & (stated <= 1))
    if outside.any():
        row = int(outside.argmax())
        raise ValueError(f"confidence[{row}] is {stated[row]:g}: a fraction from 0 to 1 is needed")
    ends = np.arange(bins + 1) / bins
    bin_of = np.digitize(stated, ends[1:-1], right=True)
    counts = np.bincount(bin_of, minlength=bins)
    sums = (np.bincount(bin_of, column, bins) for column in (stated, hits))
    with np.errstate(invalid="ignore"):
        means = [total / counts for total in sums]
    return Calibration(ends, counts, *means)
