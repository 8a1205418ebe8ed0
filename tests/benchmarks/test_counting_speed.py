"""Counting 200 million predictions in 2 GiB (1.1 GB of Parquet files are generated): `make bench`."""

import statistics

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from tests.benchmarks.counting_peers import NAMES, WAYS, predictions
from tests.benchmarks.table import printed_json

FULL, IN_MEMORY, CHEAP = 200, 10, 2  # million rows
LIMIT = 2 * 2**30
PACKAGES = ("duckdb", "pyarrow", "pandas", "scikit-learn")
OURS, BARE, PANDAS = WAYS
pytestmark = pytest.mark.cheap


@pytest.fixture(scope="module")
def files(cheap, tmp_path_factory):
    """A million predictions a file, with an id that nobody asks for."""
    folder = tmp_path_factory.mktemp("predictions")
    for number in range(CHEAP if cheap else FULL):
        columns = {"id": pa.array(np.arange(number * 1_000_000, (number + 1) * 1_000_000))}
        for name, codes in zip(("gold", "predicted"), predictions(1_000_000, number), strict=True):
            columns[name] = pa.DictionaryArray.from_arrays(codes, pa.array(NAMES)).cast(pa.string())
        parquet.write_table(pa.table(columns), folder / f"part-{number:03}.parquet")
    return sorted(folder.iterdir())


@pytest.mark.parametrize(
    ("most", "peer", "peer_name", "at_least"),
    [(FULL, BARE, "DuckDB: the bare query", 1 / 1.3), (IN_MEMORY, PANDAS, f"{PANDAS}, within 2 GiB", 5)],
)
def test_time_and_memory(most, peer, peer_name, at_least, files, record):
    """The median of runs that take turns; ours stays within the limit, and pandas where it is the peer."""
    some = files[:most]
    runs = [
        (way, printed_json("-m", "tests.benchmarks.counting_peers", way, *some))
        for _ in range(3)
        for way in (OURS, peer)
    ]
    ((n, _),) = {(run["n"], run["correct"]) for _, run in runs}
    assert n == len(some) * 1_000_000
    ours, theirs = (
        statistics.median(run["seconds"] for way, run in runs if way == one) for one in (OURS, peer)
    )
    resident = max(run["resident"] for way, run in runs if way in (OURS, PANDAS))
    what = f"engines, {len(some)} million rows of Parquet to report"
    record(f"{what}, s", ours, peer_name, theirs, at_least)
    assert resident <= LIMIT
    if peer == BARE:
        record(f"{what}: peak, bytes", resident, "the limit", LIMIT, 1)
