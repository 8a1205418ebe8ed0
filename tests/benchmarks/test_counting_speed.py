"""Counting 200 million predictions in 2 GiB: `pytest -s tests/benchmarks/test_counting_speed.py`.

Files of Parquet are generated a million rows at a time (about 1.1 GB in a temporary folder). Beside the bare
query of DuckDB, and beside pandas and scikit-learn up to the largest size that fits into the same memory.
RC_BENCH_MILLIONS=10 tries it out.
"""

from __future__ import annotations

import os
import statistics

import pytest

from tests.benchmarks import counting_peers as peers
from tests.benchmarks.table import ENGINES

FULL = 200
MILLIONS = int(os.environ.get("RC_BENCH_MILLIONS", FULL))
FULL_SIZE = MILLIONS == FULL
CHEAP_MILLIONS = 2
LIMIT = 2 * 2**30
TIMES = 3
CLAIMS = 3
PACKAGES = ("duckdb", "pyarrow", "pandas", "scikit-learn")
OURS, BARE, IN_MEMORY = peers.WAYS
pytestmark = pytest.mark.cheap


@pytest.fixture(scope="module")
def largest(cheap):
    return CHEAP_MILLIONS if cheap else MILLIONS


@pytest.fixture(scope="module")
def costs(cheap, largest, tmp_path_factory):
    """(way, millions of rows) → seconds, resident bytes: of runs that take turns (in memory: one run) the
    median and the most."""
    files = peers.write_pieces(tmp_path_factory.mktemp("predictions"), largest)
    costs, too_large = {}, False
    smaller = {size for size in (1, 10, 100) if size < largest and not cheap}
    for size in sorted(smaller | {largest}):
        runs = [(way, peers.measured(way, files[:size])) for _ in range(TIMES) for way in (OURS, BARE)]
        runs += [] if too_large else [(IN_MEMORY, peers.measured(IN_MEMORY, files[:size]))]
        ((n, _),) = {(run["n"], run["correct"]) for _, run in runs}
        assert n == size * peers.PIECE
        for way in dict(runs):
            own = [run for one, run in runs if one == way]
            costs[way, size] = (
                statistics.median(run["seconds"] for run in own),
                max(run["resident"] for run in own),
            )
            print(f"\n{way}, {size} million rows: {costs[way, size]}")
        too_large |= costs.get((IN_MEMORY, size), (0, LIMIT))[1] > LIMIT
    return costs


def test_time_beside_the_bare_query(costs, largest, rows):
    what = f"{ENGINES}, {largest} million rows of Parquet to report, s"
    rows.record(what, costs[OURS, largest][0], "DuckDB: the bare query", costs[BARE, largest][0], 1 / 1.3)


def test_memory_is_bounded(costs, largest, rows):
    resident = max(bytes_ for (way, _), (_, bytes_) in costs.items() if way == OURS)
    what = f"{ENGINES}, {largest} million rows of Parquet to report: peak, bytes"
    rows.record(what, resident, "the limit", LIMIT, 1)


def test_time_beside_pandas_and_scikit_learn(costs, rows):
    """At the largest size at which their process stays within the limit."""
    fits = max(size for (way, size), (_, held) in costs.items() if way == IN_MEMORY and held <= LIMIT)
    what = f"{ENGINES}, {fits} million rows of Parquet to report, s"
    peer = f"{IN_MEMORY}, the largest size within 2 GiB"
    rows.record(what, costs[OURS, fits][0], peer, costs[IN_MEMORY, fits][0], 5)
