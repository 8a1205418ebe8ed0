"""Spoilt files: each reader says in one line in which file, line and column what is wrong."""

import gzip
import json

import pytest

from helpers import data
from helpers.core import MalformedRecord
from helpers.data import open_source
from tests.support import write_file

AB = '{"gold": "A", "pred": "B"}\n'
TWICE = '\n{"id": 1, "gold": 1, "pred": 2}\n{"id": 1, "gold": 1, "pred": 2}\n'
PREDICTIONS = [
    ("a.csv", "id,gold,pred\n1,A,B\n\n2,,B\n", ", line 4, column 'gold': the cell is empty"),
    ("a.tsv", "id\tgold\tpred\n1\tA\tB\n2\tA\t  \n", "the cell is empty (score and compare: --empty skip"),
    ("a.csv", 'id,gold,pred\n1,A,"B\nb"\n2,,B\n', ", line 4, column 'gold': the cell is empty"),
    ("a.csv", "id,gold,pred\n1,A,B\n,A,B\n", ", line 3, column 'id': the cell is empty"),
    ("a.jsonl", AB + '{"gold": null, "pred": "B"}\n', ", line 2, column 'gold': the field is empty"),
    ("a.jsonl", AB + '\n{"gold": "A"}\n', ", line 3, column 'pred': the field is missing"),
    ("a.csv", "id,gold,pred\n1,A,B\n2,A,B\n1,A,B\n", ", line 4, column 'id': identifier '1' of line 4"),
    ("a.tsv", 'id\tgold\tpred\n"1\n"\tA\tB\n2\tA\tB\n2\tA\tB\n', "occurs twice, the first time in line 4"),
    ("a.jsonl", TWICE, "occurs twice, the first time in line 2"),
    ("a.csv", "id,gold,pred\n1,A,B\n2,A\n", ", line 3: 3 cells are expected, found 2: ['2', 'A']"),
    ("a.csv", "id,gold,pred\n1,A,B,C\n", ", line 2: 3 cells are expected, found 4"),
    ("a.csv", 'id,gold,pred\n1,A,"B\n2,A,B\n3,A,B\n', ", line 2: the row that begins here cannot be read"),
    ("a.csv", "gold,pred\nR(e1,e2),b\n", 'quote labels that contain commas: "R(e1,e2)"'),
    ("a.csv", "gold;pred\na;b\n", ", line 1: the header looks separated by semicolons: 'gold;pred'; save it"),
    ("a.csv", "gold\tpred\na\tb\n", ", line 1: the header looks separated by tabs: 'gold\\tpred'; say --"),
    ("a.jsonl", AB + '{"gold": "A", "pred"\n', ", line 2: no valid JSON at column"),
    ("a.jsonl", AB + '["A", "B"]\n', ", line 2: a JSON object is expected"),
    ("a.jsonl", AB + '{"gold": 0.5, "pred": "B"}\n', ", line 2, column 'gold': a label is text or an"),
    ("a.csv", b"id,gold,pred\n1,A,B\n2,caf\xe9,B\n", ", line 3, column 'gold': byte 24 of the file, 0xe9"),
    ("a.csv", b"gold,pred,text\nA,B,\xff\n", ", line 2, column 'text': byte 19 of the file, 0xff"),
    ("a.csv", b'id,text,gold,pred\n1,"x,y",caf\xe9,B\n', ", line 2, column 'gold': byte 29 of the file"),
    ("a.tsv", "gold\tpred\nA\tB\n".encode("utf-16"), "byte 0 of the file, 0xff"),
    ("a.jsonl", AB.encode() + b'{"gold": "A", "pred": "\xe9"}\n', ", line 2: byte 50 of the file, 0xe9"),
    ("a.csv", "", ", line 1: the file is empty"),
    ("a.csv", "\ngold,predicted\na,b\n", ", line 1: the first line is empty"),
    ("a.jsonl", "\n\n", ", line 1: there is no JSON object"),
    ("a.csv", "gold,pred\n", ": there are no predictions, only the columns gold, pred"),
]
LABELS = [
    ("a.json", "[1, 2", ", line 1: no valid JSON at column 6"),
    ("a.json", '"NA"', "or a list of labels is expected, not 'NA'"),
    ("a.json", '{"a": [1], "b": [1, 2]}', "the columns have different lengths: 'a' has 1, 'b' has 2"),
    ("a.json", '{"label": {"0": "a"}, "pred": {"0": "b"}}', "column 'label' has a key for each row"),
    ("a.json", '[{"label": "x"}, 7]', ": record 2 is no JSON object but 7"),
    ("a.json", '[{"label": "x"}, {"label": 0.5}]', ", column 'label': record 2: a label is text or"),
    ("a.json", '[{"label": "x"}, {"label": " "}]', ", column 'label': record 2: the field is empty"),
    ("a.json", '[{"label": "\\ud800"}]', "record 1: '\\ud800' holds half a character"),
    ("a.json", "[" * 100_000, ": nested too deeply"),
    ("a.txt", "", ", line 1: the file is empty"),
    ("a.txt", "NA\n\nA\n", ", line 2: a label is expected in place of ''"),
    ("a.txt", "1\tNA\nA\n", ", line 2: id, tab and label are expected in place of 'A'"),
    ("a.txt", '{"label": "NA"}\n', ", line 1: a label is expected on each line, not JSON: name"),
]
CELLS = [("", "the cell is empty"), (" ", "the cell is empty"), ("x", "'x' is no finite number")]
CELLS += [(cell, "no finite number") for cell in ("nan", "inf", "-Infinity", "1e400", "NA", "1_000", "1 2")]
CELLS += [(cell, "no finite number") for cell in ("0x10", "1,5", "٣", "True")]
FIELDS = [
    ('"score": null', "the field is empty"),
    ("", "the field is missing"),
    ('"score": "0.5"', "a number is expected, not the text '0.5'"),
    ('"score": NaN', "nan is no finite number"),
    ('"score": true', "True is no finite number"),
    ('"score": 1' + "0" * 400, "is no finite number"),
]
NUMBERS = [
    ("a.tsv", f"label\tscore\n{first}\t0.5\nb\t{cell}\nc\t1\n", f", line {line}, column 'score': .*{reason}")
    for first, line in (("a", 3), ('"a\nb"', 4))
    for cell, reason in CELLS
]
NUMBERS += [
    ("a.jsonl", f'{{"score": 1}}\n{{{field}}}\n{{"score": 0.5}}\n', f", line 2, column 'score': .*{reason}")
    for field, reason in FIELDS
]
WORDS = {"id": "7", "relation": "r", "token": ["Ada", "met", "Lord", "Byron", "."]}
TACRED = WORDS | {"subj_start": 0, "subj_end": 0, "obj_start": 2, "obj_end": 3}
SPANS = "text,e1_start,e1_end,e2_start,e2_end,relation\n"
RELATIONS = [
    ("a.csv", "text,relation\nno marks,r\n", ", line 2: no entities are marked in 'no marks'"),
    ("a.csv", "text,relation\n<e1>a</e1> <e2>b</e2>,r\n<e1>a</e1>,r\n", ", line 3: no entities are marked"),
    ("a.csv", SPANS + "ab,0,1,1,9,r\n", ", line 2: tail span (1, 9)"),
    ("a.csv", "sentences,relation\nx,r\n", ", line 2: the field 'text' is missing; there are sentences"),
    ("a.json", json.dumps([TACRED | {"obj_end": 5}]), ": record 1: tail is words 2 to 5; there are 5 words"),
    ("a.json", json.dumps([TACRED, TACRED]), ": record 2: id '7' occurred before"),
    ("a.txt", '1\t"<e1>a</e1> <e2>b</e2>"\n\n', ", line 1: the line with the relation is missing"),
    ("a.csv", "text,relation\n", ": the file holds no record"),
]
LABEL_FILES = [
    ("a.txt", "a\nb\na\n", ", line 3: label 'a' occurred before, at line 1"),
    ("a.txt", b"\xe9\n", ", line 1: byte 0 of the file, 0xe9, is not UTF-8; save the file as UTF-8"),
    ("a.txt", "a\n€\n".encode() + b"\xe9", ", line 3: byte 6 of the file, 0xe9, is not UTF-8; save"),
    ("a.txt", b"a\n\xff\n", ", line 2: byte 2 of the file, 0xff, is not UTF-8; save the file as UTF-8"),
    ("a.txt", "1\ta\n", ", line 1: a TAB in it; one label a line is expected"),
]
NAMES = [
    ("config.json", '{"id2label": {"0": "NA", "1": "NA"}}', ": the name 'NA' occurs twice"),
    ("config.json", '{"hidden_size": 8, "model_type": "bert"}', "is no pair of a label id and a name"),
    ("config.json", '{"x": "NA"}', ": 'x': 'NA' is no pair of a label id and a name; id2label"),
    ("config.json", "7", ": an object or a list of label names is expected, not 7"),
]
INVERSES = [
    ("i.csv", "label,inverse\na,b\n\nc,b\n", ", line 4: label 'b' has two inverses, 'a' and 'c'"),
    ("i.jsonl", '{"label": "a", "inverse": "b"}\n{"label": "b", "inverse": "c"}\n', ", line 2: "),
    ("i.json", '{"a": "b", "a": "c"}', ": label 'a' has two inverses, 'b' and 'c'"),
    ("i.json", '{"a": " "}', ": the inverse of 'a' is empty"),
    ("i.csv", "label,reverse\na,b\n", ": column 'inverse' does not exist; did you mean"),
    ("i.csv", "label,inverse\na,\n", ", line 2, column 'inverse': the cell is empty"),
    ("i.json", '{"a": 1}', ": has to hold one JSON object that maps labels to labels"),
    ("i.json", '{"a": ', ", line 1: no valid JSON at column 7"),
]
COUNTS = [
    ("a.csv", "name,count\nA,1\n", ": column 'label' does not exist. Columns: name, count"),
    ("a.csv", "a,b\nA,1\n", ": which column is gold? no column has a common name"),
    ("a.csv", "label,count\nA,1\nB,x\n", ", line 3, column 'count': 'x' is no finite number"),
    ("a.csv", "label,count\nA,1\n\nB,-1\n", ", line 4, column 'count': a count is an integer, 0 or more"),
    ("a.csv", "label,count\nA,1\nB,0.5\n", ", line 3, column 'count': a count is an integer, 0 or more"),
    ("a.csv", "label,count\nA,1\n\nA,1\n", ", line 4, column 'label': label 'A' occurs twice"),
    ("a.csv", "count,label\n1,\n", ", line 2, column 'label': the cell is empty"),
    ("a.csv", "label,count\nA,0\n", ": counts hold no sample"),
    ("a.csv", "label,count\nA,1\nNA,1\nOther,1\n", "NA, Other all look like one"),
]
MATRICES = [
    ("a.csv", " \n\n", ": the file is empty"),
    ("a.csv", "sports,news\n1,0\n", ": could not convert string 'sports' to float64 at row 0, column 1"),
    ("a.csv", "1,0\n0,nan\n", ": the value in row 1, column 1 (both from 0) is NaN"),
    ("a.csv", "1,0\n1_0,1\n", ": could not convert string '1_0' to float64 at row 1, column 1"),
    ("a.csv", "1,0\n1,\n", ": could not convert string '' to float64 at row 1, column 2"),
    ("a.csv", "1,0\n1\n", ": the number of columns changed from 2 to 1 at row 2"),
    ("a.csv", b"1,0\n1,\xe9\n", ": 'utf-8' codec can't decode byte 0xe9 in position 6"),
    ("a.csv", "1,0\n" + "1" * 200_000 + ",x\n", ": could not convert string 'x' to float64"),
]
READERS = [
    (data.read_predictions, PREDICTIONS),
    (lambda path: open_source(path).read(["label"]), LABELS),
    (lambda path: open_source(path).read(["score"], numbers=["score"]), NUMBERS),
    (data.read_relation_file, RELATIONS),
    (data.read_labels, LABEL_FILES),
    (data.read_label_names, NAMES),
    (data.read_mapping, INVERSES),
    (data.dataset_statistics, COUNTS),
    (data.read_matrix, MATRICES),
]
CASES = [(read, *case) for read, cases in READERS for case in cases]


def short(value: object) -> str | None:
    return repr(value)[:40] if isinstance(value, str | bytes) else None


@pytest.mark.parametrize(("read", "name", "content", "said"), CASES, ids=short)
def test_file_place_and_reason(tmp_path, read, name, content, said):
    path = write_file(tmp_path, name, content)
    files = [path, write_file(tmp_path, f"{name}.gz", path.read_bytes())]
    for file in files if read is data.read_predictions else files[:1]:
        with pytest.raises(ValueError) as caught:
            read(file)
        start, _, reason = said.partition(".*")
        message = str(caught.value).removeprefix(str(file))
        assert message != str(caught.value) and "\n" not in message
        assert reason in message and (message.startswith(start) if start[0] in ",:" else start in message)


def test_a_broken_archive_is_named(tmp_path):
    for content in (gzip.compress(b"gold,pred\nA,B\n" * 20)[:-9], b"gold,pred\n"):
        (tmp_path / "a.csv.gz").write_bytes(content)
        with pytest.raises(MalformedRecord, match=r"a\.csv\.gz: the gzip archive is broken"):
            data.read_predictions(tmp_path / "a.csv.gz")
