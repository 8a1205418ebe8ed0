"""DocRED's labels against Re-DocRED's: what the page says of ten systems follows from the stored scores."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.stats import kendalltau

from helpers.experiments import PROTOCOLS
from helpers.papers.protocols import TITLES, RealLabels

HELD_OUT, MANUAL = PROTOCOLS


@pytest.fixture(scope="module")
def labels() -> RealLabels:
    return RealLabels()


def test_every_system_is_scored_by_both_on_the_same_draws(labels) -> None:
    scores, draws = labels.scores, labels.draws
    assert scores.groupby(["system", "seed"])["protocol"].agg(list).map(sorted).map(tuple).nunique() == 1
    assert set(draws["system"]) == set(scores["system"]) and set(draws["draw"]) == set(range(1, 201))
    assert len(draws) == 400 * draws["system"].nunique() and draws["auc"].between(0, 1).all()
    for row in labels.by_both().itertuples():
        assert row.low < row.value < row.high


def test_tau_and_turned_pairs_are_those_of_the_means(labels) -> None:
    means = labels.scores.groupby(["system", "protocol"])["auc"].mean().unstack()

    def turned(table: pd.DataFrame) -> int:
        differences = (table.loc[a] - table.loc[b] for a, b in combinations(table.index, 2))
        return sum(one[HELD_OUT] * one[MANUAL] < 0 for one in differences)

    row = labels.orders().iloc[0]
    assert row["Kendall's τ"].startswith(f"{kendalltau(*means.to_numpy().T).statistic:.2f} [")
    assert row["pairs reversed"].split(" of ")[0] == str(turned(means))
    # spoilt: the two labels change their names for half of the systems
    spoilt, half = labels.scores.copy(), sorted(set(labels.scores["system"]))[::2]
    best = spoilt["system"].isin(half) & (spoilt["protocol"] == MANUAL)
    spoilt.loc[best, "auc"] = 1 - spoilt.loc[best, "auc"]
    assert RealLabels(spoilt).orders().iloc[0]["pairs reversed"] != row["pairs reversed"]


def test_leads_are_differences_of_the_table(labels) -> None:
    table = labels.by_both().set_index("protocol", append=True)["value"].unstack()
    for row in labels.moved().to_dict("records"):
        first, second = row["pair"].split(" − ")
        for protocol, title in TITLES.items():
            lead = table.loc[first, protocol] - table.loc[second, protocol]
            assert float(row[title].split(" [")[0]) == pytest.approx(lead, abs=0.051)
        assert float(row["DocRED's labels"].split(" [")[0]) >= -0.05
    assert np.isfinite(table.to_numpy()).all()
