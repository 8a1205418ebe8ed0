"""Files counted by an engine give the labels, the counts and the errors of the reader in memory."""

import os
import shutil
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from helpers.core import MalformedRecord
from helpers.data import count_files, find_files, read_label_columns
from helpers.evaluation import score_file
from tests.support import ROLES, SPOILT_FILES, both_outcomes, some_rows, write_rows

KINDS = ("csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz")
LABELS = st.sampled_from(
    ["A", "a", "NA", "None", "null", "R(e1,e2)", "(skipped)", "007", "ä|b", "a,b", 'c"d', "\\"]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(
    kind=st.sampled_from(KINDS),
    rows=st.lists(st.tuples(LABELS, LABELS, LABELS), min_size=1, max_size=20),
    cut=st.integers(0, 20),
)
def test_duckdb_counts_files_as_memory_does(tmp_path, kind, rows, cut):
    named = [(f"s{k}", *row) for k, row in enumerate(rows)]
    whole = write_rows(tmp_path / f"whole.{kind}", named)
    shutil.rmtree(tmp_path / "parts", ignore_errors=True)
    (tmp_path / "parts").mkdir()
    for number, part in enumerate(filter(None, (named[:cut], named[cut:]))):
        write_rows(tmp_path / "parts" / f"{number}.{kind}", part)
    expected = both_outcomes(read_label_columns(whole, paired_column="paired"))
    for paths in (whole, f"{tmp_path}/parts/*", sorted((tmp_path / "parts").iterdir())):
        for engine in ("duckdb", "memory"):
            found = count_files(paths, paired_column="paired", engine=engine, check_ids=True)
            assert both_outcomes(found) == expected


def test_files_of_several_kinds_and_headers_are_one_test_set(tmp_path):
    rows = some_rows(30)
    expected = both_outcomes(
        read_label_columns(write_rows(tmp_path / "all.csv", rows), paired_column="paired")
    )
    (tmp_path / "parts").mkdir()
    for number, kind in enumerate(KINDS[:5]):
        names = ROLES if number % 2 else ("id", "label", "y_pred", "paired")
        write_rows(tmp_path / "parts" / f"{number}.{kind}", rows[6 * number : 6 * number + 6], names)
    turned = [(gold, name, paired, predicted) for name, gold, predicted, paired in rows[:6]]
    write_rows(tmp_path / "parts" / "0.csv", turned, ("y_true", "id", "paired", "pred"))
    for engine in (None, "duckdb", "memory"):
        found = count_files(f"{tmp_path}/parts/*", paired_column="paired", engine=engine, check_ids=True)
        assert both_outcomes(found) == expected


@pytest.mark.parametrize("engine", ["duckdb", "memory"])
@pytest.mark.parametrize("options", [{}, {"task": "semeval2010", "paired_column": "paired"}])
def test_the_report_is_the_same_whatever_counts(tmp_path, engine, options):
    labels = ("Other", "Cause-Effect(e1,e2)", "Cause-Effect(e2,e1)", "(skipped)")
    rows = [(f"{k}", labels[k % 3], labels[k * 3 % 4], labels[k % 2]) for k in range(40)]
    whole = write_rows(tmp_path / "whole.csv", rows)
    for number in range(2):
        write_rows(tmp_path / f"part-{number}.csv", rows[20 * number : 20 * number + 20])
    options = options | {"replicates": 50}
    found = score_file(f"{tmp_path}/part-*.csv", engine=engine, **options)
    assert found.to_dict() == score_file(whole, **options).to_dict()


@pytest.mark.parametrize("fault", SPOILT_FILES)
@pytest.mark.parametrize("engine", ["duckdb", "memory"])
def test_a_fault_in_one_of_many_files_has_the_words_of_the_reader_in_memory(tmp_path, engine, fault):
    kind, content = SPOILT_FILES[fault]
    for name in "ac":
        write_rows(tmp_path / f"{name}.{kind}", some_rows(6, start=10 * ord(name)))
    odd = tmp_path / f"b.{kind}"
    odd.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(ValueError) as expected:
        read_label_columns(odd)
    with pytest.raises(MalformedRecord) as found:
        count_files(f"{tmp_path}/*.{kind}", engine=engine)
    assert str(found.value) == str(expected.value) and "line" in str(found.value)


@pytest.mark.parametrize("odd", [None, " "])
def test_a_fault_in_parquet_has_file_row_and_column(tmp_path, odd):
    for name, cells in {"a": ["x", "y"], "b": ["x", odd]}.items():
        parquet.write_table(pa.table({"gold": ["x", "y"], "predicted": cells}), tmp_path / f"{name}.parquet")
    with pytest.raises(MalformedRecord, match=r"b.parquet, column 'predicted': the cell of row 2 is empty"):
        count_files(f"{tmp_path}/*.parquet")
    parquet.write_table(pa.table({"gold": [0.5], "predicted": ["x"]}), tmp_path / "b.parquet")
    with pytest.raises(
        MalformedRecord, match="b.parquet, column 'gold': labels are text or integers, not double"
    ):
        count_files(f"{tmp_path}/*.parquet")
    (tmp_path / "b.parquet").write_bytes(b"PAR1 and no more")
    with pytest.raises(MalformedRecord, match=r"b.parquet: this is no whole Parquet file"):
        count_files(f"{tmp_path}/*.parquet")


@pytest.mark.parametrize("engine", ["duckdb", "memory"])
def test_a_label_that_the_task_does_not_have_is_named_with_its_line(tmp_path, engine):
    for name, label in {"a": "Other", "b": "Othr"}.items():
        write_rows(tmp_path / f"{name}.csv", [("Other", "Other"), (label, "Other")], ("gold", "predicted"))
    with pytest.raises(
        MalformedRecord, match=r"b.csv, line 3, column 'gold': unknown label .*did you mean 'Other'"
    ):
        score_file(f"{tmp_path}/*.csv", engine=engine, task="semeval2010")


@pytest.mark.parametrize("engine", ["duckdb", "memory"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_one_of_several_files_may_have_no_row_but_not_all(tmp_path, engine, kind):
    write_rows(tmp_path / f"a.{kind}", some_rows(3))
    pd.DataFrame({name: pd.Series(dtype="str") for name in ROLES}).pipe(
        pd.DataFrame.to_csv if kind == "csv" else pd.DataFrame.to_parquet, tmp_path / f"b.{kind}", index=False
    )
    found = count_files(f"{tmp_path}/*.{kind}", engine=engine)
    assert sum(found["gold"].times(found.counts).values()) == 3
    with pytest.raises(MalformedRecord, match="there are no predictions, only the columns"):
        count_files(f"{tmp_path}/b*.{kind}", engine=engine)


class TestIdentifiers:
    @pytest.mark.parametrize("engine", ["duckdb", "memory"])
    @pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
    def test_one_that_occurs_in_two_files_is_named(self, tmp_path, engine, kind):
        write_rows(tmp_path / f"a.{kind}", some_rows(5))
        write_rows(tmp_path / f"b.{kind}", some_rows(5, start=4))
        with pytest.raises(MalformedRecord, match="identifier 's4' occurs 2 times") as error:
            count_files(f"{tmp_path}/*.{kind}", engine=engine, check_ids=True)
        assert f"a.{kind}" in str(error.value) and f"b.{kind}" in str(error.value)
        found = count_files(f"{tmp_path}/*.{kind}", engine=engine)
        assert sum(found["gold"].times(found.counts).values()) == 10

    @pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
    def test_one_that_occurs_twice_in_a_file_has_both_lines(self, tmp_path, kind):
        write_rows(tmp_path / f"a.{kind}", some_rows(5))
        odd = write_rows(tmp_path / f"b.{kind}", [*some_rows(3, start=9), some_rows(1, start=9)[0]])
        with pytest.raises(ValueError) as expected:
            read_label_columns(odd)
        with pytest.raises(MalformedRecord) as found:
            count_files(f"{tmp_path}/*.{kind}", check_ids=True)
        assert str(found.value) == str(expected.value) and "'s9'" in str(found.value)

    def test_a_missing_one_is_a_fault(self, tmp_path):
        write_rows(tmp_path / "a.csv", some_rows(5))
        odd = write_rows(tmp_path / "b.csv", [("", "A", "A", "A")])
        with pytest.raises(MalformedRecord, match="line 2, column 'id': the cell is empty"):
            count_files([tmp_path / "a.csv", odd], check_ids=True)

    @pytest.mark.parametrize("engine", [None, "memory", "duckdb"])
    def test_without_a_column_of_them_nothing_can_be_checked(self, tmp_path, engine):
        path = write_rows(tmp_path / "a.csv", [("a", "b")], ("gold", "predicted"))
        with pytest.raises(ValueError, match="there are no identifiers to check; .* --id-column C"):
            count_files(path, engine=engine, check_ids=True)


class TestFindingFiles:
    def test_a_name_with_marks_of_patterns_is_a_file_if_there_is_one(self, tmp_path):
        path = write_rows(tmp_path / "a[1]*?.csv", some_rows(3))
        write_rows(tmp_path / "a1.csv", some_rows(3))
        assert find_files(path) == [str(path)]
        assert count_files(path, engine="duckdb").counts.sum() == 3

    @pytest.mark.parametrize("name", ["run[1]", "run*", "ru?1", "r[!a]n1", "[12]/run1", "./[12]/run[1]"])
    @pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
    def test_of_several_files_one_that_is_named_like_a_pattern_is_that_file(
        self, tmp_path, monkeypatch, kind, name
    ):
        monkeypatch.chdir(tmp_path)
        for folder in ("[12]", "1"):
            Path(folder).mkdir()
            write_rows(Path(folder, f"run1.{kind}"), [("d", "decoy", "decoy", "decoy")])
        write_rows(Path(f"run1.{kind}"), [("d", "decoy", "decoy", "decoy")])
        write_rows(Path(f"{name}.{kind}"), some_rows(3))
        write_rows(Path(f"second.{kind}"), some_rows(3, start=2))
        found = count_files([f"{name}.{kind}", f"second.{kind}"])
        assert len(found["gold"]) == 6 and "decoy" not in found["gold"].tolist()
        with pytest.raises(MalformedRecord, match=r"identifier 's2' occurs 2 times, the first") as fault:
            count_files([f"{name}.{kind}", f"second.{kind}"], check_ids=True)
        assert f"{name.removeprefix('./')}.{kind}" in str(fault.value) and str(tmp_path) not in str(
            fault.value
        )
        spoilt = [("s8", "", "A", "A")] if kind != "jsonl" else [("s8", None, "A", "A")]
        write_rows(Path(f"{name}.{kind}"), spoilt)
        with pytest.raises(MalformedRecord, match="column 'gold'") as fault:
            count_files([f"{name}.{kind}", f"second.{kind}"])
        assert fault.value.path == Path(f"{name}.{kind}")

    @pytest.mark.parametrize("kind", ["link", "hard link", "./", "//", "x/..", "file://"])
    def test_one_file_under_two_names_is_refused(self, tmp_path, kind):
        path, other = write_rows(tmp_path / "a.csv", some_rows(3)), str(tmp_path / "link.csv")
        (tmp_path / "x").mkdir()
        if kind == "link":
            os.symlink(path, other)
        elif kind == "hard link":
            os.link(path, other)
        else:
            other = f"{kind}{path}" if kind == "file://" else f"{tmp_path}/{kind}/a.csv"
        with pytest.raises(ValueError, match="the file is named twice, also as ") as found:
            count_files([path, other])
        assert str(path) in str(found.value) and other in str(found.value)

    @pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
    def test_an_address_is_read_by_duckdb(self, tmp_path, kind):
        """file:// in place of s3://, which is never run here: the columns come from the engine, too."""
        path = write_rows(tmp_path / f"a.{kind}", some_rows(6))
        found = count_files(f"file://{path}", paired_column="paired", check_ids=True)
        assert both_outcomes(found) == both_outcomes(read_label_columns(path, paired_column="paired"))
        with pytest.raises(ValueError, match="addresses are read by DuckDB"):
            count_files(f"file://{path}", engine="memory")
