"""The report of a multi-label classifier: of matrices, of files, of documents; and what the user is told."""

import json
from functools import partial
from itertools import count
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

from helpers.data import demo_documents, write_matrix
from helpers.evaluation import multilabel, score_documents, score_multilabel
from helpers.metrics import SCHEMES, MultilabelOutcome, averages
from helpers.models.linear import DocumentClassifier

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "multilabel.json").read_text())
TRUTH, SCORES = np.array(GOLDEN["truth"]), np.array(GOLDEN["scores"])


@pytest.fixture
def drawn(rng):
    return rng.random((60, 8)) < 0.3, rng.normal(size=(60, 8)) + 0.2


@pytest.fixture
def saved(tmp_path):
    """A function that saves truth and scores under an ending and gives the two paths."""

    def save(ending, truth=TRUTH, scores=SCORES):
        paths = [tmp_path / f"{name}{ending}" for name in ("truth", "scores")]
        for path, matrix in zip(paths, (truth, scores), strict=True):
            if ending == ".npz":
                sp.save_npz(path, sp.csr_array(matrix))
            else:
                write_matrix(path, matrix)
        return paths

    return save


def test_the_golden_matrix_with_exactly_the_keys_of_the_contract():
    report = score_multilabel(TRUTH, SCORES, ks=[1, 2, 3]).to_dict()
    ranking = [f"{name}@{k}" for name in ("P", "R", "RP", "NDCG") for k in (1, 2, 3)]
    named = ["Macro-F1", "Micro-F1", "Macro*-F1", "schemes", "signatures", "n", "labels"]
    assert list(report) == [*ranking, *named]
    assert {name: report[name] for name in GOLDEN["values"]} == pytest.approx(GOLDEN["values"], abs=5e-7)
    assert (report["n"], report["labels"], list(report["schemes"])) == (5, 4, list(SCHEMES))
    assert report["schemes"]["macro"] == report["Macro-F1"]
    assert report["schemes"]["micro"] == report["Micro-F1"]


@pytest.mark.parametrize("replicates", [0, 50])
def test_the_report_is_json_and_has_no_nan(replicates, drawn):
    nothing = np.zeros((6, 7))  # no gold label, none predicted: every measure is 0/0 somewhere
    for truth, scores in ((nothing, nothing), drawn):
        report = score_multilabel(truth, scores, replicates=replicates).to_dict()
        assert json.loads(json.dumps(report, allow_nan=False)) == report


def test_schemes_follow_the_policy_and_the_three_measures_do_not(drawn):
    truth, scores = drawn
    truth[:, 5:] = False
    listed, supported = (score_multilabel(truth, scores, labels=labels) for labels in ("listed", "supported"))
    assert supported.scores == listed.scores
    assert supported.schemes["macro"] > listed.schemes["macro"] == listed.scores["Macro-F1"]
    counts = MultilabelOutcome.from_scores(truth, scores).counts
    assert list(supported.schemes.values()) == averages(counts, labels="supported").tolist()
    few = score_multilabel(truth, scores, labels=[0, 2])
    assert few.schemes["macro"] == averages(counts, ["macro"], labels=[0, 2])[0]


def test_every_score_has_a_signature_of_its_own():
    report = score_multilabel(TRUTH, SCORES, ks=[1, 2], threshold=0.1, labels="observed")
    signatures = dict(report.signatures)
    schemes = signatures.pop("schemes")
    assert {*signatures} == {*report.scores} and {*schemes} == {*report.schemes}
    # micro pools all labels whatever the policy: it is Micro-F1
    assert len({*signatures.values(), *schemes.values()}) == len(signatures) + len(schemes) - 1
    tail = "zero_support:zero|decision:score>0.1|n:5|labels_n:4|v:0.1"
    assert signatures["P@2"] == "P@2|ties:index|without_labels:0|n:5|labels_n:4|v:0.1"
    assert signatures["Macro*-F1"] == f"f1_of_means|scheme:macro|labels:listed|{tail}"
    assert schemes["dodrans"] == f"f1|scheme:dodrans|labels:observed|{tail}"


def test_intervals_are_a_section_of_their_own_and_change_no_score(drawn):
    plain, report = (score_multilabel(*drawn, replicates=n).to_dict() for n in (0, 200))
    intervals = report.pop("intervals")
    assert {*intervals} == {*plain["signatures"]} and plain.keys() == report.keys()
    schemes, plain_schemes = report.pop("schemes"), plain.pop("schemes")
    assert schemes == plain_schemes
    ends = intervals.pop("schemes")
    assert ends["micro"] == intervals["Micro-F1"]
    for name, each in {**intervals, **ends}.items():
        value = schemes[name] if name in schemes else report[name]
        assert value == plain.get(name, value) and each["low"] <= value <= each["high"]


def test_shapes_are_named_with_both_files(saved):
    truth, scores = saved(".npy", scores=SCORES[:, :3])
    message = rf"{truth}, {scores}: scores has shape \(5, 3\), but truth has \(5, 4\)"
    with pytest.raises(ValueError, match=message):
        score_multilabel(truth, scores, ks=[1])


@pytest.mark.parametrize(
    ("ending", "truth", "scores", "options", "remark"),
    [
        (".npy", np.eye(4), np.full((4, 4), 0.25), {}, "all scores lie from 0 to 1"),
        (".npy", np.eye(4), np.where(np.eye(4), 0.5, -np.inf), {}, "all scores lie from 0 to 1"),
        (".npy", np.eye(4), -np.ones((4, 4)), {}, "no score is above 0, so no label is predicted"),
        (".npz", np.eye(4), -np.eye(4), {}, "no score is above 0, so no label is predicted"),
        (".npy", np.eye(4), np.eye(4), {"threshold": 2}, "no score is above 2"),
        (".npz", np.eye(4), np.eye(4) * 3 - 1, {}, "some scores are negative"),
        (".npy", TRUTH, SCORES, {}, "1 of 5 instances have no gold label"),
        (".npy", TRUTH, SCORES, {"multiclass": True}, "some have not exactly one gold label"),
    ],
)
def test_what_may_be_a_slip_is_logged(ending, truth, scores, options, remark, saved, caplog):
    paths = saved(ending, truth, scores)
    score_multilabel(*paths, ks=[1], **options)
    assert any(remark in text and text.startswith(str(paths[1])) for text in caplog.messages)


@pytest.mark.parametrize("ending", [".npy", ".npz"])
def test_of_what_is_no_slip_nothing_is_logged(ending, saved, caplog):
    score_multilabel(*saved(ending, np.eye(12, 11), 1.5 * np.eye(12, 11)), ks=[1])  # one of 12 has no label
    score_multilabel(*saved(ending, np.eye(4), np.eye(4)), multiclass=True)
    assert caplog.messages == []


@pytest.fixture(scope="module")
def parts():
    return demo_documents()


@pytest.fixture(scope="module")
def model(parts):
    return DocumentClassifier("1vsrest", "-s 1 -B 1 -e 0.0001").fit(parts["train"])


class TestDocuments:
    def test_the_report_is_that_of_the_matrices_whatever_the_blocks(self, parts, model, monkeypatch):
        truth, scores, blocks = parts["test"].label_matrix(model.labels), model.scores(parts["test"]), []
        expected = score_multilabel(truth, scores, replicates=50, seed=3)
        assert score_documents(model, parts["test"], replicates=50, seed=3).report == expected
        monkeypatch.setattr(multilabel, "BLOCK", 7 * len(model.labels))
        clock = SimpleNamespace(perf_counter=partial(next, count()))
        monkeypatch.setattr(multilabel, "time", clock)
        report, _, _, seconds = score_documents(model, parts["test"], taker=blocks.append)
        assert seconds == len(blocks) and {"P@1", "P@3", "P@5"} < {*report.scores}
        assert [len(block) for block in blocks[:-1]] == [7] * (len(blocks) - 1)
        assert np.array_equal(np.concatenate(blocks), scores)
        assert report.scores == pytest.approx(expected.scores, abs=1e-12)

    def test_labels_of_the_test_documents_only(self, parts, model):
        """Macro is multiplied by M / L, P@K stays, R@K falls: LibMultiLabel's document says it would not."""
        scored = score_documents(model, parts["test"])
        known, every = scored.report, scored.with_test_labels
        assert set(scored.unseen) == set(parts["test"].label_list()) - set(model.labels) != set()
        share = known.labels / every.labels
        assert every.scores["Macro-F1"] == pytest.approx(known.scores["Macro-F1"] * share)
        assert every.scores["P@1"] == known.scores["P@1"]
        assert every.scores["R@5"] < known.scores["R@5"]
