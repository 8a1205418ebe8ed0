"""Counting 200 million predictions in 2 GiB: `pytest -s tests/benchmarks/test_counting_speed.py`.

Files of Parquet are generated a million rows at a time (about 1.1 GB in a temporary folder). Beside the bare
query of DuckDB, and beside pandas and scikit-learn up to the largest size that fits into the same memory.
RC_BENCH_MILLIONS=10 tries it out; only the full size writes results/tables/counting_costs.csv and its figure.
"""

from __future__ import annotations

import os
import statistics

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from helpers import ROOT
from helpers.core.files import write_atomically
from helpers.reporting.figures import draw_and_save, styled
from helpers.reporting.figures.parts import headline
from helpers.reporting.figures.style import PALETTE, QUIET
from tests.benchmarks import counting_peers as peers
from tests.benchmarks.table import ENGINES, machine

FULL = 200
MILLIONS = int(os.environ.get("RC_BENCH_MILLIONS", FULL))
FULL_SIZE = MILLIONS == FULL
CHEAP_MILLIONS = 2
LIMIT = 2 * 2**30
TIMES = 3
CLAIMS = 3
PACKAGES = ("duckdb", "pyarrow", "pandas", "scikit-learn")
OURS, BARE, IN_MEMORY = peers.WAYS
TITLE = "Counting predictions: time and memory by their number"
UNITS = {"seconds": "seconds", "resident_gib": "peak of resident memory, GiB"}


@styled
def counting_cost_chart(costs: pd.DataFrame, title: str) -> plt.Figure:
    """Seconds and peak memory of counting so many predictions; both axes logarithmic. The thin line is the
    first engine's smallest measurement, were its cost proportional to the rows."""
    figure, panels = plt.subplots(1, 2, figsize=(9.4, 3.9))
    for axes, (column, unit) in zip(panels, UNITS.items(), strict=True):
        for number, engine in enumerate(costs["engine"].unique()):
            own = costs[costs["engine"] == engine].sort_values("millions")
            look = {"color": PALETTE[number % len(PALETTE)], "marker": "osD^vP"[number % 6]}
            axes.plot(own["millions"], own[column], label=engine, linewidth=1.6, markersize=5, **look)
        axes.set(xscale="log", yscale="log", xlabel="million predictions", ylabel=unit)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
    first = costs[costs["engine"] == costs["engine"].iloc[0]].sort_values("millions")
    start, rows = first.iloc[0], first["millions"]
    proportional = start["seconds"] / start["millions"] * rows
    panels[0].plot(rows, proportional, color=QUIET, linewidth=0.8, zorder=0)
    panels[1].axhline(2, color=QUIET, linewidth=0.8, zorder=0)
    right = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom", "fontsize": 8}
    panels[1].annotate("2 GiB", (1, 2), **right)
    panels[0].legend(fontsize=8)
    headline(figure, title)
    return figure


@pytest.fixture(scope="module")
def millions(cheap):
    return CHEAP_MILLIONS if cheap else MILLIONS


@pytest.fixture(scope="module")
def costs(cheap, millions, tmp_path_factory):
    """One row for each way and number of rows: medians of runs that take turns (in memory: one run)."""
    files = peers.write_pieces(tmp_path_factory.mktemp("predictions"), millions)
    found, too_large = [], False
    smaller = {size for size in (1, 10, 100) if size < millions and not cheap}
    for size in sorted(smaller | {millions}):
        runs = [(way, peers.measured(way, files[:size])) for _ in range(TIMES) for way in (OURS, BARE)]
        runs += [] if too_large else [(IN_MEMORY, peers.measured(IN_MEMORY, files[:size]))]
        outcomes = {(run["n"], run["correct"]) for _, run in runs}
        assert len(outcomes) == 1 and outcomes.pop()[0] == size * peers.PIECE
        for way in dict(runs):
            seconds = statistics.median(run["seconds"] for one, run in runs if one == way)
            resident = max(run["resident"] for one, run in runs if one == way)
            size_bytes = sum(file.stat().st_size for file in files[:size])
            row = {"engine": way, "millions": size, "seconds": seconds, "resident_gib": resident / 2**30}
            too_large |= way == IN_MEMORY and resident > LIMIT
            print("\n", row, f"{size_bytes / 1e9 / seconds:.3g} GB/s")
            found.append(row | {"gb": size_bytes / 1e9, "gb_per_second": size_bytes / 1e9 / seconds})
    return pd.DataFrame(found)


def at(costs, way, millions):
    return costs[(costs["engine"] == way) & (costs["millions"] == millions)].iloc[0]


@pytest.mark.cheap
def test_time_beside_the_bare_query(costs, millions, rows):
    ours, bare = (at(costs, way, millions)["seconds"] for way in (OURS, BARE))
    what = f"{ENGINES}, {millions} million rows of Parquet to report, s"
    rows.record(what, ours, "DuckDB: the bare query", bare, 1 / 1.3)


@pytest.mark.cheap
def test_memory_is_bounded(costs, millions, rows):
    resident = costs[costs["engine"] == OURS]["resident_gib"].max() * 2**30
    what = f"{ENGINES}, {millions} million rows of Parquet to report: peak, bytes"
    rows.record(what, resident, "the limit", LIMIT, 1)


@pytest.mark.cheap
def test_time_beside_pandas_and_scikit_learn(costs, rows):
    """At the largest size at which their process stays within the limit."""
    fits = costs[(costs["engine"] == IN_MEMORY) & (costs["resident_gib"] * 2**30 <= LIMIT)]
    largest = int(fits["millions"].max())
    ours, theirs = (at(costs, way, largest)["seconds"] for way in (OURS, IN_MEMORY))
    what = f"{ENGINES}, {largest} million rows of Parquet to report, s"
    rows.record(what, ours, f"{IN_MEMORY}, the largest size within 2 GiB", theirs, 5)


def test_the_table_and_its_figure(costs, cheap):
    if not FULL_SIZE or cheap:
        pytest.skip("RC_BENCH_MILLIONS is smaller: nothing is stored")
    table = costs.assign(**machine(*PACKAGES))
    path = ROOT / "results" / "tables" / "counting_costs.csv"
    write_atomically(path, table.to_csv(index=False, float_format="%.4g", lineterminator="\n"))
    assert draw_and_save(counting_cost_chart, "counting_costs", costs, ROOT / "figures", TITLE)
