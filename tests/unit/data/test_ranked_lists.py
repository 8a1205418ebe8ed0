"""The published lists: their files, and AUC and P@100, 200, 300 of each."""

import csv
from pathlib import Path

import numpy as np
import pytest

from helpers import data
from helpers.data import GIDS_RELATIONS, PUBLISHED_LISTS, locate
from helpers.papers.distant import _of_list, _of_probabilities
from tests.support import fault_of

with open(Path(__file__).parents[2] / "golden" / "ranked_lists.csv", newline="") as file:
    EXPECTED = list(csv.DictReader(file))


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda row: f"{row['dataset']} {row['name']}")
def test_scores(expected, data_dir):
    row = {(row.name, row.dataset): row for row in PUBLISHED_LISTS}[expected["name"], expected["dataset"]]
    if row.files[0].endswith(".npz"):
        ranking, _ = _of_probabilities(*data.read_gids_probabilities(locate(row.files[0])))
    else:
        labels = GIDS_RELATIONS if row.dataset == "gids" else tuple(data.nyt10m_relations())
        ranking, _ = _of_list(row, labels, {})
    assert ranking.facts == row.facts
    # RESIDE's own curve has scikit-learn's point at recall 0, and its AUC that piece
    assert ranking.auc(expected["area"]) == pytest.approx(float(expected["auc"]), abs=5e-5)
    for n in (100, 200, 300):
        assert ranking.precision_at(n) == pytest.approx(float(expected[f"P@{n}"]), abs=5e-4)


def test_the_pairs_of_the_probabilities(data_dir):
    """Rows are the pairs of the sentences, sorted; columns are named by the labels that agree."""
    for split, ending, agreeing, facts in (("train", "-dev", 1082, 816), ("test", "", 3246, 2447)):
        bags = data.make_bags(data.read_corpus("gids")[split], None)
        bags.sort(key=lambda bag: (bag.head, bag.tail))
        gold = np.array([[label in bag.relations for label in GIDS_RELATIONS] for bag in bags])
        for system in ("PCNN", "WA", "EA"):
            path = locate(f"gids/predictions/{system}{ending}.npz")
            scores, truth = data.read_gids_probabilities(path)
            assert (truth == gold).all(axis=1).sum() == agreeing and scores.shape == gold.shape
            assert truth[:, 1:].sum() == facts
    row = np.flatnonzero((truth != gold).any(axis=1))[0]
    relations = [GIDS_RELATIONS[label] for label in gold[row].nonzero()[0]]
    assert relations == ["/people/person/place_of_birth"] and truth[row].nonzero()[0].tolist() == [0]
    assert 2447 - truth[:, 4].sum() == 2017  # RESIDE's number of facts for PCNN and PCNN+ATT
    assert (scores.argmax(axis=1) == truth.argmax(axis=1)).mean() > 0.7


@pytest.mark.parametrize(
    ("precision", "reason"),
    [
        ([[1.0, 0.5]], "one row of numbers"),
        ([], "one row of numbers"),
        ([True, False], "one row of numbers"),
        ([1.0, np.nan], "value 1 (from 0) is nan"),
        ([1.0, 1.5], "is 1.5, not from 0 to 1"),
        (np.array([{}, {}], dtype=object), "the file is broken, cut off or pickled"),
        (b"\x93NUMPY", "the file is broken"),
    ],
)
def test_a_malformed_curve(tmp_path, precision, reason):
    path, recall = tmp_path / "precision.npy", tmp_path / "recall.npy"
    np.save(recall, [0.1, 0.1])
    if isinstance(precision, bytes):
        path.write_bytes(precision)
    else:
        np.save(path, precision, allow_pickle=True)
    assert reason in fault_of(data.read_curve, path, recall)
    np.save(path, [1.0])
    assert "2 points; the precision has 1" in fault_of(lambda other: data.read_curve(path, other), recall)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"gold": None}, "the array 'gold' of numbers is missing"),
        ({"gold": [0.5, 1, 3]}, "the array 'gold' of numbers is missing or of another type"),
        ({"gold": [0, 1, 5]}, "do not give each pair labels from 0 to 4"),
        ({"gold_lengths": [2**62, 2**62]}, "do not give each pair labels"),
        ({"gold_lengths": [3]}, "gold_lengths of (1,): expected (B, 5) and (B,)"),
        ({"probabilities": np.full((2, 4), 0.2)}, "probabilities of shape (2, 4)"),
        ({"probabilities": np.full((2, 5), np.nan)}, "a probability is not from 0 to 1"),
        ({"gold": np.array([{}, {}, {}], dtype=object)}, "broken, cut off or pickled"),
    ],
)
def test_malformed_probabilities(tmp_path, changes, reason):
    arrays = {"probabilities": np.full((2, 5), 0.2), "gold": [0, 1, 3], "gold_lengths": [1, 2]} | changes
    np.savez(tmp_path / "a.npz", **{name: array for name, array in arrays.items() if array is not None})
    assert reason in fault_of(data.read_gids_probabilities, tmp_path / "a.npz")
