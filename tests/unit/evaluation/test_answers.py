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
from tests.support import write_rows

LABELS = ["no_relation", "per:title", "per:age", "org:founded_by"]
WRITTEN = {
    "per:title": ["**per:title**", "Per:Title.", '"per:title"', " per:title"],
    "per:age": ["per:age", "`per:age`", "PER:AGE", "'per:age'."],
    "org:founded_by": ["org:founded_by", "org:founded by", "**org:founded_by**.", "Org:Founded-By"],
    "no_relation": ["no_relation", "No relation.", "no-relation", "None"],
}
REFUSALS = ["I cannot determine the relation.", "per:title, per:age", "[]", "As a language model, I"]
OPTIONS = {"label_set": LABELS, "normalise": True, "mapping": {"none": "no_relation"}}
OPTIONS |= {"negative": "no_relation"}
UNKNOWN = "column 'predicted': unknown label of the label set"


@pytest.fixture
def llm(tmp_path) -> tuple[Path, list[str], list[str], list[str]]:
    """An LLM's JSON lines with raw answers; the gold labels, the answers, and what these mean."""
    rng = np.random.default_rng(7)
    gold = rng.choice(LABELS, 2000, p=[0.5, 0.3, 0.15, 0.05]).tolist()
    meant = [label if rng.random() < 0.85 else str(rng.choice(LABELS)) for label in gold]
    meant = [SKIPPED if rng.random() < 0.05 else label for label in meant]
    answers = [str(rng.choice(WRITTEN.get(label, REFUSALS))) for label in meant]
    rows = [{"gold": label, "prediction": said} for label, said in zip(gold, answers, strict=True)]
    (tmp_path / "llm.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path / "llm.jsonl", gold, answers, meant


def test_micro_is_wrong_without_the_options_and_right_with_them(llm, caplog):
    path, gold, answers, meant = llm
    right = evaluate(gold, meant, negative="no_relation").schemes
    plain = score_file(path, negative="no_relation")
    off = 2000 - sum(row["predicted"] for label, row in plain.per_class.items() if label in LABELS)
    assert off > 1000 and right["micro"]["f1"] - plain.schemes["micro"]["f1"] > 0.3
    assert f"in {off} of 2000 predictions" in caplog.text
    report = score_file(path, off_list="skip", **OPTIONS)
    for scheme, row in right.items():
        assert report.schemes[scheme]["f1"] == pytest.approx(row["f1"], abs=1e-12)
    skipped = meant.count(SKIPPED)
    assert report.extra["off_list"] == {"cells": skipped, "share": skipped / 2000, "counted_as": SKIPPED}
    often = report.extra["off_list_most_frequent"]
    assert set(often) == set(REFUSALS) and sum(row["cells"] for row in often.values()) == skipped
    assert report.per_class[SKIPPED]["predicted"] == skipped
    assert report.signature.endswith(f"|off_list:skip,{skipped}|map:1|normalised:12")
    assert f"{skipped} of 2000 answers" in caplog.text and "misses, no false alarms" in caplog.text
    nothing = {"counted_as": "no_relation", "cells": answers.count("None")}
    assert report.extra["mapped"] == {"None": nothing} and "'None' is counted as 'no_relation'" in caplog.text
    frame, options = pd.DataFrame({"gold": gold, "predicted": answers}), OPTIONS | {"negative": "No Relation"}
    assert score_frame(frame, off_list="skip", **options).to_dict() == report.to_dict()
    line, others = meant.index(SKIPPED) + 1, skipped - 1
    with pytest.raises(ValueError, match=f"llm.jsonl, line {line}, column 'prediction'") as caught:
        score_file(path, **OPTIONS)
    assert f"; {others} more such answers; --off-list skip" in str(caught.value)


def test_compare_and_score_agree(llm, tmp_path):
    path, gold, _, meant = llm
    pd.DataFrame({"gold": gold, "predicted": meant[::-1]}).to_csv(tmp_path / "other.csv", index=False)
    files = [path, tmp_path / "other.csv"]
    for rule in ("skip", "count"):
        options = OPTIONS | {"off_list": rule, "labels": "listed"}
        rows = compare_files([*files, path], replicates=20, **options).to_frame()[:5]
        alone = [score_file(each, **options) for each in files]
        for name, report in zip(("score_first", "score_second"), alone, strict=True):
            scores = [report.schemes[scheme]["f1"] for scheme in rows["scheme"]]
            assert rows[name].tolist() == pytest.approx(scores, abs=1e-12)
        cells = [report.extra["off_list"]["cells"] for report in alone]
        assert f"|off_list:{rule},{cells[0]}+{cells[1]}|map:1+0|normalised:" in rows["signature"][0]


def test_the_label_set_of_gold_labels_and_of_a_task(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("gold,predicted\na,a\nNA,b\nNA,NA\n")
    report = score_file(path, label_set="gold", off_list="skip", negative="NA")
    assert report.labels == (SKIPPED, "NA", "a") and report.schemes["micro"]["precision"] == 1
    with pytest.raises(ValueError, match=f"a.csv, line 3, {UNKNOWN}"):
        score_file(path, label_set="gold")
    path.write_text('gold,predicted\nOther,I cannot tell\n"Cause-Effect(e1,e2)","cause-effect(e1, e2)."\n')
    report = score_file(path, task="semeval2010", off_list="skip", normalise=True)
    assert report.extra["official"]["grouped"]["macro"] == 1 and report.extra["off_list"]["cells"] == 1
    with pytest.raises(ValueError, match="semeval2010"):
        score_file(path, task="semeval2010", label_set=["Other"])


@pytest.mark.parametrize("name", ["a.jsonl", "a.json", "a.csv", "a.parquet"])
def test_empty_answers(tmp_path, name, caplog):
    rows = [("a", "a"), ("a", None if name == "a.jsonl" else ""), ("b", " ")]
    path, frame = tmp_path / name, pd.DataFrame(rows, columns=["gold", "predicted"])
    if name == "a.json":
        frame.to_json(path, orient="records")
    else:
        write_rows(path, rows, ("gold", "predicted"))
    with pytest.raises(ValueError, match="empty"):
        score_file(path)
    report = score_file(path, empty="skip")
    assert report.per_class[SKIPPED]["predicted"] == 2 and report.signature.endswith("|empty:skip")
    assert report.schemes["micro"]["precision"] == 1 and "2 of 3 answers are empty" in caplog.text
    if name != "a.jsonl":
        assert score_frame(frame, empty="skip").to_dict() == report.to_dict()


def test_an_empty_gold_label_and_a_missing_field_stay_errors(tmp_path):
    path = tmp_path / "a.jsonl"
    for row, reason in (('{"gold": ""', "'gold': the field is empty"), ('{"gold": "a"', "'predicted': the ")):
        path.write_text('{"gold": "a", "predicted": "a"}\n' + row + "}")
        with pytest.raises(ValueError, match=f"line 2, column {reason}"):
            score_file(path, empty="skip")


FRAME = pd.DataFrame({"gold": ["a", "b", "b"], "predicted": ["a", "x", "y"]})


def test_the_ten_most_frequent_answers_are_listed_and_all_labels_of_the_set():
    frame = pd.DataFrame({"gold": "a", "predicted": [*"bcdefghijklm", "m"]})
    report = score_frame(frame, label_set=["a", "z"], off_list="count")
    assert "".join(report.extra["off_list_most_frequent"]) == "mbcdefghij" and "z" in report.labels


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
        ({"label_set": ["a", "b"]}, f"the frame, {UNKNOWN}"),
        ({"label_set": ["a", "b"]}, "; 1 more such answer; --off-list skip counts them as misses"),
        ({"label_set": ["a", "b", "X"]}, "--normalise counts it as 'X'"),
        ({"labels": [1]}, "labels[0] is 1, which is not in labels"),
        ({"label_set": "gold", "mapping": {"x": "B"}}, "mapping of 'x': unknown label of the label set 'B'"),
        ({"mapping": {"x": "a", "X.": "b"}, "normalise": True}, "alike have two labels, 'a' and 'b'"),
        ({"empty": "drop"}, "unknown rule of empty answers 'drop'"),
    ],
)
def test_choices_that_do_not_fit(options, message):
    with pytest.raises(ValueError) as caught:
        score_frame(FRAME, **options)
    assert message in str(caught.value)


def test_counted_beside_the_official_scores_of_a_task():
    """A counted answer is a false alarm of micro, and in the task's own scores a miss only."""
    gold = ["Cause-Effect(e1,e2)", "Cause-Effect(e1,e2)", "Message-Topic(e2,e1)", "Other"]
    frame = pd.DataFrame({"gold": gold, "predicted": [gold[0], "it depends", gold[2], "I refuse"]})
    counted, skipped = (score_frame(frame, task="semeval2010", off_list=rule) for rule in ("count", "skip"))
    assert counted.extra["off_list"] == {"cells": 2, "share": 0.5, "counted_as": OFF_LIST}
    assert (counted.schemes["micro"]["precision"], skipped.schemes["micro"]["precision"]) == (0.5, 1)
    for way in ("directed", "undirected", "grouped"):
        scores, others = (report.extra["official"][way] for report in (counted, skipped))
        assert (scores["micro"], scores["macro"]) == (others["micro"], others["macro"])
        assert (scores["accuracy"], others["accuracy"]) == (2 / 4, 2 / 2)  # skipped: of what is answered


@pytest.mark.parametrize(
    ("option", "name", "text", "message"),
    [
        ("--label-set", "l.txt", "", ", line 1: the file is empty"),
        ("--label-set", "l.txt", "a\nb\na\n", ", line 3: label 'a' occurred before, at line 1"),
        ("--map", "m.json", '{"x": ', ", line 1: no valid JSON at column 7: Expecting value"),
        ("--map", "m.json", '{"x": " "}', ": the label of 'x' is empty"),
        ("--map", "m.json", "{}", ": there are no answers"),
        ("--map", "m.csv", "answer,label\nx,a\nx,b\n", ", line 3: answer 'x' has two labels"),
        ("--map", "m.tsv", "answer\tto\nx\ta\n", ": column 'label' does not exist"),
        ("--map", "m.json", '{"x": "a", "X.": "b"}', ": mapping of 'X.': answers that are spelt alike"),
        ("--map", "m.json", '{"x": "c"}', ": mapping of 'x': unknown label of the label set 'c'"),
    ],
)
def test_files_that_are_malformed_are_named(call, tmp_path, option, name, text, message):
    (tmp_path / name).write_text(text)
    FRAME.to_csv(tmp_path / "a.csv", index=False)
    more = ["--label-set", "gold", "--normalise"] if option == "--map" else []
    code, _, err = call("score", tmp_path / "a.csv", option, tmp_path / name, *more)
    assert code == 2 and f"{name}{message}" in err


def test_chatgpt_on_semeval():
    """Zero-shot answers of ChatGPT (Li et al. 2023), two with a blank in front; values of the fact sheet."""
    path = Path(os.environ.get("RC_DATA_DIR", "data"), "semeval2010/predictions_llm/ChatGPT_Li2023.json")
    if not path.exists():
        pytest.skip("needs the predictions of Li et al. 2023")
    options = {"gold_column": "groundTruth", "predicted_column": "closePred", "negative": "Other"}
    report = score_file(path, normalise=True, label_set="gold", **options)
    expected = {"micro": 42.51, "weighted": 39.37, "dodrans": 39.22, "entropy": 39.10, "macro": 38.86}
    assert {name: round(100 * row["f1"], 2) for name, row in report.schemes.items()} == expected
    assert round(100 * report.accuracy, 2) == 39.05 and report.per_class["Other"]["predicted"] == 16
    assert report.signature.endswith("|off_list:error,0|normalised:2")
    raw = score_file(path, **options)
    assert round(100 * raw.accuracy, 2) == 39.01 and round(100 * raw.schemes["micro"]["f1"], 2) == 42.47
