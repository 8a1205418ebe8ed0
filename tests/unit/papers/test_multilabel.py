"""Stored multi-label runs: files that come back whole, scores, intervals, pairs of models, their figures."""

import numpy as np
import pandas as pd
import pytest

from helpers import ROOT
from helpers.experiments import PAIRS
from helpers.metrics import MultilabelOutcome, Outcome
from helpers.metrics.multilabel import averages
from helpers.models.linear.base import parse_options
from helpers.models.linear.tuning import COSTS
from helpers.papers.multilabel import COLLECTIONS, _multilabel_runs, gains, linear_runs, score_rows, scores_of
from helpers.reporting import TABLES_FOLDER, read_tidy
from helpers.runs import RUNS_FOLDER, Run, load_run

LABELS = ("a", "b", "c", "d", "e", "f")


def solver_seconds(run: Run) -> float:
    """Of training without TF-IDF."""
    return run.cost["training"]["cpu_seconds"] - run.cost["tf_idf"]["cpu_seconds"]


def test_rows_hold_values_intervals_and_signatures(rng):
    truth = rng.random((80, 6)) < [0.5, 0.4, 0.3, 0.2, 0.1, 0.03]
    scores = truth + rng.normal(0, 0.7, truth.shape) - 0.5
    outcome = MultilabelOutcome.from_scores(truth, scores, labels=LABELS)
    run = Run.from_outcome(outcome, dataset="demo", model="1vsrest", train_support=(9, 8, 7, 6, 5, 4))
    rows = {row["scheme"] or row["metric"]: row for row in score_rows(run, 200, 1, [1])}
    values = scores_of(run, [1])
    assert {name: row["value"] for name, row in rows.items()} == pytest.approx(values)
    assert all(row["low"] <= values[name] <= row["high"] for name, row in rows.items())
    assert rows["entropy"]["signature"].startswith("f1|scheme:entropy|")
    assert rows["P@1"]["signature"].startswith("P@1|ties:index")


def test_gains_are_differences_with_narrower_intervals_than_unpaired_ones(rng):
    truth = rng.random((200, 6)) < [0.5, 0.4, 0.3, 0.2, 0.1, 0.05]
    first, second = (truth ^ (rng.random(truth.shape) < share) for share in (0.2, 0.1))
    second = np.where(rng.random(truth.shape) < 0.9, first, second)  # nearly the same predictions
    pairs = Outcome.from_sets(truth, first, LABELS, second=second)
    gained = gains(pairs, np.random.default_rng(1), 500).set_index("scheme")
    values = [averages(pairs.per_class(role)) for role in ("predicted", "second")]
    assert gained["difference"].tolist() == pytest.approx((values[1] - values[0]).tolist())
    assert gained["difference"].between(gained["low"], gained["high"]).all()
    gold, one, other = (np.vstack(pair) for pair in ((truth, truth), (first, truth), (truth, second)))
    shuffled = Outcome.from_sets(gold, one, LABELS, second=other)
    loose = gains(shuffled, np.random.default_rng(1), 500).set_index("scheme")
    paired_width, loose_width = (g.loc["micro", "high"] - g.loc["micro", "low"] for g in (gained, loose))
    assert paired_width < loose_width


class TestStored:
    """What is committed: complete, of one test set, and in keeping with each other."""

    @pytest.mark.parametrize(("dataset", "size"), [("reuters90", (3019, 90)), ("goemotions", (5427, 28))])
    def test_runs_of_a_corpus_are_of_one_test_set(self, dataset, size):
        runs = _multilabel_runs(dataset)
        assert {"1vsrest", "thresholding", "cost_sensitive", "tree"} <= runs.keys()
        outcomes = [run.outcome() for run in runs.values()]
        assert len({tuple(outcome.counts.gold) for outcome in outcomes}) == 1
        assert {(outcome.ranking.n, len(outcome.counts.gold)) for outcome in outcomes} == {size}
        assert all(run.files for run in runs.values())

    def test_the_package_on_reuters(self):
        printed = pd.read_csv(ROOT / "results" / "published" / "libmultilabel.csv", dtype=str)
        package = printed[printed["item"].str.startswith("package")]
        assert len(package) == 14
        runs = _multilabel_runs("reuters90")
        for row in package.itertuples():
            value = runs[row.model].outcome().scores([1, 3, 5])[row.metric]
            assert value == pytest.approx(float(row.printed), abs=5.1e-5), (row.model, row.metric)

    @pytest.mark.parametrize("pair", PAIRS, ids="+".join)
    def test_pairs_hold_the_counts_of_the_single_runs(self, pair):
        folder, runs = RUNS_FOLDER / "reuters90" / "+".join(pair), _multilabel_runs("reuters90")
        pairs = load_run(folder / "no-encoder" / "seed-1337.json")
        assert (pairs.model, pairs.second) == ("+".join(pair), pair[1])
        for role, model in zip(("predicted", "second"), pair, strict=True):
            counts, own = pairs.outcome().per_class(role), runs[model].outcome().counts
            for name in ("correct", "predicted", "gold"):
                assert np.array_equal(getattr(counts, name), getattr(own, name))

    def test_one_vs_rest_leaves_documents_without_a_label_and_thresholds_fewer(self):
        """L, Section 3.2: 259 and 80 of Reuters' 3,019 documents; and Macro-F1 rises."""
        left = {}
        for dataset in COLLECTIONS:
            runs = [_multilabel_runs(dataset)[name] for name in ("1vsrest", "thresholding")]
            left[dataset] = [run.outcome().sets.without_prediction for run in runs]
            assert left[dataset][1] < left[dataset][0] / 2
            plain, thresholds = (scores_of(run)["macro"] for run in runs)
            assert thresholds - plain > 0.06
        assert left["reuters90"] == [259, 80]

    def test_the_dual_solver_is_as_good_and_not_always_faster(self):
        """L, Section 3.4: faster on Reuters, slower on GoEmotions."""
        ratio = {}
        for dataset in COLLECTIONS:
            dual, primal = (_multilabel_runs(dataset)[name] for name in ("1vsrest", "1vsrest primal"))
            scores = pd.DataFrame([scores_of(dual), scores_of(primal)])
            apart = (scores.iloc[0] - scores.iloc[1])[["P@1", "P@5", "Macro-F1", "Micro-F1"]]
            assert apart.abs().max() < 0.0005
            ratio[dataset] = solver_seconds(dual) / solver_seconds(primal)
        assert ratio["reuters90"] < 0.8 and ratio["goemotions"] > 1.1

    def test_thresholding_and_costs_take_longer_than_one_vs_rest(self):
        """L, Sections 3.2 and 3.3, in processor seconds of the solver."""
        for dataset in ("reuters90", "goemotions"):
            seconds = {name: solver_seconds(run) for name, run in linear_runs()[dataset].items()}
            assert min(seconds["thresholding"], seconds["cost_sensitive"]) > 2 * seconds["1vsrest"]

    def test_problems_are_those_that_the_document_counts_and_one_for_each_label(self):
        """L, Section 3.5: L, 3L and 21L; and C(2 − t)/t is C for t = 1."""
        wanted = {"1vsrest": 1, "thresholding": 3 + 1, "cost_sensitive": 21 + 1}
        for dataset in COLLECTIONS:
            runs = _multilabel_runs(dataset)
            size = len(runs["1vsrest"].outcome().counts.gold)
            assert {name: runs[name].facts["problems"] / size for name in wanted} == wanted
        assert min(COSTS) == 1

    def test_the_bias_is_off_unless_asked_for(self):
        """L, Section 3.7: the package without -B is our run without a bias, and not the one with it."""
        runs = _multilabel_runs("reuters90")
        plain, biased = (scores_of(runs[name]) for name in ("1vsrest without bias", "1vsrest"))
        assert "-B" not in runs["1vsrest without bias"].hyperparameters["options"]
        assert plain["Macro-F1"] > biased["Macro-F1"] + 0.01
        assert plain["Micro-F1"] < biased["Micro-F1"] - 0.001
        assert parse_options("-s 1").bias < 0 < parse_options("-s 1 -B 1").bias

    def test_other_splits_and_a_grid_of_c_move_cost_sensitive_training_little(self):
        """L, Sections 3.3 and 3.8: Micro-F1 below a thousandth, Macro-F1 within its interval."""
        rows = read_tidy(TABLES_FOLDER / "13_multilabel.csv").query("dataset == 'reuters90'")
        micro, macro = (rows[rows["metric"] == name].set_index("model") for name in ("Micro-F1", "Macro-F1"))
        for name in ("cost_sensitive different splits", "cost_sensitive grid of C"):
            assert abs(micro["value"][name] - micro["value"]["cost_sensitive"]) < 0.001
            low, high = macro.loc["cost_sensitive", ["low", "high"]]
            assert low < macro["value"][name] < high
