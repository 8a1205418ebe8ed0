"""Tables without a table's shape: JSON documents, lists of labels, standard input, other endings."""

import io
import json

import pytest

from helpers.core import MalformedRecord
from helpers.data import open_source, read_label_columns, read_label_names, respelt

pytestmark = pytest.mark.usefixtures("reader")
RECORDS = [{"id": "a", "relation": "per:title", "n": 1}, {"id": "b", "relation": "no_relation", "n": 2}]


def labels(path, column="relation", **options) -> list[str]:
    return open_source(path, **options).read([column])[column].tolist()


@pytest.mark.parametrize(
    "document",
    [
        RECORDS,
        {"relation": ["per:title", "no_relation"], "version": "1.0"},
    ],
    ids=["records", "columns"],
)
def test_every_shape_of_json_gives_the_same_column(tmp_path, document):
    path = tmp_path / "a.json"
    path.write_text(json.dumps(document))
    assert labels(path) == ["per:title", "no_relation"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1, 2", "line 1: no valid JSON at column 6"),
        ('"NA"', "a list of records, an object of columns, or a list of labels is expected, not 'NA'"),
        ("{}", "a list of labels is expected"),
        ("[]", "there is no JSON object in the file"),
        ('{"a": [1], "b": [1, 2]}', "the columns have different lengths: 'a' has 1, 'b' has 2"),
        (
            '{"relation": {"0": "a", "1": "b"}, "pred": {"1": "b", "0": "a"}}',
            "column 'relation' has a key for each row; a list for each column is needed, or a list of",
        ),
        ('[{"relation": "x"}, 7]', "record 2 is no JSON object but 7"),
        (
            '[{"relation": "x"}, {"relation": 0.5}]',
            "column 'relation': record 2: a label is text or an integer",
        ),
        ('[{"relation": "x"}, {"relation": " "}]', "column 'relation': record 2: the field is empty"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_spoilt_document_is_named_with_its_record(tmp_path, text, message):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(MalformedRecord, match="a.json") as caught:
        labels(path)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "line 1: the file is empty"),
        ("NA\n\nA\n", "line 2: a label is expected in place of ''"),
        ("NA\nA\tB\n", "line 2: a label is expected in place of 'A\\tB'"),
        ("1\tNA\nA\n", "line 2: id, tab and label are expected in place of 'A'"),
        (
            '{"token": ["Ada"], "relation": "NA"}\n{"token": ["Bo"], "relation": "r"}\n',
            "line 1: a label is expected on each line, not JSON: name the file .jsonl, or say --input-format",
        ),
        ('[{"relation": "NA"}]', "not JSON: name the file .json, or say --input-format json"),
    ],
)
def test_a_spoilt_list_is_named_with_its_line(tmp_path, text, message):
    path = tmp_path / "a.txt"
    path.write_text(text)
    with pytest.raises(MalformedRecord, match="a.txt") as caught:
        labels(path, "label")
    assert message in str(caught.value)


def test_standard_input_is_csv_unless_said(monkeypatch):
    def feed(content: bytes):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    feed(b"gold,predicted\na,b\n")
    assert labels("-", "gold") == ["a"]
    feed(b'{"gold": 3, "predicted": 4}\n')
    assert labels("-", "gold", form="jsonl") == ["3"]
    feed(b"gold,predicted\na,\n")
    with pytest.raises(
        MalformedRecord, match="standard input, line 2, column 'predicted': the cell is empty"
    ):
        read_label_columns("-")


def test_a_form_is_stronger_than_the_ending_and_an_unknown_one_is_refused(tmp_path):
    path = tmp_path / "results.out"
    path.write_text("gold\tpredicted\na\tb\n")
    assert labels(path, "gold", form="tsv") == ["a"]
    with pytest.raises(ValueError, match="unknown ending; .* --input-format F"):
        open_source(path)
    with pytest.raises(ValueError, match="unknown form of input 'tvs'; did you mean 'tsv'?"):
        open_source(path, "tvs")


class TestNames:
    def write(self, tmp_path, content, name="config.json"):
        (tmp_path / name).write_text(content if isinstance(content, str) else json.dumps(content))
        return tmp_path / name

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
        assert read_label_names(self.write(tmp_path, content)) == {"0": "NA", "1": "A"}
        assert read_label_names(self.write(tmp_path, "NA\nA\n", "names.txt")) == {"0": "NA", "1": "A"}

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ({"id2label": {"0": "NA", "1": "NA"}}, "the name 'NA' occurs twice"),
            ({"hidden_size": 8, "model_type": "bert"}, "is no pair of a label id and a name"),
            ({"x": "NA"}, "'x': 'NA' is no pair of a label id and a name; id2label of a config.json"),
            ([], "there are no names"),
            (7, "an object or a list of label names is expected, not 7"),
            ("{", "config.json"),
        ],
    )
    def test_others_are_refused_with_the_file(self, tmp_path, content, message):
        path = self.write(tmp_path, content)
        with pytest.raises(ValueError, match="config.json") as caught:
            read_label_names(path)
        assert message in str(caught.value)


class TestRespelt:
    def columns(self, tmp_path, text):
        (tmp_path / "a.csv").write_text(text)
        return read_label_columns(tmp_path / "a.csv")

    def test_the_spelling_that_is_most_often_gold_wins(self, tmp_path):
        text = "gold,predicted\nOther,other\nOther,OTHER\nother,Other\na_b,A-B\n"
        found, changed = respelt(self.columns(tmp_path, text))
        assert found["gold"].tolist() == ["Other", "Other", "Other", "a_b"]
        assert found["predicted"].tolist() == ["Other", "Other", "Other", "a_b"]
        assert [(one.label, one.counted_as, one.cells) for one in changed] == [
            ("A-B", "a_b", 1),
            ("OTHER", "Other", 1),
            ("other", "Other", 2),
        ]
        assert changed[2].columns == ("gold", "predicted")

    def test_known_labels_win_over_frequency_and_two_of_a_kind_stay_two(self, tmp_path):
        text = "gold,predicted\nother,other\nother,Other\na-b,A_B\n"
        found, changed = respelt(self.columns(tmp_path, text), ["Other", "a-b", "A_B"])
        assert found["gold"].tolist() == ["Other", "Other", "a-b"]
        assert found["predicted"].tolist() == ["Other", "Other", "A_B"]
        assert [one.label for one in changed] == ["other"]
