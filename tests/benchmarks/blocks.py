"""Scored facts by the million, and the memory of a process that scores them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import numpy as np

from helpers import ROOT


def fact_blocks(millions: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """So many million scored facts, one in ten thousand true, a million at a time; the same each time."""
    for number in range(millions):
        rng = np.random.default_rng(number)
        hits = rng.random(1_000_000, dtype=np.float32) < 1e-4
        yield rng.random(1_000_000, dtype=np.float32) + np.float32(0.2) * hits, hits


def resident_of_blocks(millions: int) -> tuple[float, int]:
    """Seconds and peak resident bytes of a process of its own that scores so many million facts in blocks."""
    # of /proc, as getrusage also counts what the process was before it became this program
    code = "import re, time; from tests.benchmarks.blocks import fact_blocks; "
    code += "from helpers.metrics import FactRanking, fact_scores; start = time.perf_counter(); "
    code += f"fact_scores(FactRanking.from_blocks(lambda: fact_blocks({millions}))); "
    code += "peak = re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]; "
    code += "print(time.perf_counter() - start, peak)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    seconds, resident = done.stdout.split()
    return float(seconds), 1024 * int(resident)
