"""The table of data sets: its rows, one that is added from outside, and one from two files of one's own."""

import csv
import io
import json
import logging
from dataclasses import replace

import pytest

from helpers import data
from helpers.core import MissingData
from helpers.data import Dataset, RelationSample, catalogue, read_relation_file, register_files, render
from helpers.data.samples import ParsedSample, TypedSample
from helpers.experiments import Experiment
from helpers.experiments.run import read_data
from tests.support import write_file

LICENSED = "tacred"
"""Its text may not be passed on: who has it puts it into the data folder; no checksum is public."""
SAMPLES = data.demo_corpus()["train"][:40]
WORDS = {"id": "7", "relation": "per:parents", "token": ["Ada", "met", "Lord", "Byron", "."]}
TACRED = WORDS | {"subj_start": 0, "subj_end": 0, "obj_start": 2, "obj_end": 3}
TYPES = {"subj_type": "PERSON", "obj_type": "PERSON"}
SPANS = "text,e1_start,e1_end,e2_start,e2_end,relation\n"


def csv_form(samples: list[RelationSample]) -> str:
    rows = [(sample.id, sample.text, *sample.head, *sample.tail, sample.relation) for sample in samples]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([("id", *SPANS.strip().split(",")), *rows])
    return text.getvalue()


def json_lines(samples: list[RelationSample]) -> str:
    rows = ({"id": sample.id, "text": render(sample), "label": sample.relation} for sample in samples)
    return "".join(json.dumps(row) + "\n" for row in rows)


def blocks(samples: list[RelationSample]) -> str:
    return "\n".join(f'{sample.id}\t"{render(sample)}"\n{sample.relation}\nComment:\n' for sample in samples)


def test_every_registered_file_and_reader_is_there():
    for row in catalogue._own().values():
        assert all((path in data.registered_files()) != bool(row.address) for path in row.files.values())
        assert all(map(callable, filter(None, (row.reader, row.maker, row.counter))))


@pytest.mark.parametrize("name", [LICENSED, "nyt10m-sentences", "wiki20m-sentences"])
def test_a_corpus_that_may_not_be_passed_on_is_read_where_somebody_has_it(name, tmp_path, monkeypatch):
    monkeypatch.setenv("RC_DATA_DIR", str(tmp_path))
    row = data.find_dataset(name)
    for read in (data.read_corpus, data.read_corpus if name == LICENSED else data.fetch_dataset):
        with pytest.raises(MissingData, match=f"get (it|them) from {row.address}"):
            read(name)
    for split, file in row.files.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        sample = TACRED | TYPES | {"relation": split, "stanford_head": [2, 0, 4, 2, 2]}
        nre = WORDS | {"relation": split, "h": {"id": 1, "pos": [0, 1]}, "t": {"id": 2, "pos": [2, 4]}}
        write_file(tmp_path, file, json.dumps([sample] if name == LICENSED else nre))
    corpus = data.read_corpus(name)
    assert {split: part[0].relation for split, part in corpus.items()} == {name: name for name in row.files}
    if name == LICENSED:
        read = read_data(Experiment("majority", LICENSED, text="parsed", profile="standard"))
        assert read.labels == ("dev", "test", "train") and read.paired is None
        assert read.test[0].types == ("PERSON", "PERSON") and read.test[0].heads == (2, 0, 4, 2, 2)
        assert [*read.files] == ["tacred/json/train.json", "tacred/json/test.json"]
        assert Experiment("recent", LICENSED, options={"base": "gcn"}).usual_text == "parsed"


def test_own_names_are_given_anew_and_others_not():
    mine = data.register_dataset(Dataset("mine"))
    assert data.register_dataset(replace(mine, title="Again")) == data.find_dataset("mine")
    with pytest.raises(ValueError, match="there is a data set 'kbp37' already"):
        data.register_dataset(replace(mine, name="kbp37"))


class TestOwnFiles:
    @pytest.mark.parametrize(
        ("name", "form"),
        [("a.csv", csv_form), ("a.csv.gz", csv_form), ("a.jsonl", json_lines), ("a.jsonl.gz", json_lines)]
        + [("a.txt", blocks)],
    )
    def test_each_form_gives_the_same_samples(self, name, form, tmp_path):
        assert read_relation_file(write_file(tmp_path, name, form(SAMPLES))) == SAMPLES

    @pytest.mark.parametrize(
        "text",
        [
            "<e1>Ada</e1> met <e2>Ida</e2>",
            "<e1> Ada </e1> met <e2> Ida </e2>",
            "<e2>Ida</e2> met <e1>Ada</e1>",
            "[E1] Ada [/E1] met [E2] Ida [/E2]",
            "[E1]Ada[/E1] met [E2]Ida[/E2]",
            "[E11] Ada [E12] met [E21] Ida [E22]",
            "<< Ada >> met [[ Ida ]]",
        ],
    )
    def test_usual_markers_are_recognised(self, text, tmp_path):
        row = json.dumps({"sentence": text, "relation": "r"})
        (sample,) = read_relation_file(write_file(tmp_path, "a.jsonl", row))
        assert (sample.head_text, sample.tail_text, sample.id) == ("Ada", "Ida", "1")
        assert sample.text in ("Ada met Ida", "Ida met Ada")

    def test_tacred_with_and_without_trees_and_opennre(self, tmp_path):
        nre = {"relation": "r", "token": WORDS["token"], "h": {"pos": [0, 1]}, "t": {"pos": [2, 4]}}
        tree = TACRED | TYPES | {"id": "8", "stanford_head": [2, 0, 4, 2, 2]}
        items = [TACRED, TACRED | TYPES | {"id": "9"}, tree, nre]
        samples = read_relation_file(write_file(tmp_path, "a.json", json.dumps(items, indent=1)))
        assert {(sample.text, sample.head_text, sample.tail_text) for sample in samples} == {
            ("Ada met Lord Byron .", "Ada", "Lord Byron")
        }
        kinds = [RelationSample, TypedSample, ParsedSample, RelationSample]
        assert [type(sample) for sample in samples] == kinds
        assert [sample.id for sample in samples] == ["7", "9", "8", "4"]
        assert samples[1].types == ("PERSON", "PERSON")

    @pytest.fixture
    def mine(self, tmp_path):
        """Two files, with a relation and its inverse by other names."""
        for split, part in {"train": SAMPLES[:30], "test": SAMPLES[30:]}.items():
            write_file(tmp_path, f"{split}.csv", csv_form(part))
        return tmp_path

    def test_relations_from_a_file(self, mine):
        names = [*dict.fromkeys(sample.relation for sample in SAMPLES), "Never-Seen(e1,e2)"]
        files = (mine / "train.csv", mine / "test.csv")
        numbers = json.dumps({name: number for number, name in enumerate(names)})
        texts = {"a.txt": "\n".join(names), "a.json": numbers, "b.json": json.dumps(names)}
        for file, content in texts.items():
            about = register_files("mine", *files, relations=write_file(mine, file, content))
            assert about.relations == tuple(names)
        for file, content, message in (
            ("few.txt", "Other\n", "train.csv, line .*: unknown relation"),
            ("bad.json", '{"a"', "bad.json, line 1: no valid JSON"),
            ("bad.json", '["a", "a"]', "bad.json: the name 'a' occurs twice"),
        ):
            with pytest.raises(ValueError, match=message):
                register_files("mine", *files, relations=write_file(mine, file, content))
        with pytest.raises(ValueError, match="unknown relation in `inverse` 'x'"):
            register_files("mine", *files, relations=mine / "a.json", inverse={"x": "y"})
        with pytest.raises(ValueError, match="unknown negative class 'other'; did you mean 'Other'"):
            register_files("mine", *files, negative="other")

    def test_a_test_file_that_was_trained_on_is_an_error_or_a_note(self, mine, caplog):
        with pytest.raises(ValueError, match="given for training and for testing"):
            register_files("mine", mine / "train.csv", mine / "train.csv")
        with caplog.at_level(logging.WARNING):
            register_files("mine", mine / "train.csv", write_file(mine, "b.csv", csv_form(SAMPLES[25:35])))
        assert "of 10 test samples stand in the training file too" in caplog.text

    def test_inverses_from_a_file_pair_the_samples_and_reach_the_scores(self, tmp_path, call):
        """Parents and children are inverses, which TACRED's names do not show."""
        names = {"Cause-Effect(e1,e2)": "per:parents", "Cause-Effect(e2,e1)": "per:children"}
        names |= {"Other": "no_relation"}
        for split, samples in data.demo_corpus().items():
            rows = (replace(row, relation=names.get(row.relation, "per:title")) for row in samples[::4])
            write_file(tmp_path, f"{split}.jsonl", json_lines(rows))
        inverse = write_file(tmp_path, "inverse.csv", "label,inverse\nper:parents,per:children\n")
        words = ("train", "--model", "svm", "--option", "markers", "true", "--output", tmp_path / "runs")
        files = ("--train", tmp_path / "train.jsonl", "--test", tmp_path / "test.jsonl", "--inverse", inverse)
        code, out, err = call(*words, *files, "--predictions", tmp_path / "p.csv")
        assert code == 0, err
        options = ("--negative", "no_relation", "--paired-column", "paired", "--inverse", inverse)
        scored = call("score", tmp_path / "p.csv", *options, "--format", "json")[1]
        direction = json.loads(scored)["direction"]
        assert direction["n"] > 0
        assert f"PPR {100 * direction['ppr']:.2f}" in out and f"PIR {100 * direction['pir']:.2f}" in out
        run = json.loads(next((tmp_path / "runs" / "own").rglob("*.json")).read_text())
        both = {"per:parents": "per:children", "per:children": "per:parents"}
        assert run["hyperparameters"]["inverse"] == both and run["negative"] == "no_relation"
        assert sorted(run["files"]) == [data.data_name(file) for file in (files[3], files[1])]
