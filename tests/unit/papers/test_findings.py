"""The verdicts on the papers' findings: by hand, on made-up runs, and on the stored ones."""

import pytest

from helpers import ROOT
from helpers.papers.bag_models import bag_runs
from helpers.papers.distant import system_name
from helpers.papers.findings import findings, findings_markdown, findings_table, read_items
from helpers.papers.protocols import protocol_scores
from helpers.runs import PairedRows, Run, list_runs

LABELS = ("R(e1,e2)", "R(e2,e1)", "Other")


def run(model: str, seed: int, both: int) -> Run:
    """100 samples of R(e1,e2), all right on the test set, `both` of them also on the paired set."""
    rows = tuple(row for row in ((0, 0, 1, both), (0, 0, 0, 100 - both)) if row[-1])
    return Run(
        dataset="d", model=model, seed=seed, labels=LABELS, negative="Other", table=PairedRows(rows=rows)
    )


def verdict(table, score: str, second: str) -> str:
    found = table[(table["score"] == score) & (table["first"] == "EM-C") & (table["second"] == second)]
    assert len(found) == 1
    return found["verdict"].iloc[0]


@pytest.mark.parametrize(
    ("better", "worse", "expected"),
    [
        ((60, 61, 62), (10, 11, 12), "reproduced"),
        ((10, 11, 12), (60, 61, 62), "contradicted"),
        ((10, 50, 90), (20, 40, 60), "undecided"),
        ((60,), (10,), "undecided"),
        ((), (10, 11, 12), "undecided"),
    ],
)
def test_the_rule(better, worse, expected) -> None:
    """EM-ES has the larger PPR in the paper, and the smaller PIR."""
    runs = [run("EM-ES", seed, both) for seed, both in enumerate(better)]
    runs += [run("EM-C", seed, both) for seed, both in enumerate(worse)]
    table = findings_table(runs)
    assert verdict(table, "ppr", "EM-ES") == verdict(table, "pir", "EM-ES") == expected
    assert verdict(table, "ppr", "R-BERT") == "undecided"


def test_the_papers_numbers() -> None:
    found = {(one.second, one.score): one for one in findings() if one.first == "EM-ES"}
    assert found["R-BERT", "ppr"].printed == (33.94, 42.33) and found["R-BERT", "ppr"].rises
    assert found["PTR", "macro"].rises and not found["PTR", "micro"].rises
    assert found["PTR", "fall"].printed == (6.4, 0.6)


def test_the_stored_runs() -> None:
    """What the README says of them: three findings by name."""
    runs = list_runs("semeval2010", encoder="all-MiniLM-L6-v2", profile="standard", split="test", variant="")
    table = findings_table(runs)
    assert verdict(table, "ppr", "EM-ES") == verdict(table, "ppr", "EM-C-M") == "reproduced"
    lines = findings_markdown(runs).splitlines()
    assert len(lines) == 2 + len(findings())
    assert any("R, Table III | PPR, EM-C → EM-ES | 3.27 → 33.94 |" in line for line in lines)


class TestItems:
    COUNTED = {
        "W": {"table": 4, "figure": 1, "equation": 7, "claim": 9},
        "R": {"table": 6, "figure": 4, "equation": 4, "claim": 10},
        "L": {"table": 1, "equation": 6, "claim": 11},
        "D": {"table": 6, "figure": 5},
    }
    """Counted in the papers: numbered tables and figures, numbered equations and W's D0 to D2."""

    def test_there_are_as_many_as_in_the_papers(self) -> None:
        papers = read_items().groupby("paper")["kind"]
        assert {paper: kinds.value_counts().to_dict() for paper, kinds in papers} == self.COUNTED

    @pytest.mark.parametrize("row", [*read_items().itertuples()], ids=lambda row: f"{row.paper}-{row.item}")
    def test_each_names_its_evidence(self, row) -> None:
        if row.status == "not built yet":
            assert not row.evidence and not row.key
            return
        assert row.key and row.key in (ROOT / row.evidence).read_text("utf-8")
        if row.status in ("in part", "contradicted", "not possible here"):
            assert row.note or row.evidence == "results/README.md", "what is missing, and why?"

    def test_a_status_is_the_verdict_of_its_finding(self) -> None:
        lines = (ROOT / "results" / "README.md").read_text("utf-8").splitlines()
        rows = [row for row in read_items().itertuples() if row.evidence == "results/README.md"]
        assert len(rows) > 8
        for row in rows:
            (line,) = [line for line in lines if f"| {row.key} |" in line]
            assert line.endswith(f"| {row.status} |"), row

    def test_the_systems_of_ds_table_4_that_are_trained_here_are_counted(self) -> None:
        trained = {system_name(run).replace("BERT-entity", "BERT") for run in bag_runs()}
        printed = set(protocol_scores().index)
        said = f"of the fifteen systems {len(printed & trained)} have a run on GIDS"
        (row,) = [one for one in read_items().itertuples() if (one.paper, one.item) == ("D", "Table 4")]
        assert len(printed) == 15 and said in row.note
        assert row.note.endswith(f"({', '.join(sorted(printed - trained))} has none)")

    @pytest.mark.parametrize(("column", "value"), [("status", "reproducd"), ("kind", "tabel")])
    def test_unknown_words_are_named(self, column, value, tmp_path) -> None:
        items = read_items()
        items.loc[3, column] = value
        items.to_csv(tmp_path / "items.csv", index=False)
        with pytest.raises(ValueError, match=rf"items.csv, line 5: unknown {column} '{value}'; did you mean"):
            read_items(tmp_path / "items.csv")
