"""Columns of numbers in CSV, TSV, JSON-lines and Parquet files, and where one that is none stands."""

import csv
import gzip
import io
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from helpers.core import MalformedRecord
from helpers.data import as_list, open_source

pytestmark = pytest.mark.usefixtures("reader")
ENDINGS = ("csv", "tsv", "jsonl", "parquet")
numbers = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(2**53), 2**53).map(float)


def written(folder: Path, ending: str, scores: list[float], labels: list[str], zipped: bool = False) -> Path:
    if ending == "parquet":
        stream = io.BytesIO()
        parquet.write_table(pa.table({"label": labels, "score": scores}), stream)
        content = stream.getvalue()
    elif ending == "jsonl":
        rows = zip(labels, scores, strict=True)
        content = "".join(
            json.dumps({"label": label, "score": score}) + "\n" for label, score in rows
        ).encode()
    else:
        text = io.StringIO(newline="")
        writer = csv.writer(text, delimiter="," if ending == "csv" else "\t", lineterminator="\n")
        writer.writerows([("label", "score"), *zip(labels, scores, strict=True)])
        content = text.getvalue().encode()
    path = folder / f"a.{ending}{'.gz' * zipped}"
    path.write_bytes(gzip.compress(content) if zipped else content)
    return path


@pytest.mark.parametrize("ending", ENDINGS)
@given(scores=st.lists(numbers, min_size=1, max_size=8), label=st.sampled_from(["NA", "007", 'a"b', "a\nb"]))
def test_numbers_come_back(tmp_path_factory, ending, scores, label) -> None:
    path = written(tmp_path_factory.mktemp("a"), ending, scores, [label] * len(scores))
    table = open_source(path).read(["score", "label"], numbers=["score"])
    assert list(table) == ["score", "label"] and table["score"].dtype == np.float64
    assert table["score"].tolist() == scores and table["label"].tolist() == [label] * len(scores)


@pytest.mark.parametrize("ending", ENDINGS)
def test_identifiers_and_labels_beside_numbers(tmp_path, ending) -> None:
    path = written(tmp_path, ending, [0.5, -1.0], ["1", "2"], zipped=True)
    table = open_source(path).read(["label", "score"], "label", {"score"})
    assert as_list(table["label"]) == ["1", "2"] and table["score"].tolist() == [0.5, -1.0]


def test_numbers_that_arrow_does_not_take(tmp_path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("label,score\nNA,+1\n\nb, 2.5 \n")
    table = open_source(path).read(["label", "score"], numbers=["score"])
    assert table["label"].tolist() == ["NA", "b"] and table["score"].tolist() == [1.0, 2.5]


CELLS = [("", "the cell is empty"), (" ", "the cell is empty"), ("x", "'x' is no finite number")]
CELLS += [
    (cell, "is no finite number") for cell in ("nan", "NaN", "inf", "-Infinity", "1e400", "NA", "1_000")
]
CELLS += [(cell, "is no finite number") for cell in ("0x10", "1,5", "٣", "True", "1 2")]


@pytest.mark.parametrize(("cell", "reason"), CELLS)
@pytest.mark.parametrize("quoted", [False, True])
def test_a_cell_that_is_no_number(tmp_path, cell, reason, quoted) -> None:
    path = tmp_path / "a.tsv"
    first = '"a\nb"' if quoted else "a"
    path.write_text(f"label\tscore\n{first}\t0.5\nb\t{cell}\nc\t1\n", "utf-8")
    with pytest.raises(MalformedRecord, match=reason) as error:
        open_source(path).read(["label", "score"], numbers=["score"])
    assert (error.value.line, error.value.column) == (4 if quoted else 3, "score")


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ('{"score": null}', "the field is empty"),
        ("{}", "the field is missing"),
        ('{"score": "0.5"}', "a number is expected, not the text '0.5'"),
        ('{"score": NaN}', "nan is no finite number"),
        ('{"score": Infinity}', "inf is no finite number"),
        ('{"score": 1e400}', "inf is no finite number"),
        ('{"score": 1' + "0" * 400 + "}", "is no finite number"),
        ('{"score": true}', "True is no finite number"),
        ('{"score": [1]}', r"\[1\] is no finite number"),
    ],
)
def test_a_field_that_is_no_number(tmp_path, row, reason) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text(f'{{"score": 1}}\n{row}\n{{"score": 0.5}}\n')
    with pytest.raises(MalformedRecord, match=reason) as error:
        open_source(path).read(["score"], numbers=["score"])
    assert (error.value.line, error.value.column) == (2, "score")


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (pa.array([1.0, None]), "the cell of row 2 is empty"),
        (pa.array([1, 2, None]), "the cell of row 3 is empty"),
        (pa.array([np.nan]), "the cell of row 1 holds no finite number"),
        (pa.array([1.0, -np.inf], pa.float32()), "the cell of row 2 holds no finite number"),
        (pa.array(["1.0"]), "numbers are needed, not"),
        (pa.array([True]), "numbers are needed, not bool"),
    ],
)
def test_a_parquet_column_that_is_none_of_numbers(tmp_path, column, reason) -> None:
    parquet.write_table(pa.table({"score": column}), tmp_path / "a.parquet")
    with pytest.raises(MalformedRecord, match=reason) as error:
        open_source(tmp_path / "a.parquet").read(["score"], numbers=["score"])
    assert error.value.column == "score"
