"""The table of data sets: its rows, and a data set that is added from outside and used everywhere."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.__main__ import main
from helpers.core.errors import MissingData
from helpers.data import (
    Dataset,
    RelationSample,
    catalogue,
    count_labels,
    dataset_statistics,
    datasets,
    find_dataset,
    parse_tagged,
    read_corpus,
    register_dataset,
    registered_files,
    unregister_dataset,
)
from helpers.experiments import Experiment, read_samples

TACRED_LABELS = ("per:age", "per:age", "no_relation")
LICENSED = "tacred"
"""Its text may not be passed on: who has it puts it into the data folder; no checksum is public."""
ROWS = {
    "train": [("The <e1>rain</e1> caused the <e2>flood</e2>.", "Cause-Effect(e1,e2)")] * 3
    + [("A <e1>lamp</e1> and a <e2>cat</e2>.", "none")],
    "test": [
        ("The <e1>fever</e1> came from the <e2>virus</e2>.", "Cause-Effect(e2,e1)"),
        ("The <e1>spark</e1> lit the <e2>fire</e2>.", "Cause-Effect(e1,e2)"),
        ("A <e1>hat</e1> or a <e2>cat</e2>.", "none"),
    ],
}


def read_lines(path: Path, strict: bool = True) -> list[RelationSample]:
    rows = [line.split("\t") for line in path.read_text().splitlines()]
    return [
        RelationSample(str(number), *parse_tagged(text), label) for number, (text, label) in enumerate(rows)
    ]


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Dataset:
    """A data set that nobody knew, of files that are in no registry."""
    monkeypatch.setattr(catalogue, "_table", datasets())
    files = {split: tmp_path / f"{split}.tsv" for split in ROWS}
    for split, path in files.items():
        path.write_text("".join(f"{text}\t{label}\n" for text, label in ROWS[split]))
    return register_dataset(
        Dataset("mine", "My corpus", files=files, reader=read_lines, directed=True, negative="none")
    )


class TestRows:
    def test_every_registered_file_and_reader_is_there(self) -> None:
        for one in datasets().values():
            assert all((path in registered_files()) != bool(one.address) for path in one.files.values())
            assert one.licence or one.name == "nyt10"
            functions = [one.reader, one.maker, one.counter]
            assert all(callable(function) for function in functions if function)

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"kind": "fact"}, "unknown kind of data set 'fact'; did you mean 'facts'"),
            ({"files": {"test": "a.txt"}}, "`files` and `reader` belong together"),
            ({"reader": read_lines}, "`files` and `reader` belong together"),
            ({"files": {"dev": "a.txt"}, "reader": read_lines}, "measured is 'test', its splits are dev"),
        ],
    )
    def test_a_wrong_row(self, wrong, message) -> None:
        with pytest.raises(ValueError, match=message):
            Dataset("wrong", **wrong)

    def test_tacred_is_read_where_somebody_has_it(self, tmp_path, monkeypatch) -> None:
        monkeypatch.setenv("RC_DATA_DIR", str(tmp_path))
        with pytest.raises(MissingData, match=r"tacred/json/train.json is missing: .* Looked for .*json"):
            read_corpus(LICENSED)
        with pytest.raises(MissingData, match=r"tacred/json/train.json is missing"):
            read_samples(LICENSED, text="parsed")
        for split, relation in zip(find_dataset(LICENSED).splits, TACRED_LABELS, strict=True):
            one = {
                "id": split,
                "relation": relation,
                "token": ["Ada", "is", "36"],
                "stanford_head": [3, 3, 0],
            }
            one |= {"subj_start": 0, "subj_end": 0, "obj_start": 2, "obj_end": 2}
            one |= {"subj_type": "PERSON", "obj_type": "NUMBER"}
            path = tmp_path / find_dataset(LICENSED).files[split]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps([one]))
        data = read_samples(LICENSED, text="parsed")
        assert data.labels == ("no_relation", "per:age") and not data.directed
        assert data.test[0].types == ("PERSON", "NUMBER") and data.test[0].heads == (3, 3, 0)
        assert [*data.files] == ["tacred/json/train.json", "tacred/json/test.json"]
        options = {"base": "gcn"}
        assert Experiment("recent", LICENSED, options=options).usual_text == "parsed"


class TestFromOutside:
    def test_it_is_read_and_counted(self, mine, capsys) -> None:
        assert {split: len(samples) for split, samples in read_corpus("mine").items()} == {
            "train": 4,
            "test": 3,
        }
        assert count_labels("mine")["train"]["Cause-Effect(e2,e1)"] == 0
        found = dataset_statistics("mine")
        assert (found.labels, found.samples, found.negative_share) == (3, 7, 2 / 7)
        assert (found.perplexity, found.perplexity_without_negative) == (pytest.approx(3), 2)
        assert main(["stats", "mine", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out).items() >= found.to_dict().items()

    def test_a_model_is_trained_on_it(self, mine, tmp_path) -> None:
        assert (
            main(["train", "--model", "majority", "--dataset", "mine", "--output", str(tmp_path / "runs")])
            == 0
        )
        (path,) = (tmp_path / "runs").rglob("*.json")
        run = json.loads(path.read_text())
        assert run["dataset"] == "mine" and run["negative"] == "none"

    def test_own_names_are_given_anew_and_taken_back(self, mine) -> None:
        register_dataset(replace(mine, title="Again"))
        assert find_dataset("mine").title == "Again"
        unregister_dataset("mine")
        assert "mine" not in datasets()
        with pytest.raises(ValueError, match="there is a data set 'kbp37' already"):
            register_dataset(replace(mine, name="kbp37"))
        with pytest.raises(ValueError, match="'kbp37' is no registered data set"):
            unregister_dataset("kbp37")
