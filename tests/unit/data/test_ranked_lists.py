"""The published lists: their files, and AUC and P@100, 200, 300 of each."""

import csv
from pathlib import Path

import numpy as np
import pytest

from helpers.core import MalformedRecord
from helpers.data import (
    GIDS_RELATIONS,
    find_list,
    locate,
    make_bags,
    read_corpus,
    read_curve,
    read_gids_probabilities,
    read_ranked_list,
)
from helpers.metrics import FactRanking
from helpers.papers.list_runs import published_ranking

with open(Path(__file__).parents[2] / "golden" / "ranked_lists.csv", newline="") as file:
    EXPECTED = list(csv.DictReader(file))


class TestPublished:
    @pytest.mark.parametrize("expected", EXPECTED, ids=lambda row: f"{row['dataset']} {row['name']}")
    def test_scores(self, expected, data_dir) -> None:
        row = find_list(expected["name"], expected["dataset"])
        ranking = published_ranking(row)
        assert ranking.facts == row.facts
        # RESIDE's own curve has scikit-learn's point at recall 0, and its AUC that piece
        assert ranking.auc(expected["area"]) == pytest.approx(float(expected["auc"]), abs=5e-5)
        for n in (100, 200, 300):
            assert ranking.precision_at(n) == pytest.approx(float(expected[f"P@{n}"]), abs=5e-4)

    def test_one_list_in_two_collections(self, data_dir) -> None:
        folder = "reside/baselines_pr/"
        for name, dataset, other in (
            ("NRE PCNN+ONE", "nyt10", "riedel_nyt/PCNN"),
            ("Jat WA", "gids", "gids/BGWA"),
        ):
            row = find_list(name, dataset)
            curve = read_curve(*(locate(f"{folder}{other}/{kind}.npy") for kind in ("precision", "recall")))
            again = FactRanking.from_curve(curve.precision, curve.recall, row.facts)
            assert again.true_positives.tolist() == published_ranking(row).true_positives.tolist()

    def test_the_pairs_of_the_probabilities(self, data_dir) -> None:
        """Rows are the pairs of the sentences, sorted; columns are named by the labels that agree."""
        for split, ending, agreeing, facts in (("train", "-dev", 1082, 816), ("test", "", 3246, 2447)):
            bags = sorted(make_bags(read_corpus("gids")[split], None), key=lambda bag: (bag.head, bag.tail))
            gold = np.array([[label in bag.relations for label in GIDS_RELATIONS] for bag in bags])
            for system in ("PCNN", "WA", "EA"):
                scores, truth = read_gids_probabilities(locate(f"gids/predictions/{system}{ending}.npz"))
                assert (truth == gold).all(axis=1).sum() == agreeing and scores.shape == gold.shape
                assert truth[:, 1:].sum() == facts
        odd = np.flatnonzero((truth != gold).any(axis=1))
        assert [GIDS_RELATIONS[label] for label in gold[odd[0]].nonzero()[0]] == [
            "/people/person/place_of_birth"
        ]
        assert truth[odd[0]].nonzero()[0].tolist() == [0]
        assert 2447 - truth[:, 4].sum() == 2017  # RESIDE's number of facts for PCNN and PCNN+ATT
        assert (scores.argmax(axis=1) == truth.argmax(axis=1)).mean() > 0.7


class TestMalformed:
    @pytest.mark.parametrize(
        ("line", "message"),
        [
            ("1 0.1", "3 fields are expected, or 6 with the fact; found 2"),
            ("1 0.1 0.9 a b r", "3 fields are expected, as in the first line; found 6"),
            ("1 0.1 x", "'x' is no finite number"),
            ("1 0.1 nan", "'nan' is no finite number"),
            ("1 0.1 1_0", "'1_0' is no finite number"),
            ("1.5 0.1 0.9", "precision 1.5 and recall 0.1 have to be from 0 to 1"),
        ],
    )
    def test_a_line(self, tmp_path, line, message) -> None:
        path = tmp_path / "pr.txt"
        path.write_text(f"1.0 0.1 0.9\n{line}\n")
        with pytest.raises(MalformedRecord, match=f"pr.txt, line 2: {message}"):
            read_ranked_list(path)

    @pytest.mark.parametrize(
        ("precision", "message"),
        [
            ([1.0], r"recall.npy: 2 points; the precision has 1"),
            ([[1.0, 0.5]], "precision.npy: one row of numbers"),
            ([], "precision.npy: one row of numbers"),
            ([True, False], "precision.npy: one row of numbers"),
            ([1.0, np.nan], r"precision.npy: value 1 \(from 0\) is nan"),
            ([1.0, 1.5], "is 1.5, not from 0 to 1"),
            (np.array([{}, {}], dtype=object), "precision.npy: the file is broken, cut off or pickled"),
            (b"\x93NUMPY", "precision.npy: the file is broken"),
        ],
    )
    def test_a_curve(self, tmp_path, precision, message) -> None:
        files = [tmp_path / "precision.npy", tmp_path / "recall.npy"]
        np.save(files[1], [0.1, 0.1])
        if isinstance(precision, bytes):
            files[0].write_bytes(precision)
        else:
            np.save(files[0], precision, allow_pickle=True)
        with pytest.raises(MalformedRecord, match=message):
            read_curve(*files)

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"gold": None}, "the array 'gold' of numbers is missing"),
            ({"gold": [0.5, 1, 3]}, "the array 'gold' of numbers is missing or of another type"),
            ({"gold": [0, 1, 5]}, "do not give each pair labels from 0 to 4"),
            ({"gold": [0, 1]}, "do not give each pair labels"),
            ({"gold_lengths": [0, 3]}, "do not give each pair labels"),
            ({"gold_lengths": [2**62, 2**62]}, "do not give each pair labels"),
            ({"gold_lengths": [3]}, r"gold_lengths of \(1,\): expected \(B, 5\) and \(B,\)"),
            ({"probabilities": np.full((2, 4), 0.2)}, r"probabilities of shape \(2, 4\)"),
            ({"probabilities": np.full((2, 5), np.nan)}, "a probability is not from 0 to 1"),
            ({"gold": np.array([{}, {}, {}], dtype=object)}, "broken, cut off or pickled"),
        ],
    )
    def test_probabilities(self, tmp_path, changes, message) -> None:
        arrays = {"probabilities": np.full((2, 5), 0.2), "gold": [0, 1, 3], "gold_lengths": [1, 2]} | changes
        path = tmp_path / "a.npz"
        np.savez(path, **{name: array for name, array in arrays.items() if array is not None})
        with pytest.raises(MalformedRecord, match=message):
            read_gids_probabilities(path)
