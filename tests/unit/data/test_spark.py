"""The same tables from arrays, DuckDB and a real Spark with several workers and partitions.

What needs Spark stands together at the end, so that one process of the test runner starts one session.
"""

import json

import numpy as np
import pandas as pd
import pytest

from helpers.core import MalformedRecord
from helpers.data import count_files, count_rows, read_label_columns, tacred_predictions
from helpers.metrics import Outcome
from tests.support import SPOILT_FILES, both_outcomes, some_rows, write_rows

PARTS = 4


@pytest.fixture(scope="module")
def parts(data_dir, tmp_path_factory):
    """Predictions of 52 systems on TACRED, one below the other, in several files; and beside each other."""
    frame = tacred_predictions()
    systems = list(frame.columns[3:])
    long = frame.melt("gold", systems, "system", "predicted").astype(str)
    folder = tmp_path_factory.mktemp("tacred")
    for number, piece in enumerate(np.array_split(np.arange(len(long)), PARTS)):
        long.iloc[piece].to_parquet(folder / f"part-{number}.parquet")
    return folder, frame, systems


def check_tacred(parts, engine) -> None:
    """Gold × predicted × system by one GROUP BY: the table of every system is that of its arrays."""
    folder, frame, systems = parts
    found = count_files(f"{folder}/*.parquet", paired_column="system", engine=engine)
    table = pd.DataFrame({role: found[role].tolist() for role in found.roles})
    table["times"] = 1 if found.counts is None else found.counts
    labels = tuple(frame["gold"].cat.categories)
    assert table["times"].sum() == len(frame) * len(systems) == 15_509 * 52
    for system, own in table.groupby("predicted_paired"):
        counted = Outcome.from_columns(own["gold"], own["predicted"], labels=labels, counts=own["times"])
        assert counted == Outcome.from_columns(frame["gold"], frame[system], labels=labels)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_tables_of_the_tacred_systems(parts, engine):
    check_tacred(parts, engine)


def test_pairs_of_tacred_systems_from_the_compiled_file(data_dir):
    frame = tacred_predictions()
    first, second = frame.columns[3:5]
    path = data_dir / "tacred" / "tacred_test_predictions.tsv.gz"
    found = count_files(path, "gold", first, second, engine="duckdb", check_ids=True)
    assert both_outcomes(found)[1] == Outcome.from_columns(frame["gold"], frame[first], paired=frame[second])


def test_without_spark_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyspark.sql", None)
    path = write_rows(tmp_path / "a.csv", some_rows(3))
    with pytest.raises(ValueError, match=r"Spark is not installed: pip install 'beyond-micro-f1\[spark\]'"):
        count_files(path, engine="spark")


def test_tables_of_the_tacred_systems_by_spark(parts, spark):
    check_tacred(parts, "spark")


def test_spark_counts_as_memory_does(spark, tmp_path, subtests, call):
    rows = some_rows(40)
    expected = both_outcomes(
        read_label_columns(write_rows(tmp_path / "all.csv", rows), paired_column="paired")
    )
    for kind in ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"):
        with subtests.test("files", kind=kind):
            for number in range(PARTS):
                write_rows(tmp_path / f"{number} [x].{kind}", rows[10 * number : 10 * number + 10])
            found = count_files(
                f"{tmp_path}/? *.{kind}", paired_column="paired", engine="spark", check_ids=True
            )
            assert both_outcomes(found) == expected
    with subtests.test("a frame"):
        frame = spark.createDataFrame(rows, ["id", "gold", "predicted", "paired"]).repartition(PARTS)
        assert frame.rdd.getNumPartitions() == PARTS and spark.sparkContext.defaultParallelism == 2
        assert both_outcomes(count_rows(frame, paired="paired")) == expected
        codes = spark.createDataFrame([(-1, 0), (3, 0), (3, 0)], ["gold", "predicted"])
        found = count_rows(codes)
        table = Outcome.from_columns(found["gold"], found["predicted"], counts=found.counts)
        assert table == Outcome.from_columns([-1, 3, 3], [0, 0, 0])
        with pytest.raises(MalformedRecord, match="column 'gold': the cell is empty in 1 of 2 rows"):
            count_rows(spark.createDataFrame([("a", "b"), (None, "b")], ["gold", "predicted"]))
    with subtests.test("the command"):
        words = (
            "score",
            f"{tmp_path}/? *.csv",
            "--paired-column",
            "paired",
            "--negative",
            "NA",
            "--format",
            "json",
        )
        by_spark, by_memory = (call(*words, "--engine", engine) for engine in ("spark", "memory"))
        assert by_spark[0] == 0 and json.loads(by_spark[1]) == json.loads(by_memory[1])
    for name in ("a cell is empty", "too few cells", "a label is no label", "a field is null"):
        with subtests.test("a fault", name=name):
            kind, content = SPOILT_FILES[name]
            folder = tmp_path / name
            folder.mkdir()
            write_rows(folder / f"a.{kind}", some_rows(6))
            (folder / f"b.{kind}").write_text(content)
            with pytest.raises(ValueError) as first:
                read_label_columns(folder / f"b.{kind}")
            with pytest.raises(MalformedRecord) as found:
                count_files(f"{folder}/*.{kind}", engine="spark")
            assert str(found.value) == str(first.value)
    with subtests.test("identifiers"):
        write_rows(tmp_path / "y.csv", some_rows(3))
        write_rows(tmp_path / "z.parquet", some_rows(1, start=2))
        with pytest.raises(MalformedRecord, match="identifier 's2' occurs 2 times"):
            count_files([tmp_path / "y.csv", tmp_path / "z.parquet"], engine="spark", check_ids=True)
