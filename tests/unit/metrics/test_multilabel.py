"""Multi-label outcomes and F-measures: scikit-learn, LibMultiLabel's values, by hand, batches."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import f1_score, fbeta_score, jaccard_score, precision_score, recall_score
from sklearn.preprocessing import MultiLabelBinarizer

from helpers.metrics import Outcome, Policy, averages, class_weights, multilabel, power
from helpers.metrics.multilabel import MultilabelOutcome

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "multilabel.json").read_text())
PROPERTY = settings(max_examples=60)
ORACLES = {
    "precision": precision_score,
    "recall": recall_score,
    "f1": f1_score,
    "f2": lambda *pair, **options: fbeta_score(*pair, beta=2, **options),
    "jaccard": jaccard_score,
}


def pair(rng, n=80, n_labels=9, share=0.2):
    """The last label is neither gold nor predicted; the one before is predicted only."""
    truth, predicted = rng.random((2, n, n_labels)) < share
    truth[:, -2:] = predicted[:, -1] = False
    return truth, predicted


@pytest.mark.parametrize("score", ORACLES)
def test_averages_over_all_labels_are_those_of_scikit_learn(score, rng):
    for share in (0.02, 0.2, 0.6):
        truth, predicted = pair(rng, share=share)
        counts, schemes = Outcome.from_sets(truth, predicted).per_class(), ("micro", "macro", "weighted")
        expected = [ORACLES[score](truth, predicted, average=name, zero_division=0) for name in schemes]
        assert averages(counts, schemes, score) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scheme", ["weighted", "dodrans", "entropy", "macro", "n^0.5", power(0.25)])
def test_schemes_are_class_weights_times_label_scores(scheme, rng):
    """N of the entropy weights is Σ n_i, the label assignments, not the instances."""
    truth, predicted = pair(rng)
    counts, support = Outcome.from_sets(truth, predicted).per_class(), truth.sum(axis=0)
    weights = class_weights(support, scheme, support.sum(), np.ones(9, bool))
    expected = weights @ f1_score(truth, predicted, average=None, zero_division=0)
    assert averages(counts, [scheme])[0] == pytest.approx(expected, abs=1e-12)
    without = averages(counts, [scheme], "precision", zero_division=np.nan)[0]
    known = predicted.any(axis=0)  # the labels that have a precision; the others are in N as well
    weights = class_weights(support[known], scheme, support.sum(), known[known])
    precision = precision_score(truth, predicted, average=None, zero_division=0)
    assert without == pytest.approx(weights @ precision[known], abs=1e-12)
    micro = {averages(counts, ["micro"], labels=labels)[0] for labels in ("listed", "supported", "observed")}
    assert len(micro) == 1  # labels without support pool their false alarms; a list pools its own only
    assert averages(counts, ["micro"], labels=range(7))[0] > micro.pop()


def test_signatures_carry_what_a_score_needs(rng):
    counts = Outcome.from_sets(*pair(rng), decision="score>0").per_class()
    for policy, scheme, fields in (
        ({}, "macro", "scheme:macro|labels:listed|zero_support:zero"),
        ({"labels": "supported"}, "micro", "scheme:micro|labels:listed"),
        ({}, "entropy", "scheme:entropy|labels:listed|zero_support:zero|normaliser:assignments"),
        ({"labels": [3, 1], "zero_division": 1}, None, "labels:1+3|zero_support:skip|zero_division:1"),
        ({"labels": [3, 1, 0, 2]}, None, "labels:4of9#9d3d950e|zero_support:skip"),
    ):
        tail = "decision:score>0|n:80|labels_n:9|v:0.1"
        assert Policy.of(counts, **policy).signature(counts, "f2", scheme) == f"f2|{fields}|{tail}"


def test_wrong_policies_and_schemes_are_refused(rng):
    for options, message in (
        ({"negative": 0}, "negative is 0: multi-label data have no negative class"),
        ({"negative_in_normaliser": True}, "of use with a negative class only"),
        ({"schemes": "macro"}, "schemes is 'macro': a list of schemes is needed"),
    ):
        with pytest.raises(ValueError, match=message):
            from_scores(*pair(rng)).intervals([1], rng, 2, **options)


def test_the_averaged_labels_of_intervals_stay_those_of_the_original(rng):
    """A label with one gold instance is absent from a third of the replicates, and still counts there."""
    truth = np.ones((50, 2), int)
    truth[1:, 1] = 0
    outcome = from_scores(truth, truth, 1)
    found = outcome.intervals([1], rng, 400, ["macro"], labels="supported")["macro"]
    assert (found.value, found.low, found.high) == (1, 0.5, 1)


FORMS = {"dense": np.asarray, "float32": np.float32, "sparse": sp.csr_array, "coo": sp.coo_matrix}
from_scores = MultilabelOutcome.from_scores


def tables(outcome):
    """All that an outcome holds, comparable."""
    return outcome.ranking.to_rows(), outcome.sets.to_rows()


def data(rng, n=50, n_labels=8):
    """Scores of quarters: they tie, and float32 holds them exactly."""
    return rng.random((n, n_labels)) < 0.25, rng.integers(-6, 5, (n, n_labels)) / 4


@pytest.mark.parametrize("truth_form", [np.asarray, sp.csr_matrix, sp.csc_array])
@pytest.mark.parametrize("form", FORMS)
def test_the_golden_matrix(form, truth_form):
    truth, scores = np.array(GOLDEN["truth"]), np.array(GOLDEN["scores"])
    found = from_scores(truth_form(truth), FORMS[form](scores), depth=3).scores([1, 2, 3])
    for name, value in GOLDEN["values"].items():
        assert found[name] == pytest.approx(value, abs=5e-7)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("block", [1, 100])
@pytest.mark.parametrize("options", [{}, {"threshold": 0.5}, {"threshold": -0.75}, {"multiclass": True}])
def test_every_form_of_scores_gives_the_same_outcome(form, block, options, rng, monkeypatch):
    truth, scores = data(rng)
    expected = tables(from_scores(truth, scores, 4, **options))
    monkeypatch.setattr(multilabel, "BLOCK_ENTRIES", block)
    found = from_scores(sp.csr_array(truth), FORMS[form](scores), 4, **options)
    assert tables(found) == expected


@PROPERTY
@given(st.integers(0, 40), st.integers(0, 10**6), st.data())
def test_any_split_into_batches_equals_the_whole(n, seed, drawn):
    rng = np.random.default_rng(seed)
    truth, scores = data(rng, n)
    whole = from_scores(truth, scores, 3)
    pieces = np.split(rng.permutation(n), sorted(drawn.draw(st.lists(st.integers(0, n), max_size=4))))
    batches = [from_scores(truth[piece], scores[piece], 3) for piece in pieces]
    found = MultilabelOutcome.merged(iter(batches))
    assert found == whole and tables(found) == tables(whole)
    assert not n or found.scores([1, 3]) == whole.scores([1, 3])


@pytest.mark.parametrize(
    "threshold", [0, 0.5, -0.75]
)  # scores are quarters: one at the threshold is negative
def test_the_counts_are_those_of_the_decided_sets(threshold, rng):
    truth, scores = data(rng)
    outcome = from_scores(truth, scores, labels="abcdefgh", threshold=threshold)
    expected = Outcome.from_sets(truth, scores > threshold, "abcdefgh", f"score>{threshold}")
    assert outcome.sets == expected and outcome.counts.decision == f"score>{threshold}"
    assert (outcome.ranking.labels, outcome.ranking.depth) == (tuple("abcdefgh"), 5)


def test_multiclass_predicts_the_first_of_the_best_and_leaves_the_ranking_alone():
    truth, scores = [[0, 1, 0], [1, 0, 0]], [[-2.0, -1, -1], [-5, -3, -4]]
    best, all_negative = from_scores(truth, scores, 2, multiclass=True), from_scores(truth, scores, 2)
    assert best.counts.predicted.tolist() == [0, 2, 0] and best.counts.decision == "argmax"
    assert best.ranking == all_negative.ranking and not all_negative.counts.predicted.any()


def test_scores_of_some_labels_only(rng):
    """The last ones are as if their scores were −∞, neither ranked nor predicted."""
    truth, scores = data(rng)
    full = np.where(np.arange(8) < 5, scores, -np.inf)
    for multiclass in (False, True):
        options = {"multiclass": multiclass}
        for form in FORMS.values():
            found = from_scores(truth, form(scores[:, :5]), 2, unscored=3, **options)
            assert tables(found) == tables(from_scores(truth, full, 2, **options))
        unreached = from_scores(truth, full - np.inf, 2, **options)
        assert not unreached.ranking.roles["hits"].any() and not unreached.counts.predicted.any()
    assert from_scores([[1]], [[-np.inf]], 1).scores([1])["P@1"] == 0


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"scores": [[0.5, np.nan]]}, r"scores\[0, 1\] is nan"),
        ({"scores": [[0.5]]}, r"scores has shape \(1, 1\), but truth has \(1, 2\)"),
        ({"depth": 3}, "depth is 3: different whole numbers from 1 to 2 are"),
        ({"threshold": np.inf}, "threshold is inf: a finite number is needed"),
        ({"unscored": 1}, r"scores has shape \(1, 2\), but truth has \(1, 1\)"),
    ],
)
def test_bad_input_is_named(change, message):
    options = {"truth": [[1, 0]], "scores": [[0.5, 1]], "depth": 2} | change
    with pytest.raises(ValueError, match=message):
        from_scores(**options)


def test_batches_that_keep_different_things_do_not_add_up():
    narrow, other = (from_scores([[1, 0]], [[0.5, 1]], 1, threshold=threshold) for threshold in (0, 0.5))
    wide = from_scores([[1, 0, 0]], [[1, 0, 0]], 1)
    for batches, message in (
        ([narrow, other], "decided by score>0 and by score>0.5"),
        ([narrow, wide], "of 3 labels"),
        ([], "no batches"),
    ):
        with pytest.raises(ValueError, match=message):
            MultilabelOutcome.merged(batches)


@pytest.mark.nightly(third=0)
def test_memory_grows_with_the_label_sets_and_not_with_the_scores(rng, monkeypatch):
    monkeypatch.setattr(multilabel, "BLOCK_ENTRIES", 1 << 16)
    drawn, peaks = rng.random((16_000, 500), dtype=np.float32), []
    for part in (drawn[:4_000], drawn):
        truth, scores = sp.csr_array(part < 0.01), sp.csr_array(part > 0.98) * 1.0
        tracemalloc.start()
        from_scores(truth, scores, 5)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 8e6  # the scores of 12,000 more instances, dense: 48 MB


@PROPERTY
@given(st.integers(1, 30), st.integers(1, 6), st.integers(0, 4), st.integers(0, 10**6), st.data())
def test_what_labels_of_the_test_data_only_change(n, n_known, n_new, seed, data):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, n_known + n_new)) < 0.3
    scores, k, gold = rng.normal(size=(n, n_known)), data.draw(st.integers(1, n_known)), truth[:, :n_known]
    outcomes = from_scores(gold, scores, k), from_scores(truth, scores, k, unscored=n_new)
    without, included = (outcome.scores([k]) for outcome in outcomes)
    hit = np.take_along_axis(gold, np.argsort(-scores, axis=1)[:, :k], axis=1).any(axis=1)
    grown = hit & (truth.sum(axis=1) > gold.sum(axis=1))  # a label more that the model cannot reach
    short = grown & (gold.sum(axis=1) < k)
    falls = {"P": False, "R": grown.any(), "RP": short.any(), "NDCG": short.any()}
    for name, expected in falls.items():
        assert (without[f"{name}@{k}"] - included[f"{name}@{k}"] > 1e-9) == expected
        assert included[f"{name}@{k}"] <= without[f"{name}@{k}"] + 1e-12
    assert included["Macro-F1"] == pytest.approx(without["Macro-F1"] * n_known / (n_known + n_new), abs=1e-12)
    assert included["Micro-F1"] <= without["Micro-F1"] + 1e-12
    for outcome, labels in zip(outcomes, (gold, truth), strict=True):
        assert (outcome.ranking.n, outcome.ranking.without_labels) == (n, n - labels.any(axis=1).sum())


def test_what_scikit_learn_does_with_labels_of_the_test_data():
    """L, Section 2.1, says that it leaves them out: its binariser does, its F1 of label names does not."""
    binariser = MultiLabelBinarizer().fit([["a"], ["b"]])
    with pytest.warns(UserWarning, match="unknown class"):
        assert binariser.transform([["a", "new"]]).tolist() == [[1, 0]]
    macro = f1_score(["a", "b", "new"], ["a", "b", "b"], average="macro")
    assert macro == pytest.approx((1 + 2 / 3 + 0) / 3)
