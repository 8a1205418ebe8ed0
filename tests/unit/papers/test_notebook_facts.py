"""What notebooks 12 to 16 say in numbers, against the tables and runs that it is about."""

import re
from collections.abc import Callable
from functools import cache

import pandas as pd
import pytest

from helpers.data.distortion import PRECISION, RECALL
from helpers.experiments import LEARNT, agreement, stored_draws
from helpers.papers import (
    corpus_statistics,
    direction_rows,
    graph_runs,
    hit_shares,
    leak_ranks,
    pair_runs,
    pair_scores,
    protocol_scores,
    published_lists,
    restriction_gains,
    reversed_pairs,
    step_shares,
)
from helpers.reporting import TABLES_FOLDER, read_tidy
from helpers.reporting.leaderboard import page_data, ranking_table
from helpers.runs import list_published
from tests.unit.papers.notebook_text import (
    assert_all_told,
    assert_claim,
    numbers_in,
    of_table,
    printed,
    shown_by,
)

OURS = corpus_statistics().set_index("dataset")


def lists_of_12(cut: bool, dataset: str = "nyt10") -> pd.Series:
    """Area of each list as stored, the largest first; the whole list, or up to a recall of 0.2."""
    rows = read_tidy(TABLES_FOLDER / "12_facts.csv").query("metric == 'auc' and dataset == @dataset")
    rows = rows[rows["item"] == ("ranked lists up to recall 0.2" if cut else "ranked lists")]
    return rows.set_index("model")["value"].sort_values(ascending=False)


def places_after_the_cut() -> bool:
    whole, cut = (list(lists_of_12(one).index) for one in (False, True))
    pair = ["RESIDE BGWA", "RESIDE PCNN+ATT"]
    return (
        [f"{100 * lists_of_12(True)[name]:.1f}" for name in ("RESIDE RESIDE", "NRE CNN+ATT")]
        == ["15.1", "13.3"]
        and (whole.index("NRE CNN+ATT"), cut.index("NRE CNN+ATT")) == (6, 4)
        and sorted(pair, key=whole.index) != sorted(pair, key=cut.index)
    )


def turned() -> pd.DataFrame:
    return reversed_pairs(protocol_scores())


def contained() -> pd.Series:
    """Share of the hits that is /location/location/contains, in every list."""
    return hit_shares(published_lists("nyt10")).query("relation == '/location/location/contains'")["share"]


@cache
def leaks() -> pd.DataFrame:
    return leak_ranks(list_published("tacred", "confusion"))


def negatives_of_pairs() -> pd.Series:
    kept = pairs_of_14().reindex(["positive", "negative", "elsewhere"]).fillna(0)
    return 100 * kept.drop("positive").sum() / kept.sum()


def pairs_of_14() -> pd.DataFrame:
    return pd.read_csv(TABLES_FOLDER / "14_pairs.csv").set_index("kind").filter(like="pairs")


@cache
def gains_of_14() -> dict[str, float]:
    """What each part of RECENT around the linear model adds on the drawn pairs, micro-F1."""
    gains = restriction_gains(pair_scores(pair_runs())).query("base == 'SVM-EM' and scheme == 'micro'")
    (row,) = gains.round(1).to_dict("records")
    return row | {"both": round(row["RECENT"] - row["alone"], 1)}


@cache
def graph_means() -> pd.Series:
    """C-GCN's numbers on SemEval, per cent."""
    rows = direction_rows(graph_runs(), pd.DataFrame()).query("model == 'C-GCN' and seed_or_agg == 'mean'")
    return 100 * rows.set_index("metric")["value"]


def drawn_negatives() -> float:
    """Share of negative test pairs of re_docred-drawn, per cent."""
    gold = pair_runs("re_docred-drawn")[0].outcome()
    return 100 * gold.gold[gold.labels.index("no_relation")] / gold.gold.sum()


def areas_of_13() -> pd.Series:
    """Mean area of each system on GIDS as stored, the largest first."""
    rows = read_tidy(TABLES_FOLDER / "13_gids.csv").query("metric == 'auc' and seed_or_agg != 'mean'")
    return rows.groupby("model")["value"].mean().sort_values(ascending=False)


def linear_beats_convolutions() -> bool:
    areas = areas_of_13()
    return areas["TF-IDF-EM"] > areas[areas.index.str.contains("CNN")].max()


def leaders_of_13() -> bool:
    order = list(areas_of_13().index)
    return order[0].startswith("BERT-entity") and order.index("RESIDE") < order.index("TF-IDF-EM")


def leaders_differ() -> bool:
    data = page_data(only=["semeval2010"], store=None, replicates=2, cached=False)
    first = [ranking_table(data, "semeval2010", alpha).index[0] for alpha in (0, 1)]
    return first[0] != first[1]


CLAIMS: dict[tuple[str, str], Callable[[], bool]] = {
    ("12", "a lead of 20 points shrinks to 2, and labels by people reverse 20 of 105 comparisons"): lambda: (
        [round(100 * lists_of_12(cut)[["RESIDE RESIDE", "NRE CNN+ATT"]].diff().abs().iloc[-1])
         for cut in (False, True)] == [20, 2]
        and len(turned()) == 20 and len(protocol_scores()) == 15 and 15 * 14 // 2 == 105
    ),
    ("12", "Less than 2 points: 15.1 against 13.3."): places_after_the_cut,
    ("12", "Who compares .8148 with .7442 compares two counts"): lambda: (
        [f"{lists_of_12(False, 'gids')[name]:.4f}" for name in ("Jat WA", "RESIDE PCNN")]
        == ["0.8148", "0.7442"]
    ),
    ("12", "makes between 53 and 69 % of what is found"): lambda: (
        [round(contained().min()), round(contained().max())] == [53, 69]
    ),
    ("12", "in each of the ten largest turns it is the one that was ahead by held-out labels"): lambda: (
        set(turned()["better"].head(10)) == {"RESIDE"}
    ),
    ("15", "Who leads depends on α: under macro another system than under weighted"): leaders_differ,
    ("12", "RL-DSRE against PCNN+bag+ATT is 0.4 against −1.7 points"): lambda: (
        protocol_scores().loc["RL-DSRE"].sub(protocol_scores().loc["PCNN+bag+ATT"]).round(1).tolist()[:2]
        == [0.4, -1.7]
    ),
    ("13", "at the paper's rates (precision 69.1 %, recall 33.9 %)"): lambda: (
        (PRECISION, RECALL) == (0.691, 0.339)
    ),
    ("13", "The manual one, by more than twice"): lambda: all(
        float(manual) > 2 * float(held_out)
        for held_out, manual in re.findall(r"(0\.\d+) (0\.\d+)", shown_by("13", "one_draw("))
    ),
    ("13", "The linear model is ahead of every convolution"): linear_beats_convolutions,
    ("13", "The pretrained encoder leads, then RESIDE"): leaders_of_13,
    ("13", "In all ten. By held-out labels every system looks far worse than it is"): lambda: (
        agreement(stored_draws()).query("strength == 1")["best_kept"].tolist() == [True] * 10
    ),
    ("13", "From a share of one half on, the held-out ranking of the two is wrong in most draws."): lambda: (
        (agreement(stored_draws(LEARNT)).query("strength >= 0.5").groupby("strength")["tau"].mean() < 0).all()
    ),
    ("14", "each of 52 systems between 4.8 and 13.2 points of micro-F1, and plain GCN 9.0"): lambda: (
        [len(leaks()), *(round(one, 1) for one in (leaks()["gain"].min(), leaks()["gain"].max()))]
        == [52, 4.8, 13.2]
    ),
    ("14", "9.0, from 64.2 to 73.2: more than the whole published gain, and above the 71.5"): lambda: (
        [round(one, 1) for one in leaks().set_index("system").loc["GCN", ["gain", "score", "leaked"]]]
        == [9.0, 64.2, 73.2]
        and of_table("Table 3", "RECENT", "micro")[0] == "71.5"
    ),
    ("14", "the paper prints A 84.79, B 25.15 and PIR 3.20"): lambda: (
        [printed("C-GCN", name) for name in ("performance_original", "performance_paired", "pir")]
        == [84.79, 25.15, 3.20]
    ),
    ("14", "(B 34.6 against 25.15), so it loses less (PD 47.5 against 59.64)"): lambda: (
        graph_means()[["performance_paired", "pd"]].round(1).tolist() == [34.6, 47.5]
        and [printed("C-GCN", name) for name in ("performance_paired", "pd")] == [25.15, 59.64]
    ),
    ("14", "PIR is far above the paper's, 42.0 against 3.20"): lambda: (
        round(graph_means()["pir"], 1) == 42.0 and printed("C-GCN", "pir") == 3.20
    ),
    ("14", "AdamW with weight decay .01 and a rate that falls to 0, batches of 32"): lambda: all(
        (found["optimizer"], found["weight_decay"], found["batch_size"], found["clip"], found["epochs"])
        == ("adamw", 0.01, 32, 1, 20) and found["schedule"] == "linear"
        for found in (run.hyperparameters for run in graph_runs())
    ),
    ("14", "gains 10.5 points; 4.7 of them come from its two steps, which read no types, 5.8 from"): lambda: (
        [gains_of_14()[name] for name in ("both", "steps", "types")] == [10.5, 4.7, 5.8]
    ),
    ("14", "of 10.5 points of micro-F1 two steps give 4.7, the types 5.8. The leak would add 3.1."): lambda: (
        [gains_of_14()[name] for name in ("both", "steps", "types", "leak")] == [10.5, 4.7, 5.8, 3.1]
    ),
    ("14", "detects 42.0 % of the related pairs, SVM-EM by itself 26.5 %. SVM-EM names 79.3 %"): lambda: (
        step_shares(pair_runs()).round(1)["detected"][["RECENT(SVM-EM)", "SVM-EM"]].tolist() == [42.0, 26.5]
    ),
    ("14", "SVM-EM names 79.3 % of its own right, the control only 67.7 % of its many more, RECENT 78.1 %"): (
        lambda: step_shares(pair_runs()).round(1)["named"][
            ["SVM-EM", "RECENT(SVM-EM) without types", "RECENT(SVM-EM)"]
        ].tolist() == [79.3, 67.7, 78.1]
    ),
    ("14", "they do: 88.3 % of 29.1 % detected, against 83.8 % of 21.1 %."): lambda: (
        step_shares(pair_runs("re_docred"))
        .round(1)
        .loc[["RECENT(SVM-EM)", "SVM-EM"], ["named", "detected"]]
        .values.tolist() == [[88.3, 29.1], [83.8, 21.1]]
    ),
    ("14", "142 in the training part and 127 in the test part"): lambda: (
        "elsewhere" not in pairs_of_14().index or pairs_of_14().loc["elsewhere"].tolist() == [142, 127]
    ),
    ("14", "kept as positive, 3251 against 2720 in the training part"): lambda: (
        pairs_of_14().loc[["unknown", "positive"], "train, pairs"].tolist() == [3251, 2720]
    ),
    ("14", "93 % of what is kept is negative"): lambda: set(negatives_of_pairs().round()) == {93},
    ("14", "draws them down to TACRED's 79.5 %"): lambda: (
        round(OURS.loc["tacred", "negative_share"], 1) == 79.5 and abs(drawn_negatives() - 79.5) < 0.05
    ),
}  # fmt: skip
"""Notebook and what stands in it → the check."""

DEFINITIONS = {
    "12": "up to a recall of 0.2 (a parameter); 47.1 % agree (Gao et al., Section 3.1); and 5.4, a section",
    "13": "significant below .05",
    "14": "6.9 points, from 64.0 to 70.9 (Lyu and Chen 2021)",
}
"""What is no result: parameters, definitions, and what is printed elsewhere."""
LESSONS = ("12", "13", "14", "15", "16")


@pytest.mark.parametrize(("number", "sentence"), CLAIMS, ids=lambda one: one[:40])
def test_what_is_typed_holds(number: str, sentence: str) -> None:
    assert_claim(CLAIMS, number, sentence)


@pytest.mark.parametrize("number", LESSONS)
def test_no_other_number_is_typed(number: str) -> None:
    assert_all_told(CLAIMS, number, DEFINITIONS.get(number, ""))


def test_numbers_are_found() -> None:
    assert numbers_in("α = .599, 3 of 5, 7 %, .1 %, 1,234.5; `0.5`, $x = .2$, Section 3.1, 12 documents") == [
        ".599", "3 of 5", "7 %", ".1", "1,234.5"
    ]  # fmt: skip
