"""Published predictions: on TACRED, as one table or a copy of their repository, and SemEval's answers."""

import json
from pathlib import Path

import pandas as pd
import pytest

from helpers.data import tacred_predictions
from helpers.data.systems import KEY_COLUMNS, _read_tacred_predictions
from tests.support import fault_of, write_file

MODEL = "results/test_results/cnn_bert_test.jsonl"
LIST = "results/test_results/spanbert_tacred_test.txt"
PATCH = "patch/test_patch.json"
LISTS = ("knowbert_wordnet_wiki_tacred", "spanbert_tacred", "tre_tacred")
TOY = pd.DataFrame({"id": ["b", "a", "c"], "gold": ["no_relation", "per:age", "per:age"]})
TOY["gold_tacrev"] = ["no_relation", "no_relation", "per:age"]
TOY["cnn"] = ["per:age", "per:age", "per:age"]
TOY["cnn_bert"] = ["no_relation", "per:title", "per:age"]
TOY["spanbert_tacred"] = ["per:age", "no_relation", "per:age"]


def write_folder(frame: pd.DataFrame, root: Path, split: str) -> Path:
    """A copy of the repository's folders, in which all models but three are JSON lines."""
    for folder in (f"results/{split}_results", "patch"):
        (root / folder).mkdir(parents=True)
    cells = {name: frame[name].astype(str).tolist() for name in frame.columns}
    for model in frame.columns[3:]:
        file, lines = f"results/{split}_results/{model}_{split}", cells[model]
        if model not in LISTS:
            rows = zip(cells["id"], cells["gold"], cells[model], strict=True)
            names = ("id", "label_true", "label_pred")
            lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
        write_file(root, f"{file}.{'txt' if model in LISTS else 'jsonl'}", "\n".join(lines) + "\n")
    rows = zip(cells["id"], cells["gold"], cells["gold_tacrev"], strict=True)
    changed = [{"id": name, "relation": revised} for name, gold, revised in rows if revised != gold]
    write_file(root, f"patch/{split}_patch.json", json.dumps(changed))
    return root


class TestToy:
    def test_table_and_folder_give_the_same_frame(self, tmp_path):
        text = TOY.to_csv(sep="\t", index=False)
        table = _read_tacred_predictions(write_file(tmp_path, "table.tsv.gz", text))
        folder = _read_tacred_predictions(write_folder(TOY, tmp_path / "tacrev", "dev"), split="dev")
        pd.testing.assert_frame_equal(table, folder)
        pd.testing.assert_frame_equal(table.astype(str), TOY, check_dtype=False)
        assert table["cnn"].cat.categories.tolist() == ["no_relation", "per:age", "per:title"]

    def test_models_in_another_order_are_aligned_by_id(self, tmp_path):
        path = write_folder(TOY, tmp_path, "test") / MODEL
        path.write_text("\n".join(reversed(path.read_text().splitlines())))
        assert _read_tacred_predictions(tmp_path)["cnn_bert"].tolist() == TOY["cnn_bert"].tolist()

    @pytest.mark.parametrize(
        ("file", "old", "new", "message"),
        [
            (MODEL, '"id": "c"', '"id": "d"', "the gold label of 'c' is 'absent', but 'per:age'"),
            (MODEL, '"id": "c"', '"id": "a"', "line 3, column 'id': identifier 'a' of line 3 occurs twice"),
            (MODEL, '_true": "no_relation"', '_true": "x"', "gold label of 'b' is 'x', but 'no_relation'"),
            (LIST, "no_relation\n", "", "3 labels are expected, found 2"),
            (LIST, "no_relation\n", "\n", "line 2: a label is expected"),
            (PATCH, '"a"', '"z"', "the id 'z' does not occur in the models' files"),
            (PATCH, "relation", "label", "the field 'relation' is missing"),
        ],
    )
    def test_faults_in_the_folder(self, tmp_path, file, old, new, message):
        path = write_folder(TOY, tmp_path, "test") / file
        assert old in path.read_text()
        path.write_text(path.read_text().replace(old, new))
        assert message in fault_of(lambda _: _read_tacred_predictions(tmp_path), path)

    def test_another_folder(self, tmp_path):
        with pytest.raises(FileNotFoundError, match="is no copy of DFKI-NLP/tacrev"):
            _read_tacred_predictions(tmp_path)


@pytest.mark.parametrize(("split", "rows", "models"), [("test", 15509, 52), ("dev", 22631, 49)])
def test_the_real_table_and_folder_give_the_same_frame(data_dir, tmp_path, split, rows, models):
    table = tacred_predictions(split)
    assert table.shape == (rows, models + len(KEY_COLUMNS))
    some = table.iloc[::10].reset_index(drop=True)
    folder = _read_tacred_predictions(write_folder(some, tmp_path, split), split)
    assert folder.astype(str).equals(some.astype(str))
    categories = [list(column.cat.categories) for name, column in table.items() if name != "id"]
    assert categories == [sorted(set(table["gold"]))] * (models + 2)
