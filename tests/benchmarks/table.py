"""results/tables/benchmarks.csv: a row a measurement; each file of benchmarks replaces its own rows only."""

from __future__ import annotations

import os
import platform
import statistics
import time
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

import pandas as pd

from helpers import ROOT
from helpers.core.files import write_atomically
from helpers.papers.page_tables import RATES

TABLE = ROOT / "results" / "tables" / "benchmarks.csv"
TRAINING, MULTILABEL, ENGINES = GROUPS = ("training", "multi-label", "engines")
"""How the measurements of three of the files begin; they stand below the others, in this order."""


def seconds(call: Callable[[], Any], times: int) -> float:
    """The median time of `times` calls."""
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return statistics.median(taken)


class Rows(list):
    """The measurements of one file, each held to its claim, or to that share of it that is `required`."""

    def __init__(self, required: float) -> None:
        super().__init__()
        self.required = required

    def record(self, what: str, ours: float, peer: str, theirs: float, at_least: float) -> None:
        """Note a measurement, whose unit is its last word, and hold it to its claim: ratio ≥ at_least.

        The ratio is theirs / ours, and ours / theirs where more is better (`RATES`).
        """
        ratio = ours / theirs if what.endswith(RATES) else theirs / ours
        required = at_least * self.required
        print(f"\n{what}: {ours:.4g}; {peer}: {theirs:.4g}; ratio {ratio:.3g}, required {required:.3g}")
        assert ratio >= required
        row = {"measurement": what, "ours": ours, "peer": peer, "theirs": theirs, "ratio": ratio}
        self.append(row | {"required": at_least})

    def write(self, packages: tuple[str, ...]) -> None:
        """In place of the rows of the same group, with what they were measured on."""
        cores = len(os.sched_getaffinity(0))
        machine = f"{platform.machine()}, {cores} cores, Python {platform.python_version()}"
        versions = ", ".join(f"{name} {version(name)}" for name in packages)
        new, old = pd.DataFrame(self).assign(machine=machine, packages=versions), pd.read_csv(TABLE)
        others = old[_group(old["measurement"]) != _group(new["measurement"]).iloc[0]]
        table = pd.concat([others, new]).sort_values("measurement", key=_group, kind="stable")
        write_atomically(TABLE, table.to_csv(index=False, float_format="%.4g", lineterminator="\n"))


def _group(measurements: pd.Series) -> pd.Series:
    return measurements.map(
        lambda what: next((n for n, group in enumerate(GROUPS, 1) if what.startswith(group)), 0)
    )
