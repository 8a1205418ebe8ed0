"""Anybody's predictions: every format gives the same frame, and every fault is named with its place."""

import csv
import gzip
import json
import re

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.core.errors import MalformedRecord
from helpers.core.files import utf8_fault
from helpers.data import count_files
from helpers.data.arrow import text_hashes
from helpers.data.predictions import read_predictions
from tests.support import write_file

pytestmark = pytest.mark.usefixtures("reader")
ROWS = [("7", "NA", "None"), ("8", "null", "nan"), ("9", "per:age", "NA"), ("10", "3", 'café, "so"')]
FRAME = pd.DataFrame(ROWS, columns=["id", "gold", "predicted"])


def contents(ending: str) -> bytes:
    if ending == ".parquet":
        sink = pa.BufferOutputStream()
        pyarrow.parquet.write_table(pa.Table.from_pandas(FRAME), sink)
        return sink.getvalue().to_pybytes()
    if ending == ".jsonl":
        return "".join(json.dumps(row) + "\n" for row in FRAME.to_dict("records")).encode()
    return FRAME.to_csv(index=False, sep="\t" if ending == ".tsv" else ",").encode()


class TestFormats:
    @pytest.mark.parametrize("ending", [".csv", ".tsv", ".jsonl", ".parquet"])
    @pytest.mark.parametrize("zipped", ["", ".gz"])
    def test_every_format_gives_the_same_frame(self, tmp_path, ending, zipped) -> None:
        frame = read_predictions(write_file(tmp_path, f"my.model{ending}{zipped}", contents(ending)))
        assert list(frame.columns) == ["id", "gold", "predicted"]
        assert list(frame.astype(str).itertuples(index=False, name=None)) == ROWS
        assert all(isinstance(frame[name].dtype, pd.CategoricalDtype) for name in ("gold", "predicted"))
        assert not frame.isna().any().any(), "NA, None, null and nan are labels"

    @pytest.mark.parametrize(
        "content", [b"\xef\xbb\xbfgold,pred\r\nA,B\r\n\r\n", b"gold,pred\nA,B", b"gold,pred\rA,B\r"]
    )
    def test_byte_order_mark_and_line_ends(self, tmp_path, content) -> None:
        frame = read_predictions(write_file(tmp_path, "a.csv", content))
        assert frame["gold"].tolist() == ["A"] and frame["predicted"].tolist() == ["B"]

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_a_name_of_several_lines(self, tmp_path, end) -> None:
        """It is one column, for the reader in memory and for DuckDB; faults still have their line."""
        text = end.join(['"the', 'text",gold,"pr', 'ed"', "x,A,B", 'y,C,"D"', ""])
        path = write_file(tmp_path, "a.csv", text)
        named = {"predicted_column": f"pr{end}ed"}
        assert read_predictions(path, **named)["predicted"].tolist() == ["B", "D"]
        if end != "\r":  # which DuckDB does not take
            found = count_files([path], engine="duckdb", **named)
            assert sorted(found["predicted"].tolist()) == ["B", "D"]
        write_file(tmp_path, "a.csv", text.replace("A", ""))
        with pytest.raises(MalformedRecord, match="line 4, column 'gold': the cell is empty"):
            read_predictions(path, **named)

    def test_a_million_rows_in_pieces(self, tmp_path) -> None:
        codes = np.random.default_rng(0).integers(0, 42, (2, 300_000))
        names = np.array([f"relation_é_{number}" for number in range(42)])
        gold, predicted = names[codes]
        lines = [f"{one},{two}" for one, two in zip(gold, predicted, strict=True)]
        frame = read_predictions(write_file(tmp_path, "a.csv", "gold,predicted\n" + "\n".join(lines)))
        assert (frame["gold"].to_numpy(str) == gold).all() and (
            frame["predicted"].to_numpy(str) == predicted
        ).all()


class TestColumns:
    def test_named_columns(self, tmp_path) -> None:
        path = write_file(tmp_path, "a.csv", "key,a,b,c,gold\n1,A,B,C,D\n")
        frame = read_predictions(path, "a", "b", "c", "key")
        assert frame.iloc[0].astype(str).to_dict() == {
            "id": "1",
            "gold": "A",
            "predicted": "B",
            "predicted_paired": "C",
        }
        assert frame.attrs["columns"] == {"id": "key", "gold": "a", "predicted": "b", "predicted_paired": "c"}
        assert frame.attrs["recognised"] == []

    @pytest.mark.parametrize(
        ("header", "columns"),
        [
            ("label_true,label_pred", ("label_true", "label_pred")),
            ("Label,Prediction", ("Label", "Prediction")),
            ("y_pred,y_true", ("y_true", "y_pred")),
            ("pred,predicted,label,gold", ("gold", "predicted")),
        ],
    )
    def test_recognised_columns_are_told(self, tmp_path, caplog, header, columns) -> None:
        path = write_file(tmp_path, "a.csv", f"{header}\n" + ",".join(header.split(",")) + "\n")
        with caplog.at_level("INFO"):
            frame = read_predictions(path)
        assert (frame["gold"][0], frame["predicted"][0]) == columns
        assert frame.attrs["recognised"] == ["gold", "predicted"]
        assert f"column {columns[0]!r} is taken for gold" in caplog.text

    @pytest.mark.parametrize(
        ("header", "named", "message"),
        [
            (
                "truth_label,pred",
                {},
                "gold? no column has a common name; name it, --gold-column C. Columns: truth_label, pred",
            ),
            ("label,y_true,pred", {}, "gold? more than one could be: label, y_true; name it, --gold-col"),
            ("gold,answer", {}, "which column is predicted? no column has a common name"),
            ("gold,pred", {"gold_column": "godl"}, "'godl' for gold does not exist; did you mean 'gold'?"),
            (
                "gold,pred",
                {"paired_column": "q"},
                "'q' for predicted_paired does not exist. Columns: gold, pred",
            ),
            ("gold,gold,pred", {"gold_column": "gold"}, "column 'gold' for gold occurs more than once."),
            ("gold,pred", {"id_column": "key"}, "column 'key' for id does not exist."),
        ],
    )
    def test_columns_that_cannot_be_chosen(self, tmp_path, header, named, message) -> None:
        path = write_file(tmp_path, "a.csv", f"{header}\n" + ",".join("x" for _ in header.split(",")) + "\n")
        with pytest.raises(ValueError, match=re.escape(message)) as caught:
            read_predictions(path, **named)
        assert str(path) in str(caught.value)

    @pytest.mark.parametrize("name", ["a.doc", "a", "a.csv.zip", "a.gz", "a.xlsx"])
    def test_unknown_ending_lists_the_known(self, tmp_path, name) -> None:
        with pytest.raises(
            ValueError,
            match=r"unknown ending; known are .csv, .tsv, .jsonl, .json, .parquet, .txt, each also",
        ):
            read_predictions(tmp_path / name)


FAULTS = [
    # empty cells
    (".csv", "id,gold,pred\n1,A,B\n\n2,,B\n", 4, "gold", "the cell is empty"),
    (".tsv", "id\tgold\tpred\n1\tA\tB\n2\tA\t  \n", 3, "pred", "the cell is empty"),
    (".csv", 'id,gold,pred\n1,A,"B\nb"\n2,,B\n', 4, "gold", "the cell is empty"),
    (".csv", "id,gold,pred\n1,A,B\n,A,B\n", 3, "id", "the cell is empty"),
    (".jsonl", '{"gold": "A", "pred": "B"}\n{"gold": null, "pred": "B"}\n', 2, "gold", "the field is empty"),
    (".jsonl", '{"gold": "A", "pred": "B"}\n{"gold": " ", "pred": "B"}\n', 2, "gold", "the field is empty"),
    (".jsonl", '{"gold": "A", "pred": "B"}\n\n{"gold": "A"}\n', 3, "pred", "the field is missing"),
    # identifiers
    (
        ".csv",
        "id,gold,pred\n1,A,B\n2,A,B\n1,A,B\n",
        4,
        "id",
        "'1' of line 4 occurs twice, the first time in line 2",
    ),
    (".tsv", 'id\tgold\tpred\n"1\n"\tA\tB\n2\tA\tB\n2\tA\tB\n', 5, "id", "the first time in line 4"),
    (
        ".jsonl",
        '\n{"id": 1, "gold": 1, "pred": 2}\n{"id": 1, "gold": 1, "pred": 2}\n',
        3,
        "id",
        "first time in line 2",
    ),
    # rows and structure
    (".csv", "id,gold,pred\n1,A,B\n2,A\n", 3, None, "3 cells are expected, found 2: ['2', 'A']"),
    (".csv", "id,gold,pred\n1,A,B,C\n", 2, None, "3 cells are expected, found 4"),
    (".csv", 'id,gold,pred\n1,A,"B\n2,A,B\n3,A,B\n', 2, None, "the row that begins here cannot be read"),
    (".jsonl", '{"gold": "A", "pred": "B"}\n{"gold": "A", "pred"\n', 2, None, "no valid JSON at character"),
    (".jsonl", '{"gold": "A", "pred": "B"}\n["A", "B"]\n', 2, None, "a JSON object is expected"),
    (".jsonl", '{"gold": "A", "pred": "B"}\n{"gold": 0.5, "pred": "B"}\n', 2, "gold", "not 0.5"),
    (".jsonl", '{"gold": "A", "pred": "B"}\n{"gold": true, "pred": "B"}\n', 2, "gold", "not true"),
    (".jsonl", '{"gold": "A", "pred": "B"}\n{"gold": ["A"], "pred": "B"}\n', 2, "gold", 'not ["A"]'),
    # encoding
    (".csv", b"id,gold,pred\n1,A,B\n2,caf\xe9,B\n", 3, "gold", "byte 24 of the file, 0xe9, is not UTF-8"),
    (".csv", b"gold,pred,text\nA,B,\xff\n", 2, "text", "byte 19 of the file, 0xff"),
    (".tsv", "gold\tpred\nA\tB\n".encode("utf-16"), 1, None, "byte 0 of the file, 0xff"),
    (
        ".jsonl",
        b'{"gold": "A", "pred": "B"}\n{"gold": "A", "pred": "\xe9"}\n',
        2,
        None,
        "byte 50 of the file, 0xe9",
    ),
    # nothing there
    (".csv", "", 1, None, "the file is empty"),
    (".jsonl", "\n\n", 1, None, "there is no JSON object"),
    (".csv", "gold,pred\n", None, None, "there are no predictions, only the columns gold, pred"),
]


def test_a_text_of_a_megabyte_over_many_lines_in_a_column_that_is_not_read(tmp_path):
    path, text = tmp_path / "a.csv", "one\nmore, line " * 80_000
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([("text", "gold", "predicted"), (text, "a", "b"), ("short", "b", "b")])
    assert read_predictions(path)["gold"].tolist() == ["a", "b"]
    with path.open("a") as file:
        file.write("short,,b\n")
    with pytest.raises(MalformedRecord, match=r"a\.csv, line 80004, column 'gold': the cell is empty"):
        read_predictions(path)


class TestFaults:
    @pytest.mark.parametrize("zipped", ["", ".gz"])
    @pytest.mark.parametrize(("ending", "content", "line", "column", "reason"), FAULTS)
    def test_place_and_reason(self, tmp_path, zipped, ending, content, line, column, reason) -> None:
        path = write_file(tmp_path, f"a{ending}{zipped}", content)
        with pytest.raises(MalformedRecord) as caught:
            read_predictions(path)
        assert caught.value.line == line and reason in str(caught.value)
        assert caught.value.column == column or not isinstance(content, str)
        assert str(caught.value).startswith(str(path) + (f", line {line}" if line else ""))

    def test_encoding_names_the_column(self, tmp_path) -> None:
        path = write_file(tmp_path, "a.csv", b'id,text,gold,pred\n1,"x,y",caf\xe9,B\n')
        with pytest.raises(
            MalformedRecord, match=r"a.csv, line 2, column 'gold': byte 29 .* save the file as UTF-8"
        ):
            read_predictions(path)

    @pytest.mark.parametrize(
        ("columns", "reason"),
        [
            ({"gold": ["A", None], "pred": ["A", "B"]}, "column 'gold': the cell of row 2 is empty"),
            ({"gold": ["A", "B"], "pred": ["A", ""]}, "column 'pred': the cell of row 2 is empty"),
            (
                {"gold": [0.5, 1.0], "pred": ["A", "B"]},
                "column 'gold': labels are text or integers, not double",
            ),
            (
                {"id": [1, 1], "gold": ["A", "B"], "pred": ["A", "B"]},
                "'1' of row 2 occurs twice, .* in row 1",
            ),
            ({"gold": [], "pred": []}, "there are no predictions"),
        ],
    )
    def test_parquet(self, tmp_path, columns, reason) -> None:
        table = pa.table({name: pa.array(v, None if v else pa.string()) for name, v in columns.items()})
        pyarrow.parquet.write_table(table, tmp_path / "a.parquet")
        with pytest.raises(MalformedRecord, match=reason):
            read_predictions(tmp_path / "a.parquet")

    def test_broken_parquet_and_broken_gzip(self, tmp_path) -> None:
        with pytest.raises(MalformedRecord, match="no whole Parquet file"):
            read_predictions(write_file(tmp_path, "a.parquet", contents(".parquet")[:-5]))
        whole = gzip.compress(contents(".csv"))
        for content in (whole[:-9], b"gold,pred\n"):
            (tmp_path / "a.csv.gz").write_bytes(content)
            with pytest.raises(MalformedRecord, match="the gzip archive is broken"):
                read_predictions(tmp_path / "a.csv.gz")

    def test_a_character_on_the_edge_of_a_piece(self, monkeypatch) -> None:
        for size in range(1, 9):
            monkeypatch.setattr("helpers.core.files._BLOCK", size)
            assert utf8_fault("aé€😀b".encode()) is None
            assert utf8_fault("aé€".encode() + b"\xff" + "😀".encode()) == 6
            assert utf8_fault("aé€".encode()[:-1]) == 3
            assert utf8_fault(b"\x80" * 9) == 0


class TestIdentifiers:
    @settings(max_examples=200)
    @given(st.lists(st.text(max_size=20) | st.sampled_from(["a" * 7, "a" * 8, "a" * 9, "\0", ""])))
    def test_hashes_are_equal_where_the_texts_are(self, texts) -> None:
        hashes = text_hashes(pa.array(texts, pa.string())).tolist()
        assert len(set(zip(texts, hashes, strict=True))) == len(set(texts)) == len(set(hashes))
        assert text_hashes(pa.array(["x", *texts, "y"])[1:-1]).tolist() == hashes
