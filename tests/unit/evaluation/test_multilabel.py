"""The report of a multi-label classifier: its keys, its values, files, and what the user is told."""

import json
import logging
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from helpers.evaluation.multilabel import report_of, score_multilabel, score_multilabel_files
from helpers.metrics import MultilabelOutcome
from helpers.metrics.averaging import averages
from helpers.metrics.weighting import SCHEMES

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "multilabel.json").read_text())
TRUTH, SCORES = np.array(GOLDEN["truth"]), np.array(GOLDEN["scores"])
NAMED = ("Macro-F1", "Micro-F1", "Macro*-F1")


def numbers(value):
    """All numbers in a nested report."""
    if isinstance(value, dict):
        return [number for item in value.values() for number in numbers(item)]
    return [] if isinstance(value, str) else [value]


@pytest.fixture
def saved(tmp_path):
    """A function that saves truth and scores under an ending and gives the two paths."""

    def save(ending, truth=TRUTH, scores=SCORES):
        paths = [tmp_path / f"{name}{ending}" for name in ("truth", "scores")]
        for path, matrix in zip(paths, (truth, scores), strict=True):
            if ending == ".csv":
                np.savetxt(path, matrix, delimiter=",", fmt="%.17g")
            elif ending == ".npy":
                np.save(path, matrix)
            else:
                sp.save_npz(path, sp.csr_array(matrix))
        return paths

    return save


def test_the_golden_matrix_with_exactly_the_keys_of_the_contract():
    found = score_multilabel(TRUTH, SCORES, ks=[1, 2, 3]).to_dict()
    ranking = [f"{name}@{k}" for name in ("P", "R", "RP", "NDCG") for k in (1, 2, 3)]
    assert list(found) == [*ranking, *NAMED, "schemes", "signatures", "n", "labels"]
    for name, value in GOLDEN["values"].items():
        assert found[name] == pytest.approx(value, abs=5e-7)
    assert (found["n"], found["labels"], list(found["schemes"])) == (5, 4, list(SCHEMES))
    assert found["schemes"]["macro"] == found["Macro-F1"]
    assert found["schemes"]["micro"] == found["Micro-F1"]


@pytest.mark.parametrize("replicates", [0, 50])
def test_the_report_is_json_and_has_no_nan(replicates, rng):
    nothing = np.zeros((6, 7))  # no gold label, none predicted: every measure is 0/0 somewhere
    for truth, scores in ((nothing, nothing), (rng.random((20, 7)) < 0.2, rng.normal(size=(20, 7)))):
        found = score_multilabel(truth, scores, replicates=replicates).to_dict()
        assert json.loads(json.dumps(found, allow_nan=False)) == found
        assert all(math.isfinite(number) for number in numbers(found))


def test_schemes_follow_the_policy_and_the_three_measures_do_not(rng):
    truth, scores = rng.random((40, 9)) < 0.1, rng.normal(size=(40, 9))
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
    found = report.to_dict()
    schemes = found["signatures"]["schemes"]
    assert {*found["signatures"]} == {*report.scores, "schemes"}
    assert {*schemes} == {*report.schemes}
    named = [found["signatures"][name] for name in report.scores] + list(schemes.values())
    # micro pools all labels whatever the policy: it is the same score under two names
    assert len({*named}) == len(named) - 1
    assert schemes["micro"] == found["signatures"]["Micro-F1"]
    tail = "decision:score>0.1|n:5|labels_n:4|v:0.1"
    assert found["signatures"]["P@2"] == "P@2|ties:index|without_labels:0|n:5|labels_n:4|v:0.1"
    assert (
        found["signatures"]["Macro*-F1"] == f"f1_of_means|scheme:macro|labels:listed|zero_support:zero|{tail}"
    )
    assert schemes["dodrans"] == f"f1|scheme:dodrans|labels:observed|zero_support:zero|{tail}"


def test_the_report_of_batches_is_that_of_the_whole(rng):
    truth, scores = rng.random((60, 8)) < 0.3, rng.normal(size=(60, 8))
    parts = (slice(start, start + 25) for start in range(0, 60, 25))
    outcome = MultilabelOutcome.merged(
        MultilabelOutcome.from_scores(truth[part], scores[part], depth=3, keep_sets=True) for part in parts
    )
    assert report_of(outcome, [1, 3], replicates=30) == score_multilabel(truth, scores, [1, 3], replicates=30)


class TestIntervals:
    def test_they_are_a_section_of_their_own_and_change_no_score(self, rng):
        truth, scores = rng.random((60, 8)) < 0.3, rng.normal(size=(60, 8)) + 0.2
        plain, found = (score_multilabel(truth, scores, replicates=n).to_dict() for n in (0, 200))
        intervals = found.pop("intervals")
        assert {*intervals} == {*plain["signatures"]}
        for name in plain:
            assert name == "signatures" or found[name] == plain[name]
        for name, value in {**found, **found["schemes"]}.items():
            ends = intervals["schemes"].get(name) or intervals.get(name)
            if isinstance(value, float):
                assert ends["low"] <= value <= ends["high"]
        assert intervals["schemes"]["micro"] == intervals["Micro-F1"]


class TestText:
    def test_labels_of_any_kind_stay_in_their_field_and_line(self):
        names = ["a\n|n:9", "b", "c", "d"]
        outcome = MultilabelOutcome.from_scores(TRUTH, SCORES, 1, labels=names)
        report = report_of(outcome, [1], labels=names[:1])
        assert report.policy.startswith("f1|labels:a\n\\|n:9|zero_support:skip|decision:score>0|n:5|")
        assert report.signatures["schemes"]["macro"].startswith("f1|scheme:macro|labels:a\n\\|n:9|")
        assert report.to_text().splitlines()[-1].startswith(r"f1|labels:a\n\|n:9|zero_support:skip|")
        odd = replace(outcome, counts=replace(outcome.counts, decision="x|n:9"))
        assert r"|decision:x\|n:9|n:5|" in report_of(odd, [1]).policy


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"ks": [5]}, r"ks\[0\] is 5, but there are 4 labels"),
        ({"ks": [1, 0]}, r"ks\[1\] is 0: it has to be a whole number, 1 or more"),
        ({"ks": [1.0]}, r"ks\[0\] is 1\.0"),
        ({"ks": [2, 2]}, "ks holds 2 twice"),
        ({"ks": []}, "ks is empty"),
        ({"scores": SCORES[:, :3]}, r"scores has shape \(5, 3\), but truth has \(5, 4\)"),
        ({"scores": SCORES[:4]}, r"scores has shape \(4, 4\), but truth has \(5, 4\)"),
        ({"truth": TRUTH * 3}, r"truth\[0, 0\] is 3"),
        ({"truth": TRUTH[:0], "scores": SCORES[:0]}, "no instances"),
        ({"labels": "all"}, "labels is 'all'"),
        ({"threshold": np.nan}, "threshold is nan"),
    ],
)
def test_bad_input_is_named(change, message):
    options = {"truth": TRUTH, "scores": SCORES, "ks": [1]} | change
    with pytest.raises(ValueError, match=message):
        score_multilabel(**options)


class TestFiles:
    @pytest.mark.parametrize("ending", [".csv", ".npy", ".npz"])
    def test_every_kind_of_file_gives_the_same_report(self, ending, saved):
        found = score_multilabel_files(*saved(ending), ks=[1, 3], replicates=20)
        assert found == score_multilabel(TRUTH, SCORES, ks=[1, 3], replicates=20)

    def test_shapes_are_named_with_both_files(self, saved):
        truth, scores = saved(".npy", scores=SCORES[:, :3])
        message = rf"{scores} has 5 rows and 3 columns, but {truth} has 5 rows and 4 columns"
        with pytest.raises(ValueError, match=message):
            score_multilabel_files(truth, scores, ks=[1])

    @pytest.mark.parametrize(
        ("ending", "truth", "scores", "options", "remark"),
        [
            (".npy", np.eye(4), np.full((4, 4), 0.25), {}, "all scores lie from 0 to 1"),
            (".npy", np.eye(4), np.where(np.eye(4), 0.5, -np.inf), {}, "all scores lie from 0 to 1"),
            (".npy", np.eye(4), -np.ones((4, 4)), {}, "no score is above 0, so no label is predicted"),
            (".npz", np.eye(4), -np.eye(4), {}, "no score is above 0, so no label is predicted"),
            (".npy", np.eye(4), np.eye(4), {"threshold": 2}, "no score is above 2"),
            (".npz", np.eye(4), np.eye(4) * 3 - 1, {}, "some scores are negative"),
            (".npy", TRUTH, SCORES, {}, "1 of 5 instances have no label"),
            (".npy", TRUTH, SCORES, {"multiclass": True}, "some have not exactly one gold label"),
        ],
    )
    def test_what_may_be_a_slip_is_logged(self, ending, truth, scores, options, remark, saved, caplog):
        paths = saved(ending, truth, scores)
        with caplog.at_level(logging.WARNING, "helpers.evaluation.multilabel"):
            score_multilabel_files(*paths, ks=[1], **options)
        assert any(remark in text and text.startswith(str(paths[1])) for text in caplog.messages)
