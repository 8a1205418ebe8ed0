"""The pass over truth and scores: LibMultiLabel's values, every form of scores, batches, bounded memory."""

import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.metrics import MultilabelOutcome, Outcome, label_matrix
from helpers.metrics import multilabel as multilabel_outcome

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "multilabel.json").read_text())
PROPERTY = settings(max_examples=60)
FORMS = {
    "dense": np.asarray,
    "float32": np.float32,
    "sparse": sp.csr_array,
    "coo": sp.coo_matrix,
}
from_scores = MultilabelOutcome.from_scores


def tables(outcome):
    """All that an outcome holds, comparable."""
    sets = None if outcome.sets is None else outcome.sets.to_rows()
    counts = [getattr(outcome.counts, name).tolist() for name in ("gold", "correct", "predicted")]
    return outcome.ranking.to_rows(), counts, sets


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
    expected = tables(from_scores(truth, scores, 4, keep_sets=True, **options))
    monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", block)
    found = from_scores(sp.csr_array(truth), FORMS[form](scores), 4, keep_sets=True, **options)
    assert tables(found) == expected


@PROPERTY
@given(st.integers(0, 40), st.integers(0, 10**6), st.booleans(), st.data())
def test_any_split_into_batches_equals_the_whole(n, seed, keep_sets, drawn):
    rng = np.random.default_rng(seed)
    truth, scores = data(rng, n)
    whole = from_scores(truth, scores, 3, keep_sets=keep_sets)
    cuts = sorted(drawn.draw(st.lists(st.integers(0, n), max_size=4)))
    pieces = np.split(rng.permutation(n), cuts)
    batches = (from_scores(truth[piece], scores[piece], 3, keep_sets=keep_sets) for piece in pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(multilabel_outcome, "PENDING", drawn.draw(st.sampled_from([0, 1 << 16])))
        found = MultilabelOutcome.merged(batches)
    assert tables(found) == tables(whole)
    assert tables(sum(from_scores(truth[p], scores[p], 3, keep_sets=keep_sets) for p in pieces)) == tables(
        whole
    )
    if n:
        assert found.scores([1, 3]) == whole.scores([1, 3])


def test_the_counts_are_those_of_the_decided_sets(rng):
    truth, scores = data(rng)
    outcome = from_scores(truth, scores, keep_sets=True, labels="abcdefgh")
    assert outcome.counts == Outcome.from_sets(truth, scores > 0, "abcdefgh", "score>0").per_class()
    assert outcome.sets == Outcome.from_sets(truth, scores > 0, "abcdefgh", "score>0")
    assert outcome.sets.per_class() == outcome.counts
    assert outcome.ranking.labels == tuple("abcdefgh")


def test_zero_is_negative_and_a_threshold_moves_that():
    truth, scores = [[1, 1, 0]], [[0.0, 0.6, 0.4]]
    assert from_scores(truth, scores, 1).counts.predicted.tolist() == [0, 1, 1]
    assert from_scores(truth, scores, 1, threshold=0.5).counts.predicted.tolist() == [0, 1, 0]
    assert from_scores(truth, scores, 1, threshold=-0.1).counts.predicted.tolist() == [1, 1, 1]


def test_multiclass_predicts_the_first_of_the_best_and_leaves_the_ranking_alone():
    truth, scores = [[0, 1, 0], [1, 0, 0]], [[-2.0, -1, -1], [-5, -3, -4]]
    one, other = from_scores(truth, scores, 2, multiclass=True), from_scores(truth, scores, 2)
    assert one.counts.predicted.tolist() == [0, 2, 0]
    assert one.counts.decision == "argmax"
    assert one.ranking == other.ranking
    assert other.counts.predicted.tolist() == [0, 0, 0]


def test_labels_that_were_never_reached_are_neither_ranked_nor_predicted():
    truth, scores = np.eye(2), np.full((2, 2), -np.inf)
    for form in (scores, sp.csr_array(scores)):
        outcome = from_scores(truth, form, 2, multiclass=True)
        assert outcome.ranking.scores([2]) == {"P@2": 0, "R@2": 0, "RP@2": 0, "NDCG@2": 0}
        assert outcome.counts.predicted.tolist() == [0, 0]


def test_scores_of_some_labels_only(rng):
    """`columns` says which: the others are as if their scores were −∞."""
    truth, scores = data(rng)[0], rng.normal(size=(50, 8))  # no ties, which go by the columns of the scores
    columns = [6, 0, 3, 5]
    full = np.full(truth.shape, -np.inf)
    full[:, columns] = scores[:, columns]
    expected = from_scores(truth, full, 2, keep_sets=True)
    for form in FORMS.values():
        found = from_scores(truth, form(scores[:, columns]), 2, columns=columns, keep_sets=True)
        assert tables(found) == tables(expected)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"truth": [[1, 2]]}, r"truth\[0, 1\] is 2"),
        ({"scores": [[0.5, np.nan]]}, r"scores\[0, 1\] is nan"),
        ({"scores": [[0.5]]}, r"scores has shape \(1, 1\), but truth has \(1, 2\)"),
        ({"depth": 3}, "depth is 3, but there are 2 labels"),
        ({"depth": 0}, "depth is 0: it has to be a whole number, 1 or more"),
        ({"depth": 1.0}, r"depth is 1\.0"),
        ({"threshold": np.nan}, "threshold is nan: a finite number is needed"),
        ({"threshold": np.inf}, "threshold is inf"),
        ({"labels": ["a"]}, "labels names 1 labels, but truth has 2 columns"),
        ({"columns": [0, 5]}, r"columns\[1\] is 5, but truth has 2 columns"),
        ({"columns": [1]}, r"scores has shape \(1, 2\), but truth has \(1, 1\)"),
    ],
)
def test_bad_input_is_named(change, message):
    options = {"truth": [[1, 0]], "scores": [[0.5, 1]], "depth": 2} | change
    with pytest.raises(ValueError, match=message):
        from_scores(**options)


def test_batches_have_the_same_labels():
    batches = [from_scores([[1, *more]], [[1, *more]], 1) for more in ([0], [0, 0])]
    with pytest.raises(ValueError, match="outcomes of 2 and of 3 labels do not add up"):
        MultilabelOutcome.merged(batches)
    with pytest.raises(ValueError, match="no batches"):
        MultilabelOutcome.merged([])


def test_outcomes_that_keep_different_things_do_not_add_up():
    full = from_scores([[1, 0]], [[0.5, 1]], 1, keep_sets=True)
    with pytest.raises(ValueError, match="with and without"):
        full + from_scores([[1, 0]], [[0.5, 1]], 1)
    with pytest.raises(TypeError):
        full + 1


def peak_of(call):
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_memory_does_not_grow_with_the_number_of_instances(rng, monkeypatch):
    monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", 1 << 16)
    drawn = rng.random((16_000, 500), dtype=np.float32)
    truth, scores = sp.csr_array(drawn < 0.01), sp.csr_array(drawn > 0.98) * 1.0
    _, small = peak_of(lambda: from_scores(truth[:4_000], scores[:4_000], 5))
    _, large = peak_of(lambda: from_scores(truth, scores, 5))
    assert large - small < 2e6  # the truth of 12,000 more instances is held once more: 0.7 MB
