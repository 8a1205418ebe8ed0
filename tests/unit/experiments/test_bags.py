"""Training on bags from end to end, on a small corpus of bags; and labels distorted."""

import random
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from helpers.data import (
    Bag,
    Dataset,
    Mention,
    RelationSample,
    distort_bags,
    mislead_bags,
    register_dataset,
    unregister_dataset,
)
from helpers.experiments import (
    LEARNT,
    MISLEADING,
    TAKEN_FOR,
    Experiment,
    agreement,
    demo_bags,
    learnable_draws,
    one_draw,
    read_bags,
    run_experiment,
    stored_draws,
)
from helpers.experiments import run as experiments
from helpers.experiments.noise import System
from helpers.models import default_settings, training
from helpers.runs import list_runs, load_run
from tests.support import stop_after

WORDS = {"NA": "met", "born in": "was born in", "lives in": "lives in"}


def mentions(start: int, stop: int, relations=tuple(WORDS)) -> list[Mention]:
    """Two sentences about each of some pairs."""
    found = []
    for number in range(start, stop):
        relation = relations[number % len(relations)]
        for again in ("", " again"):
            text = f"P{number} {WORDS[relation]} T{number % 7}{again}"
            tail = text.index(f"T{number % 7}")
            sample = RelationSample(
                f"{number}{again}", text, (0, len(f"P{number}")), (tail, tail + 2), relation
            )
            found.append(Mention(sample, f"p{number}", f"t{number % 7}"))
    return found


@pytest.fixture(autouse=True)
def corpora(monkeypatch, tmp_path):
    """'toy' has a negative class, 'toy-without' has none."""
    for name, relations, negative in (
        ("toy", tuple(WORDS), "NA"),
        ("toy-without", ("born in", "lives in"), None),
    ):
        made = {"train": mentions(0, 30, relations), "test": mentions(30, 60, relations)}
        register_dataset(
            Dataset(
                name,
                kind="mentions",
                maker=lambda made=made: made,
                negative=negative,
                whole=("train", "test"),
            )
        )
    monkeypatch.setattr(experiments, "CHECKPOINTS", tmp_path / "checkpoints")
    yield
    unregister_dataset("toy")
    unregister_dataset("toy-without")


def small(model="pcnn", seed=9, dataset="toy", **options):
    settings = None
    if model != "tfidf-bag":
        settings = default_settings(model).changed({"epochs": 8, "batch_size": 8, "learning_rate": 0.01})
        options |= {"filters": 8, "word_size": 8}
    return Experiment(model, dataset, seed=seed, profile="standard", settings=settings, options=options)


def trained(experiment, folder) -> list:
    """The runs that one training stores, the last of which it returns."""
    last = run_experiment(experiment, folder, progress=False)
    names = list(experiment.evaluations)
    runs = [run for run in list_runs(folder=folder) if run.variant in names and run.seed == last.seed]
    assert len(runs) == len(names) and runs[-1] == last
    return runs


class TestRuns:
    def test_one_training_two_evaluations(self, tmp_path) -> None:
        runs = trained(small(), tmp_path)
        assert [run.variant.split("+")[:2] for run in runs] == [["sent", "AVG"], ["sent", "ONE"]]
        for run in runs:
            ranking = run.outcome().ranking(run.labels, run.negative)
            assert (len(ranking), ranking.facts) == (60, 20)
            assert ranking.auc() > 0.9  # the words say it
            assert load_run(next(tmp_path.rglob(f"*{run.variant}/*/seed-9.json"))) == run
        again = trained(small(), tmp_path)
        assert [run.wall_seconds for run in again] == [run.wall_seconds for run in runs]  # not trained again

    @pytest.mark.parametrize(
        "options", [{}, {"training": "bag", "aggregator": "att", "bag_size": 1}], ids=["sent", "bag"]
    )
    def test_a_killed_training_goes_on_to_the_same_run_files(self, tmp_path, monkeypatch, options) -> None:
        """Killed in the third of eight epochs; the two before are not trained again, and nothing is left."""
        experiment = small(**options)
        whole = trained(experiment, tmp_path / "whole")
        epoch = (30 if options else 60) // 8 + 1  # batches of 30 bags or 60 sentences
        with monkeypatch.context() as patch:
            stop_after(2 * epoch + 1, patch)
            with pytest.raises(KeyboardInterrupt):
                trained(experiment, tmp_path / "runs")
        assert not list(tmp_path.glob("runs/**/*.json"))
        steps, one_step = [], training._Loop._one_step
        monkeypatch.setattr(
            training._Loop, "_one_step", lambda loop, parts: (steps.append(loop.step), one_step(loop, parts))
        )
        runs = trained(experiment, tmp_path / "runs")
        assert steps == list(range(2 * epoch, 8 * epoch))
        assert not list((tmp_path / "checkpoints").iterdir())
        measured = ("wall_seconds", "sentences_per_second")
        for run, other in zip(runs, whole, strict=True):
            same = [
                replace(
                    one, environment=one.environment | {"prediction_seconds": 0}, **dict.fromkeys(measured)
                )
                for one in (run, other)
            ]
            assert same[0] == same[1] and run.outcome() == other.outcome()

    def test_another_configuration_is_refused(self, tmp_path) -> None:
        trained(small("tfidf-bag"), tmp_path)
        register_dataset(
            Dataset(
                "toy",
                kind="mentions",
                maker=lambda: {"train": mentions(0, 27), "test": mentions(30, 60)},
                negative="NA",
                whole=("train", "test"),
            )
        )
        with pytest.raises(FileExistsError, match="another configuration \\(hyperparameters\\)"):
            trained(small("tfidf-bag"), tmp_path)

    def test_duplicates_are_left_out_and_it_is_said_before_anything_is_trained(
        self, tmp_path, capsys
    ) -> None:
        made = {"train": mentions(0, 30) + mentions(0, 5), "test": mentions(25, 60)}
        register_dataset(
            Dataset("toy", kind="mentions", maker=lambda: made, negative="NA", whole=tuple(made))
        )
        data = read_bags("toy")
        assert sum(len(bag.samples) for bag in data.train) == 60 and data.shared == 5
        run_experiment(small("tfidf-bag"), tmp_path)
        said = capsys.readouterr().err
        assert "train: 70 sentences (10 duplicates left out, 0 malformed lines), 30 pairs, 20 facts" in said
        assert "pairs in both parts: 5" in said

    @pytest.mark.parametrize(
        ("model", "options", "settings"),
        [
            ("cnn", {}, "gao2021"),
            ("pcnn", {"training": "bag", "aggregator": "att"}, "gao2021-bag"),
            ("bert-entity", {"training": "bag"}, "gao2021-bag"),
            ("reside", {}, "vashishth2018"),
        ],
    )
    def test_profile_paper_takes_the_papers_settings(self, model, options, settings) -> None:
        experiment = Experiment(model, "toy", options=options, profile="paper")
        assert experiment.resolved() == default_settings(model, settings)
        assert experiment.resolved() != replace(experiment, profile="standard").resolved()
        changed = replace(experiment, settings=default_settings(model, settings).changed({"epochs": 1}))
        assert changed.run_variant.removeprefix(experiment.run_variant).lstrip("+") == "epochs-1"
        with pytest.raises(ValueError, match="unknown profile 'papers'; did you mean 'paper'"):
            replace(experiment, profile="papers")


def clean(n: int = 600) -> list[Bag]:
    sample = RelationSample("1", "Ada left London", (0, 3), (9, 15), "x")
    kinds = [("NA",), ("r",), ("s",), ("r", "s")]
    return [Bag(f"h{at % 97}", f"t{at % 41}", kinds[at % 4], (sample,)) for at in range(n)]


class TestDistortion:
    @pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
    def test_the_rates_are_those_that_are_asked_for(self, strength) -> None:
        bags, found = clean(), []
        for draw in range(20):
            noisy = distort_bags(bags, "NA", random.Random(draw), strength)
            facts, given = (
                {(row, one) for row, bag in enumerate(part) for one in bag.relations}
                for part in (bags, noisy)
            )
            facts, given = ({fact for fact in part if fact[1] != "NA"} for part in (facts, given))
            found.append((len(facts & given) / len(given), len(facts & given) / len(facts)))
        precision, recall = np.mean(found, axis=0)
        assert precision == pytest.approx(1 - strength * (1 - 0.691), abs=0.01)
        assert recall == pytest.approx(1 - strength * (1 - 0.339), abs=0.02)

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"precision": 0}, r"\d+ true facts stay, so no number of false ones makes the precision 0"),
            ({"precision": 0.1, "recall": 1}, "precision 0.1 takes 5400 false facts beside 600 true ones"),
        ],
    )
    def test_a_rate_that_the_bags_cannot_have(self, values, message) -> None:
        with pytest.raises(ValueError, match=message):
            distort_bags(clean(), "NA", random.Random(1), **values)
        none = distort_bags(clean(), "NA", random.Random(1), precision=0, recall=0)
        assert {bag.relations for bag in none} == {("NA",)}


class TestNoise:
    LISTED = (System("tfidf-bag", {}, {"A": None}), System("tfidf-bag", {"markers": True}, {"B": None}))

    def test_without_noise_both_protocols_are_one(self) -> None:
        rows = pd.DataFrame(one_draw(read_bags("toy"), 0.0, 1, self.LISTED))
        table = rows.pivot(index="system", columns="protocol", values="auc")
        assert (table["held-out"] == table["manual"]).all() and len(table) == 2
        noisy = pd.DataFrame(one_draw(read_bags("toy"), 1.0, 1, self.LISTED))
        table = noisy.pivot(index="system", columns="protocol", values="auc")
        assert (table["held-out"] != table["manual"]).all()

    def test_agreement_of_equal_rankings(self) -> None:
        rows = pd.DataFrame(
            [
                (1.0, 0, name, protocol, value, 0.0)
                for protocol in ("held-out", "manual")
                for name, value in (("a", 0.2), ("b", 0.5))
            ],
            columns=["strength", "draw", "system", "protocol", "auc", "micro_f1"],
        )
        found = agreement(rows).iloc[0]
        assert found["tau"] == 1.0 and found["best_kept"] and found["loss"] == 0


class TestLearnableNoise:
    WORDS = ("likes", "saw", "saw", "sawed")

    def bags(self) -> list[Bag]:
        relations = ("r", "NA", "NA", "NA")
        samples = [
            RelationSample(str(n), f"Ada {word} Rome", (0, 3), (5 + len(word), 9 + len(word)), relation)
            for n, (word, relation) in enumerate(zip(self.WORDS, relations, strict=True))
        ]
        return [Bag("Ada", one.id, (one.relation,), (one,)) for one in samples]

    def test_only_bags_with_the_whole_word_and_no_relation_are_misled(self) -> None:
        changed = mislead_bags(self.bags(), "NA", "saw", "wrong", 1.0, random.Random(1))
        assert [bag.relations for bag in changed] == [("r",), ("wrong",), ("wrong",), ("NA",)]
        assert mislead_bags(self.bags(), "NA", "likes", "wrong", 1.0, random.Random(1)) == self.bags()
        assert mislead_bags(self.bags(), "NA", "saw", "wrong", 0.0, random.Random(1)) == self.bags()
        with pytest.raises(ValueError, match=r"share is 1\.5: it has to be from 0 to 1"):
            mislead_bags(self.bags(), "NA", "saw", "wrong", 1.5, random.Random(1))

    def test_the_stored_draws_are_those_that_are_made(self) -> None:
        made = learnable_draws(demo_bags(), MISLEADING, TAKEN_FOR, (0.5,), 1)
        kept = stored_draws(LEARNT).query("strength == 0.5 and draw == 0")
        assert made["auc"].to_numpy() == pytest.approx(kept["auc"].to_numpy(), abs=2e-6)
