"""Training on bags from end to end, on a small corpus of bags; and labels distorted."""

import random
from dataclasses import replace

import numpy as np
import pytest

from helpers.data import (
    Bag,
    Dataset,
    Mention,
    distort_bags,
    mislead_bags,
    register_dataset,
)
from helpers.experiments import Experiment, noise, run_experiment
from helpers.experiments import run as experiments
from helpers.experiments.run import BagData, read_bags
from helpers.metrics import FactRanking
from helpers.models import EMBEDDED, build, default_settings
from helpers.runs import list_runs, load_run
from tests.support import sentence_of

WORDS = {"NA": "met", "born in": "was born in", "lives in": "lives in"}


def mentions(start: int, stop: int, relations=tuple(WORDS)) -> list[Mention]:
    """Two sentences about each of some pairs."""
    listed = []
    for number in range(start, stop):
        relation = relations[number % len(relations)]
        for again in ([], ["again"]):
            words = [f"P{number}", *WORDS[relation].split(), f"T{number % 7}", *again]
            sample = sentence_of(f"{number}{again}", words, 0, -1 - len(again), relation)
            listed.append(Mention(sample, f"p{number}", f"t{number % 7}"))
    return listed


def register(train: list[Mention], test: list[Mention]) -> None:
    parts = {"train": train, "test": test}
    whole = tuple(parts)
    register_dataset(Dataset("toy", kind="mentions", maker=lambda: parts, negative="NA", whole=whole))


@pytest.fixture(autouse=True)
def toy(monkeypatch, tmp_path):
    register(mentions(0, 30), mentions(30, 60))
    monkeypatch.setattr(experiments, "CHECKPOINTS", tmp_path / "checkpoints")


def small(model="pcnn", **options):
    settings = None
    if model != "tfidf-bag":
        settings = default_settings(model).changed({"epochs": 8, "batch_size": 8, "learning_rate": 0.01})
        options |= {"filters": 8, "word_size": 8}
    return Experiment(model, "toy", profile="standard", settings=settings, options=options)


class TestRuns:
    def test_one_training_two_evaluations(self, tmp_path) -> None:
        last = run_experiment(small(), tmp_path, progress=False)
        runs = list_runs(folder=tmp_path)
        assert [run.variant.split("+")[:2] for run in runs] == [["sent", "AVG"], ["sent", "ONE"]]
        for run in runs:
            ranking = run.outcome().ranking(run.labels, run.negative)
            assert (len(ranking), ranking.facts) == (60, 20)
            assert ranking.auc() > 0.9  # the words say it
            assert load_run(next(tmp_path.rglob(f"*{run.variant}/*/seed-9.json"))) == run
        assert last == runs[-1] == run_experiment(small(), tmp_path)  # not trained again

    def test_another_configuration_is_refused(self, tmp_path) -> None:
        run_experiment(small("tfidf-bag"), tmp_path)
        register(mentions(0, 27), mentions(30, 60))
        with pytest.raises(FileExistsError, match="another configuration \\(hyperparameters\\)"):
            run_experiment(small("tfidf-bag"), tmp_path)

    def test_duplicates_are_left_out_and_it_is_said_before_the_training(self, tmp_path, capsys) -> None:
        register(mentions(0, 30) + mentions(0, 5), mentions(25, 60))
        data = read_bags("toy")
        assert sum(len(bag.samples) for bag in data.train) == 60
        run_experiment(small("tfidf-bag"), tmp_path)
        said = capsys.readouterr().err
        assert "train: 70 sentences (10 duplicates left out), 30 pairs, 20 facts" in said
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


def clean(n: int = 600) -> list[Bag]:
    sample = sentence_of("1", ["Ada", "left", "London"], 0, 2, "x")
    kinds = [("NA",), ("r",), ("s",), ("r", "s")]
    return [Bag(f"h{at % 97}", f"t{at % 41}", kinds[at % 4], (sample,)) for at in range(n)]


class TestDistortion:
    @pytest.mark.parametrize("strength", [0.0, 0.5, 1.0])
    def test_the_rates_are_those_that_are_asked_for(self, strength) -> None:
        bags, rates = clean(), []
        for draw in range(20):
            noisy = distort_bags(bags, "NA", random.Random(draw), strength)
            facts, given = (
                {(row, label) for row, bag in enumerate(part) for label in bag.relations if label != "NA"}
                for part in (bags, noisy)
            )
            rates.append((len(facts & given) / len(given), len(facts & given) / len(facts)))
        precision, recall = np.mean(rates, axis=0)
        assert precision == pytest.approx(1 - strength * (1 - 0.691), abs=0.01)
        assert recall == pytest.approx(1 - strength * (1 - 0.339), abs=0.02)

    @pytest.mark.parametrize("strength", [-0.1, 1.6, float("nan")])
    def test_a_strength_that_leaves_no_share(self, strength) -> None:
        with pytest.raises(ValueError, match=f"strength is {strength:g}: it has to be from 0 to 1.51"):
            distort_bags(clean(), "NA", random.Random(1), strength)

    def test_more_false_facts_than_bags(self) -> None:
        few = [replace(bag, relations=tuple("abcdefghijkl")) for bag in clean(40)]
        with pytest.raises(ValueError, match=r"false facts beside \d+ true ones; 40 bags have room for \d+"):
            distort_bags(few, "NA", random.Random(1))


class TestNoise:
    @pytest.mark.parametrize("strength", [0.0, 1.0])
    def test_both_protocols_are_one_without_noise(self, strength) -> None:
        pair = {"A": {}, "B": {"markers": True}}
        listed = [
            {"model": "tfidf-bag", "evaluations": {name: ""}, "options": options}
            for name, options in pair.items()
        ]
        rows = noise.one_draw(read_bags("toy"), strength, 1, listed)
        table = rows.pivot(index="system", columns="protocol", values="auc")
        assert len(table) == 2 and ((table["held-out"] == table["manual"]) == (strength == 0)).all()
        best = noise.agreement(rows).iloc[0]
        assert strength or (best["best_kept"] and best["loss"] == 0)

    def test_scores_of_a_model_of_sentences_are_means_over_the_bag(self) -> None:
        data, system = read_bags("toy"), {"model": "svm", "options": {"markers": True}}
        system |= {"evaluations": {"SVM-EM": ""}}
        trained, (device, precision, seconds) = noise._trained_scores(9, data, system)
        model = build("svm", EMBEDDED, data.labels, None, 9, markers=True)
        model.fit([replace(one, relation=bag.relations[0]) for bag in data.train for one in bag.samples])
        means = [model.scores(bag.samples).mean(axis=0) for bag in data.test]
        assert trained == {"SVM-EM": pytest.approx(np.array(means))}
        assert (device, precision) == ("cpu", "") and 0 <= seconds < 60

    def test_documents_drawn_again_are_lists_written_out(self, monkeypatch) -> None:
        """A document that is drawn k times stands k times in the list; the same documents for both labels."""
        monkeypatch.setattr(noise, "_LENGTH", 20)
        rng, kinds = np.random.default_rng(3), [("NA",), ("r",), ("s",), ("r", "s")]
        bags = [replace(bag, head=f"doc {n // 4} {n % 4}") for n, bag in enumerate(clean(24))]
        missing = [replace(bag, relations=("NA",) if n % 3 else bag.relations) for n, bag in enumerate(bags)]
        truths = {
            name: BagData([], part, ("NA", "r", "s"), "NA", {})
            for name, part in (("held-out", missing), ("manual", bags))
        }
        assert {bag.relations for bag in bags} == set(kinds)
        scores = rng.random((24, 3))
        rows = noise._scored_by_both(scores, truths, 5).set_index(["protocol", "draw"])
        drawn = np.random.default_rng(1).multinomial(6, np.full(6, 1 / 6), 5)
        for (protocol, draw), row in rows.iterrows():
            gold = truths[protocol].gold[:, 1:].ravel()
            counts = np.ones(6, int) if draw == 0 else drawn[draw - 1]
            order = np.argsort(-scores[:, 1:].ravel(), kind="stable")[:20]
            times = counts[order // 8]
            facts = int((gold.reshape(6, 8).sum(axis=1) * counts).sum())
            ranked = FactRanking.from_scores(
                np.repeat(scores[:, 1:].ravel()[order], times), np.repeat(gold[order], times), facts
            )
            assert row["micro_f1"] == pytest.approx(ranked.best_f1()[0])
            assert draw or row["auc"] == pytest.approx(ranked.auc())

    def test_what_is_missing_on_real_labels_is_trained_and_kept(self, monkeypatch, tmp_path) -> None:
        for name in ("REAL", "REAL_DRAWS"):
            copy = tmp_path / name
            copy.write_text("".join(getattr(noise, name).read_text().splitlines(keepends=True)[:5]))
            monkeypatch.setattr(noise, name, copy)
        before = noise.REAL.read_text(), noise.REAL_DRAWS.read_text()
        listed = [{"model": "tfidf-bag", "evaluations": {title: ""}} for title in ("SVM", "A", "B")]
        listed[-1]["model"] = "no such model"
        monkeypatch.setattr(noise, "systems", lambda labels: listed)
        monkeypatch.setattr(noise, "_REPLICATES", 2)
        truths = dict.fromkeys(noise.PROTOCOLS, read_bags("toy"))
        for _ in range(2):  # one that is interrupted keeps what is done
            with pytest.raises(KeyError):
                noise._train_real(truths)
            real, draws = noise.REAL.read_text(), noise.REAL_DRAWS.read_text()
            assert (real.startswith(before[0]), draws.startswith(before[1])) == (True, True)
            added = [line.split(",") for line in real.removeprefix(before[0]).splitlines()]
            assert [line[:3] for line in added] == [["A", "9", "held-out"], ["A", "9", "manual"]]
            assert {(line[5], line[6]) for line in added} == {("cpu", "")} and float(added[0][-1]) < 60
            drawn = [line.split(",")[:3] for line in draws.removeprefix(before[1]).splitlines()]
            assert drawn == [["A", draw, protocol] for draw in "12" for protocol in noise.PROTOCOLS]

    def test_only_bags_with_the_whole_word_and_no_relation_are_misled(self) -> None:
        bags = []
        for word, relation in (("likes", "r"), ("saw", "NA"), ("saw", "NA"), ("sawed", "NA")):
            sample = sentence_of("1", ["Ada", word, "Rome"], 0, 2, relation)
            bags.append(Bag("Ada", word, (relation,), (sample,)))

        def misled(word, share):
            return mislead_bags(bags, "NA", word, "wrong", share, random.Random(1))

        assert [bag.relations[0] for bag in misled("saw", 1.0)] == ["r", "wrong", "wrong", "NA"]
        assert misled("likes", 1.0) == misled("saw", 0.0) == bags
        with pytest.raises(ValueError, match=r"share is 1\.5: it has to be from 0 to 1"):
            misled("saw", 1.5)

    def test_the_stored_draws_are_those_that_are_made(self) -> None:
        draws = noise._learnable_draws(noise.demo_bags(), noise.MISLEADING, noise.TAKEN_FOR, (0.5,), 1)
        kept = noise.stored_draws(noise.LEARNT).query("strength == 0.5 and draw == 0")
        assert draws["auc"].to_numpy() == pytest.approx(kept["auc"].to_numpy(), abs=2e-6)
