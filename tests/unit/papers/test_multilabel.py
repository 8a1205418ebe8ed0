"""Stored multi-label runs: files that come back whole, scores, intervals, pairs of models, their figures."""

import numpy as np
import pandas as pd
import pytest

from helpers import ROOT
from helpers.experiments import PAIRS
from helpers.metrics import MultilabelOutcome, Outcome
from helpers.metrics.multilabel import averages
from helpers.models.linear.base import parse_options
from helpers.models.linear.cost_sensitive import COSTS
from helpers.papers.multilabel import (
    COLLECTIONS,
    differing_documents,
    forms_table,
    gains,
    linear_runs,
    score_rows,
    scores_of,
    solving,
)
from helpers.papers.multilabel import multilabel_runs as list_runs
from helpers.reporting import TABLES_FOLDER, read_tidy
from helpers.runs import RUNS_FOLDER, Run, load_run

LABELS = ("a", "b", "c", "d", "e", "f")


def outcome(rng: np.random.Generator, n: int = 80, keep_sets: bool = True) -> MultilabelOutcome:
    """Noisy scores of six labels, the last one rare."""
    truth = rng.random((n, 6)) < [0.5, 0.4, 0.3, 0.2, 0.1, 0.03]
    scores = truth + rng.normal(0, 0.7, truth.shape) - 0.5
    return MultilabelOutcome.from_scores(truth, scores, labels=LABELS, keep_sets=keep_sets)


def run(rng: np.random.Generator, model: str = "1vsrest", problems: int = 6) -> Run:
    support, facts = (9, 8, 7, 6, 5, 4), {"problems": problems}
    return Run.from_outcome(outcome(rng), dataset="demo", model=model, train_support=support, facts=facts)


class TestScores:
    def test_rows_hold_values_intervals_and_signatures(self, rng):
        one = run(rng)
        rows = {row["scheme"] or row["metric"]: row for row in score_rows(one, 200, 1, [1])}
        assert rows.keys() == scores_of(one, [1]).keys()
        for name, value in scores_of(one, [1]).items():
            assert rows[name]["value"] == pytest.approx(value)
            assert rows[name]["low"] <= value <= rows[name]["high"]
        assert rows["entropy"]["signature"].startswith("f1|scheme:entropy|")
        assert rows["P@1"]["signature"].startswith("P@1|ties:index")

    def test_documents_that_differ_are_counted(self, rng):
        truth = rng.random((40, 6)) < 0.4
        scores = rng.normal(size=(40, 6))
        moved = scores.copy()
        moved[[3, 8, 21]] *= -1
        one, other = (
            MultilabelOutcome.from_scores(truth, s, labels=LABELS, keep_sets=True) for s in (scores, moved)
        )
        assert differing_documents(one, one) == 0
        assert 0 < differing_documents(one, other) <= 3


class TestPairs:
    def matrices(self, rng):
        truth = rng.random((200, 6)) < [0.5, 0.4, 0.3, 0.2, 0.1, 0.05]
        noise = [rng.random(truth.shape) < share for share in (0.2, 0.1)]
        return truth, truth ^ noise[0], truth ^ noise[1]

    def test_gains_are_differences_with_narrower_intervals_than_unpaired_ones(self, rng):
        truth, first, second = self.matrices(rng)
        second = np.where(rng.random(truth.shape) < 0.9, first, second)  # nearly the same predictions
        pairs = Outcome.from_sets(truth, first, LABELS, second=second)
        gained = gains(pairs, np.random.default_rng(1), 500).set_index("scheme")
        values = [averages(pairs.per_class(role)) for role in ("predicted", "second")]
        assert gained["difference"].tolist() == pytest.approx((values[1] - values[0]).tolist())
        assert (gained["low"] <= gained["difference"]).all()
        assert (gained["difference"] <= gained["high"]).all()
        columns = [truth, truth], [first, truth], [truth, second]
        gold, *predicted = map(np.vstack, columns)
        shuffled = Outcome.from_sets(gold, predicted[0], LABELS, second=predicted[1])
        loose = gains(shuffled, np.random.default_rng(1), 500).set_index("scheme")
        paired_width, loose_width = (g.loc["micro", "high"] - g.loc["micro", "low"] for g in (gained, loose))
        assert paired_width < loose_width


class TestStored:
    """What is committed: complete, of one test set, and in keeping with each other."""

    @pytest.mark.parametrize(
        ("dataset", "n", "n_labels"), [("reuters90", 3019, 90), ("goemotions", 5427, 28)]
    )
    def test_runs_of_a_corpus_are_of_one_test_set(self, dataset, n, n_labels):
        runs = list_runs(dataset)
        assert {"1vsrest", "thresholding", "cost_sensitive", "tree"} <= runs.keys()
        supports = {tuple(one.outcome().counts.gold) for one in runs.values()}
        assert len(supports) == 1
        for one in runs.values():
            assert (one.outcome().ranking.n, len(one.outcome().counts.gold)) == (n, n_labels)
            assert one.files

    def test_the_package_on_reuters(self):
        printed = pd.read_csv(ROOT / "results" / "published" / "libmultilabel.csv", dtype=str)
        package = printed[printed["item"].str.startswith("package")]
        assert len(package) == 14
        runs = list_runs("reuters90")
        for row in package.itertuples():
            value = runs[row.model].outcome().scores([1, 3, 5])[row.metric]
            assert value == pytest.approx(float(row.printed), abs=5.1e-5), (row.model, row.metric)

    @pytest.mark.parametrize("pair", PAIRS, ids="+".join)
    def test_pairs_hold_the_counts_of_the_single_runs(self, pair):
        path = RUNS_FOLDER / "reuters90" / "+".join(pair) / "no-encoder" / "seed-1337.json"
        pairs, runs = load_run(path), list_runs("reuters90")
        assert (pairs.model, pairs.second) == ("+".join(pair), pair[1])
        for role, model in zip(("predicted", "second"), pair, strict=True):
            counts = pairs.outcome().per_class(role)
            own = runs[model].outcome().counts
            for name in ("correct", "predicted", "gold"):
                assert np.array_equal(getattr(counts, name), getattr(own, name))

    def test_one_vs_rest_leaves_documents_without_a_label_and_thresholds_fewer(self):
        """L, Section 3.2: 259 and 80 of Reuters' 3,019 documents; and Macro-F1 rises."""
        for dataset in COLLECTIONS:
            runs = list_runs(dataset)
            plain, found = (
                runs[name].outcome().sets.without_prediction for name in ("1vsrest", "thresholding")
            )
            assert found < plain / 2
            if dataset == "reuters90":
                assert (plain, found, runs["1vsrest"].n) == (259, 80, 3019)
            gain = scores_of(runs["thresholding"])["macro"] - scores_of(runs["1vsrest"])["macro"]
            assert gain > 0.06

    def test_the_dual_solver_is_as_good_and_not_always_faster(self):
        """L, Section 3.4: faster on Reuters, slower on GoEmotions."""
        table = forms_table(linear_runs())
        scores = table.drop(columns="seconds").unstack("model").T
        dual, primal = (scores.xs(name, level="model") for name in ("1vsrest", "1vsrest primal"))
        assert (dual - primal).abs().max(axis=None) < 0.0005
        seconds = table["seconds"].unstack()
        assert seconds.loc["reuters90", "1vsrest"] < 0.8 * seconds.loc["reuters90", "1vsrest primal"]
        assert seconds.loc["goemotions", "1vsrest"] > 1.1 * seconds.loc["goemotions", "1vsrest primal"]

    def test_thresholding_and_costs_take_longer_than_one_vs_rest(self):
        """L, Sections 3.2 and 3.3, in processor seconds of the solver."""
        for models in (linear_runs()[name] for name in ("reuters90", "goemotions")):
            for name in ("thresholding", "cost_sensitive"):
                assert solving(models[name]) > 2 * solving(models["1vsrest"])

    def test_problems_are_those_that_the_document_counts_and_one_for_each_label(self):
        """L, Section 3.5: L, 3L and 21L; and C(2 − t)/t is C for t = 1."""
        for dataset in COLLECTIONS:
            runs = list_runs(dataset)
            size = len(runs["1vsrest"].outcome().counts.gold)
            counted = {name: runs[name].facts["problems"] / size for name in ("1vsrest", "thresholding")}
            assert counted | {"cost_sensitive": runs["cost_sensitive"].facts["problems"] / size} == {
                "1vsrest": 1, "thresholding": 3 + 1, "cost_sensitive": 21 + 1
            }  # fmt: skip
        assert min(COSTS) == 1

    def test_the_bias_is_off_unless_asked_for(self):
        """L, Section 3.7: the package without -B is our run without a bias, and not the one with it."""
        runs = list_runs("reuters90")
        plain, biased = (scores_of(runs[name]) for name in ("1vsrest without bias", "1vsrest"))
        assert "-B" not in runs["1vsrest without bias"].hyperparameters["options"]
        assert plain["Macro-F1"] > biased["Macro-F1"] + 0.01
        assert plain["Micro-F1"] < biased["Micro-F1"] - 0.001
        assert not parse_options("-s 1").has_bias and parse_options("-s 1 -B 1").has_bias

    def test_other_splits_and_a_grid_of_c_move_cost_sensitive_training_little(self):
        """L, Sections 3.3 and 3.8: Micro-F1 below a thousandth, Macro-F1 within its interval."""
        rows = read_tidy(TABLES_FOLDER / "13_multilabel.csv").query("dataset == 'reuters90'")
        found = {metric: part.set_index("model") for metric, part in rows.groupby("metric")}
        macro, micro = found["Macro-F1"].loc["cost_sensitive"], found["Micro-F1"].loc["cost_sensitive"]
        for name in ("cost_sensitive different splits", "cost_sensitive grid of C"):
            assert abs(found["Micro-F1"].loc[name, "value"] - micro["value"]) < 0.001
            assert macro["low"] < found["Macro-F1"].loc[name, "value"] < macro["high"]
