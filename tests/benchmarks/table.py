"""What all benchmarks use: how long, how much memory, and results/tables/benchmarks.csv."""

import json
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

from helpers import ROOT
from helpers.core import write_atomically

TABLE = ROOT / "results" / "tables" / "benchmarks.csv"


def timed(call: Callable[[], Any], times: int = 1) -> tuple[float, Any]:
    """The median time of `times` calls, and what the last one gave."""
    taken, result = [], None
    for _ in range(times):
        start = time.perf_counter()
        result = call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken), result


def peak_bytes(call: Callable[[], Any]) -> tuple[int, Any]:
    """The most that a call allocated at once, and what it gave."""
    tracemalloc.start()
    result = call()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak, result


def printed_json(*words: object, python: str | Path = sys.executable) -> dict[str, Any]:
    """What a program prints, run in a process of its own from the root of the checkout."""
    command = [python, *map(str, words)]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)


def store(row: dict[str, Any], packages: tuple[str, ...]) -> None:
    """In place of the row of the same measurement and peer, with what it was measured on."""
    cores = len(os.sched_getaffinity(0))
    row["machine"] = f"{platform.machine()}, {cores} cores, Python {platform.python_version()}"
    row["packages"] = ", ".join(f"{name} {version(name)}" for name in packages)
    table = pd.read_csv(TABLE)
    same = (table["measurement"] == row["measurement"]) & (table["peer"] == row["peer"])
    table.loc[same.idxmax() if same.any() else len(table)] = row
    write_atomically(TABLE, table.to_csv(index=False, float_format="%.4g", lineterminator="\n"))
