"""Baselines without an encoder: what they see, what they answer, and that they go through the same door."""

import dataclasses

import numpy as np
import pytest

from helpers.core.labels import label_ids
from helpers.data.demo import demo_corpus
from helpers.data.pairing import paired_sample, paired_sets
from helpers.data.samples import RelationSample
from helpers.experiments.experiment import SEEDS, Experiment
from helpers.experiments.run import run_experiment
from helpers.models.baselines import Majority, features
from helpers.models.registry import build
from helpers.runs import load_run, run_path


def baseline_of(name, labels, **options):
    return build(name, None, labels, None, 0, **options)


FIRE = RelationSample("1", "A fire caused Panic.", (2, 6), (14, 19), "Cause-Effect(e1,e2)")


@pytest.fixture(scope="module")
def demo():
    return demo_corpus(seed=0)


@pytest.fixture(scope="module")
def labels(demo):
    return tuple(label_ids(sample.relation for part in demo.values() for sample in part))


class TestFeatures:
    def test_words_are_those_of_the_sentence(self):
        one = ["a", "fire", "caused", "panic", "."]
        two = ["a fire", "fire caused", "caused panic", "panic ."]
        three = ["a fire caused", "fire caused panic", "caused panic ."]
        assert list(features(FIRE, markers=False)) == [*one, *two, *three]

    def test_without_markers_the_paired_sentence_looks_the_same(self):
        assert list(features(FIRE, False)) == list(features(paired_sample(FIRE), False))

    def test_with_markers_the_paired_sentence_differs_at_the_entities_only(self):
        one, other = (set(features(sample, True)) for sample in (FIRE, paired_sample(FIRE)))
        assert {"e1=fire", "e1..e2=caused", "e2=panic", "e1_ fire _e1"} <= one - other
        assert {"e2=fire", "e2..e1=caused", "e1=panic", "e2_ fire _e2"} <= other - one
        assert {"before=a", "after=.", "caused"} <= one & other

    @pytest.mark.parametrize(
        ("head", "tail", "pieces"),
        [
            ((2, 2), (14, 19), ["before=a", "e1..e2=fire", "e1..e2=caused", "e2=panic", "after=."]),  # empty
            ((2, 19), (7, 13), ["before=a", "e1=fire", "e1=caused", "e1=panic", "e2=caused", "after=."]),
            ((2, 13), (7, 19), ["before=a", "e1=fire", "e1=caused", "e2=caused", "e2=panic", "after=."]),
        ],
    )
    def test_empty_and_overlapping_entities(self, head, tail, pieces):
        sample = dataclasses.replace(FIRE, head=head, tail=tail)
        found = [one for one in features(sample, True) if "=" in one and " " not in one]
        assert found == pieces


class TestBaseline:
    def test_majority_is_the_most_frequent_relation(self, demo, labels):
        baseline = baseline_of("majority", labels)
        baseline.fit(demo["train"])
        counts = [sum(sample.relation == label for sample in demo["train"]) for label in labels]
        assert set(baseline.predict(demo["test"])) == {int(np.argmax(counts))}

    def test_without_markers_no_answer_moves_on_the_paired_set(self, demo, labels):
        sets, blind = paired_sets(demo["test"]), baseline_of("svm", labels)
        blind.fit(demo["train"])
        assert np.array_equal(blind.predict(sets["original"]), blind.predict(sets["paired"]))

    def test_with_markers_and_merged_training_the_answers_turn(self, demo, labels):
        sets, seeing = paired_sets(demo["test"]), baseline_of("svm", labels, markers=True)
        seeing.fit(paired_sets(demo["train"])["merged"])
        for kind in ("original", "paired"):
            gold = [labels.index(sample.relation) for sample in sets[kind]]
            assert np.mean(seeing.predict(sets[kind]) == gold) > 0.9

    @pytest.mark.parametrize(
        ("name", "options", "message"),
        [
            ("svn", {}, "unknown model 'svn'; did you mean 'svm'"),
            ("majority", {"markers": True}, "unknown option of majority 'markers'. Known: none"),
            (
                "svm",
                {"marker": True},
                "unknown option of svm 'marker'; did you mean 'markers'\\? Known: markers",
            ),
            ("svm", {"markers": "yes"}, "markers is 'yes'; it must be true or false"),
        ],
    )
    def test_bad_names_and_options(self, name, options, message):
        with pytest.raises(ValueError, match=message):
            baseline_of(name, ("a",), **options)

    def test_bad_samples(self):
        with pytest.raises(ValueError, match="samples is empty"):
            baseline_of("majority", ("a",)).fit([])
        with pytest.raises(ValueError, match=r"sample 1: relation 'Cause-Effect\(e1,e2\)' is not in labels"):
            baseline_of("svm", ("Other",)).fit([FIRE])


class TestRuns:
    def test_a_run_is_stored_without_encoder_settings_and_seed(self, tmp_path):
        experiment = Experiment("svm", "demo", options={"markers": True})
        run = run_experiment(experiment, tmp_path)
        assert run_path(run, tmp_path) == tmp_path / "demo/SVM-EM+quick/no-encoder/predictions.json"
        assert load_run(run_path(run, tmp_path)) == run
        assert (run.encoder, run.encoder_sha256, run.seed) == ("no-encoder", None, None)
        assert run.options == {"markers": True} and "learning_rate" not in run.hyperparameters
        assert "every seed gives this run" in run.source
        assert set(run.environment["versions"]) >= {"numpy", "scipy", "scikit-learn"}
        assert run.n == len(demo_corpus(seed=0)["test"])

    def test_the_same_run_is_not_trained_again_whatever_the_seed(self, tmp_path, monkeypatch):
        first = run_experiment(Experiment("svm", "demo", seed=SEEDS[0]), tmp_path)
        monkeypatch.delattr(Majority, "fit")
        assert run_experiment(Experiment("svm", "demo", seed=SEEDS[1]), tmp_path) == first
