"""The published lists: their files, and AUC and P@100, 200, 300 of each."""

import csv
from pathlib import Path

import numpy as np
import pytest

from helpers import data
from helpers.data import GIDS_RELATIONS, PUBLISHED_LISTS
from helpers.data.systems import _probabilities
from helpers.papers.distant import _published_ranking

with open(Path(__file__).parents[2] / "golden" / "ranked_lists.csv", newline="") as file:
    EXPECTED = list(csv.DictReader(file))


@pytest.mark.parametrize("expected", EXPECTED, ids=lambda row: f"{row['dataset']} {row['name']}")
def test_scores(expected, data_dir):
    row = {(row.name, row.dataset): row for row in PUBLISHED_LISTS}[expected["name"], expected["dataset"]]
    labels = GIDS_RELATIONS if row.dataset == "gids" else tuple(data.nyt10m_relations())
    ranking, _ = _published_ranking(row, labels, {})
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
            scores, truth = _probabilities(f"gids/predictions/{system}{ending}.npz")
            assert (truth == gold).all(axis=1).sum() == agreeing and scores.shape == gold.shape
            assert truth[:, 1:].sum() == facts
    row = np.flatnonzero((truth != gold).any(axis=1))[0]
    relations = [GIDS_RELATIONS[label] for label in gold[row].nonzero()[0]]
    assert relations == ["/people/person/place_of_birth"] and truth[row].nonzero()[0].tolist() == [0]
    assert 2447 - truth[:, 4].sum() == 2017  # RESIDE's number of facts for PCNN and PCNN+ATT
    assert (scores.argmax(axis=1) == truth.argmax(axis=1)).mean() > 0.7
