"""Paper D: what the twenty real lists and the printed tables say; the lists have the published scores."""

import csv

import numpy as np
import pytest

from helpers import ROOT
from helpers.data import PUBLISHED_LISTS
from helpers.data.systems import _probabilities
from helpers.papers.distant import RankedLists, _published_list_runs
from helpers.papers.protocols import claims_of_table_4
from helpers.reporting import load_published
from helpers.runs import RUNS_FOLDER, Run, load_run, save_run


def test_every_replicate_is_cut_at_the_common_recall() -> None:
    """Cut once, before it is drawn, a list would end at another recall in every replicate: [11.49, 15.06]."""
    run = RankedLists.published("nyt10")["NRE CNN+ATT"]
    lists = RankedLists({"": run})
    row = lists.scores(0.2, 500, 9).iloc[0]
    assert 100 * row[["low", "high"]].to_numpy(float) == pytest.approx([12.2, 14.4], abs=0.25)
    assert row["drawn"] == "fact" and row["recall"] == 0.2
    assert row["auc"] == lists.ranking("").until(0.2).auc()


def test_areas_grow_with_the_recall_and_end_at_the_whole_list() -> None:
    nyt10 = RankedLists.published("nyt10")
    for name in ("NRE CNN+ATT", "RESIDE Mintz"):
        ranking = nyt10.ranking(name)
        areas = [ranking.until(recall).auc() for recall in np.arange(0.05, ranking.recall[-1], 0.05)]
        areas.append(ranking.until(float(ranking.recall[-1])).auc())
        assert (np.diff(areas) > 0).all() and areas[-1] == pytest.approx(ranking.auc())


def test_bands_hold_the_curve() -> None:
    lists = RankedLists({"": RankedLists.published("gids")["Jat EA"]})
    curve = lists.curves(replicates=60, points=10)
    inside = curve.dropna()
    assert (inside["low"] <= inside["precision"] + 1e-9).all()
    assert (inside["precision"] <= inside["high"] + 1.5).all()
    ranking = lists.ranking("")
    rank = int(np.searchsorted(ranking.recall, 0.5 - 1e-12))
    half = curve.set_index(curve["recall"].round(6)).loc[50.0, "precision"]
    assert half == pytest.approx(100 * ranking.precision[rank])


class TestProtocols:
    def test_claims_are_computed_and_hold(self) -> None:
        claims = claims_of_table_4()
        assert len(claims) == 15 and claims["holds"].all()
        assert claims["numbers"].str.len().gt(10).all()

    @pytest.mark.parametrize(
        ("where", "value", "broken"),
        [
            ({"model": "RL-DSRE", "statistic": "bag-level manual"}, 60.0, "change places"),
            ({"model": "PCNN+bag+ATT", "dataset": "nyt10m"}, 34.0, "the new ontology lowers the AUC"),
            ({"model": "PCNN+bag+ATT", "dataset": "nyt10m"}, 28.0, "ATT stays ahead of AVG"),
            ({"model": "PCNN+bag+ATT (sample)", "dataset": "nyt10m"}, 31.0, "within half a point of AUC"),
        ],
    )
    def test_a_claim_that_does_not_hold_is_found(self, monkeypatch, where, value, broken) -> None:
        def changed(*chosen):
            frame = load_published(*chosen)
            cells = (frame[[*where]] == where).all(axis=1) & (frame["metric"] == "auc")
            return frame.assign(value=frame["value"].mask(cells, value))

        monkeypatch.setattr("helpers.papers.protocols.load_published", changed)
        claims = claims_of_table_4()
        claims = claims if "statistic" in where else claims.iloc[:3]
        assert broken in claims.loc[~claims["holds"], "claim"].iloc[0]


class TestStoredLists:
    with open(ROOT / "tests" / "golden" / "ranked_lists.csv", newline="") as file:
        EXPECTED = list(csv.DictReader(file))

    def stored(self, dataset: str, model: str) -> Run:
        return load_run(RUNS_FOLDER / dataset / model.replace(" ", "-") / "published" / "predictions.json")

    @pytest.mark.parametrize("row", EXPECTED, ids=lambda row: f"{row['dataset']} {row['name']}")
    def test_a_stored_list_has_the_published_scores(self, row) -> None:
        """No data are needed."""
        run = self.stored(row["dataset"], row["name"])
        registered = {(row.name, row.dataset): row for row in PUBLISHED_LISTS}[row["name"], row["dataset"]]
        ranking = run.outcome().ranking(run.labels, run.negative)
        assert ranking.auc(row["area"]) == pytest.approx(float(row["auc"]), abs=5e-5)
        for n in (100, 200, 300):
            assert ranking.precision_at(n) == pytest.approx(float(row[f"P@{n}"]), abs=5e-4)
        assert (registered.area, registered.licence) == (row["area"], run.licence)
        assert run.source and all(len(sha256) == 64 for sha256 in run.files.values())

    def test_one_hit_more_is_noticed(self) -> None:
        outcome = self.stored("nyt10", "NRE CNN+ONE").outcome()
        hits = outcome.hit_ranks
        assert 1 not in hits
        changed = type(outcome)(level="bag", facts=1950, length=2000, hit_ranks=(1, *hits[:-1]))
        assert abs(changed.ranking().auc() - 0.1733) > 5e-4

    def test_a_fresh_conversion_is_what_is_stored(self, data_dir, tmp_path) -> None:
        runs = _published_list_runs()
        paths = [save_run(run, tmp_path) for run in runs]
        assert len(runs) == 20
        for run in runs:
            assert run == self.stored(run.dataset, run.model), run.name
        for path in paths:
            assert path.read_bytes() == (RUNS_FOLDER / path.relative_to(tmp_path)).read_bytes()

    @pytest.mark.parametrize("system", ["PCNN", "WA", "EA"])
    def test_pairs_and_relations_are_those_of_the_probabilities(self, system, data_dir) -> None:
        run = self.stored("gids", f"Jat {system}")
        scores, gold = _probabilities(f"gids/predictions/{system}.npz")
        facts = run.outcome()
        cells = np.array(facts.pairs), np.array(facts.relations)
        assert len(set(zip(*(column.tolist() for column in cells), strict=True))) == scores.size * 4 // 5
        assert np.abs(scores[cells] - facts.scores).max() < 1e-6
        ranking = facts.ranking(run.labels, run.negative)
        assert np.array_equal(gold[cells], ranking.hits)
        ranking.sample(cells[0], gold[:, 1:].sum(axis=1))
