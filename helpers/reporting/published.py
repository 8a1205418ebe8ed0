"""The papers' numbers as printed, one number a row, and what a printed number says about the true one.

The files `results/published/<paper>-….csv` hold every cell of the tables of papers W (Harbecke et al. 2022),
R (Lyu et al. 2021) and D (Gao et al. 2021), and the numbers that prose and captions state. `printed` is the
string of the paper, so that its decimals are known; formulas and examples (W Table 2, R Table I) are text
rows without a value. Bars (W Figure 1) print no numbers.
"""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

import numpy as np
import pandas as pd

from .. import RESULTS
from ..core import check_known

PUBLISHED_FOLDER = RESULTS / "published"

PUBLISHED_COLUMNS = (
    "paper", "item", "dataset", "model", "metric", "scheme", "statistic", "value", "unit", "printed",
    "source", "note",
)  # fmt: skip
Range = tuple[float, float]
"""Lowest and highest value, both included."""
_DECIMAL = re.compile(r"[-−]?\d{1,3}(,\d{3})+|[-−]?\d+(\.\d+)?")
_SCIENTIFIC = re.compile(r"(?:([-−]?\d+(?:\.\d+)?)·)?10\^([-−]?\d+)")


def load_published(
    paper: str | None = None, item: str | None = None, folder: Path | str = PUBLISHED_FOLDER
) -> pd.DataFrame:
    """The printed numbers, in the papers' order.

    Parameters
    ----------
    paper : 'W', 'R' or 'D'; None for all.
    item : a table or a place in the text, e.g. 'Table 3', 'Table VI', 'Section V-C'; None for all.
    folder : where the CSV files are.

    Returns
    -------
    One row a number, columns `PUBLISHED_COLUMNS`, all text except `value` (float, in `unit`; missing for
    formulas and text).

    Raises
    ------
    ValueError : unknown paper or item (the known ones and the nearest are named), or a file with other
        columns or with a value that is not the printed one.

    >>> load_published("W", "Table 3").query("statistic == 'd'").printed.tolist()
    ['2.8', '8.7', '14.8', '13.5', '24.2']
    """
    paths = sorted(Path(folder).glob("[A-Z]-*.csv"))
    frame = pd.concat([_parse(path, path.read_bytes()) for path in paths], ignore_index=True)
    for column, wanted in (("paper", paper), ("item", item)):
        if wanted is not None:
            known = frame[column].unique()
            check_known(column, wanted, known)
            frame = frame[frame[column] == wanted]
    return frame.reset_index(drop=True)


@lru_cache(maxsize=64)  # a notebook asks for the same numbers a dozen times
def _parse(path: Path, content: bytes) -> pd.DataFrame:
    frame = pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
    if tuple(frame.columns) != PUBLISHED_COLUMNS:
        expected = ", ".join(PUBLISHED_COLUMNS)
        raise ValueError(f"{path}: columns are {', '.join(frame.columns)}; expected {expected}")
    for line, row in enumerate(frame.itertuples(), start=2):
        if row.value and float(row.value) != Printed(row.printed).value:
            said = f"value {row.value} is not what is printed, {row.printed!r}"
            raise ValueError(f"{path}, line {line}: {said}")
    frame["value"] = pd.to_numeric(frame["value"])
    return frame


class Printed(str):
    """A number as a paper prints it: a decimal (71.5, -2.5, 8,000), or a power (3·10^-3, 10^-8, whose last
    digit is an unwritten 1). ValueError, at the first use, for another text.

    >>> Printed("71.5").value, Printed("3·10^-3").value, Printed("8,000").value
    (71.5, 0.003, 8000.0)
    """

    def _parts(self) -> tuple[Decimal, Decimal]:
        """The value, and one unit of its last digit."""
        text = self.strip()
        power = _SCIENTIFIC.fullmatch(text)
        if not power and not _DECIMAL.fullmatch(text):
            expected = "expected e.g. 71.5, -2.5, 8,000, 3·10^-3 or 10^-8"
            raise ValueError(f"{text!r} is not a printed number: {expected}")
        digits = Decimal((power[1] or "1" if power else text).replace(",", "").replace("−", "-"))
        scale = Decimal(10) ** int(power[2].replace("−", "-")) if power else Decimal(1)
        return digits * scale, Decimal(10) ** digits.as_tuple().exponent * scale

    @property
    def value(self) -> float:
        """The number."""
        return float(self._parts()[0])

    @property
    def decimals(self) -> int:
        """How many decimals it has.

        >>> [Printed(text).decimals for text in ("71.5", "314", "2.10")]
        [1, 0, 2]
        """
        return max(0, -self._parts()[1].adjusted())

    @property
    def interval(self) -> Range:
        """All true values that round to it, as a closed interval.

        It is the value ± half a unit of its last digit. Below a power of ten in scientific notation the
        digits are ten times finer (0.94·10^-8 would be printed 9·10^-9), so that the lower half is a tenth
        there. The ends belong to the interval, whichever way the authors rounded ties.

        >>> Printed("71.5").interval, Printed("-2.5").interval, Printed("10^-8").interval
        ((71.45, 71.55), (-2.55, -2.45), (9.5e-09, 1.5e-08))
        """
        value, unit = self._parts()
        below, above = unit / 2, unit / 2
        if "^" in self and value == Decimal(10) ** value.adjusted():
            below /= 10
        return float(value - below), float(value + above)

    def agrees(self, value: float) -> bool:
        """Would `value` (in the printed unit) be printed like this? False for NaN.

        >>> Printed("71.5").agrees(71.52), Printed("71.5").agrees(71.56)
        (True, False)
        """
        low, high = self.interval
        return bool(low <= value <= high)


@dataclass(frozen=True)
class Cell:
    """One printed number with its place.

    >>> cell = Cell("W", "Table 3", "PTR micro mean", "72.5", "percent")
    >>> str(cell), cell.value, cell.interval
    ('PTR micro mean 72.5', 72.5, (72.45, 72.55))
    """

    paper: str
    item: str
    name: str
    printed: str
    unit: str

    @classmethod
    def of(cls, row: pd.Series) -> Cell:
        """A row of `load_published`, named by dataset or model, metric, scheme and statistic.

        >>> str(Cell.of(load_published("W", "Table 3").iloc[0]))
        'RECENT f1 micro mean 71.5'
        """
        statistic = "" if row.statistic == "value" else row.statistic
        name = " ".join(filter(None, (row.model or row.dataset, row.metric, row.scheme, statistic)))
        return cls(row.paper, row["item"], name, row.printed, row.unit)

    @classmethod
    def find(cls, frame: pd.DataFrame, **where: str) -> Cell:
        """The one row of `frame` whose columns have these values.

        Raises ValueError if there is none or more than one.

        >>> Cell.find(load_published(), paper="R", item="Table V", metric="ppr").value
        87.72
        """
        found = np.flatnonzero(np.logical_and.reduce([frame[name] == value for name, value in where.items()]))
        if len(found) != 1:
            raise ValueError(f"{len(found)} published cells with {where}; exactly one is needed")
        return cls.of(frame.iloc[found[0]])

    @property
    def value(self) -> float:
        """The printed number in its unit."""
        return Printed(self.printed).value

    @property
    def interval(self) -> Range:
        """What rounds to the printed number; a count is exact."""
        return (self.value, self.value) if self.unit == "count" else Printed(self.printed).interval

    def __str__(self) -> str:
        return f"{self.name} {self.printed}".strip()
