"""What counts prediction files, each in a process of its own.

usage: python -m tests.benchmarks.counting_peers WAY FILE…   prints JSON: seconds, resident bytes, n, correct
"""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tests.benchmarks.table import timed

CLASSES, NEGATIVE_SHARE, ACCURACY = 42, 0.79, 0.8  # the shape of TACRED
NAMES = np.array(["no_relation", *(f"org:relation_number_{number}" for number in range(1, CLASSES))])


def predictions(n: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """n gold and predicted classes 0 … 41 (int64): class 0 has 79 %, four in five predictions are right."""
    rng = np.random.default_rng(seed)
    share = np.r_[NEGATIVE_SHARE, np.full(CLASSES - 1, (1 - NEGATIVE_SHARE) / (CLASSES - 1))]
    gold = rng.choice(CLASSES, n, p=share)
    return gold, np.where(rng.random(n) < ACCURACY, gold, rng.choice(CLASSES, n))


def by_score(files: Sequence[str]) -> tuple[int, int]:
    """Our command's work: read, check, count, every score."""
    from helpers.evaluation import score_file

    report = score_file(files, negative="no_relation", engine="duckdb")
    return report.n, round(report.accuracy * report.n)


def duckdb_counts(table: str) -> tuple[int, int]:
    """The bare query of what the SQL of a table names: rows, and right predictions."""
    import duckdb

    with duckdb.connect() as connection:
        rows = connection.sql(f"SELECT gold, predicted, count(*) FROM {table} GROUP BY ALL").fetchall()
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


WAYS = {"helpers": by_score, "DuckDB": lambda files: duckdb_counts(f"read_parquet({list(files)})")}
WAYS["pandas + scikit-learn"] = by_sklearn


if __name__ == "__main__":
    way, files = WAYS[sys.argv[1]], sys.argv[2:]
    way(files[:1])  # what is imported is no part of the time
    seconds, (n, correct) = timed(lambda: way(files))
    # of /proc, as getrusage also counts what the process was before it became this program
    peak = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())[1]
    print(json.dumps({"seconds": seconds, "resident": 1024 * int(peak), "n": n, "correct": correct}))
