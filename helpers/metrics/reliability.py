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
    bins : one row a bin: low, high (it is (low, high]; the first one holds 0, too), n, confidence and
        accuracy: the means, nan where a bin is empty.
    """

    bins: pd.DataFrame

    @property
    def n(self) -> int:
        """How many answers there are."""
        return int(self.bins["n"].sum())

    @property
    def ece(self) -> float:
        """Expected calibration error Σ n_b / n · |accuracy_b − confidence_b|; empty bins add 0."""
        gaps = np.abs(self.bins["accuracy"] - self.bins["confidence"])
        return float(np.nansum(self.bins["n"] * gaps) / self.n)

    def rows(self) -> list[Any]:
        """As `bins`."""
        return self.bins.to_dict("records")

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
    import pandas as pd

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
    columns: dict[str, Any] = {"low": ends[:-1], "high": ends[1:], "n": counts}
    with np.errstate(invalid="ignore"):
        columns |= {"confidence": np.bincount(bin_of, stated, bins) / counts}
        columns |= {"accuracy": np.bincount(bin_of, hits, bins) / counts}
    return Calibration(pd.DataFrame(columns))
