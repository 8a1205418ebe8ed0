"""The audit: enclosures enclose, known verdicts hold, and a corrupted number flips a verdict."""

import csv

import numpy as np
import pandas as pd
import pytest
from scipy.stats import entropy, ttest_ind_from_stats

from helpers import ROOT
from helpers.metrics.significance import cohens_d, welch_from_summary
from helpers.papers.audit import intervals
from helpers.papers.audit.direction import nearest_rate
from helpers.papers.audit.report import audit_claims, write_audit
from helpers.reporting.published import load_published, parse_printed

COUNTS = pd.DataFrame(columns=["dataset", "split", "label", "count"])


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return load_published()


@pytest.fixture(scope="module")
def printed_only(frame) -> pd.DataFrame:
    """The audit without label counts: it rests on printed numbers alone."""
    return audit_claims(frame, COUNTS)


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return audit_claims()


def verdict(table: pd.DataFrame, item: str, claim: str) -> str:
    rows = table[(table["item"] == item) & (table["claim"] == claim)]
    assert len(rows) == 1, f"{len(rows)} rows: {item}, {claim}"
    return rows["verdict"].iloc[0]


def corrupted(frame: pd.DataFrame, printed: str, **where: str) -> pd.DataFrame:
    """The published numbers with one of them changed."""
    chosen = np.logical_and.reduce([frame[column] == value for column, value in where.items()])
    assert chosen.sum() == 1
    changed = frame.copy()
    changed.loc[chosen, ["printed", "value"]] = [printed, parse_printed(printed)[0]]
    return changed


# Eq. 4 with the printed means and SDs themselves; by hand for Table 3, micro: √2 · 1.0 / √(0.3² + 0.4²)
@pytest.mark.parametrize(
    ("item", "values"),
    [("Table 3", [2.83, 9.50, 16.12, 14.80, 24.32]), ("Table 4", [-2.33, -2.67, -2.00, -2.00, 11.26])],
)
def test_d_of_the_printed_means_lies_in_the_derived_interval(printed_only, item, values):
    rows = printed_only[printed_only["item"].eq(item) & printed_only["claim"].str.contains("d from means")]
    for (_, row), value in zip(rows.iterrows(), values, strict=True):
        assert row.derived_low < value < row.derived_high
        assert row.verdict == "consistent"


def test_p_values_that_do_not_follow(printed_only):
    claims = printed_only["claim"].str.contains("p from")
    wrong = printed_only[claims & printed_only["verdict"].eq("inconsistent")]
    found = [(row["item"], row["claim"]) for _, row in wrong.iterrows()]
    joint, given_d = "p from means, SDs and the printed d together", "p from the printed d and SDs"
    means = "p from means and SDs"
    assert found == [
        ("Table 3", f"weighted: {means}"),
        ("Table 3", f"weighted: {joint}"),
        ("Table 3", f"entropy: {joint}"),
        ("Table 3", f"macro: {means}"),
        ("Table 3", f"macro: {given_d}"),
        ("Table 3", f"macro: {joint}"),
        ("Table 4", f"macro: {given_d}"),
        ("Table 4", f"macro: {joint}"),
    ]


with open(ROOT / "tests" / "golden" / "audit_corruptions.csv", encoding="utf-8", newline="") as file:
    CORRUPTIONS = list(csv.DictReader(file))


@pytest.mark.parametrize("row", CORRUPTIONS, ids=lambda row: row["claim"])
def test_one_corrupted_number_flips_a_verdict(frame, printed_only, row):
    where = {
        name: row[name] for name in frame.columns.intersection([*row]) if name != "printed" and row[name]
    }
    where["paper"] = "R" if "Table V" in row["item"] or "Table I" in row["item"] else "W"
    assert verdict(printed_only, row["judged"], row["claim"]) == "consistent"
    changed = audit_claims(corrupted(frame, row["printed"], **where), COUNTS)
    assert verdict(changed, row["judged"], row["claim"]) == "inconsistent"


def test_a_wrong_restatement_by_one_last_digit_is_found(frame):
    where = {"paper": "R", "item": "Section V-E", "model": "EM-ES-M (large)"}
    claim = "EM-ES-M (large): A of Table VI, restated"
    assert verdict(audit_claims(frame, COUNTS), "Section V-E", claim) == "consistent"
    assert (
        verdict(audit_claims(corrupted(frame, "90.49", **where), COUNTS), "Section V-E", claim)
        == "inconsistent"
    )


@pytest.mark.parametrize(
    ("label", "claim"),
    [
        ("per:title", "tacred: perplexity_without_negative from label counts"),
        ("no_relation", "tacred: perplexity from label counts"),
        ("org:dissolved", "tacred: ratio from label counts"),
    ],
)
def test_label_counts_are_checked_against_table_1(frame, table, label, claim):
    from helpers.papers.audit.corpora import load_label_counts

    counts = load_label_counts()
    chosen = counts["dataset"].eq("tacred") & counts["split"].eq("test") & counts["label"].eq(label)
    assert chosen.sum() == 1
    counts.loc[chosen, "count"] += 100
    assert verdict(table, "Table 1", claim) == "consistent"
    assert verdict(audit_claims(frame, counts), "Table 1", claim) == "inconsistent"


def test_without_label_counts_nothing_is_made_up(printed_only, table):
    names = printed_only["claim"].str.contains("label counts")
    assert set(printed_only.loc[names, "verdict"]) == {"not derivable"}
    assert (table["verdict"] == "not derivable").sum() < (printed_only["verdict"] == "not derivable").sum()


def test_audit_is_deterministic_and_complete(table):
    assert table.equals(audit_claims())
    assert not table.duplicated(["paper", "item", "claim", "published", "inputs"]).any()
    assert set(table["verdict"]) == {"consistent", "inconsistent", "not derivable"}
    judged = table["verdict"] != "not derivable"
    assert table.loc[judged, "derived_low"].notna().all()
    assert (table.loc[judged, "derived_low"] <= table.loc[judged, "derived_high"]).all()


def test_write_audit_is_byte_identical(tmp_path, table):
    first = write_audit(tmp_path / "a.csv", table).read_bytes()
    assert first == write_audit(tmp_path / "b.csv").read_bytes()
    assert first.endswith(b"\n") and b"\r" not in first
    assert len(first.splitlines()) == len(table) + 1


class TestIntervals:
    """Random true values inside the boxes: every result has to lie inside the enclosure."""

    BOX = {"mean_a": (72.05, 72.15), "sd_a": (0.45, 0.55), "mean_b": (67.75, 67.85), "sd_b": (0.35, 0.45)}

    def draw(self, rng):
        corner = rng.random(4) < 0.3
        return [
            rng.choice(box) if c else rng.uniform(*box)
            for c, box in zip(corner, self.BOX.values(), strict=True)
        ]

    def test_effect_df_and_p_enclose(self, rng):
        effect = intervals.effect_size(*self.BOX.values())
        df = intervals.welch_df(self.BOX["sd_a"], self.BOX["sd_b"], 5)
        p = intervals.two_sided_p(effect, df, 5)
        for _ in range(300):
            mean_a, sd_a, mean_b, sd_b = self.draw(rng)
            test = welch_from_summary(mean_a, sd_a, 5, mean_b, sd_b, 5)
            assert effect[0] <= cohens_d(mean_a, sd_a, mean_b, sd_b) <= effect[1]
            assert df[0] - 1e-9 <= test.df <= df[1] + 1e-9
            assert p[0] * (1 - 1e-9) <= test.p <= p[1] * (1 + 1e-9)

    @pytest.mark.parametrize("printed", [(0.0, np.inf), (8.65, 8.75), (7.0, 20.0), (10.05, 10.15)])
    @pytest.mark.parametrize("gain", [(4.2, 4.4), (-0.1, 0.3)])
    @pytest.mark.parametrize(
        "sds", [((0.45, 0.55), (0.35, 0.45)), ((0.35, 0.45), (0.35, 0.45)), ((0.25, 0.35), (0.35, 0.45))]
    )
    def test_the_range_of_p_is_that_of_a_fine_grid(self, printed, gain, sds):
        """Brute force over the box: nothing lies outside the range, and the grid comes near both ends."""
        found = intervals.welch_p(gain, *sds, 5, printed)
        means, a, b = np.meshgrid(np.linspace(*gain, 41), *(np.linspace(*one, 81) for one in sds))
        effect = np.abs(means) / np.sqrt((a**2 + b**2) / 2)
        p = ttest_ind_from_stats(means, a, 5, 0.0, b, 5, equal_var=False).pvalue
        p = p[(printed[0] <= effect) & (effect <= printed[1])]
        if found is None:
            assert not p.size
            return
        assert found[0] * (1 - 1e-9) <= p.min() <= found[0] * 1.05
        assert found[1] * 0.95 <= p.max() <= found[1] * (1 + 1e-9)

    def test_negative_share_holds_the_true_one(self, rng):
        for _ in range(200):
            counts = rng.integers(1, 300, 9).astype(float)
            q = rng.uniform(0.001, 0.99)
            without, both = (
                2 ** entropy(c, base=2) for c in (counts, [*(counts / counts.sum() * (1 - q)), q])
            )
            boxes = [(value - 0.005, value + 0.005) for value in (both, without)]
            assert any(low <= q <= high for low, high in intervals.negative_share(*boxes))

    def test_a_common_denominator_that_is_not_unique_is_refused(self):
        with pytest.raises(ValueError, match="both fit"):
            intervals.common_denominator([(50.0, (49.995, 50.005))], 10)

    def test_immobile_pairs_against_a_plain_loop(self):
        share, both, n = (0.1, 0.2), 30, 60
        plain = [
            [k, m]
            for m in range(1, n + 1)
            for k in range(m + 1)
            if share[0] <= k / m <= share[1] and k + both <= m
        ]
        assert intervals.immobile_pairs(share, both, n).tolist() == plain
        assert len(plain) > 50

    @pytest.mark.parametrize("percent", [0.0, 3.3, 40.0, 99.0])
    def test_nearest_rate_against_a_plain_loop(self, percent):
        both, n = 30, 60
        possible = [100 * k / m for m in range(both, n + 1) for k in range(m - both + 1)]
        nearest = min(abs(one - percent) for one in possible)
        assert abs(nearest_rate(percent, both, n)[0] - percent) == pytest.approx(nearest)
