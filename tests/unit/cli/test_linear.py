"""`python -m helpers linear` and `score-multilabel`: what they print and write, and what they refuse."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from helpers.data.demo import demo_documents
from helpers.data.documents import label_list, label_matrix
from helpers.data.matrices import read_matrix, write_matrix
from helpers.evaluation.multilabel import score_documents, score_multilabel
from helpers.models.linear.documents import DocumentClassifier
from tests.support import write_documents

TRUTH = "1,0,0,1\n0,1,0,0\n0,0,0,0\n1,1,0,0\n0,0,1,0\n"
SCORES = ".9,-.2,.1,.4\n-.5,.3,-.1,.2\n.1,-.3,-.2,-.9\n.6,-.1,-.4,.05\n-.7,-.6,-.2,-.8\n"
GOLDEN = {"P@1": 0.8, "P@2": 0.5, "R@1": 0.6, "R@2": 0.7, "RP@1": 0.8, "RP@2": 0.7, "NDCG@1": 0.8}
GOLDEN |= {"NDCG@2": 0.722629, "Macro-F1": 0.491667, "Micro-F1": 0.571429, "Macro*-F1": 0.555556}
OPTIONS = "-s 1 -B 1 -e 0.0001"


@pytest.fixture(autouse=True)
def matrices(folder) -> None:
    Path("truth.csv").write_text(TRUTH)
    Path("scores.csv").write_text(SCORES)


@pytest.fixture
def documents():
    """The demo documents, also as files train.txt and test.txt."""
    parts = demo_documents()
    for name, part in parts.items():
        write_documents(f"{name}.txt", part)
    return parts


class TestScoreMultilabel:
    """Golden values of LibMultiLabel."""

    @pytest.mark.parametrize("ending", ["csv", "npy", "npz"])
    def test_golden_matrix(self, ending, call) -> None:
        truth, scores = read_matrix("truth.csv"), read_matrix("scores.csv")
        for name, matrix in {"t": truth, "s": scores}.items():
            if ending == "npz":
                sparse.save_npz(f"{name}.npz", sparse.csr_array(matrix))
            else:
                write_matrix(f"{name}.{ending}", matrix)
        code, out, _ = call(
            *("score-multilabel", "--truth", f"t.{ending}", "--scores", f"s.{ending}"),
            *("--k", "1,2", "--format", "json"),
        )
        found = json.loads(out)
        assert code == 0
        assert {name: found[name] for name in GOLDEN} == pytest.approx(GOLDEN, abs=1e-6)
        assert found["schemes"]["micro"] == found["Micro-F1"]
        assert list(found["schemes"]) == ["micro", "weighted", "dodrans", "entropy", "macro"]

    def test_multiclass_threshold_and_intervals(self, call) -> None:
        words = ("score-multilabel", "--truth", "truth.csv", "--scores", "scores.csv", "--format", "json")
        best = json.loads(call(*words, "--k", "1", "--multiclass")[1])
        high = json.loads(call(*words, "--k", "1", "--threshold", "0.5", "--bootstrap", "50")[1])
        expected = score_multilabel(read_matrix("truth.csv"), read_matrix("scores.csv"), [1], multiclass=True)
        assert best["Micro-F1"] == expected.scores["Micro-F1"] != high["Micro-F1"]
        assert high["intervals"]["Micro-F1"]["low"] <= high["Micro-F1"]

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            (("--k", "5"), "5"),
            (("--k", "0"), "0 is not in the range 1<=x<=1000000"),
            (("--k", "1,x"), "'x' is not a valid integer range"),
            (("--truth", "no.csv"), "File 'no.csv' does not exist"),
            (("--labels", "all"), "'all' is not one of 'listed', 'observed', 'supported'"),
        ],
    )
    def test_bad_input(self, words, reason, call) -> None:
        usual = ("--truth", "truth.csv", "--scores", "scores.csv")
        code, out, error = call("score-multilabel", *usual, *words)
        assert (code, out) == (2, "")
        assert reason in error and len(error.splitlines()) == 1


class TestLinear:
    def test_report_is_that_of_the_classifier(self, documents, call) -> None:
        words = ("--train", "train.txt", "--test", "test.txt", "--options", OPTIONS, "--format", "json")
        code, out, _ = call("linear", *words)
        found = json.loads(out)
        model = DocumentClassifier("1vsrest", OPTIONS).fit(documents["train"])
        expected = score_documents(model, documents["test"])
        assert code == 0
        assert {name: found[name] for name in expected.report.scores} == expected.report.scores
        assert found["with_test_labels"]["labels"] == found["labels"] + len(expected.unseen)
        assert found["with_test_labels"]["Macro-F1"] < found["Macro-F1"]
        assert found["with_test_labels"]["P@1"] == found["P@1"]

    def test_scores_and_predictions_are_written(self, documents, call) -> None:
        words = ("--train", "train.txt", "--test", "test.txt", "--scores", "s.npy", "--predictions", "p.txt")
        code, text, _ = call("linear", *words, "--technique", "thresholding", "--seed", "1", "--k", "1")
        scores, labels = read_matrix("s.npy"), label_list(documents["train"])
        sparse.save_npz("t.npz", label_matrix(documents["test"], labels))
        words = ("--truth", "t.npz", "--scores", "s.npy", "--k", "1", "--format", "json")
        again = json.loads(call("score-multilabel", *words)[1])
        lines = Path("p.txt").read_text("utf-8").splitlines()
        assert code == 0
        assert f"{100 * again['Micro-F1']:.2f}" in text
        assert [len(line.split()) for line in lines] == (scores > 0).sum(axis=1).tolist()
        first = next(place for place, line in enumerate(lines) if line)
        best = int(scores[first].argmax())
        assert lines[first].split()[0] == f"{labels[best]}:{scores[first, best]:.4g}"

    def test_a_saved_model_predicts_the_same(self, documents, call) -> None:
        assert call("linear", "--train", "train.txt", "--model", "m.safetensors", "--seed", "3")[0] == 0
        for number in (1, 2):
            words = ("--model", "m.safetensors", "--test", "test.txt", "--scores", f"{number}.npy")
            assert call("linear", *words)[0] == 0
        call("linear", "--train", "train.txt", "--test", "test.txt", "--scores", "3.npy")
        assert np.array_equal(np.load("1.npy"), np.load("2.npy"))
        assert np.array_equal(np.load("1.npy"), np.load("3.npy"))

    @pytest.mark.parametrize(
        ("words", "reason"),
        [
            ((), "--train F"),
            (("--train", "train.txt"), "nothing to do"),
            (("--train", "no.txt", "--test", "test.txt"), "File 'no.txt' does not exist"),
            (("--train", "train.txt", "--test", "test.txt", "--technique", "tre"), "did you mean 'tree'"),
            (("--train", "train.txt", "--test", "test.txt", "--options", "-s 11"), "the solver of -s is 11"),
            (
                ("--train", "train.txt", "--test", "test.txt", "--technique", "tree", "--set", "bea", "9"),
                "unknown parameter of technique tree 'bea'; did you mean 'beam'",
            ),
            (("--train", "bad.txt", "--test", "test.txt"), "bad.txt, line 2"),
            (("--model", "train.txt", "--test", "test.txt"), "not a linear classifier"),
            (
                ("--model", "train.txt", "--test", "test.txt", "--options", "-s 1"),
                "--options is for training",
            ),
        ],
    )
    def test_bad_input(self, words, reason, documents, call) -> None:
        Path("bad.txt").write_text("1\ta\ttext\nno tabs here\n")
        code, out, error = call("linear", *words)
        assert (code, out) == (2, "")
        assert reason in error.splitlines()[-1]
