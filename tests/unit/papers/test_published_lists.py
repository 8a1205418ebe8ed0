"""The twenty published lists as stored run files: they give the published scores, and the files give them."""

import csv
from pathlib import Path

import numpy as np
import pytest

from helpers.data import find_list, locate, read_gids_probabilities
from helpers.metrics import FactSample
from helpers.papers.list_runs import published_list_runs, write_list_runs
from helpers.runs import RUNS_FOLDER, Run, load_run

with open(Path(__file__).parents[2] / "golden" / "ranked_lists.csv", newline="") as file:
    EXPECTED = list(csv.DictReader(file))


def stored(dataset: str, model: str) -> Run:
    """The run file of a list."""
    return load_run(RUNS_FOLDER / dataset / model.replace(" ", "-") / "published" / "predictions.json")


@pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row['dataset']} {row['name']}")
def test_a_stored_list_has_the_published_scores(row) -> None:
    """No data are needed."""
    run = stored(row["dataset"], row["name"])
    ranking = run.outcome().ranking(run.labels, run.negative)
    assert ranking.auc(row["area"]) == pytest.approx(float(row["auc"]), abs=5e-5)
    for n in (100, 200, 300):
        assert ranking.precision_at(n) == pytest.approx(float(row[f"P@{n}"]), abs=5e-4)
    assert find_list(row["name"], row["dataset"]).area == row["area"]
    assert run.licence == find_list(row["name"], row["dataset"]).licence
    assert run.source and all(len(sha256) == 64 for sha256 in run.files.values())


def test_one_hit_more_is_noticed() -> None:
    run = stored("nyt10", "NRE CNN+ONE")
    hits = run.outcome().hit_ranks
    assert 1 not in hits
    changed = type(run.outcome())(level="bag", facts=1950, length=2000, hit_ranks=(1, *hits[:-1]))
    assert abs(changed.ranking().auc() - 0.1733) > 5e-4


class TestWithTheFiles:
    def test_a_fresh_conversion_is_what_is_stored(self, data_dir, tmp_path) -> None:
        runs = published_list_runs()
        assert len(runs) == 20
        for run in runs:
            assert run == stored(run.dataset, run.model), run.name
        paths = write_list_runs(tmp_path)
        assert [path.read_bytes() for path in paths] == [
            (RUNS_FOLDER / path.relative_to(tmp_path)).read_bytes() for path in paths
        ]

    def test_pairs_and_relations_are_those_of_the_probabilities(self, data_dir) -> None:
        for system in ("PCNN", "WA", "EA"):
            run = stored("gids", f"Jat {system}")
            scores, gold = read_gids_probabilities(locate(f"gids/predictions/{system}.npz"))
            facts = run.outcome()
            cells = np.array(facts.pairs), np.array(facts.relations)
            assert len(set(zip(*(column.tolist() for column in cells), strict=True))) == scores.size * 4 // 5
            assert np.abs(scores[cells] - facts.scores).max() < 1e-6
            ranking = facts.ranking(run.labels, run.negative)
            assert np.array_equal(gold[cells], ranking.hits)
            FactSample.of(ranking, cells[0], gold[:, 1:].sum(axis=1))
