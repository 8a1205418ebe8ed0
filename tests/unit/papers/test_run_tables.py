"""One class of a macro average, the paired breakdown, and the tables of our own runs: by hand."""

import pytest

from helpers.metrics import Outcome
from helpers.metrics.direction import direction_scores, paired_breakdown
from helpers.papers.direction import direction_rows, direction_table
from helpers.papers.weighting import (
    class_effects,
    weighted_rows,
    weighted_table,
)
from helpers.reporting.results import resampled_intervals, runs_named, runs_with
from helpers.reporting.tables import read_tidy, write_tidy
from helpers.runs import Run
from tests.support import DIRECTED, GOOD, HALF, directed_run


def test_one_class_by_hand():
    found = class_effects([directed_run("m", 9, HALF)], "R(e2,e1)")
    wanted = (2, 1, 0, 2 / 3, (12 / 13 + 2 / 3) / 2, 12 / 13)
    assert found.iloc[0, 3:].tolist() == pytest.approx(wanted)


def test_the_breakdown_adds_up_and_give_ppr():
    outcomes = Outcome.from_rows(HALF, DIRECTED, ("gold", "predicted", "paired"))
    found = paired_breakdown(outcomes)["R"]
    assert list(found.values()) == pytest.approx([8, 7 / 8, 1 / 8, 6 / 8, 0, 2 / 8])
    assert found["right_original"] == pytest.approx(
        sum(found[name] for name in ("right_both", "still", "elsewhere"))
    )
    assert found["right_both"] == pytest.approx(direction_scores(outcomes).ppr)
    assert paired_breakdown(Outcome.from_columns(["a"], ["a"], paired=["a"])) == {}


@pytest.fixture
def runs() -> list[Run]:
    """Two runs of each of W's two models, one of EM-C."""
    both = [
        directed_run(model, seed, rows)
        for model, rows in (("EM-ES", GOOD), ("PTR", HALF))
        for seed in (9, 148)
    ]
    return [*both, directed_run("EM-C", 9, HALF)]


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


def test_an_encoder_without_runs_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="unknown encoder 'mini'.* Known: all-MiniLM-L6-v2"):
        runs_with("mini", ["semeval2010"])
