"""Type restriction: who decides what, and what both evaluations make of the same decisions."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.data import Dataset, TypedSample, register_dataset, unregister_dataset
from helpers.experiments import Experiment, run_experiment
from helpers.metrics import Outcome, average, leaked
from helpers.models import Model, build
from helpers.models.base import History
from helpers.models.settings import Settings
from helpers.models.type_restriction import POSITIVE, TypeRestriction

NEGATIVE = "no_relation"
LABELS = (NEGATIVE, "born", "died", "age", "title")
PLACE, NUMBER, TITLE, ODD = ("PER", "LOC"), ("PER", "NUM"), ("PER", "TITLE"), ("LOC", "LOC")


def sample(number: int, relation: str, types: tuple[str, str], word: str) -> TypedSample:
    return TypedSample(str(number), f"x {word} y", (0, 1), (3 + len(word), 4 + len(word)), relation, *types)


class Scripted(Model):
    """Predicts the label that stands in the text, `said:LABEL`, else the first."""

    trained: list = []

    def __init__(self, labels, seed) -> None:
        self.labels = tuple(labels)
        self.made = (self.labels, seed)

    def fit(self, samples, checkpoint=None, after_epoch=None, progress=True) -> History:
        self.seen = [one.relation for one in samples]
        Scripted.trained.append((self.labels, self.seen, checkpoint and checkpoint.name))
        return History([0.5], 2.0, 3, len(samples))

    def predict(self, samples, progress=True, description="") -> np.ndarray:
        said = [one.text.split()[1].split("/") for one in samples]
        which = [[label for label in self.labels if label in words] for words in said]
        return np.array([self.labels.index(found[0]) if found else 0 for found in which])


TRAIN = [
    sample(0, "born", PLACE, "a"),
    sample(1, "died", PLACE, "a"),
    sample(2, "age", NUMBER, "a"),
    sample(3, NEGATIVE, TITLE, "a"),
    sample(4, NEGATIVE, PLACE, "a"),
    sample(5, "born", PLACE, "a"),
]


@pytest.fixture
def model() -> TypeRestriction:
    Scripted.trained.clear()
    made = TypeRestriction(LABELS, Scripted, seed=7)
    made.history = made.fit(TRAIN, Path("folder/c.safetensors"), progress=False)
    return made


CASES = [
    # gold, types, what the stages say → corrected, as published
    ("born", PLACE, f"{POSITIVE}/born", "born", "born"),
    ("born", PLACE, f"{POSITIVE}/died", "died", "died"),
    (NEGATIVE, PLACE, f"{POSITIVE}/died", "died", NEGATIVE),  # the leak
    (NEGATIVE, PLACE, "died", NEGATIVE, NEGATIVE),
    ("born", PLACE, "born", NEGATIVE, NEGATIVE),  # missed by the first step
    ("age", NUMBER, POSITIVE, "age", "age"),
    (NEGATIVE, NUMBER, POSITIVE, "age", NEGATIVE),  # the leak
    ("title", TITLE, POSITIVE, NEGATIVE, "title"),  # one relation in the test set's own gold labels
    (NEGATIVE, TITLE, POSITIVE, NEGATIVE, NEGATIVE),
    ("born", ODD, POSITIVE, NEGATIVE, NEGATIVE),  # two there: found in no file
    ("age", ODD, POSITIVE, NEGATIVE, NEGATIVE),
]


def test_both_evaluations_case_by_case(model) -> None:
    tests = [sample(100 + n, gold, types, said) for n, (gold, types, said, _, _) in enumerate(CASES)]
    found = model.evaluations(tests, progress=False)
    assert [LABELS[one] for one in found["corrected"]] == [case[3] for case in CASES]
    assert [LABELS[one] for one in found["as-published"]] == [case[4] for case in CASES]
    gold = [case[0] for case in CASES]
    tables = {
        mode: Outcome.from_columns(gold, [LABELS[one] for one in ids], labels=list(LABELS))
        for mode, ids in found.items()
    }
    micro = {mode: average(table, "micro", negative=NEGATIVE) for mode, table in tables.items()}
    assert micro["as-published"] > average(leaked(tables["corrected"], NEGATIVE), "micro", negative=NEGATIVE)
    assert average(leaked(tables["corrected"], NEGATIVE), "micro", negative=NEGATIVE) > micro["corrected"]
    row = tables["as-published"].table()[0]
    assert row[0] == row.sum() == 4  # no negative sample is ever answered with a relation


def test_gold_labels_do_not_change_the_corrected_predictions(model) -> None:
    tests = [sample(100 + n, gold, types, said) for n, (gold, types, said, _, _) in enumerate(CASES)]
    rng = random.Random(1)
    shuffled = [replace(one, relation=rng.choice(LABELS)) for one in tests]
    assert (model.evaluations(tests)["corrected"] == model.evaluations(shuffled)["corrected"]).all()
    assert (model.evaluations(tests)["as-published"] != model.evaluations(shuffled)["as-published"]).any()
    assert (model.predict(tests, progress=False) == model.evaluations(tests)["corrected"]).all()
    assert model.evaluations([]) is not None and model.predict([]).shape == (0,)


def test_without_types_there_are_the_same_two_steps_and_no_type_is_read() -> None:
    Scripted.trained.clear()
    model = TypeRestriction(LABELS, Scripted, typed=False)
    model.fit(TRAIN, progress=False)
    assert [labels for labels, _, _ in Scripted.trained] == [(NEGATIVE, POSITIVE), ("age", "born", "died")]
    assert Scripted.trained[1][1] == ["born", "died", "age", "born"]
    said = [f"{POSITIVE}/age", f"{POSITIVE}/died", "age"]
    tests = [sample(n, "born", PLACE, words) for n, words in enumerate(said)]
    assert [LABELS[one] for one in model.predict(tests, progress=False)] == ["age", "died", NEGATIVE]
    turned = [replace(one, head_type="LOC", tail_type="LOC") for one in tests]
    assert (model.predict(turned, progress=False) == model.predict(tests, progress=False)).all()


class TestRefused:
    def test_samples(self, model) -> None:
        from helpers.data import RelationSample

        plain = RelationSample("p", "x a y", (0, 1), (4, 5), "born")
        with pytest.raises(ValueError, match="sample p has no entity types"):
            TypeRestriction(LABELS, Scripted).fit([plain])
        with pytest.raises(ValueError, match="before it is trained"):
            TypeRestriction(LABELS, Scripted).predict(TRAIN)


WORDS = {"born": "native", "died": "buried", "age": "aged", NEGATIVE: "near"}
FAST = Settings(learning_rate=0.02, epochs=10, batch_size=8, warmup=0, precision="fp32")
CNN = {"filters": 6, "word_size": 8, "position_size": 2, "dropout": 0.0}


def toy(count: int = 40) -> list[TypedSample]:
    relations = ["born", "died", "age", NEGATIVE, NEGATIVE]
    made = []
    for number in range(count):
        relation = relations[number % 5]
        types = NUMBER if relation == "age" or number % 10 == 3 else PLACE
        made.append(sample(number, relation, types, WORDS[relation]))
    return made


class TestTrained:
    """Around a real classifier."""

    def labels(self) -> list[str]:
        return [NEGATIVE, "age", "born", "died"]

    def made(self, **options) -> TypeRestriction:
        return build("recent", "", self.labels(), FAST, 9, **{"base": "cnn"} | CNN | options)

    def test_stopped_between_the_stages_it_goes_on_to_the_same(self, tmp_path, monkeypatch) -> None:
        samples = toy()
        whole = self.made(dropout=0.3)
        whole.fit(samples, progress=False)
        stopped, plain = self.made(dropout=0.3), self.made().make

        def failing(labels, seed):
            if POSITIVE not in labels:
                raise KeyboardInterrupt
            return stopped_make(labels, seed)

        stopped_make, stopped.make = stopped.make, failing
        with pytest.raises(KeyboardInterrupt):
            stopped.fit(samples, tmp_path / "c.safetensors", progress=False)
        assert [path.name for path in tmp_path.iterdir()] == ["c-0.safetensors"] and plain
        resumed = self.made(dropout=0.3)
        resumed.fit(samples, tmp_path / "c.safetensors", progress=False)
        pairs = zip(whole.state_dict().items(), resumed.state_dict().items(), strict=True)
        assert all(a == b and torch.equal(one, other) for (a, one), (b, other) in pairs)

    def test_runs(self, tmp_path, monkeypatch) -> None:
        monkeypatch.chdir(tmp_path)

        def maker():
            return {"train": toy(), "test": toy(20)}

        register_dataset(Dataset("toy-types", maker=maker, negative=NEGATIVE, whole=("train", "test")))
        try:
            experiment = Experiment(
                "recent", "toy-types", settings=FAST, profile="standard", options={"base": "cnn"} | CNN
            )
            run = run_experiment(experiment, tmp_path / "runs", predictions="p.csv", progress=False)
            assert run.kind == "confusion" and run.n == 20 and run.outcome().per_class().correct.sum() == 20
            assert run.options["evaluation"] == "corrected" and run.options["base"] == "cnn"
            assert Path("p.csv").read_text().splitlines()[0] == "id,gold,predicted"
            published = replace(experiment, options=experiment.options | {"evaluation": "as-published"})
            assert published.run_variant != experiment.run_variant
            assert published.path(tmp_path / "runs").exists(), "one training, both evaluations"
            monkeypatch.setattr(TypeRestriction, "fit", None)  # would be called if it were trained again
            other = run_experiment(published, tmp_path / "runs", progress=False)
            assert other.options["evaluation"] == "as-published"
            assert other.environment == run.environment and other.wall_seconds == run.wall_seconds
            with pytest.raises(ValueError, match="merged needs directed relations"):
                replace(experiment, merged=True)
        finally:
            unregister_dataset("toy-types")
