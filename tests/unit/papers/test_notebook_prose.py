"""What notebooks 05 to 08 say, against what it is about: sentences that helpers write, and typed ones.

A typed sentence or title stands here with the check that makes it true; a number in Markdown that no check
holds is refused.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import nbformat
import pandas as pd
import pytest

from helpers import ROOT
from helpers.data import published_counts
from helpers.papers import (
    PAIR,
    RARE,
    STUDIES,
    all_attention,
    breakdown_table,
    direction_rows,
    direction_runs,
    direction_sums,
    exceptions_text,
    group_shares,
    kept_table,
    last_layer,
    lead_cases,
    leads_table,
    leads_text,
    limiting_models,
    means_table,
    our_means,
    pair_tests,
    rare_class_table,
    rare_class_text,
    rate_rows,
    read_study,
    reversal_table,
    seeds_text,
    significance_text,
    single_class_effect,
    study_scores,
    table_4_runs,
    telling_layers,
)
from helpers.papers.direction_tables import ALIKE, merged_text, plane_text, printed_scores
from helpers.reporting import find_cell, forest_rows, load_published
from helpers.runs import PairedRows, Run

LESSONS = ("05", "06", "07", "08")
WEIGHTED, DIRECTED = table_4_runs(), direction_runs()
ROWS = direction_rows([*DIRECTED["semeval2010"], *DIRECTED["kbp37"]], pd.DataFrame())
MEANS = our_means(ROWS)
PLAIN = [model for model in ("EM-C", "EM-ES", "R-BERT", "EMR-C", "PTR") if model in MEANS.index]
MERGED = [model for model in MEANS.index if model.endswith("-M")]
CASES = {name: read_study(STUDIES / f"{name.lower()}.json") for name in ("EM-C", "EM-C-M", "EMR-C")}
SHARES = group_shares(all_attention(CASES))


def source(number: str, kind: str = "") -> str:
    """All cells of a notebook, or those of a kind, line breaks as blanks."""
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    return " ".join(" ".join(cell.source.split()) for cell in cells if kind in cell.cell_type)


def printed(model: str, metric: str) -> float:
    return find_cell(
        load_published("R").query("item.str.startswith('Table')"), model=model, metric=metric
    ).value


def first_layers_look_inward() -> bool:
    own = SHARES[(SHARES["group"] == "[CLS], [SEP]") & (SHARES["layer"] <= 3)]
    return own["share"].min() > 75


def macro_stands_out() -> bool:
    lead = leads_table(WEIGHTED).loc["published"]
    return list(lead > 0) == [False] * 4 + [True] and lead["macro"] > 5 * -lead.drop("macro").min()


def em_c_asks_for_words() -> bool:
    sums = direction_sums(CASES)
    share = sums["markers"] / sums["all"]
    return share["EM-C"].max() < 0.3 and share["EM-C-M"].min() > 0.5


def merged_kept() -> bool:
    table = breakdown_table(DIRECTED["semeval2010"], [*PLAIN, "EM-ES-M"]).set_index("model")
    kept = table["right_both"] / table["right_original"]
    return all(kept[model].min() < 0.15 for model in PLAIN) and kept["EM-ES-M"].min() > 0.9


def markers_decide() -> bool:
    """Over the marker settings that are stored, PIR reaches ten times as far as A."""
    scores = study_scores("markers").query("not setting.str.contains('epoch')")
    means = scores.groupby(["setting", "score"])["value"].mean().unstack()
    reach = means.max() - means.min()
    return reach["pir"] > 10 * reach["performance_original"]


CLAIMS: dict[tuple[str, str], Callable[[], bool]] = {
    ("05", "A = 81.27, B = 7.66, after merged training 87.85 and 87.58"): lambda: (
        [
            printed(f"{model} (base)", f"performance_{side}")
            for model in ("EM-C", "EM-C-M")
            for side in ("original", "paired")
        ]
        == [81.27, 7.66, 87.85, 87.58]
    ),
    ("06", "18 directed relations"): lambda: len(WEIGHTED[0].labels) - 1 == 18,
    ("06", "PTR's authors put 1,493 of the 8,000 training sentences aside"): lambda: (
        {run.hyperparameters["training_samples"] for run in WEIGHTED if run.name == "PTR"}
        == {8000, 8000 - 1493}
    ),
    ("06", "100/18 = 5.56"): lambda: round(single_class_effect(5, 18).loc[5, "points"], 2) == 5.56,
    ("06", "In the paper macro contradicts the four others, and by far the most."): macro_stands_out,
    ("06", "SDs of about half a point"): lambda: all(
        0.35 < find_cell(load_published("W", "Table 4"), model=m, scheme="macro", statistic="sd").value < 0.65
        for m in ("BERT_EM", "PTR")
    ),
    ("06", '(d = 11.5, "huge")'): lambda: (
        find_cell(load_published("W", "Table 4"), model="PTR - BERT_EM", scheme="macro", statistic="d").value
        == 11.5
    ),
    ("06", "the same 2,717 sentences five times are not 13,585"): lambda: (
        {run.n for run in WEIGHTED} == {2717} and 5 * 2717 == 13585
    ),
    ("06", "has *one* sentence of `Entity-Destination(e2,e1)`"): lambda: (
        published_counts("semeval2010")["train"][RARE] == 1
    ),
    ("06", "In our runs no class does what"): lambda: (
        abs(pair_tests(WEIGHTED)["semeval2010"].loc["macro", "difference"]) < 5
    ),
    ("06", "nowhere does PTR lead by five points"): lambda: all(
        table["difference"].max() < 5 for table in pair_tests(WEIGHTED).values()
    ),
    ("06", "It pays with false alarms."): lambda: (
        rare_class_table(WEIGHTED).query("model.str.endswith('-M')")["false alarms"].sum() > 0
    ),
    ("07", "Look at the last row: PD is 0"): lambda: (
        limiting_models(DIRECTED["semeval2010"][0])["PD"].tolist() == [0, 1, 0]
    ),
    ("07", "844 of 845 training sentences"): lambda: (
        [published_counts("semeval2010")["train"][f"Entity-Destination({way})"] for way in ("e1,e2", "e2,e1")]
        == [844, 1]
    ),
    ("07", "Only training on both directions makes a model right on both"): lambda: (
        MEANS.loc[MERGED, "PPR"].min() > MEANS.loc[PLAIN, "PPR"].max() + 15
    ),
    ("07", "Plain models lose whole relations on the paired set"): merged_kept,
    ("07", "A is near throughout; B and PPR part the models"): lambda: (
        MEANS.loc[[*PLAIN, *MERGED], "B"].std() > 5 * MEANS.loc[[*PLAIN, *MERGED], "A"].std()
    ),
    ("07", "The markers decide what EM-C knows of direction; A hardly shows it"): markers_decide,
    ("07", "is right on both for most of what it knows here"): lambda: (
        our_means(ROWS, "kbp37").loc["EM-C", "PPR"] > 0.8 * our_means(ROWS, "kbp37").loc["EM-C", "B"]
    ),
    ("07", "which knew next to nothing of direction on SemEval"): lambda: MEANS.loc["EM-C", "PPR"] < 25,
    ("07", "where both entities are of one kind (top), the words do not tell"): lambda: all(
        row["one kind"] < row["two kinds"] - 20 for _, row in kept().loc[["EM-C", "EM-ES"]].iterrows()
    ),
    ("07", "`country_of_birth` shows that two kinds of entities are no guarantee"): lambda: (
        "per:country_of_birth" in exceptions_text(kbp37_breakdown())
    ),
    ("07", "training on paired sentences need not help there"): lambda: (
        "per:spouse" in exceptions_text(kbp37_breakdown()).partition("EM-C-M")[2]
    ),
    ("07", "since PD and PIR are near 0 for all of them"): lambda: (
        printed_scores().filter(like="-M", axis=0)[["PD", "PIR"]].max().max() < 0.5
    ),
    ("08", "The markers get most of the last layer, in all three models"): lambda: all(
        last_layer(SHARES).loc[(model, "original")].idxmax() == "markers" for model in CASES
    ),
    ("08", "All three look at the markers in layers"): lambda: telling_layers(SHARES) == [5, 6],
    ("08", "In the first layers [CLS] looks at itself or at [SEP]"): first_layers_look_inward,
    ("08", "Words decide the direction for EM-C, markers for EM-C-M"): em_c_asks_for_words,
}
"""Notebook and what stands in it → the check. Three seeds and five have to pass it."""


def kbp37_breakdown():
    return breakdown_table(DIRECTED["kbp37"], ["EM-C", "EM-ES", "EM-C-M", "EM-ES-M"], ALIKE)


def kept():
    return kept_table(kbp37_breakdown())


@pytest.mark.parametrize(("number", "sentence"), CLAIMS, ids=lambda one: one[:40])
def test_what_is_typed_holds(number: str, sentence: str) -> None:
    assert sentence in source(number)
    assert CLAIMS[number, sentence]()


NUMBER = re.compile(r"\b\d[\d,]*\.\d+\b|\b\d+ of \d+\b|\b\d+(?:\.\d+)? %")
CODE = re.compile(r"```.*?```|`[^`]*`|\$[^$]*\$", re.DOTALL)


@pytest.mark.parametrize("number", LESSONS)
def test_no_other_number_is_typed(number: str) -> None:
    """Decimals, shares and counts in Markdown are those of `CLAIMS`, and of definitions."""
    known = " ".join(sentence for lesson, sentence in CLAIMS if lesson == number)
    known += " 95 % seed 9 4.46 .05"
    typed = NUMBER.findall(CODE.sub(" ", source(number, "markdown")))
    assert [one for one in typed if one not in known] == []


class TestSentencesFollowTheRuns:
    def test_who_leads(self) -> None:
        turned = [
            replace(run, model={"PTR": "EM-ES", "EM-ES": "PTR"}.get(run.model, run.model)) for run in WEIGHTED
        ]
        leads, other = leads_table(WEIGHTED), leads_table(turned)
        assert (leads.iloc[1:] + other.iloc[1:]).abs().max().max() < 1e-9
        for table, text in ((leads, leads_text(WEIGHTED)), (other, leads_text(turned))):
            assert text.count("leads under none") == (table < 0).all(axis=1).sum()
            assert text.count("leads under all") == (table > 0).all(axis=1).sum()
            assert "**published**: PTR leads under macro alone" in text

    def test_tables_hold_both_models_and_training_sets(self) -> None:
        table = means_table(WEIGHTED)
        assert table["model"].tolist() == [*PAIR, *PAIR]
        assert set(reversal_table(WEIGHTED)["panel"]) >= {f"ours, {name}" for name in table["trained on"]}
        assert f"({table['runs'].min()} common seeds)" in significance_text(WEIGHTED)

    def test_one_case_agrees_with_the_other_schemes(self) -> None:
        cases = lead_cases()
        assert (cases["to"] < 0).sum() == 1

    def test_a_hit_is_counted(self) -> None:
        (run,) = [one for one in WEIGHTED if one.name == "PTR" and one.seed == 9][:1]
        assert run.outcome().original.correct[run.labels.index(RARE)] == 0
        rare = run.labels.index(RARE)
        rows = tuple((row[0], rare, *row[2:]) if row[0] == rare else row for row in run.table.rows)
        hit = replace(run, table=PairedRows(rows=rows))
        others = [one for one in WEIGHTED if one is not run]
        assert "PTR got it in any run (1 of" in rare_class_text([*others, hit])

    def test_rates_show_every_run_and_what_is_undefined(self) -> None:
        table = rate_rows(ROWS)
        own = table[(table["model"] == "EM-C") & (table["metric"] == "pir") & (table["source"] == "ours")]
        seeds = [run for run in DIRECTED["semeval2010"] if run.name == "EM-C"]
        assert (own["kind"] == "run").sum() == len(seeds) >= 3
        undefined = table[table["value"].isna()]
        assert undefined[["model", "metric"]].to_numpy().tolist() == [["majority", "pir"]]
        assert re.search(r"PIR \d+, .*\d+ and \d+", seeds_text(with_intervals()))

    def test_models_that_a_hardly_tells_apart(self) -> None:
        assert re.fullmatch(
            r"\S+ \(A .*\) and \S+ .* are \d\.\d points apart on A and \d+\.\d on B\.", plane_text(ROWS)
        )
        assert merged_text(ROWS).startswith("B rises by")


def with_intervals():
    """The rows, every mean with an interval."""
    rows = ROWS.copy()
    means = rows["seed_or_agg"] == "mean"
    rows.loc[means, "low"], rows.loc[means, "high"] = rows["value"] - 0.01, rows["value"] + 0.01
    return rows


def test_a_forest_has_every_run_and_the_published_number() -> None:
    panels = {("ppr", ""): "PPR"}
    found = forest_rows(ROWS, "semeval2010", panels)
    own = found[found["row"] == "EM-C"]
    seeds = [run for run in DIRECTED["semeval2010"] if run.name == "EM-C"]
    assert own["source"].tolist() == ["published"] + ["ours"] * len(seeds)
    assert own["value"].iloc[0] == 3.27
    assert forest_rows(ROWS, "semeval2010", panels, ["SVM"])["source"].tolist() == ["ours"]


def test_a_run_without_a_pair_is_no_row() -> None:
    assert pair_tests([run for run in WEIGHTED if run.name != "PTR"]) == {}
    assert isinstance(WEIGHTED[0], Run)
