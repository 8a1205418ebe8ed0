"""The verdicts on the papers' findings: by hand, on made-up runs, and on the stored ones."""

from itertools import permutations
from pathlib import Path

import pandas as pd
import pytest

from helpers import ROOT
from helpers.data import TOTAL, published_counts
from helpers.papers.distant import RankedLists, bag_runs, bag_scores
from helpers.papers.findings import (
    STATUSES,
    _finding_runs,
    _verdict,
    bag_findings,
    findings_table,
    read_items,
    stored_findings,
)
from helpers.papers.graphs import PairSystems
from helpers.reporting import TABLES_FOLDER, load_published, read_tidy, scheme_scores
from helpers.runs import Run
from helpers.runs.outcomes import _PairedRows

W_COUNTED, UNDIRECTED = ["chemprot", "docred", "nyt24", "tacred"], ["semeval2010-undirected"]
"""Corpora of W's Table 1 whose classes are far from equal; and SemEval without direction."""
AHEAD, AGAINST, UNDECIDED, IN_PART = "reproduced (order)", "contradicted", "undecided", "in part"
SAME, OTHER = ("definition", "same data"), ("other models", "other data")
RULES = {
    "holds always": (SAME, {"reproduced", IN_PART, AGAINST}),
    "counted": (("same data", *OTHER), {*STATUSES[:5]}),
    "follows": (("printed numbers",), {UNDECIDED, AGAINST, "not possible here"}),
    "tests": (OTHER, {AHEAD, IN_PART, UNDECIDED, AGAINST}),
    "every run": (OTHER, {AHEAD, UNDECIDED, AGAINST}),
    "made anew": (OTHER, {IN_PART}),
    "one case": (OTHER, {IN_PART, UNDECIDED}),
    "nothing": (("none",), {*STATUSES[5:]}),
}
"""Rule of items.csv → the evidence that it is for, and the statuses that it gives. The evidence: what holds
for every input; counts of the paper's own data; the printed numbers alone; runs of other models on the
paper's data, or runs or counts on other data."""


def runs(model: str, numbers: list[int]) -> list[Run]:
    """100 samples of R(e1,e2), all right on the test set, so many of them also on the paired set."""
    about = {"dataset": "semeval2010", "model": model, "encoder": "bert-base-uncased"}
    about |= {"labels": ("R(e1,e2)", "R(e2,e1)", "Other"), "negative": "Other"}
    tables = [_PairedRows(rows=((0, 0, 1, both), (0, 0, 0, 100 - both))) for both in numbers]
    return [Run(**about, seed=seed, table=table) for seed, table in enumerate(tables)]


def row_of(table: pd.DataFrame, score: str, second: str) -> pd.Series:
    (row,) = table.index[(table["score"] == score) & (table["first"] == "EM-C") & (table["second"] == second)]
    return table.loc[row]


@pytest.mark.parametrize(
    ("better", "worse", "expected"),
    [
        (range(59, 64), range(9, 14), AHEAD),
        (range(9, 14), range(59, 64), AGAINST),
        (range(10, 91, 20), range(20, 61, 10), "undecided"),
        (range(59, 62), range(9, 12), "undecided"),
        ([], range(9, 14), "undecided"),
    ],
)
def test_the_rule(better, worse, expected) -> None:
    """EM-ES has the larger PPR in the paper, and the smaller PIR. Three runs are no verdict."""
    table = findings_table(runs("EM-ES", better) + runs("EM-C", worse))
    assert [row_of(table, score, "EM-ES")["verdict"] for score in ("ppr", "pir")] == [expected] * 2
    assert row_of(table, "ppr", "R-BERT")["verdict"] == "undecided"


def test_p_alone_is_no_verdict() -> None:
    """.0125 < p < .05 in three tests: Holm's is above .05."""
    assert [_verdict(True, 1.0, p, 5) for p in (0.049, 0.051)] == [AHEAD, "undecided"]
    own = stored_findings().query("family == 'W, Table 4, BERT_EM'")
    assert len(own) == 6 and set(own["verdict"]) == {"undecided"} and set(own["runs"]) == {5}
    tested = own[own["score"] != "fall"]
    assert tested["p"].between(0.024, 0.039).all() and (tested["p_holm"] > 0.12).all()


def test_holm_is_within_a_family_and_a_family_is_a_table() -> None:
    for _, part in stored_findings().groupby("family"):
        ordered = part.sort_values("p")
        steps = (ordered["p"] * [*range(len(part), 0, -1)]).cummax().clip(upper=1)
        assert ordered["p_holm"].tolist() == pytest.approx(steps.tolist())
    sizes = {"R, Table III": 9, "R, Table IV": 4, "R, Table V": 3, "R, Table VI": 6}
    forms = ("3, with the leak", "3, without the leak", "4, BERT_EM", "4, EM-ES")
    sizes |= {f"W, Table {form}": 6 for form in forms}
    assert stored_findings()["family"].value_counts().to_dict() == sizes


def test_direction_is_compared_at_equal_a_only() -> None:
    """EMR-C is 11.9 points below EM-C on A, in R 4.0: B and PPR decide nothing, whatever their p."""
    table = stored_findings()
    for score in ("pir", "ppr", "performance_paired"):
        row = row_of(table, score, "EMR-C")
        assert row["verdict"] == "undecided" and row["why"] == "11.9 points apart in A, in the paper 4.0"
    assert row_of(table, "ppr", "EMR-C")["p_holm"] < 0.05
    assert row_of(table, "performance_original", "EMR-C")["verdict"] == AHEAD
    assert table["why"].astype(bool).sum() == 3


class TestItems:
    def proven(self, row) -> bool:
        """Whether a file holds what the row names, and a note says what is missing."""
        if bool(row.family) != (row.rule == "tests"):
            return False
        if row.rule == "nothing":
            return bool(row.note) and (row.status != "not built yet" or not row.file)
        if row.rule == "tests":
            return (ROOT / row.file).is_file()
        text, is_test = (ROOT / row.file).read_text("utf-8"), Path(row.file).name.startswith("test_")
        held = row.key and (f"def {row.key}(" if is_test else row.key) in text
        noted = row.note or row.status not in ("in part", "undecided", AGAINST, "not possible here")
        return bool(held and noted and (is_test or len(row.key) >= 12))  # a word proves little

    def test_each_names_its_evidence(self) -> None:
        rows = read_items().itertuples()
        assert [(row.paper, row.item, row.what) for row in rows if not self.proven(row)] == []

    def test_every_finding_is_in_an_item(self) -> None:
        """A family is what items.csv lists: no test is left out, but those beside W's own forms. An item is
        *in part* if some of its tests have the paper's order."""
        rows = read_items().query("rule == 'tests'")
        assert len(rows) >= 20
        texts = zip(rows["family"].str.split("; "), rows["key"].str.split("; "), strict=True)
        listed = {(family, label) for families, keys in texts for family in families for label in keys}
        beside = ("W, Table 3, without the leak", "W, Table 4, EM-ES")
        tables = stored_findings(), bag_findings(bag_scores(bag_runs()))
        verdicts = {(row.family, row.label): row.verdict for table in tables for row in table.itertuples()}
        assert [key for key in verdicts if key not in listed and key[0] not in beside] == []
        for row in rows.itertuples():
            labels, families = row.key.split("; "), row.family.split("; ")
            tests = [(f, label) for label in labels for f in families if (f, label) in verdicts]
            assert [label for _, label in tests] == labels  # each in one of the item's families
            alike = {verdicts[test] for test in tests}
            status = alike.pop() if len(alike) == 1 else IN_PART if AHEAD in alike else UNDECIDED
            assert row.status == status, row

    def test_a_status_follows_from_evidence_and_rule(self) -> None:
        """Nothing is *reproduced* on other models or data, and nothing *(order)* on the paper's own."""
        items = read_items()
        assert set(items["kind"]) == {"table", "figure", "equation", "claim"}
        for row in items.itertuples():
            evidence, statuses = RULES[row.rule]
            assert row.evidence in evidence and row.status in statuses, row
            assert row.status != ("reproduced" if row.evidence in OTHER else AHEAD), row


class TestEvidence:
    """Claims of the papers that no other test is about; items.csv names these tests."""

    def test_section_1_of_w_on_label_counts(self) -> None:
        """Negative samples, perplexity and ratio of Table 1, each where label counts are public."""
        rows = read_tidy(TABLES_FOLDER / "01_statistics.csv")
        rows = rows.query("item == 'Table 1' and dataset != 'nyt10'")
        table = rows.pivot(index="dataset", columns="metric", values="value")
        assert set(table.index) == {*W_COUNTED, *UNDIRECTED, "semeval2010"}
        assert table.loc["tacred", "negative_share"] > 75
        worth = table["perplexity"] / table["labels"]
        assert worth[W_COUNTED].max() < 0.6 and worth.drop(W_COUNTED).min() > 0.7
        assert table["ratio"].drop(UNDIRECTED).min() > 200 > 3 > table.loc[UNDIRECTED, "ratio"].item()

    def test_dodrans_and_entropy_rank_alike_and_lie_in_between(self) -> None:
        """W, Section 3.1, on 52 published systems of TACRED."""
        rows = read_tidy(TABLES_FOLDER / "03_systems.csv").query("dataset == 'tacred' and metric == 'f1'")
        scores = rows.pivot(index="model", columns="scheme", values="value")
        assert len(scores) == 52 and scores["dodrans"].corr(scores["entropy"], "kendall") > 0.98
        for scheme in ("dodrans", "entropy"):
            assert scores[scheme].between(scores["macro"], scores["weighted"], inclusive="neither").all()

    def test_weighted_is_like_micro_on_semeval_and_not_for_recent(self) -> None:
        """W, Section 3.1; of PTR on pairs of Re-DocRED it is not, either."""
        semeval = [run for run in _finding_runs() if run.name in ("EM-ES", "PTR") and run.kind == "paired"]
        scores = pd.DataFrame(map(scheme_scores, semeval))
        assert len(scores) >= 10 and 100 * (scores["micro"] - scores["weighted"]).abs().max() < 0.25
        means = PairSystems.stored().scores().pivot_table("value", "model", "score").mul(100)
        gap = means["micro"] - means["weighted"]
        assert round(gap["RECENT(EM-ES)"]) == 5 and round(gap["PTR"]) == 4

    def test_one_change_on_gids_raises_micro_and_lowers_macro(self) -> None:
        """D, Section 5.3, of systems that differ in training or strategy; in the mean over three runs."""
        scores = bag_scores(bag_runs())
        scores = scores[scores["system"].str.count(r"\+") == 2]
        means = scores.groupby("system")[["micro_f1", "macro_f1"]].mean()
        parts = {system: system.split("+") for system in means.index}
        differing = {(a, b): sum(map(str.__ne__, parts[a], parts[b])) for a, b in permutations(parts, 2)}
        changes = [pair for pair, steps in differing.items() if steps == 1]
        gains = {(a, b): means.loc[b] - means.loc[a] for a, b in changes}
        moved = [pair for pair, gain in gains.items() if gain["micro_f1"] > 0 > gain["macro_f1"]]
        assert moved == [("PCNN+bag+ATT", "PCNN+bag+AVG")]
        assert round(100 * gains[moved[0]]["micro_f1"], 1) == 0.1
        assert set(scores.loc[scores["system"].isin(moved[0])].groupby("system").size()) == {3}

    def test_two_relations_are_most_of_what_lists_of_nyt10_find(self) -> None:
        """W, Section 1; of the six lists that name their relations."""
        shares = RankedLists.published("nyt10").hit_shares(top=2)
        both = {"/location/location/contains", "/people/person/nationality"}
        assert set(shares["relation"]) == {*both, "other"}
        share = 100 - shares[shares["relation"] == "other"].set_index("system")["share"]
        (note,) = read_items().query("what.str.startswith('results on NYT are skewed')")["note"]
        assert len(share) == 6
        assert f"the two are {share.min():.0f} to {share.max():.0f} % of the true facts found" in note

    def test_em_es_and_r_bert_are_alike_on_a_large_encoder(self) -> None:
        """As printed: a tenth of a point apart, base models a third; entity vectors gave five points."""
        printed = load_published("R").query("item == 'Table III' and metric == 'performance_original'")
        a = printed.set_index("model")["value"]
        large, base = (abs(a[f"EM-ES ({size})"] - a[f"R-BERT ({size})"]) for size in ("large", "base"))
        assert large < 0.15 < base

    def test_sizes_of_relations_in_nyt10m(self) -> None:
        """D, Section 5.3, on the public label counts."""
        counts = {split: pd.Series(count).drop([TOTAL, "NA"], errors="ignore")
                  for split, count in published_counts("nyt10m").items()}  # fmt: skip
        train, test = (counts[split].sort_values(ascending=False) for split in ("train", "test"))
        half, few, four = train.iloc[0] / train.sum(), (train < 1000).sum(), test.iloc[:4].sum() / test.sum()
        (note,) = read_items().query("key == 'test_sizes_of_relations_in_nyt10m'")["note"]
        assert note == f"{100 * half:.1f} %, {few} of {len(train)} relations, {100 * four:.0f} %"
        assert abs(half - 0.5) < 0.03 and 0.5 <= few / len(train) < 0.6 and abs(four - 0.8) < 0.015
