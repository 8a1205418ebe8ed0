"""results/tables/benchmarks.csv: a row a measurement; each file of benchmarks replaces its own rows only."""

from __future__ import annotations

import os
import platform
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from helpers import ROOT
from helpers.core.files import write_atomically
from helpers.papers.page_tables import RATES

TABLE = ROOT / "results" / "tables" / "benchmarks.csv"
TRAINING, MULTILABEL, GRAPHS, ENGINES = "training", "multi-label", "graphs", "engines"
"""How the measurements of four of the files begin; they stand below the others, in this order."""


def machine(*packages: str) -> dict[str, str]:
    """What the numbers were measured on."""
    cores = len(os.sched_getaffinity(0))
    return {
        "machine": f"{platform.machine()}, {cores} cores, Python {platform.python_version()}",
        "packages": ", ".join(f"{name} {version(name)}" for name in packages),
    }


class Rows(list):
    """The measurements of one file, each held to its claim.

    cheap : measured on less data, so that half of the required ratio is enough.
    """

    def __init__(self, cheap: bool) -> None:
        super().__init__()
        self.cheap = cheap

    def record(self, what: str, ours: float, peer: str, theirs: float, at_least: float) -> None:
        """Note a measurement, whose unit is its last word, and hold it to its claim: ratio ≥ at_least.

        The ratio is theirs / ours, and ours / theirs where more is better (`RATES`).
        """
        ratio = ours / theirs if what.endswith(RATES) else theirs / ours
        required = at_least / 2 if self.cheap else at_least
        print(f"\n{what}: {ours:.4g}; {peer}: {theirs:.4g}; ratio {ratio:.3g}, required {required:.3g}")
        assert ratio >= required
        found = {"measurement": what, "ours": ours, "peer": peer, "theirs": theirs, "ratio": ratio}
        self.append(found | {"required": at_least})

    def write(self, packages: tuple[str, ...]) -> Path:
        """Into results/tables/benchmarks.csv, with what they were measured on."""
        return write_rows(self, machine(*packages))


def write_rows(found: list[dict], about: dict[str, str], path: Path = TABLE) -> Path:
    """Replace the rows of the group that `found` is of: one of the four, or the others."""
    new = pd.DataFrame(found).assign(**about)
    if path.exists():
        old = pd.read_csv(path)
        new = pd.concat([old[_group(old["measurement"]) != _group(new["measurement"]).iloc[0]], new])
    new = new.sort_values("measurement", key=_group, kind="stable")
    return write_atomically(path, new.to_csv(index=False, float_format="%.4g", lineterminator="\n"))


def _group(measurements: pd.Series) -> pd.Series:
    groups = (TRAINING, MULTILABEL, GRAPHS, ENGINES)
    return measurements.map(
        lambda what: next((n for n, one in enumerate(groups, 1) if what.startswith(one)), 0)
    )
