"""The TACRED predictions: one table, or a copy of the tacrev repository, and the same frame from both."""

import gzip
import json
from pathlib import Path

import pandas as pd
import pytest

from helpers.core.errors import MalformedRecord
from helpers.data.systems import KEY_COLUMNS, read_tacred_predictions, tacred_predictions

MODEL = "results/test_results/cnn_bert_test.jsonl"
LIST = "results/test_results/spanbert_tacred_test.txt"
PATCH = "patch/test_patch.json"
LISTS = ("knowbert_wordnet_wiki_tacred", "spanbert_tacred", "tre_tacred")
TOY = pd.DataFrame(
    {
        "id": ["b", "a", "c"],
        "gold": ["no_relation", "per:age", "per:age"],
        "gold_tacrev": ["no_relation", "no_relation", "per:age"],
        "cnn": ["per:age", "per:age", "per:age"],
        "cnn_bert": ["no_relation", "per:title", "per:age"],
        "spanbert_tacred": ["per:age", "no_relation", "per:age"],
    }
)


def write_table(frame: pd.DataFrame, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(frame.to_csv(sep="\t", index=False).encode()))
    return path


def write_folder(frame: pd.DataFrame, root: Path, split: str) -> Path:
    """A copy of the repository's folders, in which all models but three are JSON lines."""
    results, patch = root / "results" / f"{split}_results", root / "patch" / f"{split}_patch.json"
    results.mkdir(parents=True)
    patch.parent.mkdir()
    cells = {name: frame[name].astype(str).tolist() for name in frame.columns}
    for model in frame.columns[3:]:
        if model in LISTS:
            (results / f"{model}_{split}.txt").write_text("".join(f"{label}\n" for label in cells[model]))
            continue
        rows = zip(cells["id"], cells["gold"], cells[model], strict=True)
        lines = [
            f'{{"id": "{one}", "label_true": "{true}", "label_pred": "{label}"}}\n'
            for one, true, label in rows
        ]
        (results / f"{model}_{split}.jsonl").write_text("".join(lines))
    changed = frame[frame["gold"].astype(str) != frame["gold_tacrev"].astype(str)]
    records = [
        {"id": one, "relation": label}
        for one, label in zip(changed["id"], changed["gold_tacrev"], strict=True)
    ]
    patch.write_text(json.dumps(records))
    return root


class TestToy:
    def test_table_and_folder_give_the_same_frame(self, tmp_path) -> None:
        table = read_tacred_predictions(write_table(TOY, tmp_path / "table.tsv.gz"))
        folder = read_tacred_predictions(write_folder(TOY, tmp_path / "tacrev", "dev"), split="dev")
        pd.testing.assert_frame_equal(table, folder)
        pd.testing.assert_frame_equal(table.astype(str), TOY, check_dtype=False)
        assert table["cnn"].cat.categories.tolist() == ["no_relation", "per:age", "per:title"]

    def test_models_in_another_order_are_aligned_by_id(self, tmp_path) -> None:
        root = write_folder(TOY, tmp_path, "test")
        path = root / "results" / "test_results" / "cnn_bert_test.jsonl"
        path.write_text("\n".join(reversed(path.read_text().splitlines())))
        assert read_tacred_predictions(root)["cnn_bert"].tolist() == TOY["cnn_bert"].tolist()

    @pytest.mark.parametrize(
        ("file", "old", "new", "message"),
        [
            (MODEL, '"id": "c"', '"id": "d"', "the gold label of '[cd]' is '.*', but '.*' in the other"),
            (MODEL, '"id": "c"', '"id": "a"', "line 3, column 'id': identifier 'a' of line 3 occurs twice"),
            (
                MODEL,
                '_true": "no_relation"',
                '_true": "x"',
                "the gold label of 'b' is 'x', but 'no_relation'",
            ),
            (LIST, "no_relation\n", "", "3 labels are expected, found 2"),
            (LIST, "no_relation\n", "\n", "line 2: a label is expected"),
            (PATCH, '"a"', '"z"', "the id 'z' does not occur in the models' files"),
            (PATCH, "relation", "label", "the field 'relation' is missing"),
        ],
    )
    def test_faults_in_the_folder(self, tmp_path, file, old, new, message) -> None:
        path = write_folder(TOY, tmp_path, "test") / file
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        with pytest.raises(MalformedRecord, match=message) as caught:
            read_tacred_predictions(tmp_path)
        assert caught.value.path == path

    def test_a_table_with_other_columns_and_an_unknown_split(self, tmp_path) -> None:
        path = write_table(TOY.drop(columns="gold_tacrev"), tmp_path / "table.tsv.gz")
        with pytest.raises(
            MalformedRecord, match="first columns must be id, gold, gold_tacrev; they are id, gold, cnn"
        ):
            read_tacred_predictions(path)
        with pytest.raises(ValueError, match="unknown split 'train'"):
            read_tacred_predictions(path, split="train")


class TestRealData:
    @pytest.mark.parametrize(("split", "rows", "models"), [("test", 15509, 52), ("dev", 22631, 49)])
    def test_table_and_folder_give_the_same_frame(self, data_dir, tmp_path, split, rows, models) -> None:
        table = tacred_predictions(split)
        assert table.shape == (rows, models + len(KEY_COLUMNS))
        write_folder(table, tmp_path, split)
        folder = read_tacred_predictions(tmp_path, split)
        assert (folder.dtypes == table.dtypes).all()
        assert [list(one.cat.categories) for _, one in folder.items() if one.name != "id"] == [
            sorted(set(table["gold"]))
        ] * (models + 2)
        assert folder.equals(table)
