"""Each model's scores after two steps on the demo corpus, so that no number changes unseen (CONTRIBUTING.md).

Where policies decide whole sentences (RL-DSRE), processors with bf16 units decide one otherwise: what they
give stands under `also` in the file, added by hand.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from helpers.core import write_atomically
from helpers.data import Bag, ParsedSample, RelationSample, demo_corpus, read_corpus
from helpers.data.samples import word_spans
from helpers.models import MODELS, build, default_settings
from helpers.models.base import as_bags
from helpers.models.linear import TECHNIQUES, DocumentClassifier
from helpers.models.training import NeuralModel, processor_threads
from tests.support import nightly

GOLDEN = Path(__file__).parents[2] / "golden" / "canary.json"
TORCH = version("torch").partition("+")[0]
DECIMALS, TOLERANCE = 4, 2e-3
"""Scores are of the order of 1; kernels of other processors differ by less."""
TRAIN, TEST = {"rl-dsre": 400}, 4
"""Sixteen sentences, but for the policies of RL-DSRE, which need some of each relation."""
KNOWN = {**MODELS, **{f"technique {name}": technique for name, technique in TECHNIQUES.items()}}
OPTIONS = {"recent": {"typed": False}}
OPTIONS["reside"] = {"types": {"fire": ["event"]}, "aliases": {"Cause-Effect(e1,e2)": ["caused"]}}


def parsed(sample: RelationSample) -> ParsedSample:
    """The sample with a tree in which each word hangs on the one before it."""
    spans = tuple(span for span in word_spans(sample.text.split(" ")) if span[0] < span[1])
    about = (sample.id, sample.text, sample.head, sample.tail, sample.relation, "", "")
    return ParsedSample(*about, spans, tuple(range(len(spans))))


def scores_of(name: str) -> list[float]:
    """What is stored of a model: its scores of a few test inputs in one row, rounded."""
    technique = name.removeprefix("technique ")
    with processor_threads(1):
        scores = _of_samples(name) if technique == name else _of_documents(technique)
    return np.round(np.asarray(scores, dtype=float).ravel(), DECIMALS).tolist()


def _of_documents(technique: str) -> np.ndarray:
    parts = read_corpus("demo-documents")
    chosen = {"random_state": 1} if "random_state" in TECHNIQUES[technique]().get_params() else {}
    train = parts["train"].select(range(60))
    if technique.endswith("multiclass"):
        train = train.select(row for row, labels in enumerate(train.labels) if len(labels) == 1)
    made = DocumentClassifier(technique, "-s 1 -B 1 -e 0.0001", n_jobs=1, **chosen).fit(train)
    return made.scores(parts["test"].select(range(TEST)))


def _of_samples(name: str) -> np.ndarray:
    entry, corpus = MODELS[name], demo_corpus()
    train = corpus["train"][: TRAIN.get(name, 16)]
    labels = sorted({one.relation for one in train} | {"Other"})
    test = [one for one in corpus["test"] if one.relation in labels][:TEST]
    if entry.parsed:
        train, test = ([parsed(one) for one in part] for part in (train, test))
    if entry.unit == "bag":
        train, test = as_bags(train), as_bags(test)
    settings = None
    if entry.settings:
        changes = {"epochs": 1, "batch_size": len(train) // 2, "precision": "fp32", "learning_rate": 1e-3}
        settings = default_settings(name).changed(changes)
    model = build(name, "all-MiniLM-L6-v2", labels, settings, 9, **OPTIONS.get(name, {}))
    model.fit(train, progress=False)
    # of type restriction the scores of both steps: the labels alone would hardly change
    stages = getattr(model, "stages", {name: model}).values()
    return np.concatenate([_scores(one, test) for one in stages], axis=None)


def _scores(model, samples) -> np.ndarray:
    """Of a model of bags its probabilities, of other networks what theirs are made of, else the answers."""
    if not isinstance(model, NeuralModel) and not isinstance(samples[0], Bag):
        return model.predict(samples)
    if type(model).scores is not NeuralModel.scores:
        return model.scores(samples, progress=False)
    return model.raw_scores(samples, progress=False).numpy()


def stored() -> dict:
    return json.loads(GOLDEN.read_text("utf-8"))


def test_every_model_has_its_row() -> None:
    assert list(stored()["models"]) == [*KNOWN]


@pytest.mark.parametrize("name", nightly(KNOWN, 2, "rl-dsre"))
def test_two_steps_give_the_stored_scores(name) -> None:
    if stored()["torch"] != TORCH:
        pytest.skip(f"scores are stored for torch {stored()['torch']}, this is {TORCH}")
    row, scores = stored()["models"][name], scores_of(name)
    assert row["version"] == KNOWN[name].version, (
        f"the version of {name} was raised: python -m tests.unit.models.test_canary stores its scores"
    )
    accepted = [row["scores"], *row.get("also", [])]
    assert any(np.allclose(scores, golden, rtol=0, atol=TOLERANCE) for golden in accepted), (
        f"the numbers of {name} are others: raise the version of {name} in its row, or undo the change"
    )
    assert len(set(row["scores"])) > 2 or name in ("svm", "majority", "majority-bag")


def write() -> None:
    old = stored()["models"] if stored()["torch"] == TORCH else {}
    rows = {}
    for name in KNOWN:
        made = {"version": KNOWN[name].version}
        current = old.get(name, {}).get("version") == made["version"]
        rows[name] = old[name] if current else made | {"scores": scores_of(name)}
    text = ",\n".join(f" {json.dumps(name)}: {json.dumps(row)}" for name, row in rows.items())
    write_atomically(GOLDEN, f'{{"torch": {json.dumps(TORCH)}, "models": {{\n{text}\n}}}}\n')


if __name__ == "__main__":
    write()
