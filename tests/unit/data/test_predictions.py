"""Anybody's predictions, label names, inverses: every form gives the same, every fault has its place."""

import csv
import io
import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from helpers import data
from helpers.core import SKIPPED, MalformedRecord
from helpers.data import open_source, read_predictions
from tests.support import fault_of, write_file, write_rows

ROWS = [("7", "NA", "None"), ("8", "null", "nan"), ("9", "per:age", "NA"), ("10", "3", 'café, "so"')]
COLUMNS = ("id", "gold", "predicted")


class TestFormats:
    @pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
    @pytest.mark.parametrize("zipped", [False, True])
    def test_every_format_gives_the_same_frame(self, tmp_path, ending, zipped):
        path = write_rows(tmp_path / f"my.model.{ending}", ROWS, COLUMNS)
        path = write_file(tmp_path, f"{path.name}.gz", path.read_bytes()) if zipped else path
        frame = read_predictions(path).frame()
        assert tuple(frame.columns) == COLUMNS
        assert list(frame.astype(str).itertuples(index=False, name=None)) == ROWS
        assert all(isinstance(frame[name].dtype, pd.CategoricalDtype) for name in ("gold", "predicted"))
        assert not frame.isna().any().any(), "NA, None, null and nan are labels"

    @pytest.mark.parametrize(
        "content", [b"\xef\xbb\xbfgold,pred\r\nA,B\r\n\r\n", b"gold,pred\nA,B", b"gold,pred\rA,B\r"]
    )
    def test_byte_order_mark_and_line_ends(self, tmp_path, content):
        frame = read_predictions(write_file(tmp_path, "a.csv", content))
        assert frame["gold"].tolist() == ["A"] and frame["predicted"].tolist() == ["B"]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_a_name_of_several_lines(self, tmp_path, end):
        """It is one column, for the reader in memory and for DuckDB; faults still have their line."""
        text = end.join(['"the', 'text",gold,"pr', 'ed"', "x,A,B", 'y,C,"D"', ""])
        path = write_file(tmp_path, "a.csv", text)
        named = {"predicted_column": f"pr{end}ed"}
        assert read_predictions(path, **named)["predicted"].tolist() == ["B", "D"]
        if end != "\r":  # which DuckDB does not take
            counted = data.count_files([path], engine="duckdb", **named)
            assert sorted(counted["predicted"].tolist()) == ["B", "D"]
        said = fault_of(read_predictions, write_file(tmp_path, "a.csv", text.replace("A", "")), **named)
        assert said == ", line 4, column 'gold': the cell is empty"

    def test_a_text_of_a_megabyte_over_many_lines_in_a_column_that_is_not_read(self, tmp_path):
        path, text = tmp_path / "a.csv", "one\nmore, line " * 80_000
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([("text", "gold", "predicted"), (text, "a", "b"), ("short", "b", "b")])
        assert read_predictions(path)["gold"].tolist() == ["a", "b"]
        with path.open("a") as file:
            file.write("short,,b\n")
        assert fault_of(read_predictions, path) == ", line 80004, column 'gold': the cell is empty"


class TestColumns:
    def test_named_columns(self, tmp_path):
        path = write_file(tmp_path, "a.csv", "key,a,b,c,gold\n1,A,B,C,D\n")
        frame = read_predictions(path, *"abc", "key").frame()
        roles = (*COLUMNS, "predicted_paired")
        assert frame.iloc[0].astype(str).to_dict() == dict(zip(roles, "1ABC", strict=True))
        assert frame.attrs["columns"] == dict(zip(roles, ("key", *"abc"), strict=True))

    @pytest.mark.parametrize(
        ("header", "columns"),
        [
            ("label_true,label_pred", ("label_true", "label_pred")),
            ("Label,Prediction", ("Label", "Prediction")),
            ("y_pred,y_true", ("y_true", "y_pred")),
            ("pred,predicted,label,gold", ("gold", "predicted")),
        ],
    )
    def test_recognised_columns_are_told(self, tmp_path, caplog, header, columns):
        with caplog.at_level("INFO"):
            frame = read_predictions(write_file(tmp_path, "a.csv", f"{header}\n{header}\n"))
        assert (frame["gold"][0], frame["predicted"][0]) == columns
        assert f"column {columns[0]!r} is taken for gold" in caplog.text

    @pytest.mark.parametrize(
        ("header", "named", "message"),
        [
            ("truth,pred", {}, "gold? no column has a common name; name it, --gold-column C. Columns: truth"),
            ("label,y_true,pred", {}, "gold? more than one could be: label, y_true; name it, --gold-col"),
            ("gold,answer", {}, "which column is predicted? no column has a common name"),
            ("gold,pred", {"gold_column": "godl"}, "'godl' for gold does not exist; did you mean 'gold'?"),
            ("gold,pred", {"paired_column": "q"}, "'q' for predicted_paired does not exist. Columns:"),
            ("gold,gold,pred", {"gold_column": "gold"}, "column 'gold' for gold occurs more than once."),
            ("gold,pred", {"id_column": "key"}, "column 'key' for id does not exist."),
            ("gold", {}, "there is one column of labels only, 'gold'; gold labels are needed, too"),
        ],
    )
    def test_columns_that_cannot_be_chosen(self, tmp_path, header, named, message):
        path = write_file(tmp_path, "a.csv", f"{header}\n{header}\n")
        with pytest.raises(ValueError, match=f"{re.escape(str(path))}.*{re.escape(message)}"):
            read_predictions(path, **named)


class TestFaults:
    @pytest.mark.parametrize(
        ("columns", "reason"),
        [
            ({"gold": ["A", None], "pred": ["A", "B"]}, "column 'gold': record 2: the field is empty"),
            ({"gold": ["A", "B"], "pred": ["A", ""]}, "column 'pred': record 2: the field is empty"),
            ({"gold": [0.5, 1.0], "pred": ["A", "B"]}, "'gold': record 1: a label is text or an integer, no"),
            ({"id": [1, 1], "gold": [*"AB"], "pred": [*"AB"]}, "'1' of row 2 occurs twice, the first"),
            ({"gold": [], "pred": []}, "there are no predictions"),
        ],
    )
    def test_parquet(self, tmp_path, columns, reason):
        table = pa.table({name: pa.array(v, None if v else pa.string()) for name, v in columns.items()})
        parquet.write_table(table, tmp_path / "a.parquet")
        assert reason in fault_of(read_predictions, tmp_path / "a.parquet")

    def test_broken_parquet_and_broken_gzip(self, tmp_path):
        cut = write_rows(tmp_path / "a.parquet", ROWS, COLUMNS).read_bytes()[:-5]
        assert "no whole Parquet file" in fault_of(read_predictions, write_file(tmp_path, "b.parquet", cut))


class TestGoldInAnotherFile:
    @pytest.mark.parametrize(
        ("name", "content", "predicted", "said"),
        [
            ("p.csv", "id,answer\n3,C\n1,A\n2,B\n", "ABC", "^$"),
            ("p.txt", "2\tB\n1\tA\n", ["A", "B", SKIPPED], "1 of the 3 ids of .* first is '3'; they count"),
            ("p.txt", "A\nB\nC\n", "ABC", "p.txt has no ids: labels are matched by order"),
            ("p.csv", "id,answer\n1,A\n2,B\n", "", "p.csv: 1 of the 3 ids of .*gold.csv are missing, the f"),
            ("p.csv", "id,p\n1,A\n9,A\n8,A\n", "", "p.csv, line 3, column 'id': id '9' is not in .*gold.csv"),
            ("p.csv", "answer\nA\n", "", "p.csv has 1 labels, .*gold.csv has 3 gold labels"),
            ("p.csv", "x,y\nA,B\n", "", r"which column is predicted\?"),
            ("p.csv", "id,p\n2,A\n1,7\n3,A\n", "", "p.csv, line 3, column 'p': '7' is no label id"),
        ],
    )
    def test_it_is_matched_by_id_or_by_order(self, tmp_path, caplog, name, content, predicted, said):
        path, gold = write_file(tmp_path, name, content), write_file(tmp_path, "gold.csv", self.GOLD)
        if not predicted:
            with pytest.raises(ValueError, match=said):
                read_predictions(path, gold_file=gold, label_names={"0": "A", "1": "B"})
            return
        columns = read_predictions(path, gold_file=gold)
        assert [columns[role].tolist() for role in COLUMNS[1:]] == [[*"ABA"], [*predicted]]
        assert re.search(said, caplog.text)
        with pytest.raises(MalformedRecord, match="gold.csv, line 3, column 'label': 'B' is no label id and"):
            read_predictions(path, gold_file=gold, label_names={"0": "A"})

    GOLD = "id,label\n1,A\n2,B\n3,A\n"


class TestMappings:
    """Inverse labels; answers and the labels that they stand for go the same way."""

    PAIRS = {"per:parents": "per:children", "org:member_of": "org:members", "per:spouse": "per:spouse"}

    @pytest.mark.parametrize("ending", ["json", "csv", "tsv", "jsonl", "parquet", "csv.gz"])
    def test_every_kind_of_file(self, tmp_path, ending):
        def written(key: str, value: str):
            rows = [(label, "", other) for label, other in self.PAIRS.items()]
            path = tmp_path / f"{key}.{ending}"
            return (
                write_rows(path, rows, (key, "remark", value))
                if ending != "json"
                else write_file(tmp_path, path.name, json.dumps(self.PAIRS))
            )

        both = self.PAIRS | {other: label for label, other in self.PAIRS.items()}
        assert data.read_mapping(written("label", "inverse")) == both
        assert data.read_mapping(written("answer", "label"), "answer", "label") == self.PAIRS

    def test_a_pair_may_stand_there_in_both_orders_or_twice(self, tmp_path):
        path = write_file(tmp_path, "inverse.csv", "label,inverse\na,b\nb,a\na,b\n")
        assert data.read_mapping(path) == {"a": "b", "b": "a"}


class TestNames:
    @pytest.mark.parametrize(
        "content",
        [
            {"id2label": {"0": "NA", "1": "A"}, "label2id": {"NA": 0, "A": 1}, "hidden_size": 8},
            {"label2id": {"NA": 0, "A": 1}},
            {"NA": 0, "A": 1},
            {"0": "NA", "1": "A"},
            ["NA", "A"],
        ],
    )
    def test_every_form(self, tmp_path, content):
        for path in (
            write_file(tmp_path, "config.json", json.dumps(content)),
            write_file(tmp_path, "names.txt", "NA\nA\n"),
        ):
            assert data.read_label_names(path) == {"0": "NA", "1": "A"}


class TestRespelt:
    def changed(self, tmp_path, text, *known):
        columns, changed = read_predictions(write_file(tmp_path, "a.csv", text)).respelt(*known)
        return columns["gold"].tolist(), columns["predicted"].tolist(), changed

    def test_the_spelling_that_is_most_often_gold_wins(self, tmp_path):
        text = "gold,predicted\nOther,other\nOther,OTHER\nother,Other\na_b,A-B\n"
        gold, predicted, changed = self.changed(tmp_path, text)
        assert gold == predicted == ["Other", "Other", "Other", "a_b"]
        changes = [("A-B", "a_b", 1), ("OTHER", "Other", 1), ("other", "Other", 2)]
        assert [change[:3] for change in changed] == changes and changed[2].columns == ("gold", "predicted")

    def test_known_labels_win_over_frequency_and_two_of_a_kind_stay_two(self, tmp_path):
        text = "gold,predicted\nother,other\nother,Other\na-b,A_B\n"
        gold, predicted, changed = self.changed(tmp_path, text, ["Other", "a-b", "A_B"])
        assert gold == ["Other", "Other", "a-b"] and predicted == ["Other", "Other", "A_B"]
        assert [change.label for change in changed] == ["other"]


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53).map(float)


def labels(path, column="label", **options) -> list[str]:
    return open_source(path, **options).read([column])[column].tolist()


def scores(path) -> dict:
    return open_source(path).read(["label", "score"], numbers=["score"])


class TestTables:
    @pytest.mark.parametrize("document", ['[{"label": "a"}, {"label": "b"}]', '{"label": ["a", "b"]}'])
    def test_every_shape_of_json_gives_the_same_column(self, tmp_path, document):
        assert labels(write_file(tmp_path, "a.json", document)) == ["a", "b"]

    def test_standard_input_is_csv_unless_said(self, monkeypatch):
        def feed(content: bytes):
            monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

        feed(b"gold,predicted\na,b\n")
        assert labels("-", "gold") == ["a"]
        feed(b'{"gold": 3, "predicted": 4}\n')
        assert labels("-", "gold", form="jsonl") == ["3"]
        feed(b"gold,predicted\na,\n")
        with pytest.raises(MalformedRecord, match="standard input, line 2, column 'predicted': the cell is"):
            read_predictions("-")
        feed(b"gold,predicted\n0,0\na,7\n")
        with pytest.raises(
            MalformedRecord, match="standard input, line 3, column 'predicted': '7' is no label"
        ):
            read_predictions("-", label_names={"0": "a"})

    def test_a_form_is_stronger_than_the_ending_and_an_unknown_one_is_refused(self, tmp_path):
        path = write_file(tmp_path, "results.out", "gold\tpredicted\na\tb\n")
        assert labels(path, "gold", form="tsv") == ["a"]
        with pytest.raises(ValueError, match="unknown ending; .* --input-format F"):
            open_source(path)
        with pytest.raises(ValueError, match="unknown form of input 'tvs'; did you mean 'tsv'?"):
            open_source(path, "tvs")


class TestNumbers:
    @pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet", "csv.gz", "jsonl.gz"])
    @given(values=st.lists(NUMBERS, min_size=1, max_size=8), label=st.sampled_from(["NA", "07", '"', "\nb"]))
    def test_they_come_back(self, tmp_path_factory, ending, values, label):
        rows = [(label, value) for value in values]
        path = write_rows(tmp_path_factory.mktemp("a") / f"a.{ending}", rows, ("label", "score"))
        table = open_source(path).read(["score", "label"], numbers=["score"])
        assert list(table) == ["score", "label"] and table["score"].dtype == np.float64
        assert table["score"].tolist() == values and table["label"].tolist() == [label] * len(values)

    def test_signs_and_blanks_around_them(self, tmp_path):
        table = scores(write_file(tmp_path, "a.csv", "label,score\nNA,+1\n\nb, 2.5 \n"))
        assert table["label"].tolist() == ["NA", "b"] and table["score"].tolist() == [1.0, 2.5]
