"""Prediction files by the million rows, and what counts them, each in a process of its own.

usage: python -m tests.benchmarks.counting_peers WAY FILE…   prints JSON: seconds, resident bytes, n, correct
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

from helpers import ROOT

PIECE = 1_000_000  # rows of a file
CLASSES, NEGATIVE_SHARE, ACCURACY = 42, 0.79, 0.8  # the shape of TACRED
NAMES = ["no_relation", *(f"org:relation_number_{number}" for number in range(1, CLASSES))]


def predictions(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """n gold and predicted classes 0 … 41 (int64): class 0 has 79 %, four in five predictions are right."""
    rng = np.random.default_rng(seed)
    share = np.r_[NEGATIVE_SHARE, np.full(CLASSES - 1, (1 - NEGATIVE_SHARE) / (CLASSES - 1))]
    gold = rng.choice(CLASSES, n, p=share)
    return gold, np.where(rng.random(n) < ACCURACY, gold, rng.choice(CLASSES, n))


def write_pieces(folder: Path, millions: int) -> list[Path]:
    """A million predictions a file, with an id that nobody asks for; written one by one."""
    paths = [folder / f"part-{number:03}.parquet" for number in range(millions)]
    for number, path in enumerate(paths):
        columns = {"id": pa.array(np.arange(number * PIECE, (number + 1) * PIECE))}
        for name, codes in zip(("gold", "predicted"), predictions(PIECE, number), strict=True):
            columns[name] = pa.DictionaryArray.from_arrays(codes, NAMES).cast(pa.string())
        parquet.write_table(pa.table(columns), path)
    return paths


def by_score(files: Sequence[str]) -> tuple[int, int]:
    """Our command's work: read, check, count, every score."""
    from helpers.evaluation import score_file

    report = score_file(files, negative="no_relation", engine="duckdb")
    return report.n, round(report.accuracy * report.n)


def by_duckdb(files: Sequence[str]) -> tuple[int, int]:
    """The bare query."""
    import duckdb

    with duckdb.connect() as connection:
        query = f"SELECT gold, predicted, count(*) FROM read_parquet({list(files)}) GROUP BY gold, predicted"
        rows = connection.sql(query).fetchall()
    return sum(n for *_, n in rows), sum(n for gold, predicted, n in rows if gold == predicted)


def by_sklearn(files: Sequence[str]) -> tuple[int, int]:
    """pandas and scikit-learn: categories, whose codes are the fastest that it takes."""
    import pandas as pd
    from sklearn.metrics import classification_report

    names = ["gold", "predicted"]
    frames = [pd.read_parquet(file, columns=names).astype(pd.CategoricalDtype(NAMES)) for file in files]
    frame = pd.concat(frames, ignore_index=True)
    gold, predicted = (frame[name].cat.codes.to_numpy() for name in names)
    report = classification_report(gold, predicted, output_dict=True, zero_division=0.0)
    return len(frame), round(report["accuracy"] * len(frame))


WAYS = {"helpers": by_score, "DuckDB": by_duckdb, "pandas + scikit-learn": by_sklearn}


def measured(way: str, files: Sequence[Path]) -> dict[str, float]:
    """Seconds, peak resident bytes, rows and right predictions, of a new process."""
    command = [sys.executable, "-m", "tests.benchmarks.counting_peers", way, *map(str, files)]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def main(way: str, *files: str) -> None:
    """Once with the first file for warming up: what is imported is no part of the time."""
    WAYS[way](files[:1])
    start = time.perf_counter()
    n, correct = WAYS[way](files)
    seconds = time.perf_counter() - start
    # of /proc, as getrusage also counts what the process was before it became this program
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]
    print(json.dumps({"seconds": seconds, "resident": 1024 * int(peak), "n": n, "correct": correct}))


if __name__ == "__main__":
    main(*sys.argv[1:])
