"""What counting N predictions costs, up to 10¹²: from measured seconds and bytes a row, by formula.

    core hours = N · s · c / 3600          bytes read = N · b
    hours on C cores = core hours / C      dollars = core hours · price of one, and bytes · price of a month

s : seconds a row of the largest benchmark of a form (results/tables/benchmarks.csv), measured on c cores from
file to report. b : bytes a row (results/tables/bytes.csv), of a million predictions drawn from the stored
outcome of one system on TACRED. Counting is one pass and mergeable, so that cores share it without talking;
what merging costs is a table of labels × labels a core, whatever N is.

`python -m helpers.experiments.scale` measures the bytes anew.
"""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..core import write_atomically
from ..runs import list_runs
from .costs import ASSUMED, TABLES, Prices

BYTES = TABLES / "bytes.csv"
BENCHMARKS = TABLES / "benchmarks.csv"
DRAWN = 1_000_000
_ROW = re.compile(r"(?P<form>\w+) to report, (?P<rows>[\d,]+) million rows, s")
_CORES = re.compile(r"(\d+) cores")
SIZES = (10**7, 10**9, 10**12)
CORES = 64
"""Of the machines in the last column."""


def row_bytes(form: str, path: Path = BYTES) -> float:
    """b of a form of file: 'CSV', 'CSV.gz' or 'Parquet'.

    >>> row_bytes("Parquet") < row_bytes("CSV") / 10
    True
    """
    return float(pd.read_csv(path).set_index("form").loc[form, "bytes"])


@functools.cache
def row_seconds(path: Path = BENCHMARKS) -> dict[str, tuple[float, int, int]]:
    """Form → s, c, and the rows that were counted, of the largest benchmark of each form.

    >>> seconds, cores, rows = row_seconds()["CSV"]
    >>> seconds < 1e-6, cores, rows
    (True, 2, 10000000)
    """
    found: dict[str, tuple[float, int, int]] = {}
    for row in pd.read_csv(path).itertuples(index=False):
        match = _ROW.fullmatch(row.measurement)
        if match is None:
            continue
        rows = int(match["rows"].replace(",", "")) * 1_000_000
        if rows >= found.get(match["form"], (0, 0, 0))[2]:
            cores = _CORES.search(row.machine)
            found[match["form"]] = (float(row.ours) / rows, int(cores[1]) if cores else 1, rows)
    return found


def counting_costs(sizes: Sequence[int] = SIZES, prices: Prices = ASSUMED) -> pd.DataFrame:
    """Form, predictions, bytes, core_hours, hours on `CORES` cores, dollars of counting, and of keeping the
    file for a month (dollars_month); one row a form and size.

    >>> table = counting_costs([10**7, 10**12])
    >>> round(float(table["core_hours"].iloc[1] / table["core_hours"].iloc[0]))
    100000
    """
    rows = []
    for form, (seconds, cores, _) in row_seconds().items():
        for size in sizes:
            read, hours = size * row_bytes(form), size * seconds * cores / 3600
            dollars = (hours * prices.core_hour, read / 1e9 * prices.gigabyte_month)
            rows.append((form, size, read, hours, hours / CORES, *dollars))
    columns = ["form", "predictions", "bytes", "core_hours", "hours", "dollars", "dollars_month"]
    return pd.DataFrame(rows, columns=columns)


def drawn_predictions(rows: int = DRAWN) -> pd.DataFrame:
    """Gold and predicted labels, drawn from the stored outcome of SpanBERT on TACRED; always the same ones.

    >>> drawn_predictions(3).shape
    (3, 2)
    """
    (run,) = list_runs("tacred", "spanbert_tacred")
    table = run.outcome()
    entries = np.array(table.to_rows())
    chosen = np.random.default_rng(1).choice(len(entries), rows, p=entries[:, 2] / entries[:, 2].sum())
    labels = np.array(table.labels)
    return pd.DataFrame({"gold": labels[entries[chosen, 0]], "predicted": labels[entries[chosen, 1]]})


def write_bytes(path: Path | str = BYTES) -> Path:
    """Write `DRAWN` predictions in each form and store the bytes a row, atomically."""
    table, sizes = drawn_predictions(), {}
    with tempfile.TemporaryDirectory() as folder:
        for form, write in (("CSV", table.to_csv), ("CSV.gz", table.to_csv), ("Parquet", table.to_parquet)):
            file = Path(folder, f"a.{form.lower()}")
            write(file, index=False)
            sizes[form] = round(file.stat().st_size / len(table), 3)
    found = pd.DataFrame({"form": sizes.keys(), "rows": len(table), "bytes": sizes.values()})
    return write_atomically(path, found.to_csv(index=False, lineterminator="\n"))


if __name__ == "__main__":
    print(write_bytes())
