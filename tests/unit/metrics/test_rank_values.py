"""Ranking measures of single instances: the document's examples, scikit-learn, and what must hold."""

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import dcg_score, ndcg_score

from helpers.metrics import label_matrix
from helpers.metrics.label_scores import top_k
from helpers.metrics.ranking import checked_ks, dcg_at, hits_of, names_at, ranking_values

EXAMPLES = json.loads((Path(__file__).parents[2] / "golden" / "multilabel.json").read_text())[
    "worked_examples"
]
PROPERTY = settings(max_examples=200)
hit_lists = arrays(bool, st.tuples(st.integers(1, 5), st.integers(1, 12)))


def hits_of_scores(truth, scores, k):
    return np.take_along_axis(np.asarray(truth, bool), top_k(scores, k)[0], axis=1)


def values_by_name(hits, relevant, ks):
    found = ranking_values(hits, relevant, ks)
    return {name: found.reshape(len(found), -1)[:, place] for place, name in enumerate(names_at(ks))}


@pytest.mark.parametrize("example", EXAMPLES)
def test_the_worked_examples_of_the_document(example):
    hits = hits_of_scores([example["truth"]], [example["scores"]], 5)
    found = values_by_name(hits, [sum(example["truth"])], [3, 5])
    for name, value in example["values"].items():
        assert found[name][0] == pytest.approx(value, abs=5e-7)
    if "dcg" in example:
        assert dcg_at(hits, [5])[0, 0] == pytest.approx(example["dcg"], abs=5e-7)


def test_the_documents_dcg_is_a_slip():
    """It prints 1.52; 1 / log2(3) + 1 / log2(4) + 1 / log2(5) is 1.56."""
    (slip,) = (example for example in EXAMPLES if "dcg_printed" in example)
    assert abs(slip["dcg"] - slip["dcg_printed"]) > 0.04
    assert slip["dcg"] == pytest.approx(1 / np.log2(3) + 1 / 2 + 1 / np.log2(5), abs=5e-7)


def test_dcg_and_ndcg_are_those_of_scikit_learn(rng):
    truth, scores = rng.random((80, 40)) < 0.05, rng.random((80, 40))
    hits, relevant = hits_of_scores(truth, scores, 40), truth.sum(axis=1)
    assert (relevant == 0).any()
    found = values_by_name(hits, relevant, [1, 3, 17, 40])
    for place, k in enumerate([1, 3, 17, 40]):
        assert dcg_at(hits, [1, 3, 17, 40])[:, place].mean() == pytest.approx(
            dcg_score(truth, scores, k=k), abs=1e-12
        )
        assert found[f"NDCG@{k}"].mean() == pytest.approx(ndcg_score(truth, scores, k=k), abs=1e-12)


@PROPERTY
@given(hit_lists, st.integers(0, 20))
def test_what_holds_for_every_ranking(hits, more):
    relevant = hits.sum(axis=1) + more
    ks = list(range(1, hits.shape[1] + 1))
    p, r, rp, ndcg = np.moveaxis(ranking_values(hits, relevant, ks), 1, 0)
    for measure in (p, r, rp, ndcg):
        assert measure.min() >= 0
        assert measure.max() <= 1
    assert (np.diff(r, axis=1) >= 0).all()  # R@K grows with K
    assert (rp >= p).all()  # min(K, r) ≤ K
    assert (rp >= r).all()
    assert (np.diff(p * ks, axis=1) > -1e-9).all()  # so do the hits
    assert np.array_equal(p[:, 0] * (relevant > 0), rp[:, 0])
    assert np.array_equal(rp[:, 0], ndcg[:, 0])


@PROPERTY
@given(st.integers(1, 300), st.integers(1, 300))
def test_a_perfect_ranking_has_exactly_one(depth, relevant):
    hits = np.arange(depth) < relevant
    ks = sorted({1, depth, min(depth, relevant), (depth + 1) // 2})
    values = ranking_values(hits[None], [relevant], ks)[0]
    assert (values[2:] == 1).all()  # RP and NDCG
    assert values[0].tolist() == [min(1, relevant / k) for k in ks]
    assert values[1].tolist() == [min(1, k / relevant) for k in ks]


@PROPERTY
@given(hit_lists, st.data())
def test_a_hit_further_up_is_worth_more_to_ndcg_and_nothing_more_to_the_others(hits, data):
    row = hits[0]
    place = data.draw(st.integers(0, len(row) - 1))
    if place and row[place] and not row[place - 1]:
        better = row.copy()
        better[[place - 1, place]] = better[[place, place - 1]]
        one, other = ranking_values([row, better], [row.sum()] * 2, [len(row)])[..., 0]
        assert one[:3].tolist() == other[:3].tolist()
        assert other[3] > one[3]


@pytest.mark.parametrize("block", [1, 40, 1 << 21])
def test_hits_are_gold_labels_in_their_places(block, rng, monkeypatch):
    monkeypatch.setattr(label_matrix, "BLOCK_ENTRIES", block)
    truth = rng.random((25, 9)) < 0.3
    truth[:, 8] = True  # −1 would find the last column
    top = rng.permuted(np.tile(np.arange(9), (25, 1)), axis=1)[:, :5].astype(np.int32)
    top[rng.random(top.shape) < 0.3] = -1
    expected = [[bool(label >= 0 and truth[row, label]) for label in top[row]] for row in range(25)]
    assert hits_of(sp.csr_array(truth), top).tolist() == expected


@pytest.mark.parametrize(
    ("ks", "message"),
    [
        ([], "ks is empty"),
        (5, "ks is 5: a list of whole numbers"),
        ("1,3", "ks is '1,3': a list"),
        ([1, 0], r"ks\[1\] is 0: it has to be a whole number, 1 or more"),
        ([-1], r"ks\[0\] is -1"),
        ([1.5], r"ks\[0\] is 1.5"),
        ([True], r"ks\[0\] is True"),
        ([1, 3, 1], "ks holds 1 twice"),
        ([1, 6], r"ks\[1\] is 6, but there are 5 labels"),
    ],
)
def test_ks_are_different_whole_numbers_up_to_the_depth(ks, message):
    with pytest.raises(ValueError, match=message):
        checked_ks(ks, 5)
