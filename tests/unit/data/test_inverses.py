"""Inverse labels from files: every kind of file, both orders, contradictions."""

import json

import pandas as pd
import pytest

from helpers.data.predictions import read_inverse

PAIRS = {"per:parents": "per:children", "org:member_of": "org:members", "per:spouse": "per:spouse"}
BOTH = PAIRS | {other: label for label, other in PAIRS.items()}


@pytest.mark.parametrize("ending", ["json", "csv", "tsv", "jsonl", "parquet", "csv.gz"])
def test_every_kind_of_file(tmp_path, ending):
    path = tmp_path / f"inverse.{ending}"
    frame = pd.DataFrame({"label": list(PAIRS), "remark": "", "inverse": list(PAIRS.values())})
    if ending == "json":
        path.write_text(json.dumps(PAIRS))
    elif ending == "parquet":
        frame.to_parquet(path)
    elif ending == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        frame.to_csv(path, index=False, sep="\t" if ending == "tsv" else ",")
    assert read_inverse(path) == BOTH


def test_a_pair_may_stand_there_in_both_orders_or_twice(tmp_path):
    path = tmp_path / "inverse.csv"
    path.write_text("label,inverse\na,b\nb,a\na,b\n")
    assert read_inverse(path) == {"a": "b", "b": "a"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("i.csv", "label,inverse\na,b\n\nc,b\n", r"i\.csv, line 4: label 'b' has two inverses, 'a' and 'c'"),
        ("i.csv", "label,inverse\na,a\na,b\n", r"i\.csv, line 3: label 'a' has two inverses, 'a' and 'b'"),
        ("i.jsonl", '{"label": "a", "inverse": "b"}\n{"label": "b", "inverse": "c"}\n', "i.jsonl, line 2: "),
        ("i.json", '{"a": "b", "a": "c"}', r"i\.json: label 'a' has two inverses, 'b' and 'c'"),
        ("i.json", "{}", r"i\.json: there are no labels"),
        ("i.csv", "label,inverse\n", r"i\.csv: there are no labels"),
        ("i.csv", "label,reverse\na,b\n", r"i\.csv: column 'inverse' does not exist; did you mean"),
        ("i.csv", "label,inverse\na,\n", r"i\.csv, line 2, column 'inverse': the cell is empty"),
        ("i.json", '{"a": 1}', r"i\.json: has to hold one JSON object that maps labels to labels"),
        ("i.json", '[["a", "b"]]', r"i\.json: has to hold one JSON object"),
        ("i.json", '{"a": ', r"i\.json, line 1: no valid JSON at column 7"),
        ("i.doc", "a b\n", r"i\.doc: unknown ending"),
        ("i.txt", "a b\n", r"i\.txt: column 'inverse' does not exist"),
    ],
)  # fmt: skip
def test_what_is_refused(tmp_path, name, text, message):
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        read_inverse(path)
