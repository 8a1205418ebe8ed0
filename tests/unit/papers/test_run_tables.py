"""One class of a macro average, the paired breakdown, and the tables of our own runs: by hand."""

import re

import pytest

from helpers.metrics.direction import BREAKDOWN, direction_scores, paired_breakdown
from helpers.papers.direction import direction_rows, direction_table, paired_breakdowns
from helpers.papers.summary import summary_text
from helpers.papers.weighting import (
    PRINTED_SCHEMES,
    class_effect,
    leads_without,
    single_class_effect,
    weighted_rows,
    weighted_table,
)
from helpers.reporting.published import find_cell, load_published
from helpers.reporting.run_tables import runs_named
from helpers.reporting.seeds import resampled_intervals
from helpers.reporting.tables import read_tidy, write_tidy
from helpers.runs import Run
from tests.outcomes import Outcome
from tests.schemes import temporary_scheme
from tests.unit.direction_runs import GOOD, HALF, LABELS, run


def test_one_class_by_hand():
    found = class_effect(run("m", 9, HALF), "R(e2,e1)")
    wanted = (2, 1, 0, 2 / 3, (12 / 13 + 2 / 3) / 2, 12 / 13)
    assert list(found.values()) == pytest.approx(wanted)


def test_the_reversal_of_table_4_follows_from_one_case_only():
    printed = load_published("W", "Table 4")
    ends = [
        find_cell(printed, model=m, scheme="macro", statistic="mean").interval for m in ("BERT_EM", "PTR")
    ]
    cases = leads_without(*ends, classes=18, hits=(0, 2 / 3, 1))
    behind = cases[cases["high"] < 0]
    assert behind[["first", "second"]].to_numpy().tolist() == [[0.0, 1.0]]
    assert behind["low"].item() < 87.08 - 87.56 < behind["high"].item()
    assert single_class_effect(5, 18)["sd"].iloc[1:5].min() > 2.4  # several times the printed .4 and .5
    with pytest.raises(ValueError, match="at least two"):
        single_class_effect(1, 18)


def test_the_breakdown_adds_up_and_give_ppr():
    outcomes = Outcome.from_rows(HALF, LABELS, ("gold", "predicted", "paired"))
    found = paired_breakdown(outcomes)["R"]
    assert list(found.values()) == pytest.approx([8, 7 / 8, 1 / 8, 6 / 8, 0, 2 / 8])
    assert found["right_original"] == pytest.approx(
        sum(found[name] for name in ("right_both", "still", "elsewhere"))
    )
    assert found["right_both"] == pytest.approx(direction_scores(outcomes).ppr)
    assert paired_breakdown(Outcome.from_columns(["a"], ["a"], paired=["a"])) == {}


def test_breakdowns_of_models_are_means_over_runs_in_the_order_of_the_models():
    runs = [run("half", 1, HALF), run("good", 1, GOOD), run("half", 2, GOOD), run("not asked for", 1, HALF)]
    found = paired_breakdowns(runs, ["half", "without a run", "good"])
    assert found["model"].tolist() == ["half", "good"] and found["relation"].unique().tolist() == ["R"]
    assert found["n"].tolist() == [8, 8]
    half, good = found[list(BREAKDOWN)].to_numpy().tolist()
    assert good == pytest.approx([100, 100, 0, 0, 100])
    means = [(7 / 8 + 1) / 2, (1 / 8 + 1) / 2, (6 / 8 + 0) / 2, 0, (2 / 8 + 1) / 2]
    assert half == pytest.approx([100 * share for share in means])


@pytest.fixture
def runs() -> list[Run]:
    """Two runs of each of W's two models, one of EM-C."""
    both = [run(model, seed, rows) for model, rows in (("EM-ES", GOOD), ("PTR", HALF)) for seed in (9, 148)]
    return [*both, run("EM-C", 9, HALF)]


def test_tidy_rows_and_both_tables(runs, tmp_path):
    rows = weighted_rows(runs, ("EM-ES", "PTR"), resampled_intervals(runs, replicates=20), "|made")
    rows = read_tidy(write_tidy(rows, tmp_path / "06.csv"))
    shown = weighted_table(rows).set_index("scheme").loc["macro"]
    assert shown["EM-ES ours"] == "100.0 ± 0.0" and shown["BERT_EM published"] == "82.7 ± 0.4"
    assert shown["d ours"] == "-inf" and shown["d published"] == "11.5"
    assert runs_named(rows, "semeval2010", ["EM-ES"]) == "Ours: EM-ES: tiny, seeds 9, 148."
    mean = rows.query("model == 'PTR' and seed_or_agg == 'mean' and scheme == 'macro'").iloc[0]
    assert (mean["published"], mean["published_model"], mean["runs"]) == ("87.8", "PTR", "2")
    assert mean["signature"].endswith("|made") and mean["low"] <= mean["value"] <= mean["high"]

    found = direction_rows(runs, resampled_intervals(runs, "direction", 20))
    table = direction_table(found).set_index(["model", "encoder"])
    assert table.loc[("EM-C", "tiny, ours"), "PPR"] == "12.50"
    assert table.loc[("EM-ES", "tiny, ours"), "PPR"] == "100.00 ± 0.00"
    assert table.loc[("EM-ES", "BERT base, published"), "PPR"] == "33.94"
    assert direction_table(found, "kbp37").empty


def test_without_runs_there_are_no_rows_but_the_tables_have_their_columns():
    empty = resampled_intervals([])
    assert {"runs", "encoder"} <= set(weighted_rows([], ("EM-ES", "PTR"), empty))
    assert "PTR ours" in weighted_table(weighted_rows([], ("EM-ES", "PTR"), empty))


def test_the_summary_shows_retrained_numbers_and_judges_none(runs, tmp_path):
    write_tidy(direction_rows(runs, resampled_intervals([])), tmp_path / "07_direction.csv")
    text = summary_text(tmp_path, notebooks=tmp_path)
    assert "ours on tiny, not judged" in text
    assert re.search(r"\n0 of 0 published numbers agree\. \d+ more rows are not judged: [^.]+\.$", text)


def test_a_further_scheme_is_in_the_rows_and_behind_the_printed_ones_in_the_table(runs):
    with temporary_scheme("root", lambda support, total: support**0.5):
        rows = weighted_rows(runs, ("EM-ES", "PTR"), resampled_intervals(runs, replicates=10))
    table = weighted_table(rows).set_index("scheme")
    assert table.index.tolist() == [*PRINTED_SCHEMES, "root"]
    assert table.loc["root", ["PTR published", "d published"]].tolist() == ["–", "–"]
    assert table.loc["root", "EM-ES ours"] == "100.0 ± 0.0"
    assert weighted_table(rows[rows["scheme"] != "root"]).equals(table.reset_index().iloc[:5])
