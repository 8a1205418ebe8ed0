"""Anybody's relation data: the forms that are read, what is said of faults, and the data set it becomes."""

import csv
import gzip
import io
import json
import logging

import pytest

from helpers.core import MalformedRecord
from helpers.data import (
    RelationSample,
    data_name,
    demo_corpus,
    read_relation_file,
    register_files,
    render,
    unregister_dataset,
)
from helpers.data.trees import ParsedSample, TypedSample

SAMPLES = demo_corpus()["train"][:40]
WORDS = {"id": "7", "relation": "per:parents", "token": ["Ada", "met", "Lord", "Byron", "."]}
TACRED = WORDS | {"subj_start": 0, "subj_end": 0, "obj_start": 2, "obj_end": 3}
SPANS = "text,e1_start,e1_end,e2_start,e2_end,relation\n"
TYPES = {"subj_type": "PERSON", "obj_type": "PERSON"}


def csv_form(samples: list[RelationSample]) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("id", "text", "e1_start", "e1_end", "e2_start", "e2_end", "relation"))
    writer.writerows((one.id, one.text, *one.head, *one.tail, one.relation) for one in samples)
    return text.getvalue()


def json_lines(samples: list[RelationSample]) -> str:
    rows = ({"id": one.id, "text": render(one), "label": one.relation} for one in samples)
    return "".join(json.dumps(row) + "\n" for row in rows)


def blocks(samples: list[RelationSample]) -> str:
    return "\n".join(f'{one.id}\t"{render(one)}"\n{one.relation}\nComment:\n' for one in samples)


FORMS = {"train.csv": csv_form, "train.jsonl": json_lines, "train.txt": blocks}


@pytest.mark.parametrize("name", FORMS)
def test_each_form_gives_the_same_samples(name, tmp_path):
    path = tmp_path / name
    path.write_text(FORMS[name](SAMPLES), encoding="utf-8")
    assert read_relation_file(path) == SAMPLES
    if not name.endswith(".txt"):
        zipped = tmp_path / f"{name}.gz"
        zipped.write_bytes(gzip.compress(path.read_bytes()))
        assert read_relation_file(zipped) == SAMPLES


@pytest.mark.parametrize(
    ("text", "head", "tail"),
    [
        ("<e1>Ada</e1> met <e2>Ida</e2>", "Ada", "Ida"),
        ("<e1> Ada </e1> met <e2> Ida </e2>", "Ada", "Ida"),
        ("<e2>Ida</e2> met <e1>Ada</e1>", "Ada", "Ida"),
        ("[E1] Ada [/E1] met [E2] Ida [/E2]", "Ada", "Ida"),
        ("[E1]Ada[/E1] met [E2]Ida[/E2]", "Ada", "Ida"),
        ("[E11] Ada [E12] met [E21] Ida [E22]", "Ada", "Ida"),
        ("<< Ada >> met [[ Ida ]]", "Ada", "Ida"),
    ],
)
def test_usual_markers_are_recognised(text, head, tail, tmp_path):
    (tmp_path / "a.jsonl").write_text(json.dumps({"sentence": text, "relation": "r"}))
    (sample,) = read_relation_file(tmp_path / "a.jsonl")
    assert (sample.head_text, sample.tail_text, sample.id) == (head, tail, "1")
    assert "Ada met Ida" in sample.text or "Ida met Ada" in sample.text


def test_tacred_with_and_without_trees_and_opennre(tmp_path):
    nre = {"relation": "per:parents", "token": WORDS["token"], "h": {"pos": [0, 1]}, "t": {"pos": [2, 4]}}
    tree = TACRED | TYPES | {"id": "8", "stanford_head": [2, 0, 4, 2, 2]}
    items = [TACRED, TACRED | TYPES | {"id": "9"}, tree, nre]
    (tmp_path / "a.json").write_text(json.dumps(items, indent=1))
    plain, typed, parsed, last = read_relation_file(tmp_path / "a.json")
    assert {(one.text, one.head_text, one.tail_text) for one in (plain, typed, parsed, last)} == {
        ("Ada met Lord Byron .", "Ada", "Lord Byron")
    }
    assert [type(one) for one in (plain, typed, parsed)] == [RelationSample, TypedSample, ParsedSample]
    assert (plain.id, last.id, typed.types) == ("7", "4", ("PERSON", "PERSON"))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "text,relation\nno marks,r\n", "line 2: no entities are marked in 'no marks'"),
        ("a.csv", "text,relation\n<e1>a</e1> <e2>b</e2>,r\n<e1>a</e1>,r\n", "line 3: no entities are marked"),
        (
            "a.csv",
            SPANS + "ab,0,1,1,9,r\n",
            r"line 2: tail span \(1, 9\)",
        ),
        ("a.csv", SPANS + "ab,0,x,1,2,r\n", "line 2: 'e1_end' is 'x'"),
        ("a.csv", "text,e1_start,relation\nab,0,r\n", "line 2: the field 'e1_end' is missing"),
        ("a.csv", "text,relation\n<e1>a</e1>,<e2>b</e2>,r\n", "line 2: 2 cells are expected, found 3"),
        ("a.csv", "sentences,relation\nx,r\n", "line 2: the field 'text' is missing; there are sentences"),
        ("a.csv", "text,kind\nx,r\n", "line 2: the field 'relation' is missing"),
        ("a.jsonl", '{"text": "<e1>a</e1> <e2>b</e2>", "relation": 3}', "line 1: the field 'relation' is 3"),
        ("a.jsonl", "[1]\n", "line 1: a JSON object is expected"),
        ("a.jsonl", "{}\n{", "line 1: "),
        ("a.json", json.dumps([TACRED | {"obj_end": 5}]), "obj is words 2 to 5; there are 5 words"),
        ("a.json", json.dumps([TACRED, TACRED]), "id '7' occurred before"),
        ("a.txt", '1\t"<e1>a</e1> <e2>b</e2>"\n\n', "line 1: the line with the relation is missing"),
        ("a.csv", "text,relation\n", "the file holds no record"),
        ("a.xml", "<x/>", "unknown ending; known are .json, .jsonl"),
    ],
)
def test_faults_are_named_with_file_and_line(name, content, message, tmp_path):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=message) as raised:
        read_relation_file(tmp_path / name)
    assert name in str(raised.value)


@pytest.fixture
def mine(tmp_path):
    """Two files, with a relation and its inverse by other names; the data set is forgotten afterwards."""
    for split, part in {"train": SAMPLES[:30], "test": SAMPLES[30:]}.items():
        (tmp_path / f"{split}.csv").write_text(csv_form(part))
    yield tmp_path
    for name in ("mine", "own"):
        try:
            unregister_dataset(name)
        except ValueError:
            continue


def test_relations_and_inverses_come_from_files(mine):
    names = [*dict.fromkeys(one.relation for one in SAMPLES), "Never-Seen(e1,e2)"]
    (mine / "relations.txt").write_text("\n".join(names))
    (mine / "rel2id.json").write_text(json.dumps({name: number for number, name in enumerate(names)}))
    for file in ("relations.txt", "rel2id.json"):
        about = register_files("mine", mine / "train.csv", mine / "test.csv", relations=mine / file)
        assert about.relations == tuple(names)
    (mine / "few.txt").write_text("Other\n")
    with pytest.raises(MalformedRecord, match=r"train.csv, line \d+: unknown relation"):
        register_files("mine", mine / "train.csv", mine / "test.csv", relations=mine / "few.txt")
    with pytest.raises(ValueError, match="unknown relation in `inverse` 'x'"):
        register_files(
            "mine", mine / "train.csv", mine / "test.csv", relations=mine / "rel2id.json", inverse={"x": "y"}
        )
    (mine / "bad.json").write_text('{"a"')
    with pytest.raises(MalformedRecord, match=r"bad.json, line 1: no valid JSON"):
        register_files("mine", mine / "train.csv", mine / "test.csv", relations=mine / "bad.json")


def test_a_test_file_that_was_trained_on_is_an_error_or_a_note(mine, caplog):
    with pytest.raises(ValueError, match="given for training and for testing"):
        register_files("mine", mine / "train.csv", mine / "train.csv")
    (mine / "test.csv").write_text(csv_form(SAMPLES[25:35]))
    with caplog.at_level(logging.WARNING):
        register_files("mine", mine / "train.csv", mine / "test.csv")
    assert "of 10 test samples stand in the training file too" in caplog.text
    with pytest.raises(ValueError, match="unknown negative class 'other'; did you mean 'Other'"):
        register_files("mine", mine / "train.csv", mine / "test.csv", negative="other")


def renamed(samples: list[RelationSample]) -> list[dict]:
    """As TACRED names relations: parents and children are inverses, which the names do not show."""
    names = {
        "Cause-Effect(e1,e2)": "per:parents",
        "Cause-Effect(e2,e1)": "per:children",
        "Other": "no_relation",
    }
    return [
        {"text": render(one), "relation": names.get(one.relation, "per:title"), "id": str(number)}
        for number, one in enumerate(samples)
    ]


def test_inverses_from_a_file_pair_the_samples_and_reach_the_scores(tmp_path, mine, call):
    corpus = demo_corpus()
    for split, size in (("train", 300), ("test", 80)):
        rows = renamed(corpus[split][:size])
        (tmp_path / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "inverse.csv").write_text("label,inverse\nper:parents,per:children\n")
    files = ("--train", tmp_path / "train.jsonl", "--test", tmp_path / "test.jsonl")
    about = ("--inverse", tmp_path / "inverse.csv", "--predictions", tmp_path / "p.csv")
    svm = ("--model", "svm", "--option", "markers", "true", "--output", tmp_path / "runs")
    code, out, err = call("train", *svm, *files, *about)
    assert code == 0, err
    rows = list(csv.DictReader(io.StringIO((tmp_path / "p.csv").read_text())))
    assert len(rows) == 80 and set(rows[0]) == {"id", "gold", "predicted", "paired"}
    code, scored, err = call(
        *("score", tmp_path / "p.csv", "--negative", "no_relation", "--paired-column", "paired"),
        *("--inverse", tmp_path / "inverse.csv", "--format", "json"),
    )
    assert code == 0, err
    found = json.loads(scored)["direction"]
    n = sum(row["gold"] in ("per:parents", "per:children") for row in rows)
    assert found["n"] == n > 0
    assert f"PPR {100 * found['ppr']:.2f}" in out and f"PIR {100 * found['pir']:.2f}" in out
    run = json.loads(next((tmp_path / "runs" / "own").rglob("*.json")).read_text())
    assert run["hyperparameters"]["inverse"] == {"per:parents": "per:children", "per:children": "per:parents"}
    assert set(run["files"]) == {data_name(tmp_path / f"{one}.jsonl") for one in ("train", "test")}
    assert run["negative"] == "no_relation"
