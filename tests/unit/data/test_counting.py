"""Files and frames counted by any engine give the labels, counts and errors of the reader in memory."""

import os
import shutil
import sys
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers.core import MalformedRecord
from helpers.data import count_files, count_rows, counting, engines, read_predictions
from helpers.evaluation import score_file
from helpers.metrics import Outcome
from tests.support import ROLES, SPOILT_FILES, both_outcomes, some_rows, write_file, write_rows

KINDS = ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz")
LABELS = st.sampled_from(
    ["A", "a", "NA", "None", "null", "R(e1,e2)", "(skipped)", "007", " x", "ä|b", "a,b", 'c"d', "'", "\\"]
)
TRIPLES = st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=30)
INTEGERS = st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=1, max_size=30)
each_engine = pytest.mark.parametrize("engine", ["duckdb", "memory"])
each_kind = pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])


def in_memory(path: Path) -> tuple[Outcome, Outcome]:
    return both_outcomes(read_predictions(path, paired_column="paired"))


@settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    max_examples=int(os.environ.get("EXAMPLES", "12")),  # each is counted six times
)
@given(kind=st.sampled_from(KINDS), rows=TRIPLES, cut=st.integers(0, 20))
def test_duckdb_counts_files_as_memory_does(tmp_path, kind, rows, cut):
    named = [(f"s{k}", *row) for k, row in enumerate(rows)]
    whole = write_rows(tmp_path / f"whole.{kind}", named)
    shutil.rmtree(tmp_path / "parts", ignore_errors=True)
    (tmp_path / "parts").mkdir()
    for number, part in enumerate(filter(None, (named[:cut], named[cut:]))):
        write_rows(tmp_path / "parts" / f"{number}.{kind}", part)
    for paths in (whole, f"{tmp_path}/parts/*", sorted((tmp_path / "parts").iterdir())):
        for engine in ("duckdb", "memory"):
            counted = count_files(paths, paired_column="paired", engine=engine, check_ids=True)
            assert both_outcomes(counted) == in_memory(whole)


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_a_blank_before_a_quote_belongs_to_no_cell(tmp_path, engine) -> None:
    path = tmp_path / "a.csv"
    path.write_text('gold, "predicted",text\n "R(e1,e2)", "R(e2,e1)","one, ""two"""\n"NA", NA,"three, "\n')
    counted = count_files(path, engine=engine)
    assert sorted(zip(counted["gold"].tolist(), counted["predicted"].tolist(), strict=True)) == [
        ("NA", " NA"),
        ("R(e1,e2)", "R(e2,e1)"),
    ]


@pytest.mark.parametrize("kind", KINDS)
def test_a_large_file_is_counted_by_duckdb_where_it_is_installed(tmp_path, monkeypatch, kind):
    path = write_rows(tmp_path / f"a.{kind}", some_rows(30))
    size = path.stat().st_size * {"gz": 8, "parquet": 32}.get(kind.rpartition(".")[2], 1)
    monkeypatch.setattr(counting, "LARGE", size)
    counted = count_files(path, paired_column="paired")
    assert counted.counts is not None and both_outcomes(counted) == in_memory(path)
    monkeypatch.setattr(counting, "LARGE", size + 1)
    assert count_files(path).counts is None
    monkeypatch.setattr(counting, "LARGE", 0)
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "duckdb", None)
        assert count_files(path).counts is None
    twice = write_rows(tmp_path / f"b.{kind}", [*some_rows(3), some_rows(1)[0]])
    with pytest.raises(ValueError, match="occurs twice, the first time in"):
        count_files(twice)
    assert sum(count_files(twice, engine="duckdb").counts) == 4, "which checks no ids unless it is asked"
    document = write_file(tmp_path, "d.json", '[{"gold": "a", "predicted": "b"}]')
    assert count_files(document).counts is count_files(path, gold_file=path).counts is None
    marked = write_file(tmp_path, "c.jsonl", "\ufeff" + '{"gold": "a", "predicted": "b"}\n')
    assert count_files(marked)["gold"].tolist() == ["a"], "DuckDB does not read a byte order mark there"


def test_files_of_several_kinds_and_headers_are_one_test_set(tmp_path):
    rows = some_rows(30)
    expected = in_memory(write_rows(tmp_path / "all.csv", rows))
    (tmp_path / "parts").mkdir()
    for number, kind in enumerate(KINDS[:5]):
        names = ROLES if number % 2 else ("id", "label", "y_pred", "paired")
        write_rows(tmp_path / "parts" / f"{number}.{kind}", rows[6 * number : 6 * number + 6], names)
    turned = [(gold, name, paired, predicted) for name, gold, predicted, paired in rows[:6]]
    write_rows(tmp_path / "parts" / "0.csv", turned, ("y_true", "id", "paired", "pred"))
    for engine in (None, "duckdb", "memory"):
        counted = count_files(f"{tmp_path}/**/parts/*", paired_column="paired", engine=engine, check_ids=True)
        assert both_outcomes(counted) == expected


class TestFaults:
    @pytest.mark.parametrize("fault", SPOILT_FILES)
    @each_engine
    def test_one_of_many_files_has_the_words_of_the_reader_in_memory(self, tmp_path, engine, fault):
        kind, content = SPOILT_FILES[fault]
        for name in "ac":
            write_rows(tmp_path / f"{name}.{kind}", some_rows(6, start=10 * ord(name)))
        with pytest.raises(ValueError) as expected:
            read_predictions(write_file(tmp_path, f"b.{kind}", content))
        with pytest.raises(MalformedRecord) as caught:
            count_files(f"{tmp_path}/*.{kind}", engine=engine)
        assert str(caught.value) == str(expected.value) and "line" in str(caught.value)

    @each_engine
    def test_a_label_that_the_task_does_not_have_is_named_with_its_line(self, tmp_path, engine):
        for spoilt in "ab":
            for name in "ab":
                rows = [("Other", "Other"), ("Othr" if name == spoilt else "Other", "Other")]
                write_rows(tmp_path / f"{name}.csv", rows, ("gold", "predicted"))
            message = rf"{spoilt}.csv, line 3, column 'gold': unknown label .*did you mean 'Other'"
            with pytest.raises(MalformedRecord, match=message):
                score_file(f"{tmp_path}/*.csv", engine=engine, task="semeval2010")

    def test_a_large_file_is_not_read_again_for_a_line(self, tmp_path, monkeypatch):
        for module in (counting, engines):
            monkeypatch.setattr(module, "READ_AGAIN", 0)
        for rows, said in (
            ("a,b,c\na,b", r": DuckDB cannot read this \(.*[a-z].*\); try --engine memory"),
            (",b,c", ", column 'gold': the cell is empty"),
            ("Othr,Other,c", ", column 'gold': unknown label of semeval2010 'Othr'"),
        ):
            path = write_file(tmp_path, "a.csv", f"gold,predicted,text\n{rows}\n")
            with pytest.raises(MalformedRecord, match="a.csv" + said):
                score_file(path, engine="duckdb", task="semeval2010")

    def test_what_is_for_one_file_in_memory(self, tmp_path):
        path, other = (write_rows(tmp_path / f"{name}.csv", some_rows(3)) for name in "ab")
        for options in ({"form": "csv"}, {"gold_file": path}, {"empty": "skip"}):
            for paths, engine in ((path, "duckdb"), ([path, other], "memory")):
                with pytest.raises(ValueError, match="is for one file that is read in memory, --engine mem"):
                    count_files(paths, engine=engine, **options)
        with pytest.raises(ValueError, match=r"c.json: files that are counted together end in \.csv"):
            count_files([path, write_file(tmp_path, "c.json", "[]")])


class TestIdentifiers:
    @each_engine
    @each_kind
    def test_one_that_occurs_in_two_files_is_named(self, tmp_path, engine, kind, caplog):
        write_rows(tmp_path / f"a.{kind}", some_rows(5))
        write_rows(tmp_path / f"b.{kind}", some_rows(5, start=4))
        with pytest.raises(MalformedRecord, match="identifier 's4' occurs 2 times") as error:
            count_files(f"{tmp_path}/*.{kind}", engine=engine, check_ids=True)
        assert f"a.{kind}" in str(error.value) and f"b.{kind}" in str(error.value)
        counted = count_files(f"{tmp_path}/*.{kind}", engine=engine)
        assert sum(counted["gold"].times(counted.counts).values()) == 10
        assert "ids are not checked" in caplog.text
        caplog.clear()
        count_files(f"{tmp_path}/a.{kind}", engine=engine, check_ids=engine == "duckdb")
        assert "ids are not checked" not in caplog.text

    @each_kind
    def test_one_that_occurs_twice_in_a_file_has_both_lines(self, tmp_path, kind):
        write_rows(tmp_path / f"a.{kind}", some_rows(5))
        spoilt = write_rows(tmp_path / f"b.{kind}", [*some_rows(3, start=9), some_rows(1, start=9)[0]])
        with pytest.raises(ValueError) as expected:
            read_predictions(spoilt)
        with pytest.raises(MalformedRecord) as caught:
            count_files(f"{tmp_path}/*.{kind}", check_ids=True)
        assert str(caught.value) == str(expected.value) and "'s9'" in str(caught.value)

    @pytest.mark.parametrize("engine", [None, "memory", "duckdb"])
    def test_a_missing_one_or_a_missing_column_is_a_fault(self, tmp_path, engine):
        files = [write_rows(tmp_path / "a.csv", some_rows(5))]
        files.append(write_rows(tmp_path / "b.csv", [("", "A", "A", "A")]))
        with pytest.raises(MalformedRecord, match="line 2, column 'id': the cell is empty"):
            count_files(files, engine=engine, check_ids=True)
        path = write_rows(tmp_path / "c.csv", [("a", "b")], ("gold", "predicted"))
        with pytest.raises(ValueError, match="there are no identifiers to check; .* --id-column C"):
            count_files(path, engine=engine, check_ids=True)


class TestFindingFiles:
    @pytest.mark.parametrize("name", ["run[1]", "run*", "ru?1", "r[!a]n1", "[12]/run1", "./[12]/run[1]"])
    @each_kind
    def test_of_several_files_one_that_is_named_like_a_pattern_is_that_file(
        self, tmp_path, monkeypatch, kind, name
    ):
        monkeypatch.chdir(tmp_path)
        for folder in ("[12]", "1", "."):
            Path(folder).mkdir(exist_ok=True)
            write_rows(Path(folder, f"run1.{kind}"), [("d", "decoy", "decoy", "decoy")])
        files = [f"{name}.{kind}", f"second.{kind}"]
        write_rows(Path(files[0]), some_rows(3))
        write_rows(Path(files[1]), some_rows(3, start=2))
        counted = count_files(files)
        assert len(counted["gold"]) == 6 and "decoy" not in counted["gold"].tolist()
        with pytest.raises(MalformedRecord, match=r"identifier 's2' occurs 2 times, the first") as fault:
            count_files(files, check_ids=True)
        assert files[0].removeprefix("./") in str(fault.value) and str(tmp_path) not in str(fault.value)
        write_rows(Path(files[0]), [("s8", None if kind == "jsonl" else "", "A", "A")])
        with pytest.raises(MalformedRecord, match="column 'gold'") as fault:
            count_files(files)
        assert fault.value.path == Path(files[0])

    @pytest.mark.parametrize("kind", ["link", "hard link", "./", "//", "x/..", "file://"])
    def test_one_file_under_two_names_is_refused(self, tmp_path, kind):
        path, other = write_rows(tmp_path / "a.csv", some_rows(3)), str(tmp_path / "link.csv")
        (tmp_path / "x").mkdir()
        if kind in ("link", "hard link"):
            (os.symlink if kind == "link" else os.link)(path, other)
        else:
            other = f"{kind}{path}" if kind == "file://" else f"{tmp_path}/{kind}/a.csv"
        with pytest.raises(ValueError, match="the file is named twice, also as ") as caught:
            count_files([path, other])
        assert str(path) in str(caught.value) and other in str(caught.value)

    @each_kind
    def test_an_address_is_read_by_duckdb(self, tmp_path, kind):
        """file:// in place of s3://, which is never run here: the columns come from the engine, too."""
        path = write_rows(tmp_path / f"a.{kind}", some_rows(6))
        counted = count_files(f"file://{path}", paired_column="paired", check_ids=True)
        assert both_outcomes(counted) == in_memory(path)
        with pytest.raises(ValueError, match="addresses are read by DuckDB"):
            count_files(f"file://{path}", engine="memory")


FRAMES = {"duckdb": duckdb.from_arrow, "arrow": lambda table: table, "pandas": pa.Table.to_pandas}
FRAMES["categories"] = lambda table: table.to_pandas().astype("category")


class TestFrames:
    @pytest.mark.parametrize("kind", FRAMES)
    @given(rows=st.one_of(TRIPLES, INTEGERS))
    def test_a_frame_is_counted_as_arrays_are(self, kind, rows):
        gold, predicted, paired = (np.array(column) for column in zip(*rows, strict=True))
        frame = FRAMES[kind](pa.table({"gold": gold, "predicted": predicted, "paired": paired}))
        confusion, outcome = both_outcomes(count_rows(frame, "gold", "predicted", "paired"))
        assert confusion == Outcome.from_columns(gold, predicted) and confusion.counts.dtype == np.int64
        assert outcome == Outcome.from_columns(gold, predicted, paired=paired)

    @pytest.mark.parametrize("kind", FRAMES)
    @pytest.mark.parametrize("cell", [None, " ", ""])
    def test_a_missing_label_is_refused_with_its_column(self, kind, cell):
        frame = FRAMES[kind](pa.table({"gold": ["a", "b", "b"], "predicted": ["a", cell, cell]}))
        with pytest.raises(MalformedRecord, match="column 'predicted': the cell is empty in 2 of 3 rows"):
            count_rows(frame)

    @pytest.mark.parametrize("kind", FRAMES)
    def test_more_combinations_than_labels_have_are_refused(self, kind, monkeypatch):
        frame = FRAMES[kind](pa.table({"gold": [*"abb"], "predicted": [*"abb"]}))
        monkeypatch.setattr(counting, "MOST_COMBINATIONS", 2)
        assert count_rows(frame).counts.sum() == 3
        monkeypatch.setattr(counting, "MOST_COMBINATIONS", 1)
        with pytest.raises(ValueError, match="more than 1 combinations of 'gold' and 'predicted'"):
            count_rows(frame)

    @pytest.mark.parametrize(
        ("query", "gold", "message"),
        [
            ("0.5 AS gold, 'a' AS predicted", None, "column 'gold': labels are text or integers, not "),
            ("['a'] AS gold, 'a' AS predicted", None, "column 'gold': labels are text or integers, not list"),
            ("'a' AS gold, 'a' AS predicted LIMIT 0", None, "there are no rows"),
            ("'a' AS gold, 'a' AS guess", None, r"which column is predicted\?"),
            ("'a' AS gold, 'a' AS predicted", "glod", "'glod' for gold does not exist; did you mean 'gold'"),
        ],
    )
    def test_what_is_no_label_is_refused(self, query, gold, message):
        with pytest.raises(ValueError, match=message):
            count_rows(duckdb.sql(f"SELECT {query}"), gold)

    def test_what_is_no_frame_is_refused(self):
        with pytest.raises(ValueError, match="is no frame of an engine"):
            count_rows(["a", "b"])


def test_without_spark_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    path = write_rows(tmp_path / "a.csv", some_rows(3))
    with pytest.raises(ValueError, match=r"Spark is not installed: pip install 'beyond-micro-f1\[spark\]'"):
        count_files(path, engine="spark")


@pytest.mark.nightly(third=1)
def test_spark_counts_as_memory_does(spark, tmp_path, subtests):
    rows = some_rows(40)
    whole = write_rows(tmp_path / "all.csv", rows)
    expected = both_outcomes(read_predictions(whole, paired_column="paired"))
    for kind in ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"):
        with subtests.test("files", kind=kind):
            for number in range(4):
                write_rows(tmp_path / f"{number} [x].{kind}", rows[10 * number : 10 * number + 10])
            options = {"paired_column": "paired", "engine": "spark", "check_ids": True}
            assert both_outcomes(count_files(f"{tmp_path}/? *.{kind}", **options)) == expected
    with subtests.test("a frame"):
        frame = spark.createDataFrame(rows, ["id", "gold", "predicted", "paired"]).repartition(4)
        assert frame.rdd.getNumPartitions() == 4 and spark.sparkContext.defaultParallelism == 2
        assert both_outcomes(count_rows(frame, paired="paired")) == expected
        codes = count_rows(spark.createDataFrame([(-1, 0), (3, 0), (3, 0)], ["gold", "predicted"]))
        table = Outcome.from_columns(codes["gold"], codes["predicted"], counts=codes.counts)
        assert table == Outcome.from_columns([-1, 3, 3], [0, 0, 0])
        with pytest.raises(MalformedRecord, match="column 'gold': the cell is empty in 1 of 2 rows"):
            count_rows(spark.createDataFrame([("a", "b"), (None, "b")], ["gold", "predicted"]))
    for name in ("a cell is empty", "too few cells", "a label is no label", "a field is null"):
        with subtests.test("a fault", name=name):
            kind, content = SPOILT_FILES[name]
            (tmp_path / name).mkdir()
            write_rows(tmp_path / name / f"a.{kind}", some_rows(6))
            with pytest.raises(ValueError) as first:
                read_predictions(write_file(tmp_path / name, f"b.{kind}", content))
            with pytest.raises(MalformedRecord) as caught:
                count_files(f"{tmp_path / name}/*.{kind}", engine="spark")
            assert str(caught.value) == str(first.value)
    with subtests.test("identifiers"):
        files = [write_rows(tmp_path / "y.csv", some_rows(3))]
        files.append(write_rows(tmp_path / "z.parquet", some_rows(1, start=2)))
        with pytest.raises(MalformedRecord, match="identifier 's2' occurs 2 times"):
            count_files(files, engine="spark", check_ids=True)
