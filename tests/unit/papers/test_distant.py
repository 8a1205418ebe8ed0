"""Paper D: what the twenty real lists and the printed tables say."""

import numpy as np
import pytest

from helpers.papers.distant import (
    cut_areas,
    list_scores,
    precision_curves,
    published_lists,
    ranking_of,
)
from helpers.papers.protocols import (
    claims_of_table_4,
)
from helpers.reporting import load_published


@pytest.fixture(scope="module")
def nyt10():
    return published_lists("nyt10")


@pytest.fixture(scope="module")
def gids():
    return published_lists("gids")


def test_twenty_lists_in_the_order_of_their_areas(nyt10, gids) -> None:
    assert (len(nyt10), len(gids)) == (14, 6)
    for runs in (nyt10, gids):
        areas = list_scores(runs)["auc"].tolist()
        assert areas == sorted(areas, reverse=True) and list(runs) == list_scores(runs)["system"].tolist()


def test_every_replicate_is_cut_at_the_common_recall(nyt10) -> None:
    """Cut once, before it is drawn, a list would end at another recall in every replicate: [11.49, 15.06]."""
    row = list_scores({"": nyt10["NRE CNN+ATT"]}, 0.2, 500, 9).iloc[0]
    assert 100 * row[["low", "high"]].to_numpy(float) == pytest.approx([12.2, 14.4], abs=0.25)
    assert row["drawn"] == "fact" and row["recall"] == 0.2
    assert row["auc"] == ranking_of(nyt10["NRE CNN+ATT"]).until(0.2).auc()


def test_areas_grow_with_the_recall_and_end_at_the_whole_list(nyt10) -> None:
    areas = cut_areas({name: nyt10[name] for name in ("NRE CNN+ATT", "RESIDE Mintz")}, step=0.05)
    for name, rows in areas.groupby("system"):
        assert rows["area"].is_monotonic_increasing
        assert rows["area"].iloc[-1] == pytest.approx(100 * ranking_of(nyt10[name]).auc())


def test_bands_hold_the_curve(gids) -> None:
    curve = precision_curves({"Jat EA": gids["Jat EA"]}, replicates=60, points=10)
    inside = curve.dropna()
    assert (inside["low"] <= inside["precision"] + 1e-9).all() and (
        inside["precision"] <= inside["high"] + 1.5
    ).all()
    ranking = ranking_of(gids["Jat EA"])
    at = int(np.searchsorted(ranking.recall, 0.5 - 1e-12))
    half = curve.set_index(curve["recall"].round(6)).loc[50.0, "precision"]
    assert half == pytest.approx(100 * ranking.precision[at])


class TestProtocols:
    def test_claims_are_computed_and_hold(self) -> None:
        claims = claims_of_table_4()
        assert len(claims) == 15 and claims["holds"].all()
        assert claims["numbers"].str.len().gt(10).all()

    def test_a_claim_that_does_not_hold_is_found(self, monkeypatch) -> None:
        real = load_published

        def changed(*where):
            frame = real(*where)
            row = (frame["model"] == "RL-DSRE") & (frame["statistic"] == "bag-level manual")
            frame.loc[row & (frame["metric"] == "auc"), "value"] = 60.0
            return frame

        monkeypatch.setattr("helpers.papers.protocols.load_published", changed)
        claims = claims_of_table_4()
        assert "change places" in claims.loc[~claims["holds"], "claim"].iloc[0]

    @pytest.mark.parametrize(
        ("model", "value", "broken"),
        [
            ("PCNN+bag+ATT", 34.0, "the new ontology lowers the AUC"),
            ("PCNN+bag+ATT", 28.0, "ATT stays ahead of AVG"),
            ("PCNN+bag+ATT (sample)", 31.0, "within half a point of AUC"),
        ],
    )
    def test_claims_of_tables_2_and_3_can_fail(self, monkeypatch, model, value, broken) -> None:
        real = load_published

        def changed(*where):
            frame = real(*where)
            cell = (frame["model"] == model) & (frame["metric"] == "auc") & (frame["dataset"] == "nyt10m")
            return frame.assign(value=frame["value"].mask(cell, value))

        monkeypatch.setattr("helpers.papers.protocols.load_published", changed)
        early = claims_of_table_4().iloc[:3]
        (claim,) = early.loc[~early["holds"], "claim"]
        assert broken in claim
