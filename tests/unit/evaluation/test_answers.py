"""Answers of language models: what is off the label set, what becomes of it, and what is refused."""

import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from helpers.core import OFF_LIST, SKIPPED
from helpers.evaluation import compare_files, score_file, score_frame
from helpers.metrics import evaluate

LABELS = ["no_relation", "per:title", "per:age", "org:founded_by"]
WRITTEN = {
    "per:title": ["**per:title**", "Per:Title.", '"per:title"', " per:title"],
    "per:age": ["per:age", "`per:age`", "PER:AGE", "'per:age'."],
    "org:founded_by": ["org:founded_by", "org:founded by", "**org:founded_by**.", "Org:Founded-By"],
    "no_relation": ["no_relation", "No relation.", "no-relation", "None"],
}
REFUSALS = ["I cannot determine the relation.", "per:title, per:age", "[]", "As a language model, I"]
MAPPED = {"none": "no_relation"}
OPTIONS = {"label_set": LABELS, "normalise": True, "mapping": MAPPED, "negative": "no_relation"}


@pytest.fixture
def llm(tmp_path) -> tuple[Path, list[str], list[str]]:
    """An LLM's JSON lines with raw answers, the gold labels, and what the answers mean."""
    rng = np.random.default_rng(7)
    gold = rng.choice(LABELS, 2000, p=[0.5, 0.3, 0.15, 0.05]).tolist()
    meant = [label if rng.random() < 0.85 else str(rng.choice(LABELS)) for label in gold]
    meant = [SKIPPED if rng.random() < 0.05 else label for label in meant]
    answers = [str(rng.choice(WRITTEN.get(label, REFUSALS))) for label in meant]
    path = tmp_path / "llm.jsonl"
    rows = zip(gold, answers, strict=True)
    path.write_text("".join(json.dumps({"gold": one, "prediction": two}) + "\n" for one, two in rows))
    return path, gold, meant


class TestLanguageModel:
    def test_micro_is_wrong_without_the_options_and_right_with_them(self, llm, caplog):
        path, gold, meant = llm
        right = evaluate(gold, meant, negative="no_relation").schemes
        plain = score_file(path, negative="no_relation")
        off = 2000 - sum(row["predicted"] for label, row in plain.per_class.items() if label in LABELS)
        assert off > 1000 and right["micro"]["f1"] - plain.schemes["micro"]["f1"] > 0.3
        assert f"in {off} of 2000 predictions" in caplog.text
        found = score_file(path, off_list="skip", **OPTIONS)
        for scheme, row in right.items():
            assert found.schemes[scheme]["f1"] == pytest.approx(row["f1"], abs=1e-12)
        skipped = meant.count(SKIPPED)
        assert found.extra["off_list"] == {"cells": skipped, "share": skipped / 2000, "counted_as": SKIPPED}
        often = found.extra["off_list_most_frequent"]
        assert set(often) == set(REFUSALS) and sum(row["cells"] for row in often.values()) == skipped
        assert found.per_class[SKIPPED]["predicted"] == skipped
        assert found.signature.endswith(f"|off_list:skip,{skipped}|map:1|normalised:12")
        assert f"{skipped} of 2000 answers" in caplog.text and "misses, no false alarms" in caplog.text

    def test_an_answer_off_the_list_is_an_error_with_its_line(self, llm):
        path, _, meant = llm
        line, others = meant.index(SKIPPED) + 1, meant.count(SKIPPED) - 1
        with pytest.raises(ValueError, match=f"llm.jsonl, line {line}, column 'prediction'") as caught:
            score_file(path, **OPTIONS)
        assert f"; {others} more such answers; --off-list skip" in str(caught.value)

    def test_a_frame_counts_as_its_file(self, llm):
        path, gold, _ = llm
        answers = [json.loads(line)["prediction"] for line in path.read_text().splitlines()]
        frame = pd.DataFrame({"gold": gold, "predicted": answers})
        found = score_frame(frame, off_list="skip", **OPTIONS)
        assert found.to_dict() == score_file(path, off_list="skip", **OPTIONS).to_dict()
        with pytest.raises(ValueError, match="the frame, column 'predicted': unknown label of the label set"):
            score_frame(frame, **OPTIONS)

    def test_compare_and_score_agree(self, llm, tmp_path):
        path, gold, meant = llm
        other = tmp_path / "other.csv"
        pd.DataFrame({"gold": gold, "predicted": meant[::-1]}).to_csv(other, index=False)
        for rule in ("skip", "count"):
            options = OPTIONS | {"off_list": rule, "labels": "listed"}
            rows = compare_files([path, other], replicates=20, **options)
            alone = [score_file(one, **options) for one in (path, other)]
            for row in rows.to_dict("records"):
                for name, report in zip(("score_first", "score_second"), alone, strict=True):
                    assert row[name] == pytest.approx(report.schemes[row["scheme"]]["f1"], abs=1e-12)
            cells = [report.extra["off_list"]["cells"] for report in alone]
            assert f"|off_list:{rule},{cells[0]}+{cells[1]}|map:1+0|normalised:" in rows["signature"][0]


class TestLabelSets:
    def test_gold_labels(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text("gold,predicted\na,a\nNA,b\nNA,NA\n")
        found = score_file(path, label_set="gold", off_list="skip", negative="NA")
        assert found.labels == (SKIPPED, "NA", "a") and found.schemes["micro"]["precision"] == 1
        with pytest.raises(ValueError, match="a.csv, line 3, column 'predicted': unknown label of the label"):
            score_file(path, label_set="gold")

    def test_a_task_skips_what_is_none_of_its_labels(self, tmp_path):
        path = tmp_path / "a.csv"
        path.write_text(
            'gold,predicted\nOther,I cannot tell\n"Cause-Effect(e1,e2)","cause-effect(e1, e2)."\n'
        )
        found = score_file(path, task="semeval2010", off_list="skip", normalise=True)
        assert found.extra["official"]["grouped"]["macro"] == 1 and found.extra["off_list"]["cells"] == 1
        with pytest.raises(ValueError, match="semeval2010"):
            score_file(path, task="semeval2010", label_set=["Other"])

    @pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.parquet"])
    def test_empty_answers(self, tmp_path, name, caplog):
        rows = [
            {"gold": "a", "predicted": "a"},
            {"gold": "a", "predicted": ""},
            {"gold": "b", "predicted": " "},
        ]
        path = tmp_path / name
        match name.rpartition(".")[2]:
            case "jsonl":
                rows[1]["predicted"] = None
                path.write_text("".join(json.dumps(row) + "\n" for row in rows))
            case "json":
                path.write_text(json.dumps(rows))
            case "csv":
                pd.DataFrame(rows).to_csv(path, index=False)
            case "parquet":
                pd.DataFrame(rows).to_parquet(path)
        with pytest.raises(ValueError, match="empty"):
            score_file(path)
        found = score_file(path, empty="skip")
        assert found.per_class[SKIPPED]["predicted"] == 2 and found.signature.endswith("|empty:skip")
        assert found.schemes["micro"]["precision"] == 1 and "2 of 3 answers are empty" in caplog.text
        if name != "a.jsonl":
            assert score_frame(pd.DataFrame(rows), empty="skip").to_dict() == found.to_dict()

    def test_an_empty_gold_label_and_a_missing_field_stay_errors(self, tmp_path):
        path = tmp_path / "a.jsonl"
        path.write_text('{"gold": "a", "predicted": "a"}\n{"gold": "", "predicted": "a"}\n')
        with pytest.raises(ValueError, match="line 2, column 'gold': the field is empty"):
            score_file(path, empty="skip")
        path.write_text('{"gold": "a", "predicted": "a"}\n{"gold": "a"}\n')
        with pytest.raises(ValueError, match="line 2, column 'predicted': the field is missing"):
            score_file(path, empty="skip")


class TestBadInput:
    FRAME = pd.DataFrame({"gold": ["a", "b"], "predicted": ["a", "x"]})

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"off_list": "skp", "label_set": "gold"}, "unknown rule of answers off the list 'skp'"),
            ({"off_list": "skip"}, "off_list is of use with a label set"),
            ({"label_set": []}, "label_set: labels is empty"),
            ({"label_set": ["a", "b", "a"]}, "label_set: labels holds 'a' twice"),
            ({"label_set": "silver"}, "label_set is 'silver': a list of labels, or 'gold', is needed"),
            ({"label_set": ["a", "b", SKIPPED]}, "it cannot be one"),
            ({"label_set": ["a"]}, "column 'gold': unknown label of the label set 'b'"),
            (
                {"label_set": "gold", "mapping": {"x": "B"}},
                "mapping of 'x': unknown label of the label set 'B'",
            ),
            (
                {"mapping": {"x": "a", "X.": "b"}, "normalise": True},
                "spelt alike have two labels, 'a' and 'b'",
            ),
            ({"empty": "drop"}, "unknown rule of empty answers 'drop'"),
        ],
    )
    def test_choices_that_do_not_fit(self, options, message):
        with pytest.raises(ValueError) as caught:
            score_frame(self.FRAME, **options)
        assert message in str(caught.value)

    def test_counted_beside_the_official_scores_of_a_task(self):
        """A counted answer is a false alarm of micro, and in the task's own scores a miss only."""
        gold = ["Cause-Effect(e1,e2)", "Cause-Effect(e1,e2)", "Message-Topic(e2,e1)", "Other"]
        frame = pd.DataFrame({"gold": gold, "predicted": [gold[0], "it depends", gold[2], "I refuse"]})
        counted, skipped = (
            score_frame(frame, task="semeval2010", off_list=rule) for rule in ("count", "skip")
        )
        assert counted.extra["off_list"] == {"cells": 2, "share": 0.5, "counted_as": OFF_LIST}
        assert (counted.schemes["micro"]["precision"], skipped.schemes["micro"]["precision"]) == (0.5, 1)
        for way in ("directed", "undirected", "grouped"):
            scores, others = (report.extra["official"][way] for report in (counted, skipped))
            assert [scores[name] for name in ("micro", "macro")] == [
                others[name] for name in ("micro", "macro")
            ]
            assert (scores["accuracy"], others["accuracy"]) == (2 / 4, 2 / 2)  # skipped: of what is answered

    @pytest.mark.parametrize(
        ("option", "name", "text", "message"),
        [
            ("--label-set", "l.txt", "", "l.txt, line 1: the file is empty"),
            ("--label-set", "l.txt", "a\nb\na\n", "l.txt, line 3: label 'a' occurred before, at line 1"),
            ("--label-set", "l.txt", "a\n\nb\n", "l.txt, line 2: a label is expected"),
            ("--map", "m.json", '{"x": ', "m.json, line 1: no valid JSON at column 7: Expecting value"),
            ("--map", "m.json", '["x"]', "m.json: has to hold one JSON object that maps labels to labels"),
            ("--map", "m.json", '{"x": " "}', "m.json: the label of 'x' is empty"),
            ("--map", "m.json", "{}", "m.json: there are no answers"),
            ("--map", "m.csv", "answer,label\nx,a\nx,b\n", "m.csv, line 3: answer 'x' has two labels"),
            ("--map", "m.csv", "answer,label\nx\n", "m.csv, line 2: 2 cells are expected"),
            ("--map", "m.tsv", "answer\tto\nx\ta\n", "m.tsv: column 'label' does not exist"),
        ],
    )
    def test_files_that_are_malformed(self, call, tmp_path, option, name, text, message):
        (tmp_path / name).write_text(text)
        self.FRAME.to_csv(tmp_path / "a.csv", index=False)
        code, _, err = call("score", tmp_path / "a.csv", option, tmp_path / name)
        assert code == 2 and message in err


CHATGPT = Path(os.environ.get("RC_DATA_DIR", "data"), "semeval2010", "predictions_llm", "ChatGPT_Li2023.json")


@pytest.mark.skipif(not CHATGPT.exists(), reason="needs the predictions of Li et al. 2023")
def test_chatgpt_on_semeval():
    """Zero-shot answers of ChatGPT (Li et al. 2023), two with a blank in front; values of the fact sheet."""
    options = {"gold_column": "groundTruth", "predicted_column": "closePred", "negative": "Other"}
    found = score_file(CHATGPT, normalise=True, label_set="gold", **options)
    expected = {"micro": 42.51, "weighted": 39.37, "dodrans": 39.22, "entropy": 39.10, "macro": 38.86}
    assert {name: round(100 * row["f1"], 2) for name, row in found.schemes.items()} == expected
    assert round(100 * found.accuracy, 2) == 39.05 and found.per_class["Other"]["predicted"] == 16
    assert found.signature.endswith("|off_list:error,0|normalised:2")
    raw = score_file(CHATGPT, **options)
    assert round(100 * raw.accuracy, 2) == 39.01 and round(100 * raw.schemes["micro"]["f1"], 2) == 42.47
