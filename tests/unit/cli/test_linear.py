"""`python -m helpers linear` and `score-multilabel`: what they print and write, and what they refuse."""

import json
import shlex
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from helpers.data import demo_documents, read_matrix
from helpers.evaluation import score_documents, score_multilabel
from helpers.models.linear import DocumentClassifier
from tests.support import write_documents

OPTIONS = "-s 1 -B 1 -e 0.0001"


@pytest.fixture(autouse=True)
def documents(folder):
    """The demo documents, also as files train.txt and test.txt, one that is bad, and two matrices."""
    parts = demo_documents()
    for name, part in parts.items():
        write_documents(f"{name}.txt", part)
    Path("bad.txt").write_text("1\ta\ttext\nno tabs here\n")
    Path("truth.csv").write_text("1,0,0,1\n0,1,0,0\n0,0,0,0\n1,1,0,0\n0,0,1,0\n")
    Path("scores.csv").write_text(
        ".9,-.2,.1,.4\n-.5,.3,-.1,.2\n.1,-.3,-.2,-.9\n.6,-.1,-.4,.05\n-.7,-.6,.2,-.8\n"
    )
    return parts


def test_the_options_of_score_multilabel(call) -> None:
    words = ("score-multilabel", "--truth", "truth.csv", "--scores", "scores.csv", "--format", "json")
    truth, scores = read_matrix("truth.csv"), read_matrix("scores.csv")
    plain, best = (json.loads(call(*words, "--k", "1", *more)[1]) for more in ((), ("--multiclass",)))
    high = json.loads(call(*words, "--k", "1,2", "--threshold", "0.5", "--bootstrap", "50")[1])
    assert plain == {"schema_version": 1} | score_multilabel(truth, scores, [1]).to_dict()
    assert best["Micro-F1"] == score_multilabel(truth, scores, [1], multiclass=True).scores["Micro-F1"]
    assert len({report["Micro-F1"] for report in (plain, best, high)}) == 3
    assert high["intervals"]["P@2"]["low"] <= high["P@2"] and "P@2" not in plain


def test_the_report_of_linear_is_that_of_the_classifier(documents, call) -> None:
    words = ("--train", "train.txt", "--test", "test.txt", "--options", OPTIONS, "--format", "json")
    report = json.loads(call("linear", *words)[1])
    model = DocumentClassifier("1vsrest", OPTIONS).fit(documents["train"])
    expected = score_documents(model, documents["test"])
    assert {name: report[name] for name in expected.report.scores} == expected.report.scores
    every = report["with_test_labels"]
    assert every["labels"] == report["labels"] + len(expected.unseen)
    assert every["Macro-F1"] < report["Macro-F1"] and every["P@1"] == report["P@1"]


def test_scores_and_predictions_are_written(documents, call) -> None:
    words = ("--train", "train.txt", "--test", "test.txt", "--scores", "s.npy", "--predictions", "p.txt")
    code, text, _ = call("linear", *words, "--technique", "thresholding", "--seed", "1", "--k", "1")
    scores, labels = read_matrix("s.npy"), documents["train"].label_list()
    sparse.save_npz("t.npz", documents["test"].label_matrix(labels))
    words = ("--truth", "t.npz", "--scores", "s.npy", "--k", "1", "--format", "json")
    again = json.loads(call("score-multilabel", *words)[1])
    lines = Path("p.txt").read_text("utf-8").splitlines()
    assert code == 0 and f"{100 * again['Micro-F1']:.2f}" in text
    assert [len(line.split()) for line in lines] == (scores > 0).sum(axis=1).tolist()
    first = next(row for row, line in enumerate(lines) if line)
    best = int(scores[first].argmax())
    assert lines[first].split()[0] == f"{labels[best]}:{scores[first, best]:.4g}"


def test_a_saved_model_predicts_the_same(call) -> None:
    for words in (
        "--train train.txt --model m.safetensors --seed 3",
        "--model m.safetensors --test test.txt --scores 1.npy",
        "--train train.txt --test test.txt --scores 2.npy",
    ):
        assert call("linear", *words.split())[0] == 0
    assert np.array_equal(np.load("1.npy"), np.load("2.npy"))


BOTH = "linear --train train.txt --test test.txt"
MATRICES = "score-multilabel --truth truth.csv --scores scores.csv"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("linear", "--train F"),
        ("linear --train train.txt", "needs two of"),
        (f"{BOTH} --technique tre", "did you mean 'tree'"),
        (f"{BOTH} --options '-s 11'", "the solver of -s is 11"),
        (f"{BOTH} --technique tree --set bea 9", "parameter of technique tree 'bea'; did you mean 'beam'"),
        ("linear --train bad.txt --test test.txt", "bad.txt, line 2"),
        ("linear --model train.txt --test test.txt", "not a linear classifier"),
        ("linear --model train.txt --test test.txt --options x", "--options is for training"),
        (f"{MATRICES} --k 5", "5"),
        (f"{MATRICES} --k 1,x", "'x' is not a valid integer range"),
    ],
)
def test_bad_input(words, reason, call) -> None:
    code, out, error = call(*shlex.split(words))
    assert (code, out) == (2, "") and reason in error.splitlines()[-1]
