"""Type restriction: who decides what, and what both evaluations make of the same decisions."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from helpers.data import TypedSample
from helpers.metrics import Outcome, average
from helpers.models import History, Model, build
from helpers.models.base import Settings
from helpers.models.type_restriction import POSITIVE, TypeRestriction

NEGATIVE = "no_relation"
LABELS = (NEGATIVE, "born", "died", "age", "title")
PLACE, NUMBER, TITLE, ODD = ("PER", "LOC"), ("PER", "NUM"), ("PER", "TITLE"), ("LOC", "LOC")


def sample(number: int, relation: str, types: tuple[str, str], word: str) -> TypedSample:
    return TypedSample(str(number), f"x {word} y", (0, 1), (3 + len(word), 4 + len(word)), relation, *types)


class Scripted(Model):
    """Predicts the label that stands in the text, `LABEL/LABEL`, else the first."""

    trained: list = []

    def __init__(self, labels, seed) -> None:
        self.labels = tuple(labels)

    def fit(self, samples, checkpoint=None, after_epoch=None, progress=True) -> History:
        Scripted.trained.append((self.labels, [sample.relation for sample in samples]))
        return History([0.5], 2.0, 3, len(samples))

    def scores(self, samples, progress=True) -> np.ndarray:
        """Nine tenths for what is predicted; the others share the rest."""
        rest = 0.1 / (len(self.labels) - 1)
        return np.where(np.eye(len(self.labels))[self.predict(samples)] > 0, 0.9, rest)

    def predict(self, samples, progress=True) -> np.ndarray:
        known = {label: number for number, label in enumerate(self.labels)}
        words = [sample.text.split()[1].split("/") for sample in samples]
        return np.array([max(known.get(word, 0) for word in own) for own in words], dtype=int)


FACTS = [("born", PLACE), ("died", PLACE), ("age", NUMBER), (NEGATIVE, TITLE), (NEGATIVE, PLACE)]
TRAIN = [sample(number, *fact, "a") for number, fact in enumerate([*FACTS, FACTS[0]])]


@pytest.fixture
def model() -> TypeRestriction:
    made = TypeRestriction(LABELS, Scripted)
    made.fit(TRAIN, Path("folder/c.safetensors"), progress=False)
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
TESTS = [sample(100 + n, *case[:3]) for n, case in enumerate(CASES)]


def test_scores_are_products_of_the_two_steps(model) -> None:
    scores = model.scores(TESTS)
    assert scores.sum(axis=1) == pytest.approx(1) and (scores >= 0).all()
    expected = {
        (PLACE, f"{POSITIVE}/born"): {"born": 0.9 * 0.9, "died": 0.9 * 0.1, NEGATIVE: 0.1},
        (PLACE, "born"): {"born": 0.1 * 0.9, "died": 0.1 * 0.1, NEGATIVE: 0.9},
        (NUMBER, POSITIVE): {"age": 0.9, NEGATIVE: 0.1},  # one possible relation
        (TITLE, POSITIVE): {NEGATIVE: 1.0},  # none is possible
    }
    for (_, types, said, *_), row in zip(CASES, scores, strict=True):
        if (types, said) in expected:
            known = {label: value for label, value in zip(LABELS, row, strict=True) if value > 1e-12}
            assert known == pytest.approx(expected[types, said])
    assert model.scores([]).shape == (0, len(LABELS))


def test_both_evaluations_case_by_case(model) -> None:
    predicted = {mode: [LABELS[label] for label in ids] for mode, ids in model.evaluations(TESTS).items()}
    assert predicted["corrected"] == [case[3] for case in CASES]
    assert predicted["as-published"] == [case[4] for case in CASES]
    gold = [case[0] for case in CASES]
    tables = {mode: Outcome.from_columns(gold, labels, labels=LABELS) for mode, labels in predicted.items()}
    tables["leaked"] = tables["corrected"].leaked(NEGATIVE)
    micro = {mode: average(table, "micro", negative=NEGATIVE) for mode, table in tables.items()}
    assert micro["as-published"] > micro["leaked"] > micro["corrected"]
    row = tables["as-published"].table()[0]
    assert row[0] == row.sum() == 4  # no negative sample is ever answered with a relation


def test_gold_labels_do_not_change_the_corrected_predictions(model) -> None:
    tests, rng = TESTS, random.Random(1)
    shuffled = [replace(one, relation=rng.choice(LABELS)) for one in tests]
    assert (model.evaluations(tests)["corrected"] == model.evaluations(shuffled)["corrected"]).all()
    assert (model.evaluations(tests)["as-published"] != model.evaluations(shuffled)["as-published"]).any()
    assert (model.predict(tests, progress=False) == model.evaluations(tests)["corrected"]).all()
    assert model.predict([]).shape == (0,)


def test_without_types_there_are_the_same_two_steps_and_no_type_is_read() -> None:
    Scripted.trained.clear()
    model = TypeRestriction(LABELS, Scripted, typed=False)
    model.fit(TRAIN, progress=False)
    assert [labels for labels, _ in Scripted.trained] == [(NEGATIVE, POSITIVE), ("age", "born", "died")]
    assert Scripted.trained[1][1] == ["born", "died", "age", "born"]
    said = [f"{POSITIVE}/age", f"{POSITIVE}/died", "age"]
    tests = [sample(n, "born", PLACE, words) for n, words in enumerate(said)]
    assert [LABELS[one] for one in model.predict(tests, progress=False)] == ["age", "died", NEGATIVE]
    turned = [replace(one, head_type="LOC", tail_type="LOC") for one in tests]
    assert (model.predict(turned, progress=False) == model.predict(tests, progress=False)).all()


WORDS = {"born": "native", "died": "buried", "age": "aged", NEGATIVE: "near"}
FAST = Settings(learning_rate=0.02, epochs=10, batch_size=8, warmup=0, precision="fp32")


def toy(count: int = 40) -> list[TypedSample]:
    relations = [["born", "died", "age", NEGATIVE, NEGATIVE][number % 5] for number in range(count)]
    types = [NUMBER if one == "age" or number % 10 == 3 else PLACE for number, one in enumerate(relations)]
    return [sample(number, one, types[number], WORDS[one]) for number, one in enumerate(relations)]


def test_stopped_between_the_stages_it_goes_on_to_the_same(tmp_path) -> None:
    """Around a real classifier."""
    options = {"base": "cnn", "filters": 6, "word_size": 8, "position_size": 2, "dropout": 0.3}
    whole, stopped, resumed = (
        build("recent", "", [NEGATIVE, "age", "born", "died"], FAST, 9, **options) for _ in range(3)
    )
    samples = toy()
    whole.fit(samples, progress=False)

    def failing(labels, seed):
        if POSITIVE not in labels:
            raise KeyboardInterrupt
        return make(labels=labels, seed=seed)

    make, stopped.make = stopped.make, failing
    with pytest.raises(KeyboardInterrupt):
        stopped.fit(samples, tmp_path / "c.safetensors", progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["c-0.safetensors"]
    resumed.fit(samples, tmp_path / "c.safetensors", progress=False)
    pairs = zip(whole.state_dict().items(), resumed.state_dict().items(), strict=True)
    assert all(a == b and torch.equal(one, other) for (a, one), (b, other) in pairs)
