"""The audit: enclosures enclose, known verdicts hold, and a corrupted number flips a verdict."""

import csv

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy, ttest_ind_from_stats

from helpers import ROOT
from helpers.data.statistics import _published
from helpers.metrics.significance import cohens_d, welch_from_summary
from helpers.papers.audit import audit_claims, intervals
from helpers.papers.audit.direction import _common_denominator, _immobile_pairs, _nearest_rate
from helpers.papers.audit.weighting import _two_sided_p, _welch_df, _welch_p
from helpers.reporting import TABLES_FOLDER, load_published, write_csv
from helpers.reporting.published import Printed
from tests.support import nightly


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return load_published()


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return audit_claims()


def verdict(table: pd.DataFrame, item: str, claim: str) -> str:
    (found,) = table.loc[(table["item"] == item) & (table["claim"] == claim), "verdict"]
    return found


def corrupted(frame: pd.DataFrame, printed: str, **where: str) -> pd.DataFrame:
    """The published numbers with one of them changed."""
    chosen = np.logical_and.reduce([frame[column] == value for column, value in where.items()])
    assert chosen.sum() == 1
    changed = frame.copy()
    changed.loc[chosen, ["printed", "value"]] = [printed, Printed(printed).value]
    return changed


with open(ROOT / "tests" / "golden" / "audit_corruptions.csv", encoding="utf-8", newline="") as file:
    CORRUPTIONS = list(csv.DictReader(file))


LESS_OFTEN = [row for number, row in enumerate(CORRUPTIONS) if number % 3]


@pytest.mark.parametrize("row", nightly(CORRUPTIONS, 0, *LESS_OFTEN), ids=lambda row: row["claim"])
def test_one_corrupted_number_flips_a_verdict(frame, table, row):
    names = frame.columns.intersection([*row]).drop("printed")
    where = {name: row[name] for name in names if row[name]}
    where["paper"] = "R" if row["item"].startswith(("Table V", "Table I", "Section V")) else "W"
    assert verdict(table, row["judged"], row["claim"]) == "consistent"
    changed = audit_claims(corrupted(frame, row["printed"], **where))
    assert verdict(changed, row["judged"], row["claim"]) == "inconsistent"


@pytest.mark.parametrize(
    ("label", "score"),
    [("per:title", "perplexity_without_negative"), ("no_relation", "perplexity"), ("org:dissolved", "ratio")],
)
def test_label_counts_are_checked_against_table_1(frame, table, monkeypatch, label, score):
    counts, claim = _published()["tacred"]["test"], f"tacred: {score} from label counts"
    monkeypatch.setitem(counts, label, counts[label] + 100)
    assert verdict(table, "Table 1", claim) == "consistent"
    assert verdict(audit_claims(frame), "Table 1", claim) == "inconsistent"
    assert verdict(table, "Table 1", f"nyt10: {score} from label counts") == "not derivable"


def test_the_audit_is_the_stored_one_and_complete(table, tmp_path):
    made = write_csv(table, tmp_path / "a.csv", digits=6)
    assert made.read_bytes() == (TABLES_FOLDER / "audit.csv").read_bytes()
    assert not table.duplicated(["paper", "item", "claim", "published", "inputs"]).any()
    judged = table[table["verdict"] != "not derivable"]
    assert set(judged["verdict"]) == {"consistent", "inconsistent"}
    assert (judged["derived_low"] <= judged["derived_high"]).all()


class TestIntervals:
    """Random true values inside the boxes: every result has to lie inside the enclosure."""

    def test_effect_df_and_p_enclose(self, rng):
        boxes = ((72.05, 72.15), (0.45, 0.55), (67.75, 67.85), (0.35, 0.45))
        effect, df = intervals.corners(cohens_d, *boxes), _welch_df(boxes[1], boxes[3], 5)
        p = _two_sided_p(effect, df, 5)
        for _ in range(300):
            corner = rng.random(4) < 0.3
            pairs = zip(corner, boxes, strict=True)
            drawn = [rng.choice(box) if at_end else rng.uniform(*box) for at_end, box in pairs]
            test = welch_from_summary(*drawn[:2], 5, *drawn[2:], 5)
            assert effect[0] <= cohens_d(*drawn) <= effect[1]
            assert df[0] - 1e-9 <= test.df <= df[1] + 1e-9
            assert p[0] * (1 - 1e-9) <= test.p <= p[1] * (1 + 1e-9)

    @pytest.mark.parametrize("printed", [(0.0, np.inf), (8.65, 8.75), (7.0, 20.0), (10.05, 10.15)])
    @pytest.mark.parametrize("gain", [(4.2, 4.4), (-0.1, 0.3)])
    @pytest.mark.parametrize(
        "sds", [((0.45, 0.55), (0.35, 0.45)), ((0.35, 0.45), (0.35, 0.45)), ((0.25, 0.35), (0.35, 0.45))]
    )
    def test_the_range_of_p_is_that_of_a_fine_grid(self, printed, gain, sds):
        """Brute force over the box: nothing lies outside the range, and the grid comes near both ends."""
        ends = _welch_p(gain, *sds, 5, printed)
        means, a, b = np.meshgrid(np.linspace(*gain, 41), *(np.linspace(*sd, 81) for sd in sds))
        effect = np.abs(means) / np.sqrt((a**2 + b**2) / 2)
        p = ttest_ind_from_stats(means, a, 5, 0.0, b, 5, equal_var=False).pvalue
        p = p[(printed[0] <= effect) & (effect <= printed[1])]
        if ends is None:
            assert not p.size
            return
        assert ends[0] * (1 - 1e-9) <= p.min() <= ends[0] * 1.05
        assert ends[1] * 0.95 <= p.max() <= ends[1] * (1 + 1e-9)

    def test_negative_share_holds_the_true_one(self, rng):
        for _ in range(200):
            counts = rng.integers(1, 300, 9).astype(float)
            q = rng.uniform(0.001, 0.99)
            both = [*(counts / counts.sum() * (1 - q)), q]
            worth = [2 ** entropy(shares, base=2) for shares in (both, counts)]
            boxes = [(value - 0.005, value + 0.005) for value in worth]
            assert any(low <= q <= high for low, high in intervals.negative_share(*boxes))

    def test_a_common_denominator_that_is_not_unique_is_refused(self):
        with pytest.raises(ValueError, match="both fit"):
            _common_denominator([(50.0, (49.995, 50.005))], 10)

    def test_immobile_pairs_and_nearest_rate_against_plain_loops(self):
        share, both, n = (0.1, 0.2), 30, 60
        pairs = [[k, m] for m in range(1, n + 1) for k in range(m + 1)]
        plain = [[k, m] for k, m in pairs if share[0] <= k / m <= share[1] and k + both <= m]
        assert _immobile_pairs(share, both, n).tolist() == plain
        assert len(plain) > 50
        possible = [100 * k / m for m in range(both, n + 1) for k in range(m - both + 1)]
        for percent in (0.0, 3.3, 40.0, 99.0):
            nearest = min(abs(rate - percent) for rate in possible)
            assert abs(_nearest_rate(percent, both, n) - percent) == pytest.approx(nearest)
