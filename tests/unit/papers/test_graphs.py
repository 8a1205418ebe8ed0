"""Notebook 14: trees for the figure, what types and the leak are worth, and what its sentences say."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.data import pruned_heads
from helpers.data.formats.docred import KEPT
from helpers.evaluation import leak_report
from helpers.experiments import Experiment, run_experiment
from helpers.metrics import leaked
from helpers.models.encoder import EMBEDDED_SHA256
from helpers.papers.direction import direction_rows, table_6_markdown
from helpers.papers.findings import findings_table
from helpers.papers.graphs import (
    AS_PUBLISHED,
    DRAWN,
    FAR,
    WHOLE,
    WITHOUT_TYPES,
    graph_runs,
    graph_table,
    graphs_markdown,
    kept_words,
    leak_effects,
    leak_markdown,
    leak_ranks,
    pair_kinds,
    pair_rows,
    pair_runs,
    pair_scores,
    restricted_title,
    restriction_gains,
    restriction_markdown,
    restriction_points,
    restriction_sentences,
    restriction_table,
    step_shares,
    tree_words,
    vector_scores,
)
from helpers.papers.weighting import PRINTED_SCHEMES
from helpers.reporting import TABLES_FOLDER, load_published, write_csv, write_tidy
from helpers.reporting.figures import restriction_chart
from helpers.runs import STUDIES_FOLDER, Run, list_published, list_runs, save_run
from tests.outcomes import Outcome

HEADS = [2, 0, 9, 9, 9, 9, 8, 9, 2, 12, 12, 9]
WORDS = ["I", "think", "he", "was", "not", "a", "very", "close", "relative", "of", "Mike", "Cane"]
LABELS = ("no_relation", "a", "b")


def run(model: str, rows, seed=9, variant="", **about) -> Run:
    outcome = Outcome.from_rows(rows, LABELS)
    where = {"dataset": DRAWN, "profile": "standard", "negative": "no_relation", "encoder": "no-encoder"}
    return Run.from_outcome(outcome, model=model, seed=seed, variant=variant, options=about, **where)


@pytest.fixture
def runs() -> list[Run]:
    """A base without a seed, RECENT around it and its control with two; as published, no false alarm."""
    base = [(0, 0, 80), (0, 1, 20), (1, 1, 10), (1, 2, 10), (2, 2, 10)]
    steps = [(0, 0, 90), (0, 1, 10), (1, 1, 11), (1, 2, 9), (2, 2, 10)]
    better = [(0, 0, 90), (0, 1, 10), (1, 1, 15), (1, 2, 5), (2, 2, 10)]
    found = [run("SVM", base, None)]
    for seed, pair in ((9, (better, steps)), (148, (steps, base))):
        for rows, about in zip(pair, ({}, {"typed": False}), strict=True):
            found += both("base-svm", rows, seed, base="svm", **about)
    return found


def both(variant: str, rows, seed: int = 9, **about) -> list[Run]:
    """RECENT in both evaluations."""
    corrected = run("RECENT", rows, seed, variant, evaluation="corrected", **about)
    forced = leaked(corrected.outcome(), "no_relation").to_rows()
    variant += "+evaluation-as-published"
    return [corrected, run("RECENT", forced, seed, variant, evaluation="as-published", **about)]


class TestTree:
    def test_distance_is_the_smallest_that_keeps_the_word(self) -> None:
        tree = tree_words(WORDS, HEADS, [2], [10, 11])
        for limit in (0, 1, 2):
            kept = pruned_heads(HEADS, [2], [10, 11], limit) >= 0
            assert (tree["distance"].between(0, limit) == kept).all()
        assert tree["word"][tree["entity"]].tolist() == ["he", "Mike", "Cane"]
        chain = tree_words(list("abcdef"), [0, 1, 2, 3, 4, 5], [0], [1])
        assert chain["distance"].tolist() == [0, 0, 1, 2, FAR, FAR]

    def test_what_notebook_14_says_of_its_sentence(self) -> None:
        kept = kept_words(tree_words(WORDS, HEADS, [2], [10, 11]))
        assert kept.loc["0", "read"] == "he relative Mike Cane"
        assert "not" in kept.loc["1", "read"].split() and "very" not in kept.loc["1", "read"].split()
        assert "think" not in kept.loc[f"{math.inf:g}", "read"]


class TestRestriction:
    def test_titles(self, runs) -> None:
        control = f"RECENT(SVM){WITHOUT_TYPES}"
        assert [restricted_title(one) for one in runs[:5]] == [
            *("SVM", "RECENT(SVM)", f"RECENT(SVM){AS_PUBLISHED}", control, control + AS_PUBLISHED)
        ]

    def test_gains_are_means_over_the_seeds(self, runs) -> None:
        scores = pair_scores(runs)
        gains = restriction_gains(scores).set_index("scheme")
        assert gains["base"].tolist() == ["SVM"] * 5 and list(gains.index) == list(PRINTED_SCHEMES)
        mean = scores[scores["score"] == "micro"].groupby("model")["value"].mean() * 100
        control, own = mean[f"RECENT(SVM){WITHOUT_TYPES}"], mean["RECENT(SVM)"]
        row = gains.loc["micro"]
        assert row["runs"] == 2 and row["steps"] == pytest.approx(control - mean["SVM"])
        assert row["types"] == pytest.approx(own - control)
        assert row["leak"] == pytest.approx(mean[f"RECENT(SVM){AS_PUBLISHED}"] - own)
        assert row["steps"] > 0 < row["types"] and row["leak"] > 0
        for needed in ("SVM", f"RECENT(SVM){WITHOUT_TYPES}", f"RECENT(SVM){AS_PUBLISHED}"):
            assert restriction_gains(scores[scores["model"] != needed]).empty, needed

    def test_two_variants_of_one_base_have_two_titles(self, runs) -> None:
        """What differs, in settings or encoder, is in the title of the base and of RECENT around it."""
        rows = runs[0].outcome().to_rows()
        usual = [run("CNN", rows), *both("base-cnn", rows, base="cnn")]
        usual += both("base-cnn+typed-False", rows, base="cnn", typed=False)
        longer = [run("CNN", rows, variant="epochs-5"), *both("epochs-5+base-cnn", rows, base="cnn")]
        longer += both("epochs-5+base-cnn+typed-False", rows, base="cnn", typed=False)
        other = [replace(one, encoder="bert-base-uncased") for one in usual]
        every = [*usual, *longer, *other]
        assert len({restricted_title(one) for one in every}) == len(every) == 15
        gains = restriction_gains(pair_scores(every))
        assert list(dict.fromkeys(gains["base"])) == ["CNN", "CNN bert-base-uncased", "CNN epochs-5"]
        assert len(gains) == 15 and (gains["leak"] > 0).all()

    def test_detected_and_named(self, runs) -> None:
        shares = step_shares(runs[:5])
        assert shares.loc["SVM"].tolist() == pytest.approx([100, 100 * 20 / 30, 20])
        assert shares.loc[f"RECENT(SVM){AS_PUBLISHED}"].tolist() == pytest.approx([100, 100 * 25 / 30, 0])
        quiet = step_shares([run("m", [(0, 0, 5), (1, 0, 5)])])
        assert quiet.loc["m", "detected"] == 0 and np.isnan(quiet.loc["m", "named"])
        added = step_shares([runs[1], runs[5]]).loc["RECENT(SVM)"]
        assert added.tolist() == pytest.approx([100, 100 * (25 + 21) / 60, 10])

    def test_tables(self, runs, tmp_path) -> None:
        rows = pair_rows(runs)
        table = restriction_table(rows)
        assert table["system"].tolist()[:2] == ["RECENT", "PTR"] and len(table) == 7
        assert set(table["data"]) == {"TACRED, published", "Re-DocRED, drawn, ours"}
        ours = table.set_index("system").loc["RECENT(SVM)"]
        assert ours["runs"] == "2" and "±" in ours["micro"]
        assert "±" not in table.set_index("system").loc["SVM", "macro"]
        leaky = rows[rows["model"].str.endswith(AS_PUBLISHED)]["signature"]
        assert leaky.str.endswith("|leak:as_published").all() and len(leaky) == 2 * 4 * 5
        assert restriction_table(rows, WHOLE)["system"].tolist() == ["RECENT", "PTR"]
        write_tidy(rows, tmp_path / "14_restriction.csv")
        assert restriction_markdown(tmp_path).count("\n") == 2 + 7 - 1

    def test_points_of_the_figure(self, runs) -> None:
        points = restriction_points(pair_scores(runs), without=())
        assert points["system"].drop_duplicates().tolist()[0] == f"RECENT(SVM){AS_PUBLISHED}"
        assert len(points) == 5 * 9 and points["value"].between(0, 100).all()

    def test_without_runs(self, tmp_path) -> None:
        assert pair_rows([]).empty and restriction_gains(pair_scores([])).empty
        assert direction_rows(graph_runs("no-such-folder"), pd.DataFrame()).empty
        write_csv(direction_rows([], pd.DataFrame()), tmp_path / "14_graphs.csv")
        assert "84.79" in graphs_markdown(tmp_path)


@pytest.fixture(scope="module")
def tacred() -> list[Run]:
    return list_published("tacred", "confusion")


class TestWhatNotebook14Says:
    """Sentences of the notebook on stored outcomes; those on trained systems hold with one seed or five."""

    def test_of_the_leak_on_tacred(self, tacred) -> None:
        effects = leak_effects(tacred)
        assert effects["systems"].eq(52).all() and (effects["first"] == effects["first_leaked"]).all()
        assert effects.loc["micro", ["least", "most"]].round(1).tolist() == [4.8, 13.2]
        assert effects["tau"].idxmin() == "micro" and effects.loc["micro", "tau"] < 0.83
        report = leak_report(next(one for one in tacred if one.model == "gcn").outcome(), "no_relation")
        micro = [100 * part["micro"]["f1"] for part in (report.schemes, report.schemes_leaked)]
        assert np.round(micro, 2).tolist() == [64.17, 73.17] and report.false_alarms == 768
        printed = load_published("W", "Table 3")
        recent = printed.query("model == 'RECENT' and scheme == 'micro' and statistic == 'mean'")["value"]
        assert micro[1] - micro[0] > 6.9 and micro[1] > recent.item() + 1

    def test_a_system_that_raises_many_false_alarms_gains_most(self, tacred) -> None:
        alarms = {}
        for one in tacred:
            counts = one.outcome().per_class()
            alarms[one.model] = int(counts.fn[counts.labels.index("no_relation")])
        gains = leak_ranks(tacred)
        names = leak_ranks([one for one in tacred if one.model == max(alarms, key=alarms.get)])["system"]
        assert gains.sort_values("gain")["system"].tail(5).isin(names).any()

    def test_of_the_pairs(self) -> None:
        kinds = pd.read_csv(TABLES_FOLDER / "14_pairs.csv").set_index("kind")
        assert kinds.filter(like="pairs").sum().tolist() == [45094, 45588]
        kept = kinds[kinds.index.isin(KEPT)].filter(like="pairs").sum(axis=1)
        assert kept.drop("positive").sum() / kept.sum() == pytest.approx(0.93, abs=0.005)

    def test_of_the_pairs_as_they_are_counted_now(self, data_dir) -> None:
        kinds = pair_kinds().set_index("kind")
        assert kinds.filter(like="pairs").sum().tolist() == [45094, 45588]
        assert kinds.loc["unknown", "train, per positive"] == pytest.approx(3251 / 2720)
        assert kinds.filter(like="share").sum().tolist() == pytest.approx([1, 1])

    def test_of_types_around_a_linear_model(self) -> None:
        """Nearly half of what RECENT gains in micro-F1 its control gains, too: two steps detect more. With
        types more of the same detected pairs are named right, yet no larger share than by the base alone,
        which detects fewer."""
        runs = pair_runs()
        gains = restriction_gains(pair_scores(runs)).query("base == 'SVM-EM'").set_index("scheme")
        shown = ["alone", "two_steps", "RECENT", "steps", "types", "leak"]
        assert gains.loc["micro", shown].astype(float).round(1).tolist() == [32.6, 37.2, 43.1, 4.7, 5.8, 3.1]
        assert gains["steps"].min() > 2.5 and gains["types"].min() > 2.5
        assert (gains["types"] > 1.5 * gains["leak"]).all() and gains["leak"].min() > 0.4
        shares = step_shares(runs).round(1)
        assert shares.loc["SVM-EM"].tolist() == [26.5, 79.3, 0.7]
        assert shares.loc["RECENT(SVM-EM) without types", ["detected", "named"]].tolist() == [42.0, 67.7]
        assert shares.loc["RECENT(SVM-EM)"].tolist() == [42.0, 78.1, 2.7]
        drawn = runs[0]
        assert (drawn.n, len(drawn.labels)) == (6585, 92)

    def test_of_ptr_and_recent(self) -> None:
        """W's Table 3: PTR above RECENT everywhere, least under micro, most under macro. So it is here, but
        with the leak that W's numbers hold RECENT around EM-ES is ahead under micro and weighted."""
        means = pair_scores(pair_runs()).groupby(["model", "score"])["value"].mean().unstack().mul(100)
        gaps = means.loc["PTR"] - means
        for base in ("EM-ES", "SVM-EM", "CNN epochs-40"):
            assert (gaps.loc[f"RECENT({base})"] > 0.7).all()
        for base in ("EM-ES", "SVM-EM"):
            assert gaps.loc[f"RECENT({base})"].idxmin() == "micro"
            assert gaps.loc[f"RECENT({base})"].idxmax() == "macro"
        leaky = gaps.loc[f"RECENT(EM-ES){AS_PUBLISHED}"]
        assert (leaky[["micro", "weighted"]] < -1.4).all() and leaky["macro"] > 4
        falls = means["micro"] - means["macro"]
        assert falls["PTR"] < falls["RECENT(EM-ES)"] - 4
        table = findings_table(pair_runs()).query("item == 'W, Table 3'")
        honest, leaky = (table[table["first"] == f"RECENT(EM-ES){kind}"] for kind in ("", AS_PUBLISHED))
        assert honest["verdict"].tolist() == ["undecided", *["reproduced (order)"] * 4]
        assert leaky["verdict"].tolist() == [*["contradicted"] * 2, *["undecided"] * 2, "reproduced (order)"]

    def test_of_all_pairs(self) -> None:
        """With all negatives PTR is behind RECENT around EM-ES without any leak, but not under macro; RECENT
        costs around EM-ES more than its leak can hide. One run of each: no more than a direction."""
        scores = pair_scores(pair_runs(WHOLE)).pivot_table("value", "score", "model")
        lead = 100 * (scores["PTR"] - scores["RECENT(EM-ES)"])
        assert (lead.drop("macro") < -0.9).all() and lead["macro"] > 2
        gains = restriction_gains(pair_scores(pair_runs(WHOLE))).set_index(["base", "scheme"])
        assert (gains.loc["EM-ES", ["steps", "types"]] < -1).all(axis=None)
        assert (gains["leak"] > 0).all()
        micro = gains.loc[("EM-ES", "micro")]
        assert micro["RECENT"] + micro["leak"] < micro["alone"] - 0.6
        gained = gains["RECENT"] - gains["alone"]
        assert (gained["SVM-EM"] > 1).all() and (gained["CNN epochs-40"].drop("micro") > 1).all()
        assert gained["CNN epochs-40", "micro"] < -0.5
        alarms = step_shares(pair_runs(WHOLE))["false_alarms"]
        assert alarms["EM-ES"] < alarms["RECENT(EM-ES)"] < 0.8 * alarms["PTR"]
        assert scores.loc["macro", "PTR"] > scores.loc["macro", f"RECENT(EM-ES){AS_PUBLISHED}"]

    def test_a_stored_evaluation_as_published_has_no_false_alarm(self) -> None:
        for data in (DRAWN, WHOLE):
            leaky = step_shares(
                one for one in pair_runs(data) if restricted_title(one).endswith(AS_PUBLISHED)
            )
            assert (leaky["false_alarms"] == 0).all() and (leaky["detected"] > 0).all()
            assert len(leaky) == 6

    def test_no_evaluation_as_published_is_below_the_corrected_one(self) -> None:
        gains = restriction_gains(pair_scores(pair_runs()))
        assert len(gains) and (gains["leak"] > 0).all()

    def test_of_graph_models_on_semeval(self) -> None:
        """C-GCN's A near the paper's, B, PPR and PIR above; merged training makes it right on both.

        Every difference could halve before this fails. C-GCN and C-GCN-M have five seeds.
        """
        rows = direction_rows(graph_runs(), pd.DataFrame())
        means = rows[rows["seed_or_agg"] == "mean"].pivot(index="model", columns="metric", values="value")
        ours = means.loc["C-GCN"]
        assert ours["performance_paired"] < ours["performance_original"] - 0.3
        assert 0.01 < 0.8479 - ours["performance_original"] < 0.04
        assert 0.06 < ours["performance_paired"] - 0.2515 < 0.16 and 0.07 < 0.5964 - ours["pd"] < 0.2
        assert 0.04 < ours["ppr"] - 0.2417 < 0.1 and ours["pir"] > 0.032 + 0.2
        assert means.loc["C-GCN-M", "ppr"] > 0.75

    def test_word_vectors_were_chosen_on_training_data(self) -> None:
        """The usual ones have the highest mean A over the two models on the held-out tenth; for C-GCN alone
        training them further makes no difference."""
        every = vector_scores().set_index(["model", "word vectors", "in training"])
        tried = every.query("epochs == 20")["A"]
        assert (len(every), len(tried)) == (8, 6)
        means = tried.groupby(level=["word vectors", "in training"]).mean()
        assert means.idxmax()[0].endswith("word pieces") and means.idxmax()[1] == "frozen"
        ours = tried["C-GCN"].filter(like="word pieces")
        assert ours.max() - ours.min() < 0.1


def test_table_vi_has_its_row_of_c_gcn() -> None:
    (row,) = (line for line in table_6_markdown().splitlines() if line.startswith("| C-GCN |"))
    assert row.startswith("| C-GCN | 84.79 | 24.17 |")
    rows = direction_rows(graph_runs(), pd.DataFrame()).query("model == 'C-GCN' and seed_or_agg == 'mean'")
    ours = rows.set_index("metric")["value"]
    cells = [cell.split(" ±")[0].strip() for cell in row.strip("| ").split("|")[-2:]]
    assert cells == [f"{100 * ours[name]:.2f}" for name in ("performance_original", "ppr")]


def test_tables_say_what_our_graph_models_stand_on() -> None:
    table = graph_table(direction_rows(graph_runs(), pd.DataFrame()))
    assert table.loc["C-GCN", "numbers"].tolist() == ["published", "ours, word pieces"]
    assert table.loc["C-GCN, vectors from scratch", "numbers"] == "ours"
    assert not table.index.str.contains("scratch+", regex=False).any()


def test_stored_runs_with_vectors_of_the_encoder_name_its_weights() -> None:
    every = [*graph_runs(), *list_runs(folder=STUDIES_FOLDER / "vectors")]
    own = [one.encoder_sha256 for one in every if one.options["vectors"] == "encoder"]
    assert len(own) >= 7 and set(own) == {EMBEDDED_SHA256}
    assert {one.encoder_sha256 for one in every if one.options["vectors"] == "scratch"} == {None}


def test_a_run_of_ours_is_none_of_the_published_systems(tmp_path) -> None:
    """Who trains on TACRED has runs beside the published predictions: sentences on those leave them out."""
    published = list_published("tacred", "confusion")
    for one in published[:3]:
        save_run(one, tmp_path)
    before = leak_markdown(tmp_path)
    own = replace(published[0], model="SVM", profile="standard", encoder="no-encoder")
    save_run(own, tmp_path)
    assert len(list_runs("tacred", folder=tmp_path)) == 4
    assert list_published("tacred", folder=tmp_path) == sorted(published[:3], key=lambda one: one.model)
    assert leak_markdown(tmp_path) == before


def toy_tacred(count: int) -> list[dict]:
    """Sentences in TACRED's form: the types say which relation there can be, the verb says whether."""
    kinds = [("born", "CITY", "in"), ("lives", "CITY", "near"), ("title", "TITLE", "as")]
    found = []
    for number in range(count):
        relation, kind, word = kinds[number % 3]
        related = number % 4 > 0
        tokens = ["Ada", relation if related else "saw", word, f"x{number % 5}"]
        one = {"id": str(number), "relation": relation if related else "no_relation", "token": tokens}
        one |= {"subj_start": 0, "subj_end": 0, "obj_start": 3, "obj_end": 3, "stanford_head": [2, 0, 2, 3]}
        found.append(one | {"subj_type": "PERSON", "obj_type": kind})
    return found


def test_section_6_of_notebook_14_on_tacred(tmp_path, monkeypatch) -> None:
    """Who has TACRED: its runs stay apart from the published ones, from training to table and figure."""
    (tmp_path / "tacred" / "json").mkdir(parents=True)
    for split, count in (("train", 60), ("dev", 12), ("test", 24)):
        (tmp_path / "tacred" / "json" / f"{split}.json").write_text(json.dumps(toy_tacred(count)))
    monkeypatch.setenv("RC_DATA_DIR", str(tmp_path))
    folder, linear = tmp_path / "runs", {"markers": True}
    for one in list_published("tacred", "confusion")[:3]:
        save_run(one, folder)
    trained = [Experiment("svm", "tacred", profile="standard", options=linear)]
    trained += [
        Experiment("recent", "tacred", profile="standard", options={"base": "svm"} | linear | types)
        for types in ({}, {"typed": False})
    ]
    for one in trained:
        run_experiment(one, folder, progress=False)
    runs = pair_runs("tacred", folder)
    assert [restricted_title(one) for one in runs] == [
        *("RECENT(SVM-EM)", f"RECENT(SVM-EM){WITHOUT_TYPES}", f"RECENT(SVM-EM){WITHOUT_TYPES}{AS_PUBLISHED}"),
        *(f"RECENT(SVM-EM){AS_PUBLISHED}", "SVM-EM"),
    ]
    gains = restriction_gains(pair_scores(runs))
    assert len(restriction_sentences(gains)) == 1 and gains["runs"].eq(1).all()
    table = restriction_table(pair_rows(runs), "tacred")
    assert table["data"].tolist() == ["TACRED, published"] * 2 + ["TACRED, ours"] * 5
    assert list(step_shares(runs).index) == [restricted_title(one) for one in runs]
    chart = restriction_chart(restriction_points(pair_scores(runs)), "toy")
    assert len(chart.axes[0].get_yticklabels()) == 5
    assert leak_effects(list_published("tacred", "confusion", folder))["systems"].eq(3).all()
    assert restriction_chart(restriction_points(pair_scores([])), "no runs").axes
